#include "command/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t json_number(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

/* ---- lines from instructions ---- */

/* Largest access of a lane in bytes: if lanes are at most this far from each other, no part of a
 * sector is wasted. */
enum { DENSE = 16 };

/* A line's remark is about one kind of access: a mean over a scattered load and a dense store of one line
 * would describe neither. */
static void add_sparse(struct line *to, const json_t *inst)
{
	double apart = json_number_value(json_object_get(inst, "lane_bytes"));
	uint64_t n = json_number(inst, "issued"), sectors = json_number(inst, "sectors");
	bool same = to->sparse.requests && apart - to->sparse.apart < 0.5 &&
		    to->sparse.apart - apart < 0.5;
	if (apart <= DENSE || !n || (!same && sectors <= to->sparse.sectors))
		return;
	if (!same) {
		to->sparse.apart = apart;
		to->sparse.requests = to->sparse.sectors = 0;
	}
	to->sparse.requests += n;
	to->sparse.sectors += sectors;
}

static void add_counts(struct line *to, const json_t *inst)
{
	const char *cause;
	json_t *cycles;
	to->issued += json_number(inst, "issued");
	to->lanes += json_number(inst, "lanes");
	to->divergent += json_number(inst, "divergent");
	to->transactions += json_number(inst, "transactions");
	to->stall += json_number(inst, "stall_cycles");
	if (json_object_get(inst, "sectors")) {
		uint64_t n = json_number(inst, "issued");
		bool local = json_object_get(inst, "space") != NULL;
		to->requests += n;
		to->local += local ? n : 0;
		to->sectors += json_number(inst, "sectors");
		to->apart += (double)n * json_number_value(json_object_get(inst, "lane_bytes"));
		add_sparse(to, inst);
	}
	if (json_object_get(inst, "conflict_cycles")) {
		to->conflicting += json_number(inst, "issued");
		to->conflicts += json_number(inst, "conflict_cycles");
	}
	to->joule += json_number_value(json_object_get(inst, "joule"));
	to->joule_time += json_number_value(json_object_get(inst, "joule_time"));
	json_object_foreach (json_object_get(inst, "stalls"), cause, cycles) {
		json_int_t before = json_integer_value(json_object_get(to->stalls, cause));
		json_object_set_new(to->stalls, cause,
				    json_integer(before + json_integer_value(cycles)));
	}
}

/* Returns the line that an instruction belongs to: "file:line" of the source, or the line of the
 * PTX text. */
static struct line line_of(const struct view *v, const json_t *inst)
{
	const char *source = json_string_value(json_object_get(inst, "source"));
	const char *colon = source ? strrchr(source, ':') : NULL;
	const char *file = json_string_value(json_object_get(inst, "file"));
	if (v->by_source && colon)
		return (struct line){.file = source,
				     .file_len = (size_t)(colon - source),
				     .number = strtoull(colon + 1, NULL, 10)};
	if (v->by_source)
		return (struct line){.file = "(no line known)", .file_len = 15};
	struct line l = {.file = file ? file : "",
			 .file_len = file ? strlen(file) : 0,
			 .number = json_number(inst, "line")};
	if (!l.number) {
		l.pc = json_number(inst, "pc");
		l.text = json_string_value(json_object_get(inst, "text"));
	}
	return l;
}

static bool same_place(const struct line *a, const struct line *b)
{
	return a->number == b->number && a->pc == b->pc && a->file_len == b->file_len &&
	       !memcmp(a->file, b->file, a->file_len);
}

