/* Instructions of native code that few programs have: locks, barriers in halves, video instructions
 * against PTX's. Each in every way that control flow can be run. */
#include "native_rig.h"

/* ---- locks ---- */

/* Every thread of three blocks of eight warps adds its number to one word of its block's shared
 * memory. */
static void one_word(const char *text, bool tesla)
{
	enum { BLOCKS = 3, THREADS = 256 };
	EACH_WAY(how)
	{
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

/* G2R.LOCK leaves Z in the flags where it did not get the lock. */
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

/* The same with a word of global memory, which all blocks share; a second word has the same lock.
 */
static void global_lock(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\nFunction : k\n.params 4\n"
	                           "S2R R0, SR_Tid_X;\nLOP.AND R8, R0, 0x1;\nSHL R8, R8, "
	                           "0xa;\nIADD R3, R8, c [0x0] [0x20];\nSSY done;\nlock:\n"
	                           "LDLK P0, R2, [R3+0x4];\n@P0 IADD R2, R2, R0;\n@P0 STUL "
	                           "[R3+0x4], R2;\n@!P0 BRA lock;\nNOP.S;\ndone:\nEXIT;\n";
	EACH_WAY(how)
	{
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

/* The first warp writes and arrives, and goes on; the second arrives and then waits. */
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
	EACH_WAY(how)
	{
		struct rig r = rig_text(how, code);
		uint32_t out[32], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 2, 1, 64, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t i = 0; i < 32; i++)
			assert_int_equal(out[i], 2 * i);
		rig_close(&r);
	}
}

/* B2R: warps that have arrived: one of three at barrier 2, then two, then it opens and is at zero.
 * Four bytes: the arrival of all, whatever the count. */
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
	EACH_WAY(how)
	{
		struct rig r = rig_text(how, text);
		uint32_t out[96][4], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 1, 1, 96, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int i = 0; i < 96; i++)
			assert_memory_equal(out[i], want, sizeof want);
		rig_close(&r);
	}
}

/* ---- video ---- */

