/* Random machines: every option is drawn from its range, with a preference for the ends, so that
 * queues hold one entry, caches one line, networks one flit and clocks differ widely. A machine is
 * either refused with a message that names an option, or runs every kernel to its end with the
 * memory of functional mode, consistent figures (checked by the run itself, as is the loss of
 * requests), and equal figures on one host thread and on three.
 *
 * 	build/tests/test_random_machines FIRST COUNT     prints failures and continues
 * 	build/tests/test_random_machines show SEED       the settings and text of one seed */
#include <math.h>
#include "random_kernel.h"
#include "seeds.h"
#include "timing.h"

/* ---- the table of options, as the manual has it ---- */

enum { MOST_OPTIONS = 512 };

struct option {
	char key[40], range[160];
	bool number, real;
	double min, max;
};
static struct option option[MOST_OPTIONS];
static unsigned noption;
static char quirk[32][40]; /* names */
static unsigned nquirk;

static void read_option(const char *line)
{
	struct option *o = &option[noption];
	char def[40], unit[40];
	if (sscanf(line, "| `%39[^`]` | %39[^|] | %159[^|] | %39[^|]", o->key, def, o->range,
		   unit) < 3 ||
	    strchr(o->key, '*'))
		return;
	o->number = sscanf(o->range, "%lf .. %lf", &o->min, &o->max) == 2;
	o->real = strstr(o->key, "_mhz");
	noption++;
}

static void read_options(void)
{
	char *text;
	if (noption)
		return;
	assert_true(heddle_config_options(&text));
	bool quirks = false;
	for (char *save, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		quirks |= !strcmp(line, "## Quirks");
		if (!quirks)
			read_option(line);
		else if (sscanf(line, "| %39[a-z0-9-] |", quirk[nquirk]) == 1 &&
			 quirk[nquirk][0] != '-' && strcmp(quirk[nquirk], "quirk"))
			nquirk++;
	}
	free(text);
	assert_true(noption > 150 && nquirk > 15); /* the tables were understood */
}

/* ---- drawing ---- */

struct draw {
	uint64_t r;
	char *value[MOST_OPTIONS]; /* NULL: the default */
};

static unsigned up_to(struct draw *d, unsigned n)
{
	return (unsigned)(random_next(&d->r) >> 32) % n;
}

static unsigned index_of(const char *key)
{
	for (unsigned i = 0; i < noption; i++)
		if (!strcmp(option[i].key, key))
			return i;
	fail_msg("no option %s", key);
	return 0;
}

__attribute__((format(printf, 3, 4))) static void set(struct draw *d, const char *key,
						      const char *format, ...)
{
	va_list a;
	char **v = &d->value[index_of(key)];
	free(*v);
	va_start(a, format);
	if (vasprintf(v, format, a) < 0)
		abort();
	va_end(a);
}

static const char *text_of(const struct draw *d, const char *key)
{
	const char *v = d->value[index_of(key)];
	return v ? v : "";
}
static double number_of(const struct draw *d, const char *key, double otherwise)
{
	const char *v = d->value[index_of(key)];
	return v ? strtod(v, NULL) : otherwise;
}

/* A number between two bounds, with equal probability for each power of two of the range. */
static double between(struct draw *d, double min, double max)
{
	double u = (double)(random_next(&d->r) >> 11) / 9007199254740992.0;
	return exp(log(min + 1) + u * (log(max + 1) - log(min + 1))) - 1;
}

/* Limits options that allocate host memory, and most often latencies, to part of their range: the
 * longest latencies only make runs long. */
static double most_of(struct draw *d, const struct option *o)
{
	static const struct {
		const char *end;
		double most;
	} less[] = {{".sets", 256}, {".ways", 16}, {"gpu.sms", 64}, {".outstanding", 4096}};
	size_t n = strlen(o->key);
	for (unsigned i = 0; i < sizeof less / sizeof *less; i++) {
		size_t e = strlen(less[i].end);
		if (n >= e && !strcmp(o->key + n - e, less[i].end))
			return less[i].most;
	}
	bool latency = strstr(o->key, "latency") || strstr(o->key, "dram.t");
	return latency && o->max > 100 && up_to(d, 16) ? 100 : o->max;
}

