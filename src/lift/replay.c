/* A trace as a kernel: an instruction of ir/inst.h, or a few that issue as one, for each recorded
 * one, with the registers that the trace lists. Their times and accesses are those of the operation
 * that stands for the opcode (replay.def); no results are computed, since a trace has no data
 * (image.replay). The order in which warps execute them is the trace's (sm/diverge/replay.c). */
#include "lift/replay.h"

#include <string.h>
#include "devmem/devmem.h"
#include "front/trace/trace.h"
#include "isa/sm70/sm70.h"
#include "lift/gen.h"

enum { REGISTERS = 256, PREDICATES = 32 };

struct row;
struct replay_gen {
	struct ngen g;
	const struct trace *t;
	const char *file;
	const struct trace_inst *in; /* the current instruction */
	const char *modifiers;       /* the opcode from its first point on; "": none */
	unsigned compares;           /* comparisons so far: each writes the next predicate */
};

typedef void emit_fn(struct replay_gen *r, const struct row *row);
static emit_fn emit_plain, emit_wide, emit_sum, emit_product, emit_compare, emit_shuffle,
	emit_function, emit_convert, emit_matrix, emit_load, emit_store, emit_atomic, emit_copy,
	emit_rows, emit_wait, emit_fence, emit_barrier, emit_exit, emit_nothing;

static const struct row {
	const char *opcode;
	emit_fn *emit;
	uint8_t op, type, sources;
} rows[] = {
#define ROW(opcode, emit, op, type, sources) {opcode, emit, OP_##op, T_##type, sources},
#include "lift/replay.def"
#undef ROW
};

/* ---- operands ---- */

static bool says(const struct replay_gen *r, const char *modifier)
{
	return strstr(r->modifiers, modifier) != NULL;
}

static bool is_wide_type(unsigned type) { return type == T_F64 || type == T_B64 || type == T_S64; }

/* Register n, or the pair that begins with it. */
static struct opnd reg_of(unsigned n, unsigned type)
{
	struct opnd o = val_r(n);
	if (is_wide_type(type))
		o.type = (uint8_t)type;
	return o;
}

static struct opnd scratch_of(struct replay_gen *r, unsigned type)
{
	return is_wide_type(type) ? gen_d(&r->g) : gen_t(&r->g);
}

/* Source i, of all registers that the line lists as read. */
static struct opnd replay_source(struct replay_gen *r, unsigned i, unsigned type)
{
	const struct trace_inst *in = r->in;
	if (i < in->ns && in->s[i] != TRACE_RZ)
		return reg_of(in->s[i], type);
	return (struct opnd){.kind = OPND_IMM, .type = (uint8_t)type};
}

static struct opnd replay_result(struct replay_gen *r, unsigned i, unsigned type)
{
	const struct trace_inst *in = r->in;
	if (i < in->nd && in->d[i] != TRACE_RZ)
		return reg_of(in->d[i], type);
	return scratch_of(r, type);
}

/* Register `first` + i of an operand of several; RZ: scratch. */
static struct opnd part_of(struct replay_gen *r, unsigned first, unsigned i, unsigned type)
{
	unsigned n = first + i * (is_wide_type(type) ? 2 : 1);
	return first == TRACE_RZ || n >= TRACE_RZ ? scratch_of(r, type) : reg_of(n, type);
}

/* ---- arithmetic ---- */

static void emit_plain(struct replay_gen *r, const struct row *row)
{
	struct opnd o[4] = {replay_result(r, 0, row->type)};
	struct inst in = {.op = row->op, .type = row->type, .nd = 1, .rnd = RND_RN};
	if (row->op == OP_MIN || row->op == OP_MOV)
		in.rnd = RND_NONE;
	if (row->op == OP_LOP3)
		in.imm = 0x80;
	if (row->op == OP_DP4A)
		in.atype = in.btype = T_S32;
	for (unsigned i = 0; i < row->sources; i++)
		o[1 + i] = replay_source(r, i, row->type);
	gen_emit(&r->g, in, o, 1u + row->sources);
}

static void emit_wide(struct replay_gen *r, const struct row *row) { emit_plain(r, row); }

