/* Pointers to kernels in device code. A launch through a pointer needs no kernel's name; taking the
 * address of a kernel is an error in a device function, except as a template argument
 * (launches.c):
 *
 *   f<<<g, b>>>(x)            __hd_launch(f, g, b)(x), f a variable, a member or an element of a table
 *   F<<<g, b>>>(x)            __hd_launch(__hd_constant<decltype(F), F>::__p, g, b)(x), F a template's parameter
 *   f = a::k, f = &k<int>     f = (__hd_kernel<decltype(a::k), a::k>::__p), where clang's message names k
 *   f = a::k, one of several  f = (__hd_address([](auto t) { return __hd_kernel<.. t's type .., a::k>::__p; })), which
 *                             converts to a pointer of the required type
 *
 * These edits are made in bodies of device functions and in default arguments of their
 * parameters.
 *
 * Host code may take the address of a device function, although the function does not exist on
 * the host:
 *
 *   g(a::d), f = &d<int>      g(((decltype(&a::d))(void *)&__hd_device_function))
 *
 * A name is taken for a variable if it is declared in the function, or if no kernel has that
 * name. */
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "nvcc/rewrite.h"

/* Returns the bracket that the bracket at i closes; SIZE_MAX: none. */
static size_t opening_bracket(const struct rw *r, size_t i)
{
	char close = r->s[r->t[i].pos], open = close == ')' ? '(' : '[';
	int depth = 0;
	for (; i != SIZE_MAX && !punct(r, i, ';') && !punct(r, i, '{'); i--) {
		depth += punct(r, i, close) ? 1 : punct(r, i, open) ? -1 : 0;
		if (!depth)
			return i;
	}
	return SIZE_MAX;
}

/* Returns the number of tokens of the . -> or :: that joins the name or bracket at i to an
 * expression before it; 0: none. */
static size_t joining_tokens(const struct rw *r, size_t i)
{
	if (i > 1 && punct(r, i - 1, '.'))
		return 1;
	if (i > 2 && ((punct(r, i - 1, '>') && punct(r, i - 2, '-')) ||
		      (punct(r, i - 1, ':') && punct(r, i - 2, ':'))))
		return 2;
	return 0;
}

/* Returns the first token of the expression that ends before i; i: it is not an element, member or
 * name. */
static size_t expression_begin(const struct rw *r, size_t i)
{
	size_t at = i;
	while (at) {
		size_t k = at - 1;
		if (r->t[k].kind == IDENT) {
			at = k - joining_tokens(r, k);
			if (at == k || (punct(r, at, ':') && r->t[at - 1].kind != IDENT))
				return at; /* f, ::f */
		} else if (punct(r, k, ')') || punct(r, k, ']')) {
			at = opening_bracket(r, k);
			if (at == SIZE_MAX || !at)
				return i;
			if (r->t[at - 1].kind != IDENT && !punct(r, at - 1, ']') &&
			    !punct(r, at - 1, ')'))
				return at;
		} else {
			return i;
		}
	}
	return i;
}

/* True if the token at i is the name that a declaration of a variable or parameter gives; ends:
 * characters that may follow. */
static bool is_declared_at(const struct rw *r, size_t i, const char *ends)
{
	static const char *const words[] = {"return", "case",      "else",     "goto",
					    "new",    "delete",    "typename", "throw",
					    "using",  "namespace", NULL};
	if (!i || i + 1 >= r->nt || r->t[i + 1].kind != PUNCT)
		return false;
	char next = r->s[r->t[i + 1].pos];
	if (punct(r, i - 1, ',')) /* T *f = x, *g = y */
		return next == '=' && !punct(r, i + 2, '=');
	bool type = punct(r, i - 1, '*') || punct(r, i - 1, '&') || punct(r, i - 1, '>') ||
		    (r->t[i - 1].kind == IDENT && !is_any(r, i - 1, words));
	return type && strchr(ends, next);
}

/* True if i is in the parameters of a device function, before its body if it has one. */
static bool is_default_argument(const struct rw *r, size_t i)
{
	bool device = false, host = false;
	int depth = 0;
	if (rw_in_directive(r, i))
		return false;
	for (size_t k = rw_declaration(r, i); k < i; k++) {
		device |= !depth && is(r, k, "__device__");
		host |= !depth && is(r, k, "__host__");
		depth += punct(r, k, '(') ? 1 : punct(r, k, ')') ? -1 : 0;
	}
	return depth > 0 && device && (!host || r->how->both);
}

/* Returns the first token of the function that has i in its body or parameters, template head
 * included. */
static size_t function_begin(const struct rw *r, size_t i)
{
	if (is_default_argument(r, i))
		return rw_head(r, rw_declaration(r, i));
	while ((i = rw_opens_around(r, i)) != SIZE_MAX)
		for (size_t k = rw_declaration(r, i); k < i; k++)
			if (is(r, k, "__device__") || is(r, k, "__global__"))
				return rw_head(r, k);
	return 0;
}

/* True if the name at i, in a launch, is a variable or a parameter; *fixed: a template's
 * parameter. */
static bool is_variable(struct rw *r, size_t i, bool *fixed)
{
	size_t from = function_begin(r, i), head = from;
	bool body = false;
	if (is(r, from, "template"))
		head = rw_after(r, from + 1, '<', '>');
	*fixed = false;
	for (size_t k = from; k < i; k++) {
		const char *ends = k < head ? "=,>" : body ? "=;,){[:(" : "=,)[";
		body |= k >= head && punct(r, k, '{');
		if (rw_same(r, k, i) && is_declared_at(r, k, ends)) {
			*fixed = k < head;
			return true;
		}
	}
	if (rw_is_kernel(r, i))
		return false;
	for (size_t k = 1; k < r->nt; k++)
		if (rw_same(r, k, i) && is_declared_at(r, k, "=;,){[:") && !rw_in_directive(r, k))
			return true;
	return false;
}

