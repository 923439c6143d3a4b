/* Schedulers: which of a few groups each picks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "conf/machine.h"
#include "exec/image.h"
#include "sm/lsu.h"
#include "sm/sm.h"

/* Four groups that wait for issue and a full one in the pipeline. */
enum { GROUPS = 5, READY = 0x0f };
static const struct group groups[GROUPS] = {
	{.pc = 10, .active = 0xf, .age = 5, .passed = 2},
	{.pc = 10, .active = 0xf0, .age = 3, .passed = 2},
	{.pc = 20, .active = 0xffffffff, .age = 4, .passed = 1},
	{.pc = 30, .active = 0x1, .age = 9, .passed = 3},
	{.pc = 30, .active = 0xffffffff, .age = 1},
};

struct fixture {
	struct sm sm;
	struct machine *m;
	struct sched s;
	struct group group[GROUPS];
	struct gslot slot[GROUPS];
	uint64_t sets[SET_COUNT];
	struct issuer issuer;
	struct sm_warp warp[GROUPS];
	struct block block[4];
	struct lsu lsu;        /* refuses nothing */
	struct l1 l1;          /* an L1D with 8 MSHRs */
	struct tinst code[40]; /* code of every group; pc 30 is a load of global memory */
};

static struct fixture *make(const char *policy, const char *mechanism)
{
	struct fixture *f = xcalloc(1, sizeof *f);
	struct diag d = {0};
	char diverge[64];
	snprintf(diverge, sizeof diverge, "sm.divergence=%s", mechanism);
	f->m = machine_read(NULL,
			    (const char *[]){diverge, "sm.scheduler_active=2", "swl.warps=2",
					     "ccws.throttle=250", NULL},
			    &d);
	assert_non_null(f->m);
	memcpy(f->group, groups, sizeof groups);
	f->sets[SET_BUSY] = 0x1f;
	f->slot[4].locked = true;
	f->sm.m = f->m;
	f->sm.nsched = 1;
	f->sm.slot = f->slot;
	f->sm.words = 1;
	f->sm.sets = f->sets;
	f->sm.div = (struct div){.ops = div_find(mechanism), .group = f->group, .ngroups = GROUPS};
	f->s = (struct sched){.ops = sched_find(policy), .sm = &f->sm, .n = GROUPS, .words = 1};
	assert_non_null(f->s.ops);
	f->sm.ngroups = GROUPS;
	f->sm.sched = &f->s;
	f->sm.issuer = &f->issuer;
	f->sm.warp = f->warp;
	f->sm.lsu = &f->lsu;
	f->sm.l1 = &f->l1;
	f->sm.blocks.block = f->block;
	f->sm.blocks.n = 4;
	f->lsu.blocked_at = f->lsu.pipe_blocked_at = NEVER;
	f->l1.on[L1D] = true;
	cache_init(&f->l1.cache[L1D],
		   &(struct cache_conf){.sets = 4,
					.ways = 2,
					.line = 128,
					.mshrs = 8,
					.merge = 4,
					.queue = 8,
					.banks = 1},
		   &f->l1.arena);
	f->sm.unit_wake = NEVER;
	for (unsigned k = 0; k < GROUPS; k++)
		f->warp[k].code = f->code;
	f->code[30] = (struct tinst){.flags = T_MEMORY, .wait = W_GLOBAL};
	f->s.state = xcalloc(1, f->s.ops->p.state_size + 1);
	f->s.shared = xcalloc(1, f->s.ops->shared_size + 1);
	if (f->s.ops->p.stats)
		f->s.stats = xcalloc(stat_slots(f->s.ops->p.stats), sizeof(uint64_t));
	if (f->s.ops->init)
		f->s.ops->init(&f->s);
	return f;
}

static int pick(struct fixture *f, uint64_t ready)
{
	int k = f->s.ops->pick(&f->s, &ready);
	if (k >= 0 && f->s.ops->issued)
		f->s.ops->issued(&f->s, k);
	return k;
}

static void drop(struct fixture *f)
{
	if (f->s.ops->fini)
		f->s.ops->fini(&f->s);
	free(f->s.state);
	free(f->s.shared);
	free(f->s.stats);
	machine_free(f->m);
	arena_free(&f->l1.arena);
	free(f);
}

