/* Feeds mutated inputs to a fuzz target, for builds without libFuzzer: a target defines
 * LLVMFuzzerTestOneInput(), so that `clang -fsanitize=fuzzer` takes it as it is.
 *
 *   TARGET [-n COUNT] [-s SECONDS] [-r SEED] FILE...
 *
 * FILEs are the corpus. Inputs follow from SEED and their number alone. An input that crashes or
 * takes more than ten seconds of processor time is left in ./fuzz-input and the program ends with a
 * failure; with -n 0 the files themselves are run once, which repeats a failure. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));

enum { SIZE_MAX_INPUT = 1 << 16, HANG_SECONDS = 10, SLEEP_SECONDS = 300 };
struct text {
	uint8_t *data;
	size_t size;
};
static struct text *corpus;
static unsigned corpus_n;
static uint8_t input[SIZE_MAX_INPUT];
static size_t input_n;
static uint64_t rng;

static uint64_t next_random(void)
{
	rng += 0x9e3779b97f4a7c15ull;
	uint64_t z = rng;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static size_t below(size_t n) { return n ? next_random() % n : 0; }

static void save_input(void)
{
	int fd = open("fuzz-input", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd >= 0 && write(fd, input, input_n) == (ssize_t)input_n)
		close(fd);
}

static void on_signal(int sig)
{
	static const char text[] = "fuzzing: crashed or hung; the input is in fuzz-input\n";
	save_input();
	if (write(2, text, sizeof text - 1) > 0)
		_exit(128 + sig);
	_exit(1);
}

/* Replaces `cut` bytes at `at` by `n` bytes. */
static void replace(size_t at, size_t cut, const uint8_t *with, size_t n)
{
	if (input_n - cut + n > SIZE_MAX_INPUT)
		return;
	memmove(input + at + n, input + at + cut, input_n - at - cut);
	memcpy(input + at, with, n);
	input_n = input_n - cut + n;
}

static size_t word_end(const uint8_t *p, size_t n, size_t at)
{
	while (at < n && p[at] != ' ' && p[at] != '\n' && p[at] != ',' && p[at] != ';' &&
	       p[at] != '.')
		at++;
	return at;
}

static void mutate(void)
{
	static const char *const odd[] = {
		"0",          "-1",
		"4294967295", "18446744073709551616",
		"0x",         "0f7f800000",
		"%",          "{",
		"}",          "[",
		"]",          ";",
		".b128",      ".v4",
		".pred",      "//",
		"/*",         "\"",
		"@!%p",       "ret;",
		"bra",        "<1000000000>",
		".align 3",
	};
	uint8_t buf[256];
	size_t at = below(input_n), n, end;
	const struct text *other = &corpus[below(corpus_n)];
	switch (below(9)) {
	case 0:
		if (input_n)
			input[at] ^= (uint8_t)(1 << below(8));
		break;
	case 1:
		if (input_n)
			input[at] = (uint8_t)next_random();
		break;
	case 2: replace(at, below(input_n - at < 40 ? input_n - at : 40), buf, 0); break;
	case 3: /* repeat a piece elsewhere */
		n = below(input_n - at < sizeof buf ? input_n - at : sizeof buf);
		memcpy(buf, input + at, n);
		replace(below(input_n), 0, buf, n);
		break;
	case 4: /* a word of the text is replaced by a word of another text */
		end = word_end(input, input_n, at);
		if (other->size) {
			size_t from = below(other->size),
			       to = word_end(other->data, other->size, from);
			replace(at, end - at, other->data + from, to - from < 64 ? to - from : 64);
		}
		break;
	case 5:
		n = below(sizeof odd / sizeof *odd);
		replace(at, 0, (const uint8_t *)odd[n], strlen(odd[n]));
		break;
	case 6: /* a word is replaced by an unusual number or name */
		n = below(sizeof odd / sizeof *odd);
		replace(at, word_end(input, input_n, at) - at, (const uint8_t *)odd[n],
			strlen(odd[n]));
		break;
	case 7: /* lines of another text */
		if (other->size) {
			size_t from = below(other->size);
			n = other->size - from < sizeof buf ? other->size - from : sizeof buf;
			replace(at, 0, other->data + from, n);
		}
		break;
	case 8:
		if (below(8) == 0)
			input_n = at;
		break;
	}
}

static void run_one(void)
{
	/* The limit is on processor time, since the machine may be busy; the wall-clock limit is
	 * generous. */
	struct itimerval limit = {.it_value.tv_sec = HANG_SECONDS}, none = {0};
	setitimer(ITIMER_PROF, &limit, NULL);
	alarm(SLEEP_SECONDS);
	/* A copy of the exact size, so that the sanitizer catches a read past the end. */
	uint8_t *copy = malloc(input_n ? input_n : 1);
	memcpy(copy, input, input_n);
	LLVMFuzzerTestOneInput(copy, input_n);
	free(copy);
	alarm(0);
	setitimer(ITIMER_PROF, &none, NULL);
}

static void take(const struct text *t)
{
	input_n = t->size;
	memcpy(input, t->data, t->size);
}

/* The cost of a text grows with its size: draws four and takes the smallest, but every eighth time
 * any. */
static const struct text *draw(void)
{
	const struct text *t = &corpus[below(corpus_n)];
	for (unsigned n = below(8) ? 3 : 0; n; n--) {
		const struct text *other = &corpus[below(corpus_n)];
		t = other->size < t->size ? other : t;
	}
	return t;
}

static void add_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return;
	corpus = realloc(corpus, (corpus_n + 1) * sizeof *corpus);
	struct text t = {malloc(SIZE_MAX_INPUT), 0};
	t.size = fread(t.data, 1, SIZE_MAX_INPUT, f);
	fclose(f);
	corpus[corpus_n++] = t;
}

int main(int argc, char **argv)
{
	unsigned long count = ~0ul, done = 0;
	double seconds = 1e9;
	uint64_t seed = 1;
	int o;
	while ((o = getopt(argc, argv, "n:s:r:")) != -1) {
		if (o == 'n')
			count = strtoul(optarg, NULL, 0);
		else if (o == 's')
			seconds = atof(optarg);
		else if (o == 'r')
			seed = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	for (; optind < argc; optind++)
		add_file(argv[optind]);
	if (!corpus_n)
		return fprintf(stderr, "fuzzing: no corpus\n"), 2;
	static const int fatal[] = {SIGALRM, SIGPROF, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	for (unsigned i = 0; i < sizeof fatal / sizeof *fatal; i++)
		if (i < 3 || !__sanitizer_set_death_callback) /* the sanitizer reports the other
							       * signals itself */
			signal(fatal[i], on_signal);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(save_input);
	for (unsigned i = 0; i < corpus_n; i++) {
		take(&corpus[i]);
		run_one();
	}
	time_t start = time(NULL);
	for (; done < count && difftime(time(NULL), start) < seconds; done++) {
		rng = seed * 0x2545f4914f6cdd1dull + done;
		take(draw());
		for (size_t n = 1 + below(6); n; n--)
			mutate();
		run_one();
	}
	fprintf(stderr, "fuzzing: %lu inputs from %u files, seed %llu\n", done, corpus_n,
		(unsigned long long)seed);
	for (unsigned i = 0; i < corpus_n; i++)
		free(corpus[i].data);
	free(corpus);
	return 0;
}
