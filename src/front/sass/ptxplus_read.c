/* Turns PTXPlus into the text of a full listing, line by line, for the listing reader (sass.c). A
 * line's meaning is found by trying: every native instruction whose name prints like the line's is
 * assembled with every spelling of its operands and printed again; the first that prints the given
 * line is taken. So a text is read exactly as it would have been printed. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "front/sass/ptxplus.h"
#include "front/sass/sass.h"

enum { MOST_TOKENS = 14 };

struct plus {
	struct nmodule *m; /* the module to fill; its isa is set */
	struct diag *d;
	struct srcloc loc;
	FILE *out;
	VEC(unsigned) line; /* per line of `out`: its line number in the file */
	bool known;         /* true: the machine is known */
	bool open;          /* true: inside a kernel's braces */
	const char *kernel;
	uint32_t pc;
	VEC(uint32_t)
	filled; /* addresses of instructions whose 32 immediate bits a .reloc line fills */
	bool failed;
	char params_buf[4096];
	/* the current instruction */
	const char *text, *end;
	char guard[8];
	int cc_reg, cc_test, cc_write;
	char token[MOST_TOKENS][PTXPLUS_TOKEN];
	unsigned ntoken;
	bool fits; /* at least one native name matches the line */
	char native[1024];
	char why[200];
	struct ninst in;
};

