/* DRAM: latencies and bandwidths in closed form from the timing parameters; an observer that knows
 * only the commands checks every constraint on random traffic; address maps are one-to-one;
 * clocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "conf/machine.h"
#include "mem/dram.h"

struct rig {
	struct machine *m;
	struct arena arena;
	struct addrmap map;
	struct dram d;
};

static struct rig *rig_new(const char *const *set)
{
	static struct diag diag;
	struct rig *r = calloc(1, sizeof *r);
	r->m = machine_read(NULL, set, &diag);
	if (!r->m)
		diag_print(&diag, stderr);
	assert_non_null(r->m);
	addrmap_init(&r->map, r->m);
	/* the path has room for all that the tests push at once */
	dram_init(&r->d, r->m, &r->map, 2000, &r->arena);
	return r;
}

static void rig_free(struct rig *r)
{
	machine_free(r->m);
	arena_free(&r->arena);
	free(r);
}

/* An address in a bank and row, column 0 on. */
static uint64_t place(const struct rig *r, uint32_t bank, uint32_t row, uint32_t col)
{
	const struct addrmap *a = &r->map;
	uint64_t t = (uint64_t)row * a->banks_in_group + bank / a->groups;
	uint64_t local = ((t * a->row_steps + col / a->bank_step) * a->groups + bank % a->groups) *
				 a->bank_step +
			 col % a->bank_step;
	struct dram_place p = addrmap_dram(a, local);
	assert_true(p.bank == bank && p.row == row);
	return local;
}

/* Runs until the queues are empty; returns the time of the last read's data. */
static cycle_t finish(struct rig *r)
{
	cycle_t last = 0;
	while (r->d.next != CYCLE_NEVER) {
		dram_step(&r->d, r->d.next);
		for (; !ring_empty(&r->d.done); ring_pop(&r->d.done))
			last = ring_front(&r->d.done)->time;
	}
	assert_true(dram_idle(&r->d));
	return last;
}

static cycle_t read_at(struct rig *r, cycle_t t, uint64_t local, uint32_t bytes)
{
	dram_push(&r->d, t, local, bytes, false, 1);
	return finish(r) - t;
}

static void hit_miss_conflict(void **state)
{
	(void)state;
	struct rig *r = rig_new(NULL);
	const struct machine *m = r->m;
	cycle_t bl = m->dram_burst / m->dram_rate;
	assert_int_equal(read_at(r, 1000, place(r, 3, 5, 0), 64), m->tRCD + m->tCL + bl);
	assert_int_equal(read_at(r, 2000, place(r, 3, 5, 64), 64), m->tCL + bl);
	assert_int_equal(read_at(r, 3000, place(r, 3, 6, 0), 64), m->tRP + m->tRCD + m->tCL + bl);
	/* two bursts from one bank: tCCDL apart */
	assert_int_equal(read_at(r, 4000, place(r, 3, 6, 0), 128), m->tCCDL + m->tCL + bl);
	assert_int_equal(STAT(&r->d.stats, row_hits), 2);
	assert_int_equal(STAT(&r->d.stats, row_misses), 1);
	assert_int_equal(STAT(&r->d.stats, row_conflicts), 1);
	/* a conflict right after an activate waits for tRAS */
	dram_push(&r->d, 5000, place(r, 3, 7, 0), 64, false, 1);
	assert_int_equal(finish(r), 5000 + m->tRP + m->tRCD + m->tCL + bl);
	cycle_t act = 5000 + m->tRP;
	assert_int_equal(read_at(r, act + m->tRCD + 3, place(r, 3, 8, 0), 64) + act + m->tRCD + 3,
			 act + m->tRAS + m->tRP + m->tRCD + m->tCL + bl);
	rig_free(r);
}

/* Smallest number of held writes while reads wait, for `writes` writes at once. */
static uint32_t fewest_writes(unsigned writes)
{
	const char *set[] = {"dram.write_queue=12", "dram.write_high=8", "dram.write_low=3", NULL};
	struct rig *r = rig_new(set);
	uint32_t fewest = UINT32_MAX;
	read_at(r, 100, place(r, 0, 1, 0), 64);
	for (unsigned i = 0; i < 10; i++)
		dram_push(&r->d, 1000, place(r, 0, 1, 64 * (i % 4)), 64, false, 0);
	for (unsigned i = 0; i < writes; i++)
		dram_push(&r->d, 1000, place(r, 0, 1, 64 * (i % 4)), 64, true, 0);
	while (r->d.next != CYCLE_NEVER) {
		dram_step(&r->d, r->d.next);
		while (!ring_empty(&r->d.done))
			ring_pop(&r->d.done);
		if (r->d.queued[0] && r->d.queued[1] < fewest)
			fewest = r->d.queued[1];
	}
	assert_true(dram_idle(&r->d));
	rig_free(r);
	return fewest;
}

