/* Reads the parts of listings that are not code: ELF dumps of `cuobjdump -elf`, PTX, code of other
 * machines.
 *
 * A dump begins with `64bit elf: ... sm=20 ...` (`32bit`; later tools: `64-bit ELF:`) and ends
 * where code is listed or the next file begins. These parts are read, as if directives gave them:
 *
 *   Sections:                             index, offset, size ... name: how much global memory
 *   .symtab                               index, value, size, info, other, section, name: variables
 *   .nv.constantN, .nv.constantN.KERNEL   words of a bank
 *   .nv.global.init                       words
 *   .rel.SECTION                          offset, name, type, addend
 *   .text.KERNEL                          bar = N  reg = N  lmem = N  smem = N
 *   .nv.info.KERNEL                       EIATTR_KPARAM_INFO, EIATTR_REQNTID, EIATTR_MAX_THREADS
 *   .nv.info                              EIATTR_MIN_STACK_SIZE
 *
 * The table's numbers and a symbol's info are hexadecimal, with or without 0x; values, sizes and
 * offsets are decimal if they have none. Facts about a kernel are kept until its code follows. */
#include "front/sass/sass.h"

#include <stdlib.h>
#include <string.h>

/* ---- facts about a kernel ---- */

/* Gives the open function the information from the dump. */
void sass_dumped(struct reader *r)
{
	const char *name = r->m->kernel.v[r->kernel - 1].name;
	for (size_t i = 0; i < r->fact.n; i++) {
		const char *s = r->fact.v[i].directive;
		if (!strcmp(r->fact.v[i].kernel, name))
			sass_directive(r, s, s + strlen(s));
	}
}

/* Records a directive about a kernel, or about the file. */
static void add_fact(struct reader *r, const char *kernel, const char *directive)
{
	size_t open = r->kernel;
	if (kernel) {
		vec_push(&r->fact, (struct sass_fact){kernel, directive});
		return;
	}
	r->kernel = 0;
	sass_directive(r, directive, directive + strlen(directive));
	r->kernel = open;
}

/* ---- sections ---- */

static const char *text_after(const char *s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s && !strncmp(s, prefix, n) ? s + n : NULL;
}

/* Appends the section's words to a directive. */
static char *with_words(struct reader *r, const char *directive)
{
	struct sass_dump *d = &r->dump;
	size_t n = strlen(directive);
	char *text = arena_alloc(&r->m->arena, n + 11 * d->word.n + 1);
	memcpy(text, directive, n);
	for (size_t i = 0; i < d->word.n; i++)
		n += (size_t)sprintf(text + n, " 0x%08x", d->word.v[i]);
	text[n] = 0;
	return text;
}

static const struct sass_section *section_named(const struct sass_dump *d, const char *name)
{
	for (size_t i = 0; i < d->table.n; i++)
		if (!strcmp(d->table.v[i].name, name))
			return &d->table.v[i];
	return NULL;
}

/* Ends a constant bank: gives its words to the kernel or module. */
static void end_bank(struct reader *r)
{
	struct sass_dump *d = &r->dump;
	char *name;
	unsigned long bank = strtoul(text_after(d->section, ".nv.constant"), &name, 10);
	const char *kernel = *name == '.' ? name + 1 : NULL;
	/* sm_2x: the launch's shape and the parameters, all zero */
	if (!d->word.n || (kernel && !bank && r->m->isa == NATIVE_FERMI))
		return;
	add_fact(r, kernel, with_words(r, arena_printf(&r->m->arena, ".const %lu", bank)));
}

/* Ends the initial values of global memory. */
static void end_values(struct reader *r)
{
	const struct sass_section *s = section_named(&r->dump, ".nv.global.init");
	unsigned bytes = s ? s->size : 4 * (unsigned)r->dump.word.n;
	if (bytes)
		add_fact(r, NULL,
			 with_words(r,
				    arena_printf(&r->m->arena, ".data .nv.global.init %u", bytes)));
}

