/* Accesses to shared memory of other blocks of a cluster (cluster.h). */
#include "exec/cluster.h"
#include "exec/memory/pending.h"
#include "exec/observer.h"

struct cta *shared_owner(struct cta *b, const struct uop *u, uint64_t a, uint32_t *at)
{
	bool generic = (u->aux & AUX_SPACE) == SP_GENERIC;
	if (generic && a - SHARED_BASE < WINDOW_SPAN) {
		*at = (uint32_t)(a - SHARED_BASE);
		return b;
	}
	if (generic && !(b->cluster && a - CLUSTER_BASE < CLUSTER_SPAN))
		return NULL;
	uint32_t s = (uint32_t)(generic ? a - CLUSTER_BASE : a), rank = s >> RANK_SHIFT;
	*at = s;
	if (!b->cluster)
		return b;
	*at = s & RANK_PLACE;
	bool remote = generic || (u->aux & AUX_CLUSTER);
	if (u->a == SINK || rank == b->rank || (!rank && !remote))
		return b;
	return remote ? cluster_block(b, rank) : NULL;
}

static void fault_exited(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
			 const struct cta *o)
{
	char ended[300] = "";
	if (w->cta->l->observer)
		w->cta->l->observer->ended(o, ended, sizeof ended);
	exec_fault(
		w, u, lane, HEDDLE_FAULT_BOUNDS, a, n,
		"access of %u bytes at shared address 0x%llx of block %u,%u,%u, rank %u of the cluster, all of "
		"whose threads have exited%s",
		n, (unsigned long long)a, o->ctaid[0], o->ctaid[1], o->ctaid[2], o->rank, ended);
}

/* True if an arrival at an mbarrier of a block that has ended is ignored. Programs whose blocks
 * arrive at each other's barriers after the last tile make such arrivals, for which no thread waits
 * any more; --check race reports it. */
static bool is_late_arrival(const struct warp *w, const struct uop *u)
{
	return u->in->op == OP_MBARRIER && !w->cta->l->check_race;
}

struct cta *shared_find(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, uint32_t n,
			uint32_t align, uint32_t *at)
{
	struct cta *b = w->cta, *o = shared_owner(b, u, a, at);
	bool check = b->l->check;
	if (a & (align - 1)) {
		if (check)
			exec_fault(w, u, lane, HEDDLE_FAULT_MISALIGNED, a, n,
				   "shared address 0x%llx is not a multiple of %u",
				   (unsigned long long)a, align);
		return NULL;
	}
	if (o && *at <= b->l->shared_bytes && n <= b->l->shared_bytes - *at) {
		if (o == b || o->live || is_late_arrival(w, u))
			return o;
		fault_exited(w, u, lane, a, n, o);
		return NULL;
	}
	if (!check)
		return NULL;
	if (!o)
		exec_fault(
			w, u, lane, HEDDLE_FAULT_BOUNDS, a, n,
			"0x%llx is not an address of shared memory of a block of the cluster, which has %u",
			(unsigned long long)a, b->cluster ? b->cluster->n : 1);
	else
		exec_fault(
			w, u, lane, HEDDLE_FAULT_BOUNDS, a, n,
			"access of %u bytes at shared address 0x%x: the block has %u bytes of it",
			n, *at, b->l->shared_bytes);
	return NULL;
}

bool in_shared(const struct cta *b, const uint8_t *p)
{
	uint32_t n = b->l->shared_bytes;
	if (p >= b->shared && p < b->shared + n)
		return true;
	for (unsigned i = 0; b->cluster && i < b->cluster->n; i++)
		if (p >= b->cluster->block[i]->shared && p < b->cluster->block[i]->shared + n)
			return true;
	return false;
}

enum { PIECE_BYTES = 16 };

bool bulk_read(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, void *buf,
	       uint32_t n)
{
	const uint8_t *p = w->cta->l->checks ? NULL : mem_find(w, u, a, n, ACC_READ);
	if (p) {
		const struct pending *late = pending_of(w);
		memcpy(buf, p, n);
		if (late && mem_is_global(w, u, a))
			pending_load(late, p, buf, n);
		return true;
	}
	for (uint32_t at = 0; at < n && !w->stop; at += PIECE_BYTES)
		mem_load(w, u, lane, a + at, (uint8_t *)buf + at,
			 n - at < PIECE_BYTES ? n - at : PIECE_BYTES, 1);
	return !w->stop;
}

bool bulk_write(struct warp *w, const struct uop *u, unsigned lane, uint64_t a, const void *buf,
		uint32_t n)
{
	uint8_t *p = w->cta->l->checks ? NULL : mem_find(w, u, a, n, ACC_WRITE);
	if (p) {
		struct pending *late = pending_of(w);
		if (late && mem_is_global(w, u, a))
			pending_store(late, p, buf, n);
		else
			memcpy(p, buf, n);
		return true;
	}
	for (uint32_t at = 0; at < n && !w->stop; at += PIECE_BYTES)
		mem_store(w, u, lane, a + at, (const uint8_t *)buf + at,
			  n - at < PIECE_BYTES ? n - at : PIECE_BYTES, 1);
	return !w->stop;
}
