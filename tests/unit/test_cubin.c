/* Cubins and listings: round trips, and one clear message for bad input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "front/native/module.h"

static char *slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	char *s = calloc(1, 1 << 16);
	*n = fread(s, 1, (1 << 16) - 1, f);
	fclose(f);
	return s;
}

static void load(struct nmodule *m, const void *data, size_t n)
{
	struct diag d = {0};
	memset(m, 0, sizeof(*m));
	if (!native_read(m, "test", data, n, &d)) {
		char *s = diag_string(&d);
		fail_msg("%s", s);
	}
	assert_int_equal(d.errors, 0);
	diag_free(&d);
}

/* Reading must fail, with a first message that contains `why`. */
static void refuse(const char *text, const char *why)
{
	struct diag d = {0};
	struct nmodule m = {0};
	assert_false(native_read(&m, "bad", text, strlen(text), &d));
	assert_true(d.n >= 1);
	if (!strstr(d.msg[0].text, why))
		fail_msg("expected '%s' in '%s'", why, d.msg[0].text);
	diag_free(&d);
}

static void assert_same_code(const struct nmodule *a, const struct nmodule *b)
{
	assert_int_equal(a->sm, b->sm);
	assert_int_equal(a->kernel.n, b->kernel.n);
	for (size_t i = 0; i < a->kernel.n; i++) {
		const struct nkernel *x = &a->kernel.v[i], *y = &b->kernel.v[i];
		assert_string_equal(x->name, y->name);
		assert_int_equal(x->ninst, y->ninst);
		assert_int_equal(x->size, y->size);
		assert_memory_equal(x->code, y->code, x->size);
		assert_int_equal(x->regs, y->regs);
		assert_int_equal(x->nparam, y->nparam);
		for (unsigned p = 0; p < x->nparam; p++) {
			assert_int_equal(x->param[p].offset, y->param[p].offset);
			assert_int_equal(x->param[p].size, y->param[p].size);
		}
	}
}

static void check_cycle(const char *path)
{
	size_t n, size;
	char *s = slurp(path, &n), *list = NULL;
	struct nmodule a, b, c;
	load(&a, s, n);
	uint8_t *cubin = native_cubin_write(&a, &size);
	load(&b, cubin, size);
	assert_same_code(&a, &b);
	for (enum native_style st = NSTYLE_CUDA4; st <= NSTYLE_FULL; st++) {
		size_t len;
		FILE *f = open_memstream(&list, &len);
		native_listing_print(&b, st, f);
		fclose(f);
		load(&c, list, len);
		assert_int_equal(c.kernel.v[0].size, a.kernel.v[0].size);
		assert_memory_equal(c.kernel.v[0].code, a.kernel.v[0].code, a.kernel.v[0].size);
		if (st == NSTYLE_FULL)
			assert_same_code(&a, &c);
		native_module_free(&c);
		free(list);
	}
	native_module_free(&a);
	native_module_free(&b);
	free(cubin);
	free(s);
}

static void test_cycles(void **st)
{
	(void)st;
	check_cycle("tests/data/native/breakloop.sass");
	check_cycle("tests/data/native/sum.sass");
	check_cycle("tests/data/native/vecadd10.cubin");
}

static void test_listing(void **st)
{
	size_t n;
	struct nmodule m;
	char *s = slurp("tests/data/native/sum.sass", &n);
	(void)st;
	load(&m, s, n);
	assert_int_equal(m.isa, NATIVE_FERMI);
	const struct nkernel *k = &m.kernel.v[0];
	assert_string_equal(k->name, "sum");
	assert_int_equal(k->ninst, 22);
	assert_int_equal(k->regs, 8);
	assert_int_equal(k->nparam, 4);
	assert_int_equal(k->param[3].offset, 12);
	assert_int_equal(k->bank.v[0].bank, 16);
	assert_int_equal(k->bank.v[0].size, 8);
	assert_int_equal(k->inst[13].word, 0x60000000c0000007ull); /* SSY 0xa0 */
	assert_int_equal(k->inst[18].word, 0x4003ffff600001e7ull); /* @P0 BRA 0x70 */
	native_module_free(&m);
	free(s);
}

