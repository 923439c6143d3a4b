/* Driver of the PTX parser: tokens, errors, and the directives of a module. parse.h lists the other
 * files. */
#include "front/ptx/parse.h"

/* ---- errors ---- */

/* Refuses the function that is being read; its first error is the reason. */
static void refuse_func(struct ptx_parser *p, uint32_t line, uint32_t col, const char *fmt,
			va_list ap)
{
	char text[512];
	if (p->f->refused)
		return;
	vsnprintf(text, sizeof text, fmt, ap);
	p->f->refused = arena_strndup(&p->m->arena, text, strlen(text));
	p->f->refused_line = line;
	p->f->refused_col = col;
}

static void report_error(struct ptx_parser *p, uint32_t line, uint32_t col, const char *fmt,
			 va_list ap)
{
	if (p->refusing) {
		refuse_func(p, line, col, fmt, ap);
		return;
	}
	p->failed = true;
	if (p->panic)
		return;
	p->panic = true;
	struct srcloc at = {p->file, p->text, p->end, line, col};
	diag_vat(p->d, DIAG_ERROR, &at, fmt, ap);
}

void ptx_error(struct ptx_parser *p, uint32_t line, uint32_t col, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report_error(p, line, col, fmt, ap);
	va_end(ap);
}

bool parse_error_at(struct ptx_parser *p, const struct token *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report_error(p, t->line, t->col, fmt, ap);
	va_end(ap);
	return false;
}

bool parse_error(struct ptx_parser *p, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	report_error(p, p->tok.line, p->tok.col, fmt, ap);
	va_end(ap);
	return false;
}

static const char *describe_token(const struct token *t, char *buf, size_t n)
{
	int len = t->len < 60 ? (int)t->len : 60;
	const char *dot = t->kind == TK_DOT ? "." : "";
	const char *quote = t->kind == TK_STRING ? "\"" : "'";
	if (t->kind == TK_EOF)
		return "the end of the file";
	snprintf(buf, n, "%s%s%.*s%s", quote, dot, len, t->s, quote);
	return buf;
}

bool parse_expected(struct ptx_parser *p, const char *what)
{
	char buf[80];
	return parse_error(p, "expected %s, found %s", what,
			   describe_token(&p->tok, buf, sizeof buf));
}

/* ---- tokens ---- */

static void fetch_token(struct ptx_parser *p, struct token *t)
{
	lex_next(&p->lx, t);
	while (t->kind == TK_BAD) {
		if (!p->skipping)
			parse_error_at(p, t, "%s", t->why);
		lex_next(&p->lx, t);
	}
}

void tok_next(struct ptx_parser *p)
{
	if (p->has_ahead)
		p->tok = p->ahead;
	else
		fetch_token(p, &p->tok);
	p->has_ahead = false;
}

const struct token *tok_peek(struct ptx_parser *p)
{
	if (!p->has_ahead)
		fetch_token(p, &p->ahead);
	p->has_ahead = true;
	return &p->ahead;
}

bool tok_is(const struct ptx_parser *p, int c)
{
	return p->tok.kind == TK_PUNCT && p->tok.punct == c;
}

bool tok_take(struct ptx_parser *p, int c)
{
	if (!tok_is(p, c))
		return false;
	tok_next(p);
	return true;
}

bool tok_expect(struct ptx_parser *p, int c, const char *where)
{
	if (tok_take(p, c))
		return true;
	char what[120];
	snprintf(what, sizeof what, "'%c' %s", c, where);
	return parse_expected(p, what);
}

bool tok_expect_ident(struct ptx_parser *p, const char *what, struct token *out)
{
	if (p->tok.kind != TK_IDENT)
		return parse_expected(p, what);
	*out = p->tok;
	tok_next(p);
	return true;
}

static bool spells(const struct token *t, const char *word)
{
	size_t n = strlen(word);
	return t->len == n && !memcmp(t->s, word, n);
}

bool tok_is_dot(const struct ptx_parser *p, const char *word)
{
	return p->tok.kind == TK_DOT && spells(&p->tok, word);
}

bool tok_is_ident(const struct ptx_parser *p, const char *word)
{
	return p->tok.kind == TK_IDENT && spells(&p->tok, word);
}

