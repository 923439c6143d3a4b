#include "estimate/strata.h"

#include <math.h>
#include <string.h>
#include "estimate/student.h"

enum {
	PILOT = 8,  /* launches of a stratum that are timed first */
	FEWEST = 4, /* launches timed of a later range, at least */
};
static const double NEAR = 0.02; /* relative difference of instructions that makes no difference */

struct unit {
	double x, y; /* warp instructions; cycles, 0: not timed */
	size_t launch;
	bool timed, live;
};

struct stratum {
	struct stratum_key key;
	VEC(struct unit) unit; /* in program order */
	double x, y, timed_x;  /* sums: instructions; cycles and instructions of timed launches */
	double least, most;    /* instructions of the smallest and the largest timed launch */
	size_t decided;        /* launches about which has been decided */
	size_t from, to;       /* range of numbers that is sampled now */
	size_t want;           /* launches timed of the range */
	double start;          /* place of the first, as a part of the distance between two */
	bool unlike;           /* the last launch was like no timed one: the next is timed */
	size_t followed;       /* `from` of the last range of which a launch has been followed */
};

struct strata {
	double error;
	uint64_t seed;
	VEC(struct stratum) stratum;
	size_t launches;
	bool follow; /* the next launch of any stratum is timed, as one that is live */
};

struct strata *strata_new(double error, uint64_t seed)
{
	struct strata *s = xcalloc(1, sizeof *s);
	s->error = error;
	s->seed = seed;
	return s;
}

void strata_free(struct strata *s)
{
	for (size_t i = 0; s && i < s->stratum.n; i++) {
		vec_free(&s->stratum.v[i].unit);
		free((char *)s->stratum.v[i].key.kernel);
	}
	if (s)
		vec_free(&s->stratum);
	free(s);
}

uint32_t strata_waves(uint64_t waves)
{
	if (waves <= 4)
		return waves ? (uint32_t)waves : 1;
	return 2 + (uint32_t)(64 - __builtin_clzll(waves - 1));
}

static bool same_key(const struct stratum_key *a, const struct stratum_key *b)
{
	return a->waves == b->waves && a->shared == b->shared &&
	       !memcmp(a->block, b->block, sizeof a->block) && !strcmp(a->kernel, b->kernel);
}

unsigned strata_find(struct strata *s, const struct stratum_key *k)
{
	for (unsigned i = 0; i < s->stratum.n; i++)
		if (same_key(&s->stratum.v[i].key, k))
			return i;
	struct stratum t = {.key = *k, .to = PILOT, .want = PILOT};
	t.key.kernel = xstrdup(k->kernel);
	vec_push(&s->stratum, t);
	return (unsigned)s->stratum.n - 1;
}

size_t strata_count(const struct strata *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->stratum.n; i++)
		n += s->stratum.v[i].unit.n > 0;
	return n;
}

double strata_timed_part(const struct strata *s)
{
	double timed = 0, all = 0;
	for (size_t i = 0; i < s->stratum.n; i++) {
		timed += s->stratum.v[i].timed_x;
		all += s->stratum.v[i].x;
	}
	return all > 0 ? timed / all : 1;
}

/* ---- timed launches that represent others ---- */

struct mix {                        /* a launch's figures as a sum over timed ones */
	const struct unit *from[2]; /* NULL: not used */
	double weight[2];
};

enum standing { NOT_FIRST, ANY };

/* True if u may stand for the launch at `at`. The first launch of a stratum finds other caches and other
 * code than later ones, and stands for none if there is any other. */
static bool may_stand(const struct stratum *t, const struct unit *u, const struct unit *at,
		      enum standing who)
{
	return u->timed && u != at && (who == ANY || u != t->unit.v);
}

static bool is_near(const struct unit *u, const struct unit *at)
{
	return fabs(u->x - at->x) <= NEAR * at->x;
}

