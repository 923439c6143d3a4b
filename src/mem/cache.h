/* A cache: L1D, L1I, constants, textures, an L2 slice. A cache keeps tags, outstanding misses and a
 * queue of requests to the next level. It promises that every token of a miss comes out of
 * cache_ready() once. The owner keeps time: it adds the hit latency, makes as many accesses per cycle
 * as there are ports, empties the miss queue and brings back the fills. The options are in
 * conf/machine.h; outstanding misses are in mem/mshr.h.
 *
 *	switch (cache_access(c, CACHE_READ, addr, sectors, false, token)) {
 *	case CACHE_HIT:           data is there
 *	case CACHE_HIT_RESERVED:  merged into an outstanding miss; the token comes out of cache_ready()
 *	case CACHE_MISS:          a fetch was queued; the token comes out of cache_ready()
 *	case CACHE_ALLOCATED:     write back: a line was allocated for the write; nothing to wait for
 *	case CACHE_PASSED:        a write was queued for the next level with its token
 *	case CACHE_FAIL:          nothing happened (c->why); try again when a resource was freed
 *	}
 *
 * Write policies: wb (write back; a write miss allocates a line without fetching it, the rest of a
 * sector is fetched when it is read), wt (write through), we (write evict: a write passes on and
 * drops the line), ro (read only; writes pass on). Allocation: on-miss reserves the line when the
 * miss is sent; on-fill allocates it when the data arrive; no-write is on-miss for reads, and write
 * misses pass on. CACHE_KEEP is a write that is written back, whatever the policy, if its line is
 * present. fetch-on-write is on-miss, and a write that covers its sectors in part needs them like a
 * read: it may miss, and its token comes out of cache_ready(). */
#ifndef MEM_CACHE_H
#define MEM_CACHE_H
#include <stdbool.h>
#include <stdint.h>
#include "mem/mshr.h"
#include "mem/repl.h"
#include "mem/ring.h"
#include "mem/wires.h"
#include "stat/stat.h"

struct machine;
struct diag;

enum cache_op { CACHE_READ, CACHE_WRITE, CACHE_ATOMIC, CACHE_KEEP };
/* clang-format off */
enum cache_result { CACHE_HIT, CACHE_HIT_RESERVED, CACHE_MISS, CACHE_ALLOCATED, CACHE_PASSED, CACHE_FAIL };
/* clang-format on */
enum cache_fail { CACHE_NO_MSHR, CACHE_MERGE_FULL, CACHE_QUEUE_FULL, CACHE_NO_LINE, CACHE_FAILS };
enum cache_write { CACHE_RO, CACHE_WB, CACHE_WT, CACHE_WE };
enum cache_alloc { CACHE_ON_MISS, CACHE_ON_FILL, CACHE_NO_WRITE, CACHE_FETCH_WRITE };

struct cache_conf {
	enum cache_write write;
	enum cache_alloc alloc;
	const struct repl_ops *repl; /* replacement policy; NULL: least recently used */
	bool xor, fermi;
	bool join; /* several writes that together cover a sector make it readable: cache_wrote() */
	/* free entries that a read miss requires in the miss queue; 0: one, and only if the miss
	 * fetches */
	uint32_t room;
	uint32_t sets, ways, line, sector, mshrs, merge, queue, latency, banks;
};

/* A request to the next level. */
enum cache_out_kind { CACHE_FETCH, CACHE_PASS, CACHE_BACK };
struct cache_out {
	uint64_t addr; /* address of the line */
	uint32_t sectors;
	uint32_t token; /* token of the access; set for fetches and passed writes */
	uint8_t kind;
	bool full;       /* PASS: the write covers its sectors */
	uint32_t pieces; /* PASS: 32-byte pieces written, set by the owner; 0: not used */
	uint32_t words;  /* PASS: 4-byte words written, set by the owner; 0: not used */
	uint32_t entry;  /* FETCH: index of its MSHR, for cache_fill() */
};

