/* State and functions shared by the files that draw lanes by cycles. diagram.h has the
 * interface. */
#ifndef CLI_DRAWING_H
#define CLI_DRAWING_H
#include "cli/diagram.h"

enum {
	CELL = 20,
	ROW = 17,
	LEFT = 70,
	BAND = 20,
	GAP = 34,
	MAX_TRACKS = 8,
	MAX_ROWS = 64,
	MAX_SEEN = 512
};

struct issue {
	const json_t *threads;
	long cycle;
	int pc, group, port, track;
	const json_t *pool; /* groups that wait during the issue; NULL: not recorded */
};

struct seen { /* distinct numbers, in order of appearance */
	long v[MAX_SEEN];
	int n;
};

struct drawing {
	const struct diagram *d;
	FILE *f;
	struct issue *issue;
	size_t n;
	long from, to;
	int lanes, depth, tracks;
	bool by_lane; /* each lane issues a thread of its own */
	bool steps;   /* all SMs issue in step */
	struct seen warps, groups;
	/* [index in `warps`]: number of the warp's block, and its first thread */
	long first[MAX_SEEN];
	long block[MAX_SEEN];
	long used; /* lane slots in which a thread executes */
	/* y: height at which the next panel begins; right: right end of texts that are wider than
	 * the cycles */
	long y, right;
};

static inline long integer(const json_t *o, const char *key)
{
	return (long)json_integer_value(json_object_get(o, key));
}
static inline long at(const json_t *list, size_t i)
{
	return (long)json_integer_value(json_array_get(list, i));
}

/* Colour of a warp: neighbouring warps get hues that are far apart. */
static inline int hue(long warp) { return (int)(warp * 137 % 360); }
static inline long column(const struct drawing *g, long cycle)
{
	return LEFT + (cycle - g->from) * CELL;
}

/* returns the index of v among the numbers seen, after adding v if it is new */
int drawing_see(struct seen *s, long v);
void drawing_axis(struct drawing *g);  /* draws the cycles below a panel */
void drawing_moved(struct drawing *g); /* draws threads before and after squeezes and merges */
void drawing_pool(struct drawing *g);  /* draws the waiting groups */
#endif
