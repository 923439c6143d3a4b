/* Forms of native instructions that compilers hardly use: locks, halves, the state of barriers,
 * four bytes, targets in constant memory, quads, constant banks as one space, numbers of several
 * words; and forms whose meaning is inferred from public names or was measured by others
 * (docs/machine/native.md). */
#include "native_rig.h"

/* ---- locks ---- */

/* Every thread of three blocks of eight warps adds its number to one word of its block's shared
 * memory. */
static void one_word(const char *text, bool tesla)
{
	enum { BLOCKS = 3, THREADS = 256 };
	EACH_WAY (how) {
		struct rig r = rig_text(how, text);
		uint32_t out[BLOCKS], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", BLOCKS, 1, tesla ? 128 : THREADS, 1, p));
		back(&r, out, p[0], sizeof out);
		uint32_t n = tesla ? 128 : THREADS;
		for (unsigned b = 0; b < BLOCKS; b++)
			assert_int_equal(out[b], n * (n - 1) / 2 + 1000);
		rig_close(&r);
	}
}

static void fermi_lock(void **state)
{
	(void)state;
	one_word("code for sm_20\nFunction : k\n.params 4\n.shared 64\n"
		 "S2R R0, SR_Tid_X;\nS2R R9, SR_CTAid_X;\nISETP.EQ.AND P1, pt, R0, RZ, pt;\nMOV32I "
		 "R3, 0x3e8;\n@P1 STS [0x8], R3;\n"
		 "MOV32I R2, 0x8;\nBAR.RED.POPC RZ, RZ;\nSSY done;\nlock:\nLDSLK P0, R2, "
		 "[R2];\n@P0 IADD R2, R2, R0;\n"
		 "@P0 STSUL [0x8], R2;\nMOV32I R2, 0x8;\n@!P0 BRA "
		 "lock;\nNOP.S;\ndone:\nBAR.RED.POPC RZ, RZ;\n"
		 "@!P1 EXIT;\nLDS R4, [0x8];\nISCADD R5, R9, c [0x0] [0x20], 0x2;\nST [R5], "
		 "R4;\nEXIT;\n",
		 false);
}

/* G2R.LOCK clears Z in the flags if it got the lock, and sets it otherwise. */
static void tesla_lock(void **state)
{
	(void)state;
	one_word("code for sm_13\nFunction : k\n.params 4\n.shared 128\n"
		 "I2I.U32.U16 R1, R0L;\nI2I.U32.U16 R5, g [0x6].U16;\nISET.C1 o [0x7f], R1, R124, "
		 "EQ;\nMVI R3, 0x3e8;\n"
		 "MVI R4, 0x40;\nR2A A1, R4;\nR2G.U32.U32 g [A1+0x0] (C1.NE), R3;\nBAR.ARV.WAIT "
		 "b0, 0xfff;\nSSY join;\nlock:\n"
		 "G2R.U32.LOCK.C0 R2, g [A1+0x0].U32;\nIADD R2 (C0.NEU), R2, "
		 "R1;\nR2G.U32.U32.UNLOCK g [A1+0x0] (C0.NEU), R2;\n"
		 "BRA C0.EQU, lock;\njoin:\nNOP.S;\nBAR.ARV.WAIT b0, 0xfff;\nRET C1.EQU;\n"
		 "G2R.U32 R2, g [A1+0x0].U32;\nSHL R5, R5, 0x2;\nIADD R5, g [0x4], R5;\nGST.U32 "
		 "global14 [R5], R2;\nRET;\n",
		 true);
}

/* The lock test on a word of global memory shared by all blocks; a second word maps to the same
 * lock. */
static void global_lock(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\nFunction : k\n.params 4\n"
				   "S2R R0, SR_Tid_X;\nLOP.AND R8, R0, 0x1;\nSHL R8, R8, "
				   "0xa;\nIADD R3, R8, c [0x0] [0x20];\nSSY done;\nlock:\n"
				   "LDLK P0, R2, [R3+0x4];\n@P0 IADD R2, R2, R0;\n@P0 STUL "
				   "[R3+0x4], R2;\n@!P0 BRA lock;\nNOP.S;\ndone:\nEXIT;\n";
	EACH_WAY (how) {
		struct rig r = rig_text(how, text);
		uint32_t out[258] = {0}, p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 4, 1, 64, 1, p));
		back(&r, out, p[0], sizeof out);
		assert_int_equal(out[1], 4 * (31 * 32));
		assert_int_equal(out[257], 4 * (32 * 32));
		rig_close(&r);
	}
}

