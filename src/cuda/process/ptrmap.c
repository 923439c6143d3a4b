/* Hash table with open addressing whose keys are pointers, such as host functions and variables. */
#include "cuda/process/alloc.h"
#include "cuda/rt.h"

static const char tomb;

static size_t slot_of(const struct ptrmap *m, const void *key)
{
	return (size_t)(((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15ull) >> 20) & (m->cap - 1);
}

void *ptrmap_get(const struct ptrmap *m, const void *key)
{
	if (!m->cap)
		return NULL;
	for (size_t i = slot_of(m, key);; i = (i + 1) & (m->cap - 1)) {
		if (m->slot[i].key == key)
			return m->slot[i].value;
		if (!m->slot[i].key)
			return NULL;
	}
}

/* Prepares for another entry: drops removed entries, and doubles the table only if that is not
 * enough. */
static void grow_table(struct ptrmap *m)
{
	struct ptrmap old = *m;
	size_t live = 0;
	for (size_t i = 0; i < old.cap; i++)
		live += old.slot[i].key && old.slot[i].key != &tomb;
	m->cap = !old.cap ? 64 : 4 * live > old.cap ? 2 * old.cap : old.cap;
	m->n = 0;
	m->slot = rt_alloc(m->cap * sizeof *m->slot);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slot[i].key && old.slot[i].key != &tomb)
			ptrmap_put(m, old.slot[i].key, old.slot[i].value);
	free(old.slot);
}

void ptrmap_put(struct ptrmap *m, const void *key, void *value)
{
	if (2 * (m->n + 1) > m->cap)
		grow_table(m);
	size_t i = slot_of(m, key);
	while (m->slot[i].key && m->slot[i].key != key)
		i = (i + 1) & (m->cap - 1);
	if (!value) {
		if (m->slot[i].key)
			m->slot[i] = (struct ptrmap_slot){&tomb, NULL};
		return;
	}
	m->n += !m->slot[i].key;
	m->slot[i] = (struct ptrmap_slot){key, value};
}
