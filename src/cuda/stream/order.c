/* Order of work: decides which entry of the list must wait for which other entry. */
#include "cuda/stream/queue.h"

bool queued_waits(const struct queued *e, const struct queued *older)
{
	if (e->stream == older->stream)
		return true;
	if (e->stream == &process.streams.legacy && stream_blocks(older->stream))
		return true;
	if (older->stream == &process.streams.legacy && stream_blocks(e->stream))
		return true;
	if (e->w.kind == WORK_GRAPH && older->w.kind == WORK_GRAPH && e->w.graph == older->w.graph)
		return true; /* a graph runs only one instance at a time */
	return e->w.kind == WORK_WAIT && e->w.event.seq == older->seq;
}

bool queued_is_host(const struct queued *e)
{
	return e->w.kind == WORK_HOST || e->w.kind == WORK_CALLBACK;
}
