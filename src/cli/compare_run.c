/* heddle compare-isa without prepared files: runs the program or kernel once per instruction set,
 * or counts its code, and writes the comparison as CSV and JSON. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command/command.h"
#include "cli/compare.h"
#include "heddle.h"

char *compare_run(const char *code, char **words, int n)
{
	char *path = cli_temp("compare-isa", "");
	int st = 0;
	char **argv = calloc((size_t)n + 8, sizeof *argv);
	if (!path || !argv) {
		cli_temp_end(path);
		free(argv);
		return NULL;
	}
	char *fixed[] = {"heddle", "run", "--code", (char *)code, "--stats", path, "--quiet"};
	memcpy(argv, fixed, sizeof fixed);
	memcpy(argv + sizeof fixed / sizeof *fixed, words, (size_t)n * sizeof *words);
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		dup2(2, 1); /* keep the program's output out of the table */
		setenv("HEDDLE_SPEAKER", "compare-isa", 1);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &st, 0) < 0 && errno == EINTR)
		;
	free(argv);
	if (pid > 0 && WIFEXITED(st) && !WEXITSTATUS(st))
		return path;
	cli_error("compare-isa", "the run with --code %s failed", code);
	cli_temp_end(path);
	return NULL;
}

/* Finds the mnemonic in a line of a listing, without modifiers; false: the line has none. */
static bool find_mnemonic(const char *line, char *out, size_t n)
{
	if (*line != '\t' || line[1] == '.' || line[1] == '\t' || !strncmp(line, "\tcode", 5))
		return false;
	line++;
	if (*line == '@')
		line += strcspn(line, " ") + 1;
	size_t k = strcspn(line, " .;");
	if (!strncmp(line, "BRA.U", 5))
		k = 5;
	snprintf(out, n, "%.*s", (int)k, line);
	return *out != 0;
}

bool compare_static(struct table *t, unsigned which, const char *code, const char *file)
{
	size_t n;
	char *data = cli_read("compare-isa", file, &n), *message = NULL, name[64], *place = NULL;
	struct heddle_compile how = {0};
	struct kind k = {.opcode = name, .code = 1};
	bool tesla = !strcmp(code, "tesla"), ok = true;
	if (data && !tesla && strcmp(code, "fermi")) {
		cli_error("compare-isa", "--codes %s: with --static expected tesla or fermi", code);
		free(data);
		data = NULL;
	}
	if (!data)
		return false;
	how.sm = tesla ? 13 : 20;
	char *text = heddle_native_compile(&(struct heddle_text){file, data, n, NULL}, 1, &how,
					   &message);
	if (!text)
		cli_print(stderr, message);
	for (char *line = text, *end; line && *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = 0;
		if (!strncmp(line, "\t.loc ", 6)) {
			k.line = (unsigned)strtoul(line + 6, &place, 10);
			k.file = place + (*place == ' ');
		} else if (strstr(line, "Function :")) {
			k.line = 0;
		} else if (find_mnemonic(line, name, sizeof name)) {
			k.class = heddle_native_class(name);
			ok = ok && compare_add(t, which, &k);
		}
	}
	t->has_code = true;
	free(message);
	free(text);
	free(data);
	return text && ok;
}

bool compare_write(const char *path, char *text)
{
	struct cli_output o = {0};
	bool ok = text && cli_output_write("compare-isa", &o, path, text, strlen(text)) &&
		  cli_output_commit("compare-isa", &o);
	free(text);
	return ok;
}

/* Writes a quoted CSV field, because file names may contain any character. */
static void put_field(FILE *f, const char *s)
{
	bool quote = strpbrk(s, ",\"\n") != NULL;
	fputs(quote ? "\"" : "", f);
	for (; *s; s++)
		fprintf(f, *s == '"' ? "\"\"" : "%c", *s);
	fputs(quote ? "\"" : "", f);
}

bool compare_csv(const struct table *t, const char *a, const char *b, const char *path)
{
	static const char *const what[] = {"opcode", "class", "line"};
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return false;
	fprintf(f, "%s,%s,%s", what[t->by], a, b);
	if (t->has_code)
		fprintf(f, ",%s code,%s code", a, b);
	fputc('\n', f);
	for (size_t i = 0; i < t->n; i++) {
		const struct count *c = &t->row[i];
		put_field(f, c->name);
		fprintf(f, ",%lld,%lld", (long long)c->n[0], (long long)c->n[1]);
		if (t->has_code)
			fprintf(f, ",%lld,%lld", (long long)c->code[0], (long long)c->code[1]);
		fputc('\n', f);
	}
	fclose(f);
	return compare_write(path, text);
}

static json_t *pair_json(const int64_t n[2])
{
	return json_pack("[I, I]", (json_int_t)n[0], (json_int_t)n[1]);
}

static json_t *line_json(const struct count *c)
{
	char *text = compare_line_text(c);
	json_t *by = json_object(), *o = json_pack("{s:s, s:o, s:o}", "line", c->name, "executed",
						   pair_json(c->n), "code", pair_json(c->code));
	for (unsigned k = 0; heddle_class_name(k) && k < COMPARE_CLASSES; k++)
		if (c->class[0][k] || c->class[1][k])
			json_object_set_new(
				by, heddle_class_name(k),
				pair_json((int64_t[]){c->class[0][k], c -> class[1][k]}));
	json_object_set_new(o, "classes", by);
	if (text)
		json_object_set_new(o, "text", json_string(text));
	free(text);
	return o;
}

bool compare_json(const struct table *t, const char *a, const char *b, const char *path)
{
	json_t *rows = json_object(), *code = json_object(), *lines = json_array();
	for (size_t i = 0; i < t->n; i++) {
		json_object_set_new(rows, t->row[i].name, pair_json(t->row[i].n));
		json_object_set_new(code, t->row[i].name, pair_json(t->row[i].code));
		if (t->by == BY_LINE)
			json_array_append_new(lines, line_json(&t->row[i]));
	}
	json_t *top = json_pack("{s:[s, s], s:o, s:o, s:o, s:o}", "codes", a, b, "total",
				pair_json(t->total), "rows", rows, "code_total",
				pair_json(t->code_total), "code", code);
	if (t->by == BY_LINE)
		json_object_set(top, "lines", lines);
	char *text = json_dumps(top, JSON_PRESERVE_ORDER);
	json_decref(top);
	json_decref(lines);
	char *with = text ? realloc(text, strlen(text) + 2) : NULL;
	if (with)
		strcat(with, "\n");
	return compare_write(path, with);
}
