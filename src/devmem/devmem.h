/* Device memory: the table of allocations that kernels may touch.
 *
 * Device addresses start low (32-bit programs reach them), are handed out in order and are never
 * reused, so that a use of freed memory is always detected and addresses do not differ between
 * runs. Below them lie the windows of generic addressing:
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
	uint64_t lo, size; /* device address of the first byte; bytes */
	uint8_t *host;     /* the bytes in host memory */
	uint64_t mapped;   /* bytes mapped in host memory, from `host` on */
	uint8_t kind;
	bool freed;
	bool reserved;         /* addresses that do not count as used memory (devmem_reserve()) */
	const char *name;      /* name of a variable; NULL: none */
	struct shadow *shadow; /* --check race,init; NULL: off */
	uint64_t stored_to;    /* id of the last checked launch that may store to the allocation */
};

/* Base addresses that reach a window: [first, first + last] below one upper word; and the number to
 * add to the low word of such an address to get the host address of its bytes
 * (exec/memory/quads.h). */
struct reach {
	uint32_t first, upper, last;
	uint32_t bytes; /* access size for which it is valid; 0: not valid */
	uintptr_t add;
};
/* A run of device addresses and the bytes behind it, against which an access is checked. */
struct window {
	uint64_t lo, size;
	uint8_t *host;
	struct reach reach; /* base addresses that reach an instruction's own window */
};
static inline bool window_has(const struct window *w, uint64_t addr, uint64_t n)
{
	uint64_t off = addr - w->lo;
	return off < w->size && w->size - off >= n;
}

enum { NGONE = 16 };
struct devmem {
	VEC(struct alloc *) allocs; /* sorted by lo; freed ones are removed when there are many */
	uint64_t next;              /* next device address */
	uint64_t used, limit;       /* bytes */
	unsigned aliases;           /* number of allocations of devmem_alias() */
	/* address below which memory shared by host and device is mapped if possible */
	uint64_t shared_top;
	unsigned nfreed;
	/* Memory shared by host and device that was freed last, kept for messages. */
	struct gone {
		uint64_t lo, size;
	} gone[NGONE];
	unsigned ngone;
	bool shadowed; /* --check: allocations get shadow memory */
	bool check_init;
	/* --check: pointers stored in memory (check/escapes.c), and the function that frees them;
	 * NULL: none */
	struct escape *escapes;
	void (*escapes_free)(struct escape *e);
	uint64_t nhost; /* number of shared allocations so far */
	bool lenient; /* --check warn: the rest of an allocation's last page may be accessed too */
	/* describes, for messages, the call that allocated addr; returns NULL if unknown */
	const char *(*site)(void *arg, uint64_t addr);
	void *site_arg;
};

void devmem_init(struct devmem *s, uint64_t limit);
void devmem_fini(struct devmem *s);
/* Allocates memory. NULL: memory is full. A request of size zero gets an address of its own.
 * Contents are zero, or with check_init garbage if the host shares them. */
struct alloc *devmem_alloc(struct devmem *s, uint64_t size, enum alloc_kind kind, uint64_t align);
/* Reserves addresses, more of them than there is memory if need be. The memory behind them is counted
 * by devmem_commit() when the program takes and returns it. NULL: no room among the host's addresses. */
struct alloc *devmem_reserve(struct devmem *s, uint64_t size);
/* Counts bytes as used. False: there are not as many left. */
bool devmem_commit(struct devmem *s, uint64_t bytes);
void devmem_decommit(struct devmem *s, uint64_t bytes);
struct alloc *devmem_map(struct devmem *s, void *ptr, uint64_t size, enum alloc_kind kind);
/* Gives host memory a second, 32-bit device address. */
struct alloc *devmem_alias(struct devmem *s, void *ptr, uint64_t size);
/* Returns the alias that contains a byte of the host; NULL: none. */
struct alloc *devmem_aliased(const struct devmem *s, uint64_t host);
/* Frees an allocation; false: addr is not the start of an allocation. */
bool devmem_free(struct devmem *s, uint64_t addr);
/* Returns the allocation, freed or not, that contains addr; NULL: none. */
struct alloc *devmem_find(const struct devmem *s, uint64_t addr);
/* Returns shared memory of host and device that contained addr and was freed lately; the host may
 * have reused the address. NULL: none. */
const struct gone *devmem_gone(const struct devmem *s, uint64_t addr);
/* Returns bytes [addr, addr + n) if they are in a device allocation or in the rest of its last
 * page, up to the next allocation. NULL: they are not, or `lenient` is off. A GPU maps memory in
 * pages of 2 MiB and checks only the bounds of pages. */
enum { DEVMEM_PAGE = 2 << 20 };
uint8_t *devmem_in_page(const struct devmem *s, uint64_t addr, uint64_t n);
/* True if a GPU would execute this access without a fault. Does not depend on `lenient`. */
bool devmem_page_answers(const struct devmem *s, uint64_t addr, uint64_t n);
/* Returns the allocation nearest to an address that is in none, for messages; NULL if there are no
 * allocations. */
struct alloc *devmem_nearest(const struct devmem *s, uint64_t addr);
/* Returns ", allocated by cudaMalloc at x.cu:12" for an allocation of the device or the host; "" if
 * the call is unknown. */
const char *devmem_site(const struct devmem *s, const struct alloc *a, char *buf, size_t n);

#endif
