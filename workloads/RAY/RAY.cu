/*
 * RAY: a picture of mirroring spheres over a chequered plane, by ray tracing.
 *
 * Used by: hws (thesis, section 5.2: 256x256, up to five levels of reflections, shadows), stsimt
 *   (Table II: 512 blocks of 128 threads), warpman (Table 2: 6 warps a block, no shared memory, 64
 *   registers a thread; figure 5 has the loop over reflections).
 * Geometry: one thread a pixel. Blocks of 16x8, a grid of 16x32 for 256x256; with --block 192 (row
 *   RAY.warpman) blocks of 16x12, a grid of 16x22. A thread leaves the loop over reflections when its
 *   ray meets nothing, so warps live for one to five rounds.
 * Options: --block N: threads of a block; --wide N: pixels of its rows; --side N: of the picture.
 * Memory: spheres and the camera in constant memory; the picture in global memory. One barrier, after
 *   the rays have been made, as warpman tells of the program.
 * Input: synthetic. A fixed arrangement of spheres, with the seed choosing places, colours and mirrors.
 * Check: every pixel, traced in double precision. A ray that passes an edge within rounding may fall on
 *   the other side, at any of its reflections: a pixel that differs must lie between the colours of
 *   rays a hair beside it; few may need that.
 */
#include "../common/workload.h"

enum { SPHERES = 8, LEVELS = 5 };
#define FAR_AWAY 10000.0f
#define CHEQUERS 30.0f  /* beyond, they would be finer than a pixel */
#define NUDGE    0.001f

struct sphere {
	float x, y, z, r;       /* centre and radius */
	float red, green, blue;
	float mirror;           /* share of light that is reflected */
};

__constant__ struct sphere scene[SPHERES];
__constant__ float3 lamp;   /* direction to the light, length 1 */

struct vec {
	float x, y, z;
};

static __device__ struct vec vec_make(float x, float y, float z)
{
	struct vec v = {x, y, z};
	return v;
}

static __device__ struct vec vec_along(struct vec p, float t, struct vec d)
{
	return vec_make(p.x + t * d.x, p.y + t * d.y, p.z + t * d.z);
}

static __device__ float vec_dot(struct vec a, struct vec b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static __device__ struct vec vec_unit(struct vec v)
{
	float s = rsqrtf(vec_dot(v, v));
	return vec_make(v.x * s, v.y * s, v.z * s);
}

/* Distance along a ray to a sphere's front, or FAR_AWAY. */
static __device__ float meet_sphere(struct vec from, struct vec dir, const struct sphere *s)
{
	struct vec to = vec_make(s->x - from.x, s->y - from.y, s->z - from.z);
	float along = vec_dot(to, dir), aside = vec_dot(to, to) - along * along, room = s->r * s->r - aside;
	if (room < 0)
		return FAR_AWAY;
	float t = along - sqrtf(room);
	return t > 0 ? t : FAR_AWAY;
}

/* The plane is y = 0. */
static __device__ float meet_plane(struct vec from, struct vec dir)
{
	float t = dir.y < 0 ? -from.y / dir.y : FAR_AWAY;
	return t > 0 && t < FAR_AWAY ? t : FAR_AWAY;
}

static __device__ bool in_shadow(struct vec p, struct vec light)
{
	for (int i = 0; i < SPHERES; i++)
		if (meet_sphere(p, light, &scene[i]) < FAR_AWAY)
			return true;
	return false;
}

static __device__ uint32_t pack(float r, float g, float b)
{
	uint32_t ir = (uint32_t)(fminf(r, 1.0f) * 255.0f), ig = (uint32_t)(fminf(g, 1.0f) * 255.0f);
	return ir | ig << 8 | (uint32_t)(fminf(b, 1.0f) * 255.0f) << 16;
}

__global__ void render(uint32_t *picture, int width, int height)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
	struct vec at = vec_make(0, 2.5f, -9), light = vec_make(lamp.x, lamp.y, lamp.z);
	float sx = (px + 0.5f) / width - 0.5f, sy = 0.5f - (py + 0.5f) / height;
	struct vec dir = vec_unit(vec_make(sx, sy - 0.1f, 1));
	__syncthreads();
	if (px >= width || py >= height)
		return;
	float red = 0, green = 0, blue = 0, share = 1;
	int hits = 0;
	for (int level = 0; level < LEVELS && hits == level; level++) {
		float best = meet_plane(at, dir);
		int what = -1;
		for (int i = 0; i < SPHERES; i++) {
			float t = meet_sphere(at, dir, &scene[i]);
			if (t < best) {
				best = t;
				what = i;
			}
		}
		if (best >= FAR_AWAY) { /* the sky */
			float up = fmaxf(dir.y, 0.0f);
			red += share * (0.6f - 0.4f * up);
			green += share * (0.7f - 0.3f * up);
			blue += share;
			continue;
		}
		hits++;
		struct vec p = vec_along(at, best, dir), n = vec_make(0, 1, 0);
		float r = 0.9f, g = 0.9f, b = 0.9f, mirror = 0.2f;
		if (what >= 0) {
			const struct sphere *s = &scene[what];
			n = vec_make((p.x - s->x) / s->r, (p.y - s->y) / s->r, (p.z - s->z) / s->r);
			r = s->red;
			g = s->green;
			b = s->blue;
			mirror = s->mirror;
		} else if (fabsf(p.x) > CHEQUERS || fabsf(p.z) > CHEQUERS) {
			r = g = b = 0.5f;
		} else if (((int)floorf(p.x) + (int)floorf(p.z)) & 1) {
			r = g = b = 0.15f;
		}
		at = vec_along(p, NUDGE, n);
		float lit = fmaxf(vec_dot(n, light), 0.0f);
		if (lit > 0 && in_shadow(at, light))
			lit = 0;
		float shade = share * (1 - mirror) * (0.2f + 0.8f * lit);
		red += shade * r;
		green += shade * g;
		blue += shade * b;
		share *= mirror;
		dir = vec_along(dir, -2 * vec_dot(n, dir), n);
	}
	picture[py * width + px] = pack(red, green, blue);
}

