/* -G: bounds checks in functions that return a reference to an element of an array.
 *
 *   T &operator[](int i) { return v[i]; }
 *   T &__attribute__((nodebug)) operator[](int i) { return ::__hd_element(v, i), v[i]; }
 *
 * clang compares an index with the size of its array. But where the code only makes a reference to
 * the element, clang allows the index one past the end, as it does for an address. A reference must
 * be to an element: __hd_element() (heddle/elements.h) passes that index to the simulator. nodebug
 * gives the function no line of its own, so that reports name the line of the caller. */
#include <stdlib.h>
#include "nvcc/rewrite.h"

static bool is_arrow(const struct rw *r, size_t i)
{
	return punct(r, i, '-') && punct(r, i + 1, '>');
}
static bool is_scope(const struct rw *r, size_t i)
{
	return punct(r, i, ':') && punct(r, i + 1, ':');
}

/* Returns the token after a name with members: a, this->a, b.a, C::a. i: there is none. */
static size_t path_end(const struct rw *r, size_t i)
{
	size_t end = i;
	while (end < r->nt && r->t[end].kind == IDENT) {
		end++;
		if (!punct(r, end, '.') && !is_arrow(r, end) && !is_scope(r, end))
			return end;
		end += punct(r, end, '.') ? 1 : 2;
	}
	return i;
}

/* Returns the token after `const_cast<T &>(`; i: there is none. */
static size_t cast_end(const struct rw *r, size_t i)
{
	static const char *const casts[] = {"const_cast", "static_cast", NULL};
	if (!is_any(r, i, casts) || !punct(r, i + 1, '<'))
		return i;
	size_t end = rw_after(r, i + 1, '<', '>');
	return punct(r, end, '(') ? end + 1 : i;
}

/* Returns the bracket that opens what the bracket at i closes; SIZE_MAX: none. */
static size_t opening_bracket(const struct rw *r, size_t i, char open, char close)
{
	for (size_t depth = 0; i < r->nt; i--) {
		depth += punct(r, i, close);
		if (punct(r, i, open) && !--depth)
			return i;
	}
	return SIZE_MAX;
}

/* Returns the parameters' bracket of the function whose body opens at i. const and other words may
 * stand between. SIZE_MAX: not a function. */
static size_t parameters_bracket(const struct rw *r, size_t i)
{
	while (i-- > 0) {
		if (punct(r, i, ')')) {
			size_t open = opening_bracket(r, i, '(', ')');
			if (open == SIZE_MAX || !open || !is(r, open - 1, "noexcept"))
				return open;
			i = open;
		} else if (r->t[i].kind != IDENT && !punct(r, i, '&')) {
			return SIZE_MAX;
		}
	}
	return SIZE_MAX;
}

/* Returns the first token of `C<T>::` before i; i: there is none. */
static size_t class_begin(const struct rw *r, size_t i)
{
	while (i >= 3 && is_scope(r, i - 2)) {
		size_t name =
			punct(r, i - 3, '>') ? opening_bracket(r, i - 3, '<', '>') - 1 : i - 3;
		if (name >= i || r->t[name].kind != IDENT)
			break;
		i = name;
	}
	return i;
}

/* True if the function with this parameters' bracket returns a reference; *name: where its
 * attribute is inserted. */
static bool returns_reference(const struct rw *r, size_t open, unsigned *name)
{
	static const char *const types[] = {"reference", "const_reference", NULL};
	size_t first = open - 1;
	if (open >= 3 && punct(r, open - 1, ']') && punct(r, open - 2, '[') &&
	    is(r, open - 3, "operator"))
		first = open - 3;
	else if (r->t[first].kind != IDENT)
		return false;
	first = class_begin(r, first);
	*name = r->t[first].pos;
	return first && (punct(r, first - 1, '&') || is_any(r, first - 1, types));
}

/* Edits a body { return PATH[INDEX]; } that opens at i. */
static void edit_element(struct rw *r, size_t i)
{
	unsigned name;
	if (!is(r, i + 1, "return"))
		return;
	size_t path = cast_end(r, i + 2), end = path_end(r, path), open;
	if (end == path || end + 2 >= r->nt || !punct(r, end, '[') || r->t[end + 1].kind != IDENT ||
	    !punct(r, end + 2, ']'))
		return;
	size_t last = path == i + 2 ? end + 3 : end + 4;
	if ((last != end + 3 && !punct(r, end + 3, ')')) || !punct(r, last, ';') ||
	    !punct(r, last + 1, '}') || (open = parameters_bracket(r, i)) == SIZE_MAX || open < 2 ||
	    !returns_reference(r, open, &name))
		return;
	const struct tok *p = &r->t[path], *q = &r->t[end], *index = &r->t[end + 1];
	rw_edit(r, name, 0, strdup("__attribute__((nodebug)) "));
	rw_edit(r, r->t[i + 2].pos, 0,
		cc_format("::__hd_element(%.*s, %.*s), ", (int)(q->pos - p->pos), r->s + p->pos,
			  (int)index->len, r->s + index->pos));
}

void rw_elements(struct rw *r)
{
	for (size_t i = 0; r->how->elements && i + 8 < r->nt; i++)
		if (punct(r, i, '{'))
			edit_element(r, i);
}
