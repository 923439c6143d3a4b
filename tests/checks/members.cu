// Indices outside their array but inside the containing object: the next member of a structure, the next row, the next array of
// a function. Compiled with -G, which makes the compiler check them. Comments as in kernels.cu.
#include <cuda/std/array>
#include "programs.cuh"

struct pair {
	int a[8], b[8];
};
__device__ pair device_pair;

// bug member_shared: index 8 is outside the array, which is 'int[8]'
// clean member_shared_last
__global__ void member_shared_k(int *out, int i)
{
	__shared__ pair s;
	if (TID < 8)
		s.a[TID] = s.b[TID] = TID;
	__syncthreads();
	out[TID] = s.a[i] + s.b[7];         // here member_shared
}
TEST(member_shared) { member_shared_k<<<1, N>>>(zeros(), 8); }
TEST(member_shared_last) { member_shared_k<<<1, N>>>(zeros(), 7); }

// bug member_global: index 11 is outside the array, which is 'int[8]'
__global__ void member_global_k(pair *p, int i)
{
	p->a[i + TID] = 1;                  // here member_global
}
TEST(member_global) { member_global_k<<<1, 1>>>((pair *)zeros(), 11); }

// bug member_variable: index -1 is outside the array, which is 'int[8]'
__global__ void member_variable_k(int *out, int i)
{
	device_pair.b[0] = device_pair.a[7] = 1;
	out[TID] = device_pair.b[i];        // here member_variable
}
TEST(member_variable) { member_variable_k<<<1, 1>>>(zeros(), -1); }

// bug member_local: index 9 is outside the array, which is 'int[8]'
__global__ void member_local_k(int *out, int i)
{
	pair p;
	for (int k = 0; k < 8; k++)
		p.a[k] = p.b[k] = out[k];
	out[N + TID] = p.a[i];              // here member_local
}
TEST(member_local) { member_local_k<<<1, 32>>>(zeros(), 9); }

// bug depot_neighbour: index 4 is outside the array, which is 'int[4]'
// clean depot_inside
__global__ void depot_k(int *out, int i)
{
	int a[4], b[4];
	for (int k = 0; k < 4; k++) {
		a[k] = out[k];
		b[k] = out[k + 4];
	}
	b[i & 3] = 5;
	a[i] = 7;                           // here depot_neighbour
	out[N + TID] = a[i & 3] + b[0];
}
TEST(depot_neighbour) { depot_k<<<1, 32>>>(zeros(), 4); }
TEST(depot_inside) { depot_k<<<1, 32>>>(zeros(), 3); }

// bug next_row: index 16 is outside the array, which is 'float[16]'
// clean rows_in_order
__global__ void rows_k(float *out, int last)
{
	__shared__ float t[8][16];
	for (int j = TID; j < 8 * 16; j += 32)
		t[j / 16][j % 16] = j;
	__syncwarp();
	float sum = 0;
	for (int j = 0; j <= last; j++)
		sum += t[2][j];             // here next_row
	out[TID] = sum;
}
TEST(next_row) { rows_k<<<1, 32>>>((float *)zeros(), 16); }
TEST(rows_in_order) { rows_k<<<1, 32>>>((float *)zeros(), 15); }

// bug member_of_argument: index 5 is outside the array, which is 'int[4]'
struct argument {
	int v[4], n;
};
__global__ void member_of_argument_k(argument x, int *out)
{
	out[TID] = x.v[x.n];                // here member_of_argument
}
TEST(member_of_argument) { argument x = {{1, 2, 3, 4}, 5}; member_of_argument_k<<<1, 1>>>(x, zeros()); }

// A pointer past the end is not an access, and the last member may stand for more of them.
// clean end_pointer
struct header {
	int n, data[1];
};
__global__ void end_pointer_k(header *h, int *out)
{
	__shared__ int s[32];
	int sum = 0;
	s[TID] = TID;
	__syncwarp();
	for (const int *p = s; p != &s[32]; p++)
		sum += *p;
	out[TID] = sum + h->data[TID];
}
TEST(end_pointer) { end_pointer_k<<<1, 32>>>((header *)zeros(), zeros()); }

