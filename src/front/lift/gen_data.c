/* The data of a native module as variables of the PTX text.
 *
 *   .nv.constantN            .const nbankN               of a kernel: nbankN_K, of a function nbankN_fF
 *   .nv.global, .global.init .global nglobal, nglobal_init
 *   the file's variables     .extern nsymI               program.c makes them parts of the above
 *   variables of others      .extern nextI               found when modules are linked
 *   textures, surfaces       .texref, .surfref           nsymI; slots without a name: ntexS, nsurfS
 */
#include "front/lift/gen.h"

#include <stdlib.h>
#include <string.h>

/* ---- constant banks ---- */

static const struct nbank *find_bank(const struct nbank *v, size_t n, unsigned bank)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].bank == bank && v[i].size)
			return &v[i];
	return NULL;
}

/* A bank of the function's own hides the kernel's, which hides the module's. */
const char *gen_bank_name(struct ngen *g, unsigned bank)
{
	if (g->code != g->k && find_bank(g->code->bank.v, g->code->bank.n, bank))
		return gen_text(g, "nbank%u_f%zu", bank, (size_t)(g->code - g->m->function.v));
	bool own = find_bank(g->k->bank.v, g->k->bank.n, bank) != NULL;
	return own ? gen_text(g, "nbank%u_%u", bank, g->kernel) : gen_text(g, "nbank%u", bank);
}

bool gen_has_bank(const struct ngen *g, unsigned bank)
{
	return find_bank(g->code->bank.v, g->code->bank.n, bank) ||
	       find_bank(g->k->bank.v, g->k->bank.n, bank) ||
	       find_bank(g->m->bank.v, g->m->bank.n, bank);
}

void gen_no_bank(struct ngen *g)
{
	gen_refuse(
		g,
		g->m->from_text
			? "its constant bank is not in the listing, which has it in .const (disasm --style full prints it)"
			: "its constant bank is not in the file");
}

const uint8_t *gen_bank_bytes(const struct ngen *g, unsigned bank, uint32_t at, uint32_t n)
{
	const struct nbank *b = find_bank(g->code->bank.v, g->code->bank.n, bank);
	b = b ? b : find_bank(g->k->bank.v, g->k->bank.n, bank);
	b = b ? b : find_bank(g->m->bank.v, g->m->bank.n, bank);
	return b && at < b->size && n <= b->size - at ? b->data + at : NULL;
}

static void gen_bytes(struct ngen *g, const char *head, const uint8_t *data, size_t n)
{
	char b[8];
	gen_append(g, head, strlen(head));
	for (size_t i = 0; i < n; i++)
		gen_append(g, b, (size_t)snprintf(b, sizeof b, "%s%u", i ? "," : " = {", data[i]));
	gen_line(g, "};");
}

void gen_banks(struct ngen *g, const struct nbank *v, size_t n, const char *of)
{
	for (size_t i = 0; i < n; i++) {
		if (find_bank(v, n, v[i].bank) != &v[i])
			continue;
		gen_bytes(g,
			  gen_text(g, ".const .align 16 .b8 nbank%u%s[%zu]", v[i].bank, of,
				   v[i].size),
			  v[i].data, v[i].size);
	}
}

/* ---- variables ---- */

const char *gen_section_var(struct ngen *g, const char *section)
{
	static const char bank[] = ".nv.constant";
	char *end;
	if (!section)
		return NULL;
	if (!strcmp(section, ".nv.global"))
		return g->m->global_size ? "nglobal" : NULL;
	if (!strcmp(section, ".nv.global.init"))
		return g->m->global_init_size ? "nglobal_init" : NULL;
	if (strncmp(section, bank, sizeof bank - 1))
		return NULL;
	unsigned long n = strtoul(section + sizeof bank - 1, &end, 10);
	if (!*end)
		return find_bank(g->m->bank.v, g->m->bank.n, (unsigned)n)
			       ? gen_text(g, "nbank%lu", n)
			       : NULL;
	for (size_t i = 0; i < g->m->kernel.n; i++)
		if (!strcmp(g->m->kernel.v[i].name, end + 1) &&
		    find_bank(g->m->kernel.v[i].bank.v, g->m->kernel.v[i].bank.n, (unsigned)n))
			return gen_text(g, "nbank%lu_%zu", n, i);
	for (size_t i = 0; i < g->m->function.n; i++)
		if (!strcmp(g->m->function.v[i].name, end + 1) &&
		    find_bank(g->m->function.v[i].bank.v, g->m->function.v[i].bank.n, (unsigned)n))
			return gen_text(g, "nbank%lu_f%zu", n, i);
	return NULL;
}

