#include "mem/memsys.h"
#include "mem/warm.h"

#include <stdlib.h>
#include <string.h>
#include "base/pages.h"
#include "conf/floorplan.h"
#include "conf/machine.h"
#include "mem/partition.h"

struct memsys {
	struct arena arena;
	struct addrmap map;
	struct floorplan plan;
	struct port *port;
	struct partition *partition;
	struct netend **end;
	struct icnt net;
	struct icnt_stats traffic; /* sum of the network's counters when last counted */
	unsigned nport, nparts, ndest;
	cycle_t window;
	bool perfect;
	bool counts_data; /* power.data = counted */
};

static void port_init(struct memsys *s, unsigned sm, const struct machine *m)
{
	struct port *p = &s->port[sm];
	const struct icnt_ops *ops = s->net.ops;
	/* clang-format off */
	*p = (struct port){
		.limit = m->icnt_outstanding, .in_mask = ring_round(m->icnt_outstanding) - 1,
		.perfect = m->perfect_mem, .unlimited = ops->unlimited, .one_class = ops->one_class,
		.sm = (uint16_t)sm, .flit = (uint16_t)m->icnt_flit, .header = (uint16_t)m->icnt_header,
		.to_icnt = s->net.to_icnt, .to_core = s->net.to_core, .map = &s->map, .net = &s->net, .half = s->plan.half[sm],
	};
	/* clang-format on */
	outbox_open(&p->out, &s->net.request, sm);
	p->in = ARENA_ARRAY(&s->arena, struct msg, p->in_mask + 1);
	if (!ops->unlimited)
		credit_line_new(&p->credits, &s->arena, ops->one_class ? 1 : s->ndest,
				s->net.flits);
}

/* The longest wait: a refresh falls due just after a row was opened or written. The row is closed,
 * the refresh done, the row opened again and a column accessed. A shorter refresh interval would
 * leave no time for accesses. */
static uint32_t refresh_needs(const struct machine *m)
{
	uint32_t burst = (m->dram_burst + m->dram_rate - 1) / m->dram_rate;
	uint32_t written = m->tWL + burst + m->tWR, open = m->tRAS > written ? m->tRAS : written;
	uint32_t next = m->tRRD > m->tFAW ? m->tRRD : m->tFAW;
	uint32_t turn = m->tWL + m->tCL + 2 * burst + m->tWTR + m->tCCD + m->tCCDL + 2;
	return (open > m->tRTP ? open : m->tRTP) + m->tRP + m->tRFC + m->tRC + next + m->tRCD +
	       turn;
}

static void check_dram(const struct machine *m, struct diag *d)
{
	if (m->dram_row % m->dram_bank_step && m->dram_bank_step < m->dram_row)
		diag_error(d, "dram.bank_step = %u does not divide dram.row_bytes = %u",
			   m->dram_bank_step, m->dram_row);
	if (m->dram_bank_mask && 1u << __builtin_popcount(m->dram_bank_mask) > m->dram_banks)
		diag_error(d, "dram.bank_mask = 0x%x has %d bits; dram.banks = %u",
			   m->dram_bank_mask, __builtin_popcount(m->dram_bank_mask), m->dram_banks);
	if (m->dram_bank_mask && m->dram_bank_mask >> m->dram_row_bit)
		diag_error(
			d,
			"dram.bank_mask = 0x%x: bits of the row (dram.row_bit = %u) cannot be the bank's",
			m->dram_bank_mask, m->dram_row_bit);
	if (m->dram_banks % m->dram_groups)
		diag_error(d, "dram.bank_groups = %u does not divide dram.banks = %u",
			   m->dram_groups, m->dram_banks);
	if (m->tREFI && m->tREFI <= refresh_needs(m))
		diag_error(
			d,
			"dram.tREFI = %u: between two refreshes there must be time for one and an "
			"access to a row, %u cycles",
			m->tREFI, refresh_needs(m));
}

