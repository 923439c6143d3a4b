/* Reads the JSON file of a step: see step.h. An unknown member is an error, so that a misspelt one
 * is noticed. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "cli/step/step.h"

/* ---- messages ---- */

__attribute__((format(printf, 3, 4))) static bool complain(const struct step *s, const char *where,
							   const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	cli_error("run", "%s: %s%s%s", s->name, where, *where ? ": " : "", text);
	return false;
}

/* True if all members of an object are in the list of names, which ends with NULL. */
static bool check_members(const struct step *s, const char *where, json_t *o,
			  const char *const *names)
{
	const char *key;
	json_t *v;
	if (!json_is_object(o))
		return complain(s, where, "an object {...} is expected");
	json_object_foreach (o, key, v) {
		bool known = false;
		for (const char *const *n = names; *n; n++)
			known |= !strcmp(*n, key);
		if (!known) {
			char all[256] = "";
			for (const char *const *n = names; *n; n++) {
				size_t at = strlen(all);
				snprintf(all + at, sizeof all - at, "%s%s", at ? ", " : "", *n);
			}
			return complain(s, where, "unknown member \"%s\"; expected %s", key, all);
		}
	}
	return true;
}

/* ---- values ---- */

static bool take_text(const struct step *s, const char *where, json_t *o, const char *key,
		      char **out)
{
	json_t *v = json_object_get(o, key);
	if (!v)
		return true;
	if (!json_is_string(v) || !*json_string_value(v))
		return complain(s, where, "\"%s\" must be a string", key);
	*out = strdup(json_string_value(v));
	return *out != NULL;
}

static bool take_number(const struct step *s, const char *where, json_t *o, const char *key,
			double *out)
{
	json_t *v = json_object_get(o, key);
	if (!v)
		return true;
	*out = json_number_value(v);
	if (!json_is_number(v) || *out < 0)
		return complain(s, where, "\"%s\" must be a number of at least 0", key);
	return true;
}

static bool take_count(const struct step *s, const char *where, json_t *o, const char *key,
		       uint64_t *out)
{
	json_t *v = json_object_get(o, key);
	if (!v)
		return true;
	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return complain(s, where, "\"%s\" must be an integer of at least 0", key);
	*out = (uint64_t)json_integer_value(v);
	return true;
}

static bool take_flag(const struct step *s, const char *where, json_t *o, const char *key,
		      bool *out)
{
	json_t *v = json_object_get(o, key);
	if (!v)
		return true;
	*out = json_is_true(v);
	return json_is_boolean(v) || complain(s, where, "\"%s\" must be true or false", key);
}

/* Reads at most `most` integers; *n: their number, 0 if the member is absent. */
static bool take_list(const struct step *s, const char *where, json_t *o, const char *key,
		      uint64_t *out, unsigned most, unsigned *n)
{
	json_t *v = json_object_get(o, key), *item;
	size_t i;
	*n = 0;
	if (!v)
		return true;
	if (!json_is_array(v) || json_array_size(v) > most)
		return complain(s, where, "\"%s\" must be a list of at most %u numbers", key, most);
	json_array_foreach (v, i, item) {
		if (!json_is_integer(item) || json_integer_value(item) < 0)
			return complain(s, where,
					"\"%s\": item %zu must be an integer of at least 0", key,
					i);
		out[(*n)++] = (uint64_t)json_integer_value(item);
	}
	return true;
}

/* Reads one to three sizes, each at least 1; `out` is unchanged if the member is absent. */
static bool take_sizes(const struct step *s, const char *where, json_t *o, const char *key,
		       uint32_t out[3])
{
	uint64_t v[3];
	unsigned n;
	if (!take_list(s, where, o, key, v, 3, &n))
		return false;
	if (!json_object_get(o, key))
		return true;
	for (unsigned i = 0; i < 3; i++) {
		uint64_t size = i < n ? v[i] : 1;
		if (!n || !size || size > UINT32_MAX)
			return complain(s, where,
					"\"%s\" must be one to three sizes, each at least 1", key);
		out[i] = (uint32_t)size;
	}
	return true;
}

