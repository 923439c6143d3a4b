/* Video instructions: parts of words, two and four lanes, with PTX equivalents and without. */
#include "native_rig.h"

/* ---- video ---- */

/* R3, R4, R5 are a, b, c; in the PTX statement %r7 has an immediate's lanes. */
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
	{"VMAD.UD.U32.U32.SHR_15.SAT R8, R3, R4, R5",
	 "vmad.u32.u32.u32.sat.shr15 %r8, %r3, %r4, %r5", 0},
	{"VMAD.U32.U32.SAT R8, -R3, R4, R5", "vmad.s32.u32.u32.sat %r8, -%r3, %r4, %r5", 0},
	{"VSHL.UD.U32.U32.SAT R8, R3, R4, R5", "vshl.u32.u32.u32.sat.clamp %r8, %r3, %r4", 0},
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

/* Operations that PTX lacks: the lesser of each lane and the third operand's, the least of all lanes, a
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

/* Four bytes or two halves at once: lanes of the mask are computed, the others come from the third
 * operand. */
static void simd_video(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\nFunction : k\n.params 4 4 4 4\n"
				   "S2R R0, SR_Tid_X;\nISCADD R1, R0, c [0x0] [0x24], 0x2;\nISCADD "
				   "R2, R0, c [0x0] [0x28], 0x2;\nLD R3, [R1];\nLD R4, [R2];\n"
				   "MOV32I R5, 0x7f7f7f7f;\nVADD4.SAT R8, R3, R4, R5, 0xf, "
				   "0x44;\nVABSDIFF4.UD.U8.U8 R9, R3, R4, R5, 0x5, 0x44;\n"
				   "VABSDIFF4.UD.U8.U8.ACC R10, R3, R4, R5, 0xf, 0x44;\nVMNMX4.MX "
				   "R11, R3, R4, R5, 0xf, 0x44;\n"
				   "ISCADD R2, R0, c [0x0] [0x20], 0x4;\nST.128 [R2], "
				   "R8;\nVADD2.SAT R12, R3, R4, R5, 0x3, 0x4e;\n"
				   "ISCADD R2, R0, c [0x0] [0x2c], 0x2;\nST [R2], R12;\nEXIT;\n";
	uint32_t a[32], b[32], out[32][4], halves[32];
	for (uint32_t i = 0; i < 32; i++)
		a[i] = i * 0x9e3779b1u, b[i] = (31 - i) * 0x85ebca6bu;
	EACH_WAY (how) {
		struct rig r;
		if (rig_load(&r, how, "simd.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, sizeof out),
				  (uint32_t)buffer(&r, a, sizeof a),
				  (uint32_t)buffer(&r, b, sizeof b),
				  (uint32_t)buffer(&r, NULL, sizeof halves)};
		must(&r, run(&r, "k", 1, 1, 32, 1, p));
		back(&r, out, p[0], sizeof out);
		back(&r, halves, p[3], sizeof halves);
		for (int i = 0; i < 32; i++) {
			uint32_t want[4] = {0, 0x7f7f7f7f, 0x7f7f7f7f, 0};
			for (int k = 0; k < 4; k++) {
				int x = (int8_t)(a[i] >> 8 * k), y = (int8_t)(b[i] >> 8 * k),
				    s = x + y;
				uint32_t ux = a[i] >> 8 * k & 255, uy = b[i] >> 8 * k & 255,
					 d = ux > uy ? ux - uy : uy - ux;
				s = s < -128 ? -128 : s > 127 ? 127 : s;
				want[0] |= (uint32_t)(uint8_t)s << 8 * k;
				if (5 >> k & 1)
					want[1] = (want[1] & ~(255u << 8 * k)) | d << 8 * k;
				want[2] += d;
				want[3] |= (uint32_t)(uint8_t)(x > y ? x : y) << 8 * k;
			}
			assert_memory_equal(out[i], want, sizeof want);
			for (int k = 0; k < 2; k++) {
				int s = (int16_t)(a[i] >> 16 * k) + (int16_t)(b[i] >> 16 * k);
				assert_int_equal((int16_t)(halves[i] >> 16 * k), s < -32768 ? -32768
										 : s > 32767 ? 32767
											     : s);
			}
		}
		rig_close(&r);
	}
}

/* VSEL4, VSEL2: the predicate replaces the third operand, which is then taken as zero in unwritten
 * lanes, in sums and in minima. */
static void lanes_selected(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\nFunction : k\n.params 4\nMOV32I R3, 0x11223344;\nMOV32I R4, "
		"0x85060708;\n"
		"ISETP.EQ.AND P2, pt, RZ, RZ, pt;\nVSEL4.UD.U8.U8 R8, R3, R4, P2, 0x5, 0x44;\n"
		"VSEL4.UD.U8.U8.ACC R9, R3, R4, !P2, 0xf, 0x44;\nVSEL2.MIN R10, R3, R4, !P2, 0x3, "
		"0x4e;\n"
		"VSEL2.UD.U16.U16 R11, R3, R4, P2, 0x2, 0x4e;\n"
		"MOV R2, c [0x0] [0x20];\nST.128 [R2], R8;\nEXIT;\n";
	static const uint32_t want[4] = {0x00220044, 0x85 + 6 + 7 + 8, 0xffff8506, 0x11220000};
	EACH_WAY (how) {
		uint32_t out[4];
		run_text(how, text, 1, out, sizeof out);
		assert_memory_equal(out, want, sizeof want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(video_as_ptx),
		cmocka_unit_test(video_alone),
		cmocka_unit_test(simd_video),
		cmocka_unit_test(lanes_selected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
