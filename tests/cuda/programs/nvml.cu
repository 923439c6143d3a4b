// options: -lnvidia-ml
/* NVML answers agree with the runtime's; features that a simulated device lacks are reported as not
 * supported. */
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
	nvmlDevice_t same;
	nvmlPciInfo_t pci;
	char id[NVML_DEVICE_UUID_BUFFER_SIZE], serial[NVML_DEVICE_SERIAL_BUFFER_SIZE];
	int version, driver, major, minor;
	unsigned running = 7;
	CHECK(!nvmlDeviceGetUUID(d, id, sizeof id) && strlen(id) == strlen("GPU-00000000-0000-0000-0000-000000000000"));
	CHECK(!nvmlDeviceGetHandleByUUID(id, &same) && same == d);
	CHECK(nvmlDeviceGetHandleByUUID("GPU-none", &same) == NVML_ERROR_NOT_FOUND);
	CHECK(!nvmlDeviceGetPciInfo(d, &pci) && (int)pci.bus == p.pciBusID && !strcmp(pci.busId + 4, pci.busIdLegacy));
	CHECK(!nvmlDeviceGetHandleByPciBusId(pci.busIdLegacy, &same) && same == d);
	CHECK(!nvmlDeviceGetCudaComputeCapability(d, &major, &minor) && major == p.major && minor == p.minor);
	CUDA(cudaDriverGetVersion(&driver));
	CHECK(!nvmlSystemGetCudaDriverVersion(&version) && version == driver);
	CHECK(!nvmlSystemGetDriverVersion(id, sizeof id) && id[0]);
	CHECK(!nvmlDeviceGetComputeRunningProcesses(d, &running, NULL) && running == 0);
	CHECK(nvmlDeviceGetSerial(d, serial, sizeof serial) == NVML_ERROR_NOT_SUPPORTED);
	CHECK(nvmlDeviceSetGpuLockedClocks(d, 1000, 1000) == NVML_ERROR_NOT_SUPPORTED);
	CHECK(nvmlDeviceResetGpuLockedClocks(d) == NVML_ERROR_NOT_SUPPORTED);
	unsigned clocks[4], mem = 0, sm = 0, bits = 0;
	unsigned long long why = 9;
	nvmlEnableState_t on;
	nvmlComputeMode_t mode;
	CHECK(!nvmlDeviceGetMaxClockInfo(d, NVML_CLOCK_MEM, &mem) && !nvmlDeviceGetMaxClockInfo(d, NVML_CLOCK_SM, &sm));
	n = 0;
	CHECK(nvmlDeviceGetSupportedMemoryClocks(d, &n, NULL) == NVML_ERROR_INSUFFICIENT_SIZE && n == 1);
	n = 4;
	CHECK(!nvmlDeviceGetSupportedMemoryClocks(d, &n, clocks) && n == 1 && clocks[0] == mem);
	n = 0;
	CHECK(nvmlDeviceGetSupportedGraphicsClocks(d, mem, &n, NULL) == NVML_ERROR_INSUFFICIENT_SIZE && n == 1);
	CHECK(!nvmlDeviceGetSupportedGraphicsClocks(d, mem, &n, clocks) && n == 1 && clocks[0] == sm);
	CHECK(nvmlDeviceGetSupportedGraphicsClocks(d, mem + 1, &n, clocks) == NVML_ERROR_NOT_FOUND);
	CHECK(nvmlDeviceGetSupportedMemoryClocks(d, NULL, clocks) == NVML_ERROR_INVALID_ARGUMENT);
	CHECK(!nvmlDeviceGetClock(d, NVML_CLOCK_SM, NVML_CLOCK_ID_CURRENT, &mhz) && mhz == sm);
	CHECK(!nvmlDeviceGetDefaultApplicationsClock(d, NVML_CLOCK_MEM, &mhz) && mhz == mem);
	CHECK(!nvmlDeviceGetCurrentClocksThrottleReasons(d, &why) && why == nvmlClocksThrottleReasonNone);
	CHECK(!nvmlDeviceGetComputeMode(d, &mode) && (int)mode == p.computeMode);
	CHECK(!nvmlDeviceGetMemoryBusWidth(d, &bits) && (int)bits == p.memoryBusWidth);
	CHECK(nvmlDeviceGetAPIRestriction(d, NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS, &on) == NVML_ERROR_NOT_SUPPORTED);
	CHECK(nvmlDeviceSetAutoBoostedClocksEnabled(d, NVML_FEATURE_DISABLED) == NVML_ERROR_NOT_SUPPORTED);
	CHECK(nvmlDeviceResetMemoryLockedClocks(d) == NVML_ERROR_NOT_SUPPORTED);
	CHECK(!strcmp(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "Not Supported"));
	CHECK(!nvmlShutdown());
	return failures != 0;
}