/* ---- tensors ---- */

static bool read_tensor(struct step *s, struct step_tensor *t, const char *name, json_t *o)
{
	static const char *const names[] = {"file",   "shape", "dtype", "strides", "save",
					    "expect", "rtol",  "atol",  NULL};
	char where[256], *dtype = NULL;
	unsigned nshape, nstride;
	snprintf(where, sizeof where, "tensors.%s", name);
	*t = (struct step_tensor){.name = strdup(name)};
	if (!t->name || !check_members(s, where, o, names) ||
	    !take_text(s, where, o, "file", &t->file) ||
	    !take_text(s, where, o, "save", &t->save) ||
	    !take_text(s, where, o, "expect", &t->expect) ||
	    !take_number(s, where, o, "rtol", &t->rtol) ||
	    !take_number(s, where, o, "atol", &t->atol) ||
	    !take_list(s, where, o, "shape", t->shape, NPY_DIMS, &nshape) ||
	    !take_list(s, where, o, "strides", t->stride, NPY_DIMS, &nstride) ||
	    !take_text(s, where, o, "dtype", &dtype))
		return false;
	t->has_shape = json_object_get(o, "shape") != NULL;
	t->has_stride = json_object_get(o, "strides") != NULL;
	t->ndim = nshape;
	if (dtype && !(t->type = npy_type(dtype))) {
		complain(s, where, "\"dtype\": unknown type %s; expected one of %s", dtype,
			 npy_type_names());
		free(dtype);
		return false;
	}
	free(dtype);
	if (!t->file && (!t->has_shape || !t->type))
		return complain(s, where,
				"a tensor without \"file\" needs \"shape\" and \"dtype\"");
	if (t->has_stride && (!t->has_shape || nstride != nshape))
		return complain(s, where, "\"strides\" needs a number for each of \"shape\"");
	uint64_t count = 1;
	for (unsigned i = 0; i < t->ndim; i++) {
		if (t->shape[i] && count > (1ull << 40) / t->shape[i])
			return complain(s, where, "\"shape\" has more than a tera of elements");
		count *= t->shape[i];
	}
	return true;
}

static bool read_tensors(struct step *s, json_t *o)
{
	const char *name;
	json_t *v;
	if (!o)
		return true;
	if (!json_is_object(o))
		return complain(s, "tensors", "an object of tensors by name is expected");
	s->tensor = calloc(json_object_size(o) + 1, sizeof *s->tensor);
	json_object_foreach (o, name, v)
		if (!s->tensor || !read_tensor(s, &s->tensor[s->ntensors++], name, v))
			return false;
	return true;
}

static bool find_tensor(const struct step *s, const char *where, json_t *name, unsigned *out)
{
	for (unsigned i = 0; i < s->ntensors && json_is_string(name); i++)
		if (!strcmp(s->tensor[i].name, json_string_value(name))) {
			*out = i;
			return true;
		}
	return complain(s, where, "there is no tensor %s among \"tensors\"",
			json_is_string(name) ? json_string_value(name) : "without a name");
}

/* ---- arguments ---- */

static bool set_bytes(struct step_arg *a, const void *data, unsigned n)
{
	a->kind = STEP_BYTES;
	a->nbytes = n;
	a->bytes = malloc(n + 1);
	if (a->bytes)
		memcpy(a->bytes, data, n);
	return a->bytes != NULL;
}

