/* Cubins made section by section, as toolkits lay them out: sections, symbols and relocations are
 * added, then the file is put together as ELF32 or ELF64, its sections in any order and at any
 * alignment. */
#ifndef TEST_CUBIN_MAKER_H
#define TEST_CUBIN_MAKER_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "isa/native.h"

enum {
	MK_PROGBITS = 1,
	MK_SYMTAB = 2,
	MK_STRTAB = 3,
	MK_NOBITS = 8,
	MK_REL = 9,
	MK_RELA = 4,
	MK_CUDA_INFO = 0x70000000
};
enum { MK_FUNC = 0x12, MK_OBJECT = 0x11, MK_LOCAL_OBJECT = 0x01, MK_ENTRY = 0x10 };

struct mk_buf {
	uint8_t b[8192];
	size_t n;
};
struct mk_sec {
	char name[64];
	uint32_t type, info;
	uint64_t flags, size;
	struct mk_buf d;
};
struct maker {
	struct mk_sec sec[40];
	unsigned n, nsym, symtab, strtab, shstr;
	bool wide;
	enum native_isa isa;
	uint32_t flags;    /* e_flags */
	uint8_t abi, type; /* ABI version, e_type */
	unsigned seed;     /* order and gaps of sections in the file; 0: as added, aligned */
};

static inline void mk_put(struct mk_buf *o, uint64_t v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		o->b[o->n++] = (uint8_t)(v >> 8 * i);
}

static inline uint32_t mk_string(struct mk_buf *o, const char *s)
{
	uint32_t at = (uint32_t)o->n;
	memcpy(o->b + o->n, s, strlen(s) + 1);
	o->n += strlen(s) + 1;
	return at;
}

static inline unsigned mk_section(struct maker *m, const char *name, uint32_t type, uint64_t flags,
				  uint32_t info)
{
	struct mk_sec *s = &m->sec[m->n];
	memset(s, 0, sizeof *s);
	snprintf(s->name, sizeof s->name, "%s", name);
	s->type = type, s->flags = flags, s->info = info;
	return m->n++;
}

static inline unsigned mk_symbol(struct maker *m, const char *name, unsigned info, unsigned other,
				 unsigned section, uint64_t value, uint64_t size)
{
	struct mk_buf *o = &m->sec[m->symtab].d;
	mk_put(o, mk_string(&m->sec[m->strtab].d, name), 4);
	if (!m->wide)
		mk_put(o, value, 4), mk_put(o, size, 4);
	mk_put(o, info, 1), mk_put(o, other, 1), mk_put(o, section, 2);
	if (m->wide)
		mk_put(o, value, 8), mk_put(o, size, 8);
	return m->nsym++;
}

static inline void mk_reloc(struct maker *m, unsigned section, uint64_t offset, uint64_t sym,
			    unsigned type)
{
	mk_put(&m->sec[section].d, offset, m->wide ? 8 : 4);
	mk_put(&m->sec[section].d, m->wide ? sym << 32 | type : sym << 8 | type, m->wide ? 8 : 4);
}

/* Adds a text section of lines separated by `;` or newlines; returns its number. */
static inline unsigned mk_code(struct maker *m, const char *kernel, unsigned regs, const char *text)
{
	char name[64];
	snprintf(name, sizeof name, ".text.%s", kernel);
	unsigned s = mk_section(m, name, MK_PROGBITS, 0x100006, regs << 24);
	struct mk_buf *o = &m->sec[s].d;
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, ";\n");
		struct ninst in;
		char err[200];
		if (n && !native_assemble(m->isa, p, n, (uint32_t)o->n, NULL,
					  m->isa == NATIVE_FERMI ? NSTYLE_CUDA4 : NSTYLE_FULL, &in,
					  err, sizeof err))
			fail_msg("%.*s: %s", (int)n, p, err);
		if (n)
			mk_put(o, in.word, in.size);
		p += n + (p[n] != 0);
	}
	return s;
}

static inline void mk_start(struct maker *m, enum native_isa isa, bool wide, uint32_t flags)
{
	memset(m, 0, sizeof *m);
	m->isa = isa, m->wide = wide, m->flags = flags, m->abi = 4, m->type = 2;
	mk_section(m, "", 0, 0, 0);
	m->shstr = mk_section(m, ".shstrtab", MK_STRTAB, 0, 0);
	m->strtab = mk_section(m, ".strtab", MK_STRTAB, 0, 0);
	m->symtab = mk_section(m, ".symtab", MK_SYMTAB, 0, 0);
	mk_put(&m->sec[m->shstr].d, 0, 1);
	mk_put(&m->sec[m->strtab].d, 0, 1);
	mk_symbol(m, "", 0, 0, 0, 0, 0);
}

