/* Imports GPGPU-Sim's configuration: a list of "-name value" words; newlines do not matter, #
 * starts a comment, quotes join. Each option is a row of the table: its name or names (dialects
 * differ) and its conversion. Structured values are converted in import_value.c. */
#include "conf/importer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

static void add_word(struct import *im, const char *s, size_t n, unsigned line)
{
	char *p = xmalloc(n + 1);
	memcpy(p, s, n);
	p[n] = 0;
	vec_push(&im->words, (struct word){p, line});
}

static void split_words(struct import *im, const char *text, size_t len)
{
	unsigned line = 1;
	const char *p = text, *end = text + len;
	while (p < end) {
		if (*p == '\n')
			line++;
		if (*p == '#') {
			while (p < end && *p != '\n')
				p++;
		} else if (*p == '"') {
			const char *s = ++p;
			unsigned start = line;
			for (; p < end && *p != '"'; p++)
				line += *p == '\n';
			add_word(im, s, (size_t)(p - s), start);
			p += p < end;
		} else if (strchr(" \t\r\n", *p)) {
			p++;
		} else {
			const char *s = p;
			while (p < end && !strchr(" \t\r\n#", *p))
				p++;
			add_word(im, s, (size_t)(p - s), line);
		}
	}
}

/* GPGPU-Sim's defaults for options that the file does not set. */
static const char defaults[] =
	"-gpgpu_clock_domains 500:2000:2000:2000 -gpgpu_shader_core_pipeline 1024:32\n"
	"-gpgpu_shader_registers 8192 -gpgpu_shader_cta 32 -gpgpu_num_sched_per_core 1\n"
	"-gpgpu_max_insn_issue_per_warp 2 -gpgpu_scheduler gto -gpgpu_num_sp_units 1\n"
	"-gpgpu_pipeline_widths 1,1,1,1,1,1,1 -gpgpu_num_sfu_units 1 -gpgpu_num_reg_banks 8\n"
	"-gpgpu_operand_collector_num_units_sp 4 -gpgpu_operand_collector_num_units_sfu 4\n"
	"-gpgpu_operand_collector_num_units_mem 2 -gpgpu_inst_fetch_throughput 1\n"
	"-gpgpu_shmem_size 16384 -gpgpu_shmem_num_banks 16 -gpgpu_shmem_warp_parts 2\n"
	"-gpgpu_smem_latency 3 -gpgpu_coalesce_arch 13 -gpgpu_l1_latency 1 -gpgpu_l1_banks 1\n"
	"-gpgpu_cache:il1 4:256:4,L:R:f:N:L,A:2:32,4 -gpgpu_cache:dl1 none\n"
	"-gpgpu_tex_cache:l1 8:128:5,L:R:m:N:L,F:128:4,128:2\n"
	"-gpgpu_const_cache:l1 64:64:2,L:R:f:N:L,A:2:32,4 -gpgpu_cache:dl2 64:128:8,L:B:m:N:L,A:16:4,4\n"
	"-icnt_flit_size 32 -icnt_in_buffer_limit 64 -gpgpu_n_mem 8\n"
	"-gpgpu_n_sub_partition_per_mchannel 1 -gpgpu_dram_burst_length 4\n"
	"-dram_data_command_freq_ratio 2 -gpgpu_dram_partition_queues 8:8:8:8\n"
	"-gpgpu_dram_timing_opt 4:2:8:12:21:13:34:9:4:5:13:1:0:0 -gpgpu_dram_scheduler 1\n"
	"-gpgpu_frfcfs_dram_sched_queue_size 0 -gpgpu_l2_rop_latency 85 -dram_latency 30\n"
	"-ptx_opcode_latency_int 1,1,19,25,145,32 -ptx_opcode_initiation_int 1,1,4,4,32,4\n"
	"-ptx_opcode_latency_fp 1,1,1,1,30 -ptx_opcode_initiation_fp 1,1,1,1,5\n"
	"-ptx_opcode_latency_dp 8,8,8,8,335 -ptx_opcode_initiation_dp 8,8,8,8,130\n"
	"-ptx_opcode_latency_tesnor 64 -ptx_opcode_initiation_tensor 64\n";

