/*
 * BT: look-ups in a B+ tree: point queries, and ranges of keys.
 *
 * Used by: warpman (Table 2: 16 warps, no shared memory, 5632 registers a block); the thesis on
 *   ISAs (Tables 16 to 18: nodes of 4084 bytes, hence of order 508).
 * Geometry: one block a query and one thread a key of a node: 508 threads, the last warp partial.
 *   All threads look at the node, the one whose key interval holds the sought key writes down the
 *   child, and after a barrier the block descends. `find`: 10,000 blocks; `find_range`: 6,000
 *   blocks.
 * Memory: global only; a node's keys are loaded by the whole block, its current node by all threads
 *   from one address.
 * Input: a million distinct random keys, bulk loaded so that leaves are two thirds full; queries
 *   for keys that exist and, one in eight, for keys that do not; ranges of 3,000 keys.
 * Check: binary search in the sorted keys on the CPU.
 */
#include "../common/workload.h"
#include <algorithm>

enum { ORDER = 508 };

struct node {
	int location;
	int child[ORDER + 1];           /* of a leaf: the keys' records */
	int key[ORDER + 1];             /* a child's keys are >= key[i] and < key[i + 1] */
	int is_leaf;
	int keys;
};

/* Descends from the root to the leaf that may hold `key`; `at` and `next` are the block's own
 * words. */
static __device__ int leaf_of(const struct node *tree, int height, int key, int *at, int *next)
{
	int t = threadIdx.x;
	for (int level = 0; level < height; level++) {
		const struct node *n = tree + *at;
		if (n->key[t] <= key && n->key[t + 1] > key)
			*next = n->child[t];
		__syncthreads();
		if (t == 0)
			*at = *next;
		__syncthreads();
	}
	return *at;
}

/* The records of the sought keys; -1 where there is none. */
__global__ void find(const struct node *tree, int height, const int *sought, int *at, int *next,
                     int *record)
{
	int b = blockIdx.x, key = sought[b];
	const struct node *leaf = tree + leaf_of(tree, height, key, at + b, next + b);
	if (threadIdx.x < leaf->keys && leaf->key[threadIdx.x] == key)
		record[b] = leaf->child[threadIdx.x];
}

/* Of the keys from start to end, which must exist both: the first record and the number of records,
 * for records lie in the order of keys. */
__global__ void find_range(const struct node *tree, int height, const int *start, const int *end,
                           int *at, int *next, int *at_end, int *next_end, int *first, int *count)
{
	int b = blockIdx.x, t = threadIdx.x, lo = start[b], hi = end[b];
	for (int level = 0; level < height; level++) {
		const struct node *n = tree + at[b], *m = tree + at_end[b];
		if (n->key[t] <= lo && n->key[t + 1] > lo)
			next[b] = n->child[t];
		if (m->key[t] <= hi && m->key[t + 1] > hi)
			next_end[b] = m->child[t];
		__syncthreads();
		if (t == 0) {
			at[b] = next[b];
			at_end[b] = next_end[b];
		}
		__syncthreads();
	}
	const struct node *n = tree + at[b], *m = tree + at_end[b];
	if (t < n->keys && n->key[t] == lo)
		first[b] = n->child[t];
	__syncthreads();
	if (t < m->keys && m->key[t] == hi)
		count[b] = m->child[t] - first[b] + 1;
}

/* A leaf of the sorted keys from `begin` on, or an inner node over the nodes from `begin` on.
 * Behind the last entry all keys are the largest, so that no interval there holds anything. */
static struct node node_make(int location, bool leaf, const std::vector<int> &keys,
                             const std::vector<int> &children, size_t begin, size_t n)
{
	struct node x;
	x.location = location;
	x.is_leaf = leaf;
	x.keys = (int)n;
	for (size_t i = 0; i <= ORDER; i++) {
		x.key[i] = i < n ? keys[begin + i] : INT32_MAX;
		x.child[i] = i < n ? children[begin + i] : -1;
	}
	return x;
}

/* Bulk loads the tree level by level; the root comes first. Returns the number of levels above the
 * leaves. */
