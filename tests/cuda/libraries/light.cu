/* cuBLASLt: products in both orders of elements, batches, epilogues, types; unsupported requests
 * are refused. */
#include <cmath>
#include <cstdio>
#include <vector>
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>

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

static float gelu(float x) { return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))); }
static float gelu_slope(float x) { return (gelu(x + 0.01f) - gelu(x - 0.01f)) / 0.02f; }
static bool near_to(float a, float b, float part) { return fabsf(a - b) <= part * (1 + fabsf(b)); }

/* Epilogues with an auxiliary matrix, gradients of biases, factors per matrix. `In` has values up to 5, `Out` any. */
template <class In, class Out>
static void finish(cudaDataType in, cudaDataType out, cublasComputeType_t compute, int epilogue, bool on_device, float part, const char *what)
{
	enum { AUX_LD = 128 };
	shape a(in, M, K, false), b(in, K, N, false), c(CUDA_R_32F, M, N, false), d(out, M, N, false);
	std::vector<In> va(M * K * BATCH), vb(K * N * BATCH);
	std::vector<float> vc(M * N * BATCH), bias(M > N ? M : N), aux(AUX_LD * N * BATCH, -1), want(vc.size()), wide(vc.size());
	std::vector<unsigned> mask(AUX_LD / 32 * N * BATCH, 0xaaaaaaaa);
	bool relu = epilogue & (CUBLASLT_EPILOGUE_RELU | 8), sums = epilogue & (16 | CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB);
	float scale[4] = {0.5f, 4, 0.25f, 2}, most = 0, sum[2][M + N] = {};
	for (size_t i = 0; i < bias.size(); i++)
		bias[i] = i - 2.f;
	for (int z = 0; z < BATCH; z++)
		for (int i = 0; i < M; i++)
			for (int j = 0; j < N; j++) {
				float s = 3 * 0.25f * c_at(z, i, j);
				for (int k = 0; k < K; k++) {
					s += 2 * 0.5f * 4 * a_at(z, i, k) * b_at(z, k, j) / 8;
					va[a.at(z, i, k)] = (In)(float)a_at(z, i, k);
					vb[b.at(z, k, j)] = (In)(float)b_at(z, k, j);
				}
				int at = d.at(z, i, j), x = (z * N + j) * AUX_LD + i;
				s += epilogue & CUBLASLT_EPILOGUE_BIAS ? bias[i] : 0;
				if (epilogue & 64 || epilogue & 8)
					aux[x] = (i * 3 + j * 5 + z) % 7 - 3.f;
				wide[at] = s;
				mask[x / 32] = epilogue & 8 ? (mask[x / 32] & ~(1u << x % 32)) | (unsigned)(aux[x] > 0) << x % 32 : mask[x / 32];
				s = epilogue & CUBLASLT_EPILOGUE_RELU && s < 0 ? 0 : s;
				s = epilogue & CUBLASLT_EPILOGUE_GELU ? gelu(s) : s;
				s *= epilogue & 64 ? gelu_slope(aux[x]) : epilogue & 8 ? aux[x] > 0 : 1;
				sum[z][i] += epilogue & 16 ? s : 0;
				most = fmaxf(most, fabsf(s));
				vc[at] = c_at(z, i, j);
				want[at] = s * 2;
			}
	for (int z = 0; z < BATCH; z++)
		for (int k = 0; k < K; k++) {
			for (int i = 0; i < M && epilogue & CUBLASLT_EPILOGUE_BGRADA; i++)
				sum[z][i] += a_at(z, i, k);
			for (int j = 0; j < N && epilogue & CUBLASLT_EPILOGUE_BGRADB; j++)
				sum[z][j] += b_at(z, k, j);
		}
	for (size_t i = 0; i < bias.size() * sums; i++)
		bias[i] = 77;
	std::vector<float> biases(bias);
	if (sums)
		biases.resize(2 * bias.size(), 77);
	device<In> da(va), db(vb);
	device<Out> dd(std::vector<Out>(vc.size(), (Out)9.f));
	device<float> dc(vc), dbias(biases), daux(aux), dscale(std::vector<float>(scale, scale + 4)), damax({99.f}),
		factors({2.f / 8, 3.f});
	device<unsigned> dmask(mask);
	cublasLtMatmulDesc_t p;
	int count = 0, type = CUDA_R_32F, mode = on_device ? CUBLASLT_POINTER_MODE_DEVICE : CUBLASLT_POINTER_MODE_HOST;
	int64_t ld = AUX_LD, aux_stride = AUX_LD * N, bias_stride = sums ? (int64_t)bias.size() : 0;
	float alpha = 2.f / 8, beta = 3;
	void *aux_at = relu ? (void *)dmask.p : daux.p;
	OK(cublasLtMatmulDescCreate(&p, compute, CUDA_R_32F));
#define SET(name, value) OK(cublasLtMatmulDescSetAttribute(p, CUBLASLT_MATMUL_DESC_##name, &value, sizeof value))
	SET(EPILOGUE, epilogue);
	SET(POINTER_MODE, mode);
	SET(BIAS_POINTER, dbias.p);
	SET(BIAS_DATA_TYPE, type);
	SET(BIAS_BATCH_STRIDE, bias_stride);
	SET(EPILOGUE_AUX_POINTER, aux_at);
	SET(EPILOGUE_AUX_LD, ld);
	SET(EPILOGUE_AUX_BATCH_STRIDE, aux_stride);
	SET(EPILOGUE_AUX_DATA_TYPE, type);
	SET(AMAX_D_POINTER, damax.p);
	float *at = dscale.p;
	SET(A_SCALE_POINTER, at); at++;
	SET(B_SCALE_POINTER, at); at++;
	SET(C_SCALE_POINTER, at); at++;
	SET(D_SCALE_POINTER, at);
	cublasLtMatmulHeuristicResult_t way;
	OK(cublasLtMatmulAlgoGetHeuristic(h, p, a.l, b.l, c.l, d.l, NULL, 1, &way, &count));
	OK(cublasLtMatmul(h, p, on_device ? factors.p : &alpha, da.p, a.l, db.p, b.l, on_device ? factors.p + 1 : &beta, dc.p, c.l, dd.p,
			  d.l, &way.algo, NULL, 0, 0));
	std::vector<Out> got = dd.get();
	std::vector<float> got_bias = dbias.get(), got_aux = daux.get();
	std::vector<unsigned> got_mask = dmask.get();
	bool right = count == 1 && near_to(damax.get()[0], most, 1e-3f);
	for (size_t i = 0; i < got.size(); i++)
		right = right && near_to((float)got[i], want[i], part);
	for (int z = 0; z < BATCH; z++)
		for (int i = 0; i < M; i++)
			for (int j = 0; j < N; j++) {
				int x = (z * N + j) * AUX_LD + i;
				float w = wide[d.at(z, i, j)];
				if (epilogue & CUBLASLT_EPILOGUE_GELU && epilogue & 128)
					right = right && near_to(got_aux[x], w, 1e-5f);
				if (epilogue & CUBLASLT_EPILOGUE_RELU && epilogue & 128)
					right = right && (got_mask[x / 32] >> x % 32 & 1) == (w > 0);
			}
	for (int z = 0; z < BATCH && sums; z++)
		for (int i = 0; i < (epilogue & CUBLASLT_EPILOGUE_BGRADB ? N : M); i++)
			right = right && near_to(got_bias[z * bias.size() + i], sum[z][i], 1e-3f);
	if (relu && epilogue & CUBLASLT_EPILOGUE_RELU) /* bits of rows that D does not have stay */
		right = right && (got_mask[0] >> M) == 0xaaaaaaaa >> M;
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
	static const struct {
		int epilogue;
		const char *what;
	} rows[] = {{CUBLASLT_EPILOGUE_DEFAULT, "scales"}, {CUBLASLT_EPILOGUE_RELU_AUX_BIAS, "ReLU with its mask"},
		    {CUBLASLT_EPILOGUE_GELU_AUX_BIAS, "GELU with its argument"}, {CUBLASLT_EPILOGUE_GELU_AUX, "GELU without a bias"},
		    {CUBLASLT_EPILOGUE_DRELU, "gradient of ReLU"}, {CUBLASLT_EPILOGUE_DRELU_BGRAD, "gradients of ReLU and bias"},
		    {CUBLASLT_EPILOGUE_DGELU, "gradient of GELU"}, {CUBLASLT_EPILOGUE_DGELU_BGRAD, "gradients of GELU and bias"},
		    {CUBLASLT_EPILOGUE_BGRADA, "sums of A"}, {CUBLASLT_EPILOGUE_BGRADB, "sums of B"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		finish<float, float>(CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, rows[i].epilogue, i & 1, 1e-3f, rows[i].what);
	finish<__nv_bfloat16, __nv_bfloat16>(CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUBLASLT_EPILOGUE_DGELU_BGRAD, false, 0.01f,
					     "gradients in bfloat16");
	finish<__nv_fp8_e4m3, __nv_bfloat16>(CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUBLASLT_EPILOGUE_GELU_AUX_BIAS, false, 0.01f,
					     "e4m3 to bfloat16");
	finish<__nv_fp8_e5m2, float>(CUDA_R_8F_E5M2, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUBLASLT_EPILOGUE_BGRADB, true, 1e-3f, "e5m2 to float");
	finish<__nv_fp8_e4m3, __nv_fp8_e4m3>(CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, CUBLAS_COMPUTE_32F, CUBLASLT_EPILOGUE_RELU_BIAS, false, 0.07f,
					     "e4m3 to e4m3");
	finish<signed char, float>(CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32I, CUBLASLT_EPILOGUE_BIAS, false, 1e-3f, "bytes to float");
	cublasLtMatmulDescOpaque_t p;
	shape s(CUDA_R_64F, 2, 2, false);
	cublasLtMatmulHeuristicResult_t way;
	int count = 9, epilogue = CUBLASLT_EPILOGUE_DGELU;
	OK(cublasLtMatmulDescInit(&p, CUBLAS_COMPUTE_64F, CUDA_R_64F));
	OK(cublasLtMatmulDescSetAttribute(&p, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
	check(cublasLtMatmulAlgoGetHeuristic(h, &p, s.l, s.l, s.l, s.l, NULL, 1, &way, &count) == CUBLAS_STATUS_NOT_SUPPORTED && !count,
	      "an epilogue of doubles");
	epilogue = CUBLASLT_EPILOGUE_BIAS; /* and no bias */
	shape t(CUDA_R_32F, 2, 2, false);
	device<float> x(std::vector<float>(8));
	float factor = 1;
	OK(cublasLtMatmulDescInit(&p, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	OK(cublasLtMatmulDescSetAttribute(&p, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
	check(cublasLtMatmul(h, &p, &factor, x.p, t.l, x.p, t.l, &factor, x.p, t.l, x.p, t.l, NULL, NULL, 0, 0) == CUBLAS_STATUS_INVALID_VALUE,
	      "a bias without memory");
	OK(cublasLtDestroy(h));
	printf("%d results\n", results);
	return bad != 0;
}
