/* Streams. */
#include "cuda/graph/graph.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"
#include "cuda/rt.h"

_Thread_local int rt_own_stream;
struct CUstream_st stream_legacy = {.id = 1};
static struct CUstream_st *streams;
static uint64_t last_id = 2;
static _Thread_local struct CUstream_st *own;

struct CUstream_st *stream_new(unsigned flags, int priority)
{
	struct CUstream_st *s = rt_alloc(sizeof *s);
	s->flags = flags;
	s->priority = priority;
	s->sync_policy = cudaSyncPolicyAuto;
	pthread_mutex_lock(&rt.lock);
	s->id = ++last_id;
	s->next = streams;
	streams = s;
	pthread_mutex_unlock(&rt.lock);
	return s;
}

static bool known(const struct CUstream_st *s)
{
	const struct CUstream_st *k = streams;
	while (k && k != s)
		k = k->next;
	return k != NULL;
}

struct CUstream_st *stream_of(cudaStream_t s)
{
	if (s == cudaStreamPerThread || (!s && rt_own_stream)) {
		if (!own)
			own = stream_new(0, 0);
		return own;
	}
	if (!s || s == cudaStreamLegacy)
		return &stream_legacy;
	pthread_mutex_lock(&rt.lock);
	bool ok = known(s);
	pthread_mutex_unlock(&rt.lock);
	return ok ? s : NULL;
}

bool stream_captures(const struct CUgraph_st *g)
{
	for (const struct CUstream_st *s = streams; s; s = s->next)
		if (s->capture == g)
			return true;
	return false;
}

struct CUstream_st *stream_next(const struct CUstream_st *s) { return s ? s->next : streams; }

enum { LEAST = 0, GREATEST = -5 };

RT(cudaStreamCreateWithPriority, (cudaStream_t * out, unsigned flags, int priority))
{
	if (!out || flags > cudaStreamNonBlocking)
		return rt_error(cudaErrorInvalidValue);
	TRY(rt_open());
	*out = stream_new(flags, priority < GREATEST ? GREATEST
				 : priority > LEAST  ? LEAST
						     : priority);
	own_add(OWN_STREAM, HANDLE(*out));
	return cudaSuccess;
}
RT(cudaStreamCreateWithFlags, (cudaStream_t * out, unsigned flags))
{
	return rt_cudaStreamCreateWithPriority(out, flags, 0);
}
RT(cudaStreamCreate, (cudaStream_t * out))
{
	return rt_cudaStreamCreateWithPriority(out, 0, 0);
}

RT(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest))
{
	TRY(rt_open());
	if (least)
		*least = LEAST;
	if (greatest)
		*greatest = GREATEST;
	return cudaSuccess;
}

/* Work that is under way goes on. */
void stream_free(struct CUstream_st *t)
{
	own_remove(OWN_STREAM, HANDLE(t));
	pthread_mutex_lock(&rt.lock);
	for (struct CUstream_st **p = &streams; *p; p = &(*p)->next)
		if (*p == t) {
			*p = t->next;
			break;
		}
	free(t->last);
	t->last = NULL;
	t->destroyed = true;
	if (!t->pending)
		free(t);
	pthread_mutex_unlock(&rt.lock);
}

RT(cudaStreamDestroy, (cudaStream_t s))
{
	TRY(rt_open());
	if (!own_has(OWN_STREAM, HANDLE(s)))
		return rt_error(cudaErrorInvalidResourceHandle);
	stream_free(s);
	return cudaSuccess;
}

#define STREAM(s)                                                                                  \
	TRY(rt_open());                                                                            \
	struct CUstream_st *t = stream_of(s);                                                      \
	if (!t)                                                                                    \
	return rt_error(cudaErrorInvalidResourceHandle)

RT(cudaStreamGetPriority, (cudaStream_t s, int *priority))
{
	STREAM(s);
	*priority = t->priority;
	return cudaSuccess;
}
RT(cudaStreamGetFlags, (cudaStream_t s, unsigned *flags))
{
	STREAM(s);
	*flags = t->flags;
	return cudaSuccess;
}
RT(cudaStreamGetId, (cudaStream_t s, unsigned long long *id))
{
	STREAM(s);
	*id = t->id;
	return cudaSuccess;
}
RT(cudaStreamGetDevice, (cudaStream_t s, int *device))
{
	STREAM(s);
	(void)t;
	*device = 0;
	return cudaSuccess;
}

RT(cudaStreamSynchronize, (cudaStream_t s))
{
	STREAM(s);
	if (t->capture)
		return rt_error(cudaErrorStreamCaptureUnsupported);
	return rt_error(stream_wait(t));
}

