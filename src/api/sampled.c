/* Sampled mode: which launches are timed (estimate/strata.h), and the figures of the whole program with
 * their intervals (estimate/figures.h). docs/use/sampling.md explains both. */
#include "api/api.h"
#include "api/sampled.h"

#include <math.h>
#include <stdio.h>
#include "api/checkpoint.h"
#include "base/mangled.h"
#include "conf/machine.h"
#include "estimate/figures.h"
#include "estimate/strata.h"
#include "estimate/student.h"
#include "gpu/gpu.h"
#include "gpu/thin.h"
#include "power/energy.h"
#include "sm/group.h"

struct sampled {
	struct strata *strata;
	/* asked-for half-width of the interval of the cycles, relative; 0: all launches are timed */
	double error;
	uint64_t seed;
	uint64_t alone;   /* launches timed alone that could have shared the GPU */
	bool after_timed; /* the last launch was timed */
	/* indices in heddle.launches, by the numbers that strata.h gives launches */
	VEC(size_t) record;
};

enum heddle_status api_sampled_open(struct heddle *h)
{
	const struct heddle_options *o = &h->opt;
	if (!o->sampled)
		return HEDDLE_OK;
	if (!h->gpu)
		return api_fail(h, HEDDLE_INVALID, "sampled mode needs a machine (--config)");
	if (o->launches || o->kernels || o->skip)
		return api_fail(
			h, HEDDLE_INVALID,
			"sampled mode chooses the launches that are timed itself: --launches, "
			"--kernels and --skip go with --mode timing");
	if (!(o->error >= 0 && o->error < 1))
		return api_fail(h, HEDDLE_INVALID,
				"error %g: expected a part of the cycles from 0 to below 1",
				o->error);
	h->chosen.some = o->error > 0;
	h->sampled = xcalloc(1, sizeof *h->sampled);
	h->sampled->error = o->error;
	h->sampled->seed = o->seed;
	h->sampled->strata = strata_new(o->error, o->seed);
	return HEDDLE_OK;
}

void api_sampled_free(struct heddle *h)
{
	if (!h->sampled)
		return;
	strata_free(h->sampled->strata);
	vec_free(&h->sampled->record);
	free(h->sampled);
}

bool heddle_error_parse(const char *text, double *error)
{
	char *end;
	double percent = strtod(text, &end);
	bool good = end != text && !strcmp(end, "%") && percent >= 0 && percent < 100;
	if (good)
		*error = percent / 100;
	return good;
}

/* ---- launches ---- */

/* True if the machine forms other warps than functional mode, so that warp instructions of timed launches and of
 * others cannot be compared, while thread instructions can. */
static bool counts_threads(const struct heddle *h)
{
	return !h->machine->diverge->as_compiled || h->machine->warp_size != LANES;
}

/* The instructions to which a launch's figures are in proportion. */
static uint64_t instructions_of(const struct heddle *h, const struct launch_record *r)
{
	return counts_threads(h) ? r->s.thread_instructions : r->s.warp_instructions;
}

uint64_t api_sampled_wave(const struct heddle *h, const struct heddle_launch *l,
			  const struct image *img)
{
	const struct machine *m = h->machine;
	uint32_t threads = l->block[0] * l->block[1] * l->block[2];
	if (!threads) /* the launch will be refused */
		return 0;
	uint32_t fit = block_fit(m, threads, api_registers(h, img),
				 img->shared_bytes - img->shared_gaps + l->shared_bytes);
	return (uint64_t)fit * m->sms;
}

/* The number of waves in which the launch's blocks fill the GPU; 0: a block does not fit. */
static uint64_t count_waves(const struct heddle *h, const struct heddle_launch *l,
			    const struct image *img)
{
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	uint64_t wave = api_sampled_wave(h, l, img);
	return wave ? (blocks + wave - 1) / wave : 0;
}

unsigned api_sampled_stratum(struct heddle *h, const struct heddle_launch *l)
{
	struct image *img = api_image(h, l->kernel); /* NULL: the launch fails, whatever its mode */
	uint64_t waves = img ? count_waves(h, l, img) : 0;
	struct stratum_key k = {.kernel = l->kernel->f->name,
				.block = {l->block[0], l->block[1], l->block[2]},
				.shared = l->shared_bytes,
				.waves = strata_waves(waves)};
	return strata_find(h->sampled->strata, &k);
}

