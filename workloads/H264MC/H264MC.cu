/*
 * H264MC: motion compensation of H.264 video: a picture predicted from another by motion vectors of
 *   a quarter pixel, luma and chroma.
 *
 * Used by: stsimt (as MC; Table II: two kernels, 8160 blocks of 64 threads).
 * Geometry: one block of 64 threads a macroblock of 16x16 pixels, 8160 of them in a picture of
 *   1920x1088. `luma`: a half-warp predicts an 8x8 quarter of the macroblock with its own vector,
 *   four pixels a thread; the vector's fraction decides between nothing, a 6-tap filter in either
 *   direction, both filters, and averages: a warp with two different fractions diverges. `chroma`:
 *   a thread a pixel of both colour planes, bilinear, no divergence.
 * Memory: byte loads from the reference picture with coordinates clamped to it; no shared memory.
 * Input: a synthetic 4:2:0 picture of waves and noise; macroblocks of one, two or four vectors (60,
 *   30, 10 %), a pan with local motion, a third of the vectors without fraction, as in encoded
 *   video.
 * Check: bit by bit against planes of half pixels that are filtered for the whole, padded picture
 *   first.
 */
#include "../common/workload.h"
#include <algorithm>

enum { THREADS = 64 };

struct plane {
	const unsigned char *pixel;
	int width, height;
};

static __device__ __forceinline__ int clamp(int v, int most)
{
	return v < 0 ? 0 : v > most ? most : v;
}

static __device__ __forceinline__ int clip(int v)
{
	return clamp(v, 255);
}

static __device__ __forceinline__ int fetch(const struct plane &p, int x, int y)
{
	return p.pixel[clamp(y, p.height - 1) * p.width + clamp(x, p.width - 1)];
}

static __device__ __forceinline__ int taps(int a, int b, int c, int d, int e, int f)
{
	return a - 5 * b + 20 * c + 20 * d - 5 * e + f;
}

/* The filter's sum between x and x + 1, before rounding; the same between y and y + 1. */
static __device__ __forceinline__ int across(const struct plane &p, int x, int y)
{
	return taps(fetch(p, x - 2, y), fetch(p, x - 1, y), fetch(p, x, y), fetch(p, x + 1, y),
	            fetch(p, x + 2, y), fetch(p, x + 3, y));
}

static __device__ __forceinline__ int down(const struct plane &p, int x, int y)
{
	return taps(fetch(p, x, y - 2), fetch(p, x, y - 1), fetch(p, x, y), fetch(p, x, y + 1),
	            fetch(p, x, y + 2), fetch(p, x, y + 3));
}

static __device__ __forceinline__ int half_across(const struct plane &p, int x, int y)
{
	return clip((across(p, x, y) + 16) >> 5);
}

static __device__ __forceinline__ int half_down(const struct plane &p, int x, int y)
{
	return clip((down(p, x, y) + 16) >> 5);
}

static __device__ __forceinline__ int half_both(const struct plane &p, int x, int y)
{
	int sum = taps(across(p, x, y - 2), across(p, x, y - 1), across(p, x, y),
	               across(p, x, y + 1), across(p, x, y + 2), across(p, x, y + 3));
	return clip((sum + 512) >> 10);
}

/* The pixel at (x, y) plus the fraction (fx, fy) in quarters. */
static __device__ __forceinline__ int predict(const struct plane &p, int x, int y, int fx, int fy)
{
	int a, b;
	if (fx == 0 && fy == 0)
		return fetch(p, x, y);
	if (fy == 0) {
		a = half_across(p, x, y);
		b = fx == 2 ? a : fetch(p, x + (fx == 3), y);
	} else if (fx == 0) {
		a = half_down(p, x, y);
		b = fy == 2 ? a : fetch(p, x, y + (fy == 3));
	} else if (fx == 2) {
		a = half_both(p, x, y);
		b = fy == 2 ? a : half_across(p, x, y + (fy == 3));
	} else if (fy == 2) {
		a = half_both(p, x, y);
		b = half_down(p, x + (fx == 3), y);
	} else {
		a = half_across(p, x, y + (fy == 3));
		b = half_down(p, x + (fx == 3), y);
	}
	return (a + b + 1) >> 1;
}

/* Vectors: four a macroblock, for its quarters, in quarter pixels. */
__global__ void luma(unsigned char *out, struct plane ref, const short2 *vector)
{
	int quarter = threadIdx.x / 16, t = threadIdx.x % 16;
	short2 v = vector[(blockIdx.y * gridDim.x + blockIdx.x) * 4 + quarter];
	int x = blockIdx.x * 16 + quarter % 2 * 8 + t % 2 * 4;
	int y = blockIdx.y * 16 + quarter / 2 * 8 + t / 2;
	int rx = x + (v.x >> 2), ry = y + (v.y >> 2), fx = v.x & 3, fy = v.y & 3;
	unsigned four = 0;
#pragma unroll 1
	for (int i = 0; i < 4; i++)
		four |= predict(ref, rx + i, ry, fx, fy) << 8 * i;
	*(unsigned *)(out + y * ref.width + x) = four;
}

