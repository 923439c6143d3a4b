/* A launch as the timing model sees it: instruction timing and the resources that a block takes of an SM.
 * Refusals name the resource and its option. The interface is gpu/gpu.h. */
#include "gpu/gpu.h"

#include "kernel/image.h"
#include "sm/lanes/inside.h"

static uint32_t round_to(uint32_t n, uint32_t unit) { return (n + unit - 1) / unit * unit; }

/* Computes, per instruction, the number of instructions that a fetch starting there brings: as many
 * as fit into the buffer, within one cache line unless the quirk fetch-past-line is set. */
static void find_fetches(struct tinst *code, uint32_t ncode, uint64_t base, const struct machine *m)
{
	uint32_t most = m->fetch_bytes / m->inst_bytes;
	most = most < m->ibuffer ? most : m->ibuffer;
	for (uint32_t pc = 0; pc <= ncode; pc++) {
		uint64_t addr = base + (uint64_t)code[pc].at * m->inst_bytes;
		uint32_t n = most,
			 same = (uint32_t)(m->l1i_line - addr % m->l1i_line) / m->inst_bytes;
		n = n < same || machine_quirk(m, QUIRK_FETCH_PAST_LINE) ? n : same;
		n = n < ncode - pc ? n : ncode - pc;
		code[pc].fetched = (uint8_t)(n ? n : 1);
	}
}

/* Registers of a block with `regs` registers per thread. */
static uint32_t block_registers(const struct machine *m, uint32_t regs, uint32_t warps)
{
	if (m->reg_per_warp)
		return warps * round_to(regs * m->warp_size, m->reg_unit);
	return round_to(regs * m->warp_size * warps, m->reg_unit);
}

/* Most registers per thread with which the given blocks of the given warps fit an SM
 * together. */
static uint32_t registers_each(const struct machine *m, uint32_t blocks, uint32_t warps)
{
	if (m->reg_per_warp)
		return m->registers / (blocks * warps) / m->reg_unit * m->reg_unit / m->warp_size;
	return m->registers / blocks / m->reg_unit * m->reg_unit / (warps * m->warp_size);
}

static uint32_t count_all(const uint32_t n[3])
{
	return n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1);
}

/* Limits the estimate to launch bounds: a compiler that knows the block's size stays within them. */
static uint32_t bound_registers(const struct machine *m, const struct func *f, uint32_t estimate)
{
	uint32_t most = count_all(f->maxntid[0] ? f->maxntid : f->reqntid);
	if (most && most <= m->max_threads) {
		uint32_t warps = (most + m->warp_size - 1) / m->warp_size;
		bool several = f->minnctapersm && f->minnctapersm <= m->max_warps / warps;
		uint32_t each = registers_each(m, several ? f->minnctapersm : 1, warps);
		estimate = each && each < estimate ? each : estimate;
	}
	return machine_registers(m, f->name, estimate);
}

uint32_t kern_register_limit(const struct machine *m, const struct func *f, uint32_t named)
{
	const struct lane_ops *lanes = lanes_in_use(m);
	uint32_t n = bound_registers(m, f, named), spare = m->scalar != SCALARS_NO ? 2 : 0;
	/* A warp must fit its lane, with some room for scalar registers. */
	for (; n > 1 && lanes && lanes->most; n--) {
		uint32_t warp = block_registers(m, n + spare, 1);
		if (lanes->most(m, 1, warp, warp))
			break;
	}
	return n;
}

uint32_t kern_registers(const struct machine *m, const struct image *img)
{
	if (img->vector_regs) /* allocated code has fixed registers */
		return machine_registers(m, img->kernel->name, img->vector_regs);
	bool scheduled = m->reg_estimate == ESTIMATE_SCHEDULED;
	return bound_registers(m, img->kernel, scheduled ? img->scheduled : img->registers);
}

uint32_t kern_least_registers(const struct machine *m, const struct image *img)
{
	return img->vector_regs ? kern_registers(m, img)
				: bound_registers(m, img->kernel, img->registers);
}

/* Sets the launch's registers. If scheduling for latency would make the block too large for an SM, registers
 * are counted in the order of the text: an assembler that knows the block's size limits its scheduling. */
static void launch_registers(struct kern *k, const struct machine *m, const struct image *img)
{
	uint32_t each = kern_registers(m, img), part = k->threads % m->warp_size;
	uint32_t more =
		img->scalar_regs && !m->facts.scalar_file
			? img->scalar_regs /* scalar registers: one copy per warp, in addition to the threads' */
			: 0;
	if (block_registers(m, each, k->warps) + k->warps * more > m->registers)
		each = kern_least_registers(m, img);
	k->regs = block_registers(m, each, k->warps) + k->warps * more;
	k->last_regs = 0;
	if (part && m->reg_grain == GRAIN_THREAD) {
		k->last_regs = each * part + more;
		k->regs = (k->warps - 1) * (block_registers(m, each, 1) + more) + k->last_regs;
	}
}

