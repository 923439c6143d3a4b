/* Textures and surfaces: the table of descriptors that handles name. */
#ifndef EXEC_TEX_H
#define EXEC_TEX_H
#include <stdbool.h>
#include <stdint.h>
#include "heddle.h"

struct textures;

struct textures *textures_new(void);
void textures_free(struct textures *t);
uint64_t textures_reserve(struct textures *t);           /* a handle with nothing bound */
/* Binds (NULL: unbinds); false: the description makes no sense or there is no such handle. */
bool textures_set(struct textures *t, uint64_t handle, const struct heddle_tex *d);
bool textures_release(struct textures *t, uint64_t handle);
const struct heddle_tex *textures_get(const struct textures *t, uint64_t handle); /* NULL: nothing bound */

#endif
