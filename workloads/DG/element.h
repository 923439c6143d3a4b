/*
 * The reference tetrahedron of degree 6 for DG: 84 nodes on a regular lattice, and the matrices that
 * differentiate a polynomial given at the nodes and lift a function on the faces into the volume.
 *
 * Polynomials are sums of monomials x^a y^b z^c with a + b + c <= 6; their integrals over the unit
 * tetrahedron and the unit triangle are known in closed form, a! b! c! / (a + b + c + 3)! and
 * a! b! / (a + b + 2)!. Everything else is linear algebra on small matrices.
 */
#ifndef ELEMENT_H
#define ELEMENT_H
#include <math.h>
#include <utility>
#include <vector>

enum { DEGREE = 6, NODES = 84, FACES = 4, FACE_NODES = 28, ALL_FACE_NODES = FACES * FACE_NODES };

/* Row-major square or rectangular matrix. */
struct matrix {
	int rows, cols;
	std::vector<double> v;
	matrix(int r, int c) : rows(r), cols(c), v((size_t)r * c, 0) {}
	double &operator()(int r, int c) { return v[(size_t)r * cols + c]; }
	double operator()(int r, int c) const { return v[(size_t)r * cols + c]; }
};

static inline matrix operator*(const matrix &a, const matrix &b)
{
	matrix m(a.rows, b.cols);
	for (int i = 0; i < a.rows; i++)
		for (int k = 0; k < a.cols; k++)
			for (int j = 0; j < b.cols; j++)
				m(i, j) += a(i, k) * b(k, j);
	return m;
}

static inline matrix transposed(const matrix &a)
{
	matrix m(a.cols, a.rows);
	for (int i = 0; i < a.rows; i++)
		for (int j = 0; j < a.cols; j++)
			m(j, i) = a(i, j);
	return m;
}

/* Gauss-Jordan with row exchanges. */
static inline matrix inverse(matrix a)
{
	int n = a.rows;
	matrix m(n, n);
	for (int i = 0; i < n; i++)
		m(i, i) = 1;
	for (int c = 0; c < n; c++) {
		int p = c;
		for (int r = c; r < n; r++)
			if (fabs(a(r, c)) > fabs(a(p, c)))
				p = r;
		for (int k = 0; k < n; k++) {
			std::swap(a(c, k), a(p, k));
			std::swap(m(c, k), m(p, k));
		}
		double f = 1 / a(c, c);
		for (int k = 0; k < n; k++) {
			a(c, k) *= f;
			m(c, k) *= f;
		}
		for (int r = 0; r < n; r++) {
			f = a(r, c);
			if (r == c || f == 0)
				continue;
			for (int k = 0; k < n; k++) {
				a(r, k) -= f * a(c, k);
				m(r, k) -= f * m(c, k);
			}
		}
	}
	return m;
}

static inline double factorial(int n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

struct element {
	int at[NODES][3];                         /* lattice coordinates, 0 to 6; also the monomials' powers */
	int face_node[FACES][FACE_NODES];         /* faces z = 0, y = 0, x = 0, x + y + z = 1 */
	matrix diff[3];                           /* by x, y, z */
	matrix mass, lift;

	element() : diff{matrix(NODES, NODES), matrix(NODES, NODES), matrix(NODES, NODES)},
	            mass(NODES, NODES), lift(NODES, ALL_FACE_NODES)
	{
		int n = 0, count[FACES] = {0, 0, 0, 0};
		for (int k = 0; k <= DEGREE; k++)
			for (int j = 0; j + k <= DEGREE; j++)
				for (int i = 0; i + j + k <= DEGREE; i++, n++) {
					at[n][0] = i, at[n][1] = j, at[n][2] = k;
					bool on[FACES] = {k == 0, j == 0, i == 0, i + j + k == DEGREE};
					for (int f = 0; f < FACES; f++)
						if (on[f])
							face_node[f][count[f]++] = n;
				}
		volume();
		surface();
	}

private:
	double power(int node, int axis, int p) const
	{
		return p < 0 ? 0 : pow((double)at[node][axis] / DEGREE, p); /* 0^0 is 1 */
	}

	void volume()
	{
		matrix value(NODES, NODES), gram(NODES, NODES), slope(NODES, NODES);
		for (int n = 0; n < NODES; n++)
			for (int m = 0; m < NODES; m++) {
				value(n, m) = power(n, 0, at[m][0]) * power(n, 1, at[m][1]) * power(n, 2, at[m][2]);
				int a = at[n][0] + at[m][0], b = at[n][1] + at[m][1], c = at[n][2] + at[m][2];
				gram(n, m) = factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3);
			}
		matrix coefficients = inverse(value);
		for (int axis = 0; axis < 3; axis++) {
			for (int n = 0; n < NODES; n++)
				for (int m = 0; m < NODES; m++) {
					double s = at[m][axis];
					for (int k = 0; k < 3; k++)
						s *= power(n, k, at[m][k] - (k == axis));
					slope(n, m) = s;
				}
			diff[axis] = slope * coefficients;
		}
		mass = transposed(coefficients) * gram * coefficients;
	}

	/* Two of the lattice coordinates tell the nodes of a face apart: the other two than its own, and
	 * the first two on the sloping face. In them each face is the unit triangle. */
	void surface()
	{
		static const int own[FACES][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 1}};
		matrix faces(NODES, ALL_FACE_NODES);
		for (int f = 0; f < FACES; f++) {
			matrix value(FACE_NODES, FACE_NODES), gram(FACE_NODES, FACE_NODES);
			for (int n = 0; n < FACE_NODES; n++)
				for (int m = 0; m < FACE_NODES; m++) {
					const int *p = at[face_node[f][n]], *q = at[face_node[f][m]];
					int a = q[own[f][0]], b = q[own[f][1]];
					value(n, m) = power(face_node[f][n], own[f][0], a) * power(face_node[f][n], own[f][1], b);
					a += p[own[f][0]];
					b += p[own[f][1]];
					gram(n, m) = factorial(a) * factorial(b) / factorial(a + b + 2);
				}
			matrix coefficients = inverse(value), face = transposed(coefficients) * gram * coefficients;
			for (int n = 0; n < FACE_NODES; n++)
				for (int m = 0; m < FACE_NODES; m++)
					faces(face_node[f][n], f * FACE_NODES + m) = face(n, m);
		}
		lift = inverse(mass) * faces;
	}
};

#endif
