/* Decisions of the passes about the programs of the tree, recorded (tests/recorded.h): blocks,
 * dominators, loops, reconvergence points, live ranges, rows, scalar instructions, registers,
 * spills, and the generated machine code, lifted and flattened again.
 *
 * Words of a case: k=FILE, and `passes`, `registers` or `code` for the figures wanted. */
#ifndef TESTS_RECORDED_PASSES_H
#define TESTS_RECORDED_PASSES_H
#include "lift/program.h"
#include "front/ptx/ptx.h"
#include "heddle.h"
#include "ir/print.h"
#include "pass/alloc.h"
#include "pass/brief.h"
#include "pass/flatten.h"
#include "pass/pressure.h"
#include "pass/priority.h"
#include "pass/regcount.h"
#include "pass/stores.h"
#include "pass/words.h"
#include "recorded.h"

/* A text under construction that becomes a figure. */
struct sheet {
	FILE *f;
	char *text;
	size_t n;
};

static inline void sheet_open(struct sheet *s) { s->f = open_memstream(&s->text, &s->n); }
static inline void sheet_close(struct sheet *s, struct figures *out, const char *name)
{
	fclose(s->f);
	figure_text(out, name, s->text, s->n);
	free(s->text);
}

static inline void print_bytes(FILE *f, const char *what, const uint8_t *b, size_t n)
{
	fprintf(f, "%s", what);
	for (size_t i = 0; i < n; i++)
		fprintf(f, " %u", b[i]);
	fputc('\n', f);
}

static inline void print_numbers(FILE *f, const char *what, const uint32_t *v, size_t n)
{
	fprintf(f, "%s", what);
	for (size_t i = 0; i < n; i++)
		fprintf(f, " %d", (int32_t)v[i]);
	fputc('\n', f);
}

static inline void print_rows(FILE *f, const struct rows *r, size_t regs)
{
	fprintf(f, "rows %u preds %u brief %u\n", r->nrows, r->npreds, r->nbrief);
	print_numbers(f, "row", (const uint32_t *)r->row, regs);
	print_numbers(f, "zero", r->zero_row, r->nzero_row);
	print_numbers(f, "zero preds", r->zero_pred, r->nzero_pred);
}

static inline void print_scalar(FILE *out, struct arena *a, struct func *f,
				const struct pass_info *p, enum scalar_rule rule)
{
	struct scalar s;
	char why[256];
	scalar_find(&s, a, f, p->cfg, &p->pdom, &p->live, rule);
	fprintf(out, "rule %d: %u of %u\n", (int)rule, s.scalars, s.insts);
	for (uint32_t pc = 0; pc < f->code.n; pc++)
		fprintf(out, "%u %s\n", pc, scalar_text(&s, f, pc, why, sizeof why));
	print_bytes(out, "registers", s.reg, f->regs.n);
	if (rule == SCALAR_ALL)
		fprintf(out, "brief helps %d\n", brief_helps(f, p->cfg, &s));
}

static inline void pass_figures(struct sheet *s, struct func *f)
{
	struct arena a = {0};
	struct diag d = {0};
	struct pass_info p;
	const struct pass_opts o = {.share_rows = true, .brief_rows = true, .dump = s->f};
	fprintf(s->f, "## %s\n", f->name);
	if (!pass_run(f, &a, &o, &p, &d))
		fail_msg("%s does not verify", f->name);
	print_rows(s->f, &p.rows, f->regs.n);
	print_numbers(s->f, "priority", priority_build(&a, p.cfg), p.cfg->n + 1);
	print_numbers(s->f, "rpo", p.cfg->rpo.node, p.cfg->rpo.n);
	for (uint32_t b = 0; b < p.cfg->n; b++)
		fprintf(s->f, "%u leaves by %u\n", b, p.cfg->block[b].leave);
	const bool *brief = brief_find(&a, f, p.cfg, &p.live);
	print_bytes(s->f, "brief", (const uint8_t *)brief, f->regs.n);
	fprintf(s->f, "stores %llx live %u\n", (unsigned long long)stores_find(f), p.live_regs);
	for (enum scalar_rule r = SCALAR_ALL; r <= SCALAR_CONVERGENT; r++)
		print_scalar(s->f, &a, f, &p, r);
	arena_free(&a);
	diag_free(&d);
}

