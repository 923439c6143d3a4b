#include "mem/cache.h"
#include "mem/warm.h"

#include <string.h>
#include "base/diag.h"
#include "conf/choices.h"

static const struct stat_def cache_defs[] = {STAT_DEFS(CACHE_STATS)};
static double hit_rate(const void *p)
{
	const struct cache_stats *s = p;
	return STAT(s, accesses) ? (double)STAT(s, hits) / (double)STAT(s, accesses) : 0;
}
static const struct stat_derived cache_derived[] = {
	{"hit_rate", "", "hits / accesses", hit_rate},
};
const struct stat_table cache_stat_table = STAT_TABLE("cache", cache_defs, cache_derived);

void cache_init(struct cache *c, const struct cache_conf *conf, struct arena *a)
{
	size_t n = (size_t)conf->sets * conf->ways;
	uint32_t words = (conf->ways + 7) / 8;
	uint32_t sector = conf->sector ? conf->sector : conf->line;
	*c = (struct cache){
		.conf = *conf,
		.fingerprint = ARENA_ARRAY(a, uint64_t, (size_t)conf->sets * words),
		.stamp = ARENA_APART(a, uint64_t,
				     n), /* the stamps of an 8-way set fill one host cache line */
		.lines = ARENA_APART(a, struct cache_line, n),
		.words = (uint16_t)words,
		.sets = conf->sets,
		.ways = (uint16_t)conf->ways,
		.set_mask = conf->sets & (conf->sets - 1) ? 0 : conf->sets - 1,
		.set_shift = (uint8_t)(32 - __builtin_clz(conf->sets)),
		.line_shift = (uint8_t)__builtin_ctz(conf->line),
		.sector_shift = (uint8_t)__builtin_ctz(sector),
		.all = (uint32_t)((1ull << conf->line / sector) - 1),
		.write = (uint8_t)conf->write,
		.on_fill = conf->alloc == CACHE_ON_FILL,
		.no_write = conf->alloc == CACHE_NO_WRITE,
		.fetch_write = conf->alloc == CACHE_FETCH_WRITE && conf->write == CACHE_WB,
		.xor = conf->xor
		,
		.fermi = conf->fermi,
		.room = conf->room,
		.renews = !conf->repl || conf->repl->renews,
		.used = conf->repl ? conf->repl->used : NULL,
		.victim = conf->repl ? conf->repl->victim : NULL,
	};
	if (conf->join && conf->line <= 128)
		c->wrote = ARENA_ARRAY(a, uint32_t, n);
	c->ahead_line = UINT64_MAX;
	mshr_init(&c->mshr, a, conf->mshrs, conf->merge);
	ring_new(&c->out, a, conf->queue);
}

void cache_count_data(struct cache *c)
{
	c->wires = wires_new(1u << c->sector_shift, &STAT(&c->stats, read_toggles),
			     &STAT(&c->stats, write_toggles));
}

void cache_share(struct cache *c, uint32_t shares, uint32_t unit)
{
	uint32_t line = 1u << c->line_shift;
	c->shares =
		unit >= line
			? shares
			: 1; /* units smaller than a line: a line is spread over several caches */
	c->share_shift = unit >= line ? (uint8_t)(__builtin_ctz(unit) - c->line_shift) : 0;
}

/* ---- lookup and replacement ---- */

/* The set index of Fermi's L1D as Nugteren et al. measured it ("A Detailed GPU Cache Model Based on
 * Reuse Distance Theory", HPCA 2014): the five low bits of the line's number, each xored with one
 * of address bits 13, 14, 15, 17, 19; with 64 sets, bit 12 chooses the upper half. */
static uint32_t fermi_set(const struct cache *c, uint64_t line)
{
	uint64_t addr = line << c->line_shift;
	uint32_t upper =
		(uint32_t)((addr >> 13 & 7) | (addr >> 17 & 1) << 3 | (addr >> 19 & 1) << 4);
	return ((uint32_t)line & 31) ^ upper ^
	       (c->sets == 64 ? (uint32_t)(addr >> 12 & 1) << 5 : 0);
}

static inline uint32_t set_of(const struct cache *c, uint64_t line)
{
	if (c->shares > 1 && line == c->ahead_line)
		return c->ahead_set;
	if (c->shares > 1)
		line = (line >> c->share_shift) / c->shares << c->share_shift |
		       (line & ((1ull << c->share_shift) - 1));
	if (c->xor)
		line ^= line >> c->set_shift ^ line >> 2 * c->set_shift ^ line >> 3 * c->set_shift;
	if (c->fermi)
		return fermi_set(c, line);
	if (c->set_mask || c->sets == 1)
		return (uint32_t)line & c->set_mask;
	return (uint32_t)(line % c->sets);
}

