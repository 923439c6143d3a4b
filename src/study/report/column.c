/* Collects and prints columns of the explorer's page. column.h describes them. */
#include "study/report/column.h"
#include <math.h>
#include <search.h>
#include <string.h>
#include <zlib.h>

struct word {
	const char *text;
	uint32_t index;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct word *)a)->text, ((const struct word *)b)->text);
}

void column_init(struct column *c, const char *name, const char *kind, bool text, size_t n)
{
	*c = (struct column){.name = name, .kind = kind, .text = text, .n = n};
	if (text)
		c->index = xcalloc(n + 1, sizeof *c->index);
	else
		c->number = xcalloc(n + 1, sizeof *c->number);
	for (size_t i = 0; !text && i < n; i++)
		c->number[i] = NAN;
}

void column_free(struct column *c)
{
	for (size_t i = 0; i < c->words.n; i++)
		free(c->words.v[i]);
	vec_free(&c->words);
	tdestroy(c->tree, free);
	free(c->index);
	free(c->number);
}

void column_put_text(struct column *c, size_t run, const char *word)
{
	struct word **found = tfind(&(struct word){word, 0}, &c->tree, by_text);
	if (!found) {
		struct word *w = xcalloc(1, sizeof *w);
		vec_push(&c->words, xstrdup(word));
		*w = (struct word){c->words.v[c->words.n - 1], (uint32_t)c->words.n};
		found = tsearch(w, &c->tree, by_text);
	}
	c->index[run] = (*found)->index;
}

bool column_varies(const struct column *c)
{
	for (size_t i = 1; i < c->n; i++)
		if (c->text ? c->index[i] != c->index[0]
			    : c->number[i] != c->number[0] &&
				      !(isnan(c->number[i]) && isnan(c->number[0])))
			return true;
	return false;
}

bool column_any(const struct column *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!isnan(c->number[i]) && fpclassify(c->number[i]) != FP_ZERO)
			return true;
	return false;
}

/* ---- bytes ---- */

void column_quote(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c < 32 || c == '<')
			fprintf(f, "\\u%04x", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}

void column_base64(FILE *f, const void *data, size_t n)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = data;
	for (size_t i = 0; i < n; i += 3) {
		unsigned v = (unsigned)p[i] << 16 | (i + 1 < n ? (unsigned)p[i + 1] << 8 : 0) |
			     (i + 2 < n ? p[i + 2] : 0);
		char four[4] = {digit[v >> 18], digit[v >> 12 & 63],
				i + 1 < n ? digit[v >> 6 & 63] : '=',
				i + 2 < n ? digit[v & 63] : '='};
		fwrite(four, 1, 4, f);
	}
}

static bool all_int32(const struct column *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!(c->number[i] >= INT32_MIN && c->number[i] <= INT32_MAX &&
		      c->number[i] == rint(c->number[i])))
			return false;
	return true;
}

/* Returns the n values of `size` bytes of column c, little-endian, in planes. */
static unsigned char *make_planes(const struct column *c, size_t size)
{
	unsigned char *out = xcalloc(c->n * size + 1, 1);
	for (size_t i = 0; i < c->n; i++) {
		uint64_t v;
		if (c->text)
			v = c->index[i];
		else if (size == 4)
			v = (uint32_t)(int32_t)c->number[i];
		else
			memcpy(&v, &c->number[i], sizeof v);
		for (size_t b = 0; b < size; b++)
			out[b * c->n + i] = (unsigned char)(v >> 8 * b);
	}
	return out;
}

static size_t value_size(const struct column *c)
{
	if (c->text)
		return c->words.n < 256 ? 1 : c->words.n < 65536 ? 2 : 4;
	return all_int32(c) ? 4 : 8;
}

void column_print(const struct column *c, FILE *f)
{
	static const char *const types[2][9] = {{[4] = "i32", [8] = "f64"},
						{[1] = "u8", [2] = "u16", [4] = "u32"}};
	fputs("{\"name\":", f);
	column_quote(f, c->name);
	if (c->help) {
		fputs(",\"unit\":", f);
		column_quote(f, c->unit);
		fputs(",\"help\":", f);
		column_quote(f, c->help);
	}
	fprintf(f, ",\"kind\":\"%s\",\"type\":\"%s\"%s", c->kind, types[c->text][value_size(c)],
		column_varies(c) || c->n < 2 ? "" : ",\"same\":true");
	for (size_t w = 0; w < c->words.n; w++) {
		fputs(w ? "," : ",\"words\":[", f);
		column_quote(f, c->words.v[w]);
	}
	fputs(c->words.n ? "]}" : c->text ? ",\"words\":[]}" : "}", f);
}

void column_print_data(const struct column *c, FILE *f)
{
	size_t n = c->n * value_size(c);
	unsigned char *raw = make_planes(c, value_size(c));
	uLongf packed = compressBound(n);
	unsigned char *out = xcalloc(packed, 1);
	compress2(out, &packed, raw, n, 6);
	column_base64(f, out, packed);
	free(out);
	free(raw);
}
