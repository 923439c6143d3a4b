/* Figures of a launch in timing mode that must agree with each other: different counts of
 * instructions, slots, accesses and registers agree, and no count is negative. Every test that
 * runs a kernel by timing.h checks this; test_agreement checks files. */
#ifndef TESTS_AGREEMENT_H
#define TESTS_AGREEMENT_H
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <jansson.h>

struct agreement {
	char why[256]; /* the first disagreement; empty: none */
};

static inline uint64_t figure_of(const json_t *o, const char *key)
{
	return (uint64_t)json_number_value(json_object_get(o, key));
}

static inline uint64_t list_sum(const json_t *o, const char *key, bool weighted)
{
	uint64_t sum = 0;
	size_t i;
	json_t *v;
	json_array_foreach (json_object_get(o, key), i, v)
		sum += (uint64_t)json_integer_value(v) * (weighted ? i : 1);
	return sum;
}

/* The sum of a field over the objects of a list or an object. */
static inline uint64_t field_sum(json_t *of, const char *key)
{
	uint64_t sum = 0;
	const char *k;
	size_t i;
	json_t *v;
	if (json_is_array(of))
		json_array_foreach (of, i, v)
			sum += figure_of(v, key);
	else
		json_object_foreach (of, k, v)
			sum += figure_of(v, key);
	return sum;
}

static inline void agree(struct agreement *a, const char *part, const char *what, uint64_t x,
			 uint64_t y)
{
	if (x != y && !a->why[0])
		snprintf(a->why, sizeof a->why, "%s: %s: %llu and %llu", part, what,
			 (unsigned long long)x, (unsigned long long)y);
}

static inline void agree_most(struct agreement *a, const char *part, const char *what, uint64_t x,
			      uint64_t most)
{
	agree(a, part, what, x > most ? x : most, most);
}

static inline void agree_near(struct agreement *a, const char *part, const char *what, double x,
			      double y)
{
	if (!(fabs(x - y) <= 1e-9 * (fabs(x) + fabs(y))) && !a->why[0])
		snprintf(a->why, sizeof a->why, "%s: %s: %.12g and %.12g", part, what, x, y);
}

static inline bool is_part(const char *part, const char *name)
{
	size_t n = strlen(name);
	return !strncmp(part, name, n) && (!part[n] || part[n] == '.');
}

static inline void agree_counts(struct agreement *a, const char *part, const char *key,
				const json_t *v)
{
	size_t i;
	json_t *e;
	agree(a, part, key, json_is_number(v) && json_number_value(v) < 0, 0);
	json_array_foreach (v, i, e)
		agree_counts(a, part, key, e);
}

static inline void agree_sm(struct agreement *a, const char *p, const json_t *o)
{
	uint64_t n = figure_of(o, "warp_instructions"),
		 threads = figure_of(o, "thread_instructions");
	agree(a, p, "instructions by lanes", list_sum(o, "active_lanes", false), n);
	agree(a, p, "lanes of instructions", list_sum(o, "active_lanes", true), threads);
	agree(a, p, "instructions by threads", list_sum(o, "group_threads", false), n);
	agree(a, p, "instructions by class", list_sum(o, "ops", false), n);
	agree(a, p, "threads by class", list_sum(o, "op_threads", false), threads);
	agree_most(a, p, "loads", list_sum(o, "load_latency", false), n);
	agree_most(a, p, "busy cycles", figure_of(o, "busy_cycles"), figure_of(o, "cycles"));
}

static inline void agree_block(struct agreement *a, const char *p, const json_t *o,
			       const json_t *sm)
{
	uint64_t busy = figure_of(o, "busy"), held = figure_of(o, "registers");
	agree(a, p, "blocks", figure_of(o, "ended"), figure_of(sm, "blocks"));
	agree(a, p, "warps by instructions", list_sum(o, "instructions", false),
	      figure_of(sm, "warps"));
	agree(a, p, "registers by slot", list_sum(o, "slot_registers", false), held);
	agree(a, p, "registers and those of the SM", figure_of(sm, "alloc_registers"), held);
	agree(a, p, "registers held and free in a cycle",
	      busy ? (held + figure_of(o, "registers_free")) % busy : 0, 0);
	agree_most(a, p, "registers of ended warps", figure_of(o, "registers_ended"), held);
	agree_most(a, p, "cycles with blocks", busy, figure_of(o, "resident"));
}

