/* The tensor core: vector code gives the bits of scalar integer code for all operands; tensor maps
 * can be read back from their bytes; mbarrier words count as in hardware. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "exec/mma/tensor_core.h"
#include "exec/tma/mbarrier.h"
#include "exec/tma/tensormap.h"
#include "ir/type.h"

static uint32_t random_bits(uint64_t *s)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*s >> 32);
}

/* Operands of all kinds: normal, random bits, zeros, and nearly equal ones whose sums cancel. */
static uint32_t operand(uint64_t *s, unsigned type, unsigned class)
{
	static const uint32_t one[T_COUNT] = {[T_F16] = 0x3c00,
					      [T_BF16] = 0x3f80,
					      [T_TF32] = 0x3f800000,
					      [T_E4M3] = 0x38,
					      [T_E5M2] = 0x3c};
	unsigned bits = type == T_TF32 ? 32 : type_bits(type);
	uint32_t r = random_bits(s) & (bits == 32 ? ~0u : (1u << bits) - 1);
	switch (class) {
	case 0: return r;
	case 1: return r & 4 ? one[type] ^ (r & 3) : one[type] ^ (1u << (bits - 1)) ^ (r & 3);
	case 2: return r & 8 ? 0 : one[type] ^ (r & 7);
	default: return (r & ~(one[type] & ~(one[type] >> 1))) & ~(3u << (bits - 3));
	}
}

static uint32_t addend(uint64_t *s, unsigned dtype, unsigned class)
{
	uint32_t r = random_bits(s);
	if (dtype == T_F16)
		return class ? 0x3c00 ^ (r & 0x83ff) : r & 0xffff;
	return class == 3 ? 0 : class ? 0x3f800000 ^ (r & 0x807fffff) : r;
}

static void compare(unsigned atype, unsigned btype, unsigned dtype, unsigned depth, bool sparse)
{
	uint64_t s = atype * 31 + btype * 7 + dtype + depth;
	static struct tc_strip b;
	for (unsigned round = 0; round < 200; round++) {
		struct tc_row a = {.stored = depth >> sparse};
		struct tc_job j = {depth, atype, btype, dtype, round & 1};
		uint32_t c[TC_COLUMNS], d[TC_COLUMNS];
		for (unsigned p = 0; p < a.stored; p++) {
			a.bits[p] = operand(&s, atype, round / 2 % 4);
			a.place[p] =
				(uint8_t)(sparse ? p / 2 * 4 + (p & 1) * 2 + (random_bits(&s) & 1)
						 : p);
		}
		for (unsigned k = 0; k < depth; k++)
			for (unsigned n = 0; n < TC_COLUMNS; n++)
				b.bits[k][n] = operand(&s, btype, round / 2 % 4);
		for (unsigned n = 0; n < TC_COLUMNS; n++)
			c[n] = addend(&s, dtype, round / 2 % 4);
		tc_row_decode(&a, depth, atype);
		tc_strip_decode(&b, depth, btype);
		tc_multiply(&j, &a, &b, c, d);
		for (unsigned n = 0; n < TC_COLUMNS; n++)
			assert_int_equal(d[n], tc_element(&j, &a, &b, n, c[n]));
	}
}

static void vectors_are_exact(void **state)
{
	(void)state;
	static const uint8_t fp8[] = {T_E4M3, T_E5M2};
	for (unsigned sparse = 0; sparse < 2; sparse++) {
		compare(T_F16, T_F16, T_F32, 16u << sparse, sparse);
		compare(T_F16, T_F16, T_F16, 16u << sparse, sparse);
		compare(T_BF16, T_BF16, T_F32, 16u << sparse, sparse);
		compare(T_TF32, T_TF32, T_F32, 8, false);
		for (unsigned i = 0; i < 4; i++) {
			compare(fp8[i & 1], fp8[i >> 1], T_F32, 32u << sparse, sparse);
			compare(fp8[i & 1], fp8[i >> 1], T_F16, 32u << sparse, sparse);
		}
	}
}

