/* The PTX reader and the linker: what each construct of the text becomes, and what is said about
 * texts that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "front/ptx/ptx.h"

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"
#define BODY(decl, code) HEAD decl " .visible .entry k()\n{\n" code "\n}\n"

static struct diag diag;

static struct module *read_n(const char *text, size_t n, bool want)
{
	struct module *m = module_new();
	bool ok = ptx_read(m, "t.ptx", text, n, &diag) && module_link(m, &diag);
	if (ok != want) {
		char *s = diag_string(&diag);
		print_message("%s", s);
		free(s);
	}
	assert_int_equal(ok, want);
	assert_int_equal(diag.errors == 0, want);
	return m;
}

static struct module *load(const char *text) { return read_n(text, strlen(text), true); }

static int teardown(void **state)
{
	(void)state;
	diag_free(&diag);
	return 0;
}

/* The text is refused with exactly these messages. */
static void refuse(const char *text, const char *messages)
{
	struct module *m = read_n(text, strlen(text), false);
	char all[4096] = "";
	size_t n = 0;
	for (unsigned i = 0; i < diag.n; i++)
		n += (size_t)snprintf(all + n, sizeof all - n, "%u:%u: %s\n", diag.msg[i].line, diag.msg[i].col,
				      diag.msg[i].text);
	assert_string_equal(all, messages);
	module_free(m);
	diag_free(&diag);
}

static const struct inst *code(const struct module *m, const char *kernel, size_t i)
{
	struct func *f = module_kernel(m, kernel);
	assert_non_null(f);
	assert_true(i < f->code.n);
	return &f->code.v[i];
}

static struct var *var(const struct module *m, const char *name)
{
	struct var *v = module_var(m, name);
	assert_non_null(v);
	return v;
}

static struct func *func(const struct module *m, const char *name)
{
	struct symbol *s = map_get(&m->symbols, name);
	assert_non_null(s);
	assert_non_null(s->func);
	return s->func;
}

/* ---- module ---- */

static void test_header(void **state)
{
	(void)state;
	struct module *m = load(".version 1.4\n.target sm_13, map_f64_to_f32, debug\n.address_size 32\n");
	assert_int_equal(m->version, 14);
	assert_int_equal(m->target, 13);
	assert_int_equal(m->address_size, 32);
	assert_true(m->f64_to_f32);
	module_free(m);
	m = load(".version 8.7 .target sm_120f, texmode_unified");
	assert_int_equal(m->version, 87);
	assert_int_equal(m->target, 120);
	assert_int_equal(m->address_size, 64);
	assert_true(m->texmode_unified);
	module_free(m);
	module_free(load(""));
	refuse(".target sm_20\n", "1:1: expected .version as the first directive, found '.target'\n");
	refuse(".version 10.2\n", "1:10: PTX 10.2 is not supported (1.0 to 9.x are)\n");
	refuse(".version 7.0\n.target sm_20, fast\n", "2:16: 'fast' is not a known target\n");
	refuse(HEAD ".address_size 48\n", "4:15: the address size is 32 or 64\n");
}

static void test_comments_and_debugging_lines(void **state)
{
	(void)state;
	struct module *m = load(HEAD "# 1 \"a.cu\"\n/* a\n b */ // c\n"
				     ".file 1 \"a.cu\"\n.file 7 \"b.h\", 1234, 99\n"
				     ".visible .entry k()\n{\n.loc 7 31 5\n@@DWARF .byte 1\n"
				     "bar.sync 0;\n.loc 1 8 2, function_name $L__s0+4, inlined_at 7 3 1\n"
				     ".pragma \"nounroll\";\nbar.sync 0;\n}\n"
				     ".section .debug_str { $L__s0: .b8 1, 2 {} }\n.section .debug_loc { }\n");
	assert_string_equal(m->files.v[code(m, "k", 0)->src_file - 1], "b.h");
	assert_int_equal(code(m, "k", 0)->src_line, 31);
	assert_string_equal(m->files.v[code(m, "k", 1)->src_file - 1], "a.cu");
	assert_int_equal(code(m, "k", 1)->src_line, 8);
	module_free(m);
	refuse(HEAD "/* open", "4:1: comment is not closed\n");
	refuse(HEAD ".section .x { .b8 \x01", "4:20: expected '}' at the end of the section, found the end of the file\n");
}

/* ---- kernels and functions ---- */

static void test_kernel_parameters(void **state)
{
	(void)state;
	struct module *m = load(HEAD ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b,\n"
				     ".param .align 4 .b8 c[6], .param .f64 d, .param .v4 .f32 e)\n"
				     ".maxntid 128, 2\n.reqntid 64 .minnctapersm 3 .maxnctapersm 4 .maxnreg 40\n"
				     ".reqnctapercluster 1, 1, 1 .explicitcluster .pragma \"x\"; { ret; }\n");
	struct func *f = func(m, "k");
	static const uint64_t offset[] = {0, 8, 16, 24, 32}, size[] = {1, 8, 6, 8, 16};
	assert_int_equal(f->proto.nparam, 5);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(f->proto.param[i]->space, SP_PARAM);
		assert_int_equal(f->proto.param[i]->addr, offset[i]);
		assert_int_equal(f->proto.param[i]->size, size[i]);
	}
	assert_int_equal(f->param_bytes, 48);
	assert_int_equal(f->proto.param[1]->ptr_space, SP_GLOBAL);
	assert_int_equal(f->proto.param[2]->count, 6);
	assert_true(f->proto.param[2]->is_array);
	assert_int_equal(f->maxntid[0], 128);
	assert_int_equal(f->maxntid[1], 2);
	assert_int_equal(f->maxntid[2], 1);
	assert_int_equal(f->reqntid[0], 64);
	assert_int_equal(f->minnctapersm, 3);
	assert_int_equal(f->maxnctapersm, 4);
	assert_int_equal(f->maxnreg, 40);
	assert_int_equal(f->cluster[0], 1);
	module_free(m);
}

