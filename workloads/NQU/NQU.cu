/*
 * NQU: counts the placements of N queens on an NxN board.
 *
 * Used by: hws (thesis, section 5.2: N = 10; for most of the time a single thread is active, at the end
 *   one SM alone has work).
 * Geometry: 256 blocks of 96 threads, as in the set of programs the thesis takes it from. As there, the host
 *   places the queens of the first rows (two up to N = 12), the first one in the left half of its row alone, since
 *   a board and its mirror image have as many solutions, and partial board i is thread i's: 36 boards
 *   for N = 10, all in the first block's first two warps; the other 255 blocks only add up zeros. An odd N has a
 *   second launch, for the first queen in the middle.
 * Memory: a thread's backtracking stack is in shared memory (four words a row, interleaved between
 *   threads), and so is the tree that adds up a block's counts; boards and counts in global memory.
 * Input: N alone.
 * Check: the total against a recursive count on the host, the sequence of known counts
 *   (1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200), and each block's count.
 */
#include "../common/workload.h"

enum { BLOCKS = 256, THREADS = 96, ROWS = 10 };

struct board {
	uint32_t columns, left, right; /* squares of the next row that are attacked, by direction */
};

/* The depth of the stack is the number of rows left, at most ROWS. */
__global__ void queens(const struct board *boards, int count, uint32_t full, int rows, uint32_t *solutions)
{
	__shared__ uint32_t free_squares[ROWS][THREADS], columns[ROWS][THREADS];
	__shared__ uint32_t left[ROWS][THREADS], right[ROWS][THREADS];
	__shared__ uint32_t found[THREADS];
	int t = threadIdx.x, b = blockIdx.x * THREADS + t;
	uint32_t n = 0;
	if (b < count) {
		int depth = 0;
		columns[0][t] = boards[b].columns;
		left[0][t] = boards[b].left;
		right[0][t] = boards[b].right;
		free_squares[0][t] = full & ~(columns[0][t] | left[0][t] | right[0][t]);
		while (depth >= 0) {
			uint32_t open = free_squares[depth][t];
			if (!open) {
				depth--;
				continue;
			}
			uint32_t queen = open & (0u - open);
			free_squares[depth][t] = open ^ queen;
			if (depth == rows - 1) {
				n++;
				continue;
			}
			uint32_t c = columns[depth][t] | queen, l = (left[depth][t] | queen) << 1;
			uint32_t r = (right[depth][t] | queen) >> 1;
			depth++;
			columns[depth][t] = c;
			left[depth][t] = l;
			right[depth][t] = r;
			free_squares[depth][t] = full & ~(c | l | r);
		}
	}
	found[t] = n;
	__syncthreads();
	if (t < THREADS - 64)
		found[t] += found[t + 64];
	for (int half = 32; half > 0; half /= 2) {
		__syncthreads();
		if (t < half)
			found[t] += found[t + half];
	}
	if (t == 0)
		solutions[blockIdx.x] = found[0];
}

/* ---- host ---- */

static void place(std::vector<struct board> &out, struct board b, int rows, uint32_t full)
{
	if (!rows) {
		out.push_back(b);
		return;
	}
	uint32_t open = full & ~(b.columns | b.left | b.right);
	for (uint32_t q = 1; q <= full; q <<= 1) {
		if (!(open & q))
			continue;
		struct board next = {b.columns | q, (b.left | q) << 1, (b.right | q) >> 1};
		place(out, next, rows - 1, full);
	}
}

/* By trying each column against the queens placed so far: nothing in common with the masks above. */
static uint32_t count_from(int *column, int row, int n)
{
	if (row == n)
		return 1;
	uint32_t sum = 0;
	for (int c = 0; c < n; c++) {
		bool ok = true;
		for (int r = 0; r < row && ok; r++)
			ok = column[r] != c && abs(column[r] - c) != row - r;
		column[row] = c;
		if (ok)
			sum += count_from(column, row + 1, n);
	}
	return sum;
}

/* Every partial board's count, in the order of place(). */
static void count_boards(std::vector<uint32_t> &out, int *column, int row, int rows, int n)
{
	if (row == rows) {
		out.push_back(count_from(column, row, n));
		return;
	}
	for (int c = 0; c < n; c++) {
		bool ok = true;
		for (int r = 0; r < row && ok; r++)
			ok = column[r] != c && abs(column[r] - c) != row - r;
		column[row] = c;
		if (ok)
			count_boards(out, column, row + 1, rows, n);
	}
}

/* Boards whose first queen is in one of the columns first .. last - 1: a launch. Their solutions are added up. */
static uint32_t solve(struct workload *w, int n, int first, int last)
{
	enum { UPPER = 2 };
	uint32_t full = (1u << n) - 1, total = 0;
	std::vector<struct board> boards;
	std::vector<uint32_t> solutions(BLOCKS), want(BLOCKS, 0), each;
	int column[16];
	for (int c = first; c < last; c++) {
		uint32_t q = 1u << c;
		place(boards, {q, q << 1, q >> 1}, UPPER - 1, full);
		column[0] = c;
		count_boards(each, column, 1, UPPER, n);
	}
	uint32_t *dsolutions = on_device<uint32_t>(BLOCKS);
	queens<<<BLOCKS, THREADS>>>(to_device(boards), (int)boards.size(), full, n - UPPER, dsolutions);
	CUDA_LAUNCHED();
	from_device(solutions, dsolutions);
	for (size_t i = 0; i < each.size(); i++)
		want[i / THREADS] += each[i];
	check_equal(w, "solutions", solutions, want);
	for (uint32_t s : solutions)
		total += s;
	return total;
}

int main(int argc, char **argv)
{
	static const uint32_t known[] = {1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
	struct workload w = workload_start("NQU", argc, argv);
	int n = (int)workload_number(&w, "--n", workload_pick(&w, 8, 9, 10), 4, 12);
	workload_options_end(&w);
	uint32_t total = 2 * solve(&w, n, 0, n / 2);
	if (n % 2)
		total += solve(&w, n, n / 2, n / 2 + 1);
	check_true(&w, "the known number of solutions", total == known[n - 1]);
	return workload_finish(&w);
}
