/* Reads cuobjdump -sass listings of Tesla and Fermi code, with or without addresses and hexadecimal
 * words, with labels or absolute targets. Directives (directives.c) supply the information that a
 * listing lacks. sass.h lists the other files' functions. */
#include "front/sass/sass.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "isa/table.h"

void sass_error(struct reader *r, unsigned lineno, const char *fmt, ...)
{
	va_list ap;
	struct srcloc at = r->loc;
	at.line = lineno;
	at.col = 1;
	va_start(ap, fmt);
	diag_vat(r->d, DIAG_ERROR, &at, fmt, ap);
	va_end(ap);
	r->failed = true;
}

bool sass_starts(const char *s, const char *e, const char *w)
{
	size_t n = strlen(w);
	return (size_t)(e - s) >= n && !memcmp(s, w, n);
}

const char *sass_find(const char *s, const char *e, const char *w)
{
	size_t n = strlen(w);
	for (; (size_t)(e - s) >= n; s++)
		if (!memcmp(s, w, n))
			return s;
	return NULL;
}

void sass_trim(const char **s, const char **e)
{
	while (*s < *e && isspace((unsigned char)**s))
		++*s;
	while (*e > *s && isspace((unsigned char)(*e)[-1]))
		--*e;
}

/* ---- assembling a function ---- */

static uint64_t swap_words(uint64_t w) { return w << 32 | w >> 32; }

enum { DIFFERENCES_SHOWN = 10 };

/* Warns if the text says another instruction than the word. The word decides. */
static void text_differs(struct reader *r, const struct line *l, const char *why)
{
	struct srcloc at = r->loc;
	at.line = l->lineno;
	at.col = 1;
	if (++r->differ <= DIFFERENCES_SHOWN)
		diag_at(r->d, DIAG_WARNING, &at, "%s; the word counts", why);
}

static bool hex_word(struct reader *r, const struct line *l, const struct native_labels *labels,
		     struct ninst *in, bool warn, char *err, size_t nerr)
{
	enum native_isa isa = r->m->isa;
	/* old listings print the low word first, before the text */
	uint64_t w = l->digits > 8 && l->hex_first ? swap_words(l->hex) : l->hex;
	enum native_style st = isa == NATIVE_FERMI ? r->style : NSTYLE_CUDA4;
	struct ninst other;
	char second[200];
	if (!l->len) {
		if (native_decode(isa, w, l->pc, in))
			return true;
		snprintf(err, nerr, "unknown instruction word 0x%0*llx at 0x%04x", (int)l->digits,
			 (unsigned long long)w, l->pc);
		return false;
	}
	if (native_agrees(isa, l->text, l->len, l->pc, w, labels, st, in, err, nerr))
		return true;
	if (l->digits > 8 && native_agrees(isa, l->text, l->len, l->pc, swap_words(w), labels, st,
					   &other, second, sizeof(second))) {
		*in = other;
		return true;
	}
	if (!in->row)
		return false;
	if (warn)
		text_differs(r, l, err);
	return true;
}

static bool line_inst(struct reader *r, const struct line *l, const struct native_labels *labels,
		      struct ninst *in, bool warn, char *err, size_t nerr)
{
	if (l->has_hex) {
		if (!hex_word(r, l, labels, in, warn, err, nerr))
			return false;
		if (in->size * 2u == l->digits)
			return true;
		snprintf(err, nerr, "the word has %u digits, its instruction %u bytes", l->digits,
			 in->size);
		return false;
	}
	return native_assemble(r->m->isa, l->text, l->len, l->pc, labels,
			       r->m->isa == NATIVE_FERMI ? r->style
							 : native_default_style(r->m->isa),
			       in, err, nerr);
}

/* Settles the address width of LD_LDU, which toolkits print without .E: the function's other
 * accesses show the width. */
static void settle_ldldu(struct reader *r, struct nkernel *k)
{
	bool seen = false, wide = false;
	if (r->style == NSTYLE_FULL)
		return;
	for (size_t i = 0; i < k->ninst; i++) {
		unsigned op = k->inst[i].op;
		if (op == NI_LD || op == NI_ST || op == NI_LDU || op == NI_ATOM || op == NI_RED) {
			seen = true;
			wide |= k->inst[i].mod[NM_E];
		}
	}
	for (size_t i = 0; seen && i < k->ninst; i++)
		if (k->inst[i].op == NI_LD_LDU && !r->line.v[i].has_hex) {
			uint64_t w = k->inst[i].word & ~(3ull << 58);
			native_decode(NATIVE_FERMI, wide ? w | 3ull << 58 : w, k->inst[i].pc,
				      &k->inst[i]);
		}
}

