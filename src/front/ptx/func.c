/* Parses .entry and .func: formals, performance directives, the layout of parameters and frame, and
 * the body. stmt.c parses the statements of the body. */
#include <stddef.h>
#include "front/ptx/parse.h"

/* ---- formals ---- */

struct formals {
	VEC(struct var *) v;
	VEC(struct token) name;
	bool is_reg;
};

static bool parse_formal(struct ptx_parser *p, struct formals *fs, enum space space)
{
	struct decl d = {.space = (uint8_t)space};
	uint64_t dims[PTX_MAX_DIMS];
	unsigned ndims;
	struct var *v;
	struct token name;
	bool is_reg = tok_is_dot(p, "reg");
	if (!is_reg && !tok_is_dot(p, "param"))
		return parse_expected(p, ".param or .reg");
	if (is_reg && space == SP_PARAM)
		return parse_error(p, "a kernel's parameters are .param variables");
	tok_next(p);
	if (!parse_decl_head(p, &d) || !parse_declarator(p, &d, &name, &v, dims, &ndims))
		return false;
	if (is_reg && (v->is_array || d.vec > 1))
		return parse_error_at(p, &name, "a .reg parameter is a scalar");
	if (v->type == T_PRED) { /* passed as a word: 0 or 1 */
		v->size = v->align = 4;
		v->type = is_reg ? T_PRED : T_NONE;
	}
	v->is_reg = is_reg;
	fs->is_reg |= is_reg;
	vec_push(&fs->v, v);
	vec_push(&fs->name, name);
	return v->type || parse_error_at(p, &name, "a predicate can only be a register");
}

/* Parses `( formal, formal )`, or empty parentheses. */
static bool parse_formals(struct ptx_parser *p, struct formals *fs, enum space space)
{
	tok_next(p);
	if (tok_take(p, ')'))
		return true;
	do {
		if (!parse_formal(p, fs, space))
			return false;
	} while (tok_take(p, ','));
	return tok_expect(p, ')', "after the parameters");
}

/* Places a formal of a device function. Two formals do not share a word, because calls copy whole
 * words. */
static bool place_formal(struct ptx_parser *p, struct var *v, uint64_t *off, const struct token *at)
{
	uint64_t unit = v->space == SP_FRAME ? FRAME_UNIT : 1,
		 align = v->align > unit ? v->align : unit;
	*off = (*off + align - 1) & ~(align - 1);
	v->addr = *off;
	*off += (v->size + unit - 1) & ~(unit - 1);
	return *off <= 1 << 24 || parse_error_at(p, at, "the parameters are larger than 16 MB");
}

/* Assigns offsets to results and parameters, each from 0 and at its alignment; returns the bytes
 * used. */
static bool proto_layout(struct ptx_parser *p, struct proto *pr, const struct token *at,
			 uint32_t *bytes)
{
	uint64_t off = 0;
	for (uint32_t i = 0; i < pr->nret; i++)
		if (!place_formal(p, pr->ret[i], &off, at))
			return false;
	for (uint32_t i = 0; i < pr->nparam; i++)
		if (!place_formal(p, pr->param[i], &off, at))
			return false;
	*bytes = (uint32_t)off;
	return true;
}

static struct var **keep_formals(struct ptx_parser *p, const struct formals *fs)
{
	struct var **v = ARENA_ARRAY(&p->m->arena, struct var *, fs->v.n + 1);
	if (fs->v.n)
		memcpy(v, fs->v.v, fs->v.n * sizeof *v);
	return v;
}

/* [(results)] name [(parameters)] */
static bool parse_signature(struct ptx_parser *p, enum space space, struct formals *ret,
			    struct formals *par, struct token *name, bool *has_params)
{
	if (tok_is(p, '(')) {
		if (space == SP_PARAM)
			return parse_error(p, "a kernel has no results");
		if (!parse_formals(p, ret, space))
			return false;
	}
	if (!tok_expect_ident(p, "the function's name", name))
		return false;
	*has_params = tok_is(p, '(');
	return !*has_params || parse_formals(p, par, space);
}

static void formals_free(struct formals *fs)
{
	vec_free(&fs->v);
	vec_free(&fs->name);
}

