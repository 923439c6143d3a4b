/* Translates one kernel: decodes its code, loads constants that are operands into registers once
 * per warp, then lifts instruction by instruction. */
#include "lift/sm70/memory.h"
#include "isa/sm70/issue.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void lift_refuse(struct lift *l, const char *fmt, ...)
{
	char text[256] = "", why[256];
	va_list ap;
	if (l->refused)
		return;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	if (l->in) {
		sm70_print(l->in, SM70_PLAIN, text, sizeof text);
		diag_error(l->g.d, "%s: %s at 0x%llx: %s is not supported%s%s", l->file->name,
			   l->k->f->name, (unsigned long long)l->in->pc, text, *why ? ": " : "",
			   why);
	} else {
		diag_error(l->g.d, "%s: %s is not supported: %s", l->file->name, l->k->f->name,
			   why);
	}
	l->refused = true;
}

/* ---- decoding ---- */

static void place_of(const struct lift *l, uint64_t pc, char *text, size_t n)
{
	snprintf(text, n, "%s: %s at 0x%llx", l->file->name, l->k->f->name, (unsigned long long)pc);
}

/* The function that a call names by a relocation. */
static void set_target(struct sm70_inst *in, uint64_t target)
{
	for (unsigned i = 0; target && i < in->nop; i++)
		if (in->o[i].kind == SM70_K_IMM || in->o[i].kind == SM70_K_TARGET) {
			in->o[i].kind = SM70_K_TARGET;
			in->o[i].imm = target;
		}
}

static bool decode_part(struct lift *l, struct lift_part *p)
{
	const struct cuelf_section *s = &l->file->elf.section.v[p->section];
	p->n = (uint32_t)(s->size / 16);
	p->inst = ARENA_ARRAY(&l->g.arena, struct sm70_inst, p->n + 1);
	struct lift_relocs relocs;
	lift_find_relocs(l, p->section, &relocs);
	for (uint32_t i = 0; i < p->n; i++) {
		const uint8_t *b = s->data + (size_t)i * 16;
		uint64_t word[2] = {cuelf_u64(b), cuelf_u64(b + 8)};
		char why[200] = "", place[300];
		uint64_t target;
		if (!lift_relocate(l, &relocs, 16 * i, word, &target))
			return false;
		if (sm70_decode(l->file->elf.sm, word, p->base + 16ull * i, &p->inst[i], why,
				sizeof why)) {
			set_target(&p->inst[i], target);
			continue;
		}
		place_of(l, p->base + 16ull * i, place, sizeof place);
		diag_error(l->g.d, "%s: 0x%016llx%016llx is not an instruction of sm_%u: %s", place,
			   (unsigned long long)word[1], (unsigned long long)word[0],
			   l->file->elf.sm, why);
		return false;
	}
	return true;
}

/* Adds functions in other sections that the present sections call, or whose address they may
 * have. */
static void add_callees(struct lift *l, bool *wanted)
{
	const struct cuelf *e = &l->file->elf;
	bool more = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < e->reloc.n; i++) {
			const struct cuelf_reloc *r = &e->reloc.v[i];
			uint32_t to = e->symbol.v[r->symbol].section;
			bool code = cuelf_suffix(e->section.v[r->section].name, ".text.");
			if (to && !wanted[to] && (!code || wanted[r->section]) && l->file->module &&
			    cuelf_suffix(e->section.v[to].name, ".text.")) {
				wanted[to] = true;
				more = true;
			}
		}
	}
}

static bool is_kernel_section(const struct cuelf *e, uint32_t section)
{
	for (size_t i = 0; i < e->func.n; i++)
		if (e->func.v[i].entry && e->func.v[i].section == section)
			return true;
	return false;
}

