/* Reads kernel parameters from the command line, and binds them to a kernel. param.h describes
 * them. */
#include "cli/param.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

struct valtype {
	const char *name;
	/* class of the value: u: unsigned or bits (also b8 to b64); s: signed; f: float; b: bytes
	 * in hexadecimal */
	char klass;
	unsigned size;
};
static const struct valtype valtypes[] = {
	{"u8", 'u', 1},  {"u16", 'u', 2}, {"u32", 'u', 4}, {"u64", 'u', 8}, {"s8", 's', 1},
	{"s16", 's', 2}, {"s32", 's', 4}, {"s64", 's', 8}, {"b8", 'u', 1},  {"b16", 'u', 2},
	{"b32", 'u', 4}, {"b64", 'u', 8}, {"f32", 'f', 4}, {"f64", 'f', 8}, {"hex", 'b', 0},
};

struct value {
	const struct valtype *type;
	const char *text; /* the text after the '=' */
	unsigned size;    /* bytes */
	uint64_t bits;    /* the value's bits; not for hex */
};

static bool parse_int(const char *s, bool is_signed, unsigned size, uint64_t *bits)
{
	bool minus = is_signed && *s == '-';
	uint64_t v, top = 1ull << (size * 8 - 1);
	if (!cli_u64(s + minus, &v))
		return false;
	uint64_t max = is_signed ? top - !minus : top + (top - 1);
	if (v > max)
		return false;
	*bits = minus ? 0 - v : v;
	return true;
}

