/* The mesh: packets go along the row first, then along the column, and inputs take turns.
 *
 * Fourteen SMs and two slices are 4 x 4 nodes, row by row; the slices are nodes 4 and 12, so that
 * SM 0 is at (0,0), SM 1 at (1,0), slice 0 at (0,1), slice 1 at (0,3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/diag.h"
#include "conf/machine.h"
#include "mem/memsys.h"
#include "mem/port.h"

enum { SMS = 14 };

struct flow {
	unsigned sm, dest;
	unsigned count; /* writes of a line, or one read */
	bool read;
	unsigned sent, got;
	uint64_t line;  /* the next one's number */
	cycle_t at[64]; /* when each was answered */
};

static const char *const set[] = {
	"mem.partitions=2",   "mem.slices=1",     "gpu.sms=14", "icnt.kind=mesh",
	"icnt.hop_latency=3", "gpu.dram_mhz=700", NULL};

/* The next request of a flow: an address in its slice. */
static struct msg request(struct flow *f, struct port *p, cycle_t now)
{
	for (;; f->line++) {
		struct msg m = {.kind = f->read ? MSG_READ : MSG_WRITE,
				.addr = f->line * 128,
				.bytes = 128,
				.pieces = 0xf,
				.full = true,
				.id = f->sent};
		port_ready(p, now, &m); /* fills in the destination */
		if (m.flits && m.dest == f->dest)
			return m;
		if (!m.flits) /* the link is busy: the destination is not computed yet */
			return m;
	}
}

static void flow_cycle(struct flow *f, struct port *p, cycle_t now)
{
	for (; port_peek(p, now); port_pop(p))
		f->at[f->got++] = now;
	if (f->sent == f->count)
		return;
	struct msg m = request(f, p, now);
	if (m.flits && port_ready(p, now, &m)) {
		port_send(p, now, &m);
		f->sent++;
		f->line++;
	}
}

/* All flows from cycle 0 on until each is answered. */
static void run(struct flow *f, unsigned n)
{
	static struct diag d;
	struct machine *m = machine_read(NULL, set, &d);
	assert_non_null(m);
	struct memsys *s = memsys_new(m, &d);
	assert_non_null(s);
	cycle_t now = 0, w = memsys_window_max(s);
	for (unsigned left = 1; left; now += w) {
		left = 0;
		for (unsigned i = 0; i < n; i++) {
			memsys_deliver(s, f[i].sm);
			for (cycle_t c = now; c < now + w; c++)
				flow_cycle(&f[i], memsys_port(s, f[i].sm), c);
			left += f[i].count - f[i].got;
		}
		memsys_window(s, now, now + w);
		assert_true(now < 1000000);
	}
	memsys_free(s);
	machine_free(m);
}

/* The path from (1,0) to (0,3) goes through (0,0), whose downward link SM 0 uses for slice 0, and
 * not through (1,1). */
static void along_the_row_first(void **state)
{
	(void)state;
	struct flow alone[] = {{.sm = 1, .dest = 1, .count = 1, .read = true}};
	struct flow both[] = {{.sm = 1, .dest = 1, .count = 1, .read = true},
			      {.sm = 0, .dest = 0, .count = 8}};
	run(alone, 1);
	run(both, 2);
	assert_true(both[0].at[0] > alone[0].at[0]);
	/* waits at most for the packet before it: a line and its header */
	assert_true(both[0].at[0] <= alone[0].at[0] + 5);
}

/* The paths (1,0) to (0,1) and (0,0) to (0,1) share the last link: each gets half of it. */
static void inputs_take_turns(void **state)
{
	(void)state;
	enum { N = 40 };
	struct flow f[] = {{.sm = 1, .dest = 0, .count = N},
			   {.sm = 0, .dest = 0, .count = N, .line = 4096}};
	run(f, 2);
	for (unsigned i = 8; i < N; i++) {
		cycle_t a = f[0].at[i], b = f[1].at[i];
		assert_true(a > b ? (a - b) * 4 < a : (b - a) * 4 < b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(along_the_row_first),
		cmocka_unit_test(inputs_take_turns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
