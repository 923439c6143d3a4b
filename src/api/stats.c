/* Figures of launches: computed from the counts of each instruction, and printed as JSON, CSV and
 * text. */
#include "api/api.h"
#include "api/sampled.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "conf/machine.h"
#include "gpu/gpu.h"
#include "gpu/sample.h"
#include "gpu/thin.h"
#include "isa/native.h"
#include "stat/json.h"

/* Class of each operation, in the classes of machine code: enum native_class. */
static const uint8_t class_of[OP_COUNT] = {
#define OP(e, text, unit, kind, counts, ...) [OP_##e] = NCLASS_##counts,
#include "ir/ops.def"
#undef OP
};

const char *heddle_class_name(unsigned i) { return i < NCLASS_COUNT ? native_class_name(i) : NULL; }

/* Returns the kind of access that an instruction counts as; -1: none. */
static int access_class(const struct inst *in)
{
	switch (class_of[in->op]) {
	case NCLASS_ATOMIC: return HEDDLE_ACC_ATOMIC;
	case NCLASS_TEXTURE: /* texture queries access no memory */
		return op_info[in->op].facts & (OF_READS | OF_WRITES) ? HEDDLE_ACC_TEXTURE : -1;
	case NCLASS_LOAD:
	case NCLASS_STORE: break;
	default: return -1;
	}
	switch (in->space) {
	case SP_GLOBAL: return HEDDLE_ACC_GLOBAL;
	case SP_SHARED: return HEDDLE_ACC_SHARED;
	case SP_LOCAL: return HEDDLE_ACC_LOCAL;
	case SP_CONST: return HEDDLE_ACC_CONST;
	case SP_PARAM:
	case SP_FRAME: return HEDDLE_ACC_PARAM;
	default: return HEDDLE_ACC_GENERIC;
	}
}

/* Rows of a record's native counts by the last digits of their mnemonic: where the next count of that
 * mnemonic most likely belongs. */
enum { RECENT = 256 };
struct recent {
	uint16_t row[RECENT];
};

/* Counts a native instruction. It may be several operations, of which one counts. Constant operands
 * are not accesses. */
static void native_record(struct launch_record *r, struct recent *recent, const struct inst *in,
			  int acc, uint64_t warps, uint64_t threads)
{
	struct heddle_stats *s = &r->s;
	if (acc >= 0 && !(in->micro && (acc == HEDDLE_ACC_CONST || acc == HEDDLE_ACC_PARAM)))
		s->accesses[acc] += warps;
	if (in->micro || !warps)
		return;
	s->warp_instructions += warps;
	s->thread_instructions += threads;
	if ((inst_is(in, OF_NATIVE) && in->native_ctl >= NCTL_BRA && in->native_ctl <= NCTL_BRX) ||
	    (inst_is(in, OF_BRANCH) && native_mnemonic_op(in->mnemonic) == NI_BRA))
		s->branches += warps;
	uint16_t *at = &recent->row[in->mnemonic % RECENT];
	if (*at < r->native.n && r->native.v[*at].mnemonic == in->mnemonic) {
		r->native.v[*at].warp += warps;
		r->native.v[*at].thread += threads;
		return;
	}
	for (size_t i = 0; i < r->native.n; i++)
		if (r->native.v[i].mnemonic == in->mnemonic) {
			*at = (uint16_t)i;
			r->native.v[i].warp += warps;
			r->native.v[i].thread += threads;
			return;
		}
	*at = (uint16_t)r->native.n;
	vec_push(&r->native, (struct native_count){in->mnemonic, warps, threads});
}

static void record_timing(const struct heddle *h, struct launch_record *rec, struct gpu_result *r)
{
	rec->s.cycles = r->cycles;
	rec->s.shared = !r->alone;
	rec->s.gpu_seconds = (double)r->cycles / (h->machine->core_mhz * 1e6);
	rec->s.simd_efficiency *= 32.0 / h->machine->warp_size;
	rec->report = r->report;
	rec->s.joule = api_launch_joule(r->report);
	rec->together = r->together;
	r->report = r->together = NULL;
	rec->blocks_per_sm = r->blocks_per_sm;
	rec->s.timed = true;
}

/* ---- traffic of each SM, L2 slice and DRAM channel, for a map of the memory system ---- */

static const char *const spreads[SPREADS][2] = {
	{"sm", "warp_instructions"}, {"l1d", "accesses"}, {"l1d", "misses"},
	{"l2", "accesses"},          {"l2", "misses"},    {"dram", "read_bursts"},
	{"dram", "write_bursts"}};

