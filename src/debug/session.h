/* The state of a debugger: see debug.h. */
#ifndef DEBUG_SESSION_H
#define DEBUG_SESSION_H
#include <stdio.h>
#include "base/vec.h"
#include "debug/debug.h"
#include "func/func.h"

/* The request that the launch is executing. */
enum go {
	GO_FREE, /* runs to a breakpoint, a watchpoint, an interrupt or a fault */
	GO_STEP, /* runs until warp `who` has executed `count` instructions */
	GO_NEXT, /* like GO_STEP, but calls are executed as one instruction */
	GO_LINE, /* runs until warp `who` reaches another source line */
	GO_TO,   /* runs without reporting stops to instruction `target` of the launch */
	/* runs without reporting stops up to `target`, then goes back to `found`, the last stop
	 * before `target` */
	GO_SCAN,
	GO_KILL, /* ends the program */
};

struct who { /* a warp */
	uint64_t block;
	uint32_t warp;
};

enum break_kind { BREAK_CODE, BREAK_KERNEL, BREAK_WATCH };
struct breakpoint {
	unsigned number;
	enum break_kind kind;
	char *place; /* the position as the user entered it; NULL: set by GDB */
	/* BREAK_CODE set by GDB: address of code; BREAK_WATCH: address of memory */
	uint64_t addr;
	uint32_t size;            /* BREAK_WATCH: bytes, up to 8 */
	bool one_block, one_warp; /* only the block, or only the warp, of `who` stops */
	struct who who;
	/* BREAK_WATCH: value at the last look; block that owns the watched shared memory */
	uint64_t old, old_block;
	bool seen; /* BREAK_WATCH: `old` is valid */
	uint64_t hits;
};

/* A kernel that has been launched; its code has addresses from `base` on. */
struct known {
	const struct image *img; /* NULL: unloaded */
	uint64_t base, bytes;
};

struct saved { /* contents of an allocation at the launch's start */
	uint64_t lo, bytes;
	uint8_t *copy;
};

enum stop_why {
	STOPPED_START,
	STOPPED_STEP,
	STOPPED_BREAK,
	STOPPED_WATCH,
	STOPPED_KEY,
	STOPPED_FAULT,
	STOPPED_BEGIN
};

struct debug {
	int in, out;
	bool gdb;
	/* bytes received from GDB and not yet read; NULL: a prompt is used */
	struct packets *packets;
	bool no_acks;    /* packets are not acknowledged */
	FILE *lines;     /* input of the prompt; NULL: GDB is used */
	char *last_line; /* the prompt's last command, repeated by an empty line; NULL: none */
	bool detached;   /* true: the user has disconnected, and launches run without stops */
	bool killed;
	const struct debug_gpu *gpu;
	struct launch *l;        /* the running launch; NULL: none */
	VEC(struct known) known; /* kernels in the order of their first launches */
	VEC(struct breakpoint) breaks;
	unsigned numbers;  /* number of breakpoints made so far, the next one's number */
	uint8_t *at;       /* [pc] of the current launch: true at a breakpoint */
	uint64_t launches; /* number of launches so far */
	/* the warp that executes the instruction at pc next, and the number of that instruction in the
	 * launch, counted from 1 */
	struct cta *cta;
	uint32_t warp, pc;
	uint64_t step;
	/* the request, and the warp it concerns; depth, line: call depth and source line where it
	 * began */
	enum go go;
	struct who who;
	uint64_t count, target, found;
	uint16_t depth;
	uint32_t line_file, line;
	enum stop_why found_why;
	bool scan_steps;   /* GO_SCAN looks for steps of `who` instead of breakpoints */
	bool began;        /* GO_STEP: `who` has executed an instruction since the request */
	bool again;        /* the launch is being run again from its start */
	bool started;      /* the first launch has stopped at its first instruction */
	bool told;         /* the launch's fault has been reported */
	char *trouble;     /* fault or deadlock of the launch, at which the run stops; NULL: none */
	enum stop_why why; /* reason of the last stop */
	unsigned number;   /* STOPPED_BREAK, STOPPED_WATCH: the breakpoint's number */
	/* warp and lane that commands refer to */
	struct who chosen;
	/* GDB: warp for `monitor` commands, which come without a packet that names a warp */
	struct who told_of;
	uint32_t lane;
	/* memory at the launch's start, restored for going back */
	VEC(struct saved) saved;
	struct heap_block *heap_blocks;
	size_t heap_nblocks, heap_first;
	/* bitmaps of the heap at the launch's start: units in use, then units that begin an
	 * allocation; NULL: no heap */
	uint64_t *heap_bits;
	/* reason why the state at the launch's start could not be saved; NULL: it was saved */
	const char *no_way_back;
	/* printf output of the launch: bytes produced in this run; bytes already passed to the user */
	uint64_t said, passed;
	void (*output)(void *arg, const char *text, size_t n);
	void *output_arg;
};

