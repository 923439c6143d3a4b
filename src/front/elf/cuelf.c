#include "front/elf/cuelf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/diag.h"

enum { EHDR = 64, SHDR = 64, SYM = 24, REL = 16, RELA = 24 };
enum { EM_CUDA = 190, SHT_SYMTAB = 2, SHT_RELA = 4, SHT_NOBITS = 8, SHT_REL = 9 };
enum { STT_FUNC = 2, STO_ENTRY = 0x10 };
enum { MOST_SECTIONS = 1 << 20, MOST_PARAMS = 4096 };

struct reader {
	struct cuelf *c;
	const uint8_t *data;
	uint64_t size;
	struct diag *d;
};

static bool report_bad(struct reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static bool report_bad(struct reader *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	diag_error(r->d, "%s: %s", r->c->file, text);
	return false;
}

static bool holds(const struct reader *r, uint64_t at, uint64_t n)
{
	return at <= r->size && n <= r->size - at;
}

const char *cuelf_suffix(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);
	return strncmp(name, prefix, n) ? NULL : name + n;
}

uint32_t cuelf_find(const struct cuelf *c, const char *name)
{
	uint64_t i;
	return map_find(&c->section_names, name, &i) ? (uint32_t)i : 0;
}

/* ---- the header ---- */

static unsigned machine_of(const uint8_t *p)
{
	uint32_t flags = cuelf_u32(p + 48);
	return p[8] >= 8 ? flags >> 8 & 0xff : flags & 0xff;
}

bool cuelf_recognise(const void *data, size_t n)
{
	const uint8_t *p = data;
	return n >= EHDR && !memcmp(p, "\177ELF", 4) && p[4] == 2 && cuelf_u16(p + 18) == EM_CUDA &&
	       machine_of(p) >= 70;
}

/* Finds a name in a string table; NULL: the offset is outside, or the name is not terminated. */
static const char *name_at(const struct cuelf_section *s, uint32_t at)
{
	if (!s->data || at >= s->size || !memchr(s->data + at, 0, (size_t)(s->size - at)))
		return NULL;
	return (const char *)s->data + at;
}

static bool read_sections(struct reader *r)
{
	struct cuelf *c = r->c;
	uint64_t at = cuelf_u64(r->data + 40);
	uint32_t n = cuelf_u16(r->data + 60), names = cuelf_u16(r->data + 62);
	if (!holds(r, at, SHDR))
		return report_bad(r, "the file is truncated: its section headers begin at 0x%llx",
				  (unsigned long long)at);
	/* the number of sections does not fit in the header's 16 bits */
	if (!n && cuelf_u64(r->data + at + 32) < MOST_SECTIONS)
		n = (uint32_t)cuelf_u64(r->data + at + 32);
	if (names == 0xffff)
		names = cuelf_u32(r->data + at + 40);
	if (!holds(r, at, (uint64_t)n * SHDR))
		return report_bad(r, "the file is truncated: it should have %u section headers", n);
	if (names >= n)
		return report_bad(
			r, "section %u should have the sections' names; there are %u sections",
			names, n);
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *p = r->data + at + (uint64_t)i * SHDR;
		struct cuelf_section s = {.name = "",
					  .type = cuelf_u32(p + 4),
					  .flags = cuelf_u64(p + 8),
					  .size = cuelf_u64(p + 32),
					  .link = cuelf_u32(p + 40),
					  .info = cuelf_u32(p + 44),
					  .align = cuelf_u64(p + 48),
					  .entry = cuelf_u64(p + 56)};
		uint64_t from = cuelf_u64(p + 24);
		if (i && s.type && s.type != SHT_NOBITS) {
			if (!holds(r, from, s.size))
				return report_bad(r, "section %u is not inside the file", i);
			s.data = r->data + from;
		}
		vec_push(&c->section, s);
	}
	for (uint32_t i = 1; i < n; i++) {
		const uint8_t *p = r->data + at + (uint64_t)i * SHDR;
		const char *name = name_at(&c->section.v[names], cuelf_u32(p));
		if (!name)
			return report_bad(r, "section %u has no name", i);
		c->section.v[i].name = name;
		if (!cuelf_find(c, name))
			map_put_num(&c->section_names, name, i);
	}
	return true;
}

/* ---- symbols and relocations ---- */

