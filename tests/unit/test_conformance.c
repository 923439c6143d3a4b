/* Every registered policy of every family, found through the registry, keeps its family's contract:
 * on the same machines it runs the same kernels to their end, leaves the memory of functional mode,
 * executes equally many thread instructions, and gives equal figures on one host thread and on
 * three. The run itself checks that figures are consistent and that nothing is lost (gpu/check.c);
 * assertions and the mechanisms' own checks are on.
 *
 * A machine may refuse a policy, with a message that names its option; every policy runs on one of
 * the machines at least, but those that run native code alone. */
#include "conf/option.h"
#include "programs.h"
#include "sm/group.h"

/* Policies of the other families with which each policy is combined. */
static const struct {
	const char *set[12];
} machines[] = {
	{{"gpu.sms=3"}},
	{{"gpu.sms=3", "sm.pipeline=locked", "sm.simd_width=8"}},
	{{"gpu.sms=4", "sm.lanes=sub-cores", "gpu.gpcs=Ab", "l2.halves=2", "mem.slices=2",
	  "dram.refresh=bank", "sm.sfu_units=2", "sm.dp_units=2", "sm.mma_units=2"}},
	{{"gpu.sms=3", "sm.pipeline=locked", "sm.divergence=en-dwf", "sm.simd_width=8"}},
	{{"gpu.sms=2", "sm.lanes=tsimt", "sm.simd_width=8", "sm.scheduler=two-level-active"}},
	{{"gpu.sms=2", "gpu.dispatch=warp", "sm.max_warps=10", "icnt.kind=mesh",
	  "dram.scheduler=fcfs", "sm.sfu_units=2", "sm.dp_units=2", "sm.mma_units=2"}},
};
enum { MACHINES = sizeof machines / sizeof *machines };

/* Only a divergent loop: for machines without barriers or shared memory. */
static const char alone[] = HEAD REGS
	"ld.param.u64 %d1, [pout];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
	"mad.lo.u32 %r4, %r2, %r3, %r1;\nmul.wide.u32 %d2, %r4, 4;\nadd.u64 %d2, %d1, %d2;\n"
	"add.u32 %r7, %r4, 1;\nmov.u32 %r8, 0;\n"
	"LOOP: setp.eq.u32 %p1, %r7, 1;\n@%p1 bra DONE;\nand.b32 %r9, %r7, 1;\n"
	"setp.eq.u32 %p2, %r9, 0;\n@%p2 bra EVEN;\nmad.lo.u32 %r7, %r7, 3, 1;\nbra NEXT;\n"
	"EVEN: shr.u32 %r7, %r7, 1;\nNEXT: add.u32 %r8, %r8, 1;\nbra LOOP;\nDONE:\n"
	"st.global.u32 [%d2], %r8;\nld.global.u32 %r9, [%d2];\nadd.u32 %r9, %r9, 7;\n"
	"st.global.u32 [%d2], %r9;\nret;\n}\n";

