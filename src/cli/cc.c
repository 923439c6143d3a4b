/* heddle cc: the compiler driver in nvcc's place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/cc/cc.h"
#include "cli/cli.h"

/* What a goal calls its output when -o is not given. */
static char *output_name(struct cc *cc, const struct cc_input *in)
{
	static const char *const ext[] = {
		[GOAL_OBJECT] = ".o", [GOAL_PTX] = ".ptx", [GOAL_FATBIN] = ".fatbin"};
	const char *slash = strrchr(in->path, '/'), *base = slash ? slash + 1 : in->path;
	const char *dot = strrchr(base, '.');
	int n = (int)(dot ? dot - base : (long)strlen(base));
	if (cc->out)
		return strdup(cc->out);
	return cc_format("%s%s%.*s%s", cc->outdir ? cc->outdir : "", cc->outdir ? "/" : "", n, base,
			 ext[cc->goal]);
}

static bool compile_each(struct cc *cc)
{
	for (size_t i = 0; i < cc->nin; i++) {
		const struct cc_input *in = &cc->in[i];
		if (in->lang == LANG_OBJECT)
			continue;
		bool named =
			cc->goal == GOAL_OBJECT || cc->goal == GOAL_PTX || cc->goal == GOAL_FATBIN;
		char *out = named ? output_name(cc, in) : NULL;
		bool ok = cc_compile(cc, in, out);
		free(out);
		if (!ok)
			return false;
	}
	return true;
}

static bool archive(struct cc *cc, const struct words *objects, const char *out)
{
	struct words w = {0};
	words_add(&w, "ar");
	words_add(&w, "rcs");
	words_add(&w, out);
	words_add_all(&w, objects);
	bool ok = cc_run(cc, &w);
	words_free(&w);
	return ok;
}

static bool build(struct cc *cc)
{
	struct words objects = {0};
	bool ok = true;
	for (size_t i = 0; i < cc->nin && ok; i++) {
		const struct cc_input *in = &cc->in[i];
		if (in->lang == LANG_OBJECT) {
			words_add(&objects, in->path);
			continue;
		}
		char *obj = cc_temp(cc, ".o");
		words_add(&objects, obj);
		ok = cc_compile(cc, in, obj);
		free(obj);
	}
	if (ok && cc->goal == GOAL_LIB)
		ok = archive(cc, &objects, cc->out ? cc->out : "a.a");
	else if (ok && cc->goal == GOAL_DLINK)
		ok = cc_dlink(cc, &objects, cc->out ? cc->out : "a_dlink.o");
	else if (ok)
		ok = cc_link(cc, &objects, cc->out ? cc->out : "a.out");
	words_free(&objects);
	return ok;
}

static void cc_free(struct cc *cc)
{
	struct words *lists[] = {&cc->cpp, &cc->host, &cc->device, &cc->link, &cc->deps};
	char *strings[] = {cc->out,          cc->outdir,        cc->std,
			   cc->ccbin,        cc->tmp,           cc->tools.clang,
			   cc->tools.cxx,    cc->tools.c,       cc->tools.headers,
			   cc->tools.libdir, cc->tools.bitcode, cc->tools.omp_header,
			   cc->tools.omp_lib};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		words_free(lists[i]);
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
		free(strings[i]);
	for (size_t i = 0; i < cc->nin; i++)
		free(cc->in[i].path);
	free(cc->in);
}

static int run(struct cc *cc, int argc, char **argv)
{
	int st = cc_parse(cc, argc, argv);
	if (st >= 0)
		return st;
	bool single = cc->goal != GOAL_LINK && cc->goal != GOAL_LIB && cc->goal != GOAL_DLINK;
	size_t sources = 0;
	for (size_t i = 0; i < cc->nin; i++)
		sources += cc->in[i].lang != LANG_OBJECT;
	if (single && cc->out && sources > 1) {
		cli_error("cc", "-o %s cannot name the output of %zu sources", cc->out, sources);
		return CLI_USAGE;
	}
	if (!cc_find_tools(cc))
		return CLI_FAILED;
	bool ok = single ? compile_each(cc) : build(cc);
	cc_remove_temps(cc);
	return ok ? CLI_OK : CLI_FAILED;
}

int cmd_cc(int argc, char **argv)
{
	struct cc cc = {.goal = GOAL_LINK};
	int st = run(&cc, argc, argv);
	cc_free(&cc);
	return st;
}
