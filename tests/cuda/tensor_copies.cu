// Random tensor copies of one box: tile and im2col, plain and interleaved, loads, stores, reductions, coordinates outside.
//   tensor_copies SEED FIRST LAST KIND [text]     KIND plain: few cases break a rule of the copy; fault: many do
// Prints KIND, the number and a hash of each case, or (text) its arguments and a hash of each 64 bytes that the copy has
// written. Exits with 3 after a case that ends in an error, since the context is lost then.
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <cstdarg>
#include <string>

static uint64_t state;
static uint32_t rnd()
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33);
}
static uint32_t below(uint32_t n) { return n ? rnd() % n : 0; }
static int in(int lo, int hi) { return lo + (int)below((uint32_t)(hi - lo + 1)); }

static std::string text; // of the present case
static void say(const char *fmt, ...)
{
	char b[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(b, sizeof b, fmt, ap);
	va_end(ap);
	text += b;
}

enum { LOAD, STORE, REDUCE };
enum { DUMP = 64 << 10, TENSOR = 1 << 20 };
struct job {
	int rank, what, im2col, op;
	int at[5];
	int off[3];
	unsigned base;
	unsigned fill;
};

#define C1 "{%2}"
#define C2 "{%2, %3}"
#define C3 "{%2, %3, %4}"
#define C4 "{%2, %3, %4, %5}"
#define C5 "{%2, %3, %4, %5, %6}"
#define IN                                                                                         \
	"r"(s), "l"(&m), "r"(j.at[0]), "r"(j.at[1]), "r"(j.at[2]), "r"(j.at[3]), "r"(j.at[4]),     \
		"r"(b), "h"((short)j.off[0]), "h"((short)j.off[1]), "h"((short)j.off[2])
#define LD(R, C)                                                                                   \
	asm volatile("cp.async.bulk.tensor." #R                                                    \
		     "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " C    \
		     "], [%7];" ::IN                                                               \
		     : "memory")
#define LI(R, C, O)                                                                                \
	asm volatile("cp.async.bulk.tensor." #R                                                    \
		     "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, " C  \
		     "], [%7], " O ";" ::IN                                                        \
		     : "memory")
#define ST(R, C)                                                                                   \
	asm volatile("cp.async.bulk.tensor." #R "d.global.shared::cta.tile.bulk_group [%1, " C     \
		     "], [%0];" ::IN                                                               \
		     : "memory")
#define SI(R, C)                                                                                   \
	asm volatile("cp.async.bulk.tensor." #R                                                    \
		     "d.global.shared::cta.im2col_no_offs.bulk_group [%1, " C "], [%0];" ::IN      \
		     : "memory")
#define RD(R, OP, C)                                                                               \
	asm volatile("cp.reduce.async.bulk.tensor." #R "d.global.shared::cta." OP                  \
		     ".tile.bulk_group [%1, " C "], [%0];" ::IN                                    \
		     : "memory")
#define RI(R, OP, C)                                                                               \
	asm volatile("cp.reduce.async.bulk.tensor." #R "d.global.shared::cta." OP                  \
		     ".im2col_no_offs.bulk_group [%1, " C "], [%0];" ::IN                          \
		     : "memory")
#define OPS(R, C)                                                                                  \
	switch (j.op) {                                                                            \
	case 0: RD(R, "add", C); break;                                                            \
	case 1: RD(R, "min", C); break;                                                            \
	case 2: RD(R, "max", C); break;                                                            \
	case 3: RD(R, "inc", C); break;                                                            \
	case 4: RD(R, "dec", C); break;                                                            \
	case 5: RD(R, "and", C); break;                                                            \
	case 6: RD(R, "or", C); break;                                                             \
	default: RD(R, "xor", C);                                                                  \
	}

__global__ void copy(const __grid_constant__ CUtensorMap m, job j, unsigned *out, uint64_t *word)
{
	extern __shared__ __align__(1024) unsigned char sm[];
	__shared__ uint64_t bar;
	unsigned raw = (unsigned)__cvta_generic_to_shared(sm),
		 s = (raw + 1023) / 1024 * 1024 + j.base,
		 b = (unsigned)__cvta_generic_to_shared(&bar);
	unsigned *w = (unsigned *)(sm + (s - j.base - raw));
	for (unsigned i = threadIdx.x; i < DUMP / 4; i += blockDim.x)
		w[i] = j.what == LOAD ? 0xaaaaaaaa
		       : j.fill       ? j.fill * (i * 2654435761u >> 24)
				      : i * 2654435761u;
	if (!threadIdx.x)
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory");
	asm volatile("fence.proxy.async;" ::: "memory");
	__syncthreads();
	if (!threadIdx.x) {
		if (j.what == LOAD && !j.im2col) {
			switch (j.rank) {
			case 1: LD(1, C1); break;
			case 2: LD(2, C2); break;
			case 3: LD(3, C3); break;
			case 4: LD(4, C4); break;
			default: LD(5, C5);
			}
		} else if (j.what == LOAD) {
			switch (j.rank) {
			case 3: LI(3, C3, "{%8}"); break;
			case 4: LI(4, C4, "{%8, %9}"); break;
			default: LI(5, C5, "{%8, %9, %10}");
			}
		} else if (j.what == STORE && !j.im2col) {
			switch (j.rank) {
			case 1: ST(1, C1); break;
			case 2: ST(2, C2); break;
			case 3: ST(3, C3); break;
			case 4: ST(4, C4); break;
			default: ST(5, C5);
			}
		} else if (j.what == STORE) {
			switch (j.rank) {
			case 3: SI(3, C3); break;
			case 4: SI(4, C4); break;
			default: SI(5, C5);
			}
		} else if (!j.im2col) {
			switch (j.rank) {
			case 1: OPS(1, C1); break;
			case 2: OPS(2, C2); break;
			case 3: OPS(3, C3); break;
			case 4: OPS(4, C4); break;
			default: OPS(5, C5);
			}
		} else {
			switch (j.rank) {
			case 3: RI(3, "add", C3); break;
			case 4: RI(4, "add", C4); break;
			default: RI(5, "add", C5);
			}
		}
		if (j.what == LOAD) {
			for (int i = 0; i < 30; i++)
				asm volatile("nanosleep.u32 5000;");
			asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(b) : "memory");
			*word = *(volatile uint64_t *)&bar;
		} else {
			asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::
					     : "memory");
			*word = 0;
		}
	}
	__syncthreads();
	for (unsigned i = threadIdx.x; i < DUMP / 4; i += blockDim.x)
		out[i] = ((volatile unsigned *)w)[i];
}