/* R3, R4, R5 are a, b, c; the PTX statement has an immediate's lanes in %r7. */
static const struct pair {
	const char *native, *ptx;
	uint32_t r7;
} pairs[] = {
        {"VADD4.AVG R8, R3, R4, R5, 0xf, 0x44", "vavrg4.s32.s32.s32 %r8, %r3, %r4, %r5", 0},
        {"VADD4.UD.U8.U8.AVG R8, R3, R4, R5, 0xf, 0x44", "vavrg4.u32.u32.u32 %r8, %r3, %r4, %r5",
         0},
        {"VADD2.AVG R8, R3, R4, R5, 0x3, 0x4e", "vavrg2.s32.s32.s32 %r8, %r3, %r4, %r5", 0},
        {"VADD4.SAT R8, R3, R4, R5, 0x5, 0x0",
         "vadd4.s32.s32.s32.sat %r8.b20, %r3.b0000, %r4.b4444, %r5", 0},
        {"VADD4 R8, R3, -R4, R5, 0xf, 0x78", "vsub4.s32.s32.s32 %r8, %r3.b6543, %r4.b4567, %r5", 0},
        {"VADD4.UD.U8.U8.SAT R8, -R3, R4, R5, 0xf, 0xa9",
         "vsub4.u32.u32.u32.sat %r8, %r4.b2301, %r3.b4657, %r5", 0},
        {"VMNMX4.U8.S8 R8, R3, R4, R5, 0xb, 0x9a",
         "vmin4.s32.u32.s32 %r8.b310, %r3.b3012, %r4.b5476, %r5", 0},
        {"VABSDIFF2.UD.U16.U16 R8, R3, R4, R5, 0x2, 0x6b",
         "vabsdiff2.u32.u32.u32 %r8.h1, %r3.h12, %r4.h23, %r5", 0},
        {"VSET4.GE.UD.U8.U8.ACC R8, R3, R4, R5, 0xf, 0x44",
         "vset4.u32.u32.ge.add %r8, %r3, %r4, %r5", 0},
        {"VSET2.NE R8, R3, R4, R5, 0x1, 0x4e", "vset2.s32.s32.ne %r8.h0, %r3, %r4, %r5", 0},
        {"VMNMX2.MX.SAT R8, R3, R4, R5, 0x3, 0x4e", "vmax2.s32.s32.s32.sat %r8, %r3, %r4, %r5", 0},
        {"VADD4 R8, R3, 0x85, R5, 0xf, 0x44", "vadd4.s32.s32.s32 %r8, %r3, %r7, %r5", 0x85858585},
        {"VADD2.SAT R8, R3, 0x8123, R5, 0x3, 0x2", "vadd2.s32.s32.s32.sat %r8, %r3, %r7, %r5",
         0x81238123},
        {"VABSDIFF2.UD.U16.U16.ACC R8, R3, 0xfedc, R5, 0x3, 0x1",
         "vabsdiff2.u32.u32.u32.add %r8, %r3.h01, %r7, %r5", 0xfedcfedc},
        {"VABSDIFF.UD.U8.U8.ACC R8, R3.B1, R4.B2, R5",
         "vabsdiff.u32.u32.u32.add %r8, %r3.b1, %r4.b2, %r5", 0},
        {"VADD.S16.S16.SAT.MRG_16H R8, R3.H1, R4, R5",
         "vadd.s32.s32.s32.sat %r8.h1, %r3.h1, %r4.h0, %r5", 0},
        {"VADD.UD.U8.U8.SAT.MRG_8B2 R8, R3.B3, R4, R5",
         "vadd.u32.u32.u32.sat %r8.b2, %r3.b3, %r4.b0, %r5", 0},
        {"VMAD.UD.U16.U16.SHR_7 R8, R3, R4.H1, R5",
         "vmad.u32.u32.u32.shr7 %r8, %r3.h0, %r4.h1, %r5", 0},
        {"VSHL.UD.U32.U32.W R8, R3, R4, R5", "vshl.u32.u32.u32.wrap %r8, %r3, %r4", 0},
        {"VSHR.S32.U32.MAX R8, R3, R4, R5", "vshr.s32.s32.u32.clamp.max %r8, %r3, %r4, %r5", 0},
        {"VSET.LE.UD.U32.U32.ACC R8, R3, R4, R5", "vset.u32.u32.le.add %r8, %r3, %r4, %r5", 0},
        {"VMNMX.S8.S16.MIN R8, R3.B2, R4.H1, R5", "vmin.s32.s32.s32.min %r8, %r3.b2, %r4.h1, %r5",
         0},
};
enum { PAIRS = sizeof pairs / sizeof *pairs, WORDS = 64 };

static void video_inputs(uint32_t in[WORDS][3])
{
	static const uint32_t edge[] = {0,          ~0u,        0x80808080, 0x7f7f7f7f,
	                                0x80008000, 0x7fff7fff, 0x00ff00ff, 31};
	uint32_t seed = 12345;
	for (unsigned i = 0; i < WORDS; i++)
		for (unsigned k = 0; k < 3; k++) {
			seed = seed * 1664525 + 1013904223;
			in[i][k] = i < 16 ? edge[(i * 3 + k * 5) % 8] : seed ^ seed >> 13;
		}
}

/* out[t] for t-th words of in; the statement is the whole difference between programs. */
static void video_native(const char *statement, const uint32_t in[WORDS][3], uint32_t out[WORDS])
{
	char text[1024];
	snprintf(text, sizeof text,
	         "code for sm_20\nFunction : k\n.params 4 4\n"
	         "S2R R0, SR_Tid_X;\nIMUL R2, R0, 0xc;\nIADD R2, R2, c [0x0] [0x24];\nLD R3, "
	         "[R2];\nLD R4, [R2+0x4];\nLD R5, [R2+0x8];\n"
	         "%s;\nISCADD R2, R0, c [0x0] [0x20], 0x2;\nST [R2], R8;\nEXIT;\n",
	         statement);
	struct rig r = rig_text(BY_TOKENS, text);
	uint32_t p[16] = {(uint32_t)buffer(&r, NULL, WORDS * 4),
	                  (uint32_t)buffer(&r, in, WORDS * 12)};
	must(&r, run(&r, "k", 1, 1, WORDS, 1, p));
	back(&r, out, p[0], WORDS * 4);
	rig_close(&r);
}