static void draw_number(struct draw *d, const struct option *o)
{
	double most = most_of(d, o), x;
	switch (up_to(d, 5)) {
	case 0: x = o->min; break;
	case 1: x = most; break;
	case 2: x = o->min + up_to(d, 3) < most ? o->min + up_to(d, 3) : most; break;
	default: x = between(d, o->min, most); break;
	}
	if (o->real)
		set(d, o->key, "%.3f", 50 + fmin(x, 5000)); /* a hundredfold apart */
	else
		set(d, o->key, "%.0f", floor(x));
}

/* Each quirk, listed in the manual after the options, or none. */
static void draw_quirks(struct draw *d, const struct option *o)
{
	char all[1024] = "none";
	for (unsigned i = 0; i < nquirk; i++)
		if (!up_to(d, 2)) {
			strcat(all, ",");
			strcat(all, quirk[i]);
		}
	set(d, o->key, "%s", all);
}

static void draw_name(struct draw *d, const struct option *o)
{
	unsigned n = 1;
	char all[160], *save, *name;
	strcpy(all, o->range);
	for (const char *p = all; (p = strchr(p, ',')); p++)
		n++;
	n = up_to(d, n);
	for (name = strtok_r(all, ", ", &save); n--;)
		name = strtok_r(NULL, ", ", &save);
	set(d, o->key, "%s", name);
}

static void draw_option(struct draw *d, const struct option *o)
{
	if (o->number)
		draw_number(d, o);
	else if (!strcmp(o->key, "sm.quirks"))
		draw_quirks(d, o);
	else
		draw_name(d, o);
}

/* ---- options made consistent: otherwise nearly all machines would be refused ---- */

static const char *const caches[] = {"l1d", "l1i", "l1c", "l1t", "l2"};

static void fit_power(struct draw *d, const char *key)
{
	if (text_of(d, key)[0])
		set(d, key, "%u", 1u << (unsigned)log2(number_of(d, key, 1)));
}

static void fit_allocate(struct draw *d, const char *cache)
{
	char kind[16], allocate[16];
	snprintf(kind, sizeof kind, "%s.kind", cache);
	snprintf(allocate, sizeof allocate, "%s.allocate", cache);
	bool back =
		!strcmp(text_of(d, kind), "wb") || (!text_of(d, kind)[0] && !strcmp(cache, "l2"));
	if (!strcmp(text_of(d, allocate), back ? "on-fill" : "fetch-on-write"))
		set(d, allocate, "on-miss");
	if (back && !strcmp(text_of(d, allocate), "fetch-on-write") && strcmp(cache, "l2"))
		set(d, allocate, "no-write");
}

static void fit_caches(struct draw *d)
{
	double step;
	set(d, "l1d.miss_room", "%u",
	    0u); /* the required length of a queue depends on another option */
	fit_power(d, "mem.interleave");
	step = number_of(d, "mem.interleave", 256);
	for (unsigned i = 0; i < 5; i++) {
		char line[16], sector[16], hash[16], sets[16];
		snprintf(line, sizeof line, "%s.line", caches[i]);
		snprintf(sector, sizeof sector, "%s.sector", caches[i]);
		snprintf(hash, sizeof hash, "%s.hash", caches[i]);
		snprintf(sets, sizeof sets, "%s.sets", caches[i]);
		if (!strcmp(text_of(d, hash), "fermi"))
			set(d, sets, "%u", 32u << up_to(d, 2));
		fit_power(d, line);
		if (number_of(d, line, 128) > step)
			set(d, line, "%.0f", step);
		if (number_of(d, sector, 0) > 0)
			set(d, sector, "%.0f",
			    fmax(32, number_of(d, line, i == 2 ? 64 : 128) / (1 << up_to(d, 5))));
		if (i < 4 || strcmp(text_of(d, "l2.allocate"), "fetch-on-write"))
			fit_allocate(d, caches[i]);
	}
}

