/* The data of a native module as variables.
 *
 *   .nv.constantN            constant memory nbankN; a kernel's nbankN_K, a function's nbankN_fF
 *   .nv.global, .global.init global memory nglobal, nglobal_init
 *   the file's variables     parts of the above, under their own names
 *   variables of others      extern; found when modules are linked
 *   textures, surfaces       references under their own names; slots without one: ntexS, nsurfS
 */
#include "lift/gen.h"

#include <stdlib.h>
#include <string.h>

/* The constant banks of a piece of code, or of the module, and their variables. */
struct banks {
	const struct nbank *v;
	size_t n;
	struct var **var; /* per entry of v: its variable; NULL: not created yet, or empty */
};

/* ---- variables ---- */

static struct var *new_var(struct ngen *g, const char *name, unsigned space, unsigned linkage,
			   uint32_t align, uint64_t size)
{
	struct var *v = ARENA_NEW(&g->out->arena, struct var);
	*v = (struct var){.name = arena_strdup(&g->out->arena, name),
			  .space = (uint8_t)space,
			  .type = T_B8,
			  .linkage = (uint8_t)linkage,
			  .vec = 1,
			  .align = align,
			  .size = size,
			  .count = (uint32_t)(size < UINT32_MAX ? size : UINT32_MAX),
			  .is_array = true,
			  .text_name = g->out_file};
	if (size > module_space_limit(space)) {
		diag_error(g->d, "%s: '%s' is too large: a variable there has at most %llu bytes",
			   g->file, name, (unsigned long long)module_space_limit(space));
		g->bad = true;
	}
	return v;
}

struct var *gen_var(struct ngen *g, const char *name, unsigned space, uint32_t align, uint64_t size)
{
	struct var *v = new_var(g, name, space, LINK_NONE, align, size);
	v->owner = g->f;
	return v;
}

/* Adds a variable at module scope. */
static struct var *add_var(struct ngen *g, const char *name, unsigned space, uint32_t align,
			   uint64_t size)
{
	struct var *v = new_var(g, name, space, LINK_NONE, align, size);
	module_add_var(g->out, v);
	module_name_var(g->out, v);
	return v;
}

static void set_bytes(struct ngen *g, struct var *v, const uint8_t *data)
{
	if (g->bad)
		return;
	v->init = ARENA_ARRAY(&g->out->arena, uint8_t, v->size);
	memcpy(v->init, data, v->size);
}

/* ---- constant banks ---- */

static const struct nbank *find_bank(const struct nbank *v, size_t n, unsigned bank)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].bank == bank && v[i].size)
			return &v[i];
	return NULL;
}

static const struct nbank *bank_in(const struct banks *b, unsigned bank)
{
	return find_bank(b->v, b->n, bank);
}

/* The banks in which the code finds this number: a function's bank hides the kernel's, which hides
 * the module's. */
static const struct banks *banks_with(const struct ngen *g, unsigned bank)
{
	const struct nmodule *m = g->m;
	const struct banks *kernel = &g->banks[1 + (g->k - m->kernel.v)], *own = kernel;
	if (g->code != g->k)
		own = &g->banks[1 + m->kernel.n + (size_t)(g->code - m->function.v)];
	return bank_in(own, bank)        ? own
	       : bank_in(kernel, bank)   ? kernel
	       : bank_in(g->banks, bank) ? g->banks
					 : NULL;
}

struct var *gen_bank(struct ngen *g, unsigned bank)
{
	const struct banks *b = banks_with(g, bank);
	return b ? b->var[bank_in(b, bank) - b->v] : NULL;
}

void gen_no_bank(struct ngen *g)
{
	gen_refuse(
		g, "%s",
		g->m->from_text
			? "its constant bank is not in the listing, which has it in .const (disasm --style full prints it)"
			: "its constant bank is not in the file");
}

