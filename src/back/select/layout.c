/* Places of variables: constants in bank 2 (sm_13: bank 0), shared variables in the kernel's shared
 * memory, textures and surfaces in slots. */
#include <string.h>
#include "back/select/sel.h"

enum { CONST_BYTES = 65536 };

static uint32_t align_up(uint64_t at, uint64_t align)
{
	return (uint32_t)((at + (align ? align : 1) - 1) / (align ? align : 1) *
			  (align ? align : 1));
}

uint32_t layout_const(const struct layout *l, const struct var *v)
{
	for (size_t i = 0; i < l->constant.n; i++)
		if (l->constant.v[i] == v)
			return l->constant_at.v[i];
	return 0;
}

static bool uses_variable(const struct func *f, const struct var *v)
{
	for (size_t i = 0; i < f->code.n; i++)
		for (unsigned k = 0; k < f->code.v[i].nd + f->code.v[i].ns; k++) {
			const struct opnd *o = &f->code.v[i].opnd[k];
			const struct var *x =
				o->kind == OPND_MEM || o->kind == OPND_SYM ? o->sym : NULL;
			if (x && (x == v || x->def == v))
				return true;
		}
	return false;
}

/* Bytes before the shared variables: on sm_13 the launch's header and the parameters, on sm_90 the
 * part that the driver reserves. */
static uint32_t layout_shared_base(const struct layout *l, const struct func *f)
{
	if (l->modern)
		return l->shared_base;
	return l->shared_base ? align_up(l->shared_base + f->param_bytes, 16) : 0;
}

/* Bytes of a word for each thread of the largest block that the kernel can have. */
static uint32_t exchange_bytes(const struct func *f)
{
	enum { THREADS = 1024 };
	const uint32_t *n = f->reqntid[0] ? f->reqntid : f->maxntid;
	uint64_t threads = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
	return 4u * align_up(threads && threads < THREADS ? threads : THREADS, 32);
}

/* The offset of a shared variable: variables with a size come first, in order; variables without a
 * size begin after them. */
static uint32_t shared_place(const struct layout *l, const struct func *f, const struct var *v,
			     uint32_t *end)
{
	uint32_t at = layout_shared_base(l, f), found = 0, last = 16;
	const struct module *m = f->module;
	for (size_t i = 0; i < m->vars.n; i++) {
		const struct var *x = m->vars.v[i];
		if (x->space != SP_SHARED || (x->def && x->def != x) || x->unsized ||
		    !uses_variable(f, x))
			continue;
		at = align_up(at, x->align);
		found = x == v ? at : found;
		at += (uint32_t)x->size;
	}
	if (l->exchange && uses_variable(f, l->exchange)) {
		found = l->exchange == v ? align_up(at, 4) : found;
		at = align_up(at, 4) + exchange_bytes(f);
	}
	*end = at;
	for (size_t i = 0; i < m->vars.n; i++)
		if (m->vars.v[i]->space == SP_SHARED && m->vars.v[i]->unsized &&
		    uses_variable(f, m->vars.v[i]))
			last = m->vars.v[i]->align > last ? m->vars.v[i]->align : last;
	if (v && v->unsized)
		found = align_up(at, last);
	return found;
}

uint32_t layout_shared(const struct layout *l, const struct func *f, const struct var *v)
{
	uint32_t end;
	return shared_place(l, f, v, &end);
}

static bool uses_unsized(const struct layout *l, const struct func *f)
{
	const struct module *m = f->module;
	(void)l;
	for (size_t i = 0; i < m->vars.n; i++)
		if (m->vars.v[i]->space == SP_SHARED && m->vars.v[i]->unsized &&
		    uses_variable(f, m->vars.v[i]))
			return true;
	return false;
}

uint32_t layout_shared_bytes(const struct layout *l, const struct func *f)
{
	uint32_t end;
	const struct module *m = f->module;
	shared_place(l, f, NULL, &end);
	if (l->modern && end == l->shared_base && !uses_unsized(l, f))
		return 0;
	for (size_t i = 0; i < m->vars.n; i++)
		if (m->vars.v[i]->space == SP_SHARED && m->vars.v[i]->unsized &&
		    uses_variable(f, m->vars.v[i]))
			return layout_shared(l, f,
					     m->vars.v[i]); /* so that its address is the one that
					                     * the code names */
	return end;
}

bool layout_is_reference(const struct var *v)
{
	return v->type == T_TEXREF || v->type == T_SAMPLERREF || v->type == T_SURFREF;
}

void layout_make(struct layout *l, const struct module *m, unsigned sm, bool address32,
		 struct diag *d)
{
	l->m = m;
	l->modern = sm >= 70;
	l->shared_base = sm < 20 ? TESLA_HEADER : l->modern ? MODERN_SHARED : 0;
	l->address32 = address32;
	for (size_t i = 0; i < m->vars.n; i++) {
		const struct var *v = m->vars.v[i];
		if (v->type == T_TEXREF && (!v->def || v->def == v) && !v->owner)
			vec_push(&l->texture, v);
		if (sm >= 20 && v->type == T_SURFREF && (!v->def || v->def == v) && !v->owner)
			vec_push(&l->surface, v);
		if ((sm < 20 || l->modern) && v->space == SP_GLOBAL && v->size &&
		    (!v->def || v->def == v))
			vec_push(&l->global, v);
		if (layout_is_reference(v) || v->space != SP_CONST || v->linkage == LINK_EXTERN ||
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

const char *layout_function(unsigned builtin)
{
	static const char *const name[LAYOUT_CALLED] = {[BI_VPRINTF] = "vprintf",
							[BI_ASSERTFAIL] = "__assertfail",
							[BI_MALLOC] = "malloc",
							[BI_FREE] = "free"};
	return builtin < LAYOUT_CALLED ? name[builtin] : NULL;
}

void layout_free(struct layout *l)
{
	vec_free(&l->constant);
	vec_free(&l->constant_at);
	vec_free(&l->texture);
	vec_free(&l->object);
	vec_free(&l->surface);
	vec_free(&l->global);
}