/* Number of instructions of a kernel's code; if it has calls, all functions are included. */
static uint64_t code_length(const struct func *kernel)
{
	uint64_t n = kernel->code.n;
	for (size_t i = 0; kernel->calls.n && i < kernel->module->funcs.n; i++)
		n += kernel->module->funcs.v[i]->entry ? 0 : kernel->module->funcs.v[i]->code.n;
	return n;
}

/* The code address of a kernel: each kernel of each module has its own range, between all data and the
 * parameters. */
static uint64_t code_address(const struct func *kernel, const struct machine *m)
{
	enum {
		MODULE_BITS = 32,
		KERNEL_BITS = 20,
		MODULES = 1 << 10,
		KERNELS = 1 << (MODULE_BITS - KERNEL_BITS)
	};
	uint64_t module = kernel->module->number % MODULES, index = kernel->index % KERNELS;
	uint64_t base = (1ull << 42) + (module << MODULE_BITS);
	if (!machine_quirk(m, QUIRK_MODULE_CODE))
		return base + (index << KERNEL_BITS);
	for (uint32_t i = 0; i < kernel->index; i++)
		if (kernel->module->funcs.v[i]->entry)
			base += code_length(kernel->module->funcs.v[i]) * m->inst_bytes;
	return base;
}

bool kern_joins_native(const struct machine *m)
{
	return m->diverge->native || m->diverge->replays_only;
}

/* Makes each warp a separate block. */
static void cut_to_warps(struct kern *k, const struct machine *m)
{
	k->cut = k->warps;
	k->blocks *= k->warps;
	k->warps = 1;
	k->threads = k->threads < m->warp_size ? k->threads : m->warp_size;
}

void kern_init(struct kern *k, struct launch *l, const struct gpu *g, struct arena *a)
{
	const struct machine *m = g->m;
	struct tinst *code = tinst_decode(l->img, m, kern_joins_native(m), a);
	*k = (struct kern){.l = l, .code = code, .ncode = l->img->ncode, .arena = a};
	if (m->diverge->needs_order)
		k->order = image_order(l->img, a);
	k->prof = ARENA_ARRAY(a, struct prof *, m->sms);
	k->x = ARENA_ARRAY(a, struct exec *, m->sms);
	k->code_base = code_address(l->img->kernel, m);
	find_fetches(code, k->ncode, k->code_base, m);
	k->warps = l->nwarps / l->parts;
	k->threads = l->nthreads;
	k->blocks = l->nblocks;
	k->cut = 1;
	if (g->disp.ops->cuts)
		cut_to_warps(k, m);
	launch_registers(k, m, l->img);
	k->shared = l->shared_bytes ? round_to(l->shared_bytes, m->shared_unit) : 0;
	k->fit = g->rule.hold == HOLD_BLOCK ? kern_fit(k, m) : g->rule.slots;
}

bool gpu_has_tokens(const struct gpu *g)
{
	return g->m->diverge->native && g->m->warp_size <= LANES;
}

bool gpu_wants_tokens(const struct gpu *g) { return g->m->diverge->tokens_only; }

bool gpu_wants_replays(const struct gpu *g) { return g->m->diverge->replays_only; }

bool gpu_converges(const struct gpu *g) { return g->m->diverge->converge != NULL; }

static void at_most(uint32_t *n, uint32_t limit) { *n = *n < limit ? *n : limit; }

/* Number of blocks that fit. `last`: registers of a block's last warp; 0: as many as the others. */
static uint32_t count_fitting(const struct machine *m, uint32_t threads, uint32_t warps,
			      uint32_t regs, uint32_t last, uint32_t shared)
{
	uint32_t each = last ? (regs - last) / (warps - (warps > 1)) : (regs + warps - 1) / warps;
	uint32_t n = gpu_block_rule(m).slots;
	at_most(&n, m->max_warps / warps);
	at_most(&n, m->max_threads / threads);
	at_most(&n, m->registers / regs);
	if (shared)
		at_most(&n, m->shared_bytes / shared);
	const struct lane_ops *lanes = lanes_in_use(m);
	if (lanes->most)
		at_most(&n, lanes->most(m, warps, each, last ? last : each));
	return n;
}

uint32_t kern_fit(const struct kern *k, const struct machine *m)
{
	return count_fitting(m, k->threads, k->warps, k->regs, k->last_regs, k->shared);
}