static void fit_memory(struct draw *d)
{
	static const char *const group[] = {"1", "2", "4"};
	fit_power(d, "shared.banks");
	fit_power(d, "dram.row_bytes");
	fit_power(d, "dram.bank_step");
	if (number_of(d, "dram.bank_mask", 0) > 0) {
		set(d, "dram.bank_mask", "%u", 0xf00u);
		set(d, "dram.banks", "16");
		set(d, "dram.row_bit", "%u", 12 + up_to(d, 20));
	}
	if (number_of(d, "dram.tREFI", 0) > 0)
		set(d, "dram.tREFI", "%.0f",
		    fmin(1e6,
			 number_of(d, "dram.tREFI", 0) + 12000 + number_of(d, "dram.tRFC", 0)));
	set(d, "dram.bank_groups", "%s", group[up_to(d, 3)]);
	if (text_of(d, "dram.banks")[0])
		set(d, "dram.banks", "%.0f", ceil(number_of(d, "dram.banks", 4) / 4) * 4);
	double round = 2 * number_of(d, "gpu.core_mhz", 700) / number_of(d, "gpu.icnt_mhz", 700);
	if (number_of(d, "icnt.latency", 8) * round < 1)
		set(d, "icnt.latency", "%.0f", fmin(1000, ceil(1 / round)));
	/* Makes the largest packet, data and header, fit. */
	double most = 128, flit = number_of(d, "icnt.flit_bytes", 32),
	       vcs = number_of(d, "icnt.vcs", 1);
	for (unsigned i = 0; i < 4; i++) {
		char line[16];
		snprintf(line, sizeof line, "%s.line", caches[i]);
		most = fmax(most, number_of(d, line, 128));
	}
	double header = number_of(d, "icnt.header_bytes", 8), need = ceil((most + header) / flit);
	if (!strcmp(text_of(d, "mem.sector_requests"), "yes")) /* a packet for each 32 bytes */
		need = fmax(need, most / 32 * ceil((32 + header) / flit));
	need = ceil(need / vcs);
	if (number_of(d, "icnt.buffer_flits", 32) < need && need <= 1024)
		set(d, "icnt.buffer_flits", "%.0f", need);
}

static void fit_warps(struct draw *d)
{
	static const unsigned size[] = {1, 2, 4, 8, 16, 32, 64, 24, 33};
	unsigned warp = size[up_to(d, 9)], width = 1 + up_to(d, warp);
	while (warp % width)
		width--;
	set(d, "gpu.warp_size", "%u", warp);
	set(d, "sm.simd_width", "%u", width);
	set(d, "sm.max_warps", "%u",
	    (RK_THREADS + 63 + warp) / warp < 128 ? (RK_THREADS + 63 + warp) / warp : 128);
	set(d, "sm.max_threads", "%u", 256 + up_to(d, 1024));
	set(d, "sm.max_block_threads", "%u", 256 + up_to(d, 768));
	set(d, "sm.registers", "%u", 65536 + up_to(d, 65536));
	set(d, "sm.shared_bytes", "%u", 4096 + up_to(d, 65536));
	set(d, "sm.registers_per_thread", "%u", up_to(d, 2) * up_to(d, 64));
	set(d, "gpu.memory_mb", "%u", 16 + up_to(d, 1024));
}

static void unset(struct draw *d, const char *key)
{
	char **v = &d->value[index_of(key)];
	free(*v);
	*v = NULL;
}

/* Makes numbers that are divided among the schedulers divisible by their number. */
static void fit_sub_cores(struct draw *d)
{
	static const struct {
		const char *key;
		double otherwise;
	} divided[] = {{"sm.sp_units", 2},  {"sm.sfu_units", 1},  {"sm.dp_units", 1},
		       {"sm.mma_units", 1}, {"sm.max_warps", 48}, {"sm.registers", 32768}};
	double n = number_of(d, "sm.schedulers", 2);
	for (unsigned i = 0; i < sizeof divided / sizeof *divided; i++) {
		double v = number_of(d, divided[i].key, divided[i].otherwise);
		set(d, divided[i].key, "%.0f", fmax(1, floor(v / n)) * n);
	}
	unset(d, "sm.scalar");
}

