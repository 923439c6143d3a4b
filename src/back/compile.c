/* A module: its variables and kernels as a listing. */
#include <stdlib.h>
#include <string.h>
#include "back/sel.h"
#include "front/ptx/ptx.h"

enum { REGISTERS = 63, CONST_BYTES = 65536, PARAM_BYTES = 4096 };

static void lay_out(struct layout *l, struct module *m, struct diag *d)
{
	l->m = m;
	for (size_t i = 0; i < m->vars.n; i++) {
		const struct var *v = m->vars.v[i];
		if (v->type == T_TEXREF && (!v->def || v->def == v) && !v->owner)
			vec_push(&l->texture, v);
		if (v->type == T_TEXREF || v->space != SP_CONST || v->linkage == LINK_EXTERN ||
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

static void put_constants(const struct layout *l, FILE *f)
{
	if (!l->constant_bytes)
		return;
	uint8_t *bank = xcalloc(1, l->constant_bytes + 4u);
	for (size_t i = 0; i < l->constant.n; i++)
		if (l->constant.v[i]->init)
			memcpy(bank + l->constant_at.v[i], l->constant.v[i]->init,
			       l->constant.v[i]->size);
	fprintf(f, "\t.const 0x2");
	put_words(bank, l->constant_bytes, f);
	fprintf(f, "\n");
	for (size_t i = 0; i < l->constant.n; i++)
		if (l->constant.v[i]->size && !l->constant.v[i]->owner)
			fprintf(f, "\t.constant %s 2 0x%x %llu\n", l->constant.v[i]->name,
				l->constant_at.v[i], (unsigned long long)l->constant.v[i]->size);
	free(bank);
}

static bool put_variables(const struct module *m, const struct layout *l, FILE *f, struct diag *d)
{
	for (size_t i = 0; i < m->vars.n; i++) {
		const struct var *v = m->vars.v[i];
		bool tex = v->type == T_TEXREF || v->type == T_SAMPLERREF || v->type == T_SURFREF;
		if (tex && v->used && layout_texture(l, v) < 0) {
			diag_error(
				d,
				"%s: variable %s: samplers and surfaces have no form in sm_20 code yet",
				v->text_name ? v->text_name : "", v->name);
			return false;
		}
		if (tex && layout_texture(l, v) >= 0)
			fprintf(f, "\t.texture %s %d\n", v->name, layout_texture(l, v));
		if (tex || (v->space != SP_GLOBAL && v->space != SP_CONST) || !v->size ||
		    (v->def && v->def != v))
			continue;
		if (v->reloc.n) {
			diag_error(
				d,
				"%s: variable %s: an address in an initialiser has no form in sm_20 code yet",
				v->text_name ? v->text_name : "", v->name);
			return false;
		}
		if (v->space != SP_GLOBAL)
			continue;
		fprintf(f, "\t.global %s %llu", v->name, (unsigned long long)v->size);
		if (v->init)
			put_words(v->init, v->size, f);
		fprintf(f, "\n");
	}
	return true;
}

static void put_head(const struct func *f, const struct mfunc *m, uint32_t shared, FILE *o)
{
	fprintf(o, "\t\tFunction : %s\n\t.regs %u\n\t.shared %u\n\t.local %u\n", f->name,
		m->registers > 2 ? m->registers : 2, shared, (m->local + 15) & ~15u);
	if (f->proto.nparam) {
		fprintf(o, "\t.params");
		for (uint32_t i = 0; i < f->proto.nparam; i++)
			fprintf(o, " 0x%x:%u", (unsigned)f->proto.param[i]->addr,
				(unsigned)f->proto.param[i]->size);
		fprintf(o, "\n");
	}
	if (f->reqntid[0])
		fprintf(o, "\t.reqntid %u %u %u\n", f->reqntid[0],
			f->reqntid[1] ? f->reqntid[1] : 1, f->reqntid[2] ? f->reqntid[2] : 1);
	if (f->maxntid[0])
		fprintf(o, "\t.maxntid %u %u %u\n", f->maxntid[0],
			f->maxntid[1] ? f->maxntid[1] : 1, f->maxntid[2] ? f->maxntid[2] : 1);
}

static unsigned registers_for(const struct func *f, const struct back_opts *o)
{
	unsigned n = REGISTERS;
	if (o->max_registers && o->max_registers < n)
		n = o->max_registers;
	return f->maxnreg && f->maxnreg < n ? f->maxnreg : n;
}

static bool kernel(struct module *m, struct module *lib, const struct func *k,
		   const struct layout *l, const struct back_opts *o, struct back_kernel *rep,
		   FILE *out, struct diag *d)
{
	struct arena a = {0};
	struct sel s = {.m = {.a = &a}};
	struct func *f = back_inline(m, lib, k, &a, d);
	bool ok = f && sel_kernel(&s, f, l, d);
	if (ok)
		mir_coalesce(&s.m);
	if (ok && !mir_allocate(&s.m, registers_for(k, o))) {
		diag_error(d, "kernel %s: %u registers are too few", k->name, registers_for(k, o));
		ok = false;
	}
	if (ok) {
		uint32_t shared = layout_shared_bytes(f);
		put_head(k, &s.m, shared, out);
		for (size_t i = 0; i < s.m.code.n; i++)
			mir_print(&s.m, &s.m.code.v[i], out);
		*rep = (struct back_kernel){.name = k->name,
					    .registers = s.m.registers,
					    .instructions = (unsigned)s.m.code.n,
					    .spill_stores = s.m.spill_stores,
					    .spill_loads = s.m.spill_loads,
					    .shared = shared,
					    .constant = k->param_bytes + 0x20,
					    .local = s.m.local};
	}
	if (f)
		back_func_free(f);
	vec_free(&s.m.code);
	vec_free(&s.m.val);
	arena_free(&a);
	return ok;
}

char *back_compile(struct module *m, const struct back_opts *o, struct back_report *report,
		   struct diag *d)
{
	char *text = NULL;
	size_t n = 0;
	struct layout l = {0};
	struct back_report r = {0};
	FILE *f = open_memstream(&text, &n);
	struct module *lib = module_new();
	bool ok = f && ptx_read(lib, "library", back_library(), strlen(back_library()), d) &&
		  module_link(lib, d);
	r.kernel = xcalloc(m->funcs.n + 1, sizeof *r.kernel);
	lay_out(&l, m, d);
	ok = ok && !d->errors;
	if (ok) {
		fprintf(f, "\tcode for sm_20\n\t.address_size 64\n");
		put_constants(&l, f);
		ok = put_variables(m, &l, f, d);
	}
	for (size_t i = 0; i < m->funcs.n && ok; i++) {
		const struct func *k = m->funcs.v[i];
		if (k->entry && k->defined && (!k->def || k->def == k))
			ok = kernel(m, lib, k, &l, o, &r.kernel[r.n++], f, d);
	}
	if (f)
		fclose(f);
	vec_free(&l.constant);
	vec_free(&l.constant_at);
	vec_free(&l.texture);
	module_free(lib);
	if (!ok) {
		free(text);
		text = NULL;
	}
	if (report)
		*report = r;
	else
		free(r.kernel);
	return text;
}
