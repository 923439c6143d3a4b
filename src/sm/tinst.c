#include "sm/tinst.h"

#include "isa/sm70/issue.h"
#include "kernel/call.h"

struct dec {
	const struct machine *m;
	struct arena *arena;
	uint16_t rows[256]; /* rows that the present instruction reads */
	uint16_t written[256];
	uint16_t from[256]; /* registers that the present instruction reads, for bank conflicts */
	uint64_t to;        /* mask of the banks of its results */
	unsigned n, nw, nfrom;
	const struct func
		*names; /* register numbers by name, which choose the banks; NULL: rows choose
		         * them */
	const struct func
		*native; /* native code: registers that the decoder added do not exist in the
		          * machine; NULL: PTX */
};

/* ---- registers ---- */

static void set_row(struct regset *s, unsigned row) { s->row[row / 64 % 4] |= 1ull << row % 64; }

/* Adds x to a list without duplicates of up to 255 numbers. */
static void add_once(uint16_t *list, unsigned *n, unsigned x)
{
	for (unsigned i = 0; i < *n; i++)
		if (list[i] == x)
			return;
	if (*n < 255)
		list[(*n)++] = (uint16_t)x;
}

static void bank_of_operand(struct dec *d, unsigned number, bool dst)
{
	if (!dst)
		add_once(d->from, &d->nfrom, number);
	else if (d->m->bank_conflicts)
		d->to |= 1ull << number % d->m->reg_banks;
}

/* The first number in a register's name: 12 of %rd12. */
static unsigned number_in(const char *name)
{
	unsigned x = 0;
	while (*name && (*name < '0' || *name > '9'))
		name++;
	for (; *name >= '0' && *name <= '9'; name++)
		x = (x * 10 + (unsigned)(*name - '0')) & 0xffff;
	return x;
}

static unsigned opnd_rows(const struct opnd *o)
{
	switch (o->kind) {
	case OPND_REG: return type_rows(o->type);
	case OPND_MEM: return o->reg == NO_REG ? 0 : type_rows(o->type);
	default: return 0;
	}
}

static bool is_scratch(const struct dec *d, uint32_t reg)
{
	return d->native && reg != NO_REG && d->native->regs.v[reg].scratch;
}

/* True for a register that has no row in functional mode (kernel/fixed.h) but that the machine
 * reads and writes. */
static bool is_fixed(const struct opnd *o, int32_t at)
{
	return (at & 3) == BASE_CONST && opnd_rows(o);
}

static void add_opnd(struct dec *d, struct tinst *t, const struct opnd *o, int32_t at, bool dst)
{
	if (at == SINK || is_scratch(d, o->reg))
		return;
	bool reg = o->kind == OPND_PRED || ((at & 3) == BASE_REG && opnd_rows(o));
	if (d->names && reg && o->reg < d->names->regs.n)
		bank_of_operand(d, number_in(d->names->regs.v[o->reg].name), dst);
	if (o->kind == OPND_PRED) {
		uint64_t bit = 1ull << at % 63;
		t->use.pred |= bit;
		t->def.pred |= dst ? bit : 0;
		t->operands |= !dst;
		return;
	}
	if ((at & 3) != BASE_REG && !is_fixed(o, at))
		return;
	for (unsigned k = 0; k < opnd_rows(o); k++) {
		unsigned row = is_fixed(o, at) ? 0x8000 | ((2 * o->reg + k) & 0x7fff)
					       : (unsigned)(at / ROW) + k;
		set_row(&t->use, row);
		if (!d->names)
			bank_of_operand(d, row, dst);
		if (dst) {
			set_row(&t->def, row);
			d->written[d->nw] = (uint16_t)row;
			d->nw += d->nw < 255;
		} else {
			add_once(d->rows, &d->n, row);
		}
	}
}

static void add_regs(struct dec *d, const struct uop *u, struct tinst *t)
{
	const struct inst *in = u->in;
	if (u->guard >= 0 && !is_scratch(d, in->guard))
		t->use.pred |= 1ull << u->guard % 63;
	for (unsigned k = 0; k < in->nd; k++)
		add_opnd(d, t, inst_dst(in, k), u->v[k], true);
	bool free = machine_quirk(d->m, QUIRK_FREE_ATOMIC_ADDRESS) && inst_is_atomic(in);
	t->free_address |= free;
	for (unsigned k = 0; k < in->ns; k++)
		if (!free || inst_src(in, k)->kind != OPND_MEM)
			add_opnd(d, t, inst_src(in, k), u->v[in->nd + k], false);
	if (in->mods & M_CC)
		t->def.pred |= 1ull << 63;
	if (op_info[in->op].scalar == OPS_CARRY || (in->mods & M_CC))
		t->use.pred |= 1ull << 63;
}

