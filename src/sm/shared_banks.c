#include "sm/shared_banks.h"

#include <string.h>

enum { MAX_WORDS = 64 * 4 };

/* The distinct words of the group's lanes; at most four of each lane. */
struct words {
	uint64_t word[MAX_WORDS];
	uint8_t bank[MAX_WORDS];
	unsigned n;
};

static void collect_words(const struct shared_access *a, uint64_t mask, unsigned banks,
			  struct words *w)
{
	unsigned per = a->size < 4 ? 1 : a->size / 4;
	w->n = 0;
	for (uint64_t m = mask; m; m &= m - 1) {
		uint64_t first = a->addr[__builtin_ctzll(m)] / 4;
		for (unsigned k = 0; k < per; k++) {
			w->word[w->n] = first + k;
			w->bank[w->n++] = (uint8_t)((first + k) % banks);
		}
	}
}

/* The largest number of distinct words in one bank. */
static unsigned passes_multicast(const struct words *w, unsigned *words)
{
	uint16_t last[64],
		chain[MAX_WORDS]; /* per bank: index + 1 of the last word seen, and links to earlier
		                   * ones */
	uint8_t count[64];
	unsigned most = 0;
	memset(last, 0, sizeof last);
	memset(count, 0, sizeof count);
	for (unsigned i = 0; i < w->n; i++) {
		unsigned b = w->bank[i], k = last[b];
		while (k && w->word[k - 1] != w->word[i])
			k = chain[k - 1];
		if (k)
			continue;
		++*words;
		chain[i] = last[b];
		last[b] = (uint16_t)(i + 1);
		if (++count[b] > most)
			most = count[b];
	}
	return most;
}

static unsigned passes_broadcast(struct words *w, unsigned *words)
{
	unsigned passes = 0;
	for (; w->n; passes++) {
		uint64_t cast = w->word[0], used = 0;
		unsigned left = 0;
		used |= 1ull << w->bank[0];
		++*words;
		for (unsigned i = 0; i < w->n; i++) {
			uint64_t bank = 1ull << w->bank[i];
			if (w->word[i] == cast)
				continue;
			if (!(used & bank)) {
				used |= bank;
				++*words;
				continue;
			}
			w->word[left] = w->word[i];
			w->bank[left++] = w->bank[i];
		}
		w->n = left;
	}
	return passes;
}

/* Words that are less than a row of all banks apart are in different banks: no conflict, and no
 * need to examine each word. That holds for neighbouring lanes with neighbouring words, and for few
 * words read by many lanes. With up to 32 banks such words are within 31 of the first lane's word:
 * one bit per word is enough to find and count them. */
static bool one_row(const struct shared_access *a, unsigned banks, unsigned *words)
{
	uint64_t seen = 0, far = 0;
	if (a->size > 4 || !a->mask || banks > 32)
		return false;
	uint64_t first = a->addr[__builtin_ctzll(a->mask)] / 4 - 32;
	if ((unsigned)__builtin_popcountll(a->mask) == a->lanes)
		for (unsigned i = 0; i < a->lanes; i++) {
			uint64_t w = a->addr[i] / 4 - first;
			far |= w;
			seen |= 1ull << (w & 63);
		}
	else
		for (uint64_t m = a->mask; m; m &= m - 1) {
			uint64_t w = a->addr[__builtin_ctzll(m)] / 4 - first;
			far |= w;
			seen |= 1ull << (w & 63);
		}
	if (far > 63 || 63 - __builtin_clzll(seen) - __builtin_ctzll(seen) >= (int)banks)
		return false;
	*words = (unsigned)__builtin_popcountll(seen);
	return true;
}

static uint64_t lanes_from(unsigned first, unsigned n)
{
	return n >= 64 ? UINT64_MAX : ((1ull << n) - 1) << first;
}

/* True if one pass serves n lanes from lane `first` on; if so, adds the words of the pass. */
static bool pass_together(const struct shared_access *a, unsigned banks, unsigned first, unsigned n,
			  unsigned *words)
{
	struct words w;
	unsigned count = 0;
	collect_words(a, a->mask & lanes_from(first, n), banks, &w);
	if (passes_multicast(&w, &count) > 1)
		return false;
	*words += count;
	return true;
}

unsigned shared_passes(const struct shared_access *a, unsigned banks, bool half_warp,
		       unsigned *words)
{
	struct words w;
	unsigned passes = 0;
	unsigned group = half_warp      ? 16
			 : a->size <= 4 ? a->lanes
			 : a->size == 8 ? a->lanes / 2
					: a->lanes / 4;
	*words = 0;
	if (!half_warp && one_row(a, banks, words))
		return 1;
	if (!group)
		group = 1;
	for (unsigned first = 0, next; first < a->lanes; first = next) {
		next = first + group;
		if (a->pairs && next < a->lanes &&
		    pass_together(a, banks, first, 2 * group, words)) {
			passes += (a->mask & lanes_from(first, 2 * group)) != 0;
			next += group;
			continue;
		}
		collect_words(a, a->mask & lanes_from(first, group), banks, &w);
		passes += half_warp ? passes_broadcast(&w, words) : passes_multicast(&w, words);
	}
	return passes;
}
