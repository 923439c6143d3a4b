/* What `cuobjdump -elf` and the dump of a whole program put around code: ELF dumps, PTX, code of
 * other machines.
 *
 * A dump begins with `64bit elf: ... sm=20 ...` (`32bit`; later tools: `64-bit ELF:`) and ends
 * where code is listed or the next file begins. Of its sections these are taken, as if directives
 * said it:
 *
 *   .nv.constantN, .nv.constantN.KERNEL   words of a bank
 *   .text.KERNEL                          bar = N  reg = N  lmem = N  smem = N
 *   .nv.info.KERNEL                       EIATTR_KPARAM_INFO, EIATTR_REQNTID, EIATTR_MAX_THREADS
 *   .nv.info                              EIATTR_MIN_STACK_SIZE
 *
 * What is known of a kernel waits until its code comes. Code with relocations is refused: the
 * listing has its words without addresses, and how the dump prints them is not documented. */
#include "front/native/sass.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is known of a kernel ---- */

/* The function that is open gets what the dump said of it. */
void sass_dumped(struct reader *r)
{
	const char *name = r->m->kernel.v[r->kernel - 1].name;
	for (size_t i = 0; i < r->fact.n; i++) {
		const char *s = r->fact.v[i].directive;
		if (!strcmp(r->fact.v[i].kernel, name))
			sass_directive(r, s, s + strlen(s));
	}
}

/* A directive about a kernel, or about the file. */
static void tell(struct reader *r, const char *kernel, const char *directive)
{
	if (kernel)
		vec_push(&r->fact, (struct sass_fact){kernel, directive});
	else
		sass_directive(r, directive, directive + strlen(directive));
}

/* ---- sections ---- */

static const char *after(const char *s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s && !strncmp(s, prefix, n) ? s + n : NULL;
}

/* The words of a constant bank that has ended. */
static void end_bank(struct reader *r)
{
	struct sass_dump *d = &r->dump;
	char *name;
	unsigned long bank = strtoul(after(d->section, ".nv.constant"), &name, 10);
	const char *kernel = *name == '.' ? name + 1 : NULL;
	/* sm_2x: the launch's shape and the parameters, all zero */
	if (!d->word.n || (kernel && !bank && r->m->isa == NATIVE_FERMI))
		return;
	char *text = arena_alloc(&r->m->arena, 24 + 11 * d->word.n);
	int n = sprintf(text, ".const %lu", bank);
	for (size_t i = 0; i < d->word.n; i++)
		n += sprintf(text + n, " 0x%08x", d->word.v[i]);
	tell(r, kernel, text);
}

static const struct sass_param *param_of(const struct sass_dump *d, size_t ordinal)
{
	for (size_t i = 0; i < d->param.n; i++)
		if (d->param.v[i].ordinal == ordinal)
			return &d->param.v[i];
	return NULL;
}

/* The parameters of a kernel whose attributes have ended; the dump has the last one first. */
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
	tell(r, kernel, text);
}

static void end_section(struct reader *r)
{
	struct sass_dump *d = &r->dump;
	const char *kernel;
	if (after(d->section, ".nv.constant"))
		end_bank(r);
	else if ((kernel = after(d->section, ".nv.info.")))
		end_params(r, kernel);
	d->section = NULL;
	d->attribute = "";
	d->word.n = d->param.n = 0;
}

/* A number behind a key and an equals sign or colon: `reg = 5`, `Offset  : 0x10`. */
static bool keyed(const char *s, const char *e, const char *key, uint64_t *v)
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
		if (keyed(s, e, key[i], &v))
			tell(r, kernel,
			     arena_printf(&r->m->arena, "%s %u", directive[i], (unsigned)v));
}

static void read_value(struct reader *r, const char *kernel, const char *s, const char *e)
{
	struct sass_dump *d = &r->dump;
	uint64_t x, y, z;
	const char *name, *close;
	if (kernel && after(d->attribute, "EIATTR_KPARAM_INFO")) {
		if (d->param.n < 1024 && keyed(s, e, "Ordinal", &x) && keyed(s, e, "Offset", &y) &&
		    keyed(s, e, "Size", &z))
			vec_push(&d->param,
			         (struct sass_param){(unsigned)x, (unsigned)y, (unsigned)z});
	} else if (kernel && (after(d->attribute, "EIATTR_REQNTID") ||
	                      after(d->attribute, "EIATTR_MAX_THREADS"))) {
		if (sass_number(&s, e, &x) && sass_number(&s, e, &y) && sass_number(&s, e, &z))
			tell(r, kernel,
			     arena_printf(&r->m->arena, "%s %u %u %u",
			                  after(d->attribute, "EIATTR_REQNTID") ? ".reqntid"
			                                                        : ".maxntid",
			                  (unsigned)x, (unsigned)y, (unsigned)z));
	} else if (after(d->attribute, "EIATTR_MIN_STACK_SIZE") &&
	           (name = sass_find(s, e, "function: ")) &&
	           (close = memchr(name, '(', (size_t)(e - name))) &&
	           keyed(close, e, "min stack size", &x)) {
		name += strlen("function: ");
		tell(r, arena_strndup(&r->m->arena, name, (size_t)(close - name)),
		     arena_printf(&r->m->arena, ".stack %u", (unsigned)x));
	}
}

static void dump_line(struct reader *r, const char *s, const char *e)
{
	struct sass_dump *d = &r->dump;
	const char *kernel;
	uint64_t w;
	if (*s == '.') {
		size_t n = sass_word(&s, e);
		end_section(r);
		d->section = arena_strndup(&r->m->arena, s, n);
	} else if (after(d->section, ".nv.constant")) {
		while (sass_number(&s, e, &w) && w <= UINT32_MAX && d->word.n < 16384)
			vec_push(&d->word, (uint32_t)w);
	} else if ((kernel = after(d->section, ".text.")) && sass_starts(s, e, "bar")) {
		read_sizes(r, kernel, s, e);
	} else if (sass_starts(s, e, "Attribute:")) {
		s += strlen("Attribute:");
		size_t n = sass_word(&s, e);
		d->attribute = arena_strndup(&r->m->arena, s, n);
	} else if (after(d->section, ".nv.info") && sass_starts(s, e, "Value:")) {
		read_value(r, after(d->section, ".nv.info."), s + strlen("Value:"), e);
	} else if (sass_find(s, e, "R_CUDA_")) {
		sass_error(r, r->loc.line,
		           "relocations of an ELF dump are not read; give the cubin itself");
	}
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
	r->m->addr64 = *s == '6';
	r->m->addr_known = true;
	if (!r->arch_known && keyed(s, e, "sm=", &sm))
		sass_arch(r, sm);
}

bool sass_other_part(struct reader *r, const char *s, const char *e)
{
	if (sass_starts(s, e, "Fatbin ")) { /* elf code: or ptx code: */
		end_section(r);
		r->dump.part = sass_starts(s, e, "Fatbin ptx") ? PART_OTHER : PART_CODE;
		return r->dump.part == PART_OTHER;
	}
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
