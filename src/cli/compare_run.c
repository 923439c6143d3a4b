/* compare-isa without prepared files: the program or kernel runs once for each code, or its code is counted
 * as it stands; and the comparison as CSV and JSON. See compare.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/compare.h"
#include "heddle.h"

char *compare_run(const char *code, char **words, int n)
{
	const char *tmp = getenv("TMPDIR");
	char path[4096];
	snprintf(path, sizeof path, "%s/heddle-compare-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	int fd = mkstemp(path), st = 0;
	char **argv = calloc((size_t)n + 8, sizeof *argv);
	if (fd < 0 || !argv) {
		cli_error("compare-isa", "%s: %s", path, strerror(errno));
		free(argv);
		return NULL;
	}
	close(fd);
	char *fixed[] = {"heddle", "run", "--code", (char *)code, "--stats", path, "--quiet"};
	memcpy(argv, fixed, sizeof fixed);
	memcpy(argv + sizeof fixed / sizeof *fixed, words, (size_t)n * sizeof *words);
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		dup2(2, 1); /* the program's own words are not the table's */
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &st, 0) < 0 && errno == EINTR)
		;
	free(argv);
	if (pid > 0 && WIFEXITED(st) && !WEXITSTATUS(st))
		return strdup(path);
	cli_error("compare-isa", "the run with --code %s failed", code);
	unlink(path);
	return NULL;
}

/* The mnemonic of a line of a listing, without its modifiers; false: it is none. */
static bool mnemonic(const char *line, char *out, size_t n)
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

bool compare_static(struct table *t, unsigned which, const char *code, const char *file,
		    bool (*row)(struct table *, const char *, unsigned, int64_t, bool),
		    bool by_class)
{
	size_t n;
	char *data = cli_read("compare-isa", file, &n), *message = NULL, name[64];
	struct heddle_compile how = {0};
	bool tesla = !strcmp(code, "tesla");
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
		fputs(message, stderr);
	for (char *line = text, *end; line && *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		if (mnemonic(line, name, sizeof name))
			row(t, name, which, 1, by_class);
	}
	free(message);
	free(text);
	free(data);
	return text != NULL;
}

static bool write_out(const char *path, char *text)
{
	struct cli_output o = {0};
	bool ok = text && cli_output_write("compare-isa", &o, path, text, strlen(text)) &&
		  cli_output_commit("compare-isa", &o);
	free(text);
	return ok;
}

bool compare_csv(const struct table *t, const char *a, const char *b, const char *path)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return false;
	fprintf(f, "opcode,%s,%s\n", a, b);
	for (size_t i = 0; i < t->n; i++)
		fprintf(f, "%s,%lld,%lld\n", t->row[i].name, (long long)t->row[i].n[0],
			(long long)t->row[i].n[1]);
	fclose(f);
	return write_out(path, text);
}

bool compare_json(const struct table *t, const char *a, const char *b, const char *path)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	if (!f)
		return false;
	fprintf(f, "{\"codes\": [\"%s\", \"%s\"], \"total\": [%lld, %lld], \"rows\": {", a, b,
		(long long)t->total[0], (long long)t->total[1]);
	for (size_t i = 0; i < t->n; i++)
		fprintf(f, "%s\"%s\": [%lld, %lld]", i ? ", " : "", t->row[i].name,
			(long long)t->row[i].n[0], (long long)t->row[i].n[1]);
	fputs("}}\n", f);
	fclose(f);
	return write_out(path, text);
}
