/* Helpers of the code generator's tests: run a PTX text on a buffer, and list the code of a
 * kernel's body. */
#ifndef TESTS_BACK_RUN_H
#define TESTS_BACK_RUN_H
#include "kernel_run.h"
#include "random_kernel.h"

#define HEAD ".version 7.0\n.target sm_80\n.address_size 64\n"

/* Memory after a random kernel; false: the kernel was refused. */
static inline bool run_random(const struct random_kernel *k, struct heddle_options o, uint8_t *out,
			      char *why, size_t nwhy)
{
	struct heddle *h;
	uint64_t buf;
	o.max_instructions = 20000000;
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	struct heddle_text text = {"random.ptx", k->text, strlen(k->text)};
	struct heddle_kernel *kernel = kernel_load(h, text, "k", why, nwhy);
	if (!kernel)
		return false;
	assert_int_equal(heddle_malloc(h, k->bytes, &buf), HEDDLE_OK);
	assert_int_equal(heddle_fill(h, buf, 0, 1, k->bytes), HEDDLE_OK);
	struct {
		uint64_t in, out;
		uint32_t n[2];
	} params = {buf, buf, {k->grid[0], 0}};
	struct heddle_launch l = {.kernel = kernel, .params = &params};
	memcpy(l.grid, k->grid, sizeof l.grid);
	memcpy(l.block, k->block, sizeof l.block);
	if (heddle_launch(h, &l))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_read(h, out, buf, k->bytes), HEDDLE_OK);
	heddle_close(h);
	return true;
}

/* Compiles a kernel with the body `code` for sm; returns its listing, malloc'ed. %d0 is p, %r0
 * tid.x, and %r2 is stored. */
static inline char *compile_body_as(const struct heddle_compile *c, const char *code)
{
	char text[20000], *message = NULL;
	snprintf(text, sizeof text,
		 ".version 7.0\n.target sm_80\n.address_size 64\n"
		 ".entry k(.param .u64 p, .param .u32 n) { .reg .b32 %%r<16>; .reg .pred %%p<4>;"
		 ".reg .b64 %%d<6>; .reg .f32 %%f<8>; .reg .f64 %%g<8>; ld.param.u64 %%d0, [p];"
		 "mov.u32 %%r0, %%tid.x;\n%s\nst.global.u32 [%%d0], %%r2; ret; }\n",
		 code);
	char *sass = heddle_native_compile(&(struct heddle_text){"k.ptx", text, strlen(text)}, 1, c,
					   &message);
	if (!sass)
		fail_msg("%s: %s", code, message ? message : "");
	free(message);
	return sass;
}

static inline char *compile_body(unsigned sm, const char *code, const char *without)
{
	return compile_body_as(&(struct heddle_compile){.sm = sm, .without = without}, code);
}

static inline unsigned count_of(const char *text, const char *word)
{
	unsigned n = 0;
	for (const char *p = text; (p = strstr(p, word)); p += strlen(word))
		n++;
	return n;
}

#endif
