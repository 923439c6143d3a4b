/* Addresses in code: the relocations of programs that were compiled in parts (nvcc -rdc=true) and linked.
 *
 * Code of one file calls its functions and names its variables by constants or by distances, which need none. Linked code
 * has MOV R2, 32@lo(variable), MOV R3, 32@hi(variable), and CALL.ABS to a function, all with zeros in their place. */
#include "lift/sm70/lift.h"

#include <stdlib.h>

enum { R_ABS32_LO_32 = 56, R_ABS32_HI_32 = 57, R_ABS47_34 = 58, R_ABS55_16_34 = 75 };

/* The address of a symbol; false: no file defines it. */
static bool find_address(const struct lift_file *f, uint32_t symbol, uint64_t *addr)
{
	const struct cuelf *e = &f->elf;
	const struct cuelf_symbol *y = &e->symbol.v[symbol];
	const struct var *v = f->symbol_var[symbol];
	if (v) {
		*addr = v->addr;
	} else if (cuelf_suffix(e->section.v[y->section].name, ".text.")) {
		*addr = f->code_base[y->section] + y->value;
	} else if (f->section_var[y->section]) {
		*addr = f->section_var[y->section]->addr + y->value;
	} else {
		const struct var *other = y->section ? NULL : module_var(f->module, y->name);
		*addr = y->section ? 0 : lift_builtin_address(y->name);
		if (other)
			*addr = other->addr;
	}
	return *addr || (y->section && cuelf_suffix(e->section.v[y->section].name, ".text."));
}

static int compare_offsets(const void *a, const void *b)
{
	uint64_t x = (*(const struct cuelf_reloc *const *)a)->offset,
		 y = (*(const struct cuelf_reloc *const *)b)->offset;
	return (x > y) - (x < y);
}

void lift_find_relocs(struct lift *l, uint32_t section, struct lift_relocs *r)
{
	const struct cuelf *e = &l->file->elf;
	*r = (struct lift_relocs){0};
	for (size_t i = 0; i < e->reloc.n; i++)
		r->n += e->reloc.v[i].section == section;
	r->v = ARENA_ARRAY(&l->g.arena, const struct cuelf_reloc *, r->n + 1);
	size_t n = 0;
	for (size_t i = 0; i < e->reloc.n; i++)
		if (e->reloc.v[i].section == section)
			r->v[n++] = &e->reloc.v[i];
	qsort(r->v, n, sizeof *r->v, compare_offsets);
}

static bool apply_reloc(struct lift *l, const struct cuelf_reloc *r, uint64_t word[2],
			uint64_t *target)
{
	const struct lift_file *f = l->file;
	const char *name = f->elf.symbol.v[r->symbol].name;
	name = *name ? name : "a symbol without a name";
	uint64_t addr;
	if (!find_address(f, r->symbol, &addr)) {
		lift_refuse(l, "the address of %s, at 0x%llx", name, (unsigned long long)r->offset);
		return false;
	}
	if (lift_builtin_number(addr) >= 0)
		l->calls = true;
	addr += (uint64_t)r->addend;
	switch (r->type) {
	case R_ABS32_LO_32: word[0] += addr << 32; return true;
	case R_ABS32_HI_32: word[0] += addr >> 32 << 32; return true;
	case R_ABS47_34:
	case R_ABS55_16_34: *target = addr; return true;
	default:
		lift_refuse(l, "relocation type %u of %s, at 0x%llx", r->type, name,
			    (unsigned long long)r->offset);
		return false;
	}
}

bool lift_relocate(struct lift *l, struct lift_relocs *r, uint32_t offset, uint64_t word[2],
		   uint64_t *target)
{
	*target = 0;
	for (; r->at < r->n && r->v[r->at]->offset < offset + 16ull; r->at++)
		if (!apply_reloc(l, r->v[r->at], word, target))
			return false;
	return true;
}
