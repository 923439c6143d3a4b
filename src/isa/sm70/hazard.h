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
	SM70_HAZARD_STALL,  /* a result of fixed time: the stall counts between are too few */
	SM70_HAZARD_RESULT, /* a result of varying time: nothing has waited for its counter */
	SM70_HAZARD_NONE,   /* a result of varying time: its producer holds no counter */
	SM70_HAZARD_SOURCE, /* a source that may not have been read yet is overwritten */
	SM70_HAZARD_UNREAD, /* likewise, and its reader holds no counter */
	SM70_HAZARD_HASTE,  /* the wait is in a cycle in which the counter is not held yet */
	SM70_HAZARD_GROUP, /* an accumulator of wgmma: no WARPGROUP.DEPBAR has waited for its group */
};

struct sm70_hazard {
	uint32_t first, second; /* indices of the two instructions */
	uint16_t resource;      /* access.h */
	uint8_t kind;           /* enum sm70_hazard_kind */
	uint8_t have, need;     /* cycles from the first to the second; SM70_HAZARD_STALL, _HASTE */
	uint8_t counter;        /* that should be waited for */
	bool writes;            /* the second overwrites the register */
};
struct sm70_hazards {
	VEC(struct sm70_hazard) v;
};

/* The code of a section for a chip (75, 80, ...), from its first instruction on; at most one hazard per pair of
 * instructions. */
void sm70_hazards_find(unsigned chip, const struct sm70_inst *in, size_t n,
		       struct sm70_hazards *out);
/* Writes the finding and both instructions as several lines of text. base: address of in[0] in a
 * listing. */
void sm70_hazard_text(const struct sm70_hazard *h, const struct sm70_inst *in, char *buf, size_t n);

#endif
