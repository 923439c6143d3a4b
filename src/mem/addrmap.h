/* Maps an address to an L2 slice, a partition, and a bank and row of its DRAM. The mapping is
 * one-to-one with all options. Its users are ports (which slice to ask, mem/port.h) and DRAM
 * channels (mem/dram.h).
 *
 * Consecutive units of mem.interleave bytes go round the slices. "linear": in order; "xor": shifted
 * by a fold of the upper bits, which spreads power-of-two strides; "mix": shifted by all upper bits
 * mixed by multiplication, so that no stride prefers a slice.
 *
 * With l2.halves = 2 the slice so chosen is the line's home. An SM asks the slice with the home's
 * place in the SM's own half (addrmap_near()); slices k and k + slices / 2 of a partition are
 * partners. In a channel:
 *
 * 	high                                                                              low
 * 	[ row | high part of the bank | rest of the row | low part of the bank | byte in step ]
 *
 * The low part of the bank has as many values as there are groups; a step is dram.bank_step bytes.
 * dram.bank_hash = xor folds row bits into the bank; dram.group_by says which part of the bank is
 * the bank group. With dram.bank_mask the bits of the bank are given, and the row begins at bit
 * dram.row_bit. */
#ifndef MEM_ADDRMAP_H
#define MEM_ADDRMAP_H
#include <stdbool.h>
#include <stdint.h>

struct machine;

struct addrmap {
	uint32_t step, dests, parts, slices;
	uint32_t half_dests; /* destinations in a half of the L2 */
	uint8_t home_shift;  /* log2 of the bytes that have a common home half; 0: each
			      * interleaving unit has its own home */
	uint32_t step_shift;
	uint8_t hash; /* enum spread */
	bool pow2;    /* the number of destinations is a power of two */
	uint32_t dest_shift;
	/* DRAM */
	uint32_t bank_step, groups, row_steps, banks_in_group, banks;
	uint32_t row_bit;
	uint8_t bank_bit[8],
		nbank_bits; /* dram.bank_mask: positions of the address bits that form the bank
			     * number, lowest first; nbank_bits 0: no mask given */
	uint8_t bank_hash;  /* enum spread */
	bool shifts;        /* all divisors above are powers of two, with the exponents below */
	uint8_t bank_step_bits, group_bits, row_step_bits, in_group_bits;
};

struct dram_place {
	uint32_t bank, row;
};

void addrmap_init(struct addrmap *map, const struct machine *m);
uint32_t addrmap_mix(uint64_t q); /* a hash of all bits of q, less than 2^31 */
uint16_t addrmap_dest(const struct addrmap *map, uint64_t addr);
/* The address within the partition: every partition's addresses are unique and without gaps. */
uint64_t addrmap_local(const struct addrmap *map, uint64_t addr);
struct dram_place addrmap_dram(const struct addrmap *map, uint64_t local);

/* The slice to which an SM sends requests for a line. half: the SM's half of the L2; home: the
 * line's home slice. */
static inline uint16_t addrmap_near(const struct addrmap *map, uint16_t home, unsigned half)
{
	return (uint16_t)(home % map->half_dests + half * map->half_dests);
}

static inline unsigned addrmap_part(const struct addrmap *map, unsigned dest)
{
	return dest % map->parts;
}

#endif
