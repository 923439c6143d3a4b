/* Errors of a launch, for people and for programs: a fault as a message with its place, and the
 * reports of --check, ordered over the whole launch, as text and JSON (--check-report). */
#include "api/api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mangled.h"
#include "check/check.h"
#include "kernel/cta.h"

void api_report_fault(struct heddle *h, const struct launch *l, const struct fault *f)
{
	const struct uop *u = &l->img->code[f->pc < l->img->ncode ? f->pc : 0];
	const struct inst *in = u->in;
	struct heddle_fault *o = &h->fault;
	*o = (struct heddle_fault){.kind = f->kind, .line = in->line, .address = f->addr};
	o->in_page = f->kind == HEDDLE_FAULT_BOUNDS && devmem_page_answers(&h->mem, f->addr, 1);
	snprintf(o->kernel, sizeof o->kernel, "%s", l->img->kernel->name);
	uint32_t t = wstate_thread(l, f->warp) + f->lane;
	o->thread[0] = t % l->block[0];
	o->thread[1] = t / l->block[0] % l->block[1];
	o->thread[2] = t / (l->block[0] * l->block[1]);
	o->block[0] = (uint32_t)(f->block % l->grid[0]);
	o->block[1] = (uint32_t)(f->block / l->grid[0] % l->grid[1]);
	o->block[2] = (uint32_t)(f->block / ((uint64_t)l->grid[0] * l->grid[1]));
	check_place(l->img, (uint32_t)(u - l->img->code), o->source, sizeof o->source);
	struct plain_name kernel = plain_name(o->kernel);
	const char *file = l->img->kernel->text_name;
	for (uint32_t i = 0; i < l->img->nfuncs; i++)
		if (f->pc >= l->img->funcs[i].start && f->pc < l->img->funcs[i].end)
			file = l->img->funcs[i].f->text_name;
	if (in->native) {
		o->line = 0;
		api_fail(
			h, HEDDLE_FAULT,
			"%s: kernel %s, block (%u,%u,%u), thread (%u,%u,%u): %s\n  at 0x%x: %s%s%s%s",
			file ? file : "?", kernel.text, o->block[0], o->block[1], o->block[2],
			o->thread[0], o->thread[1], o->thread[2], f->text, in->native_pc,
			in->native, o->source[0] ? " (" : "", o->source, o->source[0] ? ")" : "");
		return;
	}
	api_fail(h, HEDDLE_FAULT,
		 "%s:%u: kernel %s, block (%u,%u,%u), thread (%u,%u,%u): %s\n  at %s%s%s%s",
		 file ? file : "?", in->line, kernel.text, o->block[0], o->block[1], o->block[2],
		 o->thread[0], o->thread[1], o->thread[2], f->text,
		 in->text ? in->text : op_info[in->op].name, o->source[0] ? " (" : "", o->source,
		 o->source[0] ? ")" : "");
}

/* ---- --check-report ---- */

static const char *kind_name(enum heddle_fault_kind k)
{
	return k == HEDDLE_FAULT_RACE        ? "race"
	       : k == HEDDLE_FAULT_UNINIT    ? "uninitialised"
	       : k == HEDDLE_FAULT_BARRIER   ? "barrier"
	       : k == HEDDLE_FAULT_WARP_MASK ? "mask"
					     : "bounds";
}

static json_t *party_json(const struct image *img, uint32_t pc, uint64_t block, uint32_t thread)
{
	char at[PLACE_TEXT] = "";
	check_place(img, pc, at, sizeof at);
	const struct inst *in = img->code[pc].in;
	json_t *o = json_pack("{s:s, s:i, s:s, s:I, s:i}", "kernel", img->kernel->name, "line",
			      (int)in->line, "source", at, "block", (json_int_t)block, "thread",
			      (int)thread);
	if (in->native)
		json_object_update_new(o, json_pack("{s:i, s:s}", "pc", (int)in->native_pc,
						    "instruction", in->native));
	return o;
}

bool reports_open(struct heddle *h)
{
	h->reports = json_array();
	return !json_dump_file(h->reports, h->opt.check_report, JSON_INDENT(1));
}

static bool reports_write(struct heddle *h, const struct launch *l)
{
	const struct launch_check *c = l->checks;
	for (size_t i = 0; i < c->reports.n; i++) {
		const struct report *r = &c->reports.v[i];
		json_t *o =
			json_pack("{s:s, s:s, s:I, s:i, s:I, s:o}", "kind", kind_name(r->f.kind),
				  "message", r->f.text, "address", (json_int_t)r->f.addr, "bytes",
				  (int)r->f.size, "count", (json_int_t)r->count, "here",
				  party_json(l->img, r->f.pc, r->f.block,
					     wstate_thread(l, r->f.warp) + r->f.lane));
		if (r->other_pc != NO_PC)
			json_object_set_new(o, "other",
					    party_json(r->other_img ? r->other_img : l->img,
						       r->other_pc, r->other_block,
						       r->other_thread));
		json_array_append_new(h->reports, o);
	}
	return !json_dump_file(h->reports, h->opt.check_report, JSON_INDENT(1));
}

/* Reports all findings of the launch in order; the first is its fault. A fault that ended the
 * launch comes before them. */
enum heddle_status api_report_checks(struct heddle *h, const struct launch *l,
				     enum heddle_status st)
{
	const struct launch_check *c = l->checks;
	if (!c || !c->reports.n)
		return st;
	if (h->opt.check_report && !reports_write(h, l))
		return api_fail(h, HEDDLE_INVALID, "%s: %s", h->opt.check_report, strerror(errno));
	struct heddle_fault first = h->fault;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	if (st)
		fprintf(f, "%s\n", h->message);
	for (size_t i = 0; i < c->reports.n; i++) {
		const struct report *r = &c->reports.v[i];
		api_report_fault(h, l, &r->f);
		if (!i && !st)
			first = h->fault;
		fprintf(f, "%s%s", i ? "\n" : "", h->message);
		if (r->count > 1)
			fprintf(f, "\n  %llu times", (unsigned long long)r->count);
	}
	if (c->left_off)
		fprintf(f, "\n%llu more at other places", (unsigned long long)c->left_off);
	fclose(f);
	h->fault = first;
	api_fail(h, HEDDLE_FAULT, "%s", text);
	free(text);
	return st ? st : HEDDLE_FAULT;
}
