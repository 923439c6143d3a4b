#include "power/energy.h"

#include <stdlib.h>
#include <string.h>

/* ---- binding ---- */

static void home_of(const char *inst, enum power_home *h)
{
	static const struct {
		const char *inst;
		enum power_home home;
	} homes[] = {{"l2", HOME_SLICE},
		     {"slice", HOME_SLICE},
		     {"dram", HOME_CHANNEL},
		     {"icnt", HOME_GPU}};
	*h = HOME_SM;
	for (size_t i = 0; i < STAT_COUNT_OF(homes); i++)
		if (!strcmp(homes[i].inst, inst))
			*h = homes[i].home;
}

/* Where a row's counter lies in all entries of one name and table. */
struct place {
	const struct power_row *row;
	double sign;
	unsigned k, slots;
};
struct kind {
	const char *name;
	const struct stat_table *t;
	VEC(struct place) place;
};
typedef VEC(struct kind) kinds_t;

/* Finds the row's counters: "a", "a+b" or "a-b". */
static void find_row(struct kind *kind, const struct power_row *row)
{
	double sign = 1;
	for (const char *s = row->counter; *s;) {
		char name[64];
		size_t n = strcspn(s, "+-");
		unsigned slots;
		snprintf(name, sizeof name, "%.*s", (int)n, s);
		int k = stat_find(kind->t, name, &slots);
		struct place p = {.row = row, .sign = sign, .k = (unsigned)k, .slots = slots};
		if (k >= 0 && row->slot >= 0) {
			p.k += (unsigned)row->slot;
			p.slots = 1;
		}
		if (k >= 0)
			vec_push(&kind->place, p);
		sign = s[n] == '-' ? -1 : 1;
		s += n + (s[n] != 0);
	}
}

/* The counters of a kind of entry, looked up once: a GPU has many entries of each kind. */
static const struct kind *kind_of(kinds_t *kinds, const struct power_model *p,
				  const struct stat_entry *e)
{
	for (size_t i = 0; i < kinds->n; i++)
		if (kinds->v[i].t == e->t && !strcmp(kinds->v[i].name, e->name))
			return &kinds->v[i];
	struct kind kind = {.name = e->name, .t = e->t};
	for (size_t n = 0; n < p->rows.n; n++)
		if (p->rows.v[n].inst && !strcmp(p->rows.v[n].inst, e->name))
			find_row(&kind, &p->rows.v[n]);
	vec_push(kinds, kind);
	return &kinds->v[kinds->n - 1];
}

static struct power_place place_of(const struct stat_entry *e, unsigned k)
{
	return (struct power_place){e->values + k, e->unit, e->place + k};
}

static void bind_entry(struct power_view *v, const struct kind *kind, const struct stat_entry *e)
{
	enum power_home h;
	home_of(e->name, &h);
	for (size_t i = 0; i < kind->place.n; i++) {
		const struct place *p = &kind->place.v[i];
		const struct power_row *row = p->row;
		enum power_home to = power_components[row->comp].home;
		/* SMs count the dispatcher's events */
		unsigned at = v->base[to == HOME_GPU ? HOME_GPU : h];
		unsigned index = e->index > 0 ? (unsigned)e->index : 0;
		/* slices count their channel controller's events */
		if (h == HOME_SLICE && to == HOME_CHANNEL)
			at = v->base[HOME_CHANNEL] + index / v->p->m->slices;
		else if (h != HOME_GPU && to != HOME_GPU)
			at += index;
		struct power_bind b = {.counter = place_of(e, p->k),
				       .row = row,
				       .joule = p->sign * row->joule,
				       .slots = (uint16_t)p->slots,
				       .at = (uint16_t)at,
				       .comp = (uint8_t)row->comp,
				       .timed = row->timed};
		vec_push(&v->bind, b);
	}
}

/* Sorts instances in order, events before time; the sort is stable within an instance. */
static void sort_binds(struct power_view *v)
{
	unsigned keys = 2 * v->base[HOME_COUNT], n = (unsigned)v->bind.n;
	struct power_bind *to = xcalloc(n + 1, sizeof *to);
	unsigned *next = xcalloc(keys + 1, sizeof *next);
	v->first = xcalloc(keys + 1, sizeof *v->first);
	for (unsigned i = 0; i < n; i++)
		v->first[2 * v->bind.v[i].at + v->bind.v[i].timed + 1]++;
	for (unsigned k = 0; k < keys; k++)
		next[k + 1] = v->first[k + 1] += v->first[k];
	for (unsigned i = 0; i < n; i++)
		to[next[2 * v->bind.v[i].at + v->bind.v[i].timed]++] = v->bind.v[i];
	memcpy(v->bind.v, to, n * sizeof *to);
	free(to);
	free(next);
}

