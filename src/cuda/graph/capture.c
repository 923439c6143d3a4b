/* Entry points of stream capture: begin, end, query, change dependencies. graph.c adds the
 * nodes. */
#include "cuda/graph/graph.h"
#include "cuda/process/alloc.h"

static void leave_capture(struct CUstream_st *s)
{
	free(s->last);
	s->last = NULL;
	s->nlast = 0;
	s->capture = NULL;
	s->capture_origin = s->capture_broken = false;
}

static cudaError_t begin_capture(cudaStream_t stream, struct CUgraph_st *g,
				 const cudaGraphNode_t *dep, size_t n, int mode)
{
	RETURN_IF_ERROR(rt_open());
	struct CUstream_st *s = stream_of(stream);
	if (!s || (unsigned)mode > cudaStreamCaptureModeRelaxed)
		return rt_error(s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	if (s == &process.streams.legacy)
		return rt_error(cudaErrorStreamCaptureUnsupported);
	pthread_mutex_lock(&process.lock);
	bool busy = s->capture != NULL;
	if (!busy) {
		s->capture = g ? g : graph_give(graph_new());
		s->capture_add = capture_add;
		s->capture_origin = true;
		s->capture_mode = mode;
		s->capture_id = ++process.streams.last_capture;
		s->last = rt_copy(dep, n * sizeof *dep);
		s->nlast = n;
	}
	pthread_mutex_unlock(&process.lock);
	return busy ? rt_error(cudaErrorIllegalState) : cudaSuccess;
}

RT(cudaStreamBeginCapture, (cudaStream_t s, enum cudaStreamCaptureMode mode))
{
	return begin_capture(s, NULL, NULL, 0, (int)mode);
}

RT(cudaStreamBeginCaptureToGraph,
   (cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *dep, const cudaGraphEdgeData *edges,
    size_t n, enum cudaStreamCaptureMode mode))
{
	(void)edges;
	return graph_known(g) ? begin_capture(s, g, dep, n, (int)mode)
			      : rt_error(cudaErrorInvalidValue);
}

/* Marks all nodes that the marked nodes depend on. */
static void mark_reached(struct CUgraphNode_st *n)
{
	if (n->mark)
		return;
	n->mark = true;
	for (size_t i = 0; i < n->ndep; i++)
		mark_reached(n->dep[i]);
}

static bool is_joined(const struct CUstream_st *origin)
{
	const struct CUgraph_st *g = origin->capture;
	for (size_t i = 0; i < g->n; i++)
		g->node[i]->mark = false;
	for (size_t i = 0; i < origin->nlast; i++)
		mark_reached(origin->last[i]);
	for (const struct CUstream_st *s = stream_next(NULL); s; s = stream_next(s))
		for (size_t i = 0; s->capture == g && i < s->nlast; i++)
			if (!s->last[i]->mark)
				return false;
	return true;
}

RT(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *out))
{
	RETURN_IF_ERROR(rt_open());
	struct CUstream_st *s = stream_of(stream);
	if (!s)
		return rt_error(cudaErrorInvalidResourceHandle);
	if (!s->capture)
		return rt_error(cudaErrorIllegalState);
	if (!s->capture_origin)
		return rt_error(cudaErrorStreamCaptureUnmatched);
	cudaError_t e = cudaSuccess;
	pthread_mutex_lock(&process.lock);
	struct CUgraph_st *g = s->capture;
	if (s->capture_broken)
		e = cudaErrorStreamCaptureInvalidated;
	else if (!is_joined(s))
		e = cudaErrorStreamCaptureUnjoined;
	for (struct CUstream_st *t = stream_next(NULL); t; t = stream_next(t))
		if (t->capture == g)
			leave_capture(t);
	pthread_mutex_unlock(&process.lock);
	if (out)
		*out = e ? NULL : g;
	return rt_error(e);
}

