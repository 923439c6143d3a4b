/* Dynamic shared memory of a type that is not an array, which clang refuses:
 *
 *   extern __shared__ alignas(128) T s;
 *
 * becomes an array of bytes and a reference to its beginning:
 *
 *   extern __shared__ alignas(128) unsigned char __hd_dynamic_7[]
 *       __attribute__((aligned(alignof(T)))); T &s = *(T *)__hd_dynamic_7;
 *
 * The number is the place in the text: names of different alignments must differ. A reference at
 * namespace scope would need an initialization on the device, so only functions are edited. */
#include <string.h>
#include "nvcc/cc.h"
#include "nvcc/rewrite.h"

/* Returns the token after the alignments and attributes at i. */
static size_t skip_attributes(const struct rw *r, size_t i)
{
	static const char *const kinds[] = {"__align__", "alignas", "__attribute__", NULL};
	while (is_any(r, i, kinds) && punct(r, i + 1, '('))
		i = rw_after(r, i + 1, '(', ')');
	return i;
}

void rw_dynamic_shared(struct rw *r, size_t i)
{
	if (!is(r, i, "extern") || !is(r, i + 1, "__shared__") || !rw_in_device(r, i))
		return;
	size_t type = skip_attributes(r, i + 2), end = type;
	while (end < r->nt && !punct(r, end, ';')) {
		if (r->t[end].kind == HASH || punct(r, end, '[') || punct(r, end, '='))
			return;
		end++;
	}
	if (end >= r->nt || end < type + 2 || r->t[end - 1].kind != IDENT)
		return;
	const struct tok *first = &r->t[type], *name = &r->t[end - 1];
	int n = (int)(name->pos - first->pos);
	const char *text = r->s + first->pos;
	rw_cut(r, first->pos, name->pos + name->len - first->pos,
	       cc_format("unsigned char __hd_dynamic_%u[] __attribute__((aligned(alignof(%.*s)))); "
			 "%.*s &%.*s = *(%.*s *)__hd_dynamic_%u",
			 first->pos, n, text, n, text, (int)name->len, r->s + name->pos, n, text,
			 first->pos));
}
