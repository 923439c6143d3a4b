/* Cubins in the forms of ten years of toolkits: functions in sections of their own, called
 * directly, by relative branches and by pointers in code and data; calls of the driver's functions;
 * several kernels; every header, order and alignment. Each file is loaded and run as it is, as its
 * listing in every style, and as the cubin assembled from that listing. */
#include <elf.h>
#include "cubin_maker.h"
#include "front/native/module.h"
#include "native_rig.h"

static uint8_t file[1 << 17];

/* How a generated file is loaded. */
static enum { AS_MADE, AS_TEXT, AS_CUBIN_OF_TEXT } form;
static enum heddle_sass style;

/* The current file, converted as `form` says; the caller frees it. */
static char *formed(size_t *n)
{
	char *message = NULL;
	if (form == AS_MADE) {
		char *copy = malloc(*n);
		memcpy(copy, file, *n);
		return copy;
	}
	char *text =
		heddle_native_list(&(struct heddle_text){"made.cubin", file, *n}, style, &message);
	if (!text)
		fail_msg("%s", message);
	*n = strlen(text);
	if (form == AS_TEXT)
		return text;
	char *cubin =
		heddle_native_assemble(&(struct heddle_text){"made.sass", text, *n}, n, &message);
	if (!cubin)
		fail_msg("%s in:\n%s", message, text);
	free(text);
	return cubin;
}

static struct rig made(enum how how, struct maker *m)
{
	struct rig r;
	size_t n = mk_build(m, file, sizeof file);
	char *f = formed(&n);
	if (rig_load(&r, how, "made.cubin", f, n))
		fail_msg("form %d, style %d: %s", form, style, heddle_message(r.h));
	free(f);
	return r;
}

/* ---- functions ---- */

enum { LO = 10, HI = 11, ABS32 = 5, PCREL = 40, DESC_32 = 34, DESC_64 = 35, R32 = 1 };

/* out[t] = triple(t + 1) + 7 through a chain of three functions: triple is called by address, adds
 * by a relative call to seven; odd threads call by a pointer from a table in constant memory,
 * threads 2, 6, ... by one in code. */
static void function_file(struct maker *m, bool wide, unsigned desc)
{
	static const uint16_t params[1][2] = {{0, 4}};
	mk_start(m, NATIVE_FERMI, wide, wide ? 0x00140514 : 0x00140114);
	unsigned k = mk_code(
		m, "k", 12,
		"MOV R1, c [0x1] [0x100];S2R R0, SR_Tid_X;IADD R4, R0, 0x1;LOP.AND R2, R0, 0x3;"
		"ISETP.EQ.AND P0, pt, R2, 0x2, pt;MOV R3, c [0x2] [0x8];MOV32I R5, 0x0;@P0 MOV R3, "
		"R5;" /* 0x30: MOV32I */
		"ISETP.EQ.AND P1, pt, R2, 0x0, pt;SSY 0x88;@P1 BRA 0x80;PRET 0x78;JMX R3, "
		"0x0;NOP;NOP;NOP.S;" /* 0x58 PRET, 0x78 NOP.S */
		"JCAL.NOINC 0x0;"    /* 0x80 */
		"ISCADD R6, R0, c [0x0] [0x20], 0x2;ST [R6], R4;EXIT");
	(void)k;
	unsigned t = mk_code(m, "triple", 12, "IMUL R4, R4, 0x3;CAL.NOINC 0x8;RET");
	unsigned s = mk_code(m, "seven", 12, "NOP;IADD R4, R4, 0x7;RET");
	unsigned rk = mk_section(m, ".rel.text.k", MK_REL, 0, k),
		 rt = mk_section(m, ".rel.text.triple", MK_REL, 0, t);
	unsigned c0 = mk_section(m, ".nv.constant0.k", MK_PROGBITS, 2, k),
		 c2 = mk_section(m, ".nv.constant2", MK_PROGBITS, 2, 0);
	unsigned rc = mk_section(m, ".rel.nv.constant2", MK_REL, 0, c2);
	m->sec[c0].d.n = 0x24;
	m->sec[c2].d.n = 16;
	mk_symbol(m, "k", MK_FUNC, MK_ENTRY, k, 0, m->sec[k].d.n);
	unsigned yt = mk_symbol(m, "triple", MK_FUNC, 0, t, 0, m->sec[t].d.n),
		 ys = mk_symbol(m, "seven", MK_FUNC, 0, s, 8, 16);
	mk_reloc(m, rk, 0x30, yt, LO);
	mk_reloc(m, rk, 0x80, yt, ABS32);
	mk_reloc(m, rt, 0x8, ys, PCREL);
	mk_reloc(m, rc, 8, yt, desc);
	mk_params(m, "k", MK_PROGBITS, params, 1);
}