static void test_parameters_in_the_body_of_ptx_1(void **state)
{
	(void)state;
	struct module *m = load(".version 1.0 .target sm_10\n.entry k { .reg .u32 $r1; .param .u32 a; .param .u16 b;\n"
				"ld.param.u32 $r1, [a]; exit; }\n");
	struct func *f = func(m, "k");
	assert_int_equal(f->proto.nparam, 2);
	assert_int_equal(f->proto.param[1]->addr, 4);
	assert_int_equal(f->param_bytes, 6);
	assert_int_equal(code(m, "k", 0)->space, SP_PARAM);
	module_free(m);
}

static void test_four_coordinates_before_ptx_3(void **state)
{
	(void)state;
#define FETCH "\n.target sm_20\n.tex .u64 t;\n.entry k { .reg .f32 %f<4>; .reg .b32 %r<4>;\n" \
	      "tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3},[t,{%r0,%r1,%r2,%r3}]; exit; }\n"
	struct module *m = load(".version 2.3" FETCH);
	assert_int_equal(code(m, "k", 0)->grp[1], 1);
	module_free(m);
	refuse(".version 3.0" FETCH, "5:40: 'tex.1d.v4.f32.s32' wants 1 element here, not 4\n");
}

static void test_frame_layout(void **state)
{
	(void)state;
	struct module *m = load(HEAD ".func (.param .b32 r0, .param .b64 r1) f(.param .b8 a, .param .align 16 .b8 b[20])\n"
				     "{\n.local .align 8 .b8 depot[40];\n"
				     "{ .param .b64 x; .param .b32 y; }\n{ .param .b64 x; }\n.local .u32 z;\nret; }\n");
	struct func *f = func(m, "f");
	assert_int_equal(f->proto.ret[0]->addr, 0);
	assert_int_equal(f->proto.ret[1]->addr, 8);
	assert_int_equal(f->proto.param[0]->addr, 16);
	assert_int_equal(f->proto.param[1]->addr, 32);
	assert_int_equal(f->vars.n, 5);
	static const uint64_t offset[] = {56, 96, 104, 96, 96}; /* a block's .param bytes are reused */
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(f->vars.v[i]->addr, offset[i]);
	assert_int_equal(f->vars.v[0]->space, SP_LOCAL);
	assert_int_equal(f->vars.v[1]->space, SP_FRAME);
	assert_int_equal(f->frame_bytes, 112);
	module_free(m);
}

static void test_local_variables_of_the_module(void **state)
{
	(void)state;
	struct module *m = load(HEAD ".local .align 8 .b8 g[20];\n.visible .entry k() { .local .u32 x; ret; }\n");
	assert_int_equal(m->local_bytes, 32);
	assert_int_equal(var(m, "g")->addr, 0);
	assert_int_equal(func(m, "k")->vars.v[0]->addr, 32);
	assert_int_equal(func(m, "k")->frame_bytes, 48);
	assert_true(module_link(m, &diag)); /* linking again moves nothing */
	assert_int_equal(func(m, "k")->vars.v[0]->addr, 32);
	module_free(m);
}

static void test_end_of_body_returns(void **state)
{
	(void)state;
	struct module *m = load(HEAD ".visible .entry a() { }\n.visible .entry b() { .reg .pred p; @p ret; }\n"
				     ".visible .entry c() { bra L; ret; L: }\n.visible .entry d() { exit; unused: }\n");
	static const struct { const char *name; size_t n; enum op last; } want[] = {
		{"a", 1, OP_RET}, {"b", 2, OP_RET}, {"c", 3, OP_RET}, {"d", 1, OP_EXIT}};
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(func(m, want[i].name)->code.n, want[i].n);
		assert_int_equal(code(m, want[i].name, want[i].n - 1)->op, want[i].last);
	}
	module_free(m);
}

/* ---- registers and scopes ---- */

