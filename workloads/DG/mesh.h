/*
 * Tetrahedra for DG: a box of cubes, each cut into six around one of its diagonals, with the inner
 * vertices moved a little; the geometry of each tetrahedron and what lies behind its faces.
 */
#ifndef MESH_H
#define MESH_H
#include <algorithm>
#include <array>
#include <map>
#include "../common/workload.h"
#include "element.h"

struct tetra {
	int vertex[4];
	double node[NODES][3];      /* places of the nodes */
	double grad[3][3];          /* grad[r][x]: how reference coordinate r changes along x */
	double volume;              /* six times the volume: the map's determinant */
	double normal[FACES][3], scale[FACES]; /* outward; twice the area over the determinant */
	int behind[FACES][FACE_NODES]; /* node of the neighbour there as element * NODES + node, -1: wall */
};

struct mesh {
	std::vector<std::array<double, 3>> vertex;
	std::vector<tetra> element;
};

static const int face_vertex[FACES][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};

static inline void cross(const double *a, const double *b, double *c)
{
	for (int i = 0; i < 3; i++)
		c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Places, gradients and faces of one tetrahedron from its vertices. */
static inline void mesh_geometry(const mesh &m, const element &e, tetra &t)
{
	double v[4][3], side[3][3], area[3];
	for (int k = 0; k < 4; k++)
		std::copy(m.vertex[t.vertex[k]].begin(), m.vertex[t.vertex[k]].end(), v[k]);
	for (int r = 0; r < 3; r++)
		for (int x = 0; x < 3; x++)
			side[r][x] = v[r + 1][x] - v[0][x];
	for (int n = 0; n < NODES; n++)
		for (int x = 0; x < 3; x++) {
			t.node[n][x] = v[0][x];
			for (int r = 0; r < 3; r++)
				t.node[n][x] += side[r][x] * e.at[n][r] / DEGREE;
		}
	t.volume = 0;
	for (int r = 0; r < 3; r++) {
		cross(side[(r + 1) % 3], side[(r + 2) % 3], t.grad[r]);
		if (r == 0)
			for (int x = 0; x < 3; x++)
				t.volume += side[0][x] * t.grad[0][x];
	}
	for (int r = 0; r < 3; r++)
		for (int x = 0; x < 3; x++)
			t.grad[r][x] /= t.volume;
	for (int f = 0; f < FACES; f++) {
		const int *c = face_vertex[f];
		double a[3], b[3], out = 0, length = 0;
		for (int x = 0; x < 3; x++) {
			a[x] = v[c[1]][x] - v[c[0]][x];
			b[x] = v[c[2]][x] - v[c[0]][x];
		}
		cross(a, b, area);
		for (int x = 0; x < 3; x++) { /* the vertex opposite face f is number 3 - f */
			length += area[x] * area[x];
			out += area[x] * (v[c[0]][x] - v[3 - f][x]);
		}
		length = sqrt(length);
		for (int x = 0; x < 3; x++)
			t.normal[f][x] = area[x] / length * (out > 0 ? 1 : -1);
		t.scale[f] = length / t.volume;
	}
}

/* Pairs up faces with the same three vertices, and their nodes by place. */
static inline void mesh_connect(mesh &m, const element &e)
{
	std::map<std::array<int, 3>, std::pair<int, int>> open;
	for (int k = 0; k < (int)m.element.size(); k++)
		for (int f = 0; f < FACES; f++) {
			std::array<int, 3> key;
			for (int i = 0; i < 3; i++)
				key[i] = m.element[k].vertex[face_vertex[f][i]];
			std::sort(key.begin(), key.end());
			std::fill(m.element[k].behind[f], m.element[k].behind[f] + FACE_NODES, -1);
			auto it = open.find(key);
			if (it == open.end()) {
				open[key] = std::make_pair(k, f);
				continue;
			}
			int k2 = it->second.first, f2 = it->second.second;
			for (int n = 0; n < FACE_NODES; n++)
				for (int n2 = 0; n2 < FACE_NODES; n2++) {
					int a = e.face_node[f][n], b = e.face_node[f2][n2];
					double d = 0;
					for (int x = 0; x < 3; x++)
						d += fabs(m.element[k].node[a][x] - m.element[k2].node[b][x]);
					if (d < 1e-9) {
						m.element[k].behind[f][n] = k2 * NODES + b;
						m.element[k2].behind[f2][n2] = k * NODES + a;
					}
				}
		}
}

/* nx by ny by nz unit cubes, of which the last tetrahedra beyond `count` are left out. */
static inline mesh mesh_box(struct rng *r, const element &e, int nx, int ny, int nz, int count)
{
	static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
	mesh m;
	for (int k = 0; k <= nz; k++)
		for (int j = 0; j <= ny; j++)
			for (int i = 0; i <= nx; i++) {
				std::array<double, 3> v = {{(double)i, (double)j, (double)k}};
				for (double &x : v)
					x += rng_range(r, -0.08f, 0.08f);
				m.vertex.push_back(v);
			}
	for (int cube = 0; cube < nx * ny * nz; cube++)
		for (int way = 0; way < 6 && (int)m.element.size() < count; way++) {
			int at[3] = {cube % nx, cube / nx % ny, cube / nx / ny};
			tetra t;
			for (int k = 0; k < 4; k++) {
				t.vertex[k] = (at[2] * (ny + 1) + at[1]) * (nx + 1) + at[0];
				if (k < 3)
					at[order[way][k]]++;
			}
			if (way >= 3) /* odd orders are left-handed */
				std::swap(t.vertex[1], t.vertex[2]);
			mesh_geometry(m, e, t);
			m.element.push_back(t);
		}
	mesh_connect(m, e);
	return m;
}

#endif
