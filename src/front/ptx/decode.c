/* Decodes one PTX statement into one instruction. form_find() finds the row of the opcode table
 * that fits the words and sets the fields that the words name; dec_operands() takes the operands.
 * decode_*.c have the operands that the table cannot describe. */
#include "front/ptx/decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool dec_error(struct dec *d, const struct ptx_opnd *at, const char *fmt, ...)
{
	char buf[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	ptx_error(d->p, at && at->line ? at->line : d->s->line,
		  at && at->line ? at->col : d->s->col, "%s", buf);
	return false;
}

char *dec_mnemonic(struct dec *d)
{
	size_t n = 1;
	for (unsigned i = 0; i < d->s->nword; i++)
		n += d->s->word[i].len + 1;
	char *text = arena_alloc(&d->m->arena, n), *t = text;
	for (unsigned i = 0; i < d->s->nword; i++) {
		if (i)
			*t++ = '.';
		memcpy(t, d->s->word[i].s, d->s->word[i].len);
		t += d->s->word[i].len;
	}
	return text;
}

/* ---- choice of the form ---- */

struct match {
	const struct form *form;
	int8_t qualifier[PTX_MAX_WORDS]; /* per word: the qualifier that takes it; -1: none */
	bool filled[MAX_QUALIFIERS];
	/* bad: the first word that no qualifier takes; missing: the first required qualifier
	 * without a word */
	int bad, missing;
	int score;
};

/* Finds the first free qualifier for the word. Types keep their order, modifiers may come in any
 * order. */
static int slot_for(const struct match *m, int word)
{
	bool type_open = true;
	for (unsigned i = 0; i < m->form->nqualifier; i++) {
		const struct qualifier *s = &m->form->qualifier[i];
		if (m->filled[i] || (s->is_type && !type_open))
			continue;
		if (qualifier_accepts(s, word))
			return (int)i;
		if (s->is_type && !s->optional)
			type_open = false;
	}
	return -1;
}

static void form_match(const struct form *f, const int *word, unsigned n, struct match *m)
{
	memset(m, 0, sizeof(*m));
	m->form = f;
	m->bad = m->missing = -1;
	for (unsigned w = 1; w < n; w++) {
		int i = slot_for(m, word[w]);
		m->qualifier[w] = (int8_t)i;
		if (i < 0) {
			m->bad = m->bad < 0 ? (int)w : m->bad;
			continue;
		}
		m->filled[i] = true;
		m->score += f->qualifier[i].is_type ? 12 : 8;
	}
	for (unsigned i = 0; i < f->nqualifier; i++)
		if (!m->filled[i] && !f->qualifier[i].optional) {
			m->missing = m->missing < 0 ? (int)i : m->missing;
			m->score--;
		}
}

static bool form_available(const struct form *f, const struct module *m)
{
	switch (f->legacy) {
	case V13: return m->version && m->version < 14;
	case SM1: return (m->version && m->version < 20) || (m->target && m->target < 20);
	case V63: return m->version < 64 || m->target < 70;
	}
	return true;
}

struct text {
	char *s;
	size_t n, size;
	unsigned words;
};

/* Appends ".a, .b" of a qualifier; a long list is cut. */
static void qualifier_words(const struct qualifier *s, struct text *t)
{
	unsigned len;
	const char *w;
	for (unsigned i = 0; (w = qualifier_word(s, i, &len)) && t->n + len + 8 < t->size; i++)
		t->n += (size_t)sprintf(t->s + t->n, "%s.%.*s", t->words++ ? ", " : "", (int)len,
					w);
	if (w)
		t->n += (size_t)sprintf(t->s + t->n, ", ...");
}

/* Lists the words that are allowed in the position of the bad word: words of the form's free
 * qualifiers. */
static void free_words(const struct match *m, bool type, struct text *t)
{
	for (unsigned i = 0; i < m->form->nqualifier && t->n + 16 < t->size; i++)
		if (!m->filled[i] && m->form->qualifier[i].is_type == type)
			qualifier_words(&m->form->qualifier[i], t);
}

/* Instructions and modifiers of targets after the ones that are executed. */
static bool is_later_word(const struct ptx_word *w)
{
	static const char *const word[] = {
		"e4m3x4",  "e5m2x4",   "e2m1x2",        "e2m1x4",
		"e2m3x2",  "e2m3x4",   "e3m2x2",        "e3m2x4",
		"ue8m0x2", "s2f6x2",   "cta_group::1",  "cta_group::2",
		"f32x2",   "scatter4", "tile::gather4", "tile::scatter4"};
	for (unsigned i = 0; i < sizeof word / sizeof *word; i++)
		if (strlen(word[i]) == w->len && !memcmp(word[i], w->s, w->len))
			return true;
	return false;
}

static bool not_supported(struct dec *d)
{
	static const char *const start[] = {"tcgen05.", "clusterlaunchcontrol.", "st.bulk"};
	for (unsigned i = 0; i < sizeof start / sizeof *start && d->m->target < 100; i++)
		if (!strncmp(dec_mnemonic(d), start[i], strlen(start[i])))
			return dec_error(
				d, NULL,
				"instruction '%s' is not supported: it needs .target sm_100 "
				"or later",
				dec_mnemonic(d));
	return dec_error(d, NULL, "instruction '%s' is not supported", dec_mnemonic(d));
}

static bool mnemonic_error(struct dec *d, const struct opcode *o, const struct match *m,
			   const int *word)
{
	char buf[240] = "";
	struct text t = {.s = buf, .size = sizeof(buf) - 16};
	if (m->bad < 0) {
		const struct qualifier *s = &m->form->qualifier[m->missing];
		qualifier_words(s, &t);
		return dec_error(d, NULL, "'%s' needs %s%s", dec_mnemonic(d),
				 s->is_type    ? "a type: "
				 : t.words > 1 ? "one of the modifiers "
					       : "the modifier ",
				 buf);
	}
	const struct ptx_word *w = &d->s->word[m->bad];
	struct ptx_opnd at = {.line = d->s->line, .col = w->col};
	bool type = type_find(w->s, w->len), known = type;
	for (unsigned f = 0; f < o->nform; f++)
		for (unsigned i = 0; i < o->form[f].nqualifier; i++)
			known |= qualifier_accepts(&o->form[f].qualifier[i], word[m->bad]);
	if (!known && d->m->target < 100 && is_later_word(w))
		return dec_error(d, &at, "'%s': modifier '.%.*s' needs .target sm_100 or later",
				 dec_mnemonic(d), (int)w->len, w->s);
	free_words(m, type, &t);
	return dec_error(d, &at, "%s%s '.%.*s' %s '%s'; %s%s", known ? "" : "unknown ",
			 type ? "type" : "modifier", (int)w->len, w->s,
			 known ? "does not apply to" : "in", dec_mnemonic(d),
			 t.words ? "allowed here: " : "no further one is allowed", buf);
}

/* True if a form of refused instructions matches: all words of the row are present, in order from
 * the start. */
static bool form_refused(struct dec *d, const struct form *f, const int *word)
{
	if (f->op != NOT_SUPPORTED || d->s->nword < f->nqualifier + 1)
		return false;
	for (unsigned i = 0; i < f->nqualifier; i++)
		if (!qualifier_accepts(&f->qualifier[i], word[i + 1]))
			return false;
	not_supported(d);
	return true;
}

static void field_set(struct dec *d, uint8_t field, uint32_t v)
{
	struct inst *in = d->in;
	uint8_t *const byte[] = {
		[FIELD_TYPE] = &in->type,   [FIELD_STYPE] = &in->stype, [FIELD_ATYPE] = &in->atype,
		[FIELD_BTYPE] = &in->btype, [FIELD_MODE] = &in->mode,   [FIELD_RND] = &in->rnd,
		[FIELD_CMP] = &in->cmp,     [FIELD_BOP] = &in->bop,     [FIELD_SPACE] = &in->space,
		[FIELD_SCOPE] = &in->scope, [FIELD_SEM] = &in->sem,     [FIELD_COP] = &in->cop,
		[FIELD_GEOM] = &in->geom,   [FIELD_VEC] = &in->vec,     [FIELD_SUOP] = &in->vsel[0],
	};
	switch (field) {
	case FIELD_NONE: break;
	case FIELD_MODS: in->mods |= v; break;
	case FIELD_IMM: in->imm |= v; break;
	case FIELD_POLICY: d->policy = true; break;
	default: *byte[field] = (uint8_t)v;
	}
}

static void preset_apply(struct inst *in, uint64_t preset)
{
	if (preset >> 63)
		in->mods |= (uint32_t)preset;
	else if (preset)
		((uint8_t *)in)[(preset >> 32) - 1] = (uint8_t)preset;
}

/* Drops the bank number of .const[3], which PTX 1.x allows and which does not change the address
 * that is read. */
static int word_number(const struct ptx_word *w)
{
	unsigned len = w->len;
	const char *bank = memchr(w->s, '[', len);
	if (bank && bank - w->s == 5 && !memcmp(w->s, "const", 5))
		len = 5;
	return ptx_word_number(w->s, len);
}

/* Reads wgmma shapes: m64n8k16 .. m64n256k16 are one word of the table, with N for the columns. */
static int shape_number(struct dec *d, const struct ptx_word *w)
{
	char shape[16];
	unsigned at = 5, n = 0;
	if (w->len < 7 || w->len > 12 || memcmp(w->s, "m64n", 4))
		return -1;
	for (at = 4; at < w->len && w->s[at] >= '0' && w->s[at] <= '9'; at++)
		n = 10 * n + (unsigned)(w->s[at] - '0');
	if (!n || n % 8 || n > 256 || w->s[4] == '0')
		return -1;
	d->columns = n;
	int len = snprintf(shape, sizeof shape, "m64nN%.*s", (int)(w->len - at), w->s + at);
	return ptx_word_number(shape, (unsigned)len);
}

static bool form_find(struct dec *d, struct match *best)
{
	const struct ptx_word *w = d->s->word;
	const struct opcode *o = ptx_opcode_find(w->s, w->len);
	if (!o) {
		const char *near = ptx_opcode_nearest(w->s, w->len);
		return dec_error(d, NULL,
				 near ? "unknown instruction '%.*s'; did you mean '%s'?"
				      : "unknown instruction '%.*s'",
				 (int)w->len, w->s, near);
	}
	int word[PTX_MAX_WORDS];
	for (unsigned i = 1; i < d->s->nword; i++) {
		word[i] = word_number(&w[i]);
		if (word[i] < 0)
			word[i] = shape_number(d, &w[i]);
		if (w[i].len == 15 && !memcmp(w[i].s, "shared::cluster", 15))
			d->in->mods |= M_CLUSTER;
	}
	*best = (struct match){0};
	for (unsigned i = 0; i < o->nform; i++) {
		struct match m;
		if (form_refused(d, &o->form[i], word))
			return false;
		if (o->form[i].op == NOT_SUPPORTED || !form_available(&o->form[i], d->m))
			continue;
		form_match(&o->form[i], word, d->s->nword, &m);
		if (m.bad < 0 && m.missing < 0) {
			*best = m;
			d->form = m.form;
			d->in->op = m.form->op;
			for (unsigned k = 1; k < d->s->nword; k++) {
				const struct qualifier *s = &m.form->qualifier[m.qualifier[k]];
				field_set(d, s->field, qualifier_value(s, word[k]));
			}
			return true;
		}
		if (!best->form || m.score > best->score)
			*best = m;
	}
	if (!best->form)
		return not_supported(d);
	return mnemonic_error(d, o, best, word);
}

/* ---- operands ---- */

bool dec_count(struct dec *d, unsigned min, unsigned max)
{
	unsigned n = d->s->nopnd;
	if (n >= min && n <= max)
		return true;
	const struct ptx_opnd *at = n > max ? &d->s->opnd[max] : NULL;
	if (min == max)
		return dec_error(d, at, "'%s' takes %u operand%s, not %u", dec_mnemonic(d), min,
				 min == 1 ? "" : "s", n);
	return dec_error(d, at, "'%s' takes %u to %u operands, not %u", dec_mnemonic(d), min, max,
			 n);
}

static unsigned select_type(const struct dec *d, unsigned sel)
{
	static const uint8_t wide[T_COUNT] = {
		[T_U16] = T_U32,
		[T_S16] = T_S32,
		[T_U32] = T_U64,
		[T_S32] = T_S64,
	};
	switch (sel) {
	case SEL_D: return d->in->type;
	case SEL_S: return d->in->stype;
	case SEL_A: return d->in->atype;
	case SEL_B: return d->in->btype;
	case SEL_W: return wide[d->in->type];
	}
	return sel;
}

/* Not every specification takes an operand in every statement. */
static bool spec_wanted(const struct dec *d, const struct spec *sp)
{
	return !((sp->kind == SPEC_POLICY && !d->policy) ||
		 (sp->kind == SPEC_BPRED && !d->in->bop));
}

static bool dst_operand(struct dec *d, const struct spec *sp, const struct ptx_opnd *o)
{
	unsigned type = select_type(d, sp->type);
	const struct ptx_opnd *second = NULL;
	if (o->kind == PO_PAIR && !sp->second)
		return dec_error(d, o, "'%s' has one destination, not two", dec_mnemonic(d));
	if (o->kind != PO_PAIR && sp->second && !sp->second_optional)
		return dec_error(d, o, "'%s' has two destinations, d|p", dec_mnemonic(d));
	if (o->kind == PO_PAIR) {
		second = &o->item[1];
		o = &o->item[0];
	}
	if (sp->kind == SPEC_VEC) {
		if (!dec_dst_vec(d, o, d->in->vec, type, sp->relaxed, sp->sink))
			return false;
	} else if (!dec_dst(d, o, type, sp->relaxed, sp->sink)) {
		return false;
	}
	return !second || dec_dst(d, second, sp->second, false, true);
}

static bool src_operand(struct dec *d, const struct spec *sp, const struct ptx_opnd *o)
{
	switch (sp->kind) {
	case SPEC_VEC: return dec_src_vec(d, o, d->in->vec, select_type(d, sp->type), sp->relaxed);
	case SPEC_MEM: return dec_mem(d, o, sp->space);
	case SPEC_IMM: return dec_imm(d, o, &d->in->imm);
	case SPEC_BPRED: return dec_src(d, o, T_PRED, false);
	case SPEC_ADR: return dec_adr(d, o, d->in->type);
	case SPEC_POLICY: return dec_policy(d, o);
	}
	return dec_src(d, o, select_type(d, sp->type), sp->relaxed);
}

bool dec_operands(struct dec *d)
{
	const struct form *f = d->form;
	unsigned min = 0, max = 0, k = 0;
	for (unsigned i = 0; i < f->nspec; i++) {
		bool wanted = spec_wanted(d, &f->spec[i]);
		max += wanted;
		min += wanted && !f->spec[i].optional;
	}
	if (!dec_count(d, min, max))
		return false;
	for (unsigned i = 0; i < f->nspec && k < d->s->nopnd; i++) {
		const struct spec *sp = &f->spec[i];
		if (!spec_wanted(d, sp))
			continue;
		const struct ptx_opnd *o = &d->s->opnd[k++];
		if (!(sp->dst ? dst_operand : src_operand)(d, sp, o))
			return false;
	}
	return true;
}

/* ---- the whole statement ---- */

/* True where f32 denormals are flushed without .ftz: sm_1x and PTX up to 1.4 flush them in every
 * instruction that has an .ftz modifier in later versions. */
static bool implies_ftz(const struct dec *d)
{
	bool old = (d->m->target && d->m->target < 20) || (d->m->version && d->m->version <= 14);
	return old && d->form->has_ftz && (d->in->type == T_F32 || d->in->stype == T_F32);
}

/* A vector has at most 128 bits, a power of two. Loads and stores of sm_100 and later also have 256
 * bits, for 32- and 64-bit elements. */
static bool vector_fits(struct dec *d)
{
	const struct inst *in = d->in;
	bool ldst = in->op == OP_LD || in->op == OP_ST;
	if (!ldst && in->op != OP_LDU && in->op != OP_SULD && in->op != OP_SUST)
		return true;
	unsigned bits = in->vec * type_bits(in->type), t = type_bits(in->type);
	if (bits <= 128)
		return true;
	if (!ldst || bits != 256 || (t != 32 && t != 64))
		return dec_error(d, NULL, "'%s': a vector access is at most 128 bits%s, not %u",
				 dec_mnemonic(d), ldst ? ", or 256 of 32- or 64-bit elements" : "",
				 bits);
	return !d->m->target || d->m->target >= 100 ||
	       dec_error(d, NULL,
			 "'%s': vectors of 256 bits need .target sm_100 or later, not sm_%u",
			 dec_mnemonic(d), d->m->target);
}

/* .target map_f64_to_f32 turns arithmetic on doubles into arithmetic on floats in the lower half of
 * their 64-bit registers, which is not supported. Compilers for sm_1x always write the option, so a
 * program with it is accepted as long as it only moves doubles. */
static bool doubles_allowed(struct dec *d)
{
	const struct inst *in = d->in;
	bool moves = in->op == OP_LD || in->op == OP_LDU || in->op == OP_ST || in->op == OP_MOV ||
		     in->op == OP_SELP || in->op == OP_CALL;
	if (!d->m->f64_to_f32 || moves || (in->type != T_F64 && in->stype != T_F64))
		return true;
	return dec_error(d, NULL,
			 "'%s': double precision with .target map_f64_to_f32 is not supported",
			 dec_mnemonic(d));
}

static void operands_store(struct dec *d)
{
	struct inst *in = d->in;
	in->nd = (uint8_t)d->nd;
	in->ns = (uint8_t)d->ns;
	in->opnd = ARENA_ARRAY(&d->m->arena, struct opnd, d->nd + d->ns);
	if (d->nd)
		memcpy(in->opnd, d->dst, d->nd * sizeof(struct opnd));
	if (d->ns)
		memcpy(in->opnd + d->nd, d->src, d->ns * sizeof(struct opnd));
}

bool ptx_decode(struct ptx_parser *p, const struct ptx_stmt *s, struct inst *out)
/* clang-format off */
{
	struct dec d;
	struct match m;
	d.p = p;
	d.s = s;
	d.in = out;
	d.m = ptx_module(p);
	d.f = ptx_func(p);
	d.form = NULL;
	d.policy = false;
	d.columns = 0;
	d.nd = d.ns = 0;
	*out = (struct inst){.guard = s->guard, .guard_neg = s->guard_neg, .line = s->line, .col = s->col,
		.src_file = out->src_file, .src_line = out->src_line, .src_col = out->src_col, .inlined = out->inlined, .text = out->text,
		.target = NO_PC, .reconv = NO_PC};
	/* clang-format on */
	if (!form_find(&d, &m))
		return false;
	preset_apply(out, d.form->preset);
	if (implies_ftz(&d))
		out->mods |= M_FTZ;
	if (!out->vec)
		out->vec = 1;
	if (!vector_fits(&d) || !doubles_allowed(&d))
		return false;
	if (!(d.form->handler ? d.form->handler : dec_operands)(&d))
		return false;
	if (!out->opnd)
		operands_store(&d);
	if (!out->text)
		out->text = dec_mnemonic(&d);
	return true;
}
