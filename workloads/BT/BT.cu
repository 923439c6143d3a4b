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
 *   for keys that exist and, one in eight, for keys that do not; ranges of up to 3,000 keys.
 * Check: binary search in the sorted keys on the CPU.
 */
#include "../common/workload.h"
#include <algorithm>

enum { ORDER = 508, FILL = ORDER * 2 / 3 }; /* of a full node, and of ours when built */

struct node {
	int location;
	int child[ORDER + 1];           /* of a leaf: the keys' records */
	int key[ORDER + 1];             /* a child's keys are >= key[i] and < key[i + 1] */
	int is_leaf;
	int keys;
};

/* A query and its answer. The block keeps where it is in the tree here too, for want of shared
 * memory: the node it looks at, and the child that one thread has found. */
struct query {
	int start, end;                 /* the same for a point query */
	int at, next, at_end, next_end;
	int first, count;
};

static __device__ bool holds(const int *interval, int key)
{
	return interval[0] <= key && interval[1] > key;
}

/* The record of each query's key; -1 where there is none. */
__global__ void find(const struct node *tree, int height, struct query *queries)
{
	struct query *q = queries + blockIdx.x;
	int t = threadIdx.x, key = q->start;
	for (int level = 0; level < height; level++) {
		const struct node *n = tree + q->at;
		if (holds(n->key + t, key))
			q->next = n->child[t];
		__syncthreads();
		if (t == 0)
			q->at = q->next;
		__syncthreads();
	}
	const struct node *leaf = tree + q->at;
	if (t < leaf->keys && leaf->key[t] == key)
		q->first = leaf->child[t];
}

/* Of the keys from start to end, which must exist both: the first record and the number of records,
 * for records lie in the order of keys. */
__global__ void find_range(const struct node *tree, int height, struct query *queries)
{
	struct query *q = queries + blockIdx.x;
	int t = threadIdx.x, lo = q->start, hi = q->end;
	for (int level = 0; level < height; level++) {
		const struct node *n = tree + q->at, *m = tree + q->at_end;
		if (holds(n->key + t, lo))
			q->next = n->child[t];
		if (holds(m->key + t, hi))
			q->next_end = m->child[t];
		__syncthreads();
		if (t == 0) {
			q->at = q->next;
			q->at_end = q->next_end;
		}
		__syncthreads();
	}
	const struct node *n = tree + q->at, *m = tree + q->at_end;
	if (t < n->keys && n->key[t] == lo)
		q->first = n->child[t];
	__syncthreads();
	if (t < m->keys && m->key[t] == hi)
		q->count = m->child[t] - q->first + 1;
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

static struct query query_make(int start, int end)
{
	struct query q = {start, end, 0, 0, 0, 0, -1, -1};
	return q;
}

/* One in eight is the first key of a leaf, where the ways down part; one in eight is absent. */
static int random_key(struct workload *w, const std::vector<int> &keys)
{
	uint32_t i = rng_below(&w->rng, (uint32_t)keys.size()), kind = rng_below(&w->rng, 8);
	return keys[kind == 1 ? i / FILL * FILL : i] + (kind == 0);
}

static void run_find(struct workload *w, const std::vector<int> &keys, const struct node *tree,
                     int height, int n)
{
	std::vector<struct query> query(n);
	std::vector<int> got(n), want(n);
	for (int i = 0; i < n; i++) {
		int key = random_key(w, keys);
		query[i] = query_make(key, key);
		auto f = std::lower_bound(keys.begin(), keys.end(), key);
		want[i] = f != keys.end() && *f == key ? (int)(f - keys.begin()) : -1;
	}
	struct query *d = to_device(query);
	find<<<n, ORDER>>>(tree, height, d);
	CUDA_LAUNCHED();
	from_device(query, d);
	for (int i = 0; i < n; i++)
		got[i] = query[i].first;
	check_equal(w, "record", got, want);
}

static void run_ranges(struct workload *w, const std::vector<int> &keys, const struct node *tree,
                       int height, int n, int length)
{
	std::vector<struct query> query(n);
	std::vector<int> first(n), count(n), want_first(n), want_count(n);
	for (int i = 0; i < n; i++) {
		size_t k = rng_below(&w->rng, (uint32_t)(keys.size() - length));
		query[i] = query_make(keys[k], keys[k + rng_below(&w->rng, (uint32_t)length)]);
		auto lo = std::lower_bound(keys.begin(), keys.end(), query[i].start);
		auto hi = std::upper_bound(keys.begin(), keys.end(), query[i].end);
		want_first[i] = (int)(lo - keys.begin());
		want_count[i] = (int)(hi - lo);
	}
	struct query *d = to_device(query);
	find_range<<<n, ORDER>>>(tree, height, d);
	CUDA_LAUNCHED();
	from_device(query, d);
	for (int i = 0; i < n; i++) {
		first[i] = query[i].first;
		count[i] = query[i].count;
	}
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
	int height = tree_build(nodes, keys, FILL);
	const struct node *tree = to_device(nodes);
	run_find(&w, keys, tree, height, workload_pick(&w, 60, 1000, 10000));
	run_ranges(&w, keys, tree, height, workload_pick(&w, 40, 600, 6000),
	           workload_pick(&w, 300, 3000, 3000));
	return workload_finish(&w);
}
