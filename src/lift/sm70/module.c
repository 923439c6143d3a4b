/* Turns a cubin into a module: its variables, constant banks and functions. Kernels are translated
 * when they are first launched. */
#include "lift/sm70/memory.h"

#include <stdlib.h>
#include <string.h>

enum { STT_OBJECT = 1, STT_TEXTURE = 10, STT_SURFACE = 12, STB_LOCAL = 0 };
enum { R_CUDA_32 = 1, R_CUDA_64 = 2 };
enum {
	CALLS_STACK = 2048
}; /* bytes of stack for code with calls, whose depth the file does not
    * give */

static bool lift_bad(struct diag *d, const char *file, const char *what, const char *name)
{
	diag_error(d, "%s: %s%s", file, what, name);
	return false;
}

/* ---- variables ---- */

static struct var *new_var(struct lift_file *f, const char *name, unsigned space, uint64_t size,
			   uint64_t align)
{
	struct var *v = ARENA_NEW(&f->module->arena, struct var);
	*v = (struct var){.name = name,
			  .space = (uint8_t)space,
			  .type = T_B8,
			  .vec = 1,
			  .linkage = LINK_NONE,
			  .align = align ? (uint32_t)align : 1,
			  .size = size,
			  .count = (uint32_t)size,
			  .is_array = true,
			  .text_name = f->name};
	return v;
}

/* The number of a constant bank's section; *of: the rest of the name. -1: not a constant bank. */
static int bank_of(const char *name, const char **of)
{
	const char *p = cuelf_suffix(name, ".nv.constant");
	char *end;
	if (!p || *p < '0' || *p > '9')
		return -1;
	long n = strtol(p, &end, 10);
	*of = end;
	return n < LIFT_BANKS ? (int)n : -1;
}

static struct var *section_var(struct lift_file *f, const struct cuelf_section *s, unsigned space)
{
	if (!s->size || s->size > module_space_limit(SP_GLOBAL))
		return NULL;
	struct var *v = new_var(f, s->name, space, s->size, s->align < 4096 ? s->align : 4096);
	if (s->data) {
		v->init = arena_alloc(&f->module->arena, s->size);
		memcpy(v->init, s->data, s->size);
	}
	module_add_var(f->module, v);
	return v;
}

static struct var **add_sections(struct lift_file *f)
{
	const struct cuelf *e = &f->elf;
	struct var **var = ARENA_ARRAY(&f->module->arena, struct var *, e->section.n + 1);
	memset(var, 0, (e->section.n + 1) * sizeof *var);
	for (uint32_t i = 1; i < e->section.n; i++) {
		const struct cuelf_section *s = &e->section.v[i];
		const char *of;
		int bank = bank_of(s->name, &of);
		if (bank > 0)
			var[i] = section_var(f, s, SP_CONST);
		else if (!strcmp(s->name, ".nv.global") || !strcmp(s->name, ".nv.global.init"))
			var[i] = section_var(f, s, SP_GLOBAL);
		if (bank > 0 && !*of)
			f->bank[bank] = (struct lift_bank){var[i], s->size};
	}
	return var;
}

/* Adds a reference to a texture or surface, which a program binds by its name. */
static struct var *add_reference(struct lift_file *f, const struct cuelf_symbol *y)
{
	struct var *v = new_var(f, arena_strdup(&f->module->arena, y->name), SP_GLOBAL, 8, 8);
	v->type = (y->info & 15) == STT_TEXTURE ? T_TEXREF : T_SURFREF;
	v->count = 1;
	v->is_array = false;
	v->linkage = LINK_VISIBLE;
	module_add_var(f->module, v);
	if (!module_var(f->module, v->name))
		module_name_var(f->module, v);
	return v;
}

/* Adds the symbols of objects, as parts of the sections' variables, and references. */
static struct var **add_symbols(struct lift_file *f, struct var **section)
{
	const struct cuelf *e = &f->elf;
	struct var **var = ARENA_ARRAY(&f->module->arena, struct var *, e->symbol.n + 1);
	memset(var, 0, (e->symbol.n + 1) * sizeof *var);
	for (uint32_t i = 0; i < e->symbol.n; i++) {
		const struct cuelf_symbol *y = &e->symbol.v[i];
		struct var *s = section[y->section];
		if (!y->section && ((y->info & 15) == STT_TEXTURE || (y->info & 15) == STT_SURFACE))
			var[i] = add_reference(f, y);
		if (!s || (y->info & 15) != STT_OBJECT || !y->section || y->value > s->size)
			continue;
		struct var *v =
			new_var(f, arena_strdup(&f->module->arena, y->name), s->space, y->size, 1);
		v->part_of = s;
		v->part_at = y->value;
		v->linkage = y->info >> 4 == STB_LOCAL ? LINK_NONE : LINK_VISIBLE;
		module_add_var(f->module, v);
		if (v->linkage == LINK_VISIBLE || !module_var(f->module, v->name))
			module_name_var(f->module, v); /* programs name static variables, too */
		var[i] = v;
	}
	return var;
}

