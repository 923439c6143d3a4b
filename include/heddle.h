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
	HEDDLE_BAD_INPUT, /* program text or configuration: see the message */
	HEDDLE_INVALID,   /* an argument makes no sense here */
	HEDDLE_NOT_FOUND,
	HEDDLE_NO_MEMORY, /* the simulated GPU has no room */
	HEDDLE_FAULT,     /* the kernel did something illegal: heddle_fault() has it */
	HEDDLE_LIMIT,     /* --max-instructions and the like */
	HEDDLE_UNSUPPORTED,
	HEDDLE_INTERRUPTED,
};

/* ---- the GPU ---- */

struct heddle_options {
	unsigned threads;          /* host threads; 0: one */
	uint64_t max_instructions; /* warp instructions a launch may execute; 0: no limit */
	bool reverse;  /* functional mode: blocks and warps run from the last to the first */
	bool no_check; /* switch bounds checks off */
	bool check_race, check_init; /* data races; reads of never-written memory */
	/* Accesses outside an allocation that fall into a page of the hardware, which would answer
	 * them, are warnings, once per place, and execution goes on. Functional mode, without the
	 * two checks above. */
	bool check_warn;
	/* A warning of a launch; NULL: a line on stderr. */
	void (*warn)(void *arg, const char *text);
	const char *check_report; /* file for what these find, as JSON; NULL: none */
	/* What hardware leaves open: every byte of shared memory that nobody has written; whether bytes of a copy are
	 * told to an mbarrier piece by piece, so that a phase that waits for fewer ends on the way. */
	uint8_t shared_fill;
	bool copies_in_pieces;
	bool check_scalar; /* scalar instructions have equal operands in all threads of a warp */
	uint64_t memory_bytes; /* device memory; 0: 16 GiB */
	/* Output of device printf and assert; NULL: stdout. */
	void (*output)(void *arg, const char *text, size_t n);
	/* Called about ten times a second during a launch. */
	void (*progress)(void *arg, uint64_t blocks_done, uint64_t blocks,
			 uint64_t warp_instructions);
	/* Who allocated the memory at an address, for messages: "cudaMalloc at x.cu:12"; NULL: not
	 * known. Valid until the next call. */
	const char *(*allocated_at)(void *arg, uint64_t addr);
	/* A kernel's question about a kernel, or (NULL) about the device, by the runtime's own numbers; below 0: it
	 * has no answer. NULL: none has one. */
	int64_t (*answer)(void *arg, const struct heddle_kernel *kernel, const int64_t question[3]);
	/* An instruction of PTX that is not supported refuses the kernels that may reach it, when they
	 * are launched, and not their module, when it is loaded. */
	bool refuse_late;
	void *arg;
	const char *config; /* machine: name or file; NULL: functional mode without one */
	const char *const
		*set; /* NULL-terminated "key=value" list over the configuration, or NULL */
	bool timing;  /* cycle-level timing */
	/* How native code runs in functional mode: by its token stack, by the token stack with the
	 * other rule for backward branches (docs/machine/native.md), or by the post-dominator stack. */
	enum heddle_native_stack { HEDDLE_TOKENS, HEDDLE_TOKENS_WHILE, HEDDLE_PDOM } native_stack;
	/* What PTX runs as: itself, or machine code that is generated from it when it is loaded. */
	enum heddle_code {
		HEDDLE_CODE_PTX,
		HEDDLE_CODE_FERMI,
		HEDDLE_CODE_TESLA,
		HEDDLE_CODE_SM90
	} code;
	const char *code_without; /* what the generator leaves out: "iscadd-imad"; NULL: nothing */
	uint64_t max_cycles;      /* core cycles a launch may take; 0: no limit */
	/* "SM:FROM:TO" or "SM:FROM:TO:LAUNCH", timing mode: heddle_stats_json() has what the SM
	 * issued from cycle FROM to before TO of the launch (default 0, the first), thread by
	 * thread, the first 4096 of it. */
	const char *record;
	/* Timing: which launches are timed; the others run functionally. Numbers and ranges from 0
	 * on, "3,7-9"; names of kernels, "add,scale"; how many to skip first. NULL, NULL, 0: all.
	 * Warm: the others run in timing mode too, to warm the caches, but have no figures. */
	const char *launches, *kernels;
	uint64_t skip;
	bool warm;
	/* timing: count what each instruction waits for (3 % slower) */
	bool profile;
	/* Timing: figures of each SM and of all about every `sample` core cycles (0: none), written
	 * as it runs; NULL: samples.csv. A name that ends in .json: JSON. */
	uint64_t sample;
	const char *sample_file;
	/* Timing: heddle_stats_json() has a time series of all SMs with at most this many rows,
	 * which get longer as the run does (0: none). */
	unsigned series;
	/* heddle_stats_json() has sums over SMs, slices and channels; of each one only its
	 * traffic. */
	bool sums;
	/* Timing: a timeline for Perfetto (JSON trace events), NULL: none; of a range of core
	 * cycles (to 0: no end) and of SMs ("3", "0-7", NULL: all). */
	const char *trace_file;
	uint64_t trace_from, trace_to;
	const char *trace_sm;
};

