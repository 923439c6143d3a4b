/* heddle ptxas: compiles PTX to machine code of a Tesla, Fermi or Hopper GPU. command/cubin.c does the
 * work. */
#include <stdlib.h>
#include <string.h>
#include "cli/commands.h"
#include "command/cubin.h"
#include "heddle.h"

enum {
	O_OUT,
	O_ARCH,
	O_SHORT_ARCH,
	O_LEVEL0,
	O_LEVEL1,
	O_LEVEL2,
	O_LEVEL3,
	O_WITHOUT,
	O_REGS,
	O_VERBOSE
};
static const struct cli_option opts[] = {
	[O_OUT] =
		{"-o", "FILE",
		 "the file to write: a listing if its name ends in .sass, PTXPlus if in .ptxplus, else a cubin"},
	[O_ARCH] = {"--arch", "ARCH", "sm_13, sm_20 (the default) or sm_90"},
	[O_SHORT_ARCH] = {"-arch", "ARCH", "--arch, as NVIDIA's ptxas spells it"},
	[O_LEVEL0] =
		{"-O0", NULL,
		 "translate each PTX instruction separately: only the passes that cannot be omitted"},
	[O_LEVEL1] = {"-O1", NULL, "also use constants, parameters and copies as operands"},
	[O_LEVEL2] =
		{"-O2", NULL,
		 "also compute common subexpressions once, make short branches guards and, on sm_20, "
		 "join loads of neighbouring words"},
	[O_LEVEL3] = {"-O3", NULL,
		      "also, on sm_20, fuse pairs of instructions into single ones (the default)"},
	[O_WITHOUT] = {"--without", "LIST",
		       "omit optimisations, as `heddle run --code fermi-LIST` does: iscadd-imad"},
	[O_REGS] = {"-maxrregcount", "N",
		    "registers per thread, at most 63 (sm_13: 64, sm_90: 255); others are spilled"},
	[O_VERBOSE] =
		{"-v", NULL,
		 "print each kernel's registers, shared, constant and local bytes, and spills"},
	{NULL},
};
static const struct cli_page page_ptxas = {
	.usage = "ptxas FILE.ptx -o FILE.cubin",
	.text = "Compiles PTX for sm_20, sm_13 or sm_90. An operation that the machine lacks "
		"(matrices, asynchronous barriers, ...) is an error with the instruction and its line. "
		"Calls are expanded inline, except recursive ones. Addresses of sm_13 and sm_20 have "
		"32 bits: memory above 4 GB is out of reach.\n\n"
		"`heddle run --code fermi`, `--code tesla` and `--code sm90` compile a program's PTX "
		"in this way when it is loaded.",
	.opts = opts,
	.examples =
		"$ heddle ptxas kernel.ptx -v -o kernel.cubin\n$ heddle ptxas kernel.ptx -o kernel.sass\n$ heddle ptxas kernel.ptx --arch sm_13 -o kernel.ptxplus",
};

/* The optimisations that each level omits (docs/code/codegen.md). */
#define PAIRS              "iscadd-imad-vmnmx-vadd-psetp-address"
#define LOADS_AND_BRANCHES "order-vector-ldu-predicate-bra.u-common-rename-tail-divide"
static const char *const level_without[] = {PAIRS "-" LOADS_AND_BRANCHES "-fold-coalesce",
					    PAIRS "-" LOADS_AND_BRANCHES, PAIRS, NULL};

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end);
}

static bool write_out(const char *path, const void *data, size_t n)
{
	struct cli_output o = {0};
	bool ok = cli_output_write("ptxas", &o, path, data, n) && cli_output_commit("ptxas", &o);
	cli_output_drop(&o);
	return ok;
}

static int compile(const char *in, const char *out, const struct heddle_compile *how, bool verbose)
{
	size_t n, size = 0;
	char *data = cli_read("ptxas", in, &n);
	if (!data)
		return CLI_FAILED;
	void *cubin = ptxas_cubin(&(struct heddle_text){in, data, n, NULL}, how, &size, verbose);
	bool plus = ends_in(out, ".ptxplus");
	char *list = cubin && (plus || ends_in(out, ".sass"))
			     ? heddle_native_list(&(struct heddle_text){in, cubin, size, NULL},
						  plus ? HEDDLE_SASS_PTXPLUS : HEDDLE_SASS_FULL,
						  &(char *){NULL})
			     : NULL;
	bool ok =
		cubin && (list ? write_out(out, list, strlen(list)) : write_out(out, cubin, size));
	free(list);
	free(cubin);
	free(data);
	return ok ? CLI_OK : CLI_FAILED;
}

static bool find_machine(const char *name, unsigned *sm)
{
	static const struct {
		const char *name;
		unsigned sm;
	} row[] = {{"sm_13", 13}, {"sm_20", 20}, {"sm_90", 90}, {"sm_90a", 90}};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (!strcmp(row[i].name, name)) {
			*sm = row[i].sm;
			return true;
		}
	return false;
}

static int cmd_ptxas(int argc, char **argv)
{
	struct cli_walk w;
	const char *in = NULL, *out = NULL;
	struct heddle_compile how = {.sm = 20};
	bool verbose = false;
	cli_walk_start(&w, &page_ptxas, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		char *end = "";
		if (o == CLI_BAD)
			return CLI_USAGE;
		if (o == CLI_HELP)
			return cli_help(&command_ptxas);
		if (o == O_OUT)
			out = w.arg[0];
		else if (o == O_VERBOSE)
			verbose = true;
		else if (o >= O_LEVEL0 && o <= O_LEVEL3)
			how.without = level_without[o - O_LEVEL0];
		else if (o == O_WITHOUT)
			how.without = w.arg[0];
		else if (o == O_ARCH || o == O_SHORT_ARCH) {
			if (!find_machine(w.arg[0], &how.sm)) {
				cli_error("ptxas", "--arch %s: there are sm_13, sm_20 and sm_90",
					  w.arg[0]);
				return CLI_USAGE;
			}
		} else if (o == O_REGS) {
			how.max_registers = (unsigned)strtoul(w.arg[0], &end, 10);
			if (*end || !how.max_registers || how.max_registers > 255) {
				cli_error("ptxas", "-maxrregcount %s: expected 1 to 255", w.arg[0]);
				return CLI_USAGE;
			}
		} else if (o == CLI_WORD)
			in = w.arg[0];
	}
	if (!in || !out) {
		cli_error("ptxas", in ? "where to? (-o FILE.cubin)" : "which file?");
		return CLI_USAGE;
	}
	return compile(in, out, &how, verbose);
}

const struct cli_command command_ptxas = {
	"ptxas",
	cmd_ptxas,
	"compile PTX to machine code of a Tesla, Fermi or Hopper GPU",
	&page_ptxas,
};
