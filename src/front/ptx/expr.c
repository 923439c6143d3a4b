/* Parses constant expressions with C's operators and precedences on s64, u64 and f64 values. */
#include "front/ptx/parse.h"

static double as_double(const struct cval *v)
{
	if (v->kind == TK_F64) {
		double d;
		memcpy(&d, &v->u, 8);
		return d;
	}
	if (v->kind == TK_F32) {
		float f;
		uint32_t u = (uint32_t)v->u;
		memcpy(&f, &u, 4);
		return (double)f;
	}
	return v->is_unsigned ? (double)v->u : (double)(int64_t)v->u;
}

static struct cval from_double(double d)
{
	struct cval v = {.kind = TK_F64};
	memcpy(&v.u, &d, 8);
	return v;
}

static struct cval from_int(uint64_t u, bool is_unsigned)
{
	return (struct cval){.kind = TK_INT, .is_unsigned = is_unsigned, .u = u};
}

static bool truth(const struct cval *v)
{
	return v->kind == TK_INT ? v->u != 0 : as_double(v) != 0;
}

bool tok_is_expr(struct ptx_parser *p)
{
	if (p->tok.kind == TK_INT || p->tok.kind == TK_F32 || p->tok.kind == TK_F64)
		return true;
	if (p->tok.kind == TK_IDENT)
		return tok_is_ident(p, "WARP_SZ");
	return tok_is(p, '-') || tok_is(p, '+') || tok_is(p, '!') || tok_is(p, '~') ||
	       tok_is(p, '(');
}

static bool parse_ternary(struct ptx_parser *p, struct cval *v);

static bool unary_apply(struct ptx_parser *p, int op, struct cval *v)
{
	if (op == '!')
		*v = from_int(!truth(v), false);
	else if (op == '~' && v->kind != TK_INT)
		return parse_error(p, "'~' needs an integer");
	else if (op == '~')
		v->u = ~v->u;
	else if (op == '-' && v->kind == TK_INT)
		v->u = 0 - v->u;
	else if (op == '-')
		v->u ^= v->kind == TK_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
	return true;
}

/* ( expr )  or the cast  (.s64) unary */
static bool parse_unary(struct ptx_parser *p, struct cval *v);
static bool parse_parenthesised(struct ptx_parser *p, struct cval *v)
{
	tok_next(p);
	if (p->tok.kind != TK_DOT)
		return parse_ternary(p, v) && tok_expect(p, ')', "after the expression");
	bool is_unsigned = tok_is_dot(p, "u64");
	if (!is_unsigned && !tok_is_dot(p, "s64"))
		return parse_expected(p, ".s64 or .u64");
	tok_next(p);
	if (!tok_expect(p, ')', "after the type of a cast") || !parse_unary(p, v))
		return false;
	if (v->kind != TK_INT)
		return parse_error(p, "only integers can be cast to an integer type");
	v->is_unsigned = is_unsigned;
	return true;
}

static bool parse_primary(struct ptx_parser *p, struct cval *v)
{
	const struct token *t = &p->tok;
	if (tok_is(p, '('))
		return parse_parenthesised(p, v);
	if (t->kind == TK_INT || t->kind == TK_F32 || t->kind == TK_F64)
		*v = (struct cval){.kind = t->kind, .is_unsigned = t->is_unsigned, .u = t->u};
	else if (tok_is_ident(p, "WARP_SZ"))
		*v = from_int(32, false);
	else
		return parse_expected(p, "a constant");
	tok_next(p);
	return true;
}

static bool parse_unary(struct ptx_parser *p, struct cval *v)
{
	if (p->expr_depth >= PTX_MAX_EXPR)
		return parse_error(p, "expressions nest deeper than %d levels", PTX_MAX_EXPR);
	p->expr_depth++;
	bool ok;
	if (tok_is(p, '-') || tok_is(p, '+') || tok_is(p, '!') || tok_is(p, '~')) {
		int op = p->tok.punct;
		tok_next(p);
		ok = parse_unary(p, v) && unary_apply(p, op, v);
	} else {
		ok = parse_primary(p, v);
	}
	p->expr_depth--;
	return ok;
}

static int precedence(const struct token *t)
{
	if (t->kind != TK_PUNCT)
		return 0;
	switch (t->punct) {
	case '*':
	case '/':
	case '%': return 10;
	case '+':
	case '-': return 9;
	case P_SHL:
	case P_SHR: return 8;
	case '<':
	case '>':
	case P_LE:
	case P_GE: return 7;
	case P_EQ:
	case P_NE: return 6;
	case '&': return 5;
	case '^': return 4;
	case '|': return 3;
	case P_ANDAND: return 2;
	case P_OROR: return 1;
	default: return 0;
	}
}

static bool float_apply(struct ptx_parser *p, int op, struct cval *a, const struct cval *b)
{
	double x = as_double(a), y = as_double(b);
	switch (op) {
	case '*': *a = from_double(x * y); return true;
	case '/': *a = from_double(x / y); return true;
	case '+': *a = from_double(x + y); return true;
	case '-': *a = from_double(x - y); return true;
	case '<': *a = from_int(x < y, false); return true;
	case '>': *a = from_int(x > y, false); return true;
	case P_LE: *a = from_int(x <= y, false); return true;
	case P_GE: *a = from_int(x >= y, false); return true;
	case P_EQ: *a = from_int(x == y, false); return true;
	case P_NE: *a = from_int(x != y, false); return true;
	default: return parse_error(p, "this operator needs integers");
	}
}