static void test_registers_are_made_when_named(void **state)
{
	(void)state;
	struct module *m = load(BODY("", ".reg .b32 %r<1000>, x, y;\n.reg .pred %p<2>;\nadd.s32 %r999, x, %r0;\n"
					 "@!%p1 add.s32 %r0, %r0, 1;"));
	struct func *f = func(m, "k");
	assert_int_equal(f->regs.n, 5);
	assert_string_equal(f->regs.v[code(m, "k", 0)->opnd[0].reg].name, "%r999");
	assert_string_equal(f->regs.v[code(m, "k", 1)->guard].name, "%p1");
	assert_true(code(m, "k", 1)->guard_neg);
	assert_int_equal(code(m, "k", 0)->guard, NO_REG);
	module_free(m);
	refuse(BODY("", ".reg .b32 %r<4>;\nadd.s32 %r1, %r2, %r4;"),
	       "7:19: '%r4' is not among the registers %r<4>\n");
	refuse(BODY("", ".reg .b32 %value;\nadd.s32 %value, %valve, 1;"),
	       "7:17: '%valve' is not declared; did you mean '%value'?\n");
	refuse(BODY("", ".reg .b32 a, b, a;"), "6:17: 'a' is declared twice in this scope (first in line 6)\n");
	refuse(BODY("", ".reg .b32 %r<4>;\n.reg .f32 %r2;"),
	       "7:11: '%r2' is declared twice in this scope (first in line 6)\n");
	refuse(BODY("", ".reg .b32 %r2;\n.reg .f32 %r<4>;"), "7:11: '%r' is declared twice in this scope\n");
	refuse(BODY("", ".reg .b32 %tid;"), "6:11: '%tid' is a special register\n");
	refuse(BODY("", ".reg .b32 %r<99999999999>;"), "6:14: more than 16777216 names\n");
	refuse(HEAD ".reg .b32 a;", "4:1: registers can only be declared inside a function\n");
}

static void test_vector_registers(void **state)
{
	(void)state;
	struct module *m = load(BODY("", ".reg .v4 .u32 v; .reg .v2 .f32 w<3>; .reg .b64 d;\n"
					 "ld.v2.f32 w2, [d];\nadd.f32 w1.x, w2.g, w2.r;\nmov.v4.u32 v, %ctaid;"));
	struct func *f = func(m, "k");
	const struct inst *add = code(m, "k", 1);
	assert_int_equal(code(m, "k", 0)->nd, 2);
	assert_string_equal(f->regs.v[add->opnd[0].reg].name, "w1.x");
	assert_string_equal(f->regs.v[add->opnd[1].reg].name, "w2.y");
	assert_string_equal(f->regs.v[add->opnd[2].reg].name, "w2.x");
	for (unsigned i = 0; i < 4; i++) {
		const struct inst *in = code(m, "k", 2 + i);
		assert_int_equal(in->op, OP_SREG);
		assert_int_equal(inst_src(in, 0)->reg, SREG_CTAID);
		assert_int_equal(inst_src(in, 0)->sub, i);
	}
	module_free(m);
}

static void test_blocks_hide_names(void **state)
{
	(void)state;
	struct module *m = load(BODY("", ".reg .b32 a; .reg .b32 %r<2>;\n"
					 "{ .reg .f32 a; .reg .f32 %r<2>; mov.f32 a, %r1; }\nmov.b32 a, %r1;"));
	struct func *f = func(m, "k");
	assert_int_equal(f->regs.v[code(m, "k", 0)->opnd[0].reg].type, T_F32);
	assert_int_equal(f->regs.v[code(m, "k", 0)->opnd[1].reg].type, T_F32);
	assert_int_equal(f->regs.v[code(m, "k", 1)->opnd[0].reg].type, T_B32);
	assert_int_equal(f->regs.v[code(m, "k", 1)->opnd[1].reg].type, T_B32);
	module_free(m);
	refuse(BODY("", "{ .reg .b32 inner; }\nmov.b32 inner, 0;"), "7:9: 'inner' is not declared\n");
}

static void test_labels(void **state)
{
	(void)state;
	/* 0: the outer A; 1: the block's own A, defined behind it; 2: B of the function, behind the block */
	struct module *m = load(BODY("", "A: bra A;\n{ bra A; bra B; A: bar.sync 0; }\nB: ret;"));
	static const uint32_t target[] = {0, 3, 4};
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(code(m, "k", i)->target, target[i]);
	module_free(m);
	m = load(BODY("", ".reg .u32 i;\nts: .branchtargets L1, L0, L1;\n{ brx.idx i, ts; }\nL0: bar.sync 0; L1: ret;"));
	struct targets *t = &func(m, "k")->targets.v[0];
	assert_int_equal(t->n, 3);
	assert_int_equal(t->pc[0], 2);
	assert_int_equal(t->pc[1], 1);
	module_free(m);
	refuse(BODY("", "bra away;\n{ bra gone; }"),
	       "7:7: label 'gone' is not defined\n6:5: label 'away' is not defined\n");
	refuse(BODY("", "L: L: ret;"), "6:4: label 'L' is defined twice (first in line 6)\n");
}

/* ---- operands ---- */