RT(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status))
{
	RETURN_IF_ERROR(rt_open());
	struct CUstream_st *s = stream_of(stream);
	if (!s || !status)
		return rt_error(s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	*status = !s->capture         ? cudaStreamCaptureStatusNone
		  : s->capture_broken ? cudaStreamCaptureStatusInvalidated
				      : cudaStreamCaptureStatusActive;
	return cudaSuccess;
}

static cudaError_t give_info(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
			     unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **dep,
			     const void **edges, size_t *n)
{
	RETURN_IF_ERROR(rt_cudaStreamIsCapturing(stream, status));
	struct CUstream_st *s = stream_of(stream);
	if (*status == cudaStreamCaptureStatusNone)
		return cudaSuccess;
	if (id)
		*id = s->capture_id;
	if (g)
		*g = s->capture;
	if (dep)
		*dep = s->last;
	if (edges)
		*edges = NULL;
	if (n)
		*n = s->nlast;
	return cudaSuccess;
}

cudaError_t rt11_capture_info(cudaStream_t s, enum cudaStreamCaptureStatus *st,
			      unsigned long long *id);
cudaError_t rt12_capture_info(cudaStream_t s, enum cudaStreamCaptureStatus *st,
			      unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **d,
			      size_t *n);
cudaError_t rt13_capture_info(cudaStream_t s, enum cudaStreamCaptureStatus *st,
			      unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **d,
			      const void **e, size_t *n);
cudaError_t rt11_capture_info(cudaStream_t s, enum cudaStreamCaptureStatus *st,
			      unsigned long long *id)
{
	return give_info(s, st, id, NULL, NULL, NULL, NULL);
}
cudaError_t rt12_capture_info(cudaStream_t s, enum cudaStreamCaptureStatus *st,
			      unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **d,
			      size_t *n)
{
	return give_info(s, st, id, g, d, NULL, n);
}
cudaError_t rt13_capture_info(cudaStream_t s, enum cudaStreamCaptureStatus *st,
			      unsigned long long *id, cudaGraph_t *g, const cudaGraphNode_t **d,
			      const void **e, size_t *n)
{
	return give_info(s, st, id, g, d, e, n);
}
EXPORT_11(rt11_capture_info, cudaStreamGetCaptureInfo)
EXPORT_12(rt11_capture_info, cudaStreamGetCaptureInfo)
EXPORT_11(rt12_capture_info, cudaStreamGetCaptureInfo_v2)
EXPORT_12(rt12_capture_info, cudaStreamGetCaptureInfo_v2)
EXPORT_12(rt13_capture_info, cudaStreamGetCaptureInfo_v3)
EXPORT_13(rt13_capture_info, cudaStreamGetCaptureInfo)

static cudaError_t update_dependencies(cudaStream_t stream, cudaGraphNode_t *dep, size_t n,
				       unsigned flags)
{
	RETURN_IF_ERROR(rt_open());
	struct CUstream_st *s = stream_of(stream);
	if (!s || !s->capture || flags > cudaStreamSetCaptureDependencies)
		return rt_error(s && s->capture ? cudaErrorInvalidValue : cudaErrorIllegalState);
	pthread_mutex_lock(&process.lock);
	if (flags == cudaStreamSetCaptureDependencies)
		s->nlast = 0;
	s->last = rt_grow(s->last, (s->nlast + n) * sizeof *s->last);
	for (size_t i = 0; i < n; i++)
		s->last[s->nlast++] = dep[i];
	pthread_mutex_unlock(&process.lock);
	return cudaSuccess;
}
cudaError_t rt11_capture_update(cudaStream_t s, cudaGraphNode_t *d, size_t n, unsigned f);
cudaError_t rt13_capture_update(cudaStream_t s, cudaGraphNode_t *d, const void *e, size_t n,
				unsigned f);
cudaError_t rt11_capture_update(cudaStream_t s, cudaGraphNode_t *d, size_t n, unsigned f)
{
	return update_dependencies(s, d, n, f);
}
cudaError_t rt13_capture_update(cudaStream_t s, cudaGraphNode_t *d, const void *e, size_t n,
				unsigned f)
{
	(void)e;
	return update_dependencies(s, d, n, f);
}
EXPORT_11(rt11_capture_update, cudaStreamUpdateCaptureDependencies)
EXPORT_12(rt11_capture_update, cudaStreamUpdateCaptureDependencies)
EXPORT_13(rt13_capture_update, cudaStreamUpdateCaptureDependencies)

RT(cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode * mode))
{
	if (!mode)
		return rt_error(cudaErrorInvalidValue);
	enum cudaStreamCaptureMode old = thread.capture_mode;
	thread.capture_mode = *mode;
	*mode = old;
	return cudaSuccess;
}

RT_PTSZ(cudaStreamBeginCapture, (cudaStream_t s, enum cudaStreamCaptureMode m), (s, m))
RT_PTSZ(cudaStreamBeginCaptureToGraph,
	(cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *d, const cudaGraphEdgeData *e,
	 size_t n, enum cudaStreamCaptureMode m),
	(s, g, d, e, n, m))
RT_PTSZ(cudaStreamEndCapture, (cudaStream_t s, cudaGraph_t *g), (s, g))
RT_PTSZ(cudaStreamIsCapturing, (cudaStream_t s, enum cudaStreamCaptureStatus *t), (s, t))
EXPORT_11(rt11_capture_info, cudaStreamGetCaptureInfo_ptsz)
EXPORT_12(rt11_capture_info, cudaStreamGetCaptureInfo_ptsz)
EXPORT_13(rt13_capture_info, cudaStreamGetCaptureInfo_ptsz)
EXPORT_13(rt13_capture_update, cudaStreamUpdateCaptureDependencies_ptsz)
