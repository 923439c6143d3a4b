/* Source lines of machine code: the line number program of a cubin's .debug_line section (nvcc
 * -lineinfo or -G).
 *
 * Programs are DWARF's, versions 2 to 4, with two opcodes of NVIDIA's. The addresses that
 * DW_LNE_set_address gives are relocated: they are offsets in sections of code. Opcode 0x90 states
 * that the following rows are inlined: its first number is the row of the call, counted from 1 in
 * the sequence, 0 for none; its second names the function. 0x91 only changes the name. The length
 * in front of both opcodes does not count their numbers.
 *
 * Results of a program never depend on debug information. So a malformed section, or one of another
 * version, is read as far as possible, without a message. */
#include "front/elf/cuelf.h"

#include <stdlib.h>
#include <string.h>

enum {
	LNS_COPY = 1,
	LNS_ADVANCE_PC,
	LNS_ADVANCE_LINE,
	LNS_SET_FILE,
	LNS_CONST_ADD_PC = 8,
	LNS_FIXED_ADVANCE_PC,
};
enum { LNE_END = 1, LNE_SET_ADDRESS, LNE_DEFINE_FILE, LNE_INLINED_CALL = 0x90, LNE_FUNCTION_NAME };
enum { MOST_ROWS = 1 << 24, LEAST_VERSION = 2, LAST_VERSION = 4 };

/* A cursor in the section. Bytes beyond the end read as 0, and the cursor stays at the end. */
struct cursor {
	const uint8_t *p, *end;
};

struct line_reader {
	struct cuelf *c;
	const struct cuelf_section *s;
	struct cursor at;
	const struct cuelf_reloc **reloc; /* relocations of the section, by offset */
	size_t nreloc;
	uint32_t file_base; /* files of earlier units in c->line_file */
	VEC(const char *) directory;
	uint8_t minimum, line_range, opcode_base, operands[256];
	int8_t line_base;
	size_t first; /* row of c->line where the sequence begins */
	/* registers of the program */
	uint32_t section, file, line, call;
	uint64_t addr;
};

static uint64_t take_bytes(struct cursor *c, unsigned bytes)
{
	uint64_t v = 0;
	if ((size_t)(c->end - c->p) < bytes) {
		c->p = c->end;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)*c->p++ << 8 * i;
	return v;
}

static uint64_t take_unsigned(struct cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0; c->p < c->end; shift += 7) {
		uint8_t b = *c->p++;
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			break;
	}
	return v;
}

static int64_t take_signed(struct cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0; c->p < c->end; shift += 7) {
		uint8_t b = *c->p++;
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (b & 0x80)
			continue;
		if (b & 0x40 && shift + 7 < 64)
			v |= ~0ull << (shift + 7);
		break;
	}
	return (int64_t)v;
}

static const char *take_text(struct cursor *c)
{
	const char *s = (const char *)c->p;
	const uint8_t *end = c->p < c->end ? memchr(c->p, 0, (size_t)(c->end - c->p)) : NULL;
	if (!end) {
		c->p = c->end;
		return "";
	}
	c->p = end + 1;
	return s;
}

/* ---- the head of a unit ---- */

static void add_file(struct line_reader *r, const char *name)
{
	struct cuelf *c = r->c;
	uint64_t dir = take_unsigned(&r->at);
	take_unsigned(&r->at); /* time */
	take_unsigned(&r->at); /* size */
	bool whole = *name == '/' || !dir || dir > r->directory.n;
	vec_push(&c->line_file,
		 whole ? name : arena_printf(&c->arena, "%s/%s", r->directory.v[dir - 1], name));
}

