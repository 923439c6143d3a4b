/*
 * Launches in device code (dynamic parallelism), of which clang knows nothing: a kernel's name is an error in a device
 * function, but not as an argument of a template.
 *
 *   k<<<g, b>>>(x)      __hd_launch(__hd_kernel<decltype(k), k>::__p, g, b)(x)
 *
 * include/cuda/heddle/device_launch.h has both. A kernel that is one of several: overloads.c; pointers: pointers.c.
 * A function of both sides is edited for the device alone, and only if clang refuses it.
 */
#include <stdint.h>
#include <string.h>
#include "cli/cc/cc.h"
#include "cli/cc/rewrite.h"

/* The # of the directive whose end is at i. */
static size_t directive(const struct rw *r, size_t i)
{
	while (i != SIZE_MAX && r->t[i].kind != HASH)
		i--;
	return i;
}

static bool begins(const struct rw *r, size_t i, const char *two)
{
	return i < r->nt && r->t[i].len >= 2 && !memcmp(r->s + r->t[i].pos, two, 2);
}

/* The # of the conditional to which the branch or the #endif with its # at i belongs; SIZE_MAX:
 * none. Conditions are numbers where the text is preprocessed. end: the # behind the branch that is
 * compiled, as far as that is known, else behind the last one. */
static size_t conditional(const struct rw *r, size_t i, size_t *end)
{
	int depth = 0;
	size_t next = i;
	*end = SIZE_MAX;
	for (i--; i != SIZE_MAX; i--) {
		if (r->t[i].kind != HASH)
			continue;
		bool opens = begins(r, i + 1, "if"),
		     value = i + 3 < r->nt && r->t[i + 3].kind == EOD;
		if (is(r, i + 1, "endif")) {
			depth++;
		} else if (depth) {
			depth -= opens;
		} else if (opens || begins(r, i + 1, "el")) {
			if ((value && is(r, i + 2, "1")) ||
			    (*end == SIZE_MAX && !(value && is(r, i + 2, "0"))))
				*end = next;
			next = i;
			if (opens)
				return i;
		}
	}
	return SIZE_MAX;
}

/* The token before i, over whole directives; SIZE_MAX: none. Of a conditional's branches one counts,
 * since each may open the same block: that which i is in, or the one that is compiled. */
static size_t before(const struct rw *r, size_t i)
{
	i--;
	while (i != SIZE_MAX && r->t[i].kind == EOD) {
		size_t hash = directive(r, i), end, first = SIZE_MAX;
		if (hash != SIZE_MAX && (is(r, hash + 1, "endif") || begins(r, hash + 1, "el")))
			first = conditional(r, hash, &end);
		i = first == SIZE_MAX                             ? hash
		    : is(r, hash + 1, "endif") && end != SIZE_MAX ? end
								  : first;
		if (i != SIZE_MAX)
			i--;
	}
	return i;
}

size_t rw_opens_around(const struct rw *r, size_t i)
{
	int depth = 0;
	for (i = before(r, i); i != SIZE_MAX; i = before(r, i)) {
		if (punct(r, i, '}'))
			depth++;
		else if (punct(r, i, '{') && depth-- == 0)
			return i;
	}
	return SIZE_MAX;
}

bool rw_in_directive(const struct rw *r, size_t i)
{
	while (i < r->nt && r->t[i].kind != EOD && r->t[i].kind != HASH)
		i++;
	return i < r->nt && r->t[i].kind == EOD;
}

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

/* The bracket of template arguments that > at i closes; r->nt: none. */
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

static void replace3(struct rw *r, size_t i, char *text)
{
	unsigned end = r->t[i + 2].pos + 1;
	rw_edit(r, r->t[i].pos, end - r->t[i].pos, text);
}

bool rw_device_launch(struct rw *r, size_t open, size_t close)
{
	size_t last, from = rw_name_begin(r, open, &last);
	const char *then = ", ";
	if (rw_launch_pointer(r, open, &then)) {
		replace3(r, open, strdup(then));
		replace3(r, close, strdup(")"));
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
	replace3(r, open, strdup(several ? "" : ">::__p, "));
	replace3(r, close, strdup(")"));
	return true;
}