/* Held writes are drained before reads when there are write_high, until write_low are left;
 * otherwise they wait for the reads. */
static void writes_are_drained(void **state)
{
	(void)state;
	assert_int_equal(fewest_writes(7), 7);
	assert_int_equal(fewest_writes(8), 3);
	assert_int_equal(fewest_writes(11), 3);
}

static void write_then_read(void **state)
{
	(void)state;
	struct rig *r = rig_new(NULL);
	const struct machine *m = r->m;
	cycle_t bl = m->dram_burst / m->dram_rate;
	read_at(r, 100, place(r, 0, 1, 0), 64);
	/* row open, alone: written at once */
	dram_push(&r->d, 1000, place(r, 0, 1, 0), 64, true, 0);
	dram_push(&r->d, 1001, place(r, 0, 1, 64), 64, false, 0);
	assert_int_equal(finish(r), 1000 + m->tWL + bl + m->tWTR + m->tCL + bl);
	/* the row of a write can be closed tWR after its data */
	dram_push(&r->d, 2000, place(r, 0, 1, 0), 64, true, 0);
	dram_push(&r->d, 2001, place(r, 0, 2, 0), 64, false, 0);
	assert_int_equal(finish(r), 2000 + m->tWL + bl + m->tWR + m->tRP + m->tRCD + m->tCL + bl);
	assert_int_equal(STAT(&r->d.stats, turns), 4);
	rig_free(r);
}

/* n bursts to open rows: tCCD apart if groups alternate, tCCDL apart within one group. */
static void peak_bandwidth(void **state)
{
	(void)state;
	for (int same = 0; same < 2; same++) {
		struct rig *r = rig_new((const char *[]){"dram.queue=256", NULL});
		for (uint32_t b = 0; b < 4; b++)
			read_at(r, 100 + 100 * b, place(r, same ? 4 * b : b, 0, 0), 64);
		for (unsigned i = 0; i < 200; i++)
			dram_push(&r->d, 1000,
				  place(r, same ? 4 * (i % 4) : i % 4, 0, 64 * (i / 4 % 32)), 64,
				  false, i);
		cycle_t first = 1000 + r->m->tCL + 2;
		assert_int_equal(finish(r) - first, 199 * (same ? r->m->tCCDL : r->m->tCCD));
		rig_free(r);
	}
}

/* Activates of different banks: tRRD apart; with tFAW, four in that window. */
static void activate_limits(void **state)
{
	(void)state;
	for (int faw = 0; faw < 2; faw++) {
		/* tRCD = 13: no column access falls into an activate's cycle */
		struct rig *r = rig_new((const char *[]){faw ? "dram.tFAW=50" : "dram.tFAW=0",
							 "dram.tRCD=13", NULL});
		cycle_t data = 13 + r->m->tCL + 2;
		for (uint32_t b = 0; b < 8; b++)
			dram_push(&r->d, 100, place(r, b, 3, 0), 64, false, b);
		assert_int_equal(finish(r),
				 (faw ? 150 + 3 * r->m->tRRD : 100 + 7 * r->m->tRRD) + data);
		rig_free(r);
	}
}

static void first_ready_beats_first_come(void **state)
{
	(void)state;
	uint64_t activates[2];
	for (int fr = 0; fr < 2; fr++) {
		struct rig *r = rig_new((const char *[]){
			fr ? "dram.scheduler=fr-fcfs" : "dram.scheduler=fcfs", NULL});
		unsigned n = 0;
		for (unsigned i = 0; i < 64; i++) /* rows of one bank, in turn */
			dram_push(&r->d, 10, place(r, 2, i % 4, 64 * (i / 4 % 4)), 64, false, i);
		while (r->d.next != CYCLE_NEVER) {
			dram_step(&r->d, r->d.next);
			for (; !ring_empty(&r->d.done); ring_pop(&r->d.done))
				n++;
		}
		assert_int_equal(n, 64);
		activates[fr] = STAT(&r->d.stats, activates);
		rig_free(r);
	}
	assert_int_equal(activates[0], 64); /* every request opens a row */
	assert_true(activates[1] <= 16);
}