bool api_sampled_ready(const struct heddle *h, unsigned stratum)
{
	return strata_ready(h->sampled->strata, stratum);
}

bool api_sampled_wants(struct heddle *h, unsigned stratum)
{
	return strata_wants(h->sampled->strata, stratum);
}

void api_sampled_alone(struct heddle *h) { h->sampled->alone++; }

void api_sampled_add(struct heddle *h, unsigned stratum, size_t record, bool queued)
{
	const struct launch_record *r = &h->launches.v[record];
	bool live = queued && h->sampled->after_timed && r->s.timed;
	h->sampled->after_timed = r->s.timed;
	if (r->s.status != HEDDLE_OK || !r->s.warp_instructions)
		return;
	strata_add(h->sampled->strata, stratum,
		   &(struct strata_launch){.instructions = instructions_of(h, r),
					   .cycles = (double)r->s.cycles,
					   .timed = r->s.timed,
					   .live = live});
	vec_push(&h->sampled->record, record);
}

/* ---- launches of many blocks ---- */

/* Blocks that wait for others or use old values of atomics must run in order; launches and
 * allocations by a kernel belong to one mode. */
static bool may_thin(const struct heddle *h, const struct heddle_launch *l, const struct image *img)
{
	bool observed = h->opt.record || h->sampler || h->series || h->tracer;
	bool cluster =
		l->cluster[0] * l->cluster[1] * l->cluster[2] > 1 || l->kernel->f->cluster[0];
	return !observed && !l->cooperative && !cluster && !img->ordered && !img->recursive &&
	       !api_uses_heap(img) && count_waves(h, l, img) >= THIN_WAVES;
}

struct thin *api_thin_new(const struct heddle *h, const struct heddle_launch *l,
			  const struct image *img, const struct effects *e)
{
	if (!h->sampled || !(h->sampled->error > 0) || !may_thin(h, l, img))
		return NULL;
	struct heddle_device d;
	struct thin *t = xcalloc(1, sizeof *t);
	heddle_device(h, &d);
	t->error = h->sampled->error;
	t->l2_bytes = d.l2_bytes;
	t->by_threads = counts_threads(h);
	if (e && !t->by_threads) {
		t->block_instructions = e->block_instructions;
		t->prof = e->prof;
	}
	return t;
}

/* The weight of a part's figures. */
static double part_weight(const struct thin_part *p)
{
	return p->instructions > 0 ? p->skipped / p->instructions : 0;
}

void api_thinned(const struct heddle *h, struct launch_record *r, struct thin *t)
{
	if (!t->skipped) {
		thin_free(t);
		free(t);
		return;
	}
	double cycles = (double)r->s.cycles;
	for (unsigned i = 0; i < t->parts; i++) {
		double w = part_weight(&t->part[i]);
		cycles += w * t->part[i].cycles;
		r->s.joule += w * api_launch_joule(t->part[i].report);
	}
	r->s.cycles = (uint64_t)(cycles + 0.5);
	r->s.gpu_seconds = cycles / (h->machine->core_mhz * 1e6);
	r->thin = t;
}

void api_thinned_free(struct launch_record *r)
{
	if (r->thin)
		thin_free(r->thin);
	free(r->thin);
}

/* ---- figures ---- */

static const struct launch_record *record_of(const struct heddle *h, size_t launch)
{
	return &h->launches.v[h->sampled->record.v[launch]];
}

static double *part_row(const struct figures *f, const struct launch_record *r, unsigned i)
{
	const struct thin_part *p = &r->thin->part[i];
	double hz = (double)r->s.cycles / r->s.gpu_seconds;
	const double own[FIGURES_OWN] = {[FIGURES_CYCLES] = p->cycles,
					 [FIGURES_SECONDS] = p->cycles / hz,
					 [FIGURES_JOULE] = api_launch_joule(p->report)};
	return figures_row(f, p->report, own);
}

