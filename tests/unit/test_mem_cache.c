/* The cache: capacity and associativity by pointer chase, replacement, MSHRs, write policies,
 * sectors; random accesses against a plain reference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/diag.h"
#include "conf/choices.h"
#include "mem/cache.h"
#include "mem/wires.h"

static struct arena arena;

static struct cache_conf conf(uint32_t sets, uint32_t ways)
/* clang-format off */
{
	return (struct cache_conf){.write = CACHE_WB, .sets = sets, .ways = ways, .line = 128, .mshrs = 8, .merge = 4,
				   .queue = 8, .banks = 1};
	/* clang-format on */
}

static struct cache *cache_with(struct cache_conf c)
{
	struct cache *p = ARENA_NEW(&arena, struct cache);
	cache_init(p, &c, &arena);
	return p;
}

/* Answers all queued requests and takes the tokens; returns the number of tokens. */
static unsigned answer(struct cache *c)
{
	unsigned n = 0;
	uint32_t token;
	for (; !ring_empty(&c->out); ring_pop(&c->out)) {
		struct cache_out o = *ring_front(&c->out);
		if (o.kind == CACHE_FETCH)
			cache_fill(c, o.addr, o.sectors, o.entry);
	}
	while (cache_ready(c, &token))
		n++;
	return n;
}

static enum cache_result read_line(struct cache *c, uint64_t addr)
{
	enum cache_result r = cache_access(c, CACHE_READ, addr, 1, false, 7);
	answer(c);
	return r;
}

static void check_sums(const struct cache *c)
{
	const struct cache_stats *s = &c->stats;
	assert_int_equal(STAT(s, hits) + STAT(s, hits_reserved) + STAT(s, misses),
			 STAT(s, accesses));
	assert_int_equal(STAT(s, reads) + STAT(s, writes) + STAT(s, atomics), STAT(s, accesses));
	assert_int_equal(STAT(s, fetches), STAT(s, fills));
	assert_true(cache_idle(c));
}

/* One of twelve slices receives every twelfth unit of 256 bytes. As many lines as the slice holds
 * all hit when read again: its sets are used evenly, although units are 3072 bytes apart. */
static void a_share_of_memory_uses_all_sets(void **state)
{
	(void)state;
	enum { SETS = 64, WAYS = 8, SHARES = 12, UNIT = 256 };
	for (unsigned shared = 0; shared < 2; shared++) {
		struct cache *c = cache_with(conf(SETS, WAYS));
		if (shared)
			cache_share(c, SHARES, UNIT);
		for (unsigned round = 0; round < 2; round++)
			for (uint64_t i = 0; i < SETS * WAYS; i++)
				read_line(c, (i / 2 * SHARES + 5) * UNIT + i % 2 * 128);
		assert_int_equal(STAT(&c->stats, hits), shared ? SETS * WAYS : 0);
		check_sums(c);
	}
}

/* A chase over n lines, twice: the second round hits as long as the cache holds them; with LRU and
 * one line too many in a set, every access to that set misses. */
static void capacity_step(void **state)
{
	(void)state;
	static const uint32_t sets[] = {1, 4, 16, 24, 7}, ways[] = {1, 2, 5, 8};
	for (unsigned a = 0; a < 5; a++)
		for (unsigned b = 0; b < 4; b++)
			for (unsigned extra = 0; extra < 3; extra++) {
				struct cache *c = cache_with(conf(sets[a], ways[b]));
				unsigned lines = sets[a] * ways[b] + extra, misses = 0;
				for (unsigned i = 0; i < lines; i++)
					read_line(c, 128ull * i);
				for (unsigned i = 0; i < lines; i++)
					misses += read_line(c, 128ull * i) != CACHE_HIT;
				/* number of sets with one line too many */
				unsigned full = extra < sets[a] ? extra : sets[a];
				unsigned in_set = sets[a] == 1 ? lines : ways[b] + 1;
				assert_int_equal(misses, sets[a] == 1 ? (extra ? lines : 0)
								      : full * in_set);
				check_sums(c);
			}
}

struct told {
	uint64_t line;
	unsigned owner, times;
};
static void note_eviction(void *arg, uint64_t line, uint16_t owner)
{
	struct told *t = arg;
	*t = (struct told){line, owner, t->times + 1};
}

/* A cache that records owners names the owner of a victim: the first to miss on the line, not one
 * that hit it or joined its miss; also with on-fill allocation, where other accesses come between
 * miss and fill. */