static void functions(void **state)
{
	(void)state;
	static const struct {
		bool wide;
		unsigned desc, seed;
	} rows[] = {{false, DESC_32, 0}, {true, DESC_64, 0}, {false, R32, 5}, {true, DESC_32, 77}};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		EACH_WAY (how) {
			static struct maker m;
			function_file(&m, rows[i].wide, rows[i].desc);
			m.seed = rows[i].seed;
			struct rig r = made(how, &m);
			uint32_t out[64], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
			assert_null(heddle_kernel_find(r.m, "triple")); /* no kernel */
			must(&r, run(&r, "k", 1, 1, 64, 1, p));
			back(&r, out, p[0], sizeof out);
			for (uint32_t t = 0; t < 64; t++)
				assert_int_equal(out[t], (t + 1) * 3 + 7);
			rig_close(&r);
		}
}

/* ---- the driver's functions ---- */

struct printed {
	char s[4096];
	size_t n;
};
static void collect(void *arg, const char *s, size_t n)
{
	struct printed *p = arg;
	if (p->n + n < sizeof p->s)
		memcpy(p->s + p->n, s, n), p->n += n;
}

/* printf("thread %d of %s\n", t, "warp"); the arguments are on the stack, whose address is
 * converted to a generic one. */
static void printf_file(struct maker *m, bool wide)
{
	mk_start(m, NATIVE_FERMI, wide, wide ? 0x00140514 : 0x00140114);
	unsigned k = wide ? mk_code(m, "k", 12,
				    "MOV R1, c [0x1] [0x100];IADD R1, R1, -0x10;S2R R0, "
				    "SR_Tid_X;MOV32I R8, 0x10;MOV32I R9, 0x0;" /* 0x18, 0x20
	                                                                              */
				    "STL [R1], R0;STL.64 [R1+0x8], R8;MOV32I R4, 0x0;MOV32I "
				    "R5, 0x0;" /* 0x38, 0x40 */
				    "LOP.OR R6, R1, c [0x0] [0x4];MOV R7, RZ;JCAL.NOINC "
				    "0x0;EXIT" /* 0x58 */)
			  : mk_code(m, "k", 12,
				    "MOV R1, c [0x1] [0x100];IADD R1, R1, -0x10;S2R R0, "
				    "SR_Tid_X;MOV32I R8, 0x10;MOV R9, RZ;"
				    "STL [R1], R0;STL.64 [R1+0x8], R8;MOV32I R4, "
				    "0x0;NOP;LOP.OR R5, R1, c [0x0] [0x4];NOP;JCAL.NOINC "
				    "0x0;EXIT");
	unsigned rk = mk_section(m, ".rel.text.k", MK_REL, 0, k),
		 init = mk_section(m, ".nv.global.init", MK_PROGBITS, 3, 0);
	unsigned info = mk_section(m, ".nv.info", MK_CUDA_INFO, 0, 0);
	memcpy(m->sec[init].d.b, "thread %d of %s\n\0warp", 22);
	memmove(m->sec[init].d.b + 0x20, "warp", 5);
	m->sec[init].d.n = 0x28;
	unsigned yk = mk_symbol(m, "k", MK_FUNC, MK_ENTRY, k, 0, m->sec[k].d.n),
		 ys = mk_symbol(m, "$str", MK_LOCAL_OBJECT, 0, init, 0, 17);
	unsigned yw = mk_symbol(m, "$str1", MK_LOCAL_OBJECT, 0, init, 0x10, 24),
		 yv = mk_symbol(m, "vprintf", MK_FUNC, 0, 0, 0, 0);
	mk_reloc(m, rk, 0x18, yw, LO);
	if (wide)
		mk_reloc(m, rk, 0x20, yw, HI), mk_reloc(m, rk, 0x40, ys, HI);
	mk_reloc(m, rk, 0x38, ys, LO);
	mk_reloc(m, rk, 0x58, yv, ABS32);
	mk_put(&m->sec[info].d, 0x00081204, 4), mk_put(&m->sec[info].d, yk, 4),
		mk_put(&m->sec[info].d, 0x10, 4);
}

