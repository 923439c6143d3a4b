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
	vec_free(&m->vars);
	vec_free(&m->funcs);
	vec_free(&m->files);
	vec_free(&m->texts);
	map_free(&m->symbols);
	arena_free(&m->arena);
	free(m);
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
