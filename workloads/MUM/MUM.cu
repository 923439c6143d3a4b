/*
 * MUM: finds where short DNA queries match a reference, with the reference's suffix tree.
 *
 * Used by: hws (thesis, section 5.2: 140,000 letters of reference, 50,000 queries of 25), stsimt
 *   (Table II: two kernels, 196 and 316 blocks of 256 threads).
 * Geometry: mum_match has one thread a query (50,000 make 196 blocks of 256): for each of its first six
 *   letters, the longest match that begins there, going from one to the next by suffix links. mum_print
 *   has one thread for each such match of at least 20 letters: it walks the subtree of the match and of
 *   the ancestors that are deep enough, and lists the places in the reference. 13,475 queries come from
 *   the reference: about 80,850 matches, 316 blocks.
 * Memory: the tree in three two-dimensional textures (edge and link; children; parent, first child,
 *   sibling, leaf), the reference in a texture, queries and results in global memory. Walks differ from
 *   thread to thread in length and place: the most divergent program of the suite.
 * Input: synthetic. A random reference with copies of some of its own stretches (1 letter in 50 changed),
 *   as genomes have repeats; 27 % of the queries are taken from it, the others, which stand for the rest
 *   of the genome, are random.
 * Check: all matches and places against an index of the reference's 20-letter words, extended letter by
 *   letter.
 */
#include <algorithm>
#include "../common/workload.h"
#include "suffix_tree.h"

enum { THREADS = 256, QUERY = 25, SHORTEST = 20, STARTS = QUERY - SHORTEST + 1, WIDE = 2048 };

/* The tree on the GPU; every texture holds four words a node. */
struct device_tree {
	cudaTextureObject_t edges;    /* start, end, suffix link, depth */
	cudaTextureObject_t children; /* by letter; 0: none */
	cudaTextureObject_t around;   /* parent, first child, next sibling, leaf's place + 1 */
	cudaTextureObject_t text;
};

static __device__ uint4 fetch(cudaTextureObject_t t, unsigned node)
{
	return tex2D<uint4>(t, (float)(node % WIDE) + 0.5f, (float)(node / WIDE) + 0.5f);
}

static __device__ unsigned child_of(const struct device_tree *t, unsigned node, int letter)
{
	uint4 c = fetch(t->children, node);
	return letter == 0 ? c.x : letter == 1 ? c.y : letter == 2 ? c.z : c.w;
}

static __device__ int letter_at(const struct device_tree *t, unsigned i)
{
	return tex1Dfetch<unsigned char>(t->text, (int)i);
}

/* The longest match from each start: its length (0 if too short) and the node at or below its end. */
__global__ void mum_match(struct device_tree tree, const unsigned char *queries, int count, int *length,
                          int *where)
{
	int q = blockIdx.x * THREADS + threadIdx.x;
	if (q >= count)
		return;
	const unsigned char *query = queries + q * QUERY;
	unsigned node = 0, below = 0, depth = 0;
	int matched = 0;
	for (int start = 0; start < STARTS; start++) {
		/* Down from the node over letters known to match: only edge lengths count. */
		int over = matched - (int)depth, edge = 0;
		uint4 label = make_uint4(0, 0, 0, 0);
		while (over > 0) {
			below = child_of(&tree, node, query[start + depth]);
			label = fetch(tree.edges, below);
			edge = (int)(label.y - label.x);
			if (over < edge)
				break;
			over -= edge;
			node = below;
			depth += edge;
		}
		/* On, letter by letter. */
		while (start + matched < QUERY) {
			int letter = query[start + matched];
			if (over == 0) {
				below = child_of(&tree, node, letter);
				if (!below)
					break;
				label = fetch(tree.edges, below);
				edge = (int)(label.y - label.x);
			} else if (letter_at(&tree, label.x + over) != letter) {
				break;
			}
			matched++;
			if (++over == edge) {
				node = below;
				depth += edge;
				over = 0;
			}
		}
		length[q * STARTS + start] = matched >= SHORTEST ? matched : 0;
		where[q * STARTS + start] = (int)(over ? below : node);
		if (matched > 0)
			matched--;
		if (node) {
			node = fetch(tree.edges, node).z;
			depth--;
		}
	}
}

struct match {
	int query, start, node, length, slot; /* slot: its first place in the result */
};

/* Lists the leaves below `top`, but not those below `skip`. A place where the match could begin a
 * letter earlier is part of a longer match: its length is given as 0. */
static __device__ int list_leaves(const struct device_tree *t, unsigned top, unsigned skip, int length,
                                  int before, int *place, int *size, int slot)
{
	unsigned node = top;
	bool down = true;
	for (;;) {
		uint4 n = fetch(t->around, node);
		if (down && node != skip) {
			if (n.w) {
				int at = (int)n.w - 1;
				bool longer = at > 0 && before >= 0 && letter_at(t, at - 1) == before;
				place[slot] = at;
				size[slot++] = longer ? 0 : length;
			} else {
				node = n.y;
				continue;
			}
		}
		if (node == top)
			return slot;
		down = n.z != 0;
		node = down ? n.z : n.x;
	}
}

