/* A module: the variables, functions and kernels of one or more linked program texts, decoded.
 * Front ends fill it; module_link() resolves names between texts; everything after only reads. */
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
	uint32_t offset; /* in the variable's bytes */
	/* bytes to store; mask operator 0xFF00(x): right shift of the value */
	uint8_t size, shift;
	bool generic;     /* generic(sym) */
	const char *name; /* symbol: struct var or struct func, resolved by module_link */
	const struct var *var;
	const struct func *func;
	int64_t addend;
	uint32_t line, col;
};

/* One property of a texture, sampler or surface reference's initialiser. */
struct texprop {
	const char *name; /* filter_mode, addr_mode_0, normalized_coords, ... */
	const char *word; /* nearest, clamp_to_edge, ...; NULL: value */
	uint64_t value;
};

struct var {
	const char *name;
	uint8_t space, type, linkage, ptr_space;
	uint8_t vec;  /* elements are vectors of so many: 1, 2, 4, 8 */
	bool used;    /* named by code or an initialiser */
	bool unsized; /* x[]: extern shared memory, or extern of unknown size */
	bool managed; /* .attribute(.managed) */
	uint32_t align;
	uint64_t size; /* bytes */
	uint8_t *init; /* size bytes, or NULL: zero */
	VEC(struct reloc) reloc;
	const struct func *owner; /* function scope, or NULL */
	const struct var *def;    /* extern, or overridden: the definition, after module_link (which
	                             also makes operands and relocations name the definition) */
	/* native code: it lies in this one, from byte part_at on; else NULL */
	const struct var *part_of;
	uint64_t part_at;
	uint64_t addr;  /* SP_PARAM, SP_FRAME, SP_LOCAL: offset, set by the front end's layout;
	                  SP_LOCAL with owner NULL: offset from the thread's local memory, where
	                  the kernel's frame begins (see module.local_bytes);
	                  SP_GLOBAL, SP_CONST, texrefs: device address, set when loaded */
	uint32_t index; /* position in module->vars */
	uint32_t line, col;
	const char *text_name, *text, *text_end; /* its text, for messages */
	/* kernel parameters: */
	uint32_t count; /* elements */
	bool is_array;
	/* a .reg formal of a function: loaded into, stored from register reg */
	bool is_reg;
	uint32_t reg;
	const struct texprop *prop; /* texture, sampler and surface references */
	uint32_t nprop;
};

struct reg {
	const char *name;
	uint8_t type;
	bool scratch; /* native code: of the translation, not the machine's */
};

struct targets { /* .branchtargets, or the label list of brx.idx */
	uint32_t n;
	uint32_t *pc; /* indices into the function's code */
};

struct proto { /* shape of a function for calls: sizes of results and parameters in order */
	uint32_t nret, nparam;
	struct var **ret, **param;
	bool noreturn;
};

struct call {
	/* direct callee (after link), or NULL: indirect through source 0 */
	const struct func *func;
	const char *name;
	struct proto proto; /* indirect: from .callprototype */
	/* opnd: nd = nret results; sources: [target register,] narg arguments */
	uint32_t nret, narg;
	const struct func **target; /* .calltargets list, or NULL */
	uint32_t ntarget;
};

/* Native code: where each native instruction begins in the decoded code. */
struct native_map {
	uint32_t n;
	uint32_t *addr, *index; /* in order of addresses; [n]: the end */
	const bool *listed;     /* a word of the code's constants is this address */
	unsigned registers;     /* a thread */
	/* Tesla: shared memory begins with the launch's shape and the parameters */
	bool shared_header;
	bool untyped_params; /* the parameters' number and sizes are not known */
	unsigned pointer_bytes;
	bool converges; /* sm_70 on: convergence barriers, no token stack */
};

enum builtin {
	BI_NONE,
	BI_VPRINTF,
	BI_ASSERTFAIL,
	BI_MALLOC,
	BI_FREE,
	BI_OUT_OF_BOUNDS, /* the compiler's own check of an index: nothing but a report of --check */
	BI_INDEX_END,     /* `heddle cc`'s own of a reference to an element (nvcc/elements.c) */
	BI_ASK, /* what the runtime knows of the device and of kernels (cuda/device_side.c) */
	/* launches from kernels, kernel/child.c */
	BI_PARAM_BUFFER,
	BI_PARAM_BUFFER_V2,
	BI_LAUNCH,
	BI_LAUNCH_V2,
	BI_WAIT_CHILDREN,
	BI_WAIT_IF_ANY, /* what happens at once comes after what is launched */
};

/* The one of that name. */
enum builtin builtin_named(const char *name, size_t n);

