/* Lowers calls and functions of the older PTX ABI, which pass registers and constants, to the newer
 * ABI. Each register formal gets a variable in the function's frame; st.param fills it and ld.param
 * reads it around the call, at the function's start and before its returns.
 *
 * 	call (%r1), f, (%r2, 5);      st.param.b32 [a], %r2;  st.param.b32 [b], 5;
 * 	                        ->    call (c), f, (a, b);
 * 	                              ld.param.b32 %r1, [c]; */
#include "front/ptx/parse.h"

static struct ptx_word word(const char *s, uint32_t col)
{
	return (struct ptx_word){.s = s, .len = (unsigned)strlen(s), .col = col};
}

/* Makes a statement with the source position and guard of `like`. */
static struct ptx_stmt stmt_like(const struct ptx_stmt *like, const char *w0, const char *w1,
				 const char *w2, struct ptx_opnd *opnd, unsigned n)
{
	struct ptx_stmt s = {.guard = like->guard,
			     .guard_neg = like->guard_neg,
			     .line = like->line,
			     .col = like->col,
			     .opnd = opnd,
			     .nopnd = n};
	const char *w[] = {w0, w1, w2};
	for (unsigned i = 0; i < 3 && w[i]; i++)
		s.word[s.nword++] = word(w[i], like->col);
	return s;
}

/* Returns the untyped type of the register's width, so that nothing is converted on the way. */
static const char *width_word(const struct var *v)
{
	switch (v->type == T_PRED ? 4 : type_bytes(v->type)) {
	case 1: return "b8";
	case 2: return "b16";
	case 4: return "b32";
	case 8: return "b64";
	default: return "b128";
	}
}

static struct ptx_opnd reg_opnd(uint32_t reg, unsigned type, const struct ptx_stmt *like)
{
	return (struct ptx_opnd){.kind = PO_REG,
				 .reg = reg,
				 .type = (uint8_t)type,
				 .line = like->line,
				 .col = like->col,
				 .name = "",
				 .len = 0};
}

static struct ptx_opnd int_opnd(int64_t imm, const struct ptx_stmt *like)
{
	return (struct ptx_opnd){.kind = PO_INT,
				 .imm = imm,
				 .line = like->line,
				 .col = like->col,
				 .name = "",
				 .len = 0};
}

/* A predicate travels as a word: selp before the store, setp after the load. */
static bool pred_to_word(struct ptx_parser *p, const struct ptx_stmt *like, uint32_t tmp,
			 const struct ptx_opnd *value)
{
	struct ptx_opnd o[4] = {reg_opnd(tmp, T_U32, like), int_opnd(1, like), int_opnd(0, like),
				*value};
	struct ptx_stmt s = stmt_like(like, "selp", "u32", NULL, o, 4);
	return stmt_emit(p, &s);
}

static bool word_to_pred(struct ptx_parser *p, const struct ptx_stmt *like, uint32_t tmp,
			 const struct ptx_opnd *value)
{
	struct ptx_opnd o[3] = {*value, reg_opnd(tmp, T_U32, like), int_opnd(0, like)};
	struct ptx_stmt s = stmt_like(like, "setp", "ne", "u32", o, 3);
	return stmt_emit(p, &s);
}

/* Converts a constant to the bits of the variable's type. */
static bool constant_bits(struct ptx_parser *p, const struct var *v, struct ptx_opnd *o)
{
	struct cval c = {.kind = o->kind == PO_INT   ? TK_INT
				 : o->kind == PO_F32 ? TK_F32
						     : TK_F64,
			 .is_unsigned = o->is_unsigned,
			 .u = (uint64_t)o->imm};
	uint64_t bits;
	if (!cval_bits(&c, (enum type)v->type, &bits)) {
		ptx_error(p, o->line, o->col, "the constant is not a .%s", type_info[v->type].name);
		return false;
	}
	o->kind = PO_INT;
	o->imm = (int64_t)bits;
	o->is_unsigned = true;
	return true;
}

/* Appends ld.param or st.param between a register (or constant) and a frame variable. */
static bool stmt_emit_move(struct ptx_parser *p, const struct ptx_stmt *like, bool load,
			   struct var *v, const struct ptx_opnd *value)
{
	/* clang-format off */
	struct ptx_opnd sym = {.kind = PO_SYM, .var = v, .type = v->type, .line = like->line,
			       .col = like->col, .name = v->name, .len = (unsigned)strlen(v->name)};
	/* clang-format on */
	struct ptx_opnd mem = {.kind = PO_MEM,
			       .item = &sym,
			       .n = 1,
			       .line = like->line,
			       .col = like->col,
			       .name = v->name,
			       .len = sym.len};
	struct ptx_opnd val = *value;
	bool pred = value->kind == PO_REG && value->type == T_PRED;
	if (pred)
		val = reg_opnd(reg_new(p, "%pred_word", 10, T_U32, 1), T_U32, like);
	else if (value->kind != PO_REG && !constant_bits(p, v, &val))
		return false;
	if (pred && !load && !pred_to_word(p, like, val.reg, value))
		return false;
	struct ptx_opnd o[2] = {load ? val : mem, load ? mem : val};
	struct ptx_stmt s = stmt_like(like, load ? "ld" : "st", "param", width_word(v), o, 2);
	return stmt_emit(p, &s) && (!pred || !load || word_to_pred(p, like, val.reg, value));
}

/* ---- the callee's side ---- */