static void evictions_name_owners(void **state)
{
	(void)state;
	for (unsigned on_fill = 0; on_fill < 2; on_fill++) {
		struct told t = {0, 0, 0};
		struct cache_conf k = conf(1, 2);
		k.write = CACHE_WT;
		k.alloc = on_fill ? CACHE_ON_FILL : CACHE_ON_MISS;
		struct cache *c = cache_with(k);
		cache_keep_owners(c, &arena, note_eviction, &t);
		c->who = 11;
		assert_int_equal(cache_access(c, CACHE_READ, 0, 1, false, 7), CACHE_MISS);
		c->who = 22;
		assert_int_equal(cache_access(c, CACHE_READ, 0, 1, false, 7), CACHE_HIT_RESERVED);
		assert_int_equal(cache_access(c, CACHE_READ, 128, 1, false, 7), CACHE_MISS);
		answer(c);
		c->who = 33;
		assert_int_equal(read_line(c, 0), CACHE_HIT);
		assert_int_equal(read_line(c, 128), CACHE_HIT);
		assert_int_equal(t.times, 0);
		assert_int_equal(read_line(c, 256), CACHE_MISS);
		assert_int_equal(t.times, 1);
		assert_int_equal(t.line, 0);
		assert_int_equal(t.owner, 11);
		assert_int_equal(read_line(c, 384), CACHE_MISS);
		assert_int_equal(t.line, 1);
		assert_int_equal(t.owner, 22);
		assert_int_equal(read_line(c, 512), CACHE_MISS);
		assert_int_equal(t.owner, 33);
		assert_int_equal(t.times, 3);
		assert_int_equal(STAT(&c->stats, evictions), 3);
	}
}

static void associativity_step(void **state)
{
	(void)state;
	for (uint32_t ways = 1; ways <= 8; ways++)
		for (uint32_t lines = 1; lines <= 10; lines++) {
			struct cache *c = cache_with(conf(64, ways));
			unsigned misses = 0;
			for (unsigned round = 0; round < 3; round++)
				for (unsigned i = 0; i < lines; i++) /* all in one set */
					misses += read_line(c, 128ull * 64 * i) != CACHE_HIT;
			assert_int_equal(misses, lines <= ways ? lines : 3 * lines);
		}
}

/* With xor hashing the same stride spreads over the sets. */
static void hashing_spreads(void **state)
{
	(void)state;
	struct cache_conf k = conf(64, 4);
	k.xor = true;
	struct cache *c = cache_with(k);
	unsigned misses = 0;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 64; i++)
			misses += read_line(c, 128ull * 64 * i) != CACHE_HIT;
	assert_int_equal(misses, 64);
}

/* Bit 13 of the address is combined by XOR with the lowest bit of the line's number: lines 0 and 64
 * + 1 share set 0, lines 0 and 64 do not. Bit 17 is combined with bit 3, bit 19 with bit 4. Bit 12
 * selects one half of 64 sets; with 32 sets it has no effect. */
static void fermi_hash(void **state)
{
	(void)state;
	static const struct {
		uint64_t addr;
		bool same[2]; /* set as address 0: of 32 sets, of 64 */
	} c[] = {{1 << 13, {false, false}},        {1 << 13 | 1 << 7, {true, true}},
		 {1 << 14 | 1 << 8, {true, true}}, {1 << 15 | 1 << 9, {true, true}},
		 {1 << 16, {true, true}},          {1 << 17 | 1 << 10, {true, true}},
		 {1 << 18, {true, true}},          {1 << 19 | 1 << 11, {true, true}},
		 {1 << 12, {true, false}},         {1 << 7, {false, false}}};
	for (unsigned k = 0; k < 2; k++)
		for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
			struct cache_conf f = conf(k ? 64 : 32, 1);
			f.fermi = true;
			struct cache *cache = cache_with(f);
			read_line(cache, 0);
			read_line(cache, c[i].addr);
			assert_int_equal(read_line(cache, 0) != CACHE_HIT, c[i].same[k]);
		}
}

/* A queue of 8 of which two places must stay free: after seven misses neither a new line nor one in
 * flight is accepted. */
