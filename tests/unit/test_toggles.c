/* power.data = counted: bits of operands and results that change on a lane's ports, and their
 * energy. */
#include "timing.h"
#include <math.h>
#include "power/model.h"

/* One warp multiplies %f1 and %f2 n times: %f1 is 0 in threads 0 to 15 and all ones (a NaN) in the
 * others, %f2 is 0. Earlier values on the ports cancel in the difference of two runs. */
#define REGISTERS ".reg .u32 %r<4>; .reg .f32 %f<4>; .reg .pred %p;\n"
static char text[8192];
static char *put_products(char *p, const char *guard, unsigned n)
{
	p += sprintf(p,
		     "mov.u32 %%r1, %%tid.x; setp.ge.u32 %%p, %%r1, 16;\n"
		     "selp.u32 %%r2, -1, 0, %%p; mov.b32 %%f1, %%r2; mov.f32 %%f2, 0f00000000;\n");
	for (unsigned i = 0; i < n; i++)
		p += sprintf(p, "%s mul.rn.f32 %%f3, %%f1, %%f2;\n", guard);
	return p + sprintf(p, "ret;\n}\n");
}

/* Bits that the multiplications of kernel k in the text changed on the ports. */
static uint64_t bits_of(const char *config, const char *lanes, unsigned threads, const char *which)
{
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {threads},
			  .config = config,
			  .set = {"gpu.sms=1", "power.data=counted", lanes}};
	struct timed t = bench_run(&b);
	json_t *list =
		json_object_get(json_object_get(json_object_get(t.launch, "timing"), "sm"), which);
	assert_int_equal(json_array_size(list), OPC_COUNT);
	uint64_t bits = (uint64_t)json_integer_value(json_array_get(list, OPC_fp32_mul));
	timed_free(&t);
	return bits;
}

static uint64_t toggled(const char *config, const char *lanes, const char *guard, unsigned n,
			const char *which)
{
	put_products(text + sprintf(text, "%s", HEAD REGISTERS), guard, n);
	return bits_of(config, lanes, 32, which);
}

static uint64_t each(const char *config, const char *lanes, const char *guard, const char *which)
{
	uint64_t ten = toggled(config, lanes, guard, 10, which);
	return (toggled(config, lanes, guard, 20, which) - ten) / 10;
}

/* Sixteen lanes take the two halves of the warp one after the other: all bits of %f1 change each
 * time. With thirty-two lanes, each lane always sees its previous word. */
static void halves_follow_each_other_on_a_lane(void **state)
{
	(void)state;
	assert_int_equal(each("gtx480", "sm.simd_width=16", "", "operand_toggles"), 32 * 32);
	assert_int_equal(each("gtx480", "sm.simd_width=32", "", "operand_toggles"), 0);
}

/* 0 x 0 is 0, and 0 x NaN the canonical NaN of 31 ones. */
static void results_have_a_port_of_their_own(void **state)
{
	(void)state;
	assert_int_equal(each("gtx480", "sm.simd_width=16", "", "result_toggles"), 31 * 32);
	assert_int_equal(each("gtx480", "sm.simd_width=32", "", "result_toggles"), 0);
}

/* A temporal lane takes one bundle after the other: the word changes twice per instruction. */
static void a_temporal_lane_sees_its_threads_in_turn(void **state)
{
	(void)state;
	assert_int_equal(each("stsimt", "sm.lanes=tsimt", "", "operand_toggles"), 2 * 32);
	assert_int_equal(each("stsimt", "sm.lanes=stsimt4", "", "operand_toggles"), 2 * 4 * 32);
}

/* Words of threads that are guarded off never reach a port. */
static void threads_that_do_not_execute_move_nothing(void **state)
{
	(void)state;
	assert_int_equal(each("gtx480", "sm.simd_width=16", "@%p", "operand_toggles"), 0);
	assert_int_equal(each("gtx480", "sm.simd_width=16", "@!%p", "operand_toggles"), 0);
}

/* A recursive function has separate registers at each depth: at the second depth threads from 16 on
 * have ones in %f1, at the first depth none has. */
#define DEEP                                                                                       \
	".version 6.4\n.target sm_70\n.address_size 64\n"                                          \
	".func f(.param .u32 depth)\n{\n" REGISTERS ".reg .pred %q; .reg .u32 %d;\n"               \
	"ld.param.u32 %d, [depth]; setp.eq.u32 %q, %d, 0; @%q bra PRODUCTS;\n"                     \
	"sub.u32 %d, %d, 1; mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000;\n"                   \
	"{ .param .u32 a; st.param.u32 [a], %d; call.uni f, (a); }\n"                              \
	"mul.rn.f32 %f3, %f1, %f2; ret;\nPRODUCTS:\n"