/* True if a line without a word does not show whether a thread ends after the instruction. Only
 * the full style shows it. */
static bool hides_exit(const struct reader *r, const struct ninst *in)
{
	if (r->m->isa != NATIVE_TESLA || in->pop || in->exit || !(in->row->form & NRF_LONG))
		return false;
	return in->op == NI_NOP ||
	       (r->style != NSTYLE_FULL && native_op_class(in->op) != NCLASS_CONTROL);
}

/* Settles the EXIT of a Tesla kernel, which is a flag of its last instruction. An instruction that
 * cannot jump gets the flag: code that runs past a kernel's end ends there in any case. */
static void settle_exit(struct reader *r, struct nkernel *k)
{
	struct ninst *in = &k->inst[k->ninst - 1], ends;
	if (!r->line.v[k->ninst - 1].has_hex && hides_exit(r, in) &&
	    native_decode(NATIVE_TESLA, in->word | 1ull << 32, in->pc, &ends) && ends.exit)
		*in = ends;
}

static void store_code(struct nmodule *m, struct nkernel *k)
{
	k->code = arena_alloc(&m->arena, k->size ? k->size : 1);
	for (size_t i = 0; i < k->ninst; i++)
		for (unsigned b = 0; b < k->inst[i].size; b++)
			k->code[k->inst[i].pc + b] = (uint8_t)(k->inst[i].word >> (8 * b));
}

/* Guesses the instruction set of a listing without a `code for` line: the first one that the first
 * instruction fits. */
static void guess_isa(struct reader *r)
{
	struct ninst in;
	char err[160];
	const struct line *l = &r->line.v[0];
	if (r->arch_known)
		return;
	native_arch(r->m, 20);
	if (!line_inst(r, l, NULL, &in, false, err, sizeof(err))) {
		native_arch(r->m, 10);
		if (!line_inst(r, l, NULL, &in, false, err, sizeof(err)))
			native_arch(r->m, 20);
	}
	r->arch_known = true;
}

/* Assigns addresses first (labels need them), then assembles the words. */
static bool place_lines(struct reader *r, size_t *label_line)
{
	struct ninst in;
	char err[200] = "";
	uint32_t pc = 0;
	struct native_labels zero = {r->label.v, r->label.n};
	for (size_t i = 0; i < r->line.n; i++) {
		struct line *l = &r->line.v[i];
		for (size_t j = 0; j < r->label.n; j++)
			if (label_line[j] == i)
				r->label.v[j].addr = pc;
		l->pc = pc;
		if (l->has_addr && l->addr != pc) {
			sass_error(r, l->lineno, "address 0x%04x where 0x%04x is expected", l->addr,
				   pc);
			return false;
		}
		unsigned size = l->digits > 8 ? 8 : 4;
		if (!l->has_hex) {
			if (!line_inst(r, l, &zero, &in, false, err, sizeof(err))) {
				sass_error(r, l->lineno, "%s", err);
				return false;
			}
			size = in.size;
		}
		/* Long instructions sit at multiples of eight. */
		if (r->m->isa == NATIVE_TESLA && size == 8 && pc & 4) {
			sass_error(r, l->lineno,
				   "8-byte instruction at 0x%04x: short ones come in pairs", pc);
			return false;
		}
		pc += size;
	}
	for (size_t j = 0; j < r->label.n; j++)
		if (label_line[j] == r->line.n)
			r->label.v[j].addr = pc;
	return true;
}

static size_t *label_lines(struct reader *r)
{
	/* while lines are collected, a label's addr holds the index of the line that it precedes */
	size_t *v = xcalloc(r->label.n + 1, sizeof(*v));
	for (size_t j = 0; j < r->label.n; j++) {
		v[j] = r->label.v[j].addr;
		r->label.v[j].addr = 0;
	}
	return v;
}

static void guard_ignored(struct reader *r, const struct line *l, const struct ninst *in)
{
	struct srcloc at = r->loc;
	at.line = l->lineno;
	at.col = 1;
	diag_at(r->d, DIAG_WARNING, &at,
		"the machine ignores the guard of %s: all threads execute it",
		native_op_name(in->op));
}

/* Reports a Tesla texture fetch without operands: toolkits do not print them, so only the word or
 * the full style has them. */