__global__ void mum_print(struct device_tree tree, const unsigned char *queries, const struct match *matches,
                          int count, int *place, int *size)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i >= count)
		return;
	struct match m = matches[i];
	int before = m.start > 0 ? queries[m.query * QUERY + m.start - 1] : -1;
	unsigned node = (unsigned)m.node, done = 0;
	int slot = m.slot, length = m.length;
	do {
		slot = list_leaves(&tree, node, done, length, before, place, size, slot);
		done = node;
		node = fetch(tree.around, node).x;
		length = (int)fetch(tree.edges, node).w;
	} while (length >= SHORTEST);
}

/* ---- input ---- */

static std::vector<unsigned char> make_reference(struct rng *r, int n)
{
	std::vector<unsigned char> text(n);
	for (unsigned char &c : text)
		c = (unsigned char)rng_below(r, LETTERS);
	for (int k = 0; k < n / 2000; k++) {
		int len = 100 + (int)rng_below(r, 200);
		int from = (int)rng_below(r, n - len), to = (int)rng_below(r, n - len);
		for (int i = 0; i < len; i++)
			text[to + i] = rng_below(r, 50) ? text[from + i] : (unsigned char)rng_below(r, LETTERS);
	}
	return text;
}

/* 539 of 2000 from the reference, in random order. */
static std::vector<unsigned char> make_queries(struct rng *r, const std::vector<unsigned char> &text, int n)
{
	std::vector<unsigned char> queries((size_t)n * QUERY), known(n, 0);
	for (int i = 0; i < (int)(n * 539LL / 2000); i++)
		known[i] = 1;
	for (int i = n - 1; i > 0; i--)
		std::swap(known[i], known[rng_below(r, i + 1)]);
	for (int q = 0; q < n; q++) {
		int from = (int)rng_below(r, (uint32_t)text.size() - QUERY);
		for (int i = 0; i < QUERY; i++)
			queries[(size_t)q * QUERY + i] = known[q] ? text[from + i] : (unsigned char)rng_below(r, LETTERS);
	}
	return queries;
}

/* ---- textures ---- */

static cudaTextureObject_t make_table(std::vector<uint4> table)
{
	size_t rows = (table.size() + WIDE - 1) / WIDE;
	table.resize(rows * WIDE, make_uint4(0, 0, 0, 0));
	cudaChannelFormatDesc form = cudaCreateChannelDesc<uint4>();
	cudaArray_t array;
	CUDA(cudaMallocArray(&array, &form, WIDE, rows));
	CUDA(cudaMemcpy2DToArray(array, 0, 0, table.data(), WIDE * sizeof(uint4), WIDE * sizeof(uint4), rows,
	                         cudaMemcpyHostToDevice));
	cudaResourceDesc res = {};
	res.resType = cudaResourceTypeArray;
	res.res.array.array = array;
	cudaTextureDesc desc = {};
	desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
	desc.filterMode = cudaFilterModePoint;
	desc.readMode = cudaReadModeElementType;
	cudaTextureObject_t t;
	CUDA(cudaCreateTextureObject(&t, &res, &desc, NULL));
	return t;
}

static cudaTextureObject_t make_text(const std::vector<unsigned char> &text)
{
	cudaResourceDesc res = {};
	res.resType = cudaResourceTypeLinear;
	res.res.linear.devPtr = to_device(text);
	res.res.linear.desc = cudaCreateChannelDesc<unsigned char>();
	res.res.linear.sizeInBytes = text.size();
	cudaTextureDesc desc = {};
	desc.readMode = cudaReadModeElementType;
	cudaTextureObject_t t;
	CUDA(cudaCreateTextureObject(&t, &res, &desc, NULL));
	return t;
}

static struct device_tree upload(const suffix_tree &tree)
{
	size_t n = tree.node.size();
	std::vector<uint4> edges(n), children(n), around(n, make_uint4(0, 0, 0, 0));
	for (size_t v = 0; v < n; v++) {
		const tree_node &t = tree.node[v];
		edges[v] = make_uint4(t.start, t.end, t.link, t.depth);
		children[v] = make_uint4(t.child[0], t.child[1], t.child[2], t.child[3]);
		around[v].x = t.parent;
		around[v].w = t.leaf + 1;
		unsigned last = 0;
		for (int c : t.child) {
			if (!c)
				continue;
			if (last)
				around[last].z = c;
			else
				around[v].y = c;
			last = c;
		}
	}
	struct device_tree d = {make_table(edges), make_table(children), make_table(around),
		make_text(tree.text)};
	return d;
}

