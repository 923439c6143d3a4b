/* Converts values of GPGPU-Sim's options that have a structure of their own: caches, clocks, address
 * maps, lists of latencies. Malformed values are reported with their option. The table of options is in
 * import.c. */
#include "conf/importer.h"

#include <stdlib.h>
#include <string.h>

void import_bad(struct import *im, const char *option, const char *value, const char *expected)
{
	struct srcloc at = {.file = im->file, .line = im->line, .col = 1};
	diag_at(im->d, DIAG_ERROR, &at, "%s %s: expected %s", option, value, expected);
}

/* Reads the numbers of a list "a:b,c", at most n; returns their number. Octal and hexadecimal as in C. */
static int import_numbers(const char *s, double *v, int n)
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

/* [type:]sets:line:assoc[,repl:write:alloc[:wralloc[:hash]][,mshr:entries:merge[,queue[...]]]] */
void import_cache(struct import *im, const char *opt, const char *text, const char *name)
{
	char key[64], copy[256], *field[24];
	int n = 0;
	if (!strcmp(text, "none")) {
		snprintf(key, sizeof key, "%s.kind", name);
		ini_put(im, key, "off");
		return;
	}
	snprintf(copy, sizeof copy, "%s", text);
	for (char *p = strtok(copy, ":,"); p && n < 24; p = strtok(NULL, ":,"))
		field[n++] = p;
	bool sectored = n && !strcmp(field[0], "S");
	char **f = field + (n && strchr("NS", field[0][0]) && !field[0][1] ? 1 : 0);
	n -= (int)(f - field);
	if (n < 3 || atol(f[0]) < 1 || atol(f[1]) < 1 || atol(f[2]) < 1) {
		import_bad(im, opt, text, "sets:line:ways,... or none");
		return;
	}
	static const char *const geometry[] = {"sets", "line", "ways"};
	for (int i = 0; i < 3; i++) {
		snprintf(key, sizeof key, "%s.%s", name, geometry[i]);
		ini_put_num(im, key, strtol(f[i], NULL, 0));
	}
#define SET(k, v) (snprintf(key, sizeof key, "%s." k, name), ini_put(im, key, v))
	if (sectored)
		SET("sector", "32");
	if (!strcmp(name,
		    "l2")) { /* GPGPU-Sim looks up, fetches and answers a sectored L2's sectors one by one */
		ini_put(im, "mem.fetch_sectors", sectored ? "yes" : "no");
		ini_put(im, "mem.sector_requests", sectored ? "yes" : "no");
	}
	if (n > 3)
		SET("replacement", *f[3] == 'F' ? "fifo" : "lru");
	if (n > 4)
		SET("kind", *f[4] == 'R' || (strcmp(name, "l1d") && strcmp(name, "l2")) ? "ro"
			    : *f[4] == 'B'                                              ? "wb"
			    : *f[4] == 'T'                                              ? "wt"
											: "we");
	if (n > 5)
		SET("allocate", *f[5] == 'f' || *f[5] == 's' ? "on-fill" : "on-miss");
	int i = 6;
	if (n > i && strchr("NWFL", *f[i])) {
		if (*f[4] == 'B') /* B: write-back; other kinds pass their writes on */
			SET("allocate", *f[i] == 'N'   ? "no-write"
					: *f[i] == 'L' ? "on-miss"
						       : "fetch-on-write");
		i++;
	}
	if (n > i && strchr("LHXPC", *f[i])) {
		bool fermi = *f[i] == 'H' && (atol(f[0]) == 32 || atol(f[0]) == 64);
		SET("hash", *f[i] == 'L' ? "linear" : fermi ? "fermi" : "xor");
		i++;
	}
	if (n > i && strchr("ASFT", *f[i]))
		i++;
	static const char *const rest[] = {"mshrs", "mshr_merge", "miss_queue"};
	for (int k = 0; k < 3 && i < n; k++, i++) {
		snprintf(key, sizeof key, "%s.%s", name, rest[k]);
		ini_put_num(im, key, strtol(f[i], NULL, 0));
	}
#undef SET
}

