/* The file is a list of "-name value" words; newlines do not matter, # starts a comment, quotes join.
 * Each option is a row of the table: its name (or names: dialects differ) and what becomes of it.   */
#include "conf/import.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

struct word {
	char *s;
	unsigned line;
};

struct ini_entry {
	char *section, *key, *value;
};

struct shape { /* factors that several options give */
	long clusters, per_cluster, bus, chips;
	long separate_writes, writes[3]; /* size, high and low mark of the write queue, if it is used */
};

typedef VEC(struct word) word_vec;

struct import {
	const char *file;
	struct diag *d;
	word_vec words;
	VEC(struct ini_entry) out;
	VEC(char *) ignored;       /* known to have no effect here */
	VEC(char *) unknown;
	unsigned line;
	unsigned depth;
	double clocks[4];
};

/* ---- words ---- */

static void add_word(struct import *im, const char *s, size_t n, unsigned line)
{
	char *p = xmalloc(n + 1);
	memcpy(p, s, n);
	p[n] = 0;
	vec_push(&im->words, (struct word){p, line});
}

static void split(struct import *im, const char *text, size_t len)
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

/* ---- results ---- */

static void put(struct import *im, const char *key, const char *value)
{
	const char *dot = strchr(key, '.');
	char *section = xmalloc((size_t)(dot - key) + 1);
	memcpy(section, key, (size_t)(dot - key));
	section[dot - key] = 0;
	for (size_t i = 0; i < im->out.n; i++)
		if (!strcmp(im->out.v[i].section, section) && !strcmp(im->out.v[i].key, dot + 1)) {
			free(section);
			free(im->out.v[i].value);
			im->out.v[i].value = xstrdup(value);
			return; /* later ones win */
		}
	vec_push(&im->out, (struct ini_entry){section, xstrdup(dot + 1), xstrdup(value)});
}

static void put_num(struct import *im, const char *key, long v)
{
	char buf[32];
	snprintf(buf, sizeof buf, "%ld", v);
	put(im, key, buf);
}

static void bad(struct import *im, const char *option, const char *value, const char *expected)
{
	struct srcloc at = {.file = im->file, .line = im->line, .col = 1};
	diag_at(im->d, DIAG_ERROR, &at, "%s %s: expected %s", option, value, expected);
}

/* Numbers of a list "a:b,c", at most n; returns how many. Octal and hexadecimal as in C. */
static int numbers(const char *s, double *v, int n)
{
	int k = 0;
	while (k < n) {
		char *e;
		double x = strchr(s, '.') ? strtod(s, &e) : (double)strtol(s, &e, 0);
		if (e == s)
			return k;
		v[k++] = x;
		if (!*e)
			return k;
		s = e + 1;
	}
	return k;
}

/* ---- options ---- */