/* Adds a bind to its instance's counters, which begin with counter `from`. */
static void add_counter(struct power_view *v, size_t from, const struct power_bind *b)
{
	for (size_t i = from; i < v->counter.n; i++) {
		struct power_counter *t = &v->counter.v[i];
		if (t->value == b->counter.value && t->slots == b->slots) {
			t->joule += b->joule;
			return;
		}
	}
	struct power_counter t = {.value = b->counter.value, .joule = b->joule, .slots = b->slots};
	vec_push(&v->counter, t);
}

static void make_counters(struct power_view *v)
{
	unsigned n = v->base[HOME_COUNT];
	v->first_counter = xcalloc(2 * n + 1, sizeof *v->first_counter);
	for (unsigned i = 0; i < 2 * n; i++) {
		bool several = i % 2;
		for (unsigned k = v->first[i & ~1u]; k < v->first[(i & ~1u) + 2]; k++)
			if ((v->bind.v[k].slots > 1) == several)
				add_counter(v, v->first_counter[i], &v->bind.v[k]);
		v->first_counter[i + 1] = (unsigned)v->counter.n;
	}
	for (size_t i = 0; i < v->p->rows.n; i++) {
		const struct power_row *row = &v->p->rows.v[i];
		if (!row->inst)
			v->watts += row->joule * v->p->count[power_components[row->comp].home];
	}
}

void power_bind(struct power_view *v, const struct power_model *p, const struct stat_report *r)
{
	*v = (struct power_view){.p = p};
	for (unsigned h = 0; h < HOME_COUNT; h++)
		v->base[h + 1] = v->base[h] + p->count[h];
	const struct stat_entry *e;
	kinds_t kinds = {0};
	for (size_t i = 0; (e = stat_report_at(r, i)); i++) {
		unsigned slots;
		int k;
		if (!strcmp(e->name, "sm") && (k = stat_find(e->t, "ops", &slots)) >= 0) {
			vec_push(&v->ops, place_of(e, (unsigned)k));
			vec_push(&v->sm_unit, e->unit);
		}
		if (!strcmp(e->name, "slice") && (k = stat_find(e->t, "classes", &slots)) >= 0)
			vec_push(&v->requests, place_of(e, (unsigned)k));
		bind_entry(v, kind_of(&kinds, p, e), e);
	}
	for (size_t i = 0; i < kinds.n; i++)
		vec_free(&kinds.v[i].place);
	vec_free(&kinds);
	sort_binds(v);
	make_counters(v);
}

void power_unbind(struct power_view *v)
{
	vec_free(&v->bind);
	free(v->first);
	vec_free(&v->counter);
	free(v->first_counter);
	vec_free(&v->ops);
	vec_free(&v->requests);
	vec_free(&v->sm_unit);
}

/* ---- sums ---- */

static inline uint64_t sum_slots(const uint64_t *value, unsigned slots)
{
	uint64_t n = value[0];
	for (unsigned i = 1; i < slots; i++)
		n += value[i];
	return n;
}

static inline const uint64_t *value_of(const struct power_place *p, const uint64_t *const *units)
{
	return units ? units[p->unit] + p->place : p->value;
}

/* Adds the binds' energy. True: some counter is not 0. */
static bool add_binds(const struct power_bind *b, const struct power_bind *end,
		      const uint64_t *const *units, double joule[COMP_COUNT])
{
	bool any = false;
	for (; b < end; b++) {
		uint64_t n = sum_slots(value_of(&b->counter, units), b->slots);
		any |= n != 0;
		joule[b->comp] += b->joule * (double)n;
	}
	return any;
}

/* True if instance i is an SM whose counters equal those of the previous SM, as most SMs' do in a
 * small launch, because they are idle. */
static bool is_as_before(const struct power_view *v, const uint64_t *const *units, unsigned i)
{
	unsigned sm = i - v->base[HOME_SM];
	return units && sm && sm < v->sm_unit.n &&
	       units[v->sm_unit.v[sm]] == units[v->sm_unit.v[sm - 1]];
}

