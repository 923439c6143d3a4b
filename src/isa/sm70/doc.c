/* Prints docs/reference/isa-sm70.md: the table as an ISA reference. */
#include <string.h>
#include "isa/sm70/address.h"
#include "isa/sm70/table.h"

static void doc_bits(const struct sm70_field *f, FILE *out)
{
	for (unsigned i = 0; i < f->n; i++) {
		if (!f->w[i])
			continue;
		fprintf(out, "%s%u", i ? "+" : "", f->lo[i]);
		if (f->w[i] > 1)
			fprintf(out, "-%u", f->lo[i] + f->w[i] - 1);
	}
}

static unsigned count_words(const struct sm70_list *l)
{
	unsigned n = 0;
	for (unsigned i = 0; i < l->n; i++)
		n += l->word[i] != SM70_W_NONE && l->word[i] < W_BAD;
	return n;
}

static bool may_be_absent(const struct sm70_list *l)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->word[i] == SM70_W_NONE)
			return true;
	return false;
}

/* Prints a modifier: its words if they are few, else the name of its list. */
static void doc_modifier(const struct sm70_item *it, FILE *out)
{
	const struct sm70_list *l = &sm70_table()->list[it->list];
	bool absent = may_be_absent(l) || it->cond[0].kind, few = count_words(l) <= 4;
	const char *sep = "";
	fprintf(out, "%s", absent ? "{" : few && count_words(l) > 1 ? "(" : "");
	if (!few)
		fprintf(out, ".%s", l->name);
	for (unsigned i = 0; few && i < l->n; i++)
		if (l->word[i] != SM70_W_NONE && l->word[i] < W_BAD) {
			fprintf(out, "%s.%s", sep, sm70_word_text(l->word[i]));
			sep = "\\|";
		}
	fprintf(out, "%s", absent ? "}" : few && count_words(l) > 1 ? ")" : "");
}

/* Prints an operand's name: D, A, B, C, or its kind and lowest bit. */
static void doc_name(const struct sm70_item *it, FILE *out)
{
	static const char *const kinds[] = {
		[SM70_K_GPR] = "R",         [SM70_K_UGPR] = "UR",
		[SM70_K_PRED] = "P",        [SM70_K_UPRED] = "UP",
		[SM70_K_PR] = "PR",         [SM70_K_IMM] = "imm",
		[SM70_K_CONST] = "c[]",     [SM70_K_SREG] = "SR",
		[SM70_K_BARRIER] = "Bn",    [SM70_K_TARGET] = "target",
		[SM70_K_OFFSET] = "offset", [SM70_K_GDESC] = "gdesc[UR]",
		[SM70_K_SB] = "SBn",        [SM70_K_SBSET] = "{SB}",
		[SM70_K_RPC] = "Rpc",       [SM70_K_WORD] = "word",
	};
	const char *u = it->flags & IF_UNIFORM && it->it != IT_OPERAND ? "U" : "";
	if (it->it == IT_B)
		fprintf(out, "%sB", u);
	else if (it->it == IT_C)
		fprintf(out, "%sC", u);
	else if (it->it == IT_S)
		fprintf(out, "%sS", u);
	else if (it->kind == SM70_K_MEM)
		fprintf(out, "[%s]", sm70_address_kind(it->sub)->name);
	else
		fprintf(out, "%s%s", it->kind == SM70_K_PR && it->flags & IF_UNIFORM ? "U" : "",
			kinds[it->kind]);
	if (it->it == IT_OPERAND && it->f.n && it->kind != SM70_K_CONST)
		fprintf(out, "%u", it->f.lo[0]);
}

static void doc_operand(const struct sm70_item *it, FILE *out)
{
	bool optional = it->flags & (IF_HIDE | IF_HIDE_OLD) || it->cond[0].kind;
	bool predicate = it->kind == SM70_K_PRED || it->kind == SM70_K_UPRED;
	fprintf(out, "%s", optional ? "{" : "");
	if (it->it != IT_OPERAND || !predicate)
		fprintf(out, "%s%s%s", it->neg ? "-" : "", it->inv ? "~" : "",
			it->abs ? "\\|" : "");
	else
		fprintf(out, "%s", it->neg ? "!" : "");
	doc_name(it, out);
	fprintf(out, "%s", it->abs ? "\\|" : "");
	if (it->part.n)
		fprintf(out, ".%s", sm70_table()->list[it->list].name);
	fprintf(out, "%s", optional ? "}" : "");
}

static void doc_text(const struct sm70_form *f, FILE *out)
{
	bool any = false;
	fprintf(out, "`%s", f->name);
	for (unsigned i = 0; i < f->nitem; i++)
		if (f->item[i].it == IT_MOD)
			doc_modifier(&f->item[i], out);
	for (unsigned i = 0; i < f->nitem; i++) {
		if (f->item[i].it < IT_B)
			continue;
		fprintf(out, "%s", !any || f->item[i].flags & IF_BLANK ? " " : ", ");
		doc_operand(&f->item[i], out);
		any = true;
	}
	fprintf(out, "`");
}