/* Parses "ptx", "tesla" or "fermi", followed by what the generator leaves out, each after a dash
 * ("fermi-iscadd-imad"), into code and code_without of o, which points into text. NULL, or what was
 * expected. */
const char *heddle_code_parse(const char *text, struct heddle_options *o);
/* If it succeeds and heddle_message() is not empty, the message has warnings: options without
 * effect. */
enum heddle_status heddle_open(struct heddle **out, const struct heddle_options *opt);
void heddle_close(struct heddle *h);
/* Ends time series and timeline; their files are complete and closed. heddle_close() does it
 * too. */
enum heddle_status heddle_finish(struct heddle *h);
const char *heddle_message(const struct heddle *h); /* of the last call that failed */
/* Settings without effect so far, because they name kernels that no loaded program has: the first
 * three, and how many more (malloc'ed); NULL: none. */
char *heddle_unused(const struct heddle *h);
/* What a program may ask of the device: the configured machine, or a default one. */
struct heddle_device {
	char name[64];
	unsigned major, minor; /* compute capability */
	unsigned sms, warp_size;
	unsigned threads_per_block, threads_per_sm, blocks_per_sm;
	unsigned registers_per_block, registers_per_sm; /* 32-bit */
	uint64_t shared_per_block, shared_per_block_optin, shared_per_sm;
	uint64_t const_bytes, l2_bytes, memory_bytes;
	unsigned clock_khz, memory_clock_khz, memory_bus_bits;
	unsigned
		concurrent_kernels; /* launches that may run together; functional mode: 1, or so many that --check race looks at together */
};
void heddle_device(const struct heddle *h, struct heddle_device *out);
enum heddle_limit { HEDDLE_LIMIT_STACK, HEDDLE_LIMIT_HEAP }; /* bytes a thread; of device malloc */
enum heddle_status heddle_limit_set(struct heddle *h, enum heddle_limit l, uint64_t value);
uint64_t heddle_limit_get(const struct heddle *h, enum heddle_limit l);
/* Stops the running launch. May be called from a signal handler or another thread. False: it was
 * already asked to more than a moment ago, so somebody has lost patience; a signal that comes twice
 * at once counts once. */
bool heddle_interrupt(struct heddle *h);

/* ---- memory: device addresses are stable, never reused, and the same from run to run ---- */

enum heddle_status heddle_malloc(struct heddle *h, uint64_t bytes, uint64_t *addr);
enum heddle_status heddle_free(struct heddle *h, uint64_t addr);
enum heddle_status heddle_write(struct heddle *h, uint64_t dst, const void *src, uint64_t n);
enum heddle_status heddle_read(struct heddle *h, void *dst, uint64_t src, uint64_t n);
enum heddle_status heddle_copy(struct heddle *h, uint64_t dst, uint64_t src, uint64_t n);
/* With check_init: false if nothing has written any of the n bytes. */
bool heddle_written(struct heddle *h, uint64_t addr, uint64_t n);
/* `count` elements of `width` (1, 2, 4) bytes. */
enum heddle_status heddle_fill(struct heddle *h, uint64_t dst, uint32_t value, unsigned width,
			       uint64_t count);