/* Sets properties of GPGPU-Sim that no option of GPGPU-Sim names. */
static void put_defaults(struct import *im)
{
	ini_put(im, "sm.quirks", "gpgpu-sim");
	ini_put(im, "dram.group_by", "high");
	ini_put_num(im, "sm.dp_units", 0); /* f64 runs on the special function units */
	ini_put(im, "pdom.first", "taken");
	ini_put_num(im, "sm.logic_latency",
		    1); /* latency of logic, which the lists of latencies do not name */
	ini_put_num(im, "sm.sad_latency", 1);
	ini_put_num(im, "sm.sad_interval", 1);
	ini_put_num(im, "sm.mul24_extra", 1); /* 24-bit factors are masked for a 32-bit multiply */
	ini_put(im, "sm.issue_differ", "yes");
	ini_put(im, "sm.collector_order", "ready");
	ini_put(im, "sm.register_estimate", "scheduled");
	ini_put_num(im, "sm.register_unit",
		    128); /* a thread's registers come in multiples of four */
	ini_put(im, "l1d.local_writes", "keep");
	ini_put_num(im, "l1d.miss_room", 2);
	ini_put_num(im, "l1c.latency", 0);
	ini_put_num(im, "l1t.latency", 1);
	ini_put_num(im, "l2.latency", 0); /* the ROP path is the whole latency */
	ini_put_num(im, "icnt.latency", 6);
	ini_put(im, "l2.host_copies", "yes");
	ini_put(im, "l2.join_writes", "yes");
	ini_put_num(im, "sm.sfu_latency", 8);
	ini_put_num(im, "sm.sfu_interval", 8);
}

/* Gives square roots the time of the other special functions, f64 included. */
static void put_copy(struct import *im, const char *to, const char *from)
{
	for (size_t i = 0; i < im->out.n; i++)
		if (!strcmp(im->out.v[i].section, "sm") && !strcmp(im->out.v[i].key, from)) {
			ini_put(im, to, im->out.v[i].value);
			return;
		}
}

/* Sets the write queue. Reads and writes share a queue unless a separate one is switched on. */
static void put_write_queue(struct import *im, const struct shape *sh)
{
	ini_put_num(im, "dram.write_queue", sh->separate_writes ? sh->writes[0] : 0);
	if (!sh->separate_writes)
		return;
	ini_put_num(im, "dram.write_high", sh->writes[1]);
	ini_put_num(im, "dram.write_low", sh->writes[2]);
}

/* clang-format off */
enum how { NUMBER, SHAPE, HALF, NO_CACHE, PDOM_SCHED, CLOCKS, PIPELINE, CACHE_, DRAM, SCHED, COAL, OPCODES, WIDTHS, MAP, NETWORK, NETWORK_MODE, ARBITER, CLUSTERS,
	   PER_CLUSTER, BUS, PER_CTRL,
	   FLAG, DRAMSCHED, WQUEUE, SEPARATE, CHOICE, QUEUES, INCLUDE, IGNORE, FLAG_IGNORE };
/* clang-format on */

