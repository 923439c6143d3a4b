/* Profiles: counts of each instruction of a kernel over all its launches. They are `profile` in the
 * statistics, from which `heddle annotate` prints the program. A profile keeps the program's text,
 * because modules may be unloaded. */
#include "api/api.h"

#include "base/arena.h"
#include "gpu/gpu.h"
#include "power/rf.h"
#include "sm/sm.h"

struct listing { /* a function's text, split into lines */
	const char *file;
	uint32_t first, n;
	const char **line;
};

struct pc_profile {
	uint32_t pc, line, src_line;
	const char *src_file, *text, *file;
	const char *opcode, *class; /* NULL: a part of the native instruction after it */
	const char *space;          /* "local" for an access to local memory; otherwise NULL */
	struct prof sum;
	struct pc_cost cost; /* `sum` is allocated here */
};

struct profile {
	struct arena arena;
	const struct image *img; /* NULL: its module has been unloaded */
	const char *kernel;
	uint64_t launches;
	bool timed, watched; /* watched: waits of instructions are counted */
	uint32_t npc;
	unsigned arrays,
		/* accesses to the register file for one operand of a whole warp, as in
		 * sm.rf_reads */
		read;
	struct pc_profile *pc;
	VEC(struct listing) listing;
};

/* ---- the program's text ---- */

static const char *line_start(const char *s, const char *end, uint32_t line)
{
	while (s < end && --line) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		s = nl ? nl + 1 : end;
	}
	return s;
}

static void add_listing(struct profile *p, const struct func *f)
{
	uint32_t last = f->line;
	if (!f->text || f->native)
		return;
	for (size_t i = 0; i < f->code.n; i++)
		last = f->code.v[i].line > last ? f->code.v[i].line : last;
	struct listing l = {arena_strdup(&p->arena, f->text_name), f->line, last - f->line + 1,
			    NULL};
	l.line = ARENA_ARRAY(&p->arena, const char *, l.n);
	const char *s = line_start(f->text, f->text_end, f->line);
	for (uint32_t i = 0; i < l.n; i++) {
		const char *nl = memchr(s, '\n', (size_t)(f->text_end - s));
		nl = nl ? nl : f->text_end;
		l.line[i] = arena_strndup(&p->arena, s, (size_t)(nl - s));
		s = nl < f->text_end ? nl + 1 : nl;
	}
	vec_push(&p->listing, l);
}

static const struct func *function_at(const struct image *img, uint32_t pc)
{
	for (uint32_t i = 0; i < img->nfuncs; i++)
		if (pc >= img->funcs[i].start && pc < img->funcs[i].end)
			return img->funcs[i].f;
	return img->kernel;
}

static const char *copy_text(struct profile *p, const char *s)
{
	return s ? arena_strdup(&p->arena, s) : NULL;
}

/* Sets classes and register counts of the instructions. The operations of one native instruction
 * are counted at its last operation. */
static void add_costs(struct heddle *h, struct profile *p, const struct image *img)
{
	struct arena a = {0};
	const struct machine *m = api_machine(h);
	bool whole =
		img->kernel->native && h->gpu && (gpu_has_tokens(h->gpu) || img->kernel->replay);
	const struct tinst *t = m ? tinst_decode(img, m, whole, &a) : NULL;
	for (uint32_t pc = 0; t && pc < p->npc; pc += t[pc].n) {
		struct pc_profile *q = &p->pc[pc + t[pc].n - 1];
		q->cost = (struct pc_cost){.sum = &q->sum,
					   .opclass = t[pc].opclass,
					   .nread = t[pc].nread,
					   .nwrite = t[pc].nwrite,
					   .products = t[pc].products};
	}
	p->arrays = m ? m->warp_size / rf_array_lanes(m) : 0;
	p->read = m && m->power_rf_gate == GATE_LANE ? m->warp_size : p->arrays;
	arena_free(&a);
}