static bool is_variable(struct ngen *g, const struct nsymbol *y)
{
	return y->kind == NSYM_OBJECT && y->size && gen_section_var(g, y->section);
}

const char *gen_symbol(struct ngen *g, const char *name)
{
	for (size_t i = 0; i < g->m->symbol.n; i++)
		if (!strcmp(g->m->symbol.v[i].name, name) && is_variable(g, &g->m->symbol.v[i]))
			return gen_text(g, "nsym%zu", i);
	for (size_t i = 0; i < g->external.n; i++)
		if (!strcmp(g->external.v[i], name))
			return gen_text(g, "next%zu", i);
	return gen_section_var(g, name); /* the symbol of a section */
}

/* Kernels, then functions; NULL: no more. */
static const struct nkernel *code_at(const struct nmodule *m, size_t i)
{
	return i < m->kernel.n                   ? &m->kernel.v[i]
	       : i - m->kernel.n < m->function.n ? &m->function.v[i - m->kernel.n]
						 : NULL;
}

/* ---- textures and surfaces ---- */

static bool is_reference(const struct nsymbol *y)
{
	return y->kind == NSYM_TEXTURE || y->kind == NSYM_SURFACE;
}

static const struct nsymbol *reference_at(const struct ngen *g, unsigned slot, bool is_surface,
					  size_t *at)
{
	for (*at = 0; *at < g->m->symbol.n; ++*at) {
		const struct nsymbol *y = &g->m->symbol.v[*at];
		if (is_reference(y) && (y->kind == NSYM_SURFACE) == is_surface && y->slot == slot)
			return y;
	}
	return NULL;
}

const char *gen_texture(struct ngen *g, unsigned slot, bool is_surface)
{
	size_t i;
	return reference_at(g, slot, is_surface, &i)
		       ? gen_text(g, "nsym%zu", i)
		       : gen_text(g, is_surface ? "nsurf%u" : "ntex%u", slot);
}

bool gen_has_texture(const struct ngen *g, unsigned slot, bool is_surface)
{
	const struct nkernel *k;
	bool surface;
	size_t at;
	if (reference_at(g, slot, is_surface, &at))
		return true;
	for (size_t c = 0; (k = code_at(g->m, c)); c++)
		for (size_t i = 0; i < k->ninst; i++)
			if (gen_texture_slot(&k->inst[i], &surface) == (int)slot &&
			    surface == is_surface)
				return true;
	return false;
}

static void declare_references(struct ngen *g)
{
	bool seen[2][GEN_SLOTS] = {{false}}, is_surface;
	size_t at;
	for (size_t i = 0; i < g->m->symbol.n; i++)
		if (is_reference(&g->m->symbol.v[i]))
			gen_line(g, ".global %s nsym%zu;",
				 g->m->symbol.v[i].kind == NSYM_SURFACE ? ".surfref" : ".texref",
				 i);
	const struct nkernel *k;
	for (size_t c = 0; (k = code_at(g->m, c)); c++)
		for (size_t i = 0; i < k->ninst; i++) {
			int slot = gen_texture_slot(&k->inst[i], &is_surface);
			if (slot < 0 || seen[is_surface][slot] ||
			    reference_at(g, (unsigned)slot, is_surface, &at))
				continue;
			seen[is_surface][slot] = true;
			gen_line(g, ".global %s %s;", is_surface ? ".surfref" : ".texref",
				 gen_texture(g, (unsigned)slot, is_surface));
		}
}

/* The locks of global memory, one table for all files of a load. */
static void declare_locks(struct ngen *g)
{
	const struct nkernel *k;
	for (size_t c = 0; (k = code_at(g->m, c)); c++)
		for (size_t i = 0; i < k->ninst; i++) {
			unsigned op = k->inst[i].op;
			if (op != NI_LDLK && op != NI_STUL)
				continue;
			gen_line(g, ".weak .global .align 4 .b32 nlocks[%u];", GEN_LOCKS);
			return;
		}
}

static void need(struct ngen *g, const struct nreloc *r)
{
	if (r->symbol[0] && r->symbol[0] != '.' && !gen_symbol(g, r->symbol))
		vec_push(&g->external, r->symbol);
}

/* Is it the address of a function that is called? */
static bool is_call(const struct nkernel *k, const struct nreloc *r)
{
	for (size_t i = 0; i < k->ninst; i++)
		if (k->inst[i].pc == r->offset)
			return k->inst[i].op == NI_JCAL;
	return false;
}

