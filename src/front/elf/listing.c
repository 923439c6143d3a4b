/* Prints a cubin for sm_75 and later as a listing (listing.h). */
#include "front/elf/listing.h"

#include <inttypes.h>
#include <string.h>
#include "base/diag.h"
#include "front/elf/cuelf.h"
#include "isa/sm70/sm70.h"

enum { SHT_SYMTAB = 2, SHT_STRTAB = 3, SHT_NOBITS = 8, SHF_CODE = 4, BYTES_PER_LINE = 32 };

struct culist {
	FILE *f;
	struct cuelf elf;
	const uint8_t *data;
	bool full;
};

static void print_name(FILE *f, const char *name)
{
	fputc('"', f);
	for (; *name; name++)
		if (*name == '"' || *name == '\\' || (unsigned char)*name < ' ')
			fprintf(f, "\\x%02x", (unsigned char)*name);
		else
			fputc(*name, f);
	fputc('"', f);
}

static void print_bytes(FILE *f, const struct cuelf_section *s)
{
	for (uint64_t i = 0; i < s->size; i++) {
		bool last = i + 1 == s->size || (i + 1) % BYTES_PER_LINE == 0;
		fprintf(f, "%s%02x%s", i % BYTES_PER_LINE ? "" : "\t.bytes ", s->data[i],
			last ? "\n" : "");
	}
}

static void print_symbols(const struct culist *l)
{
	for (size_t i = 0; i < l->elf.symbol.n; i++) {
		const struct cuelf_symbol *y = &l->elf.symbol.v[i];
		const struct cuelf_section *s = &l->elf.section.v[y->section];
		bool whole = y->section && y->size && y->size == s->size && (s->flags & SHF_CODE);
		fputs("\t.symbol ", l->f);
		print_name(l->f, y->name);
		fprintf(l->f, " 0x%x 0x%x %u 0x%" PRIx64, y->info, y->other, y->place, y->value);
		fprintf(l->f, whole ? " *\n" : " %" PRIu64 "\n", y->size);
	}
}

/* ---- code ---- */

static const struct sm70_operand *target_of(const struct sm70_inst *in, uint64_t size)
{
	for (unsigned i = 0; i < in->nop; i++)
		if (in->o[i].kind == SM70_K_TARGET && in->o[i].imm < size && in->o[i].imm % 16 == 0)
			return &in->o[i];
	return NULL;
}

/* Prints the text with the label instead of the target's address, the last number in the text with
 * that value. */
static void print_with_label(FILE *f, const char *text, uint64_t target)
{
	char want[32];
	const char *at = NULL;
	size_t n = (size_t)snprintf(want, sizeof want, " 0x%" PRIx64, target);
	for (const char *p = strstr(text, want); p; p = strstr(p + 1, want))
		if (!p[n] || p[n] == ' ' || p[n] == ',')
			at = p;
	if (at)
		fprintf(f, "%.*s `(.L_%" PRIx64 ")%s", (int)(at - text), text, target, at + n);
	else
		fputs(text, f);
}

static void print_inst(const struct culist *l, const struct sm70_inst *in, uint64_t size)
{
	char text[700];
	const struct sm70_operand *t = target_of(in, size);
	sm70_print(in, l->full ? SM70_FULL : SM70_PLAIN, text, sizeof text);
	fprintf(l->f, "\t/*%04" PRIx64 "*/  ", in->pc);
	if (t)
		print_with_label(l->f, text, t->imm);
	else
		fputs(text, l->f);
	if (l->full)
		fputs(" ;\n", l->f);
	else
		fprintf(l->f, " ;  /* 0x%016" PRIx64 "%016" PRIx64 " */\n", in->word[1],
			in->word[0]);
}

static void print_functions(const struct culist *l, uint32_t section, uint64_t at)
{
	for (size_t i = 0; i < l->elf.func.n; i++)
		if (l->elf.func.v[i].section == section && l->elf.func.v[i].offset == at)
			fprintf(l->f, "\t\tFunction : %s\n", l->elf.func.v[i].name);
}

static void print_code(struct culist *l, uint32_t section)
{
	const struct cuelf_section *s = &l->elf.section.v[section];
	struct arena a = {0};
	size_t n = (size_t)(s->size / 16);
	struct sm70_inst in;
	char why[200];
	bool *label = ARENA_ARRAY(&a, bool, n + 1);
	memset(label, 0, n + 1);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n; i++) {
			const uint8_t *b = s->data + 16 * i;
			uint64_t word[2] = {cuelf_u64(b), cuelf_u64(b + 8)};
			bool known = sm70_decode(l->elf.sm, word, 16 * i, &in, why, sizeof why);
			const struct sm70_operand *t = known ? target_of(&in, s->size) : NULL;
			if (!pass) {
				if (t)
					label[t->imm / 16] = true;
				continue;
			}
			print_functions(l, section, 16 * i);
			if (label[i])
				fprintf(l->f, ".L_%zx:\n", 16 * i);
			if (known)
				print_inst(l, &in, s->size);
			else
				fprintf(l->f, "\t.word 0x%016" PRIx64 "%016" PRIx64 "\n", word[1],
					word[0]);
		}
	arena_free(&a);
}

static void print_section(struct culist *l, uint32_t i)
{
	const struct cuelf_section *s = &l->elf.section.v[i];
	fputs(".section ", l->f);
	print_name(l->f, s->name);
	fprintf(l->f, " 0x%x 0x%" PRIx64 " %u %u %" PRIu64 " %" PRIu64 "\n", s->type, s->flags,
		s->link, s->info, s->align, s->entry);
	if (s->type == SHT_SYMTAB)
		print_symbols(l);
	else if (s->type == SHT_STRTAB)
		fputs("\t.strings\n", l->f);
	else if (s->type == SHT_NOBITS)
		fprintf(l->f, "\t.space %" PRIu64 "\n", s->size);
	else if (s->data && cuelf_suffix(s->name, ".text.") && s->size % 16 == 0)
		print_code(l, i);
	else if (s->data)
		print_bytes(l->f, s);
}

bool culist_print(const char *file, const void *data, size_t n, bool full, FILE *f, struct diag *d)
{
	struct culist l = {.f = f, .data = data, .full = full};
	bool ok = cuelf_read(&l.elf, file, data, n, d);
	if (ok && !sm70_chip(arena_printf(&l.elf.arena, "sm_%u", l.elf.sm))) {
		diag_error(d, "%s: machine code of sm_%u is not known", file, l.elf.sm);
		ok = false;
	}
	if (ok) {
		const uint8_t *p = data;
		fprintf(f, ".elf %u 0x%x %u %u 0x%x  // sm_%u\n", cuelf_u16(p + 16), p[7], p[8],
			cuelf_u32(p + 20), cuelf_u32(p + 48), l.elf.sm);
		for (uint32_t i = 1; i < l.elf.section.n; i++)
			print_section(&l, i);
	}
	cuelf_free(&l.elf);
	return ok;
}
