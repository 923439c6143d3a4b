/* Compiles a module: its variables and kernels become a listing. */
#include <stdlib.h>
#include <string.h>
#include "back/lower/inline.h"
#include "front/ptx/ptx.h"

enum { CONST_BYTES = 65536, TESLA_SHARED = 16384, TESLA_HEADER = 16 };

static bool is_reference(const struct var *v)
{
	return v->type == T_TEXREF || v->type == T_SAMPLERREF || v->type == T_SURFREF;
}

static void lay_out(struct layout *l, struct module *m, unsigned sm, bool address32, struct diag *d)
{
	l->m = m;
	l->shared_base = sm < 20 ? TESLA_HEADER : 0;
	l->address32 = address32;
	for (size_t i = 0; i < m->vars.n; i++) {
		const struct var *v = m->vars.v[i];
		if (v->type == T_TEXREF && (!v->def || v->def == v) && !v->owner)
			vec_push(&l->texture, v);
		if (sm >= 20 && v->type == T_SURFREF && (!v->def || v->def == v) && !v->owner)
			vec_push(&l->surface, v);
		if (sm < 20 && v->space == SP_GLOBAL && v->size && (!v->def || v->def == v))
			vec_push(&l->global, v);
		if (is_reference(v) || v->space != SP_CONST || v->linkage == LINK_EXTERN ||
		    (v->def && v->def != v))
			continue;
		uint32_t al = v->align ? v->align : 4;
		l->constant_bytes = (l->constant_bytes + al - 1) / al * al;
		vec_push(&l->constant, v);
		vec_push(&l->constant_at, l->constant_bytes);
		l->constant_bytes += (uint32_t)v->size;
	}
	if (l->constant_bytes > CONST_BYTES)
		diag_error(d, "constants take %u bytes, a bank has %u", l->constant_bytes,
			   CONST_BYTES);
}

static uint32_t word_at(const uint8_t *p, uint64_t size, uint64_t at)
{
	uint32_t w = 0;
	for (unsigned b = 0; b < 4 && at + b < size; b++)
		w |= (uint32_t)p[at + b] << (8 * b);
	return w;
}

static void put_words(const uint8_t *p, uint64_t size, FILE *f)
{
	for (uint64_t i = 0; i < size; i += 4)
		fprintf(f, " 0x%x", word_at(p, size, i));
}

/* Addresses in an initialiser: functions (call.c) as numbers, variables as relocations. `at`: the
 * variable's offset in the section that has its initial value. */
static bool put_address(const struct var *v, const struct reloc *r, const char *section,
			uint64_t at, uint8_t *bytes, FILE *f, struct diag *d)
{
	const struct var *to = r->var && r->var->def ? r->var->def : r->var;
	uint64_t n = r->func ? (call_address(r->func) + (uint64_t)r->addend) >> r->shift : 0;
	bool whole = !r->shift && (r->size == 4 || r->size == 8);
	if (r->func) {
		memcpy(bytes + r->offset, &n, r->size);
	} else if (to && whole && (to->space == SP_GLOBAL || to->space == SP_CONST)) {
		memset(bytes + r->offset, 0, r->size);
		fprintf(f, "\t.reloc %s 0x%llx R_CUDA_%u %s %lld\n", section,
			(unsigned long long)(at + r->offset), r->size * 8u, to->name,
			(long long)r->addend);
	} else {
		diag_error(
			d,
			"%s: variable %s: this address in an initialiser has no form in machine code",
			v->text_name ? v->text_name : "", v->name);
		return false;
	}
	return true;
}

/* A variable's initial value to `bytes`, what is known at load alone to the listing. */
static bool put_initial(const struct var *v, const char *section, uint64_t at, uint8_t *bytes,
			FILE *f, struct diag *d)
{
	bool ok = true;
	if (v->init)
		memcpy(bytes, v->init, v->size);
	for (size_t i = 0; i < v->reloc.n && ok; i++)
		ok = v->reloc.v[i].offset + (uint64_t)v->reloc.v[i].size <= v->size &&
		     put_address(v, &v->reloc.v[i], section, at, bytes, f, d);
	return ok;
}