static bool check_lines(const struct machine *m, struct diag *d)
{
	const struct {
		const char *name;
		uint32_t line;
		bool on;
	} c[] = {
		{"l1d", m->l1d_line, m->l1d_kind != KIND_OFF},
		{"l1i", m->l1i_line, m->l1i_kind != KIND_OFF},
		{"l1c", m->l1c_line, m->l1c_kind != KIND_OFF},
		{"l1t", m->l1t_line, m->l1t_kind != KIND_OFF},
		{"l2", m->l2_line, m->l2_kind != KIND_OFF},
	};
	unsigned before = d->errors;
	if (m->l2_halves == 2 && (m->slices % 2 || m->l2_kind == KIND_OFF))
		diag_error(
			d,
			"l2.halves = 2: an L2 and an even number of mem.slices are needed, not %u",
			m->slices);
	if (m->part_step & (m->part_step - 1))
		diag_error(d, "mem.interleave = %u: must be a power of two", m->part_step);
	check_dram(m, d);
	for (unsigned i = 0; i < sizeof c / sizeof *c; i++)
		if (c[i].on && c[i].line > m->part_step)
			diag_error(d, "%s.line = %u: a line must not exceed mem.interleave = %u",
				   c[i].name, c[i].line, m->part_step);
	return d->errors == before;
}

static bool build_parts(struct memsys *s, const struct machine *m, struct diag *d)
{
	addrmap_init(&s->map, m);
	if (!floorplan_init(&s->plan, m, &s->arena, d))
		return false;
	s->nport = m->sms;
	s->nparts = m->parts;
	s->ndest = m->parts * m->slices;
	s->perfect = m->perfect_mem;
	s->port = ARENA_APART(&s->arena, struct port, s->nport);
	s->partition = ARENA_APART(&s->arena, struct partition, s->nparts);
	s->end = ARENA_ARRAY(&s->arena, struct netend *, s->ndest);
	if (!icnt_init(&s->net, m, s->port, s->end, s->ndest, &s->arena, d))
		return false;
	s->net.take = partition_take;
	for (unsigned i = 0; i < s->nparts; i++)
		if (!partition_init(&s->partition[i], i, m, &s->map, &s->net, &s->arena, d))
			return false;
	for (unsigned i = 0; i < s->ndest; i++)
		s->end[i] = &s->partition[addrmap_part(&s->map, i)].slice[i / s->nparts].end;
	for (unsigned i = 0; i < s->nport; i++)
		port_init(s, i, m);
	s->window = ratio_down(s->net.to_core, s->net.round);
	if (!s->window) {
		diag_error(
			d,
			"icnt.latency = %u: the network's round trip is shorter than a core cycle",
			m->icnt_lat);
		return false;
	}
	return true;
}

static void wires_on(struct memsys *s, const struct machine *m)
{
	for (unsigned i = 0; i < s->nport; i++) {
		uint64_t *n = &s->net.at_port[i].toggles;
		s->port[i].wires = wires_new(m->icnt_flit, n, n);
	}
	for (unsigned i = 0; i < s->ndest; i++) {
		uint64_t *n = &s->net.at_end[i].toggles;
		s->end[i]->wires = wires_new(m->icnt_flit, n, n);
	}
	for (unsigned i = 0; i < s->nparts; i++) {
		struct partition *p = &s->partition[i];
		p->dram.wires = wires_new(m->dram_bus, &STAT(&p->dram.stats, read_toggles),
					  &STAT(&p->dram.stats, write_toggles));
		for (unsigned k = 0; k < p->nslice; k++)
			if (p->slice[k].has_cache)
				cache_count_data(&p->slice[k].cache);
	}
}

static void each_wires(struct memsys *s, void (*f)(struct wires *w, const struct devmem *mem),
		       const struct devmem *mem)
{
	for (unsigned i = 0; i < s->nport; i++)
		f(s->port[i].wires, mem);
	for (unsigned i = 0; i < s->ndest; i++)
		f(s->end[i]->wires, mem);
	for (unsigned i = 0; i < s->nparts; i++) {
		f(s->partition[i].dram.wires, mem);
		for (unsigned k = 0; k < s->partition[i].nslice; k++)
			f(s->partition[i].slice[k].cache.wires, mem);
	}
}

void memsys_count_data(struct memsys *s, const struct devmem *mem)
{
	each_wires(s, wires_count, mem);
}

static void free_wires(struct wires *w, const struct devmem *mem)
{
	(void)mem;
	wires_free(w);
}

