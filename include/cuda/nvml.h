/* A part of NVML: the number of devices, their names, PCI locations, memory and clocks, by queries
 * to the runtime. Properties that a simulated device lacks (power, temperature, utilization, fans,
 * a serial number, clocks to set) is answered with "not supported". */
#ifndef __nvml_nvml__h__
#define __nvml_nvml__h__
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda_runtime_api.h"

#define NVML_API_VERSION 11
#define NVML_DEVICE_NAME_BUFFER_SIZE 64
#define NVML_DEVICE_NAME_V2_BUFFER_SIZE 96
#define NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE 80
#define NVML_SYSTEM_NVML_VERSION_BUFFER_SIZE 80
#define NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE 32
#define NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE 16
#define NVML_DEVICE_SERIAL_BUFFER_SIZE 30
#define NVML_DEVICE_UUID_BUFFER_SIZE 80
#define NVML_DEVICE_UUID_V2_BUFFER_SIZE 96

typedef struct nvmlDevice_st *nvmlDevice_t; /* the number of the device, from 1 */
typedef enum nvmlReturn_enum {
	NVML_SUCCESS = 0, NVML_ERROR_UNINITIALIZED = 1, NVML_ERROR_INVALID_ARGUMENT = 2, NVML_ERROR_NOT_SUPPORTED = 3,
	NVML_ERROR_NO_PERMISSION = 4, NVML_ERROR_ALREADY_INITIALIZED = 5, NVML_ERROR_NOT_FOUND = 6,
	NVML_ERROR_INSUFFICIENT_SIZE = 7, NVML_ERROR_INSUFFICIENT_POWER = 8, NVML_ERROR_DRIVER_NOT_LOADED = 9, NVML_ERROR_TIMEOUT = 10,
	NVML_ERROR_IRQ_ISSUE = 11, NVML_ERROR_LIBRARY_NOT_FOUND = 12, NVML_ERROR_FUNCTION_NOT_FOUND = 13, NVML_ERROR_CORRUPTED_INFOROM = 14,
	NVML_ERROR_GPU_IS_LOST = 15, NVML_ERROR_RESET_REQUIRED = 16, NVML_ERROR_OPERATING_SYSTEM = 17,
	NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18, NVML_ERROR_IN_USE = 19, NVML_ERROR_MEMORY = 20, NVML_ERROR_NO_DATA = 21,
	NVML_ERROR_UNKNOWN = 999
} nvmlReturn_t;
typedef enum nvmlClockType_enum {
	NVML_CLOCK_GRAPHICS = 0, NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2, NVML_CLOCK_VIDEO = 3
} nvmlClockType_t;
typedef enum nvmlTemperatureSensors_enum { NVML_TEMPERATURE_GPU = 0 } nvmlTemperatureSensors_t;
typedef struct nvmlMemory_st {
	unsigned long long total, free, used;
} nvmlMemory_t;
typedef struct nvmlUtilization_st {
	unsigned int gpu, memory;
} nvmlUtilization_t;

