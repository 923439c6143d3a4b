/* Reads the command line of heddle run into struct run (run.h). */
#include "cli/run.h"
#include "cli/traces.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	O_KERNEL,
	O_GRID,
	O_BLOCK,
	O_SHARED,
	O_VAL,
	O_IN,
	O_OUT,
	O_INOUT,
	O_TEXTURE,
	O_SURFACE,
	O_STATS,
	O_THREADS,
	O_CHECK,
	O_REPORT,
	O_NOCHECK,
	O_MAXINST,
	O_QUIET,
	O_MODE,
	O_CONFIG,
	O_SET,
	O_STACK,
	O_NATIVE,
	O_CUBINS,
	O_DIALECT,
	O_CODE,
	O_REVERSE,
	O_MAXCYC,
	O_RECORD,
	O_SAMPLE,
	O_SAMPLES,
	O_SERIES,
	O_SUMS,
	O_TRACE,
	O_TRACEFROM,
	O_TRACETO,
	O_TRACESM,
	O_LAUNCHES,
	O_KERNELS,
	O_SKIP,
	O_WARM,
	O_ERROR,
	O_SEED,
	O_SAVE,
	O_RESTORE,
	O_ACCESSES,
	O_EVERY,
	O_FAIL,
	O_NOFAIL,
	O_TRITON,
	O_EXPECT,
	O_TOLERANCE,
	O_DEBUG,
	O_GDB,
};
static const struct cli_option opts[] = {
	[O_KERNEL] = {"--kernel", "NAME", "the kernel to run; needed when the file has several"},
	[O_GRID] = {"--grid", "X[,Y[,Z]]", "blocks in the grid"},
	[O_BLOCK] = {"--block", "X[,Y[,Z]]", "threads in a block"},
	[O_SHARED] = {"--shared", "BYTES", "dynamic shared memory of a block (default 0)"},
	[O_VAL] = {"--val", "TYPE=VALUE",
		   "parameter: a value. TYPE is u8 u16 u32 u64 s8 s16 s32 "
		   "s64 f32 f64, or hex with the bytes of a structure in the order of memory. A "
		   "float may also be given by its bits: f32=0f3f800000"},
	[O_IN] = {"--in", "FILE", "parameter: address of a buffer that holds the file's bytes"},
	[O_OUT] = {"--out", "BYTES FILE",
		   "parameter: address of a zeroed buffer that is written "
		   "to FILE afterwards"},
	[O_INOUT] = {"--inout", "FILE FILE2",
		     "parameter: address of a buffer that holds FILE's "
		     "bytes and is written to FILE2 afterwards"},
	[O_TEXTURE] =
		{"--texture", "NAME=FILE,SIZE,FORMAT[,WORD...]",
		 "bind the texture reference NAME (ntexSLOT in a native file without names) to the "
		 "file's texels, row by row. SIZE is W, WxH or WxHxD, FORMAT u8 s8 u16 s16 u32 s32 f16 "
		 "or f32, with x2 or x4 for two or four components; words: wrap clamp mirror border "
		 "linear normalized float layered cube"},
	[O_SURFACE] = {"--surface", "NAME=FILE,SIZE,FORMAT FILE2",
		       "bind the surface reference NAME (nsurfSLOT) to the "
		       "file's texels, which are written to FILE2 afterwards"},
	[O_STATS] = {"--stats", "FILE",
		     "write the launch's figures (docs/reference/statistics.md): as "
		     "JSON, or as CSV or text if FILE ends in .csv or .txt"},
	[O_THREADS] = {"--threads", "N", "host threads (default 1); results do not depend on it"},
	[O_CHECK] =
		{"--check", "LIST",
		 "further checks, separated by commas: race (data races between threads), init (reads "
		 "of memory that was never written), scalar (instructions that a warp may execute once "
		 "have equal operands in all its threads), warn (an access outside an allocation gets a "
		 "warning instead of an error if a GPU would perform it, because it is in a page of its "
		 "memory), control-bits (machine code for sm_75 and later whose stall counts, counters "
		 "and wait masks let an instruction read or overwrite a register too early)"},
	[O_REPORT] = {"--check-report", "FILE", "write what --check finds to FILE, as JSON"},
	[O_NOCHECK] = {"--no-check", NULL, "omit the checks of memory accesses"},
	[O_MAXINST] = {"--max-instructions", "N", "stop with an error after N warp instructions"},
	[O_REVERSE] =
		{"--reverse", NULL,
		 "functional mode: run blocks and warps from the last to the first; --check race then "
		 "finds results that depend on the order"},
	[O_QUIET] = {"--quiet", NULL, "print no progress and no summary"},
	[O_MODE] = {"--mode", "MODE",
		    "functional; timing: cycle by cycle (the default where --config or --set is "
		    "given); sampled: all launches run functionally, and so many of them are timed "
		    "that the program's cycles are known within --error (docs/use/sampling.md)"},
	[O_CONFIG] = {"--config", "NAME", "the machine: a name or a file"},
	[O_SET] = {"--set", "KEY=VALUE", "an option of the machine; may be given several times"},
	[O_STACK] =
		{"--native-stack", "RULE",
		 "native code: how threads diverge and reconverge: token (as the hardware), while (as "
		 "token, but loops drop threads instead of pushing tokens), pdom (at post-dominators)"},
	[O_NATIVE] =
		{"--native", "NAME=FILE",
		 "run the native code of FILE (a cubin or a listing) in place of the PTX of a CUDA "
		 "program's kernel NAME; may be given several times"},
	[O_CUBINS] =
		{"--cubins", "DIR",
		 "run the machine code, for sm_75 to sm_90, of cubins in this folder or in folders in "
		 "it, in place of the program's kernels of the same names; also HEDDLE_CUBINS"},
	[O_DIALECT] = {"--dialect", "NAME",
		       "the style of a listing: cuda4.0, cuda4.1, cuda4, cuda5 or full"},
	[O_CODE] =
		{"--code", "CODE",
		 "code that PTX is compiled to when it is loaded: ptx (not compiled, also on h200-sm90), tesla, fermi or "
		 "sm90, each followed by the optimisations to omit (docs/code/codegen.md), as "
		 "fermi-iscadd-imad; native: use a program's own machine code for sm_75 to sm_90 before "
		 "its PTX"},
	[O_MAXCYC] = {"--max-cycles", "N", "timing: stop with an error after N core cycles"},
	[O_RECORD] =
		{"--record", "SM:FROM:TO[:LAUNCH]",
		 "timing: record in the --stats file what the SM issues in these cycles of the launch "
		 "(default 0, the first), for heddle explain; SM: any for the first SM that gets a block; FROM:TO: first:CYCLES from the SM's first issue on"},
	[O_SAMPLE] =
		{"--sample", "N",
		 "timing: write a time series: figures of each SM and of all SMs about every N core "
		 "cycles: instructions, resident warps, issue slots, cache accesses, DRAM bandwidth, "
		 "network, power by component"},
	[O_SAMPLES] = {"--sample-file", "FILE",
		       "the time series' file (default samples.csv); JSON "
		       "if it ends in .json"},
	[O_SERIES] =
		{"--series", "N",
		 "timing: record a time series of all SMs in the --stats file (JSON), of at most N "
		 "rows; longer runs have longer intervals"},
	[O_SUMS] =
		{"--stats-sums", NULL,
		 "write sums over SMs, L2 slices and DRAM channels to the --stats file (JSON), and of "
		 "the single ones only their traffic"},
	[O_TRACE] =
		{"--trace", "FILE",
		 "timing: write a timeline of warps, blocks and memory instructions, as JSON that "
		 "ui.perfetto.dev opens; about 300 bytes per instruction"},
	[O_TRACEFROM] = {"--trace-from", "CYCLE", "first core cycle of the timeline (default 0)"},
	[O_TRACETO] = {"--trace-to", "CYCLE", "core cycle before which the timeline ends"},
	[O_TRACESM] = {"--trace-sm", "N[-M]", "SMs in the timeline (default: all)"},
	[O_LAUNCHES] =
		{"--launches", "LIST",
		 "timing: time only these launches of a CUDA program: numbers and ranges, from 0, as "
		 "3,7-9; all others run functionally"},
	[O_KERNELS] =
		{"--kernels", "LIST",
		 "timing: time only launches of these kernels: names or regular expressions, separated "
		 "by commas; 5-8@gemm.* selects from the program's launches 5 to 8"},
	[O_SKIP] = {"--skip", "N", "timing: run the first N launches functionally"},
	[O_WARM] =
		{"--warm", NULL,
		 "use timing mode for unselected launches too, up to the last that can be selected, so "
		 "that caches have their contents; figures of unselected launches are left out"},
	[O_ERROR] =
		{"--error", "N%",
		 "sampled: half-width of the 95 % interval of the cycles that is aimed at (default "
		 "2%); 0%: time every launch"},
	[O_SEED] = {"--seed", "N",
		    "sampled: choose another sample (default 0); equal seeds give equal figures"},
	[O_SAVE] = {"--save", "FILE",
		    "append the effect of every launch on memory to FILE, for --restore "
		    "(docs/use/sampling.md)"},
	[O_RESTORE] =
		{"--restore", "FILE",
		 "take the effects of the first launches from FILE instead of executing them, and "
		 "continue from its end; with --save of the same FILE, FILE is extended"},
	[O_ACCESSES] =
		{"--accesses", NULL,
		 "with --save: save which memory each launch accesses, too, so that any machine can "
		 "take a sample of the launches in FILE (--mode sampled --restore FILE)"},
	[O_EVERY] =
		{"--checkpoint-every", "N",
		 "with --save: inside a launch in functional mode, save the blocks so far about every "
		 "N warp instructions"},
	[O_FAIL] =
		{"--fail-on-fault", NULL,
		 "exit with status 1 if Heddle found an error in a CUDA program's run, whatever the "
		 "program's own status (the default; HEDDLE_FAIL_ON_FAULT=1 for programs that are "
		 "started without heddle run)"},
	[O_NOFAIL] = {"--no-fail-on-fault", NULL, "exit with the program's own status"},
	[O_TRITON] =
		{"--triton", "DIR",
		 "run a kernel of Triton's cache: DIR has NAME.json beside NAME.ptx or NAME.cubin, "
		 "which gives block, shared memory and clusters; the word after the options is the "
		 "kernel's name, if there are several. Files of --in, --out and --inout are .npy; --out "
		 "has TYPE[SIZES], such as float32[64,128]"},
	[O_EXPECT] = {"--expect", "FILE",
		      "with --triton: compare the buffer of the parameter before with a .npy file; "
		      "the exit status is 1 if they differ"},
	[O_TOLERANCE] = {"--tolerance", "ABS[,REL]",
			 "of the --expect before: elements may differ by ABS plus REL times the "
			 "expected value (default 0: equal)"},
	[O_DEBUG] =
		{"--debug", NULL,
		 "functional mode: stop at the first launch and read commands of the debugger "
		 "(docs/use/debugger.md) from standard input: break, step, print, x, info warps, "
		 "reverse-step; help lists them"},
	[O_GDB] =
		{"--gdb", "ADDRESS",
		 "functional mode: wait for GDB at ADDRESS and let it control the launches: :PORT (TCP, "
		 "this machine only), unix:FILE (a socket), or - (standard input and output, for GDB's "
		 "`target remote | heddle run --gdb - ...`)"},
	{NULL},
};
const struct cli_page page_run = {
	.usage = "run [OPTIONS] ./APP ARGS...\n"
		 "run FILE.ptx [--kernel NAME] --grid X[,Y[,Z]] --block X[,Y[,Z]] "
		 "[--shared BYTES] PARAMS...\n"
		 "run [OPTIONS] STEP.json\n"
		 "run --triton DIR [KERNEL] --grid X[,Y[,Z]] PARAMS...",
	.text = "With a CUDA program (built by `heddle cc`, or by nvcc with -cudart shared), runs it "
		"and simulates every kernel; the words after the program are its arguments. The "
		"options --mode, --config, --set, --stats, --native, --cubins, --native-stack, --code, "
		"--threads, --check, --check-report, --no-check, --max-instructions, --reverse, "
		"--max-cycles, --record, --sample, --sample-file, --series, --stats-sums, --trace, "
		"--trace-from, --trace-to, --trace-sm, --launches, --kernels, --skip, --warm, --error, "
		"--seed, --save, --restore, --accesses, --checkpoint-every, --fail-on-fault, --debug, --gdb and --quiet apply; the program gets them as HEDDLE_MODE, "
		"HEDDLE_CONFIG, HEDDLE_SET and so on, which may also be set by hand.\n\n"
		"With a file of code (PTX, or machine code as a cubin, PTXPlus or a cuobjdump "
		"listing), runs one kernel of the file. The kernel's parameters are given "
		"with --val, --in, --out and --inout, in the order of the kernel's parameter list, "
		"which `heddle list` prints. Textures and surfaces are bound with --texture and "
		"--surface. Output files are written only if the kernel ran to its end.\n\n"
		"With a step (docs/use/pytorch.md), launches kernels of several files in order on "
		"tensors from .npy files, and compares the results with expected ones.\n\n"
		"Every memory access is checked. A faulty access (outside all allocations, "
		"misaligned), a barrier that can never open and similar errors end the run with a "
		"message that names the kernel, line, block, thread and address; the exit status is "
		"then 1. A CUDA program that ignores its errors continues after one; the errors are "
		"printed again when it ends, and the exit status is 1 if the program's own is 0.",
	.opts = opts,
	.examples = "  $ heddle run --config gtx480 --stats out.json ./app 1024\n"
		    "  $ heddle run vecadd.ptx --grid 4096 --block 256 \\\n"
		    "        --in a.bin --in b.bin --out 4194304 c.bin --val u32=1048576\n",
};