static uint16_t *keep_list(struct dec *d, const uint16_t *list, unsigned n, unsigned more)
{
	uint16_t *copy = ARENA_ARRAY(d->arena, uint16_t, n + more + 1);
	memcpy(copy, list, n * sizeof *copy);
	return copy;
}

static void decode_regs(struct dec *d, const struct uop *u, unsigned n, struct tinst *t)
{
	d->n = d->nw = d->nfrom = 0;
	d->to = 0;
	for (unsigned i = 0; i < n; i++)
		add_regs(d, &u[i], t);
	t->nread = (uint8_t)d->n;
	t->operands |= d->n > 0;
	t->nwrite = (uint8_t)d->nw;
	t->nfrom = (uint8_t)d->nfrom;
	uint16_t *rows = keep_list(d, d->rows, d->n, d->nw);
	memcpy(rows + d->n, d->written, d->nw * sizeof *rows);
	t->read = rows;
	for (unsigned i = 0; i < d->nfrom; i++)
		d->from[i] %= d->m->reg_banks;
	t->from = keep_list(d, d->from, d->nfrom, 0);
	t->to = d->to;
}

/* Makes an instruction wait for all results under way. A call needs that: it copies arguments and
 * results, and all registers of callee and caller must be complete. */
static void wait_for_all(struct tinst *t)
{
	memset(t->use.row, 0xff, sizeof t->use.row);
	t->use.pred = UINT64_MAX;
}

/* ---- unit and latency ---- */

static void set_time(struct tinst *t, enum unit u, struct op_time time)
{
	static const uint8_t waits[UNIT_COUNT] = {W_SP, W_SFU, W_DP, W_MMA, W_GLOBAL};
	t->unit = (uint8_t)u;
	t->wait = waits[u];
	t->lat = time.latency;
	t->ii = time.interval;
}

/* The instruction's result does not wait for the load/store unit's own time. */
static const struct op_time one_cycle = {1, 1};

/* Time and energy class of each kind of operation, by type: integer, float, f64. Memory, control
 * and barriers have their timing below; those that stay on the ALUs count as moves. */
