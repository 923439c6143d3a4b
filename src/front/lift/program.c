/* From the text of gen.c to decoded code: reads it as PTX, puts the control flow back where the
 * placeholders stand, and marks which instructions belong to which native one. */
#include "front/lift/program.h"

#include <stdio.h>
#include "front/ptx/ptx.h"
#include "isa/native.h"
#include "ir/module.h"

static uint32_t find_reg(const struct func *f, const char *name)
{
	for (size_t i = 0; i < f->regs.n; i++)
		if (!strcmp(f->regs.v[i].name, name))
			return (uint32_t)i;
	return NO_REG;
}

/* A placeholder becomes the control operation. Targets are resolved when all starts are known. */
static void make_native(struct module *m, struct func *f, struct inst *in, const struct nctl *c)
{
	char name[8];
	if (c->kind == NCTL_BAR_WAIT) { /* the register is the barrier's number */
		in->op = OP_BAR;
		in->mode = BAR_WAIT;
		in->imm = 0;
		return;
	}
	in->op = OP_NATIVE;
	in->mode = c->kind;
	in->imm = (uint64_t)c->offset;
	in->target = c->target;
	if (c->kind != NCTL_BRX && c->kind < NCTL_LOCK)
		in->ns = 0;
	if (c->kind == NCTL_B2R) { /* the placeholder's source is its result */
		in->nd = 1;
		in->ns = 0;
	}
	if (c->kind != NCTL_LOCK)
		return;
	snprintf(name, sizeof name, c->pred == 7 ? "%%q0" : "%%p%u", c->pred);
	struct opnd *o = ARENA_ARRAY(&m->arena, struct opnd, 2);
	o[0] = (struct opnd){.kind = OPND_PRED, .type = T_PRED, .reg = find_reg(f, name)};
	o[1] = in->opnd[0];
	in->opnd = o;
	in->nd = 1;
}

/* The native instructions of f's code: first index of each, and the marks in the code. */
static struct native_map *mark(struct module *m, const struct nprog *p,
			       const struct nprog_kernel *k, struct func *f, size_t *ctl)
{
	struct native_map *map = ARENA_NEW(&m->arena, struct native_map);
	map->n = k->n;
	map->addr = ARENA_ARRAY(&m->arena, uint32_t, k->n + 1);
	map->index = ARENA_ARRAY(&m->arena, uint32_t, k->n + 1);
	memcpy(map->addr, k->addr, (k->n + 1) * sizeof *map->addr);
	bool *listed = ARENA_ARRAY(&m->arena, bool, k->n + 1);
	memcpy(listed, k->listed, k->n * sizeof *listed);
	map->listed = listed;
	for (uint32_t i = 0; i <= k->n; i++)
		map->index[i] =
			(uint32_t)f->code.n - 1; /* the end: the exit behind the last instruction */
	struct inst *last = NULL;
	for (size_t i = 0; i < f->code.n; i++) {
		struct inst *in = &f->code.v[i];
		uint32_t native = in->line && in->line <= p->nline ? p->line[in->line - 1].inst
								   : (uint32_t)NLINE_NONE;
		in->micro = 1;
		if (in->op == OP_NANOSLEEP)
			make_native(m, f, in, &p->ctl[(*ctl)++]);
		if (native == (uint32_t)NLINE_NONE || native >= k->n) {
			in->native = "";
			continue;
		}
		if (map->index[native] == f->code.n - 1)
			map->index[native] = (uint32_t)i;
		else
			last->micro = 1;
		in->micro = 0; /* the last one counts */
		last = in;
		in->native_pc = k->addr[native];
		in->native = arena_strdup(&m->arena, k->text[native]);
		in->text = native_mnemonic_text(k->mnemonic[native]);
		in->mnemonic = k->mnemonic[native];
	}
	return map;
}

/* Registers of the translation: anything but %r %a %c and %p0 to %p6. */
static void mark_scratch(struct func *f)
{
	for (size_t i = 0; i < f->regs.n; i++) {
		const char *s = f->regs.v[i].name;
		f->regs.v[i].scratch = !(s[1] == 'r' || s[1] == 'a' || s[1] == 'c' ||
					 (s[1] == 'p' && s[2] >= '0' && s[2] <= '9'));
	}
}

static void resolve(struct func *f, const struct native_map *map)
{
	for (size_t i = 0; i < f->code.n; i++) {
		struct inst *in = &f->code.v[i];
		if (in->op == OP_NATIVE)
			in->target = map->index[in->target <= map->n ? in->target : map->n];
	}
}

