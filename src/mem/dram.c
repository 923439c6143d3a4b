#include "mem/dram.h"

#include <string.h>
#include "conf/machine.h"

static const struct stat_def dram_defs[] = {STAT_DEFS(DRAM_STATS)};
static double row_hit_rate(const void *p)
{
	const struct dram_stats *s = p;
	double n = (double)(STAT(s, row_hits) + STAT(s, row_misses) + STAT(s, row_conflicts));
	return n > 0 ? (double)STAT(s, row_hits) / n : 0;
}
static double per_activate(const void *p)
{
	const struct dram_stats *s = p;
	double n = (double)(STAT(s, read_bursts) + STAT(s, write_bursts));
	return STAT(s, activates) ? n / (double)STAT(s, activates) : 0;
}
static const struct stat_derived dram_derived[] = {
	{"row_hit_rate", "", "row hits / requests", row_hit_rate},
	{"bursts_per_activate", "", "column accesses per row opened", per_activate},
};
const struct stat_table dram_stat_table = STAT_TABLE("dram", dram_defs, dram_derived);

static uint32_t max32(uint32_t a, uint32_t b) { return a > b ? a : b; }

static cycle_t later(cycle_t a, cycle_t b) { return a > b ? a : b; }
static cycle_t sooner(cycle_t a, cycle_t b) { return a < b ? a : b; }

void dram_init(struct dram *d, const struct machine *m, const struct addrmap *map,
	       cycle_t path_cycles, struct arena *a)
{
	uint32_t bl = max32(1, (m->dram_burst + m->dram_rate - 1) / m->dram_rate);
	/* clang-format off */
	*d = (struct dram){
		.next = CYCLE_NEVER, .power_down = m->power_dram_idle ? m->power_dram_idle : CYCLE_NEVER, .map = map, .sched = m->dram_sched, .nbanks = m->dram_banks, .ngroups = m->dram_groups,
		.bl = bl, .burst_bytes = m->dram_bus * m->dram_burst,
		.rcd = m->tRCD, .rp = m->tRP, .ras = m->tRAS, .rc = max32(m->tRC, m->tRAS + m->tRP), .rrd = m->tRRD,
		.ccd = max32(m->tCCD, bl), .cl = m->tCL, .wl = m->tWL, .wr = m->tWR, .wtr = m->tWTR, .rtp = m->tRTP,
		.tfaw = m->tFAW, .refi = m->tREFI, .rfc = m->tRFC, .refresh_due = m->tREFI, .refresh_step = m->tREFI, .refresh_bank = DRAM_NONE,
		/* the bus rests two cycles between the last data read and the first written */
		.rtw = m->tCL + bl + 2 > m->tWL ? m->tCL + bl + 2 - m->tWL : 1,
		.cap = {m->dram_queue, m->dram_wqueue}, .separate = m->dram_wqueue > 0,
		.high = m->dram_whigh < m->dram_wqueue ? m->dram_whigh : m->dram_wqueue,
	};
	/* clang-format on */
	d->ccdl = m->dram_groups > 1 ? max32(m->tCCDL, d->ccd) : d->ccd;
	if (!(d->burst_bytes & (d->burst_bytes - 1)))
		d->burst_bits = (uint8_t)__builtin_ctz(d->burst_bytes);
	d->low = m->dram_wlow < d->high ? m->dram_wlow : d->high ? d->high - 1 : 0;
	uint32_t n = d->cap[0] + d->cap[1];
	d->req = ARENA_ARRAY(a, struct dram_req, n);
	for (uint32_t i = 0; i < n; i++)
		d->req[i].next = i + 1 < n ? i + 1 : DRAM_NONE;
	d->bank = ARENA_ARRAY(a, struct dram_bank, d->nbanks);
	bool high = m->dram_group_by == GROUP_BY_HIGH;
	for (uint32_t i = 0; i < d->nbanks; i++) {
		struct dram_list none = {DRAM_NONE, DRAM_NONE};
		uint32_t group = high ? i / (m->dram_banks / m->dram_groups) : i % m->dram_groups;
		d->bank[i] = (struct dram_bank){.group = (uint16_t)group, .list = {none, none}};
	}
	/* The path's capacity is the number of requests that the channel serves within the path's latency. */
	ring_new(&d->path, a, (uint32_t)(path_cycles / d->ccd) + 4);
	ring_new(&d->done, a, d->cap[0] + (d->cl + d->bl) / d->ccd + 2);
	if (m->dram_refresh == REFRESH_BANK && m->tREFI) {
		d->refresh_step = m->tREFI / d->nbanks ? m->tREFI / d->nbanks : 1;
		d->refresh_due = d->refresh_step;
		d->refresh_bank = 0;
	}
}

