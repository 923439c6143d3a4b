/* A cubin laid out as nvcc lays them out, built section by section: ELF32 and ELF64, sections
 * unaligned in the file and in an odd order, attributes, constant banks 0, 2, 14 and 16, shared and
 * local memory, variables and relocations of code and data. It loads and computes; cut off or
 * damaged it is refused, never worse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "front/native/module.h"
#include "heddle.h"

enum { PROGBITS = 1, SYMTAB = 2, STRTAB = 3, NOBITS = 8, REL = 9 };

struct buf {
	uint8_t b[8192];
	size_t n;
};
static void put(struct buf *o, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		o->b[o->n++] = (uint8_t)(v >> 8 * i);
}
static uint32_t put_string(struct buf *o, const char *s)
{
	uint32_t at = (uint32_t)o->n;
	memcpy(o->b + o->n, s, strlen(s) + 1);
	o->n += strlen(s) + 1;
	return at;
}

struct sec {
	const char *name;
	uint32_t type, info, link;
	uint64_t flags, size;
	struct buf d;
};
enum {
	S_NULL,
	S_SHSTR,
	S_STR,
	S_SYM,
	S_INFO,
	S_KINFO,
	S_RELTEXT,
	S_TEXT,
	S_C0,
	S_C2,
	S_C14,
	S_RELC14,
	S_C16,
	S_GLOBAL,
	S_INIT,
	S_SHARED,
	S_LOCAL,
	S_COUNT
};
enum { Y_NULL, Y_KERNEL, Y_COUNTER, Y_TABLE, Y_ZEROES };

static struct sec sec[S_COUNT];

static void set(unsigned i, const char *name, uint32_t type, uint64_t flags, uint32_t info,
                uint64_t size)
{
	sec[i] = (struct sec){
	        .name = name, .type = type, .flags = flags, .info = info, .size = size};
}

static void symbol(bool wide, const char *name, unsigned info, unsigned other, unsigned shndx,
                   uint64_t value, uint64_t size)
{
	struct buf *o = &sec[S_SYM].d;
	put(o, put_string(&sec[S_STR].d, name), 4);
	if (!wide) {
		put(o, value, 4);
		put(o, size, 4);
	}
	put(o, info, 1);
	put(o, other, 1);
	put(o, shndx, 2);
	if (wide) {
		put(o, value, 8);
		put(o, size, 8);
	}
}

static void reloc(bool wide, unsigned where, uint64_t offset, uint64_t sym, unsigned type)
{
	put(&sec[where].d, offset, wide ? 8 : 4);
	put(&sec[where].d, wide ? sym << 32 | type : sym << 8 | type, wide ? 8 : 4);
}

static void code(const char *const *line, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct ninst in;
		char err[200];
		if (!native_assemble(NATIVE_FERMI, line[i], strlen(line[i]), 8 * i, NULL,
		                     NSTYLE_CUDA4, &in, err, sizeof err))
			fail_msg("%s: %s", line[i], err);
		put(&sec[S_TEXT].d, in.word, 8);
	}
}

static void contents(bool wide)
{
	static const char *const text[] = {
	        "MOV R1, c [0x1] [0x100]",
	        "S2R R0, SR_Tid_X",
	        "MOV32I R2, 0x4",        /* 0x10: low word of counter + 4 */
	        "MOV32I R3, 0x0",        /* 0x18: high word */
	        "MOV R4, c [0x0] [0x0]", /* 0x20: becomes c[0x2][0x8], table */
	        "MOV R5, c [0x10] [0x4]",
	        "MOV R6, c [0xe] [0x4]",
	        "IADD R4, R4, R5",
	        "STL [R1+-0x4], R4",
	        "LDL R8, [R1+-0x4]",
	        "SHL R9, R0, 0x2",
	        "STS [R9], R8",
	        "LDS R8, [R9]",
	        "ISCADD R7, R0, c [0x0] [0x20], 0x2",
	        "ST [R7], R8",
	        "ST.E [R2], R6",
	        "EXIT",
	};
	unsigned ptr = wide ? 8 : 4;
	set(S_SHSTR, ".shstrtab", STRTAB, 0, 0, 0);
	set(S_STR, ".strtab", STRTAB, 0, 0, 0);
	set(S_SYM, ".symtab", SYMTAB, 0, 1, 0);
	set(S_INFO, ".nv.info", PROGBITS, 0, 0, 0);
	set(S_KINFO, ".nv.info.fixture", PROGBITS, 0, S_TEXT, 0);
	set(S_RELTEXT, ".rel.text.fixture", REL, 0, S_TEXT, 0);
	set(S_TEXT, ".text.fixture", PROGBITS, 0x100006, 10u << 24 | Y_KERNEL, 0);
	set(S_C0, ".nv.constant0.fixture", PROGBITS, 2, S_TEXT, 0);
	set(S_C2, ".nv.constant2", PROGBITS, 2, 0, 0);
	set(S_C14, ".nv.constant14", PROGBITS, 2, 0, 0);
	set(S_RELC14, ".rel.nv.constant14", REL, 0, S_C14, 0);
	set(S_C16, ".nv.constant16.fixture", PROGBITS, 2, S_TEXT, 0);
	set(S_GLOBAL, ".nv.global", NOBITS, 3, 0, 64);
	set(S_INIT, ".nv.global.init", PROGBITS, 3, 0, 0);
	set(S_SHARED, ".nv.shared.fixture", NOBITS, 3, S_TEXT, 128);
	set(S_LOCAL, ".nv.local.fixture", NOBITS, 3, S_TEXT, 16);
	put(&sec[S_STR].d, 0, 1);
	symbol(wide, "", 0, 0, 0, 0, 0);
	symbol(wide, "fixture", 0x12, 0x10, S_TEXT, 0, sizeof text / sizeof *text * 8);
	symbol(wide, "counter", 0x11, 0, S_INIT, 16, 8);
	symbol(wide, "table", 0x11, 0, S_C2, 8, 4);
	symbol(wide, "zeroes", 0x11, 0, S_GLOBAL, 32, 32);
	code(text, sizeof text / sizeof *text);
	reloc(wide, S_RELTEXT, 0x10, Y_COUNTER, 10);      /* R_CUDA_ABS32_LO_26 */
	reloc(wide, S_RELTEXT, 0x18, Y_COUNTER, 11);      /* R_CUDA_ABS32_HI_26 */
	reloc(wide, S_RELTEXT, 0x20, Y_TABLE, 24);        /* R_CUDA_CONST_FIELD19_28 */
	reloc(wide, S_RELC14, 4, Y_ZEROES, wide ? 3 : 1); /* R_CUDA_G32, R_CUDA_32 */
	put(&sec[S_C0].d, 0, 8), sec[S_C0].d.n = 0x20 + ptr;
	put(&sec[S_C2].d, 0x7777777711111111, 8), put(&sec[S_C2].d, 0x1234, 8);
	put(&sec[S_C14].d, 0, 8);
	put(&sec[S_C16].d, 0x11100000000, 8);
	put(&sec[S_INIT].d, 0, 8), put(&sec[S_INIT].d, 0, 8),
	        put(&sec[S_INIT].d, 0x0000004d0000002a, 8);
	/* MIN_STACK_SIZE {kernel, 8}; PARAM_CBANK, CBANK_PARAM_OFFSETS, CBANK_PARAM_SIZE,
	 * KPARAM_INFO, and a flag */
	put(&sec[S_INFO].d, 0x00081204, 4), put(&sec[S_INFO].d, Y_KERNEL, 4),
	        put(&sec[S_INFO].d, 8, 4);
	struct buf *k = &sec[S_KINFO].d;
	put(k, 0x00080a04, 4), put(k, 0, 4), put(k, 0x20, 2), put(k, ptr, 2);
	put(k, 0x00040c04, 4), put(k, 0, 4);
	put(k, 0x1903 | ptr << 16, 4);
	put(k, 0x000c1704, 4), put(k, 0xffffffff, 4), put(k, 0, 2), put(k, 0, 2),
	        put(k, ptr << 18 | 0x1f000, 4);
	put(k, 0x0401, 4);
}

