/* Configurations: values that are read, errors with their messages, and GPGPU-Sim's files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>
#include <cmocka.h>
#include "conf/import.h"
#include "conf/machine.h"

static char path[64];

static const char *file_with(const char *text)
{
	strcpy(path, "/tmp/heddle-conf-XXXXXX");
	int fd = mkstemp(path);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return path;
}

/* Reads a machine from a file's text; the errors as text, or NULL. */
static char *errors_of(const char *text, const char *const *set, struct machine **out)
{
	struct diag *d = xcalloc(1, sizeof *d);
	struct machine *m = machine_read(text ? file_with(text) : NULL, set, d);
	char *s = m ? NULL : diag_string(d);
	if (text)
		unlink(path);
	diag_free(d);
	free(d);
	if (out)
		*out = m;
	else
		machine_free(m);
	return s;
}

static void expect_error(const char *text, const char *const *set, const char *part)
{
	char *s = errors_of(text, set, NULL);
	assert_non_null(s);
	if (!strstr(s, part))
		fail_msg("expected \"%s\" in: %s", part, s);
	free(s);
}

static void test_defaults_and_set(void **state)
{
	(void)state;
	const char *set[] = {"gpu.sms=3", "sm.scheduler=gto", "gpu.perfect_memory=yes", NULL};
	struct machine *m;
	assert_null(errors_of(NULL, set, &m));
	assert_int_equal(m->sms, 3);
	assert_string_equal(policy_name(m->sched), "gto");
	assert_true(m->perfect_mem);
	assert_int_equal(m->tRCD, 12);
	machine_free(m);
}

static void test_inheritance(void **state)
{
	(void)state;
	struct machine *m;
	assert_null(errors_of("base = gtx480\n[gpu]\nsms = 7\n", NULL, &m));
	assert_int_equal(m->sms, 7);       /* the file's own value */
	assert_int_equal(m->l1d_line, 64); /* the base machine's value */
	machine_free(m);
}

/* A register count given for a kernel has priority over the count for all kernels, which has
 * priority over the estimate. */
static void test_registers_by_kernel(void **state)
{
	(void)state;
	struct machine *m;
	const char *set[] = {"registers._Z3addPf=40", NULL};
	assert_null(errors_of(
		"[registers]\nmatmul = 34\n_Z3addPf = 20\n[sm]\nregisters_per_thread = 16\n", set,
		&m));
	assert_int_equal(machine_registers(m, "matmul", 19), 34);
	assert_int_equal(machine_registers(m, "_Z3addPf", 19), 40); /* the last setting */
	assert_int_equal(machine_registers(m, "other", 19), 16);
	machine_free(m);
	assert_null(errors_of("[registers]\nmatmul = 34\n", NULL, &m));
	assert_int_equal(machine_registers(m, "other", 19), 19);
	machine_free(m);
	/* An estimate is at most the number of registers that an instruction can name; a given
	 * count is used as it is. */
	assert_null(errors_of("[gpu]\ncapability = 20\n[registers]\nmatmul = 90\n", NULL, &m));
	assert_int_equal(machine_registers(m, "other", 97), 63);
	assert_int_equal(machine_registers(m, "matmul", 97), 90);
	machine_free(m);
	assert_null(errors_of("[gpu]\ncapability = 35\n", NULL, &m));
	assert_int_equal(machine_registers(m, "other", 97), 97);
	machine_free(m);
	expect_error("[registers]\nmatmul = 0\n", NULL,
		     "registers.matmul = 0: expected a whole number from 1 to 255 registers");
	expect_error("[registers]\nmatmul = many\n", NULL, "expected a whole number");
}

/* Checks sm.quirks after settings; the machine's file says gpgpu-sim. */
static void expect_quirks(const char *const *set, const char *want)
{
	struct machine *m;
	char buf[512];
	assert_null(errors_of("[sm]\nquirks = gpgpu-sim\n", set, &m));
	assert_string_equal(machine_text(m, "sm.quirks", buf, sizeof buf), want);
	machine_free(m);
}

static void test_quirks(void **state)
{
	(void)state;
	expect_quirks(NULL, "gpgpu-sim");
	expect_quirks((const char *[]){"sm.quirks=none", NULL}, "none");
	expect_quirks((const char *[]){"sm.quirks=late-lookup,fence-loads", NULL},
		      "fence-loads,late-lookup");
	expect_quirks((const char *[]){"sm.quirks=-fence-loads", NULL}, "gpgpu-sim,-fence-loads");
	expect_quirks((const char *[]){"sm.quirks=none", "sm.quirks=+late-lookup",
				       "sm.quirks=+one-fill,-late-lookup", NULL},
		      "one-fill");
	expect_quirks((const char *[]){"sm.quirks=+squeeze-as-printed", NULL},
		      "gpgpu-sim,squeeze-as-printed");
	expect_error(NULL, (const char *[]){"sm.quirks=late", NULL}, "no quirk is called late;");
	expect_error(NULL, (const char *[]){"sm.quirks=", NULL}, "no quirk is called ;");
	/* Options of an earlier version. */
	expect_error("[sm]\nturns = busy\n", NULL,
		     "sm.turns is a quirk (heddle config explain sm.quirks): for sm.turns = busy "
		     "write sm.quirks = +busy-turns, for hardware -busy-turns");
}