/* ---- barriers ---- */

/* The first warp writes, arrives and continues; the second arrives and then waits. */
static void tesla_halves(void **state)
{
	(void)state;
	static const char code[] =
		"code for sm_13\nFunction : k\n.params 4\n.shared 512\n.const 1 0x1f\n"
		"I2I.U32.U16 R1, R0L;\nSHR R2, R1, 0x5;\nISET.C0 o [0x7f], R2, R124, EQ;\nLOP.AND "
		"R3, R1, c [0x1] [0x0];\n"
		"R2A A1, R3, 0x2;\nIADD R4, R3, R3;\nSSY join;\nBRA C0.EQU, second;\n"
		"R2G.U32.U32 g [A1+0x10], R4;\nBAR.ARV b1, 0xfff;\nBRA join;\n"
		"second:\nBAR.ARV b1, 0xfff;\nBAR.WAIT b1, 0xfff;\nG2R.U32 R5, g "
		"[A1+0x10].U32;\nSHL R6, R3, 0x2;\nIADD R6, g [0x4], R6;\n"
		"GST.U32 global14 [R6], R5;\njoin:\nNOP.S;\nBAR.WAIT b1, 0xfff;\nRET;\n";
	EACH_WAY (how) {
		struct rig r = rig_text(how, code);
		uint32_t out[32], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 2, 1, 64, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t i = 0; i < 32; i++)
			assert_int_equal(out[i], 2 * i);
		rig_close(&r);
	}
}

/* B2R: warps that have arrived at barrier 2: one of three, then two, then the barrier opens and the
 * count is zero. Four bytes: the arrival of all warps, whatever the count. */
static void barrier_state(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\nFunction : k\n.params 4\n.shared 16\n"
		"S2R R0, SR_Tid_X;\nSHR.U32 R1, R0, 0x5;\nB2R R4, 0x2;\nBAR.RED.POPC RZ, RZ;\n"
		"ISETP.EQ.AND P0, pt, R1, 0x0, pt;\n@P0 BAR.ARV 0x2, 0x60;\nBAR.RED.POPC RZ, "
		"RZ;\nB2R R5, 0x2;\nBAR.RED.POPC RZ, RZ;\n"
		"ISETP.EQ.AND P0, pt, R1, 0x1, pt;\n@P0 BAR.ARV 0x2, 0x60;\nBAR.RED.POPC RZ, "
		"RZ;\nB2R R6, 0x2;\nBAR.RED.POPC RZ, RZ;\n"
		"ISETP.EQ.AND P0, pt, R1, 0x2, pt;\n@P0 BAR.ARV.SHORT 0x3;\nNOP.SHORT;\n@P0 "
		"BAR.ARV 0x2, 0x60;\nBAR.RED.POPC RZ, RZ;\nB2R R7, 0x2;\nB2R R8, 0x3;\n"
		"ISCADD R2, R0, c [0x0] [0x20], 0x4;\nIADD R4, R4, R8;\nST.128 [R2], "
		"R4;\nBAR.RED.POPC RZ, RZ;\n@!P0 BAR.ARV.SHORT 0x3;\nNOP.SHORT;\nEXIT;\n";
	static const uint32_t want[4] = {1, 1, 2, 0};
	EACH_WAY (how) {
		uint32_t out[96][4];
		run_text(how, text, 96, out, sizeof out);
		for (int i = 0; i < 96; i++)
			assert_memory_equal(out[i], want, sizeof want);
	}
}

/* ---- words of several, predicates of four bytes, targets in constant memory ---- */

