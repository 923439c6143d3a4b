/* The decoded instruction: what every front end produces and every pass, the executor and the
 * timing model read. PTX, Fermi and Tesla decode into this one form; ops.def lists the fields below
 * that each operation uses; verify.h lists the invariants of all instructions.
 *
 * Operands: opnd[0 .. nd-1] are destinations, opnd[nd .. nd+ns-1] sources, in assembly order,
 * vectors flattened. A 64-bit register is two consecutive 32-bit rows (low, high), a 128-bit
 * register four, any narrower register one row whose upper bits are unspecified (readers extend).
 * Rows match the native ISAs' register pairs, and one lane's state is one column whatever the
 * type. */
#ifndef IR_INST_H
#define IR_INST_H
#include <stdbool.h>
#include <stdint.h>
#include "ir/type.h"

#define OP(e, ...) OP_##e,
enum op {
#include "ir/ops.def"
	OP_COUNT
};
#undef OP

/* The functional units of an SM; MEM is the load/store unit, which textures go through as well. */
enum unit { UNIT_SP, UNIT_SFU, UNIT_DP, UNIT_MMA, UNIT_MEM, UNIT_COUNT };

/* Operations of one kind have equal latency and energy for one type. */
/* clang-format off */
enum op_kind {
	OPK_LOGIC, OPK_MOVE, OPK_COMPARE, OPK_ADD, OPK_MUL, OPK_MAD, OPK_MINMAX, OPK_SAD, OPK_VIDEO, OPK_SHUFFLE,
	OPK_DIV, OPK_SQRT, OPK_ROOT, OPK_FUNCTION, /* ROOT: 1/x and 1/sqrt(x) */
	OPK_MATRIX,
	OPK_ACCESS,   /* accesses to memory, by addresses */
	OPK_TEXTURE,  /* accesses through the texture unit */
	OPK_FRAGMENT, /* accesses to a matrix, by rows */
	OPK_HINT,     /* Whether a warp may execute the operation once if its sources are equal in
	               * all lanes (pass/scalar.h). */
	OPK_BARRIER,  /* barriers and fences */
	OPK_CONTROL,
	OPK_COUNT
};
/* clang-format on */

/* Whether a warp may execute the operation once, if its sources are equal in all lanes (pass/scalar.h). */
enum op_scalar {
	OPS_PLAIN,   /* allowed */
	OPS_ACCESS,  /* depends on the space: never in memory that is private to a thread */
	OPS_ADDRESS, /* not if the operand is the address of a frame */
	OPS_BAR,     /* not if the barrier reduces */
	OPS_CARRY,   /* never: it reads the carry, which is per lane */
	OPS_LOCAL,   /* never: it uses the thread's frame */
	OPS_EACH,    /* never: each thread must perform it */
	OPS_LANES,   /* never: it reads registers of other lanes */
	OPS_CALL,    /* never: a callee has a frame per thread */
};

/* Facts about an operation (facts.def): bits OF_READS, OF_WRITES, ... */
#define FACT(f, meaning) FACT_##f,
enum fact {
#include "ir/facts.def"
	FACT_COUNT
};
#undef FACT
#define FACT(f, meaning) OF_##f = 1ull << FACT_##f,
enum {
#include "ir/facts.def"
};
#undef FACT

struct op_info {
	const char *name;
	uint64_t facts;             /* OF_* */
	uint8_t unit, kind, scalar; /* enum unit, op_kind, op_scalar */
	uint8_t nd_min, nd_max, ns_min, ns_max;
};
extern const struct op_info op_info[OP_COUNT]; /* ops.def */

enum opnd_kind {
	OPND_NONE,
	OPND_REG,  /* reg: function register id; type: its declared type */
	OPND_PRED, /* reg: predicate register's id */
	OPND_IMM,  /* imm: bits, already in the operation's type (f32 as its bit pattern) */
	OPND_SREG, /* reg: enum sreg; sub: component x y z w = 0..3 */
	/* [base + imm]: base is reg (NO_REG: none) or, with sym set, a variable; type: type of the base
	 * register (b64 over a 32-bit register: a pair), not of the data */
	OPND_MEM,
	OPND_SYM,  /* address of variable sym + imm */
	OPND_FUNC, /* address of function; sym: struct func */
	OPND_PVAR, /* call argument or result: .param variable sym (struct var, SP_FRAME) */
	OPND_SINK, /* `_` */
};

