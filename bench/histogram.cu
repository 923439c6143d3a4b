#include "dev.h"
/* A histogram of 256 bins per block in shared memory: an atomic every few instructions. */
extern "C" __global__ void histogram(const u32 *in, u32 *out, int n)
{
    __shared__ u32 bins[256];
    int i = BIDX * BDIMX + TIDX;
    bins[TIDX] = 0;
    SYNC();
    for (int k = 0; k < n; k++)
        __nvvm_atom_add_gen_i((int *)&bins[in[i * n + k] & 255], 1);
    SYNC();
    out[i] = bins[TIDX];
}
