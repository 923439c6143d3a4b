/* Error codes, names and texts; the calling thread's last error. */
#include <stdio.h>
#include "cuda/process/failure.h"
#include "cuda/process/alloc.h"
#include "cuda/rt.h"

static const struct {
	int code;
	const char *name, *driver, *text;
} table[] = {
#define E(code, name, driver, text) {code, #name, driver, text},
#include "cuda/process/errors.def"
#undef E
};

static _Thread_local cudaError_t last;

cudaError_t rt_error(cudaError_t e)
{
	if (e && e != cudaErrorNotReady) {
		last = e;
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

cudaError_t rt_unsupported(const char *name)
{
	static struct said {
		const char *name;
		struct said *next;
	} * said;
	pthread_mutex_lock(&rt.lock);
	struct said *s = said;
	while (s && strcmp(s->name, name))
		s = s->next;
	bool first = !s;
	if (first) {
		s = rt_alloc(sizeof *s);
		*s = (struct said){name, said};
		said = s;
	}
	pthread_mutex_unlock(&rt.lock);
	device_open();
	if (first)
		rt_fail("%s is not supported", name);
	return rt_error(cudaErrorNotSupported);
}

const char *error_name(int e)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].code == e)
			return table[i].name;
	return NULL;
}

const char *error_text(int e)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].code == e)
			return table[i].text;
	return NULL;
}

const char *error_driver_name(int e)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].code == e)
			return table[i].driver;
	return NULL;
}

RT(cudaGetLastError, (void))
{
	cudaError_t e = last ? last : rt.sticky;
	last = cudaSuccess;
	failure_seen((int)e);
	return e;
}

RT(cudaPeekAtLastError, (void))
{
	failure_seen((int)last);
	return last ? last : rt.sticky;
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
