/* A module: the variables, functions and kernels of one or more linked program texts, decoded.
 * Front ends fill it; module_link() resolves names between texts; all later code only reads. Instructions are in
 * ir/inst.h, linking in ir/link.c. */
#ifndef IR_MODULE_H
#define IR_MODULE_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/inst.h"

enum linkage { LINK_NONE, LINK_EXTERN, LINK_VISIBLE, LINK_WEAK, LINK_COMMON };

/* An address in an initialiser, filled in when variables have addresses. */
struct reloc {
	uint32_t offset; /* byte offset in the variable */
	/* bytes to store; mask operator 0xFF00(x): right shift of the value */
	uint8_t size, shift;
	bool generic; /* generic(sym) */
	/* name of a symbol, struct var or struct func; resolved by module_link() */
	const char *name;
	const struct var *var;
	const struct func *func;
	int64_t addend;
	uint32_t line, col;
};

/* One property of a texture, sampler or surface reference's initialiser. */
struct texprop {
	const char *name; /* filter_mode, addr_mode_0, normalized_coords, ... */
	/* nearest, clamp_to_edge, ...; NULL: the property has a number, `value` */
	const char *word;
	uint64_t value;
};

struct var {
	const char *name;
	uint8_t space, type, linkage, ptr_space;
	uint8_t vec;  /* elements per vector: 1, 2, 4, 8 */
	bool used;    /* named by code or an initialiser */
	bool unsized; /* x[]: extern shared memory, or extern of unknown size */
	bool managed; /* .attribute(.managed) */
	uint32_t align;
	uint64_t size; /* bytes */
	uint8_t *init; /* `size` bytes; NULL: zeros */
	VEC(struct reloc) reloc;
	const struct func *owner; /* function that owns the variable; NULL: module scope */
	/* extern, or overridden: the definition, after module_link(), which
	 * also makes operands and relocations name the definition */
	const struct var *def;
	/* native code: variable that contains this one, from byte part_at on; NULL: none */
	const struct var *part_of;
	uint64_t part_at;
	/* SP_PARAM, SP_FRAME, SP_LOCAL: offset, set by the front end's layout;
	 * SP_LOCAL with owner NULL: offset from the thread's local memory, where
	 * the kernel's frame begins (see module.local_bytes);
	 * SP_GLOBAL, SP_CONST, texrefs: device address, set when loaded */
	uint64_t addr;
	uint32_t index; /* position in module->vars */
	uint32_t line, col;
	const char *text_name, *text,
		*text_end; /* range of the text that declares the variable, for messages */
	/* kernel parameters only: */
	uint32_t count; /* number of elements */
	bool is_array;
	/* a .reg formal of a function: loaded into, stored from register reg */
	bool is_reg;
	uint32_t reg;
	const struct texprop *prop; /* properties of texture, sampler and surface references */
	uint32_t nprop;
};

struct reg {
	const char *name;
	uint8_t type;
	bool scratch; /* native code: register added by the translation, not the machine's */
};

struct targets { /* .branchtargets, or the label list of brx.idx */
	uint32_t n;
	uint32_t *pc; /* indices into the function's code */
};

struct proto { /* a function's signature: sizes of results and parameters, in order */
	uint32_t nret, nparam;
	struct var **ret, **param;
	bool noreturn;
};

struct call {
	/* direct callee (after linking); NULL: indirect call through source 0 */
	const struct func *func;
	const char *name;
	struct proto proto; /* indirect: from .callprototype */
	/* opnd: nd = nret results; sources: [target register,] narg arguments */
	uint32_t nret, narg;
	const struct func **target; /* .calltargets list; NULL: none */
	uint32_t ntarget;
};

/* Native code: where each native instruction begins in the decoded code. */
struct native_map {
	uint32_t n;
	uint32_t *addr,
		*index; /* addresses in ascending order and indices of the decoded code; [n]: the end */
	const bool *listed; /* true: a word of the code's constants equals this address */
	unsigned registers; /* registers per thread */
	/* Tesla: shared memory begins with the launch's shape and the parameters */
	bool shared_header;
	bool untyped_params; /* number and sizes of parameters are unknown */
	unsigned pointer_bytes;
	bool converges; /* sm_70 on: convergence barriers, no token stack */
};

enum builtin {
	BI_NONE,
	BI_VPRINTF,
	BI_ASSERTFAIL,
	BI_MALLOC,
	BI_FREE,
	BI_OUT_OF_BOUNDS, /* the compiler's own check of an index: only --check reports it */
	BI_INDEX_END, /* the check that `heddle cc` adds to a reference to an element (nvcc/elements.c) */
	BI_ASK,       /* the runtime's queries about the device and kernels (cuda/device_side.c) */
	/* launches from kernels, kernel/child.c */
	BI_PARAM_BUFFER,
	BI_PARAM_BUFFER_V2,
	BI_LAUNCH,
	BI_LAUNCH_V2,
	BI_WAIT_CHILDREN,
	BI_WAIT_IF_ANY, /* waits if the block has launched anything */
};

/* The builtin with that name. */
enum builtin builtin_named(const char *name, size_t n);

/* Parameters and results of functions take whole words of a frame: calls copy words. */
enum { FRAME_UNIT = 4 };

struct replay;

