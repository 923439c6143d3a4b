#include "isa/sm70/access.h"

#include <string.h>

/* ---- modifiers ---- */

/* Returns true if `word` is one of the words, separated by points, of the modifier (STRONG.GPU). */
static bool says(const struct sm70_inst *in, unsigned slot, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = in->mod[slot] ? sm70_word_text(in->mod[slot]) : NULL; p;
	     p = strchr(p, '.') ? strchr(p, '.') + 1 : NULL)
		if (!strncmp(p, word, n) && (!p[n] || p[n] == '.'))
			return true;
	return false;
}

static bool is_wide(const struct sm70_inst *in, unsigned slot)
{
	return says(in, slot, "64") || says(in, slot, "U64") || says(in, slot, "S64") ||
	       says(in, slot, "F64") || says(in, slot, "SD64");
}

static unsigned words_of_size(const struct sm70_inst *in)
{
	return says(in, SM70_MOD_SIZE, "128") ? 4 : says(in, SM70_MOD_SIZE, "64") ? 2 : 1;
}

static unsigned words_of_atomic(const struct sm70_inst *in)
{
	return says(in, SM70_MOD_ATYPE, "128") ? 4 : is_wide(in, SM70_MOD_ATYPE) ? 2 : 1;
}

/* Matrices of LDSM, STSM: .2, .4 or none. */
static unsigned words_of_matrices(const struct sm70_inst *in)
{
	return says(in, SM70_MOD_MODE3, "4") ? 4 : says(in, SM70_MOD_MODE3, "2") ? 2 : 1;
}

/* ---- tensor cores ---- */

struct shape {
	const char *text;
	uint8_t op;      /* enum sm70_op */
	uint8_t a, b, c; /* registers; of an accumulator of 32-bit elements */
};
/* tf32 and 4-bit elements have rows of their own, which come first, because the shape's text does
 * not identify them. */
static const struct shape tf32[] = {{"1684", SM70_HMMA, 2, 1, 4}, {"1688", SM70_HMMA, 4, 2, 4}};
static const struct shape nibbles[] = {
	{"8832", SM70_IMMA, 1, 1, 2}, {"16832", SM70_IMMA, 2, 1, 4}, {"16864", SM70_IMMA, 4, 2, 4}};
static const struct shape shapes[] = {
	{"1688", SM70_HMMA, 2, 1, 4},   {"16816", SM70_HMMA, 4, 2, 4},
	{"8816", SM70_IMMA, 1, 1, 2},   {"16816", SM70_IMMA, 2, 1, 4},
	{"16832", SM70_IMMA, 4, 2, 4},  {"16816", SM70_QMMA, 2, 1, 4},
	{"16832", SM70_QMMA, 4, 2, 4},  {"88128", SM70_BMMA, 1, 1, 2},
	{"168128", SM70_BMMA, 2, 1, 4}, {"168256", SM70_BMMA, 4, 2, 4},
	{"884", SM70_HMMA, 2, 2, 2},    {"884", SM70_DMMA, 2, 2, 4},
	{"8x8x4", SM70_DMMA, 2, 2, 4},  {"16x8x4", SM70_DMMA, 4, 2, 8},
	{"16x8x8", SM70_DMMA, 8, 4, 8}, {"16x8x16", SM70_DMMA, 16, 8, 8},
};
/* A has half the depth of B */
static const struct shape sparse_tf32[] = {{"1688", SM70_HMMA, 2, 2, 4},
					   {"16816", SM70_HMMA, 4, 4, 4}};
static const struct shape sparse_nibbles[] = {{"16864", SM70_IMMA, 2, 2, 4},
					      {"168128", SM70_IMMA, 4, 4, 4}};
static const struct shape sparse[] = {
	{"16816", SM70_HMMA, 2, 2, 4}, {"16832", SM70_HMMA, 4, 4, 4}, {"16832", SM70_IMMA, 2, 2, 4},
	{"16864", SM70_IMMA, 4, 4, 4}, {"16864", SM70_QMMA, 4, 4, 4},
};
#define ROWS(x) (x), sizeof(x) / sizeof *(x)

static const struct shape *find_shape(const struct sm70_inst *in, const struct shape *row, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (row[i].op == in->op && says(in, SM70_MOD_SHAPE, row[i].text))
			return &row[i];
	return NULL;
}

static bool has_nibbles(const struct sm70_inst *in)
{
	return says(in, SM70_MOD_TYPE, "S4") || says(in, SM70_MOD_TYPE, "U4");
}

