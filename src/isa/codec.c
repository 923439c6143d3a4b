/* Decoder and assembler of Fermi and Tesla code, driven by the ISA's table (isa/table.h). */
#include <ctype.h>
#include <string.h>
#include "isa/table.h"

const struct native_tab *native_tab(enum native_isa isa)
{
	return isa == NATIVE_FERMI ? &fermi_tab : &tesla_tab;
}

const char *native_cc_name(enum native_isa isa, unsigned test)
{
	/* clang-format off */
	static const char *const fermi[32] = { "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU",
		"EQU", "LEU", "GTU", "NEU", "GEU", "T", "OFF", "LO", "SFF", "LS", "HI", "SFT", "HS", "OFT",
		"CSM_TA", "CSM_TR", "CSM_MX", "FCSM_TA", "FCSM_TR", "FCSM_MX", "RLE", "RGT" };
	static const char *const tesla[32] = { "FALSE", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN",
		"LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "TRUE", "OVERFLOW", "CARRY", "ABOVE", "SIGN",
		[0x1c] = "NOT_SIGN", [0x1d] = "NOT_ABOVE", [0x1e] = "NOT_CARRY", [0x1f] = "NOT_OVERFLOW" };
	/* clang-format on */
	return test > 31 ? NULL : isa == NATIVE_FERMI ? fermi[test] : tesla[test];
}

const char *native_op_name(unsigned op)
{
	static const char *const name[] = {
		"?",
#define NATIVE_OP(x, c) #x,
#include "isa/ops.def"
#undef NATIVE_OP
	};
	return name[op < NATIVE_NOPS ? op : 0];
}

enum native_style native_default_style(enum native_isa isa)
{
	return isa == NATIVE_FERMI ? NSTYLE_CUDA4 : NSTYLE_CUDA5;
}

unsigned native_size(enum native_isa isa, uint32_t w0)
{
	if (isa == NATIVE_FERMI)
		return w0 & 8 ? 4 : 8;
	return w0 & 1 ? 8 : 4;
}

static bool decode_common(struct ninst *in)
{
	uint64_t w = in->word;
	unsigned form = in->row->form;
	in->guard = 7;
	in->cc_test = 15;
	in->cc_write = NREG_NONE;
	if (form & NRF_GUARD) {
		in->guard = (uint8_t)bits(w, 10, 3);
		in->guard_neg = bits(w, 13, 1);
	}
	if (form & NRF_POP)
		in->pop = bits(w, 4, 1);
	if (form & NRF_LONG) {
		in->exit = bits(w, 32, 2) == 1;
		in->pop = bits(w, 32, 2) == 2;
		if (bits(w, 32, 2) == 3)
			return false; /* immediate form */
		if (bits(w, 32 + 6, 1) && !(form & NRF_ANY))
			in->cc_write = (uint8_t)bits(w, 32 + 4, 2);
	}
	if (form & (NRF_LONG | NRF_TEST) && !(form & NRF_NOTEST)) {
		in->cc_test = (uint8_t)bits(w, 32 + 7, 5);
		in->cc_reg = (uint8_t)bits(w, 32 + 12, 2);
		return native_cc_name(NATIVE_TESLA, in->cc_test) != NULL;
	}
	return true;
}

static bool is_default(const struct nop *o, unsigned def)
{
	if (o->neg || o->abs || o->inv)
		return false;
	return o->kind == NO_IMM ? o->imm == def : o->reg == def;
}

static bool decode_row(const struct native_tab *t, struct ninst *in)
{
	const struct native_row *r = in->row;
	if (!decode_common(in))
		return false;
	for (unsigned i = 0; i < ROW_MODS && r->mods[i]; i++) {
		const struct nmodf *m = &t->mod[r->mods[i]];
		uint64_t v = bits(in->word, m->lo, m->w) | bits(in->word, m->lo2, m->w2) << m->w;
		if (!(m->flags & NMF_VTYPES) && (v >= m->n || !m->val[v]))
			return false;
		in->mod[m->id] = (uint8_t)v;
	}
	in->nop = 0;
	for (unsigned i = 0; i < ROW_OPS && r->ops[i]; i++) {
		const struct nopf *f = &t->opf[r->ops[i]];
		struct nop *o = &in->o[in->nop++];
		memset(o, 0, sizeof(*o));
		o->index = NREG_NONE;
		if (!t->get(f, in->word, in, o))
			return false;
		o->optional = f->flags & NOF_OPT && is_default(o, f->def);
	}
	in->op = r->op;
	t->finish(in);
	return true;
}

