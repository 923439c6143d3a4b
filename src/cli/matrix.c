/* heddle config matrix: which policies of several families can be combined on one machine, and why
 * the other combinations are refused. Every combination is tried: the machine is read with its
 * settings and checked as for a run. */
#include "cli/matrix.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "heddle.h"

enum { MOST_VALUES = 64, MOST_SET = 64, MOST_REASONS = 4096 };

/* Families by the word that a user writes; other options are named by their keys. */
static const struct {
	const char *word, *key;
} families[] = {
	{"pipeline", "sm.pipeline"}, {"divergence", "sm.divergence"},
	{"lanes", "sm.lanes"},       {"dispatch", "gpu.dispatch"},
	{"scalar", "sm.scalar"},     {"scheduler", "sm.scheduler"},
};
static const char *const default_axes[] = {"pipeline", "divergence", "lanes", "dispatch", "scalar"};

struct axis {
	const char *key;
	char *text;                     /* the values, separated by NULs */
	const char *value[MOST_VALUES]; /* in the order of the options' manual */
	unsigned n;
};

struct cell {                     /* a combination */
	unsigned at[MATRIX_AXES]; /* index of each axis's value */
	int reason;               /* index into matrix.reason; -1: the machine exists */
};

struct matrix {
	const struct matrix_options *o;
	struct axis axis[MATRIX_AXES];
	unsigned naxes;
	struct cell *cell;
	unsigned ncells, possible;
	char *reason[MOST_REASONS];
	unsigned nreasons;
};

static const char *key_of(const char *word)
{
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (!strcmp(families[i].word, word))
			return families[i].key;
	return word;
}

static bool read_axis(struct axis *a, const char *word)
{
	a->key = key_of(word);
	if (!heddle_config_values(a->key, &a->text)) {
		cli_print(stderr, a->text);
		return false;
	}
	char *save = NULL;
	for (char *v = strtok_r(a->text, "\n", &save); v && a->n < MOST_VALUES;
	     v = strtok_r(NULL, "\n", &save))
		a->value[a->n++] = v;
	return true;
}

/* Finds or adds a reason; reasons that differ only in names count once. */
static int find_reason(struct matrix *m, const char *text)
{
	static const char prefix[] = "error: ";
	if (!strncmp(text, prefix, sizeof prefix - 1))
		text += sizeof prefix - 1;
	size_t n = strcspn(text, "\n");
	for (unsigned i = 0; i < m->nreasons; i++)
		if (strlen(m->reason[i]) == n && !memcmp(m->reason[i], text, n))
			return (int)i;
	if (m->nreasons == MOST_REASONS)
		return MOST_REASONS - 1;
	m->reason[m->nreasons] = strndup(text, n);
	return m->reason[m->nreasons] ? (int)m->nreasons++ : 0;
}

static bool try_cell(struct matrix *m, struct cell *c)
{
	const char *set[MOST_SET + MATRIX_AXES + 1];
	char *own[MATRIX_AXES] = {NULL}, *text = NULL;
	unsigned n = 0;
	bool good = true;
	for (; m->o->set[n]; n++)
		set[n] = m->o->set[n];
	for (unsigned i = 0; i < m->naxes; i++) {
		good &= asprintf(&own[i], "%s=%s", m->axis[i].key, m->axis[i].value[c->at[i]]) >= 0;
		set[n++] = own[i];
	}
	set[n] = NULL;
	c->reason = -1;
	if (good && !heddle_config_possible(m->o->config, set, &text))
		c->reason = find_reason(m, text);
	m->possible += c->reason < 0;
	free(text);
	for (unsigned i = 0; i < m->naxes; i++)
		free(own[i]);
	return good;
}

static bool fill_cells(struct matrix *m)
{
	m->ncells = 1;
	for (unsigned i = 0; i < m->naxes; i++)
		m->ncells *= m->axis[i].n;
	m->cell = calloc(m->ncells ? m->ncells : 1, sizeof *m->cell);
	bool good = m->cell != NULL;
	for (unsigned k = 0; k < m->ncells && good; k++) {
		unsigned rest = k;
		for (unsigned i = m->naxes; i--;) {
			m->cell[k].at[i] = rest % m->axis[i].n;
			rest /= m->axis[i].n;
		}
		good = try_cell(m, &m->cell[k]);
	}
	return good;
}

/* ---- printing ---- */

