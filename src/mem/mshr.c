#include "mem/mshr.h"

#include "mem/ring.h"

void mshr_init(struct mshrs *m, struct arena *a, uint32_t n, uint32_t merge)
{
	*m = (struct mshrs){.n = n, .merge = merge, .ready = MSHR_NONE, .ready_last = MSHR_NONE};
	m->v = ARENA_ARRAY(a, struct mshr, n);
	m->waits = ARENA_ARRAY(a, struct mshr_wait, (size_t)n * merge);
	m->bucket_mask = ring_round(2 * n) - 1;
	m->bucket = ARENA_ARRAY(a, uint32_t, m->bucket_mask + 1);
	for (uint32_t i = 0; i <= m->bucket_mask; i++)
		m->bucket[i] = MSHR_NONE;
}

static uint32_t *bucket_of(const struct mshrs *m, uint64_t line)
{
	return &m->bucket[(line * 0x9e3779b97f4a7c15ull >> 40) & m->bucket_mask];
}

uint32_t mshr_find(const struct mshrs *m, uint64_t line)
{
	for (uint32_t i = *bucket_of(m, line); i != MSHR_NONE; i = m->v[i].next)
		if (m->v[i].line == line)
			return i;
	return MSHR_NONE;
}

uint32_t mshr_new(struct mshrs *m, uint64_t line)
{
	uint32_t i = m->free, *b = bucket_of(m, line);
	m->free = i == m->top ? ++m->top : m->v[i].next;
	m->v[i] = (struct mshr){.line = line, .first = MSHR_NONE, .last = MSHR_NONE, .next = *b};
	*b = i;
	m->used++;
	return i;
}

static void mshr_release(struct mshrs *m, uint32_t entry)
{
	uint32_t *p = bucket_of(m, m->v[entry].line);
	while (*p != entry)
		p = &m->v[*p].next;
	*p = m->v[entry].next;
	m->v[entry].next = m->free;
	m->free = entry;
	m->used--;
}

void mshr_wait(struct mshrs *m, uint32_t entry, uint32_t token, uint32_t need)
{
	struct mshr *e = &m->v[entry];
	uint32_t i = m->free_wait;
	m->free_wait = i == m->top_wait ? ++m->top_wait : m->waits[i].next;
	m->waits[i] = (struct mshr_wait){token, need, entry, MSHR_NONE};
	if (e->last == MSHR_NONE)
		e->first = i;
	else
		m->waits[e->last].next = i;
	e->last = i;
	e->waiting++;
}

static void make_ready(struct mshrs *m, uint32_t i)
{
	m->waits[i].next = MSHR_NONE;
	if (m->ready == MSHR_NONE)
		m->ready = i;
	else
		m->waits[m->ready_last].next = i;
	m->ready_last = i;
}

void mshr_fill(struct mshrs *m, uint32_t entry, uint32_t sectors)
{
	struct mshr *e = &m->v[entry];
	uint32_t *link = &e->first, last = MSHR_NONE;
	e->pending &= ~sectors;
	for (uint32_t i = e->first, next; i != MSHR_NONE; i = next) {
		struct mshr_wait *w = &m->waits[i];
		next = w->next;
		w->need &= ~sectors;
		if (w->need) {
			*link = i;
			link = &w->next;
			last = i;
		} else {
			make_ready(m, i);
		}
	}
	*link = MSHR_NONE;
	e->last = last;
}

bool mshr_pop(struct mshrs *m, uint32_t *token)
{
	uint32_t i = m->ready;
	if (i == MSHR_NONE)
		return false;
	struct mshr_wait *w = &m->waits[i];
	uint32_t entry = w->entry;
	*token = w->token;
	m->ready = w->next;
	w->next = m->free_wait;
	m->free_wait = i;
	if (--m->v[entry].waiting == 0)
		mshr_release(m, entry);
	return true;
}
