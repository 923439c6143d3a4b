/* Writes the kernels of a module as an ELF cubin of sm_90, with the sections and attributes that
 * the driver's loader reads: code, parameters (bank 0), constants (bank 3), addresses (bank 4, by
 * relocation), variables, shared memory; for each kernel its registers, stack, parameters and
 * exits. lift/sm70 and front/elf/cuelf.c read such files. */
#include <stdlib.h>
#include <string.h>
#include "back/lower/inline.h"
#include "back/sm90/code.h"

enum {
	SHT_PROGBITS = 1,
	SHT_SYMTAB = 2,
	SHT_STRTAB = 3,
	SHT_RELA = 4,
	SHT_NOBITS = 8,
	SHT_INFO = 0x70000000,
	SHT_CALLGRAPH = 0x70000001
};
enum { SHF_WRITE = 1, SHF_ALLOC = 2, SHF_EXEC = 4, SHF_LINK = 64 };
enum { STT_SECTION = 3, STT_FUNC = 0x12, STT_OBJECT = 1, STB_GLOBAL = 0x10, STO_ENTRY = 0x10 };
enum { STT_TEXTURE = 10, STT_SURFACE = 12 };
enum { R_32 = 1, R_64 = 2, R_TEXTURE = 6, R_SURFACE = 52 };
enum { EHDR = 64, SHDR = 64, PHDR = 56, SYM = 24, RELA = 24 };

struct bytes {
	uint8_t *v;
	size_t n, cap;
};

struct section {
	char *name;
	uint32_t type, link, info;
	uint64_t flags, align, each;
	uint64_t size; /* size of a section without bytes */
	struct bytes b;
	uint64_t at;
};

struct file {
	const struct cubin_writer *w;
	struct diag *d;
	struct arena a;
	VEC(struct section) section;
	struct bytes strings, symbols;
	uint32_t nsymbols;
	uint32_t *of_var; /* [variable of the module]: its symbol's number; 0: none */
	uint32_t *of_texture, *of_surface;   /* [number in the layout]: its symbol */
	uint32_t of_function[LAYOUT_CALLED]; /* functions of the driver that are called */
	uint32_t callgraph;                  /* section */
	bool ok;
};

static void put_number(struct bytes *b, uint64_t x, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		vec_push(b, i < 8 ? (uint8_t)(x >> 8 * i) : 0);
}

static void put_bytes(struct bytes *b, const void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vec_push(b, ((const uint8_t *)p)[i]);
}

static uint32_t put_string(struct bytes *b, const char *s)
{
	uint32_t at = (uint32_t)b->n;
	put_bytes(b, s, strlen(s) + 1);
	return at;
}

static uint32_t add_section(struct file *f, const char *name, uint32_t type, uint64_t flags,
			    uint64_t align)
{
	struct section s = {
		.name = arena_strdup(&f->a, name), .type = type, .flags = flags, .align = align};
	vec_push(&f->section, s);
	return (uint32_t)f->section.n - 1;
}

static struct bytes *bytes_of(struct file *f, uint32_t section) { return &f->section.v[section].b; }

static uint32_t add_symbol(struct file *f, const char *name, unsigned info, unsigned other,
			   uint32_t section, uint64_t value, uint64_t size)
{
	put_number(&f->symbols, put_string(&f->strings, name), 4);
	put_number(&f->symbols, info, 1);
	put_number(&f->symbols, other, 1);
	put_number(&f->symbols, section, 2);
	put_number(&f->symbols, value, 8);
	put_number(&f->symbols, size, 8);
	return f->nsymbols++;
}

/* ---- variables ---- */

static const struct var *definition_of(const struct var *v) { return v && v->def ? v->def : v; }

static uint32_t symbol_of(const struct file *f, const struct var *v)
{
	const struct module *m = f->w->m;
	for (size_t i = 0; i < m->vars.n; i++)
		if (m->vars.v[i] == v)
			return f->of_var[i];
	return 0;
}

static bool is_global(const struct var *v)
{
	return v->space == SP_GLOBAL && v->size && definition_of(v) == v && !layout_is_reference(v);
}