#define CACHE_STATS(X)                                                                             \
	X(accesses, STAT_SUM, 1, "accesses", "lookups that were not refused")                      \
	X(hits, STAT_SUM, 1, "accesses", "accesses found in the cache")                            \
	X(hits_reserved, STAT_SUM, 1, "accesses", "accesses merged into a miss under way")         \
	X(misses, STAT_SUM, 1, "accesses", "accesses not found")                                   \
	X(sector_misses, STAT_SUM, 1, "accesses",                                                  \
	  "misses whose line was present but not the sector")                                      \
	X(reads, STAT_SUM, 1, "accesses", "accesses that read")                                    \
	X(writes, STAT_SUM, 1, "accesses", "accesses that write")                                  \
	X(atomics, STAT_SUM, 1, "accesses", "accesses that are atomics")                           \
	X(read_misses, STAT_SUM, 1, "accesses", "reads that missed, without merged ones")          \
	X(write_misses, STAT_SUM, 1, "accesses", "writes that missed")                             \
	X(fails_mshr, STAT_SUM, 1, "tries", "accesses refused because no MSHR was free")           \
	X(fails_merge, STAT_SUM, 1, "tries", "accesses refused because the MSHR was full")         \
	X(fails_queue, STAT_SUM, 1, "tries", "accesses refused because the miss queue was full")   \
	X(fails_line, STAT_SUM, 1, "tries",                                                        \
	  "accesses refused because all lines of the set were "                                    \
	  "reserved")                                                                              \
	X(evictions, STAT_SUM, 1, "lines", "valid lines replaced")                                 \
	X(write_backs, STAT_SUM, 1, "lines", "dirty lines sent to the next level")                 \
	X(fetches, STAT_SUM, 1, "requests", "fetches sent to the next level")                      \
	X(passed, STAT_SUM, 1, "requests", "writes passed to the next level")                      \
	X(fills, STAT_SUM, 1, "fills", "fetches answered")                                         \
	X(mshr_peak, STAT_MAX, 1, "entries", "most MSHRs in use")                                  \
	X(data_reads, STAT_SUM, 1, "sectors",                                                      \
	  "sectors read from the data array, at once or after the "                                \
	  "fill; lines if the cache has no sectors")                                               \
	X(data_writes, STAT_SUM, 1, "sectors",                                                     \
	  "sectors written to the data array, including fills")                                    \
	X(read_toggles, STAT_SUM, 1, "bits",                                                       \
	  "power.data = counted: bits of data read that differ from "                              \
	  "the previous data")                                                                     \
	X(write_toggles, STAT_SUM, 1, "bits",                                                      \
	  "power.data = counted: bits of data written that differ "                                \
	  "from the previous data")
struct cache_stats {
	STAT_FIELDS(CACHE_STATS)
};
extern const struct stat_table cache_stat_table;

struct cache_line {
	uint64_t tag;                   /* line number + 1; 0: free */
	uint32_t valid, dirty, pending; /* masks of sectors */
	uint32_t partial;               /* mask of sectors that hold a write but not all bytes */
};

#define CACHE_RESERVED (1ull << 63) /* bit of a stamp: sectors of the line are being fetched */

/* The fields that an access needs come first and are small: a GPU has many caches, and little of
 * them stays in the host's own. A lookup reads one byte per way (the fingerprint), and the line only
 * where the byte matches. The search for a victim reads only the stamps. */
struct cache {
	/* per way a byte of the line number's hash, words x sets; any value if free */
	uint64_t *fingerprint;
	/* per line: stamp of the replacement policy (mem/repl.h), usually the time of the last use
	 * or of the allocation; with CACHE_RESERVED; 0: the line is free */
	uint64_t *stamp;
	struct cache_line *lines; /* sets x ways */
	uint64_t clock;           /* number of uses so far, the source of stamps */
	uint32_t hit;             /* index of the line that was hit last */
	uint32_t set_mask;        /* sets - 1; 0: the number of sets is not a power of two */
	uint32_t sets, shares;    /* sets of this cache; caches that share the address space
				   * (cache_share()) */
	uint16_t ways, words;     /* words: 64-bit words of a set's fingerprints */
	uint8_t line_shift, set_shift, sector_shift, share_shift;
	uint8_t write; /* enum cache_write */
	uint8_t why;   /* enum cache_fail of the last CACHE_FAIL */
	bool xor, fermi, renews, on_fill, no_write, fetch_write;
	void (*used)(struct cache *c, int64_t i);     /* struct repl_ops; NULL: none */
	int (*victim)(struct cache *c, uint32_t set); /* struct repl_ops; NULL: oldest stamp */
	struct mshrs mshr;
	RING(struct cache_out) out;
	/* Per line: owner of the access that fetched it (cache_keep_owners()); NULL: not
	 * recorded. */
	uint16_t *owner;
	uint16_t who; /* owner of the next access (a group, for example), set by the cache's user */
	void (*evicted)(void *arg, uint64_t line, uint16_t owner);
	void *evicted_arg;
	uint32_t room;     /* cache_conf.room */
	uint32_t npending; /* lines with sectors that are being fetched */
	uint32_t nlines;   /* lines in use: those with a tag */
	/* join: per line, mask of the words written since the line's sector was allocated; NULL:
	 * not tracked */
	uint32_t *wrote;
	uint32_t all;       /* mask of all sectors of a line */
	uint32_t ahead_set; /* set of ahead_line, the line named by the last cache_prefetch() */
	uint64_t ahead_line;
	/* data array's wires, owned by the cache's owner; NULL: power.data = mean */
	struct wires *wires;
	struct cache_stats stats;
	struct cache_conf conf;
};

/* Reads the options of one cache of the machine: CACHE_CONF(m, l1d). False, and errors in d, if the
 * options conflict. */
