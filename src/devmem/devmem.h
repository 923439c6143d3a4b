/* Device memory: the table of allocations that kernels may touch.
 *
 * Device addresses start low (32-bit programs reach them), are handed out in order and never
 * reused, so that a use of freed memory is always found and addresses are the same from run to run.
 * Below them lie the windows of generic addressing:
 *
 *   0x0100'0000  shared memory of the block     (generic = SHARED_BASE + offset)
 *   0x0200'0000  local memory of the thread     (generic = LOCAL_BASE + offset)
 *   0x0300'0000  kernel parameters              (generic = PARAM_BASE + offset)
 *   0x1000'0000  first allocation
 *   CLUSTER_BASE shared memory of all blocks of a cluster, 16 MiB each, in launches with clusters
 *
 * Managed and pinned host memory keeps its host address. */
#ifndef DEVMEM_DEVMEM_H
#define DEVMEM_DEVMEM_H
#include <stdbool.h>
#include <stdint.h>
#include "base/vec.h"

#define SHARED_BASE  0x01000000ull
#define LOCAL_BASE   0x02000000ull
#define PARAM_BASE   0x03000000ull
#define WINDOW_SPAN  0x01000000ull
#define CLUSTER_BASE 0x0100000000000000ull
#define CLUSTER_SPAN (16 * WINDOW_SPAN)
#define HEAP_BASE    0x10000000ull

enum alloc_kind { ALLOC_DEVICE, ALLOC_HOST, ALLOC_MAPPED, ALLOC_SYMBOL, ALLOC_CONST, ALLOC_HEAP };

struct alloc {
	uint64_t lo, size; /* device address, bytes */
	uint8_t *host;     /* the bytes */
	uint64_t mapped;   /* of the host, from there on */
	uint8_t kind;
	bool freed;
	const char *name;      /* symbol, or NULL */
	struct shadow *shadow; /* --check race,init; NULL otherwise */
	uint64_t stored_to;    /* the last checked launch that may store to it */
};

/* The base addresses that reach a window, [first, first + last] below one upper word, and what to add to
 * the low word of one to get the host's address of its bytes (exec/memory/quads.h). */
struct reach {
	uint32_t first, upper, last;
	uint32_t bytes; /* for accesses of so many; 0: none do */
	uintptr_t add;
};
/* A run of device addresses and the bytes behind it: what an access is checked against. */
struct window {
	uint64_t lo, size;
	uint8_t *host;
	struct reach reach; /* of an instruction's own window */
};
static inline bool window_has(const struct window *w, uint64_t addr, uint64_t n)
{
	uint64_t off = addr - w->lo;
	return off < w->size && w->size - off >= n;
}

enum { NGONE = 16 };
struct devmem {
	VEC(struct alloc *) allocs; /* sorted by lo; freed ones stay until there are many */
	uint64_t next;              /* next device address */
	uint64_t used, limit;       /* bytes */
	unsigned aliases;           /* allocations of devmem_alias */
	uint64_t shared_top;        /* memory that the host shares is tried below it */
	unsigned nfreed;
	/* memory shared with the host that was freed last, for messages */
	struct gone {
		uint64_t lo, size;
	} gone[NGONE];
	unsigned ngone;
	bool shadowed; /* --check: allocations get shadow memory */
	bool check_init;
	/* --check: pointers that lie in memory (check/escapes.c) and the function that frees them;
	 * NULL: none */
	struct escape *escapes;
	void (*escapes_free)(struct escape *e);
	uint64_t nhost; /* allocations so far that the host shares */
	bool lenient; /* --check warn: the rest of an allocation's last page can be accessed too */
	/* the call that allocated addr, for messages; NULL: not known */
	const char *(*site)(void *arg, uint64_t addr);
	void *site_arg;
};

void devmem_init(struct devmem *s, uint64_t limit);
void devmem_fini(struct devmem *s);
/* NULL: no room. Zero-size requests get an address of their own. Contents are zero, with
 * check_init garbage where the host shares them. */
struct alloc *devmem_alloc(struct devmem *s, uint64_t size, enum alloc_kind kind, uint64_t align);
struct alloc *devmem_map(struct devmem *s, void *ptr, uint64_t size, enum alloc_kind kind);
/* Host memory under an address of the device's own, which code with addresses of 32 bits
 * reaches. */
struct alloc *devmem_alias(struct devmem *s, void *ptr, uint64_t size);
/* The alias that contains a byte of the host; NULL: none. */
struct alloc *devmem_aliased(const struct devmem *s, uint64_t host);
/* false: not the start of an allocation */
bool devmem_free(struct devmem *s, uint64_t addr);
/* The allocation, freed or not, that contains addr; NULL. */
struct alloc *devmem_find(const struct devmem *s, uint64_t addr);
/* Memory shared with the host that lay there and was freed lately; the host may have something else
 * there since. NULL: none. */
const struct gone *devmem_gone(const struct devmem *s, uint64_t addr);
/* Bytes [addr, addr + n) in an allocation of the device or in the rest of its last page, up to the
 * next allocation. NULL: no such page, or the table is not lenient. A GPU maps memory in pages of 2
 * MiB and checks only the bounds of pages. */
enum { DEVMEM_PAGE = 2 << 20 };
uint8_t *devmem_in_page(const struct devmem *s, uint64_t addr, uint64_t n);
/* Would a GPU execute this access without a fault? The answer does not depend on `lenient`. */
bool devmem_page_answers(const struct devmem *s, uint64_t addr, uint64_t n);
/* The allocation nearest to an address that none contains, for messages; NULL if there are none. */
struct alloc *devmem_nearest(const struct devmem *s, uint64_t addr);
/* ", allocated by cudaMalloc at x.cu:12" of an allocation of the device or the host; "" if nobody
 * knows. */
const char *devmem_site(const struct devmem *s, const struct alloc *a, char *buf, size_t n);

#endif
