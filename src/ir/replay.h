/* A kernel whose warps follow recorded paths: the instructions that each warp executed, in order,
 * with their lanes and addresses. The kernel's code (struct func) has one instruction per recorded
 * one; a recording has no data, so no results are computed. Produced by lift/replay.c from a trace,
 * followed by sm/diverge/replay.c.
 *
 * 	warp[block * warps + w]  ->  step[first .. first + n - 1]  ->  address[at ..]
 *
 * The addresses of a step, at `at`: the first word is an enum replay_form. */
#ifndef IR_REPLAY_H
#define IR_REPLAY_H
#include <stdint.h>

enum { REPLAY_NO_ADDRESS = 0xffffffff };

enum replay_form {
	REPLAY_LIST,   /* an address for each active lane, lowest lane first */
	REPLAY_STRIDE, /* the address of the lowest active lane, then bytes between neighbours */
};

struct replay_step {
	uint32_t pc;   /* index of the instruction in the kernel's code */
	uint32_t mask; /* lanes that executed it */
	uint32_t at;   /* index of its addresses; REPLAY_NO_ADDRESS: none */
};

struct replay_warp {
	uint64_t first; /* index of its first step */
	uint32_t n;     /* steps */
};

struct replay {
	uint32_t grid[3], block[3];
	uint32_t shared_bytes; /* per block */
	uint32_t warps;        /* per block */
	uint32_t end;          /* pc of an exit that belongs to no recorded instruction */
	const struct replay_warp *warp;
	const struct replay_step *step;
	const int64_t *address;
};

#endif