struct map {
	int type, rank, im2col, inter, swz, oob;
	unsigned addr;
	uint64_t dim[5], stride[5];
	unsigned box[5], es[5], chan, pix;
	int lo[3], up[3];
};
static const unsigned width[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
static uint64_t extent(const map &a) // bytes from the address on that the tensor has
{
	uint64_t n = a.dim[0] * (a.inter ? 16u * a.inter : width[a.type]);
	for (int i = 1; i < a.rank; i++)
		n += (a.dim[i] - 1) * a.stride[i - 1];
	return (n + 15) / 16 * 16;
}
static void choose(map *a, job *j, bool fault)
{
	memset(a, 0, sizeof *a), memset(j, 0, sizeof *j);
	unsigned kind = below(10);
	j->what = kind < 6 ? LOAD : kind < 8 ? STORE : REDUCE;
	a->im2col = j->im2col = below(3) == 0;
	a->type = (int)below(13);
	if (j->what == REDUCE) {
		static const int types[] = {2, 3, 4, 5, 6, 7, 8, 9, 2, 3};
		a->type = types[below(10)];
		bool fl = a->type >= 6;
		static const int bits[] = {5, 6, 7};
		j->op = fl                              ? 0
			: a->type == 5                  ? 1 + (int)below(2)
			: a->type == 2 && below(3) == 0 ? 3 + (int)below(2)
			: below(2)                      ? bits[below(3)]
							: (int)below(3);
		if (a->type == 6 || a->type == 9)
			j->op = (int)below(3);
		if (a->im2col)
			j->op = 0;
		if (a->im2col && a->type == 5)
			a->type = 4;
		if (fault && below(2))
			j->op = (int)below(8), a->type = (int)below(11);
	}
	a->rank = a->im2col ? in(3, 5) : in(1, 5);
	unsigned w = width[a->type];
	a->inter = a->rank >= 3 && below(4) == 0 ? in(1, 2) : 0;
	a->swz = a->inter == 2 ? 1 : a->inter == 1 ? (int)below(2) * 0 : (int)below(4);
	if (a->inter == 2 && below(3) == 0)
		a->swz = 0;
	a->oob = a->type >= 6 && below(3) == 0;
	unsigned slice = a->inter ? 16u * a->inter : w;
	a->addr = (a->inter == 2 ? 32 : 16) * below(64);
	unsigned most = a->rank <= 2 ? 64 : a->rank == 3 ? 20 : a->rank == 4 ? 9 : 6;
	uint64_t s = 0;
	unsigned unit = a->inter == 2 ? 32 : 16;
	for (int i = 0; i < a->rank; i++) {
		a->dim[i] = 1 + below(i ? most : a->inter ? 12 : 16 / w * 8);
		if (!i && below(2) && !a->inter)
			a->dim[i] = (a->dim[i] + 16 / w - 1) / (16 / w) * (16 / w);
		s = i ? s * a->dim[i] : a->dim[0] * slice;
		s = (s + unit - 1) / unit * unit + (below(3) ? 0 : unit * below(4));
		a->stride[i] = s;
		a->es[i] = below(3) ? 1 : 1 + below(j->what == LOAD ? 8 : 4);
		a->box[i] = 1 + below(a->rank <= 2 ? 24 : a->rank == 3 ? 8 : 5);
	}
	unsigned span = a->swz ? 16u << a->swz : below(2) ? 64 : 256;
	a->box[0] = 16 * (1 + below(span / 16)) / w;
	if (a->box[0] > 256)
		a->box[0] = 256;
	if (a->inter)
		a->box[0] = 16 / w * (1 + below(4));
	if (a->inter)
		a->box[a->rank - 2] = 1 + below(3 * 16 / w);
	a->chan = a->box[0];
	if (a->inter && a->im2col)
		a->chan = 16 / w * (1 + below(4));
	a->pix = 1 + below(60);
	for (int i = 0; i + 2 < a->rank; i++) {
		int r = a->rank == 5 ? 5 : 9;
		bool odd = below(12) == 0;
		int size = (int)a->dim[a->inter ? i : i + 1];
		do
			a->lo[i] = in(-r, r / 2), a->up[i] = in(-r, r / 2);
		while (!odd && size + a->up[i] - a->lo[i] <= 0);
		if (j->what != LOAD && !odd)
			a->lo[i] = (int)below(size > 1 ? 2 : 1),
			a->up[i] = size - a->lo[i] > 1 ? -(int)below(2) : 0;
		j->off[i] = (int)below(6);
	}
	for (int i = 0; i < a->rank; i++) {
		int d = (int)a->dim[i], b = (int)a->box[i];
		j->at[i] =
			j->what == LOAD || a->im2col ? in(-(b < 4 ? 4 : b), d + 2) : in(0, d + 1);
		if (below(2))
			j->at[i] = in(0, d > 1 ? d - 1 : 0);
	}
	if (a->im2col) {
		for (int i = 0; i + 2 < a->rank; i++) {
			int o = a->inter ? 0 : 1, lo = a->lo[i],
			    hi = (int)a->dim[i + o] + a->up[i] - 1;
			j->at[i + o] = hi >= lo ? in(lo, hi) : lo;
			if (below(25) == 0)
				j->at[i + o] =
					below(2) ? hi + 1 + (int)below(3) : lo - 1 - (int)below(3);
		}
		j->at[a->rank - 1] =
			in(j->what == LOAD && below(4) == 0 ? -1 : 0, (int)a->dim[a->rank - 1]);
		if (a->inter)
			j->at[a->rank - 2] = in(j->what == LOAD ? -1 : 0, (int)a->dim[a->rank - 2]);
		if (j->what != LOAD && !a->inter && j->at[0] < 0)
			j->at[0] = 0;
	}
	if (!a->inter && !(fault && below(2))) { // on 16 bytes
		int q = 16 / (int)w;
		j->at[0] = (j->at[0] >= 0 ? j->at[0] / q : -((-j->at[0]) / q)) * q;
	}
	if (!fault && j->what != LOAD && !a->im2col)
		for (int i = 0; i < a->rank; i++)
			if (j->at[i] < 0)
				j->at[i] = 0;
	if (fault && below(2))
		j->at[below((uint32_t)a->rank)] = -1 - (int)below(20);
	j->rank = a->rank;
	j->base = below(2) ? 0 : 128 * below(8);
	j->fill = j->what == REDUCE ? (a->type >= 6 ? 0x00010001 : 0) : 0;
}
static unsigned boxed(const map &a) // bytes that the copy takes in shared memory, at most
{
	unsigned w = width[a.type], span = a.swz ? 16u << a.swz : 0;
	uint64_t n = 1;
	if (a.im2col) {
		uint64_t row = a.chan * w;
		if (row < span)
			row = span;
		if (a.inter)
			row = 2 * ((row + 31) / 32 * 32);
		return (unsigned)(row * a.pix);
	}
	for (int i = 1; i < a.rank; i++)
		n *= a.inter ? a.box[i] : (a.box[i] + a.es[i] - 1) / a.es[i];
	uint64_t row = a.box[0] * w;
	if (a.inter)
		row = 32ull * a.box[0];
	if (row < span)
		row = span;
	n *= row;
	return n > 1u << 30 ? 1u << 30 : (unsigned)n;
}
static void hashes(const char *what, const unsigned char *p, unsigned n, const unsigned char *was)
{
	say(" %s", what);
	unsigned same = 0;
	for (unsigned i = 0; i < n; i += 64) {
		if (was ? !memcmp(p + i, was + i, 64) : [&] {
			    for (int k = 0; k < 64; k++)
				    if (p[i + k] != 0xaa)
					    return false;
			    return true;
		    }()) {
			same++;
			continue;
		}
		uint32_t h = 2166136261u;
		for (int k = 0; k < 64; k++)
			h = (h ^ p[i + k]) * 16777619u;
		if (same)
			say(" +%u", same);
		same = 0;
		say(" %08x", h);
	}
}
static void end(const char *kind, int k, bool all)
{
	uint32_t h = 2166136261u;
	for (char c : text)
		h = (h ^ (unsigned char)c) * 16777619u;
	if (all)
		printf("%d %s\n", k, text.c_str());
	else
		printf("%s %d %08x\n", kind, k, h);
	text.clear();
}
int main(int argc, char **argv)
{
	uint64_t seed = strtoull(argv[1], 0, 0);
	int first = atoi(argv[2]), last = atoi(argv[3]);
	bool fault = !strcmp(argv[4], "fault"), all = argc > 5;
	unsigned char *t;
	unsigned *out;
	uint64_t *word;
	static unsigned char h0[TENSOR], h1[TENSOR], d[DUMP];
	cudaMalloc(&t, TENSOR);
	cudaMalloc(&out, DUMP);
	cudaMalloc(&word, 8);
	cudaFuncSetAttribute(copy, cudaFuncAttributeMaxDynamicSharedMemorySize, DUMP + 2048);
	for (int k = first; k < last; k++) {
		state = seed * 1000003 + (uint64_t)k;
		for (int i = 0; i < 4; i++)
			rnd();
		map a;
		job j;
		do
			choose(&a, &j, fault);
		while (boxed(a) > DUMP - 2048 || extent(a) + a.addr + 64 > TENSOR / 2);
		bool fl = j.what == REDUCE && a.type >= 6;
		for (unsigned i = 0; i < TENSOR; i++)
			h0[i] = (unsigned char)((i * 2654435761u) >> 13);
		if (fl)
			memset(h0, 0, sizeof h0);
		CUtensorMap m;
		CUresult rc;
		uint64_t base = (uint64_t)t + (64 << 10) + a.addr;
		if (a.im2col)
			rc = cuTensorMapEncodeIm2col(
				&m, (CUtensorMapDataType)a.type, a.rank, (void *)base,
				(cuuint64_t *)a.dim, (cuuint64_t *)a.stride, a.lo, a.up, a.chan,
				a.pix, a.es, (CUtensorMapInterleave)a.inter,
				(CUtensorMapSwizzle)a.swz, CU_TENSOR_MAP_L2_PROMOTION_NONE,
				(CUtensorMapFloatOOBfill)a.oob);
		else
			rc = cuTensorMapEncodeTiled(
				&m, (CUtensorMapDataType)a.type, a.rank, (void *)base,
				(cuuint64_t *)a.dim, (cuuint64_t *)a.stride, a.box, a.es,
				(CUtensorMapInterleave)a.inter, (CUtensorMapSwizzle)a.swz,
				CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)a.oob);
		static const char *ops[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
		say("%s%s%s t%d r%d a%u i%d s%d o%d B%u",
		    j.what == LOAD    ? "load"
		    : j.what == STORE ? "store"
				      : "reduce-",
		    j.what == REDUCE ? ops[j.op] : "", a.im2col ? "-im2col" : "", a.type, a.rank,
		    a.addr, a.inter, a.swz, a.oob, j.base);
		for (int i = 0; i < a.rank; i++)
			say("%s%d", i ? "x" : " d", (int)a.dim[i]);
		for (int i = 0; i + 1 < a.rank; i++)
			say("%s%d", i ? "x" : " p", (int)a.stride[i]);
		for (int i = 0; i < a.rank; i++)
			say("%s%u", i ? "x" : " e", a.es[i]);
		if (!a.im2col)
			for (int i = 0; i < a.rank; i++)
				say("%s%u", i ? "x" : " b", a.box[i]);
		else {
			for (int i = 0; i + 2 < a.rank; i++)
				say("%s%d,%d,%d", i ? "x" : " w", a.lo[i], a.up[i], j.off[i]);
			say(" c%u p%u", a.chan, a.pix);
		}
		for (int i = 0; i < a.rank; i++)
			say("%s%d", i ? "," : " @", j.at[i]);
		say(" = %d", (int)rc);
		if (rc) {
			end(argv[4], k, all);
			continue;
		}
		cudaMemcpy(t, h0, TENSOR, cudaMemcpyHostToDevice);
		copy<<<1, 256, DUMP + 1024>>>(m, j, out, word);
		cudaError_t e = cudaDeviceSynchronize();
		if (e) {
			say(" error %d", (int)e);
			end(argv[4], k, all);
			return 3;
		}
		uint64_t wd;
		cudaMemcpy(&wd, word, 8, cudaMemcpyDeviceToHost);
		if (j.what == LOAD) {
			cudaMemcpy(d, out, DUMP, cudaMemcpyDeviceToHost);
			say(" word %llx", (unsigned long long)wd);
			hashes("shared", d, DUMP, 0);
		} else {
			cudaMemcpy(h1, t, TENSOR, cudaMemcpyDeviceToHost);
			hashes("tensor", h1, TENSOR, h0);
		}
		end(argv[4], k, all);
	}
	return 0;
}
