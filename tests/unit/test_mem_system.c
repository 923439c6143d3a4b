/* The memory system as a whole: nothing lost or duplicated with any queue sizes, the same results
 * for any number of threads and window length, latencies in closed form, bandwidth limits. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "conf/machine.h"
#include "mem/memsys.h"
#include "stat/stat.h"

static uint64_t rng_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* ---- a driver: SMs that send requests from a generator ---- */

struct traffic {
	uint64_t seed;
	unsigned sms, count;    /* requests of each SM */
	unsigned percent;       /* chance of a request in a cycle */
	unsigned write, atomic; /* percent */
	uint64_t span;          /* addresses: [0, span), or a stream of lines if 0 */
	uint32_t line;
	unsigned threads;
	cycle_t window; /* 0: the longest */
	bool chase;     /* one request at a time */
};

struct outcome {
	cycle_t end;
	uint64_t hash;    /* of all replies: SM, id, time */
	uint64_t latency; /* of the last reply of SM 0 */
	double seconds;
	uint64_t requests;
};

struct sm {
	uint64_t rng;
	unsigned sent, got;
	bool *seen;
	struct msg next;
	bool has_next;
	cycle_t *sent_at;
	uint64_t hash;
};

static void make_request(const struct traffic *t, unsigned sm, struct sm *s)
{
	uint64_t r = rng_next(&s->rng);
	struct msg *m = &s->next;
	*m = (struct msg){.id = s->sent, .bytes = (uint16_t)t->line, .full = true};
	uint64_t line = t->span ? r % (t->span / t->line) : (uint64_t)s->sent * t->sms + sm;
	m->addr = line * t->line;
	unsigned k = (unsigned)(rng_next(&s->rng) % 100);
	m->kind = k < t->write ? MSG_WRITE : k < t->write + t->atomic ? MSG_ATOMIC : MSG_READ;
	m->pieces = t->line / MSG_PIECE >= 32 ? UINT32_MAX : (1u << t->line / MSG_PIECE) - 1;
	if (t->span && m->kind != MSG_READ) { /* part of a line */
		m->pieces &= (uint32_t)rng_next(&s->rng);
		m->full = rng_next(&s->rng) & 1;
		if (!m->pieces)
			m->pieces = 1;
		m->bytes = (uint16_t)(__builtin_popcount(m->pieces) * MSG_PIECE);
	}
	s->has_next = true;
}

static void run_sm(const struct traffic *t, unsigned i, struct sm *s, struct port *p, cycle_t from,
		   cycle_t to, struct outcome *o)
{
	for (cycle_t now = from; now < to; now++) {
		for (const struct msg *m; (m = port_peek(p, now)); port_pop(p)) {
			assert_true(m->id < t->count && !s->seen[m->id]);
			assert_int_equal(m->sm, i);
			s->seen[m->id] = true;
			s->got++;
			s->hash = (s->hash ^ m->id) * 0x100000001b3ull;
			s->hash = (s->hash ^ m->time) * 0x100000001b3ull;
			o->latency = now - s->sent_at[m->id];
		}
		if (!s->has_next && s->sent < t->count && (!t->chase || s->sent == s->got) &&
		    (t->percent == 100 || rng_next(&s->rng) % 100 < t->percent))
			make_request(t, i, s);
		while (s->has_next && port_ready(p, now, &s->next)) {
			s->sent_at[s->sent] = now;
			port_send(p, now, &s->next);
			s->sent++;
			s->has_next = false;
			if (t->percent == 100 && s->sent < t->count && !t->chase)
				make_request(t, i, s);
		}
	}
}

struct worker {
	struct memsys *m;
	pthread_barrier_t *go, *done;
	unsigned index, threads;
	cycle_t *to;
	bool *stop;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	for (;;) {
		pthread_barrier_wait(w->go);
		if (*w->stop)
			return NULL;
		for (unsigned p = w->index; p < memsys_parts(w->m); p += w->threads)
			memsys_part(w->m, p, *w->to);
		pthread_barrier_wait(w->done);
	}
}

