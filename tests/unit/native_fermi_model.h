/* Fermi instruction words compared with models: operands and results follow the machine's own
 * tables; modifiers are drawn at random; small kernels run the words. */
#ifndef TEST_NATIVE_FERMI_MODEL_H
#define TEST_NATIVE_FERMI_MODEL_H
#include "native_model.h"

enum { DST = 16, SRC = 8, BANK = 2, CONSTS = 8 };

struct machine {
	uint32_t r[64];
	bool p[8];
	unsigned cc; /* Z S C O */
	uint32_t bank[CONSTS];
};

/* ---- operands ---- */

enum { B_INT, B_F32, B_F64 };

static inline uint64_t reg(const struct machine *m, unsigned n, bool wide)
{
	return m->r[n] | (wide ? (uint64_t)m->r[n + 1] << 32 : 0);
}

static inline uint64_t constant(const struct machine *m, uint64_t w, bool wide)
{
	unsigned k = bits(w, 28, 14) % CONSTS;
	return m->bank[k] | (wide ? (uint64_t)m->bank[k + 1] << 32 : 0);
}

static inline unsigned mode(uint64_t w) { return bits(w, 46, 2); }

static inline uint64_t a_of(const struct machine *m, uint64_t w, bool wide)
{
	return reg(m, bits(w, 20, 6), wide);
}

static inline uint64_t b_of(const struct machine *m, uint64_t w, unsigned type)
{
	uint64_t imm = bits(w, 26, 20);
	switch (mode(w)) {
	case 0: return reg(m, bits(w, 26, 6), type == B_F64);
	case 1: return constant(m, w, type == B_F64);
	case 2: return reg(m, bits(w, 49, 6), type == B_F64);
	default:
		return type == B_F64   ? imm << 44
		       : type == B_F32 ? imm << 12
				       : (uint32_t)((int32_t)(imm << 12) >> 12);
	}
}

static inline uint64_t c_of(const struct machine *m, uint64_t w, bool wide)
{
	return mode(w) == 2 ? constant(m, w, wide) : reg(m, bits(w, 49, 6), wide);
}

static inline bool pred_at(const struct machine *m, uint64_t w, unsigned lo)
{
	return m->p[bits(w, lo, 3)] != bits(w, lo + 3, 1);
}

static inline uint32_t a32(const struct machine *m, uint64_t w)
{
	return (uint32_t)a_of(m, w, false);
}
static inline uint32_t b32(const struct machine *m, uint64_t w)
{
	return (uint32_t)b_of(m, w, B_INT);
}
static inline uint32_t c32(const struct machine *m, uint64_t w)
{
	return (uint32_t)c_of(m, w, false);
}

/* ---- results ---- */

static inline bool wants_cc(uint64_t w) { return (w & 7) == 2 ? bits(w, 58, 1) : bits(w, 48, 1); }

static inline void put(struct machine *m, uint64_t w, uint32_t v, unsigned flags)
{
	m->r[bits(w, 14, 6)] = v;
	if (wants_cc(w))
		m->cc = flags;
}

static inline void put_zs(struct machine *m, uint64_t w, uint32_t v)
{
	put(m, w, v, model_zs(v, 32));
}

static inline bool combine(bool t, bool p, unsigned op)
{
	return op == 0 ? t && p : op == 1 ? t || p : t != p;
}

/* Writes the result of SET or SETP: the comparison combined with the source predicate as bits 53-54
 * select. */
static inline void put_set(struct machine *m, uint64_t w, bool t, unsigned bf)
{
	bool q = combine(t, pred_at(m, w, 49), bits(w, 53, 2));
	uint32_t v = !q ? 0 : bits(w, bf, 1) ? 0x3f800000 : ~0u;
	put_zs(m, w, v);
}

