/* Native code of Tesla and Fermi GPUs as loaded from a file: an ELF cubin, a text cubin, a
 * cuobjdump listing or PTXPlus. All memory belongs to the module's arena. native_read() loads;
 * lift/ makes programs from the result. */
#ifndef FRONT_NATIVE_MODULE_H
#define FRONT_NATIVE_MODULE_H
#include "base/arena.h"
#include "base/vec.h"
#include "isa/native.h"

struct nbank { /* contents of one constant bank */
	unsigned bank;
	uint8_t *data;
	size_t size;
};
struct nparam {
	/* offset relative to the parameter base, and size, in bytes; size 0: unknown */
	uint32_t offset, size;
};
struct nsymbol { /* a function inside a kernel's code, a constant, a global variable or a texture */
	const char *name;
	enum nsym_kind { NSYM_FUNC, NSYM_OBJECT, NSYM_TEXTURE, NSYM_SURFACE } kind;
	const char *section; /* section that defines the symbol; NULL: undefined */
	uint64_t value, size;
	unsigned slot; /* textures: index used by TEX; ~0u: unknown */
	bool local;    /* true: invisible to other files */
};
/* A relocation: bytes that receive a symbol's address when the module is loaded. In code: an
 * instruction's 32-bit immediate, its low word or its high word. In data: `size` bytes of
 * `section`. */
struct nreloc {
	uint64_t offset;
	uint32_t type; /* enum nreloc_type; an instruction with another type is refused */
	const char *symbol;
	int64_t addend; /* added to the value that the relocated bytes hold */
	/* section that contains the relocated bytes: .text.NAME, .nv.constantN, ... */
	const char *section;
	unsigned size; /* number of relocated bytes */
	uint64_t was;  /* the bytes before relocation */
};
/* Relocation types that sm_1x and sm_2x code uses, named as nvdisasm prints them without
 * R_CUDA_. */
/* clang-format off */
enum nreloc_type {
	NREL_32 = 1, NREL_64 = 2, NREL_G32 = 3, NREL_G64 = 4, NREL_ABS32_26 = 5, NREL_ABS32_LO_26 = 10,
	NREL_ABS32_HI_26 = 11, NREL_ABS24_26 = 15, NREL_ABS16_26 = 17, NREL_TEX_SLOT = 19, NREL_SAMP_SLOT = 20,
	NREL_SURF_SLOT = 21, NREL_CONST_FIELD19_28 = 24, NREL_FUNC_DESC_32 = 34, NREL_FUNC_DESC_64 = 35,
	NREL_CONST_FIELD21_26 = 36, NREL_PCREL_IMM24_26 = 40,
};
/* clang-format on */

/* Address in shared memory at which the parameters of sm_1x begin, and their largest size in
 * bytes. */
enum { TESLA_PARAM_BASE = 0x10, TESLA_PARAMS = 256 };

struct nsource { /* a line of the source program from which code was generated */
	const char *file;
	uint32_t line;
};

struct nkernel {
	const char *name;
	struct ninst *inst; /* in address order */
	size_t ninst;
	/* [instruction]: index + 1 into the module's sources; NULL: not known */
	uint32_t *source;
	uint32_t *line; /* [instruction]: line in the listing; NULL: not read from a listing */
	uint8_t *code;
	size_t size;
	uint32_t base;   /* address of the code's first byte; 0 except for functions */
	uint32_t entry;  /* offset in the code of the symbol with the kernel's name */
	bool device;     /* set while a listing is read: the code is a function, not a kernel */
	unsigned regs;   /* registers per thread */
	bool regs_known; /* false: `regs` is the highest register used, plus one */
	unsigned bars;
	/* bytes of static shared memory (Tesla: header and parameters included) */
	uint32_t shared;
	uint32_t local, stack; /* bytes per thread: .nv.local, and the largest ABI frame */
	uint32_t param_base, param_size;
	struct nparam *param;
	unsigned nparam;
	uint32_t reqntid[3], max_threads[3];
	VEC(struct nbank) bank;
	VEC(struct nsymbol) func; /* subroutines: value = offset in the code */
	VEC(struct nreloc) reloc; /* relocations to be applied when the module is loaded */
	VEC(struct nreloc) link;  /* relocations that have been applied to the code */
};

struct nmodule {
	struct arena arena;
	enum native_isa isa;
	unsigned sm; /* architecture: 10 ... 13, 20, 21 */
	bool addr64;
	bool addr_known;    /* the file says how wide addresses are */
	bool dialect_known; /* set before reading: `dialect` is the style of a listing's text */
	enum native_style dialect;
	/* read from a listing, so that register counts, constants and parameters are missing */
	bool from_text;
	VEC(struct nkernel) kernel;
	VEC(struct nkernel)
	function; /* device functions in sections of their own, placed after the kernels' code */
	VEC(struct nbank) bank; /* module-wide constants */
	VEC(struct nsymbol) symbol;
	VEC(struct nsource) sources;
	VEC(struct nreloc) reloc; /* relocations of data, to be applied when the module is loaded */
	VEC(struct nreloc) link;  /* relocations of data that have been applied */
	uint8_t *global_init;
	size_t global_init_size, global_size;
	/* bytes of .nv.global.init that native_add_values() has reserved */
	size_t global_init_room;
};

