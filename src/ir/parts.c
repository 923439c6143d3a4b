#include "ir/parts.h"

static unsigned bulk_parts(const struct inst *in, struct inst_part *out)
{
	bool shared = in->space == SP_SHARED;
	unsigned from = shared && !(in->copy_flags & CPF_FROM_SHARED) ? SP_GLOBAL : SP_SHARED;
	out[0] = (struct inst_part){PART_TO, 0, shared ? SP_SHARED : SP_GLOBAL, true, !shared};
	out[1] = (struct inst_part){PART_FROM, 1, (uint8_t)from, false, shared};
	out[2] = (struct inst_part){PART_BAR, 3, SP_SHARED, true, false};
	return shared ? 3 : 2; /* copies from shared memory are awaited in groups */
}

static unsigned tensor_parts(const struct inst *in, struct inst_part *out)
{
	bool loads = in->space == SP_SHARED;
	unsigned n = 0;
	out[n++] = (struct inst_part){PART_FROM, 0, SP_GENERIC, false, false};
	out[n++] = (struct inst_part){PART_TO, 1, SP_SHARED, loads, true};
	if (loads)
		out[n++] = (struct inst_part){PART_BAR, (uint8_t)(2 + in->vec), SP_SHARED, true,
					      false};
	out[n++] = (struct inst_part){PART_REST, NO_OPERAND, SP_GLOBAL, false, false};
	return n;
}

unsigned inst_parts(const struct inst *in, struct inst_part out[PART_COUNT])
{
	switch (in->op) {
	case OP_CP_ASYNC:
		out[0] = (struct inst_part){PART_TO, 0, SP_SHARED, false, false};
		out[1] = (struct inst_part){PART_FROM, 1, SP_GLOBAL, false, true};
		return 2;
	case OP_CP_BULK: return bulk_parts(in, out);
	case OP_CP_TENSOR: return tensor_parts(in, out);
	case OP_ST_ASYNC:
	case OP_RED_ASYNC:
		out[0] = (struct inst_part){PART_TO, 0, in->space, true, true};
		out[1] = (struct inst_part){PART_BAR, 1, in->space, true, false};
		return 2;
	case OP_TENSORMAP:
		out[0] = (struct inst_part){PART_TO, 0, in->space, false, true};
		out[1] = (struct inst_part){PART_FROM, 1, SP_SHARED, false, false};
		return in->tensormap == TENSORMAP_COPY ? 2 : 1;
	default: return 0;
	}
}
