/* PTXPlus names: one table for printing and reading. A rule's pattern is text with pieces:
 *
 *   %X   a modifier of the row, as `mod_text` spells it for letter X (see `letters`)
 *   %n   the row's own mnemonic     %k   the word operand
 *   %h   .half, on Tesla's 4-byte forms, and on its addition of an immediate
 *
 * After the pattern come the mnemonic's words after its first point and the modifiers that neither
 * the pattern nor the rule's conditions name, in the row's order. */
#include <ctype.h>
#include <string.h>
#include "front/sass/ptxplus.h"

static const struct {
	char letter;
	uint8_t id;
} letters[] = {
	{'c', NM_CMP},   {'l', NM_LOGIC}, {'L', NM_LOGIC2}, {'s', NM_SIGN}, {'w', NM_W32},
	{'b', NM_W32},   {'t', NM_DT},    {'T', NM_DT},     {'z', NM_SIZE}, {'m', NM_SIZE},
	{'d', NM_DT},    {'e', NM_ST},    {'f', NM_FN},     {'F', NM_FN},   {'S', NM_SEC},
	{'v', NM_TYPES}, {'r', NM_RND},   {'o', NM_MODE},
};

struct rule {
	uint16_t op;
	const char *pattern;
	struct {
		uint8_t id;
		const char *text;
	} when[3]; /* modifiers that must have these texts */
};

#define W(i, s)                                                                                    \
	{                                                                                          \
		NM_##i, s                                                                          \
	}
/* The first rule that fits an instruction is used. */
static const struct rule fermi[] = {
	{NI_MOV, "mov.u32", {{0}}},
	{NI_MOV32I, "mov.u32", {{0}}},
	{NI_S2R, "cvt.u32.u32", {{0}}},
	{NI_PBK, "pbk.u32", {{0}}},
	{NI_SSY, "ssy.u32", {{0}}},
	{NI_PCNT, "pcnt.u32", {{0}}},
	{NI_PRET, "pret.u32", {{0}}},
	{NI_CAL, "call.u32", {{0}}},
	{NI_BRK, "brk.u32", {{0}}},
	{NI_CONT, "cont.u32", {{0}}},
	{NI_RET, "ret.u32", {{0}}},
	{NI_EXIT, "exit.u32", {{0}}},
	{NI_BRA, "bra.uni.u32", {W(U, ".U")}},
	{NI_BRA, "bra.u32", {{0}}},
	{NI_ISCADD, "iscadd.u32", {{0}}},
	{NI_IADD, "add.u32", {{0}}},
	{NI_IADD32I, "add.u32", {{0}}},
	{NI_FADD, "add.f32", {{0}}},
	{NI_FADD32I, "add.f32", {{0}}},
	{NI_FMUL, "mul.f32", {{0}}},
	{NI_FMUL32I, "mul.f32", {{0}}},
	{NI_FFMA, "fma.f32", {{0}}},
	{NI_FFMA32I, "fma.f32", {{0}}},
	{NI_DADD, "add.f64", {{0}}},
	{NI_DMUL, "mul.f64", {{0}}},
	{NI_DFMA, "fma.f64", {{0}}},
	{NI_RRO, "rro.f32", {W(FN, ".EX2")}},
	{NI_RRO, "rro%f.f32", {{0}}},
	{NI_MUFU, "%F.f32", {{0}}},
	{NI_SEL, "selp.u32", {{0}}},
	{NI_IMNMX, "imnmx.u32", {{0}}},
	{NI_ICMP, "icmp%c%s", {{0}}},
	{NI_ISETP, "isetp%c%l%s", {{0}}},
	{NI_ISET, "iset%c%l%s", {{0}}},
	{NI_PSETP, "psetp%L%l.s32", {{0}}},
	{NI_SHL, "shl.u32", {{0}}},
	{NI_SHR, "shr%s", {{0}}},
	{NI_BFE, "bfe%s", {{0}}},
	{NI_BFI, "bfi.u32", {{0}}},
	/* rounding to an integral value, whose type the thesis calls u32 */
	{NI_F2F, "cvt.rn.u32", {W(RND, ".ROUND"), W(DT, ".F32"), W(ST, ".F32")}},
	{NI_F2F, "cvt.rm.u32", {W(RND, ".FLOOR"), W(DT, ".F32"), W(ST, ".F32")}},
	{NI_F2F, "cvt.rp.u32", {W(RND, ".CEIL"), W(DT, ".F32"), W(ST, ".F32")}},
	{NI_F2F, "cvt.rz.u32", {W(RND, ".TRUNC"), W(DT, ".F32"), W(ST, ".F32")}},
	{NI_F2F, "cvt%r%d%e", {{0}}},
	{NI_F2I, "cvt%r%d%e", {{0}}},
	{NI_I2F, "cvt%r%d%e", {{0}}},
	{NI_I2I, "cvt%d%e", {{0}}},
	{NI_LD, "ld.global%z", {{0}}},
	{NI_ST, "st.global%z", {{0}}},
	{NI_LDS, "ld.shared%z", {{0}}},
	{NI_STS, "st.shared%z", {{0}}},
	{NI_LDL, "ld.local%z", {{0}}},
	{NI_STL, "st.local%z", {{0}}},
	{NI_LDU, "ldu.global%z", {{0}}},
	{NI_LDC, "mov.const%z", {{0}}},
	{NI_LD_LDU, "ldu.global.u32", {W(SIZE, ".32.32")}},
	{NI_LD_LDU, "ldu.global", {{0}}},
	{NI_VADD, "vadd%S%v", {{0}}},
	{NI_VMNMX, "vmnmx%S%v", {{0}}},
	{NI_VABSDIFF, "vabsdiff%S%v", {{0}}},
	{NI_VMAD, "vmad%S%v", {{0}}},
	{NI_VSET, "vset%S%v", {{0}}},
	{NI_VSHL, "vshl%S%v", {{0}}},
	{NI_VSHR, "vshr%S%v", {{0}}},
	{0, "%n", {{0}}},
};

