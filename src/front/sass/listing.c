/* Prints a module as cuobjdump -sass does: words and texts as they are before relocation. The full
 * style adds the information that such a listing lacks, as directives that sass.c reads. */
#include <stdlib.h>
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

/* True if the full style writes the last operand as 32@lo(NAME) or 32@hi(NAME). `text` is the
 * instruction without the name; its last operand is then zero. */
static bool names_symbol(const struct nreloc *r, const char *text, enum native_style st)
{
	const char *comma = strrchr(text, ',');
	return st == NSTYLE_FULL && (r->type == NREL_ABS32_HI_26 || r->type == NREL_ABS32_LO_26) &&
	       !r->addend && comma && !strcmp(comma, ", 0x0") && !strchr(r->symbol, ')');
}

/* The instruction as it was in the file, before relocation. */
struct ninst native_in_file(const struct nkernel *k, const struct ninst *in)
{
	struct ninst was = *in;
	for (size_t i = 0; i < k->link.n; i++)
		if (k->link.v[i].offset == in->pc) {
			native_decode(in->isa, k->link.v[i].was, in->pc, &was);
			break;
		}
	return was;
}

/* Returns the relocation whose symbol the instruction's text names; NULL: none. */
static const struct nreloc *named_reloc(const struct nkernel *k, const struct ninst *in,
					const char *text, enum native_style st)
{
	const struct nreloc *found = NULL;
	unsigned n = 0;
	for (size_t i = 0; i < k->reloc.n + k->link.n; i++) {
		const struct nreloc *r =
			i < k->reloc.n ? &k->reloc.v[i] : &k->link.v[i - k->reloc.n];
		if (r->offset != in->pc)
			continue;
		found = names_symbol(r, text, st) ? r : found;
		n++;
	}
	return n == 1 ? found : NULL;
}

static void print_inst(const struct nkernel *k, const struct ninst *now, enum native_style st,
		       FILE *f)
{
	char text[512], hex[32];
	struct ninst was = native_in_file(k, now), *in = &was;
	bool old = st != NSTYLE_CUDA5 && (st != NSTYLE_FULL || in->isa == NATIVE_FERMI);
	native_print(in, st, text, sizeof(text) - 2);
	const struct nreloc *r = named_reloc(k, in, text, st);
	char *comma = r ? strrchr(text, ',') : NULL;
	if (comma)
		snprintf(comma, sizeof(text) - 2 - (size_t)(comma - text), ", 32@%s(%s)",
			 r->type == NREL_ABS32_HI_26 ? "hi" : "lo", r->symbol);
	print_hex(in, old, hex, sizeof(hex));
	strcat(text, ";");
	if (old)
		fprintf(f, "\t/*%04x*/     /*%s*/ \t%s\n", in->pc, hex, text);
	else
		fprintf(f, "        /*%04x*/         %-48s /* %s */\n", in->pc, text, hex);
}

static void print_words(const uint8_t *data, size_t n, FILE *f)
{
	for (size_t i = 0; i < n; i += 4) {
		uint32_t w = 0;
		for (unsigned j = 0; j < 4 && i + j < n; j++)
			w |= (uint32_t)data[i + j] << (8 * j);
		fprintf(f, " 0x%08x", w);
	}
	fprintf(f, "\n");
}

/* Prints a section's words as they were in the file. */
static void print_section(const struct nmodule *m, const char *section, const uint8_t *data,
			  size_t n, FILE *f)
{
	uint8_t *was = xmalloc(n + 1);
	if (n)
		memcpy(was, data, n);
	native_unlink(was, n, section, m->link.v, m->link.n);
	print_words(was, n, f);
	free(was);
}

/* of: the function that the bank belongs to; NULL: the module */
static void print_bank(const struct nmodule *m, const struct nbank *b, const char *of, FILE *f)
{
	struct arena a = {0};
	fprintf(f, "\t.const 0x%x", b->bank);
	print_section(m,
		      arena_printf(&a, ".nv.constant%u%s%s", b->bank, of ? "." : "", of ? of : ""),
		      b->data, b->size, f);
	arena_free(&a);
}

