/* The lifter's result for a listing: which decoded instructions belong to which native instruction,
 * control flow, registers, variables. test_native_exec and its neighbours check the computed
 * results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lift/program.h"
#include "ir/module.h"
#include "isa/native.h"
#include "isa/table.h"

static struct module *load(const char *text, char **message)
{
	struct diag d = {0};
	struct module *m = module_new();
	bool ok = native_program(m, "k.sass", text, strlen(text), NULL, &d) && module_link(m, &d);
	char *said = diag_string(&d);
	diag_free(&d);
	if (message)
		*message = said;
	else
		free(said);
	if (ok)
		return m;
	module_free(m);
	return NULL;
}

static const char loop[] = "code for sm_20\n"
			   "Function : k\n"
			   "SSY 0x28;\n"
			   "IADD.X R2.CC, R2, c [0x0] [0x20];\n"
			   "FADD R3, |R3|, -R4;\n"
			   "@P0 BRA 0x8;\n"
			   "NOP.S;\n"
			   "EXIT;\n";

/* Of the instructions made from a native one, the last counts in statistics; all have its address,
 * text and mnemonic. */
static void marks(void **state)
{
	(void)state;
	struct module *m = load(loop, NULL);
	assert_non_null(m);
	const struct func *f = m->funcs.v[0];
	const struct native_map *map = f->native;
	assert_int_equal(map->n, 6);
	for (uint32_t i = 0; i < map->n; i++) {
		assert_int_equal(map->addr[i], 8 * i);
		assert_true(map->index[i] < map->index[i + 1]);
		for (uint32_t pc = map->index[i]; pc < map->index[i + 1]; pc++) {
			const struct inst *in = &f->code.v[pc];
			assert_int_equal(in->native_pc, 8 * i);
			assert_int_equal(in->micro, pc + 1 < map->index[i + 1]);
			assert_string_equal(in->text, native_mnemonic_text(in->mnemonic));
			assert_int_equal(strncmp(strchr(in->native, ' ') && in->native[0] == '@'
							 ? strchr(in->native, ' ') + 1
							 : in->native,
						 in->text, strlen(in->text)),
					 0);
		}
	}
	for (uint32_t pc = 0; pc < map->index[0]; pc++)
		assert_true(f->code.v[pc].micro && !f->code.v[pc].native[0] &&
			    !f->code.v[pc].mnemonic);
	assert_int_equal(f->code.v[map->index[6]].op, OP_EXIT); /* after the last one */
	module_free(m);
}

/* Number of decoded instructions per Tesla instruction: no needless copies of results or operands,
 * no unused flags, literals used directly. */
static void few(void **state)
{
	static const struct {
		const char *text;
		unsigned n, all_flags; /* all_flags: number if C2R reads all of C0 */
	} t[] = {
		{"FMUL R8, R6, R6;", 1, 1},
		{"FMAD R9, R7, R7, R8;", 1, 1},
		{"FADD R8, R9, -R8;", 1, 1},
		{"FSET.C0 o[0x7f], R9, c[0x1][0x1], GEU;", 1, 4},
		{"MOV R9, R5;", 1, 1},
		{"IADD R5, R5, R5;", 1, 1},
		{"IADD.C0 R6, R5, R4;", 2, 10},
		{"ISET.S32.C0 o[0x7f], g [0xb], R5, NE;", 2, 5},
		{"MOV R9 (C0.NE), R5;", 1, 1},
		{"IMAD.U16 R0, R0L, R4L, R5;", 1, 1},
		{"IMUL.U16.U16 R3, R2H, c[0x1][0x2];", 2, 2},
		{"I2I.U32.U16 R0, g [0x6].U16;", 1, 1},
		{"I2F.F32.S32 R5, R0;", 1, 1},
		{"GLD.U32 R3, global14[R1];", 1, 1},
		{"R2A A1, R3, 0x2;", 2, 2},
		{"G2R.U32.LOCK.C0 R3, g [A1+0x5].U32;", 2, 5},
		{"G2R.U32 R3, g [A1+0x5].U32;", 1, 1},
		{"R2G.U32.U32.UNLOCK g [A1+0x5], R3;", 1, 1},
		{"BRA C0.NE, 0x0;", 1, 1},
	};
	(void)state;
	for (unsigned all = 0; all < 2; all++) {
		char text[2000] = "code for sm_13\nFunction : k\n\t.const 1 0x1 0x40800000 0x3\n";
		for (unsigned i = 0; i < sizeof t / sizeof *t; i++)
			strcat(strcat(text, t[i].text), "\n");
		strcat(text, all ? "C2R R9, C0;\nNOP.EXIT;\n" : "NOP;\nNOP.EXIT;\n");
		char *message;
		struct module *m = load(text, &message);
		if (!m)
			fail_msg("%s", message);
		free(message);
		const uint32_t *index = m->funcs.v[0]->native->index;
		for (unsigned i = 0; i < sizeof t / sizeof *t; i++)
			if (index[i + 1] - index[i] != (all ? t[i].all_flags : t[i].n))
				fail_msg("%s: %u, expected %u", t[i].text, index[i + 1] - index[i],
					 all ? t[i].all_flags : t[i].n);
		module_free(m);
	}
}

/* Fermi's 32-bit addresses need no additional instruction, with or without an offset; neither does
 * releasing a lock, or converting words. */