static const struct rule tesla[] = {
	{NI_MOV, "mov%h%w", {{0}}},
	{NI_MVC, "mov.u32", {{0}}},
	{NI_G2R, "mov.u32", {W(FULL, ".U32")}},
	{NI_G2R, "mov.u16", {W(FULL, ".U16")}},
	{NI_R2G, "mov.u32", {W(FULL, ".U32"), W(SIZE, ".U32")}},
	{NI_R2G, "mov.u16", {W(FULL, ".U16"), W(SIZE, ".U16")}},
	{NI_R2G, "mov%z", {{0}}},
	{NI_C2R, "mov.u32", {{0}}},
	{NI_R2C, "mov.u32", {{0}}},
	{NI_A2R, "mov.u32", {{0}}},
	{NI_R2A, "shl.u32", {{0}}},
	{NI_ADA, "add.u32", {{0}}},
	{NI_S2R, "cvt.u32.u32", {{0}}},
	{NI_IADD, "add%h%w", {{0}}},
	{NI_ISAD, "sad%h%d", {{0}}},
	{NI_IMUL, "mul%h.lo.u16", {W(TYPES, ".U16.U16")}},
	{NI_IMUL, "mul%h.lo.s16", {W(TYPES, ".S16.S16")}},
	{NI_IMUL, "mul%h.lo.u16.s16", {W(TYPES, ".U16.S16")}},
	{NI_IMUL, "mul%h.lo.s16.u16", {W(TYPES, ".S16.U16")}},
	{NI_IMUL, "mul24%h.lo.u32", {W(TYPES, ".U24.U24")}},
	{NI_IMUL, "mul24%h.hi.u32", {W(TYPES, ".HI.U24.U24")}},
	{NI_IMUL, "mul24%h.lo.s32", {W(TYPES, ".S24.S24")}},
	{NI_IMUL, "mul24%h.hi.s32", {W(TYPES, ".HI.S24.S24")}},
	{NI_IMAD, "mad%h.wide.u16", {W(TYPES, ".U16")}},
	{NI_IMAD, "mad%h.wide.s16", {W(TYPES, ".S16")}},
	{NI_IMAD, "mad%h.wide.sat.s16", {W(TYPES, ".S16.SAT")}},
	{NI_IMAD, "mad24%h.lo.u32", {W(TYPES, ".U24")}},
	{NI_IMAD, "mad24%h.lo.s32", {W(TYPES, ".S24")}},
	{NI_IMAD, "mad24%h.lo.sat.s32", {W(TYPES, ".S24.SAT")}},
	{NI_IMAD, "mad24%h.hi.u32", {W(TYPES, ".HI.U24")}},
	{NI_IMAD, "mad24%h.hi.s32", {W(TYPES, ".HI.S24")}},
	{NI_IMAD, "mad24%h.hi.sat.s32", {W(TYPES, ".HI.S24.SAT")}},
	{NI_IMAX, "max%t", {{0}}},
	{NI_IMIN, "min%t", {{0}}},
	{NI_ISET, "set%k%T", {{0}}},
	{NI_FSET, "set%k.f32.f32", {{0}}},
	{NI_DSET, "set%k.f64.f64", {{0}}},
	{NI_SHL, "shl%w", {{0}}},
	{NI_SHR, "shr%t", {{0}}},
	{NI_LOP, "and%b", {W(LOGIC, ".AND")}},
	{NI_LOP, "or%b", {W(LOGIC, ".OR")}},
	{NI_LOP, "xor%b", {W(LOGIC, ".XOR")}},
	{NI_LOP, "pass_b%b", {W(LOGIC, ".PASS_B")}},
	{NI_I2I, "cvt%d%e", {{0}}},
	{NI_I2F, "cvt%r%d%e", {{0}}},
	{NI_F2I, "cvt%r%d%e", {{0}}},
	{NI_F2F, "cvt%r%d%e", {{0}}},
	{NI_FADD, "add%h.f32", {{0}}},
	{NI_FMUL, "mul%h.f32", {{0}}},
	{NI_FMAD, "mad%h.f32", {{0}}},
	{NI_FMAX, "max.f32", {{0}}},
	{NI_FMIN, "min.f32", {{0}}},
	{NI_FCMP, "fcmp.f32", {{0}}},
	{NI_RRO, "rro%k.f32", {{0}}},
	{NI_RCP, "rcp%h.f32", {{0}}},
	{NI_RSQ, "rsqrt.f32", {{0}}},
	{NI_LG2, "lg2.f32", {{0}}},
	{NI_EX2, "ex2.f32", {{0}}},
	{NI_SIN, "sin.f32", {{0}}},
	{NI_COS, "cos.f32", {{0}}},
	{NI_DADD, "add.f64", {{0}}},
	{NI_DMUL, "mul.f64", {{0}}},
	{NI_DFMA, "fma.f64", {{0}}},
	{NI_DMIN, "min.f64", {{0}}},
	{NI_DMAX, "max.f64", {{0}}},
	{NI_LLD, "ld.local%m", {{0}}},
	{NI_LST, "st.local%m", {{0}}},
	{NI_GLD, "ld.global%m", {{0}}},
	{NI_GST, "st.global%m", {{0}}},
	{NI_GRED, "red.global%o%m", {{0}}},
	{NI_GATOM, "atom.global%o%m", {{0}}},
	{NI_CAL, "callp", {{0}}},
	{NI_RET, "retp", {{0}}},
	{NI_BAR, "bar.sync", {W(MODE, ".ARV"), W(KIND, ".WAIT")}},
	{0, "%n", {{0}}},
};

