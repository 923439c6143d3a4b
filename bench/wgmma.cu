#include "dev.h"
/* C = A * B, n x n, n a multiple of 256: f16 products with sums of f32, by Hopper's tensor core. A
 * is stored by rows, B by columns. A block is one warp group and computes 64 x 256 elements of C.
 * Shared memory holds columns of 8 elements (16 bytes) of all rows, one column after the other: no
 * swizzle, rows 16 bytes apart. */
struct __attribute__((aligned(16))) chunk {
    unsigned w[4];
};
#define ROWS 64
#define COLS 256
#define DEPTH 8 /* chunks of a step */

static __device__ __attribute__((always_inline)) unsigned long long describe(const void *p, unsigned rows)
{
    unsigned long long at = (unsigned)(unsigned long long)(__attribute__((address_space(3))) const void *)p;
    return (at & 0x3ffff) >> 4 | (unsigned long long)rows << 16 | 8ull << 32;
}

#define R4(f, i) f(i), f(i + 1), f(i + 2), f(i + 3)
#define R16(f, i) R4(f, i), R4(f, i + 4), R4(f, i + 8), R4(f, i + 12)
#define R64(f, i) R16(f, i), R16(f, i + 16), R16(f, i + 32), R16(f, i + 48)
#define SUM(i) "+f"(d[i])

extern "C" __global__ void wgmma(const struct chunk *a, const struct chunk *b, float *c, int n)
{
    __shared__ struct chunk as[DEPTH][ROWS], bs[DEPTH][COLS];
    float d[128];
    int t = TIDX, row0 = BIDY * ROWS, col0 = BIDX * COLS;
    unsigned long long da = describe(as, ROWS), db = describe(bs, COLS);
#pragma unroll
    for (int i = 0; i < 128; i++)
        d[i] = 0;
    for (int k = 0; k < n / 8; k += DEPTH) {
        for (int e = t; e < ROWS * DEPTH; e += 128)
            as[e % DEPTH][e / DEPTH] = a[(row0 + e / DEPTH) * (n / 8) + k + e % DEPTH];
        for (int e = t; e < COLS * DEPTH; e += 128)
            bs[e % DEPTH][e / DEPTH] = b[(col0 + e / DEPTH) * (n / 8) + k + e % DEPTH];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        SYNC();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int s = 0; s < DEPTH / 2; s++)
            asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16\n\t{"
                         "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                         "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                         "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                         "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
                         "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
                         "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
                         "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
                         "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, 1, 1, 1, 0, 0;"
                         : R64(SUM, 0), R64(SUM, 64)
                         : "l"(da + s * 2 * ROWS), "l"(db + s * 2 * COLS));
        asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
        SYNC();
    }
    int row = row0 + t / 32 * 16 + t % 32 / 4, col = col0 + t % 4 * 2;
#pragma unroll
    for (int i = 0; i < 128; i++)
        c[(row + i / 2 % 2 * 8) * n + col + i / 4 * 8 + i % 2] = d[i];
}
