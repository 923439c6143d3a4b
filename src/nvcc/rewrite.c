/* Edits constructs that nvcc accepts and clang does not. The text is split into tokens (comments,
 * strings and directives known as such) and a few patterns are edited in place; no line moves.
 *
 *   k<< <g, b>> >(x)                 k<<<g, b>>>(x)
 *   k<<<{x, y}, {z}>>>(a)            k<<<dim3{x, y}, dim3{z}>>>(a)
 *   k<<<g, b>>>(x) in device code    a call of device functions: see launches.c, overloads.c, pointers.c
 *   auto t = threadIdx;              auto t = uint3(threadIdx);
 *   __global__ __device__ f          __global__ f
 *   __device__ __shared__ v          __shared__ v
 *   __shared__ alignas(16) T v       alignas(16) __shared__ T v, and so [[attributes]]
 *   asm("mov.u32 %0, %smid;" : ..)   asm("mov.u32 %0, %%smid;" : ..)
 *   asm("..." :: "r"(x) "l"(p))      asm("..." :: "r"(x), "l"(p))
 *   extern "C"__global__ f           extern "C" __global__ f
 *   __noinline__                     __attribute__((noinline)), outside attributes
 *   #pragma unroll before no loop    nothing
 *   #define UNROLL #pragma unroll    #define UNROLL _Pragma("unroll")
 *   __managed__ T v;                 a host variable and its registration; see docs/use/cuda-build.md
 *   namespace { __device__ T v; }    namespace { static __device__ T v; }; see internal.c
 *   extern __shared__ T v;           bytes, and a reference to them; see dynamic.c
 *   __cluster_dims__(2, 1, 1)        a comment in the PTX; see cluster.c
 *   members of dependent types without `template`: see dependent.c
 *   members whose two declarations name different sides: see spaces.c
 *   functions whose prototype and definition do: see prototypes.c
 *   functions of the host in code of both sides: see host_calls.c
 *   -G: functions that return an element of an array: see elements.c */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "nvcc/rewrite.h"
#include "command/command.h"

void *rw_grow(void *p, size_t *cap, size_t need, size_t size)
{
	if (need <= *cap)
		return p;
	*cap = *cap ? *cap * 2 : 1024;
	*cap = *cap < need ? need : *cap;
	p = realloc(p, *cap * size);
	if (!p)
		exit(CLI_FAILED);
	return p;
}

static void push_token(struct rw *r, enum kind kind, size_t from, size_t to)
{
	r->t = rw_grow(r->t, &r->tcap, r->nt + 1, sizeof *r->t);
	r->t[r->nt++] =
		(struct tok){.pos = (unsigned)from, .len = (unsigned)(to - from), .kind = kind};
}

void rw_edit(struct rw *r, unsigned pos, unsigned del, char *ins)
{
	r->e = rw_grow(r->e, &r->ecap, r->ne + 1, sizeof *r->e);
	r->e[r->ne] = (struct edit){pos, del, (unsigned)r->ne, ins, false};
	r->ne++;
}

void rw_cut(struct rw *r, unsigned pos, unsigned del, char *ins)
{
	rw_edit(r, pos, del, ins);
	r->e[r->ne - 1].cut = true;
}

static void blank_token(struct rw *r, size_t i) { rw_edit(r, r->t[i].pos, r->t[i].len, NULL); }

/* Returns the end of a quoted literal that starts at i, or of its line if it is not closed. */
static size_t quoted_end(const char *s, size_t n, size_t i)
{
	char q = s[i];
	for (size_t j = i + 1; j < n && s[j] != '\n'; j++) {
		if (s[j] == '\\' && j + 1 < n)
			j++;
		else if (s[j] == q)
			return j + 1;
	}
	return i + 1;
}

static size_t raw_string(const char *s, size_t n, size_t i)
{
	char close[24];
	size_t d = 0;
	while (d < 16 && i + 1 + d < n && s[i + 1 + d] != '(')
		d++;
	close[0] = ')';
	memcpy(close + 1, s + i + 1, d);
	close[d + 1] = '"';
	const char *p = memmem(s + i, n - i, close, d + 2);
	return p ? (size_t)(p - s) + d + 2 : n;
}

