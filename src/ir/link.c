/* Linking: extern declarations find their definitions in the texts of the module, strong definitions
 * override weak and common ones, calls are checked against their callees. Afterwards operands, calls and
 * relocations name only definitions. May run again after further texts were read. The structures are in
 * ir/module.h. */
#include "ir/module.h"

struct linker {
	struct module *m;
	struct diag *d;
	struct map vars, funcs; /* name -> the definition visible to other texts */
	bool ok;
	bool device_runtime; /* the device runtime is missing, and that has been reported */
};

static void fail_var(struct linker *l, const struct var *v, const char *what)
{
	struct srcloc at = {v->text_name, v->text, v->text_end, v->line, v->col};
	diag_at(l->d, DIAG_ERROR, &at, "%s '%s'", what, v->name);
	l->ok = false;
}

static void fail_func(struct linker *l, const struct func *f, const char *what)
{
	struct srcloc at = {f->text_name, f->text, f->text_end, f->line, f->col};
	diag_at(l->d, DIAG_ERROR, &at, "%s '%s'", what, f->name);
	l->ok = false;
}

/* ---- choosing definitions ---- */

/* Rank of a definition among those of a name: ordinary ones over weak ones over common ones. */
static unsigned linkage_rank(unsigned linkage)
{
	return linkage == LINK_COMMON ? 1 : linkage == LINK_WEAK ? 2 : 3;
}

static bool is_global(unsigned linkage)
{
	return linkage == LINK_VISIBLE || linkage == LINK_WEAK || linkage == LINK_COMMON;
}

static void choose_var(struct linker *l, struct var *v)
{
	struct var *old = map_get(&l->vars, v->name);
	if (!old) {
		map_put(&l->vars, v->name, v);
		return;
	}
	unsigned a = linkage_rank(old->linkage), b = linkage_rank(v->linkage);
	if (a == 3 && b == 3)
		fail_var(l, v, "more than one text defines the variable");
	else if (b > a || (a == 1 && b == 1 && v->size > old->size))
		map_put(&l->vars, v->name, v);
}

static void choose_func(struct linker *l, struct func *f)
{
	struct func *old = map_get(&l->funcs, f->name);
	if (!old || linkage_rank(f->linkage) > linkage_rank(old->linkage))
		map_put(&l->funcs, f->name, f);
	else if (linkage_rank(old->linkage) == 3 && linkage_rank(f->linkage) == 3)
		fail_func(l, f, "more than one text defines the function");
}

static bool is_definition(const struct func *f) { return f->defined || f->alias; }

static void choose_definitions(struct linker *l)
{
	for (size_t i = 0; i < l->m->vars.n; i++) {
		struct var *v = l->m->vars.v[i];
		if (!v->owner && is_global(v->linkage))
			choose_var(l, v);
	}
	for (size_t i = 0; i < l->m->funcs.n; i++) {
		struct func *f = l->m->funcs.v[i];
		if (is_definition(f) && (is_global(f->linkage) || f->entry))
			choose_func(l, f);
	}
}

/* ---- binding of declarations to definitions ---- */

static void bind_var(struct linker *l, struct var *v)
{
	if (v->owner || (v->linkage != LINK_EXTERN && !is_global(v->linkage)))
		return;
	const struct var *def = map_get(&l->vars, v->name);
	if (def == v || (!def && v->def)) /* the definition is in another module, already loaded */
		return;
	if (!def) {
		if (v->space == SP_SHARED) /* size given at launch */
			v->unsized = true;
		else if (v->used)
			fail_var(l, v, "no text defines the extern variable");
		return;
	}
	v->def = def;
	if (v->space != def->space)
		fail_var(l, v, "declaration and definition differ in the state space of");
	else if (v->linkage == LINK_EXTERN && !v->unsized && !def->unsized && v->size != def->size)
		fail_var(l, v, "declaration and definition differ in the size of");
}

/* True for functions that the C++ run-time uses for calls that must never happen. */
static bool is_forbidden(const char *name)
{
	return !strcmp(name, "__cxa_pure_virtual") || !strcmp(name, "__cxa_deleted_virtual");
}

