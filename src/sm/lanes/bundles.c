#include "sm/lanes/bundles.h"

#include <assert.h>
#include "sm/lanes/inside.h"
#include "sm/lanes/squeeze.h"
#include "sm/pipeline.h"

#define TEMPORAL_STATS(X)                                                                          \
	X(instructions, STAT_SUM, TEMPORAL_LANES, "instructions", "warp instructions, by lane")    \
	X(threads, STAT_SUM, TEMPORAL_LANES, "threads",                                            \
	  "threads executed, by lane; one per scalar instruction")                                 \
	X(busy, STAT_SUM, TEMPORAL_LANES, "cycles",                                                \
	  "cycles for which instructions occupied the lane's units, "                              \
	  "by lane")                                                                               \
	X(bundles, STAT_SUM, 1, "bundles", "bundles that went through a lane")                     \
	X(skipped, STAT_SUM, 1, "bundles", "bundles without an active thread")                     \
	X(scalar, STAT_SUM, 1, "instructions", "scalar instructions")                              \
	X(conflicts, STAT_SUM, 4, "cycles",                                                        \
	  "cycles in which this many lanes (last bucket: or more) "                                \
	  "could have taken a ready instruction while another lane "                               \
	  "got one")                                                                               \
	X(bound, STAT_SUM, 1, "warps", "warps that were bound to a lane")                          \
	X(registers, STAT_SUM, 1, "registers", "registers that these warps took")                  \
	X(with_warps, STAT_SUM, 1, "lanes x cycles", "lanes with a warp, summed over cycles")      \
	X(usable, STAT_SUM, 1, "lanes x cycles",                                                   \
	  "lanes with a warp that waits neither for memory nor at a "                              \
	  "barrier nor for other lanes, summed over cycles")                                       \
	X(shared_conflicts, STAT_SUM, 1, "cycles",                                                 \
	  "cycles by which accesses of other lanes and bundles "                                   \
	  "delayed accesses to shared memory")
struct stats {
	STAT_FIELDS(TEMPORAL_STATS)
};
static const struct stat_def defs[] = {STAT_DEFS(TEMPORAL_STATS)};
const struct stat_table temporal_stats = STAT_TABLE_PLAIN("lanes", defs);

/* ---- options ---- */

#define TEMPORAL_REGISTERS(X)  X(REGISTER_UNIT, "unit") X(REGISTER_LANE, "lane")
#define TEMPORAL_PLACEMENTS(X) X(PLACE_ROOM, "room") X(PLACE_NEXT, "next")
enum { TEMPORAL_REGISTERS(CHOICE_ENUM) };
enum { TEMPORAL_PLACEMENTS(CHOICE_ENUM) };
struct values {
	uint32_t width; /* options of sm.lanes = temporal: width of a lane; binding of warps to
			 * lanes */
	bool bind;
	uint32_t holds, placement;
};
static const struct option rows[] = {
	OPTION_NUM(struct values, width, "temporal.width", 1, 1, 64, "threads",
		   "sm.lanes = temporal: threads side by side in a lane; sm.simd_width over this "
		   "is the number of lanes"),
	OPTION_BOOL(struct values, bind, "temporal.bind", true,
		    "sm.lanes = temporal: a warp stays in one lane; no: any "
		    "lane takes any instruction"),
	OPTION_CHOICE(struct values, holds, "temporal.register", "unit", TEMPORAL_REGISTERS,
		      "temporal lanes: registers for instructions: one per kind "
		      "of unit, free when the previous instruction for that kind "
		      "has left (unit), or one per lane, free when the last "
		      "threads of all earlier instructions have entered (lane)"),
	OPTION_CHOICE(struct values, placement, "temporal.placement", "room", TEMPORAL_PLACEMENTS,
		      "temporal lanes: a warp goes to the lane with most free "
		      "registers (room), or to the next lane in turn that has "
		      "room (next)"),
};

static const struct values *values_of(const struct machine *m)
{
	return machine_own(m, &temporal_options);
}