/* Offsets of variables in their sections, by variable. */
struct places {
	uint64_t *at;
	uint64_t data, zero; /* bytes of .nv.global.init, .nv.global */
};

static uint64_t align_up(uint64_t at, uint64_t align)
{
	return align > 1 ? (at + align - 1) / align * align : at;
}

static void place_globals(const struct file *f, struct places *p)
{
	const struct module *m = f->w->m;
	p->at = xcalloc(m->vars.n + 1, sizeof *p->at);
	for (size_t i = 0; i < m->vars.n; i++) {
		const struct var *v = m->vars.v[i];
		if (!is_global(v))
			continue;
		uint64_t *end = v->init || v->reloc.n ? &p->data : &p->zero;
		p->at[i] = *end = align_up(*end, v->align < 8 ? 8 : v->align);
		*end += v->size;
	}
}

static uint32_t add_rela(struct file *f, uint32_t target)
{
	char name[64];
	snprintf(name, sizeof name, ".rela%s", f->section.v[target].name);
	uint32_t s = add_section(f, name, SHT_RELA, SHF_LINK, 8);
	f->section.v[s].info = target;
	f->section.v[s].each = RELA;
	return s;
}

/* Addresses in a variable's initial value: functions as numbers (lower/call.c), variables as relocations. */
/* *rela: number of the section with relocations; 0: not created yet. */
static void put_relocs(struct file *f, const struct var *v, uint64_t base, uint32_t data,
		       uint32_t *rela)
{
	uint8_t *to = bytes_of(f, data)->v + base;
	for (size_t i = 0; i < v->reloc.n; i++) {
		const struct reloc *r = &v->reloc.v[i];
		const struct var *x = definition_of(r->var);
		uint64_t n =
			r->func ? (call_address(r->func) + (uint64_t)r->addend) >> r->shift : 0;
		bool whole = !r->shift && (r->size == 4 || r->size == 8);
		if (r->offset + (uint64_t)r->size > v->size)
			continue;
		memset(to + r->offset, 0, r->size);
		if (r->func) {
			memcpy(to + r->offset, &n, r->size);
		} else if (x && whole && (x->space == SP_GLOBAL || x->space == SP_CONST) &&
			   symbol_of(f, x)) {
			*rela = *rela ? *rela : add_rela(f, data);
			struct bytes *b = bytes_of(f, *rela);
			put_number(b, base + r->offset, 8);
			put_number(b, r->size == 4 ? R_32 : R_64, 4);
			put_number(b, symbol_of(f, x), 4);
			put_number(b, (uint64_t)r->addend, 8);
		} else {
			diag_error(
				f->d,
				"%s: variable %s: this address in an initialiser has no form in machine code",
				v->text_name ? v->text_name : "", v->name);
			f->ok = false;
		}
	}
}

static void fill_to(struct bytes *b, uint64_t n)
{
	while (b->n < n)
		vec_push(b, 0);
}

static void add_variables(struct file *f)
{
	const struct module *m = f->w->m;
	const struct layout *l = f->w->l;
	struct places p = {0};
	uint32_t data = 0, zero = 0, bank = 0, data_rela = 0, bank_rela = 0;
	place_globals(f, &p);
	if (p.data) {
		data = add_section(f, ".nv.global.init", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 16);
		fill_to(bytes_of(f, data), p.data);
	}
	if (p.zero) {
		zero = add_section(f, ".nv.global", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 16);
		f->section.v[zero].size = p.zero;
	}
	if (l->constant_bytes) {
		bank = add_section(f, ".nv.constant3", SHT_PROGBITS, SHF_ALLOC, 16);
		fill_to(bytes_of(f, bank), l->constant_bytes);
		add_symbol(f, ".nv.constant3", STT_SECTION, 0, bank, 0, 0);
	}
	f->of_var = ARENA_ARRAY(&f->a, uint32_t, m->vars.n + 1);
	memset(f->of_var, 0, (m->vars.n + 1) * sizeof *f->of_var);
	for (unsigned global = 0; global < 2; global++) /* local symbols come first */
		for (size_t i = 0; i < m->vars.n; i++) {
			const struct var *v = m->vars.v[i];
			bool is_constant = v->space == SP_CONST && v->size &&
					   definition_of(v) == v && v->linkage != LINK_EXTERN &&
					   !layout_is_reference(v);
			bool visible = v->linkage == LINK_VISIBLE && !v->owner;
			if ((!is_constant && !is_global(v)) || visible != global)
				continue;
			uint32_t s = is_constant ? bank : v->init || v->reloc.n ? data : zero;
			uint64_t at = is_constant ? layout_const(l, v) : p.at[i];
			f->of_var[i] =
				add_symbol(f, v->name, STT_OBJECT | (visible ? STB_GLOBAL : 0), 0,
					   s, at, v->size);
		}
	for (size_t i = 0; i < m->vars.n; i++) {
		const struct var *v = m->vars.v[i];
		bool constant = v->space == SP_CONST;
		if (!f->of_var[i] || (!v->init && !v->reloc.n))
			continue;
		uint64_t at = constant ? layout_const(l, v) : p.at[i];
		if (v->init)
			memcpy(bytes_of(f, constant ? bank : data)->v + at, v->init, v->size);
		put_relocs(f, v, at, constant ? bank : data, constant ? &bank_rela : &data_rela);
	}
	free(p.at);
}