/* One element a lane, as mma's fragments have them: as tc_element() of a row and a column. */
static void compare_lanes(unsigned type, unsigned dtype, unsigned depth)
{
	uint64_t s = type * 17 + dtype + depth;
	unsigned fast = 0;
	for (unsigned round = 0; round < 200; round++) {
		struct tc_lanes a, b;
		struct tc_job j = {depth, type, type, dtype, false};
		uint32_t x[TC_LANES_DEPTH][TC_COLUMNS], y[TC_LANES_DEPTH][TC_COLUMNS],
			c[TC_COLUMNS], d[TC_COLUMNS];
		unsigned class = round % 4, shift = type == T_TF32 ? 0 : round & 16;
		bool odd = false;
		for (unsigned k = 0; k < depth; k++) {
			for (unsigned n = 0; n < TC_COLUMNS; n++) {
				x[k][n] = round % 5 ? operand(&s, type, class) << shift : 0;
				y[k][n] = operand(&s, type, class) << shift;
			}
			odd |= tc_lanes_decode(x[k], shift, type, a.value[k], a.exp[k]);
			odd |= tc_lanes_decode(y[k], shift, type, b.value[k], b.exp[k]);
		}
		for (unsigned n = 0; n < TC_COLUMNS; n++)
			c[n] = round % 7 ? addend(&s, dtype, class) : 0;
		if (odd || !tc_multiply_lanes(&j, &a, &b, c, d))
			continue;
		fast++;
		for (unsigned n = 0; n < TC_COLUMNS; n++) {
			struct tc_row row = {.stored = depth};
			static struct tc_strip column;
			for (unsigned k = 0; k < depth; k++) {
				row.bits[k] = x[k][n] >> shift;
				row.place[k] = (uint8_t)k;
				column.bits[k][0] = y[k][n] >> shift;
			}
			assert_int_equal(d[n], tc_element(&j, &row, &column, 0, c[n]));
		}
	}
	assert_true(fast > 50);
}

static void lanes_are_exact(void **state)
{
	(void)state;
	compare_lanes(T_F16, T_F32, 16);
	compare_lanes(T_F16, T_F16, 8);
	compare_lanes(T_BF16, T_F32, 16);
	compare_lanes(T_TF32, T_F32, 8);
	compare_lanes(T_TF32, T_F32, 4);
}

/* 1 + 2^-26 is truncated, and -2^-26 + 1 is not rounded up; 8-bit floats keep 14 bits. */
static void terms_are_cut(void **state)
{
	(void)state;
	static struct tc_strip b;
	struct tc_row a = {.stored = 2, .place = {0, 1}, .bits = {0x3c00, 0x1400}}; /* 1, 2^-10 */
	struct tc_job j = {16, T_F16, T_F16, T_F32, false};
	b.bits[0][0] = 0x3c00;
	b.bits[1][0] = 0x0001; /* 2^-24 */
	assert_int_equal(tc_element(&j, &a, &b, 0, 0), 0x3f800000);
	a.bits[1] = 0x9400;
	assert_int_equal(tc_element(&j, &a, &b, 0, 0), 0x3f800000);
	a.bits[1] = 0x3c00; /* 1 + 2^-24: a bit of the sum that f32 truncates */
	assert_int_equal(tc_element(&j, &a, &b, 0, 0), 0x3f800000);
	a.bits[1] = 0x4000; /* 1 + 2^-23 */
	assert_int_equal(tc_element(&j, &a, &b, 0, 0), 0x3f800001);
}

static void maps_come_back(void **state)
{
	(void)state;
	struct tensormap t = {.addr = 0x7f9498000000,
			      .dim = {64, 12, 9},
			      .stride = {4, 256, 3072},
			      .box = {16, 6, 4},
			      .element_stride = {1, 2, 3},
			      .rank = 3,
			      .type = TENSOR_F32,
			      .swizzle = 2,
			      .l2 = 1},
			 back;
	uint8_t bytes[TENSORMAP_BYTES];
	assert_null(tensormap_refusal(&t));
	tensormap_write(&t, bytes);
	assert_true(tensormap_read(bytes, &back));
	assert_int_equal(back.addr, t.addr);
	assert_int_equal(back.swizzle, 2);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(back.dim[i], t.dim[i]);
		assert_int_equal(back.stride[i], t.stride[i]);
		assert_int_equal(back.box[i], t.box[i]);
		assert_int_equal(back.element_stride[i], t.element_stride[i]);
	}
	tensormap_replace(bytes, TMF_BOX, 1, 8);
	assert_true(tensormap_read(bytes, &back));
	assert_int_equal(back.box[1], 8);
	t.box[0] = 3;
	assert_string_equal(tensormap_refusal(&t),
			    "the box's inner dimension, 12 bytes, is not a multiple of 16 bytes");
}

/* Two arrivals and 64 bytes: the phase ends with the last of the three events, in any order. */
static void phases_end(void **state)
{
	(void)state;
	uint64_t w = mbw_expect(mbw_init(2), 64);
	w = mbw_arrive(w, 2, false);
	assert_false(mbw_phase(w));
	assert_int_equal(mbw_bytes(w), 64);
	w = mbw_complete(w, 48);
	assert_false(mbw_phase(w));
	w = mbw_complete(w, 16);
	assert_true(mbw_phase(w));
	assert_int_equal(mbw_pending(w), 2);
	w = mbw_arrive(mbw_arrive(w, 1, true), 1, false); /* one participant drops out */
	assert_false(mbw_phase(w));
	assert_int_equal(mbw_pending(w), 1);
	assert_int_equal(mbw_expected(w), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_are_exact), cmocka_unit_test(lanes_are_exact),
		cmocka_unit_test(terms_are_cut),     cmocka_unit_test(maps_come_back),
		cmocka_unit_test(phases_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
