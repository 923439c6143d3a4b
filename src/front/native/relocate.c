/* Applies relocations of any file format to native modules.
 *
 * Relocations within the file (texture slots, places in constant banks, shared and local memory,
 * code) are applied to the bytes at once. They are kept as links, together with the bytes they
 * replaced, so that the file can be written again unchanged. Relocations to global variables and to
 * functions outside the file wait until the module is loaded. The bits that a relocation replaces
 * count as an addend, in addition to the record's own. */
#include <stdlib.h>
#include <string.h>
#include "front/native/module.h"

static const struct {
	uint32_t type;
	const char *name;
} types[] = {
	{NREL_32, "R_CUDA_32"},
	{NREL_64, "R_CUDA_64"},
	{NREL_G32, "R_CUDA_G32"},
	{NREL_G64, "R_CUDA_G64"},
	{NREL_ABS32_26, "R_CUDA_ABS32_26"},
	{NREL_ABS32_LO_26, "R_CUDA_ABS32_LO_26"},
	{NREL_ABS32_HI_26, "R_CUDA_ABS32_HI_26"},
	{NREL_ABS24_26, "R_CUDA_ABS24_26"},
	{NREL_ABS16_26, "R_CUDA_ABS16_26"},
	{NREL_TEX_SLOT, "R_CUDA_TEX_SLOT"},
	{NREL_SAMP_SLOT, "R_CUDA_SAMP_SLOT"},
	{NREL_SURF_SLOT, "R_CUDA_SURF_SLOT"},
	{NREL_CONST_FIELD19_28, "R_CUDA_CONST_FIELD19_28"},
	{NREL_FUNC_DESC_32, "R_CUDA_FUNC_DESC_32"},
	{NREL_FUNC_DESC_64, "R_CUDA_FUNC_DESC_64"},
	{NREL_CONST_FIELD21_26, "R_CUDA_CONST_FIELD21_26"},
	{NREL_PCREL_IMM24_26, "R_CUDA_PCREL_IMM24_26"},
};

const char *native_reloc_name(uint32_t type)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].type == type)
			return types[i].name;
	return NULL;
}

bool native_reloc_type(const char *name, size_t len, uint32_t *type)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strlen(types[i].name) == len && !memcmp(types[i].name, name, len)) {
			*type = types[i].type;
			return true;
		}
	return false;
}