static const struct shape *shape_of(const struct sm70_inst *in)
{
	bool thin = in->mod[SM70_MOD_SP] != SM70_W_NONE;
	if (in->op == SM70_HMMA && says(in, SM70_MOD_ST, "TF32"))
		return thin ? find_shape(in, ROWS(sparse_tf32)) : find_shape(in, ROWS(tf32));
	if (in->op == SM70_IMMA && has_nibbles(in))
		return thin ? find_shape(in, ROWS(sparse_nibbles)) : find_shape(in, ROWS(nibbles));
	return thin ? find_shape(in, ROWS(sparse)) : find_shape(in, ROWS(shapes));
}

static unsigned width_in_matrix(const struct sm70_inst *in, unsigned role)
{
	const struct shape *s = shape_of(in);
	if (!s)
		return 1;
	bool halves = in->op == SM70_HMMA && says(in, SM70_MOD_TYPE, "F16") && s->c > 2;
	switch (role) {
	case SM70_R_A: return s->a;
	case SM70_R_B: return s->b;
	case SM70_R_C:
	case SM70_R_D: return halves ? s->c / 2u : s->c;
	default: return 1;
	}
}

unsigned sm70_group_registers(const struct sm70_inst *in)
{
	unsigned rows, columns, depth;
	switch (in->op) {
	case SM70_HGMMA:
	case SM70_QGMMA:
	case SM70_IGMMA:
	case SM70_BGMMA: break;
	default: return 0;
	}
	if (sscanf(sm70_word_text(in->mod[SM70_MOD_SHAPE]), "%ux%ux%u", &rows, &columns, &depth) !=
		    3 ||
	    rows != 64 || columns > 256 || columns % 8)
		return 0;
	bool halves =
		(in->op == SM70_HGMMA || in->op == SM70_QGMMA) && says(in, SM70_MOD_TYPE, "F16");
	return columns / (halves ? 4 : 2);
}

/* ---- textures ---- */