static void doc_condition(const struct sm70_item *it, FILE *out)
{
	for (unsigned i = 0; i < ITEM_CONDS && it->cond[i].kind; i++) {
		const struct sm70_cond *c = &it->cond[i];
		const char *word = c->word ? sm70_word_text(c->word) : "none";
		fprintf(out, i ? " and " : " if ");
		if (c->kind == CD_FROM || c->kind == CD_BEFORE)
			fprintf(out, "%s sm_%u", c->kind == CD_FROM ? "from" : "before", c->word);
		else if (c->kind == CD_SET || c->kind == CD_CLEAR)
			fprintf(out, "%s%s", c->kind == CD_SET ? "" : "no ",
				sm70_slot_name(c->slot));
		else
			fprintf(out, "%s is %s%s", sm70_slot_name(c->slot),
				c->kind == CD_IS ? "" : "not ", word);
	}
}

static void doc_fields(const struct sm70_form *f, FILE *out)
{
	const char *sep = "";
	for (unsigned i = 0; i < f->nitem; i++) {
		const struct sm70_item *it = &f->item[i];
		bool part = it->it >= IT_B && it->part.n && field_width(&it->part);
		if (it->it == IT_MATCH || it->it == IT_SET) {
			fprintf(out, "%s%s", sep, it->it == IT_SET ? "set " : "");
			doc_bits(&it->f, out);
			fprintf(out, " = %u", it->def);
		} else if (it->it == IT_AMONG) {
			const char *bar = " = ";
			fprintf(out, "%s", sep);
			doc_bits(&it->f, out);
			for (unsigned n = 0; n < 64; n++)
				if (it->among >> n & 1) {
					fprintf(out, "%s%u", bar, n);
					bar = " or ";
				}
		} else if (it->it == IT_POW2) {
			fprintf(out, "%s", sep);
			doc_bits(&it->f, out);
			fprintf(out, " a power of 2");
		} else if (it->it == IT_MOD && field_width(&it->f)) {
			fprintf(out, "%s%s ", sep, sm70_table()->list[it->list].name);
			doc_bits(&it->f, out);
			doc_condition(it, out);
		} else if (part) {
			fprintf(out, "%s%s ", sep, sm70_table()->list[it->list].name);
			doc_bits(&it->part, out);
		} else if (it->it == IT_OPERAND && it->f.n && it->cond[0].kind) {
			fprintf(out, "%s", sep);
			doc_name(it, out);
			doc_condition(it, out);
		} else {
			continue;
		}
		sep = "; ";
	}
}

static void doc_opcode(const struct sm70_form *f, FILE *out)
{
	if (!f->nibbles) {
		fprintf(out, "%03x", f->code);
		return;
	}
	const char *sep = "";
	for (unsigned n = 0; n < 8; n++)
		if (f->nibbles >> n & 1) {
			fprintf(out, "%s%03x", sep, f->code | n << 9);
			sep = " ";
		}
}

static void doc_chips(const struct sm70_form *f, FILE *out)
{
	if (f->first == 75 && f->last == 255)
		fprintf(out, "all");
	else if (f->last == 255)
		fprintf(out, "from %u", f->first);
	else if (f->first == 75)
		fprintf(out, "to %u", f->last >= 100 ? 100u : f->last >= 90 ? 90u : f->last);
	else
		fprintf(out, "%u to %u", f->first,
			f->last >= 100  ? 100u
			: f->last >= 90 ? 90u
					: f->last);
}

static const char intro[] =
	"# Instructions of Turing to Blackwell (128 bits)\n\n"
	"Generated by `heddle disasm --table sm70` from the table that decoder, disassembler and assembler\n"
	"read (src/isa/sm70/forms.def, modifiers.def). Chips: sm_75, 80, 86, 87, 89, 90, 100, 120.\n\n"
	"## The word\n\n"
	"| bits | field |\n| --- | --- |\n"
	"| 0-11 | opcode; bits 9-11 say which operand is a register, an immediate, a constant, a uniform register |\n"
	"| 12-14, 15 | guard predicate (7: always) and its negation; uniform datapath: a uniform predicate |\n"
	"| 16-23 | destination D (R16) |\n| 24-31 | operand A (R24) |\n"
	"| 32-63 | operand B or C: register in 32-39, immediate, constant (offset in words 40-53, bank 54-58; with bit 91 set the bank is in UR32), uniform register in 32-37 (32-39 from sm_100) |\n"
	"| 62, 63; 72, 73; 74, 75 | absolute value and negation of the operand in 32-63; negation and absolute value of A; absolute value and negation of the register in 64-71 |\n"
	"| 64-71 | the other of B and C |\n| 72-104 | modifiers, predicates, by opcode |\n"
	"| 91 | a source is a uniform register |\n"
	"| 105-108 | stall: cycles before the warp may issue again |\n"
	"| 109 | clear: yield, the scheduler may prefer another warp (Y in the text) |\n"
	"| 110-112, 113-115 | counter given back when the result is written (W), when the sources are read (R); 7: none |\n"
	"| 116-121 | counters (B) that must be 0 before the instruction issues |\n"
	"| 122-124 | the operand cache keeps A, B, C (`.reuse`) |\n\n"
	"Register 255 is RZ, predicate 7 PT, uniform register 63 (255 from sm_100) URZ. What bits 9-11 make\n"
	"of the flexible operands; S is the second operand of instructions with two:\n\n"
	"| bits 9-11 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n"
	"| B | R32 | R64 | R64 | imm | c[][] | UR32 | R64 |\n"
	"| C | R64 | imm | c[][] | R64 | R64 | R64 | UR32 |\n"
	"| S | R32 | imm | c[][] | imm | c[][] | UR32 | UR32 |\n\n"
	"## Instructions\n\n"
	"Braces hold what may be absent; a modifier in small letters is one of the lists below. P, UP, R, UR\n"
	"and imm are followed by their lowest bit; a predicate's negation is the bit above its three. Of rows\n"
	"with one opcode the first whose fixed bits (n = value) agree counts. `set` bits have no meaning; the\n"
	"compiler sets them so.\n\n"
	"| instruction | opcodes | chips | fields |\n| --- | --- | --- | --- |\n";