static const struct sass_param *param_of(const struct sass_dump *d, size_t ordinal)
{
	for (size_t i = 0; i < d->param.n; i++)
		if (d->param.v[i].ordinal == ordinal)
			return &d->param.v[i];
	return NULL;
}

/* Ends the attributes of a kernel: orders its parameters, which the dump lists from the last to the
 * first. */
static void end_params(struct reader *r, const char *kernel)
{
	struct sass_dump *d = &r->dump;
	if (!d->param.n)
		return;
	char *text = arena_alloc(&r->m->arena, 16 + 24 * d->param.n);
	int n = sprintf(text, ".params");
	for (size_t i = 0; i < d->param.n; i++) {
		const struct sass_param *p = param_of(d, i);
		if (!p)
			return;
		n += sprintf(text + n, " %u:%u", p->offset, p->size);
	}
	add_fact(r, kernel, text);
}

static void end_section(struct reader *r)
{
	struct sass_dump *d = &r->dump;
	const char *kernel;
	if (text_after(d->section, ".nv.constant"))
		end_bank(r);
	else if (d->section && !strcmp(d->section, ".nv.global.init"))
		end_values(r);
	else if ((kernel = text_after(d->section, ".nv.info.")))
		end_params(r, kernel);
	d->section = NULL;
	d->attribute = "";
	d->word.n = d->param.n = 0;
}

/* A number after a key and an equals sign or colon: `reg = 5`, `Offset  : 0x10`. */
static bool read_keyed(const char *s, const char *e, const char *key, uint64_t *v)
{
	const char *p = sass_find(s, e, key);
	if (!p)
		return false;
	p += strlen(key);
	while (p < e && (*p == ' ' || *p == '='))
		p++;
	return sass_number(&p, e, v) && *v < 1u << 24;
}

static void read_sizes(struct reader *r, const char *kernel, const char *s, const char *e)
{
	static const char *const key[] = {"bar", "reg", "lmem", "smem"}, *const directive[] = {
										 ".bars", ".regs",
										 ".local",
										 ".shared"};
	uint64_t v;
	for (unsigned i = 0; i < 4; i++)
		if (read_keyed(s, e, key[i], &v))
			add_fact(r, kernel,
				 arena_printf(&r->m->arena, "%s %u", directive[i], (unsigned)v));
}

static void read_value(struct reader *r, const char *kernel, const char *s, const char *e)
{
	struct sass_dump *d = &r->dump;
	uint64_t x, y, z;
	const char *name, *close;
	if (kernel && text_after(d->attribute, "EIATTR_KPARAM_INFO")) {
		if (d->param.n < 1024 && read_keyed(s, e, "Ordinal", &x) &&
		    read_keyed(s, e, "Offset", &y) && read_keyed(s, e, "Size", &z))
			vec_push(&d->param,
				 (struct sass_param){(unsigned)x, (unsigned)y, (unsigned)z});
	} else if (kernel && (text_after(d->attribute, "EIATTR_REQNTID") ||
			      text_after(d->attribute, "EIATTR_MAX_THREADS"))) {
		if (sass_number(&s, e, &x) && sass_number(&s, e, &y) && sass_number(&s, e, &z))
			add_fact(r, kernel,
				 arena_printf(&r->m->arena, "%s %u %u %u",
					      text_after(d->attribute, "EIATTR_REQNTID")
						      ? ".reqntid"
						      : ".maxntid",
					      (unsigned)x, (unsigned)y, (unsigned)z));
	} else if (text_after(d->attribute, "EIATTR_MIN_STACK_SIZE") &&
		   (name = sass_find(s, e, "function: ")) &&
		   (close = memchr(name, '(', (size_t)(e - name))) &&
		   read_keyed(close, e, "min stack size", &x)) {
		name += strlen("function: ");
		add_fact(r, arena_strndup(&r->m->arena, name, (size_t)(close - name)),
			 arena_printf(&r->m->arena, ".stack %u", (unsigned)x));
	}
}

