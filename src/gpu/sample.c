/* A time series of the figures that reports have. A column names an instance and a statistic,
 * and is bound to the counters of all instances of that name (gpu_instances()). Power columns come from
 * gpu/meter.h. */
#include "gpu/sample.h"

#include <inttypes.h>
#include "gpu/meter.h"
#include "gpu/series.h"

/* How a counter's growth in a row is printed. */
enum how {
	AS_COUNT,
	AS_MEAN,  /* mean per cycle */
	AS_BYTES, /* bursts of DRAM, in bytes */
	AS_RATE,  /* bursts of DRAM of several columns, in GB/s */
	AS_STATE, /* groups that could issue at the row's end: no counter */
};

/* Columns in the order of the file. "*" as name or statistic stands for all: all statistics of a table, or
 * all slots of a histogram, with their number in the name. Columns of the memory system are empty
 * in rows of an SM. */
struct column_def {
	const char *name, *inst, *stat;
	enum how how;
};
#define CACHE_COLUMNS(c)                                                                           \
	{c "_accesses", c, "accesses", AS_COUNT}, {c "_hits", c, "hits", AS_COUNT},                \
	{                                                                                          \
		c "_misses", c, "misses", AS_COUNT                                                 \
	}
static const struct column_def of_sm[] = {
	{"warp_instructions", "sm", "warp_instructions", AS_COUNT},
	{"thread_instructions", "sm", "thread_instructions", AS_COUNT},
	{"ipc", "sm", "thread_instructions", AS_MEAN},
	{"resident_warps", "sm", "warp_cycles", AS_MEAN},
	{"resident_blocks", "block", "resident", AS_MEAN},
	{"partial_cycles", "block", "partial", AS_COUNT},
	{"registers", "block", "registers", AS_MEAN},
	{"registers_ended", "block", "registers_ended", AS_MEAN},
	{"ready_warps", NULL, NULL, AS_STATE},
	{"*", "issue", "*", AS_COUNT},
	CACHE_COLUMNS("l1d"),
	CACHE_COLUMNS("l1c"),
	CACHE_COLUMNS("l1t"),
	CACHE_COLUMNS("l1i"),
};
static const struct column_def of_memory[] = {
	CACHE_COLUMNS("l2"),
	{"dram_read_bytes", "dram", "read_bursts", AS_BYTES},
	{"dram_write_bytes", "dram", "write_bursts", AS_BYTES},
	{"dram_gb_s", "dram", "read_bursts write_bursts", AS_RATE},
	{"request_flits", "icnt", "request_flits", AS_COUNT},
	{"reply_flits", "icnt", "reply_flits", AS_COUNT},
};
/* the last columns, because most machines have no lane mechanism */
static const struct column_def of_lanes[] = {
	{"lane*_ipc", "lanes", "threads", AS_MEAN},
};

enum column_part { PART_SM, PART_MEMORY, PART_LANES, PARTS };
struct column {
	char name[32], stat[32]; /* stat: the statistic's name in its table */
	const char *inst;
	unsigned slot;
	enum how how;
};
typedef VEC(struct column) column_vec;

/* A counter that contributes to a column of a row. */
struct bound {
	const uint64_t *value;
	uint64_t before;
	unsigned part, column;
	int sm; /* SM of the counter; -1: none */
};

struct sampler {
	const struct gpu *g;
	FILE *f;
	bool json, any;
	uint64_t every;
	uint64_t launch;          /* number of the first launch that ran in the present row */
	VEC(const char *) kernel; /* kernels that ran in the present row */
	cycle_t origin, from;     /* cycle at which the launch, the next row begins */
	column_vec column[PARTS];
	VEC(struct bound) bound;
	uint64_t *grown
		[PARTS]; /* growth in the present row: SM i at i * columns, then all SMs together */
	struct meter meter;
	bool metered;       /* the meter is set up, which the first launch does */
	struct series kept; /* rows kept in memory; most = 0: rows are written as they end */
	double *row;        /* the present row of `kept` */
};

/* ---- columns ---- */

static const struct stat_entry *entry_of(const struct stat_report *live, const char *inst,
					 size_t *i)
{
	const struct stat_entry *e;
	while ((e = stat_report_at(live, (*i)++)))
		if (!strcmp(e->name, inst))
			return e;
	return NULL;
}

static void add_column(column_vec *v, const char *name, const struct column_def *d,
		       const char *stat, unsigned slot)
{
	struct column c = {.inst = d->inst, .slot = slot, .how = d->how};
	const char *star = strchr(name, '*');
	if (star)
		snprintf(c.name, sizeof c.name, "%.*s%u%s", (int)(star - name), name, slot,
			 star + 1);
	else
		snprintf(c.name, sizeof c.name, "%s", name);
	snprintf(c.stat, sizeof c.stat, "%s", stat ? stat : "");
	vec_push(v, c);
}

