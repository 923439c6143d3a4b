/* Executes a step: see step.h. All code is loaded, and all arguments are checked as far as
 * possible, before the first launch. Files are written after the last launch has succeeded. */
#include "cli/step/step.h"
#include <stdlib.h>
#include <string.h>

/* ---- from the command line ---- */

static bool add_value(struct step_launch *l, const char *text)
{
	struct step_arg *a = &l->arg[l->nargs++];
	struct param_value v;
	if (!param_value("run", text, &v))
		return false;
	a->kind = STEP_BYTES;
	a->nbytes = v.size;
	a->bytes = v.bytes;
	return a->bytes != NULL;
}

/* "float32[64,128]" of --out. */
static bool parse_shape(const char *text, struct step_tensor *t)
{
	char name[32], *end;
	size_t n = strcspn(text, "[");
	if (n >= sizeof name || text[n] != '[')
		return false;
	memcpy(name, text, n);
	name[n] = 0;
	t->type = npy_type(name);
	t->has_shape = true;
	const char *at = text + n + 1;
	for (uint64_t count = 1; t->type && *at != ']'; at = end + (*end == ',')) {
		if (*at < '0' || *at > '9' || t->ndim == NPY_DIMS)
			return false;
		uint64_t d = t->shape[t->ndim++] = strtoull(at, &end, 10);
		if ((*end != ',' && *end != ']') || (d && count > (1ull << 40) / d))
			return false;
		count *= d;
	}
	return t->type && !at[1];
}

static bool add_tensor(struct step *s, struct step_launch *l, const struct arg *a)
{
	struct step_tensor *t = &s->tensor[s->ntensors];
	l->arg[l->nargs++] = (struct step_arg){.kind = STEP_TENSOR, .tensor = s->ntensors++};
	t->file = a->in ? strdup(a->in) : NULL;
	t->save = a->out ? strdup(a->out) : NULL;
	t->expect = a->expect ? strdup(a->expect) : NULL;
	t->atol = a->atol;
	t->rtol = a->rtol;
	bool good = asprintf(&t->name, "%u", l->nargs - 1) >= 0;
	if (a->kind == ARG_OUT && !parse_shape(a->text, t)) {
		cli_error(
			"run",
			"--out %s: with --triton, expected TYPE[SIZES], such as float32[64,128]; types: %s",
			a->text, npy_type_names());
		return false;
	}
	return good;
}

bool step_from_options(struct step *s, const struct run *r)
{
	*s = (struct step){.name = "--triton",
			   .folder = strdup(""),
			   .native = r->code && !strcmp(r->code, "native")};
	s->tensor = calloc(r->args.n + 1, sizeof *s->tensor);
	s->launch = calloc(1, sizeof *s->launch);
	if (!s->folder || !s->tensor || !s->launch ||
	    !(s->launch->arg = calloc(r->args.n + 1, sizeof *s->launch->arg)))
		return false;
	struct step_launch *l = s->launch;
	s->nlaunches = 1;
	memcpy(l->grid, r->launch.grid, sizeof l->grid);
	memcpy(l->block, r->launch.block, sizeof l->block);
	l->shared = r->launch.shared_bytes;
	l->triton = strdup(r->triton);
	l->kernel = r->file ? strdup(r->file) : r->kernel ? strdup(r->kernel) : NULL;
	for (unsigned i = 0; i < r->args.n; i++) {
		const struct arg *a = &r->args.arg[i];
		if (!(a->kind == ARG_VAL ? add_value(l, a->text) : add_tensor(s, l, a)))
			return false;
	}
	return l->triton && triton_read(s, l, "the kernel");
}

/* ---- programs ---- */

/* The code of launch i, loaded once per file. */
static struct heddle_module *load_code(const struct step *s, unsigned i, struct heddle *h,
				       struct heddle_module **have, bool quiet)
{
	const struct step_launch *l = &s->launch[i];
	for (unsigned k = 0; k < i; k++)
		if (!strcmp(s->launch[k].file, l->file) && !s->launch[k].triton == !l->triton)
			return have[k];
	char *path = l->triton ? strdup(l->file) : step_path(s, l->file);
	size_t size;
	char *data = path ? cli_read("run", path, &size) : NULL;
	struct heddle_module *m = NULL;
	struct heddle_text text = {path, data, data ? size : 0, NULL};
	if (data && heddle_load(h, &text, 1, &m)) {
		cli_print(stderr, heddle_message(h));
		fputc('\n', stderr);
		m = NULL;
	} else if (data && !quiet && *heddle_message(h)) {
		fprintf(stderr, "%s\n", heddle_message(h));
	}
	free(data);
	free(path);
	return m;
}

