/* The library of a module: the routines that its instructions need, and those that these routines
 * need, read as one module of PTX. */
#include <stdlib.h>
#include <string.h>
#include "back/routines/expand.h"
#include "front/ptx/ptx.h"

struct reader {
	const struct module *m;
	struct module *lib; /* NULL: nothing has been read yet */
	unsigned sm, without;
	struct diag *d;
};

/* Writes the routines made for instructions of a module (expand.h), each once, and counts the
 * instructions that need a routine of any kind. */
static unsigned write_routines(const struct reader *j, const struct module *m, struct map *written,
			       struct arena *names, FILE *f)
{
	char name[ROUTINE_NAME];
	unsigned needs = 0;
	for (size_t i = 0; i < m->funcs.n; i++) {
		const struct func *fn = m->funcs.v[i];
		for (size_t k = 0; k < fn->code.n; k++) {
			const struct inst *in = &fn->code.v[k];
			const char *own = back_routine_for(in, j->sm, j->without, name);
			if (!own)
				continue;
			needs++;
			if (own != name || !back_expands(in, j->sm, name) || map_get(written, name))
				continue;
			map_put(written, arena_strdup(names, name), names);
			back_expand(in, j->sm, f);
		}
	}
	return needs;
}

/* Reads the routines for m's instructions into the library, then the routines that these need.
 * `before`: routines have been read already. False: an error. *needs: an instruction of m needs a
 * routine. */
static bool read_routines(struct reader *j, const struct module *m, bool again, struct map *written,
			  struct arena *names, bool *needs)
{
	char *made = NULL;
	size_t n = 0, known = written->n;
	FILE *f = open_memstream(&made, &n);
	fprintf(f, ".version 8.6\n.target sm_100\n.address_size 64\n%s",
		again ? "" : ".shared .align 4 .b8 " EXCHANGE "[4096];\n");
	*needs = write_routines(j, m, written, names, f);
	fclose(f);
	bool ok = true;
	if (*needs && !j->lib)
		j->lib = module_new();
	if (*needs && (!again || written->n > known))
		ok = ptx_read(j->lib, again ? "routines of routines" : "routines", made, n, j->d);
	free(made);
	return ok;
}

/* Most modules need no routine, and reading the library takes longer than compiling them. */
struct module *routines_read(const struct module *m, unsigned sm, unsigned without, struct diag *d)
{
	const char *text[] = {back_library(), back_library_bits(), back_library_atom(),
			      tesla_library(), tesla_library_float()};
	struct reader j = {.m = m, .sm = sm, .without = without, .d = d};
	struct map written = {0};
	struct arena names = {0};
	bool needs = false, ok = read_routines(&j, m, false, &written, &names, &needs);
	if (needs) {
		for (unsigned i = 0; i < (sm < 20 ? 5u : 3u); i++)
			ok = ok && ptx_read(j.lib, "library", text[i], strlen(text[i]), d);
		for (size_t n = 0; ok && n != written.n;) {
			n = written.n;
			ok = read_routines(&j, j.lib, true, &written, &names, &needs);
		}
		ok = ok && module_link(j.lib, d);
	}
	map_free(&written);
	arena_free(&names);
	return j.lib;
}

const struct var *routines_exchange(const struct module *library)
{
	const struct symbol *s = library ? map_get(&library->symbols, EXCHANGE) : NULL;
	return s ? s->var : NULL;
}
