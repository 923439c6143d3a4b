/* Applies the options of nvcc's command line: an option sets a switch, keeps a text, adds words for
 * the host compiler, the device compiler or the linker, chooses architectures, or ends the command
 * with an answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/command.h"
#include "heddle.h"
#include "nvcc/options.h"

/* Sets a text; the last option of several wins. */
static void replace_text(char **slot, const char *v)
{
	free(*slot);
	*slot = strdup(v);
}

static bool truth(const char *v)
{
	return !v || !strcmp(v, "true") || !strcmp(v, "1") || !strcmp(v, "yes");
}

/* True for libraries of the toolkit that ours replace. */
static bool is_our_library(const char *name)
{
	static const char *const ours[] = {"cudart",    "cudart_static",        "cuda",
					   "cudadevrt", "nvToolsExt",           "cudart_emu",
					   "nvidia-ml", "nvptxcompiler_static", NULL};
	for (const char *const *p = ours; *p; p++)
		if (!strcmp(*p, name))
			return true;
	return false;
}

/* Returns the shared library of ours that replaces a static library; libraries that the static one
 * needs are dropped. */
static const char *shared_name(const char *name)
{
	static const char *const names[][2] = {{"cublas_static", "cublas"},
					       {"cufft_static", "cufft"},
					       {"cufft_static_nocallback", "cufft"},
					       {"culibos", NULL},
					       {"curand_static", "curand"},
					       {"cublasLt_static", "cublasLt"},
					       {"nvrtc_static", "nvrtc"},
					       {"nvrtc-builtins_static", NULL},
					       {"nvrtc-builtins", NULL},
					       {"cusparse_static", "cusparse"},
					       {"cusolver_static", "cusolver"}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i][0], name))
			return names[i][1];
	return name;
}

static void highest_arch(struct cc *cc, const char *s)
{
	char suffix = 0;
	int n = cc_arch_number(s, &suffix);
	if (n > cc->arch) {
		cc->arch = n;
		cc->arch_suffix = suffix;
	}
}

static int take_arch(struct cc *cc, const char *v)
{
	struct words w = {0};
	int bad = -1;
	words_split(&w, v, ",");
	for (size_t i = 0; i < w.n; i++) {
		if (!strcmp(w.v[i], "native") || !strncmp(w.v[i], "all", 3)) {
			/* `all`, `native`: the architecture of the simulated GPU */
			int n = cc_native_arch();
			cc->arch = n > cc->arch ? n : cc->arch;
			continue;
		}
		if (!cc_arch_number(w.v[i], NULL)) {
			cli_error("cc", "%s is not a GPU architecture, such as sm_70 or compute_70",
				  w.v[i]);
			bad = CLI_USAGE;
		}
		highest_arch(cc, w.v[i]);
	}
	words_free(&w);
	return bad;
}

/* -code. If it names only machine code of a GPU for which Heddle generates code, the program runs
 * as that machine code. With PTX beside it, or for a newer GPU, PTX is executed. */
static void take_code(struct cc *cc, const char *v)
{
	struct words w = {0};
	bool ptx = false;
	int newest = 0;
	words_split(&w, v, ",");
	for (size_t i = 0; i < w.n; i++) {
		int n = cc_arch_number(w.v[i], NULL);
		ptx |= strncmp(w.v[i], "sm_", 3) != 0;
		newest = n > newest ? n : newest;
	}
	cc->machine = !ptx && (newest == 130 || newest == 200) ? newest : 0;
	words_free(&w);
}

static int take_max_regs(struct cc *cc, const char *v)
{
	char *end;
	long n = strtol(v, &end, 10);
	if (*end || end == v || n < 1 || n > 255) {
		cli_error("cc", "-maxrregcount %s: expected a number of registers from 1 to 255",
			  v);
		return CLI_USAGE;
	}
	cc->max_regs = (int)n;
	return -1;
}

/* -Xptxas: only one of the assembler's options has an effect here. */
static int take_xptxas(struct cc *cc, const char *v)
{
	struct words w = {0};
	int status = -1;
	words_split(&w, v, ",= ");
	for (size_t i = 0; i + 1 < w.n && status < 0; i++)
		if (!strcmp(w.v[i], "-maxrregcount") || !strcmp(w.v[i], "--maxrregcount"))
			status = take_max_regs(cc, w.v[i + 1]);
	words_free(&w);
	return status;
}

