#include "dev.h"
/* A dense switch in a loop: a small interpreter, each thread its own program. */
KERNEL(cases)
{
	u32 code = in[I], acc = I, x = code ^ 0x9e3779b9u;
	for (int i = 0; i < 10; i++, code = code >> 3 | code << 29)
		switch (code & 7) {
		case 0: acc += x; break;
		case 1: acc ^= x << 3; break;
		case 2: acc = acc * 5 + 1; break;
		case 3: x = acc >> 2; break;
		case 4: acc -= x; /* and on */
		case 5: x += 17; break;
		case 6: if (acc & 1) continue; acc /= 3; break;
		case 7: acc = ~acc; break;
		}
	out[I] = acc ^ x;
}
