/* Loads programs: reads and links their texts, checks that everything can run, and gives variables
 * their memory. */
#include "api/api.h"
#include <stdlib.h>
#include "api/code_cache.h"
#include "back/back.h"
#include "base/mangled.h"

#include "conf/machine.h"
#include "debug/debug.h"
#include "exec/tex/tex.h"
#include "lift/program.h"
#include "front/ptx/ptx.h"
#include "gpu/gpu.h"
#include "ir/replay.h"
#include "kernel/image.h"
#include "pass/pass.h"
#include "pass/regcount.h"
#include "pass/scalar.h"
#include "sm/equal.h"

static bool is_handle(const struct var *v)
{
	return v->type == T_TEXREF || v->type == T_SURFREF || v->type == T_SAMPLERREF;
}

static bool place_var(struct heddle *h, struct heddle_module *m, struct var *v)
{
	if (v->def || v->linkage == LINK_EXTERN || v->part_of)
		return true;
	if (is_handle(v)) {
		v->addr = textures_reserve(h->tex, v->type);
		return true;
	}
	if (v->space != SP_GLOBAL && v->space != SP_CONST)
		return true;
	enum alloc_kind kind = v->managed             ? ALLOC_HOST
			       : v->space == SP_CONST ? ALLOC_CONST
						      : ALLOC_SYMBOL;
	struct alloc *a = devmem_alloc(&h->mem, v->size, kind, v->align);
	if (!a)
		return false;
	a->name = v->name;
	v->addr = a->lo;
	if (v->init)
		memcpy(a->host, v->init, v->size);
	vec_push(&m->allocs, a->lo);
	return true;
}

static uint64_t symbol_value(const struct reloc *r)
{
	const struct func *f = r->func && r->func->def ? r->func->def : r->func;
	if (f)
		return FUNC_BASE + (uint64_t)f->index * FUNC_STEP;
	const struct var *v = r->var && r->var->def ? r->var->def : r->var;
	if (!v)
		return 0;
	return v->addr + (r->generic && v->space == SP_SHARED ? SHARED_BASE : 0);
}

static void relocate(struct heddle *h, const struct var *v)
{
	struct alloc *a = devmem_find(&h->mem, v->addr);
	for (size_t i = 0; i < v->reloc.n && a && !is_handle(v); i++) {
		const struct reloc *r = &v->reloc.v[i];
		uint64_t x = (symbol_value(r) + (uint64_t)r->addend) >> r->shift;
		if (r->offset + (uint64_t)r->size <= v->size)
			memcpy(a->host + (v->addr - a->lo) + r->offset, &x, r->size);
	}
}

const char *heddle_plain_name(const char *name, char *out, size_t n)
{
	snprintf(out, n, "%s", plain_name(name).text);
	return out;
}

bool heddle_provides(const char *name, size_t n) { return builtin_named(name, n) != BI_NONE; }

static bool check_all(struct module *ir, struct diag *d)
{
	for (size_t i = 0; i < ir->funcs.n; i++)
		for (size_t k = 0; k < ir->funcs.v[i]->code.n; k++)
			image_check_inst(ir->funcs.v[i], &ir->funcs.v[i]->code.v[k], d);
	return !d->errors;
}

static void list_kernels(struct heddle_module *m)
{
	struct module *ir = m->ir;
	m->kernel = xcalloc(ir->funcs.n + 1, sizeof *m->kernel);
	for (size_t i = 0; i < ir->funcs.n; i++) {
		struct func *f = ir->funcs.v[i];
		if (!f->entry || !f->defined || f->def)
			continue;
		struct heddle_kernel *k = &m->kernel[m->nkernels++];
		*k = (struct heddle_kernel){.m = m, .f = f};
		map_put(&m->by_name, f->name, k);
	}
}

static const struct var *own_var(const struct module *ir, const char *name)
{
	const struct var *v = module_var(ir, name);
	return v && v->def ? v->def : v;
}

/* Binds a text's .extern variables and native code's variables to those of `base`. Called before
 * module_link. */