static bool parse_dim(const char *name, const char *s, uint32_t dim[3])
{
	dim[0] = dim[1] = dim[2] = 1;
	char buf[64];
	unsigned n = 0;
	if (strlen(s) < sizeof buf) {
		char *save, *w = strtok_r(strcpy(buf, s), ",", &save);
		uint64_t v;
		for (; w && n < 3 && cli_u64(w, &v) && v && v <= UINT32_MAX;
		     w = strtok_r(NULL, ",", &save))
			dim[n++] = (uint32_t)v;
		if (n && !w && s[0] != ',' && s[strlen(s) - 1] != ',' && !strstr(s, ",,"))
			return true;
	}
	cli_error("run", "%s %s: expected X, X,Y or X,Y,Z, each at least 1", name, s);
	return false;
}

static bool parse_code(const char *text, struct run *r)
{
	const char *wrong = heddle_code_parse(text, &r->opt);
	if (wrong)
		cli_error("run", "--code %s: %s", text, wrong);
	return !wrong;
}

static bool parse_stack(const char *text, enum heddle_native_stack *out)
{
	static const struct {
		const char *name;
		enum heddle_native_stack stack;
	} rows[] = {
		{"token", HEDDLE_TOKENS},
		{"tokens", HEDDLE_TOKENS},
		{"while", HEDDLE_TOKENS_WHILE},
		{"pdom", HEDDLE_PDOM},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].name, text)) {
			*out = rows[i].stack;
			return true;
		}
	cli_error("run", "--native-stack %s: expected token, while or pdom", text);
	return false;
}

