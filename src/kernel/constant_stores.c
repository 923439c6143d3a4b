/* --check race: which stores write constants. Threads that all set the same flag leave the same memory in
 * any order, and programs do so everywhere (`*changed = true`), so such stores do not race. Stores of
 * computed values are reported even if the values happen to be equal. Races are found in check/. */
#include "kernel/image.h"

struct def {
	uint32_t n; /* number of instructions that set the register */
	const struct opnd *imm;
};

/* Finds registers that exactly one instruction sets, to a number. */
static void find_numbers(const struct func *f, struct def *def)
{
	for (size_t i = 0; i < f->code.n; i++) {
		const struct inst *in = &f->code.v[i];
		for (unsigned k = 0; k < in->nd; k++) {
			uint32_t r =
				inst_dst(in, k)->kind == OPND_REG ? inst_dst(in, k)->reg : NO_REG;
			if (r == NO_REG)
				continue;
			bool number = inst_is(in, OF_COPIES) && !inst_is(in, OF_REBASES) &&
				      in->guard == NO_REG && in->ns == 1 &&
				      inst_src(in, 0)->kind == OPND_IMM;
			def[r].n++;
			def[r].imm = number ? inst_src(in, 0) : NULL;
		}
	}
}

/* A number that identifies the constants a store writes; 0: not constants. */
static uint64_t stored_constant(const struct inst *in, const struct def *def)
{
	unsigned bits = type_bits(in->type);
	uint64_t sum = bits, ones = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
	for (unsigned k = 1; k < in->ns; k++) {
		const struct opnd *o = inst_src(in, k);
		if (o->kind == OPND_REG)
			o = def[o->reg].n == 1 ? def[o->reg].imm : NULL;
		if (!o || o->kind != OPND_IMM)
			return 0;
		sum = (sum ^ ((uint64_t)o->imm & ones)) * 0x9e3779b97f4a7c15u;
		sum ^= sum >> 32;
	}
	return sum | 1;
}

void image_find_constants(struct image *img)
{
	img->constant = ARENA_ARRAY(&img->arena, uint64_t, img->ncode);
	for (uint32_t i = 0; i < img->nfuncs; i++) {
		const struct image_func *f = &img->funcs[i];
		struct def *def = xcalloc(f->f->regs.n + 1, sizeof *def);
		find_numbers(f->f, def);
		for (uint32_t pc = f->start; pc < f->end; pc++)
			if (uop_is(&img->code[pc], OF_STORE))
				img->constant[pc] = stored_constant(img->code[pc].in, def);
		free(def);
	}
}