void power_sum(const struct power_view *v, const uint64_t *const *units, double seconds,
	       struct power_sum *of, struct power_sum *all)
{
	memset(all, 0, sizeof *all);
	for (unsigned i = 0; i < v->base[HOME_COUNT]; i++) {
		const struct power_bind *b = v->bind.v;
		const unsigned *first = &v->first[2 * i];
		if (is_as_before(v, units, i)) {
			of[i] = of[i - 1];
		} else {
			memset(&of[i], 0, sizeof of[i]);
			of[i].events = add_binds(b + first[0], b + first[1], units, of[i].dynamic);
			add_binds(b + first[1], b + first[2], units, of[i].timed);
		}
		for (unsigned c = 0; c < COMP_COUNT; c++) {
			all->dynamic[c] += of[i].dynamic[c];
			all->timed[c] += of[i].timed[c];
		}
	}
	for (size_t i = 0; i < v->p->rows.n; i++) { /* rows of time that have no counter */
		const struct power_row *row = &v->p->rows.v[i];
		enum power_home h = power_components[row->comp].home;
		if (row->inst)
			continue;
		all->timed[row->comp] += row->joule * seconds * v->p->count[h];
		for (unsigned k = v->base[h]; k < v->base[h + 1]; k++)
			of[k].timed[row->comp] += row->joule * seconds;
	}
}

/* Four sums at a time, so that no addition waits for another. */
static double sum_single(const struct power_counter *c, const struct power_counter *end)
{
	double sum[4] = {0};
	for (; end - c >= 4; c += 4) {
		sum[0] += c[0].joule * (double)*c[0].value;
		sum[1] += c[1].joule * (double)*c[1].value;
		sum[2] += c[2].joule * (double)*c[2].value;
		sum[3] += c[3].joule * (double)*c[3].value;
	}
	for (; c < end; c++)
		sum[0] += c->joule * (double)*c->value;
	return sum[0] + sum[1] + (sum[2] + sum[3]);
}

double power_instance(const struct power_view *v, unsigned instance)
{
	const struct power_counter *all = v->counter.v;
	const unsigned *first = &v->first_counter[2 * instance];
	double joule = sum_single(all + first[0], all + first[1]);
	for (unsigned i = first[1]; i < first[2]; i++)
		joule += all[i].joule * (double)sum_slots(all[i].value, all[i].slots);
	return joule;
}

double power_total(const struct power_sum *s)
{
	double sum = 0;
	for (unsigned i = 0; i < COMP_COUNT; i++)
		sum += s->dynamic[i] + s->timed[i];
	return sum;
}

/* ---- classes ---- */

static const uint8_t class_of_op[OPC_COUNT] = {
#define REPORTED(name, report, pj, help, source) CLASS_##report,
	OPCLASSES(REPORTED)
#undef REPORTED
};

/* Shares of warp instructions, and of requests to the slices: global, local, constants, textures,
 * instructions, in the order of slice.classes. Instruction fetches are divided by warp instructions. */
static void class_shares(const struct power_view *v, const uint64_t *const *units,
			 double ops[CLASS_COUNT], double mem[CLASS_COUNT])
{
	enum { REQUESTS = 5, REQ_INST = 4 };
	static const uint8_t class_of_request[REQ_INST] = {CLASS_global, CLASS_global, CLASS_const,
							   CLASS_texture};
	double nops = 0, nreq = 0, inst = 0;
	memset(ops, 0, CLASS_COUNT * sizeof *ops);
	memset(mem, 0, CLASS_COUNT * sizeof *mem);
	for (size_t i = 0; i < v->ops.n; i++) {
		const uint64_t *x = value_of(&v->ops.v[i], units);
		for (unsigned k = 0; k < OPC_COUNT; k++) {
			ops[class_of_op[k]] += (double)x[k];
			nops += (double)x[k];
		}
	}
	for (size_t i = 0; i < v->requests.n; i++) {
		const uint64_t *x = value_of(&v->requests.v[i], units);
		for (unsigned k = 0; k < REQUESTS; k++) {
			double n = (double)x[k];
			nreq += n;
			if (k == REQ_INST)
				inst += n;
			else
				mem[class_of_request[k]] += n;
		}
	}
	if (!(nops > 0))
		ops[CLASS_shared_cost] = nops = 1;
	if (!(nreq > 0))
		mem[CLASS_shared_cost] = nreq = 1;
	for (unsigned c = 0; c < CLASS_COUNT; c++) {
		ops[c] /= nops;
		mem[c] = (mem[c] + inst * ops[c]) / nreq;
	}
}

static void by_share(double cls[CLASS_COUNT], const double share[CLASS_COUNT], double joule)
{
	for (unsigned c = 0; c < CLASS_COUNT; c++)
		cls[c] += joule * share[c];
}

