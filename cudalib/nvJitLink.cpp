/*
 * libnvJitLink: linking of PTX by the driver's linker. The linked image names texts that the linker holds until the process
 * ends, because a program copies the image and destroys its handle.
 *
 * The header of CUDA 12 and 13 calls each function by a name with the version (__nvJitLinkCreate_12_4): these are other names of
 * the same functions.
 */
#include <cstring>
#include <new>
#include <string>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include "fails.h"
#include "nvJitLink.h"

struct nvJitLink {
	CUlinkState state;
	void *value[2];
	void *image;
	size_t size;
	char log[16384];
};

#define VERSIONED(name, version) \
	extern "C" decltype(name) __##name##_##version __attribute__((alias(#name)));
#define VERSIONS(name) \
	VERSIONED(name, 12_0) VERSIONED(name, 12_1) VERSIONED(name, 12_2) VERSIONED(name, 12_3) VERSIONED(name, 12_4) \
	VERSIONED(name, 12_5) VERSIONED(name, 12_6) VERSIONED(name, 12_7) VERSIONED(name, 12_8) VERSIONED(name, 12_9) \
	VERSIONED(name, 13_0) VERSIONED(name, 13_1)

extern "C" {
nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t n, const char **options)
{
	bool arch = false;
	for (uint32_t i = 0; options && i < n; i++)
		arch |= !strncmp(options[i], "-arch", 5);
	if (!handle || !arch)
		return handle ? NVJITLINK_ERROR_MISSING_ARCH : NVJITLINK_ERROR_INVALID_INPUT;
	nvJitLink *link = new (std::nothrow) nvJitLink();
	CUjit_option option[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	if (!link || cudaFree(NULL))
		return NVJITLINK_ERROR_INTERNAL;
	link->value[0] = link->log; /* the linker reads these again when it completes */
	link->value[1] = (void *)sizeof link->log;
	if (cuLinkCreate(2, option, link->value, &link->state))
		return NVJITLINK_ERROR_INTERNAL;
	*handle = link;
	return NVJITLINK_SUCCESS;
}
nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *handle)
{
	if (!handle || !*handle)
		return NVJITLINK_ERROR_INVALID_INPUT;
	if (!(*handle)->image)
		cuLinkDestroy((*handle)->state);
	delete *handle;
	*handle = NULL;
	return NVJITLINK_SUCCESS;
}
nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle link, nvJitLinkInputType type, const void *data, size_t size, const char *name)
{
	if (!link || !data)
		return NVJITLINK_ERROR_INVALID_INPUT;
	if (type != NVJITLINK_INPUT_PTX && type != NVJITLINK_INPUT_ANY) {
		library_fails("nvJitLink: input of type %d is not supported; expected PTX", (int)type);
		return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
	}
	return cuLinkAddData(link->state, CU_JIT_INPUT_PTX, (void *)data, size, name, 0, NULL, NULL) ? NVJITLINK_ERROR_INVALID_INPUT
												      : NVJITLINK_SUCCESS;
}
nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle link, nvJitLinkInputType type, const char *file)
{
	FILE *f = file ? fopen(file, "rb") : NULL;
	std::string text;
	char part[4096];
	if (!f)
		return NVJITLINK_ERROR_INVALID_INPUT;
	for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
		text.append(part, n);
	fclose(f);
	return nvJitLinkAddData(link, type, text.c_str(), text.size() + 1, file);
}
nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle link)
{
	if (!link)
		return NVJITLINK_ERROR_INVALID_INPUT;
	return cuLinkComplete(link->state, &link->image, &link->size) ? NVJITLINK_ERROR_PTX_COMPILE : NVJITLINK_SUCCESS;
}
nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle link, size_t *size)
{
	if (!link || !size || !link->image)
		return NVJITLINK_ERROR_INVALID_INPUT;
	*size = link->size;
	return NVJITLINK_SUCCESS;
}
nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle link, void *cubin)
{
	if (!link || !cubin || !link->image)
		return NVJITLINK_ERROR_INVALID_INPUT;
	memcpy(cubin, link->image, link->size);
	return NVJITLINK_SUCCESS;
}
nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle, size_t *) { return NVJITLINK_ERROR_INVALID_INPUT; }
nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle, char *) { return NVJITLINK_ERROR_INVALID_INPUT; }
nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle link, size_t *size)
{
	if (!link || !size)
		return NVJITLINK_ERROR_INVALID_INPUT;
	*size = strlen(link->log) + 1;
	return NVJITLINK_SUCCESS;
}
nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle link, char *log)
{
	if (!link || !log)
		return NVJITLINK_ERROR_INVALID_INPUT;
	strcpy(log, link->log);
	return NVJITLINK_SUCCESS;
}
nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle link, size_t *size)
{
	if (!link || !size)
		return NVJITLINK_ERROR_INVALID_INPUT;
	*size = 1;
	return NVJITLINK_SUCCESS;
}
nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle link, char *log)
{
	if (!link || !log)
		return NVJITLINK_ERROR_INVALID_INPUT;
	*log = 0;
	return NVJITLINK_SUCCESS;
}
nvJitLinkResult nvJitLinkVersion(unsigned *major, unsigned *minor)
{
	if (!major || !minor)
		return NVJITLINK_ERROR_INVALID_INPUT;
	*major = 13;
	*minor = 0;
	return NVJITLINK_SUCCESS;
}
} /* extern "C" */

VERSIONS(nvJitLinkCreate)
VERSIONS(nvJitLinkDestroy)
VERSIONS(nvJitLinkAddData)
VERSIONS(nvJitLinkAddFile)
VERSIONS(nvJitLinkComplete)
VERSIONS(nvJitLinkGetLinkedCubinSize)
VERSIONS(nvJitLinkGetLinkedCubin)
VERSIONS(nvJitLinkGetLinkedPtxSize)
VERSIONS(nvJitLinkGetLinkedPtx)
VERSIONS(nvJitLinkGetErrorLogSize)
VERSIONS(nvJitLinkGetErrorLog)
VERSIONS(nvJitLinkGetInfoLogSize)
VERSIONS(nvJitLinkGetInfoLog)