/* ---- the observer ---- */

struct observer {
	struct {
		bool open;
		uint32_t row;
		int64_t act, pre, rd, wr_end;
	} bank[64];
	int64_t act[64], nact;
	int64_t last_cmd, last_col, last_rd, last_wr_end, bus_end, col_group[16];
};

static void observe(struct observer *o, const struct rig *r, const struct dram_bank *before,
		    const struct dram_stats *s0, int64_t t)
{
	const struct machine *m = r->m;
	const struct dram_stats *s = &r->d.stats;
	int64_t bl = m->dram_burst / m->dram_rate;
	uint64_t ncmd = s->activates[0] - s0->activates[0] + s->precharges[0] - s0->precharges[0] +
			s->read_bursts[0] - s0->read_bursts[0] + s->write_bursts[0] -
			s0->write_bursts[0];
	assert_true(ncmd <= 1);
	if (s->refreshes[0] != s0->refreshes[0]) {
		for (uint32_t b = 0; b < m->dram_banks; b++)
			o->bank[b].open =
				false; /* closed by the refresh, whose length act_ok contains */
	}
	if (!ncmd)
		return;
	assert_true(t > o->last_cmd);
	o->last_cmd = t;
	uint32_t b = 0;
	if (s->activates[0] != s0->activates[0]) {
		while (!(r->d.bank[b].open &&
			 (!before[b].open || s->refreshes[0] != s0->refreshes[0])))
			b++;
		assert_false(o->bank[b].open);
		assert_true(t - o->bank[b].act >= m->tRC);
		assert_true(t - o->bank[b].pre >= m->tRP);
		if (o->nact)
			assert_true(t - o->act[(o->nact - 1) % 64] >= m->tRRD);
		if (o->nact >= 4 && m->tFAW)
			assert_true(t - o->act[(o->nact - 4) % 64] >= m->tFAW);
		o->act[o->nact++ % 64] = t;
		o->bank[b].open = true;
		o->bank[b].row = r->d.bank[b].row;
		o->bank[b].act = t;
	} else if (s->precharges[0] != s0->precharges[0]) {
		while (!(before[b].open && !r->d.bank[b].open))
			b++;
		assert_true(o->bank[b].open);
		assert_true(t - o->bank[b].act >= m->tRAS);
		assert_true(t - o->bank[b].rd >= m->tRTP);
		assert_true(t - o->bank[b].wr_end >= m->tWR);
		o->bank[b].open = false;
		o->bank[b].pre = t;
	} else {
		bool write = s->write_bursts[0] != s0->write_bursts[0];
		uint32_t g = 0;
		while (r->d.group_ok[g] != (cycle_t)t + r->d.ccdl)
			g++;
		assert_true(t - o->last_col >= m->tCCD);
		assert_true(t - o->col_group[g] >= m->tCCDL);
		int64_t data = t + (write ? m->tWL : m->tCL);
		assert_true(data >= o->bus_end);
		if (write)
			assert_true(data >= o->last_rd + m->tCL + bl + 2); /* bus turned */
		else
			assert_true(t >= o->last_wr_end + m->tWTR);
		/* bank: an open bank of the group with tRCD elapsed and whose precharge limit has
		 * moved or holds */
		bool any = false;
		for (b = g; b < m->dram_banks; b += m->dram_groups)
			if (o->bank[b].open && t - o->bank[b].act >= m->tRCD &&
			    r->d.bank[b].pre_ok >= (cycle_t)(t + (write ? 0 : m->tRTP))) {
				any = true;
				if (r->d.bank[b].pre_ok != before[b].pre_ok || write) {
					if (write && r->d.bank[b].pre_ok != before[b].pre_ok)
						o->bank[b].wr_end = t + m->tWL + bl;
					else if (!write)
						o->bank[b].rd = t;
				}
			}
		assert_true(any);
		o->last_col = o->col_group[g] = t;
		o->bus_end = data + bl;
		if (write)
			o->last_wr_end = data + bl;
		else
			o->last_rd = t;
	}
}