void import_clocks(struct import *im, const char *opt, const char *text)
{
	static const char *const key[] = {"gpu.core_mhz", "gpu.icnt_mhz", "gpu.l2_mhz",
					  "gpu.dram_mhz"};
	if (import_numbers(text, im->clocks, 4) != 4) {
		import_bad(im, opt, text, "core:icnt:l2:dram in MHz");
		return;
	}
	for (int i = 0; i < 4; i++) {
		char buf[32];
		snprintf(buf, sizeof buf, "%.10g", im->clocks[i]);
		ini_put(im, key[i], buf);
	}
}

void import_pipeline(struct import *im, const char *opt, const char *text)
{
	double v[3] = {0};
	int n = import_numbers(text, v, 3);
	if (n < 2) {
		import_bad(im, opt, text, "threads:warp size");
		return;
	}
	ini_put_num(im, "sm.max_threads", (long)v[0]);
	ini_put_num(im, "gpu.warp_size", (long)v[1]);
	ini_put_num(im, "sm.max_warps", (long)(v[0] / (v[1] > 0 ? v[1] : 1)));
	ini_put_num(im, "sm.simd_width", (long)(n > 2 ? v[2] : v[1]));
}

/* Imports a map dramid@N;bits: 64 letters from the high end: R row, B bank, C and S column, 0 nothing.
 * The channel's bits at N are removed before the letters apply, as in mem/addrmap.h. A map that contains
 * the channel's bits (D) is not used. */
void import_address_map(struct import *im, const char *opt, const char *text)
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
			import_bad(im, opt, text, "64 of R, B, C, S, D and 0");
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
	ini_put_num(im, "mem.interleave", 1L << at);
	ini_put_num(im, "dram.bank_mask", (long)bank);
	ini_put_num(im, "dram.row_bit", __builtin_ctzll(row));
}

enum { SOURCE_FLITS = 9 }; /* GPGPU-Sim's default queue before a router's input */

/* Imports the network's file beside the configuration: "key = value;" with // comments. A missing file is
 * ignored. Any topology but a mesh is imported as one router with one queue per input. */
void import_network(struct import *im, const char *opt, const char *name)
{
	static const char *const key[][2] = {{"num_vcs", "icnt.vcs"},
					     {"flit_size", "icnt.flit_bytes"}};
	char path[4096], line[512], k[64], v[64];
	bool topology = false, mesh = false;
	long buffer = 0, source = SOURCE_FLITS, speedup = 1;
	const char *slash = strrchr(im->file, '/');
	snprintf(path, sizeof path, "%.*s%s",
		 (int)(slash && *name != '/' ? slash - im->file + 1 : 0), im->file, name);
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
				ini_put_num(im, key[i][1], atol(v));
		if (!strcmp(k, "topology")) {
			topology = true;
			mesh = !strcmp(v, "mesh") || !strcmp(v, "torus");
		}
		if (!strcmp(k, "vc_buf_size"))
			buffer = atol(v);
		if (!strcmp(k, "input_buffer_size") && atol(v) > 0)
			source = atol(v);
		if (!strcmp(k, "internal_speedup") && atol(v) > 0)
			speedup = atol(v);
	}
	if (topology)
		ini_put(im, "icnt.kind", mesh ? "mesh" : "input-queued");
	if (buffer > 0)
		ini_put_num(im, "icnt.buffer_flits", buffer + (topology && !mesh ? source : 0));
	if (topology && !mesh)
		ini_put_num(im, "icnt.speedup", speedup);
	if (f)
		fclose(f);
}

void import_dram_timing(struct import *im, const char *opt, const char *text)
{
	static const char *const pos[] = {
		"dram.banks", "dram.tCCD",        "dram.tRRD",  "dram.tRCD", "dram.tRAS",
		"dram.tRP",   "dram.tRC",         "dram.tCL",   "dram.tWL",  "dram.tWTR",
		"dram.tWR",   "dram.bank_groups", "dram.tCCDL", "dram.tRTP"};
	static const char *const name[] = {"nbk", "CCD", "RRD",  "RCD", "RAS",    "RP",   "RC",
					   "CL",  "WL",  "CDLR", "WR",  "nbkgrp", "CCDL", "RTPL"};
	if (!strchr(text, '=')) {
		double v[14];
		int n = import_numbers(text, v, 14);
		if (n < 8)
			import_bad(im, opt, text, "nbk:CCD:RRD:RCD:RAS:RP:RC:CL:...");
		for (int i = 0; i < n; i++)
			ini_put_num(im, pos[i], (long)v[i]);
		return;
	}
	char copy[512];
	snprintf(copy, sizeof copy, "%s", text);
	for (char *p = strtok(copy, ": \n\t"); p; p = strtok(NULL, ": \n\t")) {
		char *eq = strchr(p, '=');
		for (int i = 0; eq && i < 14; i++)
			if ((size_t)(eq - p) == strlen(name[i]) &&
			    !strncmp(p, name[i], strlen(name[i])))
				ini_put_num(im, pos[i], strtol(eq + 1, NULL, 0));
	}
}