void cache_prefetch(struct cache *c, uint64_t addr)
{
	c->ahead_set = set_of(c, addr >> c->line_shift);
	c->ahead_line = addr >> c->line_shift;
	size_t base = (size_t)c->ahead_set * c->ways;
	const char *at = (const char *)&c->lines[base];
	size_t size = sizeof *c->lines * (c->ways < 16 ? c->ways : 16);
	__builtin_prefetch(&c->stamp[base], 1);
	for (size_t i = 0; i < size; i += 64)
		__builtin_prefetch(at + i, 1);
}

static uint8_t fingerprint_of(uint64_t line)
{
	return (uint8_t)(line * 0x9e3779b97f4a7c15ull >> 56);
}

/* Index of the line in lines[], or -1. */
static int64_t find_line(const struct cache *c, uint64_t line, uint32_t set)
{
	const uint64_t low = UINT64_MAX / 255,
		       high = low << 7; /* low: bit 0 of every byte; high: bit 7 of every byte */
	const uint64_t *word = c->fingerprint + (size_t)set * c->words;
	const struct cache_line *lines = c->lines + (size_t)set * c->ways;
	uint64_t want = fingerprint_of(line) * low;
	for (uint32_t w = 0; w < c->words; w++) {
		uint64_t differ =
			word[w] ^
			want; /* candidates are the zero bytes; the borrow may add a byte above each */
		for (uint64_t m = (differ - low) & ~differ & high; m; m &= m - 1) {
			uint32_t way = 8 * w + (uint32_t)__builtin_ctzll(m) / 8;
			if (way < c->ways && lines[way].tag == line + 1)
				return (int64_t)((size_t)set * c->ways + way);
		}
	}
	return -1;
}

static void set_fingerprint(struct cache *c, uint32_t set, size_t i, uint8_t fingerprint)
{
	unsigned way = (unsigned)(i - (size_t)set * c->ways);
	uint64_t *word = &c->fingerprint[(size_t)set * c->words + way / 8];
	*word = (*word & ~(0xffull << 8 * (way % 8))) | (uint64_t)fingerprint << 8 * (way % 8);
}

static void line_new(struct cache *c, uint64_t line, uint32_t set, int64_t i)
{
	if (c->owner) {
		if (c->lines[i].tag)
			c->evicted(c->evicted_arg, c->lines[i].tag - 1, c->owner[i]);
		c->owner[i] = c->who;
	}
	c->nlines += !c->lines[i].tag;
	c->lines[i] = (struct cache_line){.tag = line + 1};
	c->stamp[i] = ++c->clock;
	set_fingerprint(c, set, (size_t)i, fingerprint_of(line));
}

/* Frees line i. The fingerprint is left in place: find_line() compares the tag, so a stale fingerprint costs
 * only a comparison. */
static void line_free(struct cache *c, size_t i)
{
	c->nlines -= c->lines[i].tag != 0;
	c->lines[i].tag = c->stamp[i] = 0;
}

/* Index of the victim: the first free line of the set, or the line that the policy chooses, as a rule the
 * replaceable one with the oldest stamp; -1: all are reserved. */
static int64_t find_victim(struct cache *c, uint32_t set)
{
	const uint64_t *stamp = c->stamp + (size_t)set * c->ways;
	uint64_t oldest = stamp[0];
	uint32_t best = 0;
	for (uint32_t w = 1; w < c->ways;
	     w++) { /* selects instead of branches, which the host would mispredict */
		best = stamp[w] < oldest ? w : best;
		oldest = stamp[w] < oldest ? stamp[w] : oldest;
	}
	if (c->victim && oldest) {
		int way = c->victim(c, set);
		return way < 0 ? -1 : (int64_t)((size_t)set * c->ways + (uint32_t)way);
	}
	return oldest & CACHE_RESERVED ? -1 : (int64_t)((size_t)set * c->ways + best);
}

static enum cache_result refuse_access(struct cache *c, enum cache_fail why)
{
	struct cache_stats *s = &c->stats;
	c->why = (uint8_t)why;
	s->fails_mshr[0] += why == CACHE_NO_MSHR;
	s->fails_merge[0] += why == CACHE_MERGE_FULL;
	s->fails_queue[0] += why == CACHE_QUEUE_FULL;
	s->fails_line[0] += why == CACHE_NO_LINE;
	return CACHE_FAIL;
}

