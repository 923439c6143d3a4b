/* The special unit against an H200: single inputs from tests/data/mufu/rows.tsv.gz, and sums over
 * 2^23 consecutive inputs from tests/data/mufu/sums.tsv. bench/h200/mufu.cu generates both and
 * describes their format. With the argument `all`, every sum: all 2^32 inputs of every function, in
 * some minutes. */
#include <zlib.h>
#include "exec/alu/mufu.h"
#include "exec_harness.h"

static const struct function {
	const char *name;
	void (*run)(const uint32_t *a, uint32_t *d);
	uint16_t op;
} functions[] = {
	{"cos", mufu_cos, OP_COS},       {"sin", mufu_sin, OP_SIN},
	{"ex2", mufu_ex2, OP_EX2},       {"lg2", mufu_lg2, OP_LG2},
	{"rcp", mufu_rcp, OP_RCP},       {"rsq", mufu_rsq, OP_RSQRT},
	{"rcp64h", mufu_rcp64h, OP_RCP}, {"rsq64h", mufu_rsq64h, OP_RSQRT},
	{"sqrt", mufu_sqrt, OP_SQRT},    {"tanh", mufu_tanh, OP_TANH},
};
static bool all;

/* The function whose name is the first `n` characters of a line. */
static const struct function *find(const char *line, size_t n)
{
	for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
		if (strlen(functions[i].name) == n && !memcmp(functions[i].name, line, n))
			return &functions[i];
	fail_msg("no function: %s", line);
	return NULL;
}

/* The row computed by the instruction on halves. */
static void run_half(const struct function *f, unsigned type, const uint32_t *a, uint32_t *d)
{
	static _Alignas(ROW) uint32_t file[2][LANES];
	struct xop x;
	int32_t v[2] = {0, ROW};
	xop_make(&x, f->op, type, 1, 2, XT(type, type));
	x.in.mods = M_APPROX;
	struct uop u = {
		.in = &x.in, .v = v, .d = v[0], .a = v[1], .op = f->op, .type = (uint8_t)type};
	struct warp w = {.base = {(uint8_t *)file, NULL, NULL}, .mask = ~0u};
	assert_true(bind_sfu(&x.in, &u));
	memcpy(file[1], a, ROW);
	u.full(&w, &u);
	memcpy(d, file[0], ROW);
}

static void single_inputs(void **state)
{
	(void)state;
	gzFile f = gzopen("tests/data/mufu/rows.tsv.gz", "rb");
	unsigned lines = 0;
	char line[512];
	assert_non_null(f);
	for (; gzgets(f, line, sizeof line); lines++) {
		size_t n = strcspn(line, "\t."), m = strcspn(line, "\t");
		const struct function *fn = find(line, n);
		unsigned type = n == m ? 0 : line[n + 1] == 'b' ? T_BF16 : T_F16;
		char *p = line + m;
		uint32_t first = (uint32_t)strtoul(p, &p, 16), step = (uint32_t)strtoul(p, &p, 16);
		uint32_t a[LANES], d[LANES], same[LANES];
		for (uint32_t i = 0; i < LANES; i++)
			same[i] = a[i] = first + i * step;
		if (type) {
			run_half(fn, type, a, d);
		} else {
			fn->run(a, d);
			fn->run(same, same);
			assert_memory_equal(d, same, sizeof d);
		}
		for (int i = 0; i < LANES; i++) {
			uint32_t want = (uint32_t)strtoul(p, &p, 16);
			if (d[i] != want)
				fail_msg("%.*s of %08x: %08x, the chip gives %08x", (int)m, line,
					 a[i], d[i], want);
		}
	}
	gzclose(f);
	assert_int_equal(lines, 10 * 128 + 16 * 32);
}

static uint32_t sum(const struct function *f, uint32_t first)
{
	uint32_t sums[LANES] = {0}, r = 0;
	for (uint32_t i = 0; i < 1u << 23; i += LANES) {
		uint32_t a[LANES], d[LANES];
		for (uint32_t k = 0; k < LANES; k++)
			a[k] = first + i + k;
		f->run(a, d);
		for (int k = 0; k < LANES; k++) {
			uint32_t t = d[k] + a[k] * 0x9e3779b1u;
			t = (t ^ t >> 15) * 0x85ebca6bu;
			sums[k] += t ^ t >> 13;
		}
	}
	for (int k = 0; k < LANES; k++)
		r += sums[k];
	return r;
}

/* Selects inputs around one, where every row of a table is used: exponents -1 and 0 for floats, -8
 * to 7 for doubles. */
static bool is_chosen(const struct function *f, uint32_t first)
{
	bool wide = strlen(f->name) == 6;
	return all || (wide ? first == 0x3f800000 || first == 0x40000000
			    : first == 0x3f000000 || first == 0x3f800000);
}

static void sums(void **state)
{
	(void)state;
	FILE *f = fopen("tests/data/mufu/sums.tsv", "r");
	unsigned checked = 0;
	char line[256];
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		char *p = line + strcspn(line, "\t");
		const struct function *fn = find(line, (size_t)(p - line));
		uint32_t first = (uint32_t)strtoul(p, &p, 16);
		for (uint32_t i = 0; i < 8; i++, first += 1 << 23) {
			uint32_t want = (uint32_t)strtoul(p, &p, 16);
			if (!is_chosen(fn, first))
				continue;
			checked++;
			if (sum(fn, first) != want)
				fail_msg("%s: wrong for some of the 2^23 inputs from %08x",
					 fn->name, first);
		}
	}
	fclose(f);
	assert_int_equal(checked, all ? 5120 : 20);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_inputs),
		cmocka_unit_test(sums),
	};
	all = argc > 1 && !strcmp(argv[1], "all");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
