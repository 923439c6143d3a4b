/* --check race: which threads have accessed memory, and whether these accesses happen before the
 * present one.
 *
 * Memory is divided into sectors of 64 bytes. A mark is the access of one warp instruction to one
 * sector: one mark stands for all lanes if they are side by side, or all at one place. A sector has
 *
 *   writes  plain ones, and strong ones of less than a word: of each byte the last of either kind
 *   strong  atomics, volatile and relaxed stores: of each word the last
 *   reads   those that are not superfluous: in shared memory all, in global memory the last
 *           SECTOR_READS
 *
 * A read is superfluous when a later read or plain write of the same bytes happens after it: an
 * access that races with the earlier one races with the later one, too. */
#ifndef CHECK_MARKS_H
#define CHECK_MARKS_H
#include <assert.h>
#include "check/check.h"
#include "devmem/shadow.h"

enum { SECTOR = SHADOW_WORD, SECTOR_WORDS = SECTOR / 4 };

struct mark {
	uint64_t bytes; /* of the sector */
	union {
		struct {
			uint32_t lanes;
			int16_t off; /* in_row: where lane 0's bytes are, seen from the sector's start */
			uint8_t shift; /* in_row, strong words: log2 of the bytes a lane */
			bool in_row; /* lane i at off + (i << shift); or else all lanes at all bytes */
		};
		uint64_t where; /* all four */
	};
	union {
		struct {
			uint32_t block;  /* index + 1 */
			uint16_t first;  /* thread of lane 0 */
			uint16_t launch; /* low part of its number */
		};
		uint64_t who; /* all three: which warp */
	};
	union {
		struct {
			uint32_t pc : 28, strong : 1, cta : 1, is_volatile : 1;
			uint32_t together : 1; /* several lanes executed the instruction */
		};
		uint32_t what;
	};
	uint32_t stamp; /* of the launch: which warp instruction */
};

struct sector_more; /* what few sectors have */
enum { SECTOR_READS = 4 };
struct sector {       /* three lines of the host's caches: most accesses need the first */
	uint32_t gen; /* generation of the shadow at creation; a mark of another one is stale */
	uint8_t nwrites;
	uint8_t turn; /* global memory: which read goes next */
	uint16_t nreads;
	struct sector_more *more;
	struct mark write; /* the first of each kind */
	/* per read: hash of the warp that made it; reads with different tags are of different warps */
	uint32_t tag[SECTOR_READS];
	struct mark read[SECTOR_READS];
};
static_assert(sizeof(struct sector) == 192, "lines");

struct marks {
	struct sector *v;       /* of each sector */
	uint64_t size;          /* of v in bytes */
	uint64_t era;           /* upper part of the number of the launches that the marks are of */
	bool mapped;            /* v is a mapping of its own */
	uint32_t gen;           /* generation: counts marks_forget_all() */
	struct arena arena;     /* of sector_more and what is in it */
	struct mark *spare[16]; /* arrays to be used again, by log2 of their size */
};

/* An access of some lanes of a warp to one sector. */
struct access_of {
	struct warp *w;
	const struct uop *u;
	struct launch_check *c;
	struct mark now;
	enum access acc;
	enum space sp;
	bool lock_step;
	uint32_t n;           /* bytes a lane */
	uint64_t a;           /* address of the sector */
	const struct know *k; /* what each lane knows; not set where they differ */
	bool differ;
	uint32_t told;  /* when one of the warp last told others how far it is */
	uint32_t base;  /* up to which all know all of their block */
	bool alone;     /* no other launch counts */
	bool spared;    /* nobody can store there: nothing to be remembered */
	bool read_only; /* ld.global.nc: does not see what the kernel itself writes */
	bool groups;    /* lanes may be looked at together */
};

/* races.c: relates an access to a mark. The mark touches other bytes, happens before, excludes it
 * (both strong), or races, which is reported; wrote: the mark is a write. */
enum verdict { APART, BEFORE, STRONG, RACE };
enum verdict mark_check(const struct access_of *x, const struct mark *m, bool wrote);
/* True if all of m happens before, as far as k knows. False: some of its lanes may. */
bool mark_before(const struct access_of *x, const struct know *k, const struct mark *m);

/* races.c: the two are strong and overlap in part, so that neither is atomic to the other. */
bool marks_sizes_differ(const struct access_of *x, const struct mark *m);

struct marks *marks_new(uint64_t nsectors);
void marks_free(struct marks *m);
static inline void marks_fetch(const struct marks *m, uint64_t sector)
{
	__builtin_prefetch(&m->v[sector].gen, 1);
	__builtin_prefetch(&m->v[sector].read[0], 1);
}
/* Forgets what was done to the bytes of a sector: they are new memory. */
void marks_forget(struct marks *m, uint64_t sector, uint64_t bytes);
void marks_forget_all(struct marks *m);
/* Checks the access against the marks, reports races, and records it: x->now is set except for its
 * bytes and where. */
void marks_access(struct access_of *x, struct marks *m, uint64_t sector, uint64_t bytes,
		  uint64_t where);

#endif
