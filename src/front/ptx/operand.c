/* Parses operands and resolves every name in them. */
#include "front/ptx/parse.h"

/* How names in the operand are read. labels: a name that is no register is a label. */
struct context {
	bool is_call, labels;
	bool addressed; /* true: array elements a[1] mean the element, not its address */
	unsigned depth;
};

static bool parse_operand(struct ptx_parser *p, struct context *c, struct ptx_opnd *o);

struct ptx_opnd *opnd_array(struct ptx_parser *p, unsigned n)
{
	if (n > PTX_MAX_OPNDS - p->npool) {
		parse_error(p, "more than %d operands", PTX_MAX_OPNDS);
		return NULL;
	}
	struct ptx_opnd *o = p->pool + p->npool;
	p->npool += n;
	memset(o, 0, n * sizeof *o);
	return o;
}

static void opnd_init(struct ptx_opnd *o, enum ptx_opnd_kind kind, const struct token *t)
{
	*o = (struct ptx_opnd){
		.kind = (uint8_t)kind, .line = t->line, .col = t->col, .name = t->s, .len = t->len};
}

/* Pushes an item on the stack that all nested lists share; the items of the open list begin at
 * `base`. */
static bool push_item(struct ptx_parser *p, struct context *c, size_t base)
{
	struct ptx_opnd item;
	if (!parse_operand(p, c, &item))
		return false;
	if (p->stack.n - base >= PTX_MAX_OPNDS)
		return parse_error(p, "more than %d operands", PTX_MAX_OPNDS);
	vec_push(&p->stack, item);
	return true;
}

static bool take_items(struct ptx_parser *p, struct ptx_opnd *o, size_t base)
{
	o->n = (unsigned)(p->stack.n - base);
	o->item = opnd_array(p, o->n);
	if (o->item && o->n)
		memcpy(o->item, p->stack.v + base, o->n * sizeof *o->item);
	return o->item != NULL;
}

/* Parses items up to `close` into o->item. */
static bool parse_items(struct ptx_parser *p, struct context *c, struct ptx_opnd *o, int close,
			const char *what)
{
	size_t base = p->stack.n;
	bool ok = true;
	if (!tok_is(p, close))
		do
			ok = push_item(p, c, base);
		while (ok && tok_take(p, ','));
	ok = ok && tok_expect(p, close, what) && take_items(p, o, base);
	p->stack.n = base;
	return ok;
}

static bool constant(struct ptx_parser *p, struct ptx_opnd *o)
{
	struct token t = p->tok;
	struct cval v;
	if (!parse_expr(p, &v))
		return false;
	opnd_init(o, v.kind == TK_INT ? PO_INT : v.kind == TK_F32 ? PO_F32 : PO_F64, &t);
	o->imm = (int64_t)v.u;
	o->is_unsigned = v.is_unsigned;
	return true;
}

/* Parses `+ n` or `- n` after an address. */
static bool parse_offset(struct ptx_parser *p, int64_t *imm)
{
	struct ptx_opnd k;
	if (!tok_is(p, '+') && !tok_is(p, '-'))
		return true;
	if (tok_is(p, '+'))
		tok_next(p);
	if (!tok_is_expr(p))
		return parse_expected(p, "a constant offset");
	if (!constant(p, &k))
		return false;
	if (k.kind != PO_INT)
		return parse_error(p, "an offset is an integer");
	*imm = (int64_t)((uint64_t)*imm + (uint64_t)k.imm);
	return true;
}

/* Returns 0 .. 3 for x y z w or r g b a; -1 for other words. */
static int component_number(const struct token *t)
{
	static const char names[] = "xyzwrgba";
	const char *s = t->len == 1 ? strchr(names, t->s[0]) : NULL;
	return s && t->len == 1 ? (int)(s - names) & 3 : -1;
}

static bool has_suffix(const struct ptx_parser *p) { return p->tok.kind == TK_DOT && p->tok.tight; }

static bool scalar_register(struct ptx_parser *p, const struct binding *b, struct ptx_opnd *o)
{
	o->kind = PO_REG;
	o->type = b->type;
	o->reg = b->id;
	if (!has_suffix(p))
		return true;
	o->sel = p->tok.s;
	o->sellen = p->tok.len;
	tok_next(p);
	return true;
}