static void print_variable(const struct nmodule *m, const struct nsymbol *y, FILE *f)
{
	static const char bank[] = ".nv.constant";
	if (y->kind == NSYM_TEXTURE || y->kind == NSYM_SURFACE) {
		if (y->slot != ~0u)
			fprintf(f, "\t.%s %s %u\n", y->kind == NSYM_TEXTURE ? "texture" : "surface",
				y->name, y->slot);
		return;
	}
	if (y->kind != NSYM_OBJECT || !y->section || !native_has_section(m, y->section))
		return;
	if (!y->local && y->size && !strncmp(y->section, bank, sizeof bank - 1) &&
	    !strchr(y->section + sizeof bank - 1, '.'))
		fprintf(f, "\t.constant %s %s 0x%llx %llu\n", y->name, y->section + sizeof bank - 1,
			(unsigned long long)y->value, (unsigned long long)y->size);
	else
		fprintf(f, "\t.symbol %s %s 0x%llx %llu%s\n", y->name, y->section,
			(unsigned long long)y->value, (unsigned long long)y->size,
			y->local ? " local" : "");
}

static void print_reloc(const struct nreloc *r, bool code, FILE *f)
{
	const char *type = native_reloc_name(r->type);
	int64_t addend = native_reloc_addend(r, code);
	fprintf(f, "\t.reloc %s 0x%llx ", r->section, (unsigned long long)r->offset);
	if (type)
		fprintf(f, "%s %s", type, r->symbol);
	else
		fprintf(f, "%u %s", r->type, r->symbol);
	if (addend)
		fprintf(f, " %lld", (long long)addend);
	fprintf(f, "\n");
}

/* True if the instruction's text already names the relocation's symbol. */
static bool is_named_in_text(const struct nkernel *k, const struct nreloc *r, enum native_style st)
{
	char text[512];
	const struct ninst *in = native_inst_at(k, r->offset);
	if (!in)
		return false;
	struct ninst was = native_in_file(k, in);
	native_print(&was, st, text, sizeof(text) - 2);
	return named_reloc(k, &was, text, st) != NULL;
}

struct record {
	const struct nreloc *r;
	bool waits; /* true: pending until the module is loaded */
	size_t at;
};

