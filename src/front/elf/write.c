/* Writes a module as an ELF cubin with the sections, symbols and attributes that cuobjdump and
 * front/elf/cubin.c expect, and no others. native_cubin_write() is the entry point. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "front/native/module.h"

struct wsec {
	char *name;
	uint32_t type, info, link;
	uint64_t flags, size, off, entsize;
	const uint8_t *data;
	size_t n;
};

/* A place of n bytes in a section that holds a symbol's number. order_symbols() renumbers it. */
struct wuse {
	uint8_t *at;
	unsigned n;
};

struct writer {
	const struct nmodule *m;
	struct arena arena;
	bool wide;
	VEC(struct wsec) sec;
	VEC(uint8_t) str, sym;
	VEC(uint8_t) out;
	uint32_t nsym;
	uint32_t nvars; /* number of the first variable's symbol */
	VEC(const char *)
	name; /* name of each symbol, by number; a section's symbol has the section's name */
	VEC(struct wuse) use;
};

/* Evaluates x once per byte. */
#define PUT(v, x, n)                                                                               \
	for (unsigned i_ = 0; i_ < (n); i_++)                                                      \
	vec_push(v, (uint8_t)((uint64_t)(x) >> (8 * i_)))

static uint32_t put_string(struct writer *w, const char *s)
{
	uint32_t at = (uint32_t)w->str.n;
	do
		vec_push(&w->str, (uint8_t)*s);
	while (*s++);
	return at;
}

static uint32_t put_symbol(struct writer *w, const char *name, unsigned info, unsigned other,
			   unsigned sec, uint64_t value, uint64_t size)
{
	uint32_t string = put_string(w, (info & 15) == STT_SECTION ? "" : name);
	PUT(&w->sym, string, 4);
	vec_push(&w->name, name);
	if (!w->wide) {
		PUT(&w->sym, value, 4);
		PUT(&w->sym, size, 4);
	}
	PUT(&w->sym, info, 1);
	PUT(&w->sym, other, 1);
	PUT(&w->sym, sec, 2);
	if (w->wide) {
		PUT(&w->sym, value, 8);
		PUT(&w->sym, size, 8);
	}
	return w->nsym++;
}

/* A section's contents while they are built, and the places in them that hold symbol numbers. */
struct wspot {
	size_t at;
	unsigned n;
};
struct wbytes {
	uint8_t *v;
	size_t n, cap;
	VEC(struct wspot) use;
};

static void put_use(struct wbytes *b, size_t at, unsigned n)
{
	vec_push(&b->use, (struct wspot){at, n});
}

static const uint8_t *keep_bytes(struct writer *w, struct wbytes *b)
{
	uint8_t *p = arena_alloc(&w->arena, b->n);
	memcpy(p, b->v, b->n);
	for (size_t i = 0; i < b->use.n; i++)
		vec_push(&w->use, (struct wuse){p + b->use.v[i].at, b->use.v[i].n});
	free(b->v);
	vec_free(&b->use);
	return p;
}

static uint32_t add_section(struct writer *w, const char *prefix, const char *name, uint32_t type,
			    uint64_t flags, uint32_t info, const uint8_t *data, size_t n)
{
	/* clang-format off */
	struct wsec s = { .name = arena_printf(&w->arena, "%s%s", prefix, name), .type = type, .flags = flags,
		.info = info, .data = data, .n = type == SHT_NOBITS ? 0 : n, .size = n };
	/* clang-format on */
	vec_push(&w->sec, s);
	return (uint32_t)w->sec.n - 1;
}

