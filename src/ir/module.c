#include "ir/module.h"

struct module *module_new(void)
{
	struct module *m = xcalloc(1, sizeof *m);
	m->address_size = 64;
	return m;
}

void module_free(struct module *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->vars.n; i++)
		vec_free(&m->vars.v[i]->reloc);
	for (size_t i = 0; i < m->funcs.n; i++) {
		struct func *f = m->funcs.v[i];
		vec_free(&f->regs);
		vec_free(&f->code);
		vec_free(&f->targets);
		vec_free(&f->calls);
		vec_free(&f->vars);
	}
	for (size_t i = 0; i < m->texts.n; i++)
		free(m->texts.v[i]);
	for (size_t i = 0; i < m->parts.n; i++)
		m->parts.v[i].free(m->parts.v[i].p);
	vec_free(&m->parts);
	vec_free(&m->vars);
	vec_free(&m->funcs);
	vec_free(&m->files);
	vec_free(&m->inlined);
	vec_free(&m->texts);
	map_free(&m->symbols);
	arena_free(&m->arena);
	free(m);
}

void module_add_var(struct module *m, struct var *v)
{
	v->index = (uint32_t)m->vars.n;
	vec_push(&m->vars, v);
}

void module_add_func(struct module *m, struct func *f)
{
	f->index = (uint32_t)m->funcs.n;
	f->module = m;
	vec_push(&m->funcs, f);
}

static struct symbol *symbol_of(struct module *m, const char *name)
{
	struct symbol *s = map_get(&m->symbols, name);
	if (!s)
		map_put(&m->symbols, name, s = ARENA_NEW(&m->arena, struct symbol));
	return s;
}

void module_name_var(struct module *m, struct var *v)
{
	struct symbol *s = symbol_of(m, v->name);
	if (!s->var || s->var->linkage == LINK_EXTERN)
		s->var = v;
}

void module_name_func(struct module *m, struct func *f)
{
	struct symbol *s = symbol_of(m, f->name);
	if (!s->func)
		s->func = f;
}

uint64_t module_space_limit(unsigned space)
{
	switch (space) {
	case SP_GLOBAL: return UINT64_C(1) << 40;
	case SP_CONST: return UINT64_C(1) << 30;
	default: return UINT64_C(1) << 24;
	}
}

struct func *module_kernel(const struct module *m, const char *name)
{
	struct symbol *s = map_get(&m->symbols, name);
	return s && s->func && s->func->entry ? s->func : NULL;
}

struct var *module_var(const struct module *m, const char *name)
{
	struct symbol *s = map_get(&m->symbols, name);
	return s ? s->var : NULL;
}

bool func_reads(const struct func *f, uint32_t reg)
{
	for (size_t i = 0; i < f->code.n; i++) {
		const struct inst *in = &f->code.v[i];
		for (unsigned k = 0; k < in->ns; k++) {
			const struct opnd *o = inst_src(in, k);
			if ((o->kind == OPND_REG || o->kind == OPND_MEM) && o->reg == reg)
				return true;
		}
	}
	return false;
}