static void test_integer_literals_and_expressions(void **state)
{
	(void)state;
	static const struct { const char *text; uint32_t value; } t[] = {
		{"0", 0}, {"42", 42}, {"0x1F", 31}, {"0X1fU", 31}, {"017", 15}, {"0b101", 5}, {"0B11U", 3},
		{"7U", 7}, {"-1", UINT32_MAX}, {"+3", 3}, {"~0", UINT32_MAX}, {"!5", 0}, {"!0", 1},
		{"WARP_SZ", 32}, {"WARP_SZ*2", 64}, {"1+2*3", 7}, {"(1+2)*3", 9}, {"7-2-1", 4}, {"1<<4|1", 17},
		{"-7/2", (uint32_t)-3}, {"-7%3", (uint32_t)-1}, {"5>3 && 2<1", 0}, {"5>=5 || 0", 1},
		{"1 ? 10 : 20", 10}, {"0 ? 1 : 0 ? 2 : 3", 3}, {"6 & 3 ^ 1", 3}, {"-1 < 1U", 0}, {"-1 < 1", 1},
		{"(.u64)-1 > 0", 1}, {"-8 >> 1", (uint32_t)-4}, {"2.5 < 3", 1}, {"1 == 1.0", 1}};
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		char text[256];
		snprintf(text, sizeof text, BODY("", ".reg .b32 a;\nmov.b32 a, %s;"), t[i].text);
		struct module *m = load(text);
		assert_int_equal((uint32_t)inst_src(code(m, "k", 0), 0)->imm, t[i].value);
		module_free(m);
	}
	refuse(BODY("", ".reg .b32 a;\nmov.b32 a, 08;\nmov.b32 a, 1/0;\nmov.b32 a, 99999999999999999999;\n"
			"mov.b32 a, 0b12;\nmov.b32 a, 5x;"),
	       "7:12: malformed octal number\n8:15: division by zero in a constant expression\n"
	       "9:12: number does not fit in 64 bits\n10:12: malformed number\n11:12: malformed number\n");
}

static void test_floating_literals(void **state)
{
	(void)state;
	static const struct { const char *text; uint32_t bits; } t[] = {
		{"0f3F800000", 0x3f800000}, {"0Fbf800000", 0xbf800000}, {"1.5", 0x3fc00000}, {"-1.5", 0xbfc00000},
		{"0d3FF8000000000000", 0x3fc00000}, {"1e2", 0x42c80000}, {"2.", 0x40000000}, {".5", 0x3f000000},
		{"-0f7F800000", 0xff800000}, {"1.0e-1", 0x3dcccccd}};
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		char text[256];
		snprintf(text, sizeof text, BODY("", ".reg .f32 a;\nmov.f32 a, %s;"), t[i].text);
		struct module *m = load(text);
		assert_int_equal((uint32_t)inst_src(code(m, "k", 0), 0)->imm, t[i].bits);
		module_free(m);
	}
	refuse(BODY("", ".reg .f32 a;\nmov.f32 a, 0f3F80;"), "7:12: 0f needs exactly 8 hexadecimal digits\n");
}

static void test_addresses(void **state)
{
	(void)state;
	struct module *m = load(BODY(".global .u32 g[8];", ".reg .b64 d; .reg .b32 r;\nld.global.u32 r, [d];\n"
				"ld.global.u32 r, [d+8];\nld.global.u32 r, [d+-8];\nld.global.u32 r, [d-8+2*2];\n"
				"ld.global.u32 r, [g];\nld.global.u32 r, [g+12];\nld.global.u32 r, g[3];\n"
				"ld.global.u32 r, [64];\nmov.u64 d, g;\nmov.u64 d, g+4;\nmov.u64 d, g[2];"));
	static const struct { enum opnd_kind kind; bool sym; int64_t imm; } t[] = {
		{OPND_MEM, false, 0}, {OPND_MEM, false, 8}, {OPND_MEM, false, -8}, {OPND_MEM, false, -4},
		{OPND_MEM, true, 0}, {OPND_MEM, true, 12}, {OPND_MEM, true, 12}, {OPND_MEM, false, 64},
		{OPND_SYM, true, 0}, {OPND_SYM, true, 4}, {OPND_SYM, true, 8}};
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		const struct opnd *o = inst_src(code(m, "k", i), 0);
		assert_int_equal(o->kind, t[i].kind);
		assert_int_equal(o->sym == var(m, "g"), t[i].sym);
		assert_int_equal(o->imm, t[i].imm);
	}
	module_free(m);
}

static void test_special_registers(void **state)
{
	(void)state;
	struct module *m = load(BODY("", ".reg .b32 r; .reg .b64 d;\nmov.u32 r, %tid.z;\nmov.u32 r, %envreg31;\n"
					 "mov.u32 r, %pm7;\nmov.u64 d, %pm2_64;\nmov.u64 d, %clock64;\nmov.u32 r, %laneid;"));
	static const struct { enum sreg reg; unsigned sub; } t[] = {
		{SREG_TID, 2}, {SREG_ENVREG, 31}, {SREG_PM, 7}, {SREG_PM64, 2}, {SREG_CLOCK64, 0}, {SREG_LANEID, 0}};
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		assert_int_equal(inst_src(code(m, "k", i), 0)->reg, t[i].reg);
		assert_int_equal(inst_src(code(m, "k", i), 0)->sub, t[i].sub);
	}
	module_free(m);
	refuse(BODY("", ".reg .b32 r;\nmov.u32 r, %tid.q;"),
	       "7:16: expected a component: .x, .y, .z or .w, found '.q'\n");
}

/* ---- variables ---- */