/* arch=compute_70,code=[sm_70,compute_70] */
static int take_gencode(struct cc *cc, const char *v)
{
	struct words w = {0};
	words_split(&w, v, ",[]\"' ");
	for (size_t i = 0; i < w.n; i++) {
		const char *p = w.v[i];
		if (!strncmp(p, "arch=", 5))
			highest_arch(cc, p + 5);
	}
	if (!cc->arch)
		for (size_t i = 0; i < w.n; i++)
			highest_arch(cc, !strncmp(w.v[i], "code=", 5) ? w.v[i] + 5 : w.v[i]);
	words_free(&w);
	return -1;
}

/* Passes options to the host compiler; some also affect this driver, and some are not for clang. */
void cc_take_host(struct cc *cc, const char *s)
{
	if (!strcmp(s, "-fopenmp"))
		cc->openmp = true;
	else if (!strcmp(s, "-fPIC") || !strcmp(s, "-fpic"))
		cc->pic = true;
	else if (!strncmp(s, "-std=", 5))
		replace_text(&cc->std, s + 5);
	else if (!strncmp(s, "-Wl,", 4) || !strcmp(s, "-rdynamic"))
		words_add(&cc->link, s);
	else if (!strncmp(s, "-l", 2) && !is_our_library(s + 2))
		words_add(&cc->link, s);
	else if (!strcmp(s, "-m64"))
		return; /* hosts have 64 bits, and not every compiler knows the option */
#if defined(__aarch64__)
	else if (!strcmp(s, "-march=native"))
		words_add(&cc->host, "-mcpu=native"); /* the only spelling that clang 14 knows */
#endif
	else if (strncmp(s, "-l", 2))
		words_add(&cc->host, s);
}

/* Splits a list at any of the characters. \, is a comma within a value; so is a comma in double
 * quotes or, if `enclosed` is set, in parentheses. nvcc splits in parentheses too, which makes
 * macros with arguments impossible. */
static void split_list(struct words *w, const char *v, const char *seps, bool enclosed)
{
	enum { COMMA = 1 }; /* character that replaces such a comma until the list is split */
	char *text = cc_format("%s", v), *to = text;
	bool quoted = false;
	unsigned depth = 0;
	size_t first = w->n;
	for (const char *s = v; *s; s++) {
		if (s[0] == '\\' && s[1] == ',') {
			*to++ = COMMA;
			s++;
			continue;
		}
		if (*s == '"')
			quoted = !quoted;
		else if (*s == '(' && !quoted)
			depth++;
		else if (*s == ')' && !quoted && depth)
			depth--;
		*to++ = *s == ',' && enclosed && (quoted || depth) ? (char)COMMA : *s;
	}
	*to = 0;
	words_split(w, text, seps);
	for (size_t i = first; i < w->n; i++)
		for (char *c = w->v[i]; (c = strchr(c, COMMA));)
			*c = ',';
	free(text);
}

static void take_xcompiler(struct cc *cc, const char *v)
{
	struct words w = {0};
	/* commas inside -Wl,a,b do not split a quoted list */
	split_list(&w, v, strstr(v, "-Wl,") ? " \"'" : ", \"'", false);
	for (size_t i = 0; i < w.n; i++)
		cc_take_host(cc, w.v[i]);
	words_free(&w);
}

static void take_xlinker(struct cc *cc, const char *v)
{
	struct words w = {0};
	words_split(&w, v, ", ");
	for (size_t i = 0; i < w.n; i++) {
		words_add(&cc->link, "-Xlinker");
		words_add(&cc->link, w.v[i]);
	}
	words_free(&w);
}

static int take_std(struct cc *cc, const char *v)
{
	static const char *const known[] = {
		"c++03",   "c++11",   "c++14",   "c++17",   "c++20",   "c++23",   "gnu++98",
		"c++98",   "gnu++03", "gnu++11", "gnu++14", "gnu++17", "gnu++20", "gnu++23",
		"c99",     "c11",     "c17",     "gnu99",   "gnu11",   "gnu17",   "c++0x",
		"gnu++0x", "c++1y",   "c++1z",   "c++2a",   NULL};
	for (const char *const *p = known; *p; p++)
		if (!strcmp(*p, v)) {
			replace_text(&cc->std, v);
			return -1;
		}
	cli_error("cc", "-std=%s: expected a language standard, such as c++17", v);
	return CLI_USAGE;
}

