/* forms.def and modifiers.def, compiled once into struct sm70_form and struct sm70_list.
 *
 * The tables are texts so that a row reads like the instruction it describes. A mistake in a row is
 * found by test_sm70, which compiles the table: sm70_table_error() says where. */
#include <pthread.h>
#include <string.h>
#include "isa/sm70/syntax.h"

enum { MAX_FORMS = 640, MAX_LISTS = 400, CODES = 4096 };
static struct sm70_form forms[MAX_FORMS];
static struct sm70_list lists[MAX_LISTS];
static unsigned nforms, nlists;
static uint16_t first_form[CODES], next_form[MAX_FORMS * 8];
static uint16_t chain_form[MAX_FORMS * 8];
static struct sm70_table table;
static char error[160];

static const char *const op_names[] = {
	"",
#define SM70_OP(x) #x,
#include "isa/sm70/ops.def"
#undef SM70_OP
};
static const char *const word_texts[] = {
	"",
#define SM70_WORD(x, text) text,
#include "isa/sm70/words.def"
#undef SM70_WORD
};
static const char *const slot_names[] = {
#define SM70_MOD(x, doc) #x,
#include "isa/sm70/slots.def"
#undef SM70_MOD
};

struct list_row {
	const char *name, *slot, *words;
};
static const struct list_row list_rows[] = {
#define MODS(name, slot, words) {#name, #slot, words},
#include "isa/sm70/modifiers.def"
#undef MODS
};
struct form_row {
	const char *name;
	uint16_t op, code;
	uint8_t nibbles, first, last;
	const char *syntax;
};
static const struct form_row form_rows[] = {
#define FORM(op, code, nibbles, first, last, syntax)                                               \
	{#op, SM70_##op, code, nibbles, first, last, syntax},
#include "isa/sm70/forms.def"
#undef FORM
};

const char *sm70_op_name(unsigned op) { return op < SM70_NOPS ? op_names[op] : ""; }

const char *sm70_word_text(unsigned w) { return w < SM70_NWORDS ? word_texts[w] : ""; }

const char *sm70_slot_name(unsigned slot) { return slot < SM70_MOD_COUNT ? slot_names[slot] : ""; }

static void compile_list(const struct list_row *row)
{
	struct sm70_list *l = &lists[nlists];
	struct reader r = {row->words, row->name, lists, nlists, error, sizeof error};
	l->name = row->name;
	l->slot = (uint8_t)syntax_slot(row->slot, strlen(row->slot));
	if (l->slot == SM70_MOD_COUNT)
		syntax_report(&r, "no such slot");
	while (*r.p) {
		size_t n = strcspn(r.p, " ");
		unsigned w = 0;
		if (n == 2 && !memcmp(r.p, "??", 2)) { /* ???n for codes without a word */
			l->question = true;
			r.p += n + strspn(r.p + n, " ");
			continue;
		}
		if (n == 1 && *r.p == '-')
			w = SM70_W_NONE;
		else if (n == 1 && *r.p == '!')
			w = W_BAD;
		else if (n == 1 && *r.p == '*')
			w = W_MISSING;
		else if ((w = syntax_word(r.p, n)) == SM70_NWORDS)
			syntax_report(&r, "no such word");
		if (l->n == LIST_MAX)
			syntax_report(&r, "list is too long");
		else
			l->word[l->n++] = (uint16_t)w;
		r.p += n + strspn(r.p + n, " ");
	}
	nlists++;
}

static void compile_form(const struct form_row *row)
{
	struct sm70_form *f = &forms[nforms++];
	struct reader r = {row->syntax, row->name, lists, nlists, error, sizeof error};
	f->op = row->op;
	f->code = row->code;
	f->nibbles = row->nibbles;
	f->first = row->first;
	f->last = row->last;
	f->name = row->name;
	f->syntax = row->syntax;
	for (;;) {
		r.p += strspn(r.p, " ");
		if (!*r.p || error[0])
			break;
		if (!strncmp(r.p, "@U", 2) || !strncmp(r.p, "@@", 2)) {
			*(r.p[1] == 'U' ? &f->uniform : &f->no91) = true;
			r.p += 2;
			continue;
		}
		if (f->nitem == FORM_ITEMS) {
			syntax_report(&r, "too many items");
			break;
		}
		syntax_item(&r, &f->item[f->nitem++]);
		if (*r.p && *r.p != ' ')
			syntax_report(&r, "blank expected");
	}
}

static unsigned nchain;

static void link_form(unsigned code, unsigned form)
{
	uint16_t *at = &first_form[code];
	while (*at != UINT16_MAX)
		at = &next_form[*at];
	*at = (uint16_t)nchain;
	chain_form[nchain] = (uint16_t)form;
	next_form[nchain++] = UINT16_MAX;
}

static void compile_table(void)
{
	memset(first_form, 0xff, sizeof first_form);
	for (unsigned i = 0; i < sizeof list_rows / sizeof *list_rows && nlists < MAX_LISTS; i++)
		compile_list(&list_rows[i]);
	for (unsigned i = 0; i < sizeof form_rows / sizeof *form_rows && nforms < MAX_FORMS; i++) {
		compile_form(&form_rows[i]);
		const struct sm70_form *f = &forms[i];
		if (!f->nibbles)
			link_form(f->code, i);
		for (unsigned n = 0; n < 8; n++)
			if (f->nibbles >> n & 1)
				link_form(f->code | n << 9, i);
	}
	table = (struct sm70_table){forms,      nforms,    nlists,    lists,
				    first_form, next_form, chain_form};
}

const struct sm70_table *sm70_table(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, compile_table);
	return &table;
}

const char *sm70_table_error(void)
{
	sm70_table();
	return error[0] ? error : NULL;
}