/* Only temporal lanes support a register limit per thread and have options of their own. */
static void fit_temporal(struct draw *d)
{
	const char *lanes = text_of(d, "sm.lanes");
	bool temporal = strstr(lanes, "tsimt") || !strcmp(lanes, "temporal");
	if (!temporal) {
		unset(d, "sm.register_grain");
		unset(d, "temporal.register");
	}
	if (!temporal || strstr(lanes, "free") || !strcmp(text_of(d, "temporal.bind"), "no") ||
	    !strcmp(text_of(d, "sm.register_grain"), "thread"))
		unset(d, "temporal.placement");
}

static void fit_mechanism(struct draw *d)
{
	bool pools = strstr(text_of(d, "sm.divergence"), "dwf");
	if (!strcmp(text_of(d, "sm.divergence"), "token"))
		set(d, "sm.divergence", "pdom"); /* for native code */
	const char *how = text_of(d, "sm.divergence");
	if (*how && strcmp(how, "pdom") && strcmp(how, "thread-frontiers"))
		set(d, "sm.pipeline", "locked");
	if (!pools && !strcmp(text_of(d, "sm.scheduler"), "pdom-priority"))
		set(d, "sm.scheduler", "majority");
	if (!strcmp(how, "mimd"))
		unset(d, "sm.lanes");
	if (!pools)
		unset(d, "dwf.on_conflict");
	bool hws = !strcmp(text_of(d, "sm.lanes"), "hws"),
	     locked = !strcmp(text_of(d, "sm.pipeline"), "locked");
	if (!pools || !hws || !strcmp(text_of(d, "hws.squeeze"), "no"))
		unset(d, "squeeze.when");
	if (strcmp(how, "en-dwf") || hws)
		unset(d, "en-dwf.lane_aware");
	if (!hws || !locked)
		unset(d, "scale.scope");
	unset(d, "scale.pipeline");
	unset(d, "scale.idle_holds"); /* belongs to that pipeline only */
	if (strcmp(text_of(d, "sm.scheduler"), "majority"))
		unset(d, "majority.order");
	const char *lanes = text_of(d, "sm.lanes");
	bool several = *lanes && !hws && strcmp(lanes, "simt"),
	     stack = !*how || !strcmp(how, "pdom");
	if (several && (locked || !stack))
		unset(d, "sm.lanes");
	if (!several || locked || !stack)
		unset(d, "sm.scalar");
	unset(d, "warp-dueling.with");
	unset(d, "warp-dueling.without");
	if (number_of(d, "gpu.sms", 15) < 2 && !strcmp(text_of(d, "gpu.dispatch"), "warp-dueling"))
		set(d, "gpu.sms", "2");
	if (!strcmp(how, "tbc") && strncmp(text_of(d, "gpu.dispatch"), "warp", 4) == 0)
		unset(d, "gpu.dispatch");
	fit_temporal(d);
	if (!strcmp(text_of(d, "sm.lanes"), "sub-cores"))
		fit_sub_cores(d);
}

static void draw_machine(struct draw *d, uint64_t seed)
{
	*d = (struct draw){.r = seed * 0x9e3779b97f4a7c15u + 77};
	unsigned share = 5 + up_to(d, 95);     /* percent of the options that are not the default */
	for (unsigned i = 0; i < noption; i++) /* energy changes no cycle: test_power.c */
		if (up_to(d, 100) < share && strncmp(option[i].key, "power.", 6))
			draw_option(d, &option[i]);
	if (!up_to(d, 10))
		return; /* as it came */
	fit_warps(d);
	fit_caches(d);
	fit_memory(d);
	fit_mechanism(d);
}

static void draw_free(struct draw *d)
{
	for (unsigned i = 0; i < noption; i++)
		free(d->value[i]);
}

/* ---- kernels ---- */

/* Every path to memory: vectors, strides, constants that differ between lanes, a texture, local
 * arrays, shared memory with conflicts, atomics on one word and on many. */
