/* Launches in device code (dynamic parallelism), which clang does not support: a kernel's name is
 * an error in a device function, except as an argument of a template.
 *
 *   k<<<g, b>>>(x)      __hd_launch(__hd_kernel<decltype(k), k>::__p, g, b)(x)
 *
 * include/cuda/heddle/device_launch.h defines both functions. overloads.c handles overloaded
 * kernels, pointers.c pointers to kernels. A function of both sides is edited for the device pass
 * alone, and only if clang refuses it. */
#include <stdint.h>
#include <string.h>
#include "nvcc/cc.h"
#include "nvcc/rewrite.h"

bool rw_in_device(const struct rw *r, size_t i)
{
	if (rw_in_directive(r, i))
		return false;
	while ((i = rw_opens_around(r, i)) != SIZE_MAX) {
		bool device = false, host = false;
		for (size_t k = rw_declaration(r, i); k < i; k++) {
			device |= is(r, k, "__device__") || is(r, k, "__global__");
			host |= is(r, k, "__host__");
		}
		if (device)
			return !host || r->how->both;
	}
	return false;
}

/* Returns the bracket of template arguments that > at i closes; r->nt: none. */
static size_t arguments_begin(const struct rw *r, size_t i)
{
	int depth = 0;
	for (size_t n = 0; i != SIZE_MAX && n < 200; i--, n++) {
		if (punct(r, i, ';') || punct(r, i, '{'))
			break;
		depth += punct(r, i, '>') ? 1 : punct(r, i, '<') ? -1 : 0;
		if (!depth)
			return i;
	}
	return r->nt;
}

size_t rw_name_begin(const struct rw *r, size_t i, size_t *last)
{
	size_t at = i;
	*last = i;
	while (at) {
		size_t k = at - 1;
		if (punct(r, k, '>')) {
			k = arguments_begin(r, k);
			if (k == r->nt || !k)
				return i;
			k--;
		}
		if (r->t[k].kind != IDENT)
			return i;
		*last = *last == i ? k : *last;
		at = k;
		if (at < 2 || !punct(r, at - 1, ':') || !punct(r, at - 2, ':'))
			return at;
		at -= 2;
		if (!at || (r->t[at - 1].kind != IDENT && !punct(r, at - 1, '>')))
			return at; /* ::k */
	}
	return i;
}

static void replace_launch(struct rw *r, size_t i, char *text)
{
	unsigned end = r->t[i + 2].pos + 1;
	rw_edit(r, r->t[i].pos, end - r->t[i].pos, text);
}

bool rw_device_launch(struct rw *r, size_t open, size_t close)
{
	size_t last, from = rw_name_begin(r, open, &last);
	const char *then = ", ";
	if (rw_launch_pointer(r, open, &then)) {
		replace_launch(r, open, strdup(then));
		replace_launch(r, close, strdup(")"));
		return true;
	}
	if (from == open)
		return false;
	unsigned pos = r->t[from].pos, end = r->t[open - 1].pos + r->t[open - 1].len;
	bool several = punct(r, close + 3, '(') && rw_overloaded(r, last, open);
	if (several)
		rw_choose(r, from, last, open, close + 3);
	else
		rw_edit(r, pos, 0,
			cc_format("__hd_launch(__hd_kernel<decltype(%.*s), ", (int)(end - pos),
				  r->s + pos));
	replace_launch(r, open, strdup(several ? "" : ">::__p, "));
	replace_launch(r, close, strdup(")"));
	return true;
}
