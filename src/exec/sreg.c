/* Special registers. */
#include "exec/context.h"
#include "exec/lanes.h"

/* %globaltimer */
static uint64_t nanoseconds(const struct warp *w)
{
	const struct launch *l = w->cta->l;
	return (uint64_t)((double)l->clock(w) * l->clock_ns);
}

/* Sizes and offsets in shared memory when the system's part precedes the program's. */
static uint64_t shared_value(const struct launch *l, unsigned reg)
{
	switch (reg) {
	case SREG_TOTAL_SMEM_SIZE: return l->shared_bytes;
	case SREG_AGGR_SMEM_SIZE: return l->shared_bytes + RESERVED_SMEM;
	case SREG_RESERVED_SMEM_END: return RESERVED_USED;
	case SREG_RESERVED_SMEM_CAP: return RESERVED_SMEM;
	default: return 0;
	}
}

static uint64_t block_value(const struct warp *w, const struct opnd *o)
{
	const struct cta *b = w->cta;
	const struct launch *l = b->l;
	unsigned k = o->sub;
	bool before = o->reg >= SREG_TOTAL_SMEM_SIZE && o->reg <= SREG_RESERVED_SMEM_1 &&
		      o->reg != SREG_CURRENT_GRAPH_EXEC;
	if (l->img->shared_base && before)
		return shared_value(l, o->reg);
	switch (o->reg) {
	case SREG_NTID: return k < 3 ? l->block[k] : 0;
	case SREG_CTAID: return k < 3 ? b->ctaid[k] : 0;
	case SREG_NCTAID: return k < 3 ? l->grid[k] : 0;
	case SREG_WARPID: return w->id / l->parts;
	case SREG_NWARPID: return l->nwarps / l->parts;
	case SREG_SMID: return b->sm;
	case SREG_NSMID: return l->nsm;
	case SREG_GRIDID: return l->grid_id;
	/* Without clusters every block counts as a cluster of one. */
	case SREG_CLUSTERID: return k < 3 ? b->ctaid[k] / l->cluster[k] : 0;
	case SREG_NCLUSTERID: return k < 3 ? l->grid[k] / l->cluster[k] : 0;
	case SREG_CLUSTER_CTAID: return k < 3 ? b->ctaid[k] % l->cluster[k] : 0;
	case SREG_CLUSTER_NCTAID: return k < 3 ? l->cluster[k] : 0;
	case SREG_CLUSTER_CTARANK: return b->rank;
	case SREG_CLUSTER_NCTARANK: return l->cluster_blocks;
	case SREG_DYNAMIC_SMEM_SIZE: return l->dyn_shared;
	case SREG_TOTAL_SMEM_SIZE:
		return (l->img->reserved_smem ? l->reserved_at : l->shared_bytes) -
		       l->img->shared_gaps;
	case SREG_AGGR_SMEM_SIZE: return l->shared_bytes - l->img->shared_gaps;
	case SREG_RESERVED_SMEM_BEGIN:
	case SREG_RESERVED_SMEM_0: return l->reserved_at;
	case SREG_RESERVED_SMEM_1: return l->reserved_at + RESERVED_SMEM / 2;
	case SREG_RESERVED_SMEM_END: return l->shared_bytes;
	case SREG_RESERVED_SMEM_CAP: return RESERVED_SMEM;
	case SREG_ENVREG: return k < 32 ? l->envreg[k] : 0;
	case SREG_CLOCK: return (uint32_t)l->clock(w);
	case SREG_CLOCK_HI: return l->clock(w) >> 32;
	case SREG_CLOCK64: return l->clock(w);
	case SREG_GLOBALTIMER: return nanoseconds(w);
	case SREG_GLOBALTIMER_LO: return (uint32_t)nanoseconds(w);
	case SREG_GLOBALTIMER_HI: return nanoseconds(w) >> 32;
	default: return 0; /* performance counters, graph handles: not available */
	}
}

static uint64_t lane_value(const struct warp *w, const struct opnd *o, unsigned i)
{
	uint32_t bit = 1u << i;
	switch (o->reg) {
	case SREG_TID: return o->sub < 3 ? w->tid[o->sub][i] : 0;
	case SREG_NATIVE_CC:
		return (w->cc[CC_Z] >> i & 1) | (w->cc[CC_S] >> i & 1) << 1 |
		       (w->cc[CC_C] >> i & 1) << 2 | (w->cc[CC_O] >> i & 1) << 3;
	case SREG_LANEID: return i + w->id % w->cta->l->parts * LANES;
	case SREG_LANEMASK_EQ: return bit;
	case SREG_LANEMASK_LT: return bit - 1;
	case SREG_LANEMASK_LE: return bit | (bit - 1);
	case SREG_LANEMASK_GT: return ~(bit | (bit - 1));
	default: return ~(bit - 1);
	}
}

static bool varies(unsigned reg)
{
	return reg == SREG_TID || reg == SREG_LANEID || reg == SREG_NATIVE_CC ||
	       (reg >= SREG_LANEMASK_EQ && reg <= SREG_LANEMASK_GT &&
		reg != SREG_IS_EXPLICIT_CLUSTER);
}

static void sreg_part(struct warp *w, const struct uop *u)
{
	const struct opnd *o = inst_src(u->in, 0);
	uint32_t lo[LANES], hi[LANES];
	if (u->in->opnd[0].kind == OPND_PRED) { /* %is_explicit_cluster */
		pred_write(w, u->d, w->cta->l->cluster_blocks > 1 ? ~0u : 0, w->mask);
		return;
	}
	uint64_t same = varies(o->reg) ? 0 : block_value(w, o);
	unsigned bits = type_bits(u->in->sreg_type);
	if (!varies(o->reg) && bits == 32 && type_rows(u->in->opnd[0].type) == 1) {
		for (int i = 0; i < LANES; i++)
			lo[i] = (uint32_t)same;
		row_blend(row_u32(w, u->d), lo, w->mask);
		return;
	}
	for (unsigned i = 0; i < LANES; i++) {
		uint64_t x = varies(o->reg) ? lane_value(w, o, i) : same;
		x = bits && bits < 64 ? x & ((1ull << bits) - 1) : x;
		lo[i] = (uint32_t)x;
		hi[i] = (uint32_t)(x >> 32);
	}
	row_blend(row_u32(w, u->d), lo, w->mask);
	if (type_rows(u->in->opnd[0].type) == 2)
		row_blend(row_u32(w, u->d) + LANES, hi, w->mask);
}
static void sreg_full(struct warp *w, const struct uop *u)
{
	w->mask = ~0u;
	sreg_part(w, u);
}

/* The two special registers that nearly every kernel begins with. */
static void tid_full(struct warp *w, const struct uop *u)
{
	memcpy(row_u32(w, u->d), w->tid[u->aux], ROW);
}
static void tid_part(struct warp *w, const struct uop *u)
{
	row_blend(row_u32(w, u->d), w->tid[u->aux], w->mask);
}

bool bind_sreg(const struct inst *in, struct uop *u)
{
	if (in->op != OP_SREG)
		return false;
	const struct opnd *o = inst_src(in, 0);
	if (o->reg == SREG_TID && o->sub < 3 && type_rows(in->opnd[0].type) == 1 &&
	    type_bits(in->sreg_type) != 16) {
		u->aux = o->sub;
		return bind_pair(u, FN(tid));
	}
	if (o->reg >= SREG_CLOCK && o->reg <= SREG_GLOBALTIMER_HI)
		u->flags |=
			UOP_FAULTS; /* never faults, but functional mode's clock counts up to the
			             * warp's pc */
	return bind_pair(u, FN(sreg));
}
