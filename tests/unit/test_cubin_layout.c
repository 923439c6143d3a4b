/* A cubin with nvcc's layout, built section by section: ELF32 and ELF64, sections unaligned in the
 * file and in an odd order, attributes, constant banks 0, 2, 14 and 16, shared and local memory,
 * variables and relocations of code and data. It loads and computes; cut off or damaged it is
 * refused, never worse. */
#include <elf.h>
#include "cubin_maker.h"
#include "front/native/module.h"
#include "heddle.h"

static struct maker mk;
static unsigned s_text, s_reltext, s_relc14, s_kinfo;

static unsigned section(const char *name, uint32_t type, uint64_t flags, uint32_t info)
{
	return mk_section(&mk, name, type, flags, info);
}

static void put(unsigned s, uint64_t v, unsigned n) { mk_put(&mk.sec[s].d, v, n); }

static void space(const char *name, uint32_t info, uint64_t size)
{
	mk.sec[section(name, MK_NOBITS, 3, info)].size = size;
}

/* Constant banks, variables and memory. Returns the kernel's symbol. */
static unsigned data(unsigned ptr)
{
	unsigned c0 = section(".nv.constant0.fixture", MK_PROGBITS, 2, s_text),
		 c2 = section(".nv.constant2", MK_PROGBITS, 2, 0),
		 c14 = section(".nv.constant14", MK_PROGBITS, 2, 0),
		 c16 = section(".nv.constant16.fixture", MK_PROGBITS, 2, s_text),
		 init = section(".nv.global.init", MK_PROGBITS, 3, 0), global = mk.n;
	space(".nv.global", 0, 64);
	space(".nv.shared.fixture", s_text, 128);
	space(".nv.local.fixture", s_text, 16);
	s_reltext = section(".rel.text.fixture", MK_REL, 0, s_text);
	s_relc14 = section(".rel.nv.constant14", MK_REL, 0, c14);
	mk.sec[c0].d.n = 0x20 + ptr;
	put(c2, 0x7777777711111111, 8), put(c2, 0x1234, 8);
	put(c14, 0, 8);
	put(c16, 0x11100000000, 8);
	put(init, 0, 8), put(init, 0, 8), put(init, 0x0000004d0000002a, 8);
	unsigned kernel = mk_symbol(&mk, "fixture", MK_FUNC, MK_ENTRY, s_text, 0,
				    mk.sec[s_text].d.n),
		 counter = mk_symbol(&mk, "counter", MK_OBJECT, 0, init, 16, 8),
		 table = mk_symbol(&mk, "table", MK_OBJECT, 0, c2, 8, 4),
		 zeroes = mk_symbol(&mk, "zeroes", MK_OBJECT, 0, global, 32, 32);
	mk_reloc(&mk, s_reltext, 0x10, counter, 10);         /* R_CUDA_ABS32_LO_26 */
	mk_reloc(&mk, s_reltext, 0x18, counter, 11);         /* R_CUDA_ABS32_HI_26 */
	mk_reloc(&mk, s_reltext, 0x20, table, 24);           /* R_CUDA_CONST_FIELD19_28 */
	mk_reloc(&mk, s_relc14, 4, zeroes, mk.wide ? 3 : 1); /* R_CUDA_G32, R_CUDA_32 */
	return kernel;
}

/* MIN_STACK_SIZE {kernel, 8}; PARAM_CBANK, CBANK_PARAM_OFFSETS, CBANK_PARAM_SIZE, KPARAM_INFO, and
 * a flag. */
static void attributes(unsigned kernel, unsigned ptr)
{
	unsigned info = section(".nv.info", MK_PROGBITS, 0, 0), k;
	put(info, 0x00081204, 4), put(info, kernel, 4), put(info, 8, 4);
	k = s_kinfo = section(".nv.info.fixture", MK_PROGBITS, 0, s_text);
	put(k, 0x00080a04, 4), put(k, 0, 4), put(k, 0x20, 2), put(k, ptr, 2);
	put(k, 0x00040c04, 4), put(k, 0, 4);
	put(k, 0x1903 | ptr << 16, 4);
	put(k, 0x000c1704, 4), put(k, 0xffffffff, 4), put(k, 0, 2), put(k, 0, 2);
	put(k, ptr << 18 | 0x1f000, 4);
	put(k, 0x0401, 4);
}

static size_t build(uint8_t *out, bool wide)
{
	static const char text[] =
		"MOV R1, c [0x1] [0x100];S2R R0, SR_Tid_X;"
		"MOV32I R2, 0x4;"        /* 0x10: low word of counter + 4 */
		"MOV32I R3, 0x0;"        /* 0x18: high word */
		"MOV R4, c [0x0] [0x0];" /* 0x20: becomes c[0x2][0x8], table */
		"MOV R5, c [0x10] [0x4];MOV R6, c [0xe] [0x4];IADD R4, R4, R5;STL [R1+-0x4], R4;"
		"LDL R8, [R1+-0x4];SHL R9, R0, 0x2;STS [R9], R8;LDS R8, [R9];"
		"ISCADD R7, R0, c [0x0] [0x20], 0x2;ST [R7], R8;ST.E [R2], R6;EXIT";
	unsigned ptr = wide ? 8 : 4;
	mk_start(&mk, NATIVE_FERMI, wide, wide ? 0x00140514 : 0x00140114);
	mk.seed = 3; /* shuffled and unaligned sections */
	s_text = mk_code(&mk, "fixture", 10, text);
	unsigned kernel = data(ptr);
	mk.sec[s_text].info |= kernel;
	attributes(kernel, ptr);
	return mk_build(&mk, out, 8192);
}