/* Emits additions of two operands, enough to add up the line's registers, but at least one. */
static void emit_sum(struct replay_gen *r, const struct row *row)
{
	struct opnd d = replay_result(r, 0, row->type), list[TRACE_OPERANDS];
	unsigned n = 0;
	for (unsigned i = 0; i < r->in->ns && n < row->sources; i++)
		if (r->in->s[i] != TRACE_RZ)
			list[n++] = replay_source(r, i, row->type);
	while (n < 2)
		list[n++] = (struct opnd){.kind = OPND_IMM, .type = row->type};
	gen(&r->g, OP_ADD, row->type, d, list[0], list[1]);
	if (n > 2)
		gen(&r->g, OP_ADD, row->type, d, d, list[2]);
}

static void emit_product(struct replay_gen *r, const struct row *row)
{
	bool wide = says(r, ".WIDE");
	unsigned sum = wide ? T_S64 : T_S32;
	struct inst in = {.op = row->op,
			  .type = row->type,
			  .mode = wide             ? MUL_WIDE
				  : says(r, ".HI") ? MUL_HI
						   : MUL_LO,
			  .nd = 1};
	gen_emit(&r->g, in,
		 GEN_LIST(replay_result(r, 0, sum), replay_source(r, 0, T_S32),
			  replay_source(r, 1, T_S32), replay_source(r, 2, sum)));
}

/* The trace does not record the predicate that is written. Comparisons write one of several
 * predicates in turn, so that one comparison rarely waits for another. */
static void emit_compare(struct replay_gen *r, const struct row *row)
{
	gen_setp(&r->g, CMP_LT, row->type, val_p(r->compares++ % PREDICATES),
		 replay_source(r, 0, row->type), replay_source(r, 1, row->type));
}

static void emit_shuffle(struct replay_gen *r, const struct row *row)
{
	struct inst in = {.op = row->op, .type = row->type, .mode = SHFL_BFLY, .nd = 1};
	struct opnd a = replay_source(r, 0, T_B32), b = replay_source(r, 1, T_B32),
		    c = replay_source(r, 2, T_B32);
	if (a.kind == OPND_IMM)
		a = gen_t(&r->g);
	b.type = b.kind == OPND_IMM ? T_U32 : b.type;
	c.type = c.kind == OPND_IMM ? T_U32 : c.type;
	gen_emit(&r->g, in, GEN_LIST(replay_result(r, 0, T_B32), a, b, c));
}

static void emit_function(struct replay_gen *r, const struct row *row)
{
	struct opnd a = replay_source(r, 0, row->type);
	struct inst in = {.op = row->op, .type = row->type, .mods = M_APPROX, .nd = 1};
	gen_emit(&r->g, in, GEN_LIST(replay_result(r, 0, row->type), a));
}

/* Types of the operands are modifiers: I2F.F64, F2I.F64.TRUNC, F2F.F64.F32. */
static void emit_convert(struct replay_gen *r, const struct row *row)
{
	bool integer = row->type == T_S32;
	bool wide = says(r, ".F64"), to_wide = !strncmp(r->modifiers, ".F64", 4) && !integer;
	unsigned to = to_wide ? T_F64 : row->type;
	unsigned from = r->in->opcode[0] == 'I' ? T_S32 : wide && !to_wide ? T_F64 : T_F32;
	unsigned rounding = integer ? RND_RZI : to == from ? RND_RNI : RND_RN;
	if (to == T_F64 && from == T_F32)
		rounding = RND_NONE;
	gen_cvt_as(&r->g, to, from, to == T_F64 && from == T_S32 ? RND_RN : rounding, 0,
		   replay_result(r, 0, to), replay_source(r, 0, from));
}