static int by_place(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	size_t n = x->file_len < y->file_len ? x->file_len : y->file_len;
	int c = memcmp(x->file, y->file, n);
	if (c || x->file_len != y->file_len)
		return c ? c : x->file_len < y->file_len ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

bool lines_gather(struct view *v)
{
	const json_t *insts = json_object_get(v->kernel, "instructions");
	size_t i;
	json_t *inst;
	v->line = calloc(json_array_size(insts) + 1, sizeof *v->line);
	v->sum.stalls = json_object();
	if (!v->line || !v->sum.stalls)
		return false;
	json_array_foreach (insts, i, inst) {
		struct line at = line_of(v, inst);
		size_t k = v->n;
		while (k && !same_place(&v->line[k - 1], &at))
			k--;
		if (!k) {
			at.stalls = json_object();
			v->line[v->n++] = at;
			k = v->n;
		}
		add_counts(&v->line[k - 1], inst);
		add_counts(&v->sum, inst);
		v->timed |= json_object_get(inst, "stalls") != NULL;
	}
	qsort(v->line, v->n, sizeof *v->line, by_place);
	return true;
}

void lines_free(struct view *v)
{
	for (size_t i = 0; i < v->n; i++)
		json_decref(v->line[i].stalls);
	json_decref(v->sum.stalls);
	free(v->line);
}

bool lines_have_source(const json_t *kernel)
{
	size_t i;
	json_t *inst;
	json_array_foreach (json_object_get(kernel, "instructions"), i, inst)
		if (json_object_get(inst, "source"))
			return true;
	return false;
}

/* ---- figures of a line ---- */

double line_efficiency(const struct view *v, const struct line *l)
{
	return l->issued ? (double)l->lanes / (v->warp * (double)l->issued) : 0;
}
double line_lost(const struct view *v, const struct line *l)
{
	return v->sum.issued ? (v->warp * (double)l->issued - (double)l->lanes) /
				       (v->warp * (double)v->sum.issued)
			     : 0;
}

const char *line_cause(const struct line *l, uint64_t *cycles)
{
	const char *cause, *best = "";
	json_t *n;
	*cycles = 0;
	json_object_foreach (l->stalls, cause, n)
		if ((uint64_t)json_integer_value(n) > *cycles) {
			*cycles = (uint64_t)json_integer_value(n);
			best = cause;
		}
	return best;
}

static void add_words(char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void add_words(char *text, size_t size, const char *fmt, ...)
{
	size_t n = strlen(text);
	va_list ap;
	if (n + 2 < size && n)
		n += (size_t)snprintf(text + n, size - n, "; ");
	va_start(ap, fmt);
	vsnprintf(text + n, size - n, fmt, ap);
	va_end(ap);
}

void line_remark(const struct line *l, char *text, size_t size)
{
	*text = 0;
	double n = (double)l->requests, sparse = (double)l->sparse.requests;
	if (l->requests && l->local == l->requests)
		add_words(text, size, "local memory, %.3g sectors per request",
			  (double)l->sectors / n);
	else if (l->local)
		add_words(text, size, "%.0f %% of the requests are to local memory",
			  100 * (double)l->local / n);
	if (sparse > 0)
		add_words(text, size, "%.3g sectors per request: lanes %.4g bytes apart",
			  (double)l->sparse.sectors / sparse, l->sparse.apart);
	if (sparse > 0 && sparse < n)
		add_words(text, size, "these are %.0f %% of the requests", 100 * sparse / n);
	if (l->conflicts)
		add_words(text, size, "bank conflicts: %.3g cycles more per access",
			  (double)l->conflicts / (double)l->conflicting);
}

const struct line *lines_find(const struct view *v, const char *file, uint64_t no)
{
	struct line key = {.file = file, .file_len = strlen(file), .number = no};
	return bsearch(&key, v->line, v->n, sizeof *v->line, by_place);
}

/* ---- source files ---- */

char **lines_read(const char *path, size_t len, char **text, size_t *count)
{
	char *name = strndup(path, len);
	FILE *f = name ? fopen(name, "rb") : NULL;
	const char *base = name ? strrchr(name, '/') : NULL;
	size_t n = 0, lines = 1;
	if (!f && base)
		f = fopen(base + 1, "rb");
	free(name);
	*text = NULL;
	if (!f || getdelim(text, &n, 0, f) < 0) {
		if (f)
			fclose(f);
		free(*text);
		*text = NULL;
		return NULL;
	}
	fclose(f);
	for (char *s = *text; *s; s++)
		lines += *s == '\n';
	char **line = calloc(lines + 1, sizeof *line), *save;
	*count = 0;
	for (char *s = *text; line && s; s = save) {
		save = strchr(s, '\n');
		if (save)
			*save++ = 0;
		line[(*count)++] = s;
	}
	return line;
}