static void print_table(const struct matrix *m)
{
	const struct axis *a = &m->axis[0], *b = &m->axis[1];
	int first = (int)strlen(a->key);
	for (unsigned i = 0; i < a->n; i++)
		first = (int)strlen(a->value[i]) > first ? (int)strlen(a->value[i]) : first;
	printf("%-*s", first, a->key);
	for (unsigned k = 0; k < b->n; k++)
		printf("  %s", b->value[k]);
	putchar('\n');
	for (unsigned i = 0; i < a->n; i++) {
		printf("%-*s", first, a->value[i]);
		for (unsigned k = 0; k < b->n; k++) {
			int reason = m->cell[i * b->n + k].reason, width = (int)strlen(b->value[k]);
			if (reason < 0)
				printf("  %*s", width, "+");
			else
				printf("  %*d", width, reason + 1);
		}
		putchar('\n');
	}
	putchar('\n');
}

static void print_text(const struct matrix *m)
{
	if (m->naxes == 2)
		print_table(m);
	printf("%u of %u combinations of ", m->possible, m->ncells);
	for (unsigned i = 0; i < m->naxes; i++)
		printf("%s%s", i ? ", " : "", m->axis[i].key);
	printf(" exist on %s.\n", m->o->config);
	for (unsigned r = 0; r < m->nreasons; r++) {
		unsigned n = 0;
		for (unsigned k = 0; k < m->ncells; k++)
			n += m->cell[k].reason == (int)r;
		printf("%4u: %u refused: %s\n", r + 1, n, m->reason[r]);
	}
}

static void print_csv(const struct matrix *m)
{
	for (unsigned i = 0; i < m->naxes; i++)
		printf("%s,", m->axis[i].key);
	puts("exists,reason");
	for (unsigned k = 0; k < m->ncells; k++) {
		const struct cell *c = &m->cell[k];
		for (unsigned i = 0; i < m->naxes; i++)
			printf("%s,", m->axis[i].value[c->at[i]]);
		printf("%s,\"", c->reason < 0 ? "yes" : "no");
		for (const char *s = c->reason < 0 ? "" : m->reason[c->reason]; *s; s++)
			printf(*s == '"' ? "\"\"" : "%c", *s);
		puts("\"");
	}
}

static void print_json(const struct matrix *m)
{
	json_t *all = json_array();
	for (unsigned k = 0; k < m->ncells; k++) {
		const struct cell *c = &m->cell[k];
		json_t *row = json_object();
		for (unsigned i = 0; i < m->naxes; i++)
			json_object_set_new(row, m->axis[i].key,
					    json_string(m->axis[i].value[c->at[i]]));
		json_object_set_new(row, "exists", json_boolean(c->reason < 0));
		if (c->reason >= 0)
			json_object_set_new(row, "reason", json_string(m->reason[c->reason]));
		json_array_append_new(all, row);
	}
	json_t *top = json_pack("{s:s, s:i, s:i, s:o}", "machine", m->o->config, "combinations",
				(int)m->ncells, "exist", (int)m->possible, "rows", all);
	json_dumpf(top, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
	putchar('\n');
	json_decref(top);
}

int matrix_print(const struct matrix_options *o)
{
	struct matrix m = {.o = o};
	unsigned n = o->nwords ? o->nwords : sizeof default_axes / sizeof *default_axes;
	bool good = true;
	char *text = NULL;
	if (o->nwords == 1) {
		cli_error("config",
			  "matrix %s: expected two families or more, such as pipeline divergence",
			  o->word[0]);
		return CLI_USAGE;
	}
	/* The machine itself must be valid: otherwise every combination would be refused for its
	 * error. */
	if (!heddle_config_possible(o->config, o->set, &text)) {
		cli_print(stderr, text);
		free(text);
		return CLI_FAILED;
	}
	free(text);
	for (; m.naxes < n && good; m.naxes++)
		good = read_axis(&m.axis[m.naxes],
				 o->nwords ? o->word[m.naxes] : default_axes[m.naxes]);
	if (good && (good = fill_cells(&m)))
		(o->format == MATRIX_CSV    ? print_csv
		 : o->format == MATRIX_JSON ? print_json
					    : print_text)(&m);
	for (unsigned i = 0; i < m.naxes; i++)
		free(m.axis[i].text);
	for (unsigned i = 0; i < m.nreasons; i++)
		free(m.reason[i]);
	free(m.cell);
	return good ? CLI_OK : CLI_FAILED;
}
