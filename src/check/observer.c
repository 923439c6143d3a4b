#include "check/check.h"
#include "exec/observer.h"

static void note_mbarrier(struct warp *w, const struct uop *u, unsigned lane, uint64_t a,
			  uint32_t at, enum mb_event e)
{
	if (e == MB_COPIES_TOLD)
		copies_tell(w, u, lane, at);
	else
		check_mbarrier(w, lane, a, e);
	if (e == MB_ENDS)
		copies_phase(w, at);
	else if (e == MB_FOUND_END)
		copies_found(w, lane, at);
}

static void read_by_proxy(struct warp *w, const struct uop *u, unsigned lane, uint32_t at,
			  uint32_t n)
{
	if (!w->cta->l->check_race)
		return;
	if (w->cta->check->copies.v.n && uop_is(u, OF_PRODUCT))
		copies_at(w, u, lane, at, n, false);
	proxies_read(w, u, lane, at, n);
}

const struct observer check_observer = {
	.local = frames_access,
	.access = shadow_access,
	.mbarrier_used = mbarriers_use,
	.mbarrier = note_mbarrier,
	.bulk_copy = copies_bulk,
	.async_read = read_by_proxy,
	.async_written = proxies_written,
};