static bool read_symbols(struct reader *r)
{
	struct cuelf *c = r->c;
	for (size_t i = 1; i < c->section.n; i++) {
		const struct cuelf_section *s = &c->section.v[i];
		if (s->type != SHT_SYMTAB)
			continue;
		if (s->link >= c->section.n)
			return report_bad(
				r, "the symbols' names are in section %u, which does not exist",
				s->link);
		for (uint64_t at = 0; at + SYM <= s->size; at += SYM) {
			const uint8_t *p = s->data + at;
			struct cuelf_symbol y = {
				.name = name_at(&c->section.v[s->link], cuelf_u32(p)),
				.info = p[4],
				.other = p[5],
				.section = cuelf_u16(p + 6),
				.place = cuelf_u16(p + 6),
				.value = cuelf_u64(p + 8),
				.size = cuelf_u64(p + 16)};
			y.name = y.name ? y.name : "";
			y.section = y.section < c->section.n ? y.section : 0;
			vec_push(&c->symbol, y);
		}
		return true;
	}
	return report_bad(r, "it has no symbols");
}

static bool read_relocs(struct reader *r, const struct cuelf_section *s)
{
	struct cuelf *c = r->c;
	uint64_t each = s->type == SHT_RELA ? RELA : REL;
	/* The section that relocations change is found by name, because `info` is wrong in some
	 * files. */
	const char *of = cuelf_suffix(s->name, s->type == SHT_RELA ? ".rela" : ".rel");
	uint32_t target = of ? cuelf_find(c, of) : 0;
	for (uint64_t at = 0; target && at + each <= s->size; at += each) {
		const uint8_t *p = s->data + at;
		struct cuelf_reloc e = {.section = target,
					.offset = cuelf_u64(p),
					.type = cuelf_u32(p + 8),
					.symbol = cuelf_u32(p + 12),
					.addend = each == RELA ? (int64_t)cuelf_u64(p + 16) : 0};
		if (e.symbol >= c->symbol.n || e.offset > c->section.v[target].size)
			return report_bad(
				r, "a relocation of %s names something that does not exist", of);
		vec_push(&c->reloc, e);
	}
	return true;
}

/* ---- functions and their attributes ---- */

static bool add_functions(struct reader *r)
{
	struct cuelf *c = r->c;
	c->func_of_symbol = ARENA_ARRAY(&c->arena, uint32_t, c->symbol.n + 1);
	memset(c->func_of_symbol, 0, (c->symbol.n + 1) * sizeof *c->func_of_symbol);
	for (size_t i = 0; i < c->symbol.n; i++) {
		const struct cuelf_symbol *y = &c->symbol.v[i];
		const struct cuelf_section *s = &c->section.v[y->section];
		if ((y->info & 15) != STT_FUNC || !y->section || !s->data ||
		    !cuelf_suffix(s->name, ".text."))
			continue;
		if (y->value > s->size || y->size > s->size - y->value || (y->value & 15))
			return report_bad(r, "function %s is not inside its section", y->name);
		vec_push(&c->func, (struct cuelf_func){.name = y->name,
						       .symbol = (uint32_t)i,
						       .section = y->section,
						       .offset = (uint32_t)y->value,
						       .size = (uint32_t)y->size,
						       .entry = y->other & STO_ENTRY,
						       .global = y->info >> 4});
		c->func_of_symbol[i] = (uint32_t)c->func.n;
		if (y->other & STO_ENTRY)
			map_put_num(&c->entry_names, y->name, c->func.n - 1);
	}
	return true;
}

static struct cuelf_func *func_of_symbol(struct cuelf *c, uint32_t symbol)
{
	uint32_t i = symbol < c->symbol.n ? c->func_of_symbol[symbol] : 0;
	return i ? &c->func.v[i - 1] : NULL;
}

static void read_three(const uint8_t *p, uint32_t n, uint32_t to[3])
{
	for (unsigned k = 0; k < 3 && 4 * k + 4 <= n; k++)
		to[k] = cuelf_u32(p + 4 * k);
}

static void add_param(struct cuelf_func *f, const uint8_t *p)
{
	uint32_t ordinal = cuelf_u16(p + 4);
	if (ordinal >= MOST_PARAMS)
		return;
	while (f->param.n <= ordinal)
		vec_push(&f->param, (struct cuelf_param){.ordinal = (uint32_t)f->param.n});
	f->param.v[ordinal].offset = cuelf_u16(p + 6);
	f->param.v[ordinal].size = cuelf_u32(p + 8) >> 18 & 0x3fff;
}

/* Reads an attribute with n bytes of data. It belongs to function f or, if f is NULL, to the
 * function that the data names. */
