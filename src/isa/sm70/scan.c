#include "isa/sm70/scan.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void scan_blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
}

bool scan_text(struct scan *s, const char *text)
{
	size_t n = strlen(text);
	scan_blanks(s);
	if ((size_t)(s->end - s->p) < n || memcmp(s->p, text, n) != 0)
		return false;
	s->p += n;
	return true;
}

bool scan_char(struct scan *s, char c) { return scan_text(s, (char[]){c, 0}); }

static bool part_of_word(const struct scan *s)
{
	return s->p < s->end && (isalnum((unsigned char)*s->p) || *s->p == '_');
}

bool scan_integer(struct scan *s, int64_t *v)
{
	const char *start = s->p;
	uint64_t n = 0;
	bool minus = scan_char(s, '-');
	unsigned base = scan_text(s, "0x") ? 16 : 10, digits = 0;
	for (; s->p < s->end && isxdigit((unsigned char)*s->p); s->p++, digits++) {
		unsigned d = isdigit((unsigned char)*s->p)
				     ? (unsigned)(*s->p - '0')
				     : (unsigned)(tolower((unsigned char)*s->p) - 'a' + 10);
		if (d >= base || n > (UINT64_MAX - d) / base)
			break;
		n = n * base + d;
	}
	if (!digits || part_of_word(s)) {
		s->p = start;
		return false;
	}
	*v = (int64_t)(minus ? -n : n);
	return true;
}

/* `prefix` and a number below `limit`, or `prefix` and `last` for `all`. */
static bool scan_numbered(struct scan *s, const char *prefix, const char *last, unsigned all,
			  unsigned limit, uint16_t *r)
{
	const char *start = s->p;
	unsigned n = 0, digits = 0;
	if (!scan_text(s, prefix))
		return false;
	if (last && (size_t)(s->end - s->p) >= strlen(last) && !memcmp(s->p, last, strlen(last))) {
		s->p += strlen(last);
		n = all;
		digits = 1;
	} else {
		for (; s->p < s->end && isdigit((unsigned char)*s->p) && digits < 4; digits++)
			n = n * 10 + (unsigned)(*s->p++ - '0');
		digits = n < limit ? digits : 0;
	}
	if (!digits || part_of_word(s)) {
		s->p = start;
		return false;
	}
	*r = (uint16_t)n;
	return true;
}

bool scan_gpr(struct scan *s, uint16_t *r) { return scan_numbered(s, "R", "Z", SM70_RZ, 255, r); }

bool scan_ureg(struct scan *s, uint16_t *r)
{
	return scan_numbered(s, "UR", "Z", SM70_URZ, (1u << ureg_bits(s->sm)) - 1, r);
}

bool scan_predicate(struct scan *s, bool uniform, uint16_t *r)
{
	return scan_numbered(s, uniform ? "UP" : "P", "T", SM70_PT, 7, r);
}

bool scan_word(struct scan *s, const struct sm70_list *l, unsigned width, unsigned *code)
{
	const char *start = s->p, *best = NULL;
	if (s->p == s->end || *s->p != '.')
		return false;
	s->p++;
	const char *word = s->p;
	for (unsigned i = 0; i < l->n; i++) {
		if (l->word[i] == SM70_W_NONE || l->word[i] >= W_BAD)
			continue;
		const char *t = sm70_word_text(l->word[i]);
		s->p = word;
		if ((best && strlen(t) <= (size_t)(best - word)) || !scan_text(s, t) ||
		    part_of_word(s))
			continue;
		best = s->p;
		*code = i;
	}
	uint16_t n;
	s->p = word;
	if (!best && scan_numbered(s, l->question ? "???" : "INVALID", NULL, 0, 1u << width, &n) &&
	    (n >= l->n || l->word[n] == W_MISSING)) {
		*code = n;
		return true;
	}
	s->p = best ? best : start;
	return best;
}

/* A decimal number, or INF, QNAN, SNAN with a sign. */
static bool scan_real(struct scan *s, double *v, float *f)
{
	char text[64], *e;
	size_t n = 0;
	scan_blanks(s);
	const char *p = s->p;
	while (p < s->end && n < sizeof text - 1 &&
	       (isalnum((unsigned char)*p) || strchr("+-.", *p)))
		text[n++] = *p++;
	text[n] = 0;
	bool minus = text[0] == '-';
	const char *body = text + (minus || text[0] == '+');
	if (!strcmp(body, "INF") || !strcmp(body, "QNAN") || !strcmp(body, "SNAN")) {
		*v = *body == 'I' ? INFINITY : NAN;
		*v = copysign(*v, minus ? -1 : 1);
		*f = copysignf(*body == 'I' ? INFINITY : NAN, minus ? -1 : 1);
		if (*body == 'S') {
			uint64_t bits = (uint64_t)(minus ? 0xfff00001 : 0x7ff00001) << 32;
			memcpy(v, &bits, sizeof bits);
		}
		s->p = p;
		return true;
	}
	if (!isdigit((unsigned char)*body) ||
	    (body[0] == '0' && tolower((unsigned char)body[1]) == 'x'))
		return false;
	*v = strtod(text, &e);
	*f = strtof(text, NULL);
	if (*e)
		return false;
	s->p = p;
	return true;
}

