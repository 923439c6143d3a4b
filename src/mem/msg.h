/* The messages between SMs and memory partitions. Nothing else passes between them, which is what lets
 * both sides be simulated in parallel. A request names up to 32 pieces of 32 bytes from `addr` on; it
 * never crosses a partition's interleaving unit. The reply is the request sent back, with `id`
 * untouched. Every request has exactly one reply: data for reads and atomics, an acknowledgement for
 * writes. Ports (mem/port.h) send requests, slices (mem/slice.h) answer them. */
#ifndef MEM_MSG_H
#define MEM_MSG_H
#include "mem/clock.h"

enum { MSG_PIECE = 32, MSG_PIECES = 32 }; /* bytes per bit of `pieces`; number of bits */

enum msg_kind { MSG_READ, MSG_WRITE, MSG_ATOMIC, MSG_KINDS };
enum msg_class { MSG_GLOBAL, MSG_LOCAL, MSG_CONST, MSG_TEX, MSG_INST, MSG_CLASSES };

struct msg {
	cycle_t time;  /* request: interconnect cycle of injection; reply: core cycle of arrival */
	uint64_t addr; /* address of piece 0, a multiple of 32 */
	uint32_t id;   /* number by which the SM identifies the request */
	uint32_t pieces; /* mask of 32-byte pieces from addr on */
	uint16_t bytes;  /* bytes requested or carried */
	uint16_t flits;  /* size of the message in this direction */
	uint16_t sm, dest;
	uint8_t kind, class;
	bool full;    /* write: every byte of the message's pieces is written */
	uint8_t done; /* inside the L2 slice: number of pieces whose lines were looked up */
	/* write that is not full: mask of the 4-byte words, from addr on, known to be written */
	uint32_t words;
	uint32_t sent; /* low bits of the core cycle of the request, for latency statistics */
};

/* Mask of the pieces that [addr, addr + bytes) touches, for a request that starts at base. */
static inline uint32_t msg_pieces(uint64_t base, uint64_t addr, uint32_t bytes)
{
	uint32_t first = (uint32_t)(addr - base) / MSG_PIECE;
	uint32_t last = (uint32_t)(addr - base + bytes - 1) / MSG_PIECE;
	return (uint32_t)((2ull << last) - (1ull << first));
}

#endif
