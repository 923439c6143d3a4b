/* Parses declarations of registers and variables. init.c parses initialisers. */
#include "front/ptx/parse.h"

int space_of(const struct token *t)
{
	static const struct {
		const char *word;
		int space;
	} table[] = {{"reg", SP_NONE},    {"global", SP_GLOBAL}, {"shared", SP_SHARED},
		     {"local", SP_LOCAL}, {"const", SP_CONST},   {"param", SP_PARAM},
		     {"tex", SP_TEX},     {"surf", SP_TEX}};
	for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
		if (strlen(table[i].word) == t->len && !memcmp(table[i].word, t->s, t->len))
			return table[i].space;
	return -1;
}

static bool is_power_of_2(uint64_t n) { return n && !(n & (n - 1)); }

static bool parse_align(struct ptx_parser *p, uint32_t *out)
{
	struct token at = p->tok;
	uint64_t n;
	if (!parse_count(p, "an alignment", 1 << 20, &n))
		return false;
	if (!is_power_of_2(n))
		return parse_error_at(p, &at, "an alignment is a power of two");
	*out = (uint32_t)n;
	return true;
}

/* .attribute(.managed, .unified(1, 2)) */
bool parse_attribute(struct ptx_parser *p, struct decl *d)
{
	if (!tok_expect(p, '(', "after .attribute"))
		return false;
	do {
		if (tok_is_dot(p, "managed")) {
			d->managed = true;
			tok_next(p);
		} else if (tok_is_dot(p, "unified")) {
			tok_next(p);
			uint64_t n;
			if (tok_take(p, '(') && !(parse_count(p, "a number", UINT64_MAX, &n) &&
						  tok_expect(p, ',', "in .unified") &&
						  parse_count(p, "a number", UINT64_MAX, &n) &&
						  tok_expect(p, ')', "after .unified")))
				return false;
		} else {
			return parse_expected(p, ".managed or .unified");
		}
	} while (tok_take(p, ','));
	return tok_expect(p, ')', "after the attributes");
}

/* Parses `.ptr [.space] [.align N]`: the object that a kernel's pointer points to. */
static bool parse_ptr(struct ptx_parser *p, struct decl *d)
{
	uint32_t pointee_align;
	d->ptr = true;
	d->ptr_space = SP_GENERIC;
	int s = p->tok.kind == TK_DOT ? space_of(&p->tok) : -1;
	if (s == SP_GLOBAL || s == SP_SHARED || s == SP_CONST || s == SP_LOCAL) {
		d->ptr_space = (uint8_t)s;
		tok_next(p);
	}
	if (!tok_is_dot(p, "align"))
		return true;
	tok_next(p);
	return parse_align(p, &pointee_align);
}

static bool parse_vector(struct ptx_parser *p, struct decl *d)
{
	if (p->tok.len != 2 || p->tok.s[0] != 'v' || !strchr("248", p->tok.s[1]))
		return false;
	d->vec = (uint8_t)(p->tok.s[1] - '0');
	tok_next(p);
	return true;
}

bool parse_decl_head(struct ptx_parser *p, struct decl *d)
{
	d->vec = 1;
	while (p->tok.kind == TK_DOT) {
		if (tok_is_dot(p, "align")) {
			tok_next(p);
			if (!parse_align(p, &d->align))
				return false;
		} else if (tok_is_dot(p, "attribute")) {
			tok_next(p);
			if (!parse_attribute(p, d))
				return false;
		} else if (tok_is_dot(p, "ptr") && d->type) {
			tok_next(p);
			if (!parse_ptr(p, d))
				return false;
		} else if (d->type || !parse_vector(p, d)) {
			d->type = d->type ? T_NONE : (uint8_t)type_find(p->tok.s, p->tok.len);
			if (!d->type || (type_bits(d->type) & 7 && d->type != T_PRED))
				return parse_expected(p, "a type such as .u32");
			tok_next(p);
		}
	}
	if (!d->type)
		return parse_expected(p, "a type such as .u32");
	if (d->space == SP_TEX) { /* .tex .u32 t: how early PTX declares texture references */
		d->type = T_TEXREF;
		d->vec = 1;
	}
	return true;
}

struct var *var_new(struct ptx_parser *p, const struct decl *d, const struct token *name)
{
	struct var *v = ARENA_NEW(&p->m->arena, struct var);
	unsigned bytes = type_bytes(d->type);
	v->name = token_string(p, name);
	v->space = d->space;
	v->type = d->type;
	v->linkage = d->linkage;
	v->ptr_space = d->ptr_space;
	v->managed = d->managed;
	v->vec = d->vec;
	v->align = d->align ? d->align : bytes * d->vec;
	v->size = bytes * d->vec;
	v->count = 1;
	v->owner = p->f;
	v->line = name->line;
	v->col = name->col;
	v->text_name = p->file;
	v->text = p->text;
	v->text_end = p->end;
	return v;
}