static void read_attribute(struct cuelf *c, struct cuelf_func *f, unsigned code, const uint8_t *p,
			   uint32_t n)
{
	enum {
		MAX_THREADS = 0x05,
		PARAM_CBANK = 0x0a,
		REQNTID = 0x10,
		FRAME_SIZE = 0x11,
		MIN_STACK_SIZE = 0x12,
		KPARAM_INFO = 0x17,
		REGCOUNT = 0x2f,
		CTA_PER_CLUSTER = 0x3d
	};
	if (code == REGCOUNT || code == FRAME_SIZE || code == MIN_STACK_SIZE) {
		f = n >= 8 ? func_of_symbol(c, cuelf_u32(p)) : NULL;
		if (!f)
			return;
		uint32_t v = cuelf_u32(p + 4);
		if (code == REGCOUNT)
			f->registers = v <= 256 ? v : 0;
		else if (code == FRAME_SIZE)
			f->frame = v;
		else
			f->stack = v == UINT32_MAX ? 0 : v; /* nvlink: recursion, so not known */
	}
	if (!f)
		return;
	if (code == MAX_THREADS)
		read_three(p, n, f->maxntid);
	else if (code == REQNTID)
		read_three(p, n, f->reqntid);
	else if (code == CTA_PER_CLUSTER)
		read_three(p, n, f->cluster);
	else if (code == PARAM_CBANK && n >= 8) {
		f->param_base = cuelf_u16(p + 4);
		f->param_bytes = cuelf_u16(p + 6);
	} else if (code == KPARAM_INFO && n >= 12)
		add_param(f, p);
}

static bool read_attributes(struct reader *r, const struct cuelf_section *s, const char *of)
{
	struct cuelf *c = r->c;
	uint64_t entry;
	bool known = *of && map_find(&c->entry_names, of + 1, &entry);
	struct cuelf_func *f = known ? &c->func.v[entry] : NULL;
	for (uint64_t at = 0; at + 4 <= s->size;) {
		const uint8_t *p = s->data + at;
		/* formats without data have their value in bytes 2 and 3 */
		uint32_t n = p[0] == 4 ? cuelf_u16(p + 2) : 0;
		if (n > s->size - at - 4)
			return report_bad(r, "attribute 0x%x runs over the end of %s", p[1],
					  s->name);
		read_attribute(c, f, p[1], n ? p + 4 : p + 2, n ? n : 2);
		at += 4 + n;
	}
	return true;
}

/* Finds the size of static shared memory and, in files without the attribute, the start of the
 * parameters. */
static void find_sizes(struct cuelf *c)
{
	for (size_t i = 0; i < c->func.n; i++) {
		struct cuelf_func *f = &c->func.v[i];
		if (!f->entry)
			continue;
		char *name = arena_printf(&c->arena, ".nv.shared.%s", f->name);
		f->shared = (uint32_t)c->section.v[cuelf_find(c, name)].size;
		if (!f->param_base)
			f->param_base = c->sm >= 100 ? 0x380 : c->sm >= 90 ? 0x210 : 0x160;
	}
}

bool cuelf_read(struct cuelf *c, const char *file, const void *data, size_t n, struct diag *d)
{
	struct reader r = {c, data, n, d};
	*c = (struct cuelf){.file = file, .address64 = true};
	if (n < EHDR || memcmp(data, "\177ELF", 4))
		return report_bad(&r, "not an ELF file");
	if (!cuelf_recognise(data, n))
		return report_bad(&r, "not a 64-bit cubin for sm_70 or later");
	c->sm = machine_of(data);
	if (!read_sections(&r) || !read_symbols(&r) || !add_functions(&r))
		return false;
	for (size_t i = 1; i < c->section.n; i++) {
		const struct cuelf_section *s = &c->section.v[i];
		const char *of = cuelf_suffix(s->name, ".nv.info");
		if ((s->type == SHT_REL || s->type == SHT_RELA) && !read_relocs(&r, s))
			return false;
		if (of && s->data && !read_attributes(&r, s, of))
			return false;
	}
	find_sizes(c);
	return true;
}

void cuelf_free(struct cuelf *c)
{
	for (size_t i = 0; i < c->func.n; i++)
		vec_free(&c->func.v[i].param);
	map_free(&c->section_names);
	map_free(&c->entry_names);
	vec_free(&c->func);
	vec_free(&c->line);
	vec_free(&c->line_file);
	vec_free(&c->reloc);
	vec_free(&c->symbol);
	vec_free(&c->section);
	arena_free(&c->arena);
}
