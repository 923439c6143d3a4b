#include "dev.h"
/* Nested loops with breaks, continues and early returns in divergent code. */
KERNEL(irregular)
{
	u32 v = in[I], s = 0;
	if ((v & 31) == 5) {
		out[I] = 0xdead;
		return;
	}
	for (u32 i = 0; i < (v & 15) + 3; i++) {
		if ((v >> i & 3) == 2)
			continue;
		for (u32 j = i; j < 20; j++) {
			s = s * 33 + j;
			if (s % 11 == 0)
				break;
			if (s % 37 == 0)
				goto done;
		}
		while (s & 4)
			s = s >> 1 ^ v;
	}
done:
	out[I] = s + v;
}