static const char *options_refuse(const struct machine *m, char *buf, size_t n)
{
	static const char *const keys[] = {"temporal.register", "temporal.placement"};
	for (unsigned i = 0; i < 2 && !policy_reads(&m->lanes->p, &temporal_options); i++)
		if (machine_is_set(m, keys[i])) {
			snprintf(buf, n, "%s: sm.lanes = %s has no temporal lanes", keys[i],
				 policy_name(m->lanes));
			return buf;
		}
	return NULL;
}

const struct option_table temporal_options = {OPTION_TABLE(rows, struct values), .alone = true,
					      .refuses = options_refuse};

const struct inside_preset *temporal_inside(const struct machine *m)
{
	static const struct inside_preset of_width[] = {
		{PARTS_ALIGNED, 1, false, NULL},  {PARTS_ALIGNED, 2, false, NULL},
		{PARTS_ALIGNED, 4, false, NULL},  {PARTS_ALIGNED, 8, false, NULL},
		{PARTS_ALIGNED, 16, false, NULL}, {PARTS_ALIGNED, 64, false, NULL}};
	unsigned i = 0;
	while (i + 1 < sizeof of_width / sizeof *of_width &&
	       of_width[i].width != values_of(m)->width)
		i++;
	return &of_width[i];
}

const char *temporal_unbound(const struct machine *m, char *buf, size_t n)
{
	if (values_of(m)->bind)
		return NULL;
	snprintf(
		buf, n,
		"temporal.bind = no: inside a sub-core each lane has the registers of the warps bound to it, a wire "
		"from all registers to all lanes would be missing");
	return buf;
}

/* ---- the machine ---- */

static struct temporal_preset preset_of(const struct machine *m)
{
	const struct temporal_preset *p = m->lanes->preset;
	return p ? *p : (struct temporal_preset){values_of(m)->width, values_of(m)->bind};
}

void temporal_describe(const struct machine *m, struct facts *f)
{
	f->beat_lanes = preset_of(m).width;
}

/* Single threads take a cycle each: one scheduler per lane keeps all lanes busy. */
unsigned temporal_schedulers(const struct machine *m, const struct div_ops *div)
{
	return div->groups == GROUPS_THREAD ? temporal_count(m) : m->schedulers;
}

unsigned temporal_count(const struct machine *m)
{
	unsigned width = preset_of(m).width;
	return m->simd_width / width ? m->simd_width / width : 1;
}

const char *temporal_refuses(const struct machine *m, const struct div_ops *div, char *buf,
			     size_t n)
{
	(void)div;
	unsigned width = preset_of(m).width;
	bool bound = preset_of(m).bound;
	if (m->simd_width % width || m->warp_size % width)
		snprintf(buf, n,
			 "sm.lanes = %s: lanes of %u threads do not divide sm.simd_width = %u and "
			 "gpu.warp_size = %u",
			 policy_name(m->lanes), width, m->simd_width, m->warp_size);
	else if (values_of(m)->placement == PLACE_NEXT && !bound)
		snprintf(buf, n, "temporal.placement = next: sm.lanes = %s binds no warps to lanes",
			 policy_name(m->lanes));
	else if (values_of(m)->placement == PLACE_NEXT && m->reg_grain == GRAIN_THREAD)
		snprintf(buf, n,
			 "temporal.placement = next: sm.register_grain = thread puts partly filled "
			 "warps where they cost least room");
	else
		return NULL;
	return buf;
}

/* Chooses the lane for a warp of `regs` registers, where a full warp takes `whole`: the lane
 * with most free registers, which (with one kernel) also has the fewest warps. A partly filled
 * warp goes to the lane where it displaces the fewest full warps. Returns n if no lane has
 * enough registers. */