static bool put_constants(const struct layout *l, unsigned bank_number, FILE *f, struct diag *d)
{
	if (!l->constant_bytes)
		return true;
	bool ok = true;
	char section[24];
	uint8_t *bank = xcalloc(1, l->constant_bytes + 8u);
	snprintf(section, sizeof section, ".nv.constant%u", bank_number);
	for (size_t i = 0; i < l->constant.n && ok; i++)
		ok = put_initial(l->constant.v[i], section, l->constant_at.v[i],
				 bank + l->constant_at.v[i], f, d);
	fprintf(f, "\t.const 0x%x", bank_number);
	put_words(bank, l->constant_bytes, f);
	fprintf(f, "\n");
	for (size_t i = 0; i < l->constant.n; i++)
		if (l->constant.v[i]->size && !l->constant.v[i]->owner)
			fprintf(f, "\t.constant %s %u 0x%x %llu\n", l->constant.v[i]->name,
				bank_number, l->constant_at.v[i],
				(unsigned long long)l->constant.v[i]->size);
	free(bank);
	return ok;
}

static bool put_global(const struct var *v, uint64_t *at, FILE *f, struct diag *d)
{
	uint8_t *bytes = v->init || v->reloc.n ? xcalloc(1, v->size + 8) : NULL;
	bool ok = !bytes || put_initial(v, ".nv.global.init", *at, bytes, f, d);
	fprintf(f, "\t.global %s %llu", v->name, (unsigned long long)v->size);
	if (bytes) {
		put_words(bytes, v->size, f);
		*at += (v->size + 15) & ~UINT64_C(15);
	}
	fprintf(f, "\n");
	free(bytes);
	return ok;
}

static bool put_variables(const struct module *m, const struct layout *l, FILE *f, struct diag *d)
{
	uint64_t at = 0;
	for (size_t i = 0; i < m->vars.n; i++) {
		const struct var *v = m->vars.v[i];
		bool tex = is_reference(v);
		if (tex && layout_texture(l, v) >= 0)
			fprintf(f, "\t.texture %s %d\n", v->name, layout_texture(l, v));
		if (tex && layout_surface(l, v) >= 0)
			fprintf(f, "\t.surface %s %d\n", v->name, layout_surface(l, v));
		if (tex || v->space != SP_GLOBAL || !v->size || (v->def && v->def != v))
			continue;
		if (!put_global(v, &at, f, d))
			return false;
	}
	for (size_t i = 0; i < l->global.n; i++)
		fprintf(f, "\t.address 14 0x%x %s\n", (unsigned)i * 4, l->global.v[i]->name);
	if (l->shared_base && l->constant_bytes) /* sm_13: where cvta.const finds the bank */
		fprintf(f, "\t.address 14 0x%x .nv.constant0\n", (unsigned)l->global.n * 4);
	return true;
}

/* The slots of texture objects, once all kernels are made. */
static void put_objects(const struct layout *l, FILE *f)
{
	if (l->objects)
		fprintf(f, "\t.texture .objects %zu\n", l->texture.n);
	if (l->surface_objects)
		fprintf(f, "\t.surface .objects %zu\n", l->surface.n);
	for (size_t i = 0; i < l->object.n; i++)
		fprintf(f, "\t.texture .param+0x%x %zu\n", l->object.v[i], l->texture.n + i);
}

static void put_head(const struct func *f, const struct mfunc *m, uint32_t shared, FILE *o)
{
	fprintf(o, "\t\tFunction : %s\n\t.regs %u\n\t.shared %u\n\t.local %u\n", f->name,
		m->registers > 2 ? m->registers : 2, shared, (m->local + 15) & ~15u);
	fprintf(o, "\t.params");
	for (uint32_t i = 0; i < f->proto.nparam; i++)
		fprintf(o, " 0x%x:%u", (unsigned)f->proto.param[i]->addr,
			(unsigned)f->proto.param[i]->size);
	fprintf(o, "\n");
	if (f->reqntid[0])
		fprintf(o, "\t.reqntid %u %u %u\n", f->reqntid[0],
			f->reqntid[1] ? f->reqntid[1] : 1, f->reqntid[2] ? f->reqntid[2] : 1);
	if (f->maxntid[0])
		fprintf(o, "\t.maxntid %u %u %u\n", f->maxntid[0],
			f->maxntid[1] ? f->maxntid[1] : 1, f->maxntid[2] ? f->maxntid[2] : 1);
}