static void prints(void **state)
{
	(void)state;
	for (int wide = 0; wide < 2; wide++)
		EACH_WAY (how) {
			static struct maker m;
			static struct printed out;
			struct rig r;
			printf_file(&m, wide);
			out.n = 0;
			size_t n = mk_build(&m, file, sizeof file);
			struct heddle_options o = rig_options(how);
			o.output = collect, o.arg = &out;
			assert_int_equal(heddle_open(&r.h, &o), HEDDLE_OK);
			char *f = formed(&n);
			must(&r, heddle_load(r.h, &(struct heddle_text){"printf.cubin", f, n}, 1,
					     &r.m));
			free(f);
			uint32_t p[16] = {0};
			must(&r, run(&r, "k", 1, 1, 3, 1, p));
			out.s[out.n] = 0;
			assert_string_equal(
				out.s, "thread 0 of warp\nthread 1 of warp\nthread 2 of warp\n");
			rig_close(&r);
		}
}

/* Each thread allocates memory, stores its number, reads it back and frees the memory. */
static void allocates(void **state)
{
	(void)state;
	static const uint16_t params[1][2] = {{0, 8}};
	EACH_WAY (how) {
		static struct maker m;
		mk_start(&m, NATIVE_FERMI, true, 0x00140514);
		unsigned k = mk_code(&m, "k", 22,
				     "S2R R0, SR_Tid_X;MOV R16, c [0x0] [0x20];MOV R17, c [0x0] "
				     "[0x24];MOV32I R4, 0x40;MOV R5, RZ;JCAL.NOINC 0x0;" /* 0x28 */
				     "ST.E [R4+0x8], R0;LD.E R12, [R4+0x8];ISCADD R16, R0, R16, "
				     "0x2;ST.E [R16], R12;JCAL.NOINC 0x0;EXIT"); /* 0x50 */
		unsigned rk = mk_section(&m, ".rel.text.k", MK_REL, 0, k);
		mk_symbol(&m, "k", MK_FUNC, MK_ENTRY, k, 0, 96);
		mk_reloc(&m, rk, 0x28, mk_symbol(&m, "malloc", MK_FUNC, 0, 0, 0, 0), ABS32);
		mk_reloc(&m, rk, 0x50, mk_symbol(&m, "free", MK_FUNC, 0, 0, 0, 0), ABS32);
		mk_params(&m, "k", MK_PROGBITS, params, 1);
		struct rig r = made(how, &m);
		uint32_t out[64];
		uint64_t p[8] = {buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 1, 1, 64, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t t = 0; t < 64; t++)
			assert_int_equal(out[t], t);
		rig_close(&r);
	}
}

static void unknown_function(void **state)
{
	(void)state;
	static struct maker m;
	struct rig r;
	mk_start(&m, NATIVE_FERMI, false, 0x00140114);
	unsigned k = mk_code(&m, "k", 4, "JCAL.NOINC 0x0;EXIT"),
		 rk = mk_section(&m, ".rel.text.k", MK_REL, 0, k);
	mk_symbol(&m, "k", MK_FUNC, MK_ENTRY, k, 0, 16);
	mk_reloc(&m, rk, 0, mk_symbol(&m, "cnpLaunch", MK_FUNC, 0, 0, 0, 0), ABS32);
	size_t n = mk_build(&m, file, sizeof file);
	assert_int_equal(rig_load(&r, BY_TOKENS, "made.cubin", (char *)file, n), HEDDLE_BAD_INPUT);
	assert_non_null(strstr(heddle_message(r.h), "there is no function cnpLaunch"));
	rig_close(&r);
}

/* ---- headers, orders ---- */

