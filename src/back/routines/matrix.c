/* Matrices whose rows are spread over the lanes of a warp: products of integers and bits,
 * transposition, loads and stores of rows, through the words that lanes exchange
 * (routines/lanes.c). exec/mma/mma.c defines which lane has which element. Sums of floats are
 * refused: a matrix unit truncates intermediate sums in a way that these machines' adders cannot
 * reproduce. */
#include "back/routines/expand.h"

static const char *result_name(unsigned i)
{
	static const char *const name[] = {"r", "q", "r2", "r3"};
	return name[i];
}

/* Number of elements in a register. */
static unsigned element_count(unsigned type) { return type == T_B1 ? 32 : 32 / type_bits(type); }

static bool is_product(const struct inst *in)
{
	bool bits = in->atype == T_B1, small = in->atype == T_U8 || in->atype == T_S8 ||
					       in->atype == T_U4 || in->atype == T_S4;
	return in->op == OP_MMA && (bits || small) && in->grp[0] <= 4 && in->ns <= 14 &&
	       element_count(in->atype) == element_count(in->btype);
}

/* Adds the product of two registers' elements to sum i. */
static void write_dot(const struct inst *in, const char *a, const char *b, unsigned i, FILE *f)
{
	unsigned n = element_count(in->atype), width = 32 / n;
	if (in->atype == T_B1) {
		fprintf(f, "%s.b32 x, %s, %s;\npopc.b32 x, x;\nadd.s32 sum%u, sum%u, x;\n",
			in->bop == BOP_AND ? "and" : "xor", a, b, i, i);
		return;
	}
	for (unsigned k = 0; k < n; k++)
		fprintf(f,
			"bfe.%s32 x, %s, %u, %u;\nbfe.%s32 y, %s, %u, %u;\n"
			"mad.lo.s32 sum%u, x, y, sum%u;\n",
			type_is_signed(in->atype) ? "s" : "u", a, k * width, width,
			type_is_signed(in->btype) ? "s" : "u", b, k * width, width, i, i);
}

/* The elements of a row along k are in four neighbouring lanes, and so are a column's: each lane
 * reads its row (two of m16) and its two columns, register by register. */
static void write_product(const struct inst *in, FILE *f)
{
	unsigned na = in->grp[1], nb = in->grp[2], rows = na / nb;
	fprintf(f, ".reg .b32 sum<4>, ra<4>, rb<8>, row, column;\n"
		   "and.b32 row, l, 28;\nshl.b32 row, row, 2;\nadd.u32 row, base, row;\n"
		   "and.b32 column, l, 3;\nshl.b32 column, column, 5;\n"
		   "add.u32 column, base, column;\n");
	for (unsigned i = 0; i < 2 * rows; i++)
		fprintf(f, "mov.u32 sum%u, 0;\n", i);
	for (unsigned step = 0; step < nb; step++) {
		fprintf(f, "st.volatile.shared.u32 [own], %s;\n", expand_source(na + step));
		for (unsigned j = 0; j < 8; j++)
			fprintf(f, "ld.volatile.shared.u32 rb%u, [column+%u];\n", j, 4 * j);
		for (unsigned h = 0; h < rows; h++) {
			fprintf(f, "st.volatile.shared.u32 [own], %s;\n",
				expand_source(rows * step + h));
			for (unsigned j = 0; j < 4; j++)
				fprintf(f, "ld.volatile.shared.u32 ra%u, [row+%u];\n", j, 4 * j);
			for (unsigned j = 0; j < 8; j++) {
				char a[8], b[8];
				snprintf(a, sizeof a, "ra%u", j % 4);
				snprintf(b, sizeof b, "rb%u", j);
				write_dot(in, a, b, 2 * h + j / 4, f);
			}
		}
	}
	for (unsigned i = 0; i < 2 * rows; i++)
		fprintf(f, "add%s.s32 %s, sum%u, %s;\n", in->mods & M_SATFINITE ? ".sat" : "",
			result_name(i), i, expand_source(na + nb + i));
}

