/*
 * What the programs of the suite share: the command line, seeded inputs, CUDA errors, checks.
 *
 * A program is one file, NAME/NAME.cu. It begins with a comment that says what it computes, which
 * paper uses it, where its launch geometry comes from and what stands in for the original input;
 * suite.tsv has its row. main() looks like this:
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct workload w = workload_start("NAME", argc, argv);
 *		int n = workload_pick(&w, 1000, 20000, 400000);
 *		std::vector<float> in(n), out(n), want(n);
 *		for (float &x : in)
 *			x = rng_range(&w.rng, 0, 1);
 *		float *din = to_device(in), *dout = on_device<float>(n);
 *		kernel<<<(n + 255) / 256, 256>>>(din, dout, n);
 *		CUDA_LAUNCHED();
 *		from_device(out, dout);
 *		reference(want, in);                      // on the CPU, written on its own
 *		check_near(&w, "out", out, want, 1e-5);
 *		return workload_finish(&w);
 *	}
 *
 * The last line on standard output is "NAME (size): PASS, N values checked" or "...: FAIL"; the exit
 * status is 0 for PASS, 1 for FAIL or a CUDA error, 2 for a command line that makes no sense.
 * Everything is plain CUDA C++11, for heddle cc and nvcc alike.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

/* ---- random numbers: splitmix64, the same on every machine ---- */

struct rng {
	uint64_t state;
};

static inline uint64_t rng_u64(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ull;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static inline uint32_t rng_u32(struct rng *r)
{
	return (uint32_t)(rng_u64(r) >> 32);
}

/* From 0 to n-1. */
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(((uint64_t)rng_u32(r) * n) >> 32);
}

/* From lo up to hi, hi excluded; 24 random bits. */
static inline float rng_range(struct rng *r, float lo, float hi)
{
	return lo + (hi - lo) * ((float)(rng_u32(r) >> 8) * (1.0f / 16777216.0f));
}

/* Normal with mean 0 and deviation 1, by summing twelve uniform numbers: no libm in the inputs, so
 * that they are the same bits everywhere. */
static inline float rng_normal(struct rng *r)
{
	double s = -6;
	for (int i = 0; i < 12; i++)
		s += (double)rng_u32(r) * (1.0 / 4294967296.0);
	return (float)s;
}

/* ---- the command line ---- */

enum workload_size { SIZE_TEST, SIZE_SMALL, SIZE_PAPER };

struct workload {
	const char *name;
	enum workload_size size;
	struct rng rng;               /* seeded: --seed N, else the suite's number */
	unsigned long long checked, wrong;
	int argc;
	char **argv;
	unsigned char *known;         /* words of the command line that somebody asked for */
};

static const char *const workload_sizes[] = {"test", "small", "paper"};

/* The value of an option, or fallback if it is not given. */
static inline const char *workload_option(struct workload *w, const char *name, const char *fallback)
{
	for (int i = 1; i < w->argc; i++) {
		if (w->known[i] || strcmp(w->argv[i], name))
			continue;
		if (i + 1 >= w->argc) {
			fprintf(stderr, "%s: %s needs a value\n", w->name, name);
			exit(2);
		}
		w->known[i] = w->known[i + 1] = 1;
		return w->argv[i + 1];
	}
	return fallback;
}

/* The same for a number from min to max. */
static inline long workload_number(struct workload *w, const char *name, long fallback, long min,
                                   long max)
{
	const char *s = workload_option(w, name, NULL);
	if (!s)
		return fallback;
	char *end;
	long v = strtol(s, &end, 0);
	if (end == s || *end || v < min || v > max) {
		fprintf(stderr, "%s: %s %s: expected a number from %ld to %ld\n", w->name, name, s, min, max);
		exit(2);
	}
	return v;
}

/* Reads --size and --seed. A program's own options are read with workload_option() and
 * workload_number(), after which workload_options_end() refuses what nobody asked for. */