/* .callprototype: a signature whose parameter names are ignored. */
bool parse_proto(struct ptx_parser *p, struct proto *out, struct token *name)
{
	struct formals ret = {0}, par = {0};
	bool has_params;
	uint32_t bytes;
	bool ok = parse_signature(p, SP_FRAME, &ret, &par, name, &has_params);
	if (ok) {
		*out = (struct proto){.nret = (uint32_t)ret.v.n,
				      .nparam = (uint32_t)par.v.n,
				      .ret = keep_formals(p, &ret),
				      .param = keep_formals(p, &par)};
		ok = proto_layout(p, out, name, &bytes);
	}
	formals_free(&ret);
	formals_free(&par);
	return ok;
}

/* ---- performance directives ---- */

static bool parse_numbers(struct ptx_parser *p, uint32_t *out, unsigned max)
{
	for (unsigned i = 0; i < max; i++) {
		uint64_t n;
		if (!parse_count(p, "a number", INT32_MAX, &n))
			return false;
		out[i] = (uint32_t)n;
		if (!tok_take(p, ','))
			break;
	}
	return true;
}

/* .reqntid x[, y[, z]]: missing dimensions are 1. */
static bool parse_dim3(struct ptx_parser *p, uint32_t out[3])
{
	out[0] = out[1] = out[2] = 1;
	return parse_numbers(p, out, 3);
}

enum { DIM3, NUMBER, IGNORED_NUMBER, FLAG, IGNORED_FLAG, PRAGMA };

static const struct {
	const char *word;
	uint8_t kind;
	uint16_t field;
} func_directive[] = {
	{"reqntid", DIM3, offsetof(struct func, reqntid)},
	{"maxntid", DIM3, offsetof(struct func, maxntid)},
	{"reqnctapercluster", DIM3, offsetof(struct func, cluster)},
	{"minnctapersm", NUMBER, offsetof(struct func, minnctapersm)},
	{"maxnctapersm", NUMBER, offsetof(struct func, maxnctapersm)},
	{"maxnreg", NUMBER, offsetof(struct func, maxnreg)},
	{"maxclusterrank", IGNORED_NUMBER, 0},
	{"abi_preserve", IGNORED_NUMBER, 0},
	{"abi_preserve_control", IGNORED_NUMBER, 0},
	{"noreturn", FLAG, offsetof(struct func, noreturn)},
	{"explicitcluster", IGNORED_FLAG, 0},
	{"blocksareclusters", IGNORED_FLAG, 0},
	{"pragma", PRAGMA, 0},
};

static bool parse_func_pragma(struct ptx_parser *p)
{
	if (p->tok.kind != TK_STRING)
		return parse_expected(p, "a string");
	tok_next(p);
	tok_take(p, ';');
	return true;
}

/* Parses directives between the signature and the body. */
static bool parse_func_directives(struct ptx_parser *p, struct func *f)
{
	unsigned i = 0, n = sizeof func_directive / sizeof *func_directive;
	while (i < n) {
		if (!tok_is_dot(p, func_directive[i].word)) {
			i++;
			continue;
		}
		void *field = (char *)f + func_directive[i].field;
		uint32_t ignored;
		bool ok = true;
		tok_next(p);
		switch (func_directive[i].kind) {
		case DIM3: ok = parse_dim3(p, field); break;
		case NUMBER: ok = parse_numbers(p, field, 1); break;
		case IGNORED_NUMBER: ok = parse_numbers(p, &ignored, 1); break;
		case FLAG: *(bool *)field = true; break;
		case PRAGMA: ok = parse_func_pragma(p); break;
		}
		if (!ok)
			return false;
		i = 0;
	}
	return true;
}

/* ---- declaration ---- */

static struct func *func_new(struct ptx_parser *p, const struct token *name, enum linkage linkage,
			     bool entry)
{
	struct func *f = ARENA_NEW(&p->m->arena, struct func);
	f->name = token_string(p, name);
	f->linkage = (uint8_t)linkage;
	f->entry = entry;
	f->line = name->line;
	f->col = name->col;
	f->text_name = p->file;
	f->text = p->text;
	f->text_end = p->end;
	f->builtin = entry ? BI_NONE : builtin_named(f->name, strlen(f->name));
	module_add_func(p->m, f);
	return f;
}

