/* Verification of decoded code, its printed form, and the pipeline of passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>
#include "func_builder.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "pass/pass.h"

static void expect_text(struct fb *b, const struct inst *in, const char *want)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	inst_print(f, &b->f, in);
	fclose(f);
	assert_string_equal(text, want);
	free(text);
}

static void test_print(void **state)
{
	(void)state;
	static const struct func callee = {.name = "g"};
	struct var v = {.name = "table"};
	struct fb b = fb_new(true);
	uint32_t p = fb_reg(&b, T_PRED), q = fb_reg(&b, T_PRED), r = fb_reg(&b, T_F32),
		 s = fb_reg(&b, T_F32), d = fb_reg(&b, T_U64);
	struct inst *in = fb_reg_op(&b, OP_ADD, T_F32, 1, 2, r, s, NO_REG);
	in->opnd[2] = (struct opnd){.kind = OPND_IMM, .type = T_F32, .imm = 0x3f800000};
	in->opnd[1].mod = OPND_NEG;
	in->guard = p;
	in->guard_neg = 1;
	expect_text(&b, in, "@!%p0 add.f32 %r2, -%r3, 0f3F800000");
	in = fb_reg_op(&b, OP_LD, T_F32, 2, 1, r, s, d);
	in->opnd[2].kind = OPND_MEM;
	in->opnd[2].imm = 16;
	in->text = "ld.global.v2.f32";
	expect_text(&b, in, "ld.global.v2.f32 {%r2, %r3}, [%rd4+16]");
	in = fb_reg_op(&b, OP_ST, T_F32, 0, 3, NO_REG, r, s);
	in->opnd[0] = (struct opnd){.kind = OPND_MEM, .reg = NO_REG, .sym = &v, .imm = -4};
	expect_text(&b, in, "st.f32 [table-4], {%r2, %r3}");
	in = fb_reg_op(&b, OP_SETP, T_NONE, 2, 2, p, q, r, s);
	expect_text(&b, in, "setp %p0|%p1, %r2, %r3");
	in = fb_reg_op(&b, OP_SREG, T_U32, 1, 1, r, NO_REG);
	in->opnd[1] = (struct opnd){.kind = OPND_SREG, .reg = SREG_CTAID, .sub = 1};
	expect_text(&b, in, "mov.u32 %r2, %ctaid.y");
	fb_bra(&b, q, 7);
	expect_text(&b, &b.f.code.v[b.f.code.n - 1], "@%p1 bra 7");
	fb_brx(&b, r, 2, (const uint32_t[]){3, 4});
	expect_text(&b, &b.f.code.v[b.f.code.n - 1], "brx.u32 %r2, {3, 4}");
	fb_call(&b, &callee, NO_REG);
	expect_text(&b, &b.f.code.v[b.f.code.n - 1], "call g");
	fb_free(&b);
}

static bool verifies(const struct fb *b)
{
	struct diag *d = xcalloc(1, sizeof *d);
	bool ok = func_verify(&b->f, d);
	assert_int_equal(ok, d->errors == 0);
	diag_free(d);
	free(d);
	return ok;
}

static void test_verify(void **state)
{
	(void)state;
	struct fb b = fb_new(true);
	uint32_t p = fb_reg(&b, T_PRED), r = fb_reg(&b, T_U32);
	fb_reg_op(&b, OP_ADD, T_U32, 1, 2, r, r, r);
	fb_bra(&b, p, 3);
	fb_brx(&b, r, 1, (const uint32_t[]){0});
	assert_true(verifies(&b));
	struct inst *add = &b.f.code.v[0], *bra = &b.f.code.v[1], *brx = &b.f.code.v[2];
#define BREAKS(field, value)                                                                       \
	do {                                                                                       \
		__typeof__(field) was_ = field;                                                    \
		field = value;                                                                     \
		assert_false(verifies(&b));                                                        \
		field = was_;                                                                      \
		assert_true(verifies(&b));                                                         \
	} while (0)
	BREAKS(add->op, OP_COUNT);
	BREAKS(add->type, T_COUNT);
	BREAKS(add->ns, 1);
	BREAKS(add->guard, r);
	BREAKS(add->guard, 77);
	BREAKS(add->opnd, NULL);
	BREAKS(add->opnd[0].kind, OPND_IMM);
	BREAKS(add->opnd[1].kind, OPND_PRED);
	BREAKS(add->opnd[1].kind, OPND_NONE);
	BREAKS(add->opnd[1].reg, 99);
	BREAKS(add->opnd[1].reg, p);
	BREAKS(bra->target, 4);
	BREAKS(brx->imm, 1);
	BREAKS(b.f.targets.v[0].pc[0], 4);
	BREAKS(b.f.targets.v[0].n, 0);
	BREAKS(brx->op, OP_CALL);
	fb_free(&b);
}

static void test_pipeline(void **state)
{
	(void)state;
	struct fb b = fb_new(true);
	struct arena a = {0};
	struct pass_info info;
	struct diag *d = xcalloc(1, sizeof *d);
	char *text = NULL;
	size_t n = 0;
	uint32_t p = fb_reg(&b, T_PRED), r = fb_reg(&b, T_U32);
	fb_reg_op(&b, OP_MOV, T_U32, 1, 1, r, r);      /* 0 */
	fb_reg_op(&b, OP_SETP, T_NONE, 1, 2, p, r, r); /* 1 */
	fb_bra(&b, p, 4);                              /* 2 */
	fb_reg_op(&b, OP_ADD, T_U32, 1, 2, r, r, r);   /* 3 */
	fb_ret(&b, NO_REG);                            /* 4 */
	struct pass_opts o = {.share_rows = true, .dump = open_memstream(&text, &n)};
	assert_true(pass_run(&b.f, &a, &o, &info, d));
	fclose(o.dump);
	assert_int_equal(b.f.code.v[2].reconv, 4);
	assert_int_equal(info.live_regs, 1);
	assert_int_equal(info.rows.nrows, 1);
	assert_non_null(strstr(text, "@%p0 bra 4    // meets at 4"));
	assert_non_null(strstr(text, "b0:  -> b2 b1"));
	assert_non_null(strstr(text, "b0:  post-dominated by b2"));
	assert_non_null(strstr(text, "add.u32 %r1, %r1, %r1    // rows: 0 0 0"));
	free(text);
	b.f.code.v[2].target = 99;
	o.dump = NULL;
	assert_false(pass_run(&b.f, &a, &o, &info, d));
	assert_int_equal(d->errors, 1);
	diag_free(d);
	free(d);
	arena_free(&a);
	fb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_verify),
		cmocka_unit_test(test_pipeline),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
