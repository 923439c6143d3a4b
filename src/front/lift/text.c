/* A native file as PTX text with its map: see program.h. */
#include <stdlib.h>
#include <string.h>
#include "front/lift/gen.h"
#include "isa/table.h"

bool native_recognise(const void *data, size_t n)
{
	const char *s = data;
	if (n >= 4 && (!memcmp(s, "\177ELF", 4) || !memcmp(s, native_fat_magic, 4)))
		return true;
	/* PTX begins with .version, a listing never does; look at the first word that is no comment. */
	for (size_t i = 0; i < n;) {
		if (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
			i++;
		} else if (n - i > 1 && s[i] == '/' && s[i + 1] == '/') {
			while (i < n && s[i] != '\n')
				i++;
		} else if (n - i > 1 && s[i] == '/' && s[i + 1] == '*') {
			size_t end = i + 2;
			while (end + 1 < n && !(s[end] == '*' && s[end + 1] == '/'))
				end++;
			/* an address comment is part of a listing */
			bool hex = end > i + 2 && end - i <= 10;
			for (size_t k = i + 2; k < end; k++)
				hex &= (s[k] >= '0' && s[k] <= '9') || (s[k] >= 'a' && s[k] <= 'f');
			if (hex)
				return true;
			i = end + 2;
		} else {
			static const char *const first[] = {
				"code for sm_", "Function",   "architecture", "abiversion",
				"Fatbin elf",   "Fatbin ptx", ".headerflags", "arch =",
				"32bit elf:",   "64bit elf:", "32-bit ELF:",  "64-bit ELF:"};
			for (size_t k = 0; k < sizeof first / sizeof *first; k++)
				if (n - i >= strlen(first[k]) &&
				    !memcmp(s + i, first[k], strlen(first[k])))
					return true;
			return false;
		}
	}
	return false;
}

/* How wide are a listing's addresses? By the accesses that are there. */
static unsigned pointer_bytes(const struct nmodule *m, const struct nkernel *k)
{
	if (m->addr_known || m->isa == NATIVE_TESLA)
		return m->addr64 ? 8 : 4;
	for (size_t i = 0; i < k->ninst; i++)
		if (k->inst[i].mod[NM_E])
			return 8;
	return 4;
}

static unsigned registers_of(const struct nkernel *k)
{
	unsigned most = 0;
	for (size_t i = 0; i < k->ninst && !k->regs_known; i++) {
		unsigned r = native_regs(&k->inst[i]);
		most = r > most ? r : most;
	}
	return k->regs_known ? k->regs : most;
}

/* Does the code read parameters that the file does not list? */
static bool reads_params(const struct nmodule *m, const struct nkernel *k)
{
	if (m->from_text || k->param_size ||
	    m->isa == NATIVE_TESLA) /* Tesla: in shared memory, like everything */
		return true;
	for (size_t i = 0; i < k->ninst; i++)
		for (unsigned j = 0; j < k->inst[i].nop; j++) {
			const struct nop *o = &k->inst[i].o[j];
			if (o->kind == NO_CONST && o->bank == 0 && o->off >= 0x20)
				return true;
		}
	return false;
}

/* Is a word of the code's own constants the address? Tables of branch targets are such. */
static bool in_constants(const struct nkernel *c, uint32_t addr)
{
	for (size_t b = 0; b < c->bank.n; b++)
		for (size_t i = 0; i + 4 <= c->bank.v[b].size; i += 4) {
			const uint8_t *p = c->bank.v[b].data + i;
			if ((p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
			     (uint32_t)p[3] << 24) == addr)
				return true;
		}
	return false;
}

