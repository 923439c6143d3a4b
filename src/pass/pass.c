/* The pipeline on one screen.
 *
 *	v verify   the front end kept its promises
 *	c cfg      blocks, edges                      needs v
 *	d dom      dominators                         needs c
 *	l loop     loops, depth                       needs c d
 *	p pdom     post-dominators                    needs c
 *	r reconv   inst.reconv                        needs c p
 *	i live     live segments of registers         needs c
 *	w rows     registers to rows                  needs i
 *
 * Only reconv changes the program; all others describe it. A letter in pass_opts.letters prints
 * the program after that pass, annotated with the pass's results. Each pass has a header of its own
 * with an example. */
#include "pass/pass.h"
#include "pass/brief.h"

#include <inttypes.h>
#include "ir/print.h"
#include "ir/verify.h"
#include "pass/regcount.h"

struct view {
	const struct func *f;
	const struct pass_info *p;
};

static void dump_code(const struct pass_opts *o, char letter, const char *title, print_note *before,
		      print_note *after, const struct view *v)
{
	if (!o->dump || (o->letters && !strchr(o->letters, letter)))
		return;
	fprintf(o->dump, "> after %s: ", title);
	func_print(o->dump, v->f, before, after, v);
	fputc('\n', o->dump);
}

static print_note note_block, note_dom, note_pdom, note_loop, note_reconv, note_live, note_rows;

/* Finds brief registers; NULL: the function gains nothing from them. */
static const bool *find_brief(const struct func *f, struct arena *a, const struct pass_info *p)
{
	struct scalar s;
	scalar_find(&s, a, f, p->cfg, &p->pdom, &p->live, SCALAR_ALL);
	return brief_helps(f, p->cfg, &s) ? brief_find(a, f, p->cfg, &p->live) : NULL;
}

bool pass_run(struct func *f, struct arena *a, const struct pass_opts *o, struct pass_info *out,
	      struct diag *d)
{
	struct view v = {f, out};
	memset(out, 0, sizeof *out);
	if (!func_verify(f, d))
		return false;
	dump_code(o, 'v', "verify", NULL, NULL, &v);
	out->cfg = cfg_build(a, f);
	dump_code(o, 'c', "cfg", note_block, NULL, &v);
	dom_build(&out->dom, out->cfg);
	dump_code(o, 'd', "dom", note_dom, NULL, &v);
	loop_build(&out->loops, out->cfg, &out->dom);
	dump_code(o, 'l', "loop", note_loop, NULL, &v);
	pdom_build(&out->pdom, out->cfg);
	dump_code(o, 'p', "pdom", note_pdom, NULL, &v);
	reconv_set(f, out->cfg, &out->pdom);
	dump_code(o, 'r', "reconv", note_block, note_reconv, &v);
	live_build(&out->live, f, out->cfg);
	out->live_regs = live_regs_max(f, &out->live);
	dump_code(o, 'i', "live", note_block, note_live, &v);
	if (o->share_rows)
		rows_alloc(&out->rows, a, f, &out->live,
			   o->brief_rows ? find_brief(f, a, out) : NULL);
	else
		rows_identity(&out->rows, a, f);
	dump_code(o, 'w', "rows", note_block, note_rows, &v);
	return true;
}

/* ---- remarks ---- */

static const struct cfg *cfg_of(const void *ctx) { return ((const struct view *)ctx)->p->cfg; }

/* The block that begins at pc; NO_NODE: none. */
static uint32_t head_of(const void *ctx, uint32_t pc)
{
	uint32_t b = cfg_of(ctx)->block_of[pc];
	return cfg_of(ctx)->block[b].first == pc ? b : NO_NODE;
}

static void print_node(FILE *out, const struct cfg *c, uint32_t b)
{
	if (b == c->n)
		fputs(" end", out);
	else if (b == NO_NODE)
		fputs(" none", out);
	else
		fprintf(out, " b%" PRIu32, b);
}

static void note_block(FILE *out, uint32_t pc, const void *ctx)
{
	const struct cfg *c = cfg_of(ctx);
	uint32_t b = head_of(ctx, pc);
	if (b == NO_NODE)
		return;
	fprintf(out, "b%" PRIu32 ":%s  ->", b, cfg_reached(c, b) ? "" : " (unreachable)");
	graph_each_succ (&c->g, b, s)
		print_node(out, c, s);
	fputc('\n', out);
}

static void note_node(FILE *out, uint32_t pc, const void *ctx, const char *what,
		      const uint32_t *idom)
{
	uint32_t b = head_of(ctx, pc);
	if (b == NO_NODE)
		return;
	fprintf(out, "b%" PRIu32 ":  %s", b, what);
	print_node(out, cfg_of(ctx), idom[b]);
	fputc('\n', out);
}

static void note_dom(FILE *out, uint32_t pc, const void *ctx)
{
	note_node(out, pc, ctx, "dominated by", ((const struct view *)ctx)->p->dom.idom);
}

static void note_pdom(FILE *out, uint32_t pc, const void *ctx)
{
	note_node(out, pc, ctx, "post-dominated by", ((const struct view *)ctx)->p->pdom.idom);
}

static void note_loop(FILE *out, uint32_t pc, const void *ctx)
{
	const struct loops *l = &((const struct view *)ctx)->p->loops;
	uint32_t b = head_of(ctx, pc);
	if (b == NO_NODE)
		return;
	fprintf(out, "b%" PRIu32 ":  depth %" PRIu32, b, loop_depth(l, b));
	if (l->loop_of[b] != NO_NODE)
		fprintf(out, ", loop of b%" PRIu32, l->loop[l->loop_of[b]].header);
	fprintf(out, "%s\n", l->irreducible[b] ? ", irreducible" : "");
}

static void note_reconv(FILE *out, uint32_t pc, const void *ctx)
{
	const struct inst *in = &((const struct view *)ctx)->f->code.v[pc];
	if (!inst_may_diverge(in))
		return;
	if (in->reconv == NO_PC)
		fputs("    // meets at the end", out);
	else
		fprintf(out, "    // meets at %" PRIu32, in->reconv);
}

/* Prints the names of the registers that are live into the instruction. */
static void note_live(FILE *out, uint32_t pc, const void *ctx)
{
	const struct view *v = ctx;
	fputs("    // live:", out);
	for (uint32_t r = 0; r < v->p->live.nregs; r++)
		if (live_at(&v->p->live, r, 2 * pc))
			fprintf(out, " %s", v->f->regs.v[r].name);
}

static void note_opnd(FILE *out, const struct view *v, const struct opnd *o)
{
	bool is_reg =
		o->kind == OPND_REG || o->kind == OPND_PRED || (o->kind == OPND_MEM && !o->sym);
	if (is_reg && o->reg < v->f->regs.n)
		fprintf(out, " %s%" PRId32, o->kind == OPND_PRED ? "p" : "",
			v->p->rows.row[o->reg]);
	else
		fputs(" -", out);
}

static void note_rows(FILE *out, uint32_t pc, const void *ctx)
{
	const struct view *v = ctx;
	const struct inst *in = &v->f->code.v[pc];
	fputs("    // rows:", out);
	for (unsigned i = 0; i < in->nd + in->ns; i++)
		note_opnd(out, v, &in->opnd[i]);
}
