/*
 * DG: Maxwell's equations in time on tetrahedra, by the nodal discontinuous Galerkin method, degree 6.
 *
 * Used by: stsimt (Table II: three kernels, 268, 268 and 603 blocks of 84, 112 and 256 threads).
 * Geometry: 268 tetrahedra with 84 nodes each. dg_volume: a block a tetrahedron, a thread a node, curls
 *   of the fields inside. dg_surface: a block a tetrahedron, a thread for each of the 4 x 28 nodes of
 *   its faces; fluxes through them, then lifted to the 84 nodes. dg_advance: a low-storage Runge-Kutta
 *   stage for all values; an element's six fields are padded to 96 words each, so 268 x 576 values make
 *   603 blocks of 256. Five stages make a step.
 * Memory: fields of the element, then fluxes, in shared memory; derivative matrices in a texture of four
 *   words; geometry in global memory. 18 sums a thread in dg_volume: many registers. 84 and 112 threads
 *   leave the last warp partly empty.
 * Input: synthetic mesh, a box of 3x3x5 cubes of six tetrahedra less the last two, vertices moved by up to 8 %,
 *   walls of perfect conductor, upwind fluxes; smooth fields of random phase to begin with.
 * Check: all fields after all steps, in double precision with dense matrices and another order of
 *   operations; energy must not grow; the derivative matrices must be exact for polynomials.
 */
#include "../common/workload.h"
#include "element.h"
#include "mesh.h"

enum { FIELDS = 6, PAD = 96, BLOCK = FIELDS * PAD, THREADS = 256, STAGES = 5 }; /* fields: H, then E */

/* Carpenter and Kennedy's five-stage fourth-order scheme. */
static const double rk_a[STAGES] = {0, -567301805773.0 / 1357537059087.0, -2404267990393.0 / 2016746695238.0,
	-3550918686646.0 / 2091501179385.0, -1275806237668.0 / 842570457699.0};
static const double rk_b[STAGES] = {1432997174477.0 / 9575080441755.0, 5161836677717.0 / 13612068292357.0,
	1720146321549.0 / 2090206949498.0, 3134564353537.0 / 4481467310338.0, 2277821191437.0 / 14882151754819.0};

/* The curl of E with a minus sign and the curl of H. diff: column by column, the three derivatives in
 * one texel. */
__global__ void dg_volume(float *rate, const float *field, const float *grad, cudaTextureObject_t diff)
{
	__shared__ float f[FIELDS][NODES];
	int n = threadIdx.x, k = blockIdx.x;
	for (int i = 0; i < FIELDS; i++)
		f[i][n] = field[k * BLOCK + i * PAD + n];
	__syncthreads();
	float d[FIELDS][3] = {};
	for (int m = 0; m < NODES; m++) {
		float4 w = tex1Dfetch<float4>(diff, m * NODES + n);
#pragma unroll
		for (int i = 0; i < FIELDS; i++) {
			float v = f[i][m];
			d[i][0] += w.x * v;
			d[i][1] += w.y * v;
			d[i][2] += w.z * v;
		}
	}
	float g[3][3]; /* g[x][r] */
#pragma unroll
	for (int i = 0; i < 9; i++)
		g[i / 3][i % 3] = grad[k * 9 + i];
#pragma unroll
	for (int x = 0; x < 3; x++) {
		const int y = (x + 1) % 3, z = (x + 2) % 3;
		float curl_h = 0, curl_e = 0;
#pragma unroll
		for (int r = 0; r < 3; r++) {
			curl_h += g[y][r] * d[z][r] - g[z][r] * d[y][r];
			curl_e += g[y][r] * d[3 + z][r] - g[z][r] * d[3 + y][r];
		}
		rate[k * BLOCK + x * PAD + n] = -curl_e;
		rate[k * BLOCK + (3 + x) * PAD + n] = curl_h;
	}
}

struct face_point {
	float nx, ny, nz, scale;
	int inside, outside; /* words in the array of fields; outside -1: a wall */
};