static bool same_shape(const struct proto *a, const struct proto *b)
{
	if (a->nret != b->nret || a->nparam != b->nparam)
		return false;
	for (uint32_t i = 0; i < a->nret; i++)
		if (a->ret[i]->size != b->ret[i]->size)
			return false;
	for (uint32_t i = 0; i < a->nparam; i++)
		if (a->param[i]->size != b->param[i]->size)
			return false;
	return true;
}

/* Returns the function of that name: a new one, or the one that an earlier declaration made. */
static struct func *declare_func(struct ptx_parser *p, const struct token *name,
				 enum linkage linkage, bool entry, const struct proto *pr)
{
	struct binding *b = name_intern(p, name->s, name->len)->top[CH_SYM];
	if (!b || b->kind != BN_FUNC) {
		b = name_bind(p, name, CH_SYM, BN_FUNC);
		if (!b)
			return NULL;
		b->func = func_new(p, name, linkage, entry);
		module_name_func(p->m, b->func);
	} else if (b->func->entry != entry || !same_shape(&b->func->proto, pr)) {
		parse_error_at(p, name, "'%s' does not fit its declaration in line %u",
			       b->func->name, b->func->line);
		return NULL;
	} else if (linkage != LINK_NONE &&
		   (linkage != LINK_EXTERN || b->func->linkage == LINK_NONE) &&
		   !(b->func->defined && linkage == LINK_EXTERN)) {
		b->func->linkage = (uint8_t)linkage;
	}
	return b->func;
}

/* ---- body ---- */

static bool bind_formals(struct ptx_parser *p, const struct formals *fs)
{
	for (size_t i = 0; i < fs->v.n; i++) {
		struct var *v = fs->v.v[i];
		const struct token *t = &fs->name.v[i];
		v->owner = p->f;
		if (t->len == 1 && t->s[0] == '_')
			continue;
		struct binding *b = name_bind(p, t, CH_SYM, v->is_reg ? BN_REG : BN_VAR);
		if (!b)
			return false;
		b->var = v;
		b->type = v->type;
		if (v->is_reg)
			b->id = v->reg = reg_new(p, t->s, t->len, (enum type)v->type, 1);
	}
	return true;
}

static bool parse_body_item(struct ptx_parser *p, bool *more)
{
	if (p->tok.kind != TK_DOT)
		return parse_statement(p);
	bool known;
	bool ok = parse_common_directive(p, &known);
	if (known)
		return ok;
	int space = space_of(&p->tok);
	if (space == SP_NONE) {
		tok_next(p);
		return parse_reg(p);
	}
	if (space > 0)
		return parse_vars(p, LINK_NONE);
	if (tok_is_dot(p, "extern") && tok_peek(p)->kind == TK_DOT && space_of(tok_peek(p)) > 0) {
		tok_next(p);
		return parse_vars(p, LINK_EXTERN);
	}
	if (tok_is_dot(p, "entry") || tok_is_dot(p, "func") || tok_is_dot(p, "visible") ||
	    tok_is_dot(p, "extern") || tok_is_dot(p, "weak")) {
		*more = false;
		return parse_error(p, "expected '}' at the end of '%s' (line %u), found '.%.*s'",
				   p->f->name, p->f->line, (int)p->tok.len, p->tok.s);
	}
	return parse_expected(p, "an instruction, a label or a declaration");
}

/* Statements up to the `}` of the function. */
static void parse_body(struct ptx_parser *p)
{
	bool more = true;
	size_t base = p->scope.n;
	while (more) {
		p->panic = false;
		if (p->tok.kind == TK_EOF) {
			parse_error(p,
				    "expected '}' at the end of '%s' (line %u), found the end of "
				    "the file",
				    p->f->name, p->f->line);
			break;
		}
		if (tok_take(p, ';'))
			continue;
		if (tok_is(p, '}')) {
			if (p->scope.n == base)
				break;
			scope_pop(p);
			tok_next(p);
		} else if (tok_is(p, '{')) {
			if (!scope_push(p))
				break;
			tok_next(p);
		} else if (!parse_body_item(p, &more) && more) {
			parse_resync(p);
		}
	}
	while (p->scope.n > base)
		scope_pop(p);
}