static bool decode_parts(struct lift *l)
{
	const struct cuelf *e = &l->file->elf;
	bool *wanted = ARENA_ARRAY(&l->g.arena, bool, e->section.n + 1);
	memset(wanted, 0, e->section.n + 1);
	wanted[l->k->f->section] = true;
	add_callees(l, wanted);
	l->part = ARENA_ARRAY(&l->g.arena, struct lift_part, e->section.n + 1);
	l->part[l->nparts++] = (struct lift_part){.section = l->k->f->section};
	for (uint32_t i = 1; i < e->section.n; i++)
		if (wanted[i] && !is_kernel_section(e, i))
			l->part[l->nparts++] =
				(struct lift_part){.section = i, .base = l->file->code_base[i]};
	uint32_t n = 0;
	for (unsigned i = 0; i < l->nparts; i++) {
		l->part[i].first = n;
		if (!decode_part(l, &l->part[i]))
			return false;
		n += l->part[i].n;
	}
	return true;
}

/* ---- constants that are operands ---- */

/* Returns the number of words of a constant operand: two if the instruction works on 64 bits. */
static unsigned words_of(const struct sm70_inst *in)
{
	unsigned size = in->mod[SM70_MOD_SIZE];
	switch (in->op) {
	case SM70_DADD:
	case SM70_DMUL:
	case SM70_DFMA:
	case SM70_DSETP:
	case SM70_DMMA:
	case SM70_F2F:
	case SM70_F2I:
	case SM70_I2F:
	case SM70_FRND: return 2;
	case SM70_IMAD: return in->mod[SM70_MOD_WIDE] || in->mod[SM70_MOD_HI] ? 2 : 1;
	case SM70_LDC:
	case SM70_LDCU:
	case SM70_ULDC: return size == SM70_W__128 ? 4 : size == SM70_W__64 ? 2 : 2;
	default: return 1;
	}
}

static int compare_words(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* True if the instruction may name a texture or a surface by a constant's bank and word. */
static bool has_handle(const struct sm70_inst *in)
{
	switch (in->op) {
	case SM70_TEX:
	case SM70_TLD:
	case SM70_TLD4:
	case SM70_TXD:
	case SM70_TXQ:
	case SM70_SULD:
	case SM70_SUST:
	case SM70_SURED: return true;
	default: return false;
	}
}

static void collect_words(struct lift *l)
{
	for (unsigned p = 0; p < l->nparts; p++)
		for (uint32_t i = 0; i < l->part[p].n; i++) {
			const struct sm70_inst *in = &l->part[p].inst[i];
			for (unsigned k = 0; k < in->nop; k++) {
				const struct sm70_operand *o = &in->o[k];
				if (o->kind == SM70_K_IMM && o->role == SM70_R_I &&
				    has_handle(in) && k + 1u < in->nop &&
				    in->o[k + 1].role == SM70_R_I) /* a texture's handle */
					vec_push(&l->word, (uint32_t)o->imm << 16 |
								   4 * (uint32_t)in->o[k + 1].imm);
				if (!is_fixed_const(o) || o->off < 0 || o->off > 0xfff0)
					continue;
				for (unsigned w = 0; w < words_of(in); w++)
					vec_push(&l->word,
						 (uint32_t)o->bank << 16 |
							 (((uint32_t)o->off & ~3u) + 4 * w));
			}
		}
	if (l->word.n)
		qsort(l->word.v, l->word.n, sizeof *l->word.v, compare_words);
	size_t n = 0;
	for (size_t i = 0; i < l->word.n; i++)
		if (!n || l->word.v[n - 1] != l->word.v[i])
			l->word.v[n++] = l->word.v[i];
	l->word.n = n;
}

struct opnd lift_const(struct lift *l, unsigned bank, uint32_t offset, unsigned n)
{
	uint32_t want = bank << 16 | (offset & ~3u);
	size_t lo = 0, hi = l->word.n;
	(void)n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (l->word.v[mid] < want)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < l->word.n && l->word.v[lo] == want)
		return val_reg(RC_K, (unsigned)lo, T_B32);
	lift_refuse(l, "a constant at offset 0x%x", offset);
	return imm(0);
}

/* Loads those bytes of a word of bank 0 that belong to parameters; the last word may have fewer
 * than four. */
