/* Streams: creation, look-up by handle, and release when all work of a stream is done. */
#include "cuda/process/alloc.h"
#include "cuda/process/process.h"

struct CUstream_st *stream_new(unsigned flags, int priority)
{
	struct CUstream_st *s = rt_alloc(sizeof *s);
	s->flags = flags;
	s->priority = priority;
	s->sync_policy = cudaSyncPolicyAuto;
	pthread_mutex_lock(&process.lock);
	s->id = ++process.streams.last_id;
	s->next = process.streams.first;
	process.streams.first = s;
	pthread_mutex_unlock(&process.lock);
	return s;
}

static bool is_stream(const struct CUstream_st *s)
{
	const struct CUstream_st *k = process.streams.first;
	while (k && k != s)
		k = k->next;
	return k != NULL;
}

struct CUstream_st *stream_of(cudaStream_t s)
{
	if (s == cudaStreamPerThread || (!s && thread.own_stream_depth)) {
		if (!thread.stream)
			thread.stream = stream_new(0, 0);
		return thread.stream;
	}
	if (!s || s == cudaStreamLegacy)
		return &process.streams.legacy;
	pthread_mutex_lock(&process.lock);
	bool ok = is_stream(s);
	pthread_mutex_unlock(&process.lock);
	return ok ? s : NULL;
}

bool stream_captures(const struct CUgraph_st *g)
{
	for (const struct CUstream_st *s = process.streams.first; s; s = s->next)
		if (s->capture == g)
			return true;
	return false;
}

struct CUstream_st *stream_next(const struct CUstream_st *s)
{
	return s ? s->next : process.streams.first;
}

/* Frees a stream for the program; work that is under way continues. */
void stream_free(struct CUstream_st *t)
{
	own_remove(OWN_STREAM, HANDLE(t));
	pthread_mutex_lock(&process.lock);
	for (struct CUstream_st **p = &process.streams.first; *p; p = &(*p)->next)
		if (*p == t) {
			*p = t->next;
			break;
		}
	free(t->last);
	t->last = NULL;
	t->destroyed = true;
	if (!t->pending)
		free(t);
	pthread_mutex_unlock(&process.lock);
}
