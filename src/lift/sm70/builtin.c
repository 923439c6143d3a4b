/* Functions that the driver provides for device code, and that the simulator implements: code finds
 * their addresses in its constants and jumps there, with arguments from R4 on and the return
 * address in R20 and R21. */
#include "lift/sm70/lift.h"

#include <string.h>

enum { RETURN_REGISTER = 20 };
static const uint32_t BUILTIN_BASE = 0xfff00000;

static const char *const names[GEN_BUILTINS] = {"vprintf", "malloc", "free", "__assertfail"};

uint32_t lift_builtin_address(const char *name)
{
	for (unsigned i = 0; i < GEN_BUILTINS; i++)
		if (!strcmp(names[i], name))
			return BUILTIN_BASE + 16 * i;
	return 0;
}

int lift_builtin_number(uint64_t addr)
{
	bool inside =
		addr >= BUILTIN_BASE && addr < BUILTIN_BASE + 16 * GEN_BUILTINS && addr % 16 == 0;
	return inside ? (int)((addr - BUILTIN_BASE) / 16) : -1;
}

void lift_builtins_declare(struct lift *l)
{
	memcpy(l->g.builtin, l->file->builtin, sizeof l->g.builtin);
	for (unsigned i = 0; i < GEN_BUILTINS; i++)
		gen_builtin_declare(&l->g, names[i]);
	memcpy(l->file->builtin, l->g.builtin, sizeof l->g.builtin);
}

unsigned lift_builtins(struct lift *l, uint32_t *addr, uint32_t *index)
{
	struct ngen *g = &l->g;
	for (unsigned i = 0; i < GEN_BUILTINS; i++) {
		addr[i] = BUILTIN_BASE + 16 * i;
		index[i] = (uint32_t)g->f->code.n;
		gen_begin_inst(g, NULL, addr[i]);
		g->native = names[i];
		gen_builtin(g, names[i]);
		gen_ctl_reg(g, NCTL_BRX, val_r(RETURN_REGISTER), 0);
	}
	return GEN_BUILTINS;
}