/* Registers of 32 bits of each operand, by the shape in the opcode; c: of an accumulator of 32-bit elements. */
static const struct matrix {
	const char *shape;
	uint8_t op, mode, a, b, c; /* op: first letter of the opcode; 0 ends a list */
	uint8_t element, sum;      /* sum T_NONE: F32 or F16, as the opcode says */
} matrices[] = {
	{".884", 'H', SHAPE_M8N8K4, 2, 2, 8, T_F16, T_NONE},
	{".1688.F32.TF32", 'H', SHAPE_M16N8K8, 4, 2, 4, T_TF32, T_F32},
	{".1684.F32.TF32", 'H', SHAPE_M16N8K4, 2, 1, 4, T_TF32, T_F32},
	{".1688", 'H', SHAPE_M16N8K8, 2, 1, 4, T_F16, T_NONE},
	{".16816", 'H', SHAPE_M16N8K16, 4, 2, 4, T_F16, T_NONE},
	{".8816", 'I', SHAPE_M8N8K16, 1, 1, 2, T_S8, T_S32},
	{".16816", 'I', SHAPE_M16N8K16, 2, 1, 4, T_S8, T_S32},
	{".16832", 'I', SHAPE_M16N8K32, 4, 2, 4, T_S8, T_S32},
	{".8832", 'I', SHAPE_M8N8K32, 1, 1, 2, T_S4, T_S32},
	{".16864", 'I', SHAPE_M16N8K64, 4, 2, 4, T_S4, T_S32},
	{".88128", 'B', SHAPE_M8N8K128, 1, 1, 2, T_B1, T_S32},
	{".168128", 'B', SHAPE_M16N8K128, 2, 1, 4, T_B1, T_S32},
	{".168256", 'B', SHAPE_M16N8K256, 4, 2, 4, T_B1, T_S32},
	{".884", 'D', SHAPE_M8N8K4, 1, 1, 2, T_F64, T_F64},
};

static const struct matrix *matrix_of(const struct replay_gen *r)
{
	for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
		const struct matrix *m = &matrices[i];
		size_t n = strlen(m->shape);
		if (m->op == (uint8_t)r->in->opcode[0] && !strncmp(r->modifiers, m->shape, n) &&
		    (!r->modifiers[n] || r->modifiers[n] == '.'))
			return m;
	}
	return NULL;
}

static void refuse_inst(struct replay_gen *r, const char *why)
{
	struct srcloc at = {.file = r->file, .line = r->in->line, .col = 1};
	if (!r->g.bad)
		diag_at(r->g.d, DIAG_ERROR, &at, "%s %s", r->in->opcode, why);
	r->g.bad = true;
}

static void emit_matrix(struct replay_gen *r, const struct row *row)
{
	const struct matrix *m = matrix_of(r);
	struct opnd o[32];
	unsigned n = 0;
	if (!m) {
		refuse_inst(r, "has a shape that is not known");
		return;
	}
	unsigned sum = m->sum ? m->sum : says(r, ".F32") ? T_F32 : T_F16;
	unsigned element = says(r, ".BF16") ? T_BF16 : m->element;
	unsigned reg = sum == T_F64 ? T_F64 : T_B32, nc = sum == T_F16 ? m->c / 2u : m->c;
	struct inst in = {.op = row->op,
			  .type = (uint8_t)sum,
			  .stype = (uint8_t)sum,
			  .atype = (uint8_t)element,
			  .btype = (uint8_t)element,
			  .mode = m->mode,
			  .mods = M_COL_B,
			  .nd = (uint8_t)nc,
			  .grp = {(uint8_t)nc, m->a, m->b, (uint8_t)nc}};
	if (element == T_B1)
		in.bop = BOP_XOR;
	const unsigned of[4] = {nc, m->a, m->b, nc};
	for (unsigned k = 0; k < 4; k++) {
		unsigned first = !k                  ? r->in->nd ? r->in->d[0] : TRACE_RZ
				 : k - 1 < r->in->ns ? r->in->s[k - 1]
						     : TRACE_RZ;
		for (unsigned i = 0; i < of[k]; i++)
			o[n++] = part_of(r, first, i, reg);
	}
	gen_emit(&r->g, in, o, n);
}

/* ---- memory ---- */

static unsigned space_of(const struct replay_gen *r)
{
	const char *op = r->in->opcode;
	const char *last = op + strcspn(op, ".") - 1;
	if (!strncmp(op, "LDGSTS", 6) || *last == 'G' || !strncmp(op, "RED", 3))
		return SP_GLOBAL;
	return *last == 'S' || *last == 'M' ? SP_SHARED : *last == 'L' ? SP_LOCAL : SP_GENERIC;
}

/* Returns the register in which sm/diverge/replay.c puts an address: the register with the recorded
 * base, or scratch. */
static struct opnd base_address(struct replay_gen *r, unsigned i, unsigned space)
{
	bool wide = space == SP_GLOBAL || space == SP_GENERIC;
	bool known = i < r->in->ns && r->in->s[i] < TRACE_RZ - 1;
	struct opnd at = known ? reg_of(r->in->s[i], wide ? T_B64 : T_B32)
			       : scratch_of(r, wide ? T_B64 : T_B32);
	return mem_at(at, 0);
}

