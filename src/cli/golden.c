/* heddle golden: checks the simulator against results recorded on a GPU. golden/check.c runs the
 * variants. */
#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "cli/commands.h"
#include "cli/golden/bound.h"
#include "cli/golden/cases.h"
#include "cli/golden/check.h"
#include "cli/golden/hopper.h"
#include "heddle.h"

enum { O_VARIANT, O_FAMILY, O_HALF, O_CODE, O_CUBINS, O_CONFIG, O_VERBOSE, O_JSON };
static const struct cli_option opts[] = {
	[O_VARIANT] = {"--variant", "NAME",
		       "only variants of this name; * and ? stand for any "
		       "text and any character"},
	[O_FAMILY] = {"--family", "NAME", "only variants of this family"},
	[O_HALF] =
		{"--half", "0|1",
		 "the half of the elements that the folder has: 0 even, 1 odd vectors (default: the one "
		 "that fits)"},
	[O_CODE] =
		{"--code", "CODE",
		 "code that the PTX is compiled to, as for heddle run: fermi, tesla-fold, ...; a "
		 "variant that the machine has no instruction for is refused, not failed"},
	[O_CUBINS] =
		{"--cubins", "DIR-OR-TAR",
		 "run this machine code of the modules, MODULE.cubin each, in place of their PTX; "
		 "variants of missing modules are counted separately"},
	[O_CONFIG] = {"--config", "NAME", "recorded cases run in timing mode on this machine"},
	[O_VERBOSE] = {"--verbose", NULL, "print a line for every variant, not only for failures"},
	[O_JSON] = {"--json", "FILE", "write the counts of every variant"},
	{NULL},
};
static const struct cli_page page_golden = {
	.usage = "golden DIR [MORE] [--variant NAME] [--family NAME] [--half 0|1] [--code CODE] "
		 "[--cubins DIR-OR-TAR] [--config NAME] [--verbose] [--json FILE]",
	.text = "Runs every variant of a folder of golden vectors and compares the results with those "
		"recorded from a GPU. Exact variants must match bit for bit. Approximate variants must "
		"give the recorded bits or a value within the error that the PTX manual promises, "
		"measured from the exact value. Emulated variants, for which the GPU's assembler "
		"deviates from the manual, must give the recorded bits or the manual's. Unspecified "
		"variants, which PTX leaves open, must give the recorded bits.\n\n"
		"The folder has index.tsv, one FAMILY.bin for each family, and the PTX modules in ptx/ "
		"or ptx.tar, each plain or compressed with gzip or xz. A folder with cases.tsv has "
		"cases instead: a kernel of modules/, its input and the bytes that the GPU returned, "
		"all of which must match; missing kernels and inputs are taken from the folder MORE. "
		"The last line of the output is `N passed, N failed`; the exit status is 0 only if "
		"none failed. With --code the refused instructions come before it, with the number of "
		"their variants.",
	.opts = opts,
	.examples = "  $ heddle golden tests/golden --family cvt --verbose\n",
};

struct golden {
	const char *dir, *more, *variant, *family, *json, *cubins, *config;
	int half; /* half of the variants to use; -1: chosen automatically */
	bool verbose;
	struct heddle_options opt;
	struct golden_set set;
	struct verdict *verdict;
	bool *selected;
};

enum outcome { PASS, FAIL, OPEN, REFUSED, OUTCOMES }; /* OPEN: an allowed difference */
static const char *const outcome_name[] = {"pass", "fail", "open", "refused"};

static enum outcome outcome_of(const struct golden *g, unsigned i)
{
	const struct verdict *v = &g->verdict[i];
	if (v->error)
		return v->refused ? REFUSED : FAIL;
	if (!v->half[g->half].wrong)
		return PASS;
	const struct variant *var = &g->set.variant[i];
	bool open = var->exactness == EMULATED &&
		    !video_exact(var->name, (uint64_t[OPERANDS_MAX]){0}, &(uint32_t){0});
	return open ? OPEN : FAIL;
}

/* Returns the half that agrees better over all variants that must match. */
static int find_half(const struct golden *g)
{
	uint64_t wrong[2] = {0, 0};
	for (unsigned i = 0; i < g->set.variants; i++)
		for (unsigned h = 0; h < 2; h++)
			wrong[h] += g->verdict[i].half[h].differ;
	return wrong[1] < wrong[0];
}

/* ---- report ---- */

static void print_failure(const struct golden *g, unsigned i)
{
	const struct variant *v = &g->set.variant[i];
	const struct verdict *d = &g->verdict[i];
	const struct tally *t = &d->half[g->half];
	if (d->error) {
		printf("%.*s\n", (int)strcspn(d->error, "\n"), d->error);
		return;
	}
	printf("%u of %u wrong; element %u:", t->wrong, t->elements, t->element);
	const char *kind = v->kinds;
	for (unsigned k = 0; k < OPERANDS_MAX && kind; k++, kind = strchr(kind + 1, ','))
		printf(" %#llx", (unsigned long long)t->operand[k]);
	printf(" gave %#llx in r%u, recorded %#llx\n", (unsigned long long)t->got, t->result,
	       (unsigned long long)t->recorded);
}

