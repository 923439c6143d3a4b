/* Recording of an SM's issues: reads the user's request, and prints the record as JSON. */
#include "api/api.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "conf/machine.h"
#include "ir/print.h"
#include "kernel/image.h"
#include "sm/pipeline.h"
#include "sm/record.h"

/* Reads a number that ends at a colon or at the end of the text, or the word that stands for
 * UINT64_MAX. */
static bool take_number(const char **text, const char *word, uint64_t *out)
{
	size_t n = strcspn(*text, ":");
	char *end = (char *)(uintptr_t)*text + n;
	bool named = word && strlen(word) == n && !strncmp(*text, word, n);
	*out = named ? UINT64_MAX : strtoull(*text, &end, 10);
	bool ok = named || (**text >= '0' && **text <= '9');
	ok &= *end == ':' || !*end;
	*text = *end ? end + 1 : end;
	return ok;
}

enum heddle_status api_record_parse(struct heddle *h, const char *text)
{
	const char *p = text;
	uint64_t sm, from, to, launch = 0;
	bool ok = take_number(&p, "any", &sm) && take_number(&p, "first", &from) &&
		  take_number(&p, NULL, &to) && (!*p || take_number(&p, NULL, &launch)) && !*p;
	bool first = ok && from == UINT64_MAX;
	if (first)
		from = 0;
	if (!ok || to <= from)
		return api_fail(
			h, HEDDLE_INVALID,
			"record %s: expected SM:FROM:TO or SM:FROM:TO:LAUNCH, FROM less than TO "
			"(or any for the SM, first:CYCLES for FROM:TO)",
			text);
	if (!h->gpu)
		return api_fail(h, HEDDLE_INVALID, "record %s: only timing mode has cycles", text);
	if (sm != UINT64_MAX && sm >= h->machine->sms)
		return api_fail(h, HEDDLE_INVALID, "record %s: the machine has SMs 0 to %u", text,
				h->machine->sms - 1);
	h->record.sm = sm == UINT64_MAX ? RECORD_ANY : (unsigned)sm;
	h->record.launch = (unsigned)launch;
	h->record.from = from;
	h->record.to = to;
	h->record.first = first;
	return HEDDLE_OK;
}

struct record *api_record_new(const struct heddle *h)
{
	if (!h->record.to || h->launches.n != h->record.launch)
		return NULL;
	struct record *r = xcalloc(1, sizeof *r);
	r->sm = h->record.sm;
	r->from = h->record.from;
	r->to = h->record.to;
	r->first = h->record.first;
	return r;
}

static json_t *issue_json(const struct recorded_issue *i)
{
	json_t *threads = json_array();
	for (unsigned k = 0; k < i->n; k++) {
		const struct recorded_thread *t = &i->thread[k];
		json_array_append_new(threads,
				      json_pack("[i, i, i, I, i, i]", t->cycle, t->lane, t->warp,
						(json_int_t)t->block, (int)t->thread, t->executed));
	}
	json_t *pool = json_array();
	for (unsigned k = 0; k < i->npool; k++) {
		const struct recorded_waiter *w = &i->pool[k];
		json_array_append_new(pool, json_pack("[i, i, i, i, i]", w->group, (int)w->pc,
						      w->warp, w->threads, w->wait));
	}
	return json_pack("{s:I, s:i, s:i, s:i, s:o, s:o}", "cycle", (json_int_t)i->cycle, "pc",
			 (int)i->pc, "group", i->group, "port", i->port, "threads", threads, "pool",
			 pool);
}

/* Returns an instruction's text with operands, malloc'ed. */
static char *inst_text(const struct image *img, uint32_t pc)
{
	const struct inst *in = img->code[pc].in;
	const struct func *f = img->kernel;
	char *text = NULL;
	size_t n = 0;
	if (in->native)
		return xstrdup(in->native);
	for (uint32_t i = 0; i < img->nfuncs; i++)
		if (pc >= img->funcs[i].start && pc < img->funcs[i].end)
			f = img->funcs[i].f;
	FILE *out = open_memstream(&text, &n);
	if (!out)
		return xstrdup(in->text ? in->text : op_info[in->op].name);
	inst_print(out, f, in);
	fclose(out);
	return text;
}

/* Returns the text of all instructions that were issued or waited; modules may be unloaded before
 * the text is needed. */
static json_t *code_json(const struct record *r, const struct image *img)
{
	const struct module *m = img->kernel->module;
	bool *seen = xcalloc(img->ncode + 1, sizeof *seen);
	json_t *list = json_array();
	for (unsigned i = 0; i < r->n; i++) {
		seen[r->issue[i].pc] = true;
		for (unsigned k = 0; k < r->issue[i].npool; k++)
			if (r->issue[i].pool[k].pc < img->ncode)
				seen[r->issue[i].pool[k].pc] = true;
	}
	for (uint32_t pc = 0; pc < img->ncode; pc++) {
		const struct inst *in = img->code[pc].in;
		if (!seen[pc])
			continue;
		char *text = inst_text(img, pc);
		json_t *o = json_pack("{s:i, s:i, s:s}", "pc", (int)pc, "line", (int)in->line,
				      "text", text);
		free(text);
		if (in->src_file && m->files.v[in->src_file - 1])
			json_object_set_new(
				o, "source",
				json_sprintf("%s:%u", m->files.v[in->src_file - 1], in->src_line));
		json_array_append_new(list, o);
	}
	free(seen);
	return list;
}

json_t *api_record_json(struct record *r, const struct machine *m, const struct image *img)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < r->n; i++)
		json_array_append_new(list, issue_json(&r->issue[i]));
	json_t *lives = json_array();
	for (unsigned i = 0; i < r->nlives; i++) {
		const struct recorded_life *x = &r->life[i];
		json_array_append_new(lives, json_pack("[I, i, i, I, I, i]", (json_int_t)x->block,
						       x->warp, x->slot, (json_int_t)x->start,
						       (json_int_t)x->end, (int)x->issued));
	}
	char how[192];
	snprintf(how, sizeof how, "%s, %s lanes%s, %s", policy_name(m->diverge),
		 policy_name(m->lanes),
		 !m->lanes->scales   ? ""
		 : m->facts.squeezes ? ", squeezed"
				     : ", not squeezed",
		 policy_name(m->sched));
	json_t *o = json_pack(
		"{s:s, s:b, s:b, s:i, s:I, s:I, s:i, s:i, s:i, s:b, s:b, s:o, s:[s,s,s,s,s,s], s:[s,s,s,s,s], s:o, s:[s,s,s,s,s,s], s:o}",
		"mechanism", how, "squeezes", m->lanes->scales && m->facts.squeezes, "steps",
		m->facts.in_step, "sm", (int)r->sm, "from", (json_int_t)r->from, "to",
		(json_int_t)r->to, "warp_size", (int)m->warp_size, "simd_width", (int)m->simd_width,
		"depth", (int)m->facts.locked_depth, "by_lane",
		m->diverge->groups == GROUPS_THREAD || m->lanes->by_lane, "full", r->full, "code",
		code_json(r, img), "thread_is", "cycle", "lane", "warp", "block", "thread",
		"executed", "pool_is", "group", "pc", "warp", "threads", "wait", "list", list,
		"life_is", "block", "warp", "slot", "start", "end", "instructions", "lives", lives);
	free(r);
	return o;
}