static void a_miss_leaves_room_in_the_queue(void **state)
{
	(void)state;
	struct cache_conf k = conf(64, 4);
	k.queue = 8;
	k.room = 2;
	struct cache *c = cache_with(k);
	for (uint64_t i = 0; i < 7; i++)
		assert_int_equal(cache_access(c, CACHE_READ, 128 * i, 1, false, 0), CACHE_MISS);
	assert_int_equal(cache_access(c, CACHE_READ, 128 * 7, 1, false, 0), CACHE_FAIL);
	assert_int_equal(c->why, CACHE_QUEUE_FULL);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 1, false, 0), CACHE_FAIL);
	ring_pop(&c->out);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 1, false, 0), CACHE_HIT_RESERVED);
}

/* Two halves of a sector: with `join` the sector can be read without a fetch once both are written,
 * and not before; writes to an evicted line no longer count. */
static void writes_join_to_a_sector(void **state)
{
	(void)state;
	for (unsigned join = 0; join < 2; join++) {
		struct cache_conf k = conf(1, 1);
		k.sector = 32;
		k.join = join;
		struct cache *c = cache_with(k);
		assert_int_equal(!!c->wrote, join);
		for (unsigned half = 0; half < 2; half++) {
			assert_false(cache_probe(c, 0, 2));
			cache_access(c, CACHE_WRITE, 0, 2, false, 0);
			if (join)
				cache_wrote(c, 0, half ? 0xf000 : 0x0f00);
		}
		assert_int_equal(cache_probe(c, 0, 2), join);
		assert_false(cache_probe(c, 0, 1));
		read_line(c, 128); /* in its place */
		cache_access(c, CACHE_WRITE, 0, 2, false, 0);
		if (join)
			cache_wrote(c, 0, 0x0f00);
		assert_false(cache_probe(c, 0, 2));
		answer(c);
	}
}

/* A custom policy: replaces the line used last, and counts hits in `used`. */
static int64_t last_used;
static void note_use(struct cache *c, int64_t i)
{
	(void)c;
	last_used = i;
}
static int find_newest(struct cache *c, uint32_t set)
{
	const uint64_t *stamp = c->stamp + (size_t)set * c->ways;
	int best = -1;
	for (int w = 0; w < c->ways; w++)
		if (!(stamp[w] & CACHE_RESERVED) && (best < 0 || stamp[w] > stamp[best]))
			best = w;
	return best;
}

static void a_policy_chooses_the_victim(void **state)
{
	(void)state;
	static const struct repl_ops mru = {.renews = true, .victim = find_newest},
				     noting = {.used = note_use};
	struct cache_conf k = conf(1, 3);
	k.repl = &mru;
	struct cache *c = cache_with(k);
	read_line(c, 0); /* free lines are taken first */
	read_line(c, 128);
	read_line(c, 256);
	read_line(c, 128);
	read_line(c, 384); /* in place of 128 */
	assert_true(cache_probe(c, 0, 1) && cache_probe(c, 256, 1) && cache_probe(c, 384, 1));
	assert_false(cache_probe(c, 128, 1));
	/* lines that wait for their data are not replaced, although they are the newest */
	assert_int_equal(cache_access(c, CACHE_READ, 512, 1, false, 1), CACHE_MISS);
	assert_int_equal(cache_access(c, CACHE_READ, 640, 1, false, 2), CACHE_MISS);
	assert_int_equal(cache_access(c, CACHE_READ, 768, 1, false, 3), CACHE_MISS);
	assert_int_equal(cache_access(c, CACHE_READ, 896, 1, false, 4), CACHE_FAIL);
	assert_int_equal(c->why, CACHE_NO_LINE);
	k.repl = &noting;
	c = cache_with(k);
	read_line(c, 0);
	read_line(c, 128);
	last_used = -1;
	read_line(c, 128);
	assert_true(last_used >= 0 && c->lines[last_used].tag == 2);
}

static void lru_and_fifo(void **state)
{
	(void)state;
	for (int fifo = 0; fifo < 2; fifo++) {
		struct cache_conf k = conf(1, 2);
		k.repl = repl_find(fifo ? "fifo" : "lru");
		struct cache *c = cache_with(k);
		read_line(c, 0);
		read_line(c, 128);
		/* used again: LRU keeps the line, FIFO does not */
		assert_int_equal(read_line(c, 0), CACHE_HIT);
		read_line(c, 256);
		assert_int_equal(cache_probe(c, 0, 1), !fifo);
		assert_int_equal(cache_probe(c, 128, 1), fifo);
	}
}

