/* Tensors of a step in device memory: see step.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/step/step.h"

/* ---- layout ---- */

static uint64_t count_elements(const struct step_tensor *t)
{
	uint64_t n = 1;
	for (unsigned i = 0; i < t->ndim; i++)
		n *= t->shape[i];
	return n;
}

/* A tensor with strides of 0 can have far more elements than memory; its file cannot. */
static const uint64_t LARGEST_FILE = 1ull << 34;

/* Strides of contiguous rows, if none are given; then the number of elements that the tensor
 * spans. */
static bool lay_out(struct step_tensor *t)
{
	uint64_t next = 1;
	for (unsigned i = t->ndim; i-- > 0 && !t->has_stride;) {
		t->stride[i] = next;
		next *= t->shape[i] ? t->shape[i] : 1;
	}
	t->extent = count_elements(t) ? 1 : 0;
	for (unsigned i = 0; i < t->ndim && t->extent; i++) {
		uint64_t room = (1ull << 40) - t->extent, steps = t->shape[i] - 1;
		if (steps && t->stride[i] > room / steps)
			return false;
		t->extent += steps * t->stride[i];
	}
	return true;
}

/* Moves elements between dense rows in C order (or in the file's order) and the tensor's own places. */
static void move_elements(const struct step_tensor *t, bool fortran, uint8_t *dense,
			  uint8_t *memory, bool to_memory)
{
	uint64_t index[NPY_DIMS] = {0}, total = count_elements(t);
	unsigned size = t->type->size;
	for (uint64_t n = 0; n < total; n++) {
		uint64_t at = 0;
		for (unsigned i = 0; i < t->ndim; i++)
			at += index[i] * t->stride[i];
		if (to_memory)
			memcpy(memory + at * size, dense + n * size, size);
		else
			memcpy(dense + n * size, memory + at * size, size);
		for (unsigned k = 0; k < t->ndim; k++) {
			unsigned i = fortran ? k : t->ndim - 1 - k;
			if (++index[i] < t->shape[i])
				break;
			index[i] = 0;
		}
	}
}

/* ---- into device memory ---- */

static void say_shape(const uint64_t *shape, unsigned ndim, char *out, size_t n)
{
	size_t at = 0;
	out[0] = 0;
	for (unsigned i = 0; i < ndim && at < n; i++)
		at += (size_t)snprintf(out + at, n - at, "%s%llu", i ? " x " : "",
				       (unsigned long long)shape[i]);
	if (!ndim)
		snprintf(out, n, "a single element");
}

/* True if a file's array can be the tensor: equal shape, elements of equal size. A tensor without a
 * type or shape takes the file's. */
static bool fit_file(const struct step *s, struct step_tensor *t, const struct npy *f,
		     const char *path)
{
	char have[128], want[128];
	if (!t->type)
		t->type = f->type;
	if (!t->has_shape) {
		t->ndim = f->ndim;
		memcpy(t->shape, f->shape, sizeof t->shape);
		t->has_shape = true;
	}
	bool same = t->ndim == f->ndim && !memcmp(t->shape, f->shape, t->ndim * sizeof *t->shape);
	if (same && t->type->size == f->type->size)
		return true;
	say_shape(f->shape, f->ndim, have, sizeof have);
	say_shape(t->shape, t->ndim, want, sizeof want);
	cli_error("run", "%s: tensor %s: %s has %s of %s, expected %s of %s", s->name, t->name,
		  path, have, f->type->name, want, t->type->name);
	return false;
}

static bool load_tensor(struct step *s, struct step_tensor *t, struct heddle *h)
{
	struct npy f = {0};
	char *path = t->file ? step_path(s, t->file) : NULL;
	if (path && (!npy_read(path, &f) || !fit_file(s, t, &f, path))) {
		npy_free(&f);
		free(path);
		return false;
	}
	free(path);
	bool ok = lay_out(t);
	if (!ok)
		cli_error("run", "%s: tensor %s: the strides span more than a tera of elements",
			  s->name, t->name);
	if (ok && (t->save || t->expect) && count_elements(t) > LARGEST_FILE / t->type->size) {
		cli_error(
			"run",
			"%s: tensor %s: %llu elements are too many for a file; expected at most %llu bytes",
			s->name, t->name, (unsigned long long)count_elements(t),
			(unsigned long long)LARGEST_FILE);
		ok = false;
	}
	uint64_t bytes = ok ? t->extent * t->type->size : 0;
	enum heddle_status status = bytes ? heddle_malloc(h, bytes, &t->addr) : HEDDLE_OK;
	if (!status && bytes)
		status = heddle_fill(h, t->addr, 0, 1, bytes);
	uint8_t *memory = !status && bytes && f.data ? calloc(1, bytes) : NULL;
	if (memory) {
		move_elements(t, f.fortran, f.data, memory, true);
		status = heddle_write(h, t->addr, memory, bytes);
		free(memory);
	} else if (!status && bytes && f.data) {
		status = HEDDLE_NO_MEMORY;
	}
	if (status)
		cli_error("run", "%s: tensor %s: %s", s->name, t->name, heddle_message(h));
	npy_free(&f);
	return ok && !status;
}

