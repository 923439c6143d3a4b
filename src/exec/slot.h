/* Integer operand types as the index of a table of functions: bit types count as unsigned. */
#ifndef EXEC_SLOT_H
#define EXEC_SLOT_H
#include "exec/lanes.h"

enum slot { SL_U16, SL_S16, SL_U32, SL_S32, SL_U64, SL_S64, SL_U16X2, SL_S16X2, SL_NONE, SL_COUNT };

static inline enum slot slot_of(unsigned type)
{
	switch (type) {
	case T_B16:
	case T_U16:
		return SL_U16;
	case T_S16:
		return SL_S16;
	case T_B32:
	case T_U32:
		return SL_U32;
	case T_S32:
		return SL_S32;
	case T_B64:
	case T_U64:
		return SL_U64;
	case T_S64:
		return SL_S64;
	case T_U16X2:
		return SL_U16X2;
	case T_S16X2:
		return SL_S16X2;
	default:
		return SL_NONE;
	}
}

/* A table lists the functions of the types it serves; the entry of another type is empty. */
static inline bool bind_slot(struct uop *u, const struct fnpair table[SL_COUNT], unsigned type)
{
	struct fnpair f = table[slot_of(type)];
	return f.full && bind_pair(u, f);
}

/* Entries for functions that serve both signs, or all of one width. */
#define SLOT16(f) [SL_U16] = FN(f), [SL_S16] = FN(f)
#define SLOT32(f) [SL_U32] = FN(f), [SL_S32] = FN(f)
#define SLOT64(f) [SL_U64] = FN(f), [SL_S64] = FN(f)

/* Lane values of the 16-bit types; upper bits of their rows are unspecified. */
#define U16(x) ((uint32_t)(uint16_t)(x))
#define S16(x) ((int32_t)(int16_t)(x))

#endif