typedef struct nvmlPciInfo_st {
	char busIdLegacy[NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE];
	unsigned int domain, bus, device, pciDeviceId, pciSubSystemId;
	char busId[NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE];
} nvmlPciInfo_t;
typedef struct nvmlProcessInfo_st {
	unsigned int pid;
	unsigned long long usedGpuMemory;
	unsigned int gpuInstanceId, computeInstanceId;
} nvmlProcessInfo_t;
typedef enum nvmlEnableState_enum { NVML_FEATURE_DISABLED = 0, NVML_FEATURE_ENABLED = 1 } nvmlEnableState_t;
typedef enum nvmlPStates_enum {
	NVML_PSTATE_0 = 0, NVML_PSTATE_1, NVML_PSTATE_2, NVML_PSTATE_3, NVML_PSTATE_4, NVML_PSTATE_5, NVML_PSTATE_6, NVML_PSTATE_7,
	NVML_PSTATE_8, NVML_PSTATE_9, NVML_PSTATE_10, NVML_PSTATE_11, NVML_PSTATE_12, NVML_PSTATE_13, NVML_PSTATE_14, NVML_PSTATE_15,
	NVML_PSTATE_UNKNOWN = 32
} nvmlPstates_t;
typedef enum nvmlClockId_enum {
	NVML_CLOCK_ID_CURRENT = 0, NVML_CLOCK_ID_APP_CLOCK_TARGET = 1, NVML_CLOCK_ID_APP_CLOCK_DEFAULT = 2, NVML_CLOCK_ID_CUSTOMER_BOOST_MAX = 3
} nvmlClockId_t;
typedef enum nvmlRestrictedAPI_enum {
	NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS = 0, NVML_RESTRICTED_API_SET_AUTO_BOOSTED_CLOCKS = 1, NVML_RESTRICTED_API_COUNT = 2
} nvmlRestrictedAPI_t;
typedef enum nvmlTemperatureThresholds_enum {
	NVML_TEMPERATURE_THRESHOLD_SHUTDOWN = 0, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN = 1, NVML_TEMPERATURE_THRESHOLD_MEM_MAX = 2,
	NVML_TEMPERATURE_THRESHOLD_GPU_MAX = 3
} nvmlTemperatureThresholds_t;
typedef enum nvmlSamplingType_enum {
	NVML_TOTAL_POWER_SAMPLES = 0, NVML_GPU_UTILIZATION_SAMPLES = 1, NVML_MEMORY_UTILIZATION_SAMPLES = 2, NVML_ENC_UTILIZATION_SAMPLES = 3,
	NVML_DEC_UTILIZATION_SAMPLES = 4, NVML_PROCESSOR_CLK_SAMPLES = 5, NVML_MEMORY_CLK_SAMPLES = 6
} nvmlSamplingType_t;
typedef enum nvmlValueType_enum {
	NVML_VALUE_TYPE_DOUBLE = 0, NVML_VALUE_TYPE_UNSIGNED_INT = 1, NVML_VALUE_TYPE_UNSIGNED_LONG = 2,
	NVML_VALUE_TYPE_UNSIGNED_LONG_LONG = 3, NVML_VALUE_TYPE_SIGNED_LONG_LONG = 4
} nvmlValueType_t;
typedef union nvmlValue_st {
	double dVal;
	unsigned int uiVal;
	unsigned long ulVal;
	unsigned long long ullVal;
	signed long long sllVal;
} nvmlValue_t;
typedef struct nvmlSample_st {
	unsigned long long timeStamp;
	nvmlValue_t sampleValue;
} nvmlSample_t;
typedef enum nvmlComputeMode_enum {
	NVML_COMPUTEMODE_DEFAULT = 0, NVML_COMPUTEMODE_EXCLUSIVE_THREAD = 1, NVML_COMPUTEMODE_PROHIBITED = 2,
	NVML_COMPUTEMODE_EXCLUSIVE_PROCESS = 3
} nvmlComputeMode_t;

#define nvmlClocksThrottleReasonNone 0x0ULL
#define nvmlClocksThrottleReasonGpuIdle 0x1ULL
#define nvmlClocksThrottleReasonApplicationsClocksSetting 0x2ULL
#define nvmlClocksThrottleReasonUserDefinedClocks nvmlClocksThrottleReasonApplicationsClocksSetting
#define nvmlClocksThrottleReasonSwPowerCap 0x4ULL
#define nvmlClocksThrottleReasonHwSlowdown 0x8ULL
#define nvmlClocksThrottleReasonSyncBoost 0x10ULL
#define nvmlClocksThrottleReasonSwThermalSlowdown 0x20ULL
#define nvmlClocksThrottleReasonHwThermalSlowdown 0x40ULL
#define nvmlClocksThrottleReasonHwPowerBrakeSlowdown 0x80ULL
#define nvmlClocksThrottleReasonDisplayClockSetting 0x100ULL
#define nvmlClocksThrottleReasonAll 0x1ffULL

