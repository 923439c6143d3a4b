/* A recursive-descent parser of expressions and an evaluator of the resulting tree. expr.h
 * describes the language. */
#include "study/lang/expr.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "study/lang/maths.h"

enum kind { E_NUM, E_FIGURE, E_VALUE, E_NEG, E_BINARY, E_CALL };
enum { MAX_ARGS = 16, MAX_DEPTH = 64 };

struct expr {
	enum kind kind;
	bool varies;
	double num;
	const char *name; /* name of a figure */
	unsigned run;
	int first, last; /* histogram buckets; -1: none */
	int program;     /* VALUE: index of the program after @; -1: the current program */
	const struct expr *value;
	char op; /* BINARY: + - * / < l(<=) > g(>=) & | */
	const struct function *fn;
	const struct expr *arg[MAX_ARGS];
	unsigned nargs;
};

enum fn_kind {
	FN_MEAN,
	FN_GMEAN,
	FN_HMEAN,
	FN_LEAST,
	FN_MOST,
	FN_SUM,
	FN_COUNT,
	FN_CORRELATION,
	FN_AMDAHL,
	FN_ABS,
	FN_MIN,
	FN_MAX
};
static const struct function {
	const char *name;
	enum fn_kind kind;
	unsigned min, max;
	bool aggregate; /* aggregates over programs */
} functions[] = {
	{"mean", FN_MEAN, 1, 1, true},
	{"gmean", FN_GMEAN, 1, 1, true},
	{"hmean", FN_HMEAN, 1, 1, true},
	{"least", FN_LEAST, 1, 1, true},
	{"most", FN_MOST, 1, 1, true},
	{"sum", FN_SUM, 1, 1, true},
	{"count", FN_COUNT, 1, 1, true},
	{"correlation", FN_CORRELATION, 2, 2, true},
	{"amdahl", FN_AMDAHL, 2, MAX_ARGS, false},
	{"abs", FN_ABS, 1, 1, false},
	{"min", FN_MIN, 1, MAX_ARGS, false},
	{"max", FN_MAX, 1, MAX_ARGS, false},
};

/* ---- reading ---- */

struct parser {
	const struct expr_world *w;
	struct arena *a;
	const char *text, *s;
	const char *why;
	unsigned depth;
};

static struct expr *parse_or(struct parser *p);

static struct expr *report_error(struct parser *p, const char *what, const char *word)
{
	if (!p->why)
		p->why = arena_printf(p->a, "%s%s at character %u of: %s", what, word,
				      (unsigned)(p->s - p->text) + 1, p->text);
	return NULL;
}

/* Reports a name that is not defined. */
static struct expr *report_unknown(struct parser *p, const char *what, const char *word)
{
	if (!p->why && p->w->broken && p->w->broken(p->w->arg, word))
		p->why = "";
	return report_error(p, what, word);
}

static void skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->s))
		p->s++;
}

static bool accept(struct parser *p, const char *token)
{
	size_t n = strlen(token);
	skip_blanks(p);
	if (strncmp(p->s, token, n) ||
	    (isalpha((unsigned char)*token) && isalnum((unsigned char)p->s[n])))
		return false;
	p->s += n;
	return true;
}

/* Reads a name of a value or figure: letters, digits, _ and points; names of runs and programs may
 * have dashes too. */
static char *read_word(struct parser *p, const char *more)
{
	skip_blanks(p);
	size_t n = 0;
	while (isalnum((unsigned char)p->s[n]) || (p->s[n] && strchr(more, p->s[n])))
		n++;
	char *w = arena_strndup(p->a, p->s, n);
	p->s += n;
	return w;
}

static struct expr *new_node(struct parser *p, enum kind kind)
{
	struct expr *e = ARENA_NEW(p->a, struct expr);
	e->kind = kind;
	e->first = e->last = e->program = -1;
	return e;
}

static struct expr *read_call(struct parser *p, const struct function *fn)
{
	struct expr *e = new_node(p, E_CALL);
	e->fn = fn;
	do {
		if (e->nargs == fn->max)
			return report_error(p, "too many arguments for ", fn->name);
		const struct expr *x = parse_or(p);
		if (!x)
			return NULL;
		e->varies |= x->varies;
		e->arg[e->nargs++] = x;
	} while (accept(p, ","));
	if (e->nargs < fn->min || (fn->kind == FN_AMDAHL && e->nargs % 2))
		return report_error(p, "too few arguments for ", fn->name);
	if (!accept(p, ")"))
		return report_error(p, "expected , or )", "");
	e->varies &= !fn->aggregate;
	return e;
}

/* Reads "1..4]" or "7]" after an opening bracket. */
static bool read_buckets(struct parser *p, struct expr *e)
{
	char *end;
	e->first = e->last = (int)strtol(p->s, &end, 10);
	bool ok = end > p->s;
	p->s = end;
	if (ok && accept(p, "..")) {
		e->last = (int)strtol(p->s, &end, 10);
		ok = end > p->s;
		p->s = end;
	}
	return ok && accept(p, "]") && e->first >= 0 && e->last >= e->first;
}

