/* cuBLASLt: products in both orders of elements, batches, epilogues, types; unsupported requests
 * are refused. */
#include <cmath>
#include <cstdio>
#include <vector>
#include <cublasLt.h>
#include <cuda_bf16.h>

static int results, bad;
static void check(bool ok, const char *what)
{
	results++;
	if (!ok)
		printf("wrong: %s\n", what), bad++;
}
#define OK(call) check((call) == CUBLAS_STATUS_SUCCESS, #call)

template <class T> struct device {
	T *p;
	size_t n;
	explicit device(const std::vector<T> &v) : n(v.size())
	{
		cudaMalloc(&p, n * sizeof(T));
		cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice);
	}
	~device() { cudaFree(p); }
	std::vector<T> get()
	{
		std::vector<T> v(n);
		cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
		return v;
	}
};

enum { M = 5, N = 4, K = 3, BATCH = 2 };
static cublasLtHandle_t h;

/* Whole numbers, so that results are exact in every type. */
static int a_at(int z, int i, int k) { return (z * 7 + i * 3 + k * 5) % 11 - 5; }
static int b_at(int z, int k, int j) { return (z * 5 + k * 2 + j * 7) % 9 - 4; }
static int c_at(int z, int i, int j) { return (z + i * 2 + j * 3) % 5; }

struct shape {
	cublasLtMatrixLayout_t l;
	bool by_rows;
	int rows, cols;
	shape(cudaDataType type, int r, int c, bool rows_first) : by_rows(rows_first), rows(r), cols(c)
	{
		int order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL, count = BATCH;
		int64_t stride = r * c;
		OK(cublasLtMatrixLayoutCreate(&l, type, r, c, by_rows ? c : r));
		cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
		cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
		cublasLtMatrixLayoutSetAttribute(l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
	}
	~shape() { cublasLtMatrixLayoutDestroy(l); }
	int at(int z, int i, int j) const { return z * rows * cols + (by_rows ? i * cols + j : j * rows + i); }
};

/* D = act(2 A op(B) + 3 C + bias), B stored transposed if tb; which matrices are by rows: bits of `rows`. */
template <class In, class Out, class S>
static void product(cudaDataType in, cudaDataType out, cublasComputeType_t compute, cudaDataType scale, bool tb, int rows,
		    int epilogue, const char *what)
{
	shape a(in, M, K, rows & 1), b(in, tb ? N : K, tb ? K : N, rows & 2), d(out, M, N, rows & 4);
	std::vector<In> va(M * K * BATCH), vb(K * N * BATCH);
	std::vector<Out> vc(M * N * BATCH), want(vc.size()), bias(M);
	for (int i = 0; i < M; i++)
		bias[i] = (Out)(float)(i - 2);
	for (int z = 0; z < BATCH; z++)
		for (int i = 0; i < M; i++)
			for (int j = 0; j < N; j++) {
				float s = 3 * c_at(z, i, j);
				for (int k = 0; k < K; k++) {
					s += 2 * a_at(z, i, k) * b_at(z, k, j);
					va[a.at(z, i, k)] = (In)(float)a_at(z, i, k);
					vb[tb ? b.at(z, j, k) : b.at(z, k, j)] = (In)(float)b_at(z, k, j);
				}
				s += epilogue & CUBLASLT_EPILOGUE_BIAS ? i - 2 : 0;
				s = epilogue & CUBLASLT_EPILOGUE_RELU && s < 0 ? 0 : s;
				if (epilogue & CUBLASLT_EPILOGUE_GELU)
					s = s / 2 * (1 + erff(s / sqrtf(2)));
				vc[d.at(z, i, j)] = (Out)(float)c_at(z, i, j);
				want[d.at(z, i, j)] = (Out)s;
			}
	device<In> da(va), db(vb);
	device<Out> dc(vc), dd(std::vector<Out>(vc.size(), (Out)99.f)), dbias(bias);
	cublasLtMatmulDesc_t p;
	int op = tb ? CUBLAS_OP_T : CUBLAS_OP_N, count = 0;
	S alpha = 2, beta = 3;
	OK(cublasLtMatmulDescCreate(&p, compute, scale));
	cublasLtMatmulDescSetAttribute(p, CUBLASLT_MATMUL_DESC_TRANSB, &op, sizeof op);
	cublasLtMatmulDescSetAttribute(p, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
	cublasLtMatmulDescSetAttribute(p, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &dbias.p, sizeof dbias.p);
	cublasLtMatmulHeuristicResult_t way;
	OK(cublasLtMatmulAlgoGetHeuristic(h, p, a.l, b.l, d.l, d.l, NULL, 1, &way, &count));
	OK(cublasLtMatmul(h, p, &alpha, da.p, a.l, db.p, b.l, &beta, dc.p, d.l, dd.p, d.l, &way.algo, NULL, 0, 0));
	std::vector<Out> got = dd.get();
	bool right = count == 1;
	for (size_t i = 0; i < got.size(); i++)
		right = right && fabsf((float)got[i] - (float)want[i]) <= (epilogue & CUBLASLT_EPILOGUE_GELU ? 0.01f : 0.f);
	check(right, what);
	cublasLtMatmulDescDestroy(p);
}

int main()
{
	OK(cublasLtCreate(&h));
	for (int rows = 0; rows < 8; rows++)
		product<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, rows & 1, rows,
					     CUBLASLT_EPILOGUE_DEFAULT, "orders of elements");
	product<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, true, 4, CUBLASLT_EPILOGUE_RELU_BIAS,
				     "bias and ReLU");
	product<float, float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, false, 0, CUBLASLT_EPILOGUE_GELU, "GELU");
	product<__nv_bfloat16, __nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, false, 0,
						     CUBLASLT_EPILOGUE_BIAS, "bfloat16");
	product<signed char, int, int>(CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I, true, 0, CUBLASLT_EPILOGUE_DEFAULT,
				       "bytes");
	cublasLtMatmulDescOpaque_t p;
	shape s(CUDA_R_32F, 2, 2, false);
	cublasLtMatmulHeuristicResult_t way;
	int count = 9, epilogue = CUBLASLT_EPILOGUE_DGELU;
	OK(cublasLtMatmulDescInit(&p, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	OK(cublasLtMatmulDescSetAttribute(&p, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
	check(cublasLtMatmulAlgoGetHeuristic(h, &p, s.l, s.l, s.l, s.l, NULL, 1, &way, &count) == CUBLAS_STATUS_NOT_SUPPORTED && !count,
	      "an epilogue that is not there");
	OK(cublasLtDestroy(h));
	printf("%d results\n", results);
	return bad != 0;
}
