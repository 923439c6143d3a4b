#include "base/map.h"

#include <stdlib.h>
#include <string.h>
#include "base/arena.h"

/* FNV-1a, 64 bits */
static uint64_t hash_bytes(const void *p, size_t n)
{
	const unsigned char *b = p;
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * 0x100000001b3u;
	return h;
}

static struct map_slot *find_slot(const struct map *m, const char *key, size_t len, uint64_t h)
{
	for (size_t i = h & (m->cap - 1);; i = (i + 1) & (m->cap - 1)) {
		struct map_slot *s = &m->slot[i];
		if (!s->key || (s->hash == h && s->len == len && !memcmp(s->key, key, len)))
			return s;
	}
}

static struct map_slot *find_key(const struct map *m, const char *key, size_t len)
{
	if (!m->cap)
		return NULL;
	struct map_slot *s = find_slot(m, key, len, hash_bytes(key, len));
	return s->key ? s : NULL;
}

static void grow_table(struct map *m)
{
	struct map old = *m;
	m->cap = old.cap ? old.cap * 2 : 16;
	m->slot = xcalloc(m->cap, sizeof(*m->slot));
	for (size_t i = 0; i < old.cap; i++)
		if (old.slot[i].key)
			*find_slot(m, old.slot[i].key, old.slot[i].len, old.slot[i].hash) =
				old.slot[i];
	free(old.slot);
}

static struct map_slot *insert_key(struct map *m, const char *key, size_t len)
{
	if (m->n * 2 >= m->cap)
		grow_table(m);
	uint64_t h = hash_bytes(key, len);
	struct map_slot *s = find_slot(m, key, len, h);
	if (!s->key) {
		*s = (struct map_slot){.key = key, .len = len, .hash = h};
		m->n++;
	}
	return s;
}

void *map_getn(const struct map *m, const char *key, size_t len)
{
	struct map_slot *s = find_key(m, key, len);
	return s ? s->val.ptr : NULL;
}

void *map_get(const struct map *m, const char *key) { return map_getn(m, key, strlen(key)); }

bool map_find(const struct map *m, const char *key, uint64_t *num)
{
	struct map_slot *s = find_key(m, key, strlen(key));
	if (s)
		*num = s->val.num;
	return s != NULL;
}

void map_putn(struct map *m, const char *key, size_t len, void *ptr)
{
	insert_key(m, key, len)->val.ptr = ptr;
}

void map_put(struct map *m, const char *key, void *ptr) { map_putn(m, key, strlen(key), ptr); }

void map_put_num(struct map *m, const char *key, uint64_t num)
{
	insert_key(m, key, strlen(key))->val.num = num;
}

void map_free(struct map *m)
{
	free(m->slot);
	*m = (struct map){0};
}

/* Levenshtein distance of short names; long names count as far apart. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), row[64];
	if (n >= 64 || m >= 64)
		return 64;
	for (size_t j = 0; j <= m; j++)
		row[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t diag = row[0];
		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			size_t sub = diag + (a[i - 1] != b[j - 1]);
			diag = row[j];
			size_t ins = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
			row[j] = sub < ins ? sub : ins;
		}
	}
	return row[m];
}

const char *nearest_name(const char *word, const char *const *names, size_t n)
{
	const char *best = NULL;
	size_t limit = strlen(word) / 3 + 1, best_d = limit + 1;
	for (size_t i = 0; i < n; i++) {
		size_t d = edit_distance(word, names[i]);
		if (d < best_d) {
			best_d = d;
			best = names[i];
		}
	}
	return best;
}