static void read_head(struct line_reader *r, unsigned version)
{
	struct cursor *at = &r->at;
	r->minimum = (uint8_t)take_bytes(at, 1);
	if (version >= 4)
		take_bytes(at, 1); /* operations per instruction */
	take_bytes(at, 1);         /* is_stmt */
	r->line_base = (int8_t)take_bytes(at, 1);
	r->line_range = (uint8_t)take_bytes(at, 1);
	r->opcode_base = (uint8_t)take_bytes(at, 1);
	memset(r->operands, 0, sizeof r->operands);
	for (unsigned i = 1; i < r->opcode_base; i++)
		r->operands[i] = (uint8_t)take_bytes(at, 1);
	r->directory.n = 0;
	r->file_base = (uint32_t)r->c->line_file.n;
	for (const char *s = take_text(at); *s; s = take_text(at))
		vec_push(&r->directory, s);
	for (const char *s = take_text(at); *s; s = take_text(at))
		add_file(r, s);
}

/* ---- the program ---- */

static void begin_sequence(struct line_reader *r)
{
	r->first = r->c->line.n;
	r->section = r->call = 0;
	r->file = r->line = 1;
	r->addr = 0;
}

static void add_row(struct line_reader *r)
{
	struct cuelf *c = r->c;
	uint32_t file = r->file_base + r->file;
	if (!r->section || r->addr > UINT32_MAX || c->line.n >= MOST_ROWS)
		return;
	vec_push(&c->line, (struct cuelf_line){.section = r->section,
					       .offset = (uint32_t)r->addr,
					       .file = file <= c->line_file.n ? file : 0,
					       .line = r->line,
					       .call = r->call});
}

static int compare_offsets(const void *a, const void *b)
{
	uint64_t x = (*(const struct cuelf_reloc *const *)a)->offset,
		 y = (*(const struct cuelf_reloc *const *)b)->offset;
	return (x > y) - (x < y);
}

static void find_relocs(struct line_reader *r)
{
	const struct cuelf *c = r->c;
	r->reloc = ARENA_ARRAY(&r->c->arena, const struct cuelf_reloc *, c->reloc.n + 1);
	for (size_t i = 0; i < c->reloc.n; i++)
		if (&c->section.v[c->reloc.v[i].section] == r->s)
			r->reloc[r->nreloc++] = &c->reloc.v[i];
	qsort(r->reloc, r->nreloc, sizeof *r->reloc, compare_offsets);
}

/* Reads an address: the symbol that the relocation at this place names. */
static void set_address(struct line_reader *r, unsigned bytes)
{
	struct cuelf_reloc key = {.offset = (uint64_t)(r->at.p - r->s->data)}, *want = &key;
	const struct cuelf_reloc **found =
		bsearch(&want, r->reloc, r->nreloc, sizeof *r->reloc, compare_offsets);
	r->addr = take_bytes(&r->at, bytes < 8 ? bytes : 8);
	r->section = 0;
	if (!found)
		return;
	const struct cuelf_symbol *y = &r->c->symbol.v[(*found)->symbol];
	r->section = y->section;
	r->addr += y->value + (uint64_t)(*found)->addend;
}

/* The row of the call, as an index into all rows + 1. */
static void set_call(struct line_reader *r, uint64_t row)
{
	size_t rows = r->c->line.n - r->first;
	r->call = row && row <= rows ? (uint32_t)(r->first + row) : 0;
}

static void run_extended(struct line_reader *r)
{
	uint64_t n = take_unsigned(&r->at);
	const uint8_t *from = r->at.p;
	unsigned op = (unsigned)take_bytes(&r->at, 1);
	if (op == LNE_INLINED_CALL || op == LNE_FUNCTION_NAME) {
		if (op == LNE_INLINED_CALL)
			set_call(r, take_unsigned(&r->at));
		take_unsigned(&r->at); /* the function's name */
		return;
	}
	if (!n || n > (uint64_t)(r->at.end - from)) {
		r->at.p = r->at.end;
		return;
	}
	if (op == LNE_END) {
		r->line = 0; /* the code after it has no line */
		r->call = 0;
		add_row(r);
		begin_sequence(r);
	} else if (op == LNE_SET_ADDRESS) {
		set_address(r, (unsigned)(n - 1 < 8 ? n - 1 : 8));
	} else if (op == LNE_DEFINE_FILE) {
		add_file(r, take_text(&r->at));
	}
	r->at.p = from + n;
}

