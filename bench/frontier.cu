#include "dev.h"
/* One level of a breadth-first search: node i of the frontier (mark[i] odd) reads its 0 to 15
 * neighbours, words of the table from an index that belongs to the node, and counts neighbours
 * outside the frontier. Divergent: few threads work, for different times, on scattered loads. */
extern "C" __global__ void frontier(const u32 *mark, u32 *out, int n)
{
    int i = BIDX * BDIMX + TIDX;
    u32 found = 0, mine = mark[i];
    if (mine & 1) {
        u32 degree = mine >> 4 & 15, at = mine * 2654435761u >> 12;
        for (u32 k = 0; k < degree; k++) {
            u32 next = mark[(at + k * 7) & (n - 1)];
            if (!(next & 1))
                found += next >> 8 & 3;
        }
    }
    out[i] = found;
}
