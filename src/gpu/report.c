/* A launch's report: the difference of all figures between its start and its end. Statistics are in
 * stat/stat.h, energy in power/energy.h. */
#include "gpu/run.h"

#include "gpu/thin.h"
#include "gpu/trace.h"
#include "kernel/image.h"
#include "mem/memsys.h"

void gpu_count_sm(const struct gpu *g, unsigned i, cycle_t start, cycle_t at)
{
	sm_count_until(g->sm[i], at);
	STAT(&g->sm[i]->stats, cycles) = at - start;
}

void gpu_count_memory(const struct gpu *g, cycle_t at)
{
	if (!g->m->perfect_mem)
		memsys_count_until(g->mem, at);
}

void gpu_count_until(const struct gpu *g, cycle_t start, cycle_t at)
{
	for (unsigned i = 0; i < g->nsm; i++)
		gpu_count_sm(g, i, start, at);
	gpu_count_memory(g, at);
}

bool gpu_is_untouched(const struct gpu *g, unsigned sm)
{
	return g->blocks_only && g->sm[sm]->wakings == g->waked[sm];
}

/* SMs that have had no block since the run began have counted the same cycles, and nothing else: small
 * launches leave most SMs of a large GPU in that state. */
static const uint32_t *find_alike(const struct run *r)
{
	uint32_t *like = r->g->like, first = r->g->nsm;
	for (uint32_t i = 0; i < r->g->nsm; i++) {
		bool untouched = gpu_is_untouched(r->g, i);
		first = untouched && first == r->g->nsm ? i : first;
		like[i] = untouched ? first : i;
	}
	like[r->g->nsm] = r->g->nsm;
	return like;
}

static void count_figures(struct run *r, cycle_t at)
{
	r->counted = at > r->counted ? at : r->counted;
	gpu_count_until(r->g, r->start, at);
}

struct stat_report *run_figures(struct run *r, cycle_t at)
{
	count_figures(r, at);
	return stat_report_copy(r->g->live, find_alike(r));
}

static void add_profiles(struct run *r, struct timed_launch *j)
{
	enum { WORDS = sizeof(struct prof) / sizeof(uint64_t) };
	j->r->prof = xcalloc(j->k.ncode + 1, sizeof *j->r->prof);
	for (unsigned i = 0; i < r->g->nsm; i++)
		for (uint32_t pc = 0; j->k.prof[i] && pc < j->k.ncode; pc++) {
			const uint64_t *from = (const uint64_t *)&j->k.prof[i][pc];
			uint64_t *to = (uint64_t *)&j->r->prof[pc];
			for (unsigned w = 0; w < WORDS; w++)
				to[w] += from[w];
		}
	for (uint32_t pc = 0; pc < j->k.ncode; pc++) {
		struct prof *p = &j->r->prof[pc];
		p->issued += p->whole;
		p->lanes += p->whole * r->g->m->warp_size;
		p->full += p->whole;
		p->whole = 0;
	}
}

#define CODE_STATS(X)                                                                              \
	X(instructions, STAT_SUM, 1, "instructions",                                               \
	  "instructions of the kernel's code, spills included")                                    \
	X(scalar, STAT_SUM, 1, "instructions",                                                     \
	  "instructions that a warp executes once (sm.scalar)")                                    \
	X(registers, STAT_SUM, 1, "registers", "registers per thread")                             \
	X(scalar_registers, STAT_SUM, 1, "registers", "scalar registers per warp")
struct code_figures {
	STAT_FIELDS(CODE_STATS)
};
static const struct stat_def code_defs[] = {STAT_DEFS(CODE_STATS)};
const struct stat_table code_stats = STAT_TABLE_PLAIN("code", code_defs);

static void add_code(const struct gpu *g, const struct kern *k, struct stat_report *o)
{
	struct code_figures c = {{0}};
	STAT(&c, instructions) = k->ncode;
	for (uint32_t pc = 0; pc < k->ncode; pc++)
		STAT(&c, scalar) += k->code[pc].scalar;
	STAT(&c, registers) = kern_registers(g->m, k->l->img);
	STAT(&c, scalar_registers) = k->l->img->scalar_regs;
	stat_report_add(o, &code_stats, "code", -1, &c);
}

static struct stat_report *figures_since(struct run *r, const struct stat_report *before,
					 cycle_t at)
{
	count_figures(r, at);
	return stat_report_copy_since(r->g->live, find_alike(r), before);
}

static double seconds_between(const struct run *r, cycle_t from, cycle_t to)
{
	return (double)(to - from) / r->g->power->hz;
}

/* Reports a launch that has ended or is ended early. If the launch was alone on the GPU, its
 * figures cover exactly its own cycles. With concurrent launches, its figures are the whole GPU's
 * up to the end of the window. */
void run_report(struct run *r, struct timed_launch *j)
{
	struct gpu_result *o = j->r;
	o->cycles = j->end - j->start;
	o->alone = j->alone;
	cycle_t at = j->alone ? j->end : r->end;
	o->report = figures_since(r, j->before, at);
	add_code(r->g, &j->k, o->report);
	power_report_by(r->g->view, o->report, seconds_between(r, j->start, at), &j->watts);
	stat_report_total(o->report);
	if (!r->running && !j->alone) {
		o->together = figures_since(r, r->before, at);
		power_report_by(r->g->view, o->together, seconds_between(r, r->began, at), NULL);
	}
	if (j->before != r->before)
		stat_report_free(j->before);
	if (!r->running)
		stat_report_free(r->before);
	j->before = NULL;
	add_profiles(r, j);
	if (j->j->thin)
		thin_report(j);
	for (uint32_t pc = 0; pc < j->k.ncode; pc++)
		o->warp_instructions += o->prof[pc].issued;
	if (r->o->tracer)
		tracer_launch(r->o->tracer, (unsigned)(j - r->job), j->k.l->img->kernel->name,
			      j->start, j->end);
}
