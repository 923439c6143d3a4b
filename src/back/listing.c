/* Writes the listing of a compiled module: variables with their initial values, heads of kernels,
 * code. The assembler of front/sass reads it back. */
#include <stdlib.h>
#include <string.h>
#include "back/listing.h"
#include "back/lower/inline.h"

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

/* Writes addresses in an initialiser: functions (call.c) as numbers, variables as relocations.
 * `at`: the variable's offset in the section with its initial value. */
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

/* Writes a variable's initial value to `bytes`, and values known only at load to the listing. */
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

static bool put_constants(const struct listing *x)
{
	const struct layout *l = x->l;
	unsigned bank_number = l->shared_base ? 0 : 2; /* sm_13, sm_20 */
	FILE *f = x->out;
	if (!l->constant_bytes)
		return true;
	bool ok = true;
	char section[24];
	uint8_t *bank = xcalloc(1, l->constant_bytes + 8u);
	snprintf(section, sizeof section, ".nv.constant%u", bank_number);
	for (size_t i = 0; i < l->constant.n && ok; i++)
		ok = put_initial(l->constant.v[i], section, l->constant_at.v[i],
				 bank + l->constant_at.v[i], f, x->d);
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

static bool put_globals(const struct listing *x)
{
	const struct module *m = x->m;
	const struct layout *l = x->l;
	FILE *f = x->out;
	uint64_t at = 0;
	for (size_t i = 0; i < m->vars.n; i++) {
		const struct var *v = m->vars.v[i];
		bool tex = layout_is_reference(v);
		if (tex && layout_texture(l, v) >= 0)
			fprintf(f, "\t.texture %s %d\n", v->name, layout_texture(l, v));
		if (tex && layout_surface(l, v) >= 0)
			fprintf(f, "\t.surface %s %d\n", v->name, layout_surface(l, v));
		if (tex || v->space != SP_GLOBAL || !v->size || (v->def && v->def != v))
			continue;
		if (!put_global(v, &at, f, x->d))
			return false;
	}
	for (size_t i = 0; i < l->global.n; i++)
		fprintf(f, "\t.address 14 0x%x %s\n", (unsigned)i * 4, l->global.v[i]->name);
	if (l->shared_base && l->constant_bytes) /* sm_13: the address of the bank, for
	                                          * cvta.const */
		fprintf(f, "\t.address 14 0x%x .nv.constant0\n", (unsigned)l->global.n * 4);
	return true;
}

bool listing_variables(const struct listing *x)
{
	fprintf(x->out, "\tcode for %s\n\t.address_size %u\n", x->machine,
		x->l->address32 ? 32u : 64u);
	return put_constants(x) && put_globals(x);
}

/* Writes the slots of texture objects, after all kernels. */
void listing_objects(const struct listing *x)
{
	const struct layout *l = x->l;
	FILE *f = x->out;
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

struct code_line { /* source of the current code */
	uint32_t ptx, line;
	const char *file;
	size_t at; /* index of the instruction in that line: the next line's code is mostly near */
};

/* Prints `.loc LINE FILE` where code of another line begins: the source line if the PTX names it,
 * else the line of the PTX. */
static void put_line(const struct listing *j, const struct func *f, uint32_t line,
		     struct code_line *at)
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

void listing_code(const struct listing *j, const struct func *k, const struct func *f,
		  const struct mfunc *m, uint32_t shared)
{
	struct code_line at = {0};
	put_head(k, m, shared, j->out);
	if (m->literal.n) {
		fprintf(j->out, "\t.const 1");
		for (size_t i = 0; i < m->literal.n; i++)
			fprintf(j->out, " 0x%x", m->literal.v[i]);
		fprintf(j->out, "\n");
	}
	for (size_t i = 0; i < m->code.n; i++) {
		put_line(j, f, m->code.v[i].line, &at);
		m->target->print(m, &m->code.v[i], j->out);
	}
}
