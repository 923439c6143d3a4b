/* heddle disasm: prints machine code of Tesla, Fermi, and Turing to Blackwell as text. The library
 * decodes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "cli/commands.h"
#include "heddle.h"

enum { O_WORDS, O_STYLE, O_PTXPLUS, O_TABLE, O_DIALECT, O_CHECK };
static const struct cli_option opts[] = {
	[O_WORDS] = {"--words", NULL, "read instruction words from standard input, one per line"},
	[O_STYLE] =
		{"--style", "STYLE",
		 "cuda4.0, cuda4.1, cuda4, cuda5 (as that toolkit's cuobjdump prints) or full (with all "
		 "bits; with --words, bits without a meaning are in braces, so that asm makes the same "
		 "word of the text)"},
	[O_PTXPLUS] = {"--ptxplus", NULL, "print PTXPlus, which is read like a listing"},
	[O_TABLE] =
		{"--table", "ISA",
		 "print the table of instructions of fermi, tesla or sm70 (Turing to Blackwell), as Markdown"},
	[O_DIALECT] = {"--dialect", "NAME",
		       "the style of the input, if it is a listing; as for asm"},
	[O_CHECK] =
		{"--check", "control-bits",
		 "report code of a cubin for sm_75 or later whose stall counts, counters and wait masks let an "
		 "instruction read or overwrite a register too early; the exit status is 1 if there is any"},
	{NULL},
};
static const struct cli_page page_disasm = {
	.usage = "disasm [--style STYLE | --ptxplus] FILE | disasm --words | disasm --table ISA\n"
		 "disasm --check control-bits FILE",
	.text = "Prints the machine code of a cubin (ELF, or the text form of old toolkits), a "
		"cuobjdump listing or a PTXPlus file for sm_1x and sm_2x as a listing in cuobjdump's "
		"form. For a cubin of sm_75 and later, prints all sections, symbols and code with "
		"labels, with each word beside its text, or with --style full with the control bits in "
		"place of the words; asm makes the same words from either.\n\n"
		"With --words it reads lines `fermi WORD PC` or `tesla W0 W1 PC` (hexadecimal; W1 is - "
		"for a 4-byte instruction) and prints one line of text for each. For `sm_90 WORD PC`, "
		"with the chip's name and a word of 128 bits, it prints nvdisasm's text, and with "
		"--style full the control bits: [B01----:R-:W2:Y:S04] are the counters waited for, the "
		"counters of reads and of the write, yield and stall cycles.",
	.opts = opts,
	.examples =
		"$ heddle disasm kernel.cubin\n$ echo 'fermi 0x2800440400005de4 0' | heddle disasm --words",
};

static bool read_hex(const char *s, uint64_t max, uint64_t *v)
{
	char *e;
	if (!s || !isxdigit((unsigned char)*s))
		return false;
	*v = strtoull(s, &e, 16);
	return !*e && *v <= max && strlen(s) <= 18;
}

/* Reads a word of 128 bits in hexadecimal, low half first. */
static bool read_hex128(const char *s, uint64_t v[2])
{
	v[0] = v[1] = 0;
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	size_t n = strlen(s);
	for (size_t i = 0; i < n; i++) {
		if (!isxdigit((unsigned char)s[i]))
			return false;
		int c = tolower((unsigned char)s[i]);
		v[1] = v[1] << 4 | v[0] >> 60;
		v[0] = v[0] << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return n && n <= 32;
}

/* Prints the instruction of a line `sm_90 WORD PC`. An undecodable word gives an empty line, so
 * that output lines correspond to input lines. */
static bool print_word128(char *w[5], unsigned n, unsigned lineno, enum heddle_sass style)
{
	uint64_t word[2], pc;
	char buf[512];
	if (n != 3 || !read_hex128(w[1], word) || !read_hex(w[2], UINT64_MAX, &pc)) {
		cli_error("disasm", "line %u: `sm_90 WORD PC` expected, in hexadecimal", lineno);
		return false;
	}
	if (!heddle_word128(w[0], word, pc, style == HEDDLE_SASS_FULL, buf, sizeof buf)) {
		cli_error("disasm", "line %u: 0x%016llx%016llx: %s", lineno,
			  (unsigned long long)word[1], (unsigned long long)word[0], buf);
		puts("");
		return false;
	}
	puts(buf);
	return true;
}

/* Prints the instruction of one line of --words. */
static bool print_word(char *line, unsigned lineno, enum heddle_sass style)
{
	char *save, *w[5] = {0}, buf[320];
	unsigned n = 0;
	uint64_t lo, hi = 0, pc;
	for (char *t = strtok_r(line, " \t\r\n", &save); t && n < 5;
	     t = strtok_r(NULL, " \t\r\n", &save))
		w[n++] = t;
	if (!n)
		return true;
	if (!strncmp(w[0], "sm_", 3))
		return print_word128(w, n, lineno, style);
	bool tesla = !strcmp(w[0], "tesla"), one = tesla && w[2] && !strcmp(w[2], "-");
	if ((!tesla && strcmp(w[0], "fermi")) || n != (tesla ? 4u : 3u) ||
	    !read_hex(w[1], tesla ? 0xffffffffu : UINT64_MAX, &lo) ||
	    (tesla && !one && !read_hex(w[2], 0xffffffffu, &hi)) ||
	    !read_hex(w[n - 1], 0xffffffffu, &pc)) {
		cli_error(
			"disasm",
			"line %u: `fermi WORD PC`, `tesla W0 W1|- PC` or `sm_90 WORD PC` expected, in hexadecimal",
			lineno);
		return false;
	}
	if (tesla && !one == !(lo & 1)) {
		cli_error("disasm", "line %u: 0x%08llx at 0x%04llx is a %s instruction", lineno,
			  (unsigned long long)lo, (unsigned long long)pc,
			  lo & 1 ? "two-word" : "one-word");
		return false;
	}
	if (!heddle_native_word(w[0], lo | hi << 32, (uint32_t)pc, style, buf, sizeof buf)) {
		cli_error("disasm",
			  one ? "unknown %s instruction 0x%08llx at 0x%04llx"
			      : "unknown %s instruction 0x%016llx at 0x%04llx",
			  w[0], (unsigned long long)(lo | hi << 32), (unsigned long long)pc);
		return false;
	}
	puts(buf);
	return true;
}

static int print_words(enum heddle_sass style)
{
	char *line = NULL;
	size_t cap = 0;
	bool ok = true;
	for (unsigned n = 1; getline(&line, &cap, stdin) >= 0; n++)
		if (line[0] != '#')
			ok &= print_word(line, n, style);
	free(line);
	return ok ? CLI_OK : CLI_FAILED;
}

static int print_table(const char *isa)
{
	char *s = heddle_native_table(isa);
	if (!s) {
		cli_error("disasm", "no table %s; there are fermi, tesla and sm70", isa);
		return CLI_USAGE;
	}
	fputs(s, stdout);
	free(s);
	return CLI_OK;
}

static int print_file(const char *path, const char *dialect, enum heddle_sass style)
{
	size_t n;
	char *data = cli_read("disasm", path, &n), *message = NULL;
	if (!data)
		return CLI_FAILED;
	char *s =
		heddle_native_list(&(struct heddle_text){path, data, n, dialect}, style, &message);
	cli_print(stderr, message ? message : "");
	fputs(s ? s : "", stdout);
	int status = s ? CLI_OK : CLI_FAILED;
	free(s);
	free(message);
	free(data);
	return status;
}

static int check_file(const char *path)
{
	size_t n;
	unsigned found;
	char *data = cli_read("disasm", path, &n), *message = NULL;
	if (!data)
		return CLI_FAILED;
	char *s = heddle_control_check(&(struct heddle_text){.name = path, .data = data, .size = n},
				       &found, &message);
	cli_print(stderr, message ? message : "");
	fputs(s ? s : "", stdout);
	int status = s && !found ? CLI_OK : CLI_FAILED;
	free(s);
	free(message);
	free(data);
	return status;
}

static bool style_named(const char *s, enum heddle_sass *out)
{
	static const struct {
		const char *name;
		enum heddle_sass style;
	} t[] = {{"cuda4", HEDDLE_SASS_CUDA4},
		 {"cuda5", HEDDLE_SASS_CUDA5},
		 {"full", HEDDLE_SASS_FULL},
		 {"cuda4.0", HEDDLE_SASS_CUDA40},
		 {"cuda4.1", HEDDLE_SASS_CUDA41}};
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++)
		if (!strcmp(s, t[i].name)) {
			*out = t[i].style;
			return true;
		}
	cli_error("disasm", "no style %s; there are cuda4.0, cuda4.1, cuda4, cuda5 and full", s);
	return false;
}