static void video_ptx(const char *statement, uint32_t r7, const uint32_t in[WORDS][3],
                      uint32_t out[WORDS])
{
	char text[2048];
	snprintf(text, sizeof text,
	         ".version 7.0\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 o, "
	         ".param .u64 i)\n{\n"
	         ".reg .b32 %%r<9>;\n.reg .b64 %%d<4>;\nmov.u32 %%r0, %%tid.x;\nld.param.u64 %%d0, "
	         "[o];\nld.param.u64 %%d1, [i];\n"
	         "mad.wide.u32 %%d1, %%r0, 12, %%d1;\nmad.wide.u32 %%d0, %%r0, 4, "
	         "%%d0;\nld.global.b32 %%r3, [%%d1];\nld.global.b32 %%r4, [%%d1+4];\n"
	         "ld.global.b32 %%r5, [%%d1+8];\nmov.u32 %%r7, 0x%x;\n%s;\nst.global.b32 [%%d0], "
	         "%%r8;\nret;\n}\n",
	         r7, statement);
	struct rig r = rig_text(BY_TOKENS, text);
	uint64_t p[8] = {buffer(&r, NULL, WORDS * 4), buffer(&r, in, WORDS * 12)};
	must(&r, run(&r, "k", 1, 1, WORDS, 1, p));
	back(&r, out, p[0], WORDS * 4);
	rig_close(&r);
}

static void video_as_ptx(void **state)
{
	(void)state;
	uint32_t in[WORDS][3], a[WORDS], b[WORDS];
	video_inputs(in);
	for (unsigned i = 0; i < PAIRS; i++) {
		video_native(pairs[i].native, in, a);
		video_ptx(pairs[i].ptx, pairs[i].r7, in, b);
		for (unsigned k = 0; k < WORDS; k++)
			if (a[k] != b[k])
				fail_msg("%s: of 0x%x 0x%x 0x%x: 0x%x, not 0x%x as PTX",
				         pairs[i].native, in[k][0], in[k][1], in[k][2], a[k], b[k]);
	}
}

/* What PTX has not: the lesser of each lane and the third operand's, the least of all lanes, a
 * choice by predicate. */
static void video_alone(void **state)
{
	(void)state;
	uint32_t in[WORDS][3], out[WORDS];
	video_inputs(in);
	video_native("VADD4.SIMD_MIN R8, R3, R4, R5, 0x7, 0x44", in, out);
	for (unsigned i = 0; i < WORDS; i++)
		for (unsigned k = 0; k < 4; k++) {
			int a = (int8_t)(in[i][0] >> 8 * k), b = (int8_t)(in[i][1] >> 8 * k),
			    c = (int8_t)(in[i][2] >> 8 * k);
			assert_int_equal((int8_t)(out[i] >> 8 * k),
			                 (int8_t)(k < 3 && a + b < c ? a + b : c));
		}
	video_native("VADD2.UD.U16.U16.MAX R8, R3, R4, R5, 0x3, 0x4e", in, out);
	for (unsigned i = 0; i < WORDS; i++) {
		uint32_t most = in[i][2];
		for (unsigned k = 0; k < 2; k++) {
			uint32_t s = (in[i][0] >> 16 * k & 0xffff) + (in[i][1] >> 16 * k & 0xffff);
			most = s > most ? s : most;
		}
		assert_int_equal(out[i], most);
	}
	video_native("ISETP.LT.AND P2, pt, R5, RZ, pt;\nVSEL4.UD.U8.U8 R8, R3, R4, !P2, 0xf, 0x84",
	             in, out);
	for (unsigned i = 0; i < WORDS; i++) {
		uint32_t a = in[i][0],
		         swapped = (a & 0xffff0000u) | (a & 255) << 8 | (a >> 8 & 255);
		assert_int_equal(out[i], (int32_t)in[i][2] < 0 ? in[i][1] : swapped);
	}
}

/* ---- sums ---- */

