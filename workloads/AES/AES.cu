/*
 * AES: AES-128 encryption of a 256x256 image, block by block (ECB).
 *
 * Used by: hws (thesis, section 5.2), stsimt (Table II: 257 blocks of 256 threads).
 * Geometry: one thread for each 32-bit column of the state, four threads an AES block, 64 AES blocks a
 *   thread block. A 256x256 bitmap with four bytes a pixel and its 54-byte head makes 16,388 AES blocks
 *   after padding: 257 thread blocks.
 * Memory: round keys and the four round tables (4 KB) in constant memory; the tables are copied to
 *   shared memory, where lookups of different threads do not serialise; the state is exchanged between
 *   the four threads of an AES block through shared memory.
 * Input: synthetic. A bitmap with a smooth gradient and noise, a random key.
 * Check: every byte against byte-wise AES without tables (S-box computed in GF(2^8)); that one against
 *   the test vector of FIPS-197, appendix C.1.
 */
#include "../common/workload.h"

enum { THREADS = 256, ROUNDS = 10, HEAD = 54 };

__constant__ uint32_t round_key[4 * (ROUNDS + 1)];
__constant__ uint32_t round_table[4][256]; /* S-box and column mix in one, for each row */
__constant__ uint8_t sbox_table[256];

static __device__ uint32_t byte_of(uint32_t word, int i)
{
	return (word >> (8 * i)) & 0xff;
}

/* Columns are little-endian words: row r of a column is byte r. Row r of the next column c comes from
 * column c + r, which is the shift of rows. */
__global__ void encrypt(uint32_t *out, const uint32_t *in, int columns)
{
	__shared__ uint32_t table[4][256];
	__shared__ uint8_t sbox[256];
	__shared__ uint32_t state[2][THREADS];
	int t = threadIdx.x, i = blockIdx.x * THREADS + t, first = t & ~3, c = t & 3;
	for (int r = 0; r < 4; r++)
		table[r][t] = round_table[r][t];
	sbox[t] = sbox_table[t];
	state[0][t] = (i < columns ? in[i] : 0) ^ round_key[c];
	__syncthreads();
	int now = 0;
	for (int round = 1; round < ROUNDS; round++) {
		uint32_t word = round_key[4 * round + c];
		for (int r = 0; r < 4; r++)
			word ^= table[r][byte_of(state[now][first + ((c + r) & 3)], r)];
		now ^= 1;
		state[now][t] = word;
		__syncthreads();
	}
	uint32_t word = 0;
	for (int r = 0; r < 4; r++)
		word |= (uint32_t)sbox[byte_of(state[now][first + ((c + r) & 3)], r)] << (8 * r);
	if (i < columns)
		out[i] = word ^ round_key[4 * ROUNDS + c];
}

/* ---- AES from its definition ---- */

static uint8_t gf_mul(uint8_t a, uint8_t b)
{
	uint8_t p = 0;
	for (int i = 0; i < 8; i++, b >>= 1) {
		if (b & 1)
			p ^= a;
		a = (uint8_t)((a << 1) ^ (a & 0x80 ? 0x1b : 0));
	}
	return p;
}

static uint8_t substitute(uint8_t x)
{
	uint8_t inv = 1; /* x to the power 254 is its inverse, and 0 stays 0 */
	for (int i = 0; i < 254; i++)
		inv = gf_mul(inv, x);
	uint8_t s = 0x63;
	for (int i = 0; i < 5; i++)
		s ^= (uint8_t)((inv << i) | (inv >> (8 - i)));
	return s;
}

static uint8_t sbox_host[256];

static void expand_key(uint8_t key[16 * (ROUNDS + 1)], const uint8_t first[16])
{
	memcpy(key, first, 16);
	uint8_t rcon = 1;
	for (int i = 16; i < 16 * (ROUNDS + 1); i += 4) {
		uint8_t w[4];
		memcpy(w, key + i - 4, 4);
		if (i % 16 == 0) {
			uint8_t w0 = w[0];
			w[0] = sbox_host[w[1]] ^ rcon;
			w[1] = sbox_host[w[2]];
			w[2] = sbox_host[w[3]];
			w[3] = sbox_host[w0];
			rcon = gf_mul(rcon, 2);
		}
		for (int k = 0; k < 4; k++)
			key[i + k] = key[i - 16 + k] ^ w[k];
	}
}