static void bind_externs(struct module *ir, const struct heddle_module *base)
{
	for (size_t i = 0; base && i < ir->vars.n; i++) {
		struct var *v = ir->vars.v[i];
		const struct var *b =
			v->linkage == LINK_EXTERN && !v->owner ? own_var(base->ir, v->name) : NULL;
		if (b && b->space == v->space && b->addr)
			v->def = b;
	}
}

static bool is_placed(const struct var *v)
{
	return v && (v->space == SP_GLOBAL || v->space == SP_CONST) && v->addr;
}

/* Places parts of native sections: in their section, or at base's variable of that name. Kernels
 * read constants only from their bank, so base's constants are copied there (heddle_launch()). */
static void place_parts(struct heddle_module *m, const struct heddle_module *base)
{
	for (size_t i = 0; i < m->ir->vars.n; i++) {
		struct var *v = m->ir->vars.v[i];
		const struct var *b = base ? own_var(base->ir, v->name) : NULL;
		if (is_handle(v) && b && is_handle(b))
			v->addr = b->addr;
		if (!v->part_of)
			continue;
		v->addr = v->part_of->addr + v->part_at;
		if (!is_placed(b) || b->space != v->space)
			continue;
		if (v->space == SP_CONST)
			vec_push(&m->copies,
				 (struct const_copy){b->addr, v->addr,
						     v->size < b->size ? v->size : b->size});
		else
			v->addr = b->addr;
	}
}

enum heddle_status heddle_load(struct heddle *h, const struct heddle_text *text, unsigned n,
			       struct heddle_module **out)
{
	return heddle_load_beside(h, NULL, text, n, out);
}

struct texts {
	const struct heddle_text *v;
	unsigned n;
};

/* Code with a message is compiled again in each run, which says it again. */
static bool may_be_kept(const struct back_report *r, const struct diag *d)
{
	bool ok = !d->n;
	for (unsigned i = 0; i < r->n; i++)
		ok &= !r->kernel[i].refused;
	return ok;
}

/* Compiles the module's PTX, read from the texts, to machine code, in a module of its own, or takes what an earlier run
 * compiled. A kernel that the machine cannot execute is refused only when it is launched, because the program may not
 * need it. */
static struct module *recompile(struct module *ir, const struct texts *from,
				const struct heddle_options *h, struct back_report *r,
				struct diag *d)
{
	struct back_opts o = {.sm = h->code == HEDDLE_CODE_TESLA  ? 13
				    : h->code == HEDDLE_CODE_SM90 ? 90
								  : 20,
			      .keep_refused = true};
	size_t size = 0;
	if (!back_without(h->code_without, &o.without, d))
		return NULL;
	struct code_key key = {0};
	if (h->keep_code)
		key = code_key(from->v, from->n, h->refuse_late, &o);
	char *text = h->keep_code ? code_find(&key, &ir->arena, r, &size) : NULL;
	bool compiled = !text;
	if (compiled)
		text = back_compile(ir, &o, r, &size, d);
	struct module *native = text ? module_new() : NULL;
	if (native &&
	    (!native_program(native, "machine code", text, size, o.sm == 90 ? NULL : "full", d) ||
	     !module_link(native, d))) {
		module_free(native);
		native = NULL;
	}
	if (native && compiled && h->keep_code && may_be_kept(r, d))
		code_keep(&key, r, text, size);
	free(text);
	return native;
}

/* A machine that issues by control bits runs PTX as sm_90 code. NULL: sm_90 lacks an instruction of
 * the module, and the PTX runs unchanged, with a note. */
static struct module *recompile_for_bits(struct heddle *h, struct module *ir,
					 const struct texts *from, struct back_report *r)
{
	struct heddle_options o = h->opt;
	struct diag d = {0};
	struct back_report made = {0};
	o.code = HEDDLE_CODE_SM90;
	struct module *native = recompile(ir, from, &o, &made, &d);
	const struct diag *why = native ? NULL : &d;
	for (unsigned i = 0; i < made.n && !why; i++)
		why = made.kernel[i].refused;
	if (!why) {
		*r = made;
		diag_free(&d);
		return native;
	}
	char *text = diag_string(why), *note = NULL;
	if (asprintf(&note, "PTX runs without control bits, by times of classes: %s", text) >= 0)
		api_warn(h, note);
	free(note);
	free(text);
	if (native)
		module_free(native);
	back_report_free(&made);
	diag_free(&d);
	return NULL;
}

