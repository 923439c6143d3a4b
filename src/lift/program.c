/* Translates a native file into a module: data first, then each kernel. */
#include "front/elf/listing.h"
#include "lift/program.h"

#include <stdlib.h>
#include <string.h>
#include "lift/gen.h"
#include "lift/replay.h"
#include "lift/sm70/lift.h"
#include "isa/table.h"

bool native_recognise(const void *data, size_t n)
{
	const char *s = data;
	if (n >= 4 && (!memcmp(s, "\177ELF", 4) || !memcmp(s, native_fat_magic, 4)))
		return true;
	if (native_looks_ptxplus(s, n) || replay_recognise(s, n) || culist_recognise(s, n))
		return true;
	/* PTX begins with .version, a listing never does; look at the first word that is no
	 * comment. */
	for (size_t i = 0; i < n;) {
		if (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
			i++;
		} else if (n - i > 1 && s[i] == '/' && s[i + 1] == '/') {
			while (i < n && s[i] != '\n')
				i++;
		} else if (n - i > 1 && s[i] == '/' && s[i + 1] == '*') {
			size_t end = i + 2;
			while (end + 1 < n && !(s[end] == '*' && s[end + 1] == '/'))
				end++;
			/* an address comment is part of a listing */
			bool hex = end > i + 2 && end - i <= 10;
			for (size_t k = i + 2; k < end; k++)
				hex &= (s[k] >= '0' && s[k] <= '9') || (s[k] >= 'a' && s[k] <= 'f');
			if (hex)
				return true;
			i = end + 2;
		} else {
			static const char *const first[] = {
				"code for sm_", "Function",   "architecture", "abiversion",
				"Fatbin elf",   "Fatbin ptx", ".headerflags", "arch =",
				"32bit elf:",   "64bit elf:", "32-bit ELF:",  "64-bit ELF:"};
			for (size_t k = 0; k < sizeof first / sizeof *first; k++)
				if (n - i >= strlen(first[k]) &&
				    !memcmp(s + i, first[k], strlen(first[k])))
					return true;
			return false;
		}
	}
	return false;
}

/* The width of addresses in a listing, judged by its memory accesses. */
static unsigned pointer_bytes(const struct nmodule *m, const struct nkernel *k)
{
	if (m->addr_known || m->isa == NATIVE_TESLA)
		return m->addr64 ? 8 : 4;
	for (size_t i = 0; i < k->ninst; i++)
		if (k->inst[i].mod[NM_E])
			return 8;
	return 4;
}

static unsigned registers_of(const struct nkernel *k)
{
	unsigned most = 0;
	for (size_t i = 0; i < k->ninst && !k->regs_known; i++) {
		unsigned r = native_regs(&k->inst[i]);
		most = r > most ? r : most;
	}
	return k->regs_known ? k->regs : most;
}

/* True if the code reads parameters that the file does not list. */
static bool reads_params(const struct nmodule *m, const struct nkernel *k)
{
	if (m->from_text || k->param_size ||
	    m->isa == NATIVE_TESLA) /* Tesla: in shared memory, like everything */
		return true;
	for (size_t i = 0; i < k->ninst; i++)
		for (unsigned j = 0; j < k->inst[i].nop; j++) {
			const struct nop *o = &k->inst[i].o[j];
			if (o->kind == NO_CONST && o->bank == 0 && o->off >= 0x20)
				return true;
		}
	return false;
}

/* True if the address is a word of the code's own constants: an entry of a table of branch
 * targets. */
static bool in_constants(const struct nkernel *c, uint32_t addr)
{
	for (size_t b = 0; b < c->bank.n; b++)
		for (size_t i = 0; i + 4 <= c->bank.v[b].size; i += 4) {
			const uint8_t *p = c->bank.v[b].data + i;
			if ((p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
			     (uint32_t)p[3] << 24) == addr)
				return true;
		}
	return false;
}

/* Records the places of native instructions, and the properties of the kernel that a launch
 * needs. */