static unsigned registers_for(const struct func *f, const struct mtarget *t,
			      const struct back_opts *o)
{
	unsigned n = t->registers;
	if (o->max_registers && o->max_registers < n)
		n = o->max_registers;
	return f->maxnreg && f->maxnreg < n ? f->maxnreg : n;
}

/* clang-format off */
#define KINDS(X) X(iscadd) X(imad) X(vmnmx) X(vadd) X(psetp) X(bra.u) X(predicate) X(fold) X(vector) \
	X(coalesce) X(common) X(rename) X(tail) X(address) X(divide) X(ldu) X(room)
/* clang-format on */

const char *back_kind_names(void)
{
#define NAMED(name) " " #name
	return "expected ptx, tesla or fermi, and behind a dash each what is left out:" KINDS(
		NAMED);
#undef NAMED
}

bool back_kinds(const char *list, unsigned *kinds)
{
#define NAME(name) #name,
	static const char *const name[] = {KINDS(NAME)};
#undef NAME
	*kinds = 0;
	while (*list) {
		size_t n = strcspn(list, "-"), i = 0, all = sizeof name / sizeof *name;
		while (i < all && (strlen(name[i]) != n || strncmp(name[i], list, n)))
			i++;
		if (i == all)
			return false;
		*kinds |= 1u << i;
		list += n + (list[n] == '-');
	}
	return true;
}

bool back_without(const char *list, unsigned *kinds, struct diag *d)
{
	bool ok = back_kinds(list ? list : "", kinds);
	if (!ok)
		diag_error(d, "code without %s: %s", list, back_kind_names());
	return ok;
}

struct job { /* a module being compiled */
	struct module *m, *lib;
	const struct back_opts *o;
	const struct mtarget *target;
	struct layout l;
	FILE *out;
	struct diag *d;
};

struct code_line { /* what the current code was made of */
	uint32_t ptx, line;
	const char *file;
	size_t at; /* the instruction of that line: code of the next is mostly near */
};

/* Prints `.loc LINE FILE` where code of another line begins: the source line if the PTX names it,
 * else the line of the PTX. */
static void put_line(const struct job *j, const struct func *f, uint32_t line, struct code_line *at)
{
	const struct inst *in = NULL;
	if (!line || line == at->ptx)
		return;
	at->ptx = line;
	for (size_t i = 0; i < f->code.n && !in; i++) {
		size_t k = (at->at + i) % f->code.n;
		if (f->code.v[k].line == line) {
			in = &f->code.v[k];
			at->at = k;
		}
	}
	const char *file = in && in->src_file ? j->m->files.v[in->src_file - 1] : NULL;
	uint32_t number = file ? in->src_line : line;
	file = file ? file : f->text_name;
	if (!file || (at->file == file && at->line == number))
		return;
	at->file = file;
	at->line = number;
	fprintf(j->out, "\t.loc %u %s\n", number, file);
}

static void put_code(const struct job *j, const struct func *k, const struct func *f,
		     const struct sel *s, uint32_t shared)
{
	struct code_line at = {0};
	put_head(k, &s->m, shared, j->out);
	if (s->m.literal.n) {
		fprintf(j->out, "\t.const 1");
		for (size_t i = 0; i < s->m.literal.n; i++)
			fprintf(j->out, " 0x%x", s->m.literal.v[i]);
		fprintf(j->out, "\n");
	}
	for (size_t i = 0; i < s->m.code.n; i++) {
		put_line(j, f, s->m.code.v[i].line, &at);
		j->target->print(&s->m, &s->m.code.v[i], j->out);
	}
}

static bool fits(const struct job *j, const struct func *k, uint32_t shared)
{
	if (j->target->sm >= 20 || shared <= TESLA_SHARED)
		return true;
	diag_error(j->d, "kernel %s: %u bytes of shared memory with its parameters, %s has %u",
		   k->name, shared, j->target->name, TESLA_SHARED);
	return false;
}