static unsigned choose_lane(const uint32_t *free, unsigned n, uint32_t regs, uint32_t whole)
{
	unsigned best = n;
	uint32_t best_cost = 0;
	whole = whole ? whole : 1;
	for (unsigned i = 0; i < n; i++) {
		if (free[i] < regs)
			continue;
		uint32_t cost = regs < whole ? free[i] / whole - (free[i] - regs) / whole : 0;
		if (best == n || cost < best_cost || (cost == best_cost && free[i] > free[best])) {
			best = i;
			best_cost = cost;
		}
	}
	return best;
}

/* The first lane with room, from s->next on. */
static unsigned lane_in_turn(struct temporal_state *s, unsigned n, uint32_t regs)
{
	unsigned lane = s->next;
	for (unsigned i = 0; i < n && s->free[lane] < regs; i++)
		lane = lane + 1 < n ? lane + 1 : 0;
	s->next = lane + 1 < n ? lane + 1 : 0;
	return lane;
}

/* Takes registers for warps from .. to - 1 of a block, the last of which takes `last` registers.
 * Returns the number of warps that fitted. */
static unsigned place_warps(uint32_t *free, unsigned n, unsigned from, unsigned to, unsigned warps,
			    uint32_t regs, uint32_t last)
{
	for (unsigned w = from; w < to; w++) {
		uint32_t need = w + 1 == warps ? last : regs;
		unsigned lane = choose_lane(free, n, need, regs);
		if (lane == n)
			return w - from;
		free[lane] -= need;
	}
	return to - from;
}

unsigned temporal_most(const struct machine *m, unsigned warps, uint32_t regs, uint32_t last)
{
	unsigned lanes = temporal_count(m), blocks = 0;
	uint32_t free[TEMPORAL_LANES], slice = m->registers / lanes,
				       all = (warps - 1) * regs + last;
	if (!preset_of(m).bound)
		return m->registers / (all ? all : 1);
	if (regs == last)
		return slice / (regs ? regs : 1) * lanes / warps;
	for (unsigned i = 0; i < lanes; i++)
		free[i] = slice;
	while (place_warps(free, lanes, 0, warps, warps, regs, last) == warps)
		blocks++;
	return blocks;
}

static void share_out(struct collectors *c, unsigned lanes)
{
	c->coll.n = (uint8_t)(c->coll.n / lanes ? c->coll.n / lanes : 1);
	c->ports = 1; /* the lane's instruction register */
}

void temporal_init(struct lanes *l)
{
	const struct machine *m = l->sm->m;
	struct temporal_state *s = l->state;
	bool bound = preset_of(m).bound;
	s->width = preset_of(m).width;
	s->bound = bound;
	/* In the locked pipeline a lane is a pipeline without units of several kinds: it has one entrance. */
	s->one_register = values_of(m)->holds == REGISTER_LANE || m->facts.locked_depth;
	s->in_turn = values_of(m)->placement == PLACE_NEXT;
	s->beats = (m->warp_size + m->simd_width - 1) / m->simd_width;
	s->slice = bound ? m->registers / l->n : m->registers;
	for (unsigned i = 0; i < l->n; i++) {
		s->free[i] = s->slice;
		for (unsigned c = 0; c < C_COUNT; c++)
			share_out(&l->set[i].coll[c], l->n);
	}
	s->banks = xcalloc(WB_AHEAD, sizeof *s->banks);
	s->round = xcalloc(WB_AHEAD, sizeof *s->round);
	l->plan = (struct plan){.port = 1, .beats = 1};
}

void temporal_fini(struct lanes *l)
{
	struct temporal_state *s = l->state;
	free(s->banks);
	free(s->round);
}

/* ---- warps ---- */

bool temporal_room(const struct lanes *l, const struct kern *k, unsigned from, unsigned n)
{
	const struct temporal_state *s = l->state;
	uint32_t whole = kern_whole_regs(k), room = 0, free[TEMPORAL_LANES];
	if (!s->bound)
		return true;
	if (k->last_regs) {
		memcpy(free, s->free, sizeof free);
		return place_warps(free, l->n, from, from + n, k->warps, whole, k->last_regs) == n;
	}
	for (unsigned i = 0; i < l->n; i++)
		room += s->free[i] / (whole ? whole : 1);
	return room >= n;
}

