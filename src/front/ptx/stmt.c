/* Parses the statements of a function body: labels, target lists and instructions. ptx_decode()
 * decodes the instructions. */
#include "front/ptx/parse.h"

/* Returns the mnemonic's copy in the module's arena; equal mnemonics share one. */
static const char *copy_mnemonic(struct ptx_parser *p, const struct ptx_stmt *s)
{
	char buf[256];
	size_t n = 0;
	for (unsigned i = 0; i < s->nword; i++) {
		if (i && n < sizeof buf)
			buf[n++] = '.';
		size_t len = s->word[i].len < sizeof buf - n ? s->word[i].len : sizeof buf - n;
		memcpy(buf + n, s->word[i].s, len);
		n += len;
	}
	char *known = map_getn(&p->mnemonics, buf, n);
	if (!known) {
		known = arena_strndup(&p->m->arena, buf, n);
		map_putn(&p->mnemonics, known, n, known);
	}
	return known;
}

bool stmt_emit(struct ptx_parser *p, const struct ptx_stmt *s)
{
	struct inst in = {.guard = s->guard,
			  .guard_neg = s->guard_neg,
			  .line = s->line,
			  .col = s->col,
			  .src_file = p->src_file,
			  .src_line = p->src_line,
			  .src_col = p->src_col,
			  .inlined = p->inlined,
			  .target = NO_PC,
			  .reconv = NO_PC,
			  .text = copy_mnemonic(p, s)};
	if (!ptx_decode(p, s, &in)) {
		p->failed |= !p->refusing;
		return false;
	}
	vec_push(&p->f->code, in);
	return true;
}

static bool word_is(const struct ptx_stmt *s, unsigned i, const char *word)
{
	return i < s->nword && s->word[i].len == strlen(word) &&
	       !memcmp(s->word[i].s, word, s->word[i].len);
}

/* mov.v4.u32 %v, %tid: emits one scalar move per component. */
static bool emit_vector_mov(struct ptx_parser *p, const struct ptx_stmt *s)
{
	struct ptx_stmt one = *s;
	unsigned n = (unsigned)(s->word[1].s[1] - '0');
	if (s->nopnd != 2 || s->opnd[0].kind != PO_VEC || s->opnd[1].kind != PO_VEC ||
	    s->opnd[0].n != n || s->opnd[1].n != n) {
		ptx_error(p, s->line, s->col, "mov.v%u needs two vectors of %u elements", n, n);
		return false;
	}
	one.nword = s->nword - 1;
	for (unsigned i = 1; i < one.nword; i++)
		one.word[i] = s->word[i + 1];
	enum type t = one.nword > 1 ? type_find(one.word[1].s, one.word[1].len) : T_NONE;
	if (t == T_PRED || n * type_bits(t) > 128) {
		ptx_error(p, s->line, s->col,
			  "mov.v%u has elements of at most %u bits, no predicates", n, 128 / n);
		return false;
	}
	one.opnd = opnd_array(p, 2);
	for (unsigned i = 0; one.opnd && i < n; i++) {
		one.opnd[0] = s->opnd[0].item[i];
		one.opnd[1] = s->opnd[1].item[i];
		if (!stmt_emit(p, &one))
			return false;
	}
	return one.opnd != NULL;
}

static bool emit_any(struct ptx_parser *p, struct ptx_stmt *s)
{
	if (word_is(s, 0, "call"))
		return stmt_emit_call(p, s);
	if (word_is(s, 0, "ret"))
		return stmt_emit_ret(p, s);
	if (word_is(s, 0, "mov") && (word_is(s, 1, "v2") || word_is(s, 1, "v4")))
		return emit_vector_mov(p, s);
	return stmt_emit(p, s);
}

/* ---- lists after a label ---- */

static bool parse_branchtargets(struct ptx_parser *p, struct ptx_list *l)
{
	VEC(uint32_t) ids = {0};
	bool ok = true;
	do {
		struct token t;
		ok = tok_expect_ident(p, "a label", &t);
		if (ok)
			vec_push(&ids, label_ref(p, &t));
	} while (ok && tok_take(p, ','));
	l->kind = PL_BRANCH;
	l->n = (uint32_t)ids.n;
	l->label = ARENA_ARRAY(&p->m->arena, uint32_t, ids.n + 1);
	if (ids.n)
		memcpy(l->label, ids.v, ids.n * sizeof *ids.v);
	vec_free(&ids);
	return ok;
}

static bool parse_calltargets(struct ptx_parser *p, struct ptx_list *l)
{
	VEC(const struct func *) fs = {0};
	bool ok = true;
	do {
		struct token t;
		ok = tok_expect_ident(p, "a function", &t);
		struct binding *b = ok ? name_find(p, t.s, t.len) : NULL;
		if (ok && !b)
			ok = name_undefined(p, &t);
		else if (ok && b->kind != BN_FUNC)
			ok = parse_error_at(p, &t, "'%.*s' is not a function", (int)t.len, t.s);
		if (ok) {
			b->func->used = b->func->addr_taken = true;
			vec_push(&fs, b->func);
		}
	} while (ok && tok_take(p, ','));
	l->kind = PL_CALLS;
	l->n = (uint32_t)fs.n;
	l->func = ARENA_ARRAY(&p->m->arena, const struct func *, fs.n + 1);
	if (fs.n)
		memcpy(l->func, fs.v, fs.n * sizeof *fs.v);
	vec_free(&fs);
	return ok;
}