static size_t skip_comment(const char *s, size_t n, size_t i)
{
	if (s[i + 1] == '*') {
		const char *p = memmem(s + i + 2, n - i - 2, "*/", 2);
		return p ? (size_t)(p - s) + 2 : n;
	}
	while (i < n && s[i] != '\n')
		i += s[i] == '\\' && i + 1 < n ? 2 : 1;
	return i;
}

static size_t word_end(const char *s, size_t n, size_t i)
{
	while (i < n && (isalnum((unsigned char)s[i]) || s[i] == '_' || s[i] == '$'))
		i++;
	return i;
}

static bool raw_prefix(const char *s, size_t from, size_t to)
{
	size_t len = to - from;
	return len <= 3 && s[to - 1] == 'R' &&
	       (len == 1 || s[from] == 'L' || s[from] == 'u' || s[from] == 'U');
}

static void split_tokens(struct rw *r)
{
	const char *s = r->s;
	size_t n = r->n, i = 0;
	bool line_start = true, directive = false;
	while (i < n) {
		char c = s[i];
		if (c == '\n') {
			if (directive)
				push_token(r, EOD, i, i);
			directive = false;
			line_start = true;
			i++;
		} else if (c == '\\' && i + 1 < n && s[i + 1] == '\n') {
			i += 2;
		} else if (isspace((unsigned char)c)) {
			i++;
		} else if (c == '/' && i + 1 < n && (s[i + 1] == '/' || s[i + 1] == '*')) {
			i = skip_comment(s, n, i);
		} else if (c == '#' && line_start) {
			push_token(r, HASH, i, i + 1);
			directive = true;
			line_start = false;
			i++;
		} else {
			size_t end = i + 1;
			enum kind k = PUNCT;
			line_start = false;
			if (isalpha((unsigned char)c) || c == '_' || c == '$') {
				end = word_end(s, n, i);
				k = IDENT;
				if (end < n && s[end] == '"' && raw_prefix(s, i, end)) {
					end = raw_string(s, n, end);
					k = OTHER;
				}
			} else if (isdigit((unsigned char)c)) {
				/* tokens of numbers such as 1'000 and 1e+5 need not be exact
				 * here */
				end = word_end(s, n, i);
				while (end + 1 < n && s[end] == '\'' &&
				       isalnum((unsigned char)s[end + 1]))
					end = word_end(s, n, end + 1);
				k = OTHER;
			} else if (c == '"' || c == '\'') {
				end = quoted_end(s, n, i);
				k = c == '"' && end > i + 1 ? STRING : OTHER;
			}
			push_token(r, k, i, end);
			i = end;
		}
	}
}

static bool three(const struct rw *r, size_t i, char c)
{
	return punct(r, i, c) && punct(r, i + 1, c) && punct(r, i + 2, c);
}

static void join_launch(struct rw *r, size_t i, const char *text)
{
	if (r->t[i + 2].pos - r->t[i].pos == 2)
		return;
	rw_edit(r, r->t[i].pos, 1, strdup(text));
	blank_token(r, i + 1);
	blank_token(r, i + 2);
}

/* Edits a launch, from its <<< on; the launch's >>> is the first at the same depth of parentheses. */
static size_t do_launch(struct rw *r, size_t i)
{
	int depth = 0;
	size_t braced[2], nbraced = 0, arg = 0;
	for (size_t j = i + 3; j < r->nt && j < i + 4000; j++) {
		if (depth == 0 && punct(r, j, ','))
			arg++;
		if (depth == 0 && arg < 2 && punct(r, j, '{') &&
		    (j == i + 3 || punct(r, j - 1, ',')))
			braced[nbraced++] = j;
		if (punct(r, j, '(') || punct(r, j, '{') || punct(r, j, '['))
			depth++;
		else if (punct(r, j, ')') || punct(r, j, '}') || punct(r, j, ']'))
			depth--;
		if (depth < 0 || (depth == 0 && punct(r, j, ';')))
			return i + 3;
		if (depth == 0 && three(r, j, '>') && !punct(r, j + 3, '>')) {
			if (!rw_in_device(r, i) || !rw_device_launch(r, i, j)) {
				join_launch(r, i, "<<<");
				join_launch(r, j, ">>>");
			}
			for (size_t k = 0; k < nbraced; k++)
				rw_edit(r, r->t[braced[k]].pos, 0, strdup("dim3"));
			return i + 3;
		}
	}
	return i + 3;
}

