#include "isa/sm70/hazard_fact.h"

#include <string.h>
#include "isa/sm70/issue.h"

bool fact_says(const struct sm70_inst *in, unsigned slot, const char *word)
{
	return in->mod[slot] && !strcmp(sm70_word_text(in->mod[slot]), word);
}

static bool is_half_of_tensor(const struct sm70_inst *in)
{
	for (unsigned i = 0; i < SM70_MOD_COUNT; i++)
		if (in->mod[i] && !strcmp(sm70_word_text(in->mod[i]), "MMA"))
			return true;
	return false;
}

/* True for shapes of eight rows, which take half the time. */
static bool is_small(const struct sm70_inst *in)
{
	return fact_says(in, SM70_MOD_SHAPE, "8816") || fact_says(in, SM70_MOD_SHAPE, "88128") ||
	       fact_says(in, SM70_MOD_SHAPE, "8832");
}

static unsigned group_of(const struct sm70_inst *in, unsigned class)
{
	switch (in->op) {
	case SM70_VIADD:
	case SM70_HADD2:
	case SM70_HMUL2: return G_FMA;
	case SM70_HFMA2: return is_half_of_tensor(in) ? G_HALF : G_FMA;
	case SM70_UMOV:
	case SM70_ULDC:
	case SM70_VOTEU:
	case SM70_ELECT: return G_UNIFORM_EARLY;
	case SM70_UFLO:
	case SM70_UPOPC:
	case SM70_UBREV: return G_UNIFORM;
	case SM70_R2UR: return G_TO_UNIFORM;
	case SM70_DMMA:
	case SM70_MOVM:
	case SM70_S2R:
	case SM70_S2UR:
	case SM70_B2R:
	case SM70_QSPC:
	case SM70_SYNCS:
	case SM70_LDGMC:
	case SM70_TEX:
	case SM70_TLD:
	case SM70_TLD4:
	case SM70_TXD:
	case SM70_TXQ:
	case SM70_SULD:
	case SM70_SUST:
	case SM70_SURED:
	case SM70_STAS:
	case SM70_REDAS:
	case SM70_UBLKCP:
	case SM70_UBLKRED:
	case SM70_UBLKPF:
	case SM70_UTMALDG:
	case SM70_UTMASTG:
	case SM70_UTMAREDG:
	case SM70_UTMAPF:
	case SM70_UTMACCTL:
	case SM70_USETMAXREG: return G_VARYING;
	case SM70_HGMMA:
	case SM70_QGMMA:
	case SM70_IGMMA:
	case SM70_BGMMA: return G_LATER;
	default: break;
	}
	switch (class) {
	case SM70_CLASS_alu: return G_ALU;
	case SM70_CLASS_fma:
	case SM70_CLASS_imad: return G_FMA;
	case SM70_CLASS_imad_wide: return G_WIDE;
	case SM70_CLASS_imad_high: return G_HIGH;
	case SM70_CLASS_fp64: return G_FP64;
	case SM70_CLASS_clock: return G_CLOCK;
	case SM70_CLASS_mma_half: return is_small(in) ? G_MMA_SMALL : G_MMA_HALF;
	case SM70_CLASS_mma_full: return is_small(in) ? G_MMA_SMALL : G_MMA_FULL;
	case SM70_CLASS_mma_sparse: return G_MMA_SPARSE;
	case SM70_CLASS_uniform:
	case SM70_CLASS_to_uniform: return G_UNIFORM;
	case SM70_CLASS_nothing:
	case SM70_CLASS_branch:
	case SM70_CLASS_barrier: return G_NOTHING;
	default: return G_VARYING;
	}
}

static unsigned consumer_of(const struct sm70_inst *in, unsigned class, unsigned group)
{
	switch (in->op) { /* these read their sources a cycle later than other memory accesses */
	case SM70_TEX:
	case SM70_LDC:
	case SM70_SYNCS:
	case SM70_R2UR: return BY_XU;
	case SM70_HMMA: /* a step of m8n8k4 reads its sum a cycle earlier than other products */
		if (fact_says(in, SM70_MOD_SHAPE, "884"))
			return BY_FP64;
		break;
	default: break;
	}
	switch (group) {
	case G_ALU: return BY_ALU;
	case G_FMA:
	case G_WIDE:
	case G_HIGH: return BY_FMA;
	case G_HALF: return BY_HALF;
	case G_FP64: return BY_FP64;
	case G_MMA_SMALL:
	case G_MMA_HALF:
	case G_MMA_FULL:
	case G_MMA_SPARSE:
	case G_LATER: return BY_TENSOR;
	case G_UNIFORM:
	case G_UNIFORM_EARLY:
	case G_TO_UNIFORM: return BY_UNIFORM;
	default: break;
	}
	switch (class) {
	case SM70_CLASS_xu:
	case SM70_CLASS_xu_wide:
	case SM70_CLASS_redux:
	case SM70_CLASS_match: return BY_XU;
	case SM70_CLASS_branch: return BY_CONTROL;
	default: return BY_MEMORY;
	}
}

static unsigned family_of(const struct sm70_inst *in, unsigned class)
{
	if (in->op == SM70_QSPC)
		return 4;
	switch (class) {
	case SM70_CLASS_xu:
	case SM70_CLASS_xu_wide: return 1;
	case SM70_CLASS_shuffle:
	case SM70_CLASS_load_shared:
	case SM70_CLASS_store_shared: return 2;
	case SM70_CLASS_constant: return 3;
	case SM70_CLASS_redux: return 5;
	default: return 0;
	}
}

static unsigned queue_of(unsigned class, unsigned group)
{
	if (class == SM70_CLASS_xu || class == SM70_CLASS_xu_wide)
		return 1;
	return group == G_VARYING ? 2 : 0;
}

struct fact fact_of(const struct sm70_inst *in)
{
	struct fact f = {.access = sm70_access_of(in), .class = sm70_issue_of(in).class};
	f.group = (uint8_t)group_of(in, f.class);
	f.by = (uint8_t)consumer_of(in, f.class, f.group);
	f.family = (uint8_t)family_of(in, f.class);
	f.queue = (uint8_t)queue_of(f.class, f.group);
	return f;
}
