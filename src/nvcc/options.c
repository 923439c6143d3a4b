/* nvcc's command line, read by the table of options.def. Options without effect here are accepted
 * and dropped; unknown ones are reported. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "command/command.h"
#include "heddle.h"

enum value {
	NONE,   /* -x */
	VALUE,  /* -x=v or -x v */
	ATTACH, /* -xv, -x=v or -x v */
	BOOLEAN /* -x, -x=true, -x=false, and "-x true" when written so */
};

/* clang-format off */
enum act {
	DROP, REFUSE, GOAL, OUT, OUTDIR, CPP, CPPPATH, STD, LANG, HOSTOPT, LINKOPT, LIBRARY, LIBPATH,
	XCOMPILER, XLINKER, ARCH, GENCODE, OPTLEVEL, DEBUG, DEVDEBUG, RDC, DEVC, SHARED, PIC, FASTMATH,
	FTZ, PRECDIV, PRECSQRT, FMAD, CCBIN, DEP, VERBOSE, DRYRUN, KEEP, RESPONSE, FORWARD, MACRO,
	MAXREGS, XPTXAS, HELP, VERSION, OPENMP, SHORTPTR, NOTE, RUN, RUNARGS, BOTH, WERROR, STREAM,
	KEEPDIR, CLEAN, DEVOPT, LISTARCH, SEED
};
/* clang-format on */

struct row {
	const char *name, *longname;
	enum value value;
	enum act act;
	long arg;
	const char *text;
};

static const struct row rows[] = {
#include "nvcc/options.def"
};

static const struct row *find(const char *word, const char **value)
{
	size_t len = strcspn(word, "=");
	*value = NULL;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		for (int k = 0; k < 3; k++) {
			const char *name = k ? r->longname : r->name;
			name += name && k == 2; /* -ptxas-options, as nvcc takes long names, too */
			if (!name || strlen(name) != len || memcmp(name, word, len))
				continue;
			if (word[len] && r->value == NONE)
				continue;
			*value = word[len] ? word + len + 1 : NULL;
			return r;
		}
	}
	/* -Idir, -O3: only after no whole name fits; -march=native is not -m */
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

/* The names of all options that are dropped, or of all that are not, in lines. */
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

static void print_help(void)
{
	puts("heddle cc: compile CUDA programs, with nvcc's options\n\n"
	     "usage: heddle cc [OPTIONS] FILE...\n\n"
	     "Stands in nvcc's place (make NVCC=\"heddle cc\"): compiles CUDA, C++ and C sources with\n"
	     "clang, device code to PTX, and links them with Heddle's CUDA library. The program runs\n"
	     "on the simulated GPU by itself or by `heddle run`. HEDDLE_CLANG names the clang++ to use.");
	print_names("options, as nvcc's manual explains them, by their short or long names:",
		    false);
	puts("\n-short-pointers is Heddle's own: addresses in shared, constant and local\n"
	     "memory have 32 bits.");
	print_names("accepted, and without effect here:", true);
	printf("\naccepted without effect, with a word about it:\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].act == NOTE)
			printf("  %-19s %s\n", rows[i].name, rows[i].text);
	printf("\nrefused:\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].act == REFUSE)
			printf("  %-20s %s\n", rows[i].name, rows[i].text);
	puts("\nOptions of the host compiler (-W..., -f..., -march=... and the like) are handed to "
	     "it.");
}

/* The last one of several wins. */
static void replace(char **slot, const char *v)
{
	free(*slot);
	*slot = strdup(v);
}

static bool truth(const char *v)
{
	return !v || !strcmp(v, "true") || !strcmp(v, "1") || !strcmp(v, "yes");
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

/* Libraries of the toolkit that ours replace. */
static bool our_library(const char *name)
{
	static const char *const ours[] = {"cudart",    "cudart_static",        "cuda",
					   "cudadevrt", "nvToolsExt",           "cudart_emu",
					   "nvidia-ml", "nvptxcompiler_static", NULL};
	for (const char *const *p = ours; *p; p++)
		if (!strcmp(*p, name))
			return true;
	return false;
}

/* Static libraries for which our shared ones stand in; libraries that they need are dropped. */
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
			int n = cc_native_arch(); /* all of them: the GPU takes its own */
			cc->arch = n > cc->arch ? n : cc->arch;
			continue;
		}
		if (!cc_arch_number(w.v[i], NULL)) {
			cli_error("cc", "%s is no GPU architecture (sm_70, compute_70)", w.v[i]);
			bad = CLI_USAGE;
		}
		highest_arch(cc, w.v[i]);
	}
	words_free(&w);
	return bad;
}