static const uint32_t words[] = {0,          1,      0x7fffffff, 0x80000000, 0xffffffff, 0x80000001,
                                 0x12345678, 0x8000, 0x7fff,     0xffff,     0xfffe8000, 3};
enum { NWORDS = sizeof words / sizeof *words, SUMS = NWORDS * NWORDS };

/* x + y + c in `bits` bits, operands complemented already. */
static uint32_t sum(uint32_t x, uint32_t y, unsigned c, bool sat, unsigned bits, uint32_t *flags)
{
	uint64_t m = (1ull << bits) - 1, u = (x & m) + (y & m) + c;
	int64_t sx = (int64_t)((uint64_t)x << (64 - bits)) >> (64 - bits),
	        sy = (int64_t)((uint64_t)y << (64 - bits)) >> (64 - bits);
	int64_t s = sx + sy + c, lo = -(1ll << (bits - 1)), hi = (1ll << (bits - 1)) - 1,
	        r = !sat     ? s
	            : s < lo ? lo
	            : s > hi ? hi
	                     : s;
	uint32_t v = (uint32_t)((uint64_t)r & m);
	*flags = (v == 0) | (v >> (bits - 1) & 1) << 1 | (uint32_t)(u >> bits & 1) << 2 |
	         (uint32_t)(s < lo || s > hi) << 3;
	return v;
}

/* out[i] = {sum, flags} of words[i / n] and words[i % n]; the carry in is the lowest bit of i. */
static void sums(const char *text, const char *kernel, uint32_t (*out)[2])
{
	struct rig r = rig_text(BY_TOKENS, text);
	uint32_t in[SUMS][2], p[16];
	for (unsigned i = 0; i < SUMS; i++)
		in[i][0] = words[i / NWORDS], in[i][1] = words[i % NWORDS];
	p[0] = (uint32_t)buffer(&r, NULL, SUMS * 8);
	p[1] = (uint32_t)buffer(&r, in, sizeof in);
	must(&r, run(&r, kernel, 1, 1, SUMS, 1, p));
	back(&r, out, p[0], SUMS * 8);
	rig_close(&r);
}

static void fermi_sums(void **state)
{
	(void)state;
	static const struct {
		const char *add;
		bool neg_x, neg_y, carry, one, sat;
	} rows[] = {
	        {"IADD.SAT R6.CC, R4, R5", false, false, false, false, true},
	        {"IADD.SAT.X R6.CC, R4, R5", false, false, true, false, true},
	        {"IADD.SAT.X R6.CC, R4, -R5", false, true, true, false, true},
	        {"IADD.SAT R6.CC, -R4, R5", true, false, false, false, true},
	        {"IADD.PO.SAT R6.CC, R4, R5", false, false, false, true, true},
	        {"IADD.X R6.CC, R4, -R5", false, true, true, false, false},
	        {"IADD.PO R6.CC, R4, R5", false, false, false, true, false},
	};
	for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
		char text[1024];
		uint32_t out[SUMS][2], flags;
		snprintf(text, sizeof text,
		         "code for sm_20\nFunction : k\n.params 4 4\n"
		         "S2R R0, SR_Tid_X;\nISCADD R1, R0, c [0x0] [0x24], 0x3;\nLD.64 R4, "
		         "[R1];\nLOP.AND R2, R0, 0x1;\nSHL R2, R2, 0xe;\n"
		         "R2P PR, R2, 0xf000;\n%s;\nP2R R7, PR, RZ, 0xf000;\nSHR.U32 R7, R7, "
		         "0xc;\nISCADD R1, R0, c [0x0] [0x20], 0x3;\n"
		         "ST.64 [R1], R6;\nEXIT;\n",
		         rows[k].add);
		sums(text, "k", out);
		for (unsigned i = 0; i < SUMS; i++) {
			uint32_t x = words[i / NWORDS], y = words[i % NWORDS];
			unsigned c = rows[k].carry ? i & 1
			                           : rows[k].neg_x || rows[k].neg_y || rows[k].one;
			uint32_t want = sum(rows[k].neg_x ? ~x : x, rows[k].neg_y ? ~y : y, c,
			                    rows[k].sat, 32, &flags);
			if (out[i][0] != want || out[i][1] != flags)
				fail_msg("%s of 0x%x 0x%x: 0x%x %x, not 0x%x %x", rows[k].add, x, y,
				         out[i][0], out[i][1], want, flags);
		}
	}
}

