#include "isa/sm70/issue.h"

#include <stdio.h>
#include <string.h>

const struct sm70_class_info sm70_class_info[SM70_CLASSES] = {
#define CLASS(name_, pipe_, interval_, latency_, read_, text_)                                     \
	{.name = #name_,                                                                           \
	 .text = text_,                                                                            \
	 .pipe = SM70_PIPE_##pipe_,                                                                \
	 .interval = interval_,                                                                    \
	 .latency = latency_,                                                                      \
	 .read = read_},
#include "isa/sm70/issue.def"
#undef CLASS
};

static bool has(const struct sm70_inst *in, unsigned slot, unsigned word)
{
	return in->mod[slot] == word;
}

static bool is_mode(const struct sm70_inst *in, const char *word)
{
	for (unsigned m = SM70_MOD_MODE; m <= SM70_MOD_MODE4; m++)
		if (!strcmp(sm70_word_text(in->mod[m]), word))
			return true;
	return false;
}

/* ---- classes ---- */

static unsigned class_of_imad(const struct sm70_inst *in)
{
	if (in->mod[SM70_MOD_HI])
		return SM70_CLASS_imad_high;
	return in->mod[SM70_MOD_WIDE] ? SM70_CLASS_imad_wide : SM70_CLASS_imad;
}

static bool is_wide_type(unsigned word)
{
	return word == SM70_W_F64 || word == SM70_W_U64 || word == SM70_W_S64;
}

static unsigned class_of_conversion(const struct sm70_inst *in)
{
	bool wide = is_wide_type(in->mod[SM70_MOD_DT]) || is_wide_type(in->mod[SM70_MOD_ST]);
	return wide ? SM70_CLASS_xu_wide : SM70_CLASS_xu;
}

/* True for shapes whose depth is half of what a tensor core multiplies at once. */
static bool is_half_k(const struct sm70_inst *in)
{
	const char *shape = sm70_word_text(in->mod[SM70_MOD_SHAPE]);
	static const char *const half[] = {"1688", "8816", "16816", "1684"};
	bool eight_bits = in->op == SM70_IMMA;
	for (unsigned i = 0; i < sizeof half / sizeof *half; i++)
		if (!strcmp(shape, half[i]))
			return in->op == SM70_HMMA ? i == 0 || i == 3
						   : eight_bits && (i == 1 || i == 2);
	return false;
}

static unsigned class_of_mma(const struct sm70_inst *in)
{
	if (in->mod[SM70_MOD_SP])
		return SM70_CLASS_mma_sparse;
	return is_half_k(in) ? SM70_CLASS_mma_half : SM70_CLASS_mma_full;
}

static unsigned class_of(const struct sm70_inst *in)
{
	switch (in->op) {
	case SM70_NOP:
	case SM70_DEPBAR:
	case SM70_YIELD:
	case SM70_NANOSLEEP: return SM70_CLASS_nothing;
	case SM70_FFMA:
	case SM70_FMUL:
	case SM70_FADD: return SM70_CLASS_fma;
	case SM70_IMAD:
	case SM70_IDP: return class_of_imad(in);
	case SM70_HFMA2:
	case SM70_HADD2:
	case SM70_HMUL2: return SM70_CLASS_half;
	case SM70_DADD:
	case SM70_DFMA:
	case SM70_DMUL:
	case SM70_DSETP: return SM70_CLASS_fp64;
	case SM70_MUFU:
	case SM70_POPC:
	case SM70_FLO:
	case SM70_BREV:
	case SM70_FCHK: return SM70_CLASS_xu;
	case SM70_F2F:
	case SM70_F2I:
	case SM70_I2F:
	case SM70_FRND: return class_of_conversion(in);
	case SM70_UFLO:
	case SM70_UPOPC: return SM70_CLASS_xu;
	case SM70_R2UR:
	case SM70_VOTEU:
	case SM70_UP2UR:
	case SM70_UR2UP:
	case SM70_ELECT: return SM70_CLASS_to_uniform;
	case SM70_S2R:
	case SM70_S2UR: return SM70_CLASS_sreg;
	case SM70_B2R: return is_mode(in, "RESULT") ? SM70_CLASS_barrier_result : SM70_CLASS_sreg;
	case SM70_CS2R: return SM70_CLASS_clock;
	case SM70_BRA:
	case SM70_BRX:
	case SM70_BRXU:
	case SM70_JMP:
	case SM70_JMX:
	case SM70_JMXU:
	case SM70_BSSY:
	case SM70_BSYNC:
	case SM70_BREAK:
	case SM70_BMOV:
	case SM70_CALL:
	case SM70_RET:
	case SM70_EXIT:
	case SM70_BPT:
	case SM70_WARPSYNC:
	case SM70_RPCMOV: return SM70_CLASS_branch;
	case SM70_BAR:
	case SM70_MEMBAR:
	case SM70_ERRBAR:
	case SM70_CGAERRBAR:
	case SM70_CCTL:
	case SM70_CCTLL:
	case SM70_FENCE: return SM70_CLASS_barrier;
	case SM70_SHFL: return SM70_CLASS_shuffle;
	case SM70_REDUX:
	case SM70_CREDUX: return SM70_CLASS_redux;
	case SM70_MATCH: return SM70_CLASS_match;
	case SM70_LDS:
	case SM70_LDSM:
	case SM70_ATOMS:
	case SM70_MOVM: return SM70_CLASS_load_shared;
	case SM70_STS:
	case SM70_STSM:
	case SM70_ARRIVES: return SM70_CLASS_store_shared;
	case SM70_LD:
	case SM70_LDG:
	case SM70_LDL:
	case SM70_ATOM:
	case SM70_ATOMG:
	case SM70_TEX:
	case SM70_TLD: return SM70_CLASS_load;
	case SM70_ST:
	case SM70_STG:
	case SM70_STL:
	case SM70_RED:
	case SM70_REDG: return SM70_CLASS_store;
	case SM70_LDGSTS:
	case SM70_LDGDEPBAR: return SM70_CLASS_copy;
	case SM70_LDC: return SM70_CLASS_constant;
	case SM70_ULDC:
	case SM70_LDCU: return SM70_CLASS_uniform_constant;
	case SM70_HMMA:
	case SM70_IMMA:
	case SM70_BMMA: return class_of_mma(in);
	case SM70_DMMA: return SM70_CLASS_mma_f64;
	case SM70_HGMMA:
	case SM70_QGMMA:
	case SM70_IGMMA:
	case SM70_BGMMA: return SM70_CLASS_group_product;
	case SM70_WARPGROUP: return SM70_CLASS_nothing;
	case SM70_SYNCS:
		return is_mode(in, "PHASECHK") ? SM70_CLASS_phase_check : SM70_CLASS_mbarrier;
	case SM70_UBLKCP:
	case SM70_UBLKRED:
	case SM70_UBLKPF:
	case SM70_UTMALDG:
	case SM70_UTMASTG:
	case SM70_UTMAREDG:
	case SM70_UTMAPF:
	case SM70_UTMACMDFLUSH: return SM70_CLASS_copy_engine;
	default: break;
	}
	return sm70_op_name(in->op)[0] == 'U' ? SM70_CLASS_uniform : SM70_CLASS_alu;
}

