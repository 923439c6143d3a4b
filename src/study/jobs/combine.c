/* Turns a combination of values into a command line and a key of 128 bits. combine.h has the
 * interface. */
#include "study/jobs/combine.h"
#include <string.h>
#include "heddle.h"
#include "study/lang/options.h"
#include "study/store/store.h"

/* ---- keys ---- */

#define FIRST_0 0xcbf29ce484222325u
#define FIRST_1 0x2545f4914f6cdd1du

static void mix_text(uint64_t h[2], const char *s)
{
	for (;; s++) { /* includes the NUL, so that "ab" "c" differs from "a" "bc" */
		h[0] = (h[0] ^ (unsigned char)*s) * 0x100000001b3u;
		h[1] = (h[1] + (unsigned char)*s + 1) * 0x9e3779b97f4a7c15u;
		h[1] ^= h[1] >> 29;
		if (!*s)
			return;
	}
}

/* ---- one combination ---- */

static const char *value_at(const struct combine *c, const unsigned *at, const char *key)
{
	int i = sweep_find(c->s, key);
	return i < 0 ? "" : c->s->axes.v[i].value.v[at[i]];
}

/* True for axes that are not options of the machine. */
static bool is_about_program(const char *key)
{
	return !strcmp(key, "machine") || !strcmp(key, "program") || !strcmp(key, "size") ||
	       !strcmp(key, "seed") || !strcmp(key, "repetition") || !strncmp(key, "arg.", 4);
}

/* Returns a word with {NAME} replaced by arg.NAME. */
static const char *fill_word(struct combine *c, const unsigned *at, const char *word)
{
	const char *open = strchr(word, '{'), *close = open ? strchr(open, '}') : NULL;
	if (!close)
		return word;
	const char *name = arena_printf(&c->arena, "arg.%.*s", (int)(close - open - 1), open + 1);
	return arena_printf(&c->arena, "%.*s%s%s", (int)(open - word), word, value_at(c, at, name),
			    fill_word(c, at, close + 1));
}

static void add_words(struct combine *c, const unsigned *at, const char *text, json_t *argv)
{
	char *copy = arena_strdup(&c->arena, text), *save;
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		json_array_append_new(argv, json_string(fill_word(c, at, w)));
}

static const char **settings_of(struct combine *c, const unsigned *at)
{
	const struct sweep *s = c->s;
	const char **set = ARENA_ARRAY(&c->arena, const char *, s->set.n + s->axes.n + 1);
	unsigned n = 0;
	for (size_t i = 0; i < s->set.n; i++)
		set[n++] = s->set.v[i].word;
	for (size_t i = 0; i < s->axes.n; i++)
		if (!is_about_program(s->axes.v[i].key))
			set[n++] = arena_printf(&c->arena, "%s=%s", s->axes.v[i].key,
						s->axes.v[i].value.v[at[i]]);
	return set;
}

static void put_word(json_t *argv, const char *word)
{
	json_array_append_new(argv, json_string(word));
}

/* The launches that are timed. sweep_task.c replaces "@pass" by the checkpoint file of the run's pass. */
static void add_mode(const struct combine *c, const char *program, json_t *argv)
{
	const struct sweep *s = c->s;
	put_word(argv, "--mode");
	put_word(argv, s->mode ? s->mode : "timing");
	if (s->error) {
		put_word(argv, "--error");
		put_word(argv, s->error);
	}
	if (s->sample) {
		put_word(argv, sweep_own(program) ? "--seed" : "--sample-seed");
		put_word(argv, s->sample);
	}
	if (sweep_is_sampled(s)) {
		put_word(argv, "--restore");
		put_word(argv, "@pass");
	}
}

