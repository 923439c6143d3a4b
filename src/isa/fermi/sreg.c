/* Completes decoded Fermi operands: register widths that depend on modifiers, and the names of
 * special registers. */
#include "isa/fermi/fermi.h"

static unsigned size_words(unsigned size) { return size == 5 ? 2 : size == 6 ? 4 : 1; }

/* Sets register widths that depend on modifiers: conversions, loads and stores, atomics. */
void fermi_finish(struct ninst *in)
{
	unsigned ld, ldu, n = 1;
	if (in->size == 4) { /* 4-byte form: the width is the operands', the code of memory accesses
	                      * is the long form's */
		in->mod[NM_SIZE] =
			in->o[0].width == 2 || (in->nop > 1 && in->o[1].width == 2) ? 5 : 4;
		return;
	}
	switch (in->op) {
	case NI_F2F:
	case NI_F2I:
	case NI_I2F:
	case NI_I2I:
		in->o[0].width = (in->mod[NM_DT] & 3) == 3 ? 2 : 1;
		in->o[1].width = (in->mod[NM_ST] & 3) == 3 ? 2 : 1;
		return;
	case NI_LD_LDU:
	case NI_LDS_LDU:
		fermi_ldldu_sizes(in->mod[NM_SIZE], &ld, &ldu);
		in->o[0].width = (uint8_t)size_words(ld);
		in->o[1].width = (uint8_t)size_words(ldu);
		return;
	case NI_ATOM:
	case NI_RED: n = in->mod[NM_DT] == 5 ? 2 : 1; break;
	case NI_LD:
	case NI_LDU:
	case NI_ST:
	case NI_LDL:
	case NI_LDS:
	case NI_STL:
	case NI_STS:
	case NI_LDLK:
	case NI_LDSLK:
	case NI_STUL:
	case NI_STSUL:
	case NI_LDC:
	case NI_SULD:
	case NI_SUST: n = size_words(in->mod[NM_SIZE]); break;
	case NI_SULEA: in->o[0].width = 2; return;
	}
	if (n > 1)
		for (unsigned i = 0; i < in->nop; i++)
			if (in->o[i].kind == NO_GPR)
				in->o[i].width = (uint8_t)n;
}

static const struct {
	uint8_t n;
	const char *c4, *c5;
} sregs[] = {
	{0, "SR_LaneId", "SR_LANEID"},
	{1, "SR_CLOCK", "SR_CLOCK"},
	{2, "SR_VirtCfg", "SR_VIRTCFG"},
	{3, "SR_VirtId", "SR_VIRTID"},
	{4, "SR_PM0", "SR_PM0"},
	{5, "SR_PM1", "SR_PM1"},
	{6, "SR_PM2", "SR_PM2"},
	{7, "SR_PM3", "SR_PM3"},
	{8, "SR_PM4", "SR_PM4"},
	{9, "SR_PM5", "SR_PM5"},
	{10, "SR_PM6", "SR_PM6"},
	{11, "SR_PM7", "SR_PM7"},
	{16, "SR_PRIM_TYPE", "SR_PRIM_TYPE"},
	{17, "SR_INVOCATION_ID", "SR_INVOCATION_ID"},
	{18, "SR_Y_DIRECTION", "SR_Y_DIRECTION"},
	{19, "SR_THREAD_KILL", "SR_THREAD_KILL"},
	{20, "SR_SHADER_TYPE", "SR_SHADER_TYPE"},
	{24, "SR_MACHINE_ID_0", "SR_MACHINE_ID_0"},
	{25, "SR_MACHINE_ID_1", "SR_MACHINE_ID_1"},
	{26, "SR_MACHINE_ID_2", "SR_MACHINE_ID_2"},
	{27, "SR_MACHINE_ID_3", "SR_MACHINE_ID_3"},
	{28, "SR_AFFINITY", "SR_AFFINITY"},
	{32, "SR_Tid", "SR_TID"},
	{33, "SR_Tid_X", "SR_TID.X"},
	{34, "SR_Tid_Y", "SR_TID.Y"},
	{35, "SR_Tid_Z", "SR_TID.Z"},
	{36, "SR_CTAParam", "SR_CTAPARAM"},
	{37, "SR_CTAid_X", "SR_CTAID.X"},
	{38, "SR_CTAid_Y", "SR_CTAID.Y"},
	{39, "SR_CTAid_Z", "SR_CTAID.Z"},
	{40, "SR_NTid", "SR_NTID"},
	{41, "SR_NTid_X", "SR_NTID.X"},
	{42, "SR_NTid_Y", "SR_NTID.Y"},
	{43, "SR_NTid_Z", "SR_NTID.Z"},
	{44, "SR_GridParam", "SR_GRIDPARAM"},
	{45, "SR_NCTAid_X", "SR_NCTAID.X"},
	{46, "SR_NCTAid_Y", "SR_NCTAID.Y"},
	{47, "SR_NCTAid_Z", "SR_NCTAID.Z"},
	{48, "SR_SWinLo", "SR_SWINLO"},
	{49, "SR_SWINSZ", "SR_SWINSZ"},
	{50, "SR_SMemSz", "SR_SMEMSZ"},
	{51, "SR_SMemBanks", "SR_SMEMBANKS"},
	{52, "SR_LWinLo", "SR_LWINLO"},
	{53, "SR_LWINSZ", "SR_LWINSZ"},
	{54, "SR_LMemLoSz", "SR_LMEMLOSZ"},
	{55, "SR_LMemHiOff", "SR_LMEMHIOFF"},
	{56, "SR_EqMask", "SR_EQMASK"},
	{57, "SR_LtMask", "SR_LTMASK"},
	{58, "SR_LeMask", "SR_LEMASK"},
	{59, "SR_GtMask", "SR_GTMASK"},
	{60, "SR_GeMask", "SR_GEMASK"},
	{64, "SR_GLOBALERRORSTATUS", "SR_GLOBALERRORSTATUS"},
	{66, "SR_WARPERRORSTATUS", "SR_WARPERRORSTATUS"},
	{67, "SR_WARPERRORSTATUSCLEAR", "SR_WARPERRORSTATUSCLEAR"},
	{80, "SR_ClockLo", "SR_CLOCKLO"},
	{81, "SR_ClockHi", "SR_CLOCKHI"},
};

const char *fermi_sreg(unsigned n, enum native_style st)
{
	for (unsigned i = 0; i < sizeof(sregs) / sizeof(*sregs); i++)
		if (sregs[i].n == n)
			return st == NSTYLE_CUDA5 ? sregs[i].c5 : sregs[i].c4;
	return NULL;
}
