/* The PTX reader: kernels, functions, variables, calls. */
#include "ptx_reader.h"

/* ---- kernels and functions ---- */

static void test_kernel_parameters(void **state)
{
	(void)state;
	struct module *m = load(
		HEAD ".visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b,\n"
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
	struct module *m = load(".version 1.0 .target sm_10\n.entry k { .reg .u32 $r1; .param .u32 "
				"a; .param .u16 b;\n"
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
#define FETCH                                                                                      \
	"\n.target sm_20\n.tex .u64 t;\n.entry k { .reg .f32 %f<4>; .reg .b32 %r<4>;\n"            \
	"tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3},[t,{%r0,%r1,%r2,%r3}]; exit; }\n"
	struct module *m = load(".version 2.3" FETCH);
	assert_int_equal(code(m, "k", 0)->grp[1], 1);
	module_free(m);
	refuse(".version 3.0" FETCH, "5:40: 'tex.1d.v4.f32.s32' expects 1 element here, not 4\n");
}

static void test_frame_layout(void **state)
{
	(void)state;
	struct module *m = load(
		HEAD
		".func (.param .b32 r0, .param .b64 r1) f(.param .b8 a, .param .align 16 .b8 b[20])\n"
		"{\n.local .align 8 .b8 depot[40];\n"
		"{ .param .b64 x; .param .b32 y; }\n{ .param .b64 x; }\n.local .u32 z;\nret; }\n");
	struct func *f = func(m, "f");
	assert_int_equal(f->proto.ret[0]->addr, 0);
	assert_int_equal(f->proto.ret[1]->addr, 8);
	assert_int_equal(f->proto.param[0]->addr, 16);
	assert_int_equal(f->proto.param[1]->addr, 32);
	assert_int_equal(f->vars.n, 5);
	/* the .param bytes of a block are reused */
	static const uint64_t offset[] = {56, 96, 104, 96, 96};
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
	struct module *m = load(
		HEAD ".local .align 8 .b8 g[20];\n.visible .entry k() { .local .u32 x; ret; }\n");
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
	struct module *m = load(
		HEAD
		".visible .entry a() { }\n.visible .entry b() { .reg .pred p; @p ret; }\n"
		".visible .entry c() { bra L; ret; L: }\n.visible .entry d() { exit; unused: }\n");
	static const struct {
		const char *name;
		size_t n;
		enum op last;
	} want[] = {{"a", 1, OP_RET}, {"b", 2, OP_RET}, {"c", 3, OP_RET}, {"d", 1, OP_EXIT}};
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(func(m, want[i].name)->code.n, want[i].n);
		assert_int_equal(code(m, want[i].name, want[i].n - 1)->op, want[i].last);
	}
	module_free(m);
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
	struct module *m = load(
		HEAD
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
	refuse(HEAD
	       ".global .u8 a[2] = {1, 2, 3};\n.global .u32 b = {{1}};\n.global .u32 c = 1.5;\n"
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
	struct module *m = load(
		HEAD
		".global .u32 a[4];\n"
		".global .u64 p[5] = {a, a+4, a-4, generic(a)+8, later};\n"
		".global .u8 q[4] = {7, 0xFF(a), 0xFF00(generic(a)+2), 9};\n.global .u64 f = fn;\n"
		".global .u32 later;\n.func fn() { ret; }\n");
	const struct var *p = var(m, "p"), *q = var(m, "q");
	static const struct {
		uint32_t offset;
		bool generic;
		int64_t addend;
	} t[] = {{0, false, 0}, {8, false, 4}, {16, false, -4}, {24, true, 8}, {32, false, 0}};
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
	       "5:17: a mask selects one byte: 0xFF, 0xFF00, ...\n4:18: 'missing' is not "
	       "declared\n");
}

static void test_state_spaces(void **state)
{
	(void)state;
	struct module *m =
		load(HEAD ".tex .u32 t;\n.global .texref u;\n"
			  ".global .samplerref s = {filter_mode = nearest, addr_mode_0 = wrap, "
			  "normalized_coords = 1};\n"
			  ".extern .shared .align 16 .b8 dyn[];\n.const[3] .u32 c;\n.global "
			  ".attribute(.managed) .u32 mg;\n"
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
		"call (r0), d, (p0), pr; }\n{ .param .b32 p0; .param .b32 r0;\nct: .calltargets f; call (r0), d, (p0), ct; }") ".func (.param .b32 r) f (.param .b32 a) { ret; }\n.func g { ret; }\n");
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

/* Registers passed in calls are passed through frame variables: see callreg.c. */
static void test_calls_with_registers(void **state)
{
	(void)state;
	struct module *m = load(
		HEAD
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
	refuse(HEAD ".func f();\n.func a();\n.alias a, f;\n",
	       "6:11: 'f' is not a function defined above\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READER_TEST(test_kernel_parameters),
		READER_TEST(test_parameters_in_the_body_of_ptx_1),
		READER_TEST(test_four_coordinates_before_ptx_3),
		READER_TEST(test_frame_layout),
		READER_TEST(test_local_variables_of_the_module),
		READER_TEST(test_end_of_body_returns),
		READER_TEST(test_initialisers),
		READER_TEST(test_addresses_in_initialisers),
		READER_TEST(test_state_spaces),
		READER_TEST(test_calls),
		READER_TEST(test_calls_with_registers),
		READER_TEST(test_alias),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
