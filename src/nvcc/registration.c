/* Writes the functions that separately compiled objects call to register their device code. Each
 * passes the object's fat binary to the runtime, which links all of them when they are loaded.
 *
 * The object of -dlink may go into an archive together with the objects that it was made of, or be
 * linked without them. A unit that no host code refers to is then not linked, although device code
 * may need it. So the object of -dlink contains a copy of each unit, which is registered with the
 * others if the unit is absent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "command/command.h"

char *cc_fatbin_name(const char *registers)
{
	return cc_format("__fatbinwrap%s", registers + strlen(DEVICE_REGISTER));
}

static const char *unit_id(const char *registers) { return registers + strlen(DEVICE_REGISTER); }

/* Writes a copy of the unit's code, and the function that registers it in a program that lacks the
 * unit. */
static bool write_copy(struct cc *cc, FILE *f, const struct device_unit *u, size_t number)
{
	const char *id = unit_id(u->registers.v[0]);
	char *name = cc_fatbin_name(u->registers.v[0]);
	bool ok = true;
	for (size_t k = 0; ok && k < u->texts.n; k++) {
		char *ptx = cc_temp(cc, ".ptx"), *fatbin = cc_temp(cc, ".fatbin");
		ok = cc_spill(ptx, u->texts.v[k], strlen(u->texts.v[k])) &&
		     cc_fatbin_write(cc, fatbin, ptx);
		fprintf(f,
			"__asm__(\".section .rodata\\n.balign 8\\nhd_copy%zu_%zu:\\n"
			".incbin \\\"%s\\\"\\n.previous\");\n"
			"extern const char hd_copy%zu_%zu[] __attribute__((visibility(\"hidden\")));\n"
			"static struct { int magic, version; const void *data, *none; } wrap%zu_%zu = "
			"{0x466243b1, 1, hd_copy%zu_%zu, 0};\n",
			number, k, fatbin, number, k, number, k, number, k);
		free(ptx);
		free(fatbin);
	}
	fprintf(f,
		"extern char %s[] __attribute__((weak));\n"
		"__attribute__((weak)) char __hd_linked%s;\n"
		"static void copy%zu(void)\n{\n\tif (%s || __hd_linked%s)\n\t\treturn;\n"
		"\t__hd_linked%s = 1;\n",
		name, id, number, name, id, id);
	for (size_t k = 0; k < u->texts.n; k++)
		fprintf(f, "\t__cudaRegisterFatBinaryEnd(__cudaRegisterFatBinary(&wrap%zu_%zu));\n",
			number, k);
	fputs("}\n", f);
	free(name);
	return ok;
}

static bool has_copy(const struct device_unit *u) { return u->wanted && !u->archive && !u->opaque; }

/* Writes all copies, and copies(), which registers them. */
static bool write_copies(struct cc *cc, FILE *f, const struct device_units *units, bool apart)
{
	bool ok = true;
	for (size_t k = 0; apart && ok && k < units->n; k++)
		if (has_copy(&units->v[k]))
			ok = write_copy(cc, f, &units->v[k], k);
	fputs("static void copies(void)\n{\n", f);
	for (size_t k = 0; apart && k < units->n; k++)
		if (has_copy(&units->v[k]))
			fprintf(f, "\tcopy%zu();\n", k);
	fputs("}\n", f);
	return ok;
}

static void write_function(FILE *f, const char *registers, size_t i)
{
	/* weak: a program linked in two steps may get the function from both steps */
	fprintf(f,
		"static void **handle%zu;\n"
		"static void leave%zu(void) { __cudaUnregisterFatBinary(handle%zu); }\n"
		"__attribute__((weak)) void %s(void (*globals)(void **), void *fatbin, "
		"void *id, void (*callback)(void *))\n"
		"{\n\t(void)id;\n\t(void)callback;\n"
		"\thandle%zu = __cudaRegisterFatBinary(fatbin);\n"
		"\tglobals(handle%zu);\n\t__cudaRegisterFatBinaryEnd(handle%zu);\n"
		"\tatexit(leave%zu);\n\tcopies();\n}\n",
		i, i, i, registers, i, i, i, i);
}

/* Writes one definition per registration function. apart: wanted members of archives become part of
 * every program that links the object. */
static bool write_source(struct cc *cc, FILE *f, const struct device_units *units, bool apart)
{
	fputs("extern void **__cudaRegisterFatBinary(void *);\n"
	      "extern void __cudaRegisterFatBinaryEnd(void **);\n"
	      "extern void __cudaUnregisterFatBinary(void **);\n"
	      "extern int atexit(void (*)(void));\n",
	      f);
	bool ok = write_copies(cc, f, units, apart);
	size_t i = 0;
	for (size_t k = 0; k < units->n; k++)
		for (size_t j = 0; j < units->v[k].registers.n; j++, i++) {
			const char *s = units->v[k].registers.v[j];
			char *fatbin = cc_fatbin_name(s);
			write_function(f, s, i);
			if (apart && units->v[k].archive && units->v[k].wanted)
				fprintf(f,
					"extern char %s[];\n"
					"__attribute__((used)) static char *hold%zu = %s;\n",
					fatbin, i, fatbin);
			free(fatbin);
		}
	return ok;
}

bool cc_registration(struct cc *cc, const struct device_units *units, bool apart, const char *out)
{
	char *src = cc_temp(cc, ".reg.c");
	FILE *f = fopen(src, "w");
	bool ok = f && write_source(cc, f, units, apart);
	if (f && fclose(f))
		ok = false;
	struct words w = {0};
	words_add(&w, cc->tools.c);
	words_add(&w, "-c");
	words_add(&w, "-O1");
	words_add(&w, "-fPIC");
	words_add(&w, "-x"); /* -ccbin may name a C++ compiler */
	words_add(&w, "c");
	words_add(&w, src);
	words_add(&w, "-o");
	words_add(&w, out);
	if (ok)
		ok = cc_run(cc, &w);
	else
		cli_error("cc", "cannot write %s", src);
	words_free(&w);
	free(src);
	return ok;
}