/* Memory that host and device see at one address: managed and pinned memory. */
enum heddle_status heddle_malloc_host(struct heddle *h, uint64_t bytes, void **ptr);
enum heddle_status heddle_free_host(struct heddle *h, void *ptr);
/* Makes the program's own memory visible to kernels at its host address (cudaHostRegister). */
enum heddle_status heddle_map_host(struct heddle *h, void *ptr, uint64_t bytes);
enum heddle_status heddle_unmap_host(struct heddle *h, void *ptr);
/* The device's address of host memory: the host's own, but for memory above 4 GB that code with
 * addresses of 32 bits (heddle_options.code) reaches under another. Launches translate such
 * addresses in their parameters. */
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
	void *host; /* where the bytes are, for the duration of the allocation */
};
/* The allocation that contains `addr`; HEDDLE_NOT_FOUND if none does. */
enum heddle_status heddle_range(struct heddle *h, uint64_t addr, struct heddle_range *out);
void heddle_memory_info(struct heddle *h, uint64_t *free_bytes, uint64_t *total_bytes);

/* ---- programs ---- */

struct heddle_text {
	const char *name; /* for messages */
	const void *data;
	size_t size;
	/* of a listing: the toolkit whose text it is, cuda4.0, cuda4.1, cuda4, cuda5 or full; NULL:
	 * seen from the text */
	const char *dialect;
};
/* Loads one or more texts as one linked module: PTX, or native code of sm_1x and sm_2x as a cubin
 * or a listing or as PTXPlus, told apart by their contents. With HEDDLE_OK heddle_message() has the
 * warnings, if there are any. */
enum heddle_status heddle_load(struct heddle *h, const struct heddle_text *text, unsigned n,
			       struct heddle_module **out);
/* The same for texts whose kernels stand in for kernels of `base` (native code for a program's
 * PTX): variables and textures that have a name of base's are base's. Base must stay loaded as
 * long. */
enum heddle_status heddle_load_beside(struct heddle *h, struct heddle_module *base,
				      const struct heddle_text *text, unsigned n,
				      struct heddle_module **out);
void heddle_unload(struct heddle *h, struct heddle_module *m);
/* Whether device code may call a function of that name (n bytes) that no text defines: the
 * simulator has it. */
bool heddle_provides(const char *name, size_t n);
/* A kernel's name as people write it, at most n bytes of it in `out`, which is returned:
 * _ZN2ns3runIiEEvv is ns::run. */
const char *heddle_plain_name(const char *name, char *out, size_t n);
/* Whether the option `launches`, `kernels` can be read: a list of at least one, nothing else in it. */
bool heddle_is_launch_list(const char *list);
bool heddle_is_kernel_list(const char *list);

unsigned heddle_kernel_count(const struct heddle_module *m);
struct heddle_kernel *heddle_kernel_at(struct heddle_module *m, unsigned i);
/* NULL: none */
struct heddle_kernel *heddle_kernel_find(struct heddle_module *m, const char *name);
/* A module-scope variable; HEDDLE_NOT_FOUND. */
enum heddle_status heddle_symbol(struct heddle *h, struct heddle_module *m, const char *name,
				 uint64_t *addr, uint64_t *size);

/* Moves a variable to host memory, which the device then sees at its host address (managed
 * variables). The contents are those of the host's memory, except with `init`: the variable's own
 * initial values. Only before a kernel of the module has run. */
enum heddle_status heddle_symbol_map(struct heddle *h, struct heddle_module *m, const char *name,
				     void *ptr, bool init);

struct heddle_kernel_info {
	const char *name;
	unsigned nparam, param_bytes;
	unsigned registers;       /* a thread, by our own estimate */
	unsigned least_registers; /* what it makes do with in a block that is too large else */
	unsigned shared_bytes;    /* static, a block */
	unsigned local_bytes;     /* a thread */
	unsigned const_bytes;
	unsigned max_threads; /* a block */
	unsigned reqntid[3], maxntid[3];
	unsigned instructions;        /* static */
	unsigned ptx_version, target; /* 7.8: 78, sm_75: 75 */
	/* Native code whose file does not list its parameters: they are one block of param_bytes
	 * that the caller packs in order, each value at its natural alignment, addresses of
	 * pointer_bytes. */
	bool untyped_params;
	unsigned pointer_bytes;
	/* It is PTX that the machine of heddle_options.code cannot execute; heddle_message() says
	 * why. A launch fails with HEDDLE_BAD_INPUT. */
	bool refused;
	bool communicates; /* it sees what other blocks or kernels do meanwhile: strong loads, results of atomics */
};
struct heddle_param_info {
	const char *name, *type; /* "u64", "f32", "b8" for structs */
	unsigned offset, size, align, count;
};
void heddle_kernel_info(const struct heddle_kernel *k, struct heddle_kernel_info *out);
void heddle_param_info(const struct heddle_kernel *k, unsigned i, struct heddle_param_info *out);
/* The text of the kernel and its functions with the class of each instruction, scalar or vector and
 * why (docs/machine/scalarization.md); free() it. `convergent`: by the narrow rule. NULL: it cannot run. */