static void test_textcubin(void **st)
{
	size_t n;
	struct nmodule m;
	char *s = slurp("tests/data/native/vecadd10.cubin", &n);
	(void)st;
	load(&m, s, n);
	const struct nkernel *k = &m.kernel.v[0];
	assert_int_equal(m.isa, NATIVE_TESLA);
	assert_int_equal(m.sm, 10);
	assert_string_equal(k->name, "vec_add");
	assert_int_equal(k->ninst, 8);
	assert_int_equal(k->shared, 28);
	assert_int_equal(k->regs, 4);
	assert_int_equal(k->bank.v[0].bank, 1);
	assert_int_equal(k->bank.v[0].data[0], 0xff);
	assert_int_equal(m.bank.v[0].size, 12);
	assert_int_equal(m.bank.v[0].data[4], 1);
	assert_true(k->inst[7].exit);
	native_module_free(&m);
	free(s);
}

/* Listings of every kind for one kernel: with words old and new, without, without addresses. */
static void test_tesla_styles(void **st)
{
	static const char *const text[] = {
		"code for sm_10\nFunction : k\n/*0000*/ /*0xa000000504000780*/ I2I.U32.U16 R1, R0L;\n"
		"/*0008*/ /*0x2102e800*/ IADD32 R0, g [0x4], R2;\n/*000c*/ /*0x1100ec08*/ MOV32 R2, g [0x6];\n"
		"/*0010*/ /*0x3000000300000780*/ RET ;\n",
		"code for sm_10\n\t\tFunction : k\n\t.headerflags    @\"EF_CUDA_SM10\"\n"
		"/*0000*/ I2I.U32.U16 R1, R0L; /* 0x04000780a0000005 */\n"
		"/*0008*/ IADD32 R0, g [0x4], R2; /* 0x2102e800         */\n"
		"/*000c*/ MOV32 R2, g [0x6]; /* 0x1100ec08         */\n/*0010*/ RET; /* 0x0000078030000003 */\n......\n",
		"code for sm_10\nFunction : k\nI2I.U32.U16 R1, R0L;\nIADD32 R0, g[0x4], R2;\nMOV32 R2, g [0x6];\nRET\n",
	};
	(void)st;
	for (unsigned i = 0; i < 3; i++) {
		struct nmodule m;
		load(&m, text[i], strlen(text[i]));
		const struct nkernel *k = &m.kernel.v[0];
		assert_int_equal(k->ninst, 4);
		assert_int_equal(k->inst[0].word, 0x04000780a0000005ull);
		assert_int_equal(k->inst[1].word, 0x2102e800);
		assert_int_equal(k->inst[3].pc, 0x10);
		assert_int_equal(k->inst[3].word, 0x0000078030000003ull);
		native_module_free(&m);
	}
}

/* One loop as disassemblers of several years print it: words first, last or absent; with or without
 * addresses; labels or targets; headers of cuobjdump and nvdisasm; both kinds of line ends. */