/* Mixes two launches so that `place` between the two places is met; one NULL: the other alone. */
static struct mix mix_two(const struct unit *a, double pa, const struct unit *b, double pb,
			  double place)
{
	struct mix m = {{a, b}, {1, 0}};
	if (a && b && pb > pa)
		m.weight[1] = (place - pa) / (pb - pa);
	else if (!a)
		m.weight[1] = 1;
	m.weight[0] = a ? 1 - m.weight[1] : 0;
	return m;
}

static struct mix mix_by_order(const struct stratum *t, const struct unit *at, enum standing who)
{
	const struct unit *a = NULL, *b = NULL, *end = t->unit.v + t->unit.n;
	for (const struct unit *u = at; u-- > t->unit.v && !a;)
		if (may_stand(t, u, at, who) && is_near(u, at))
			a = u;
	for (const struct unit *u = at + 1; u < end && !b; u++)
		if (may_stand(t, u, at, who) && is_near(u, at))
			b = u;
	return mix_two(a, a ? (double)(a - t->unit.v) : 0, b, b ? (double)(b - t->unit.v) : 0,
		       (double)(at - t->unit.v));
}

static struct mix mix_by_size(const struct stratum *t, const struct unit *at, enum standing who)
{
	const struct unit *a = NULL, *b = NULL;
	for (const struct unit *u = t->unit.v; u < t->unit.v + t->unit.n; u++) {
		if (!may_stand(t, u, at, who))
			continue;
		if (u->x <= at->x && (!a || u->x >= a->x))
			a = u;
		if (u->x > at->x && (!b || u->x < b->x))
			b = u;
	}
	return mix_two(a, a ? a->x : 0, b, b ? b->x : 0, at->x);
}

/* Finds the timed launches that stand for the launch at `at`; neither field set: none. */
static struct mix mix_of(const struct stratum *t, const struct unit *at, enum standing who)
{
	struct mix m = mix_by_order(t, at, who);
	if (!m.from[0] && !m.from[1])
		m = mix_by_size(t, at, who);
	/* each in proportion to instructions: between two sizes the mix has the launch's own already */
	double x = 0;
	for (int i = 0; i < 2; i++)
		x += m.from[i] ? m.weight[i] * m.from[i]->x : 0;
	for (int i = 0; i < 2; i++)
		m.weight[i] *= x > 0 ? at->x / x : 0;
	return m;
}

/* Finds what stands for the launch at `at`; neither field set: no launch of the stratum is timed. */
static struct mix mix_for(const struct stratum *t, const struct unit *at)
{
	struct mix m = mix_of(t, at, NOT_FIRST);
	return m.from[0] || m.from[1] ? m : mix_of(t, at, ANY);
}

static double mixed_cycles(const struct mix *m)
{
	double y = 0;
	for (int i = 0; i < 2; i++)
		y += m->from[i] ? m->weight[i] * m->from[i]->y : 0;
	return y;
}

/* ---- choice of the launches to time ---- */

static uint64_t mix_bits(uint64_t x) /* splitmix64 */
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* A number in [0, 1) of the stratum and its range. */
static double pick_start(const struct strata *s, const struct stratum *t)
{
	uint64_t x = mix_bits(s->seed);
	for (const char *c = t->key.kernel; *c; c++)
		x = mix_bits(x ^ (unsigned char)*c);
	for (int i = 0; i < 3; i++)
		x = mix_bits(x ^ t->key.block[i]);
	x = mix_bits(mix_bits(x ^ t->key.waves) ^ t->key.shared);
	return (double)(mix_bits(x ^ t->from) >> 11) * 0x1p-53;
}

static double cycles_of(const struct stratum *t)
{
	return t->timed_x > 0 ? t->y * t->x / t->timed_x : 0;
}

/* The error that the stratum may have, relative to its own cycles: strata that take a share w of all
 * cycles get error / sqrt(w) each, so that their sum has `error`. */
static double allowed_error(const struct strata *s, const struct stratum *t)
{
	double all = 0;
	for (size_t i = 0; i < s->stratum.n; i++)
		all += cycles_of(&s->stratum.v[i]);
	double own = cycles_of(t);
	return own > 0 ? s->error * sqrt(all / own) : s->error;
}