static void describe(struct nprog *p, const struct nmodule *m, const struct nkernel *k,
		     struct nprog_kernel *out)
{
	const struct nkernel *c;
	uint32_t n = 0, end = 0;
	for (size_t i = 0; (c = native_part(m, k, i)); i++)
		n += (uint32_t)c->ninst;
	uint32_t *addr = ARENA_ARRAY(&p->arena, uint32_t, n + 1);
	const char **text = ARENA_ARRAY(&p->arena, const char *, n + 1);
	uint16_t *mnem = ARENA_ARRAY(&p->arena, uint16_t, n + 1);
	unsigned registers = 0;
	uint32_t *at = ARENA_ARRAY(&p->arena, uint32_t, k->nparam + 1),
		 *size = ARENA_ARRAY(&p->arena, uint32_t, k->nparam + 1);
	bool known = k->nparam > 0, *listed = ARENA_ARRAY(&p->arena, bool, n + 1);
	n = 0;
	for (size_t i = 0; (c = native_part(m, k, i)); i++) {
		for (size_t j = 0; j < c->ninst; j++, n++) {
			char buf[256];
			native_print(&c->inst[j], NSTYLE_FULL, buf, sizeof buf);
			addr[n] = c->base + c->inst[j].pc;
			text[n] = arena_strdup(&p->arena, buf);
			mnem[n] = (uint16_t)native_mnemonic(&c->inst[j]);
			listed[n] = in_constants(c, c->inst[j].pc);
		}
		end = c->base + (uint32_t)c->size;
		registers = registers_of(c) > registers ? registers_of(c) : registers;
	}
	addr[n] = end;
	/* clang-format off */
	for (unsigned i = 0; i < k->nparam; i++) {
		at[i] = k->param[i].offset;
		size[i] = k->param[i].size;
		known &= size[i] != 0;
	}
	*out = (struct nprog_kernel){.name = arena_strdup(&p->arena, k->name), .n = n, .addr = addr, .text = text,
				     .mnemonic = mnem, .listed = listed, .registers = registers, .nparam = known ? k->nparam : 0, .param_at = at,
				     .param_size = size, .untyped = !known && reads_params(m, k),
				     .pointer_bytes = pointer_bytes(m, k), .shared_header = m->isa == NATIVE_TESLA};
	/* clang-format on */
	memcpy(out->reqntid, k->reqntid, sizeof out->reqntid);
	memcpy(out->maxntid, k->max_threads, sizeof out->maxntid);
}

bool native_text(struct nprog *p, const char *file, const void *data, size_t n, const char *dialect,
		 struct diag *d)
{
	struct nmodule m = {0};
	*p = (struct nprog){0};
	if (!native_text_dialect(&m, dialect, d) || !native_read(&m, file, data, n, d)) {
		native_module_free(&m);
		return false;
	}
	struct ngen g = {.m = &m, .d = d, .file = file};
	bool ok = gen_module(&g);
	if (ok) {
		struct nprog_kernel *k =
			ARENA_ARRAY(&p->arena, struct nprog_kernel, m.kernel.n + 1);
		struct nline *line = ARENA_ARRAY(&p->arena, struct nline, g.line.n + 1);
		struct nctl *ctl = ARENA_ARRAY(&p->arena, struct nctl, g.ctl.n + 1);
		memcpy(line, g.line.v, g.line.n * sizeof *line);
		if (g.ctl.n)
			memcpy(ctl, g.ctl.v, g.ctl.n * sizeof *ctl);
		for (size_t i = 0; i < m.kernel.n; i++)
			describe(p, &m, &m.kernel.v[i], &k[i]);
		gen_describe_data(&g, p);
		p->text = g.text;
		p->size = g.n;
		g.text = NULL;
		p->line = line;
		p->nline = g.line.n;
		p->ctl = ctl;
		p->nctl = g.ctl.n;
		p->kernel = k;
		p->nkernel = (unsigned)m.kernel.n;
	}
	gen_free(&g);
	native_module_free(&m);
	if (!ok)
		native_text_free(p);
	return ok;
}

void native_text_free(struct nprog *p)
{
	free(p->text);
	arena_free(&p->arena);
	*p = (struct nprog){0};
}