/* Number of slots of a lane organisation's histogram that stand for lanes. */
static unsigned slots_used(const struct gpu *g) { return g->sm[0]->lanes.n; }

static void add_columns(struct sampler *s, column_vec *v, const struct column_def *d, size_t n,
			const struct stat_report *live)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = 0;
		const struct stat_entry *e = d[i].inst ? entry_of(live, d[i].inst, &at) : NULL;
		if (d[i].stat && !strcmp(d[i].stat, "*")) {
			for (unsigned k = 0; e && k < e->t->n; k++)
				add_column(v, e->t->def[k].name, &d[i], e->t->def[k].name, 0);
		} else if (strchr(d[i].name, '*')) {
			for (unsigned k = 0; e && k < slots_used(s->g); k++)
				add_column(v, d[i].name, &d[i], d[i].stat, k);
		} else {
			add_column(v, d[i].name, &d[i], d[i].stat, 0);
		}
	}
}

static void print_head(struct sampler *s)
{
	fprintf(s->f, "launch,kernel,from,to,sm");
	for (unsigned p = 0; p < PARTS; p++) {
		if (p == PART_LANES) {
			for (unsigned c = 0; c < COMP_COUNT; c++)
				fprintf(s->f, ",w_%s", power_components[c].name);
			fputs(",w_total", s->f);
		}
		for (size_t i = 0; i < s->column[p].n; i++)
			fprintf(s->f, ",%s", s->column[p].v[i].name);
	}
	fputc('\n', s->f);
}

static struct sampler *with_columns(const struct gpu *g, uint64_t every)
{
	struct sampler *s = xcalloc(1, sizeof *s);
	struct stat_report *live = stat_report_live();
	*s = (struct sampler){.g = g, .every = every};
	gpu_instances(g, live);
	add_columns(s, &s->column[PART_SM], of_sm, STAT_COUNT_OF(of_sm), live);
	add_columns(s, &s->column[PART_MEMORY], of_memory, STAT_COUNT_OF(of_memory), live);
	add_columns(s, &s->column[PART_LANES], of_lanes, STAT_COUNT_OF(of_lanes), live);
	stat_report_free(live);
	for (unsigned p = 0; p < PARTS; p++)
		s->grown[p] = xcalloc((g->nsm + 1) * (s->column[p].n + 1), sizeof(uint64_t));
	return s;
}

struct sampler *sampler_new(const struct gpu *g, uint64_t every, FILE *f, bool json)
{
	struct sampler *s = with_columns(g, every);
	s->f = f;
	s->json = json;
	if (json)
		fputc('[', f);
	else
		print_head(s);
	return s;
}

/* A sampler that keeps rows. The first rows are short, because a run may be short; rows double in length. */
struct sampler *sampler_new_kept(const struct gpu *g, unsigned rows)
{
	enum { FIRST = 32 };
	struct sampler *s = with_columns(g, FIRST);
	unsigned width = COMP_COUNT;
	for (unsigned p = 0; p < PARTS; p++)
		width += (unsigned)s->column[p].n;
	series_init(&s->kept, rows, width);
	s->row = xcalloc(width, sizeof *s->row);
	return s;
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	if (s->json)
		fputs("\n]\n", s->f);
	if (s->f)
		fflush(s->f);
	series_free(&s->kept);
	free(s->row);
	if (s->metered)
		meter_end(&s->meter);
	for (unsigned p = 0; p < PARTS; p++) {
		free(s->grown[p]);
		vec_free(&s->column[p]);
	}
	vec_free(&s->bound);
	vec_free(&s->kernel);
	free(s);
}

/* ---- counters ---- */

/* Binds a column to the counters of all instances, for each of the statistics that it sums. */
static void bind_column(struct sampler *s, unsigned part, unsigned k)
{
	const struct column *c = &s->column[part].v[k];
	char words[32], *save;
	snprintf(words, sizeof words, "%s", c->stat);
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		const struct stat_entry *e;
		for (size_t i = 0; (e = entry_of(s->g->live, c->inst, &i));) {
			unsigned slots;
			int at = stat_find(e->t, w, &slots);
			if (at >= 0 && c->slot < slots)
				vec_push(&s->bound,
					 (struct bound){.value = e->values + at + c->slot,
							.before = e->values[(unsigned)at + c->slot],
							.part = part,
							.column = k,
							.sm = part == PART_MEMORY ? -1 : e->index});
		}
	}
}

/* Number of groups that could issue at present. */
static uint64_t count_ready(const struct sm *sm)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < sm->nsched; i++)
		for (unsigned s = GS_READY; s < GS_COUNT; s++)
			n += sm->issuer[i].count[s];
	return n;
}

