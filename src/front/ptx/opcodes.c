/* Builds the opcode table: compiles the rows of opcodes.def into qualifiers and operand
 * specifications. */
#include "front/ptx/opcodes.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include "front/ptx/decode.h"

#define F(o, form, operands, handler, preset, legacy)                                              \
	{OP_##o, form, operands, handler, preset, legacy},
#define U(form)     {NOT_SUPPORTED, form, "", NULL, 0, 0},
#define H(n)        decode_##n
#define P(field, v) ((uint64_t)(offsetof(struct inst, field) + 1) << 32 | (v))
#define PM(bits)    ((uint64_t)1 << 63 | (bits))
static struct form table[] = {
#include "front/ptx/opcodes.def"
};
#undef F
#undef U
#undef H

enum { NFORM = sizeof(table) / sizeof(table[0]), MAX_OPCODES = 256 };
static struct qualifier qualifiers[NFORM * MAX_QUALIFIERS];
static unsigned nqualifiers;
static struct opcode opcodes[MAX_OPCODES];
static unsigned nopcodes;
static const char *words[MAX_WORDS];
static unsigned nwords;
static struct map word_map, opcode_map; /* word -> number + 1; opcode -> struct opcode */
static struct arena names;

static int word_add(const char *s, size_t len)
{
	uintptr_t n = (uintptr_t)map_getn(&word_map, s, len);
	if (n)
		return (int)n - 1;
	if (nwords == MAX_WORDS)
		return 0;
	words[nwords] = arena_strndup(&names, s, len);
	map_putn(&word_map, words[nwords], len, (void *)(uintptr_t)(nwords + 1));
	return (int)nwords++;
}

static void qualifier_add_word(struct qualifier *s, const char *w, size_t len)
{
	int n = word_add(w, len);
	s->accept[n / 64] |= (uint64_t)1 << (n % 64);
}

/* `<name:a,b>` or `<name>`, or a bare word. */
static void qualifier_compile(struct qualifier *s, const char *t, size_t len)
{
	s->text = t;
	s->len = (unsigned)len;
	s->optional = t[len - 1] == '?';
	len -= s->optional;
	if (*t != '<') {
		const struct domain *flag = ptx_domain_find("flag", 4);
		qualifier_add_word(s, t, len);
		for (unsigned i = 0; i < flag->n; i++)
			if (strlen(flag->value[i].word) == len &&
			    !memcmp(flag->value[i].word, t, len))
				s->dom = flag, s->field = FIELD_MODS;
		return;
	}
	const char *end = t + len - 1, *name = t + 1;
	const char *colon = memchr(name, ':', (size_t)(end - name));
	size_t nlen = (size_t)((colon ? colon : end) - name);
	if (nlen == 1) {
		s->is_type = true;
		s->field = *name == 't'   ? FIELD_TYPE
			   : *name == 's' ? FIELD_STYPE
			   : *name == 'a' ? FIELD_ATYPE
					  : FIELD_BTYPE;
	} else {
		s->dom = ptx_domain_find(name, nlen);
		s->field = s->dom->field;
	}
	if (!colon) {
		for (unsigned i = 0; i < s->dom->n; i++)
			qualifier_add_word(s, s->dom->value[i].word, strlen(s->dom->value[i].word));
		return;
	}
	for (const char *w = colon + 1; w < end;) {
		const char *e = memchr(w, ',', (size_t)(end - w));
		e = e ? e : end;
		qualifier_add_word(s, w, (size_t)(e - w));
		w = e + 1;
	}
}

static unsigned spec_type(const char *t, size_t len)
{
	static const char sel[] = "DSABW";
	if (len == 1 && strchr(sel, *t))
		return SEL_D + (unsigned)(strchr(sel, *t) - sel);
	return type_find(t, (unsigned)len);
}

static void spec_compile(struct spec *sp, const char *t, size_t len)
{
	if (*t == '=')
		sp->dst = true, t++, len--;
	if (t[len - 1] == '?') {
		if (memchr(t, '|', len))
			sp->second_optional = true;
		else
			sp->optional = true;
		len--;
	}
	const char *bar = memchr(t, '|', len);
	if (bar) {
		sp->second = (uint8_t)spec_type(bar + 1, (size_t)(t + len - bar - 1));
		len = (size_t)(bar - t);
	}
	for (; t[len - 1] == '_' || t[len - 1] == '~'; len--)
		*(t[len - 1] == '_' ? &sp->sink : &sp->relaxed) = true;
	static const struct {
		const char *name;
		uint8_t kind, space;
	} kinds[] = {
		{"[]", SPEC_MEM, SP_NONE},         {"[shared]", SPEC_MEM, SP_SHARED},
		{"[global]", SPEC_MEM, SP_GLOBAL}, {"imm", SPEC_IMM, 0},
		{"bpred", SPEC_BPRED, 0},          {"adr", SPEC_ADR, 0},
		{"cpsrc", SPEC_CPSRC, 0},          {"policy", SPEC_POLICY, 0},
	};
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].name) == len && !memcmp(kinds[i].name, t, len)) {
			sp->kind = kinds[i].kind;
			sp->space = kinds[i].space;
			return;
		}
	if (*t == '{') {
		sp->kind = SPEC_VEC;
		t++, len -= 2;
	}
	sp->type = (uint8_t)spec_type(t, len);
}

