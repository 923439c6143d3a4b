/* Runs one operation's warp-wide functions against a scalar reference.
 *
 *   struct xop x;
 *   xop_make(&x, OP_ADD, T_S32, 1, 3, XT(T_S32, T_S32, T_S32));     d, a, b
 *   xop_check(&x, bind_int, ref_add, NULL, xvals_of(T_S32), xvals_of(T_S32));
 *
 * Every combination of operand values is run with the full and with partial masks, and with the
 * destination on its own rows, on each source's rows and shifted by a row against them. The
 * reference sees one lane: it fills x->d from x->s. Whatever the instruction must not touch (other
 * lanes, rows, predicates) is compared too. Rows of types narrower than 32 bits carry garbage in
 * their upper bits. */
#ifndef TESTS_EXEC_HARNESS_H
#define TESTS_EXEC_HARNESS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "exec/lanes.h"

enum { XOPS = 12, XROWS = XOPS * 6 + 2, XPREDS = XOPS };

/* An instruction made by hand: operands have the types given, predicates the type T_PRED. */
struct xop {
	struct inst in;
	struct opnd opnd[XOPS];
};

/* One lane for the reference. s: sources: the bits of the operand's type, or a predicate as 0 or 1
 * after `!`; d: results, likewise; cc: the condition code before and after. */
struct xlane {
	const struct inst *in;
	uint64_t s[XOPS], d[XOPS];
	uint32_t cc[4];
};
typedef void xref_fn(struct xlane *x, const void *arg);

struct xvals {
	const uint64_t *v;
	unsigned n;
};

#define XT(...) ((const uint8_t[]){__VA_ARGS__})
static inline void xop_make(struct xop *x, unsigned op, unsigned type, unsigned nd, unsigned n,
			    const uint8_t *types)
{
	memset(x, 0, sizeof *x);
	x->in.op = (uint16_t)op;
	x->in.type = (uint8_t)type;
	x->in.nd = (uint8_t)nd;
	x->in.ns = (uint8_t)(n - nd);
	x->in.guard = NO_REG;
	x->in.text = op_info[op].name;
	x->in.opnd = x->opnd;
	for (unsigned k = 0; k < n; k++) {
		x->opnd[k].kind = types[k] == T_PRED ? OPND_PRED : OPND_REG;
		x->opnd[k].type = types[k];
		x->opnd[k].reg = k;
	}
}

/* The register file of one run: operand k has rows 6k + 1 to 6k + 4 unless a test moves it. */
struct xfile {
	_Alignas(ROW) uint32_t row[XROWS][LANES];
	uint32_t pred[XPREDS];
	uint32_t cc[4];
	uint32_t mask;
};

static inline uint64_t xrandom(void)
{
	static uint64_t s = 0x2545f4914f6cdd1d;
	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return s;
}

/* A register file full of noise, equal on every call except for the condition code. */
static inline const struct xfile *xfile_garbage(void)
{
	static struct xfile f;
	if (!f.row[0][0]) {
		for (unsigned r = 0; r < XROWS; r++)
			for (int l = 0; l < LANES; l++)
				f.row[r][l] = (uint32_t)xrandom() | 1;
		for (unsigned k = 0; k < XPREDS; k++)
			f.pred[k] = (uint32_t)xrandom();
	}
	for (int k = 0; k < 4; k++)
		f.cc[k] = (uint32_t)xrandom();
	return &f;
}

static inline uint64_t xbits(uint64_t v, unsigned type)
{
	return type_bits(type) >= 64 ? v : v & ((UINT64_C(1) << type_bits(type)) - 1);
}

static inline void xput(struct xfile *f, const struct opnd *o, int32_t v, int lane, uint64_t x)
{
	if (o->kind == OPND_PRED) {
		f->pred[v] = (f->pred[v] & ~(1u << lane)) | (uint32_t)(x & 1) << lane;
		return;
	}
	if (type_bits(o->type) < 32)
		x |= xrandom() << type_bits(o->type);
	f->row[v / ROW][lane] = (uint32_t)x;
	if (type_rows(o->type) >= 2)
		f->row[v / ROW + 1][lane] = (uint32_t)(x >> 32);
}