static inline void agree_cache(struct agreement *a, const char *p, const json_t *o)
{
	uint64_t fetches = figure_of(o, "fetches"), fills = figure_of(o, "fills");
	agree(a, p, "hits, merged, misses and accesses",
	      figure_of(o, "hits") + figure_of(o, "hits_reserved") + figure_of(o, "misses"),
	      figure_of(o, "accesses"));
	agree(a, p, "reads, writes, atomics and accesses",
	      figure_of(o, "reads") + figure_of(o, "writes") + figure_of(o, "atomics"),
	      figure_of(o, "accesses"));
	agree_most(a, p, "misses of reads and writes",
		   figure_of(o, "read_misses") + figure_of(o, "write_misses"),
		   figure_of(o, "misses"));
	/* the L2's fetches may be answered sector by sector */
	agree(a, p, "fetches and fills", fetches,
	      fills < fetches || !is_part(p, "l2") ? fills : fetches);
}

static inline void agree_network(struct agreement *a, const char *p, const json_t *o)
{
	uint64_t replies = figure_of(o, "replies");
	agree(a, p, "replies by latency", list_sum(o, "latency", false), replies);
	agree_most(a, p, "latencies", figure_of(o, "latency_sum"),
		   figure_of(o, "latency_max") * replies);
}

/* The figures of a part are the sums of the figures of its pieces, or the largest of them. */
static inline void agree_pieces(struct agreement *a, json_t *timing, const char *part, json_t *all)
{
	const char *key, *name;
	json_t *v, *piece;
	size_t n = strlen(part);
	json_object_foreach (all, key, v) {
		uint64_t sum = 0, most = 0;
		bool any = false;
		json_object_foreach (timing, name, piece) {
			if (strncmp(name, part, n) || name[n] != '.')
				continue;
			uint64_t x = figure_of(piece, key);
			any = true;
			sum += x;
			most = x > most ? x : most;
		}
		if (any && json_is_integer(v))
			agree(a, part, key, figure_of(all, key),
			      strstr(key, "peak") || strstr(key, "most") || strstr(key, "max")
				      ? most
				      : sum);
	}
}

static inline void agree_energy(struct agreement *a, json_t *o)
{
	const char *key;
	json_t *v;
	double classes = 0, moving = 0, standing = 0,
	       total = json_number_value(json_object_get(o, "total"));
	json_object_foreach (o, key, v) {
		size_t n = strlen(key);
		classes += strncmp(key, "class.", 6) ? 0 : json_number_value(v);
		moving += n > 8 && !strcmp(key + n - 8, ".dynamic") ? json_number_value(v) : 0;
		standing += n > 7 && !strcmp(key + n - 7, ".static") ? json_number_value(v) : 0;
	}
	agree_near(a, "energy", "components", moving + standing, total);
	agree_near(a, "energy", "dynamic", moving,
		   json_number_value(json_object_get(o, "dynamic")));
	agree_near(a, "energy", "static", standing,
		   json_number_value(json_object_get(o, "static")));
	agree_near(a, "energy", "classes", classes, total);
}

/* Every cycle of every scheduler has one cause. */
static inline void agree_slots(struct agreement *a, const json_t *timing)
{
	uint64_t sum = 0, cycles = figure_of(json_object_get(timing, "sm"), "cycles");
	const char *k;
	json_t *v;
	json_object_foreach (json_object_get(timing, "issue"), k, v)
		sum += json_is_integer(v) ? (uint64_t)json_integer_value(v) : 0;
	agree(a, "issue", "slots at all", sum > 0, cycles > 0);
	agree(a, "issue", "slots in a cycle", cycles ? sum % cycles : sum, 0);
}

