/* Labs that ask for a policy: see grade.h. The policy is compiled, checked, loaded into a separate
 * process, and measured on workloads in comparison with one of Heddle's policies. */
#include "cli/grade/grade.h"
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 10, TOO_SLOW = 6 };

/* One run, with a policy from an object file or one of Heddle's. */
struct trial {
	const struct lab *l;
	const struct walk *w;
	const char *object; /* NULL: none is loaded */
	const char *policy; /* NULL: functional mode */
	uint32_t seed;
	unsigned threads;
	uint64_t max_cycles;
};

static uint32_t next_random(uint32_t *x)
{
	*x = *x * 1664525u + 1013904223u;
	return *x >> 8;
}

static uint64_t hash_bytes(const uint8_t *p, size_t n)
{
	uint64_t h = 1469598103934665603ull;
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 1099511628211ull;
	return h;
}

static bool put_input(struct heddle *h, uint64_t *addr, uint32_t seed)
{
	size_t n = (size_t)WALK_LINES * 128;
	uint32_t *data = malloc(n);
	bool ok = data && !heddle_malloc(h, n, addr);
	for (size_t i = 0; ok && i < n / 4; i++)
		data[i] = next_random(&seed);
	ok = ok && !heddle_write(h, *addr, data, n);
	free(data);
	return ok;
}

static bool run_walk(struct heddle *h, const struct trial *t, struct outcome *out)
{
	struct {
		uint64_t in, out;
		uint32_t n0, n1, every, span, own, scan, phase, alu, bar, row, mask;
	} p = {.n0 = t->w->n0 + t->seed % 4,
	       .n1 = t->w->n1,
	       .every = t->w->every,
	       .span = t->w->span,
	       .own = t->w->own,
	       .scan = t->w->scan,
	       .phase = t->w->phase,
	       .alu = t->w->alu,
	       .bar = t->w->bar,
	       .row = t->w->row,
	       .mask = WALK_LINES - 1};
	size_t bytes = (size_t)t->w->blocks * t->w->threads * 4;
	struct heddle_text text = {"walk", walk_ptx, strlen(walk_ptx), NULL};
	struct heddle_module *m;
	struct heddle_launch l = {
		.grid = {t->w->blocks, 1, 1}, .block = {t->w->threads, 1, 1}, .params = &p};
	uint8_t *result = malloc(bytes);
	bool ok = result && !heddle_load(h, &text, 1, &m) && put_input(h, &p.in, t->seed) &&
		  !heddle_malloc(h, bytes, &p.out);
	if (ok) {
		l.kernel = heddle_kernel_at(m, 0);
		ok = !heddle_launch(h, &l) && !heddle_read(h, result, p.out, bytes);
	}
	if (ok)
		out->hash = hash_bytes(result, bytes);
	else
		snprintf(out->why, sizeof out->why, "%s", heddle_message(h));
	free(result);
	return ok;
}

static void run_trial(void *arg, struct outcome *out)
{
	const struct trial *t = arg;
	const char *set[8];
	char choice[120];
	unsigned n = 0;
	char *why = t->object ? heddle_policies_add(t->object) : NULL;
	if (why) {
		snprintf(out->why, sizeof out->why, "%s",
			 strrchr(why, ':') ? strrchr(why, ':') + 2 : why);
		free(why);
		return;
	}
	while (n < 6 && t->l->set[n]) {
		set[n] = t->l->set[n];
		n++;
	}
	snprintf(choice, sizeof choice, "%s=%s", t->l->option, t->policy ? t->policy : "");
	set[n++] = choice;
	set[n] = NULL;
	struct heddle_options o = {.threads = t->threads, .max_cycles = t->max_cycles};
	if (t->policy) {
		o.config = "gtx480";
		o.set = set;
		o.timing = true;
	}
	struct heddle *h;
	if (heddle_open(&h, &o)) {
		snprintf(out->why, sizeof out->why, "%s", heddle_message(h));
	} else if (run_walk(h, t, out)) {
		const struct heddle_stats *s = heddle_stats_at(h, 0);
		out->ok = true;
		out->cycles = s->cycles;
		out->warp_instructions = s->warp_instructions;
		out->thread_instructions = s->thread_instructions;
		out->simd_efficiency = s->simd_efficiency;
	}
	heddle_close(h);
}

static void run(const struct trial *t, struct outcome *out)
{
	apart_run(run_trial, (void *)(uintptr_t)t, SECONDS, out);
}

/* ---- conformance ---- */

/* Small launches of every kind: results as in functional mode, equal cycles each time. */
static const struct walk conforming[] = {
	{6, 96, 20, 30, 3, 5, 2, 0, 1000, 1, 1, 0},
	{9, 64, 16, 0, 1, 16, 0, 2, 8, 0, 0, 33},
	{2, 256, 48, 0, 1, 300, 7, 1, 1000, 3, 1, 0},
};

