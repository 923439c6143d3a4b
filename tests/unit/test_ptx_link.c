/* Linking of PTX texts. */
#include "ptx_reader.h"

static void link_texts(const char *a, const char *b, const char *messages)
{
	struct module *m = module_new();
	assert_true(ptx_read(m, "a.ptx", a, strlen(a), &diag));
	assert_true(ptx_read(m, "b.ptx", b, strlen(b), &diag));
	bool ok = module_link(m, &diag);
	char all[1024] = "";
	size_t n = 0;
	for (unsigned i = 0; i < diag.n; i++)
		n += (size_t)snprintf(all + n, sizeof all - n, "%s:%u:%u: %s\n", diag.msg[i].file,
				      diag.msg[i].line, diag.msg[i].col, diag.msg[i].text);
	assert_string_equal(all, messages);
	assert_int_equal(ok, !*messages);
	module_free(m);
	diag_free(&diag);
}

#define USE(decl, name) HEAD decl ".visible .entry k() { .reg .b64 d; mov.u64 d, " name "; ret; }\n"

static void test_linking(void **state)
{
	(void)state;
	link_texts(USE(".extern .global .u32 g;\n", "g"), HEAD ".visible .global .u32 g = 5;\n",
		   "");
	link_texts(USE(".extern .global .b8 g[];\n", "g"), HEAD ".visible .global .b8 g[100];\n",
		   "");
	link_texts(USE(".extern .global .u32 g;\n", "g"), HEAD ".global .u32 g;\n",
		   "a.ptx:4:22: no text defines the extern variable 'g'\n");
	link_texts(HEAD ".extern .global .u32 unused;\n.extern .func f();\n", HEAD, "");
	link_texts(USE(".extern .global .u32 g;\n", "g"), HEAD ".visible .global .u64 g;\n",
		   "a.ptx:4:22: declaration and definition differ in the size of 'g'\n");
	link_texts(USE(".extern .const .u32 g;\n", "g"), HEAD ".visible .global .u32 g;\n",
		   "a.ptx:4:21: declaration and definition differ in the state space of 'g'\n");
	link_texts(HEAD ".visible .global .u32 g;\n", HEAD ".visible .global .u32 g;\n",
		   "b.ptx:4:23: more than one text defines the variable 'g'\n");
	link_texts(HEAD ".global .u32 g;\n.func f() { ret; }\n",
		   HEAD ".global .u32 g;\n.func f() { ret; }\n", "");
	link_texts(HEAD ".weak .global .u32 g;\n.weak .func f() { ret; }\n",
		   HEAD ".visible .global .u32 g;\n.visible .func f() { ret; }\n", "");
	link_texts(HEAD ".visible .func f() { ret; }\n", HEAD ".visible .func f() { ret; }\n",
		   "b.ptx:4:16: more than one text defines the function 'f'\n");
	link_texts(HEAD ".extern .func f();\n.visible .entry k() { call f; ret; }\n", HEAD,
		   "a.ptx:4:15: no text defines the function 'f'\n");
	link_texts(HEAD ".extern .func f(.param .b32 a);\n.visible .entry k() { .param .b32 p; "
			"call f, (p); ret; }\n",
		   HEAD ".visible .func f(.param .b64 a) { ret; }\n",
		   "a.ptx:5:38: argument 1 of the call has 4 bytes, the function's has 8\n");
	link_texts(HEAD ".extern .func f(.param .b32 a);\n.visible .entry k() { .param .b32 p; "
			"call f, (p); ret; }\n",
		   HEAD ".visible .func f(.param .b32 a, .param .b32 b) { ret; }\n",
		   "a.ptx:5:38: the call passes 1 argument, 'f' has 2 parameters\n");
	link_texts(HEAD ".extern .func (.param .b32 r) f();\n.visible .entry k() { .param .b32 p; "
			"call (p), f; ret; }\n",
		   HEAD ".visible .func f() { ret; }\n",
		   "a.ptx:5:38: the call takes 1 result, 'f' gives 0\n");
}

static void test_link_rewrites_to_definitions(void **state)
{
	(void)state;
	struct module *m = module_new();
	static const char a[] = HEAD
		".weak .global .u32 g;\n.extern .func f();\n.visible .global .u64 p[2] = {g, f};\n"
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
	struct module *m = load(HEAD ".extern .global .b8 g[];\n.visible .entry k() { .reg .b64 d; "
				     "mov.u64 d, g; ret; }\n"
				     ".visible .global .b8 g[4] = {1, 2, 3, 4};\n");
	const struct var *g = inst_src(code(m, "k", 0), 0)->sym;
	assert_int_equal(g->size, 4);
	assert_int_equal(g->init[3], 4);
	module_free(m);
	refuse(HEAD ".extern .global .u32 g;\n.visible .global .u64 g;\n.func f(.param .b32 "
		    "a);\n.func f() { }\n",
	       "5:23: 'g' does not fit its declaration in line 4\n7:7: 'f' does not fit its "
	       "declaration in line 6\n");
}

static void test_pure_virtual_functions_trap(void **state)
{
	(void)state;
	struct module *m = load(
		HEAD
		".extern .func __cxa_pure_virtual();\n.global .u64 vt = __cxa_pure_virtual;\n");
	assert_int_equal(var(m, "vt")->reloc.v[0].func->code.v[0].op, OP_TRAP);
	module_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READER_TEST(test_linking),
		READER_TEST(test_link_rewrites_to_definitions),
		READER_TEST(test_declaration_and_definition_in_one_text),
		READER_TEST(test_pure_virtual_functions_trap),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
