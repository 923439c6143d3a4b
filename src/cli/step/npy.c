/* Arrays of NumPy: see npy.h. */
#include "cli/step/npy.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/command.h"

/* ---- element types ---- */

#define INTEGER_VALUE(NAME, TYPE)                                                                  \
	static double value_##NAME(const uint8_t *bits)                                            \
	{                                                                                          \
		TYPE v;                                                                            \
		memcpy(&v, bits, sizeof v);                                                        \
		return (double)v;                                                                  \
	}
INTEGER_VALUE(i8, int8_t)
INTEGER_VALUE(i16, int16_t)
INTEGER_VALUE(i32, int32_t)
INTEGER_VALUE(i64, int64_t)
INTEGER_VALUE(u8, uint8_t)
INTEGER_VALUE(u16, uint16_t)
INTEGER_VALUE(u32, uint32_t)
INTEGER_VALUE(u64, uint64_t)
INTEGER_VALUE(f32, float)
INTEGER_VALUE(f64, double)

/* A number with 1 sign bit, `exponent` and `mantissa` bits. `all_finite`: the largest exponent
 * encodes numbers too, except with a mantissa of all ones (float8_e4m3fn). */
static double small_float(unsigned bits, unsigned exponent, unsigned mantissa, bool all_finite)
{
	unsigned top = (1u << exponent) - 1, ones = (1u << mantissa) - 1;
	unsigned e = bits >> mantissa & top, m = bits & ones;
	int bias = (int)(top >> 1);
	double v;
	if (e == top && !all_finite)
		v = m ? NAN : INFINITY;
	else if (e == top && m == ones)
		v = NAN;
	else if (e)
		v = ldexp((double)(m | 1u << mantissa), (int)e - bias - (int)mantissa);
	else
		v = ldexp((double)m, 1 - bias - (int)mantissa);
	return bits >> (exponent + mantissa) & 1 ? -v : v;
}

static double value_f16(const uint8_t *b)
{
	return small_float(b[0] | (unsigned)b[1] << 8, 5, 10, false);
}

static double value_bf16(const uint8_t *b)
{
	return small_float(b[0] | (unsigned)b[1] << 8, 8, 7, false);
}

static double value_e4m3(const uint8_t *b) { return small_float(b[0], 4, 3, true); }

static double value_e5m2(const uint8_t *b) { return small_float(b[0], 5, 2, false); }

static const struct npy_type types[] = {
	{"float32", "<f4", 4, value_f32},
	{"float64", "<f8", 8, value_f64},
	{"float16", "<f2", 2, value_f16},
	{"bfloat16", "<V2", 2, value_bf16},
	{"float8_e4m3fn", "|V1", 1, value_e4m3},
	{"float8_e5m2", "|V1", 1, value_e5m2},
	{"int8", "|i1", 1, value_i8},
	{"int16", "<i2", 2, value_i16},
	{"int32", "<i4", 4, value_i32},
	{"int64", "<i8", 8, value_i64},
	{"uint8", "|u1", 1, value_u8},
	{"uint16", "<u2", 2, value_u16},
	{"uint32", "<u4", 4, value_u32},
	{"uint64", "<u8", 8, value_u64},
	{"bool", "|b1", 1, value_u8},
};

const struct npy_type *npy_type(const char *name)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i].name, name) || !strcmp(types[i].descr, name))
			return &types[i];
	/* ml_dtypes writes bfloat16 without a byte order. */
	return strcmp(name, "|V2") ? NULL : npy_type("bfloat16");
}

const char *npy_type_names(void)
{
	return "float32 float64 float16 bfloat16 float8_e4m3fn float8_e5m2 int8 int16 int32 int64 uint8 uint16 "
	       "uint32 uint64 bool";
}

/* ---- files ---- */