static const char traffic[] =
	".version 7.0\n.target sm_80\n.address_size 64\n"
	".const .align 4 .b32 table[64];\n.global .texref tex;\n"
	".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u32 n0, .param .u32 n1)\n{\n"
	".reg .b32 %r<24>; .reg .b64 %a<8>; .reg .pred %p; .reg .f64 %d<2>; .reg .f32 %f<2>;\n"
	".shared .align 16 .b8 room[4096]; .local .align 8 .b8 own[64];\n"
	"ld.param.u64 %a0, [pin]; ld.param.u64 %a1, [pout]; ld.param.u32 %r12, [n1];\n"
	"mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"
	"mad.lo.u32 %r3, %r1, %r2, %r0; mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
	"cvt.u64.u32 %a6, 0; mov.u64 %a6, own; mov.u64 %a7, table;\n"
	"L: mad.lo.u32 %r6, %r3, %r12, %r5; and.b32 %r6, %r6, 1023; shl.b32 %r7, %r6, 2; "
	"cvt.u64.u32 %a2, %r7;\n"
	"add.u64 %a2, %a2, %a0; ld.global.u32 %r8, [%a2]; add.u32 %r4, %r4, %r8;\n"
	"and.b32 %r7, %r6, 255; shl.b32 %r7, %r7, 4; cvt.u64.u32 %a2, %r7; add.u64 %a2, %a2, %a0;\n"
	"ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%a2]; xor.b32 %r4, %r4, %r8; add.u32 %r4, %r4, "
	"%r11;\n"
	"and.b32 %r7, %r6, 63; shl.b32 %r7, %r7, 2; cvt.u64.u32 %a2, %r7; add.u64 %a2, %a2, %a7;\n"
	"ld.const.u32 %r8, [%a2]; add.u32 %r4, %r4, %r8; ld.const.u32 %r8, [table+8]; add.u32 %r4, "
	"%r4, %r8;\n"
	"tex.1d.v4.u32.s32 {%r8, %r9, %r10, %r11}, [tex, {%r6}]; xor.b32 %r4, %r4, %r8;\n"
	"and.b32 %r7, %r5, 7; shl.b32 %r7, %r7, 3; cvt.u64.u32 %a2, %r7; add.u64 %a2, %a2, %a6;\n"
	"st.local.v2.u32 [%a2], {%r4, %r6}; ld.local.u32 %r8, [%a2+4]; add.u32 %r4, %r4, %r8;\n"
	"mul.lo.u32 %r7, %r0, 16; and.b32 %r7, %r7, 4095; mov.u32 %r8, room; add.u32 %r7, %r7, "
	"%r8;\n"
	"bar.sync 0; st.shared.v4.u32 [%r7], {%r6, %r6, %r6, %r6}; bar.sync 0; ld.shared.u32 %r9, "
	"[%r7+8];\n"
	"add.u32 %r4, %r4, %r9; bar.sync 0;\n"
	"cvt.rn.f64.u32 %d0, %r6; mul.f64 %d0, %d0, %d0; cvt.rzi.u32.f64 %r9, %d0; xor.b32 %r4, "
	"%r4, %r9;\n"
	"cvt.rn.f32.u32 %f0, %r6; sqrt.rn.f32 %f0, %f0; cvt.rzi.u32.f32 %r9, %f0; xor.b32 %r4, "
	"%r4, %r9;\n"
	"red.global.add.u32 [%a1], %r6; and.b32 %r7, %r6, 31; shl.b32 %r7, %r7, 2; cvt.u64.u32 "
	"%a2, %r7;\n"
	"add.u64 %a2, %a2, %a1; atom.global.max.u32 %r8, [%a2+64], %r6; red.shared.add.u32 [room], "
	"0; membar.gl;\n"
	"add.u32 %r5, %r5, 1; setp.lt.u32 %p, %r5, 5; @%p bra L;\n"
	"mul.wide.u32 %a2, %r3, 12; add.u64 %a2, %a2, %a1; st.global.u32 [%a2+256], %r4; "
	"st.global.u8 [%a2+260], %r4;\n"
	"st.global.u16 [%a2+266], %r4;\nret;\n}\n";

enum { IN_WORDS = 1024 };

struct work {
	struct random_kernel k; /* owns the text of the kernel */
	uint32_t stride;
};