static void test_fermi_styles(void **st)
{
	static const char *const text[] = {
		"\tcode for sm_20\n\t\tFunction : k\n\t/*0000*/     /*0x84001c042c000000*/ \tS2R R0, SR_Tid_X;\n"
		"\t/*0008*/     /*0xfc001c034800ffff*/ \tIADD R0, R0, -0x1;\n\t/*0010*/     /*0xfc01dc231a0e0000*/ \tISETP.GT.AND P0, pt, R0, RZ, pt;\n"
		"\t/*0018*/     /*0xa00001e74003ffff*/ \t@P0 BRA 0x8;\n\t/*0020*/     /*0x00001de780000000*/ \tEXIT;\n\t\t.......\n",
		"\nFatbin elf code:\n================\narch = sm_20\ncode version = [1,7]\nproducer = cuda\nhost = linux\ncompile_size = 64bit\n"
		"identifier = a.cu\n\n\tcode for sm_20\n\t\tFunction : k\n\t.headerflags    @\"EF_CUDA_SM20 EF_CUDA_PTX_SM(EF_CUDA_SM20)\"\n"
		"        /*0000*/         S2R R0, SR_TID.X;   /* 0x2c00000084001c04 */\n        /*0008*/  IADD R0, R0, -0x1; /* 0x4800fffffc001c03 */\n"
		"        /*0010*/  ISETP.GT.AND P0, PT, R0, RZ, PT; /* 0x1a0e0000fc01dc23 */\n        /*0018*/  @P0 BRA 0x8; /* 0x4003ffffa00001e7 */\n"
		"        /*0020*/  EXIT; /* 0x8000000000001de7 */\n",
		"code for sm_20\r\nFunction : k\r\nS2R R0, SR_Tid_X;\r\nloop: IADD R0,R0,-0x1;\r\nISETP.GT.AND P0,pt,R0,RZ,pt\r\n@P0 BRA loop\r\nEXIT",
		"\t.headerflags\t@\"EF_CUDA_SM20 EF_CUDA_PTX_SM(EF_CUDA_SM20)\"\n\t.elftype\t@\"ET_EXEC\"\n//----- .text.k -----\n"
		"\t.section\t.text.k,\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=1\"\n\t.align\t4\n\t.global\tk\n\t.type\tk,@function\n"
		"\t.size\tk,(.L_2 - k)\n\t.other\tk,@\"STO_CUDA_ENTRY STV_DEFAULT\"\n.text.k:\n\t/*0000*/\tS2R R0, SR_TID.X;\n.L_1:\n"
		"\t/*0008*/\tIADD R0, R0, -0x1;\n\t/*0010*/\tISETP.GT.AND P0, PT, R0, RZ, PT;\n\t/*0018*/\t@P0 BRA `(.L_1);\n\t/*0020*/\tEXIT;\n.L_2:\n",
	};
	static const uint64_t want[] = {0x2c00000084001c04, 0x4800fffffc001c03, 0x1a0e0000fc01dc23,
					0x4003ffffa00001e7, 0x8000000000001de7};
	(void)st;
	for (unsigned i = 0; i < sizeof text / sizeof *text; i++) {
		struct nmodule m;
		load(&m, text[i], strlen(text[i]));
		assert_int_equal(m.isa, NATIVE_FERMI);
		assert_int_equal(m.kernel.n, 1);
		assert_string_equal(m.kernel.v[0].name, "k");
		assert_int_equal(m.kernel.v[0].ninst, 5);
		for (unsigned k = 0; k < 5; k++)
			assert_int_equal(m.kernel.v[0].inst[k].word, want[k]);
		native_module_free(&m);
	}
}