static void load_param(struct lift *l, struct opnd d, uint32_t at)
{
	uint32_t bytes = l->k->f->param_bytes;
	struct ngen *g = &l->g;
	if (at + 4 <= bytes) {
		gen_load(g, (struct access){T_U32, 1, 0}, SP_PARAM, 0, &d, mem_at(imm(0), at));
		return;
	}
	gen(g, OP_MOV, T_U32, d, imm(0));
	for (uint32_t i = 0; i < 4 && at + i < bytes; i++) {
		struct opnd t = gen_t(g);
		gen_load(g, (struct access){T_U8, 1, 0}, SP_PARAM, 0, &t, mem_at(imm(0), at + i));
		gen(g, OP_SHL, T_B32, t, t, imm(8 * i));
		gen(g, OP_OR, T_B32, d, d, t);
	}
}

/* Returns the texture or surface whose handle the file's loader writes to a word of bank 0; NULL:
 * none. */
static const struct var *reference_at(const struct lift *l, uint32_t at)
{
	const struct cuelf *e = &l->file->elf;
	for (size_t i = 0; i < e->reloc.n; i++) {
		const struct cuelf_reloc *r = &e->reloc.v[i];
		if (r->offset != at)
			continue;
		const struct var *v = l->file->symbol_var[r->symbol];
		const char *of = cuelf_suffix(e->section.v[r->section].name, ".nv.constant0.");
		if (v && (v->type == T_TEXREF || v->type == T_SURFREF) && of &&
		    !strcmp(of, l->k->f->name))
			return v;
	}
	return NULL;
}

static void load_word(struct lift *l, struct opnd d, unsigned bank, uint32_t at)
{
	struct ngen *g = &l->g;
	uint32_t base = l->k->f->param_base;
	const struct lift_bank *b = bank < LIFT_BANKS ? &l->k->bank[bank] : NULL;
	const struct var *reference = bank ? NULL : reference_at(l, at);
	if (reference) {
		gen(g, OP_MOV, T_U32, d, imm((uint32_t)reference->addr));
	} else if (!bank && at >= base) {
		load_param(l, d, at - base);
	} else if (!bank) {
		gen(g, OP_MOV, T_U32, d, lift_env(l, at));
	} else if (b && b->var && at + 4 <= b->size) {
		gen_load(g, (struct access){T_U32, 1, 0}, SP_CONST, 0, &d,
			 mem_at(val_var(b->var), at));
	} else {
		gen(g, OP_MOV, T_U32, d, imm(0));
	}
}

void lift_constants(struct lift *l)
{
	for (size_t i = 0; i < l->word.n; i++) {
		l->g.nt = 0;
		load_word(l, val_reg(RC_K, (unsigned)i, T_B32), l->word.v[i] >> 16,
			  l->word.v[i] & 0xffff);
	}
}

/* ---- instructions ---- */

/* True if the instruction writes its own guard. Then the old value guards all of it. */
static bool writes_guard(const struct sm70_inst *in)
{
	if (in->op == SM70_R2P || in->op == SM70_UR2UP)
		return true;
	unsigned kind = in->guard_uniform ? SM70_K_UPRED : SM70_K_PRED;
	for (unsigned i = 0; i < in->nop; i++)
		if (in->o[i].kind == kind && in->o[i].reg == in->guard &&
		    (in->o[i].role == SM70_R_PD || in->o[i].role == SM70_R_PD2))
			return true;
	return false;
}

static void set_guard(struct lift *l)
{
	const struct sm70_inst *in = l->in;
	if (in->guard == SM70_PT)
		return;
	struct opnd p = val_reg(in->guard_uniform ? RC_UP : RC_P, in->guard, T_PRED);
	if (writes_guard(in)) {
		gen(&l->g, OP_MOV, T_PRED, val_pg(), p);
		p = val_pg();
	}
	l->g.guard = (struct guard){p, in->guard_neg};
}

/* True for instructions of the uniform datapath, which are executed for all lanes of the warp. */
static bool writes_uniform(const struct sm70_inst *in)
{
	for (unsigned i = 0; i < in->nop; i++) {
		unsigned role = in->o[i].role, kind = in->o[i].kind;
		if ((role == SM70_R_D || role == SM70_R_PD || role == SM70_R_PD2) &&
		    (kind == SM70_K_UGPR || kind == SM70_K_UPRED))
			return true;
	}
	return false;
}

