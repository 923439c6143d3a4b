/* Operands of bulk and tensor copies, asynchronous stores and reductions, tensor map instructions
 * and multimem. */
#include "front/ptx/decode.h"

#include <string.h>

/* ---- cp.async.bulk, cp.reduce.async.bulk ---- */

/* Bulk copies: [to], [from], bytes{, [mbarrier]}{, mask}{, policy}. The instruction's space is the
 * destination's; only a copy to shared memory has an mbarrier. */
static bool bulk_operands(struct dec *d)
{
	const struct ptx_opnd *o = d->s->opnd;
	struct inst *in = d->in;
	bool to_shared = in->space == SP_SHARED, mask = in->imm & CPF_MULTICAST;
	unsigned from = to_shared && !(in->imm & CPF_FROM_SHARED) ? SP_GLOBAL : SP_SHARED;
	unsigned n = 3u + to_shared + mask + d->policy;
	if (!dec_count(d, n, n) || !dec_mem(d, &o[0], to_shared ? SP_SHARED : SP_GLOBAL) ||
	    !dec_mem(d, &o[1], from) || !dec_src(d, &o[2], T_U32, false) ||
	    (to_shared && !dec_mem(d, &o[3], SP_SHARED)) ||
	    (mask && !dec_src(d, &o[4], T_U16, false)))
		return false;
	return !d->policy || dec_policy(d, &o[n - 1]);
}

bool decode_cp_bulk(struct dec *d) { return bulk_operands(d); }

bool decode_cp_reduce(struct dec *d)
{
	d->in->mode = CPB_REDUCE;
	if (d->in->space == SP_SHARED)
		d->in->imm |= CPF_FROM_SHARED;
	return bulk_operands(d);
}

/* ---- cp.async.bulk.tensor ---- */

enum { LOAD, STORE, REDUCE, PREFETCH }; /* enum tensor_copy of exec/tma/copy.h */

static bool vector_of(struct dec *d, const struct ptx_opnd *o, unsigned n, unsigned type)
{
	return dec_src_vec(d, o, n, type, false);
}

/* [map, {coordinates}]: pushes the map; the caller pushes the coordinates after it. */
static bool map_operand(struct dec *d, const struct ptx_opnd *o)
{
	struct ptx_opnd base = *o;
	if (o->kind != PO_MEM || o->n != 2)
		return dec_error(d, o,
				 "'%s' expects a tensor map and coordinates here, [map, {x, ...}]",
				 dec_mnemonic(d));
	base.n = 1;
	unsigned space = d->in->space;
	d->in->space = SP_GENERIC;
	bool ok = dec_mem(d, &base, SP_NONE);
	d->in->space = (uint8_t)space;
	return ok;
}

/* load      [to], [map, {x}], [mbarrier]{, {offsets}}{, mask}{, policy}
 * store     [map, {x}], [from]{, policy}, also reductions
 * prefetch  [map, {x}]{, {offsets}}{, policy}                                     */
bool decode_cp_tensor(struct dec *d)
{
	const struct ptx_opnd *o = d->s->opnd;
	struct inst *in = d->in;
	bool load = in->mode == LOAD, prefetch = in->mode == PREFETCH,
	     mask = in->imm & CPF_MULTICAST;
	bool offsets = in->geom && (load || prefetch);
	unsigned n = (load ? 3u : prefetch ? 1u : 2u) + offsets + mask + d->policy, at = 0;
	if (in->geom && in->vec < 3)
		return dec_error(d, NULL, "'%s': an im2col copy has three to five dimensions",
				 dec_mnemonic(d));
	if (!dec_count(d, n, n))
		return false;
	const struct ptx_opnd *map = &o[load ? 1 : 0], *shared = &o[load ? 0 : 1];
	if (!map_operand(d, map) ||
	    !(prefetch ? map_operand(d, map) : dec_mem(d, shared, SP_SHARED)) ||
	    !vector_of(d, &map->item[1], in->vec, T_B32))
		return false;
	at = prefetch ? 1 : 2;
	if (load && !dec_mem(d, &o[at++], SP_SHARED))
		return false;
	if (offsets && !vector_of(d, &o[at++], in->vec - 2u, T_B16))
		return false;
	if (mask && !dec_src(d, &o[at++], T_B16, false))
		return false;
	return !d->policy || dec_policy(d, &o[at]);
}

/* ---- st.async, red.async ---- */

/* [to], value or vector, [mbarrier] */
static bool async_operands(struct dec *d)
{
	const struct ptx_opnd *o = d->s->opnd;
	struct inst *in = d->in;
	if (in->vec * type_bits(in->type) > 128)
		return dec_error(d, NULL, "'%s': a vector has at most 128 bits", dec_mnemonic(d));
	if (!in->space)
		in->space = SP_GENERIC;
	return dec_count(d, 3, 3) && dec_mem_in(d, &o[0], in->space) &&
	       dec_mem_in(d, &o[2], in->space) && dec_src_vec(d, &o[1], in->vec, in->type, false);
}

bool decode_st_async(struct dec *d) { return async_operands(d); }
bool decode_red_async(struct dec *d) { return async_operands(d); }

/* ---- tensormap ---- */