static void find_spread(struct traffic *s, const struct stat_report *live)
{
	for (unsigned i = 0; i < SPREADS; i++) {
		const struct stat_entry *e;
		for (size_t k = 0; (e = stat_report_at(live, k)); k++) {
			unsigned slots;
			int at = e->index < 0 || strcmp(e->name, spreads[i][0]) != 0
					 ? -1
					 : stat_find(e->t, spreads[i][1], &slots);
			if (at >= 0)
				vec_push(&s->place,
					 (struct traffic_place){e->unit, e->place + (uint32_t)at});
		}
		s->end[i] = s->place.n;
	}
}

static json_t *spread_json(const struct traffic *s, const uint64_t *values)
{
	json_t *o = json_object();
	for (size_t i = 0, k = 0; i < SPREADS; i++) {
		char name[64];
		json_t *list = json_array();
		snprintf(name, sizeof name, "%s.%s", spreads[i][0], spreads[i][1]);
		for (; k < s->end[i]; k++)
			json_array_append_new(list, json_integer((json_int_t)values[k]));
		if (json_array_size(list))
			json_object_set(o, name, list);
		json_decref(list);
	}
	return o;
}

/* Drops the rows of SMs, slices and channels, which are most of a report, and keeps their traffic. */
static void reduce_record(struct heddle *h, struct launch_record *r)
{
	const uint64_t *const *units = r->report ? stat_report_units(r->report) : NULL;
	if (!units || r->spread)
		return;
	if (!h->traffic.place.n)
		find_spread(&h->traffic, h->gpu->live);
	r->spread = xcalloc(h->traffic.place.n, sizeof *r->spread);
	for (size_t i = 0; i < h->traffic.place.n; i++)
		r->spread[i] = units[h->traffic.place.v[i].unit][h->traffic.place.v[i].place];
	stat_report_reduce(r->report);
	if (r->together)
		stat_report_reduce(r->together);
}

/* Most launches with rows per SM and slice. Rows take 200 KB per launch, 1 MB on large machines, so
 * programs with more launches get sums only. */
enum { LAUNCHES_BY_UNIT = 64 };

static void reduce_records(struct heddle *h)
{
	size_t n = h->launches.n;
	if (!h->opt.sums && n <= LAUNCHES_BY_UNIT)
		return;
	for (size_t i = n == LAUNCHES_BY_UNIT + 1 ? 0 : n - 1; i < n; i++)
		reduce_record(h, &h->launches.v[i]);
}

void api_forget_timing(struct launch_record *r)
{
	stat_report_free(r->report);
	stat_report_free(r->together);
	free(r->spread);
	r->spread = NULL;
	r->report = r->together = NULL;
	r->s.cycles = 0;
	r->s.gpu_seconds = 0;
	r->s.joule = 0;
	r->s.timed = false;
	r->blocks_per_sm = 0;
}

char *heddle_stats_cover(const struct heddle *h) { return api_chosen(h); }

void api_record(struct heddle *h, const struct heddle_launch *l, const struct image *img,
		const struct prof *prof, double seconds, struct gpu_result *timing)
{
	struct launch_record r = {.by_op_warp = xcalloc(OP_COUNT, 8),
				  .by_op_thread = xcalloc(OP_COUNT, 8)};
	struct heddle_stats *s = &r.s;
	struct recent recent = {{0}};
	snprintf(s->kernel, sizeof s->kernel, "%s", img->kernel->name);
	memcpy(s->grid, l->grid, sizeof s->grid);
	memcpy(s->block, l->block, sizeof s->block);
	s->blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	s->threads = s->blocks * l->block[0] * l->block[1] * l->block[2];
	s->registers = api_registers(h, img);
	s->shared_bytes = img->shared_bytes - img->shared_gaps + l->shared_bytes;
	s->local_bytes = img->local_max;
	s->seconds = seconds;
	for (uint32_t pc = 0; pc < img->ncode; pc++) {
		const struct uop *u = &img->code[pc];
		if (!(prof[pc].issued | prof[pc].lanes | prof[pc].divergent))
			continue;
		int acc = access_class(u->in);
		if (u->in->native) {
			native_record(&r, &recent, u->in, acc, prof[pc].issued, prof[pc].lanes);
			s->divergent_branches += prof[pc].divergent;
			continue;
		}
		r.by_op_warp[u->op] += prof[pc].issued;
		r.by_op_thread[u->op] += prof[pc].lanes;
		s->warp_instructions += prof[pc].issued;
		s->thread_instructions += prof[pc].lanes;
		if (acc >= 0)
			s->accesses[acc] += prof[pc].issued;
		if (uop_is(u, OF_BRANCH | OF_INDEXED))
			s->branches += prof[pc].issued;
		s->divergent_branches += prof[pc].divergent;
	}
	if (s->warp_instructions)
		s->simd_efficiency =
			(double)s->thread_instructions / (32.0 * (double)s->warp_instructions);
	if (timing)
		record_timing(h, &r, timing);
	vec_push(&h->launches, r);
	reduce_records(h);
	api_profile_add(h, img, prof, timing != NULL);
}

