/* Reader of ELF cubins for sm_70 and later: sections, symbols, relocations and the attributes of
 * each function. The reader changes and decodes nothing; its result points into the given bytes,
 * which must outlive it. Every offset and size of the file is checked once, here.
 *
 * Files of CUDA 10 to 12 have the machine's number in bits 0 to 7 of the header's flags, files of
 * CUDA 13 (ABI version 8) in bits 8 to 15. cubin.c reads code of sm_1x and sm_2x; lift/sm70 turns
 * the result of this reader into programs. */
#ifndef FRONT_ELF_CUELF_H
#define FRONT_ELF_CUELF_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

struct diag;

struct cuelf_section {
	const char *name;
	uint32_t type, link, info;
	uint64_t flags, size, align, entry; /* entry: bytes of an entry of a table */
	const uint8_t *data;                /* NULL: the section has no bytes in the file */
};

struct cuelf_symbol {
	const char *name;
	uint32_t section; /* index of the section; 0: none */
	uint32_t place;   /* ELF's field: a section's index, or a special number from 0xff00 on */
	uint64_t value, size;
	uint8_t info, other; /* ELF's fields: binding and type, visibility and CUDA's bits */
};

struct cuelf_reloc {
	uint32_t section; /* index of the section whose bytes the relocation changes */
	uint32_t type, symbol;
	uint64_t offset;
	int64_t addend;
};

struct cuelf_param {
	uint32_t ordinal, offset, size;
};

/* A function: a kernel, or device code in a separate section or at the end of a kernel's
 * section. */
struct cuelf_func {
	const char *name;
	uint32_t symbol, section;
	uint32_t offset, size; /* bytes, relative to the section */
	bool entry, global;
	uint32_t registers; /* registers per thread; 0: not given */
	/* stack: least number of bytes that a call needs, callees included; frame: bytes of the
	 * function's own frame */
	uint32_t stack, frame;
	uint32_t shared; /* bytes of static shared memory */
	uint32_t param_base, param_bytes;
	uint32_t reqntid[3], maxntid[3], cluster[3]; /* 0: not given */
	VEC(struct cuelf_param) param;               /* indexed by ordinal */
};

/* A row of the line table: covers the code of a section from `offset` to the next row's offset. */
struct cuelf_line {
	uint32_t section, offset;
	uint32_t file, line; /* file: index + 1 in line_file, 0: not known; line 0: no line */
	uint32_t call; /* index + 1 in `line` of the call into which the code is inlined; 0: none */
};

struct cuelf {
	struct arena arena;
	const char *file;
	unsigned sm; /* compute capability; 90 for both sm_90 and sm_90a */
	bool address64;
	struct map section_names; /* name -> index in `section` of the first of that name */
	struct map entry_names;   /* name -> index in `func` of a kernel */
	uint32_t *func_of_symbol; /* [symbol] index + 1 in `func`; 0: none */
	VEC(struct cuelf_section) section; /* [0] is ELF's empty section */
	VEC(struct cuelf_symbol) symbol;
	VEC(struct cuelf_reloc) reloc;
	VEC(struct cuelf_func) func;
	/* rows of the line table, after cuelf_read_lines() */
	VEC(struct cuelf_line) line;
	VEC(const char *) line_file;
	const struct cuelf_line **line_at; /* rows of `line` by section and offset */
};

/* True for a cubin for sm_70 or later. */
bool cuelf_recognise(const void *data, size_t n);
/* Reads a cubin into *c. On failure, adds one message to d and returns false. Call cuelf_free() in
 * either case. */
bool cuelf_read(struct cuelf *c, const char *file, const void *data, size_t n, struct diag *d);
void cuelf_free(struct cuelf *c);

/* Reads the source lines of a cubin, if it has any, after cuelf_read() (lines.c). */
void cuelf_read_lines(struct cuelf *c);
/* Returns the row for the code at an offset of a section; NULL: unknown. */
const struct cuelf_line *cuelf_line_at(const struct cuelf *c, uint32_t section, uint32_t offset);

/* Returns the index of the section with that name; 0: none. */
uint32_t cuelf_find(const struct cuelf *c, const char *name);
/* Returns the rest of a section's name after `prefix`; NULL: the name does not begin with it. */
const char *cuelf_suffix(const char *name, const char *prefix);

static inline uint32_t cuelf_u16(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }
static inline uint32_t cuelf_u32(const uint8_t *p) { return cuelf_u16(p) | cuelf_u16(p + 2) << 16; }
static inline uint64_t cuelf_u64(const uint8_t *p)
{
	return cuelf_u32(p) | (uint64_t)cuelf_u32(p + 4) << 32;
}
#endif