/* Root mean square of the relative residuals of all timed launches but the first. */
static double residual(const struct stratum *t, unsigned *n)
{
	double sum = 0;
	*n = 0;
	for (const struct unit *u = t->unit.v + 1; u < t->unit.v + t->unit.n; u++) {
		if (!u->timed || u->y <= 0)
			continue;
		struct mix m = mix_for(t, u);
		double r = (mixed_cycles(&m) - u->y) / u->y;
		sum += r * r;
		++*n;
	}
	return *n ? sqrt(sum / *n) : 1;
}

static void next_range(struct strata *s, struct stratum *t)
{
	unsigned n;
	t->from = t->to;
	t->to *= 2;
	double cv = residual(t, &n), e = allowed_error(s, t);
	double want = student_95(n > 1 ? n - 1 : 1) * cv / e;
	want = ceil(want * want);
	size_t room = t->to - t->from;
	t->want = !(want < (double)room) ? room : want < FEWEST ? FEWEST : (size_t)want;
	t->start = pick_start(s, t);
}

/* True if launch k of the stratum is one of the places from + (start + j) * (to - from) / want. */
static bool is_place(const struct stratum *t, size_t k)
{
	double step = (double)(t->to - t->from) / (double)t->want;
	double j = ceil((double)(k - t->from) / step - t->start);
	return (size_t)((t->start + j) * step) + t->from == k;
}

bool strata_ready(const struct strata *s, unsigned stratum)
{
	const struct stratum *t = &s->stratum.v[stratum];
	return t->decided < t->to || t->decided == t->unit.n;
}

bool strata_wants(struct strata *s, unsigned stratum)
{
	struct stratum *t = &s->stratum.v[stratum];
	size_t k = t->decided++;
	bool follows = s->follow;
	s->follow = false;
	if (!(s->error > 0))
		return true;
	while (k >= t->to)
		next_range(s, t);
	if (t->want >= t->to - t->from)
		return true;
	bool chosen = is_place(t, k);
	if (chosen && t->followed != t->from) { /* once per range */
		s->follow = true;
		t->followed = t->from;
	}
	return chosen || follows || t->unlike;
}

void strata_add(struct strata *s, unsigned stratum, const struct strata_launch *l)
{
	enum { UNLIKE = 2 }; /* factor of instructions */
	struct stratum *t = &s->stratum.v[stratum];
	struct unit u = {(double)l->instructions, l->timed ? l->cycles : 0, s->launches++, l->timed,
			 l->live};
	vec_push(&t->unit, u);
	t->x += u.x;
	if (u.timed) {
		t->y += u.y;
		t->least = t->timed_x > 0 && t->least < u.x ? t->least : u.x;
		t->most = t->most > u.x ? t->most : u.x;
		t->timed_x += u.x;
	}
	t->unlike = !u.timed && (u.x > UNLIKE * t->most || UNLIKE * u.x < t->least);
}

/* ---- the estimate ---- */

/* Weights of a stratum's donors, by number of the launch in the stratum. */
static void weigh_stratum(const struct stratum *t, double *weight)
{
	for (const struct unit *u = t->unit.v; u < t->unit.v + t->unit.n; u++) {
		if (u->timed)
			continue;
		struct mix m = mix_for(t, u);
		for (int i = 0; i < 2; i++)
			if (m.from[i])
				weight[m.from[i] - t->unit.v] += m.weight[i];
	}
}

double strata_untimed(const struct strata *s)
{
	double x = 0, timed = 0;
	for (size_t i = 0; i < s->stratum.n; i++) {
		const struct stratum *t = &s->stratum.v[i];
		x += t->timed_x > 0 ? 0 : t->x;
		timed += t->timed_x;
	}
	return timed > 0 ? x / timed : 0;
}

