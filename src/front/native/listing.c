/* A module as cuobjdump -sass prints it. The full style adds what a listing lacks, as directives
 * that the listing reader understands. */
#include <string.h>
#include "front/native/module.h"

static void print_hex(const struct ninst *in, bool old, char *b, size_t n)
{
	unsigned lo = (unsigned)in->word, hi = (unsigned)(in->word >> 32);
	if (in->size == 4)
		snprintf(b, n, old ? "0x%08x" : "0x%08x        ", lo);
	else
		snprintf(b, n, "0x%08x%08x", old ? lo : hi, old ? hi : lo);
}

/* An immediate that is a variable's address is the last operand of what compilers relocate. */
static void print_reloc(const struct nkernel *k, const struct ninst *in, char *text, size_t n)
{
	for (size_t i = 0; i < k->reloc.n; i++) {
		const struct nreloc *r = &k->reloc.v[i];
		char *comma = strrchr(text, ',');
		if (r->offset != in->pc || !comma || in->size != 8)
			continue;
		if (r->type == NREL_ABS32_HI_26 || r->type == NREL_ABS32_LO_26 || r->type == NREL_ABS32_26)
			snprintf(comma, n - (size_t)(comma - text), ", 32@%s(%s)", r->type == NREL_ABS32_HI_26 ? "hi" : "lo", r->symbol);
	}
}

static void print_inst(const struct nkernel *k, const struct ninst *in, enum native_style st, FILE *f)
{
	char text[512], hex[32];
	bool old = st == NSTYLE_CUDA4 || (st == NSTYLE_FULL && in->isa == NATIVE_FERMI);
	native_print(in, st, text, sizeof(text) - 2);
	if (st == NSTYLE_FULL)
		print_reloc(k, in, text, sizeof(text) - 2);
	print_hex(in, old, hex, sizeof(hex));
	strcat(text, ";");
	if (old)
		fprintf(f, "\t/*%04x*/     /*%s*/ \t%s\n", in->pc, hex, text);
	else
		fprintf(f, "        /*%04x*/         %-48s /* %s */\n", in->pc, text, hex);
}

static void print_bank(const struct nbank *b, FILE *f)
{
	fprintf(f, "\t.const 0x%x", b->bank);
	for (size_t i = 0; i < b->size; i += 4) {
		uint32_t w = 0;
		for (unsigned j = 0; j < 4 && i + j < b->size; j++)
			w |= (uint32_t)b->data[i + j] << (8 * j);
		fprintf(f, " 0x%08x", w);
	}
	fprintf(f, "\n");
}

/* Variables that a listing can spell: constants in banks, globals with their initial words. */
static void print_variable(const struct nmodule *m, const struct nsymbol *y, FILE *f)
{
	static const char bank[] = ".nv.constant";
	if (y->kind == NSYM_TEXTURE || y->kind == NSYM_SURFACE) {
		if (y->slot != ~0u)
			fprintf(f, "\t.%s %s %u\n", y->kind == NSYM_TEXTURE ? "texture" : "surface", y->name, y->slot);
		return;
	}
	if (y->kind != NSYM_OBJECT || !y->section || !y->size)
		return;
	if (!strncmp(y->section, bank, sizeof bank - 1) && !strchr(y->section + sizeof bank - 1, '.')) {
		fprintf(f, "\t.constant %s %s 0x%llx %llu\n", y->name, y->section + sizeof bank - 1, (unsigned long long)y->value,
			(unsigned long long)y->size);
		return;
	}
	bool init = !strcmp(y->section, ".nv.global.init");
	if (!init && strcmp(y->section, ".nv.global"))
		return;
	fprintf(f, "\t.global %s %llu", y->name, (unsigned long long)y->size);
	for (uint64_t i = 0; init && i < y->size && y->value + i < m->global_init_size; i += 4) {
		uint32_t w = 0;
		for (unsigned b = 0; b < 4 && i + b < y->size && y->value + i + b < m->global_init_size; b++)
			w |= (uint32_t)m->global_init[y->value + i + b] << (8 * b);
		fprintf(f, " 0x%08x", w);
	}
	fprintf(f, "\n");
}

static void print_facts(const struct nkernel *k, FILE *f)
{
	fprintf(f, "\t.regs %u\n\t.shared %u\n\t.local %u\n\t.stack %u\n\t.bars %u\n", k->regs, k->shared, k->local,
		k->stack, k->bars);
	if (k->nparam) {
		fprintf(f, "\t.params");
		for (unsigned i = 0; i < k->nparam; i++)
			fprintf(f, " 0x%x:%u", k->param[i].offset, k->param[i].size);
		fprintf(f, "\n");
	}
	for (size_t i = 0; i < k->bank.n; i++)
		if (k->bank.v[i].bank)
			print_bank(&k->bank.v[i], f);
}

static void print_function(const struct nmodule *m, const struct nkernel *k, enum native_style st, FILE *f)
{
	fprintf(f, "\t\tFunction : %s\n", k->name);
	if (st == NSTYLE_FULL)
		print_facts(k, f);
	else if (st == NSTYLE_CUDA5)
		fprintf(f, "\t.headerflags    @\"EF_CUDA_SM%u EF_CUDA_PTX_SM(EF_CUDA_SM%u)\"\n", m->sm, m->sm);
	for (size_t j = 0; j < k->ninst; j++)
		print_inst(k, &k->inst[j], st, f);
	fprintf(f, "\t\t...............................\n\n");
}

void native_listing_print(const struct nmodule *m, enum native_style st, FILE *f)
{
	fprintf(f, "\tcode for sm_%u\n", m->sm);
	for (size_t i = 0; st == NSTYLE_FULL && i < m->bank.n; i++)
		print_bank(&m->bank.v[i], f);
	for (size_t i = 0; st == NSTYLE_FULL && i < m->symbol.n; i++)
		print_variable(m, &m->symbol.v[i], f);
	for (size_t i = 0; st == NSTYLE_FULL && i < m->reloc.n; i++)
		if (!strncmp(m->reloc.v[i].section, ".nv.constant", 12) && m->reloc.v[i].size == 4)
			fprintf(f, "\t.address %s 0x%llx %s\n", m->reloc.v[i].section + 12, (unsigned long long)m->reloc.v[i].offset,
				m->reloc.v[i].symbol);
	for (size_t i = 0; i < m->kernel.n; i++)
		print_function(m, &m->kernel.v[i], st, f);
	for (size_t i = 0; i < m->function.n; i++)
		print_function(m, &m->function.v[i], st, f);
}