static struct outcome drive(struct memsys *m, const struct traffic *t)
{
	struct outcome o = {.hash = 14695981039346656037ull};
	struct sm *sm = calloc(t->sms, sizeof *sm);
	pthread_barrier_t go, done;
	bool stop = false, beside = memsys_beside(m);
	cycle_t to = 0;
	struct worker w[8];
	pthread_t id[8];
	unsigned threads = t->threads ? t->threads : 1;
	memsys_share(m, threads);
	pthread_barrier_init(&go, NULL, threads);
	pthread_barrier_init(&done, NULL, threads);
	for (unsigned i = 1; i < threads; i++) {
		w[i] = (struct worker){m, &go, &done, i, threads, &to, &stop};
		pthread_create(&id[i], NULL, work, &w[i]);
	}
	for (unsigned i = 0; i < t->sms; i++) {
		sm[i].rng = t->seed * 0x9e3779b97f4a7c15ull + i + 1;
		sm[i].seen = calloc(t->count + 1, 1);
		sm[i].sent_at = calloc(t->count + 1, sizeof(cycle_t));
	}
	struct timespec a, b;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	cycle_t now = 0, width = t->window ? t->window : memsys_window_max(m);
	for (unsigned left = t->sms; left; now += width) {
		left = 0;
		to = now + width;
		if (beside && threads > 1)
			pthread_barrier_wait(&go);
		for (unsigned i = 0; i < t->sms; i++) {
			memsys_deliver(m, i);
			run_sm(t, i, &sm[i], memsys_port(m, i), now, now + width, &o);
			left += sm[i].got < t->count;
		}
		if (!beside)
			memsys_requests(m, now, to);
		if (!beside && threads > 1)
			pthread_barrier_wait(&go);
		for (unsigned p = 0; p < memsys_parts(m); p += threads)
			memsys_part(m, p, to);
		if (threads > 1)
			pthread_barrier_wait(&done);
		if (beside)
			memsys_requests(m, now, to);
		memsys_replies(m, now, to);
		assert_true(now < 400000000); /* no progress */
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	o.seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
	stop = true;
	if (threads > 1)
		pthread_barrier_wait(&go);
	for (unsigned i = 1; i < threads; i++)
		pthread_join(id[i], NULL);
	o.end = memsys_drain(m, now);
	for (unsigned i = 0; i < t->sms; i++) {
		o.requests += sm[i].sent;
		o.hash = (o.hash ^ sm[i].hash) * 0x100000001b3ull;
		assert_int_equal(sm[i].sent, t->count);
		free(sm[i].seen);
		free(sm[i].sent_at);
	}
	free(sm);
	pthread_barrier_destroy(&go);
	pthread_barrier_destroy(&done);
	return o;
}

static void check_empty(struct memsys *m)
{
	static struct diag d;
	bool ok = memsys_check(m, &d);
	if (!ok)
		diag_print(&d, stderr);
	assert_true(ok);
}

static struct machine *machine_with(const char *const *set)
{
	static struct diag d;
	struct machine *m = machine_read(NULL, set, &d);
	if (!m)
		diag_print(&d, stderr);
	assert_non_null(m);
	return m;
}

static struct memsys *memsys_with(const struct machine *m)
{
	static struct diag d;
	struct memsys *s = memsys_new(m, &d);
	if (!s)
		diag_print(&d, stderr);
	assert_non_null(s);
	return s;
}

static struct outcome run(const char *const *set, struct traffic t)
{
	struct machine *m = machine_with(set);
	struct memsys *s = memsys_with(m);
	t.sms = t.sms ? t.sms : m->sms;
	struct outcome o = drive(s, &t);
	check_empty(s);
	if (getenv("HEDDLE_TEST_STATS")) {
		struct stat_report *r = stat_report_new();
		memsys_report(s, r);
		stat_report_total(r);
		stat_print_text(r, stderr, 0);
		stat_report_free(r);
	}
	memsys_free(s);
	machine_free(m);
	return o;
}

/* ---- tests ---- */

static const char *const nets[] = {"icnt.kind=crossbar", "icnt.kind=mesh", "icnt.kind=ideal",
				   "icnt.kind=islip", "icnt.kind=input-queued"};
enum { NETS = sizeof nets / sizeof *nets };

static void nothing_lost_in_random_traffic(void **state)
{
	(void)state;
	static const char *const l2[] = {"l2.kind=wb", "l2.kind=off", "l2.kind=wt", "l2.sector=32"};
	for (unsigned n = 0; n < NETS; n++)
		for (unsigned k = 0; k < 4; k++)
			for (unsigned sched = 0; sched < 2; sched++) {
				const char *set[] = {
					nets[n],
					l2[k],
					sched ? "dram.scheduler=fcfs" : "dram.scheduler=fr-fcfs",
					"gpu.sms=5",
					"mem.slices=2",
					"dram.tREFI=900",
					"dram.tRFC=60",
					n & 1 ? "mem.fetch_sectors=yes" : "mem.fetch_sectors=no",
					NULL};
				run(set, (struct traffic){.seed = n * 8 + k * 2 + sched + 1,
							  .count = 1500,
							  .percent = 40,
							  .write = 30,
							  .atomic = 10,
							  .span = 1 << 20,
							  .line = 128});
			}
}

static void nothing_lost_with_tiny_queues(void **state)
{
	(void)state;
	for (unsigned n = 0; n < NETS; n++)
		for (unsigned k = 0; k < 6; k++) {
			const char *set[] = {nets[n],
					     "gpu.sms=7",
					     "mem.partitions=3",
					     "mem.queue=1",
					     "mem.rop_latency=0",
					     "l2.mshrs=1",
					     k & 1 ? "l2.mshr_merge=1" : "l2.mshr_merge=3",
					     "l2.miss_queue=1",
					     "l2.sets=2",
					     "l2.ways=1",
					     "dram.queue=1",
					     "dram.write_queue=1",
					     "icnt.buffer_flits=5",
					     "icnt.outstanding=3",
					     "mem.dram_latency=0",
					     k & 2 ? "l2.sector=32" : "l2.sector=0",
					     k & 1 ? "mem.fetch_sectors=yes"
						   : "mem.fetch_sectors=no",
					     k == 4 ? "l2.kind=off" : "l2.kind=wb",
					     k == 5 ? "gpu.l2_mhz=97.5" : "gpu.l2_mhz=700",
					     NULL};
			run(set, (struct traffic){.seed = 99 + n * 8 + k,
						  .count = 400,
						  .percent = 100,
						  .write = 40,
						  .atomic = 10,
						  .span = 1 << 14,
						  .line = 128});
		}
}

/* A read without a header takes a flit and a credit like others: buffers do not overflow. */
static void packets_without_header(void **state)
{
	(void)state;
	for (unsigned n = 0; n < NETS; n++) {
		const char *set[] = {nets[n],
				     "gpu.sms=9",
				     "mem.partitions=2",
				     "icnt.header_bytes=0",
				     "icnt.buffer_flits=4",
				     "mem.queue=1",
				     NULL};
		run(set, (struct traffic){.seed = n + 1,
					  .count = 400,
					  .percent = 100,
					  .write = 10,
					  .span = 1 << 16,
					  .line = 128});
	}
}

static void same_for_any_threads(void **state)
{
	(void)state;
	for (unsigned n = 0; n < NETS; n++) {
		/* clang-format off */
		const char *set[] = {nets[n], "mem.slices=2", "mem.address_map=xor",
		                     "gpu.dram_mhz=923.7", NULL};
		struct traffic t = {.seed = 5, .count = 1500, .percent = 60, .write = 30, .atomic = 5, .span = 1 << 22, .line = 128};
		/* clang-format on */
		struct outcome one = run(set, t);
		t.threads = 2;
		struct outcome two = run(set, t);
		t.threads = 3;
		struct outcome three = run(set, t);
		assert_true(one.hash == two.hash && one.hash == three.hash);
	}
}

static void same_for_any_window(void **state)
{
	(void)state;
	for (unsigned n = 0; n < NETS; n++) {
		const char *set[] = {nets[n], NULL};
		/* clang-format off */
		struct traffic t = {.seed = 5, .count = 800, .percent = 50, .write = 30, .span = 1 << 22, .line = 128};
		/* clang-format on */
		struct outcome a = run(set, t);
		t.window = 1;
		struct outcome b = run(set, t);
		t.window = 7;
		struct outcome c = run(set, t);
		assert_true(a.hash == b.hash && a.hash == c.hash);
	}
}

static bool runs_beside(const char *const *set)
{
	struct machine *m = machine_with(set);
	struct memsys *s = memsys_with(m);
	bool yes = memsys_beside(s);
	memsys_free(s);
	machine_free(m);
	return yes;
}

/* Partitions that run beside the SMs, before they know what those send, find the same as those that
 * run after them. The path before the cache is short and most of the time full, so that requests
 * wait for room in it. A long mem.atomic_interval, without any atomics, is what makes partitions
 * run after the SMs. */
static void same_beside_and_after(void **state)
{
	(void)state;
	for (unsigned n = 0; n < NETS; n++)
		for (unsigned k = 0; k < 4; k++) {
			/* clang-format off */
			const char *set[] = {
				nets[n], "mem.atomic_interval=1", "mem.rop_latency=25", "mem.queue=1",
				"mem.partitions=2", k & 1 ? "l2.kind=off" : "l2.banks=4",
				k & 2 ? "gpu.l2_mhz=500" : "mem.slices=2", NULL};
			struct traffic t = {.seed = 7 + k, .count = 600, .percent = 100, .write = 30,
			                    .span = 1 << 18, .line = 128};
			/* clang-format on */
			assert_true(runs_beside(set));
			struct outcome beside = run(set, t);
			t.threads = 2;
			struct outcome two = run(set, t);
			t.threads = 0;
			t.window = 1;
			struct outcome cycles = run(set, t);
			t.window = 0;
			set[1] = "mem.atomic_interval=1000";
			assert_false(runs_beside(set));
			struct outcome after = run(set, t);
			assert_true(beside.hash == after.hash && beside.hash == two.hash);
			assert_true(beside.hash == cycles.hash);
		}
}

/* A chase of one SM: network (one flit, header only) + ROP + L2 + reply (header and 128 bytes in
 * flits of 32: five), all clocks equal. */
static void latency_of_a_hit(void **state)
{
	(void)state;
	const char *set[] = {"gpu.sms=1", "gpu.dram_mhz=700", NULL};
	struct outcome o = run(set, (struct traffic){.seed = 1,
						     .count = 100,
						     .percent = 100,
						     .span = 128,
						     .line = 128,
						     .chase = true});
	assert_int_equal(o.latency, 8 + 1 + 120 + 20 + 5 + 8);
	const char *ideal[] = {"gpu.sms=1", "gpu.dram_mhz=700", "icnt.kind=ideal", NULL};
	o = run(ideal, (struct traffic){.seed = 1,
					.count = 100,
					.percent = 100,
					.span = 128,
					.line = 128,
					.chase = true});
	assert_int_equal(o.latency, 8 + 120 + 20 + 8);
}

/* A miss in a closed bank: the path to DRAM, tRCD, the second of two column accesses (same group:
 * tCCDL), tCL, its burst. */
static void latency_of_a_miss(void **state)
{
	(void)state;
	const char *set[] = {"gpu.sms=1", "gpu.dram_mhz=700", NULL};
	struct outcome o = run(
		set, (struct traffic){
			     .seed = 1, .count = 1, .percent = 100, .line = 128, .chase = true});
	assert_int_equal(o.latency, 8 + 1 + 120 + 100 + 12 + 3 + 12 + 2 + 5 + 8);
}

static void perfect_memory_answers_at_once(void **state)
{
	(void)state;
	const char *set[] = {"gpu.sms=2", "gpu.perfect_memory=yes", NULL};
	struct outcome o = run(set, (struct traffic){.seed = 1,
						     .count = 100,
						     .percent = 100,
						     .span = 1 << 20,
						     .line = 128,
						     .chase = true});
	assert_true(o.latency <= 1);
}

/* Streaming reads reach at least 85 % of what the data bus (or, where it is slower, the reply
 * ports) can carry, and never more than it. */
static void bandwidth_of_a_stream(void **state)
{
	(void)state;
	static const char *const set[] = {"mem.slices=2", "icnt.outstanding=128", NULL};
	struct outcome o =
		run(set, (struct traffic){.seed = 1, .count = 4000, .percent = 100, .line = 128});
	double bytes = (double)o.requests * 128, peak = 6 * 8 * 4 * 924e6;
	double rate = bytes / ((double)o.end / 700e6);
	print_message("stream: %.1f of %.1f GB/s, %.0f ns a request\n", rate / 1e9, peak / 1e9,
		      1e9 * o.seconds / (double)o.requests);
	assert_true(rate < peak);
	assert_true(rate > 0.85 * peak);
}

static void bandwidth_of_random_accesses(void **state)
{
	(void)state;
	static const char *const set[] = {"mem.slices=2", "icnt.outstanding=128", NULL};
	struct outcome o = run(
		set,
		(struct traffic){
			.seed = 1, .count = 4000, .percent = 100, .span = 1ull << 30, .line = 128});
	double bytes = (double)o.requests * 128, peak = 6 * 8 * 4 * 924e6;
	double rate = bytes / ((double)o.end / 700e6);
	/* Every access opens a row: no more than one in tRRD cycles. */
	double bound = 6 * 128 * 924e6 / 6;
	print_message("random: %.1f of %.1f GB/s (activates: %.1f), %.0f ns a request\n",
		      rate / 1e9, peak / 1e9, bound / 1e9, 1e9 * o.seconds / (double)o.requests);
	assert_true(rate <= bound * 1.01);
	assert_true(rate > 0.6 * bound);
}

/* Replies of one slice, or to one SM, leave one flit in a cycle: five cycles for each line. */
static void crossbar_saturates(void **state)
{
	(void)state;
	const char *one_slice[] = {"mem.partitions=1", "gpu.sms=8", NULL};
	struct traffic t = {
		.seed = 3, .count = 2000, .percent = 100, .span = 128 * 64, .line = 128};
	double cycles = (double)run(one_slice, t).end;
	assert_true(cycles > 8 * 2000 * 5.0 && cycles < 8 * 2000 * 5.0 * 1.03 + 500);
	const char *one_sm[] = {"mem.partitions=8", "gpu.sms=1", NULL};
	t.count = 8000;
	cycles = (double)run(one_sm, t).end;
	assert_true(cycles > 8000 * 5.0 && cycles < 8000 * 5.0 * 1.05 + 500);
	/* writes: five flits of request, one of acknowledgement, limited by the SM's injection */
	t.write = 100;
	t.span = 0;
	const char *big[] = {"mem.partitions=8", "gpu.sms=1", "icnt.buffer_flits=64", NULL};
	cycles = (double)run(big, t).end;
	assert_true(cycles > 8000 * 5.0 && cycles < 8000 * 5.0 * 1.05 + 500);
}

struct sending {
	unsigned sm;
	cycle_t when;
	uint64_t addr;
};

/* Requests for whole lines, and when each is answered. */
static void send_lines(const char *const *set, enum msg_kind kind, const struct sending *what,
		       unsigned n, cycle_t from, cycle_t *at)
{
	struct machine *m = machine_with(set);
	struct memsys *s = memsys_with(m);
	unsigned got = 0;
	cycle_t w = memsys_window_max(s);
	for (cycle_t round = 0, now = 0; round <= from;
	     round += from ? from : 1, got = 0) { /* the second time lines hit */
		for (unsigned i = 0; i < n; i++) {
			struct port *p = memsys_port(s, what[i].sm);
			/* clang-format off */
			struct msg q = {.kind = (uint8_t)kind, .addr = what[i].addr, .pieces = 0xf, .bytes = 128, .full = true, .id = i};
			/* clang-format on */
			assert_true(port_ready(p, round + what[i].when, &q));
			port_send(p, round + what[i].when, &q);
		}
		for (now = round; got < n; now += w) {
			memsys_window(s, now, now + w);
			for (unsigned sm = 0; sm < 2; sm++)
				for (struct port *p = memsys_port(s, sm);
				     port_next(p) != CYCLE_NEVER; got++) {
					at[port_peek(p, CYCLE_NEVER)->id] = port_next(p) - round;
					port_pop(p);
				}
		}
		assert_true(!from || now <= from || round);
	}
	check_empty(s);
	memsys_free(s);
	machine_free(m);
}

/* Two SMs write a line each, of five flits, to slice 0 in cycle 0, and SM 1 another one to slice 1
 * in cycle 5. The first of them is through after cycle 4. Then input 1 has packets for both slices:
 * with a queue for each pair they go together, but iSLIP matches an input once, so that its second
 * one goes in cycle 10. With one queue for the input, and two steps of the router in a cycle: SM 0's
 * packet is chosen in step 0, its last flit comes in cycle 4 and leaves in step 8; SM 1's first one is
 * chosen in step 9 and gone after step 14, its second one in step 15, cycle 7: its flits are over the
 * link from cycle 8 to 12. */
static void inputs_wait_by_kind_of_network(void **state)
{
	(void)state;
	static const struct sending write[3] = {{0, 0, 0}, {1, 0, 128}, {1, 5, 256}};
	static const char *const kind[3] = {"icnt.kind=crossbar", "icnt.kind=islip",
					    "icnt.kind=input-queued"};
	cycle_t at[3][3];
	for (unsigned k = 0; k < 3; k++) {
		const char *set[] = {kind[k],     "icnt.speedup=2",   "mem.partitions=2",
				     "gpu.sms=2", "gpu.dram_mhz=700", NULL};
		send_lines(set, MSG_WRITE, write, 3, 0, at[k]);
		/* request, its flits, ROP, L2, one flit of acknowledgement */
		assert_int_equal(at[k][0], 8 + 5 + 120 + 20 + 1 + 8);
		assert_int_equal(at[k][1], 5 + at[k][0]);
	}
	/* both acknowledgements come at once: one waits at the SM's port */
	assert_int_equal(at[0][2], 5 + at[0][0] + 1);
	assert_int_equal(at[1][2], 10 + at[1][0]);
	assert_int_equal(at[2][2], 8 + at[2][0]);
}

/* SM 0 reads two lines that are in slices 0 and 1, in cycles 0 and 1; replies have four flits of 40 bytes. As one
 * packet each, the first is there when its flits are, the second four cycles later. As packets of a sector they take
 * turns at the SM's link from the second cycle on: the first reply's last sector is the seventh of eight. */
static void replies_of_sectors_take_turns(void **state)
{
	(void)state;
	static const struct sending read[2] = {{0, 0, 0}, {0, 1, 256}};
	cycle_t at[2][2];
	for (unsigned k = 0; k < 2; k++) {
		/* clang-format off */
		const char *set[] = {"icnt.kind=input-queued", "icnt.speedup=2", "icnt.flit_bytes=40", "mem.partitions=2",
		                     "gpu.sms=2", "gpu.dram_mhz=700", k ? "mem.sector_requests=yes" : "mem.sector_requests=no", NULL};
		/* clang-format on */
		send_lines(set, MSG_READ, read, 2, 1600, at[k]);
	}
	assert_int_equal(at[0][0], 8 + 1 + 120 + 20 + 4 + 8);
	assert_int_equal(at[0][1], at[0][0] + 4);
	assert_int_equal(at[1][0], at[0][0] + 3);
	assert_int_equal(at[1][1], at[0][1]);
}

/* Eight SMs write lines to one slice, each request a flit: one a cycle. If each sector is looked up, and
 * acknowledged, by itself, one in four cycles. */
static void sectors_are_looked_up_one_by_one(void **state)
{
	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		const char *set[] = {"mem.partitions=1",
				     "gpu.sms=8",
				     "icnt.flit_bytes=256",
				     "gpu.icnt_mhz=700",
				     "gpu.l2_mhz=700",
				     "gpu.core_mhz=700",
				     k ? "mem.sector_requests=yes" : "mem.sector_requests=no",
				     NULL};
		double cycles = (double)run(set, (struct traffic){.seed = 3,
								  .count = 1000,
								  .percent = 100,
								  .write = 100,
								  .span = 128 * 16,
								  .line = 32})
					.end;
		assert_true(cycles > 8000 && cycles < 8000 * 1.05 + 500);
		cycles = (double)run(set, (struct traffic){.seed = 3,
							   .count = 1000,
							   .percent = 100,
							   .span = 128 * 64,
							   .line = 128})
				 .end;
		assert_true(cycles > (k ? 4 : 1) * 8000.0 &&
			    cycles < (k ? 4 : 1) * 8000.0 * 1.05 + 500);
	}
}