static int cmd_disasm(int argc, char **argv)
{
	struct cli_walk w;
	enum heddle_sass style = HEDDLE_SASS;
	const char *file = NULL, *table = NULL, *dialect = NULL;
	bool words = false, check = false;
	cli_walk_start(&w, &page_disasm, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_BAD)
			return CLI_USAGE;
		if (o == CLI_HELP)
			return cli_help(&command_disasm);
		if (o == O_WORDS)
			words = true;
		else if (o == O_PTXPLUS)
			style = HEDDLE_SASS_PTXPLUS;
		else if (o == O_TABLE)
			table = w.arg[0];
		else if (o == O_CHECK && strcmp(w.arg[0], "control-bits")) {
			cli_error("disasm", "--check %s: expected control-bits", w.arg[0]);
			return CLI_USAGE;
		} else if (o == O_CHECK)
			check = true;
		else if (o == O_DIALECT)
			dialect = w.arg[0];
		else if (o == O_STYLE && !style_named(w.arg[0], &style))
			return CLI_USAGE;
		else if (o == CLI_WORD && file) {
			cli_error("disasm", "one file at a time");
			return CLI_USAGE;
		} else if (o == CLI_WORD)
			file = w.arg[0];
	}
	if (table)
		return print_table(table);
	if (words)
		return print_words(style);
	if (!file) {
		cli_error("disasm", "which file?");
		return CLI_USAGE;
	}
	return check ? check_file(file) : print_file(file, dialect, style);
}

const struct cli_command command_disasm = {
	"disasm",
	cmd_disasm,
	"list the machine code of a cubin or a listing",
	&page_disasm,
};