static uint64_t get_word(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static void put_bytes(uint8_t *p, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static uint64_t field(uint64_t w, unsigned lo, unsigned n) { return w >> lo & (~0ull >> (64 - n)); }

static uint64_t with_field(uint64_t w, unsigned lo, unsigned n, uint64_t v)
{
	uint64_t mask = (~0ull >> (64 - n)) << lo;
	return (w & ~mask) | (v << lo & mask);
}

static const char *suffix(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);
	return strncmp(name, prefix, n) ? NULL : name + n;
}

struct nkernel *native_code_named(const struct nmodule *m, const char *name)
{
	for (size_t i = 0; i < m->kernel.n; i++)
		if (!strcmp(m->kernel.v[i].name, name))
			return &m->kernel.v[i];
	for (size_t i = 0; i < m->function.n; i++)
		if (!strcmp(m->function.v[i].name, name))
			return &m->function.v[i];
	return NULL;
}

static struct nbank *bank_named(const struct nmodule *m, const char *rest)
{
	char *end;
	unsigned long n = strtoul(rest, &end, 10);
	struct nkernel *k = *end == '.' ? native_code_named(m, end + 1) : NULL;
	struct nbank *v = k ? k->bank.v : m->bank.v;
	size_t count = k ? k->bank.n : *end ? 0 : m->bank.n;
	for (size_t i = 0; i < count; i++)
		if (v[i].bank == n)
			return &v[i];
	return NULL;
}

bool native_has_section(const struct nmodule *m, const char *section)
{
	const char *rest;
	struct nkernel *k;
	if ((rest = suffix(section, ".text.")))
		return native_code_named(m, rest) != NULL;
	if ((rest = suffix(section, ".nv.constant")))
		return bank_named(m, rest) != NULL;
	if ((rest = suffix(section, ".nv.shared.")))
		return (k = native_code_named(m, rest)) && k->shared;
	if ((rest = suffix(section, ".nv.local.")))
		return (k = native_code_named(m, rest)) && k->local;
	return !strcmp(section, ".nv.global")        ? m->global_size > 0
	       : !strcmp(section, ".nv.global.init") ? m->global_init_size > 0
						     : false;
}

const char *native_place(struct nmodule *m, const char *section, struct nplace *p)
{
	const char *rest;
	*p = (struct nplace){.section = section};
	if ((rest = suffix(section, ".text."))) {
		if (!(p->k = native_code_named(m, rest)))
			return "no such kernel";
		p->data = p->k->code;
		p->size = p->k->size;
	} else if ((rest = suffix(section, ".nv.constant"))) {
		struct nbank *b = bank_named(m, rest);
		if (!b)
			return "no such section";
		p->data = b->data;
		p->size = b->size;
	} else if (!strcmp(section, ".nv.global.init")) {
		p->data = m->global_init;
		p->size = m->global_init_size;
	}
	return NULL;
}

static unsigned slot_of(const struct nmodule *m, const char *name)
{
	for (size_t i = 0; i < m->symbol.n; i++)
		if (!strcmp(m->symbol.v[i].name, name))
			return m->symbol.v[i].slot;
	return ~0u;
}

/* True if the file knows the symbol's address as an offset: code, shared memory or local memory. */
static bool is_offset(const char *section)
{
	return suffix(section, ".text.") || suffix(section, ".nv.shared") ||
	       suffix(section, ".nv.local");
}

/* The address at which a section's code begins; false: it is in another kernel's address space. */
static bool code_base(struct nmodule *m, const struct nplace *p, const char *section,
		      uint64_t *base)
{
	const char *name = suffix(section, ".text.");
	const struct nkernel *k = name ? native_code_named(m, name) : NULL;
	*base = k ? k->base : 0;
	return !k || k->base || k == p->k || !p->k;
}

/* Computes the instruction word with its address filled in. False: the address is not known within
 * the file. */
static bool link_word(struct nmodule *m, const struct nplace *p, const struct nreloc *r,
		      const struct nsymbol *y, uint64_t *word)
{
	const char *in = y->section ? y->section : "", *bank = suffix(in, ".nv.constant");
	uint64_t base, w = *word;
	bool reachable = code_base(m, p, in, &base), later = false;
	uint64_t v = y->value + base + (uint64_t)r->addend;
	unsigned slot = slot_of(m, y->name), n = bank ? (unsigned)strtoul(bank, NULL, 10) : 0;
	switch (r->type) {
	case NREL_ABS32_26:
	case NREL_ABS32_LO_26:
	case NREL_ABS32_HI_26:
		later = !is_offset(in) || !reachable;
		w = with_field(w, 26, 32, r->type == NREL_ABS32_HI_26 ? 0 : v + field(w, 26, 32));
		break;
	case NREL_ABS24_26:
		later = !is_offset(in) || !reachable;
		w = with_field(w, 26, 24, v + field(w, 26, 24));
		break;
	case NREL_ABS16_26:
		later = !is_offset(in) && !bank;
		w = with_field(w, 26, 16, v + field(w, 26, 16));
		break;
	case NREL_TEX_SLOT:
		later = slot == ~0u;
		w = with_field(w, 32, 8, slot);
		break;
	case NREL_SAMP_SLOT:
		later = slot == ~0u;
		w = with_field(w, 40, 5, slot);
		break;
	case NREL_SURF_SLOT:
		later = slot == ~0u;
		w = with_field(w, 26, 6, slot);
		break;
	case NREL_CONST_FIELD19_28:
		later = !bank;
		w = with_field(with_field(w, 28, 14, (v >> 2) + field(w, 28, 14)), 42, 4, n);
		w = with_field(w, 26, 1, n >> 4);
		break;
	case NREL_CONST_FIELD21_26:
		later = !bank;
		w = with_field(with_field(w, 26, 16, v + field(w, 26, 16)), 42, 5, n);
		break;
	case NREL_PCREL_IMM24_26:
		later = !suffix(in, ".text.") || !reachable;
		w = with_field(w, 26, 24, v - (p->k->base + r->offset + 8));
		break;
	default: later = true; break;
	}
	if (!later)
		*word = w;
	return !later;
}

static unsigned data_bytes(unsigned type)
{
	switch (type) {
	case NREL_32:
	case NREL_G32:
	case NREL_FUNC_DESC_32: /* a function's descriptor is its address */ return 4;
	case NREL_64:
	case NREL_G64:
	case NREL_FUNC_DESC_64: return 8;
	default: return 0;
	}
}

static void relocate_code(struct nmodule *m, const struct nplace *p, struct nreloc *r,
			  const struct nsymbol *y)
{
	struct ninst in;
	uint8_t *at = p->data + r->offset;
	uint64_t w = r->was = get_word(at, 8);
	if (!link_word(m, p, r, y, &w)) {
		vec_push(&p->k->reloc, *r);
		return;
	}
	put_bytes(at, w, 8);
	/* the new word stays if the old one cannot be shown as an instruction */
	if (native_decode(m->isa, r->was, (uint32_t)r->offset, &in) && in.size == 8)
		vec_push(&p->k->link, *r);
}

bool native_relocate(struct nmodule *m, const struct nplace *p, struct nreloc r,
		     const struct nsymbol *y, char *err, size_t nerr)
{
	unsigned n = p->k ? 8 : data_bytes(r.type);
	uint64_t base;
	if (!r.type)
		return true;
	if (!n) {
		snprintf(err, nerr, "relocations of %s: type %u at 0x%llx is not supported",
			 p->section, r.type, (unsigned long long)r.offset);
		return false;
	}
	if (r.offset > p->size || p->size - r.offset < n) {
		snprintf(err, nerr, "relocations of %s: 0x%llx is outside its 0x%zx bytes",
			 p->section, (unsigned long long)r.offset, p->size);
		return false;
	}
	r.section = arena_strdup(&m->arena, p->section);
	r.size = n;
	if (p->k) {
		relocate_code(m, p, &r, y);
		return true;
	}
	uint8_t *at = p->data + r.offset;
	r.was = get_word(at, n);
	if (y->section && is_offset(y->section)) {
		code_base(m, p, y->section, &base);
		put_bytes(at, y->value + base + (uint64_t)r.addend + r.was, n);
		vec_push(&m->link, r);
		return true;
	}
	r.addend += n == 8 ? (int64_t)r.was : (int32_t)r.was;
	vec_push(&m->reloc, r);
	return true;
}

int64_t native_reloc_addend(const struct nreloc *r, bool code)
{
	return code ? r->addend : r->addend - (r->size == 8 ? (int64_t)r->was : (int32_t)r->was);
}

void native_unlink(uint8_t *data, size_t n, const char *section, const struct nreloc *v,
		   size_t count)
{
	/* in reverse order, because several relocations may change one word */
	for (size_t i = count; i-- > 0;)
		if (!strcmp(v[i].section, section) && v[i].offset <= n &&
		    n - v[i].offset >= v[i].size)
			put_bytes(data + v[i].offset, v[i].was, v[i].size);
}

bool native_functions_place(struct nmodule *m, size_t *end)
{
	/* granularity of addresses; reach of a relative branch */
	enum { ALIGN = 0x100, CODE_MAX = 1 << 23 };
	size_t at = 0;
	for (size_t i = 0; i < m->kernel.n; i++)
		at = m->kernel.v[i].size > at ? m->kernel.v[i].size : at;
	for (size_t i = 0; i < m->function.n; i++) {
		at = (at + ALIGN) &
		     ~(size_t)(ALIGN - 1); /* a gap separates each function from the next */
		m->function.v[i].base = (uint32_t)at;
		at += m->function.v[i].size;
	}
	*end = at;
	return !m->function.n || at < CODE_MAX;
}

struct nsymbol native_symbol_named(struct nmodule *m, const char *name)
{
	for (size_t i = 0; i < m->symbol.n; i++)
		if (!strcmp(m->symbol.v[i].name, name))
			return m->symbol.v[i];
	for (size_t c = 0; c < m->kernel.n + m->function.n; c++) {
		const struct nkernel *k =
			c < m->kernel.n ? &m->kernel.v[c] : &m->function.v[c - m->kernel.n];
		struct nsymbol y = {
			.name = name, .kind = NSYM_FUNC, .value = k->entry, .slot = ~0u};
		for (size_t i = 0; i < k->func.n; i++)
			if (!strcmp(k->func.v[i].name, name)) {
				y.section = arena_printf(&m->arena, ".text.%s", k->name);
				y.value = k->func.v[i].value;
				return y;
			}
		if (!strcmp(k->name, name)) {
			y.section = arena_printf(&m->arena, ".text.%s", name);
			return y;
		}
	}
	/* a section's symbol has the section's name; any other unknown name belongs to another
	 * file */
	return (struct nsymbol){.name = name,
				.kind = NSYM_OBJECT,
				.section = native_has_section(m, name) ? name : NULL,
				.slot = ~0u};
}
