/* Opens and closes a GPU, and keeps its last message. */
#include "api/api.h"
#include "api/checkpoint.h"
#include "api/sampled.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include "conf/machine.h"
#include "debug/debug.h"
#include "exec/tex/tex.h"
#include "front/ptx/ptx.h"
#include "gpu/gpu.h"
#include "gpu/sample.h"

static enum heddle_status open_machine(struct heddle *h)
{
	struct diag d = {0};
	enum heddle_status st = HEDDLE_OK;
	h->machine = machine_read(h->opt.config, h->opt.set, &d);
	if (h->machine)
		h->nsm = h->machine->sms;
	if (h->machine && h->opt.timing) {
		if (h->opt.check_race || h->opt.check_init)
			diag_error(&d, "race and initialisation checks need functional mode");
		else if (h->opt.check_warn)
			diag_error(&d, "--check warn needs functional mode");
		else
			h->gpu = gpu_new(h->machine, h->opt.threads, &d);
	}
	if (h->gpu)
		machine_unused(h->machine, &d);
	if (d.n) /* warnings are a message too */
		st = api_fail_diag(h, d.errors ? HEDDLE_BAD_INPUT : HEDDLE_OK, &d);
	diag_free(&d);
	return st;
}

static const uint64_t DEFAULT_BYTES = 16ull << 30;
/* End of the addresses for code compiled from PTX, which has 32-bit addresses. */
static const uint64_t NATIVE_BYTES = 0xf0000000ull - HEAP_BASE;

static void limit_memory(struct heddle *h, uint64_t bytes)
{
	bool small = h->opt.code != HEDDLE_CODE_PTX && h->opt.code != HEDDLE_CODE_SM90 &&
		     bytes > NATIVE_BYTES;
	h->mem.limit = small ? NATIVE_BYTES : bytes;
}

enum heddle_status heddle_open(struct heddle **out, const struct heddle_options *opt)
{
	struct heddle *h = xcalloc(1, sizeof *h);
	*out = h;
	if (opt)
		h->opt = *opt;
	uint64_t bytes = h->opt.memory_bytes ? h->opt.memory_bytes : DEFAULT_BYTES;
	devmem_init(&h->mem, bytes);
	limit_memory(h, bytes);
	h->mem.shadowed = h->opt.check_race || h->opt.check_init;
	h->mem.check_init = h->opt.check_init;
	h->mem.lenient = h->opt.check_warn;
	h->mem.site = h->opt.allocated_at;
	h->mem.site_arg = h->opt.arg;
	h->while_masks = h->opt.native_stack == HEDDLE_TOKENS_WHILE;
	h->native_pdom = h->opt.native_stack == HEDDLE_PDOM;
	heap_init(&h->heap);
	h->tex = textures_new();
	h->heap_bytes = 8ull << 20; /* as on a GPU, where malloc() beyond that returns NULL */
	h->stack_extra = 64 << 10;
	h->nsm = 15;
	enum heddle_status st = h->opt.timing || h->opt.config ? open_machine(h) : HEDDLE_OK;
	if (!st && h->machine && !h->opt.memory_bytes)
		limit_memory(h, (uint64_t)h->machine->global_mb << 20);
	if (!st && h->opt.check_warn && (h->mem.shadowed || h->opt.no_check))
		st = api_fail(h, HEDDLE_INVALID,
			      "the check warn goes with no other check of memory");
	if (!st && h->gpu && h->opt.check_scalar && !h->machine->diverge->as_compiled)
		st = api_fail(
			h, HEDDLE_INVALID,
			"--check scalar needs sm.divergence=pdom: with %s the threads of a warp "
			"meet elsewhere than the compiler knows",
			policy_name(h->machine->diverge));
	if (h->gpu && !gpu_has_tokens(h->gpu))
		h->native_pdom =
			true; /* the machine's divergence mechanism does not support tokens */
	if (!st && h->opt.check_report && !reports_open(h))
		st = api_fail(h, HEDDLE_INVALID, "%s: %s", h->opt.check_report, strerror(errno));
	if (!st && h->opt.record)
		st = api_record_parse(h, h->opt.record);
	if (!st && h->opt.debug && (h->gpu || h->mem.shadowed))
		st = api_fail(
			h, HEDDLE_INVALID,
			h->gpu ? "the debugger follows functional mode, not timing mode"
			       : "the debugger and the checks race and init exclude each other");
	if (!st && h->opt.debug)
		h->debug = debug_new(h->opt.debug == HEDDLE_DEBUG_GDB, h->opt.debug_in,
				     h->opt.debug_out);
	if (!st)
		st = api_choose(h);
	if (!st)
		st = api_sampled_open(h);
	if (!st)
		st = api_checkpoint_open(h);
	return st ? st : api_observe_open(h);
}

void heddle_close(struct heddle *h)
{
	if (!h)
		return;
	heddle_finish(h);
	debug_free(h->debug);
	h->debug = NULL;
	while (h->modules.n)
		heddle_unload(h, h->modules.v[h->modules.n - 1]);
	vec_free(&h->modules);
	for (size_t i = 0; i < h->launches.n; i++) {
		free(h->launches.v[i].by_op_warp);
		vec_free(&h->launches.v[i].native);
		free(h->launches.v[i].by_op_thread);
		json_decref(h->launches.v[i].issues);
		stat_report_free(h->launches.v[i].report);
		stat_report_free(h->launches.v[i].together);
		free(h->launches.v[i].spread);
		api_thinned_free(&h->launches.v[i]);
	}
	vec_free(&h->traffic.place);
	vec_free(&h->launches);
	vec_free(&h->chosen.ranges);
	choice_kernels_free(&h->chosen.kernels);
	api_sampled_free(h);
	api_checkpoint_free(h);
	json_decref(h->reports);
	free(h->control);
	api_profiles_free(h);
	arena_free(&h->names);
	sampler_free(h->series);
	gpu_free(h->gpu);
	api_energy_free(h);
	machine_free(h->machine);
	textures_free(h->tex);
	heap_fini(&h->heap);
	devmem_fini(&h->mem);
	vec_free(&h->warned);
	free(h->recent);
	free(h->message);
	free(h);
}

const char *heddle_message(const struct heddle *h) { return h->message ? h->message : ""; }
bool heddle_interrupt(struct heddle *h)
{
	enum { MOMENT = 250000000 };
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	uint64_t now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec, first = 0;
	if (atomic_compare_exchange_strong(&h->interrupted_at, &first, now))
		first = now;
	atomic_store(&h->interrupt, true);
	return now < first + MOMENT;
}
const struct heddle_fault *heddle_fault(const struct heddle *h) { return &h->fault; }

enum heddle_status api_fail(struct heddle *h, enum heddle_status st, const char *fmt, ...)
{
	va_list ap;
	char *text = NULL;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = xstrdup("out of memory");
	va_end(ap);
	free(h->message);
	h->message = text;
	return st;
}

void api_warn(const struct heddle *h, const char *text)
{
	if (h->opt.warn)
		h->opt.warn(h->opt.arg, text);
	else
		fprintf(stderr, "heddle: %s\n", text);
}

enum heddle_status api_fail_diag(struct heddle *h, enum heddle_status st, const struct diag *d)
{
	free(h->message);
	h->message = diag_string(d);
	size_t n = strlen(h->message);
	if (n && h->message[n - 1] == '\n')
		h->message[n - 1] = 0;
	return st;
}

char *heddle_ptx_table(void)
{
	char *s = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&s, &n);
	if (!f)
		return xstrdup("");
	ptx_print_table(f);
	fclose(f);
	return s;
}