static bool parse_callprototype(struct ptx_parser *p, struct ptx_list *l)
{
	struct token name;
	uint64_t n;
	l->kind = PL_PROTO;
	if (!parse_proto(p, &l->proto, &name))
		return false;
	while (p->tok.kind == TK_DOT) {
		if (tok_is_dot(p, "noreturn")) {
			l->proto.noreturn = true;
			tok_next(p);
		} else if (tok_is_dot(p, "abi_preserve") || tok_is_dot(p, "abi_preserve_control")) {
			tok_next(p);
			if (!parse_count(p, "a number", UINT32_MAX, &n))
				return false;
		} else {
			return parse_expected(p, "';' or .noreturn after the prototype");
		}
	}
	return true;
}

static bool parse_list_directive(struct ptx_parser *p, uint32_t label, bool *known)
{
	static const struct {
		const char *word;
		bool (*parse)(struct ptx_parser *p, struct ptx_list *l);
	} table[] = {{"branchtargets", parse_branchtargets},
		     {"calltargets", parse_calltargets},
		     {"callprototype", parse_callprototype}};
	*known = false;
	for (unsigned i = 0; i < 3; i++) {
		if (!tok_is_dot(p, table[i].word))
			continue;
		*known = true;
		tok_next(p);
		struct ptx_list *l = ARENA_NEW(&p->m->arena, struct ptx_list);
		if (!table[i].parse(p, l))
			return false;
		p->labels.v[label].list = l;
		return tok_expect(p, ';', "after the list");
	}
	return true;
}

static bool parse_label(struct ptx_parser *p)
{
	struct token t = p->tok;
	uint32_t id;
	bool known;
	tok_next(p);
	tok_next(p);
	if (!label_define(p, &t, &id))
		return false;
	return parse_list_directive(p, id, &known);
}

/* ---- instructions ---- */

/* @p or @!p */
static bool parse_guard(struct ptx_parser *p, struct ptx_stmt *s)
{
	struct token t;
	tok_next(p);
	s->guard_neg = tok_take(p, '!');
	if (!tok_expect_ident(p, "a predicate register", &t))
		return false;
	struct binding *b = name_find(p, t.s, t.len);
	if (!b)
		return name_undefined(p, &t);
	if (b->kind != BN_REG || b->type != T_PRED)
		return parse_error_at(p, &t, "'%.*s' is not a predicate register", (int)t.len, t.s);
	s->guard = b->id;
	return true;
}

/* ld.const[3].f32: skips the bank of PTX 1.x, which adds nothing to the address. */
static bool skip_bank(struct ptx_parser *p, const struct ptx_word *w)
{
	if (w->len != 5 || memcmp(w->s, "const", 5) || !tok_is(p, '[') || !p->tok.tight ||
	    tok_peek(p)->kind != TK_INT)
		return true;
	tok_next(p);
	tok_next(p);
	return tok_expect(p, ']', "after the constant bank");
}

static bool parse_words(struct ptx_parser *p, struct ptx_stmt *s)
{
	if (p->tok.kind != TK_IDENT)
		return parse_expected(p, "an instruction");
	s->line = p->tok.line;
	s->col = p->tok.col;
	do {
		if (s->nword == PTX_MAX_WORDS)
			return parse_error(p, "the instruction has more than %d parts",
					   PTX_MAX_WORDS);
		struct ptx_word *w = &s->word[s->nword++];
		*w = (struct ptx_word){p->tok.s, p->tok.len, p->tok.col};
		tok_next(p);
		if (!skip_bank(p, w))
			return false;
	} while (p->tok.kind == TK_DOT);
	return true;
}

bool parse_statement(struct ptx_parser *p)
{
	struct ptx_stmt s;
	s.nword = s.nopnd = 0;
	s.guard = NO_REG;
	s.guard_neg = false;
	p->npool = 0;
	p->stack.n = 0;
	if (p->tok.kind == TK_IDENT && tok_peek(p)->kind == TK_PUNCT && tok_peek(p)->punct == ':')
		return parse_label(p);
	if (tok_is(p, '@') && !parse_guard(p, &s))
		return false;
	if (p->tok.kind != TK_IDENT)
		return parse_expected(p, "an instruction");
	if (!parse_words(p, &s))
		return false;
	/* from here on the text is an instruction, whose operands may be unknown too */
	p->refusing = p->m->keep_refused;
	bool formed = parse_operands(p, &s);
	if (formed)
		/* the statement is well formed, so parsing continues after it even if decoding
		 * fails */
		emit_any(p, &s);
	p->refusing = false;
	return formed;
}