/* A pick kept while requests arrive must equal the pick of a search over all requests. */
static void check_pick(const struct dram *d)
{
	if (!d->picked)
		return;
	struct dram copy = *d;
	copy.stale[0] = copy.stale[1] = UINT64_MAX;
	struct dram_cmd c = d->sched->pick(&copy, d->pick_queue);
	assert_int_equal(c.time, d->pick.time);
	assert_int_equal(c.req, d->pick.req);
	assert_int_equal(c.op, d->pick.op);
}

static void constraints_hold_in_random_traffic(void **state)
{
	(void)state;
	uint64_t x = 777;
	for (unsigned round = 0; round < 12; round++) {
		/* clang-format off */
		const char *set[] = {round & 1 ? "dram.scheduler=fcfs" : "dram.scheduler=fr-fcfs",
				     round & 2 ? "dram.tFAW=40" : "dram.tFAW=0", round & 4 ? "dram.tREFI=700" : "dram.tREFI=0",
				     "dram.tRFC=80", round >= 8 ? "dram.bank_hash=xor" : "dram.bank_hash=linear",
				     round % 3 ? "dram.write_queue=12" : "dram.write_queue=0", "dram.write_high=8", "dram.write_low=3",
				     round % 5 == 1 ? "dram.tWL=12" : "dram.tWL=4", NULL};
		/* clang-format on */
		struct rig *r = rig_new(set);
		struct observer o;
		memset(&o, 0, sizeof o);
		int64_t never = -1000000;
		o.last_cmd = o.last_col = o.last_rd = o.last_wr_end = o.bus_end = never;
		for (unsigned i = 0; i < 64; i++)
			o.bank[i].act = o.bank[i].pre = o.bank[i].rd = o.bank[i].wr_end = never;
		for (unsigned i = 0; i < 16; i++)
			o.col_group[i] = never;
		unsigned sent = 0, reads = 0, back = 0;
		cycle_t t = 0;
		while (sent < 3000 || r->d.next != CYCLE_NEVER) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			if (sent < 3000 && dram_has_room(&r->d) &&
			    (r->d.next == CYCLE_NEVER || x >> 63)) {
				bool write = x >> 40 & 1;
				t += r->d.next == CYCLE_NEVER ? x >> 56 : 0;
				if (r->d.next != CYCLE_NEVER && r->d.next > t)
					t = r->d.next;
				uint64_t local =
					(x >> 20) % (x & 1 ? 1u << 24 : 1u << 13) / 64 * 64;
				dram_push(&r->d, t, local, 64u << (x >> 50 & 1) & ~63u, write,
					  sent++);
				reads += !write;
				continue;
			}
			struct dram_bank before[64];
			struct dram_stats s0 = r->d.stats;
			memcpy(before, r->d.bank, sizeof *before * r->d.nbanks);
			t = r->d.next > t ? r->d.next : t;
			cycle_t now = r->d.next;
			dram_step(&r->d, now);
			assert_true(r->d.next > now);
			check_pick(&r->d);
			observe(&o, r, before, &s0, (int64_t)now);
			for (; !ring_empty(&r->d.done); ring_pop(&r->d.done))
				back++;
		}
		assert_int_equal(back, reads);
		assert_int_equal(STAT(&r->d.stats, reads) + STAT(&r->d.stats, writes), 3000);
		assert_int_equal(STAT(&r->d.stats, row_hits) + STAT(&r->d.stats, row_misses) +
					 STAT(&r->d.stats, row_conflicts),
				 3000);
		assert_int_equal(
			STAT(&r->d.stats, bus_cycles),
			2 * (STAT(&r->d.stats, read_bursts) + STAT(&r->d.stats, write_bursts)));
		if (round & 4)
			assert_true(STAT(&r->d.stats, refreshes) > 3);
		rig_free(r);
	}
}

static void refresh_closes_rows(void **state)
{
	(void)state;
	struct rig *r = rig_new((const char *[]){"dram.tREFI=1000", "dram.tRFC=100", NULL});
	const struct machine *m = r->m;
	read_at(r, 100, place(r, 0, 0, 0), 64);
	assert_int_equal(read_at(r, 900, place(r, 0, 0, 0), 64), m->tCL + 2);
	/* refreshed at 1000 */
	assert_int_equal(read_at(r, 1500, place(r, 0, 0, 0), 64), m->tRCD + m->tCL + 2);
	/* in the middle of the refresh due at 2000: the open row is closed before it */
	assert_int_equal(read_at(r, 2010, place(r, 0, 0, 0), 64),
			 100 + m->tRP - 10 + m->tRCD + m->tCL + 2);
	assert_int_equal(read_at(r, 9500, place(r, 0, 0, 0), 64), m->tRCD + m->tCL + 2);
	assert_int_equal(STAT(&r->d.stats, refreshes), 9);
	rig_free(r);
}

