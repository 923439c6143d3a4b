/* --check control-bits: hazards (isa/sm70/hazard.h) of all the code that a kernel's program or a file has, as text. */
#include "lift/sm70/control_check.h"

#include <stdlib.h>
#include "isa/sm70/hazard.h"
#include "lift/sm70/lift.h"

/* Hazards of one section; its addresses begin at `base`. Code that cannot be decoded has none: it is refused elsewhere. */
static unsigned check_section(const struct cuelf *e, uint32_t section, uint32_t base,
			      const char *kernel, const struct control_sink *to)
{
	const struct cuelf_section *s = &e->section.v[section];
	size_t n = s->data ? s->size / 16 : 0;
	struct sm70_inst *in = xcalloc(n, sizeof *in);
	struct sm70_hazards found = {0};
	char text[800], whole[1200];
	bool known = true;
	for (size_t i = 0; i < n && known; i++) {
		const uint8_t *b = s->data + i * 16;
		uint64_t word[2] = {cuelf_u64(b), cuelf_u64(b + 8)};
		known = sm70_decode(e->sm, word, base + 16 * i, &in[i], text, sizeof text);
	}
	if (known)
		sm70_hazards_find(e->sm, in, n, &found);
	for (size_t i = 0; i < found.v.n; i++) {
		sm70_hazard_text(&found.v.v[i], in, text, sizeof text);
		snprintf(whole, sizeof whole, "%s: %s at %s", e->file, kernel, text);
		to->found(to->arg, whole);
	}
	unsigned count = (unsigned)found.v.n;
	vec_free(&found.v);
	free(in);
	return count;
}

unsigned control_check_kernel(const struct func *kernel, const struct control_sink *to)
{
	const struct lift_kernel *k = kernel->make_arg;
	const struct cuelf *e = &k->file->elf;
	unsigned found = 0;
	for (uint32_t i = 1; i < e->section.n; i++) {
		bool own = i == k->f->section;
		if (own || (cuelf_suffix(e->section.v[i].name, ".text.") && k->file->code_base[i]))
			found += check_section(e, i, k->file->code_base[i],
					       own ? k->f->name
						   : cuelf_suffix(e->section.v[i].name, ".text."),
					       to);
	}
	return found;
}

bool control_check_file(const char *file, const void *data, size_t n, const struct control_sink *to,
			struct control_check *out, struct diag *d)
{
	struct cuelf e;
	*out = (struct control_check){0};
	bool ok = cuelf_read(&e, file, data, n, d);
	for (uint32_t i = 1; ok && i < e.section.n; i++) {
		const char *name = cuelf_suffix(e.section.v[i].name, ".text.");
		if (!name)
			continue;
		out->instructions += e.section.v[i].size / 16;
		out->functions++;
		out->found += check_section(&e, i, 0, name, to);
	}
	cuelf_free(&e);
	return ok;
}