static struct profile *profile_new(struct heddle *h, const struct image *img)
{
	struct profile *p = xcalloc(1, sizeof *p);
	const struct module *m = img->kernel->module;
	p->img = img;
	p->kernel = arena_strdup(&p->arena, img->kernel->name);
	p->npc = img->ncode;
	p->pc = xcalloc(p->npc + 1, sizeof *p->pc);
	for (uint32_t i = 0; i < img->nfuncs; i++)
		add_listing(p, img->funcs[i].f);
	const char *file = NULL, *from = NULL;
	for (uint32_t pc = 0; pc < p->npc; pc++) {
		const struct inst *in = img->code[pc].in;
		struct pc_profile *o = &p->pc[pc];
		const char *name = function_at(img, pc)->text_name;
		bool known = in->src_file && m->files.v[in->src_file - 1];
		if (name != from)
			file = copy_text(p, from = name);
		*o = (struct pc_profile){.pc = in->native ? in->native_pc : pc,
					 .line = in->native ? 0 : in->line,
					 .file = file};
		o->text = copy_text(p, in->native ? in->native
				       : in->text ? in->text
						  : op_info[in->op].name);
		if (in->space == SP_LOCAL && inst_is(in, OF_LOAD | OF_STORE))
			o->space = "local";
		if (!in->micro)
			o->opcode = api_opcode(in, &o->class);
		o->src_file = known ? copy_text(p, m->files.v[in->src_file - 1]) : NULL;
		o->src_line = known ? in->src_line : 0;
	}
	add_costs(h, p, img);
	return p;
}

/* ---- counts ---- */

void api_profile_add(struct heddle *h, const struct image *img, const struct prof *counts,
		     bool timed)
{
	enum { WORDS = sizeof(struct prof) / sizeof(uint64_t) };
	struct profile *p = NULL;
	for (size_t i = 0; i < h->profiles.n && !p; i++)
		p = h->profiles.v[i]->img == img ? h->profiles.v[i] : NULL;
	if (!p) {
		p = profile_new(h, img);
		vec_push(&h->profiles, p);
	}
	p->launches++;
	p->timed |= timed;
	p->watched = h->opt.profile;
	for (uint32_t pc = 0; !timed && pc < p->npc; pc++) {
		struct prof *sum = &p->pc[pc].sum;
		if (!(counts[pc].issued | counts[pc].lanes | counts[pc].divergent) ||
		    img->code[pc].in->micro)
			continue;
		sum->issued += counts[pc].issued;
		sum->lanes += counts[pc].lanes;
		sum->divergent += counts[pc].divergent;
		sum->full += counts[pc].issued; /* whole warps without time have no parts */
	}
	for (uint32_t pc = 0; timed && pc < p->npc; pc++) {
		const uint64_t *from = (const uint64_t *)&counts[pc];
		uint64_t *to = (uint64_t *)&p->pc[pc].sum;
		for (unsigned w = 0; w < WORDS && !img->code[pc].in->micro; w++)
			to[w] += from[w];
	}
}

void api_profile_forget(struct heddle *h, const struct image *img)
{
	for (size_t i = 0; i < h->profiles.n; i++)
		if (h->profiles.v[i]->img == img)
			h->profiles.v[i]->img = NULL;
}

void api_profiles_free(struct heddle *h)
{
	free(h->counts.v);
	free(h->counts_of_range.v);
	for (size_t i = 0; i < h->profiles.n; i++) {
		struct profile *p = h->profiles.v[i];
		vec_free(&p->listing);
		free(p->pc);
		arena_free(&p->arena);
		free(p);
	}
	vec_free(&h->profiles);
}

/* ---- JSON ---- */