/* Copies names of refused kernels from the PTX, which will be freed. */
static void note_refused(struct heddle_module *m)
{
	for (unsigned i = 0; i < m->compiled.n; i++) {
		const struct back_kernel *b = &m->compiled.kernel[i];
		struct heddle_kernel *k = b->refused ? map_get(&m->by_name, b->name) : NULL;
		if (k)
			k->refused = b->refused;
	}
}

/* Returns the first refused function that f may call, itself included; NULL: none. An indirect call
 * may reach any function whose address is taken. */
static const struct func *find_refused(const struct module *ir, const struct func *f, bool *seen)
{
	f = f->def ? f->def : f;
	if (f->refused || seen[f->index])
		return f->refused ? f : NULL;
	seen[f->index] = true;
	for (size_t i = 0; i < f->calls.n; i++) {
		const struct func *to = f->calls.v[i].func, *bad = NULL;
		if (to)
			bad = find_refused(ir, to, seen);
		for (size_t k = 0; !to && !bad && k < ir->funcs.n; k++)
			if (ir->funcs.v[k]->addr_taken)
				bad = find_refused(ir, ir->funcs.v[k], seen);
		if (bad)
			return bad;
	}
	return NULL;
}

/* Lists the kernels of linked PTX that may reach an instruction that is not supported. */
static void list_refusals(struct heddle_module *m, const struct module *ir)
{
	bool *seen = xcalloc(ir->funcs.n + 1, sizeof *seen);
	for (size_t i = 0; i < ir->funcs.n && ir->keep_refused; i++) {
		const struct func *f = ir->funcs.v[i];
		if (!f->entry || !f->defined || f->def)
			continue;
		memset(seen, 0, ir->funcs.n * sizeof *seen);
		const struct func *bad = find_refused(ir, f, seen);
		if (!bad)
			continue;
		struct refusal r = {xstrdup(f->name), xcalloc(1, sizeof *r.why)};
		struct srcloc at = {bad->text_name, bad->text, bad->text_end, bad->refused_line,
				    bad->refused_col};
		diag_at(r.why, DIAG_ERROR, &at, "%s", bad->refused);
		vec_push(&m->refusals, r);
	}
	free(seen);
}

static void apply_refusals(struct heddle_module *m)
{
	for (size_t i = 0; i < m->refusals.n; i++) {
		struct heddle_kernel *k = map_get(&m->by_name, m->refusals.v[i].kernel);
		if (k)
			k->refused = m->refusals.v[i].why;
	}
}

static void free_refusals(struct heddle_module *m)
{
	for (size_t i = 0; i < m->refusals.n; i++) {
		free(m->refusals.v[i].kernel);
		diag_free(m->refusals.v[i].why);
		free(m->refusals.v[i].why);
	}
	vec_free(&m->refusals);
}