/* Elements per lane and their type for an access of that many bytes; false: no access has that
 * width. */
static bool width_of(struct replay_gen *r, struct access *a)
{
	unsigned bytes = r->in->width;
	if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16) {
		refuse_inst(r, "accesses neither 1, 2, 4, 8 nor 16 bytes");
		return false;
	}
	*a = (struct access){.type = bytes == 1   ? T_U8
				     : bytes == 2 ? T_U16
						  : T_U32,
			     .vec = (uint8_t)(bytes > 4 ? bytes / 4 : 1)};
	return true;
}

static void emit_load(struct replay_gen *r, const struct row *row)
{
	struct opnd d[4];
	struct access a;
	if (!r->in->width) {
		emit_plain(r, &(struct row){row->opcode, emit_plain, OP_MOV, T_B32, 1});
		return;
	}
	if (!width_of(r, &a))
		return;
	for (unsigned i = 0; i < a.vec; i++)
		d[i] = part_of(r, r->in->nd ? r->in->d[0] : TRACE_RZ, i, T_B32);
	if (says(r, ".STRONG"))
		a.cop = COP_CG;
	gen_load(&r->g, a, space_of(r), 0, d, base_address(r, 0, space_of(r)));
}

static void emit_store(struct replay_gen *r, const struct row *row)
{
	struct opnd s[4];
	struct access a;
	(void)row;
	if (!width_of(r, &a))
		return;
	for (unsigned i = 0; i < a.vec; i++)
		s[i] = part_of(r, r->in->ns > 1 ? r->in->s[1] : TRACE_RZ, i, T_B32);
	gen_store(&r->g, a, space_of(r), 0, base_address(r, 0, space_of(r)), s);
}

static void emit_atomic(struct replay_gen *r, const struct row *row)
{
	struct access a;
	if (!width_of(r, &a))
		return;
	unsigned type = r->in->width > 4 ? T_U64 : T_U32, reg = r->in->width > 4 ? T_B64 : T_B32;
	struct opnd x = part_of(r, r->in->ns > 1 ? r->in->s[1] : TRACE_RZ, 0, reg);
	struct opnd d = {0};
	if (row->op == OP_ATOM)
		d = r->in->nd ? part_of(r, r->in->d[0], 0, reg) : scratch_of(r, reg);
	struct opnd at = base_address(r, 0, space_of(r));
	struct inst in = {.op = row->op,
			  .type = (uint8_t)type,
			  .mode = ATOM_ADD,
			  .space = (uint8_t)space_of(r),
			  .nd = d.kind != OPND_NONE};
	if (d.kind)
		gen_emit(&r->g, in, GEN_LIST(d, at, x));
	else
		gen_emit(&r->g, in, GEN_LIST(at, x));
}

/* Copies to shared memory: the recorded addresses are those in global memory, the second
 * register. */
static void emit_copy(struct replay_gen *r, const struct row *row)
{
	struct access a;
	if (!width_of(r, &a))
		return;
	struct inst in = {.op = row->op, .imm = r->in->width};
	if (r->in->width < 4)
		refuse_inst(r, "copies fewer than 4 bytes");
	gen_emit(&r->g, in, GEN_LIST(base_address(r, 0, SP_SHARED), base_address(r, 1, SP_GLOBAL)));
}

static void emit_rows(struct replay_gen *r, const struct row *row)
{
	struct opnd o[5];
	unsigned n = says(r, ".4") ? 4 : says(r, ".2") ? 2 : 1;
	for (unsigned i = 0; i < n; i++)
		o[i] = part_of(r, r->in->nd ? r->in->d[0] : TRACE_RZ, i, T_B32);
	o[n] = base_address(r, 0, SP_SHARED);
	gen_emit(&r->g,
		 (struct inst){.op = row->op,
			       .type = T_B16,
			       .space = SP_SHARED,
			       .vec = (uint8_t)n,
			       .nd = (uint8_t)n},
		 o, n + 1);
}