/* Adds the workload's number to the comment, so that a student can identify the run. */
static bool conforms(const struct trial *base, unsigned i, char *why, size_t n)
{
	struct trial t = *base;
	struct outcome want, got[2];
	t.w = &conforming[i];
	t.object = t.policy = NULL;
	run(&t, &want);
	if (!want.ok) {
		snprintf(why, n, "functional mode: %.1000s", want.why);
		return false;
	}
	t.object = base->object;
	t.policy = base->policy;
	t.max_cycles = 20000000;
	for (unsigned k = 0; k < 2; k++) {
		t.threads = k + 1;
		run(&t, &got[k]);
		if (!got[k].ok) {
			snprintf(why, n, "launch %u of %u threads: %s", t.w->blocks, t.w->threads,
				 got[k].why);
			return false;
		}
	}
	uint64_t least = want.warp_instructions /
			 4; /* two SMs, each issues two instructions per cycle at most */
	if (got[0].hash != want.hash)
		snprintf(why, n, "another result in memory than in functional mode");
	else if (got[0].warp_instructions != want.warp_instructions ||
		 got[0].thread_instructions != want.thread_instructions)
		snprintf(why, n, "%llu warp instructions were counted, the launch has %llu",
			 (unsigned long long)got[0].warp_instructions,
			 (unsigned long long)want.warp_instructions);
	else if (got[0].cycles < least / 8)
		snprintf(why, n, "%llu cycles are fewer than the instructions can take",
			 (unsigned long long)got[0].cycles);
	else if (got[0].cycles != got[1].cycles)
		snprintf(
			why, n,
			"two equal runs took %llu and %llu cycles: the policy has state outside of s->state",
			(unsigned long long)got[0].cycles, (unsigned long long)got[1].cycles);
	else
		return true;
	return false;
}

static bool check_conformance(struct grade *g, const struct trial *base)
{
	enum { POINTS = 10, N = sizeof conforming / sizeof *conforming };
	char why[GRADE_TEXT + 100];
	for (unsigned i = 0; i < N; i++)
		if (!conforms(base, i, why, sizeof why)) {
			grade_add(g, "conformance", 0, POINTS, "launch %u of %u: %s", i + 1,
				  (unsigned)N, why);
			return false;
		}
	grade_add(g, "conformance", POINTS, POINTS, "results and figures are right in %u launches",
		  (unsigned)N);
	return true;
}

/* ---- workloads ---- */

static void measure(struct grade *g, const struct trial *base, const struct policy_workload *w)
{
	struct trial t = *base;
	struct outcome plain, own;
	t.w = &w->walk;
	t.object = NULL;
	t.policy = base->l->baseline;
	run(&t, &plain);
	if (!plain.ok) {
		grade_add(g, w->name, 0, w->most, "the baseline does not run: %s", plain.why);
		return;
	}
	t.object = base->object;
	t.policy = base->policy;
	t.max_cycles = TOO_SLOW * plain.cycles;
	run(&t, &own);
	if (!own.ok) {
		grade_add(g, w->name, 0, w->most, "%s", own.why);
		return;
	}
	double ratio = (double)own.cycles / (double)plain.cycles;
	double part = (w->none - ratio) / (w->none - w->full);
	part = own.warp_instructions != plain.warp_instructions || own.hash != plain.hash ? 0
	       : part < 0                                                                 ? 0
	       : part > 1                                                                 ? 1
											  : part;
	grade_add(
		g, w->name, w->most * part, w->most,
		"%llu cycles, %.2f times those of %s (all points up to %.2f, none from %.2f on)%s%s",
		(unsigned long long)own.cycles, ratio, base->l->baseline, w->full, w->none,
		part < 1 ? ": " : "", part < 1 ? w->hint : "");
}

void policy_grade(struct grade *g, const struct lab *l)
{
	enum { POINTS = 5 };
	struct policy_build b;
	char why[GRADE_TEXT - 100];
	bool built = build_policy(&b, g->file, l->family, why, sizeof why);
	if (!built)
		grade_add(g, "build", 0, POINTS, "%s", why);
	else
		grade_add(g, "build", POINTS, POINTS, "policy %s", b.table);
	struct trial t = {
		.l = l, .object = b.object, .policy = b.table, .seed = g->seed, .threads = 1};
	bool good = built && check_conformance(g, &t);
	if (!built)
		grade_add(g, "conformance", 0, 10, "not looked at");
	for (unsigned i = 0; i < l->nworkloads; i++)
		if (good)
			measure(g, &t, &l->workload[i]);
		else
			grade_add(g, l->workload[i].name, 0, l->workload[i].most, "not looked at");
	build_free(&b);
}