enum heddle_status heddle_load_beside(struct heddle *h, struct heddle_module *base,
				      const struct heddle_text *text, unsigned n,
				      struct heddle_module **out)
{
	struct diag *d = xcalloc(1, sizeof *d);
	struct module *ir = module_new(), *source = NULL;
	struct back_report compiled = {0};
	bool ok = true, ptx = false;
	ir->keep_refused = h->opt.refuse_late;
	free(h->message); /* the message of an earlier call */
	h->message = NULL;
	for (unsigned i = 0; i < n; i++)
		ptx |= !native_recognise(text[i].data, text[i].size);
	for (unsigned i = 0; i < n; i++)
		ok &= native_recognise(text[i].data, text[i].size)
			      ? native_program(ir, text[i].name, text[i].data, text[i].size,
					       text[i].dialect, d)
			      : ptx_read(ir, text[i].name, text[i].data, text[i].size, d);
	bind_externs(ir, base);
	ok = ok && module_link(ir, d) && check_all(ir, d);
	/* Machine code says itself where threads meet: mechanisms that decide it run PTX. Checks of memory name the
	 * program's own instructions. */
	bool by_bits = h->opt.code == HEDDLE_CODE_PTX && !h->opt.keep_ptx && h->gpu &&
		       h->machine->facts.control_bits && gpu_converges(h->gpu) && !h->mem.shadowed;
	if (ok && ptx && !base && (by_bits || h->opt.code != HEDDLE_CODE_PTX)) {
		struct texts from = {text, n};
		struct module *native = by_bits ? recompile_for_bits(h, ir, &from, &compiled)
						: recompile(ir, &from, &h->opt, &compiled, d);
		ok = native ? check_all(native, d) : by_bits;
		if (native) {
			source = ir;
			ir = native;
		}
	}
	enum heddle_status st = ok ? HEDDLE_OK : HEDDLE_BAD_INPUT;
	if (!ok || d->n)
		api_fail_diag(h, st, d);
	diag_free(d);
	free(d);
	struct heddle_module *m = NULL;
	if (ok) {
		m = xcalloc(1, sizeof *m);
		*m = (struct heddle_module){.h = h, .ir = ir, .compiled = compiled};
		ir->number = h->loaded++;
		list_kernels(m);
		note_refused(m);
		list_refusals(m, source ? source : ir);
		apply_refusals(m);
	} else {
		back_report_free(&compiled);
		module_free(ir);
	}
	if (source)
		module_free(source);
	if (!ok)
		return st;
	vec_push(&h->modules, m);
	for (size_t i = 0; i < ir->vars.n; i++)
		if (!place_var(h, m, ir->vars.v[i])) {
			st = api_fail(h, HEDDLE_NO_MEMORY,
				      "out of device memory for variable %s of %llu bytes",
				      ir->vars.v[i]->name, (unsigned long long)ir->vars.v[i]->size);
			heddle_unload(h, m);
			return st;
		}
	place_parts(m, base);
	for (size_t i = 0; i < ir->vars.n; i++)
		relocate(h, ir->vars.v[i]);
	st = base ? HEDDLE_OK : api_take_cubins(h, m);
	if (!st && m->refusals.n && m->refusals.n == heddle_kernel_count(m)) {
		st = HEDDLE_BAD_INPUT; /* none of the module's kernels can be launched */
		api_fail_diag(h, st, m->refusals.v[0].why);
	}
	if (st) {
		heddle_unload(h, m);
		return st;
	}
	*out = m;
	return HEDDLE_OK;
}

void heddle_unload(struct heddle *h, struct heddle_module *m)
{
	for (size_t i = 0; i < h->modules.n; i++)
		if (h->modules.v[i] == m) {
			memmove(h->modules.v + i, h->modules.v + i + 1,
				(h->modules.n - i - 1) * sizeof m);
			h->modules.n--;
			h->warned.n = 0; /* places of unloaded kernels may occur again */
			break;
		}
	for (size_t i = 0; i < m->allocs.n; i++) {
		struct alloc *a = devmem_find(&h->mem, m->allocs.v[i]);
		if (a)
			a->name = NULL; /* the name is freed with the module */
		devmem_free(&h->mem, m->allocs.v[i]);
	}
	for (unsigned i = 0; i < m->nkernels; i++) {
		api_profile_forget(h, m->kernel[i].img);
		debug_forget(h->debug, m->kernel[i].img);
		api_apart_forget(h, m->kernel[i].img);
		image_free(m->kernel[i].img);
	}
	for (size_t i = 0; i < m->beside.n; i++)
		heddle_unload(h, m->beside.v[i].m);
	vec_free(&m->beside);
	vec_free(&m->allocs);
	vec_free(&m->copies);
	map_free(&m->by_name);
	free(m->kernel);
	back_report_free(&m->compiled);
	free_refusals(m);
	module_free(m->ir);
	free(m);
}

unsigned heddle_kernel_count(const struct heddle_module *m) { return m->nkernels; }
struct heddle_kernel *heddle_kernel_at(struct heddle_module *m, unsigned i)
{
	return &m->kernel[i];
}
struct heddle_kernel *heddle_kernel_find(struct heddle_module *m, const char *name)
{
	return map_get(&m->by_name, name);
}