/* Parses `[N][M]...`; an empty first dimension leaves the size open. */
static bool parse_dims(struct ptx_parser *p, struct var *v, uint64_t *dims, unsigned *ndims)
{
	struct token at = p->tok;
	uint64_t count = 1, limit = module_space_limit(v->space);
	*ndims = 0;
	while (tok_take(p, '[')) {
		if (*ndims == PTX_MAX_DIMS)
			return parse_error_at(p, &at, "more than %d dimensions", PTX_MAX_DIMS);
		uint64_t n = 0;
		if (tok_is(p, ']') && *ndims == 0)
			v->unsized = true;
		else if (!parse_count(p, "the number of elements", UINT64_MAX, &n))
			return false;
		if (!tok_expect(p, ']', "after the number of elements"))
			return false;
		dims[(*ndims)++] = n;
		if (v->unsized && *ndims == 1)
			continue;
		if (__builtin_mul_overflow(count, n, &count) || count > limit)
			count = limit + 1;
	}
	v->is_array = *ndims > 0;
	if (count > limit || count * v->size > limit)
		return parse_error_at(p, &at,
				      "'%s' is too large: a variable in this state space has at "
				      "most %llu bytes",
				      v->name, (unsigned long long)limit);
	v->size = v->unsized ? 0 : v->size * count;
	v->count = v->unsized ? 0 : (uint32_t)(count < UINT32_MAX ? count : UINT32_MAX);
	return true;
}

bool parse_declarator(struct ptx_parser *p, const struct decl *d, struct token *name,
		      struct var **out, uint64_t *dims, unsigned *ndims)
{
	if (!tok_expect_ident(p, "a name", name))
		return false;
	*out = var_new(p, d, name);
	return parse_dims(p, *out, dims, ndims);
}

/* Parses `<N>` after a name; *n is 0 if there is none. */
static bool parse_range(struct ptx_parser *p, uint64_t *n)
{
	*n = 0;
	if (!tok_take(p, '<'))
		return true;
	if (p->tok.kind != TK_INT) /* parse_count() would take the `>` as an operator */
		return parse_expected(p, "a number of names");
	*n = p->tok.u;
	if (*n > PTX_MAX_RANGE)
		return parse_error(p, "more than %d names", PTX_MAX_RANGE);
	tok_next(p);
	return tok_expect(p, '>', "after the number of names");
}

static bool declare_reg(struct ptx_parser *p, const struct decl *d)
{
	struct token name;
	if (!tok_expect_ident(p, "a register name", &name))
		return false;
	bool many = tok_is(p, '<');
	if (!parse_range(p, &name.u))
		return false;
	struct binding *b = name_bind(p, &name, many ? CH_RANGE : CH_SYM,
				      many         ? BN_RANGE
				      : d->vec > 1 ? BN_VREG
						   : BN_REG);
	if (!b)
		return false;
	b->type = d->type;
	b->vec = d->vec;
	b->id = many ? (uint32_t)name.u : reg_new(p, name.s, name.len, (enum type)d->type, d->vec);
	return true;
}

bool parse_reg(struct ptx_parser *p)
{
	struct decl d = {0};
	if (!parse_decl_head(p, &d))
		return false;
	if (d.vec > 4)
		return parse_error(p, "a vector register has 2 or 4 elements");
	do {
		if (!declare_reg(p, &d))
			return false;
	} while (tok_take(p, ','));
	return tok_expect(p, ';', "after the registers");
}

bool frame_alloc(struct ptx_parser *p, struct var *v, const struct token *at)
{
	uint64_t unit = v->space == SP_FRAME ? FRAME_UNIT : 1,
		 align = v->align > unit ? v->align : unit;
	uint64_t off = ((uint64_t)p->frame + align - 1) & ~(align - 1),
		 end = (off + v->size + unit - 1) & ~(unit - 1);
	if (end > UINT32_C(1) << 26)
		return parse_error_at(p, at, "the function's frame is larger than 64 MB");
	v->addr = off;
	p->frame = (uint32_t)end;
	if (p->frame > p->frame_max)
		p->frame_max = p->frame;
	return true;
}

/* True for a parameter that a kernel of PTX 1.x declares in its body. */
static bool is_old_param(const struct ptx_parser *p)
{
	return p->f->entry && !p->f->has_params && p->m->version < 20 && p->scope.n == 2;
}

static bool place_param(struct ptx_parser *p, struct var *v, const struct token *name)
{
	struct func *f = p->f;
	if (!is_old_param(p)) {
		v->space = SP_FRAME;
		return frame_alloc(p, v, name);
	}
	uint64_t off = (f->param_bytes + (uint64_t)v->align - 1) & ~(uint64_t)(v->align - 1);
	if (off + v->size > UINT32_C(1) << 24)
		return parse_error_at(p, name, "the parameters are too large");
	v->addr = off;
	f->param_bytes = (uint32_t)(off + v->size);
	struct var **param = ARENA_ARRAY(&p->m->arena, struct var *, f->proto.nparam + 1);
	if (f->proto.nparam)
		memcpy(param, f->proto.param, f->proto.nparam * sizeof *param);
	param[f->proto.nparam++] = v;
	f->proto.param = param;
	return true;
}

