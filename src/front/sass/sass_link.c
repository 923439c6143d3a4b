/* Links the functions of a listing: reads the directives about linking and applies relocations at
 * the end of the file, when all functions are known.
 *
 *   .address_size 32|64                        how wide the file's addresses are
 *   .function [OFFSET]                         the function is not a kernel; its symbol is at OFFSET
 *   .data .nv.global BYTES, .data .nv.global.init BYTES WORD...   all of the section
 *   .symbol NAME SECTION OFFSET BYTES [local]  a variable, or a function inside another's code
 *   .reloc SECTION OFFSET TYPE NAME [ADDEND]   a place that wants a symbol's address, as ELF has
 * them
 *
 * The listing has instructions and words as they are before relocation. */
#include "front/sass/sass.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Returns a copy of the next word in the arena; empty: no further word. */
static char *next_word(struct reader *r, const char **s, const char *e)
{
	size_t n = sass_word(s, e);
	char *w = arena_strndup(&r->m->arena, *s, n);
	*s += n;
	return w;
}

static bool at_end(const char *s, const char *e)
{
	sass_trim(&s, &e);
	return s == e;
}

static void read_address_size(struct reader *r, const char *s, const char *e)
{
	uint64_t v;
	if (!sass_number(&s, e, &v) || (v != 32 && v != 64) || !at_end(s, e)) {
		sass_error(r, r->loc.line, ".address_size expects 32 or 64");
		return;
	}
	r->m->addr64 = v == 64;
	r->m->addr_known = true;
}

static void read_function(struct reader *r, const char *s, const char *e)
{
	uint64_t v = 0;
	if (!r->kernel ||
	    (!at_end(s, e) && (!sass_number(&s, e, &v) || v > 0xffffff || !at_end(s, e)))) {
		sass_error(r, r->loc.line,
			   ".function stands in a function, alone or with an offset");
		return;
	}
	r->m->kernel.v[r->kernel - 1].device = true;
	r->m->kernel.v[r->kernel - 1].entry = (uint32_t)v;
}

/* Reads the words of .nv.global.init; false: their number does not match the section's size. */
static bool read_words(struct nmodule *m, uint64_t size, const char *s, const char *e)
{
	uint64_t i = 0, w;
	if (size / 4 > (uint64_t)(e - s)) /* a huge size without words must not allocate memory */
		return false;
	m->global_init = arena_alloc(&m->arena, size + 1);
	m->global_init_size = size;
	for (; i < size && sass_number(&s, e, &w) && w <= 0xffffffffu; i += 4)
		for (unsigned b = 0; b < 4 && i + b < size; b++)
			m->global_init[i + b] = (uint8_t)(w >> (8 * b));
	return i >= size && at_end(s, e);
}

static void read_data(struct reader *r, const char *s, const char *e)
{
	struct nmodule *m = r->m;
	char *section = next_word(r, &s, e);
	bool init = !strcmp(section, ".nv.global.init");
	uint64_t size;
	if ((!init && strcmp(section, ".nv.global")) || !sass_number(&s, e, &size) ||
	    size > 1u << 30)
		sass_error(r, r->loc.line,
			   ".data expects .nv.global or .nv.global.init and a number of bytes");
	else if (init ? m->global_init_size : m->global_size)
		sass_error(r, r->loc.line, ".data: there are variables in %s already", section);
	else if (init ? !read_words(m, size, s, e) : !at_end(s, e))
		sass_error(r, r->loc.line, ".data %s: %s", section,
			   init ? "its 32-bit words are not as many as its bytes"
				: "it has no words");
	else if (!init)
		m->global_size = size;
}

static void read_symbol(struct reader *r, const char *s, const char *e)
{
	struct nsymbol y = {.kind = NSYM_OBJECT, .slot = ~0u};
	y.name = next_word(r, &s, e);
	y.section = next_word(r, &s, e);
	bool ok = *y.name && y.section[0] == '.' && sass_number(&s, e, &y.value) &&
		  sass_number(&s, e, &y.size);
	const char *word = ok ? next_word(r, &s, e) : "";
	y.local = !strcmp(word, "local");
	if (!ok || y.value > UINT32_MAX || y.size > UINT32_MAX || (*word && !y.local) ||
	    !at_end(s, e)) {
		sass_error(r, r->loc.line,
			   ".symbol expects a name, a section, an offset and a number of bytes");
		return;
	}
	if (!sass_starts(y.section, y.section + strlen(y.section), ".text.")) {
		vec_push(&r->m->symbol, y);
		return;
	}
	struct nkernel *k = native_code_named(r->m, y.section + 6);
	if (!k) {
		sass_error(r, r->loc.line, ".symbol: there is no function %s yet", y.section + 6);
		return;
	}
	if (!strcmp(k->name, y.name)) {
		sass_error(r, r->loc.line, ".symbol: %s is the whole function", y.name);
		return;
	}
	y.kind = NSYM_FUNC;
	y.section = k->name;
	vec_push(&k->func, y);
}

void sass_want(struct reader *r, const char *section, struct nreloc want)
{
	want.section = section;
	vec_push(&r->want, (struct wanted){want, r->loc.line});
}