const uint8_t *gen_bank_bytes(const struct ngen *g, unsigned bank, uint32_t at, uint32_t n)
{
	const struct banks *from = banks_with(g, bank);
	const struct nbank *b = from ? bank_in(from, bank) : NULL;
	return b && at < b->size && n <= b->size - at ? b->data + at : NULL;
}

static void collect_banks(struct ngen *g, size_t i, const struct nbank *v, size_t n)
{
	g->banks[i] = (struct banks){v, n, ARENA_ARRAY(&g->arena, struct var *, n + 1)};
}

static void add_banks(struct ngen *g, const struct banks *b, const char *of)
{
	for (size_t i = 0; i < b->n; i++) {
		char name[64];
		if (bank_in(b, b->v[i].bank) != &b->v[i])
			continue;
		snprintf(name, sizeof name, "nbank%u%s", b->v[i].bank, of);
		b->var[i] = add_var(g, name, SP_CONST, 16, b->v[i].size);
		set_bytes(g, b->var[i], b->v[i].data);
	}
}

void gen_kernel_banks(struct ngen *g, size_t kernel)
{
	char of[32];
	snprintf(of, sizeof of, "_%zu", kernel);
	add_banks(g, &g->banks[1 + kernel], of);
}

/* ---- sections and symbols ---- */

static struct var **bank_place(const struct banks *b, unsigned bank)
{
	const struct nbank *found = bank_in(b, bank);
	return found ? &b->var[found - b->v] : NULL;
}

/* The place of the variable that holds a section's data; NULL: no variable holds the section. */
static struct var **section_var(struct ngen *g, const char *section)
{
	static const char bank[] = ".nv.constant";
	const struct nmodule *m = g->m;
	char *end;
	if (!section)
		return NULL;
	if (!strcmp(section, ".nv.global"))
		return m->global_size ? &g->global : NULL;
	if (!strcmp(section, ".nv.global.init"))
		return m->global_init_size ? &g->global_init : NULL;
	if (strncmp(section, bank, sizeof bank - 1))
		return NULL;
	unsigned n = (unsigned)strtoul(section + sizeof bank - 1, &end, 10);
	if (!*end)
		return bank_place(g->banks, n);
	for (size_t i = 0; i < m->kernel.n + m->function.n; i++) {
		const struct nkernel *k =
			i < m->kernel.n ? &m->kernel.v[i] : &m->function.v[i - m->kernel.n];
		if (!strcmp(k->name, end + 1) && bank_place(&g->banks[1 + i], n))
			return bank_place(&g->banks[1 + i], n);
	}
	return NULL;
}

static bool is_variable(struct ngen *g, const struct nsymbol *y)
{
	return y->kind == NSYM_OBJECT && y->size && section_var(g, y->section);
}

struct var *gen_symbol(struct ngen *g, const char *name)
{
	for (size_t i = 0; i < g->m->symbol.n; i++)
		if (!strcmp(g->m->symbol.v[i].name, name) && is_variable(g, &g->m->symbol.v[i]))
			return g->symbol[i];
	for (size_t i = 0; i < g->external.n; i++)
		if (!strcmp(g->external.v[i]->name, name))
			return g->external.v[i];
	struct var **v = section_var(g, name); /* the symbol denotes a section */
	return v ? *v : NULL;
}

static void add_symbols(struct ngen *g)
{
	const struct nmodule *m = g->m;
	g->symbol = ARENA_ARRAY(&g->arena, struct var *, m->symbol.n + 1);
	for (size_t i = 0; i < m->symbol.n; i++) {
		const struct nsymbol *y = &m->symbol.v[i];
		if (!is_variable(g, y))
			continue;
		bool global = !strncmp(y->section, ".nv.global", 10);
		g->symbol[i] =
			new_var(g, y->name, global ? SP_GLOBAL : SP_CONST, LINK_EXTERN, 1, y->size);
		module_add_var(g->out, g->symbol[i]);
	}
}

/* Code number i of the file, kernels first, then functions; NULL: no more. */
static const struct nkernel *code_at(const struct nmodule *m, size_t i)
{
	return i < m->kernel.n                   ? &m->kernel.v[i]
	       : i - m->kernel.n < m->function.n ? &m->function.v[i - m->kernel.n]
						 : NULL;
}