static void mix_column(uint8_t *c)
{
	uint8_t a[4];
	memcpy(a, c, 4);
	for (int r = 0; r < 4; r++)
		c[r] = gf_mul(a[r], 2) ^ gf_mul(a[(r + 1) & 3], 3) ^ a[(r + 2) & 3] ^ a[(r + 3) & 3];
}

static void encrypt_block(uint8_t *out, const uint8_t *in, const uint8_t *key)
{
	uint8_t s[16], moved[16];
	for (int i = 0; i < 16; i++)
		s[i] = in[i] ^ key[i];
	for (int round = 1; round <= ROUNDS; round++) {
		for (int i = 0; i < 16; i++) /* byte i is row i % 4 of column i / 4 */
			moved[i] = sbox_host[s[(i + 4 * (i % 4)) % 16]];
		for (int c = 0; c < 4 && round < ROUNDS; c++)
			mix_column(moved + 4 * c);
		for (int i = 0; i < 16; i++)
			s[i] = moved[i] ^ key[16 * round + i];
	}
	memcpy(out, s, 16);
}

/* FIPS-197, appendix C.1. */
static bool reference_is_right(void)
{
	static const uint8_t want[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7,
		0x80, 0x70, 0xb4, 0xc5, 0x5a};
	uint8_t plain[16], first[16], key[16 * (ROUNDS + 1)], out[16];
	for (int i = 0; i < 16; i++) {
		first[i] = (uint8_t)i;
		plain[i] = (uint8_t)(17 * i);
	}
	expand_key(key, first);
	encrypt_block(out, plain, key);
	return !memcmp(out, want, 16);
}

/* ---- host ---- */

static void upload_tables(const uint8_t *key)
{
	uint32_t keys[4 * (ROUNDS + 1)], tables[4][256];
	memcpy(keys, key, sizeof keys);
	for (int r = 0; r < 4; r++) {
		for (int x = 0; x < 256; x++) {
			uint8_t c[4] = {0, 0, 0, 0};
			c[r] = sbox_host[x];
			mix_column(c);
			tables[r][x] = c[0] | c[1] << 8 | c[2] << 16 | (uint32_t)c[3] << 24;
		}
	}
	CUDA(cudaMemcpyToSymbol(round_key, keys, sizeof keys));
	CUDA(cudaMemcpyToSymbol(round_table, tables, sizeof tables));
	CUDA(cudaMemcpyToSymbol(sbox_table, sbox_host, sizeof sbox_host));
}

static std::vector<uint8_t> make_image(struct rng *r, int side)
{
	size_t size = HEAD + 4 * (size_t)side * side;
	std::vector<uint8_t> image((size + 15) / 16 * 16, 0);
	image[0] = 'B';
	image[1] = 'M';
	for (int y = 0; y < side; y++)
		for (int x = 0; x < side; x++)
			for (int k = 0; k < 4; k++)
				image[HEAD + 4 * ((size_t)y * side + x) + k] =
					(uint8_t)(x * (k + 1) + y * (3 - k) + (rng_u32(r) & 7));
	return image;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("AES", argc, argv);
	workload_options_end(&w);
	int side = workload_pick(&w, 64, 128, 256);
	for (int x = 0; x < 256; x++)
		sbox_host[x] = substitute((uint8_t)x);
	uint8_t first[16], key[16 * (ROUNDS + 1)];
	for (int i = 0; i < 16; i++)
		first[i] = (uint8_t)rng_u32(&w.rng);
	expand_key(key, first);
	upload_tables(key);
	std::vector<uint8_t> plain = make_image(&w.rng, side), cipher(plain.size()), want(plain.size());
	uint8_t *din = to_device(plain), *dout = on_device<uint8_t>(plain.size());
	int columns = (int)(plain.size() / 4);
	encrypt<<<(columns + THREADS - 1) / THREADS, THREADS>>>((uint32_t *)dout, (const uint32_t *)din,
	                                                        columns);
	CUDA_LAUNCHED();
	from_device(cipher, dout);
	for (size_t i = 0; i < plain.size(); i += 16)
		encrypt_block(&want[i], &plain[i], key);
	check_true(&w, "the FIPS-197 vector", reference_is_right());
	check_equal(&w, "cipher", cipher, want);
	return workload_finish(&w);
}
