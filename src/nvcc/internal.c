/* Device variables that belong to one file. If nothing in the file writes such a variable, clang
 * replaces it by its value and drops it, unless it is static and the host refers to it. So
 * variables of an unnamed namespace, and variables of a type without a name, are made static:
 *
 *   namespace { __device__ T v; }   namespace { static __device__ T v; }
 *   __constant__ struct { } v;      static __constant__ struct { } v;
 *
 * In device code that is compiled alone (-ptx, -fatbin) the host is another program, which finds
 * the variable by its name and writes to it (cuModuleGetGlobal). An added host function, which
 * is never called, makes clang believe that the host refers to the variable:
 *
 *   static __device__ T v[2];       static __device__ T v[2]; static const void *__hd_use_v() { return &v; } */
#include <string.h>
#include "nvcc/cc.h"
#include "nvcc/rewrite.h"

static const char *const words[] = {"static",       "__device__", "const",
				    "__constant__", "volatile",   NULL};

static const char *const types[] = {"struct", "class", "union", "enum", NULL};

static bool in(const struct rw *r, size_t from, size_t to, const char *word)
{
	for (; from < to; from++)
		if (is(r, from, word))
			return true;
	return false;
}

/* True if i is inside namespaces only; *unnamed: one of them has no name. */
static bool in_namespace(const struct rw *r, size_t i, bool *unnamed)
{
	*unnamed = false;
	while ((i = rw_opens_around(r, i)) != SIZE_MAX) {
		if (!in(r, rw_declaration(r, i), i, "namespace"))
			return false;
		*unnamed |= is(r, i - 1, "namespace");
	}
	return true;
}

/* Returns the name that the declarator at i gives; *end: the comma or semicolon after it. r->nt:
 * not a variable's declarator. */
static size_t declared_name(const struct rw *r, size_t i, size_t *end)
{
	size_t name = r->nt;
	int depth = 0;
	bool named = false;
	for (; i < r->nt && r->t[i].kind != HASH; i++) {
		if (!depth && (punct(r, i, ',') || punct(r, i, ';'))) {
			*end = i;
			return name;
		}
		if (!depth && punct(r, i, '('))
			return r->nt;
		named |= punct(r, i, '=') || punct(r, i, '[') || (!depth && punct(r, i, '{'));
		if (r->t[i].kind == IDENT && !depth && !named)
			name = i;
		depth += r->t[i].kind == PUNCT && strchr("[{(<", r->s[r->t[i].pos]) != NULL;
		depth -= r->t[i].kind == PUNCT && strchr("]})>", r->s[r->t[i].pos]) != NULL;
	}
	return r->nt;
}

/* Returns the token after an alignment or attribute at i; i: there is none. */
static size_t skip_attribute(const struct rw *r, size_t i)
{
	static const char *const kinds[] = {"__align__", "alignas", "__attribute__", NULL};
	return is_any(r, i, kinds) && punct(r, i + 1, '(') ? rw_after(r, i + 1, '(', ')') : i;
}

/* Returns the names that the declaration after i gives; *end: its semicolon. No names: it declares
 * no variables. */
static struct words declared_variables(const struct rw *r, size_t i, size_t *end)
{
	struct words names = {0};
	*end = r->nt;
	do {
		size_t name = declared_name(r, i, end);
		if (name >= r->nt) {
			words_free(&names);
			break;
		}
		words_addf(&names, "%.*s", (int)r->t[name].len, r->s + r->t[name].pos);
		i = *end + 1;
	} while (punct(r, *end, ','));
	return names;
}

/* Edits the declaration whose first specifier is at i, if it declares such variables. */
static void keep_variables(struct rw *r, size_t i)
{
	size_t to = i, end;
	for (size_t next = i; next != to || is_any(r, to, words);) {
		to = is_any(r, next, words) ? next + 1 : next;
		next = skip_attribute(r, to);
	}
	if (is(r, to, "__managed__") || (i && is(r, i - 1, "__managed__")))
		return; /* do_managed() handles it */
	bool unnamed, fixed = in(r, i, to, "static"),
		      typeless = is_any(r, to, types) && punct(r, to + 1, '{');
	if (typeless)
		to = rw_after(r, to + 1, '{', '}');
	if (!(in(r, i, to, "__device__") || in(r, i, to, "__constant__")) ||
	    rw_in_directive(r, i) || is(r, rw_head(r, i), "template") ||
	    !in_namespace(r, i, &unnamed) || !(unnamed || fixed || typeless))
		return;
	struct words names = declared_variables(r, to, &end);
	if (names.n && !fixed)
		rw_edit(r, r->t[i].pos, 0, strdup("static "));
	for (size_t k = 0; r->how->alone && k < names.n; k++)
		rw_edit(r, r->t[end].pos + 1, 0,
			cc_format(" static __host__ __attribute__((unused)) const volatile void "
				  "*__hd_use_%s(void) { return __builtin_addressof(%s); }",
				  names.v[k], names.v[k]));
	words_free(&names);
}

void rw_internal(struct rw *r)
{
	for (size_t i = 0; i < r->nt; i++)
		if (is_any(r, i, words) &&
		    !(i && (is_any(r, i - 1, words) || is(r, i - 1, "extern"))))
			keep_variables(r, i);
}
