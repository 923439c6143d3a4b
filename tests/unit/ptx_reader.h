/* Reads PTX texts for tests: returns the module of a text, or its exact messages. */
#ifndef TESTS_PTX_READER_H
#define TESTS_PTX_READER_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "front/ptx/ptx.h"

#define HEAD             ".version 7.8\n.target sm_75\n.address_size 64\n"
#define BODY(decl, code) HEAD decl " .visible .entry k()\n{\n" code "\n}\n"

static struct diag diag;

static inline struct module *read_n(const char *text, size_t n, bool want)
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

static inline struct module *load(const char *text) { return read_n(text, strlen(text), true); }

static inline int teardown(void **state)
{
	(void)state;
	diag_free(&diag);
	return 0;
}

/* Asserts that the text is refused with exactly these messages. */
static inline void refuse(const char *text, const char *messages)
{
	struct module *m = read_n(text, strlen(text), false);
	char all[4096] = "";
	size_t n = 0;
	for (unsigned i = 0; i < diag.n; i++)
		n += (size_t)snprintf(all + n, sizeof all - n, "%u:%u: %s\n", diag.msg[i].line,
				      diag.msg[i].col, diag.msg[i].text);
	assert_string_equal(all, messages);
	module_free(m);
	diag_free(&diag);
}

static inline const struct inst *code(const struct module *m, const char *kernel, size_t i)
{
	struct func *f = module_kernel(m, kernel);
	assert_non_null(f);
	assert_true(i < f->code.n);
	return &f->code.v[i];
}

static inline struct var *var(const struct module *m, const char *name)
{
	struct var *v = module_var(m, name);
	assert_non_null(v);
	return v;
}

static inline struct func *func(const struct module *m, const char *name)
{
	struct symbol *s = map_get(&m->symbols, name);
	assert_non_null(s);
	assert_non_null(s->func);
	return s->func;
}

/* A test whose messages are dropped afterwards. */
#define READER_TEST(f) cmocka_unit_test_teardown(f, teardown)

#endif
