/* The legacy interface of cuBLAS: each function gives the result of its v2 counterpart with equal
 * arguments. */
#include <cublas.h>
#include <stdio.h>
#include <string.h>

typedef cuDoubleComplex Z;
enum { MOST = 400 };
static int results, bad;
static cublasHandle_t h;

static Z *memory(int from)
{
	Z *p;
	cudaMallocManaged(&p, MOST * sizeof *p);
	for (int i = 0; i < MOST; i++)
		p[i] = {((i + from) * 7 % 11 - 5) / 4.0, ((i + from) * 5 % 13 - 6) / 4.0};
	for (int i = 0; i < 12; i++)
		p[i * 13] = {4, 1};
	return p;
}
template <class Old, class New> static void alike(const char *what, Old first, New second)
{
	Z *m[2][3] = {{memory(1), memory(2), memory(3)}, {memory(1), memory(2), memory(3)}};
	first(m[0][0], m[0][1], m[0][2]);
	int status = second(m[1][0], m[1][1], m[1][2]);
	cudaDeviceSynchronize();
	bool same = !status && !cublasGetError();
	for (int i = 0; i < 3; i++)
		same = same && !memcmp(m[0][i], m[1][i], MOST * sizeof(Z));
	results++;
	if (!same)
		printf("%s\n", what), bad = 1;
}
#define CALL(...) (__VA_ARGS__)
#define NEW(...) (h, __VA_ARGS__)
#define ALIKE(name, old_args, new_args) \
	alike(#name, [&](Z *a, Z *b, Z *c) { (void)a, (void)b, (void)c; cublas##name CALL old_args; }, \
	      [&](Z *a, Z *b, Z *c) { (void)a, (void)b, (void)c; return (int)cublas##name##_v2 NEW new_args; })
#define RESULT(type, name, args) \
	do { \
		Z *a = memory(1), *b = memory(2); \
		(void)b; \
		type first = cublas##name args, second; \
		results++; \
		if (cublas##name##_v2 NEW_RESULT args || memcmp(&first, &second, sizeof first)) \
			printf("%s\n", #name), bad = 1; \
	} while (0)
#define NEW_RESULT(...) (h, __VA_ARGS__, &second)
int main()
{
	Z al = {1.5, -0.5}, be = {-0.25, 2}, s = {0.5, 0.25};
	double ra = 0.75, rb = -2, c1 = 0.8, s1 = 0.6;
	auto L = CUBLAS_FILL_MODE_LOWER, U = CUBLAS_FILL_MODE_UPPER;
	auto T = CUBLAS_OP_T, N = CUBLAS_OP_N, C = CUBLAS_OP_C;
	auto left = CUBLAS_SIDE_LEFT, right = CUBLAS_SIDE_RIGHT;
	auto unit = CUBLAS_DIAG_UNIT, full = CUBLAS_DIAG_NON_UNIT;
	cublasInit();
	cublasCreate_v2(&h);
	ALIKE(Zrot, (9, b, 2, c, 1, c1, s), (9, b, 2, c, 1, &c1, &s));
	ALIKE(Zdrot, (9, b, 2, c, 1, c1, s1), (9, b, 2, c, 1, &c1, &s1));
	ALIKE(Zdscal, (9, ra, b, 2), (9, &ra, b, 2));
	ALIKE(Drot, (9, &b->x, 2, &c->x, 1, c1, s1), (9, &b->x, 2, &c->x, 1, &c1, &s1));
	ALIKE(Drotm, (9, &b->x, 2, &c->x, 1, &a->x), (9, &b->x, 2, &c->x, 1, &a->x));
	ALIKE(Zgbmv, ('T', 10, 9, 2, 3, al, a, 12, b, 1, be, c, 2), (T, 10, 9, 2, 3, &al, a, 12, b, 1, &be, c, 2));
	ALIKE(Ztrmv, ('l', 'N', 'U', 9, a, 12, b, 1), (L, N, unit, 9, a, 12, b, 1));
	ALIKE(Ztbmv, ('U', 'c', 'N', 9, 3, a, 12, b, 1), (U, C, full, 9, 3, a, 12, b, 1));
	ALIKE(Ztpmv, ('L', 't', 'N', 9, a, b, 1), (L, T, full, 9, a, b, 1));
	ALIKE(Ztrsv, ('l', 'N', 'N', 9, a, 12, b, 1), (L, N, full, 9, a, 12, b, 1));
	ALIKE(Ztbsv, ('u', 'N', 'U', 9, 3, a, 12, b, 1), (U, N, unit, 9, 3, a, 12, b, 1));
	ALIKE(Ztpsv, ('u', 'N', 'U', 9, a, b, 1), (U, N, unit, 9, a, b, 1));
	ALIKE(Zhemv, ('l', 9, al, a, 12, b, 1, be, c, 2), (L, 9, &al, a, 12, b, 1, &be, c, 2));
	ALIKE(Zhbmv, ('u', 9, 3, al, a, 12, b, 1, be, c, 2), (U, 9, 3, &al, a, 12, b, 1, &be, c, 2));
	ALIKE(Zhpmv, ('u', 9, al, a, b, 1, be, c, 2), (U, 9, &al, a, b, 1, &be, c, 2));
	ALIKE(Dsymv, ('l', 9, ra, &a->x, 12, &b->x, 1, rb, &c->x, 2), (L, 9, &ra, &a->x, 12, &b->x, 1, &rb, &c->x, 2));
	ALIKE(Dsbmv, ('u', 9, 3, ra, &a->x, 12, &b->x, 1, rb, &c->x, 2), (U, 9, 3, &ra, &a->x, 12, &b->x, 1, &rb, &c->x, 2));
	ALIKE(Dspmv, ('u', 9, ra, &a->x, &b->x, 1, rb, &c->x, 2), (U, 9, &ra, &a->x, &b->x, 1, &rb, &c->x, 2));
	ALIKE(Zher, ('l', 9, ra, b, 1, c, 12), (L, 9, &ra, b, 1, c, 12));
	ALIKE(Zhpr, ('u', 9, ra, b, 1, c), (U, 9, &ra, b, 1, c));
	ALIKE(Zher2, ('l', 9, al, a, 1, b, 2, c, 12), (L, 9, &al, a, 1, b, 2, c, 12));
	ALIKE(Zhpr2, ('u', 9, al, a, 1, b, 2, c), (U, 9, &al, a, 1, b, 2, c));
	ALIKE(Dsyr, ('l', 9, ra, &b->x, 1, &c->x, 12), (L, 9, &ra, &b->x, 1, &c->x, 12));
	ALIKE(Dspr2, ('u', 9, ra, &a->x, 1, &b->x, 2, &c->x), (U, 9, &ra, &a->x, 1, &b->x, 2, &c->x));
	ALIKE(Zgerc, (9, 7, al, a, 1, b, 2, c, 12), (9, 7, &al, a, 1, b, 2, c, 12));
	ALIKE(Zgeru, (9, 7, al, a, 1, b, 2, c, 12), (9, 7, &al, a, 1, b, 2, c, 12));
	ALIKE(Zsymm, ('r', 'l', 9, 7, al, a, 12, b, 13, be, c, 14), (right, L, 9, 7, &al, a, 12, b, 13, &be, c, 14));
	ALIKE(Zhemm, ('l', 'u', 9, 7, al, a, 12, b, 13, be, c, 14), (left, U, 9, 7, &al, a, 12, b, 13, &be, c, 14));
	ALIKE(Zsyrk, ('l', 't', 9, 7, al, a, 12, be, c, 14), (L, T, 9, 7, &al, a, 12, &be, c, 14));
	ALIKE(Zherk, ('u', 'c', 9, 7, ra, a, 12, rb, c, 14), (U, C, 9, 7, &ra, a, 12, &rb, c, 14));
	ALIKE(Zsyr2k, ('l', 'n', 9, 7, al, a, 12, b, 13, be, c, 14), (L, N, 9, 7, &al, a, 12, b, 13, &be, c, 14));
	ALIKE(Zher2k, ('u', 'n', 9, 7, al, a, 12, b, 13, rb, c, 14), (U, N, 9, 7, &al, a, 12, b, 13, &rb, c, 14));
	ALIKE(Ztrmm, ('l', 'u', 'n', 'n', 9, 7, al, a, 12, b, 13), (left, U, N, full, 9, 7, &al, a, 12, b, 13, b, 13));
	ALIKE(Ztrsm, ('r', 'l', 't', 'u', 9, 7, al, a, 12, b, 13), (right, L, T, unit, 9, 7, &al, a, 12, b, 13));
	RESULT(Z, Zdotu, (9, a, 1, b, 2));
	RESULT(Z, Zdotc, (9, a, 1, b, 2));
	RESULT(double, Ddot, (9, &a->x, 1, &b->x, 2));
	RESULT(double, Dznrm2, (9, a, 2));
	RESULT(double, Dzasum, (9, a, 2));
	RESULT(int, Izamax, (9, a, 2));
	RESULT(int, Izamin, (9, a, 2));
	RESULT(int, Idamin, (9, &a->x, 2));
	/* a rotation whose second number is passed by value */
	Z p = {3, 1}, q = {4, -2}, r, p2 = p, q2 = q, r2;
	double g, g2;
	cublasZrotg(&p, q, &g, &r);
	cublasZrotg_v2(h, &p2, &q2, &g2, &r2);
	results++;
	if (memcmp(&p, &p2, sizeof p) || g != g2 || memcmp(&r, &r2, sizeof r))
		printf("Zrotg\n"), bad = 1;
	int version = 0;
	results++;
	if (cublasGetVersion(&version) || version != CUBLAS_VERSION)
		printf("GetVersion\n"), bad = 1;
	/* cublasGetError() returns the error */
	Z *x = memory(0);
	cublasZtrsv('l', 'n', 'n', 9, x, 3, x, 1);
	results++;
	if (cublasGetError() != CUBLAS_STATUS_INVALID_VALUE)
		printf("an error\n"), bad = 1;
	cublasShutdown();
	printf("%d results\n", results);
	return bad;
}
