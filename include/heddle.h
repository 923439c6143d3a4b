/* Heddle: a simulated GPU as a library. The command line and the CUDA libraries are written
 * against this header alone.
 *
 * Every function that can fail returns an enum heddle_status; heddle_message() then has one clear
 * text (all diagnostics of a program text, a simulated fault, what was expected). The library never
 * exits, never prints, and keeps no global state: one struct heddle is one GPU with its memory.
 * A struct heddle may be used from one host thread at a time. */
#ifndef HEDDLE_H
#define HEDDLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_VERSION "0.1.0"

struct heddle;
struct heddle_module;
struct heddle_kernel;

enum heddle_status {
	HEDDLE_OK,
	/* the program text or configuration has errors, which the message lists */
	HEDDLE_BAD_INPUT,
	HEDDLE_INVALID, /* an argument is not possible for the call */
	HEDDLE_NOT_FOUND,
	HEDDLE_NO_MEMORY, /* the simulated GPU's memory is full */
	HEDDLE_FAULT,     /* the kernel did something illegal; heddle_fault() describes it */
	HEDDLE_LIMIT,     /* a limit was reached: --max-instructions and others */
	HEDDLE_UNSUPPORTED,
	HEDDLE_INTERRUPTED,
};

/* ---- the GPU ---- */