/* The text after 'KEY': in the header, which is a Python dictionary; NULL: the key is absent. */
static const char *find_key(const char *header, const char *key)
{
	char quoted[32];
	snprintf(quoted, sizeof quoted, "'%s'", key);
	const char *at = strstr(header, quoted);
	if (!at)
		return NULL;
	at += strlen(quoted);
	at += strspn(at, " ");
	return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

static bool read_descr(const char *header, struct npy *n)
{
	const char *at = find_key(header, "descr"),
		   *end = at && *at == '\'' ? strchr(at + 1, '\'') : NULL;
	char descr[16];
	if (!end || (size_t)(end - at) >= sizeof descr)
		return false;
	memcpy(descr, at + 1, (size_t)(end - at) - 1);
	descr[end - at - 1] = 0;
	n->type = npy_type(descr);
	return n->type != NULL;
}

static bool read_order(const char *header, struct npy *n)
{
	const char *at = find_key(header, "fortran_order");
	n->fortran = at && !strncmp(at, "True", 4);
	return at && (n->fortran || !strncmp(at, "False", 5));
}

static bool read_shape(const char *header, struct npy *n)
{
	const char *at = find_key(header, "shape");
	if (!at || *at++ != '(')
		return false;
	n->count = 1;
	for (n->ndim = 0; at += strspn(at, " ,"), *at != ')'; n->ndim++) {
		char *end;
		if (n->ndim == NPY_DIMS || *at < '0' || *at > '9')
			return false;
		uint64_t d = n->shape[n->ndim] = strtoull(at, &end, 10);
		if (d > 1ull << 40 || (d && n->count > (1ull << 40) / d))
			return false;
		n->count *= d;
		at = end;
	}
	return true;
}

static bool read_header(const char *path, struct npy *n, size_t size)
{
	const uint8_t *f = (const uint8_t *)n->file;
	size_t start = 10, len;
	if (size < 12 || memcmp(f, "\x93NUMPY", 6) || f[6] < 1 || f[6] > 3) {
		cli_error("run", "%s: not a .npy file of format 1 to 3", path);
		return false;
	}
	len = f[8] | (size_t)f[9] << 8;
	if (f[6] > 1) {
		start = 12;
		len |= (size_t)f[10] << 16 | (size_t)f[11] << 24;
	}
	if (len > size - start || !len) {
		cli_error("run", "%s: truncated in the header", path);
		return false;
	}
	char last = n->file[start + len - 1];
	n->file[start + len - 1] = 0;
	bool ok = read_descr(n->file + start, n);
	if (!ok)
		cli_error("run", "%s: unknown element type; expected little-endian numbers (%s)",
			  path, npy_type_names());
	else if (!(ok = read_order(n->file + start, n) && read_shape(n->file + start, n)))
		cli_error("run",
			  "%s: the header has no fortran_order and shape of at most %d dimensions",
			  path, NPY_DIMS);
	n->file[start + len - 1] = last;
	n->data = (uint8_t *)n->file + start + len;
	if (ok && size - start - len != n->count * n->type->size) {
		cli_error("run", "%s: %llu bytes after the header, the shape has %llu", path,
			  (unsigned long long)(size - start - len),
			  (unsigned long long)(n->count * n->type->size));
		return false;
	}
	return ok;
}

bool npy_read(const char *path, struct npy *out)
{
	size_t size;
	*out = (struct npy){.file = cli_read("run", path, &size)};
	if (!out->file)
		return false;
	bool ok = read_header(path, out, size);
	if (!ok)
		npy_free(out);
	return ok;
}

void npy_free(struct npy *n)
{
	free(n->file);
	*n = (struct npy){0};
}

char *npy_write(const struct npy_type *t, unsigned ndim, const uint64_t *shape, const void *data,
		size_t *size)
{
	char dims[NPY_DIMS * 24] = "", header[512];
	uint64_t count = 1;
	for (unsigned i = 0, at = 0; i < ndim; i++) {
		at += (unsigned)snprintf(dims + at, sizeof dims - at, "%llu,%s",
					 (unsigned long long)shape[i], i + 1 < ndim ? " " : "");
		count *= shape[i];
	}
	size_t last = strlen(dims);
	if (ndim > 1)
		dims[last - 1] = 0; /* a single dimension is followed by a comma: (3,) */
	int len = snprintf(header, sizeof header,
			   "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", t->descr,
			   dims);
	/* The data begin at a multiple of 64 bytes. */
	size_t start = (10 + (size_t)len + 1 + 63) / 64 * 64, bytes = count * t->size;
	char *file = malloc(start + bytes + 1);
	if (!file)
		return NULL;
	memset(file, ' ', start);
	memcpy(file, "\x93NUMPY\1\0", 8);
	file[8] = (char)((start - 10) & 255);
	file[9] = (char)((start - 10) >> 8);
	memcpy(file + 10, header, (size_t)len);
	file[start - 1] = '\n';
	memcpy(file + start, data, bytes);
	*size = start + bytes;
	return file;
}