/* Adds what flows through the faces: upwind fluxes of the jumps, lifted. */
__global__ void dg_surface(float *rate, const float *field, const struct face_point *points, const float *lift)
{
	__shared__ float flux[FIELDS][ALL_FACE_NODES];
	int t = threadIdx.x, k = blockIdx.x;
	struct face_point p = points[k * ALL_FACE_NODES + t];
	float n[3] = {p.nx, p.ny, p.nz}, dh[3], de[3], ndh = 0, nde = 0;
#pragma unroll
	for (int x = 0; x < 3; x++) {
		float h = field[p.inside + x * PAD], e = field[p.inside + (3 + x) * PAD];
		if (p.outside < 0) { /* the field behind the wall mirrors H and turns E */
			dh[x] = 0;
			de[x] = -2 * e;
		} else {
			dh[x] = field[p.outside + x * PAD] - h;
			de[x] = field[p.outside + (3 + x) * PAD] - e;
		}
		ndh += n[x] * dh[x];
		nde += n[x] * de[x];
	}
#pragma unroll
	for (int x = 0; x < 3; x++) {
		const int y = (x + 1) % 3, z = (x + 2) % 3;
		flux[x][t] = 0.5f * p.scale * (n[z] * de[y] - n[y] * de[z] + dh[x] - ndh * n[x]);
		flux[3 + x][t] = 0.5f * p.scale * (n[y] * dh[z] - n[z] * dh[y] + de[x] - nde * n[x]);
	}
	__syncthreads();
	if (t >= NODES)
		return;
	float sum[FIELDS] = {};
	for (int m = 0; m < ALL_FACE_NODES; m++) {
		float l = lift[m * NODES + t];
#pragma unroll
		for (int i = 0; i < FIELDS; i++)
			sum[i] += l * flux[i][m];
	}
#pragma unroll
	for (int i = 0; i < FIELDS; i++)
		rate[k * BLOCK + i * PAD + t] += sum[i];
}

__global__ void dg_advance(float *field, float *rest, const float *rate, float a, float b, float dt, int n)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i >= n)
		return;
	float r = a * rest[i] + dt * rate[i];
	rest[i] = r;
	field[i] += b * r;
}

/* ---- reference ---- */

typedef std::vector<double> state; /* [element][field][node] */

static size_t place(int k, int i, int n)
{
	return ((size_t)k * FIELDS + i) * NODES + n;
}

/* Derivative of a field in space: first along the reference axes, then along x, y, z. */
static void gradient(const element &e, const tetra &t, const double *f, double out[3][NODES])
{
	for (int n = 0; n < NODES; n++) {
		double r[3] = {0, 0, 0};
		for (int axis = 0; axis < 3; axis++)
			for (int m = 0; m < NODES; m++)
				r[axis] += e.diff[axis](n, m) * f[m];
		for (int x = 0; x < 3; x++)
			out[x][n] = r[0] * t.grad[0][x] + r[1] * t.grad[1][x] + r[2] * t.grad[2][x];
	}
}

/* Jumps of H and E at a face node, then n x dE and the like with vectors. */
static void face_flux(const state &s, const mesh &m, const element &e, int k, int f, int p, double out[FIELDS])
{
	const tetra &t = m.element[k];
	int n = e.face_node[f][p], other = t.behind[f][p];
	double jump[FIELDS], nxe[3], nxh[3], along[2] = {0, 0};
	for (int i = 0; i < FIELDS; i++) {
		double in = s[place(k, i, n)];
		double outside = other < 0 ? (i < 3 ? in : -in) : s[place(other / NODES, i, other % NODES)];
		jump[i] = outside - in;
		along[i / 3] += jump[i] * t.normal[f][i % 3];
	}
	cross(t.normal[f], jump, nxh);
	cross(t.normal[f], jump + 3, nxe);
	for (int x = 0; x < 3; x++) {
		out[x] = (-nxe[x] + jump[x] - along[0] * t.normal[f][x]) * t.scale[f] / 2;
		out[3 + x] = (nxh[x] + jump[3 + x] - along[1] * t.normal[f][x]) * t.scale[f] / 2;
	}
}

