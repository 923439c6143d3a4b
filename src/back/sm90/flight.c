/* Products of warp groups that are under way. From HGMMA until WARPGROUP.DEPBAR has waited for its group, the machine may change the
 * accumulators and read A's registers. PTX forbids a program to touch them; copies that the code generator left (tuples.c) and values
 * that got one of these registers do touch them. Before such an instruction the groups end and are waited for. A register that is
 * written after WARPGROUP.ARRIVE and read by a product needs another ARRIVE:
 *
 *	HGMMA R24, ...;                            HGMMA R24, ...;
 *	                                           HGMMA RZ, gdesc[URZ], RZ, !UPT, gsb0;  WARPGROUP.DEPBAR.LE gsb0, 0x0;
 *	MOV R60, R24;                              MOV R60, R24;
 *	MOV R24, R5;                               MOV R24, R5;
 *	                                           WARPGROUP.ARRIVE;
 *	HGMMA R24, ...;                            HGMMA R24, ...;
 *
 * A forward data-flow over the blocks finds what is under way. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/blocks.h"
#include "back/sm90/sm90.h"

enum {
	GROUPS = 9,
	WORDS = 4
}; /* GROUPS: the open group, and the groups that WARPGROUP.DEPBAR can count */

struct registers {
	uint64_t w[WORDS];
};

struct flight {
	/* Registers of products in flight: accumulators (sums) and registers of A (read). [0]: the
	 * group that is still open; [k]: the k-th last closed group. */
	struct registers sums[GROUPS], read[GROUPS];
	struct registers written; /* registers written since WARPGROUP.ARRIVE */
	/* an analysed path leads here; false: the other fields are void */
	bool known;
};

struct pass {
	struct mfunc *m;
	struct mblocks b;
	struct flight *in; /* [block] */
	VEC(struct mi) code;
	bool *again; /* [block] */
};

static void add_registers(struct registers *r, const struct mfunc *m, const struct mo *o)
{
	uint32_t v = mo_value(o);
	if (v == V_NONE || !m->val.v[v].words)
		return;
	bool far = o->kind != MO_REG;
	unsigned first = m->val.v[v].color + (o->wide && !far ? 0u : o->word),
		 n = !o->wide ? 1u
		     : far    ? 2u
			      : m->val.v[v].words;
	for (unsigned i = first; i < first + n && i < 64 * WORDS; i++)
		r->w[i / 64] |= 1ull << i % 64;
}

static bool have_common(const struct registers *a, const struct registers *b)
{
	uint64_t any = 0;
	for (unsigned i = 0; i < WORDS; i++)
		any |= a->w[i] & b->w[i];
	return any;
}

static bool contains(const struct registers *a, const struct registers *b)
{
	uint64_t any = 0;
	for (unsigned i = 0; i < WORDS; i++)
		any |= b->w[i] & ~a->w[i];
	return !any;
}

static bool merge_registers(struct registers *to, const struct registers *from)
{
	bool change = !contains(to, from);
	for (unsigned i = 0; i < WORDS; i++)
		to->w[i] |= from->w[i];
	return change;
}

static struct registers all_of(const struct registers *group)
{
	struct registers r = {{0}};
	for (unsigned i = 0; i < GROUPS; i++)
		merge_registers(&r, &group[i]);
	return r;
}

static bool is_wait(const struct mi *in) { return !strncmp(in->name, "WARPGROUP.DEPBAR", 16); }

static void end_group(struct flight *f)
{
	struct registers *list[] = {f->sums, f->read};
	for (unsigned k = 0; k < 2; k++) {
		merge_registers(&list[k][GROUPS - 1], &list[k][GROUPS - 2]);
		memmove(&list[k][1], &list[k][0], (GROUPS - 2) * sizeof *list[k]);
		list[k][0] = (struct registers){{0}};
	}
}

static void wait_groups(struct flight *f, unsigned left)
{
	for (unsigned i = left + 1; i < GROUPS; i++)
		f->sums[i] = f->read[i] = (struct registers){{0}};
}

/* True if the instruction touches what is under way. */
static bool collides(const struct pass *p, const struct mi *in, const struct flight *f)
{
	struct registers reads = {{0}}, writes = {{0}}, sums = all_of(f->sums),
			 fragments = all_of(f->read);
	static const struct registers none = {{0}};
	if (mi_is(in, "USE"))
		return false;
	if (mi_is(in, "EXIT"))
		return !contains(&none, &sums);
	for (unsigned k = 0; k < in->n; k++)
		add_registers(k < in->nd ? &writes : &reads, p->m, &in->o[k]);
	if (sm90_is_product(in)) {
		struct registers others = {{0}};
		for (unsigned k = in->nd; k < in->n; k++)
			if (mo_value(&in->o[k]) != V_NONE && in->o[k].v != in->o[0].v)
				add_registers(&others, p->m, &in->o[k]);
		return have_common(&others, &sums) || have_common(&writes, &fragments) ||
		       (have_common(&writes, &sums) && !contains(&sums, &writes));
	}
	return have_common(&reads, &sums) || have_common(&writes, &sums) ||
	       have_common(&writes, &fragments);
}

