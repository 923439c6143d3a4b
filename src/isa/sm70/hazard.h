/* Control bits that would let an instruction read or overwrite a register too early.
 *
 * Hardware since Volta has no scoreboard: a result of fixed latency is available after a known
 * number of cycles, and the stall counts between producer and consumer must add up to that number;
 * a result of varying latency is available when the counter that the producer holds is 0, and the
 * wait mask of the consumer, or of an instruction in between, must name that counter. The same
 * counters, or those for reads, protect the sources of an instruction of varying time from being
 * overwritten.
 *
 * The check is static: it follows every path of a function's code from each producer, with the
 * fewest cycles that its stall counts allow. It needs no run, takes both outcomes of every branch,
 * and is the same in all modes. Paths end at indirect branches, at returns, and at calls of other
 * sections. */
#ifndef ISA_SM70_HAZARD_H
#define ISA_SM70_HAZARD_H
#include "base/vec.h"
#include "isa/sm70/sm70.h"

enum sm70_hazard_kind {
	/* result of fixed latency: the stall counts in between are too small */
	SM70_HAZARD_STALL,
	/* result of varying latency: no instruction has waited for its counter */
	SM70_HAZARD_RESULT,
	SM70_HAZARD_NONE,   /* result of varying latency: the producer uses no counter */
	SM70_HAZARD_SOURCE, /* a source that may not have been read yet is overwritten */
	/* a source that may not have been read yet is overwritten, and its reader uses no counter */
	SM70_HAZARD_UNREAD,
	/* the wait is executed in a cycle in which the counter is not yet incremented */
	SM70_HAZARD_HASTE,
	SM70_HAZARD_GROUP, /* an accumulator of wgmma: no WARPGROUP.DEPBAR has waited for its group */
};

struct sm70_hazard {
	uint32_t first, second; /* indices of the two instructions */
	uint16_t resource;      /* access.h */
	uint8_t kind;           /* enum sm70_hazard_kind */
	/* cycles from the first to the second instruction, and the cycles needed;
	 * SM70_HAZARD_STALL, _HASTE */
	uint8_t have, need;
	/* number of the counter that the second instruction should wait for */
	uint8_t counter;
	bool writes; /* the second instruction overwrites the register */
};
struct sm70_hazards {
	VEC(struct sm70_hazard) v;
};

/* Finds the hazards in the code of a section for a chip (75, 80, ...), from the section's first
 * instruction on; at most one hazard per pair of instructions. */
void sm70_hazards_find(unsigned chip, const struct sm70_inst *in, size_t n,
		       struct sm70_hazards *out);
/* Writes the hazard and both instructions as several lines of text. base: address of in[0] in a
 * listing. */
void sm70_hazard_text(const struct sm70_hazard *h, const struct sm70_inst *in, char *buf, size_t n);

#endif