bool native_decode(enum native_isa isa, uint64_t word, uint32_t pc, struct ninst *in)
{
	const struct native_tab *t = native_tab(isa);
	unsigned size = native_size(isa, (uint32_t)word);
	if (size == 4)
		word &= 0xffffffffu;
	const struct native_row *failed = NULL;
	for (unsigned i = 0; i < t->nrow; i++) {
		const struct native_row *r = &t->row[i];
		if (r->size != size || (word & r->mask) != r->match)
			continue;
		/* Rows of one opcode may divide its modifier codes among them; a row with fewer
		 * fixed bits must not match instead. */
		if (failed && (failed->mask != r->mask || failed->match != r->match))
			continue;
		failed = r;
		memset(in, 0, sizeof(*in));
		in->row = r;
		in->word = word;
		in->pc = pc;
		in->isa = (uint8_t)isa;
		in->size = (uint8_t)size;
		if (decode_row(t, in))
			return true;
	}
	return false;
}

/* ---- assembler ---- */

struct asmb {
	const struct native_tab *t;
	const struct ntext *x;
	const char *m, *mend; /* rest of the mnemonic */
	enum native_style style;
	struct ninst in;
};

/* Takes `s` from the mnemonic if the rest begins with it and it ends at a dot. */
static bool eat_text(struct asmb *a, const char *s)
{
	size_t n = strlen(s);
	if ((size_t)(a->mend - a->m) < n || memcmp(a->m, s, n) ||
	    (a->m + n < a->mend && a->m[n] != '.'))
		return false;
	a->m += n;
	return true;
}

static bool take_vtype(struct asmb *a, bool *sign, unsigned *sel)
{
	static const char *const name[] = {".U8", ".S8", ".U16", ".S16", ".U32", ".S32"};
	static const uint8_t base[] = {0, 4, 6};
	for (unsigned i = 0; i < 6; i++)
		if (eat_text(a, name[i])) {
			*sign = i & 1;
			*sel = base[i / 2];
			return true;
		}
	return false;
}

static void take_vtypes(struct asmb *a)
{
	bool as = true, bs = true;
	unsigned sa = 6, sb = 6;
	if (take_vtype(a, &as, &sa))
		take_vtype(a, &bs, &sb);
	a->in.word |=
		(uint64_t)as << 6 | (uint64_t)bs << 5 | (uint64_t)sa << 44 | (uint64_t)sb << 32;
}

static bool take_mod(struct asmb *a, const struct nmodf *m)
{
	int best = -1;
	size_t len = 0;
	if (m->flags & NMF_VTYPES) {
		take_vtypes(a);
		return true;
	}
	for (unsigned i = 0; i < m->n; i++) {
		struct asmb probe = {.m = a->m, .mend = a->mend};
		if (!m->val[i] || !m->val[i][0] || strlen(m->val[i]) <= len ||
		    !eat_text(&probe, m->val[i]))
			continue;
		best = (int)i;
		len = strlen(m->val[i]);
	}
	for (unsigned i = 0; best < 0 && i < m->n; i++)
		if (m->val[i] && !m->val[i][0])
			best = (int)i;
	if (best < 0)
		return false;
	a->m += len;
	if (m->flags & NMF_WRAP)
		best ^= native_dialect(a->style)->wrap_is_0;
	a->in.mod[m->id] = (uint8_t)best;
	a->in.word |= bits((uint64_t)best, 0, m->w) << m->lo;
	if (m->w2)
		a->in.word |= (uint64_t)best >> m->w << m->lo2;
	return true;
}