static uint64_t toggled_below(unsigned n, const char *which)
{
	char *p = put_products(text + sprintf(text, "%s", DEEP), "", n);
	sprintf(p,
		".visible .entry k()\n{\n{ .param .u32 a; st.param.u32 [a], 1; call.uni f, (a); }\n"
		"ret;\n}\n");
	return bits_of("gtx480", "sm.simd_width=16", 32, which);
}

static void a_called_function_has_rows_of_its_own(void **state)
{
	(void)state;
	uint64_t ten = toggled_below(10, "operand_toggles"),
		 results = toggled_below(10, "result_toggles");
	assert_int_equal(toggled_below(20, "operand_toggles") - ten, 10 * 32 * 32);
	assert_int_equal(toggled_below(20, "result_toggles") - results, 10 * 31 * 32);
}

/* Each launch finds zeros on all ports: the second launch changes as many bits as the first. */
static void a_launch_begins_with_zeros(void **state)
{
	(void)state;
	static const char *const set[] = {"gpu.sms=1", "power.data=counted", "sm.simd_width=32",
					  NULL};
	struct heddle *h;
	struct heddle_module *m;
	struct heddle_options o = {.config = "gtx480", .set = set, .timing = true};
	put_products(text + sprintf(text, "%s", HEAD REGISTERS), "", 3);
	setenv("HEDDLE_CONF", "conf", 0);
	assert_int_equal(heddle_open(&h, &o), HEDDLE_OK);
	assert_int_equal(heddle_load(h, &(struct heddle_text){"t", text, strlen(text)}, 1, &m),
			 HEDDLE_OK);
	uint8_t params[24] = {0};
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, "k"),
				  .params = params,
				  .grid = {1, 1, 1},
				  .block = {32, 1, 1}};
	assert_int_equal(heddle_launch(h, &l), HEDDLE_OK);
	assert_int_equal(heddle_launch(h, &l), HEDDLE_OK);
	char *stats = heddle_stats_json(h);
	json_t *all = json_loads(stats, 0, NULL), *launch[2];
	for (unsigned i = 0; i < 2; i++)
		launch[i] = json_object_get(
			json_object_get(json_array_get(json_object_get(all, "launches"), i),
					"timing"),
			"sm");
	static const char *const which[] = {"operand_toggles", "result_toggles"};
	for (unsigned i = 0; i < 2; i++) {
		json_t *a = json_object_get(launch[0], which[i]);
		assert_true(json_is_array(a));
		assert_true(json_equal(a, json_object_get(launch[1], which[i])));
	}
	json_decref(all);
	free(stats);
	heddle_close(h);
}

static struct power_model *model(const char *data)
{
	struct diag d = {0};
	const char *set[] = {data, NULL};
	struct machine *m = machine_read("gtx480", set, &d);
	assert_non_null(m);
	struct power_model *p = power_new(m, &d);
	assert_non_null(p);
	return p;
}

static void model_free(struct power_model *p)
{
	struct machine *m = (struct machine *)p->m;
	power_free(p);
	machine_free(m);
}

static void assert_near(double a, double b)
{
	if (fabs(a - b) > 1e-9 * fabs(b))
		fail_msg("%.9g, expected %.9g", a, b);
}

/* Half of the bits change in random data: such operands cost the mean energy. */
static void random_data_cost_the_mean(void **state)
{
	(void)state;
	setenv("HEDDLE_CONF", "conf", 0);
	struct power_model *mean = model("power.data=mean"), *counted = model("power.data=counted");
	const double width = 128, words = 3;
	assert_near(power_event(counted, "unit_fp32_fma") +
			    16 * words * power_event(counted, "toggle_fp32_fma"),
		    power_event(mean, "unit_fp32_fma"));
	assert_near(power_event(counted, "rf_read") +
			    width / 2 * power_event(counted, "operand_toggle"),
		    power_event(mean, "rf_read"));
	/* a full array of results */
	assert_near(power_event(counted, "rf_write") +
			    width / 32 * power_event(counted, "rf_word") +
			    width / 2 * power_event(counted, "result_toggle"),
		    power_event(mean, "rf_write") + width / 32 * power_event(mean, "rf_word"));
	assert_near(power_event(counted, "unit_fp32_fma"),
		    0.25 * power_event(mean, "unit_fp32_fma"));
	model_free(mean);
	model_free(counted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(halves_follow_each_other_on_a_lane),
		cmocka_unit_test(results_have_a_port_of_their_own),
		cmocka_unit_test(a_temporal_lane_sees_its_threads_in_turn),
		cmocka_unit_test(threads_that_do_not_execute_move_nothing),
		cmocka_unit_test(a_called_function_has_rows_of_its_own),
		cmocka_unit_test(a_launch_begins_with_zeros),
		cmocka_unit_test(random_data_cost_the_mean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