/* ---- host: the same picture by recursion, in double precision ---- */

struct point {
	double v[3];
};

static double dot(struct point a, struct point b)
{
	return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

static struct point sum(struct point a, double k, struct point b)
{
	for (int i = 0; i < 3; i++)
		a.v[i] += k * b.v[i];
	return a;
}

struct world {
	struct sphere ball[SPHERES];
	struct point light;
};

/* The smaller root of |from + t dir - centre| = r if it is ahead; negative: none. */
static double ahead(struct point from, struct point dir, const struct sphere *s)
{
	struct point c = {{s->x, s->y, s->z}}, o = sum(from, -1, c);
	double b = 2 * dot(o, dir), disc = b * b - 4 * (dot(o, o) - (double)s->r * s->r);
	return disc < 0 ? -1 : (-b - sqrt(disc)) / 2;
}

static struct point colour(const struct world *w, struct point from, struct point dir, int level)
{
	struct point black = {{0, 0, 0}};
	if (level == LEVELS)
		return black;
	double t = FAR_AWAY;
	const struct sphere *hit = NULL;
	if (dir.v[1] < 0 && from.v[1] > 0 && -from.v[1] / dir.v[1] < FAR_AWAY)
		t = -from.v[1] / dir.v[1];
	for (int i = 0; i < SPHERES; i++) {
		double s = ahead(from, dir, &w->ball[i]);
		if (s > 0 && s < t) {
			t = s;
			hit = &w->ball[i];
		}
	}
	if (t == (double)FAR_AWAY) {
		double up = dir.v[1] > 0 ? dir.v[1] : 0;
		struct point sky = {{0.6 - 0.4 * up, 0.7 - 0.3 * up, 1}};
		return sky;
	}
	struct point p = sum(from, t, dir), n = {{0, 1, 0}}, paint = {{0.9, 0.9, 0.9}};
	double mirror = 0.2;
	if (hit) {
		struct point c = {{hit->x, hit->y, hit->z}}, own = {{hit->red, hit->green, hit->blue}};
		n = sum(black, 1 / (double)hit->r, sum(p, -1, c));
		paint = own;
		mirror = hit->mirror;
	} else if (fabs(p.v[0]) > CHEQUERS || fabs(p.v[2]) > CHEQUERS) {
		paint = sum(black, 0.5 / 0.9, paint);
	} else if (((long)floor(p.v[0]) + (long)floor(p.v[2])) % 2) {
		paint = sum(black, 0.15 / 0.9, paint);
	}
	struct point start = sum(p, NUDGE, n);
	double lit = dot(n, w->light);
	for (int i = 0; i < SPHERES && lit > 0; i++)
		if (ahead(start, w->light, &w->ball[i]) > 0)
			lit = 0;
	double shade = (1 - mirror) * (0.2 + 0.8 * (lit > 0 ? lit : 0));
	struct point back = colour(w, start, sum(dir, -2 * dot(n, dir), n), level + 1);
	return sum(sum(black, shade, paint), mirror, back);
}

static struct point trace(const struct world *w, double x, double y, int width, int height)
{
	struct point from = {{0, 2.5, -9}}, dir = {{x / width - 0.5, 0.4 - y / height, 1}};
	struct point zero = {{0, 0, 0}};
	return colour(w, from, sum(zero, 1 / sqrt(dot(dir, dir)), dir), 0);
}

/* Whether a pixel lies between two colours, up to rounding. */
static bool between(uint32_t pixel, struct point lo, struct point hi)
{
	for (int i = 0; i < 3; i++) {
		double got = (pixel >> (8 * i)) & 255;
		if (!(got >= 255 * fmin(lo.v[i], 1) - 2 && got <= 255 * fmin(hi.v[i], 1) + 1))
			return false;
	}
	return true;
}

/* Rays up to this part of a pixel beside it, where rounding may decide what is hit. */
#define HAIR 0.02

static bool on_edge(const struct world *w, uint32_t pixel, int x, int y, int side)
{
	struct point lo = trace(w, x + 0.5, y + 0.5, side, side), hi = lo;
	for (int k = 0; k < 81; k++) {
		struct point c = trace(w, x + 0.5 + HAIR / 4 * (k % 9 - 4), y + 0.5 + HAIR / 4 * (k / 9 - 4),
		                       side, side);
		for (int i = 0; i < 3; i++) {
			lo.v[i] = fmin(lo.v[i], c.v[i]);
			hi.v[i] = fmax(hi.v[i], c.v[i]);
		}
	}
	return between(pixel, lo, hi);
}

static struct world make_world(struct rng *r)
{
	struct world w;
	for (int i = 0; i < SPHERES; i++) {
		struct sphere *s = &w.ball[i];
		s->r = rng_range(r, 0.7f, 1.3f);
		s->x = -4.5f + 3 * (float)(i % 4) + rng_range(r, -0.3f, 0.3f);
		s->z = 4 * (float)(i / 4) + rng_range(r, -0.5f, 0.5f);
		s->y = s->r + rng_range(r, 0.05f, 0.6f);
		s->red = rng_range(r, 0.2f, 1);
		s->green = rng_range(r, 0.2f, 1);
		s->blue = rng_range(r, 0.2f, 1);
		s->mirror = rng_range(r, 0.2f, 0.7f);
	}
	struct point l = {{-0.48, 0.8, -0.36}}; /* length 1 */
	w.light = l;
	return w;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("RAY", argc, argv);
	int threads = (int)workload_number(&w, "--block", 128, 16, 1024);
	int side = (int)workload_number(&w, "--side", workload_pick(&w, 64, 128, 256), 8, 4096);
	int wide = (int)workload_number(&w, "--wide", 16, 1, 1024);
	workload_options_end(&w);
	if (threads % wide) {
		fprintf(stderr, "RAY: --block must be a multiple of --wide, %d\n", wide);
		return 2;
	}
	struct world world = make_world(&w.rng);
	float3 light = make_float3((float)world.light.v[0], (float)world.light.v[1], (float)world.light.v[2]);
	CUDA(cudaMemcpyToSymbol(scene, world.ball, sizeof world.ball));
	CUDA(cudaMemcpyToSymbol(lamp, &light, sizeof light));
	std::vector<uint32_t> picture((size_t)side * side);
	uint32_t *dpicture = on_device<uint32_t>(picture.size());
	dim3 block(wide, threads / wide), grid((side + wide - 1) / wide, (side + block.y - 1) / block.y);
	render<<<grid, block>>>(dpicture, side, side);
	CUDA_LAUNCHED();
	from_device(picture, dpicture);
	int beside = 0;
	for (int y = 0; y < side; y++)
		for (int x = 0; x < side; x++) {
			uint32_t pixel = picture[(size_t)y * side + x];
			struct point want = trace(&world, x + 0.5, y + 0.5, side, side);
			bool ok = between(pixel, want, want);
			beside += !ok;
			ok = ok || on_edge(&world, pixel, x, y, side);
			check_true(&w, "a pixel", ok);
		}
	check_true(&w, "few pixels on an edge", beside <= side * side / 200);
	return workload_finish(&w);
}
