/* heddle asm: assembles a listing into a cubin. The library does the work
 * (heddle_native_cubin()). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/commands.h"
#include "heddle.h"

enum { O_OUT, O_DIALECT, O_WORDS };
static const struct cli_option opts[] = {
	[O_OUT] = {"-o", "FILE", "the cubin to write"},
	[O_DIALECT] =
		{"--dialect", "NAME",
		 "the toolkit that printed the listing: cuda4.0, cuda4.1, cuda4, cuda5 or full (as "
		 "disasm --style prints); by default it is guessed from the listing, and a message "
		 "names it"},
	[O_WORDS] = {"--words", NULL,
		     "read lines `sm_90 PC TEXT` from standard input and print their words"},
	{NULL},
};
static const struct cli_page page_asm = {
	.usage = "asm FILE.sass -o FILE.cubin | asm --words",
	.text = "Assembles a listing in cuobjdump's form for sm_1x or sm_2x. Addresses and hexadecimal "
		"words are optional; if there is a word, the word is used, and a text that differs "
		"from it gets a warning. Targets are addresses or labels (`name:`).\n\n"
		"A listing has no register counts, sizes or constants. Lines after `Function : name` "
		"supply them: `.regs N`, `.shared BYTES`, `.local BYTES`, `.stack BYTES`, `.bars N`, "
		"`.params SIZE...` and `.const BANK WORD...`; without .regs the count follows from the "
		"highest register used. `.function` marks a function that is no kernel; kernels call "
		"it as JCAL `(name).\n\n"
		"A listing that begins with `.elf` was printed by disasm from a cubin for sm_75 or "
		"later. In the full style, without words, instructions may be changed, inserted and "
		"removed; targets are labels (`.L_110:`, BRA `(.L_110)).\n\n"
		"With --words each line `sm_90 PC TEXT` (the chip's name, the address, and the text "
		"that disasm --words prints, with or without control bits) becomes a word of 128 bits.",
	.opts = opts,
	.examples = "$ heddle asm kernel.sass -o kernel.cubin",
};

static int assemble(const char *in, const char *out, const char *dialect)
{
	size_t n, size;
	char *data = cli_read("asm", in, &n), *message = NULL;
	if (!data)
		return CLI_FAILED;
	void *cubin = heddle_native_assemble(&(struct heddle_text){in, data, n, dialect}, &size,
					     &message);
	struct cli_output o = {0};
	bool ok = cubin && cli_output_write("asm", &o, out, cubin, size) &&
		  cli_output_commit("asm", &o);
	if (message)
		cli_print(stderr, message);
	cli_output_drop(&o);
	free(cubin);
	free(message);
	free(data);
	return ok ? CLI_OK : CLI_FAILED;
}

/* Assembles one line of --words; PC is hexadecimal. */
static bool assemble_word(char *line, unsigned lineno)
{
	char *save, *end, err[256];
	uint64_t word[2];
	line[strcspn(line, "\r\n")] = 0;
	char *chip = strtok_r(line, " \t", &save), *pc = strtok_r(NULL, " \t", &save);
	if (!chip)
		return true;
	if (!pc || !isxdigit((unsigned char)*pc) || !save || !*save) {
		cli_error("asm", "line %u: `sm_90 PC TEXT` expected", lineno);
		return false;
	}
	uint64_t at = strtoull(pc, &end, 16);
	if (*end) {
		cli_error("asm", "line %u: %s is not a hexadecimal address", lineno, pc);
		return false;
	}
	if (!heddle_word128_assemble(chip, save, at, word, err, sizeof err)) {
		cli_error("asm", "line %u: %s", lineno, err);
		puts("");
		return false;
	}
	printf("%016llx%016llx\n", (unsigned long long)word[1], (unsigned long long)word[0]);
	return true;
}

static int assemble_words(void)
{
	char *line = NULL;
	size_t cap = 0;
	bool ok = true;
	for (unsigned n = 1; getline(&line, &cap, stdin) >= 0; n++)
		if (line[0] != '#')
			ok &= assemble_word(line, n);
	free(line);
	return ok ? CLI_OK : CLI_FAILED;
}

static int cmd_asm(int argc, char **argv)
{
	struct cli_walk w;
	const char *in = NULL, *out = NULL, *dialect = NULL;
	bool words = false;
	cli_walk_start(&w, &page_asm, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_BAD)
			return CLI_USAGE;
		if (o == CLI_HELP)
			return cli_help(&command_asm);
		if (o == O_OUT)
			out = w.arg[0];
		else if (o == O_DIALECT)
			dialect = w.arg[0];
		else if (o == O_WORDS)
			words = true;
		else
			in = w.arg[0];
	}
	if (words)
		return assemble_words();
	if (!in || !out) {
		cli_error("asm", in ? "where to? (-o FILE.cubin)" : "which file?");
		return CLI_USAGE;
	}
	return assemble(in, out, dialect);
}

const struct cli_command command_asm = {
	"asm",
	cmd_asm,
	"assemble a listing into a cubin",
	&page_asm,
};