/* Two kernels with separate parameters, literals and shared memory; debug sections are ignored. */
static void fermi_two(struct maker *m, bool wide, uint32_t flags, uint32_t info_type)
{
	const uint16_t one[2][2] = {{0, wide ? 8 : 4}, {wide ? 8 : 4, 4}};
	mk_start(m, NATIVE_FERMI, wide, flags);
	unsigned dbg = mk_section(m, ".debug_line", MK_PROGBITS, 0, 0);
	mk_put(&m->sec[dbg].d, 0x12345678, 4);
	unsigned first = mk_code(
		m, "_Z5firstPji", 10,
		wide ? "MOV R1, c [0x1] [0x100];S2R R0, SR_Tid_X;IADD R2, R0, c [0x0] [0x28];IADD "
		       "R2, R2, c [0x10] [0x0];ISCADD R4, R0, c [0x0] [0x20], 0x2;"
		       "ST [R4], R2;EXIT"
		     : "MOV R1, c [0x1] [0x100];S2R R0, SR_Tid_X;IADD R2, R0, c [0x0] [0x24];IADD "
		       "R2, R2, c [0x10] [0x0];ISCADD R4, R0, c [0x0] [0x20], 0x2;"
		       "ST [R4], R2;EXIT");
	unsigned second = mk_code(m, "_Z6secondPj", 10,
				  "S2R R0, SR_Tid_X;SHL R2, R0, 0x2;MOV R3, c [0x10] [0x4];STS "
				  "[R2], R3;LDS R3, [R2];IADD R3, R3, c [0x2] [0x4];"
				  "ISCADD R4, R0, c [0x0] [0x20], 0x2;ST [R4], R3;EXIT");
	static const char *const name[] = {"_Z5firstPji", "_Z6secondPj"};
	for (unsigned i = 0; i < 2; i++) {
		char s[64];
		snprintf(s, sizeof s, ".nv.constant16.%s", name[i]);
		unsigned c = mk_section(m, s, MK_PROGBITS, 2, i ? second : first);
		mk_put(&m->sec[c].d, 100 + i, 4), mk_put(&m->sec[c].d, 200 + i, 4);
		snprintf(s, sizeof s, ".nv.constant0.%s", name[i]);
		m->sec[mk_section(m, s, MK_PROGBITS, 2, 0)].d.n = 0x20 + (wide ? 12u : 8u);
		mk_symbol(m, name[i], MK_FUNC, MK_ENTRY, i ? second : first, 0, 56);
		mk_params(m, name[i], info_type, one, 2 - i);
	}
	unsigned c2 = mk_section(m, ".nv.constant2", MK_PROGBITS, 2, 0);
	mk_put(&m->sec[c2].d, 1, 4), mk_put(&m->sec[c2].d, 1000, 4);
	unsigned sh = mk_section(m, ".nv.shared._Z6secondPj", MK_NOBITS, 3, second);
	m->sec[sh].size = 256;
	unsigned callgraph = mk_section(m, ".nv.callgraph", 0x70000001, 0, 0);
	mk_put(&m->sec[callgraph].d, ~0ull, 8);
}

static void headers(void **state)
{
	(void)state;
	static const struct {
		bool wide;
		uint32_t flags, info;
		uint8_t abi, type;
		unsigned seed;
	} rows[] = {
		{false, 0x00140114, MK_PROGBITS, 2, 2, 0},
		{true, 0x00140115, MK_PROGBITS, 4, 2, 0},
		{true, 0x00140514, MK_CUDA_INFO, 7, 2, 3},
		{false, 0x00150015, MK_CUDA_INFO, 6, 1, 9},
		{true, 0x00140515, MK_CUDA_INFO, 7, 1, 1234567},
		{false, 0x14, MK_PROGBITS, 3, 2, 42},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		static struct maker m;
		fermi_two(&m, rows[i].wide, rows[i].flags, rows[i].info);
		m.abi = rows[i].abi, m.type = rows[i].type, m.seed = rows[i].seed;
		struct rig r = made(BY_TOKENS, &m);
		uint32_t out[32];
		uint64_t a = buffer(&r, NULL, sizeof out), wide[8] = {a, 5};
		uint32_t narrow[16] = {(uint32_t)a, 5};
		const void *p = rows[i].wide ? (const void *)wide : (const void *)narrow;
		must(&r, run(&r, "_Z5firstPji", 1, 1, 32, 1, p));
		back(&r, out, a, sizeof out);
		for (uint32_t t = 0; t < 32; t++)
			assert_int_equal(out[t], t + 5 + 100);
		must(&r, run(&r, "_Z6secondPj", 1, 1, 32, 1, p));
		back(&r, out, a, sizeof out);
		for (uint32_t t = 0; t < 32; t++)
			assert_int_equal(out[t], 201 + 1000);
		rig_close(&r);
	}
}

