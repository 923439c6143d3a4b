/* Properties of the device that programs can query, and limits that they can set. */
#include "api/api.h"

#include <stdio.h>
#include "conf/machine.h"
#include "gpu/gpu.h"

static void from_machine(const struct machine *m, struct heddle_device *d)
{
	d->major = m->capability / 10;
	d->minor = m->capability % 10;
	d->sms = m->sms;
	d->warp_size = m->warp_size;
	d->threads_per_block = m->max_block_threads;
	d->threads_per_sm = m->max_threads;
	d->blocks_per_sm = m->max_blocks;
	d->registers_per_block = d->registers_per_sm = m->registers;
	d->shared_per_block = d->shared_per_block_optin = d->shared_per_sm = m->shared_bytes;
	d->clock_khz = (unsigned)(m->core_mhz * 1e3);
	d->l2_bytes = m->l2_sets * m->l2_ways * m->l2_line * m->parts * m->slices;
	d->memory_bus_bits = m->parts * m->dram_bus * 8;
	d->memory_clock_khz = (unsigned)(m->dram_mhz * 1e3);
	if (m->name && *m->name)
		snprintf(d->name, sizeof d->name, "Heddle %s", m->name);
}

void heddle_device(const struct heddle *h, struct heddle_device *out)
{
	/* clang-format off */
	*out = (struct heddle_device){
		.major = 9, .minor = 0, .sms = h->nsm, .warp_size = 32,
		.threads_per_block = 1024, .threads_per_sm = 2048, .blocks_per_sm = 32,
		.registers_per_block = 65536, .registers_per_sm = 65536,
		.shared_per_block = 48 << 10, .shared_per_block_optin = 227 << 10, .shared_per_sm = 228 << 10,
		.const_bytes = 64 << 10, .l2_bytes = 4 << 20, .memory_bytes = h->mem.limit,
		.clock_khz = 1000000, .memory_clock_khz = 1000000, .memory_bus_bits = 256,
	};
	/* clang-format on */
	snprintf(out->name, sizeof out->name, "Heddle");
	if (h->machine)
		from_machine(h->machine, out);
	/* --check race treats unordered streams as concurrent */
	out->concurrent_kernels = h->gpu ? h->gpu->kernels : h->opt.check_race ? 16 : 1;
}

static unsigned at_most(unsigned n, unsigned limit) { return n < limit ? n : limit; }

uint32_t api_registers(const struct heddle *h, const struct image *img)
{
	uint32_t own = img->vector_regs ? img->vector_regs : img->registers;
	return h->machine ? kern_registers(h->machine, img) : own;
}

uint32_t api_least_registers(const struct heddle *h, const struct image *img)
{
	return h->machine ? kern_least_registers(h->machine, img) : img->registers;
}

char *heddle_unused(const struct heddle *h)
{
	/* a machine's file may name the kernels of a whole suite, so only a few are printed */
	enum { NAMED = 3 };
	char *s = NULL;
	size_t bytes;
	FILE *f = NULL;
	unsigned n = 0;
	for (const struct named_num *e = h->machine ? h->machine->kernel_regs : NULL; e;
	     e = e->next)
		if (!e->used && (f || (f = open_memstream(&s, &bytes))) && n++ < NAMED)
			fprintf(f, "%sregisters.%s", n > 1 ? ", " : "", e->name);
	if (n > NAMED)
		fprintf(f, " and %u more", n - NAMED);
	if (f)
		fclose(f);
	return s;
}

/* Returns the number of registers that a kernel's allocated code may use; `named`: the number that
 * instructions can name. */
uint32_t api_register_limit(const struct heddle *h, const struct func *f, uint32_t named)
{
	return kern_register_limit(h->machine, f, named);
}

unsigned heddle_occupancy(const struct heddle *h, unsigned threads, unsigned registers,
			  uint64_t shared)
{
	struct heddle_device d;
	heddle_device(h, &d);
	if (!threads || threads > d.threads_per_block || shared > d.shared_per_sm)
		return 0;
	if (h->machine)
		return block_fit(h->machine, threads, registers, (uint32_t)shared);
	unsigned warps = (threads + d.warp_size - 1) / d.warp_size;
	unsigned regs = warps * ((registers * d.warp_size + 255) / 256 * 256);
	unsigned bytes = (unsigned)(shared + 127) / 128 * 128;
	unsigned n = at_most(d.threads_per_sm / d.warp_size / warps, d.blocks_per_sm);
	if (regs)
		n = at_most(n, d.registers_per_sm / regs);
	return bytes ? at_most(n, d.shared_per_sm / bytes) : n;
}

const char *heddle_refuses(const struct heddle *h, const char *kernel, unsigned threads,
			   unsigned registers, uint64_t shared, char *out, size_t n)
{
	if (!h->machine || !threads || shared > UINT32_MAX)
		return NULL;
	return block_refuses(h->machine, kernel, threads, registers, (uint32_t)shared, out, n);
}

enum heddle_status heddle_limit_set(struct heddle *h, enum heddle_limit l, uint64_t value)
{
	if (l == HEDDLE_LIMIT_STACK) {
		if (value > 512 << 10)
			return api_fail(h, HEDDLE_INVALID, "a thread's stack has at most 512 KiB");
		h->stack_extra = (uint32_t)value;
		return HEDDLE_OK;
	}
	if (value > h->mem.limit)
		return api_fail(h, HEDDLE_INVALID, "the heap cannot be larger than device memory");
	h->heap_bytes = value;
	return HEDDLE_OK;
}

uint64_t heddle_limit_get(const struct heddle *h, enum heddle_limit l)
{
	return l == HEDDLE_LIMIT_STACK ? h->stack_extra : h->heap_bytes;
}