static void test_shipped_machines(void **state)
{
	(void)state;
	static const char *const names[] = {"hws", "gtx480", "stsimt", "quadro-fx5800",
					    "tesla-c2050"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct diag *d = xcalloc(1, sizeof *d);
		struct machine *m = machine_read(names[i], NULL, d);
		assert_non_null(m);
		machine_free(m);
		diag_free(d);
		free(d);
	}
}

/* 28 SMs of eight lanes, one instruction per cycle at 1296 MHz, no L2. */
static void test_derived(void **state)
{
	(void)state;
	struct diag *d = xcalloc(1, sizeof *d);
	struct machine *m = machine_read("hws", NULL, d);
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	assert_non_null(m);
	machine_print(m, f);
	fclose(f);
	assert_non_null(strstr(text, " 224 thread instructions per core cycle"));
	assert_non_null(strstr(text, " 580.608 Gflop/s"));
	assert_non_null(strstr(text, "# L2                       none"));
	free(text);
	machine_free(m);
	diag_free(d);
	free(d);
}

static void test_errors(void **state)
{
	(void)state;
	const char *bad_set[] = {"gpu.sms", NULL};
	expect_error("[gpu]\nsm = 4\n", NULL,
		     ":2:1: error: unknown option gpu.sm; did you mean gpu.sms?");
	expect_error("[gpu]\n\nsms = 0\n", NULL,
		     ":3:1: error: gpu.sms = 0: expected a whole number from 1 to 1024");
	expect_error("[gpu]\nsms = 1.5\n", NULL, "expected a whole number");
	expect_error("[sm]\nscheduler = fast\n", NULL, "|cggty|gto|lrr|");
	expect_error("[gpu]\nperfect_memory = maybe\n", NULL, "expected yes or no");
	expect_error("[gpu]\nsms 4\n", NULL, "expected [section], key = value or a comment");
	expect_error("base = no-such-machine\n", NULL, "no configuration no-such-machine");
	expect_error("[sm]\nsimd_width = 5\n", NULL, "does not divide gpu.warp_size = 32");
	expect_error("[l2]\nline = 100\n", NULL, "l2.line = 100 must be a power of two");
	expect_error(NULL, bad_set, "expected key=value");
}

static char *imported(const char *text, bool *ok)
{
	struct diag *d = xcalloc(1, sizeof *d);
	char *s;
	size_t n;
	FILE *f = open_memstream(&s, &n);
	*ok = import_config(file_with(text), f, d);
	fclose(f);
	if (!*ok) {
		free(s);
		s = diag_string(d);
	}
	unlink(path);
	diag_free(d);
	free(d);
	return s;
}

/* Asserts that the imported text is a valid machine. */
static void expect_machine(const char *ini)
{
	char file[] = "/tmp/heddle-ini-XXXXXX";
	struct diag *d = calloc(1, sizeof *d);
	int fd = mkstemp(file);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, ini, strlen(ini)), strlen(ini));
	close(fd);
	struct machine *m = machine_read(file, NULL, d);
	unlink(file);
	if (!m)
		fail_msg("%s\n%s", d->msg[0].text, ini);
	machine_free(m);
	diag_free(d);
	free(d);
}

static void expect_import(const char *text, bool good, const char *const *parts)
{
	bool ok;
	char *s = imported(text, &ok);
	if (ok != good)
		fail_msg("%s", s);
	for (; *parts; parts++)
		if (!strstr(s, *parts))
			fail_msg("expected \"%s\" in: %s", *parts, s);
	if (good)
		expect_machine(s);
	free(s);
}

