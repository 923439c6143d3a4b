/* Texture and surface references: state that a binding sets for a module's variable. */
#ifndef CUDA_TEXREF_H
#define CUDA_TEXREF_H
#include "cuda/rt.h"

struct texref;
void texref_free(struct texref *r);

#endif
