/* Configurations, as text. */
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

/* Runs `print` into memory; if there are errors, they are the text. */
static bool answer(bool (*print)(const void *arg, FILE *f, struct diag *d), const void *arg,
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

static bool show(const void *arg, FILE *f, struct diag *d)
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

static bool explain(const void *arg, FILE *f, struct diag *d) { return option_explain(arg, f, d); }
static bool import(const void *arg, FILE *f, struct diag *d)
{
	const char *dot = strrchr(arg, '.');
	if (dot && !strcasecmp(dot, ".xml"))
		return power_import(arg, f, d);
	return import_config(arg, f, d);
}

static bool list(const void *arg, FILE *f, struct diag *d)
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
	return answer(show, &q, text);
}
bool heddle_config_explain(const char *key, char **text) { return answer(explain, key, text); }
bool heddle_config_import(const char *path, char **text) { return answer(import, path, text); }
bool heddle_config_list(char **text) { return answer(list, NULL, text); }
bool heddle_config_options(char **text) { return answer(options, NULL, text); }