static inline void put_setp(struct machine *m, uint64_t w, bool t)
{
	bool p = pred_at(m, w, 49), q = combine(t, p, bits(w, 53, 2)),
	     n = combine(!t, p, bits(w, 53, 2));
	m->p[bits(w, 14, 3)] = n;
	m->p[bits(w, 17, 3)] = q;
	m->p[7] = true;
}

static inline uint32_t view(const struct machine *m)
{
	uint32_t v = m->cc << 12;
	for (unsigned i = 0; i < 7; i++)
		v |= (uint32_t)m->p[i] << i;
	return v;
}

static inline void set_view(struct machine *m, uint32_t v)
{
	m->cc = v >> 12 & 15;
	for (unsigned i = 0; i < 7; i++)
		m->p[i] = v >> i & 1;
}

/* ---- words ---- */

/* Parts of a word: a second source (also constant or immediate); a third; a first source or none; a
 * 32-bit immediate; partial words; two predicate results; logic with a predicate in bits 53-54, and
 * two more in 20 and 26; even registers for doubles; a double result, a single result of a
 * double. */
enum {
	SRC_B = 1,
	SRC_C = 2,
	NO_A = 4,
	IMM32 = 8,
	VIDEO = 16,
	SETP = 32,
	COMBINES = 64,
	TWO_PREDS = 128,
	PAIRS = 256,
	NO_IMM20 = 512,
	NO_DST = 1024,
	ANY_NAN = 2048,
	ANY_NAN32 = 4096
};
#define AB     SRC_B
#define ABC    (SRC_B | SRC_C)
#define OP5(n) ((uint64_t)(n) << 59)
#define OP6(n) ((uint64_t)(n) << 58)
#define CCBIT  (1ull << 48)
#define PRED49 (15ull << 49)

struct row {
	const char *name;
	uint64_t match, any; /* opcode bits; bits drawn at random */
	unsigned src;
	void (*model)(struct machine *m, uint64_t w);
};

static inline uint64_t any_source(const struct row *r)
{
	return SRC + (model_random() % 4 & (r->src & PAIRS ? 2 : 3));
}

/* The second operand and the third: registers, a constant in the place of either, an immediate. */
static inline uint64_t draw_sources(const struct row *r)
{
	uint64_t w = 0, how = model_random() % 4;
	if (r->src & SRC_C)
		w |= any_source(r) << 49;
	if (how == 2 && !(r->src & SRC_C))
		how = 0;
	if (how == 0)
		return w | any_source(r) << 26;
	if (how == 3 && r->src & NO_IMM20)
		how = 1;
	if (how == 3)
		return w | 3ull << 46 | (model_word() & 0xfffffull) << 26;
	uint64_t k = model_random() % CONSTS & (r->src & PAIRS ? 6 : 7);
	return w | how << 46 | (uint64_t)BANK << 42 | k << 28;
}

static inline uint64_t draw_video(const struct row *r)
{
	uint64_t w = model_random() % 7 << 44;
	if (model_random() % 4 == 0)
		return w | (model_word() & 0xffffull) << 26;
	return w | 1ull << 47 | any_source(r) << 26 | model_random() % 7 << 32;
}

static inline uint64_t draw(const struct row *r)
{
	uint64_t w = r->match | (model_random() & r->any), x = model_random(), log = x >> 8 & 3;
	bool setp = r->src & SETP;
	w |= x % 3 ? 7ull << 10 : (x >> 16 & 15) << 10; /* the guard */
	uint64_t first = x >> 20 & 7,
		 second = (first + 1 + (x >> 23) % 7) % 8; /* two predicates that differ */
	w |= setp ? second << 14 | first << 17 : r->src & NO_DST ? 0 : (uint64_t)DST << 14;
	if (r->src & COMBINES)
		w |= (log == 3 ? 0 : log) << 53;
	if (r->src & TWO_PREDS)
		w |= (x >> 28) % 3 << 30;
	if (r->src & VIDEO)
		w |= draw_video(r) | (setp ? 0 : any_source(r) << 49);
	if (r->src & SRC_B)
		w |= draw_sources(r);
	if (r->src & IMM32)
		w |= (uint64_t)model_word() << 26;
	return r->src & NO_A ? w : w | any_source(r) << 20;
}