void gen_module_data(struct ngen *g)
{
	const struct nmodule *m = g->m;
	const struct nkernel *k;
	gen_banks(g, m->bank.v, m->bank.n, "");
	for (size_t i = 0; i < m->function.n; i++)
		gen_banks(g, m->function.v[i].bank.v, m->function.v[i].bank.n,
			  gen_text(g, "_f%zu", i));
	if (m->global_init_size)
		gen_bytes(g,
			  gen_text(g, ".global .align 256 .b8 nglobal_init[%zu]",
				   m->global_init_size),
			  m->global_init, m->global_init_size);
	if (m->global_size)
		gen_line(g, ".global .align 256 .b8 nglobal[%zu];", m->global_size);
	for (size_t i = 0; i < m->symbol.n; i++)
		if (is_variable(g, &m->symbol.v[i]))
			gen_line(g, ".extern %s .align 1 .b8 nsym%zu[%llu];",
				 gen_section_var(g, m->symbol.v[i].section)[1] == 'b' ? ".const"
										      : ".global",
				 i, (unsigned long long)m->symbol.v[i].size);
	declare_references(g);
	declare_locks(g);
	for (size_t i = 0; i < m->reloc.n; i++)
		need(g, &m->reloc.v[i]);
	for (size_t c = 0; (k = code_at(m, c)); c++)
		for (size_t i = 0; i < k->reloc.n; i++)
			if (is_call(k, &k->reloc.v[i]))
				gen_builtin_declare(g, k->reloc.v[i].symbol);
			else
				need(g, &k->reloc.v[i]);
	for (size_t i = 0; i < g->external.n; i++)
		gen_line(g, ".extern .global .align 1 .b8 next%zu[];", i);
}

const char *gen_reloc_word(struct ngen *g)
{
	const struct nreloc *r = g->reloc;
	const char *d = gen_d(g), *lo = gen_t(g), *hi = gen_t(g);
	int64_t add = r->addend + (int32_t)(g->in->word >> 26 & 0xffffffff);
	gen(g, "mov.u64 %s, %s", d, gen_symbol(g, r->symbol));
	if (add)
		gen(g, "add.s64 %s, %s, %lld", d, d, (long long)add);
	gen(g, "mov.b64 {%s, %s}, %s", lo, hi, d);
	return r->type == NREL_ABS32_HI_26 ? hi : lo;
}

/* ---- what program.c must know ---- */

void gen_describe_data(struct ngen *g, struct nprog *p)
{
	const struct nmodule *m = g->m;
	struct nprog_symbol *s =
		ARENA_ARRAY(&p->arena, struct nprog_symbol, m->symbol.n + g->external.n + 1);
	struct nprog_reloc *r = ARENA_ARRAY(&p->arena, struct nprog_reloc, m->reloc.n + 1);
	for (size_t i = 0; i < m->symbol.n; i++)
		if (is_variable(g, &m->symbol.v[i]))
			s[p->nsymbol++] = (struct nprog_symbol){
				arena_strdup(&p->arena, m->symbol.v[i].name),
				arena_printf(&p->arena, "nsym%zu", i),
				arena_strdup(&p->arena, gen_section_var(g, m->symbol.v[i].section)),
				m->symbol.v[i].value,
				m->symbol.v[i].local,
				false};
		else if (is_reference(&m->symbol.v[i]))
			s[p->nsymbol++] =
				(struct nprog_symbol){arena_strdup(&p->arena, m->symbol.v[i].name),
						      arena_printf(&p->arena, "nsym%zu", i),
						      NULL,
						      0,
						      false,
						      true};
	for (size_t i = 0; i < g->external.n; i++)
		s[p->nsymbol++] = (struct nprog_symbol){arena_strdup(&p->arena, g->external.v[i]),
							arena_printf(&p->arena, "next%zu", i),
							NULL,
							0,
							false,
							false};
	for (size_t i = 0; i < m->reloc.n; i++) {
		const char *in = gen_section_var(g, m->reloc.v[i].section),
			   *of = gen_symbol(g, m->reloc.v[i].symbol);
		if (in && of)
			r[p->nreloc++] = (struct nprog_reloc){
				arena_strdup(&p->arena, in), arena_strdup(&p->arena, of),
				(uint32_t)m->reloc.v[i].offset, m->reloc.v[i].size,
				m->reloc.v[i].addend};
	}
	p->symbol = s;
	p->reloc = r;
}