static bool parse_checks(struct run *r, const char *list)
{
	for (const char *s = list; *s || s == list;) {
		size_t n = strcspn(s, ",");
		if (n == 4 && !strncmp(s, "race", 4)) {
			r->opt.check_race = true;
		} else if (n == 4 && !strncmp(s, "init", 4)) {
			r->opt.check_init = true;
		} else if (n == 6 && !strncmp(s, "scalar", 6)) {
			r->opt.check_scalar = true;
		} else if (n == 4 && !strncmp(s, "warn", 4)) {
			r->opt.check_warn = true;
		} else if (n == 12 && !strncmp(s, "control-bits", 12)) {
			r->opt.check_control = true;
		} else {
			cli_error(
				"run",
				"--check %s: expected race, init, scalar, warn or control-bits, separated by commas",
				*list ? list : "''");
			return false;
		}
		s += n + (s[n] == ',');
	}
	return true;
}

static bool parse_count(const char *name, const char *s, uint64_t min, uint64_t max, uint64_t *out)
{
	if (cli_u64(s, out) && *out >= min && *out <= max)
		return true;
	cli_error("run", "%s %s: expected a number from %llu to %llu", name, s,
		  (unsigned long long)min, (unsigned long long)max);
	return false;
}

static bool parse_list(const char *name, const char *s, bool ok, const char *what)
{
	if (!ok)
		cli_error("run", "%s %s: expected %s", name, *s ? s : "''", what);
	return ok;
}