static const struct row {
	const char *name;
	enum how how;
	const char *key;
	/* clang-format off */
} rows[] = {
	{"-gpgpu_n_clusters", CLUSTERS, NULL}, {"-gpgpu_n_shader", NUMBER, "gpu.sms"},
	{"-gpgpu_compute_capability_major", SHAPE, "major"}, {"-gpgpu_compute_capability_minor", SHAPE, "minor"},
	{"-gpgpu_operand_collector_num_units_gen", SHAPE, "generic"},
	{"-gpgpu_simd_model", SHAPE, "model"}, {"-gpgpu_dwf_heuristic", SHAPE, "heuristic"},
	{"-gpgpu_pdom_sched_type", PDOM_SCHED, NULL}, {"-gpgpu_no_dl1", NO_CACHE, "l1d.kind"},
	{"-gpu_n_mshr_per_shader", NUMBER, "l1d.mshrs"}, {"-gpgpu_interwarp_mshr_merge", NUMBER, "l1d.mshr_merge"},
	{"-gpgpu_num_tensor_core_units", NUMBER, "sm.mma_units"}, {"-ptx_opcode_latency_tesnor", NUMBER, "sm.mma_latency"},
	{"-ptx_opcode_initiation_tensor", NUMBER, "sm.mma_interval"},
	{"-gpgpu_inst_fetch_throughput", NUMBER, "sm.fetch_width"},
	{"-gpgpu_max_concurrent_kernel", NUMBER, "gpu.concurrent_kernels"},
	{"-gpgpu_shmem_warp_parts", HALF, "shared.half_warp"},
	{"-gpgpu_n_cores_per_cluster", PER_CLUSTER, NULL},
	{"-gpgpu_clock_domains", CLOCKS, NULL}, {"-gpgpu_shader_core_pipeline", PIPELINE, NULL},
	{"-gpgpu_shader_registers", NUMBER, "sm.registers"}, {"-gpgpu_shader_cta", NUMBER, "sm.max_blocks"},
	{"-gpgpu_num_sched_per_core", NUMBER, "sm.schedulers"}, {"-gpgpu_max_insn_issue_per_warp", NUMBER, "sm.issue_width"},
	{"-gpgpu_scheduler", SCHED, NULL}, {"-gpgpu_num_sp_units", NUMBER, "sm.sp_units"},
	{"-gpgpu_num_sfu_units", NUMBER, "sm.sfu_units"}, {"-gpgpu_num_dp_units", NUMBER, "sm.dp_units"},
	{"-gpgpu_num_reg_banks", NUMBER, "sm.register_banks"},
	{"-gpgpu_operand_collector_num_units_sp", NUMBER, "sm.collectors_sp"},
	{"-gpgpu_operand_collector_num_units_sfu", NUMBER, "sm.collectors_sfu"},
	{"-gpgpu_operand_collector_num_units_mem", NUMBER, "sm.collectors_mem"},
	{"-gpgpu_shmem_size", NUMBER, "sm.shared_bytes"}, {"-gpgpu_shmem_num_banks", NUMBER, "shared.banks"},
	{"-gpgpu_smem_latency", NUMBER, "shared.latency"}, {"-smem_latency", NUMBER, "shared.latency"},
	{"-gpgpu_coalesce_arch", COAL, NULL}, {"-gpgpu_perfect_mem", FLAG, "gpu.perfect_memory"},
	{"-gpgpu_cache:il1", CACHE_, "l1i"}, {"-gpgpu_tex_cache:l1", CACHE_, "l1t"}, {"-gpgpu_const_cache:l1", CACHE_, "l1c"},
	{"-gpgpu_cache:dl1", CACHE_, "l1d"}, {"-gpgpu_cache:dl2", CACHE_, "l2"},
	{"-gpgpu_l1_latency", NUMBER, "l1d.latency"}, {"-l1_latency", NUMBER, "l1d.latency"}, {"-gpgpu_l1_banks", NUMBER, "l1d.banks"},
	{"-network_mode", NETWORK_MODE, NULL}, {"-icnt_arbiter_algo", ARBITER, NULL},
	{"-inter_config_file", NETWORK, NULL}, {"-icnt_flit_size", NUMBER, "icnt.flit_bytes"}, {"-icnt_in_buffer_limit", NUMBER, "icnt.buffer_flits"},
	{"-gpgpu_n_mem", NUMBER, "mem.partitions"}, {"-gpgpu_n_sub_partition_per_mchannel", NUMBER, "mem.slices"},
	{"-gpgpu_n_mem_per_ctrlr", PER_CTRL, NULL}, {"-gpgpu_dram_buswidth", BUS, NULL},
	{"-gpgpu_dram_burst_length", NUMBER, "dram.burst"}, {"-dram_data_command_freq_ratio", NUMBER, "dram.data_rate"},
	{"-gpgpu_mem_addr_mapping", MAP, NULL}, {"-gpgpu_dram_timing_opt", DRAM, NULL}, {"-gpgpu_dram_scheduler", DRAMSCHED, NULL},
	{"-gpgpu_frfcfs_dram_sched_queue_size", NUMBER, "dram.queue"}, {"-gpgpu_dram_sched_queue_size", NUMBER, "dram.queue"},
	{"-dram_write_queue_size", WQUEUE, NULL}, {"-dram_seperate_write_queue_enable", SEPARATE, NULL},
	{"-gpgpu_dram_partition_queues", QUEUES, "mem.queue"},
	{"-dram_bnkgrp_indexing_policy", CHOICE, "dram.group_by:high|low"},
	{"-dram_bnk_indexing_policy", CHOICE, "dram.bank_hash:linear|xor"},
	{"-gpgpu_memory_partition_indexing", CHOICE, "mem.address_map:linear|xor"},
	{"-gpgpu_l2_rop_latency", NUMBER, "mem.rop_latency"}, {"-rop_latency", NUMBER, "mem.rop_latency"},
	{"-dram_latency", NUMBER, "mem.dram_latency"}, {"-gpgpu_kernel_launch_latency", NUMBER, "gpu.launch_latency"},
	{"-gpgpu_ptx_force_max_capability", NUMBER, "gpu.capability"},
	{"-gpgpu_dual_issue_diff_exec_units", FLAG, "sm.issue_differ"}, {"-gpgpu_pipeline_widths", WIDTHS, NULL}, {"-gpgpu_perf_sim_memcpy", FLAG, "l2.host_copies"},
	{"-ptx_opcode_latency_int", OPCODES, "int_latency,minmax_latency,mul_latency,mad_latency,div_latency,shuffle_latency,"},
	{"-ptx_opcode_initiation_int", OPCODES,
	 "int_interval,minmax_interval,mul_interval,mad_interval,div_interval,shuffle_interval,"},
	{"-ptx_opcode_latency_fp", OPCODES, "fp_latency,,,fma_latency,fdiv_latency,"},
	{"-ptx_opcode_initiation_fp", OPCODES, "fp_interval,,,fma_interval,fdiv_interval,"},
	{"-ptx_opcode_latency_dp", OPCODES, "dp_latency,dminmax_latency,,,ddiv_latency,"},
	{"-ptx_opcode_initiation_dp", OPCODES, "dp_interval,dminmax_interval,,,ddiv_interval,"},
	{"-ptx_opcode_latency_sfu", NUMBER, "sm.sfu_latency"}, {"-ptx_opcode_initiation_sfu", NUMBER, "sm.sfu_interval"},
	{"-config", INCLUDE, NULL},
	/* output, run control and checks of GPGPU-Sim: no property of the machine */
	{"-gpgpu_deadlock_detect", IGNORE, NULL}, {"-gpgpu_runtime_stat", IGNORE, NULL}, {"-gpgpu_memlatency_stat", IGNORE, NULL},
	{"-visualizer_enabled", IGNORE, NULL}, {"-enable_ptx_file_line_stats", IGNORE, NULL}, {"-gpgpu_ptx_sim_mode", IGNORE, NULL},
	{"-gpgpu_ptx_instruction_classification", IGNORE, NULL}, {"-power_simulation_enabled", IGNORE, NULL},
	{"-gpuwattch_xml_file", IGNORE, NULL}, {"-accelwattch_xml_file", IGNORE, NULL}, 
	{"-gpgpu_stack_size_limit", IGNORE, NULL}, {"-gpgpu_heap_size_limit", IGNORE, NULL}, {"-gpgpu_max_cycle", IGNORE, NULL},
	{"-save_embedded_ptx", FLAG_IGNORE, NULL}, {"-keep", FLAG_IGNORE, NULL}, {"-gpgpu_ptx_use_cuobjdump", IGNORE, NULL},
};
/* clang-format on */

