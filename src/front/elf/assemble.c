/* Assembles a listing (listing.h) to a cubin. One pass over the text finds sections, sizes and
 * labels; then each section's code is assembled, and the file is laid out in the order of the
 * listing. */
#include "front/elf/listing.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"
#include "isa/sm70/sm70.h"

enum {
	EHDR = 64,
	SHDR = 64,
	SYM = 24,
	EM_CUDA = 190,
	SHT_SYMTAB = 2,
	SHT_STRTAB = 3,
	SHT_NOBITS = 8
};
enum { WORDS_MAX = 8, NAME_MAX_BYTES = 1 << 16, INST_MAX = 1000 };

struct as_label {
	const char *name;
	size_t len;
	uint64_t addr;
};

/* A line of code: [text, end), without its leading address and its trailing word. */
struct as_code {
	const char *text, *end;
	unsigned line;
	bool has_word, raw; /* raw: .word, no text */
	uint64_t word[2];
};

struct as_section {
	const char *name;
	uint64_t type, flags, link, info, align, entry, space;
	uint64_t offset, size; /* offset and size in the file, in bytes */
	uint32_t name_at;
	bool strings;
	VEC(uint8_t) bytes;
	VEC(struct as_code) code;
	VEC(struct as_label) label;
};

struct as_symbol {
	const char *name;
	uint64_t info, other, section, value, size;
	bool whole; /* extends to the end of its section */
};

struct assembler {
	const char *file, *text, *p, *end; /* p: the next line */
	unsigned line;
	struct diag *d;
	struct arena arena;
	uint64_t header[5]; /* type, OS ABI, ABI version, version, flags */
	unsigned sm;
	VEC(struct as_section) section; /* [0] is ELF's empty section */
	VEC(struct as_symbol) symbol;
	VEC(uint8_t) out;
};

static struct srcloc place_of(const struct assembler *a, unsigned line)
{
	return (struct srcloc){
		.file = a->file, .text = a->text, .end = a->end, .line = line, .col = 1};
}

