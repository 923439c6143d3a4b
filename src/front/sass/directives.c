/* Reads directives of listings, which supply what cuobjdump's text lacks.
 *
 *   .regs N  .shared BYTES  .local BYTES  .stack BYTES  .bars N   of the function
 *   .maxntid X Y Z  .reqntid X Y Z       at most, or exactly, this many threads per block
 *   .params SIZE... or OFFSET:SIZE...    its parameters
 *   .const BANK WORD...                  a constant bank, of the function or the file
 *   .constant NAME BANK OFFSET BYTES     a variable in a constant bank
 *   .global NAME BYTES [WORD...]         a variable in global memory
 *   .address BANK OFFSET NAME            a word of a bank holds a variable's address
 *   .dialect NAME                        of the text: cuda4.0, cuda4.1, cuda4, cuda5, full
 *   .texture NAME SLOT, .surface NAME SLOT   references that TEX, SULD and the like name
 *
 * sass_link.c has the directives about functions and relocations.
 *
 * The address of a variable is the immediate 32@lo(NAME) or 32@hi(NAME), as nvdisasm writes it. */
#include "front/sass/sass.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool sass_number(const char **s, const char *e, uint64_t *v)
{
	char buf[24], *stop;
	size_t n = 0;
	while (*s < e && (isspace((unsigned char)**s) || **s == ',' || **s == ':'))
		++*s;
	while (*s + n < e && n + 1 < sizeof(buf) && isalnum((unsigned char)(*s)[n]))
		n++;
	memcpy(buf, *s, n);
	buf[n] = 0;
	if (!n || !isdigit((unsigned char)buf[0]))
		return false;
	*v = strtoull(buf, &stop, 0);
	*s += n;
	return !*stop;
}

/* True for a bank that declarations of variables have grown but that has no words yet: the words
 * that follow then replace its contents. */
static bool only_room(const struct nbank *b, size_t size)
{
	for (size_t i = 0; i < b->size; i++)
		if (b->data[i])
			return false;
	return b->size <= size;
}

static void read_const(struct reader *r, const char *s, const char *e)
{
	uint64_t bank, w;
	struct nbank b = {0};
	VEC(uint8_t) data = {0};
	if (!sass_number(&s, e, &bank) || bank > 31) {
		sass_error(r, r->loc.line,
			   ".const expects a bank number, 0 to 31, and 32-bit words");
		return;
	}
	while (sass_number(&s, e, &w) && w <= 0xffffffffu)
		for (unsigned i = 0; i < 4; i++)
			vec_push(&data, (uint8_t)(w >> (8 * i)));
	sass_trim(&s, &e);
	if (s < e)
		sass_error(r, r->loc.line, ".const: not a 32-bit word: '%.*s'",
			   (int)(e - s > 20 ? 20 : e - s), s);
	b.bank = (unsigned)bank;
	b.size = data.n;
	b.data = arena_alloc(&r->m->arena, data.n + 1);
	if (data.n)
		memcpy(b.data, data.v, data.n);
	vec_free(&data);
	if (r->kernel) {
		struct nkernel *k = &r->m->kernel.v[r->kernel - 1];
		for (size_t i = 0; i < k->bank.n; i++)
			if (k->bank.v[i].bank == b.bank)
				sass_error(r, r->loc.line, ".const: bank %u is here twice", b.bank);
		vec_push(&k->bank, b);
		return;
	}
	for (size_t i = 0; i < r->m->bank.n; i++) {
		if (r->m->bank.v[i].bank != b.bank)
			continue;
		if (!only_room(&r->m->bank.v[i], b.size))
			sass_error(r, r->loc.line, ".const: bank %u is here twice", b.bank);
		r->m->bank.v[i] = b;
		return;
	}
	vec_push(&r->m->bank, b);
}