static int take_lang(struct cc *cc, const char *v, enum cc_lang *lang)
{
	static const struct {
		const char *name;
		enum cc_lang lang;
	} table[] = {
		{"cu", LANG_CU},     {"c", LANG_C},     {"c++", LANG_CXX},
		{"none", LANG_AUTO}, {"cuda", LANG_CU},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(table[i].name, v)) {
			*lang = table[i].lang;
			cc->lang_given = *lang != LANG_AUTO;
			return -1;
		}
	cli_error("cc", "-x %s: expected c, c++ or cu", v);
	return CLI_USAGE;
}

/* Returns -1 if v is one of the values in a row's text, "a|b|c"; otherwise reports an error and
 * returns an exit status. */
static int check_value(const struct row *r, const char *v)
{
	size_t n = strlen(v);
	for (const char *p = r->text; p && *p; p += strcspn(p, "|"), p += *p == '|')
		if (strcspn(p, "|") == n && !memcmp(p, v, n))
			return -1;
	cli_error("cc", "%s %s: expected %s", r->name, v, r->text);
	return CLI_USAGE;
}

/* -Werror KIND,...: also for the kinds of warnings that the host compiler has. */
static void take_werror(struct cc *cc, const char *v)
{
	struct words w = {0};
	words_split(&w, v, ",");
	for (size_t i = 0; i < w.n; i++)
		if (!strcmp(w.v[i], "all-warnings"))
			words_add(&cc->host, "-Werror");
		else if (!strcmp(w.v[i], "reorder") || !strcmp(w.v[i], "deprecated-declarations"))
			words_addf(&cc->host, "-Werror=%s", w.v[i]);
	words_free(&w);
}

