/* Calls of host functions from functions of both sides. nvcc warns and continues: the call is an
 * error only if a thread of the device executes it, which programs and libraries avoid (`if
 * (on_host) f();`). clang refuses the call, so the device pass gets another body for the host
 * functions that clang's messages name:
 *
 *   int f(int x) { return g(x); }      int __host__ __device__ f(int x) { __hd_host_function("f", __FILE__, __LINE__); }
 *
 * A device thread that calls the function gets an assertion. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "nvcc/rewrite.h"

/* Returns the beginning of the message line that contains p: FILE:LINE:COLUMN: ... */
const char *cc_message_line(const char *messages, const char *p)
{
	while (p > messages && p[-1] != '\n')
		p--;
	return p;
}

/* Returns the length of FILE:LINE at the line's beginning, or 0. `column`: of FILE:LINE:COLUMN. */
size_t cc_place_length(const char *line, bool column)
{
	size_t n = strcspn(line, "\n");
	for (const char *p = line; (p = memchr(p, ':', n - (size_t)(p - line))); p++) {
		const char *q = p + 1;
		while (isdigit((unsigned char)*q))
			q++;
		if (q > p + 1 && *q == ':')
			return (size_t)(q - line) + (column ? 1 + strspn(q + 1, "0123456789") : 0);
	}
	return 0;
}

/* Adds the warning about the call in this message, printed if the compilation succeeds. Calls in
 * system libraries are trusted. */
static void add_warning(const char *line, size_t place, const char *name, struct words *said)
{
	if (strncmp(line, "/usr/", 5))
		words_addf(
			said,
			"%.*s: warning: a __host__ __device__ function calls the __host__ function "
			"%.*s: a device thread that executes the call stops",
			(int)place, line, (int)strcspn(name, "'\n"), name);
}

/* True for the functions that clang names when a message is about a launch; launches.c edits
 * launches. */
static bool is_launch(const char *name)
{
	static const char *const names[] = {"cudaConfigureCall'", "__cudaPushCallConfiguration'",
					    NULL};
	for (const char *const *p = names; *p; p++)
		if (!strncmp(name, *p, strlen(*p)))
			return true;
	return false;
}

bool cc_asks_both_sides(const char *messages, struct words *places, struct words *said)
{
	static const char says[] = "error: reference to __host__ function '",
			  ends[] = "in __host__ __device__ function", here[] = "' declared here";
	size_t known = places->n;
	for (const char *p = messages; (p = strstr(p, says));) {
		const char *at = cc_message_line(messages, p), *name = p + strlen(says);
		const char *eol = name + strcspn(name, "\n"), *side = strstr(name, ends);
		const char *next = strstr(name, "error: "), *decl = strstr(name, here);
		p = eol;
		if (!side || side > eol || !decl || (next && decl > next) || is_launch(name))
			continue;
		decl = cc_message_line(messages, decl);
		size_t place = cc_place_length(decl, true);
		/* FILE:LINE:COLUMN:NAME, without template arguments */
		char *entry = cc_format("%.*s:%.*s", (int)place, decl,
					(int)strcspn(name, "<(' \n["), name);
		if (place && !words_have(places, entry, (unsigned)strlen(entry))) {
			words_add(places, entry);
			if (!known) /* later messages are about functions that the edits make */
				add_warning(at, cc_place_length(at, false), name, said);
		}
		free(entry);
	}
	return places->n > known;
}

/* ---- edits ---- */

/* True if the line is a marker, # LINE "FILE". */
static bool is_marker(const char *s, const char *e, unsigned long *line, const char **file,
		      size_t *len)
{
	char *end;
	if (e - s < 5 || s[0] != '#' || s[1] != ' ' || !isdigit((unsigned char)s[2]))
		return false;
	*line = strtoul(s + 2, &end, 10);
	if (end[0] != ' ' || end[1] != '"')
		return false;
	*file = end + 2;
	const char *q = memchr(*file, '"', (size_t)(e - *file));
	*len = q ? (size_t)(q - *file) : 0;
	return q != NULL;
}

/* Returns the token after template arguments, parameters and all words that may stand between them
 * and a body. */
