#include "sm/diverge/calls.h"

void calls_init(struct calls *c, unsigned roots)
{
	*c = (struct calls){.free = NO_SITE};
	for (unsigned i = 0; i < roots; i++)
		vec_push(&c->site,
			 (struct site){.parent = NO_SITE, .child = NO_SITE, .next = NO_SITE});
}

void calls_fini(struct calls *c) { vec_free(&c->site); }

static int32_t new_site(struct calls *c)
{
	int32_t i = c->free;
	if (i != NO_SITE) {
		c->free = c->site.v[i].next;
		return i;
	}
	vec_push(&c->site, (struct site){0});
	return (int32_t)c->site.n - 1;
}

int32_t calls_enter(struct calls *c, int32_t parent, uint32_t ret, const struct frame *callee)
{
	for (int32_t i = c->site.v[parent].child; i != NO_SITE; i = c->site.v[i].next)
		if (c->site.v[i].ret == ret) {
			c->site.v[i].uses++;
			return i;
		}
	int32_t i = new_site(c);
	struct site *p = &c->site.v[parent];
	c->site.v[i] = (struct site){.parent = parent,
				     .child = NO_SITE,
				     .next = p->child,
				     .ret = ret,
				     .uses = 1,
				     .frame = *callee};
	p->child = i;
	p->uses++;
	return i;
}

bool calls_left(const struct calls *c, int32_t site)
{
	return !c->site.v[site].uses && c->site.v[site].child == NO_SITE;
}

void calls_hold(struct calls *c, int32_t site) { c->site.v[site].uses++; }

void calls_drop(struct calls *c, int32_t i)
{
	while (!--c->site.v[i].uses && c->site.v[i].parent != NO_SITE) {
		struct site *s = &c->site.v[i];
		int32_t *at = &c->site.v[s->parent].child, parent = s->parent;
		while (*at != i)
			at = &c->site.v[*at].next;
		*at = s->next;
		s->next = c->free;
		c->free = i;
		i = parent;
	}
}