static void print_variant(const struct golden *g, unsigned i)
{
	const struct variant *v = &g->set.variant[i];
	const struct tally *t = &g->verdict[i].half[g->half];
	enum outcome o = outcome_of(g, i);
	if (o != FAIL && !g->verbose)
		return;
	printf("%s %s %s", o == FAIL ? "FAIL" : outcome_name[o], v->family, v->name);
	if (o == PASS && !t->differ)
		printf(": %u elements\n", t->elements);
	else if (o == PASS)
		printf(": %u elements, %u not the recorded bits but within bounds\n", t->elements,
		       t->differ);
	else {
		printf(": ");
		print_failure(g, i);
	}
}

struct counts {
	unsigned n[EXACTNESS_COUNT][OUTCOMES];
	uint64_t elements, differ;
};

static void count_variant(const struct golden *g, unsigned i, struct counts *c)
{
	const struct tally *t = &g->verdict[i].half[g->half];
	c->n[g->set.variant[i].exactness][outcome_of(g, i)]++;
	c->elements += t->elements;
	c->differ += t->differ;
}

static void print_counts(const char *name, const struct counts *c)
{
	printf("%-10s", name);
	for (unsigned e = 0; e < EXACTNESS_COUNT; e++) {
		const unsigned *n = c->n[e];
		unsigned total = n[PASS] + n[FAIL] + n[OPEN] + n[REFUSED];
		char text[32] = "-";
		if (total)
			snprintf(text, sizeof text, "%u/%u", n[PASS], total);
		printf("  %13s", text);
	}
	printf("  %9llu  %9llu\n", (unsigned long long)c->elements, (unsigned long long)c->differ);
}

static void print_report(const struct golden *g, struct counts *all)
{
	const struct golden_set *s = &g->set;
	for (unsigned i = 0; i < s->variants; i++)
		if (g->selected[i])
			print_variant(g, i);
	printf("%s vectors; passed/all variants by exactness, elements, elements that differ from "
	       "the recorded bits\n%-10s",
	       g->half ? "odd" : "even", "family");
	for (unsigned e = 0; e < EXACTNESS_COUNT; e++)
		printf("  %13s", exactness_name[e]);
	printf("  %9s  %9s\n", "elements", "differ");
	for (unsigned f = 0; f < s->blobs; f++) { /* one file per family */
		struct counts family = {0};
		const char *name = NULL;
		for (unsigned i = 0; i < s->variants; i++) {
			if (!g->selected[i] || s->variant[i].file != f)
				continue;
			name = s->variant[i].family;
			count_variant(g, i, &family);
			count_variant(g, i, all);
		}
		if (name)
			print_counts(name, &family);
	}
	print_counts("all", all);
}

/* Returns the opcode in a refusal: shfl in "sm_20 has no 'shfl.sync.up.b32'". */
static const char *refused_opcode(const struct golden *g, unsigned i, size_t *n)
{
	const char *e = g->verdict[i].refused ? strstr(g->verdict[i].error, " has no '") : NULL;
	if (!e)
		return NULL;
	e += strlen(" has no '");
	*n = strcspn(e, ".' \n");
	return e;
}

struct opcode {
	const char *name;
	size_t n;
	unsigned first, variants; /* first: the first refused variant; variants: their number */
};

static int by_name(const void *a, const void *b)
{
	const struct opcode *x = a, *y = b;
	int c = strncmp(x->name, y->name, x->n < y->n ? x->n : y->n);
	return c              ? c
	       : x->n != y->n ? (x->n < y->n ? -1 : 1)
			      : (x->first > y->first) - (x->first < y->first);
}

static int by_first(const void *a, const void *b)
{
	const struct opcode *x = a, *y = b;
	return (x->first > y->first) - (x->first < y->first);
}

/* Prints each refused opcode once, with its number of refused variants. */
static void print_refused(const struct golden *g)
{
	struct opcode *o = calloc(g->set.variants + 1u, sizeof *o);
	unsigned n = 0, to = 0;
	for (unsigned i = 0; o && i < g->set.variants; i++) {
		size_t len;
		const char *name = refused_opcode(g, i, &len);
		if (name)
			o[n++] = (struct opcode){name, len, i, 1};
	}
	if (n)
		qsort(o, n, sizeof *o, by_name);
	for (unsigned i = 0; i < n; i++)
		if (to && o[to - 1].n == o[i].n && !strncmp(o[to - 1].name, o[i].name, o[i].n))
			o[to - 1].variants++;
		else
			o[to++] = o[i];
	if (to)
		qsort(o, to, sizeof *o, by_first);
	printf("refused:");
	for (unsigned i = 0; i < to; i++)
		printf(" %.*s %u", (int)o[i].n, o[i].name, o[i].variants);
	printf("\n");
	free(o);
}

