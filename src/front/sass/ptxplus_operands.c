/* Finds all native spellings of a PTXPlus operand. Several may exist: a field holds equal bits as a
 * signed integer, an unsigned integer or a float, and offsets count in units of the access.
 * ptxplus_read.c tries which of the spellings the instruction takes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "front/sass/ptxplus.h"

void ptxplus_way(struct px_ways *w, const char *fmt, ...)
{
	va_list ap;
	if (w->n == PTXPLUS_WAYS)
		return;
	va_start(ap, fmt);
	vsnprintf(w->v[w->n++], PTXPLUS_TOKEN, fmt, ap);
	va_end(ap);
}

static bool begins(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

const char *ptxplus_hex(const char *s, uint64_t *v, unsigned *digits)
{
	char *e;
	if (s[0] != '0' || s[1] != 'x' || !isxdigit((unsigned char)s[2]))
		return NULL;
	*v = strtoull(s + 2, &e, 16);
	*digits = (unsigned)(e - s) - 2;
	return *digits > 16 ? NULL : e;
}

const char *ptxplus_number(const char *s, unsigned *v)
{
	char *e;
	if (!isdigit((unsigned char)*s))
		return NULL;
	unsigned long n = strtoul(s, &e, 10);
	*v = n > 9999 ? 9999 : (unsigned)n;
	return e;
}

static void copy_upper(char *to, const char *s)
{
	size_t i = 0;
	for (; s[i] && i + 1 < PTXPLUS_TOKEN; i++)
		to[i] = (char)toupper((unsigned char)s[i]);
	to[i] = 0;
}

static void register_way(enum native_isa isa, const char *s, struct px_ways *w)
{
	unsigned r;
	char rest[PTXPLUS_TOKEN];
	const char *e = ptxplus_number(s, &r);
	if (!e)
		return;
	copy_upper(rest, e);
	if (isa == NATIVE_TESLA && (!strcmp(rest, ".LO") || !strcmp(rest, ".HI")))
		ptxplus_way(w, "R%u%c", r, rest[1]);
	else
		ptxplus_way(w, "R%u%s", r, rest);
}

/* The contents of brackets: an optional register and an offset. read_brackets() returns the
 * position after the closing bracket; NULL: the text has another form. */
struct brackets {
	int reg, ofs; /* -1: none */
	bool postinc, based;
	uint64_t off;
};

static const char *read_brackets(const char *s, struct brackets *in)
{
	unsigned r, digits;
	*in = (struct brackets){-1, -1, false, false, 0};
	if (begins(s, "$r") || begins(s, "$ofs")) {
		bool ofs = s[1] == 'o';
		if (!(s = ptxplus_number(s + (ofs ? 4 : 2), &r)))
			return NULL;
		*(ofs ? &in->ofs : &in->reg) = (int)r;
		in->based = true;
	} else if (begins(s, "0x00+") || begins(s, "0x00]")) {
		in->based = true; /* based on the zero register */
		s += 4;
	}
	if (in->based) {
		if (*s == ']')
			return s + 1;
		if (*s++ != '+')
			return NULL;
		if (*s == '=') {
			in->postinc = true;
			s++;
		}
	}
	s = ptxplus_hex(s, &in->off, &digits);
	return s && *s == ']' ? s + 1 : NULL;
}

static void print_offset(char *to, size_t n, uint64_t off)
{
	int32_t v = (int32_t)(uint32_t)off;
	snprintf(to, n, v < 0 ? "-0x%x" : "0x%x", v < 0 ? 0u - (unsigned)v : (unsigned)v);
}

/* Writes Fermi's [...]. Offsets from the zero register have no sign. */
static void fermi_brackets(const char *before, const struct brackets *in, const char *suffix,
			   struct px_ways *w)
{
	char off[24], part[PTXPLUS_TOKEN];
	print_offset(off, sizeof(off), in->off);
	copy_upper(part, suffix);
	if (in->reg >= 0 && in->off)
		ptxplus_way(w, "%s[R%d+%s]%s", before, in->reg, off, part);
	else if (in->reg >= 0)
		ptxplus_way(w, "%s[R%d]%s", before, in->reg, part);
	else {
		ptxplus_way(w, "%s[%s]%s", before, off, part);
		if ((int32_t)in->off < 0) {
			ptxplus_way(w, "%s[0x%x]%s", before, (unsigned)in->off, part);
			ptxplus_way(w, "%s[0x%x]%s", before, (unsigned)in->off & 0xffffff, part);
			ptxplus_way(w, "%s[0x%x]%s", before, (unsigned)in->off & 0xfffff, part);
		}
	}
}

