#include "dev.h"
/* Bytes and halves in memory: loads, stores, sign extension, unaligned structures by bytes. */
__constant__ u8 table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
KERNEL(bytes)
{
	const u8 *b = (const u8 *)in;
	const short *h = (const short *)in;
	u8 *o = (u8 *)out + 4 * I;
	s32 s = (signed char)b[4 * I + 1] + h[2 * I] * table[b[4 * I] & 15];
	o[0] = (u8)s;
	o[1] = (u8)(s >> 8) + table[I & 15];
	((u16 *)o)[1] = (u16)(b[(4 * I + 7) % (4 * n)] << 4) + (u16)h[(I * 3) % (2 * n)];
}