static const struct rule *rules_of(enum native_isa isa)
{
	return isa == NATIVE_FERMI ? fermi : tesla;
}

static void lower_case(char *to, size_t n, const char *s)
{
	size_t i = 0;
	for (; s[i] && i + 1 < n; i++)
		to[i] = (char)tolower((unsigned char)s[i]);
	to[i] = 0;
}

/* Native texts that PTXPlus spells differently. letter: the piece of the pattern; blank: any. An
 * empty native text is the default type. Fermi's rounding to an integral value is spelled as PTX's
 * .rzi, because Fermi also has .RZ. */
static const struct {
	char letter;
	int8_t isa; /* -1: both instruction sets */
	const char *native, *plus;
} spelling[] = {
	{'s', -1, "", ".s32"},
	{'w', -1, "", ".u32"},
	{'t', -1, "", ".u32"},
	{'b', -1, "", ".b32"},
	{'b', -1, ".U16", ".b16"},
	{'T', -1, "", ".u32.u32"},
	{'T', -1, ".U16", ".u16.u16"},
	{'T', -1, ".S16", ".s16.s16"},
	{'T', -1, ".S32", ".s32.s32"},
	{'z', -1, "", ".u32"},
	{'z', -1, ".64", ".u32.doublereg"},
	{'z', -1, ".128", ".u32.quadreg"},
	{'m', -1, ".S64", ".v2.u32"},
	{'m', -1, ".S128", ".v4.u32"},
	{'o', -1, ".IADD", ".add"},
	{'o', -1, ".IMAX", ".max"},
	{'o', -1, ".IMIN", ".min"},
	{'v', -1, "", ".u32"},
	{' ', NATIVE_TESLA, ".FLOOR", ".rm"},
	{' ', NATIVE_TESLA, ".CEIL", ".rp"},
	{' ', NATIVE_TESLA, ".TRUNC", ".rz"},
	{' ', NATIVE_FERMI, ".ROUND", ".rni"},
	{' ', NATIVE_FERMI, ".FLOOR", ".rmi"},
	{' ', NATIVE_FERMI, ".CEIL", ".rpi"},
	{' ', NATIVE_FERMI, ".TRUNC", ".rzi"},
};

