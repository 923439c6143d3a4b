/* Native files as programs: a cubin or listing becomes PTX text with a map back to the native
 * instructions (native_text), the PTX reader makes decoded code of it, and the control flow is put back
 * in as NI_NATIVE (native_program). Between the two only this header is known to both, because the
 * operation names of native.h and ir/inst.h are the same words. */
#ifndef FRONT_NATIVE_PROGRAM_H
#define FRONT_NATIVE_PROGRAM_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "ir/inst.h"

enum { NCTL_BAR_WAIT = 255 }; /* besides enum native_ctl: becomes OP_BAR */
struct nctl {
	uint8_t kind;    /* enum native_ctl */
	uint32_t target; /* native instruction number in the kernel */
	int64_t offset;  /* BRX: added to the register, giving a byte address; B2R: the barrier */
	uint8_t pred;    /* LOCK: predicate register written; 7: none */
};

struct nline {
	uint32_t inst; /* native instruction number */
	uint32_t kernel;
};

enum { NLINE_NONE = 0xffffffff };

struct nprog_kernel {
	const char *name;
	uint32_t n;           /* instructions */
	const uint32_t *addr; /* n + 1: and the end */
	const char *const *text;
	const uint16_t *mnemonic;
	const bool *listed; /* a word of the code's constants is the instruction's address */
	unsigned registers;
	unsigned nparam; /* 0 and untyped: not known */
	const uint32_t *param_at, *param_size;
	bool untyped;
	bool shared_header; /* Tesla */
	unsigned pointer_bytes;
	uint32_t reqntid[3], maxntid[3];
};

struct nprog_symbol {           /* a variable of the file, or one it wants */
	const char *name, *var; /* var: its name in the text */
	const char *
		base; /* the text's variable it is part of, from byte `at` on; NULL: of another file */
	uint64_t at;
	bool local;
	bool reference; /* a texture or surface */
};
struct nprog_reloc { /* `size` bytes at `offset` of var hold the address of `of` */
	const char *var, *of;
	uint32_t offset, size;
	int64_t addend;
};

struct nprog {
	char *text; /* malloc'ed */
	size_t size;
	const struct nline *line; /* [i]: what line i + 1 of the text belongs to */
	size_t nline;
	const struct nctl *ctl; /* for each nanosleep of the text, in order */
	size_t nctl;
	const struct nprog_kernel *kernel;
	unsigned nkernel;
	const struct nprog_symbol *symbol;
	const struct nprog_reloc *reloc;
	size_t nsymbol, nreloc;
	struct arena arena; /* all the rest */
};

/* Does the file look like native code (cubin or listing) rather than PTX? */
bool native_recognise(const void *data, size_t n);
bool native_text(struct nprog *p, const char *file, const void *data, size_t n, const char *dialect,
		 struct diag *d);
void native_text_free(struct nprog *p);

struct module;
/* Reads a file into a module, like ptx_read. */
bool native_program(struct module *m, const char *file, const void *data, size_t n,
		    const char *dialect, struct diag *d);

#endif
