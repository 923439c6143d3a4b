/* Texture sampling: from coordinates to a filtered texel, by the rules of the CUDA programming guide.
 *
 *   x = coordinate, times the size in texels if coordinates are normalised (wrap: after frac(x); mirror:
 *       after folding odd periods back); what is not a number counts as 0
 *   point:  texel floor(x)
 *   linear: xB = x - 0.5, i = floor(xB), alpha = frac(xB) rounded to 8 bits of fraction; texels i, i + 1
 *           of each axis weighted by 1 - alpha, alpha. Weights are exact; weighted texels are added in
 *           single precision, x fastest; a texel of weight 0 does not count, be it infinite or NaN
 *
 * Texel indices outside are clamped, repeated, mirrored or replaced by the border colour, each index on
 * its own. Texel offsets are added to the index before that.                                       */
#ifndef EXEC_SAMPLE_H
#define EXEC_SAMPLE_H
#include "exec/tex/texel.h"

struct texpos {
	float c[3];
	unsigned nd;   /* coordinates: 1, 2, 3 */
	int64_t slice; /* layer or face, for nd < 3; inside the view */
	int32_t off[3];
};

void sample_point(const struct tex_view *v, const struct texpos *p, uint32_t out[4]);
void sample_linear(const struct tex_view *v, const struct texpos *p, uint32_t out[4]);
/* One channel of the 2x2 texels that linear filtering would use: counter-clockwise from lower left,
 * that is (i, j + 1), (i + 1, j + 1), (i + 1, j), (i, j). */
void sample_gather(const struct tex_view *v, const struct texpos *p, unsigned channel,
		   uint32_t out[4]);
/* Reads the texel with the given indices; outside: as the modes say, in linear memory 0. */
void sample_fetch(const struct tex_view *v, const int32_t c[3], const struct texpos *p,
		  uint32_t out[4]);

/* The face of a cube that direction d hits, and the normalised coordinates there. */
unsigned cube_face(const float d[3], float st[2]);
/* The derivatives of s and t along one screen axis, from those of d. */
void cube_gradient(const float d[3], const float dd[3], float dst[2]);

struct lod { /* one or two levels, the second weighted by a / 256 */
	unsigned l0, l1, a;
};
struct lod lod_select(const struct heddle_tex *t, float level);
/* The level at which the larger of two gradients (nd elements each, per texture axis) is one
 * texel. */
float lod_gradient(const struct heddle_tex *t, unsigned nd, const float *dx, const float *dy);

#endif