static bool fail_at(struct assembler *a, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static bool fail_at(struct assembler *a, unsigned line, const char *fmt, ...)
{
	va_list ap;
	struct srcloc at = place_of(a, line);
	va_start(ap, fmt);
	diag_vat(a->d, DIAG_ERROR, &at, fmt, ap);
	va_end(ap);
	return false;
}

/* ---- splitting a line into words ---- */

static void skip_blanks(const char **p, const char *end)
{
	while (*p < end && (**p == ' ' || **p == '\t' || **p == '\r'))
		++*p;
}

static bool read_number(const char **p, const char *end, uint64_t *v)
{
	skip_blanks(p, end);
	const char *s = *p;
	uint64_t base = end - s > 2 && s[0] == '0' && s[1] == 'x' ? 16 : 10, n = 0;
	s += base == 16 ? 2 : 0;
	const char *first = s;
	for (; s < end && isxdigit((unsigned char)*s); s++) {
		uint64_t digit = isdigit((unsigned char)*s)
					 ? (uint64_t)(*s - '0')
					 : (uint64_t)(tolower((unsigned char)*s) - 'a' + 10);
		if (digit >= base || n > (UINT64_MAX - digit) / base)
			return false;
		n = n * base + digit;
	}
	if (s == first)
		return false;
	*p = s;
	*v = n;
	return true;
}

static int hex_digit(int c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* Reads "NAME", in which \xNN stands for a byte. NULL: malformed. */
static const char *read_name(struct assembler *a, const char **p, const char *end)
{
	skip_blanks(p, end);
	const char *s = *p;
	if (s >= end || *s++ != '"')
		return NULL;
	char *name = arena_alloc(&a->arena, (size_t)(end - s) + 1), *to = name;
	for (; s < end && *s != '"'; s++) {
		if (*s != '\\') {
			*to++ = *s;
			continue;
		}
		if (end - s < 4 || s[1] != 'x' || hex_digit(s[2]) < 0 || hex_digit(s[3]) < 0)
			return NULL;
		*to++ = (char)(hex_digit(s[2]) << 4 | hex_digit(s[3]));
		s += 3;
	}
	*to = 0;
	if (s >= end || to - name > NAME_MAX_BYTES)
		return NULL;
	*p = s + 1;
	return name;
}

static bool read_numbers(const char **p, const char *end, uint64_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!read_number(p, end, &v[i]))
			return false;
	return true;
}

/* A number of 128 bits in hexadecimal. */
static bool read_word(const char **p, const char *end, uint64_t w[2])
{
	skip_blanks(p, end);
	const char *s = *p;
	unsigned digits = 0;
	w[0] = w[1] = 0;
	if (end - s < 3 || s[0] != '0' || s[1] != 'x')
		return false;
	for (s += 2; s < end && isxdigit((unsigned char)*s); s++, digits++) {
		w[1] = w[1] << 4 | w[0] >> 60;
		w[0] = w[0] << 4 | (uint64_t)hex_digit((unsigned char)*s);
	}
	*p = s;
	return digits && digits <= 32;
}

/* ---- lines ---- */

static bool read_header(struct assembler *a, const char *p, const char *end)
{
	if (!read_numbers(&p, end, a->header, 5) || a->header[1] > 255 || a->header[2] > 255)
		return fail_at(a, a->line, ".elf TYPE OSABI ABIVERSION VERSION FLAGS expected");
	unsigned sm =
		(unsigned)(a->header[2] >= 8 ? a->header[4] >> 8 & 0xff : a->header[4] & 0xff);
	a->sm = sm70_chip(arena_printf(&a->arena, "sm_%u", sm));
	return a->sm || fail_at(a, a->line, "machine code of sm_%u is not known", sm);
}

static bool read_section(struct assembler *a, const char *p, const char *end)
{
	uint64_t v[6];
	const char *name = read_name(a, &p, end);
	if (!name || !read_numbers(&p, end, v, 6) || v[0] > UINT32_MAX || v[2] > UINT32_MAX ||
	    v[3] > UINT32_MAX || v[4] > 1 << 20 || a->section.n >= 0xff00)
		return fail_at(a, a->line,
			       ".section \"NAME\" TYPE FLAGS LINK INFO ALIGN ENTRY expected");
	vec_push(&a->section, (struct as_section){.name = name,
						  .type = v[0],
						  .flags = v[1],
						  .link = v[2],
						  .info = v[3],
						  .align = v[4],
						  .entry = v[5]});
	return true;
}

static bool read_symbol(struct assembler *a, const char *p, const char *end)
{
	struct as_symbol y = {.name = read_name(a, &p, end)};
	uint64_t v[4];
	bool ok =
		y.name && read_numbers(&p, end, v, 4) && v[0] < 256 && v[1] < 256 && v[2] <= 0xffff;
	skip_blanks(&p, end);
	if (ok && p < end && *p == '*')
		y.whole = true;
	else
		ok = ok && read_number(&p, end, &y.size);
	if (!ok)
		return fail_at(a, a->line,
			       ".symbol \"NAME\" INFO OTHER SECTION VALUE SIZE expected");
	y.info = v[0], y.other = v[1], y.section = v[2], y.value = v[3];
	vec_push(&a->symbol, y);
	return true;
}

static bool read_bytes(struct assembler *a, struct as_section *s, const char *p, const char *end)
{
	skip_blanks(&p, end);
	for (; p < end && *p != ' ' && *p != '\r'; p += 2) {
		if (end - p < 2 || hex_digit((unsigned char)p[0]) < 0 ||
		    hex_digit((unsigned char)p[1]) < 0)
			return fail_at(a, a->line, ".bytes: pairs of hexadecimal digits expected");
		vec_push(&s->bytes, (uint8_t)(hex_digit((unsigned char)p[0]) << 4 |
					      hex_digit((unsigned char)p[1])));
	}
	return true;
}

/* A line of code: an address in a comment, text up to a semicolon, a word in a comment. */
static bool read_code(struct assembler *a, struct as_section *s, const char *p, const char *end)
{
	struct as_code c = {.line = a->line};
	if (end - p > 2 && p[0] == '/' && p[1] == '*') {
		const char *q = memmem(p, (size_t)(end - p), "*/", 2);
		if (!q)
			return fail_at(a, a->line, "a comment is not closed on its line");
		p = q + 2;
	}
	skip_blanks(&p, end);
	c.text = p;
	c.end = memchr(p, ';', (size_t)(end - p));
	if (!c.end)
		return fail_at(a, a->line, "an instruction ends in a semicolon");
	const char *w = memmem(c.end, (size_t)(end - c.end), "/*", 2);
	if (w) {
		w += 2;
		c.has_word = read_word(&w, end, c.word);
		if (!c.has_word)
			return fail_at(
				a, a->line,
				"the comment after an instruction is its word, in hexadecimal");
	}
	vec_push(&s->code, c);
	return true;
}

static bool begins_with(const char **p, const char *end, const char *word)
{
	size_t n = strlen(word);
	if ((size_t)(end - *p) < n || memcmp(*p, word, n) != 0 ||
	    ((size_t)(end - *p) > n && !isspace((unsigned char)(*p)[n])))
		return false;
	*p += n;
	return true;
}

/* Reads a line of the current section. */
static bool read_content(struct assembler *a, struct as_section *s, const char *p, const char *end)
{
	if (begins_with(&p, end, ".bytes"))
		return read_bytes(a, s, p, end);
	if (begins_with(&p, end, ".symbol"))
		return read_symbol(a, p, end);
	if (begins_with(&p, end, ".strings"))
		return s->strings = true;
	if (begins_with(&p, end, ".space"))
		return read_number(&p, end, &s->space) ||
		       fail_at(a, a->line, ".space: a number of bytes expected");
	if (begins_with(&p, end, ".word")) {
		struct as_code c = {.line = a->line, .has_word = true, .raw = true};
		if (!read_word(&p, end, c.word))
			return fail_at(a, a->line, ".word: 128 bits in hexadecimal expected");
		vec_push(&s->code, c);
		return true;
	}
	if (end[-1] == ':') {
		vec_push(&s->label, (struct as_label){p, (size_t)(end - 1 - p), 16 * s->code.n});
		return true;
	}
	return read_code(a, s, p, end);
}

static bool read_line(struct assembler *a, const char *p, const char *end)
{
	skip_blanks(&p, end);
	while (end > p && isspace((unsigned char)end[-1]))
		end--;
	if (p == end || (end - p > 1 && p[0] == '/' && p[1] == '/'))
		return true;
	if (begins_with(&p, end, ".elf"))
		return read_header(a, p, end);
	if (!a->sm)
		return fail_at(a, a->line, "a line .elf expected before all others");
	if (begins_with(&p, end, ".section"))
		return read_section(a, p, end);
	if (end - p > 10 && !memcmp(p, "Function :", 10))
		return true;
	if (a->section.n < 2)
		return fail_at(a, a->line, "a line .section expected before what a section has");
	return read_content(a, &a->section.v[a->section.n - 1], p, end);
}

/* ---- code ---- */

static const struct as_label *find_label(const struct as_section *s, const char *name, size_t n)
{
	for (size_t i = 0; i < s->label.n; i++)
		if (s->label.v[i].len == n && !memcmp(s->label.v[i].name, name, n))
			return &s->label.v[i];
	return NULL;
}

/* The text of an instruction with the address in the place of `(LABEL). */
static bool resolve_label(struct assembler *a, const struct as_section *s, const struct as_code *c,
			  char *text)
{
	size_t n = (size_t)(c->end - c->text);
	const char *open = memmem(c->text, n, "`(", 2);
	const char *close = open ? memchr(open, ')', (size_t)(c->end - open)) : NULL;
	if (n >= INST_MAX - 40)
		return fail_at(a, c->line, "an instruction of %zu characters is too long", n);
	if (!close) {
		snprintf(text, INST_MAX, "%.*s", (int)n, c->text);
		return true;
	}
	const struct as_label *l = find_label(s, open + 2, (size_t)(close - open - 2));
	if (!l)
		return fail_at(a, c->line, "there is no label %.*s in this section",
			       (int)(close - open - 2), open + 2);
	snprintf(text, INST_MAX, "%.*s0x%" PRIx64 "%.*s", (int)(open - c->text), c->text, l->addr,
		 (int)(c->end - close - 1), close + 1);
	return true;
}

/* True if the word prints as the line's text; control bits are not compared. */
static bool same_text(const struct assembler *a, const struct as_code *c, uint64_t pc,
		      const struct sm70_inst *in)
{
	struct sm70_inst other;
	char x[INST_MAX], y[INST_MAX], err[200];
	if (!sm70_decode(a->sm, c->word, pc, &other, err, sizeof err))
		return false;
	sm70_print(in, SM70_PLAIN, x, sizeof x);
	sm70_print(&other, SM70_PLAIN, y, sizeof y);
	return !strcmp(x, y);
}

static bool assemble_line(struct assembler *a, const struct as_section *s, size_t i,
			  uint64_t word[2])
{
	const struct as_code *c = &s->code.v[i];
	struct sm70_inst in;
	char text[INST_MAX], err[300];
	memcpy(word, c->word, sizeof c->word);
	if (c->raw)
		return true;
	if (!resolve_label(a, s, c, text))
		return false;
	if (!sm70_assemble(a->sm, text, strlen(text), 16 * i, NULL, 0, &in, err, sizeof err))
		return fail_at(a, c->line, "%s", err);
	if (!c->has_word) {
		memcpy(word, in.word, sizeof in.word);
	} else if (!same_text(a, c, 16 * i, &in)) {
		struct srcloc at = place_of(a, c->line);
		diag_at(a->d, DIAG_WARNING, &at,
			"the word beside the text is another instruction; the word counts");
	}
	return true;
}

static bool assemble_section(struct assembler *a, struct as_section *s)
{
	bool ok = true;
	for (size_t i = 0; i < s->code.n; i++) {
		uint64_t word[2];
		ok &= assemble_line(a, s, i, word);
		for (unsigned k = 0; k < 16; k++)
			vec_push(&s->bytes, (uint8_t)(word[k / 8] >> k % 8 * 8));
	}
	return ok;
}

/* ---- the file ---- */

/* Appends a number, the low byte first; bytes beyond the eighth are 0. */
static void put_number(struct assembler *a, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		vec_push(&a->out, i < 8 ? (uint8_t)(v >> 8 * i) : 0);
}

/* The listing may give a table as bytes that already contain the text: a second listing of the file
 * then has the same bytes. */
static uint32_t put_text(struct as_section *s, const char *text)
{
	uint32_t at = (uint32_t)s->bytes.n;
	size_t n = strlen(text) + 1;
	if (!*text)
		return 0;
	for (size_t i = 0; !s->strings && i + n <= s->bytes.n; i++)
		if (s->bytes.v[i] == (uint8_t)*text && !memcmp(s->bytes.v + i, text, n))
			return (uint32_t)i;
	do
		vec_push(&s->bytes, (uint8_t)*text);
	while (*text++);
	return at;
}

static struct as_section *section_of_type(struct assembler *a, uint64_t type)
{
	for (size_t i = 1; i < a->section.n; i++)
		if (a->section.v[i].type == type)
			return &a->section.v[i];
	return NULL;
}

/* Builds the tables of names, which begin with an empty name: the first table has names of
 * sections, the symbol table's own names of symbols. */
static bool make_tables(struct assembler *a, uint32_t *names)
{
	struct as_section *symtab = section_of_type(a, SHT_SYMTAB), *strings = NULL;
	struct as_section *table = section_of_type(a, SHT_STRTAB);
	if (!symtab || !table || symtab->link >= a->section.n || !symtab->link)
		return fail_at(a, a->line, "a section of symbols and one of names expected");
	strings = &a->section.v[symtab->link];
	for (size_t i = 1; i < a->section.n; i++)
		if (a->section.v[i].strings)
			vec_push(&a->section.v[i].bytes, 0);
	for (size_t i = 1; i < a->section.n; i++)
		a->section.v[i].name_at = put_text(table, a->section.v[i].name);
	*names = (uint32_t)(table - a->section.v);
	for (size_t i = 0; i < a->symbol.n; i++) {
		const struct as_symbol *y = &a->symbol.v[i];
		uint64_t whole = y->section < a->section.n ? a->section.v[y->section].bytes.n : 0;
		uint32_t name = put_text(strings, y->name);
		uint64_t field[] = {name,       y->info,  y->other,
				    y->section, y->value, y->whole ? whole - y->value : y->size};
		static const uint8_t width[] = {4, 1, 1, 2, 8, 8};
		for (unsigned k = 0; k < 6; k++)
			for (unsigned b = 0; b < width[k]; b++)
				vec_push(&symtab->bytes, (uint8_t)(field[k] >> 8 * b));
	}
	return true;
}

static void put_header(struct assembler *a, uint64_t sections, uint32_t names)
{
	static const uint8_t magic[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
	for (unsigned i = 0; i < sizeof magic; i++)
		put_number(a, magic[i], 1);
	put_number(a, a->header[1], 1);
	put_number(a, a->header[2], 8);
	put_number(a, a->header[0], 2);
	put_number(a, EM_CUDA, 2);
	put_number(a, a->header[3], 4);
	put_number(a, 0, 16); /* entry, program headers */
	put_number(a, sections, 8);
	put_number(a, a->header[4], 4);
	put_number(a, EHDR, 2);
	put_number(a, 0, 4);
	put_number(a, SHDR, 2);
	put_number(a, a->section.n, 2);
	put_number(a, names, 2);
}

static void put_section_header(struct assembler *a, const struct as_section *s)
{
	put_number(a, s->name_at, 4);
	put_number(a, s->type, 4);
	put_number(a, s->flags, 8);
	put_number(a, 0, 8); /* address */
	put_number(a, s->offset, 8);
	put_number(a, s->size, 8);
	put_number(a, s->link, 4);
	put_number(a, s->info, 4);
	put_number(a, s->align, 8);
	put_number(a, s->entry, 8);
}

static void lay_out(struct assembler *a, uint32_t names)
{
	uint64_t at = EHDR;
	for (size_t i = 1; i < a->section.n; i++) {
		struct as_section *s = &a->section.v[i];
		uint64_t align = s->align ? s->align : 1;
		at = (at + align - 1) / align * align;
		s->offset = at;
		s->size = s->type == SHT_NOBITS ? s->space : s->bytes.n;
		at += s->bytes.n;
	}
	at = (at + 7) & ~7ull;
	put_header(a, at, names);
	for (size_t i = 1; i < a->section.n; i++) {
		const struct as_section *s = &a->section.v[i];
		while (a->out.n < s->offset)
			vec_push(&a->out, 0);
		for (size_t k = 0; k < s->bytes.n; k++)
			vec_push(&a->out, s->bytes.v[k]);
	}
	while (a->out.n < at)
		vec_push(&a->out, 0);
	for (size_t i = 0; i < a->section.n; i++)
		put_section_header(a, &a->section.v[i]);
}

bool culist_recognise(const char *text, size_t n)
{
	static const char first[] = ".elf ";
	while (n && isspace((unsigned char)*text))
		text++, n--;
	return n > sizeof first && !memcmp(text, first, sizeof first - 1);
}

static bool assemble_all(struct assembler *a)
{
	uint32_t names = 0;
	bool ok = true;
	vec_push(&a->section, (struct as_section){.name = ""});
	while (a->p < a->end) {
		const char *e = memchr(a->p, '\n', (size_t)(a->end - a->p));
		e = e ? e : a->end;
		a->line++;
		ok &= read_line(a, a->p, e);
		a->p = e < a->end ? e + 1 : e;
	}
	for (size_t i = 1; ok && i < a->section.n; i++)
		ok &= assemble_section(a, &a->section.v[i]);
	if (!ok || !make_tables(a, &names))
		return false;
	lay_out(a, names);
	return true;
}

void *culist_assemble(const char *file, const char *text, size_t n, size_t *size, struct diag *d)
{
	struct assembler a = {.file = file, .text = text, .p = text, .end = text + n, .d = d};
	void *out = NULL;
	if (assemble_all(&a)) {
		*size = a.out.n;
		out = a.out.v;
	} else {
		vec_free(&a.out);
	}
	for (size_t i = 0; i < a.section.n; i++) {
		vec_free(&a.section.v[i].bytes);
		vec_free(&a.section.v[i].code);
		vec_free(&a.section.v[i].label);
	}
	vec_free(&a.section);
	vec_free(&a.symbol);
	arena_free(&a.arena);
	return out;
}
