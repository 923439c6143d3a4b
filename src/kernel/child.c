/* Launches from kernels (dynamic parallelism): the functions of the device runtime that compilers
 * call.
 *
 *   buffer = cudaGetParameterBufferV2(kernel, grid, block, shared)     then stores of the parameters
 *   cudaLaunchDeviceV2(buffer, stream)
 *
 * The buffer is a block of the heap of device malloc. The first call stores the kernel and the
 * shape in front of the parameters, where the second call finds them. The older pair, without V2,
 * passes all arguments to its second call. The launch that runs the children is reached through
 * kernel/child.h. */
#include "kernel/child.h"

#include "devmem/heap.h"
#include "exec/memory/access.h"

enum { MAGIC = 0x48434850, PARAM_ALIGN = 64 };

struct told { /* record of kernel and shape, stored in the PARAM_ALIGN bytes before the
	       * parameters */
	uint32_t magic, grid[3], block[3], shared;
	uint64_t kernel;
};
_Static_assert(sizeof(struct told) <= PARAM_ALIGN, "what is told fits before the parameters");

static void *host_at(const struct launch *l, uint64_t addr)
{
	return l->heap->region->host + (addr - l->heap->region->lo);
}

const struct func *child_kernel(const struct launch *l, uint64_t addr)
{
	const struct module *m = l->img->kernel->module;
	uint64_t index = (addr - FUNC_BASE) / FUNC_STEP;
	if (addr < FUNC_BASE || (addr - FUNC_BASE) % FUNC_STEP || index >= m->funcs.n)
		return NULL;
	const struct func *f = m->funcs.v[index];
	f = f->def ? f->def : f;
	return f->entry && f->defined ? f : NULL;
}

static bool bad_kernel(struct wstate *ws, const struct uop *u, uint32_t lane, uint64_t addr)
{
	exec_fault(&ws->w, u, lane, HEDDLE_FAULT_BAD_CALL, addr, 0,
		   "launch of 0x%llx, which is not a kernel", (unsigned long long)addr);
	return false;
}

bool child_buffer(struct wstate *ws, const struct uop *u, uint32_t lane,
		  const struct child_launch *c, uint64_t *buffer)
{
	const struct launch *l = ws->w.cta->l;
	const struct func *f = child_kernel(l, c->kernel);
	if (!f)
		return bad_kernel(ws, u, lane, c->kernel);
	struct told t = {.magic = MAGIC, .shared = c->shared, .kernel = c->kernel};
	memcpy(t.grid, c->grid, sizeof t.grid);
	memcpy(t.block, c->block, sizeof t.block);
	uint64_t a = heap_malloc(l->heap, PARAM_ALIGN + f->param_bytes + 8);
	*buffer = a ? a + PARAM_ALIGN : 0;
	if (a)
		memcpy(host_at(l, a), &t, sizeof t);
	return true;
}

/* Reads the kernel and shape that cudaGetParameterBufferV2 stored with a buffer. */
static bool read_stored_launch(const struct launch *l, struct child_launch *c)
{
	struct told t;
	uint64_t a = c->params - PARAM_ALIGN;
	if (!heap_has(l->heap, a) || !heap_owns(l->heap, a, sizeof t))
		return false;
	memcpy(&t, host_at(l, a), sizeof t);
	memcpy(c->grid, t.grid, sizeof t.grid);
	memcpy(c->block, t.block, sizeof t.block);
	c->shared = t.shared;
	c->kernel = t.kernel;
	return t.magic == MAGIC;
}

static bool ask_parent(struct wstate *ws, const struct uop *u, uint32_t lane,
		       const struct child_launch *c)
{
	const struct launch *l = ws->w.cta->l;
	char why[600] = "launches from kernels are not possible here";
	if (l->child && l->child(l->child_arg, c, why, sizeof why))
		return true;
	exec_fault(&ws->w, u, lane, HEDDLE_FAULT_BAD_CALL, 0, 0, "%s", why);
	return false;
}

bool child_ask(struct wstate *ws, const struct uop *u, uint32_t lane, uint64_t kernel,
	       const int64_t question[3], int64_t *answer)
{
	const struct launch *l = ws->w.cta->l;
	const struct func *f = kernel ? child_kernel(l, kernel) : NULL;
	*answer = -1;
	if (kernel && !f) {
		exec_fault(&ws->w, u, lane, HEDDLE_FAULT_BAD_CALL, kernel, 0,
			   "question about 0x%llx, which is not a kernel",
			   (unsigned long long)kernel);
		return false;
	}
	if (l->answer)
		*answer = l->answer(l->child_arg, f, question);
	return true;
}

bool child_wait(struct wstate *ws, const struct uop *u, uint32_t lane, enum child_wait how)
{
	return ask_parent(ws, u, lane,
			  &(struct child_launch){.from_block = ws->w.cta->index, .wait = how});
}

bool child_launch(struct wstate *ws, const struct uop *u, uint32_t lane, struct child_launch *c,
		  bool told)
{
	const struct launch *l = ws->w.cta->l;
	if (told && !read_stored_launch(l, c)) {
		exec_fault(
			&ws->w, u, lane, HEDDLE_FAULT_BAD_CALL, c->params, 0,
			"launch with parameters at 0x%llx, which cudaGetParameterBufferV2 did not return",
			(unsigned long long)c->params);
		return false;
	}
	const struct func *f = child_kernel(l, c->kernel);
	if (!f)
		return bad_kernel(ws, u, lane, c->kernel);
	if (f->param_bytes &&
	    !(heap_has(l->heap, c->params) && heap_owns(l->heap, c->params, f->param_bytes))) {
		exec_fault(&ws->w, u, lane, HEDDLE_FAULT_BAD_CALL, c->params, 0,
			   "%s has %u bytes of parameters, which are not at 0x%llx", f->name,
			   f->param_bytes, (unsigned long long)c->params);
		return false;
	}
	c->f = f;
	c->bytes = f->param_bytes ? host_at(l, c->params) : NULL;
	c->from_block = ws->w.cta->index;
	bool ok = ask_parent(ws, u, lane, c);
	heap_free(l->heap, told ? c->params - PARAM_ALIGN : c->params);
	return ok;
}