static bool queue_full(const struct dram *d, bool write)
{
	unsigned q = d->separate && write;
	return d->queued[q] >= d->cap[q];
}

void dram_push(struct dram *d, cycle_t ready, uint64_t local, uint32_t bytes, bool write,
	       uint32_t token)
{
	*ring_push(&d->path) = (struct dram_arrival){ready, local, token, (uint16_t)bytes, write};
	/* a request refused by a full queue is offered again when another leaves it */
	if (ring_count(&d->path) == 1 && ready < d->next && !queue_full(d, write))
		d->next = ready;
}

/* ---- the queue ---- */

static uint16_t bursts_of(const struct dram *d, uint64_t local, uint32_t bytes)
{
	if (d->burst_bits)
		return (uint16_t)(((local + bytes - 1) >> d->burst_bits) -
				  (local >> d->burst_bits) + 1);
	uint32_t off = (uint32_t)(local % d->burst_bytes);
	return (uint16_t)((off + bytes + d->burst_bytes - 1) / d->burst_bytes);
}

static void enqueue_request(struct dram *d, const struct dram_arrival *a, cycle_t now)
{
	struct dram_place at = addrmap_dram(d->map, a->local);
	struct dram_bank *b = &d->bank[at.bank];
	uint8_t q = d->separate && a->write;
	struct dram_list *l = &b->list[q];
	uint32_t i = d->free;
	d->free = d->req[i].next;
	/* clang-format off */
	d->req[i] = (struct dram_req){
		.age = d->age++, .arrived = now, .row = at.row, .token = a->token, .next = DRAM_NONE,
		.bank = (uint16_t)at.bank, .write = a->write, .queue = q,
		.bursts = bursts_of(d, a->local, a->bytes),
	};
	/* clang-format on */
	if (l->first == DRAM_NONE)
		l->first = i;
	else
		d->req[l->last].next = i;
	l->last = i;
	if (d->sched->arrived(d, i))
		d->picked = false;
	d->busy[q] |= 1ull << at.bank;
	d->queued[q]++;
	uint64_t *peak = q ? d->stats.write_peak : d->stats.queue_peak;
	if (d->queued[q] > *peak)
		*peak = d->queued[q];
}

static void dequeue_request(struct dram *d, uint32_t i)
{
	struct dram_req *r = &d->req[i];
	struct dram_bank *b = &d->bank[r->bank];
	struct dram_list *l = &b->list[r->queue];
	uint32_t *link = &l->first, before = DRAM_NONE;
	while (*link != i) {
		before = *link;
		link = &d->req[before].next;
	}
	*link = r->next;
	if (l->last == i)
		l->last = before;
	if (l->first == DRAM_NONE)
		d->busy[r->queue] &= ~(1ull << r->bank);
	d->queued[r->queue]--;
	r->next = d->free;
	d->free = i;
}

static bool path_moves(const struct dram *d, cycle_t now)
{
	if (ring_empty(&d->path))
		return false;
	const struct dram_arrival *a = ring_front(&d->path);
	return a->ready <= now && !queue_full(d, a->write);
}

/* ---- commands ---- */

/* Each timing limit is one number that only grows, because the later of two commands of a kind sets
 * the later limit. So the channel keeps no history of commands. */
static cycle_t column_base(const struct dram *d, unsigned group, bool write)
{
	return later(later(d->cmd_ok, d->col_ok[write]), d->group_ok[group]);
}

static cycle_t activate_base(const struct dram *d)
{
	return later(later(d->cmd_ok, d->act_ok), d->faw_ok[d->faw_at & 3]);
}

static void column_bases(const struct dram *d, bool write, cycle_t *base)
{
	cycle_t t = later(d->cmd_ok, d->col_ok[write]);
	for (unsigned g = 0; g < d->ngroups; g++)
		base[g] = later(t, d->group_ok[g]);
}

void dram_bases(const struct dram *d, unsigned queue, cycle_t base[DRAM_BASES])
{
	base[DRAM_BASE_ACT] = activate_base(d);
	base[DRAM_BASE_PRE] = d->cmd_ok;
	if (queue == 0)
		column_bases(d, false, base + DRAM_BASE_READ);
	if (queue == 1 || !d->separate)
		column_bases(d, true, base + DRAM_BASE_WRITE);
}

struct dram_cmd dram_command(const struct dram *d, uint32_t req)
{
	const struct dram_req *r = &d->req[req];
	struct dram_cand c = dram_candidate(d, req);
	enum dram_op op = dram_op_of(c.base);
	cycle_t base = op == DRAM_ACT   ? activate_base(d)
		       : op == DRAM_PRE ? d->cmd_ok
					: column_base(d, d->bank[r->bank].group, r->write);
	return (struct dram_cmd){later(c.ready, base), req, op};
}