/* All of four SMs read lines of all of four slices: what is behind a reply that waits for its SM waits too. With
 * one step in a cycle choosing costs a cycle in six; two steps hide that. */
static void one_queue_for_each_input_costs(void **state)
{
	(void)state;
	double cycles[2];
	for (unsigned k = 0; k < 2; k++) {
		const char *set[] = {"icnt.kind=input-queued",
				     k ? "icnt.speedup=2" : "icnt.speedup=1",
				     "mem.partitions=4",
				     "gpu.sms=4",
				     "icnt.buffer_flits=64",
				     "l2.sets=64",
				     NULL};
		cycles[k] = (double)run(set, (struct traffic){.seed = 3,
							      .count = 2000,
							      .percent = 100,
							      .span = 128 * 64,
							      .line = 128})
				    .end;
	}
	assert_true(cycles[0] > 2000 * 6.0 * 1.1 && cycles[1] > 2000 * 5.0 &&
		    cycles[1] < cycles[0] / 1.2);
}

/* All of four SMs have lines for all of four slices all the time. The pointers move apart, and then
 * every output takes a flit in every cycle (section III of the paper): 5 flits for each of 4 x 2000
 * writes. */
static void islip_pointers_move_apart(void **state)
{
	(void)state;
	const char *set[] = {"icnt.kind=islip",      "mem.partitions=4", "gpu.sms=4",
			     "icnt.buffer_flits=64", "l2.sets=64",       NULL};
	double cycles = (double)run(set, (struct traffic){.seed = 3,
							  .count = 2000,
							  .percent = 100,
							  .write = 100,
							  .line = 128})
				.end;
	assert_true(cycles > 2000 * 5.0 && cycles < 2000 * 5.0 * 1.1 + 500);
}

