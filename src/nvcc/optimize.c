/* Options that decide how far the device pass inlines and unrolls. Clang's defaults are made for
 * CPUs: they leave calls and loops that nvcc resolves, and an array whose index is not a constant
 * stays in local memory.
 *
 * 	float tile[8][8];
 * 	for (i < 8) for (j < 8) tile[i][j] += a[i] * b[j];
 *
 * nvcc unrolls this nest and keeps the tile in 64 registers. The thresholds below are those at
 * which nvcc 13 stops: plain loops from about 500 instructions on, nests over an array of the
 * thread between 256 and 512 elements, device functions never (they are inlined unless they are
 * recursive or __noinline__). Clang has no threshold for nests over arrays, so compile.c compiles a
 * source again with the higher one if the first PTX has local memory, and keeps the PTX with less
 * of it. */
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"

void cc_optimize_flags(struct words *w, enum cc_effort effort)
{
	static const struct {
		const char *option;
		unsigned value[2];
	} limit[] = {
		{"inline-threshold", {10000, 10000}},
		{"unroll-threshold", {500, 3000}},
		{"unroll-partial-threshold", {150, 150}},
	};
	for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
		words_add(w, "-mllvm");
		words_addf(w, "-%s=%u", limit[i].option, limit[i].value[effort]);
	}
}

size_t cc_frame_bytes(const char *ptx)
{
	static const char frame[] = "__local_depot";
	size_t n, sum = 0;
	char *text = cc_slurp(ptx, &n);
	for (const char *p = text; p && (p = strstr(p, frame)); p += sizeof frame) {
		const char *size = p + strcspn(p, "[;\n");
		if (*size == '[')
			sum += strtoul(size + 1, NULL, 10);
	}
	free(text);
	return sum;
}