/* Edits uses of threadIdx and similar objects, which cannot be copied in clang. Only a copy by
 * `auto` is rewritten, because host code often uses these names for its own numbers. */
static void do_index(struct rw *r, size_t i, const char *type)
{
	size_t k = i < 4 ? 0 : i - 3;
	while (k && punct(r, k, '&'))
		k--;
	if (!is(r, k, "auto") || !punct(r, i - 1, '=') ||
	    !(punct(r, i + 1, ';') || punct(r, i + 1, ',')))
		return;
	rw_edit(r, r->t[i].pos, 0, strdup(type));
	rw_edit(r, r->t[i].pos + r->t[i].len, 0, strdup(")"));
}

static const char *const specifiers[] = {
	"__global__",      "__device__", "__shared__", "__host__",   "__constant__",
	"__managed__",     "static",     "inline",     "__inline__", "__inline",
	"__forceinline__", "extern",     "const",      "volatile",   "__noinline__",
	"constexpr",       NULL};

/* Returns the token after an alignas(...) or [[...]] that starts at i; i: there is none. */
static size_t attribute_end(const struct rw *r, size_t i)
{
	bool brackets = punct(r, i, '[') && punct(r, i + 1, '[');
	int depth = 0;
	if (!brackets && !(is(r, i, "alignas") && punct(r, i + 1, '(')))
		return i;
	for (size_t j = brackets ? i : i + 1; j < r->nt && r->t[j].kind != EOD; j++) {
		if (punct(r, j, '(') || punct(r, j, '['))
			depth++;
		else if ((punct(r, j, ')') || punct(r, j, ']')) && !--depth)
			return j + 1;
	}
	return i;
}

/* Moves a standard attribute before execution space specifiers, which are GNU attributes in clang
 * and must follow it. */
static void move_attribute(struct rw *r, size_t to, size_t i, size_t end)
{
	unsigned from = r->t[i].pos, n = r->t[end - 1].pos + r->t[end - 1].len - from;
	char *text = cc_format("%.*s ", (int)n, r->s + from);
	for (char *p = text; *p; p++)
		if (*p == '\n' || *p == '\\')
			*p = ' ';
	rw_edit(r, r->t[to].pos, 0, text);
	rw_edit(r, from, n, NULL);
}

/* Edits a run of specifiers: of a pair that clang refuses, the redundant specifier is dropped. */
static void do_specifiers(struct rw *r, size_t i)
{
	size_t end = i;
	bool global = false, shared = false;
	/* a word directly after a string is the suffix of a literal, unless it is a macro, as in
	 * nvcc */
	if (i && r->t[i - 1].kind == STRING && r->t[i - 1].pos + r->t[i - 1].len == r->t[i].pos)
		rw_edit(r, r->t[i].pos, 0, strdup(" "));
	while (is_any(r, end, specifiers)) {
		global |= is(r, end, "__global__");
		shared |= is(r, end, "__shared__");
		end++;
		if (is(r, end, "__launch_bounds__") && punct(r, end + 1, '('))
			while (end < r->nt && !punct(r, end++, ')'))
				;
		for (size_t next; (next = attribute_end(r, end)) != end; end = next)
			move_attribute(r, i, end, next);
	}
	for (size_t k = i; (global || shared) && k < end; k++)
		if (is(r, k, "__device__"))
			blank_token(r, k);
}

/* Edits one template string of an asm with operands: special registers written with one percent
 * sign. */
static void double_percents(struct rw *r, const struct tok *t)
{
	const char *s = r->s + t->pos;
	for (unsigned i = 1; i + 1 < t->len; i++) {
		if (s[i] != '%')
			continue;
		if (s[i + 1] == '%') {
			i++;
			continue;
		}
		if (!isalpha((unsigned char)s[i + 1]))
			continue;
		bool modifier = isdigit((unsigned char)s[i + 2]) || s[i + 2] == '[';
		if (!modifier)
			rw_edit(r, t->pos + i, 0, strdup("%"));
	}
}