static bool take_mnemonic(struct asmb *a)
{
	const struct native_row *r = a->in.row;
	if (!eat_text(a, r->name))
		return false;
	if (r->form & NRF_LONG && eat_text(a, ".S"))
		a->in.pop = true;
	for (unsigned i = 0; i < ROW_MODS && r->mods[i]; i++)
		if (!take_mod(a, &a->t->mod[r->mods[i]]))
			return false;
	a->in.cc_write = NREG_NONE;
	if (r->form & NRF_LONG) {
		static const char *const c[] = {".C0", ".C1", ".C2", ".C3"};
		for (unsigned i = 0; i < 4; i++)
			if (eat_text(a, c[i]))
				a->in.cc_write = (uint8_t)i;
		a->in.exit = eat_text(a, ".EXIT");
	}
	if (r->form & NRF_POP && eat_text(a, ".S"))
		a->in.pop = true;
	if (r->form & NRF_SHORT && !eat_text(a, ".SHORT"))
		return false;
	return a->m == a->mend;
}

static bool put_default(struct asmb *a, const struct nopf *f)
{
	static const uint8_t kinds[] = {NO_GPR, NO_PRED, NO_IMM, NO_CC};
	for (unsigned i = 0; i < sizeof(kinds); i++) {
		struct nop o = {.kind = kinds[i],
				.reg = f->def,
				.imm = f->def,
				.sel = kinds[i] == NO_CC,
				.index = NREG_NONE};
		uint64_t w = a->in.word;
		if (a->t->put(f, &o, &w, &a->in)) {
			a->in.word = w;
			return true;
		}
	}
	return false;
}

static bool put_operands(struct asmb *a)
{
	const struct native_row *r = a->in.row;
	unsigned j = 0;
	if (r->form & NRF_TEST && a->x->nop && a->x->o[0].kind == NO_CCREG && a->x->o[0].sel) {
		a->in.cc_reg = a->x->o[0].reg;
		a->in.cc_test = (uint8_t)a->x->o[0].off;
		j = 1;
	}
	if (r->form & NRF_BARE && j == a->x->nop)
		return true;
	for (unsigned i = 0; i < ROW_OPS && r->ops[i]; i++) {
		const struct nopf *f = &a->t->opf[r->ops[i]];
		uint64_t w = a->in.word;
		if (j < a->x->nop && a->t->put(f, &a->x->o[j], &w, &a->in)) {
			a->in.word = w;
			j++;
		} else if (!(f->flags & NOF_OPT) || !put_default(a, f)) {
			return false;
		}
	}
	return j == a->x->nop;
}

/* The text of LD_LDU lacks .E. A pair of registers has an even number, so an odd one means a 32-bit
 * address. */
static void guess_wide(struct asmb *a, enum native_style style)
{
	const struct ntext *x = a->x;
	if (style != NSTYLE_FULL && a->in.row->op == NI_LD_LDU && !a->in.mod[NM_E] &&
	    !a->in.mod[NM_E2] && x->nop == 4 && !(x->o[2].reg & 1 && x->o[2].reg != 63) &&
	    !(x->o[3].reg & 1 && x->o[3].reg != 63))
		a->in.word |= 3ull << 58;
}

static bool put_common(struct asmb *a, enum native_style style)
{
	const struct native_row *r = a->in.row;
	const struct ntext *x = a->x;
	uint64_t *w = &a->in.word;
	bool ignored = a->t->isa == NATIVE_FERMI && r->size == 8 && !(r->form & NRF_GUARD);
	if (x->guard && !(r->form & NRF_GUARD) && !ignored)
		return false;
	guess_wide(a, style);
	if (r->form & NRF_GUARD || (ignored && x->guard))
		*w |= x->guard ? (uint64_t)x->guard_reg << 10 | (uint64_t)x->guard_neg << 13
			       : 7ull << 10;
	else if (ignored && style == NSTYLE_CUDA5)
		*w |= 7ull << 10; /* ignored there, but newer tools set it */
	if (r->form & NRF_POP)
		*w |= (uint64_t)a->in.pop << 4;
	if (x->has_test) {
		if (!(r->form & NRF_LONG) || r->form & NRF_NOTEST)
			return false;
		a->in.cc_test = x->cc_test;
		a->in.cc_reg = x->cc_reg;
	}
	if (r->form & NRF_LONG) {
		*w |= (uint64_t)(a->in.exit ? 1 : a->in.pop ? 2 : 0) << 32;
		if (a->in.cc_write != NREG_NONE)
			*w |= 1ull << (32 + 6) | (uint64_t)a->in.cc_write << (32 + 4);
	}
	if (r->form & (NRF_LONG | NRF_TEST) && !(r->form & NRF_NOTEST))
		*w |= (uint64_t)a->in.cc_test << (32 + 7) | (uint64_t)a->in.cc_reg << (32 + 12);
	return true;
}