struct heddle_options {
	unsigned threads;          /* host threads; 0: one */
	uint64_t max_instructions; /* warp instructions that a launch may execute; 0: no limit */
	bool reverse;  /* functional mode: blocks and warps run from the last to the first */
	bool no_check; /* switches bounds checks off */
	bool check_race, check_init; /* data races; reads of never-written memory */
	/* Accesses outside an allocation that a page of the hardware would answer are warnings, one
	 * per place, and execution continues. Functional mode, without the two checks above. */
	bool check_warn;
	/* Receives a warning of a launch; NULL: one line on stderr. */
	void (*warn)(void *arg, const char *text);
	const char *check_report; /* JSON file for the findings of checks; NULL: none */
	/* Behaviour that hardware leaves open. shared_fill: value of every byte of unwritten shared
	 * memory. The next field: the bytes of a copy are reported to an mbarrier in several
	 * pieces, so that a phase that waits for fewer bytes ends before the copy does. */
	uint8_t shared_fill;
	bool copies_in_pieces;
	/* checks that scalar instructions have equal operands in all threads of a warp */
	bool check_scalar;
	/* reports machine code for sm_75 or later whose control bits let an instruction read or overwrite
	 * a register too early */
	bool check_control;
	uint64_t memory_bytes; /* bytes of device memory; 0: 16 GiB */
	/* Receives output of device printf and assert; NULL: stdout. */
	void (*output)(void *arg, const char *text, size_t n);
	/* Called about ten times per second during a launch. */
	void (*progress)(void *arg, uint64_t blocks_done, uint64_t blocks,
			 uint64_t warp_instructions);
	/* Describes the call that allocated the memory at an address, for messages: "cudaMalloc at
	 * x.cu:12"; NULL: not known. Valid until the next call. */
	const char *(*allocated_at)(void *arg, uint64_t addr);
	/* Answers a query that device code makes (cudaFuncGetAttributes(),
	 * cudaDeviceGetAttribute()): about `kernel`, or about the device (NULL). question: the
	 * runtime's codes. Returns the value; below 0: not known. NULL: no query is answered. */
	int64_t (*answer)(void *arg, const struct heddle_kernel *kernel, const int64_t question[3]);
	/* An unsupported PTX instruction refuses the kernels that may reach it, when they are
	 * launched; otherwise it refuses their module, when it is loaded. */
	bool refuse_late;
	void *arg;
	/* name or file of the machine; NULL: functional mode without a machine */
	const char *config;
	const char *const
		*set; /* "key=value" settings over the configuration, NULL-terminated; NULL: none */
	bool timing;  /* cycle-level timing */
	/* Execution of native code in functional mode: by its token stack, by the token stack with
	 * the other rule for backward branches (docs/machine/native.md), or by the post-dominator
	 * stack. */
	enum heddle_native_stack { HEDDLE_TOKENS, HEDDLE_TOKENS_WHILE, HEDDLE_PDOM } native_stack;
	/* Code that PTX runs as: PTX itself, or machine code that is generated when the PTX is
	 * loaded. */
	enum heddle_code {
		HEDDLE_CODE_PTX,
		HEDDLE_CODE_FERMI,
		HEDDLE_CODE_TESLA,
		HEDDLE_CODE_SM90
	} code;
	/* HEDDLE_CODE_PTX: PTX runs as PTX also on a machine that issues by control bits (h200-sm90),
	 * where it otherwise runs as sm_90 code that Heddle makes of it */
	bool keep_ptx;
	/* optimisations that the generator leaves out: "iscadd-imad"; NULL: none */
	const char *code_without;
	/* Machine code that PTX becomes is kept for later runs, in the folder code of $HEDDLE_CACHE, else of
	 * $XDG_CACHE_HOME/heddle, else of ~/.cache/heddle. HEDDLE_CACHE is empty: nothing is kept. */
	bool keep_code;
	uint64_t max_cycles; /* core cycles that a launch may take; 0: no limit */
	/* Timing: "SM:FROM:TO" or "SM:FROM:TO:LAUNCH". heddle_stats_json() then has the
	 * instructions that the SM issued from cycle FROM to before TO of the launch (default 0,
	 * the first), thread by thread, at most 4096 issues. SM "any": the first that gets a block.
	 * FROM "first": the cycle of the SM's first issue, and TO a number of cycles. */
	const char *record;
	/* Timing: the launches that are timed; the others run functionally. launches: numbers and
	 * ranges from 0, "3,7-9"; kernels: names or regular expressions, before an @ the numbers
	 * of launches, "add,5-8@gemm.*"; skip: number of launches to skip first. NULL, NULL, 0:
	 * all. warm: the others run in timing mode too, to warm the caches, but have no figures. */
	const char *launches, *kernels;
	uint64_t skip;
	bool warm;
	/* With `timing`: a sample of the launches is timed, and the others run functionally. The
	 * sample is large enough for the 95 % interval of the cycles to be within `error`, a
	 * fraction of them (0: all launches are timed). seed: selects another sample.
	 * heddle_sampled_text() has the figures. */
	bool sampled;
	double error;
	uint64_t seed;
	/* Files of checkpoints; NULL: none. save: every launch's effect on memory is appended.
	 * restore: the first launches, as many as the file has, get their effects from it instead
	 * of being executed. Both may be one file, which is continued. accesses: saves which memory
	 * each launch accesses, too, so that sampled mode can start from the file.
	 * checkpoint_every: a functional launch is saved in parts, each a range of its blocks that
	 * executes about this many warp instructions (0: as a whole). */
	const char *save, *restore;
	bool accesses;
	uint64_t checkpoint_every;
	/* timing: counts the waits of each instruction (3 % slower) */
	bool profile;
	/* Timing: writes figures of each SM and of the whole GPU about every `sample` core
	 * cycles (0: never) during the run. File name NULL: samples.csv; a name that ends in
	 * .json: JSON. */
	uint64_t sample;
	const char *sample_file;
	/* Timing: heddle_stats_json() has a time series of all SMs with at most this many rows (0:
	 * none); rows cover more cycles as the run grows. */
	unsigned series;
	/* heddle_stats_json() has sums over SMs, slices and channels, and for each only its
	 * traffic. */
	bool sums;
	/* A debugger (docs/use/debugger.md) controls the launches, in functional mode, by two file
	 * descriptors: it reads command lines, or GDB's remote protocol, from debug_in, and answers
	 * on debug_out. */
	enum heddle_debug { HEDDLE_DEBUG_NONE, HEDDLE_DEBUG_PROMPT, HEDDLE_DEBUG_GDB } debug;
	int debug_in, debug_out;
	/* Timing: file for a timeline for Perfetto (JSON trace events); NULL: none. It covers a
	 * range of core cycles (to 0: no end) and of SMs ("3", "0-7"; NULL: all). */
	const char *trace_file;
	uint64_t trace_from, trace_to;
	const char *trace_sm;
};

/* Parses "ptx", "native", "tesla", "fermi" or "sm90" into code and keep_ptx of o. After the last
 * three, optimisations to leave out may follow, each after a dash ("fermi-iscadd-imad"):
 * code_without then points into text. Returns NULL, or the expected values. */
