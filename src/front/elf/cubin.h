/* Interface between the files that read ELF cubins of sm_1x and sm_2x: the open file, its sections,
 * and error reporting. cubin.c is the reader, reloc.c reads relocation sections. */
#ifndef FRONT_ELF_CUBIN_H
#define FRONT_ELF_CUBIN_H
#include <gelf.h>
#include <libelf.h>
#include "front/native/module.h"

struct section {
	const char *name;
	GElf_Shdr h;
	const uint8_t *data; /* NULL: the section has no contents in the file */
	size_t size;
};

struct sym {
	const char *name;
	uint64_t value, size;
	unsigned shndx;
	uint8_t info, other;
};

struct cubin {
	struct nmodule *m;
	const char *file;
	struct diag *d;
	Elf *elf;
	bool wide;
	VEC(struct section) sec;
	VEC(struct sym) sym;
	bool failed;
};

/* Reports one error; returns false. */
bool cubin_bad(struct cubin *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *cubin_keep(struct cubin *c, const char *s);
/* Returns the rest of a section's name after `prefix`; NULL: the name does not begin with it. */
const char *cubin_suffix(const char *name, const char *prefix);

static inline uint32_t cubin_u16(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }
static inline uint32_t cubin_u32(const uint8_t *p) { return cubin_u16(p) | cubin_u16(p + 2) << 16; }
static inline uint64_t cubin_u64(const uint8_t *p)
{
	return cubin_u32(p) | (uint64_t)cubin_u32(p + 4) << 32;
}

/* Reads a relocation section; `of` is the name of the code or data section that it changes
 * (reloc.c). */
bool cubin_relocs(struct cubin *c, const struct section *s, const char *of);
#endif
