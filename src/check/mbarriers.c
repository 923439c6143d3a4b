/* --check race: mbarriers are objects. One begins with mbarrier.init and ends with mbarrier.inval;
 * in between only mbarrier operations may touch its bytes. A store there is recorded, and reported
 * when the mbarrier is used again: memory that is reused for something else afterwards is no
 * error. */
#include <stdio.h>
#include "check/check.h"

static struct mb_object *find_object(struct block_check *c, uint32_t at)
{
	for (size_t i = 0; i < c->mbarriers.n; i++)
		if (c->mbarriers.v[i].at == at)
			return &c->mbarriers.v[i];
	return NULL;
}

static void report_overwrite(struct warp *w, const struct uop *u, unsigned lane,
			     const struct cta *owner, uint32_t at, const struct mb_object *o)
{
	const struct image *img = w->cta->l->img;
	char place[PLACE_TEXT], whose[PLACE_TEXT], who[100], of[100];
	struct report *r = check_report(w, u, lane, HEDDLE_FAULT_BARRIER, at, 8, o ? o->pc : NO_PC,
					"mbarrier");
	if (!r)
		return;
	check_whose(whose, sizeof whose, w, true, at);
	check_block(of, sizeof of, w, owner);
	if (!o) {
		report_text(r, "%s at shared address 0x%x%s%s, where no mbarrier is initialised",
			    u->in->text ? u->in->text : "mbarrier", at, of, whose);
		return;
	}
	check_where(img, o->pc, place, sizeof place);
	r->other_block = o->block;
	r->other_thread = o->thread;
	report_text(
		r, "mbarrier at shared address 0x%x%s%s: overwritten at %s by %s, used here", at,
		of, whose, place,
		check_who(who, sizeof who, w->cta->l->grid, w->cta->l->block, o->thread, o->block));
}

void mbarriers_use(struct warp *w, const struct uop *u, unsigned lane, struct cta *owner,
		   uint32_t at)
{
	struct block_check *c = owner->check;
	struct mb_object *o = find_object(c, at);
	unsigned mode = uop_is(u, OF_MBARRIER) ? u->in->mbarrier : MB_COMPLETE_TX;
	bool begins = mode == MB_INIT || mode == MB_EXCHANGE;
	if (begins && !o)
		vec_push(&c->mbarriers, (struct mb_object){.at = at});
	else if (begins)
		o->lost = false;
	else if (mode == MB_INVAL && o)
		*o = c->mbarriers.v[--c->mbarriers.n];
	else if (!o || o->lost)
		report_overwrite(w, u, lane, owner, at, o);
}

void mbarriers_look(struct warp *w, const struct uop *u, uint32_t n)
{
	struct block_check *c = w->cta->check;
	unsigned space = u->aux & AUX_SPACE;
	uint64_t base = space == SP_GENERIC ? SHARED_BASE : 0;
	for (uint32_t m = space == SP_SHARED || space == SP_GENERIC ? w->mask : 0; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint64_t a = lane_addr(w, u, (int)lane) - base;
		for (size_t i = 0; i < c->mbarriers.n; i++) {
			struct mb_object *o = &c->mbarriers.v[i];
			if (a < o->at + 8ull && a + n > o->at && !o->lost)
				*o = (struct mb_object){.at = o->at,
							.pc = w->pc,
							.thread = check_first(w->cta->l, w->id) +
								  lane,
							.block = w->cta->index,
							.lost = true};
		}
	}
}