/* Adds the records that a loader needs about a kernel: parameters and sizes. */
static void add_info(struct writer *w, const struct nkernel *k, uint32_t text, uint32_t sym)
{
	struct wbytes b = {0};
	bool tesla = w->m->isa == NATIVE_TESLA;
	if (k->nparam && !tesla) {
		PUT(&b, 0x0a04, 2);
		PUT(&b, 8, 2);
		put_use(&b, b.n, 4);
		PUT(&b, sym, 4);
		PUT(&b, k->param_base, 2);
		PUT(&b, k->param_size, 2);
	}
	if (k->nparam) {
		PUT(&b, tesla ? 0x0b04 : 0x0c04, 2);
		PUT(&b, 4 * k->nparam, 2);
		for (unsigned i = 0; i < k->nparam; i++)
			PUT(&b, k->param[i].offset, 4);
		PUT(&b, tesla ? 0x1803 : 0x1903, 2);
		PUT(&b, k->param_size, 2);
	}
	for (unsigned i = k->nparam; i-- > 0;) {
		PUT(&b, 0x1704, 2);
		PUT(&b, 12, 2);
		PUT(&b, 0xffffffffu, 4);
		PUT(&b, i, 2);
		PUT(&b, k->param[i].offset, 2);
		PUT(&b, k->param[i].size << 18 | 0x1f000, 4);
	}
	for (unsigned i = 0; i < 2; i++) { /* MAX_THREADS, REQNTID */
		const uint32_t *n = i ? k->reqntid : k->max_threads;
		if (!n[0])
			continue;
		PUT(&b, i ? 0x1004 : 0x0504, 2);
		PUT(&b, 12, 2);
		for (unsigned j = 0; j < 3; j++)
			PUT(&b, n[j], 4);
	}
	if (k->stack) {
		PUT(&b, 0x1204, 2);
		PUT(&b, 8, 2);
		put_use(&b, b.n, 4);
		PUT(&b, sym, 4);
		PUT(&b, k->stack, 4);
	}
	if (b.n)
		add_section(w, ".nv.info.", k->name, SHT_PROGBITS, 0, text, keep_bytes(w, &b), b.n);
}

/* Returns a section's bytes as they were before relocation. */
static const uint8_t *unlinked(struct writer *w, const char *section, const uint8_t *data, size_t n,
			       const struct nreloc *v, size_t count)
{
	uint8_t *was = arena_alloc(&w->arena, n + 1);
	if (n)
		memcpy(was, data, n);
	native_unlink(was, n, section, v, count);
	return was;
}

static void add_data(struct writer *w, const char *section, uint32_t text, const uint8_t *data,
		     size_t n, uint64_t flags)
{
	add_section(w, section, "", SHT_PROGBITS, flags, text,
		    unlinked(w, section, data, n, w->m->link.v, w->m->link.n), n);
}

static void add_kernel(struct writer *w, const struct nkernel *k, bool entry)
{
	uint32_t text = (uint32_t)w->sec.n;
	uint32_t sym = put_symbol(w, k->name, 0x12, entry ? 0x10 : 0, text, k->entry,
				  k->entry < k->size ? k->size - k->entry : 0);
	const char *section = arena_printf(&w->arena, ".text.%s", k->name);
	bool bank0 = false;
	add_section(w, section, "", SHT_PROGBITS, 6 | (uint64_t)k->bars << 20, k->regs << 24 | sym,
		    unlinked(w, section, k->code, k->size, k->link.v, k->link.n), k->size);
	for (size_t i = 0; i < k->func.n; i++)
		put_symbol(w, k->func.v[i].name, 0x12, 0, text, k->func.v[i].value,
			   k->func.v[i].size);
	for (size_t i = 0; i < k->bank.n; i++) {
		bank0 |= !k->bank.v[i].bank;
		add_data(w,
			 arena_printf(&w->arena, ".nv.constant%u.%s", k->bank.v[i].bank, k->name),
			 text, k->bank.v[i].data, k->bank.v[i].size, 2);
	}
	if (w->m->isa == NATIVE_FERMI && !bank0 && entry) {
		size_t n = 0x20 + k->param_size;
		add_section(w, ".nv.constant0.", k->name, SHT_PROGBITS, 2, text,
			    arena_alloc(&w->arena, n), n);
	}
	if (k->shared)
		add_section(w, ".nv.shared.", k->name, SHT_NOBITS, 3, text, NULL, k->shared);
	if (k->local)
		add_section(w, ".nv.local.", k->name, SHT_NOBITS, 3, text, NULL, k->local);
	add_info(w, k, text, sym);
}