/* Every SM to one slice: h links away, (h + 1) hops each way. */
static void mesh_latency_counts_hops(void **state)
{
	(void)state;
	const char *set[] = {"mem.partitions=1", "gpu.sms=15",         "icnt.kind=mesh",
			     "gpu.dram_mhz=700", "icnt.hop_latency=3", NULL};
	struct machine *m = machine_with(set);
	unsigned slice = 16 / 2; /* the middle of 16 nodes, 4 x 4 */
	for (unsigned sm = 0; sm < 15; sm++) {
		struct memsys *s = memsys_with(m);
		struct port *p = memsys_port(s, sm);
		unsigned node = sm < slice ? sm : sm + 1;
		int h = abs((int)(node % 4) - (int)(slice % 4)) +
			abs((int)(node / 4) - (int)(slice / 4));
		cycle_t now = 0, start = 0, w = memsys_window_max(s);
		for (int round = 0; round < 2; round++) { /* the second one hits */
			struct msg q = {.kind = MSG_READ, .pieces = 0xf, .bytes = 128};
			start = now;
			assert_true(port_ready(p, now, &q));
			port_send(p, now, &q);
			for (; port_next(p) == CYCLE_NEVER; now += w)
				memsys_window(s, now, now + w);
			now = port_next(p);
			port_pop(p);
		}
		assert_int_equal(now - start, 2 * 8 + 2 * 3 * (h + 1) + 1 + 120 + 20 + 5);
		check_empty(s);
		memsys_free(s);
	}
	machine_free(m);
}