/* ---- textures, surfaces, locks ---- */

static bool is_reference(const struct nsymbol *y)
{
	return y->kind == NSYM_TEXTURE || y->kind == NSYM_SURFACE;
}

static struct var *add_reference(struct ngen *g, const char *name, bool is_surface)
{
	struct var *v = new_var(g, name, SP_GLOBAL, LINK_NONE, 8, 8);
	v->type = is_surface ? T_SURFREF : T_TEXREF;
	v->count = 1;
	v->is_array = false;
	module_add_var(g->out, v);
	return v;
}

/* Adds texture objects: `.objects` is the slot of the first; `.param+OFFSET` is the slot whose
 * handle is that parameter. */
static bool add_object(struct ngen *g, const struct nsymbol *y)
{
	static const char param[] = ".param+";
	bool is_surface = y->kind == NSYM_SURFACE;
	if (y->slot >= GEN_SLOTS)
		return false;
	if (!strcmp(y->name, ".objects"))
		g->objects[is_surface] = y->slot + 1;
	else if (!is_surface && !strncmp(y->name, param, sizeof param - 1))
		g->object_at[y->slot] = (uint32_t)strtoul(y->name + sizeof param - 1, NULL, 0) + 1;
	else
		return false;
	return true;
}

/* Adds the references that the file names, then references for the other slots that instructions
 * use. */
static void add_references(struct ngen *g)
{
	const struct nmodule *m = g->m;
	const struct nkernel *k;
	bool is_surface;
	for (size_t i = 0; i < m->symbol.n; i++) {
		const struct nsymbol *y = &m->symbol.v[i];
		if (!is_reference(y) || add_object(g, y))
			continue;
		is_surface = y->kind == NSYM_SURFACE;
		g->symbol[i] = add_reference(g, y->name, is_surface);
		if (y->slot < GEN_SLOTS && !g->slot[is_surface][y->slot])
			g->slot[is_surface][y->slot] = g->symbol[i];
	}
	for (size_t c = 0; (k = code_at(m, c)); c++)
		for (size_t i = 0; i < k->ninst; i++) {
			int slot = gen_texture_slot(&k->inst[i], &is_surface);
			char name[32];
			if (slot < 0 || g->slot[is_surface][slot] ||
			    gen_texture_is_object(g, (unsigned)slot, is_surface))
				continue;
			snprintf(name, sizeof name, "n%s%d", is_surface ? "surf" : "tex", slot);
			g->slot[is_surface][slot] = add_reference(g, name, is_surface);
			module_name_var(g->out, g->slot[is_surface][slot]);
		}
}

/* Adds the locks of global memory: one table for all files that are loaded together. */
static void add_locks(struct ngen *g)
{
	const struct nkernel *k;
	for (size_t c = 0; (k = code_at(g->m, c)); c++)
		for (size_t i = 0; i < k->ninst; i++) {
			unsigned op = k->inst[i].op;
			if (op != NI_LDLK && op != NI_STUL)
				continue;
			g->locks = new_var(g, "nlocks", SP_GLOBAL, LINK_WEAK, 4, GEN_LOCKS * 4);
			g->locks->type = T_B32;
			g->locks->count = GEN_LOCKS;
			module_add_var(g->out, g->locks);
			module_name_var(g->out, g->locks);
			return;
		}
}

/* ---- variables and functions of other files ---- */

static void need_external(struct ngen *g, const struct nreloc *r)
{
	if (!r->symbol[0] || r->symbol[0] == '.' || gen_symbol(g, r->symbol))
		return;
	struct var *v = new_var(g, r->symbol, SP_GLOBAL, LINK_EXTERN, 1, 0);
	v->unsized = true;
	vec_push(&g->external, v);
}

