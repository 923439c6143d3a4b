/* The Tesla ISA: every instruction as one row. Bits 0-31 are the first word, 32-63 the second
 * (b(n) below). Immediate forms stand before the long forms they would match. */
#include "isa/tesla/tesla.h"

#define b(n) (32 + (n))

#define RN4    "", ".FLOOR", ".CEIL", ".TRUNC"
#define INT_ST ".U16", ".U32", ".U16.BEXT", ".U8", ".S16", ".S32", ".S16.BEXT", ".S8"
#define TESLA_MODS(X)                                                                              \
	X(W15, NM_W32, 15, 1, 0, 0, 0, ".U16", "")                                                 \
	X(W26, NM_W32, b(26), 1, 0, 0, 0, ".U16", "")                                              \
	X(T2627, NM_DT, b(26), 2, 0, 0, 0, ".U16", "", ".S16", ".S32")                             \
	X(TSAD, NM_DT, b(26), 2, 0, 0, 0, ".U16", ".U32", ".S16", ".S32")                          \
	X(TSADS, NM_DT, 8, 1, 15, 1, 0, ".U16", ".S16", ".U32", ".S32")                            \
	X(SAT8, NM_SAT, 8, 1, 0, 0, 0, "", ".SAT")                                                 \
	X(SAT27, NM_SAT, b(27), 1, 0, 0, 0, "", ".SAT")                                            \
	X(SAT29, NM_SAT, b(29), 1, 0, 0, 0, "", ".SAT")                                            \
	X(SAT20, NM_SAT, b(20), 1, 0, 0, 0, "", ".SAT")                                            \
	X(SAT19, NM_SAT, b(19), 1, 0, 0, 0, "", ".SAT")                                            \
	X(CARRY, NM_X, b(12), 2, 0, 0, 0, ".CARRY0", ".CARRY1", ".CARRY2", ".CARRY3")              \
	X(CARRY0, NM_X, 0, 0, 0, 0, 0, ".CARRY0")                                                  \
	X(MODE, NM_PO, 22, 1, 28, 1, 0, "", "", "", NULL)                                          \
	X(MODE26, NM_PO, b(26), 2, 0, 0, 0, "", "", "", NULL)                                      \
	X(MUL16S, NM_TYPES, 8, 1, 15, 1, 0, ".U16.U16", ".U16.S16", ".S16.U16", ".S16.S16")        \
	X(MUL24S, NM_TYPES, 8, 1, 15, 1, 0, ".U24.U24", ".HI.U24.U24", ".S24.S24", ".HI.S24.S24")  \
	X(MUL16, NM_TYPES, b(14), 2, 0, 0, 0, ".U16.U16", ".U16.S16", ".S16.U16", ".S16.S16")      \
	X(MUL24, NM_TYPES, b(14), 2, 0, 0, 0, ".U24.U24", ".HI.U24.U24", ".S24.S24",               \
	  ".HI.S24.S24")                                                                           \
	X(MAD16S, NM_TYPES, 8, 1, 15, 1, 0, ".U16", ".S16", ".S16.SAT", NULL)                      \
	X(MAD24S, NM_TYPES, 8, 1, 15, 1, 0, NULL, NULL, NULL, ".U24")                              \
	X(MAD16, NM_TYPES, b(29), 3, 0, 0, 0, ".U16", ".S16", ".S16.SAT", NULL, NULL, NULL, NULL,  \
	  NULL)                                                                                    \
	X(MAD24, NM_TYPES, b(29), 3, 0, 0, 0, NULL, NULL, NULL, ".U24", ".S24", ".S24.SAT",        \
	  ".HI.U24", ".HI.S24")                                                                    \
	X(MADHI, NM_TYPES, b(29), 3, 0, 0, 0, ".HI.S24.SAT", NULL, NULL, NULL, NULL, NULL, NULL,   \
	  NULL)                                                                                    \
	X(LOP14, NM_LOGIC, b(14), 2, 0, 0, 0, ".AND", ".OR", ".XOR", ".PASS_B")                    \
	X(LOP32I, NM_LOGIC, 8, 1, 15, 1, 0, ".AND", ".OR", ".XOR", ".PASS_B")                      \
	X(SFU, NM_SFU, b(25), 1, 0, 0, 0, "", ".SFU")                                              \
	X(R2GSRC, NM_FULL, b(21), 1, 0, 0, 0, ".U16", ".U32")                                      \
	X(R2GMEM, NM_SIZE, b(22), 1, b(26), 1, 0, ".U16", ".U8", ".U32", ".U8")                    \
	X(G2RD, NM_FULL, b(26), 1, 0, 0, 0, ".U16", ".U32")                                        \
	X(LOCK, NM_LOCK, b(23), 1, 0, 0, 0, "", ".LOCK")                                           \
	X(UNLOCK, NM_LOCK, b(23), 1, 0, 0, 0, "", ".UNLOCK")                                       \
	X(VOTE, NM_MODE, 9, 2, 0, 0, 0, NULL, ".ANY", ".ALL", NULL)                                \
	X(I2IDT, NM_DT, b(26), 2, b(19), 1, 0, ".U16", ".U32", ".S16", ".S32", ".U8", ".U8",       \
	  ".S8", ".S8")                                                                            \
	X(IST, NM_ST, b(14), 3, 0, 0, 0, INT_ST)                                                   \
	X(IST64, NM_ST, b(14), 3, 0, 0, 0, ".U32", ".U64", NULL, NULL, ".S32", ".S64", NULL, NULL) \
	X(IDT, NM_DT, b(26), 2, 0, 0, 0, ".U16", ".U32", ".S16", ".S32")                           \
	X(IDT64, NM_DT, b(26), 2, 0, 0, 0, ".U32", ".U64", ".S32", ".S64")                         \
	X(FDT, NM_DT, b(26), 1, 0, 0, 0, ".F16", ".F32")                                           \
	X(FDT64, NM_DT, b(26), 1, 0, 0, 0, ".F32", ".F64")                                         \
	X(FST, NM_ST, b(14), 1, 0, 0, 0, ".F16", ".F32")                                           \
	X(FST64, NM_ST, b(14), 1, 0, 0, 0, ".F32", ".F64")                                         \
	X(RND17, NM_RND, b(17), 2, 0, 0, 0, RN4)                                                   \
	X(RNDF2F, NM_RND, b(17), 2, b(27), 1, 0, "", ".FLOOR", ".CEIL", ".TRUNC", ".ROUND",        \
	  ".FLOOR", ".CEIL", ".TRUNC")                                                             \
	X(INT27, NM_ROUND, b(27), 1, 0, 0, NMF_FULL, "", ".INT")                                   \
	X(RND16, NM_RND, 16, 2, 0, 0, 0, RN4)                                                      \
	X(RND14, NM_RND, b(14), 2, 0, 0, 0, RN4)                                                   \
	X(RND22, NM_RND, b(22), 2, 0, 0, 0, RN4)                                                   \
	X(MEMT, NM_SIZE, b(21), 3, 0, 0, 0, ".U8", ".S8", ".U16", ".S16", ".S64", ".S128", ".U32", \
	  ".S32")                                                                                  \
	X(ATOM, NM_MODE, b(2), 4, 0, 0, 0, ".IADD", ".EXCH", NULL, NULL, ".INC", ".DEC", ".IMAX",  \
	  ".IMIN", NULL, NULL, ".AND", ".OR", ".XOR", NULL, NULL, NULL)                            \
	X(CAS, NM_MODE, b(2), 4, 0, 0, 0, NULL, NULL, ".CAS", NULL, NULL, NULL, NULL, NULL, NULL,  \
	  NULL, NULL, NULL, NULL, NULL, NULL, NULL)                                                \
	X(NOINC, NM_NOINC, b(6), 1, 0, 0, 0, ".NOINC", "")                                         \
	X(ARV, NM_MODE, 25, 1, 0, 0, 0, "", ".ARV")                                                \
	X(WAIT, NM_KIND, 26, 1, 0, 0, 0, "", ".WAIT")                                              \
	X(LANE, NM_LANE, 16, 3, 0, 0, 0, ".0000", ".1111", ".2222", ".3333", ".1032", ".2301",     \
	  NULL, NULL)                                                                              \
	X(TEXLOD, NM_LOD, b(29), 3, 0, 0, 0, "", ".LB", ".LL", NULL, NULL, NULL, NULL, NULL)       \
	X(TEXFETCH, NM_IND, 24, 1, 0, 0, NMF_FULL, "", ".FETCH")                                   \
	X(TEXCUBE, NM_DIM, 27, 1, 0, 0, NMF_FULL, "", ".CUBE")                                     \
	X(TEXLIVE, NM_LIVE, b(2), 1, 0, 0, NMF_FULL, "", ".LIVE")                                  \
	X(TEXDERIV, NM_NDV, b(3), 1, 0, 0, NMF_FULL, "", ".DERIV")