static const struct op_cost {
	uint8_t time[2], time_dp; /* enum time_class */
	uint8_t energy[2], energy_dp;
	bool logic; /* a logic operation, which runs on the ALUs also for f64 (quirk
		     * dp-logic-on-alu) */
} op_cost[OPK_COUNT] = {
#define COST(kind, ti, tf, td, ei, ef, ed, logic)                                                  \
	[OPK_##kind] = {{TIME_##ti, TIME_##tf}, TIME_##td, {OPC_##ei, OPC_##ef}, OPC_##ed, logic}
	/* clang-format off */
	/*   kind      time: int  float    f64      energy: int  f32       f64       logic */
	COST(LOGIC,    logic,     logic,   dp,      move,        move,     move,     true),
	COST(MOVE,     logic,     logic,   dp,      move,        move,     move,     true),
	COST(COMPARE,  logic,     logic,   dp,      cvt,         cvt,      cvt,      true),
	COST(ADD,      int,       fp,      dp,      int_add,     fp32_add, fp64_add, false),
	COST(MUL,      mul,       fp,      dp,      int_mul,     fp32_mul, fp64_mul, false),
	COST(MAD,      mad,       fma,     dp,      int_mul,     fp32_fma, fp64_fma, false),
	COST(MINMAX,   minmax,    minmax,  dminmax, int_add,     fp32_add, fp64_add, false),
	COST(SAD,      sad,       sad,     dp,      int_mul,     int_mul,  fp64_add, true),
	COST(VIDEO,    logic,     logic,   dp,      int_add,     int_add,  fp64_add, true),
	COST(SHUFFLE,  shuffle,   shuffle, dp,      move,        move,     move,     true),
	COST(DIV,      div,       fdiv,    ddiv,    sfu,         sfu,      sfu,      false),
	COST(SQRT,     sqrt,      sqrt,    dsqrt,   sfu,         sfu,      sfu,      false),
	COST(ROOT,     sfu,       sfu,     dsqrt,   sfu,         sfu,      sfu,      false),
	COST(FUNCTION, sfu,       sfu,     dp,      sfu,         sfu,      sfu,      true),
	COST(MATRIX,   mma,       mma,     mma,     mma,         mma,      mma,      false),
	COST(ACCESS,   int,       int,     int,     move,        move,     move,     false),
	COST(TEXTURE,  logic,     logic,   logic,   texture,     texture,  texture,  false),
	COST(FRAGMENT, logic,     logic,   logic,   global,      global,   global,   false),
	COST(HINT,     int,       int,     int,     move,        move,     move,     false),
	COST(BARRIER,  logic,     logic,   logic,   barrier,     barrier,  barrier,  false),
	COST(CONTROL,  logic,     logic,   logic,   move,        move,     move,     false),
/* clang-format on */
#undef COST
};

static const struct op_cost *cost_of(const struct inst *in)
{
	return &op_cost[op_info[in->op].kind];
}

static void time_dp(const struct machine *m, const struct inst *in, struct tinst *t)
{
	const struct op_cost *c = cost_of(in);
	if (c->logic && machine_quirk(m, QUIRK_DP_LOGIC_ON_ALU))
		set_time(t, UNIT_SP, m->time[TIME_logic]);
	else
		set_time(t, m->dp_units ? UNIT_DP : UNIT_SFU, m->time[c->time_dp]);
}

/* Times an operation of the ALUs, the special function units or the matrix units. */
static void time_plain(const struct machine *m, const struct inst *in, struct tinst *t)
{
	struct op_time time = m->time[cost_of(in)->time[type_is_float(in->type)]];
	if (inst_is(in, OF_24BIT)) {
		time.latency += m->mul24_extra;
		time.interval += m->mul24_extra;
	}
	set_time(t, (enum unit)op_info[in->op].unit, time);
}

static unsigned access_bytes(const struct inst *in)
{
	if (inst_is(in, OF_ROWS))
		return 16; /* a row of a matrix, for each lane that gives its address */
	unsigned n = inst_is(in, OF_STORE)   ? in->ns - 1u
		     : inst_is_reduction(in) ? in->vec
		     : in->nd                ? in->nd
					     : 1u;
	if (inst_is(in, OF_LANE_COPY))
		return (unsigned)in->copy_bytes;
	if (inst_is(in, OF_PREFETCH)) /* a prefetch moves no data; one word represents the line */
		return 4;
	return type_bytes(in->type) * n;
}

/* Makes an instruction an access of the load/store unit. */
static void set_access(const struct inst *in, struct tinst *t)
{
	uint64_t facts = op_info[in->op].facts;
	bool store = (facts & OF_WRITES) && !(facts & OF_READS);
	set_time(t, UNIT_MEM, one_cycle);
	t->flags |=
		T_MEMORY | T_VISIBLE | (store ? T_STORE : 0) | (facts & OF_ATOMIC ? T_ATOMIC : 0);
}

static void time_mem(const struct machine *m, const struct uop *u, struct tinst *t)
{
	const struct inst *in = u->in;
	/* Parameters of kernels, and of functions at known places, are in rows: loading them is no
	 * access. */
	bool loads = machine_quirk(m, QUIRK_LOADED_PARAMETERS);
	bool rows = inst_is(in, OF_LOAD | OF_STORE) && (u->a == SINK || (u->a & 3) != BASE_REG) &&
		    (in->space == SP_PARAM || in->space == SP_FRAME) && !(u->flags & UOP_FAULTS);
	if (rows && loads && in->space == SP_PARAM && inst_is(in, OF_LOAD) &&
	    (u->a & 3) != BASE_FRAME) {
		set_time(t, UNIT_MEM, one_cycle);
		t->flags |= T_MEMORY | T_PARAM;
		t->space = SP_PARAM;
		t->bytes = (uint8_t)access_bytes(in);
		t->wait = W_CONST;
		return;
	}
	if (rows || inst_is(in, OF_COPY_WAIT) || op_info[in->op].kind == OPK_HINT) {
		set_time(t, UNIT_SP, m->time[cost_of(in)->time[0]]);
		/* control bits say what machine code waits for */
		t->flags |= inst_is(in, OF_COPY_WAIT) && in->copy_wait != CPW_COMMIT && !in->issue
				    ? T_FENCE
				    : 0;
		return;
	}
	set_access(in, t);
	t->space = in->space == SP_FRAME ? SP_LOCAL : in->space == SP_NONE ? SP_GENERIC : in->space;
	t->bytes = (uint8_t)access_bytes(in);
	if (inst_is(in, OF_LOAD) && (inst_is_strong(in) || in->cop == COP_CG || in->cop == COP_CV))
		t->flags |= T_PAST;
	if (inst_is(in, OF_FENCE)) {
		t->flags = T_MEMORY | T_VISIBLE | T_FENCE;
		if (machine_quirk(m, QUIRK_FENCE_LOADS)) {
			t->flags |= T_PAST;
			wait_for_all(t);
		}
	}
	if (inst_is(in, OF_PREFETCH) && in->level != 1) /* a prefetch into the L2 only */
		t->flags |= T_PAST;
	if (inst_is(in, OF_BULK))
		t->flags |= T_BULK | (in->space == SP_GLOBAL ? T_STORE : 0);
	if (inst_is(in, OF_LANE_COPY | OF_BULK))
		t->space = SP_GLOBAL;
	if (inst_is(in, OF_POSTED)) {
		t->space = SP_SHARED;
		t->bytes = 16;
	}
	if (inst_is(in, OF_MBARRIER) && in->space == SP_NONE)
		t->space = SP_SHARED;
	t->wait = t->space == SP_SHARED                          ? W_SHARED
		  : t->space == SP_CONST || t->space == SP_PARAM ? W_CONST
								 : W_GLOBAL;
}

/* Times loads and stores of matrix fragments, which are accessed a row or an element at a time. */
static void time_fragment(const struct inst *in, struct tinst *t)
{
	set_access(in, t);
	t->flags |= T_MATRIX;
	t->space = in->space == SP_NONE ? SP_GENERIC : in->space;
	t->wait = t->space == SP_SHARED ? W_SHARED : W_GLOBAL;
}

static void time_texture(const struct inst *in, struct tinst *t)
{
	set_access(in, t);
	t->space = SP_TEX;
	t->wait = W_TEX;
	if (t->flags & T_ATOMIC) { /* a surface reduction bypasses the texture cache, like other
				    * reductions */
		t->space = SP_GLOBAL;
		t->bytes = (uint8_t)type_bytes(in->type);
		t->wait = W_GLOBAL;
	}
}

static void decode_time(const struct machine *m, const struct uop *u, struct tinst *t)
{
	const struct inst *in = u->in;
	unsigned kind = op_info[in->op].kind;
	enum unit unit = inst_unit(in);
	if (unit == UNIT_DP)
		time_dp(m, in, t);
	else if (unit != UNIT_MEM)
		time_plain(m, in, t);
	else if (kind == OPK_TEXTURE)
		time_texture(in, t);
	else if (kind == OPK_FRAGMENT)
		time_fragment(in, t);
	else
		time_mem(m, u, t);
}

/* ---- energy ---- */

static bool is_control(const struct uop *u) { return u->flags & UOP_CTL; }

static enum opclass class_space(unsigned space)
{
	switch (space) {
	case SP_SHARED: return OPC_shared;
	case SP_CONST:
	case SP_PARAM: return OPC_const;
	case SP_TEX: return OPC_texture;
	default: return OPC_global;
	}
}

/* Called when the unit is known. */
static enum opclass class_of(const struct uop *u, const struct tinst *t)
{
	const struct op_cost *c = cost_of(u->in);
	if (op_info[u->op].kind == OPK_BARRIER)
		return OPC_barrier;
	if (is_control(u))
		return OPC_control;
	if (t->unit == UNIT_MEM)
		return class_space(t->space);
	if (u->flags & UOP_CROSS)
		return OPC_shuffle;
	return (enum opclass)(inst_unit(u->in) == UNIT_DP ? c->energy_dp
							  : c->energy[type_is_float(u->in->type)]);
}

/* ---- work at issue ---- */

/* True for operations between lanes without a member mask. activemask is none of them: it reports
 * the lanes that are together and waits for no lane. */
static bool crosses_lanes(const struct uop *u)
{
	return !uop_is(u, OF_CONVERGED) &&
	       (op_info[u->op].scalar == OPS_LANES || (u->flags & UOP_CROSS));
}

static void decode_flags(const struct uop *u, struct tinst *t)
{
	const struct inst *in = u->in;
	if (is_control(u))
		t->flags |= T_CTL;
	if (op_info[in->op].kind == OPK_BARRIER)
		t->flags |= T_VISIBLE;
	if (inst_is(in, OF_CALL)) {
		wait_for_all(t);
		if (u->flags & UOP_ORDERED)
			t->flags |= T_DEFER | T_ALONE;
	} else if ((u->flags & UOP_ORDERED) && !inst_is(in, OF_FENCE | OF_BULK | OF_TENSOR)) {
		t->flags |= T_DEFER; /* reductions of copies are performed late in any case
		                      * (exec/memory/pending.h) */
	}
	if ((u->flags & UOP_CROSS) && (in->mods & M_SYNC))
		t->flags |= T_SYNC;
	else if (crosses_lanes(u))
		t->flags |= T_GATHER;
	if (u->flags & UOP_POLL)
		t->flags |= T_POLL;
	if (inst_is(in, OF_RETURNS))
		wait_for_all(t);
}

/* ---- native instructions ---- */

/* Constants are operands of native instructions, except in instructions that only load a
 * constant. */
static bool makes_access(const struct uop *u, const struct tinst *t)
{
	if (!(t->flags & T_MEMORY))
		return false;
	return (t->space != SP_CONST && t->space != SP_PARAM) || u->in->lone_load;
}

/* Rank of a uop: the highest-ranked uop gives the native instruction its timing. Memory access >
 * call > slowest unit > control. */
static unsigned timing_rank(const struct uop *u, const struct tinst *t)
{
	if (makes_access(u, t))
		return 1u << 30;
	if (inst_is(u->in, OF_CALL))
		return 1u << 29;
	if (is_control(u) || (t->flags & T_MEMORY))
		return 0;
	return (t->unit == UNIT_SP ? 1u : 1u << 20) + t->lat;
}

/* Number of uops from u on that are issued together: to the end of the native instruction (`micro`
 * is 0 there) or to control flow, with at most one access to memory. */
static unsigned issue_extent(const struct uop *u, const struct tinst *t, uint32_t left)
{
	unsigned n = 0;
	bool access = false;
	for (; n < left && n < 250; n++) {
		if (access && makes_access(&u[n], &t[n]))
			break;
		access |= makes_access(&u[n], &t[n]);
		if (!u[n].in->micro || is_control(&u[n]))
			return n + 1;
	}
	return n;
}

static void join_uops(struct dec *d, const struct uop *u, struct tinst *t, unsigned n)
{
	unsigned best = 0, main = 0;
	uint16_t flags = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned w = timing_rank(&u[i], &t[i]);
		if (w >= best)
			best = w, main = i;
		if (!(t[i].flags & T_MEMORY))
			flags |= t[i].flags;
	}
	uint32_t at = t->at;
	struct tinst all = t[main];
	all.u = u;
	flags |= best ? all.flags : 0;
	all.use = all.def = (struct regset){{0}, 0};
	all.operands = false;
	if (!best) /* control, and constants that it reads */
		set_time(&all, UNIT_SP, d->m->time[TIME_int]);
	decode_regs(d, u, n, &all);
	all.flags = flags | T_NATIVE;
	if (flags & T_DEFER)
		all.flags |= T_ALONE; /* scratch registers of the instruction must keep their
		                       * values */
	all.n = (uint8_t)n;
	all.main = (uint8_t)main;
	all.issue = u->in->issue;
	all.at = at;
	*t = all;
}

