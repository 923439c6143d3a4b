/* Compiles a row's syntax text (table.h describes it) into items. */
#include "isa/sm70/syntax.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "isa/sm70/address.h"

void syntax_report(const struct reader *r, const char *what)
{
	if (!r->error[0])
		snprintf(r->error, r->nerror, "%s: %s at '%.40s'", r->row, what, r->p);
}

unsigned syntax_slot(const char *s, size_t n)
{
	for (unsigned i = 0; i < SM70_MOD_COUNT; i++)
		if (strlen(sm70_slot_name(i)) == n && !memcmp(sm70_slot_name(i), s, n))
			return i;
	return SM70_MOD_COUNT;
}

unsigned syntax_word(const char *s, size_t n)
{
	for (unsigned i = 1; i < SM70_NWORDS; i++)
		if (strlen(sm70_word_text(i)) == n && !memcmp(sm70_word_text(i), s, n))
			return i;
	return SM70_NWORDS;
}

static unsigned find_list(const struct reader *r, const char *s, size_t n)
{
	for (unsigned i = 0; i < r->nlists; i++)
		if (strlen(r->lists[i].name) == n && !memcmp(r->lists[i].name, s, n))
			return i;
	return r->nlists;
}

static unsigned take_number(struct reader *r)
{
	char *e;
	if (!isdigit((unsigned char)*r->p)) {
		syntax_report(r, "a number expected");
		return 0;
	}
	unsigned v = (unsigned)strtoul(r->p, &e, 0);
	r->p = e;
	return v;
}

static bool take_char(struct reader *r, char c)
{
	if (*r->p != c)
		return false;
	r->p++;
	return true;
}

