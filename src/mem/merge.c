#include "mem/merge.h"

enum { BUCKETS = 1 << 14, CHUNK = 256 };

void merge_init(struct merge *x, cycle_t window, unsigned most, struct arena *a)
{
	*x = (struct merge){.arena = a,
			    .window = window,
			    .most = most,
			    .bucket = ARENA_ARRAY(a, struct merge_read *, BUCKETS)};
}

static struct merge_read **bucket_of(const struct merge *x, unsigned group, uint64_t addr)
{
	uint64_t key = (addr << 8 | group) * 0x9e3779b97f4a7c15ull;
	return &x->bucket[key >> 50];
}

static struct merge_read *new_read(struct merge *x)
{
	if (!x->free_read) {
		struct merge_read *r = ARENA_ARRAY(x->arena, struct merge_read, CHUNK);
		for (unsigned i = 0; i < CHUNK; i++) {
			r[i].next = x->free_read;
			x->free_read = &r[i];
		}
	}
	struct merge_read *r = x->free_read;
	x->free_read = r->next;
	return r;
}

static struct merge_follower *new_follower(struct merge *x)
{
	if (!x->free_follower) {
		struct merge_follower *f = ARENA_ARRAY(x->arena, struct merge_follower, CHUNK);
		for (unsigned i = 0; i < CHUNK; i++) {
			f[i].next = x->free_follower;
			x->free_follower = &f[i];
		}
	}
	struct merge_follower *f = x->free_follower;
	x->free_follower = f->next;
	return f;
}

bool merge_join(struct merge *x, unsigned group, const struct msg *m)
{
	struct merge_read **b = bucket_of(x, group, m->addr);
	for (struct merge_read *r = *b; r; r = r->next) {
		if (r->addr != m->addr || r->group != group || m->pieces != r->pieces ||
		    m->time > r->sent + x->window || r->shared + 1 == x->most)
			continue;
		struct merge_follower *f = new_follower(x);
		*f = (struct merge_follower){.msg = *m};
		if (r->last)
			r->last->next = f;
		else
			r->first = f;
		r->last = f;
		r->shared++;
		x->held++;
		return true;
	}
	struct merge_read *r = new_read(x);
	*r = (struct merge_read){.next = *b,
				 .addr = m->addr,
				 .sent = m->time,
				 .pieces = m->pieces,
				 .id = m->id,
				 .group = (uint16_t)group,
				 .sm = m->sm};
	*b = r;
	return false;
}

struct merge_follower *merge_take(struct merge *x, unsigned group, const struct msg *m)
{
	struct merge_read **p = bucket_of(x, group, m->addr);
	while (*p && ((*p)->addr != m->addr || (*p)->group != group || (*p)->sm != m->sm ||
		      (*p)->id != m->id || (*p)->pieces != m->pieces))
		p = &(*p)->next;
	struct merge_read *r = *p;
	if (!r)
		return NULL;
	*p = r->next;
	r->next = x->free_read;
	x->free_read = r;
	return r->first;
}

void merge_end(struct merge *x, struct merge_follower *first)
{
	while (first) {
		struct merge_follower *next = first->next;
		first->next = x->free_follower;
		x->free_follower = first;
		x->held--;
		first = next;
	}
}