static json_t *listing_json(const struct listing *l)
{
	json_t *lines = json_array();
	for (uint32_t i = 0; i < l->n; i++) {
		json_t *s = json_string(l->line[i]);
		json_array_append_new(lines, s ? s : json_string("(not UTF-8)"));
	}
	return json_pack("{s:s, s:I, s:o}", "file", l->file, "first", (json_int_t)l->first, "lines",
			 lines);
}

static void add_stalls(json_t *o, const struct prof *p)
{
	json_t *by = json_object();
	uint64_t sum = 0;
	for (unsigned i = 0; i < STALL_COUNT; i++) {
		sum += p->stall[i];
		if (p->stall[i])
			json_object_set_new(by, sm_stall_name(i),
					    json_integer((json_int_t)p->stall[i]));
	}
	json_object_set_new(o, "stall_cycles", json_integer((json_int_t)sum));
	json_object_set_new(o, "stalls", by);
}

/* Adds bank conflict cycles of shared memory accesses; for global and local accesses, the 32-byte
 * sectors and the mean distance between neighbouring lanes. */
static void add_memory(json_t *o, const struct prof *p)
{
	if (p->conflicts)
		json_object_set_new(o, "conflict_cycles", json_integer((json_int_t)p->conflicts));
	if (!p->sectors)
		return;
	json_object_set_new(o, "sectors", json_integer((json_int_t)p->sectors));
	json_object_set_new(o, "lane_bytes", json_real((double)p->apart / (double)p->issued));
}

static json_t *pc_json(const struct profile *p, const struct pc_profile *q, double event,
		       double timed)
{
	json_t *o = json_pack("{s:I, s:s, s:I, s:I, s:I}", "pc", (json_int_t)q->pc, "text", q->text,
			      "issued", (json_int_t)q->sum.issued, "lanes",
			      (json_int_t)q->sum.lanes, "divergent", (json_int_t)q->sum.divergent);
	if (q->line)
		json_object_set_new(o, "line", json_integer(q->line));
	if (q->line && q->file)
		json_object_set_new(o, "file", json_string(q->file));
	if (q->src_file)
		json_object_set_new(o, "source", json_sprintf("%s:%u", q->src_file, q->src_line));
	if (p->timed)
		json_object_set_new(o, "transactions",
				    json_integer((json_int_t)q->sum.transactions));
	json_object_set_new(o, "joule", json_real(event));
	if (p->timed)
		json_object_set_new(o, "joule_time", json_real(timed));
	if (q->space)
		json_object_set_new(o, "space", json_string(q->space));
	if (p->timed && p->watched) {
		add_stalls(o, &q->sum);
		add_memory(o, &q->sum);
	}
	return o;
}

void api_profiles_count(const struct heddle *h, struct sm_stats *s)
{
	for (size_t i = 0; i < h->profiles.n; i++)
		for (uint32_t pc = 0; pc < h->profiles.v[i]->npc; pc++) {
			const struct pc_profile *q = &h->profiles.v[i]->pc[pc];
			unsigned c = q->cost.opclass;
			s->ops[c] += q->sum.issued;
			s->op_threads[c] += q->sum.lanes;
			s->unit_threads[c] += q->sum.lanes;
			s->rf_reads[c] += (q->sum.reads + q->sum.full * h->profiles.v[i]->read) *
					  q->cost.nread;
			s->rf_writes[c] +=
				(q->sum.writes + q->sum.full * h->profiles.v[i]->arrays) *
				q->cost.nwrite;
			s->rf_words[c] += q->sum.lanes * q->cost.nwrite;
			/* functional mode does not record data, so mean activity is assumed */
			s->operand_toggles[c] += q->sum.lanes * q->cost.nread * 16;
			s->result_toggles[c] += q->sum.lanes * q->cost.nwrite * 16;
			STAT(s, warp_instructions) += q->sum.issued;
			STAT(s, thread_instructions) += q->sum.lanes;
			STAT(s, mma_products) += q->sum.issued * q->cost.products;
		}
}

