/* Contexts: the current context of each thread. Several contexts may exist; all see one memory. */
#include "cuda/process/handles.h"
#include "cuda/process/process.h"

struct CUctx_st *context_current(void)
{
	return thread.contexts.n ? thread.contexts.ctx[thread.contexts.n - 1] : NULL;
}

void context_bind(void)
{
	if (thread.contexts.n)
		return;
	thread.contexts.ctx[thread.contexts.n++] = &process.contexts.primary;
	process.contexts.bound = true;
}

void context_choose(void)
{
	if (thread.contexts.n)
		thread.contexts.n--;
	thread.contexts.ctx[thread.contexts.n++] = &process.contexts.primary;
	process.contexts.bound = true;
}

bool context_borrow(struct CUctx_st *c)
{
	if (thread.contexts.n)
		return false;
	thread.contexts.ctx[thread.contexts.n++] = c ? c : &process.contexts.primary;
	return true;
}

void context_give_back(bool borrowed)
{
	if (borrowed)
		thread.contexts.n--;
}

cudaError_t rt_open(void)
{
	cudaError_t e = device_open();
	if (!e)
		context_bind();
	return e;
}