static size_t skip_parameters(const struct rw *r, size_t i)
{
	int depth = 0;
	for (; i < r->nt; i++) {
		if (!depth && (punct(r, i, '{') || punct(r, i, ';') || punct(r, i, '=')))
			return i;
		if (punct(r, i, ':') && !depth && !punct(r, i - 1, ':') && !punct(r, i + 1, ':'))
			return i;
		depth += punct(r, i, '(') ? 1 : punct(r, i, ')') ? -1 : 0;
		if (depth < 0)
			return r->nt;
	}
	return i;
}

/* Returns the body after the initialisers of a constructor, which begin at the colon. */
static size_t skip_initialisers(const struct rw *r, size_t i)
{
	for (i++; i < r->nt; i++) {
		if (punct(r, i, '('))
			i = rw_after(r, i, '(', ')');
		else if (punct(r, i, '{'))
			i = rw_after(r, i, '{', '}');
		else
			continue;
		if (!punct(r, i, ','))
			return i;
	}
	return i;
}

/* Returns the number of commas that separate the parameters in the parentheses at i. */
static unsigned count_commas(const struct rw *r, size_t i)
{
	unsigned n = 0;
	int depth = 0;
	for (size_t end = rw_after(r, i, '(', ')'); i < end; i++) {
		depth += punct(r, i, '(') || punct(r, i, '<')   ? 1
			 : punct(r, i, ')') || punct(r, i, '>') ? -1
								: 0;
		n += depth == 1 && punct(r, i, ',');
	}
	return n;
}

/* Returns the body of the function whose name is token i; another token: the function is not
 * defined there. */
static size_t body_of(const struct rw *r, size_t i)
{
	size_t open = rw_name_end(r, i);
	if (punct(r, open, '<'))
		open = rw_after(r, open, '<', '>');
	size_t end = punct(r, open, '(') ? skip_parameters(r, open) : r->nt;
	return punct(r, end, ':') ? skip_initialisers(r, end) : end;
}

/* Returns the name of the class that has token i in its body; r->nt: none. */
static size_t class_around(const struct rw *r, size_t i)
{
	static const char *const words[] = {"struct", "class", "union", NULL};
	size_t brace = rw_opens_around(r, i);
	if (brace == SIZE_MAX)
		return r->nt;
	for (size_t k = rw_declaration(r, brace); k < brace; k++)
		if (is_any(r, k, words)) {
			while (k + 1 < brace && !punct(r, k + 1, ':') && !punct(r, k + 1, '<') &&
			       !punct(r, k + 1, '{') && !is(r, k + 1, "final"))
				k++;
			return k;
		}
	return r->nt;
}

/* True if token i names a definition of the host function that is declared at `name`, in class
 * class_ or outside of classes. Overloads are distinguished only by their numbers of parameters. */
static bool defines_it(const struct rw *r, size_t i, size_t name, size_t class_)
{
	static const char *const sides[] = {"__device__", "__global__", NULL};
	if (i == name || r->t[i].kind != IDENT || !rw_same(r, i, name) || !punct(r, i + 1, '(') ||
	    punct(r, i - 1, '.') || punct(r, i - 1, '>') ||
	    punct(r, i - 1, '~') != punct(r, name - 1, '~'))
		return false;
	size_t from = rw_declaration(r, i),
	       of = rw_class_before(r, i - 1 - punct(r, i - 1, '~'), r->nt);
	if (from == i || count_commas(r, i + 1) != count_commas(r, name + 1) ||
	    !punct(r, body_of(r, i), '{'))
		return false;
	if (class_ < r->nt ? of == r->nt || !rw_same(r, of, class_) : class_around(r, i) < r->nt)
		return false;
	for (; from < i; from++)
		if (is_any(r, from, sides) || punct(r, from, '(') || punct(r, from, '='))
			return false;
	return true;
}

static bool takes_any_number(const struct rw *r, size_t i, size_t end)
{
	for (; i + 2 < end; i++)
		if (punct(r, i, '.') && punct(r, i + 1, '.') && punct(r, i + 2, '.'))
			return true;
	return false;
}

/* Returns the text of the new body. The functions that print messages are not declared before the
 * first headers. */
static char *stop_body(const struct rw *r, size_t i)
{
	static const char name[] = "__hd_host_function";
	const char *declared = memmem(r->s, r->n, name, sizeof name - 1);
	if (!declared || (size_t)(declared - r->s) > r->t[i].pos)
		return strdup("{ __builtin_trap(); }");
	return cc_format("{ ::%s(\"%.*s\", __FILE__, __LINE__); }", name, (int)r->t[i].len,
			 r->s + r->t[i].pos);
}

