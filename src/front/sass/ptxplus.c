/* Fermi instructions in PTXPlus, the form of Kothiya's thesis, section 4.1: one line for one
 * instruction, operands in PTX spelling, kernel parameters as k[], constants by their bank. */
#include <ctype.h>
#include <string.h>
#include "base/text.h"
#include "front/sass/module.h"
#include "isa/table.h"

struct px {
	struct text t;
	const char *kernel;
};

#define put(o, ...) text_put(&(o)->t, __VA_ARGS__)

/* Instructions whose name or type suffix is not the mnemonic's own. %: the row's modifiers. */
static const struct {
	uint16_t op;
	const char *name;
} names[] = {
	{NI_MOV, "mov.u32"},           {NI_MOV32I, "mov.u32"},  {NI_S2R, "cvt.u32.u32"},
	{NI_PBK, "pbk.u32"},           {NI_SSY, "ssy.u32"},     {NI_PCNT, "pcnt.u32"},
	{NI_PRET, "pret.u32"},         {NI_CAL, "call.u32"},    {NI_BRK, "brk.u32"},
	{NI_CONT, "cont.u32"},         {NI_RET, "ret.u32"},     {NI_EXIT, "exit.u32"},
	{NI_ISCADD, "iscadd.u32"},     {NI_FADD, "add.f32"},    {NI_FMUL, "mul.f32"},
	{NI_FFMA, "fma.f32"},          {NI_FADD32I, "add.f32"}, {NI_FMUL32I, "mul.f32"},
	{NI_FFMA32I, "fma.f32"},       {NI_DADD, "add.f64"},    {NI_DMUL, "mul.f64"},
	{NI_DFMA, "fma.f64"},          {NI_RRO, "rro.f32"},     {NI_IADD, "add.u32"},
	{NI_IADD32I, "add.u32"},       {NI_SEL, "selp.u32"},    {NI_IMNMX, "imnmx.u32"},
	{NI_LD_LDU, "ldu.global.u32"}, {NI_SHL, "shl.u32"},     {NI_BFE, "bfe.u32"},
	{NI_BFI, "bfi.u32"},
};

static void lower(struct px *o, const char *s)
{
	for (; *s; s++)
		put(o, "%c", tolower((unsigned char)*s));
}

static const char *mod_text(const struct ninst *in, unsigned id)
{
	const struct native_tab *t = native_tab(in->isa);
	for (unsigned i = 0; i < ROW_MODS && in->row->mods[i]; i++)
		if (t->mod[in->row->mods[i]].id == id)
			return t->mod[in->row->mods[i]].val[in->mod[id]];
	return "";
}

/* Memory: space, and the width as a type; wide registers get a suffix. */
static void put_memory_name(struct px *o, const struct ninst *in)
{
	static const char *const type[] = {
		".u8", ".s8", ".u16", ".s16", ".u32", ".u32.doublereg", ".u32.quadreg"};
	unsigned sz = in->mod[NM_SIZE] < 7 ? in->mod[NM_SIZE] : 4;
	switch (in->op) {
	case NI_LDS: put(o, "ld.shared%s", type[sz]); break;
	case NI_STS: put(o, "st.shared%s", type[sz]); break;
	case NI_LDL: put(o, "ld.local%s", type[sz]); break;
	case NI_STL: put(o, "st.local%s", type[sz]); break;
	case NI_LDU: put(o, "ldu.global%s", type[sz]); break;
	case NI_LD: put(o, "ld.global%s", type[sz]); break;
	case NI_ST: put(o, "st.global%s", type[sz]); break;
	default: put(o, "mov.const%s", type[sz]); break; /* LDC */
	}
}

static void put_video_name(struct px *o, const struct ninst *in)
{
	static const uint8_t size[8] = {8, 8, 8, 8, 16, 16, 32, 32};
	uint64_t w = in->word;
	unsigned a = size[bits(w, 44, 3)], b = bits(w, 47, 1) ? size[bits(w, 32, 3)] : 8;
	bool as = bits(w, 6, 1), bs = bits(w, 5, 1);
	lower(o, in->row->name);
	lower(o, mod_text(in, NM_SEC));
	if (a == 32 && b == 32 && as && bs)
		put(o, ".u32");
	else
		put(o, ".%c%u.%c%u", as ? 's' : 'u', a, bs ? 's' : 'u', b);
}