/* Sixteen banks, one refreshed every 100 cycles: bank 0 at 100, bank 1 at 200, ..., bank 0 again at 1700. */
static void refresh_of_single_banks(void **state)
{
	(void)state;
	struct rig *r = rig_new((const char *[]){"dram.refresh=bank", "dram.tREFI=1600",
						 "dram.tRFC=80", "dram.banks=16", NULL});
	const struct machine *m = r->m;
	cycle_t closed = m->tRCD + m->tCL + 2;
	assert_int_equal(read_at(r, 50, place(r, 0, 0, 0), 64), closed);
	assert_int_equal(read_at(r, 90, place(r, 2, 0, 0), 64), closed);
	/* bank 0 is refreshed from cycle 100 on, after its open row is closed; bank 2 continues */
	assert_int_equal(read_at(r, 110, place(r, 2, 0, 0), 64), m->tCL + 2);
	assert_int_equal(read_at(r, 130, place(r, 0, 0, 0), 64), 100 + m->tRP + 80 - 130 + closed);
	/* long after: the overdue refreshes of all banks are made up, bank 2's at 9900 among
	 * them */
	assert_int_equal(read_at(r, 9920, place(r, 2, 0, 0), 64), 9900 + 80 - 9920 + closed);
	assert_int_equal(STAT(&r->d.stats, refreshes), 99);
	rig_free(r);
}

/* ---- addresses and clocks ---- */

static void address_maps_are_one_to_one(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 12; k++) {
		static const char *const parts[] = {"mem.partitions=1", "mem.partitions=6",
						    "mem.partitions=8"};
		const char *set[] = {parts[k % 3], k & 1 ? "mem.slices=2" : "mem.slices=1",
				     k & 2 ? "mem.address_map=xor" : "mem.address_map=linear",
				     k >= 6 ? "dram.bank_hash=xor" : "dram.bank_hash=linear", NULL};
		struct rig *r = rig_new(set);
		enum { UNITS = 1 << 14, SLOTS = 2 * UNITS };
		unsigned n = r->map.dests, count[16] = {0};
		uint8_t *seen = calloc(SLOTS, 1);
		for (uint64_t u = 0; u < UNITS / n * n; u++) {
			uint64_t addr = u * r->m->part_step + u % r->m->part_step;
			unsigned dest = addrmap_dest(&r->map, addr);
			uint64_t local = addrmap_local(&r->map, addr);
			assert_true(dest < n);
			count[dest]++;
			assert_int_equal(local % r->m->part_step, addr % r->m->part_step);
			uint64_t key =
				local / r->m->part_step * r->m->parts + addrmap_part(&r->map, dest);
			assert_true(key < SLOTS && !seen[key % SLOTS]); /* dense and unique */
			seen[key % SLOTS] = 1;
		}
		for (unsigned d = 0; d < n; d++)
			assert_int_equal(count[d], UNITS / n);
		free(seen);
		/* bank, row and position in the row: each row gets exactly its bytes */
		unsigned rows = 0, *fill = calloc(64 * 64, sizeof *fill);
		uint64_t bytes = (uint64_t)r->m->dram_row * r->m->dram_banks * 8;
		for (uint64_t a = 0; a < bytes; a += 32) {
			struct dram_place p = addrmap_dram(&r->map, a);
			assert_true(p.bank < r->m->dram_banks && p.row < 8);
			rows += fill[p.row * 64 + p.bank]++ == 0;
		}
		assert_int_equal(rows, 8 * r->m->dram_banks);
		for (unsigned i = 0; i < 64 * 64; i++)
			assert_true(!fill[i] || fill[i] == r->m->dram_row / 32);
		free(fill);
		rig_free(r);
	}
}

/* The map of a GTX 480 in GPGPU-Sim, ...RRRRRRRRRRRR.BBBCCCCB.CCSSSSSS: bank bits 8, 13, 14, 15,
 * rows from bit 16. */
