/* Fermi operand kinds and the functions behind its table. */
#ifndef ISA_FERMI_FERMI_H
#define ISA_FERMI_FERMI_H
#include "isa/table.h"

/* clang-format off */
enum fermi_kind {
	FK_NONE,
	FK_REG,      /* register at lo */
	FK_SRC2,     /* register, constant or 20-bit immediate, by bits 46-47 */
	FK_SRC2SEL,  /* as FK_SRC2, with a byte or half selector in bits 55-56 */
	FK_SRC2F,    /* as FK_SRC2, as source of a float conversion */
	FK_B3, FK_C3,/* second and third source of three: mode 2 swaps the fields */
	FK_ECHO,     /* the destination once more, as accumulator */
	FK_IMM,      /* w bits at lo */
	FK_PRED,     /* predicate at lo; sz: bit of its top bit */
	FK_SREG, FK_PR, FK_CC, FK_CCT,
	FK_BARREG,   /* register or, when bit sz is set, immediate */
	FK_MEM, FK_MEMATOM, FK_MEMCCTL, FK_MEMLD, FK_MEMLDU,
	FK_LDC,
	FK_TARGET, FK_ABSTARGET, FK_CTARGET, FK_CTARGETX,
	FK_VA, FK_VB, FK_VBS, FK_VSEL2, FK_VMASK,
	FK_WORD, FK_SURF, FK_SUADDR,
	/* 4-byte forms */
	FK_SS2, FK_SIMM, FK_SMEM, FK_STARGET, FK_SLDC,
};
/* clang-format on */

enum { RZ = 63 };

bool fermi_get_memory(const struct nopf *f, uint64_t w, const struct ninst *in, struct nop *o);
bool fermi_put_memory(const struct nopf *f, const struct nop *o, uint64_t *w,
		      const struct ninst *in);
bool fermi_get(const struct nopf *f, uint64_t w, const struct ninst *in, struct nop *o);
bool fermi_put(const struct nopf *f, const struct nop *o, uint64_t *w, const struct ninst *in);
void fermi_finish(struct ninst *in);
const char *fermi_sreg(unsigned n, enum native_style st);
/* LD_LDU: log2 of the two access sizes, and the NM_SIZE codes of both. */
void fermi_ldldu_sizes(unsigned code, unsigned *ld, unsigned *ldu);
#endif