struct cell {
	int a[4], n;
};
struct cells {
	cell c[2];
	float m[3][3];
	int tail;
};

// bug member_nested: index 4 is outside the array, which is 'int[4]'
// clean member_nested_last
__global__ void member_nested_k(cells *g, int i) { g->c[0].a[i] = 1; } // here member_nested
TEST(member_nested) { member_nested_k<<<1, 1>>>((cells *)zeros(), 4); }
TEST(member_nested_last) { member_nested_k<<<1, 1>>>((cells *)zeros(), 3); }

// bug member_column: index 3 is outside the array, which is 'float[3]'
__global__ void member_column_k(cells *g, int i) { g->m[1][i] = 1; } // here member_column
TEST(member_column) { member_column_k<<<1, 1>>>((cells *)zeros(), 3); }

// bug member_copied: index 4 is outside the array, which is 'int[4]'
__global__ void member_copied_k(cell *c, int *out, int n)
{
	cell mine = c[TID];
	int s = 0;
	for (int i = 0; i < n; i++)
		s += mine.a[i];             // here member_copied
	out[TID] = s;
}
TEST(member_copied) { member_copied_k<<<1, 1>>>((cell *)zeros(), zeros(), 5); }

// bug by_value: index 4 is outside the array, which is 'int[4]'
__device__ __noinline__ int pick(cell c, int i) { return c.a[i]; } // here by_value
__global__ void by_value_k(int *out, int i)
{
	cell c = {{1, 2, 3, 4}, 5};
	out[TID] = pick(c, i);
}
TEST(by_value) { by_value_k<<<1, 1>>>(zeros(), 4); }

// bug by_reference: index 8 is outside the array, which is 'int[8]'
__device__ __forceinline__ void put_at(int (&a)[8], int i) { a[i] = i; } // here by_reference
__global__ void by_reference_k(int *out, int n)
{
	__shared__ int s[8];
	for (int i = 0; i <= n && !TID; i++)
		put_at(s, i);
	__syncthreads();
	out[TID] = s[TID & 7];
}
TEST(by_reference) { by_reference_k<<<1, 32>>>(zeros(), 8); }

// A function that returns a reference to an element has the line of who calls it.
// bug own_array: index 5 is outside the array, which is 'int[4]'
struct array {
	int v[4];
	__device__ int &operator[](int i) { return v[i]; }
};
__global__ void own_array_k(int *out, int i)
{
	array a, b;
	for (int k = 0; k < 4; k++)
		a[k] = b[k] = k;
	out[TID] = a[i] + b[0];             // here own_array
}
TEST(own_array) { own_array_k<<<1, 32>>>(zeros(), 5); }

// bug constant_row: index 4 is outside the array, which is 'int[4]'
__constant__ int constant_rows[4][4] = {{1}};
__global__ void constant_row_k(int *out, int j) { out[TID] = constant_rows[TID][j]; } // here constant_row
TEST(constant_row) { constant_row_k<<<1, 3>>>(zeros(), 4); }

// ---- references to elements ----

template <class T, int n> struct elements {
	T v[n];
	__device__ T &operator[](int i) { return v[i]; }
	__device__ const T &operator[](int i) const { return v[i]; }
	__device__ T &at(int i);
};
template <class T, int n> __device__ T &elements<T, n>::at(int i) { return this->v[i]; }
struct two {
	elements<int, 8> a, b;
};

// bug element_shared: index 8 is outside the array, which has 8 elements
// clean element_shared_last
__global__ void element_shared_k(int *out, int i)
{
	__shared__ two s;
	s.a[TID] = s.b[TID] = TID;
	__syncthreads();
	out[TID] = s.a[i];                  // here element_shared
}
TEST(element_shared) { element_shared_k<<<1, 8>>>(zeros(), 8); }
TEST(element_shared_last) { element_shared_k<<<1, 8>>>(zeros(), 7); }

// bug element_local: index 8 is outside the array, which has 8 elements
__global__ void element_local_k(int *out, int i)
{
	two t = {};
	t.a[i] = TID;                       // here element_local
	out[TID] = t.b[0] + t.a[i & 7];
}
TEST(element_local) { element_local_k<<<1, 8>>>(zeros(), 8); }