static void account_time(struct lanes *l)
{
	struct temporal_state *s = l->state;
	STAT((struct stats *)l->stats, with_warps) += s->used * (l->sm->now - s->since);
	STAT((struct stats *)l->stats, usable) += s->able * (l->sm->now - s->since);
	s->since = l->sm->now;
}

unsigned temporal_bind(struct lanes *l, const struct kern *k, unsigned i)
{
	struct temporal_state *s = l->state;
	uint32_t regs = kern_warp_regs(k, i);
	unsigned lane = !s->bound    ? 0
			: s->in_turn ? lane_in_turn(s, l->n, regs)
				     : choose_lane(s->free, l->n, regs, kern_whole_regs(k));
	assert(lane < l->n && (!s->bound || s->free[lane] >= regs));
	account_time(l);
	STAT((struct stats *)l->stats, bound)++;
	STAT((struct stats *)l->stats, registers) += regs;
	s->used += !s->warps[lane]++;
	if (s->bound)
		s->free[lane] -= regs;
	return lane;
}

void temporal_unbind(struct lanes *l, const struct kern *k, unsigned i, unsigned lane)
{
	struct temporal_state *s = l->state;
	account_time(l);
	s->used -= !--s->warps[lane];
	if (s->bound)
		s->free[lane] += kern_warp_regs(k, i);
}

void temporal_usable(struct lanes *l, unsigned lane, bool yes)
{
	struct temporal_state *s = l->state;
	account_time(l);
	if (yes)
		s->able += !s->ready_warps[lane]++;
	else
		s->able -= !--s->ready_warps[lane];
}

/* ---- instructions ---- */

/* True if the lane takes an instruction now; otherwise *wake is no later than the cycle in which it
 * does. */
static bool lane_takes(const struct lanes *l, unsigned lane, unsigned unit, cycle_t *wake)
{
	const struct temporal_state *s = l->state;
	if (!s->one_register || s->entrance[lane] <= l->sm->now)
		return lane_set_takes(&l->set[lane], unit, l->sm->now, wake);
	*wake = s->entrance[lane] < *wake ? s->entrance[lane] : *wake;
	return false;
}

/* Where lanes are free for all warps: the lane that takes the instruction soonest; l->n: none does
 * now. */
static unsigned any_lane(struct lanes *l, unsigned unit, cycle_t *wake)
{
	unsigned best = l->n;
	for (unsigned i = 0; i < l->n; i++) {
		const struct servers *u = &l->set[i].unit[unit];
		if (!lane_takes(l, i, unit, wake))
			continue;
		if (best == l->n ||
		    u->free[u->first] < l->set[best].unit[unit].free[l->set[best].unit[unit].first])
			best = i;
	}
	return best;
}

/* Records that a lane could take an instruction in this cycle; counts the cycle before, if any lane
 * could in it. */
static void note_able(struct lanes *l, unsigned lane)
{
	struct temporal_state *s = l->state;
	if (s->asked != l->sm->now) {
		unsigned n = (unsigned)__builtin_popcountll(s->ready);
		((struct stats *)l->stats)->conflicts[n > 4 ? 3 : n ? n - 1 : 0] += n != 0;
		s->asked = l->sm->now;
		s->ready = 0;
	}
	s->ready |= 1ull << lane;
}

bool temporal_can(struct lanes *l, const struct group *g, unsigned unit)
{
	const struct temporal_state *s = l->state;
	unsigned lane = s->bound ? sm_home(l->sm, g)->lane : any_lane(l, unit, &l->sm->unit_wake);
	if (lane == l->n || !lane_takes(l, lane, unit, &l->sm->unit_wake))
		return false;
	note_able(l, lane);
	return true;
}

