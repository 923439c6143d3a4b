/* heddle power: prints a machine's energy coefficients, compares two runs, draws power over time,
 * and checks the model against published measurements. */
#include <stdlib.h>
#include <string.h>
#include "cli/commands.h"
#include "cli/power.h"
#include "heddle.h"

enum { POWER_EVENT, POWER_AREA, POWER_SET, POWER_OUT, MAX_SET = 64 };
static const struct cli_option power_opts[] = {
	[POWER_EVENT] = {"--event", "EVENT", "one event, term by term"},
	[POWER_AREA] = {"--area", NULL, "print areas and leakage"},
	[POWER_SET] = {"--set", "KEY=VALUE",
		       "change an option of the machine first; may be given several times"},
	[POWER_OUT] = {"-o", "FILE.svg", "picture: the file to write"},
	{NULL},
};

static const struct cli_page page_power = {
	.usage =
		"power MACHINE [--event EVENT | --area] [--set KEY=VALUE]\n"
		"power compare A.json B.json\npower picture SAMPLES.csv -o FILE.svg\npower validate [boards | arrays | gpuwattch | chips | fit | data | kernels] [--set KEY=VALUE]",
	.text = "Prints every coefficient of a machine's energy: component, event, energy, the counter "
		"that it multiplies, calibration factor, formula and source. compare splits the "
		"difference between two runs' energies (written by --stats) into the parts of time, "
		"events and coefficients, which add up exactly. picture draws power over time and by "
		"component from the output of --sample. validate compares the model with published "
		"measurements, one line for each, with value, source, limit and verdict; it may be "
		"limited to boards, arrays, gpuwattch, chips, fit, data or kernels (programs of the "
		"workload suite; takes minutes). validate --set changes all machines first, to find "
		"out on which options a missed target depends.",
	.opts = power_opts,
	.examples =
		"$ heddle power gtx480 --event rf_read\n$ heddle power compare simt.json tsimt.json\n"
		"$ heddle run --config gtx480 --sample 500 --sample-file s.csv ./app; heddle power picture s.csv -o power.svg",
};

struct args {
	const char *word[3], *event, *out, *set[MAX_SET + 1];
	unsigned nword, nset;
	bool area;
};

/* False: an error was reported, or help was printed; *rc is the status. */
static bool read_options(struct args *a, int argc, char **argv, int *rc)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_power, argc, argv);
	*rc = CLI_USAGE;
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_HELP) {
			*rc = cli_help(&command_power);
			return false;
		}
		if (o == CLI_BAD)
			return false;
		if ((o == CLI_WORD && a->nword == 3) || (o == POWER_SET && a->nset == MAX_SET)) {
			cli_error("power", "%s is one too many", w.arg[0]);
			return false;
		}
		if (o == CLI_WORD)
			a->word[a->nword++] = w.arg[0];
		else if (o == POWER_EVENT)
			a->event = w.arg[0];
		else if (o == POWER_OUT)
			a->out = w.arg[0];
		else if (o == POWER_AREA)
			a->area = true;
		else
			a->set[a->nset++] = w.arg[0];
	}
	return true;
}

static int cmd_power(int argc, char **argv)
{
	struct args a = {{NULL}};
	int rc;
	if (!read_options(&a, argc, argv, &rc))
		return rc;
	const char *what = a.nword ? a.word[0] : "";
	if (!strcmp(what, "compare") && a.nword == 3)
		return power_compare(a.word[1], a.word[2]);
	if (!strcmp(what, "picture") && a.nword == 2 && a.out)
		return power_picture(a.word[1], a.out);
	char *text;
	if (!strcmp(what, "validate") && (a.nword == 1 || a.nword == 2)) {
		bool ok = heddle_power_validate(a.nword == 2 ? a.word[1] : NULL, a.set,
						&power_runner, &text);
		cli_print(ok ? stdout : stderr, text);
		free(text);
		return ok ? CLI_OK : CLI_USAGE;
	}
	if (a.nword != 1 || !strcmp(what, "compare") || !strcmp(what, "picture")) {
		cli_error(
			"power",
			"expected MACHINE, compare A.json B.json, picture FILE.csv -o FILE.svg or validate");
		return CLI_USAGE;
	}
	bool ok = heddle_power(what, a.set, a.event, a.area, &text);
	cli_print(ok ? stdout : stderr, text);
	free(text);
	return ok ? CLI_OK : CLI_FAILED;
}

const struct cli_command command_power = {
	"power",
	cmd_power,
	"show and compare energies, and what they are computed from",
	&page_power,
};
