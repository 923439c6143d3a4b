/* Source lines of machine code (nvcc -lineinfo), for messages and profiles. */
#include "lift/sm70/lift.h"

void lift_add_sources(struct lift_file *f)
{
	cuelf_read_lines(&f->elf);
	f->source_base = (uint32_t)f->module->files.n;
	for (size_t i = 0; i < f->elf.line_file.n; i++)
		vec_push(&f->module->files, arena_strdup(&f->module->arena, f->elf.line_file.v[i]));
}

enum { MOST_CALLS = 64 }; /* nested inlined calls; a file whose rows name each other has no end */

/* The module's entry for a row that is inlined; 0: it is not. Rows of one place share an entry. */
static uint32_t find_inlined(struct lift *l, const struct cuelf_line *p, unsigned depth)
{
	const struct cuelf *e = &l->file->elf;
	struct module *m = l->file->module;
	if (!p->call || depth == MOST_CALLS)
		return 0;
	const struct cuelf_line *call = &e->line.v[p->call - 1];
	if (!call->file || !p->file)
		return 0;
	uint32_t base = l->file->source_base;
	struct inlined x = {.file = base + p->file,
			    .line = p->line,
			    .at_file = base + call->file,
			    .at_line = call->line,
			    .up = find_inlined(l, call, depth + 1)};
	for (size_t i = m->inlined.n; i-- > 0 && i + MOST_CALLS > m->inlined.n;)
		if (!memcmp(&m->inlined.v[i], &x, sizeof x))
			return (uint32_t)i + 1;
	vec_push(&m->inlined, x);
	return (uint32_t)m->inlined.n;
}

void lift_place(struct lift *l, uint32_t section, uint32_t offset)
{
	struct ngen *g = &l->g;
	const struct cuelf_line *p = cuelf_line_at(&l->file->elf, section, offset);
	g->src_file = p ? l->file->source_base + p->file : 0;
	g->src_line = p ? p->line : 0;
	g->inlined = p ? find_inlined(l, p, 0) : 0;
}