const char *heddle_code_parse(const char *text, struct heddle_options *o);
/* Opens a GPU. If the call succeeds and heddle_message() is not empty, the message has warnings
 * about options without effect. */
enum heddle_status heddle_open(struct heddle **out, const struct heddle_options *opt);
void heddle_close(struct heddle *h);
/* Completes and closes the files of time series and timeline. heddle_close() does so too. */
enum heddle_status heddle_finish(struct heddle *h);
const char *heddle_message(const struct heddle *h); /* message of the last call that failed */
/* Returns the settings without effect so far, because they name kernels that no loaded program has:
 * the first three, and the number of the others (malloc'ed); NULL: none. */
char *heddle_unused(const struct heddle *h);
/* Properties of the device that a program can query: of the configured machine, or of a default
 * one. */
struct heddle_device {
	char name[64];
	unsigned major, minor; /* compute capability */
	unsigned sms, warp_size;
	unsigned threads_per_block, threads_per_sm, blocks_per_sm;
	unsigned registers_per_block, registers_per_sm; /* 32-bit registers */
	uint64_t shared_per_block, shared_per_block_optin, shared_per_sm;
	uint64_t const_bytes, l2_bytes, memory_bytes;
	unsigned clock_khz, memory_clock_khz, memory_bus_bits;
	unsigned
		/* launches that may run together; functional mode: 1, or the number of launches
		 * that --check race compares */
		concurrent_kernels;
};
void heddle_device(const struct heddle *h, struct heddle_device *out);
/* bytes per thread; bytes of device malloc */
enum heddle_limit { HEDDLE_LIMIT_STACK, HEDDLE_LIMIT_HEAP };
enum heddle_status heddle_limit_set(struct heddle *h, enum heddle_limit l, uint64_t value);
uint64_t heddle_limit_get(const struct heddle *h, enum heddle_limit l);
/* Stops the running launch. May be called from a signal handler or another thread. Returns false if
 * the launch was already asked to stop more than a moment ago; two simultaneous signals count as
 * one. */
bool heddle_interrupt(struct heddle *h);

/* ---- memory: device addresses are stable, never reused, and equal from run to run ---- */

enum heddle_status heddle_malloc(struct heddle *h, uint64_t bytes, uint64_t *addr);
enum heddle_status heddle_free(struct heddle *h, uint64_t addr);
/* Reserves addresses that do not count as used memory; heddle_free() returns them. The memory that a
 * program puts behind them is counted by heddle_commit(), and no longer after heddle_decommit(). */
enum heddle_status heddle_reserve(struct heddle *h, uint64_t bytes, uint64_t *addr);
enum heddle_status heddle_commit(struct heddle *h, uint64_t bytes);
void heddle_decommit(struct heddle *h, uint64_t bytes);
enum heddle_status heddle_write(struct heddle *h, uint64_t dst, const void *src, uint64_t n);
enum heddle_status heddle_read(struct heddle *h, void *dst, uint64_t src, uint64_t n);
enum heddle_status heddle_copy(struct heddle *h, uint64_t dst, uint64_t src, uint64_t n);
/* With check_init: false if none of the n bytes has ever been written. */
bool heddle_written(struct heddle *h, uint64_t addr, uint64_t n);
/* Sets `count` elements of `width` (1, 2, 4) bytes to value. */
enum heddle_status heddle_fill(struct heddle *h, uint64_t dst, uint32_t value, unsigned width,
			       uint64_t count);
/* Allocates memory that host and device see at one address: managed and pinned memory. */
enum heddle_status heddle_malloc_host(struct heddle *h, uint64_t bytes, void **ptr);
enum heddle_status heddle_free_host(struct heddle *h, void *ptr);
/* Makes the program's own memory visible to kernels at its host address (cudaHostRegister). */
enum heddle_status heddle_map_host(struct heddle *h, void *ptr, uint64_t bytes);
enum heddle_status heddle_unmap_host(struct heddle *h, void *ptr);
/* Returns the device's address of host memory. It equals the host's address, except for memory
 * above 4 GB that code with 32-bit addresses (heddle_options.code) reaches by another address.
 * Launches translate such addresses in their parameters. */
uint64_t heddle_device_address(const struct heddle *h, const void *ptr);