static void run_special(struct line_reader *r, unsigned op)
{
	unsigned x = op - r->opcode_base, range = r->line_range ? r->line_range : 1;
	r->addr += (uint64_t)(x / range) * r->minimum;
	r->line += (uint32_t)(r->line_base + (int)(x % range));
	add_row(r);
}

static void run_standard(struct line_reader *r, unsigned op)
{
	switch (op) {
	case 0: run_extended(r); break;
	case LNS_COPY: add_row(r); break;
	case LNS_ADVANCE_PC: r->addr += take_unsigned(&r->at) * r->minimum; break;
	case LNS_ADVANCE_LINE: r->line += (uint32_t)take_signed(&r->at); break;
	case LNS_SET_FILE: r->file = (uint32_t)take_unsigned(&r->at); break;
	case LNS_CONST_ADD_PC: {
		unsigned range = r->line_range ? r->line_range : 1;
		r->addr += (uint64_t)((255u - r->opcode_base) / range) * r->minimum;
		break;
	}
	case LNS_FIXED_ADVANCE_PC: r->addr += take_bytes(&r->at, 2); break;
	default:
		for (unsigned i = 0; i < r->operands[op]; i++)
			take_unsigned(&r->at);
	}
}

/* Reads one unit: its bytes after the length are [at.p, at.end). */
static void read_unit(struct line_reader *r)
{
	unsigned version = (unsigned)take_bytes(&r->at, 2);
	uint64_t head = take_bytes(&r->at, 4);
	if (version < LEAST_VERSION || version > LAST_VERSION ||
	    head > (uint64_t)(r->at.end - r->at.p))
		return;
	const uint8_t *program = r->at.p + head;
	struct cursor whole = r->at;
	r->at.end = program;
	read_head(r, version);
	r->at = (struct cursor){program, whole.end};
	begin_sequence(r);
	while (r->at.p < r->at.end) {
		unsigned op = *r->at.p++;
		if (op >= r->opcode_base)
			run_special(r, op);
		else
			run_standard(r, op);
	}
}

static int compare_lines(const void *a, const void *b)
{
	const struct cuelf_line *x = *(const struct cuelf_line *const *)a,
				*y = *(const struct cuelf_line *const *)b;
	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (!x->line != !y->line)
		return x->line ? 1 : -1; /* at one address, the row that ends a sequence comes
					  * before the first row of the next */
	return (x > y) - (x < y);        /* the last row of an address counts */
}

void cuelf_read_lines(struct cuelf *c)
{
	uint32_t i = cuelf_find(c, ".debug_line");
	struct line_reader r = {.c = c, .s = &c->section.v[i]};
	if (!i || !r.s->data)
		return;
	find_relocs(&r);
	const uint8_t *end = r.s->data + r.s->size;
	for (const uint8_t *p = r.s->data; end - p > 4;) {
		uint64_t n = cuelf_u32(p);
		if (n > (uint64_t)(end - p - 4))
			n = (uint64_t)(end - p - 4);
		r.at = (struct cursor){p + 4, p + 4 + n};
		read_unit(&r);
		p += 4 + n;
	}
	vec_free(&r.directory);
	c->line_at = ARENA_ARRAY(&c->arena, const struct cuelf_line *, c->line.n + 1);
	for (size_t k = 0; k < c->line.n; k++)
		c->line_at[k] = &c->line.v[k];
	qsort(c->line_at, c->line.n, sizeof *c->line_at, compare_lines);
}

const struct cuelf_line *cuelf_line_at(const struct cuelf *c, uint32_t section, uint32_t offset)
{
	size_t lo = 0, hi = c->line.n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct cuelf_line *p = c->line_at[mid];
		if (p->section < section || (p->section == section && p->offset <= offset))
			lo = mid + 1;
		else
			hi = mid;
	}
	const struct cuelf_line *p = lo ? c->line_at[lo - 1] : NULL;
	return p && p->section == section && p->line && p->file ? p : NULL;
}