bool tensors_load(struct step *s, struct heddle *h)
{
	for (unsigned i = 0; i < s->ntensors; i++)
		if (!load_tensor(s, &s->tensor[i], h))
			return false;
	return true;
}

/* ---- out of device memory ---- */

/* The contents in C order, malloc'ed; NULL: already reported. */
static uint8_t *read_back(const struct step *s, const struct step_tensor *t, struct heddle *h)
{
	uint64_t bytes = t->extent * t->type->size;
	uint8_t *memory = malloc(bytes + 1), *dense = malloc(count_elements(t) * t->type->size + 1);
	if (memory && dense && (!bytes || !heddle_read(h, memory, t->addr, bytes))) {
		move_elements(t, false, dense, memory, false);
		free(memory);
		return dense;
	}
	cli_error("run", "%s: tensor %s: %s", s->name, t->name,
		  memory && dense ? heddle_message(h) : "out of memory");
	free(memory);
	free(dense);
	return NULL;
}

bool tensors_save(struct step *s, struct heddle *h)
{
	for (unsigned i = 0; i < s->ntensors; i++) {
		struct step_tensor *t = &s->tensor[i];
		uint8_t *data = t->save ? read_back(s, t, h) : NULL;
		if (!t->save)
			continue;
		if (!data)
			return false;
		size_t size;
		char *file = npy_write(t->type, t->ndim, t->shape, data, &size),
		     *path = step_path(s, t->save);
		bool ok = file && cli_output_write("run", &t->out, path, file, size);
		free(path);
		free(file);
		free(data);
		if (!ok)
			return false;
	}
	return true;
}

bool tensors_commit(struct step *s)
{
	bool ok = true;
	for (unsigned i = 0; i < s->ntensors; i++)
		if (s->tensor[i].out.path)
			ok &= cli_output_commit("run", &s->tensor[i].out);
	return ok;
}

struct difference {
	uint64_t count, first;
	double largest;
};

static struct difference compare_elements(const struct step_tensor *t, const uint8_t *have,
					  const uint8_t *want)
{
	struct difference d = {0};
	bool exact = t->rtol == 0 && t->atol == 0;
	unsigned size = t->type->size;
	uint64_t total = count_elements(t);
	for (uint64_t n = 0; n < total; n++) {
		const uint8_t *a = have + n * size, *b = want + n * size;
		if (!memcmp(a, b, size))
			continue;
		double x = t->type->value(a), y = t->type->value(b), off = fabs(x - y);
		if ((isnan(x) && isnan(y)) || x == y)
			off = 0;
		bool good = !exact && (off == 0 || off <= t->atol + t->rtol * fabs(y));
		/* For equality, all bits count, except the sign of zero and the payload of NaNs. */
		good |= exact && off == 0;
		if (!(off <= d.largest))
			d.largest = off;
		if (!good && !d.count++)
			d.first = n;
	}
	return d;
}

static bool compare_tensor(struct step *s, const struct step_tensor *t, struct heddle *h,
			   bool quiet)
{
	struct npy f;
	char *path = step_path(s, t->expect);
	if (!path || !npy_read(path, &f)) {
		free(path);
		return false;
	}
	struct step_tensor shaped = *t;
	uint8_t *have = fit_file(s, &shaped, &f, path) ? read_back(s, t, h) : NULL, *want = f.data;
	uint8_t *turned = NULL;
	if (have && f.fortran) { /* into C order */
		struct step_tensor dense = *t;
		dense.has_stride = false;
		if (lay_out(&dense) && (turned = malloc(f.count * t->type->size + 1)))
			move_elements(&dense, true, f.data, turned, true);
		want = turned;
	}
	bool ok = have && want;
	if (ok) {
		struct difference d = compare_elements(t, have, want);
		ok = !d.count;
		if (!ok)
			cli_error(
				"run",
				"%s: tensor %s: %llu of %llu elements differ from %s; the first, element %llu, is %g and "
				"not %g; largest difference %g",
				s->name, t->name, (unsigned long long)d.count,
				(unsigned long long)f.count, path, (unsigned long long)d.first,
				t->type->value(have + d.first * t->type->size),
				t->type->value(want + d.first * t->type->size), d.largest);
		else if (!quiet)
			fprintf(stderr,
				"tensor %s: %llu elements as in %s, largest difference %g\n",
				t->name, (unsigned long long)f.count, path, d.largest);
	}
	free(turned);
	free(have);
	npy_free(&f);
	free(path);
	return ok;
}

bool tensors_compare(struct step *s, struct heddle *h, bool quiet)
{
	bool ok = true;
	for (unsigned i = 0; i < s->ntensors; i++)
		if (s->tensor[i].expect)
			ok &= compare_tensor(s, &s->tensor[i], h, quiet);
	return ok;
}