static bool read_hex(const struct step *s, const char *where, const char *hex, struct step_arg *a)
{
	size_t n = strlen(hex);
	char *data = n % 2 == 0 && n <= 8192 ? malloc(n / 2 + 1) : NULL;
	bool ok = data != NULL && n;
	for (size_t i = 0; i < n / 2 && ok; i++) {
		unsigned byte;
		char two[3] = {hex[2 * i], hex[2 * i + 1], 0}, rest;
		ok = strspn(two, "0123456789abcdefABCDEF") == 2 &&
		     sscanf(two, "%2x%c", &byte, &rest) == 1;
		data[i] = ok ? (char)byte : 0;
	}
	ok = ok ? set_bytes(a, data, (unsigned)(n / 2))
		: complain(s, where, "\"bytes\" must be at most 4096 bytes as hexadecimal digits");
	free(data);
	return ok;
}

static bool read_integer(const struct step *s, const char *where, const char *type, json_t *v,
			 struct step_arg *a)
{
	unsigned bits = (unsigned)atoi(type + 1);
	bool is_signed = *type == 'i' && bits > 1;
	int64_t x = json_is_boolean(v) ? json_is_true(v) : json_integer_value(v), least = 0,
		most = INT64_MAX;
	if (is_signed)
		least = bits == 64 ? INT64_MIN : -(1ll << (bits - 1));
	if (bits < 64)
		most = (1ll << (bits - is_signed)) - 1;
	else if (!is_signed)
		least = INT64_MIN; /* JSON's integers end at 2^63: larger ones are written as the
				    * negative number with their bits */
	if (!json_is_integer(v) && !json_is_boolean(v))
		return complain(s, where, "\"%s\" must be an integer", type);
	if (x < least || x > most)
		return complain(s, where, "%lld does not fit %s", (long long)x, type);
	return set_bytes(a, &x, bits < 8 ? 1 : bits / 8);
}

/* Bits of v as a 16-bit float with that many bits of mantissa (10: f16, 7: bf16), rounded once, to
 * nearest even. */
static uint16_t half_of(double v, unsigned mantissa)
{
	unsigned sign = signbit(v) ? 0x8000 : 0, infinity = 0x7fffu >> mantissa << mantissa;
	int bias = (1 << (14 - mantissa)) - 1, e;
	if (isnan(v))
		return (uint16_t)(infinity | 1u << (mantissa - 1));
	if (v == 0 || isinf(v))
		return (uint16_t)(sign | (v == 0 ? 0 : infinity));
	frexp(v, &e);
	e = e - 1 < 1 - bias ? 1 - bias : e - 1; /* below: the smallest normal number's */
	/* in units of the last place; the leading bit of a normal number adds one to the exponent */
	double units = nearbyint(ldexp(fabs(v), (int)mantissa - e));
	double bits = units + ldexp(e + bias - 1, (int)mantissa);
	return (uint16_t)(sign | (bits >= infinity ? infinity : (unsigned)bits));
}

static bool read_float(const struct step *s, const char *where, const char *type, json_t *v,
		       struct step_arg *a)
{
	double d = json_number_value(v);
	float f = (float)d;
	uint16_t half = half_of(d, *type == 'b' ? 7 : 10);
	if (!json_is_number(v)) {
		/* JSON has no infinities. */
		const char *text = json_is_string(v) ? json_string_value(v) : "";
		if (strcmp(text, "inf") && strcmp(text, "-inf") && strcmp(text, "nan"))
			return complain(s, where,
					"\"%s\" must be a number, \"inf\", \"-inf\" or \"nan\"",
					type);
		d = strtod(text, NULL);
		f = (float)d;
		half = half_of(d, *type == 'b' ? 7 : 10);
	}
	if (!strcmp(type, "f64"))
		return set_bytes(a, &d, 8);
	if (!strcmp(type, "f32"))
		return set_bytes(a, &f, 4);
	return set_bytes(a, &half, 2);
}

