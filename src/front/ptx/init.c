/* Parses initialisers of variables (numbers, addresses, nested lists) and the properties of
 * samplers and textures. */
#include "front/ptx/parse.h"

enum { MAX_INIT = 1 << 28 }; /* bytes of an initialised variable */

struct init {
	struct var *v;
	const uint64_t *dims;
	unsigned ndims, elem; /* elem: bytes of one scalar */
	uint64_t limit;       /* bytes of the variable; UINT64_MAX: the list decides */
	VEC(uint8_t) bytes;
};

static bool put_bytes(struct ptx_parser *p, struct init *in, uint64_t pos, const void *src,
		      unsigned n)
{
	if (pos + n > in->limit)
		return parse_error(p, "too many initialisers: '%s' has %llu bytes", in->v->name,
				   (unsigned long long)in->limit);
	if (pos + n > MAX_INIT)
		return parse_error(p, "'%s' is too large to be initialised", in->v->name);
	if (pos + n > in->bytes.n) {
		vec_reserve(&in->bytes, pos + n);
		memset(in->bytes.v + in->bytes.n, 0, pos + n - in->bytes.n);
		in->bytes.n = pos + n;
	}
	memcpy(in->bytes.v + pos, src, n);
	return true;
}

static bool put_number(struct ptx_parser *p, struct init *in, uint64_t pos, uint64_t bits)
{
	uint8_t b[16];
	for (unsigned i = 0; i < in->elem; i++)
		b[i] = i < 8 ? (uint8_t)(bits >> (8 * i)) : 0;
	return put_bytes(p, in, pos, b, in->elem);
}

/* Parses `+ n` or `- n` after a symbol. */
static bool parse_addend(struct ptx_parser *p, int64_t *addend)
{
	struct cval v;
	if (!tok_is(p, '+') && !tok_is(p, '-'))
		return true;
	if (tok_is(p, '+'))
		tok_next(p);
	if (!parse_expr(p, &v))
		return false;
	if (v.kind != TK_INT)
		return parse_error(p, "the offset of a symbol is an integer");
	*addend = (int64_t)((uint64_t)*addend + v.u);
	return true;
}

static bool bind_reloc(struct ptx_parser *p, struct reloc *r)
{
	struct binding *b = name_find(p, r->name, (uint32_t)strlen(r->name));
	if (b && b->kind == BN_VAR) {
		r->var = b->var;
		b->var->used = true;
	} else if (b && b->kind == BN_FUNC) {
		r->func = b->func;
		b->func->used = b->func->addr_taken = true;
	}
	return r->var || r->func;
}

/* symbol [+ n]  |  generic(symbol [+ n]) [+ n] */
static bool parse_symbol(struct ptx_parser *p, struct reloc *r)
{
	struct token name = p->tok;
	bool generic = tok_is_ident(p, "generic") && tok_peek(p)->kind == TK_PUNCT &&
		       tok_peek(p)->punct == '(';
	if (generic) {
		tok_next(p);
		tok_next(p);
		r->generic = true;
	}
	if (!tok_expect_ident(p, "a constant or the name of a variable", &name))
		return false;
	r->name = token_string(p, &name);
	r->line = name.line;
	r->col = name.col;
	if (!parse_addend(p, &r->addend))
		return false;
	if (generic && !tok_expect(p, ')', "after generic(..."))
		return false;
	return parse_addend(p, &r->addend);
}

static bool put_reloc(struct ptx_parser *p, struct init *in, uint64_t pos, struct reloc *r)
{
	r->offset = (uint32_t)pos;
	r->size = (uint8_t)(in->elem < 8 ? in->elem : 8);
	if (type_is_float(in->v->type))
		return parse_error(p, "an address cannot initialise a floating-point variable");
	if (!put_number(p, in, pos, 0))
		return false;
	if (!bind_reloc(p, r))
		vec_push(&p->late, (struct late_reloc){in->v, in->v->reloc.n});
	vec_push(&in->v->reloc, *r);
	return true;
}

/* 0xFF00(symbol): the byte of the address under the mask. */
static bool parse_masked(struct ptx_parser *p, struct init *in, uint64_t pos)
{
	struct reloc r = {0};
	uint64_t mask = p->tok.u;
	unsigned shift = mask ? (unsigned)__builtin_ctzll(mask) & ~7u : 0;
	if (mask >> shift != 0xff)
		return parse_error(p, "a mask selects one byte: 0xFF, 0xFF00, ...");
	tok_next(p);
	tok_next(p);
	r.shift = (uint8_t)shift;
	return parse_symbol(p, &r) && tok_expect(p, ')', "after the masked address") &&
	       put_reloc(p, in, pos, &r);
}

static bool parse_string(struct ptx_parser *p, struct init *in, uint64_t *pos)
{
	if (in->elem != 1)
		return parse_error(p, "a string can only initialise bytes");
	if (!put_bytes(p, in, *pos, p->tok.s, p->tok.len))
		return false;
	*pos += p->tok.len;
	tok_next(p);
	return true;
}