enum heddle_status heddle_symbol(struct heddle *h, struct heddle_module *m, const char *name,
				 uint64_t *addr, uint64_t *size)
{
	const struct var *v = module_var(m->ir, name);
	if (v && v->def)
		v = v->def;
	if (!v || (v->space != SP_GLOBAL && v->space != SP_CONST))
		return api_fail(h, HEDDLE_NOT_FOUND, "no variable %s in global or constant memory",
				name);
	*addr = v->addr;
	*size = v->size;
	return HEDDLE_OK;
}

enum heddle_status heddle_symbol_map(struct heddle *h, struct heddle_module *m, const char *name,
				     void *ptr, bool init)
{
	struct var *v = module_var(m->ir, name);
	if (v && v->def)
		v = (struct var *)(uintptr_t)v->def;
	if (!v || v->space != SP_GLOBAL)
		return api_fail(h, HEDDLE_NOT_FOUND, "no variable %s in global memory", name);
	for (unsigned i = 0; i < m->nkernels; i++)
		if (m->kernel[i].img)
			return api_fail(h, HEDDLE_INVALID,
					"%s: the module's kernels know its address already", name);
	uint64_t old = v->addr, at = heddle_device_address(h, ptr);
	struct alloc *a = devmem_find(&h->mem, at);
	if (!a && heddle_map_host(h, ptr, v->size))
		return HEDDLE_INVALID;
	at = heddle_device_address(h, ptr);
	struct alloc *mapped = a ? NULL : devmem_find(&h->mem, at);
	if (mapped) /* for messages: `heddle cc` names a mapped variable hdm_NAME */
		mapped->name = strncmp(v->name, "hdm_", 4) ? v->name : v->name + 4;
	if (init) {
		if (v->init)
			memcpy(ptr, v->init, v->size);
		else
			memset(ptr, 0, v->size);
	}
	v->addr = at;
	for (size_t i = 0; i < m->ir->vars.n; i++)
		if (init || m->ir->vars.v[i] != v)
			relocate(h, m->ir->vars.v[i]);
	/* a section may contain other variables */
	for (size_t i = 0; i < m->allocs.n && !v->part_of; i++)
		if (m->allocs.v[i] == old) {
			devmem_free(&h->mem, old);
			m->allocs.v[i] = m->allocs.v[--m->allocs.n];
			break;
		}
	if (!a) /* mapped here; unmapped with the module */
		vec_push(&m->allocs, at);
	return HEDDLE_OK;
}

/* The compiler's facts hold only if threads reconverge where it expects; otherwise the machine
 * compares values. */
static void set_scalars(const struct machine *m, struct image_opts *o)
{
	if (equal_is_needed(m))
		o->by_value = true;
	else
		o->scalar = m->scalar == SCALARS_ALL ? SCALAR_ALL : SCALAR_CONVERGENT;
}

struct image *api_image(struct heddle *h, struct heddle_kernel *k)
{
	if (k->img)
		return k->img;
	if (k->refused) {
		api_fail_diag(h, HEDDLE_BAD_INPUT, k->refused);
		return NULL;
	}
	struct diag *d = xcalloc(1, sizeof *d);
	/* For tests, which compare results. Words separated by commas: "own" rows for all
	 * registers; "allocated" registers; "scalar": one copy of scalar registers; "convergent":
	 * by that rule; "limit=N": at most N registers; "preds=N": N predicates. */
	const char *rows = getenv("HEDDLE_ROWS");
	struct image_opts o = {.native_pdom = h->native_pdom,
			       .check_race = h->opt.check_race,
			       .check_init = h->opt.check_init,
			       .check_scalar = h->opt.check_scalar,
			       .own_rows = rows && strstr(rows, "own"),
			       .allocate = rows && strstr(rows, "allocated")};
	o.debug = h->debug != NULL;
	o.functional = !h->machine && !h->debug;
	if (h->machine && h->machine->scalar != SCALARS_NO)
		set_scalars(h->machine, &o);
	if (h->machine && h->machine->allocation == REGS_ALLOCATED) {
		o.allocate = true;
		o.max_regs = api_register_limit(h, k->f, regs_named(k->f));
		o.max_preds = h->machine->predicates;
	}
	if (rows && strstr(rows, "limit="))
		o.max_regs = (uint32_t)strtoul(strstr(rows, "limit=") + 6, NULL, 10);
	if (rows && strstr(rows, "preds="))
		o.max_preds = (uint32_t)strtoul(strstr(rows, "preds=") + 6, NULL, 10);
	if (rows && strstr(rows, "scalar"))
		o.scalar = SCALAR_ALL;
	if (rows && strstr(rows, "convergent"))
		o.scalar = SCALAR_CONVERGENT;
	if (!k->f->make || k->f->make((struct func *)(uintptr_t)k->f, d))
		k->img = image_build(k->f, &o, d);
	if (!k->img)
		api_fail_diag(h, HEDDLE_BAD_INPUT, d);
	diag_free(d);
	free(d);
	return k->img;
}