static void include_file(struct import *im, const char *path, struct shape *sh);

/* True for a word that can be the value of an option. */
static bool is_value(const struct import *im, size_t i)
{
	return i < im->words.n &&
	       (im->words.v[i].s[0] != '-' || strchr("0123456789.", im->words.v[i].s[1]));
}

static long *shape_field(struct shape *sh, const char *name)
{
	return !strcmp(name, "major")     ? &sh->major
	       : !strcmp(name, "minor")   ? &sh->minor
	       : !strcmp(name, "generic") ? &sh->generic
	       : !strcmp(name, "model")   ? &sh->model
					  : &sh->heuristic;
}

static void convert_value(struct import *im, const struct row *r, const char *v, struct shape *sh)
{
	char *e;
	switch (r->how) {
	case NUMBER: {
		errno = 0;
		long x = strtol(v, &e, 0);
		if (e == v || *e || errno || x < 0)
			import_bad(im, r->name, v, "a number");
		else if (!x && !strcmp(r->key, "dram.queue")) /* 0 means no limit in GPGPU-Sim */
			ini_put_num(im, r->key, 4096);
		else if (x ||
			 (strncmp(r->key, "sm.collectors", 13) && strcmp(r->key, "sm.mma_units")))
			ini_put_num(
				im, r->key,
				x); /* 0 specialised collectors: the generic ones are used, or none
				     * exist */
		break;
	}
	case SHAPE: *shape_field(sh, r->key) = strtol(v, NULL, 0); break;
	case HALF: ini_put(im, r->key, strtol(v, NULL, 0) == 2 ? "yes" : "no"); break;
	case NO_CACHE:
		if (atoi(v))
			ini_put(im, r->key, "off");
		break;
	case PDOM_SCHED: /* first-ready and random schedulers have no counterpart */
		if (atoi(v) == 8)
			ini_put(im, "sm.scheduler", "lrr");
		else
			vec_push(&im->unknown, xstrdup(r->name));
		break;
	case FLAG: ini_put(im, r->key, atoi(v) ? "yes" : "no"); break;
	case CLOCKS: import_clocks(im, r->name, v); break;
	case PIPELINE: import_pipeline(im, r->name, v); break;
	case CACHE_: import_cache(im, r->name, v, r->key); break;
	case DRAM: import_dram_timing(im, r->name, v); break;
	case SCHED: import_scheduler(im, r->name, v); break;
	case COAL: import_coalesce(im, r->name, v); break;
	case WQUEUE: import_write_queue(im, r->name, v, sh); break;
	case SEPARATE: sh->separate_writes = atoi(v); break;
	case QUEUES:
		ini_put_num(im, r->key, strtol(v, NULL, 0));
		break; /* the first of four numbers: before the L2 */
	case CHOICE: import_choice(im, r->key, v); break;
	case DRAMSCHED: ini_put(im, "dram.scheduler", atoi(v) ? "fr-fcfs" : "fcfs"); break;
	case OPCODES: import_opcodes(im, r->name, v, r->key); break;
	case NETWORK: import_network(im, r->name, v); break;
	case MAP: import_address_map(im, r->name, v); break;
	case WIDTHS: import_widths(im, r->name, v); break;
	case NETWORK_MODE: sh->network = strtol(v, NULL, 0); break;
	case ARBITER: sh->arbiter = strtol(v, NULL, 0); break;
	case CLUSTERS: sh->clusters = strtol(v, NULL, 0); break;
	case PER_CLUSTER: sh->per_cluster = strtol(v, NULL, 0); break;
	case BUS: sh->bus = strtol(v, NULL, 0); break;
	case PER_CTRL: sh->chips = strtol(v, NULL, 0); break;
	case INCLUDE: include_file(im, v, sh); break;
	default: vec_push(&im->ignored, xstrdup(r->name)); break;
	}
}