static void put_name(struct px *o, const struct ninst *in)
{
	const char *sign = in->mod[NM_SIGN] ? ".s32" : ".u32";
	switch (in->op) {
	case NI_LD:
	case NI_ST:
	case NI_LDS:
	case NI_STS:
	case NI_LDL:
	case NI_STL:
	case NI_LDU:
	case NI_LDC: put_memory_name(o, in); return;
	case NI_NOP: put(o, "nop"); return;
	case NI_BRA: put(o, in->mod[NM_U] ? "bra.uni.u32" : "bra.u32"); return;
	case NI_MUFU:
		lower(o, mod_text(in, NM_FN) + 1);
		put(o, ".f32");
		return;
	case NI_F2F:
		if (in->mod[NM_RND] >= 4) { /* to integral: the thesis calls its type u32 */
			static const char *const r[] = {"cvt.rn.u32", "cvt.rm.u32", "cvt.rp.u32",
							"cvt.rz.u32"};
			put(o, "%s", r[in->mod[NM_RND] & 3]);
			return;
		} /* fall through */
	case NI_F2I:
	case NI_I2F:
	case NI_I2I:
		put(o, "cvt");
		lower(o, mod_text(in, NM_DT));
		lower(o, mod_text(in, NM_ST));
		return;
	case NI_ICMP:
		put(o, "icmp");
		lower(o, mod_text(in, NM_CMP));
		put(o, "%s", sign);
		return;
	case NI_PSETP:
		put(o, "psetp");
		lower(o, mod_text(in, NM_LOGIC2));
		lower(o, mod_text(in, NM_LOGIC));
		put(o, ".s32");
		return;
	case NI_ISETP:
	case NI_ISET:
		lower(o, in->row->name);
		lower(o, mod_text(in, NM_CMP));
		lower(o, mod_text(in, NM_LOGIC));
		put(o, "%s", sign);
		return;
	case NI_VADD:
	case NI_VMNMX:
	case NI_VABSDIFF:
	case NI_VMAD:
	case NI_VSET:
	case NI_VSHL:
	case NI_VSHR: put_video_name(o, in); return;
	case NI_SHR: put(o, "shr%s", sign); return;
	}
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].op == in->op) {
			put(o, "%s", names[i].name);
			return;
		}
	/* The rest keep their mnemonic and modifiers. */
	const struct native_tab *t = native_tab(in->isa);
	lower(o, in->row->name);
	for (unsigned i = 0; i < ROW_MODS && in->row->mods[i]; i++)
		if (!(t->mod[in->row->mods[i]].flags & NMF_VTYPES))
			lower(o,
			      t->mod[in->row->mods[i]].val[in->mod[t->mod[in->row->mods[i]].id]]);
}

/* Constant bank 0 holds launch dimensions and parameters; PTXPlus counts those from 0x10. */
static void put_const(struct px *o, const struct nop *a)
{
	static const char *const dim[] = {"%ntid.x",   "%ntid.y",   "%ntid.z",
					  "%nctaid.x", "%nctaid.y", "%nctaid.z"};
	if (a->bank == 1 && a->off == 0x100 && a->index == NREG_NONE)
		put(o, "0x00000000"); /* the stack pointer, never used there */
	else if (a->bank == 0 && a->index == NREG_NONE && a->off >= 8 && a->off < 0x20)
		put(o, "%s", dim[(a->off - 8) / 4]);
	else if (a->bank == 0 && a->index == NREG_NONE)
		put(o, "k [0x%04x]", (unsigned)(a->off - 0x10));
	else if (a->bank == 16)
		put(o, "constant1%s[", o->kernel);
	else
		put(o, "constant%u[", a->bank);
	if (o->t.b[o->t.n - 1] != '[')
		return;
	if (a->index != NREG_NONE)
		put(o, "$r%u+", a->index);
	put(o, "0x%04x]", (unsigned)a->off);
}