static int tree_build(std::vector<struct node> &tree, const std::vector<int> &sorted, size_t fill)
{
	std::vector<int> keys = sorted, records(sorted.size());
	for (size_t i = 0; i < records.size(); i++)
		records[i] = (int)i;
	std::vector<std::vector<struct node>> levels;
	do {
		levels.emplace_back();
		std::vector<int> first;
		bool leaf = levels.size() == 1;
		for (size_t i = 0; i < keys.size(); i += fill) {
			size_t n = std::min(fill, keys.size() - i);
			levels.back().push_back(
			        node_make((int)levels.back().size(), leaf, keys, records, i, n));
			first.push_back(keys[i]);
		}
		/* The leftmost way is open for keys below the smallest. */
		if (!leaf)
			levels.back()[0].key[0] = INT32_MIN;
		keys = first;
		records.resize(keys.size());
		for (size_t i = 0; i < records.size(); i++)
			records[i] = (int)i;
	} while (keys.size() > 1);
	int base = 0;
	for (size_t l = levels.size(); l-- > 0;) {
		int below = base + (int)levels[l].size();
		for (struct node &x : levels[l]) {
			x.location += base;
			for (int i = 0; !x.is_leaf && i < x.keys; i++)
				x.child[i] += below;
			tree.push_back(x);
		}
		base = below;
	}
	return (int)levels.size() - 1;
}

static std::vector<int> distinct_keys(struct workload *w, int n)
{
	std::vector<int> keys(n);
	int k = 0;
	for (int &x : keys)
		x = k += 2 * (1 + (int)rng_below(&w->rng, 8)); /* even: odd numbers are absent */
	return keys;
}

static void run_find(struct workload *w, const std::vector<int> &keys, const struct node *tree,
                     int height, int queries)
{
	std::vector<int> sought(queries), got(queries), want(queries);
	for (int q = 0; q < queries; q++) {
		int i = (int)rng_below(&w->rng, (uint32_t)keys.size());
		sought[q] = keys[i] + (rng_below(&w->rng, 8) == 0);
		auto f = std::lower_bound(keys.begin(), keys.end(), sought[q]);
		want[q] = f != keys.end() && *f == sought[q] ? (int)(f - keys.begin()) : -1;
	}
	int *record = to_device(std::vector<int>(queries, -1));
	find<<<queries, ORDER>>>(tree, height, to_device(sought), zeroed_on_device<int>(queries),
	                         zeroed_on_device<int>(queries), record);
	CUDA_LAUNCHED();
	from_device(got, record);
	check_equal(w, "record", got, want);
}

static void run_ranges(struct workload *w, const std::vector<int> &keys, const struct node *tree,
                       int height, int queries, int length)
{
	std::vector<int> start(queries), end(queries), first(queries), count(queries),
	        want_first(queries), want_count(queries);
	for (int q = 0; q < queries; q++) {
		size_t i = rng_below(&w->rng, (uint32_t)(keys.size() - length));
		start[q] = keys[i];
		end[q] = keys[i + rng_below(&w->rng, (uint32_t)length)];
		auto lo = std::lower_bound(keys.begin(), keys.end(), start[q]);
		auto hi = std::upper_bound(keys.begin(), keys.end(), end[q]);
		want_first[q] = (int)(lo - keys.begin());
		want_count[q] = (int)(hi - lo);
	}
	int *zero[4], *dfirst = zeroed_on_device<int>(queries),
	              *dcount = zeroed_on_device<int>(queries);
	for (int *&z : zero)
		z = zeroed_on_device<int>(queries);
	find_range<<<queries, ORDER>>>(tree, height, to_device(start), to_device(end), zero[0],
	                               zero[1], zero[2], zero[3], dfirst, dcount);
	CUDA_LAUNCHED();
	from_device(first, dfirst);
	from_device(count, dcount);
	check_equal(w, "first of range", first, want_first);
	check_equal(w, "records in range", count, want_count);
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("BT", argc, argv);
	workload_options_end(&w);
	int n = workload_pick(&w, 20000, 1000000, 1000000);
	std::vector<int> keys = distinct_keys(&w, n);
	std::vector<struct node> nodes;
	int height = tree_build(nodes, keys, ORDER * 2 / 3);
	const struct node *tree = to_device(nodes);
	run_find(&w, keys, tree, height, workload_pick(&w, 60, 1000, 10000));
	run_ranges(&w, keys, tree, height, workload_pick(&w, 40, 600, 6000),
	           workload_pick(&w, 300, 3000, 3000));
	return workload_finish(&w);
}
