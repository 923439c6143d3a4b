/*
 * The suffix tree of a string over four letters and an end mark, built in linear time (Ukkonen's
 * method), and renumbered level by level so that nodes used together lie together.
 */
#ifndef SUFFIX_TREE_H
#define SUFFIX_TREE_H
#include <vector>

enum { LETTERS = 4, END_MARK = 4 };

struct tree_node {
	int start, end;               /* label of the edge from the parent: text[start..end) */
	int link, parent, depth;      /* suffix link; depth in letters at the node */
	int child[LETTERS + 1];       /* 0: none (the root is nobody's child) */
	int leaf;                     /* where the leaf's suffix begins, -1: no leaf */
	int leaves;                   /* below this node */
};

class suffix_tree {
public:
	std::vector<unsigned char> text; /* letters 0 to 3, then the end mark */
	std::vector<tree_node> node;     /* node 0 is the root */

	explicit suffix_tree(const std::vector<unsigned char> &letters) : text(letters)
	{
		text.push_back(END_MARK);
		add(0, 0);
		for (int i = 0; i < (int)text.size(); i++)
			extend(i);
		finish();
		renumber();
	}

private:
	int at = 0, edge = 0, length = 0, left = 0; /* active point; suffixes still to be added */

	int add(int start, int end)
	{
		tree_node n = {start, end, 0, 0, 0, {0, 0, 0, 0, 0}, -1, 0};
		node.push_back(n);
		return (int)node.size() - 1;
	}

	/* Adds the letter at i to all suffixes. */
	void extend(int i)
	{
		int n = (int)text.size(), waiting = 0; /* waiting: an inner node without its link yet */
		for (left++; left;) {
			if (!length)
				edge = i;
			int c = node[at].child[text[edge]];
			if (c) {
				int label = (node[c].end < i + 1 ? node[c].end : i + 1) - node[c].start;
				if (length >= label) { /* the active point is further down */
					edge += label;
					length -= label;
					at = c;
					continue;
				}
				if (text[node[c].start + length] == text[i]) { /* it is there already */
					if (waiting)
						node[waiting].link = at;
					length++;
					return;
				}
				int mid = add(node[c].start, node[c].start + length), leaf = add(i, n);
				node[at].child[text[edge]] = mid;
				node[mid].child[text[i]] = leaf;
				node[c].start += length;
				node[mid].child[text[node[c].start]] = c;
				if (waiting)
					node[waiting].link = mid;
				waiting = mid;
			} else {
				int leaf = add(i, n);
				node[at].child[text[edge]] = leaf;
				if (waiting)
					node[waiting].link = at;
				waiting = 0;
			}
			left--;
			if (!at && length) {
				length--;
				edge = i - left + 1;
			} else if (at) {
				at = node[at].link;
			}
		}
	}

	/* The nodes level by level, the root first. */
	std::vector<int> levels() const
	{
		std::vector<int> order(1, 0);
		for (size_t k = 0; k < order.size(); k++)
			for (int c : node[order[k]].child)
				if (c)
					order.push_back(c);
		return order;
	}

	/* Parents, depths, leaves. */
	void finish()
	{
		std::vector<int> order = levels();
		for (int v : order)
			for (int c : node[v].child)
				if (c) {
					node[c].parent = v;
					node[c].depth = node[v].depth + node[c].end - node[c].start;
				}
		for (size_t k = order.size(); k-- > 1;) {
			tree_node &v = node[order[k]];
			if (!v.leaves) {
				v.leaves = 1;
				v.leaf = (int)text.size() - v.depth;
			}
			node[v.parent].leaves += v.leaves;
		}
	}

	void renumber()
	{
		std::vector<int> order = levels(), place(node.size());
		for (size_t k = 0; k < order.size(); k++)
			place[order[k]] = (int)k;
		std::vector<tree_node> sorted(order.size());
		for (size_t k = 0; k < order.size(); k++) {
			tree_node v = node[order[k]];
			v.link = place[v.link];
			v.parent = place[v.parent];
			for (int &c : v.child)
				c = c ? place[c] : 0;
			sorted[k] = v;
		}
		node.swap(sorted);
	}
};

#endif
