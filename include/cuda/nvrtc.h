/* Compilation at run time: libnvrtc starts `heddle cc`. Its cubin is PTX too, which modules load as well. */
#ifndef __NVRTC_H__
#define __NVRTC_H__

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef enum {
	NVRTC_SUCCESS = 0,
	NVRTC_ERROR_OUT_OF_MEMORY = 1,
	NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
	NVRTC_ERROR_INVALID_INPUT = 3,
	NVRTC_ERROR_INVALID_PROGRAM = 4,
	NVRTC_ERROR_INVALID_OPTION = 5,
	NVRTC_ERROR_COMPILATION = 6,
	NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
	NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
	NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
	NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
	NVRTC_ERROR_INTERNAL_ERROR = 11
} nvrtcResult;

typedef struct _nvrtcProgram *nvrtcProgram;

const char *nvrtcGetErrorString(nvrtcResult __result);
nvrtcResult nvrtcVersion(int *__major, int *__minor);
nvrtcResult nvrtcGetNumSupportedArchs(int *__n);
nvrtcResult nvrtcGetSupportedArchs(int *__archs);
nvrtcResult nvrtcCreateProgram(nvrtcProgram *__prog, const char *__src, const char *__name, int __nheaders,
	const char *const *__headers, const char *const *__names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *__prog);
nvrtcResult nvrtcCompileProgram(nvrtcProgram __prog, int __noptions, const char *const *__options);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram __prog, size_t *__size);
nvrtcResult nvrtcGetPTX(nvrtcProgram __prog, char *__ptx);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram __prog, size_t *__size);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram __prog, char *__cubin);
/* Code for link-time optimisation: its size is always 0. */
nvrtcResult nvrtcGetNVVMSize(nvrtcProgram __prog, size_t *__size);
nvrtcResult nvrtcGetNVVM(nvrtcProgram __prog, char *__nvvm);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram __prog, size_t *__size);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram __prog, char *__log);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram __prog, const char *__expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram __prog, const char *__expression, const char **__name);

#if defined(__cplusplus)
}

#if defined(NVRTC_GET_TYPE_NAME)
#include <cstdlib>
#include <cxxabi.h>
#include <string>
#include <typeinfo>
/* The type's name as written in a program. */
template <class __T> nvrtcResult nvrtcGetTypeName(std::string *__result)
{
	int __status = 0;
	char *__name = abi::__cxa_demangle(typeid(__T).name(), nullptr, nullptr, &__status);
	if (!__name)
		return __status == -1 ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_ERROR_INTERNAL_ERROR;
	*__result = __name;
	std::free(__name);
	return NVRTC_SUCCESS;
}
#endif
#endif

#endif
