/* The calling thread's last error, and conversion of other results to such errors. */
#include <stdio.h>
#include "cuda/process/alloc.h"
#include "cuda/process/failure.h"
#include "cuda/process/process.h"

cudaError_t rt_error(cudaError_t e)
{
	if (e && e != cudaErrorNotReady) {
		thread.last_error = e;
		failure_call((int)e);
	}
	return e;
}

cudaError_t rt_status(enum heddle_status st)
{
	switch (st) {
	case HEDDLE_OK: return cudaSuccess;
	case HEDDLE_NO_MEMORY: return cudaErrorMemoryAllocation;
	case HEDDLE_UNSUPPORTED: return cudaErrorNotSupported;
	case HEDDLE_NOT_FOUND: return cudaErrorInvalidSymbol;
	case HEDDLE_BAD_INPUT: return cudaErrorInvalidPtx;
	default: return cudaErrorInvalidValue;
	}
}

struct said {
	const char *name;
	struct said *next;
};

cudaError_t rt_unsupported(const char *name)
{
	pthread_mutex_lock(&process.lock);
	struct said *s = process.failures.said;
	while (s && strcmp(s->name, name))
		s = s->next;
	bool first = !s;
	if (first) {
		s = rt_alloc(sizeof *s);
		*s = (struct said){name, process.failures.said};
		process.failures.said = s;
	}
	pthread_mutex_unlock(&process.lock);
	device_open();
	if (first)
		rt_fail("%s is not supported", name);
	return rt_error(cudaErrorNotSupported);
}

RT(cudaGetLastError, (void))
{
	cudaError_t e = thread.last_error ? thread.last_error : process.device.sticky;
	thread.last_error = cudaSuccess;
	failure_seen((int)e);
	return e;
}

RT(cudaPeekAtLastError, (void))
{
	failure_seen((int)thread.last_error);
	return thread.last_error ? thread.last_error : process.device.sticky;
}

RT_TYPE(const char *, cudaGetErrorName, (cudaError_t e))
{
	const char *s = error_name((int)e);
	failure_seen((int)e);
	return s ? s : "unrecognized error code";
}

RT_TYPE(const char *, cudaGetErrorString, (cudaError_t e))
{
	const char *s = error_text((int)e);
	failure_seen((int)e);
	return s ? s : "unrecognized error code";
}
