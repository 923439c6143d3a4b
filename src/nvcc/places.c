/* Edits at places that clang's messages name, where nvcc accepts the program. C++20 makes `typename`
 * optional where only a type can stand, and initialises aggregates with parentheses; clang up to 15
 * has neither. nvcc never reads the assembler text of a template that nothing instantiates; clang reads the
 * numbers of its operands. %% makes the number a part of the text, which the GPU's assembler refuses
 * if the template is instantiated after all:
 *
 *   using t = a<T>::type;                   using t = typename a<T>::type;
 *   int4(x, y, z, w)                        int4{x, y, z, w}
 *   asm("op %0, %2;" :: "r"(a), "r"(b))     asm("op %0, %%2;" :: "r"(a), "r"(b))
 *
 * Operands of 128 bits are refused by clang up to 19. An inline function with one compiles, but what uses the
 * function gets assembler text that the GPU's assembler refuses:
 *
 *   asm("op %0;" :: "q"(a))                 asm("128-bit operand: " "op %0;" :: "l"((unsigned long long)(a)))
 *
 * Only a source that otherwise does not compile is edited. */
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "nvcc/rewrite.h"

/* The messages, and the edits that they lead to. */
static const struct ask {
	const char *says;
	const char *edit;
	bool newer; /* only from C++20 on */
} asks[] = {
	{"missing 'typename' prior to dependent type", "typename", true},
	{"no matching constructor for initialization of '", "braces", true},
	{"invalid operand number in inline asm string", "operand", false},
	{"invalid input constraint 'q' in asm", "wide", false},
	{"invalid output constraint '=q' in asm", "wide", false},
};
enum { ASKS = sizeof asks / sizeof *asks };

/* Writes `typename` before the qualified name at token i. */
static void add_typename(struct rw *r, size_t i)
{
	if (i < r->nt && !is(r, i, "typename") && (!i || !is(r, i - 1, "typename")))
		rw_edit(r, r->t[i].pos, 0, strdup("typename "));
}

/* Returns the token after the template arguments at i; i: there are none. */
static size_t skip_arguments(const struct rw *r, size_t i)
{
	return punct(r, i, '<') ? rw_arguments_end(r, i) : i;
}

/* Returns the first token of the type in the alias declaration at i, if its name is qualified; r->nt:
 * it is not, or no alias declaration is there. */
static size_t find_aliased(const struct rw *r, size_t i)
{
	if (!is(r, i, "using") || !punct(r, i + 2, '='))
		return r->nt;
	size_t from = i + 3;
	while (is(r, from, "const") || is(r, from, "volatile"))
		from++;
	if (from + 2 >= r->nt || r->t[from].kind != IDENT)
		return r->nt;
	size_t end = skip_arguments(r, from + 1);
	return punct(r, end, ':') && punct(r, end + 1, ':') ? from : r->nt;
}

/* True if token i begins the type of an alias declaration. */
static bool is_aliased(const struct rw *r, size_t i)
{
	size_t k = i;
	while (k && (is(r, k - 1, "const") || is(r, k - 1, "volatile")))
		k--;
	return k >= 3 && find_aliased(r, k - 3) == i;
}

/* Replaces the parentheses around the initialisers of the type or variable at token i by braces. */
static void replace_parentheses(struct rw *r, size_t i)
{
	size_t open = skip_arguments(r, i + 1);
	while (punct(r, open, ':') && punct(r, open + 1, ':') && r->t[open + 2].kind == IDENT)
		open = skip_arguments(r, open + 3);
	size_t end = punct(r, open, '(') ? rw_after(r, open, '(', ')') : r->nt;
	if (end >= r->nt || end == open + 2)
		return;
	rw_edit(r, r->t[open].pos, 1, strdup("{"));
	rw_edit(r, r->t[end - 1].pos, 1, strdup("}"));
}

/* Doubles the % of the operand whose number is at byte pos of an assembler text. */
static void double_percent(struct rw *r, size_t from, size_t pos)
{
	while (pos > from && r->s[pos] != '%' && r->s[pos] != '"')
		pos--;
	if (r->s[pos] == '%')
		rw_edit(r, (unsigned)pos, 0, strdup("%"));
}

/* Makes a 128-bit operand, whose constraint is at token i, one of 64 bits, and the assembler text
 * one that the GPU's assembler refuses. */
static void narrow_operand(struct rw *r, size_t i)
{
	bool output = memchr(r->s + r->t[i].pos, '=', r->t[i].len);
	size_t end = punct(r, i + 1, '(') ? rw_after(r, i + 1, '(', ')') : r->nt, text = i;
	while (text && !is(r, text, "asm") && !is(r, text, "__asm__") && !punct(r, text, ';'))
		text--;
	while (text < i && r->t[text].kind != STRING)
		text++;
	if (end >= r->nt || r->t[i].kind != STRING || text >= i)
		return;
	rw_edit(r, r->t[text].pos, 0, strdup("\"128-bit operand: \" "));
	rw_edit(r, r->t[i].pos, r->t[i].len, strdup(output ? "\"=l\"" : "\"l\""));
	rw_edit(r, r->t[i + 1].pos + 1, 0,
		strdup(output ? "*(unsigned long long *)&(" : "(unsigned long long)("));
	rw_edit(r, r->t[end - 1].pos, 0, strdup(")"));
}

static void edit_place(struct rw *r, size_t from, size_t to, const char *edit, size_t column)
{
	size_t pos = from + column - 1, i = rw_token_at(r, pos);
	if (pos >= to)
		return;
	if (!strcmp(edit, "operand"))
		double_percent(r, from, pos);
	else if (!strcmp(edit, "wide"))
		narrow_operand(r, i);
	else if (i >= r->nt || r->t[i].pos != pos || r->t[i].kind != IDENT)
		return;
	else if (!strcmp(edit, "braces"))
		replace_parentheses(r, i);
	else if (!is_aliased(r, i)) /* aliases are edited anyway */
		add_typename(r, i);
}

static bool has_edit(const struct words *places, const char *edit)
{
	for (size_t k = 0; k < places->n; k++)
		if (!strcmp(strrchr(places->v[k], ':') + 1, edit))
			return true;
	return false;
}

void rw_places(struct rw *r)
{
	if (!r->how->places)
		return;
	rw_edit_places(r, r->how->places, edit_place);
	/* clang stops after 20 messages: one about `typename` is taken for all aliases */
	if (has_edit(r->how->places, "typename"))
		for (size_t i = 0; i < r->nt; i++)
			add_typename(r, find_aliased(r, i));
}

bool cc_asks_places(const char *messages, const char *std, struct words *places)
{
	size_t known = places->n;
	bool newer = strcmp(std + strcspn(std, "+"), "++20") >= 0;
	for (const struct ask *a = asks; a < asks + ASKS; a++)
		for (const char *p = messages; (p = strstr(p, a->says)); p++) {
			const char *line = cc_message_line(messages, p);
			size_t n = cc_place_length(line, true);
			if (!n || (a->newer && !newer))
				continue;
			char *entry = cc_format("%.*s:%s", (int)n, line, a->edit);
			if (!words_have(places, entry, (unsigned)strlen(entry)))
				words_add(places, entry);
			free(entry);
		}
	return places->n > known;
}