static inline void agree_part(struct agreement *a, json_t *timing, const char *p, json_t *o)
{
	const char *key;
	json_t *v;
	char sm[32];
	json_object_foreach (o, key, v)
		agree_counts(a, p, key, v);
	if (!strchr(p, '.'))
		agree_pieces(a, timing, p, o);
	if (is_part(p, "sm"))
		agree_sm(a, p, o);
	else if (is_part(p, "block")) {
		snprintf(sm, sizeof sm, "sm%s", p + strlen("block"));
		agree_block(a, p, o, json_object_get(timing, sm));
	} else if (is_part(p, "l1d") || is_part(p, "l1c") || is_part(p, "l1t") ||
		   is_part(p, "l1i") || is_part(p, "l2"))
		agree_cache(a, p, o);
	else if (is_part(p, "icnt"))
		agree_network(a, p, o);
	else if (is_part(p, "slice")) {
		/* a launch may end while code that no warp needs any more is still being fetched */
		agree_most(a, p, "requests and replies", figure_of(o, "replies"),
			   figure_of(o, "requests"));
		agree(a, p, "requests by class", list_sum(o, "classes", false),
		      figure_of(o, "requests"));
	} else if (is_part(p, "dram"))
		agree(a, p, "cycles with open rows, closed ones and without work",
		      figure_of(o, "open_cycles") + figure_of(o, "closed_cycles") +
			      figure_of(o, "idle_cycles"),
		      figure_of(o, "cycles"));
	else if (!strcmp(p, "energy"))
		agree_energy(a, o);
}

/* Checks a launch of the statistics that ended without an error. */
static inline void agree_launch(struct agreement *a, const json_t *launch)
{
	json_t *timing = json_object_get(launch, "timing"), *sm = json_object_get(timing, "sm"),
	       *part;
	json_t *ops = json_object_get(launch, "opcodes");
	const char *name;
	if (!timing)
		return;
	json_object_foreach (timing, name, part)
		agree_part(a, timing, name, part);
	agree_slots(a, timing);
	agree(a, "dram", "reads of slices and channels",
	      figure_of(json_object_get(timing, "slice"), "dram_reads"),
	      figure_of(json_object_get(timing, "dram"), "reads"));
	agree(a, "launch", "instructions by opcode", field_sum(ops, "warp"),
	      figure_of(sm, "warp_instructions"));
	agree(a, "launch", "threads by opcode", field_sum(ops, "thread"),
	      figure_of(sm, "thread_instructions"));
	const json_t *used = json_object_get(launch, "accesses"),
		     *class = json_object_get(json_object_get(timing, "slice"), "classes");
	if (!figure_of(used, "local") && !figure_of(launch, "local_bytes"))
		agree(a, "slice", "requests of local memory",
		      (uint64_t)json_integer_value(json_array_get(class, 1)), 0);
	if (!figure_of(used, "texture"))
		agree(a, "slice", "requests of textures",
		      (uint64_t)json_integer_value(json_array_get(class, 3)), 0);
	agree(a, "launch", "divergent branches", figure_of(launch, "divergent_branches"),
	      figure_of(sm, "divergent"));
}

/* Checks the instructions of a launch's profile. */
static inline void agree_profile(struct agreement *a, const json_t *launch, json_t *profile)
{
	json_t *sm = json_object_get(json_object_get(launch, "timing"), "sm");
	if (!sm || !profile)
		return;
	agree(a, "profile", "instructions", field_sum(profile, "issued"),
	      figure_of(sm, "warp_instructions"));
	agree(a, "profile", "threads", field_sum(profile, "lanes"),
	      figure_of(sm, "thread_instructions"));
	agree(a, "profile", "divergent branches", field_sum(profile, "divergent"),
	      figure_of(sm, "divergent"));
	agree(a, "profile", "transactions", field_sum(profile, "transactions"),
	      figure_of(sm, "transactions"));
}

#endif