/* DEPBAR waits for asynchronous copies; in a trace without copies it waits for nothing. */
static void emit_wait(struct replay_gen *r, const struct row *row)
{
	bool copies = false;
	for (size_t i = 0; i < r->t->inst.n; i++)
		copies |= !strncmp(r->t->inst.v[i].opcode, "LDGSTS", 6);
	if (copies)
		gen_emit(&r->g, (struct inst){.op = row->op, .mode = CPW_ALL}, NULL, 0);
	else
		gen_plain(&r->g, OP_PMEVENT);
}

static void emit_fence(struct replay_gen *r, const struct row *row)
{
	gen_emit(&r->g,
		 (struct inst){.op = row->op,
			       .scope = says(r, ".CTA") ? SCOPE_CTA : SCOPE_GPU,
			       .sem = SEM_ACQ_REL},
		 NULL, 0);
}

/* ---- control ---- */

static void emit_barrier(struct replay_gen *r, const struct row *row)
{
	(void)row;
	if (says(r, ".ARV"))
		refuse_inst(r, "arrives at a barrier whose number the trace does not have");
	else
		gen_barrier(&r->g, BAR_SYNC, imm(0), (struct opnd){0});
}

static void emit_exit(struct replay_gen *r, const struct row *row)
{
	(void)row;
	gen_plain(&r->g, OP_EXIT);
}

static void emit_nothing(struct replay_gen *r, const struct row *row)
{
	(void)row;
	gen_plain(&r->g, OP_PMEVENT);
}

/* ---- the kernel ---- */

static const struct row *find_row(const char *opcode)
{
	static const struct row uniform = {"U", emit_plain, OP_MOV, T_B32, 1};
	size_t n = strcspn(opcode, ".");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strlen(rows[i].opcode) == n && !memcmp(rows[i].opcode, opcode, n))
			return &rows[i];
	bool copies = !strncmp(opcode, "UTMA", 4) || !strncmp(opcode, "UBLK", 4);
	return *opcode == 'U' && !copies ? &uniform : NULL;
}

/* The mnemonic that statistics count the opcode under; 0: one that machine code from sm_70 on does not have. */
static uint16_t mnemonic_of(const char *opcode)
{
	size_t n = strcspn(opcode, ".");
	for (unsigned op = 0; *sm70_op_name(op) || !op; op++)
		if (strlen(sm70_op_name(op)) == n && !memcmp(sm70_op_name(op), opcode, n))
			return (uint16_t)native_sm70_mnemonic(op);
	return 0;
}

static void emit_inst(struct replay_gen *r, const struct trace_inst *in)
{
	struct ngen *g = &r->g;
	const struct row *row = find_row(in->opcode);
	r->in = in;
	r->modifiers = in->opcode + strcspn(in->opcode, ".");
	if (!row) {
		refuse_inst(r, "is an opcode that traces are not replayed with");
		return;
	}
	gen_begin_inst(g, NULL, in->address);
	g->native = in->opcode;
	g->mnemonic = mnemonic_of(in->opcode);
	g->guard.pred = val_pg(); /* false where no lane executed the instruction */
	row->emit(r, row);
	if (g->f->code.n > g->first)
		g->f->code.v[g->f->code.n - 1].micro = 0;
}

static struct native_map *describe_code(struct module *out, const struct trace *t)
{
	struct native_map *map = ARENA_NEW(&out->arena, struct native_map);
	map->n = (uint32_t)t->inst.n;
	map->addr = ARENA_ARRAY(&out->arena, uint32_t, map->n + 1);
	map->index = ARENA_ARRAY(&out->arena, uint32_t, map->n + 1);
	map->listed = ARENA_ARRAY(&out->arena, bool, map->n + 1);
	map->registers = t->registers;
	map->pointer_bytes = 8;
	map->converges = true;
	return map;
}

static void emit_code(struct replay_gen *r, struct trace *t, struct native_map *map)
{
	struct ngen *g = &r->g;
	for (size_t i = 0; i < t->inst.n && !g->bad; i++) {
		map->addr[i] = t->inst.v[i].address;
		map->index[i] = (uint32_t)g->f->code.n;
		emit_inst(r, &t->inst.v[i]);
	}
	map->addr[map->n] = map->n ? map->addr[map->n - 1] + 16 : 0;
	map->index[map->n] = (uint32_t)g->f->code.n;
	gen_begin_inst(g, NULL, map->addr[map->n]);
	g->native = "EXIT";
	gen_plain(g, OP_EXIT);
	g->f->code.v[g->f->code.n - 1].micro = 0;
	for (size_t i = 0; i < t->step.n; i++)
		t->step.v[i].pc = map->index[t->step.v[i].pc];
}