enum heddle_mem_kind {
	HEDDLE_MEM_NONE,
	HEDDLE_MEM_DEVICE,
	HEDDLE_MEM_HOST,
	HEDDLE_MEM_SYMBOL,
	HEDDLE_MEM_CONST
};
struct heddle_range {
	uint64_t base, size;
	enum heddle_mem_kind kind;
	void *host; /* address of the bytes on the host, valid as long as the allocation */
};
/* Finds the allocation that contains `addr`; HEDDLE_NOT_FOUND if none does. */
enum heddle_status heddle_range(struct heddle *h, uint64_t addr, struct heddle_range *out);
void heddle_memory_info(struct heddle *h, uint64_t *free_bytes, uint64_t *total_bytes);

/* ---- programs ---- */

struct heddle_text {
	const char *name; /* name in messages */
	const void *data;
	size_t size;
	/* toolkit of a listing's text: cuda4.0, cuda4.1, cuda4, cuda5 or full; NULL: guessed from
	 * the text */
	const char *dialect;
};
/* Loads one or more texts as one linked module: PTX, or native code of sm_1x and sm_2x as a cubin,
 * a listing or PTXPlus. The format is recognised by the contents. On success heddle_message() has
 * the warnings, if any. */
enum heddle_status heddle_load(struct heddle *h, const struct heddle_text *text, unsigned n,
			       struct heddle_module **out);
/* Like heddle_load(), for texts whose kernels replace kernels of `base` (native code for a
 * program's PTX): variables and textures with a name that base has are base's. Base must stay
 * loaded while the result is. */
enum heddle_status heddle_load_beside(struct heddle *h, struct heddle_module *base,
				      const struct heddle_text *text, unsigned n,
				      struct heddle_module **out);
void heddle_unload(struct heddle *h, struct heddle_module *m);
/* True if the simulator provides the function of that name (n bytes), which device code may call
 * although no text defines it. */
bool heddle_provides(const char *name, size_t n);
/* Returns a kernel's plain name, ns::run for _ZN2ns3runIiEEvv, in `out`, at most n bytes. */
const char *heddle_plain_name(const char *name, char *out, size_t n);
/* True if `list` is a valid value of the option `launches` or `kernels`: a list of at least one
 * entry. */
bool heddle_is_launch_list(const char *list);
bool heddle_is_kernel_list(const char *list);

unsigned heddle_kernel_count(const struct heddle_module *m);
struct heddle_kernel *heddle_kernel_at(struct heddle_module *m, unsigned i);
/* NULL: no such kernel */
struct heddle_kernel *heddle_kernel_find(struct heddle_module *m, const char *name);
/* Finds a module-scope variable; HEDDLE_NOT_FOUND if there is none. */
enum heddle_status heddle_symbol(struct heddle *h, struct heddle_module *m, const char *name,
				 uint64_t *addr, uint64_t *size);

/* Moves a variable to host memory, which the device then sees at its host address (managed
 * variables). The variable takes the contents of the host's memory; with `init`, its own initial
 * values. Allowed only before a kernel of the module has run. */
enum heddle_status heddle_symbol_map(struct heddle *h, struct heddle_module *m, const char *name,
				     void *ptr, bool init);

struct heddle_kernel_info {
	const char *name;
	unsigned nparam, param_bytes;
	unsigned registers; /* registers per thread, estimated by Heddle */
	/* registers per thread that suffice in blocks that would otherwise be too large */
	unsigned least_registers;
	unsigned shared_bytes; /* static shared memory per block */
	unsigned local_bytes;  /* local memory per thread */
	unsigned const_bytes;
	unsigned max_threads; /* threads per block */
	unsigned reqntid[3], maxntid[3];
	unsigned grid[3], block[3];   /* recorded launch of a trace; 0: no trace */
	unsigned instructions;        /* number of static instructions */
	unsigned ptx_version, target; /* 7.8: 78, sm_75: 75 */
	/* Native code whose file does not list its parameters. The caller packs one block of
	 * param_bytes in order, each value at its natural alignment, addresses with
	 * pointer_bytes. */
	bool untyped_params;
	unsigned pointer_bytes;
	/* The machine of heddle_options.code cannot execute the kernel's PTX; heddle_message() has
	 * the reason. A launch fails with HEDDLE_BAD_INPUT. */
	bool refused;
	/* the kernel observes other running blocks or kernels, by strong loads or results of
	 * atomics */
	bool communicates;
};
struct heddle_param_info {
	const char *name, *type; /* "u64", "f32", "b8" for structs */
	unsigned offset, size, align, count;
};
void heddle_kernel_info(const struct heddle_kernel *k, struct heddle_kernel_info *out);
void heddle_param_info(const struct heddle_kernel *k, unsigned i, struct heddle_param_info *out);
/* Returns the text of the kernel and its functions with the class of each instruction, scalar or
 * vector and why (docs/machine/scalarization.md), malloc'ed. convergent: classes by the narrow rule
 * (scalar = convergent). NULL: the kernel cannot run. */
