/* Energy of the network: a flit crosses a wire half as long as the die's edge; in a mesh, one
 * router pitch per hop. Half an edge is also the mean distance inside one half of a die (a third of
 * each side of L/2 x L). If each half has its own L2, every second access goes on to the other
 * half, whose centre is half an edge away. Flits are counted in mem/icnt.h. */
#include <math.h>
#include "power/model.h"

void power_add_noc(struct power_model *p)
{
	const struct machine *m = p->m;
	if (p->sm_only)
		return;
	double edge = sqrt(p->die), bits = m->icnt_flit * 8.0;
	double mm = edge / 2 * (2 - 1.0 / m->power_l2_halves);
	if (m->facts.hops)
		mm = edge / ceil(sqrt(m->sms + (double)m->parts * m->slices));
	bool counted = m->power_data == DATA_COUNTED;
	double bit = p->t.wire * mm, wire = counted ? 0 : bits * p->t.activity * bit,
	       router = 14e3 * p->t.logic * bits / 256;
	struct power_row *r = power_add(p, COMP_noc, "flit_hop", "icnt", "flit_hops", wire + router,
					"flit x activity x e_t x mm + buffer and arbiter",
					"wire model: Keckler; GPUWattch 1939");
	r->split = SPLIT_MEMORY;
	power_term(r, "wire", wire);
	power_term(r, "buffer, arbiter", router);
	if (!counted)
		return;
	/* headers and padding are of mean activity */
	r = power_add(p, COMP_noc, "flit_toggle", "icnt", "data_toggles", bit, "e_t x mm, a bit",
		      "wire model: Keckler");
	r->split = SPLIT_MEMORY;
	r = power_add(p, COMP_noc, "flit_other", "icnt", "other_bits", p->t.activity * bit,
		      "activity x e_t x mm, a bit", "wire model: Keckler");
	r->split = SPLIT_MEMORY;
}