static inline void print_allocation(FILE *out, struct func *f, const struct alloc_opts *o)
{
	struct arena a = {0};
	struct allocation r;
	alloc_run(&r, &a, f, o);
	fprintf(out, "rule %d, at most %u and %u: %u, scalar %u, spilled %u\n", (int)o->scalar,
		o->limit, o->preds, r.vector, r.scalars, r.spill_bytes);
	print_rows(out, &r.rows, r.f->regs.n);
	if (r.spill_bytes || o->preds)
		func_print(out, r.f, NULL, NULL, NULL);
	arena_free(&a);
}

static inline void register_figures(struct sheet *s, struct func *f)
{
	static const struct alloc_opts how[] = {{SCALAR_NONE, 0, 0},
						{SCALAR_ALL, 0, 0},
						{SCALAR_CONVERGENT, 0, 2},
						{SCALAR_NONE, 16, 1},
						{SCALAR_ALL, 10, 0}};
	struct arena a = {0};
	uint8_t *words = ARENA_ARRAY(&a, uint8_t, f->regs.n + 1);
	fprintf(s->f, "## %s: %u registers, scheduled %u, named %u\n", f->name,
		regs_per_thread(f, false), regs_per_thread(f, true), regs_named(f));
	words_find(f, words);
	print_bytes(s->f, "words", words, f->regs.n);
	struct cfg *c = cfg_build(&a, f);
	struct live l;
	live_build(&l, f, c);
	for (unsigned limit = 8; limit <= 64; limit *= 2)
		fprintf(s->f, "under %u: %u\n", limit, pressure_scheduled(f, c, &l, limit));
	for (unsigned i = 0; i < sizeof how / sizeof *how; i++)
		print_allocation(s->f, f, &how[i]);
	arena_free(&a);
}

/* Lifts the machine code back to a program, with control flow by the token stack and without it. */
static inline void lifted_figures(struct sheet *s, const char *listing)
{
	struct diag d = {0};
	struct module *m = module_new();
	if (!native_program(m, "k.sass", listing, strlen(listing), NULL, &d) ||
	    !module_link(m, &d)) {
		char *why = diag_string(&d);
		fprintf(s->f, "refused: %s\n", why);
		free(why);
	} else {
		for (size_t i = 0; i < m->funcs.n; i++) {
			struct arena a = {0};
			func_print(s->f, m->funcs.v[i], NULL, NULL, NULL);
			struct func *flat =
				m->funcs.v[i]->entry ? native_flatten(m->funcs.v[i], &a, &d) : NULL;
			if (flat)
				pass_figures(s, flat);
			arena_free(&a);
		}
	}
	module_free(m);
	diag_free(&d);
}

static inline void code_figures(struct figures *f, const char *text, size_t n)
{
	static const struct {
		const char *name;
		struct heddle_compile how;
	} way[] = {{"tesla", {.sm = 13}},
		   {"fermi", {.sm = 20}},
		   {"fermi16", {.sm = 20, .max_registers = 16}}};
	for (unsigned i = 0; i < sizeof way / sizeof *way; i++) {
		struct sheet s;
		char *message = NULL;
		char *listing = heddle_native_compile(
			&(struct heddle_text){.name = "k.ptx", .data = text, .size = n}, 1,
			&way[i].how, &message);
		sheet_open(&s);
		fprintf(s.f, "%s\n%s\n", message ? message : "", listing ? listing : "none");
		if (listing && i < 2)
			lifted_figures(&s, listing);
		sheet_close(&s, f, way[i].name);
		free(listing);
		free(message);
	}
}

static inline void of_functions(struct figures *f, struct module *m, const char *name,
				void (*print)(struct sheet *s, struct func *f))
{
	struct sheet s;
	sheet_open(&s);
	for (size_t i = 0; i < m->funcs.n; i++)
		if (m->funcs.v[i]->defined)
			print(&s, m->funcs.v[i]);
	sheet_close(&s, f, name);
}

static inline void recorded_passes(const struct words *w, struct figures *f)
{
	struct diag d = {0};
	size_t n;
	char *text = file_text(word_of(w, "k"), &n);
	struct module *m = module_new();
	if (!ptx_read(m, "k.ptx", text, n, &d) || !module_link(m, &d))
		fail_msg("%s is refused", word_of(w, "k"));
	if (word_of(w, "passes"))
		of_functions(f, m, "passes", pass_figures);
	if (word_of(w, "registers"))
		of_functions(f, m, "registers", register_figures);
	if (word_of(w, "code"))
		code_figures(f, text, n);
	module_free(m);
	diag_free(&d);
	free(text);
}

#endif
