/* Prints the Fermi and Tesla chapters of docs/ from the decoder's table, in Markdown. */
#include <string.h>
#include "isa/table.h"

/* Prints a modifier: its texts, in braces if it may be absent. */
static void doc_mod(const struct nmodf *m, FILE *f)
{
	bool opt = false, first = true;
	if (m->flags & NMF_VTYPES) {
		fprintf(f, "{.type.type}");
		return;
	}
	for (unsigned i = 0; i < m->n; i++)
		opt |= m->val[i] && !m->val[i][0];
	for (unsigned i = 0; i < m->n; i++) {
		bool seen = !m->val[i] || !m->val[i][0];
		for (unsigned j = 0; !seen && j < i; j++)
			seen = m->val[j] && !strcmp(m->val[j], m->val[i]);
		if (seen)
			continue;
		fprintf(f, "%s%s", first ? (opt ? "{" : "(") : "/", m->val[i]);
		first = false;
	}
	if (!first)
		fprintf(f, opt ? "}" : ")");
}

static void doc_text(const struct native_tab *t, const struct native_row *r, FILE *f)
{
	fprintf(f, "`%s", r->name);
	if (r->form & NRF_LONG)
		fprintf(f, "{.S}");
	for (unsigned i = 0; i < ROW_MODS && r->mods[i]; i++)
		doc_mod(&t->mod[r->mods[i]], f);
	if (r->form & NRF_LONG && !(r->form & NRF_ANY))
		fprintf(f, "{.Cn}");
	if (r->form & NRF_POP)
		fprintf(f, "{.S}");
	if (r->form & NRF_TEST)
		fprintf(f, " {Cn.test}");
	for (unsigned i = 0; i < ROW_OPS && r->ops[i]; i++) {
		const struct nopf *o = &t->opf[r->ops[i]];
		bool opt = o->flags & NOF_OPT;
		fprintf(f, "%s%s", opt ? "{" : "",
			i == 0                 ? (r->form & NRF_TEST ? ", " : " ")
			: o->flags & NOF_SPACE ? " "
					       : ", ");
		for (const char *p = o->doc; *p; p++)
			fprintf(f, *p == '|' ? "\\|" : "%c", *p); /* a bar would end the cell */
		fputs(opt ? "}" : "", f);
	}
	fprintf(f, "`");
}

static void doc_fields(const struct native_tab *t, const struct native_row *r, FILE *f)
{
	const char *sep = "";
	for (unsigned i = 0; i < ROW_MODS && r->mods[i]; i++) {
		const struct nmodf *m = &t->mod[r->mods[i]];
		const char *name = "";
		for (unsigned j = 0; j < m->n && !name[0]; j++)
			if (m->val[j] && m->val[j][0])
				name = m->val[j];
		if (!m->w)
			continue;
		fprintf(f, "%s%s %u", sep, m->flags & NMF_VTYPES ? "types" : name, m->lo);
		if (m->w > 1)
			fprintf(f, "-%u", m->lo + m->w - 1);
		if (m->w2)
			fprintf(f, "+%u", m->lo2);
		if (m->w2 > 1)
			fprintf(f, "-%u", m->lo2 + m->w2 - 1);
		sep = "; ";
	}
}

void native_table_print(enum native_isa isa, FILE *f)
{
	const struct native_tab *t = native_tab(isa);
	fprintf(f,
		"# %s instructions\n\n"
		"Generated from the decoder's table by `heddle disasm --table %s`. A word is this instruction when\n"
		"its bits under the mask equal the match value%s. Braces hold what may be\n"
		"absent. The last column gives the bits of each modifier, named by its first text.\n\n"
		"| instruction | bytes | match | mask | modifier bits |\n| --- | --- | --- | --- | --- |\n",
		t->title, isa == NATIVE_FERMI ? "fermi" : "tesla",
		isa == NATIVE_TESLA ? " (low half: first word; bits 32 and up: second word)" : "");
	for (unsigned i = 0; i < t->nrow; i++) {
		const struct native_row *r = &t->row[i];
		fprintf(f, "| ");
		doc_text(t, r, f);
		fprintf(f, " | %u | %0*llx | %0*llx | ", r->size, r->size * 2,
			(unsigned long long)r->match, r->size * 2, (unsigned long long)r->mask);
		doc_fields(t, r, f);
		fprintf(f, " |\n");
	}
	fprintf(f, "\n%u rows.\n", t->nrow);
}