/* Splits a form's text into words at dots; the list of a domain contains no dots. */
static void form_compile(struct form *f)
{
	const char *t = f->text;
	f->oplen = (unsigned)strcspn(t, ".");
	f->qualifier = qualifiers + nqualifiers;
	for (t += f->oplen; *t;) {
		size_t len = strcspn(++t, ".");
		qualifier_compile(&f->qualifier[f->nqualifier], t, len);
		f->has_ftz |= len >= 3 && !memcmp(t, "ftz", 3);
		f->nqualifier++;
		nqualifiers++;
		t += len;
	}
	for (t = f->operands; *t && f->nspec < MAX_SPECS;) {
		size_t len = strcspn(t, ",");
		spec_compile(&f->spec[f->nspec++], t, len);
		t += len;
		t += strspn(t, ", ");
	}
}

static void table_build(void)
{
	word_add("", 0);
	for (unsigned i = 0; i < NFORM; i++) {
		struct form *f = &table[i];
		form_compile(f);
		struct opcode *o = nopcodes ? &opcodes[nopcodes - 1] : NULL;
		if (!o || o->len != f->oplen || memcmp(o->name, f->text, o->len)) {
			o = &opcodes[nopcodes++];
			o->name = arena_strndup(&names, f->text, f->oplen);
			o->len = f->oplen;
			o->form = f;
			map_putn(&opcode_map, o->name, o->len, o);
		}
		o->nform++;
	}
}

static void table_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, table_build);
}

const struct opcode *ptx_opcode_find(const char *name, unsigned len)
{
	table_init();
	return map_getn(&opcode_map, name, len);
}

const char *ptx_opcode_nearest(const char *name, unsigned len)
{
	const char *all[MAX_OPCODES];
	char buf[64];
	table_init();
	if (len >= sizeof(buf))
		return NULL;
	memcpy(buf, name, len);
	buf[len] = 0;
	for (unsigned i = 0; i < nopcodes; i++)
		all[i] = opcodes[i].name;
	return nearest_name(buf, all, nopcodes);
}

int ptx_word_number(const char *s, unsigned len)
{
	return (int)(uintptr_t)map_getn(&word_map, s, len) - 1;
}

const char *qualifier_word(const struct qualifier *s, unsigned i, unsigned *len)
{
	const char *end = s->text + s->len - s->optional, *w = s->text;
	if (*w != '<') {
		*len = (unsigned)(end - w);
		return i ? NULL : w;
	}
	w = memchr(w, ':', (size_t)(end - w));
	if (!w) { /* the whole domain */
		if (i >= s->dom->n)
			return NULL;
		*len = (unsigned)strlen(s->dom->value[i].word);
		return s->dom->value[i].word;
	}
	/* `shared::cta` contains colons: the first colon ends the domain's name */
	for (w++, end--; i; i--) {
		w = memchr(w, ',', (size_t)(end - w));
		if (!w)
			return NULL;
		w++;
	}
	const char *e = memchr(w, ',', (size_t)(end - w));
	*len = (unsigned)((e ? e : end) - w);
	return w;
}

uint32_t qualifier_value(const struct qualifier *s, int word)
{
	const char *w = words[word];
	if (s->is_type)
		return type_find(w, (unsigned)strlen(w));
	for (unsigned i = 0; s->dom && i < s->dom->n; i++)
		if (!strcmp(s->dom->value[i].word, w))
			return s->dom->value[i].value;
	return 0;
}

/* ---- docs/reference/ptx-support.md ---- */

/* Prints the form in the notation of the PTX manual: a list in braces, an optional word in
 * brackets. */
static void form_print(const struct form *f, FILE *o)
{
	fprintf(o, "| `%.*s", (int)f->oplen, f->text);
	for (unsigned i = 0; i < f->nqualifier; i++) {
		const struct qualifier *s = &f->qualifier[i];
		unsigned n = 0, len;
		while (qualifier_word(s, n, &len))
			n++;
		fprintf(o, "%s%s", s->optional ? "[." : ".", n > 1 ? "{" : "");
		for (unsigned k = 0; k < n; k++) {
			const char *w = qualifier_word(s, k, &len);
			fprintf(o, "%s%.*s", k ? "," : "", (int)len, w);
		}
		fprintf(o, "%s%s", n > 1 ? "}" : "", s->optional ? "]" : "");
	}
	static const char *const when[] = {"", "PTX before 1.4", "sm_1x, or PTX before 2.0",
					   "targets below sm_70, or PTX before 6.4"};
	fputs("` | ", o);
	for (const char *t = f->operands; *t; t++) /* a bar would end the table's cell */
		fprintf(o, *t == '|' ? "\\|" : "%c", *t);
	fprintf(o, " | %s | %s |\n", f->op == NOT_SUPPORTED ? "**refused**" : "yes",
		when[f->legacy]);
}

void ptx_print_table(FILE *o)
{
	table_init();
	fputs("# PTX instructions\n\n"
	      "Generated from the decoder's own table (`src/front/ptx/opcodes.def`): what is listed is\n"
	      "what loads. Words in braces are alternatives, words in brackets optional. Operands: `D`,\n"
	      "`S`, `A`, `B` have the form's first, second, ... type; `W` is twice as wide; `=` marks\n"
	      "destinations, `?` what may be missing, `~` where a wider register will do, `_` where a\n"
	      "sink may stand. An instruction that is not listed, or is marked refused, is an error when\n"
	      "the program is loaded.\n\n"
	      "| form | operands | supported | only in |\n| --- | --- | --- | --- |\n",
	      o);
	for (unsigned i = 0; i < NFORM; i++)
		form_print(&table[i], o);
}