static void add_class(const struct power_bind *b, const uint64_t *x, const double ops[CLASS_COUNT],
		      const double mem[CLASS_COUNT], double cls[CLASS_COUNT])
{
	double joule = b->joule * (double)sum_slots(x, b->slots);
	if (b->timed)
		cls[CLASS_shared_cost] += joule;
	else if (b->row->split == SPLIT_OPS)
		by_share(cls, ops, joule);
	else if (b->row->split == SPLIT_MEMORY)
		by_share(cls, mem, joule);
	else if (b->row->split == SPLIT_SLOT)
		for (unsigned k = 0; k < b->slots; k++)
			cls[class_of_op[k]] += b->joule * (double)x[k];
	else
		cls[b->row->cls] += joule;
}

void power_classes(const struct power_view *v, const uint64_t *const *units,
		   const struct power_sum *of, double seconds, double cls[CLASS_COUNT])
{
	double ops[CLASS_COUNT], mem[CLASS_COUNT];
	class_shares(v, units, ops, mem);
	memset(cls, 0, CLASS_COUNT * sizeof *cls);
	for (unsigned i = 0; i < v->base[HOME_COUNT]; i++) {
		const unsigned *first = &v->first[2 * i];
		for (unsigned k = of[i].events ? first[0] : first[1]; k < first[2]; k++)
			add_class(&v->bind.v[k], value_of(&v->bind.v[k].counter, units), ops, mem,
				  cls);
	}
	for (size_t i = 0; i < v->p->rows.n; i++) {
		const struct power_row *row = &v->p->rows.v[i];
		if (!row->inst)
			cls[CLASS_shared_cost] += row->joule * seconds *
						  v->p->count[power_components[row->comp].home];
	}
}

/* ---- in reports ---- */