/* The row of all blocks of a thinned launch: the simulated blocks, and the parts' figures for the
 * others. `own` covers the whole launch. */
static double *thinned_row(const struct figures *f, const struct launch_record *r,
			   const double own[FIGURES_OWN])
{
	double *row = figures_row(f, r->report, own);
	for (unsigned i = 0; i < r->thin->parts; i++) {
		double w = part_weight(&r->thin->part[i]), *part = part_row(f, r, i);
		for (size_t c = FIGURES_OWN; c < f->columns; c++)
			row[c] += w * part[c];
		free(part);
	}
	return row;
}

/* Deviations of a thinned launch with this weight. Each part deviates by the difference from its
 * neighbours' mean, and by the window in which it ends; all parts together by the difference
 * between the launch's second half and its first, which is what transients may leave. */
static void deviate_thinned(struct figures *f, const struct launch_record *r, double weight)
{
	const struct thin *t = r->thin;
	double **row = xcalloc(t->parts, sizeof *row), *trend = xcalloc(f->columns, sizeof *trend);
	double early = 0, late = 0;
	unsigned first = 1, n = t->parts - 1, half = first + n / 2; /* without the head */
	for (unsigned i = 0; i < t->parts; i++) {
		row[i] = part_row(f, r, i);
		if (i >= first)
			*(i < half ? &early : &late) += t->part[i].instructions;
	}
	for (unsigned i = first; i < t->parts && n > 1; i++)
		for (size_t c = 0; c < f->columns; c++)
			trend[c] += (i < half ? -row[i][c] / early : row[i][c] / late) *
				    t->skipped * weight / f->factor;
	for (unsigned i = 1; i < t->parts; i++) {
		unsigned a = i - 1, b = i + 1 < t->parts ? i + 1 : a;
		double w = part_weight(&t->part[i]), spread = weight * sqrt(w * w + w);
		double *out = xcalloc(f->columns, sizeof *out);
		double scale = t->part[i].instructions /
			       (t->part[a].instructions + t->part[b].instructions);
		for (size_t c = 0; c < f->columns; c++)
			out[c] = spread * (row[i][c] - scale * (row[a][c] + row[b][c]));
		figures_deviate(f, out);
	}
	for (unsigned i = 0; i < t->parts; i++) {
		double w =
			weight * part_weight(&t->part[i]) * (double)t->window / t->part[i].cycles;
		double *out = xcalloc(f->columns, sizeof *out);
		for (size_t c = 0; c < f->columns; c++)
			out[c] = w * row[i][c];
		figures_deviate(f, out);
	}
	for (unsigned i = 0; i < t->parts; i++)
		free(row[i]);
	free(row);
	figures_deviate(f, trend);
}

static double *row_of(const struct heddle *h, const struct figures *f, size_t launch)
{
	const struct launch_record *r = record_of(h, launch);
	double own[FIGURES_OWN] = {[FIGURES_CYCLES] = (double)r->s.cycles,
				   [FIGURES_SECONDS] = r->s.gpu_seconds,
				   [FIGURES_JOULE] = r->s.joule};
	if (r->thin)
		return thinned_row(f, r, own);
	if (!r->s.shared)
		return figures_row(f, r->report, own);
	/* the last of several concurrent launches has the figures of all */
	if (!r->together)
		return xcalloc(f->columns, sizeof(double));
	power_of_report(r->together, &own[FIGURES_JOULE], &own[FIGURES_SECONDS]);
	own[FIGURES_CYCLES] = own[FIGURES_SECONDS] * h->machine->core_mhz * 1e6;
	return figures_row(f, r->together, own);
}

/* The deviation by a donor's residual. */
static double *residual_row(const struct figures *f, const strata_donors *d, double *const *row,
			    size_t i)
{
	const struct strata_donor *x = &d->v[i];
	double *out = xcalloc(f->columns, sizeof *out), factor = sqrt(x->spread);
	for (size_t c = 0; c < f->columns; c++) {
		double r = row[i][c];
		for (unsigned k = 0; k < 2; k++)
			r -= x->other[k].weight * row[x->other[k].donor][c];
		out[c] = factor * r;
	}
	return out;
}

