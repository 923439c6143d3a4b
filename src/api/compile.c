/* Compiles PTX to machine code as a separate operation (include/heddle.h, heddle_compile()). */
#include <stdlib.h>
#include <string.h>
#include "back/back.h"
#include "front/ptx/ptx.h"
#include "heddle.h"

static void write_report(const struct back_report *r, FILE *f)
{
	for (unsigned i = 0; i < r->n; i++) {
		const struct back_kernel *k = &r->kernel[i];
		fprintf(f, "ptxas info    : Compiling entry function '%s' for 'sm_%u'\n", k->name,
			r->sm);
		fprintf(f, "ptxas info    : Function properties for %s\n", k->name);
		fprintf(f,
			"    %u bytes stack frame, %u bytes spill stores, %u bytes spill loads\n",
			k->local, k->spill_stores * 4, k->spill_loads * 4);
		fprintf(f, "ptxas info    : Used %u registers", k->registers);
		if (k->shared)
			fprintf(f, ", %u bytes smem", k->shared);
		fprintf(f, ", %u bytes cmem[0]\n", k->constant);
	}
}

const char *heddle_code_parse(const char *text, struct heddle_options *o)
{
	static const struct {
		const char *name;
		enum heddle_code code;
	} row[] = {{"ptx", HEDDLE_CODE_PTX},
		   /* programs: machine code if the program has any */
		   {"native", HEDDLE_CODE_PTX},
		   {"tesla", HEDDLE_CODE_TESLA},
		   {"fermi", HEDDLE_CODE_FERMI},
		   {"sm90", HEDDLE_CODE_SM90}};
	size_t n = strcspn(text, "-"), i = 0, rows = sizeof row / sizeof *row;
	while (i < rows && (strlen(row[i].name) != n || strncmp(row[i].name, text, n)))
		i++;
	if (i == rows)
		return "expected ptx, native, tesla, fermi or sm90";
	if (text[n] && (i < 2 || !back_kinds(text + n + 1, &(unsigned){0})))
		return back_kind_names();
	o->code = row[i].code;
	o->keep_ptx = !i;
	o->code_without = text[n] ? text + n + 1 : NULL;
	return NULL;
}

static char *compile_texts(const struct heddle_text *text, unsigned n,
			   const struct heddle_compile *how, size_t *size, char **message)
{
	struct diag d = {0};
	struct module *m = module_new();
	struct back_report r = {0};
	struct back_opts o = {.sm = how->sm, .max_registers = how->max_registers};
	char *out = NULL;
	size_t len;
	bool ok = back_without(how->without, &o.without, &d);
	*message = NULL;
	for (unsigned i = 0; i < n; i++)
		ok &= ptx_read(m, text[i].name, text[i].data, text[i].size, &d);
	if (ok && module_link(m, &d))
		out = back_compile(m, &o, &r, size, &d);
	FILE *f = out ? open_memstream(message, &len) : NULL;
	if (f) {
		write_report(&r, f);
		fclose(f);
	}
	if (!out)
		*message = diag_string(&d);
	back_report_free(&r);
	module_free(m);
	diag_free(&d);
	return out;
}

char *heddle_native_compile(const struct heddle_text *text, unsigned n,
			    const struct heddle_compile *how, char **message)
{
	size_t size;
	return compile_texts(text, n, how, &size, message);
}

void *heddle_cubin_compile(const struct heddle_text *text, unsigned n,
			   const struct heddle_compile *how, size_t *size, char **message)
{
	char *made = compile_texts(text, n, how, size, message), *why = NULL;
	if (!made || how->sm == 90)
		return made;
	struct heddle_text t = {text->name, made, *size, "full"};
	void *cubin = heddle_native_assemble(&t, size, &why);
	if (!cubin) {
		free(*message);
		*message = why;
	} else {
		free(why);
	}
	free(made);
	return cubin;
}
