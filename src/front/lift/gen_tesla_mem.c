/* Tesla's memory instructions and atomics as PTX statements. */
#include "front/lift/gen_tesla.h"

static const char *const access_type[] = {"u8",     "s8",     "u16", "s16",
					  "v2.b32", "v4.b32", "b32", "b32"};

static const char *regs_from(struct ngen *g, unsigned r, unsigned size, bool dst)
{
	unsigned n = size == 4 ? 2 : size == 5 ? 4 : 1;
	const char *t[4];
	for (unsigned i = 0; i < n; i++) {
		t[i] = gen_is_zero(g, r + i) ? gen_t(g) : gen_text(g, "%%r%u", r + i);
		if (gen_is_zero(g, r + i) && !dst)
			gen(g, "mov.u32 %s, 0", t[i]);
	}
	return n == 1   ? t[0]
	       : n == 2 ? gen_text(g, "{%s, %s}", t[0], t[1])
			: gen_text(g, "{%s, %s, %s, %s}", t[0], t[1], t[2], t[3]);
}

static const char *global_addr(struct ngen *g, const struct nop *o)
{
	const char *d = gen_d(g);
	if (o->bank != 14)
		gen_refuse(g, "a global space other than 14");
	gen(g, "cvt.u64.u32 %s, %s", d, gen_reg32(g, gen_reg(g, o->reg)));
	return d;
}

static void gen_memory_op(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool load = in->op == NI_GLD || in->op == NI_LLD,
	     local = in->op == NI_LLD || in->op == NI_LST;
	unsigned size = in->mod[NM_SIZE] & 7;
	const struct nop *m = &in->o[load ? 1 : 0], *r = &in->o[load ? 0 : 1];
	const char *a = local ? tesla_indexed(g, m, NULL) : global_addr(g, m),
		   *v = regs_from(g, r->reg, size, load);
	if (load)
		gen(g, "ld.%s.%s %s, [%s]", local ? "local" : "global", access_type[size], v, a);
	else
		gen(g, "st.%s.%s [%s], %s", local ? "local" : "global", access_type[size], a, v);
}

/* Of 8 and 16 bits, as the open hardware tests measured it: what is returned is so wide, but sm_11 does the operation
 * on the whole word, with the operand in each of its parts, and later machines do not do it at all. */
static void gen_small_atomic(struct ngen *g, const char *name, const char *type)
{
	enum { BYTES = 2, LAST_WITH = 11 };
	const struct ninst *in = g->in;
	bool red = in->op == NI_GRED, bytes = in->mod[NM_SIZE] < BYTES;
	const char *a = global_addr(g, &in->o[red ? 0 : 1]), *t = gen_t(g), *old = gen_t(g);
	if (g->m->sm > LAST_WITH) {
		gen(g, "ld.global.%s %s, [%s]", access_type[in->mod[NM_SIZE]], old, a);
	} else {
		const char *x = gen_reg32(g, tesla_raw(g, red ? 1 : 2, false));
		gen(g, "and.b32 %s, %s, 0x%x", t, x, bytes ? 0xff : 0xffff);
		gen(g, "mul.lo.u32 %s, %s, 0x%x", t, t, bytes ? 0x01010101 : 0x00010001);
		gen(g, "atom.global.%s.%s %s, [%s], %s", name, type, old, a, t);
		gen(g, "bfe.%s %s, %s, 0, %u", in->mod[NM_SIZE] & 1 ? "s32" : "u32", old, old,
		    bytes ? 8 : 16);
	}
	if (!red)
		tesla_put_word(g, old);
}

static void gen_atomic(struct ngen *g)
{
	static const char *const name[16] = {"add", "exch", "cas", NULL,  "inc", "dec", "max",
					     "min", NULL,   NULL,  "and", "or",  "xor"};
	const struct ninst *in = g->in;
	bool red = in->op == NI_GRED, wide = in->mod[NM_SIZE] == 4;
	unsigned op = in->mod[NM_MODE] & 15, v = red ? 1 : 2;
	bool bitwise = op == 1 || op == 2 || op >= 10;
	enum { S128 = 5, CAS = 2 };
	bool small = in->mod[NM_SIZE] < 4;
	if (!name[op] || in->mod[NM_SIZE] == S128 || (small && op == CAS)) {
		gen_refuse(g, "this operation on this type");
		return;
	}
	if (small) {
		gen_small_atomic(g, name[op], bitwise ? "b32" : "u32");
		return;
	}
	bool plain = op == 0 || op == 4 || op == 5; /* sums are the same for both signs */
	const char *type = wide                              ? (bitwise ? "b64" : "u64")
			   : bitwise                         ? "b32"
			   : !plain && in->mod[NM_SIZE] == 7 ? "s32"
							     : "u32";
	const char *a = global_addr(g, &in->o[red ? 0 : 1]);
	const char *x = wide ? tesla_dsource(g, v) : gen_reg32(g, tesla_raw(g, v, false)), *y = "";
	if (op == 2)
		y = gen_text(g, ", %s",
			     wide ? tesla_dsource(g, v + 1)
				  : gen_reg32(g, tesla_raw(g, v + 1, false)));
	if (red && op != 1 && op != 2) {
		gen(g, "red.global.%s.%s [%s], %s", name[op], type, a, x);
		return;
	}
	const char *d = wide ? gen_d(g) : gen_t(g);
	gen(g, "atom.global.%s.%s %s, [%s], %s%s", name[op], type, d, a, x, y);
	if (!red && wide)
		gen_put64(g, 0, d);
	else if (!red)
		tesla_put_word(g, d);
}

static void gen_r2g(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *m = &in->o[0];
	const char *a = tesla_indexed(g, m, NULL), *v = gen_reg32(g, tesla_raw(g, 1, false));
	gen(g, "st.shared.%s [%s], %s", m->unit == 1 ? "u8" : m->unit == 2 ? "u16" : "b32", a, v);
	if (in->mod[NM_LOCK])
		gen_ctl_reg(g, NCTL_UNLOCK, a, 0, 7);
}

static void gen_g2r(struct ngen *g)
{
	const struct ninst *in = g->in;
	const char *a = tesla_indexed(g, &in->o[1], NULL), *t = gen_t(g);
	if (in->mod[NM_LOCK]) /* before the load: between the two nobody else can have it */
		gen_ctl_reg(g, NCTL_LOCK, a, 0, 0);
	gen(g, "ld.shared.%s %s, [%s]", tesla_mem_type(&in->o[1]), t, a);
	if (!in->mod[NM_LOCK]) {
		tesla_put_int(g, t, !tesla_half_dst(in));
		return;
	}
	if (in->cc_write != NREG_NONE) /* Z says that the lock was not obtained */
		gen(g, "selp.b32 %%c%u, 0, 1, %%p0", in->cc_write);
	tesla_put_word(g, t);
}

bool tesla_memory(struct ngen *g)
{
	switch (g->in->op) {
	case NI_GLD:
	case NI_GST:
	case NI_LLD:
	case NI_LST: gen_memory_op(g); return true;
	case NI_GRED:
	case NI_GATOM: gen_atomic(g); return true;
	case NI_R2G: gen_r2g(g); return true;
	case NI_G2R: gen_g2r(g); return true;
	default: return false;
	}
}
