#include "mem/icnt/switch.h"

static void plane_init(struct plane *p, unsigned nin, unsigned nout)
{
	p->nin = nin;
	p->nout = nout;
	p->words = (nin + 63) / 64;
}

void switch_init(struct icnt *n, struct xswitch *s, struct plane *request, struct plane *reply,
		 struct arena *a)
{
	plane_init(request, n->nport, n->nend);
	plane_init(reply, n->nend, n->nport);
	request->to_slices = true;
	s->request = request;
	s->reply = reply;
	credit_line_new(&s->slices, a, n->nend, n->flits);
}

static void run_plane(struct icnt *n, struct plane *p, cycle_t from, cycle_t to)
{
	struct xswitch *s = n->state;
	p->now = p->now < from ? from : p->now;
	for (; p->now < to && p->held; p->now++) {
		for (unsigned o = 0; p->to_slices && o < p->nout; o++)
			credit_collect(&s->slices, o, p->now);
		s->cycle(n, p, p->now);
	}
	p->now = to;
}

void switch_requests(struct icnt *n, cycle_t from, cycle_t to)
{
	struct xswitch *s = n->state;
	unsigned count = icnt_sort_requests(n, from);
	for (unsigned i = 0; i < count; i++)
		s->enter(n, s->request, n->sorted[i]->sm, n->sorted[i]->dest, n->sorted[i]);
	run_plane(n, s->request, from, to);
}

void switch_replies(struct icnt *n, cycle_t from, cycle_t to)
{
	struct xswitch *s = n->state;
	unsigned count = icnt_sort_replies(n, from);
	for (unsigned i = 0; i < count; i++)
		s->enter(n, s->reply, n->sorted[i]->dest, n->sorted[i]->sm, n->sorted[i]);
	run_plane(n, s->reply, from, to);
}

void switch_taken(struct icnt *n, unsigned dest, const struct msg *m, cycle_t t)
{
	struct xswitch *s = n->state;
	credit_return(&s->slices, dest, t + n->round, m->flits);
}

cycle_t switch_next(const struct icnt *n)
{
	const struct xswitch *s = n->state;
	return s->request->held || s->reply->held ? s->request->now : CYCLE_NEVER;
}

unsigned switch_held(const struct icnt *n)
{
	const struct xswitch *s = n->state;
	return s->request->held + s->reply->held;
}