static void tesla_sums(void **state)
{
	(void)state;
	static const struct {
		const char *add;
		bool neg_y, carry, sat;
		unsigned bits;
	} rows[] = {
	        {"IADD.CARRY2.U16.C1 R6L, R4L, R5L", false, true, false, 16},
	        {"IADD.CARRY2.U16.SAT.C1 R6L, R4L, R5L", false, true, true, 16},
	        {"IADD.U16.SAT.C1 R6L, R4L, -R5L", true, false, true, 16},
	        {"IADD.CARRY2.SAT.C1 R6, R4, R5", false, true, true, 32},
	        {"IADD.SAT.C1 R6, R4, -R5", true, false, true, 32},
	        {"IADD.CARRY2.C1 R6, R4, R5", false, true, false, 32},
	};
	for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
		char text[1024];
		uint32_t out[SUMS][2], flags;
		snprintf(text, sizeof text,
		         "code for sm_13\nFunction : k\n.params 4 4\n.const 1 0x1\n"
		         "I2I.U32.U16 R1, R0L;\nSHL R2, R1, 0x3;\nIADD R3, g [0x5], R2;\nGLD.S64 "
		         "R4, global14 [R3];\nMVI R6, 0x0;\n"
		         "LOP.AND R3, R1, c [0x1] [0x0];\nSHL R3, R3, 0x2;\nR2C C2, R3;\n%s;\nC2R "
		         "R7, C1;\nIADD R3, g [0x4], R2;\n"
		         "GST.S64 global14 [R3], R6;\nRET;\n",
		         rows[k].add);
		sums(text, "k", out);
		for (unsigned i = 0; i < SUMS; i++) {
			uint32_t x = words[i / NWORDS], y = words[i % NWORDS];
			unsigned c = rows[k].carry ? i & 1 : rows[k].neg_y;
			uint32_t want = sum(x, rows[k].neg_y ? ~y : y, c, rows[k].sat, rows[k].bits,
			                    &flags);
			if (out[i][0] != want || out[i][1] != flags)
				fail_msg("%s of 0x%x 0x%x: 0x%x %x, not 0x%x %x", rows[k].add, x, y,
				         out[i][0], out[i][1], want, flags);
		}
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
	EACH_WAY(how)
	{
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

/* LOP.X: zero where the words before were. CSETP and PSETP of four bytes. */
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
	EACH_WAY(how)
	{
		struct rig r = rig_text(how, text);
		uint32_t out[8], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 1, 1, 8, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t t = 0; t < 8; t++)
			assert_int_equal(out[t], (t == 0) | (t & 1) << 1 |
			                                 ((t == 0) ^ !(t & 1)) << 2 |
			                                 ((t == 0) | (t & 1)) << 3);
		rig_close(&r);
	}
}

/* Bank 3 has: where SSY and CAL go, relative to what follows them, and the addresses that branches
 * go to, relative for BRA and BRX, absolute for JMP. */
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
	EACH_WAY(how)
	{
		struct rig r = rig_text(how, text);
		uint32_t out[8], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 1, 1, 8, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t t = 0; t < 8; t++)
			assert_int_equal(out[t], (t < 4 ? 0 : 1) + 100);
		rig_close(&r);
	}
}

/* ---- textures and surfaces ---- */

static void bind_image(struct rig *r, const char *name, const void *texel, size_t n, unsigned w,
                       unsigned h, unsigned depth, enum heddle_chan chan)
{
	struct heddle_tex t = {.addr = buffer(r, texel, n),
	                       .width = w,
	                       .height = h,
	                       .depth = depth,
	                       .layered = depth > 0,
	                       .pitch = 4 * w,
	                       .slice = 4ull * w * h,
	                       .channels = 1,
	                       .bits = 32,
	                       .chan = chan};
	must(r, heddle_tex_bind(r->h, r->m, name, &t));
}

