/* Describes what the threads of a warp wait for: barriers, lanes of a .sync operation, mbarriers,
 * words that they poll. For launches that cannot continue, and for the debugger. */
#include "check/check.h"
#include "exec/cluster.h"
#include "exec/lanes.h"
#include "exec/tma/mbarrier.h"
#include "func/func.h"

/* Describes the mbarrier that a path polls: phase, missing arrivals and missing bytes. */
static void describe_mbarrier(FILE *f, const struct fwarp *fw, const struct uop *u,
			      const struct split *s)
{
	struct warp *w = &fw->ws->w;
	uint32_t at;
	uint64_t word;
	wstate_load_frame(fw->ws, &s->frame, (uint32_t)s->mask);
	uint64_t a = lane_addr(w, u, __builtin_ctz((uint32_t)s->mask));
	const struct cta *owner = shared_owner(w->cta, u, a, &at);
	if (!owner || at + sizeof word > owner->l->shared_bytes) {
		fprintf(f, "poll an mbarrier at 0x%llx in vain", (unsigned long long)a);
		return;
	}
	memcpy(&word, owner->shared + at, sizeof word);
	fprintf(f,
		"wait for the mbarrier at shared address 0x%x of block %llu, phase %u: %u of %u arrivals and %d bytes "
		"are missing",
		at, (unsigned long long)owner->index, mbw_phase(word), mbw_pending(word),
		mbw_expected(word), mbw_bytes(word));
}

static void describe_split(FILE *f, const struct launch *l, const struct fwarp *fw,
			   const struct split *s)
{
	char lanes[100], at[300];
	const struct inst *in = l->img->code[s->pc].in;
	bool at_mbarrier = inst_is(in, OF_MBARRIER);
	check_where(l->img, s->pc, at, sizeof at);
	fprintf(f, "  block %llu, warp %u, lanes %s: ", (unsigned long long)fw->ws->w.cta->index,
		fw->ws->w.id, check_lanes(lanes, sizeof lanes, (uint32_t)s->mask));
	if (s->state == SPLIT_BARRIER) {
		const struct barrier *bar = &fw->ws->w.cta->bar[s->bar];
		char which[40] = "the barrier of the cluster";
		if (s->bar != CLUSTER_BARRIER)
			snprintf(which, sizeof which, "barrier %u", s->bar);
		fprintf(f, "wait at %s, where %u of %u threads%s are, %s\n", which,
			bar->expected ? bar->counted : bar->arrived,
			bar->expected ? bar->expected : fw->ws->w.cta->live,
			s->bar == CLUSTER_BARRIER ? " of the block" : "", at);
	} else if (s->state == SPLIT_SYNC) {
		fprintf(f, "wait for lanes %s, %s\n",
			check_lanes(lanes, sizeof lanes, (uint32_t)(s->need & ~s->at)), at);
	} else if (at_mbarrier || (s->pc && uop_is(&l->img->code[s->pc - 1], OF_MBARRIER))) {
		describe_mbarrier(f, fw, &l->img->code[at_mbarrier ? s->pc : s->pc - 1], s);
		fprintf(f, ", %s\n", at);
	} else if (fw->waits_at != NO_PC) {
		fprintf(f, "poll 0x%llx in vain, %s\n", (unsigned long long)fw->waits_for, at);
	} else {
		fprintf(f, "poll in vain, %s\n", at);
	}
}

/* Lanes that belong to an entry itself: no entry above it contains them. */
void warp_describe_waits(FILE *f, const struct launch *l, const struct fwarp *fw, unsigned most,
			 unsigned *shown)
{
	lanemask above = 0;
	for (uint32_t k = fw->stack.n; k-- > 0;) {
		struct split s = fw->stack.path[k];
		s.mask &= ~above;
		above |= s.mask;
		if (s.mask && (*shown)++ < most)
			describe_split(f, l, fw, &s);
	}
}