enum { NO_REG = 0xffffffff };
enum { OPND_NEG = 1, OPND_ABS = 2, OPND_NOT = 4 }; /* source modifiers; NOT on a predicate is `!` */

struct opnd {
	uint8_t kind, type, mod, sub;
	uint32_t reg;
	int64_t imm;
	const void *sym; /* struct var or struct func */
};

/* Modifier bits of an instruction. */
/* clang-format off */
enum {
	M_SAT = 1 << 0, M_FTZ = 1 << 1, M_CC = 1 << 2, M_APPROX = 1 << 3, M_FULL = 1 << 4,
	M_NAN = 1 << 5, M_XORSIGN = 1 << 6, M_RELU = 1 << 7, M_SATFINITE = 1 << 8, M_UNI = 1 << 9,
	M_SYNC = 1 << 10, M_VOLATILE = 1 << 11, M_NC = 1 << 12, M_NOFTZ = 1 << 13, M_TO = 1 << 14,
	M_SHIFTAMT = 1 << 15, M_CLAMP = 1 << 16, M_WRAP = 1 << 17, M_TRANS = 1 << 18, M_PO = 1 << 19,
	M_OOB = 1 << 20, M_ABS = 1 << 21, M_ALIGNED = 1 << 22, M_COL_A = 1 << 23, M_COL_B = 1 << 24,
	M_UNIFIED = 1 << 25, M_MMIO = 1 << 26, M_MULTIMEM = 1 << 27, M_NOINC = 1 << 28,
	/* M_MULTIMEM: a load of multicast memory, which reduces its copies */
	M_UNLOCK = M_NOINC, /* store, native code: releases the lock of its word */
	M_COL_D = 1 << 29, /* wmma store/c layout */
	M_FORMATTED = 1 << 30, /* suld.p, sust.p, sured.p */
};
#define M_CLUSTER (1u << 31) /* .shared::cluster: a shared address of rank 0 is that of rank 0 */

enum cmp { CMP_NONE, CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_LO, CMP_LS, CMP_HI, CMP_HS,
	   CMP_EQU, CMP_NEU, CMP_LTU, CMP_LEU, CMP_GTU, CMP_GEU, CMP_NUM, CMP_NAN };