struct memsys *memsys_new(const struct machine *m, struct diag *d)
{
	if (!check_lines(m, d))
		return NULL;
	struct memsys *s = xcalloc(1, sizeof *s);
	arena_use_pages(&s->arena);
	if (!build_parts(s, m, d)) {
		memsys_free(s);
		return NULL;
	}
	s->counts_data = m->power_data == DATA_COUNTED;
	if (s->counts_data)
		wires_on(s, m);
	return s;
}

void memsys_share(struct memsys *s, unsigned threads)
{
	s->net.mailed = threads > 1 && !s->net.ops->requests ? threads : 0;
}

void memsys_free(struct memsys *s)
{
	if (!s)
		return;
	if (s->counts_data)
		each_wires(s, free_wires, NULL);
	arena_free(&s->arena);
	free(s);
}

struct port *memsys_port(struct memsys *s, unsigned sm) { return &s->port[sm]; }

cycle_t memsys_window_max(const struct memsys *s) { return s->window; }

unsigned memsys_parts(const struct memsys *s) { return s->nparts; }

bool memsys_beside(const struct memsys *s) { return s->partition[0].beside; }

void memsys_requests(struct memsys *s, cycle_t from, cycle_t to)
{
	icnt_requests(&s->net, ratio_up(s->net.to_icnt, from), ratio_up(s->net.to_icnt, to));
	for (unsigned i = 0; i < s->ndest && !s->net.mailed; i++)
		partition_take(s->end[i]);
}

bool memsys_part(struct memsys *s, unsigned part, cycle_t to)
{
	struct partition *p = &s->partition[part];
	for (unsigned i = 0; i < p->nslice; i++)
		icnt_take(&s->net, p->slice[i].dest);
	return partition_run(p, to);
}

void memsys_deliver(struct memsys *s, unsigned sm) { icnt_deliver_all(&s->net, sm); }

void memsys_exchange(struct memsys *s)
{
	for (unsigned i = 0; i < s->ndest && s->net.mailed; i++)
		icnt_take(&s->net, i);
	for (unsigned i = 0; i < s->nport && s->net.mailed; i++)
		memsys_deliver(s, i);
}

void memsys_replies(struct memsys *s, cycle_t from, cycle_t to)
{
	icnt_replies(&s->net, ratio_up(s->net.to_icnt, from), ratio_up(s->net.to_icnt, to));
}

void memsys_window(struct memsys *s, cycle_t from, cycle_t to)
{
	if (!memsys_beside(s))
		memsys_requests(s, from, to);
	for (unsigned i = 0; i < s->nparts; i++)
		memsys_part(s, i, to);
	if (memsys_beside(s))
		memsys_requests(s, from, to);
	memsys_replies(s, from, to);
	memsys_exchange(s);
}

cycle_t memsys_idle_until(struct memsys *s)
{
	memsys_exchange(s);
	cycle_t t = s->net.ops->next ? ratio_down(s->net.to_core, s->net.ops->next(&s->net))
				     : CYCLE_NEVER;
	for (unsigned i = 0; i < s->nparts; i++) {
		cycle_t p = partition_next(&s->partition[i]);
		t = p < t ? p : t;
	}
	return t;
}

cycle_t memsys_drain(struct memsys *s, cycle_t from)
{
	for (cycle_t t; (t = memsys_idle_until(s)) != CYCLE_NEVER;) {
		from = t > from ? t : from;
		memsys_window(s, from, from + s->window);
		from += s->window;
	}
	return from;
}

bool memsys_check(struct memsys *s, struct diag *d)
{
	memsys_exchange(s);
	unsigned before = d->errors;
	for (unsigned i = 0; i < s->nport; i++) {
		const struct port *p = &s->port[i];
		uint32_t unsent = outbox_count(&p->out, &s->net.request);
		if (p->requests != p->replies || p->outstanding || unsent ||
		    p->in_head != p->in_tail)
			diag_error(
				d,
				"SM %u: %llu requests, %llu replies taken; %u unsent, %u in its inbox",
				i, (unsigned long long)p->requests, (unsigned long long)p->replies,
				unsent, p->in_tail - p->in_head);
	}
	if (s->net.ops->held && s->net.ops->held(&s->net))
		diag_error(d, "interconnect: holds %u packets", s->net.ops->held(&s->net));
	for (unsigned i = 0; i < s->nparts; i++)
		partition_check(&s->partition[i], d);
	return d->errors == before;
}