static void few_addresses(void **state)
{
	(void)state;
	struct module *m = load("code for sm_20\nFunction : k\nLD R2, [R2];\nLD.64 R2, [R2+0x8];\n"
				"ST [R2], R3;\nLDS R2, [R2];\nLDSLK P0, R4, [R3+0x4];\n"
				"@P0 STSUL [R3+0x4], R4;\nI2F.F32.U32.RP R5, R4;\n"
				"I2F.F64.S32 R6, R4;\nI2F.F32.U8 R5, R4.B1;\nEXIT;\n",
				NULL);
	static const unsigned want[] = {1, 1, 1, 1, 2, 1, 1, 2, 2};
	assert_non_null(m);
	const uint32_t *index = m->funcs.v[0]->native->index;
	for (unsigned i = 0; i < sizeof want / sizeof *want; i++)
		assert_int_equal(index[i + 1] - index[i], want[i]);
	module_free(m);
}

static const struct inst *control(const struct func *f, unsigned kind)
{
	for (size_t i = 0; i < f->code.n; i++)
		if (f->code.v[i].op == OP_NATIVE && f->code.v[i].mode == kind)
			return &f->code.v[i];
	return NULL;
}

/* Targets are indices of the decoded code; the guard is the branch's alone. */
static void targets(void **state)
{
	(void)state;
	struct module *m = load(loop, NULL);
	assert_non_null(m);
	const struct func *f = m->funcs.v[0];
	const struct inst *ssy = control(f, NCTL_SSY), *bra = control(f, NCTL_BRA);
	assert_true(ssy && bra && control(f, NCTL_POP) && control(f, NCTL_EXIT));
	assert_int_equal(ssy->target, f->native->index[5]);
	assert_int_equal(bra->target, f->native->index[1]);
	assert_int_equal(ssy->guard, NO_REG);
	assert_string_equal(f->regs.v[bra->guard].name, "%p0");
	module_free(m);
}

/* The registers named by the listing, and no registers of the translation, count as the
 * machine's. */
static void registers(void **state)
{
	(void)state;
	struct module *m = load(loop, NULL);
	assert_non_null(m);
	const struct func *f = m->funcs.v[0];
	unsigned own = 0;
	for (size_t i = 0; i < f->regs.n; i++)
		if (!f->regs.v[i].scratch) {
			const char *s = f->regs.v[i].name;
			assert_true(!strcmp(s, "%r2") || !strcmp(s, "%r3") || !strcmp(s, "%r4") ||
				    !strcmp(s, "%p0"));
			own++;
		}
	assert_int_equal(own, 4);
	module_free(m);
}

/* A predicate set by a lock instruction may be one that nothing else names. */
static void lock_predicate(void **state)
{
	(void)state;
	struct module *m = load("code for sm_20\nFunction : k\n.shared 64\n"
				"LDSLK P2, R1, [R0];\nLDSLK pt, R1, [R0];\nEXIT;\n",
				NULL);
	assert_non_null(m);
	const struct func *f = m->funcs.v[0];
	const struct inst *in = control(f, NCTL_LOCK);
	assert_non_null(in);
	assert_string_equal(f->regs.v[in->opnd[0].reg].name, "%p2");
	for (size_t i = 0; i < f->code.n; i++)
		for (unsigned k = 0; k < f->code.v[i].nd; k++)
			assert_true(f->code.v[i].opnd[k].reg < f->regs.n);
	module_free(m);
}

/* Statistics identify a mnemonic by its number. */
static void mnemonics(void **state)
{
	(void)state;
	struct module *m = load("code for sm_20\nFunction : k\n"
				"BRA.U 0x8;\n@P0 BRA 0x10;\nEXIT;\n",
				NULL);
	assert_non_null(m);
	const struct func *f = m->funcs.v[0];
	unsigned u = f->code.v[f->native->index[0]].mnemonic,
		 bra = f->code.v[f->native->index[1]].mnemonic;
	assert_string_equal(native_mnemonic_text(u), "BRA.U");
	assert_string_equal(native_mnemonic_text(bra), "BRA");
	assert_int_equal(native_mnemonic_op(u), NI_BRA);
	assert_int_equal(native_mnemonic_op(bra), NI_BRA);
	assert_int_equal(native_mnemonic_op(0), NATIVE_NONE);
	module_free(m);
}

/* Every row of both tables has a statistics class; only cache controls have the class OTHER. */
static void classes(void **state)
{
	(void)state;
	for (int isa = NATIVE_FERMI; isa <= NATIVE_TESLA; isa++) {
		const struct native_tab *t = native_tab((enum native_isa)isa);
		for (unsigned i = 0; i < t->nrow; i++) {
			unsigned op = t->row[i].op;
			assert_int_equal(native_op_class(op) == NCLASS_OTHER,
					 op == NI_CCTL || op == NI_CCTLL);
		}
	}
	assert_string_equal(native_class_name(native_op_class(NI_ISCADD)), "shift-add");
	assert_string_equal(native_class_name(native_op_class(NI_VOTE)), "move");
	assert_string_equal(native_class_name(native_op_class(NI_VADD4)), "video");
	assert_string_equal(native_class_name(NCLASS_COUNT), "other");
}

/* Sizes beyond every machine's limits are refused with the file's name. */
static void too_large(void **state)
{
	(void)state;
	char *message;
	assert_null(load("code for sm_20\nFunction : k\n.local 16777215\n.stack 16777215\nEXIT;\n",
			 &message));
	assert_non_null(strstr(message, "k.sass"));
	assert_non_null(strstr(message, "too large"));
	free(message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks),         cmocka_unit_test(few),
		cmocka_unit_test(few_addresses), cmocka_unit_test(targets),
		cmocka_unit_test(registers),     cmocka_unit_test(lock_predicate),
		cmocka_unit_test(mnemonics),     cmocka_unit_test(classes),
		cmocka_unit_test(too_large),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