static void put_sreg(struct px *o, unsigned n)
{
	static const char *const three[] = {"%tid", "%ctaid", "%ntid", "%nctaid"};
	if (n >= 33 && n <= 47 && (n - 32) % 4)
		put(o, "%s.%c", three[(n - 32) / 4], 'w' + (int)((n - 32) % 4));
	else if (n == 0)
		put(o, "%%laneid");
	else if (n == 80)
		put(o, "%%clock");
	else
		put(o, "%%sr%u", n);
}

static void put_reg(struct px *o, unsigned r) { put(o, r == 63 ? "0x00" : "$r%u", r); }

static void put_operand(struct px *o, const struct ninst *in, const struct nop *a)
{
	if (a->kind == NO_PRED) {
		put(o, a->neg ? "!" : "");
		put(o, a->reg == 7 ? "pt" : "$p%u", a->reg);
		return;
	}
	put(o, "%s%s%s", a->neg ? "-" : "", a->inv ? "~" : "", a->abs ? "|" : "");
	switch (a->kind) {
	case NO_GPR: put_reg(o, a->reg); break;
	case NO_CONST: put_const(o, a); break;
	case NO_SREG: put_sreg(o, a->reg); break;
	case NO_IMM:
		put(o, a->imm_type == IMM_F64_20 ? "0x%016llx" : "0x%08llx",
		    (unsigned long long)(a->imm_type == IMM_F64_20 ? a->imm
								   : a->imm & 0xffffffffu));
		break;
	case NO_TARGET:
		put(o, in->op == NI_BRA ? "l0x%08llx" : "0x%08llx", (unsigned long long)a->imm);
		break;
	case NO_MEM:
		put_reg(o, a->reg);
		if (a->off)
			put(o, ", 0x%08x", (unsigned)a->off);
		else if (in->op == NI_LDU)
			put(o, ", 0x00");
		break;
	case NO_PR: put(o, "pr"); break;
	case NO_CC: put(o, "cc"); break;
	case NO_WORD: lower(o, a->word); break;
	}
	put(o, a->abs ? "|" : "");
}

size_t native_ptxplus(const struct ninst *in, const char *kernel, char *buf, size_t n)
{
	struct px o = {{buf, 0, n}, kernel};
	buf[0] = 0;
	if (in->guard != 7 || in->guard_neg) {
		put(&o, "@%s", in->guard_neg ? "!" : "");
		put(&o, in->guard == 7 ? "pt " : "$p%u ", in->guard);
	}
	put_name(&o, in);
	if (in->pop)
		put(&o, ".s");
	for (unsigned i = 0, shown = 0; i < in->nop && in->op != NI_NOP; i++)
		if (!in->o[i].optional) {
			put(&o, shown++ ? ", " : " ");
			put_operand(&o, in, &in->o[i]);
		}
	put(&o, ";");
	return o.t.n;
}

void native_ptxplus_print(const struct nmodule *m, FILE *f)
{
	char b[320];
	for (size_t i = 0; i < m->kernel.n; i++) {
		const struct nkernel *k = &m->kernel.v[i];
		fprintf(f, ".entry %s {\n", k->name);
		for (size_t j = 0; j < k->ninst; j++) {
			bool target = false;
			for (size_t t = 0; t < k->ninst && !target; t++)
				for (unsigned q = 0; q < k->inst[t].nop; q++)
					target |= k->inst[t].op == NI_BRA &&
						  k->inst[t].o[q].kind == NO_TARGET &&
						  k->inst[t].o[q].imm == k->inst[j].pc;
			if (target)
				fprintf(f, "l0x%08x:\n", k->inst[j].pc);
			native_ptxplus(&k->inst[j], k->name, b, sizeof(b));
			fprintf(f, "\t%s\n", b);
		}
		fprintf(f, "}\n");
	}
}
