/* Fuzz target for execution. An input is a list of numbers from which a valid kernel follows
 * (random_kernel.h), plus small changes that keep it valid, so that nearly all kernels run to the
 * end: another opcode for equal operands, another register of an equal kind, another number.
 * Changed kernels may access other memory or poll forever; the checks and a limit end them. Every
 * eighth kernel runs in timing mode, under a mechanism that the input selects. */
#include "launch.h"
#include "random_kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Opcodes with equal operand types, which may replace each other; of equal length, so that the text
 * keeps its size. */
static const char *const alike[][2] = {
	{" add.u32", " sub.u32"},
	{"and.b32", "xor.b32"},
	{"shl.b32", "shr.b32"},
	{" min.u32", " max.u32"},
	{"setp.eq", "setp.ne"},
	{"setp.lt", "setp.gt"},
	{"vote.sync.all", "vote.sync.any"},
	{"%v0", "%v1"},
	{"%v2", "%v3"},
	{"%v4", "%v5"},
	{"%v6", "%v7"},
	{"%p1", "%p2"},
	{"red.global.add", "red.global.max"},
	{", 1;", ", 7;"},
};

/* Replaces one occurrence of a word by the other word of its pair. */
static void change(char *text, uint64_t *r)
{
	uint64_t x = random_next(r);
	const char *const *pair = alike[x % (sizeof alike / sizeof *alike)];
	const char *from = pair[x >> 8 & 1], *to = pair[!(x >> 8 & 1)];
	unsigned n = 0, pick;
	for (const char *p = text; (p = strstr(p, from)); p++)
		n++;
	if (!n || strlen(from) != strlen(to))
		return;
	pick = (unsigned)(random_next(r) % n);
	char *p = strstr(text, from);
	while (pick--)
		p = strstr(p + 1, from);
	memcpy(p, to, strlen(to));
}

/* A divergence mechanism and a pipeline that supports it. */
static const char *const mechanisms[][2] = {
	{"sm.divergence=pdom", "sm.pipeline=locked"},
	{"sm.divergence=pdom", "sm.pipeline=scoreboard"},
	{"sm.divergence=dwf", "sm.pipeline=locked"},
	{"sm.divergence=en-dwf", "sm.pipeline=locked"},
	{"sm.divergence=tbc", "sm.pipeline=locked"},
	{"sm.divergence=thread-frontiers", "sm.pipeline=locked"},
	{"sm.divergence=thread-frontiers", "sm.pipeline=scoreboard"},
};

enum { INSTRUCTIONS = 10000, CYCLES = 50000 }; /* limits that end kernels that poll forever */
static unsigned long launches, ended, timed;

static void say(void)
{
	fprintf(stderr, "%lu launches, %lu of them in timing mode, %lu ran to the end\n", launches,
		timed, ended);
}

/* True for faults that the checks report without ending the launch. */
static bool is_report(enum heddle_fault_kind k)
{
	return k == HEDDLE_FAULT_RACE || k == HEDDLE_FAULT_UNINIT || k == HEDDLE_FAULT_WARP_MASK;
}

/* Runs the kernel in functional mode, or under a mechanism. */
static void run(const struct random_kernel *k, uint64_t x, const char *const *mechanism)
{
	/* A small machine: creating it takes no longer than reading a kernel. */
	const char *const sets[] = {"gpu.sms=2",
				    "sm.registers=131072",
				    "sm.max_warps=16",
				    "sm.max_threads=512",
				    "mem.partitions=2",
				    mechanism ? mechanism[0] : NULL,
				    mechanism ? mechanism[1] : NULL,
				    NULL};
	struct heddle_options o = {.max_instructions = mechanism ? 0 : INSTRUCTIONS,
				   .max_cycles = mechanism ? CYCLES : 0,
				   .output = discard,
				   .memory_bytes = 64 << 20,
				   .check_race = x & 1,
				   .check_init = x & 2,
				   .set = mechanism ? sets : NULL,
				   .timing = mechanism != NULL,
				   .threads = x >> 44 & 7 ? 1 : 2};
	if (!launches)
		atexit(say);
	timed += mechanism != NULL;
	struct heddle *h = NULL;
	struct heddle_module *m = NULL;
	struct heddle_text text = {.name = "fuzz.ptx", .data = k->text, .size = strlen(k->text)};
	uint64_t in = 0, out = 0;
	if (heddle_open(&h, &o)) { /* the settings are ours: if they are refused, nothing would be
				    * tested */
		fprintf(stderr, "%s\n", heddle_message(h));
		abort();
	}
	if (!heddle_load(h, &text, 1, &m) && !heddle_malloc(h, 4096, &in) &&
	    !heddle_malloc(h, k->bytes, &out) && !heddle_fill(h, out, 0, 1, k->bytes)) {
		struct {
			uint64_t in, out;
			uint32_t n[2];
		} params = {in, out, {k->grid[0], 0}};
		struct heddle_launch l = {.kernel = heddle_kernel_find(m, "k"), .params = &params};
		memcpy(l.grid, k->grid, sizeof l.grid);
		memcpy(l.block, k->block, sizeof l.block);
		launches++;
		enum heddle_status st = heddle_launch(h, &l);
		ended += !st || (st == HEDDLE_FAULT && is_report(heddle_fault(h)->kind));
		if (!(x >> 40 & 63)) /* printing the statistics takes longer than running a small
				      * kernel */
			free(heddle_stats_json(h));
	}
	heddle_close(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t r = size, seed;
	for (size_t i = 0; i < size; i++)
		r = (r ^ data[i]) * 0x100000001b3u;
	seed = random_next(&r);
	uint64_t x = random_next(&r);
	struct random_kernel k = {.warp_ops = x & 8,
				  .locks = !(x & 0x70),
				  .barriers = x & 0x180,
				  .exits = x & 0x200,
				  .size = 2 + (unsigned)(x >> 10 & 7)};
	/* Two blocks of two warps and a few statements find most faults; one kernel in 32 has more. */
	if (x >> 26 & 31) {
		k.most_threads = 40;
		k.most_blocks = 2;
		k.most_functions = 1;
		k.small = true;
		k.size = 1 + (unsigned)(x >> 10 & 3);
	}
	random_kernel_make(&k, seed);
	/* Seven changes out of eight leave functions and the kernel's prologue, which computes its
	 * addresses, alone. */
	char *begin = strstr(k.text, "BEGIN:");
	for (unsigned n = x >> 20 & 3; n; n--)
		change(x >> 36 & 7 ? begin : k.text, &r);
	if (x >> 23 & 7)
		run(&k, x, NULL);
	else
		run(&k, x & ~3ull,
		    mechanisms[(x >> 32) % (sizeof mechanisms / sizeof *mechanisms)]);
	free(k.text);
	return 0;
}
