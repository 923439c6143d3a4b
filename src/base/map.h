/* Hash map from strings to pointers or numbers. Keys are not copied: they must outlive the map. Also
 * nearest_name(), for messages that suggest a spelling. */
#ifndef BASE_MAP_H
#define BASE_MAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
	struct map_slot {
		const char *key;
		size_t len;
		uint64_t hash;
		union {
			void *ptr;
			uint64_t num;
		} val;
	} * slot;
	size_t n, cap;
};

void *map_get(const struct map *m, const char *key); /* NULL: absent */
void *map_getn(const struct map *m, const char *key, size_t len);
bool map_find(const struct map *m, const char *key, uint64_t *num);
void map_put(struct map *m, const char *key, void *ptr); /* replaces the value of an existing key */
void map_putn(struct map *m, const char *key, size_t len, void *ptr);
void map_put_num(struct map *m, const char *key, uint64_t num);
void map_free(struct map *m);

/* Returns the candidate nearest to `word` by edit distance; NULL: none is similar. */
const char *nearest_name(const char *word, const char *const *names, size_t n);

#endif