static void test_import_dialects(void **state)
{
	(void)state;
	/* 4.x: typed cache strings, key=value DRAM timing over two lines */
	expect_import(
		"-gpgpu_n_clusters 15 -gpgpu_n_cores_per_cluster 2 # SMs\n-gpgpu_cache:dl2 S:64:128:8,L:B:m:L:L,A:256:4,4:0,32\n"
		"-gpgpu_dram_timing_opt \"nbk=16:CCD=2:RCD=12:\nRP=13\"\n-gpgpu_what 3\n",
		true,
		(const char *[]){"sms = 30", "sets = 64", "sector = 32", "kind = wb", "mshrs = 256",
				 "tRCD = 12", "tRP = 13", "; not used: -gpgpu_what", NULL});
	/* 3.x: no type; -rop_latency; positional timing */
	expect_import(
		"-gpgpu_cache:dl1 32:128:4,L:L:m:N:H,A:32:8,8\n-rop_latency 120\n-gpgpu_dram_timing_opt 8:2:8:12:25:10:35:10:7:6:11\n",
		true,
		(const char *[]){"ways = 4", "hash = fermi", "mshrs = 32", "rop_latency = 120",
				 "tRAS = 25", "tWR = 11", NULL});
	/* 2.x: four fields, a flag without value, SIMD width */
	expect_import(
		"-gpgpu_n_shader 28 -gpgpu_perfect_mem -gpgpu_shader_core_pipeline 1024:32:8 -gpgpu_const_cache:l1 64:64:2:L\n",
		true,
		(const char *[]){"sms = 28", "perfect_memory = yes", "simd_width = 8", "line = 64",
				 NULL});
	/* 2.x: rejects mechanisms that later versions removed, and the policies of one of them */
	expect_import(
		"-gpgpu_n_shader 8 -gpgpu_simd_model 3 -gpgpu_dwf_heuristic 2 -gpgpu_no_dl1 1 "
		"-gpu_n_mshr_per_shader 64\n",
		true,
		(const char *[]){"divergence = dwf", "scheduler = time-stamp", "pipeline = locked",
				 "kind = off", "mshrs = 64", NULL});
	expect_import("-gpgpu_n_shader 8 -gpgpu_simd_model 2\n", true,
		      (const char *[]){"divergence = mimd", NULL});
	expect_import("-gpgpu_n_shader 8 -gpgpu_simd_model 7\n", false, (const char *[]){NULL});
	/* keys missing from a file have GPGPU-Sim's default, not ours */
	expect_import("-gpgpu_n_clusters 10\n", true,
		      (const char *[]){"sms = 30", "registers = 8192", "schedulers = 1",
				       "half_warp = yes", "rop_latency = 85", "bus_bytes = 4",
				       "coalescing = cc12", "mad_latency = 25", NULL});
	/* recent versions: caches of one set, generic collectors, matrix units; 0: no bank
	 * groups */
	expect_import(
		"-gpgpu_compute_capability_major 7 -gpgpu_compute_capability_minor 5 -gpgpu_num_sfu_units 32\n"
		"-gpgpu_operand_collector_num_units_gen 8 -gpgpu_operand_collector_num_units_sp 0\n"
		"-gpgpu_cache:dl1 S:1:128:512,L:L:m:N:L,A:256:8,16:0,32 -gpgpu_num_tensor_core_units 4\n"
		"-ptx_opcode_latency_tesnor 25 -gpgpu_shmem_warp_parts 1 -gpgpu_inst_fetch_throughput 4\n"
		"-gpgpu_dram_timing_opt nbk=16:CCD=2:RRD=6:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=4:CDLR=5:WR=12:nbkgrp=1:CCDL=0\n",
		true,
		(const char *[]){"capability = 75", "ways = 512", "collectors_mem = 8",
				 "mma_units = 4", "mma_latency = 25", "half_warp = no",
				 "fetch_width = 4", "tCCDL = 0", NULL});
	/* widths and latencies by instruction class; a class that no list names takes one cycle */
	expect_import("-gpgpu_pipeline_widths 2,0,0,1,1,2,0,0,1,1,3 -ptx_opcode_latency_int "
		      "4,13,6,5,145,32\n"
		      "-ptx_opcode_initiation_fp 1,2,1,3,4\n",
		      true,
		      (const char *[]){"ports_sp = 2", "ports_mem = 1", "writeback_ports = 3",
				       "minmax_latency = 13", "mul_latency = 6", "mad_latency = 5",
				       "shuffle_latency = 32", "fma_interval = 3",
				       "logic_latency = 1", "quirks = gpgpu-sim", "dp_units = 0",
				       "sqrt_latency = 8", "dsqrt_latency = 8", "mul24_extra = 1",
				       "sad_latency = 1", NULL});
	expect_import(
		"-ptx_opcode_latency_dp 8,19,8,8,330 -ptx_opcode_initiation_dp 8,16,8,8,130\n",
		true,
		(const char *[]){"dp_latency = 8", "dminmax_latency = 19", "dminmax_interval = 16",
				 "ddiv_interval = 130", NULL});
	expect_import("-gpgpu_pipeline_widths 3,2,1,1,1,1,4\n", true,
		      (const char *[]){"ports_sp = 3", "ports_sfu = 2", "ports_mem = 1",
				       "writeback_ports = 4", NULL});
	expect_import("-gpgpu_pipeline_widths 2,2\n", false, (const char *[]){NULL});
	/* 0xe100 and bit 16: as GPGPU-Sim prints for its GTX 480 */
	expect_import(
		"-gpgpu_mem_addr_mapping dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS\n",
		true,
		(const char *[]){"bank_mask = 57600", "row_bit = 16", "interleave = 256", NULL});
	expect_import("-gpgpu_mem_addr_mapping dramid@8;0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSXSS\n",
		      false, (const char *[]){"expected 64 of", NULL});
	/* the network's file, if it exists */
	char net[] = "/tmp/heddle-net-XXXXXX", text[128];
	int fd = mkstemp(net);
	assert_true(fd >= 0);
	static const char fly[] =
		"// 27 nodes\ntopology = fly;\nnum_vcs     = 2; // two\nvc_buf_size = 64;\nflit_size = 40;\n";
	assert_int_equal(write(fd, fly, sizeof fly - 1), sizeof fly - 1);
	close(fd);
	snprintf(text, sizeof text, "-network_mode 1 -inter_config_file %s\n", net);
	expect_import(text, true,
		      (const char *[]){"buffer_flits = 73", "vcs = 2", "flit_bytes = 40",
				       "kind = input-queued", "speedup = 1", NULL});
	fd = open(net, O_WRONLY | O_APPEND);
	static const char matched[] = "internal_speedup = 2.0;\ninput_buffer_size = 16;\n";
	assert_int_equal(write(fd, matched, sizeof matched - 1), sizeof matched - 1);
	close(fd);
	expect_import(text, true, (const char *[]){"speedup = 2", "buffer_flits = 80", NULL});
	expect_import("-network_mode 2\n", true, (const char *[]){"kind = islip", NULL});
	expect_import("-network_mode 2 -icnt_arbiter_algo 0\n", true,
		      (const char *[]){"kind = crossbar", NULL});
	unlink(net);
	expect_import(text, true, (const char *[]){"; not used: -inter_config_file", NULL});
	/* write misses in a write-back cache */
	expect_import("-gpgpu_cache:dl2 64:128:8,L:B:m:W:L,A:32:4,4\n", true,
		      (const char *[]){"allocate = fetch-on-write", NULL});
	expect_import("-gpgpu_cache:dl2 64:128:8,L:B:m:N:L,A:32:4,4\n", true,
		      (const char *[]){"allocate = no-write", NULL});
	expect_import("-gpgpu_cache:dl1 none\n", true, (const char *[]){"kind = off", NULL});
}