static struct pc_cost *new_costs(const struct profile *p)
{
	struct pc_cost *cost = xcalloc(p->npc + 1, sizeof *cost);
	for (uint32_t pc = 0; pc < p->npc; pc++) {
		cost[pc] = p->pc[pc].cost;
		cost[pc].sum = &p->pc[pc].sum;
		cost[pc].reads = p->pc[pc].sum.reads + p->pc[pc].sum.full * p->read;
		cost[pc].writes = p->pc[pc].sum.writes + p->pc[pc].sum.full * p->arrays;
	}
	return cost;
}

/* Returns the joules of each instruction of a profile, which the caller frees. The second half is
 * the time-proportional energy. */
static double *new_energies(struct heddle *h, const struct profile *p)
{
	double *joule = xcalloc(2 * (size_t)p->npc + 1, sizeof *joule);
	struct pc_cost *cost = new_costs(p);
	struct class_pool pool = {0};
	for (size_t i = 0; i < h->profiles.n; i++) {
		const struct profile *q = h->profiles.v[i];
		if (q == p || !api_energy_shared(h, p->kernel, q->kernel))
			continue;
		struct pc_cost *c = new_costs(q);
		double *own = xcalloc(q->npc + 1, sizeof *own);
		api_energy_own(h, c, q->npc, own, &pool);
		free(own);
		free(c);
	}
	api_energy_own(h, cost, p->npc, joule, &pool);
	api_energy_fill(h, p->kernel, &pool);
	if (h->gpu)
		api_energy_spread(&pool, cost, p->npc, joule, joule + p->npc);
	free(cost);
	return joule;
}

static void add_to(json_t *o, const char *key, uint64_t n)
{
	json_object_set_new(
		o, key, json_integer(json_integer_value(json_object_get(o, key)) + (json_int_t)n));
}

/* Returns all of a kernel's code by line and opcode, executed or not: number of instructions and
 * number of executions. */
static json_t *code_json(const struct profile *p)
{
	json_t *by = json_object(), *list = json_array(), *e;
	for (uint32_t pc = 0; pc < p->npc; pc++) {
		const struct pc_profile *q = &p->pc[pc];
		char key[1200];
		if (!q->opcode)
			continue;
		const char *file = q->src_file ? q->src_file : q->line && q->file ? q->file : "";
		snprintf(key, sizeof key, "%u %s %s", q->src_file ? q->src_line : q->line,
			 q->opcode, file);
		if (!(e = json_object_get(by, key))) {
			e = json_pack("{s:s, s:s, s:s, s:I}", "opcode", q->opcode, "class",
				      q->class, "file", file, "line",
				      (json_int_t)(q->src_file ? q->src_line : q->line));
			json_object_set(by, key, e);
			json_array_append_new(list, e);
		}
		add_to(e, "count", 1);
		add_to(e, "warp", q->sum.issued);
		add_to(e, "thread", q->sum.lanes);
	}
	json_decref(by);
	return list;
}

json_t *api_profiles_json(struct heddle *h)
{
	json_t *list = json_array();
	for (size_t i = 0; i < h->profiles.n; i++) {
		const struct profile *p = h->profiles.v[i];
		json_t *pcs = json_array(), *texts = json_array();
		double *joule = new_energies(h, p);
		for (uint32_t pc = 0; pc < p->npc; pc++)
			if (p->pc[pc].sum.issued)
				json_array_append_new(
					pcs, pc_json(p, &p->pc[pc], joule[pc], joule[p->npc + pc]));
		free(joule);
		for (size_t k = 0; k < p->listing.n; k++)
			json_array_append_new(texts, listing_json(&p->listing.v[k]));
		json_array_append_new(list,
				      json_pack("{s:s, s:I, s:o, s:o, s:o}", "kernel", p->kernel,
						"launches", (json_int_t)p->launches, "instructions",
						pcs, "listing", texts, "code", code_json(p)));
	}
	return list;
}