static void read_reloc(struct reader *r, const char *s, const char *e)
{
	struct nreloc n = {0};
	char *stop = NULL;
	char *section = next_word(r, &s, e);
	bool ok = *section && sass_number(&s, e, &n.offset);
	char *type = next_word(r, &s, e);
	if (ok && !native_reloc_type(type, strlen(type), &n.type)) {
		n.type = (uint32_t)strtoul(type, &stop, 0);
		ok = *type && !*stop && n.type && n.type < 256;
	}
	n.symbol = next_word(r, &s, e);
	char *addend = next_word(r, &s, e);
	errno = 0;
	n.addend = strtoll(addend, &stop, 0);
	if (!ok || !*n.symbol || *stop || errno || n.addend != (int32_t)n.addend || !at_end(s, e)) {
		sass_error(r, r->loc.line,
			   ".reloc expects a section, an offset, a type (R_CUDA_...) and a name");
		return;
	}
	sass_want(r, section, n);
}

bool sass_link_directive(struct reader *r, const char *s, const char *e)
{
	static const struct {
		const char *name;
		void (*read)(struct reader *r, const char *s, const char *e);
	} rows[] = {{".address_size", read_address_size},
		    {".function", read_function},
		    {".data", read_data},
		    {".symbol", read_symbol},
		    {".reloc", read_reloc}};
	const char *word = s;
	size_t n = sass_word(&word, e);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strlen(rows[i].name) == n && sass_starts(s, e, rows[i].name)) {
			rows[i].read(r, s + n, e);
			return true;
		}
	return false;
}

/* Moves device functions from the list of kernels to the list of functions. */
static void part_functions(struct nmodule *m)
{
	size_t n = 0;
	for (size_t i = 0; i < m->kernel.n; i++)
		if (m->kernel.v[i].device)
			vec_push(&m->function, m->kernel.v[i]);
		else
			m->kernel.v[n++] = m->kernel.v[i];
	m->kernel.n = n;
}

/* Decodes the instructions again whose words relocations have changed. */
static void decode_again(struct nmodule *m, struct nkernel *k, struct reader *r)
{
	for (size_t i = 0; i < k->link.n; i++) {
		uint64_t w = 0, pc = k->link.v[i].offset;
		for (unsigned b = 0; b < 8; b++)
			w |= (uint64_t)k->code[pc + b] << (8 * b);
		if (!native_decode(m->isa, w, (uint32_t)pc, native_inst_at(k, pc)))
			sass_error(
				r, r->loc.line,
				"relocations of .text.%s: 0x%016llx at 0x%llx is not an instruction",
				k->name, (unsigned long long)w, (unsigned long long)pc);
	}
}

/* Applies one relocation. Returns NULL, or the reason why it cannot be applied. */
static const char *link_one(struct nmodule *m, const struct nreloc *r, char *err, size_t nerr)
{
	struct nsymbol y = native_symbol_named(m, r->symbol);
	struct nplace p;
	const char *wrong = native_place(m, r->section, &p);
	const struct ninst *in = p.k ? native_inst_at(p.k, r->offset) : NULL;
	if (!wrong && !p.data)
		wrong = "it has no bytes";
	if (!wrong && p.k && (!in || in->size != 8))
		wrong = "not the offset of an instruction of 8 bytes";
	if (wrong)
		snprintf(err, nerr, "relocations of %s: %s", r->section, wrong);
	else if (native_relocate(m, &p, *r, &y, err, nerr))
		return NULL;
	return err;
}

/* Checks that the places exist which directives name. */
static void check_symbols(struct reader *r)
{
	struct nmodule *m = r->m;
	for (size_t i = 0; i < m->symbol.n; i++) {
		const struct nsymbol *y = &m->symbol.v[i];
		if (y->section && !native_has_section(m, y->section))
			sass_error(r, r->loc.line, "%s: there is no section %s", y->name,
				   y->section);
	}
	for (size_t i = 0; i < m->function.n; i++)
		if (m->function.v[i].entry >= m->function.v[i].size)
			sass_error(r, r->loc.line, "%s: 0x%x is after its last instruction",
				   m->function.v[i].name, m->function.v[i].entry);
}

void sass_link(struct reader *r)
{
	struct nmodule *m = r->m;
	size_t end;
	part_functions(m);
	check_symbols(r);
	if (!native_functions_place(m, &end))
		sass_error(r, r->loc.line, "0x%zx bytes of code are more than a branch reaches",
			   end);
	for (size_t i = 0; i < r->want.n && !r->failed; i++) {
		const struct wanted *w = &r->want.v[i];
		char err[256];
		const char *wrong = link_one(m, &w->r, err, sizeof err);
		if (wrong)
			sass_error(r, w->lineno, "%s", wrong);
	}
	for (size_t i = 0; i < m->kernel.n + m->function.n && !r->failed; i++) {
		struct nkernel *k =
			i < m->kernel.n ? &m->kernel.v[i] : &m->function.v[i - m->kernel.n];
		decode_again(m, k, r);
		if (!r->failed && !native_kernel_check(m, k, &r->loc, r->d))
			r->failed = true;
	}
}