/* Adds the relocations of addresses in data. */
static bool add_relocs(struct lift_file *f, struct var **section, struct var **symbol,
		       struct diag *d)
{
	const struct cuelf *e = &f->elf;
	for (size_t i = 0; i < e->reloc.n; i++) {
		const struct cuelf_reloc *r = &e->reloc.v[i];
		const struct cuelf_symbol *y = &e->symbol.v[r->symbol];
		struct var *in = section[r->section],
			   *to = symbol[r->symbol] ? symbol[r->symbol] : section[y->section];
		if (!in)
			continue;
		uint8_t size = r->type == R_CUDA_32 ? 4 : 8;
		if (r->offset + size > in->size)
			return lift_bad(d, f->name, "a relocation is not inside ", in->name);
		int64_t at = r->addend;
		if (cuelf_suffix(e->section.v[y->section].name, ".text.")) {
			uint64_t x = f->code_base[y->section] + y->value + (uint64_t)r->addend;
			if (in->init)
				memcpy(in->init + r->offset, &x, size);
			continue;
		}
		uint32_t builtin = y->section ? 0 : lift_builtin_address(y->name);
		if (builtin && in->init) {
			uint64_t x = builtin;
			memcpy(in->init + r->offset, &x, size);
		}
		if (!to)
			continue; /* a function of the system, which calls find by name */
		vec_push(&in->reloc, (struct reloc){.offset = (uint32_t)r->offset,
						    .size = size,
						    .name = to->name,
						    .var = to,
						    .addend = at});
	}
	return true;
}

/* ---- kernels ---- */

static struct var *add_param(struct lift_file *f, struct func *fn, const struct cuelf_param *p,
			     unsigned i)
{
	static const uint8_t types[] = {[1] = T_B8, [2] = T_B16, [4] = T_B32, [8] = T_B64};
	struct var *v =
		new_var(f, arena_printf(&f->module->arena, "param%u", i), SP_PARAM, p->size, 1);
	v->addr = p->offset;
	v->owner = fn;
	if (p->size < 9 && types[p->size]) {
		v->type = types[p->size];
		v->align = p->size;
		v->count = 1;
		v->is_array = false;
	}
	return v;
}

static void add_params(struct lift_file *f, struct func *fn, const struct cuelf_func *k)
{
	unsigned n = (unsigned)k->param.n;
	fn->proto.param = ARENA_ARRAY(&f->module->arena, struct var *, n + 1);
	fn->proto.nparam = n;
	fn->param_bytes = k->param_bytes;
	for (unsigned i = 0; i < n; i++) {
		fn->proto.param[i] = add_param(f, fn, &k->param.v[i], i);
		uint32_t end = k->param.v[i].offset + k->param.v[i].size;
		if (end > fn->param_bytes)
			fn->param_bytes = end;
	}
}

/* True for a function of the compiler's own, such as the slow path of a division: none calls another, and the
 * kernel's stack size covers it. */
static bool is_internal(const struct cuelf_func *k)
{
	return !strncmp(k->name, "$__internal_", 12);
}

/* Marks sections with several of the program's functions, or whose code names functions in others. */
static bool *find_calls(const struct cuelf *e, struct arena *a)
{
	bool *calls = ARENA_ARRAY(a, bool, e->section.n + 1);
	uint32_t *functions = ARENA_ARRAY(a, uint32_t, e->section.n + 1);
	memset(calls, 0, e->section.n + 1);
	memset(functions, 0, (e->section.n + 1) * sizeof *functions);
	for (size_t i = 0; i < e->func.n; i++)
		if (!is_internal(&e->func.v[i]))
			calls[e->func.v[i].section] |= functions[e->func.v[i].section]++ > 0;
	for (size_t i = 0; i < e->reloc.n; i++)
		calls[e->reloc.v[i].section] = true;
	return calls;
}

static struct var *add_shared(struct lift_file *f, struct func *fn, const struct cuelf_func *k)
{
	/* The section's size includes the system's part; a kernel without a section has that part
	 * only. */
	uint64_t reserved = f->elf.sm >= 90 ? LIFT_SHARED_RESERVED : 0;
	uint64_t size = k->shared > reserved ? k->shared : reserved;
	/* Code loads the bytes after the last variable together with it, in vectors of up to 16
	 * bytes. */
	struct var *v = new_var(f, arena_printf(&f->module->arena, ".shared.%s", k->name),
				SP_SHARED, (size + 15) & ~15ull, 16);
	v->owner = fn;
	if (!v->size) {
		v->linkage = LINK_EXTERN;
		v->unsized = true;
	}
	vec_push(&fn->vars, v);
	module_add_var(f->module, v);
	return v;
}