static void merging_and_exhaustion(void **state)
{
	(void)state;
	struct cache_conf k = conf(16, 2);
	k.mshrs = 2, k.merge = 3;
	struct cache *c = cache_with(k);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 1, false, 0), CACHE_MISS);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 1, false, 1), CACHE_HIT_RESERVED);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 1, false, 2), CACHE_HIT_RESERVED);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 1, false, 3), CACHE_FAIL);
	assert_int_equal(c->why, CACHE_MERGE_FULL);
	assert_int_equal(cache_access(c, CACHE_READ, 128, 1, false, 4), CACHE_MISS);
	assert_int_equal(cache_access(c, CACHE_READ, 256, 1, false, 5), CACHE_FAIL);
	assert_int_equal(c->why, CACHE_NO_MSHR);
	assert_int_equal(ring_count(&c->out), 2); /* one fetch a line */
	uint32_t token;
	assert_false(cache_ready(c, &token));
	ring_pop(&c->out);
	cache_fill(c, 0, 1, MSHR_NONE);
	/* in order; the MSHR is busy until the last reply is taken */
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(cache_access(c, CACHE_READ, 256, 1, false, 5), CACHE_FAIL);
		assert_true(cache_ready(c, &token));
		assert_int_equal(token, i);
	}
	assert_int_equal(cache_access(c, CACHE_READ, 256, 1, false, 5), CACHE_MISS);
	assert_int_equal(answer(c), 2);
	check_sums(c);
	assert_int_equal(STAT(&c->stats, mshr_peak), 2);
	assert_int_equal(STAT(&c->stats, fails_mshr), 4);
}

static void queue_and_lines_run_out(void **state)
{
	(void)state;
	struct cache_conf k = conf(1, 2);
	k.queue = 3;
	struct cache *c = cache_with(k);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 1, false, 0), CACHE_MISS);
	assert_int_equal(cache_access(c, CACHE_READ, 128, 1, false, 0), CACHE_MISS);
	assert_int_equal(cache_access(c, CACHE_READ, 256, 1, false, 0), CACHE_FAIL);
	assert_int_equal(c->why, CACHE_NO_LINE);
	k.sets = 16, k.queue = 1;
	c = cache_with(k);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 1, false, 0), CACHE_MISS);
	assert_int_equal(cache_access(c, CACHE_READ, 128, 1, false, 0), CACHE_FAIL);
	assert_int_equal(c->why, CACHE_QUEUE_FULL);
	/* needs no place */
	assert_int_equal(cache_access(c, CACHE_READ, 0, 1, false, 0), CACHE_HIT_RESERVED);
}

/* A dirty victim and a fetch need two places of a queue that has one: the access succeeds in two
 * steps. */
static void write_back_with_queue_of_one(void **state)
{
	(void)state;
	struct cache_conf k = conf(1, 1);
	k.queue = 1;
	struct cache *c = cache_with(k);
	assert_int_equal(cache_access(c, CACHE_WRITE, 0, 1, true, 0), CACHE_ALLOCATED);
	assert_int_equal(cache_access(c, CACHE_READ, 128, 1, false, 1), CACHE_FAIL);
	assert_int_equal(ring_front(&c->out)->kind, CACHE_BACK);
	assert_true(ring_front(&c->out)->full); /* the fetch brings all sectors of the line */
	ring_pop(&c->out);
	assert_int_equal(cache_access(c, CACHE_READ, 128, 1, false, 1), CACHE_MISS);
	assert_int_equal(answer(c), 1);
	assert_int_equal(STAT(&c->stats, write_backs), 1);
	check_sums(c);
}

/* The addresses of sectors that pass the wires of the data array must be the expected ones, in
 * order. */
static void assert_passed(struct cache *c, enum wires_way way, const uint64_t *want, unsigned n)
{
	unsigned k = 0;
	for (size_t i = 0; i < c->wires->noted.n; i++) {
		const struct wires_move *m = &c->wires->noted.v[i];
		if (m->way != (uint32_t)way)
			continue;
		assert_true(k < n);
		assert_int_equal(m->addr, want[k++]);
		assert_int_equal(m->bytes, 1u << c->sector_shift);
	}
	assert_int_equal(k, n);
}

/* Four sectors of 32 bytes per line. A read moves its sectors over the wires whether it hits, joins
 * a miss or misses; fills and writes move theirs; a victim moves its dirty sectors. */
