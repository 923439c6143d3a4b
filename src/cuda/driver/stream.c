/* Driver API: streams, events, graphs. */
#include "cuda/driver/driver.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"

CUresult cuStreamCreate(CUstream *s, unsigned flags)
{
	RETURN_DRIVER(rt_cudaStreamCreateWithPriority(s, flags, 0));
}
CUresult cuStreamCreateWithPriority(CUstream *s, unsigned flags, int p)
{
	RETURN_DRIVER(rt_cudaStreamCreateWithPriority(s, flags, p));
}
CUresult cuStreamGetPriority(CUstream s, int *p) { RETURN_ON(s, rt_cudaStreamGetPriority(s, p)); }
CUresult cuStreamGetFlags(CUstream s, unsigned *f) { RETURN_ON(s, rt_cudaStreamGetFlags(s, f)); }
CUresult cuStreamGetCtx(CUstream s, CUcontext *c)
{
	CONTEXT_OF_OR_RETURN(s);
	if (!c || !stream_of(s))
		return c ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*c = own_context(OWN_STREAM, HANDLE(s)); /* default streams belong to the current context */
	return *c ? CUDA_SUCCESS : cuCtxGetCurrent(c);
}
CUresult cuStreamGetCtx_v2(CUstream s, CUcontext *c, void **green);
CUresult cuStreamGetCtx_v2(CUstream s, CUcontext *c, void **green)
{
	if (green)
		*green = NULL;
	return cuStreamGetCtx(s, c);
}
CUresult cuStreamDestroy(CUstream s) { RETURN_ON(s, rt_cudaStreamDestroy(s)); }
CUresult cuStreamSynchronize(CUstream s) { RETURN_ON(s, rt_cudaStreamSynchronize(s)); }
CUresult cuStreamQuery(CUstream s) { RETURN_ON(s, rt_cudaStreamQuery(s)); }
CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned f)
{
	RETURN_ON(s, rt_cudaStreamWaitEvent(s, e, f));
}
CUresult cuStreamAddCallback(CUstream s, CUstreamCallback fn, void *arg, unsigned flags)
{
	RETURN_ON(s, rt_cudaStreamAddCallback(s, (cudaStreamCallback_t)(void (*)(void))fn, arg,
					      flags));
}
CUresult cuLaunchHostFunc(CUstream s, CUhostFn fn, void *arg)
{
	RETURN_ON(s, rt_cudaLaunchHostFunc(s, fn, arg));
}
CUresult cuStreamAttachMemAsync(CUstream s, CUdeviceptr p, size_t n, unsigned f)
{
	RETURN_ON(s, rt_cudaStreamAttachMemAsync(s, PTR(p), n, f));
}
CUresult cuStreamBeginCapture(CUstream s, CUstreamCaptureMode mode)
{
	RETURN_ON(s, rt_cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)mode));
}
CUresult cuStreamEndCapture(CUstream s, CUgraph *g) { RETURN_ON(s, rt_cudaStreamEndCapture(s, g)); }

/* ---- waits for and writes of single words of memory ---- */

static CUresult value(CUstream stream, enum work_kind kind, CUdeviceptr p, uint64_t v,
		      unsigned size, unsigned flags)
{
	CONTEXT_OF_OR_RETURN(stream);
	struct heddle_range r;
	struct CUstream_st *s = stream_of(stream);
	struct heddle *h = device_lock();
	bool ok = !heddle_range(h, p, &r) && p % size == 0;
	device_unlock();
	if (!s || !ok)
		return s ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
	struct work w = {.kind = kind, .value = {p, v, size, flags}};
	return drv(work_submit(s, &w));
}
/* The second versions, of CUDA 12, differ only in the hardware they require. */
#define VALUE(name, kind, type)                                                                    \
	CUresult name(CUstream s, CUdeviceptr p, type v, unsigned flags);                          \
	CUresult name(CUstream s, CUdeviceptr p, type v, unsigned flags)                           \
	{                                                                                          \
		return value(s, kind, p, v, sizeof(type), flags);                                  \
	}
VALUE(cuStreamWaitValue32, WORK_WAIT_VALUE, cuuint32_t)
VALUE(cuStreamWaitValue32_v2, WORK_WAIT_VALUE, cuuint32_t)
VALUE(cuStreamWaitValue64, WORK_WAIT_VALUE, cuuint64_t)
VALUE(cuStreamWaitValue64_v2, WORK_WAIT_VALUE, cuuint64_t)
VALUE(cuStreamWriteValue32, WORK_WRITE_VALUE, cuuint32_t)
VALUE(cuStreamWriteValue32_v2, WORK_WRITE_VALUE, cuuint32_t)
VALUE(cuStreamWriteValue64, WORK_WRITE_VALUE, cuuint64_t)
VALUE(cuStreamWriteValue64_v2, WORK_WRITE_VALUE, cuuint64_t)