/* -code. If it names only machine code of a GPU that Heddle can generate code for, the program runs
 * as that. With PTX beside it, or for a newer GPU, PTX is executed. */
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
		cli_error("cc", "-maxrregcount %s: a number of registers from 1 to 255 is expected",
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

/* Host compiler options; some of them mean something to us, and clang need not see them. */
static void take_host(struct cc *cc, const char *s)
{
	if (!strcmp(s, "-fopenmp"))
		cc->openmp = true;
	else if (!strcmp(s, "-fPIC") || !strcmp(s, "-fpic"))
		cc->pic = true;
	else if (!strncmp(s, "-std=", 5))
		replace(&cc->std, s + 5);
	else if (!strncmp(s, "-Wl,", 4) || !strcmp(s, "-rdynamic"))
		words_add(&cc->link, s);
	else if (!strncmp(s, "-l", 2) && !our_library(s + 2))
		words_add(&cc->link, s);
	else if (!strcmp(s, "-m64"))
		return; /* hosts have 64 bits; not every compiler knows the option */
#if defined(__aarch64__)
	else if (!strcmp(s, "-march=native"))
		words_add(&cc->host, "-mcpu=native"); /* clang 14 has only this word for it */
#endif
	else if (strncmp(s, "-l", 2))
		words_add(&cc->host, s);
}

/* Splits a list at any of the characters. \, is a comma of a value; so is one within double quotes or parentheses, where
 * enclosed says so: nvcc splits the latter too, which leaves no macro with arguments. */
static void split_list(struct words *w, const char *v, const char *seps, bool enclosed)
{
	enum { COMMA = 1 }; /* stands for it meanwhile */
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
	/* A quoted list may hold -Wl,a,b whose commas are its own. */
	split_list(&w, v, strstr(v, "-Wl,") ? " \"'" : ", \"'", false);
	for (size_t i = 0; i < w.n; i++)
		take_host(cc, w.v[i]);
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
			replace(&cc->std, v);
			return -1;
		}
	cli_error("cc", "-std=%s: no language standard", v);
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
	cli_error("cc", "-x %s: the languages are c, c++ and cu", v);
	return CLI_USAGE;
}

/* Is v one of the values that a row's text has, "a|b|c"? */
static int check_value(const struct row *r, const char *v)
{
	size_t n = strlen(v);
	for (const char *p = r->text; p && *p; p += strcspn(p, "|"), p += *p == '|')
		if (strcspn(p, "|") == n && !memcmp(p, v, n))
			return -1;
	cli_error("cc", "%s %s: expected %s", r->name, v, r->text);
	return CLI_USAGE;
}

/* -Werror KIND,...: also for the kinds that the host compiler has. */
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

static int parse_words(struct cc *cc, int argc, char **argv, enum cc_lang *lang, int depth);

static int take_response(struct cc *cc, const char *list, enum cc_lang *lang, int depth)
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
		st = parse_words(cc, (int)w.n, w.v, lang, depth + 1);
	words_free(&files);
	words_free(&w);
	return st;
}