/* .params 4 4 8 (sizes, naturally aligned) or 0x0:4 0x8:8 (offset:size) */
static void read_params(struct reader *r, struct nkernel *k, const char *s, const char *e)
{
	uint32_t next = 0;
	uint64_t a, sz;
	k->param = ARENA_ARRAY(&r->m->arena, struct nparam, (size_t)(e - s) / 2 + 1);
	k->nparam = 0;
	while (sass_number(&s, e, &a)) {
		sz = a;
		if (s < e && *s == ':') {
			if (!sass_number(&s, e, &sz))
				break;
			next = (uint32_t)a;
		} else {
			uint32_t al = sz >= 8 ? 8 : sz >= 4 ? 4 : sz >= 2 ? 2 : 1;
			next = (next + al - 1) & ~(al - 1);
		}
		if (!sz || sz > 4096 || next > 4096) {
			sass_error(r, r->loc.line, ".params: bad size");
			return;
		}
		k->param[k->nparam++] = (struct nparam){next, (uint32_t)sz};
		next += (uint32_t)sz;
	}
	k->param_size = next;
	k->param_base = r->arch_known && r->m->isa == NATIVE_TESLA ? 0x10 : 0x20;
}

/* Grows a module-wide bank to `size` bytes. */
static void need_bank(struct nmodule *m, unsigned bank, size_t size)
{
	struct nbank *b = NULL;
	for (size_t i = 0; i < m->bank.n; i++)
		if (m->bank.v[i].bank == bank)
			b = &m->bank.v[i];
	if (!b) {
		vec_push(&m->bank, (struct nbank){.bank = bank});
		b = &m->bank.v[m->bank.n - 1];
	}
	if (b->size >= size)
		return;
	uint8_t *data = arena_alloc(&m->arena, size);
	memset(data, 0, size);
	if (b->size)
		memcpy(data, b->data, b->size);
	b->data = data;
	b->size = size;
}

/* Reads the words of a variable, the first of which is w. Returns the position after its last
 * word. */
static const char *read_values(uint8_t *to, size_t size, uint64_t w, const char *s, const char *e)
{
	const char *last = s;
	size_t at = 0;
	do {
		for (unsigned b = 0; b < 4; b++) /* the buffer's size is a multiple of a word */
			to[at++] = (uint8_t)(w >> (8 * b));
		last = s;
	} while (at < size && sass_number(&s, e, &w));
	return last;
}

size_t sass_word(const char **s, const char *e)
{
	while (*s < e && isspace((unsigned char)**s))
		++*s;
	const char *p = *s;
	while (p < e && !isspace((unsigned char)*p))
		p++;
	return (size_t)(p - *s);
}

/* .constant NAME BANK OFFSET BYTES: a variable in a module's constant bank.
 * .global NAME BYTES [WORD...]: a variable in global memory, with its first words; the rest is
 * zero. */
static void read_variable(struct reader *r, const char *s, const char *e)
{
	bool constant = sass_starts(s, e, ".constant ");
	struct nmodule *m = r->m;
	uint64_t bank = 0, at = 0, size = 0, w;
	s += constant ? 10 : 8;
	size_t len = sass_word(&s, e);
	char *copy = arena_strndup(&m->arena, s, len);
	s += len;
	bool ok = *copy && (!constant || (sass_number(&s, e, &bank) && bank < 32 &&
					  sass_number(&s, e, &at) && at < 65536));
	if (!ok || !sass_number(&s, e, &size) || !size ||
	    size > (constant ? 65536 - at : 1u << 30)) {
		sass_error(
			r, r->loc.line,
			constant
				? ".constant expects a name, a bank, an offset and a number of bytes"
				: ".global expects a name and a number of bytes");
		return;
	}
	struct nsymbol y = {
		.name = copy, .kind = NSYM_OBJECT, .value = at, .size = size, .slot = ~0u};
	if (constant) {
		y.section = arena_printf(&m->arena, ".nv.constant%u", (unsigned)bank);
		need_bank(m, (unsigned)bank, at + size);
	} else if (sass_number(&s, e, &w)) {
		y.section = ".nv.global.init";
		y.value = m->global_init_size;
		uint8_t *to = native_add_values(m, size);
		if (to)
			s = read_values(to, size, w, s, e);
		else
			sass_error(r, r->loc.line,
				   ".global %s: variables with initial values take more than 4 MB",
				   copy);
	} else {
		y.section = ".nv.global";
		y.value = m->global_size;
		m->global_size += (size + 15) & ~(uint64_t)15;
	}
	vec_push(&m->symbol, y);
	sass_trim(&s, &e);
	if (s < e)
		sass_error(r, r->loc.line, "%s: not a word, or more than its bytes: '%.*s'", copy,
			   (int)(e - s > 20 ? 20 : e - s), s);
}

