#include "cuda/texref.h"
#include "cuda/mem.h"
void texref_free(struct texref *r) { free(r); }