static int by_place(const void *a, const void *b)
{
	const struct record *x = a, *y = b;
	int c = strcmp(x->r->section, y->r->section);
	if (c)
		return c;
	if (x->r->offset != y->r->offset)
		return x->r->offset < y->r->offset ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

/* Prints the relocations of a function (k) or of data (k is NULL) that no instruction's text names.
 * They are ordered by place, because the order of the lists depends on how the file was read. */
static void print_relocs(const struct nmodule *m, const struct nkernel *k, enum native_style st,
			 FILE *f)
{
	const struct nreloc *wait = k ? k->reloc.v : m->reloc.v, *link = k ? k->link.v : m->link.v;
	size_t nwait = k ? k->reloc.n : m->reloc.n, n = nwait + (k ? k->link.n : m->link.n);
	struct record *v = xcalloc(n + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++)
		v[i] = (struct record){i < nwait ? &wait[i] : &link[i - nwait], i < nwait, i};
	qsort(v, n, sizeof(*v), by_place);
	for (size_t i = 0; i < n; i++)
		if (!k || !is_named_in_text(k, v[i].r, st))
			print_reloc(v[i].r, k || !v[i].waits, f);
	free(v);
}

/* True if some words of the function's bank contain relocations that are not yet applied. */
static bool has_relocs(const struct nmodule *m, const struct nkernel *k, unsigned bank)
{
	bool has = false;
	struct arena a = {0};
	const char *section = arena_printf(&a, ".nv.constant%u.%s", bank, k->name);
	for (size_t i = 0; i < m->reloc.n; i++)
		has |= !strcmp(m->reloc.v[i].section, section);
	for (size_t i = 0; i < m->link.n; i++)
		has |= !strcmp(m->link.v[i].section, section);
	arena_free(&a);
	return has;
}

static void print_facts(const struct nmodule *m, const struct nkernel *k, enum native_style st,
			FILE *f)
{
	fprintf(f, "\t.regs %u\n\t.shared %u\n\t.local %u\n\t.stack %u\n\t.bars %u\n", k->regs,
		k->shared, k->local, k->stack, k->bars);
	if (k->max_threads[0])
		fprintf(f, "\t.maxntid %u %u %u\n", k->max_threads[0], k->max_threads[1],
			k->max_threads[2]);
	if (k->reqntid[0])
		fprintf(f, "\t.reqntid %u %u %u\n", k->reqntid[0], k->reqntid[1], k->reqntid[2]);
	if (k->nparam) {
		fprintf(f, "\t.params");
		for (unsigned i = 0; i < k->nparam; i++)
			fprintf(f, " 0x%x:%u", k->param[i].offset, k->param[i].size);
		fprintf(f, "\n");
	}
	for (size_t i = 0; i < k->bank.n; i++)
		if (k->bank.v[i].bank || has_relocs(m, k, 0)) /* bank 0 is filled by the launch */
			print_bank(m, &k->bank.v[i], k->name, f);
	for (size_t i = 0; i < k->func.n; i++)
		fprintf(f, "\t.symbol %s .text.%s 0x%llx %llu\n", k->func.v[i].name, k->name,
			(unsigned long long)k->func.v[i].value,
			(unsigned long long)k->func.v[i].size);
	print_relocs(m, k, st, f);
}

/* Prints `.function` for code that is not a kernel. */
static void print_kind(const struct nkernel *k, bool kernel, FILE *f)
{
	if (!kernel && k->entry)
		fprintf(f, "\t.function 0x%x\n", k->entry);
	else if (!kernel)
		fprintf(f, "\t.function\n");
}

static void print_function(const struct nmodule *m, const struct nkernel *k, bool kernel,
			   bool whole, enum native_style st, FILE *f)
{
	fprintf(f, "\t\tFunction : %s\n", k->name);
	if (st == NSTYLE_CUDA5)
		fprintf(f, "\t.headerflags    @\"EF_CUDA_SM%u EF_CUDA_PTX_SM(EF_CUDA_SM%u)\"\n",
			m->sm, m->sm);
	print_kind(k, kernel, f);
	if (whole)
		print_facts(m, k, st, f);
	for (size_t j = 0; j < k->ninst; j++)
		print_inst(k, &k->inst[j], st, f);
	fprintf(f, "\t\t...............................\n\n");
}

/* True if code needs other parts of the file: functions or relocations. The plain styles then print
 * the directives too. */
static bool needs_all(const struct nmodule *m)
{
	bool all = m->function.n || m->reloc.n || m->link.n;
	for (size_t i = 0; i < m->kernel.n; i++)
		all |= m->kernel.v[i].reloc.n || m->kernel.v[i].link.n;
	return all;
}

static void print_data(const struct nmodule *m, FILE *f)
{
	fprintf(f, "\t.address_size %u\n", m->addr64 ? 64 : 32);
	for (size_t i = 0; i < m->bank.n; i++)
		print_bank(m, &m->bank.v[i], NULL, f);
	if (m->global_init_size) {
		fprintf(f, "\t.data .nv.global.init %zu", m->global_init_size);
		print_section(m, ".nv.global.init", m->global_init, m->global_init_size, f);
	}
	if (m->global_size)
		fprintf(f, "\t.data .nv.global %zu\n", m->global_size);
	for (unsigned global = 0; global < 2;
	     global++) /* in the order of an ELF file: local symbols first */
		for (size_t i = 0; i < m->symbol.n; i++)
			if (m->symbol.v[i].local != global)
				print_variable(m, &m->symbol.v[i], f);
	print_relocs(m, NULL, NSTYLE_FULL, f);
}

void native_listing_print(const struct nmodule *m, enum native_style st, FILE *f)
{
	bool whole = st == NSTYLE_FULL || needs_all(m);
	fprintf(f, "\tcode for sm_%u\n", m->sm);
	if (whole)
		print_data(m, f);
	for (size_t i = 0; i < m->kernel.n; i++)
		print_function(m, &m->kernel.v[i], true, whole, st, f);
	for (size_t i = 0; i < m->function.n; i++)
		print_function(m, &m->function.v[i], false, whole, st, f);
}

static void print_ptxplus(const struct nmodule *m, const struct nkernel *k, bool kernel, FILE *f)
{
	fprintf(f, ".entry %s {\n", k->name);
	print_kind(k, kernel, f);
	print_facts(m, k, NSTYLE_CUDA4, f);
	native_ptxplus_code(k, f);
	fprintf(f, "}\n");
}

/* The version is the PTX version that compilers for the machine wrote; the plus sign marks the file
 * as PTXPlus. */
void native_ptxplus_print(const struct nmodule *m, FILE *f)
{
	fprintf(f, ".version %s+\n.target sm_%u\n", m->isa == NATIVE_FERMI ? "2.3" : "1.4", m->sm);
	print_data(m, f);
	for (size_t i = 0; i < m->kernel.n; i++)
		print_ptxplus(m, &m->kernel.v[i], true, f);
	for (size_t i = 0; i < m->function.n; i++)
		print_ptxplus(m, &m->function.v[i], false, f);
}