static bool parse_rows(const char *s, unsigned *out)
{
	uint64_t n = 0;
	bool ok = parse_count("--series", s, 2, 65536, &n);
	*out = (unsigned)n;
	return ok;
}

/* Appends s to *list, after a comma. */
static bool append_word(char **list, const char *s)
{
	char *all = NULL;
	if (asprintf(&all, "%s%s%s", *list ? *list : "", *list ? "," : "", s) < 0)
		return false;
	free(*list);
	*list = all;
	return true;
}

static bool add_native(struct run *r, const char *s)
{
	const char *eq = strchr(s, '=');
	if (!eq || eq == s || !eq[1] || strchr(s, ',')) {
		cli_error("run", "--native %s: expected NAME=FILE, without commas", s);
		return false;
	}
	return append_word(&r->native, s);
}

static bool add_setting(struct run *r, const char *s)
{
	if (!strchr(s, '=')) {
		cli_error("run", "--set %s: expected KEY=VALUE", s);
		return false;
	}
	if (!append_word(&r->set, s))
		return false;
	const char **list = realloc(r->settings, (r->nsettings + 2) * sizeof *list);
	if (!list)
		return false;
	list[r->nsettings++] = s;
	list[r->nsettings] = NULL;
	r->opt.set = r->settings = list;
	return true;
}

