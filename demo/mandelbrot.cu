/* The Mandelbrot set, one pixel a thread: neighbouring threads leave the loop after very different
 * numbers of steps, so warps diverge along the border of the set.
 *
 *   clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -O2 -S
 *         -I ../bench mandelbrot.cu -o mandelbrot.ptx                                          */
#include "dev.h"

__device__ static int steps(float cx, float cy, int limit)
{
	float x = 0, y = 0;
	int n = 0;
	while (n < limit && x * x + y * y < 4.0f) {
		float t = x * x - y * y + cx;
		y = 2 * x * y + cy;
		x = t;
		n++;
	}
	return n;
}

/* Gray values, row by row. */
extern "C" __global__ void image(unsigned char *out, int width, int height, float left, float top, float scale,
                                 int limit)
{
	int x = BIDX * BDIMX + TIDX, y = BIDY * BDIMY + TIDY;
	if (x >= width || y >= height)
		return;
	int n = steps(left + x * scale, top + y * scale, limit);
	out[y * width + x] = n == limit ? 0 : 255 - 7 * n % 256;
}

/* Lines of text: a character is twice as high as wide. */
extern "C" __global__ void text(char *out, int width, int height, float left, float top, float scale, int limit)
{
	int x = BIDX * BDIMX + TIDX, y = BIDY * BDIMY + TIDY;
	if (x > width || y >= height)
		return;
	int n = steps(left + x * scale, top + 2 * y * scale, limit);
	char c = n == limit ? '@' : n > 24 ? '%' : n > 14 ? '#' : n > 9 ? '*' : n > 6 ? '+' : n > 4 ? '=' : n > 3 ? '-'
	       : n > 2 ? '.' : ' ';
	out[y * (width + 1) + x] = x == width ? '\n' : c;
}