/* Uniform traffic of hits: more links carry more, until the slices' exits are the limit. */
static void mesh_saturates_later_with_more_slices(void **state)
{
	(void)state;
	double cycles[3];
	static const char *const parts[] = {"mem.partitions=1", "mem.partitions=4",
					    "mem.partitions=8"};
	for (unsigned i = 0; i < 3; i++) {
		const char *set[] = {parts[i], "gpu.sms=8", "icnt.kind=mesh",
				     "icnt.buffer_flits=64", NULL};
		cycles[i] = (double)run(set, (struct traffic){.seed = 3,
							      .count = 2000,
							      .percent = 100,
							      .span = 128 * 64,
							      .line = 128})
				    .end;
	}
	assert_true(cycles[0] > 8 * 2000 * 5.0 && cycles[0] < 8 * 2000 * 5.0 * 1.05 + 500);
	assert_true(cycles[1] < 0.5 * cycles[0] && cycles[2] <= cycles[1]);
	assert_true(cycles[2] > 2000 * 5.0);
}

/* Any clock ratios: still exact, nothing lost. */
static void odd_clocks(void **state)
{
	(void)state;
	static const char *const clocks[][3] = {
		{"gpu.icnt_mhz=1401.3", "gpu.l2_mhz=333.3", "gpu.dram_mhz=2500"},
		{"gpu.icnt_mhz=350", "gpu.l2_mhz=1400", "gpu.dram_mhz=97"},
		{"gpu.icnt_mhz=700", "gpu.l2_mhz=700", "gpu.dram_mhz=700"},
	};
	for (unsigned n = 0; n < NETS; n++)
		for (unsigned i = 0; i < 3; i++) {
			const char *set[] = {nets[n],      clocks[i][0], clocks[i][1],
					     clocks[i][2], "gpu.sms=4",  "mem.slices=2",
					     NULL};
			run(set, (struct traffic){.seed = 11,
						  .count = 1000,
						  .percent = 70,
						  .write = 30,
						  .atomic = 10,
						  .span = 1 << 19,
						  .line = 128});
		}
}