/* Writes Tesla's [...]. Its offsets count in units of the access, which the suffix or the
 * instruction gives. */
static void tesla_brackets(const char *before, const struct brackets *in, const char *suffix,
			   struct px_ways *w)
{
	char type[PTXPLUS_TOKEN], base[16] = "";
	copy_upper(type, suffix);
	if (in->ofs >= 0)
		snprintf(base, sizeof(base), in->postinc ? "A%d+++" : "A%d+", in->ofs);
	for (unsigned unit = 4; unit; unit /= 2)
		if (in->off % unit == 0)
			ptxplus_way(w, "%s[%s0x%x]%s", before, base, (unsigned)(in->off / unit),
				    type);
}

static void constant_ways(enum native_isa isa, const char *s, struct px_ways *w)
{
	struct brackets in;
	unsigned bank;
	char before[24];
	const char *e = ptxplus_number(s + 8, &bank), *open = strchr(s, '[');
	if (!e || !open)
		return;
	if (open != e) /* the bank of one kernel */
		bank = isa == NATIVE_FERMI ? 16 : 1;
	snprintf(before, sizeof(before), "c [0x%x] ", bank);
	e = read_brackets(open + 1, &in);
	if (!e)
		return;
	if (isa == NATIVE_TESLA) {
		tesla_brackets(before, &in, e, w);
		return;
	}
	fermi_brackets(before, &in, e, w);
}

static void parameter_ways(const char *s, struct px_ways *w)
{
	struct brackets in;
	char part[PTXPLUS_TOKEN];
	const char *e = read_brackets(s + 2, &in);
	if (!e)
		return;
	in.off = (uint32_t)(in.off + 0x10);
	copy_upper(part, e);
	char off[24];
	print_offset(off, sizeof(off), in.off);
	ptxplus_way(w, "c [0x0] [%s]%s", off, part);
}

static void special_ways(enum native_isa isa, const char *s, unsigned op, struct px_ways *w)
{
	char name[40];
	bool fermi = isa == NATIVE_FERMI;
	for (unsigned n = 0; op == NI_S2R && n < 256; n++) {
		struct text t = {name, 0, sizeof(name)};
		ptxplus_sreg(&t, isa, n);
		if (!strcmp(name, s))
			ptxplus_way(w, "SR%u", n);
	}
	for (unsigned place = 0; op != NI_S2R && place < 0x20; place += 2) {
		const char *shape = ptxplus_shape(isa, place);
		if (shape && !strcmp(shape, s))
			ptxplus_way(w, fermi ? "c [0x0] [0x%x]" : "g [0x%x].U16",
				    fermi ? place : place / 2);
	}
}

static void memory_ways(enum native_isa isa, const char *s, struct px_ways *w)
{
	struct brackets in;
	unsigned space = 14;
	const char *open = strchr(s, '['), *e = read_brackets(open + 1, &in);
	if (!e)
		return;
	if (isa == NATIVE_FERMI)
		fermi_brackets("", &in, e, w);
	else if (*s == 's' || *s == 'l')
		tesla_brackets(*s == 's' ? "g " : "local ", &in, e, w);
	else if (in.reg >= 0 && !in.off && (!*e || (*e == '.' && ptxplus_number(e + 1, &space))))
		ptxplus_way(w, "global%u[R%d]", space, in.reg);
}

/* Writes a number as a signed integer, an unsigned integer, and a float by its upper bits: a field
 * can hold any of them. */