static size_t do_asm(struct rw *r, size_t i)
{
	static const char *const quals[] = {"volatile", "__volatile__", "__volatile",
					    "goto",     "inline",       NULL};
	size_t j = i + 1, first, colon = 0;
	int depth = 1;
	while (is_any(r, j, quals))
		j++;
	if (!punct(r, j, '('))
		return j;
	first = ++j;
	for (; j < r->nt && depth; j++) {
		if (punct(r, j, '('))
			depth++;
		else if (punct(r, j, ')')) {
			depth--;
			if (colon && depth == 1 && j + 1 < r->nt && r->s[r->t[j + 1].pos] == '"')
				rw_edit(r, r->t[j].pos + 1, 0, strdup(","));
		} else if (punct(r, j, ':') && depth == 1 && !colon)
			colon = j;
	}
	for (size_t k = first; colon && k < colon; k++)
		if (r->s[r->t[k].pos + r->t[k].len - 1] == '"') /* true for raw strings too */
			double_percents(r, &r->t[k]);
	return j;
}

/* True if a preprocessor directive (#define, #ifdef ...) only names the word. */
static bool is_mentioned(const struct rw *r, size_t i)
{
	static const char *const verbs[] = {"define", "undef", "ifdef", "ifndef", "defined", NULL};
	return i && (is_any(r, i - 1, verbs) ||
		     (punct(r, i - 1, '(') && i > 1 && is_any(r, i - 2, verbs)));
}

static size_t do_noinline(struct rw *r, size_t i)
{
	bool attribute = i && (punct(r, i - 1, '(') || punct(r, i - 1, ','));
	if (!attribute && !is_mentioned(r, i))
		rw_edit(r, r->t[i].pos, r->t[i].len, strdup("__attribute__((noinline))"));
	return i + 1;
}

static size_t do_pragma(struct rw *r, size_t i)
{
	static const char *const loops[] = {"for", "while", "do", NULL};
	size_t j = i;
	while (j < r->nt && r->t[j].kind != EOD)
		j++;
	size_t next = j + 1;
	if (next >= r->nt || r->t[next].kind == HASH || is_any(r, next, loops))
		return j;
	if (r->t[next].kind == IDENT) {
		/* the next token may be a macro with a loop in it, or a label before a loop */
		const char *p = r->s + r->t[next].pos;
		bool upper = true;
		for (unsigned k = 0; k < r->t[next].len; k++)
			upper &= !islower((unsigned char)p[k]);
		if (upper)
			return j;
	}
	rw_edit(r, r->t[i].pos, r->t[j].pos - r->t[i].pos, NULL);
	return j;
}

/* Reads one declarator of a managed variable and returns its name, after which the assembler name
 * is inserted. */
static size_t managed_declarator(struct rw *r, size_t j, struct words *names)
{
	size_t name = 0;
	int angle = 0;
	for (; j < r->nt; j++) {
		if (punct(r, j, '<'))
			angle++;
		else if (punct(r, j, '>'))
			angle--;
		else if (r->t[j].kind == IDENT && !angle)
			name = j;
		else if (!angle && r->t[j].kind == PUNCT && strchr("[=;,{(", r->s[r->t[j].pos]))
			break;
	}
	if (!name || j >= r->nt || punct(r, j, '('))
		return r->nt;
	char *label = strndup(r->s + r->t[name].pos, r->t[name].len);
	size_t after = name;
	while (punct(r, j, '[')) {
		while (j < r->nt && !punct(r, j, ']'))
			j++;
		after = j++;
	}
	rw_edit(r, r->t[after].pos + r->t[after].len, 0, cc_format(" __asm__(\"hdm_%s\")", label));
	words_add(names, label);
	free(label);
	for (int depth = 0; j < r->nt; j++) {
		if (punct(r, j, '{') || punct(r, j, '('))
			depth++;
		else if (punct(r, j, '}') || punct(r, j, ')'))
			depth--;
		else if (!depth && (punct(r, j, ',') || punct(r, j, ';')))
			return j;
	}
	return r->nt;
}