bool rw_launch_pointer(struct rw *r, size_t open, const char **then)
{
	size_t last = open - 1, from = expression_begin(r, open);
	bool fixed = false;
	if (!open || from == open)
		return false;
	bool member =
		r->t[last].kind == IDENT && joining_tokens(r, last) && !punct(r, last - 1, ':');
	if (r->t[last].kind == IDENT && !member && !is_variable(r, last, &fixed))
		return false;
	unsigned pos = r->t[from].pos, end = r->t[last].pos + r->t[last].len;
	rw_edit(r, pos, 0,
		fixed ? cc_format("__hd_launch(__hd_constant<decltype(%.*s), ", (int)(end - pos),
				  r->s + pos)
		      : strdup("__hd_launch("));
	*then = fixed ? ">::__p, " : ", ";
	return true;
}

/* True if a kernel's name that ends before i is launched there, or called by another edit. */
static bool is_launched(const struct rw *r, size_t i)
{
	return punct(r, i, '(') || (punct(r, i, '<') && punct(r, i + 1, '<'));
}

/* Replaces the kernel's name of n bytes at pos by its address. The lambda belongs to both sides,
 * because clang would otherwise not allow it to name one of several kernels. */
static void edit_address(struct rw *r, unsigned pos, unsigned n, bool several)
{
	rw_edit(r, pos, 0,
		several ? strdup("(__hd_address([] __host__ __device__(auto __t) { return "
				 "__hd_kernel<typename decltype(__t)::type, ")
			: cc_format("(__hd_kernel<decltype(%.*s), ", (int)n, r->s + pos));
	rw_edit(r, pos + n, 0, strdup(several ? ">::__p; }))" : ">::__p)"));
}

void rw_kernel_addresses(struct rw *r)
{
	if (!r->how->kernels)
		return;
	for (size_t i = 0; i + 1 < r->nt; i++) {
		if (r->t[i].kind != IDENT ||
		    !words_have(r->how->kernels, r->s + r->t[i].pos, r->t[i].len) ||
		    !(rw_in_device(r, i) || is_default_argument(r, i)))
			continue;
		size_t end = punct(r, i + 1, '<') && !punct(r, i + 2, '<')
				     ? rw_after(r, i + 1, '<', '>')
				     : i + 1;
		size_t last, from = rw_name_begin(r, end, &last);
		bool fixed, given = punct(r, end, '=') && !punct(r, end + 1, '=');
		bool argument = from && (punct(r, from - 1, '<') || punct(r, end, '>'));
		if (from == end || joining_tokens(r, from) || given || argument ||
		    is_launched(r, end) || !rw_is_kernel(r, i) ||
		    (from == i && is_variable(r, i, &fixed)))
			continue;
		unsigned pos = r->t[from].pos, n = r->t[end - 1].pos + r->t[end - 1].len - pos;
		if (from && punct(r, from - 1, '&'))
			rw_edit(r, r->t[from - 1].pos, 1, NULL);
		edit_address(r, pos, n, end == i + 1 && rw_several(r, i, end));
	}
}

/* True if the name between tokens `from` and `end` is used as a value and is not called. */
static bool is_value(const struct rw *r, size_t from, size_t end)
{
	if (!from || r->t[from - 1].kind != PUNCT || r->t[end].kind != PUNCT)
		return false;
	return strchr("(,={&", r->s[r->t[from - 1].pos]) && strchr(",);}", r->s[r->t[end].pos]);
}

void rw_device_addresses(struct rw *r)
{
	if (!r->how->kernels || !r->how->host)
		return;
	for (size_t i = 0; i + 1 < r->nt; i++) {
		if (r->t[i].kind != IDENT ||
		    !words_have(r->how->kernels, r->s + r->t[i].pos, r->t[i].len) ||
		    rw_is_kernel(r, i) || rw_in_device(r, i) || rw_in_directive(r, i))
			continue;
		size_t end = punct(r, i + 1, '<') ? rw_after(r, i + 1, '<', '>') : i + 1;
		size_t last, from = rw_name_begin(r, end, &last);
		if (end >= r->nt || from == end || !is_value(r, from, end))
			continue;
		unsigned pos = r->t[from].pos, n = r->t[end - 1].pos + r->t[end - 1].len - pos;
		if (punct(r, from - 1, '&'))
			rw_edit(r, r->t[from - 1].pos, 1, NULL);
		rw_edit(r, pos, 0, strdup("((decltype(&"));
		rw_edit(r, pos + n, 0, strdup("))(void *)&__hd_device_function)"));
	}
}

bool cc_asks_address(const char *messages, struct words *names)
{
	static const char *const asks[] = {"reference to __global__ function '",
					   "reference to __device__ function '",
					   "address of overloaded function '", "no overload of '"};
	size_t known = names->n;
	for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
		for (const char *p = messages; (p = strstr(p, asks[i]));) {
			p += strlen(asks[i]);
			unsigned len = (unsigned)strcspn(p, "<'\n");
			if (!words_have(names, p, len))
				words_addf(names, "%.*s", (int)len, p);
		}
	return names->n > known;
}
