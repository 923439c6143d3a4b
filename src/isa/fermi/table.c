/* The Fermi ISA: every instruction as one row. See isa/table.h for the columns and fermi/operand.c
 * for the operand kinds. Order matters in two places only: rows that share match bits are told
 * apart by their mask, and the assembler takes the first row that fits. */
#include "isa/fermi/fermi.h"

/* name, meaning, bits (low piece, high piece), flags, texts by code */
#define FERMI_MODS(X)                                                                              \
	X(FTZ5, NM_FTZ, 5, 1, 0, 0, 0, "", ".FTZ")                                                 \
	X(FTZ55, NM_FTZ, 55, 1, 0, 0, 0, "", ".FTZ")                                               \
	X(FTZ59, NM_FTZ, 59, 1, 0, 0, 0, "", ".FTZ")                                               \
	X(FMZ6, NM_FTZ, 6, 2, 0, 0, 0, "", ".FTZ", ".FMZ", NULL)                                   \
	X(RND55, NM_RND, 55, 2, 0, 0, 0, "", ".RM", ".RP", ".RZ")                                  \
	X(RND49, NM_RND, 49, 2, 0, 0, 0, "", ".RM", ".RP", ".RZ")                                  \
	X(RNDI49, NM_RND, 49, 2, 0, 0, 0, "", ".FLOOR", ".CEIL", ".TRUNC")                         \
	X(RNDF2F, NM_RND, 49, 2, 7, 1, 0, "", ".RM", ".RP", ".RZ", ".ROUND", ".FLOOR", ".CEIL",    \
	  ".TRUNC")                                                                                \
	X(SAT5, NM_SAT, 5, 1, 0, 0, 0, "", ".SAT")                                                 \
	X(SAT9, NM_SAT, 9, 1, 0, 0, 0, "", ".SAT")                                                 \
	X(SAT49, NM_SAT, 49, 1, 0, 0, 0, "", ".SAT")                                               \
	X(SAT56, NM_SAT, 56, 1, 0, 0, 0, "", ".SAT")                                               \
	X(ICMP, NM_CMP, 55, 3, 0, 0, 0, ".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T")      \
	X(VCMP, NM_CMP, 7, 3, 0, 0, 0, ".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T")       \
	X(FCMP, NM_CMP, 55, 4, 0, 0, 0, ".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".NUM",    \
	  ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".T")                            \
	X(CCT20, NM_CMP, 20, 5, 0, 0, 0, ".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".NUM",   \
	  ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".T", ".OFF", ".LO", ".SFF",     \
	  ".LS", ".HI", ".SFT", ".HS", ".OFT", ".CSM_TA", ".CSM_TR", ".CSM_MX", ".FCSM_TA",        \
	  ".FCSM_TR", ".FCSM_MX", ".RLE", ".RGT")                                                  \
	X(LOG53, NM_LOGIC, 53, 2, 0, 0, 0, ".AND", ".OR", ".XOR", NULL)                            \
	X(LOG30, NM_LOGIC2, 30, 2, 0, 0, 0, ".AND", ".OR", ".XOR", NULL)                           \
	X(LOG25, NM_LOGIC, 25, 2, 0, 0, 0, ".AND", ".OR", ".XOR", NULL)                            \
	X(LOP6, NM_LOGIC, 6, 2, 0, 0, 0, ".AND", ".OR", ".XOR", ".PASS_B")                         \
	X(BF5, NM_BF, 5, 1, 0, 0, 0, "", ".BF")                                                    \
	X(BF7, NM_BF, 7, 1, 0, 0, 0, "", ".BF")                                                    \
	X(X5, NM_X, 5, 1, 0, 0, 0, "", ".X")                                                       \
	X(X6, NM_X, 6, 1, 0, 0, 0, "", ".X")                                                       \
	X(X55, NM_X, 55, 1, 0, 0, 0, "", ".X")                                                     \
	X(XSHR, NM_X, 6, 2, 0, 0, 0, "", NULL, ".X", ".XHI")                                       \
	X(XMNMX, NM_X, 6, 2, 0, 0, 0, "", ".XLO", ".XMED", ".XHI")                                 \
	X(PO8, NM_PO, 8, 2, 0, 0, 0, "", "", "", ".PO")                                            \
	X(PO7, NM_PO, 7, 2, 0, 0, 0, "", "", "", ".PO")                                            \
	X(PO55, NM_PO, 55, 2, 0, 0, 0, "", "", "", ".PO")                                          \
	X(U32, NM_SIGN, 5, 1, 0, 0, 0, ".U32", "")                                                 \
	X(TYPES, NM_TYPES, 5, 1, 7, 1, 0, ".U32.U32", ".U32.S32", ".S32.U32", "")                  \
	X(HI6, NM_HI, 6, 1, 0, 0, 0, "", ".HI")                                                    \
	X(SCALE, NM_SCALE, 49, 3, 0, 0, 0, "", ".D2", ".D4", ".D8", ".M8", ".M4", ".M2", NULL)     \
	X(MUFU, NM_FN, 26, 4, 0, 0, 0, ".COS", ".SIN", ".EX2", ".LG2", ".RCP", ".RSQ", ".RCP64H",  \
	  ".RSQ64H", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)                               \
	X(RRO, NM_FN, 5, 1, 0, 0, 0, ".SINCOS", ".EX2")                                            \
	X(W9, NM_WRAP, 9, 1, 0, 0, NMF_WRAP, "", ".W")                                             \
	X(W7, NM_WRAP, 7, 1, 0, 0, NMF_WRAP, "", ".W")                                             \
	X(BREV8, NM_BREV, 8, 1, 0, 0, 0, "", ".BREV")                                              \
	X(SH6, NM_SH, 6, 1, 0, 0, 0, "", ".SH")                                                    \
	X(PRMT, NM_MODE, 5, 3, 0, 0, 0, "", ".F4E", ".B4E", ".RC8", ".ECL", ".ECR", ".RC16", NULL) \
	X(FDT, NM_DT, 20, 2, 0, 0, 0, NULL, ".F16", ".F32", ".F64")                                \
	X(FST, NM_ST, 23, 2, 0, 0, 0, NULL, ".F16", ".F32", ".F64")                                \
	X(IDT, NM_DT, 20, 2, 7, 1, 0, ".U8", ".U16", ".U32", ".U64", ".S8", ".S16", ".S32",        \
	  ".S64")                                                                                  \
	X(IST, NM_ST, 23, 2, 9, 1, 0, ".U8", ".U16", ".U32", ".U64", ".S8", ".S16", ".S32",        \
	  ".S64")                                                                                  \
	X(H1_5, NM_H1, 5, 1, 0, 0, 0, "", ".H1")                                                   \
	X(TRIG, NM_TRIG, 50, 1, 0, 0, 0, "", ".TRIG")                                              \
	X(NOPUNIT, NM_KIND, 46, 4, 0, 0, 0, "", ".FMA64", ".FMA32", ".XLU", ".ALU", ".AGU", ".SU", \
	  ".FU", ".FMUL", NULL, NULL, NULL, NULL, NULL, NULL, NULL)                                \
	X(VOTE, NM_MODE, 5, 2, 0, 0, 0, ".ALL", ".ANY", ".EQ", NULL)                               \
	X(BARRED, NM_MODE, 5, 2, 0, 0, 0, ".POPC", ".AND", ".OR", NULL)                            \
	X(MEMBAR, NM_MODE, 5, 2, 0, 0, 0, ".CTA", ".GL", ".SYS", NULL)                             \
	X(B2R, NM_KIND, 8, 2, 0, 0, 0, "", ".XLU", ".ALU", NULL)                                   \
	X(SIZE, NM_SIZE, 5, 3, 0, 0, 0, ".U8", ".S8", ".U16", ".S16", "", ".64", ".128", NULL)     \
	X(LDCOP, NM_COP, 8, 2, 0, 0, 0, "", ".CG", ".CS", ".CV")                                   \
	X(LDLCOP, NM_COP, 8, 2, 0, 0, 0, "", ".CG", ".LU", ".CV")                                  \
	X(STCOP, NM_COP, 8, 2, 0, 0, 0, "", ".CG", ".CS", ".WT")                                   \
	X(E58, NM_E, 58, 1, 0, 0, 0, "", ".E")                                                     \
	X(ATOMOP, NM_MODE, 5, 4, 0, 0, 0, ".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR",   \
	  ".XOR", ".EXCH", NULL, NULL, NULL, NULL, NULL, NULL, NULL)                               \
	X(REDOP, NM_MODE, 5, 4, 0, 0, 0, ".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR",    \
	  ".XOR", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)                                  \
	X(CASOP, NM_MODE, 5, 4, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,     \
	  ".CAS", NULL, NULL, NULL, NULL, NULL, NULL)                                              \
	X(ATOMT, NM_DT, 9, 1, 59, 3, 0, NULL, NULL, NULL, NULL, "", ".U64", NULL, ".S32", NULL,    \
	  NULL, NULL, ".F32.FTZ.RN", NULL, NULL, NULL, NULL)                                       \
	X(CCTLOP, NM_MODE, 5, 3, 0, 0, 0, ".QRY1", ".PF1", ".PF1_5", ".PR2", ".WB", ".IV",         \
	  ".IVALL", ".RS")                                                                         \
	X(CCTLK, NM_KIND, 26, 2, 0, 0, 0, "", ".U", ".C", ".I")                                    \
	X(LDCM, NM_MODE, 8, 2, 0, 0, 0, "", ".IL", ".IS", ".ISL")                                  \
	X(LDLDU, NM_SIZE, 53, 5, 0, 0, 0, ".U8.U8", ".U8.S8", ".U8.U16", ".U8.S16", ".U8.32",      \
	  ".S8.U8", ".S8.S8", ".S8.U16", ".S8.S16", ".S8.32", ".U16.U8", ".U16.S8", ".U16.U16",    \
	  ".U16.S16", ".U16.32", ".S16.U8", ".S16.S8", ".S16.U16", ".S16.S16", ".S16.32",          \
	  ".32.U8", ".32.S8", ".32.U16", ".32.S16", ".32.32", ".32.64", ".32.128", ".64.32",       \
	  ".64.64", ".64.128", ".128.32", ".128.64")                                               \
	X(E59F, NM_E, 59, 1, 0, 0, NMF_FULL, "", ".E")                                             \
	X(E58F, NM_E2, 58, 1, 0, 0, NMF_FULL, "", ".EU")                                           \
	X(BRAU, NM_U, 15, 1, 0, 0, 0, "", ".U")                                                    \
	X(LMT, NM_LMT, 16, 1, 0, 0, 0, "", ".LMT")                                                 \
	X(NOINC, NM_NOINC, 16, 1, 0, 0, 0, ".NOINC", "")                                           \
	X(BPT, NM_MODE, 14, 2, 0, 0, 0, ".DRAIN", ".CAL", ".PAUSE", ".TRAP")                       \
	X(UD, NM_UD, 42, 1, 0, 0, 0, ".UD", "")                                                    \
	X(UD57, NM_UD, 57, 1, 0, 0, 0, ".UD", "")                                                  \
	X(VTYPES, NM_TYPES, 5, 2, 0, 0, NMF_VTYPES, "")                                            \
	X(VTYPES8, NM_TYPES, 5, 2, 0, 0, 0, ".U8.U8", ".U8.S8", ".S8.U8", "")                      \
	X(VTYPES16, NM_TYPES, 5, 2, 0, 0, 0, ".U16.U16", ".U16.S16", ".S16.U16", "")               \
	X(VSEC, NM_SEC, 55, 3, 0, 0, 0, ".MRG_16H", ".MRG_16L", ".MRG_8B0", ".MRG_8B2", ".ACC",    \
	  ".MIN", ".MAX", "")                                                                      \
	X(VSEC44, NM_SEC, 44, 3, 0, 0, 0, "", ".SIMD_MIN", ".SIMD_MAX", NULL, ".ACC", ".MIN",      \
	  ".MAX", NULL)                                                                            \
	X(VAVG, NM_PO, 7, 2, 0, 0, 0, "", "", "", ".AVG")                                          \
	X(MX7, NM_MODE, 7, 1, 0, 0, 0, "", ".MX")                                                  \
	X(VSHRN, NM_SH, 55, 2, 0, 0, 0, "", ".SHR_7", ".SHR_15", NULL)                             \
	X(LANE, NM_LANE, 6, 3, 0, 0, 0, ".0000", ".1111", ".2222", ".3333", ".1032", ".2301",      \
	  NULL, NULL)                                                                              \
	X(NDV9, NM_NDV, 9, 1, 0, 0, 0, "", ".NDV")                                                 \
	X(NDV45, NM_NDV, 45, 1, 0, 0, 0, "", ".NDV")                                               \
	X(NODEP, NM_NODEP, 9, 1, 0, 0, 0, "", ".NODEP")                                            \
	X(TEXI, NM_IND, 50, 1, 0, 0, 0, "", ".I")                                                  \
	X(LOD, NM_LOD, 57, 3, 0, 0, 0, "", ".LZ", ".LB", ".LL", NULL, NULL, ".LBA", ".LLA")        \
	X(LODF, NM_LOD, 57, 1, 0, 0, 0, ".LZ", ".LL")                                              \
	X(DC, NM_DC, 56, 1, 0, 0, 0, "", ".DC")                                                    \
	X(AOFFI, NM_AOFFI, 54, 2, 0, 0, 0, "", ".AOFFI", ".PTP", NULL)                             \
	X(AOFFI54, NM_AOFFI, 54, 1, 0, 0, 0, "", ".AOFFI")                                         \
	X(MS, NM_MS, 55, 1, 0, 0, 0, "", ".MS")                                                    \
	X(CL, NM_CL, 56, 1, 0, 0, 0, "", ".CL")                                                    \
	X(PHASE, NM_PHASE, 7, 2, 0, 0, 0, "", ".T", ".P", NULL)                                    \
	X(TLD4C, NM_MODE, 5, 2, 0, 0, 0, ".R", ".G", ".B", ".A")                                   \
	X(TXQ, NM_MODE, 54, 6, 0, 0, 0, ".DIM", ".TYPE", ".SMP_POS", NULL, NULL, NULL, NULL, NULL, \
	  ".FILTER", ".LOD", ".WRAP", ".BORDER_COLOUR")                                            \
	X(SUDIM, NM_DIM, 44, 2, 0, 0, 0, ".1D", ".2D", ".3D", ".E2D")                              \
	X(SUCLAMP, NM_CLAMP, 47, 2, 0, 0, 0, ".IGN", "", ".TRAP", NULL)                            \
	X(SUQ, NM_MODE, 5, 3, 0, 0, 0, ".RANK", ".PIXFMT", ".SMPLSZ", ".DIM", ".RGBA", ".BLKSZ",   \
	  NULL, NULL)                                                                              \
	/* 4-byte forms: codes of NM_DT, NM_ST are their own, see the texts */                     \
	X(SRRO, NM_FN, 26, 1, 0, 0, 0, ".SINCOS", ".EX2")                                          \
	X(SDT, NM_DT, 20, 2, 0, 0, 0, ".U16", ".S16", ".U32", ".S32")                              \
	X(SST, NM_ST, 24, 1, 9, 1, 0, ".U16", ".U32", ".S16", ".S32")                              \
	X(SI2F, NM_ST, 24, 1, 0, 0, 0, ".F32.U32", ".F32.S32")                                     \
	X(SF2I, NM_DT, 24, 1, 0, 0, 0, ".U32.F32", ".S32.F32")                                     \
	X(SRND, NM_RND, 20, 2, 0, 0, 0, "", ".RM", ".RP", ".RZ")                                   \
	X(SRNDI, NM_RND, 20, 2, 0, 0, 0, "", ".FLOOR", ".CEIL", ".TRUNC")                          \
	X(SRNDF, NM_RND, 20, 2, 0, 0, 0, ".ROUND", ".FLOOR", ".CEIL", ".TRUNC")                    \
	X(SCMP, NM_CMP, 14, 3, 0, 0, 0, ".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T")      \
	X(SFCMP, NM_CMP, 14, 3, 7, 1, 0, ".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".NUM",   \
	  ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".T")                            \
	X(SMUL, NM_TYPES, 6, 1, 0, 0, 0, ".U32.U32", "")                                           \
	X(SMAD, NM_TYPES, 5, 1, 0, 0, 0, ".U32.U32", "")                                           \
	X(SE, NM_E, 6, 1, 0, 0, 0, "", ".E")                                                       \
	X(S64, NM_KIND, 0, 0, 0, 0, 0, ".64")                                                      \
	X(SLOP, NM_LOGIC, 5, 2, 0, 0, 0, ".AND", ".OR", ".XOR", ".PASS_B")                         \
	X(SBRAU, NM_U, 28, 1, 0, 0, 0, "", ".U")                                                   \
	X(SLMT, NM_LMT, 29, 1, 0, 0, 0, "", ".LMT")

enum {
	M_0,
#define X(n, ...) M_##n,
	FERMI_MODS(X)
#undef X
};
#define X(n, id, lo, w, lo2, w2, fl, ...) static const char *const v_##n[] = {__VA_ARGS__};
FERMI_MODS(X)
#undef X
static const struct nmodf mods[] = {[M_0] = {0},
#define X(n, id, lo, w, lo2, w2, fl, ...)                                                          \
	[M_##n] = {id, lo, w, lo2, w2, fl, sizeof(v_##n) / sizeof(*v_##n), v_##n},
				    FERMI_MODS(X)
#undef X
};

static const char *const geometry[] = {"1D", "ARRAY_1D", "2D",   "ARRAY_2D",
				       "3D", "ARRAY_3D", "CUBE", "ARRAY_CUBE"};

#define SGN2 .neg = 8, .abs = 6
#define ADDA .neg = 9, .xneg = 8
#define ADDB .neg = 8, .xneg = 9
#define FERMI_OPS(X)                                                                               \
	X(D, FK_REG, .lo = 14, .doc = "D")                                                         \
	X(DC, FK_REG, .lo = 14, .cc = 48, .doc = "D{.CC}")                                         \
	X(DC58, FK_REG, .lo = 14, .cc = 58, .doc = "D{.CC}")                                       \
	X(DD, FK_REG, .lo = 14, .width = 2, .doc = "D")                                            \
	X(DDC, FK_REG, .lo = 14, .cc = 48, .width = 2, .doc = "D{.CC}")                            \
	X(A, FK_REG, .lo = 20, .doc = "A")                                                         \
	X(ANA, FK_REG, .lo = 20, .neg = 9, .abs = 7, .doc = "{-}{|}A")                             \
	X(AN, FK_REG, .lo = 20, .neg = 9, .doc = "{-}A")                                           \
	X(AADD, FK_REG, .lo = 20, ADDA, .doc = "{-}A")                                             \
	X(ASC, FK_REG, .lo = 20, .neg = 56, .xneg = 55, .doc = "{-}A")                             \
	X(AINV, FK_REG, .lo = 20, .inv = 9, .doc = "{~}A")                                         \
	X(DANA, FK_REG, .lo = 20, .neg = 9, .abs = 7, .width = 2, .doc = "{-}{|}A")                \
	X(DAN, FK_REG, .lo = 20, .neg = 9, .width = 2, .doc = "{-}A")                              \
	X(B, FK_SRC2, .imm = IMM_S, .doc = "B")                                                    \
	X(BADD, FK_SRC2, .imm = IMM_S, ADDB, .doc = "{-}B")                                        \
	X(BSC, FK_SRC2, .imm = IMM_S, .neg = 55, .xneg = 56, .doc = "{-}B")                        \
	X(BINV, FK_SRC2, .imm = IMM_S, .inv = 8, .doc = "{~}B")                                    \
	X(BI, FK_SRC2, .imm = IMM_S, SGN2, .doc = "{-}{|}B")                                       \
	X(BIS, FK_SRC2SEL, .imm = IMM_S, SGN2, .doc = "{-}{|}B{.Bn}")                              \
	X(BF, FK_SRC2, .imm = IMM_F32_20, SGN2, .doc = "{-}{|}B")                                  \
	X(BFP, FK_SRC2, .imm = IMM_F32_20, .doc = "B")                                             \
	X(BFN57, FK_SRC2, .imm = IMM_F32_20, .neg = 57, .doc = "{-}B")                             \
	X(BFCVT, FK_SRC2F, .imm = IMM_F32_20, SGN2, .doc = "{-}{|}B")                              \
	X(BD, FK_SRC2, .imm = IMM_F64_20, SGN2, .width = 2, .doc = "{-}{|}B")                      \
	X(BDP, FK_SRC2, .imm = IMM_F64_20, .width = 2, .doc = "B")                                 \
	X(B3, FK_B3, .imm = IMM_S, .doc = "B")                                                     \
	X(B3F, FK_B3, .imm = IMM_F32_20, .doc = "B")                                               \
	X(B3D, FK_B3, .imm = IMM_F64_20, .width = 2, .doc = "B")                                   \
	X(C3, FK_C3, .doc = "C")                                                                   \
	X(C3N, FK_C3, .neg = 8, .doc = "{-}C")                                                     \
	X(C3ADD, FK_C3, ADDB, .doc = "{-}C")                                                       \
	X(C3DN, FK_C3, .neg = 8, .width = 2, .doc = "{-}C")                                        \
	X(CREG, FK_REG, .lo = 49, .doc = "C")                                                      \
	X(ACCN, FK_ECHO, .neg = 8, .doc = "{-}D")                                                  \
	X(ACCADD, FK_ECHO, ADDB, .doc = "{-}D")                                                    \
	X(IMM32S, FK_IMM, .lo = 26, .w = 32, .imm = IMM_S, .doc = "imm32")                         \
	X(IMM32ADD, FK_IMM, .lo = 26, .w = 32, .imm = IMM_S, ADDB, .doc = "imm32{.NEG}")           \
	X(IMM32U, FK_IMM, .lo = 26, .w = 32, .imm = IMM_U, .doc = "imm32")                         \
	X(IMM32INV, FK_IMM, .lo = 26, .w = 32, .imm = IMM_U, .inv = 8, .doc = "imm32{.INV}")       \
	X(IMM32F, FK_IMM, .lo = 26, .w = 32, .imm = IMM_F32, .doc = "imm32")                       \
	X(IMM32FS, FK_IMM, .lo = 26, .w = 32, .imm = IMM_F32, SGN2, .doc = "imm32{.ABS}{.NEG}")    \
	X(SHIFT5, FK_IMM, .lo = 5, .w = 5, .doc = "n")                                             \
	X(LANES, FK_IMM, .lo = 5, .w = 4, .flags = NOF_OPT, .def = 15, .doc = "lanes")             \
	X(SWZ, FK_IMM, .lo = 32, .w = 8, .doc = "ops")                                             \
	X(P17, FK_PRED, .lo = 17, .doc = "P")                                                      \
	X(P14, FK_PRED, .lo = 14, .doc = "Q")                                                      \
	X(PS49, FK_PRED, .lo = 49, .neg = 52, .doc = "{!}S")                                       \
	X(PA20, FK_PRED, .lo = 20, .neg = 23, .doc = "{!}A")                                       \
	X(PB26, FK_PRED, .lo = 26, .neg = 29, .doc = "{!}B")                                       \
	X(PB14, FK_PRED, .lo = 14, .neg = 24, .doc = "{!}B")                                       \
	X(P54, FK_PRED, .lo = 54, .doc = "P")                                                      \
	X(P50, FK_PRED, .lo = 50, .doc = "P")                                                      \
	X(P8, FK_PRED, .lo = 8, .sz = 58, .doc = "P")                                              \
	X(PB53, FK_PRED, .lo = 53, .flags = NOF_OPT, .def = 7, .doc = "P")                         \
	X(PB49, FK_PRED, .lo = 49, .neg = 52, .flags = NOF_OPT, .def = 7, .doc = "{!}S")           \
	X(SR, FK_SREG, .lo = 26, .w = 8, .doc = "SR_x")                                            \
	X(PR, FK_PR, .doc = "PR")                                                                  \
	X(CC, FK_CC, .doc = "CC")                                                                  \
	X(CCT, FK_CCT, .lo = 5, .flags = NOF_OPT, .def = 15, .doc = "CC.test")                     \
	X(CCTNOP, FK_CCT, .lo = 5, .flags = NOF_OPT | NOF_CUDA4, .def = 15, .doc = "CC.test")      \
	X(EVENT, FK_IMM, .lo = 26, .w = 16, .flags = NOF_OPT, .def = 0, .doc = "mask")             \
	X(BAR6, FK_IMM, .lo = 20, .w = 6, .doc = "n")                                              \
	X(BARID, FK_BARREG, .lo = 20, .w = 4, .sz = 47, .doc = "bar")                              \
	X(BARCNT, FK_BARREG, .lo = 26, .w = 12, .sz = 46, .flags = NOF_OPT, .def = 63,             \
	  .doc = "count")                                                                          \
	X(BARCNTM, FK_BARREG, .lo = 26, .w = 12, .sz = 46, .doc = "count")                         \
	X(MEM32, FK_MEM, .lo = 26, .w = 32, .space = NS_GENERIC, .doc = "[A+off32]")               \
	X(MEM24S, FK_MEM, .lo = 26, .w = 24, .space = NS_SHARED, .doc = "[A+off24]")               \
	X(MEM24L, FK_MEM, .lo = 26, .w = 24, .space = NS_LOCAL, .doc = "[A+off24]")                \
	X(MEMATOM, FK_MEMATOM, .space = NS_GENERIC, .doc = "[A+off20]")                            \
	X(MEMCCTL, FK_MEMCCTL, .space = NS_GENERIC, .doc = "[A+off32]")                            \
	X(MEMLD, FK_MEMLD, .space = NS_GENERIC, .doc = "[A+off]")                                  \
	X(MEMLDS, FK_MEMLD, .space = NS_SHARED, .doc = "[A+off]")                                  \
	X(MEMLDU, FK_MEMLDU, .space = NS_GENERIC, .doc = "[B+off]")                                \
	X(R32, FK_REG, .lo = 32, .doc = "R1")                                                      \
	X(R43, FK_REG, .lo = 43, .doc = "D")                                                       \
	X(R49OPT, FK_REG, .lo = 49, .flags = NOF_OPT, .def = 63, .doc = "T")                       \
	X(R26OPT, FK_REG, .lo = 26, .flags = NOF_OPT, .def = 63, .doc = "B")                       \
	X(LDC, FK_LDC, .doc = "c [bank] [A+off16]")                                                \
	X(REL, FK_TARGET, .lo = 26, .w = 24, .doc = "target")                                      \
	X(ABS, FK_ABSTARGET, .lo = 26, .w = 32, .doc = "target")                                   \
	X(CTGT, FK_CTARGET, .doc = "c [bank] [off]")                                               \
	X(CTGTX, FK_CTARGETX, .doc = "c [bank] [A+off]")                                           \
	X(RELOFF, FK_IMM, .lo = 26, .w = 24, .imm = IMM_S, .flags = NOF_SPACE, .doc = "off")       \
	X(IMM32J, FK_IMM, .lo = 26, .w = 32, .imm = IMM_U, .doc = "abs")                           \
	X(BPTN, FK_IMM, .lo = 26, .w = 20, .imm = IMM_U, .doc = "n")                               \
	X(VA, FK_VA, ADDA, .doc = "{-}A{.sel}")                                                    \
	X(VAADD, FK_VA, .neg = 8, .xneg = 7, .doc = "{-}A{.sel}")                                  \
	X(VAPLAIN, FK_VA, .doc = "A{.sel}")                                                        \
	X(VB, FK_VB, .doc = "B{.sel}")                                                             \
	X(VBADD, FK_VB, .neg = 7, .xneg = 8, .doc = "{-}B{.sel}")                                  \
	X(VCMAD, FK_REG, .lo = 49, .neg = 7, .xneg = 8, .doc = "{-}C")                             \
	X(VA4, FK_REG, .lo = 20, .neg = 8, .xneg = 7, .doc = "{-}A")                               \
	X(VB4ADD, FK_VBS, .w = 8, .neg = 7, .xneg = 8, .doc = "{-}B")                              \
	X(VB2ADD, FK_VBS, .w = 16, .neg = 7, .xneg = 8, .doc = "{-}B")                             \
	X(VB4, FK_VBS, .w = 8, .doc = "B")                                                         \
	X(VB2, FK_VBS, .w = 16, .doc = "B")                                                        \
	X(VMASK4, FK_VMASK, .w = 4, .doc = "lanes")                                                \
	X(VMASK2, FK_VMASK, .w = 2, .doc = "lanes")                                                \
	X(VSELAB, FK_IMM, .lo = 36, .w = 8, .doc = "selectors")                                    \
	X(VSEL2, FK_VSEL2, .doc = "selectors")                                                     \
	X(TEXN, FK_IMM, .lo = 32, .w = 8, .doc = "tex")                                            \
	X(SAMP, FK_IMM, .lo = 40, .w = 5, .doc = "samp")                                           \
	X(GEOM, FK_WORD, .lo = 51, .w = 3, .nwords = 8, .words = geometry, .doc = "geom")          \
	X(TMASK, FK_IMM, .lo = 46, .w = 4, .doc = "mask")                                          \
	X(SURF, FK_SURF, .doc = "surf")                                                            \
	X(SUMASK, FK_IMM, .lo = 49, .w = 4, .doc = "mask")                                         \
	X(SUADDR, FK_SUADDR, .doc = "[A]")                                                         \
	X(SSR, FK_SREG, .lo = 20, .w = 8, .doc = "SR_x")                                           \
	X(SBAR, FK_BARREG, .lo = 20, .w = 4, .sz = 26, .doc = "bar")                               \
	X(AABS30, FK_REG, .lo = 20, .abs = 30, .doc = "{|}A")                                      \
	X(AN4, FK_REG, .lo = 20, .neg = 4, .doc = "{-}A")                                          \
	X(AN6, FK_REG, .lo = 20, .neg = 6, .doc = "{-}A")                                          \
	X(AN7, FK_REG, .lo = 20, .neg = 7, .doc = "{-}A")                                          \
	X(SCNT, FK_IMM, .lo = 26, .w = 5, .doc = "n")                                              \
	X(DC23, FK_REG, .lo = 14, .cc = 23, .doc = "D{.CC}")                                       \
	X(SCVT, FK_REG, .lo = 26, .neg = 22, .abs = 25, .doc = "{-}{|}B")                          \
	X(R26, FK_REG, .lo = 26, .doc = "B")                                                       \
	X(R8, FK_REG, .lo = 8, .doc = "C")                                                         \
	X(SIMM12, FK_IMM, .lo = 20, .w = 12, .imm = IMM_S, .doc = "imm12")                         \
	X(SIMM12H, FK_IMM, .lo = 20, .w = 12, .sz = 20, .doc = "imm12 << 20")                      \
	X(SS20, FK_SS2, .lo = 8, .w = 20, .doc = "A")                                              \
	X(SS2, FK_SS2, .lo = 8, .w = 26, .doc = "B")                                               \
	X(SS26, FK_SS2, .lo = 6, .w = 26, .doc = "B")                                              \
	X(SIMM, FK_SIMM, .doc = "imm8")                                                            \
	X(SML4, FK_SMEM, .w = 2, .space = NS_LOCAL, .doc = "[A+off8]")                             \
	X(SML8, FK_SMEM, .w = 3, .space = NS_LOCAL, .doc = "[A+off8]")                             \
	X(SMS4, FK_SMEM, .w = 2, .space = NS_SHARED, .doc = "[A+off8]")                            \
	X(SMS8, FK_SMEM, .w = 3, .space = NS_SHARED, .doc = "[A+off8]")                            \
	X(SMG4, FK_SMEM, .w = 2, .space = NS_GENERIC, .doc = "[A+off8]")                           \
	X(SMG8, FK_SMEM, .w = 3, .space = NS_GENERIC, .doc = "[A+off8]")                           \
	X(SLDC, FK_SLDC, .doc = "c [bank] [A+off8]")                                               \
	X(SREL14, FK_STARGET, .lo = 14, .w = 14, .doc = "target")                                  \
	X(SREL22, FK_STARGET, .lo = 6, .w = 22, .doc = "target")

enum {
	O_0,
#define X(n, ...) O_##n,
	FERMI_OPS(X)
#undef X
};
static const struct nopf opf[] = {[O_0] = {0},
#define X(n, k, ...) [O_##n] = {.kind = k, __VA_ARGS__},
				  FERMI_OPS(X)
#undef X
};

#define M(...)                                                                                     \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define GP   (NRF_GUARD | NRF_POP)
#define TOP5 0xf80000000000000full
#define TOP6 0xfc0000000000000full
#define PTS  (7ull << 49)
#define ROW(o, nm, ma, mk, se, fl, mo, op)                                                         \
	{                                                                                          \
		NI_##o, 8, fl, nm, ma, mk, se, mo, op                                              \
	}
/* 5-bit and 6-bit opcodes with a category; X: with more fixed bits. */
#define R5(o, o5, cat, mo, op) ROW(o, #o, (uint64_t)(o5) << 59 | (cat), TOP5, 0, GP, M mo, M op)
#define R6(o, o6, cat, mo, op) ROW(o, #o, (uint64_t)(o6) << 58 | (cat), TOP6, 0, GP, M mo, M op)
#define RX(o, nm, top, cat, xm, mk, se, mo, op)                                                    \
	ROW(o, nm, (uint64_t)(top) << 32 | (cat) | (xm), mk, se, GP, M mo, M op)
#define BIT(n) (1ull << (n))
/* Control: bit 14 says that the target is in constant memory, bit 4 is no .S. */
#define TOPC 0xf80000000000001full
#define C5(o, nm, o5, fl, xm, xmk, se, mo, op)                                                     \
	ROW(o, nm, (uint64_t)(o5) << 59 | 7 | (xm), TOPC | (xmk), se, fl, M mo, M op)
#define CTEST (15ull << 5)

#define TEXMODS M_TEXI, M_LOD, M_DC, M_NDV45, M_NODEP, M_AOFFI, M_PHASE

static const struct native_row rows[] = {
	/* 0: single precision */
	R5(FMNMX, 1, 0, (M_FTZ5), (O_DC, O_ANA, O_BF, O_PS49)),
	RX(FSET, "FSET", 0x10000000u, 0, 0, 0xf00000000000000full, 0,
	   (M_BF5, M_FCMP, M_FTZ59, M_LOG53), (O_DC, O_ANA, O_BF, O_PS49)),
	RX(FSETP, "FSETP", 0x20000000u, 0, 0, 0xf00000000000000full, 0, (M_FCMP, M_FTZ59, M_LOG53),
	   (O_P17, O_P14, O_ANA, O_BF, O_PS49)),
	R5(FFMA, 6, 0, (M_FMZ6, M_RND55, M_SAT5), (O_DC, O_AN, O_B3F, O_C3N)),
	R5(FCMP, 7, 0, (M_FCMP, M_FTZ5), (O_DC, O_A, O_B3F, O_C3)),
	R5(FSWZ, 9, 0, (M_LANE, M_FTZ5, M_NDV9, M_RND55), (O_DC, O_A, O_R26OPT, O_SWZ)),
	R5(FADD, 10, 0, (M_FTZ5, M_RND55, M_SAT49), (O_DC, O_ANA, O_BF)),
	R5(FMUL, 11, 0, (M_FMZ6, M_SCALE, M_RND55, M_SAT5), (O_DC, O_A, O_BFN57)),
	R5(RRO, 12, 0, (M_RRO), (O_DC, O_BF)),
	R5(MUFU, 25, 0, (M_MUFU, M_SAT5), (O_DC, O_ANA)),
	/* 1: double precision */
	R5(DMNMX, 1, 1, (M_0), (O_DDC, O_DANA, O_BD, O_PS49)),
	R5(DSET, 2, 1, (M_BF5, M_FCMP, M_LOG53), (O_DC, O_DANA, O_BD, O_PS49)),
	R5(DSETP, 3, 1, (M_FCMP, M_LOG53), (O_P17, O_P14, O_DANA, O_BD, O_PS49)),
	R5(DFMA, 4, 1, (M_RND55), (O_DDC, O_DAN, O_B3D, O_C3DN)),
	R5(DADD, 9, 1, (M_RND55), (O_DDC, O_DANA, O_BD)),
	R5(DMUL, 10, 1, (M_RND55), (O_DDC, O_DAN, O_BDP)),
	/* 2: 32-bit immediates */
	R5(IMAD32I, 0, 2, (M_TYPES, M_HI6, M_PO8), (O_DC58, O_AADD, O_IMM32S, O_ACCADD)),
	R5(IADD32I, 1, 2, (M_PO8, M_SAT5, M_X6), (O_DC58, O_AADD, O_IMM32ADD)),
	R5(IMUL32I, 2, 2, (M_TYPES, M_HI6), (O_DC58, O_A, O_IMM32S)),
	R5(MOV32I, 3, 2, (M_0), (O_D, O_IMM32U, O_LANES)),
	R5(FFMA32I, 4, 2, (M_FMZ6, M_SAT5), (O_DC58, O_AN, O_IMM32F, O_ACCN)),
	R5(FADD32I, 5, 2, (M_FTZ5), (O_DC58, O_ANA, O_IMM32FS)),
	R5(FMUL32I, 6, 2, (M_FMZ6, M_SAT5), (O_DC58, O_A, O_IMM32F)),
	R5(LOP32I, 7, 2, (M_LOP6, M_X5), (O_DC58, O_AINV, O_IMM32INV)),
	R5(ISCADD32I, 8, 2, (M_0), (O_DC58, O_A, O_IMM32S, O_SHIFT5)),
	/* 3: integer */
	R5(IMNMX, 1, 3, (M_U32, M_XMNMX), (O_DC, O_A, O_B, O_PS49)),
	R5(ISET, 2, 3, (M_BF7, M_ICMP, M_U32, M_X6, M_LOG53), (O_DC, O_A, O_B, O_PS49)),
	R5(ISETP, 3, 3, (M_ICMP, M_U32, M_X6, M_LOG53), (O_P17, O_P14, O_A, O_B, O_PS49)),
	R5(IMAD, 4, 3, (M_TYPES, M_HI6, M_PO8, M_SAT56, M_X55), (O_DC, O_AADD, O_B3, O_C3ADD)),
	R5(BFI, 5, 3, (M_0), (O_DC, O_A, O_B3, O_C3)),
	R5(ICMP, 6, 3, (M_ICMP, M_U32), (O_DC, O_A, O_B3, O_C3)),
	R5(ISAD, 7, 3, (M_U32), (O_DC, O_A, O_B3, O_C3)),
	R5(ISCADD, 8, 3, (M_PO55), (O_DC, O_ASC, O_BSC, O_SHIFT5)),
	R5(IADD, 9, 3, (M_PO8, M_SAT5, M_X6), (O_DC, O_AADD, O_BADD)),
	R5(IMUL, 10, 3, (M_TYPES, M_HI6), (O_DC, O_A, O_B)),
	R5(SHR, 11, 3, (M_U32, M_W9, M_XSHR, M_BREV8), (O_DC, O_A, O_B)),
	R5(SHL, 12, 3, (M_W9, M_X6), (O_DC, O_A, O_B)),
	R5(LOP, 13, 3, (M_LOP6, M_X5), (O_DC, O_AINV, O_BINV)),
	R5(BFE, 14, 3, (M_U32, M_BREV8), (O_DC, O_A, O_B)),
	R5(FLO, 15, 3, (M_U32, M_SH6), (O_DC, O_BINV)),
	/* 4: predicates, conversions, moves */
	R6(CSET, 0x00, 4, (M_BF5, M_CCT20, M_LOG53), (O_DC, O_CC, O_PS49)),
	R6(CSETP, 0x01, 4, (M_CCT20, M_LOG53), (O_P17, O_P14, O_CC, O_PS49)),
	R6(PSET, 0x02, 4, (M_BF5, M_LOG30, M_LOG53), (O_DC, O_PA20, O_PB26, O_PS49)),
	R6(PSETP, 0x03, 4, (M_LOG30, M_LOG53), (O_P17, O_P14, O_PA20, O_PB26, O_PS49)),
	R6(F2F, 0x04, 4, (M_FTZ55, M_FDT, M_FST, M_RNDF2F, M_SAT5), (O_DC, O_BFCVT)),
	R6(F2I, 0x05, 4, (M_FTZ55, M_IDT, M_FST, M_RNDI49), (O_DC, O_BFCVT)),
	R6(I2F, 0x06, 4, (M_FDT, M_IST, M_RND49), (O_DC, O_BIS)),
	R6(I2I, 0x07, 4, (M_IDT, M_IST, M_SAT5), (O_DC, O_BIS)),
	R6(SEL, 0x08, 4, (M_0), (O_D, O_A, O_B, O_PS49)),
	R6(PRMT, 0x09, 4, (M_PRMT), (O_DC, O_A, O_B3, O_C3)),
	R6(MOV, 0x0a, 4, (M_0), (O_D, O_B, O_LANES)),
	R6(S2R, 0x0b, 4, (M_0), (O_D, O_SR)),
	R6(P2R, 0x0c, 4, (M_H1_5), (O_D, O_PR, O_A, O_B)),
	R6(R2P, 0x0d, 4, (M_H1_5), (O_PR, O_A, O_B)),
	R6(B2R, 0x0e, 4, (M_B2R), (O_D, O_BAR6)),
	RX(NOP, "NOP", 0x40000000u, 4, 0, TOP6, 0, (M_TRIG, M_NOPUNIT), (O_CCTNOP, O_EVENT)),
	R6(LEPC, 0x11, 4, (M_0), (O_D)),
	R6(VOTE, 0x12, 4, (M_VOTE), (O_D, O_P54, O_PA20)),
	RX(BAR, "BAR.RED", 0x50000000u, 4, 0, TOP6 | BIT(7), 0, (M_BARRED),
	   (O_D, O_PB53, O_BARID, O_BARCNT, O_PB49)),
	RX(BAR, "BAR.ARV", 0x50000000u, 4, BIT(7), TOP6 | BIT(7), PTS | 7ull << 53 | 63ull << 14,
	   (M_0), (O_BARID, O_BARCNTM)),
	R6(POPC, 0x15, 4, (M_0), (O_DC, O_AINV, O_BINV)),
	/* 4: video */
	R5(VADD, 0x18, 4, (M_UD, M_VTYPES, M_PO7, M_SAT9, M_VSEC),
	   (O_DC, O_VAADD, O_VBADD, O_CREG)),
	R5(VMNMX, 0x19, 4, (M_UD, M_VTYPES, M_MX7, M_SAT9, M_VSEC),
	   (O_DC, O_VAPLAIN, O_VB, O_CREG)),
	R5(VABSDIFF, 0x1a, 4, (M_UD, M_VTYPES, M_SAT9, M_VSEC), (O_DC, O_VAPLAIN, O_VB, O_CREG)),
	R5(VSET, 0x1b, 4, (M_VCMP, M_UD, M_VTYPES, M_VSEC), (O_DC, O_VAPLAIN, O_VB, O_CREG)),
	R5(VSHR, 0x1c, 4, (M_UD, M_VTYPES, M_W7, M_SAT9, M_VSEC), (O_DC, O_VAPLAIN, O_VB, O_CREG)),
	R5(VSHL, 0x1d, 4, (M_UD, M_VTYPES, M_W7, M_SAT9, M_VSEC), (O_DC, O_VAPLAIN, O_VB, O_CREG)),
	R5(VMAD, 0x1e, 4, (M_UD, M_VTYPES, M_PO7, M_VSHRN, M_SAT9), (O_DC, O_VAADD, O_VB, O_VCMAD)),
	R5(VSETP, 0x1f, 4, (M_VCMP, M_VTYPES, M_LOG53), (O_P17, O_P14, O_VAPLAIN, O_VB, O_PS49)),
	R6(VADD4, 0x20, 4, (M_UD57, M_VTYPES8, M_VAVG, M_SAT9, M_VSEC44),
	   (O_DC, O_VA4, O_VB4ADD, O_CREG, O_VMASK4, O_VSELAB)),
	R6(VMNMX4, 0x21, 4, (M_UD57, M_VTYPES8, M_MX7, M_SAT9, M_VSEC44),
	   (O_DC, O_A, O_VB4, O_CREG, O_VMASK4, O_VSELAB)),
	R6(VABSDIFF4, 0x22, 4, (M_UD57, M_VTYPES8, M_SAT9, M_VSEC44),
	   (O_DC, O_A, O_VB4, O_CREG, O_VMASK4, O_VSELAB)),
	R6(VSET4, 0x23, 4, (M_VCMP, M_UD57, M_VTYPES8, M_VSEC44),
	   (O_DC, O_A, O_VB4, O_CREG, O_VMASK4, O_VSELAB)),
	R6(VSHR4, 0x24, 4, (M_UD57, M_VTYPES8, M_W7, M_SAT9, M_VSEC44),
	   (O_DC, O_A, O_VB4, O_CREG, O_VMASK4, O_VSELAB)),
	R6(VSHL4, 0x25, 4, (M_UD57, M_VTYPES8, M_W7, M_SAT9, M_VSEC44),
	   (O_DC, O_A, O_VB4, O_CREG, O_VMASK4, O_VSELAB)),
	R6(VSEL4, 0x26, 4, (M_UD57, M_VTYPES8, M_SAT9, M_VSEC44),
	   (O_DC, O_A, O_VB4, O_PS49, O_VMASK4, O_VSELAB)),
	R6(VADD2, 0x28, 4, (M_UD57, M_VTYPES16, M_VAVG, M_SAT9, M_VSEC44),
	   (O_DC, O_VA4, O_VB2ADD, O_CREG, O_VMASK2, O_VSEL2)),
	R6(VMNMX2, 0x29, 4, (M_UD57, M_VTYPES16, M_MX7, M_SAT9, M_VSEC44),
	   (O_DC, O_A, O_VB2, O_CREG, O_VMASK2, O_VSEL2)),
	R6(VABSDIFF2, 0x2a, 4, (M_UD57, M_VTYPES16, M_SAT9, M_VSEC44),
	   (O_DC, O_A, O_VB2, O_CREG, O_VMASK2, O_VSEL2)),
	R6(VSET2, 0x2b, 4, (M_VCMP, M_UD57, M_VTYPES16, M_VSEC44),
	   (O_DC, O_A, O_VB2, O_CREG, O_VMASK2, O_VSEL2)),
	R6(VSHR2, 0x2c, 4, (M_UD57, M_VTYPES16, M_W7, M_SAT9, M_VSEC44),
	   (O_DC, O_A, O_VB2, O_CREG, O_VMASK2, O_VSEL2)),
	R6(VSHL2, 0x2d, 4, (M_UD57, M_VTYPES16, M_W7, M_SAT9, M_VSEC44),
	   (O_DC, O_A, O_VB2, O_CREG, O_VMASK2, O_VSEL2)),
	R6(VSEL2, 0x2e, 4, (M_UD57, M_VTYPES16, M_SAT9, M_VSEC44),
	   (O_DC, O_A, O_VB2, O_PS49, O_VMASK2, O_VSEL2)),
	/* 5: memory */
	RX(RED, "RED", 0, 5, 0, 3ull << 62 | 15, 0, (M_E58, M_REDOP, M_ATOMT), (O_MEM32, O_D)),
	RX(ATOM, "ATOM", 0x40000000u, 5, 9ull << 5, 3ull << 62 | 15ull << 5 | 15, 0,
	   (M_E58, M_CASOP, M_ATOMT), (O_R43, O_MEMATOM, O_D, O_CREG)),
	RX(ATOM, "ATOM", 0x40000000u, 5, 0, 3ull << 62 | 15, 0, (M_E58, M_ATOMOP, M_ATOMT),
	   (O_R43, O_MEMATOM, O_D, O_R49OPT)),
	R5(LD, 0x10, 5, (M_E58, M_LDCOP, M_SIZE), (O_D, O_MEM32)),
	R5(LDU, 0x11, 5, (M_E58, M_SIZE), (O_D, O_MEM32)),
	R5(ST, 0x12, 5, (M_E58, M_STCOP, M_SIZE), (O_MEM32, O_D)),
	R5(CCTL, 0x13, 5, (M_E58, M_CCTLK, M_CCTLOP), (O_D, O_MEMCCTL)),
	R5(LDLK, 0x14, 5, (M_SIZE), (O_P8, O_D, O_MEM32)),
	RX(LDS_LDU, "LDS_LDU", 0xa8000000u, 5, 0, TOP5, 0, (M_LDLDU, M_E58F),
	   (O_R32, O_D, O_MEMLDS, O_MEMLDU)),
	RX(LD_LDU, "LD_LDU", 0xb0000000u, 5, 0, 0xf00000000000000full, 0, (M_LDLDU, M_E59F, M_E58F),
	   (O_R32, O_D, O_MEMLD, O_MEMLDU)),
	RX(LDL, "LDL", 0xc0000000u, 5, 0, TOP6 | BIT(56), 0, (M_LDLCOP, M_SIZE), (O_D, O_MEM24L)),
	RX(LDS, "LDS", 0xc1000000u, 5, 0, TOP6 | BIT(56), 0, (M_SIZE), (O_D, O_MEM24S)),
	R6(LDSLK, 0x31, 5, (M_SIZE), (O_P50, O_D, O_MEM24S)),
	RX(STL, "STL", 0xc8000000u, 5, 0, TOP6 | BIT(56), 0, (M_STCOP, M_SIZE), (O_MEM24L, O_D)),
	RX(STS, "STS", 0xc9000000u, 5, 0, TOP6 | BIT(56), 0, (M_SIZE), (O_MEM24S, O_D)),
	R6(STSUL, 0x33, 5, (M_SIZE), (O_MEM24S, O_D)),
	R6(CCTLL, 0x34, 5, (M_CCTLOP), (O_D, O_MEM24L)),
	RX(SULD, "SULD.B", 0xd4000000u, 5, 0, TOP6, 0, (M_SUDIM, M_SIZE, M_LDCOP, M_SUCLAMP),
	   (O_D, O_SUADDR, O_SURF)),
	RX(SURED, "SURED", 0xd8000000u, 5, 0, TOP6, 0, (M_SUDIM, M_REDOP, M_SUCLAMP),
	   (O_SUADDR, O_SURF, O_D)),
	RX(SUST, "SUST.B", 0xdc000000u, 5, 0, TOP6 | 15ull << 49, 0,
	   (M_SUDIM, M_SIZE, M_STCOP, M_SUCLAMP), (O_SUADDR, O_SURF, O_D)),
	RX(SUST, "SUST.P", 0xdc000000u, 5, 0, TOP6, 4ull << 5, (M_SUDIM, M_STCOP, M_SUCLAMP),
	   (O_SUADDR, O_SURF, O_D, O_SUMASK)),
	R6(MEMBAR, 0x38, 5, (M_MEMBAR), (O_0)),
	R6(SUQ, 0x39, 5, (M_SUQ), (O_D, O_SURF)),
	R6(STUL, 0x3a, 5, (M_SIZE), (O_MEM32, O_D)),
	R6(SULEA, 0x3c, 5, (M_SUDIM, M_SIZE, M_SUCLAMP), (O_D, O_P54, O_SUADDR, O_SURF)),
	/* 6: constants and textures */
	R6(LDC, 0x05, 6, (M_SIZE, M_LDCM), (O_D, O_LDC)),
	RX(TEX, "TEX", 0x80000000u, 6, 0, 0xf00000000000000full, 0, (TEXMODS),
	   (O_D, O_A, O_R26OPT, O_TEXN, O_SAMP, O_GEOM, O_TMASK)),
	RX(TLD, "TLD", 0x90000000u, 6, 0, 0xf00000000000000full, 0,
	   (M_TEXI, M_LODF, M_MS, M_CL, M_NODEP, M_AOFFI54, M_PHASE),
	   (O_D, O_A, O_R26OPT, O_TEXN, O_GEOM, O_TMASK)),
	RX(TLD4, "TLD4", 0xa0000000u, 6, 0, 0xf00000000000000full, 0,
	   (M_TEXI, M_TLD4C, M_DC, M_NDV45, M_NODEP, M_AOFFI, M_PHASE),
	   (O_D, O_A, O_R26OPT, O_TEXN, O_SAMP, O_GEOM, O_TMASK)),
	RX(TMML, "TMML", 0xb0000000u, 6, 0, 0xf00000000000000full, 0,
	   (M_TEXI, M_NDV45, M_NODEP, M_PHASE),
	   (O_D, O_A, O_R26OPT, O_TEXN, O_SAMP, O_GEOM, O_TMASK)),
	RX(TXQ, "TXQ", 0xc0000000u, 6, 0, 0xf00000000000000full, 0,
	   (M_TEXI, M_TXQ, M_NODEP, M_PHASE), (O_D, O_A, O_R26OPT, O_TEXN, O_TMASK)),
	RX(TXD, "TXD", 0xe0000000u, 6, 0, 0xf00000000000000full, 0,
	   (M_TEXI, M_NDV45, M_NODEP, M_AOFFI, M_PHASE),
	   (O_D, O_A, O_R26OPT, O_TEXN, O_SAMP, O_GEOM, O_TMASK)),
	/* 7: control. The guard of SSY and its kin is ignored by the hardware and not printed. */
	C5(JMP, "JMP", 0, NRF_GUARD, 0, BIT(14), CTEST, (M_BRAU, M_LMT), (O_CCT, O_ABS)),
	C5(JMP, "JMP", 0, NRF_GUARD, BIT(14), BIT(14), CTEST, (M_BRAU, M_LMT), (O_CCT, O_CTGT)),
	C5(JMX, "JMX", 1, NRF_GUARD, 0, BIT(14), CTEST, (M_LMT), (O_CCT, O_A, O_IMM32J)),
	C5(JMX, "JMX", 1, NRF_GUARD, BIT(14), BIT(14), CTEST, (M_LMT), (O_CCT, O_CTGTX)),
	C5(JCAL, "JCAL", 2, 0, 0, BIT(14), 0, (M_NOINC), (O_ABS)),
	C5(JCAL, "JCAL", 2, 0, BIT(14), BIT(14), 0, (M_NOINC), (O_CTGT)),
	C5(BRA, "BRA", 8, NRF_GUARD, 0, BIT(14), CTEST, (M_BRAU, M_LMT), (O_CCT, O_REL)),
	C5(BRA, "BRA", 8, NRF_GUARD, BIT(14), BIT(14), CTEST, (M_BRAU, M_LMT), (O_CCT, O_CTGT)),
	C5(BRX, "BRX", 9, NRF_GUARD, 0, BIT(14), CTEST, (M_LMT), (O_CCT, O_A, O_RELOFF)),
	C5(BRX, "BRX", 9, NRF_GUARD, BIT(14), BIT(14), CTEST, (M_LMT), (O_CCT, O_CTGTX)),
	C5(CAL, "CAL", 10, 0, 0, BIT(14), 0, (M_NOINC), (O_REL)),
	C5(CAL, "CAL", 10, 0, BIT(14), BIT(14), 0, (M_NOINC), (O_CTGT)),
	C5(PLONGJMP, "PLONGJMP", 11, 0, 0, BIT(14), 0, (M_0), (O_REL)),
	C5(PLONGJMP, "PLONGJMP", 11, 0, BIT(14), BIT(14), 0, (M_0), (O_CTGT)),
	C5(SSY, "SSY", 12, 0, 0, BIT(14), 0, (M_0), (O_REL)),
	C5(SSY, "SSY", 12, 0, BIT(14), BIT(14), 0, (M_0), (O_CTGT)),
	C5(PBK, "PBK", 13, 0, 0, BIT(14), 0, (M_0), (O_REL)),
	C5(PBK, "PBK", 13, 0, BIT(14), BIT(14), 0, (M_0), (O_CTGT)),
	C5(PCNT, "PCNT", 14, 0, 0, BIT(14), 0, (M_0), (O_REL)),
	C5(PCNT, "PCNT", 14, 0, BIT(14), BIT(14), 0, (M_0), (O_CTGT)),
	C5(PRET, "PRET", 15, 0, 0, BIT(14), 0, (M_NOINC), (O_REL)),
	C5(PRET, "PRET", 15, 0, BIT(14), BIT(14), 0, (M_NOINC), (O_CTGT)),
	C5(EXIT, "EXIT", 16, NRF_GUARD, 0, 0, CTEST, (M_0), (O_CCT)),
	C5(LONGJMP, "LONGJMP", 17, NRF_GUARD, 0, 0, CTEST, (M_0), (O_CCT)),
	C5(RET, "RET", 18, NRF_GUARD, 0, 0, CTEST, (M_0), (O_CCT)),
	C5(KIL, "KIL", 19, NRF_GUARD, 0, 0, CTEST, (M_0), (O_CCT)),
	C5(RTT, "RTT", 20, 0, 0, 0, 0, (M_0), (O_0)),
	C5(BRK, "BRK", 21, NRF_GUARD, 0, 0, CTEST, (M_0), (O_CCT)),
	C5(CONT, "CONT", 22, NRF_GUARD, 0, 0, CTEST, (M_0), (O_CCT)),
	C5(SAM, "SAM", 24, 0, 0, 0, 0, (M_0), (O_0)),
	C5(RAM, "RAM", 25, 0, 0, 0, 0, (M_0), (O_0)),
	C5(BPT, "BPT", 26, 0, 0, 0, 0, (M_BPT), (O_BPTN)),
#include "isa/fermi/short.def"
};

const struct native_tab fermi_tab = {NATIVE_FERMI, "Fermi (sm_20, sm_21)",
				     rows,         sizeof(rows) / sizeof(*rows),
				     mods,         opf,
				     fermi_get,    fermi_put,
				     fermi_finish, fermi_sreg};
