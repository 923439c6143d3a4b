/* The table of texture and surface descriptors. */
#include "exec/tex/tex.h"

#include "base/vec.h"
#include "ir/module.h"

struct descriptor {
	struct heddle_tex d;
	bool bound, used;
	uint8_t type;
};

struct textures {
	VEC(struct descriptor) table;
};

struct textures *textures_new(void) { return xcalloc(1, sizeof(struct textures)); }

void textures_free(struct textures *t)
{
	if (t)
		vec_free(&t->table);
	free(t);
}

static struct descriptor *descriptor_of(const struct textures *t, uint64_t handle)
{
	uint64_t i = (handle - HANDLE_BASE) / HANDLE_STEP;
	return handle >= HANDLE_BASE && (handle - HANDLE_BASE) % HANDLE_STEP == 0 &&
			       i < t->table.n && t->table.v[i].used
		       ? &t->table.v[i]
		       : NULL;
}

uint64_t textures_reserve(struct textures *t, enum type type)
{
	size_t i = 0;
	while (i < t->table.n && t->table.v[i].used)
		i++;
	if (i == t->table.n)
		vec_push(&t->table, (struct descriptor){0});
	t->table.v[i] = (struct descriptor){.used = true, .type = (uint8_t)type};
	return HANDLE_BASE + i * HANDLE_STEP;
}

bool textures_is(const struct textures *t, uint64_t handle, enum type type)
{
	const struct descriptor *s = descriptor_of(t, handle);
	return s && (s->type == T_NONE ? type != T_SAMPLERREF : s->type == type);
}

static bool sensible(const struct heddle_tex *d)
{
	return d->width && (d->channels == 1 || d->channels == 2 || d->channels == 4) &&
	       (d->bits == 8 || d->bits == 16 || d->bits == 32) && d->chan <= HEDDLE_CHAN_FLOAT &&
	       !(d->chan == HEDDLE_CHAN_FLOAT && d->bits == 8) && d->levels <= 16 &&
	       d->addr_mode[0] <= HEDDLE_BORDER && d->addr_mode[1] <= HEDDLE_BORDER &&
	       d->addr_mode[2] <= HEDDLE_BORDER;
}

bool textures_set(struct textures *t, uint64_t handle, const struct heddle_tex *d)
{
	struct descriptor *s = descriptor_of(t, handle);
	if (!s || (d && !sensible(d)))
		return false;
	s->bound = d != NULL;
	if (d)
		s->d = *d;
	return true;
}

bool textures_release(struct textures *t, uint64_t handle)
{
	struct descriptor *s = descriptor_of(t, handle);
	if (s)
		s->used = s->bound = false;
	return s != NULL;
}

const struct heddle_tex *textures_get(const struct textures *t, uint64_t handle)
{
	const struct descriptor *s = descriptor_of(t, handle);
	return s && s->bound ? &s->d : NULL;
}