static const struct row *find_row(const char *name)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

/* False for numbers below 0 or of ten digits: no option of GPGPU-Sim has them, and they would overflow
 * the values computed from them. */
static bool is_sane(const struct row *r, const char *v)
{
	if (r->how == INCLUDE || r->how == MAP || r->how == IGNORE || r->how == FLAG_IGNORE)
		return true;
	if (*v == '-')
		return false;
	for (size_t n; *v; v += n ? n : 1) {
		n = strspn(v, "0123456789");
		if (n > 9)
			return false;
	}
	return true;
}

static void take_all(struct import *im, struct shape *sh)
{
	for (size_t i = 0; i < im->words.n; i++) {
		const char *name = im->words.v[i].s;
		const struct row *r = find_row(name);
		bool value = is_value(im, i + 1);
		im->line = im->words.v[i].line;
		if (name[0] != '-') {
			import_bad(im, "", name, "an option that begins with -");
		} else if (!r) {
			vec_push(&im->unknown, xstrdup(name));
		} else if (!value && (r->how == FLAG || r->how == FLAG_IGNORE)) {
			convert_value(im, r, "1", sh);
		} else if (!value) {
			import_bad(im, name, "", "a value");
		} else if (!is_sane(r, im->words.v[i + 1].s)) {
			import_bad(im, name, im->words.v[i + 1].s, "numbers from 0 to 999999999");
		} else {
			convert_value(im, r, im->words.v[i + 1].s, sh);
		}
		i += value;
	}
}

/* Reads the whole file into memory, with a terminating 0; NULL and an error: it cannot be read. */
static char *read_text(struct import *im, const char *path, size_t *size)
{
	FILE *f = im->depth++ < 8 ? fopen(path, "r") : NULL;
	if (!f) {
		diag_error(im->d, "%s: %s", path,
			   im->depth <= 8 ? strerror(errno) : "files include each other");
		return NULL;
	}
	VEC(char) text = {0};
	char buf[4096];
	size_t n;
	while ((n = fread(buf, 1, sizeof buf, f)) > 0 && text.n < 16u << 20) {
		vec_reserve(&text, text.n + n);
		memcpy(text.v + text.n, buf, n);
		text.n += n;
	}
	if (ferror(f)) { /* a folder can be opened but not read */
		diag_error(im->d, "%s: %s", path, strerror(errno));
		vec_free(&text);
		fclose(f);
		return NULL;
	}
	fclose(f);
	*size = text.n;
	vec_push(&text, 0);
	return text.v;
}