static void count_row_state(struct dram *d, struct dram_req *r, enum dram_op op)
{
	if (r->started)
		return;
	r->started = true;
	if (op == DRAM_COL)
		STAT(&d->stats, row_hits)++;
	else if (op == DRAM_PRE)
		STAT(&d->stats, row_conflicts)++;
	else
		STAT(&d->stats, row_misses)++;
}

void dram_count_until(struct dram *d, cycle_t now)
{
	if (now <= d->counted)
		return;
	cycle_t n = now - d->counted, down = 0;
	if (!d->nopen && d->power_down != CYCLE_NEVER) {
		cycle_t from = later(d->none_since + d->power_down, d->counted);
		down = now > from ? now - from : 0;
	}
	STAT(&d->stats, cycles) += n;
	*(d->nopen ? d->stats.open_cycles : d->stats.closed_cycles) += n - down;
	STAT(&d->stats, idle_cycles) += down;
	d->counted = now;
}

uint64_t dram_rest(const struct dram *d, cycle_t now, enum dram_state *state)
{
	*state = d->nopen ? DRAM_OPEN : DRAM_CLOSED;
	if (d->nopen || d->power_down == CYCLE_NEVER)
		return d->steps + 1;
	bool idle = now > d->none_since + d->power_down;
	*state = DRAM_IDLE;
	return idle ? d->steps + 1 : 0;
}

/* Sets the number of open rows. Cycles are counted only when the channel's state changes: one row more or
 * less rarely changes it. */
static inline void rows_open(struct dram *d, cycle_t now, uint32_t n)
{
	if (!d->nopen || !n)
		dram_count_until(d, now);
	if (d->nopen && !n)
		d->none_since = now;
	d->nopen = n;
}

static void open_row(struct dram *d, struct dram_bank *b, uint32_t row, cycle_t t)
{
	rows_open(d, t, d->nopen + 1);
	b->open = true;
	b->row = row;
	b->col_ok = t + d->rcd;
	b->pre_ok = t + d->ras;
	b->act_ok = t + d->rc;
	d->act_ok = t + d->rrd;
	d->faw_ok[d->faw_at++ & 3] = t + d->tfaw;
	STAT(&d->stats, activates)++;
}

static void close_row(struct dram *d, struct dram_bank *b, cycle_t t)
{
	rows_open(d, t, d->nopen - 1);
	b->open = false;
	b->act_ok = later(b->act_ok, t + d->rp);
	STAT(&d->stats, precharges)++;
}

/* The first cycle for a column access whose data reach the bus, busy until `end`, `after` cycles
 * later. */
static cycle_t bus_free(cycle_t end, uint32_t after) { return end > after ? end - after : 0; }

static void access_column(struct dram *d, struct dram_bank *b, uint32_t req, cycle_t t)
{
	struct dram_req *r = &d->req[req];
	cycle_t data = t + (r->write ? d->wl : d->cl), end = data + d->bl, next = t + d->ccd;
	if (d->any_col && d->last_was_write != r->write)
		STAT(&d->stats, turns)++;
	d->any_col = true;
	d->last_was_write = r->write;
	d->group_ok[b->group] = t + d->ccdl;
	cycle_t read = later(later(d->col_ok[0], next), bus_free(end, d->cl));
	cycle_t write = later(later(d->col_ok[1], next), bus_free(end, d->wl));
	STAT(&d->stats, bus_cycles) += d->bl;
	if (r->write) {
		read = later(read, end + d->wtr);
		b->pre_ok = later(b->pre_ok, end + d->wr);
		STAT(&d->stats, write_bursts)++;
	} else {
		write = later(write, t + d->rtw);
		b->pre_ok = later(b->pre_ok, t + d->rtp);
		STAT(&d->stats, read_bursts)++;
	}
	d->col_ok[0] = read;
	d->col_ok[1] = write;
	if (--r->bursts)
		return;
	STAT(&d->stats, queue_cycles) += t - r->arrived;
	if (r->write) {
		STAT(&d->stats, writes)++;
	} else {
		STAT(&d->stats, reads)++;
		*ring_push(&d->done) = (struct dram_done){end, r->token};
	}
	dequeue_request(d, req);
}

static void issue_command(struct dram *d, const struct dram_cmd *c, cycle_t now)
{
	struct dram_req *r = &d->req[c->req];
	struct dram_bank *b = &d->bank[r->bank];
	count_row_state(d, r, c->op);
	d->cmd_ok = now + 1;
	d->picked = false;
	d->stale[0] |= 1ull << r->bank;
	d->stale[1] |= 1ull << r->bank;
	if (c->op == DRAM_ACT)
		open_row(d, b, r->row, now);
	else if (c->op == DRAM_PRE)
		close_row(d, b, now);
	else
		access_column(d, b, c->req, now);
}

