/* Writes the files of a report. report.h lists them. */
#include "study/report/report.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include "command/command.h"

bool report_open(struct results *rs, struct report_file *o, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *name = NULL;
	*o = (struct report_file){0};
	bool ok = vasprintf(&name, fmt, ap) >= 0 &&
		  asprintf(&o->path, "%s/%s", rs->dir, name) >= 0 &&
		  (o->f = open_memstream(&o->text, &o->size));
	va_end(ap);
	free(name);
	if (!ok)
		cli_error("reproduce", "out of memory");
	return ok;
}

bool report_close(struct report_file *o)
{
	struct cli_output out;
	bool ok = !ferror(o->f);
	ok = !fclose(o->f) && ok &&
	     cli_output_write("reproduce", &out, o->path, o->text, o->size) &&
	     cli_output_commit("reproduce", &out);
	free(o->text);
	free(o->path);
	return ok;
}

unsigned report_failures(const struct results *rs, unsigned *all)
{
	unsigned failed = 0;
	*all = 0;
	for (unsigned p = 0; p < rs->s->programs.n; p++)
		for (unsigned r = 0; r < rs->s->runs.n && !rs->s->programs.v[p].skipped; r++) {
			failed += !results_at(rs, p, r)->figures;
			++*all;
		}
	return failed;
}

static bool make_folder(struct results *rs, const char *name)
{
	char *path = arena_printf(&rs->arena, "%s/%s", rs->dir, name);
	if (cli_make_dirs(path))
		return true;
	cli_error("reproduce", "%s: %s", path, strerror(errno));
	return false;
}

bool report_write(struct results *rs)
{
	const struct study *s = rs->s;
	const char *no_svg = NULL;
	char **svg = xcalloc(s->figures.n + 1, sizeof *svg);
	bool ok = make_folder(rs, "figures") && make_folder(rs, "tables");
	for (size_t i = 0; ok && i < s->figures.n; i++) {
		const char *why = NULL;
		svg[i] = figure_draw(rs, &s->figures.v[i], &why);
		if (why && !no_svg)
			cli_error("reproduce",
				  "figures cannot be drawn: %s; the report has only tables", why);
		no_svg = no_svg ? no_svg : why;
		ok = table_write(rs, &s->figures.v[i]);
	}
	ok = ok && (!s->mechanisms.n || mechanisms_write(rs));
	ok = ok && table_write_runs(rs) && table_write_json(rs) && page_write(rs, svg, no_svg);
	for (size_t i = 0; i < s->figures.n; i++)
		free(svg[i]);
	free(svg);
	return ok;
}
