/* One piece of work: executing it, copying it, and releasing what it owns. queue.c decides when it
 * runs. */
#include "cuda/device/device.h"
#include "cuda/process/failure.h"
#include "cuda/process/alloc.h"
#include "cuda/module/native.h"
#include "cuda/stream/queue.h"

static cudaError_t fault_code(void)
{
	switch (heddle_fault(process.device.h)->kind) {
	case HEDDLE_FAULT_MISALIGNED: return cudaErrorMisalignedAddress;
	case HEDDLE_FAULT_ASSERT: return cudaErrorAssert;
	case HEDDLE_FAULT_STACK: return cudaErrorHardwareStackError;
	case HEDDLE_FAULT_BAD_CALL: return cudaErrorInvalidPc;
	case HEDDLE_FAULT_INSTRUCTION: return cudaErrorIllegalInstruction;
	case HEDDLE_FAULT_TRAP:
	case HEDDLE_FAULT_BARRIER:
	case HEDDLE_FAULT_RACE:
	case HEDDLE_FAULT_SCALAR:
	case HEDDLE_FAULT_WARP_MASK:
	case HEDDLE_FAULT_CONTROL:
	case HEDDLE_FAULT_UNINIT: return cudaErrorLaunchFailure;
	default: return cudaErrorIllegalAddress;
	}
}

/* Returns the error after a launch. Call with the device locked. */
cudaError_t launch_error(enum heddle_status st)
{
	if (st == HEDDLE_INTERRUPTED) {
		rt_say("%s", heddle_message(process.device.h));
		launch_interrupted();
	}
	if (st)
		failure_launch(heddle_message(process.device.h),
			       heddle_fault(process.device.h)->in_page);
	return !st                      ? cudaSuccess
	       : st == HEDDLE_FAULT     ? fault_code()
	       : st == HEDDLE_LIMIT     ? cudaErrorLaunchTimeout
	       : st == HEDDLE_NO_MEMORY ? cudaErrorMemoryAllocation
					: cudaErrorLaunchFailure;
}

double launch_time(unsigned i)
{
	if (i >= heddle_stats_count(process.device.h))
		return 0;
	const struct heddle_stats *s = heddle_stats_at(process.device.h, i);
	const struct heddle_device *d = device_info();
	if (s->gpu_seconds > 0)
		return s->gpu_seconds;
	return 4e-6 + (double)s->warp_instructions / (4.0 * d->sms * d->clock_khz * 1e3);
}

static cudaError_t run_kernel(const struct work *w)
{
	struct heddle *h = device_lock();
	const struct kernel *k = w->kernel.k;
	struct heddle_launch l =
		k->native ? native_launch(k->native, k, &w->kernel.l) : w->kernel.l;
	launch_begin();
	enum heddle_status st = heddle_launch(h, &l);
	launch_end();
	if (k->native)
		free((void *)(uintptr_t)l.params);
	cudaError_t e = launch_error(st);
	process.device.time += launch_time(heddle_stats_count(h) - 1);
	device_unlock();
	return e;
}

static double bytes_time(uint64_t bytes, double rate) { return 1e-6 + (double)bytes / rate; }

bool work_value_ready(const struct work *w)
{
	struct heddle *h = device_lock();
	uint64_t x = 0;
	bool failed = heddle_read(h, &x, w->value.addr, w->value.size);
	device_unlock();
	uint64_t v = w->value.value;
	if (failed)
		/* the address is no longer device memory, so there is nothing to wait for */
		return true;
	switch (w->value.op & 3) {
	case 0:
		return w->value.size == 8 ? (int64_t)(x - v) >= 0
					  : (int32_t)((uint32_t)x - (uint32_t)v) >= 0;
	case 1: return x == v;
	case 2: return (x & v) != 0;
	default: return ~(x | v) != 0;
	}
}

cudaError_t work_run(struct work *w)
{
	cudaError_t e = cudaSuccess;
	struct heddle *h;
	switch (w->kind) {
	case WORK_KERNEL: return run_kernel(w);
	case WORK_COPY:
		e = copy_run(&w->copy);
		process.device.time +=
			bytes_time(w->copy.width * w->copy.height * w->copy.depth,
				   w->copy.dst.device && w->copy.src.device ? 200e9 : 12e9);
		return e;
	case WORK_FILL:
		process.device.time += bytes_time(
			w->fill.width * w->fill.height * w->fill.depth * w->fill.size, 400e9);
		return fill_run(&w->fill);
	case WORK_HOST: w->host.fn(w->host.arg); return e;
	case WORK_RECORD:
		if (!w->event.seq)
			w->event.event->time = process.device.time;
		return e;
	case WORK_FREE: mem_free(w->mem.addr); return e;
	case WORK_WRITE_VALUE:
		h = device_lock();
		e = heddle_write(h, w->value.addr, &w->value.value, w->value.size)
			    ? cudaErrorInvalidValue
			    : e;
		device_unlock();
		return e;
	case WORK_GRAPH:
	case WORK_CONDITIONAL: return w->ops->run(w);
	default: return e;
	}
}

/* ---- ownership ---- */

void work_free(struct work *w)
{
	if (w->kind == WORK_KERNEL) {
		free((void *)(uintptr_t)w->kernel.l.params);
		free((void *)(uintptr_t)w->kernel.l.others);
	}
	if (w->kind == WORK_COPY)
		free(w->copy.staged);
	if (w->kind == WORK_GRAPH || w->kind == WORK_CONDITIONAL)
		w->ops->free(w);
	w->kind = WORK_EMPTY;
}

struct work work_clone(const struct work *w)
{
	struct work c = *w;
	if (w->kind == WORK_KERNEL) {
		c.kernel.l.params = rt_copy(w->kernel.l.params, w->kernel.k->info.param_bytes);
		c.kernel.l.others = NULL;
		c.kernel.l.nothers = 0;
		c.kernel.l.ticket = 0;
		c.kernel.l.beside = NULL;
		c.kernel.l.nbeside = 0;
	}
	if (w->kind == WORK_GRAPH || w->kind == WORK_CONDITIONAL)
		w->ops->clone(&c);
	return c;
}