void strata_weigh(const struct strata *s, strata_donors *out)
{
	double more = strata_untimed(s);
	for (size_t i = 0; i < s->stratum.n; i++) {
		const struct stratum *t = &s->stratum.v[i];
		double *weight = xcalloc(t->unit.n + 1, sizeof *weight);
		size_t *place = xcalloc(t->unit.n + 1, sizeof *place);
		weigh_stratum(t, weight);
		for (size_t k = 0, n = out->n; k < t->unit.n; k++)
			if (t->unit.v[k].timed)
				place[k] = n++;
		for (size_t k = 0; k < t->unit.n; k++) {
			const struct unit *u = &t->unit.v[k];
			if (!u->timed)
				continue;
			struct mix m = mix_for(t, u);
			double w = weight[k];
			struct strata_donor d = {u->launch, 1 + w + more, w * w + w, {{0, 0}}};
			for (int j = 0; j < 2; j++)
				if (m.from[j]) {
					d.other[j].donor = place[m.from[j] - t->unit.v];
					d.other[j].weight = m.weight[j];
				}
			vec_push(out, d);
		}
		free(weight);
		free(place);
	}
}

/* Comparison of a stratum's launches that are not live with its live launches of similar size. */
struct contrast {
	double cycles; /* weighted cycles of launches that are not live */
	/* the part of `cycles` whose launches have a live launch of their size */
	double compared;
	double sum;           /* weighted differences in cycles of that part */
	double mean, squares; /* relative differences of that part: mean, sum of squares */
	unsigned n;           /* number of launches in that part */
};

typedef VEC(const struct unit *) unit_list;

/* Mixes the live launches of the size of `at` that are nearest before and behind it. live: those of the stratum, in
 * program order. *next: number of the first behind `at`; launches are asked about in program order. Launches far
 * from it find other caches, so few are looked at. */
static struct mix mix_live(const struct stratum *t, const unit_list *live, size_t *next,
			   const struct unit *at)
{
	enum { MOST = 64 }; /* live launches looked at on each side */
	const struct unit *a = NULL, *b = NULL;
	while (*next < live->n && live->v[*next] < at)
		++*next;
	for (size_t i = *next; i-- > 0 && *next - i <= MOST && !a;)
		a = is_near(live->v[i], at) ? live->v[i] : NULL;
	for (size_t i = *next; i < live->n && i - *next < MOST && !b; i++)
		b = is_near(live->v[i], at) ? live->v[i] : NULL;
	return mix_two(a, a ? (double)(a - t->unit.v) : 0, b, b ? (double)(b - t->unit.v) : 0,
		       (double)(at - t->unit.v));
}

/* Compares, and adds to the donors' coefficients the terms from which the sum is computed. place:
 * [launch]: index of its donor. */
static struct contrast compare_live(const struct stratum *t, const strata_donors *d,
				    const size_t *place, double *coef)
{
	struct contrast c = {0};
	unit_list live = {0};
	size_t next = 0;
	for (size_t k = 1; k < t->unit.n; k++)
		if (t->unit.v[k].timed && t->unit.v[k].live)
			vec_push(&live, &t->unit.v[k]);
	for (size_t k = 1; k < t->unit.n; k++) { /* the first finds other caches anyway */
		const struct unit *u = &t->unit.v[k];
		if (!u->timed || u->live)
			continue;
		double w = d->v[place[k]].weight, x = 0;
		struct mix m = mix_live(t, &live, &next, u);
		c.cycles += w * u->y;
		for (int j = 0; j < 2; j++)
			x += m.from[j] ? m.weight[j] * m.from[j]->x : 0;
		if (!(x > 0))
			continue;
		coef[place[k]] += w;
		for (int j = 0; j < 2; j++) {
			m.weight[j] *= u->x / x;
			if (m.from[j])
				coef[place[m.from[j] - t->unit.v]] -= w * m.weight[j];
		}
		double e = u->y - mixed_cycles(&m), r = e / u->y;
		c.compared += w * u->y;
		c.sum += w * e;
		c.mean += (r - c.mean) / ++c.n;
		c.squares += r * r;
	}
	vec_free(&live);
	return c;
}