/* Bank 4: addresses of variables, and of functions that the driver provides. */
static void add_addresses(struct file *f)
{
	const struct layout *l = f->w->l;
	if (!l->global.n && !l->ncalled)
		return;
	uint32_t bank = add_section(f, ".nv.constant4", SHT_PROGBITS, SHF_ALLOC, 8),
		 rela = add_rela(f, bank);
	fill_to(bytes_of(f, bank), 8 * (l->global.n + l->ncalled));
	for (size_t i = 0; i < l->global.n + l->ncalled; i++) {
		uint32_t symbol = i < l->global.n ? symbol_of(f, l->global.v[i])
						  : f->of_function[l->called[i - l->global.n]];
		if (!symbol)
			continue;
		struct bytes *b = bytes_of(f, rela);
		put_number(b, 8 * i, 8);
		put_number(b, R_64, 4);
		put_number(b, symbol, 4);
		put_number(b, 0, 8);
	}
	add_symbol(f, ".nv.constant4", STT_SECTION, 0, bank, 0, 0);
}

static void add_functions(struct file *f)
{
	const struct layout *l = f->w->l;
	for (unsigned i = 0; i < l->ncalled; i++)
		f->of_function[l->called[i]] =
			add_symbol(f, layout_function(l->called[i]), STT_FUNC, 0, 0, 0, 0);
}

static void add_references(struct file *f)
{
	const struct layout *l = f->w->l;
	f->of_texture = ARENA_ARRAY(&f->a, uint32_t, l->texture.n + 1);
	f->of_surface = ARENA_ARRAY(&f->a, uint32_t, l->surface.n + 1);
	for (size_t i = 0; i < l->texture.n; i++)
		f->of_texture[i] =
			add_symbol(f, l->texture.v[i]->name, STB_GLOBAL | STT_TEXTURE, 0, 0, 0, 0);
	for (size_t i = 0; i < l->surface.n; i++)
		f->of_surface[i] =
			add_symbol(f, l->surface.v[i]->name, STB_GLOBAL | STT_SURFACE, 0, 0, 0, 0);
}

/* ---- kernels ---- */

/* An attribute with words. */
static void put_attribute(struct bytes *b, unsigned code, const uint32_t *v, unsigned n)
{
	put_number(b, 0x04 | code << 8, 2);
	put_number(b, 4 * n, 2);
	for (unsigned i = 0; i < n; i++)
		put_number(b, v[i], 4);
}

static void put_short(struct bytes *b, unsigned format, unsigned code, unsigned v)
{
	put_number(b, format | code << 8, 2);
	put_number(b, v, 2);
}

