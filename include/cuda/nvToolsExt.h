/* Annotations for NVIDIA's profilers: no profiler reads them, so they do nothing. */
#ifndef NVTOOLSEXT_H_
#define NVTOOLSEXT_H_
#include <stdint.h>
#include <wchar.h>
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
	NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1, NVTX_MESSAGE_TYPE_UNICODE = 2,
	NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
	NVTX_PAYLOAD_UNKNOWN = 0, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1, NVTX_PAYLOAD_TYPE_INT64 = 2,
	NVTX_PAYLOAD_TYPE_DOUBLE = 3
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
	const char *ascii;
	const wchar_t *unicode;
	nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
	uint16_t version, size;
	uint32_t category;
	int32_t colorType;
	uint32_t color;
	int32_t payloadType, reserved0;
	union payload_t { uint64_t ullValue; int64_t llValue; double dValue; } payload;
	int32_t messageType;
	nvtxMessageValue_t message;
} nvtxEventAttributes_t;
/* For texts of char (A) and of wchar_t (W). */
#define __HD_NVTX(A, C) \
static inline void nvtxMark##A(const C *__m) { (void)__m; } \
static inline nvtxRangeId_t nvtxRangeStart##A(const C *__m) { (void)__m; return 0; } \
static inline int nvtxRangePush##A(const C *__m) { (void)__m; return 0; } \
static inline void nvtxNameOsThread##A(uint32_t __t, const C *__m) { (void)__t; (void)__m; } \
static inline void nvtxNameCategory##A(uint32_t __c, const C *__m) { (void)__c; (void)__m; } \
static inline nvtxDomainHandle_t nvtxDomainCreate##A(const C *__m) { (void)__m; return 0; } \
static inline nvtxStringHandle_t nvtxDomainRegisterString##A(nvtxDomainHandle_t __d, const C *__m) { (void)__d; (void)__m; return 0; } \
static inline void nvtxDomainNameCategory##A(nvtxDomainHandle_t __d, uint32_t __c, const C *__m) { (void)__d; (void)__c; (void)__m; }
__HD_NVTX(A, char)
__HD_NVTX(W, wchar_t)
#undef __HD_NVTX
static inline void nvtxMarkEx(const nvtxEventAttributes_t *__a) { (void)__a; }
static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *__a) { (void)__a; return 0; }
static inline void nvtxRangeEnd(nvtxRangeId_t __i) { (void)__i; }
static inline int nvtxRangePushEx(const nvtxEventAttributes_t *__a) { (void)__a; return 0; }
static inline int nvtxRangePop(void) { return 0; }
static inline void nvtxDomainDestroy(nvtxDomainHandle_t __d) { (void)__d; }
static inline int nvtxDomainRangePushEx(nvtxDomainHandle_t __d, const nvtxEventAttributes_t *__a)
{
	(void)__d; (void)__a;
	return 0;
}
static inline int nvtxDomainRangePop(nvtxDomainHandle_t __d) { (void)__d; return 0; }
static inline void nvtxInitialize(const void *__r) { (void)__r; }
static inline void nvtxDomainMarkEx(nvtxDomainHandle_t __d, const nvtxEventAttributes_t *__a) { (void)__d; (void)__a; }
static inline nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t __d, const nvtxEventAttributes_t *__a)
{
	(void)__d; (void)__a;
	return 0;
}
static inline void nvtxDomainRangeEnd(nvtxDomainHandle_t __d, nvtxRangeId_t __i) { (void)__d; (void)__i; }
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#endif