/* Splits a line into words; returns how many there are, at most `most`. */
static unsigned split_words(const char *s, const char *e, const char *word[], size_t len[],
			    unsigned most)
{
	unsigned n = 0;
	while (n < most && (len[n] = sass_word(&s, e))) {
		word[n] = s;
		s += len[n++];
	}
	return n;
}

/* Reads a hexadecimal number, with or without 0x. */
static bool read_hex(const char *s, size_t n, uint64_t *v)
{
	char buf[20], *stop;
	if (!n || n >= sizeof buf)
		return false;
	memcpy(buf, s, n);
	buf[n] = 0;
	*v = strtoull(buf, &stop, 16);
	return !*stop;
}

/* `4    1d0     24  0  4 CUDA_INFO       0    3        0 .nv.info` */
static void read_section(struct reader *r, const char *s, const char *e)
{
	const char *word[10];
	size_t len[10];
	uint64_t index, size;
	if (split_words(s, e, word, len, 10) < 10 || !read_hex(word[0], len[0], &index) ||
	    !read_hex(word[2], len[2], &size) || index > 65535 || size > 1u << 30 ||
	    r->dump.table.n > 65535)
		return;
	char *name = arena_strndup(&r->m->arena, word[9], len[9]);
	vec_push(&r->dump.table, (struct sass_section){(unsigned)index, (unsigned)size, name});
	if (!strcmp(name, ".nv.global") && size)
		add_fact(r, NULL,
			 arena_printf(&r->m->arena, ".data .nv.global %u", (unsigned)size));
}

static const char *data_section(const struct sass_dump *d, uint64_t index)
{
	for (size_t i = 0; i < d->table.n; i++)
		if (d->table.v[i].index == index &&
		    (text_after(d->table.v[i].name, ".nv.constant") ||
		     text_after(d->table.v[i].name, ".nv.global")))
			return d->table.v[i].name;
	return NULL;
}

/* `3 0 8 11 0 9 table`: a variable. The section's index is decimal in early dumps and hexadecimal
 * in later ones: the base that leads to a section of variables is right. */
static void read_symbol(struct reader *r, const char *s, const char *e)
{
	const char *word[7], *number, *section = NULL;
	size_t len[7];
	uint64_t value, size, info, index;
	if (split_words(s, e, word, len, 7) < 7)
		return;
	number = word[1];
	if (!sass_number(&number, e, &value) || !sass_number(&number, e, &size) || !size ||
	    value > UINT32_MAX || size > UINT32_MAX || !read_hex(word[3], len[3], &info) ||
	    (info & 15) != 1)
		return;
	number = word[5];
	if (sass_number(&number, e, &index))
		section = data_section(&r->dump, index);
	if (!section && read_hex(word[5], len[5], &index))
		section = data_section(&r->dump, index);
	if (section)
		add_fact(r, NULL,
			 arena_printf(&r->m->arena, ".symbol %.*s %s %u %u%s", (int)len[6], word[6],
				      section, (unsigned)value, (unsigned)size,
				      info >> 4 ? "" : " local"));
}

/* `112    vprintf    R_CUDA_ABS32_26`, with an addend in .rela */
static void read_reloc(struct reader *r, const char *section, const char *s, const char *e)
{
	const char *word[4];
	size_t len[4];
	uint64_t offset;
	unsigned n = split_words(s, e, word, len, 4);
	if (n < 3 || !sass_number(&s, e, &offset) || !sass_starts(word[2], e, "R_CUDA_") ||
	    !(text_after(section, ".text.") || text_after(section, ".nv.constant") ||
	      text_after(section, ".nv.global.init")))
		return;
	bool addend = n > 3 && *word[3] != '(';
	add_fact(r, NULL,
		 arena_printf(&r->m->arena, ".reloc %s %llu %.*s %.*s%s%.*s", section,
			      (unsigned long long)offset, (int)len[2], word[2], (int)len[1],
			      word[1], addend ? " " : "", addend ? (int)len[3] : 0,
			      addend ? word[3] : ""));
}