static __device__ unsigned char bilinear(const struct plane &p, int x, int y, int fx, int fy)
{
	int top = (8 - fx) * fetch(p, x, y) + fx * fetch(p, x + 1, y);
	int bottom = (8 - fx) * fetch(p, x, y + 1) + fx * fetch(p, x + 1, y + 1);
	return ((8 - fy) * top + fy * bottom + 32) >> 6;
}

/* The same vectors are eighths of a pixel in the colour planes. */
__global__ void chroma(unsigned char *out_cb, unsigned char *out_cr, struct plane cb,
                       struct plane cr, const short2 *vector)
{
	int tx = threadIdx.x % 8, ty = threadIdx.x / 8;
	short2 v = vector[(blockIdx.y * gridDim.x + blockIdx.x) * 4 + ty / 4 * 2 + tx / 4];
	int x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty, at = y * cb.width + x;
	int rx = x + (v.x >> 3), ry = y + (v.y >> 3), fx = v.x & 7, fy = v.y & 7;
	out_cb[at] = bilinear(cb, rx, ry, fx, fy);
	out_cr[at] = bilinear(cr, rx, ry, fx, fy);
}

/* Up and down between 0 and `most`; no libm in the inputs, so that they are the same everywhere. */
static int wave(int i, int most)
{
	int at = i % (2 * most);
	return at < most ? at : 2 * most - at;
}

static std::vector<unsigned char> picture_make(struct workload *w, int width, int height, int pitch)
{
	std::vector<unsigned char> p((size_t)width * height);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			int board = (x / 24 + y / 24) % 2 * 120;
			p[(size_t)y * width + x] =
			        (unsigned char)(wave(x, pitch) + wave(x + 2 * y, 60) + board +
			                        rng_below(&w->rng, 22));
		}
	return p;
}

static short component(struct workload *w, float pan)
{
	float v = pan + 6 * rng_normal(&w->rng);
	int whole = rng_below(&w->rng, 2) == 0;
	return (short)(whole ? 4 * (int)(v / 4) : (int)v);
}

static std::vector<short2> vectors_make(struct workload *w, int macroblocks)
{
	std::vector<short2> v((size_t)macroblocks * 4);
	for (int m = 0; m < macroblocks; m++) {
		uint32_t mode = rng_below(&w->rng, 100);
		for (int q = 0; q < 4; q++) {
			int same = mode < 60 ? 0 : mode < 75 ? q & 2 : mode < 90 ? q & 1 : q;
			if (same == q) {
				v[4 * m + q].x = component(w, 21);
				v[4 * m + q].y = component(w, -9);
			} else {
				v[4 * m + q] = v[4 * m + same];
			}
		}
	}
	return v;
}

/* The reference picture padded far enough for every vector, and its planes of half pixels. */
struct padded {
	enum { PAD = 80 };
	int width, height;
	std::vector<int> full, right, below, middle;
	size_t at(int x, int y) const { return (size_t)(y + PAD) * width + x + PAD; }
};

static int six(const std::vector<int> &v, size_t at, size_t step)
{
	return (v[at - 2 * step] + v[at + 3 * step]) - 5 * (v[at - step] + v[at + 2 * step]) +
	       20 * (v[at] + v[at + step]);
}

static struct padded padded_make(const std::vector<unsigned char> &p, int width, int height)
{
	struct padded r;
	r.width = width + 2 * padded::PAD;
	r.height = height + 2 * padded::PAD;
	size_t n = (size_t)r.width * r.height;
	r.full.resize(n);
	for (int y = 0; y < r.height; y++)
		for (int x = 0; x < r.width; x++) {
			int sx = std::min(std::max(x - padded::PAD, 0), width - 1);
			int sy = std::min(std::max(y - padded::PAD, 0), height - 1);
			r.full[(size_t)y * r.width + x] = p[(size_t)sy * width + sx];
		}
	std::vector<int> vertical(n);
	r.right = r.below = r.middle = vertical;
	auto round_clip = [](int v, int bits) {
		return std::min(255, std::max(0, (v + (1 << (bits - 1))) >> bits));
	};
	size_t edge = 4 * (size_t)r.width;
	for (size_t i = edge; i < n - edge; i++) {
		vertical[i] = six(r.full, i, r.width);
		r.below[i] = round_clip(vertical[i], 5);
		r.right[i] = round_clip(six(r.full, i, 1), 5);
	}
	for (size_t i = edge; i < n - edge; i++)
		r.middle[i] = round_clip(six(vertical, i, 1), 10);
	return r;
}