static void lift_inst(struct lift *l, const struct sm70_inst *in)
{
	struct ngen *g = &l->g;
	char text[300];
	l->in = in;
	l->nsaid = 0;
	for (unsigned i = 0; i < SM70_MOD_COUNT; i++)
		if (in->mod[i])
			l->said[l->nsaid++] = sm70_word_text(in->mod[i]);
	gen_begin_inst(g, NULL, (uint32_t)in->pc);
	sm70_print(in, SM70_PLAIN, text, sizeof text);
	g->native = arena_strdup(&g->out->arena, text);
	g->mnemonic = native_sm70_mnemonic(in->op);
	bool never = in->guard == SM70_PT && in->guard_neg;
	if (!never) {
		set_guard(l);
		if (!lift_control(l) && !lift_integer(l) && !lift_logic(l) && !lift_float(l) &&
		    !lift_halves(l) && !lift_convert(l) && !lift_memory(l) && !lift_warp(l) &&
		    !lift_matrix(l) && !lift_texture(l) && !lift_surface(l) && !lift_async(l))
			lift_refuse(l, "%s", "");
	}
	if (g->f->code.n == g->first) { /* an instruction without effect is still issued */
		g->guard = (struct guard){0};
		gen_plain(g, OP_PMEVENT);
	}
	bool whole = writes_uniform(in);
	for (size_t i = g->first; i < g->f->code.n; i++)
		g->f->code.v[i].uniform = whole;
	gen_end_inst(g);
}

/* ---- the kernel ---- */

/* Number of registers from an operand's on that an instruction may access without naming them. */
static unsigned registers_behind(const struct sm70_inst *in, const struct sm70_operand *o)
{
	enum { COPY_FIELDS = 8, DESCRIPTORS = 4 };
	switch (in->op) {
	case SM70_HGMMA:
	case SM70_QGMMA:
	case SM70_IGMMA:
	case SM70_BGMMA:
		if (o->kind == SM70_K_GDESC)
			return DESCRIPTORS;
		return o->role == SM70_R_D || o->role == SM70_R_C ? lift_accumulators(in) : 4;
	case SM70_UBLKCP:
	case SM70_UBLKRED:
	case SM70_UTMALDG:
	case SM70_UTMASTG:
	case SM70_UTMAREDG:
	case SM70_UTMAPF: return COPY_FIELDS;
	default: return 1;
	}
}

/* The highest register that the code names, plus the width of the widest operand. */
static uint32_t registers_of(const struct lift *l, bool uniform, uint32_t least)
{
	uint32_t most = least;
	for (unsigned p = 0; p < l->nparts; p++)
		for (uint32_t i = 0; i < l->part[p].n; i++)
			for (unsigned k = 0; k < l->part[p].inst[i].nop; k++) {
				const struct sm70_inst *in = &l->part[p].inst[i];
				const struct sm70_operand *o = &in->o[k];
				bool gpr = o->kind == SM70_K_GPR || o->kind == SM70_K_MEM;
				bool ugpr = o->kind == SM70_K_UGPR || o->kind == SM70_K_GDESC;
				uint32_t reg = o->kind == SM70_K_MEM && uniform ? o->ureg : o->reg;
				if (uniform ? !ugpr && o->kind != SM70_K_MEM : !gpr)
					continue;
				uint32_t end = reg + registers_behind(in, o);
				if (reg < 254 && end > most)
					most = end;
			}
	return most;
}

/* Numbers registers in order, so that pairs and quadruples of them are neighbours. */
static void number_registers(struct lift *l)
{
	uint32_t r = registers_of(l, false, l->k->f->registers), u = registers_of(l, true, 0);
	for (uint32_t i = 0; i < r + 4 && i < 256; i++)
		gen_number(&l->g, val_r(i));
	for (uint32_t i = 0; u && i < u + 4 && i < 256; i++)
		gen_number(&l->g, val_u(i));
	for (size_t i = 0; i < l->word.n; i++)
		gen_number(&l->g, val_reg(RC_K, (unsigned)i, T_B32));
}

