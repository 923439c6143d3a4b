/* Texture and surface objects, and the references of modules. */
#include "api/api.h"

#include "exec/tex/tex.h"

/* sm_20 code has 9 bits for a texture's number. */
enum { FERMI_TEXTURES = 512 };

enum heddle_status heddle_tex_create(struct heddle *h, const struct heddle_tex *t, uint64_t *handle)
{
	uint64_t id = textures_reserve(h->tex, T_NONE);
	if (h->opt.code == HEDDLE_CODE_FERMI &&
	    (id - HANDLE_BASE) / HANDLE_STEP >= FERMI_TEXTURES) {
		textures_release(h->tex, id);
		return api_fail(h, HEDDLE_NO_MEMORY,
				"sm_20 code has at most %d textures and surfaces", FERMI_TEXTURES);
	}
	if (!textures_set(h->tex, id, t)) {
		textures_release(h->tex, id);
		return api_fail(
			h, HEDDLE_INVALID,
			"a texture needs a width, 1, 2 or 4 channels and 8, 16 or 32 bits each");
	}
	*handle = id;
	return HEDDLE_OK;
}

enum heddle_status heddle_tex_destroy(struct heddle *h, uint64_t handle)
{
	return textures_release(h->tex, handle) ? HEDDLE_OK
						: api_fail(h, HEDDLE_INVALID, "no texture 0x%llx",
							   (unsigned long long)handle);
}