static bool write_json(const struct golden *g)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < g->set.variants; i++) {
		const struct variant *v = &g->set.variant[i];
		const struct tally *t = &g->verdict[i].half[g->half];
		if (!g->selected[i])
			continue;
		json_t *o = json_pack("{ss,ss,ss,ss,si,si,si}", "name", v->name, "family",
				      v->family, "exactness", exactness_name[v->exactness],
				      "outcome", outcome_name[outcome_of(g, i)], "elements",
				      t->elements, "differ", t->differ, "wrong", t->wrong);
		if (g->verdict[i].error)
			json_object_set_new(o, "error", json_string(g->verdict[i].error));
		json_array_append_new(list, o);
	}
	char *text = json_dumps(list, JSON_INDENT(1));
	json_decref(list);
	struct cli_output out;
	bool ok = text && cli_output_write("golden", &out, g->json, text, strlen(text)) &&
		  cli_output_commit("golden", &out);
	free(text);
	return ok;
}

/* ---- the command ---- */

static unsigned select_variants(struct golden *g)
{
	unsigned n = 0;
	for (unsigned i = 0; i < g->set.variants; i++) {
		const struct variant *v = &g->set.variant[i];
		g->selected[i] = (!g->variant || !fnmatch(g->variant, v->name, 0)) &&
				 (!g->family || !strcmp(g->family, v->family));
		n += g->selected[i];
	}
	return n;
}

static int run_golden(struct golden *g)
{
	g->verdict = calloc(g->set.variants, sizeof *g->verdict);
	g->selected = calloc(g->set.variants, sizeof *g->selected);
	if (!g->verdict || !g->selected)
		return CLI_FAILED;
	if (!select_variants(g)) {
		cli_error("golden", "no variant of that name or family");
		return CLI_USAGE;
	}
	if (!golden_check(&g->set, &g->opt, g->selected, g->verdict))
		return CLI_FAILED;
	if (g->half < 0)
		g->half = find_half(g);
	struct counts all = {0};
	print_report(g, &all);
	unsigned passed = 0, failed = 0, refused = 0;
	for (unsigned e = 0; e < EXACTNESS_COUNT; e++) {
		passed += all.n[e][PASS] + all.n[e][OPEN];
		failed += all.n[e][FAIL];
		refused += all.n[e][REFUSED];
	}
	bool ok = !g->json || write_json(g);
	if (refused && !g->cubins)
		print_refused(g);
	printf("%u passed, %u failed", passed, failed);
	if (g->cubins && refused)
		printf(", %u without machine code", refused);
	else if (g->opt.code != HEDDLE_CODE_PTX)
		printf(", %u refused", refused);
	printf("\n");
	return ok && !failed ? CLI_OK : CLI_FAILED;
}

static int read_options(struct golden *g, int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_golden, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		switch (o) {
		case CLI_BAD: return CLI_USAGE;
		case CLI_HELP: return cli_help(&command_golden) - 1;
		case O_VARIANT: g->variant = w.arg[0]; break;
		case O_FAMILY: g->family = w.arg[0]; break;
		case O_CODE: {
			const char *wrong = heddle_code_parse(w.arg[0], &g->opt);
			if (wrong) {
				cli_error("golden", "--code %s: %s", w.arg[0], wrong);
				return CLI_USAGE;
			}
			break;
		}
		case O_CUBINS: g->cubins = w.arg[0]; break;
		case O_CONFIG: g->config = w.arg[0]; break;
		case O_VERBOSE: g->verbose = true; break;
		case O_JSON: g->json = w.arg[0]; break;
		case O_HALF:
			if (strcmp(w.arg[0], "0") && strcmp(w.arg[0], "1")) {
				cli_error("golden", "--half %s: expected 0 or 1", w.arg[0]);
				return CLI_USAGE;
			}
			g->half = w.arg[0][0] - '0';
			break;
		default:
			if (g->more) {
				cli_error("golden", "%s: one folder at a time", w.arg[0]);
				return CLI_USAGE;
			}
			*(g->dir ? &g->more : &g->dir) = w.arg[0];
		}
	}
	if (!g->dir) {
		cli_error("golden", "the folder of vectors is missing");
		return CLI_USAGE;
	}
	return CLI_OK;
}

static int cmd_golden(int argc, char **argv)
{
	struct golden g = {.half = -1};
	int rc = read_options(&g, argc, argv);
	if (rc)
		return rc < 0 ? CLI_OK : rc;
	if (cases_in(g.dir))
		return golden_cases(&(struct hopper_run){.dir = g.dir,
							 .more = g.more,
							 .pattern = g.variant,
							 .family = g.family,
							 .verbose = g.verbose,
							 .config = g.config,
							 .code = g.opt.code,
							 .code_without = g.opt.code_without,
							 .cubins = g.cubins});
	if (g.more) {
		cli_error("golden", "%s: one folder at a time", g.more);
		return CLI_USAGE;
	}
	rc = CLI_FAILED;
	if (golden_open(&g.set, g.dir) && (!g.cubins || golden_cubins(&g.set, g.cubins)))
		rc = run_golden(&g);
	for (unsigned i = 0; g.verdict && i < g.set.variants; i++)
		free(g.verdict[i].error);
	free(g.verdict);
	free(g.selected);
	golden_close(&g.set);
	return rc;
}

const struct cli_command command_golden = {
	"golden",
	cmd_golden,
	"check the simulator against recorded results of a GPU",
	&page_golden,
};
