/* The clock of functional mode, which counts the warp's instructions, since there is no time.
 * Programs keep a GPU busy by waiting for the clock (`while (clock64() - start < 1000000000)`), and
 * would keep the host busy for minutes. So a clock that is read at one place again and again, with
 * few instructions in between, runs faster the longer the wait takes. Two places that read it in
 * turn, as in a measurement, are not a wait. */
#include "func/func.h"

enum { NEAR = 24, MANY = 256, PART = 8 };

uint64_t clock_read(const struct warp *w)
{
	struct fwarp *fw = fwarp_of(w);
	struct watch *c = &fw->watch;
	uint64_t n = w->ninst + (w->pc - fw->seg) + 1;
	if (!c->reads || c->pc != w->pc || n - c->last > NEAR)
		*c = (struct watch){.pc = w->pc, .from = n + c->ahead, .ahead = c->ahead};
	c->last = n;
	if (++c->reads > MANY)
		c->ahead += (n + c->ahead - c->from) / PART;
	return n + c->ahead;
}
