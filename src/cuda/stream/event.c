/* Events. Their times are the device's: simulated time in timing mode, otherwise a nominal time
 * that depends on the work alone (queue.c), so that a program sees identical times in every run. */
#include "cuda/graph/graph.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"
#include "cuda/rt.h"

#define RETURN_UNLESS_EVENT(e)                                                                     \
	RETURN_IF_ERROR(rt_open());                                                                \
	if (!own_has(OWN_EVENT, HANDLE(e)))                                                        \
	return rt_error(cudaErrorInvalidResourceHandle)

RT(cudaEventCreateWithFlags, (cudaEvent_t * out, unsigned flags))
{
	if (!out || flags > 7)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(rt_open());
	struct CUevent_st *e = rt_alloc(sizeof *e);
	e->flags = flags;
	own_add(OWN_EVENT, HANDLE(e));
	*out = e;
	return cudaSuccess;
}
RT(cudaEventCreate, (cudaEvent_t * out))
{
	return rt_cudaEventCreateWithFlags(out, 0);
}

void event_free(struct CUevent_st *e)
{
	own_remove(OWN_EVENT, HANDLE(e));
	pthread_mutex_lock(&process.lock);
	free(e->last);
	e->last = NULL;
	e->destroyed = true;
	if (!e->users)
		free(e);
	pthread_mutex_unlock(&process.lock);
}

RT(cudaEventDestroy, (cudaEvent_t e))
{
	RETURN_UNLESS_EVENT(e);
	event_free(e);
	return cudaSuccess;
}

RT(cudaEventRecordWithFlags, (cudaEvent_t e, cudaStream_t stream, unsigned flags))
{
	RETURN_UNLESS_EVENT(e);
	struct CUstream_st *s = stream_of(stream);
	if (!s || flags > cudaEventRecordExternal)
		return rt_error(s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	if (s->capture && !flags)
		return rt_error(capture_mark(s, e));
	struct work w = {.kind = WORK_RECORD, .event = {.event = e}};
	if (!s->capture)
		e->capture = NULL;
	return rt_error(work_submit(s, &w));
}
RT(cudaEventRecord, (cudaEvent_t e, cudaStream_t s))
{
	return rt_cudaEventRecordWithFlags(e, s, 0);
}
RT_PTSZ(cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, s))
RT_PTSZ(cudaEventRecordWithFlags, (cudaEvent_t e, cudaStream_t s, unsigned f), (e, s, f))

RT(cudaEventQuery, (cudaEvent_t e))
{
	RETURN_UNLESS_EVENT(e);
	if (e->capture)
		return rt_error(cudaErrorCapturedEvent);
	work_release(e);
	pthread_mutex_lock(&process.lock);
	bool pending = e->pending;
	pthread_mutex_unlock(&process.lock);
	return pending ? cudaErrorNotReady : rt_error(event_wait(e));
}

RT(cudaEventSynchronize, (cudaEvent_t e))
{
	RETURN_UNLESS_EVENT(e);
	if (e->capture)
		return rt_error(cudaErrorCapturedEvent);
	return rt_error(event_wait(e));
}

RT(cudaEventElapsedTime, (float *ms, cudaEvent_t start, cudaEvent_t end))
{
	RETURN_UNLESS_EVENT(start);
	RETURN_UNLESS_EVENT(end);
	if (!ms || !start->recorded || !end->recorded ||
	    (start->flags | end->flags) & cudaEventDisableTiming)
		return rt_error(ms ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
	work_release(start);
	work_release(end);
	pthread_mutex_lock(&process.lock);
	bool pending = start->pending || end->pending;
	double t = end->time - start->time;
	pthread_mutex_unlock(&process.lock);
	if (pending)
		return cudaErrorNotReady;
	*ms = (float)(t * 1e3);
	return cudaSuccess;
}