char *token_string(struct ptx_parser *p, const struct token *t)
{
	return arena_strndup(&p->m->arena, t->s, t->len);
}

void parse_resync(struct ptx_parser *p)
{
	p->skipping = true;
	while (p->tok.kind != TK_EOF && !tok_is(p, '{') && !tok_is(p, '}')) {
		if (tok_is(p, ';')) {
			tok_next(p);
			break;
		}
		tok_next(p);
	}
	p->skipping = false;
}

/* Skips from `{` to past its `}`; false: no `}`. */
static bool skip_block(struct ptx_parser *p)
{
	bool skipping = p->skipping;
	p->skipping = true;
	uint64_t open = 0;
	do {
		open += tok_is(p, '{');
		open -= tok_is(p, '}');
		tok_next(p);
	} while (open && p->tok.kind != TK_EOF);
	p->skipping = skipping;
	return !open;
}

/* ---- directives about the whole text ---- */

/* major.minor: the lexer sees a floating literal. */
static bool parse_version(struct ptx_parser *p)
{
	const struct token *t = &p->tok;
	const char *dot = memchr(t->s, '.', t->len);
	unsigned major = 0, minor = 0;
	if (t->kind != TK_F64 || !dot || dot == t->s || t->len > 6)
		return parse_expected(p, "a version such as 7.8");
	for (const char *s = t->s; s < dot; s++)
		major = major * 10 + (unsigned)(*s - '0');
	for (const char *s = dot + 1; s < t->s + t->len; s++)
		minor = minor * 10 + (unsigned)(*s - '0');
	unsigned version = major * 10 + (minor < 10 ? minor : 9);
	if (version < 10 || major > 9)
		return parse_error(p, "PTX %.*s is not supported (1.0 to 9.x are)", (int)t->len,
				   t->s);
	if (version > p->m->version)
		p->m->version = version;
	tok_next(p);
	return true;
}

/* Returns the number of sm_75, sm_90a or compute_61; 0: another word. */
static unsigned target_number(const struct token *t)
{
	const char *s = memchr(t->s, '_', t->len), *e = t->s + t->len;
	size_t n = s ? (size_t)(s - t->s) : 0;
	unsigned v = 0;
	if (!(n == 2 && !memcmp(t->s, "sm", 2)) && !(n == 7 && !memcmp(t->s, "compute", 7)))
		return 0;
	for (s++; s < e && *s >= '0' && *s <= '9' && v < 1000; s++)
		v = v * 10 + (unsigned)(*s - '0');
	return v < 1000 && (s == e || (e - s == 1 && (*s == 'a' || *s == 'f'))) ? v : 0;
}

static bool parse_target(struct ptx_parser *p)
{
	static const char *const words[] = {"texmode_unified", "texmode_independent", "debug",
					    "map_f64_to_f32"};
	do {
		struct token t;
		if (!tok_expect_ident(p, "a target such as sm_75", &t))
			return false;
		unsigned n = target_number(&t), i = 0;
		while (!n && i < 4 && !spells(&t, words[i]))
			i++;
		if (i == 4)
			return parse_error_at(p, &t, "'%.*s' is not a known target", (int)t.len,
					      t.s);
		if (n > p->m->target)
			p->m->target = n;
		if (!n && i < 2)
			p->m->texmode_unified = i == 0;
		if (!n && i == 3)
			p->m->f64_to_f32 = true;
	} while (tok_take(p, ','));
	return true;
}

static bool parse_address_size(struct ptx_parser *p)
{
	uint64_t n;
	struct token at = p->tok;
	if (!parse_count(p, "32 or 64", 64, &n))
		return false;
	if (n != 32 && n != 64)
		return parse_error_at(p, &at, "the address size is 32 or 64");
	p->m->address_size = (unsigned)n;
	return true;
}

/* The index + 1 of file number N in the module's list. clang declares a file only after the code
 * that has lines from it, so the entry may still be empty. */
static uint32_t file_place(struct ptx_parser *p, const struct token *number)
{
	uintptr_t at = (uintptr_t)map_getn(&p->file_index, number->s, number->len);
	if (!at) {
		vec_push(&p->m->files, NULL);
		at = p->m->files.n;
		map_putn(&p->file_index, number->s, number->len, (void *)at);
	}
	return (uint32_t)at;
}

