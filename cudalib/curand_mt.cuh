/* MT19937 (Matsumoto and Nishimura 1998): one sequence, whose state of 624 words a block renews at once. */
#ifndef CURAND_MT_CUH
#define CURAND_MT_CUH

enum { MT_WORDS = 624, MT_APART = 397, MT_STEP = MT_WORDS - MT_APART, MT_THREADS = 256 };
struct mt_state {
	unsigned word[MT_WORDS], used; /* numbers taken since the last renewal */
};

static __global__ void rand_mt_seed(mt_state *s, unsigned seed)
{
	for (int i = 0; i < MT_WORDS; i++) {
		s->word[i] = seed;
		seed = 1812433253u * (seed ^ seed >> 30) + i + 1;
	}
	s->used = MT_WORDS;
}

/* Renews the state by thirds: a third depends on the one before it and on the next word, which is read first. */
static __device__ void mt_renew(unsigned *x)
{
	for (int from = 0; from < MT_WORDS; from += MT_STEP) {
		int i = from + threadIdx.x;
		bool mine = threadIdx.x < MT_STEP && i < MT_WORDS;
		unsigned next = 0;
		if (mine) {
			unsigned y = (x[i] & 0x80000000u) | (x[(i + 1) % MT_WORDS] & 0x7fffffffu);
			next = x[(i + MT_APART) % MT_WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
		}
		__syncthreads();
		if (mine)
			x[i] = next;
		__syncthreads();
	}
}

/* The next n numbers; out: where they go, or null to pass over them. */
static __global__ void rand_mt(mt_state *s, unsigned *out, size_t n)
{
	__shared__ unsigned x[MT_WORDS];
	for (int i = threadIdx.x; i < MT_WORDS; i += MT_THREADS)
		x[i] = s->word[i];
	__syncthreads();
	unsigned used = s->used;
	for (size_t done = 0; done < n;) {
		if (used == MT_WORDS) {
			mt_renew(x);
			used = 0;
		}
		unsigned some = n - done < MT_WORDS - used ? (unsigned)(n - done) : MT_WORDS - used;
		for (unsigned i = threadIdx.x; out && i < some; i += MT_THREADS) {
			unsigned y = x[used + i];
			y ^= y >> 11;
			y ^= y << 7 & 0x9d2c5680u;
			y ^= y << 15 & 0xefc60000u;
			out[done + i] = y ^ y >> 18;
		}
		used += some;
		done += some;
		__syncthreads();
	}
	for (int i = threadIdx.x; i < MT_WORDS; i += MT_THREADS)
		s->word[i] = x[i];
	if (!threadIdx.x)
		s->used = used;
}

/* A generator whose numbers are already in memory. */
struct tape {
	const unsigned *at;
};
static __device__ unsigned curand(tape *t) { return *t->at++; }
static __device__ float curand_uniform(tape *t) { return _curand_uniform(curand(t)); }
static __device__ double curand_uniform_double(tape *t)
{
	unsigned x = curand(t), y = curand(t);
	return _curand_uniform_double_hq(x, y);
}
static __device__ float2 curand_normal2(tape *t)
{
	unsigned x = curand(t), y = curand(t);
	return _curand_box_muller(x, y);
}
static __device__ double2 curand_normal2_double(tape *t)
{
	unsigned a = curand(t), b = curand(t), c = curand(t), d = curand(t);
	return _curand_box_muller_double(a, b, c, d);
}
#endif