void sampler_begin(struct sampler *s, cycle_t at)
{
	s->kernel.n = 0;
	s->origin = s->from = at;
	if (s->metered)
		meter_end(&s->meter);
	meter_begin(&s->meter, s->g, at, s->kept.most ? METER_COMPONENTS : METER_SMS);
	s->metered = true;
	s->bound.n = 0;
	for (unsigned p = 0; p < PARTS; p++)
		for (unsigned k = 0; k < s->column[p].n; k++)
			bind_column(s, p, k);
}

cycle_t sampler_from(const struct sampler *s) { return s->from; }

cycle_t sampler_next(const struct sampler *s) { return s->from + s->every; }

void sampler_launch(struct sampler *s, uint64_t number, const char *name)
{
	if (!s->kernel.n)
		s->launch = number;
	for (size_t i = 0; i < s->kernel.n; i++)
		if (!strcmp(s->kernel.v[i], name))
			return;
	vec_push(&s->kernel, name);
}

/* Adds the growth of each column's counters since the last row, per SM and for all SMs. */
static void read_counters(struct sampler *s)
{
	for (unsigned p = 0; p < PARTS; p++) {
		size_t n = s->column[p].n;
		memset(s->grown[p], 0, (s->g->nsm + 1) * n * sizeof(uint64_t));
		for (unsigned k = 0; k < n; k++)
			for (unsigned i = 0; i < s->g->nsm && s->column[p].v[k].how == AS_STATE;
			     i++)
				s->grown[p][s->g->nsm * n + k] += s->grown[p][i * n + k] =
					count_ready(s->g->sm[i]);
	}
	for (size_t i = 0; i < s->bound.n; i++) {
		struct bound *b = &s->bound.v[i];
		uint64_t *grown = s->grown[b->part], more = *b->value - b->before;
		size_t n = s->column[b->part].n;
		b->before = *b->value;
		grown[s->g->nsm * n + b->column] += more;
		if (b->sm >= 0)
			grown[(unsigned)b->sm * n + b->column] += more;
	}
}

/* ---- a row ---- */

static void text_field(const struct sampler *s, const char *name, const char *value)
{
	if (s->json)
		fprintf(s->f, ", \"%s\": \"%s\"", name, value);
	else
		fprintf(s->f, ",%s", value);
}

static void count_field(const struct sampler *s, const char *name, uint64_t value)
{
	if (s->json)
		fprintf(s->f, ", \"%s\": %" PRIu64, name, value);
	else
		fprintf(s->f, ",%" PRIu64, value);
}

static void real_field(const struct sampler *s, const char *name, double value)
{
	if (s->json)
		fprintf(s->f, ", \"%s\": %.6g", name, value);
	else
		fprintf(s->f, ",%.6g", value);
}

static void kernel_field(const struct sampler *s)
{
	fputs(s->json ? ", \"kernel\": \"" : ",", s->f);
	for (size_t i = 0; i < s->kernel.n; i++)
		fprintf(s->f, "%s%s", i ? "+" : "", s->kernel.v[i]);
	fputs(s->json ? "\"" : "", s->f);
}

static void row_begin(struct sampler *s, int sm, cycle_t to)
{
	if (s->json)
		fprintf(s->f, "%s\n{\"launch\": %" PRIu64, s->any ? "," : "", s->launch);
	else
		fprintf(s->f, "%" PRIu64, s->launch);
	s->any = true;
	kernel_field(s);
	count_field(s, "from", s->from - s->origin);
	count_field(s, "to", to - s->origin);
	if (sm < 0)
		text_field(s, "sm", "all");
	else
		count_field(s, "sm", (uint64_t)sm);
}

/* Writes power in full precision, so that rows times time give the launch's energy. An SM has only its own
 * components. */
static void power_fields(const struct sampler *s, int sm)
{
	char name[32];
	for (unsigned c = 0; c < COMP_COUNT; c++) {
		bool has = sm < 0 || power_components[c].home == HOME_SM;
		snprintf(name, sizeof name, "w_%s", power_components[c].name);
		if (has && s->json)
			fprintf(s->f, ", \"%s\": %.17g", name, meter_watts(&s->meter, c, sm));
		else if (has)
			fprintf(s->f, ",%.17g", meter_watts(&s->meter, c, sm));
		else if (!s->json)
			fputc(',', s->f);
	}
	if (s->json)
		fprintf(s->f, ", \"w_total\": %.17g", meter_total(&s->meter, sm));
	else
		fprintf(s->f, ",%.17g", meter_total(&s->meter, sm));
}