static const char *const types[] = {"struct", "class", "union", "enum", NULL};

/* Returns the token after the members of a type that is defined at i; i: no type is defined
 * there. */
static size_t type_end(const struct rw *r, size_t i)
{
	size_t j = i + 1;
	if (!is_any(r, i, types))
		return i;
	if (j < r->nt && r->t[j].kind == IDENT)
		j++;
	while (punct(r, i + 2, ':') && j < r->nt && !punct(r, j, '{') && !punct(r, j, ';'))
		j++;
	return punct(r, j, '{') ? rw_after(r, j, '{', '}') : i;
}

/* True if the brace at i closes a type, so that a variable of the type may follow. */
static bool closes_type(const struct rw *r, size_t i)
{
	size_t depth = 0;
	do {
		depth += punct(r, i, '}');
		depth -= punct(r, i, '{');
	} while (depth && i--);
	while (i < r->nt && i-- && !punct(r, i, ';') && !punct(r, i, '}') && !punct(r, i, '{')) {
		if (punct(r, i, ')'))
			return false; /* the brace closes a function */
		if (is_any(r, i, types))
			return true;
	}
	return false;
}

static size_t do_managed(struct rw *r, size_t i)
{
	size_t from = i, to = i;
	bool external = false, device = false;
	struct words names = {0};
	if (is_mentioned(r, i))
		return i + 1;
	while (from && is_any(r, from - 1, specifiers))
		from--;
	while (is_any(r, to, specifiers))
		to++;
	for (size_t k = from; k < to; k++) {
		external |= is(r, k, "extern");
		device |= is(r, k, "__device__");
		/* the assembler name is the variable's name, because clang would rename a static
		 * variable */
		if (is(r, k, "__managed__") || is(r, k, r->how->host ? "__device__" : "static"))
			blank_token(r, k);
	}
	if (!r->how->host && !device)
		rw_edit(r, r->t[i].pos, 0, strdup("__device__"));
	/* the host writes the variable behind clang's back: keep it, and do not fold its initial
	 * value */
	if (!r->how->host && !external)
		rw_edit(r, r->t[from].pos, 0, strdup(" __attribute__((used)) "));
	/* an attribute after a structure's brace would belong to the type */
	bool pages = r->how->host && !external &&
		     !(from && punct(r, from - 1, '}') && closes_type(r, from - 1));
	if (pages)
		rw_edit(r, r->t[from].pos, 0, strdup("__HEDDLE_MANAGED_PAGES "));
	size_t j = managed_declarator(r, type_end(r, to), &names);
	while (punct(r, j, ','))
		j = managed_declarator(r, j + 1, &names);
	if (punct(r, j, ';') && r->how->host && !external)
		for (size_t k = 0; k < names.n; k++)
			rw_edit(r, r->t[j].pos + 1, 0,
				cc_format(" __HEDDLE_MANAGED(%s)", names.v[k]));
	if (pages)
		rw_edit(r, punct(r, j, ';') ? r->t[j].pos + 1 : r->t[to].pos, 0,
			strdup(" __HEDDLE_MANAGED_END"));
	words_free(&names);
	return j < r->nt ? j : to;
}

/* Edits a macro that contains a pragma: nvcc handles the directive after expanding the macro. */
static size_t do_define(struct rw *r, size_t i)
{
	size_t hash = i + 3, end = hash;
	while (end < r->nt && r->t[end].kind != EOD)
		end++;
	if (!punct(r, hash, '#') || !is(r, hash + 1, "pragma") || hash + 2 >= end)
		return i + 1;
	unsigned pos = r->t[hash + 2].pos, last = r->t[end - 1].pos + r->t[end - 1].len, n = 0;
	char *text = malloc(2 * (size_t)(last - pos) + 1);
	if (!text)
		exit(CLI_FAILED);
	for (unsigned k = pos; k < last; k++) {
		if (r->s[k] == '"' || r->s[k] == '\\')
			text[n++] = '\\';
		text[n++] = r->s[k];
	}
	text[n] = 0;
	if (!strchr(text, '\n')) /* longer definitions stay as they are */
		rw_edit(r, r->t[hash].pos, last - r->t[hash].pos,
			cc_format("_Pragma(\"%s\")", text));
	free(text);
	return end;
}