/* ---- registers ---- */

static unsigned words_of_size(const struct sm70_inst *in)
{
	if (has(in, SM70_MOD_SIZE, SM70_W__128))
		return 4;
	return has(in, SM70_MOD_SIZE, SM70_W__64) ? 2 : 1;
}

/* Number of consecutive registers of a slot's operand. */
static unsigned width_of(const struct sm70_inst *in, unsigned slot)
{
	switch (class_of(in)) {
	case SM70_CLASS_fp64: return 2;
	case SM70_CLASS_imad_wide: return slot == 2 ? 2 : 1;
	case SM70_CLASS_mma_full:
	case SM70_CLASS_mma_sparse: return slot == 0 ? 4 : slot == 1 ? 2 : 4;
	case SM70_CLASS_mma_half: return slot == 0 ? 2 : slot == 1 ? 1 : 4;
	case SM70_CLASS_mma_f64: return slot == 2 ? 4 : 2;
	case SM70_CLASS_store:
	case SM70_CLASS_store_shared: return words_of_size(in);
	default: return 1;
	}
}

static void note_register(struct sm70_issue *i, unsigned slot, unsigned reg, unsigned n)
{
	if (reg == SM70_RZ || reg == SM70_NOREG)
		return;
	i->reg[slot] = (uint8_t)reg;
	i->registers[slot] = (uint8_t)n;
}

static void note_operand(struct sm70_issue *i, const struct sm70_inst *in,
			 const struct sm70_operand *o)
{
	unsigned slot = o->role == SM70_R_B ? 1 : o->role == SM70_R_C ? 2 : 0;
	bool source = o->role == SM70_R_A || o->role == SM70_R_B || o->role == SM70_R_C ||
		      o->role == SM70_R_M;
	if (o->kind == SM70_K_CONST && source && i->class != SM70_CLASS_constant) {
		i->constant = true;
		i->const_bank = (uint8_t)o->bank;
		i->const_off = (uint32_t)o->off;
	}
	if (o->kind == SM70_K_GPR && source)
		note_register(i, slot, o->reg, width_of(in, slot));
	else if (o->kind == SM70_K_MEM && source)
		note_register(i, 0, o->reg, o->scale == SM70_W__64 || in->mod[SM70_MOD_E] ? 2 : 1);
}

/* ---- asynchronous operations ---- */

static void note_product(struct sm70_issue *i, const struct sm70_inst *in)
{
	unsigned rows, columns, depth;
	if (sscanf(sm70_word_text(in->mod[SM70_MOD_SHAPE]), "%ux%ux%u", &rows, &columns, &depth) ==
	    3)
		i->columns = (uint16_t)columns;
	for (unsigned k = 0; k < in->nop; k++) {
		const struct sm70_operand *o = &in->o[k];
		i->a_in_registers |= o->role == SM70_R_A && o->kind == SM70_K_GPR;
		i->ends_group |= o->kind == SM70_K_WORD && o->part == SM70_W_gsb0;
	}
}