bool nop_equal(const struct nop *a, const struct nop *b)
{
	if (a->kind == NO_IMM && (b->kind == NO_IMM || b->kind == NO_TARGET))
		return true; /* `put` takes no immediate it cannot represent */
	if (a->kind != b->kind || a->neg != b->neg || a->abs != b->abs || a->inv != b->inv ||
	    a->cc != b->cc)
		return false;
	switch (a->kind) {
	case NO_CONST:
		return a->bank == b->bank && a->off == b->off && a->index == b->index &&
		       a->postinc == b->postinc;
	case NO_MEM:
		return a->reg == b->reg && a->index == b->index && a->postinc == b->postinc &&
		       (a->off == b->off ||
			(a->reg == 63 && !((uint32_t)(a->off ^ b->off) & 0xfffff)));
	case NO_WORD: return true;
	case NO_DISCARD: return a->off == b->off;
	case NO_CCREG: return a->reg == b->reg && a->sel == b->sel && (!a->sel || a->off == b->off);
	case NO_GPR:
		return a->reg == b->reg &&
		       (a->sel == b->sel || (a->sel | b->sel) == 1 || (a->sel | b->sel) == 5);
	default: return a->reg == b->reg;
	}
}

/* Verifies that the word decodes to the row it was made from, with the text's operands and
 * modifiers. */
static bool verify_word(const struct asmb *a, struct ninst *out)
{
	if (!native_decode(a->t->isa, a->in.word, a->in.pc, out) || out->row != a->in.row)
		return false;
	for (unsigned i = 0; i < ROW_MODS && out->row->mods[i]; i++) {
		const struct nmodf *m = &a->t->mod[out->row->mods[i]];
		if (!(m->flags & (NMF_VTYPES | NMF_FULL)) &&
		    strcmp(m->val[out->mod[m->id]], m->val[a->in.mod[m->id]]))
			return false;
	}
	unsigned j = out->row->form & NRF_TEST && a->x->nop && a->x->o[0].kind == NO_CCREG;
	for (unsigned i = 0; i < out->nop && j < a->x->nop; i++)
		if (nop_equal(&a->x->o[j], &out->o[i]))
			j++;
		else if (!out->o[i].optional)
			return false;
	return j == a->x->nop && out->cc_test == a->in.cc_test && out->cc_write == a->in.cc_write;
}

static bool try_row(struct asmb *a, const struct native_row *r, enum native_style style,
		    uint32_t pc)
{
	memset(&a->in, 0, sizeof(a->in));
	a->in.row = r;
	a->in.pc = pc;
	a->in.word = r->match | r->set;
	a->in.cc_test = 15;
	a->m = a->x->mnem;
	a->mend = a->x->mnem + a->x->mnem_len;
	return take_mnemonic(a) && put_operands(a) && put_common(a, style);
}

/* Turns ISUB's operands into IADD's: one operand negative, and a register before a constant or
 * immediate. */
static void turn_subtraction(struct nop o[3])
{
	o[2].neg = !o[2].neg;
	if (o[1].kind != NO_GPR && o[2].kind == NO_GPR) {
		struct nop t = o[1];
		o[1] = o[2];
		o[2] = t;
	}
}

bool native_ignores_guard(const struct ninst *in)
{
	return in->isa == NATIVE_FERMI && in->size == 8 && !(in->row->form & NRF_GUARD);
}