/* Writes the columns of a part, in the row of an SM or of all. */
static void part_fields(const struct sampler *s, enum column_part p, int sm, double cycles)
{
	const struct machine *m = s->g->m;
	const column_vec *v = &s->column[p];
	const uint64_t *d = s->grown[p] + (sm < 0 ? s->g->nsm : (unsigned)sm) * v->n;
	uint64_t burst = (uint64_t)m->dram_bus * m->dram_burst;
	for (unsigned k = 0; k < v->n; k++) {
		const struct column *c = &v->v[k];
		switch (c->how) {
		case AS_MEAN: real_field(s, c->name, (double)d[k] / cycles); break;
		case AS_BYTES: count_field(s, c->name, d[k] * burst); break;
		case AS_RATE:
			real_field(s, c->name,
				   (double)(d[k] * burst) * m->core_mhz * 1e-3 / cycles);
			break;
		default: count_field(s, c->name, d[k]); break;
		}
	}
}

static void write_row(struct sampler *s, int sm, cycle_t to)
{
	double cycles = (double)(to - s->from);
	row_begin(s, sm, to);
	part_fields(s, PART_SM, sm, cycles);
	if (sm < 0)
		part_fields(s, PART_MEMORY, sm, cycles);
	for (size_t i = 0; sm >= 0 && !s->json && i < s->column[PART_MEMORY].n; i++)
		fputc(',', s->f); /* no columns of the memory system in an SM's row */
	power_fields(s, sm);
	part_fields(s, PART_LANES, sm, cycles);
	fputs(s->json ? "}" : "\n", s->f);
}

/* ---- rows of the time series ---- */

static double seconds_of(const struct sampler *s, double cycles)
{
	return cycles / (s->g->m->core_mhz * 1e6);
}

/* Keeps a row of amounts: counts, cycles times a state, joules. */
static void keep_row(struct sampler *s, cycle_t to)
{
	double cycles = (double)(to - s->from);
	unsigned at = 0;
	for (unsigned p = 0; p < PARTS; p++) {
		const uint64_t *d = s->grown[p] + s->g->nsm * s->column[p].n;
		for (size_t k = 0; k < s->column[p].n; k++)
			s->row[at++] =
				(double)d[k] * (s->column[p].v[k].how == AS_STATE ? cycles : 1);
	}
	for (unsigned c = 0; c < COMP_COUNT; c++)
		s->row[at++] = meter_watts(&s->meter, c, -1) * seconds_of(s, cycles);
	if (series_add(&s->kept, to - s->from, s->row))
		s->every *= 2;
}

/* The amount as a row of a file shows it. */
static double shown_amount(const struct sampler *s, const struct column *c, double amount,
			   double cycles)
{
	double burst = (double)s->g->m->dram_bus * s->g->m->dram_burst;
	switch (c->how) {
	case AS_MEAN:
	case AS_STATE: return amount / cycles;
	case AS_BYTES: return amount * burst;
	case AS_RATE: return amount * burst * s->g->m->core_mhz * 1e-3 / cycles;
	default: return amount;
	}
}

static void print_kept_row(const struct sampler *s, unsigned i, FILE *f)
{
	double cycles = (double)(s->kept.end[i] - (i ? s->kept.end[i - 1] : 0));
	const double *v = s->kept.value + (size_t)i * s->kept.width;
	const char *before = i ? ",\n[" : "\n[";
	for (unsigned p = 0; p < PARTS; p++)
		for (size_t k = 0; k < s->column[p].n; k++, before = ",")
			fprintf(f, "%s%.6g", before,
				shown_amount(s, &s->column[p].v[k], *v++, cycles));
	for (unsigned c = 0; c < COMP_COUNT; c++)
		fprintf(f, ",%.6g", *v++ / seconds_of(s, cycles));
	fputc(']', f);
}

void sampler_print(const struct sampler *s, FILE *f)
{
	const char *before = "{\"columns\": [";
	for (unsigned p = 0; p < PARTS; p++)
		for (size_t k = 0; k < s->column[p].n; k++, before = ", ")
			fprintf(f, "%s\"%s\"", before, s->column[p].v[k].name);
	for (unsigned c = 0; c < COMP_COUNT; c++)
		fprintf(f, ", \"w_%s\"", power_components[c].name);
	fputs("], \"end\": [", f);
	for (unsigned i = 0; i < s->kept.n; i++)
		fprintf(f, "%s%" PRIu64, i ? "," : "", s->kept.end[i]);
	fputs("], \"rows\": [", f);
	for (unsigned i = 0; i < s->kept.n; i++)
		print_kept_row(s, i, f);
	fputs("]}", f);
}

void sampler_row(struct sampler *s, cycle_t to)
{
	if (to <= s->from)
		return;
	meter_read(&s->meter, to);
	read_counters(s);
	if (s->kept.most)
		keep_row(s, to);
	for (unsigned i = 0; s->f && i < s->g->nsm; i++)
		write_row(s, (int)i, to);
	if (s->f)
		write_row(s, -1, to);
	s->kernel.n = 0;
	s->from = to;
}