struct func {
	const char *name;
	uint8_t linkage;
	bool entry, defined, noreturn;
	uint8_t builtin;      /* enum builtin: executed by the simulator */
	struct proto proto;   /* parameters: SP_PARAM for kernels, SP_FRAME for functions */
	uint32_t param_bytes; /* kernels: bytes of the parameter block */
	/* bytes of the local frame: results, parameters, call arguments, .local variables.
	 * A function's results then parameters start at offset 0, each at its
	 * natural alignment, so that a caller knows their offsets. */
	uint32_t frame_bytes;
	VEC(struct reg) regs; /* register id -> name, type */
	VEC(struct inst) code;
	VEC(struct targets) targets; /* tables of branch targets, by the imm of BRX */
	VEC(struct call) calls;      /* call records, by the imm of CALL */
	VEC(struct var *) vars;      /* function-scope variables of any space */
	uint32_t reqntid[3], maxntid[3], minnctapersm, maxnctapersm, maxnreg; /* 0: not given */
	uint32_t cluster[3]; /* .reqnctapercluster */
	/* extern or forward declaration, or overridden: the definition, after
	 * module_link(), which also makes calls and operands name it */
	const struct func *def;
	const struct func *alias; /* .alias: the function that this one names; NULL: no alias */
	bool used;                /* named by code or an initialiser */
	bool has_params;          /* written with a parameter list */
	/* kernels: bytes of frame_bytes, at its start, for module.local_bytes */
	uint32_t local_bytes;
	uint64_t variadic_need; /* most bytes that a direct call passes in an unsized parameter */
	uint32_t index;         /* position in module->funcs */
	bool addr_taken;        /* may be called indirectly */
	uint32_t line, col;
	struct module *module;
	const char *text_name; /* file name of the function's text, for messages */
	const char *text, *text_end;
	/* why the function cannot be executed (module.keep_refused), with the place; NULL: it can */
	const char *refused;
	uint32_t refused_line, refused_col;
	const struct native_map *native; /* NULL: not native code */
	const struct replay
		*replay; /* recorded paths of its warps (ir/replay.h); NULL: the code decides */
	/* Decodes machine code into `code` when the kernel is first launched; NULL: `code` exists
	 * already. False: errors are in d, and `code` stays empty. */
	bool (*make)(struct func *f, struct diag *d);
	const void *make_arg;
};

struct inlined {
	uint32_t file, line;       /* place of the inlined code, as inst.src_file, src_line */
	uint32_t at_file, at_line; /* place of the call */
	uint32_t up; /* index + 1 of the inlined call that contains this one; 0: none */
};

/* Handles of textures and surfaces: HANDLE_BASE + number of the descriptor * HANDLE_STEP. A handle is neither a
 * small integer nor a device address, so that a wrong one is detected. */
enum { HANDLE_BASE = 0x00800000, HANDLE_STEP = 16 };

/* Data that a front end keeps with the module. */
struct module_part {
	void (*free)(void *p);
	void *p;
};

struct module {
	struct arena arena;
	/* number among all modules loaded on the GPU: gives each module's code its own addresses */
	uint32_t number;
	unsigned version;      /* PTX 7.8: 78 */
	unsigned target;       /* sm_75: 75 */
	unsigned address_size; /* 32 or 64 */
	/* true: an instruction that is not understood refuses its function, and the kernels that may call
	 * it, instead of the text. Set before the text is read. */
	bool keep_refused;
	bool texmode_unified;
	bool f64_to_f32; /* .target map_f64_to_f32 */
	/* bytes of module-scope .local variables: the first bytes of every kernel's
	 * frame, like variables of the kernel; functions reach them at the start of the thread's
	 * local memory. Set by module_link() */
	uint32_t local_bytes;
	VEC(struct var *)
	/* all variables with memory of their own: .global, .const, .shared and
	 * textures of any scope, .local of module scope */
	vars;
	VEC(struct func *) funcs;
	VEC(const char *) files; /* .file names, by src_file - 1; NULL: none given */
	/* Places of inlined code and of the calls that it stands for, from .loc ... inlined_at. */
	VEC(struct inlined) inlined;
	struct map symbols;            /* module-scope name -> struct symbol */
	VEC(struct module_part) parts; /* freed with the module */
	VEC(char *) texts;             /* copies of the texts, for messages */
};

struct symbol {
	struct var *var;
	struct func *func;
};

struct module *module_new(void);
void module_free(struct module *m);

/* For front ends: append to the module's lists. `name` also makes the variable or function known at module
 * scope, where the first definition of a name stays, except that a definition replaces an extern variable. */
void module_add_var(struct module *m, struct var *v);
void module_name_var(struct module *m, struct var *v);
void module_add_func(struct module *m, struct func *f);
/* True if an instruction reads the register, or an address in it. */
bool func_reads(const struct func *f, uint32_t reg);
void module_name_func(struct module *m, struct func *f);
/* The largest plausible size of a variable: a larger one is an error in the program. */
uint64_t module_space_limit(unsigned space);

/* Resolves extern declarations against definitions and checks calls against their callees. Errors in `d`. */
bool module_link(struct module *m, struct diag *d);
struct func *module_kernel(const struct module *m,
			   const char *name); /* NULL: no kernel of that name */
struct var *module_var(const struct module *m, const char *name);

#endif