void temporal_take(struct lanes *l, const struct group *g, const struct tinst *t, struct plan *out)
{
	struct temporal_state *s = l->state;
	struct stats *st = l->stats;
	cycle_t never = NEVER;
	unsigned n = t->scalar ? 1 : squeeze_parts(g->active, l->sm->m->warp_size, s->width);
	unsigned lane = s->bound ? sm_home(l->sm, g)->lane : any_lane(l, t->unit, &never);
	uint32_t ii = t->ii > s->beats ? t->ii : s->beats;
	n = n ? n : 1;
	*out = (struct plan){.port = 1,
			     .beats = (uint16_t)n,
			     .lane = (uint16_t)(lane < l->n ? lane : 0),
			     .ii = (uint16_t)((n * ii + s->beats - 1) / s->beats)};
	lane = out->lane;
	out->wait = (uint16_t)(s->entrance[lane] > l->sm->now ? s->entrance[lane] - l->sm->now : 0);
	s->entrance[lane] = l->sm->now + out->wait + n;
	st->instructions[lane]++;
	st->threads[lane] += t->scalar ? 1 : (unsigned)__builtin_popcountll(g->active);
	st->busy[lane] += t->unit == UNIT_MEM ? n : out->ii;
	STAT(st, bundles) += n;
	STAT(st, skipped) += t->scalar ? 0 : l->sm->m->warp_size / s->width - n;
	STAT(st, scalar) += t->scalar;
}

/* ---- shared memory ---- */

static uint64_t *banks_at(struct temporal_state *s, cycle_t c)
{
	unsigned i = (unsigned)(c % WB_AHEAD);
	if (s->round[i] != (uint32_t)(c / WB_AHEAD)) {
		s->round[i] = (uint32_t)(c / WB_AHEAD);
		s->banks[i] = 0;
	}
	return &s->banks[i];
}

/* Reserves one word of a thread: the first cycle from c on in which its bank is free. */
static cycle_t access_word(struct temporal_state *s, uint64_t word, unsigned banks, cycle_t c,
			   cycle_t end)
{
	uint64_t bit = 1ull << word % banks;
	while (c < end && (*banks_at(s, c) & bit))
		c++;
	*banks_at(s, c) |= bit;
	return c;
}

/* Cycles by which conflicts delay the accesses of a warp whose last bundle leaves its lane in cycle
 * `last`. */
unsigned temporal_shared(struct lanes *l, unsigned lane, cycle_t last, const struct lane_access *a)
{
	struct temporal_state *s = l->state;
	unsigned banks = l->sm->m->shared_banks, words = a->bytes > 4 ? (a->bytes + 3u) / 4 : 1;
	unsigned n = 0, warp = l->sm->m->warp_size;
	cycle_t end = l->sm->now + WB_AHEAD - 1, at;
	(void)lane;
	for (unsigned p = 0; p < warp; p += s->width)
		n += (a->lanes >> p & ((s->width == 64 ? 0 : 1ull << s->width) - 1)) != 0;
	at = last + 1 > n ? last + 1 - n : 0;
	at = at > l->sm->now ? at : l->sm->now;
	cycle_t start = at;
	for (unsigned p = 0; p < warp; p += s->width) {
		lanemask m = a->lanes >> p & ((s->width == 64 ? 0 : 1ull << s->width) - 1);
		uint64_t seen[64];
		unsigned nseen = 0;
		cycle_t done = at;
		if (!m)
			continue;
		for (; m; m &= m - 1) {
			uint64_t first = a->addr[p + (unsigned)__builtin_ctzll(m)] / 4;
			for (unsigned w = 0; w < words && w < 4; w++) {
				unsigned i = 0;
				while (i < nseen && seen[i] != first + w)
					i++;
				if (i < nseen && !a->atomic)
					continue; /* a broadcast: the word is read already */
				if (nseen < 64)
					seen[nseen++] = first + w;
				cycle_t c = access_word(s, first + w, banks, at, end);
				done = c > done ? c : done;
			}
		}
		at = done + 1;
	}
	unsigned lost = (unsigned)(at - start - n);
	STAT((struct stats *)l->stats, shared_conflicts) += lost;
	return lost;
}