static bool parse_mode(struct run *r, const char *s)
{
	r->opt.sampled = !strcmp(s, "sampled");
	r->opt.timing = r->opt.sampled || !strcmp(s, "timing");
	if (!r->opt.timing && strcmp(s, "functional")) {
		cli_error("run", "--mode %s: expected functional, timing or sampled", s);
		return false;
	}
	r->mode = s;
	return true;
}

static bool parse_error(struct run *r, const char *s)
{
	r->given.error = s;
	if (heddle_error_parse(s, &r->opt.error))
		return true;
	cli_error("run", "--error %s: expected a percentage below 100, such as 2%%", s);
	return false;
}

/* The buffer parameter that --expect and --tolerance are about; NULL: the last parameter is none. */
static struct arg *last_buffer(struct run *r)
{
	struct arg *a = r->args.n ? &r->args.arg[r->args.n - 1] : NULL;
	return a && a->kind != ARG_VAL ? a : NULL;
}

static bool add_expected(struct run *r, const char *file)
{
	struct arg *a = last_buffer(r);
	if (!a || a->expect)
		cli_error("run", "--expect %s: expected once after an --in, --out or --inout",
			  file);
	else
		a->expect = file;
	return a && a->expect == file;
}

static bool add_tolerance(struct run *r, const char *text)
{
	struct arg *a = last_buffer(r);
	double *const out[] = {a ? &a->atol : NULL, a ? &a->rtol : NULL};
	const char *at = text;
	if (!a || !a->expect) {
		cli_error("run", "--tolerance %s: expected after an --expect", text);
		return false;
	}
	for (unsigned i = 0; i < 2; i++) {
		char *end;
		*out[i] = strtod(at, &end);
		if (end == at || !(*out[i] >= 0) || isinf(*out[i]))
			break;
		if (!*end)
			return true;
		if (*end != ',')
			break;
		at = end + 1;
	}
	cli_error("run", "--tolerance %s: expected ABS or ABS,REL, such as 1e-3,1e-2", text);
	return false;
}