/* The least of two numbers of 96 bits, with sign: three words, flags handed down. */
static void three_words(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\nFunction : k\n.params 4 4\n"
		"S2R R0, SR_Tid_X;\nIMUL R1, R0, 0x18;\nIADD R1, R1, c [0x0] [0x24];\nLD.64 R2, "
		"[R1];\nLD.64 R4, [R1+0x8];\nLD.64 R6, [R1+0x10];\n"
		"IMNMX.XHI R10.CC, R4, R7, pt;\nIMNMX.XMED R9.CC, R3, R6, pt;\nIMNMX.XLO R8, R2, "
		"R5, pt;\nIMUL R1, R0, 0xc;\n"
		"IADD R1, R1, c [0x0] [0x20];\nST [R1], R8;\nST [R1+0x4], R9;\nST [R1+0x8], "
		"R10;\nEXIT;\n";
	static const uint32_t v[6][2][3] = {
		{{1, 2, 3}, {2, 2, 3}},          {{5, 2, 3}, {4, 2, 3}},
		{{5, 9, 3}, {6, 8, 3}},          {{0, 0xffffffff, 3}, {0, 1, 3}},
		{{7, 7, 0xffffffff}, {0, 0, 0}}, {{0, 0, 0x80000000}, {9, 9, 0x7fffffff}},
	};
	static const uint8_t least[6] = {0, 1, 1, 1, 0, 0};
	EACH_WAY (how) {
		struct rig r = rig_text(how, text);
		uint32_t out[6][3], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out),
					     (uint32_t)buffer(&r, v, sizeof v)};
		must(&r, run(&r, "k", 1, 1, 6, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int i = 0; i < 6; i++)
			assert_memory_equal(out[i], v[i][least[i]], 12);
		rig_close(&r);
	}
}

/* LOP.X: the zero flag accumulates over the words. CSETP and PSETP of four bytes. */
static void small_forms(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\nFunction : k\n.params 4\n"
		"S2R R0, SR_Tid_X;\nLOP.AND R2, R0, 0x1;\nSHR.U32 R3, R0, 0x1;\nLOP.OR R4.CC, R2, "
		"RZ;\nLOP.OR.X R4.CC, R3, RZ;\n"
		"CSETP.EQ.SHORT P0, CC;\nNOP.SHORT;\nISETP.EQ.AND P1, pt, R2, 0x1, "
		"pt;\nPSETP.XOR.SHORT P2, P0, !P1;\nPSETP.OR.SHORT P3, P0, P1;\n"
		"P2R R5, PR, RZ, 0xf;\nISCADD R1, R0, c [0x0] [0x20], 0x2;\nST [R1], R5;\nEXIT;\n";
	EACH_WAY (how) {
		uint32_t out[8];
		run_text(how, text, 8, out, sizeof out);
		for (uint32_t t = 0; t < 8; t++)
			assert_int_equal(out[t], (t == 0) | (t & 1) << 1 |
							 ((t == 0) ^ !(t & 1)) << 2 |
							 ((t == 0) | (t & 1)) << 3);
	}
}

/* Bank 3 contains the targets of SSY and CAL, relative to the next instruction, and the targets of
 * branches, relative for BRA and BRX, absolute for JMP. */
static void constant_targets(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\nFunction : k\n.params 4\n.const 3 0x20 0x8 0x38 0x68 0x0\n"
		"S2R R0, SR_Tid_X;\nMOV R4, RZ;\nISETP.LT.AND P0, pt, R0, 0x4, pt;\nSSY c [0x3] "
		"[0x0];\n" /* 0x18: 0x20 + 0x20 */
		"@P0 BRA c [0x3] [0x4];\nIADD R4, R4, 0x1;\nNOP.S;\nIADD.S R4, R4, 0x2;\n" /* 0x20:
	                                                                                      to
	                                                                                      0x30;
	                                                                                      falls
	                                                                                      0x28
	                                                                                    */
		"CAL c [0x3] [0x8];\nJMP c [0x3] [0xc];\nNOP;\nNOP;\nNOP;\n" /* 0x40: to 0x48 + 0x38
	                                                                        = 0x80 */
		"ISCADD R1, R0, c [0x0] [0x20], 0x2;\nST [R1], R4;\nEXIT;\n" /* 0x68 */
		"IADD R4, R4, 0x64;\nRET;\n";                                /* 0x80 */
	EACH_WAY (how) {
		uint32_t out[8];
		run_text(how, text, 8, out, sizeof out);
		for (uint32_t t = 0; t < 8; t++)
			assert_int_equal(out[t], (t < 4 ? 0 : 1) + 100);
	}
}