uint32_t block_fit(const struct machine *m, uint32_t threads, uint32_t regs, uint32_t shared)
{
	uint32_t warps = (threads + m->warp_size - 1) / m->warp_size;
	if (!threads || threads > m->max_block_threads || shared > m->shared_bytes)
		return 0;
	return count_fitting(m, threads, warps, block_registers(m, regs ? regs : 1, warps), 0,
			     round_to(shared, m->shared_unit));
}

static unsigned lane_count(const struct machine *m)
{
	const struct lane_ops *lanes = lanes_in_use(m);
	return (lanes->count ? lanes->count(m) : 1) * inside_lanes(m);
}

/* Warps of `regs` registers each that an SM's lanes hold together. */
static unsigned lanes_hold(const struct machine *m, uint32_t regs)
{
	const struct lane_ops *lanes = lanes_in_use(m);
	return lanes->most ? lanes->most(m, 1, regs, regs) : m->registers / (regs ? regs : 1);
}

/* Resources of a block, and the registers of a warp and a thread. */
struct need {
	uint32_t threads, warps, regs, last, shared;
	const char *kernel; /* name for messages; NULL: any kernel */
};

/* Names the resource that a block has too little of, the need, the supply and the option
 * that sets it. NULL: a block fits. */
static const char *too_much(const struct machine *m, const struct need *b, char *buf, size_t n)
{
	uint32_t warp = (b->regs + b->warps - 1) / b->warps;
	bool all = m->max_block_threads > m->max_threads;
	if (b->threads > (all ? m->max_threads : m->max_block_threads))
		snprintf(buf, n, "a block of %u threads; %s takes at most %u (%s)", b->threads,
			 m->name, all ? m->max_threads : m->max_block_threads,
			 all ? "sm.max_threads" : "sm.max_block_threads");
	else if (b->warps > m->max_warps)
		snprintf(buf, n, "a block of %u warps; an SM of %s holds %u (sm.max_warps)",
			 b->warps, m->name, m->max_warps);
	else if (b->shared > m->shared_bytes)
		snprintf(
			buf, n,
			"a block needs %u bytes of shared memory; an SM of %s has %u (sm.shared_bytes)",
			b->shared, m->name, m->shared_bytes);
	else if (b->regs > m->registers)
		snprintf(buf, n,
			 "a block needs %u registers, %u a warp; an SM of %s has %u (sm.registers; "
			 "registers.%s or sm.registers_per_thread say what a thread takes)",
			 b->regs, warp, m->name, m->registers, b->kernel ? b->kernel : "KERNEL");
	else if (!count_fitting(m, b->threads, b->warps, b->regs, b->last, b->shared))
		snprintf(
			buf, n,
			"a block of %u warps with %u registers each; each of the %u lanes of %s has %u "
			"registers, so they hold %u such warps (sm.registers, sm.lanes)",
			b->warps, warp, lane_count(m), m->name, m->registers / lane_count(m),
			lanes_hold(m, warp));
	else
		return NULL;
	return buf;
}

const char *block_refuses(const struct machine *m, const char *kernel, uint32_t threads,
			  uint32_t regs, uint32_t shared, char *buf, size_t n)
{
	uint32_t warps = (threads + m->warp_size - 1) / m->warp_size;
	struct need b = {.threads = threads,
			 .warps = warps,
			 .regs = block_registers(m, regs ? regs : 1, warps),
			 .shared = round_to(shared, m->shared_unit),
			 .kernel = kernel};
	return too_much(m, &b, buf, n);
}

const char *gpu_refuses(const struct gpu *g, const struct kern *k, char *buf, size_t n)
{
	const struct machine *m = g->m;
	const struct launch *l = k->l;
	const struct disp_ops *disp = g->disp.ops;
	struct need b = {.threads = k->threads,
			 .warps = k->warps,
			 .regs = k->regs,
			 .last = k->last_regs,
			 .shared = k->shared,
			 .kernel = l->img->kernel->name};
	if (l->nthreads > m->max_block_threads || l->nthreads > m->max_threads)
		b.threads =
			l->nthreads; /* threads of the launch's block, even if blocks are split into
				      * warps */
	if (too_much(m, &b, buf, n))
		return buf;
	if (disp->refuses_launch && disp->refuses_launch(m, k, buf, n))
		return buf;
	else if (l->cooperative && l->nblocks > (uint64_t)kern_fit(k, m) * m->sms)
		snprintf(
			buf, n,
			"a cooperative launch of %llu blocks; the %u SMs hold %u each at a time (gpu.sms, "
			"sm.max_blocks and the block's registers, threads and shared memory)",
			(unsigned long long)l->nblocks, m->sms, kern_fit(k, m));
	else
		return NULL;
	return buf;
}