static struct expr *new_figure(struct parser *p, char *name)
{
	struct expr *e = new_node(p, E_FIGURE);
	e->name = name;
	e->varies = true;
	unsigned slots = p->w->known ? p->w->known(p->w->arg, name) : 0;
	if (p->w->known && !slots)
		return report_error(p, "no statistic ", name);
	if (accept(p, "[")) {
		if (slots == 1)
			return report_error(p, "not a histogram: ", name);
		if (!read_buckets(p, e))
			return report_error(p, "expected [FIRST..LAST]", "");
		if (slots && (unsigned)e->last >= slots)
			return report_error(
				p,
				arena_printf(p->a, "%s has the buckets 0 to %u, ", name, slots - 1),
				"no more");
	} else if (slots > 1) {
		return report_error(
			p, arena_printf(p->a, "a histogram: expected %s[FIRST..LAST]", name), "");
	}
	if (!accept(p, "("))
		return report_error(p, "expected (RUN) after ", name);
	const char *run = read_word(p, "_-.+");
	int r = p->w->run(p->w->arg, run);
	if (r < 0)
		return report_unknown(p, "no run ", run);
	e->run = (unsigned)r;
	return accept(p, ")") ? e : report_error(p, "expected )", "");
}

static struct expr *value(struct parser *p, const struct expr *v)
{
	struct expr *e = new_node(p, E_VALUE);
	e->value = v;
	e->varies = v->varies;
	if (accept(p, "@")) {
		const char *name = read_word(p, "_-.");
		e->varies = false;
		if ((e->program = p->w->program(p->w->arg, name)) < 0)
			return report_unknown(p, "no program ", name);
	}
	return e;
}

static struct expr *parse_named(struct parser *p)
{
	char *name = read_word(p, "_.");
	const struct expr *v = p->w->value(p->w->arg, name);
	if (v)
		return value(p, v);
	skip_blanks(p);
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name) && accept(p, "("))
			return read_call(p, &functions[i]);
	if (*p->s != '(' && *p->s != '[')
		return report_unknown(p, "no value ", name);
	return new_figure(p, name);
}

static struct expr *parse_primary(struct parser *p)
{
	skip_blanks(p);
	if (accept(p, "(")) {
		struct expr *e = parse_or(p);
		return e && !accept(p, ")") ? report_error(p, "expected )", "") : e;
	}
	if (isdigit((unsigned char)*p->s) || *p->s == '.') {
		char *end;
		struct expr *e = new_node(p, E_NUM);
		e->num = strtod(p->s, &end);
		p->s = end;
		return e;
	}
	if (isalpha((unsigned char)*p->s))
		return parse_named(p);
	return report_error(p, "expected a number, a name or (", "");
}

static struct expr *parse_unary(struct parser *p)
{
	bool minus = accept(p, "-");
	struct expr *x = parse_primary(p);
	if (!minus || !x)
		return x;
	struct expr *e = new_node(p, E_NEG);
	e->arg[0] = x;
	e->varies = x->varies;
	return e;
}

static struct expr *new_binary(struct parser *p, char op, const struct expr *a,
			       const struct expr *b)
{
	if (!b)
		return NULL;
	struct expr *e = new_node(p, E_BINARY);
	e->op = op;
	e->arg[0] = a;
	e->arg[1] = b;
	e->varies = a->varies || b->varies;
	return e;
}

/* True if the expression consists of numbers only. */
static bool is_constant(const struct expr *e)
{
	return e->kind == E_NUM || (e->kind == E_NEG && is_constant(e->arg[0])) ||
	       (e->kind == E_BINARY && is_constant(e->arg[0]) && is_constant(e->arg[1]));
}

static struct expr *parse_product(struct parser *p)
{
	struct expr *e = parse_unary(p);
	while (e) {
		char op = accept(p, "*") ? '*' : accept(p, "/") ? '/' : 0;
		if (!op)
			break;
		struct expr *by = parse_unary(p);
		if (op == '/' && by && is_constant(by) && expr_eval(by, p->w, -1) == 0)
			return report_error(p, "a division by 0", "");
		e = new_binary(p, op, e, by);
	}
	return e;
}

static struct expr *parse_sum(struct parser *p)
{
	struct expr *e = parse_product(p);
	while (e) {
		char op = accept(p, "+") ? '+' : accept(p, "-") ? '-' : 0;
		if (!op)
			break;
		e = new_binary(p, op, e, parse_product(p));
	}
	return e;
}

static struct expr *parse_comparison(struct parser *p)
{
	struct expr *e = parse_sum(p);
	char op = !e                ? 0
		  : accept(p, "<=") ? 'l'
		  : accept(p, ">=") ? 'g'
		  : accept(p, "<")  ? '<'
		  : accept(p, ">")  ? '>'
				    : 0;
	return op ? new_binary(p, op, e, parse_sum(p)) : e;
}

static struct expr *parse_and(struct parser *p)
{
	struct expr *e = parse_comparison(p);
	while (e && accept(p, "and"))
		e = new_binary(p, '&', e, parse_comparison(p));
	return e;
}

