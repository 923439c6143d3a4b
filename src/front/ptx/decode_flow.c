/* Operands of branches, calls, barriers and asynchronous copies, most of which are not values. */
#include "front/ptx/decode.h"

#include <string.h>

bool decode_bra(struct dec *d)
{
	if (!dec_count(d, 1, 1))
		return false;
	const struct ptx_opnd *o = &d->s->opnd[0];
	if (o->kind != PO_LABEL)
		return dec_error(d, o, "'%s' expects a label", dec_mnemonic(d));
	d->in->target = o->reg;
	return true;
}

bool decode_brx(struct dec *d)
{
	if (!dec_count(d, 2, 2) || !dec_src(d, &d->s->opnd[0], T_U32, false))
		return false;
	const struct ptx_opnd *o = &d->s->opnd[1];
	const struct ptx_list *list = o->kind == PO_LABEL ? ptx_list_find(d->p, o->reg) : NULL;
	if (!list || list->kind != PL_BRANCH)
		return dec_error(d, o, "'%s' expects the label of a .branchtargets list",
				 dec_mnemonic(d));
	struct targets t = {list->n, ARENA_ARRAY(&d->m->arena, uint32_t, list->n)};
	memcpy(t.pc, list->label, list->n * sizeof(uint32_t));
	d->in->imm = d->f->targets.n;
	vec_push(&d->f->targets, t);
	return true;
}

/* ---- call ---- */

static bool call_arg(struct dec *d, const struct ptx_opnd *o, struct opnd *x,
		     const struct var *formal)
{
	memset(x, 0, sizeof(*x));
	x->reg = NO_REG;
	x->type = o->type;
	switch (o->kind) {
	case PO_SYM:
		if (o->var->space != SP_FRAME)
			return dec_error(d, o, "'%s' is not a .param variable of this function",
					 o->var->name);
		x->kind = OPND_PVAR;
		x->type = o->var->type;
		x->sym = o->var;
		return true;
	case PO_REG:
		x->kind = o->type == T_PRED ? OPND_PRED : OPND_REG;
		x->reg = o->reg;
		return true;
	case PO_SINK: x->kind = OPND_SINK; return true;
	case PO_INT:
	case PO_F32:
	case PO_F64: {
		unsigned type = formal && formal->type ? formal->type
				: o->kind == PO_INT    ? T_B32
						       : T_F32;
		unsigned ns = d->ns = 0;
		if (!dec_src(d, o, type, false))
			return false;
		*x = d->src[ns];
		return true;
	}
	}
	return dec_error(d, o, "a call passes .param variables, registers or literals");
}

/* The operands of a call, sorted by kind and place. */
struct call_parts {
	const struct ptx_opnd *ret, *target, *arg, *list;
};

static bool call_split(struct dec *d, struct call_parts *c)
{
	const struct ptx_opnd *o = d->s->opnd;
	unsigned n = d->s->nopnd, i = 0;
	memset(c, 0, sizeof(*c));
	if (i < n && o[i].kind == PO_LIST)
		c->ret = &o[i++];
	if (i < n)
		c->target = &o[i++];
	if (i < n && o[i].kind == PO_LIST)
		c->arg = &o[i++];
	if (i < n && o[i].kind == PO_LABEL)
		c->list = &o[i++];
	if (!c->target || (c->target->kind != PO_FUNC && c->target->kind != PO_REG))
		return dec_error(
			d, c->target,
			"'%s' expects a function or a register that holds a function's address",
			dec_mnemonic(d));
	return i == n || dec_error(d, &o[i], "unexpected operand of '%s'", dec_mnemonic(d));
}

static bool call_indirect(struct dec *d, const struct call_parts *c, struct call *call)
{
	if (c->target->kind != PO_REG)
		return true;
	const struct ptx_list *l = c->list ? ptx_list_find(d->p, c->list->reg) : NULL;
	if (!l || l->kind == PL_BRANCH)
		return dec_error(d, c->list ? c->list : c->target,
				 "an indirect call names a .callprototype "
				 "or .calltargets list");
	if (l->kind == PL_PROTO) {
		call->proto = l->proto;
		return true;
	}
	if (!l->n)
		return dec_error(d, c->list, "the .calltargets list is empty");
	call->target = l->func;
	call->ntarget = l->n;
	call->proto = l->func[0]->proto;
	return true;
}

