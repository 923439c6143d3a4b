/* Networks between SMs and L2 slices: contention in each kind of network, saturation, latency by
 * hops. */
#include "mem_rig.h"

/* Replies from one slice, or to one SM, leave at one flit per cycle: five cycles per line. */
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
	/* writes: five flits per request, one per acknowledgement, limited by the SM's injection */
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

/* Sends requests for whole lines and records when each is answered. */
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
			for (unsigned sm = 0; sm < m->sms; sm++)
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

/* Two SMs write a line of five flits each to slice 0 in cycle 0, and SM 1 writes another to slice 1
 * in cycle 5. The first packet is through after cycle 4. Input 1 then has packets for both slices.
 * With one queue per pair both can go together, but iSLIP matches an input only once, so that its
 * second packet goes in cycle 10. With one queue per input and two router steps per cycle: SM 0's
 * packet is chosen in step 0; its last flit arrives in cycle 4 and leaves in step 8. SM 1's first
 * packet is chosen in step 9 and gone after step 14; its second in step 15, cycle 7: its flits are
 * over the link in cycles 8 to 12. */
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
	/* both acknowledgements arrive at once: one waits at the SM's port */
	assert_int_equal(at[0][2], 5 + at[0][0] + 1);
	assert_int_equal(at[1][2], 10 + at[1][0]);
	assert_int_equal(at[2][2], 8 + at[2][0]);
}

/* SM 0 reads two lines, in slices 0 and 1, in cycles 0 and 1; replies have four flits of 40 bytes.
 * As one packet each, the first reply arrives with its flits, the second four cycles later. As
 * packets of one sector they alternate on the SM's link from the second cycle on: the last sector
 * of the first reply is the seventh of eight. */
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

/* Eight SMs write lines to one slice, one flit per request: one per cycle. If each sector is looked
 * up and acknowledged separately, one per four cycles. */
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

/* All four SMs read lines of all four slices: a reply that waits for its SM blocks the replies
 * behind it. With one router step per cycle, arbitration costs one cycle in six; two steps hide
 * that. */
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

/* All four SMs always have lines for all four slices. The pointers move apart until every output
 * takes a flit in every cycle (section III of the paper): 5 flits for each of 4 x 2000 writes. */
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

/* Three SMs write a line each to one slice in one cycle. After each grant the output's pointer
 * stands just behind the granted input, so that the inputs are served round-robin, five flits
 * each. */
static void islip_takes_inputs_in_turn(void **state)
{
	(void)state;
	static const struct sending write[3] = {{0, 0, 0}, {1, 0, 128}, {2, 0, 256}};
	const char *set[] = {"icnt.kind=islip", "mem.partitions=1", "gpu.sms=3", "gpu.dram_mhz=700",
			     NULL};
	cycle_t at[3];
	send_lines(set, MSG_WRITE, write, 3, 0, at);
	assert_int_equal(at[1] - at[0], 5);
	assert_int_equal(at[2] - at[0], 10);
}

/* SMs 0 and 1 write to slice 0 in cycle 0, SMs 1 and 2 to slice 1 in cycle 5. Then both outputs
 * grant SM 1, which accepts slice 0's grant. With one iteration slice 1 stays unmatched in that
 * cycle, and SM 2 goes in the next; a second iteration matches SM 2 at once. */
static void islip_rounds_match_who_is_left(void **state)
{
	(void)state;
	static const struct sending write[] = {{0, 0, 0}, {1, 0, 128}, {1, 5, 256}, {2, 5, 384}};
	static const char *const rounds[2] = {"icnt.iterations=1", "icnt.iterations=2"};
	for (unsigned k = 0; k < 2; k++) {
		const char *set[] = {"icnt.kind=islip", rounds[k],          "mem.partitions=2",
				     "gpu.sms=3",       "gpu.dram_mhz=700", NULL};
		cycle_t at[4];
		send_lines(set, MSG_WRITE, write, 4, 0, at);
		assert_int_equal(at[1] - at[0], 5);
		assert_int_equal(at[3] - at[0], k ? 5 : 6);
	}
}

/* Every SM sends to one slice: at a distance of h links a packet makes (h + 1) hops each way. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crossbar_saturates),
		cmocka_unit_test(inputs_wait_by_kind_of_network),
		cmocka_unit_test(replies_of_sectors_take_turns),
		cmocka_unit_test(sectors_are_looked_up_one_by_one),
		cmocka_unit_test(one_queue_for_each_input_costs),
		cmocka_unit_test(islip_pointers_move_apart),
		cmocka_unit_test(islip_takes_inputs_in_turn),
		cmocka_unit_test(islip_rounds_match_who_is_left),
		cmocka_unit_test(mesh_latency_counts_hops),
		cmocka_unit_test(mesh_saturates_later_with_more_slices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