static void first_picks(void **state)
{
	(void)state;
	static const struct {
		const char *policy, *mechanism;
		int want;
	} c[] = {
		{"majority", "dwf", 2},        /* threads of the pool: 8, 32 and 1 */
		{"majority", "pdom", 0},       /* warps: 2, 1 and 2, the lowest pc, round robin */
		{"minority", "dwf", 3},        /* one thread */
		{"minority", "pdom", 2},       /* one warp */
		{"time-stamp", "dwf", 1},      /* age 3 */
		{"program-counter", "dwf", 1}, /* pc 10, the older of the two */
		{"pdom-priority", "dwf", 2},   /* has passed one */
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		struct fixture *f = make(c[i].policy, c[i].mechanism);
		assert_int_equal(pick(f, READY), c[i].want);
		assert_int_equal(pick(f, 0x8), 3); /* whoever is alone */
		drop(f);
	}
}

/* majority leaves a pc only if no group there is ready. */
static void majority_stays(void **state)
{
	(void)state;
	struct fixture *f = make("majority", "dwf");
	assert_int_equal(pick(f, READY), 2);
	assert_int_equal(pick(f, 0xb), 0); /* none at 20: pc 10 has eight threads; round robin */
	assert_int_equal(pick(f, 0xe), 1); /* stays at 10 though 20 is ready again */
	assert_int_equal(pick(f, 0xc), 2);
	drop(f);
}

/* gto stays with a warp until the warp has left its slot: the next warp in that slot gets no
 * priority. */
static void gto_forgets(void **state)
{
	(void)state;
	struct fixture *f = make("gto", "pdom");
	assert_int_equal(pick(f, READY), 1); /* age 3 */
	assert_int_equal(pick(f, 0xd), 2);   /* age 4, as 1 is not ready */
	assert_int_equal(pick(f, READY), 2); /* stays, though 1 is older */
	f->s.ops->left(&f->s, 1);
	assert_int_equal(pick(f, READY), 2); /* another one left */
	f->s.ops->left(&f->s, 2);
	f->group[2].age = 20;
	assert_int_equal(pick(f, READY), 1);
	drop(f);
}

/* A scheduler visits groups in the order in which it picks them. */
static void groups_come_in_the_order_of_the_policy(void **state)
{
	(void)state;
	static const struct {
		const char *policy;
		int order[4]; /* after group 2 was issued */
	} c[] = {{"gto", {2, 1, 0, 3}}, {"oldest", {1, 2, 0, 3}}, {"lrr", {3, 0, 1, 2}}};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		struct fixture *f = make(c[i].policy, "pdom");
		assert_int_equal(pick(f, 0x4), 2);
		for (unsigned a = 0; a < 4; a++)
			for (unsigned b = 0; b < 4; b++)
				if (a != b)
					assert_int_equal(f->s.ops->before(&f->s, c[i].order[a],
									  c[i].order[b]),
							 a < b);
		uint64_t left = READY;
		for (unsigned a = 0; a < 4; a++) {
			int k = f->s.ops->pick(&f->s, &left);
			assert_int_equal(k, c[i].order[a]);
			left &= ~(1ull << k);
		}
		drop(f);
	}
}

/* Only members of the active set issue, round robin; a member that waits or leaves makes room for
 * the next group. */
static void active_set(void **state)
{
	(void)state;
	struct fixture *f = make("two-level-active", "pdom");
	assert_int_equal(pick(f, READY), 0);
	assert_int_equal(pick(f, READY), 1);
	assert_int_equal(pick(f, READY), 0); /* not 2: the set is full */
	assert_int_equal(
		pick(f, 0xc),
		-1); /* members of the set are not ready, and ready groups are not members */
	f->s.ops->blocked(&f->s, 0);
	assert_int_equal(pick(f, READY), 1);
	assert_int_equal(pick(f, READY), 2); /* has replaced 0 */
	assert_int_equal(pick(f, READY), 1);
	f->s.ops->blocked(&f->s, 0); /* not a member: nothing changes */
	f->s.ops->left(&f->s, 1);
	assert_int_equal(pick(f, 0xd), 2);
	assert_int_equal(pick(f, 0xd), 3); /* the search outside the set continues after 2 */
	assert_int_equal(pick(f, 0xd), 2);
	drop(f);
}