static void mod_text(char letter, enum native_isa isa, const char *native, char *to, size_t n)
{
	for (size_t i = 0; i < sizeof(spelling) / sizeof(*spelling); i++)
		if ((spelling[i].letter == letter || spelling[i].letter == ' ') &&
		    (spelling[i].isa < 0 || spelling[i].isa == (int)isa) &&
		    !strcmp(spelling[i].native, native)) {
			lower_case(to, n, spelling[i].plus);
			return;
		}
	lower_case(to, n, letter == 'F' && *native == '.' ? native + 1 : native);
}

/* Returns the position of the row's modifier with that meaning; -1: none. */
static int mod_index(const struct native_tab *t, const struct native_row *r, unsigned id)
{
	for (int i = 0; i < ROW_MODS && r->mods[i]; i++)
		if (t->mod[r->mods[i]].id == id)
			return i;
	return -1;
}

static int letter_id(char c)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (letters[i].letter == c)
			return letters[i].id;
	return -1;
}

static const struct nopf *word_field(const struct native_tab *t, const struct native_row *r)
{
	for (unsigned i = 0; i < ROW_OPS && r->ops[i]; i++)
		if (t->opf[r->ops[i]].nwords)
			return &t->opf[r->ops[i]];
	return NULL;
}

static bool row_has_text(const struct native_tab *t, const struct native_row *r, unsigned id,
			 const char *text)
{
	int i = mod_index(t, r, id);
	const struct nmodf *m = i < 0 ? NULL : &t->mod[r->mods[i]];
	for (unsigned v = 0; m && v < m->n; v++)
		if (m->val[v] && !strcmp(m->val[v], text))
			return true;
	return false;
}

/* Prints the types of video operands, which are in the word's sign and selector fields. */
static const char *video_types(const struct ninst *in, char *buf, size_t n)
{
	static const uint8_t size[8] = {8, 8, 8, 8, 16, 16, 32, 32};
	uint64_t w = in->word;
	unsigned a = size[bits(w, 44, 3)], b = bits(w, 47, 1) ? size[bits(w, 32, 3)] : 8;
	bool as = bits(w, 6, 1), bs = bits(w, 5, 1);
	buf[0] = 0;
	if (a != 32 || b != 32 || !as || !bs)
		snprintf(buf, n, ".%c%u.%c%u", as ? 'S' : 'U', a, bs ? 'S' : 'U', b);
	return buf;
}

static bool ends_32i(const struct native_row *r)
{
	size_t n = strlen(r->name);
	return n > 3 && !strcmp(r->name + n - 3, "32I");
}

static const char *half(const struct native_row *r)
{
	return r->size == 4 || (r->op == NI_IADD && ends_32i(r)) ? ".half" : "";
}

/* Copies the part of the row's name after the first point, unless the pattern prints the whole
 * name. */
static void name_rest(const struct native_row *r, const char *pattern, char *to, size_t n)
{
	const char *dot = strchr(r->name, '.');
	lower_case(to, n, dot && strcmp(pattern, "%n") ? dot : "");
}

/* ---- printing ---- */

static const char *value_text(const struct native_tab *t, const struct ninst *in, int i, char *buf,
			      size_t n)
{
	const struct nmodf *m = &t->mod[in->row->mods[i]];
	return m->flags & NMF_VTYPES ? video_types(in, buf, n) : m->val[in->mod[m->id]];
}

static bool rule_fits(const struct rule *r, const struct native_tab *t, const struct ninst *in)
{
	char buf[24];
	if (r->op && r->op != in->op)
		return false;
	for (unsigned i = 0; i < 3 && r->when[i].text; i++) {
		int m = mod_index(t, in->row, r->when[i].id);
		if (m < 0 || strcmp(value_text(t, in, m, buf, sizeof(buf)), r->when[i].text))
			return false;
	}
	return true;
}

static const char *word_of(const struct ninst *in)
{
	for (unsigned i = 0; i < in->nop; i++)
		if (in->o[i].kind == NO_WORD)
			return in->o[i].word;
	return "";
}