unsigned heddle_stats_count(const struct heddle *h) { return (unsigned)h->launches.n; }
const struct heddle_stats *heddle_stats_at(const struct heddle *h, unsigned i)
{
	return &h->launches.v[i].s;
}

const char *api_opcode(const struct inst *in, const char **class)
{
	bool native = in->native && in->mnemonic;
	*class = native_class_name(native ? native_op_class(native_mnemonic_op(in->mnemonic))
					  : class_of[in->op]);
	return native ? native_mnemonic_text(in->mnemonic) : op_info[in->op].name;
}

/* Adds a count. Several operations, and several rows of an instruction set, share a mnemonic. */
static void add_count(json_t *o, const char *mnemonic, unsigned class, uint64_t warp,
		      uint64_t thread)
{
	json_t *e = json_object_get(o, mnemonic);
	json_int_t w = (json_int_t)warp, t = (json_int_t)thread;
	if (e) {
		w += json_integer_value(json_object_get(e, "warp"));
		t += json_integer_value(json_object_get(e, "thread"));
	}
	json_object_set_new(o, mnemonic,
			    json_pack("{s:I, s:I, s:s}", "warp", w, "thread", t, "class",
				      native_class_name(class)));
}

static json_t *by_opcode(const struct launch_record *r)
{
	json_t *o = json_object();
	for (size_t i = 0; i < r->native.n; i++) {
		const struct native_count *c = &r->native.v[i];
		add_count(o, native_mnemonic_text(c->mnemonic),
			  native_op_class(native_mnemonic_op(c->mnemonic)), c->warp, c->thread);
	}
	for (unsigned op = 0; op < OP_COUNT; op++)
		if (r->by_op_warp[op])
			add_count(o, op_info[op].name, class_of[op], r->by_op_warp[op],
				  r->by_op_thread[op]);
	return o;
}

/* Figures of a launch as a whole: one row for all printed forms. */
static const struct figure {
	const char *name;
	bool real;
	size_t offset; /* offset in struct launch_record; 0: computed */
	size_t size;
	const char *unit, *help;
} figures[] = {
/* clang-format off */
#define COUNT(field, unit, help) {#field, false, offsetof(struct launch_record, s.field), \
				  sizeof(((struct launch_record *)0)->s.field), unit, help}
#define REAL(name, field, unit, help) {name, true, offsetof(struct launch_record, s.field), 8, unit, help}
	/* clang-format on */
	COUNT(blocks, "blocks", "blocks of the grid"),
	COUNT(threads, "threads", "threads of the grid"),
	COUNT(registers, "registers", "registers allocated per thread"),
	COUNT(shared_bytes, "bytes", "shared memory per block, static and dynamic"),
	COUNT(local_bytes, "bytes", "local memory per thread"),
	COUNT(warp_instructions, "instructions", "warp instructions executed"),
	COUNT(thread_instructions, "instructions", "thread instructions executed"),
	REAL("simd_efficiency", simd_efficiency, "",
	     "thread instructions / (warp size x warp instructions)"),
	COUNT(branches, "instructions", "branches executed by warps"),
	COUNT(divergent_branches, "instructions", "branches at which lanes of a warp diverged"),
	REAL("wall_seconds", seconds, "s",
	     "time on the host; the only figure that differs from run to run"),
	COUNT(cycles, "core cycles",
	      "timing mode: from the start of the first block to the end "
	      "of the last"),
	REAL("gpu_seconds", gpu_seconds, "s", "timing mode: `cycles` as simulated time"),
	REAL("joule", joule, "J", "timing mode: energy, see `energy`"),
	{"ipc", true, 0, 0, "instructions/cycle",
	 "timing mode: thread instructions per cycle, all SMs "
	 "together"},
	{"blocks_per_sm", false, offsetof(struct launch_record, blocks_per_sm), 4, "blocks",
	 "timing mode: blocks that fit on an SM"},
	COUNT(timed, "",
	      "1: the launch ran in timing mode; 0: in functional mode "
	      "(--launches, --kernels, --skip, --mode sampled)"),
	COUNT(shared, "",
	      "timing mode: 1: other launches shared the GPU; figures of "
	      "SMs and memory then cover all of them, from this launch's "
	      "start to the end of the window in which it ended; "
	      "instructions and profile are its own"),
	COUNT(status, "",
	      "0: the launch completed; otherwise the reason (`status` "
	      "in JSON: done, interrupted, fault, limit)"),
	{NULL},