static uint32_t section_named(const struct writer *w, const char *name)
{
	for (uint32_t i = 1; i < w->sec.n; i++)
		if (!strcmp(w->sec.v[i].name, name))
			return i;
	return 0;
}

/* Returns the number of the symbol with a name. Variables come first, because they hide functions.
 * Sections and names of other files get a symbol when they are first asked for. */
static uint32_t symbol_number(struct writer *w, const char *name)
{
	for (uint32_t i = w->nvars; i < w->nsym; i++)
		if (!strcmp(w->name.v[i], name))
			return i;
	for (uint32_t i = 1; i < w->nvars; i++)
		if (!strcmp(w->name.v[i], name))
			return i;
	uint32_t section = name[0] == '.' ? section_named(w, name) : 0;
	return section ? put_symbol(w, name, STT_SECTION, 0, section, 0, 0)
		       : put_symbol(w, name, 0x10, 0, 0, 0, 0);
}

/* Adds the relocations of one section, both applied and pending. If any of them has an addend of
 * its own, all become RELA records. */
static void add_rel(struct writer *w, const char *of, bool code, const struct nreloc *r, size_t n,
		    const struct nreloc *link, size_t nlink)
{
	struct wbytes b = {0};
	unsigned a = w->wide ? 8 : 4;
	bool rela = false;
	for (unsigned pass = 0; pass < 2; pass++) /* pass 0 looks for an addend, pass 1 writes */
		for (size_t i = 0; i < n + nlink; i++) {
			const struct nreloc *x = i < n ? &r[i] : &link[i - n];
			if (strcmp(x->section, of))
				continue;
			int64_t addend = native_reloc_addend(x, code || i >= n);
			rela |= addend != 0;
			if (!pass)
				continue;
			uint64_t sym = symbol_number(w, x->symbol);
			PUT(&b, x->offset, a);
			put_use(&b, b.n + (w->wide ? 4 : 1), w->wide ? 4 : 3);
			PUT(&b, w->wide ? sym << 32 | x->type : sym << 8 | x->type, a);
			PUT(&b, (uint64_t)addend, rela ? a : 0);
		}
	if (b.n) {
		uint32_t to = section_named(w, of);
		uint32_t at = add_section(w, rela ? ".rela" : ".rel", of, rela ? SHT_RELA : SHT_REL,
					  0, to, keep_bytes(w, &b), b.n);
		w->sec.v[at].link = 3;
		w->sec.v[at].entsize = (rela ? 3 : 2) * a;
	}
}

/* Records the slot of each texture and surface: IMAGE_SLOT in .nv.info. */
static void add_slots(struct writer *w)
{
	struct wbytes b = {0};
	for (size_t i = 0; i < w->m->symbol.n; i++) {
		const struct nsymbol *y = &w->m->symbol.v[i];
		if ((y->kind != NSYM_TEXTURE && y->kind != NSYM_SURFACE) || y->slot == ~0u)
			continue;
		PUT(&b, 0x0204, 2);
		PUT(&b, 8, 2);
		put_use(&b, b.n, 4);
		PUT(&b, w->nvars + i, 4);
		PUT(&b, y->slot, 4);
	}
	if (b.n)
		add_section(w, ".nv.info", "", SHT_PROGBITS, 0, 0, keep_bytes(w, &b), b.n);
}

