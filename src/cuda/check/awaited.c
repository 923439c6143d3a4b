/* --check race: chooses the work that a wait of the program concerns. All other work is deferred,
 * so that the program's next actions happen concurrently with it, as they may on a GPU.
 * awaited_first() is the entry point. */
#include <string.h>
#include "cuda/process/alloc.h"
#include "cuda/stream/queue.h"

enum { HELD = 256 }; /* most deferred entries: each is compared with all later work */

static bool is_waited_for(const struct queued *e, const struct awaited *a)
{
	if (a->event)
		return e->w.kind == WORK_RECORD && e->seq == a->event->seq;
	return e->stream == a->stream ||
	       (a->stream == &process.streams.legacy && stream_blocks(e->stream));
}

/* True for work that may itself wait for work of other streams: a kernel that polls memory, a host
 * function, a wait for a value. */
static bool may_wait_for_others(const struct queued *e)
{
	switch (e->w.kind) {
	case WORK_KERNEL: return e->w.kernel.k->info.communicates;
	case WORK_COPY:
	case WORK_FILL:
	case WORK_ALLOC:
	case WORK_FREE:
	case WORK_RECORD:
	case WORK_WAIT:
	case WORK_EMPTY: return false;
	default: return true;
	}
}

/* True for work whose end the host can observe without a call; the end of older work follows from
 * it. */
static bool tells_host(const struct queued *e)
{
	return e->w.kind == WORK_HOST || e->w.kind == WORK_CALLBACK ||
	       e->w.kind == WORK_WRITE_VALUE || e->w.kind == WORK_WAIT_VALUE;
}

/* Marks all entries that the awaited work itself waits for, from the last entry to the first. */
static void mark_awaited(struct queued *const *at, size_t n, const struct awaited *a, bool *is)
{
	for (size_t i = n; i-- > 0;) {
		is[i] = is_waited_for(at[i], a);
		for (size_t k = i + 1; k < n && !is[i]; k++)
			is[i] = is[k] && queued_waits(at[k], at[i]);
	}
}

size_t awaited_first(struct queued **at, size_t n, const struct awaited *a)
{
	if (!a || !n)
		return n;
	bool *is = rt_alloc(n), all = false;
	struct queued **held = rt_alloc(n * sizeof *held);
	size_t nheld = 0, first = 0;
	mark_awaited(at, n, a, is);
	for (size_t i = 0; i < n; i++) {
		nheld += !is[i];
		all |= is[i] ? may_wait_for_others(at[i]) : tells_host(at[i]);
	}
	all |= nheld > HELD;
	nheld = 0;
	for (size_t i = 0; i < n; i++)
		if (is[i] || all)
			at[first++] = at[i];
		else
			held[nheld++] = at[i];
	memcpy(at + first, held, nheld * sizeof *held);
	free(held);
	free(is);
	return first;
}