static inline nvmlReturn_t nvmlInit_v2(void) { return NVML_SUCCESS; }
static inline nvmlReturn_t nvmlInitWithFlags(unsigned int __flags) { return __flags ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS; }
static inline nvmlReturn_t nvmlShutdown(void) { return NVML_SUCCESS; }
static inline const char *nvmlErrorString(nvmlReturn_t __e)
{
	switch (__e) {
	case NVML_SUCCESS: return "Success";
	case NVML_ERROR_INVALID_ARGUMENT: return "Invalid Argument";
	case NVML_ERROR_NOT_SUPPORTED: return "Not Supported";
	case NVML_ERROR_NOT_FOUND: return "Not Found";
	case NVML_ERROR_INSUFFICIENT_SIZE: return "Insufficient Size";
	case NVML_ERROR_UNINITIALIZED: return "Uninitialized";
	case NVML_ERROR_NO_PERMISSION: return "Insufficient Permissions";
	case NVML_ERROR_DRIVER_NOT_LOADED: return "Driver Not Loaded";
	default: return "Unknown Error";
	}
}
static inline nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *__n)
{
	int __have = 0;
	if (!__n || cudaGetDeviceCount(&__have))
		return __n ? NVML_ERROR_UNKNOWN : NVML_ERROR_INVALID_ARGUMENT;
	*__n = (unsigned int)__have;
	return NVML_SUCCESS;
}
static inline nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int __i, nvmlDevice_t *__d)
{
	unsigned int __have = 0;
	if (!__d || nvmlDeviceGetCount_v2(&__have) || __i >= __have)
		return NVML_ERROR_INVALID_ARGUMENT;
	*__d = (nvmlDevice_t)(size_t)(__i + 1);
	return NVML_SUCCESS;
}
static inline nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *__id, nvmlDevice_t *__d)
{
	int __i = 0;
	if (!__id || cudaDeviceGetByPCIBusId(&__i, __id))
		return NVML_ERROR_NOT_FOUND;
	return nvmlDeviceGetHandleByIndex_v2((unsigned int)__i, __d);
}
static inline nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t __d, unsigned int *__i)
{
	if (!__d || !__i)
		return NVML_ERROR_INVALID_ARGUMENT;
	*__i = (unsigned int)(size_t)__d - 1;
	return NVML_SUCCESS;
}
static inline nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t __d, char *__name, unsigned int __n)
{
	struct cudaDeviceProp __p;
	if (!__d || !__name || cudaGetDeviceProperties(&__p, (int)(size_t)__d - 1))
		return NVML_ERROR_INVALID_ARGUMENT;
	return snprintf(__name, __n, "%s", __p.name) < (int)__n ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}
static inline nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t __d, char *__id, unsigned int __n)
{
	struct cudaDeviceProp __p;
	char __text[NVML_DEVICE_UUID_BUFFER_SIZE];
	int __at = 0;
	if (!__d || !__id || cudaGetDeviceProperties(&__p, (int)(size_t)__d - 1))
		return NVML_ERROR_INVALID_ARGUMENT;
	__at += snprintf(__text, sizeof __text, "GPU");
	for (int __k = 0; __k < 16; __k++)
		__at += snprintf(__text + __at, sizeof __text - (size_t)__at, "%s%02x",
				 __k == 0 || __k == 4 || __k == 6 || __k == 8 || __k == 10 ? "-" : "",
				 (unsigned char)__p.uuid.bytes[__k]);
	return snprintf(__id, __n, "%s", __text) < (int)__n ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}
