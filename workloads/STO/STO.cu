/*
 * STO: MD5 digests of a sliding window over a stream, then a tree of digests over the digests.
 *
 * Used by: hws (thesis, section 5.2: 192 KB, sliding window, MD5), stsimt (Table II: one kernel,
 *   launches of 1 to 260 blocks of 2 to 64 threads).
 * Geometry: the window is 52 bytes long and moves by 4: 49,140 windows in 192 KB. A block of 64 threads
 *   takes 189 windows, which is 260 blocks. The digests are hashed eight at a time, level by level,
 *   with the same kernel, until two are left: 96, 12, 2, 1, 1 blocks, the last with 2 threads.
 * Memory: a block stages its bytes in shared memory (one word of padding in 32 against bank
 *   conflicts), the message schedule reads from there; per-round constants in constant memory.
 * Input: synthetic. Random bytes: MD5 takes the same time for any data.
 * Check: all digests of all levels against an MD5 over byte strings, that one against the seven test
 *   vectors of RFC 1321, appendix A.5.
 */
#include <string>
#include "../common/workload.h"

enum { MAX_THREADS = 64, WORDS_MAX = 32, STAGE = 2304 }; /* 64 pieces of 32 words, padded */

__constant__ uint32_t md5_sine[64];

static __device__ uint32_t rotate(uint32_t x, int n)
{
	return (x << n) | (x >> (32 - n));
}

static __device__ int padded(int word)
{
	return word + word / 32;
}

/* Word i of the message with its padding: data, a one bit, zeros, the length in bits. */
static __device__ uint32_t message(const uint32_t *stage, int first, int words, int i, int last)
{
	if (i < words)
		return stage[padded(first + i)];
	return i == words ? 0x80u : i == last - 2 ? (uint32_t)words * 32 : 0u;
}