static void banks_by_mask(void **state)
{
	(void)state;
	struct rig *r = rig_new((const char *[]){"dram.bank_mask=57600", "dram.row_bit=16",
						 "dram.row_bytes=4096", NULL});
	static const struct {
		uint64_t local;
		unsigned bank, row;
	} c[] = {{0, 0, 0},      {255, 0, 0},     {256, 1, 0},     {512, 0, 0},     {0x2000, 2, 0},
		 {0x4100, 5, 0}, {0xffff, 15, 0}, {0x10000, 0, 1}, {0x3e100, 15, 3}};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		struct dram_place p = addrmap_dram(&r->map, c[i].local);
		assert_int_equal(p.bank, c[i].bank);
		assert_int_equal(p.row, c[i].row);
	}
	unsigned bytes[16][2] = {{0}}; /* 64 KB: 4 KB of each bank's row */
	for (uint64_t a = 0; a < 0x20000; a++) {
		struct dram_place p = addrmap_dram(&r->map, a);
		bytes[p.bank][p.row]++;
	}
	for (unsigned b = 0; b < 16; b++)
		assert_true(bytes[b][0] == 4096 && bytes[b][1] == 4096);
	rig_free(r);
}

/* Power-of-two strides over eight slices: linear interleaving puts all on one slice, xor spreads
 * them over all. */
static void hashing_spreads_strides(void **state)
{
	(void)state;
	struct rig *r = rig_new((const char *[]){"mem.partitions=8", "mem.address_map=xor", NULL});
	for (unsigned shift = 8; shift < 24; shift++) {
		unsigned used = 0;
		for (uint64_t i = 0; i < 256; i++)
			used |= 1u << addrmap_dest(&r->map, i << shift);
		assert_int_equal(used, 0xff);
	}
	rig_free(r);
}

static void clocks_are_exact(void **state)
{
	(void)state;
	struct ratio r = ratio_make(700, 924);
	assert_int_equal(r.num, 33);
	assert_int_equal(r.den, 25);
	for (uint64_t t = 0; t < 1000; t++) {
		assert_int_equal(ratio_up(r, t), (t * 33 + 24) / 25);
		assert_int_equal(ratio_down(r, t), t * 33 / 25);
		for (uint64_t u = ratio_down(r, t); u < ratio_down(r, t) + 3; u++)
			assert_int_equal(ratio_not_after(r, t, u), t * 33 <= u * 25);
	}
	/* far into a run there is neither drift nor overflow */
	uint64_t far = 25ull << 56;
	assert_true(ratio_up(r, far) == 33ull << 56);
	assert_true(ratio_up(r, far + 1) == (33ull << 56) + 2);
	assert_true(ratio_down(r, far + 1) == (33ull << 56) + 1);
	assert_true(ratio_not_after(r, far, 33ull << 56));
	assert_false(ratio_not_after(r, far + 1, (33ull << 56) + 1));
	assert_true(ratio_up(r, CYCLE_NEVER) == CYCLE_NEVER);
	assert_true(ratio_not_after(r, far, CYCLE_NEVER) && !ratio_not_after(r, CYCLE_NEVER, far));
	assert_true(ratio_up(ratio_make(337.5, 800), 27) == 64);
	/* by powers of two, and near the largest values that fit into 64 bits */
	struct ratio half = ratio_make(1400, 700), same = ratio_make(700, 700);
	assert_true(ratio_up(half, 7) == 4 && ratio_down(half, 7) == 3);
	assert_true(ratio_up(same, CYCLE_NEVER - 1) == CYCLE_NEVER - 1);
	for (uint64_t t = r.limit - 2; t <= r.limit + 2; t++)
		assert_true(ratio_up(r, t) == (uint64_t)(((unsigned __int128)t * 33 + 24) / 25));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hit_miss_conflict),
		cmocka_unit_test(write_then_read),
		cmocka_unit_test(writes_are_drained),
		cmocka_unit_test(peak_bandwidth),
		cmocka_unit_test(activate_limits),
		cmocka_unit_test(first_ready_beats_first_come),
		cmocka_unit_test(constraints_hold_in_random_traffic),
		cmocka_unit_test(refresh_closes_rows),
		cmocka_unit_test(refresh_of_single_banks),
		cmocka_unit_test(address_maps_are_one_to_one),
		cmocka_unit_test(banks_by_mask),
		cmocka_unit_test(hashing_spreads_strides),
		cmocka_unit_test(clocks_are_exact),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