static unsigned components(const struct sm70_inst *in)
{
	unsigned n = 0, mask = 15;
	for (unsigned i = 0; i < in->nop; i++)
		if (in->o[i].kind == SM70_K_IMM && in->o[i].role == SM70_R_I2)
			mask = (unsigned)in->o[i].imm & 15;
	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

/* Registers of a texture's result: two components in the first destination, the remaining ones in
 * the second. */
static unsigned width_in_texture(const struct sm70_inst *in, unsigned role)
{
	unsigned n = components(in);
	if (role == SM70_R_D)
		return n < 2 ? n : 2;
	return role == SM70_R_PD2 ? n > 2 ? n - 2 : 0 : 1;
}

static unsigned width_in_surface(const struct sm70_inst *in, unsigned role)
{
	if (role != SM70_R_D && role != SM70_R_B)
		return 1;
	if (in->mod[SM70_MOD_COMP]) /* .P: a letter per component */
		return (unsigned)strlen(sm70_word_text(in->mod[SM70_MOD_COMP]));
	return words_of_size(in);
}

/* ---- widths ---- */

static unsigned width_in_conversion(const struct sm70_inst *in, unsigned role)
{
	return is_wide(in, role == SM70_R_D ? SM70_MOD_DT : SM70_MOD_ST) ? 2 : 1;
}

static unsigned width_in_barrier(const struct sm70_inst *in, unsigned role)
{
	if (says(in, SM70_MOD_MODE, "EXCH"))
		return role == SM70_R_D || role == SM70_R_B || role == SM70_R_C ? 2 : 1;
	return role == SM70_R_D ? 2 : 1; /* the state */
}

/* Returns the number of 32-bit registers that the operand covers. */
static unsigned width_of(const struct sm70_inst *in, const struct sm70_operand *o)
{
	unsigned role = o->role;
	switch (in->op) {
	case SM70_DADD:
	case SM70_DMUL:
	case SM70_DFMA:
	case SM70_DSETP: return 2;
	case SM70_IMAD:
	case SM70_UIMAD:
		if (in->mod[SM70_MOD_WIDE])
			return role == SM70_R_D || role == SM70_R_C ? 2 : 1;
		return in->mod[SM70_MOD_HI] && role == SM70_R_C ? 2 : 1;
	case SM70_ISETP:
	case SM70_UISETP:
	case SM70_IADD:
	case SM70_SEL:
	case SM70_MOV:
	case SM70_UMOV:
	case SM70_UIADD3: return is_wide(in, SM70_MOD_TYPE) ? 2 : 1;
	case SM70_F2F:
	case SM70_F2I:
	case SM70_I2F:
	case SM70_FRND: return width_in_conversion(in, role);
	case SM70_CS2R: return role == SM70_R_D && !says(in, SM70_MOD_SIZE, "32") ? 2 : 1;
	case SM70_LEPC: return 2;
	case SM70_MATCH: return role == SM70_R_A && is_wide(in, SM70_MOD_TYPE) ? 2 : 1;
	case SM70_LD:
	case SM70_LDG:
	case SM70_LDL:
	case SM70_LDS:
	case SM70_LDC:
	case SM70_ULDC:
	case SM70_LDCU: return role == SM70_R_D ? words_of_size(in) : 1;
	case SM70_ST:
	case SM70_STG:
	case SM70_STL:
	case SM70_STS:
	case SM70_STAS: return role == SM70_R_B || role == SM70_R_C ? words_of_size(in) : 1;
	case SM70_LDSM: return role == SM70_R_D ? words_of_matrices(in) : 1;
	case SM70_STSM: return role == SM70_R_B ? words_of_matrices(in) : 1;
	case SM70_ATOM:
	case SM70_ATOMG:
	case SM70_ATOMS:
	case SM70_RED:
	case SM70_REDG:
	case SM70_REDAS: return words_of_atomic(in);
	case SM70_HMMA:
	case SM70_IMMA:
	case SM70_QMMA:
	case SM70_BMMA:
	case SM70_DMMA: return width_in_matrix(in, role);
	case SM70_HGMMA:
	case SM70_QGMMA:
	case SM70_IGMMA:
	case SM70_BGMMA:
		if (role == SM70_R_D || role == SM70_R_C)
			return sm70_group_registers(in);
		return role == SM70_R_A ? 4 : 1;
	case SM70_TEX:
	case SM70_TLD:
	case SM70_TLD4:
	case SM70_TXD:
	case SM70_TXQ: return width_in_texture(in, role);
	case SM70_SULD:
	case SM70_SUST: return width_in_surface(in, role);
	case SM70_SYNCS: return width_in_barrier(in, role);
	default: return 1;
	}
}

/* ---- spans ---- */

static bool is_result(const struct sm70_inst *in, const struct sm70_operand *o)
{
	(void)in;
	return o->role == SM70_R_D || o->role == SM70_R_PD || o->role == SM70_R_PD2;
}

static void add_span(struct sm70_access *a, unsigned base, unsigned reg, unsigned n, unsigned role,
		     bool write, bool guard)
{
	if (a->n == SM70_SPANS || !n)
		return;
	a->span[a->n++] = (struct sm70_span){.first = (uint16_t)(base + reg),
					     .n = (uint16_t)n,
					     .write = write,
					     .guard = guard,
					     .role = (uint8_t)role};
}

static void add_register(struct sm70_access *a, bool uniform, unsigned reg, unsigned n,
			 unsigned role, bool write)
{
	if (reg >= SM70_RZ || (uniform && reg >= SM70_URZ))
		return;
	if (reg + n > 255)
		n = 255 - reg;
	add_span(a, uniform ? SM70_UREGS : SM70_REGS, reg, n, role, write, false);
}

/* Uniform registers of a wgmma's descriptors: A's and B's, or B's alone. */
static unsigned words_of_descriptors(const struct sm70_inst *in)
{
	const struct sm70_operand *a = sm70_operand_of(in, SM70_R_A);
	return a && a->kind == SM70_K_GPR ? 2 : 4;
}

static bool is_group_load(const struct sm70_inst *in)
{
	return in->op == SM70_LDG || in->op == SM70_LD || in->op == SM70_STG || in->op == SM70_ST ||
	       in->op == SM70_ATOM || in->op == SM70_ATOMG || in->op == SM70_RED ||
	       in->op == SM70_REDG || in->op == SM70_LDGMC;
}

/* Consecutive uniform registers from the one that an address of a bulk or tensor copy names. */
static unsigned words_of_fields(const struct sm70_inst *in, unsigned role)
{
	unsigned rank = in->mod[SM70_MOD_DIM]
				? (unsigned)(sm70_word_text(in->mod[SM70_MOD_DIM])[0] - '0')
				: 0;
	bool to = role == SM70_R_M;
	switch (in->op) {
	case SM70_UBLKCP:
	case SM70_UBLKRED: return to || says(in, SM70_MOD_MODE2, "G") ? 2 : 1;
	case SM70_UTMALDG: return to ? 2 + rank : 2;
	case SM70_UTMASTG:
	case SM70_UTMAREDG: return to ? 1 + rank : 2;
	case SM70_UTMAPF: return to ? rank : 2;
	case SM70_UBLKPF:
	case SM70_UTMACCTL: return 2;
	default: return is_group_load(in) ? 2 : 1;
	}
}

static void add_address(struct sm70_access *a, const struct sm70_inst *in,
			const struct sm70_operand *o)
{
	bool pair = o->scale == SM70_W__64;
	add_register(a, false, o->reg, pair ? 2 : 1, o->role, false);
	/* a uniform base of global memory has 64 bits, of shared memory 32 */
	add_register(a, true, o->ureg, words_of_fields(in, o->role), o->role, false);
	add_register(a, true, o->desc, 2, o->role, false);
}

static void add_predicate(struct sm70_access *a, bool uniform, unsigned reg, unsigned role,
			  bool write, bool guard)
{
	if (reg < SM70_PT)
		add_span(a, uniform ? SM70_UPREDS : SM70_PREDS, reg, 1, role, write, guard);
}

/* Adds all predicates, or those in the instruction's mask if it has one. */
static void add_predicates(struct sm70_access *a, const struct sm70_inst *in,
			   const struct sm70_operand *o, bool write)
{
	const struct sm70_operand *mask = sm70_operand_of(in, SM70_R_I);
	uint64_t m = mask ? mask->imm : 127;
	for (unsigned i = 0; i < 7; i++)
		if (m >> i & 1)
			add_predicate(a, o->reg == 1, i, o->role, write, false);
}

static bool is_control(unsigned op)
{
	switch (op) {
	case SM70_BRA:
	case SM70_BRX:
	case SM70_BRXU:
	case SM70_JMP:
	case SM70_JMX:
	case SM70_JMXU:
	case SM70_CALL:
	case SM70_RET:
	case SM70_EXIT:
	case SM70_BSSY:
	case SM70_BSYNC:
	case SM70_BREAK:
	case SM70_WARPSYNC:
	case SM70_YIELD:
	case SM70_NANOSLEEP: return true;
	default: return false;
	}
}

static void add_operand(struct sm70_access *a, const struct sm70_inst *in, unsigned i)
{
	const struct sm70_operand *o = &in->o[i];
	bool write = is_result(in, o);
	/* at its default value, or a field without a meaning under these modifiers */
	if (o->hidden)
		return;
	switch (o->kind) {
	case SM70_K_GPR:
	case SM70_K_UGPR:
		add_register(a, o->kind == SM70_K_UGPR, o->reg, width_of(in, o), o->role, write);
		break;
	case SM70_K_PRED:
	case SM70_K_UPRED:
		add_predicate(a, o->kind == SM70_K_UPRED, o->reg, o->role, write,
			      !write && is_control(in->op));
		break;
	case SM70_K_PR: add_predicates(a, in, o, in->op == SM70_R2P || in->op == SM70_UR2UP); break;
	case SM70_K_CONST:
		add_register(a, false, o->reg, 1, o->role, false);
		add_register(a, true, o->ureg, 1, o->role, false);
		add_register(a, true, o->desc, 2, o->role, false);
		break;
	case SM70_K_MEM: add_address(a, in, o); break;
	case SM70_K_GDESC:
		add_register(a, true, o->reg, words_of_descriptors(in), o->role, false);
		break;
	default: break;
	}
}

struct sm70_access sm70_access_of(const struct sm70_inst *in)
{
	struct sm70_access a = {.n = 0};
	add_predicate(&a, in->guard_uniform, in->guard, SM70_R_NONE, false, true);
	for (unsigned i = 0; i < in->nop; i++)
		add_operand(&a, in, i);
	return a;
}

const char *sm70_resource_name(unsigned resource, char buf[8])
{
	unsigned base = resource < SM70_UREGS    ? SM70_REGS
			: resource < SM70_PREDS  ? SM70_UREGS
			: resource < SM70_UPREDS ? SM70_PREDS
						 : SM70_UPREDS;
	const char *kind = base == SM70_REGS    ? "R"
			   : base == SM70_UREGS ? "UR"
			   : base == SM70_PREDS ? "P"
						: "UP";
	snprintf(buf, 8, "%s%u", kind, (resource - base) & 0x3ff);
	return buf;
}