/* Adds a variable to the frame, to the function's list or to the module's list, by its space. */
static bool place_var(struct ptx_parser *p, struct var *v, const struct token *name)
{
	if (p->f) {
		vec_push(&p->f->vars, v);
		if (v->space == SP_PARAM)
			return place_param(p, v, name);
		if (v->space == SP_LOCAL) {
			p->scope.v[p->scope.n - 1].keep_frame = true;
			return frame_alloc(p, v, name);
		}
	} else if (v->space == SP_PARAM) {
		return parse_error_at(p, name, ".param variables are declared inside functions");
	}
	module_add_var(p->m, v);
	if (!p->f)
		module_name_var(p->m, v);
	return true;
}

/* Merges an extern declaration with its definition in the same text: they are one variable. */
static struct var *merge_extern(struct ptx_parser *p, struct var *old, struct var *v,
				const struct token *name)
{
	bool both = old->linkage != LINK_EXTERN && v->linkage != LINK_EXTERN;
	if (both) {
		parse_error_at(p, name, "'%s' is defined twice (first in line %u)", v->name,
			       old->line);
		return NULL;
	}
	if (old->space != v->space || (!old->unsized && !v->unsized && old->size != v->size)) {
		parse_error_at(p, name, "'%s' does not fit its declaration in line %u", v->name,
			       old->line);
		return NULL;
	}
	if (v->linkage == LINK_EXTERN)
		return old;
	bool used = old->used;
	uint32_t index = old->index;
	*old = *v;
	old->used = used;
	old->index = index;
	return old;
}

static struct var *declare_var(struct ptx_parser *p, struct var *v, const struct token *name)
{
	struct binding *b = p->f ? NULL : name_intern(p, name->s, name->len)->top[CH_SYM];
	if (b && b->kind == BN_VAR)
		return merge_extern(p, b->var, v, name);
	b = name_bind(p, name, CH_SYM, BN_VAR);
	if (!b)
		return NULL;
	b->var = v;
	return place_var(p, v, name) ? v : NULL;
}

/* Declares name<N>: N variables name0 .. name(N-1). */
static bool declare_many(struct ptx_parser *p, const struct decl *d, const struct token *prefix,
			 uint64_t n)
{
	if (n > 1 << 16)
		return parse_error_at(p, prefix, "more than %d variables", 1 << 16);
	for (uint64_t i = 0; i < n; i++) {
		char *s = arena_printf(&p->m->arena, "%.*s%u", (int)prefix->len, prefix->s,
				       (unsigned)i);
		struct token t = *prefix;
		t.s = s;
		t.len = (uint32_t)strlen(s);
		if (!declare_var(p, var_new(p, d, &t), &t))
			return false;
	}
	return true;
}

static bool parse_var(struct ptx_parser *p, const struct decl *d)
{
	struct token name;
	struct var *v;
	uint64_t dims[PTX_MAX_DIMS], n;
	unsigned ndims;
	if (p->tok.kind == TK_IDENT && tok_peek(p)->kind == TK_PUNCT && tok_peek(p)->punct == '<') {
		name = p->tok;
		tok_next(p);
		return parse_range(p, &n) && declare_many(p, d, &name, n);
	}
	if (!parse_declarator(p, d, &name, &v, dims, &ndims))
		return false;
	unsigned elem = type_bytes(v->type);
	bool has_init = tok_is(p, '=');
	if (v->unsized && !has_init && v->linkage != LINK_EXTERN && v->space != SP_SHARED)
		return parse_error_at(p, &name,
				      "'%s' has no size: only extern variables may leave it open",
				      v->name);
	v = declare_var(p, v, &name);
	if (!v || !has_init)
		return v;
	if (v->space != SP_GLOBAL && v->space != SP_CONST)
		return parse_error(p, "only .global and .const variables can have an initialiser");
	if (v->linkage == LINK_EXTERN)
		return parse_error(p, "an extern declaration cannot have an initialiser");
	tok_next(p);
	return parse_init(p, v, dims, ndims, elem);
}

/* Skips the bank of .const[3]: the banks of PTX 1.x are one space here. */
static bool skip_bank(struct ptx_parser *p)
{
	uint64_t n;
	if (!tok_take(p, '['))
		return true;
	return parse_count(p, "a constant bank", 10, &n) && tok_expect(p, ']', "after the bank");
}

bool parse_vars(struct ptx_parser *p, enum linkage linkage)
{
	struct decl d = {.linkage = (uint8_t)linkage, .space = (uint8_t)space_of(&p->tok)};
	tok_next(p);
	if (d.space == SP_CONST && !skip_bank(p))
		return false;
	if (!parse_decl_head(p, &d))
		return false;
	if (d.type == T_PRED)
		return parse_error(p, "a predicate can only be a register");
	do {
		if (!parse_var(p, &d))
			return false;
	} while (tok_take(p, ','));
	return tok_expect(p, ';', "after the variable");
}