/* Tesla: some tools write .HI after the types of a 24-bit product, IMUL.U24.U24.HI for IMUL.HI.U24.U24. */
static bool high_product(struct ntext *x, char *buf, size_t n)
{
	static const char *const name[] = {"IMUL", "IMUL32", "IMUL32I"};
	for (unsigned i = 0; i < sizeof(name) / sizeof(*name); i++) {
		size_t k = strlen(name[i]);
		const char *types = x->mnem + k;
		if (x->mnem_len < k + 11 || memcmp(x->mnem, name[i], k) ||
		    memcmp(types + 8, ".HI", 3) ||
		    (memcmp(types, ".U24.U24", 8) && memcmp(types, ".S24.S24", 8)))
			continue;
		int len = snprintf(buf, n, "%s.HI%.8s%.*s", name[i], types,
				   (int)(x->mnem_len - k - 11), types + 11);
		if (len < 0 || (size_t)len >= n)
			return false;
		x->mnem = buf;
		x->mnem_len = (uint32_t)len;
		return true;
	}
	return false;
}

/* Rewrites a conversion between equal types as CUDA 4.0 prints it: F2F.TRUNC for F2F.F32.F32.TRUNC,
 * and .PASS where the value is not rounded to an integer. */
static bool same_type(struct ntext *x, char *buf, size_t n)
{
	static const char *const mod[] = {".PASS", ".ROUND", ".FLOOR", ".CEIL", ".TRUNC"},
				 *const type[] = {".F16", ".F32", ".F64"};
	const char *e = x->mnem + x->mnem_len, *types = x->mnem + 3, *pass = e;
	unsigned mods = 0, ntypes = 0, last = 0;
	bool same = true;
	if (x->mnem_len < 4 || memcmp(x->mnem, "F2F.", 4))
		return false;
	for (const char *p = types; p < e;) {
		const char *q = memchr(p + 1, '.', (size_t)(e - p - 1));
		size_t len = (size_t)((q ? q : e) - p);
		for (unsigned i = 0; i < 3; i++)
			if (len == 4 && !memcmp(p, type[i], 4)) {
				same &= !ntypes++ || i == last;
				last = i;
			}
		for (unsigned i = 0; i < 5; i++)
			if (len == strlen(mod[i]) && !memcmp(p, mod[i], len)) {
				mods++;
				pass = i ? pass : p;
			}
		if (len == 4 && !memcmp(p, ".FTZ", 4) && !ntypes)
			types = p + 4;
		p += len;
	}
	if (mods != 1 || !same || (ntypes && (ntypes != 2 || pass == e)))
		return false;
	const char *rest = pass < e ? pass + 5 : e;
	int len = snprintf(buf, n, "%.*s%s%.*s%.*s", (int)(types - x->mnem), x->mnem,
			   ntypes ? "" : ".F32.F32", (int)(pass - types), types, (int)(e - rest),
			   rest);
	if (len < 0 || (size_t)len >= n)
		return false;
	x->mnem = buf;
	x->mnem_len = (uint32_t)len;
	return true;
}

/* Rewrites spellings of other tools and of shortened listings. */
static void resolve_alias(struct ntext *x, char *buf, size_t n)
{
	static const struct {
		const char *from, *to;
		bool whole;
	} names[] = {
		{"ISUB", "IADD", false},
		{"BAR.SYNC", "BAR.RED.POPC", true},
	};
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t k = strlen(names[i].from);
		if (x->mnem_len < k || memcmp(x->mnem, names[i].from, k) ||
		    (x->mnem_len > k && (names[i].whole || x->mnem[k] != '.')))
			continue;
		int len = snprintf(buf, n, "%s%.*s", names[i].to, (int)(x->mnem_len - k),
				   x->mnem + k);
		if (len < 0 || (size_t)len >= n)
			return;
		if (!i && x->nop == 3)
			turn_subtraction(x->o);
		if (i) {
			if (x->nop >= NATIVE_MAX_OPS)
				return;
			memmove(x->o + 1, x->o, x->nop * sizeof(*x->o));
			x->nop++;
			x->o[0] = (struct nop){
				.kind = NO_GPR, .reg = 63, .width = 1, .index = NREG_NONE};
		}
		x->mnem = buf;
		x->mnem_len = (uint32_t)len;
		return;
	}
}