static void free_words(struct import *im)
{
	for (size_t i = 0; i < im->words.n; i++)
		free(im->words.v[i].s);
	vec_free(&im->words);
}

/* Reads -config FILE: its options apply at that point, before those that follow. */
static void include_file(struct import *im, const char *path, struct shape *sh)
{
	word_vec outer = im->words;
	const char *file = im->file;
	im->words = (word_vec){0};
	im->file = path;
	size_t n;
	char *text = read_text(im, path, &n);
	if (text) {
		split_words(im, text, n);
		take_all(im, sh);
	}
	free(text);
	free_words(im);
	im->words = outer;
	im->file = file;
	im->depth--;
}

/* Sets the divergence mechanism. Versions before 3 have other mechanisms than the post-dominator stack, a
 * pipeline with one instruction per warp, and for DWF a policy that chooses from the pool. */
static void put_divergence(struct import *im, const struct shape *sh)
{
	static const char *const mechanism[] = {"none", "pdom", "mimd", "dwf"};
	static const char *const policy[] = {"majority", "minority", "time-stamp", "pdom-priority",
					     "program-counter"};
	if (sh->model < 0 || sh->model > 3) {
		import_bad(im, "-gpgpu_simd_model", "", "0 to 3");
		return;
	}
	ini_put(im, "sm.divergence", mechanism[sh->model]);
	if (sh->model != 1)
		ini_put(im, "sm.pipeline", "locked");
	if (sh->model == 3 && sh->heuristic >= 0 && sh->heuristic < 5)
		ini_put(im, "sm.scheduler", policy[sh->heuristic]);
}

static void put_generic_collectors(struct import *im, long n)
{
	n = n > 32 ? 32 : n;
	ini_put_num(im, "sm.collectors_sp", n);
	ini_put_num(im, "sm.collectors_sfu", n);
	ini_put_num(im, "sm.collectors_mem", n);
}

static void take_words(struct import *im, const char *text, size_t n, struct shape *sh)
{
	split_words(im, text, n);
	take_all(im, sh);
	free_words(im);
	im->words = (word_vec){0};
}

static void take_machine(struct import *im, const char *text, size_t n)
{
	/* clang-format off */
	struct shape sh = {.per_cluster = 3, .chips = 1, .bus = 4, .arbiter = 1, .writes = {32, 28, 16}, .model = 1};
	/* clang-format on */
	ini_put_num(im, "gpu.sms", 30);
	take_words(im, defaults, sizeof defaults - 1, &sh);
	put_defaults(im);
	split_words(im, text, n);
	if (!im->words.n)
		diag_error(im->d, "%s: empty; expected GPGPU-Sim's options, -name value", im->file);
	take_all(im, &sh);
	put_write_queue(im, &sh);
	put_copy(im, "sm.sqrt_latency", "sfu_latency");
	put_copy(im, "sm.sqrt_interval", "sfu_interval");
	put_copy(im, "sm.dsqrt_latency", "sfu_latency");
	put_copy(im, "sm.dsqrt_interval", "sfu_interval");
	put_divergence(im, &sh);
	if (sh.major)
		ini_put_num(im, "gpu.capability", sh.major * 10 + sh.minor);
	if (sh.generic)
		put_generic_collectors(im, sh.generic);
	if (sh.clusters)
		ini_put_num(im, "gpu.sms", sh.clusters * sh.per_cluster);
	if (sh.network == 2)
		ini_put(im, "icnt.kind", sh.arbiter ? "islip" : "crossbar");
	if (sh.bus)
		ini_put_num(im, "dram.bus_bytes", sh.bus * sh.chips);
}

bool import_config(const char *path, FILE *out, struct diag *d)
{
	struct import im = {.file = path, .d = d};
	size_t n;
	char *text = read_text(&im, path, &n);
	if (text && import_has_registers(text))
		import_registers(&im, text);
	else if (text)
		take_machine(&im, text, n);
	if (!d->errors)
		ini_write(&im, out);
	free(text);
	free_words(&im);
	import_free(&im);
	return !d->errors;
}
