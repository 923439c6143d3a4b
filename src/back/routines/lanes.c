/* Exchanges between the lanes of a warp, which neither machine has an instruction for: through
 * shared memory, a word for each thread of the block (EXCHANGE), as programs of their
 * time did it. The lanes of a warp that are active execute each access together and in order, so no
 * barrier stands between the write of one and the read of another. */
#include "back/routines/expand.h"

void expand_lanes_begin(FILE *f)
{
	fprintf(f, ".reg .b32 l, k, s, t, x, y, z, base, own, at, act;\n.reg .pred o, p;\n"
		   "mov.u32 l, %%laneid;\n"
		   "mov.u32 x, %%tid.z;\nmov.u32 y, %%ntid.y;\nmov.u32 z, %%tid.y;\n"
		   "mad.lo.u32 x, x, y, z;\nmov.u32 y, %%ntid.x;\nmov.u32 z, %%tid.x;\n"
		   "mad.lo.u32 x, x, y, z;\nand.b32 x, x, 0xffe0;\nshl.b32 x, x, 2;\n"
		   "mov.u32 base, " EXCHANGE ";\nadd.u32 base, base, x;\n"
		   "shl.b32 own, l, 2;\nadd.u32 own, base, own;\n");
}

/* at = address of lane s's word. */
static void word_of(const char *s, FILE *f)
{
	fprintf(f, "shl.b32 at, %s, 2;\nadd.u32 at, base, at;\n", s);
}

static bool is_number(const struct inst *in, unsigned i, uint32_t mask, uint32_t n)
{
	const struct opnd *o = inst_src(in, i);
	return o->kind == OPND_IMM && ((uint32_t)o->imm & mask) == n;
}

/* True for most shuffles: one segment, the warp, and a mask that names all lanes. */
static bool is_whole(const struct inst *in)
{
	return is_number(in, 2, 0x1f1f, in->mode == SHFL_UP ? 0 : 31);
}
static bool names_all(const struct inst *in) { return is_number(in, 3, ~0u, ~0u); }

unsigned expand_shuffle_form(const struct inst *in)
{
	return in->op != OP_SHFL ? 0
				 : (is_whole(in) ? 1 : 0) | (in->ns > 3 && names_all(in) ? 2 : 0);
}

/* s = the lane to read, or the lane itself if p is false. */
static void source_in_warp(const struct inst *in, FILE *f)
{
	static const char *const from[] = {[SHFL_UP] = "sub.s32 s, l, t;\nsetp.ge.s32 p, s, 0;\n",
					   [SHFL_DOWN] =
						   "add.s32 s, l, t;\nsetp.le.s32 p, s, 31;\n",
					   [SHFL_BFLY] = "xor.b32 s, l, t;\n",
					   [SHFL_IDX] = "mov.b32 s, t;\n"};
	fprintf(f, "and.b32 t, b, 31;\n%s", from[in->mode]);
	if (in->mode == SHFL_UP || in->mode == SHFL_DOWN)
		fprintf(f, "selp.b32 s, s, l, p;\n");
	else if (in->nd > 1)
		fprintf(f, "setp.eq.u32 p, l, l;\n");
}

static void write_source(const struct inst *in, FILE *f)
{
	static const char *const from[] = {
		[SHFL_UP] = "sub.s32 s, l, t;\n",
		[SHFL_DOWN] = "add.s32 s, l, t;\n",
		[SHFL_BFLY] = "xor.b32 s, l, t;\n",
		[SHFL_IDX] = "not.b32 s, x;\nand.b32 s, s, t;\nor.b32 s, s, y;\n"};
	/* x: bits that identify a segment, y: its first lane, z: the last lane that may be read */
	fprintf(f,
		"shr.u32 x, c, 8;\nand.b32 x, x, 31;\nand.b32 y, l, x;\nnot.b32 z, x;\n"
		"and.b32 z, z, c;\nand.b32 z, z, 31;\nor.b32 z, z, y;\nand.b32 t, b, 31;\n"
		"%ssetp.%s.s32 p, s, z;\nselp.b32 s, s, l, p;\n",
		from[in->mode], in->mode == SHFL_UP ? "ge" : "le");
}

/* Every reader clears the word that it reads before all lanes write their own: the word of an
 * inactive lane stays 0. */
static void write_shuffle(const struct inst *in, unsigned sm, FILE *f)
{
	(void)sm;
	(is_whole(in) ? source_in_warp : write_source)(in, f);
	if (in->nd > 1)
		fprintf(f, "selp.b32 q, 1, 0, p;\n");
	word_of("s", f);
	fprintf(f, "st.volatile.shared.u32 [at], 0;\nst.volatile.shared.u32 [own], a;\n"
		   "ld.volatile.shared.u32 r, [at];\n");
	if (in->ns > 3 && !names_all(in)) /* a lane that the mask does not name gives 0 */
		fprintf(f, "mov.b32 t, 1;\nshl.b32 t, t, s;\nand.b32 t, t, d;\n"
			   "setp.ne.u32 p, t, 0;\nsetp.eq.or.s32 p, s, l, p;\n"
			   "selp.b32 r, r, 0, p;\n");
}

/* act = the active lanes that the mask names. */
static void write_members(unsigned sm, char mask, FILE *f)
{
	fprintf(f, "setp.eq.u32 p, l, l;\n");
	expand_ballot(sm, "act", "p", f);
	fprintf(f, "and.b32 act, act, %c;\n", mask);
}