static void operands_missing(struct reader *r, const struct line *l, const struct ninst *in)
{
	struct srcloc at = r->loc;
	at.line = l->lineno;
	at.col = 1;
	if (l->has_hex || !(in->row->form & NRF_BARE) || memchr(l->text, ',', l->len))
		return;
	diag_at(r->d, DIAG_WARNING, &at,
		"this text does not say the registers and the texture of %s: read as R0 and "
		"texture 0; the word beside it, or disasm's style full, would say them",
		native_op_name(in->op));
}

/* True if control can run past the last instruction of code that a tool printed (without the dots
 * after it). Only Tesla's words show where a thread ends. */
static bool runs_on(const struct reader *r, const struct nkernel *k)
{
	static const uint16_t leaves[] = {NI_EXIT, NI_BRA, NI_BRX,  NI_JMP,     NI_JMX,
					  NI_RET,  NI_BRK, NI_CONT, NI_LONGJMP, NI_RTT,
					  NI_BPT,  NI_CAL, NI_JCAL, NI_KIL};
	const struct ninst *in = &k->inst[k->ninst - 1];
	const struct line *l = &r->line.v[k->ninst - 1];
	if (!l->has_hex && (!l->has_addr || r->m->isa == NATIVE_TESLA))
		return false;
	if (in->isa == NATIVE_TESLA ? in->cc_test != 15 : in->guard != 7 || in->guard_neg)
		return true;
	for (unsigned i = 0; i < sizeof(leaves) / sizeof(*leaves); i++)
		if (in->op == leaves[i])
			return false;
	return !in->exit && !in->pop;
}

static void finish_function(struct reader *r)
{
	if (!r->kernel || r->failed)
		goto out;
	struct nkernel *k = &r->m->kernel.v[r->kernel - 1];
	if (!r->line.n) {
		sass_error(r, r->loc.line, "function %s has no instructions", k->name);
		goto out;
	}
	guess_isa(r);
	size_t *at = label_lines(r);
	bool ok = place_lines(r, at);
	free(at);
	if (!ok)
		goto out;
	struct native_labels labels = {r->label.v, r->label.n};
	k->inst = ARENA_ARRAY(&r->m->arena, struct ninst, r->line.n);
	k->source = ARENA_ARRAY(&r->m->arena, uint32_t, r->line.n);
	k->line = ARENA_ARRAY(&r->m->arena, uint32_t, r->line.n);
	for (size_t i = 0; i < r->line.n; i++) {
		char err[200] = "";
		k->source[i] = r->line.v[i].source;
		k->line[i] = r->line.v[i].lineno;
		if (!line_inst(r, &r->line.v[i], &labels, &k->inst[i], true, err, sizeof(err))) {
			sass_error(r, r->line.v[i].lineno, "%s", err);
			continue;
		}
		if (r->line.v[i].len && *r->line.v[i].text == '@' &&
		    native_ignores_guard(&k->inst[i]))
			guard_ignored(r, &r->line.v[i], &k->inst[i]);
		operands_missing(r, &r->line.v[i], &k->inst[i]);
		unsigned n = native_regs(&k->inst[i]);
		if (!k->regs_known && n > k->regs)
			k->regs = n;
		if (k->inst[i].mod[NM_E] && !r->m->addr_known)
			r->m->addr64 = true;
		k->size = k->inst[i].pc + k->inst[i].size;
		if (r->line.v[i].symbol)
			sass_want(r, arena_printf(&r->m->arena, ".text.%s", k->name),
				  (struct nreloc){.offset = k->inst[i].pc,
						  .symbol = r->line.v[i].symbol,
						  .type = r->line.v[i].wants});
	}
	if (r->failed)
		goto out;
	k->ninst = r->line.n;
	if (r->at_end && runs_on(r, k))
		sass_error(
			r, r->line.v[k->ninst - 1].lineno,
			"the listing ends here, but not the code of %s: the listing is truncated",
			k->name);
	settle_ldldu(r, k);
	settle_exit(r, k);
	store_code(r->m, k);
out:
	r->kernel = 0;
	r->line.n = r->label.n = 0;
	r->addr_pending = false;
}

/* ---- lines ---- */

static void begin_function(struct reader *r, const char *name)
{
	for (size_t i = 0; i < r->m->kernel.n; i++)
		if (!strcmp(r->m->kernel.v[i].name, name))
			sass_error(r, r->loc.line, "function %s is here twice", name);
	native_kernel_new(r->m, name);
	r->kernel = r->m->kernel.n;
}

static void open_function(struct reader *r, const char *s, const char *e)
{
	finish_function(r);
	sass_trim(&s, &e);
	begin_function(r, s < e ? arena_strndup(&r->m->arena, s, (size_t)(e - s)) : "kernel");
	r->source = 0;
	sass_dumped(r);
}