/* [type:]sets:line:assoc[,repl:write:alloc[:wralloc[:hash]][,mshr:entries:merge[,queue[...]]]] */
static void cache(struct import *im, const char *opt, const char *text, const char *name)
{
	char key[64], copy[256], *field[24];
	int n = 0;
	if (!strcmp(text, "none")) {
		snprintf(key, sizeof key, "%s.kind", name);
		put(im, key, "off");
		return;
	}
	snprintf(copy, sizeof copy, "%s", text);
	for (char *p = strtok(copy, ":,"); p && n < 24; p = strtok(NULL, ":,"))
		field[n++] = p;
	bool sectored = n && !strcmp(field[0], "S");
	char **f = field + (n && strchr("NS", field[0][0]) && !field[0][1] ? 1 : 0);
	n -= (int)(f - field);
	if (n < 3 || atol(f[0]) < 1 || atol(f[1]) < 1 || atol(f[2]) < 1) {
		bad(im, opt, text, "sets:line:ways,... or none");
		return;
	}
	static const char *const geometry[] = {"sets", "line", "ways"};
	for (int i = 0; i < 3; i++) {
		snprintf(key, sizeof key, "%s.%s", name, geometry[i]);
		put_num(im, key, strtol(f[i], NULL, 0));
	}
#define SET(k, v) (snprintf(key, sizeof key, "%s." k, name), put(im, key, v))
	if (sectored)
		SET("sector", "32");
	if (!strcmp(name, "l2")) /* that simulator fetches a sectored L2's sectors one by one */
		put(im, "mem.fetch_sectors", sectored ? "yes" : "no");
	if (n > 3)
		SET("replacement", *f[3] == 'F' ? "fifo" : "lru");
	if (n > 4)
		SET("kind", *f[4] == 'R' ? "ro" : *f[4] == 'B' ? "wb" : *f[4] == 'T' ? "wt" : "we");
	if (n > 5)
		SET("allocate", *f[5] == 'f' || *f[5] == 's' ? "on-fill" : "on-miss");
	int i = 6;
	if (n > i && strchr("NWFL", *f[i])) {
		if (*f[4] == 'B') /* others pass their writes on */
			SET("allocate", *f[i] == 'N' ? "no-write" : *f[i] == 'L' ? "on-miss" : "fetch-on-write");
		i++;
	}
	if (n > i && strchr("LHXPC", *f[i])) {
		SET("hash", *f[i] == 'L' ? "linear" : "xor");
		i++;
	}
	if (n > i && strchr("ASFT", *f[i]))
		i++;
	static const char *const rest[] = {"mshrs", "mshr_merge", "miss_queue"};
	for (int k = 0; k < 3 && i < n; k++, i++) {
		snprintf(key, sizeof key, "%s.%s", name, rest[k]);
		put_num(im, key, strtol(f[i], NULL, 0));
	}
#undef SET
}

static void clocks(struct import *im, const char *opt, const char *text)
{
	static const char *const key[] = {"gpu.core_mhz", "gpu.icnt_mhz", "gpu.l2_mhz", "gpu.dram_mhz"};
	if (numbers(text, im->clocks, 4) != 4) {
		bad(im, opt, text, "core:icnt:l2:dram in MHz");
		return;
	}
	for (int i = 0; i < 4; i++) {
		char buf[32];
		snprintf(buf, sizeof buf, "%.10g", im->clocks[i]);
		put(im, key[i], buf);
	}
}

static void pipeline(struct import *im, const char *opt, const char *text)
{
	double v[3] = {0};
	int n = numbers(text, v, 3);
	if (n < 2) {
		bad(im, opt, text, "threads:warp size");
		return;
	}
	put_num(im, "sm.max_threads", (long)v[0]);
	put_num(im, "gpu.warp_size", (long)v[1]);
	put_num(im, "sm.max_warps", (long)(v[0] / (v[1] > 0 ? v[1] : 1)));
	put_num(im, "sm.simd_width", (long)(n > 2 ? v[2] : v[1]));
}

/* dramid@N;bits: 64 of R row, B bank, C and S column, 0 from the high end; the channel is taken out at bit N before
 * they count, as it is here. A map with the channel's bits (D) among them is not used. */
static void address_map(struct import *im, const char *opt, const char *text)
{
	const char *bits = strchr(text, ';');
	long at = -1;
	uint64_t bank = 0, row = 0;
	int n = 0;
	bool channel = false;
	sscanf(text, "dramid@%ld", &at);
	for (const char *p = bits ? bits + 1 : text; *p; p++) {
		if (strchr(".| ", *p))
			continue;
		if (!strchr("RrBbCcSsDd0", *p) || n++ == 64) {
			bad(im, opt, text, "64 of R, B, C, S, D and 0");
			return;
		}
		bank = bank << 1 | (*p == 'B' || *p == 'b');
		row = row << 1 | (*p == 'R' || *p == 'r');
		channel |= *p == 'D' || *p == 'd';
	}
	if (channel || at < 5 || at > 16 || !row || bank >> 31 || bank >= (row & -row)) {
		vec_push(&im->unknown, xstrdup(opt));
		return;
	}
	put_num(im, "mem.interleave", 1L << at);
	put_num(im, "dram.bank_mask", (long)bank);
	put_num(im, "dram.row_bit", __builtin_ctzll(row));
}

