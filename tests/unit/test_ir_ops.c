/* The table of operations: its columns agree with each other and with the code that reads them. */
#include "ptx_reader.h"

#include "exec/uop.h"
#include "heddle.h"
#include "pass/pass.h"
#include "pass/pressure.h"

static bool is_memory(unsigned kind)
{
	return kind == OPK_ACCESS || kind == OPK_TEXTURE || kind == OPK_FRAGMENT ||
	       kind == OPK_HINT;
}

static void expect(unsigned op, bool holds, const char *what)
{
	if (!holds)
		fail_msg("%s: %s", op_info[op].name, what);
}

static void test_columns(void **state)
{
	(void)state;
	for (unsigned op = 0; op < OP_COUNT; op++) {
		const struct op_info *o = &op_info[op];
		uint64_t f = o->facts;
		assert_non_null(o->name);
		expect(op, !is_memory(o->kind) || o->unit == UNIT_MEM, "memory by another unit");
		expect(op, o->unit != UNIT_MEM || is_memory(o->kind) || o->kind == OPK_BARRIER,
		       "the load/store unit serves no memory");
		/* wgmma reads its operands from shared memory */
		expect(op, !(f & (OF_READS | OF_WRITES)) || o->unit == UNIT_MEM || op == OP_WGMMA,
		       "accesses memory by another unit");
		expect(op, !(f & OF_ATOMIC) || (f & OF_WRITES), "atomic, and writes nothing");
		expect(op, !(f & OF_ATOMIC) || o->scalar == OPS_EACH,
		       "atomic, and a warp does it once");
		expect(op, !(f & OF_ENDS) || ((f & OF_ORDER) && o->kind == OPK_CONTROL),
		       "ends a block, and is no control");
		expect(op, !(f & OF_ADDRESS) || (f & (OF_READS | OF_WRITES)),
		       "has an address and accesses nothing");
		expect(op, !(f & OF_INPLACE) || o->unit == UNIT_SP || o->unit == UNIT_SFU,
		       "in place, and no arithmetic");
		expect(op, o->nd_min <= o->nd_max && o->ns_min <= o->ns_max, "operands");
		expect(op,
		       o->kind == OPK_MATRIX || op == OP_WGMMA_GROUP ? o->unit == UNIT_MMA
								     : o->unit != UNIT_MMA,
		       "matrices and their unit");
	}
}

static void test_units(void **state)
{
	(void)state;
	static const struct {
		unsigned op, type, stype;
		enum unit unit;
	} want[] = {
		{OP_ADD, T_F32, T_NONE, UNIT_SP},  {OP_ADD, T_F64, T_NONE, UNIT_DP},
		{OP_RCP, T_F32, T_NONE, UNIT_SFU}, {OP_RCP, T_F64, T_NONE, UNIT_DP},
		{OP_CVT, T_F32, T_F64, UNIT_DP},   {OP_MOV, T_F64, T_NONE, UNIT_SP},
		{OP_LD, T_F64, T_NONE, UNIT_MEM},  {OP_TEX, T_F32, T_F32, UNIT_MEM},
		{OP_MMA, T_F64, T_F64, UNIT_MMA},  {OP_WMMA_LOAD, T_F16, T_NONE, UNIT_MEM},
		{OP_BAR, T_NONE, T_NONE, UNIT_SP}, {OP_BRA, T_NONE, T_NONE, UNIT_SP},
	};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct inst in = {.op = (uint16_t)want[i].op,
				  .type = (uint8_t)want[i].type,
				  .stype = (uint8_t)want[i].stype};
		assert_int_equal(inst_unit(&in), want[i].unit);
	}
}

/* Number of registers that the kernel needs after scheduling. */
static unsigned pressure(const char *text)
{
	struct module *m = load(text);
	struct func *f = m->funcs.v[0];
	struct arena a = {0};
	struct live l;
	struct cfg *c = cfg_build(&a, f);
	live_build(&l, f, c);
	unsigned n = pressure_scheduled(f, c, &l, PRESSURE_LIMIT);
	arena_free(&a);
	module_free(m);
	return n;
}

/* Sums eight loads from a surface and stores the sum after each load or at the end; returns the
 * registers. */
static unsigned sum(bool each)
{
	static const char store[] = "sust.b.1d.b32.trap [v, {%x}], {%s};\n";
	char text[4096];
	int n = snprintf(text, sizeof text, "%s",
			 HEAD ".global .surfref v;\n.visible .entry k()\n{\n"
			      ".reg .b32 %x, %s, %t<8>;\nmov.u32 %x, %tid.x;\nmov.b32 %s, 0;\n");
	for (int i = 0; i < 8; i++)
		n += snprintf(
			text + n, sizeof text - (size_t)n,
			"suld.b.1d.b32.trap {%%t%d}, [v, {%%x}];\nadd.u32 %%s, %%s, %%t%d;\n%s", i,
			i, each || i == 7 ? store : "");
	snprintf(text + n, sizeof text - (size_t)n, "ret;\n}\n");
	return pressure(text);
}