/* True for functions that kernels which launch kernels call: the device runtime and its callees. */
static bool is_device_runtime(const char *name)
{
	static const char *const starts[] = {
		"__cudaCDP2",       "__cuda_syscall_",        "cnp",
		"cudaLaunchDevice", "cudaGetParameterBuffer", "__cudaDeviceSynchronize"};
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static void undefined_func(struct linker *l, const struct func *f)
{
	bool runtime = is_device_runtime(f->name);
	if (!runtime)
		fail_func(l, f, "no text defines the function");
	else if (!l->device_runtime) /* one message for all functions of the runtime */
		fail_func(l, f, "the simulated device runtime lacks the function");
	l->device_runtime |= runtime;
}

static void define_trap(struct func *f)
{
	vec_push(&f->code, (struct inst){.op = OP_TRAP,
					 .guard = NO_REG,
					 .target = NO_PC,
					 .reconv = NO_PC,
					 .line = f->line,
					 .col = f->col,
					 .text = "trap"});
	f->defined = true;
	f->linkage = LINK_WEAK;
}

static void bind_func(struct linker *l, struct func *f)
{
	if (f->alias) {
		f->def = f->alias;
		return;
	}
	if (f->defined && !is_global(f->linkage))
		return;
	const struct func *def = map_get(&l->funcs, f->name);
	if (def == f)
		return;
	if (!def) {
		if (is_forbidden(f->name))
			define_trap(f);
		else if (f->used && !f->builtin && !f->entry)
			undefined_func(l, f);
		return;
	}
	f->def = def->alias ? def->alias : def;
	f->builtin = BI_NONE;
}

static const struct var *final_var(const struct var *v) { return v && v->def ? v->def : v; }

static const struct func *final_func(const struct func *f)
{
	for (int i = 0; i < 3 && f && f->def;
	     i++) /* chain: extern -> alias -> weak, overridden function */
		f = f->def;
	return f;
}

/* ---- calls ---- */

static void fail_call(struct linker *l, const struct func *f, const struct inst *in,
		      const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static void fail_call(struct linker *l, const struct func *f, const struct inst *in,
		      const char *fmt, ...)
{
	struct srcloc at = {f->text_name, f->text, f->text_end, in->line, in->col};
	va_list ap;
	va_start(ap, fmt);
	diag_vat(l->d, DIAG_ERROR, &at, fmt, ap);
	va_end(ap);
	l->ok = false;
}

/* True for variadic functions: they end in an unsized parameter. */
static bool is_variadic(const struct proto *pr)
{
	return pr->nparam && pr->param[pr->nparam - 1]->unsized;
}

static void check_sizes(struct linker *l, const struct func *f, const struct inst *in,
			const struct opnd *o, struct var **formal, uint32_t n, const char *what)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct var *v = o[i].kind == OPND_PVAR ? o[i].sym : NULL;
		if (v && !formal[i]->unsized && v->size != formal[i]->size)
			fail_call(l, f, in,
				  "%s %u of the call has %llu bytes, the function's has %llu", what,
				  i + 1, (unsigned long long)v->size,
				  (unsigned long long)formal[i]->size);
	}
}

static void check_call(struct linker *l, const struct func *f, const struct inst *in,
		       const struct call *c)
{
	const struct proto *pr = c->func ? &c->func->proto : &c->proto;
	const char *name = c->func ? c->func->name : "the prototype";
	bool variadic = is_variadic(pr);
	if (c->narg < pr->nparam - variadic || (!variadic && c->narg > pr->nparam)) {
		fail_call(l, f, in, "the call passes %u argument%s, '%s' has %u parameter%s",
			  c->narg, c->narg == 1 ? "" : "s", name, pr->nparam,
			  pr->nparam == 1 ? "" : "s");
		return;
	}
	if (c->nret != pr->nret) {
		fail_call(l, f, in, "the call takes %u result%s, '%s' gives %u", c->nret,
			  c->nret == 1 ? "" : "s", name, pr->nret);
		return;
	}
	const struct opnd *arg = in->opnd + in->nd + (c->func ? 0 : 1);
	if (in->nd == c->nret && in->ns == c->narg + (c->func ? 0 : 1)) {
		check_sizes(l, f, in, in->opnd, pr->ret, c->nret, "result");
		uint32_t n = c->narg < pr->nparam ? c->narg : pr->nparam;
		check_sizes(l, f, in, arg, pr->param, n, "argument");
	}
}

static void link_operands(struct inst *in)
{
	for (unsigned i = 0; i < in->nd + in->ns; i++) {
		struct opnd *o = &in->opnd[i];
		if (!o->sym)
			continue;
		if (o->kind == OPND_FUNC)
			o->sym = final_func(o->sym);
		else if (o->kind == OPND_MEM || o->kind == OPND_SYM)
			o->sym = final_var(o->sym);
	}
}

static void link_code(struct linker *l, struct func *f)
{
	for (size_t i = 0; i < f->calls.n; i++) {
		struct call *c = &f->calls.v[i];
		c->func = final_func(c->func);
		for (uint32_t k = 0; k < c->ntarget; k++)
			c->target[k] = final_func(c->target[k]);
	}
	for (size_t i = 0; i < f->code.n; i++) {
		struct inst *in = &f->code.v[i];
		link_operands(in);
		if (inst_is(in, OF_CALL) && in->call < f->calls.n)
			check_call(l, f, in, &f->calls.v[in->call]);
	}
}