static void add_relocs(struct writer *w)
{
	const struct nmodule *m = w->m;
	uint32_t nsec = (uint32_t)w->sec.n;
	for (size_t i = 0; i < m->kernel.n + m->function.n; i++) {
		const struct nkernel *k =
			i < m->kernel.n ? &m->kernel.v[i] : &m->function.v[i - m->kernel.n];
		add_rel(w, arena_printf(&w->arena, ".text.%s", k->name), true, k->reloc.v,
			k->reloc.n, k->link.v, k->link.n);
	}
	for (uint32_t i = 1; i < nsec; i++)
		add_rel(w, w->sec.v[i].name, false, m->reloc.v, m->reloc.n, m->link.v, m->link.n);
}

/* Moves local symbols before all others, as ELF requires, and renumbers their uses. Returns the
 * number of local symbols. */
static uint32_t order_symbols(struct writer *w)
{
	size_t size = w->wide ? 24 : 16, info = w->wide ? 4 : 12;
	uint32_t *to = arena_alloc(&w->arena, (w->nsym + 1) * sizeof *to), n = 0, locals;
	uint8_t *was = arena_alloc(&w->arena, w->sym.n);
	for (uint32_t i = 0; i < w->nsym; i++)
		if (!(w->sym.v[i * size + info] >> 4))
			to[i] = n++;
	locals = n;
	for (uint32_t i = 0; i < w->nsym; i++)
		if (w->sym.v[i * size + info] >> 4)
			to[i] = n++;
	memcpy(was, w->sym.v, w->sym.n);
	for (uint32_t i = 0; i < w->nsym; i++)
		memcpy(w->sym.v + to[i] * size, was + i * size, size);
	for (size_t i = 0; i < w->use.n; i++) {
		const struct wuse *u = &w->use.v[i];
		uint32_t old = 0;
		for (unsigned k = 0; k < u->n; k++)
			old |= (uint32_t)u->at[k] << 8 * k;
		for (unsigned k = 0; k < u->n; k++)
			u->at[k] = (uint8_t)(to[old] >> 8 * k);
	}
	for (size_t i = 1; i < w->sec.n; i++)
		if (w->sec.v[i].flags & SHF_EXECINSTR)
			w->sec.v[i].info =
				(w->sec.v[i].info & 0xff000000u) | to[w->sec.v[i].info & 0xffffff];
	return locals;
}

static void pad_to(struct writer *w, size_t to)
{
	while (w->out.n % to)
		vec_push(&w->out, 0);
}

static void put_header(struct writer *w, uint64_t shoff)
{
	static const uint8_t ident[16] = {0x7f, 'E', 'L', 'F', 1, 1, 1, 0x33, 4};
	unsigned a = w->wide ? 8 : 4;
	for (unsigned i = 0; i < 16; i++)
		vec_push(&w->out, i == 4 && w->wide ? 2 : ident[i]);
	PUT(&w->out, ET_EXEC, 2);
	PUT(&w->out, 190, 2);
	PUT(&w->out, 1, 4);
	PUT(&w->out, 0, a); /* entry */
	PUT(&w->out, 0, a); /* program headers */
	PUT(&w->out, shoff, a);
	PUT(&w->out, w->m->sm | 0x100 | (uint32_t)(w->m->sm == 21 ? 20 : w->m->sm) << 16, 4);
	PUT(&w->out, w->wide ? 64 : 52, 2);
	PUT(&w->out, w->wide ? 56 : 32, 2);
	PUT(&w->out, 0, 2);
	PUT(&w->out, w->wide ? 64 : 40, 2);
	PUT(&w->out, w->sec.n, 2);
	PUT(&w->out, 1, 2); /* .shstrtab */
}

static void put_section(struct writer *w, const struct wsec *s, uint32_t name)
{
	unsigned a = w->wide ? 8 : 4;
	PUT(&w->out, name, 4);
	PUT(&w->out, s->type, 4);
	PUT(&w->out, s->flags, a);
	PUT(&w->out, 0, a);
	PUT(&w->out, s->off, a);
	PUT(&w->out, s->size, a);
	PUT(&w->out, s->link, 4);
	PUT(&w->out, s->info, 4);
	PUT(&w->out, s->type == SHT_NULL ? 0 : 4, a);
	PUT(&w->out, s->entsize, a);
}