/* Replaces a symbolic target by its address. */
static bool resolve_label(struct ntext *x, const struct native_labels *labels)
{
	for (unsigned i = 0; labels && i < x->nop; i++) {
		struct nop *o = &x->o[i];
		if (o->kind != NO_WORD)
			continue;
		for (size_t k = 0; k < labels->n; k++)
			if (labels->v[k].len == o->len &&
			    !memcmp(labels->v[k].name, o->word, o->len)) {
				*o = (struct nop){.kind = NO_IMM,
						  .imm_type = IMM_S,
						  .imm = labels->v[k].addr,
						  .index = NREG_NONE};
				return true;
			}
	}
	return true;
}

static bool has_name(const struct native_row *r, const struct ntext *x)
{
	size_t n = strlen(r->name);
	return x->mnem_len >= n && !memcmp(x->mnem, r->name, n) &&
	       (x->mnem_len == n || x->mnem[n] == '.');
}

/* Explains why no row fits: the name, the modifiers or the operands, whichever got furthest. */
static bool explain_misfit(const struct native_tab *t, const struct ntext *x, bool shape, char *err,
			   size_t nerr)
{
	int len = (int)(x->mnem_len > 60 ? 60 : x->mnem_len);
	bool known = false, flow = false;
	for (unsigned i = 0; i < t->nrow; i++)
		known |= has_name(&t->row[i], x);
	for (unsigned i = 0; i < x->nop; i++)
		flow |= x->o[i].kind == NO_WORD && i == x->nop - 1u;
	if (!known)
		snprintf(err, nerr, "unknown mnemonic '%.*s'", len, x->mnem);
	else if (!shape)
		snprintf(err, nerr, "modifiers do not fit '%.*s'", len, x->mnem);
	else if (flow)
		snprintf(err, nerr, "operands do not fit '%.*s': no label '%.*s'", len, x->mnem,
			 (int)(x->o[x->nop - 1].len > 60 ? 60 : x->o[x->nop - 1].len),
			 x->o[x->nop - 1].word);
	else
		snprintf(err, nerr, "operands do not fit '%.*s'", len, x->mnem);
	return false;
}