/* Computes the lane's row g and pair of columns q, as in exec/warpops.c. */
static void write_places(FILE *f)
{
	fprintf(f, ".reg .b32 g, u, v;\nshr.u32 g, l, 2;\nand.b32 k, l, 3;\n");
}

static void write_transpose(const struct inst *in, FILE *f)
{
	(void)in;
	write_places(f);
	fprintf(f, "st.volatile.shared.u32 [own], a;\nshl.b32 u, k, 3;\nshr.u32 v, g, 1;\n"
		   "add.u32 u, u, v;\nshl.b32 u, u, 2;\nadd.u32 at, base, u;\n"
		   "ld.volatile.shared.u32 u, [at];\nld.volatile.shared.u32 v, [at+16];\n"
		   "and.b32 t, g, 1;\nshl.b32 t, t, 4;\nshr.u32 u, u, t;\nshr.u32 v, v, t;\n"
		   "and.b32 u, u, 0xffff;\nshl.b32 v, v, 16;\nor.b32 r, u, v;\n");
}

/* at = the address, in the form that an access takes, of byte `offset` in the row whose address is
 * in lane `lane` + 8 m. */
static void row_at(const char *lane, unsigned m, const char *offset, FILE *f)
{
	fprintf(f,
		"shl.b32 t, %s, 2;\nadd.u32 t, base, t;\nld.volatile.shared.u32 t, [t+%u];\n"
		"add.u32 t, t, %s;\ncvt.u64.u32 to, t;\n",
		lane, 32 * m, offset);
}

/* Rows of 16 bytes, whose addresses are in lanes 8 m to 8 m + 7: matrix m, one word for each lane;
 * with .trans the word has an element of two rows. */
static void rows_of(const struct inst *in, FILE *f)
{
	bool load = in->op == OP_LDMATRIX, trans = in->mods & M_TRANS;
	const char *space = sel_space(in) == SP_SHARED ? ".shared" : "";
	write_places(f);
	fprintf(f, ".reg .b64 to;\ncvt.u32.u64 t, a;\nst.volatile.shared.u32 [own], t;\n");
	fprintf(f, trans ? "shl.b32 s, g, 1;\nshl.b32 k, k, 1;\n" : "shl.b32 s, k, 2;\n");
	for (unsigned m = 0; m < in->vec; m++) {
		const char *word = load ? result_name(m) : expand_source(1 + m);
		if (!trans) {
			row_at("g", m, "s", f);
			fprintf(f, load ? "ld%s.u32 %s, [to];\n" : "st%s.u32 [to], %s;\n", space,
				word);
			continue;
		}
		if (!load)
			fprintf(f, "shr.u32 v, %s, 16;\n", word);
		row_at("k", m, "s", f);
		fprintf(f, load ? "ld%s.u16 %s, [to];\n" : "st%s.u16 [to], %s;\n", space,
			load ? "u" : word);
		fprintf(f, "add.u32 g, k, 1;\n");
		row_at("g", m, "s", f);
		fprintf(f, load ? "ld%s.u16 v, [to];\n" : "st%s.u16 [to], v;\n", space);
		if (load)
			fprintf(f, "shl.b32 v, v, 16;\nor.b32 %s, u, v;\n", word);
	}
}

bool expand_matrix(const struct inst *in, unsigned sm, FILE *f)
{
	void (*how)(const struct inst *in, FILE *f) = NULL;
	if (sm >= 70) /* sm_70 and later have instructions for these */
		return false;
	if (is_product(in))
		how = write_product;
	else if (in->op == OP_MOVMATRIX)
		how = write_transpose;
	else if ((in->op == OP_LDMATRIX || in->op == OP_STMATRIX) && in->type == T_B16)
		how = rows_of;
	if (!how || !f)
		return how != NULL;
	expand_lanes_begin(f);
	how(in, f);
	return true;
}