static void expect_bytes(const struct module *m, const char *name, const char *hex)
{
	const struct var *v = var(m, name);
	char text[512] = "";
	for (size_t i = 0; i < v->size && i < 200; i++)
		snprintf(text + 2 * i, 3, "%02x", v->init[i]);
	assert_string_equal(text, hex);
}

static void test_initialisers(void **state)
{
	(void)state;
	struct module *m = load(HEAD
		".global .u8 a = 300;\n.global .s16 b[3] = {-1, 2};\n.const .u32 c[] = {1, 2, 3};\n"
		".global .f32 d[2] = {1, -0.5};\n.global .f64 e = 0f3f800000;\n.global .b32 f = 0f3f800000;\n"
		".global .u8 g[2][3] = {{1}, {2, 3}};\n.global .u8 h[][2] = {{1, 2}, {3}};\n"
		".global .u8 i[2][2] = {1, 2, 3};\n.global .v2 .u8 j[2] = {{1, 2}, {3, 4}};\n"
		".global .b8 s[4] = \"ab\";\n.global .u32 x, y = 7, z[2];\n.global .align 16 .b8 big[1000000000];\n");
	expect_bytes(m, "a", "2c");
	expect_bytes(m, "b", "ffff02000000");
	expect_bytes(m, "c", "010000000200000003000000");
	expect_bytes(m, "d", "0000803f000000bf");
	expect_bytes(m, "e", "000000000000f03f");
	expect_bytes(m, "f", "0000803f");
	expect_bytes(m, "g", "010000020300");
	expect_bytes(m, "h", "01020300");
	expect_bytes(m, "i", "01020300");
	expect_bytes(m, "j", "01020304");
	expect_bytes(m, "s", "61620000");
	expect_bytes(m, "y", "07000000");
	assert_null(var(m, "x")->init);
	assert_int_equal(var(m, "z")->size, 8);
	assert_int_equal(var(m, "c")->count, 3);
	assert_int_equal(var(m, "big")->align, 16);
	assert_int_equal(var(m, "b")->align, 2);
	module_free(m);
	refuse(HEAD ".global .u8 a[2] = {1, 2, 3};\n.global .u32 b = {{1}};\n.global .u32 c = 1.5;\n"
		    ".shared .u32 d = 1;\n.global .u32 e[2] = {1 2};\n.global .u8 f[99999999999999999999];\n"
		    ".shared .u8 g[4][99999999];\n.global .u8 h[];\n.global .align 3 .u8 i;\n.global .pred p;\n",
	       "4:28: too many initialisers: 'a' has 2 bytes\n5:19: the lists nest deeper than the variable\n"
	       "6:18: a floating-point number cannot initialise a .u32\n"
	       "7:16: only .global and .const variables can have an initialiser\n"
	       "8:24: expected ',' or '}' in the initialiser, found '2'\n"
	       "9:15: number does not fit in 64 bits\n"
	       "10:14: 'g' is too large: a variable in this state space has at most 16777216 bytes\n"
	       "11:13: 'h' has no size: only extern variables may leave it open\n"
	       "12:16: an alignment is a power of two\n13:15: a predicate can only be a register\n");
}

static void test_addresses_in_initialisers(void **state)
{
	(void)state;
	struct module *m = load(HEAD ".global .u32 a[4];\n"
		".global .u64 p[5] = {a, a+4, a-4, generic(a)+8, later};\n"
		".global .u8 q[4] = {7, 0xFF(a), 0xFF00(generic(a)+2), 9};\n.global .u64 f = fn;\n"
		".global .u32 later;\n.func fn() { ret; }\n");
	const struct var *p = var(m, "p"), *q = var(m, "q");
	static const struct { uint32_t offset; bool generic; int64_t addend; } t[] = {
		{0, false, 0}, {8, false, 4}, {16, false, -4}, {24, true, 8}, {32, false, 0}};
	assert_int_equal(p->reloc.n, 5);
	for (unsigned i = 0; i < 5; i++) {
		const struct reloc *r = &p->reloc.v[i];
		assert_int_equal(r->offset, t[i].offset);
		assert_int_equal(r->size, 8);
		assert_int_equal(r->generic, t[i].generic);
		assert_int_equal(r->addend, t[i].addend);
		assert_ptr_equal(r->var, var(m, i == 4 ? "later" : "a"));
	}
	assert_int_equal(q->reloc.n, 2);
	assert_int_equal(q->reloc.v[0].shift, 0);
	assert_int_equal(q->reloc.v[1].shift, 8);
	assert_int_equal(q->reloc.v[1].size, 1);
	assert_int_equal(q->reloc.v[1].offset, 2);
	assert_int_equal(q->reloc.v[1].addend, 2);
	expect_bytes(m, "q", "07000009");
	assert_ptr_equal(var(m, "f")->reloc.v[0].func, func(m, "fn"));
	assert_true(func(m, "fn")->addr_taken);
	module_free(m);
	refuse(HEAD ".global .u64 p = missing;\n.global .u8 q = 0xF0(p);\n",
	       "5:17: a mask selects one byte: 0xFF, 0xFF00, ...\n4:18: 'missing' is not declared\n");
}