static void append_inst(struct pass *p, struct mi in) { vec_push(&p->code, in); }

static void wait_for_all(struct pass *p, struct flight *f)
{
	static const struct registers none = {{0}};
	if (!contains(&none, &f->sums[0])) {
		append_inst(p, sm90_empty_group());
		end_group(f);
	}
	append_inst(p, (struct mi){.name = "WARPGROUP.DEPBAR.LE",
				   .guard = V_TRUE,
				   .n = 2,
				   .o = {mo_text("gsb0"), mo_imm(0)}});
	wait_groups(f, 0);
}

static void take_product(struct pass *p, const struct mi *in, struct flight *f)
{
	struct registers used = {{0}};
	for (unsigned k = 0; k < in->n; k++)
		add_registers(&used, p->m, &in->o[k]);
	if (have_common(&used, &f->written)) {
		append_inst(p, (struct mi){.name = "WARPGROUP.ARRIVE", .guard = V_TRUE});
		f->written = (struct registers){{0}};
	}
	for (unsigned k = 0; k < in->n; k++)
		if (mo_value(&in->o[k]) != V_NONE)
			add_registers(in->o[k].v == in->o[0].v ? f->sums : f->read, p->m,
				      &in->o[k]);
}

/* Walks through a block; the code with what it needs is in p->code. */
static void walk_block(struct pass *p, uint32_t b, struct flight *f)
{
	for (uint32_t i = p->b.first[b]; i < p->b.first[b + 1]; i++) {
		const struct mi *in = &p->m->code.v[i];
		if (!in->name) {
			append_inst(p, *in);
			continue;
		}
		if (mi_is(in, "USE"))
			continue;
		if (collides(p, in, f))
			wait_for_all(p, f);
		if (sm90_is_product(in)) {
			take_product(p, in, f);
			if (sm90_ends_group(in))
				end_group(f);
		} else if (is_wait(in)) {
			wait_groups(f, (unsigned)in->o[1].imm);
		} else if (!strcmp(in->name, "WARPGROUP.ARRIVE")) {
			f->written = (struct registers){{0}};
		} else {
			for (unsigned k = 0; k < in->nd; k++)
				add_registers(&f->written, p->m, &in->o[k]);
		}
		append_inst(p, *in);
	}
}

static bool merge_flight(struct flight *to, const struct flight *from)
{
	bool change = !to->known;
	to->known = true;
	for (unsigned i = 0; i < GROUPS; i++) {
		change |= merge_registers(&to->sums[i], &from->sums[i]);
		change |= merge_registers(&to->read[i], &from->read[i]);
	}
	return merge_registers(&to->written, &from->written) || change;
}

static void find_flights(struct pass *p)
{
	p->in[0].known = p->again[0] = true;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t b = 0; b < p->b.n; b++) {
			if (!p->again[b])
				continue;
			p->again[b] = false;
			struct flight f = p->in[b];
			uint32_t to[2];
			p->code.n = 0;
			walk_block(p, b, &f);
			for (unsigned n = mblocks_next(&p->b, p->m, b, to); n-- > 0;)
				if (merge_flight(&p->in[to[n]], &f)) {
					p->again[to[n]] = true;
					more = true;
				}
		}
	}
}

void sm90_flight(struct mfunc *m)
{
	struct pass p = {.m = m};
	bool any = false;
	for (size_t i = 0; i < m->code.n; i++)
		any |= sm90_is_product(&m->code.v[i]);
	if (!any)
		return;
	mblocks_find(&p.b, m);
	p.in = xcalloc(p.b.n + 1, sizeof *p.in);
	p.again = xcalloc(p.b.n + 1, sizeof *p.again);
	find_flights(&p);
	p.code.n = 0;
	for (uint32_t b = 0; b < p.b.n; b++) {
		struct flight f = p.in[b];
		walk_block(&p, b, &f);
	}
	vec_free(&m->code);
	m->code.v = p.code.v;
	m->code.n = p.code.n;
	m->code.cap = p.code.cap;
	mblocks_free(&p.b);
	free(p.in);
	free(p.again);
}
