/* Calls of the functions that the driver has for device code and the simulator provides
 * (kernel/builtin.c). Fermi passes arguments in registers from R4 on, those of eight bytes in even
 * pairs, and returns the result in R4. */
#include "front/lift/gen.h"

#include <string.h>

enum { FIRST_REGISTER = 4 };

/* Parameters: p an address or a size, i an int. */
static const struct builtin {
	const char *name, *params;
	char result;
} builtins[] = {
	{"vprintf", "pp", 'i'},
	{"malloc", "p", 'p'},
	{"free", "p", 0},
	{"__assertfail", "ppipp", 0},
};

static const struct builtin *find(const char *name)
{
	for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
		if (!strcmp(builtins[i].name, name))
			return &builtins[i];
	return NULL;
}

void gen_builtin_declare(struct ngen *g, const char *name)
{
	const struct builtin *b = find(name);
	if (!b || g->builtins >> (b - builtins) & 1)
		return;
	char params[256] = "";
	for (const char *p = b->params; *p; p++)
		snprintf(params + strlen(params), sizeof params - strlen(params), "%s.reg .%s p%d",
			 p == b->params ? "" : ", ", *p == 'p' ? "b64" : "b32",
			 (int)(p - b->params));
	const char *result =
		b->result ? gen_text(g, "(.reg .%s r) ", b->result == 'p' ? "b64" : "b32") : "";
	gen_line(g, ".extern .func %s%s(%s);", result, b->name, params);
	g->builtins |= 1u << (b - builtins);
}

/* The next argument; *r: the first register that may hold it. */
static const char *argument(struct ngen *g, char kind, unsigned *r)
{
	bool wide = kind == 'p' && g->m->addr64;
	const char *d = gen_d(g);
	if (kind == 'i')
		return gen_text(g, "%%r%u", (*r)++);
	if (!wide) {
		gen(g, "cvt.u64.u32 %s, %%r%u", d, (*r)++);
		return d;
	}
	*r += *r & 1;
	gen(g, "mov.b64 %s, {%%r%u, %%r%u}", d, *r, *r + 1);
	*r += 2;
	return d;
}

bool gen_builtin(struct ngen *g, const char *name)
{
	const struct builtin *b = find(name);
	if (!b)
		return false;
	char args[128] = "";
	unsigned r = FIRST_REGISTER;
	for (const char *p = b->params; *p; p++)
		snprintf(args + strlen(args), sizeof args - strlen(args), "%s%s",
			 p == b->params ? "" : ", ", argument(g, *p, &r));
	const char *result = b->result == 'p' ? gen_d(g) : gen_t(g);
	gen(g, "call %s%s, (%s)", b->result ? gen_text(g, "(%s), ", result) : "", name, args);
	if (b->result == 'p' && g->m->addr64)
		gen(g, "mov.b64 {%%r%u, %%r%u}, %s", FIRST_REGISTER, FIRST_REGISTER + 1, result);
	else if (b->result)
		gen(g, b->result == 'p' ? "cvt.u32.u64 %%r%u, %s" : "mov.u32 %%r%u, %s",
		    FIRST_REGISTER, result);
	return true;
}