static void test_bad_listing(void **st)
{
	(void)st;
	refuse("code for sm_20\nFunction : k\nMOV R1, R2;\nFROB R1;\n", "unknown mnemonic 'FROB'");
	refuse("code for sm_20\nFunction : k\nBRA 0x100;\nEXIT;\n", "outside the code");
	refuse("code for sm_20\nFunction : k\nBRA 0xc;\nEXIT;\n",
	       "goes to 0xc, inside an instruction");
	refuse("code for sm_12\nFunction : k\nBRA 0xc;\nNOP;\n",
	       "goes to 0xc, inside an instruction");
	refuse("code for sm_20\nFunction : k\nBRA nowhere;\nEXIT;\n", "operands do not fit 'BRA'");
	refuse("code for sm_20\nFunction : k\n/*0008*/ EXIT;\n",
	       "address 0x0008 where 0x0000 is expected");
	refuse("code for sm_35\nFunction : k\nEXIT;\n", "neither");
	refuse("code for sm_20\nFunction : k\nFunction : j\nEXIT;\n", "no instructions");
	refuse("code for sm_10\nFunction : k\nIADD32 R0, R1, R2;\nRET;\n", "pairs");
	refuse("code for sm_20\nFunction : f\n.function\nRET;\n", "functions, but no kernel");
	refuse("code for sm_20\n.function\nFunction : k\nEXIT;\n",
	       ".function stands in a function");
	refuse("code for sm_20\n.address_size 48\nFunction : k\nEXIT;\n",
	       ".address_size expects 32 or 64");
	refuse("code for sm_20\n.data .text.k 4\nFunction : k\nEXIT;\n",
	       ".data expects .nv.global or .nv.global.init");
	refuse("code for sm_20\n.data .nv.global.init 4 0x1 0x2\nFunction : k\nEXIT;\n",
	       "not as many as its bytes");
	refuse("code for sm_20\n.data .nv.global.init 9 0x1 0x2\nFunction : k\nEXIT;\n",
	       "not as many as its bytes");
	refuse("code for sm_20\n.data .nv.global 4 0x1\nFunction : k\nEXIT;\n", "it has no words");
	refuse("code for sm_20\n.symbol f .text.k 0 8\nFunction : k\nEXIT;\n",
	       "there is no function k yet");
	refuse("code for sm_20\n.symbol f .nv.global 0\nFunction : k\nEXIT;\n", ".symbol expects");
	refuse("code for sm_20\n.symbol f .nv.global 0 4\nFunction : k\nEXIT;\n",
	       "there is no section .nv.global");
	refuse("code for sm_20\nFunction : k\n.symbol k .text.k 0 4\nEXIT;\n",
	       "k is the whole function");
	refuse("code for sm_20\nFunction : k\nEXIT;\nFunction : f\n.function 8\nRET;\n",
	       "after its last instruction");
	refuse("code for sm_20\n.reloc .text.k 0 R_CUDA_FROB x\nFunction : k\nEXIT;\n",
	       ".reloc expects");
	refuse("code for sm_20\n.reloc .text.j 0 R_CUDA_32 x\nFunction : k\nEXIT;\n",
	       "no such kernel");
	refuse("code for sm_20\n.reloc .text.k 4 R_CUDA_ABS32_26 x\nFunction : k\nEXIT;\n",
	       "not the offset of an instruction");
	refuse("code for sm_20\n.reloc .nv.global.init 4 R_CUDA_32 x\nFunction : k\nEXIT;\n",
	       "it has no bytes");
	refuse("code for sm_20\n.const 2 0x1\n.reloc .nv.constant2 4 R_CUDA_32 x\nFunction : k\nEXIT;\n",
	       "outside its 0x4 bytes");
	refuse("code for sm_20\n.const 2 0x1\n.reloc .nv.constant2 0 R_CUDA_TEX_SLOT x\nFunction : k\nEXIT;\n",
	       "not supported");
	refuse("code for sm_20\nFunction : k\n.regs 256\nEXIT;\n",
	       ".regs expects a number, at most 255");
	refuse("code for sm_20\nFunction : k\n.reqntid 8 8\nEXIT;\n",
	       "want three numbers of threads");
	refuse("code for sm_20\n.const 2 0x1\n.const 2 0x1\nFunction : k\nEXIT;\n",
	       "bank 2 is here twice");
	refuse("code for sm_20\nFunction : k\n.const 2 0x1\n.const 2 0x1\nEXIT;\n",
	       "bank 2 is here twice");
	refuse("", "no instructions found");
	refuse("architecture {sm_10}\ncode { name = x bincode { 0x80000000 } }",
	       "unknown instruction 0x80000000 at 0x0000");
	refuse("architecture {sm_10}\ncode { name = x bincode { 0x30000003", "not closed");
	refuse("architecture {sm_20}\ncode { name = x }", "sm_10 to sm_13");
	refuse("\177ELF", "ELF");
	/* a line of text does not ask for a gigabyte of initial values */
#define Y(name, bytes) "reloc { name = " name " segnum = 14 bytes = " bytes " mem { 7 } }\n"
	refuse("architecture {sm_11}\n" Y("y", "168558720"),
	       "y: variables with initial values take more than 4 MB");
	refuse("architecture {sm_11}\n" Y("y", "3000000") Y("z", "3000000"),
	       "z: variables with initial values take more than 4 MB");
	refuse("code for sm_20\n.global a 3000000 1\n.global b 3000000 1\nFunction : k\nEXIT;\n",
	       ".global b: variables with initial values take more than 4 MB");
}

/* Facts that toolkits' Tesla listings omit. Without its word the last instruction ends the thread,
 * unless it jumps or states its successor; operands that only the word contains cause a warning. */
static void test_hidden_parts(void **st)
{
	static const struct {
		const char *text;
		uint64_t last;
		unsigned warnings;
	} t[] = {
		{"GST.U32 global14[R0], R1;\n", 0xa0c00781d00e0005ull, 0},
		{"GST.U32 global14[R0], R1; /* 0xa0c00780d00e0005 */\n...............................\n",
		 0xa0c00780d00e0005ull, 0},
		{"NOP;\n", 0xe0000001f0000001ull, 0},
		{"NOP.S;\n", 0xe0000002f0000001ull, 0},
		{"GST.U32 global14[R0], R1;\nBRA 0x0;\n", 0x0000078010000003ull, 0},
		{"MVI R2, 0x1;\n", 0x0000000310018009ull, 0},
		{".dialect full\nGST.U32 global14[R0], R1;\n", 0xa0c00780d00e0005ull, 0},
		{"TEX;\nMOV32 R0, R1;\n", 0x10008200, 1},
		{"TEX; /* 0x0000c784f2840411 */\nMOV32 R0, R1;\n", 0x10008200, 0},
		{"TEX R0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0;\nMOV32 R0, R1;\n", 0x10008200, 0},
	};
	(void)st;
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		struct diag d = {0};
		struct nmodule m = {0};
		char text[256];
		snprintf(text, sizeof text, "code for sm_12\nFunction : k\n%s", t[i].text);
		assert_true(native_read(&m, "test", text, strlen(text), &d));
		const struct nkernel *k = &m.kernel.v[0];
		if (k->inst[k->ninst - 1].word != t[i].last)
			fail_msg("'%s': the last word is %#llx", t[i].text,
				 (unsigned long long)k->inst[k->ninst - 1].word);
		unsigned n = 0;
		for (size_t j = 0; j < d.n; j++)
			n += strstr(d.msg[j].text, "does not say the registers") != NULL;
		assert_int_equal(n, t[i].warnings);
		diag_free(&d);
		native_module_free(&m);
	}
}

