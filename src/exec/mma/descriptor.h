/* The descriptor of a matrix in shared memory that wgmma and machine code's HGMMA read.
 *
 * Bits 0 to 13 start address, 16 to 29 leading and 32 to 45 stride byte offset, each in 16 bytes; 49 to 51 base
 * offset; 62 and 63 the swizzle (0 none, 1 128 bytes, 2 64, 3 32). With W = 1, 8, 4, 2 units of 16 bytes:
 *
 *   along K     row i, chunk c:   16 W (i mod 8) + stride (i / 8) + c (16, or without swizzle the leading offset)
 *   along M, N  chunk c, k:       without swizzle c stride + 16 (k mod 8) + (k / 8) leading; else
 *                                 16 (c mod W) + (c / W) leading + 16 W (k mod 8) + (k / 8) stride
 *
 * Then bits 4 to 6 of the shared address are xored with its bits 7 to 9 less the base offset, 3, 2 or 1 of them:
 * the pattern depends on the absolute address. */
#ifndef EXEC_DESCRIPTOR_H
#define EXEC_DESCRIPTOR_H
#include <stdbool.h>
#include <stdint.h>

struct descriptor {
	uint32_t start, leading, stride; /* bytes */
	uint8_t base, width, mask;       /* width: W; width: W in units of 16 bytes; mask:
					  * address bits that the swizzle xors */
};

static inline struct descriptor descriptor_of(uint64_t d)
{
	static const uint8_t width[] = {1, 8, 4, 2}, mask[] = {0, 7, 3, 1};
	return (struct descriptor){(uint32_t)(d & 0x3fff) << 4,
				   (uint32_t)(d >> 16 & 0x3fff) << 4,
				   (uint32_t)(d >> 32 & 0x3fff) << 4,
				   (uint8_t)(d >> 49 & 7),
				   width[d >> 62],
				   mask[d >> 62]};
}

static inline uint32_t descriptor_swizzle(const struct descriptor *d, uint32_t a)
{
	return a ^ (((a >> 7) - d->base) & d->mask) << 4;
}

/* Address of chunk c, 16 bytes along K, of row i of M or column i of N. */
static inline uint32_t descriptor_along_k(const struct descriptor *d, unsigned i, unsigned c)
{
	return descriptor_swizzle(d, d->start + i % 8 * 16 * d->width + i / 8 * d->stride +
					     c * (d->width > 1 ? 16 : d->leading));
}

/* Address of chunk c, 16 bytes along M or N, at depth k. */
static inline uint32_t descriptor_across(const struct descriptor *d, unsigned c, unsigned k)
{
	unsigned w = d->width;
	uint32_t a = w > 1 ? c % w * 16 + c / w * d->leading + k % 8 * 16 * w + k / 8 * d->stride
			   : c * d->stride + k % 8 * 16 + k / 8 * d->leading;
	return descriptor_swizzle(d, d->start + a);
}

#endif