/* Notes that sectors of a line pass the data array's wires. */
static void note_wires(struct cache *c, enum wires_way way, uint64_t line, uint32_t sectors)
{
	for (; sectors; sectors &= sectors - 1)
		wires_note(c->wires, way,
			   (line << c->line_shift) +
				   ((uint64_t)__builtin_ctz(sectors) << c->sector_shift),
			   1u << c->sector_shift);
}

static inline void data_read(struct cache *c, uint64_t line, uint32_t sectors)
{
	STAT(&c->stats, data_reads) += cache_number(c, sectors);
	if (__builtin_expect(c->wires != NULL, 0))
		note_wires(c, WIRES_OUT, line, sectors);
}

static inline void data_written(struct cache *c, uint64_t line, uint32_t sectors)
{
	STAT(&c->stats, data_writes) += cache_number(c, sectors);
	if (__builtin_expect(c->wires != NULL, 0))
		note_wires(c, WIRES_IN, line, sectors);
}

static void queue_request(struct cache *c, enum cache_out_kind kind, uint64_t line,
			  uint32_t sectors, uint32_t token, bool full, uint32_t entry)
{
	*ring_push(&c->out) = (struct cache_out){
		line << c->line_shift, sectors, token, (uint8_t)kind, full, 0, 0, entry};
	if (kind == CACHE_FETCH)
		STAT(&c->stats, fetches)++;
	else if (kind == CACHE_PASS)
		STAT(&c->stats, passed)++;
	else {
		STAT(&c->stats, write_backs)++;
		data_read(c, line, sectors);
	}
}

/* Replaces the victim by `line`, leaving `reserve` places of the miss queue free; -1 and c->why if that
 * is impossible. If the queue has no room for both, only the victim is written back: the next try finds
 * a clean line, so that even a queue of one place makes progress. */
static int64_t replace_victim(struct cache *c, uint64_t line, uint32_t set, uint32_t reserve)
{
	int64_t i = find_victim(c, set);
	if (i < 0) {
		refuse_access(c, CACHE_NO_LINE);
		return -1;
	}
	struct cache_line *l = &c->lines[i];
	bool dirty = l->tag && l->dirty;
	if (ring_room(&c->out) < reserve + dirty) {
		if (dirty && !ring_full(&c->out)) {
			queue_request(c, CACHE_BACK, l->tag - 1, l->dirty, 0, true, MSHR_NONE);
			l->dirty = 0;
		}
		refuse_access(c, CACHE_QUEUE_FULL);
		return -1;
	}
	if (l->tag)
		STAT(&c->stats, evictions)++;
	if (dirty)
		queue_request(c, CACHE_BACK, l->tag - 1, l->dirty, 0, true, MSHR_NONE);
	line_new(c, line, set, i);
	return i;
}

void cache_keep_owners(struct cache *c, struct arena *a,
		       void (*evicted)(void *arg, uint64_t line, uint16_t owner), void *arg)
{
	c->owner = ARENA_ARRAY(a, uint16_t, (size_t)c->sets * c->ways);
	c->evicted = evicted;
	c->evicted_arg = arg;
}

void cache_place(struct cache *c, uint64_t addr, uint32_t sectors)
{
	uint64_t line = addr >> c->line_shift;
	uint32_t set = set_of(c, line);
	int64_t i = find_line(c, line, set);
	if (i < 0) {
		i = find_victim(c, set);
		if (i < 0)
			return;
		line_new(c, line, set, i);
	} else {
		c->stamp[i] = ++c->clock | (c->stamp[i] & CACHE_RESERVED);
	}
	c->lines[i].valid |= sectors & ~c->lines[i].pending;
	c->lines[i].partial &= ~sectors;
}

void cache_place_written(struct cache *c, uint64_t addr, uint32_t sectors, uint32_t whole)
{
	uint64_t line = addr >> c->line_shift;
	uint32_t set = set_of(c, line), had = 0;
	int64_t i = find_line(c, line, set);
	if (i >= 0)
		had = c->lines[i].valid & ~c->lines[i].partial;
	if (c->write != CACHE_WB || (i < 0 && c->no_write))
		return;
	cache_place(c, addr, sectors);
	i = find_line(c, line, set);
	if (i < 0)
		return;
	c->lines[i].dirty |= sectors & c->lines[i].valid;
	if (!c->fetch_write)
		c->lines[i].partial |= sectors & ~whole & ~had & c->lines[i].valid;
}

