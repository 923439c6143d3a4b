#include "gpu/trace.h"

#include <inttypes.h>
#include "gpu/meter.h"
#include "mem/msg.h"
#include "sm/trace.h"

enum {
	BLOCK_TRACKS = 100000,
	REQUEST_TRACK = 200000
}; /* tracks of block slots, after all groups; of requests, last */

struct tracer {
	struct gpu *g;
	FILE *f;
	struct trace_range range;
	struct trace *buf; /* per SM in range */
	uint64_t *named;   /* bit set of tracks that have a name already */
	size_t words;      /* 64-bit words of `named` per SM */
	uint64_t id;       /* number of the next asynchronous slice */
	bool any;
};

static unsigned track_count(const struct sm *sm) { return sm->ngroups + sm->blocks.n + 1; }

static void begin_event(struct tracer *t)
{
	fputs(t->any ? ",\n" : "\n", t->f);
	t->any = true;
}

static void name_it(struct tracer *t, const char *what, unsigned pid, unsigned tid,
		    const char *name, unsigned number)
{
	begin_event(t);
	fprintf(t->f, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":\"%s",
		pid, tid, what, name);
	if (number != UINT32_MAX)
		fprintf(t->f, " %u", number);
	fputs("\"}}", t->f);
}

struct tracer *tracer_new(struct gpu *g, const struct trace_range *r, FILE *f)
{
	struct tracer *t = xcalloc(1, sizeof *t);
	*t = (struct tracer){.g = g, .f = f, .range = *r};
	if (!t->range.to)
		t->range.to = NEVER;
	t->buf = xcalloc(g->nsm, sizeof *t->buf);
	t->words = (track_count(g->sm[0]) + 63) / 64;
	t->named = xcalloc(t->words * g->nsm, sizeof *t->named);
	fputc('[', f);
	name_it(t, "process_name", g->nsm, 0, "launches (1 us is a core cycle)", UINT32_MAX);
	for (unsigned i = r->sm_from; i < g->nsm && i <= r->sm_to; i++)
		name_it(t, "process_name", i, 0, "SM", i);
	return t;
}

void tracer_free(struct tracer *t)
{
	if (!t)
		return;
	fputs("\n]\n", t->f);
	fflush(t->f);
	for (unsigned i = 0; i < t->g->nsm; i++)
		vec_free(&t->buf[i].ev);
	free(t->buf);
	free(t->named);
	free(t);
}

/* Gives the SMs their buffers. The SMs may be new: after a fault the GPU is rebuilt. */
void tracer_begin(struct tracer *t)
{
	for (unsigned i = t->range.sm_from; i < t->g->nsm && i <= t->range.sm_to; i++) {
		t->buf[i].from = t->range.from;
		t->buf[i].to = t->range.to;
		t->g->sm[i]->trace = &t->buf[i];
		sm_watch(t->g->sm[i], true);
	}
}

/* ---- events ---- */

/* The number of an event's track. A track is named at its first event, because most groups are never used. */
static unsigned track_of(struct tracer *t, const struct sm *sm, const struct trace_event *e)
{
	const char *name = sm->div.ops->groups_per_warp == 1 ? "warp" : "group";
	unsigned n = e->track, tid = n, number = n;
	if (e->kind == TRACE_BLOCK)
		name = "block slot", n += sm->ngroups, tid += BLOCK_TRACKS;
	if (e->kind == TRACE_REQUEST)
		name = "memory requests", n = track_count(sm) - 1, tid = REQUEST_TRACK,
		number = UINT32_MAX;
	uint64_t *word = &t->named[sm->id * t->words + n / 64], bit = 1ull << n % 64;
	if (!(*word & bit))
		name_it(t, "thread_name", sm->id, tid, name, number);
	*word |= bit;
	return tid;
}

static const char *instruction_text(const struct trace_event *e)
{
	const struct inst *in = e->k->l->img->code[e->pc].in;
	return in->text ? in->text : op_info[in->op].name;
}

static void print_place(struct tracer *t, const struct trace_event *e)
{
	fprintf(t->f, "\"args\":{\"pc\":%u,\"line\":%u", e->pc, e->k->l->img->code[e->pc].in->line);
}

static void print_slice(struct tracer *t, const struct trace_event *e, unsigned pid, unsigned tid,
			const char *cat, const char *name)
{
	begin_event(t);
	fprintf(t->f,
		"{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
		",\"cat\":\"%s\",\"name\":\"%s\",",
		pid, tid, e->from, e->to - e->from, cat, name);
}