enum {
	FIELD_BOX_DIM = 2,
	FIELD_ELEMENT_STRIDE = 5,
	FIELD_ELEMTYPE,
	FIELD_INTERLEAVE,
	FIELD_SWIZZLE,
	FIELD_FILL
};

/* Largest values of fields that take constants. */
static const uint8_t field_most[] = {
	[FIELD_ELEMTYPE] = 12, [FIELD_INTERLEAVE] = 2, [FIELD_SWIZZLE] = 3, [FIELD_FILL] = 1};

/* [map], value; [map], dimension, value */
bool decode_tensormap(struct dec *d)
{
	const struct ptx_opnd *o = d->s->opnd;
	struct inst *in = d->in;
	bool ord = in->mode >= FIELD_BOX_DIM && in->mode <= FIELD_ELEMENT_STRIDE;
	if (!dec_count(d, 2u + ord, 2u + ord) || !dec_mem_in(d, &o[0], in->space))
		return false;
	if (ord && (!dec_imm(d, &o[1], &in->imm) || in->imm > 4))
		return dec_error(d, &o[1], "'%s': the dimension is a constant from 0 to 4",
				 dec_mnemonic(d));
	const struct ptx_opnd *v = &o[1 + ord];
	if (in->mode >= FIELD_ELEMTYPE &&
	    (v->kind != PO_INT || v->imm < 0 || v->imm > field_most[in->mode]))
		return dec_error(d, v, "'%s': the value is a constant from 0 to %u",
				 dec_mnemonic(d), field_most[in->mode]);
	return dec_src(d, v, in->type, false);
}

static bool size_is_128(struct dec *d, const struct ptx_opnd *o)
{
	uint64_t n;
	return dec_imm(d, o, &n) &&
	       (n == 128 || dec_error(d, o, "'%s': the size is 128", dec_mnemonic(d)));
}

/* [to], [from], 128 */
bool decode_tensormap_copy(struct dec *d)
{
	const struct ptx_opnd *o = d->s->opnd;
	d->in->mode = TENSORMAP_COPY;
	d->in->space = SP_GLOBAL;
	return dec_count(d, 3, 3) && dec_mem(d, &o[0], SP_GLOBAL) && dec_mem(d, &o[1], SP_SHARED) &&
	       size_is_128(d, &o[2]);
}

/* [map], 128. The fence orders accesses to the map only, which are in order already. */
bool decode_fence_map(struct dec *d)
{
	const struct ptx_opnd *o = d->s->opnd;
	bool ok = dec_count(d, 2, 2) && dec_mem_in(d, &o[0], SP_GENERIC) && size_is_128(d, &o[1]);
	d->ns = 0;
	d->in->space = SP_NONE;
	d->in->mode = 5;
	return ok;
}

/* ---- multimem: with one GPU a multicast address denotes one copy, the memory that it names ---- */

/* ld_reduce and red are a load and a reduction of that single copy; a load takes the type of its
 * bits. */
bool decode_multimem(struct dec *d)
{
	static const uint8_t bits[] = {[2] = T_B16, [4] = T_B32, [8] = T_B64};
	struct inst *in = d->in;
	const struct ptx_opnd *o = d->s->opnd;
	unsigned type = in->type, n = in->vec * type_bits(type);
	if (n > 128)
		return dec_error(d, NULL, "'%s': a vector has at most 128 bits", dec_mnemonic(d));
	if (!in->space)
		in->space = SP_GENERIC;
	if (!dec_count(d, 2, 2))
		return false;
	if (in->op != OP_LD)
		return dec_mem_in(d, &o[0], in->space) &&
		       dec_src_vec(d, &o[1], in->vec, type, false);
	in->mode = 0;
	in->mods |= M_MULTIMEM;
	if (!dec_dst_vec(d, &o[0], in->vec, type, false, false) || !dec_mem_in(d, &o[1], in->space))
		return false;
	in->type = bits[type_bytes(type)];
	return true;
}

/* ---- setmaxnreg ---- */

/* Returns the number of registers per thread at the kernel's start, by its directives; 0: no
 * directive says. */
static unsigned registers_at_start(const struct func *f)
{
	enum { REGISTERS = 65536, UNIT = 8 };
	const uint32_t *n = f && f->reqntid[0] ? f->reqntid : f ? f->maxntid : NULL;
	if (f && f->maxnreg)
		return f->maxnreg;
	if (!n || !n[0])
		return 0;
	uint32_t threads = n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
	unsigned most = REGISTERS / threads / UNIT * UNIT;
	return most > 255 ? 0 : most;
}

bool decode_setmaxnreg(struct dec *d)
{
	const struct ptx_opnd *o = d->s->opnd;
	if (!dec_count(d, 1, 1) || !dec_imm(d, &o[0], &d->in->imm))
		return false;
	uint64_t n = d->in->imm;
	if (n < 24 || n > 256 || n % 8)
		return dec_error(
			d, &o[0],
			"'%s': the number of registers is a multiple of 8 from 24 to 256, not %lld",
			dec_mnemonic(d), (long long)o[0].imm);
	unsigned most = d->in->mode ? registers_at_start(d->f) : 0;
	if (most && n > most)
		return dec_error(d, &o[0], "'%s': a warp begins with %u registers, fewer than %llu",
				 dec_mnemonic(d), most, (unsigned long long)n);
	return true;
}