/* The deviation of launches whose stratum has no timed one; NULL: there are none. */
static double *untimed_row(const struct heddle *h, const struct figures *f, size_t n,
			   double *const *row)
{
	double more = strata_untimed(h->sampled->strata);
	if (!(more > 0))
		return NULL;
	double *out = xcalloc(f->columns, sizeof *out);
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < f->columns; c++)
			out[c] += more * row[i][c];
	return out;
}

/* The deviation by what functional launches leave to timed ones. */
static double *state_row(const struct heddle *h, const struct figures *f, const strata_donors *d,
			 double *const *row)
{
	double *out = xcalloc(f->columns, sizeof *out), *coef = xcalloc(d->n, sizeof *coef);
	strata_state(h->sampled->strata, d, coef);
	for (size_t i = 0; i < d->n; i++)
		for (size_t c = 0; coef[i] != 0 && c < f->columns; c++)
			out[c] += coef[i] * row[i][c];
	free(coef);
	return out;
}

static double thread_instructions(const struct heddle *h)
{
	double sum = 0;
	for (size_t i = 0; i < h->sampled->record.n; i++)
		sum += (double)record_of(h, i)->s.thread_instructions;
	return sum;
}

/* Computes the figures of all launches so far; false: none is timed. */
static bool make_figures(const struct heddle *h, struct figures *f)
{
	strata_donors d = {0};
	*f = (struct figures){0};
	strata_weigh(h->sampled->strata, &d);
	if (d.n) {
		double **row = xcalloc(d.n, sizeof *row), *unlike;
		figures_init(f, record_of(h, d.v[0].launch)->report);
		f->thread_instructions = thread_instructions(h);
		f->factor = student_95(strata_freedom(h->sampled->strata, &d));
		for (size_t i = 0; i < d.n; i++) {
			row[i] = row_of(h, f, d.v[i].launch);
			figures_add(f, row[i], d.v[i].weight);
		}
		for (size_t i = 0; i < d.n; i++)
			if (d.v[i].spread > 0)
				figures_deviate(f, residual_row(f, &d, row, i));
		for (size_t i = 0; i < d.n; i++)
			if (record_of(h, d.v[i].launch)->thin)
				deviate_thinned(f, record_of(h, d.v[i].launch), d.v[i].weight);
		figures_deviate(f, state_row(h, f, &d, row));
		unlike = untimed_row(h, f, d.n, row);
		if (unlike)
			figures_deviate(f, unlike);
		for (size_t i = 0; i < d.n; i++)
			free(row[i]);
		free(row);
	}
	bool any = d.n > 0;
	vec_free(&d);
	return any;
}

/* Part of all warp instructions that was simulated in time. */
static double timed_part(const struct heddle *h)
{
	double all = 0, skipped = 0;
	for (size_t i = 0; i < h->sampled->record.n; i++) {
		const struct launch_record *r = record_of(h, i);
		all += (double)instructions_of(h, r);
		skipped += r->thin ? r->thin->skipped : 0;
	}
	return strata_timed_part(h->sampled->strata) - (all > 0 ? skipped / all : 0);
}

static size_t count_thinned(const struct heddle *h)
{
	size_t n = 0;
	for (size_t i = 0; i < h->sampled->record.n; i++)
		n += record_of(h, i)->thin != NULL;
	return n;
}

static size_t count_timed(const struct heddle *h)
{
	size_t n = 0;
	for (size_t i = 0; i < h->sampled->record.n; i++)
		n += record_of(h, i)->s.timed;
	return n;
}

/* True if the interval of the cycles is as narrow as was asked for. */
static bool is_met(const struct sampled *s, const struct figure_value *cycles)
{
	return cycles->half <= s->error * cycles->value;
}