/* Reads the bits in braces after an instruction; *len: the length of the text before them. */
static uint64_t take_unused(const char *text, size_t *len)
{
	size_t n = *len, at;
	uint64_t v = 0;
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	if (!n || text[n - 1] != '}')
		return 0;
	for (at = n - 1; at && text[at - 1] != '{'; at--)
		;
	if (!at || n - at < 4 || n - at > 19 || text[at] != '0' || text[at + 1] != 'x')
		return 0;
	for (size_t i = at + 2; i < n - 1; i++) {
		int c = tolower((unsigned char)text[i]);
		if (!isxdigit(c))
			return 0;
		v = v << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	*len = at - 1;
	return v;
}

/* Sets bits that no field has; false if they would turn the word into another instruction. */
static bool put_unused(struct ninst *in, uint64_t bits, char *err, size_t nerr)
{
	struct ninst with;
	char a[256], b[256] = "";
	native_print(in, NSTYLE_FULL, a, sizeof(a));
	if (native_decode(in->isa, in->word ^ bits, in->pc, &with))
		native_print(&with, NSTYLE_FULL, b, sizeof(b));
	if (strcmp(a, b)) {
		snprintf(err, nerr, "the bits 0x%llx in braces are bits of '%s'",
			 (unsigned long long)bits, a);
		return false;
	}
	*in = with;
	return true;
}

static bool assemble_text(enum native_isa isa, const char *text, size_t len, uint32_t pc,
			  const struct native_labels *labels, enum native_style style,
			  struct ninst *out, char *err, size_t nerr);

bool native_assemble(enum native_isa isa, const char *text, size_t len, uint32_t pc,
		     const struct native_labels *labels, enum native_style style, struct ninst *out,
		     char *err, size_t nerr)
{
	uint64_t unused = take_unused(text, &len);
	return assemble_text(isa, text, len, pc, labels, style, out, err, nerr) &&
	       (!unused || put_unused(out, unused, err, nerr));
}

size_t native_print_exact(const struct ninst *in, char *buf, size_t n)
{
	struct ninst made;
	char err[160];
	size_t len = native_print(in, NSTYLE_FULL, buf, n);
	if (assemble_text(in->isa, buf, len, in->pc, NULL, NSTYLE_FULL, &made, err, sizeof(err)) &&
	    made.word != in->word)
		snprintf(buf + len, n - len, " {0x%llx}",
			 (unsigned long long)(made.word ^ in->word));
	return strlen(buf);
}

static bool assemble_text(enum native_isa isa, const char *text, size_t len, uint32_t pc,
			  const struct native_labels *labels, enum native_style style,
			  struct ninst *out, char *err, size_t nerr)
{
	struct ntext x;
	struct asmb a = {.t = native_tab(isa), .x = &x, .style = style};
	char buf[96];
	if (!native_parse(isa, text, len, &x, err, nerr))
		return false;
	if (!same_type(&x, buf, sizeof(buf)) &&
	    (isa == NATIVE_FERMI || !high_product(&x, buf, sizeof(buf))))
		resolve_alias(&x, buf, sizeof(buf));
	if (isa == NATIVE_FERMI)
		native_from_dialect(&x, style);
	resolve_label(&x, labels);
	bool shape = false;
	for (unsigned i = 0; i < a.t->nrow; i++) {
		const struct native_row *r = &a.t->row[i];
		if (!has_name(r, &x))
			continue;
		memset(&a.in, 0, sizeof(a.in));
		a.in.row = r;
		a.m = x.mnem;
		a.mend = x.mnem + x.mnem_len;
		if (!take_mnemonic(&a))
			continue;
		shape = true;
		if (try_row(&a, r, style, pc) && verify_word(&a, out))
			return true;
	}
	return explain_misfit(a.t, &x, shape, err, nerr);
}

bool native_agrees(enum native_isa isa, const char *text, size_t len, uint32_t pc, uint64_t word,
		   const struct native_labels *labels, enum native_style style, struct ninst *out,
		   char *err, size_t nerr)
{
	struct ninst in;
	char a[256], b[256];
	if (!native_decode(isa, word, pc, out)) {
		out->row = NULL;
		snprintf(err, nerr, "unknown instruction word 0x%0*llx at 0x%04x",
			 native_size(isa, (uint32_t)word) * 2, (unsigned long long)word, pc);
		return false;
	}
	if (!native_assemble(isa, text, len, pc, labels, style, &in, err, nerr))
		return false;
	native_print(&in, style, a, sizeof(a));
	native_print(out, style, b, sizeof(b));
	if (!strcmp(a, b))
		return true;
	snprintf(err, nerr, "text and word disagree: the word is '%s'", b);
	return false;
}

unsigned native_regs(const struct ninst *in)
{
	unsigned n = 0;
	for (unsigned i = 0; i < in->nop; i++) {
		const struct nop *o = &in->o[i];
		unsigned top = 0;
		if (o->kind == NO_GPR)
			top = o->reg + (o->width ? o->width : 1u);
		else if (o->kind == NO_HALF)
			top = (o->reg >> 1) + 1u;
		else if (o->kind == NO_MEM && (in->isa == NATIVE_FERMI || o->space == NS_GLOBAL))
			top = o->reg + 1u + o->wide;
		else if (o->kind == NO_CONST && in->isa == NATIVE_FERMI && o->index != NREG_NONE)
			top = o->index + 1u;
		if (in->isa == NATIVE_FERMI && (o->kind == NO_GPR || o->kind == NO_MEM) &&
		    o->reg == 63)
			top = 0;
		if (in->isa == NATIVE_TESLA && o->kind == NO_GPR && o->reg >= 124)
			top = 0;
		n = top > n ? top : n;
	}
	return n;
}