static bool parse_scalar(struct ptx_parser *p, struct init *in, uint64_t *pos)
{
	struct reloc r = {0};
	if (p->tok.kind == TK_STRING)
		return parse_string(p, in, pos);
	uint64_t at = *pos, bits;
	*pos += in->elem;
	if (p->tok.kind == TK_INT && tok_peek(p)->kind == TK_PUNCT && tok_peek(p)->punct == '(')
		return parse_masked(p, in, at);
	if (p->tok.kind == TK_IDENT && !tok_is_expr(p))
		return parse_symbol(p, &r) && put_reloc(p, in, at, &r);
	struct token t = p->tok;
	struct cval v;
	if (!tok_is_expr(p))
		return parse_expected(p, "a constant or the name of a variable");
	if (!parse_expr(p, &v))
		return false;
	if (!cval_bits(&v, (enum type)in->v->type, &bits))
		return parse_error_at(p, &t, "a floating-point number cannot initialise a .%s",
				      type_info[in->v->type].name);
	return put_number(p, in, at, bits);
}

/* Returns the bytes of one element of the list at `level`; the innermost elements are scalars. */
static uint64_t stride(const struct init *in, unsigned level)
{
	uint64_t n = in->elem;
	if (level < in->ndims)
		n *= in->v->vec;
	for (unsigned i = level + 1; i < in->ndims; i++)
		n *= in->dims[i];
	return n;
}

/* Parses `{ item, item, ... }` into bytes from `base`; missing items are zero. */
static bool parse_list(struct ptx_parser *p, struct init *in, unsigned level, uint64_t base,
		       uint64_t *end)
{
	uint64_t pos = base, step = stride(in, level);
	tok_next(p);
	while (!tok_is(p, '}')) {
		if (tok_is(p, '{')) {
			if (level >= in->ndims + (in->v->vec > 1) || !step)
				return parse_error(p, "the lists nest deeper than the variable");
			pos = base + (pos - base + step - 1) / step * step;
			uint64_t inner = 0; /* end of the inner list */
			if (!parse_list(p, in, level + 1, pos, &inner))
				return false;
			pos += step;
			if (inner > pos)
				return parse_error(p, "too many initialisers in the inner list");
		} else if (!parse_scalar(p, in, &pos)) {
			return false;
		}
		if (!tok_take(p, ',') && !tok_is(p, '}'))
			return parse_expected(p, "',' or '}' in the initialiser");
	}
	tok_next(p);
	*end = step ? base + (pos - base + step - 1) / step * step : pos;
	return true;
}

/* { filter_mode = nearest, addr_mode_0 = wrap } */
static bool parse_properties(struct ptx_parser *p, struct var *v)
{
	if (!tok_expect(p, '{', "before the properties"))
		return false;
	do {
		struct token name;
		struct texprop prop = {0};
		if (!tok_expect_ident(p, "a property", &name) ||
		    !tok_expect(p, '=', "after the property"))
			return false;
		prop.name = token_string(p, &name);
		if (p->tok.kind == TK_IDENT) {
			prop.word = token_string(p, &p->tok);
			tok_next(p);
		} else if (!parse_count(p, "the property's value", UINT32_MAX, &prop.value)) {
			return false;
		}
		struct texprop *all = ARENA_ARRAY(&p->m->arena, struct texprop, v->nprop + 1);
		if (v->nprop)
			memcpy(all, v->prop, v->nprop * sizeof *all);
		all[v->nprop++] = prop;
		v->prop = all;
		if (v->nprop > 32)
			return parse_error(p, "too many properties");
	} while (tok_take(p, ','));
	return tok_expect(p, '}', "after the properties");
}

bool parse_init(struct ptx_parser *p, struct var *v, const uint64_t *dims, unsigned ndims,
		unsigned elem)
{
	if (v->type == T_TEXREF || v->type == T_SAMPLERREF || v->type == T_SURFREF)
		return parse_properties(p, v);
	struct init in = {.v = v,
			  .dims = dims,
			  .ndims = ndims,
			  .elem = elem,
			  .limit = v->unsized ? UINT64_MAX : v->size};
	uint64_t end = 0;
	size_t late = p->late.n;
	bool ok = tok_is(p, '{') ? parse_list(p, &in, 0, 0, &end) : parse_scalar(p, &in, &end);
	if (ok && v->unsized) {
		v->unsized = false;
		v->size = end;
		v->count = (uint32_t)(end / (elem * v->vec));
	}
	if (ok && v->size > MAX_INIT)
		ok = parse_error(p, "'%s' is too large to be initialised", v->name);
	if (ok) {
		v->init = arena_alloc(&p->m->arena, v->size ? v->size : 1);
		size_t n = in.bytes.n < v->size ? in.bytes.n : v->size;
		if (n)
			memcpy(v->init, in.bytes.v, n);
	}
	if (!ok)
		p->late.n = late;
	vec_free(&in.bytes);
	return ok;
}

void resolve_late(struct ptx_parser *p)
{
	for (size_t i = 0; i < p->late.n; i++) {
		struct reloc *r = &p->late.v[i].var->reloc.v[p->late.v[i].index];
		struct token t = {.kind = TK_IDENT,
				  .s = r->name,
				  .len = (uint32_t)strlen(r->name),
				  .line = r->line,
				  .col = r->col};
		p->panic = false;
		if (!bind_reloc(p, r))
			name_undefined(p, &t);
	}
}
