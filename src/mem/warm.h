/* Warms the L2 with accesses that were not timed: functional mode names the lines, the tags change, and
 * nothing is counted or sent. */
#ifndef MEM_WARM_H
#define MEM_WARM_H
#include <stdbool.h>
#include <stdint.h>

struct cache;
struct memsys;

/* A write of these sectors, of which `whole` are covered completely, by the cache's policy: a line
 * that is written back becomes dirty, and sectors that a write miss does not fetch stay partial. A
 * victim's dirty data count as written to memory. */
void cache_place_written(struct cache *c, uint64_t addr, uint32_t sectors, uint32_t whole);
/* SMs have read, or an SM has written [addr, addr + bytes), which lies in 128 bytes at a multiple of 128, while nothing
 * was in flight. halves: bits of the halves of the L2 (memsys_half()) that these SMs ask; mem/far.h says what a half
 * keeps of the other's lines. */
void memsys_touch(struct memsys *s, uint64_t addr, uint32_t bytes, bool written, unsigned halves);
/* The half of the L2 to which the SM sends its requests; 0 if the L2 is undivided. */
unsigned memsys_half(const struct memsys *s, unsigned sm);

#endif