static inline struct workload workload_start(const char *name, int argc, char **argv)
{
	struct workload w = {};
	w.name = name;
	w.argc = argc;
	w.argv = argv;
	w.known = (unsigned char *)calloc((size_t)argc + 1, 1);
	const char *s = workload_option(&w, "--size", "small");
	int size = 0;
	while (size < 3 && strcmp(s, workload_sizes[size]))
		size++;
	if (size == 3) {
		fprintf(stderr, "%s: --size %s: expected test, small or paper\n", name, s);
		exit(2);
	}
	w.size = (enum workload_size)size;
	w.rng.state = (uint64_t)workload_number(&w, "--seed", 20120814, 0, 0x7fffffffffffffffL);
	return w;
}

static inline void workload_options_end(struct workload *w)
{
	for (int i = 1; i < w->argc; i++) {
		if (!w->known[i]) {
			fprintf(stderr, "%s: unknown option %s\n", w->name, w->argv[i]);
			exit(2);
		}
	}
}

/* The figure for the size that was asked for. */
template <typename T>
static inline T workload_pick(const struct workload *w, T test, T small, T paper)
{
	return w->size == SIZE_TEST ? test : w->size == SIZE_SMALL ? small : paper;
}

/* ---- CUDA ---- */

#define CUDA(call) cuda_check((call), #call, __FILE__, __LINE__)
/* After a launch: reports a bad launch and what went wrong while the kernel ran. */
#define CUDA_LAUNCHED() (CUDA(cudaGetLastError()), CUDA(cudaDeviceSynchronize()))

static inline void cuda_check(cudaError_t e, const char *what, const char *file, int line)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "%s:%d: %s: %s\n", file, line, what, cudaGetErrorString(e));
	exit(1);
}

/* Uninitialised, zeroed and copied arrays in device memory. */
template <typename T>
static inline T *on_device(size_t n)
{
	T *p;
	CUDA(cudaMalloc((void **)&p, n * sizeof(T)));
	return p;
}

template <typename T>
static inline T *zeroed_on_device(size_t n)
{
	T *p = on_device<T>(n);
	CUDA(cudaMemset(p, 0, n * sizeof(T)));
	return p;
}

template <typename T>
static inline T *to_device(const std::vector<T> &v)
{
	T *p = on_device<T>(v.size());
	CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
	return p;
}

template <typename T>
static inline void from_device(std::vector<T> &v, const T *p)
{
	CUDA(cudaMemcpy(v.data(), p, v.size() * sizeof(T), cudaMemcpyDeviceToHost));
}

/* ---- checks: each counts its values, the first few wrong ones are shown ---- */

static inline void check_report(struct workload *w, const char *what, size_t i, double got, double want)
{
	if (w->wrong++ < 5)
		printf("%s: %s[%zu] is %.9g, expected %.9g\n", w->name, what, i, got, want);
}

static inline void check_true(struct workload *w, const char *what, bool ok)
{
	w->checked++;
	if (!ok && w->wrong++ < 5)
		printf("%s: %s does not hold\n", w->name, what);
}

template <typename T>
static inline void check_equal(struct workload *w, const char *what, const std::vector<T> &got,
                               const std::vector<T> &want)
{
	check_true(w, what, got.size() == want.size());
	for (size_t i = 0; i < got.size() && i < want.size(); i++, w->checked++)
		if (got[i] != want[i])
			check_report(w, what, i, (double)got[i], (double)want[i]);
}

/* |got - want| <= tolerance * max(|want|, scale). The scale says below which size errors are
 * absolute; a NaN is never near anything. */
template <typename T, typename U>
static inline void check_near(struct workload *w, const char *what, const std::vector<T> &got,
                              const std::vector<U> &want, double tolerance, double scale = 1)
{
	check_true(w, what, got.size() == want.size());
	for (size_t i = 0; i < got.size() && i < want.size(); i++, w->checked++) {
		double g = (double)got[i], e = (double)want[i];
		if (!(fabs(g - e) <= tolerance * fmax(fabs(e), scale)))
			check_report(w, what, i, g, e);
	}
}

static inline int workload_finish(struct workload *w)
{
	bool pass = w->checked && !w->wrong;
	if (pass)
		printf("%s (%s): PASS, %llu values checked\n", w->name, workload_sizes[w->size], w->checked);
	else
		printf("%s (%s): FAIL, %llu of %llu values wrong\n", w->name, workload_sizes[w->size], w->wrong,
		       w->checked);
	CUDA(cudaDeviceReset());
	free(w->known);
	return pass ? 0 : 1;
}

#endif
