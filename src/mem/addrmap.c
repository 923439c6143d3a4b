#include "mem/addrmap.h"

#include <string.h>
#include "conf/machine.h"

static bool power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

void addrmap_init(struct addrmap *map, const struct machine *m)
{
	*map = (struct addrmap){
		.step = m->part_step,
		.parts = m->parts,
		.slices = m->slices,
		.dests = m->parts * m->slices,
		.hash = (uint8_t)m->addrmap,
		.half_dests = m->parts * m->slices / m->l2_halves,
		.bank_step = m->dram_bank_step < m->dram_row ? m->dram_bank_step : m->dram_row,
		.groups = m->dram_groups,
		.banks = m->dram_banks,
		.banks_in_group = m->dram_banks / m->dram_groups,
		.bank_hash = (uint8_t)m->dram_bank_hash,
	};
	if (m->l2_halves == 2 && m->l2_home)
		map->home_shift = (uint8_t)__builtin_ctz(m->l2_home);
	map->row_bit = m->dram_row_bit;
	for (uint32_t b = m->dram_bank_mask; b && map->nbank_bits < 8; b &= b - 1)
		map->bank_bit[map->nbank_bits++] = (uint8_t)__builtin_ctz(b);
	map->row_steps = m->dram_row / map->bank_step;
	map->shifts = power_of_two(map->bank_step) && power_of_two(map->groups) &&
		      power_of_two(map->row_steps) && power_of_two(map->banks_in_group);
	map->bank_step_bits = (uint8_t)__builtin_ctz(map->bank_step);
	map->group_bits = (uint8_t)__builtin_ctz(map->groups);
	map->row_step_bits = (uint8_t)__builtin_ctz(map->row_steps);
	map->in_group_bits = (uint8_t)__builtin_ctz(map->banks_in_group);
	map->step_shift = (uint32_t)__builtin_ctz(map->step);
	map->pow2 = !(map->dests & (map->dests - 1));
	map->dest_shift = (uint32_t)__builtin_ctz(map->dests);
}

/* Folds all bits of the quotient to 16, so that strides of any power of two spread over the slices. */
static uint32_t fold_bits(uint64_t q)
{
	q ^= q >> 32;
	q ^= q >> 16;
	q ^= q >> 8;
	q ^= q >> 4;
	return (uint32_t)(q & 0xffff);
}

/* The finaliser of splitmix64: every bit of the result depends on every bit of q. */
uint32_t addrmap_mix(uint64_t q)
{
	q = (q ^ q >> 30) * 0xbf58476d1ce4e5b9u;
	q = (q ^ q >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)(q >> 33);
}

static uint32_t spread_bits(unsigned hash, uint64_t q)
{
	return hash == SPREAD_MIX ? addrmap_mix(q) : hash == SPREAD_XOR ? fold_bits(q) : 0;
}

/* A page has one half as its home; its units are distributed over that half's slices in turn. */
static uint16_t dest_of_page(const struct addrmap *map, uint64_t addr)
{
	uint64_t unit = addr >> map->step_shift, q = unit / map->half_dests;
	uint32_t r = (uint32_t)(unit - q * map->half_dests);
	uint32_t half = addrmap_mix(addr >> map->home_shift) & 1;
	return (uint16_t)((r + spread_bits(map->hash, q)) % map->half_dests +
			  half * map->half_dests);
}

uint16_t addrmap_dest(const struct addrmap *map, uint64_t addr)
{
	uint64_t unit = addr >> map->step_shift;
	if (map->home_shift)
		return dest_of_page(map, addr);
	if (map->pow2) {
		uint32_t d = (uint32_t)unit;
		if (map->hash)
			d ^= spread_bits(map->hash, unit >> map->dest_shift);
		return (uint16_t)(d & (map->dests - 1));
	}
	uint64_t q = unit / map->dests;
	uint32_t r = (uint32_t)(unit - q * map->dests);
	return (uint16_t)(map->hash ? (r + spread_bits(map->hash, q)) % map->dests : r);
}

uint64_t addrmap_local(const struct addrmap *map, uint64_t addr)
{
	uint64_t unit = addr >> map->step_shift;
	if (map->home_shift) /* partners share a channel, so a unit's address within the channel
			      * does not depend on its home */
		return unit / map->half_dests * (map->slices / 2) << map->step_shift |
		       (uint64_t)(addrmap_dest(map, addr) % map->half_dests / map->parts)
			       << map->step_shift |
		       (addr & (map->step - 1));
	uint64_t q = map->pow2 ? unit >> map->dest_shift : unit / map->dests;
	unsigned slice = addrmap_dest(map, addr) / map->parts;
	return (q * map->slices + slice) << map->step_shift | (addr & (map->step - 1));
}

static struct dram_place masked_place(const struct addrmap *map, uint64_t local)
{
	struct dram_place p = {.row = (uint32_t)(local >> map->row_bit)};
	for (unsigned i = 0; i < map->nbank_bits; i++)
		p.bank |= (uint32_t)(local >> map->bank_bit[i] & 1) << i;
	if (map->bank_hash)
		p.bank = (p.bank + spread_bits(map->bank_hash, p.row)) % map->banks;
	return p;
}

struct dram_place addrmap_dram(const struct addrmap *map, uint64_t local)
{
	uint32_t group, in_group, row;
	if (map->nbank_bits)
		return masked_place(map, local);
	if (map->shifts) { /* the usual case: shifts, because divisions would cost as much as the
			    * rest of the access */
		uint64_t t = local >> map->bank_step_bits;
		group = (uint32_t)t & (map->groups - 1);
		t >>= map->group_bits + map->row_step_bits;
		in_group = (uint32_t)t & (map->banks_in_group - 1);
		row = (uint32_t)(t >> map->in_group_bits);
	} else {
		uint64_t t = local / map->bank_step;
		group = (uint32_t)(t % map->groups);
		t = t / map->groups / map->row_steps;
		in_group = (uint32_t)(t % map->banks_in_group);
		row = (uint32_t)(t / map->banks_in_group);
	}
	uint32_t bank = in_group * map->groups + group;
	if (map->bank_hash)
		bank = (bank + spread_bits(map->bank_hash, row)) % map->banks;
	return (struct dram_place){bank, row};
}