static void report_error(struct plus *x, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void report_error(struct plus *x, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (!x->failed)
		diag_vat(x->d, DIAG_ERROR, &x->loc, fmt, ap);
	va_end(ap);
	x->failed = true;
}

/* ---- reading one instruction ---- */

/* True for the offset of a memory operand in the thesis's form: a register, and an offset if the
 * next operand is one. */
static bool is_offset(const char *s, unsigned op)
{
	uint64_t v;
	unsigned digits;
	const char *e = ptxplus_hex(s, &v, &digits);
	return e && !*e && (digits > 2 || op == NI_LDU);
}

static unsigned flat_operands(const struct plus *x, unsigned op, const char **to,
			      char merged[2][2 * PTXPLUS_TOKEN])
{
	unsigned n = 0, used = 0,
		 first = op == NI_ST || op == NI_STS || op == NI_STL ? 0
			 : op == NI_LD_LDU                           ? 2
								     : 1;
	unsigned last = op == NI_LD_LDU ? 3 : first;
	for (unsigned i = 0; i < x->ntoken; i++) {
		if (n < first || n > last || used == 2) {
			to[n++] = x->token[i];
			continue;
		}
		bool off = i + 1 < x->ntoken && is_offset(x->token[i + 1], op);
		snprintf(merged[used], sizeof(merged[used]), "[%s%s%s]", x->token[i],
			 off ? "+" : "", off ? x->token[i + 1] : "");
		to[n++] = merged[used++];
		i += off;
	}
	return n;
}

/* Compares two texts: blanks are ignored, numbers compare by value, and a label in the first
 * matches any target in the second. */
static bool same_text(const char *a, const char *ae, const char *b)
{
	const char *be = b + strlen(b), *e;
	uint64_t v, u;
	unsigned digits, other;
	char copy[1024];
	snprintf(copy, sizeof(copy), "%.*s", (int)(ae - a), a);
	for (a = copy;;) {
		while (isspace((unsigned char)*a) || *a == ';')
			a++;
		while (b < be && (isspace((unsigned char)*b) || *b == ';'))
			b++;
		if (!*a || b == be)
			return !*a && b == be;
		if ((e = ptxplus_hex(a, &v, &digits))) {
			a = e;
			if (!(b = ptxplus_hex(b, &u, &other)) || u != v ||
			    (!v && (digits == 2) != (other == 2)))
				return false; /* two digits name the zero register */
			continue;
		}
		if (!strncmp(b, "l0x", 3) || (isalpha((unsigned char)*a) && !strncmp(b, "0x", 2))) {
			while (isalnum((unsigned char)*a) || (*a && strchr("_.$", *a)))
				a++;
			b = ptxplus_hex(b + (*b == 'l'), &u, &digits);
			continue;
		}
		if (*a++ != *b++)
			return false;
	}
}

static bool gives_back(const struct plus *x, const struct ninst *in)
{
	char b[1024];
	for (int stack = 0; stack < 2; stack++) {
		native_ptxplus(in, x->kernel, stack, b, sizeof(b));
		if (same_text(x->text, x->end, b))
			return true;
	}
	return false;
}

/* Returns the address in a label's name, as printed labels have it. It is used only to check the
 * reading. */
static uint32_t label_address(const struct plus *x, const char *s)
{
	uint64_t v;
	unsigned digits;
	return *s == 'l' && ptxplus_hex(s + 1, &v, &digits) ? (uint32_t)v : x->pc;
}

static bool assemble_match(struct plus *x, const struct px_match *m, const char *const *operand,
			   unsigned n)
{
	struct text t = {x->native, 0, sizeof(x->native)};
	struct native_label label = {0};
	char err[200];
	bool tesla = x->m->isa == NATIVE_TESLA, test = x->cc_test >= 0;
	const char *name = test ? native_cc_name(NATIVE_TESLA, (unsigned)x->cc_test) : "";
	text_put(&t, "%s%s", x->guard, m->mnemonic);
	if (x->cc_write >= 0)
		text_put(&t, ".C%d", x->cc_write);
	text_put(&t, "%s%s%s", m->pop && !tesla ? ".S" : "",
		 m->row->form & NRF_SHORT ? ".SHORT" : "", m->exit ? ".EXIT" : "");
	if (test && m->row->form & NRF_TEST)
		text_put(&t, " C%d.%s%s", x->cc_reg, name, n ? "," : "");
	for (unsigned i = 0; i < n; i++) {
		text_put(&t, "%s%s", i ? ", " : " ", operand[i]);
		if (!i && test && !(m->row->form & NRF_TEST))
			text_put(&t, " (C%d.%s)", x->cc_reg, name);
		if (isalpha((unsigned char)operand[i][0]) || strchr("_.$", operand[i][0]))
			label = (struct native_label){operand[i], (uint32_t)strlen(operand[i]),
						      label_address(x, operand[i])};
	}
	if (!n && test && !(m->row->form & NRF_TEST))
		text_put(&t, " (C%d.%s)", x->cc_reg, name);
	struct native_labels labels = {&label, 1};
	for (int with = 0; with <= (label.name != NULL);
	     with++) /* operand words have priority over labels */
		if (native_assemble(x->m->isa, x->native, t.n, x->pc, with ? &labels : NULL,
				    NSTYLE_FULL, &x->in, err, sizeof(err)))
			return gives_back(x, &x->in);
	return false;
}

/* Tries all combinations of spellings; the last operand varies fastest. */
static bool try_ways(struct plus *x, const struct px_match *m, const struct px_ways *w, unsigned n,
		     unsigned i, const char **chosen)
{
	if (i == n)
		return assemble_match(x, m, chosen, n);
	for (unsigned k = 0; k < w[i].n; k++) {
		chosen[i] = w[i].v[k];
		if (try_ways(x, m, w, n, i + 1, chosen))
			return true;
	}
	return false;
}

/* Returns the position among the operands of the word operand that the name contains. */
static unsigned word_place(const struct px_match *m, enum native_isa isa)
{
	unsigned i = 0;
	while (i < ROW_OPS && m->row->ops[i] && !native_tab(isa)->opf[m->row->ops[i]].nwords)
		i++;
	return i;
}

/* True if a relocation fills all 32 bits of an immediate, so that only forms with a 32-bit
 * immediate fit. */
static bool must_be_wide(const struct plus *x)
{
	for (size_t i = 0; i < x->filled.n; i++)
		if (x->filled.v[i] == x->pc)
			return true;
	return false;
}

static bool take_reading(void *arg, const struct px_match *m)
{
	struct plus *x = arg;
	if (must_be_wide(x) && !strstr(m->mnemonic, "32I"))
		return false;
	struct px_ways w[MOST_TOKENS + 1];
	const char *token[MOST_TOKENS + 1], *chosen[MOST_TOKENS + 1];
	char merged[2][2 * PTXPLUS_TOKEN];
	unsigned n = x->ntoken;
	x->fits = true;
	if (x->m->isa == NATIVE_FERMI && ptxplus_flat(m->row->op))
		n = flat_operands(x, m->row->op, token, merged);
	else
		for (unsigned i = 0; i < n; i++)
			token[i] = x->token[i];
	if (n + (m->word != NULL) > NATIVE_MAX_OPS)
		return false;
	for (unsigned i = 0; i < n; i++) {
		ptxplus_operand(x->m->isa, token[i], m->row->op, &w[i]);
		if (!w[i].n)
			return false;
	}
	if (m->word) {
		unsigned at = word_place(m, x->m->isa);
		if (at > n)
			return false;
		memmove(&w[at + 1], &w[at], (n - at) * sizeof(*w));
		w[at].n = 0;
		ptxplus_way(&w[at], "%s", m->word);
		n++;
	}
	/* a barrier of all threads */
	if (x->m->isa == NATIVE_TESLA && m->row->op == NI_BAR && n == 1) {
		w[1].n = 0;
		ptxplus_way(&w[1], "0xfff");
		if (try_ways(x, m, w, 2, 0, chosen))
			return true;
	}
	return try_ways(x, m, w, n, 0, chosen);
}

/* ---- lines ---- */

static void emit_line(struct plus *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void emit_line(struct plus *x, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vfprintf(x->out, fmt, ap);
	va_end(ap);
	fputc('\n', x->out);
	vec_push(&x->line, x->loc.line);
}

static bool guard(struct plus *x, const char **s)
{
	unsigned r, k;
	const char *p = *s + 1, *e;
	bool neg = *p == '!';
	p += neg;
	if (!strncmp(p, "pt", 2) && x->m->isa == NATIVE_FERMI) {
		snprintf(x->guard, sizeof(x->guard), "@%spt ", neg ? "!" : "");
		*s = p + 2;
		return true;
	}
	if (strncmp(p, "$p", 2) || !(e = ptxplus_number(p + 2, &r)) || r > 7)
		return false;
	if (x->m->isa == NATIVE_FERMI) {
		snprintf(x->guard, sizeof(x->guard), "@%sP%u ", neg ? "!" : "", r & 7);
		*s = e;
		return true;
	}
	if (neg || *e++ != '.')
		return false;
	for (k = 0; k < 32; k++) {
		const char *name = native_cc_name(NATIVE_TESLA, k);
		size_t n = name ? strlen(name) : 0;
		if (n && !strncasecmp(e, name, n) && isspace((unsigned char)e[n])) {
			x->cc_reg = (int)r;
			x->cc_test = (int)k;
			*s = e + n;
			return true;
		}
	}
	return false;
}

/* Splits operands at commas outside brackets and removes blanks. */
static bool split_operands(struct plus *x, const char *s, const char *e)
{
	unsigned depth = 0, n = 0;
	x->ntoken = 0;
	for (; s < e; s++) {
		if (isspace((unsigned char)*s))
			continue;
		depth += *s == '{' || *s == '[';
		depth -= depth && (*s == '}' || *s == ']');
		if (*s == ',' && !depth) {
			if (!n)
				return false;
			x->token[x->ntoken++][n] = 0;
			n = 0;
			continue;
		}
		if (n + 1 >= PTXPLUS_TOKEN || x->ntoken + 1 >= MOST_TOKENS)
			return false;
		x->token[x->ntoken][n++] = *s;
	}
	if (n)
		x->token[x->ntoken++][n] = 0;
	return n || !x->ntoken;
}

/* Reads `$p0|` before the first operand: the instruction writes flags too. */
static void second_destination(struct plus *x)
{
	unsigned r;
	const char *e;
	if (!x->ntoken || strncmp(x->token[0], "$p", 2) ||
	    !(e = ptxplus_number(x->token[0] + 2, &r)) || *e != '|' || r > 3)
		return;
	x->cc_write = (int)r;
	memmove(x->token[0], e + 1, strlen(e + 1) + 1);
	if (!x->token[0][0])
		x->ntoken = 0;
}

static bool refuse_line(struct plus *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool refuse_line(struct plus *x, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(x->why, sizeof(x->why), fmt, ap);
	va_end(ap);
	return false;
}

/* Replaces spellings of other tools: .join by .s, .ff64 by .f64 of a pair. */
static void respell_line(char *line)
{
	char *p = strstr(line, ".ff64");
	if (p)
		memmove(p + 1, p + 2, strlen(p + 2) + 1);
	if ((p = strstr(line, ".join"))) {
		p[1] = 's';
		memmove(p + 2, p + 5, strlen(p + 5) + 1);
	}
}

/* Reads one line into x->native and x->in. On failure, sets x->why and returns false. */
static bool read_one(struct plus *x, const char *s, const char *e)
{
	char line[1024];
	if (e == s || e[-1] != ';')
		return refuse_line(x, "';' is expected at the end of the instruction");
	if ((size_t)(e - s) >= sizeof(line) || memchr(s, ';', (size_t)(e - 1 - s)))
		return refuse_line(x, "one instruction a line is expected");
	memcpy(line, s, (size_t)(e - s));
	line[e - s] = 0;
	respell_line(line);
	x->text = line;
	x->end = line + strlen(line);
	x->guard[0] = 0;
	x->cc_test = x->cc_write = -1;
	x->fits = false;
	const char *at = line;
	if (*at == '@' && !guard(x, &at))
		return refuse_line(x,
				   x->m->isa == NATIVE_FERMI
					   ? "a guard '@$p0' or '@!$p0' is expected"
					   : "a guard '@$p0.TEST' is expected, TEST as ne or lt");
	while (isspace((unsigned char)*at))
		at++;
	const char *name = at;
	while (isalnum((unsigned char)*at) || *at == '.' || *at == '_')
		at++;
	int len = (int)(at - name), shown = len > 60 ? 60 : len;
	if (!len)
		return refuse_line(x, "the name of an instruction is expected");
	if (!split_operands(x, at, x->end - 1))
		return refuse_line(x, "operands are expected between the commas");
	if (x->m->isa == NATIVE_TESLA)
		second_destination(x);
	if (ptxplus_readings(x->m->isa, name, (size_t)len, take_reading, x))
		return true;
	return refuse_line(
		x, x->fits ? "the operands do not fit sm_%u's '%.*s'" : "sm_%u has no '%.*s'",
		x->m->sm, shown, name);
}

static void instruction(struct plus *x, const char *s, const char *e)
{
	if (!x->known) {
		report_error(x, "'.target sm_13' or 'sm_20' is expected before code");
	} else if (read_one(x, s, e)) {
		x->pc += x->in.size;
		emit_line(x, "\t%s;", x->native);
	} else {
		report_error(x, "%s", x->why);
	}
}

bool native_ptxplus_assemble(enum native_isa isa, const char *text, size_t len, const char *kernel,
			     uint32_t pc, struct ninst *out, char *err, size_t nerr)
{
	struct nmodule m = {.isa = isa, .sm = isa == NATIVE_FERMI ? 20 : 13};
	struct plus x = {.m = &m, .kernel = kernel, .pc = pc};
	bool ok = read_one(&x, text, text + len);
	*out = x.in;
	if (!ok)
		snprintf(err, nerr, "%s", x.why);
	return ok;
}

/* Turns PTX parameters, each at its natural alignment, into the listing's .params. */
static void entry_params(struct plus *x, const char *s, const char *e)
{
	uint32_t at = 0;
	while (s < e && *s != '.')
		s++;
	struct text t = {x->params_buf, 0, sizeof(x->params_buf)};
	for (const char *p = s; p < e;) {
		const char *comma = memchr(p, ',', (size_t)(e - p)), *end = comma ? comma : e;
		unsigned bits_ = 0, count = 1;
		for (const char *q = p; q + 3 < end; q++)
			if (*q == '.' && strchr("usbf", q[1]) && ptxplus_number(q + 2, &bits_))
				break;
		const char *array = memchr(p, '[', (size_t)(end - p));
		if (array && !ptxplus_number(array + 1, &count))
			count = 0;
		if (strncmp(p, ".param", 6) || bits_ < 8 || bits_ > 64 || bits_ % 8 || !count) {
			report_error(x, "a parameter '.param .u32 NAME' is expected");
			return;
		}
		at = (at + bits_ / 8 - 1) / (bits_ / 8) * (bits_ / 8);
		text_put(&t, " 0x%x:%u", at, bits_ / 8 * count);
		at += bits_ / 8 * count;
		for (p = comma ? comma + 1 : e; p < e && isspace((unsigned char)*p);)
			p++;
	}
	if (t.n)
		emit_line(x, "\t.params%s", x->params_buf);
}

static void entry(struct plus *x, const char *s, const char *e)
{
	while (s < e && !isspace((unsigned char)*s))
		s++;
	sass_trim(&s, &e);
	const char *end = s;
	while (end < e && !isspace((unsigned char)*end) && *end != '(' && *end != '{')
		end++;
	if (end == s) {
		report_error(x, "the name of a kernel is expected");
		return;
	}
	if (x->open)
		report_error(x, "'}' is expected after the code of %s", x->kernel);
	x->open = true;
	x->kernel = arena_strndup(&x->m->arena, s, (size_t)(end - s));
	x->pc = 0;
	x->filled.n = 0;
	emit_line(x, "\tFunction : %s", x->kernel);
	const char *open = memchr(end, '(', (size_t)(e - end)),
		   *close = open ? memchr(open, ')', (size_t)(e - open)) : NULL;
	if (open && !close)
		report_error(x, "')' is expected in the line of the '('");
	else if (open)
		entry_params(x, open + 1, close);
}

/* Reads a `.target` line, which may be the last of a text that has no terminating zero. */
static void read_target(struct plus *x, const char *s, const char *e)
{
	const char *p = sass_find(s, e, "sm_");
	unsigned sm = 0;
	for (p = p ? p + 3 : e; p < e && isdigit((unsigned char)*p) && sm < 1000; p++)
		sm = 10 * sm + (unsigned)(*p - '0');
	if (!native_arch(x->m, sm)) {
		report_error(x, "'.target sm_10' to 'sm_13', 'sm_20' or 'sm_21' is expected");
		return;
	}
	x->known = true;
	emit_line(x, "\tcode for sm_%u", sm);
}

static bool is(const char *s, const char *e, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(e - s) >= n && !memcmp(s, word, n) &&
	       ((size_t)(e - s) == n || isspace((unsigned char)s[n]));
}

/* Copies directives of listings unchanged. `.reloc SECTION OFFSET R_..._26 SYMBOL` changes the bits
 * of an instruction from 26 on, which are Fermi's 32-bit immediates. */
static void read_directive(struct plus *x, const char *s, const char *e)
{
	char line[PTXPLUS_TOKEN], type[64];
	unsigned offset;
	emit_line(x, "\t%.*s", (int)(e - s), s);
	snprintf(line, sizeof(line), "%.*s", (int)(e - s), s);
	if (sscanf(line, ".reloc %*s %x %63s", &offset, type) == 2 && strstr(type, "_26"))
		vec_push(&x->filled, offset);
}

static void one_line(struct plus *x, const char *s, const char *e)
{
	const char *comment = sass_find(s, e, "//");
	e = comment ? comment : e;
	sass_trim(&s, &e);
	for (const char *p = s; p < e; p = s) { /* labels */
		while (p < e && (isalnum((unsigned char)*p) || strchr("_.$", *p)))
			p++;
		if (p == s || p == e || *p != ':')
			break;
		emit_line(x, "%.*s:", (int)(p - s), s);
		for (s = p + 1; s < e && isspace((unsigned char)*s);)
			s++;
	}
	if (s == e || (e - s == 1 && *s == '{'))
		return;
	if (e - s == 1 && *s == '}') {
		x->open = false;
		emit_line(x, "\t\t...............................");
	} else if (is(s, e, ".version") || is(s, e, ".reg")) {
		return;
	} else if (is(s, e, ".target")) {
		read_target(x, s, e);
	} else if (is(s, e, ".entry") || is(s, e, ".func")) {
		entry(x, s, e);
	} else if (*s == '.') {
		read_directive(x, s, e);
	} else {
		instruction(x, s, e);
	}
}

bool native_looks_ptxplus(const char *s, size_t n)
{
	const char *e = s + n, *nl;
	for (; s < e; s = nl < e ? nl + 1 : e) {
		nl = memchr(s, '\n', (size_t)(e - s));
		nl = nl ? nl : e;
		const char *a = s, *b = nl;
		sass_trim(&a, &b);
		if (a == b || sass_starts(a, b, "//"))
			continue;
		return sass_starts(a, b, ".version") && b[-1] == '+';
	}
	return false;
}

bool native_read_ptxplus(struct nmodule *m, const char *file, const char *s, size_t n,
			 struct diag *d)
{
	char *text = NULL;
	size_t size = 0;
	struct plus *x = xcalloc(1, sizeof(*x));
	*x = (struct plus){.m = m,
			   .d = d,
			   .loc = {.file = file, .text = s, .end = s + n, .col = 1},
			   .kernel = ""};
	x->out = open_memstream(&text, &size);
	const char *end = s + n;
	for (const char *p = s; x->out && p < end && !x->failed;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *e = nl ? nl : end;
		x->loc.line++;
		if (memchr(p, 0, (size_t)(e - p)))
			report_error(x, "not a text file");
		else
			one_line(x, p, e);
		p = nl ? nl + 1 : end;
	}
	if (x->open && !x->failed)
		report_error(x, "the text ends here, but '}' is expected after the code of %s",
			     x->kernel);
	bool ok = x->out && !x->failed;
	if (x->out)
		fclose(x->out);
	m->dialect_known = true;
	m->dialect = NSTYLE_FULL;
	x->loc.line = 0;
	ok = ok && sass_read(m, &x->loc, x->line.v, text, size, d);
	free(text);
	vec_free(&x->line);
	vec_free(&x->filled);
	free(x);
	return ok;
}
