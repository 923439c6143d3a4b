/* Integer operand types as the index of a table of functions: bit types count as unsigned. */
#ifndef EXEC_INT_TYPE_H
#define EXEC_INT_TYPE_H
#include "exec/lanes.h"

enum int_type {
	IT_U16,
	IT_S16,
	IT_U32,
	IT_S32,
	IT_U64,
	IT_S64,
	IT_U16X2,
	IT_S16X2,
	IT_NONE,
	IT_COUNT
};

static inline enum int_type int_type_of(unsigned type)
{
	switch (type) {
	case T_B16:
	case T_U16: return IT_U16;
	case T_S16: return IT_S16;
	case T_B32:
	case T_U32: return IT_U32;
	case T_S32: return IT_S32;
	case T_B64:
	case T_U64: return IT_U64;
	case T_S64: return IT_S64;
	case T_U16X2: return IT_U16X2;
	case T_S16X2: return IT_S16X2;
	default: return IT_NONE;
	}
}

/* A table lists the functions of the types it serves; the entry of another type is empty. */
static inline bool bind_by_type(struct uop *u, const struct fnpair table[IT_COUNT], unsigned type)
{
	struct fnpair f = table[int_type_of(type)];
	return f.full && bind_pair(u, f);
}

/* Entries for functions that serve both signs, or all of one width. */
#define BOTH16(f) [IT_U16] = FN(f), [IT_S16] = FN(f)
#define BOTH32(f) [IT_U32] = FN(f), [IT_S32] = FN(f)
#define BOTH64(f) [IT_U64] = FN(f), [IT_S64] = FN(f)

/* Lane values of the 16-bit types; upper bits of their rows are unspecified. */
#define U16(x) ((uint32_t)(uint16_t)(x))
#define S16(x) ((int32_t)(int16_t)(x))

#endif