static inline uint64_t xget(const struct xfile *f, const struct opnd *o, int32_t v, int lane)
{
	if (o->kind == OPND_IMM)
		return (uint64_t)o->imm;
	if (o->kind == OPND_PRED)
		return (f->pred[v] >> lane & 1) ^ ((o->mod & OPND_NOT) != 0);
	uint64_t x = f->row[v / ROW][lane];
	if (type_rows(o->type) >= 2)
		x |= (uint64_t)f->row[v / ROW + 1][lane] << 32;
	return xbits(x, o->type);
}

/* Runs f (which holds the operands) and compares with the reference lane by lane. */
static inline void xop_run(const struct xop *x, const struct uop *u, struct xfile *f, xref_fn *ref,
			   const void *arg)
{
	static struct xfile got;
	const struct inst *in = &x->in;
	struct warp w = {.base = {(uint8_t *)got.row, (uint8_t *)got.row, NULL}};

	memcpy(&got, f, sizeof got);
	w.pred = got.pred;
	w.mask = f->mask;
	memcpy(w.cc, f->cc, sizeof w.cc);
	(f->mask == ~0u ? u->full : u->part)(&w, u);
	memcpy(got.cc, w.cc, sizeof w.cc);

	struct xlane lanes[LANES];
	for (int l = 0; l < LANES; l++) {
		lanes[l].in = in;
		for (unsigned k = 0; k < in->ns; k++)
			lanes[l].s[k] = xget(f, inst_src(in, k), u->v[in->nd + k], l);
		for (int k = 0; k < 4; k++)
			lanes[l].cc[k] = f->cc[k] >> l & 1;
		ref(&lanes[l], arg);
	}
	for (int l = 0; l < LANES; l++) {
		if (!(f->mask >> l & 1))
			continue;
		for (unsigned k = 0; k < in->nd; k++) {
			const struct opnd *o = inst_dst(in, k);
			if (u->v[k] == SINK)
				continue;
			uint64_t want = xbits(lanes[l].d[k], o->type);
			uint64_t is = xget(&got, o, u->v[k], l);
			if (is != want) {
				print_error(
					"%s type %s stype %s mode %u cmp %u mods %x result %u: ",
					in->text, type_info[in->type].name,
					type_info[in->stype].name, in->mode, in->cmp, in->mods, k);
				for (unsigned j = 0; j < in->ns; j++)
					print_error("%#llx ", (unsigned long long)lanes[l].s[j]);
				print_error("mask %x lane %d d %d: got %#llx, want %#llx\n",
					    f->mask, l, u->v[k], (unsigned long long)is,
					    (unsigned long long)want);
				fail();
			}
			/* Marks the compared bytes as expected, upper bits included. */
			if (o->kind == OPND_PRED)
				xput(f, o, u->v[k], l, is);
			else
				for (unsigned r = 0; r < type_rows(o->type); r++)
					f->row[u->v[k] / ROW + (int)r][l] =
						got.row[u->v[k] / ROW + (int)r][l];
		}
		for (int k = 0; k < 4; k++)
			f->cc[k] = (f->cc[k] & ~(1u << l)) | lanes[l].cc[k] << l;
	}
	assert_memory_equal(got.row, f->row, sizeof f->row);
	assert_memory_equal(got.pred, f->pred, sizeof f->pred);
	assert_memory_equal(got.cc, f->cc, sizeof f->cc);
}

