#include "func/touch.h"

#include <stdlib.h>
#include "exec/memory/access.h"

enum { LINE = 128 };

/* Bytes per lane of an access to global memory; 0: another instruction. */
static unsigned global_bytes(const struct uop *u)
{
	const struct inst *in = u->in;
	bool global = in->space == SP_GLOBAL || in->space == SP_GENERIC;
	bool one = inst_is(in, OF_LOAD) || inst_is(in, OF_STORE) || inst_is(in, OF_ATOMIC);
	if (!global || !one || !in->ns || inst_src(in, 0)->kind != OPND_MEM ||
	    inst_is(in, OF_BULK) || inst_is(in, OF_PARTS))
		return 0;
	unsigned n = inst_is(in, OF_LOAD) ? in->nd : inst_is(in, OF_STORE) ? in->ns - 1u : 1;
	unsigned bytes = type_bytes(in->type) * (n ? n : 1);
	return bytes <= LINE ? bytes : LINE;
}

void touch_init(struct touch *t, const struct image *img)
{
	t->bytes = xcalloc(img->ncode + 1, 1);
	for (uint32_t pc = 0; pc < img->ncode; pc++)
		t->bytes[pc] = (uint8_t)global_bytes(&img->code[pc]);
}

void touch_free(struct touch *t)
{
	free(t->bytes);
	t->bytes = NULL;
}

static bool is_global(const struct uop *u, uint64_t a)
{
	return u->in->space == SP_GLOBAL ||
	       (a - SHARED_BASE >= WINDOW_SPAN && a - CLUSTER_BASE >= CLUSTER_SPAN &&
		a - LOCAL_BASE >= WINDOW_SPAN && a - PARAM_BASE >= WINDOW_SPAN);
}

void touch_lanes(const struct touch *t, const struct warp *w, const struct uop *u, uint32_t pc,
		 uint32_t mask)
{
	bool written = !inst_is(u->in, OF_LOAD);
	uint64_t from = 0, end = 0; /* the run so far; end 0: none */
	for (; mask; mask &= mask - 1) {
		uint64_t a = lane_addr(w, u, __builtin_ctz(mask)), e = a + t->bytes[pc];
		if (!is_global(u, a))
			continue;
		if (e > (a | (LINE - 1)) + 1)
			e = (a | (LINE - 1)) + 1;
		if (end && a / LINE == from / LINE) {
			from = a < from ? a : from;
			end = e > end ? e : end;
			continue;
		}
		if (end)
			t->see(t->arg, w, from, (uint32_t)(end - from), written);
		from = a;
		end = e;
	}
	if (end)
		t->see(t->arg, w, from, (uint32_t)(end - from), written);
}
