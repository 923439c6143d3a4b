/* Textures and surfaces of native code: every geometry, offsets, gradients, gathers, references
 * that a register names, queries. */
#include "native_rig.h"

/* out[t] = texture at (t, 1), by coordinates and by texel number, on both generations. */
static void textures(void **state)
{
	(void)state;
	static const char fermi[] = "code for sm_20\n.texture image 3\nFunction : k\n.params 4\n"
				    "S2R R0, SR_Tid_X;\nI2F.F32.U32 R4, R0;\nMOV32I R5, "
				    "0x3f800000;\nTEX R8, R4, 0x3, 0x0, 2D, 0x3;\n"
				    "MOV R4, R0;\nMOV32I R5, 0x1;\nTLD.LZ R10, R4, 0x3, 2D, "
				    "0x2;\nTXQ.DIM R12, RZ, 0x3, 0x3;\n"
				    "IMUL R2, R0, 0x14;\nIADD R2, R2, c [0x0] [0x20];\nST [R2], "
				    "R8;\nST [R2+0x4], R9;\nST [R2+0x8], R10;\nST [R2+0xc], R12;\n"
				    "ST [R2+0x10], R13;\nEXIT;\n";
	float texel[4][8][2];
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 8; x++)
			texel[y][x][0] = (float)(10 * y + x), texel[y][x][1] = -texel[y][x][0];
	EACH_WAY (how) {
		struct rig r;
		uint32_t p[16] = {0}, out[8][5];
		if (rig_load(&r, how, "tex.sass", fermi, sizeof fermi - 1))
			fail_msg("%s", heddle_message(r.h));
		struct heddle_tex t = {.addr = buffer(&r, texel, sizeof texel),
				       .width = 8,
				       .height = 4,
				       .pitch = 64,
				       .channels = 2,
				       .bits = 32,
				       .chan = HEDDLE_CHAN_FLOAT};
		must(&r, heddle_tex_bind(r.h, r.m, "image", &t));
		p[0] = (uint32_t)buffer(&r, NULL, sizeof out);
		must(&r, run(&r, "k", 1, 1, 8, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int x = 0; x < 8; x++) {
			assert_memory_equal(&out[x][0], texel[1][x], 8);
			assert_memory_equal(&out[x][2], &texel[1][x][1], 4);
			assert_int_equal(out[x][3], 8);
			assert_int_equal(out[x][4], 4);
		}
		rig_close(&r);
	}
}