/* Takes one component of a vector register or special register, or all of them as a vector. */
static bool vector_name(struct ptx_parser *p, const struct binding *b, struct ptx_opnd *o)
{
	enum ptx_opnd_kind kind = b->kind == BN_SREG ? PO_SREG : PO_REG;
	o->type = b->type;
	if (has_suffix(p)) {
		int k = component_number(&p->tok);
		if (k < 0 || k >= b->vec)
			return parse_expected(p, "a component: .x, .y, .z or .w");
		tok_next(p);
		o->kind = (uint8_t)kind;
		o->reg = kind == PO_SREG ? b->id : b->id + (uint32_t)k;
		o->sub = kind == PO_SREG ? (uint8_t)k : 0;
		return true;
	}
	struct ptx_opnd like = *o;
	o->kind = PO_VEC;
	o->n = b->vec;
	o->item = opnd_array(p, b->vec);
	for (unsigned i = 0; o->item && i < b->vec; i++) {
		o->item[i] = like;
		o->item[i].kind = (uint8_t)kind;
		o->item[i].reg = kind == PO_SREG ? b->id : b->id + i;
		o->item[i].sub = kind == PO_SREG ? (uint8_t)i : 0;
	}
	return o->item != NULL;
}

/* symbol, symbol + n, and symbol[n] in elements. */
static bool parse_variable(struct ptx_parser *p, struct context *c, struct var *v,
			   struct ptx_opnd *o)
{
	v->used = true;
	o->kind = PO_SYM;
	o->var = v;
	o->type = v->type;
	if (!tok_take(p, '['))
		return true;
	struct ptx_opnd k;
	if (!tok_is_expr(p))
		return parse_expected(p, "a constant index");
	if (!constant(p, &k))
		return false;
	if (k.kind != PO_INT)
		return parse_error(p, "an index is an integer");
	o->imm = (int64_t)((uint64_t)k.imm * type_bytes(v->type) * v->vec);
	if (!tok_expect(p, ']', "after the index"))
		return false;
	if (c->addressed) {
		struct ptx_opnd *item = opnd_array(p, 1);
		if (!item)
			return false;
		*item = *o;
		item->imm = 0;
		o->kind = PO_MEM;
		o->item = item;
		o->n = 1;
	}
	return true;
}

static bool parse_named(struct ptx_parser *p, struct context *c, struct ptx_opnd *o)
{
	struct token t = p->tok;
	tok_next(p);
	opnd_init(o, PO_SINK, &t);
	if (t.len == 1 && t.s[0] == '_')
		return true;
	struct binding *b = name_find(p, t.s, t.len);
	if (c->labels && (!b || (b->kind != BN_REG && b->depth <= 1))) {
		o->kind = PO_LABEL;
		o->reg = label_ref(p, &t);
		return true;
	}
	if (!b)
		return name_undefined(p, &t);
	switch (b->kind) {
	case BN_REG: return scalar_register(p, b, o);
	case BN_VREG: return vector_name(p, b, o);
	case BN_SREG:
		if (b->vec > 1)
			return vector_name(p, b, o);
		o->kind = PO_SREG;
		o->type = b->type;
		o->reg = b->id;
		o->sub = b->sub;
		return true;
	case BN_VAR: return parse_variable(p, c, b->var, o);
	default:
		o->kind = PO_FUNC;
		o->func = b->func;
		b->func->used = true;
		if (!c->is_call)
			b->func->addr_taken = true;
		return true;
	}
}

/* [address] and [texture, sampler, {coordinates}]. */
static bool parse_memory(struct ptx_parser *p, struct context *c, struct ptx_opnd *o)
{
	opnd_init(o, PO_MEM, &p->tok);
	tok_next(p);
	struct ptx_opnd first;
	bool addressed = c->addressed;
	c->addressed = false;
	if (!(tok_is_expr(p) ? constant(p, &first) : parse_operand(p, c, &first)))
		return false;
	o->imm = first.imm;
	first.imm = first.kind == PO_SYM ? 0 : first.imm;
	o->imm = first.kind == PO_SYM ? o->imm : 0;
	if (!parse_offset(p, &o->imm))
		return false;
	size_t base = p->stack.n;
	bool ok = true;
	vec_push(&p->stack, first);
	while (ok && tok_take(p, ','))
		ok = push_item(p, c, base);
	ok = ok && tok_expect(p, ']', "after the address") && take_items(p, o, base);
	p->stack.n = base;
	c->addressed = addressed;
	return ok;
}