/* Loads are moved up, but not past a store to the same space; surface loads are never moved past a
 * surface store. */
static void test_order(void **state)
{
	(void)state;
	assert_true(sum(false) >= 8);
	assert_true(sum(true) <= 3);
}

/* A loop that loads is unrolled, so that several loads are in flight; a loop with a barrier, one
 * that loads only a parameter, or one without loads is not. */
#define LOOP(body)                                                                                 \
	HEAD ".visible .entry k(.param .u64 p)\n{\n"                                               \
	     ".reg .u64 %a; .reg .u32 %s, %t, %i; .reg .pred %q;\n"                                \
	     "ld.param.u64 %a, [p]; mov.u32 %s, 0; mov.u32 %i, 0; mov.u32 %t, 1;\n"                \
	     "L: " body "add.u32 %s, %s, %t; add.u64 %a, %a, 4; add.u32 %i, %i, 1;\n"              \
	     "setp.lt.u32 %q, %i, 100; @%q bra L;\nst.global.u32 [%a], %s; ret;\n}\n"
static void test_unrolled(void **state)
{
	(void)state;
	unsigned loads = pressure(LOOP("ld.global.u32 %t, [%a];\n"));
	assert_true(loads > pressure(LOOP("ld.global.u32 %t, [%a]; bar.sync 0;\n")) + 1);
	assert_true(loads > pressure(LOOP("ld.param.u32 %t, [p];\n")) + 1);
	assert_true(loads > pressure(LOOP("")) + 1);
	/* the load first or last */
	assert_int_equal(loads, pressure(LOOP("ld.global.u32 %t, [%a]; xor.b32 %t, %t, 1;\n")));
}

/* A copy of a constant needs no register, a copy of a changing value does: the sum of six copies,
 * each made before the next change. */
static unsigned copies(const char *from, const char *then)
{
	char text[4096];
	int n = snprintf(
		text, sizeof text, "%s",
		HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .u64 %a; .reg .u32 %s, %x, %t<6>;\n"
		     "ld.param.u64 %a, [p]; ld.global.u32 %x, [%a];\n");
	for (int i = 0; i < 6; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, "mov.u32 %%t%d, %s;\n%s\n", i,
			      from, then);
	n += snprintf(text + n, sizeof text - (size_t)n, "bar.sync 0;\nmov.u32 %%s, 0;\n");
	for (int i = 0; i < 6; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, "add.u32 %%s, %%s, %%t%d;\n", i);
	snprintf(text + n, sizeof text - (size_t)n, "st.global.u32 [%%a], %%s;\nret;\n}\n");
	return pressure(text);
}

static void test_copies(void **state)
{
	(void)state;
	unsigned changes = copies("%x", "add.u32 %x, %x, 1;"),
		 number = copies("7", "add.u32 %x, %x, 1;");
	assert_true(changes > number);
}

static void test_class_names(void **state)
{
	(void)state;
	unsigned n = 0;
	while (heddle_class_name(n))
		n++;
	assert_true(n > 10);
	assert_null(heddle_class_name(n + 1));
	assert_string_equal(heddle_class_name(0), "other");
}

/* Atomics whose order does not matter: with several host threads only these are performed
 * immediately. */
static void which_of_them_commute(void **state)
{
	(void)state;
	static const bool commutes[ATOM_MAX + 1] = {
		[ATOM_AND] = true, [ATOM_OR] = true,  [ATOM_XOR] = true,
		[ATOM_ADD] = true, [ATOM_MIN] = true, [ATOM_MAX] = true,
	};
	static const uint8_t words[] = {T_U32, T_S32, T_B32, T_U64, T_S64, T_B64};
	static const uint8_t others[] = {T_F32,  T_F64, T_F16, T_F16X2,
					 T_BF16, T_B16, T_U16, T_B128};
	for (unsigned mode = 0; mode <= ATOM_MAX; mode++) {
		struct inst in = {.op = OP_RED, .mode = (uint8_t)mode};
		for (unsigned i = 0; i < sizeof words; i++) {
			in.type = words[i];
			assert_int_equal(atom_commutes(&in), commutes[mode]);
		}
		for (unsigned i = 0; i < sizeof others; i++) {
			in.type = others[i];
			assert_false(atom_commutes(&in));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_units),
		cmocka_unit_test_teardown(test_order, teardown),
		cmocka_unit_test_teardown(test_unrolled, teardown),
		cmocka_unit_test_teardown(test_copies, teardown),
		cmocka_unit_test(test_class_names),
		cmocka_unit_test(which_of_them_commute),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