/* .file N "name" [, timestamp, size] */
static bool parse_file(struct ptx_parser *p)
{
	struct token number = p->tok;
	if (number.kind != TK_INT)
		return parse_expected(p, "the number of the file");
	tok_next(p);
	if (p->tok.kind != TK_STRING)
		return parse_expected(p, "the name of the file in quotes");
	uint32_t place = file_place(p, &number);
	p->m->files.v[place - 1] = token_string(p, &p->tok);
	tok_next(p);
	for (int i = 0; i < 2 && tok_take(p, ','); i++) {
		uint64_t n;
		if (!parse_count(p, "a number", UINT64_MAX, &n))
			return false;
	}
	tok_take(p, ';');
	return true;
}

/* file line column */
static bool parse_place(struct ptx_parser *p, struct token *file, uint64_t *line, uint64_t *col)
{
	*file = p->tok;
	for (int i = 0; i < 3; i++) {
		if (p->tok.kind != TK_INT)
			return parse_expected(p, "file, line and column numbers");
		*(i == 1 ? line : col) = p->tok.u;
		tok_next(p);
	}
	return true;
}

struct place {
	uint32_t file, line, inlined;
};

/* Finds the call site (index + 1 in `inlined`; 0: none) that contains the call at file:line. If the
 * previous .loc was at the call's own place, or in other code inlined there, its call site is the
 * answer. Otherwise the entries of that place are searched from the end: compilers write the
 * caller's entry shortly before, so LOOK_BACK entries are enough. */
enum { LOOK_BACK = 256 };
static uint32_t outer_call(const struct ptx_parser *p, const struct place *before, uint32_t file,
			   uint32_t line)
{
	const struct inlined *v = p->m->inlined.v,
			     *last = before->inlined ? &v[before->inlined - 1] : NULL;
	if (before->file == file && before->line == line)
		return before->inlined;
	if (last && last->at_file == file && last->at_line == line)
		return last->up;
	size_t end = p->m->inlined.n, from = end > LOOK_BACK ? end - LOOK_BACK : 0;
	for (size_t i = end; i-- > from;)
		if (v[i].file == file && v[i].line == line)
			return (uint32_t)i + 1;
	return 0;
}

/* Records the call into which the current line is inlined. */
static void note_inlined(struct ptx_parser *p, const struct place *before, uint32_t file,
			 uint32_t line)
{
	struct inlined n = {p->src_file, p->src_line, file, line,
			    outer_call(p, before, file, line)};
	size_t end = p->m->inlined.n, from = end > LOOK_BACK ? end - LOOK_BACK : 0;
	for (size_t i = end; i-- > from;)
		if (!memcmp(&p->m->inlined.v[i], &n, sizeof n)) {
			p->inlined = (uint32_t)i + 1;
			return;
		}
	vec_push(&p->m->inlined, n);
	p->inlined = (uint32_t)p->m->inlined.n;
}

/* .loc file line column [, function_name label [+ n]] [, inlined_at file line column] */
static bool parse_loc(struct ptx_parser *p)
{
	struct token file, dummy;
	uint64_t line = 0, col = 0, n;
	struct place before = {p->src_file, p->src_line, p->inlined};
	if (!parse_place(p, &file, &line, &col))
		return false;
	p->src_file = file_place(p, &file);
	p->src_line = line > UINT32_MAX ? 0 : (uint32_t)line;
	p->src_col = (uint32_t)col;
	p->inlined = 0;
	while (tok_take(p, ',')) {
		if (tok_is_ident(p, "function_name")) {
			tok_next(p);
			if (!tok_expect_ident(p, "a label", &dummy))
				return false;
			if (tok_take(p, '+') && !parse_count(p, "an offset", UINT64_MAX, &n))
				return false;
		} else if (tok_is_ident(p, "inlined_at")) {
			tok_next(p);
			if (!parse_place(p, &file, &n, &col))
				return false;
			note_inlined(p, &before, file_place(p, &file),
				     n > UINT32_MAX ? 0 : (uint32_t)n);
		} else {
			return parse_expected(p, "function_name or inlined_at");
		}
	}
	tok_take(p, ';');
	return true;
}