/* A chunk: 32 lanes of source values, run with all masks and placements of the destinations. */
static inline void xop_chunk(const struct xop *x, bind_fn *bind, xref_fn *ref, const void *arg,
			     uint64_t (*val)[LANES])
{
	static struct xfile f;
	const uint32_t masks[] = {~0u, (uint32_t)xrandom(), 0x80000001, 0};
	const struct inst *in = &x->in;
	unsigned n = in->nd + in->ns;

	/* place 0: separate rows; then, for each pair of result and source: one row below, equal
	 * rows, one row above */
	for (unsigned place = 0; place < 1u + in->nd * in->ns * 3u; place++) {
		int32_t v[XOPS];
		for (unsigned k = 0; k < n; k++) {
			const struct opnd *o = &x->opnd[k];
			v[k] = o->kind == OPND_SINK   ? SINK
			       : o->kind == OPND_PRED ? (int32_t)k
						      : (int32_t)(6 * k + 1) * ROW;
		}
		if (place) {
			unsigned k = (place - 1) / 3 / in->ns,
				 j = (place - 1) / 3 % in->ns + in->nd;
			int shift = (int)((place - 1) % 3) - 1;
			if (v[k] == SINK || x->opnd[j].kind == OPND_IMM ||
			    x->opnd[k].kind != x->opnd[j].kind ||
			    (shift && x->opnd[k].kind == OPND_PRED))
				continue;
			v[k] = x->opnd[k].kind == OPND_PRED ? v[j] : v[j] + shift * ROW;
		}
		/* clang-format off */
		struct uop u = {.d = v[0], .v = v, .in = in, .op = in->op, .type = in->type,
				.guard = -1, .imm = in->imm};
		/* clang-format on */
		u.a = in->ns > 0 ? v[in->nd] : SINK;
		u.b = in->ns > 1 ? v[in->nd + 1] : SINK;
		u.c = in->ns > 2 ? v[in->nd + 2] : SINK;
		if (!bind(in, &u)) {
			print_error("%s %s mode %u: not bound\n", in->text,
				    type_info[in->type].name, in->mode);
			fail();
		}
		for (unsigned m = 0; m < (place ? 2 : sizeof masks / sizeof *masks); m++) {
			memcpy(&f, xfile_garbage(), sizeof f);
			f.mask = masks[m];
			for (unsigned k = 0; k < in->ns; k++)
				for (int l = 0; l < LANES; l++)
					xput(&f, inst_src(in, k), v[in->nd + k], l,
					     inst_src(in, k)->kind == OPND_IMM
						     ? (uint64_t)inst_src(in, k)->imm
						     : val[k][l]);
			xop_run(x, &u, &f, ref, arg);
		}
	}
}

/* All combinations of values: one xvals for each source. */
static inline void xop_check_v(const struct xop *x, bind_fn *bind, xref_fn *ref, const void *arg,
			       const struct xvals *vals)
{
	static uint64_t val[XOPS][LANES];
	uint64_t total = 1;
	unsigned l = 0;
	for (unsigned k = 0; k < x->in.ns; k++)
		total *= vals[k].n;
	for (uint64_t c = 0; c < total || l; c++) {
		uint64_t q = c % total; /* the last chunk is filled up from the start */
		for (unsigned k = 0; k < x->in.ns; k++, q /= vals[k - 1].n)
			val[k][l] = vals[k].v[q % vals[k].n];
		if (++l == LANES) {
			xop_chunk(x, bind, ref, arg, val);
			l = 0;
		}
	}
}
#define xop_check(x, bind, ref, arg, ...)                                                          \
	xop_check_v(x, bind, ref, arg, (const struct xvals[]){__VA_ARGS__})

/* Edge values of a type; the short list is for operations of three and more sources. */
#define XVALS(a) ((struct xvals){a, sizeof(a) / sizeof *(a)})
static const uint64_t xv_pred[] = {0, 1};
/* clang-format off */
static const uint64_t xv_i16[] = {0, 1, 0xffff, 0x8000, 0x7fff, 2, 0xfffe, 0x8001, 0x7ffe, 0x5555,
				  0xaaaa, 7, 8, 15, 16, 17, 31, 32, 33, 100, 0xff, 0x100, 0x1234};