static void number_ways(enum native_isa isa, const char *s, unsigned op, bool neg, bool abs,
			bool inv, struct px_ways *w)
{
	uint64_t v;
	unsigned digits;
	char part[PTXPLUS_TOKEN], after[PTXPLUS_TOKEN + 16];
	const char *e = ptxplus_hex(s, &v, &digits);
	bool tesla = isa == NATIVE_TESLA;
	if (!e)
		return;
	copy_upper(part, e);
	snprintf(after, sizeof(after), "%s%s%s%s", abs ? ".ABS" : "", neg ? ".NEG" : "",
		 inv ? ".INV" : "", part);
	if (!tesla && digits == 2 && !v)
		ptxplus_way(w, "%s%s%sRZ%s%s", neg ? "-" : "", inv ? "~" : "", abs ? "|" : "", part,
			    abs ? "|" : "");
	if (tesla && op == NI_BAR)
		ptxplus_way(w, "b%llu", (unsigned long long)v);
	if (tesla && neg)
		ptxplus_way(w, "-0x%llx", (unsigned long long)v);
	ptxplus_way(w, "0x%llx%s", (unsigned long long)v, after);
	if (v >> 31 == 1)
		ptxplus_way(w, "-0x%llx%s", (unsigned long long)(0x100000000ull - v), after);
	if (!tesla && !(v & 0xfff))
		ptxplus_way(w, "0x%llx%s", (unsigned long long)(v >> 12), after);
	if (!tesla && digits > 8)
		ptxplus_way(w, "0x%llx%s", (unsigned long long)(v >> 44), after);
}

static bool special_word(const char *s)
{
	return !strcmp(s, "pt") || !strcmp(s, "pr") || begins(s, "cc");
}

static void body_ways(enum native_isa isa, const char *s, unsigned op, struct px_ways *w)
{
	bool tesla = isa == NATIVE_TESLA;
	unsigned n;
	char up[PTXPLUS_TOKEN];
	if (begins(s, "$r"))
		register_way(isa, s + 2, w);
	else if (begins(s, "{$r")) {
		register_way(isa, s + 3, w);
		if (w->n)
			w->v[0][strcspn(w->v[0], ",}")] = 0;
	} else if (begins(s, "$ofs") && ptxplus_number(s + 4, &n))
		ptxplus_way(w, "A%u", n);
	else if (begins(s, "$o") && ptxplus_number(s + 2, &n))
		ptxplus_way(w, "o [0x%x]", n);
	else if (begins(s, "$p")) {
		copy_upper(up, s + 2);
		ptxplus_way(w, tesla ? "C%s" : "P%s", up);
	} else if (begins(s, "k["))
		parameter_ways(s, w);
	else if (*s == '%')
		special_ways(isa, s, op, w);
	else if (begins(s, "constant") && strchr(s, '['))
		constant_ways(isa, s, w);
	else if (*s == '[' || begins(s, "s[") || begins(s, "l["))
		memory_ways(isa, s, w);
	else if (isalnum((unsigned char)*s) || *s == '_' || *s == '.' || *s == '$') {
		copy_upper(up, s);
		ptxplus_way(w, "%s",
			    special_word(s) && strcmp(s, "pt") ? up
							       : s); /* a label keeps its case */
		ptxplus_way(w, "%s", up);
	}
}

void ptxplus_operand(enum native_isa isa, const char *s, unsigned op, struct px_ways *w)
{
	bool bang = *s == '!', neg = *s == '-';
	s += bang || neg;
	bool inv = *s == '~';
	s += inv;
	bool abs = *s == '|';
	s += abs;
	char body[PTXPLUS_TOKEN];
	snprintf(body, sizeof(body), "%s", s);
	size_t n = strlen(body);
	if (abs && n && body[n - 1] == '|')
		body[n - 1] = 0;
	uint64_t v;
	unsigned digits;
	w->n = 0;
	if (ptxplus_hex(body, &v, &digits)) {
		number_ways(isa, body, op, neg, abs, inv, w);
		return;
	}
	body_ways(isa, body, op, w);
	for (unsigned i = 0; i < w->n; i++) {
		char with[PTXPLUS_TOKEN];
		bool shared = abs && begins(w->v[i], "g ");
		snprintf(with, sizeof(with), "%s%s%s%.300s%s",
			 bang  ? "!"
			 : neg ? "-"
			       : "",
			 inv ? "~" : "",
			 shared ? "|g|"
			 : abs  ? "|"
				: "",
			 w->v[i] + (shared ? 1 : 0), abs && !shared ? "|" : "");
		memcpy(w->v[i], with, sizeof(with));
	}
}