static int take_stream(struct cc *cc, const struct row *r, const char *v)
{
	if (!strcmp(v, "per-thread")) {
		words_add(&cc->cpp, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
	} else if (strcmp(v, "legacy") && strcmp(v, "null")) {
		cli_error("cc", "%s %s: expected legacy, null or per-thread", r->name, v);
		return CLI_USAGE;
	}
	return -1;
}

int cc_take_response(struct cc *cc, const char *list, enum cc_lang *lang, int depth)
{
	struct words files = {0}, w = {0};
	int st = -1;
	words_split(&files, list, ",");
	for (size_t i = 0; i < files.n && st < 0; i++) {
		size_t n;
		char *text = depth < 8 ? cc_slurp(files.v[i], &n) : NULL;
		if (!text) {
			cli_error("cc", "cannot read options from %s", files.v[i]);
			st = CLI_USAGE;
			break;
		}
		words_unquote(&w, text);
		free(text);
	}
	if (st < 0)
		st = cc_parse_words(cc, (int)w.n, w.v, lang, depth + 1);
	words_free(&files);
	words_free(&w);
	return st;
}

/* Returns the switch that an option sets; NULL: none. */
static bool *find_switch(struct cc *cc, enum act act)
{
	switch (act) {
	case RUN: return &cc->run;
	case CLEAN: return &cc->clean;
	case DEVDEBUG: return &cc->device_debug;
	case RDC: return &cc->rdc;
	case SHARED: return &cc->shared;
	case PIC: return &cc->pic;
	case FTZ: return &cc->ftz;
	case PRECDIV: return &cc->prec_div;
	case PRECSQRT: return &cc->prec_sqrt;
	case FMAD: return &cc->fmad;
	case VERBOSE: return &cc->verbose;
	case DRYRUN: return &cc->dry_run;
	case KEEP: return &cc->keep;
	case FORWARD: return &cc->forward_unknown;
	case SHORTPTR: return &cc->short_pointers;
	case OPENMP: return &cc->openmp;
	default: return NULL;
	}
}

/* Returns the field that keeps an option's value; NULL: none. */
static char **find_text(struct cc *cc, enum act act)
{
	switch (act) {
	case OUT: return &cc->out;
	case OUTDIR: return &cc->outdir;
	case KEEPDIR: return &cc->keep_dir;
	case SEED: return &cc->seed;
	case CCBIN: return &cc->ccbin;
	default: return NULL;
	}
}

/* Adds the parts of a value to the list of a compiler or the linker, each after the row's text. */
static void take_list(struct cc *cc, const struct row *r, const char *v)
{
	struct words w = {0};
	if (r->act == CPP)
		split_list(&w, v, ",", true);
	else
		words_split(&w, v, ",");
	for (size_t i = 0; i < w.n; i++) {
		const char *part = w.v[i];
		if (r->act == CPP) {
			words_addf(&cc->cpp, "%s%s", r->text, part);
		} else if (r->act == CPPPATH) {
			words_add(&cc->cpp, r->text);
			words_add(&cc->cpp, part);
		} else if (r->act == LIBPATH) {
			words_addf(&cc->link, "-L%s", part);
		} else if (!is_our_library(part) && shared_name(part)) {
			words_addf(&cc->link, "-l%s", shared_name(part));
		}
	}
	words_free(&w);
}

/* Handles options that reach the tools unchanged. */
static void take_word(struct cc *cc, const struct row *r, const char *v)
{
	switch (r->act) {
	case RUNARGS: words_split(&cc->run_args, v, ","); break;
	case BOTH:
		words_addf(&cc->host, "%s%s", r->text, v);
		words_addf(&cc->device, "%s%s", r->text, v);
		break;
	case HOSTOPT:
		words_add(&cc->host, r->text);
		if (r->arg)
			words_add(&cc->link, r->text);
		break;
	case LINKOPT: words_add(&cc->link, r->text); break;
	case MACRO: words_addf(&cc->cpp, "-D%s", r->text); break;
	case OPTLEVEL: words_addf(&cc->host, "-O%s", v); break;
	case DEP:
		words_add(&cc->deps, r->text);
		if (r->arg)
			words_add(&cc->deps, v);
		break;
	case XCOMPILER: take_xcompiler(cc, v); break;
	case XLINKER: take_xlinker(cc, v); break;
	case WERROR: take_werror(cc, v); break;
	default: take_list(cc, r, v);
	}
}

/* Sets the goal and the modes of compilation. */
static void take_mode(struct cc *cc, const struct row *r)
{
	switch (r->act) {
	case GOAL:
		cc->goal = (enum cc_goal)r->arg;
		if (r->text)
			words_add(&cc->deps, r->text);
		break;
	case DEVC:
		cc->rdc = r->arg;
		cc->goal = GOAL_OBJECT;
		break;
	case DEBUG:
		cc->debug = true;
		words_add(&cc->host, "-g");
		break;
	default: /* FASTMATH */
		cc->fast_math = cc->ftz = cc->fmad = true;
		cc->prec_div = cc->prec_sqrt = false;
	}
}

/* -arch and -code: the virtual architecture decides, -code refines it. */
static int take_target(struct cc *cc, const struct row *r, const char *v)
{
	if (r->arg)
		take_code(cc, v);
	return r->arg && cc->arch ? -1 : take_arch(cc, v);
}

/* Handles options that end the command with an answer. */
static int print_answer(const struct row *r)
{
	if (r->act == REFUSE) {
		cli_error("cc", "%s is not supported: %s", r->name, r->text);
		return CLI_USAGE;
	}
	if (r->act == LISTARCH)
		cc_list_archs(r->text);
	else if (r->act == HELP)
		cc_print_help();
	else /* with the words that build systems expect in nvcc's answer */
		puts("heddle cc " HEDDLE_VERSION
		     ", in place of nvcc: NVIDIA (R) Cuda compiler driver\n"
		     "Cuda compilation tools, release " CC_CUDA_RELEASE ", V" CC_CUDA_VERSION);
	return CLI_OK;
}

int cc_take(struct cc *cc, const struct row *r, const char *v, enum cc_lang *lang, int depth)
{
	bool *set = find_switch(cc, r->act);
	char **text = find_text(cc, r->act);
	if (set) {
		*set = truth(v);
		return -1;
	}
	if (text) {
		replace_text(text, v);
		return -1;
	}
	switch (r->act) {
	case DROP: return r->text ? check_value(r, v ? v : "") : -1;
	case NOTE:
		fprintf(stderr, "heddle cc: %s has no effect: %s\n", r->name, r->text);
		return -1;
	case DEVOPT: cc->device_opt = true; return check_value(r, v);
	case STREAM: return take_stream(cc, r, v);
	case STD: return take_std(cc, v);
	case LANG: return take_lang(cc, v, lang);
	case ARCH: return take_target(cc, r, v);
	case GENCODE: return take_gencode(cc, v);
	case MAXREGS: return take_max_regs(cc, v);
	case XPTXAS: return take_xptxas(cc, v);
	case RESPONSE: return cc_take_response(cc, v, lang, depth);
	case REFUSE:
	case LISTARCH:
	case HELP:
	case VERSION: return print_answer(r);
	case GOAL:
	case DEVC:
	case DEBUG:
	case FASTMATH: take_mode(cc, r); return -1;
	default: take_word(cc, r, v); return -1;
	}
}
