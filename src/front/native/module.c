/* Native modules: functions shared by all readers, and the choice of the reader for a file.
 * native_read() recognises the format; native_kernel_decode() decodes a kernel's code. module.h
 * describes the structures. */
#include <string.h>
#include "front/native/module.h"

bool native_arch(struct nmodule *m, unsigned sm)
{
	if (!(sm >= 10 && sm <= 13) && sm != 20 && sm != 21)
		return false;
	m->sm = sm;
	m->isa = sm < 20 ? NATIVE_TESLA : NATIVE_FERMI;
	return true;
}

uint8_t *native_add_values(struct nmodule *m, uint64_t bytes)
{
	size_t start = m->global_init_size, end;
	if (bytes > NATIVE_VALUES || start + bytes > NATIVE_VALUES)
		return NULL;
	end = start + ((bytes + 15) & ~15ull);
	if (end > m->global_init_room) {
		m->global_init_room = 2 * end;
		uint8_t *data = arena_alloc(&m->arena, m->global_init_room);
		if (start)
			memcpy(data, m->global_init, start);
		m->global_init = data;
	}
	m->global_init_size = end;
	return m->global_init + start;
}

struct nkernel *native_kernel_new(struct nmodule *m, const char *name)
{
	vec_push(&m->kernel, (struct nkernel){.name = name});
	return &m->kernel.v[m->kernel.n - 1];
}

static void kernel_free(struct nkernel *k)
{
	vec_free(&k->bank);
	vec_free(&k->func);
	vec_free(&k->reloc);
	vec_free(&k->link);
}

/* True if a jump may lead outside the code's own section. */
static bool goes_out(const struct nkernel *k)
{
	for (size_t i = 0; i < k->ninst; i++) {
		const struct ninst *in = &k->inst[i];
		if (in->op == NI_JCAL || in->op == NI_JMP || in->op == NI_JMX || in->op == NI_BRX)
			return true;
		for (unsigned j = 0; j < in->nop; j++)
			if (in->o[j].kind == NO_TARGET && in->o[j].imm > k->size)
				return true;
	}
	return false;
}

const struct nkernel *native_part(const struct nmodule *m, const struct nkernel *k, size_t i)
{
	if (!i)
		return k;
	return i <= m->function.n && goes_out(k) ? &m->function.v[i - 1] : NULL;
}

void native_module_free(struct nmodule *m)
{
	for (size_t i = 0; i < m->kernel.n; i++)
		kernel_free(&m->kernel.v[i]);
	for (size_t i = 0; i < m->function.n; i++)
		kernel_free(&m->function.v[i]);
	vec_free(&m->kernel);
	vec_free(&m->function);
	vec_free(&m->bank);
	vec_free(&m->symbol);
	vec_free(&m->sources);
	vec_free(&m->reloc);
	vec_free(&m->link);
	arena_free(&m->arena);
	memset(m, 0, sizeof(*m));
}

