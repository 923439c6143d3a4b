/* The debugger of functional mode: stops a launch between two instructions of a warp, shows warps,
 * registers, memory and waits, and continues forwards or backwards. To go backwards, the launch is
 * run again, from its saved start to an earlier instruction, because launches are deterministic.
 *
 *   session.c   when a launch stops, and how it is run again        struct debug (session.h)
 *   view.c      the state of warps, registers and memory
 *   places.c    instructions by address, kernel or source line; breakpoints
 *   command.c   commands as text, for the prompt and for GDB's `monitor`
 *   prompt.c    lines from a terminal or a file
 *   packet.c    GDB's packets out of a stream of bytes, and back
 *   gdb.c       GDB's remote protocol; target.c describes the registers to GDB
 *
 * docs/use/debugger.md is the user's page. Without a debugger none of this code runs: no
 * instruction has UOP_SHOWN. */
#ifndef DEBUG_DEBUG_H
#define DEBUG_DEBUG_H
#include "func/grid.h"

struct debug;

/* The GPU that launches run on. */
struct debug_gpu {
	struct devmem *mem;
	struct heap *heap;
	/* nonzero: the launch ends, or, after Ctrl-C at a prompt, stops */
	atomic_bool *interrupt;
	/* time of the interrupt, as heddle.interrupted_at */
	atomic_uint_least64_t *interrupted_at;
	/* undoes a partial run of the launch: discards its output and its launches */
	void (*restart)(struct launch *l);
};

/* in, out: source of the commands, destination of the answers; gdb: by GDB's remote protocol. */
struct debug *debug_new(bool gdb, int in, int out);
/* Tells GDB that the program has ended: no launch follows. */
void debug_end(struct debug *d);
void debug_free(struct debug *d);
/* Like grid_run(), for a launch whose image was built for a debugger (image_opts.debug). */
void debug_run(struct debug *d, const struct debug_gpu *gpu, struct launch *l,
	       const struct grid_opts *o, struct grid_result *r);
/* True if the user has ended the program from the debugger. */
bool debug_killed(const struct debug *d);
/* Call before the image is freed. */
void debug_forget(struct debug *d, const struct image *img);

#endif