static struct expr *parse_or(struct parser *p)
{
	if (++p->depth > MAX_DEPTH)
		return report_error(p, "too deeply nested", "");
	struct expr *e = parse_and(p);
	while (e && accept(p, "or"))
		e = new_binary(p, '|', e, parse_and(p));
	p->depth--;
	return e;
}

struct expr *expr_parse(const struct expr_world *w, const char *text, struct arena *a,
			const char **why)
{
	struct parser p = {.w = w, .a = a, .text = text, .s = text};
	struct expr *e = parse_or(&p);
	skip_blanks(&p);
	if (e && *p.s)
		e = report_error(&p, "expected an operator", "");
	*why = p.why;
	return e;
}

bool expr_varies(const struct expr *e) { return e->varies; }

bool expr_reserves(const char *name)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name))
			return true;
	return !strcmp(name, "and") || !strcmp(name, "or");
}

/* ---- values ---- */

static double call_aggregate(const struct expr *e, const struct expr_world *w)
{
	double x[EXPR_PROGRAMS], y[EXPR_PROGRAMS];
	unsigned n = w->programs, count = 0;
	for (unsigned i = 0; i < n; i++) {
		x[i] = expr_eval(e->arg[0], w, (int)i);
		y[i] = e->nargs > 1 ? expr_eval(e->arg[1], w, (int)i) : NAN;
		count += !isnan(x[i]) && x[i] != 0;
	}
	switch (e->fn->kind) {
	case FN_MEAN: return maths_mean(x, n, MEAN_ARITHMETIC);
	case FN_GMEAN: return maths_mean(x, n, MEAN_GEOMETRIC);
	case FN_HMEAN: return maths_mean(x, n, MEAN_HARMONIC);
	case FN_LEAST: return maths_least(x, n);
	case FN_MOST: return maths_most(x, n);
	case FN_CORRELATION: return maths_correlation(x, y, n);
	case FN_COUNT: return isnan(maths_most(x, n)) ? NAN : count;
	default: break;
	}
	unsigned k = 0;
	double sum = 0;
	for (unsigned i = 0; i < n; i++)
		if (!isnan(x[i]))
			sum += x[i], k++;
	return k ? sum : NAN;
}

static double call_amdahl(const struct expr *e, const struct expr_world *w, int program)
{
	double f[MAX_ARGS / 2], s[MAX_ARGS / 2];
	for (unsigned i = 0; i < e->nargs / 2; i++) {
		f[i] = expr_eval(e->arg[2 * i], w, program);
		s[i] = expr_eval(e->arg[2 * i + 1], w, program);
	}
	return maths_amdahl(f, s, e->nargs / 2);
}

static double compute_call(char op, double a, double b)
{
	switch (op) {
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	default: break;
	}
	if (isnan(a) || isnan(b))
		return NAN;
	switch (op) {
	case '<': return a < b;
	case 'l': return a <= b;
	case '>': return a > b;
	case 'g': return a >= b;
	case '&': return a != 0 && b != 0;
	default: return a != 0 || b != 0;
	}
}

static double measured(const struct expr *e, const struct expr_world *w, int program)
{
	if (program < 0)
		return NAN;
	double x = w->figure(w->arg, (unsigned)program, e->run, e->name, e->first, e->last);
	if (isnan(x) && w->missing)
		*w->missing |= 1ull << program;
	return x;
}

static double quotient(double a, double b, const struct expr_world *w, int program)
{
	if (b != 0 || isnan(a))
		return a / b;
	if (w->missing && program >= 0)
		*w->missing |= 1ull << program;
	if (w->by_zero)
		*w->by_zero = true;
	return NAN;
}

static double compute_binary(const struct expr *e, const struct expr_world *w, int program)
{
	double a = expr_eval(e->arg[0], w, program), b = expr_eval(e->arg[1], w, program);
	return e->op == '/' ? quotient(a, b, w, program) : compute_call(e->op, a, b);
}

double expr_eval(const struct expr *e, const struct expr_world *w, int program)
{
	switch (e->kind) {
	case E_NUM: return e->num;
	case E_NEG: return -expr_eval(e->arg[0], w, program);
	case E_VALUE: return expr_eval(e->value, w, e->program >= 0 ? e->program : program);
	case E_FIGURE: return measured(e, w, program);
	case E_BINARY: return compute_binary(e, w, program);
	case E_CALL: break;
	}
	if (e->fn->aggregate)
		return call_aggregate(e, w);
	if (e->fn->kind == FN_AMDAHL)
		return call_amdahl(e, w, program);
	double x = expr_eval(e->arg[0], w, program);
	for (unsigned i = 1; i < e->nargs; i++) { /* a missing argument makes the result missing */
		double y = expr_eval(e->arg[i], w, program);
		x = isnan(x) || isnan(y) ? NAN : (e->fn->kind == FN_MIN) == (y < x) ? y : x;
	}
	return e->fn->kind == FN_ABS ? fabs(x) : x;
}