static void sectors_pass_the_wires(void **state)
{
	(void)state;
	struct cache_conf k = conf(1, 2);
	k.sector = 32;
	struct cache *c = cache_with(k);
	cache_count_data(c);
	assert_int_equal(c->all, 0xf);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 0x5, false, 1), CACHE_MISS);
	assert_int_equal(answer(c), 1);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 0x5, false, 1), CACHE_HIT);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 0x4, false, 1), CACHE_HIT);
	assert_int_equal(cache_access(c, CACHE_WRITE, 128, 0xa, true, 1), CACHE_ALLOCATED);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 0x1, false, 1), CACHE_HIT);
	/* the line at 128 is the oldest: it is written back, and the next victim has nothing
	 * dirty */
	assert_int_equal(cache_access(c, CACHE_READ, 256, 0x8, false, 1), CACHE_MISS);
	assert_int_equal(ring_front(&c->out)->kind, CACHE_BACK);
	assert_true(ring_front(&c->out)->full);
	assert_int_equal(answer(c), 1);
	assert_int_equal(cache_access(c, CACHE_READ, 384, 0x1, false, 1), CACHE_MISS);
	assert_int_equal(answer(c), 1);
	assert_passed(c, WIRES_OUT,
		      (uint64_t[]){0, 64, 0, 64, 64, 0, 128 + 32, 128 + 96, 256 + 96, 384}, 10);
	assert_passed(c, WIRES_IN, (uint64_t[]){0, 64, 128 + 32, 128 + 96, 256 + 96, 384}, 6);
	assert_int_equal(STAT(&c->stats, data_reads), 10);
	assert_int_equal(STAT(&c->stats, data_writes), 6);
	assert_int_equal(STAT(&c->stats, evictions), 2);
	assert_int_equal(STAT(&c->stats, write_backs), 1);
	check_sums(c);
	wires_free(c->wires);
}

static void write_policies(void **state)
{
	(void)state;
	struct cache_conf k = conf(4, 2);
	struct cache *c = cache_with(k); /* write back */
	assert_int_equal(cache_access(c, CACHE_WRITE, 0, 1, true, 0), CACHE_ALLOCATED);
	assert_int_equal(cache_access(c, CACHE_WRITE, 0, 1, true, 0), CACHE_HIT);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 1, false, 0), CACHE_HIT);
	assert_true(ring_empty(&c->out));
	k.alloc = CACHE_NO_WRITE;
	c = cache_with(k);
	assert_int_equal(cache_access(c, CACHE_WRITE, 0, 1, true, 3), CACHE_PASSED);
	assert_int_equal(ring_front(&c->out)->token, 3);
	assert_false(cache_probe(c, 0, 1));
	k.alloc = CACHE_ON_MISS, k.write = CACHE_WT;
	c = cache_with(k);
	read_line(c, 0);
	assert_int_equal(cache_access(c, CACHE_WRITE, 0, 1, true, 0), CACHE_PASSED);
	assert_true(cache_probe(c, 0, 1));
	k.write = CACHE_WE;
	c = cache_with(k);
	read_line(c, 0);
	assert_int_equal(cache_access(c, CACHE_WRITE, 0, 1, true, 0), CACHE_PASSED);
	assert_false(cache_probe(c, 0, 1));
	answer(c);
	check_sums(c);
}

/* A partial write makes the sector dirty but not readable; a read fetches it once; whole sectors
 * need no fetch. An atomic leaves its line dirty. */
static void partial_writes_and_atomics(void **state)
{
	(void)state;
	struct cache_conf k = conf(1, 1);
	k.sector = 32;
	struct cache *c = cache_with(k);
	assert_int_equal(cache_access(c, CACHE_WRITE, 0, 3, true, 0), CACHE_ALLOCATED);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 3, false, 0), CACHE_HIT);
	assert_int_equal(cache_access(c, CACHE_WRITE, 0, 4, false, 0), CACHE_ALLOCATED);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 5, false, 0), CACHE_MISS);
	assert_int_equal(ring_front(&c->out)->sectors, 4);
	assert_int_equal(answer(c), 1);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 7, false, 0), CACHE_HIT);
	assert_int_equal(cache_access(c, CACHE_ATOMIC, 0, 8, false, 0), CACHE_MISS);
	assert_int_equal(answer(c), 1);
	assert_int_equal(cache_access(c, CACHE_READ, 128, 1, false, 0), CACHE_MISS);
	assert_int_equal(ring_front(&c->out)->kind, CACHE_BACK);
	assert_int_equal(ring_front(&c->out)->sectors, 15);
	answer(c);
	check_sums(c);
}