static bool set_option(struct run *r, int o, char **arg)
{
	struct arg *a = &r->args.arg[r->args.n];
	uint64_t n;
	switch (o) {
	case CLI_WORD:
		if (r->file) {
			cli_error("run",
				  "%s: only one PTX file can be run; parameters are given "
				  "with --val, --in, --out, --inout",
				  arg[0]);
			return false;
		}
		r->file = arg[0];
		return true;
	case O_MODE: return parse_mode(r, arg[0]);
	case O_CONFIG: r->opt.config = arg[0]; return true;
	case O_SET: return add_setting(r, arg[0]);
	case O_DEBUG: r->debug = true; return true;
	case O_GDB: r->gdb = arg[0]; return true;
	case O_TRITON: r->triton = arg[0]; return true;
	case O_EXPECT: return add_expected(r, arg[0]);
	case O_TOLERANCE: return add_tolerance(r, arg[0]);
	case O_KERNEL: r->kernel = arg[0]; return true;
	case O_GRID: return parse_dim("--grid", arg[0], r->launch.grid);
	case O_BLOCK: return parse_dim("--block", arg[0], r->launch.block);
	case O_SHARED:
		if (!parse_count("--shared", arg[0], 0, UINT32_MAX, &n))
			return false;
		r->launch.shared_bytes = (uint32_t)n;
		return true;
	case O_VAL: *a = (struct arg){ARG_VAL, .text = arg[0]}; break;
	case O_IN: *a = (struct arg){ARG_IN, .in = arg[0]}; break;
	case O_OUT: *a = (struct arg){ARG_OUT, .text = arg[0], .out = arg[1]}; break;
	case O_INOUT: *a = (struct arg){ARG_INOUT, .in = arg[0], .out = arg[1]}; break;
	case O_TEXTURE: return images_add(&r->images, "--texture", arg[0], NULL);
	case O_SURFACE: return images_add(&r->images, "--surface", arg[0], arg[1]);
	case O_STATS:
		r->stats = arg[0];
		r->opt.profile = true;
		return true;
	case O_THREADS:
		if (!parse_count("--threads", arg[0], 1, 1024, &n))
			return false;
		r->opt.threads = (unsigned)n;
		r->threads = arg[0];
		return true;
	case O_REPORT: r->opt.check_report = arg[0]; return true;
	case O_CHECK: r->check = arg[0]; return parse_checks(r, arg[0]);
	case O_NOCHECK: r->opt.no_check = true; return true;
	case O_MAXINST:
		r->max_instructions = arg[0];
		return parse_count("--max-instructions", arg[0], 1, UINT64_MAX,
				   &r->opt.max_instructions);
	case O_REVERSE:
		r->given.reverse = "1";
		r->opt.reverse = true;
		return true;
	case O_QUIET: r->quiet = true; return true;
	case O_NATIVE: return add_native(r, arg[0]);
	case O_CUBINS: return !setenv("HEDDLE_CUBINS", arg[0], 1);
	case O_CODE: r->code = arg[0]; return parse_code(arg[0], r);
	case O_DIALECT: r->dialect = arg[0]; return true;
	case O_STACK: r->stack = arg[0]; return parse_stack(arg[0], &r->opt.native_stack);
	case O_RECORD: r->opt.record = arg[0]; return true;
	case O_SAMPLE:
		r->given.sample = arg[0];
		return parse_count("--sample", arg[0], 1, UINT64_MAX / 2, &r->opt.sample);
	case O_SAMPLES: r->given.sample_file = r->opt.sample_file = arg[0]; return true;
	case O_SERIES: r->given.series = arg[0]; return parse_rows(arg[0], &r->opt.series);
	case O_SUMS:
		r->given.sums = "1";
		r->opt.sums = true;
		return true;
	case O_TRACE: r->given.trace = r->opt.trace_file = arg[0]; return true;
	case O_TRACEFROM:
		r->given.trace_from = arg[0];
		return parse_count("--trace-from", arg[0], 0, UINT64_MAX / 2, &r->opt.trace_from);
	case O_TRACETO:
		r->given.trace_to = arg[0];
		return parse_count("--trace-to", arg[0], 1, UINT64_MAX / 2, &r->opt.trace_to);
	case O_TRACESM: r->given.trace_sm = r->opt.trace_sm = arg[0]; return true;
	case O_LAUNCHES:
		r->given.launches = r->opt.launches = arg[0];
		return parse_list("--launches", arg[0], heddle_is_launch_list(arg[0]),
				  "numbers and ranges, such as 3,7-9; the first launch is 0");
	case O_KERNELS:
		r->given.kernels = r->opt.kernels = arg[0];
		return parse_list("--kernels", arg[0], heddle_is_kernel_list(arg[0]),
				  "names or regular expressions, separated by commas, with "
				  "numbers of launches as in 5-8@gemm.*");
	case O_SKIP:
		r->given.skip = arg[0];
		return parse_count("--skip", arg[0], 0, UINT32_MAX, &r->opt.skip);
	case O_WARM:
		r->given.warm = "1";
		r->opt.warm = true;
		return true;
	case O_ERROR: return parse_error(r, arg[0]);
	case O_SAVE: r->given.save = r->opt.save = arg[0]; return true;
	case O_RESTORE: r->given.restore = r->opt.restore = arg[0]; return true;
	case O_ACCESSES:
		r->given.accesses = "1";
		r->opt.accesses = true;
		return true;
	case O_EVERY:
		r->given.checkpoint_every = arg[0];
		return parse_count("--checkpoint-every", arg[0], 1, UINT64_MAX,
				   &r->opt.checkpoint_every);
	case O_SEED:
		r->given.seed = arg[0];
		return parse_count("--seed", arg[0], 0, UINT64_MAX, &r->opt.seed);
	case O_FAIL: r->given.own_status = false; return true;
	case O_NOFAIL: r->given.own_status = true; return true;
	case O_MAXCYC:
		r->max_cycles = arg[0];
		return parse_count("--max-cycles", arg[0], 1, UINT64_MAX, &r->opt.max_cycles);
	default: return false;
	}
	r->args.n++;
	return true;
}