/* Pragmas are hints to an optimising assembler and do not affect execution. */
static bool parse_pragma(struct ptx_parser *p)
{
	do {
		if (p->tok.kind != TK_STRING)
			return parse_expected(p, "a string");
		tok_next(p);
	} while (tok_take(p, ','));
	return tok_expect(p, ';', "after .pragma");
}

/* Debugging data does not affect execution. */
static bool parse_section(struct ptx_parser *p)
{
	if (p->tok.kind != TK_DOT && p->tok.kind != TK_IDENT && p->tok.kind != TK_STRING)
		return parse_expected(p, "the name of the section");
	tok_next(p);
	if (!tok_is(p, '{'))
		return parse_expected(p, "'{' after the section's name");
	return skip_block(p) || parse_expected(p, "'}' at the end of the section");
}

/* .abi_preserve N, .language "..." and similar: one constant, without effect. */
static bool parse_ignored(struct ptx_parser *p)
{
	struct cval v;
	if (p->tok.kind == TK_STRING)
		tok_next(p);
	else if (!parse_expr(p, &v))
		return false;
	tok_take(p, ';');
	return true;
}

bool parse_common_directive(struct ptx_parser *p, bool *known)
{
	static const struct {
		const char *word;
		bool (*parse)(struct ptx_parser *p);
	} table[] = {
		{"loc", parse_loc},
		{"file", parse_file},
		{"pragma", parse_pragma},
		{"section", parse_section},
		{"language", parse_ignored},
		{"abi_preserve", parse_ignored},
		{"abi_preserve_control", parse_ignored},
	};
	*known = false;
	for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
		if (tok_is_dot(p, table[i].word)) {
			*known = true;
			tok_next(p);
			return table[i].parse(p);
		}
	}
	return true;
}

/* ---- module scope ---- */

/* .alias name, function; */
static bool parse_alias(struct ptx_parser *p)
{
	struct token name[2];
	struct func *f[2];
	for (int i = 0; i < 2; i++) {
		if (!tok_expect_ident(p, i ? "the aliased function" : "the alias's name", &name[i]))
			return false;
		struct binding *b = name_find(p, name[i].s, name[i].len);
		if (!b)
			return name_undefined(p, &name[i]);
		if (b->kind != BN_FUNC || b->func->entry)
			return parse_error_at(p, &name[i], "'%.*s' is not a function",
					      (int)name[i].len, name[i].s);
		f[i] = b->func;
		if (!i && !tok_expect(p, ',', "between the alias and its function"))
			return false;
	}
	if (f[0]->defined || f[0]->alias)
		return parse_error_at(p, &name[0], "'%s' is already defined", f[0]->name);
	if (f[0] == f[1] || f[1]->alias || !f[1]->defined)
		return parse_error_at(p, &name[1], "'%s' is not a function defined above",
				      f[1]->name);
	f[0]->alias = f[1];
	f[0]->def = f[1];
	return tok_expect(p, ';', "after .alias");
}

static enum linkage parse_linkage(struct ptx_parser *p)
{
	static const struct {
		const char *word;
		enum linkage linkage;
	} table[] = {{"visible", LINK_VISIBLE},
		     {"extern", LINK_EXTERN},
		     {"weak", LINK_WEAK},
		     {"common", LINK_COMMON}};
	enum linkage l = LINK_NONE;
	for (unsigned i = 0; i < 4; i++) {
		if (tok_is_dot(p, table[i].word)) {
			l = table[i].linkage;
			tok_next(p);
			/* restarts the search, so that of `.visible .weak` the latter counts */
			i = UINT32_MAX;
		}
	}
	return l;
}

static bool parse_declaration(struct ptx_parser *p)
{
	enum linkage linkage = parse_linkage(p);
	bool entry = tok_is_dot(p, "entry");
	if (entry || tok_is_dot(p, "func")) {
		tok_next(p);
		return parse_func(p, linkage, entry);
	}
	if (p->tok.kind == TK_DOT && space_of(&p->tok) > SP_NONE)
		return parse_vars(p, linkage);
	if (linkage != LINK_NONE)
		return parse_expected(p, ".entry, .func or a state space");
	if (tok_is_dot(p, "reg"))
		return parse_error(p, "registers can only be declared inside a function");
	return parse_expected(p, "a directive");
}