static struct native_map *describe_kernel(struct module *out, const struct nmodule *m,
					  const struct nkernel *k)
{
	struct native_map *map = ARENA_NEW(&out->arena, struct native_map);
	const struct nkernel *c;
	for (size_t i = 0; (c = native_part(m, k, i)); i++)
		map->n += (uint32_t)c->ninst;
	map->addr = ARENA_ARRAY(&out->arena, uint32_t, map->n + 1);
	map->index = ARENA_ARRAY(&out->arena, uint32_t, map->n + 1);
	bool *listed = ARENA_ARRAY(&out->arena, bool, map->n + 1);
	uint32_t n = 0;
	for (size_t i = 0; (c = native_part(m, k, i)); i++) {
		for (size_t j = 0; j < c->ninst; j++, n++) {
			map->addr[n] = c->base + c->inst[j].pc;
			listed[n] = in_constants(c, c->inst[j].pc);
		}
		map->addr[n] = c->base + (uint32_t)c->size;
		map->registers =
			registers_of(c) > map->registers ? registers_of(c) : map->registers;
	}
	map->listed = listed;
	map->shared_header = m->isa == NATIVE_TESLA;
	map->pointer_bytes = pointer_bytes(m, k);
	return map;
}

static bool params_known(const struct nkernel *k)
{
	bool known = k->nparam > 0 || k->param; /* .params alone says that there are none */
	for (unsigned i = 0; i < k->nparam; i++)
		known &= k->param[i].size != 0;
	return known;
}

static struct var *add_parameter(struct module *out, struct func *f, const struct nparam *p,
				 unsigned i)
{
	static const struct {
		uint32_t size;
		uint8_t type;
	} types[] = {{1, T_B8}, {2, T_B16}, {4, T_B32}, {8, T_B64}};
	struct var *v = ARENA_NEW(&out->arena, struct var);
	*v = (struct var){.name = arena_printf(&out->arena, "param%u", i),
			  .space = SP_PARAM,
			  .type = T_B8,
			  .vec = 1,
			  .align = 1,
			  .size = p->size,
			  .addr = p->offset,
			  .count = p->size,
			  .is_array = true,
			  .owner = f};
	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		if (types[t].size == v->size) {
			v->type = types[t].type;
			v->align = types[t].size;
			v->count = 1;
			v->is_array = false;
		}
	return v;
}

/* Declares the parameters as the file lists them, or one block of the size that the code reads. */
static void set_params(struct module *out, struct func *f, const struct nkernel *k, struct var *all,
		       bool untyped)
{
	unsigned n = untyped ? 1 : params_known(k) ? k->nparam : 0;
	f->proto.param = ARENA_ARRAY(&out->arena, struct var *, n + 1);
	f->proto.nparam = n;
	for (unsigned i = 0; i < n; i++)
		f->proto.param[i] = untyped ? all : add_parameter(out, f, &k->param[i], i);
}

static bool gen_all(struct ngen *g)
{
	gen_module_data(g);
	for (size_t i = 0; i < g->m->kernel.n && !g->bad; i++) {
		const struct nkernel *k = &g->m->kernel.v[i];
		struct native_map *map = describe_kernel(g->out, g->m, k);
		map->untyped_params = !params_known(k) && reads_params(g->m, k);
		gen_kernel(g, i, map);
		set_params(g->out, g->f, k, g->params, map->untyped_params);
	}
	if (!g->bad)
		gen_finish_data(g);
	return !g->bad;
}

/* PTX version and target that have all operations of the code: votes and shuffles of the active
 * threads. */
enum { VERSION = 70, TARGET = 60 };

/* A listing of machine code for sm_75 and later. */
static bool run_listing(struct module *out, const char *file, const char *text, size_t n,
			struct diag *d)
{
	size_t size;
	void *cubin = culist_assemble(file, text, n, &size, d);
	bool ok = cubin && lift_module(out, file, cubin, size, d);
	free(cubin);
	return ok;
}

bool native_program(struct module *out, const char *file, const void *data, size_t n,
		    const char *dialect, struct diag *d)
{
	if (cuelf_recognise(data, n))
		return lift_module(out, file, data, n, d);
	if (replay_recognise(data, n))
		return replay_module(out, file, data, n, d);
	if (culist_recognise(data, n))
		return run_listing(out, file, data, n, d);
	struct nmodule m = {0};
	bool ok = native_text_dialect(&m, dialect, d) && native_read(&m, file, data, n, d);
	if (ok) {
		struct ngen g = {.m = &m,
				 .d = d,
				 .file = file,
				 .out = out,
				 .out_file = arena_strdup(&out->arena, file)};
		out->version = out->version > VERSION ? out->version : VERSION;
		out->target = out->target > TARGET ? out->target : TARGET;
		out->address_size = 64;
		ok = gen_all(&g);
		for (unsigned c = 0; c < RC_COUNT; c++)
			vec_free(&g.number[c]);
		vec_free(&g.external);
		arena_free(&g.arena);
	}
	native_module_free(&m);
	return ok;
}