/* Runs several such operations in order. */
CUresult cuStreamBatchMemOp(CUstream s, unsigned n, CUstreamBatchMemOpParams *op, unsigned flags)
{
	if (n && (!op || flags || n > 256))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < n; i++) {
		CUresult r = CUDA_SUCCESS;
		CUdeviceptr p = op[i].waitValue.address;
		unsigned f = op[i].waitValue.flags;
		switch (op[i].operation) {
		case CU_STREAM_MEM_OP_WAIT_VALUE_32:
			r = value(s, WORK_WAIT_VALUE, p, op[i].waitValue.value, 4, f);
			break;
		case CU_STREAM_MEM_OP_WAIT_VALUE_64:
			r = value(s, WORK_WAIT_VALUE, p, op[i].waitValue.value64, 8, f);
			break;
		case CU_STREAM_MEM_OP_WRITE_VALUE_32:
			r = value(s, WORK_WRITE_VALUE, p, op[i].writeValue.value, 4, f);
			break;
		case CU_STREAM_MEM_OP_WRITE_VALUE_64:
			r = value(s, WORK_WRITE_VALUE, p, op[i].writeValue.value64, 8, f);
			break;
		case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
		/* all devices see one memory, so a barrier has no effect */
		case CU_STREAM_MEM_OP_BARRIER: break;
		default: r = CUDA_ERROR_INVALID_VALUE;
		}
		if (r)
			return r;
	}
	return CUDA_SUCCESS;
}
#undef cuStreamBatchMemOp
CUresult cuStreamBatchMemOp(CUstream s, unsigned n, CUstreamBatchMemOpParams *op, unsigned flags);
CUresult cuStreamBatchMemOp(CUstream s, unsigned n, CUstreamBatchMemOpParams *op, unsigned flags)
{
	return cuStreamBatchMemOp_v2(s, n, op, flags);
}

/* ---- attributes ---- */

RT_DECL(cudaStreamCopyAttributes, (cudaStream_t, cudaStream_t));
RT_DECL(cudaStreamGetAttribute, (cudaStream_t, enum cudaStreamAttrID, union cudaStreamAttrValue *));
RT_DECL(cudaStreamSetAttribute,
	(cudaStream_t, enum cudaStreamAttrID, const union cudaStreamAttrValue *));
_Static_assert(sizeof(union cudaStreamAttrValue) <= sizeof(CUstreamAttrValue), "one form");

CUresult cuStreamCopyAttributes(CUstream to, CUstream from)
{
	RETURN_ON(to, rt_cudaStreamCopyAttributes(to, from));
}
CUresult cuStreamGetAttribute(CUstream s, CUstreamAttrID id, CUstreamAttrValue *v)
{
	RETURN_ON(s, v ? rt_cudaStreamGetAttribute(s, (enum cudaStreamAttrID)id,
						   (union cudaStreamAttrValue *)v)
		       : cudaErrorInvalidValue);
}
CUresult cuStreamSetAttribute(CUstream s, CUstreamAttrID id, const CUstreamAttrValue *v)
{
	RETURN_ON(s, v ? rt_cudaStreamSetAttribute(s, (enum cudaStreamAttrID)id,
						   (const union cudaStreamAttrValue *)v)
		       : cudaErrorInvalidValue);
}

/* ---- events ---- */

CUresult cuEventCreate(CUevent *e, unsigned flags)
{
	RETURN_DRIVER(rt_cudaEventCreateWithFlags(e, flags));
}
CUresult cuEventRecord(CUevent e, CUstream s) { RETURN_OF(OWN_EVENT, e, rt_cudaEventRecord(e, s)); }
CUresult cuEventQuery(CUevent e) { RETURN_OF(OWN_EVENT, e, rt_cudaEventQuery(e)); }
CUresult cuEventSynchronize(CUevent e) { RETURN_OF(OWN_EVENT, e, rt_cudaEventSynchronize(e)); }
CUresult cuEventDestroy(CUevent e) { RETURN_OF(OWN_EVENT, e, rt_cudaEventDestroy(e)); }
CUresult cuEventElapsedTime(float *ms, CUevent a, CUevent b)
{
	RETURN_OF(OWN_EVENT, a, rt_cudaEventElapsedTime(ms, a, b));
}

/* ---- graphs ---- */

CUresult cuGraphLaunch(CUgraphExec g, CUstream s) { RETURN_ON(s, rt_cudaGraphLaunch(g, s)); }
CUresult cuGraphDestroy(CUgraph g) { RETURN_DRIVER(rt_cudaGraphDestroy(g)); }
CUresult cuGraphExecDestroy(CUgraphExec g) { RETURN_DRIVER(rt_cudaGraphExecDestroy(g)); }