/* Exchanges between lanes of a quad; predicates in the upper half of a register. */
static void quads(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\nFunction : k\n.params 4\n"
				   "S2R R0, SR_Tid_X;\nI2F.F32.U32 R2, R0;\nFMUL R3, R2, "
				   "R2;\nFSWZ.1032 R4, R2, R3, 0x1b;\nFSWZ.2222 R5, R2, R3, 0x0;\n"
				   "ISETP.LT.AND P0, pt, R0, 0x5, pt;\nISETP.GT.AND P3, pt, R0, "
				   "0x2, pt;\nP2R.H1 R6, PR, RZ, 0x9;\nSHL R7, R0, 0x10;\n"
				   "R2P.H1 PR, R7, 0x3;\nSEL R7, R2, RZ, P1;\nISCADD R8, R0, c "
				   "[0x0] [0x20], 0x4;\nST.128 [R8], R4;\nEXIT;\n";
	EACH_WAY (how) {
		struct rig r;
		uint32_t out[32][4];
		if (rig_load(&r, how, "quad.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 1, 1, 32, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int t = 0; t < 32; t++) {
			float a = (float)(t ^ 1), b = (float)(t * t), f = (float)t, got[2];
			float want[4] = {a + b, b - a, a - b, b};
			memcpy(got, out[t], 8);
			assert_true(got[0] == want[t % 4]);
			assert_true(got[1] == (float)(t / 4 * 4 + 2) + b);
			assert_int_equal(out[t][2], ((uint32_t)(t < 5) | (uint32_t)(t > 2) << 3)
							    << 16);
			if (t & 2)
				assert_memory_equal(&out[t][3], &f, 4);
			else
				assert_int_equal(out[t][3], 0);
		}
		rig_close(&r);
	}
}

static void tesla_quads(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_10\nFunction : k\n.params 4\n"
		"I2I.U32.U16 R1, R0L;\nI2F.F32.U32 R2, R1;\nFMUL R3, R2, R2;\nFSWZ.2301 R4, R2, "
		"R3, 0x1b;\nFSWZ.1111 R5, R2, R3, 0xaa;\n"
		"SHL R6, R1, 0x3;\nIADD R6, g [0x4], R6;\nGST.S64 global14 [R6], R4;\nRET;\n";
	EACH_WAY (how) {
		struct rig r;
		float out[32][2];
		if (rig_load(&r, how, "quad.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 1, 1, 32, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int t = 0; t < 32; t++) {
			float a = (float)(t ^ 2), b = (float)(t * t),
			      want[4] = {a + b, b - a, a - b, b};
			assert_true(out[t][0] == want[t % 4]);
			assert_true(out[t][1] == (float)(t / 4 * 4 + 1) - b);
		}
		rig_close(&r);
	}
}

/* LDC.IS: register plus offset has a bank number in its upper half, relative to the named bank, and
 * an address in the lower half; bank 0 has the parameters. The guard applies to the load, and a
 * missing bank is a fault. */
static void segments(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\nFunction : k\n.const 1 0x1 0x2 0x3 0x4\n.const "
				   "3 0x55 0x66 0x77 0x88\n.params 4 4 4 4\n"
				   "S2R R0, SR_Tid_X;\nISCADD R1, R0, c [0x0] [0x24], 0x3;\nLD.64 "
				   "R2, [R1];\nISCADD R1, R0, c [0x0] [0x20], 0x4;\n"
				   "MOV32I R4, 0x99;\nISETP.NE.AND P0, pt, R0, c [0x0] [0x28], "
				   "pt;\n@P0 LDC.IS R4, c [0x1] [R2+0x4];\n"
				   "LDC.64.IS R2, c [0x0] [R3];\nMOV R5, RZ;\nMOV R6, R2;\nMOV R7, "
				   "R3;\nST.128 [R1], R4;\nEXIT;\n";
	/* bank 1 + 2 at 4, bank 3 at 8; bank 1 at 12 and at 0; bank 3 by the carry, the parameters;
	 * a missing bank whose load is guarded off */
	static const uint32_t at[4][2] = {
		{0x20000, 0x30008}, {0x8, 0x10000}, {0x1fffc, 0x28}, {0x70000, 0x30000}};
	static const uint32_t want[4][4] = {
		{0x66, 0, 0x77, 0x88}, {4, 0, 1, 2}, {0x55, 0, 3, 0xabcd}, {0x99, 0, 0x55, 0x66}};
	EACH_WAY (how) {
		struct rig r;
		uint32_t out[4][4];
		if (rig_load(&r, how, "ldc.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out),
				  (uint32_t)buffer(&r, at, sizeof at), 3, 0xabcd};
		must(&r, run(&r, "k", 1, 1, 4, 1, p));
		back(&r, out, p[0], sizeof out);
		assert_memory_equal(out, want, sizeof out);
		p[2] = 4; /* no thread is switched off */
		assert_int_equal(run(&r, "k", 1, 1, 4, 1, p), HEDDLE_FAULT);
		rig_close(&r);
	}
}

/* 64-bit minimum and maximum, signed and unsigned: the instruction for the upper words passes flags
 * to that for the lower words. */
static void wide_minimum(void **state)
{
	(void)state;
	/* The lower words are unsigned; ptxas writes that (.U32) also if the pair is signed. */
	static const char text[] =
		"code for sm_20\nFunction : k\n.params 4 4\n"
		"S2R R0, SR_Tid_X;\nISCADD R1, R0, c [0x0] [0x24], 0x4;\nLD.128 R4, [R1];\n"
		"IMNMX.XHI R9.CC, R5, R7, pt;\nIMNMX.U32.XLO R8, R4, R6, pt;\n"
		"IMNMX.XHI R13.CC, R5, R7, pt;\nIMNMX.XLO R12, R4, R6, pt;\n"
		"ISETP.NE.AND P0, pt, R8, R12, pt;\n@P0 MOV R8, RZ;\n"
		"IMNMX.U32.XHI R11.CC, R5, R7, !pt;\nIMNMX.U32.XLO R10, R4, R6, !pt;\n"
		"ISCADD R1, R0, c [0x0] [0x20], 0x4;\nST.128 [R1], R8;\nEXIT;\n";
	static const int64_t v[16][2] = {{1, 2},
					 {2, 1},
					 {-1, 1},
					 {1, -1},
					 {0x1ffffffff, 0x100000000},
					 {0x100000000, 0x1ffffffff},
					 {INT64_MIN, INT64_MAX},
					 {-0x100000001, -0x1ffffffff},
					 {-0x100000001, 0x280000000},
					 {0x280000001, -0x300000007},
					 {-5, 0x7fffffff00000003},
					 {0x7fffffff00000003, -5},
					 {INT64_MIN + 7, 9},
					 {3, 3},
					 {-0x180000000, -0x100000001},
					 {0x80000000, 0x7fffffff}};
	EACH_WAY (how) {
		struct rig r;
		int64_t out[16][2];
		if (rig_load(&r, how, "min.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out),
				  (uint32_t)buffer(&r, v, sizeof v)};
		must(&r, run(&r, "k", 1, 1, 16, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int i = 0; i < 16; i++) {
			uint64_t a = (uint64_t)v[i][0], b = (uint64_t)v[i][1];
			assert_true(out[i][0] == (v[i][0] < v[i][1] ? v[i][0] : v[i][1]));
			assert_true((uint64_t)out[i][1] == (a > b ? a : b));
		}
		rig_close(&r);
	}
}

/* Exchanges and bitwise atomics are equal for all 32-bit types; counters are unsigned. */
static void atomics_of_bits(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\nFunction : k\n.params 4 4\nMOV R2, c [0x0] "
				   "[0x24];\nMOV32I R4, 0x80000005;\nMOV32I R5, 0x7;\n"
				   "ATOM.CAS.S32 R8, [R2], R4, R5;\nATOM.EXCH.S32 R9, [R2+0x4], "
				   "R5;\nATOM.AND.S32 R10, [R2+0x8], R5;\n"
				   "ATOM.INC.S32 R11, [R2+0xc], R4;\nATOM.EXCH.F32.FTZ.RN R12, "
				   "[R2+0x10], R4;\nATOM.CAS.F32.FTZ.RN R13, [R2+0x14], R4, R5;\n"
				   "RED.XOR.S32 [R2+0x18], R5;\nMOV R3, c [0x0] [0x20];\nST.128 "
				   "[R3], R8;\nST.64 [R3+0x10], R12;\nEXIT;\n";
	static const uint32_t old[7] = {0x80000005, 1, 0xff, 0x80000005, 3, 4, 0xf0};
	static const uint32_t now[7] = {7, 7, 7, 0, 0x80000005, 4, 0xf7};
	EACH_WAY (how) {
		struct rig r = rig_text(how, text);
		uint32_t got[7], out[6],
			p[16] = {(uint32_t)buffer(&r, NULL, sizeof out),
				 (uint32_t)buffer(&r, old, sizeof old)};
		must(&r, run(&r, "k", 1, 1, 1, 1, p));
		back(&r, out, p[0], sizeof out);
		back(&r, got, p[1], sizeof got);
		assert_memory_equal(out, old, sizeof out);
		assert_memory_equal(got, now, sizeof now);
		rig_close(&r);
	}
}

/* LDC.IL, .IS and .ISL treat the banks as one space: word 1 of bank 3 through bank 2. */
static void linear_constants(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\nFunction : k\n.params 4\n.const 2 0x20 0x21\n.const 3 0x30 "
		"0x31\nMOV32I R4, 0x10000;\n"
		"LDC.IL R8, c [0x2] [R4+0x4];\nLDC.IS R9, c [0x2] [R4+0x4];\nLDC.ISL R10, c [0x2] "
		"[R4+0x4];\n"
		"LDC.IL R11, c [0x2] [RZ+0x4];\nMOV R2, c [0x0] [0x20];\nST.128 [R2], R8;\nEXIT;\n";
	static const uint32_t want[4] = {0x31, 0x31, 0x31, 0x21};
	uint32_t out[4];
	run_text(BY_TOKENS, text, 1, out, sizeof out);
	assert_memory_equal(out, want, sizeof want);
}

/* Atomics of 8 and 16 bits: sm_11 adds in all parts of the word, sm_13 in none; both return the
 * requested part. */
static void small_atomics(void **state)
{
	(void)state;
	static const char body[] = "Function : k\n.params 4 4\nMOV R2, g [0x5];\nMVI R5, "
				   "0x7701;\nGATOM.IADD.S8 R8, global14 [R2], R5;\n"
				   "MVI R3, 0x4;\nIADD R2, R2, R3;\nGATOM.OR.U16 R9, global14 "
				   "[R2], R5;\nIADD R2, R2, R3;\n"
				   "GRED.IADD.U8 global14 [R2], R5;\nMOV R2, g [0x4];\nGST.S64 "
				   "global14 [R2], R8;\nRET;\n";
	static const uint32_t old[3] = {0x010203fe, 0x00040005, 0x10},
			      sum[3] = {0x020304ff, 0x77057705, 0x01010111};
	for (unsigned sm = 11; sm <= 13; sm += 2)
		EACH_WAY (how) {
			char text[1024];
			snprintf(text, sizeof text, "code for sm_%u\n%s", sm, body);
			struct rig r = rig_text(how, text);
			uint32_t got[3], out[2],
				p[16] = {(uint32_t)buffer(&r, NULL, sizeof out),
					 (uint32_t)buffer(&r, old, sizeof old)};
			must(&r, run(&r, "k", 1, 1, 1, 1, p));
			back(&r, out, p[0], sizeof out);
			back(&r, got, p[1], sizeof got);
			assert_int_equal((int32_t)out[0], -2);
			assert_int_equal(out[1], 5);
			assert_memory_equal(got, sm == 11 ? sum : old, sizeof got);
			rig_close(&r);
		}
}

/* A Tesla barrier for two of three warps: each of the two reads what the other wrote, the third
 * does not wait. */
static void some_warps(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_13\nFunction : k\n.params 4\n.const 1 0x40 0x20\n.shared 1024\n"
		"I2I.U32.U16 R1, R0L;\nISET.C0 o [0x7f], R1, c [0x1] [0x0], GE;\nMVI R4, "
		"0x63;\nBRA C0.NE, `(.L_out);\n"
		"R2A A1, R1, 0x2;\nR2G.U32.U32 g [A1+0x40], R1;\nBAR.ARV.WAIT b1, 0x40;\n"
		"LOP.XOR R3, R1, c [0x1] [0x1];\nR2A A2, R3, 0x2;\nG2R.U32 R4, g [A2+0x40].U32;\n"
		".L_out:\nSHL R2, R1, 0x2;\nIADD R3, g [0x4], R2;\nGST.U32 global14 [R3], "
		"R4;\nRET;\n";
	EACH_WAY (how) {
		uint32_t out[96];
		run_text(how, text, 96, out, sizeof out);
		for (uint32_t i = 0; i < 96; i++)
			assert_int_equal(out[i], i < 64 ? i ^ 32 : 0x63);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fermi_lock),      cmocka_unit_test(tesla_lock),
		cmocka_unit_test(global_lock),     cmocka_unit_test(tesla_halves),
		cmocka_unit_test(barrier_state),   cmocka_unit_test(three_words),
		cmocka_unit_test(small_forms),     cmocka_unit_test(constant_targets),
		cmocka_unit_test(quads),           cmocka_unit_test(tesla_quads),
		cmocka_unit_test(segments),        cmocka_unit_test(wide_minimum),
		cmocka_unit_test(atomics_of_bits), cmocka_unit_test(linear_constants),
		cmocka_unit_test(small_atomics),   cmocka_unit_test(some_warps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
