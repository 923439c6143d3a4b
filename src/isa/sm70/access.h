/* The registers that an instruction since Volta reads and writes, as spans of one numbering:
 *
 *   0 ... 254     R0 to R254          RZ, URZ, PT and UPT are not counted
 *   256 ... 510   UR0 to UR254
 *   512 ... 518   P0 to P6
 *   520 ... 526   UP0 to UP6
 *
 * hazard.h compares them with what control bits promise. Where the width of an operand is not known (textures' sources),
 * the span is the register that the text names. */
#ifndef ISA_SM70_ACCESS_H
#define ISA_SM70_ACCESS_H
#include "isa/sm70/sm70.h"

enum { SM70_REGS = 0, SM70_UREGS = 256, SM70_PREDS = 512, SM70_UPREDS = 520, SM70_RESOURCES = 528 };

struct sm70_span {
	uint16_t first, n; /* first resource and number of resources of the span */
	bool write;
	bool guard; /* a predicate that decides whether the instruction, or a branch, is executed */
	uint8_t role; /* enum sm70_role of the operand; SM70_R_NONE: the guard */
};

enum { SM70_SPANS = 2 * SM70_MAX_OPS + 2 };
struct sm70_access {
	unsigned n;
	struct sm70_span span[SM70_SPANS];
};

struct sm70_access sm70_access_of(const struct sm70_inst *in);

/* Returns the number of registers in the result of HGMMA and related instructions; 0: another
 * instruction. */
unsigned sm70_group_registers(const struct sm70_inst *in);

/* Writes the name of a resource: "R4", "UR6", "P0", "UP1". */
const char *sm70_resource_name(unsigned resource, char buf[8]);

#endif
