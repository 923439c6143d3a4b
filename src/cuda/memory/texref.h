/* Textures and surfaces: conversion of the program's descriptions to descriptors, and the state of
 * references of the driver API. */
#ifndef CUDA_TEXREF_H
#define CUDA_TEXREF_H
#include "cuda/rt.h"

struct texref { /* a texture or surface reference of the driver API; see driver/tex.c */
	struct module *m;
	char *name;
	bool surface;
	struct heddle_tex t;
	struct cudaArray *array;
	struct cudaMipmappedArray *mipmap;
	unsigned flags, anisotropy;
	int format, channels;
	size_t offset;
};
void texref_free(struct texref *r);

/* Fills in the address and layout of the texels from an array; false: the format is not supported. */
bool tex_from_array(struct heddle_tex *t, const struct cudaArray *a);
bool tex_from_mipmap(struct heddle_tex *t, const struct cudaMipmappedArray *m);
bool tex_format(struct heddle_tex *t, const struct cudaChannelFormatDesc *d);
cudaError_t tex_resource(struct heddle_tex *t, const struct cudaResourceDesc *r,
			 const struct cudaResourceViewDesc *v);
cudaError_t tex_create(const struct heddle_tex *t, unsigned long long *out);
cudaError_t tex_destroy(unsigned long long handle);
cudaError_t tex_bind(struct module *m, const char *name, const struct heddle_tex *t);

#endif