static void test_state_spaces(void **state)
{
	(void)state;
	struct module *m = load(HEAD ".tex .u32 t;\n.global .texref u;\n"
		".global .samplerref s = {filter_mode = nearest, addr_mode_0 = wrap, normalized_coords = 1};\n"
		".extern .shared .align 16 .b8 dyn[];\n.const[3] .u32 c;\n.global .attribute(.managed) .u32 mg;\n"
		".visible .entry k() { .shared .u8 sh[10]; .const .u8 cc = 3; ret; }\n");
	assert_int_equal(var(m, "t")->type, T_TEXREF);
	assert_int_equal(var(m, "u")->type, T_TEXREF);
	const struct var *s = var(m, "s");
	assert_int_equal(s->nprop, 3);
	assert_string_equal(s->prop[0].name, "filter_mode");
	assert_string_equal(s->prop[0].word, "nearest");
	assert_int_equal(s->prop[2].value, 1);
	assert_true(var(m, "dyn")->unsized);
	assert_int_equal(var(m, "c")->space, SP_CONST);
	assert_true(var(m, "mg")->managed);
	struct func *k = func(m, "k");
	assert_int_equal(k->vars.n, 2);
	assert_int_equal(k->vars.v[0]->space, SP_SHARED);
	assert_ptr_equal(k->vars.v[0]->owner, k);
	assert_int_equal(k->vars.v[1]->init[0], 3);
	assert_null(module_var(m, "sh"));
	module_free(m);
}

/* ---- calls ---- */

static void test_calls(void **state)
{
	(void)state;
	struct module *m = load(BODY(
		".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
		".func (.param .b32 r) f (.param .b32 a)\n.func g;\n.weak .func w { ret; }\n",
		".reg .b64 d; .reg .b32 x;\n{ .param .b64 p0; .param .b64 p1; .param .b32 r0;\n"
		"call.uni (r0),\nvprintf,\n(\np0,\np1\n); }\n{ .param .b32 p0; .param .b32 r0; call (r0), f, (p0); }\n"
		"call g;\n{ .param .b32 p0; .param .b32 r0;\npr: .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;\n"
		"call (r0), d, (p0), pr; }\n{ .param .b32 p0; .param .b32 r0;\nct: .calltargets f; call (r0), d, (p0), ct; }")
		".func (.param .b32 r) f (.param .b32 a) { ret; }\n.func g { ret; }\n");
	struct func *k = func(m, "k");
	assert_int_equal(k->calls.n, 5);
	assert_int_equal(k->calls.v[0].func->builtin, BI_VPRINTF);
	assert_ptr_equal(k->calls.v[1].func, func(m, "f"));
	assert_true(func(m, "f")->defined);
	assert_ptr_equal(k->calls.v[2].func, func(m, "g"));
	assert_null(k->calls.v[3].func);
	assert_int_equal(k->calls.v[3].proto.nparam, 1);
	assert_true(k->calls.v[3].proto.noreturn);
	assert_int_equal(k->calls.v[4].ntarget, 1);
	assert_ptr_equal(k->calls.v[4].target[0], func(m, "f"));
	module_free(m);
}

/* Registers passed in calls go through frame variables: see callreg.c. */
static void test_calls_with_registers(void **state)
{
	(void)state;
	struct module *m = load(HEAD
		".func (.reg .u32 %r) add (.reg .u32 %a, .reg .u32 %b) { add.u32 %r, %a, %b; ret; }\n"
		".visible .entry k() { .reg .u32 x, y; call (x), add, (y, 7); exit; }\n");
	static const enum op callee[] = {OP_LD, OP_LD, OP_ADD, OP_ST, OP_RET};
	static const enum op caller[] = {OP_ST, OP_ST, OP_CALL, OP_LD, OP_EXIT};
	struct func *f = func(m, "add"), *k = func(m, "k");
	assert_int_equal(f->code.n, 5);
	assert_int_equal(k->code.n, 5);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(f->code.v[i].op, callee[i]);
		assert_int_equal(k->code.v[i].op, caller[i]);
	}
	const struct inst *call = &k->code.v[2];
	assert_int_equal(call->nd, 1);
	assert_int_equal(call->ns, 2);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(call->opnd[i].kind, OPND_PVAR);
	assert_ptr_equal(inst_src(&k->code.v[1], 0)->sym, call->opnd[2].sym);
	assert_int_equal(inst_src(&k->code.v[1], 1)->imm, 7);
	assert_ptr_equal(inst_src(&f->code.v[1], 0)->sym, f->proto.param[1]);
	assert_int_equal(f->proto.param[1]->addr, 8);
	assert_int_equal(f->code.v[1].space, SP_FRAME);
	module_free(m);
}

static void test_alias(void **state)
{
	(void)state;
	struct module *m = load(HEAD ".visible .func f() { ret; }\n.weak .func a();\n.alias a, f;\n"
				     ".visible .entry k() { call a; ret; }\n");
	assert_ptr_equal(func(m, "k")->calls.v[0].func, func(m, "f"));
	module_free(m);
	refuse(HEAD ".func f();\n.func a();\n.alias a, f;\n", "6:11: 'f' is not a function defined above\n");
}

/* ---- errors ---- */

