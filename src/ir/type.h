/* Scalar types of PTX and the native ISAs: one row per type. Parsers, the executor and the printer take
 * names, widths and classes from these rows. */
#ifndef IR_TYPE_H
#define IR_TYPE_H
#include <stdbool.h>
#include <stdint.h>

/*         enum      text      bits  class */
#define TYPES(X)                                                                                   \
	X(NONE, "", 0, OTHER)                                                                      \
	X(PRED, "pred", 1, PRED)                                                                   \
	X(B8, "b8", 8, BITS)                                                                       \
	X(B16, "b16", 16, BITS)                                                                    \
	X(B32, "b32", 32, BITS)                                                                    \
	X(B64, "b64", 64, BITS)                                                                    \
	X(B128, "b128", 128, BITS)                                                                 \
	X(U8, "u8", 8, UNSIGNED)                                                                   \
	X(U16, "u16", 16, UNSIGNED)                                                                \
	X(U32, "u32", 32, UNSIGNED)                                                                \
	X(U64, "u64", 64, UNSIGNED)                                                                \
	X(S8, "s8", 8, SIGNED)                                                                     \
	X(S16, "s16", 16, SIGNED)                                                                  \
	X(S32, "s32", 32, SIGNED)                                                                  \
	X(S64, "s64", 64, SIGNED)                                                                  \
	X(F16, "f16", 16, FLOAT)                                                                   \
	X(F16X2, "f16x2", 32, FLOAT)                                                               \
	X(BF16, "bf16", 16, FLOAT)                                                                 \
	X(BF16X2, "bf16x2", 32, FLOAT)                                                             \
	X(F32, "f32", 32, FLOAT)                                                                   \
	X(F64, "f64", 64, FLOAT)                                                                   \
	X(TF32, "tf32", 32, FLOAT)                                                                 \
	X(E4M3, "e4m3", 8, FLOAT)                                                                  \
	X(E5M2, "e5m2", 8, FLOAT)                                                                  \
	X(E4M3X2, "e4m3x2", 16, FLOAT)                                                             \
	X(E5M2X2, "e5m2x2", 16, FLOAT)                                                             \
	X(F32X2, "f32x2", 64, FLOAT)                                                               \
	X(U16X2, "u16x2", 32, UNSIGNED)                                                            \
	X(S16X2, "s16x2", 32, SIGNED)                                                              \
	X(U4, "u4", 4, UNSIGNED)                                                                   \
	X(S4, "s4", 4, SIGNED)                                                                     \
	X(B1, "b1", 1, BITS)                                                                       \
	X(U2, "u2", 2, UNSIGNED)                                                                   \
	X(S2, "s2", 2, SIGNED)                                                                     \
	X(TEXREF, "texref", 64, OTHER)                                                             \
	X(SAMPLERREF, "samplerref", 64, OTHER)                                                     \
	X(SURFREF, "surfref", 64, OTHER)

#define X(e, s, b, c) T_##e,
enum type { TYPES(X) T_COUNT };
#undef X

/* Rounding modes. */
/* clang-format off */
enum rnd { RND_NONE, RND_RN, RND_RZ, RND_RM, RND_RP, RND_RNA,  /* rounding of floating point results */
	   RND_RNI, RND_RZI, RND_RMI, RND_RPI, RND_RS };        /* rounding to an integer */
/* clang-format on */

enum type_class { TC_OTHER, TC_PRED, TC_BITS, TC_UNSIGNED, TC_SIGNED, TC_FLOAT };

struct type_info {
	const char *name;
	uint8_t bits, cls;
};
extern const struct type_info type_info[T_COUNT];

static inline unsigned type_bits(unsigned t) { return type_info[t].bits; }
static inline unsigned type_bytes(unsigned t) { return (type_info[t].bits + 7u) / 8; }
static inline bool type_is_float(unsigned t) { return type_info[t].cls == TC_FLOAT; }
static inline bool type_is_signed(unsigned t) { return type_info[t].cls == TC_SIGNED; }
/* Number of 32-bit register rows that a register of this type takes; 0 for predicates. */
static inline unsigned type_rows(unsigned t)
{
	return t == T_PRED ? 0 : type_info[t].bits <= 32 ? 1 : type_info[t].bits / 32u;
}
/* The type with that name (without the dot); T_NONE: unknown. */
enum type type_find(const char *name, unsigned len);

#endif
