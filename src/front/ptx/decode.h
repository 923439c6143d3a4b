/* State and functions that decode.c and decode_*.c share while they decode one PTX statement. */
#ifndef FRONT_PTX_DECODE_H
#define FRONT_PTX_DECODE_H
#include "front/ptx/opcodes.h"

enum { MAX_DST = 128, MAX_SRC = 140 }; /* wgmma has the most operands */

struct dec {
	struct ptx_parser *p;
	const struct ptx_stmt *s;
	const struct form *form;
	struct inst *in;
	struct module *m;
	struct func *f;
	bool policy;      /* .L2::cache_hint is present, so a policy operand follows */
	unsigned columns; /* columns of a wgmma shape (N of m64nNk16) */
	unsigned nd, ns;
	struct opnd dst[MAX_DST], src[MAX_SRC];
};

/* Reports an error at operand `at` (NULL: at the statement); returns false. */
bool dec_error(struct dec *d, const struct ptx_opnd *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
char *dec_mnemonic(struct dec *d); /* the statement's words, in the module's arena */

/* Converts the statement's operands as the form specifies (decode.c). */
bool dec_operands(struct dec *d);
bool dec_count(struct dec *d, unsigned min, unsigned max); /* checks the number of operands */

/* Convert one operand and append it to dst or src; false after an error (decode_opnd.c). `relaxed`:
 * a wider register is allowed, as for ld, st and cvt. */
bool dec_dst(struct dec *d, const struct ptx_opnd *o, unsigned type, bool relaxed, bool sink);
bool dec_src(struct dec *d, const struct ptx_opnd *o, unsigned type, bool relaxed);
bool dec_mem(struct dec *d, const struct ptx_opnd *o, unsigned space);
bool dec_adr(struct dec *d, const struct ptx_opnd *o, unsigned type);
bool dec_imm(struct dec *d, const struct ptx_opnd *o, uint64_t *out);
/* Checks a policy operand and drops it: the operand has no effect on results. */
bool dec_policy(struct dec *d, const struct ptx_opnd *o);
/* Converts an address operand in the instruction's space, or in generic memory if the instruction
 * names none. */
bool dec_mem_in(struct dec *d, const struct ptx_opnd *o, unsigned space);
/* Convert `n` registers in braces (for n = 1, braces may be missing). */
bool dec_dst_vec(struct dec *d, const struct ptx_opnd *o, unsigned n, unsigned type, bool relaxed,
		 bool sink);
bool dec_src_vec(struct dec *d, const struct ptx_opnd *o, unsigned n, unsigned type, bool relaxed);

/* clang-format off */
#define HANDLERS(X)                                                                                \
	X(rn) X(dp) X(mov) X(cvt) X(cvt_integral) X(istypep) X(cp_async) X(cp_bulk) X(bar) X(bar_cluster) X(fence) \
	X(tex) X(query) X(surf) X(mma) X(wmma_load) X(wmma_store) X(wmma_mma) X(bra) X(brx)        \
	X(wgmma) X(wgmma_fence) X(wgmma_wait) X(mma_sp) X(cp_tensor) X(cp_reduce) X(st_async) X(red_async) X(tensormap)   \
	X(tensormap_copy) X(multimem) X(setmaxnreg) X(fence_map) X(three) X(cvt_tf32) X(call) X(video) X(vmad) X(simd2) X(simd4)
/* clang-format on */
#define X(n) bool decode_##n(struct dec *d);
HANDLERS(X)
#undef X

#endif