/* ---- accesses ---- */

static void count_access(struct cache *c, enum cache_op op, enum cache_result r, uint64_t line,
			 uint32_t sectors)
{
	struct cache_stats *s = &c->stats;
	STAT(s, accesses)++;
	s->reads[0] += op == CACHE_READ;
	s->writes[0] += op == CACHE_WRITE;
	s->atomics[0] += op == CACHE_ATOMIC;
	if (op != CACHE_WRITE)
		data_read(c, line, sectors);
	if (op == CACHE_ATOMIC || (op == CACHE_WRITE && r != CACHE_PASSED))
		data_written(c, line, sectors);
	if (r == CACHE_HIT) {
		STAT(s, hits)++;
	} else if (r == CACHE_HIT_RESERVED) {
		STAT(s, hits_reserved)++;
	} else {
		STAT(s, misses)++;
		s->read_misses[0] += op == CACHE_READ;
		s->write_misses[0] += op == CACHE_WRITE;
	}
}

/* The slow path of reads, atomics and writes that fetch: sectors `need` are missing. `at`: the
 * line's index in lines[], -1: absent. */
__attribute__((noinline)) /* keeps the hit path small: most accesses hit */
static enum cache_result
start_miss(struct cache *c, enum cache_op op, uint64_t line, uint32_t set, int64_t at,
	   uint32_t sectors, uint32_t need, uint32_t token)
{
	uint32_t e = mshr_find(&c->mshr, line);
	uint32_t fetch = e == MSHR_NONE ? need : need & ~c->mshr.v[e].pending;
	if (ring_room(&c->out) < c->room)
		return refuse_access(c, CACHE_QUEUE_FULL);
	if (e == MSHR_NONE && c->mshr.used == c->mshr.n)
		return refuse_access(c, CACHE_NO_MSHR);
	if (e != MSHR_NONE && c->mshr.v[e].waiting >= c->mshr.merge)
		return refuse_access(c, CACHE_MERGE_FULL);
	if (fetch && ring_full(&c->out))
		return refuse_access(c, CACHE_QUEUE_FULL);
	bool present = at >= 0;
	if (!present && !c->on_fill && (at = replace_victim(c, line, set, 1)) < 0)
		return CACHE_FAIL;
	if (e == MSHR_NONE) {
		e = mshr_new(&c->mshr, line);
		c->mshr.v[e].who = c->who;
	}
	if (fetch)
		queue_request(c, CACHE_FETCH, line, fetch, token, false, e);
	c->mshr.v[e].pending |= fetch;
	if (op != CACHE_READ)
		c->mshr.v[e].dirty |= sectors;
	mshr_wait(&c->mshr, e, token, need);
	if (c->mshr.used > STAT(&c->stats, mshr_peak))
		STAT(&c->stats, mshr_peak) = c->mshr.used;
	if (at >= 0) {
		c->npending += fetch && !c->lines[at].pending;
		c->lines[at].pending |= fetch;
		c->stamp[at] |= fetch ? CACHE_RESERVED : 0;
		c->mshr.v[e].at = (uint32_t)at;
		cache_touch(c, at);
	}
	if (present && fetch)
		STAT(&c->stats, sector_misses)++;
	enum cache_result r = fetch ? CACHE_MISS : CACHE_HIT_RESERVED;
	count_access(c, op, r, line, sectors);
	return r;
}

static enum cache_result access_read(struct cache *c, enum cache_op op, uint64_t line, uint32_t set,
				     uint32_t sectors, uint32_t token)
{
	int64_t at = find_line(c, line, set);
	uint32_t need = sectors;
	if (at >= 0) {
		struct cache_line *l = &c->lines[at];
		need &= ~l->valid | l->partial;
		if (!need) {
			cache_touch(c, at);
			if (op != CACHE_READ)
				l->dirty |= sectors;
			count_access(c, op, CACHE_HIT, line, sectors);
			c->hit = (uint32_t)at;
			return CACHE_HIT;
		}
	}
	return start_miss(c, op, line, set, at, sectors, need, token);
}

/* The words of the given sectors, as bits; a line has up to 128 bytes. */
static uint32_t words_of(const struct cache *c, uint32_t sectors)
{
	unsigned n = 1u << (c->sector_shift - 2);
	uint32_t words = 0;
	for (; sectors; sectors &= sectors - 1)
		words |= (uint32_t)((1ull << n) - 1) << (unsigned)__builtin_ctz(sectors) * n;
	return words;
}