static bool divide_constants(struct ptx_parser *p, int op, uint64_t x, uint64_t y, bool u,
			     uint64_t *r)
{
	if (!y)
		return parse_error(p, "division by zero in a constant expression");
	if (u)
		*r = op == '/' ? x / y : x % y;
	/* division by -1: the quotient of the most negative number does not fit */
	else if (y == UINT64_MAX)
		*r = op == '/' ? 0 - x : 0;
	else
		*r = (uint64_t)(op == '/' ? (int64_t)x / (int64_t)y : (int64_t)x % (int64_t)y);
	return true;
}

static uint64_t shift_constant(int op, uint64_t x, uint64_t n, bool u)
{
	if (n > 63)
		return op == P_SHR && !u && (int64_t)x < 0 ? UINT64_MAX : 0;
	return op == P_SHL ? x << n : u ? x >> n : (uint64_t)((int64_t)x >> n);
}

static bool binary_apply(struct ptx_parser *p, int op, struct cval *a, const struct cval *b)
{
	if (op == P_ANDAND || op == P_OROR) {
		bool x = truth(a), y = truth(b);
		*a = from_int(op == P_ANDAND ? x && y : x || y, false);
		return true;
	}
	if (a->kind != TK_INT || b->kind != TK_INT)
		return float_apply(p, op, a, b);
	uint64_t x = a->u, y = b->u, r = 0;
	bool is_shift = op == P_SHL || op == P_SHR;
	bool u = a->is_unsigned || (b->is_unsigned && !is_shift),
	     less = u ? x < y : (int64_t)x < (int64_t)y;
	bool is_compare = false;
	switch (op) {
	case '*': r = x * y; break;
	case '+': r = x + y; break;
	case '-': r = x - y; break;
	case '&': r = x & y; break;
	case '^': r = x ^ y; break;
	case '|': r = x | y; break;
	case '/':
	case '%':
		if (!divide_constants(p, op, x, y, u, &r))
			return false;
		break;
	case P_SHL:
	case P_SHR: r = shift_constant(op, x, y, u); break;
	case '<': r = less, is_compare = true; break;
	case P_GE: r = !less, is_compare = true; break;
	case '>': r = !less && x != y, is_compare = true; break;
	case P_LE: r = less || x == y, is_compare = true; break;
	case P_EQ: r = x == y, is_compare = true; break;
	case P_NE: r = x != y, is_compare = true; break;
	}
	*a = from_int(r, u && !is_compare);
	return true;
}

static bool parse_binary(struct ptx_parser *p, struct cval *v, int least)
{
	if (!parse_unary(p, v))
		return false;
	for (int prec; (prec = precedence(&p->tok)) >= least && prec;) {
		int op = p->tok.punct;
		struct cval b;
		tok_next(p);
		if (!parse_binary(p, &b, prec + 1) || !binary_apply(p, op, v, &b))
			return false;
	}
	return true;
}

static bool parse_ternary(struct ptx_parser *p, struct cval *v)
{
	if (!parse_binary(p, v, 1))
		return false;
	if (!tok_is(p, '?'))
		return true;
	struct cval a, b;
	tok_next(p);
	if (p->expr_depth >= PTX_MAX_EXPR)
		return parse_error(p, "expressions nest deeper than %d levels", PTX_MAX_EXPR);
	p->expr_depth++;
	bool ok = parse_ternary(p, &a) && tok_expect(p, ':', "in a conditional expression") &&
		  parse_ternary(p, &b);
	p->expr_depth--;
	if (ok)
		*v = truth(v) ? a : b;
	return ok;
}

bool parse_expr(struct ptx_parser *p, struct cval *v)
{
	p->expr_depth = 0;
	return parse_ternary(p, v);
}

bool parse_count(struct ptx_parser *p, const char *what, uint64_t max, uint64_t *out)
{
	struct token at = p->tok;
	struct cval v;
	if (!tok_is_expr(p))
		return parse_expected(p, what);
	if (!parse_expr(p, &v))
		return false;
	if (v.kind != TK_INT)
		return parse_error_at(p, &at, "expected %s, found a floating-point number", what);
	if ((!v.is_unsigned && (int64_t)v.u < 0) || v.u > max)
		return parse_error_at(p, &at, "%s is out of range (at most %llu)", what,
				      (unsigned long long)max);
	*out = v.u;
	return true;
}

bool cval_bits(const struct cval *v, enum type type, uint64_t *bits)
{
	unsigned width = type_bits(type);
	if (type == T_F64) {
		*bits = v->kind == TK_F64 ? v->u : from_double(as_double(v)).u;
	} else if (type == T_F32) {
		float f = (float)as_double(v);
		uint32_t u;
		memcpy(&u, &f, 4);
		*bits = v->kind == TK_F32 ? v->u : u;
	} else if (v->kind == TK_INT) {
		*bits = width >= 64 ? v->u : v->u & ((UINT64_C(1) << width) - 1);
	} else {
		/* a float literal such as 0f3f800000 for a .b32: its bits, if they fit */
		if (type_info[type].cls == TC_FLOAT || width < (v->kind == TK_F32 ? 32u : 64u))
			return false;
		*bits = v->u;
	}
	return true;
}