/* ---- variadic functions ---- */

/* Bytes that a call passes in the unsized parameter of a variadic function; 0: none. */
static uint64_t variadic_bytes(const struct inst *in, const struct call *c)
{
	const struct proto *pr = c->func ? &c->func->proto : &c->proto;
	uint32_t at = in->nd + (c->func ? 0u : 1u) + pr->nparam - 1;
	if (!is_variadic(pr) || c->narg < pr->nparam || at >= (uint32_t)in->nd + in->ns)
		return 0;
	const struct opnd *o = &in->opnd[at];
	return o->kind == OPND_PVAR ? ((const struct var *)o->sym)->size : 0;
}

/* Gives an unsized parameter room for the largest argument of any call that can reach its function.
 * Variables after it in the frame move up. */
static void place_variadic(struct module *m)
{
	uint64_t indirect = 0;
	for (size_t i = 0; i < m->funcs.n; i++)
		m->funcs.v[i]->variadic_need = 0;
	for (size_t i = 0; i < m->funcs.n; i++) {
		const struct func *f = m->funcs.v[i];
		for (size_t k = 0; k < f->code.n; k++) {
			const struct inst *in = &f->code.v[k];
			if (!inst_is(in, OF_CALL) || in->call >= f->calls.n)
				continue;
			const struct call *c = &f->calls.v[in->call];
			const struct func *to = c->func && c->func->def ? c->func->def : c->func;
			uint64_t n = variadic_bytes(in, c);
			uint64_t *need = to ? &m->funcs.v[to->index]->variadic_need : &indirect;
			*need = n > *need ? n : *need;
		}
	}
	for (size_t i = 0; i < m->funcs.n; i++) {
		struct func *f = m->funcs.v[i];
		if (!f->defined || !is_variadic(&f->proto))
			continue;
		struct var *formal = f->proto.param[f->proto.nparam - 1];
		uint64_t need = f->variadic_need > indirect ? f->variadic_need : indirect;
		uint32_t old = (uint32_t)((formal->size + 15) & ~15ull);
		uint32_t bytes = (uint32_t)((need + 15) & ~15ull);
		if (need <= formal->size)
			continue;
		for (size_t k = 0; k < f->vars.n; k++) {
			struct var *v = f->vars.v[k];
			bool frame = v->space == SP_LOCAL || v->space == SP_FRAME;
			if (frame && v != formal && v->addr >= formal->addr)
				v->addr += bytes - old;
		}
		formal->size = need;
		f->frame_bytes += bytes - old;
	}
}

/* ---- module-scope .local variables ---- */

/* Places module-scope .local variables in the first bytes of every kernel's frame. The kernel's own
 * variables move up. */
static void place_locals(struct module *m)
{
	uint64_t off = 0;
	for (size_t i = 0; i < m->vars.n; i++) {
		struct var *v = m->vars.v[i];
		if (v->space != SP_LOCAL || v->owner || v->def)
			continue;
		off = (off + v->align - 1) & ~(uint64_t)(v->align - 1);
		v->addr = off;
		off += v->size;
	}
	uint32_t bytes = (uint32_t)((off + 15) & ~(uint64_t)15);
	m->local_bytes = bytes;
	for (size_t i = 0; i < m->funcs.n; i++) {
		struct func *f = m->funcs.v[i];
		if (!f->entry || !f->defined || f->local_bytes == bytes)
			continue;
		for (size_t k = 0; k < f->vars.n; k++)
			if (f->vars.v[k]->space == SP_LOCAL || f->vars.v[k]->space == SP_FRAME)
				f->vars.v[k]->addr += bytes - f->local_bytes;
		f->frame_bytes += bytes - f->local_bytes;
		f->local_bytes = bytes;
	}
}

bool module_link(struct module *m, struct diag *d)
{
	struct linker l = {.m = m, .d = d, .ok = true};
	choose_definitions(&l);
	for (size_t i = 0; i < m->vars.n; i++)
		bind_var(&l, m->vars.v[i]);
	for (size_t i = 0; i < m->funcs.n; i++)
		bind_func(&l, m->funcs.v[i]);
	for (size_t i = 0; i < m->vars.n; i++) {
		struct var *v = m->vars.v[i];
		for (size_t k = 0; k < v->reloc.n; k++) {
			v->reloc.v[k].var = final_var(v->reloc.v[k].var);
			v->reloc.v[k].func = final_func(v->reloc.v[k].func);
		}
	}
	for (size_t i = 0; i < m->funcs.n; i++)
		link_code(&l, m->funcs.v[i]);
	place_variadic(m);
	place_locals(m);
	map_free(&l.vars);
	map_free(&l.funcs);
	return l.ok;
}