static inline nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *__id, nvmlDevice_t *__d)
{
	unsigned int __have = 0;
	char __text[NVML_DEVICE_UUID_BUFFER_SIZE];
	if (!__id || !__d || nvmlDeviceGetCount_v2(&__have))
		return NVML_ERROR_INVALID_ARGUMENT;
	for (unsigned int __i = 0; __i < __have; __i++)
		if (!nvmlDeviceGetUUID((nvmlDevice_t)(size_t)(__i + 1), __text, sizeof __text) && !strcmp(__text, __id))
			return nvmlDeviceGetHandleByIndex_v2(__i, __d);
	return NVML_ERROR_NOT_FOUND;
}
static inline nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t __d, nvmlPciInfo_t *__i)
{
	struct cudaDeviceProp __p;
	if (!__d || !__i || cudaGetDeviceProperties(&__p, (int)(size_t)__d - 1))
		return NVML_ERROR_INVALID_ARGUMENT;
	memset(__i, 0, sizeof *__i);
	__i->domain = (unsigned int)__p.pciDomainID;
	__i->bus = (unsigned int)__p.pciBusID;
	__i->device = (unsigned int)__p.pciDeviceID;
	snprintf(__i->busIdLegacy, sizeof __i->busIdLegacy, "%04X:%02X:%02X.0", __i->domain & 0xffff, __i->bus & 0xff, __i->device & 0xff);
	snprintf(__i->busId, sizeof __i->busId, "%08X:%02X:%02X.0", __i->domain, __i->bus & 0xff, __i->device & 0xff);
	return NVML_SUCCESS;
}
static inline nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t __d, int *__major, int *__minor)
{
	struct cudaDeviceProp __p;
	if (!__d || !__major || !__minor || cudaGetDeviceProperties(&__p, (int)(size_t)__d - 1))
		return NVML_ERROR_INVALID_ARGUMENT;
	*__major = __p.major;
	*__minor = __p.minor;
	return NVML_SUCCESS;
}
static inline nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t __d, unsigned int *__i) { return nvmlDeviceGetIndex(__d, __i); }
static inline nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *__v)
{
	return __v && !cudaDriverGetVersion(__v) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}
/* The driver's version is derived from CUDA's, because there is no NVIDIA driver. */
static inline nvmlReturn_t nvmlSystemGetDriverVersion(char *__text, unsigned int __n)
{
	int __v = 0;
	if (!__text || cudaDriverGetVersion(&__v))
		return NVML_ERROR_INVALID_ARGUMENT;
	return snprintf(__text, __n, "%d.%02d", __v / 1000, __v % 1000 / 10) < (int)__n ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}
static inline nvmlReturn_t nvmlSystemGetNVMLVersion(char *__text, unsigned int __n) { return nvmlSystemGetDriverVersion(__text, __n); }
/* Programs that compute on the device: the list is empty. */
static inline nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t __d, unsigned int *__n, nvmlProcessInfo_t *__list)
{
	(void)__list;
	if (!__d || !__n)
		return NVML_ERROR_INVALID_ARGUMENT;
	*__n = 0;
	return NVML_SUCCESS;
}
static inline nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t __d, nvmlMemory_t *__m)
{
	size_t __free = 0, __total = 0;
	if (!__d || !__m || cudaMemGetInfo(&__free, &__total))
		return NVML_ERROR_INVALID_ARGUMENT;
	__m->total = __total;
	__m->free = __free;
	__m->used = __total - __free;
	return NVML_SUCCESS;
}
/* Clocks in MHz: the device always runs at the highest. */
static inline nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t __d, nvmlClockType_t __which, unsigned int *__mhz)
{
	int __khz = 0;
	if (!__d || !__mhz)
		return NVML_ERROR_INVALID_ARGUMENT;
	if (__which == NVML_CLOCK_VIDEO ||
	    cudaDeviceGetAttribute(&__khz, __which == NVML_CLOCK_MEM ? cudaDevAttrMemoryClockRate : cudaDevAttrClockRate,
				   (int)(size_t)__d - 1))
		return NVML_ERROR_NOT_SUPPORTED;
	*__mhz = (unsigned int)(__khz / 1000);
	return NVML_SUCCESS;
}
static inline nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t __d, nvmlClockType_t __which, unsigned int *__mhz)
{
	return nvmlDeviceGetMaxClockInfo(__d, __which, __mhz);
}
static inline nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t __d, nvmlClockType_t __which, unsigned int *__mhz)
{
	return nvmlDeviceGetMaxClockInfo(__d, __which, __mhz);
}
static inline nvmlReturn_t nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t __d, nvmlClockType_t __which, unsigned int *__mhz)
{
	return nvmlDeviceGetMaxClockInfo(__d, __which, __mhz);
}
static inline nvmlReturn_t nvmlDeviceGetMaxCustomerBoostClock(nvmlDevice_t __d, nvmlClockType_t __which, unsigned int *__mhz)
{
	return nvmlDeviceGetMaxClockInfo(__d, __which, __mhz);
}
static inline nvmlReturn_t nvmlDeviceGetClock(nvmlDevice_t __d, nvmlClockType_t __which, nvmlClockId_t __id, unsigned int *__mhz)
{
	return (unsigned int)__id > NVML_CLOCK_ID_CUSTOMER_BOOST_MAX ? NVML_ERROR_INVALID_ARGUMENT
								     : nvmlDeviceGetMaxClockInfo(__d, __which, __mhz);
}
/* A list of clocks has one entry: *__n is the number of entries that fit, and becomes the number of
 * entries. */