static void make_work(struct work *w, uint64_t seed)
{
	uint64_t r = ~seed;
	uint64_t x = random_next(&r);
	w->k = (struct random_kernel){
		.barriers = x & 1, .exits = x & 2, .size = 4 + (unsigned)(x >> 8) % 20};
	random_kernel_make(&w->k, seed);
	w->stride = 1 + (uint32_t)(x >> 20) % 40;
	if (x & 4)
		return;
	free(w->k.text);
	w->k.text = strdup(traffic);
	w->k.block[0] = w->k.threads;
	w->k.block[1] = w->k.block[2] = 1;
	w->k.bytes = 256 + 12 * (size_t)w->k.threads * w->k.grid[0];
}

struct run {
	uint8_t *out;
	json_t *stats; /* NULL: refused, or too slow */
	char *message;
};

static void bind(struct heddle *h, struct heddle_module *m, uint64_t in)
{
	uint64_t table, size;
	uint32_t words[64];
	struct heddle_tex t = {
		.addr = in, .width = IN_WORDS, .channels = 1, .bits = 32, .linear_memory = true};
	if (heddle_symbol(h, m, "table", &table, &size))
		return;
	for (unsigned i = 0; i < 64; i++)
		words[i] = i * 2654435761u;
	assert_int_equal(heddle_write(h, table, words, sizeof words), HEDDLE_OK);
	assert_int_equal(heddle_tex_bind(h, m, "tex", &t), HEDDLE_OK);
}

static enum heddle_status launch(struct heddle *h, const struct work *w, struct run *r)
{
	struct heddle_module *m;
	uint32_t words[IN_WORDS];
	struct {
		uint64_t in, out;
		uint32_t n[2];
	} p = {.n = {w->k.grid[0], w->stride}};
	struct heddle_launch l = {.params = &p};
	if (heddle_load(h, &(struct heddle_text){"test.ptx", w->k.text, strlen(w->k.text)}, 1, &m))
		fail_msg("%s", heddle_message(h));
	for (unsigned i = 0; i < IN_WORDS; i++)
		words[i] = i * 0x01000193u;
	assert_int_equal(heddle_malloc(h, sizeof words, &p.in), HEDDLE_OK);
	assert_int_equal(heddle_malloc(h, w->k.bytes + 64, &p.out), HEDDLE_OK);
	assert_int_equal(heddle_write(h, p.in, words, sizeof words), HEDDLE_OK);
	bind(h, m, p.in);
	memcpy(l.grid, w->k.grid, sizeof l.grid);
	memcpy(l.block, w->k.block, sizeof l.block);
	l.kernel = heddle_kernel_find(m, "k");
	enum heddle_status s = heddle_launch(h, &l);
	if (!s)
		assert_int_equal(heddle_read(h, r->out, p.out, w->k.bytes), HEDDLE_OK);
	return s;
}

/* Machines on which a load takes a million cycles are left out: they take hours and test nothing
 * more. */
enum { MOST_CYCLES = 2000000 };

/* A refusal must name an option; any other failure is an error of the simulator. */
static void assert_refusal(enum heddle_status s, const char *message, uint64_t seed)
{
	if (s == HEDDLE_INVALID &&
	    (strstr(message, "a block of") || strstr(message, "a block needs")))
		return;
	if (s == HEDDLE_LIMIT && strstr(message, "(--max-cycles)"))
		return;
	if (s == HEDDLE_UNSUPPORTED || s == HEDDLE_INVALID || s == HEDDLE_BAD_INPUT)
		for (unsigned i = 0; i < noption; i++)
			if (strstr(message, option[i].key))
				return;
	fail_msg("seed %llu: status %d: %s", (unsigned long long)seed, s, message);
}

static struct run run_work(const struct work *w, const char *const *set, unsigned threads,
			   uint64_t seed)
{
	struct heddle *h;
	struct run r = {.out = calloc(1, w->k.bytes)};
	struct heddle_options o = {.set = set,
				   .timing = set != NULL,
				   .threads = threads,
				   .profile = true,
				   .max_instructions = 100000000,
				   .max_cycles = MOST_CYCLES};
	enum heddle_status s = heddle_open(&h, &o);
	if (!s)
		s = launch(h, w, &r);
	r.message = strdup(heddle_message(h));
	if (s) {
		assert_refusal(s, r.message, seed);
	} else {
		char *text = heddle_stats_json(h);
		json_t *all = json_loads(text, 0, NULL);
		r.stats = json_incref(json_array_get(json_object_get(all, "launches"), 0));
		assert_non_null(r.stats);
		json_object_del(r.stats, "wall_seconds");
		json_decref(all);
		free(text);
	}
	heddle_close(h);
	return r;
}