static void read_reference(struct reader *r, const char *s, const char *e)
{
	enum nsym_kind kind = sass_starts(s, e, ".texture ") ? NSYM_TEXTURE : NSYM_SURFACE;
	uint64_t slot;
	s += 9;
	size_t len = sass_word(&s, e);
	const char *name = s;
	s += len;
	if (!len || !sass_number(&s, e, &slot) || slot > 255) {
		sass_error(r, r->loc.line,
			   ".texture and .surface want a name and a slot, 0 to 255");
		return;
	}
	vec_push(&r->m->symbol, (struct nsymbol){.name = arena_strndup(&r->m->arena, name, len),
						 .kind = kind,
						 .slot = (unsigned)slot});
}

static void read_address(struct reader *r, const char *s, const char *e)
{
	uint64_t bank, at;
	if (!sass_number(&s, e, &bank) || bank > 31 || !sass_number(&s, e, &at) || at > 65532 ||
	    !sass_word(&s, e)) {
		sass_error(r, r->loc.line,
			   ".address expects a bank, an offset and a variable's name");
		return;
	}
	need_bank(r->m, (unsigned)bank, at + 4);
	sass_want(r, arena_printf(&r->m->arena, ".nv.constant%u", (unsigned)bank),
		  (struct nreloc){.offset = at,
				  .type = NREL_32,
				  .symbol = arena_strndup(&r->m->arena, s, sass_word(&s, e))});
}

/* Reads assembler directives that nvdisasm prints around code. Only the file's architecture and a
 * section's register count matter here. */
static bool assembler_directive(struct reader *r, const char *s, const char *e)
{
	static const char *const name[] = {".section", ".align", ".type",    ".size",
					   ".other",   ".weak",  ".elftype", ".headerflags",
					   ".target",  ".byte",  ".short",   ".word",
					   ".dword",   ".zero",  ".string",  ".nv."};
	const char *p;
	uint64_t v;
	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		if (!sass_starts(s, e, name[i]))
			continue;
		if ((p = sass_find(s, e, "SHI_REGISTERS=")) && r->kernel &&
		    (p += 14, sass_number(&p, e, &v)) && v < 256) {
			r->m->kernel.v[r->kernel - 1].regs = (unsigned)v;
			r->m->kernel.v[r->kernel - 1].regs_known = true;
		}
		if (!r->arch_known && (p = sass_find(s, e, "EF_CUDA_SM")) &&
		    (p += 10, sass_number(&p, e, &v)))
			r->arch_known = native_arch(r->m, v > 99 ? 99 : (unsigned)v);
		return true;
	}
	/* .global NAME, without a size */
	const char *word = s + 7;
	return sass_starts(s, e, ".global") && word < e && isspace((unsigned char)*word) &&
	       sass_word(&word, e) == (size_t)(e - word);
}

static void read_block(struct reader *r, uint32_t n[3], const char *s, const char *e)
{
	uint64_t v = 0;
	bool ok = true;
	for (unsigned i = 0; i < 3; i++) {
		ok = ok && sass_number(&s, e, &v) && v && v <= UINT32_MAX;
		n[i] = ok ? (uint32_t)v : 0;
	}
	if (!ok || sass_word(&s, e))
		sass_error(r, r->loc.line, ".maxntid and .reqntid want three numbers of threads");
}

/* .loc LINE FILE: the source line of the code that follows. */
static void read_loc(struct reader *r, const char *s, const char *e)
{
	uint64_t line;
	if (!sass_number(&s, e, &line) || line > UINT32_MAX || !sass_word(&s, e)) {
		sass_error(r, r->loc.line, ".loc expects a line and the name of a file");
		return;
	}
	size_t len = (size_t)(e - s);
	struct nsource *last = r->m->sources.n ? &r->m->sources.v[r->m->sources.n - 1] : NULL;
	bool same = last && strlen(last->file) == len && !memcmp(last->file, s, len);
	const char *file = same ? last->file : arena_strndup(&r->m->arena, s, len);
	vec_push(&r->m->sources, (struct nsource){file, (uint32_t)line}); /* moves *last */
	r->source = (uint32_t)r->m->sources.n;
}

