/* Textures and surfaces: the table of descriptors that handles name. */
#ifndef EXEC_TEX_H
#define EXEC_TEX_H
#include <stdbool.h>
#include <stdint.h>
#include "heddle.h"
#include "ir/type.h"

struct textures;

struct textures *textures_new(void);
void textures_free(struct textures *t);
/* A handle with nothing bound: of a variable of that type (T_TEXREF, T_SAMPLERREF, T_SURFREF), or
 * T_NONE for an object, which may be used as a texture and as a surface. */
uint64_t textures_reserve(struct textures *t, enum type type);
bool textures_is(const struct textures *t, uint64_t handle, enum type type);
/* Binds d to the handle (NULL: unbinds). False: d is contradictory or the handle does not exist. */
bool textures_set(struct textures *t, uint64_t handle, const struct heddle_tex *d);
bool textures_release(struct textures *t, uint64_t handle);
/* the descriptor bound to the handle; NULL: none */
const struct heddle_tex *textures_get(const struct textures *t, uint64_t handle);

#endif
