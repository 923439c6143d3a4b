/* Recorded figures: results of runs at the time somebody last checked them. A difference does not
 * mean that the new result is wrong, only that something changed.
 *
 * A file of tests/data/recorded has one line per case: name, tab, description in words, tab,
 * figures, each `name=value`:
 *
 * 	dwf-1	machine=gtx480 k=bench/collatz.ptx grid=4 sm.divergence=dwf	cycles=2930 warp=7720 sm=1c9f0a33 ...
 *
 * 	build/tests/test_recorded_NAME record       writes the file again with the present figures, after an intended change
 * 	build/tests/test_recorded_NAME show CASE    prints the text behind each digest, to compare two builds
 *
 * A new case is a line without figures, followed by `record`. Short numbers are recorded as they
 * are, everything else as a digest (CRC) of its text. Real numbers have nine digits there, so that
 * digests do not depend on the compiler, the processor or the mathematics library. */
#ifndef TESTS_RECORDED_H
#define TESTS_RECORDED_H
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <zlib.h>

/* The figures of one case, collected during its run. */
struct figures {
	FILE *out;  /* name=value, separated by blanks */
	FILE *show; /* not NULL: also writes the texts themselves */
};

static inline void figure_number(struct figures *f, const char *name, unsigned long long v)
{
	fprintf(f->out, "%s%s=%llu", ftell(f->out) ? " " : "", name, v);
}

static inline void figure_text(struct figures *f, const char *name, const char *text, size_t n)
{
	fprintf(f->out, "%s%s=%08lx", ftell(f->out) ? " " : "", name,
		crc32(0, (const void *)text, (unsigned)n));
	if (f->show) {
		fprintf(f->show, "==== %s\n", name);
		fwrite(text, 1, n, f->show);
		fputc('\n', f->show);
	}
}

/* Adds a text whose real numbers have more digits than all hosts agree on. */
static inline void figure_reals(struct figures *f, const char *name, const char *text, size_t size)
{
	char *out = malloc(2 * size + 32), *to = out;
	for (const char *p = text; p < text + size;) {
		size_t len = *p >= '0' && *p <= '9' ? strspn(p, "0123456789.e+-") : 0;
		if (len && memchr(p, '.', len))
			to += sprintf(to, "%.9g", strtod(p, NULL));
		else
			to = mempcpy(to, p, len ? len : 1);
		p += len ? len : 1;
	}
	figure_text(f, name, out, (size_t)(to - out));
	free(out);
}

/* The words of a case: `key=value`, in order. */
struct words {
	char text[4096];
	const char *word[256];
	unsigned n;
};

static inline void words_split(struct words *w, const char *line, size_t n)
{
	char *save;
	if (n >= sizeof w->text)
		fail_msg("a line of more than %zu bytes", sizeof w->text);
	memcpy(w->text, line, n);
	w->text[n] = 0;
	w->n = 0;
	for (char *p = strtok_r(w->text, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
		assert_true(w->n < sizeof w->word / sizeof *w->word);
		w->word[w->n++] = p;
	}
}

/* The value of a key among the words; NULL: absent. */
static inline const char *word_of(const struct words *w, const char *key)
{
	size_t n = strlen(key);
	for (unsigned i = 0; i < w->n; i++)
		if (!strncmp(w->word[i], key, n) && (w->word[i][n] == '=' || !w->word[i][n]))
			return w->word[i] + n + (w->word[i][n] == '=');
	return NULL;
}

static inline unsigned long number_word(const struct words *w, const char *key,
					unsigned long otherwise)
{
	const char *v = word_of(w, key);
	return v ? strtoul(v, NULL, 0) : otherwise;
}

/* "4,2" is 4, 2, and 1 for all further numbers. */
static inline void shape_word(const struct words *w, const char *key, uint32_t out[3])
{
	const char *v = word_of(w, key);
	for (unsigned i = 0; i < 3; i++) {
		char *end = NULL;
		out[i] = v && *v ? (uint32_t)strtoul(v, &end, 0) : 1;
		v = end && *end == ',' ? end + 1 : NULL;
	}
}

/* The contents of a file, n bytes and a terminating zero. */
static inline char *file_text(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END))
		fail_msg("cannot read %s", path);
	*n = (size_t)ftell(f);
	rewind(f);
	char *text = calloc(1, *n + 1);
	assert_true(fread(text, 1, *n, f) == *n);
	fclose(f);
	return text;
}