#define CACHE_CONF(m, f, out, d)                                                                   \
	cache_conf_read(out, d, #f, m->f##_kind, m->f##_alloc, m->f##_repl, m->f##_hash,           \
			(const uint32_t[]){m->f##_sets, m->f##_ways, m->f##_line, m->f##_sector,   \
					   m->f##_mshrs, m->f##_merge, m->f##_queue, m->f##_lat,   \
					   m->f##_banks})
bool cache_conf_read(struct cache_conf *c, struct diag *d, const char *name, uint32_t kind,
		     uint32_t alloc, const struct repl_ops *repl, uint32_t hash,
		     const uint32_t num[9]);

void cache_init(struct cache *c, const struct cache_conf *conf, struct arena *a);
/* Makes the cache record the owner (c->who) of the access that fetched each line, and call
 * evicted() before it replaces a line. */
void cache_keep_owners(struct cache *c, struct arena *a,
		       void (*evicted)(void *arg, uint64_t line, uint16_t owner), void *arg);
void cache_count_data(struct cache *c); /* power.data = counted: gives the cache wires */
/* Divides units of `unit` bytes among `shares` caches, of which this is one. Sets are chosen by the
 * unit's number within the share: chosen by the address, some sets would never be used. */
void cache_share(struct cache *c, uint32_t shares, uint32_t unit);

/* Mask of the sectors of [addr, addr + bytes), which must lie in one line. */
static inline uint32_t cache_sectors(const struct cache *c, uint64_t addr, uint32_t bytes)
{
	uint64_t off = addr & ((1ull << c->line_shift) - 1);
	unsigned first = (unsigned)(off >> c->sector_shift),
		 last = (unsigned)((off + bytes - 1) >> c->sector_shift);
	return (uint32_t)((2ull << last) - (1ull << first));
}

static inline uint64_t cache_line_addr(const struct cache *c, uint64_t addr)
{
	return addr >> c->line_shift << c->line_shift;
}

/* number of sectors in the mask */
static inline unsigned cache_number(const struct cache *c, uint32_t sectors)
{
	return c->all == 1 ? sectors : (unsigned)__builtin_popcount(sectors);
}

/* Records a use of the line at index i. */
static inline void cache_touch(struct cache *c, int64_t i)
{
	if (c->renews)
		c->stamp[i] = ++c->clock | (c->stamp[i] & CACHE_RESERVED);
	else if (c->used)
		c->used(c, i);
}

/* A read of a line expected at index `at`, as an earlier hit left it in c->hit. True: the read is a
 * hit and is done, as by cache_access(). False: the line is elsewhere or absent; nothing happened. */
static inline bool cache_hits_at(struct cache *c, uint32_t at, uint64_t addr, uint32_t sectors)
{
	const struct cache_line *l = &c->lines[at];
	if (l->tag != (addr >> c->line_shift) + 1 || sectors & (~l->valid | l->partial) || c->wires)
		return false;
	cache_touch(c, at);
	STAT(&c->stats, accesses)++;
	STAT(&c->stats, reads)++;
	STAT(&c->stats, hits)++;
	STAT(&c->stats, data_reads) += cache_number(c, sectors);
	return true;
}

/* `full`: the write covers every byte of its sectors. */
enum cache_result cache_access(struct cache *c, enum cache_op op, uint64_t addr, uint32_t sectors,
			       bool full, uint32_t token);
/* Records that these words of the line at `addr` are written. Called after a write that covers its
 * sectors in part has hit or been allocated. */
void cache_wrote(struct cache *c, uint64_t addr, uint32_t words);
/* Prefetches the line's set into the host's cache: an access to it follows soon. */
void cache_prefetch(struct cache *c, uint64_t addr);
/* True if a read would hit. Changes nothing. */
bool cache_probe(struct cache *c, uint64_t addr, uint32_t sectors);
/* Inserts the data of these sectors from outside; if the line is missing, a victim is replaced. */
void cache_place(struct cache *c, uint64_t addr, uint32_t sectors);
/* The next level has answered a CACHE_FETCH of this address. `entry`: the entry of that fetch. */
void cache_fill(struct cache *c, uint64_t addr, uint32_t sectors, uint32_t entry);
/* Prefetches the data that the cache_fill() of this entry will change into the host's cache. */
void cache_prefetch_fill(const struct cache *c, uint32_t entry);
/* Takes the oldest token whose data has arrived; false: there is none. */
static inline bool cache_ready(struct cache *c, uint32_t *token)
{
	return mshr_pop(&c->mshr, token);
}
static inline bool cache_has_ready(const struct cache *c) { return c->mshr.ready != MSHR_NONE; }
/* Drops clean lines that are not reserved: one line, or all (kernel end). */
void cache_invalidate(struct cache *c, uint64_t addr);
void cache_invalidate_all(struct cache *c);
/* Marks all lines clean: the dirty data will not be read any more. */
void cache_forget_dirty(struct cache *c);
/* True if nothing is in flight: no MSHR in use, nothing queued, no line reserved. */
bool cache_idle(const struct cache *c);

#endif