static void must(struct heddle *h, enum heddle_status st)
{
	if (st)
		fail_msg("%s", heddle_message(h));
}

static void loads_and_runs(void **state)
{
	(void)state;
	for (int wide = 0; wide < 2; wide++) {
		uint8_t file[8192];
		struct heddle_options opt = {0};
		struct heddle *h;
		struct heddle_module *m;
		struct heddle_kernel_info info;
		struct heddle_text t = {"fixture.cubin", file, build(file, wide)};
		assert_int_equal(heddle_open(&h, &opt), HEDDLE_OK);
		must(h, heddle_load(h, &t, 1, &m));
		struct heddle_launch l = {.kernel = heddle_kernel_find(m, "fixture"),
					  .grid = {1, 1, 1},
					  .block = {32, 1, 1}};
		assert_non_null(l.kernel);
		heddle_kernel_info(l.kernel, &info);
		assert_int_equal(info.registers, 10);
		assert_int_equal(info.nparam, 1);
		assert_int_equal(info.shared_bytes, 128);
		assert_true(info.local_bytes >= 24);
		uint64_t out, counter, zeroes, size, params[2] = {0};
		uint32_t got[32], c[2];
		must(h, heddle_malloc(h, sizeof got, &out));
		params[0] = out;
		l.params = params;
		must(h, heddle_symbol(h, m, "counter", &counter, &size));
		assert_int_equal(size, 8);
		must(h, heddle_symbol(h, m, "zeroes", &zeroes, &size));
		must(h, heddle_read(h, c, counter, 8));
		assert_int_equal(c[0], 0x2a);
		assert_int_equal(c[1], 0x4d);
		must(h, heddle_launch(h, &l));
		must(h, heddle_read(h, got, out, sizeof got));
		for (int i = 0; i < 32; i++)
			assert_int_equal(got[i], 0x1234 + 0x111);
		must(h, heddle_read(h, c, counter, 8));
		assert_int_equal(c[0], 0x2a);
		assert_int_equal(c[1], (uint32_t)zeroes);
		heddle_close(h);
	}
}

/* A file that is truncated anywhere, or has one byte changed, is loaded or refused with a
 * message. */
static void damage(void **state)
{
	(void)state;
	unsigned refused = 0, tried = 0;
	for (int wide = 0; wide < 2; wide++) {
		uint8_t whole[8192], *copy;
		size_t n = build(whole, wide);
		for (size_t i = 0; i < 2 * n; i += i < n ? 7 : 1, tried++) {
			struct nmodule m = {0};
			struct diag d = {0};
			size_t len = i < n ? i : n;
			copy = malloc(len + 1); /* of the exact size, for the sanitizer */
			memcpy(copy, whole, len);
			if (i >= n)
				copy[i - n] ^= (uint8_t)(1u << i % 8 | 0x80);
			if (native_read_elf(&m, "damaged", copy, len, &d)) {
				native_module_free(&m);
			} else {
				refused++;
				assert_true(d.n >= 1);
				native_module_free(&m);
			}
			diag_free(&d);
			free(copy);
		}
	}
	assert_true(refused > tried / 4);
}

/* Each of these files is refused with one message that names the error. */
static void messages(void **state)
{
	(void)state;
	static const struct {
		const unsigned *sec;
		size_t at;
		uint8_t byte;
		const char *says;
	} rows[] = {
		{&s_reltext, 0, 0xff, "outside"},
		{&s_reltext, 12, 0x7f, "no symbol"},
		{&s_relc14, 8, 0x63, "type"},
		{&s_text, 8, 0, "unknown instruction 0x4000000000000000 at 0x0008"},
		{&s_kinfo, 0, 9, "attribute"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint8_t file[8192];
		size_t n = build(file, true);
		const struct mk_sec *s = &mk.sec[*rows[i].sec];
		uint8_t *p = NULL;
		for (size_t k = 0; k + s->d.n <= n && !p; k++)
			if (!memcmp(file + k, s->d.b, s->d.n))
				p = file + k;
		assert_non_null(p);
		p[rows[i].at] = rows[i].byte;
		if (rows[i].sec == &s_text) /* opcode 8 of category 0 does not exist */
			memcpy(p + 8, (uint8_t[]){0, 0, 0, 0, 0, 0, 0, 0x40}, 8);
		struct nmodule m = {0};
		struct diag d = {0};
		assert_false(native_read_elf(&m, "bad.cubin", file, n, &d));
		if (d.n != 1)
			fail_msg("%zu messages: %s; %s", (size_t)d.n, d.msg[0].text, d.msg[1].text);
		if (!strstr(d.msg[0].text, rows[i].says))
			fail_msg("'%s' is not in '%s'", rows[i].says, d.msg[0].text);
		native_module_free(&m);
		diag_free(&d);
	}
}

/* Toolkits write program headers last: a file that ends within them is truncated. */
static void segments(void **state)
{
	(void)state;
	uint8_t file[8192 + 56] = {0};
	size_t n = build(file, true);
	Elf64_Ehdr h;
	memcpy(&h, file, sizeof h);
	h.e_phoff = n;
	h.e_phnum = 1;
	h.e_phentsize = 56;
	memcpy(file, &h, sizeof h);
	for (size_t cut = 0; cut < 2; cut++) {
		struct nmodule m = {0};
		struct diag d = {0};
		assert_int_equal(native_read_elf(&m, "cut.cubin", file, n + 56 - cut, &d), !cut);
		assert_int_equal(d.n, cut);
		if (cut)
			assert_non_null(strstr(d.msg[0].text, "its segments"));
		native_module_free(&m);
		diag_free(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(loads_and_runs),
					   cmocka_unit_test(damage), cmocka_unit_test(messages),
					   cmocka_unit_test(segments)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