static void writes_may_fetch_first(void **state)
{
	(void)state;
	struct cache_conf k = conf(1, 1);
	k.sector = 32;
	k.alloc = CACHE_FETCH_WRITE;
	struct cache *c = cache_with(k);
	/* whole sectors: nothing to fetch */
	assert_int_equal(cache_access(c, CACHE_WRITE, 0, 3, true, 0), CACHE_ALLOCATED);
	/* part of sector 1, which is present, and sector 2 */
	assert_int_equal(cache_access(c, CACHE_WRITE, 0, 6, false, 0), CACHE_MISS);
	assert_int_equal(ring_front(&c->out)->kind, CACHE_FETCH);
	assert_int_equal(ring_front(&c->out)->sectors, 4);
	assert_int_equal(answer(c), 1);
	assert_int_equal(cache_access(c, CACHE_WRITE, 0, 4, false, 0), CACHE_HIT);
	assert_int_equal(cache_access(c, CACHE_READ, 0, 7, false, 0), CACHE_HIT);
	assert_int_equal(cache_access(c, CACHE_READ, 128, 1, false, 0), CACHE_MISS);
	assert_int_equal(ring_front(&c->out)->kind, CACHE_BACK); /* all three are dirty */
	assert_int_equal(ring_front(&c->out)->sectors, 7);
	answer(c);
	assert_int_equal(STAT(&c->stats, writes), 3);
	check_sums(c);
}

static void sectors_fetch_what_is_missing(void **state)
{
	(void)state;
	struct cache_conf k = conf(4, 2);
	k.sector = 32;
	struct cache *c = cache_with(k);
	uint32_t token;
	assert_int_equal(cache_access(c, CACHE_READ, 0, 3, false, 1), CACHE_MISS);
	/* only sector 2 is new */
	assert_int_equal(cache_access(c, CACHE_READ, 0, 6, false, 2), CACHE_MISS);
	assert_int_equal(ring_at(&c->out, 1)->sectors, 4);
	cache_fill(c, 0, 4, MSHR_NONE);
	assert_false(cache_ready(c, &token)); /* token 2 still lacks sector 1 */
	cache_fill(c, 0, 3, MSHR_NONE);
	assert_true(cache_ready(c, &token));
	assert_int_equal(token, 1);
	assert_true(cache_ready(c, &token));
	assert_int_equal(token, 2);
	assert_int_equal(STAT(&c->stats, sector_misses), 1);
}

/* Sectors that are put into a cache join the sectors of their line, wherever the line is. */
static void sectors_are_placed_beside_others(void **state)
{
	(void)state;
	struct cache_conf k = conf(2, 2);
	k.sector = 32;
	struct cache *c = cache_with(k);
	for (uint64_t line = 0; line < 4; line++) {
		cache_place(c, 128 * line, 0x1);
		cache_place(c, 128 * line, 0xc);
	}
	for (uint64_t line = 0; line < 4; line++) {
		assert_true(cache_probe(c, 128 * line, 0xd));
		assert_false(cache_probe(c, 128 * line, 0x2));
	}
	cache_place(c, 0, 0x2);       /* now the most recently used of its set */
	cache_place(c, 128 * 4, 0x1); /* replaces the least recently used */
	assert_true(cache_probe(c, 0, 0xf));
	assert_false(cache_probe(c, 128 * 2, 0x1));
}

/* On fill: the line is allocated when the data arrives; nothing is reserved before. */
static void allocate_on_fill(void **state)
{
	(void)state;
	struct cache_conf k = conf(1, 1);
	k.alloc = CACHE_ON_FILL, k.write = CACHE_RO;
	struct cache *c = cache_with(k);
	for (unsigned i = 0; i < 4; i++) /* more misses than lines */
		assert_int_equal(cache_access(c, CACHE_READ, 128ull * i, 1, false, i), CACHE_MISS);
	assert_int_equal(cache_access(c, CACHE_READ, 128, 1, false, 9), CACHE_HIT_RESERVED);
	assert_int_equal(answer(c), 5);
	assert_true(cache_probe(c, 128 * 3, 1));
	check_sums(c);
	/* the next sector of a present line goes to that line, and no other line is allocated */
	k.sector = 32;
	c = cache_with(k);
	for (uint32_t sector = 1; sector <= 2; sector++) {
		assert_int_equal(cache_access(c, CACHE_READ, 0, sector, false, 1), CACHE_MISS);
		assert_int_equal(answer(c), 1);
	}
	assert_true(cache_probe(c, 0, 3));
	assert_int_equal(STAT(&c->stats, evictions), 0);
}