#define J(name, help) {name, "J", help, STAT_REAL, 1},
#define THREE(name, help)                                                                          \
	J(#name, help)                                                                             \
	J(#name ".dynamic", "part that is proportional to events")                                 \
	J(#name ".static", "part that is proportional to time, or to the time of a "               \
			   "state")
static const struct stat_def energy_defs[] = {
	J("total", "energy of the launch") J("dynamic", "part that is proportional to events")
		J("static", "part that is proportional to time, or to the time of a "
			    "state"){"seconds", "s", "simulated time", STAT_REAL, 1},
	{"edp", "J s", "energy-delay product: total x seconds", STAT_REAL, 1},
	{"ed2p", "J s^2", "total x seconds^2", STAT_REAL, 1},
	{"time_share", "", "static / total", STAT_REAL, 1},
	{"time_share_unclocked", "", "share without the clock tree", STAT_REAL, 1},
#define COMPONENT(name, home, help) THREE(name, help)
#include "power/component.def"
#undef COMPONENT
#define CLASS(name, help) J("class." #name, help)
	POWER_CLASSES(CLASS)
#undef CLASS
};
const struct stat_table power_energy_table = STAT_TABLE_PLAIN("energy", energy_defs);

#define IN(x) x
#define OUT(x)
#define IF_SM      IN
#define IF_SLICE   OUT
#define IF_CHANNEL OUT
#define IF_GPU     OUT
static const struct stat_def sm_defs[] = {J("total", "energy of the SM")
#define COMPONENT(name, home, help) IF_##home(THREE(name, help))
#include "power/component.def"
#undef COMPONENT
};
const struct stat_table power_sm_table = STAT_TABLE_PLAIN("energy_sm", sm_defs);
static const struct stat_def slice_defs[] = {J("total", "energy of the slice")
						     THREE(l2, "the slice's cache")};
const struct stat_table power_slice_table = STAT_TABLE_PLAIN("energy_slice", slice_defs);
static const struct stat_def channel_defs[] = {J("total", "energy of the channel") THREE(
	mc, "memory controller and PHY") THREE(dram, "DRAM chips")};
const struct stat_table power_channel_table = STAT_TABLE_PLAIN("energy_channel", channel_defs);
static const struct stat_def power_defs[] = {
	{"mean", "W", "energy / simulated time", STAT_REAL, 1},
	{"peak", "W", "largest mean power of a window of power.window core cycles", STAT_REAL, 1},
	{"least", "W", "smallest mean power of such a window", STAT_REAL, 1},
};
const struct stat_table power_power_table = STAT_TABLE_PLAIN("power", power_defs);

/* Adds an instance's report: total, then three values per component of the home, in order. */
static void add_instance(struct stat_report *r, const struct stat_table *t, enum power_home h,
			 int index, const struct power_sum *s)
{
	uint64_t v[1 + 3 * COMP_COUNT];
	unsigned n = 1;
	for (unsigned c = 0; c < COMP_COUNT; c++) {
		if (power_components[c].home != h)
			continue;
		v[n++] = stat_of_real(s->dynamic[c] + s->timed[c]);
		v[n++] = stat_of_real(s->dynamic[c]);
		v[n++] = stat_of_real(s->timed[c]);
	}
	v[0] = stat_of_real(power_total(s));
	stat_report_add(r, t, t->component, index, v);
}

static void add_energy(struct stat_report *r, const struct power_view *v,
		       const struct power_sum *of, const struct power_sum *s, double seconds)
{
	uint64_t out[STAT_COUNT_OF(energy_defs)], *o = out;
	double dynamic = 0, timed = 0, cls[CLASS_COUNT];
	for (unsigned c = 0; c < COMP_COUNT; c++) {
		dynamic += s->dynamic[c];
		timed += s->timed[c];
	}
	double total = power_total(s), some = total > 0 ? total : 1;
	const double head[] = {
		total,           dynamic,
		timed,           seconds,
		total * seconds, total * seconds * seconds,
		timed / some,    (timed - s->timed[COMP_clock] - s->timed[COMP_lanes]) / some};
	for (unsigned i = 0; i < STAT_COUNT_OF(head); i++)
		*o++ = stat_of_real(head[i]);
	for (unsigned c = 0; c < COMP_COUNT; c++) {
		*o++ = stat_of_real(s->dynamic[c] + s->timed[c]);
		*o++ = stat_of_real(s->dynamic[c]);
		*o++ = stat_of_real(s->timed[c]);
	}
	power_classes(v, stat_report_units(r), of, seconds, cls);
	for (unsigned c = 0; c < CLASS_COUNT; c++)
		*o++ = stat_of_real(cls[c]);
	stat_report_add(r, &power_energy_table, "energy", -1, out);
}

static void close_window(struct power_range *w)
{
	double watts = w->last_seconds > 0 ? w->last_joule / w->last_seconds : 0;
	if (!(w->last_seconds > 0))
		return;
	bool first = !(w->peak > 0);
	w->peak = first || watts > w->peak ? watts : w->peak;
	w->least = first || watts < w->least ? watts : w->least;
}

void power_range_add(struct power_range *w, double joule, double seconds)
{
	close_window(w);
	w->joule += joule;
	w->seconds += seconds;
	w->last_joule = joule;
	w->last_seconds = seconds;
}

struct power_range power_range_end(struct power_range w, double joule, double seconds,
				   double window)
{
	double left = seconds - w.seconds;
	if (left >= window * (1 - 1e-9)) /* the rest is a whole window, not yet closed */
		power_range_add(&w, joule - w.joule, left);
	else {
		w.last_joule += joule - w.joule;
		w.last_seconds += left;
	}
	close_window(&w);
	return w;
}

void power_report_by(const struct power_view *v, struct stat_report *r, double seconds,
		     const struct power_range *w)
{
	const struct power_model *p = v->p;
	struct power_sum all, *of = xmalloc(v->base[HOME_COUNT] * sizeof *of);
	static const struct stat_table *const table[HOME_COUNT] = {
		&power_sm_table, &power_slice_table, &power_channel_table, NULL};
	power_sum(v, stat_report_units(r), seconds, of, &all);
	for (unsigned h = 0; h < HOME_COUNT; h++)
		for (unsigned i = v->base[h];
		     table[h] && i < v->base[h + 1] && (h == HOME_SM || !p->sm_only); i++)
			add_instance(r, table[h], h, (int)(i - v->base[h]), &of[i]);
	add_energy(r, v, of, &all, seconds);
	double mean = seconds > 0 ? power_total(&all) / seconds : 0;
	struct power_range none = {0}, range = power_range_end(w ? *w : none, power_total(&all),
							       seconds, p->m->power_window / p->hz);
	const uint64_t watts[] = {stat_of_real(mean), stat_of_real(range.peak),
				  stat_of_real(range.least)};
	stat_report_add(r, &power_power_table, "power", -1, watts);
	free(of);
}

void power_report(const struct power_model *p, struct stat_report *r, double seconds,
		  const struct power_range *w)
{
	struct power_view v;
	power_bind(&v, p, r);
	power_report_by(&v, r, seconds, w);
	power_unbind(&v);
}

bool power_of_report(const struct stat_report *r, double *joule, double *seconds)
{
	const struct stat_entry *e;
	for (size_t i = 0; (e = stat_report_at(r, i)); i++)
		if (e->t == &power_energy_table) {
			*joule = stat_real(e->values[0]);
			*seconds = stat_real(e->values[3]);
			return true;
		}
	return false;
}