/* sm_1x in ELF: constants of the module are bank 0, of the kernel bank 1; parameters and header in
 * shared memory; addresses of variables in bank 14. */
static void tesla_file(struct maker *m, bool wide, uint32_t flags)
{
	const uint16_t at[2][2] = {{0, wide ? 8 : 4}, {wide ? 8 : 4, 4}};
	mk_start(m, NATIVE_TESLA, wide, flags);
	unsigned k = mk_code(
		m, "scale", 8,
		wide ? "I2I.U32.U16 R1, R0L;MOV R2, g [0x6];IADD R2, R2, c [0x0] [0x1];IADD R2, "
		       "R2, c [0x1] [0x0];MVC R5, c [0xe] [0x0];GLD.U32 R6, global14 [R5];"
		       "IADD R2, R2, R6;IADD R2, R2, R1;SHL R3, R1, 0x2;IADD R3, g [0x4], "
		       "R3;GST.U32.EXIT global14 [R3], R2"
		     : "I2I.U32.U16 R1, R0L;MOV R2, g [0x5];IADD R2, R2, c [0x0] [0x1];IADD R2, "
		       "R2, c [0x1] [0x0];MVC R5, c [0xe] [0x0];GLD.U32 R6, global14 [R5];"
		       "IADD R2, R2, R6;IADD R2, R2, R1;SHL R3, R1, 0x2;IADD R3, g [0x4], "
		       "R3;GST.U32.EXIT global14 [R3], R2");
	unsigned c0 = mk_section(m, ".nv.constant0", MK_PROGBITS, 2, 0),
		 c1 = mk_section(m, ".nv.constant1.scale", MK_PROGBITS, 2, k);
	unsigned c14 = mk_section(m, ".nv.constant14", MK_PROGBITS, 2, 0),
		 r14 = mk_section(m, ".rel.nv.constant14", MK_REL, 0, c14);
	unsigned init = mk_section(m, ".nv.global.init", MK_PROGBITS, 3, 0),
		 sh = mk_section(m, ".nv.shared.scale", MK_NOBITS, 3, k);
	mk_put(&m->sec[c0].d, 7, 4), mk_put(&m->sec[c0].d, 20, 4), mk_put(&m->sec[c1].d, 300, 4),
		mk_put(&m->sec[c14].d, 0, 4);
	mk_put(&m->sec[init].d, 0, 4), mk_put(&m->sec[init].d, 4000, 4);
	m->sec[sh].size = 0x10 + (wide ? 16 : 8);
	mk_symbol(m, "scale", MK_FUNC, MK_ENTRY, k, 0, m->sec[k].d.n);
	mk_reloc(m, r14, 0, mk_symbol(m, "offset", MK_OBJECT, 0, init, 4, 4), R32);
	mk_params(m, "scale", MK_PROGBITS, at, 2);
}

