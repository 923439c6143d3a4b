/* Opens and closes the files of timing mode's time series and timeline. */
#include "api/api.h"
#include "debug/debug.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "conf/machine.h"
#include "gpu/sample.h"
#include "gpu/trace.h"

static bool open_file(struct heddle *h, struct observed *o, const char *path)
{
	struct stat st;
	bool beside = stat(path, &st) || S_ISREG(st.st_mode);
	if (beside && asprintf(&o->part, "%s.part", path) < 0)
		o->part = NULL;
	o->f = beside && !o->part ? NULL : fopen(beside ? o->part : path, "w");
	if (o->f)
		return true;
	free(o->part);
	o->part = NULL;
	api_fail(h, HEDDLE_INVALID, "%s: cannot write: %s", path, strerror(errno));
	return false;
}

/* Zero, or the number of the error because of which the file was not written whole. */
static int close_file(struct observed *o, const char *path)
{
	if (!o->f)
		return 0;
	bool before = ferror(o->f);
	int error = fflush(o->f) ? errno : 0;
	if (before && !error) /* nobody has kept the earlier error: a byte more finds its cause */
		error = write(fileno(o->f), "\n", 1) < 0 ? errno : EIO;
	if (fclose(o->f) && !error)
		error = errno;
	if (o->part && !error && rename(o->part, path))
		error = errno;
	if (o->part && error)
		unlink(o->part);
	free(o->part);
	*o = (struct observed){NULL, NULL};
	return error;
}

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end);
}

/* Reads a range of SMs: "3" or "0-7". */
static bool parse_sms(const char *text, const struct machine *m, struct trace_range *r)
{
	char *end;
	r->sm_from = 0;
	r->sm_to = m->sms - 1;
	if (!text)
		return true;
	r->sm_from = r->sm_to = (unsigned)strtoul(text, &end, 10);
	if (end != text && *end == '-' && end[1] >= '0' && end[1] <= '9')
		r->sm_to = (unsigned)strtoul(end + 1, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && r->sm_from <= r->sm_to && r->sm_to < m->sms;
}

static enum heddle_status open_trace(struct heddle *h)
{
	struct trace_range r = {.from = h->opt.trace_from, .to = h->opt.trace_to};
	if (!parse_sms(h->opt.trace_sm, h->machine, &r))
		return api_fail(h, HEDDLE_INVALID,
				"SMs %s of the timeline: expected N or N-M, from 0 to %u",
				h->opt.trace_sm, h->machine->sms - 1);
	if (r.to && r.to <= r.from)
		return api_fail(
			h, HEDDLE_INVALID,
			"the timeline ends in cycle %llu, which is not after %llu, where it begins",
			(unsigned long long)r.to, (unsigned long long)r.from);
	if (!open_file(h, &h->trace_file, h->opt.trace_file))
		return HEDDLE_INVALID;
	h->tracer = tracer_new(h->gpu, &r, h->trace_file.f);
	return HEDDLE_OK;
}

static const char *sample_path(const struct heddle *h)
{
	return h->opt.sample_file ? h->opt.sample_file : "samples.csv";
}

enum heddle_status api_observe_open(struct heddle *h)
{
	const char *path = sample_path(h);
	if ((h->opt.sample || h->opt.series || h->opt.trace_file) && !h->gpu)
		return api_fail(h, HEDDLE_INVALID, "time series and timeline need timing mode");
	if (h->opt.sample) {
		if (!open_file(h, &h->sample_file, path))
			return HEDDLE_INVALID;
		h->sampler = sampler_new(h->gpu, h->opt.sample, h->sample_file.f,
					 ends_in(path, ".json"));
	}
	if (h->opt.series)
		h->series = sampler_new_kept(h->gpu, h->opt.series);
	return h->opt.trace_file ? open_trace(h) : HEDDLE_OK;
}

enum heddle_status heddle_finish(struct heddle *h)
{
	debug_end(h->debug);
	sampler_free(h->sampler);
	tracer_free(h->tracer);
	h->sampler = NULL;
	h->tracer = NULL;
	int samples = close_file(&h->sample_file, sample_path(h));
	int trace = close_file(&h->trace_file, h->opt.trace_file);
	if (!samples && !trace)
		return HEDDLE_OK;
	return api_fail(h, HEDDLE_INVALID, "%s was not written whole: %s",
			trace ? h->opt.trace_file : sample_path(h),
			strerror(trace ? trace : samples));
}