/* A file that ends anywhere is read, or refused with a reason. */
static void test_beginnings(void **st)
{
	static const char *const file[] = {
		"tests/data/native/vecadd10.cubin",
		"tests/data/native/sum.sass",
		"tests/fuzz/corpus/cubin/reloc.cubin",
		"tests/fuzz/corpus/cubin/sum64.cubin",
		"tests/fuzz/corpus/cubin/printf.cubin",
		"tests/fuzz/corpus/cubin/variables10.cubin",
		"tests/fuzz/corpus/sass/printf.sass",
		"tests/fuzz/corpus/sass/vecadd10.ptxplus",
		"tests/fuzz/corpus/sass/functions.sass",
	};
	(void)st;
	for (unsigned f = 0; f < sizeof file / sizeof *file; f++) {
		size_t n;
		char *s = slurp(file[f], &n);
		for (size_t k = 0; k <= n; k++) {
			struct diag d = {0};
			struct nmodule m = {0};
			bool ok = native_read(&m, "cut", s, k, &d);
			if (ok != !d.errors)
				fail_msg("%s: %zu bytes: %s, %u errors", file[f], k,
					 ok ? "read" : "refused", d.errors);
			if (ok)
				native_module_free(&m);
			diag_free(&d);
		}
		free(s);
	}
}

static void test_line_numbers(void **st)
{
	const char *s = "code for sm_20\nFunction : k\nMOV R1, R2;\nFROB R1;\n";
	struct diag d = {0};
	struct nmodule m = {0};
	(void)st;
	assert_false(native_read(&m, "k.sass", s, strlen(s), &d));
	assert_int_equal(d.n, 1);
	assert_int_equal(d.msg[0].line, 4);
	assert_string_equal(d.msg[0].file, "k.sass");
	diag_free(&d);
}

/* Cut at every length, and every byte changed: never a crash, never a silent failure. */
static void test_damaged_elf(void **st)
{
	size_t n, size;
	char *s = slurp("tests/data/native/sum.sass", &n);
	struct nmodule m;
	(void)st;
	load(&m, s, n);
	m.addr64 = true;
	uint8_t *cubin = native_cubin_write(&m, &size), *bad = malloc(size);
	native_module_free(&m);
	unsigned refused = 0;
	for (size_t i = 0; i < 2 * size; i++) {
		struct diag d = {0};
		memcpy(bad, cubin, size);
		if (i >= size)
			bad[i - size] ^= (uint8_t)(0xff >> (i % 7));
		memset(&m, 0, sizeof(m));
		bool ok = native_read(&m, "bad", bad, i < size ? i : size, &d);
		assert_int_equal(ok, d.errors == 0);
		if (i < size)
			assert_false(ok);
		refused += !ok;
		native_module_free(&m);
		diag_free(&d);
	}
	assert_true(refused > size);
	free(cubin);
	free(bad);
	free(s);
}