static struct native_map *describe_kernel(struct lift *l)
{
	struct arena *a = &l->g.out->arena;
	struct native_map *map = ARENA_NEW(a, struct native_map);
	for (unsigned p = 0; p < l->nparts; p++)
		map->n += l->part[p].n;
	map->addr = ARENA_ARRAY(a, uint32_t, map->n + 1 + GEN_BUILTINS);
	map->index = ARENA_ARRAY(a, uint32_t, map->n + 1 + GEN_BUILTINS);
	bool *listed = ARENA_ARRAY(a, bool, map->n + 1 + GEN_BUILTINS);
	uint32_t n = 0;
	for (unsigned p = 0; p < l->nparts; p++)
		for (uint32_t i = 0; i < l->part[p].n; i++)
			map->addr[n++] = l->part[p].base + 16 * i;
	map->addr[n] = n ? map->addr[n - 1] + 16 : 0;
	map->listed = listed;
	map->registers = l->k->f->registers;
	map->pointer_bytes = 8;
	map->converges = true;
	return map;
}

static bool uses_shared(const struct lift *l)
{
	for (unsigned p = 0; p < l->nparts; p++)
		for (uint32_t i = 0; i < l->part[p].n; i++)
			switch (l->part[p].inst[i].op) {
			case SM70_LD:
			case SM70_ST:
			case SM70_ATOM:
			case SM70_RED:
			case SM70_LDS:
			case SM70_STS:
			case SM70_ATOMS:
			case SM70_LDSM:
			case SM70_STSM:
			case SM70_LDGSTS:
			case SM70_SYNCS:
			case SM70_STAS:
			case SM70_REDAS:
			case SM70_UBLKCP:
			case SM70_UBLKRED:
			case SM70_UTMALDG:
			case SM70_UTMASTG:
			case SM70_UTMAREDG:
			case SM70_HGMMA:
			case SM70_QGMMA:
			case SM70_IGMMA:
			case SM70_BGMMA: return true;
			default: break;
			}
	return l->k->f->shared > 0;
}

static bool uses_generic(const struct lift *l)
{
	for (unsigned p = 0; p < l->nparts; p++)
		for (uint32_t i = 0; i < l->part[p].n; i++)
			switch (l->part[p].inst[i].op) {
			case SM70_LD:
			case SM70_ST:
			case SM70_ATOM:
			case SM70_RED:
			case SM70_UTMALDG:
			case SM70_UTMASTG:
			case SM70_UTMAREDG:
			case SM70_UTMAPF: return true;
			default: break;
			}
	return false;
}

static void emit_prologue(struct lift *l)
{
	struct ngen *g = &l->g;
	gen_setp(g, CMP_EQ, T_U32, val_pt(), imm(0), imm(0));
	gen_setp(g, CMP_NE, T_U32, val_pf(), imm(0), imm(0));
	if (l->k->shared && uses_shared(l))
		gen(g, OP_MOV, T_U32, val_reg(RC_SHARED, 0, T_B32),
		    val_var(l->k->shared)); /* counts as a use, so that the variable gets an
		                             * address */
	lift_constants(l);
	if (uses_generic(l))
		lift_window(l);
}

/* Attaches an instruction's issue information to everything that it was lifted to, from index
 * `first` on. */
static void note_issue(struct lift *l, const struct sm70_inst *in, size_t first)
{
	struct func *f = l->g.f;
	struct sm70_issue *issue = ARENA_NEW(&l->g.out->arena, struct sm70_issue);
	*issue = sm70_issue_of(in);
	for (size_t i = first; i < f->code.n; i++)
		f->code.v[i].issue = issue;
}

