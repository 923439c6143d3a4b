/* Answers the questions that the device's part of the runtime (include/cuda/heddle/device_launch.h)
 * asks the host's part. */
#include "cuda/device/device.h"
#include "cuda/device/props.h"
#include "cuda/rt.h"
#include "heddle/questions.h"

static int64_t of_kernel(const struct kernel *k, const int64_t question[3])
{
	struct cudaFuncAttributes a;
	func_attributes(k, &a);
	switch (question[0]) {
	case __HD_ASK_BLOCKS:
		return question[1] > 0 && question[1] <= INT32_MAX && question[2] >= 0
			       ? occupancy(k, (int)question[1], (size_t)question[2])
			       : -1;
	case __HD_ASK_SHARED: return (int64_t)a.sharedSizeBytes;
	case __HD_ASK_CONST: return (int64_t)a.constSizeBytes;
	case __HD_ASK_LOCAL: return (int64_t)a.localSizeBytes;
	case __HD_ASK_THREADS: return a.maxThreadsPerBlock;
	case __HD_ASK_REGISTERS: return a.numRegs;
	case __HD_ASK_PTX: return a.ptxVersion;
	case __HD_ASK_BINARY: return a.binaryVersion;
	case __HD_ASK_DYNAMIC: return a.maxDynamicSharedSizeBytes;
	default: return -1;
	}
}

int64_t device_answer(void *arg, const struct heddle_kernel *kernel, const int64_t question[3])
{
	(void)arg;
	if (kernel) {
		struct kernel k = {0};
		heddle_kernel_info(kernel, &k.info);
		return of_kernel(&k, question);
	}
	int value;
	bool known =
		question[0] == __HD_ASK_ATTRIBUTE && device_attribute((int)question[1], &value);
	return known ? value : -1;
}