/* bank: symbol of the section of the kernel's parameters. */
static void put_info(const struct file *file, struct bytes *b, const struct cubin_kernel *k,
		     uint32_t bank)
{
	enum {
		MAX_THREADS = 0x05,
		PARAM_BANK = 0x0a,
		REQNTID = 0x10,
		KPARAM = 0x17,
		PARAM_BYTES = 0x19,
		MAX_REGISTERS = 0x1b,
		EXITS = 0x1c,
		CALLED = 0x0f,
		CALLS = 0x46,
		TEXTURE_BANK = 0x15,
		SURFACE_BANK = 0x16,
		CRS_STACK = 0x1e,
		MEETS = 0x28,
		WORKAROUND = 0x36,
		API_VERSION = 0x37,
		CLUSTER = 0x3d,
		BARRIERS = 0x4c,
		SPARSE = 0x50
	};
	const struct func *f = k->f;
	put_attribute(b, API_VERSION, (uint32_t[]){0x82}, 1);
	for (uint32_t i = f->proto.nparam; i-- > 0;) {
		const struct var *p = f->proto.param[i];
		put_attribute(b, KPARAM,
			      (uint32_t[]){0, i | (uint32_t)p->addr << 16,
					   (uint32_t)p->size << 18 | 0x1f000},
			      3);
	}
	put_short(b, 3, SPARSE, 0);
	put_short(b, 3, MAX_REGISTERS, 0xff);
	if (k->words.barriers)
		put_short(b, 2, BARRIERS, k->words.barriers);
	if (k->words.meets.n)
		put_attribute(b, MEETS, k->words.meets.v, (unsigned)k->words.meets.n);
	if (k->words.calls.n) {
		uint32_t called[LAYOUT_CALLED];
		unsigned n = 0;
		for (unsigned i = 0; i < LAYOUT_CALLED; i++)
			if (k->called >> i & 1)
				called[n++] = file->of_function[i];
		put_attribute(b, CALLED, called, n);
		put_attribute(b, CALLS, k->words.calls.v, (unsigned)k->words.calls.n);
	}
	put_attribute(b, EXITS, k->words.exits.v, (unsigned)k->words.exits.n);
	for (unsigned i = 0; i < 2; i++) {
		const uint32_t *n = i ? f->reqntid : f->maxntid;
		if (n[0])
			put_attribute(b, i ? REQNTID : MAX_THREADS,
				      (uint32_t[]){n[0], n[1] ? n[1] : 1, n[2] ? n[2] : 1}, 3);
	}
	if (f->cluster[0])
		put_attribute(b, CLUSTER, f->cluster, 3);
	put_attribute(b, CRS_STACK, (uint32_t[]){0}, 1);
	put_short(b, 3, PARAM_BYTES, f->param_bytes);
	put_attribute(b, PARAM_BANK, (uint32_t[]){bank, SM90_PARAMS | f->param_bytes << 16}, 2);
	put_attribute(b, WORKAROUND, (uint32_t[]){8}, 1);
	if (k->nreference) { /* the handles are in bank 0 */
		put_short(b, 2, TEXTURE_BANK, 0);
		put_short(b, 2, SURFACE_BANK, 0);
	}
}

static void put_calls(struct file *f, uint32_t from, uint32_t to)
{
	put_number(bytes_of(f, f->callgraph), from, 4);
	put_number(bytes_of(f, f->callgraph), to, 4);
}

static char *section_name(struct file *f, const char *prefix, const struct cubin_kernel *k)
{
	return arena_printf(&f->a, "%s%s", prefix, k->f->name);
}

/* Writes the handles of references, which follow the parameters and are filled in by the loader. */
static void put_references(struct file *f, const struct cubin_kernel *k, uint32_t bank)
{
	const struct layout *l = f->w->l;
	if (!k->nreference)
		return;
	uint32_t at = SM90_PARAMS + sm90_references_at(k->f), rela = add_rela(f, bank);
	fill_to(bytes_of(f, bank), at + 4 * k->nreference);
	for (unsigned i = 0; i < k->nreference; i++) {
		int texture = layout_texture(l, k->reference[i]);
		struct bytes *b = bytes_of(f, rela);
		put_number(b, at + 4 * i, 8);
		put_number(b, texture >= 0 ? R_TEXTURE : R_SURFACE, 4);
		put_number(b,
			   texture >= 0 ? f->of_texture[texture]
					: f->of_surface[layout_surface(l, k->reference[i])],
			   4);
		put_number(b, 0, 8);
	}
}