char *heddle_scalar_text(struct heddle_kernel *k, bool convergent);
/* Returns how many blocks fit on an SM at once, each of `threads` threads with `registers`
 * registers and this much shared memory; 0: the machine cannot run such a block. Without timing,
 * the limits are those of a current device. */
unsigned heddle_occupancy(const struct heddle *h, unsigned threads, unsigned registers,
			  uint64_t shared_bytes);
/* Explains why no such block fits on an SM of the machine: the resource, the needed and available
 * amounts, and the option that sets the limit. Writes at most n bytes to `out` and returns it.
 * NULL: a block fits, or there is no machine. */
const char *heddle_refuses(const struct heddle *h, const char *kernel, unsigned threads,
			   unsigned registers, uint64_t shared_bytes, char *out, size_t n);

/* ---- tensor maps ---- */

/* Arguments of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col, which describe a tensor for
 * cp.async.bulk.tensor; enumerations have the driver's numbers. */
struct heddle_tensor_map {
	bool im2col;
	unsigned type, rank;
	uint64_t addr, dim[5], stride[4]; /* stride: bytes, from dimension 1 on */
	uint32_t box[5], element_stride[5];
	int32_t lower[3], upper[3]; /* im2col: corners of the bounding box */
	uint32_t channels, pixels;  /* im2col: channels and pixels per column */
	unsigned interleave, swizzle, l2, fill;
};
/* Writes the 128 bytes of the tensor map as the driver does. Returns NULL, or the rule that the
 * arguments break. */
const char *heddle_tensor_map(const struct heddle_tensor_map *t, uint8_t out[128]);

/* ---- textures and surfaces ---- */

enum heddle_chan { HEDDLE_CHAN_UNSIGNED, HEDDLE_CHAN_SIGNED, HEDDLE_CHAN_FLOAT };
enum heddle_addr_mode { HEDDLE_WRAP, HEDDLE_CLAMP, HEDDLE_MIRROR, HEDDLE_BORDER };
struct heddle_tex {
	uint64_t addr; /* device address of texel (0,0,0) */
	/* size in texels; height 0: 1D, depth 0: not 3D. Layered: depth counts layers; cubemaps: 6
	 * faces per layer: +x -x +y -y +z -z */
	uint32_t width, height, depth;
	uint64_t pitch, slice;  /* bytes between rows; bytes between slices (layers, faces) */
	uint8_t channels, bits; /* channels: 1, 2, 4; bits per channel: 8, 16, 32 */
	uint8_t chan;           /* enum heddle_chan */
	uint8_t addr_mode[3];   /* enum heddle_addr_mode */
	bool linear;            /* linear filter; otherwise nearest point */
	bool normalized_coords;
	bool normalized_float; /* integers are read as floats in [0,1] or [-1,1] */
	bool layered, cubemap, srgb;
	bool linear_memory; /* bound to linear memory: tex1Dfetch reads by element */
	float border[4];
	uint32_t levels; /* mip levels; level l at level_offset[l] from addr */
	uint64_t level_offset[16];
	/* pitch and slice of levels from 1 on; 0: packed tightly */
	uint64_t level_pitch[16], level_slice[16];
	bool mip_linear;        /* filters between levels; otherwise the nearest level */
	float mip_bias;         /* added to the computed mip level */
	float mip_min, mip_max; /* range that the level is clamped to; 0, 0: only level 0 */
};
enum heddle_status heddle_tex_create(struct heddle *h, const struct heddle_tex *t,
				     uint64_t *handle);
enum heddle_status heddle_tex_destroy(struct heddle *h, uint64_t handle);
/* Binds a module's .texref or .surfref variable (NULL: unbinds). */
enum heddle_status heddle_tex_bind(struct heddle *h, struct heddle_module *m, const char *name,
				   const struct heddle_tex *t);

