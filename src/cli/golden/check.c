/* Runs golden variants and judges their results. check.h has the interface. */
#include "cli/golden/check.h"
#include <stdlib.h>
#include <string.h>
#include "command/command.h"
#include "cli/golden/bound.h"
#include "heddle.h"

static const char NO_CUBIN[] = "there is no machine code for its module";

enum { ELEMENT_BYTES = 32, CTA = 32, PREFILL = 0xa5 };

struct buffers {
	uint32_t n;
	uint64_t in, out;
};

struct checker {
	struct golden_set *set;
	struct heddle *gpu;
	enum heddle_code code;
	/* pairs of buffers, one pair per number of elements that has occurred */
	struct buffers *buf;
	unsigned bufs;
	uint64_t *words; /* operands and results of one variant, in host memory */
	uint8_t *out;
	uint32_t room;
	/* The current module: */
	const char *name;
	char *text;
	size_t size;
	/* NULL: the module cannot be loaded as a whole, so kernels are loaded one by one */
	struct heddle_module *module;
};

/* ---- modules ---- */

/* Returns the start of the first line at or after p that declares a kernel; NULL: none. */
static const char *next_entry(const char *p)
{
	while (p) {
		size_t n = strspn(p, " \t");
		if (!strncmp(p + n, ".visible", 8))
			n += 8 + strspn(p + n + 8, " \t");
		if (!strncmp(p + n, ".entry", 6))
			return p;
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	return NULL;
}

/* Returns the module's head and one of its kernels as a separate text. */
static char *cut_entry(const struct checker *c, const char *entry)
{
	const char *head_end = next_entry(c->text);
	size_t len = strlen(entry);
	for (const char *p = head_end, *end; p; p = end) {
		end = next_entry(strstr(p, ".entry") + 6);
		const char *name = strstr(p, ".entry") + 6;
		name += strspn(name, " \t");
		if (strncmp(name, entry, len) ||
		    (name[len] != '(' && name[len] != ' ' && name[len] != '\n'))
			continue;
		char *text;
		int body = (int)(end ? end - p : (long)strlen(p));
		return asprintf(&text, "%.*s%.*s", (int)(head_end - c->text), c->text, body, p) < 0
			       ? NULL
			       : text;
	}
	return NULL;
}

/* Makes `name` the current module. If its text cannot be read, reports that; its variants cannot
 * run then. */
static void use_module(struct checker *c, const char *name)
{
	if (c->name && !strcmp(c->name, name))
		return;
	if (c->module)
		heddle_unload(c->gpu, c->module);
	free(c->text);
	c->module = NULL;
	c->name = name;
	bool native = c->set->cubins || c->set->cubin_tar;
	c->text = native ? golden_cubin(c->set, name, &c->size)
			 : golden_module(c->set, name, &c->size);
	if (!c->text)
		return;
	struct heddle_text t = {name, c->text, c->size};
	if (heddle_load(c->gpu, &t, 1, &c->module))
		c->module = NULL;
}

/* ---- one variant ---- */

static struct buffers *get_buffers(struct checker *c, uint32_t n)
{
	for (unsigned i = 0; i < c->bufs; i++)
		if (c->buf[i].n == n)
			return &c->buf[i];
	struct buffers *more = realloc(c->buf, (c->bufs + 1) * sizeof *more);
	if (!more)
		return NULL;
	c->buf = more;
	struct buffers *b = &c->buf[c->bufs];
	*b = (struct buffers){.n = n};
	uint64_t bytes = (uint64_t)n * ELEMENT_BYTES;
	if (heddle_malloc(c->gpu, bytes, &b->in) || heddle_malloc(c->gpu, bytes, &b->out))
		return NULL;
	c->bufs++;
	return b;
}

static bool make_room(struct checker *c, uint32_t n)
{
	if (n <= c->room)
		return true;
	free(c->words);
	free(c->out);
	c->words = malloc((size_t)n * ELEMENT_BYTES);
	c->out = malloc((size_t)n * ELEMENT_BYTES);
	c->room = c->words && c->out ? n : 0;
	return c->room;
}

static enum heddle_status run_kernel(struct checker *c, const struct variant *v,
				     struct heddle_kernel *k)
{
	struct buffers *b = get_buffers(c, v->n);
	if (!b)
		return HEDDLE_NO_MEMORY;
	size_t bytes = (size_t)v->n * ELEMENT_BYTES;
	uint64_t params[2] = {b->in, b->out};
	struct heddle_launch l = {
		.kernel = k, .grid = {v->n / CTA, 1, 1}, .block = {CTA, 1, 1}, .params = params};
	enum heddle_status s = heddle_write(c->gpu, b->in, c->words, bytes);
	s = s ? s : heddle_fill(c->gpu, b->out, PREFILL, 1, bytes);
	s = s ? s : heddle_launch(c->gpu, &l);
	return s ? s : heddle_read(c->gpu, c->out, b->out, bytes);
}

static char *run_variant(struct checker *c, const struct variant *v)
{
	struct heddle_module *m = c->module;
	if (!m && (c->set->cubins || c->set->cubin_tar))
		return strdup(heddle_message(c->gpu));
	if (!m) {
		char *text = cut_entry(c, v->entry);
		if (!text)
			return strdup("the module cannot be loaded, and the kernel is not found in "
				      "its text");
		struct heddle_text t = {c->name, text, strlen(text)};
		enum heddle_status s = heddle_load(c->gpu, &t, 1, &m);
		free(text);
		if (s)
			return strdup(heddle_message(c->gpu));
	}
	struct heddle_kernel *k = heddle_kernel_find(m, v->entry);
	char *error = NULL;
	struct heddle_kernel_info info = {0};
	if (k)
		heddle_kernel_info(k, &info);
	if (!k)
		error = strdup("the module has no such kernel");
	else if (info.nparam != 2 || info.param_bytes != 16)
		error = strdup(
			"the kernel does not take the two addresses of the vectors' convention");
	else if (run_kernel(c, v, k))
		error = strdup(heddle_message(c->gpu));
	if (m != c->module)
		heddle_unload(c->gpu, m);
	return error;
}

static uint64_t little_endian(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;
	while (n--)
		v = v << 8 | p[n];
	return v;
}

/* True if a result that differs from the recorded one is allowed. */
static bool accepts(const struct variant *v, const struct operands *g, const uint64_t *words,
		    uint32_t i, unsigned r, uint64_t got, uint64_t recorded)
{
	uint32_t manual;
	switch (v->exactness) {
	case APPROX: return bound_accepts(v, g, words, i, r, got, recorded);
	case EMULATED: /* a result as the manual defines it is as good as the GPU's */
		return !r && video_exact(v->name, words + OPERANDS_MAX * i, &manual) &&
		       got == manual;
	default: return false;
	}
}

static void compare_results(const struct checker *c, const struct variant *v,
			    const struct operands *g, const uint8_t *recorded, unsigned half,
			    struct tally *t)
{
	for (uint32_t e = 0; e < v->vectors * v->lanes; e++) {
		uint32_t i = (2 * (e / v->lanes) + half) * v->lanes + e % v->lanes;
		bool differ = false, wrong = false;
		for (unsigned r = 0; r < v->results; recorded += v->res_bytes[r++]) {
			uint64_t want = little_endian(recorded, v->res_bytes[r]);
			uint64_t got =
				little_endian(c->out + ELEMENT_BYTES * i + 8 * r, v->res_bytes[r]);
			if (got == want)
				continue;
			bool bad = !accepts(v, g, c->words, i, r, got, want);
			if (bad && c->code != HEDDLE_CODE_PTX)
				bad = !machine_accepts(c->code == HEDDLE_CODE_TESLA, v,
						       c->words + OPERANDS_MAX * i, r, got, want);
			if (!t->differ || (bad && !t->wrong)) {
				if (!differ || (bad && !wrong)) {
					t->element = i, t->result = r, t->got = got,
					t->recorded = want;
					memcpy(t->operand, c->words + OPERANDS_MAX * i,
					       sizeof t->operand);
				}
			}
			differ = true;
			wrong |= bad;
		}
		t->elements++;
		t->differ += differ;
		t->wrong += wrong;
	}
}

/* Checks a variant. Returns NULL, or the reason why it could not be checked. */
static char *check_variant(struct checker *c, const struct variant *v, struct verdict *out)
{
	struct operands g;
	const uint8_t *recorded = golden_results(c->set, v);
	if (!c->text)
		return strdup(c->set->cubins || c->set->cubin_tar ? NO_CUBIN
								  : "its module is missing");
	if (!recorded)
		return strdup("its recorded results are missing: the file is absent or too short");
	if (!operands_init(&g, v->name, v->n, v->kinds))
		return strdup("its operand kinds are unknown");
	if (!make_room(c, v->n))
		return strdup("out of memory");
	operands_fill(&g, c->words);
	if (operands_hash(&g, c->words) != v->in_hash)
		return strdup("its operands cannot be regenerated: the index has another hash");
	char *error = run_variant(c, v);
	if (error)
		return error;
	for (unsigned half = 0; half < 2; half++)
		compare_results(c, v, &g, recorded, half, &out->half[half]);
	return NULL;
}

/* True for messages such as "sm_20 has no 'shfl.sync.up.b32'". */
static bool is_refusal(const struct heddle_options *o, const char *error)
{
	return o->code != HEDDLE_CODE_PTX && error && strstr(error, ": error: sm_") &&
	       strstr(error, " has no '");
}

bool golden_check(struct golden_set *s, const struct heddle_options *o, const bool *selected,
		  struct verdict *verdict)
{
	struct checker c = {.set = s, .code = o->code};
	struct heddle_options opt = {.max_instructions = 1 << 24,
				     .code = o->code,
				     .code_without = o->code_without,
				     .native_stack = o->native_stack};
	if (heddle_open(&c.gpu, &opt)) {
		cli_error("golden", "%s", c.gpu ? heddle_message(c.gpu) : "out of memory");
		if (c.gpu)
			heddle_close(c.gpu);
		return false;
	}
	bool *done = calloc(s->variants, sizeof *done), ok = done != NULL;
	/* Variants are grouped by module, so that each module is loaded once. */
	for (unsigned i = 0; ok && i < s->variants; i++) {
		for (unsigned j = i; !done[i] && j < s->variants; j++) {
			const struct variant *v = &s->variant[j];
			if (done[j] || strcmp(v->module, s->variant[i].module))
				continue;
			if (j != i)
				done[j] = true;
			if (!selected || selected[j]) {
				use_module(&c, v->module);
				verdict[j].error = check_variant(&c, v, &verdict[j]);
				verdict[j].absent =
					verdict[j].error && !strcmp(verdict[j].error, NO_CUBIN);
				verdict[j].refused =
					verdict[j].absent || is_refusal(o, verdict[j].error);
			}
		}
		done[i] = true;
	}
	free(done);
	free(c.buf);
	free(c.words);
	free(c.out);
	free(c.text);
	heddle_close(c.gpu);
	return ok;
}
