/* --check race: which threads have accessed memory, and whether these accesses happen before the
 * present one.
 *
 * Memory is divided into sectors of 64 bytes. A mark is the access of one warp instruction to one
 * sector: one mark stands for all lanes if they are side by side, or all at one place. A sector has
 *
 *   writes  plain writes, and strong writes narrower than a word: per byte, the last of each kind
 *   strong  strong accesses of whole words (atomics, volatile, relaxed): per word, the last
 *   reads   reads not made redundant (below): all in shared memory; the last SECTOR_READS in
 *           global memory
 *
 * A read is redundant when a later read or plain write of the same bytes happens after it: an
 * access that races with the earlier one races with the later one, too. */
#ifndef CHECK_MARKS_H
#define CHECK_MARKS_H
#include <assert.h>
#include "check/check.h"
#include "devmem/shadow.h"

enum { SECTOR = SHADOW_WORD, SECTOR_WORDS = SECTOR / 4 };

struct mark {
	uint64_t bytes; /* mask of bytes of the sector */
	union {
		struct {
			uint32_t lanes;
			int16_t off;   /* in_row: offset of lane 0's bytes relative to the sector's
				        * start */
			uint8_t shift; /* in_row, strong words: log2 of the bytes per lane */
			bool in_row;   /* true: lane i is at off + (i << shift); false: all lanes
				        * access all bytes */
		};
		uint64_t where; /* all four */
	};
	union {
		struct {
			uint32_t block;  /* block's index + 1; 0: no mark */
			uint16_t first;  /* number of lane 0's thread in the block */
			uint16_t launch; /* low part of the launch's number */
		};
		uint64_t who; /* block, thread and launch: the warp */
	};
	union {
		struct {
			uint32_t pc : 28, strong : 1, cta : 1, is_volatile : 1;
			uint32_t together : 1; /* several lanes executed the instruction */
		};
		uint32_t what;
	};
	uint32_t stamp; /* number of the warp instruction in the launch */
};

struct sector_more; /* fields that few sectors need */
enum { SECTOR_READS = 4 };
struct sector {       /* three lines of the host's caches: most accesses need the first */
	uint32_t gen; /* generation of the shadow at creation; a mark of another one is stale */
	uint8_t nwrites;
	uint8_t turn; /* global memory: index of the read that is replaced next */
	uint16_t nreads;
	struct sector_more *more;
	struct mark write; /* the sector's own write; further ones are in sector_more */
	/* per read: hash of the warp that made it; reads with different tags are of different warps */
	uint32_t tag[SECTOR_READS];
	struct mark read[SECTOR_READS];
};
static_assert(sizeof(struct sector) == 192, "lines");

struct marks {
	struct sector *v;       /* sectors, by address */
	uint64_t size;          /* size of v in bytes */
	uint64_t era;           /* upper part of the launch numbers of the marks */
	bool mapped;            /* v is a mapping of its own */
	uint32_t gen;           /* generation: counts marks_forget_all() */
	struct arena arena;     /* owns sector_more and its arrays */
	struct mark *spare[16]; /* arrays for reuse, by log2 of their size */
};

/* An access of some lanes of a warp to one sector. */
struct access_of {
	struct warp *w;
	const struct uop *u;
	struct launch_check *c;
	struct mark now;
	enum access acc;
	enum space sp;
	struct cta *owner; /* block whose shared memory it is; NULL: global memory */
	bool lock_step;
	uint32_t n;           /* bytes per lane */
	uint64_t a;           /* address of the sector */
	const struct know *k; /* knowledge that every lane has; not set if `differ` */
	bool differ;
	uint32_t told;  /* stamp of the last publication by a lane of the warp */
	uint32_t base;  /* every thread of the block knows every other thread up to this stamp */
	bool alone;     /* no other launch runs at the same time */
	bool spared;    /* the launch cannot store to the allocation, so the read is not recorded */
	bool read_only; /* ld.global.nc: does not see what the kernel itself writes */
	bool groups;    /* adjacent lanes may be checked as one mark */
};

/* races.c: relates an access to a mark. APART: the mark has other bytes. BEFORE: the mark happens
 * before. STRONG: both are strong, so they do not race. RACE: they race, which is reported. wrote:
 * the mark is a write. */
enum verdict { APART, BEFORE, STRONG, RACE };
enum verdict mark_check(const struct access_of *x, const struct mark *m, bool wrote);
/* True if, by the knowledge k, the accesses of all lanes of mark m happen before x. False: some may
 * not. */
bool mark_before(const struct access_of *x, const struct know *k, const struct mark *m);

/* races.c: true if the two accesses are strong and overlap in part, so that neither is atomic with
 * respect to the other. */
bool marks_sizes_differ(const struct access_of *x, const struct mark *m);

struct marks *marks_new(uint64_t nsectors);
void marks_free(struct marks *m);
static inline void marks_fetch(const struct marks *m, uint64_t sector)
{
	__builtin_prefetch(&m->v[sector].gen, 1);
	__builtin_prefetch(&m->v[sector].read[0], 1);
}
/* Forgets accesses to the bytes of a sector, which now belong to a new allocation. */
void marks_forget(struct marks *m, uint64_t sector, uint64_t bytes);
void marks_forget_all(struct marks *m);
/* Checks the access against the marks, reports races, and records it: x->now is set except for its
 * bytes and where. */
void marks_access(struct access_of *x, struct marks *m, uint64_t sector, uint64_t bytes,
		  uint64_t where);

#endif