static void put_contents(struct writer *w)
{
	for (size_t i = 1; i < w->sec.n; i++) {
		pad_to(w, 8);
		w->sec.v[i].off = w->out.n;
		for (size_t j = 0; j < w->sec.v[i].n; j++)
			vec_push(&w->out, w->sec.v[i].data[j]);
	}
	pad_to(w, 8);
}

uint8_t *native_cubin_write(const struct nmodule *m, size_t *size)
{
	struct writer w = {.m = m, .wide = m->addr64};
	VEC(uint32_t) name = {0};
	put_string(&w, "");
	put_symbol(&w, "", 0, 0, 0, 0, 0);
	add_section(&w, "", "", SHT_NULL, 0, 0, NULL, 0);
	add_section(&w, "", ".shstrtab", SHT_STRTAB, 0, 0, NULL, 0);
	add_section(&w, "", ".strtab", SHT_STRTAB, 0, 0, NULL, 0);
	add_section(&w, "", ".symtab", SHT_SYMTAB, 0, 1, NULL, 0);
	for (size_t i = 0; i < m->bank.n; i++)
		add_data(&w, arena_printf(&w.arena, ".nv.constant%u", m->bank.v[i].bank), 0,
			 m->bank.v[i].data, m->bank.v[i].size, 2);
	if (m->global_init_size)
		add_data(&w, ".nv.global.init", 0, m->global_init, m->global_init_size, 3);
	if (m->global_size)
		add_section(&w, ".nv.global", "", SHT_NOBITS, 3, 0, NULL, m->global_size);
	for (size_t i = 0; i < m->kernel.n; i++)
		add_kernel(&w, &m->kernel.v[i], true);
	for (size_t i = 0; i < m->function.n; i++)
		add_kernel(&w, &m->function.v[i], false);
	w.nvars = w.nsym;
	for (size_t i = 0; i < m->symbol.n; i++) {
		const struct nsymbol *y = &m->symbol.v[i];
		uint32_t sec = y->section ? section_named(&w, y->section) : 0;
		put_symbol(&w, y->name,
			   y->kind == NSYM_TEXTURE   ? 0x1a
			   : y->kind == NSYM_SURFACE ? 0x1b
			   : y->local                ? 0x01
						     : 0x11,
			   0, sec, y->value, y->size);
	}
	add_slots(&w);
	add_relocs(&w);
	w.sec.v[3].info = order_symbols(&w);
	for (size_t i = 0; i < w.sec.n; i++)
		vec_push(&name, put_string(&w, w.sec.v[i].name));
	for (unsigned i = 1; i <= 2; i++) {
		w.sec.v[i].data = w.str.v;
		w.sec.v[i].n = w.sec.v[i].size = w.str.n;
	}
	w.sec.v[3].data = w.sym.v;
	w.sec.v[3].n = w.sec.v[3].size = w.sym.n;
	w.sec.v[3].link = 2;
	w.sec.v[3].entsize = w.wide ? 24 : 16;
	put_header(&w, 0);
	put_contents(&w);
	uint64_t shoff = w.out.n;
	for (size_t i = 0; i < w.sec.n; i++)
		put_section(&w, &w.sec.v[i], name.v[i]);
	size_t total = w.out.n;
	w.out.n = 0;
	put_header(&w, shoff); /* written a second time, with the offset of the section table */
	w.out.n = total;
	vec_free(&name);
	vec_free(&w.name);
	vec_free(&w.use);
	vec_free(&w.str);
	vec_free(&w.sym);
	vec_free(&w.sec);
	arena_free(&w.arena);
	*size = total;
	return w.out.v;
}