/* Write back: writes into the line at index `at`. True: its sectors were valid. */
static bool write_line(struct cache *c, int64_t at, uint32_t sectors, bool full)
{
	struct cache_line *l = &c->lines[at];
	bool hit = !(sectors & ~l->valid);
	if (c->wrote && !hit)
		c->wrote[at] &= ~words_of(c, sectors & ~l->valid);
	if (full)
		l->partial &= ~sectors;
	else
		l->partial |= sectors & ~l->valid;
	l->valid |= sectors;
	l->dirty |= sectors;
	cache_touch(c, at);
	return hit;
}

__attribute__((noinline)) static enum cache_result access_write(struct cache *c, uint64_t line,
								uint32_t set, uint32_t sectors,
								bool full, uint32_t token,
								bool keep)
{
	int64_t at = find_line(c, line, set);
	keep = keep && at >= 0 && !(sectors & ~c->lines[at].valid);
	if (keep || (c->write == CACHE_WB && (at >= 0 || !c->no_write))) {
		bool present = at >= 0;
		if (!present && (at = replace_victim(c, line, set, 0)) < 0)
			return CACHE_FAIL;
		bool hit = write_line(c, at, sectors, full);
		if (present && !hit)
			STAT(&c->stats, sector_misses)++;
		enum cache_result r = hit ? CACHE_HIT : CACHE_ALLOCATED;
		count_access(c, CACHE_WRITE, r, line, sectors);
		return r;
	}
	if (ring_full(&c->out))
		return refuse_access(c, CACHE_QUEUE_FULL);
	bool hit = at >= 0 && !(sectors & ~c->lines[at].valid);
	queue_request(c, CACHE_PASS, line, sectors, token, full, MSHR_NONE);
	count_access(c, CACHE_WRITE, hit ? CACHE_HIT : CACHE_PASSED, line,
		     c->write == CACHE_WT ? sectors : 0);
	if (at >= 0 && c->write == CACHE_WE) {
		c->lines[at].valid = 0;
		if (!c->lines[at].pending)
			line_free(c, (size_t)at);
	} else if (hit) {
		cache_touch(c, at);
	}
	return CACHE_PASSED;
}

enum cache_result cache_access(struct cache *c, enum cache_op op, uint64_t addr, uint32_t sectors,
			       bool full, uint32_t token)
{
	uint64_t line = addr >> c->line_shift;
	if (op == CACHE_READ && cache_hits_at(c, c->hit, addr, sectors))
		return CACHE_HIT;
	uint32_t set = set_of(c, line);
	if (op == CACHE_KEEP || (op == CACHE_WRITE && (full || !c->fetch_write)))
		return access_write(c, line, set, sectors, full, token, op == CACHE_KEEP);
	return access_read(c, op, line, set, sectors, token);
}

void cache_wrote(struct cache *c, uint64_t addr, uint32_t words)
{
	uint64_t line = addr >> c->line_shift;
	int64_t at = find_line(c, line, set_of(c, line));
	if (at < 0)
		return;
	uint32_t known = c->wrote[at] |= words;
	for (uint32_t p = c->lines[at].partial; p; p &= p - 1)
		if (!(words_of(c, p & -p) & ~known))
			c->lines[at].partial &= ~(p & -p);
}

bool cache_probe(struct cache *c, uint64_t addr, uint32_t sectors)
{
	uint64_t line = addr >> c->line_shift;
	int64_t at = find_line(c, line, set_of(c, line));
	return at >= 0 && !(sectors & (~c->lines[at].valid | c->lines[at].partial));
}

void cache_prefetch_fill(const struct cache *c, uint32_t entry)
{
	uint32_t at = c->mshr.v[entry].at;
	__builtin_prefetch(&c->lines[at], 1);
	__builtin_prefetch(&c->stamp[at], 1);
}

/* Index of a filled line. The index that the miss has recorded is tried first: the line is nearly always
 * still there. */
static int64_t fill_place(struct cache *c, uint64_t line, uint32_t entry)
{
	if (entry != MSHR_NONE && c->lines[c->mshr.v[entry].at].tag == line + 1)
		return (int64_t)c->mshr.v[entry].at;
	return find_line(c, line, set_of(c, line));
}