static void check_equal(struct diag *d, const char *what, uint64_t a, uint64_t b)
{
	if (a != b)
		diag_error(d, "%s: %llu and %llu", what, (unsigned long long)a,
			   (unsigned long long)b);
}

static void add_slice(struct slice_stats *sum, const struct slice *s, struct diag *d)
{
	const struct cache_stats *c = &s->cache.stats;
	stat_merge(&slice_stat_table, sum, &s->stats);
	if (!s->has_cache)
		return;
	check_equal(d, "l2: hits + merged + misses, accesses",
		    STAT(c, hits) + STAT(c, hits_reserved) + STAT(c, misses), STAT(c, accesses));
	check_equal(d, "l2: reads + writes + atomics, accesses",
		    STAT(c, reads) + STAT(c, writes) + STAT(c, atomics), STAT(c, accesses));
	if (STAT(c, fills) < STAT(c, fetches)) /* a fetch may be answered sector by sector */
		check_equal(d, "l2: fetches, fills", STAT(c, fetches), STAT(c, fills));
}

void memsys_check_figures(struct memsys *s, struct diag *d)
{
	memsys_exchange(s);
	const struct icnt_stats sum = icnt_sum(&s->net), *n = &sum;
	struct slice_stats all = {0};
	struct dram_stats dram = {0};
	uint64_t classes = 0, trips = 0;
	for (unsigned i = 0; i < s->nparts; i++) {
		stat_merge(&dram_stat_table, &dram, &s->partition[i].dram.stats);
		for (unsigned k = 0; k < s->partition[i].nslice; k++)
			add_slice(&all, &s->partition[i].slice[k], d);
	}
	for (unsigned i = 0; i < MSG_CLASSES; i++)
		classes += all.classes[i];
	for (unsigned i = 0; i < STAT_COUNT_OF(n->latency); i++)
		trips += n->latency[i];
	check_equal(d, "network: requests, replies", STAT(n, requests), STAT(n, replies));
	check_equal(d, "network: replies, their latencies", STAT(n, replies), trips);
	check_equal(d, "network, slices: requests", STAT(n, requests), STAT(&all, requests));
	check_equal(d, "network, slices: replies", STAT(n, replies), STAT(&all, replies));
	check_equal(d, "slices: requests, by class", STAT(&all, requests), classes);
	check_equal(d, "slices, DRAM: reads", STAT(&all, dram_reads), STAT(&dram, reads));
	check_equal(d, "slices, DRAM: writes", STAT(&all, dram_writes), STAT(&dram, writes));
	check_equal(d, "DRAM: open + closed + idle cycles, cycles",
		    STAT(&dram, open_cycles) + STAT(&dram, closed_cycles) +
			    STAT(&dram, idle_cycles),
		    STAT(&dram, cycles));
	check_equal(d, "DRAM: requests by row, requests",
		    STAT(&dram, row_hits) + STAT(&dram, row_misses) + STAT(&dram, row_conflicts),
		    STAT(&dram, reads) + STAT(&dram, writes));
}

void memsys_holders(struct memsys *s, FILE *f)
{
	struct diag *d = xcalloc(1, sizeof *d);
	memsys_check(s, d);
	for (unsigned i = 0; i < d->n; i++)
		fprintf(f, "%s\n", d->msg[i].text);
	diag_free(d);
	free(d);
}

/* The sectors of a line that [addr, end) covers completely. */
static uint32_t whole_sectors(const struct cache *c, uint64_t addr, uint64_t end)
{
	uint64_t sector = 1ull << c->sector_shift, from = (addr + sector - 1) / sector * sector,
		 to = end / sector * sector;
	return from < to ? cache_sectors(c, from, (uint32_t)(to - from)) : 0;
}

unsigned memsys_half(const struct memsys *s, unsigned sm)
{
	return s->perfect ? 0 : s->plan.half[sm];
}

