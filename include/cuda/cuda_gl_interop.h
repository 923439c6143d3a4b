/* The runtime's functions for buffers and images of OpenGL. A simulated GPU shares no memory with a
 * display: registration returns cudaErrorNotSupported, so that programs that can also work without
 * a window build and run. */
#ifndef __CUDA_GL_INTEROP_H__
#define __CUDA_GL_INTEROP_H__

#include "cuda_runtime_api.h"
#include <GL/gl.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cudaGLDeviceList {
	cudaGLDeviceListAll = 1, cudaGLDeviceListCurrentFrame = 2, cudaGLDeviceListNextFrame = 3
};
enum cudaGLMapFlags {
	cudaGLMapFlagsNone = 0, cudaGLMapFlagsReadOnly = 1, cudaGLMapFlagsWriteDiscard = 2
};

extern cudaError_t CUDARTAPI cudaGLGetDevices(unsigned int *__count, int *__devices,
	unsigned int __size, enum cudaGLDeviceList __list);
extern cudaError_t CUDARTAPI cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **__resource,
	GLuint __buffer, unsigned int __flags);
extern cudaError_t CUDARTAPI cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **__resource,
	GLuint __image, GLenum __target, unsigned int __flags);

/* The older interface. No device has to be chosen: cudaGLSetGLDevice only checks that the device
 * exists. */
extern cudaError_t CUDARTAPI cudaGLSetGLDevice(int __device);
extern cudaError_t CUDARTAPI cudaGLRegisterBufferObject(GLuint __buffer);
extern cudaError_t CUDARTAPI cudaGLMapBufferObject(void **__devPtr, GLuint __buffer);
extern cudaError_t CUDARTAPI cudaGLUnmapBufferObject(GLuint __buffer);
extern cudaError_t CUDARTAPI cudaGLUnregisterBufferObject(GLuint __buffer);
extern cudaError_t CUDARTAPI cudaGLSetBufferObjectMapFlags(GLuint __buffer, unsigned int __flags);
extern cudaError_t CUDARTAPI cudaGLMapBufferObjectAsync(void **__devPtr, GLuint __buffer,
	cudaStream_t __stream);
extern cudaError_t CUDARTAPI cudaGLUnmapBufferObjectAsync(GLuint __buffer, cudaStream_t __stream);

#ifdef __cplusplus
}
#endif

#endif