static struct var *add_local(struct lift_file *f, struct func *fn, const struct cuelf_func *k)
{
	uint64_t bytes = k->stack > k->frame ? k->stack : k->frame;
	if (f->has_calls[k->section])
		bytes += CALLS_STACK;
	if (bytes > UINT32_MAX - 15) /* lift_make() refuses the kernel */
		bytes = UINT32_MAX - 15;
	fn->frame_bytes = (uint32_t)(bytes + 15) & ~15u;
	if (!bytes)
		return NULL;
	struct var *v = new_var(f, ".local", SP_LOCAL, fn->frame_bytes, 16);
	v->owner = fn;
	vec_push(&fn->vars, v);
	return v;
}

static void add_kernel(struct lift_file *f, const struct cuelf_func *k, struct var **section)
{
	struct arena *a = &f->module->arena;
	struct func *fn = ARENA_NEW(a, struct func);
	struct lift_kernel *lk = ARENA_NEW(a, struct lift_kernel);
	fn->name = arena_strdup(a, k->name);
	fn->linkage = k->global ? LINK_VISIBLE : LINK_NONE;
	fn->entry = fn->defined = fn->has_params = true;
	fn->text_name = f->name;
	memcpy(fn->reqntid, k->reqntid, sizeof fn->reqntid);
	memcpy(fn->maxntid, k->maxntid, sizeof fn->maxntid);
	memcpy(fn->cluster, k->cluster, sizeof fn->cluster);
	module_add_func(f->module, fn);
	module_name_func(f->module, fn);
	add_params(f, fn, k);
	*lk = (struct lift_kernel){.file = f, .f = k};
	memcpy(lk->bank, f->bank, sizeof lk->bank);
	for (int bank = 1; bank < LIFT_BANKS; bank++) {
		char *name = arena_printf(a, ".nv.constant%d.%s", bank, k->name);
		uint32_t i = cuelf_find(&f->elf, name);
		if (i)
			lk->bank[bank] = (struct lift_bank){section[i], f->elf.section.v[i].size};
	}
	lk->shared = add_shared(f, fn, k);
	lk->local = add_local(f, fn, k);
	fn->make = lift_make;
	fn->make_arg = lk;
}

/* ---- the file ---- */

static void free_file(void *p)
{
	struct lift_file *f = p;
	cuelf_free(&f->elf);
}

/* Every kernel's program begins at address 0; functions in sections of their own follow after the
 * longest kernel, at equal addresses in all programs. */
static void place_code(struct lift_file *f)
{
	const struct cuelf *e = &f->elf;
	struct arena *a = &f->module->arena;
	bool *kernel = ARENA_ARRAY(a, bool, e->section.n + 1);
	uint64_t most = 0;
	memset(kernel, 0, e->section.n + 1);
	f->code_base = ARENA_ARRAY(a, uint32_t, e->section.n + 1);
	memset(f->code_base, 0, (e->section.n + 1) * sizeof *f->code_base);
	for (size_t i = 0; i < e->func.n; i++) {
		uint32_t s = e->func.v[i].section;
		kernel[s] |= e->func.v[i].entry;
		if (e->func.v[i].entry && e->section.v[s].size > most)
			most = e->section.v[s].size;
	}
	uint32_t at = (uint32_t)(most + 0x10000) & ~0xffffu;
	for (uint32_t i = 1; i < e->section.n; i++)
		if (cuelf_suffix(e->section.v[i].name, ".text.") && !kernel[i]) {
			f->code_base[i] = at;
			at += (uint32_t)(e->section.v[i].size + 15) & ~15u;
		}
}

bool lift_module(struct module *out, const char *file, const void *data, size_t n, struct diag *d)
{
	struct lift_file *f = ARENA_NEW(&out->arena, struct lift_file);
	*f = (struct lift_file){.module = out, .name = arena_strdup(&out->arena, file)};
	f->bytes = arena_alloc(&out->arena, n + 1);
	memcpy(f->bytes, data, n);
	vec_push(&out->parts, (struct module_part){free_file, f});
	if (!cuelf_read(&f->elf, f->name, f->bytes, n, d))
		return false;
	if (!sm70_chip(arena_printf(&out->arena, "sm_%u", f->elf.sm)))
		return lift_bad(
			d, file,
			arena_printf(&out->arena, "machine code of sm_%u is not known", f->elf.sm),
			"");
	out->version = out->version > 80 ? out->version : 80;
	out->target = out->target > f->elf.sm ? out->target : f->elf.sm;
	out->address_size = 64;
	place_code(f);
	f->has_calls = find_calls(&f->elf, &out->arena);
	lift_add_sources(f);
	struct var **section = f->section_var = add_sections(f);
	f->symbol_var = add_symbols(f, section);
	if (!add_relocs(f, section, f->symbol_var, d))
		return false;
	for (size_t i = 0; i < f->elf.func.n; i++)
		if (f->elf.func.v[i].entry)
			add_kernel(f, &f->elf.func.v[i], section);
	return true;
}