static void add_sides(struct rw *r, size_t i)
{
	if (i && punct(r, i - 1, '~'))
		i--;
	while (i > 2 && punct(r, i - 1, ':') && punct(r, i - 2, ':') && r->t[i - 3].kind == IDENT)
		i -= 3;
	rw_edit(r, r->t[i].pos, 0, strdup("__attribute__((host)) __attribute__((device)) "));
}

/* Replaces the body of the function named by token i. */
static void replace_body(struct rw *r, size_t i, size_t body)
{
	size_t last = rw_after(r, body, '{', '}') - 1;
	add_sides(r, i);
	rw_cut(r, r->t[body].pos, r->t[last].pos + 1 - r->t[body].pos, stop_body(r, i));
}

/* Handles a function that is declared at token i, up to the semicolon: replaces the bodies of its
 * definitions, or gives it a body if there are none. */
static void stop_definitions(struct rw *r, size_t i, size_t semicolon)
{
	bool found = false;
	size_t class_ = class_around(r, i);
	for (size_t k = 1; k + 1 < r->nt; k++)
		if (defines_it(r, k, i, class_)) {
			found = true;
			replace_body(r, k, body_of(r, k));
		}
	if (!found && takes_any_number(r, i, semicolon))
		return;
	add_sides(r, i);
	if (!found)
		rw_cut(r, r->t[semicolon].pos, 1, stop_body(r, i));
}

/* Makes the function named by token i a function of both sides, without its body. */
static void stop_function(struct rw *r, size_t i)
{
	size_t end = body_of(r, i);
	if (punct(r, end, ';'))
		stop_definitions(r, i, end);
	else if (punct(r, end, '{'))
		replace_body(r, i, end);
}

size_t rw_token_at(const struct rw *r, size_t pos)
{
	size_t a = 0, b = r->nt;
	while (a < b) {
		size_t m = (a + b) / 2;
		if (r->t[m].pos < pos)
			a = m + 1;
		else
			b = m;
	}
	return a;
}

/* Returns the name in a FILE:LINE:COLUMN:NAME that is about this line; NULL: another line. */
static const char *name_here(const char *entry, const char *file, size_t len, unsigned long line,
			     size_t *column)
{
	char *end;
	if (strncmp(entry, file, len) || entry[len] != ':' ||
	    strtoul(entry + len + 1, &end, 10) != line || *end != ':')
		return NULL;
	*column = strtoul(end + 1, &end, 10);
	return *end == ':' ? end + 1 : NULL;
}

/* Edits the function named in that column or, if macros are expanded, the first one of that name
 * before parameters. */
static void edit_line(struct rw *r, size_t from, size_t to, const char *name, size_t column)
{
	size_t tilde = *name == '~', found = r->nt;
	for (size_t i = rw_token_at(r, from); i < r->nt && r->t[i].pos < to; i++) {
		if (!is(r, i, name + tilde) || (i && punct(r, i - 1, '~')) != tilde ||
		    !punct(r, rw_name_end(r, i), '('))
			continue;
		if (found == r->nt || r->t[i].pos == from + column - 1 + tilde)
			found = i;
	}
	if (found < r->nt)
		stop_function(r, found);
}

void rw_edit_places(struct rw *r, const struct words *places, rw_place_fn *edit)
{
	const char *file = "", *end = r->s + r->n;
	unsigned long line = 1;
	size_t len = 0;
	for (const char *s = r->s; s < end;) {
		const char *nl = memchr(s, '\n', (size_t)(end - s)), *e = nl ? nl : end, *name;
		size_t column;
		if (!is_marker(s, e, &line, &file, &len)) {
			for (size_t k = 0; k < places->n; k++)
				if ((name = name_here(places->v[k], file, len, line, &column)))
					edit(r, (size_t)(s - r->s), (size_t)(e - r->s), name,
					     column);
			line++;
		}
		s = nl ? nl + 1 : end;
	}
}

void rw_host_calls(struct rw *r)
{
	if (r->how->both_sides)
		rw_edit_places(r, r->how->both_sides, edit_line);
}
