/* Relocations of cubins. Those between sections of one file (slots of textures, places in constant
 * banks, shared and local memory, code) are applied to the bytes; addresses of global variables
 * wait for the module to be loaded: nkernel.reloc for code, nmodule.reloc for data.
 *
 * A REL record has no addend: the bits it replaces are one. */
#include "front/elf/cubin.h"

#include <stdlib.h>
#include <string.h>

struct place {            /* what is to be patched */
	const char *name; /* section without .rel */
	uint8_t *data;
	size_t size;
	struct nkernel *k; /* code; NULL: data */
};

static uint64_t field(uint64_t w, unsigned lo, unsigned n)
{
	return w >> lo & (~0ull >> (64 - n));
}

static uint64_t with_field(uint64_t w, unsigned lo, unsigned n, uint64_t v)
{
	uint64_t mask = (~0ull >> (64 - n)) << lo;
	return (w & ~mask) | (v << lo & mask);
}

static void put(uint8_t *p, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static struct nbank *bank_named(struct cubin *c, const char *rest)
{
	char *end;
	unsigned long n = strtoul(rest, &end, 10);
	struct nkernel *k = *end == '.' ? cubin_kernel(c, end + 1) : NULL;
	struct nbank *v = k ? k->bank.v : c->m->bank.v;
	size_t count = k ? k->bank.n : *end ? 0 : c->m->bank.n;
	for (size_t i = 0; i < count; i++)
		if (v[i].bank == n)
			return &v[i];
	return NULL;
}

/* The bytes a relocation section is about; data NULL: a section nobody executes or reads. */
static bool find_place(struct cubin *c, const char *of, struct place *p)
{
	const char *rest;
	*p = (struct place){.name = of};
	if ((rest = cubin_suffix(of, ".text."))) {
		if (!(p->k = cubin_kernel(c, rest)))
			return cubin_bad(c, "relocations of %s: no such kernel", of);
		p->data = p->k->code;
		p->size = p->k->size;
	} else if ((rest = cubin_suffix(of, ".nv.constant"))) {
		struct nbank *b = bank_named(c, rest);
		if (!b)
			return cubin_bad(c, "relocations of %s: no such section", of);
		p->data = b->data;
		p->size = b->size;
	} else if (!strcmp(of, ".nv.global.init")) {
		p->data = c->m->global_init;
		p->size = c->m->global_init_size;
	}
	return true;
}

static const char *section_of(const struct cubin *c, const struct sym *y)
{
	return y->shndx && y->shndx < c->sec.n ? c->sec.v[y->shndx].name : "";
}

static unsigned slot_of(const struct cubin *c, const char *name)
{
	for (size_t i = 0; i < c->m->symbol.n; i++)
		if (!strcmp(c->m->symbol.v[i].name, name))
			return c->m->symbol.v[i].slot;
	return ~0u;
}

/* Is the symbol's address an offset that the file knows: code, shared or local memory? */
static bool is_offset(const char *section)
{
	return cubin_suffix(section, ".text.") || cubin_suffix(section, ".nv.shared") ||
	       cubin_suffix(section, ".nv.local");
}

/* Where a section's code begins; false: in another kernel's address space. */
static bool code_base(struct cubin *c, const struct place *p, const char *section, uint64_t *base)
{
	const char *name = cubin_suffix(section, ".text.");
	const struct nkernel *k = name ? cubin_kernel(c, name) : NULL;
	*base = k ? k->base : 0;
	return !k || k->base || k == p->k || !p->k;
}

/* Code: true if applied; false: *later says whether loading can do it. */
static bool patch_code(struct cubin *c, const struct place *p, const struct nreloc *r,
                       const struct sym *y, bool *later)
{
	const char *in = section_of(c, y), *bank = cubin_suffix(in, ".nv.constant");
	uint8_t *at = p->data + r->offset;
	uint64_t base, w = cubin_u64(at);
	bool reachable = code_base(c, p, in, &base);
	uint64_t v = y->value + base + (uint64_t)r->addend;
	unsigned slot = slot_of(c, y->name), n = bank ? (unsigned)strtoul(bank, NULL, 10) : 0;
	*later = false;
	switch (r->type) {
	case 0:
		return true;
	case NREL_ABS32_26:
	case NREL_ABS32_LO_26:
	case NREL_ABS32_HI_26:
		*later = !is_offset(in) || !reachable;
		w = with_field(w, 26, 32, r->type == NREL_ABS32_HI_26 ? 0 : v + field(w, 26, 32));
		break;
	case NREL_ABS24_26:
		*later = !is_offset(in) || !reachable;
		w = with_field(w, 26, 24, v + field(w, 26, 24));
		break;
	case NREL_ABS16_26:
		*later = !is_offset(in) && !bank;
		w = with_field(w, 26, 16, v + field(w, 26, 16));
		break;
	case NREL_TEX_SLOT:
		*later = slot == ~0u;
		w = with_field(w, 32, 8, slot);
		break;
	case NREL_SAMP_SLOT:
		*later = slot == ~0u;
		w = with_field(w, 40, 5, slot);
		break;
	case NREL_SURF_SLOT:
		*later = slot == ~0u;
		w = with_field(w, 26, 6, slot);
		break;
	case NREL_CONST_FIELD19_28:
		*later = !bank;
		w = with_field(with_field(w, 28, 14, (v >> 2) + field(w, 28, 14)), 42, 4, n);
		w = with_field(w, 26, 1, n >> 4);
		break;
	case NREL_CONST_FIELD21_26:
		*later = !bank;
		w = with_field(with_field(w, 26, 16, v + field(w, 26, 16)), 42, 5, n);
		break;
	case NREL_PCREL_IMM24_26:
		*later = !cubin_suffix(in, ".text.") || !reachable;
		w = with_field(w, 26, 24, v - (p->k->base + r->offset + 8));
		break;
	default:
		*later = true;
		break;
	}
	if (!*later)
		put(at, w, 8);
	return !*later;
}

static unsigned data_bytes(unsigned type)
{
	switch (type) {
	case NREL_32:
	case NREL_G32:
	case NREL_FUNC_DESC_32: /* a function is known by its address */
		return 4;
	case NREL_64:
	case NREL_G64:
	case NREL_FUNC_DESC_64:
		return 8;
	default:
		return 0;
	}
}

static bool one(struct cubin *c, const struct place *p, struct nreloc *r, const struct sym *y)
{
	bool later;
	unsigned n = p->k ? 8 : data_bytes(r->type);
	if (!r->type)
		return true;
	if (!n)
		return cubin_bad(c, "relocations of %s: type %u at 0x%llx is not supported",
		                 p->name, r->type, (unsigned long long)r->offset);
	if (r->offset > p->size || p->size - r->offset < n)
		return cubin_bad(c, "relocations of %s: 0x%llx is outside its 0x%zx bytes", p->name,
		                 (unsigned long long)r->offset, p->size);
	if (p->k) {
		if (!patch_code(c, p, r, y, &later))
			vec_push(&p->k->reloc, *r);
		return true;
	}
	uint8_t *at = p->data + r->offset;
	uint64_t old = n == 8 ? cubin_u64(at) : cubin_u32(at);
	if (is_offset(section_of(c, y))) {
		uint64_t base;
		code_base(c, p, section_of(c, y), &base);
		put(at, y->value + base + (uint64_t)r->addend + old, n);
		return true;
	}
	r->addend += n == 8 ? (int64_t)old : (int32_t)old;
	r->section = cubin_keep(c, p->name);
	r->size = n;
	vec_push(&c->m->reloc, *r);
	return true;
}

bool cubin_relocs(struct cubin *c, const struct section *s, const char *of)
{
	struct place p;
	bool rela = s->h.sh_type == SHT_RELA;
	size_t rec = (c->wide ? 16u : 8u) + (rela ? (c->wide ? 8u : 4u) : 0u);
	if (!find_place(c, of, &p))
		return false;
	for (size_t o = 0; p.data && o + rec <= s->size; o += rec) {
		const uint8_t *q = s->data + o;
		struct nreloc r = {.offset = c->wide ? cubin_u64(q) : cubin_u32(q)};
		uint64_t info = c->wide ? cubin_u64(q + 8) : cubin_u32(q + 4),
		         sym = c->wide ? info >> 32 : info >> 8;
		r.type = (uint32_t)(c->wide ? info & 0xffffffffu : info & 0xff);
		if (rela)
			r.addend = c->wide ? (int64_t)cubin_u64(q + 16) : (int32_t)cubin_u32(q + 8);
		if (sym >= c->sym.n)
			return cubin_bad(c, "relocations of %s: the file has no symbol %llu", of,
			                 (unsigned long long)sym);
		const struct sym *y = &c->sym.v[sym];
		r.symbol = cubin_keep(c, y->name[0] ? y->name : section_of(c, y));
		if (!one(c, &p, &r, y))
			return false;
	}
	return true;
}
