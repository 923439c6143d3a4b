/* Helpers of the native code tests: a GPU with one native file loaded, for each handling of control
 * flow. */
#ifndef TEST_NATIVE_RIG_H
#define TEST_NATIVE_RIG_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

/* TIMED_NAMED: the divergence handler for tokens only. TIMED_MICRO: a handler without tokens, which
 * issues each uop separately. */
enum how {
	BY_TOKENS,
	BY_WHILE,
	BY_PDOM,
	TIMED_TOKENS,
	TIMED_WHILE,
	TIMED_PDOM,
	TIMED_LOCKED,
	TIMED_NAMED,
	TIMED_MICRO,
	HOWS
};

#define EACH_WAY(how) for (enum how how = BY_TOKENS; how < HOWS; how++)

/* ---- a GPU with one native file ---- */

struct rig {
	struct heddle *h;
	struct heddle_module *m;
};

static inline char *slurp(const char *file, size_t *n)
{
	FILE *f = fopen(file, "rb");
	assert_non_null(f);
	char *s = malloc(1 << 20);
	*n = fread(s, 1, 1 << 20, f);
	fclose(f);
	return s;
}

static inline struct heddle_options rig_options(enum how how)
{
	static const char *const micro[] = {"sm.divergence=thread-frontiers", NULL},
				 *const named[] = {"sm.divergence=token", NULL};
	struct heddle_options o = {.timing = how >= TIMED_TOKENS,
				   .config = how == TIMED_LOCKED   ? "conf/hws.ini"
					     : how >= TIMED_TOKENS ? "conf/gtx480.ini"
								   : NULL,
				   .set = how == TIMED_MICRO   ? micro
					  : how == TIMED_NAMED ? named
							       : NULL};
	o.native_stack = how == BY_WHILE || how == TIMED_WHILE ? HEDDLE_TOKENS_WHILE
			 : how == BY_PDOM || how == TIMED_PDOM ? HEDDLE_PDOM
							       : HEDDLE_TOKENS;
	return o;
}

static inline enum heddle_status rig_load(struct rig *r, enum how how, const char *name,
					  const char *text, size_t n)
{
	struct heddle_options o = rig_options(how);
	if (heddle_open(&r->h, &o))
		fail_msg("%s", heddle_message(r->h));
	struct heddle_text t = {name, text, n};
	return heddle_load(r->h, &t, 1, &r->m);
}

static inline struct rig rig_open(enum how how, const char *file)
{
	struct rig r;
	size_t n;
	char *s = slurp(file, &n);
	if (rig_load(&r, how, file, s, n))
		fail_msg("%s", heddle_message(r.h));
	free(s);
	return r;
}

static inline void rig_close(struct rig *r) { heddle_close(r->h); }

static inline uint64_t buffer(struct rig *r, const void *data, size_t n)
{
	uint64_t a;
	assert_int_equal(heddle_malloc(r->h, n, &a), HEDDLE_OK);
	if (data)
		assert_int_equal(heddle_write(r->h, a, data, n), HEDDLE_OK);
	else
		assert_int_equal(heddle_fill(r->h, a, 0, 1, n), HEDDLE_OK);
	return a;
}

static inline enum heddle_status run(struct rig *r, const char *kernel, uint32_t gx, uint32_t gy,
				     uint32_t bx, uint32_t by, const void *params)
{
	uint8_t block[512] = {0};
	struct heddle_launch l = {.kernel = heddle_kernel_find(r->m, kernel),
				  .grid = {gx, gy, 1},
				  .block = {bx, by, 1},
				  .params = block};
	assert_non_null(l.kernel);
	memcpy(block, params, 64);
	return heddle_launch(r->h, &l);
}

static inline void must(struct rig *r, enum heddle_status st)
{
	if (st)
		fail_msg("%s", heddle_message(r->h));
}

static inline void back(struct rig *r, void *dst, uint64_t a, size_t n)
{
	assert_int_equal(heddle_read(r->h, dst, a, n), HEDDLE_OK);
}

/* Loads a native file given as text. */
static inline struct rig rig_text(enum how how, const char *text)
{
	struct rig r;
	if (rig_load(&r, how, "test.sass", text, strlen(text)))
		fail_msg("%s", heddle_message(r.h));
	return r;
}

/* Runs kernel k of a file given as text, in one block; its parameter is the address of `out`. */
static inline void run_text(enum how how, const char *text, unsigned threads, void *out, size_t n)
{
	struct rig r = rig_text(how, text);
	uint32_t p[16] = {(uint32_t)buffer(&r, NULL, n)};
	must(&r, run(&r, "k", 1, 1, threads, 1, p));
	back(&r, out, p[0], n);
	rig_close(&r);
}
#endif
