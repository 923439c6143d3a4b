/* Links objects to a program. An object with separately compiled device code calls a registration
 * function of its own name, which this step defines (registration.c). */
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "command/command.h"

/* Finds the units of the objects and marks the wanted ones; false: they cannot be linked. */
static bool find_units(struct cc *cc, const struct words *objects, struct device_units *units)
{
	struct words files = {0};
	for (size_t i = 0; i < objects->n && !cc->dry_run; i++)
		if (objects->v[i][0] != '-' && !strstr(objects->v[i], ".so"))
			words_add(&files, objects->v[i]);
	device_units_read(units, &files, &cc->link);
	/* messages name sources, not the temporary objects of this command */
	for (size_t i = 0; i < cc->nin && i < objects->n; i++)
		for (size_t k = 0; cc->in[i].lang != LANG_OBJECT && k < units->n; k++)
			if (!strcmp(units->v[k].name, objects->v[i])) {
				free(units->v[k].name);
				units->v[k].name = strdup(cc->in[i].path);
			}
	device_units_choose(units);
	words_free(&files);
	return device_units_check(units);
}

bool cc_dlink(struct cc *cc, const struct words *objects, const char *out)
{
	struct device_units units;
	bool ok = find_units(cc, objects, &units) && cc_registration(cc, &units, true, out);
	device_units_free(&units);
	return ok;
}

/* True if the output is a library in our own folder: it finds the other libraries beside itself,
 * wherever they are installed. */
static bool is_ours(const struct cc *cc, const char *out)
{
	char *file = strdup(out), *slash = file ? strrchr(file, '/') : NULL;
	if (slash)
		*slash = 0;
	char *dir = realpath(slash ? file : ".", NULL), *ours = realpath(cc->tools.libdir, NULL);
	bool same = cc->shared && dir && ours && !strcmp(dir, ours);
	free(file);
	free(dir);
	free(ours);
	return same;
}

bool cc_link(struct cc *cc, const struct words *objects, const char *out)
{
	struct words w = {0};
	struct device_units units;
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
	if (!find_units(cc, objects, &units)) {
		device_units_free(&units);
		words_free(&w);
		return false;
	}
	/* An archive member that only kernels of other files need is requested by its fat binary's
	 * name. */
	for (size_t i = 0; i < units.n; i++)
		for (size_t k = 0;
		     units.v[i].archive && units.v[i].wanted && k < units.v[i].registers.n; k++) {
			char *fatbin = cc_fatbin_name(units.v[i].registers.v[k]);
			words_addf(&w, "-Wl,-u,%s", fatbin);
			free(fatbin);
		}
	words_add_all(&w, objects);
	if (units.n) {
		char *stub = cc_temp(cc, ".reg.o");
		bool ok = cc_registration(cc, &units, false, stub);
		words_add(&w, stub);
		free(stub);
		if (!ok) {
			device_units_free(&units);
			words_free(&w);
			return false;
		}
	}
	/* Our folder comes first: a makefile's -L or -rpath may name a toolkit of NVIDIA, whose
	 * libraries lack the simulator and have other functions. In a CUDA home, our libraries are
	 * in stubs. */
	if (cc->home)
		words_addf(&w, "-L%s/lib64/stubs", cc->home);
	if (cc->tools.libdir) {
		if (!cc->home)
			words_addf(&w, "-L%s", cc->tools.libdir);
		words_addf(&w, "-Wl,-rpath,%s", is_ours(cc, out) ? "$ORIGIN" : cc->tools.libdir);
	}
	words_add_all(&w, &cc->link);
	/* Libraries that Heddle does not have come from elsewhere. */
	if (cc->home)
		words_addf(&w, "-L%s/lib64", cc->home);
	if (cc->openmp && cc->tools.omp_lib) {
		char *dir = strdup(cc->tools.omp_lib);
		*strrchr(dir, '/') = 0;
		words_add(&w, cc->tools.omp_lib);
		words_addf(&w, "-Wl,-rpath,%s", dir);
		free(dir);
	} else if (cc->openmp) {
		words_add(&w, "-fopenmp");
	}
	words_add(&w, "-lcudart");
	words_add(&w, "-Wl,--as-needed");
	words_add(&w, "-lcuda");
	words_add(&w, "-lpthread");
	words_add(&w, "-ldl");
	words_add(&w, "-lrt");
	if (cc->ccbin)
		words_add(&w, "-lstdc++"); /* -ccbin gcc links as C */
	words_add(&w, "-lm");
	bool ok = cc_run_noting(cc, &w);
	words_free(&w);
	device_units_free(&units);
	return ok;
}