/* True for the address of a function that is called. */
static bool is_call(const struct nkernel *k, const struct nreloc *r)
{
	for (size_t i = 0; i < k->ninst; i++)
		if (k->inst[i].pc == r->offset)
			return k->inst[i].op == NI_JCAL;
	return false;
}

static void add_others(struct ngen *g)
{
	const struct nmodule *m = g->m;
	const struct nkernel *k;
	for (size_t i = 0; i < m->reloc.n; i++)
		need_external(g, &m->reloc.v[i]);
	for (size_t c = 0; (k = code_at(m, c)); c++)
		for (size_t i = 0; i < k->reloc.n; i++)
			if (is_call(k, &k->reloc.v[i]))
				gen_builtin_declare(g, k->reloc.v[i].symbol);
			else
				need_external(g, &k->reloc.v[i]);
	for (size_t i = 0; i < g->external.n; i++)
		module_add_var(g->out, g->external.v[i]);
}

/* ---- the whole module ---- */

void gen_module_data(struct ngen *g)
{
	const struct nmodule *m = g->m;
	size_t nk = m->kernel.n, nf = m->function.n;
	char of[32];
	g->banks = ARENA_ARRAY(&g->arena, struct banks, 1 + nk + nf);
	collect_banks(g, 0, m->bank.v, m->bank.n);
	for (size_t i = 0; i < nk + nf; i++)
		collect_banks(g, 1 + i, code_at(m, i)->bank.v, code_at(m, i)->bank.n);
	add_banks(g, g->banks, "");
	for (size_t i = 0; i < nf; i++) {
		snprintf(of, sizeof of, "_f%zu", i);
		add_banks(g, &g->banks[1 + nk + i], of);
	}
	if (m->global_init_size) {
		g->global_init = add_var(g, "nglobal_init", SP_GLOBAL, 256, m->global_init_size);
		set_bytes(g, g->global_init, m->global_init);
	}
	if (m->global_size)
		g->global = add_var(g, "nglobal", SP_GLOBAL, 256, m->global_size);
	add_symbols(g);
	add_references(g);
	add_locks(g);
	add_others(g);
}

/* Makes a variable of the file part of its section's variable. A symbol outside the section stays
 * undefined. */
static void place_symbol(struct ngen *g, const struct nsymbol *y, struct var *v)
{
	const struct var *base = is_reference(y) ? NULL : *section_var(g, y->section);
	if (!is_reference(y)) {
		if (!base || y->value > base->size || v->size > base->size - y->value)
			return;
		v->linkage = y->local ? LINK_NONE : LINK_VISIBLE;
		v->part_of = base;
		v->part_at = y->value;
	}
	module_name_var(g->out, v);
}

void gen_finish_data(struct ngen *g)
{
	const struct nmodule *m = g->m;
	for (size_t i = 0; i < m->reloc.n; i++) {
		const struct nreloc *r = &m->reloc.v[i];
		struct var **in = section_var(g, r->section), *of = gen_symbol(g, r->symbol);
		if (in && *in && of)
			vec_push(&(*in)->reloc, (struct reloc){.offset = (uint32_t)r->offset,
							       .size = (uint8_t)r->size,
							       .name = of->name,
							       .var = of,
							       .addend = r->addend});
	}
	for (size_t i = 0; i < m->symbol.n; i++)
		if (g->symbol[i])
			place_symbol(g, &m->symbol.v[i], g->symbol[i]);
}

struct opnd gen_reloc_word(struct ngen *g)
{
	const struct nreloc *r = g->reloc;
	struct opnd d = gen_d(g), lo = gen_t(g), hi = gen_t(g);
	int64_t add = r->addend + (int32_t)(g->in->word >> 26 & 0xffffffff);
	gen(g, OP_MOV, T_U64, d, val_var(gen_symbol(g, r->symbol)));
	if (add)
		gen(g, OP_ADD, T_S64, d, d, imm((uint64_t)add));
	gen_unpack(g, lo, hi, d);
	return r->type == NREL_ABS32_HI_26 ? hi : lo;
}
