/* What the files that read ELF cubins share. */
#ifndef FRONT_ELF_CUBIN_H
#define FRONT_ELF_CUBIN_H
#include <gelf.h>
#include <libelf.h>
#include "front/native/module.h"

struct section {
	const char *name;
	GElf_Shdr h;
	const uint8_t *data; /* NULL: no contents in the file */
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

/* One message; returns false. */
bool cubin_bad(struct cubin *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *cubin_keep(struct cubin *c, const char *s);
/* What follows `prefix` in a section's name; NULL: it has another beginning. */
const char *cubin_suffix(const char *name, const char *prefix);

static inline uint32_t cubin_u16(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }
static inline uint32_t cubin_u32(const uint8_t *p) { return cubin_u16(p) | cubin_u16(p + 2) << 16; }
static inline uint64_t cubin_u64(const uint8_t *p)
{
	return cubin_u32(p) | (uint64_t)cubin_u32(p + 4) << 32;
}

/* reloc.c: a section of relocations of the code or data it names. */
bool cubin_relocs(struct cubin *c, const struct section *s, const char *of);
#endif
