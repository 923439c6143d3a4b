/* The PTX reader: module, registers, operands, and messages for invalid texts. */
#include "ptx_reader.h"

/* ---- module ---- */

static void test_header(void **state)
{
	(void)state;
	struct module *m =
		load(".version 1.4\n.target sm_13, map_f64_to_f32, debug\n.address_size 32\n");
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
	refuse(".target sm_20\n",
	       "1:1: expected .version as the first directive, found '.target'\n");
	refuse(".version 10.2\n", "1:10: PTX 10.2 is not supported (1.0 to 9.x are)\n");
	refuse(".version 7.0\n.target sm_20, fast\n", "2:16: 'fast' is not a known target\n");
	refuse(HEAD ".address_size 48\n", "4:15: the address size is 32 or 64\n");
}

static void test_comments_and_debugging_lines(void **state)
{
	(void)state;
	struct module *m =
		load(HEAD "# 1 \"a.cu\"\n/* a\n b */ // c\n"
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
	refuse(HEAD ".section .x { .b8 \x01",
	       "4:20: expected '}' at the end of the section, found the end of the file\n");
}

/* The function of line 1 is called at line 2, and that call's function at lines 4 and 5:
 * instructions of both calls alternate. */
static void test_inlined_calls_keep_their_chains(void **state)
{
	(void)state;
	static const char in_4[] = ".loc 1 2 1, function_name F, inlined_at 1 4 1\n"
				   ".loc 1 1 1, function_name F, inlined_at 1 2 1\nbar.sync 0;\n",
			  in_5[] = ".loc 1 2 1, function_name F, inlined_at 1 5 1\n"
				   ".loc 1 1 1, function_name F, inlined_at 1 2 1\nbar.sync 0;\n",
			  more[] = ".loc 1 1 9, function_name F, inlined_at 1 2 1\nbar.sync 0;\n";
	static const uint32_t outer[] = {4, 5, 5, 4, 4, 5};
	char *text;
	assert_true(asprintf(&text,
			     HEAD ".file 1 \"a.cu\"\n.visible .entry k()\n{\n%s%s%s%s%s%s}\n", in_4,
			     in_5, more, in_4, more, in_5) > 0);
	struct module *m = load(text);
	for (uint32_t i = 0; i < sizeof outer / sizeof *outer; i++) {
		const struct inlined *call = &m->inlined.v[code(m, "k", i)->inlined - 1];
		assert_int_equal(call->at_line, 2);
		assert_int_equal(m->inlined.v[call->up - 1].at_line, outer[i]);
		assert_int_equal(m->inlined.v[call->up - 1].up, 0);
	}
	assert_int_equal(m->inlined.n, 4);
	assert_true(inst_same_place(code(m, "k", 0), code(m, "k", 3)));
	assert_true(inst_same_place(code(m, "k", 1), code(m, "k", 5)));
	assert_false(inst_same_place(code(m, "k", 0), code(m, "k", 1))); /* another call */
	assert_false(inst_same_place(code(m, "k", 1), code(m, "k", 2))); /* another column */
	module_free(m);
	free(text);
}

/* ---- registers and scopes ---- */

static void test_registers_are_made_when_named(void **state)
{
	(void)state;
	struct module *m = load(
		BODY("", ".reg .b32 %r<1000>, x, y;\n.reg .pred %p<2>;\nadd.s32 %r999, x, %r0;\n"
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
	refuse(BODY("", ".reg .b32 a, b, a;"),
	       "6:17: 'a' is declared twice in this scope (first in line 6)\n");
	refuse(BODY("", ".reg .b32 %r<4>;\n.reg .f32 %r2;"),
	       "7:11: '%r2' is declared twice in this scope (first in line 6)\n");
	refuse(BODY("", ".reg .b32 %r2;\n.reg .f32 %r<4>;"),
	       "7:11: '%r' is declared twice in this scope\n");
	refuse(BODY("", ".reg .b32 %tid;"), "6:11: '%tid' is a special register\n");
	refuse(BODY("", ".reg .b32 %r<99999999999>;"), "6:14: more than 16777216 names\n");
	refuse(HEAD ".reg .b32 a;", "4:1: registers can only be declared inside a function\n");
}

static void test_vector_registers(void **state)
{
	(void)state;
	struct module *m = load(
		BODY("", ".reg .v4 .u32 v; .reg .v2 .f32 w<3>; .reg .b64 d;\n"
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
	struct module *m = load(
		BODY("", ".reg .b32 a; .reg .b32 %r<2>;\n"
			 "{ .reg .f32 a; .reg .f32 %r<2>; mov.f32 a, %r1; }\nmov.b32 a, %r1;"));
	struct func *f = func(m, "k");
	assert_int_equal(f->regs.v[code(m, "k", 0)->opnd[0].reg].type, T_F32);
	assert_int_equal(f->regs.v[code(m, "k", 0)->opnd[1].reg].type, T_F32);
	assert_int_equal(f->regs.v[code(m, "k", 1)->opnd[0].reg].type, T_B32);
	assert_int_equal(f->regs.v[code(m, "k", 1)->opnd[1].reg].type, T_B32);
	module_free(m);
	refuse(BODY("", "{ .reg .b32 inner; }\nmov.b32 inner, 0;"),
	       "7:9: 'inner' is not declared\n");
}

static void test_labels(void **state)
{
	(void)state;
	/* 0: the outer A; 1: the block's own A, defined after it; 2: B of the function, after the
	 * block */
	struct module *m = load(BODY("", "A: bra A;\n{ bra A; bra B; A: bar.sync 0; }\nB: ret;"));
	static const uint32_t target[] = {0, 3, 4};
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(code(m, "k", i)->target, target[i]);
	module_free(m);
	m = load(BODY("", ".reg .u32 i;\nts: .branchtargets L1, L0, L1;\n{ brx.idx i, ts; }\nL0: "
			  "bar.sync 0; L1: ret;"));
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
	static const struct {
		const char *text;
		uint32_t value;
	} t[] = {{"0", 0},
		 {"42", 42},
		 {"0x1F", 31},
		 {"0X1fU", 31},
		 {"017", 15},
		 {"0b101", 5},
		 {"0B11U", 3},
		 {"7U", 7},
		 {"-1", UINT32_MAX},
		 {"+3", 3},
		 {"~0", UINT32_MAX},
		 {"!5", 0},
		 {"!0", 1},
		 {"WARP_SZ", 32},
		 {"WARP_SZ*2", 64},
		 {"1+2*3", 7},
		 {"(1+2)*3", 9},
		 {"7-2-1", 4},
		 {"1<<4|1", 17},
		 {"-7/2", (uint32_t)-3},
		 {"-7%3", (uint32_t)-1},
		 {"5>3 && 2<1", 0},
		 {"5>=5 || 0", 1},
		 {"1 ? 10 : 20", 10},
		 {"0 ? 1 : 0 ? 2 : 3", 3},
		 {"6 & 3 ^ 1", 3},
		 {"-1 < 1U", 0},
		 {"-1 < 1", 1},
		 {"(.u64)-1 > 0", 1},
		 {"-8 >> 1", (uint32_t)-4},
		 {"2.5 < 3", 1},
		 {"1 == 1.0", 1}};
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		char text[256];
		snprintf(text, sizeof text, BODY("", ".reg .b32 a;\nmov.b32 a, %s;"), t[i].text);
		struct module *m = load(text);
		assert_int_equal((uint32_t)inst_src(code(m, "k", 0), 0)->imm, t[i].value);
		module_free(m);
	}
	refuse(BODY("", ".reg .b32 a;\nmov.b32 a, 08;\nmov.b32 a, 1/0;\nmov.b32 a, "
			"99999999999999999999;\n"
			"mov.b32 a, 0b12;\nmov.b32 a, 5x;"),
	       "7:12: malformed octal number\n8:15: division by zero in a constant expression\n"
	       "9:12: number does not fit in 64 bits\n10:12: malformed number\n11:12: malformed "
	       "number\n");
}

static void test_floating_literals(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint32_t bits;
	} t[] = {{"0f3F800000", 0x3f800000},
		 {"0Fbf800000", 0xbf800000},
		 {"1.5", 0x3fc00000},
		 {"-1.5", 0xbfc00000},
		 {"0d3FF8000000000000", 0x3fc00000},
		 {"1e2", 0x42c80000},
		 {"2.", 0x40000000},
		 {".5", 0x3f000000},
		 {"-0f7F800000", 0xff800000},
		 {"1.0e-1", 0x3dcccccd}};
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		char text[256];
		snprintf(text, sizeof text, BODY("", ".reg .f32 a;\nmov.f32 a, %s;"), t[i].text);
		struct module *m = load(text);
		assert_int_equal((uint32_t)inst_src(code(m, "k", 0), 0)->imm, t[i].bits);
		module_free(m);
	}
	refuse(BODY("", ".reg .f32 a;\nmov.f32 a, 0f3F80;"),
	       "7:12: 0f needs exactly 8 hexadecimal digits\n");
}

static void test_addresses(void **state)
{
	(void)state;
	struct module *m = load(BODY(
		".global .u32 g[8];",
		".reg .b64 d; .reg .b32 r;\nld.global.u32 r, [d];\n"
		"ld.global.u32 r, [d+8];\nld.global.u32 r, [d+-8];\nld.global.u32 r, [d-8+2*2];\n"
		"ld.global.u32 r, [g];\nld.global.u32 r, [g+12];\nld.global.u32 r, g[3];\n"
		"ld.global.u32 r, [64];\nmov.u64 d, g;\nmov.u64 d, g+4;\nmov.u64 d, g[2];"));
	static const struct {
		enum opnd_kind kind;
		bool sym;
		int64_t imm;
	} t[] = {{OPND_MEM, false, 0},  {OPND_MEM, false, 8},  {OPND_MEM, false, -8},
		 {OPND_MEM, false, -4}, {OPND_MEM, true, 0},   {OPND_MEM, true, 12},
		 {OPND_MEM, true, 12},  {OPND_MEM, false, 64}, {OPND_SYM, true, 0},
		 {OPND_SYM, true, 4},   {OPND_SYM, true, 8}};
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
	struct module *m = load(BODY(
		"",
		".reg .b32 r; .reg .b64 d;\nmov.u32 r, %tid.z;\nmov.u32 r, %envreg31;\n"
		"mov.u32 r, %pm7;\nmov.u64 d, %pm2_64;\nmov.u64 d, %clock64;\nmov.u32 r, %laneid;"));
	static const struct {
		enum sreg reg;
		unsigned sub;
	} t[] = {{SREG_TID, 2},  {SREG_ENVREG, 31}, {SREG_PM, 7},
		 {SREG_PM64, 2}, {SREG_CLOCK64, 0}, {SREG_LANEID, 0}};
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) {
		assert_int_equal(inst_src(code(m, "k", i), 0)->reg, t[i].reg);
		assert_int_equal(inst_src(code(m, "k", i), 0)->sub, t[i].sub);
	}
	module_free(m);
	refuse(BODY("", ".reg .b32 r;\nmov.u32 r, %tid.q;"),
	       "7:16: expected a component: .x, .y, .z or .w, found '.q'\n");
}

/* ---- errors ---- */

static void test_syntax_errors(void **state)
{
	(void)state;
	refuse(BODY("",
		    ".reg .b32 %r<4>;\nadd.u32 %r1, %r2 %r3;\nmov.u32 %r1, ;\n@%r1 ret;\nbar.sync 0\nret;"),
	       "7:18: expected ';' after the instruction, found '%r3'\n8:14: expected an operand, found ';'\n"
	       "9:2: '%r1' is not a predicate register\n11:1: expected ';' after the instruction, found 'ret'\n");
	refuse(HEAD "rubbish\n.entry k( .param .u33 x) { mov; }\n",
	       "4:1: expected a directive, found 'rubbish'\n5:18: expected a type such as .u32, "
	       "found '.u33'\n");
	refuse(HEAD
	       ".entry k( .param .u33 x) { mov; }\n.global .u32 y\n.global .u32 z;\n.entry 5() {}\n",
	       "4:18: expected a type such as .u32, found '.u33'\n6:1: expected ';' after the variable, found '.global'\n"
	       "7:8: expected the function's name, found '5'\n");
	refuse(HEAD ".entry k() { ret;\n.entry l() { ret; }\n",
	       "5:1: expected '}' at the end of 'k' (line 4), found '.entry'\n");
	refuse(HEAD ".entry k() {\nret;",
	       "5:5: expected '}' at the end of 'k' (line 4), found the end of the file\n");
	refuse(BODY("", "ret;\n\x01\x02\xff ret;\n.file 1 x"),
	       "7:1: bytes that are not PTX\n8:9: expected the name of the file in quotes, found "
	       "'x'\n");
	refuse(HEAD
	       ".entry k() { }\n.entry k() { }\n.global .u32 g;\n.global .u32 g;\n.global .u32 k;\n",
	       "5:8: 'k' is defined twice (first in line 4)\n7:14: 'g' is defined twice (first in line 6)\n"
	       "8:14: 'k' is declared twice in this scope (first in line 4)\n");
}

static void test_message_shows_the_line(void **state)
{
	(void)state;
	struct module *m =
		read_n(BODY("", "\tmov.u32 %r1, 5;"), strlen(BODY("", "\tmov.u32 %r1, 5;")), false);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		READER_TEST(test_header),
		READER_TEST(test_comments_and_debugging_lines),
		READER_TEST(test_inlined_calls_keep_their_chains),
		READER_TEST(test_registers_are_made_when_named),
		READER_TEST(test_vector_registers),
		READER_TEST(test_blocks_hide_names),
		READER_TEST(test_labels),
		READER_TEST(test_integer_literals_and_expressions),
		READER_TEST(test_floating_literals),
		READER_TEST(test_addresses),
		READER_TEST(test_special_registers),
		READER_TEST(test_syntax_errors),
		READER_TEST(test_message_shows_the_line),
		READER_TEST(test_bytes_and_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