bool sass_directive(struct reader *r, const char *s, const char *e)
{
	static const char *const name[] = {".regs", ".shared", ".local", ".stack", ".bars"};
	/* largest values of ELF's fields */
	static const uint32_t most[] = {255, 0xffffff, 0xffffff, 0xffffff, 31};
	uint64_t v;
	if (sass_starts(s, e, ".const ")) {
		read_const(r, s + 6, e);
		return true;
	}
	if (assembler_directive(r, s, e))
		return true;
	if (sass_starts(s, e, ".constant ") || sass_starts(s, e, ".global ")) {
		read_variable(r, s, e);
		return true;
	}
	if (sass_starts(s, e, ".texture ") || sass_starts(s, e, ".surface ")) {
		read_reference(r, s, e);
		return true;
	}
	if (sass_starts(s, e, ".loc ")) {
		read_loc(r, s + 5, e);
		return true;
	}
	if (sass_starts(s, e, ".address ")) {
		read_address(r, s + 9, e);
		return true;
	}
	if (sass_link_directive(r, s, e) || sass_dialect_directive(r, s, e))
		return true;
	if (!r->kernel)
		return false;
	struct nkernel *k = &r->m->kernel.v[r->kernel - 1];
	if (sass_starts(s, e, ".params")) {
		read_params(r, k, s + 7, e);
		return true;
	}
	if (sass_starts(s, e, ".maxntid ") || sass_starts(s, e, ".reqntid ")) {
		read_block(r, s[1] == 'm' ? k->max_threads : k->reqntid, s + 9, e);
		return true;
	}
	uint32_t *where[] = {&k->regs, &k->shared, &k->local, &k->stack, &k->bars};
	for (unsigned i = 0; i < 5; i++) {
		if (!sass_starts(s, e, name[i]))
			continue;
		s += strlen(name[i]);
		if (!sass_number(&s, e, &v) || v > most[i])
			sass_error(r, r->loc.line, "%s expects a number, at most %u", name[i],
				   most[i]);
		else
			*where[i] = (uint32_t)v;
		k->regs_known |= i == 0 && k->regs; /* 0: not known */
		return true;
	}
	return false;
}

/* Notes that line l needs the address of the symbol between `name` and `close`; the text from `at`
 * on is replaced by a zero. */
static void want_symbol(struct reader *r, struct line *l, const char *at, const char *name,
			const char *close, uint32_t type)
{
	const char *end = l->text + l->len;
	l->wants = type;
	l->symbol = arena_strndup(&r->m->arena, name, (size_t)(close - name));
	l->text = arena_printf(&r->m->arena, "%.*s0x0%.*s", (int)(at - l->text), l->text,
			       (int)(end - close - 1), close + 1);
	l->len = strlen(l->text);
}

/* Replaces nvdisasm's notation of labels, `(.L_1), and functions, `(NAME), by the plain name. */
static void plain_label(struct reader *r, struct line *l)
{
	const char *end = l->text + l->len, *at = sass_find(l->text, end, "`("),
		   *close = at ? memchr(at, ')', (size_t)(end - at)) : NULL;
	if (!close)
		return;
	bool far = sass_find(l->text, at, "JCAL") != NULL;
	if (at[2] != '.' && (far || sass_find(l->text, at, "CAL"))) {
		want_symbol(r, l, at, at + 2, close, far ? NREL_ABS32_26 : NREL_PCREL_IMM24_26);
		return;
	}
	l->text = arena_printf(&r->m->arena, "%.*s%.*s%.*s", (int)(at - l->text), l->text,
			       (int)(close - at - 2), at + 2, (int)(end - close - 1), close + 1);
	l->len = strlen(l->text);
}

void sass_symbol_opnd(struct reader *r, struct line *l)
{
	plain_label(r, l);
	const char *end = l->text + l->len, *lo = sass_find(l->text, end, "32@lo("),
		   *hi = sass_find(l->text, end, "32@hi(");
	const char *at = lo ? lo : hi;
	const char *close = at ? memchr(at, ')', (size_t)(end - at)) : NULL;
	if (close)
		want_symbol(r, l, at, at + 6, close, lo ? NREL_ABS32_LO_26 : NREL_ABS32_HI_26);
}