/* A recorded address as the simulator has it: an offset for instructions of shared or local memory, in the
 * simulator's windows for generic ones. */
static int64_t rebase_address(const struct trace *t, unsigned space, int64_t address)
{
	const struct {
		uint64_t recorded, window;
		unsigned space;
	} windows[] = {{t->shared, SHARED_BASE, SP_SHARED}, {t->local, LOCAL_BASE, SP_LOCAL}};
	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
		uint64_t offset = (uint64_t)address - windows[i].recorded;
		if (!windows[i].recorded || offset >= WINDOW_SPAN)
			continue;
		if (space == windows[i].space)
			return (int64_t)offset;
		if (space == SP_GENERIC)
			return (int64_t)(windows[i].window + offset);
	}
	return address;
}

static void rebase_addresses(struct trace *t, const struct func *f)
{
	for (size_t i = 0; i < t->step.n; i++) {
		const struct replay_step *s = &t->step.v[i];
		if (s->at == REPLAY_NO_ADDRESS)
			continue;
		int64_t *a = &t->address.v[s->at];
		unsigned n = a[0] == REPLAY_STRIDE ? 1 : (unsigned)__builtin_popcount(s->mask);
		for (unsigned k = 1; k <= n; k++)
			a[k] = rebase_address(t, f->code.v[s->pc].space, a[k]);
	}
}

static void add_shared(struct module *out, struct func *f, uint32_t bytes)
{
	struct var *v = ARENA_NEW(&out->arena, struct var);
	*v = (struct var){.name = ".shared",
			  .space = SP_SHARED,
			  .type = T_B8,
			  .vec = 1,
			  .linkage = LINK_NONE,
			  .align = 16,
			  .size = bytes,
			  .count = bytes,
			  .is_array = true,
			  .used = true,
			  .owner = f};
	vec_push(&f->vars, v);
	module_add_var(out, v);
}

static struct func *add_kernel(struct module *out, const char *file, const struct trace *t)
{
	struct func *f = ARENA_NEW(&out->arena, struct func);
	f->name = arena_strdup(&out->arena, t->kernel);
	f->linkage = LINK_VISIBLE;
	f->entry = f->defined = f->has_params = true;
	f->text_name = arena_strdup(&out->arena, file);
	f->proto.param = ARENA_ARRAY(&out->arena, struct var *, 1);
	memcpy(f->reqntid, t->replay.block, sizeof f->reqntid);
	f->replay = &t->replay;
	module_add_func(out, f);
	module_name_func(out, f);
	if (t->replay.shared_bytes)
		add_shared(out, f, t->replay.shared_bytes);
	return f;
}

static void free_trace(void *p) { trace_free(p); }

bool replay_recognise(const char *text, size_t n) { return trace_recognise(text, n); }

bool replay_module(struct module *out, const char *file, const char *text, size_t n, struct diag *d)
{
	struct trace *t = ARENA_NEW(&out->arena, struct trace);
	struct nmodule wide = {.addr64 = true};
	struct replay_gen r = {.t = t, .file = file};
	vec_push(&out->parts, (struct module_part){free_trace, t});
	if (!trace_read(t, file, text, n, d))
		return false;
	out->version = out->version > 80 ? out->version : 80;
	out->target = out->target > t->target ? out->target : t->target;
	out->address_size = 64;
	struct func *f = add_kernel(out, file, t);
	struct native_map *map = describe_code(out, t);
	r.g.d = d;
	r.g.out = out;
	r.g.m = &wide;
	r.g.file = r.g.out_file = f->text_name;
	gen_begin_code(&r.g, f);
	for (unsigned i = 0; i < REGISTERS; i++)
		gen_number(&r.g, val_r(i));
	emit_code(&r, t, map);
	if (!r.g.bad)
		rebase_addresses(t, f);
	f->native = map;
	t->replay.end = (uint32_t)f->code.n - 1;
	for (unsigned c = 0; c < RC_COUNT; c++)
		vec_free(&r.g.number[c]);
	arena_free(&r.g.arena);
	return !r.g.bad;
}