static const char *state_word(uint64_t state)
{
	return state < GS_READY ? slot_stats.def[SLOT_barrier + state - GS_BARRIER].name : "ready";
}

/* Writes the beginning or the end of a slice that may overlap others of its track. */
static void print_async(struct tracer *t, const struct trace_event *e, unsigned pid, unsigned tid,
			bool end, const char *cat)
{
	begin_event(t);
	fprintf(t->f,
		"{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"id\":%" PRIu64
		",\"cat\":\"%s\",\"name\":\"",
		end ? 'e' : 'b', pid, tid, end ? e->to : e->from, t->id, cat);
}

static void write_request(struct tracer *t, const struct trace_event *e, unsigned pid, unsigned tid,
			  bool end)
{
	static const char *const op[MSG_KINDS] = {"read", "write", "atomic"};
	static const char *const class[MSG_CLASSES] = {"global", "local", "constant", "texture",
						       "instruction"};
	print_async(t, e, pid, tid, end, "request");
	fprintf(t->f, "%s %s\",\"args\":{\"address\":\"%#" PRIx64 "\",\"bytes\":%u,\"slice\":%u}}",
		op[e->op], class[e->class], e -> value, e -> pc, e -> track);
}

static void write_event(struct tracer *t, const struct sm *sm, const struct trace_event *e)
{
	unsigned tid = track_of(t, sm, e);
	switch (e->kind) {
	case TRACE_ISSUE:
		print_slice(t, e, sm->id, tid, "issue", instruction_text(e));
		print_place(t, e);
		fprintf(t->f, ",\"lanes\":%d,\"mask\":\"%" PRIx64 "\"}}",
			__builtin_popcountll(e->value), e->value);
		break;
	case TRACE_WAIT:
		print_slice(t, e, sm->id, tid, "wait", state_word(e->value));
		print_place(t, e);
		fprintf(t->f, ",\"instruction\":\"%s\"}}", instruction_text(e));
		break;
	case TRACE_MEMORY:
		for (int end = 0; end < 2; end++) {
			print_async(t, e, sm->id, tid, end, "memory");
			fprintf(t->f, "%s\",", instruction_text(e));
			print_place(t, e);
			fputs("}}", t->f);
		}
		t->id++;
		break;
	case TRACE_REQUEST:
		for (int end = 0; end < 2; end++)
			write_request(t, e, sm->id, tid, end);
		t->id++;
		break;
	default:
		print_slice(t, e, sm->id, tid, "block", e->k->l->img->kernel->name);
		fprintf(t->f, "\"args\":{\"block\":%" PRIu64 "}}", e->value);
	}
}

void tracer_window(struct tracer *t)
{
	for (unsigned i = 0; i < t->g->nsm; i++) {
		for (size_t k = 0; k < t->buf[i].ev.n; k++)
			write_event(t, t->g->sm[i], &t->buf[i].ev.v[k]);
		t->buf[i].ev.n = 0;
	}
}

void tracer_power(struct tracer *t, const struct meter *m)
{
	const char *comma = "";
	cycle_t at = m->at[1 - m->k];
	if (at < t->range.from || at >= t->range.to)
		return;
	begin_event(t);
	fprintf(t->f,
		"{\"ph\":\"C\",\"pid\":%u,\"tid\":0,\"ts\":%" PRIu64
		",\"name\":\"power, W\",\"args\":{",
		t->g->nsm, at);
	for (unsigned c = 0; c < COMP_COUNT; c++) {
		double w = meter_watts(m, c, -1);
		if (w <= 0)
			continue;
		fprintf(t->f, "%s\"%s\":%.6g", comma, power_components[c].name, w);
		comma = ",";
	}
	fputs("}}", t->f);
}

void tracer_end(struct tracer *t, cycle_t at)
{
	for (unsigned i = 0; i < t->g->nsm; i++)
		if (t->g->sm[i]->trace)
			trace_rest(t->g->sm[i], at);
	tracer_window(t);
	fflush(t->f);
}

void tracer_launch(struct tracer *t, unsigned n, const char *kernel, cycle_t from, cycle_t to)
{
	begin_event(t);
	fprintf(t->f,
		"{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%" PRIu64
		",\"cat\":\"launch\",\"name\":\"%s\"}",
		t->g->nsm, n, from, to - from, kernel);
}