/* Appends the `ret` of a body whose last instruction can fall through. */
static bool append_ret(struct ptx_parser *p)
{
	struct func *f = p->f;
	uint32_t n = (uint32_t)f->code.n;
	bool needed = !n || !inst_is_branch(&f->code.v[n - 1]) || f->code.v[n - 1].guard != NO_REG;
	for (size_t i = 0; i < p->labels.n && !needed; i++)
		needed = p->labels.v[i].used && p->labels.v[i].defined && p->labels.v[i].pc == n;
	if (!needed)
		return true;
	struct ptx_stmt s = {.word = {{.s = "ret", .len = 3, .col = p->tok.col}},
			     .nword = 1,
			     .guard = NO_REG,
			     .line = p->tok.line,
			     .col = p->tok.col};
	return stmt_emit_ret(p, &s);
}

/* Replaces label numbers by code indices. */
static void patch_labels(struct ptx_parser *p)
{
	struct func *f = p->f;
	for (size_t i = 0; i < f->code.n; i++)
		if (f->code.v[i].op == OP_BRA)
			f->code.v[i].target = label_pc(p, f->code.v[i].target);
	for (size_t i = 0; i < f->targets.n; i++)
		for (uint32_t k = 0; k < f->targets.v[i].n; k++)
			f->targets.v[i].pc[k] = label_pc(p, f->targets.v[i].pc[k]);
}

static void define_func(struct ptx_parser *p, struct func *f, const struct formals *ret,
			const struct formals *par, uint32_t formal_bytes)
{
	f->defined = true;
	f->builtin = BI_NONE;
	p->f = f;
	p->labels.n = 0;
	p->src_file = p->src_line = p->src_col = p->inlined = 0;
	p->frame = p->frame_max = f->entry ? 0 : formal_bytes;
	p->reg_formals = ret->is_reg || par->is_reg;
	tok_next(p);
	vec_push(&p->scope, (struct name_scope){.frame = p->frame, .keep_frame = true});
	if (bind_formals(p, ret) && bind_formals(p, par) && stmt_emit_prologue(p))
		parse_body(p);
	/* the function is never executed, so its calls and labels may be incomplete */
	if (f->refused)
		f->code.n = f->calls.n = f->targets.n = 0;
	append_ret(p);
	scope_pop(p); /* undefined labels are reported here */
	patch_labels(p);
	f->frame_bytes = (p->frame_max + 15) & ~15u;
	p->f = NULL;
	tok_take(p, '}');
}

static bool parse_func_rest(struct ptx_parser *p, enum linkage linkage, bool entry,
			    struct formals *ret, struct formals *par)
{
	struct token name;
	struct decl unused = {0};
	bool has_params = false;
	if (tok_is_dot(p, "attribute")) {
		tok_next(p);
		if (!parse_attribute(p, &unused))
			return false;
	}
	if (!parse_signature(p, entry ? SP_PARAM : SP_FRAME, ret, par, &name, &has_params))
		return false;
	struct proto pr = {.nret = (uint32_t)ret->v.n,
			   .nparam = (uint32_t)par->v.n,
			   .ret = keep_formals(p, ret),
			   .param = keep_formals(p, par)};
	uint32_t bytes;
	if (!proto_layout(p, &pr, &name, &bytes))
		return false;
	struct func *f = declare_func(p, &name, linkage, entry, &pr);
	if (!f)
		return false;
	if (!parse_func_directives(p, f))
		return false;
	bool body = tok_is(p, '{');
	if (body && (f->defined || f->alias))
		return parse_error_at(p, &name, "'%s' is defined twice (first in line %u)", f->name,
				      f->line);
	if (!f->defined) {
		pr.noreturn = f->noreturn;
		f->proto = pr;
		f->param_bytes = entry ? bytes : 0;
		f->has_params = has_params;
		f->frame_bytes = entry ? 0 : (bytes + 15) & ~15u;
	}
	if (!body) /* the compilers of PTX 2.x leave out the semicolon of a declaration */
		return p->tok.kind == TK_DOT || p->tok.kind == TK_EOF ||
		       tok_expect(p, ';', "or a body after the declaration");
	if (f->linkage == LINK_EXTERN)
		f->linkage = LINK_VISIBLE;
	f->line = name.line;
	f->col = name.col;
	define_func(p, f, ret, par, bytes);
	return true;
}

bool parse_func(struct ptx_parser *p, enum linkage linkage, bool entry)
{
	struct formals ret = {0}, par = {0};
	bool ok = parse_func_rest(p, linkage, entry, &ret, &par);
	formals_free(&ret);
	formals_free(&par);
	return ok;
}