/* The 32 conversions of the thesis's section 4.1. */
static void test_ptxplus(void **st)
{
	static const char *const pair[][2] = {
		{"MOV R1, c [0x1] [0x100]", "mov.u32 $r1, 0x00000000;"},
		{"S2R R0, SR_CTAid_X", "cvt.u32.u32 $r0, %ctaid.x;"},
		{"S2R R2, SR_Tid_X", "cvt.u32.u32 $r2, %tid.x;"},
		{"PBK 0x150", "pbk.u32 0x00000150;"},
		{"LD R0, [R0]", "ld.global.u32 $r0, $r0;"},
		{"MOV R0, RZ", "mov.u32 $r0, 0x00;"},
		{"SSY 0xf8", "ssy.u32 0x000000f8;"},
		{"@P0 NOP.S CC.T", "@$p0 nop.s;"},
		{"BRK", "brk.u32;"},
		{"ST [R2], R0", "st.global.u32 $r2, $r0;"},
		{"ISCADD R5, R4, c [0x0] [0x28], 0x2",
		 "iscadd.u32 $r5, $r4, k [0x0018], 0x00000002;"},
		{"STS [R12+0x180], R11", "st.shared.u32 $r12, 0x00000180, $r11;"},
		{"LDS R12, [R9+0x2e80]", "ld.shared.u32 $r12, $r9, 0x00002e80;"},
		{"@P0 BRA.U 0x860", "@$p0 bra.uni.u32 l0x00000860;"},
		{"MOV R10, c [0x2] [0x4]", "mov.u32 $r10, constant2[0x0004];"},
		{"LDU R10, [R5]", "ldu.global.u32 $r10, $r5, 0x00;"},
		{"LD_LDU.32.32 R16, R15, [R17], [R5+0x4]",
		 "ldu.global.u32 $r16, $r15, $r17, $r5, 0x00000004;"},
		{"F2F.F32.F64 R6, R8", "cvt.f32.f64 $r6, $r8;"},
		{"F2F.TRUNC R8, R8", "cvt.rz.u32 $r8, $r8;"},
		{"@P0 FMUL R8, R8, 0x3f000", "@$p0 mul.f32 $r8, $r8, 0x3f000000;"},
		{"RRO.EX2 R7, R8", "rro.f32 $r7, $r8;"},
		{"MUFU.EX2 R9, R7", "ex2.f32 $r9, $r7;"},
		{"MUFU.RCP R7, R7", "rcp.f32 $r7, $r7;"},
		{"FFMA R7, R9, R7, c [0x10] [0xc]",
		 "fma.f32 $r7, $r9, $r7, constant1_Z17executeFirstLayerPfS_S_[0x000c];"},
		{"SEL R8, R8, c [0x10] [0x10], P0",
		 "selp.u32 $r8, $r8, constant1_Z17executeFirstLayerPfS_S_[0x0010], $p0;"},
		{"LDC.64 R2, c [0x2] [R5+0x8]",
		 "mov.const.u32.doublereg $r2, constant2[$r5+0x0008];"},
		{"LD_LDU.32.32 R15, R12, [R11+0x2a4], [R0+0x24]",
		 "ldu.global.u32 $r15, $r12, $r11, 0x000002a4, $r0, 0x00000024;"},
		{"ICMP.LT R6, R8, RZ, R4", "icmp.lt.s32 $r6, $r8, 0x00, $r4;"},
		{"IMNMX R5, R5, R6, !pt", "imnmx.u32 $r5, $r5, $r6, !pt;"},
		{"VADD.S32.S8.MIN R7, R0, 0x1, R7", "vadd.min.s32.s8 $r7, $r0, 0x00000001, $r7;"},
		{"PSETP.AND.AND P1, pt, P2, P1, P0", "psetp.and.and.s32 $p1, pt, $p2, $p1, $p0;"},
		{"VMNMX.ACC R11, R10, R8, R11", "vmnmx.acc.u32 $r11, $r10, $r8, $r11;"},
	};
	(void)st;
	for (unsigned i = 0; i < sizeof(pair) / sizeof(*pair); i++) {
		struct ninst in;
		char err[160], b[320];
		assert_true(native_assemble(NATIVE_FERMI, pair[i][0], strlen(pair[i][0]), 0, NULL,
					    NSTYLE_CUDA4, &in, err, sizeof(err)));
		native_ptxplus(&in, "_Z17executeFirstLayerPfS_S_", false, b, sizeof(b));
		assert_string_equal(b, pair[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(test_cycles),       cmocka_unit_test(test_listing),
		cmocka_unit_test(test_textcubin),    cmocka_unit_test(test_hidden_parts),
		cmocka_unit_test(test_beginnings),   cmocka_unit_test(test_tesla_styles),
		cmocka_unit_test(test_fermi_styles), cmocka_unit_test(test_bad_listing),
		cmocka_unit_test(test_line_numbers), cmocka_unit_test(test_damaged_elf),
		cmocka_unit_test(test_ptxplus),
	};
	return cmocka_run_group_tests(t, NULL, NULL);
}