static bool read_descriptor(const struct step *s, const char *where, json_t *o, struct step_arg *a)
{
	static const char *const names[] = {"descriptor", "box",     "swizzle", "nan_fill", "tf32",
					    "offset",     "strides", "shape",   NULL};
	unsigned nstride = 0;
	static const unsigned swizzles[] = {0, 32, 64, 128};
	uint64_t box[5], bytes = 0;
	a->kind = STEP_DESCRIPTOR;
	a->swizzle = -1;
	if (!check_members(s, where, o, names) ||
	    !find_tensor(s, where, json_object_get(o, "descriptor"), &a->tensor) ||
	    !take_list(s, where, o, "box", box, 5, &a->nbox) ||
	    !take_flag(s, where, o, "nan_fill", &a->nan_fill) ||
	    !take_flag(s, where, o, "tf32", &a->round_tf32) ||
	    !take_count(s, where, o, "offset", &a->offset) ||
	    !take_list(s, where, o, "shape", a->shape, 5, &a->ndim) ||
	    !take_list(s, where, o, "strides", a->stride, 5, &nstride) ||
	    !take_count(s, where, o, "swizzle", &bytes))
		return false;
	if (a->ndim != nstride || (a->offset && !a->ndim))
		return complain(
			s, where,
			"\"shape\" and \"strides\" must be given together, and with \"offset\"");
	for (unsigned i = 0; i < a->nbox; i++)
		a->box[i] = box[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)box[i];
	for (unsigned i = 0; i < 4 && json_object_get(o, "swizzle"); i++)
		if (swizzles[i] == bytes)
			a->swizzle = (int)i;
	if (json_object_get(o, "swizzle") && a->swizzle < 0)
		return complain(s, where, "\"swizzle\" must be 0, 32, 64 or 128 bytes");
	return true;
}

static bool read_arg(const struct step *s, const char *where, json_t *v, struct step_arg *a)
{
	static const char *const integers[] = {"i1", "i8",  "i16", "i32", "i64", "u1",
					       "u8", "u16", "u32", "u64", NULL};
	static const char *const floats[] = {"f16", "bf16", "f32", "f64", NULL};
	static const char *const of_tensor[] = {"tensor", "offset", NULL};
	if (json_is_string(v))
		return find_tensor(s, where, v, &a->tensor);
	if (json_is_integer(v) || json_is_boolean(v)) {
		a->kind = STEP_BYTES;
		a->is_number = true;
		a->number = json_is_integer(v) ? json_integer_value(v) : json_is_true(v);
		return true;
	}
	if (json_is_object(v) && json_object_get(v, "tensor"))
		return check_members(s, where, v, of_tensor) &&
		       find_tensor(s, where, json_object_get(v, "tensor"), &a->tensor) &&
		       take_count(s, where, v, "offset", &a->offset);
	if (json_is_object(v) && json_object_get(v, "descriptor"))
		return read_descriptor(s, where, v, a);
	if (json_is_object(v) && json_object_size(v) == 1) {
		const char *type = json_object_iter_key(json_object_iter(v));
		json_t *value = json_object_get(v, type);
		if (!strcmp(type, "bytes") && json_is_string(value))
			return read_hex(s, where, json_string_value(value), a);
		for (const char *const *n = integers; *n; n++)
			if (!strcmp(*n, type))
				return read_integer(s, where, type, value, a);
		for (const char *const *n = floats; *n; n++)
			if (!strcmp(*n, type))
				return read_float(s, where, type, value, a);
	}
	return complain(
		s, where,
		"expected a tensor's name, an integer, {\"tensor\": ...}, {\"descriptor\": ...}, {\"i32\": 5} "
		"and the like (i1 to i64, u1 to u64, f16, bf16, f32, f64) or {\"bytes\": \"...\"}");
}

/* ---- launches ---- */