static size_t build(uint8_t *out, bool wide)
{
	struct buf o = {{0}, 0};
	unsigned a = wide ? 8 : 4;
	uint32_t name[S_COUNT];
	uint64_t off[S_COUNT];
	memset(sec, 0, sizeof sec);
	contents(wide);
	put(&sec[S_SHSTR].d, 0, 1);
	for (unsigned i = 1; i < S_COUNT; i++)
		name[i] = put_string(&sec[S_SHSTR].d, sec[i].name);
	put(&o, 0x464c457f, 4);
	put(&o, wide ? 2 : 1, 1), put(&o, 1, 1), put(&o, 1, 1), put(&o, 0x33, 1), put(&o, 4, 8);
	put(&o, 2, 2), put(&o, 190, 2), put(&o, 1, 4), put(&o, 0, a), put(&o, 0, a);
	size_t shoff = o.n;
	put(&o, 0, a), put(&o, wide ? 0x00140514 : 0x00140114, 4);
	put(&o, wide ? 64 : 52, 2), put(&o, wide ? 56 : 32, 2), put(&o, 0, 2),
	        put(&o, wide ? 64 : 40, 2), put(&o, S_COUNT, 2), put(&o, S_SHSTR, 2);
	for (unsigned i = S_COUNT; i-- > 1;) { /* last first, unaligned */
		o.n += sec[i].type == NOBITS ? 0 : 3;
		off[i] = o.n;
		memcpy(o.b + o.n, sec[i].d.b, sec[i].d.n);
		o.n += sec[i].d.n;
	}
	o.n = (o.n + 7) & ~(size_t)7;
	size_t table = o.n;
	for (unsigned i = 0; i < S_COUNT; i++) {
		bool none = i == S_NULL;
		uint64_t size = sec[i].type == NOBITS ? sec[i].size : sec[i].d.n;
		put(&o, none ? 0 : name[i], 4), put(&o, sec[i].type, 4), put(&o, sec[i].flags, a),
		        put(&o, 0, a);
		put(&o, none ? 0 : off[i], a), put(&o, size, a),
		        put(&o,
		            i == S_SYM           ? S_STR
		            : sec[i].type == REL ? S_SYM
		                                 : 0,
		            4);
		put(&o, sec[i].info, 4), put(&o, none ? 0 : 1, a),
		        put(&o,
		            i == S_SYM           ? (wide ? 24 : 16)
		            : sec[i].type == REL ? 2 * a
		                                 : 0,
		            a);
	}
	size_t n = o.n;
	o.n = shoff;
	put(&o, table, a);
	memcpy(out, o.b, n);
	return n;
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

/* What is cut off anywhere, or has one byte changed, is loaded or refused with a message. */
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
			copy = malloc(len + 1); /* exactly as long, for the sanitizer */
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

/* Each of these has one message that names what is wrong. */
static void messages(void **state)
{
	(void)state;
	static const struct {
		unsigned sec;
		size_t at;
		uint8_t byte;
		const char *says;
	} rows[] = {
	        {S_RELTEXT, 0, 0xff, "outside"},
	        {S_RELTEXT, 12, 0x7f, "no symbol"},
	        {S_RELC14, 8, 0x63, "type"},
	        {S_TEXT, 8, 0, "unknown instruction 0x4000000000000000 at 0x0008"},
	        {S_KINFO, 0, 9, "attribute"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint8_t file[8192];
		size_t n = build(file, true);
		struct sec *s = &sec[rows[i].sec];
		uint8_t *p = NULL;
		for (size_t k = 0; k + s->d.n <= n && !p; k++)
			if (!memcmp(file + k, s->d.b, s->d.n))
				p = file + k;
		assert_non_null(p);
		p[rows[i].at] = rows[i].byte;
		if (rows[i].sec == S_TEXT) /* opcode 8 of category 0: there is none */
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(loads_and_runs),
	                                   cmocka_unit_test(damage), cmocka_unit_test(messages)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
