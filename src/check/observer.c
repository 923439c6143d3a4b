#include <stdio.h>
#include "check/check.h"
#include "exec/observer.h"

static void note_mbarrier(struct warp *w, const struct uop *u, unsigned lane, struct cta *owner,
			  uint32_t at, enum mb_event e)
{
	if (e == MB_COPIES_TOLD)
		copies_tell(w, u, lane, at);
	else
		check_mbarrier(w, lane, owner, at, e);
	if (e == MB_ENDS)
		copies_phase(owner, at);
	else if (e == MB_FOUND_END)
		copies_found(w, lane, at);
}

static void read_by_proxy(struct warp *w, const struct uop *u, unsigned lane, uint32_t at,
			  uint32_t n)
{
	if (!w->cta->l->check_race)
		return;
	if (uop_is(u, OF_PRODUCT)) {
		shadow_shared(w, u, lane, w->cta, at, n, ACC_READ);
		products_read(w, at, n);
	}
	proxies_read(w, u, lane, at, n);
}

static void tell_end(const struct cta *b, char *text, size_t n)
{
	char place[PLACE_TEXT];
	if (b->check->ended_at == NO_PC)
		return;
	check_where(b->l->img, b->check->ended_at, place, sizeof place);
	snprintf(text, n, ", the last at %s", place);
}

const struct observer check_observer = {
	.shared = shadow_shared,
	.bulk_store = copies_store,
	.ended = tell_end,
	.local = frames_access,
	.access = shadow_access,
	.mbarrier_used = mbarriers_use,
	.mbarrier = note_mbarrier,
	.bulk_copy = copies_bulk,
	.async_read = read_by_proxy,
	.async_written = proxies_written,
};