/* Random accesses, and sometimes an invalidated line: the valid lines must equal those of a
 * reference with explicit LRU lists; an invalidated line's place is used next. */
static void random_against_lists(void **state)
{
	(void)state;
	enum { SETS = 4, MOST = 24 };
	static const unsigned ways[] = {1, 3, 8, 11,
					MOST}; /* fewer and more ways than a word has bytes */
	uint64_t x = 12345;
	for (unsigned n = 0; n < sizeof ways / sizeof *ways; n++) {
		unsigned last = ways[n] - 1, lines = SETS * (ways[n] + 7);
		struct cache_conf k = conf(SETS, ways[n]);
		k.write = CACHE_RO;
		struct cache *c = cache_with(k);
		int64_t lru[SETS][MOST]; /* most recent first */
		memset(lru, -1, sizeof lru);
		for (unsigned i = 0; i < 50000; i++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			int64_t line = (int64_t)(x >> 33) % lines, *set = lru[line % SETS];
			unsigned at = 0;
			while (at <= last && set[at] != line)
				at++;
			bool hit = at <= last;
			at = hit ? at : last;
			if (x >> 28 & 1) {
				assert_int_equal(read_line(c, 128ull * (uint64_t)line),
						 hit ? CACHE_HIT : CACHE_MISS);
				memmove(set + 1, set, at * sizeof *set);
				set[0] = line;
			} else if (!(x >> 24 & 15)) {
				cache_invalidate(c, 128ull * (uint64_t)line);
				if (hit) {
					memmove(set + at, set + at + 1, (last - at) * sizeof *set);
					set[last] = -1;
				}
			}
		}
		check_sums(c);
	}
}

/* The table of misses compared with a list of the misses in flight. */
static void misses_are_found(void **state)
{
	(void)state;
	enum { N = 24, LINES = 400 };
	struct mshrs m;
	uint32_t entry[LINES], token;
	mshr_init(&m, &arena, N, 1);
	memset(entry, 0xff, sizeof entry);
	uint64_t x = 99;
	for (unsigned i = 0; i < 100000; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		uint64_t line = (x >> 33) % LINES;
		assert_int_equal(mshr_find(&m, line << 20), entry[line]);
		if (entry[line] == MSHR_NONE && m.used < N) {
			entry[line] = mshr_new(&m, line << 20);
			mshr_wait(&m, entry[line], (uint32_t)line, 1);
		} else if (entry[line] != MSHR_NONE) {
			mshr_fill(&m, entry[line], 1);
			assert_true(mshr_pop(&m, &token));
			assert_int_equal(token, line);
			entry[line] = MSHR_NONE;
		}
	}
}

/* A fill of some sectors leaves the tokens that need others, in order; later tokens wait behind
 * them. */
static void partial_fills(void **state)
{
	(void)state;
	struct mshrs m;
	uint32_t token;
	mshr_init(&m, &arena, 2, 8);
	uint32_t e = mshr_new(&m, 128);
	mshr_wait(&m, e, 10, 1);
	mshr_wait(&m, e, 11, 2);
	mshr_wait(&m, e, 12, 1);
	mshr_wait(&m, e, 13, 3);
	mshr_wait(&m, e, 14, 1);
	mshr_fill(&m, e, 1);
	mshr_wait(&m, e, 15, 2);
	mshr_fill(&m, e, 4); /* a fill that no request waits for */
	mshr_wait(&m, e, 16, 2);
	for (unsigned want = 10; want <= 14; want += 2) {
		assert_true(mshr_pop(&m, &token));
		assert_int_equal(token, want);
	}
	assert_false(mshr_pop(&m, &token));
	assert_int_equal(mshr_find(&m, 128), e);
	mshr_fill(&m, e, 2);
	static const uint32_t rest[] = {11, 13, 15, 16};
	for (unsigned i = 0; i < 4; i++) {
		assert_true(mshr_pop(&m, &token));
		assert_int_equal(token, rest[i]);
	}
	assert_false(mshr_pop(&m, &token));
	assert_int_equal(mshr_find(&m, 128), MSHR_NONE);
}