/* The squared standard error of the sum of differences, to which each donor contributes by its coefficient. */
static double contrast_variance(const struct contrast *c, const struct stratum *t,
				const size_t *place, const double *coef)
{
	/* variance of a difference between one launch and one or two others, in variances of a launch */
	static const double PAIR = 1.5;
	double sum = 0;
	if (c->n < 2) /* one launch alone gives no spread */
		return c->sum * c->sum;
	double spread = (c->squares - c->n * c->mean * c->mean) / (c->n - 1);
	for (size_t k = 0; k < t->unit.n; k++) {
		double y = t->unit.v[k].timed ? coef[place[k]] * t->unit.v[k].y : 0;
		sum += y * y;
	}
	return spread / PAIR * sum;
}

void strata_state(const struct strata *s, const strata_donors *d, double *coef)
{
	double sum = 0, variance = 0, all = 0, compared = 0;
	memset(coef, 0, d->n * sizeof *coef);
	if (!(s->error > 0)) /* every launch is timed, as the program runs */
		return;
	for (size_t i = 0, donor = 0; i < s->stratum.n; i++) {
		const struct stratum *t = &s->stratum.v[i];
		size_t *place = xcalloc(t->unit.n + 1, sizeof *place);
		for (size_t k = 0; k < t->unit.n; k++)
			if (t->unit.v[k].timed)
				place[k] = donor++;
		struct contrast c = compare_live(t, d, place, coef);
		sum += c.sum;
		variance += contrast_variance(&c, t, place, coef);
		free(place);
		all += c.cycles;
		compared += c.compared;
	}
	double scale = sum * sum > 4 * variance ? 1 : 0;
	/* launches that could not be compared are taken to differ as much */
	scale *= compared > 0 ? all / compared : 0;
	for (size_t i = 0; i < d->n; i++)
		coef[i] *= scale;
}

double strata_freedom(const struct strata *s, const strata_donors *d)
{
	double sum = 0, squares = 0;
	VEC(double) size = {0};
	for (size_t i = 0; i < s->stratum.n; i++)
		for (size_t k = 0; k < s->stratum.v[i].unit.n; k++)
			if (s->stratum.v[i].unit.v[k].timed)
				vec_push(&size, s->stratum.v[i].unit.v[k].y);
	for (size_t i = 0; i < d->n; i++) {
		double a = d->v[i].spread * size.v[i] * size.v[i];
		sum += a;
		squares += a * a;
	}
	vec_free(&size);
	double f = squares > 0 ? sum * sum / squares : 2;
	return f < 2 ? 2 : f;
}

double strata_cycles(const struct strata *s, double *half)
{
	strata_donors d = {0};
	VEC(double) y = {0};
	double sum = 0, variance = 0, timed = 0;
	strata_weigh(s, &d);
	for (size_t i = 0; i < s->stratum.n; i++)
		for (size_t k = 0; k < s->stratum.v[i].unit.n; k++)
			if (s->stratum.v[i].unit.v[k].timed)
				vec_push(&y, s->stratum.v[i].unit.v[k].y);
	for (size_t i = 0; i < d.n; i++) {
		double r = y.v[i];
		sum += d.v[i].weight * y.v[i];
		for (int j = 0; j < 2; j++)
			r -= d.v[i].other[j].weight * y.v[d.v[i].other[j].donor];
		variance += d.v[i].spread * r * r;
		timed += y.v[i];
	}
	double unlike = strata_untimed(s) * timed, state = 0;
	double *coef = xcalloc(d.n + 1, sizeof *coef);
	strata_state(s, &d, coef);
	for (size_t i = 0; i < d.n; i++)
		state += coef[i] * y.v[i];
	free(coef);
	variance += unlike * unlike + state * state;
	*half = student_95(strata_freedom(s, &d)) * sqrt(variance);
	vec_free(&y);
	vec_free(&d);
	return sum;
}