static void add_kernel(struct file *f, const struct cubin_kernel *k, uint32_t all)
{
	uint32_t text = add_section(f, section_name(f, ".text.", k), SHT_PROGBITS,
				    SHF_ALLOC | SHF_EXEC, 128);
	for (size_t i = 0; i < k->words.word.n; i++)
		put_number(bytes_of(f, text), k->words.word.v[i], 8);
	uint32_t symbol =
		add_symbol(f, k->f->name, STT_FUNC, STO_ENTRY, text, 0, bytes_of(f, text)->n);
	f->section.v[text].info = symbol;
	f->section.v[text].link = 3;
	uint32_t bank = add_section(f, section_name(f, ".nv.constant0.", k), SHT_PROGBITS,
				    SHF_ALLOC | SHF_LINK, 4);
	f->section.v[bank].info = text;
	fill_to(bytes_of(f, bank), SM90_PARAMS + k->f->param_bytes);
	put_references(f, k, bank);
	uint32_t bank_symbol = add_symbol(f, f->section.v[bank].name, STT_SECTION, 0, bank, 0, 0);
	if (k->shared) {
		uint32_t s = add_section(f, section_name(f, ".nv.shared.", k), SHT_NOBITS,
					 SHF_ALLOC | SHF_WRITE | SHF_LINK, 16);
		f->section.v[s].size = k->shared;
		f->section.v[s].info = text;
	}
	uint32_t info = add_section(f, section_name(f, ".nv.info.", k), SHT_INFO, SHF_LINK, 4);
	f->section.v[info].link = 3;
	f->section.v[info].info = text;
	put_info(f, bytes_of(f, info), k, bank_symbol);
	for (unsigned i = 0; i < LAYOUT_CALLED; i++)
		if (k->called >> i & 1)
			put_calls(f, symbol, f->of_function[i]);
	enum { FRAME = 0x11, STACK = 0x12, REGISTERS = 0x2f };
	struct bytes *b = bytes_of(f, all);
	put_attribute(b, REGISTERS, (uint32_t[]){symbol, k->registers}, 2);
	put_attribute(b, FRAME, (uint32_t[]){symbol, k->local}, 2);
	put_attribute(b, STACK, (uint32_t[]){symbol, k->local}, 2);
}

/* ---- the file ---- */

static void put_header(struct bytes *b, uint64_t sections, uint64_t headers, size_t nsections,
		       size_t nheaders)
{
	/* the form of CUDA 12: drivers of CUDA 13 refuse the newer form without the notes of its
	 * tools */
	static const uint8_t ident[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0x33, 7};
	put_bytes(b, ident, sizeof ident);
	put_number(b, 2, 2);
	put_number(b, 190, 2);
	put_number(b, 1, 4);
	put_number(b, 0, 8);
	put_number(b, headers, 8);
	put_number(b, sections, 8);
	put_number(b, 0x5a055a, 4); /* sm_90, addresses of 64 bits */
	put_number(b, EHDR, 2);
	put_number(b, PHDR, 2);
	put_number(b, nheaders, 2);
	put_number(b, SHDR, 2);
	put_number(b, nsections, 2);
	put_number(b, 1, 2);
}

static void put_section(struct bytes *b, const struct section *s, uint32_t name)
{
	put_number(b, name, 4);
	put_number(b, s->type, 4);
	put_number(b, s->flags, 8);
	put_number(b, 0, 8);
	put_number(b, s->at, 8);
	put_number(b, s->type == SHT_NOBITS ? s->size : s->b.n, 8);
	put_number(b, s->link, 4);
	put_number(b, s->info, 4);
	put_number(b, s->align, 8);
	put_number(b, s->each, 8);
}

/* Loaded sections as segments: code, data to read, data to write. */
static void put_segment(struct bytes *b, const struct section *s)
{
	bool bits = s->type == SHT_NOBITS;
	put_number(b, 1, 4);
	put_number(b, 4 | (s->flags & SHF_EXEC ? 1 : 0) | (s->flags & SHF_WRITE ? 2 : 0), 4);
	put_number(b, s->at, 8);
	put_number(b, 0, 16);
	put_number(b, bits ? 0 : s->b.n, 8);
	put_number(b, bits ? s->size : s->b.n, 8);
	put_number(b, 8, 8);
}