/* From selected code to allocated registers. */
static bool finish(const struct job *j, const struct func *k, struct sel *s)
{
	unsigned n = registers_for(k, j->target, j->o);
	if (mir_finish(&s->m, n, j->o->without))
		return true;
	diag_error(j->d, "kernel %s: %u registers are too few", k->name, n);
	return false;
}

static const struct selector *selector_of(const struct job *j)
{
	return j->target->sm < 20 ? &selector_tesla : &selector_fermi;
}

/* Warps of a block as the kernel's bounds say; 256 threads, the usual number, where it has none. */
static unsigned block_warps(const struct func *k, const struct mtarget *t)
{
	const uint32_t *n = k->reqntid[0] ? k->reqntid : k->maxntid;
	uint64_t threads = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1),
		 warps = threads ? (threads + 31) / 32 : 8;
	return warps < t->warps ? (unsigned)warps : t->warps;
}

static bool kernel(struct job *j, const struct func *k, struct back_kernel *rep)
{
	struct arena a = {0};
	struct sel s = {.m = {.a = &a, .target = j->target}, .how = selector_of(j)};
	s.m.block_warps = block_warps(k, j->target);
	s.m.inputs = j->target->sm < 20 ? TESLA_HEADER + k->param_bytes : 0;
	struct func *f = back_inline(j->m, j->lib, j->target, j->o->without, k, &a, j->d);
	if (f) {
		back_split(f, &a);
		back_handles(f);
		back_locks(f, &a);
		back_barriers(f, &a);
		back_stores(f, j->target->sm, &a);
		back_look(f, &a);
		back_predicate(f, j->target->sm, j->o->without);
		back_arms(f, &a);
		back_headers(f, &a);
	}
	uint32_t shared = f ? layout_shared_bytes(&j->l, f) : 0;
	bool ok = f && fits(j, k, shared) && sel_kernel(&s, f, &j->l, j->d) && finish(j, k, &s);
	if (ok) {
		put_code(j, k, f, &s, shared);
		unsigned n = 0;
		for (size_t i = 0; i < s.m.code.n; i++)
			n += s.m.code.v[i].name != NULL;
		*rep = (struct back_kernel){.name = k->name,
					    .registers = s.m.registers,
					    .instructions = n,
					    .spill_stores = s.m.spill_stores,
					    .spill_loads = s.m.spill_loads,
					    .shared = shared,
					    .constant = k->param_bytes + 0x20,
					    .local = s.m.local};
	}
	if (f)
		back_func_free(f);
	mfunc_free(&s.m);
	arena_free(&a);
	return ok;
}

/* An entry that only ends: the loader knows its parameters, and its launch says why it cannot
 * run. */
static void put_stub(const struct job *j, const struct func *k)
{
	struct sel s = {.m = {.target = j->target}, .how = selector_of(j), .f = k};
	s.how->leave(&s);
	put_code(j, k, k, &s, 0);
	vec_free(&s.m.code);
}

static bool kernel_or_stub(struct job *j, const struct func *k, struct back_kernel *rep)
{
	struct diag *all = j->d, *own = xcalloc(1, sizeof *own);
	j->d = own;
	bool ok = kernel(j, k, rep);
	j->d = all;
	if (!ok) {
		put_stub(j, k);
		*rep = (struct back_kernel){.name = k->name, .refused = own};
		return true;
	}
	diag_free(own);
	free(own);
	return true;
}

void back_report_free(struct back_report *r)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->kernel[i].refused) {
			diag_free(r->kernel[i].refused);
			free(r->kernel[i].refused);
		}
	free(r->kernel);
}

/* Writes the routines that are made for instructions of a module (expand.h), each once, and counts those that
 * need a routine of any kind. */
static unsigned write_routines(const struct job *j, const struct module *m, struct map *written,
			       struct arena *names, FILE *f)
{
	char name[ROUTINE_NAME];
	unsigned needs = 0;
	for (size_t i = 0; i < m->funcs.n; i++) {
		const struct func *fn = m->funcs.v[i];
		for (size_t k = 0; k < fn->code.n; k++) {
			const struct inst *in = &fn->code.v[k];
			const char *own = back_routine_for(in, j->target->sm, j->o->without, name);
			if (!own)
				continue;
			needs++;
			if (own != name || !back_expands(in, j->target->sm, name) ||
			    map_get(written, name))
				continue;
			map_put(written, arena_strdup(names, name), j->m);
			back_expand(in, j->target->sm, f);
		}
	}
	return needs;
}