char *heddle_scalar_text(struct heddle_kernel *k, bool convergent);
/* How many blocks an SM holds at once, each of `threads` threads with `registers` registers and
 * this much shared memory; 0: the machine cannot run one. Without timing the rules are those of a
 * current device. */
unsigned heddle_occupancy(const struct heddle *h, unsigned threads, unsigned registers,
			  uint64_t shared_bytes);
/* Why an SM of the machine holds no such block: the resource, what is needed, what there is, and the
 * option that says so, at most n bytes of it in `out`, which is returned. NULL: it holds one, or
 * there is no machine. */
const char *heddle_refuses(const struct heddle *h, const char *kernel, unsigned threads,
			   unsigned registers, uint64_t shared_bytes, char *out, size_t n);

/* ---- tensor maps ---- */

/* A tensor as cp.async.bulk.tensor sees it: what cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col take,
 * enumerations by the driver's numbers. */
struct heddle_tensor_map {
	bool im2col;
	unsigned type, rank;
	uint64_t addr, dim[5], stride[4]; /* stride: bytes, from dimension 1 on */
	uint32_t box[5], element_stride[5];
	int32_t lower[3], upper[3]; /* im2col: corners of the bounding box */
	uint32_t channels, pixels;  /* im2col */
	unsigned interleave, swizzle, l2, fill;
};
/* Writes the 128 bytes that the driver's call writes. NULL, or the rule that the arguments break. */
const char *heddle_tensor_map(const struct heddle_tensor_map *t, uint8_t out[128]);

/* ---- textures and surfaces ---- */

enum heddle_chan { HEDDLE_CHAN_UNSIGNED, HEDDLE_CHAN_SIGNED, HEDDLE_CHAN_FLOAT };
enum heddle_addr_mode { HEDDLE_WRAP, HEDDLE_CLAMP, HEDDLE_MIRROR, HEDDLE_BORDER };
struct heddle_tex {
	uint64_t addr;                 /* device address of texel (0,0,0) */
	uint32_t width, height, depth; /* texels; height 0: 1D, depth 0: not 3D; layered: depth =
	                                * layers; cubemaps: 6 faces a layer: +x -x +y -y +z -z */
	uint64_t pitch, slice;  /* bytes from row to row, from slice (layer, face) to slice */
	uint8_t channels, bits; /* 1, 2, 4 of 8, 16, 32 bits */
	uint8_t chan;           /* enum heddle_chan */
	uint8_t addr_mode[3];   /* enum heddle_addr_mode */
	bool linear;            /* filter, else nearest point */
	bool normalized_coords;
	bool normalized_float; /* integers read as [0,1] or [-1,1] floats */
	bool layered, cubemap, srgb;
	bool linear_memory; /* bound to linear memory: tex1Dfetch by element */
	float border[4];
	uint32_t levels; /* mip levels; level l at level_offset[l] from addr */
	uint64_t level_offset[16];
	/* pitch and slice of levels from 1 on; 0: packed tightly */
	uint64_t level_pitch[16], level_slice[16];
	bool mip_linear;        /* filter between levels, else the nearest level */
	float mip_bias;         /* added to the level */
	float mip_min, mip_max; /* what the level is clamped to; 0, 0: level 0 alone */
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
	uint32_t shared_bytes; /* dynamic */
	const void *params;    /* the parameter block, param_bytes long */
	uint32_t cluster[3];   /* blocks of a cluster; 0: what the kernel says, else one */
	bool cooperative;      /* all blocks are resident at once; %envreg1, 2: address of the
	                              * grid barrier's words */
	uint32_t stream;
	/* check_race: what else may happen to memory while it runs */
	const struct heddle_other *others;
	unsigned nothers;
	/* check_race: a number of the caller's for the launch (0: none), and those of launches,
	 * of this call or others, that nothing orders with it */
	uint64_t ticket;
	const uint64_t *beside;
	unsigned nbeside;
};
/* A copy in another stream, the host: rows of bytes, and who, "cudaMemcpyAsync at x.cu:12". */
struct heddle_other {
	uint64_t addr, bytes, pitch, rows;
	bool writes;
	const char *what;
	const char *does; /* "freed"; NULL: it is read or written */
	bool host;        /* by the host, which may do it by an atomic operation */
};
enum heddle_status heddle_launch(struct heddle *h, const struct heddle_launch *l);