/* Delayed replies: every token is returned exactly once. */
static void tokens_come_back_once(void **state)
{
	(void)state;
	enum { LINES = 40 };
	struct cache_conf k = conf(4, 3);
	k.write = CACHE_RO;
	uint64_t x = 12345;
	struct cache *c = cache_with(k);
	unsigned asked[4096] = {0}, got[4096] = {0};
	for (unsigned i = 0; i < 4096; i++) {
		uint32_t token;
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		enum cache_result r =
			cache_access(c, CACHE_READ, 128 * ((x >> 33) % LINES), 1, false, i);
		asked[i] = r == CACHE_MISS || r == CACHE_HIT_RESERVED;
		if (x >> 60 < 6 && !ring_empty(&c->out)) {
			struct cache_out o = *ring_front(&c->out);
			ring_pop(&c->out);
			cache_fill(c, o.addr, o.sectors, o.entry);
		}
		if (x >> 55 & 1 && cache_ready(c, &token))
			got[token]++;
	}
	for (;;) {
		uint32_t token;
		if (!ring_empty(&c->out)) {
			struct cache_out o = *ring_front(&c->out);
			ring_pop(&c->out);
			cache_fill(c, o.addr, o.sectors, o.entry);
		} else if (cache_ready(c, &token)) {
			got[token]++;
		} else {
			break;
		}
	}
	assert_memory_equal(asked, got, sizeof got);
	check_sums(c);
}

static void options_that_do_not_fit(void **state)
{
	(void)state;
	static struct diag d;
	struct cache_conf k;
	assert_true(cache_conf_read(&k, &d, "l2", KIND_WB, ALLOCATE_ON_MISS, repl_find("lru"),
				    HASH_XOR, (uint32_t[]){64, 8, 128, 32, 1, 1, 1, 1, 1}));
	assert_true(k.xor &&k.repl->renews && k.write == CACHE_WB);
	assert_false(cache_conf_read(&k, &d, "l2", KIND_WB, ALLOCATE_ON_FILL, repl_find("lru"),
				     HASH_XOR, (uint32_t[]){64, 8, 128, 0, 1, 1, 1, 1, 1}));
	assert_false(cache_conf_read(&k, &d, "l2", KIND_WB, ALLOCATE_ON_MISS, repl_find("lru"),
				     HASH_XOR, (uint32_t[]){64, 8, 96, 0, 1, 1, 1, 1, 1}));
	assert_false(cache_conf_read(&k, &d, "l2", KIND_WB, ALLOCATE_ON_MISS, repl_find("lru"),
				     HASH_XOR, (uint32_t[]){64, 8, 128, 48, 1, 1, 1, 1, 1}));
	assert_int_equal(d.errors, 3);
	diag_free(&d);
}

static int done(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_share_of_memory_uses_all_sets),
		cmocka_unit_test(capacity_step),
		cmocka_unit_test(evictions_name_owners),
		cmocka_unit_test(associativity_step),
		cmocka_unit_test(hashing_spreads),
		cmocka_unit_test(fermi_hash),
		cmocka_unit_test(writes_join_to_a_sector),
		cmocka_unit_test(a_miss_leaves_room_in_the_queue),
		cmocka_unit_test(lru_and_fifo),
		cmocka_unit_test(a_policy_chooses_the_victim),
		cmocka_unit_test(merging_and_exhaustion),
		cmocka_unit_test(queue_and_lines_run_out),
		cmocka_unit_test(write_back_with_queue_of_one),
		cmocka_unit_test(sectors_pass_the_wires),
		cmocka_unit_test(write_policies),
		cmocka_unit_test(partial_writes_and_atomics),
		cmocka_unit_test(writes_may_fetch_first),
		cmocka_unit_test(sectors_fetch_what_is_missing),
		cmocka_unit_test(sectors_are_placed_beside_others),
		cmocka_unit_test(allocate_on_fill),
		cmocka_unit_test(random_against_lists),
		cmocka_unit_test(misses_are_found),
		cmocka_unit_test(tokens_come_back_once),
		cmocka_unit_test(partial_fills),
		cmocka_unit_test(options_that_do_not_fit),
	};
	return cmocka_run_group_tests(tests, NULL, done);
}
