/* Runs the blocks of a cluster in functional mode, in turn on one host thread. So their accesses to
 * each other's shared memory have one order, whatever the number of host threads. */
#include "func/func.h"
#include "kernel/cta.h"

void fcluster_free(struct fblock *b)
{
	while (b) {
		struct fblock *next = b->next;
		fblock_free(b);
		b = next;
	}
}

struct fblock *fcluster_new(struct launch *l)
{
	struct fblock *first = NULL, **at = &first;
	for (uint32_t i = 0; i < l->cluster_blocks; i++) {
		*at = fblock_new(l);
		if (!*at) {
			fcluster_free(first);
			return NULL;
		}
		at = &(*at)->next;
	}
	return first;
}

void fcluster_start(struct fblock *b, uint64_t cluster)
{
	const struct launch *l = b->cta->l;
	struct cluster *c = &b->cluster;
	uint32_t rank = 0;
	c->n = c->left = l->cluster_blocks;
	c->gone = 0;
	for (struct fblock *k = b; k; k = k->next, rank++) {
		fblock_start(k, cluster_index(l, cluster, rank));
		k->done = false;
		if (c->n > 1)
			cta_join(k->cta, c, rank);
	}
}

/* Counts of the results of one turn of all blocks. */
struct turn {
	bool left, moved, yielded;
};

static enum stop run_block(struct fblock *k, struct turn *t)
{
	if (k->awaits && k->turn)
		pace_goes_on(k);
	k->moved = false;
	enum stop st = fblock_run(k);
	k->done = st == STOP_DONE;
	t->moved |= k->moved || k->done;
	t->left |= !k->done;
	t->yielded |= st == STOP_YIELD;
	return st == STOP_FAULT || st == STOP_LIMIT ? st : STOP_NONE;
}

/* No block can continue: the first block that waits gets the message. */
static enum stop report_deadlock(struct fblock *b)
{
	while (b->done)
		b = b->next;
	barriers_deadlock(b);
	return STOP_FAULT;
}

enum stop fcluster_run(struct fblock *b)
{
	if (!b->next)
		return fblock_run(b);
	for (bool moved = false;;) {
		struct turn t = {0};
		for (struct fblock *k = b; k; k = k->next) {
			enum stop st = k->done ? STOP_NONE : run_block(k, &t);
			if (st)
				return st;
		}
		moved |= t.moved;
		if (!t.left)
			return STOP_DONE;
		if (t.moved)
			continue;
		b->moved = moved;
		return t.yielded ? STOP_YIELD : report_deadlock(b);
	}
}