static bool parse_module_item(struct ptx_parser *p)
{
	static const struct {
		const char *word;
		bool (*parse)(struct ptx_parser *p);
	} table[] = {{"version", parse_version},
		     {"target", parse_target},
		     {"address_size", parse_address_size},
		     {"alias", parse_alias}};
	for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
		if (tok_is_dot(p, table[i].word)) {
			tok_next(p);
			return table[i].parse(p);
		}
	}
	bool known;
	bool ok = parse_common_directive(p, &known);
	return known ? ok : parse_declaration(p);
}

/* True if the token is the first of its line. */
static bool begins_line(const struct ptx_parser *p)
{
	const char *s = p->tok.s - 1; /* a dot precedes a word */
	while (s > p->text && (s[-1] == ' ' || s[-1] == '\t'))
		s--;
	return s == p->text || s[-1] == '\n';
}

/* True if the token can only be the beginning of a module item. */
static bool begins_item(const struct ptx_parser *p)
{
	static const char *const words[] = {"visible", "extern", "weak",  "common", "entry",
					    "func",    "global", "const", "shared", "tex"};
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (tok_is_dot(p, words[i]))
			return begins_line(p);
	return false;
}

/* Skips the rest of an erroneous module item that began at `start`: continues after its `;` or
 * body, or at a token that clearly begins the next item. A closing brace inside an initialiser is
 * not the end. */
static void resync_module(struct ptx_parser *p, const char *start)
{
	bool end = false;
	p->skipping = true;
	while (p->tok.kind != TK_EOF && !end && (p->tok.s == start || !begins_item(p))) {
		if (tok_take(p, ';'))
			break;
		bool brace = tok_is(p, '{') || tok_is(p, '}');
		if (tok_is(p, '{'))
			skip_block(p);
		else
			tok_next(p);
		end = brace && !tok_is(p, ';') && !tok_is(p, ',') && !tok_is(p, '}');
	}
	p->skipping = false;
}

static void parse_module(struct ptx_parser *p)
{
	tok_next(p);
	if (p->tok.kind != TK_EOF && !tok_is_dot(p, "version"))
		parse_expected(p, ".version as the first directive");
	while (p->tok.kind != TK_EOF) {
		p->panic = false;
		if (tok_take(p, ';'))
			continue;
		const char *start = p->tok.s;
		if (!parse_module_item(p))
			resync_module(p, start);
	}
	p->panic = false;
	resolve_late(p);
}

struct module *ptx_module(struct ptx_parser *p) { return p->m; }
struct func *ptx_func(struct ptx_parser *p) { return p->f; }

/* Refuses a file with a zero byte, which is no PTX, in one message. */
static bool is_text(const char *name, const char *text, size_t len, struct diag *d)
{
	const char *zero = len ? memchr(text, 0, len) : NULL;
	struct srcloc at = {.file = name, .line = 1, .col = 1};
	if (!zero)
		return true;
	for (const char *p = text; p < zero; p++)
		at.line += *p == '\n';
	diag_at(d, DIAG_ERROR, &at, "not a text file, so no PTX; nor is it a cubin");
	return false;
}

bool ptx_read(struct module *m, const char *name, const char *text, size_t len, struct diag *d)
{
	while (len && !text[len - 1]) /* texts from fat binaries are padded with zeros */
		len--;
	if (len > INT32_MAX) {
		diag_error(d, "%s: the text is larger than 2 GB", name);
		return false;
	}
	if (!is_text(name, text, len, d))
		return false;
	char *copy = xmalloc(len + 1);
	memcpy(copy, text, len);
	copy[len] = 0;
	vec_push(&m->texts, copy);
	struct ptx_parser p = {.m = m, .d = d, .text = copy, .end = copy + len};
	p.file = arena_strdup(&m->arena, name);
	p.pool = xmalloc(PTX_MAX_OPNDS * sizeof *p.pool);
	lex_init(&p.lx, p.text, p.end);
	vec_push(&p.scope, (struct name_scope){0});
	scope_bind_sregs(&p);
	parse_module(&p);
	scope_free(&p);
	map_free(&p.mnemonics);
	map_free(&p.file_index);
	vec_free(&p.late);
	vec_free(&p.labels);
	vec_free(&p.stack);
	free(p.pool);
	arena_free(&p.arena);
	return !p.failed;
}