/* clang-format on */
enum bop { BOP_NONE, BOP_AND, BOP_OR, BOP_XOR, BOP_POPC }; /* BOP_POPC: bar.red.popc */
enum mulmode { MUL_NONE, MUL_LO, MUL_HI, MUL_WIDE };
enum { MAD_CUT = 1 }; /* mad.f32: FMAD of sm_1x, whose product is truncated to a single */
enum wrapmode { WM_NONE, WM_CLAMP, WM_WRAP };
enum shfmode { SHF_L_CLAMP, SHF_L_WRAP, SHF_R_CLAMP, SHF_R_WRAP };
enum prmt { PRMT_INDEX, PRMT_F4E, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };
/* clang-format off */
enum testp { TESTP_FINITE, TESTP_INFINITE, TESTP_NUMBER, TESTP_NOTANUMBER, TESTP_NORMAL, TESTP_SUBNORMAL };
/* clang-format on */
enum shfl { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum vote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
/* clang-format off */
enum atom { ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_CAS, ATOM_EXCH, ATOM_ADD, ATOM_INC, ATOM_DEC, ATOM_MIN, ATOM_MAX };
/* clang-format on */
enum bar {
	BAR_SYNC,
	BAR_ARRIVE,
	BAR_RED,
	BAR_WAIT
}; /* BAR_WAIT: native code; waits without arriving */
enum vsec {
	VSEC_NONE,
	VSEC_ADD,
	VSEC_MIN,
	VSEC_MAX,
	VSEC_MRG_B0,
	VSEC_MRG_B1,
	VSEC_MRG_B2,
	VSEC_MRG_B3,
	VSEC_MRG_H0,
	VSEC_MRG_H1
}; /* scalar video secondary op / merge; vset too */
/* SIMD video: inst.vmask has a bit for each destination lane written (.h0 = 1, .h10 = 3, .b3210 =
 * 15); vsel[i] selects the operands of lane i: low nibble a's element, high nibble b's, each an
 * index into the elements of a (0..) followed by those of b. mode: VSEC_NONE or VSEC_ADD (.add: the
 * lanes' results are added to c); otherwise lanes not in vmask come from c. */
enum vpart { VPART_WORD, VPART_B0, VPART_B1, VPART_B2, VPART_B3, VPART_H0, VPART_H1 };
enum cpw { CPW_COMMIT, CPW_GROUP, CPW_ALL };
/* clang-format off */
enum space { SP_NONE, SP_GENERIC, SP_GLOBAL, SP_SHARED, SP_LOCAL, SP_CONST,
	     SP_PARAM,   /* a kernel's parameters */
	     SP_FRAME,   /* a function's .param variables: bytes of its local frame */
	     SP_REG, SP_TEX, SP_COUNT };
/* clang-format on */
enum scope { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };
enum sem { SEM_NONE, SEM_WEAK, SEM_RELAXED, SEM_ACQUIRE, SEM_RELEASE, SEM_ACQ_REL, SEM_SC };
enum cop { COP_NONE, COP_CA, COP_CG, COP_CS, COP_LU, COP_CV, COP_WB, COP_WT };
/* clang-format off */
enum geom { GEOM_NONE, GEOM_1D, GEOM_2D, GEOM_3D, GEOM_A1D, GEOM_A2D, GEOM_CUBE, GEOM_ACUBE, GEOM_2DMS, GEOM_A2DMS };
enum texmode { TEX_PLAIN, TEX_LEVEL, TEX_GRAD, TEX_BASE };
enum query { Q_WIDTH, Q_HEIGHT, Q_DEPTH, Q_CHANNEL_TYPE, Q_CHANNEL_ORDER, Q_NORMALIZED, Q_FILTER_MODE, Q_FORCE_UNNORMALIZED,
	     Q_ADDR_MODE_0, Q_ADDR_MODE_1, Q_ADDR_MODE_2, Q_ARRAY_SIZE, Q_NUM_MIPMAP, Q_NUM_SAMPLES, Q_MEMORY_LAYOUT,
	     /* native code only (SULEA): address of a surface, and the bytes of its rows, slices
	      * and texels */
	     Q_NATIVE_BASE_LO, Q_NATIVE_BASE_HI, Q_NATIVE_PITCH, Q_NATIVE_SLICE, Q_NATIVE_TEXEL };
enum suclamp { SU_TRAP, SU_CLAMP, SU_ZERO }; /* surface out-of-range behaviour, in mode */
enum mbarrier { MB_INIT, MB_INVAL, MB_ARRIVE, MB_ARRIVE_DROP, MB_TEST_WAIT, MB_TRY_WAIT, MB_EXPECT_TX,
		MB_COMPLETE_TX, MB_PENDING_COUNT, MB_CP_ASYNC_ARRIVE, MB_EXCHANGE };
enum shape { SHAPE_NONE, SHAPE_M8N8K4, SHAPE_M8N8K16, SHAPE_M8N8K32, SHAPE_M8N8K128, SHAPE_M16N8K4,
	     SHAPE_M16N8K8, SHAPE_M16N8K16, SHAPE_M16N8K32, SHAPE_M16N8K64, SHAPE_M16N8K128,
	     SHAPE_M16N8K256, SHAPE_M16N16K16, SHAPE_M32N8K16, SHAPE_M8N32K16, SHAPE_M16N16K8,
	     SHAPE_M8N8, SHAPE_COUNT };
enum { CPB_COPY, CPB_REDUCE };                    /* CP_BULK: mode */
enum { CPF_MULTICAST = 1, CPF_FROM_SHARED = 2 };  /* CP_BULK, CP_TENSOR: imm */
enum { TENSORMAP_COPY = 32 };                     /* TENSORMAP: mode */
/* BAR with BAR_WARPGROUP: vmask is the number of groups of products that may be in flight after it. wgmma.wait_group
 * and WARPGROUP.DEPBAR give it; wgmma.fence and WARPGROUP.ARRIVE leave all. */
enum { WG_LEAVES_ALL = 255 };
enum { WG_TRANS_A = 1, WG_TRANS_B = 2, WG_NEGATE = 4, WG_SPARSE = 8, WG_SELECTOR = 4 }; /* WGMMA: imm */
/* clang-format on */
/* Rows, columns and depth of a matrix product; all 0: the shape is not one of a matrix product. */
extern const struct shape_dims {
	uint8_t m, n;
	uint16_t k;
} shape_dims[SHAPE_COUNT];

enum {
	BAR_HAS_COUNT = 1,
	BAR_HAS_PRED = 2,
	BAR_CLUSTER = 4,
	BAR_WARPGROUP = 8
}; /* BAR: inst.imm: sources present after the barrier */
/* MBARRIER: inst.imm */
enum { MBF_NOCOMPLETE = 1, MBF_EXPECT_TX = 2, MBF_PARITY = 4, MBF_REMOTE = 8, MBF_LANES = 16 };
enum { TEX_DREF = 1, TEX_RESIDENT = 2 };     /* TEX, TLD4: inst.imm */
enum tensor_part { MM_A, MM_B, MM_C, MM_D }; /* WMMA_LOAD: inst.imm */

/* Operations whose operands need more words than ops.def has room for.
 *
 * TEX, TLD4  type: result element, stype: coordinates (s32, f32), vec: result elements (4, 2, 1),
 *   geom; mode: enum texmode (TLD4: component 0..3 = r, g, b, a). Destinations: vec registers or
 *   sinks, then with TEX_RESIDENT in imm a predicate. Sources: texture handle (REG, or SYM of a
 *   texref); grp[0] samplers (0 or 1: the handle, REG or SYM); grp[1] coordinates, padding of the
 *   assembly vector removed: array index (u32) first for a1d, a2d, acube, sample number (u32)
 *   first for 2dms (sample, then array index for a2dms); grp[2] level (1) or gradients (dPdx's then
 *   dPdy's), f32, or s32 level where stype is s32; grp[3] texel offsets (s32); with TEX_DREF in imm
 *   the depth to compare with (f32).
 * TXQ, SUQ  mode: enum query; sources: handle [, level].
 * SULD  type, vec, geom, mode: enum suclamp; M_FORMATTED; sources: handle, grp[1] coordinates
 *   (b32; array index first; x in bytes unless M_FORMATTED).
 * SUST  as SULD, then vec values.      SURED  as SULD, then one value; vsel[0]: enum atom.
 * MMA, WMMA_MMA  mode: enum shape; type d, atype, btype, stype c; grp[0..3]: registers of d, a, b, c;
 *   M_COL_A, M_COL_B: that operand is column-major as written; M_SATFINITE; b1: bop XOR or AND (popc).
 * WMMA_LOAD  imm: enum tensor_part; mode: shape; type: element; nd: registers; space; M_COL_A/B/D by
 *   part; sources: MEM [, stride in elements, u32].
 * WMMA_STORE  as WMMA_LOAD with imm MM_D; sources: MEM, grp[0] registers [, stride].
 * LDMATRIX  nd = vec registers, source MEM. STMATRIX: MEM, vec registers. type b16 (b8: .m16n16).
 * MBARRIER  mode: enum mbarrier; space; imm: MBF_*.
 *   INIT: MEM, count. INVAL: MEM. ARRIVE, ARRIVE_DROP: [d = state or sink], MEM [, count, or with
 *   MBF_EXPECT_TX the bytes]. TEST_WAIT, TRY_WAIT: d = predicate, MEM, state or (MBF_PARITY) parity [, time limit ns].
 *   EXPECT_TX, COMPLETE_TX: MEM, bytes. PENDING_COUNT: d, state. CP_ASYNC_ARRIVE: MEM, M_NOINC.
 *   Native code: EXCHANGE: [d = the word before], MEM, the word (64 bits). MBF_LANES: an arrival's d is the mask of
 *   the lanes that arrive and the upper half of the state that the first of them found.
 * MMA_SP  as MMA, with all of B's depth; then sources: metadata, selector (imm: its value).
 * WGMMA  type d, atype, btype; mode: columns / 8; grp[0] accumulators, which are destinations and the first
 *   sources; then A: grp[1] registers, or (grp[1] = 0) its descriptor; descriptor of B; [WG_SPARSE: metadata,
 *   bits WG_SELECTOR and up of imm: the selector]; scale-d (predicate or constant). M_SATFINITE.
 * CP_TENSOR  vec: dimensions; geom: 1 for im2col; vsel[0]: enum atom; imm: CPF_*. s0 MEM map, s1 MEM shared (prefetch:
 *   the map again), vec coordinates; loads: MEM mbarrier; im2col loads and prefetches: vec - 2 offsets; CPF_MULTICAST: mask.
 * TENSORMAP  replace: MEM, value (type b32, b64); imm: dimension. TENSORMAP_COPY: MEM to, MEM from.
 * BAR  mode: enum bar; sources: barrier, then what imm says: BAR_HAS_COUNT, BAR_HAS_PRED; or, with
 *   BAR_CLUSTER, none: the cluster's barrier (BAR_ARRIVE, BAR_WAIT); BAR_WARPGROUP, none: that of the
 *   warp's group of four (wgmma.wait_group; vmask: groups that may be left, 255: all). bar.red:
 *   nd = 1, bop (AND, OR: predicate; POPC: u32). M_ALIGNED.
 * SREG  type: destination, stype: type the register is read as (u16, u32, u64): zero-extended or
 *   truncated to it, then to the destination.
 * CP_ASYNC  s0 MEM (shared), s1 MEM (global), [s2: u32 bytes to read, the rest is zero; or a
 *   predicate: true reads nothing]; imm: bytes copied.
 * CP_BULK  s0 MEM to, s1 MEM from, s2 u32 bytes; space: SP_SHARED (then s3 is the MEM of an mbarrier
 *   whose pending bytes become fewer by s2) or SP_GLOBAL.
 * ATOM, RED  type, mode, vec (1: scalar): [vec destinations,] MEM, vec values [, CAS: new value].
 * ALLOCA  d = address, s0 size, imm: alignment.    ISTYPEP  stype: T_TEXREF, T_SAMPLERREF, T_SURFREF.
 * PREFETCH, DISCARD, APPLYPRIO  MEM. (A cache-policy operand of any operation is checked and dropped.)
 * MOV of a predicate: type T_PRED; source may carry OPND_NOT. */

/* Special registers: SREG(enum, text, components, type). */
/* clang-format off */
#define SREGS(X)                                                                                   \
	X(TID, "tid", 4, U32) X(NTID, "ntid", 4, U32) X(LANEID, "laneid", 1, U32)                  \
	X(WARPID, "warpid", 1, U32) X(NWARPID, "nwarpid", 1, U32) X(CTAID, "ctaid", 4, U32)        \
	X(NCTAID, "nctaid", 4, U32) X(SMID, "smid", 1, U32) X(NSMID, "nsmid", 1, U32)              \
	X(GRIDID, "gridid", 1, U64) X(CLUSTERID, "clusterid", 4, U32)                              \
	X(NCLUSTERID, "nclusterid", 4, U32) X(CLUSTER_CTAID, "cluster_ctaid", 4, U32)              \
	X(CLUSTER_NCTAID, "cluster_nctaid", 4, U32) X(CLUSTER_CTARANK, "cluster_ctarank", 1, U32)  \
	X(CLUSTER_NCTARANK, "cluster_nctarank", 1, U32) X(LANEMASK_EQ, "lanemask_eq", 1, U32)      \
	X(IS_EXPLICIT_CLUSTER, "is_explicit_cluster", 1, PRED)                                     \
	X(LANEMASK_LE, "lanemask_le", 1, U32) X(LANEMASK_LT, "lanemask_lt", 1, U32)                \
	X(LANEMASK_GE, "lanemask_ge", 1, U32) X(LANEMASK_GT, "lanemask_gt", 1, U32)                \
	X(CLOCK, "clock", 1, U32) X(CLOCK_HI, "clock_hi", 1, U32) X(CLOCK64, "clock64", 1, U64)    \
	X(PM, "pm", 1, U32) X(PM64, "pm64", 1, U64) /* sub: counter number */                      \
	X(ENVREG, "envreg", 1, U32)                 /* sub: register number */                     \
	X(GLOBALTIMER, "globaltimer", 1, U64) X(GLOBALTIMER_LO, "globaltimer_lo", 1, U32)          \
	X(GLOBALTIMER_HI, "globaltimer_hi", 1, U32)                                                \
	X(DYNAMIC_SMEM_SIZE, "dynamic_smem_size", 1, U32)                                          \
	X(TOTAL_SMEM_SIZE, "total_smem_size", 1, U32) X(AGGR_SMEM_SIZE, "aggr_smem_size", 1, U32)  \
	X(CURRENT_GRAPH_EXEC, "current_graph_exec", 1, U64)                                        \
	X(RESERVED_SMEM_BEGIN, "reserved_smem_offset_begin", 1, U32)                               \
	X(RESERVED_SMEM_END, "reserved_smem_offset_end", 1, U32)                                   \
	X(RESERVED_SMEM_CAP, "reserved_smem_offset_cap", 1, U32)                                   \
	X(RESERVED_SMEM_0, "reserved_smem_offset_0", 1, U32)                                       \
	X(RESERVED_SMEM_1, "reserved_smem_offset_1", 1, U32)                                       \
	X(NATIVE_CC, "native_cc", 1, U32) /* condition code of native code: Z S C O in bits 0 to 3 */
/* clang-format on */
#define X(e, s, n, t) SREG_##e,
enum sreg { SREGS(X) SREG_COUNT };
#undef X
/* Words of sm_20's bank 1 that the driver writes, from 0 on, for code generated from PTX:
 * environment registers, then these. */
enum { DRIVER_ENVREGS = 32 };
#define DRIVER_WORDS                                                                               \
	SREG_DYNAMIC_SMEM_SIZE, SREG_TOTAL_SMEM_SIZE, SREG_AGGR_SMEM_SIZE,                         \
		SREG_RESERVED_SMEM_BEGIN, SREG_RESERVED_SMEM_END, SREG_RESERVED_SMEM_CAP,          \
		SREG_RESERVED_SMEM_0, SREG_RESERVED_SMEM_1, SREG_GRIDID
struct sreg_info {
	const char *name;
	uint8_t components, type;
};
extern const struct sreg_info sreg_info[SREG_COUNT];

struct inst {
	uint16_t op;  /* enum op */
	uint8_t type; /* type of the result, if any, else of the data accessed or computed */
	union {       /* a second type; the operation decides which member is valid */
		uint8_t stype;       /* type of the source: CVT, SET, SETP, TESTP, SLCT's c */
		uint8_t ctype;       /* MMA, WMMA_MMA: matrix c */
		uint8_t coord_type;  /* TEX, TLD4: coordinates, s32 or f32 */
		uint8_t handle_type; /* ISTYPEP: T_TEXREF, T_SAMPLERREF, T_SURFREF */
		uint8_t sreg_type;   /* SREG: u16, u32 or u64 that the register is read as */
	};
	uint8_t atype, btype;     /* sources a, b where they differ: MMA, DP4A, video */
	union {                   /* variant of the operation, which decides which member is
				   * valid */
		uint8_t mode;     /* the variant as a number, for code that copies, compares or
				   * prints it */
		uint8_t mul;      /* MUL, MAD, MUL24, MAD24, DP2A: enum mulmode; f32 MAD: MAD_CUT */
		uint8_t wrap;     /* BMSK, SZEXT: enum wrapmode */
		uint8_t shf;      /* SHF: enum shfmode */
		uint8_t prmt;     /* PRMT: enum prmt */
		uint8_t testp;    /* TESTP: enum testp */
		uint8_t shfl;     /* SHFL: enum shfl */
		uint8_t vote;     /* VOTE, MATCH: enum vote */
		uint8_t atom;     /* ATOM, RED, REDUX: enum atom */
		uint8_t bar;      /* BAR: enum bar */
		uint8_t mbarrier; /* MBARRIER: enum mbarrier */
		uint8_t second;   /* video: enum vsec, the second operation */
		uint8_t scale;    /* VMAD: bits that the result is shifted right: 0, 7, 15 */
		uint8_t level;    /* PREFETCH: 1: into the L1 as well as the L2 */
		uint8_t copy_wait;   /* CP_ASYNC_WAIT: enum cpw */
		uint8_t bulk;        /* CP_BULK: CPB_* */
		uint8_t tensor;      /* CP_TENSOR: enum tensor_copy */
		uint8_t tensormap;   /* TENSORMAP: enum tensormap_field or TENSORMAP_COPY */
		uint8_t texmode;     /* TEX: enum texmode */
		uint8_t component;   /* TLD4: 0 to 3 = r, g, b, a */
		uint8_t query;       /* TXQ, SUQ: enum query */
		uint8_t outside;     /* SULD, SUST, SURED: enum suclamp */
		uint8_t shape;       /* MMA, MMA_SP, WMMA_*: enum shape */
		uint8_t columns8;    /* WGMMA: columns / 8 */
		uint8_t wgmma_group; /* WGMMA_GROUP: WGG_* */
		uint8_t native_ctl;  /* NATIVE: enum native_ctl */
	};
	uint8_t rnd, cmp, bop, space, scope, sem, cop, geom, vec;
	/* video: part of d, a, b, c (enum vpart); SIMD: selectors */
	uint8_t vsel[4];
	uint8_t vmask; /* SIMD video: lanes written */
	/* mma: registers of d, a, b, c; tex: d, coords, ... */
	uint8_t grp[4];
	uint8_t nd, ns;
	uint32_t mods;  /* M_* */
	uint32_t guard; /* predicate register id or NO_REG */
	uint8_t guard_neg;
	struct opnd *opnd;               /* nd + ns, in the module's arena */
	union {                          /* an immediate; the operation decides which member is
					  * valid */
		uint64_t imm;            /* the number as such, for code that copies, compares or
					  * prints it */
		uint64_t lut;            /* LOP3: truth table */
		uint64_t copy_bytes;     /* CP_ASYNC: bytes per lane */
		uint64_t groups_left;    /* CP_ASYNC_WAIT: groups that may be unfinished */
		uint64_t copy_flags;     /* CP_BULK, CP_TENSOR: CPF_* */
		uint64_t dimension;      /* TENSORMAP */
		uint64_t bar_flags;      /* BAR: BAR_HAS_COUNT, ... */
		uint64_t mbarrier_flags; /* MBARRIER: MBF_* */
		uint64_t tex_flags;      /* TEX, TLD4: TEX_DREF, TEX_RESIDENT */
		uint64_t wgmma_flags;    /* WGMMA: WG_* */
		uint64_t selector;       /* MMA_SP: selects the lanes that hold the metadata */
		uint64_t matrix;         /* WMMA_LOAD, WMMA_STORE: enum tensor_part */
		uint64_t list;           /* BRX: index into func.targets */
		uint64_t call;           /* CALL: index into func.calls */
		uint64_t align;          /* ALLOCA: bytes; 0: 8 */
		uint64_t offset;         /* NATIVE: offset added to s0; B2R: number of the
					  * barrier */
	};
	uint32_t target;    /* BRA: index into the function's code */
	uint32_t reconv;    /* set by pass/reconv: index, or NO_PC */
	uint32_t line, col; /* position in the text that was read */
	/* From .loc: index into module files + 1, or 0 for none; line 0: code made of several
	 * lines. */
	uint32_t src_file, src_line, src_col;
	uint32_t inlined; /* index into module inlined + 1; 0: not inlined, or not known */
	const char *text; /* full mnemonic as written, e.g. "ld.global.f32" */
	/* Native code (lift/emit.c): one native instruction may be several of these. */
	const char *native; /* the native instruction's text; NULL: not native code */
	uint32_t native_pc; /* address of the native instruction */
	uint16_t mnemonic;  /* number of its row in the statistics of mnemonics (isa/native.h); 0:
			     * not counted */
	uint8_t micro;      /* 1: not counted by statistics, which count another inst of the same
			     * native instruction */
	uint8_t uniform; /* 1: operation of the uniform datapath: performed for all 32 lanes if any
	                  * executes it */
	const struct sm70_issue *issue; /* code for sm_70 and later: isa/sm70/issue.h; else NULL */
	uint8_t lone_load; /* 1: the native instruction only loads a constant, in contrast to one
			    * with a constant operand */
};
enum { NO_PC = 0xffffffff };

/* True if two instructions of a module come from one operation of the source, which a compiler may
 * have copied (by unrolling a loop, for example). */
static inline bool inst_same_place(const struct inst *a, const struct inst *b)
{
	return a == b || (a->src_file && a->src_line && a->src_file == b->src_file &&
			  a->src_line == b->src_line && a->src_col == b->src_col &&
			  a->inlined == b->inlined && a->op == b->op);
}

/* NATIVE: control flow of Fermi and Tesla by the token stack (kernel/token_flow.c), and the few
 * operations that no other ISA has; mode is one of these; `target` is set where there is a target.
 * BRX: s0 = register, imm: added to it. LOCK: d = predicate (obtained), s0 + imm = shared address.
 * SETCC: s0 = Z S C O in bits 0 to 3. B2R: d = warps that have arrived at barrier imm. The words
 * are those of the ISAs; TPOP is Tesla's .S, whose SSY token resumes after the instruction that
 * pops it; TRET ends the thread when there is nothing to return to.
 *
 * From sm_70 on, without tokens (kernel/converge.c): MEET waits until all live lanes that s0 names
 * have arrived, at the same instruction or (imm: NMEET_ANYWHERE) at any of that kind, and they go on where each is or
 * (NMEET_TOGETHER) all where the last has come; BREAK removes the executing lanes from the masks d = s0 of all lanes; YIELD lets
 * other lanes of the warp go first. FIRST: d, in all 32 lanes, becomes s0 of the lowest executing
 * lane. HERE: predicate d is true if all live lanes that s0 names are in the executing path. */
/* clang-format off */
enum native_ctl {
	NCTL_SSY, NCTL_PBK, NCTL_PCNT, NCTL_PRET, NCTL_PLONGJMP, NCTL_CAL, NCTL_BRA, NCTL_BRA_U, NCTL_BRX,
	NCTL_BRK, NCTL_CONT, NCTL_LONGJMP, NCTL_RET, NCTL_TRET, NCTL_EXIT, NCTL_POP, NCTL_TPOP,
	NCTL_MEET, NCTL_BREAK, NCTL_YIELD,
	NCTL_LOCK, NCTL_SETCC, NCTL_B2R, NCTL_FIRST, NCTL_HERE,
};
/* clang-format on */
/* imm of MEET. EXCLUSIVE: lanes that name different lanes go on one after the other. */
enum { NMEET_EXCLUSIVE = 1, NMEET_ANYWHERE = 2, NMEET_TOGETHER = 4 };

static inline struct opnd *inst_dst(const struct inst *in, unsigned i) { return &in->opnd[i]; }
static inline struct opnd *inst_src(const struct inst *in, unsigned i)
{
	return &in->opnd[in->nd + i];
}
/* The functional unit that executes the instruction, by operation and type. */
enum unit inst_unit(const struct inst *in);
/* True if any of the facts (OF_*) holds of the operation. */
static inline bool inst_is(const struct inst *in, uint64_t facts)
{
	return (op_info[in->op].facts & facts) != 0;
}
/* True for tensormap.cp_fenceproxy, whose lanes wait for each other: Triton changes a map in one lane and copies it in all
 * of them. */
static inline bool inst_copies_map(const struct inst *in)
{
	return in->op == OP_TENSORMAP && in->tensormap == TENSORMAP_COPY;
}
/* How lanes exchange values by an operation with a member mask. */
enum exchange_kind {
	EXCHANGE_NONE,
	EXCHANGE_SHUFFLE,
	EXCHANGE_VOTE,
	EXCHANGE_MATCH,
	EXCHANGE_REDUCE,
	EXCHANGE_ELECT
};
static inline enum exchange_kind inst_exchange(const struct inst *in)
{
	if (!(in->mods & M_SYNC))
		return EXCHANGE_NONE;
	switch (in->op) {
	case OP_SHFL: return EXCHANGE_SHUFFLE;
	case OP_VOTE: return EXCHANGE_VOTE;
	case OP_MATCH: return EXCHANGE_MATCH;
	case OP_REDUX: return EXCHANGE_REDUCE;
	case OP_ELECT: return EXCHANGE_ELECT;
	default: return EXCHANGE_NONE;
	}
}
/* True for operations that end a basic block. */
static inline bool inst_is_branch(const struct inst *in) { return inst_is(in, OF_ENDS); }
/* True for an atomic operation on memory at an address; false for one on a surface. */
static inline bool inst_is_atomic(const struct inst *in)
{
	return inst_is(in, OF_ATOMIC) && inst_is(in, OF_ADDRESS);
}
/* True for an atomic operation at an address that returns nothing. */
static inline bool inst_is_reduction(const struct inst *in)
{
	return inst_is_atomic(in) && !inst_is(in, OF_READS);
}
/* True for a texture or surface operation that reads or writes texels. */
static inline bool inst_reaches_texels(const struct inst *in)
{
	return op_info[in->op].kind == OPK_TEXTURE && inst_is(in, OF_READS | OF_WRITES);
}
/* True for native control of this kind. */
static inline bool inst_is_native(const struct inst *in, enum native_ctl kind)
{
	return inst_is(in, OF_NATIVE) && in->native_ctl == kind;
}
/* True for control flow of native code. */
static inline bool inst_is_native_flow(const struct inst *in)
{
	return inst_is(in, OF_NATIVE) && in->native_ctl < NCTL_LOCK;
}
/* True for an access whose effects other threads must see, or that must see theirs, in program
 * order. */
static inline bool inst_is_strong(const struct inst *in)
{
	return (in->mods & (M_VOLATILE | M_MMIO)) || in->sem > SEM_WEAK;
}
/* True for a load that bypasses the L1 cache: programs older than strong loads use it to wait for
 * another block. */
static inline bool inst_passes_l1(const struct inst *in)
{
	return inst_is(in, OF_LOAD) && (in->cop == COP_CG || in->cop == COP_CV) &&
	       (in->space == SP_GLOBAL || in->space == SP_GENERIC || in->space == SP_NONE);
}
/* True for a load by which a program may poll. */
static inline bool inst_may_poll(const struct inst *in)
{
	return inst_is(in, OF_LOAD) && (inst_is_strong(in) || inst_passes_l1(in));
}

#endif