// bug element_global: index 8 is outside the array, which has 8 elements
__global__ void element_global_k(two *p, int i)
{
	p->a.at(i)++;                       // here element_global
}
TEST(element_global) { element_global_k<<<1, 1>>>((two *)zeros(), 8); }

// bug element_const: index 8 is outside the array, which has 8 elements
__global__ void element_const_k(const two *p, int *out, int i)
{
	out[TID] = p->a[i];                 // here element_const
}
TEST(element_const) { element_const_k<<<1, 1>>>((two *)zeros(), zeros(), 8); }

// bug element_far: index 9 is outside the array, which is 'int[8]'
__global__ void element_far_k(two *p, int i)
{
	p->a[i] = 1;                        // here element_far
}
TEST(element_far) { element_far_k<<<1, 1>>>((two *)zeros(), 9); }

// bug element_row: index 2 is outside the array, which has 2 elements
// clean element_rows
__global__ void element_row_k(elements<elements<int, 4>, 2> *m, int *out, int i)
{
	out[TID] = m[0][i][TID];            // here element_row
}
TEST(element_row) { element_row_k<<<1, 4>>>((elements<elements<int, 4>, 2> *)zeros(), zeros(), 2); }
TEST(element_rows) { element_row_k<<<1, 4>>>((elements<elements<int, 4>, 2> *)zeros(), zeros(), 1); }

// bug standard_array: index 4 is outside the array, which has 4 elements
// clean standard_array_all
struct standard {
	cuda::std::array<int, 4> a, b;
};
__global__ void standard_k(standard *p, int *out, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += p->a[i];             // here standard_array
	for (int x : p->b)
		sum += x;
	for (auto q = p->a.begin(), end = p->a.end(); q != end; ++q)
		sum += *q;
	out[TID] = sum + p->a.front() + p->b.back();
}
TEST(standard_array) { standard_k<<<1, 1>>>((standard *)zeros(), zeros(), 5); }
TEST(standard_array_all) { standard_k<<<1, 1>>>((standard *)zeros(), zeros(), 4); }

// Rows, tails of unknown length, constants: all inside.
template <class T, int r, int c> struct mat {
	T m[r][c];
	__host__ __device__ T *operator[](int i) { return m[i]; }
	__host__ __device__ T &operator()(int i, int j) { return m[i][j]; }
};
struct v3 {
	float e[3];
	__host__ __device__ float &operator[](int i) { return e[i]; }
	__host__ __device__ float operator[](int i) const { return e[i]; }
};
struct flex {
	int n, tail[1];
	__device__ int &operator[](int i) { return tail[i]; }
};
template <class T> struct span_ {
	T *p;
	int n;
	__device__ T &operator[](int i) const { return p[i]; }
};
struct bits {
	unsigned w[4];
	__device__ unsigned &word(int i) { return w[i]; }
	__device__ bool get(int i) { return w[i / 32] >> i % 32 & 1; }
};
// clean matrices
// clean flexible
__global__ void matrices_k(int *out)
{
	mat<float, 3, 4> a;
	v3 v = {{1, 2, 3}};
	const v3 w = v;
	float s = 0;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 4; j++) {
			a[i][j] = i + j;
			a(i, j) += v[i] + w[i];
			s += a[i][j];
		}
	bits b = {};
	for (int i = 0; i < 4; i++)
		b.word(i) = TID;
	s += b.get(127);
	cuda::std::array<cuda::std::array<int, 4>, 2> n = {};
	for (auto &r : n)
		for (auto &x : r)
			x = TID;
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 4; j++)
			s += n[i][j];
	constexpr cuda::std::array<int, 3> k = {1, 2, 3};
	static_assert(k[2] == 3, "");
	out[TID] = s + k[TID % 3];
}
TEST(matrices) { matrices_k<<<1, 32>>>(zeros()); }
__global__ void flexible_k(flex *f, span_<int> s) 
{
	for (int i = 0; i < 8; i++)
		(*f)[i] = s[i];
}
TEST(flexible) { flexible_k<<<1, 1>>>((flex *)zeros(), span_<int>{zeros(), 8}); }

MAIN