/* Launches of several streams. In timing mode those that do not wait for each other are on the GPU
 * together, as far as they find room and the machine allows; the same tasks always give the same
 * times. In functional mode, and where one is cooperative, they run one after the other. If one
 * fails, the others end with it. */
struct heddle_task {
	struct heddle_launch launch;
	const unsigned *after; /* tasks before it in the list that must have ended */
	unsigned nafter;
	/* set by the call: */
	enum heddle_status status;
	bool ran; /* it has figures: heddle_stats_at(stats) */
	unsigned stats;
	/* its time on the GPU in seconds, since the first could begin */
	double from, to;
};
enum heddle_status heddle_launch_many(struct heddle *h, struct heddle_task *t, unsigned n);

/* clang-format off */
enum heddle_fault_kind {
	HEDDLE_FAULT_NONE, HEDDLE_FAULT_BOUNDS, HEDDLE_FAULT_MISALIGNED, HEDDLE_FAULT_FREED,
	HEDDLE_FAULT_READ_ONLY, HEDDLE_FAULT_BARRIER, HEDDLE_FAULT_TRAP, HEDDLE_FAULT_ASSERT,
	HEDDLE_FAULT_STACK, HEDDLE_FAULT_RACE, HEDDLE_FAULT_UNINIT, HEDDLE_FAULT_BAD_CALL,
	HEDDLE_FAULT_TEXTURE, HEDDLE_FAULT_INSTRUCTION, HEDDLE_FAULT_SCALAR,
	HEDDLE_FAULT_WARP_MASK,
};
/* clang-format on */
struct heddle_fault {
	enum heddle_fault_kind kind;
	char kernel[256];
	uint32_t block[3], thread[3];
	uint32_t line;     /* of the PTX text; 0: unknown */
	char source[1024]; /* "file.cu:12", or empty */
	uint64_t address;
	bool in_page; /* outside an allocation, but a GPU's page would have answered: check_warn goes on */
};
/* of the last launch; never NULL */
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
	uint32_t registers;    /* a thread's, allocated */
	uint32_t shared_bytes; /* a block's, static and dynamic */
	uint32_t local_bytes;  /* a thread's */
	uint64_t warp_instructions, thread_instructions;
	uint64_t branches, divergent_branches;
	double simd_efficiency;              /* thread instructions / (32 x warp instructions) */
	uint64_t accesses[HEDDLE_ACC_COUNT]; /* warp instructions that access memory, by space */
	double seconds;                      /* wall time */
	/* timing mode: from its first block's start to its last one's end */
	uint64_t cycles;
	/* other launches were on the GPU meanwhile: SM and memory figures are of all */
	bool shared;
	double gpu_seconds; /* simulated time; 0 in functional mode */
	bool timed;         /* cycle by cycle; else it ran functionally, or to warm the caches */
	double joule;       /* energy in that time; 0 in functional mode */
	/* how it ended; not HEDDLE_OK: the figures are of what was done until then */
	enum heddle_status status;
};
unsigned heddle_stats_count(const struct heddle *h);
const struct heddle_stats *heddle_stats_at(const struct heddle *h, unsigned i);
/* All launches with all figures, by opcode too, as JSON text (malloc'ed; free it). */
char *heddle_stats_json(const struct heddle *h);
/* The same in the form that a file's name asks for: CSV (.csv), text (.txt), else JSON;
 * malloc'ed. */
char *heddle_stats_print(const struct heddle *h, const char *file);
/* Which launches the figures of timing mode cover, in words (malloc'ed); NULL: all. */
char *heddle_stats_cover(const struct heddle *h);
/* Energy and simulated time of all timed launches; the time of launches side by side counts once.
 */
void heddle_energy(const struct heddle *h, double *joule, double *seconds);
/* How far energies can be trusted: "uncalibrated", "+- 12 %", what is missing. Valid until the next
 * call. */
const char *heddle_energy_note(const struct heddle *h);
/* The classes by which instructions are counted (`class` in heddle_stats_json()), from 0 on; NULL
 * past the last. */
const char *heddle_class_name(unsigned i);
char *heddle_stats_manual(void); /* what each figure means, as Markdown (malloc'ed) */

/* ---- configurations ----
 * Each returns malloc'ed text: the answer (true) or the errors (false). */