/* ---- running ---- */

struct heddle_launch {
	struct heddle_kernel *kernel;
	uint32_t grid[3], block[3];
	uint32_t shared_bytes; /* bytes of dynamic shared memory */
	const void *params;    /* the parameter block, param_bytes long */
	uint32_t cluster[3];   /* blocks per cluster; 0: the kernel's own, else one block */
	/* all blocks are resident at once; %envreg1, 2 have the address of the grid barrier's
	 * words */
	bool cooperative;
	uint32_t stream;
	/* check_race: concurrent accesses to memory by others; NULL: none */
	const struct heddle_other *others;
	unsigned nothers;
	/* check_race: the caller's number for the launch (0: none), and the numbers of launches, of
	 * this call or others, that are not ordered with it */
	uint64_t ticket;
	const uint64_t *beside;
	unsigned nbeside;
};
/* Accesses of a copy in another stream, or of the host: rows of bytes, and the call,
 * "cudaMemcpyAsync at x.cu:12". */
struct heddle_other {
	uint64_t addr, bytes, pitch, rows;
	bool writes;
	const char *what;
	const char *does; /* "freed"; NULL: read or written */
	bool host;        /* the host accesses; it may use atomic operations */
};
enum heddle_status heddle_launch(struct heddle *h, const struct heddle_launch *l);

/* Runs launches of several streams. In timing mode, launches that do not wait for each other are on
 * the GPU together, as far as they fit and the machine allows; equal tasks always take equal times.
 * In functional mode, and if one launch is cooperative, they run one after the other. If one fails,
 * the others end with it. */
struct heddle_task {
	struct heddle_launch launch;
	const unsigned *after; /* earlier tasks in the list that must have ended before */
	unsigned nafter;
	/* Set by the call: */
	enum heddle_status status;
	bool ran; /* the task has figures, in heddle_stats_at(stats) */
	unsigned stats;
	/* start and end on the GPU, in seconds after the first task could begin */
	double from, to;
};
enum heddle_status heddle_launch_many(struct heddle *h, struct heddle_task *t, unsigned n);

/* clang-format off */
enum heddle_fault_kind {
	HEDDLE_FAULT_NONE, HEDDLE_FAULT_BOUNDS, HEDDLE_FAULT_MISALIGNED, HEDDLE_FAULT_FREED,
	HEDDLE_FAULT_READ_ONLY, HEDDLE_FAULT_BARRIER, HEDDLE_FAULT_TRAP, HEDDLE_FAULT_ASSERT,
	HEDDLE_FAULT_STACK, HEDDLE_FAULT_RACE, HEDDLE_FAULT_UNINIT, HEDDLE_FAULT_BAD_CALL,
	HEDDLE_FAULT_TEXTURE, HEDDLE_FAULT_INSTRUCTION, HEDDLE_FAULT_SCALAR,
	HEDDLE_FAULT_WARP_MASK, HEDDLE_FAULT_CONTROL,
};
/* clang-format on */
struct heddle_fault {
	enum heddle_fault_kind kind;
	char kernel[256];
	uint32_t block[3], thread[3];
	uint32_t line;     /* line of the PTX text; 0: unknown */
	char source[1024]; /* "file.cu:12"; empty: unknown */
	uint64_t address;
	/* outside an allocation, but a page of a GPU would have answered; check_warn continues */
	bool in_page;
};
/* Returns the fault of the last launch; never NULL. */
const struct heddle_fault *heddle_fault(const struct heddle *h);