/* Reads the routines for m's instructions to the library, then those for these. `before`: routines are read
 * already. False: an error. *needs: m has an instruction that needs one. */
static bool read_routines(struct job *j, const struct module *m, bool before, struct map *written,
			  struct arena *names, bool *needs)
{
	char *made = NULL;
	size_t n = 0, known = written->n;
	FILE *f = open_memstream(&made, &n);
	fprintf(f, ".version 8.6\n.target sm_100\n.address_size 64\n%s",
		before ? "" : ".shared .align 4 .b8 exchange[4096];\n");
	*needs = write_routines(j, m, written, names, f);
	fclose(f);
	bool ok = true;
	if (*needs && !j->lib)
		j->lib = module_new();
	if (*needs && (!before || written->n > known))
		ok = ptx_read(j->lib, before ? "routines of routines" : "routines", made, n, j->d);
	free(made);
	return ok;
}

/* Most modules need no routine, and reading the library takes longer than compiling them. */
static bool read_library(struct job *j)
{
	const char *text[] = {back_library(), back_library_bits(), back_library_atom(),
			      tesla_library(), tesla_library_float()};
	struct map written = {0};
	struct arena names = {0};
	bool needs = false, ok = read_routines(j, j->m, false, &written, &names, &needs);
	if (needs) {
		for (unsigned i = 0; i < (j->target->sm < 20 ? 5u : 3u); i++)
			ok = ok && ptx_read(j->lib, "library", text[i], strlen(text[i]), j->d);
		for (size_t n = 0; ok && n != written.n;) {
			n = written.n;
			ok = read_routines(j, j->lib, true, &written, &names, &needs);
		}
		ok = ok && module_link(j->lib, j->d);
	}
	map_free(&written);
	arena_free(&names);
	return ok;
}

char *back_compile(struct module *m, const struct back_opts *o, struct back_report *report,
		   struct diag *d)
{
	char *text = NULL;
	size_t n = 0;
	struct back_report r = {.sm = o->sm == 13 ? 13 : 20};
	struct job j = {.m = m, .o = o, .d = d};
	j.target = r.sm == 13 ? &target_tesla : &target_fermi;
	j.out = open_memstream(&text, &n);
	if (r.sm >= 20)
		back_atom_spaces(m);
	bool ok = j.out && read_library(&j);
	r.kernel = xcalloc(m->funcs.n + 1, sizeof *r.kernel);
	bool address32 = r.sm < 20 || !o->address64;
	lay_out(&j.l, m, r.sm, address32, d);
	struct symbol *lanes = j.lib ? map_get(&j.lib->symbols, "exchange") : NULL;
	j.l.exchange = lanes ? lanes->var : NULL;
	ok = ok && !d->errors;
	if (ok) {
		fprintf(j.out, "\tcode for %s\n\t.address_size %u\n", j.target->name,
			address32 ? 32u : 64u);
		ok = put_constants(&j.l, r.sm < 20 ? 0 : 2, j.out, d) &&
		     put_variables(m, &j.l, j.out, d);
	}
	bool variables = ok;
	for (size_t i = 0; i < m->funcs.n && variables; i++) {
		const struct func *k = m->funcs.v[i];
		if (k->entry && k->defined && (!k->def || k->def == k))
			ok &= (o->keep_refused ? kernel_or_stub : kernel)(&j, k, &r.kernel[r.n++]);
	}
	if (ok)
		put_objects(&j.l, j.out);
	if (j.out)
		fclose(j.out);
	vec_free(&j.l.constant);
	vec_free(&j.l.constant_at);
	vec_free(&j.l.texture);
	vec_free(&j.l.object);
	vec_free(&j.l.surface);
	vec_free(&j.l.global);
	if (j.lib)
		module_free(j.lib);
	if (!ok) {
		free(text);
		text = NULL;
	}
	if (report)
		*report = r;
	else
		back_report_free(&r);
	return text;
}