RT(cudaStreamQuery, (cudaStream_t s))
{
	STREAM(s);
	if (t->capture)
		return rt_error(cudaErrorStreamCaptureUnsupported);
	return stream_idle(t) ? rt_error(stream_wait(t)) : cudaErrorNotReady;
}

RT(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t event, unsigned flags))
{
	(void)flags;
	STREAM(s);
	if (!own_has(OWN_EVENT, HANDLE(event)))
		return rt_error(cudaErrorInvalidResourceHandle);
	struct work w = {.kind = WORK_WAIT, .event = {.event = event}};
	if (event->capture)
		return rt_error(capture_join(t, event));
	return rt_error(work_submit(t, &w));
}

RT(cudaStreamAddCallback, (cudaStream_t s, cudaStreamCallback_t fn, void *arg, unsigned flags))
{
	STREAM(s);
	if (!fn || flags)
		return rt_error(cudaErrorInvalidValue);
	if (t->capture)
		return rt_error(cudaErrorStreamCaptureUnsupported);
	struct work w = {.kind = WORK_CALLBACK, .host = {.callback = fn, .arg = arg}};
	return rt_error(work_submit(t, &w));
}

RT(cudaLaunchHostFunc, (cudaStream_t s, cudaHostFn_t fn, void *arg))
{
	STREAM(s);
	if (!fn)
		return rt_error(cudaErrorInvalidValue);
	struct work w = {.kind = WORK_HOST, .host = {.fn = fn, .arg = arg}};
	return rt_error(work_submit(t, &w));
}

/* ---- attributes: kept, they change nothing ---- */

RT(cudaStreamSetAttribute,
   (cudaStream_t s, enum cudaStreamAttrID id, const union cudaStreamAttrValue *v))
{
	STREAM(s);
	if (id == cudaStreamAttributeAccessPolicyWindow)
		t->window = v->accessPolicyWindow;
	else if (id == cudaStreamAttributeSynchronizationPolicy)
		t->sync_policy = (int)v->syncPolicy;
	else
		return rt_error(cudaErrorInvalidValue);
	return cudaSuccess;
}
RT(cudaStreamGetAttribute, (cudaStream_t s, enum cudaStreamAttrID id, union cudaStreamAttrValue *v))
{
	STREAM(s);
	if (id == cudaStreamAttributeAccessPolicyWindow)
		v->accessPolicyWindow = t->window;
	else if (id == cudaStreamAttributeSynchronizationPolicy)
		v->syncPolicy = (enum cudaSynchronizationPolicy)t->sync_policy;
	else
		return rt_error(cudaErrorInvalidValue);
	return cudaSuccess;
}
RT(cudaStreamCopyAttributes, (cudaStream_t dst, cudaStream_t src))
{
	STREAM(src);
	struct CUstream_st *d = stream_of(dst);
	if (!d)
		return rt_error(cudaErrorInvalidResourceHandle);
	d->window = t->window;
	d->sync_policy = t->sync_policy;
	return cudaSuccess;
}

RT_PTSZ(cudaStreamGetPriority, (cudaStream_t s, int *p), (s, p))
RT_PTSZ(cudaStreamGetFlags, (cudaStream_t s, unsigned *f), (s, f))
RT_PTSZ(cudaStreamGetId, (cudaStream_t s, unsigned long long *i), (s, i))
RT_PTSZ(cudaStreamGetDevice, (cudaStream_t s, int *d), (s, d))
RT_PTSZ(cudaStreamSynchronize, (cudaStream_t s), (s))
RT_PTSZ(cudaStreamQuery, (cudaStream_t s), (s))
RT_PTSZ(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned f), (s, e, f))
RT_PTSZ(cudaStreamAddCallback, (cudaStream_t s, cudaStreamCallback_t f, void *a, unsigned x),
	(s, f, a, x))
RT_PTSZ(cudaLaunchHostFunc, (cudaStream_t s, cudaHostFn_t f, void *a), (s, f, a))
RT_PTSZ(cudaStreamSetAttribute,
	(cudaStream_t s, enum cudaStreamAttrID i, const union cudaStreamAttrValue *v), (s, i, v))
RT_PTSZ(cudaStreamGetAttribute,
	(cudaStream_t s, enum cudaStreamAttrID i, union cudaStreamAttrValue *v), (s, i, v))
RT_PTSZ(cudaStreamCopyAttributes, (cudaStream_t d, cudaStream_t s), (d, s))