/* Output of ptxas -v and cuobjdump -res-usage for a program's kernels; functions that are not
 * kernels do not count. */
static void test_import_registers(void **state)
{
	(void)state;
	expect_import("ptxas info    : 0 bytes gmem\n"
		      "ptxas info    : Compiling entry function '_Z3addPfS_' for 'sm_20'\n"
		      "ptxas info    : Function properties for _Z3addPfS_\n"
		      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
		      "ptxas info    : Used 10 registers, 48 bytes cmem[0]\n"
		      "ptxas info    : Compiling entry function 'matmul' for 'sm_20'\n"
		      "ptxas info    : Used 34 registers, 2048+16 bytes smem, 60 bytes cmem[0]\n",
		      true, (const char *[]){"[registers]\n_Z3addPfS_ = 10\nmatmul = 34\n", NULL});
	expect_import(
		"Fatbin elf code:\nResource usage:\n Common:\n  GLOBAL:0\n Function _Z3addPfS_:\n"
		"  REG:12 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:352 TEXTURE:0 SURFACE:0 SAMPLER:0\n",
		true, (const char *[]){"[registers]\n_Z3addPfS_ = 12\n", NULL});
	expect_import("ptxas info    : 0 bytes gmem\n", false,
		      (const char *[]){"names no kernel with its registers", NULL});
}

static void test_import_errors(void **state)
{
	(void)state;
	expect_import(
		"\n-gpgpu_cache:dl2 0:128:8\n", false,
		(const char *[]){":2:1: error: -gpgpu_cache:dl2 0:128:8: expected sets:line:ways",
				 NULL});
	expect_import("-gpgpu_n_mem six\n", false, (const char *[]){"expected a number", NULL});
	expect_import("-gpgpu_scheduler best\n", false,
		      (const char *[]){"expected lrr, gto", NULL});
	expect_import("-config /nonexistent\n", false,
		      (const char *[]){"No such file or directory", NULL});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults_and_set),
		cmocka_unit_test(test_inheritance),
		cmocka_unit_test(test_quirks),
		cmocka_unit_test(test_shipped_machines),
		cmocka_unit_test(test_derived),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_import_dialects),
		cmocka_unit_test(test_import_errors),
		cmocka_unit_test(test_registers_by_kernel),
		cmocka_unit_test(test_import_registers),
	};
	setenv("HEDDLE_CONF", "conf", 0); /* tests run from the top of the tree */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