static uint32_t bits_of_float(float f)
{
	uint32_t b;
	memcpy(&b, &f, sizeof b);
	return b;
}

/* The half-precision bits of a value that is exact as a half; other values lose bits, which the
 * assembler's check detects. */
static uint32_t bits_of_half(double v)
{
	uint32_t sign = signbit(v) ? 0x8000 : 0;
	int e;
	v = fabs(v);
	if (isnan(v))
		return sign | 0x7e00;
	if (isinf(v) || v > 65504)
		return sign | 0x7c00;
	if (v < ldexp(1, -14))
		return sign | (uint32_t)ldexp(v, 24);
	double m = frexp(v, &e); /* v = m * 2^e, m in [0.5, 1) */
	return sign | (uint32_t)(e + 14) << 10 | ((uint32_t)ldexp(m, 11) & 1023);
}

static bool scan_immediate(struct scan *s, unsigned type, struct sm70_operand *o)
{
	const char *start = s->p;
	double v;
	float f;
	int64_t n;
	bool half = type == SM70_I_F16X2 || type == SM70_I_F16,
	     two = type == SM70_I_F16X2 || type == SM70_I_BF16X2;
	o->kind = SM70_K_IMM;
	o->type = (uint8_t)type;
	if (type == SM70_I_HEX || type == SM70_I_SHEX) {
		if (!scan_integer(s, &n))
			return false;
		o->imm = (uint64_t)n;
		return true;
	}
	if (!scan_real(s, &v, &f))
		return false;
	if (type == SM70_I_F32)
		o->imm = bits_of_float(f);
	else if (type == SM70_I_F64)
		memcpy(&o->imm, &v, sizeof v);
	else
		o->imm = half ? bits_of_half(v) : bits_of_float(f) >> 16;
	if (two) {
		if (!scan_char(s, ',') || !scan_real(s, &v, &f)) {
			s->p = start;
			return false;
		}
		o->imm = o->imm << 16 | (half ? bits_of_half(v) : bits_of_float(f) >> 16);
	}
	return true;
}

/* [R4.64+UR5+0x10], with desc[UR6] before it. */
static bool scan_address(struct scan *s, struct sm70_operand *o)
{
	static const uint16_t scales[] = {SM70_W__64, SM70_W_U32, SM70_W_X4, SM70_W_X8, SM70_W_X16};
	const char *start = s->p;
	o->kind = SM70_K_MEM;
	o->reg = o->ureg = o->desc = SM70_NOREG;
	if (scan_text(s, "desc[")) {
		if (!scan_ureg(s, &o->desc) || !scan_char(s, ']'))
			goto no;
		const char *behind = s->p;
		if (!scan_char(s, '[')) {
			s->p = behind;
			return true;
		}
	} else if (!scan_char(s, '[')) {
		goto no;
	}
	bool more = true;
	if (scan_gpr(s, &o->reg)) {
		for (unsigned i = 0; i < sizeof scales / sizeof *scales; i++) {
			char t[8];
			snprintf(t, sizeof t, ".%s", sm70_word_text(scales[i]));
			if (scan_text(s, t))
				o->scale = scales[i];
		}
		more = scan_char(s, '+');
	}
	if (more && scan_ureg(s, &o->ureg))
		more = scan_char(s, '+');
	if (more && !scan_integer(s, &o->off))
		goto no;
	if (scan_char(s, ']'))
		return true;
no:
	s->p = start;
	return false;
}

/* c[0x0][R1+0x160], cx[UR4][0x20] */
static bool scan_constant(struct scan *s, struct sm70_operand *o)
{
	const char *start = s->p;
	int64_t bank = 0;
	o->kind = SM70_K_CONST;
	o->reg = o->ureg = o->desc = SM70_NOREG;
	bool ok = scan_text(s, "cx[") ? scan_ureg(s, &o->desc)
				      : scan_text(s, "c[") && scan_integer(s, &bank);
	ok = ok && bank >= 0 && bank < 32 && scan_char(s, ']') && scan_char(s, '[');
	o->bank = (uint8_t)bank;
	bool more = true;
	if (ok && (scan_gpr(s, &o->reg) || scan_ureg(s, &o->ureg)))
		more = scan_char(s, '+');
	ok = ok && (!more || scan_integer(s, &o->off)) && scan_char(s, ']');
	if (!ok)
		s->p = start;
	return ok;
}

