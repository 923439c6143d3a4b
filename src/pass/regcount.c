#include "pass/regcount.h"

#include "pass/pressure.h"

unsigned live_regs_max(const struct func *f, const struct live *l)
{
	size_t points = 2 * f->code.n + 2;
	int32_t *step = xcalloc(points + 1, sizeof *step), now = 0, most = 0;
	for (uint32_t r = 0; r < l->nregs; r++) {
		int32_t k = (int32_t)type_rows(f->regs.v[r].type);
		for (uint32_t i = l->at[r]; i < l->at[r + 1]; i++) {
			step[l->seg[i].from] += k;
			step[l->seg[i].to] -= k;
		}
	}
	for (size_t t = 0; t <= points; t++) {
		now += step[t];
		most = now > most ? now : most;
	}
	free(step);
	return (unsigned)most;
}

/* The number of registers that are never free. */
static unsigned count_reserved(const struct func *f, bool scheduled)
{
	bool state = f->module && f->module->target >= REGS_THREAD_STATE_SM;
	return REGS_ABI + (scheduled && state ? REGS_THREAD_STATE : 0);
}

static unsigned own_regs(const struct func *f, bool scheduled)
{
	struct arena a = {0};
	struct live l;
	struct cfg *c = cfg_build(&a, f);
	live_build(&l, f, c);
	unsigned n =
		scheduled ? pressure_scheduled(f, c, &l, PRESSURE_LIMIT - count_reserved(f, true))
			  : live_regs_max(f, &l);
	arena_free(&a);
	return n;
}

unsigned regs_named(const struct func *f)
{
	unsigned sm = f->module ? f->module->target : 0;
	return !sm || sm >= 35 ? 255 : sm >= 20 ? 63 : 124;
}

typedef VEC(const struct func *) func_vec;

static void add_func(func_vec *todo, const struct func *f)
{
	if (!f)
		return;
	f = f->def ? f->def : f;
	for (size_t i = 0; i < todo->n; i++)
		if (todo->v[i] == f)
			return;
	vec_push(todo, f);
}

/* Adds every function that a call may reach: its target list, or all functions whose address is taken. */
static void add_callees(func_vec *todo, const struct func *f)
{
	for (size_t i = 0; i < f->calls.n; i++) {
		const struct call *c = &f->calls.v[i];
		add_func(todo, c->func);
		for (uint32_t k = 0; k < c->ntarget; k++)
			add_func(todo, c->target[k]);
		if (c->func || c->ntarget || !f->module)
			continue;
		for (size_t k = 0; k < f->module->funcs.n; k++)
			if (f->module->funcs.v[k]->addr_taken)
				add_func(todo, f->module->funcs.v[k]);
	}
}

unsigned regs_per_thread(const struct func *f, bool scheduled)
{
	func_vec todo = {0};
	unsigned most = 0, limit = regs_named(f);
	add_func(&todo, f);
	for (size_t i = 0; i < todo.n; i++) {
		unsigned n = own_regs(todo.v[i], scheduled);
		most = n > most ? n : most;
		add_callees(&todo, todo.v[i]);
	}
	vec_free(&todo);
	most += count_reserved(f, scheduled);
	if (f->maxnreg && f->maxnreg < limit)
		limit = f->maxnreg;
	return most < limit ? most : limit;
}
