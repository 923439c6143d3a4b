/* Entry points about streams: cudaStreamCreate() and so on. */
#include "cuda/graph/graph.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"
#include "cuda/rt.h"

RT(cudaStreamCreateWithPriority, (cudaStream_t * out, unsigned flags, int priority))
{
	if (!out || flags > cudaStreamNonBlocking)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(rt_open());
	*out = stream_new(flags, priority < PRIORITY_GREATEST ? PRIORITY_GREATEST
				 : priority > PRIORITY_LEAST  ? PRIORITY_LEAST
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
	RETURN_IF_ERROR(rt_open());
	if (least)
		*least = PRIORITY_LEAST;
	if (greatest)
		*greatest = PRIORITY_GREATEST;
	return cudaSuccess;
}

RT(cudaStreamDestroy, (cudaStream_t s))
{
	RETURN_IF_ERROR(rt_open());
	if (!own_has(OWN_STREAM, HANDLE(s)))
		return rt_error(cudaErrorInvalidResourceHandle);
	stream_free(s);
	return cudaSuccess;
}

#define STREAM_OR_RETURN(s)                                                                        \
	RETURN_IF_ERROR(rt_open());                                                                \
	struct CUstream_st *t = stream_of(s);                                                      \
	if (!t)                                                                                    \
	return rt_error(cudaErrorInvalidResourceHandle)

RT(cudaStreamGetPriority, (cudaStream_t s, int *priority))
{
	STREAM_OR_RETURN(s);
	*priority = t->priority;
	return cudaSuccess;
}
RT(cudaStreamGetFlags, (cudaStream_t s, unsigned *flags))
{
	STREAM_OR_RETURN(s);
	*flags = t->flags;
	return cudaSuccess;
}
RT(cudaStreamGetId, (cudaStream_t s, unsigned long long *id))
{
	STREAM_OR_RETURN(s);
	*id = t->id;
	return cudaSuccess;
}
RT(cudaStreamGetDevice, (cudaStream_t s, int *device))
{
	STREAM_OR_RETURN(s);
	(void)t;
	*device = 0;
	return cudaSuccess;
}

RT(cudaStreamSynchronize, (cudaStream_t s))
{
	STREAM_OR_RETURN(s);
	if (t->capture)
		return rt_error(cudaErrorStreamCaptureUnsupported);
	return rt_error(stream_wait(t));
}

RT(cudaStreamQuery, (cudaStream_t s))
{
	STREAM_OR_RETURN(s);
	if (t->capture)
		return rt_error(cudaErrorStreamCaptureUnsupported);
	return stream_idle(t) ? rt_error(stream_wait(t)) : cudaErrorNotReady;
}

RT(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t event, unsigned flags))
{
	(void)flags;
	STREAM_OR_RETURN(s);
	if (!own_has(OWN_EVENT, HANDLE(event)))
		return rt_error(cudaErrorInvalidResourceHandle);
	struct work w = {.kind = WORK_WAIT, .event = {.event = event}};
	if (event->capture)
		return rt_error(capture_join(t, event));
	return rt_error(work_submit(t, &w));
}

RT(cudaStreamAddCallback, (cudaStream_t s, cudaStreamCallback_t fn, void *arg, unsigned flags))
{
	STREAM_OR_RETURN(s);
	if (!fn || flags)
		return rt_error(cudaErrorInvalidValue);
	if (t->capture)
		return rt_error(cudaErrorStreamCaptureUnsupported);
	struct work w = {.kind = WORK_CALLBACK, .host = {.callback = fn, .arg = arg}};
	return rt_error(work_submit(t, &w));
}

RT(cudaLaunchHostFunc, (cudaStream_t s, cudaHostFn_t fn, void *arg))
{
	STREAM_OR_RETURN(s);
	if (!fn)
		return rt_error(cudaErrorInvalidValue);
	struct work w = {.kind = WORK_HOST, .host = {.fn = fn, .arg = arg}};
	return rt_error(work_submit(t, &w));
}

/* ---- attributes: stored, without effect ---- */

RT(cudaStreamSetAttribute,
   (cudaStream_t s, enum cudaStreamAttrID id, const union cudaStreamAttrValue *v))
{
	STREAM_OR_RETURN(s);
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
	STREAM_OR_RETURN(s);
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
	STREAM_OR_RETURN(src);
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