/* The two samples whose average a fraction is: plane and offset; the standard's table 8-12. */
static int quarter_pixel(const struct padded *r, int x, int y, int fx, int fy)
{
	size_t i = r->at(x, y), e = i + 1, s = i + r->width;
	const std::vector<int> &G = r->full, &b = r->right, &h = r->below, &j = r->middle;
	const int pair[4][4][2] = {
		{{G[i], G[i]}, {G[i], b[i]}, {b[i], b[i]}, {b[i], G[e]}},
		{{G[i], h[i]}, {b[i], h[i]}, {b[i], j[i]}, {b[i], h[e]}},
		{{h[i], h[i]}, {h[i], j[i]}, {j[i], j[i]}, {j[i], h[e]}},
		{{h[i], G[s]}, {h[i], b[s]}, {j[i], b[s]}, {b[s], h[e]}},
	};
	return (pair[fy][fx][0] + pair[fy][fx][1] + 1) / 2;
}

static int floor_div(int a, int b)
{
	return (int)floor((double)a / b);
}

static std::vector<unsigned char> luma_reference(const std::vector<unsigned char> &p, int width,
                                                 int height, const std::vector<short2> &vector)
{
	struct padded r = padded_make(p, width, height);
	std::vector<unsigned char> out(p.size());
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			int mb = y / 16 * (width / 16) + x / 16;
			short2 v = vector[mb * 4 + y % 16 / 8 * 2 + x % 16 / 8];
			int qx = 4 * x + v.x, qy = 4 * y + v.y, ix = floor_div(qx, 4),
			    iy = floor_div(qy, 4);
			out[(size_t)y * width + x] =
				(unsigned char)quarter_pixel(&r, ix, iy, qx - 4 * ix, qy - 4 * iy);
		}
	return out;
}

static std::vector<unsigned char> chroma_reference(const std::vector<unsigned char> &p, int width,
                                                   int height, const std::vector<short2> &vector)
{
	struct padded r = padded_make(p, width, height);
	std::vector<unsigned char> out(p.size());
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			int mb = y / 8 * (width / 8) + x / 8;
			short2 v = vector[mb * 4 + y % 8 / 4 * 2 + x % 8 / 4];
			int ex = 8 * x + v.x, ey = 8 * y + v.y, ix = floor_div(ex, 8),
			    iy = floor_div(ey, 8);
			int fx = ex - 8 * ix, fy = ey - 8 * iy, sum = 32;
			for (int c = 0; c < 4; c++)
				sum += (c & 1 ? fx : 8 - fx) * (c & 2 ? fy : 8 - fy) *
				       r.full[r.at(ix + (c & 1), iy + (c >> 1))];
			out[(size_t)y * width + x] = (unsigned char)(sum / 64);
		}
	return out;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("H264MC", argc, argv);
	workload_options_end(&w);
	int width = workload_pick(&w, 176, 640, 1920), height = workload_pick(&w, 144, 368, 1088);
	int mx = width / 16, my = height / 16, cw = width / 2, ch = height / 2;
	std::vector<unsigned char> y = picture_make(&w, width, height, 19),
	                           cb = picture_make(&w, cw, ch, 31),
	                           cr = picture_make(&w, cw, ch, 43), got_y(y.size()),
	                           got_cb(cb.size()), got_cr(cr.size());
	std::vector<short2> vector = vectors_make(&w, mx * my);
	struct plane py = {to_device(y), width, height}, pb = {to_device(cb), cw, ch},
		pr = {to_device(cr), cw, ch};
	unsigned char *oy = on_device<unsigned char>(y.size()),
	              *ob = on_device<unsigned char>(cb.size()),
	              *orr = on_device<unsigned char>(cr.size());
	short2 *dv = to_device(vector);
	luma<<<dim3(mx, my), THREADS>>>(oy, py, dv);
	chroma<<<dim3(mx, my), THREADS>>>(ob, orr, pb, pr, dv);
	CUDA_LAUNCHED();
	from_device(got_y, oy);
	from_device(got_cb, ob);
	from_device(got_cr, orr);
	check_equal(&w, "luma", got_y, luma_reference(y, width, height, vector));
	check_equal(&w, "cb", got_cb, chroma_reference(cb, cw, ch, vector));
	check_equal(&w, "cr", got_cr, chroma_reference(cr, cw, ch, vector));
	return workload_finish(&w);
}
