/* Forms of instructions whose meaning is our reading of public names, or was measured by others: docs/native.md says
 * which. */
#include "native_rig.h"

static void bind(struct rig *r, const char *name, const void *texel, size_t n, struct heddle_tex t)
{
	t.addr = buffer(r, texel, n);
	must(r, heddle_tex_bind(r->h, r->m, name, &t));
}

/* VSEL4, VSEL2: the third operand, in whose place the predicate stands, is zero: lanes that are not written, what a
 * sum begins with, what the least is compared with. */
static void lanes_selected(void **state)
{
	(void)state;
	static const char text[] =
	        "code for sm_20\nFunction : k\n.params 4\nMOV32I R3, 0x11223344;\nMOV32I R4, 0x85060708;\n"
	        "ISETP.EQ.AND P2, pt, RZ, RZ, pt;\nVSEL4.UD.U8.U8 R8, R3, R4, P2, 0x5, 0x44;\n"
	        "VSEL4.UD.U8.U8.ACC R9, R3, R4, !P2, 0xf, 0x44;\nVSEL2.MIN R10, R3, R4, !P2, 0x3, 0x4e;\n"
	        "VSEL2.UD.U16.U16 R11, R3, R4, P2, 0x2, 0x4e;\n"
	        "MOV R2, c [0x0] [0x20];\nST.128 [R2], R8;\nEXIT;\n";
	static const uint32_t want[4] = {0x00220044, 0x85 + 6 + 7 + 8, 0xffff8506, 0x11220000};
	EACH_WAY(how)
	{
		struct rig r = rig_text(how, text);
		uint32_t out[4], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 1, 1, 1, 1, p));
		back(&r, out, p[0], sizeof out);
		assert_memory_equal(out, want, sizeof want);
		rig_close(&r);
	}
}

/* Exchanges and bits are the same for every type of 32 bits; counters are without sign. */
static void atomics_of_bits(void **state)
{
	(void)state;
	static const char text[] =
	        "code for sm_20\nFunction : k\n.params 4 4\nMOV R2, c [0x0] [0x24];\nMOV32I R4, 0x80000005;\nMOV32I R5, 0x7;\n"
	        "ATOM.CAS.S32 R8, [R2], R4, R5;\nATOM.EXCH.S32 R9, [R2+0x4], R5;\nATOM.AND.S32 R10, [R2+0x8], R5;\n"
	        "ATOM.INC.S32 R11, [R2+0xc], R4;\nATOM.EXCH.F32.FTZ.RN R12, [R2+0x10], R4;\nATOM.CAS.F32.FTZ.RN R13, [R2+0x14], R4, R5;\n"
	        "RED.XOR.S32 [R2+0x18], R5;\nMOV R3, c [0x0] [0x20];\nST.128 [R3], R8;\nST.64 [R3+0x10], R12;\nEXIT;\n";
	static const uint32_t old[7] = {0x80000005, 1, 0xff, 0x80000005, 3, 4, 0xf0};
	static const uint32_t now[7] = {7, 7, 7, 0, 0x80000005, 4, 0xf7};
	EACH_WAY(how)
	{
		struct rig r = rig_text(how, text);
		uint32_t got[7], out[6], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), (uint32_t)buffer(&r, old, sizeof old)};
		must(&r, run(&r, "k", 1, 1, 1, 1, p));
		back(&r, out, p[0], sizeof out);
		back(&r, got, p[1], sizeof got);
		assert_memory_equal(out, old, sizeof out);
		assert_memory_equal(got, now, sizeof now);
		rig_close(&r);
	}
}

/* LDC.IL, .IS and .ISL take the banks as one space: word 1 of bank 3 from bank 2. */
static void linear_constants(void **state)
{
	(void)state;
	static const char text[] =
	        "code for sm_20\nFunction : k\n.params 4\n.const 2 0x20 0x21\n.const 3 0x30 0x31\nMOV32I R4, 0x10000;\n"
	        "LDC.IL R8, c [0x2] [R4+0x4];\nLDC.IS R9, c [0x2] [R4+0x4];\nLDC.ISL R10, c [0x2] [R4+0x4];\n"
	        "LDC.IL R11, c [0x2] [RZ+0x4];\nMOV R2, c [0x0] [0x20];\nST.128 [R2], R8;\nEXIT;\n";
	static const uint32_t want[4] = {0x31, 0x31, 0x31, 0x21};
	struct rig r = rig_text(BY_TOKENS, text);
	uint32_t out[4], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
	must(&r, run(&r, "k", 1, 1, 1, 1, p));
	back(&r, out, p[0], sizeof out);
	assert_memory_equal(out, want, sizeof want);
	rig_close(&r);
}

/* Atomics of 8 and 16 bits: sm_11 adds in all parts of the word, sm_13 nowhere; both return the part asked for. */
static void small_atomics(void **state)
{
	(void)state;
	static const char body[] =
	        "Function : k\n.params 4 4\nMOV R2, g [0x5];\nMVI R5, 0x7701;\nGATOM.IADD.S8 R8, global14 [R2], R5;\n"
	        "MVI R3, 0x4;\nIADD R2, R2, R3;\nGATOM.OR.U16 R9, global14 [R2], R5;\nIADD R2, R2, R3;\n"
	        "GRED.IADD.U8 global14 [R2], R5;\nMOV R2, g [0x4];\nGST.S64 global14 [R2], R8;\nRET;\n";
	static const uint32_t old[3] = {0x010203fe, 0x00040005, 0x10}, sum[3] = {0x020304ff, 0x77057705, 0x01010111};
	for (unsigned sm = 11; sm <= 13; sm += 2)
		EACH_WAY(how)
		{
			char text[1024];
			snprintf(text, sizeof text, "code for sm_%u\n%s", sm, body);
			struct rig r = rig_text(how, text);
			uint32_t got[3], out[2], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out), (uint32_t)buffer(&r, old, sizeof old)};
			must(&r, run(&r, "k", 1, 1, 1, 1, p));
			back(&r, out, p[0], sizeof out);
			back(&r, got, p[1], sizeof got);
			assert_int_equal((int32_t)out[0], -2);
			assert_int_equal(out[1], 5);
			assert_memory_equal(got, sm == 11 ? sum : old, sizeof got);
			rig_close(&r);
		}
}