static void rates(const state &s, const mesh &m, const element &e, state &out)
{
	std::vector<double> lifted(NODES);
	for (int k = 0; k < (int)m.element.size(); k++) {
		double g[FIELDS][3][NODES], flux[FIELDS];
		for (int i = 0; i < FIELDS; i++)
			gradient(e, m.element[k], &s[place(k, i, 0)], g[i]);
		for (int n = 0; n < NODES; n++)
			for (int x = 0; x < 3; x++) {
				int y = (x + 1) % 3, z = (x + 2) % 3;
				out[place(k, x, n)] = g[3 + y][z][n] - g[3 + z][y][n];
				out[place(k, 3 + x, n)] = g[z][y][n] - g[y][z][n];
			}
		for (int f = 0; f < FACES; f++)
			for (int p = 0; p < FACE_NODES; p++) {
				face_flux(s, m, e, k, f, p, flux);
				for (int i = 0; i < FIELDS; i++)
					for (int n = 0; n < NODES; n++)
						out[place(k, i, n)] += e.lift(n, f * FACE_NODES + p) * flux[i];
			}
	}
}

static double energy(const state &s, const mesh &m, const element &e)
{
	double sum = 0;
	for (int k = 0; k < (int)m.element.size(); k++)
		for (int i = 0; i < FIELDS; i++)
			for (int a = 0; a < NODES; a++)
				for (int b = 0; b < NODES; b++)
					sum += m.element[k].volume * s[place(k, i, a)] * e.mass(a, b) * s[place(k, i, b)];
	return sum / 2;
}

/* The derivatives of x^3 y^2 z - y^6 at all nodes. */
static bool derivatives_exact(const element &e)
{
	std::vector<double> f(NODES);
	double worst = 0;
	for (int n = 0; n < NODES; n++) {
		double x = e.at[n][0] / 6.0, y = e.at[n][1] / 6.0, z = e.at[n][2] / 6.0;
		f[n] = x * x * x * y * y * z - pow(y, 6);
	}
	for (int n = 0; n < NODES; n++) {
		double x = e.at[n][0] / 6.0, y = e.at[n][1] / 6.0, z = e.at[n][2] / 6.0, d[3] = {0, 0, 0};
		for (int axis = 0; axis < 3; axis++)
			for (int m = 0; m < NODES; m++)
				d[axis] += e.diff[axis](n, m) * f[m];
		worst = fmax(worst, fabs(d[0] - 3 * x * x * y * y * z));
		worst = fmax(worst, fabs(d[1] - (2 * x * x * x * y * z - 6 * pow(y, 5))));
		worst = fmax(worst, fabs(d[2] - x * x * x * y * y));
	}
	return worst < 1e-8;
}

/* ---- host ---- */

struct device {
	float *field, *rest, *rate, *grad, *lift;
	struct face_point *points;
	cudaTextureObject_t diff;
	int elements;
};

static cudaTextureObject_t upload_diff(const element &e)
{
	std::vector<float4> table((size_t)NODES * NODES);
	for (int m = 0; m < NODES; m++)
		for (int n = 0; n < NODES; n++)
			table[(size_t)m * NODES + n] = make_float4((float)e.diff[0](n, m), (float)e.diff[1](n, m),
			                                           (float)e.diff[2](n, m), 0);
	cudaResourceDesc res = {};
	res.resType = cudaResourceTypeLinear;
	res.res.linear.devPtr = to_device(table);
	res.res.linear.desc = cudaCreateChannelDesc<float4>();
	res.res.linear.sizeInBytes = table.size() * sizeof(float4);
	cudaTextureDesc desc = {};
	desc.readMode = cudaReadModeElementType;
	cudaTextureObject_t t;
	CUDA(cudaCreateTextureObject(&t, &res, &desc, NULL));
	return t;
}

static struct device upload(const mesh &m, const element &e, const state &s)
{
	int elements = (int)m.element.size();
	std::vector<float> field((size_t)elements * BLOCK, 0), grad((size_t)elements * 9);
	std::vector<float> lift((size_t)NODES * ALL_FACE_NODES);
	std::vector<struct face_point> points((size_t)elements * ALL_FACE_NODES);
	for (int k = 0; k < elements; k++) {
		const tetra &t = m.element[k];
		for (int i = 0; i < FIELDS; i++)
			for (int n = 0; n < NODES; n++)
				field[(size_t)k * BLOCK + i * PAD + n] = (float)s[place(k, i, n)];
		for (int i = 0; i < 9; i++)
			grad[(size_t)k * 9 + i] = (float)t.grad[i % 3][i / 3];
		for (int p = 0; p < ALL_FACE_NODES; p++) {
			int f = p / FACE_NODES, at = p % FACE_NODES, other = t.behind[f][at];
			struct face_point q = {(float)t.normal[f][0], (float)t.normal[f][1], (float)t.normal[f][2],
				(float)t.scale[f], k * BLOCK + e.face_node[f][at],
				other < 0 ? -1 : other / NODES * BLOCK + other % NODES};
			points[(size_t)k * ALL_FACE_NODES + p] = q;
		}
	}
	for (int n = 0; n < NODES; n++)
		for (int p = 0; p < ALL_FACE_NODES; p++)
			lift[(size_t)p * NODES + n] = (float)e.lift(n, p);
	struct device d = {to_device(field), zeroed_on_device<float>(field.size()),
		zeroed_on_device<float>(field.size()), to_device(grad), to_device(lift), to_device(points),
		upload_diff(e), elements};
	return d;
}

