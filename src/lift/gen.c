/* Translates one native instruction of Tesla or Fermi, and a kernel of them. gen.h has the map of
 * the files. */
#include "lift/tesla/tesla.h"

#include <stdarg.h>
#include <string.h>

void gen_refuse(struct ngen *g, const char *fmt, ...)
{
	char text[256], why[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	native_print(g->in, NSTYLE_FULL, text, sizeof text);
	diag_error(g->d, "%s: %s at 0x%x: %s is not supported%s%s", g->file, g->code->name,
		   g->in->pc, text, *why ? ": " : "", why);
	g->bad = true;
}

/* ---- instructions ---- */

/* True if the instruction changes its own guard. Then the old value guards all of it. */
static bool writes_guard(const struct ninst *in)
{
	if (in->op == NI_R2P)
		return true;
	for (unsigned i = 0; i < in->nop; i++)
		if (in->o[i].kind == NO_PRED && in->o[i].reg == in->guard)
			return true;
	return in->pop;
}

static void fermi_guard(struct ngen *g)
{
	const struct ninst *in = g->in;
	if (in->guard == 7)
		return;
	struct opnd p = val_p(in->guard);
	if (writes_guard(in)) {
		gen(g, OP_MOV, T_PRED, val_pg(), p);
		p = val_pg();
	}
	g->guard = (struct guard){p, in->guard_neg};
}

static bool control_op(const struct ninst *in)
{
	return in->op == NI_SSY || in->op == NI_PBK || in->op == NI_PCNT || in->op == NI_PRET ||
	       in->op == NI_PLONGJMP || in->op == NI_CAL || in->op == NI_JCAL || in->op == NI_SAM ||
	       in->op == NI_RAM || in->op == NI_BPT || in->op == NI_RTT;
}

/* The relocation of the current instruction; refuses a relocation that its 32-bit immediate cannot
 * hold. */
static const struct nreloc *find_reloc(struct ngen *g)
{
	for (size_t i = 0; i < g->code->reloc.n; i++) {
		const struct nreloc *r = &g->code->reloc.v[i];
		if (r->offset < g->in->pc || r->offset >= g->in->pc + g->in->size)
			continue;
		bool word = r->type == NREL_ABS32_26 || r->type == NREL_ABS32_LO_26 ||
			    r->type == NREL_ABS32_HI_26;
		if (word && (gen_symbol(g, r->symbol) || g->in->op == NI_JCAL))
			return r;
		gen_refuse(g, "it needs the address of %s (relocation type %u)",
			   r->symbol ? r->symbol : "a symbol", r->type);
	}
	return NULL;
}

static void fermi_inst(struct ngen *g)
{
	const struct ninst *in = g->in;
	if (in->guard == 7 && in->guard_neg && !control_op(in))
		return; /* never executed */
	fermi_guard(g);
	if (gen_control(g))
		return;
	if (!gen_fermi(g) && !gen_memory(g) && !gen_tex(g) && !gen_surface(g))
		gen_refuse(g, "%s", "");
	if (in->pop)
		gen_ctl(g, NCTL_POP, 0, 0);
}

static void tesla_inst(struct ngen *g)
{
	tesla_guard(g);
	if (!gen_control(g) && !gen_tex(g) && !gen_tesla(g))
		gen_refuse(g, "%s", "");
	tesla_tail(g);
}

/* Records the source line of the instruction, if the file has it. */
static void gen_place(struct ngen *g, const struct ninst *in)
{
	uint32_t at = g->code->source ? g->code->source[in - g->code->inst] : 0;
	const struct nsource *p = at ? &g->m->sources.v[at - 1] : NULL;
	uint32_t i = 0;
	g->src_file = g->src_line = 0;
	if (!p)
		return;
	while (i < g->out->files.n && (!g->out->files.v[i] || strcmp(g->out->files.v[i], p->file)))
		i++;
	if (i == g->out->files.n)
		vec_push(&g->out->files, arena_strdup(&g->out->arena, p->file));
	g->src_file = i + 1;
	g->src_line = p->line;
}

static void gen_inst(struct ngen *g, const struct ninst *in)
{
	gen_begin_inst(g, in, g->code->base + in->pc);
	gen_place(g, in);
	g->reloc = g->code->reloc.n ? find_reloc(g) : NULL;
	if (in->isa == NATIVE_TESLA)
		tesla_inst(g);
	else
		fermi_inst(g);
	if (g->f->code.n == g->first) { /* an instruction without effect is still issued */
		g->guard = (struct guard){0};
		gen_plain(g, OP_PMEVENT);
	}
	gen_end_inst(g);
}

/* ---- kernels ---- */

enum { TESLA_SHARED = 16384 };

static struct var *add_shared(struct ngen *g, size_t i)
{
	const struct nkernel *k = g->k;
	bool tesla = g->m->isa == NATIVE_TESLA;
	char name[32];
	/* a listing does not give the size of shared memory */
	uint32_t bytes = k->shared ? k->shared : g->m->from_text && tesla ? TESLA_SHARED : 0;
	uint32_t least = tesla ? TESLA_PARAM_BASE + (k->param_size ? k->param_size : TESLA_PARAMS)
			       : 0; /* bytes of header and parameters */
	snprintf(name, sizeof name, "nshared%zu", i);
	struct var *v = gen_var(g, name, SP_SHARED, 16, bytes > least ? bytes : least);
	if (!v->size) {
		v->linkage = LINK_EXTERN;
		v->unsized = true;
	}
	vec_push(&g->f->vars, v);
	module_add_var(g->out, v);
	return v;
}

static void add_local(struct ngen *g)
{
	uint32_t bytes = gen_stack(g);
	g->frame = g->frame_max = 0;
	if (!bytes)
		return;
	struct var *v = gen_var(g, "nlocal", SP_LOCAL, 16, ((uint64_t)bytes + 15) & ~15ull);
	vec_push(&g->f->vars, v);
	g->frame = g->frame_max = (uint32_t)v->size;
}

/* Unpacks the thread's indices, which Tesla code has in R0. */
static void tesla_indices(struct ngen *g)
{
	struct opnd r0 = val_r(0), r1 = val_r(1);
	gen(g, OP_MOV, T_U32, r0, sreg(SREG_TID, 0));
	gen(g, OP_MOV, T_U32, r1, sreg(SREG_TID, 1));
	gen(g, OP_BFI, T_B32, r0, r1, r0, imm(16), imm(10));
	gen(g, OP_MOV, T_U32, r1, sreg(SREG_TID, 2));
	gen(g, OP_BFI, T_B32, r0, r1, r0, imm(26), imm(6));
	gen(g, OP_MOV, T_U32, r1, imm(0));
}

static void begin_kernel(struct ngen *g, size_t i)
{
	struct func *f = ARENA_NEW(&g->out->arena, struct func);
	f->name = arena_strdup(&g->out->arena, g->k->name);
	f->linkage = LINK_VISIBLE;
	f->entry = f->defined = f->has_params = true;
	f->text_name = g->out_file;
	memcpy(f->reqntid, g->k->reqntid, sizeof f->reqntid);
	memcpy(f->maxntid, g->k->max_threads, sizeof f->maxntid);
	module_add_func(g->out, f);
	module_name_func(g->out, f);
	gen_begin_code(g, f);
	g->params = gen_var(g, "nparams", SP_PARAM, 8, 0);
	struct var *shared = add_shared(g, i);
	add_local(g);
	gen_setp(g, CMP_EQ, T_U32, val_pt(), imm(0), imm(0));
	gen_setp(g, CMP_NE, T_U32, val_pf(), imm(0), imm(0));
	gen(g, OP_MOV, T_U32, val_reg(RC_SHARED, 0, T_B32),
	    val_var(shared)); /* counts as a use, so that the variable gets an address */
	if (g->m->isa == NATIVE_TESLA) {
		tesla_flags_begin(g);
		tesla_indices(g);
	}
}

/* Emits an exit that belongs to no native instruction. */
static void gen_exit(struct ngen *g)
{
	gen_begin_inst(g, NULL, 0);
	gen_plain(g, OP_EXIT);
}

static void end_kernel(struct ngen *g, struct native_map *map)
{
	struct func *f = g->f;
	gen_exit(g);
	map->index[map->n] = (uint32_t)f->code.n - 1;
	for (size_t i = 0; i < f->code.n; i++) {
		struct inst *in = &f->code.v[i];
		if (in->op == OP_NATIVE)
			in->target = map->index[in->target <= map->n ? in->target : map->n];
	}
	if (g->m->isa == NATIVE_TESLA)
		gen_polls(g);
	g->params->size = g->env_used ? (g->env_used + 3) & ~3u : 4;
	g->params->count = (uint32_t)g->params->size;
	f->param_bytes = (uint32_t)g->params->size;
	f->frame_bytes = (g->frame_max + 15) & ~15u;
	f->native = map;
}

void gen_kernel(struct ngen *g, size_t i, struct native_map *map)
{
	uint32_t n = 0;
	g->k = g->code = &g->m->kernel.v[i];
	g->f = NULL;
	gen_kernel_banks(g, i);
	begin_kernel(g, i);
	g->env_used = g->k->param_size            ? g->k->param_size
		      : g->m->isa == NATIVE_TESLA ? TESLA_PARAMS
						  : 0;
	for (size_t p = 0; (g->code = native_part(g->m, g->k, p)); p++) {
		if (p) /* a kernel must not run on into a function */
			gen_exit(g);
		for (size_t j = 0; j < g->code->ninst && !g->bad; j++) {
			map->index[n++] = (uint32_t)g->f->code.n;
			gen_inst(g, &g->code->inst[j]);
		}
	}
	g->code = g->k;
	end_kernel(g, map);
}