void memsys_touch(struct memsys *s, uint64_t addr, uint32_t bytes, bool written, unsigned halves)
{
	unsigned dest = addrmap_dest(&s->map, addr);
	struct slice *c = &s->partition[addrmap_part(&s->map, dest)].slice[dest / s->nparts];
	if (!c->has_cache)
		return;
	uint64_t line = 1ull << c->cache.line_shift, end = addr + bytes;
	unsigned home = 1u << dest / s->map.half_dests;
	struct cache *copies = c->partner ? &c->partner->cache : NULL;
	for (uint64_t next; addr < end; addr = next) {
		next = (addr / line + 1) * line;
		next = next < end ? next : end;
		uint32_t sectors = cache_sectors(&c->cache, addr, (uint32_t)(next - addr));
		if (written)
			cache_place_written(&c->cache, addr, sectors,
					    whole_sectors(&c->cache, addr, next));
		else
			cache_place(&c->cache, addr, sectors);
		if (copies && written && halves & home)
			cache_invalidate(copies, addr);
		if (copies && !written && halves & ~home)
			cache_place(copies, addr, sectors);
	}
}

void memsys_host_copied(struct memsys *s, uint64_t addr, uint64_t bytes, bool first_half)
{
	const struct cache *any = &s->partition[0].slice[0].cache;
	if (!s->partition[0].slice[0].has_cache)
		return;
	uint64_t line = 1ull << any->line_shift, end = addr + bytes;
	uint64_t most = 2 * line * any->sets * any->ways *
			s->ndest; /* a longer range would evict its own first lines */
	uint64_t at = bytes > most ? end - most : addr;
	while (at < end) {
		unsigned dest = addrmap_dest(&s->map, at);
		struct slice *c =
			&s->partition[addrmap_part(&s->map, dest)].slice[dest / s->nparts];
		uint64_t next = (at / line + 1) * line, n = (next < end ? next : end) - at;
		if (!first_half || dest < s->map.half_dests)
			cache_place(&c->cache, at, cache_sectors(&c->cache, at, (uint32_t)n));
		at += n;
	}
}

void memsys_count_network(struct memsys *s)
{
	memsys_exchange(s);
	icnt_sum_flits(&s->net, &s->traffic);
}

void memsys_count_channel(struct memsys *s, unsigned part, cycle_t dram_cycle)
{
	dram_count_until(&s->partition[part].dram, dram_cycle);
}

cycle_t memsys_dram_cycle(const struct memsys *s, cycle_t at)
{
	return ratio_down(s->partition[0].core_to_dram, at);
}

void memsys_count_until(struct memsys *s, cycle_t at)
{
	memsys_exchange(s);
	s->traffic = icnt_sum(&s->net);
	for (unsigned i = 0; i < s->nparts; i++)
		memsys_count_channel(s, i, memsys_dram_cycle(s, at));
}

/* Returns a value that changes whenever any counter of the partition does, except cycles in *state. */
uint64_t memsys_part_rest(const struct memsys *s, unsigned part, cycle_t dram_cycle,
			  enum dram_state *state)
{
	const struct partition *p = &s->partition[part];
	uint64_t rest = dram_rest(&p->dram, dram_cycle, state);
	for (unsigned i = 0; rest && i < p->nslice; i++) {
		const struct slice_stats *c = &p->slice[i].stats;
		rest += STAT(c, requests) + STAT(c, stall_input) + STAT(c, steps);
	}
	return rest;
}

void memsys_report(struct memsys *s, struct stat_report *r)
{
	stat_report_add(r, &icnt_stat_table, "icnt", -1, &s->traffic);
	for (unsigned i = 0; i < s->nparts; i++) {
		const struct partition *p = &s->partition[i];
		for (unsigned k = 0; k < p->nslice; k++) {
			const struct slice *c = &p->slice[k];
			stat_report_add(r, &slice_stat_table, "slice", (int)c->dest, &c->stats);
			if (c->has_cache)
				stat_report_add(r, &cache_stat_table, "l2", (int)c->dest,
						&c->cache.stats);
			if (c->partner)
				stat_report_add(r, &link_stat_table, "link", (int)c->dest,
						&c->link_stats);
		}
		stat_report_add(r, &dram_stat_table, "dram", (int)i, &p->dram.stats);
	}
}
