/* __cluster_dims__(x, y, z), which old clangs do not know, as the PTX directive of the kernel.
 *
 *   __global__ void __cluster_dims__(2, 1, 1) k(int *p) {      {__HEDDLE_CLUSTER((2, 1, 1));
 *
 * The dimensions may depend on template parameters, so clang evaluates them: rw_cluster() inserts
 * a macro (heddle/cluster.h) into the kernel's body, which becomes a comment in its PTX.
 * cc_cluster_dims() turns the comment into a directive:
 *
 *   .visible .entry k(...)                    .visible .entry k(...)
 *   {                                         .reqnctapercluster 2, 1, 1
 *   // heddle.cluster 2 1 1                   {
 *
 * A qualifier of a declaration without a body has no effect. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "nvcc/rewrite.h"
#include "command/command.h"

static const char mark[] = "// heddle.cluster ";

void rw_cluster(struct rw *r, size_t i)
{
	if (r->how->host || !punct(r, i + 1, '(') || rw_in_directive(r, i))
		return;
	size_t end = rw_after(r, i + 1, '(', ')');
	size_t open = end;
	while (open < r->nt && !punct(r, open, '{') && !punct(r, open, ';') &&
	       r->t[open].kind != HASH)
		open = punct(r, open, '(') ? rw_after(r, open, '(', ')') : open + 1;
	if (end >= r->nt || !punct(r, open, '{'))
		return;
	unsigned from = r->t[i + 1].pos, n = r->t[end - 1].pos + 1 - from;
	char *text = cc_format(" __HEDDLE_CLUSTER(%.*s);", (int)n, r->s + from);
	for (char *p = text; *p; p++)
		if (*p == '\n' || *p == '\\')
			*p = ' ';
	rw_edit(r, r->t[open].pos + 1, 0, text);
}

/* Returns the brace that opens the body of the kernel whose ".entry" ends at p; NULL: it has none. */
static const char *kernel_body(const char *p)
{
	p += strcspn(p, "({;");
	if (*p == '(')
		p += strcspn(p, ")");
	p += strcspn(p, "{;");
	return *p == '{' ? p : NULL;
}

/* Copies text to out, with the directives in place. */
static void place_directives(FILE *out, const char *text)
{
	const char *from = text, *p = text;
	while ((p = strstr(p, ".entry"))) {
		unsigned d[3];
		p += strlen(".entry");
		const char *body = kernel_body(p);
		const char *next = body ? strstr(body, ".entry") : NULL;
		const char *at = body ? strstr(body, mark) : NULL;
		if (!at || (next && next < at) ||
		    sscanf(at + strlen(mark), "%u %u %u", &d[0], &d[1], &d[2]) != 3)
			continue;
		fwrite(from, 1, (size_t)(body - from), out);
		fprintf(out, ".explicitcluster\n.reqnctapercluster %u, %u, %u\n", d[0], d[1], d[2]);
		from = p = body;
	}
	fputs(from, out);
}

bool cc_cluster_dims(const struct cc *cc, const char *ptx)
{
	size_t n, size = 0;
	char *text = cc->dry_run ? NULL : cc_slurp(ptx, &n), *out = NULL;
	bool ok = true;
	if (text && strstr(text, mark)) {
		FILE *f = open_memstream(&out, &size);
		if (f)
			place_directives(f, text);
		ok = f && !fclose(f) && cc_spill(ptx, out, size);
	}
	free(out);
	free(text);
	return ok;
}