bool decode_call(struct dec *d)
{
	struct call_parts c;
	struct call call = {0};
	struct inst *in = d->in;
	if (!call_split(d, &c) || !call_indirect(d, &c, &call))
		return false;
	bool indirect = c.target->kind == PO_REG;
	const struct proto *proto = &call.proto;
	if (!indirect) {
		call.func = c.target->func;
		call.name = c.target->func->name;
		proto = &c.target->func->proto;
	}
	call.nret = c.ret ? c.ret->n : 0;
	call.narg = c.arg ? c.arg->n : 0;
	if (call.nret > 255 || call.narg + indirect > 255)
		return dec_error(d, c.target, "more than 254 arguments");
	bool variadic = proto->nparam && proto->param[proto->nparam - 1]->unsized;
	if (call.nret != proto->nret ||
	    call.narg + (variadic && call.narg < proto->nparam) != proto->nparam)
		return dec_error(d, c.target,
				 "'%s' has %u result%s and %u parameter%s, the call %u and %u",
				 call.name ? call.name : "the prototype", proto->nret,
				 proto->nret == 1 ? "" : "s", proto->nparam,
				 proto->nparam == 1 ? "" : "s", call.nret, call.narg);
	struct opnd *x = in->opnd =
		ARENA_ARRAY(&d->m->arena, struct opnd, call.nret + indirect + call.narg);
	for (unsigned i = 0; i < call.nret; i++)
		if (!call_arg(d, &c.ret->item[i], x++, proto->ret[i]))
			return false;
	if (indirect) {
		d->ns = 0;
		if (!dec_adr(d, c.target, T_NONE))
			return false;
		*x++ = d->src[0];
	}
	for (unsigned i = 0; i < call.narg; i++)
		if (!call_arg(d, &c.arg->item[i], x++, proto->param[i]))
			return false;
	in->nd = (uint8_t)call.nret;
	in->ns = (uint8_t)(call.narg + indirect);
	in->imm = d->f->calls.n;
	vec_push(&d->f->calls, call);
	return true;
}

/* ---- barriers and copies ---- */

/* sync a[, n]; arrive a, n; red d, a[, n], p */
bool decode_bar(struct dec *d)
{
	const struct ptx_opnd *o = d->s->opnd;
	unsigned n = d->s->nopnd, i = 0;
	bool red = d->in->mode == BAR_RED;
	if (!dec_count(d, red ? 3 : d->in->mode == BAR_ARRIVE ? 2 : 1, red ? 4 : 2))
		return false;
	if (red && !dec_dst(d, &o[i++], d->in->type, false, false))
		return false;
	if (o[i].kind == PO_INT && (o[i].imm < 0 || o[i].imm > 15))
		return dec_error(d, &o[i], "a barrier's number is 0 to 15");
	if (!dec_src(d, &o[i++], T_U32, false))
		return false;
	if (i + red < n) {
		d->in->imm |= BAR_HAS_COUNT;
		if (!dec_src(d, &o[i++], T_U32, false))
			return false;
	}
	if (red) {
		d->in->imm |= BAR_HAS_PRED;
		return dec_src(d, &o[i], T_PRED, false);
	}
	return true;
}

bool decode_bar_cluster(struct dec *d)
{
	d->in->imm = BAR_CLUSTER;
	return dec_count(d, 0, 0);
}

/* Proxy fences: Heddle has one path to memory, so the accesses are in order already. */
bool decode_fence(struct dec *d)
{
	if (d->in->mode == 2)
		d->in->mode = d->in->space == SP_SHARED ? 3 : 4;
	d->in->space = SP_NONE;
	return dec_count(d, 0, 0);
}

/* cp.async [dst], [src], size{, src-size or ignore-src}{, policy} */
bool decode_cp_async(struct dec *d)
{
	const struct ptx_opnd *o = d->s->opnd;
	unsigned n = d->s->nopnd;
	if (!dec_count(d, 3 + d->policy, 4 + d->policy) || !dec_mem(d, &o[0], SP_SHARED) ||
	    !dec_mem(d, &o[1], SP_GLOBAL) || !dec_imm(d, &o[2], &d->in->imm))
		return false;
	uint64_t size = d->in->imm;
	if (size != 16 && (d->in->cop == COP_CG || (size != 4 && size != 8)))
		return dec_error(d, &o[2], "'%s' copies %s bytes", dec_mnemonic(d),
				 d->in->cop == COP_CG ? "16" : "4, 8 or 16");
	if (d->policy) {
		unsigned ns = d->ns;
		if (!dec_src(d, &o[--n], T_B64, false))
			return false;
		d->ns = ns;
	}
	if (n == 3)
		return true;
	bool pred = o[3].kind == PO_REG && o[3].type == T_PRED;
	return dec_src(d, &o[3], pred ? T_PRED : T_U32, false);
}