/* Texel offsets: fields of four bits after the level; of one byte in a gather. */
static void texel_offsets(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\n.texture image 3\nFunction : k\n.params 4\n"
		"S2R R0, SR_Tid_X;\nIADD R4, R0, 0x3;\nI2F.F32.U32 R6, R4;\nMOV32I R7, "
		"0x40000000;\nMOV32I R5, 0x2;\n"
		"MOV32I R8, 0x1e;\nTEX.AOFFI R12, R6, R8, 0x3, 0x0, 2D, 0x1;\n" /* (t + 3 - 2, 2 +
	                                                                           1) */
		"MOV R8, RZ;\nMOV32I R9, 0xf1;\nTLD.LL.AOFFI R13, R4, R8, 0x3, 2D, 0x1;\n" /* (t + 3
	                                                                                      + 1, 2
	                                                                                      - 1)
	                                                                                    */
		"MOV32I R8, 0x1fe;\nTLD4.R.AOFFI R16, R6, R8, 0x3, 0x0, 2D, 0xf;\n"
		"IMUL R2, R0, 0x18;\nIADD R2, R2, c [0x0] [0x20];\nST.64 [R2], R12;\nST.64 "
		"[R2+0x8], R16;\nST.64 [R2+0x10], R18;\nEXIT;\n";
	float texel[4][8], out[4][6];
	for (int i = 0; i < 32; i++)
		texel[i / 8][i % 8] = (float)(10 * (i / 8) + i % 8);
	EACH_WAY (how) {
		struct rig r;
		uint32_t p[16] = {0};
		if (rig_load(&r, how, "tex.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		struct heddle_tex t = {.addr = buffer(&r, texel, sizeof texel),
				       .width = 8,
				       .height = 4,
				       .pitch = 32,
				       .channels = 1,
				       .bits = 32,
				       .chan = HEDDLE_CHAN_FLOAT};
		must(&r, heddle_tex_bind(r.h, r.m, "image", &t));
		p[0] = (uint32_t)buffer(&r, NULL, sizeof out);
		must(&r, run(&r, "k", 1, 1, 4, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int x = 0; x < 4; x++) {
			/* the gather at (x + 3, 2) is of columns x + 2 and x + 3, rows 1 and 2; by
			 * (-2, 1) further */
			const float want[6] = {texel[3][x + 1], texel[1][x + 4], texel[3][x],
					       texel[3][x + 1], texel[2][x + 1], texel[2][x]};
			assert_memory_equal(out[x], want, sizeof want);
		}
		rig_close(&r);
	}
}

/* TXD takes ds/dx ds/dy dt/dx dt/dy. Thread t has 1/2 as derivative t and 0 as the others: 4 of 8
 * columns select level 2, 2 of 4 rows level 1. */
static void gradients(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\n.texture image 3\nFunction : k\n.params 4\n"
		"S2R R0, SR_Tid_X;\nMOV32I R3, 0x3f000000;\nMOV R4, RZ;\nMOV R5, RZ;\n"
		"ISETP.EQ.AND P0, pt, R0, 0x0, pt;\nSEL R8, R3, RZ, P0;\nISETP.EQ.AND P0, pt, R0, "
		"0x1, pt;\nSEL R9, R3, RZ, P0;\n"
		"ISETP.EQ.AND P0, pt, R0, 0x2, pt;\nSEL R10, R3, RZ, P0;\nISETP.EQ.AND P0, pt, R0, "
		"0x3, pt;\nSEL R11, R3, RZ, P0;\n"
		"TXD R12, R4, R8, 0x3, 0x0, 2D, 0x1;\nISCADD R2, R0, c [0x0] [0x20], 0x2;\nST "
		"[R2], R12;\nEXIT;\n";
	float texel[32 + 8 + 2], out[5];
	for (int i = 0; i < 42; i++)
		texel[i] = i < 32   ? 0.0f
			   : i < 40 ? 1.0f
				    : 2.0f; /* each texel's value is its level */
	EACH_WAY (how) {
		struct rig r;
		uint32_t p[16] = {0};
		if (rig_load(&r, how, "tex.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		struct heddle_tex t = {.addr = buffer(&r, texel, sizeof texel),
				       .width = 8,
				       .height = 4,
				       .pitch = 32,
				       .channels = 1,
				       .bits = 32,
				       .chan = HEDDLE_CHAN_FLOAT,
				       .normalized_coords = true,
				       .levels = 3,
				       .level_offset = {0, 128, 160},
				       .mip_max = 2};
		must(&r, heddle_tex_bind(r.h, r.m, "image", &t));
		p[0] = (uint32_t)buffer(&r, NULL, sizeof out);
		must(&r, run(&r, "k", 1, 1, 5, 1, p));
		back(&r, out, p[0], sizeof out);
		assert_memory_equal(out, ((const float[]){2, 2, 1, 1, 0}), sizeof out);
		rig_close(&r);
	}
}

/* Tesla's TEX: coordinates and result in the same registers; w0, w1: two coordinates, components R
 * and G; the second instruction has texel offsets (1, -1). */
static void tesla_texture_by(unsigned w1, int dx, int dy)
{
	static const char format[] =
		"code for sm_10\n.texture image 1\nFunction : k\n.params 4\n"
		"I2I.U32.U16 R1, R0L;\nI2F.F32.U32 R4, R1;\nMVI R5, "
		"0x40000000;\n/*0xf6400211%08x*/;\n"
		"SHL R2, R1, 0x3;\nIADD R2, g [0x4], R2;\nGST.U32 global14 [R2], R4;\nIADD32I R2, "
		"R2, 0x4;\nGST.U32 global14 [R2], R5;\nRET;\n";
	char text[sizeof format + 16];
	int n = snprintf(text, sizeof text, format, w1);
	float texel[4][8][2], out[8][2];
	for (int i = 0; i < 64; i++)
		(&texel[0][0][0])[i] = (float)i * 0.5f;
	EACH_WAY (how) {
		struct rig r;
		uint32_t p[16] = {0};
		if (rig_load(&r, how, "tex.sass", text, (size_t)n))
			fail_msg("%s", heddle_message(r.h));
		struct heddle_tex t = {.addr = buffer(&r, texel, sizeof texel),
				       .width = 8,
				       .height = 4,
				       .pitch = 64,
				       .channels = 2,
				       .bits = 32,
				       .chan = HEDDLE_CHAN_FLOAT};
		must(&r, heddle_tex_bind(r.h, r.m, "image", &t));
		p[0] = (uint32_t)buffer(&r, NULL, sizeof out);
		must(&r, run(&r, "k", 1, 1, 8, 1, p));
		back(&r, out, p[0], sizeof out);
		for (int x = 0; x < 8; x++) /* the edge is repeated */
			assert_memory_equal(out[x], texel[2 + dy][x + dx > 7 ? 7 : x + dx],
					    sizeof out[x]);
		rig_close(&r);
	}
}

static void tesla_texture(void **state)
{
	(void)state;
	tesla_texture_by(0x784, 0, 0);
	tesla_texture_by(0x1f00784, 1, -1);
}

/* Bytes of a surface: SUST.B writes the bytes that SULD.B read one row further down. */
static void surfaces(void **state)
{
	(void)state;
	static const char text[] = "code for sm_20\n.surface plane 2\nFunction : k\n.params 4\n"
				   "S2R R0, SR_Tid_X;\nSHL R4, R0, 0x2;\nMOV R5, RZ;\nSULD.B.2D "
				   "R6, [R4], 0x2;\nIADD R6, R6, 0x64;\nMOV32I R5, 0x1;\n"
				   "SUST.B.2D [R4], 0x2, R6;\nMOV R4, RZ;\nMOV R5, RZ;\nMOV32I R6, "
				   "0x1;\nSURED.2D.ADD [R4], 0x2, R6;\nEXIT;\n";
	uint32_t texel[2][8];
	EACH_WAY (how) {
		struct rig r;
		uint32_t p[16] = {0};
		for (int x = 0; x < 8; x++)
			texel[0][x] = (uint32_t)x * x, texel[1][x] = 0;
		if (rig_load(&r, how, "surf.sass", text, sizeof text - 1))
			fail_msg("%s", heddle_message(r.h));
		struct heddle_tex t = {.addr = buffer(&r, texel, sizeof texel),
				       .width = 8,
				       .height = 2,
				       .pitch = 32,
				       .channels = 1,
				       .bits = 32,
				       .chan = HEDDLE_CHAN_UNSIGNED};
		must(&r, heddle_tex_bind(r.h, r.m, "plane", &t));
		must(&r, run(&r, "k", 1, 1, 8, 1, p));
		back(&r, texel, t.addr, sizeof texel);
		for (uint32_t x = 0; x < 8; x++)
			assert_int_equal(texel[1][x], x * x + 100);
		assert_int_equal(texel[0][0], 8);
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
		"TEX.I R8, R4, 0x3, 0x0, 2D, 0x1;\nMOV R20, R4;\nMOV R21, RZ;\nTXQ.I.DIM R9, R20, "
		"0x3, 0x1;\nMOV32I R12, "
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
	EACH_WAY (how) {
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

/* A gather from a layer; .PTP: each texel has a separate offset, (x, y) in bytes. */
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
	EACH_WAY (how) {
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

/* Surfaces named by a register; reductions that PTX does not have. */
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
	EACH_WAY (how) {
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

static void bind(struct rig *r, const char *name, const void *texel, size_t n, struct heddle_tex t)
{
	t.addr = buffer(r, texel, n);
	must(r, heddle_tex_bind(r->h, r->m, name, &t));
}

/* Tesla's gather (a fetch of sub-opcode 4) takes the first component of the four texels around a
 * coordinate; its query has the level in the first register, Fermi's in the register of the
 * coordinates. */
static void tesla_gather(void **state)
{
	(void)state;
	static const char text[] = "code for sm_12\n.texture image 3\nFunction : k\n.params 4\nMVI "
				   "R4, 0x40000000;\nMVI R5, 0x40000000;\n"
				   "TLD4.FETCH R4, 0x3, 0x0, 0x1, 0x3, 0x3, 0x0;\nMVI R8, "
				   "0x1;\nTXQ R8, 0x3, 0x0, 0x0, 0x3, 0x2, 0x0;\n"
				   "MOV R2, g [0x4];\nGST.S128 global14 [R2], R4;\nMVI R3, "
				   "0x10;\nIADD R2, R2, R3;\nGST.S128 global14 [R2], R8;\nRET;\n";
	float image[4][8], out[4];
	uint32_t size[4];
	for (int i = 0; i < 32; i++)
		(&image[0][0])[i] = (float)(10 * (i / 8) + i % 8);
	const float want[4] = {image[2][1], image[2][2], image[1][2], image[1][1]};
	EACH_WAY (how) {
		struct rig r = rig_text(how, text);
		bind(&r, "image", image, sizeof image,
		     (struct heddle_tex){.width = 8,
					 .height = 4,
					 .pitch = 32,
					 .channels = 1,
					 .bits = 32,
					 .chan = HEDDLE_CHAN_FLOAT});
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

/* SULEA computes the address of a surface coordinate, for any access, and whether the coordinate is
 * inside; .IGN leaves it unchanged, the default clamps. Threads 0 to 7 are inside, the others
 * beyond the row's end. */
static void surface_address(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\n.surface plane 1\nFunction : k\n.params 4\nS2R R0, SR_Tid_X;\nSHL "
		"R4, R0, 0x2;\n"
		"MOV32I R5, 0x1;\nSULEA.2D.IGN R8, P1, [R4], 0x1;\n@P1 RED.E.ADD [R8], R0;\n"
		"SULEA.2D R10, P2, [R4], 0x1;\nSEL R6, R0, RZ, P2;\nRED.E.MAX [R10], R6;\n"
		"P2R R7, PR, RZ, 0x6;\nISCADD R2, R0, c [0x0] [0x20], 0x2;\nST [R2], R7;\nEXIT;\n";
	struct heddle_tex t = {.width = 8,
			       .height = 3,
			       .pitch = 48,
			       .channels = 1,
			       .bits = 32,
			       .chan = HEDDLE_CHAN_UNSIGNED};
	EACH_WAY (how) {
		struct rig r = rig_text(how, text);
		uint32_t plane[3][12] = {{0}}, out[12],
			 p[16] = {(uint32_t)buffer(&r, NULL, sizeof out)};
		t.addr = buffer(&r, plane, sizeof plane);
		must(&r, heddle_tex_bind(r.h, r.m, "plane", &t));
		must(&r, run(&r, "k", 1, 1, 12, 1, p));
		back(&r, out, p[0], sizeof out);
		back(&r, plane, t.addr, sizeof plane);
		for (uint32_t i = 0; i < 12; i++) {
			assert_int_equal(out[i], i < 8 ? 6 : 4);
			assert_int_equal(plane[1][i], i < 7 ? i : i == 7 ? 11 : 0);
			assert_int_equal(plane[0][i] | plane[2][i], 0);
		}
		rig_close(&r);
	}
}

/* SUQ and TXQ of Fermi. */
static void queries(void **state)
{
	(void)state;
	static const char text[] =
		"code for sm_20\n.surface plane 1\n.texture image 2\nFunction : k\n.params "
		"4\nMOV32I R4, 0x1;\n"
		"SUQ.DIM R8, 0x1;\nSUQ.RANK R11, 0x1;\nTXQ.DIM R12, R4, 0x2, 0x3;\nTXQ.DIM R14, "
		"RZ, 0x2, 0x3;\n"
		"MOV R2, c [0x0] [0x20];\nST.128 [R2], R8;\nST.128 [R2+0x10], R12;\nEXIT;\n";
	static const uint32_t want[8] = {8, 4, 0, 2, 8, 2, 16, 4};
	struct heddle_tex t = {.width = 8,
			       .height = 4,
			       .pitch = 64,
			       .channels = 1,
			       .bits = 32,
			       .chan = HEDDLE_CHAN_UNSIGNED};
	EACH_WAY (how) {
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
		cmocka_unit_test(textures),        cmocka_unit_test(texel_offsets),
		cmocka_unit_test(gradients),       cmocka_unit_test(tesla_texture),
		cmocka_unit_test(surfaces),        cmocka_unit_test(texture_by_register),
		cmocka_unit_test(gathers),         cmocka_unit_test(surface_by_register),
		cmocka_unit_test(tesla_gather),    cmocka_unit_test(queries),
		cmocka_unit_test(surface_address),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