#undef COUNT
#undef REAL
};

static double figure_value(const struct launch_record *r, const struct figure *f)
{
	const char *at = (const char *)r + f->offset;
	if (!f->size)
		return r->s.cycles ? (double)r->s.thread_instructions / (double)r->s.cycles : 0;
	if (f->real)
		return *(const double *)at;
	return f->size == 1   ? *(const bool *)at
	       : f->size == 4 ? *(const uint32_t *)at
			      : (double)*(const uint64_t *)at;
}

static json_t *series_json(const struct sampler *s)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return json_null();
	sampler_print(s, f);
	fclose(f);
	json_t *o = json_loads(text, 0, NULL);
	free(text);
	return o ? o : json_null();
}

static const char *const space_name[HEDDLE_ACC_COUNT] = {"global", "shared",  "local",   "const",
							 "param",  "generic", "texture", "atomic"};

static const char *status_name(enum heddle_status st)
{
	return st == HEDDLE_OK            ? "done"
	       : st == HEDDLE_INTERRUPTED ? "interrupted"
	       : st == HEDDLE_FAULT       ? "fault"
	       : st == HEDDLE_LIMIT       ? "limit"
					  : "failed";
}

static json_t *launch_json(const struct heddle *h, const struct launch_record *r)
{
	const struct heddle_stats *s = &r->s;
	json_t *o = json_pack("{s:s, s:s, s:[i,i,i], s:[i,i,i]}", "kernel", s->kernel, "status",
			      status_name(s->status), "grid", s->grid[0], s->grid[1], s->grid[2],
			      "block", s->block[0], s->block[1], s->block[2]);
	for (const struct figure *f = figures; f->name; f++)
		if (!json_object_get(o, f->name))
			json_object_set_new(o, f->name,
					    f->real ? json_real(figure_value(r, f))
						    : json_integer((json_int_t)figure_value(r, f)));
	json_t *acc = json_object();
	for (int i = 0; i < HEDDLE_ACC_COUNT; i++)
		json_object_set_new(acc, space_name[i], json_integer((json_int_t)s->accesses[i]));
	json_object_set_new(o, "accesses", acc);
	json_object_set_new(o, "opcodes", by_opcode(r));
	if (r->report)
		json_object_set_new(o, "timing", stat_json(r->report));
	if (r->thin)
		json_object_set_new(o, "thinned",
				    json_pack("{s:I, s:i, s:f}", "skipped_blocks",
					      (json_int_t)r->thin->blocks, "parts",
					      (int)r->thin->parts, "skipped_instructions",
					      r->thin->skipped));
	if (r->spread)
		json_object_set_new(o, "spread", spread_json(&h->traffic, r->spread));
	return o;
}

/* Facts of the machine that figures are related to. */
static json_t *machine_json(const struct machine *m)
{
	return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:i, s:i, s:i, s:i}", "sms",
			 (int)m->sms, "schedulers", (int)m->schedulers, "warps",
			 (int)(m->max_threads / m->warp_size), "blocks", (int)m->max_blocks,
			 "registers", (int)m->registers, "shared_bytes", (int)m->shared_bytes,
			 "core_mhz", m->core_mhz, "l2_mhz", m->l2_mhz, "dram_mhz", m->dram_mhz,
			 "channels", (int)m->parts, "slices", (int)(m->parts * m->slices),
			 "burst_bytes", (int)(m->dram_bus * m->dram_burst), "l1_sector_bytes",
			 (int)m->l1d_sector);
}