static bool parse_float(const char *s, unsigned size, uint64_t *bits)
{
	char *end;
	unsigned digits = size * 2;
	if (s[0] == '0' && s[1] == (size == 4 ? 'f' : 'd') && strlen(s) == 2 + digits) {
		*bits = strtoull(s + 2, &end, 16);
		return !*end;
	}
	if (!*s)
		return false;
	if (size == 4) {
		float f = strtof(s, &end);
		uint32_t b;
		memcpy(&b, &f, 4);
		*bits = b;
	} else {
		double d = strtod(s, &end);
		memcpy(bits, &d, 8);
	}
	return !*end;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Reads bytes in memory order, optionally separated by underscores or colons. Stores them if `out`
 * is not NULL. */
static bool parse_hex(const char *s, uint8_t *out, unsigned *n)
{
	*n = 0;
	while (*s) {
		if (*s == '_' || *s == ':') {
			s++;
			continue;
		}
		int hi = hex_digit(s[0]), lo = hi < 0 ? -1 : hex_digit(s[1]);
		if (lo < 0)
			return false;
		if (out)
			out[*n] = (uint8_t)(hi << 4 | lo);
		++*n;
		s += 2;
	}
	return *n > 0;
}

static bool value_parse(const char *cmd, const char *text, struct value *v)
{
	size_t len = strcspn(text, "=");
	v->type = NULL;
	for (unsigned i = 0; i < sizeof valtypes / sizeof *valtypes; i++)
		if (strlen(valtypes[i].name) == len && !strncmp(valtypes[i].name, text, len))
			v->type = &valtypes[i];
	if (!v->type || !text[len]) {
		cli_error(cmd,
			  "--val %s: expected TYPE=VALUE with TYPE one of "
			  "u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 hex",
			  text);
		return false;
	}
	v->text = text + len + 1;
	v->size = v->type->size;
	bool ok = v->type->klass == 'b' ? parse_hex(v->text, NULL, &v->size)
		  : v->type->klass == 'f'
			  ? parse_float(v->text, v->size, &v->bits)
			  : parse_int(v->text, v->type->klass == 's', v->size, &v->bits);
	if (!ok)
		cli_error(cmd, "--val %s: not a value of type %s", text, v->type->name);
	return ok;
}

bool param_value(const char *cmd, const char *text, struct param_value *out)
{
	struct value v;
	if (!value_parse(cmd, text, &v))
		return false;
	*out = (struct param_value){v.size, malloc(v.size + 1)};
	if (out->bytes && v.type->klass == 'b')
		parse_hex(v.text, out->bytes, &v.size);
	for (unsigned b = 0; out->bytes && v.type->klass != 'b' && b < v.size; b++)
		out->bytes[b] = (uint8_t)(v.bits >> (8 * b));
	return out->bytes != NULL;
}

/* ---- comparison with the kernel's parameters ---- */

static const char *const arg_name[] = {"--val", "--in", "--out", "--inout"};

static bool check_val(const struct arglist *l, const struct arg *a,
		      const struct heddle_param_info *p)
{
	struct value v;
	if (!value_parse(l->cmd, a->text, &v))
		return false;
	if (v.size != p->size) {
		cli_error(l->cmd, "parameter %s has %u byte%s (.%s), --val %s gives %u", p->name,
			  p->size, p->size == 1 ? "" : "s", p->type, a->text, v.size);
		return false;
	}
	bool float_param = p->type[0] == 'f', float_val = v.type->klass == 'f';
	if (v.type->klass != 'b' && p->type[0] != 'b' && float_param != float_val) {
		cli_error(l->cmd, "parameter %s is .%s, --val %s is %s", p->name, p->type, a->text,
			  float_val ? "a floating-point value" : "an integer");
		return false;
	}
	return true;
}

static bool check_buffer(const struct arglist *l, const struct arg *a,
			 const struct heddle_param_info *p)
{
	if ((p->size != 8 && p->size != 4) || p->count > 1 || p->type[0] == 'f') {
		cli_error(l->cmd,
			  "parameter %s is .%s of %u bytes, not an address: %s cannot stand there",
			  p->name, p->type, p->size, arg_name[a->kind]);
		return false;
	}
	uint64_t bytes;
	if (a->kind == ARG_OUT && (!cli_u64(a->text, &bytes) || !bytes)) {
		cli_error(l->cmd, "--out %s: expected the buffer's size in bytes", a->text);
		return false;
	}
	return true;
}

static void print_params(const struct heddle_kernel *k, const struct heddle_kernel_info *info)
{
	fprintf(stderr, "  kernel %s(", info->name);
	for (unsigned i = 0; i < info->nparam; i++) {
		struct heddle_param_info p;
		heddle_param_info(k, i, &p);
		fprintf(stderr, "%s.%s %s", i ? ", " : "", p.type, p.name);
		if (p.count > 1)
			fprintf(stderr, "[%u]", p.count);
	}
	fprintf(stderr, ")\n");
}

/* Reports two outputs to one file, of which one would overwrite the other. */
static bool check_outputs(const struct arglist *l)
{
	for (unsigned i = 0; i < l->n; i++)
		for (unsigned j = 0; j < i; j++)
			if (l->arg[i].out && l->arg[j].out &&
			    !strcmp(l->arg[i].out, l->arg[j].out)) {
				cli_error(l->cmd, "%s: given as output twice", l->arg[i].out);
				return false;
			}
	return true;
}

/* Checks parameters of native code whose file does not list them: any values are allowed. */
static bool check_untyped(const struct arglist *l)
{
	bool ok = check_outputs(l);
	for (unsigned i = 0; i < l->n; i++) {
		const struct arg *a = &l->arg[i];
		struct value v;
		uint64_t bytes;
		if (a->kind == ARG_VAL)
			ok &= value_parse(l->cmd, a->text, &v);
		else if (a->kind == ARG_OUT && (!cli_u64(a->text, &bytes) || !bytes)) {
			cli_error(l->cmd, "--out %s: expected the buffer's size in bytes", a->text);
			ok = false;
		}
	}
	return ok;
}

static unsigned natural_align(unsigned size)
{
	return size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1;
}

size_t arglist_bytes(const struct arglist *l, const struct heddle_kernel *k)
{
	struct heddle_kernel_info info;
	size_t at = 0;
	heddle_kernel_info(k, &info);
	for (unsigned i = 0; i < l->n && info.untyped_params; i++) {
		struct value v = {.size = info.pointer_bytes};
		if (l->arg[i].kind == ARG_VAL && !value_parse(l->cmd, l->arg[i].text, &v))
			return info.param_bytes;
		unsigned align = natural_align(v.size);
		at = (at + align - 1) / align * align + v.size;
	}
	return at > info.param_bytes ? at : info.param_bytes;
}

bool arglist_check(const struct arglist *l, const struct heddle_kernel *k)
{
	struct heddle_kernel_info info;
	heddle_kernel_info(k, &info);
	if (info.untyped_params)
		return check_untyped(l);
	if (info.nparam != l->n) {
		cli_error(l->cmd, "kernel %s has %u parameter%s, %u given", info.name, info.nparam,
			  info.nparam == 1 ? "" : "s", l->n);
		print_params(k, &info);
		return false;
	}
	bool ok = check_outputs(l);
	for (unsigned i = 0; i < l->n; i++) {
		struct heddle_param_info p;
		heddle_param_info(k, i, &p);
		ok &= l->arg[i].kind == ARG_VAL ? check_val(l, &l->arg[i], &p)
						: check_buffer(l, &l->arg[i], &p);
	}
	return ok;
}

static bool bind_buffer(struct arglist *l, struct arg *a, struct heddle *h)
{
	char *data = NULL;
	if (a->kind == ARG_OUT) {
		cli_u64(a->text, &a->size);
	} else {
		size_t n;
		if (!(data = cli_read(l->cmd, a->in, &n)))
			return false;
		a->size = n;
	}
	enum heddle_status s = HEDDLE_OK;
	if (a->size) /* an empty buffer is passed as address 0 */
		s = heddle_malloc(h, a->size, &a->addr);
	if (!s && a->size)
		s = data ? heddle_write(h, a->addr, data, a->size)
			 : heddle_fill(h, a->addr, 0, 1, a->size);
	free(data);
	if (s)
		cli_error(l->cmd, "%s: %s", a->kind == ARG_OUT ? a->out : a->in, heddle_message(h));
	return !s;
}

bool arglist_bind(struct arglist *l, struct heddle *h, const struct heddle_kernel *k, void *block)
{
	struct heddle_kernel_info info;
	unsigned at = 0; /* untyped: offset of the next value */
	heddle_kernel_info(k, &info);
	for (unsigned i = 0; i < l->n; i++) {
		struct arg *a = &l->arg[i];
		struct heddle_param_info p = {.size = info.pointer_bytes};
		if (info.untyped_params) {
			struct value v = {.size = info.pointer_bytes};
			if (a->kind == ARG_VAL && !value_parse(l->cmd, a->text, &v))
				return false;
			unsigned align = natural_align(v.size);
			p.offset = (at + align - 1) / align * align;
			at = p.offset + v.size;
		} else {
			heddle_param_info(k, i, &p);
		}
		uint8_t *dst = (uint8_t *)block + p.offset;
		if (a->kind != ARG_VAL) {
			if (!bind_buffer(l, a, h))
				return false;
			for (unsigned b = 0; b < p.size; b++)
				dst[b] = (uint8_t)(a->addr >> (8 * b));
			continue;
		}
		struct value v;
		if (!value_parse(l->cmd, a->text, &v))
			return false;
		if (v.type->klass == 'b')
			parse_hex(v.text, dst, &v.size);
		for (unsigned b = 0; v.type->klass != 'b' && b < v.size; b++)
			dst[b] = (uint8_t)(v.bits >> (8 * b));
	}
	return true;
}

bool arglist_save(struct arglist *l, struct heddle *h)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct arg *a = &l->arg[i];
		if (!a->out)
			continue;
		void *data = malloc(a->size + 1);
		enum heddle_status s = data ? HEDDLE_OK : HEDDLE_NO_MEMORY;
		if (!s && a->size)
			s = heddle_read(h, data, a->addr, a->size);
		if (s)
			cli_error(l->cmd, "%s: %s", a->out,
				  data ? heddle_message(h) : "out of memory");
		bool ok = !s && cli_output_write(l->cmd, &a->file, a->out, data, a->size);
		free(data);
		if (!ok)
			return false;
	}
	return true;
}

bool arglist_commit(struct arglist *l)
{
	bool ok = true;
	for (unsigned i = 0; i < l->n; i++)
		if (l->arg[i].file.path)
			ok &= cli_output_commit(l->cmd, &l->arg[i].file);
	return ok;
}

void arglist_free(struct arglist *l)
{
	for (unsigned i = 0; i < l->n; i++)
		cli_output_drop(&l->arg[i].file);
	free(l->arg);
	*l = (struct arglist){0};
}
