/* The process: its initial state, and access to its device. process.h describes the state. */
#include "cuda/process/process.h"

struct process process = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.device = {.once = PTHREAD_ONCE_INIT,
		   .lock = PTHREAD_MUTEX_INITIALIZER,
		   .printf_fifo = 1 << 20,
		   .sync_depth = 2,
		   .pending_launches = 2048,
		   .l2_granularity = 64},
	.report = {.ended_by = SIGINT},
	.handles = {.lock = PTHREAD_MUTEX_INITIALIZER},
	.failures = {.status = -1, .lock = PTHREAD_MUTEX_INITIALIZER},
	.sites = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT},
	.output = {.lock = PTHREAD_MUTEX_INITIALIZER},
	.memory = {.default_pool = {.reuse = {0, 1, 1, 1}},
		   .pool = &process.memory.default_pool,
		   .graph_lock = PTHREAD_MUTEX_INITIALIZER},
	.modules = {.loading = PTHREAD_MUTEX_INITIALIZER, .native_once = PTHREAD_ONCE_INIT},
	.streams = {.legacy = {.id = 1}, .last_id = 2},
	.queue = {.tail = &process.queue.first,
		  .more = PTHREAD_COND_INITIALIZER,
		  .done = PTHREAD_COND_INITIALIZER},
};
_Thread_local struct thread thread = {.capture_mode = cudaStreamCaptureModeGlobal};

struct heddle *device_lock(void)
{
	pthread_once(&process.device.once, process.device.open);
	pthread_mutex_lock(&process.device.lock);
	return process.device.h;
}

void device_unlock(void) { pthread_mutex_unlock(&process.device.lock); }

cudaError_t device_open(void)
{
	pthread_once(&process.device.once, process.device.open);
	return process.device.open_failed ? cudaErrorNoDevice : process.device.sticky;
}

const struct heddle_device *device_info(void)
{
	device_open();
	return &process.device.info;
}