static void test_syntax_errors(void **state)
{
	(void)state;
	refuse(BODY("", ".reg .b32 %r<4>;\nadd.u32 %r1, %r2 %r3;\nmov.u32 %r1, ;\n@%r1 ret;\nbar.sync 0\nret;"),
	       "7:18: expected ';' after the instruction, found '%r3'\n8:14: expected an operand, found ';'\n"
	       "9:2: '%r1' is not a predicate register\n11:1: expected ';' after the instruction, found 'ret'\n");
	refuse(HEAD "rubbish\n.entry k( .param .u33 x) { mov; }\n",
	       "4:1: expected a directive, found 'rubbish'\n5:18: expected a type such as .u32, found '.u33'\n");
	refuse(HEAD ".entry k( .param .u33 x) { mov; }\n.global .u32 y\n.global .u32 z;\n.entry 5() {}\n",
	       "4:18: expected a type such as .u32, found '.u33'\n6:1: expected ';' after the variable, found '.global'\n"
	       "7:8: expected the function's name, found '5'\n");
	refuse(HEAD ".entry k() { ret;\n.entry l() { ret; }\n",
	       "5:1: expected '}' at the end of 'k' (line 4), found '.entry'\n");
	refuse(HEAD ".entry k() {\nret;",
	       "5:5: expected '}' at the end of 'k' (line 4), found the end of the file\n");
	refuse(BODY("", "ret;\n\x01\x02\xff ret;\n.file 1 x"),
	       "7:1: bytes that are not PTX\n8:9: expected the name of the file in quotes, found 'x'\n");
	refuse(HEAD ".entry k() { }\n.entry k() { }\n.global .u32 g;\n.global .u32 g;\n.global .u32 k;\n",
	       "5:8: 'k' is defined twice (first in line 4)\n7:14: 'g' is defined twice (first in line 6)\n"
	       "8:14: 'k' is declared twice in this scope (first in line 4)\n");
}

static void test_message_shows_the_line(void **state)
{
	(void)state;
	struct module *m = read_n(BODY("", "\tmov.u32 %r1, 5;"), strlen(BODY("", "\tmov.u32 %r1, 5;")), false);
	char *s = diag_string(&diag);
	assert_string_equal(s, "t.ptx:6:10: error: '%r1' is not declared\n"
			       "     6 | \tmov.u32 %r1, 5;\n       | \t        ^\n");
	free(s);
	module_free(m);
}

static void test_bytes_and_limits(void **state)
{
	(void)state;
	static const char padded[] = HEAD "\0\0\0";
	module_free(read_n(padded, sizeof padded, true));
	static const char inside[] = HEAD ".global\0.u32 x;\n";
	module_free(read_n(inside, sizeof inside - 1, false));
	diag_free(&diag);
	static char deep[3000];
	size_t n = (size_t)snprintf(deep, sizeof deep, HEAD ".entry k() ");
	memset(deep + n, '{', 2000);
	module_free(read_n(deep, n + 2000, false));
	diag_free(&diag);
	n = (size_t)snprintf(deep, sizeof deep, HEAD ".global .u32 x = ");
	memset(deep + n, '(', 1000);
	module_free(read_n(deep, n + 1000, false));
	diag_free(&diag);
	memset(deep + n, '-', 1000);
	module_free(read_n(deep, n + 1000, false));
}

/* ---- linking ---- */

static void link_texts(const char *a, const char *b, const char *messages)
{
	struct module *m = module_new();
	assert_true(ptx_read(m, "a.ptx", a, strlen(a), &diag));
	assert_true(ptx_read(m, "b.ptx", b, strlen(b), &diag));
	bool ok = module_link(m, &diag);
	char all[1024] = "";
	size_t n = 0;
	for (unsigned i = 0; i < diag.n; i++)
		n += (size_t)snprintf(all + n, sizeof all - n, "%s:%u:%u: %s\n", diag.msg[i].file, diag.msg[i].line,
				      diag.msg[i].col, diag.msg[i].text);
	assert_string_equal(all, messages);
	assert_int_equal(ok, !*messages);
	module_free(m);
	diag_free(&diag);
}

#define USE(decl, name) HEAD decl ".visible .entry k() { .reg .b64 d; mov.u64 d, " name "; ret; }\n"