/* Two groups poll in vain when the set is formed: they give their places to the groups that are ready while they poll. */
static void polling_members_leave_the_active_set(void **state)
{
	(void)state;
	struct fixture *f = make("two-level-active", "pdom");
	assert_int_equal(pick(f, 0x3), 0);
	f->sets[SET_YIELDING] = 0x3;
	assert_int_equal(pick(f, 0xc), 2);
	assert_int_equal(pick(f, 0xc), 3);
	f->sets[SET_YIELDING] = 0;
	f->sets[SET_PAUSED] = 0xc;
	assert_int_equal(pick(f, 0x3), 0);
	f->sets[SET_PAUSED] = 0;
	assert_int_equal(pick(f, 0xc),
			 -1); /* members that wait for a short time keep their places */
	drop(f);
}

/* Fetch groups {0, 1}, {2, 3}, {4}: the turn passes on when all groups of the present fetch group
 * wait for long. */
static void fetch_groups(void **state)
{
	(void)state;
	struct fixture *f = make("two-level-groups", "pdom");
	for (unsigned k = 0; k < GROUPS; k++)
		f->slot[k].state = GS_READY;
	assert_int_equal(pick(f, READY), 0);
	assert_int_equal(pick(f, READY), 1);
	assert_int_equal(pick(f, 0xc), 2); /* fills the cycle; the turn does not pass on */
	assert_int_equal(pick(f, READY), 0);
	f->slot[0].state = GS_BARRIER;
	f->slot[1].state = GS_IBUFFER; /* not for long */
	assert_int_equal(pick(f, 0xe), 1);
	f->slot[1].state = GS_BARRIER;
	assert_int_equal(pick(f, 0xc), 2);
	f->slot[0].state = f->slot[1].state = GS_READY;
	assert_int_equal(pick(f, READY), 3); /* the turn stays with the second fetch group */
	drop(f);
}

/* Only the two oldest warps that could issue by themselves do: 1 (age 3) and 2 (age 4). */
static void oldest_warps_alone(void **state)
{
	(void)state;
	struct fixture *f = make("swl", "pdom");
	f->sets[SET_BUSY] = READY;
	for (unsigned k = 0; k < 4; k++)
		f->slot[k].state = GS_READY;
	assert_int_equal(pick(f, READY), 1);
	assert_int_equal(pick(f, 0xd), 2);
	assert_int_equal(pick(f, READY), 2); /* greedy */
	f->slot[1].state = f->slot[2].state = GS_SCORE + W_GLOBAL;
	assert_int_equal(pick(f, 0x9), -1); /* 0 (age 5) and 3 (age 9) are held back */
	f->slot[2].state = GS_BARRIER;      /* may wait for 0 */
	assert_int_equal(pick(f, 0x9), 0);
	assert_int_equal(pick(f, 0x8), -1);
	f->slot[0].yields = true; /* may wait for 3 */
	assert_int_equal(pick(f, 0x8), 3);
	f->slot[0].yields = false;
	assert_int_equal(pick(f, 0x9), 0); /* 3 was last and may not issue any more */
	f->sets[SET_BUSY] = 0x9;           /* 1 and 2 have ended */
	f->s.ops->left(&f->s, 1);
	f->s.ops->left(&f->s, 2);
	assert_int_equal(pick(f, 0x8), 3);
	drop(f);
}

/* Four live warps, each of which has issued 100 instructions: the cutoff is 400. Warp 2 misses on a
 * line that it lost: its score becomes 250 (1 loss / 400 instructions x 250 x 400), so 2, 0 and 1
 * fill the cutoff, and warp 3 may not load until the score has fallen below 200. */