static void join_native(struct dec *d, const struct image *img, struct tinst *code)
{
	uint32_t at = 0;
	d->native = img->funcs[0].f;
	for (uint32_t pc = 0; pc < img->ncode; at++) {
		unsigned n = issue_extent(&img->code[pc], &code[pc], img->ncode - pc);
		code[pc].at = at;
		if (n > 1)
			join_uops(d, &img->code[pc], &code[pc], n);
		else if ((img->native || img->converges) && is_control(&img->code[pc]) &&
			 !uop_is(&img->code[pc], OF_BARRIER))
			code[pc].flags |= T_NATIVE;
		pc += n;
	}
}

/* Counts operands that only scalar instructions write: they are scalars for every reader. */
static void count_scalars(struct tinst *code, uint32_t n, const struct image *img)
{
	uint8_t *by = xcalloc(1u << 16, 1); /* bit 1: written by a scalar instruction, bit 2: by
	                                     * another */
	for (uint32_t pc = 0; pc < n; pc++) {
		const struct uop *u = &img->code[pc];
		for (unsigned k = 0; k < u->in->nd; k++) {
			unsigned rows = u->v[k] != SINK && (u->v[k] & 3) == BASE_REG
						? opnd_rows(inst_dst(u->in, k))
						: 0;
			for (unsigned r = 0; r < rows; r++)
				by[((unsigned)(u->v[k] / ROW) + r) & UINT16_MAX] |=
					code[pc].scalar ? 1 : 2;
		}
	}
	for (uint32_t pc = 0; pc < n; pc++)
		for (unsigned i = 0; !code[pc].scalar && i < code[pc].nread; i++)
			code[pc].nscalar =
				(uint8_t)(code[pc].nscalar + (by[code[pc].read[i]] == 1));
	free(by);
}