/* A register or constant with its signs and .reuse. */
static bool scan_register(struct scan *s, const struct sm70_item *it, enum flex fx,
			  struct sm70_operand *o)
{
	const char *start = s->p;
	bool ok;
	o->neg = scan_char(s, '-');
	o->inv = !o->neg && scan_char(s, '~');
	o->abs = scan_char(s, '|');
	o->kind = fx == FX_UGPR ? SM70_K_UGPR : it->kind;
	if (fx == FX_CONST || it->kind == SM70_K_CONST)
		ok = scan_constant(s, o);
	else
		ok = o->kind == SM70_K_UGPR ? scan_ureg(s, &o->reg) : scan_gpr(s, &o->reg);
	if (ok && o->abs && o->kind != SM70_K_GPR && s->p < s->end && *s->p == '.') {
		const char *bar = memchr(s->p, '|', (size_t)(s->end - s->p));
		s->part = s->p;
		s->part_end = s->p = bar ? bar : s->p;
	}
	if (ok && o->abs)
		ok = scan_char(s, '|');
	if (!ok) {
		s->p = start;
		return false;
	}
	o->reuse = scan_text(s, ".reuse");
	return true;
}

static bool scan_label(struct scan *s, int64_t *v)
{
	const char *start = s->p;
	bool quoted = scan_text(s, "`(");
	scan_blanks(s);
	const char *name = s->p;
	while (s->p < s->end && *s->p != ')' && *s->p != ' ' && *s->p != ';')
		s->p++;
	size_t n = (size_t)(s->p - name);
	for (size_t i = 0; i < s->nlabels; i++)
		if (s->labels[i].len == n && !memcmp(s->labels[i].name, name, n) &&
		    (!quoted || scan_char(s, ')'))) {
			*v = (int64_t)s->labels[i].addr;
			return true;
		}
	s->p = start;
	return false;
}

static bool scan_set(struct scan *s, uint64_t *mask)
{
	const char *start = s->p;
	int64_t n;
	*mask = 0;
	if (!scan_char(s, '{'))
		return false;
	do {
		if (scan_text(s, "0x") || !scan_integer(s, &n) || n < 0 || n > 5) {
			s->p = start;
			return false;
		}
		*mask |= 1u << n;
	} while (scan_char(s, ','));
	if (scan_char(s, '}'))
		return true;
	s->p = start;
	return false;
}

static bool scan_named(struct scan *s, const char *text)
{
	const char *start = s->p;
	if (scan_text(s, text) && !part_of_word(s) && (s->p == s->end || *s->p != '.'))
		return true;
	s->p = start;
	return false;
}

static bool scan_sreg(struct scan *s, struct sm70_operand *o)
{
	char name[40];
	for (unsigned i = 0; i < 256; i++)
		if (scan_named(s, sm70_sreg_name(s->sm, i, name))) {
			o->reg = (uint16_t)i;
			return true;
		}
	return false;
}

static bool scan_barrier(struct scan *s, struct sm70_operand *o)
{
	for (unsigned i = 0; i < 32; i++)
		if (sm70_barrier_name(i) && scan_named(s, sm70_barrier_name(i))) {
			o->reg = (uint16_t)i;
			return true;
		}
	return scan_numbered(s, "B", NULL, 0, 256, &o->reg);
}

bool scan_operand(struct scan *s, const struct sm70_item *it, enum flex fx, const uint16_t *mod,
		  struct sm70_operand *o)
{
	const char *start = s->p;
	int64_t v = 0;
	bool ok;
	memset(o, 0, sizeof *o);
	s->part = s->part_end = NULL;
	o->kind = it->kind;
	if (fx == FX_IMM || it->kind == SM70_K_IMM) {
		bool bf16 = it->type == SM70_I_F16X2 && mod[SM70_MOD_TYPE] == SM70_W_BF16_V2;
		return scan_immediate(s, bf16 ? SM70_I_BF16X2 : it->type, o);
	}
	switch (it->kind) {
	case SM70_K_GPR:
	case SM70_K_UGPR:
	case SM70_K_CONST: return scan_register(s, it, fx, o);
	case SM70_K_PRED:
	case SM70_K_UPRED:
		o->neg = scan_char(s, '!');
		ok = scan_predicate(s, it->kind == SM70_K_UPRED, &o->reg);
		break;
	case SM70_K_PR: ok = scan_text(s, it->flags & IF_UNIFORM ? "UPR" : "PR"); break;
	case SM70_K_MEM: ok = scan_address(s, o); break;
	case SM70_K_SREG: ok = scan_sreg(s, o); break;
	case SM70_K_BARRIER: ok = scan_barrier(s, o); break;
	case SM70_K_TARGET:
	case SM70_K_OFFSET:
		ok = scan_integer(s, &v) || scan_label(s, &v);
		o->imm = (uint64_t)v;
		break;
	case SM70_K_GDESC:
		ok = scan_text(s, "gdesc[") && scan_ureg(s, &o->reg) && scan_char(s, ']');
		break;
	case SM70_K_SB:
		ok = scan_numbered(s, it->flags & IF_UNIFORM ? "gsb" : "SB", NULL, 0, 8, &o->reg);
		break;
	case SM70_K_SBSET: ok = scan_set(s, &o->imm); break;
	case SM70_K_RPC:
		ok = scan_text(s, "Rpc.");
		o->reg = ok && scan_text(s, "HI");
		ok = ok && (o->reg || scan_text(s, "LO"));
		break;
	default: ok = false;
	}
	if (!ok)
		s->p = start;
	return ok;
}