static bool is_loaded(const struct section *s) { return s->flags & SHF_ALLOC; }

static void link_sections(struct file *f)
{
	uint32_t locals = 0;
	for (uint32_t i = 0; i < f->nsymbols; i++)
		if (f->symbols.v[SYM * i + 4] >> 4 == 0)
			locals = i + 1;
	f->section.v[3].link = 2;
	f->section.v[3].info = locals;
	f->section.v[3].each = SYM;
	for (size_t i = 0; i < f->section.n; i++)
		if (f->section.v[i].type == SHT_RELA)
			f->section.v[i].link = 3;
	f->section.v[2].b = f->strings;
	f->section.v[3].b = f->symbols;
	f->strings = f->symbols = (struct bytes){0};
}

static uint8_t *write_file(struct file *f, size_t *size)
{
	struct bytes out = {0}, head = {0};
	uint32_t *name = ARENA_ARRAY(&f->a, uint32_t, f->section.n + 1);
	size_t segments = 0;
	for (size_t i = 0; i < f->section.n; i++) {
		name[i] = put_string(bytes_of(f, 1), f->section.v[i].name);
		segments += is_loaded(&f->section.v[i]);
	}
	fill_to(&out, EHDR);
	for (size_t i = 1; i < f->section.n; i++) {
		struct section *s = &f->section.v[i];
		fill_to(&out, align_up(out.n, s->align));
		s->at = out.n;
		if (s->type != SHT_NOBITS)
			put_bytes(&out, s->b.v, s->b.n);
	}
	fill_to(&out, align_up(out.n, 8));
	uint64_t sections = out.n;
	for (size_t i = 0; i < f->section.n; i++)
		put_section(&out, &f->section.v[i], name[i]);
	uint64_t headers = out.n;
	for (size_t i = 0; i < f->section.n; i++)
		if (is_loaded(&f->section.v[i]))
			put_segment(&out, &f->section.v[i]);
	put_header(&head, sections, headers, f->section.n, segments);
	memcpy(out.v, head.v, EHDR);
	free(head.v);
	*size = out.n;
	return out.v;
}

/* The call graph begins with a constant entry. Calls of the kernels follow, then three more constant ones. */
static void add_callgraph(struct file *f)
{
	uint32_t s = add_section(f, ".nv.callgraph", SHT_CALLGRAPH, 0, 4);
	f->callgraph = s;
	f->section.v[s].link = 3;
	f->section.v[s].each = 8;
	put_calls(f, 0, 0u - 1);
}

uint8_t *cubin_write(const struct cubin_writer *w, size_t *size, struct diag *d)
{
	struct file f = {.w = w, .d = d, .ok = true};
	add_section(&f, "", 0, 0, 0);
	add_section(&f, ".shstrtab", SHT_STRTAB, 0, 1);
	add_section(&f, ".strtab", SHT_STRTAB, 0, 1);
	add_section(&f, ".symtab", SHT_SYMTAB, 0, 8);
	put_string(&f.strings, "");
	add_symbol(&f, "", 0, 0, 0, 0, 0);
	uint32_t all = add_section(&f, ".nv.info", SHT_INFO, 0, 4);
	f.section.v[all].link = 3;
	add_callgraph(&f);
	add_variables(&f);
	add_functions(&f);
	add_references(&f);
	add_addresses(&f);
	for (size_t i = 0; i < w->kernel.n; i++)
		add_kernel(&f, &w->kernel.v[i], all);
	for (uint32_t i = 2; i <= 4; i++)
		put_calls(&f, 0, 0u - i);
	link_sections(&f);
	uint8_t *out = f.ok ? write_file(&f, size) : NULL;
	for (size_t i = 0; i < f.section.n; i++)
		free(f.section.v[i].b.v);
	vec_free(&f.section);
	arena_free(&f.a);
	return out;
}

void cubin_free(struct cubin_writer *w)
{
	for (size_t i = 0; i < w->kernel.n; i++) {
		code_words_free(&w->kernel.v[i].words);
		free(w->kernel.v[i].reference);
	}
	vec_free(&w->kernel);
}