static void tesla_headers(void **state)
{
	(void)state;
	static const struct {
		bool wide;
		uint32_t flags;
		unsigned seed;
	} rows[] = {
		{false, 0x000a010a, 0}, {false, 0x000b010b, 4}, {false, 0x000d000d, 99},
		{true, 0x000d050d, 0},  {true, 0x0c, 31},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		EACH_WAY (how) {
			static struct maker m;
			tesla_file(&m, rows[i].wide, rows[i].flags);
			m.seed = rows[i].seed;
			struct rig r = made(how, &m);
			uint32_t out[32];
			uint64_t a = buffer(&r, NULL, sizeof out), wide[8] = {a, 50000};
			uint32_t narrow[16] = {(uint32_t)a, 50000};
			must(&r, run(&r, "scale", 1, 1, 32, 1,
				     rows[i].wide ? (const void *)wide : (const void *)narrow));
			back(&r, out, a, sizeof out);
			for (uint32_t t = 0; t < 32; t++)
				assert_int_equal(out[t], t + 50000 + 20 + 300 + 4000);
			rig_close(&r);
		}
}

/* ---- through text and back ---- */

static void as_listings(void **state)
{
	for (style = HEDDLE_SASS_CUDA4; style <= HEDDLE_SASS_FULL; style++)
		for (form = AS_TEXT; form <= AS_CUBIN_OF_TEXT; form++) {
			functions(state);
			prints(state);
			allocates(state);
		}
	style = HEDDLE_SASS_FULL; /* the plain styles do not show constants */
	for (form = AS_TEXT; form <= AS_CUBIN_OF_TEXT; form++) {
		headers(state);
		tesla_headers(state);
	}
	form = AS_MADE;
}

static uint64_t at(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;
	while (n--)
		v = v << 8 | p[n];
	return v;
}

/* The bytes of a section of an ELF file; NULL: the file has no section of that name. */
static const uint8_t *section(const uint8_t *f, const char *name, size_t *n)
{
	bool wide = f[4] == 2;
	unsigned a = wide ? 8 : 4;
	const uint8_t *table = f + at(f + (wide ? 0x28 : 0x20), a);
	unsigned size = wide ? 64 : 40, count = (unsigned)at(f + (wide ? 0x3c : 0x30), 2);
	const uint8_t *names = table + at(f + (wide ? 0x3e : 0x32), 2) * size;
	const char *string = (const char *)f + at(names + 8 + 2 * a, a);
	for (unsigned i = 1; i < count; i++) {
		const uint8_t *h = table + i * size;
		if (strcmp(string + at(h, 4), name))
			continue;
		*n = at(h + 8 + 3 * a, a);
		return f + at(h + 8 + 2 * a, a);
	}
	return NULL;
}

/* Every section of code and data of the generated file must equal that of the other file, byte by
 * byte; relocations must have records of equal size. */
static void same_sections(const struct maker *m, const uint8_t *other)
{
	for (unsigned i = 1; i < m->n; i++) {
		const struct mk_sec *s = &m->sec[i];
		bool bytes = !strncmp(s->name, ".text.", 6) ||
			     !strcmp(s->name, ".nv.global.init") ||
			     !strncmp(s->name, ".nv.constant", 12);
		size_t n = 0;
		if (!bytes && s->type != MK_REL)
			continue;
		const uint8_t *p = section(other, s->name, &n);
		if (!p)
			fail_msg("no section %s", s->name);
		assert_int_equal(n, s->d.n);
		if (bytes)
			assert_memory_equal(p, s->d.b, n);
	}
}

/* Asserts that a relocation of one file exists in the other. */
static void same_relocs(const struct nreloc *v, size_t n, const struct nreloc *w, size_t nw)
{
	assert_int_equal(n, nw);
	for (size_t i = 0; i < n; i++) {
		size_t j = 0;
		while (j < nw &&
		       (strcmp(v[i].section, w[j].section) || v[i].offset != w[j].offset ||
			v[i].type != w[j].type || strcmp(v[i].symbol, w[j].symbol) ||
			v[i].addend != w[j].addend || v[i].was != w[j].was))
			j++;
		if (j == nw)
			fail_msg("%s 0x%llx: no relocation", v[i].section,
				 (unsigned long long)v[i].offset);
	}
}

static void same_code(const struct nkernel *a, const struct nkernel *b)
{
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->size, b->size);
	assert_memory_equal(a->code, b->code, a->size);
	assert_int_equal(a->base, b->base);
	assert_int_equal(a->entry, b->entry);
	assert_memory_equal(a->reqntid, b->reqntid, sizeof a->reqntid);
	assert_memory_equal(a->max_threads, b->max_threads, sizeof a->max_threads);
	same_relocs(a->reloc.v, a->reloc.n, b->reloc.v, b->reloc.n);
	same_relocs(a->link.v, a->link.n, b->link.v, b->link.n);
}

static void same_modules(const uint8_t *a, size_t na, const void *b, size_t nb)
{
	struct diag d = {0};
	struct nmodule x = {0}, y = {0};
	assert_true(native_read(&x, "a", a, na, &d));
	assert_true(native_read(&y, "b", b, nb, &d));
	assert_int_equal(x.addr64, y.addr64);
	assert_int_equal(x.kernel.n, y.kernel.n);
	assert_int_equal(x.function.n, y.function.n);
	for (size_t i = 0; i < x.kernel.n; i++)
		same_code(&x.kernel.v[i], &y.kernel.v[i]);
	for (size_t i = 0; i < x.function.n; i++)
		same_code(&x.function.v[i], &y.function.v[i]);
	same_relocs(x.reloc.v, x.reloc.n, y.reloc.v, y.reloc.n);
	same_relocs(x.link.v, x.link.n, y.link.v, y.link.n);
	native_module_free(&x);
	native_module_free(&y);
}

