/*
 * Sparse matrices of all formats against a dense reference: products, sampled products, triangular systems, sparse
 * results, incomplete factors, conversions, sorts and vectors; odd shapes, both bases, empty rows and empty matrices.
 */
#include <algorithm>
#include <complex>
#include <cusparse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

static int results, bad;
static cusparseHandle_t h;
typedef std::complex<double> Z;
typedef std::vector<int> ints;

/* Managed memory. */
template <class T> static T *shared(const std::vector<T> &v, size_t least = 1)
{
	T *p;
	cudaMallocManaged(&p, (v.size() > least ? v.size() : least) * sizeof(T));
	if (v.size())
		memcpy(p, v.data(), v.size() * sizeof(T));
	return p;
}
static double size_of(double x) { return fabs(x); }
static double size_of(Z x) { return std::abs(x); }
template <class A, class B> static void compare(const char *what, const A *got, const B *want, size_t n)
{
	cudaDeviceSynchronize();
	results++;
	for (size_t i = 0; i < n; i++)
		if (!(size_of((B)got[i] - want[i]) <= 1e-4)) {
			printf("%s: element %zu differs by %g\n", what, i, size_of((B)got[i] - want[i]));
			bad++;
			return;
		}
}
static void good(const char *what, int status, int expected = 0)
{
	results++;
	if (status != expected)
		printf("%s: status %d instead of %d\n", what, status, expected), bad++;
}

template <class T> struct kind;
template <> struct kind<float> { enum { type = CUDA_R_32F }; };
template <> struct kind<double> { enum { type = CUDA_R_64F }; };
template <> struct kind<Z> { enum { type = CUDA_C_64F }; };
static float value(float, int i) { return (i * 7 % 11 - 5) / 4.0f; }
static double value(double, int i) { return (i * 7 % 11 - 5) / 4.0; }
static Z value(Z, int i) { return Z((i * 7 % 11 - 5) / 4.0, (i * 5 % 7 - 3) / 2.0); }
static float bar(float x) { return x; }
static double bar(double x) { return x; }
static Z bar(Z x) { return std::conj(x); }

/* A CSR matrix with an empty row, and the arrays that the other formats need. */
template <class T> struct matrix {
	int m, n, base;
	std::vector<T> full; /* by rows */
	ints offsets, rows, columns, col_offsets, col_rows;
	std::vector<T> values, col_values;
	T &at(int i, int j) { return full[(size_t)i * n + j]; }
	matrix(int m_, int n_, int b, bool triangular = false) : m(m_), n(n_), base(b), full((size_t)m_ * n_)
	{
		for (int i = 0; i < m; i++)
			for (int j = 0; j < n; j++) {
				if (triangular ? i == j || (i * 3 + j * 5) % 7 == 1 : i % 9 != 4 && (i * 7 + j * 5) % 4 == 1)
					at(i, j) = i == j && triangular ? value(T(), 3) * T(2) + T(4) : value(T(), i * n + j) + T(0.125);
			}
		list();
	}
	void list()
	{
		offsets.assign(1, base), col_offsets.assign(1, base);
		rows.clear(), columns.clear(), values.clear(), col_rows.clear(), col_values.clear();
		for (int i = 0; i < m; i++, offsets.push_back((int)columns.size() + base))
			for (int j = 0; j < n; j++)
				if (at(i, j) != T(0))
					rows.push_back(i + base), columns.push_back(j + base), values.push_back(at(i, j));
		for (int j = 0; j < n; j++, col_offsets.push_back((int)col_rows.size() + base))
			for (int i = 0; i < m; i++)
				if (at(i, j) != T(0))
					col_rows.push_back(i + base), col_values.push_back(at(i, j));
	}
	T op(cusparseOperation_t o, int i, int j) { return o == 0 ? at(i, j) : o == 1 ? at(j, i) : bar(at(j, i)); }
	cusparseSpMatDescr_t make(cusparseFormat_t f)
	{
		cusparseSpMatDescr_t a = NULL;
		cudaDataType type = (cudaDataType)kind<T>::type;
		const cusparseIndexType_t i32 = CUSPARSE_INDEX_32I;
		cusparseIndexBase_t b = (cusparseIndexBase_t)base;
		int nnz = (int)values.size();
		if (f == CUSPARSE_FORMAT_CSR)
			cusparseCreateCsr(&a, m, n, nnz, shared(offsets), shared(columns), shared(values), i32, i32, b, type);
		else if (f == CUSPARSE_FORMAT_CSC)
			cusparseCreateCsc(&a, m, n, nnz, shared(col_offsets), shared(col_rows), shared(col_values), i32, i32, b, type);
		else if (f == CUSPARSE_FORMAT_COO)
			cusparseCreateCoo(&a, m, n, nnz, shared(rows), shared(columns), shared(values), i32, b, type);
		else if (f == CUSPARSE_FORMAT_SLICED_ELLPACK) {
			const int slice = 4;
			ints starts(1, base), cols;
			std::vector<T> v;
			for (int s = 0; s < m; s += slice, starts.push_back((int)cols.size() + base)) {
				int wide = 0, at = (int)cols.size();
				for (int i = s; i < s + slice && i < m; i++)
					wide = std::max(wide, offsets[i + 1] - offsets[i]);
				cols.resize(at + wide * slice, -1), v.resize(at + wide * slice);
				for (int i = s; i < s + slice && i < m; i++)
					for (int k = 0; k < offsets[i + 1] - offsets[i]; k++)
						cols[at + k * slice + i - s] = columns[offsets[i] - base + k],
						v[at + k * slice + i - s] = values[offsets[i] - base + k];
			}
			cusparseCreateSlicedEll(&a, m, n, nnz, (int)v.size(), slice, shared(starts), shared(cols), shared(v), i32, i32, b, type);
		}
		return a;
	}
};