/* Requests larger than an L2 line are looked up line by line and answered once. */
static void lines_of_different_sizes(void **state)
{
	(void)state;
	static const char *const lines[] = {"l2.line=32", "l2.line=64", "l2.line=256"};
	for (unsigned i = 0; i < 3; i++) {
		const char *set[] = {lines[i], "gpu.sms=3", i == 1 ? "l2.sector=32" : "l2.sector=0",
				     NULL};
		run(set, (struct traffic){.seed = 4,
					  .count = 1500,
					  .percent = 50,
					  .write = 30,
					  .atomic = 10,
					  .span = 1 << 18,
					  .line = 128});
	}
}

/* What does not fit is refused with a reason, not built. */
static void bad_options_are_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"mem.interleave=96",   "mem.interleave=64", "icnt.buffer_flits=3", "l2.line=96",
		"l2.allocate=on-fill", "l2.sector=16",      "dram.tREFI=100"};
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		static struct diag d;
		const char *set[] = {bad[i], NULL};
		struct machine *m = machine_read(NULL, set, &d);
		if (!m) { /* refused even earlier */
			assert_true(d.errors > 0);
			continue;
		}
		unsigned before = d.errors;
		assert_null(memsys_new(m, &d));
		assert_true(d.errors > before);
		machine_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latency_of_a_hit),
		cmocka_unit_test(latency_of_a_miss),
		cmocka_unit_test(perfect_memory_answers_at_once),
		cmocka_unit_test(nothing_lost_in_random_traffic),
		cmocka_unit_test(nothing_lost_with_tiny_queues),
		cmocka_unit_test(packets_without_header),
		cmocka_unit_test(same_for_any_threads),
		cmocka_unit_test(same_for_any_window),
		cmocka_unit_test(same_beside_and_after),
		cmocka_unit_test(crossbar_saturates),
		cmocka_unit_test(inputs_wait_by_kind_of_network),
		cmocka_unit_test(replies_of_sectors_take_turns),
		cmocka_unit_test(sectors_are_looked_up_one_by_one),
		cmocka_unit_test(one_queue_for_each_input_costs),
		cmocka_unit_test(islip_pointers_move_apart),
		cmocka_unit_test(mesh_latency_counts_hops),
		cmocka_unit_test(mesh_saturates_later_with_more_slices),
		cmocka_unit_test(odd_clocks),
		cmocka_unit_test(lines_of_different_sizes),
		cmocka_unit_test(bad_options_are_refused),
		cmocka_unit_test(bandwidth_of_a_stream),
		cmocka_unit_test(bandwidth_of_random_accesses),
	};
	cmocka_set_test_filter(getenv("HEDDLE_TEST_ONLY"));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
