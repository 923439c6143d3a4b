/* Dialects of the vendor's Fermi text: the differences between the toolkits' versions of cuobjdump.
 *
 *   word 58000000_08209c03 is   SHR.U32.W R2, R2, R2   in CUDA 4.0,   SHR.U32 R2, R2, R2   since
 *
 * CUDA 4.0 printed .W for shifts whose bit is 0, the inputs of PSET and PSETP in reverse order, and
 * the negation of a fused product at its second factor. For conversions between equal types it
 * printed .PASS where the value is not rounded to an integer, and no types if they are .F32. 4.0 and
 * 4.1 printed 20-bit integers unsigned (0xfffff is -1), so that a minus sign is the operand's own
 * negation, and 32-bit integers signed. CUDA 5 and later print float immediates as decimal numbers. */
#include <string.h>
#include "isa/table.h"

static const struct native_dialect dialects[NSTYLE_COUNT] = {
	[NSTYLE_CUDA4] = {.name = "cuda4"},
	[NSTYLE_CUDA5] = {.name = "cuda5", .decimal = true},
	[NSTYLE_FULL] = {.name = "full"},
	[NSTYLE_CUDA40] = {.name = "cuda4.0",
			   .wrap_is_0 = true,
			   .backwards = true,
			   .product_b = true,
			   .unsigned20 = true,
			   .signed32 = true,
			   .zero_offset = true,
			   .pass = true},
	[NSTYLE_CUDA41] = {.name = "cuda4.1",
			   .unsigned20 = true,
			   .signed32 = true,
			   .zero_offset = true},
};

const struct native_dialect *native_dialect(enum native_style st) { return &dialects[st]; }

const char *native_style_name(enum native_style st) { return dialects[st].name; }

bool native_style_named(const char *name, size_t len, enum native_style *st)
{
	for (unsigned i = 0; i < NSTYLE_COUNT; i++)
		if (strlen(dialects[i].name) == len && !memcmp(dialects[i].name, name, len)) {
			*st = (enum native_style)i;
			return true;
		}
	return false;
}

static bool mnemonic_is(const char *m, size_t len, const char *base)
{
	size_t n = strlen(base);
	return len >= n && !memcmp(m, base, n) && (len == n || m[n] == '.');
}

/* Number of operands before the three inputs that are written in reverse; 0: another kind of
 * instruction. */
static unsigned predicate_inputs(const char *m, size_t len)
{
	return mnemonic_is(m, len, "PSET") ? 1 : mnemonic_is(m, len, "PSETP") ? 2 : 0;
}

static bool is_fused(const char *m, size_t len)
{
	return mnemonic_is(m, len, "FFMA") || mnemonic_is(m, len, "DFMA");
}

static void exchange_operands(struct nop *a, struct nop *b)
{
	struct nop t = *a;
	*a = *b;
	*b = t;
}

void native_from_dialect(struct ntext *t, enum native_style st)
{
	const struct native_dialect *d = native_dialect(st);
	unsigned inputs = predicate_inputs(t->mnem, t->mnem_len);
	for (unsigned i = 0; i < t->nop; i++)
		t->o[i].imm20 = t->o[i].kind == NO_IMM && d->unsigned20;
	if (d->backwards && inputs && t->nop == inputs + 3)
		exchange_operands(&t->o[inputs], &t->o[inputs + 2]);
	if (d->product_b && t->nop == 4 && is_fused(t->mnem, t->mnem_len)) {
		struct nop *a = &t->o[1], *b = &t->o[2];
		if (b->minus && b->imm_type == IMM_S)
			b->imm = 0 - b->imm;
		bool neg = a->neg;
		a->neg = b->neg || b->minus;
		b->neg = neg;
		b->minus = false;
	}
}

void native_to_dialect(const struct ninst *in, enum native_style st, struct nop *to)
{
	const struct native_dialect *d = native_dialect(st);
	const char *m = in->row->name;
	unsigned inputs = predicate_inputs(m, strlen(m));
	memcpy(to, in->o, sizeof(in->o));
	if (in->isa != NATIVE_FERMI)
		return;
	if (d->backwards && inputs && in->nop == inputs + 3)
		exchange_operands(&to[inputs], &to[inputs + 2]);
	if (d->product_b && in->nop == 4 && is_fused(m, strlen(m))) {
		to[2].neg = to[1].neg;
		to[1].neg = false;
	}
}
