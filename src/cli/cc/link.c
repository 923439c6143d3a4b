/*
 * Objects to a program. Objects with separately compiled device code call a registration function
 * of their own name, which the linker step defines: each hands its fat binary to the runtime, and
 * the runtime links the PTX modules when they are loaded.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/cc/cc.h"
#include "cli/cli.h"

#define REGISTER "__cudaRegisterLinkedBinary"

/* Undefined registration functions of the objects, by nm. */
static void find_registrations(struct cc *cc, const struct words *objects, struct words *names)
{
	struct words w = {0};
	char *list = cc_temp(cc, ".nm"), line[1024];
	struct words sh = {0};
	words_add(&sh, "sh");
	words_add(&sh, "-c");
	words_add(&sh, "out=$1; shift; exec nm -A -u \"$@\" > \"$out\" 2>/dev/null");
	words_add(&sh, "nm");
	words_add(&sh, list);
	for (size_t i = 0; i < objects->n; i++)
		if (objects->v[i][0] != '-' && !strstr(objects->v[i], ".so"))
			words_add(&sh, objects->v[i]);
	if (!cc->dry_run)
		cc_wait(cc_start(cc, &sh, NULL));
	FILE *f = cc->dry_run ? NULL : fopen(list, "r");
	while (f && fgets(line, sizeof line, f)) {
		char *p = strstr(line, REGISTER);
		if (!p)
			continue;
		p[strcspn(p, " \t\r\n")] = 0;
		bool known = false;
		for (size_t i = 0; i < names->n; i++)
			known |= !strcmp(names->v[i], p);
		if (!known)
			words_add(names, p);
	}
	if (f)
		fclose(f);
	free(list);
	words_free(&sh);
	words_free(&w);
}

static bool compile_stub(struct cc *cc, const struct words *names, const char *out)
{
	char *src = cc_temp(cc, ".reg.c");
	FILE *f = fopen(src, "w");
	if (!f) {
		cli_error("cc", "cannot write %s", src);
		return false;
	}
	fputs("extern void **__cudaRegisterFatBinary(void *);\n"
	      "extern void __cudaRegisterFatBinaryEnd(void **);\n"
	      "extern void __cudaUnregisterFatBinary(void **);\n"
	      "extern int atexit(void (*)(void));\n",
	      f);
	for (size_t i = 0; i < names->n; i++) {
		const char *s = names->v[i];
		/* weak: a program linked in two steps may get the function from both */
		fprintf(f,
			"static void **handle%zu;\n"
			"static void leave%zu(void) { __cudaUnregisterFatBinary(handle%zu); }\n"
			"__attribute__((weak)) void %s(void (*globals)(void **), void *fatbin, void *id,"
			" void (*callback)(void *))\n"
			"{\n\t(void)id;\n\t(void)callback;\n\thandle%zu = __cudaRegisterFatBinary(fatbin);\n"
			"\tglobals(handle%zu);\n\t__cudaRegisterFatBinaryEnd(handle%zu);\n"
			"\tatexit(leave%zu);\n}\n",
			i, i, i, s, i, i, i, i);
	}
	fclose(f);
	struct words w = {0};
	words_add(&w, cc->tools.c);
	words_add(&w, "-c");
	words_add(&w, "-O1");
	words_add(&w, "-fPIC");
	words_add(&w, src);
	words_add(&w, "-o");
	words_add(&w, out);
	bool ok = cc_run(cc, &w);
	words_free(&w);
	free(src);
	return ok;
}

bool cc_dlink(struct cc *cc, const struct words *objects, const char *out)
{
	struct words names = {0};
	find_registrations(cc, objects, &names);
	bool ok = compile_stub(cc, &names, out);
	words_free(&names);
	return ok;
}

bool cc_link(struct cc *cc, const struct words *objects, const char *out)
{
	struct words w = {0}, names = {0};
	if (!cc->tools.libdir && !cc->dry_run) {
		cli_error("cc", "libcudart.so is not beside the program; HEDDLE_CUDA_LIB names its "
				"directory");
		return false;
	}
	words_add(&w, cc->tools.cxx);
	if (cc->shared)
		words_add(&w, "-shared");
	words_add(&w, "-o");
	words_add(&w, out);
	if (objects->n)
		find_registrations(cc, objects, &names);
	/* A member of an archive that only kernels of other files need is asked for by its fat
	 * binary's name. */
	for (size_t i = 0; i < names.n; i++)
		words_addf(&w, "-Wl,-u,__fatbinwrap%s", names.v[i] + strlen(REGISTER));
	words_add_all(&w, objects);
	if (names.n) {
		char *stub = cc_temp(cc, ".reg.o");
		if (!compile_stub(cc, &names, stub))
			return false;
		words_add(&w, stub);
		free(stub);
	}
	words_add_all(&w, &cc->link);
	if (cc->openmp && cc->tools.omp_lib) {
		char *dir = strdup(cc->tools.omp_lib);
		*strrchr(dir, '/') = 0;
		words_add(&w, cc->tools.omp_lib);
		words_addf(&w, "-Wl,-rpath,%s", dir);
		free(dir);
	} else if (cc->openmp) {
		words_add(&w, "-fopenmp");
	}
	if (cc->tools.libdir) {
		words_addf(&w, "-L%s", cc->tools.libdir);
		words_addf(&w, "-Wl,-rpath,%s", cc->tools.libdir);
	}
	words_add(&w, "-lcudart");
	words_add(&w, "-Wl,--as-needed");
	words_add(&w, "-lcuda");
	words_add(&w, "-lpthread");
	words_add(&w, "-ldl");
	words_add(&w, "-lrt");
	words_add(&w, "-lm");
	bool ok = cc_run(cc, &w);
	words_free(&w);
	words_free(&names);
	return ok;
}