/* Makes the one-thread form of instructions that may turn out to be scalar. */
static void add_single_forms(const struct image *img, const struct machine *m, struct tinst *code,
			     struct arena *a)
{
	struct tinst *once = NULL;
	for (uint32_t pc = 0; pc < img->ncode && img->scalar && m->scalar != SCALARS_NO; pc++) {
		if (img->scalar[pc] != SCALAR_BY_VALUE || (code[pc].flags & T_NATIVE))
			continue;
		if (!once)
			once = ARENA_ARRAY(a, struct tinst, img->ncode);
		once[pc] = code[pc];
		once[pc].scalar = true;
		once[pc].plain = false;
		code[pc].once = &once[pc];
	}
}

struct tinst *tinst_decode(const struct image *img, const struct machine *m, bool whole,
			   struct arena *a)
{
	struct tinst *code = ARENA_ARRAY(a, struct tinst, img->ncode + 1);
	struct dec d = {.m = m,
			.arena = a,
			.native = img->kernel->native && whole ? img->funcs[0].f : NULL};
	const struct image_func *in = img->funcs;
	for (uint32_t pc = 0; pc < img->ncode; pc++) {
		struct tinst *t = &code[pc];
		const struct uop *u = &img->code[pc];
		while (pc >= in->end && in + 1 < img->funcs + img->nfuncs)
			in++;
		if (machine_quirk(m, QUIRK_NAMED_BANKS) && !d.native)
			d.names = in->f;
		memset(t, 0, sizeof *t);
		t->u = u;
		t->issue = u->in->issue;
		t->at = pc;
		t->n = 1;
		decode_regs(&d, u, 1, t);
		decode_time(m, u, t);
		decode_flags(u, t);
		if (t->issue && t->issue->fence == SM70_FENCE_BLOCK)
			t->flags &= (uint16_t)~T_FENCE; /* not needed: the SM performs the
							 * operations in order */
		if (t->issue && t->issue->past)
			t->flags |= T_PAST;
		t->scalar =
			img->scalar && img->scalar[pc] == SCALAR_BY_FACT && m->scalar != SCALARS_NO;
		t->opclass = (uint8_t)class_of(u, t);
		if (op_info[u->op].kind == OPK_MATRIX) {
			const struct shape_dims *s = &shape_dims[u->in->shape];
			t->products = (uint32_t)s->m * s->n * s->k;
		}
	}
	if (img->scalar && m->scalar != SCALARS_NO)
		count_scalars(code, img->ncode, img);
	code[img->ncode] =
		(struct tinst){.at = img->ncode, .n = 1}; /* fetch may run past the end */
	if (d.native)
		join_native(&d, img, code);
	for (uint32_t pc = 0; pc < img->ncode; pc++)
		code[pc].plain = !code[pc].scalar && !code[pc].nscalar && !code[pc].products;
	add_single_forms(img, m, code, a);
	return code;
}
