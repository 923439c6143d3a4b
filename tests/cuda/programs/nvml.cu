// options: -lnvidia-ml
/* NVML answers as the runtime does, and says what a simulated device does not have. */
#include <string.h>
#include <nvml.h>
#include "check.h"

int main()
{
	unsigned n = 0, mhz = 0, mw = 0, index = 9;
	int have = 0;
	nvmlDevice_t d;
	char name[NVML_DEVICE_NAME_BUFFER_SIZE], bus[32];
	cudaDeviceProp p;
	nvmlMemory_t m;
	CUDA(cudaGetDeviceCount(&have));
	CUDA(cudaGetDeviceProperties(&p, 0));
	CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
	CHECK(!nvmlInit() && !nvmlDeviceGetCount(&n) && (int)n == have);
	CHECK(!nvmlDeviceGetHandleByPciBusId(bus, &d) && !nvmlDeviceGetIndex(d, &index) && index == 0);
	CHECK(!nvmlDeviceGetHandleByIndex(0, &d) && !nvmlDeviceGetName(d, name, sizeof name) && !strcmp(name, p.name));
	CHECK(nvmlDeviceGetName(d, name, 2) == NVML_ERROR_INSUFFICIENT_SIZE);
	CHECK(nvmlDeviceGetHandleByIndex(n, &d) == NVML_ERROR_INVALID_ARGUMENT);
	CHECK(!nvmlDeviceGetMemoryInfo(d, &m) && m.total >= m.free && m.used == m.total - m.free && m.total == p.totalGlobalMem);
	CHECK(!nvmlDeviceGetClockInfo(d, NVML_CLOCK_SM, &mhz) && (int)mhz == p.clockRate / 1000);
	CHECK(nvmlDeviceGetPowerUsage(d, &mw) == NVML_ERROR_NOT_SUPPORTED);
	CHECK(!strcmp(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "Not Supported"));
	CHECK(!nvmlShutdown());
	return failures != 0;
}