static void note_groups_left(struct sm70_issue *i, const struct sm70_inst *in)
{
	for (unsigned k = 0; k < in->nop; k++)
		if (in->o[k].kind == SM70_K_IMM)
			i->groups_left = (uint8_t)in->o[k].imm;
}

static void note_asynchronous(struct sm70_issue *i, const struct sm70_inst *in)
{
	switch (in->op) {
	case SM70_HGMMA:
	case SM70_QGMMA:
	case SM70_IGMMA:
	case SM70_BGMMA:
		i->asynchronous = SM70_PRODUCT;
		note_product(i, in);
		break;
	case SM70_WARPGROUP:
		if (is_mode(in, "ARRIVE"))
			break;
		i->asynchronous = SM70_GROUPS_WAIT;
		note_groups_left(i, in);
		break;
	case SM70_LDGSTS:
		i->asynchronous = SM70_LANE_COPY;
		i->past = in->mod[SM70_MOD_BYPASS] != SM70_W_NONE;
		break;
	case SM70_LDGDEPBAR: i->asynchronous = SM70_COPIES_WAIT; break;
	case SM70_ARRIVES: i->asynchronous = SM70_COPIES_ARRIVE; break;
	case SM70_UTMACMDFLUSH: i->asynchronous = SM70_STORES_WAIT; break;
	case SM70_SYNCS:
		if (is_mode(in, "PHASECHK"))
			i->asynchronous = SM70_PHASE_WAIT;
		break;
	default:
		if (i->class == SM70_CLASS_copy_engine)
			i->asynchronous = SM70_COPY;
	}
}

/* ---- fences, counters ---- */

static unsigned fence_of(const struct sm70_inst *in)
{
	if (in->op != SM70_MEMBAR)
		return SM70_FENCE_NONE;
	switch (in->mod[SM70_MOD_SCOPE]) {
	case SM70_W_SYS: return SM70_FENCE_SYSTEM;
	case SM70_W_GPU:
	case SM70_W_VC: return SM70_FENCE_GPU;
	default: return SM70_FENCE_BLOCK;
	}
}

static void note_depbar(struct sm70_issue *i, const struct sm70_inst *in)
{
	i->depbar_counter = SM70_NO_COUNTER;
	if (in->op != SM70_DEPBAR)
		return;
	for (unsigned k = 0; k < in->nop; k++) {
		const struct sm70_operand *o = &in->o[k];
		if (o->kind == SM70_K_SB)
			i->depbar_counter = o->reg;
		else if (o->kind == SM70_K_IMM)
			i->depbar_most = (uint8_t)o->imm;
		else if (o->kind == SM70_K_SBSET)
			i->control.wait |= (uint8_t)o->imm;
	}
}

static void note_sleep(struct sm70_issue *i, const struct sm70_inst *in)
{
	i->sleeps = in->op == SM70_NANOSLEEP;
	for (unsigned k = 0; k < in->nop && i->sleeps; k++)
		if (in->o[k].kind == SM70_K_IMM)
			i->sleep_ns = (uint32_t)in->o[k].imm;
}

unsigned sm70_bank_reads(const struct sm70_issue *i, unsigned slots)
{
	enum { BANKS = 2 };
	unsigned reads[BANKS] = {0};
	for (unsigned s = 0; s < SM70_SLOTS; s++) {
		uint8_t reg = i->reg[s];
		bool skip = reg == SM70_RZ || !(slots >> s & 1);
		for (unsigned k = 0; k < s; k++)
			skip |= i->reg[k] == reg;
		for (unsigned r = 0; r < i->registers[s] && !skip; r++)
			reads[(reg + r) % BANKS]++;
	}
	return reads[0] > reads[1] ? reads[0] : reads[1];
}

struct sm70_issue sm70_issue_of(const struct sm70_inst *in)
{
	struct sm70_issue i = {.control = in->control,
			       .class = (uint8_t)class_of(in),
			       .reg = {SM70_RZ, SM70_RZ, SM70_RZ}};
	for (unsigned k = 0; k < in->nop; k++)
		note_operand(&i, in, &in->o[k]);
	i.fence = (uint8_t)fence_of(in);
	note_asynchronous(&i, in);
	i.compares = i.class == SM70_CLASS_mbarrier ||
		     (in->op == SM70_ATOMS && has(in, SM70_MOD_AOP, SM70_W_CAS));
	i.spins = in->op == SM70_ATOMS && has(in, SM70_MOD_AOP, SM70_W_CAST_SPIN);
	i.empties = in->op == SM70_CCTL && is_mode(in, "IVALL");
	i.branches = i.class == SM70_CLASS_branch;
	i.counts = in->op == SM70_ATOMS && is_mode(in, "POPC.INC");
	note_depbar(&i, in);
	note_sleep(&i, in);
	i.matrix = in->op == SM70_LDSM;
	i.reads = (uint8_t)sm70_bank_reads(&i, SM70_ALL_SLOTS);
	return i;
}