/* .I: the number of the texture, from the named one on, above the coordinates or the layer's. */
static void texture_by_register(void **state)
{
	(void)state;
	static const char text[] =
	        "code for sm_20\n.texture one 3\n.texture two 4\n.texture layers 6\nFunction : "
	        "k\n.params 4\n"
	        "S2R R0, SR_Tid_X;\nLOP.AND R1, R0, 0x1;\nSHL R4, R1, 0x17;\nI2F.F32.U32 R5, "
	        "R0;\nMOV32I R6, 0x3f800000;\n"
	        "TEX.I R8, R4, 0x3, 0x0, 2D, 0x1;\nMOV R20, R4;\nMOV R21, RZ;\nTXQ.I.DIM R9, R20, 0x3, 0x1;\nMOV32I R12, "
	        "0x1800000;\nLOP.OR R12, R12, R1;\nMOV R13, R0;\n"
	        "MOV32I R14, 0x1;\nTLD.I.LZ R10, R12, 0x3, ARRAY_2D, 0x1;\n"
	        "IMUL R2, R0, 0xc;\nIADD R2, R2, c [0x0] [0x20];\nST [R2], R8;\nST [R2+0x4], "
	        "R9;\nST [R2+0x8], R10;\nEXIT;\n";
	float one[2][8], two[2][4], layers[2][2][8];
	for (int i = 0; i < 32; i++) {
		(&layers[0][0][0])[i] = (float)(200 + i);
		if (i < 16)
			(&one[0][0])[i] = (float)i;
		if (i < 8)
			(&two[0][0])[i] = (float)(100 + i);
	}
	EACH_WAY(how)
	{
		struct rig r = rig_text(how, text);
		uint32_t p[16] = {0}, out[4][3];
		bind_image(&r, "one", one, sizeof one, 8, 2, 0, HEDDLE_CHAN_FLOAT);
		bind_image(&r, "two", two, sizeof two, 4, 2, 0, HEDDLE_CHAN_FLOAT);
		bind_image(&r, "layers", layers, sizeof layers, 8, 2, 2, HEDDLE_CHAN_FLOAT);
		p[0] = (uint32_t)buffer(&r, NULL, sizeof out);
		must(&r, run(&r, "k", 1, 1, 4, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int t = 0; t < 4; t++) {
			assert_memory_equal(&out[t][0], t % 2 ? &two[1][t] : &one[1][t], 4);
			assert_int_equal(out[t][1], t % 2 ? 4 : 8);
			assert_memory_equal(&out[t][2], &layers[t % 2][1][t], 4);
		}
		rig_close(&r);
	}
}

/* A gather from a layer; .PTP: each texel has an offset of its own, (x, y) in bytes. */
static void gathers(void **state)
{
	(void)state;
	static const char text[] =
	        "code for sm_20\n.texture layers 2\n.texture image 3\nFunction : k\n.params 4\n"
	        "MOV32I R4, 0x1;\nMOV32I R5, 0x40000000;\nMOV32I R6, 0x3f800000;\nTLD4.R R8, R4, "
	        "0x2, 0x0, ARRAY_2D, 0xf;\n"
	        "MOV32I R6, 0x40000000;\nMOV32I R16, 0x1000000;\nMOV32I R17, "
	        "0xff000001;\nTLD4.R.PTP R12, R5, R16, 0x3, 0x0, 2D, 0xf;\n"
	        "MOV R2, c [0x0] [0x20];\nST.128 [R2], R8;\nST.128 [R2+0x10], R12;\nEXIT;\n";
	float layers[2][4][8], image[4][8], out[8];
	for (int i = 0; i < 64; i++)
		(&layers[0][0][0])[i] = (float)i;
	for (int i = 0; i < 32; i++)
		(&image[0][0])[i] = (float)(10 * (i / 8) + i % 8);
	/* (2, 1) of layer 1: columns 1 and 2, rows 0 and 1. (2, 2): columns 1 and 2, rows 1 and 2,
	 * texel by texel moved by (0, 0), (0, 1), (1, 0), (0, -1) */
	const float want[8] = {layers[1][1][1], layers[1][1][2], layers[1][0][2], layers[1][0][1],
	                       image[2][1],     image[3][2],     image[1][3],     image[0][1]};
	EACH_WAY(how)
	{
		struct rig r = rig_text(how, text);
		uint32_t p[16] = {0};
		bind_image(&r, "layers", layers, sizeof layers, 8, 4, 2, HEDDLE_CHAN_FLOAT);
		bind_image(&r, "image", image, sizeof image, 8, 4, 0, HEDDLE_CHAN_FLOAT);
		p[0] = (uint32_t)buffer(&r, NULL, sizeof out);
		must(&r, run(&r, "k", 1, 1, 1, 1, p));
		back(&r, out, p[0], sizeof out);
		assert_memory_equal(out, want, sizeof want);
		rig_close(&r);
	}
}

/* Surfaces that a register names; reductions that PTX has not. */
static void surface_by_register(void **state)
{
	(void)state;
	static const char text[] =
	        "code for sm_20\n.surface a 0\n.surface b 1\nFunction : k\n.params 4\n"
	        "S2R R0, SR_Tid_X;\nLOP.AND R1, R0, 0x1;\nSHL R4, R0, 0x2;\nMOV R5, RZ;\nSULD.B.2D "
	        "R6, [R4], R1;\nIADD R6, R6, 0x64;\n"
	        "MOV32I R5, 0x1;\nSUST.B.2D [R4], R1, R6;\nMOV R4, RZ;\nMOV32I R5, 0x2;\nMOV32I "
	        "R6, 0x5;\nSURED.2D.INC [R4], 0x0, R6;\n"
	        "MOV32I R4, 0x4;\nSURED.2D.DEC [R4], 0x0, R6;\nMOV32I R4, 0x8;\nSURED.2D.XOR [R4], "
	        "0x0, R0;\nEXIT;\n";
	EACH_WAY(how)
	{
		struct rig r = rig_text(how, text);
		uint32_t a[3][8] = {{0}}, b[3][8] = {{0}}, p[16] = {0};
		for (uint32_t x = 0; x < 8; x++)
			a[0][x] = x, b[0][x] = 10 * x;
		struct heddle_tex t = {.addr = buffer(&r, a, sizeof a),
		                       .width = 8,
		                       .height = 3,
		                       .pitch = 32,
		                       .channels = 1,
		                       .bits = 32,
		                       .chan = HEDDLE_CHAN_UNSIGNED};
		must(&r, heddle_tex_bind(r.h, r.m, "a", &t));
		uint64_t at = t.addr;
		t.addr = buffer(&r, b, sizeof b);
		must(&r, heddle_tex_bind(r.h, r.m, "b", &t));
		must(&r, run(&r, "k", 1, 1, 8, 1, p));
		back(&r, a, at, sizeof a);
		back(&r, b, t.addr, sizeof b);
		for (uint32_t x = 0; x < 8; x++) {
			assert_int_equal(a[1][x], x % 2 ? 0 : x + 100);
			assert_int_equal(b[1][x], x % 2 ? 10 * x + 100 : 0);
		}
		assert_int_equal(a[2][0], 2); /* 1 2 3 4 5 0 1 2 */
		assert_int_equal(a[2][1], 4); /* 5 4 3 2 1 0 5 4 */
		assert_int_equal(a[2][2], 0 ^ 1 ^ 2 ^ 3 ^ 4 ^ 5 ^ 6 ^ 7);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(fermi_lock),          cmocka_unit_test(tesla_lock),
	        cmocka_unit_test(global_lock),         cmocka_unit_test(tesla_halves),
	        cmocka_unit_test(barrier_state),       cmocka_unit_test(video_as_ptx),
	        cmocka_unit_test(video_alone),         cmocka_unit_test(fermi_sums),
	        cmocka_unit_test(tesla_sums),          cmocka_unit_test(three_words),
	        cmocka_unit_test(small_forms),         cmocka_unit_test(constant_targets),
	        cmocka_unit_test(texture_by_register), cmocka_unit_test(gathers),
	        cmocka_unit_test(surface_by_register),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