/* Words are reproduced exactly, before relocation and after it. */
static void word_by_word(void **state)
{
	(void)state;
	static struct maker m;
	for (unsigned kind = 0; kind < 6; kind++)
		for (style = HEDDLE_SASS_CUDA4; style <= HEDDLE_SASS_FULL; style++) {
			if (kind < 2)
				function_file(&m, kind, kind ? DESC_64 : DESC_32);
			else if (kind < 4)
				printf_file(&m, kind & 1);
			else
				tesla_file(&m, kind & 1, kind & 1 ? 0x000d050d : 0x000a010a);
			size_t n = mk_build(&m, file, sizeof file), text_n = n, cubin_n = n;
			form = AS_TEXT;
			char *text = formed(&text_n);
			form = AS_CUBIN_OF_TEXT;
			char *cubin = formed(&cubin_n);
			form = AS_MADE;
			same_modules(file, n, text, text_n);
			same_modules(file, n, cubin, cubin_n);
			same_sections(&m, (uint8_t *)cubin);
			free(text);
			free(cubin);
		}
}

/* A hand-made file: a kernel calls a function, which calls a second one directly and, through a
 * pointer, a third one that lies inside the second one's code; the addend of a RELA record makes
 * the pointer point there. */
static void by_hand(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\n.const 2 0x0 0x4\n"
		".reloc .nv.constant2 0x4 R_CUDA_32 inner 4\n" /* inner + 4 in the record + 4 */
		"Function : k\n.params 4\n.maxntid 64 2 1\n.reqntid 64 1 1\nS2R R0, SR_Tid_X;\nMOV R4, R0;\nJCAL.NOINC `(first);\n"
		"ISCADD R6, R0, c [0x0] [0x20], 0x2;\nST [R6], R4;\nEXIT;\n"
		"Function : first\n.function\nCAL.NOINC `(second);\nPRET back;\n"
		"MOV R3, c [0x2] [0x4];\nJMX R3, 0x0;\nback: IADD R4, R4, 0x1;\nRET;\n"
		"Function : second\n.function\n.symbol inner .text.second 0x10 24\n"
		"SHL R4, R4, 0x2;\nRET;\nIADD R4, R4, 0x1000;\nIADD R4, R4, 0x100;\nRET;\n";
	for (int again = 0; again < 3; again++) {
		struct rig r;
		char *message = NULL;
		struct heddle_text t = {"hand.sass", text, sizeof text - 1};
		size_t n;
		void *cubin = heddle_native_assemble(&t, &n, &message);
		if (!cubin)
			fail_msg("%s", message);
		same_modules((const uint8_t *)text, sizeof text - 1, cubin, n);
		memcpy(file, cubin, n);
		free(cubin);
		form = again == 2 ? AS_CUBIN_OF_TEXT : AS_MADE;
		style = HEDDLE_SASS_FULL;
		char *f = formed(&n);
		form = AS_MADE;
		if (rig_load(&r, BY_TOKENS, "hand", again ? f : text, again ? n : sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		free(f);
		uint32_t out[64], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 1, 1, 64, 1, p));
		assert_int_not_equal(run(&r, "k", 1, 1, 32, 1, p), HEDDLE_OK); /* .reqntid */
		back(&r, out, p[0], sizeof out);
		for (uint32_t i = 0; i < 64; i++) /* the pointer skips the first addition */
			assert_int_equal(out[i], 4 * i + 0x100 + 1);
		rig_close(&r);
	}
}

/* Symbols of a written cubin: local symbols come first, and the section header has the index of the
 * first global one; everything that refers to symbols by index (code, parameters, slots,
 * relocations) is still right. */