/* A pass times no launch, but on the machine, which decides what code the program's PTX becomes. */
static void add_pass(json_t *argv)
{
	static const char *const words[] = {
		"--mode",    "timing", "--skip",     "4294967295",
		"--save",    "@pass",  "--accesses", "--checkpoint-every",
		"1000000000"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		put_word(argv, words[i]);
}

static json_t *command_json(struct combine *c, const unsigned *at, const char **set, bool pass)
{
	const char *program = value_at(c, at, "program");
	json_t *argv = json_array();
	bool own = sweep_own(program);
	const char *fixed[] = {own ? "run" : "workload",
			       "--config",
			       value_at(c, at, "machine"),
			       "--threads",
			       "1",
			       "--quiet"};
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		json_array_append_new(argv, json_string(fixed[i]));
	if (pass)
		add_pass(argv);
	else
		add_mode(c, program, argv);
	for (unsigned i = 0; set[i]; i++) {
		put_word(argv, "--set");
		put_word(argv, set[i]);
	}
	if (c->s->series) {
		put_word(argv, "--series");
		json_array_append_new(argv, json_sprintf("%u", c->s->series));
	}
	if (!pass) {
		put_word(argv, "--stats-sums");
		put_word(argv, "--stats");
		put_word(argv, "@"); /* sweep_task.c replaces "@" by the file */
	}
	if (own) {
		add_words(c, at, program, argv);
		return argv;
	}
	json_array_append_new(argv, json_string("--size"));
	json_array_append_new(argv, json_string(value_at(c, at, "size")));
	if (strcmp(value_at(c, at, "seed"), "0")) {
		json_array_append_new(argv, json_string("--seed"));
		json_array_append_new(argv, json_string(value_at(c, at, "seed")));
	}
	json_array_append_new(argv, json_string(program));
	return argv;
}

/* Returns the title, which names the axes with more than one value. */
static const char *title_of(struct combine *c, const unsigned *at, json_t *axes)
{
	char title[256] = "";
	size_t n = 0;
	for (size_t i = 0; i < c->s->axes.n; i++) {
		const struct sweep_axis *x = &c->s->axes.v[i];
		const char *dot = strrchr(x->key, '.');
		json_object_set_new(axes, x->key, json_string(x->value.v[at[i]]));
		if ((x->value.n > 1 || !strcmp(x->key, "program")) && n < sizeof title - 64)
			n += (size_t)snprintf(title + n, sizeof title - n, "%s%s%s%.40s",
					      n ? " " : "", dot ? dot + 1 : "", dot ? "=" : "",
					      x->value.v[at[i]]);
	}
	return arena_strdup(&c->arena, title);
}

/* ---- machines ---- */

/* Cache of checked machines: a check builds the machine, and programs and seeds share it. */
struct known {
	uint64_t h[2];
	const char *config; /* NULL: a free slot */
};

static struct known *find_known(struct combine *c, const uint64_t h[2])
{
	unsigned i = (unsigned)h[0] & (c->room - 1);
	while (c->known[i].config && (c->known[i].h[0] != h[0] || c->known[i].h[1] != h[1]))
		i = (i + 1) & (c->room - 1);
	return &c->known[i];
}

static void make_room(struct combine *c)
{
	struct known *old = c->known;
	unsigned n = c->room;
	if (c->n_known * 2 < n)
		return;
	c->room = n ? n * 2 : 256;
	c->known = xcalloc(c->room, sizeof *c->known);
	for (unsigned i = 0; i < n; i++)
		if (old[i].config)
			*find_known(c, old[i].h) = old[i];
	free(old);
}

/* Returns the line of the option that a message names first, or of the section. */
static unsigned blamed_line(const struct combine *c, const char *why)
{
	const struct sweep *s = c->s;
	const char *first = why + strlen(why);
	unsigned line = s->line;
	for (size_t i = 0; i < s->axes.n + s->set.n; i++) {
		const char *key = i < s->axes.n ? s->axes.v[i].key : s->set.v[i - s->axes.n].word,
			   *at = memmem(why, strlen(why), key, strcspn(key, "="));
		if (at && at < first) {
			first = at;
			line = i < s->axes.n ? s->axes.v[i].line : s->set.v[i - s->axes.n].line;
		}
	}
	return line;
}

/* Returns the text of the whole configuration; NULL: errors in d. */
static const char *config_of(struct combine *c, const char *machine, const char **set,
			     const unsigned *at, struct diag *d)
{
	char *text;
	uint64_t h[2] = {FIRST_0, FIRST_1};
	mix_text(h, machine);
	for (unsigned i = 0; set[i]; i++)
		mix_text(h, set[i]);
	make_room(c);
	struct known *k = find_known(c, h);
	if (k->config)
		return k->config;
	if (heddle_config_show(machine, set, &text)) {
		c->n_known++;
		*k = (struct known){{h[0], h[1]}, results_plain_config(&c->arena, text)};
	} else {
		json_t *axes = json_object();
		const char *why = options_why(&c->arena, text), *title = title_of(c, at, axes);
		json_decref(axes);
		sweep_complain(
			c->s, d, blamed_line(c, why),
			"the combination %s on %s is not a valid machine: %s; except = ... excludes combinations",
			title, machine, why);
	}
	free(text);
	return k->config;
}

/* ---- the run ---- */

static const char *key_of(struct combine *c, const unsigned *at, const json_t *argv,
			  const char *repetition, const char *config)
{
	char *words = json_dumps(argv, JSON_COMPACT);
	uint64_t h[2] = {FIRST_0, FIRST_1};
	const char *parts[] = {
		HEDDLE_VERSION, c->simulator, c->hash[at[sweep_find(c->s, "program")]],
		words,          repetition,   config};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		mix_text(h, parts[i]);
	free(words);
	return arena_printf(&c->arena, "%016llx%016llx", (unsigned long long)h[0],
			    (unsigned long long)h[1]);
}

bool combine_options(struct combine *c, struct diag *d)
{
	const struct sweep *s = c->s;
	const struct sweep_axis *m = &s->axes.v[sweep_find(s, "machine")];
	const char *why;
	for (size_t i = 0; i < m->value.n; i++)
		if ((why = options_no_machine(&c->arena, m->value.v[i])))
			sweep_complain(s, d, m->at.v[i], "machine = %s: %s", m->value.v[i], why);
	if (d->errors)
		return false;
	for (size_t i = 0; i < s->set.n; i++)
		if ((why = options_wrong(&c->arena, m->value.v[0], s->set.v[i].word)))
			sweep_complain(s, d, s->set.v[i].line, "set = %s: %s", s->set.v[i].word,
				       why);
	for (size_t i = 0; i < s->axes.n; i++) {
		const struct sweep_axis *x = &s->axes.v[i];
		for (size_t k = 0; k < x->value.n && !is_about_program(x->key); k++) {
			const char *word = arena_printf(&c->arena, "%s=%s", x->key, x->value.v[k]);
			if ((why = options_wrong(&c->arena, m->value.v[0], word)))
				sweep_complain(s, d, x->line, "%s", why);
		}
	}
	return !d->errors;
}

bool combine_machine(struct combine *c, const unsigned *at, struct diag *d)
{
	return config_of(c, value_at(c, at, "machine"), settings_of(c, at), at, d);
}

/* Settings of a pass: those of all runs, and the axes of the section [gpu], such as gpu.sms, from which programs
 * compute their grids. */
static const char **pass_settings(struct combine *c, const unsigned *at)
{
	const struct sweep *s = c->s;
	const char **set = ARENA_ARRAY(&c->arena, const char *, s->set.n + s->axes.n + 1);
	unsigned n = 0;
	for (size_t i = 0; i < s->set.n; i++)
		set[n++] = s->set.v[i].word;
	for (size_t i = 0; i < s->axes.n; i++)
		if (!strncmp(s->axes.v[i].key, "gpu.", 4))
			set[n++] = arena_printf(&c->arena, "%s=%s", s->axes.v[i].key,
						s->axes.v[i].value.v[at[i]]);
	return set;
}

/* The whole configuration of the machine of a pass. Values of other axes may be what makes it valid: then its
 * settings stand for it. */
static const char *pass_config(struct combine *c, const char *machine, const char **common)
{
	char *text;
	const char *config;
	if (heddle_config_show(machine, common, &text)) {
		config = results_plain_config(&c->arena, text);
	} else {
		config = machine;
		for (unsigned i = 0; common[i]; i++)
			config = arena_printf(&c->arena, "%s %s", config, common[i]);
	}
	free(text);
	return config;
}

/* Returns the pass of a combination. It runs with the settings of its first combination, which is a valid
 * machine. */
static struct pass *pass_of(struct combine *c, const unsigned *at, const char **set)
{
	const char *machine = value_at(c, at, "machine"), **common = pass_settings(c, at);
	json_t *words = command_json(c, at, common, true);
	const char *quick = key_of(c, at, words, "", "");
	struct pass *p = NULL;
	for (size_t i = 0; i < c->passes.n && !p; i++)
		if (!strcmp(c->passes.v[i]->words, quick))
			p = c->passes.v[i];
	if (p) {
		json_decref(words);
		return p;
	}
	p = ARENA_ARRAY(&c->arena, struct pass, 1);
	p->words = quick;
	p->key = key_of(c, at, words, "", pass_config(c, machine, common));
	json_decref(words);
	const char *key = p->key;
	p->title = arena_printf(&c->arena, "%s functionally on %s", value_at(c, at, "program"),
				machine);
	p->task = json_pack("{s:o, s:s, s:{s:s}}", "argv", command_json(c, at, set, true), "makes",
			    key, "run", "key", key);
	vec_push(&c->passes, p);
	return p;
}

bool combine_run(struct combine *c, const unsigned *at, struct run *r, struct diag *d)
{
	const char **set = settings_of(c, at), *machine = value_at(c, at, "machine");
	const char *config = config_of(c, machine, set, at, d);
	if (!config)
		return false;
	json_t *argv = command_json(c, at, set, false), *axes = json_object();
	const char *title = title_of(c, at, axes);
	*r = (struct run){.key = key_of(c, at, argv, value_at(c, at, "repetition"), config),
			  .title = title,
			  .program = value_at(c, at, "program"),
			  .size = value_at(c, at, "size"),
			  .pass = sweep_is_sampled(c->s) ? pass_of(c, at, set) : NULL};
	r->task = json_pack(
		"{s:o, s:{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:o}}", "argv", argv,
		"run", "key", r->key, "study", c->s->name, "program", r->program, "machine",
		machine, "size", r->size, "seed", (json_int_t)atoll(value_at(c, at, "seed")),
		"repetition", (json_int_t)atoll(value_at(c, at, "repetition")), "heddle",
		HEDDLE_VERSION, "simulator", c->simulator, "config", config, "axes", axes);
	if (r->pass)
		json_object_set_new(r->task, "pass", json_string(r->pass->key));
	return true;
}

void combine_free(struct combine *c)
{
	for (size_t i = 0; i < c->passes.n; i++)
		json_decref(c->passes.v[i]->task);
	vec_free(&c->passes);
	free(c->known);
	arena_free(&c->arena);
}