/* Reads a line of the current section that needs no look at its name. */
static void section_line(struct reader *r, const char *s, const char *e)
{
	struct sass_dump *d = &r->dump;
	const char *name;
	uint64_t w;
	if (!d->section) {
		read_section(r, s, e);
	} else if (text_after(d->section, ".nv.constant") ||
		   !strcmp(d->section, ".nv.global.init")) {
		while (sass_number(&s, e, &w) && w <= UINT32_MAX && d->word.n < 1u << 18)
			vec_push(&d->word, (uint32_t)w);
	} else if (!strcmp(d->section, ".symtab")) {
		read_symbol(r, s, e);
	} else if ((name = text_after(d->section, ".rela.")) ||
		   (name = text_after(d->section, ".rel."))) {
		read_reloc(r, name - 1, s, e);
	} else if ((name = text_after(d->section, ".text.")) && sass_find(s, e, "smem")) {
		read_sizes(r, name, s, e);
	} else if (sass_starts(s, e, "Attribute:")) {
		s += strlen("Attribute:");
		size_t n = sass_word(&s, e);
		d->attribute = arena_strndup(&r->m->arena, s, n);
	} else if (text_after(d->section, ".nv.info") && sass_starts(s, e, "Value:")) {
		read_value(r, text_after(d->section, ".nv.info."), s + strlen("Value:"), e);
	}
}

/* Reads a line of the dump. A section's name is on a line of its own, alone or after .section. */
static void dump_line(struct reader *r, const char *s, const char *e)
{
	if (*s != '.') {
		section_line(r, s, e);
		return;
	}
	end_section(r);
	if (sass_starts(s, e, ".section "))
		s += strlen(".section ");
	size_t n = sass_word(&s, e);
	r->dump.section = arena_strndup(&r->m->arena, s, n);
}

/* ---- parts of a dump ---- */

static bool begins_elf(const char *s, const char *e)
{
	return sass_starts(s, e, "32bit elf:") || sass_starts(s, e, "64bit elf:") ||
	       sass_starts(s, e, "32-bit ELF:") || sass_starts(s, e, "64-bit ELF:");
}

/* `64bit elf: type=2, abi=7, sm=20, toolkit=80, flags = 0x140514` */
static void begin_elf(struct reader *r, const char *s, const char *e)
{
	uint64_t sm;
	r->dump.part = PART_ELF;
	r->dump.table.n = 0;
	r->m->addr64 = *s == '6';
	r->m->addr_known = true;
	if (!r->arch_known && read_keyed(s, e, "sm=", &sm))
		sass_arch(r, sm);
}

bool sass_other_part(struct reader *r, const char *s, const char *e)
{
	if (sass_starts(s, e, "Fatbin ")) { /* elf code: or ptx code: */
		end_section(r);
		r->dump.part = sass_starts(s, e, "Fatbin ptx") ? PART_OTHER : PART_CODE;
		return r->dump.part == PART_OTHER;
	}
	if (r->dump.part == PART_OTHER &&
	    sass_find(s, e, "code for sm_")) /* the header of the next architecture */
		r->dump.part = PART_CODE;
	if (r->dump.part == PART_OTHER)
		return true;
	if (begins_elf(s, e)) {
		end_section(r);
		begin_elf(r, s, e);
		return true;
	}
	if (r->dump.part != PART_ELF)
		return false;
	if (sass_find(s, e, "code for sm_")) {
		end_section(r);
		r->dump.part = PART_CODE;
		return false;
	}
	dump_line(r, s, e);
	return true;
}