/* ---- session.c ---- */
/* Resumes the launch as requested. Returns NULL, or the reason why that is impossible. */
const char *session_go(struct debug *d, enum go go, uint64_t count);
const char *session_back(struct debug *d, bool one_step);
const char *session_goto(struct debug *d, uint64_t step);
bool session_write(struct debug *d, const char *data,
		   size_t n); /* false: the user has disconnected, and the session is detached */

/* ---- view.c ---- */
/* Returns the running block with that number; NULL: the block is not running. */
struct cta *view_block(const struct debug *d, uint64_t index);
/* Returns the selected warp; if the warp has ended, selects a running warp. */
struct fwarp *view_chosen(struct debug *d);
/* Threads of a warp at one pc. */
struct lanes_at {
	uint32_t pc, lanes;
	enum split_state state;
	unsigned bar; /* SPLIT_BARRIER */
	struct frame frame;
	bool running;
};
/* Fills `out` with at most `most` entries, the running path first; returns their number. 0: the
 * warp has ended. */
unsigned view_lanes(const struct debug *d, const struct fwarp *fw, struct lanes_at *out,
		    unsigned most);
/* Sets *pc to the pc of a lane; false: the lane has ended. */
bool view_lane(const struct debug *d, const struct fwarp *fw, unsigned lane, struct lanes_at *out);
/* Reads memory at a generic address as a lane of the selected warp sees it; code included. False:
 * nothing is mapped there. */
bool view_read(struct debug *d, uint64_t addr, void *out, size_t n);
bool view_write(struct debug *d, uint64_t addr, const void *data, size_t n);
/* Returns the function of an image that contains pc. */
const struct image_func *view_func(const struct image *img, uint32_t pc);
/* A register's name as the user writes it: %r1 in PTX, R1 in machine code. False: a register that
 * the program does not have. */
bool view_name(const struct image_func *f, uint32_t reg, char out[40]);
/* Returns a register of the function by name, in PTX with or without the first '%'; -1: no such
 * register. */
int64_t view_register(const struct image_func *f, const char *name, size_t n);
/* Reads a register of a frame in a lane, at most 16 bytes. Returns the number of bytes; 0: no
 * instruction names it. */
unsigned view_value(const struct fwarp *fw, const struct image_func *f, const struct frame *at,
		    uint32_t reg, unsigned lane, uint8_t out[16]);

/* ---- places.c ---- */
#define CODE_BASE 0x04000000ull
uint64_t place_address(const struct debug *d, uint32_t pc);
uint32_t place_pc(const struct debug *d, uint64_t addr); /* pc of an address in the running launch;
							  * NO_PC: none */
/* Prints "kernel add, block (0,0,0), warp 1, lanes 0-31, at add.cu:12: ld.global.u32 ...". */
void place_print(FILE *f, const struct debug *d, const struct fwarp *fw, const struct lanes_at *a);
void place_instruction(FILE *f, const struct image *img, uint32_t pc);
/* Adds a breakpoint at KERNEL, FUNCTION, FILE:LINE, LINE of the PTX or *ADDRESS. NULL: impossible;
 * `why` has the reason. */
struct breakpoint *place_break(struct debug *d, const char *text, char *why, size_t n);
/* Finds the instructions of the breakpoints in the present launch. */
void place_mark(struct debug *d);
bool place_remove(struct debug *d, unsigned number);
void place_free(struct breakpoint *b);
/* Returns the breakpoint or watchpoint that stops the next instruction; NULL: none. */
struct breakpoint *place_hit(struct debug *d);
/* Records the present values of watched memory. */
void place_look(struct debug *d);
/* Returns file and line, by number, of the instruction at pc; 0: unknown. */
void place_line(const struct image *img, uint32_t pc, uint32_t *file, uint32_t *line);

/* ---- command.c ---- */
/* Executes a command line; writes the answer to f. True: the launch resumes (only if may_go). */
bool session_command(struct debug *d, const char *line, FILE *f, bool may_go);
void session_say_stop(struct debug *d, FILE *f); /* prints why and where the launch has stopped */

void prompt_serve(struct debug *d);
void gdb_serve(struct debug *d);
void gdb_ended(struct debug *d);
/* True if GDB has asked to stop while a launch was running. */
bool gdb_interrupts(struct debug *d);

/* target.c: the registers that GDB sees. */
struct target_reg {
	char name[48];
	unsigned reg_bits; /* bits of an element */
	bool is_float, core;
	/* the register's name in the program; "": a register that only the description for GDB has */
	char gpu[40];
};
typedef VEC(struct target_reg) target_regs;
void target_list(const struct image *img, target_regs *out);
char *target_xml(const target_regs *t);
unsigned target_pc(void); /* number of the register that holds the program counter */

#endif