struct ninst *native_inst_at(const struct nkernel *k, uint64_t pc)
{
	size_t lo = 0, hi = k->ninst;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (k->inst[mid].pc < pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < k->ninst && k->inst[lo].pc == pc ? &k->inst[lo] : NULL;
}

/* True if the address is in another function's code. The target instruction is looked up when all
 * functions have been decoded. */
static bool in_another(const struct nmodule *m, const struct nkernel *k, uint32_t addr)
{
	for (size_t i = 0; i < m->function.n; i++)
		if (&m->function.v[i] != k && addr - m->function.v[i].base < m->function.v[i].size)
			return true;
	return false;
}

static void bad_target(const struct nkernel *k, size_t i, const struct srcloc *file,
		       const char *where, struct diag *d)
{
	struct srcloc at = *file;
	char what[80];
	snprintf(what, sizeof(what), "%s at 0x%04x goes to", native_op_name(k->inst[i].op),
		 k->inst[i].pc);
	if (!k->line) {
		diag_error(d, "%s: kernel %s: %s %s", at.file, k->name, what, where);
		return;
	}
	at.line = k->line[i];
	at.col = 1;
	diag_at(d, DIAG_ERROR, &at, "%s %s", what, where);
}

bool native_kernel_check(const struct nmodule *m, const struct nkernel *k,
			 const struct srcloc *file, struct diag *d)
{
	bool ok = true;
	for (size_t i = 0; i < k->ninst; i++) {
		const struct ninst *in = &k->inst[i];
		if (in->op == NI_JMP || in->op == NI_JCAL)
			continue; /* absolute targets may be anywhere */
		for (unsigned j = 0; j < in->nop; j++) {
			if (in->o[j].kind != NO_TARGET || native_inst_at(k, in->o[j].imm) ||
			    in_another(m, k, (uint32_t)in->o[j].imm + k->base))
				continue;
			char where[80];
			if (in->o[j].imm < k->size)
				snprintf(where, sizeof(where), "0x%llx, inside an instruction",
					 (unsigned long long)in->o[j].imm);
			else
				snprintf(where, sizeof(where),
					 "0x%llx, outside the code (0x%zx bytes)",
					 (unsigned long long)in->o[j].imm, k->size);
			bad_target(k, i, file, where, d);
			ok = false;
		}
	}
	return ok;
}

static uint32_t word_at(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

bool native_kernel_decode(struct nmodule *m, struct nkernel *k, const char *file, struct diag *d)
{
	size_t n = 0, pc = 0;
	bool ok = true;
	k->inst = ARENA_ARRAY(&m->arena, struct ninst, k->size / 4 + 1);
	while (pc < k->size) {
		unsigned size = k->size - pc < 4 ? 8 : native_size(m->isa, word_at(k->code + pc));
		if (size > k->size - pc) {
			diag_error(d, "%s: kernel %s: code ends inside the instruction at 0x%04zx",
				   file, k->name, pc);
			return false;
		}
		uint64_t w = word_at(k->code + pc);
		if (size == 8)
			w |= (uint64_t)word_at(k->code + pc + 4) << 32;
		if (!native_decode(m->isa, w, (uint32_t)pc, &k->inst[n])) {
			diag_error(d, "%s: kernel %s: unknown instruction 0x%0*llx at 0x%04zx",
				   file, k->name, (int)size * 2, (unsigned long long)w, pc);
			ok = false;
		} else {
			unsigned r = native_regs(&k->inst[n++]);
			if (!k->regs_known && r > k->regs)
				k->regs = r;
		}
		pc += size;
	}
	k->ninst = n;
	return ok && native_kernel_check(m, k, &(struct srcloc){.file = file}, d);
}

/* Guesses whether sm_1x code was compiled for a 64-bit host. Registers hold 32-bit addresses in
 * either case, but for a 64-bit host each address parameter takes 8 bytes, of which kernels read
 * the first four. So addresses are 64 bits wide if kernels read later parameters and never a second
 * word. */
void native_guess_width(struct nmodule *m)
{
	bool second = false, later = false;
	if (m->addr_known || m->isa != NATIVE_TESLA)
		return;
	for (size_t n = 0; n < m->kernel.n; n++)
		for (size_t i = 0; i < m->kernel.v[n].ninst; i++)
			for (unsigned j = 0; j < m->kernel.v[n].inst[i].nop; j++) {
				const struct nop *o = &m->kernel.v[n].inst[i].o[j];
				if (o->kind != NO_MEM || o->space != NS_SHARED ||
				    o->index != NREG_NONE)
					continue;
				int32_t at = o->off * (o->unit ? o->unit : 1) - TESLA_PARAM_BASE;
				second |= at >= 4 && at < 8;
				later |= at >= 8 && at < TESLA_PARAMS;
			}
	m->addr64 = later && !second;
}

/* An old text cubin begins with its architecture, in braces. */
static bool looks_textcubin(const char *s, size_t n)
{
	static const char key[] = "architecture";
	while (n && (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r'))
		s++, n--;
	if (n < sizeof(key) || memcmp(s, key, sizeof(key) - 1))
		return false;
	const char *nl = memchr(s, '\n', n);
	return memchr(s, '{', nl ? (size_t)(nl - s) : n) != NULL;
}

bool native_text_dialect(struct nmodule *m, const char *name, struct diag *d)
{
	m->dialect_known = name != NULL;
	if (!name || native_style_named(name, strlen(name), &m->dialect))
		return true;
	diag_error(d, "no dialect '%s'; there are cuda4.0, cuda4.1, cuda4, cuda5 and full", name);
	return false;
}

const char native_fat_magic[4] = {0x50, (char)0xed, 0x55, (char)0xba};

bool native_read(struct nmodule *m, const char *file, const void *data, size_t n, struct diag *d)
{
	bool ok = false;
	if (n >= 4 && !memcmp(data, native_fat_magic, 4))
		diag_error(d, "%s: a fat binary; give the PTX or the cubin in it", file);
	else if (n >= 4 && !memcmp(data, "\177ELF", 4))
		ok = native_read_elf(m, file, data, n, d);
	else if (looks_textcubin(data, n))
		ok = native_read_textcubin(m, file, data, n, d);
	else if (native_looks_ptxplus(data, n))
		ok = native_read_ptxplus(m, file, data, n, d);
	else
		ok = native_read_sass(m, file, data, n, d);
	if (!ok)
		native_module_free(m);
	return ok;
}
