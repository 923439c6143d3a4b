/* --check race: finds the launches that are not ordered with a launch: those of one call that do
 * not wait for each other, and those of earlier calls that had a ticket. Marks of earlier launches
 * stay in memory, so that a later launch is checked against them although they ran one after the
 * other. */
#include "api/api.h"
#include "check/check.h"

enum { NRECENT = 1024 };
struct recent {
	uint64_t ticket; /* ticket of the launch; 0: none */
	struct beside id;
};

/* Marks the tasks that end before task i begins: the tasks that task i waits for, directly or
 * indirectly. */
static void mark_before(const struct heddle_task *t, unsigned i, bool *before)
{
	for (unsigned k = 0; k < t[i].nafter; k++)
		if (!before[t[i].after[k]]) {
			before[t[i].after[k]] = true;
			mark_before(t, t[i].after[k], before);
		}
}

static bool has_ticket(const struct heddle_launch *l, uint64_t ticket)
{
	for (unsigned i = 0; i < l->nbeside; i++)
		if (l->beside[i] == ticket)
			return true;
	return false;
}

static bool is_among(const struct launch_check *c, uint64_t grid_id)
{
	for (unsigned i = 0; i < c->nbeside; i++)
		if (c->beside[i].grid_id == grid_id)
			return true;
	return false;
}

struct beside *api_apart_find(const struct heddle *h, const struct heddle_task *t, unsigned i,
			      const struct beside *ids, struct launch_check *c)
{
	const struct heddle_launch *l = &t[i].launch;
	bool older = h->recent && l->nbeside;
	struct beside *mine = xcalloc(i + 1 + (older ? NRECENT : 0), sizeof *mine);
	bool *before = xcalloc(i + 1, sizeof *before);
	mark_before(t, i, before);
	c->beside = mine;
	for (unsigned k = 0; k < i; k++)
		if (ids[k].img && !before[k])
			mine[c->nbeside++] = ids[k];
	free(before);
	for (unsigned k = 0; older && k < NRECENT; k++)
		if (h->recent[k].ticket && has_ticket(l, h->recent[k].ticket) &&
		    !is_among(c, h->recent[k].id.grid_id))
			mine[c->nbeside++] = h->recent[k].id;
	return mine;
}

void api_apart_keep(struct heddle *h, uint64_t ticket, const struct beside *id)
{
	if (!ticket)
		return;
	if (!h->recent)
		h->recent = xcalloc(NRECENT, sizeof *h->recent);
	h->recent[h->nrecent++ % NRECENT] = (struct recent){ticket, *id};
}

void api_apart_forget(struct heddle *h, const struct image *img)
{
	for (unsigned k = 0; h->recent && k < NRECENT; k++)
		if (h->recent[k].id.img == img)
			h->recent[k].ticket = 0;
}