/* Starts the code of another architecture. Of a listing with code for several architectures, the
 * first known one is read; the others are skipped as further versions of one program. */
void sass_arch(struct reader *r, uint64_t sm)
{
	bool another = r->m->kernel.n && r->arch_known && sm != r->m->sm;
	if (another || !native_arch(r->m, sm > 99 ? 99 : (unsigned)sm)) {
		r->dump.part = PART_OTHER;
		r->other = (unsigned)sm;
		return;
	}
	r->arch_known = true;
}

/* Reads headers around and between functions. True if the line was a header. */
static bool read_header(struct reader *r, const char *s, const char *e)
{
	const char *p;
	if ((p = sass_find(s, e, "code for sm_")) || sass_starts(s, e, "arch = sm_") ||
	    sass_starts(s, e, ".target sm_")) {
		p = sass_find(s, e, "sm_") + 3;
		uint64_t sm;
		if (!sass_starts(s, e, ".target"))
			finish_function(r);
		if (!sass_number(&p, e, &sm))
			sass_error(r, r->loc.line, "code is neither for sm_1x nor for sm_2x");
		else
			sass_arch(r, sm);
		return true;
	}
	if (sass_starts(s, e, ".text.") && e[-1] == ':') { /* as nvdisasm writes it */
		open_function(r, s + 6, e - 1);
		return true;
	}
	if (sass_starts(s, e, "Function")) {
		p = memchr(s, ':', (size_t)(e - s));
		open_function(r, p ? p + 1 : s + 8, e);
		return true;
	}
	if (sass_starts(s, e, "..")) { /* a run of dots ends the function */
		finish_function(r);
		return true;
	}
	if (sass_starts(s, e, "Fatbin") || sass_starts(s, e, "===") ||
	    sass_starts(s, e, "code version") || sass_starts(s, e, "producer") ||
	    sass_starts(s, e, "host =") || sass_starts(s, e, "compile_size") ||
	    sass_starts(s, e, "identifier") || sass_starts(s, e, "//") ||
	    sass_starts(s, e, "has debug") || sass_starts(s, e, "member ") ||
	    sass_starts(s, e, "compressed") || *s == '#')
		return true;
	return *s == '.' && sass_directive(r, s, e);
}

/* Reads a comment: an address (hexadecimal digits) or a word (0x...). */
static void read_comment(const char *s, const char *e, struct line *l, bool text_seen)
{
	uint64_t v = 0;
	unsigned n = 0;
	sass_trim(&s, &e);
	bool hex = e - s > 2 && s[0] == '0' && s[1] == 'x';
	for (s += hex ? 2 : 0; s < e && isxdigit((unsigned char)*s); s++, n++)
		v = v << 4 |
		    (unsigned)(isdigit((unsigned char)*s) ? *s - '0' : (*s | 32) - 'a' + 10);
	if (s != e || !n)
		return;
	if (hex && (n == 8 || n == 16)) {
		l->has_hex = true;
		l->hex_first = !text_seen;
		l->hex = v;
		l->digits = n;
	} else if (hex && n > 8) {
		l->no_word = n;
	} else if (!hex && n >= 4 && n <= 8) {
		l->has_addr = true;
		l->addr = (uint32_t)v;
	}
}

/* Reads `NAME:` at the start of a line. */
static const char *read_label(struct reader *r, const char *s, const char *e)
{
	const char *p = s;
	while (p < e && (isalnum((unsigned char)*p) || *p == '_' || *p == '.' || *p == '$'))
		p++;
	if (p == s || p >= e || *p != ':' || isdigit((unsigned char)*s))
		return s;
	for (size_t i = 0; i < r->label.n; i++)
		if (r->label.v[i].len == (size_t)(p - s) &&
		    !memcmp(r->label.v[i].name, s, (size_t)(p - s)))
			sass_error(r, r->loc.line, "label %.*s is here twice", (int)(p - s), s);
	vec_push(&r->label, (struct native_label){s, (uint32_t)(p - s), (uint32_t)r->line.n});
	return p + 1;
}