static size_t name_length(const char *p)
{
	size_t n = 0;
	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

/* lo+w,lo+w */
static void take_field(struct reader *r, struct sm70_field *f)
{
	do {
		if (f->n == FIELD_PIECES) {
			syntax_report(r, "too many pieces");
			return;
		}
		f->lo[f->n] = (uint8_t)take_number(r);
		f->w[f->n] = take_char(r, '+') ? (uint8_t)take_number(r) : 1;
		f->n++;
	} while (take_char(r, ','));
}

static void take_cond(struct reader *r, struct sm70_cond *c)
{
	if (*r->p == '>' || *r->p == '<') {
		c->kind = *r->p == '>' ? CD_FROM : CD_BEFORE;
		r->p += *r->p == '>' ? 2 : 1;
		c->word = (uint16_t)take_number(r);
		return;
	}
	c->kind = take_char(r, '!') ? CD_CLEAR : CD_SET;
	size_t n = name_length(r->p);
	c->slot = (uint8_t)syntax_slot(r->p, n);
	if (c->slot == SM70_MOD_COUNT)
		syntax_report(r, "no such slot");
	r->p += n;
	if (*r->p == '=' || *r->p == '!') {
		c->kind = *r->p++ == '=' ? CD_IS : CD_ISNT;
		n = strcspn(r->p, ",]");
		unsigned w = n == 1 && *r->p == '-' ? SM70_W_NONE : syntax_word(r->p, n);
		if (w == SM70_NWORDS)
			syntax_report(r, "no such word");
		c->word = (uint16_t)w;
		r->p += n;
	}
}

/* Kinds of operands by their letter or name. */
static const struct kind_row {
	const char *name;
	uint8_t it, kind, role;
	uint16_t flags;
	uint8_t lo, w; /* field, if the name has no number */
} kinds[] = {
	{"D", IT_OPERAND, SM70_K_GPR, SM70_R_D, 0, 16, 8},
	{"A", IT_OPERAND, SM70_K_GPR, SM70_R_A, 0, 24, 8},
	{"B", IT_B, SM70_K_GPR, SM70_R_B, 0, 0, 0},
	{"C", IT_C, SM70_K_GPR, SM70_R_C, 0, 0, 0},
	{"S", IT_S, SM70_K_GPR, SM70_R_B, 0, 0, 0},
	{"UB", IT_B, SM70_K_UGPR, SM70_R_B, IF_UNIFORM, 0, 0},
	{"UC", IT_C, SM70_K_UGPR, SM70_R_C, IF_UNIFORM, 0, 0},
	{"US", IT_S, SM70_K_UGPR, SM70_R_B, IF_UNIFORM, 0, 0},
	{"UD", IT_OPERAND, SM70_K_UGPR, SM70_R_D, 0, 16, 8},
	{"UA", IT_OPERAND, SM70_K_UGPR, SM70_R_A, 0, 24, 8},
	{"R", IT_OPERAND, SM70_K_GPR, SM70_R_B, 0, 0, 8},
	{"U", IT_OPERAND, SM70_K_UGPR, SM70_R_B, 0, 0, 8},
	{"P", IT_OPERAND, SM70_K_PRED, SM70_R_PD, IF_OUT, 0, 3},
	{"Q", IT_OPERAND, SM70_K_UPRED, SM70_R_PD, IF_OUT, 0, 3},
	{"p", IT_OPERAND, SM70_K_PRED, SM70_R_PA, 0, 0, 3},
	{"q", IT_OPERAND, SM70_K_UPRED, SM70_R_PA, 0, 0, 3},
	{"I", IT_OPERAND, SM70_K_IMM, SM70_R_I, 0, 0, 0},
	{"J", IT_OPERAND, SM70_K_IMM, SM70_R_I, IF_SIGNED, 0, 0},
	{"N", IT_OPERAND, SM70_K_IMM, SM70_R_B, 0, 32, 32},
	{"SR", IT_OPERAND, SM70_K_SREG, SM70_R_A, 0, 72, 8},
	{"BAR", IT_OPERAND, SM70_K_BARRIER, SM70_R_A, 0, 0, 0},
	{"PR", IT_OPERAND, SM70_K_PR, SM70_R_PA, 0, 0, 0},
	{"UPR", IT_OPERAND, SM70_K_PR, SM70_R_PA, IF_UNIFORM, 0, 0},
	{"T", IT_OPERAND, SM70_K_TARGET, SM70_R_T, IF_REL | IF_SIGNED, 0, 0},
	{"O", IT_OPERAND, SM70_K_OFFSET, SM70_R_T, IF_SIGNED | IF_BLANK, 0, 0},
	{"RT", IT_OPERAND, SM70_K_OFFSET, SM70_R_T, IF_SIGNED | IF_BLANK | IF_REL, 0, 0},
	{"G", IT_OPERAND, SM70_K_GDESC, SM70_R_A, 0, 0, 8},
	{"GSB", IT_OPERAND, SM70_K_SB, SM70_R_I2, IF_UNIFORM, 0, 3},
	{"SB", IT_OPERAND, SM70_K_SB, SM70_R_I, 0, 0, 3},
	{"SBSET", IT_OPERAND, SM70_K_SBSET, SM70_R_I, 0, 0, 6},
	{"RPC", IT_OPERAND, SM70_K_RPC, SM70_R_A, 0, 0, 1},
	{"K", IT_OPERAND, SM70_K_CONST, SM70_R_M, 0, 0, 0},
	{"W", IT_OPERAND, SM70_K_WORD, SM70_R_I2, 0, 0, 0},
};

static const struct {
	const char *name;
	uint8_t role;
} roles[] = {
	{"D", SM70_R_D},   {"PD", SM70_R_PD}, {"PD2", SM70_R_PD2}, {"A", SM70_R_A},
	{"B", SM70_R_B},   {"C", SM70_R_C},   {"E", SM70_R_E},     {"M", SM70_R_M},
	{"M2", SM70_R_M2}, {"PA", SM70_R_PA}, {"PB", SM70_R_PB},   {"PC", SM70_R_PC},
	{"I", SM70_R_I},   {"I2", SM70_R_I2}, {"T", SM70_R_T},
};

static void take_role(struct reader *r, struct sm70_item *it)
{
	size_t n = name_length(r->p);
	for (unsigned i = 0; i < sizeof roles / sizeof *roles; i++)
		if (strlen(roles[i].name) == n && !memcmp(roles[i].name, r->p, n)) {
			it->role = roles[i].role;
			r->p += n;
			if (!take_char(r, '>'))
				syntax_report(r, "> expected");
			return;
		}
	syntax_report(r, "no such role");
	r->p += n;
}

static const char imm_letters[] = "xifdhbHB"; /* enum sm70_imm */

static bool bit_or_slot(struct reader *r, uint8_t *bit)
{
	*bit = isdigit((unsigned char)*r->p) ? (uint8_t)take_number(r) : 255; /* 255: the slot's */
	return true;
}

static void take_attributes(struct reader *r, struct sm70_item *it)
{
	while (*r->p && *r->p != ' ' && !r->error[0]) {
		char c = *r->p++;
		if (c == '-')
			bit_or_slot(r, &it->neg);
		else if (c == '|')
			bit_or_slot(r, &it->abs);
		else if (c == '~')
			bit_or_slot(r, &it->inv);
		else if (c == '%') {
			it->flags |= IF_XINV;
			bit_or_slot(r, &it->neg);
		} else if (c == '!')
			it->flags |= IF_FLIP;
		else if (c == '&') {
			it->flags |= IF_HALVES;
			it->neg = it->abs = 255;
		} else if (c == '^')
			it->flags |= IF_BLANK;
		else if (c == '?')
			it->flags |= take_char(r, 'o') ? IF_HIDE_OLD : IF_HIDE;
		else if (c == '=') {
			it->has_def = true;
			it->def = take_number(r);
		} else if (c == '<')
			take_role(r, it);
		else if (c == '*')
			it->shift = (uint8_t)take_number(r);
		else if (c == ':' && strchr(imm_letters, *r->p))
			it->type = (uint8_t)(strchr(imm_letters, *r->p++) - imm_letters);
		else if (c == '/') {
			size_t n = name_length(r->p);
			it->list = (uint16_t)find_list(r, r->p, n);
			if (it->list == r->nlists)
				syntax_report(r, "no such list");
			r->p += n;
			if (!take_char(r, '@'))
				syntax_report(r, "@ expected");
			take_field(r, &it->part);
		} else {
			r->p--;
			syntax_report(r, "attribute expected");
		}
	}
}

static void take_operand(struct reader *r, struct sm70_item *it)
{
	size_t n = 0;
	while (isalpha((unsigned char)r->p[n]))
		n++;
	if (n == 1 && *r->p == 'm' && r->p[1] == '(') {
		const char *e = strchr(r->p, ')');
		it->it = IT_OPERAND;
		it->kind = SM70_K_MEM;
		it->role = SM70_R_M;
		it->sub = (uint8_t)sm70_address_named(r->p + 2, (size_t)(e - r->p) - 2);
		if (!it->sub)
			syntax_report(r, "no such address");
		r->p = e + 1;
		take_attributes(r, it);
		return;
	}
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const struct kind_row *k = &kinds[i];
		if (strlen(k->name) != n || memcmp(k->name, r->p, n))
			continue;
		it->it = k->it;
		it->kind = k->kind;
		it->role = k->role;
		it->flags = k->flags;
		r->p += n;
		if (isdigit((unsigned char)*r->p)) {
			take_field(r, &it->f);
			if (it->f.n == 1 && it->f.w[0] == 1 && k->w)
				it->f.w[0] = k->w;
		} else if (k->w) {
			it->f = (struct sm70_field){1, {k->lo}, {k->w}};
		}
		it->type = k->flags & IF_SIGNED ? SM70_I_SHEX : SM70_I_HEX;
		if ((k->kind == SM70_K_PRED || k->kind == SM70_K_UPRED) && !(k->flags & IF_OUT))
			it->neg = (uint8_t)(it->f.lo[0] + 3);
		take_attributes(r, it);
		return;
	}
	syntax_report(r, "no such item");
}