static inline nvmlReturn_t __hd_nvml_clock_list(nvmlDevice_t __d, nvmlClockType_t __which, unsigned int *__n, unsigned int *__mhz)
{
	unsigned int __fit, __clock = 0;
	nvmlReturn_t __e = __n ? nvmlDeviceGetMaxClockInfo(__d, __which, &__clock) : NVML_ERROR_INVALID_ARGUMENT;
	if (__e)
		return __e;
	__fit = *__n;
	*__n = 1;
	if (!__fit)
		return NVML_ERROR_INSUFFICIENT_SIZE;
	if (!__mhz)
		return NVML_ERROR_INVALID_ARGUMENT;
	*__mhz = __clock;
	return NVML_SUCCESS;
}
static inline nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(nvmlDevice_t __d, unsigned int *__n, unsigned int *__mhz)
{
	return __hd_nvml_clock_list(__d, NVML_CLOCK_MEM, __n, __mhz);
}
static inline nvmlReturn_t nvmlDeviceGetSupportedGraphicsClocks(nvmlDevice_t __d, unsigned int __memory, unsigned int *__n, unsigned int *__mhz)
{
	unsigned int __have = 0;
	nvmlReturn_t __e = nvmlDeviceGetMaxClockInfo(__d, NVML_CLOCK_MEM, &__have);
	if (__e || __have != __memory)
		return __e ? __e : NVML_ERROR_NOT_FOUND;
	return __hd_nvml_clock_list(__d, NVML_CLOCK_GRAPHICS, __n, __mhz);
}
/* Nothing lowers the clocks. */
static inline nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t __d, unsigned long long *__reasons)
{
	if (!__d || !__reasons)
		return NVML_ERROR_INVALID_ARGUMENT;
	*__reasons = nvmlClocksThrottleReasonNone;
	return NVML_SUCCESS;
}
static inline nvmlReturn_t nvmlDeviceGetSupportedClocksThrottleReasons(nvmlDevice_t __d, unsigned long long *__reasons)
{
	return nvmlDeviceGetCurrentClocksThrottleReasons(__d, __reasons);
}
static inline nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t __d, nvmlComputeMode_t *__mode)
{
	int __m = 0;
	if (!__d || !__mode || cudaDeviceGetAttribute(&__m, cudaDevAttrComputeMode, (int)(size_t)__d - 1))
		return NVML_ERROR_INVALID_ARGUMENT;
	*__mode = (nvmlComputeMode_t)__m;
	return NVML_SUCCESS;
}
static inline nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t __d, unsigned int *__bits)
{
	int __n = 0;
	if (!__d || !__bits || cudaDeviceGetAttribute(&__n, cudaDevAttrGlobalMemoryBusWidth, (int)(size_t)__d - 1))
		return NVML_ERROR_INVALID_ARGUMENT;
	*__bits = (unsigned int)__n;
	return NVML_SUCCESS;
}