/* A barrier of Tesla's for two of three warps: each reads what the other wrote, the third does not wait. */
static void some_warps(void **state)
{
	(void)state;
	static const char text[] =
	        "code for sm_13\nFunction : k\n.params 4\n.const 1 0x40 0x20\n.shared 1024\n"
	        "I2I.U32.U16 R1, R0L;\nISET.C0 o [0x7f], R1, c [0x1] [0x0], GE;\nMVI R4, 0x63;\nBRA C0.NE, `(.L_out);\n"
	        "R2A A1, R1, 0x2;\nR2G.U32.U32 g [A1+0x40], R1;\nBAR.ARV.WAIT b1, 0x40;\n"
	        "LOP.XOR R3, R1, c [0x1] [0x1];\nR2A A2, R3, 0x2;\nG2R.U32 R4, g [A2+0x40].U32;\n"
	        ".L_out:\nSHL R2, R1, 0x2;\nIADD R3, g [0x4], R2;\nGST.U32 global14 [R3], R4;\nRET;\n";
	EACH_WAY(how)
	{
		struct rig r = rig_text(how, text);
		uint32_t out[96], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		must(&r, run(&r, "k", 1, 1, 96, 1, p));
		back(&r, out, p[0], sizeof out);
		for (uint32_t i = 0; i < 96; i++)
			assert_int_equal(out[i], i < 64 ? i ^ 32 : 0x63);
		rig_close(&r);
	}
}

/* Tesla's gather (a fetch of sub-opcode 4) takes the first component of the four texels about a place; its query has
 * the level in the first register, Fermi's in that of the coordinates. */
static void tesla_gather(void **state)
{
	(void)state;
	static const char text[] =
	        "code for sm_12\n.texture image 3\nFunction : k\n.params 4\nMVI R4, 0x40000000;\nMVI R5, 0x40000000;\n"
	        "TLD4.FETCH R4, 0x3, 0x0, 0x1, 0x3, 0x3, 0x0;\nMVI R8, 0x1;\nTXQ R8, 0x3, 0x0, 0x0, 0x3, 0x2, 0x0;\n"
	        "MOV R2, g [0x4];\nGST.S128 global14 [R2], R4;\nMVI R3, 0x10;\nIADD R2, R2, R3;\nGST.S128 global14 [R2], R8;\nRET;\n";
	float image[4][8], out[4];
	uint32_t size[4];
	for (int i = 0; i < 32; i++)
		(&image[0][0])[i] = (float)(10 * (i / 8) + i % 8);
	const float want[4] = {image[2][1], image[2][2], image[1][2], image[1][1]};
	EACH_WAY(how)
	{
		struct rig r = rig_text(how, text);
		bind(&r, "image", image, sizeof image, (struct heddle_tex){.width = 8, .height = 4, .pitch = 32, .channels = 1,
			.bits = 32, .chan = HEDDLE_CHAN_FLOAT});
		uint32_t p[16] = {(uint32_t)buffer(&r, NULL, 32)};
		must(&r, run(&r, "k", 1, 1, 1, 1, p));
		back(&r, out, p[0], sizeof out);
		back(&r, size, p[0] + 16, sizeof size);
		assert_memory_equal(out, want, sizeof want);
		assert_int_equal(size[0], 4); /* level 1 */
		assert_int_equal(size[1], 2);
		assert_int_equal(size[2], 1); /* levels */
		rig_close(&r);
	}
}

/* SUQ and TXQ of Fermi. */
static void queries(void **state)
{
	(void)state;
	static const char text[] =
	        "code for sm_20\n.surface plane 1\n.texture image 2\nFunction : k\n.params 4\nMOV32I R4, 0x1;\n"
	        "SUQ.DIM R8, 0x1;\nSUQ.RANK R11, 0x1;\nTXQ.DIM R12, R4, 0x2, 0x3;\nTXQ.DIM R14, RZ, 0x2, 0x3;\n"
	        "MOV R2, c [0x0] [0x20];\nST.128 [R2], R8;\nST.128 [R2+0x10], R12;\nEXIT;\n";
	static const uint32_t want[8] = {8, 4, 0, 2, 8, 2, 16, 4};
	struct heddle_tex t = {.width = 8, .height = 4, .pitch = 64, .channels = 1, .bits = 32, .chan = HEDDLE_CHAN_UNSIGNED};
	EACH_WAY(how)
	{
		struct rig r = rig_text(how, text);
		uint32_t out[8], p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		bind(&r, "plane", NULL, 256, t);
		t.width = 16;
		bind(&r, "image", NULL, 256, t);
		t.width = 8;
		must(&r, run(&r, "k", 1, 1, 1, 1, p));
		back(&r, out, p[0], sizeof out);
		assert_memory_equal(out, want, sizeof want);
		rig_close(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(lanes_selected), cmocka_unit_test(atomics_of_bits), cmocka_unit_test(linear_constants),
	        cmocka_unit_test(small_atomics),  cmocka_unit_test(some_warps),      cmocka_unit_test(tesla_gather),
	        cmocka_unit_test(queries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
