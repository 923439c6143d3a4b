/* Calls of the functions that a driver provides for device code, and that the simulator implements
 * (kernel/builtin.c). Fermi code passes arguments in registers from R4 on, 8-byte arguments in even
 * pairs, and the result in R4. The simulator's functions take arguments from variables in the
 * caller's frame. */
#include "lift/gen.h"

#include <string.h>

enum { FIRST_REGISTER = 4 };

/* Parameters: p an address or a size, i an int. */
static const struct builtin_shape {
	const char *name, *params;
	char result;
	uint8_t kind;
} builtins[GEN_BUILTINS] = {
	{"vprintf", "pp", 'i', BI_VPRINTF},
	{"malloc", "p", 'p', BI_MALLOC},
	{"free", "p", 0, BI_FREE},
	{"__assertfail", "ppipp", 0, BI_ASSERTFAIL},
};

static const struct builtin_shape *find_builtin(const char *name)
{
	for (size_t i = 0; i < GEN_BUILTINS; i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}

static unsigned type_of(char kind) { return kind == 'p' ? T_B64 : T_B32; }

/* A variable at the end of a frame of *bytes, for a parameter, result or argument. */
static struct var *frame_var(struct ngen *g, char kind, uint32_t *bytes)
{
	uint32_t size = type_bytes(type_of(kind));
	struct var *v = gen_var(g, "%arg", SP_FRAME, size, size);
	v->type = (uint8_t)type_of(kind);
	v->count = 1;
	v->is_array = false;
	v->addr = (*bytes + size - 1) & ~(size - 1);
	*bytes = (uint32_t)v->addr + size;
	return v;
}

void gen_builtin_declare(struct ngen *g, const char *name)
{
	const struct builtin_shape *b = find_builtin(name);
	if (!b || g->builtin[b - builtins])
		return;
	struct func *f = ARENA_NEW(&g->out->arena, struct func);
	uint32_t bytes = 0;
	f->name = b->name;
	f->linkage = LINK_EXTERN;
	f->builtin = b->kind;
	f->text_name = g->out_file;
	f->has_params = true;
	f->proto.ret = ARENA_ARRAY(&g->out->arena, struct var *, 1);
	f->proto.param = ARENA_ARRAY(&g->out->arena, struct var *, strlen(b->params));
	g->f = NULL; /* the variables belong to no kernel yet */
	if (b->result)
		f->proto.ret[f->proto.nret++] = frame_var(g, b->result, &bytes);
	for (const char *p = b->params; *p; p++)
		f->proto.param[f->proto.nparam++] = frame_var(g, *p, &bytes);
	f->frame_bytes = (bytes + 15) & ~15u;
	module_add_func(g->out, f);
	module_name_func(g->out, f);
	g->builtin[b - builtins] = f;
}

/* The next argument; *r: the first register that may hold it. */
static struct opnd next_argument(struct ngen *g, char kind, unsigned *r)
{
	if (kind == 'i')
		return val_r((*r)++);
	struct opnd d = gen_d(g);
	if (!g->m->addr64) {
		gen_cvt(g, T_U64, T_U32, d, val_r((*r)++));
		return d;
	}
	*r += *r & 1;
	gen_pack(g, d, val_r(*r), val_r(*r + 1));
	*r += 2;
	return d;
}

/* A variable of the kernel's frame for one argument or result. */
static struct opnd make_temporary(struct ngen *g, char kind, uint32_t *bytes)
{
	struct var *v = frame_var(g, kind, bytes);
	vec_push(&g->f->vars, v);
	g->frame_max = *bytes > g->frame_max ? *bytes : g->frame_max;
	return (struct opnd){.kind = OPND_PVAR, .type = v->type, .reg = NO_REG, .sym = v};
}

static struct opnd in_frame(struct opnd pvar)
{
	return (struct opnd){.kind = OPND_MEM, .type = T_U64, .reg = NO_REG, .sym = pvar.sym};
}

bool gen_builtin(struct ngen *g, const char *name)
{
	const struct builtin_shape *b = find_builtin(name);
	struct func *f = b ? g->builtin[b - builtins] : NULL;
	if (!f) /* no function, or its name was not among the calls found before */
		return false;
	struct opnd value[8], o[9];
	unsigned r = FIRST_REGISTER, n = (unsigned)strlen(b->params), nret = b->result != 0;
	uint32_t bytes = g->frame;
	for (unsigned i = 0; i < n; i++)
		value[i] = next_argument(g, b->params[i], &r);
	struct opnd result = b->result == 'p' ? gen_d(g) : gen_t(g);
	for (unsigned i = 0; i < n; i++) {
		o[nret + i] = make_temporary(g, b->params[i], &bytes);
		gen_store(g, (struct access){o[nret + i].type, 1}, SP_FRAME, 0,
			  in_frame(o[nret + i]), &value[i]);
	}
	if (nret)
		o[0] = make_temporary(g, b->result, &bytes);
	f->used = true;
	vec_push(&g->f->calls, (struct call){.func = f, .name = f->name, .nret = nret, .narg = n});
	gen_emit(g, (struct inst){.op = OP_CALL, .imm = g->f->calls.n - 1, .nd = (uint8_t)nret}, o,
		 nret + n);
	if (!nret)
		return true;
	gen_load(g, (struct access){o[0].type, 1}, SP_FRAME, 0, &result, in_frame(o[0]));
	if (b->result == 'p' && g->m->addr64)
		gen_unpack(g, val_r(FIRST_REGISTER), val_r(FIRST_REGISTER + 1), result);
	else if (b->result == 'p')
		gen_cvt(g, T_U32, T_U64, val_r(FIRST_REGISTER), result);
	else
		gen(g, OP_MOV, T_U32, val_r(FIRST_REGISTER), result);
	return true;
}
