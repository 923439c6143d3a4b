/* Prints configurations: a machine's options, explanations, lists, and imports of GPGPU-Sim
 * files. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/diag.h"
#include "conf/find.h"
#include "conf/import.h"
#include "conf/machine.h"
#include "gpu/gpu.h"
#include "heddle.h"
#include "power/import.h"

/* Runs `print` with a file in memory; *text is the output, or the errors if there are any. */
static bool print_to_text(bool (*print)(const void *arg, FILE *f, struct diag *d), const void *arg,
			  char **text)
{
	struct diag *d = xcalloc(1, sizeof *d);
	size_t n;
	FILE *f = open_memstream(text, &n);
	bool ok = f && print(arg, f, d);
	if (f)
		fclose(f);
	if (!ok) {
		if (f)
			free(*text);
		*text = diag_string(d);
	}
	diag_free(d);
	free(d);
	return ok;
}

struct wanted {
	const char *name;
	const char *const *set;
};

static bool print_config(const void *arg, FILE *f, struct diag *d)
{
	const struct wanted *q = arg;
	struct machine *m = machine_read(q->name, q->set, d);
	if (!m)
		return false;
	struct gpu *g = gpu_new(m, 1, d); /* reports options that conflict */
	if (g)
		machine_print(m, f);
	gpu_free(g);
	machine_free(m);
	return g;
}

static bool check_config(const void *arg, FILE *f, struct diag *d)
{
	const struct wanted *q = arg;
	struct machine *m = machine_read(q->name, q->set, d);
	bool fits = m && gpu_fits_together(m, d);
	(void)f;
	machine_free(m);
	return fits;
}

static bool print_values(const void *arg, FILE *f, struct diag *d)
{
	const struct known_option *k = option_find(arg);
	if (!k)
		return option_explain(arg, f, d);
	if (!k->words) {
		diag_error(d, "%s has no list of values", k->o->key);
		return false;
	}
	for (const char *s = k->words; *s; s++)
		fputc(*s == '|' ? '\n' : *s, f);
	fputc('\n', f);
	return true;
}

static bool print_reference(const void *arg, FILE *f, struct diag *d)
{
	return option_explain(arg, f, d);
}
static bool import(const void *arg, FILE *f, struct diag *d)
{
	const char *dot = strrchr(arg, '.');
	if (dot && !strcasecmp(dot, ".xml"))
		return power_import(arg, f, d);
	return import_config(arg, f, d);
}

static bool print_list(const void *arg, FILE *f, struct diag *d)
{
	struct arena a = {0};
	(void)arg;
	(void)d;
	for (const char *p = conf_names(&a); *p; p++)
		if (*p != ' ')
			fputc(*p == ',' ? '\n' : *p, f);
	fputc('\n', f);
	arena_free(&a);
	return true;
}

static bool options(const void *arg, FILE *f, struct diag *d)
{
	(void)arg;
	(void)d;
	options_print_manual(f);
	return true;
}

bool heddle_config_show(const char *name, const char *const *set, char **text)
{
	struct wanted q = {name, set};
	return print_to_text(print_config, &q, text);
}
bool heddle_config_explain(const char *key, char **text)
{
	return print_to_text(print_reference, key, text);
}
bool heddle_config_values(const char *key, char **text)
{
	return print_to_text(print_values, key, text);
}
bool heddle_config_possible(const char *name, const char *const *set, char **text)
{
	struct wanted q = {name, set};
	return print_to_text(check_config, &q, text);
}
bool heddle_config_import(const char *path, char **text)
{
	return print_to_text(import, path, text);
}
bool heddle_config_list(char **text) { return print_to_text(print_list, NULL, text); }
bool heddle_config_options(char **text) { return print_to_text(options, NULL, text); }