static void scan_edits(struct rw *r)
{
	static const char *const asms[] = {"asm", "__asm__", "__asm", NULL};
	static const char *const starts[] = {
		"__global__", "__device__", "__shared__",      "__constant__", "__host__",
		"static",     "extern",     "__forceinline__", "inline",       NULL};
	static const char *const ids[] = {"threadIdx", "blockIdx", NULL}, *const dims[] = {
										  "blockDim",
										  "gridDim", NULL};
	for (size_t i = 0; i < r->nt;) {
		const struct tok *t = &r->t[i];
		if (t->kind == HASH && is(r, i + 1, "pragma") && is(r, i + 2, "unroll")) {
			i = do_pragma(r, i);
		} else if (t->kind == HASH && is(r, i + 1, "define")) {
			i = do_define(r, i);
		} else if (t->kind == PUNCT && three(r, i, '<') &&
			   !(i && is(r, i - 1, "operator"))) {
			i = do_launch(r, i);
		} else if (t->kind != IDENT) {
			i++;
		} else if (is_any(r, i, asms)) {
			i = do_asm(r, i);
		} else if (is_any(r, i, ids)) {
			do_index(r, i++, "uint3(");
		} else if (is_any(r, i, dims)) {
			do_index(r, i++, "dim3(");
		} else if (is(r, i, "__managed__")) {
			i = do_managed(r, i);
		} else if (r->how->noinline_token && is(r, i, "__noinline__")) {
			i = do_noinline(r, i);
		} else if (is_any(r, i, starts) && !(i && is_any(r, i - 1, specifiers))) {
			/* first the run of specifiers as a whole, then its words one by one */
			do_specifiers(r, i);
			rw_dynamic_shared(r, i);
			i++;
		} else if (is(r, i, "__cluster_dims__")) {
			rw_cluster(r, i++);
		} else {
			i++;
		}
	}
}

static int by_pos(const void *a, const void *b)
{
	const struct edit *x = a, *y = b;
	if (x->pos != y->pos)
		return x->pos < y->pos ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static char *apply_edits(struct rw *r, size_t *outn)
{
	size_t cap = r->n + 1;
	for (size_t i = 0; i < r->ne; i++)
		cap += r->e[i].ins ? strlen(r->e[i].ins) : 0;
	char *out = malloc(cap);
	if (!out)
		exit(CLI_FAILED);
	if (r->ne)
		qsort(r->e, r->ne, sizeof *r->e, by_pos);
	size_t o = 0, at = 0, gone = 0;
	for (size_t i = 0; i < r->ne; i++) {
		struct edit *e = &r->e[i];
		if (e->pos < gone) {
			free(e->ins);
			continue;
		}
		gone = e->cut ? e->pos + e->del : gone;
		if (e->pos > at) {
			memcpy(out + o, r->s + at, e->pos - at);
			o += e->pos - at;
			at = e->pos;
		}
		if (e->ins) {
			size_t len = strlen(e->ins);
			memcpy(out + o, e->ins, len);
			o += len;
			free(e->ins);
		}
		for (; at < (size_t)e->pos + e->del; at++)
			if (!e->ins || r->s[at] == '\n')
				out[o++] = r->s[at] == '\n' || r->s[at] == '\\' ? r->s[at] : ' ';
	}
	memcpy(out + o, r->s + at, r->n - at);
	o += r->n - at;
	out[o] = 0;
	*outn = o;
	return out;
}

char *cc_rewrite(const char *src, size_t n, const struct cc_rewrite *how, size_t *outn)
{
	struct rw r = {.s = src, .n = n, .how = how};
	split_tokens(&r);
	rw_find_blocks(&r);
	scan_edits(&r);
	rw_spaces(&r);
	rw_prototypes(&r);
	rw_dependent(&r);
	rw_host_calls(&r);
	rw_places(&r);
	rw_kernel_addresses(&r);
	rw_device_addresses(&r);
	rw_internal(&r);
	rw_elements(&r);
	char *out = apply_edits(&r, outn);
	free(r.t);
	free(r.e);
	free(r.around);
	words_free(&r.chosen);
	return out;
}
