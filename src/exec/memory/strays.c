#include "exec/memory/strays.h"

uint8_t *stray_bytes(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
		     enum access acc, stray_fn *tell)
{
	struct strays *s = w->cta->l->strays;
	uint8_t *p = s ? devmem_in_page(w->cta->l->mem, a, n) : NULL;
	if (!p)
		return NULL;
	const struct uop *code = w->cta->l->img->code;
	for (size_t i = 0; i < s->at.n; i++)
		if (inst_same_place(code[s->at.v[i].f.pc].in, u->in)) {
			s->at.v[i].count++;
			return p;
		}
	struct fault *f = &w->cta->x->fault;
	tell(w, u, lane, a, n, acc);
	vec_push(&s->at, ((struct stray){*f, 1}));
	*f = (struct fault){0};
	w->stop = STOP_NONE;
	return p;
}

void strays_free(struct strays *s)
{
	if (s)
		vec_free(&s->at);
	free(s);
}