static const uint64_t xv_i32[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 2, 0xfffffffe, 0x80000001,
				  0x7ffffffe, 0x55555555, 0xaaaaaaaa, 7, 15, 16, 31, 32, 33, 63, 64, 255,
				  256, 0xffff, 0x10000, 0x8000, 0x7fff8000, 0x80007fff, 0x800000,
				  0xffffff, 0x12345678, 0xdeadbeef, 0x01ff807f, 0xff7f0180};
static const uint64_t xv_i32s[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x80000001, 31, 32,
				   0x10000, 0xffff, 0x80007fff, 0xdeadbeef};
static const uint64_t xv_i64[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, INT64_MAX, 2, UINT64_MAX - 1,
				  (UINT64_C(1) << 63) + 1, 31, 32, 33, 63, 64, 65, 0xffffffff,
				  0x100000000, 0x1ffffffff, 0xffffffff00000000, 0x80000000, 0x7fffffff,
				  0x7fffffff80000000, 0x8000000080000000, 0x0123456789abcdef,
				  0xfedcba9876543210, 0x5555555555555555};
static const uint64_t xv_i64s[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, INT64_MAX, 0xffffffff,
				   0x100000000, 0xffffffff00000000, 0x80000000, 0x0123456789abcdef,
				   0xfedcba9876543210};
static const uint64_t xv_f32[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
				  0x7fc00000, 0x7f800001, 0xffc12345, 0x7fffffff, 1, 0x80000001, 0x7fffff,
				  0x807fffff, 0x800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f800001,
				  0x3f7fffff, 0x40490fdb};
static const uint64_t xv_f64[] = {0, UINT64_C(1) << 63, 0x3ff0000000000000, 0xbff0000000000000,
				  0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
				  0x7ff0000000000001, 0xfff8000012345678, 1, 0x8000000000000001,
				  0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
				  0xffefffffffffffff, 0x3ff0000000000001, 0x3fefffffffffffff};
static const uint64_t xv_f16[] = {0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe12,
				  0x7fff, 1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x8400, 0x7bff, 0xfbff, 0x3c01};
static const uint64_t xv_bf16[] = {0, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0x7f81, 0xffc1,
				   0x7fff, 1, 0x8001, 0x7f, 0x807f, 0x80, 0x8080, 0x7f7f, 0xff7f, 0x3f81};
static const uint64_t xv_f16x2[] = {0, 0x80000000, 0x00008000, 0x3c00bc00, 0xbc003c00, 0x7c00fc00,
				    0x7e003c00, 0x3c007c01, 0xfe127fff, 0x00018001, 0x83ff0400, 0x7bfffbff};
static const uint64_t xv_bf16x2[] = {0, 0x80000000, 0x00008000, 0x3f80bf80, 0xbf803f80, 0x7f80ff80,
				     0x7fc03f80, 0x3f807f81, 0xffc17fff, 0x00018001, 0x807f0080, 0x7f7fff7f};
/* clang-format on */

static inline struct xvals xvals_of(unsigned type)
{
	switch (type) {
	case T_PRED: return XVALS(xv_pred);
	case T_F32: return XVALS(xv_f32);
	case T_F64: return XVALS(xv_f64);
	case T_F16: return XVALS(xv_f16);
	case T_BF16: return XVALS(xv_bf16);
	case T_F16X2: return XVALS(xv_f16x2);
	case T_BF16X2: return XVALS(xv_bf16x2);
	}
	return type_bits(type) <= 16   ? XVALS(xv_i16)
	       : type_bits(type) <= 32 ? XVALS(xv_i32)
				       : XVALS(xv_i64);
}
static inline struct xvals xvals_short(unsigned type)
{
	return type_is_float(type) || type_bits(type) <= 16 ? xvals_of(type)
	       : type_bits(type) <= 32                      ? XVALS(xv_i32s)
							    : XVALS(xv_i64s);
}

#endif
