/* Reader of ELF cubins for sm_70 and later: sections, symbols, relocations, and what the attributes say of each
 * function. Nothing of the file is changed or decoded; pointers go into the bytes that were given, which must outlive
 * the reader's result. Every offset and size of the file is checked once, here.
 *
 * Files of CUDA 10 to 12 have the machine's number in bits 0 to 7 of the header's flags, those of CUDA 13 (ABI version
 * 8) in bits 8 to 15. The code of sm_1x and sm_2x is read by cubin.c; lift/sm70 makes programs of what is read here. */
#ifndef FRONT_ELF_CUELF_H
#define FRONT_ELF_CUELF_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/vec.h"

struct diag;

struct cuelf_section {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, size, align;
	const uint8_t *data; /* NULL: no bytes in the file */
};

struct cuelf_symbol {
	const char *name;
	uint32_t section; /* index; 0: none */
	uint64_t value, size;
	uint8_t info, other; /* ELF's: binding and type, visibility and CUDA's bits */
};

struct cuelf_reloc {
	uint32_t section; /* whose bytes it changes */
	uint32_t type, symbol;
	uint64_t offset;
	int64_t addend;
};

struct cuelf_param {
	uint32_t ordinal, offset, size;
};

/* A function: a kernel, or device code in a section of its own or at the end of a kernel's. */
struct cuelf_func {
	const char *name;
	uint32_t symbol, section;
	uint32_t offset, size; /* in the section */
	bool entry, global;
	uint32_t registers;    /* a thread; 0: not said */
	uint32_t stack, frame; /* bytes: at least on the stack with all that it calls, own */
	uint32_t shared;       /* bytes of static shared memory */
	uint32_t param_base, param_bytes;
	uint32_t reqntid[3], maxntid[3], cluster[3]; /* 0: not given */
	VEC(struct cuelf_param) param;               /* by ordinal */
};

struct cuelf {
	struct arena arena;
	const char *file;
	unsigned sm; /* 90: sm_90, sm_90a */
	bool address64;
	VEC(struct cuelf_section) section; /* 0: none */
	VEC(struct cuelf_symbol) symbol;
	VEC(struct cuelf_reloc) reloc;
	VEC(struct cuelf_func) func;
};

/* Is it a cubin for sm_70 or later? */
bool cuelf_recognise(const void *data, size_t n);
/* False: one message in d; cuelf_free() is needed all the same. */
bool cuelf_read(struct cuelf *c, const char *file, const void *data, size_t n, struct diag *d);
void cuelf_free(struct cuelf *c);

/* Index of the section of that name; 0: there is none. */
uint32_t cuelf_find(const struct cuelf *c, const char *name);
/* What follows `prefix` in a section's name; NULL: it has another beginning. */
const char *cuelf_suffix(const char *name, const char *prefix);

static inline uint32_t cuelf_u16(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }
static inline uint32_t cuelf_u32(const uint8_t *p) { return cuelf_u16(p) | cuelf_u16(p + 2) << 16; }
static inline uint64_t cuelf_u64(const uint8_t *p)
{
	return cuelf_u32(p) | (uint64_t)cuelf_u32(p + 4) << 32;
}
#endif
