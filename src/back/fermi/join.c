/* Joins loads of neighbouring words, on sm_20, sm_13 and sm_90. If a block loads words of shared or
 * local memory from one aligned register at offsets 0, 4 (, 8, 12), one LDS.64 or LDS.128 in place
 * of the first load loads them all:
 *
 * 	LDS R1, [R0+0x40];               LDS.128 R8, [R0+0x40];
 * 	...                              MOV R1, R8;
 * 	LDS R2, [R0+0x44];               ...
 * 	                                 MOV R2, R9;
 *
 * mir/fold.c removes the copies. The alignment of a register follows from the instructions that
 * write it: shifts, sums and products with known numbers. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/mir.h"

/* MOST: words of a load; ZEROS: number of lower zero bits that are counted */
enum { MOST = 4, ZEROS = 5 };

struct join {
	struct mfunc *m;
	uint8_t *zeros; /* [4 * value + word]: lower bits that are 0 */
	VEC(struct mi) out;
};

/* ---- alignment ---- */

static unsigned of_number(int64_t v)
{
	unsigned n = v ? (unsigned)__builtin_ctzll((uint64_t)v) : ZEROS;
	return n < ZEROS ? n : ZEROS;
}

static unsigned of_operand(const struct join *j, const struct mo *o)
{
	if (o->inv || o->abs || o->half)
		return 0;
	return o->kind == MO_ZERO              ? ZEROS
	       : o->kind == MO_IMM             ? of_number(o->imm)
	       : o->kind == MO_REG && !o->wide ? j->zeros[4 * o->v + o->word]
					       : 0;
}

static unsigned smaller_of(unsigned a, unsigned b) { return a < b ? a : b; }

/* Number of lower zero bits of the result that the instruction writes. */
static unsigned of_result(const struct join *j, const struct mi *in)
{
	const struct mo *s = &in->o[in->nd];
	unsigned n = in->n - in->nd, a = n > 0 ? of_operand(j, &s[0]) : 0,
		 b = n > 1 ? of_operand(j, &s[1]) : 0, c = n > 2 ? of_operand(j, &s[2]) : 0;
	if (!strcmp(in->name, "MOV") || !strcmp(in->name, "MOV32I"))
		return a;
	if (!strcmp(in->name, "IADD"))
		return smaller_of(a, b);
	if (!strcmp(in->name, "SHL") && s[1].kind == MO_IMM)
		return smaller_of(a + (unsigned)(s[1].imm & 63), ZEROS);
	if (!strcmp(in->name, "ISCADD") && s[2].kind == MO_IMM)
		return smaller_of(smaller_of(a + (unsigned)(s[2].imm & 31), ZEROS), b);
	if (mi_is(in, "IMUL") && !strstr(in->name, ".HI"))
		return smaller_of(a + b, ZEROS);
	if (mi_is(in, "IMAD") && !strstr(in->name, ".HI") && !strstr(in->name, ".X"))
		return smaller_of(smaller_of(a + b, ZEROS), c);
	if (!strcmp(in->name, "IADD3"))
		return smaller_of(smaller_of(a, b), c);
	if (!strcmp(in->name, "SHF.L.U32") && s[1].kind == MO_IMM && s[2].kind == MO_ZERO)
		return smaller_of(a + (unsigned)(s[1].imm & 31), ZEROS);
	if (!strcmp(in->name, "LEA") && s[2].kind == MO_IMM)
		return smaller_of(smaller_of(a + (unsigned)(s[2].imm & 31), ZEROS), b);
	if (!strcmp(in->name, "LOP3.LUT") && n > 3 && s[3].kind == MO_IMM && !(s[3].imm & 1))
		return (s[3].imm & 0xff) == 0xc0 ? (a > b ? a : b)
						 : smaller_of(smaller_of(a, b), c);
	if (mi_is(in, "LOP.AND") || mi_is(in, "LOP32I.AND"))
		return a > b ? a : b;
	if (mi_is(in, "LOP.OR") || mi_is(in, "LOP.XOR") || mi_is(in, "LOP32I.OR") ||
	    mi_is(in, "LOP32I.XOR") || mi_is(in, "SEL"))
		return smaller_of(a, b);
	return 0;
}

/* Finds for each word the number of zero bits that holds for all its writes. */
static void find_zeros(struct join *j)
{
	struct mfunc *m = j->m;
	memset(j->zeros, ZEROS, 4 * m->val.n);
	for (bool change = true; change;) {
		change = false;
		for (size_t i = 0; i < m->code.n; i++) {
			const struct mi *in = &m->code.v[i];
			for (unsigned d = 0; in->name && d < in->nd; d++) {
				const struct mo *o = &in->o[d];
				if (o->kind != MO_REG)
					continue;
				unsigned z = !d && !o->wide ? of_result(j, in) : 0;
				for (unsigned w = 0; w < MOST; w++) {
					uint8_t *at = &j->zeros[4 * o->v + w];
					if ((o->wide || o->word == w) && *at > z) {
						*at = (uint8_t)z;
						change = true;
					}
				}
			}
		}
	}
}