/* True at the sign of -%r or !%p; a sign before a number belongs to the number's expression. */
static bool is_modifier(struct ptx_parser *p)
{
	if (!tok_is(p, '-') && !tok_is(p, '!'))
		return false;
	const struct token *t = tok_peek(p);
	return t->kind == TK_IDENT && !(t->len == 7 && !memcmp(t->s, "WARP_SZ", 7));
}

static bool parse_modified(struct ptx_parser *p, struct context *c, struct ptx_opnd *o)
{
	struct token t = p->tok;
	tok_next(p);
	if (!parse_named(p, c, o))
		return false;
	if (o->kind != PO_REG)
		return parse_error_at(p, &t, "'%c' can only stand before a register or a constant",
				      t.punct);
	o->neg = t.punct == '-';
	o->not = t.punct == '!';
	return true;
}

/* d | p */
static bool parse_pair(struct ptx_parser *p, struct context *c, struct ptx_opnd *o)
{
	struct ptx_opnd *item = opnd_array(p, 2);
	if (!item)
		return false;
	item[0] = *o;
	tok_next(p);
	if (p->tok.kind != TK_IDENT)
		return parse_expected(p, "a register after '|'");
	if (!parse_named(p, c, &item[1]))
		return false;
	o->kind = PO_PAIR;
	o->item = item;
	o->n = 2;
	return true;
}

static bool parse_operand(struct ptx_parser *p, struct context *c, struct ptx_opnd *o)
{
	bool ok;
	if (c->depth >= 8)
		return parse_error(p, "operands nest deeper than 8 levels");
	c->depth++;
	if (tok_is(p, '{')) {
		opnd_init(o, PO_VEC, &p->tok);
		tok_next(p);
		ok = parse_items(p, c, o, '}', "after the vector");
	} else if (tok_is(p, '(') && c->is_call) {
		opnd_init(o, PO_LIST, &p->tok);
		tok_next(p);
		bool labels = c->labels;
		c->labels = false;
		ok = parse_items(p, c, o, ')', "after the arguments");
		c->labels = labels;
	} else if (tok_is(p, '[')) {
		ok = parse_memory(p, c, o);
	} else if (is_modifier(p)) {
		ok = parse_modified(p, c, o);
	} else if (tok_is_expr(p)) {
		ok = constant(p, o);
	} else if (p->tok.kind == TK_IDENT) {
		ok = parse_named(p, c, o);
	} else {
		ok = parse_expected(p, "an operand");
	}
	if (ok && tok_is(p, '|') && (o->kind == PO_REG || o->kind == PO_SINK || o->kind == PO_VEC))
		ok = parse_pair(p, c, o);
	c->depth--;
	return ok;
}

static bool opcode_is(const struct ptx_stmt *s, const char *word)
{
	return s->word[0].len == strlen(word) && !memcmp(s->word[0].s, word, s->word[0].len);
}

bool parse_operands(struct ptx_parser *p, struct ptx_stmt *s)
{
	struct context c = {.is_call = opcode_is(s, "call"),
			    .labels = opcode_is(s, "bra") || opcode_is(s, "brx"),
			    .addressed = !opcode_is(s, "mov") && !opcode_is(s, "cvta")};
	struct ptx_opnd top = {0};
	size_t base = p->stack.n;
	bool ok = true;
	if (!tok_is(p, ';')) {
		do {
			struct ptx_opnd o;
			ok = parse_operand(p, &c, &o);
			if (ok && o.kind == PO_SYM && !parse_offset(p, &o.imm))
				ok = false;
			if (ok && p->stack.n - base >= PTX_MAX_OPNDS)
				ok = parse_error(p, "more than %d operands", PTX_MAX_OPNDS);
			if (ok)
				vec_push(&p->stack, o);
			if (c.is_call && ok && o.kind != PO_LIST)
				/* after the callee: a prototype or a list of callees */
				c.labels = true;
		} while (ok && tok_take(p, ','));
	}
	ok = ok && tok_expect(p, ';', "after the instruction");
	if (ok) {
		top.n = (unsigned)(p->stack.n - base);
		top.item = opnd_array(p, top.n);
		ok = top.item != NULL;
		if (ok && top.n)
			memcpy(top.item, p->stack.v + base, top.n * sizeof *top.item);
	}
	p->stack.n = base;
	s->opnd = top.item;
	s->nopnd = top.n;
	return ok;
}
