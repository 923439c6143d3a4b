#include "pass/stores.h"

#include "base/arena.h"

static bool is_global(unsigned space)
{
	return space == SP_GLOBAL || space == SP_CONST || space == SP_GENERIC;
}

static uint64_t of_operand(const struct opnd *o, const uint64_t *from)
{
	if (o->kind == OPND_SYM || o->kind == OPND_FUNC)
		return o->kind == OPND_FUNC || is_global(((const struct var *)o->sym)->space)
			       ? STORES_ANYWHERE
			       : 0;
	return o->kind == OPND_REG ? from[o->reg] : 0;
}

/* The pointer in element k of a load; only 64-bit elements are pointers. */
static uint64_t of_load(const struct inst *in, unsigned k)
{
	const struct opnd *o = inst_src(in, 0);
	unsigned bytes = type_bytes(in->type);
	if (bytes < 8)
		return 0;
	if (in->space != SP_PARAM || !o->sym || o->reg != NO_REG || bytes != 8)
		return STORES_ANYWHERE;
	uint64_t at = ((const struct var *)o->sym)->addr + (uint64_t)o->imm + 8u * k;
	return at % 8 || at / 8 >= STORES_SLOTS ? STORES_ANYWHERE : 1ull << at / 8;
}

static uint64_t of_result(const struct inst *in, unsigned k, const uint64_t *from)
{
	uint64_t all = 0;
	if (inst_is(in, OF_LOAD))
		return of_load(in, k);
	if (!inst_is(in, OF_DERIVES))
		return type_bytes(inst_dst(in, k)->type) < 8 ? 0 : STORES_ANYWHERE;
	for (unsigned i = 0; i < in->ns; i++)
		all |= of_operand(inst_src(in, i), from);
	return all;
}

static bool trace_sources(const struct func *f, uint64_t *from)
{
	bool more = false;
	for (size_t i = 0; i < f->code.n; i++) {
		const struct inst *in = &f->code.v[i];
		for (unsigned k = 0; k < in->nd; k++) {
			const struct opnd *d = inst_dst(in, k);
			uint64_t add =
				d->kind == OPND_REG ? of_result(in, k, from) & ~from[d->reg] : 0;
			if (add)
				from[d->reg] |= add;
			more |= add != 0;
		}
	}
	return more;
}

static uint64_t of_store(const struct inst *in, const uint64_t *from)
{
	uint64_t all = 0;
	bool plain = inst_is(in, OF_STORE) || inst_is_atomic(in);
	if (!inst_is(in, OF_WRITES) || (plain && !is_global(in->space)))
		return 0;
	if (!inst_is(in, OF_AT_OPERANDS))
		return STORES_ANYWHERE;
	for (unsigned k = 0; k < in->ns; k++) {
		const struct opnd *o = inst_src(in, k);
		if (o->kind != OPND_MEM)
			continue;
		if (o->sym)
			all |= is_global(((const struct var *)o->sym)->space) ? STORES_ANYWHERE : 0;
		else
			all |= o->reg == NO_REG ? STORES_ANYWHERE : from[o->reg];
	}
	return all;
}

uint64_t stores_find(const struct func *f)
{
	if (f->calls.n || f->native)
		return STORES_ANYWHERE;
	uint64_t *from = xcalloc(f->regs.n + 1, sizeof *from), all = 0;
	while (trace_sources(f, from))
		;
	for (size_t i = 0; i < f->code.n; i++)
		all |= of_store(&f->code.v[i], from);
	free(from);
	return all;
}