/* Refreshes all banks: closes all rows and occupies the banks. Of `n` refreshes that fell due while the
 * channel was idle, only the last can still have an effect. */
static void refresh_all(struct dram *d, uint64_t n, cycle_t now)
{
	bool idle = !d->queued[0] && !d->queued[1];
	cycle_t start = n > 1 || idle ? d->refresh_due + (n - 1) * d->refresh_step : now;
	bool open = false;
	for (uint32_t i = 0; i < d->nbanks; i++) {
		if (d->bank[i].open) {
			open = true;
			start = later(start, d->bank[i].pre_ok);
		}
	}
	for (uint32_t i = 0; i < d->nbanks; i++) {
		struct dram_bank *b = &d->bank[i];
		b->open = false;
		b->act_ok = later(b->act_ok, start + (open ? d->rp : 0) + d->rfc);
	}
	rows_open(d, now, 0);
}

/* again: an earlier refresh, which is not made up for, has closed the row already. */
static void refresh_one(struct dram *d, struct dram_bank *b, cycle_t due, bool again, cycle_t now)
{
	cycle_t start = due;
	if (b->open) {
		if (!again)
			start = later(start, b->pre_ok) + d->rp;
		b->open = false;
		rows_open(d, now, d->nopen - 1);
	}
	b->act_ok = later(b->act_ok, start + d->rfc);
}

/* dram.refresh = bank: refreshes n banks, one after the other. Only the last refresh of each bank can
 * still have an effect. */
static void refresh_banks(struct dram *d, uint64_t n, cycle_t now)
{
	uint64_t first = n > d->nbanks ? n - d->nbanks : 0;
	for (uint64_t k = first; k < n; k++)
		refresh_one(d, &d->bank[(d->refresh_bank + k) % d->nbanks],
			    d->refresh_due + k * d->refresh_step, k >= d->nbanks, now);
	d->refresh_bank = (uint32_t)((d->refresh_bank + n) % d->nbanks);
}

/* Performs the refreshes that are due, including any that fell due while the channel was idle. */
static void refresh_due_banks(struct dram *d, cycle_t now)
{
	uint64_t n = (now - d->refresh_due) / d->refresh_step + 1;
	if (d->refresh_bank == DRAM_NONE)
		refresh_all(d, n, now);
	else
		refresh_banks(d, n, now);
	d->refresh_due += n * d->refresh_step;
	d->picked = false;
	d->stale[0] = d->stale[1] = UINT64_MAX;
	STAT(&d->stats, refreshes) += n;
}

/* The queue to serve. Reads go first; writes go when many are queued, or no read is. */
static unsigned choose_queue(struct dram *d)
{
	if (!d->separate)
		return 0;
	if (d->writing)
		d->writing = d->queued[1] > d->low;
	else
		d->writing = d->queued[1] >= d->high;
	return !d->queued[0] || (d->writing && d->queued[1]);
}

bool dram_step(struct dram *d, cycle_t now)
{
	bool moved = false;
	d->steps++;
	d->cmd_ok = later(d->cmd_ok, now);
	if (d->refi && now >= d->refresh_due)
		refresh_due_banks(d, now);
	while (path_moves(d, now)) {
		enqueue_request(d, ring_front(&d->path), now);
		ring_pop(&d->path);
		moved = true;
	}
	d->next = CYCLE_NEVER;
	if (d->queued[0] || d->queued[1]) {
		for (int i = 0; i < 2; i++) {
			uint8_t queue = (uint8_t)choose_queue(d);
			if (!d->picked || queue != d->pick_queue) {
				d->pick = d->sched->pick(d, queue);
				d->pick_queue = queue;
				d->picked = true;
			}
			if (d->pick.time > now)
				break;
			issue_command(d, &d->pick, now);
			if (!d->queued[0] && !d->queued[1])
				break;
		}
		if (d->picked)
			d->next = d->pick.time;
		if (d->refi && (d->queued[0] || d->queued[1]))
			d->next = sooner(d->next, later(d->refresh_due, now + 1));
	}
	if (!ring_empty(&d->path)) {
		const struct dram_arrival *a = ring_front(&d->path);
		if (!queue_full(d, a->write))
			d->next = sooner(d->next, later(a->ready, now + 1));
	}
	return moved;
}

bool dram_idle(const struct dram *d)
{
	return !d->queued[0] && !d->queued[1] && ring_empty(&d->path) && ring_empty(&d->done);
}