/* a|b|c, of which a has been read. */
static void take_alternatives(struct reader *r, struct sm70_item *it)
{
	unsigned n = it->def;
	it->it = IT_AMONG;
	do {
		if (n > 63) {
			syntax_report(r, "a number below 64 expected");
			return;
		}
		it->among |= 1ull << n;
	} while (take_char(r, '|') && (n = take_number(r), true));
}

void syntax_item(struct reader *r, struct sm70_item *it)
{
	if (take_char(r, '[')) {
		unsigned n = 0;
		do {
			if (n == ITEM_CONDS) {
				syntax_report(r, "too many conditions");
				return;
			}
			take_cond(r, &it->cond[n++]);
		} while (take_char(r, ','));
		if (!take_char(r, ']'))
			syntax_report(r, "] expected");
	}
	if (take_char(r, '.')) {
		size_t n = name_length(r->p);
		it->it = IT_MOD;
		it->list = (uint16_t)find_list(r, r->p, n);
		if (it->list == r->nlists)
			syntax_report(r, "no such list");
		r->p += n;
		if (!take_char(r, '@'))
			syntax_report(r, "@ expected");
		take_field(r, &it->f);
		if (take_char(r, '=')) {
			it->has_def = true;
			it->def = take_number(r);
		}
		return;
	}
	if (*r->p == '#' || *r->p == '!') {
		it->it = *r->p++ == '#' ? IT_MATCH : IT_SET;
		take_field(r, &it->f);
		if (!take_char(r, '='))
			syntax_report(r, "= expected");
		if (!strncmp(r->p, "pow2", 4)) {
			it->it = IT_POW2;
			r->p += 4;
		} else {
			it->def = take_number(r);
			if (*r->p == '|')
				take_alternatives(r, it);
		}
		return;
	}
	take_operand(r, it);
}