static int take(struct cc *cc, const struct row *r, const char *v, enum cc_lang *lang, int depth)
{
	switch (r->act) {
	case DROP: return r->text ? check_value(r, v ? v : "") : -1;
	case NOTE: fprintf(stderr, "heddle cc: %s has no effect: %s\n", r->name, r->text); break;
	case RUN: cc->run = true; break;
	case RUNARGS: words_split(&cc->run_args, v, ","); break;
	case BOTH:
		words_addf(&cc->host, "%s%s", r->text, v);
		words_addf(&cc->device, "%s%s", r->text, v);
		break;
	case WERROR: take_werror(cc, v); break;
	case STREAM: return take_stream(cc, r, v);
	case KEEPDIR: replace(&cc->keep_dir, v); break;
	case CLEAN: cc->clean = true; break;
	case DEVOPT: cc->device_opt = true; return check_value(r, v);
	case LISTARCH: cc_list_archs(r->text); return CLI_OK;
	case SEED: replace(&cc->seed, v); break;
	case REFUSE: cli_error("cc", "%s is not supported: %s", r->name, r->text); return CLI_USAGE;
	case GOAL:
		cc->goal = (enum cc_goal)r->arg;
		if (r->text)
			words_add(&cc->deps, r->text);
		break;
	case OUT: replace(&cc->out, v); break;
	case OUTDIR: replace(&cc->outdir, v); break;
	case CPP: {
		struct words w = {0};
		split_list(&w, v, ",", true);
		for (size_t i = 0; i < w.n; i++)
			words_addf(&cc->cpp, "%s%s", r->text, w.v[i]);
		words_free(&w);
		break;
	}
	case CPPPATH: {
		struct words w = {0};
		words_split(&w, v, ",");
		for (size_t i = 0; i < w.n; i++) {
			words_add(&cc->cpp, r->text);
			words_add(&cc->cpp, w.v[i]);
		}
		words_free(&w);
		break;
	}
	case STD: return take_std(cc, v);
	case LANG: return take_lang(cc, v, lang);
	case HOSTOPT:
		words_add(&cc->host, r->text);
		if (r->arg)
			words_add(&cc->link, r->text);
		break;
	case LINKOPT: words_add(&cc->link, r->text); break;
	case LIBRARY: {
		struct words w = {0};
		words_split(&w, v, ",");
		for (size_t i = 0; i < w.n; i++)
			if (!our_library(w.v[i]) && shared_name(w.v[i]))
				words_addf(&cc->link, "-l%s", shared_name(w.v[i]));
		words_free(&w);
		break;
	}
	case LIBPATH: {
		struct words w = {0};
		words_split(&w, v, ",");
		for (size_t i = 0; i < w.n; i++)
			words_addf(&cc->link, "-L%s", w.v[i]);
		words_free(&w);
		break;
	}
	case XCOMPILER: take_xcompiler(cc, v); break;
	case XLINKER: take_xlinker(cc, v); break;
	case ARCH:
		if (r->arg)
			take_code(cc, v);
		if (r->arg && cc->arch)
			break; /* -code refines -arch; the virtual architecture decides */
		return take_arch(cc, v);
	case GENCODE: return take_gencode(cc, v);
	case OPTLEVEL: words_addf(&cc->host, "-O%s", v); break;
	case DEBUG:
		cc->debug = true;
		words_add(&cc->host, "-g");
		break;
	case DEVDEBUG: cc->device_debug = true; break;
	case RDC: cc->rdc = truth(v); break;
	case DEVC:
		cc->rdc = r->arg;
		cc->goal = GOAL_OBJECT;
		break;
	case SHARED: cc->shared = true; break;
	case PIC: cc->pic = true; break;
	case FASTMATH:
		cc->fast_math = cc->ftz = true;
		cc->prec_div = cc->prec_sqrt = false;
		cc->fmad = true;
		break;
	case FTZ: cc->ftz = truth(v); break;
	case PRECDIV: cc->prec_div = truth(v); break;
	case PRECSQRT: cc->prec_sqrt = truth(v); break;
	case FMAD: cc->fmad = truth(v); break;
	case CCBIN: replace(&cc->ccbin, v); break;
	case DEP:
		words_add(&cc->deps, r->text);
		if (r->arg)
			words_add(&cc->deps, v);
		break;
	case VERBOSE: cc->verbose = true; break;
	case DRYRUN: cc->dry_run = true; break;
	case KEEP: cc->keep = true; break;
	case RESPONSE: return take_response(cc, v, lang, depth);
	case FORWARD: cc->forward_unknown = true; break;
	case MACRO: words_addf(&cc->cpp, "-D%s", r->text); break;
	case SHORTPTR: cc->short_pointers = true; break;
	case MAXREGS: return take_max_regs(cc, v);
	case XPTXAS: return take_xptxas(cc, v);
	case OPENMP: cc->openmp = true; break;
	case HELP: print_help(); return CLI_OK;
	case VERSION:
		/* the words that build systems look for in nvcc's answer */
		puts("heddle cc " HEDDLE_VERSION
		     ", in place of nvcc: NVIDIA (R) Cuda compiler driver\n"
		     "Cuda compilation tools, release " CC_CUDA_RELEASE ", V" CC_CUDA_VERSION);
		return CLI_OK;
	}
	return -1;
}

/* Options of the host compiler that nvcc's users write without -Xcompiler. */
static bool host_option(const struct cc *cc, const char *a)
{
	return cc->forward_unknown || !strncmp(a, "-W", 2) || !strncmp(a, "-f", 2) ||
	       !strncmp(a, "-march=", 7) || !strncmp(a, "-mtune=", 7) || !strncmp(a, "-mcpu=", 6) ||
	       !strncmp(a, "-msse", 5) || !strncmp(a, "-mavx", 5) || !strcmp(a, "-mfma") ||
	       !strncmp(a, "-pedantic", 9) || !strcmp(a, "-ansi") || !strcmp(a, "-pipe");
}

static int parse_words(struct cc *cc, int argc, char **argv, enum cc_lang *lang, int depth)
{
	for (int i = 0; i < argc; i++) {
		const char *a = argv[i], *v;
		int st = -1;
		if (a[0] == '@' && a[1]) {
			st = take_response(cc, a + 1, lang, depth);
		} else if (a[0] != '-' || !a[1]) {
			add_input(cc, a, *lang);
		} else {
			const struct row *r = find(a, &v);
			if (!r && host_option(cc, a)) {
				take_host(cc, a);
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
			st = take(cc, r, v, lang, depth);
		}
		if (st >= 0)
			return st;
	}
	return -1;
}

/* Options from the environment, NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS, split as a shell does. */
static int parse_variable(struct cc *cc, const char *name, enum cc_lang *lang)
{
	const char *value = getenv(name);
	if (!value)
		return -1;
	struct words w = {0};
	char *text = cc_format("%s", value);
	words_unquote(&w, text);
	int st = parse_words(cc, (int)w.n, w.v, lang, 0);
	if (st == CLI_USAGE)
		cli_error("cc", "that is in the environment, %s=%s", name, value);
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
		replace(&cc->ccbin, ccbin);
	int st = parse_variable(cc, "NVCC_PREPEND_FLAGS", &lang);
	if (st < 0)
		st = parse_words(cc, argc - 1, argv + 1, &lang, 0);
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