static void lost_locality_holds_loads(void **state)
{
	(void)state;
	struct fixture *f = make("ccws", "pdom");
	const struct sched_ops *ops = f->s.ops;
	f->sm.now = 1000;
	f->issuer.count[GS_FREE] = 1;
	for (unsigned k = 0; k < 4; k++) {
		f->slot[k].state = GS_READY;
		for (unsigned i = 0; i < 100; i++)
			ops->issued(&f->s, (int)k);
	}
	f->group[2].pc = 30;
	ops->issued(&f->s, 1);
	ops->left(&f->s, 4);
	ops->l1d(&f->s, 2, L1D_MISSED, 7); /* was never there */
	assert_int_equal(pick(f, 0x8), 3);
	ops->l1d(&f->s, 1, L1D_EVICTED, 7); /* another warp's line */
	ops->l1d(&f->s, 2, L1D_MISSED, 7);
	assert_int_equal(pick(f, 0x8), 3);
	ops->l1d(&f->s, 2, L1D_EVICTED, 7);
	ops->l1d(&f->s, 2, L1D_MERGED, 7);
	ops->l1d(&f->s, 2, L1D_WRITTEN, 7); /* a write removes the victim tag */
	ops->l1d(&f->s, 2, L1D_MISSED, 7);
	assert_int_equal(pick(f, 0x8), 3);
	ops->l1d(&f->s, 2, L1D_EVICTED, 7);
	ops->left(&f->s, 0); /* forget the picks: 400 instructions again */
	ops->left(&f->s, 3);
	for (unsigned i = 0; i < 199; i++)
		ops->issued(&f->s, i < 100 ? 0 : 3);
	ops->l1d(&f->s, 2, L1D_MISSED, 7);
	assert_int_equal(pick(f, 0x8), -1); /* 3 waits to load */
	assert_int_equal(f->sm.unit_wake, 1001);
	assert_int_equal(pick(f, 0xc), 2); /* 2 loads */
	f->group[3].pc = 20;
	assert_int_equal(pick(f, 0x8), 3); /* anything but a load issues */
	f->group[3].pc = 30;
	f->sm.now = 1050; /* 200 + 100 + 100: 3 is not reached */
	assert_int_equal(pick(f, 0x8), -1);
	f->sm.now = 1051;
	assert_int_equal(pick(f, 0x8), 3);
	drop(f);
}

/* At a branch to 24 at pc 20, whose ways meet at 30, warp 2 has 3 instructions on the way that does not jump and 6 on the
 * other. If it jumps, it is 3 behind, less the branch; an instruction took it 2 cycles, and it has stalled for 1: 2 x 2 +
 * 1 exceeds the 3 stalled cycles of warp 1. If it does not jump, nothing is ahead of it, and 1 goes first. A warp that
 * issued last stays as long as it can, and one whose threads part has both ways ahead. */
static void the_longest_way_goes_first(void **state)
{
	(void)state;
	static const struct {
		uint32_t pc;
		lanemask active;
		int first;
	} c[] = {{24, 0xffffffff, 2}, {21, 0xffffffff, 1}, {21, 0xffff, 2}};
	static struct uop code[40];
	struct image img = {.code = code, .ncode = 40};
	struct launch l = {.img = &img};
	struct kern k = {.l = &l};
	code[10] = code[30] = (struct uop){.op = OP_ADD, .guard = -1};
	code[20] = (struct uop){.op = OP_BRA, .target = 24, .reconv = 30, .guard = 0};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		struct fixture *f = make("cawa", "pdom");
		for (unsigned w = 0; w < GROUPS; w++) {
			f->block[0].k = &k;
			f->warp[w].b = &f->block[0];
			f->group[w].warp = (uint16_t)w;
		}
		const uint64_t two = 0x4;
		f->sm.now = 98;
		assert_int_equal(pick(f, 0x2), 1);
		f->sm.now = 100;
		assert_int_equal(f->s.ops->pick(&f->s, &two), 2);
		f->group[2].pc = c[i].pc;
		f->group[2].active = c[i].active;
		f->s.ops->issued(&f->s, 2);
		f->sm.now = 101;
		assert_int_equal(pick(f, 0x1), 0);
		f->sm.now = 102;
		assert_int_equal(pick(f, 0x6), c[i].first);
		assert_int_equal(pick(f, 0xf), c[i].first);
		f->s.ops->left(&f->s, c[i].first);
		f->s.ops->left(&f->s, 3 - c[i].first);
		assert_int_equal(pick(f, 0x6), 1); /* without history the oldest */
		drop(f);
	}
}