bool heddle_config_show(const char *name, const char *const *set, char **text);
bool heddle_config_explain(const char *key, char **text);
/* How heddle_power_validate() gets the power of a program: runs the workload's kernel on the
 * machine and returns the watts that go with time and those that go with events and clocks.
 * False: it did not run. */
struct heddle_power_runner {
	bool (*run)(void *arg, const char *workload, const char *kernel, const char *machine,
		    const char *const *set, double watts[2]);
	void *arg;
};
/* The energy model against published measurements, a line each with its verdict. part: one of
 * boards, arrays, gpuwattch, chips, fit, data, kernels; NULL: all. set: changes to every machine,
 * to see what a target depends on; NULL: none. runner: for kernels; NULL: they are left open.
 * False: no such part or setting, and text says what there is. */
bool heddle_power_validate(const char *part, const char *const *set,
			   const struct heddle_power_runner *runner, char **text);
/* Coefficients of a machine's energy: all, one event term by term, or areas. */
bool heddle_power(const char *name, const char *const *set, const char *event, bool area,
		  char **text);
/* mm^2 of the components of a machine that the model has; NAN: there is no such machine or setting. */
double heddle_power_area(const char *name, const char *const *set);
bool heddle_config_import(const char *gpgpusim_file, char **text); /* as a configuration of ours */
bool heddle_config_list(char **text);                              /* names, one a line */
bool heddle_config_options(char **text);                           /* all options, Markdown */

/* The table of supported PTX instructions, as Markdown (malloc'ed). */
char *heddle_ptx_table(void);

/* ---- native code: sm_1x ("tesla") and sm_2x ("fermi") ---- */

enum heddle_sass {
	HEDDLE_SASS, /* each ISA's usual style */
	HEDDLE_SASS_CUDA4,
	HEDDLE_SASS_CUDA5, /* as cuobjdump of those toolkits prints */
	HEDDLE_SASS_FULL,  /* every bit that means something is visible */
	HEDDLE_SASS_PTXPLUS,
	HEDDLE_SASS_CUDA40, /* what those toolkits print otherwise */
	HEDDLE_SASS_CUDA41,
};
/* One instruction word (tesla: w0 | w1 << 32) as text; FULL: bits without a meaning in braces
 * behind it. False: unknown word or ISA. */
bool heddle_native_word(const char *isa, uint64_t word, uint32_t pc, enum heddle_sass style,
			char *buf, size_t n);
/* One instruction of 128 bits (chip: "sm_75" to "sm_120"), low half first, as nvdisasm writes it; full:
 * with its control bits, so that heddle_word128_assemble makes the word again, whatever it is. False:
 * buf says why there is no text. */
bool heddle_word128(const char *chip, const uint64_t word[2], uint64_t pc, bool full, char *buf,
		    size_t n);
/* The word of such a text, in either style. False: err says what is wrong. */
bool heddle_word128_assemble(const char *chip, const char *text, uint64_t pc, uint64_t word[2],
			     char *err, size_t n);
/* A cubin or listing as a listing; a listing or cubin as an ELF cubin. Results are malloc'ed; NULL:
 * *message (malloc'ed) says why. With a result it is NULL, or warnings. */
char *heddle_native_list(const struct heddle_text *file, enum heddle_sass style, char **message);
void *heddle_native_assemble(const struct heddle_text *file, size_t *size, char **message);
/* PTX texts, linked, as machine code: a listing in text form (malloc'ed). NULL: *message says
 * why. With a result, *message (NULL: none) has what ptxas -v would print, a line a fact. */
struct heddle_compile {
	unsigned sm;            /* 13, 20 or 90; 0: 20 */
	unsigned max_registers; /* a thread; 0: as many as the machine has */
	const char *without;    /* as code_without of heddle_options */
};
char *heddle_native_compile(const struct heddle_text *text, unsigned n,
			    const struct heddle_compile *how, char **message);
/* The same as a cubin of *size bytes, for all machines; sm_90 has no other form. */
void *heddle_cubin_compile(const struct heddle_text *text, unsigned n,
			   const struct heddle_compile *how, size_t *size, char **message);
/* The class that an opcode of machine code counts as in statistics ("add", "load", ...); NULL: none
 * of either ISA. */
const char *heddle_native_class(const char *opcode);
/* The decoder's table of an ISA, as Markdown (malloc'ed); NULL: no such ISA. */
char *heddle_native_table(const char *isa);

#ifdef __cplusplus
}
#endif
#endif
