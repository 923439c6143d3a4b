/* What the files that draw lanes by cycles share: see diagram.h. */
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
	const json_t *pool; /* groups that wait meanwhile, or NULL */
};

struct seen { /* distinct numbers in order of appearance */
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
	long first[MAX_SEEN]; /* of each warp seen: block and first thread */
	long block[MAX_SEEN];
	long used;     /* lane slots with a thread that executes */
	long y, right; /* right: of what is wider than the cycles */
};

static inline long integer(const json_t *o, const char *key)
{
	return (long)json_integer_value(json_object_get(o, key));
}
static inline long at(const json_t *list, size_t i)
{
	return (long)json_integer_value(json_array_get(list, i));
}

/* Neighbouring warps get colours far apart. */
static inline int hue(long warp) { return (int)(warp * 137 % 360); }
static inline long column(const struct drawing *g, long cycle)
{
	return LEFT + (cycle - g->from) * CELL;
}

int drawing_see(struct seen *s, long v); /* its place among those seen */
void drawing_axis(struct drawing *g);    /* cycles, below a panel */
void drawing_moved(struct drawing *g);   /* before and after of squeezes and merges */
void drawing_pool(struct drawing *g);    /* the groups that wait */
#endif
