#include "dev.h"
/* Divergent floating-point loop: neighbouring threads leave after different numbers of
 * iterations. */
extern "C" __global__ void mandel(u32 *out, u32 width, u32 limit)
{
	u32 i = BIDX * BDIMX + TIDX;
	float cx = -2.2f + 3.2f * (float)(i % width) / (float)width, cy = -1.2f + 2.4f * (float)(i / width) / (float)width;
	float x = 0, y = 0;
	u32 n = 0;
	while (n < limit && x * x + y * y < 4.0f) {
		float t = x * x - y * y + cx;
		y = 2 * x * y + cy;
		x = t;
		n++;
	}
	out[i] = n;
}