template <class T> static cusparseDnMatDescr_t dense(std::vector<T> &v, int rows, int cols, int ld, bool by_rows, T **at)
{
	cusparseDnMatDescr_t d;
	*at = shared(v);
	good("dense", cusparseCreateDnMat(&d, rows, cols, ld, *at, (cudaDataType)kind<T>::type, by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
	return d;
}

/* C = alpha op(A) op(B) + beta C for every format, with padded rows; C is NaN where beta is 0. */
template <class T> static void products(cusparseFormat_t f, int base, int opa, int opb, bool zero)
{
	matrix<T> a(13, 17, base);
	const int k = 3;
	cusparseOperation_t oa = (cusparseOperation_t)opa, ob = (cusparseOperation_t)opb;
	int rows = opa ? a.n : a.m, inner = opa ? a.m : a.n, brows = opb ? k : inner, bcols = opb ? inner : k, ldb = bcols + 2, ldc = rows + 1;
	std::vector<T> b((size_t)brows * ldb), c((size_t)ldc * k), want;
	T alpha = value(T(), 3), beta = zero ? T(0) : value(T(), 6), *pb, *pc;
	for (size_t i = 0; i < b.size(); i++)
		b[i] = value(T(), (int)i + 1);
	for (size_t i = 0; i < c.size(); i++)
		c[i] = zero ? T(NAN) : value(T(), (int)i + 2);
	for (int j = 0; j < k; j++)
		for (int i = 0; i < rows; i++) {
			T s = 0;
			for (int q = 0; q < inner; q++) {
				T y = opb ? b[(size_t)j * ldb + q] : b[(size_t)q * ldb + j];
				s += a.op(oa, i, q) * (opb == 2 ? bar(y) : y);
			}
			want.push_back(alpha * s + (zero ? T(0) : beta * c[(size_t)j * ldc + i]));
		}
	cusparseSpMatDescr_t sa = a.make(f);
	cusparseDnMatDescr_t db = dense(b, brows, bcols, ldb, true, &pb), dc = dense(c, rows, k, ldc, false, &pc);
	good("SpMM", cusparseSpMM(h, oa, ob, &alpha, sa, db, &beta, dc, (cudaDataType)kind<T>::type, CUSPARSE_SPMM_ALG_DEFAULT, NULL));
	cudaDeviceSynchronize();
	for (int j = 0; j < k; j++)
		compare("SpMM", pc + (size_t)j * ldc, want.data() + (size_t)j * rows, rows);
}

/* The sampled product: only C's places, of each format. */
static void sampled(cusparseFormat_t f, int base)
{
	matrix<double> c(11, 6, base);
	const int k = 5;
	std::vector<double> a(11 * k), b(6 * k);
	double alpha = 1.5, beta = -2, *pa, *pb, *pc;
	for (size_t i = 0; i < a.size(); i++)
		a[i] = value(1.0, (int)i);
	for (size_t i = 0; i < b.size(); i++)
		b[i] = value(1.0, (int)i + 4);
	matrix<double> want(c);
	for (int i = 0; i < c.m; i++)
		for (int j = 0; j < c.n; j++) {
			double s = 0;
			for (int q = 0; q < k; q++)
				s += a[i * k + q] * b[j * k + q];
			want.at(i, j) = c.at(i, j) ? alpha * s + beta * c.at(i, j) : 0;
		}
	cusparseSpMatDescr_t sc = c.make(f);
	std::vector<double> full(c.full.size(), NAN);
	good("SDDMM", cusparseSDDMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, &alpha, dense(a, 11, k, k, true, &pa),
		dense(b, 6, k, k, true, &pb), &beta, sc, CUDA_R_64F, CUSPARSE_SDDMM_ALG_DEFAULT, NULL));
	good("to dense", cusparseSparseToDense(h, sc, dense(full, 11, 6, 6, true, &pc), CUSPARSE_SPARSETODENSE_ALG_DEFAULT, NULL));
	compare("SDDMM", pc, want.full.data(), full.size());
}

/* op(A) x = alpha b for both triangles, checked by multiplying back: the other triangle is stored
 * too, and must not be read. */
template <class T> static void systems(cusparseFormat_t f, int base, int opn, bool upper, bool unit)
{
	const int n = 19, k = 2;
	matrix<T> a(n, n, base, true);
	cusparseOperation_t op = (cusparseOperation_t)opn;
	cudaDataType type = (cudaDataType)kind<T>::type;
	cusparseFillMode_t fill = upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
	cusparseDiagType_t diag = unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
	std::vector<T> x(n * k), b(n * k), got(n * k);
	for (int i = 0; i < n * k; i++)
		x[i] = value(T(), i + 2);
	for (int i = 0; i < n; i++)
		for (int q = 0; q < k; q++)
			for (int j = 0; j < n; j++) {
				bool in = upper != (opn != 0) ? j > i : j < i;
				T e = i == j ? (unit ? T(1) : a.op(op, i, j)) : in ? a.op(op, i, j) : T(0);
				b[q * n + i] += e * x[q * n + j];
			}
	for (auto &e : b)
		e /= T(2);
	T alpha = 2, *pb, *px;
	cusparseSpMatDescr_t sa = a.make(f);
	good("fill", cusparseSpMatSetAttribute(sa, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
	good("diag", cusparseSpMatSetAttribute(sa, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag));
	cusparseDnMatDescr_t db = dense(b, n, k, n, false, &pb), dx = dense(got, n, k, n, false, &px);
	cusparseSpSMDescr_t d;
	size_t bytes;
	cusparseSpSM_createDescr(&d);
	const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
	good("size", cusparseSpSM_bufferSize(h, op, plain, &alpha, sa, db, dx, type, CUSPARSE_SPSM_ALG_DEFAULT, d, &bytes));
	good("early", cusparseSpSM_solve(h, op, plain, &alpha, sa, db, dx, type, CUSPARSE_SPSM_ALG_DEFAULT, d), CUSPARSE_STATUS_INVALID_VALUE);
	good("analysis", cusparseSpSM_analysis(h, op, plain, &alpha, sa, db, dx, type, CUSPARSE_SPSM_ALG_DEFAULT, d, NULL));
	good("SpSM", cusparseSpSM_solve(h, op, plain, &alpha, sa, db, dx, type, CUSPARSE_SPSM_ALG_DEFAULT, d));
	compare("SpSM", px, x.data(), n * k);
	cusparseSpSM_destroyDescr(d);
	cusparseDnVecDescr_t vb, vy;
	cusparseSpSVDescr_t v;
	cusparseCreateDnVec(&vb, n, pb, type), cusparseCreateDnVec(&vy, n, px, type);
	cudaMemset(px, 0, n * sizeof(T));
	cusparseSpSV_createDescr(&v);
	good("analysis", cusparseSpSV_analysis(h, op, &alpha, sa, vb, vy, type, CUSPARSE_SPSV_ALG_DEFAULT, v, NULL));
	good("SpSV", cusparseSpSV_solve(h, op, &alpha, sa, vb, vy, type, CUSPARSE_SPSV_ALG_DEFAULT, v));
	compare("SpSV", px, x.data(), n);
	cusparseSpSV_destroyDescr(v);
}

/* C = alpha A B, then the same pattern with other values. */
static void sparse_product(int m, int n, int k, int base)
{
	matrix<double> a(m, k, base), b(k, n, base), c(m, n, base);
	double alpha = 3, beta = 0;
	cusparseSpMatDescr_t sa = a.make(CUSPARSE_FORMAT_CSR), sb = b.make(CUSPARSE_FORMAT_CSR), sc;
	int *offsets = shared(ints(m + 1));
	void *buffer;
	int64_t rows, cols, nnz;
	size_t bytes = 0, b2 = 0, b3 = 0, b4 = 0;
	cudaMalloc(&buffer, 64);
	cusparseCreateCsr(&sc, m, n, 0, offsets, NULL, NULL, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, (cusparseIndexBase_t)base, CUDA_R_64F);
	const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
	for (int reuse = 0; reuse < 2; reuse++) {
		cusparseSpGEMMDescr_t d;
		cusparseSpGEMM_createDescr(&d);
		if (!reuse) {
			good("estimate", cusparseSpGEMM_workEstimation(h, plain, plain, &alpha, sa, sb, &beta, sc, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, d, &bytes, NULL));
			good("estimate", cusparseSpGEMM_workEstimation(h, plain, plain, &alpha, sa, sb, &beta, sc, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, d, &bytes, buffer));
			good("compute", cusparseSpGEMM_compute(h, plain, plain, &alpha, sa, sb, &beta, sc, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, d, &bytes, buffer));
		} else {
			good("estimate", cusparseSpGEMMreuse_workEstimation(h, plain, plain, sa, sb, sc, CUSPARSE_SPGEMM_DEFAULT, d, &bytes, buffer));
			good("nnz", cusparseSpGEMMreuse_nnz(h, plain, plain, sa, sb, sc, CUSPARSE_SPGEMM_DEFAULT, d, &b2, buffer, &b3, buffer, &b4, buffer));
		}
		cusparseSpMatGetSize(sc, &rows, &cols, &nnz);
		int *columns = shared(ints(nnz));
		double *values = shared(std::vector<double>(nnz, NAN));
		cusparseCsrSetPointers(sc, offsets, columns, values);
		if (!reuse) {
			good("copy", cusparseSpGEMM_copy(h, plain, plain, &alpha, sa, sb, &beta, sc, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, d));
		} else {
			good("copy", cusparseSpGEMMreuse_copy(h, plain, plain, sa, sb, sc, CUSPARSE_SPGEMM_DEFAULT, d, &bytes, buffer));
			alpha = -1;
			good("compute", cusparseSpGEMMreuse_compute(h, plain, plain, &alpha, sa, sb, &beta, sc, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, d));
		}
		cudaDeviceSynchronize();
		std::vector<double> got((size_t)m * n), want((size_t)m * n);
		bool sorted = true;
		for (int i = 0; i < m; i++) {
			for (int q = offsets[i] - base; q < offsets[i + 1] - base; q++) {
				got[i * n + columns[q] - base] = values[q];
				sorted = sorted && (q == offsets[i] - base || columns[q] > columns[q - 1]);
			}
			for (int j = 0; j < n; j++)
				for (int q = 0; q < k; q++)
					want[i * n + j] += alpha * a.at(i, q) * b.at(q, j);
		}
		good("columns in order, once each", sorted, 1);
		compare("SpGEMM", got.data(), want.data(), got.size());
		cusparseSpGEMM_destroyDescr(d);
	}
}

/* Conversions to dense and back for each format; transposes; sums; sorts. */
static void forms(int base)
{
	matrix<float> a(10, 7, base);
	const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};
	const int nnz = (int)a.values.size();
	for (cusparseFormat_t f : formats) {
		std::vector<float> full(10 * 9, NAN);
		float *at;
		void *buffer;
		size_t bytes;
		int64_t rows, cols, found;
		cusparseDnMatDescr_t d = dense(full, 10, 7, 9, true, &at);
		good("to dense", cusparseSparseToDense(h, a.make(f), d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, NULL));
		cudaDeviceSynchronize();
		for (int i = 0; i < 10; i++)
			compare("dense", at + i * 9, a.full.data() + i * 7, 7);
		matrix<float> other(a);
		other.values.assign(nnz, 0), other.col_values.assign(nnz, 0);
		for (ints *v : {&other.offsets, &other.rows, &other.columns, &other.col_offsets, &other.col_rows})
			v->assign(v->size(), -7);
		cusparseSpMatDescr_t back = other.make(f);
		good("size", cusparseDenseToSparse_bufferSize(h, d, back, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes));
		cudaMalloc(&buffer, bytes);
		good("analysis", cusparseDenseToSparse_analysis(h, d, back, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
		cusparseSpMatGetSize(back, &rows, &cols, &found);
		good("elements", (int)found, nnz);
		good("convert", cusparseDenseToSparse_convert(h, d, back, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
		void *major, *minor, *values;
		cusparseIndexType_t t;
		cusparseIndexBase_t b;
		cudaDataType type;
		cusparseCsrGet(back, &rows, &cols, &found, &major, &minor, &values, &t, &t, &b, &type);
		bool csc = f == CUSPARSE_FORMAT_CSC;
		const ints &want = csc ? a.col_offsets : f == CUSPARSE_FORMAT_COO ? a.rows : a.offsets;
		compare("major", (int *)major, want.data(), want.size());
		compare("minor", (int *)minor, (csc ? a.col_rows : a.columns).data(), nnz);
		compare("values", (float *)values, (csc ? a.col_values : a.values).data(), nnz);
	}
	/* CSC; row indices from offsets and back */
	int *offsets = shared(ints(8)), *rows = shared(ints(nnz)), *all = shared(ints(nnz)), *again = shared(ints(11));
	float *values = shared(std::vector<float>(nnz));
	good("csc", cusparseCsr2cscEx2(h, 10, 7, nnz, shared(a.values), shared(a.offsets), shared(a.columns), values, offsets, rows,
		CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, (cusparseIndexBase_t)base, CUSPARSE_CSR2CSC_ALG1, NULL));
	compare("csc offsets", offsets, a.col_offsets.data(), 8);
	compare("csc rows", rows, a.col_rows.data(), nnz);
	compare("csc values", values, a.col_values.data(), nnz);
	good("csr2coo", cusparseXcsr2coo(h, shared(a.offsets), nnz, 10, all, (cusparseIndexBase_t)base));
	compare("csr2coo", all, a.rows.data(), nnz);
	good("coo2csr", cusparseXcoo2csr(h, all, nnz, 10, again, (cusparseIndexBase_t)base));
	compare("coo2csr", again, a.offsets.data(), 11);
	/* sorts, from the order of columns to that of rows */
	ints mixed_rows = a.col_rows, mixed_columns(nnz);
	for (int j = 0; j < 7; j++)
		for (int q = a.col_offsets[j]; q < a.col_offsets[j + 1]; q++)
			mixed_columns[q - base] = j + base;
	int *r = shared(mixed_rows), *c = shared(mixed_columns), *p = shared(ints(nnz));
	good("identity", cusparseCreateIdentityPermutation(h, nnz, p));
	good("coosort", cusparseXcoosortByRow(h, 10, 7, nnz, r, c, p, NULL));
	cudaDeviceSynchronize();
	std::vector<float> permuted;
	for (int q = 0; q < nnz; q++)
		permuted.push_back(a.col_values[p[q]]);
	compare("sorted rows", r, a.rows.data(), nnz);
	compare("sorted columns", c, a.columns.data(), nnz);
	compare("permutation", permuted.data(), a.values.data(), nnz);
	/* alpha A + beta B */
	matrix<float> b(10, 7, base), sum(10, 7, 1 - base);
	for (int i = 0; i < 70; i++)
		b.full[i] = i % 5 == 2 ? 1.5f : 0;
	b.list();
	for (int i = 0; i < 70; i++)
		sum.full[i] = a.full[i] || b.full[i] ? 2 * a.full[i] - b.full[i] + 100 : 0; /* sums of zero are stored */
	sum.list();
	cusparseMatDescr_t da, dc;
	cusparseCreateMatDescr(&da), cusparseCreateMatDescr(&dc);
	cusparseSetMatIndexBase(da, (cusparseIndexBase_t)base), cusparseSetMatIndexBase(dc, (cusparseIndexBase_t)(1 - base));
	float two = 2, minus = -1;
	int total = -1, bn = (int)b.values.size(), *ra = shared(a.offsets), *ca = shared(a.columns), *rb = shared(b.offsets), *cb = shared(b.columns);
	good("nnz", cusparseXcsrgeam2Nnz(h, 10, 7, da, nnz, ra, ca, da, bn, rb, cb, dc, again, &total, NULL));
	good("elements of the sum", total, (int)sum.values.size());
	int *cc = shared(ints(total));
	float *vc = shared(std::vector<float>(total));
	good("geam", cusparseScsrgeam2(h, 10, 7, &two, da, nnz, shared(a.values), ra, ca, &minus, da, bn, shared(b.values), rb, cb, dc, vc, again, cc, NULL));
	cudaDeviceSynchronize();
	for (int q = 0; q < total; q++)
		vc[q] += 100;
	compare("sum's offsets", again, sum.offsets.data(), 11);
	compare("sum's columns", cc, sum.columns.data(), total);
	compare("sum's values", vc, sum.values.data(), total);
	/* counts */
	int *counts = shared(ints(10));
	std::vector<float> by_columns(77);
	ints want(10);
	for (int i = 0; i < 10; i++)
		for (int j = 0; j < 7; j++)
			by_columns[j * 11 + i] = a.at(i, j), want[i] += a.at(i, j) != 0;
	good("nnz", cusparseSnnz(h, CUSPARSE_DIRECTION_ROW, 10, 7, da, shared(by_columns), 11, counts, &total));
	compare("counts", counts, want.data(), 10);
	good("total", total, nnz);
	/* dense to lines and back */
	int *lines = shared(ints(11)), *at = shared(ints(nnz)), *heads = shared(ints(8)), *inside = shared(ints(nnz));
	float *stored = shared(std::vector<float>(nnz)), *back = shared(std::vector<float>(77));
	good("dense2csr", cusparseSdense2csr(h, 10, 7, da, shared(by_columns), 11, counts, stored, lines, at));
	good("csr2dense", cusparseScsr2dense(h, 10, 7, da, stored, lines, at, back, 11));
	cudaDeviceSynchronize();
	compare("lines", lines, a.offsets.data(), 11);
	compare("their columns", at, a.columns.data(), nnz);
	compare("their values", stored, a.values.data(), nnz);
	compare("dense again", back, by_columns.data(), 10);
	compare("its last column", back + 66, by_columns.data() + 66, 10);
	good("dense2csc", cusparseSdense2csc(h, 10, 7, da, shared(by_columns), 11, NULL, stored, inside, heads));
	cudaMemset(back, 0x55, 77 * sizeof *back);
	good("csc2dense", cusparseScsc2dense(h, 10, 7, da, stored, inside, heads, back, 11));
	cudaDeviceSynchronize();
	compare("columns", heads, a.col_offsets.data(), 8);
	compare("values by columns", stored, a.col_values.data(), nnz);
	compare("dense of columns", back + 66, by_columns.data() + 66, 10);
}

/* Incomplete factors of a matrix with a full pattern are exact: L U and L L^H multiply to the
 * matrix. */
static void factors(int base)
{
	const int n = 9;
	matrix<double> a(n, n, base);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a.at(i, j) = i == j ? 12 : 1.0 / (1 + abs(i - j));
	a.list();
	cusparseMatDescr_t d;
	cusparseCreateMatDescr(&d);
	cusparseSetMatIndexBase(d, (cusparseIndexBase_t)base);
	int nnz = n * n, position = 5, *o = shared(a.offsets), *c = shared(a.columns);
	for (int cholesky = 0; cholesky < 2; cholesky++) {
		double *v = shared(a.values);
		std::vector<double> got(n * n);
		if (cholesky) {
			csric02Info_t info;
			cusparseCreateCsric02Info(&info);
			good("analysis", cusparseDcsric02_analysis(h, n, nnz, d, v, o, c, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL));
			good("ic", cusparseDcsric02(h, n, nnz, d, v, o, c, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL));
			good("pivot", cusparseXcsric02_zeroPivot(h, info, &position));
			cusparseDestroyCsric02Info(info);
		} else {
			csrilu02Info_t info;
			cusparseCreateCsrilu02Info(&info);
			good("analysis", cusparseDcsrilu02_analysis(h, n, nnz, d, v, o, c, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL));
			good("ilu", cusparseDcsrilu02(h, n, nnz, d, v, o, c, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL));
			good("pivot", cusparseXcsrilu02_zeroPivot(h, info, &position));
			cusparseDestroyCsrilu02Info(info);
		}
		good("no zero pivot", position, -1);
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				for (int q = 0; q <= i && q <= j; q++)
					got[i * n + j] += cholesky ? v[i * n + q] * v[j * n + q] : (q == i ? 1 : v[i * n + q]) * v[q * n + j];
		compare(cholesky ? "L L^T" : "L U", got.data(), a.full.data(), n * n);
	}
	/* a row without a pivot is reported */
	a.at(4, 4) = 0;
	for (int j = 0; j < n; j++)
		if (j != 4)
			a.at(4, j) = a.at(j, 4) = 0;
	a.list();
	csrilu02Info_t info;
	double *v = shared(a.values);
	nnz = (int)a.values.size(), o = shared(a.offsets), c = shared(a.columns);
	cusparseCreateCsrilu02Info(&info);
	cusparseDcsrilu02_analysis(h, n, nnz, d, v, o, c, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL);
	cusparseDcsrilu02(h, n, nnz, d, v, o, c, info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, NULL);
	good("pivot", cusparseXcsrilu02_zeroPivot(h, info, &position), CUSPARSE_STATUS_ZERO_PIVOT);
	good("where", position, 4 + base);
}

static void vectors(int base)
{
	const int n = 12;
	ints at = {1, 4, 5, 11};
	std::vector<double> x = {2, -1, 0.5, 3}, y(n), want;
	for (int i = 0; i < n; i++)
		y[i] = value(1.0, i);
	want = y;
	for (int &i : at)
		i += base;
	cusparseSpVecDescr_t sx;
	cusparseDnVecDescr_t dy;
	double *px = shared(x), *py = shared(y), alpha = 2, beta = -0.5, dot = 0, sum = 0;
	cusparseCreateSpVec(&sx, n, 4, shared(at), px, CUSPARSE_INDEX_32I, (cusparseIndexBase_t)base, CUDA_R_64F);
	cusparseCreateDnVec(&dy, n, py, CUDA_R_64F);
	good("axpby", cusparseAxpby(h, &alpha, sx, &beta, dy));
	for (double &v : want)
		v *= beta;
	for (int i = 0; i < 4; i++)
		want[at[i] - base] += alpha * x[i];
	compare("axpby", py, want.data(), n);
	good("SpVV", cusparseSpVV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, sx, dy, &dot, CUDA_R_64F, NULL));
	for (int i = 0; i < 4; i++)
		sum += x[i] * want[at[i] - base];
	compare("SpVV", &dot, &sum, 1);
	/* in a graph: the result exists after the graph has run */
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaStreamCreate(&stream);
	cusparseSetStream(h, stream);
	dot = 0;
	good("begin", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	good("SpVV in a graph", cusparseSpVV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, sx, dy, &dot, CUDA_R_64F, NULL));
	good("end", cudaStreamEndCapture(stream, &graph));
	good("graph", cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
	good("nothing ran", dot != 0);
	good("launch", cudaGraphLaunch(exec, stream));
	good("wait", cudaStreamSynchronize(stream));
	compare("SpVV in a graph", &dot, &sum, 1);
	cusparseSetStream(h, 0);
	good("rot", cusparseRot(h, &alpha, &beta, sx, dy));
	for (int i = 0; i < 4; i++) {
		double u = x[i], v = want[at[i] - base];
		x[i] = alpha * u + beta * v, want[at[i] - base] = alpha * v - beta * u;
	}
	compare("rot x", px, x.data(), 4);
	compare("rot y", py, want.data(), n);
	good("scatter", cusparseScatter(h, sx, dy));
	for (int i = 0; i < 4; i++)
		want[at[i] - base] = x[i], x[i] = 0;
	compare("scatter", py, want.data(), n);
	cudaDeviceSynchronize();
	memset(px, 0, 4 * sizeof *px);
	good("gather", cusparseGather(h, dy, sx));
	for (int i = 0; i < 4; i++)
		x[i] = want[at[i] - base];
	compare("gather", px, x.data(), 4);
}

/* Block formats: BSR with row-major and column-major blocks, blocked ELL with a missing block. */
static void blocks()
{
	const int m = 4, n = 6;
	float one = 1, zero = 0;
	ints offsets = {0, 1, 3}, columns = {1, 0, 2}, ell = {1, -1, 0, 2};
	std::vector<float> bsr[2] = {std::vector<float>(12), std::vector<float>(12)}, values(16, 77), full(m * n), b(n * 2), want(m * 2), c(m * 2);
	for (int block = 0; block < 3; block++)
		for (int i = 0; i < 2; i++)
			for (int j = 0; j < 2; j++) {
				int r = (block > 0) * 2 + i;
				float v = (float)(block * 4 + i * 2 + j + 1);
				bsr[0][block * 4 + i * 2 + j] = bsr[1][block * 4 + j * 2 + i] = v;
				full[r * n + columns[block] * 2 + j] = v;
				values[r * 4 + (block == 2) * 2 + j] = v;
			}
	for (int i = 0; i < n * 2; i++)
		b[i] = (float)(i % 5);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < 2; j++)
			for (int q = 0; q < n; q++)
				want[j * m + i] += full[i * n + q] * b[j * n + q];
	const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
	float *pb, *pc;
	cusparseDnMatDescr_t db = dense(b, n, 2, n, false, &pb), dc = dense(c, m, 2, m, false, &pc);
	cusparseSpMatDescr_t a;
	for (int order = 0; order < 2; order++) {
		cusparseCreateBsr(&a, 2, 3, 3, 2, 2, shared(offsets), shared(columns), shared(bsr[order]), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
			CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F, order ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW);
		good("bsr", cusparseSpMM(h, plain, plain, &one, a, db, &zero, dc, CUDA_R_32F, CUSPARSE_SPMM_BSR_ALG1, NULL));
		compare("bsr", pc, want.data(), m * 2);
	}
	cusparseCreateBlockedEll(&a, m, n, 2, 4, shared(ell), shared(values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
	good("ell", cusparseSpMM(h, plain, plain, &one, a, db, &zero, dc, CUDA_R_32F, CUSPARSE_SPMM_BLOCKED_ELL_ALG1, NULL));
	compare("ell", pc, want.data(), m * 2);
}

int main()
{
	good("create", cusparseCreate(&h));
	const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO, CUSPARSE_FORMAT_SLICED_ELLPACK};
	for (int f = 0; f < 4; f++) {
		for (int op = 0; op < 3; op++) {
			products<Z>(formats[f], f & 1, op, (op + f) % 3, (op + f) % 2);
			systems<Z>(formats[f], op & 1, op, f & 1, f == 2);
			systems<double>(formats[f], f & 1, op, !(f & 1), f == 3);
		}
		products<float>(formats[f], 1, f & 1, 0, true);
		sampled(formats[f], f & 1);
	}
	sparse_product(11, 7, 13, 0);
	sparse_product(5, 20, 3, 1);
	sparse_product(3, 0, 2, 0);
	forms(0);
	forms(1);
	factors(0);
	factors(1);
	vectors(0);
	vectors(1);
	blocks();
	cusparseDestroy(h);
	printf("%d results\n", results - bad);
	return bad != 0;
}