bool stmt_emit_prologue(struct ptx_parser *p)
{
	const struct proto *pr = &p->f->proto;
	struct ptx_stmt like = {.guard = NO_REG, .line = p->f->line, .col = p->f->col};
	for (uint32_t i = 0; i < pr->nparam && p->reg_formals; i++) {
		struct var *v = pr->param[i];
		struct ptx_opnd r = reg_opnd(v->reg, v->type, &like);
		if (v->is_reg && !stmt_emit_move(p, &like, true, v, &r))
			return false;
	}
	return true;
}

bool stmt_emit_ret(struct ptx_parser *p, const struct ptx_stmt *s)
{
	const struct proto *pr = &p->f->proto;
	for (uint32_t i = 0; i < pr->nret && p->reg_formals; i++) {
		struct var *v = pr->ret[i];
		struct ptx_opnd r = reg_opnd(v->reg, v->type, s);
		if (v->is_reg && !stmt_emit_move(p, s, false, v, &r))
			return false;
	}
	return stmt_emit(p, s);
}

/* ---- the caller's side ---- */

static bool is_value(const struct ptx_opnd *o)
{
	return o->kind == PO_REG || o->kind == PO_INT || o->kind == PO_F32 || o->kind == PO_F64;
}

/* Returns the prototype that the statement names; NULL: none. */
static const struct proto *callee_proto(struct ptx_parser *p, const struct ptx_stmt *s)
{
	for (unsigned i = 0; i < s->nopnd; i++) {
		const struct ptx_opnd *o = &s->opnd[i];
		if (o->kind == PO_FUNC)
			return &o->func->proto;
		const struct ptx_list *l = o->kind == PO_LABEL ? ptx_list_find(p, o->reg) : NULL;
		if (l && l->kind == PL_PROTO)
			return &l->proto;
		if (l && l->kind == PL_CALLS && l->n)
			return &l->func[0]->proto;
	}
	return NULL;
}

/* Makes a frame variable for argument o, with the formal's type or, without a prototype, the
 * register's. */
static struct var *new_temporary(struct ptx_parser *p, const struct ptx_opnd *o,
				 const struct var *formal)
{
	struct token t = {.s = "%arg", .len = 4, .line = o->line, .col = o->col};
	unsigned type = formal ? formal->type : o->kind == PO_REG ? o->type : T_NONE;
	if (!type || (formal && (formal->is_array || formal->vec > 1)) ||
	    (o->kind == PO_REG && (o->type == T_PRED) != (type == T_PRED))) {
		ptx_error(p, o->line, o->col,
			  "this argument does not fit the function's parameter");
		return NULL;
	}
	struct decl d = {.space = SP_FRAME, .type = (uint8_t)type, .vec = 1};
	struct var *v = var_new(p, &d, &t);
	if (type == T_PRED)
		v->size = v->align = 4;
	vec_push(&p->f->vars, v);
	return frame_alloc(p, v, &t) ? v : NULL;
}

/* Replaces the values of one argument list by variables; stores the values if `store` is set. */
static bool lower_list(struct ptx_parser *p, const struct ptx_stmt *s, struct ptx_opnd *list,
		       struct var **formal, uint32_t nformal, bool store)
{
	/* clang-format off */
	for (unsigned i = 0; i < list->n; i++) {
		struct ptx_opnd *o = &list->item[i];
		if (!is_value(o))
			continue;
		struct var *v = new_temporary(p, o, i < nformal ? formal[i] : NULL);
		if (!v || (store && !stmt_emit_move(p, s, false, v, o)))
			return false;
		struct ptx_opnd value = *o;
		*o = (struct ptx_opnd){.kind = PO_SYM, .var = v, .type = v->type, .line = value.line,
				       .col = value.col, .name = value.name, .len = value.len};
		/* clang-format on */
	}
	return true;
}

/* Loads the results that went to registers. `was` holds the operands as the program wrote them. */
static bool fetch_results(struct ptx_parser *p, const struct ptx_stmt *s,
			  const struct ptx_opnd *list, const struct ptx_opnd *was)
{
	for (unsigned i = 0; i < list->n; i++) {
		if (was[i].kind != PO_REG && is_value(&was[i])) {
			ptx_error(p, was[i].line, was[i].col, "a constant cannot take a result");
			return false;
		}
		if (was[i].kind == PO_REG &&
		    !stmt_emit_move(p, s, true, list->item[i].var, &was[i]))
			return false;
	}
	return true;
}

bool stmt_emit_call(struct ptx_parser *p, struct ptx_stmt *s)
{
	const struct proto *pr = callee_proto(p, s);
	struct ptx_opnd *ret = s->nopnd && s->opnd[0].kind == PO_LIST ? &s->opnd[0] : NULL,
			*was = NULL;
	uint32_t frame = p->frame;
	for (unsigned i = ret ? 1 : 0; i < s->nopnd; i++)
		if (s->opnd[i].kind == PO_LIST &&
		    !lower_list(p, s, &s->opnd[i], pr ? pr->param : NULL, pr ? pr->nparam : 0,
				true))
			return false;
	if (ret) {
		was = opnd_array(p, ret->n);
		if (!was)
			return false;
		if (ret->n)
			memcpy(was, ret->item, ret->n * sizeof *was);
		if (!lower_list(p, s, ret, pr ? pr->ret : NULL, pr ? pr->nret : 0, false))
			return false;
	}
	bool ok = stmt_emit(p, s) && (!ret || fetch_results(p, s, ret, was));
	p->frame = frame;
	return ok;
}