static bool read_launch(struct step *s, struct step_launch *l, unsigned number, json_t *o)
{
	static const char *const names[] = {"triton", "file",    "kernel",      "grid", "block",
					    "shared", "cluster", "cooperative", "args", NULL};
	char where[64], place[96];
	snprintf(where, sizeof where, "launches[%u]", number);
	if (!check_members(s, where, o, names) || !take_text(s, where, o, "triton", &l->triton) ||
	    !take_text(s, where, o, "file", &l->file) ||
	    !take_text(s, where, o, "kernel", &l->kernel) ||
	    !take_sizes(s, where, o, "grid", l->grid) ||
	    !take_sizes(s, where, o, "block", l->block) ||
	    !take_sizes(s, where, o, "cluster", l->cluster) ||
	    !take_count(s, where, o, "shared", &l->shared) ||
	    !take_flag(s, where, o, "cooperative", &l->cooperative))
		return false;
	if (!l->triton == !l->file)
		return complain(s, where,
				"needs either \"triton\", a folder, or \"file\", PTX or a cubin");
	if (!l->grid[0])
		return complain(s, where, "\"grid\" is missing");
	if (!l->block[0] && !l->triton)
		return complain(s, where, "\"block\" is missing");
	json_t *args = json_object_get(o, "args"), *v;
	size_t i;
	if (args && !json_is_array(args))
		return complain(s, where, "\"args\" must be a list");
	l->arg = calloc(json_array_size(args) + 1, sizeof *l->arg);
	json_array_foreach (args, i, v) {
		snprintf(place, sizeof place, "%s.args[%zu]", where, i);
		if (!l->arg || !read_arg(s, place, v, &l->arg[l->nargs++]))
			return false;
		l->arg[i].expands = l->arg[i].kind == STEP_DESCRIPTOR && l->triton;
	}
	return !l->triton || triton_read(s, l, where);
}

static bool read_launches(struct step *s, json_t *list)
{
	size_t i;
	json_t *v;
	if (!json_is_array(list) || !json_array_size(list))
		return complain(s, "launches", "a list of at least one launch is expected");
	s->launch = calloc(json_array_size(list), sizeof *s->launch);
	json_array_foreach (list, i, v)
		if (!s->launch || !read_launch(s, &s->launch[s->nlaunches++], (unsigned)i, v))
			return false;
	return true;
}

/* ---- the file ---- */

bool step_is(const char *data, size_t n)
{
	size_t at = 0;
	while (at < n && strchr(" \t\r\n", data[at]) && data[at])
		at++;
	return at < n && (data[at] == '{' || data[at] == '[');
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
}

bool step_read(struct step *s, const char *path, const char *data, size_t n, bool native)
{
	static const char *const names[] = {"format", "tensors", "launches", NULL};
	json_error_t e;
	*s = (struct step){.name = path, .folder = folder_of(path), .native = native};
	json_t *root = json_loadb(data, n, JSON_REJECT_DUPLICATES, &e);
	if (!root) {
		cli_error("run", "%s:%d:%d: %s", path, e.line, e.column, e.text);
		return false;
	}
	const char *format = json_string_value(json_object_get(root, "format"));
	bool ok = s->folder && check_members(s, "", root, names);
	if (ok && (!format || strcmp(format, "heddle step 1")))
		ok = complain(s, "", "\"format\" is %s; expected \"heddle step 1\"",
			      format ? format : "missing");
	ok = ok && read_tensors(s, json_object_get(root, "tensors")) &&
	     read_launches(s, json_object_get(root, "launches"));
	json_decref(root);
	return ok;
}

char *step_path(const struct step *s, const char *path)
{
	char *all = NULL;
	return asprintf(&all, "%s%s", *path == '/' ? "" : s->folder, path) < 0 ? NULL : all;
}

void step_free(struct step *s)
{
	for (unsigned i = 0; i < s->ntensors; i++) {
		struct step_tensor *t = &s->tensor[i];
		cli_output_drop(&t->out);
		free(t->name);
		free(t->file);
		free(t->save);
		free(t->expect);
	}
	for (unsigned i = 0; i < s->nlaunches; i++) {
		struct step_launch *l = &s->launch[i];
		for (unsigned k = 0; k < l->nargs; k++)
			free(l->arg[k].bytes);
		free(l->arg);
		free(l->triton);
		free(l->file);
		free(l->kernel);
		free(l->map);
	}
	free(s->tensor);
	free(s->launch);
	free(s->folder);
	*s = (struct step){0};
}