/* Imports ADD,MAX,MUL,MAD,DIV[,SHFL] of a type: latency or interval. `key` names the options, blank where
 * none exists: f32 and f64 multiply in the time they add, minimum and maximum of f32 in that of
 * integers. */
void import_opcodes(struct import *im, const char *opt, const char *text, const char *key)
{
	double v[6];
	int n = import_numbers(text, v, 6);
	if (n < 5) {
		import_bad(im, opt, text, "ADD,MAX,MUL,MAD,DIV");
		return;
	}
	for (int i = 0; i < n && *key; i++) {
		const char *end = strchr(key, ',');
		char name[64];
		snprintf(name, sizeof name, "sm.%.*s", (int)(end - key), key);
		if (end > key)
			ini_put_num(im, name, (long)v[i]);
		key = end + 1;
	}
}

/* Imports widths of pipeline registers: 7 numbers in the 3.x dialect, 11 or 13 since. */
void import_widths(struct import *im, const char *opt, const char *text)
{
	static const char *const key[] = {"sm.ports_sp", "sm.ports_sfu", "sm.ports_mem",
					  "sm.writeback_ports"};
	static const int at[2][4] = {{0, 1, 2, 6}, {0, 3, 4, 10}};
	double v[13];
	int n = import_numbers(text, v, 13);
	if (n != 7 && n != 11 && n != 13) {
		import_bad(im, opt, text, "7, 11 or 13 numbers");
		return;
	}
	for (int i = 0; i < 4; i++)
		if (v[at[n > 7][i]] > 0)
			ini_put_num(im, key[i], (long)v[at[n > 7][i]]);
}

void import_scheduler(struct import *im, const char *opt, const char *text)
{
	if (!strncmp(text, "two_level_active", 16)) {
		double n = 8;
		if (text[16] == ':')
			import_numbers(text + 17, &n, 1);
		ini_put(im, "sm.scheduler", "two-level-active");
		ini_put_num(im, "sm.scheduler_active", (long)n);
	} else if (!strcmp(text, "lrr") || !strcmp(text, "rrr")) {
		ini_put(im, "sm.scheduler", "lrr");
	} else if (!strcmp(text, "gto")) {
		ini_put(im, "sm.scheduler", "gto");
	} else if (!strcmp(text, "old")) {
		ini_put(im, "sm.scheduler", "oldest");
	} else {
		import_bad(im, opt, text, "lrr, gto, old or two_level_active:N:...");
	}
}

void import_coalesce(struct import *im, const char *opt, const char *text)
{
	(void)opt;
	long v = strtol(text, NULL, 0);
	ini_put(im, "lsu.coalescing",
		v < 12   ? "cc10"
		: v < 20 ? "cc12"
		: v < 40 ? "cc2x-halves"
			 : "sector");
}

void import_write_queue(struct import *im, const char *opt, const char *text, struct shape *sh)
{
	if (sscanf(text, "%ld:%ld:%ld", &sh->writes[0], &sh->writes[1], &sh->writes[2]) < 1)
		import_bad(im, opt, text, "size:high:low");
}

/* Imports a choice; `key` is "option:name of 0|name of anything else". */
void import_choice(struct import *im, const char *key, const char *text)
{
	const char *first = strchr(key, ':') + 1, *second = strchr(first, '|') + 1;
	char option[64], name[32];
	snprintf(option, sizeof option, "%.*s", (int)(first - 1 - key), key);
	snprintf(name, sizeof name, "%.*s", (int)(second - 1 - first), first);
	ini_put(im, option, atoi(text) ? second : name);
}