/* ---- the file of cases ---- */

static struct {
	const char *file;
	void (*run)(const struct words *w, struct figures *f);
} recorded;

static inline char *recorded_figures(const char *what, size_t n, FILE *show)
{
	static struct words w;
	char *text = NULL;
	size_t size = 0;
	struct figures f = {open_memstream(&text, &size), show};
	words_split(&w, what, n);
	recorded.run(&w, &f);
	fclose(f.out);
	return text;
}

/* Prints the words in which two lists differ. */
static inline void recorded_moved(const char *name, const char *was, size_t nwas, const char *is)
{
	static struct words a, b;
	bool any = false;
	if (nwas == strlen(is) && !memcmp(was, is, nwas))
		return;
	words_split(&a, was, nwas);
	words_split(&b, is, strlen(is));
	for (unsigned i = 0; i < a.n || i < b.n; i++)
		if (i >= a.n || i >= b.n || strcmp(a.word[i], b.word[i])) {
			print_error("%s%s %s, was %s", any ? "; " : name, any ? "" : ":",
				    i < b.n ? b.word[i] : "nothing",
				    i < a.n ? a.word[i] : "nothing");
			any = true;
		}
	print_error("\n");
}

/* Cases named "plain-..." use addresses that the address sanitizer occupies. */
#ifdef __SANITIZE_ADDRESS__
enum { RECORDED_SANITIZED = 1 };
#else
enum { RECORDED_SANITIZED = 0 };
#endif

static void recorded_are_the_same(void **state)
{
	(void)state;
	size_t size;
	unsigned cases = 0, moved = 0;
	char *text = file_text(recorded.file, &size), *next;
	for (char *line = text; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (*line == '#' || (RECORDED_SANITIZED && !strncmp(line, "plain-", 6)))
			continue;
		char *what = strchr(line, '\t'), *was = what ? strchr(what + 1, '\t') : NULL;
		assert_true(was && was < next); /* without figures: record */
		*what++ = *was++ = 0;
		char *is = recorded_figures(what, strlen(what), NULL);
		size_t nwas = (size_t)(next - was) - (next[-1] == '\n');
		cases++;
		if (strlen(is) != nwas || memcmp(is, was, nwas)) {
			recorded_moved(line, was, nwas, is);
			moved++;
		}
		free(is);
		if (moved == 5)
			break;
	}
	free(text);
	assert_true(cases > 0);
	if (moved)
		fail_msg(
			"%s: the figures of %u of %u cases moved. If that is meant: the test program with `record`, and say why in the commit",
			recorded.file, moved, cases);
}

/* An assertion outside a test ends the program without a message. */
static const char *recorded_now;
static inline void recorded_ended(void)
{
	if (recorded_now)
		fprintf(stderr, "%s: cannot be run\n", recorded_now);
}

static inline int recorded_again(const char *show)
{
	atexit(recorded_ended);
	size_t size, n = 0;
	char *text = file_text(recorded.file, &size), *save, *out = NULL;
	FILE *f = open_memstream(&out, &n);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *what = strchr(line, '\t');
		if (*line == '#' || !what) {
			fprintf(f, "%s\n", line);
			continue;
		}
		*what++ = 0;
		what[strcspn(what, "\t")] = 0;
		if (show && strcmp(show, line))
			continue;
		recorded_now = line;
		char *is = recorded_figures(what, strlen(what), show ? stdout : NULL);
		recorded_now = NULL;
		fprintf(f, "%s\t%s\t%s\n", line, what, is);
		if (show)
			printf("%s\t%s\n", line, is);
		free(is);
	}
	fclose(f);
	if (!show) {
		f = fopen(recorded.file, "wb");
		if (!f || fwrite(out, 1, n, f) != n || fclose(f)) {
			perror(recorded.file);
			return 1;
		}
	}
	free(out);
	free(text);
	return 0;
}

static inline int recorded_main(int argc, char **argv, const char *file,
				void (*run)(const struct words *, struct figures *))
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_are_the_same)};
	setenv("HEDDLE_CONF", "conf", 0); /* tests run in the root of the tree */
	recorded.file = file;
	recorded.run = run;
	if (argc == 2 && !strcmp(argv[1], "record"))
		return recorded_again(NULL);
	if (argc == 3 && !strcmp(argv[1], "show"))
		return recorded_again(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