static const struct kernel {
	const char *name, *text;
	uint32_t grid, block, n0;
	size_t bytes;
	bool spins; /* number of iterations depends on the schedule */
} kernels[] = {
	{"alone", alone, 6, 100, 0, 4 * 600},
	{"mix", mix, 5, 96, 480, 4 * 480 + 12},
	{"locks", locks, 2, 20, 0, 16, true},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

struct result {
	enum heddle_status status;
	uint8_t out[4096];
	char *message;
	json_t *figures; /* the launch's statistics without the host's time */
};

static struct result run(const struct kernel *k, const char *const *set, unsigned threads)
{
	struct heddle *h;
	struct heddle_module *m;
	struct result r = {0};
	struct heddle_options o = {.set = set,
				   .timing = set != NULL,
				   .keep_ptx = true,
				   .threads = threads,
				   .max_instructions = 100000000,
				   .max_cycles = 20000000};
	struct {
		uint64_t in, out;
		uint32_t n[2];
	} params = {.n = {k->n0, 0}};
	setenv("HEDDLE_CONF", "conf", 0);
	r.status = heddle_open(&h, &o);
	if (!r.status) {
		if (heddle_load(h, &(struct heddle_text){"test.ptx", k->text, strlen(k->text)}, 1,
				&m))
			fail_msg("%s", heddle_message(h));
		assert_int_equal(heddle_malloc(h, k->bytes, &params.out), HEDDLE_OK);
		assert_true(k->bytes <= sizeof r.out);
		assert_int_equal(heddle_write(h, params.out, r.out, k->bytes), HEDDLE_OK);
		struct heddle_launch l = {.kernel = heddle_kernel_find(m, "k"),
					  .grid = {k->grid, 1, 1},
					  .block = {k->block, 1, 1},
					  .params = &params};
		r.status = heddle_launch(h, &l);
	}
	r.message = strdup(heddle_message(h));
	if (!r.status) {
		assert_int_equal(heddle_read(h, r.out, params.out, k->bytes), HEDDLE_OK);
		char *text = heddle_stats_json(h);
		json_t *all = json_loads(text, 0, NULL);
		r.figures = json_incref(json_array_get(json_object_get(all, "launches"), 0));
		json_object_del(r.figures, "wall_seconds");
		json_decref(all);
		free(text);
	}
	heddle_close(h);
	return r;
}

static void result_free(struct result *r)
{
	free(r->message);
	json_decref(r->figures);
}

static int64_t instructions(const struct result *r)
{
	json_t *v = json_object_get(r->figures, "thread_instructions");
	assert_non_null(v);
	return json_integer_value(v);
}

/* Asserts that a component that a launch reports has a chapter of the manual: "## l1d, l1c, l1t,
 * l1i, l2". */
static void assert_in_manual(const char *component)
{
	static char *manual;
	if (!manual)
		manual = heddle_stats_manual();
	size_t n = strcspn(component, "."); /* "sm.3" belongs to the chapter "sm" */
	for (const char *p = manual; (p = strstr(p, "\n## ")); p++)
		for (const char *w = p + 3; *w == ' ' || *w == ',';) {
			w += strspn(w, " ,");
			size_t len = strcspn(w, " ,\n");
			if (len == n && !memcmp(w, component, n))
				return;
			w += len;
		}
	fail_msg("%s is reported and has no chapter in the manual", component);
}

static struct result functional[KERNELS];

/* True: the kernel ran; false: the machine refused the policy with a message. */
static bool one(const char *setting, const char *key, unsigned machine, unsigned kernel)
{
	const char *set[16] = {0};
	unsigned n = 0;
	for (; machines[machine].set[n]; n++)
		set[n] = machines[machine].set[n];
	set[n] = setting; /* the last counts */
	const struct kernel *k = &kernels[kernel];
	struct result r = run(k, set, 1);
	if (r.status) {
		if ((r.status != HEDDLE_UNSUPPORTED && r.status != HEDDLE_INVALID &&
		     r.status != HEDDLE_BAD_INPUT) ||
		    !strstr(r.message, key))
			fail_msg("%s, machine %u, %s: status %d: %s", setting, machine, k->name,
				 r.status, r.message);
		result_free(&r);
		return false;
	}
	if (memcmp(r.out, functional[kernel].out, k->bytes))
		fail_msg("%s, machine %u, %s: memory differs from functional mode", setting,
			 machine, k->name);
	if (!k->spins)
		assert_int_equal(instructions(&r), instructions(&functional[kernel]));
	const char *component;
	json_t *figures;
	json_object_foreach (json_object_get(r.figures, "timing"), component, figures)
		assert_in_manual(component);
	struct result again = run(k, set, 3);
	if (again.status || memcmp(r.out, again.out, k->bytes) ||
	    !json_equal(r.figures, again.figures))
		fail_msg("%s, machine %u, %s: a run on three host threads differs", setting,
			 machine, k->name);
	result_free(&r);
	result_free(&again);
	return true;
}

static void policy(const char *key, enum family f, const struct policy *p)
{
	char setting[96];
	unsigned ran = 0;
	snprintf(setting, sizeof setting, "%s=%s", key, p->name);
	/* runs every kernel until the policy has run once; afterwards, in the quick tests, one
	 * kernel per machine */
	bool all = getenv("LONG") != NULL;
	for (unsigned m = 0; m < MACHINES; m++)
		for (unsigned k = 0; k < KERNELS; k++)
			if (all || !ran || k == m % KERNELS)
				ran += one(setting, key, m, k);
	const struct div_ops *div = f == FAMILY_div ? (const struct div_ops *)p : NULL;
	bool refuses = div && (div->tokens_only || div->replays_only);
	if (!ran != refuses)
		fail_msg("%s ran %u times", setting, ran);
}

/* Checks that a mechanism's facts about its groups agree with the facts that the energy model
 * gets. */
static void check_facts(const struct div_ops *d)
{
	bool merges = d->groups == GROUPS_SM || d->groups == GROUPS_BLOCK;
	struct facts f = {.regroups = false};
	if (d->p.describe)
		d->p.describe(NULL, &f);
	if (merges != f.regroups)
		fail_msg("%s: its groups and facts.regroups disagree", d->p.name);
	if (d->groups != GROUPS_WARP && d->groups_per_warp)
		fail_msg("%s has groups of several warps, and says that they keep their threads",
			 d->p.name);
}

/* The option that chooses a policy of the family. */
static const char *option_of(enum family f)
{
	unsigned n;
	const struct known_option *o = options_all(&n);
	for (unsigned i = 0; i < n; i++)
		if (o[i].o->type == OPT_POLICY && o[i].o->family == f)
			return o[i].o->key;
	fail_msg("no option chooses among %s", family_folder(f));
	return NULL;
}

static void family(void **state)
{
	enum family f = *(enum family *)*state;
	const struct policy *p;
	for (unsigned i = 0; (p = policy_at(f, i)); i++) {
		if (f == FAMILY_div)
			check_facts((const struct div_ops *)p);
		policy(option_of(f), f, p);
	}
}

static int run_functionally(void **state)
{
	(void)state;
	for (unsigned k = 0; k < KERNELS; k++) {
		functional[k] = run(&kernels[k], NULL, 1);
		assert_int_equal(functional[k].status, HEDDLE_OK);
	}
	return 0;
}

static int drop(void **state)
{
	(void)state;
	for (unsigned k = 0; k < KERNELS; k++)
		result_free(&functional[k]);
	return 0;
}

int main(void)
{
	static enum family number[FAMILIES];
	struct CMUnitTest tests[FAMILIES];
	for (unsigned f = 0; f < FAMILIES; f++) {
		number[f] = f;
		tests[f] = (struct CMUnitTest){family_folder(f), family, NULL, NULL, &number[f]};
	}
	return _cmocka_run_group_tests("conformance", tests, FAMILIES, run_functionally, drop);
}
