/* Texels: one mip level of a texture or surface, ready to be read and written. A texel is four
 * words: the bits of floats if the texture is `real` (float channels, or integers read as
 * normalised floats), else zero- or sign-extended integers. Channels that the format lacks read 0,
 * the fourth 1, as in OpenCL and the graphics interfaces. Texels are device memory: if the whole
 * level lies in one allocation, that is checked once, when the view is opened; otherwise, or when
 * access checks are on, every texel is checked on its own and a bad one stops the warp with a
 * fault. */
#ifndef EXEC_TEXEL_H
#define EXEC_TEXEL_H
#include "exec/memory/access.h"
#include "exec/places.h"
#include "exec/tex/tex.h"

enum tex_format {
	TF_U8,
	TF_S8,
	TF_U16,
	TF_S16,
	TF_32,
	TF_F16,
	TF_UN8,
	TF_SN8,
	TF_UN16,
	TF_SN16,
	TF_SRGB
};

struct tex_view {
	const uint8_t *host; /* the level's bytes on the host; NULL: not contiguous, or accesses
			      * are observed */
	uint64_t pitch, slice;
	uint32_t size[3]; /* texels in x, y; slices (depth, layers, faces) */
	uint32_t texel;   /* bytes */
	uint8_t format, channels;
	uint8_t mode[3]; /* effective enum heddle_addr_mode */
	bool real;
	uint32_t level;
	uint64_t base; /* device address */
	const struct heddle_tex *t;
	struct warp *w;
	const struct uop *u;
	unsigned lane; /* lane that reads, for faults */
};

/* Opens a view of level `level` (< max(levels, 1)) of t for instruction u, whose aux is SP_GLOBAL
 * and target a window. The caller sets the lane. */
void view_open(struct tex_view *v, struct warp *w, const struct uop *u, const struct heddle_tex *t,
	       unsigned level);

/* Size of a level along one axis. */
static inline uint32_t level_size(uint32_t n, unsigned level)
{
	return n >> level ? n >> level : 1;
}

static inline uint64_t texel_offset(const struct tex_view *v, int64_t x, int64_t y, int64_t z)
{
	return (uint64_t)z * v->slice + (uint64_t)y * v->pitch + (uint64_t)x * v->texel;
}

void texel_decode(const struct tex_view *v, const uint8_t *p, uint32_t out[4]);
/* The inverse of texel_decode(): clamps values to the format's range and writes v->texel bytes. */
void texel_encode(const struct tex_view *v, const uint32_t in[4], uint8_t *p);
/* A texel inside the view; zero bits after a fault. */
void texel_read(const struct tex_view *v, int64_t x, int64_t y, int64_t z, uint32_t out[4]);
/* Channel k of sRGB code x as the bits of a float. */
uint32_t srgb_decode(uint32_t x, unsigned k);
/* The texel that border addressing gives. */
void texel_border(const struct tex_view *v, uint32_t out[4]);

/* The descriptor of lane's handle; NULL after a fault. */
const struct heddle_tex *tex_resolve(struct warp *w, const struct uop *u, unsigned lane,
				     uint64_t handle);
/* True if all lanes of m hold the same handle. */
static inline bool handle_uniform(const uint32_t *h, uint32_t m)
{
	int f = __builtin_ctz(m);
	uint32_t diff = 0;
	for (int i = 0; i < LANES; i++)
		diff |= ((h[i] ^ h[f]) | (h[i + LANES] ^ h[f + LANES])) &
			(m & lane_bit[i] ? ~0u : 0);
	return !diff;
}

/* texfast.c: tex_is_plain(): true if the instruction may use the fast path. tex_fast() tries that
 * path; false: it did nothing. */
bool tex_is_plain(const struct inst *in);
bool tex_fast(struct warp *w, const struct uop *u, uint32_t mask);

/* Surfaces and queries: the families behind bind_tex. */
bool bind_surface(const struct inst *in, struct uop *u);
bool bind_texquery(const struct inst *in, struct uop *u);

#endif