/* Chooses timing mode if a machine is given and the command line names no mode. */
static void default_mode(struct run *r)
{
	if (!r->mode && (r->opt.config || r->nsettings)) {
		r->mode = "timing";
		r->opt.timing = true;
	}
}

static bool is_readable(const char *path)
{
	struct stat st;
	if (access(path, R_OK) || stat(path, &st))
		return false;
	errno = EISDIR;
	return !S_ISDIR(st.st_mode);
}

static bool is_json(const char *path)
{
	size_t n = strlen(path);
	return n > 5 && !strcmp(path + n - 5, ".json");
}

static bool debugger_possible(const struct run *r)
{
	if ((r->debug || r->gdb) && (r->opt.timing || r->traces)) {
		cli_error("run",
			  "%s follows functional mode; it goes without --config and --set, or "
			  "with --mode functional",
			  r->gdb ? "--gdb" : "--debug");
		return false;
	}
	if (r->debug && r->gdb)
		cli_error("run", "--debug and --gdb exclude each other");
	return !r->debug || !r->gdb;
}

bool run_parse(struct run *r, int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_run, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_HELP) {
			r->help = true;
			return true;
		}
		if (o == CLI_BAD || !set_option(r, o, w.arg))
			return false;
		if (o == CLI_WORD && r->triton)
			continue; /* a kernel's name */
		if (o == CLI_WORD && program_is(r->file)) {
			r->program = argv + w.next - 1;
			default_mode(r);
			return debugger_possible(r);
		}
		if (o == CLI_WORD && traces_are(r->file)) {
			r->traces = true;
			continue;
		}
		/* checked at once, because later words may be a program's arguments */
		if (o == CLI_WORD && !is_readable(r->file)) {
			cli_error("run", "%s: %s", r->file, strerror(errno));
			r->absent = true;
			return false;
		}
	}
	if (r->traces && !add_setting(r, "sm.divergence=replay"))
		return false;
	default_mode(r);
	if (r->native) {
		cli_error("run", "--native is for CUDA programs; give the native file itself to "
				 "run a kernel of it");
		return false;
	}
	bool is_step = !r->triton && r->file && is_json(r->file);
	const char *missing = is_step || r->traces  ? NULL
			      : r->triton           ? (r->launch.grid[0] ? NULL : "--grid")
			      : !r->file            ? "a program or a PTX file"
			      : !r->launch.grid[0]  ? "--grid"
			      : !r->launch.block[0] ? "--block"
						    : NULL;
	if (missing)
		cli_error("run", "%s is missing; `heddle help run` shows how", missing);
	for (unsigned i = 0; i < r->args.n && !missing; i++)
		if (r->args.arg[i].expect && !r->triton) {
			cli_error("run", "--expect %s: expected with --triton alone",
				  r->args.arg[i].expect);
			return false;
		}
	if (!missing && r->opt.no_check && (r->opt.check_race || r->opt.check_init)) {
		cli_error("run", "--no-check and --check contradict each other");
		return false;
	}
	return !missing && debugger_possible(r);
}