static void symbol_order(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\n.address_size 32\n.data .nv.global.init 8 0x5 0x7\n.texture image 1\n"
		".symbol shown .nv.global.init 0x0 4\n.symbol hidden .nv.global.init 0x4 4 local\n"
		"Function : k\n.params 4\nMOV32I R2, 32@lo(hidden);\nLD R4, [R2];\nMOV32I R2, 32@lo(shown);\nLD R5, [R2];\n"
		"MOV R2, c [0x0] [0x20];\nST.64 [R2], R4;\nEXIT;\n";
	char *message = NULL;
	size_t n;
	char *cubin = heddle_native_assemble(
		&(struct heddle_text){"order.sass", text, sizeof text - 1}, &n, &message);
	if (!cubin)
		fail_msg("%s", message);
	const Elf32_Ehdr *e = (const void *)cubin;
	const Elf32_Shdr *sh = (const void *)(cubin + e->e_shoff);
	unsigned tables = 0, locals = 0;
	for (unsigned i = 0; i < e->e_shnum; i++) {
		if (sh[i].sh_type != SHT_SYMTAB)
			continue;
		const Elf32_Sym *y = (const void *)(cubin + sh[i].sh_offset);
		tables++;
		for (unsigned k = 0; k < sh[i].sh_size / sizeof *y; k++) {
			assert_int_equal(ELF32_ST_BIND(y[k].st_info) == STB_LOCAL,
					 k < sh[i].sh_info);
			locals += k < sh[i].sh_info;
		}
	}
	assert_int_equal(tables, 1);
	assert_int_equal(locals, 2); /* none, and hidden */
	struct rig r;
	if (rig_load(&r, BY_TOKENS, "order.cubin", cubin, n))
		fail_msg("%s", heddle_message(r.h));
	uint32_t out[2], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
	must(&r, run(&r, "k", 1, 1, 1, 1, p));
	back(&r, out, p[0], sizeof out);
	assert_int_equal(out[0], 7);
	assert_int_equal(out[1], 5);
	rig_close(&r);
	free(cubin);
}

/* A kernel that calls a hundred functions by name: all names are found again in the cubin. */
static void many_functions(void **state)
{
	(void)state;
	static char text[1 << 15];
	size_t n = (size_t)snprintf(text, sizeof text, "code for sm_20\nFunction : k\n");
	for (unsigned i = 0; i < 100; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "JCAL.NOINC `(function%u);\n", i);
	n += (size_t)snprintf(text + n, sizeof text - n, "EXIT;\n");
	for (unsigned i = 0; i < 100; i++)
		n += (size_t)snprintf(text + n, sizeof text - n,
				      "Function : function%u\n.function\nRET;\n", i);
	size_t size;
	char *message = NULL;
	struct heddle_text t = {"many.sass", text, n};
	void *cubin = heddle_native_assemble(&t, &size, &message);
	if (!cubin)
		fail_msg("%s", message);
	same_modules((uint8_t *)text, n, cubin, size);
	free(cubin);
}

/* Files with changed bytes are refused with a message, or loaded. */
static void damage(void **state)
{
	(void)state;
	static struct maker m;
	for (unsigned kind = 0; kind < 3; kind++) {
		if (kind == 0)
			function_file(&m, true, DESC_64);
		else if (kind == 1)
			printf_file(&m, false);
		else
			tesla_file(&m, false, 0x000a010a);
		size_t n = mk_build(&m, file, sizeof file);
		for (size_t i = 0; i < n; i += 3) {
			struct rig r;
			char *copy = malloc(n);
			memcpy(copy, file, n);
			copy[i] ^= (char)(1u << i % 8 | 0x40);
			if (rig_load(&r, BY_TOKENS, "damaged.cubin", copy, n))
				assert_true(strlen(heddle_message(r.h)) > 0);
			rig_close(&r);
			free(copy);
		}
		form = AS_TEXT;
		style = HEDDLE_SASS_FULL;
		char *text = formed(&n);
		form = AS_MADE;
		for (size_t i = 0; i < n; i += 5) {
			struct rig r;
			char was = text[i];
			text[i] ^= (char)(1u << i % 7);
			if (rig_load(&r, BY_TOKENS, "damaged.sass", text, n))
				assert_true(strlen(heddle_message(r.h)) > 0);
			rig_close(&r);
			text[i] = was;
		}
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions),    cmocka_unit_test(prints),
		cmocka_unit_test(allocates),    cmocka_unit_test(unknown_function),
		cmocka_unit_test(headers),      cmocka_unit_test(tesla_headers),
		cmocka_unit_test(as_listings),  cmocka_unit_test(word_by_word),
		cmocka_unit_test(by_hand),      cmocka_unit_test(many_functions),
		cmocka_unit_test(symbol_order), cmocka_unit_test(damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