/* Figures of one launch. */
/* clang-format off */
enum heddle_access {
	HEDDLE_ACC_GLOBAL, HEDDLE_ACC_SHARED, HEDDLE_ACC_LOCAL, HEDDLE_ACC_CONST, HEDDLE_ACC_PARAM,
	HEDDLE_ACC_GENERIC, HEDDLE_ACC_TEXTURE, HEDDLE_ACC_ATOMIC, HEDDLE_ACC_COUNT,
};
/* clang-format on */
struct heddle_stats {
	char kernel[256];
	uint32_t grid[3], block[3];
	uint64_t blocks, threads;
	uint32_t registers;    /* allocated registers per thread */
	uint32_t shared_bytes; /* shared memory per block, static and dynamic, in bytes */
	uint32_t local_bytes;  /* local memory per thread, in bytes */
	uint64_t warp_instructions, thread_instructions;
	uint64_t branches, divergent_branches;
	double simd_efficiency;              /* thread instructions / (32 x warp instructions) */
	uint64_t accesses[HEDDLE_ACC_COUNT]; /* warp instructions that access memory, by space */
	double seconds;                      /* wall-clock time */
	/* timing mode: from the start of its first block to the end of its last */
	uint64_t cycles;
	/* other launches ran on the GPU concurrently; SM and memory figures include all of them */
	bool shared;
	double gpu_seconds; /* simulated time, s; 0 in functional mode */
	/* simulated cycle by cycle; false: ran functionally, or only to warm the caches */
	bool timed;
	double joule; /* energy in gpu_seconds, J; 0 in functional mode */
	/* how the launch ended; if not HEDDLE_OK, the figures cover only the part that ran */
	enum heddle_status status;
};
unsigned heddle_stats_count(const struct heddle *h);
const struct heddle_stats *heddle_stats_at(const struct heddle *h, unsigned i);
/* Returns all figures of all launches, also by opcode, as JSON text (malloc'ed). */
char *heddle_stats_json(const struct heddle *h);
/* Returns the statistics in the format of a file's name: CSV (.csv), text (.txt), else JSON;
 * malloc'ed. */
char *heddle_stats_print(const struct heddle *h, const char *file);
/* Describes the launches that figures of timing mode cover (malloc'ed); NULL: all. */
char *heddle_stats_cover(const struct heddle *h);
/* Parses a percentage below 100, "2%" or "0.5%", for the option `error`. */
bool heddle_error_parse(const char *text, double *error);
/* Sampled mode: figures of all launches so far with 95 % intervals, for the user (malloc'ed); NULL: another
 * mode. heddle_stats_json() has all of them as the object `sampled`. */
char *heddle_sampled_text(const struct heddle *h);
/* Sampled mode: the cycles of all launches so far, and the half-width of their interval; false: another
 * mode, or nothing is timed yet. May be called from the function `progress`. */
bool heddle_sampled_cycles(const struct heddle *h, double *cycles, double *half);
/* Sums energy and simulated time of all timed launches; the time of concurrent launches counts
 * once. */
void heddle_energy(const struct heddle *h, double *joule, double *seconds);
/* Describes how far energies can be trusted: "uncalibrated", "+- 12 %", missing parts. Valid until
 * the next call. */
const char *heddle_energy_note(const struct heddle *h);
/* Returns the classes by which instructions are counted (`class` in heddle_stats_json()), from 0
 * on; NULL past the last. */
const char *heddle_class_name(unsigned i);
char *heddle_stats_manual(void); /* the meaning of each figure, as Markdown (malloc'ed) */

/* ---- policies ---- */

/* Adds the policies of a shared object to those of the library, for the whole process; call it
 * before heddle_open(). The object is compiled from sources of policies
 * (docs/code/adding-a-policy.md) with this version's headers, and lists its tables in
 * heddle_policies (`heddle grade` builds such objects). Its code runs in this process, unchecked.
 * Returns NULL, or why it cannot be used (malloc'ed). */
char *heddle_policies_add(const char *file);

/* ---- configurations ----
 * Each call returns malloc'ed text: the answer (true) or the errors (false). */
bool heddle_config_show(const char *name, const char *const *set, char **text);
bool heddle_config_explain(const char *key, char **text);
/* The values that an option can have, one per line; an error for options without a list of them. */
bool heddle_config_values(const char *key, char **text);
/* True if the machine can be built with these settings; *text is then empty, otherwise the
 * reason. */
bool heddle_config_possible(const char *name, const char *const *set, char **text);
/* Measures the power of a program for heddle_power_validate(): runs the workload's kernel on the
 * machine and returns its time-proportional power and the power of events and clocks, in watts.
 * False: the kernel did not run. */
struct heddle_power_runner {
	bool (*run)(void *arg, const char *workload, const char *kernel, const char *machine,
		    const char *const *set, double watts[2]);
	void *arg;
};
/* Compares the energy model with published measurements, one line each with its verdict. part:
 * boards, arrays, gpuwattch, chips, fit, data or kernels; NULL: all. set: changes to every machine,
 * to see what a target depends on; NULL: none. runner: for kernels; NULL: those targets are left
 * open. False: no such part or setting, and text lists the existing ones. */