/* ---- loads ---- */

static bool is_load(const struct mi *in)
{
	return in->name && (!strcmp(in->name, "LDS") || !strcmp(in->name, "LDL")) &&
	       in->guard == V_TRUE && !in->keep && !in->pop && in->nd == 1 &&
	       in->o[0].kind == MO_REG && in->o[1].kind == MO_MEM;
}

static bool begins(const struct mi *in, const char *with)
{
	return !strncmp(in->name, with, strlen(with));
}

/* True for the instructions of sm_90 across which no load may be moved, beside those that other machines have too. */
static bool is_modern_wall(const struct mi *in)
{
	static const char *const names[] = {"ATOM", "RED",      "LDGSTS", "SYNCS",    "DEPBAR",
					    "UBLK", "WARPSYNC", "FENCE",  "ARRIVES",  "UTMA",
					    "CCTL", "UCGABAR",  "BSYNC",  "NANOSLEEP"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (begins(in, names[i]))
			return true;
	return false;
}

/* True if no load may be moved across the instruction. */
static bool is_wall(const struct mi *in)
{
	return !in->name || is_modern_wall(in) || in->label || in->ends || in->pop ||
	       !strncmp(in->name, "ST", 2) || mi_is(in, "BAR") || mi_is(in, "MEMBAR") ||
	       mi_is(in, "LDSLK") || mi_is(in, "ATOM") || mi_is(in, "RED");
}

static bool writes_value(const struct mi *in, uint32_t v)
{
	for (unsigned d = 0; d < in->nd; d++)
		if (mo_value(&in->o[d]) == v)
			return true;
	return false;
}

/* Finds the load at `first` and the loads of the following words; returns how many there are. */
static unsigned find_group(const struct join *j, size_t first, size_t *at)
{
	const struct mfunc *m = j->m;
	const struct mi *a = &m->code.v[first];
	const struct mo *p = &a->o[1];
	size_t found[MOST] = {0};
	unsigned zeros = smaller_of(p->v == V_NONE ? ZEROS : j->zeros[4 * p->v + p->word],
				    of_number(p->imm)),
		 n = 1,
		 most = zeros >= 4   ? 4
			: zeros >= 3 ? 2
				     : 1;
	if (p->v != V_NONE && writes_value(a, p->v))
		return 1;
	for (size_t i = first + 1; i < m->code.n && most > 1; i++) {
		const struct mi *b = &m->code.v[i];
		if (is_wall(b))
			break;
		if (is_load(b) && !strcmp(b->name, a->name) && b->o[1].v == p->v &&
		    b->o[1].word == p->word) {
			int64_t k = (b->o[1].imm - p->imm) / 4;
			if (b->o[1].imm == p->imm + 4 * k && k > 0 && k < (int64_t)most &&
			    !found[k])
				found[k] = i;
		}
		if (p->v != V_NONE && writes_value(b, p->v))
			break;
	}
	at[0] = first;
	while (n < most && found[n])
		at[n] = found[n], n++;
	return n == 3 ? 2 : n;
}

static struct mi copy_of_word(const struct mi *load, uint32_t t, unsigned word)
{
	struct mi in = *load;
	in.name = "MOV";
	in.o[0] = mo_reg(load->o[0].v);
	in.o[1] = mo_word(t, word);
	return in;
}

void fermi_join(struct mfunc *m)
{
	struct join j = {.m = m};
	size_t n = m->code.n, values = m->val.n;
	j.zeros = xmalloc(4 * values + 1);
	struct {
		uint32_t value, word;
		/* [value]: number of the load that the value is a word of, plus 1; 0: none */
	} *from = xcalloc(n + 1, sizeof *from);
	find_zeros(&j);
	for (size_t i = 0; i < n; i++) {
		struct mi in = m->code.v[i];
		size_t at[MOST];
		unsigned k = from[i].word || !is_load(&in) ? 1 : find_group(&j, i, at);
		if (k > 1) {
			struct mi wide = in;
			uint32_t t = mval_new(m, k);
			m->val.v[t].temp = true;
			wide.name = !strcmp(in.name, "LDS") ? (k == 4 ? "LDS.128" : "LDS.64")
							    : (k == 4 ? "LDL.128" : "LDL.64");
			wide.o[0] = mo_wide(t);
			vec_push(&j.out, wide);
			for (unsigned w = 0; w < k; w++) {
				from[at[w]].value = t;
				from[at[w]].word = w + 1;
			}
		}
		vec_push(&j.out,
			 from[i].word ? copy_of_word(&in, from[i].value, from[i].word - 1) : in);
	}
	vec_free(&m->code);
	m->code.v = j.out.v;
	m->code.n = j.out.n;
	m->code.cap = j.out.cap;
	free(j.zeros);
	free(from);
}