/* While the L1D is nearly saturated, computing groups go first, and only one warp may load until it
 * waits. */
static void one_warp_loads(void **state)
{
	(void)state;
	struct fixture *f = make("mascar", "pdom");
	struct mshrs *m = &f->l1.cache[L1D].mshr;
	for (unsigned k = 0; k < 4; k++)
		f->slot[k].state = GS_READY;
	f->group[0].pc = f->group[1].pc = 30; /* load, as 3 does; 2 computes */
	assert_int_equal(pick(f, READY), 1);  /* the oldest */
	m->used = 4;
	assert_int_equal(pick(f, READY), 1); /* four are free: not saturated */
	m->used = 5;
	assert_int_equal(pick(f, READY), 2); /* computes */
	assert_int_equal(pick(f, 0xb), 1);   /* the oldest becomes the owner */
	assert_int_equal(pick(f, 0x9), -1);  /* 1 is about to load again: 0 and 3 wait */
	f->slot[1].state = GS_SCORE + W_GLOBAL;
	assert_int_equal(pick(f, 0x9), 0); /* 1 waits for its data, so 0 is next */
	assert_int_equal(pick(f, 0x8), -1);
	m->used = 0;
	assert_int_equal(pick(f, 0x8), 3);
	f->lsu.blocked_at = 0; /* a refused access counts as saturation too */
	assert_int_equal(pick(f, 0x8), -1);
	f->s.ops->left(&f->s, 0);
	assert_int_equal(pick(f, 0x8), 3);
	drop(f);
}

/* Blocks 0 to 3 of four warps each, in groups of two blocks (owl.warps = 8): warps 0 and 1 are of block 0, warp 2 of block
 * 1, warp 3 of block 2. */
static void blocks_in_groups(void **state)
{
	(void)state;
	static const unsigned block[] = {0, 0, 1, 2};
	for (unsigned sm = 0; sm < 2; sm++) {
		struct fixture *f = make("owl", "pdom");
		f->sm.id = sm;
		f->s.ops->init(&f->s);
		for (unsigned k = 0; k < 4; k++) {
			f->group[k].warp = (uint16_t)k;
			f->block[k].nwarps = 4;
			f->warp[k].b = &f->block[block[k]];
		}
		if (sm) { /* begins with the second group */
			assert_int_equal(pick(f, READY), 3);
			assert_int_equal(pick(f, READY), 3);
			assert_int_equal(pick(f, 0x7), 0);
			assert_int_equal(pick(f, READY), 3); /* ready again: first again */
		} else {
			assert_int_equal(pick(f, READY), 0);
			assert_int_equal(pick(f, READY), 1);
			assert_int_equal(pick(f, READY), 2);
			assert_int_equal(pick(f, READY), 0);
			assert_int_equal(pick(f, 0x8), 3);
			assert_int_equal(pick(f, READY), 0);
		}
		drop(f);
	}
}

/* States in which a warp will not issue for many cycles. */
static void long_waits(void **state)
{
	(void)state;
	static const unsigned is_long[] = {GS_DRAIN, GS_BARRIER,          GS_SYNC,
					   GS_FENCE, GS_SCORE + W_GLOBAL, GS_SCORE + W_TEX};
	for (unsigned s = GS_DRAIN; s < GS_COUNT; s++) {
		bool want = false;
		for (unsigned i = 0; i < sizeof is_long / sizeof *is_long; i++)
			want |= is_long[i] == s;
		if (gstate_is_long(s) != want)
			fail_msg("state %u", s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(polling_members_leave_the_active_set),
		cmocka_unit_test(first_picks),
		cmocka_unit_test(majority_stays),
		cmocka_unit_test(groups_come_in_the_order_of_the_policy),
		cmocka_unit_test(gto_forgets),
		cmocka_unit_test(active_set),
		cmocka_unit_test(fetch_groups),
		cmocka_unit_test(oldest_warps_alone),
		cmocka_unit_test(lost_locality_holds_loads),
		cmocka_unit_test(the_longest_way_goes_first),
		cmocka_unit_test(one_warp_loads),
		cmocka_unit_test(blocks_in_groups),
		cmocka_unit_test(long_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