/* Parameters of a kernel as KPARAM_INFO, last first; at: offsets and sizes. */
static inline void mk_params(struct maker *m, const char *kernel, uint32_t info_type,
			     const uint16_t (*at)[2], unsigned n)
{
	char name[64];
	snprintf(name, sizeof name, ".nv.info.%s", kernel);
	struct mk_buf *o = &m->sec[mk_section(m, name, info_type, 0, 0)].d;
	uint32_t end = 0;
	mk_put(o, 0x0401, 4);                           /* CTAIDZ_USED: a flag */
	mk_put(o, 0x00047f04, 4), mk_put(o, 0xabcd, 4); /* an attribute nobody knows */
	for (unsigned i = n; i-- > 0;) {
		mk_put(o, 0x000c1704, 4), mk_put(o, 0xffffffff, 4), mk_put(o, i, 2),
			mk_put(o, at[i][0], 2);
		mk_put(o, (uint32_t)at[i][1] << 18 | 0x1f000, 4);
		end = end > (uint32_t)at[i][0] + at[i][1] ? end : (uint32_t)at[i][0] + at[i][1];
	}
	mk_put(o, (m->isa == NATIVE_FERMI ? 0x1903u : 0x1803u) | end << 16, 4);
}

static inline size_t mk_build(struct maker *m, uint8_t *out, size_t max)
{
	unsigned a = m->wide ? 8 : 4, order[40];
	uint32_t name[40] = {0};
	uint64_t off[40] = {0};
	static struct mk_buf o;
	static uint8_t file[1 << 17];
	size_t n = m->wide ? 64 : 52;
	for (unsigned i = 0; i < m->n; i++) {
		name[i] = i ? mk_string(&m->sec[m->shstr].d, m->sec[i].name) : 0;
		order[i] = i;
	}
	for (unsigned i = 1, r = m->seed; m->seed && i < m->n; i++) {
		r = r * 1664525 + 1013904223;
		unsigned k = 1 + (r >> 16) % (m->n - 1), t = order[i];
		order[i] = order[k], order[k] = t;
	}
	for (unsigned i = 1; i < m->n; i++) {
		struct mk_sec *s = &m->sec[order[i]];
		n = m->seed ? n + (i * m->seed) % 7 : (n + 15) & ~(size_t)15;
		off[order[i]] = n;
		if (s->type == MK_NOBITS)
			continue;
		memcpy(file + n, s->d.b, s->d.n);
		n += s->d.n;
	}
	size_t table = (n + 7) & ~(size_t)7;
	o.n = 0;
	for (unsigned i = 0; i < m->n; i++) {
		const struct mk_sec *s = &m->sec[i];
		bool rel = s->type == MK_REL;
		mk_put(&o, name[i], 4), mk_put(&o, s->type, 4), mk_put(&o, s->flags, a),
			mk_put(&o, 0, a), mk_put(&o, off[i], a);
		mk_put(&o, s->type == MK_NOBITS ? s->size : s->d.n, a);
		mk_put(&o,
		       i == m->symtab ? m->strtab
		       : rel          ? m->symtab
				      : 0,
		       4),
			mk_put(&o, s->info, 4), mk_put(&o, i ? 1 : 0, a);
		mk_put(&o, i == m->symtab ? (m->wide ? 24 : 16) : rel ? 2 * a : 0, a);
	}
	memcpy(file + table, o.b, o.n);
	n = table + o.n;
	o.n = 0;
	mk_put(&o, 0x464c457f, 4);
	mk_put(&o, m->wide ? 2 : 1, 1), mk_put(&o, 1, 1), mk_put(&o, 1, 1), mk_put(&o, 0x33, 1),
		mk_put(&o, m->abi, 8);
	mk_put(&o, m->type, 2), mk_put(&o, 190, 2), mk_put(&o, 1, 4), mk_put(&o, 0, a),
		mk_put(&o, 0, a), mk_put(&o, table, a);
	mk_put(&o, m->flags, 4), mk_put(&o, m->wide ? 64 : 52, 2), mk_put(&o, m->wide ? 56 : 32, 2),
		mk_put(&o, 0, 2);
	mk_put(&o, m->wide ? 64 : 40, 2), mk_put(&o, m->n, 2), mk_put(&o, m->shstr, 2);
	memcpy(file, o.b, o.n);
	assert_true(n <= max);
	memcpy(out, file, n);
	return n;
}
#endif
