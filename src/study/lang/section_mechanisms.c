/* Sections [base NAME] and [mechanism NAME]: machines, and what is changed on each of them. A base is a run; a mechanism is
 * a run on each base that can have it:
 *
 *	[base old]                        run old
 *	[base new]                        run new
 *	[mechanism gto]                   runs old.gto, new.gto
 *	[mechanism dwf]
 *	none.new = why it has no meaning  run old.dwf */
#include <string.h>
#include "study/lang/section.h"

static bool is_key(const char *key)
{
	static const char *const plain[] = {"label", "family", "set", "note", "source", "bases"};
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		if (!strcmp(key, plain[i]))
			return true;
	return false;
}

/* The base that a key such as set.NAME names; -1: none. */
static int base_of(const struct study *s, const char *key, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; !strncmp(key, word, n) && i < s->bases.n; i++)
		if (!strcmp(key + n, s->runs.v[s->bases.v[i]].name))
			return (int)i;
	return -1;
}

static void check_keys(struct reading *r)
{
	for (unsigned i = 0; i < r->current.n; i++) {
		const char *key = r->current.k[i].key;
		if (!is_key(key) && base_of(r->s, key, "set.") < 0 &&
		    base_of(r->s, key, "none.") < 0)
			section_complain(
				r, key,
				"[mechanism %s]: %s: expected label, family, set, note, source, bases, or set.BASE or none.BASE of a base before it",
				r->current.name, key);
	}
}

/* The settings of a base, which come before the run's own. */
static void take_settings(struct reading *r, struct study_run *run, const struct study_run *base,
			  const char *list)
{
	run->set = ARENA_ARRAY(&r->s->arena, const char *, 2 * SECTION_SETTINGS + 1);
	if (base && base->nset)
		memcpy(run->set, base->set, base->nset * sizeof *run->set);
	run->shared = base ? base->nset : 0;
	run->nset =
		run->shared + section_settings(r, list, run->set + run->shared, SECTION_SETTINGS);
	/* A setting of the base that the run has too is the run's. */
	for (unsigned i = 0; i < run->shared; i++) {
		size_t n = strcspn(run->set[i], "=") + 1;
		for (unsigned k = run->shared; k < run->nset; k++)
			if (!strncmp(run->set[i], run->set[k], n)) {
				run->shared--;
				memmove(&run->set[i], &run->set[i + 1],
					(--run->nset - i) * sizeof *run->set);
				i--;
				break;
			}
	}
}

void section_add_base(struct reading *r)
{
	struct study *s = r->s;
	struct study_run run = {.name = r->current.name,
				.label = section_get(&r->current, "label", r->current.name),
				.note = section_get(&r->current, "note", ""),
				.machine = section_get(&r->current, "machine", s->machine),
				.code = "ptx",
				.line = r->current.line,
				.machine_line = section_line(&r->current, "machine"),
				.set_line = section_line(&r->current, "set")};
	if (s->bases.n == STUDY_BASES)
		section_complain(r, NULL, "more than %d sections [base]", STUDY_BASES);
	else if (s->mechanisms.n)
		section_complain(r, NULL, "[base %s] must come before the mechanisms", run.name);
	else if (study_find_run(s, run.name) >= 0)
		section_complain(r, NULL, "run %s appears twice", run.name);
	else {
		take_settings(r, &run, NULL, section_get(&r->current, "set", ""));
		vec_push(&s->bases, (unsigned)s->runs.n);
		vec_push(&s->runs, run);
	}
}

/* Text of a key KEY.BASE; NULL: missing. */
static const char *get_of_base(struct reading *r, const char *word, const char *base)
{
	return section_get(&r->current, arena_printf(&r->s->arena, "%s.%s", word, base), NULL);
}

/* True if the mechanism is measured on the base: on all without a list of bases. */
static bool is_on(struct reading *r, const char *base)
{
	const char *list = section_get(&r->current, "bases", NULL);
	for (char *w; list && (w = section_word(r, &list));)
		if (!strcmp(w, base))
			return true;
	return !list;
}

static void check_bases(struct reading *r)
{
	const char *list = section_get(&r->current, "bases", "");
	for (char *w; (w = section_word(r, &list));)
		if (base_of(r->s, w, "") < 0)
			section_complain(r, "bases", "[mechanism %s]: bases: no base %s before it",
					 r->current.name, w);
}

static void add_on_base(struct reading *r, struct study_mechanism *m, unsigned b)
{
	struct study *s = r->s;
	const struct study_run base = s->runs.v[s->bases.v[b]];
	const char *own = get_of_base(r, "set", base.name);
	m->run[b] = -1;
	m->none[b] = get_of_base(r, "none", base.name);
	if (m->none[b] || !is_on(r, base.name))
		return;
	struct study_run run = base;
	run.name = arena_printf(&s->arena, "%s.%s", base.name, m->name);
	run.label = arena_printf(&s->arena, "%s: %s", base.label, m->label);
	run.note = m->note;
	run.line = run.set_line = r->current.line;
	take_settings(r, &run, &base, own ? own : section_get(&r->current, "set", ""));
	if (study_find_run(s, run.name) >= 0)
		section_complain(r, NULL, "run %s appears twice", run.name);
	m->run[b] = (int)s->runs.n;
	vec_push(&s->runs, run);
	const char *form[MECHANISM_RATIOS] = {
		[MECHANISM_SPEED] = "cycles(%2$s) / cycles(%1$s)",
		[MECHANISM_ENERGY] = "energy.total(%1$s) / energy.total(%2$s)",
		[MECHANISM_EDP] =
			"energy.total(%1$s) * cycles(%1$s) / (energy.total(%2$s) * cycles(%2$s))"};
	for (unsigned k = 0; k < MECHANISM_RATIOS; k++)
		m->ratio[b][k] = section_expr(
			r, NULL, arena_printf(&s->arena, form[k], run.name, base.name));
}

void section_add_mechanism(struct reading *r)
{
	struct study *s = r->s;
	struct study_mechanism m = {.name = r->current.name,
				    .label = section_get(&r->current, "label", r->current.name),
				    .family = section_get(&r->current, "family", ""),
				    .source = section_get(&r->current, "source", ""),
				    .note = section_get(&r->current, "note", "")};
	check_keys(r);
	check_bases(r);
	if (!s->bases.n)
		section_complain(r, NULL, "[mechanism %s] needs a [base] before it", m.name);
	for (unsigned b = 0; b < s->bases.n; b++)
		add_on_base(r, &m, b);
	vec_push(&s->mechanisms, m);
}