/* ---- check ---- */

struct place {
	int query, start, at, length;
};

static bool operator<(const place &a, const place &b)
{
	return a.query != b.query ? a.query < b.query : a.start != b.start ? a.start < b.start
	     : a.at != b.at ? a.at < b.at : a.length < b.length;
}

static bool operator!=(const place &a, const place &b)
{
	return a < b || b < a;
}

/* All maximal matches by an index of words; longest[] gets the longest of each start. */
static std::vector<place> by_index(const std::vector<unsigned char> &text,
                                   const std::vector<unsigned char> &queries, std::vector<int> &longest)
{
	std::vector<std::pair<uint64_t, int>> index;
	const uint64_t mask = (1ull << (2 * SHORTEST)) - 1;
	uint64_t word = 0;
	int n = (int)text.size();
	for (int i = 0; i < n; i++) {
		word = (word << 2 | text[i]) & mask;
		if (i >= SHORTEST - 1)
			index.push_back(std::make_pair(word, i - SHORTEST + 1));
	}
	std::sort(index.begin(), index.end());
	std::vector<place> all;
	for (size_t k = 0; k < longest.size(); k++) {
		int q = (int)(k / STARTS), s = (int)(k % STARTS);
		const unsigned char *query = &queries[(size_t)q * QUERY];
		word = 0;
		for (int i = 0; i < SHORTEST; i++)
			word = word << 2 | query[s + i];
		longest[k] = 0;
		for (auto it = std::lower_bound(index.begin(), index.end(), std::make_pair(word, 0));
		     it != index.end() && it->first == word; ++it) {
			int at = it->second, len = SHORTEST;
			while (s + len < QUERY && at + len < n && text[at + len] == query[s + len])
				len++;
			longest[k] = std::max(longest[k], len);
			if (s == 0 || at == 0 || text[at - 1] != query[s - 1]) {
				place p = {q, s, at, len};
				all.push_back(p);
			}
		}
	}
	std::sort(all.begin(), all.end());
	return all;
}

/* The matches that are long enough, each with room for all its places. */
static std::vector<match> collect(const suffix_tree &tree, const std::vector<int> &length,
                                  const std::vector<int> &where, int *slots)
{
	std::vector<match> list;
	*slots = 0;
	for (size_t k = 0; k < length.size(); k++) {
		if (!length[k])
			continue;
		match m = {(int)(k / STARTS), (int)(k % STARTS), where[k], length[k], *slots};
		int top = where[k];
		while (tree.node[tree.node[top].parent].depth >= SHORTEST)
			top = tree.node[top].parent;
		*slots += tree.node[top].leaves;
		list.push_back(m);
	}
	return list;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("MUM", argc, argv);
	workload_options_end(&w);
	int letters = workload_pick(&w, 8000, 40000, 140000), count = workload_pick(&w, 3000, 12000, 50000);
	std::vector<unsigned char> text = make_reference(&w.rng, letters);
	std::vector<unsigned char> queries = make_queries(&w.rng, text, count);
	suffix_tree tree(text);
	struct device_tree dtree = upload(tree);
	unsigned char *dqueries = to_device(queries);
	std::vector<int> length((size_t)count * STARTS), where(length.size()), longest(length.size());
	int *dlength = on_device<int>(length.size()), *dwhere = on_device<int>(length.size());
	mum_match<<<(count + THREADS - 1) / THREADS, THREADS>>>(dtree, dqueries, count, dlength, dwhere);
	CUDA_LAUNCHED();
	from_device(length, dlength);
	from_device(where, dwhere);
	std::vector<place> want = by_index(text, queries, longest), got;
	check_equal(&w, "longest match", length, longest);

	int slots;
	std::vector<match> matches = collect(tree, length, where, &slots);
	int n = (int)matches.size();
	std::vector<int> at(slots), size(slots);
	int *dat = on_device<int>(slots), *dsize = on_device<int>(slots);
	mum_print<<<(n + THREADS - 1) / THREADS, THREADS>>>(dtree, dqueries, to_device(matches), n, dat, dsize);
	CUDA_LAUNCHED();
	from_device(at, dat);
	from_device(size, dsize);
	for (int i = 0; i < n; i++)
		for (int s = matches[i].slot; s < (i + 1 < n ? matches[i + 1].slot : slots); s++)
			if (size[s]) {
				place p = {matches[i].query, matches[i].start, at[s], size[s]};
				got.push_back(p);
			}
	std::sort(got.begin(), got.end());
	check_true(&w, "the number of places", got.size() == want.size());
	for (size_t i = 0; i < got.size() && i < want.size(); i++)
		check_true(&w, "a place", !(got[i] != want[i]));
	return workload_finish(&w);
}