bool sass_line(const char *s, const char *e, struct line *l)
{
	const char *text = NULL, *text_end = NULL;
	bool done = false;
	for (; s < e; s++) {
		if (sass_starts(s, e, "/*")) {
			const char *c = sass_find(s + 2, e, "*/");
			if (!c) {
				l->open = true;
				break;
			}
			if (text && !text_end)
				text_end = s;
			read_comment(s + 2, c, l, text != NULL);
			s = c + 1;
			continue;
		}
		if (sass_starts(s, e, "//"))
			break;
		if (*s == ';') {
			done = true;
			if (text && !text_end)
				text_end = s;
		} else if (!isspace((unsigned char)*s) && !done && !text) {
			text = s;
		}
	}
	if (text && !text_end)
		text_end = s;
	if (text)
		sass_trim(&text, &text_end);
	l->text = text;
	l->len = text ? (size_t)(text_end - text) : 0;
	return s == e;
}

static const char *labels_before(struct reader *r, const char *s, const char *e)
{
	for (const char *after; (after = read_label(r, s, e)) != s;)
		for (s = after; s < e && isspace((unsigned char)*s);)
			s++;
	return s;
}

static void instruction(struct reader *r, const char *s, const char *e)
{
	struct line l = {.lineno = r->loc.line, .source = r->source};
	if (!r->kernel)
		begin_function(r, "kernel");
	s = labels_before(r, s, e);
	sass_line(s, e, &l);
	if (l.open) {
		sass_error(r, l.lineno,
			   "the comment has no end on its line: is the listing truncated?");
		return;
	}
	if (l.no_word && !l.has_hex) {
		sass_error(r, l.lineno, "a word has 8 or 16 digits, this one %u", l.no_word);
		return;
	}
	if (l.text) {
		const char *end = l.text + l.len;
		l.text = labels_before(r, l.text, end);
		l.len = (size_t)(end - l.text);
	}
	if (r->addr_pending && !l.has_addr) {
		l.has_addr = true;
		l.addr = r->addr;
		r->addr_pending = false;
	}
	if (!l.len && !l.has_hex) { /* an address on a line of its own belongs to the next line */
		r->addr_pending = l.has_addr;
		r->addr = l.addr;
		return;
	}
	if (l.len)
		sass_symbol_opnd(r, &l);
	vec_push(&r->line, l);
}

/* Chooses the dialect of the file and adds a note if it is not the usual one. */
static void choose_dialect(struct reader *r, const char *s, size_t n)
{
	const char *why;
	if (r->m->dialect_known) {
		r->style = r->m->dialect;
		return;
	}
	r->style = sass_guess_dialect(s, n, &why);
	if (why)
		diag_at(r->d, DIAG_NOTE, &(struct srcloc){.file = r->loc.file},
			"read as text of CUDA %s (%s); --dialect says otherwise",
			native_style_name(r->style) + 4, why);
}

bool native_read_sass(struct nmodule *m, const char *file, const char *s, size_t n, struct diag *d)
{
	return sass_read(m, &(struct srcloc){.file = file, .text = s, .end = s + n}, NULL, s, n, d);
}

bool sass_read(struct nmodule *m, const struct srcloc *loc, const unsigned *lines, const char *s,
	       size_t n, struct diag *d)
{
	struct reader r = {.m = m, .d = d, .loc = *loc};
	const char *end = s + n;
	size_t line = 0;
	m->from_text = true;
	choose_dialect(&r, s, n);
	for (const char *p = s; p < end && !r.failed;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *e = nl ? nl : end, *a = p,
			   *b = e;
		r.loc.line = lines ? lines[line++] : r.loc.line + 1;
		sass_trim(&a, &b);
		if (memchr(a, 0, (size_t)(b - a)))
			sass_error(&r, r.loc.line, "not a text file");
		else if (a < b && !sass_other_part(&r, a, b) && !read_header(&r, a, b))
			instruction(&r, a, b);
		p = nl ? nl + 1 : end;
	}
	r.at_end = true;
	finish_function(&r);
	if (!r.failed && !m->kernel.n && r.other)
		sass_error(&r, r.loc.line, "code is for sm_%u, neither for sm_1x nor for sm_2x",
			   r.other);
	if (!r.failed && !m->kernel.n && !r.arch_known)
		sass_error(&r, r.loc.line, "no instructions found");
	native_guess_width(m);
	if (!r.failed)
		sass_link(&r);
	if (!r.failed && !m->kernel.n && m->function.n)
		sass_error(&r, r.loc.line, "functions, but no kernel");
	if (r.differ > DIFFERENCES_SHOWN)
		diag_at(d, DIAG_WARNING, &(struct srcloc){.file = loc->file},
			"%u texts in all say another instruction than their words", r.differ);
	vec_free(&r.line);
	vec_free(&r.label);
	vec_free(&r.want);
	vec_free(&r.fact);
	vec_free(&r.dump.table);
	vec_free(&r.dump.word);
	vec_free(&r.dump.param);
	return !r.failed;
}
