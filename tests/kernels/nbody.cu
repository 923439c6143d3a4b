#include "dev.h"
/* Forces between 128 bodies: correctly rounded division and square root. */
KERNEL(nbody)
{
	__shared__ float px[128], py[128], pz[128];
	u32 t = TIDX;
	px[t] = small(in[I]);
	py[t] = small(in[(I + 5) % n]);
	pz[t] = small(in[(I + 9) % n]);
	SYNC();
	float ax = 0, ay = 0, az = 0;
	for (u32 j = 0; j < 128; j++) {
		float dx = px[j] - px[t], dy = py[j] - py[t], dz = pz[j] - pz[t];
		float d2 = FMA(dx, dx, FMA(dy, dy, FMA(dz, dz, 0.01f)));
		float f = 1.0f / (d2 * SQRT(d2));
		ax = FMA(dx, f, ax);
		ay = FMA(dy, f, ay);
		az = FMA(dz, f, az);
	}
	out[I] = bits_of(ax) ^ bits_of(ay) * 3 ^ bits_of(az) * 5;
}
