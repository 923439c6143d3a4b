#include "mem/mshr.h"

#include "base/assert.h"
#include "mem/ring.h"

void mshr_init(struct mshrs *m, struct arena *a, uint32_t n, uint32_t merge)
{
	*m = (struct mshrs){.n = n, .merge = merge, .ready = MSHR_NONE, .ready_last = MSHR_NONE};
	m->v = ARENA_ARRAY(a, struct mshr, n);
	m->waits = ARENA_ARRAY(a, struct mshr_wait, (size_t)n * merge);
	m->slot_mask = ring_round(4 * n) - 1;
	m->slot = ARENA_ARRAY(a, uint32_t, m->slot_mask + 1);
}

static uint64_t hash_line(uint64_t line) { return line * 0x9e3779b97f4a7c15ull; }

static uint32_t home(const struct mshrs *m, uint64_t h)
{
	return (uint32_t)(h >> 32) & m->slot_mask;
}

uint32_t mshr_find(const struct mshrs *m, uint64_t line)
{
	uint64_t h = hash_line(line);
	for (uint32_t i = home(m, h), s; (s = m->slot[i]); i = (i + 1) & m->slot_mask)
		if (s >> 16 == h >> 48 && m->v[(s & 0xffff) - 1].line == line)
			return (s & 0xffff) - 1;
	return MSHR_NONE;
}

uint32_t mshr_new(struct mshrs *m, uint64_t line)
{
	uint32_t e = m->free;
	uint64_t h = hash_line(line);
	m->free = e == m->top ? ++m->top : m->v[e].next;
	m->v[e] = (struct mshr){.line = line, .first = MSHR_NONE, .last = MSHR_NONE};
	uint32_t i = home(m, h);
	while (m->slot[i])
		i = (i + 1) & m->slot_mask;
	m->slot[i] = (uint32_t)(h >> 48) << 16 | (e + 1);
	m->used++;
	return e;
}

/* Removes the entry from slot[]. Entries after it whose search would begin before the gap move up, so
 * that a search may end at the first empty slot. */
static void slot_free(struct mshrs *m, uint32_t entry)
{
	uint32_t i = home(m, hash_line(m->v[entry].line));
	while ((m->slot[i] & 0xffff) != entry + 1)
		i = (i + 1) & m->slot_mask;
	for (uint32_t k = (i + 1) & m->slot_mask, s; (s = m->slot[k]); k = (k + 1) & m->slot_mask) {
		uint32_t from = home(m, hash_line(m->v[(s & 0xffff) - 1].line));
		if (((k - from) & m->slot_mask) < ((k - i) & m->slot_mask))
			continue; /* this entry's search begins after the gap */
		m->slot[i] = s;
		i = k;
	}
	m->slot[i] = 0;
}

static void mshr_release(struct mshrs *m, uint32_t entry)
{
	assert_hot(m->used);
	slot_free(m, entry);
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
	assert_hot(entry != MSHR_NONE);
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