/* Parameters and results of functions take whole words of a frame: calls copy words. */
enum { FRAME_UNIT = 4 };

struct func {
	const char *name;
	uint8_t linkage;
	bool entry, defined, noreturn;
	uint8_t builtin;      /* enum builtin: executed by the simulator */
	struct proto proto;   /* parameters: SP_PARAM for kernels, SP_FRAME for functions */
	uint32_t param_bytes; /* kernels: size of the parameter block */
	uint32_t frame_bytes; /* local frame: results, parameters, call arguments, .local variables.
	                         A function's results then parameters start at offset 0, each at its
	                         natural alignment, so that a caller knows where they are. */
	VEC(struct reg) regs; /* register id -> name, type */
	VEC(struct inst) code;
	VEC(struct targets) targets; /* BRX imm */
	VEC(struct call) calls;      /* CALL imm */
	VEC(struct var *) vars;      /* function-scope variables of any space */
	uint32_t reqntid[3], maxntid[3], minnctapersm, maxnctapersm, maxnreg; /* 0: not given */
	uint32_t cluster[3]; /* .reqnctapercluster */
	const struct func
		*def; /* extern or forward declaration, or overridden: the definition, after
	                 module_link (which also makes calls and operands name it) */
	const struct func *alias; /* .alias: the function it is another name of */
	bool used;                /* named by code or an initialiser */
	bool has_params;          /* written with a parameter list */
	uint32_t local_bytes;     /* kernels: of frame_bytes, module.local_bytes at its start */
	uint64_t variadic_need;   /* bytes that direct calls pass in an unsized parameter */
	uint32_t index;           /* position in module->funcs */
	bool addr_taken;          /* may be called indirectly */
	uint32_t line, col;
	struct module *module;
	const char *text_name; /* file name of its text, for messages */
	const char *text, *text_end;
	/* why it cannot be executed (module.keep_refused), with the place; NULL: it can */
	const char *refused;
	uint32_t refused_line, refused_col;
	const struct native_map *native; /* NULL: not native code */
	/* Machine code that becomes `code` when the kernel is first launched; NULL: the code is there. False: errors in d,
	 * and no code. */
	bool (*make)(struct func *f, struct diag *d);
	const void *make_arg;
};

struct inlined {
	uint32_t file, line;       /* as inst.src_file, src_line */
	uint32_t at_file, at_line; /* of the call */
	uint32_t up;               /* the call is inlined itself: index + 1; 0: no */
};

/* Handles of textures and surfaces: HANDLE_BASE + number of the descriptor * HANDLE_STEP. Neither a
 * small integer nor a device address, so that a wrong one is noticed. */
enum { HANDLE_BASE = 0x00800000, HANDLE_STEP = 16 };

/* What a front end keeps beside the module. */
struct module_part {
	void (*free)(void *p);
	void *p;
};

struct module {
	struct arena arena;
	/* among all that were loaded on its GPU: tells their code apart */
	uint32_t number;
	unsigned version;      /* PTX 7.8: 78 */
	unsigned target;       /* sm_75: 75 */
	unsigned address_size; /* 32 or 64 */
	/* An instruction that is not understood refuses its function, and the kernels that may call
	 * it, instead of the text. Set before the text is read. */
	bool keep_refused;
	bool texmode_unified;
	bool f64_to_f32;      /* .target map_f64_to_f32 */
	uint32_t local_bytes; /* of module-scope .local variables: the first bytes of every kernel's
	                         frame, so that in a kernel they are like its own; functions reach
	                         them at the start of the thread's local memory. Set by
	                       * module_link */
	VEC(struct var *)
	vars; /* all that take memory of their own: .global, .const, .shared and
	                             textures of any scope, .local of the module's */
	VEC(struct func *) funcs;
	VEC(const char *) files; /* .file names, src_file - 1; NULL: none given */
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

/* For front ends. Appends to the module's lists; `name` also makes it known at module scope, where
 * the first of a name stays, except that a definition replaces an extern variable. */
void module_add_var(struct module *m, struct var *v);
void module_name_var(struct module *m, struct var *v);
void module_add_func(struct module *m, struct func *f);
void module_name_func(struct module *m, struct func *f);
/* A variable larger than this is a mistake rather than a program. */
uint64_t module_space_limit(unsigned space);

/* Resolves extern declarations against definitions, checks that calls fit. Errors in `d`. */
bool module_link(struct module *m, struct diag *d);
struct func *module_kernel(const struct module *m, const char *name); /* NULL: none of that name */
struct var *module_var(const struct module *m, const char *name);

#endif