json_t *api_sampled_json(const struct heddle *h)
{
	const struct sampled *s = h->sampled;
	struct figures f;
	struct figure_value cycles = {0};
	json_t *o =
		json_pack("{s:f, s:f, s:I, s:I, s:I, s:I, s:f}", "error", s->error, "confidence",
			  0.95, "seed", (json_int_t)s->seed, "launches", (json_int_t)s->record.n,
			  "timed", (json_int_t)count_timed(h), "strata",
			  (json_int_t)strata_count(s->strata), "timed_instructions", timed_part(h));
	json_object_set_new(o, "thinned", json_integer((json_int_t)count_thinned(h)));
	json_object_set_new(o, "alone", json_integer((json_int_t)s->alone));
	if (make_figures(h, &f)) {
		figures_find(&f, "launch", "cycles", &cycles);
		json_object_set_new(o, "met", json_boolean(is_met(s, &cycles)));
		json_object_set_new(o, "figures", figures_json(&f));
	}
	figures_free(&f);
	return o;
}

/* Figures of the summary; those of machines without the component are left out. */
static const struct line {
	const char *component, *name, *text, *unit;
	double scale;
} lines[] = {
	{"launch", "cycles", "cycles", "", 1},
	{"launch", "gpu_seconds", "simulated time", " ms", 1e3},
	{"launch", "joule", "energy", " J", 1},
	{"launch", "mean_watts", "mean power", " W", 1},
	{"launch", "ipc", "thread instructions per cycle", "", 1},
	{"l1d", "hit_rate", "L1 data hit rate", " %", 100},
	{"l2", "hit_rate", "L2 hit rate", " %", 100},
	{"issue", "share.issued", "issue slots used", " %", 100},
	{"issue", "share.score_global", "waiting for memory", " %", 100},
};

struct summary {
	struct figure_value v[sizeof lines / sizeof *lines];
	bool found[sizeof lines / sizeof *lines];
};

static void pick_line(void *arg, const struct figure_value *v)
{
	struct summary *s = arg;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (!strcmp(v->component, lines[i].component) && !strcmp(v->name, lines[i].name)) {
			s->v[i] = *v;
			s->found[i] = true;
		}
}

static void print_line(FILE *out, const struct line *l, const struct figure_value *v)
{
	fprintf(out, "\n  %-30s %10.5g%s", l->text, v->value * l->scale, l->unit);
	if (!strcmp(l->unit, " %")) /* the interval of a share is given in percentage points */
		fprintf(out, " +- %.2g", v->half * l->scale);
	else
		fprintf(out, " +- %.2g %%", v->value > 0 ? 100 * v->half / v->value : 0);
}

char *heddle_sampled_text(const struct heddle *h)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = h->sampled ? open_memstream(&text, &size) : NULL;
	struct figures f;
	struct summary s = {0};
	if (!out)
		return NULL;
	size_t n = h->sampled->record.n, timed = count_timed(h);
	fprintf(out, "%zu of %zu launch%s timed, %.3g %% of the warp instructions; seed %llu",
		timed, n, n == 1 ? "" : "es", 100 * timed_part(h),
		(unsigned long long)h->sampled->seed);
	if (make_figures(h, &f)) {
		figures_walk(&f, pick_line, &s);
		fputs("; 95 % intervals:", out);
		for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
			if (s.found[i])
				print_line(out, &lines[i], &s.v[i]);
		if (!is_met(h->sampled, &s.v[0]))
			fprintf(out,
				"\n  the interval of the cycles is wider than %.3g %%: there are too few launches "
				"alike",
				100 * h->sampled->error);
	}
	if (h->sampled->alone)
		fprintf(out,
			"\n  %llu launches could have shared the GPU with others, but were timed alone",
			(unsigned long long)h->sampled->alone);
	figures_free(&f);
	fclose(out);
	return text;
}

bool heddle_sampled_cycles(const struct heddle *h, double *cycles, double *half)
{
	*cycles = *half = 0;
	if (h->sampled)
		*cycles = strata_cycles(h->sampled->strata, half);
	return *cycles > 0;
}

void api_sampled_print(const struct heddle *h, FILE *out)
{
	struct figures f;
	fprintf(out, "\nprogram: %zu of %zu launches timed, 95 %% intervals\n", count_timed(h),
		h->sampled->record.n);
	if (make_figures(h, &f))
		figures_print(&f, out);
	figures_free(&f);
}