static void test_linking(void **state)
{
	(void)state;
	link_texts(USE(".extern .global .u32 g;\n", "g"), HEAD ".visible .global .u32 g = 5;\n", "");
	link_texts(USE(".extern .global .b8 g[];\n", "g"), HEAD ".visible .global .b8 g[100];\n", "");
	link_texts(USE(".extern .global .u32 g;\n", "g"), HEAD ".global .u32 g;\n",
		   "a.ptx:4:22: no text defines the extern variable 'g'\n");
	link_texts(HEAD ".extern .global .u32 unused;\n.extern .func f();\n", HEAD, "");
	link_texts(USE(".extern .global .u32 g;\n", "g"), HEAD ".visible .global .u64 g;\n",
		   "a.ptx:4:22: declaration and definition differ in the size of 'g'\n");
	link_texts(USE(".extern .const .u32 g;\n", "g"), HEAD ".visible .global .u32 g;\n",
		   "a.ptx:4:21: declaration and definition differ in the state space of 'g'\n");
	link_texts(HEAD ".visible .global .u32 g;\n", HEAD ".visible .global .u32 g;\n",
		   "b.ptx:4:23: more than one text defines the variable 'g'\n");
	link_texts(HEAD ".global .u32 g;\n.func f() { ret; }\n", HEAD ".global .u32 g;\n.func f() { ret; }\n", "");
	link_texts(HEAD ".weak .global .u32 g;\n.weak .func f() { ret; }\n",
		   HEAD ".visible .global .u32 g;\n.visible .func f() { ret; }\n", "");
	link_texts(HEAD ".visible .func f() { ret; }\n", HEAD ".visible .func f() { ret; }\n",
		   "b.ptx:4:16: more than one text defines the function 'f'\n");
	link_texts(HEAD ".extern .func f();\n.visible .entry k() { call f; ret; }\n", HEAD,
		   "a.ptx:4:15: no text defines the function 'f'\n");
	link_texts(HEAD ".extern .func f(.param .b32 a);\n.visible .entry k() { .param .b32 p; call f, (p); ret; }\n",
		   HEAD ".visible .func f(.param .b64 a) { ret; }\n",
		   "a.ptx:5:38: argument 1 of the call has 4 bytes, the function's has 8\n");
	link_texts(HEAD ".extern .func f(.param .b32 a);\n.visible .entry k() { .param .b32 p; call f, (p); ret; }\n",
		   HEAD ".visible .func f(.param .b32 a, .param .b32 b) { ret; }\n",
		   "a.ptx:5:38: the call passes 1 argument, 'f' has 2 parameters\n");
	link_texts(HEAD ".extern .func (.param .b32 r) f();\n.visible .entry k() { .param .b32 p; call (p), f; ret; }\n",
		   HEAD ".visible .func f() { ret; }\n", "a.ptx:5:38: the call takes 1 result, 'f' gives 0\n");
}

static void test_link_rewrites_to_definitions(void **state)
{
	(void)state;
	struct module *m = module_new();
	static const char a[] = HEAD ".weak .global .u32 g;\n.extern .func f();\n.visible .global .u64 p[2] = {g, f};\n"
				     ".visible .entry k() { .reg .b32 r; ld.global.u32 r, [g]; call f; ret; }\n";
	static const char b[] = HEAD ".visible .global .u32 g = 1;\n.visible .func f() { ret; }\n";
	assert_true(ptx_read(m, "a", a, sizeof a - 1, &diag));
	assert_true(ptx_read(m, "b", b, sizeof b - 1, &diag));
	assert_true(module_link(m, &diag));
	const struct var *g = inst_src(code(m, "k", 0), 0)->sym;
	assert_non_null(g->init);
	assert_true(func(m, "k")->calls.v[0].func->defined);
	assert_ptr_equal(var(m, "p")->reloc.v[0].var, g);
	assert_ptr_equal(var(m, "p")->reloc.v[1].func, func(m, "k")->calls.v[0].func);
	module_free(m);
}

static void test_declaration_and_definition_in_one_text(void **state)
{
	(void)state;
	struct module *m = load(HEAD ".extern .global .b8 g[];\n.visible .entry k() { .reg .b64 d; mov.u64 d, g; ret; }\n"
				     ".visible .global .b8 g[4] = {1, 2, 3, 4};\n");
	const struct var *g = inst_src(code(m, "k", 0), 0)->sym;
	assert_int_equal(g->size, 4);
	assert_int_equal(g->init[3], 4);
	module_free(m);
	refuse(HEAD ".extern .global .u32 g;\n.visible .global .u64 g;\n.func f(.param .b32 a);\n.func f() { }\n",
	       "5:23: 'g' does not fit its declaration in line 4\n7:7: 'f' does not fit its declaration in line 6\n");
}

static void test_pure_virtual_functions_trap(void **state)
{
	(void)state;
	struct module *m = load(HEAD ".extern .func __cxa_pure_virtual();\n.global .u64 vt = __cxa_pure_virtual;\n");
	assert_int_equal(var(m, "vt")->reloc.v[0].func->code.v[0].op, OP_TRAP);
	module_free(m);
}

int main(void)
{
#define T(f) cmocka_unit_test_teardown(f, teardown)
	const struct CMUnitTest tests[] = {
		T(test_header), T(test_comments_and_debugging_lines), T(test_kernel_parameters),
		T(test_parameters_in_the_body_of_ptx_1), T(test_four_coordinates_before_ptx_3),
		T(test_frame_layout),
		T(test_local_variables_of_the_module), T(test_end_of_body_returns),
		T(test_registers_are_made_when_named), T(test_vector_registers), T(test_blocks_hide_names),
		T(test_labels), T(test_integer_literals_and_expressions), T(test_floating_literals),
		T(test_addresses), T(test_special_registers), T(test_initialisers),
		T(test_addresses_in_initialisers), T(test_state_spaces), T(test_calls),
		T(test_calls_with_registers), T(test_alias), T(test_syntax_errors),
		T(test_message_shows_the_line), T(test_bytes_and_limits), T(test_linking),
		T(test_link_rewrites_to_definitions), T(test_declaration_and_definition_in_one_text),
		T(test_pure_virtual_functions_trap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