static struct heddle_kernel *find_kernel(const struct step *s, const struct step_launch *l,
					 struct heddle_module *m, const char *where)
{
	unsigned n = heddle_kernel_count(m);
	struct heddle_kernel *k = l->kernel ? heddle_kernel_find(m, l->kernel)
				  : n == 1  ? heddle_kernel_at(m, 0)
					    : NULL;
	if (!k && l->kernel)
		cli_error("run", "%s: %s: %s has no kernel %s", s->name, where, l->file, l->kernel);
	else if (!k)
		cli_error("run", "%s: %s: %s has %u kernels; \"kernel\" must choose one", s->name,
			  where, l->file, n);
	return k;
}

/* ---- running ---- */

static int run_launch(struct step *s, unsigned i, struct run *r, struct heddle *h,
		      struct heddle_kernel *k,
		      enum heddle_status (*launch)(struct run *r, struct heddle *h))
{
	const struct step_launch *l = &s->launch[i];
	char where[32];
	snprintf(where, sizeof where, "launches[%u]", i);
	void *block = args_pack(s, l, h, k, where);
	if (!block)
		return CLI_USAGE;
	r->launch = (struct heddle_launch){.kernel = k,
					   .shared_bytes = (uint32_t)l->shared,
					   .params = block,
					   .cooperative = l->cooperative};
	memcpy(r->launch.grid, l->grid, sizeof l->grid);
	memcpy(r->launch.block, l->block, sizeof l->block);
	memcpy(r->launch.cluster, l->cluster, sizeof l->cluster);
	clock_gettime(CLOCK_MONOTONIC, &r->start);
	enum heddle_status status = launch(r, h);
	free(block);
	if (!status)
		return CLI_OK;
	cli_error("run", "%s: %s: %s", s->name, where, heddle_message(h));
	return status == HEDDLE_INTERRUPTED ? 130 : CLI_FAILED;
}

static void print_launch(const struct heddle_stats *f, unsigned i)
{
	fprintf(stderr, "launches[%u] %s: %llu warp instructions", i, f->kernel,
		(unsigned long long)f->warp_instructions);
	if (f->cycles)
		fprintf(stderr, ", %llu cycles, %.6g s, %.4g J", (unsigned long long)f->cycles,
			f->gpu_seconds, f->joule);
	fputc('\n', stderr);
}

static int run_launches(struct step *s, struct run *r, struct heddle *h,
			struct heddle_kernel **kernel,
			enum heddle_status (*launch)(struct run *r, struct heddle *h))
{
	for (unsigned i = 0; i < s->nlaunches; i++) {
		unsigned before = heddle_stats_count(h);
		int rc = run_launch(s, i, r, h, kernel[i], launch);
		if (rc)
			return rc;
		if (!r->quiet && heddle_stats_count(h) > before)
			print_launch(heddle_stats_at(h, before), i);
	}
	return CLI_OK;
}

int step_run(struct step *s, struct run *r, struct heddle *h,
	     enum heddle_status (*launch)(struct run *r, struct heddle *h))
{
	struct heddle_module **module = calloc(s->nlaunches, sizeof *module);
	struct heddle_kernel **kernel = calloc(s->nlaunches, sizeof *kernel);
	int rc = module && kernel ? CLI_OK : CLI_FAILED;
	for (unsigned i = 0; i < s->nlaunches && !rc; i++) {
		char where[32];
		snprintf(where, sizeof where, "launches[%u]", i);
		module[i] = load_code(s, i, h, module, r->quiet);
		if (!module[i])
			rc = CLI_FAILED;
		else if (!(kernel[i] = find_kernel(s, &s->launch[i], module[i], where)))
			rc = CLI_USAGE;
	}
	if (!rc && !tensors_load(s, h))
		rc = CLI_FAILED;
	if (!rc)
		rc = run_launches(s, r, h, kernel, launch);
	if (!rc && !tensors_save(s, h))
		rc = CLI_FAILED;
	bool equal = rc || tensors_compare(s, h, r->quiet);
	if (!rc && (!tensors_commit(s) || !equal))
		rc = CLI_FAILED;
	free(module);
	free(kernel);
	return rc;
}