#define __HD_NVML_NONE(name, ...) \
	static inline nvmlReturn_t name(nvmlDevice_t __d, __VA_ARGS__) \
	{ \
		return __d ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_INVALID_ARGUMENT; \
	}
__HD_NVML_NONE(nvmlDeviceGetPowerUsage, unsigned int *__mw __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetPowerManagementLimit, unsigned int *__mw __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetTotalEnergyConsumption, unsigned long long *__mj __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetFanSpeed, unsigned int *__percent __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetTemperature, nvmlTemperatureSensors_t __s __attribute__((unused)),
	unsigned int *__t __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetUtilizationRates, nvmlUtilization_t *__u __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetSerial, char *__id __attribute__((unused)), unsigned int __n __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetEnforcedPowerLimit, unsigned int *__mw __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetPowerManagementDefaultLimit, unsigned int *__mw __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetPowerManagementLimitConstraints, unsigned int *__least __attribute__((unused)),
	unsigned int *__most __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceSetPowerManagementLimit, unsigned int __mw __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceSetApplicationsClocks, unsigned int __mem __attribute__((unused)), unsigned int __sm __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceSetGpuLockedClocks, unsigned int __least __attribute__((unused)), unsigned int __most __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetPersistenceMode, nvmlEnableState_t *__on __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceSetPersistenceMode, nvmlEnableState_t __on __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetEccMode, nvmlEnableState_t *__now __attribute__((unused)), nvmlEnableState_t *__next __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetPerformanceState, nvmlPstates_t *__p __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetPowerState, nvmlPstates_t *__p __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetPowerManagementMode, nvmlEnableState_t *__on __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceSetMemoryLockedClocks, unsigned int __least __attribute__((unused)), unsigned int __most __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetAPIRestriction, nvmlRestrictedAPI_t __api __attribute__((unused)),
	nvmlEnableState_t *__on __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceSetAPIRestriction, nvmlRestrictedAPI_t __api __attribute__((unused)),
	nvmlEnableState_t __on __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetAutoBoostedClocksEnabled, nvmlEnableState_t *__now __attribute__((unused)),
	nvmlEnableState_t *__usual __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceSetAutoBoostedClocksEnabled, nvmlEnableState_t __on __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceSetDefaultAutoBoostedClocksEnabled, nvmlEnableState_t __on __attribute__((unused)),
	unsigned int __flags __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceSetComputeMode, nvmlComputeMode_t __mode __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetTemperatureThreshold, nvmlTemperatureThresholds_t __which __attribute__((unused)),
	unsigned int *__t __attribute__((unused)))
__HD_NVML_NONE(nvmlDeviceGetSamples, nvmlSamplingType_t __which __attribute__((unused)),
	unsigned long long __since __attribute__((unused)), nvmlValueType_t *__type __attribute__((unused)),
	unsigned int *__n __attribute__((unused)), nvmlSample_t *__list __attribute__((unused)))
#undef __HD_NVML_NONE
static inline nvmlReturn_t nvmlDeviceResetApplicationsClocks(nvmlDevice_t __d)
{
	return __d ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_INVALID_ARGUMENT;
}
static inline nvmlReturn_t nvmlDeviceResetGpuLockedClocks(nvmlDevice_t __d) { return nvmlDeviceResetApplicationsClocks(__d); }
static inline nvmlReturn_t nvmlDeviceResetMemoryLockedClocks(nvmlDevice_t __d) { return nvmlDeviceResetApplicationsClocks(__d); }

#define nvmlInit nvmlInit_v2
#define nvmlDeviceGetCount nvmlDeviceGetCount_v2
#define nvmlDeviceGetHandleByIndex nvmlDeviceGetHandleByIndex_v2
#define nvmlDeviceGetHandleByPciBusId nvmlDeviceGetHandleByPciBusId_v2
#define nvmlDeviceGetPciInfo nvmlDeviceGetPciInfo_v3
#define nvmlDeviceGetComputeRunningProcesses nvmlDeviceGetComputeRunningProcesses_v3
#endif