bool ptxplus_name(struct text *t, const struct ninst *in)
{
	const struct native_tab *tab = native_tab(in->isa);
	const struct rule *r = rules_of(in->isa);
	bool done[ROW_MODS] = {false}, word = false;
	char buf[40], types[24];
	while (!rule_fits(r, tab, in))
		r++;
	for (unsigned i = 0; i < 3 && r->when[i].text; i++)
		done[mod_index(tab, in->row, r->when[i].id)] = true;
	for (const char *p = r->pattern; *p; p++) {
		if (*p != '%') {
			text_put(t, "%c", *p);
			continue;
		}
		buf[0] = 0;
		if (*++p == 'n') {
			lower_case(buf, sizeof(buf), in->row->name);
		} else if (*p == 'h') {
			strcpy(buf, half(in->row));
		} else if (*p == 'k') {
			buf[0] = '.';
			lower_case(buf + 1, sizeof(buf) - 1, word_of(in));
			word = true;
		} else {
			int i = mod_index(tab, in->row, (unsigned)letter_id(*p));
			mod_text(*p, in->isa,
				 i < 0 ? "" : value_text(tab, in, i, types, sizeof(types)), buf,
				 sizeof(buf));
			if (i >= 0)
				done[i] = true;
		}
		text_put(t, "%s", buf);
	}
	name_rest(in->row, r->pattern, buf, sizeof(buf));
	text_put(t, "%s", buf);
	for (int i = 0; i < ROW_MODS && in->row->mods[i]; i++)
		if (!done[i]) {
			mod_text(' ', in->isa, value_text(tab, in, i, types, sizeof(types)), buf,
				 sizeof(buf));
			text_put(t, "%s", buf);
		}
	if (in->pop)
		text_put(t, ".s");
	if (in->exit)
		text_put(t, ".exit");
	if (in->row->form & NRF_SHORT)
		text_put(t, ".short");
	return word;
}

/* ---- reading ---- */

struct search {
	enum native_isa isa;
	const struct native_tab *t;
	const struct native_row *row;
	const char *end, *pattern;
	const char *chosen[ROW_MODS]; /* native texts */
	char types[24];
	const char *word;
	bool (*take)(void *arg, const struct px_match *m);
	void *arg;
};

static bool starts(const struct search *s, const char *at, const char *with, size_t *n)
{
	*n = strlen(with);
	return (size_t)(s->end - at) >= *n && !memcmp(at, with, *n);
}

/* Reads the end of a name: .s or .join, .exit, .short. */
static bool finish_name(struct search *s, const char *at)
{
	struct px_match m = {.row = s->row, .word = s->word};
	struct text t = {m.mnemonic, 0, sizeof(m.mnemonic)};
	size_t n;
	if (starts(s, at, ".join", &n) ||
	    (starts(s, at, ".s", &n) && (at + n == s->end || at[n] == '.'))) {
		m.pop = true;
		at += n;
	}
	if (starts(s, at, ".exit", &n)) {
		m.exit = true;
		at += n;
	}
	if (s->row->form & NRF_SHORT) {
		if (!starts(s, at, ".short", &n))
			return false;
		at += n;
	}
	if (at != s->end)
		return false;
	text_put(&t, "%s%s", s->row->name, m.pop && s->isa == NATIVE_TESLA ? ".S" : "");
	for (unsigned i = 0; i < ROW_MODS && s->row->mods[i]; i++)
		text_put(&t, "%s", s->chosen[i] ? s->chosen[i] : "");
	return s->take(s->arg, &m);
}

static bool match_rest(struct search *s, unsigned i, const char *at);
static bool match_pattern(struct search *s, const char *p, const char *at);

/* Continues the search after modifier i has a text: with the pattern from p on or, if p is NULL,
 * with the modifiers that the pattern does not name. */
static bool continue_search(struct search *s, const char *p, unsigned i, const char *at)
{
	return p ? match_pattern(s, p, at) : match_rest(s, i + 1, at);
}

static bool match_video(struct search *s, char letter, int i, const char *p, const char *at)
{
	char buf[40];
	size_t n;
	for (unsigned k = 0; k < 36; k++) {
		unsigned a = 8u << k % 3, b = 8u << k / 3 % 3;
		bool as = k / 9 & 1, bs = k / 18;
		s->types[0] = 0;
		if (a != 32 || b != 32 || !as || !bs)
			snprintf(s->types, sizeof(s->types), ".%c%u.%c%u", as ? 'S' : 'U', a,
				 bs ? 'S' : 'U', b);
		mod_text(letter, s->isa, s->types, buf, sizeof(buf));
		s->chosen[i] = s->types;
		if (starts(s, at, buf, &n) && continue_search(s, p, (unsigned)i, at + n))
			return true;
	}
	s->chosen[i] = NULL;
	return false;
}

