/* Paths: parts of a warp that run interleaved and meet at the immediate post-dominator, for `dual-path`, `multi-path` and
 * `subwarps`; or never meet, for `none` and `mimd`.
 *
 *	join J (pc, lanes that have arrived)        a branch makes a join, and a path per direction below it
 *	 |-- path a  1100....  at pc 7              a path that reaches its join's pc becomes arrived lanes
 *	 |-- join K  0010....  arrived at pc 9      when nothing is left below a join, its lanes are a path again
 *	      `-- path b  0001....  at pc 8
 *
 * The paths are what the multi-path paper calls the table of splits, the joins its reconvergence table; a stack of
 * entries with two paths (dual-path) is the same tree of which only the newest join's paths run. Each path is a group.
 * A call is a join too, so that lanes that return at different places meet behind it. Paths change at issue, and are
 * shown to the SM at commit.
 *
 * With `one` a path that waits for memory lets another run; when its data have come it waits for its turn.
 *
 * Warp-level operations are between the lanes they name, wherever these are: paths that execute one wait for each
 * other, the last to arrive executes it for all, and they part again, or are one path if they meet at one place anyhow.
 * bar.warp.sync is between its lanes wherever each executes it, so paths at other places then execute theirs. Lanes that have arrived at a join above the path
 * wait for it, so it does not wait for them. If no path of a warp can go on (all wait, or poll in vain), lanes that have
 * arrived at a join go on before the rest: the rest may be waiting for them. */
#ifndef SM_DIVERGE_PATHS_H
#define SM_DIVERGE_PATHS_H
#include "sm/diverge/calls.h"
#include "sm/sm.h"

#define PATHS_STATS(X)                                                                             \
	X(forks, STAT_SUM, 1, "branches", "divergent branches of groups")                          \
	X(arrived, STAT_SUM, 1, "paths", "paths that reached their reconvergence point")           \
	X(merged, STAT_SUM, 1, "paths", "paths that met another one before that point")            \
	X(early, STAT_SUM, 1, "paths",                                                             \
	  "lanes that went on from a reconvergence point before the rest had come")                \
	X(switches, STAT_SUM, 1, "paths",                                                          \
	  "paths that another one took over from because they waited for memory")                  \
	X(issues, STAT_SUM, 1, "instructions", "instructions that groups have issued")             \
	X(running, STAT_SUM, 1, "paths", "paths of the warp that could run, added up at each issue")
struct paths_stats {
	STAT_FIELDS(PATHS_STATS)
};
extern const struct stat_table paths_stats;

struct paths_rule {
	bool two;     /* only paths of the newest join run, at most two */
	bool one;     /* one path runs, until it waits for memory */
	uint8_t when; /* with `one`: least percentage of the scheduler's groups that must also
		       * wait for memory */
	bool meets;   /* paths below one join merge when they are at one pc */
	bool apart;   /* there are no joins: paths never merge again */
	bool threads; /* each thread is a path from its start; thread i of warp w is group w * warp_size + i */
};
void paths_init(struct div *d, const struct paths_rule *rule);

void paths_fini(struct div *d);
void paths_start(struct div *d, unsigned w, lanemask live, uint32_t pc, uint64_t age);
void paths_step(struct div *d, int g, uint32_t next);
void paths_branch(struct div *d, int g, const struct uop *u, lanemask taken);
void paths_ibranch(struct div *d, int g, const struct uop *u, lanemask who, const uint32_t *target);
void paths_call(struct div *d, int g, lanemask lanes, uint32_t pc, const struct frame *f,
		uint32_t back);
lanemask paths_caller(struct div *d, int g, lanemask lanes, struct frame *f, uint32_t *ret);
void paths_ret(struct div *d, int g, lanemask lanes);
void paths_exit(struct div *d, int g, lanemask done);
void paths_wait(struct div *d, int g, lanemask lanes, unsigned bar);
void paths_wake(struct div *d, unsigned w, unsigned bar, div_wake_fn *fn);
lanemask paths_waiting(const struct div *d, unsigned w, unsigned bar);
uint32_t paths_where(const struct div *d, unsigned w, unsigned lane);
bool paths_meet(struct div *d, int g, lanemask lanes, const lanemask *need, uint32_t anywhere);
void paths_yield(struct div *d, int g);
void paths_commit(struct div *d, int g);
/* rule.one: yes: the path has begun to wait for memory; no: it waits no longer. */
void paths_stalls(struct div *d, int g, bool yes);
bool paths_check(const struct div *d, struct diag *why);

#define PATHS_OPS                                                                                  \
	.fini = paths_fini, .start = paths_start, .step = paths_step, .branch = paths_branch,      \
	.ibranch = paths_ibranch, .call = paths_call, .caller = paths_caller, .ret = paths_ret,    \
	.exit = paths_exit, .wait = paths_wait, .wake = paths_wake, .waiting = paths_waiting,      \
	.where = paths_where, .meet = paths_meet, .yield = paths_yield, .commit = paths_commit,    \
	.check = paths_check

#endif
