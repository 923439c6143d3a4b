/* Compiles a module: each kernel goes through pipeline.c's passes and selection, and the result is
 * listed (listing.c). */
#include <stdlib.h>
#include <string.h>
#include "back/listing.h"
#include "back/lower/lower.h"
#include "back/routines/routines.h"
#include "back/sm90/code.h"

enum { TESLA_SHARED = 16384 };

static unsigned registers_for(const struct func *f, const struct mtarget *t,
			      const struct back_opts *o)
{
	unsigned n = t->registers + t->extra;
	if (o->max_registers && o->max_registers < n)
		n = o->max_registers;
	if (f->maxnreg && f->maxnreg < n)
		n = f->maxnreg;
	return n > t->extra ? n - t->extra : 0;
}

struct job { /* a module being compiled */
	struct module *m, *lib;
	const struct back_opts *o;
	const struct mtarget *target;
	struct layout l;
	struct listing text;
	struct cubin_writer cubin; /* the file for sm_90, in place of the text */
	struct diag *d;
};

static bool is_modern(const struct job *j) { return j->target->sm >= 70; }

static bool shared_fits(const struct job *j, const struct func *k, uint32_t shared)
{
	if (j->target->sm >= 20 || shared <= TESLA_SHARED)
		return true;
	diag_error(j->d, "kernel %s: %u bytes of shared memory with its parameters, %s has %u",
		   k->name, shared, j->target->name, TESLA_SHARED);
	return false;
}

/* Turns selected code into code over allocated registers. */
static bool allocate_registers(const struct job *j, const struct func *k, struct sel *s)
{
	unsigned n = registers_for(k, j->target, j->o), fewest = SM90_FEWEST - j->target->extra;
	/* what the driver gives a thread at least; its functions use most of the first 22 */
	if (is_modern(j) && s->m.calls && n < fewest)
		n = fewest;
	if (mir_finish(&s->m, n, j->o->without))
		return true;
	diag_error(j->d, "kernel %s: %u registers are too few", k->name, n);
	return false;
}

static const struct selector *selector_of(const struct job *j)
{
	return is_modern(j)         ? &selector_sm90
	       : j->target->sm < 20 ? &selector_tesla
				    : &selector_fermi;
}

/* Warps of a block by the kernel's bounds; without bounds, those of 256 threads, the usual
 * number. */
static unsigned block_warps(const struct func *k, const struct mtarget *t)
{
	const uint32_t *n = k->reqntid[0] ? k->reqntid : k->maxntid;
	uint64_t threads = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1),
		 warps = threads ? (threads + 31) / 32 : 8;
	return warps < t->warps ? (unsigned)warps : t->warps;
}

/* Writes the code of kernel k; f is its copy without calls. */
static bool put_code(struct job *j, const struct func *k, const struct func *f,
		     const struct mfunc *m, uint32_t shared)
{
	if (!is_modern(j)) {
		listing_code(&j->text, k, f, m, shared);
		return true;
	}
	struct cubin_kernel c = {.f = k, .shared = shared, .local = (m->local + 15) & ~15u};
	c.called = m->called;
	c.registers = m->registers + m->target->extra;
	if (c.registers < SM90_FEWEST)
		c.registers = SM90_FEWEST;
	bool ok = code_words(m, k->name, &c.words, j->d);
	if (ok)
		vec_push(&j->cubin.kernel, c);
	else
		code_words_free(&c.words);
	return ok;
}

/* Alignment counts from the beginning of the bank. The parameters begin elsewhere, so an aligned
 * parameter may leave a gap before it. */
static void place_params(struct func *k)
{
	uint32_t at = SM90_PARAMS;
	for (uint32_t i = 0; i < k->proto.nparam; i++) {
		struct var *p = k->proto.param[i];
		uint32_t align = p->align ? p->align : 1;
		at = (at + align - 1) / align * align;
		p->addr = at - SM90_PARAMS;
		at += (uint32_t)p->size;
	}
	k->param_bytes = at - SM90_PARAMS;
}

