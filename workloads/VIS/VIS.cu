/*
 * VIS: which guards of a game see which cells of its map: lines of sight on a grid.
 *
 * Used by: stsimt (Table II: 24 blocks of 256 threads, domain game AI).
 * Geometry: a thread a cell; 24 blocks are 6,144 cells, a map of 96x64. A thread walks the line
 *   from each guard to its cell with Bresenham's algorithm and gives up at the first wall, or at
 *   once when the cell is out of the guard's range or a wall itself: loops of different length,
 *   early exits, two directions of walking. The paper says nothing beyond the geometry.
 * Memory: byte loads from the map in global memory, guards from constant memory; no shared memory.
 * Input: a map of rooms with doors and pillars, 64 guards at random free cells, range 40.
 * Check: lines in closed form (each step's cell by one division), walked over the whole length.
 */
#include "../common/workload.h"

enum { THREADS = 256, MOST_GUARDS = 256, RANGE = 40 };

__constant__ int2 guards[MOST_GUARDS];

/* Is there a wall between (x0, y0) and (x1, y1), both ends apart? */
static __device__ bool blocked(const unsigned char *wall, int width, int x0, int y0, int x1, int y1)
{
	int dx = abs(x1 - x0), dy = abs(y1 - y0);
	int sx = x0 < x1 ? 1 : -1, sy = (y0 < y1 ? 1 : -1) * width;
	int at = y0 * width + x0;
	if (dx < dy) {                               /* walk along y instead */
		int t = dx;
		dx = dy;
		dy = t;
		t = sx;
		sx = sy;
		sy = t;
	}
	int error = 2 * dy - dx;
	for (int i = 1; i < dx; i++) {
		if (error > 0) {
			at += sy;
			error -= 2 * dx;
		}
		error += 2 * dy;
		at += sx;
		if (wall[at])
			return true;
	}
	return false;
}

/* For each cell: how many guards see it, and the nearest of them (-1: none). */
__global__ void visibility(const unsigned char *wall, int width, int height, int n, int *seen,
                           int *nearest)
{
	int cell = blockIdx.x * blockDim.x + threadIdx.x;
	if (cell >= width * height)
		return;
	int x = cell % width, y = cell / width, count = 0, best = -1,
	    best_distance = RANGE * RANGE + 1;
	if (!wall[cell]) {
		for (int g = 0; g < n; g++) {
			int2 p = guards[g];
			int distance = (p.x - x) * (p.x - x) + (p.y - y) * (p.y - y);
			if (distance > RANGE * RANGE)
				continue;
			if (blocked(wall, width, p.x, p.y, x, y))
				continue;
			count++;
			if (distance < best_distance) {
				best_distance = distance;
				best = g;
			}
		}
	}
	seen[cell] = count;
	nearest[cell] = best;
}

/* Outer walls, inner ones every 16 cells with doors two cells wide, and pillars. */
static std::vector<unsigned char> map_make(struct workload *w, int width, int height)
{
	std::vector<unsigned char> wall((size_t)width * height);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++)
			wall[(size_t)y * width + x] = x == 0 || y == 0 || x == width - 1 ||
			                              y == height - 1 || x % 16 == 0 ||
			                              y % 16 == 0 || rng_below(&w->rng, 40) == 0;
	for (int y = 0; y < height; y += 16)
		for (int x = 0; x < width; x += 16)
			for (int d = 0; d < 2; d++) {
				int door = 3 + (int)rng_below(&w->rng, 10);
				if (y)
					wall[(size_t)y * width + x + door + d] = 0;
				if (x)
					wall[(size_t)(y + door + d) * width + x] = 0;
			}
	return wall;
}

/* Step i of the line from a to b along the longer direction; the other coordinate by division. */
static bool line_clear(const std::vector<unsigned char> &wall, int width, int2 a, int2 b)
{
	int dx = b.x - a.x, dy = b.y - a.y;
	bool steep = abs(dx) < abs(dy);
	int length = steep ? abs(dy) : abs(dx), rise = steep ? abs(dx) : abs(dy);
	bool clear = true;
	for (int i = 1; i < length; i++) {
		int along = i, beside = (2 * i * rise + length - 1) / (2 * length);
		int x = a.x + (dx < 0 ? -1 : 1) * (steep ? beside : along);
		int y = a.y + (dy < 0 ? -1 : 1) * (steep ? along : beside);
		clear = clear && !wall[(size_t)y * width + x];
	}
	return clear;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("VIS", argc, argv);
	workload_options_end(&w);
	int width = workload_pick(&w, 48, 96, 96), height = workload_pick(&w, 32, 64, 64);
	int n = workload_pick(&w, 12, 24, 64), cells = width * height;
	std::vector<unsigned char> wall = map_make(&w, width, height);
	std::vector<int2> guard(n);
	for (int2 &g : guard)
		do {
			g = make_int2((int)rng_below(&w.rng, width),
			              (int)rng_below(&w.rng, height));
		} while (wall[(size_t)g.y * width + g.x]);
	CUDA(cudaMemcpyToSymbol(guards, guard.data(), n * sizeof(int2)));
	int *dseen = on_device<int>(cells), *dnearest = on_device<int>(cells);
	visibility<<<(cells + THREADS - 1) / THREADS, THREADS>>>(to_device(wall), width, height, n,
	                                                         dseen, dnearest);
	CUDA_LAUNCHED();
	std::vector<int> seen(cells), nearest(cells), want_seen(cells), want_nearest(cells, -1);
	from_device(seen, dseen);
	from_device(nearest, dnearest);
	for (int c = 0; c < cells; c++) {
		double best = 1e9;
		for (int g = 0; g < n && !wall[c]; g++) {
			int2 here = make_int2(c % width, c / width);
			double d = hypot(guard[g].x - here.x, guard[g].y - here.y);
			if (d > RANGE || !line_clear(wall, width, guard[g], here))
				continue;
			want_seen[c]++;
			if (d < best) {
				best = d;
				want_nearest[c] = g;
			}
		}
	}
	check_equal(&w, "seen", seen, want_seen);
	check_equal(&w, "nearest", nearest, want_nearest);
	return workload_finish(&w);
}
