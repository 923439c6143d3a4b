/* Checks a launch of a trace's kernel (ir/replay.h): the machine has to follow recorded paths, and the grid has to
 * be the recorded one. A machine that follows paths runs nothing else. */
#include "ir/replay.h"
#include "api/api.h"
#include "base/mangled.h"
#include "gpu/gpu.h"

enum heddle_status api_check_replay(struct heddle *h, const struct heddle_launch *hl,
				    const struct image *img, enum launch_mode mode)
{
	const struct replay *r = img->kernel->replay;
	const char *name = plain_name(img->kernel->name).text;
	if (!r && mode != LAUNCH_FUNCTIONAL && gpu_wants_replays(h->gpu))
		return api_fail(
			h, HEDDLE_INVALID,
			"%s: sm.divergence = replay follows traces; the kernel is a program", name);
	if (!r)
		return HEDDLE_OK;
	if (mode == LAUNCH_FUNCTIONAL || !gpu_wants_replays(h->gpu))
		return api_fail(h, HEDDLE_UNSUPPORTED,
				"%s: a trace has no data: it runs in timing mode with "
				"sm.divergence = replay",
				name);
	for (int i = 0; i < 3; i++)
		if (hl->grid[i] != r->grid[i] || hl->block[i] != r->block[i])
			return api_fail(h, HEDDLE_INVALID,
					"%s: its trace is of a grid of %u,%u,%u blocks of "
					"%u,%u,%u threads",
					name, r->grid[0], r->grid[1], r->grid[2], r->block[0],
					r->block[1], r->block[2]);
	return HEDDLE_OK;
}