static void run_free(struct run *r)
{
	free(r->out);
	free(r->message);
	json_decref(r->stats);
}

/* ---- a seed ---- */

static unsigned refused;

/* Code with allocated registers that spills executes more instructions than functional mode, machine code that is
 * compiled from the PTX any number, other code equally many. */
static void compare(const struct run *a, const struct run *b, const struct run *f,
		    const struct work *w, bool may_spill, bool compiled, uint64_t seed)
{
	for (size_t i = 0; i < w->k.bytes; i++)
		if (a->out[i] != f->out[i])
			fail_msg("seed %llu: byte %zu of memory differs from functional mode",
				 (unsigned long long)seed, i);
	if (memcmp(a->out, b->out, w->k.bytes) || !json_equal(a->stats, b->stats))
		fail_msg("seed %llu: another run, on three host threads if it is brief, differs",
			 (unsigned long long)seed);
	json_int_t here = json_integer_value(json_object_get(a->stats, "thread_instructions")),
		   there = json_integer_value(json_object_get(f->stats, "thread_instructions"));
	if (!compiled && (may_spill ? here < there : here != there))
		fail_msg("seed %llu: thread instructions differ from functional mode",
			 (unsigned long long)seed);
}

static void run_seed(uint64_t seed)
{
	struct draw d;
	struct work w;
	const char *list[MOST_OPTIONS + 1] = {0};
	char *text[MOST_OPTIONS];
	unsigned n = 0;
	bool may_spill = false, compiled = false;
	read_options();
	draw_machine(&d, seed);
	make_work(&w, seed);
	for (unsigned i = 0; i < noption; i++) {
		may_spill |= d.value[i] && !strcmp(option[i].key, "sm.allocation") &&
			     !strcmp(d.value[i], "allocated");
		compiled |= d.value[i] && !strcmp(option[i].key, "sm.pipeline") &&
			    !strcmp(d.value[i], "volta");
	}
	for (unsigned i = 0; i < noption; i++)
		if (d.value[i] && asprintf(&text[n], "%s=%s", option[i].key, d.value[i]) > 0) {
			list[n] = text[n];
			n++;
		}
	struct run f = run_work(&w, NULL, 1, seed), a = run_work(&w, list, 1, seed);
	if (a.stats) {
		/* Host threads synchronise after each window, however short, so long runs take one
		 * thread only. */
		bool brief = json_integer_value(json_object_get(a.stats, "cycles")) < 100000;
		struct run b = run_work(&w, list, brief ? 3 : 1, seed);
		compare(&a, &b, &f, &w, may_spill, compiled, seed);
		run_free(&b);
	} else {
		refused++;
	}
	run_free(&a);
	run_free(&f);
	while (n--)
		free(text[n]);
	free(w.k.text);
	draw_free(&d);
}

/* ---- by hand ---- */

static int show(uint64_t seed)
{
	struct draw d;
	struct work w;
	read_options();
	draw_machine(&d, seed);
	make_work(&w, seed);
	for (unsigned i = 0; i < noption; i++)
		if (d.value[i])
			printf("// --set %s=%s\n", option[i].key, d.value[i]);
	printf("// %u blocks of %u x %u x %u, stride %u\n%s", w.k.grid[0], w.k.block[0],
	       w.k.block[1], w.k.block[2], w.stride, w.k.text);
	free(w.k.text);
	draw_free(&d);
	return 0;
}

/* ---- in every test run ---- */

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { RUNS = 4 };
#else
enum { RUNS = 22 };
#endif

static void refuse_or_run(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (; seed - refused <= RUNS; seed++) {
		run_seed(seed);
		assert_true(refused < 4 * RUNS); /* a part that is worth the test runs */
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(refuse_or_run)};
	const struct seeds seeds = {
		.run = run_seed, .show = show, .seconds = 60, .refused = &refused};
	int status;
	setenv("HEDDLE_CONF", "conf", 0);
	if (seeds_asked(&seeds, argc, argv, &status))
		return status;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
