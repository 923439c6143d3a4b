/* Many features of the language, a kernel each. nvcc 13 for sm_75, sm_80, sm_90 and clang 14, 19, 22 give
 * the results that tests/program/variety.test expects; variety.ptx is by clang 14. */
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
#define K extern "C" __global__ void
#define I unsigned i = blockIdx.x * blockDim.x + threadIdx.x

template <int N> struct Poly { static __device__ unsigned eval(unsigned x, const unsigned *c) { return c[0] + x * Poly<N - 1>::eval(x, c + 1); } };
template <> struct Poly<0> { static __device__ unsigned eval(unsigned, const unsigned *c) { return c[0]; } };
K templates(const unsigned *in, unsigned *out, int n) { I; if (i < n) out[i] = Poly<7>::eval(in[i], in); }

struct Shape { unsigned k; __device__ Shape(unsigned k) : k(k) {} __device__ virtual unsigned area(unsigned x) const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape { __device__ Square(unsigned k) : Shape(k) {} __device__ unsigned area(unsigned x) const override { return k * x * x; } };
struct Rect : Shape { unsigned h; __device__ Rect(unsigned k, unsigned h) : Shape(k), h(h) {} __device__ unsigned area(unsigned x) const override { return k + x * h; } };
struct Tri : Rect { __device__ Tri(unsigned k, unsigned h) : Rect(k, h) {} __device__ unsigned area(unsigned x) const override { return Rect::area(x) / 2; } };
K virtuals(const unsigned *in, unsigned *out, int n)
{
	I; if (i >= n) return;
	Square s(in[i] & 7); Rect r(in[i] & 15, 5); Tri t(9, in[i] & 3);
	Shape *all[3] = {&s, &r, &t};
	unsigned x = 0;
	for (int k = 0; k < 5; k++) x = x * 31 + all[(in[i] + k * 7) % 3]->area(i + k);
	out[i] = x;
}
template <class F> __device__ unsigned fold(unsigned n, F f) { unsigned a = 0; for (unsigned k = 0; k < n; k++) a = f(a, k); return a; }
K lambdas(const unsigned *in, unsigned *out, int n)
{
	I; if (i >= n) return;
	unsigned m = in[i] % 10 + 1;
	auto f = [=](unsigned a, unsigned k) { return a * m + k; };
	unsigned (*g)(unsigned, unsigned) = [](unsigned a, unsigned b) { return a ^ b << 3; };
	out[i] = fold(m, f) + g(m, i);
}
K switches(const unsigned *in, unsigned *out, int n)
{
	I; if (i >= n) return;
	unsigned s = in[i], a = i;
	for (int k = 0; k < 12; k++, s >>= 2)
		switch ((s ^ a) % 11) {
		case 0: a += 3; break; case 1: a *= 5; /* fall */ case 2: a ^= 0x55; break;
		case 3: a = a << 3 | a >> 29; break; case 4: if (a & 1) continue; a--; break;
		case 5: a = ~a; break; case 6: case 7: a -= s; break; case 8: a = __brev(a); break;
		case 9: out[i] = a; break; default: a += __popc(s);
		}
	out[i] ^= a;
}
__device__ __noinline__ unsigned ack(unsigned m, unsigned n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
__device__ unsigned odd(unsigned n); __device__ __noinline__ unsigned even(unsigned n) { return n == 0 ? 1 : odd(n - 1) * 3; }
__device__ __noinline__ unsigned odd(unsigned n) { return n == 0 ? 2 : even(n - 1) + 1; }
K recursion(const unsigned *in, unsigned *out, int n) { I; if (i < n) out[i] = ack(in[i] % 3, in[i] / 3 % 5) + even(in[i] % 13); }

struct Big { unsigned char tag; double d; short s[3]; struct { int x, y; } p; long long q; };
__device__ __noinline__ Big twist(Big b, int k) { b.tag += k; b.d *= 1.5; b.s[k % 3] -= k; int t = b.p.x; b.p.x = b.p.y + k; b.p.y = t; b.q = b.q * 3 - b.tag; return b; }
K structs(const unsigned *in, unsigned *out, int n)
{
	I; if (i >= n) return;
	Big b = {(unsigned char)in[i], in[i] * 0.25, {1, 2, (short)in[i]}, {(int)i, -3}, 1ll << 40 | in[i]};
	for (int k = 0; k < 4; k++) b = twist(b, k + (in[i] & 1));
	out[i] = b.tag + (unsigned)(long long)b.d + b.s[0] + b.s[1] * 3 + b.s[2] * 7 + b.p.x * 11 + b.p.y * 13 + (unsigned)(b.q >> 7);
}
K locals(const unsigned *in, unsigned *out, int n)
{
	I; if (i >= n) return;
	unsigned char h[64]; unsigned long long w[8];
	for (int k = 0; k < 64; k++) h[k] = (in[(i + k) % n] >> (k & 7)) & 63;
	for (int k = 0; k < 8; k++) w[k] = 0;
	for (int k = 0; k < 64; k++) w[h[h[k]] & 7] += (unsigned long long)h[k] << (h[63 - k] & 31);
	unsigned long long s = 0; for (int k = 0; k < 8; k++) s = s * 131 + w[k];
	out[i] = (unsigned)(s ^ s >> 32);
}
K shuffles(const unsigned *in, unsigned *out, int n)
{
	I; unsigned v = i < n ? in[i] : 0;
	unsigned b = __ballot_sync(~0u, v & 1), a = __any_sync(~0u, v == 7);
	v += __shfl_sync(~0u, v, (threadIdx.x * 7) & 31) ^ __shfl_up_sync(~0u, v, 3, 16);
	for (int k = 16; k; k >>= 1) v += __shfl_xor_sync(~0u, v, k, 32) * (k + 1);
	unsigned long long d = __shfl_down_sync(~0u, (unsigned long long)v << 20 | b, 5);
	if (threadIdx.x & 4) v ^= __shfl_sync(__activemask(), v, 4 + (threadIdx.x & 8));
	if (i < n) out[i] = v + b + a + (unsigned)(d >> 9) + __popc(__match_any_sync(__activemask(), in[i] & 3));
}
K groups(const unsigned *in, unsigned *out, int n)
{
	I; auto block = cg::this_thread_block(); auto tile = cg::tiled_partition<8>(block);
	__shared__ unsigned s[256];
	unsigned v = in[i % n];
	for (int k = tile.size() / 2; k; k /= 2) v += tile.shfl_down(v, k);
	v = tile.shfl(v, 0) + tile.meta_group_rank();
	s[block.thread_rank()] = v; block.sync();
	v += s[block.size() - 1 - block.thread_rank()];
	if (v & 1) { auto g = cg::coalesced_threads(); v += g.size() * 16 + g.thread_rank(); }
	if (i < n) out[i] = v + tile.any(v == 5) + tile.ballot(v & 2);
}
K halves(const unsigned *in, unsigned *out, int n)
{
	I; if (i >= n) return;
	__half2 a = __floats2half2_rn((in[i] & 255) * 0.125f, (in[i] >> 8 & 255) - 100.0f), b = __float2half2_rn(1.5f);
	a = __hadd2(__hmul2(a, b), __half2half2(__int2half_rn(i & 31)));
	a = __hmax2(a, __hneg2(b)); __half c = hsqrt(__habs(__low2half(a)));
	out[i] = *(unsigned *)&a + __half_as_ushort(c) + (__hgt(__low2half(a), __high2half(a)) ? 1 << 20 : 0) + (unsigned)__half2int_rz(__high2half(a));
}
K doubles(const unsigned *in, unsigned *out, int n)
{
	I; if (i >= n) return;
	double x = in[i] * 1e-3 + 0.5, y = (double)i - 7.25;
	double r = sqrt(x) / y + fma(x, y, -x) + floor(y) * ceil(x) + fmin(x, y) + trunc(x / 3) + copysign(x, y) + rint(y * 0.3) + fabs(y) + (y > 0 ? 1 / x : -x);
	long long b = __double_as_longlong(r); out[i] = (unsigned)(b ^ b >> 32) + (unsigned)(long long)r + __double2int_rd(y) + __double2uint_ru(x);
}
K atomics64(const unsigned *in, unsigned *out, int n)
{
	I; if (i >= n) return;
	unsigned long long *q = (unsigned long long *)out;
	atomicAdd(&q[i % 16], (unsigned long long)in[i] << 17); atomicMax(&q[16 + i % 8], (unsigned long long)in[i] * i);
	atomicXor(&q[32 + i % 4], (unsigned long long)in[i] << (i & 31)); atomicMin((unsigned *)&q[40], in[i]);
	atomicAdd((float *)&q[41] , (float)(in[i] & 7)); atomicAdd((double *)&q[42], (double)(in[i] & 15));
	unsigned long long old = q[44], want; do { want = old; old = atomicCAS(&q[44], want, want + in[i]); } while (old != want);
	atomicInc((unsigned *)&q[45], 100); atomicDec((unsigned *)&q[46], 77); atomicAnd((unsigned *)&q[47], in[i] | ~255u);
}
K volatiles(const unsigned *in, unsigned *out, int n)
{
	__shared__ volatile unsigned s[64]; I; unsigned t = threadIdx.x & 31, w = threadIdx.x / 32 * 32 & 63;
	if (threadIdx.x < 64) s[threadIdx.x] = in[i % n];
	__syncthreads();
	if (threadIdx.x < 64) { for (int k = 16; k; k >>= 1) { unsigned v = s[w + (t + k) % 32]; __syncwarp(); s[w + t] = s[w + t] + v; __syncwarp(); } if (i < n) out[i] = s[w + t]; }
}
K inlineptx(const unsigned *in, unsigned *out, int n)
{
	I; if (i >= n) return; unsigned r, c, lane; unsigned long long w;
	asm("{ .reg .pred p; setp.gt.u32 p, %1, 1000; selp.u32 %0, %1, %2, p; }" : "=r"(r) : "r"(in[i]), "r"(i));
	asm("add.cc.u32 %0, %2, %3; addc.u32 %1, 0, 0;" : "=r"(c), "=r"(lane) : "r"(in[i]), "r"(0xfffffff0u));
	asm("mul.wide.u32 %0, %1, %2;" : "=l"(w) : "r"(r), "r"(c)); unsigned f, e, l3;
	asm("bfe.u32 %0, %1, 5, 9;" : "=r"(f) : "r"(r)); asm("prmt.b32 %0, %1, %2, 0x3175;" : "=r"(e) : "r"(r), "r"(c));
	asm volatile("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(l3) : "r"(r), "r"(c), "r"(f));
	out[i] = r + c * 3 + lane + (unsigned)(w >> 16) + f + e + l3;
}
K dynshared(const unsigned *in, unsigned *out, int n)
{
	extern __shared__ unsigned long long dyn[]; I; unsigned *u = (unsigned *)(dyn + 16);
	if (threadIdx.x < 16) dyn[threadIdx.x] = in[threadIdx.x];
	u[threadIdx.x] = in[i % n]; __syncthreads();
	for (unsigned k = 2; k <= blockDim.x; k <<= 1) for (unsigned j = k >> 1; j; j >>= 1) {
		unsigned o = threadIdx.x ^ j; if (o > threadIdx.x && ((threadIdx.x & k) == 0) == (u[threadIdx.x] > u[o])) { unsigned t = u[o]; u[o] = u[threadIdx.x]; u[threadIdx.x] = t; }
		__syncthreads(); }
	if (i < n) out[i] = u[threadIdx.x] + (unsigned)dyn[threadIdx.x & 15];
}
__constant__ float table[32] = {1, 2, 3, 5, 7, 11, 13, 17}; __device__ unsigned counter = 5; __device__ int (*fptr)(int);
__device__ int twice(int x) { return 2 * x; } __device__ int minus(int x) { return -x; }
K globals(const unsigned *in, unsigned *out, int n)
{
	I; if (i >= n) return; int (*f)(int) = in[i] & 1 ? twice : minus;
	out[i] = (unsigned)table[in[i] & 7] + f((int)in[i]) + counter + __clz(in[i]) + __ffs(in[i]) + __mul24(in[i], i) + __umulhi(in[i], 0xdeadbeef) + (unsigned)__mul64hi(in[i] * 0x100000001ll, -12345ll) + __byte_perm(in[i], i, 0x5140) + __sad(in[i], i, 3) + __funnelshift_l(in[i], i, 7);
	out[i] += (int)(in[i] - 12345) / 7 + (int)in[i] % (int)(i + 1) + (unsigned)((long long)in[i] * -97 / (i + 3)) + (unsigned)(((unsigned long long)in[i] << 21 | i) % 1000003);
}
K floats(const unsigned *in, unsigned *out, int n)
{
	I; if (i >= n) return; float x = (int)in[i] * 0.001f, y = i + 0.5f;
	float r = sqrtf(fabsf(x)) + x / y + fmaxf(x, y) + floorf(x) + __fmaf_rn(x, y, 1.0f) + __fadd_rz(x, y) + __fmul_ru(x, y) + rintf(y * 0.37f) + truncf(x) + (isnan(x) ? 1 : 2) + ldexpf(y, 3) + fmodf(fabsf(x), 8.0f) + (float)__float2int_rd(x);
	out[i] = __float_as_uint(r) + (unsigned)(int)x + __float2uint_rz(y) + __float_as_uint((float)(in[i] | 1ull << 40));
}
