/* Reads nvcc's command line by the rows of options.def; take.c applies each option. Options without
 * effect here are accepted and dropped; unknown options are reported. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nvcc/options.h"
#include "command/command.h"
#include "heddle.h"

static const struct row rows[] = {
#include "nvcc/options.def"
};

static const struct row *find_row(const char *word, const char **value)
{
	size_t len = strcspn(word, "=");
	*value = NULL;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		for (int k = 0; k < 3; k++) {
			const char *name = k ? r->longname : r->name;
			/* -ptxas-options: nvcc accepts long names after one dash too */
			name += name && k == 2;
			if (!name || strlen(name) != len || memcmp(name, word, len))
				continue;
			if (word[len] && r->value == NONE)
				continue;
			*value = word[len] ? word + len + 1 : NULL;
			return r;
		}
	}
	/* -Idir, -O3: only if no whole name fits, since -march=native is not -m */
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t n = strlen(rows[i].name);
		bool number = rows[i].act == DROP;
		if (rows[i].value == ATTACH && !strncmp(word, rows[i].name, n) && word[n] &&
		    (!number || strchr("=0123456789", word[n]))) {
			*value = word + n + (word[n] == '=');
			return &rows[i];
		}
	}
	return NULL;
}

/* Prints the names of all options that are dropped, or of all that are not. */
static void print_names(const char *heading, bool dropped)
{
	int col = 80;
	printf("\n%s", heading);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		if (r->act == REFUSE || r->act == NOTE || (r->act == DROP) != dropped)
			continue;
		int len = (int)strlen(r->name);
		printf("%s%s", col + 1 + len > 80 ? "\n  " : " ", r->name);
		col = col + 1 + len > 80 ? 2 + len : col + 1 + len;
	}
	putchar('\n');
}

void cc_print_help(void)
{
	puts("heddle cc: compile CUDA programs, with nvcc's options\n\n"
	     "usage: heddle cc [OPTIONS] FILE...\n\n"
	     "Replaces nvcc (make NVCC=\"heddle cc\"): compiles CUDA, C++ and C sources with\n"
	     "clang, device code to PTX, and links them with Heddle's CUDA library. The program runs\n"
	     "on the simulated GPU by itself or by `heddle run`. HEDDLE_CLANG names the clang++ to use.");
	print_names("options, as nvcc's manual explains them, by their short or long names:",
		    false);
	puts("\n-short-pointers is Heddle's own: addresses in shared, constant and local\n"
	     "memory have 32 bits.");
	print_names("accepted, and without effect here:", true);
	printf("\naccepted without effect, with a note:\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].act == NOTE)
			printf("  %-19s %s\n", rows[i].name, rows[i].text);
	printf("\nrefused:\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].act == REFUSE)
			printf("  %-20s %s\n", rows[i].name, rows[i].text);
	puts("\nOptions of the host compiler (-W..., -f..., -march=... and the like) are passed on to it.");
}

static enum cc_lang lang_of(const char *path)
{
	static const struct {
		const char *ext;
		enum cc_lang lang;
	} table[] = {
		{".cu", LANG_CU},   {".c", LANG_C},     {".cc", LANG_CXX},
		{".cxx", LANG_CXX}, {".ptx", LANG_PTX}, {".cpp", LANG_CXX},
		{".c++", LANG_CXX}, {".C", LANG_CXX},   {".cp", LANG_CXX},
	};
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && i < sizeof table / sizeof *table; i++)
		if (!strcmp(dot, table[i].ext))
			return table[i].lang;
	return LANG_OBJECT;
}

static void add_input(struct cc *cc, const char *path, enum cc_lang lang)
{
	cc->in = realloc(cc->in, (cc->nin + 1) * sizeof *cc->in);
	if (!cc->in)
		exit(CLI_FAILED);
	cc->in[cc->nin++] =
		(struct cc_input){strdup(path), lang == LANG_AUTO ? lang_of(path) : lang};
}

/* True for options of the host compiler that users of nvcc write without -Xcompiler. */
static bool is_host_option(const struct cc *cc, const char *a)
{
	return cc->forward_unknown || !strncmp(a, "-W", 2) || !strncmp(a, "-f", 2) ||
	       !strncmp(a, "-march=", 7) || !strncmp(a, "-mtune=", 7) || !strncmp(a, "-mcpu=", 6) ||
	       !strncmp(a, "-msse", 5) || !strncmp(a, "-mavx", 5) || !strcmp(a, "-mfma") ||
	       !strncmp(a, "-pedantic", 9) || !strcmp(a, "-ansi") || !strcmp(a, "-pipe");
}

int cc_parse_words(struct cc *cc, int argc, char **argv, enum cc_lang *lang, int depth)
{
	for (int i = 0; i < argc; i++) {
		const char *a = argv[i], *v;
		int st = -1;
		if (a[0] == '@' && a[1]) {
			st = cc_take_response(cc, a + 1, lang, depth);
		} else if (a[0] != '-' || !a[1]) {
			add_input(cc, a, *lang);
		} else {
			const struct row *r = find_row(a, &v);
			if (!r && is_host_option(cc, a)) {
				cc_take_host(cc, a);
				continue;
			}
			if (!r) {
				cli_error("cc", "unknown option %s", a);
				return CLI_USAGE;
			}
			if (r->value == VALUE || (r->value == ATTACH && !v && r->act != OPTLEVEL)) {
				if (!v && i + 1 >= argc) {
					cli_error("cc", "%s needs a value", a);
					return CLI_USAGE;
				}
				v = v ? v : argv[++i];
			} else if (r->value == BOOLEAN && !v && i + 1 < argc &&
				   (!strcmp(argv[i + 1], "true") ||
				    !strcmp(argv[i + 1], "false"))) {
				v = argv[++i];
			}
			if (r->act == OPTLEVEL && !v)
				v = "1";
			st = cc_take(cc, r, v, lang, depth);
		}
		if (st >= 0)
			return st;
	}
	return -1;
}

/* Reads options from the environment, NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS, split as a shell
 * does. */
static int parse_variable(struct cc *cc, const char *name, enum cc_lang *lang)
{
	const char *value = getenv(name);
	if (!value)
		return -1;
	struct words w = {0};
	char *text = cc_format("%s", value);
	words_unquote(&w, text);
	int st = cc_parse_words(cc, (int)w.n, w.v, lang, 0);
	if (st == CLI_USAGE)
		cli_error("cc", "the option is in the environment variable %s=%s", name, value);
	words_free(&w);
	free(text);
	return st;
}

int cc_parse(struct cc *cc, int argc, char **argv)
{
	enum cc_lang lang = LANG_AUTO;
	const char *ccbin = getenv("NVCC_CCBIN");
	cc->prec_div = cc->prec_sqrt = cc->fmad = true;
	if (ccbin && *ccbin)
		cc->ccbin = strdup(ccbin);
	int st = parse_variable(cc, "NVCC_PREPEND_FLAGS", &lang);
	if (st < 0)
		st = cc_parse_words(cc, argc - 1, argv + 1, &lang, 0);
	if (st < 0)
		st = parse_variable(cc, "NVCC_APPEND_FLAGS", &lang);
	if (st >= 0)
		return st;
	if (!cc->nin) {
		cli_error("cc", "no input files");
		return CLI_USAGE;
	}
	return -1;
}