/* The network's file, beside the configuration: "key = value;" with // comments. One that is not there is not used. */
static void network(struct import *im, const char *opt, const char *name)
{
	static const char *const key[][2] = {{"vc_buf_size", "icnt.buffer_flits"}, {"num_vcs", "icnt.vcs"}, {"flit_size", "icnt.flit_bytes"}};
	char path[4096], line[512], k[64], v[64];
	const char *slash = strrchr(im->file, '/');
	snprintf(path, sizeof path, "%.*s%s", (int)(slash && *name != '/' ? slash - im->file + 1 : 0), im->file, name);
	FILE *f = fopen(path, "r");
	if (!f)
		vec_push(&im->unknown, xstrdup(opt));
	while (f && fgets(line, sizeof line, f)) {
		char *comment = strstr(line, "//");
		if (comment)
			*comment = 0;
		if (sscanf(line, " %63[a-z_A-Z0-9] = %63[^; \t\r\n]", k, v) != 2)
			continue;
		for (size_t i = 0; i < sizeof key / sizeof *key; i++)
			if (!strcmp(k, key[i][0]) && atol(v) > 0)
				put_num(im, key[i][1], atol(v));
		if (!strcmp(k, "topology"))
			put(im, "icnt.kind", !strcmp(v, "mesh") || !strcmp(v, "torus") ? "mesh" : "crossbar");
	}
	if (f)
		fclose(f);
}

static void dram_timing(struct import *im, const char *opt, const char *text)
{
	static const char *const pos[] = {"dram.banks", "dram.tCCD", "dram.tRRD", "dram.tRCD", "dram.tRAS", "dram.tRP", "dram.tRC",
					  "dram.tCL", "dram.tWL", "dram.tWTR", "dram.tWR", "dram.bank_groups", "dram.tCCDL",
					  "dram.tRTP"};
	static const char *const name[] = {"nbk", "CCD", "RRD", "RCD", "RAS", "RP", "RC", "CL", "WL", "CDLR", "WR", "nbkgrp", "CCDL",
					   "RTPL"};
	if (!strchr(text, '=')) {
		double v[14];
		int n = numbers(text, v, 14);
		if (n < 8)
			bad(im, opt, text, "nbk:CCD:RRD:RCD:RAS:RP:RC:CL:...");
		for (int i = 0; i < n; i++)
			put_num(im, pos[i], (long)v[i]);
		return;
	}
	char copy[512];
	snprintf(copy, sizeof copy, "%s", text);
	for (char *p = strtok(copy, ": \n\t"); p; p = strtok(NULL, ": \n\t")) {
		char *eq = strchr(p, '=');
		for (int i = 0; eq && i < 14; i++)
			if ((size_t)(eq - p) == strlen(name[i]) && !strncmp(p, name[i], strlen(name[i])))
				put_num(im, pos[i], strtol(eq + 1, NULL, 0));
	}
}

/* ADD,MAX,MUL,MAD,DIV[,SHFL] of a type: latency or interval. `key` names the options, blank where there is none:
 * f32 multiplies as it adds, minimum and maximum are timed by the integer ones. */
static void opcodes(struct import *im, const char *opt, const char *text, const char *key)
{
	double v[6];
	int n = numbers(text, v, 6);
	if (n < 5) {
		bad(im, opt, text, "ADD,MAX,MUL,MAD,DIV");
		return;
	}
	for (int i = 0; i < n && *key; i++) {
		const char *end = strchr(key, ',');
		char name[64];
		snprintf(name, sizeof name, "sm.%.*s", (int)(end - key), key);
		if (end > key)
			put_num(im, name, (long)v[i]);
		key = end + 1;
	}
}

/* Registers of the pipeline: 7 numbers in the 3.x dialect, 11 or 13 since. */
static void widths(struct import *im, const char *opt, const char *text)
{
	static const char *const key[] = {"sm.ports_sp", "sm.ports_sfu", "sm.ports_mem", "sm.writeback_ports"};
	static const int at[2][4] = {{0, 1, 2, 6}, {0, 3, 4, 10}};
	double v[13];
	int n = numbers(text, v, 13);
	if (n != 7 && n != 11 && n != 13) {
		bad(im, opt, text, "7, 11 or 13 numbers");
		return;
	}
	for (int i = 0; i < 4; i++)
		if (v[at[n > 7][i]] > 0)
			put_num(im, key[i], (long)v[at[n > 7][i]]);
}