static void doc_lists(FILE *out)
{
	const struct sm70_table *t = sm70_table();
	fprintf(out, "\n## Modifiers\n\nWords by code; -: no text; *: the code has no meaning.\n\n"
		     "| list | words |\n| --- | --- |\n");
	for (unsigned i = 0; i < t->nlist; i++) {
		const struct sm70_list *l = &t->list[i];
		fprintf(out, "| %s |", l->name);
		for (unsigned k = 0; k < l->n; k++)
			fprintf(out, " %s",
				l->word[k] == SM70_W_NONE ? "-"
				: l->word[k] >= W_BAD     ? "\\*"
							  : sm70_word_text(l->word[k]));
		fprintf(out, " |\n");
	}
}

static void doc_addresses(FILE *out)
{
	fprintf(out, "\n## Addresses\n\n"
		     "| kind | register | uniform register | offset | more |\n"
		     "| --- | --- | --- | --- | --- |\n");
	for (unsigned i = 1; sm70_address_kind(i); i++) {
		const struct address_kind *k = sm70_address_kind(i);
		fprintf(out, "| %s | ", k->name);
		if (k->reg)
			fprintf(out, "%u", k->reg);
		fprintf(out, " | ");
		if (k->ureg)
			fprintf(out, "%u", k->ureg);
		fprintf(out, " | ");
		if (k->off)
			fprintf(out, "%u-%u, signed", k->off, k->off + k->off_w - 1);
		fprintf(out, " | ");
		if (k->flags & ADF_SCALE)
			fprintf(out, "scale %u-%u: none, X4, X8, X16. ", k->scale, k->scale + 1);
		if (k->flags & ADF_64)
			fprintf(out, "The register is a pair. ");
		if (k->flags & ADF_WIDE)
			fprintf(out, "Bit %u: the register is a pair; clear: 32 bits. ",
				k->wide ? k->wide : 90);
		if (k->flags & ADF_DESC)
			fprintf(out, "Bit %u: the uniform register%s is a descriptor.",
				k->desc ? k->desc : 76, k->flags & ADF_NEXT ? "'s successor" : "");
		fprintf(out, " |\n");
	}
}

static void doc_special_registers(FILE *out)
{
	static const unsigned chips[] = {75, 80, 90, 100, 120};
	fprintf(out, "\n## Special registers\n\n| number | name |\n| --- | --- |\n");
	for (unsigned n = 0; n < 256; n++) {
		char name[40], plain[40], last[40] = "";
		bool any = false;
		snprintf(plain, sizeof plain, "SR%u", n);
		for (unsigned i = 0; i < sizeof chips / sizeof *chips; i++) {
			const char *s = sm70_sreg_name(chips[i], n, name);
			if (!strcmp(s, plain) || !strcmp(s, last))
				continue;
			if (any)
				fprintf(out, ", from sm_%u %s", chips[i], s);
			else
				fprintf(out, "| %u | %s", n, s);
			if (!any && chips[i] > 75)
				fprintf(out, " (from sm_%u)", chips[i]);
			snprintf(last, sizeof last, "%s", s);
			any = true;
		}
		fprintf(out, "%s", any ? " |\n" : "");
	}
}

void sm70_table_print(FILE *out)
{
	const struct sm70_table *t = sm70_table();
	fputs(intro, out);
	for (unsigned i = 0; i < t->nform; i++) {
		const struct sm70_form *f = &t->form[i];
		fprintf(out, "| ");
		doc_text(f, out);
		fprintf(out, " | ");
		doc_opcode(f, out);
		fprintf(out, " | ");
		doc_chips(f, out);
		fprintf(out, " | ");
		doc_fields(f, out);
		fprintf(out, " |\n");
	}
	fprintf(out, "\n%u rows.\n", t->nform);
	doc_lists(out);
	doc_addresses(out);
	doc_special_registers(out);
}