/* The program's static part of a block's shared memory: from sm_90 on the system has the first bytes of
 * it, which the image's layout and a cubin's size contain. */
static uint32_t own_shared(const struct module *m, uint32_t bytes)
{
	uint32_t system = m->target >= 90 ? RESERVED_SMEM : 0;
	return bytes > system ? bytes - system : 0;
}

void heddle_kernel_info(const struct heddle_kernel *k, struct heddle_kernel_info *out)
{
	const struct func *f = k->f;
	const struct image *img = api_image(k->m->h, (struct heddle_kernel *)(uintptr_t)k);
	*out = (struct heddle_kernel_info){.name = f->name,
					   .nparam = f->proto.nparam,
					   .param_bytes = f->param_bytes,
					   .max_threads = 1024,
					   .refused = k->refused != NULL,
					   .instructions = (unsigned)f->code.n,
					   .ptx_version = f->module->version,
					   .target = f->module->target};
	if (img) {
		out->registers = api_registers(k->m->h, img);
		out->least_registers = api_least_registers(k->m->h, img);
		out->shared_bytes = own_shared(f->module, img->shared_bytes - img->shared_gaps);
		out->local_bytes = img->local_max;
		out->communicates = img->ordered;
	}
	if (f->native) {
		out->instructions = f->native->n;
		out->untyped_params = f->native->untyped_params;
		out->pointer_bytes = f->native->pointer_bytes;
	}
	memcpy(out->reqntid, f->reqntid, sizeof out->reqntid);
	memcpy(out->maxntid, f->maxntid, sizeof out->maxntid);
	if (f->replay) {
		memcpy(out->grid, f->replay->grid, sizeof out->grid);
		memcpy(out->block, f->replay->block, sizeof out->block);
	}
	if (f->maxntid[0])
		out->max_threads = f->maxntid[0] * (f->maxntid[1] ? f->maxntid[1] : 1) *
				   (f->maxntid[2] ? f->maxntid[2] : 1);
	for (size_t i = 0; i < f->module->vars.n; i++)
		if (f->module->vars.v[i]->space == SP_CONST && !f->module->vars.v[i]->def)
			out->const_bytes += (unsigned)f->module->vars.v[i]->size;
}

void heddle_param_info(const struct heddle_kernel *k, unsigned i, struct heddle_param_info *out)
{
	const struct var *v = k->f->proto.param[i];
	*out = (struct heddle_param_info){.name = v->name,
					  .type = type_info[v->type].name,
					  .offset = (unsigned)v->addr,
					  .size = (unsigned)v->size,
					  .align = v->align,
					  .count = v->count};
}

enum heddle_status heddle_tex_bind(struct heddle *h, struct heddle_module *m, const char *name,
				   const struct heddle_tex *t)
{
	const struct var *v = module_var(m->ir, name);
	if (v && v->def)
		v = v->def;
	if (!v || !is_handle(v))
		return api_fail(h, HEDDLE_NOT_FOUND, "no texture, surface or sampler reference %s",
				name);
	return textures_set(h->tex, v->addr, t)
		       ? HEDDLE_OK
		       : api_fail(h, HEDDLE_INVALID, "bad texture description for %s", name);
}
