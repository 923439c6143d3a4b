/* The driver's functions for buffers and images of OpenGL: each answers CUDA_ERROR_NOT_SUPPORTED. */
#ifndef CUDAGL_H
#define CUDAGL_H

#include "cuda.h"
#include <GL/gl.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum CUGLDeviceList_enum {
	CU_GL_DEVICE_LIST_ALL = 1, CU_GL_DEVICE_LIST_CURRENT_FRAME = 2,
	CU_GL_DEVICE_LIST_NEXT_FRAME = 3
} CUGLDeviceList;

#define cuGLCtxCreate cuGLCtxCreate_v2
#define cuGLGetDevices cuGLGetDevices_v2
CUresult CUDAAPI cuGLInit(void);
CUresult CUDAAPI cuGLCtxCreate(CUcontext *__context, unsigned int __flags, CUdevice __device);
CUresult CUDAAPI cuGLGetDevices(unsigned int *__count, CUdevice *__devices, unsigned int __size,
	CUGLDeviceList __list);
CUresult CUDAAPI cuGraphicsGLRegisterBuffer(CUgraphicsResource *__resource, GLuint __buffer,
	unsigned int __flags);
CUresult CUDAAPI cuGraphicsGLRegisterImage(CUgraphicsResource *__resource, GLuint __image,
	GLenum __target, unsigned int __flags);

#ifdef __cplusplus
}
#endif

#endif