enum {
	M_0,
#define X(n, ...) M_##n,
	TESLA_MODS(X)
#undef X
};
#define X(n, id, lo, w, lo2, w2, fl, ...) static const char *const v_##n[] = {__VA_ARGS__};
TESLA_MODS(X)
#undef X
static const struct nmodf mods[] = {[M_0] = {0},
#define X(n, id, lo, w, lo2, w2, fl, ...)                                                          \
	[M_##n] = {id, lo, w, lo2, w2, fl, sizeof(v_##n) / sizeof(*v_##n), v_##n},
				    TESLA_MODS(X)
#undef X
};

static const char *const icmp[] = {"FALSE", "LT", "EQ", "LE", "GT", "NE", "GE", "TRUE"};
static const char *const fcmp[] = {"FALSE", "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
				   "NAN",   "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "TRUE"};
static const char *const rro[] = {"SIN", "EX2"};

/* Add modes: the sign of one operand counts only while the other's is clear (both: carry in). */
#define S_A .neg = 28, .xneg = 22
#define S_B .neg = 22, .xneg = 28
#define L_A .neg = b(27), .xneg = b(26)
#define L_C .neg = b(26), .xneg = b(27)
#define TESLA_OPS(X)                                                                               \
	X(D, TK_D, .doc = "D")                                                                     \
	X(D26, TK_D, .sz = b(26), .doc = "D")                                                      \
	X(DD, TK_D, .width = 2, .doc = "D")                                                        \
	X(DREG, TK_REG, .lo = 2, .w = 7, .doc = "D")                                               \
	X(D7, TK_REG, .lo = 2, .w = 7, .sz = 15, .doc = "D")                                       \
	X(DS, TK_REG, .lo = 2, .w = 6, .doc = "D")                                                 \
	X(DS15, TK_REG, .lo = 2, .w = 6, .sz = 15, .doc = "D")                                     \
	X(AS, TK_AS, .doc = "A")                                                                   \
	X(AS15, TK_AS, .sz = 15, .doc = "A")                                                       \
	X(ASM15, TK_AS, .sz = 15, S_A, .doc = "{-}A")                                              \
	X(ASH, TK_AS, .sz = SZ_HALF, .doc = "A")                                                   \
	X(ASMH, TK_AS, .sz = SZ_HALF, S_A, .doc = "{-}A")                                          \
	X(ASM, TK_AS, S_A, .doc = "{-}A")                                                          \
	X(ASN15, TK_AS, .neg = 15, .doc = "{-}A")                                                  \
	X(ASRCP, TK_AS, .neg = 22, .abs = 15, .doc = "{-}{|}A")                                    \
	X(ASINV, TK_AS, .inv = 22, .doc = "{~}A")                                                  \
	X(BS, TK_BS, .doc = "B")                                                                   \
	X(BS15, TK_BS, .sz = 15, .doc = "B")                                                       \
	X(BSM15, TK_BS, .sz = 15, S_B, .doc = "{-}B")                                              \
	X(BSH, TK_BS, .sz = SZ_HALF, .doc = "B")                                                   \
	X(BSN22, TK_BS, .neg = 22, .doc = "{-}B")                                                  \
	X(ACC, TK_ECHO, .doc = "D")                                                                \
	X(ACCM, TK_ECHO, S_B, .doc = "{-}D")                                                       \
	X(ACCN22, TK_ECHO, .neg = 22, .doc = "{-}D")                                               \
	X(I32, TK_IMM32, .doc = "imm32")                                                           \
	X(I32M, TK_IMM32, S_B, .doc = "{-}imm32")                                                  \
	X(I32F, TK_IMM32, .imm = IMM_F32, .doc = "imm32")                                          \
	X(I32FN, TK_IMM32, .imm = IMM_F32, .neg = 22, .doc = "imm32{.NEG}")                        \
	X(A, TK_A, .doc = "A")                                                                     \
	X(A26, TK_A, .sz = b(26), .doc = "A")                                                      \
	X(AM26, TK_A, .sz = b(26), S_A, .doc = "{-}A")                                             \
	X(AH, TK_A, .sz = SZ_HALF, .doc = "A")                                                     \
	X(ALH, TK_A, .sz = SZ_HALF, L_A, .doc = "{-}A")                                            \
	X(AL, TK_A, L_A, .doc = "{-}A")                                                            \
	X(AINV, TK_A, .sz = b(26), .inv = b(16), .doc = "{~}A")                                    \
	X(ASFU, TK_A, .neg = b(26), .abs = b(20), .doc = "{-}{|}A")                                \
	X(ACVT, TK_A, .sz = b(14), .neg = b(29), .abs = b(20), .doc = "{-}{|}A")                   \
	X(ACVTF, TK_A, .neg = b(29), .abs = b(20), .doc = "{-}{|}A")                               \
	X(AN26, TK_A, .neg = b(26), .doc = "{-}A")                                                 \
	X(ANA, TK_A, .neg = b(26), .abs = b(20), .doc = "{-}{|}A")                                 \
	X(DAN26, TK_A, .neg = b(26), .width = 2, .doc = "{-}A")                                    \
	X(DANA, TK_A, .neg = b(26), .abs = b(20), .width = 2, .doc = "{-}{|}A")                    \
	X(B, TK_B, .doc = "B")                                                                     \
	X(B26, TK_B, .sz = b(26), .doc = "B")                                                      \
	X(BH, TK_B, .sz = SZ_HALF, .doc = "B")                                                     \
	X(BINV, TK_B, .sz = b(26), .inv = b(17), .doc = "{~}B")                                    \
	X(BN27, TK_B, .neg = b(27), .doc = "{-}B")                                                 \
	X(BNA, TK_B, .neg = b(27), .abs = b(19), .doc = "{-}{|}B")                                 \
	X(DB, TK_B, .width = 2, .doc = "B")                                                        \
	X(DBN27, TK_B, .neg = b(27), .width = 2, .doc = "{-}B")                                    \
	X(DBNA, TK_B, .neg = b(27), .abs = b(19), .width = 2, .doc = "{-}{|}B")                    \
	X(C, TK_C, .doc = "C")                                                                     \
	X(C26, TK_C, .sz = b(26), .doc = "C")                                                      \
	X(CM26, TK_C, .sz = b(26), S_B, .doc = "{-}C")                                             \
	X(CL, TK_C, L_C, .doc = "{-}C")                                                            \
	X(CN27, TK_C, .neg = b(27), .doc = "{-}C")                                                 \
	X(CN29, TK_C, .neg = b(29), .doc = "{-}C")                                                 \
	X(DCN27, TK_C, .neg = b(27), .width = 2, .doc = "{-}C")                                    \
	X(SHCNT, TK_IMM, .lo = 16, .w = 7, .doc = "n")                                             \
	X(R2ASH, TK_IMM, .lo = 16, .w = 7, .flags = NOF_OPT, .def = 0, .doc = "n")                 \
	X(LANES, TK_IMM, .lo = b(14), .w = 4, .flags = NOF_OPT, .def = 15, .doc = "lanes")         \
	X(CR12, TK_CN, .lo = b(12), .w = 2, .doc = "Cn")                                           \
	X(CR4, TK_CN, .lo = b(4), .w = 2, .doc = "Cn")                                             \
	X(CTEST, TK_CTEST, .doc = "Cs.test")                                                       \
	X(AN, TK_AN, .doc = "An")                                                                  \
	X(AD, TK_AD, .doc = "Ad")                                                                  \
	X(SR, TK_SREG, .lo = b(14), .w = 4, .doc = "SRn")                                          \
	X(ICMP, TK_WORD, .lo = b(14), .w = 3, .nwords = 8, .words = icmp, .doc = "cmp")            \
	X(FCMP, TK_WORD, .lo = b(14), .w = 4, .nwords = 16, .words = fcmp, .doc = "cmp")           \
	X(RRO, TK_WORD, .lo = b(14), .w = 1, .nwords = 2, .words = rro, .doc = "SIN|EX2")          \
	X(GST, TK_SHARED, .flags = 64, .doc = "g[An+off]")                                         \
	X(GLD, TK_SHARED, .doc = "g [An+off].type")                                                \
	X(R14, TK_REG, .lo = b(14), .w = 7, .sz = b(21), .doc = "R")                               \
	X(CMEM, TK_CMEM, .doc = "c[bank] [An+off]{.type}")                                         \
	X(LOCAL, TK_LOCAL, .doc = "local [An+off]")                                                \
	X(GLOB, TK_GLOBAL, .lo = 16, .doc = "globalN[A]")                                          \
	X(GLOBA, TK_GLOBAL, .lo = 23, .doc = "globalN[A]")                                         \
	X(ADAOFF, TK_IMM, .lo = 9, .w = 16, .doc = "off")                                          \
	X(R16, TK_REG, .lo = 16, .w = 7, .doc = "B")                                               \
	X(RC14, TK_REG, .lo = b(14), .w = 7, .doc = "C")                                           \
	X(TARGET, TK_TARGET, .doc = "target")                                                      \
	X(BARN, TK_BAR, .doc = "bN")                                                               \
	X(BARM, TK_IMM, .lo = 9, .w = 12, .doc = "mask")                                           \
	X(CBRX, TK_CBRX, .doc = "c[bank][off]")                                                    \
	X(TRIGN, TK_IMM, .lo = 10, .w = 4, .doc = "n")                                             \
	X(SWZ, TK_SWZ, .doc = "ops")                                                               \
	X(TEX, TK_IMM, .lo = 9, .w = 8, .doc = "tex")                                              \
	X(SAMP, TK_IMM, .lo = 17, .w = 5, .doc = "samp")                                           \
	X(TEXDIM, TK_IMM, .lo = 22, .w = 2, .doc = "ncoord-1")                                     \
	X(TEXRG, TK_IMM, .lo = 25, .w = 2, .doc = "mask RG")                                       \
	X(TEXBA, TK_IMM, .lo = b(14), .w = 2, .doc = "mask BA")                                    \
	X(TEXOFF, TK_IMM, .lo = b(16), .w = 12, .doc = "offsets")                                  \
	X(TEXS, TK_IMM, .lo = 9, .w = 8, .doc = "tex")

enum {
	O_0,
#define X(n, ...) O_##n,
	TESLA_OPS(X)
#undef X
};
static const struct nopf opf[] = {[O_0] = {0},
#define X(n, k, ...) [O_##n] = {.kind = k, __VA_ARGS__},
				  TESLA_OPS(X)
#undef X
};

#define M(...)                                                                                     \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define BIT(n) (1ull << (n))
#define OPA(o) ((uint64_t)(o) << 28)
#define SUB(s) ((uint64_t)(s) << 61)
#define ROW(o, nm, sz, fl, ma, mk, se, mo, op)                                                     \
	{                                                                                          \
		NI_##o, sz, fl, nm, ma, mk, se, M mo, M op                                         \
	}
/* Short, immediate, long and control forms; xm/xk: more fixed bits. */
#define SHORT(o, nm, opc, xm, xk, mo, op)                                                          \
	ROW(o, nm, 4, 0, OPA(opc) | (xm), 0xf0000003ull | (xk), 0, mo, op)
#define SHORT2(o, nm, opc, xm, xk, mo, op) /* two opcodes: bit 28 is the add mode's high bit */    \
	ROW(o, nm, 4, 0, OPA(opc) | (xm), 0xe0000003ull | (xk), 0, mo, op)
#define IMM(o, nm, opc, xm, xk, mo, op)                                                            \
	ROW(o, nm, 8, 0, OPA(opc) | 1 | 3ull << 32 | (xm), 0xf0000003ull | 3ull << 32 | (xk), 0,   \
	    mo, op)
#define IMM2(o, nm, opc, xm, xk, mo, op)                                                           \
	ROW(o, nm, 8, 0, OPA(opc) | 1 | 3ull << 32 | (xm), 0xe0000003ull | 3ull << 32 | (xk), 0,   \
	    mo, op)
#define LONG(o, nm, opc, sub, xm, xk, mo, op)                                                      \
	ROW(o, nm, 8, NRF_LONG, OPA(opc) | SUB(sub) | 1 | (xm), 0xf0000003ull | SUB(7) | (xk), 0,  \
	    mo, op)
#define LONG2(o, nm, opc, sub, xm, xk, mo, op)                                                     \
	ROW(o, nm, 8, NRF_LONG, OPA(opc) | SUB(sub) | 1 | (xm), 0xe0000003ull | SUB(7) | (xk), 0,  \
	    mo, op)
/* LONGP: the lowest bit of the sub-opcode is a modifier. LONGK: all of it. */
#define LONGP(o, nm, opc, sub, xm, xk, mo, op)                                                     \
	ROW(o, nm, 8, NRF_LONG, OPA(opc) | SUB(sub) | 1 | (xm), 0xf0000003ull | SUB(6) | (xk), 0,  \
	    mo, op)
#define LONGK(o, nm, opc, xm, xk, mo, op)                                                          \
	ROW(o, nm, 8, NRF_LONG, OPA(opc) | 1 | (xm), 0xf0000003ull | (xk), 0, mo, op)
#define CTRL(o, nm, opc, fl, xm, xk, mo, op)                                                       \
	ROW(o, nm, 8, fl, OPA(opc) | 3 | (xm), 0xf0000003ull | (xk), 0, mo, op)
#define T      NRF_TEST
#define CARRYS (BIT(22) | BIT(28))

static const struct native_row rows[] = {
	/* short forms */
	SHORT(MOV, "MOV32", 1, 0, 0, (M_W15), (O_DS15, O_AS15)),
	SHORT2(IADD, "IADD32", 2, CARRYS, CARRYS, (M_CARRY0, M_W15, M_SAT8),
	       (O_DS15, O_AS15, O_BS15)),
	SHORT2(IADD, "IADD32", 2, 0, 0, (M_MODE, M_W15, M_SAT8), (O_DS15, O_ASM15, O_BSM15)),
	SHORT(IMUL, "IMUL32", 4, 0, BIT(22), (M_MUL16S), (O_DS, O_ASH, O_BSH)),
	SHORT(IMUL, "IMUL32", 4, BIT(22), BIT(22), (M_MUL24S), (O_DS, O_AS, O_BS)),
	SHORT(ISAD, "ISAD32", 5, 0, 0, (M_TSADS), (O_DS, O_AS15, O_BS15, O_ACC)),
	SHORT2(IMAD, "IMAD32", 6, CARRYS, CARRYS, (M_CARRY0, M_MAD16S),
	       (O_DS, O_ASH, O_BSH, O_ACC)),
	SHORT2(IMAD, "IMAD32", 6, CARRYS, CARRYS, (M_CARRY0, M_MAD24S), (O_DS, O_AS, O_BS, O_ACC)),
	SHORT2(IMAD, "IMAD32", 6, 0, 0, (M_MODE, M_MAD16S), (O_DS, O_ASMH, O_BSH, O_ACCM)),
	SHORT2(IMAD, "IMAD32", 6, 0, 0, (M_MODE, M_MAD24S), (O_DS, O_ASM, O_BS, O_ACCM)),
	SHORT(RCP, "RCP32", 9, 0, 0, (M_0), (O_DS, O_ASRCP)),
	SHORT(FADD, "FADD32", 11, 0, 0, (M_SAT8), (O_DS, O_ASN15, O_BSN22)),
	SHORT(FMUL, "FMUL32", 12, 0, 0, (M_SAT8), (O_DS, O_ASN15, O_BSN22)),
	SHORT(FMAD, "FMAD32", 14, 0, 0, (M_SAT8), (O_DS, O_ASN15, O_BS, O_ACCN22)),
	ROW(TEX, "TEX32", 4, NRF_BARE, OPA(15), 0xf0000003ull, 0, (M_TEXFETCH, M_TEXCUBE),
	    (O_DS, O_TEXS, O_SAMP, O_TEXDIM, O_TEXRG)),
	/* 32-bit immediates */
	IMM(MOV, "MVI", 1, 0, 0, (M_W15), (O_D7, O_I32)),
	IMM2(IADD, "IADD32I", 2, CARRYS, CARRYS, (M_CARRY0, M_W15, M_SAT8),
	     (O_DS15, O_AS15, O_I32)),
	IMM2(IADD, "IADD32I", 2, 0, 0, (M_MODE, M_W15, M_SAT8), (O_DS15, O_ASM15, O_I32M)),
	IMM(IMUL, "IMUL32I", 4, 0, BIT(22), (M_MUL16S), (O_DS, O_ASH, O_I32)),
	IMM(IMUL, "IMUL32I", 4, BIT(22), BIT(22), (M_MUL24S), (O_DS, O_AS, O_I32)),
	IMM2(IMAD, "IMAD32I", 6, CARRYS, CARRYS, (M_CARRY0, M_MAD16S), (O_DS, O_ASH, O_I32, O_ACC)),
	IMM2(IMAD, "IMAD32I", 6, CARRYS, CARRYS, (M_CARRY0, M_MAD24S), (O_DS, O_AS, O_I32, O_ACC)),
	IMM2(IMAD, "IMAD32I", 6, 0, 0, (M_MODE, M_MAD16S), (O_DS, O_ASMH, O_I32, O_ACCM)),
	IMM2(IMAD, "IMAD32I", 6, 0, 0, (M_MODE, M_MAD24S), (O_DS, O_ASM, O_I32, O_ACCM)),
	IMM(FADD, "FADD32I", 11, 0, 0, (M_SAT8), (O_DS, O_ASN15, O_I32FN)),
	IMM(FMUL, "FMUL32I", 12, 0, 0, (M_SAT8), (O_DS, O_ASN15, O_I32FN)),
	IMM(LOP, "LOP32I", 13, 0, 0, (M_LOP32I), (O_DS, O_ASINV, O_I32)),
	IMM(FMAD, "FMAD32I", 14, 0, 0, (M_SAT8), (O_DS, O_ASN15, O_I32F, O_ACCN22)),
	/* 0: special moves */
	LONG(C2R, "C2R", 0, 1, 0, 0, (M_0), (O_D, O_CR12)),
	LONG(A2R, "A2R", 0, 2, 0, 0, (M_0), (O_D, O_AN)),
	LONG(S2R, "S2R", 0, 3, 0, 0, (M_0), (O_D, O_SR)),
	ROW(R2C, "R2C", 8, NRF_LONG | NRF_ANY, 1 | SUB(5), 0xf0000003ull | SUB(7), BIT(b(6)), (M_0),
	    (O_CR4, O_A)),
	LONG(R2A, "R2A", 0, 6, 0, 0, (M_0), (O_AD, O_A, O_R2ASH)),
	LONG(R2G, "R2G", 0, 7, 0, 0, (M_R2GSRC, M_R2GMEM, M_UNLOCK), (O_GST, O_R14)),
	/* 1: moves and loads */
	LONG(MOV, "MOV", 1, 0, 0, 0, (M_W26, M_SFU), (O_D26, O_A26, O_LANES)),
	LONG(MVC, "MVC", 1, 1, 0, 0, (M_0), (O_D26, O_CMEM)),
	LONG(G2R, "G2R", 1, 2, 0, 0, (M_G2RD, M_LOCK), (O_D26, O_GLD)),
	ROW(VOTE, "VOTE", 8, NRF_LONG | NRF_ANY | NRF_NOTEST, OPA(1) | SUB(3) | 1,
	    0xf0000003ull | SUB(7), BIT(b(6)), (M_VOTE), (O_CR4, O_CTEST)),
	/* 2-7: integer */
	LONG2(IADD, "IADD", 2, 0, CARRYS, CARRYS, (M_CARRY, M_W26, M_SAT27), (O_D26, O_A26, O_C26)),
	LONG2(IADD, "IADD", 2, 0, 0, 0, (M_MODE, M_W26, M_SAT27), (O_D26, O_AM26, O_CM26)),
	LONG(ISET, "ISET", 3, 3, 0, 0, (M_T2627), (O_D26, O_A26, O_B26, O_ICMP)),
	LONG(IMAX, "IMAX", 3, 4, 0, 0, (M_T2627), (O_D26, O_A26, O_B26)),
	LONG(IMIN, "IMIN", 3, 5, 0, 0, (M_T2627), (O_D26, O_A26, O_B26)),
	LONG(SHL, "SHL", 3, 6, BIT(b(20)), BIT(b(20)), (M_W26), (O_D26, O_A26, O_SHCNT)),
	LONG(SHL, "SHL", 3, 6, 0, BIT(b(20)), (M_W26), (O_D26, O_A26, O_B26)),
	LONG(SHR, "SHR", 3, 7, BIT(b(20)), BIT(b(20)), (M_T2627), (O_D26, O_A26, O_SHCNT)),
	LONG(SHR, "SHR", 3, 7, 0, BIT(b(20)), (M_T2627), (O_D26, O_A26, O_B26)),
	LONG(IMUL, "IMUL", 4, 0, 0, BIT(b(16)), (M_MUL16), (O_D, O_AH, O_BH)),
	LONG(IMUL, "IMUL", 4, 0, BIT(b(16)), BIT(b(16)), (M_MUL24), (O_D, O_A, O_B)),
	LONG(ISAD, "ISAD", 5, 0, 0, 0, (M_TSAD), (O_D, O_A26, O_B26, O_C)),
#define CARRYL (BIT(b(26)) | BIT(b(27)))
	LONGK(IMAD, "IMAD", 6, CARRYL, CARRYL, (M_CARRY, M_MAD16), (O_D, O_AH, O_BH, O_C)),
	LONGK(IMAD, "IMAD", 6, CARRYL, CARRYL, (M_CARRY, M_MAD24), (O_D, O_A, O_B, O_C)),
	LONGK(IMAD, "IMAD", 6, 0, 0, (M_MODE26, M_MAD16), (O_D, O_ALH, O_BH, O_CL)),
	LONGK(IMAD, "IMAD", 6, 0, 0, (M_MODE26, M_MAD24), (O_D, O_AL, O_B, O_CL)),
	LONGK(IMAD, "IMAD", 7, CARRYL, CARRYL, (M_CARRY, M_MADHI), (O_D, O_A, O_B, O_C)),
	LONGK(IMAD, "IMAD", 7, 0, 0, (M_MODE26, M_MADHI), (O_D, O_AL, O_B, O_CL)),
	/* 9: transcendental */
	LONG(RCP, "RCP", 9, 0, 0, 0, (M_0), (O_D, O_ASFU)),
	LONG(RSQ, "RSQ", 9, 2, 0, 0, (M_0), (O_D, O_ASFU)),
	LONG(LG2, "LG2", 9, 3, 0, 0, (M_0), (O_D, O_ASFU)),
	LONG(SIN, "SIN", 9, 4, 0, 0, (M_0), (O_D, O_A)),
	LONG(COS, "COS", 9, 5, 0, 0, (M_0), (O_D, O_A)),
	LONG(EX2, "EX2", 9, 6, 0, 0, (M_SAT27), (O_D, O_A)),
	/* 10: conversions */
	LONGP(I2I, "I2I", 10, 0, 0, 0, (M_I2IDT, M_IST), (O_D26, O_ACVT)),
	LONGP(I2F, "I2F", 10, 2, 0, BIT(b(22)), (M_FDT, M_IST, M_RND17), (O_D26, O_ACVT)),
	LONGP(I2F, "I2F", 10, 2, BIT(b(22)), BIT(b(22)), (M_FDT64, M_IST64, M_RND17),
	      (O_D, O_ACVTF)),
	LONGP(F2I, "F2I", 10, 4, 0, BIT(b(22)), (M_IDT, M_FST, M_RND17), (O_D26, O_ACVT)),
	LONGP(F2I, "F2I", 10, 4, BIT(b(22)), BIT(b(22)), (M_IDT64, M_FST64, M_RND17),
	      (O_D, O_ACVTF)),
	LONGP(F2F, "F2F", 10, 6, 0, BIT(b(22)), (M_FDT, M_FST, M_RNDF2F, M_INT27, M_SAT19),
	      (O_D26, O_ACVT)),
	LONGP(F2F, "F2F", 10, 6, BIT(b(22)), BIT(b(22)),
	      (M_FDT64, M_FST64, M_RNDF2F, M_INT27, M_SAT19), (O_D, O_ACVTF)),
	/* 11, 12, 14: floating point */
	LONGP(FADD, "FADD", 11, 0, 0, 0, (M_SAT29, M_RND16), (O_D, O_AN26, O_CN27)),
	LONG(FSET, "FSET", 11, 3, 0, 0, (M_0), (O_D, O_ANA, O_BNA, O_FCMP)),
	LONG(FMAX, "FMAX", 11, 4, 0, 0, (M_0), (O_D, O_ANA, O_BNA)),
	LONG(FMIN, "FMIN", 11, 5, 0, 0, (M_0), (O_D, O_ANA, O_BNA)),
	LONG(RRO, "RRO", 11, 6, 0, 0, (M_0), (O_D, O_ANA, O_RRO)),
	LONG(FMUL, "FMUL", 12, 0, 0, 0, (M_SAT20, M_RND14), (O_D, O_AN26, O_BN27)),
	LONGP(FCMP, "FCMP", 12, 2, 0, 0, (M_0), (O_D, O_A, O_B, O_CN29)),
	LONG(FSWZ, "FSWZ", 12, 4, 0, 0, (M_LANE), (O_D, O_A, O_RC14, O_SWZ)),
#define NOCONST (BIT(23) | BIT(24))
	LONGP(FMAD, "FMAD", 14, 0, 0, NOCONST, (M_SAT29, M_RND22), (O_D, O_AN26, O_B, O_CN27)),
	LONGP(FMAD, "FMAD", 14, 0, 0, 0, (M_SAT29), (O_D, O_AN26, O_B, O_CN27)),
	LONG(DFMA, "DFMA", 14, 2, 0, NOCONST, (M_RND22), (O_DD, O_DAN26, O_DB, O_DCN27)),
	LONG(DFMA, "DFMA", 14, 2, 0, 0, (M_0), (O_DD, O_DAN26, O_DB, O_DCN27)),
	LONG(DADD, "DADD", 14, 3, 0, 0, (M_RND16), (O_DD, O_DAN26, O_DCN27)),
	LONG(DMUL, "DMUL", 14, 4, 0, 0, (M_RND17), (O_DD, O_DAN26, O_DBN27)),
	LONG(DMIN, "DMIN", 14, 5, 0, 0, (M_0), (O_DD, O_DANA, O_DBNA)),
	LONG(DMAX, "DMAX", 14, 6, 0, 0, (M_0), (O_DD, O_DANA, O_DBNA)),
	LONG(DSET, "DSET", 14, 7, 0, 0, (M_0), (O_D, O_DANA, O_DBNA, O_FCMP)),
	/* 13: logic and memory */
	LONG(LOP, "LOP", 13, 0, 0, 0, (M_LOP14, M_W26), (O_D26, O_AINV, O_BINV)),
	LONG(ADA, "ADA", 13, 1, 0, 0, (M_0), (O_AD, O_AN, O_ADAOFF)),
	LONG(LLD, "LLD", 13, 2, 0, 0, (M_MEMT), (O_DREG, O_LOCAL)),
	LONG(LST, "LST", 13, 3, 0, 0, (M_MEMT), (O_LOCAL, O_DREG)),
	LONG(GLD, "GLD", 13, 4, 0, 0, (M_MEMT), (O_DREG, O_GLOB)),
	LONG(GST, "GST", 13, 5, 0, 0, (M_MEMT), (O_GLOB, O_DREG)),
	LONG(GRED, "GRED", 13, 6, 0, 0, (M_ATOM, M_MEMT), (O_GLOB, O_DREG)),
	LONG(GATOM, "GATOM", 13, 7, 0, 0, (M_CAS, M_MEMT), (O_DREG, O_GLOBA, O_R16, O_RC14)),
	LONG(GATOM, "GATOM", 13, 7, 0, 0, (M_ATOM, M_MEMT), (O_DREG, O_GLOBA, O_R16)),
/* 15: textures and no operation */
#define TEXROW(nm, sub)                                                                            \
	ROW(TEX, nm, 8, NRF_LONG | NRF_BARE, OPA(15) | SUB(sub) | 1, 0xf0000003ull | SUB(7), 0,    \
	    (M_TEXFETCH, M_TEXCUBE, M_TEXLIVE, M_TEXDERIV),                                        \
	    (O_DREG, O_TEX, O_SAMP, O_TEXDIM, O_TEXRG, O_TEXBA, O_TEXOFF))
	TEXROW("TEX", 0),
	TEXROW("TEX.LB", 1),
	TEXROW("TEX.LL", 2),
	TEXROW("TXQ", 3),
	TEXROW("TLD4", 4),
	ROW(NOP, "NOP.TRIG", 8, NRF_LONG | NRF_NOTEST, OPA(15) | SUB(7) | 1 | BIT(b(2)),
	    0xf0000003ull | SUB(7) | BIT(b(2)), 0, (M_0), (O_TRIGN)),
	ROW(NOP, "NOP", 8, NRF_LONG | NRF_NOTEST, OPA(15) | SUB(7) | 1, 0xf0000003ull | SUB(7), 0,
	    (M_0), (O_0)),
	/* control */
	CTRL(KIL, "KIL", 0, T, 0, 0, (M_0), (O_0)),
	CTRL(BRA, "BRA", 1, T, 0, 0, (M_0), (O_TARGET)),
	CTRL(CAL, "CAL", 2, 0, 0, 0, (M_NOINC), (O_TARGET)),
	CTRL(RET, "RET", 3, T, 0, 0, (M_0), (O_0)),
	CTRL(PBK, "PBK", 4, 0, 0, 0, (M_0), (O_TARGET)),
	CTRL(BRK, "BRK", 5, T, 0, 0, (M_0), (O_0)),
	CTRL(SAM, "SAM", 6, 0, 0, 0, (M_0), (O_0)),
	CTRL(RAM, "RAM", 7, 0, 0, 0, (M_0), (O_0)),
	CTRL(BAR, "BAR", 8, 0, 0, BIT(b(14)), (M_ARV, M_WAIT), (O_BARN, O_BARM)),
	CTRL(BAR, "BAR", 8, 0, BIT(b(14)), BIT(b(14)), (M_ARV, M_WAIT), (O_BARN)),
	CTRL(BPT, "BPT.TRAP", 9, 0, 0, 0, (M_0), (O_0)),
	CTRL(SSY, "SSY", 10, 0, 0, 0, (M_0), (O_TARGET)),
	CTRL(BPT, "BPT", 11, 0, 0, 0, (M_0), (O_0)),
	CTRL(BRX, "BRX", 12, T, 0, 0, (M_0), (O_CBRX)),
	CTRL(PRET, "PRET", 13, 0, 0, 0, (M_0), (O_TARGET)),
};

const struct native_tab tesla_tab = {NATIVE_TESLA, "Tesla (sm_10 to sm_13)",
				     rows,         sizeof(rows) / sizeof(*rows),
				     mods,         opf,
				     tesla_get,    tesla_put,
				     tesla_finish, tesla_sreg};