/* PR begins as the bits of R4; the destination as R5. */
static inline void expect(const struct row *r, uint64_t w, const uint32_t *in, const uint32_t *bank,
			  uint32_t *out)
{
	struct machine m = {.p = {[7] = true}};
	memcpy(m.r + 4, in, MODEL_IN * 4);
	memcpy(m.bank, bank, sizeof m.bank);
	set_view(&m, in[0]);
	m.r[DST] = m.r[DST + 1] = in[1];
	if (pred_at(&m, w, 10))
		r->model(&m, w);
	out[0] = m.r[DST], out[1] = m.r[DST + 1], out[2] = view(&m), out[3] = in[1];
}

/* Which of several NaN operands becomes the result is not tested here. */
static inline void one_nan(const struct row *r, uint32_t *out)
{
	uint64_t d = out[0] | (uint64_t)out[1] << 32;
	if (r->src & ANY_NAN && soft_get(d, F64, false).cls == SOFT_NAN)
		out[0] = ~0u, out[1] = 0x7fffffff;
	if (r->src & ANY_NAN32 && soft_get(out[0], F32, false).cls == SOFT_NAN)
		out[0] = 0x7fffffff;
}

static inline void one_word(const struct row *r)
{
	char text[256], file[1 << 12];
	uint32_t in[MODEL_LANES][MODEL_IN], out[MODEL_LANES][MODEL_OUT], bank[CONSTS],
		want[MODEL_OUT];
	uint64_t w = draw(r);
	struct ninst n;
	if (!native_decode(NATIVE_FERMI, w, 0, &n))
		fail_msg("%s: %016llx is no instruction", r->name, (unsigned long long)w);
	native_print(&n, NSTYLE_FULL, text, sizeof text);
	int at = snprintf(file, sizeof file,
			  "code for sm_20\n.dialect full\nFunction : k\n.params 4 4\n.const %d",
			  BANK);
	for (unsigned i = 0; i < CONSTS; i++)
		at += snprintf(file + at, sizeof file - (size_t)at, " 0x%x",
			       bank[i] = model_word());
	snprintf(file + at, sizeof file - (size_t)at,
		 "\nS2R R0, SR_Tid_X;\nISCADD R1, R0, c [0x0] [0x24], 0x5;\nLD.128 R4, "
		 "[R1];\nLD.128 R8, [R1+0x10];\n"
		 "MOV R16, R5;\nMOV R17, R5;\nMOV R19, R5;\nR2P PR, R4, 0xf07f;\n%s;\nP2R R18, PR, "
		 "RZ, 0xf07f;\n"
		 "ISCADD R1, R0, c [0x0] [0x20], 0x4;\nST.128 [R1], R16;\nEXIT;\n",
		 text);
	model_inputs(in, r->src & PAIRS);
	model_run(file, in, out);
	for (unsigned i = 0; i < MODEL_LANES; i++) {
		expect(r, w, in[i], bank, want);
		one_nan(r, want);
		one_nan(r, out[i]);
		if (memcmp(want, out[i], sizeof want))
			fail_msg("%s: %s (%016llx) of PR %08x D %08x, R8 %08x %08x %08x %08x, c "
				 "%08x:\n"
				 "R16 %08x %08x PR %04x, not %08x %08x %04x",
				 r->name, text, (unsigned long long)w, in[i][0] & 0xf07f, in[i][1],
				 in[i][4], in[i][5], in[i][6], in[i][7],
				 bank[bits(w, 28, 14) % CONSTS], out[i][0], out[i][1], out[i][2],
				 want[0], want[1], want[2]);
	}
}

static inline void check_rows(const struct row *rows, size_t n, unsigned words)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < words; k++)
			one_word(&rows[i]);
}
#endif