static __device__ void compress(uint32_t h[4], const uint32_t m[16])
{
	uint32_t a = h[0], b = h[1], c = h[2], d = h[3];
	const int shift[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
#pragma unroll
	for (int i = 0; i < 64; i++) {
		uint32_t f = i < 16 ? (b & c) | (~b & d) : i < 32 ? (d & b) | (~d & c)
		           : i < 48 ? b ^ c ^ d : c ^ (b | ~d);
		int k = i < 16 ? i : i < 32 ? (5 * i + 1) % 16 : i < 48 ? (3 * i + 5) % 16 : 7 * i % 16;
		uint32_t next = b + rotate(a + f + md5_sine[i] + m[k], shift[i / 16][i % 4]);
		a = d;
		d = c;
		c = b;
		b = next;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
}

/* Digests of `pieces` strings of `words` words, the next one `step` words after the last. A block takes
 * `share` of them. */
__global__ void md5_pieces(uint32_t *digest, const uint32_t *data, int pieces, int words, int step,
                           int share)
{
	__shared__ uint32_t stage[STAGE];
	int first = blockIdx.x * share, mine = min(share, pieces - first);
	int staged = (mine - 1) * step + words;
	for (int i = threadIdx.x; i < staged; i += blockDim.x)
		stage[padded(i)] = data[first * step + i];
	__syncthreads();
	int last = (words + 3 + 15) / 16 * 16;
	for (int p = threadIdx.x; p < mine; p += blockDim.x) {
		uint32_t h[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}, m[16];
		for (int chunk = 0; chunk < last; chunk += 16) {
#pragma unroll
			for (int i = 0; i < 16; i++)
				m[i] = message(stage, p * step, words, chunk + i, last);
			compress(h, m);
		}
		for (int i = 0; i < 4; i++)
			digest[4 * (first + p) + i] = h[i];
	}
}

/* ---- MD5 over bytes ---- */

static uint32_t sine(int i)
{
	return (uint32_t)(int64_t)floor(fabs(sin(i + 1.0)) * 4294967296.0);
}

static void md5(const uint8_t *data, size_t n, uint8_t out[16])
{
	std::vector<uint8_t> text(data, data + n);
	text.push_back(0x80);
	while (text.size() % 64 != 56)
		text.push_back(0);
	for (int i = 0; i < 8; i++)
		text.push_back((uint8_t)((uint64_t)n * 8 >> (8 * i)));
	uint32_t s[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
	static const int turn[] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
	for (size_t at = 0; at < text.size(); at += 64) {
		uint32_t v[4] = {s[0], s[1], s[2], s[3]};
		for (int i = 0; i < 64; i++) {
			uint32_t f;
			int g;
			switch (i / 16) {
			case 0: f = (v[1] & v[2]) | (~v[1] & v[3]); g = i; break;
			case 1: f = (v[3] & v[1]) | (~v[3] & v[2]); g = (5 * i + 1) % 16; break;
			case 2: f = v[1] ^ v[2] ^ v[3]; g = (3 * i + 5) % 16; break;
			default: f = v[2] ^ (v[1] | ~v[3]); g = 7 * i % 16;
			}
			uint32_t word = 0;
			for (int k = 3; k >= 0; k--)
				word = word << 8 | text[at + 4 * (size_t)g + (size_t)k];
			uint32_t sum = v[0] + f + sine(i) + word;
			int t = turn[4 * (i / 16) + i % 4];
			uint32_t b = v[1] + (sum << t | sum >> (32 - t));
			v[0] = v[3], v[3] = v[2], v[2] = v[1], v[1] = b;
		}
		for (int i = 0; i < 4; i++)
			s[i] += v[i];
	}
	for (int i = 0; i < 16; i++)
		out[i] = (uint8_t)(s[i / 4] >> (8 * (i % 4)));
}

static bool vector_holds(const char *text, const char *want)
{
	uint8_t d[16];
	char hex[33];
	md5((const uint8_t *)text, strlen(text), d);
	for (int i = 0; i < 16; i++)
		snprintf(hex + 2 * i, 3, "%02x", d[i]);
	return !strcmp(hex, want);
}

/* RFC 1321, appendix A.5. */
static void check_reference(struct workload *w)
{
	static const char *const v[][2] = {
		{"", "d41d8cd98f00b204e9800998ecf8427e"},
		{"a", "0cc175b9c0f1b6a831c399e269772661"},
		{"abc", "900150983cd24fb0d6963f7d28e17f72"},
		{"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
		{"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
		{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
		 "d174ab98d277d9f5a5611c2c9f419d9f"},
		{"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
		 "57edf4a22be3c955ac49da2e2107b67a"},
	};
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		check_true(w, "an RFC 1321 vector", vector_holds(v[i][0], v[i][1]));
}

/* ---- host ---- */

struct level {
	int pieces, words, step, threads, share;
};

/* Hashes one level on the GPU, checks it, and leaves its digests in data. */
static void hash_level(struct workload *w, std::vector<uint32_t> &data, struct level l)
{
	std::vector<uint32_t> digest(4 * (size_t)l.pieces), want(digest.size());
	uint32_t *din = to_device(data), *dout = on_device<uint32_t>(digest.size());
	int blocks = (l.pieces + l.share - 1) / l.share;
	md5_pieces<<<blocks, l.threads>>>(dout, din, l.pieces, l.words, l.step, l.share);
	CUDA_LAUNCHED();
	from_device(digest, dout);
	for (int p = 0; p < l.pieces; p++)
		md5((const uint8_t *)&data[(size_t)p * l.step], 4 * (size_t)l.words, (uint8_t *)&want[4 * (size_t)p]);
	check_equal(w, "digest", digest, want);
	CUDA(cudaFree(din));
	CUDA(cudaFree(dout));
	data.swap(digest);
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("STO", argc, argv);
	workload_options_end(&w);
	int bytes = workload_pick(&w, 12, 48, 192) * 1024;
	std::vector<uint32_t> data((size_t)bytes / 4);
	for (uint32_t &x : data)
		x = rng_u32(&w.rng);
	uint32_t table[64];
	for (int i = 0; i < 64; i++)
		table[i] = sine(i);
	CUDA(cudaMemcpyToSymbol(md5_sine, table, sizeof table));
	check_reference(&w);
	int pieces = (bytes - 52) / 4 + 1;
	struct level windows = {pieces, 13, 1, MAX_THREADS, 189};
	hash_level(&w, data, windows);
	while (pieces > 2) {
		pieces = (pieces + 7) / 8;
		if (pieces < 2)
			pieces = 2;
		data.resize((size_t)pieces * WORDS_MAX, 0); /* a level is filled up with zeros */
		int threads = pieces < MAX_THREADS ? pieces : MAX_THREADS;
		struct level digests = {pieces, WORDS_MAX, WORDS_MAX, threads, threads};
		hash_level(&w, data, digests);
	}
	return workload_finish(&w);
}