/* What that simulator does without being told. */
static void put_defaults(struct import *im)
{
	put(im, "dram.group_by", "high");
	put_num(im, "sm.dp_units", 0); /* f64 runs on the special function units */
	put(im, "sm.redirect", "by-scheduler");
	put_num(im, "sm.logic_latency", 1); /* all that the lists of latencies do not name */
	put(im, "sm.parameters", "loads");
	put(im, "sm.issue_differ", "yes");
	put(im, "sm.atomics_block", "yes");
	put_num(im, "l1c.latency", 0);
	put_num(im, "l2.latency", 0); /* the ROP path is all there is */
	put_num(im, "icnt.latency", 6);
	put(im, "l1d.lookup", "last");
	put(im, "l2.host_copies", "yes");
	put_num(im, "sm.sfu_latency", 8);
	put_num(im, "sm.sfu_interval", 8);
}

/* Square roots run as the other special functions do. */
static void put_copy(struct import *im, const char *to, const char *from)
{
	for (size_t i = 0; i < im->out.n; i++)
		if (!strcmp(im->out.v[i].section, "sm") && !strcmp(im->out.v[i].key, from)) {
			put(im, to, im->out.v[i].value);
			return;
		}
}

static void scheduler(struct import *im, const char *opt, const char *text)
{
	if (!strncmp(text, "two_level_active", 16)) {
		double n = 8;
		if (text[16] == ':')
			numbers(text + 17, &n, 1);
		put(im, "sm.scheduler", "two-level");
		put_num(im, "sm.scheduler_active", (long)n);
	} else if (!strcmp(text, "lrr") || !strcmp(text, "rrr")) {
		put(im, "sm.scheduler", "lrr");
	} else if (!strcmp(text, "gto")) {
		put(im, "sm.scheduler", "gto");
	} else if (!strcmp(text, "old")) {
		put(im, "sm.scheduler", "oldest");
	} else {
		bad(im, opt, text, "lrr, gto, old or two_level_active:N:...");
	}
}

static void coalesce(struct import *im, const char *opt, const char *text)
{
	(void)opt;
	long v = strtol(text, NULL, 0);
	put(im, "lsu.coalescing", v < 12 ? "cc10" : v < 20 ? "cc12" : v < 40 ? "cc2x" : "sector");
}

static void write_queue(struct import *im, const char *opt, const char *text, struct shape *sh)
{
	if (sscanf(text, "%ld:%ld:%ld", &sh->writes[0], &sh->writes[1], &sh->writes[2]) < 1)
		bad(im, opt, text, "size:high:low");
}

/* `key` is "option:name of 0|name of anything else". */
static void choice(struct import *im, const char *key, const char *text)
{
	const char *first = strchr(key, ':') + 1, *second = strchr(first, '|') + 1;
	char option[64], name[32];
	snprintf(option, sizeof option, "%.*s", (int)(first - 1 - key), key);
	snprintf(name, sizeof name, "%.*s", (int)(second - 1 - first), first);
	put(im, option, atoi(text) ? second : name);
}

/* Reads and writes share a queue unless a separate one is switched on. */
static void put_write_queue(struct import *im, const struct shape *sh)
{
	put_num(im, "dram.write_queue", sh->separate_writes ? sh->writes[0] : 0);
	if (!sh->separate_writes)
		return;
	put_num(im, "dram.write_high", sh->writes[1]);
	put_num(im, "dram.write_low", sh->writes[2]);
}

enum how { NUMBER, CLOCKS, PIPELINE, CACHE_, DRAM, SCHED, COAL, OPCODES, WIDTHS, MAP, NETWORK, CLUSTERS, PER_CLUSTER, BUS, PER_CTRL,
	   FLAG, DRAMSCHED, WQUEUE, SEPARATE, CHOICE, QUEUES, INCLUDE, IGNORE, FLAG_IGNORE };