static bool compile_kernel(struct job *j, const struct func *k, struct back_kernel *rep)
{
	struct arena a = {0};
	struct sel s = {.m = {.a = &a, .target = j->target}, .how = selector_of(j)};
	s.m.block_warps = block_warps(k, j->target);
	s.m.inputs = j->target->sm < 20 ? TESLA_HEADER + k->param_bytes : 0;
	struct func *f = back_inline(j->m, j->lib, j->target, j->o->without, k, &a, j->d);
	if (f)
		pipeline_lower(&(struct lowering){f, &a, j->target, j->o->without, j->l.exchange});
	uint32_t shared = f ? layout_shared_bytes(&j->l, f) : 0;
	bool ok = f && shared_fits(j, k, shared) && sel_kernel(&s, f, &j->l, j->d) &&
		  allocate_registers(j, k, &s);
	ok = ok && put_code(j, k, f, &s.m, shared);
	if (ok && is_modern(j)) {
		struct cubin_kernel *c = &j->cubin.kernel.v[j->cubin.kernel.n - 1];
		c->reference = s.reference.v;
		c->nreference = (unsigned)s.reference.n;
	} else {
		vec_free(&s.reference);
	}
	if (ok) {
		unsigned n = 0;
		for (size_t i = 0; i < s.m.code.n; i++)
			n += s.m.code.v[i].name != NULL;
		*rep = (struct back_kernel){.name = k->name,
					    .registers = s.m.registers + j->target->extra,
					    .instructions = n,
					    .spill_stores = s.m.spill_stores,
					    .spill_loads = s.m.spill_loads,
					    .shared = shared,
					    .constant = k->param_bytes +
							(is_modern(j) ? SM90_PARAMS : 0x20),
					    .local = s.m.local};
	}
	if (f)
		back_func_free(f);
	mfunc_free(&s.m);
	arena_free(&a);
	return ok;
}

/* Writes an entry that only ends: the loader knows its parameters, and its launch says why it
 * cannot run. */
static void put_stub(struct job *j, const struct func *k)
{
	struct sel s = {.m = {.target = j->target}, .how = selector_of(j), .f = k};
	s.how->leave(&s);
	put_code(j, k, k, &s.m, 0);
	vec_free(&s.m.code);
}

static bool compile_or_stub(struct job *j, const struct func *k, struct back_kernel *rep)
{
	struct diag *all = j->d, *own = xcalloc(1, sizeof *own);
	j->d = own;
	bool ok = compile_kernel(j, k, rep);
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

/* Compiles the kernels of the module; false: errors, each kernel's in its own diag. */
static bool compile_kernels(struct job *j, struct back_report *r)
{
	bool ok = true;
	for (size_t i = 0; i < j->m->funcs.n; i++) {
		struct func *k = j->m->funcs.v[i];
		bool own = k->entry && k->defined && (!k->def || k->def == k);
		if (own && is_modern(j))
			place_params(k);
		if (own)
			ok &= (j->o->keep_refused ? compile_or_stub
						  : compile_kernel)(j, k, &r->kernel[r->n++]);
	}
	return ok;
}

char *back_compile(struct module *m, const struct back_opts *o, struct back_report *report,
		   size_t *size, struct diag *d)
{
	char *text = NULL;
	size_t n = 0;
	struct back_report r = {.sm = o->sm ? o->sm : 20,
				.kernel = xcalloc(m->funcs.n + 1, sizeof *r.kernel)};
	struct job j = {.m = m, .o = o, .d = d};
	j.target = r.sm == 13 ? &target_tesla : r.sm == 20 ? &target_fermi : &target_sm90;
	FILE *out = open_memstream(&text, &n);
	j.text = (struct listing){m, &j.l, j.target->name, out, d};
	if (r.sm == 20)
		back_atom_spaces(m);
	j.lib = routines_read(m, r.sm, o->without, d);
	layout_make(&j.l, m, r.sm, r.sm < 20 || (r.sm == 20 && !o->address64), d);
	j.l.exchange = routines_exchange(j.lib);
	j.cubin = (struct cubin_writer){.m = m, .l = &j.l};
	bool ok = out && !d->errors && (is_modern(&j) || listing_variables(&j.text)) &&
		  compile_kernels(&j, &r);
	if (ok && !is_modern(&j))
		listing_objects(&j.text);
	if (out)
		fclose(out);
	if (ok && is_modern(&j)) {
		free(text);
		text = (char *)cubin_write(&j.cubin, &n, d);
		ok = text != NULL;
	}
	*size = n;
	cubin_free(&j.cubin);
	layout_free(&j.l);
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