static void simulate(const struct device *d, int steps, double dt)
{
	int n = d->elements * BLOCK;
	for (int stage = 0; stage < steps * STAGES; stage++) {
		dg_volume<<<d->elements, NODES>>>(d->rate, d->field, d->grad, d->diff);
		CUDA_LAUNCHED();
		dg_surface<<<d->elements, ALL_FACE_NODES>>>(d->rate, d->field, d->points, d->lift);
		CUDA_LAUNCHED();
		dg_advance<<<(n + THREADS - 1) / THREADS, THREADS>>>(d->field, d->rest, d->rate,
			(float)rk_a[stage % STAGES], (float)rk_b[stage % STAGES], (float)dt, n);
		CUDA_LAUNCHED();
	}
}

static void simulate_on_host(state &s, const mesh &m, const element &e, int steps, double dt)
{
	state rest(s.size(), 0), rate(s.size());
	for (int stage = 0; stage < steps * STAGES; stage++) {
		rates(s, m, e, rate);
		for (size_t i = 0; i < s.size(); i++) {
			rest[i] = rk_a[stage % STAGES] * rest[i] + dt * rate[i];
			s[i] += rk_b[stage % STAGES] * rest[i];
		}
	}
}

static state make_fields(struct rng *r, const mesh &m)
{
	state s(m.element.size() * FIELDS * NODES);
	double phase[FIELDS][3];
	for (int i = 0; i < FIELDS; i++)
		for (int x = 0; x < 3; x++)
			phase[i][x] = rng_range(r, 0, 6.2831853f);
	for (int k = 0; k < (int)m.element.size(); k++)
		for (int i = 0; i < FIELDS; i++)
			for (int n = 0; n < NODES; n++) {
				const double *x = m.element[k].node[n];
				s[place(k, i, n)] = (float)(sin(x[0] + phase[i][0]) * cos(x[1] + phase[i][1]) *
				                            sin(x[2] + phase[i][2]));
			}
	return s;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("DG", argc, argv);
	int steps = (int)workload_number(&w, "--steps", workload_pick(&w, 1, 1, 2), 1, 1000);
	workload_options_end(&w);
	element e;
	int side = workload_pick(&w, 2, 3, 3), high = workload_pick(&w, 2, 3, 5);
	mesh m = mesh_box(&w.rng, e, side, side, high, workload_pick(&w, 48, 162, 268));
	state s = make_fields(&w.rng, m), got(s.size());
	double widest = 0, before = energy(s, m, e);
	for (const tetra &t : m.element)
		for (double scale : t.scale)
			widest = fmax(widest, scale);
	double dt = 1 / (widest * (DEGREE + 1) * (DEGREE + 1));
	struct device d = upload(m, e, s);
	simulate(&d, steps, dt);
	std::vector<float> field((size_t)d.elements * BLOCK);
	from_device(field, d.field);
	for (int k = 0; k < d.elements; k++)
		for (int i = 0; i < FIELDS; i++)
			for (int n = 0; n < NODES; n++)
				got[place(k, i, n)] = field[(size_t)k * BLOCK + i * PAD + n];
	simulate_on_host(s, m, e, steps, dt);
	double after = energy(got, m, e);
	check_true(&w, "derivatives of polynomials", derivatives_exact(e));
	check_true(&w, "energy does not grow", after <= before * (1 + 1e-5) && after > before / 2);
	check_near(&w, "field", got, s, 3e-6 * steps);
	return workload_finish(&w);
}