bool heddle_power_validate(const char *part, const char *const *set,
			   const struct heddle_power_runner *runner, char **text);
/* Prints coefficients of a machine's energy: all of them, one event term by term, or areas. */
bool heddle_power(const char *name, const char *const *set, const char *event, bool area,
		  char **text);
/* Returns the mm^2 of the machine's components that the model has; NAN: no such machine or
 * setting. */
double heddle_power_area(const char *name, const char *const *set);
/* converts to a configuration of Heddle */
bool heddle_config_import(const char *gpgpusim_file, char **text);
bool heddle_config_list(char **text);    /* names, one per line */
bool heddle_config_options(char **text); /* all options, as Markdown */

/* The table of supported PTX instructions, as Markdown (malloc'ed). */
char *heddle_ptx_table(void);

/* ---- machine code: sm_1x ("tesla"), sm_2x ("fermi"), and 128-bit instructions of sm_75 and later
 * ---- */

enum heddle_sass {
	HEDDLE_SASS, /* the usual style of each instruction set */
	HEDDLE_SASS_CUDA4,
	HEDDLE_SASS_CUDA5, /* like cuobjdump of those toolkits */
	HEDDLE_SASS_FULL,  /* shows every bit that has a meaning */
	HEDDLE_SASS_PTXPLUS,
	HEDDLE_SASS_CUDA40, /* like cuobjdump of CUDA 4.0 and 4.1, which differ in details */
	HEDDLE_SASS_CUDA41,
};
/* Decodes one instruction word (tesla: w0 | w1 << 32); FULL: bits without a meaning follow in
 * braces. False: unknown word or instruction set. */
bool heddle_native_word(const char *isa, uint64_t word, uint32_t pc, enum heddle_sass style,
			char *buf, size_t n);
/* Decodes one 128-bit instruction (chip: "sm_75" to "sm_120"), low half first, in nvdisasm's
 * notation. full: with its control bits, so that heddle_word128_assemble() restores any word.
 * False: buf has the reason. */
bool heddle_word128(const char *chip, const uint64_t word[2], uint64_t pc, bool full, char *buf,
		    size_t n);
/* Assembles a text that heddle_word128() printed, with or without control bits. False: err has the
 * error. */
bool heddle_word128_assemble(const char *chip, const char *text, uint64_t pc, uint64_t word[2],
			     char *err, size_t n);
/* Checks the control bits of all code of a cubin for sm_75 or later, as check_control does. Returns the findings and a
 * line of sums, malloc'ed; NULL: *message, malloc'ed, says why not. */
char *heddle_control_check(const struct heddle_text *file, unsigned *found, char **message);
/* Convert a cubin or listing to a listing, and a listing or cubin to an ELF cubin. Results are
 * malloc'ed; NULL: *message (malloc'ed) has the error. Otherwise *message has warnings, or is
 * NULL. */
char *heddle_native_list(const struct heddle_text *file, enum heddle_sass style, char **message);
void *heddle_native_assemble(const struct heddle_text *file, size_t *size, char **message);
/* Compiles and links PTX texts to machine code: a listing as text (malloc'ed). NULL: *message has
 * the error. Otherwise *message has the facts that ptxas -v prints, one per line, or is NULL. */
struct heddle_compile {
	unsigned sm;            /* 13, 20 or 90; 0: 20 */
	unsigned max_registers; /* registers per thread; 0: the machine's limit */
	const char *without;    /* like code_without of heddle_options */
};
char *heddle_native_compile(const struct heddle_text *text, unsigned n,
			    const struct heddle_compile *how, char **message);
/* Compiles and links PTX texts to a cubin of *size bytes, on all machines; sm_90 has no listing. */
void *heddle_cubin_compile(const struct heddle_text *text, unsigned n,
			   const struct heddle_compile *how, size_t *size, char **message);
/* Returns the class under which statistics count an opcode of machine code ("add", "load", ...);
 * NULL: unknown in both instruction sets. */
const char *heddle_native_class(const char *opcode);
/* Returns the decoder's table of an instruction set, as Markdown (malloc'ed); NULL: no such set. */
char *heddle_native_table(const char *isa);

#ifdef __cplusplus
}
#endif
#endif