char *heddle_stats_json(const struct heddle *h)
{
	json_t *list = json_array();
	bool sums = h->opt.sums || h->launches.n > LAUNCHES_BY_UNIT;
	for (size_t i = 0; i < h->launches.n; i++) {
		json_array_append_new(list, launch_json(h, &h->launches.v[i]));
		if (h->launches.v[i].issues)
			json_object_set(json_array_get(list, i), "issues", h->launches.v[i].issues);
	}
	json_t *top = json_pack("{s:s, s:s, s:i, s:o, s:o}", "heddle", HEDDLE_VERSION, "mode",
				h->sampled ? "sampled"
				: h->gpu   ? "timing"
					   : "functional",
				"warp_size", h->gpu ? (int)h->machine->warp_size : LANES,
				"launches", list, "profile", api_profiles_json((struct heddle *)h));
	char *cover = api_chosen(h);
	if (cover)
		json_object_set_new(top, "timed", json_string(cover));
	free(cover);
	if (h->sampled)
		json_object_set_new(top, "sampled", api_sampled_json(h));
	api_energy_json((struct heddle *)h, top);
	if (h->machine)
		json_object_set_new(top, "config", json_string(h->machine->name));
	if (h->gpu)
		json_object_set_new(top, "machine", machine_json(h->machine));
	if (h->series)
		json_object_set_new(top, "series", series_json(h->series));
	char *s = json_dumps(top, sums ? JSON_COMPACT : JSON_INDENT(1));
	json_decref(top);
	return s;
}

/* ---- CSV, text, the manual ---- */

static void launch_csv(const struct launch_record *r, size_t n, FILE *f)
{
	char prefix[320];
	snprintf(prefix, sizeof prefix, "%zu,%s,", n, r->s.kernel);
	for (const struct figure *g = figures; g->name; g++)
		fprintf(f, "%slaunch,-1,%s,0,%.17g,%s\n", prefix, g->name, figure_value(r, g),
			g->unit);
	for (int i = 0; i < HEDDLE_ACC_COUNT; i++)
		fprintf(f, "%slaunch,-1,accesses.%s,0,%llu,instructions\n", prefix, space_name[i],
			(unsigned long long)r->s.accesses[i]);
	if (r->report)
		stat_print_csv(r->report, f, prefix);
}

static void launch_text(const struct launch_record *r, size_t n, FILE *f)
{
	fprintf(f, "%slaunch %zu: %s, grid %u,%u,%u, block %u,%u,%u, %s\n", n ? "\n" : "", n,
		r->s.kernel, r->s.grid[0], r->s.grid[1], r->s.grid[2], r->s.block[0], r->s.block[1],
		r->s.block[2], status_name(r->s.status));
	for (const struct figure *g = figures; g->name; g++)
		fprintf(f, "%-36s %14.*g  %s\n", g->name, g->real ? 6 : 17, figure_value(r, g),
			g->unit);
	for (int i = 0; i < HEDDLE_ACC_COUNT; i++)
		fprintf(f, "accesses.%-27s %14llu  instructions\n", space_name[i],
			(unsigned long long)r->s.accesses[i]);
	if (r->report)
		stat_print_text(r->report, f, 1);
}

static char *print_to_string(const struct heddle *h, const char *head,
			     void (*print)(const struct launch_record *r, size_t n, FILE *f))
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return NULL;
	fputs(head, f);
	for (size_t i = 0; i < h->launches.n; i++)
		print(&h->launches.v[i], i, f);
	if (h->sampled && print == launch_text)
		api_sampled_print(h, f);
	fclose(f);
	return text;
}

char *heddle_stats_print(const struct heddle *h, const char *file)
{
	const char *dot = strrchr(file, '.');
	if (dot && !strcmp(dot, ".csv"))
		return print_to_string(h, "launch,kernel," STAT_CSV_COLUMNS "\n", launch_csv);
	if (dot && !strcmp(dot, ".txt"))
		return print_to_string(h, "", launch_text);
	return heddle_stats_json(h);
}

static const char manual_head[] =
	"# Statistics\n\n"
	"Generated by `heddle config statistics`; the tables are in the code, beside what they count.\n\n"
	"`--stats FILE` writes all of them per launch. The name of the file decides the form: JSON, CSV (`.csv`, one\n"
	"row per value with the columns `launch,kernel," STAT_CSV_COLUMNS
	"`) or text (`.txt`). Counters are 64 bits\n"
	"wide. Instances of a component are numbered (`sm.3`, `dram.0`); the name alone is their sum, and for peaks the\n"
	"largest value. `[N]` marks a histogram of N buckets, of which the first is number 0.\n\n"
	"## launch\n\nA launch as a whole, also in functional mode. JSON has in addition `kernel`, `grid`, `block`, `opcodes` (warp\n"
	"and thread instructions by opcode, with its class) and `accesses` (memory instructions by space).\n\n"
	"| statistic | unit | meaning |\n| --- | --- | --- |\n";

char *heddle_stats_manual(void)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return NULL;
	fputs(manual_head, f);
	for (const struct figure *g = figures; g->name; g++)
		fprintf(f, "| `%s` | %s | %s |\n", g->name, g->unit, g->help);
	fputc('\n', f);
	gpu_print_statistics(f);
	fclose(f);
	return text;
}