/* The parameters as the file lists them, in place of the one block the text has. */
static void set_params(struct module *m, struct func *f, const struct nprog_kernel *k)
{
	static const struct {
		uint32_t size;
		uint8_t type;
	} types[] = {{1, T_B8}, {2, T_B16}, {4, T_B32}, {8, T_B64}};
	if (k->untyped)
		return;
	f->proto.param = ARENA_ARRAY(&m->arena, struct var *, k->nparam + 1);
	f->proto.nparam = k->nparam;
	/* clang-format off */
	for (unsigned i = 0; i < k->nparam; i++) {
		struct var *v = ARENA_NEW(&m->arena, struct var);
		*v = (struct var){.name = arena_printf(&m->arena, "param%u", i), .space = SP_PARAM, .type = T_B8, .vec = 1, .align = 1,
				  .size = k->param_size[i], .addr = k->param_at[i], .count = k->param_size[i], .is_array = true, .owner = f};
		/* clang-format on */
		for (size_t t = 0; t < sizeof types / sizeof *types; t++)
			if (types[t].size == v->size) {
				v->type = types[t].type;
				v->align = types[t].size;
				v->count = 1;
				v->is_array = false;
			}
		f->proto.param[i] = v;
	}
}

static struct var *var_named(struct module *m, size_t first, const char *name)
{
	for (size_t i = first; i < m->vars.n; i++)
		if (!m->vars.v[i]->owner && !strcmp(m->vars.v[i]->name, name))
			return m->vars.v[i];
	return NULL;
}

/* The file's variables are parts of its banks and sections, under their own names. */
static void set_symbols(struct module *m, size_t first, const struct nprog *p)
{
	for (size_t i = 0; i < p->nreloc; i++) {
		const struct nprog_reloc *r = &p->reloc[i];
		struct var *v = var_named(m, first, r->var);
		if (v)
			vec_push(&v->reloc, (struct reloc){.offset = r->offset,
							   .size = (uint8_t)r->size,
							   .name = r->of,
							   .var = var_named(m, first, r->of),
							   .addend = r->addend});
	}
	for (size_t i = 0; i < p->nsymbol; i++) {
		const struct nprog_symbol *y = &p->symbol[i];
		struct var *v = var_named(m, first, y->var),
			   *base = y->base ? var_named(m, first, y->base) : NULL;
		if (!v ||
		    (y->base && (!base || y->at > base->size || v->size > base->size - y->at)))
			continue;
		v->name = arena_strdup(&m->arena, y->name);
		if (!base && !y->reference)
			continue;
		v->linkage = y->local || y->reference ? LINK_NONE : LINK_VISIBLE;
		v->part_of = base;
		v->part_at = y->at;
		struct symbol *s = map_get(&m->symbols, v->name);
		if (!s)
			map_put(&m->symbols, v->name, s = ARENA_NEW(&m->arena, struct symbol));
		if (!s->var || s->var->linkage == LINK_EXTERN)
			s->var = v;
	}
}

/* The text's kernel number i; functions that it declares stand among them. */
static struct func *kernel_at(struct module *m, size_t first, unsigned i)
{
	while (first < m->funcs.n && (!m->funcs.v[first]->entry || i--))
		first++;
	return m->funcs.v[first];
}

bool native_program(struct module *m, const char *file, const void *data, size_t n,
		    const char *dialect, struct diag *d)
{
	struct nprog p;
	size_t first = m->funcs.n, first_var = m->vars.n, ctl = 0;
	if (!native_text(&p, file, data, n, dialect, d))
		return false;
	bool ok = ptx_read(m, file, p.text, p.size, d);
	if (ok)
		set_symbols(m, first_var, &p);
	for (unsigned i = 0; ok && i < p.nkernel; i++) {
		struct func *f = kernel_at(m, first, i);
		const struct nprog_kernel *k = &p.kernel[i];
		struct native_map *map = mark(m, &p, k, f, &ctl);
		resolve(f, map);
		mark_scratch(f);
		map->registers = k->registers;
		map->shared_header = k->shared_header;
		map->untyped_params = k->untyped;
		map->pointer_bytes = k->pointer_bytes;
		f->native = map;
		f->name = arena_strdup(&m->arena,
				       k->name); /* any name, not only what PTX can spell */
		set_params(m, f, k);
		memcpy(f->reqntid, k->reqntid, sizeof f->reqntid);
		memcpy(f->maxntid, k->maxntid, sizeof f->maxntid);
	}
	native_text_free(&p);
	return ok;
}