/* Loops over the lanes of act: x is the word of lane k, and `each` runs if o is true. */
static void over_lanes(const char *name, const char *each, FILE *f)
{
	fprintf(f,
		"mov.u32 k, 0;\nmov.b32 at, base;\n%s:\nld.volatile.shared.u32 x, [at];\n"
		"shr.u32 t, act, k;\nand.b32 t, t, 1;\nsetp.ne.u32 o, t, 0;\n%s"
		"add.u32 at, at, 4;\nadd.u32 k, k, 1;\nsetp.lt.u32 o, k, 32;\n@o bra %s;\n",
		name, each, name);
}

/* Lanes with equal values: y those with an equal lower word, r those with both words equal. */
static void write_match(const struct inst *in, unsigned sm, FILE *f)
{
	bool wide = type_bits(in->type) == 64;
	write_members(sm, 'b', f);
	fprintf(f, wide ? ".reg .b32 lo, hi;\nmov.b64 {lo, hi}, a;\n"
			: ".reg .b32 lo, hi;\nmov.b32 lo, a;\n");
	for (unsigned i = 0; i <= wide; i++) {
		const char *word = i ? "hi" : "lo";
		char each[256];
		snprintf(each, sizeof each,
			 "setp.eq.and.u32 o, x, %s, o;\nshl.b32 t, t, k;\nselp.b32 t, t, 0, o;\n"
			 "or.b32 y, y, t;\n",
			 word);
		fprintf(f, "mov.u32 y, 0;\nst.volatile.shared.u32 [own], %s;\n", word);
		over_lanes(i ? "UPPER" : "LOWER", each, f);
		fprintf(f, i ? "and.b32 r, r, y;\n" : "mov.b32 r, y;\n");
	}
	if (in->mode != VOTE_ANY)
		fprintf(f, "setp.eq.u32 p, r, act;\nselp.b32 r, r, 0, p;\n");
	if (in->nd > 1)
		fprintf(f, "selp.b32 q, 1, 0, p;\n");
}

/* The minimum or maximum of singles; the instruction says how NaN is treated. */
static void reduce_single(const struct inst *in, unsigned sm, FILE *f)
{
	char each[128];
	snprintf(each, sizeof each, "selp.b32 x, x, y, o;\n%s%s%s.f32 y, y, x;\n",
		 in->mods & M_ABS ? "and.b32 x, x, 0x7fffffff;\n" : "",
		 in->mode == ATOM_MIN ? "min" : "max", in->mods & M_NAN ? ".NaN" : "");
	write_members(sm, 'b', f);
	fprintf(f, "and.b32 y, a, %u;\nst.volatile.shared.u32 [own], a;\n",
		in->mods & M_ABS ? 0x7fffffffu : ~0u);
	over_lanes("NEXT", each, f);
	fprintf(f, "mov.b32 r, y;\n");
}

static void write_reduction(const struct inst *in, unsigned sm, FILE *f)
{
	static const char *const name[] = {
		[ATOM_ADD] = "add.u32", [ATOM_AND] = "and.b32", [ATOM_OR] = "or.b32",
		[ATOM_XOR] = "xor.b32", [ATOM_MIN] = "min",     [ATOM_MAX] = "max"};
	bool sg = in->type == T_S32, extreme = in->mode == ATOM_MIN || in->mode == ATOM_MAX;
	uint32_t none = in->mode == ATOM_AND   ? ~0u
			: in->mode == ATOM_MIN ? (sg ? 0x7fffffff : ~0u)
			: in->mode == ATOM_MAX ? (sg ? 0x80000000 : 0)
					       : 0;
	char each[128];
	snprintf(each, sizeof each, "selp.b32 x, x, %u, o;\n%s%s y, y, x;\n", none, name[in->mode],
		 extreme ? sg ? ".s32" : ".u32" : "");
	write_members(sm, 'b', f);
	fprintf(f, "mov.u32 y, %u;\nst.volatile.shared.u32 [own], a;\n", none);
	over_lanes("NEXT", each, f);
	fprintf(f, "mov.b32 r, y;\n");
}

/* Elects the lowest lane. */
static void write_election(const struct inst *in, unsigned sm, FILE *f)
{
	write_members(sm, 'a', f);
	fprintf(f, "neg.s32 t, act;\nand.b32 t, t, act;\nbfind.u32 r, t;\n");
	if (in->nd > 1)
		fprintf(f, "setp.eq.u32 p, r, l;\nselp.b32 q, 1, 0, p;\n");
}

bool expand_lanes(const struct inst *in, unsigned sm, FILE *f)
{
	void (*how)(const struct inst *in, unsigned sm, FILE *f) = NULL;
	switch (in->op) {
	case OP_SHFL: how = write_shuffle; break;
	case OP_MATCH: how = write_match; break;
	case OP_REDUX: how = in->type == T_F32 ? reduce_single : write_reduction; break;
	case OP_ELECT: how = write_election; break;
	default: break;
	}
	if (sm >= 70) /* sm_70 and later have instructions for these */
		how = NULL;
	if (!how || !f)
		return how != NULL;
	expand_lanes_begin(f);
	how(in, sm, f);
	return true;
}