static void lift_code(struct lift *l, struct native_map *map)
{
	struct ngen *g = &l->g;
	uint32_t n = 0;
	for (unsigned p = 0; p < l->nparts && !l->refused; p++) {
		for (uint32_t i = 0; i < l->part[p].n && !l->refused; i++) {
			size_t first = g->f->code.n;
			map->index[n++] = (uint32_t)first;
			lift_place(l, l->part[p].section, 16 * i);
			lift_inst(l, &l->part[p].inst[i]);
			note_issue(l, &l->part[p].inst[i], first);
		}
		l->in = NULL; /* no part of the kernel runs on into the next */
		l->g.src_file = l->g.src_line = l->g.inlined = 0;
		gen_begin_inst(g, NULL, 0);
		gen_plain(g, OP_EXIT);
	}
	if (l->calls && !l->refused) {
		n += lift_builtins(l, map->addr + n, map->index + n);
		map->n = n;
		map->addr[n] = map->addr[n - 1] + 16;
		gen_begin_inst(g, NULL, 0);
		gen_plain(g, OP_EXIT);
	}
	map->index[n] = (uint32_t)g->f->code.n - 1;
	for (size_t i = 0; i < g->f->code.n; i++) {
		struct inst *in = &g->f->code.v[i];
		if (in->op == OP_NATIVE && in->mode < NCTL_LOCK)
			in->target = map->index[in->target <= map->n ? in->target : map->n];
	}
}

/* True if the code calls the address in a register, which may be a function of the system. */
static bool calls_by_register(const struct lift *l)
{
	for (unsigned p = 0; p < l->nparts; p++)
		for (uint32_t i = 0; i < l->part[p].n; i++) {
			const struct sm70_inst *in = &l->part[p].inst[i];
			bool target = false;
			for (unsigned k = 0; k < in->nop; k++)
				target |= in->o[k].kind == SM70_K_TARGET;
			if (in->op == SM70_CALL && !target)
				return true;
		}
	return false;
}

enum { FRAME_UNUSED = 16, LOCAL_MOST = 512 << 10 /* bytes per thread; the most a GPU has */ };

/* True if the code reads the stack pointer or local memory; otherwise threads need no stack. */
static bool uses_stack(const struct lift *l)
{
	enum { STACK_POINTER = 1 };
	for (unsigned p = 0; p < l->nparts; p++)
		for (uint32_t i = 0; i < l->part[p].n; i++) {
			const struct sm70_inst *in = &l->part[p].inst[i];
			if (in->op == SM70_LDL || in->op == SM70_STL)
				return true;
			for (unsigned k = 0; k < in->nop; k++) {
				const struct sm70_operand *o = &in->o[k];
				bool gpr = o->kind == SM70_K_GPR || o->kind == SM70_K_MEM;
				if (gpr && o->role != SM70_R_D && o->reg == STACK_POINTER)
					return true;
			}
		}
	return false;
}

bool lift_make(struct func *f, struct diag *d)
{
	const struct lift_kernel *k = f->make_arg;
	struct lift l = {.file = k->file, .k = k};
	l.g.d = d;
	l.g.out = f->module;
	l.g.file = l.g.out_file = k->file->name;
	l.stack = f->frame_bytes;
	uint32_t most = k->f->stack > k->f->frame ? k->f->stack : k->f->frame;
	if (most > LOCAL_MOST) {
		diag_error(d, "%s: %s has %u bytes of local memory per thread; at most %u expected",
			   k->file->name, f->name, most, LOCAL_MOST);
		return false;
	}
	if (!decode_parts(&l)) {
		arena_free(&l.g.arena);
		return false;
	}
	if (f->frame_bytes && !uses_stack(&l)) {
		f->frame_bytes =
			FRAME_UNUSED; /* calls alone make no stack; clearing it takes time */
		k->local->size = FRAME_UNUSED;
	}
	collect_words(&l);
	struct native_map *map = describe_kernel(&l);
	struct nmodule wide = {.addr64 = true};
	l.g.m = &wide;
	l.calls |= calls_by_register(&l);
	if (l.calls)
		lift_builtins_declare(&l);
	gen_begin_code(&l.g, f);
	l.g.frame = l.g.frame_max = f->frame_bytes;
	number_registers(&l);
	emit_prologue(&l);
	lift_code(&l, map);
	f->native = map;
	f->frame_bytes = (l.g.frame_max + 15) & ~15u;
	for (unsigned c = 0; c < RC_COUNT; c++)
		vec_free(&l.g.number[c]);
	vec_free(&l.word);
	arena_free(&l.g.arena);
	if (l.refused)
		f->code.n = 0;
	else
		f->make = NULL;
	return !l.refused;
}