static const struct row {
	const char *name;
	enum how how;
	const char *key;
} rows[] = {
	{"-gpgpu_n_clusters", CLUSTERS, NULL}, {"-gpgpu_n_shader", NUMBER, "gpu.sms"},
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
	{"-ptx_opcode_latency_dp", OPCODES, "dp_latency,,,,ddiv_latency,"},
	{"-ptx_opcode_initiation_dp", OPCODES, "dp_interval,,,,ddiv_interval,"},
	{"-ptx_opcode_latency_sfu", NUMBER, "sm.sfu_latency"}, {"-ptx_opcode_initiation_sfu", NUMBER, "sm.sfu_interval"},
	{"-config", INCLUDE, NULL},
	/* output, run control and checks of that simulator: nothing of the machine */
	{"-gpgpu_deadlock_detect", IGNORE, NULL}, {"-gpgpu_runtime_stat", IGNORE, NULL}, {"-gpgpu_memlatency_stat", IGNORE, NULL},
	{"-visualizer_enabled", IGNORE, NULL}, {"-enable_ptx_file_line_stats", IGNORE, NULL}, {"-gpgpu_ptx_sim_mode", IGNORE, NULL},
	{"-gpgpu_ptx_instruction_classification", IGNORE, NULL}, {"-power_simulation_enabled", IGNORE, NULL},
	{"-gpuwattch_xml_file", IGNORE, NULL}, {"-accelwattch_xml_file", IGNORE, NULL}, {"-gpgpu_simd_model", IGNORE, NULL},
	{"-gpgpu_stack_size_limit", IGNORE, NULL}, {"-gpgpu_heap_size_limit", IGNORE, NULL}, {"-gpgpu_max_cycle", IGNORE, NULL},
	{"-save_embedded_ptx", FLAG_IGNORE, NULL}, {"-keep", FLAG_IGNORE, NULL}, {"-gpgpu_ptx_use_cuobjdump", IGNORE, NULL},
};

static void include(struct import *im, const char *path, struct shape *sh);

/* A word that can be the value of an option. */
static bool is_value(const struct import *im, size_t i)
{
	return i < im->words.n && (im->words.v[i].s[0] != '-' || strchr("0123456789.", im->words.v[i].s[1]));
}

