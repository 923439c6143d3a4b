/* Extracts source lines, traffic and time series of a run. detail.h describes the result. */
#include "study/report/detail.h"
#include <stdlib.h>
#include <string.h>
#include "command/lines.h"
#include "heddle.h"

/* ---- lines ---- */

/* Returns the text of a line, which the statistics contain if it is PTX. */
static const char *ptx_text(const json_t *kernel, const struct line *l)
{
	size_t i;
	json_t *text;
	json_array_foreach (json_object_get(kernel, "listing"), i, text) {
		const char *file = json_string_value(json_object_get(text, "file"));
		uint64_t first = json_number(text, "first");
		if (file && strlen(file) == l->file_len && !memcmp(file, l->file, l->file_len) &&
		    l->number >= first)
			return json_string_value(json_array_get(json_object_get(text, "lines"),
								(size_t)(l->number - first)));
	}
	return l->text;
}

static const char *trimmed(const char *s) { return s ? s + strspn(s, " \t") : ""; }

static void add_line(json_t *list, const struct view *v, const struct line *l, const char *text)
{
	json_t *s = json_string(trimmed(text)), *kernel = json_object_get(v->kernel, "kernel");
	char plain[1024];
	const char *name = json_string_value(kernel);
	heddle_plain_name(name ? name : "", plain, sizeof plain);
	json_array_append_new(
		list, json_pack("{s:O, s:s, s:s%, s:I, s:o, s:I, s:I, s:I, s:I, s:f}", "kernel",
				kernel, "plain", plain, "file", l->file, l->file_len, "line",
				(json_int_t)(l->number ? l->number : l->pc), "text",
				s ? s : json_string("(not UTF-8)"), "issued", (json_int_t)l->issued,
				"lanes", (json_int_t)l->lanes, "stall", (json_int_t)l->stall,
				"transactions", (json_int_t)l->transactions, "joule",
				l->joule + l->joule_time));
}

/* Adds lines. Lines of one file are consecutive, so each file is read once. */
static void add_lines(json_t *list, const struct view *v)
{
	for (size_t from = 0, to; from < v->n; from = to) {
		const struct line *first = &v->line[from];
		char *text = NULL;
		size_t count = 0;
		char **line = v->by_source ? lines_read(first->file, first->file_len, &text, &count)
					   : NULL;
		for (to = from; to < v->n && v->line[to].file_len == first->file_len &&
				!memcmp(v->line[to].file, first->file, first->file_len);
		     to++) {
			const struct line *l = &v->line[to];
			add_line(list, v, l,
				 !v->by_source                             ? ptx_text(v->kernel, l)
				 : line && l->number && l->number <= count ? line[l->number - 1]
									   : "");
		}
		free(line);
		free(text);
	}
}

static json_t *lines_json(const json_t *stats)
{
	json_t *list = json_array(), *kernel;
	size_t i;
	json_array_foreach (json_object_get(stats, "profile"), i, kernel) {
		struct view v = {.kernel = kernel,
				 .warp = (double)json_number(stats, "warp_size"),
				 .by_source = lines_have_source(kernel)};
		if (lines_gather(&v))
			add_lines(list, &v);
		lines_free(&v);
	}
	return list;
}

/* ---- traffic ---- */

/* Sums traffic over all launches, for each SM, slice and channel. */
static json_t *spread_json(const json_t *stats)
{
	json_t *sum = json_object(), *launch, *list, *x;
	const char *name;
	size_t i, k;
	json_array_foreach (json_object_get(stats, "launches"), i, launch)
		json_object_foreach (json_object_get(launch, "spread"), name, list) {
			json_t *to = json_object_get(sum, name);
			if (!to)
				json_object_set_new(sum, name, to = json_array());
			json_array_foreach (list, k, x) {
				json_int_t n = json_integer_value(x) +
					       json_integer_value(json_array_get(to, k));
				if (k < json_array_size(to))
					json_array_set_new(to, k, json_integer(n));
				else
					json_array_append_new(to, json_integer(n));
			}
		}
	return sum;
}

json_t *detail_of(const json_t *stats)
{
	json_t *o =
		json_pack("{s:o, s:o}", "lines", lines_json(stats), "spread", spread_json(stats));
	json_t *series = json_object_get(stats, "series");
	if (series)
		json_object_set(o, "series", series);
	return o;
}
