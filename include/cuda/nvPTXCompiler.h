/* The PTX compiler's interface. Heddle runs PTX, so the compiled program is the text itself, after
 * the runtime has read it without an error. Options are ptxas's, for machine code that is not made
 * here; with -c the text is not read, because definitions of other texts are missing. */
#ifndef NV_PTX_COMPILER_H_
#define NV_PTX_COMPILER_H_
#include <stdlib.h>
#include <string.h>
#include "cuda.h"

typedef enum {
	NVPTXCOMPILE_SUCCESS = 0, NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE = 1, NVPTXCOMPILE_ERROR_INVALID_INPUT = 2,
	NVPTXCOMPILE_ERROR_COMPILATION_FAILURE = 3, NVPTXCOMPILE_ERROR_INTERNAL = 4, NVPTXCOMPILE_ERROR_OUT_OF_MEMORY = 5,
	NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE = 6, NVPTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION = 7,
	NVPTXCOMPILE_ERROR_UNSUPPORTED_DEVSIDE_SYNC = 8
} nvPTXCompileResult;
typedef struct nvPTXCompiler {
	char *text;
	size_t size; /* includes the terminating zero */
	int compiled;
	char errors[4096];
} *nvPTXCompilerHandle;

static inline nvPTXCompileResult nvPTXCompilerGetVersion(unsigned int *__major, unsigned int *__minor)
{
	if (!__major || !__minor)
		return NVPTXCOMPILE_ERROR_INVALID_INPUT;
	*__major = CUDA_VERSION / 1000;
	*__minor = CUDA_VERSION % 1000 / 10;
	return NVPTXCOMPILE_SUCCESS;
}

static inline nvPTXCompileResult nvPTXCompilerCreate(nvPTXCompilerHandle *__c, size_t __n, const char *__text)
{
	if (!__c || !__n || !__text)
		return NVPTXCOMPILE_ERROR_INVALID_INPUT;
	nvPTXCompilerHandle __made = (nvPTXCompilerHandle)calloc(1, sizeof *__made);
	char *__copy = (char *)malloc(__n + 1);
	if (!__made || !__copy) {
		free(__made);
		free(__copy);
		return NVPTXCOMPILE_ERROR_OUT_OF_MEMORY;
	}
	memcpy(__copy, __text, __n);
	__copy[__n] = 0;
	__made->text = __copy;
	__made->size = strlen(__copy) + 1;
	*__c = __made;
	return NVPTXCOMPILE_SUCCESS;
}

static inline nvPTXCompileResult nvPTXCompilerDestroy(nvPTXCompilerHandle *__c)
{
	if (!__c || !*__c)
		return NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
	free((*__c)->text);
	free(*__c);
	*__c = NULL;
	return NVPTXCOMPILE_SUCCESS;
}

/* Loads the text and unloads it again; the calling thread's context does not change. */
static inline CUresult __hd_ptx_read(nvPTXCompilerHandle __c)
{
	CUcontext __context;
	CUmodule __module;
	CUjit_option __option[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *__value[] = {__c->errors, (void *)sizeof __c->errors};
	CUresult __r = cuInit(0);
	if (!__r)
		__r = cuDevicePrimaryCtxRetain(&__context, 0);
	if (__r)
		return __r;
	__r = cuCtxPushCurrent(__context);
	if (!__r) {
		__r = cuModuleLoadDataEx(&__module, __c->text, 2, __option, __value);
		if (!__r)
			cuModuleUnload(__module);
		cuCtxPopCurrent(&__context);
	}
	cuDevicePrimaryCtxRelease(0);
	return __r;
}

static inline nvPTXCompileResult nvPTXCompilerCompile(nvPTXCompilerHandle __c, int __n, const char *const *__options)
{
	if (!__c)
		return NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
	if (__n < 0 || (__n && !__options))
		return NVPTXCOMPILE_ERROR_INVALID_INPUT;
	int __part = 0;
	for (int __i = 0; __i < __n; __i++)
		__part |= !strcmp(__options[__i], "-c") || !strcmp(__options[__i], "--compile-only");
	switch (__part ? CUDA_SUCCESS : __hd_ptx_read(__c)) {
	case CUDA_SUCCESS: __c->compiled = 1; return NVPTXCOMPILE_SUCCESS;
	case CUDA_ERROR_OUT_OF_MEMORY: return NVPTXCOMPILE_ERROR_OUT_OF_MEMORY;
	case CUDA_ERROR_UNSUPPORTED_PTX_VERSION: return NVPTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION;
	default: return NVPTXCOMPILE_ERROR_COMPILATION_FAILURE;
	}
}

static inline nvPTXCompileResult nvPTXCompilerGetCompiledProgramSize(nvPTXCompilerHandle __c, size_t *__n)
{
	if (!__c || !__n)
		return __c ? NVPTXCOMPILE_ERROR_INVALID_INPUT : NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
	if (!__c->compiled)
		return NVPTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE;
	*__n = __c->size;
	return NVPTXCOMPILE_SUCCESS;
}
static inline nvPTXCompileResult nvPTXCompilerGetCompiledProgram(nvPTXCompilerHandle __c, void *__to)
{
	size_t __n;
	nvPTXCompileResult __r = nvPTXCompilerGetCompiledProgramSize(__c, &__n);
	if (__r)
		return __r;
	if (!__to)
		return NVPTXCOMPILE_ERROR_INVALID_INPUT;
	memcpy(__to, __c->text, __n);
	return NVPTXCOMPILE_SUCCESS;
}

/* Sizes of logs are without the zero that ends the text. */
static inline nvPTXCompileResult __hd_ptx_log(nvPTXCompilerHandle __c, const char *__log, size_t *__n, char *__to)
{
	if (!__c)
		return NVPTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE;
	if (!__n && !__to)
		return NVPTXCOMPILE_ERROR_INVALID_INPUT;
	if (__n)
		*__n = strlen(__log);
	if (__to)
		strcpy(__to, __log);
	return NVPTXCOMPILE_SUCCESS;
}
static inline nvPTXCompileResult nvPTXCompilerGetErrorLogSize(nvPTXCompilerHandle __c, size_t *__n)
{
	return __hd_ptx_log(__c, __c ? __c->errors : "", __n, NULL);
}
static inline nvPTXCompileResult nvPTXCompilerGetErrorLog(nvPTXCompilerHandle __c, char *__to)
{
	return __hd_ptx_log(__c, __c ? __c->errors : "", NULL, __to);
}
static inline nvPTXCompileResult nvPTXCompilerGetInfoLogSize(nvPTXCompilerHandle __c, size_t *__n)
{
	return __hd_ptx_log(__c, "", __n, NULL);
}
static inline nvPTXCompileResult nvPTXCompilerGetInfoLog(nvPTXCompilerHandle __c, char *__to)
{
	return __hd_ptx_log(__c, "", NULL, __to);
}
#endif