/* The first bytes of a fat binary, a container of several images. The CUDA library unpacks fat
 * binaries; native_read() refuses them. */
extern const char native_fat_magic[4];
/* Reads a file of any of these formats. On failure d has the reason, the module is empty, and false
 * is returned. */
bool native_read(struct nmodule *m, const char *file, const void *data, size_t n, struct diag *d);
/* Sets the dialect of listings; call before native_read(). NULL: the dialect is guessed. */
bool native_text_dialect(struct nmodule *m, const char *name, struct diag *d);
bool native_read_elf(struct nmodule *m, const char *file, const void *data, size_t n,
		     struct diag *d);
bool native_read_textcubin(struct nmodule *m, const char *file, const char *s, size_t n,
			   struct diag *d);
bool native_read_sass(struct nmodule *m, const char *file, const char *s, size_t n, struct diag *d);
void native_module_free(struct nmodule *m);

/* Reserves bytes at the end of .nv.global.init for a variable of `bytes` with initial values, which
 * are zero at first. NULL: all such variables together exceed NATIVE_VALUES; without this limit,
 * one line of text could request a gigabyte. */
enum { NATIVE_VALUES = 4 << 20 };
uint8_t *native_add_values(struct nmodule *m, uint64_t bytes);

/* Sets addr64 of sm_1x code that does not say how wide its addresses are. */
void native_guess_width(struct nmodule *m);
bool native_arch(struct nmodule *m,
		 unsigned sm); /* sets sm and the instruction set; false: neither Tesla nor Fermi */
struct nkernel *native_kernel_new(struct nmodule *m, const char *name);
/* Returns part i of the code that a kernel runs. Part 0 is the kernel's own; if the kernel calls
 * functions outside, the other parts are the file's functions. NULL: no more parts. Addresses rise
 * from part to part. */
const struct nkernel *native_part(const struct nmodule *m, const struct nkernel *k, size_t i);
/* returns the instruction that begins at pc; NULL: none */
struct ninst *native_inst_at(const struct nkernel *k, uint64_t pc);
/* Decodes k->code into k->inst; unknown words and targets outside the code are errors. */
bool native_kernel_decode(struct nmodule *m, struct nkernel *k, const char *file, struct diag *d);
bool native_kernel_check(const struct nmodule *m, const struct nkernel *k,
			 const struct srcloc *file, struct diag *d);

/* relocate.c */
struct nplace { /* the bytes that relocations of a section refer to */
	const char *section;
	uint8_t *data; /* the section's bytes; NULL: no code executes or reads the section */
	size_t size;
	struct nkernel *k; /* NULL: the section holds data */
};
/* Finds the bytes of a section. Returns NULL, or a message with the error. */
const char *native_place(struct nmodule *m, const char *section, struct nplace *p);
/* Applies relocation r to symbol y, or keeps r until the module is loaded. r.addend is the addend
 * in the file's record. */
bool native_relocate(struct nmodule *m, const struct nplace *p, struct nreloc r,
		     const struct nsymbol *y, char *err, size_t nerr);
/* returns the addend as the record in the file has it */
int64_t native_reloc_addend(const struct nreloc *r, bool code);
/* Restores the bytes of a section to the state in the file, before relocation. */
void native_unlink(uint8_t *data, size_t n, const char *section, const struct nreloc *v,
		   size_t count);
/* returns a type's name; NULL: a type that sm_1x and sm_2x code does not use */
const char *native_reloc_name(uint32_t type);
bool native_reloc_type(const char *name, size_t len, uint32_t *type);
struct nkernel *native_code_named(const struct nmodule *m, const char *name);
/* true for sections of code or memory */
bool native_has_section(const struct nmodule *m, const char *section);
struct nsymbol native_symbol_named(struct nmodule *m, const char *name);
/* Places the functions behind the largest kernel, at addresses that are common to all kernels,
 * because function pointers lie in memory that kernels share. False: *end is beyond the reach of a
 * branch. */
bool native_functions_place(struct nmodule *m, size_t *end);

void native_listing_print(const struct nmodule *m, enum native_style st, FILE *f);
void native_ptxplus_print(const struct nmodule *m, FILE *f);
/* Prints one instruction in PTXPlus. kernel: the name in its constant bank. stack: the code reads
 * Fermi's R1, so the instruction that initialises R1 is printed. */
size_t native_ptxplus(const struct ninst *in, const char *kernel, bool stack, char *buf, size_t n);
bool native_uses_stack(const struct nkernel *k);
/* prints a whole kernel, with labels */
void native_ptxplus_code(const struct nkernel *k, FILE *f);
/* Assembles one PTXPlus line with its semicolon; pc: its address. */
bool native_ptxplus_assemble(enum native_isa isa, const char *text, size_t len, const char *kernel,
			     uint32_t pc, struct ninst *out, char *err, size_t nerr);
/* native_looks_ptxplus() recognises PTXPlus, native_read_ptxplus() reads it. */
bool native_looks_ptxplus(const char *s, size_t n);
bool native_read_ptxplus(struct nmodule *m, const char *file, const char *s, size_t n,
			 struct diag *d);
/* Returns the instruction as it was in the file, before relocation. */
struct ninst native_in_file(const struct nkernel *k, const struct ninst *in);
/* Returns the module as an ELF cubin, malloc'ed. */
uint8_t *native_cubin_write(const struct nmodule *m, size_t *size);
#endif