/* Reads modifier i of the row in its spelling for a letter. -1: the row has no such modifier, which
 * reads as the default. */
static bool match_mod(struct search *s, char letter, int i, const char *p, const char *at)
{
	const struct nmodf *m = i < 0 ? NULL : &s->t->mod[s->row->mods[i]];
	char buf[40];
	size_t n;
	if (m && m->flags & NMF_VTYPES)
		return match_video(s, letter, i, p, at);
	for (unsigned v = 0; v < (m ? m->n : 1); v++) {
		const char *native = m ? m->val[v] : "";
		if (!native)
			continue;
		mod_text(letter, s->isa, native, buf, sizeof(buf));
		if (!starts(s, at, buf, &n))
			continue;
		if (m)
			s->chosen[i] = native;
		if (continue_search(s, p, (unsigned)i, at + n))
			return true;
	}
	if (m)
		s->chosen[i] = NULL;
	return false;
}

static bool match_rest(struct search *s, unsigned i, const char *at)
{
	while (i < ROW_MODS && s->row->mods[i] && s->chosen[i])
		i++;
	if (i == ROW_MODS || !s->row->mods[i])
		return finish_name(s, at);
	return match_mod(s, ' ', (int)i, NULL, at);
}

static bool match_word(struct search *s, const char *p, const char *at)
{
	const struct nopf *f = word_field(s->t, s->row);
	char buf[40] = ".";
	size_t n;
	for (unsigned i = 0; f && i < f->nwords; i++) {
		lower_case(buf + 1, sizeof(buf) - 1, f->words[i]);
		s->word = f->words[i];
		if (starts(s, at, buf, &n) && match_pattern(s, p, at + n))
			return true;
	}
	s->word = NULL;
	return false;
}

static bool match_pattern(struct search *s, const char *p, const char *at)
{
	char buf[40];
	size_t n;
	for (; *p && *p != '%'; p++, at++)
		if (at == s->end || *at != *p)
			return false;
	if (!*p) {
		name_rest(s->row, s->pattern, buf, sizeof(buf));
		return starts(s, at, buf, &n) && match_rest(s, 0, at + n);
	}
	char c = p[1];
	p += 2;
	if (c == 'n') {
		lower_case(buf, sizeof(buf), s->row->name);
		return starts(s, at, buf, &n) && match_pattern(s, p, at + n);
	}
	if (c == 'h')
		return starts(s, at, half(s->row), &n) && match_pattern(s, p, at + n);
	if (c == 'k')
		return match_word(s, p, at);
	return match_mod(s, c, mod_index(s->t, s->row, (unsigned)letter_id(c)), p, at);
}

static bool try_rule(struct search *s, const struct rule *r, const char *name)
{
	memset(s->chosen, 0, sizeof(s->chosen));
	s->word = NULL;
	s->pattern = r->pattern;
	for (unsigned i = 0; i < 3 && r->when[i].text; i++) {
		if (!row_has_text(s->t, s->row, r->when[i].id, r->when[i].text))
			return false;
		s->chosen[mod_index(s->t, s->row, r->when[i].id)] = r->when[i].text;
	}
	return match_pattern(s, r->pattern, name);
}

/* Returns the rank in which rows with one meaning are tried: special registers before constants of
 * that value, forms with a 32-bit immediate last. */
static unsigned try_rank(const struct native_row *r)
{
	return r->op == NI_S2R ? 0 : ends_32i(r) ? 2 : 1;
}

bool ptxplus_readings(enum native_isa isa, const char *name, size_t len,
		      bool (*take)(void *arg, const struct px_match *m), void *arg)
{
	struct search s = {
		.isa = isa, .t = native_tab(isa), .end = name + len, .take = take, .arg = arg};
	for (unsigned turn = 0; turn < 3; turn++)
		for (unsigned i = 0; i < s.t->nrow; i++) {
			s.row = &s.t->row[i];
			const struct rule *r = rules_of(isa);
			if (try_rank(s.row) != turn)
				continue;
			for (; r->op; r++)
				if (r->op == s.row->op && try_rule(&s, r, name))
					return true;
			if (try_rule(&s, r, name))
				return true;
		}
	return false;
}