static void take(struct import *im, const struct row *r, const char *v, struct shape *sh)
{
	char *e;
	switch (r->how) {
	case NUMBER: {
		errno = 0;
		long x = strtol(v, &e, 0);
		if (e == v || *e || errno || x < 0)
			bad(im, r->name, v, "a number");
		else if (x || strcmp(r->key, "dram.queue")) /* 0 means no limit there */
			put_num(im, r->key, x);
		else
			put_num(im, r->key, 4096);
		break;
	}
	case FLAG: put(im, r->key, atoi(v) ? "yes" : "no"); break;
	case CLOCKS: clocks(im, r->name, v); break;
	case PIPELINE: pipeline(im, r->name, v); break;
	case CACHE_: cache(im, r->name, v, r->key); break;
	case DRAM: dram_timing(im, r->name, v); break;
	case SCHED: scheduler(im, r->name, v); break;
	case COAL: coalesce(im, r->name, v); break;
	case WQUEUE: write_queue(im, r->name, v, sh); break;
	case SEPARATE: sh->separate_writes = atoi(v); break;
	case QUEUES: put_num(im, r->key, strtol(v, NULL, 0)); break; /* the first of four: before the L2 */
	case CHOICE: choice(im, r->key, v); break;
	case DRAMSCHED: put(im, "dram.scheduler", atoi(v) ? "fr-fcfs" : "fcfs"); break;
	case OPCODES: opcodes(im, r->name, v, r->key); break;
	case NETWORK: network(im, r->name, v); break;
	case MAP: address_map(im, r->name, v); break;
	case WIDTHS: widths(im, r->name, v); break;
	case CLUSTERS: sh->clusters = strtol(v, NULL, 0); break;
	case PER_CLUSTER: sh->per_cluster = strtol(v, NULL, 0); break;
	case BUS: sh->bus = strtol(v, NULL, 0); break;
	case PER_CTRL: sh->chips = strtol(v, NULL, 0); break;
	case INCLUDE: include(im, v, sh); break;
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

static void take_all(struct import *im, struct shape *sh)
{
	for (size_t i = 0; i < im->words.n; i++) {
		const char *name = im->words.v[i].s;
		const struct row *r = find_row(name);
		bool value = is_value(im, i + 1);
		im->line = im->words.v[i].line;
		if (name[0] != '-') {
			bad(im, "", name, "an option that begins with -");
		} else if (!r) {
			vec_push(&im->unknown, xstrdup(name));
		} else if (!value && (r->how == FLAG || r->how == FLAG_IGNORE)) {
			take(im, r, "1", sh);
		} else if (!value) {
			bad(im, name, "", "a value");
		} else {
			take(im, r, im->words.v[i + 1].s, sh);
		}
		i += value;
	}
}

static bool read_words(struct import *im, const char *path)
{
	FILE *f = im->depth++ < 8 ? fopen(path, "r") : NULL;
	if (!f) {
		diag_error(im->d, "%s: cannot be read%s", path, im->depth <= 8 ? "" : ": files include each other");
		return false;
	}
	VEC(char) text = {0};
	char buf[4096];
	size_t n;
	while ((n = fread(buf, 1, sizeof buf, f)) > 0 && text.n < 16u << 20) {
		vec_reserve(&text, text.n + n);
		memcpy(text.v + text.n, buf, n);
		text.n += n;
	}
	fclose(f);
	split(im, text.v, text.n);
	vec_free(&text);
	return true;
}

static void free_words(struct import *im)
{
	for (size_t i = 0; i < im->words.n; i++)
		free(im->words.v[i].s);
	vec_free(&im->words);
}

/* -config FILE: its options count here, before those that follow. */
static void include(struct import *im, const char *path, struct shape *sh)
{
	word_vec outer = im->words;
	const char *file = im->file;
	im->words = (word_vec){0};
	im->file = path;
	if (read_words(im, path))
		take_all(im, sh);
	free_words(im);
	im->words = outer;
	im->file = file;
	im->depth--;
}

static int by_section(const void *a, const void *b)
{
	const struct ini_entry *x = a, *y = b;
	int c = strcmp(x->section, y->section);
	return c ? c : strcmp(x->key, y->key);
}

static void write_ini(struct import *im, FILE *out)
{
	const char *section = "";
	qsort(im->out.v, im->out.n, sizeof *im->out.v, by_section);
	fprintf(out, "; made from %s\n", im->file);
	for (size_t i = 0; i < im->out.n; i++) {
		const struct ini_entry *e = &im->out.v[i];
		if (strcmp(section, e->section))
			fprintf(out, "[%s]\n", e->section);
		section = e->section;
		fprintf(out, "%s = %s\n", e->key, e->value);
	}
	for (size_t i = 0; i < im->unknown.n; i++)
		fprintf(out, "; not used: %s\n", im->unknown.v[i]);
}

bool import_gpgpusim(const char *path, FILE *out, struct diag *d)
{
	struct import im = {.file = path, .d = d};
	struct shape sh = {.clusters = 0, .per_cluster = 1, .bus = 0, .chips = 1, .writes = {32, 28, 16}};
	put_defaults(&im);
	if (read_words(&im, path))
		take_all(&im, &sh);
	put_write_queue(&im, &sh);
	put_copy(&im, "sm.sqrt_latency", "sfu_latency");
	put_copy(&im, "sm.sqrt_interval", "sfu_interval");
	if (sh.clusters)
		put_num(&im, "gpu.sms", sh.clusters * sh.per_cluster);
	if (sh.bus)
		put_num(&im, "dram.bus_bytes", sh.bus * sh.chips);
	if (!d->errors)
		write_ini(&im, out);
	free_words(&im);
	for (size_t i = 0; i < im.out.n; i++) {
		free(im.out.v[i].section);
		free(im.out.v[i].key);
		free(im.out.v[i].value);
	}
	for (size_t i = 0; i < im.ignored.n; i++)
		free(im.ignored.v[i]);
	for (size_t i = 0; i < im.unknown.n; i++)
		free(im.unknown.v[i]);
	vec_free(&im.out);
	vec_free(&im.ignored);
	vec_free(&im.unknown);
	return !d->errors;
}