void cache_fill(struct cache *c, uint64_t addr, uint32_t sectors, uint32_t entry)
{
	uint64_t line = addr >> c->line_shift;
	uint32_t e = mshr_has(&c->mshr, entry, line) ? entry : mshr_find(&c->mshr, line);
	int64_t at = fill_place(c, line, e);
	STAT(&c->stats, fills)++;
	data_written(c, line, sectors);
	if (at < 0 && c->on_fill) {
		c->who = e != MSHR_NONE ? c->mshr.v[e].who : c->who;
		at = replace_victim(
			c, line, set_of(c, line),
			0); /* always possible: with on-fill allocation no line is reserved or dirty */
	}
	if (at >= 0) {
		struct cache_line *l = &c->lines[at];
		l->valid |= sectors;
		l->partial &= ~sectors;
		c->npending -= l->pending && !(l->pending & ~sectors);
		l->pending &= ~sectors;
		if (!l->pending)
			c->stamp[at] &= ~CACHE_RESERVED;
		if (e != MSHR_NONE)
			l->dirty |= c->mshr.v[e].dirty & sectors;
	}
	if (e != MSHR_NONE)
		mshr_fill(&c->mshr, e, sectors);
}

static void drop_clean(struct cache *c, size_t i)
{
	struct cache_line *l = &c->lines[i];
	l->valid &= l->dirty;
	if (!l->valid && !l->pending)
		line_free(c, i);
}

void cache_invalidate(struct cache *c, uint64_t addr)
{
	uint64_t line = addr >> c->line_shift;
	uint32_t set = set_of(c, line);
	int64_t at = find_line(c, line, set);
	if (at >= 0)
		drop_clean(c, (size_t)at);
}

void cache_invalidate_all(struct cache *c)
{
	uint32_t left = c->nlines; /* most launches use few SMs: the others' caches are empty */
	for (size_t i = 0; left; i++)
		if (c->lines[i].tag) {
			left--;
			drop_clean(c, i);
		}
}

void cache_forget_dirty(struct cache *c)
{
	uint32_t left = c->nlines;
	for (size_t i = 0; left; i++) {
		left -= c->lines[i].tag != 0;
		c->lines[i].dirty = 0;
	}
}

bool cache_idle(const struct cache *c)
{
	if (c->mshr.used || !ring_empty(&c->out))
		return false;
	return !c->npending;
}

/* ---- options ---- */

static bool power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

bool cache_conf_read(struct cache_conf *c, struct diag *d, const char *name, uint32_t kind,
		     uint32_t alloc, const struct repl_ops *repl, uint32_t hash,
		     const uint32_t num[9])
{
	unsigned before = d->errors;
	/* clang-format off */
	*c = (struct cache_conf){
		.write = kind == KIND_WB ? CACHE_WB : kind == KIND_WT ? CACHE_WT : kind == KIND_WE ? CACHE_WE : CACHE_RO,
		.alloc = alloc == ALLOCATE_ON_FILL ? CACHE_ON_FILL : alloc == ALLOCATE_NO_WRITE ? CACHE_NO_WRITE
			 : alloc == ALLOCATE_FETCH_ON_WRITE ? CACHE_FETCH_WRITE : CACHE_ON_MISS,
		.repl = repl,
		.xor = hash == HASH_XOR,
		.fermi = hash == HASH_FERMI,
		.sets = num[0], .ways = num[1], .line = num[2], .sector = num[3],
		.mshrs = num[4], .merge = num[5], .queue = num[6], .latency = num[7], .banks = num[8],
	};
	/* clang-format on */
	if (!power_of_two(c->line))
		diag_error(d, "%s.line = %u: a line has a power of two of bytes", name, c->line);
	else if (c->sector &&
		 (!power_of_two(c->sector) || c->sector > c->line || c->line / c->sector > 32))
		diag_error(
			d,
			"%s.sector = %u: a sector is a power of two, at most the line (%u) and at least 1/32 of it",
			name, c->sector, c->line);
	if (c->fermi && c->sets != 32 && c->sets != 64)
		diag_error(d, "%s.hash = fermi: for 32 or 64 sets, not %u", name, c->sets);
	if (repl && repl->bypasses && strcmp(name, "l1d"))
		diag_error(d, "%s.replacement = %s: only the L1D has a way past it", name,
			   repl->p.name);
	if (c->alloc == CACHE_FETCH_WRITE && strcmp(name, "l2"))
		diag_error(d, "%s.allocate = fetch-on-write: only the L2 does that", name);
	if (c->write == CACHE_WB && c->alloc == CACHE_ON_FILL)
		diag_error(
			d,
			"%s.allocate = on-fill: with %s.kind = wb a write that misses needs a line at once",
			name, name);
	return d->errors == before;
}
