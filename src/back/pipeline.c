/* Every pass of the code generator, a line per pass, in the order they run. The head of a pass's file
 * describes it, with an example.
 *
 *   kernel of PTX --pipeline_lower--> --selection (select/kernel.c)--> machine code over values --pipeline_prepare-->
 *   --pipeline_share--> --pipeline_allocate--> over registers --pipeline_finish--> listing.c
 *
 * pipeline_share and pipeline_allocate may run several times, each on a copy of pipeline_prepare's result: mir/finish.c looks for
 * the sharing of values that leaves the machine enough registers. A new machine needs a column here and a
 * folder beside fermi/, tesla/ and sm90/. */
#include "back/pipeline.h"
#include "back/lower/lower.h"

/* Machines that a pass is for. STACK: those whose threads meet by the token stack. */
enum { FERMI = 1, TESLA = 2, SM90 = 4, STACK = FERMI | TESLA, ALL = STACK | SM90 };

static unsigned machine_of(const struct mtarget *t)
{
	return t->sm >= 70 ? SM90 : t->sm < 20 ? TESLA : FERMI;
}

void pipeline_lower(struct lowering *x)
{
	static const struct {
		void (*run)(struct lowering *x);
		unsigned machines;
	} pass[] = {
		{lower_split, ALL}, /* registers of 128 bits become two of 64 */
		{lower_handles,
		 ALL}, /* handles of textures become the references that they stand for */
		{lower_locks,
		 STACK}, /* a critical section becomes part of the loop that takes the lock */
		{lower_barriers, ALL},   /* barriers in both arms of a branch become one after it */
		{lower_stores, STACK},   /* stores that shared atomics may meet become exchanges */
		{lower_looks, STACK},    /* a thread that waits for a lock loads it before each
		                        * atomic */
		{lower_negations, SM90}, /* guards by negated predicates */
		{lower_predicates, ALL}, /* short branches become guards */
		{lower_arms, STACK},     /* the arm that releases a lock runs first */
		{lower_unroll, SM90},    /* several iterations of a loop stand together */
		{lower_uniform, SM90},   /* branches that part no threads are marked */
		{lower_unroll, SM90},    /* loops of one block: several iterations stand together */
		{lower_headers, ALL},    /* inserts a block for SSY in front of each loop */
	};
	for (unsigned i = 0; i < sizeof pass / sizeof *pass; i++)
		if (pass[i].machines & machine_of(x->target))
			pass[i].run(x);
}

/* ---- machine code ---- */

struct settings {
	struct sharing share;
	unsigned without;
};

/* A pass over machine code, with the machines it is for; it is skipped if one of the kinds is left
 * out. */
struct mir_pass {
	void (*run)(struct mfunc *m);
	void (*run_as)(struct mfunc *m, const struct settings *how); /* used instead of run if the
	                                                              * pass needs settings */
	unsigned machines;
	unsigned unless; /* FUSE_* */
};

static void fold_copies(struct mfunc *m) { mir_fold(m, false); }
static void fold_loads(struct mfunc *m) { mir_fold(m, true); }

/* When a value is shared, the instructions that compute it again are removed, which may free
 * registers for more sharing. */
static void share_values(struct mfunc *m, const struct settings *how)
{
	unsigned rounds = !how->share.reach ? 0 : how->share.room ? 4 : 1;
	for (size_t n = 0, i = 0; i < rounds && n != m->code.n; i++) {
		n = m->code.n;
		mir_common(m, how->share.reach, how->share.room);
		mir_dead(m);
	}
}

static void fuse_pairs(struct mfunc *m, const struct settings *how) { mir_fuse(m, how->without); }

static const struct mir_pass prepare[] = {
	{mir_dead, NULL, ALL, 0},             /* results that are not needed, word by word */
	{mir_rename, NULL, ALL, FUSE_RENAME}, /* a value for each use of a register */
	{fold_copies, NULL, ALL, FUSE_FOLD},  /* reads of copies become reads of the source */
	{mir_dead, NULL, ALL, FUSE_FOLD},
	{fold_loads, NULL, ALL, FUSE_FOLD}, /* and shared words become operands, on sm_13 */
	{mir_dead, NULL, ALL, FUSE_FOLD},
};

static const struct mir_pass share[] = {
	{NULL, share_values, ALL, 0}, /* values are computed once and read again */
};

static const struct mir_pass allocate[] = {
	{fermi_join, NULL, ALL, FUSE_VECTOR | FUSE_FOLD}, /* neighbouring words: one load */
	{fold_copies, NULL, ALL, FUSE_VECTOR | FUSE_FOLD},
	{mir_dead, NULL, ALL, FUSE_VECTOR | FUSE_FOLD},
	{tesla_index, NULL, TESLA, FUSE_ADDRESS}, /* sums move into address registers */
	{NULL, fuse_pairs, STACK, 0},             /* two instructions become one */
	{sm90_fuse, NULL, SM90, FUSE_IMAD},       /* two instructions become one on sm_90 */
	{fermi_ldu, NULL, FERMI, FUSE_LDU},       /* LD and LDU become LD_LDU */
	{mir_coalesce, NULL, ALL, FUSE_COALESCE}, /* results go directly to their destination */
	{sm90_tuples, NULL, SM90, 0},             /* accumulators of warp groups get their place */
	{sm90_join_words, NULL, SM90,
	 /* words of pairs and quads are replaced by the values that they copy */
	 FUSE_COALESCE},
};

static const struct mir_pass finish[] = {
	{fermi_skip, NULL, FERMI, FUSE_BRA_U}, /* branches over guarded code */
	{mir_tail, NULL, STACK, FUSE_TAIL},    /* .EXIT and .S at the last instruction */
	{sm90_ends, NULL, SM90, FUSE_TAIL},    /* branches to the end of a thread */
	{sm90_flight, NULL, SM90, 0},          /* waits for products of warp groups */
};

static void run_passes(const struct mir_pass *pass, size_t n, struct mfunc *m,
		       const struct settings *how)
{
	unsigned machine = machine_of(m->target);
	for (size_t i = 0; i < n; i++) {
		if (!(pass[i].machines & machine) || pass[i].unless & how->without)
			continue;
		if (pass[i].run)
			pass[i].run(m);
		else
			pass[i].run_as(m, how);
	}
}
#define RUN(list, m, how) run_passes(list, sizeof list / sizeof *list, m, how)

void pipeline_prepare(struct mfunc *m, unsigned without)
{
	RUN(prepare, m, &(struct settings){.without = without});
}

void pipeline_share(struct mfunc *m, struct sharing s, unsigned without)
{
	RUN(share, m, (&(struct settings){s, without}));
}

bool pipeline_allocate(struct mfunc *m, unsigned registers, bool may_spill, unsigned without)
{
	RUN(allocate, m, (&(struct settings){.without = without}));
	if (machine_of(m->target) == SM90 && !(without & FUSE_ORDER))
		sm90_schedule(m, registers);
	return mir_allocate(m, registers, may_spill); /* colours, spills */
}

void pipeline_finish(struct mfunc *m, unsigned without)
{
	RUN(finish, m, &(struct settings){.without = without});
}
