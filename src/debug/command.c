/* Commands as text, for the prompt and for GDB's `monitor`: one table row per command. A command
 * writes its answer; it returns true if it resumes the launch. */
#include "debug/session.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include "base/mangled.h"
#include "check/check.h"

typedef bool command_fn(struct debug *d, char *args, FILE *f);

/* Returns the next word of a line, terminated in place; "" at the end. */
static char *take_word(char **line)
{
	char *s = *line + strspn(*line, " \t"), *end = s + strcspn(s, " \t");
	*line = *end ? end + 1 : end;
	*end = 0;
	return s;
}

/* False, with a message, if the text is not a number. */
static bool take_number(const char *text, uint64_t *out, FILE *f)
{
	char *end;
	*out = strtoull(text, &end, 0);
	bool ok = isdigit((unsigned char)*text) && !*end;
	if (!ok)
		fprintf(f, "%s: expected a number\n", *text ? text : "nothing");
	return ok;
}

/* ---- going on ---- */

static bool go(struct debug *d, char *args, FILE *f, enum go how)
{
	char *word = take_word(&args);
	uint64_t n = 1;
	if (*word && (!take_number(word, &n, f) || !n))
		return false;
	session_go(d, how, n);
	return true;
}

static bool do_step(struct debug *d, char *args, FILE *f) { return go(d, args, f, GO_STEP); }

static bool do_next(struct debug *d, char *args, FILE *f) { return go(d, args, f, GO_NEXT); }

static bool do_line(struct debug *d, char *args, FILE *f) { return go(d, args, f, GO_LINE); }

static bool do_continue(struct debug *d, char *args, FILE *f)
{
	(void)args, (void)f;
	session_go(d, GO_FREE, 1);
	return true;
}

static bool do_quit(struct debug *d, char *args, FILE *f)
{
	(void)args, (void)f;
	session_go(d, GO_KILL, 1);
	return true;
}

static bool do_detach(struct debug *d, char *args, FILE *f)
{
	(void)args, (void)f;
	session_go(d, GO_FREE, 1);
	d->detached = true;
	return true;
}

static bool say_refusal(const char *why, FILE *f)
{
	if (why)
		fprintf(f, "no way back: %s\n", why);
	return !why;
}

static bool do_reverse_step(struct debug *d, char *args, FILE *f)
{
	(void)args;
	return say_refusal(session_back(d, true), f);
}

static bool do_reverse_continue(struct debug *d, char *args, FILE *f)
{
	(void)args;
	return say_refusal(session_back(d, false), f);
}

static bool do_goto(struct debug *d, char *args, FILE *f)
{
	uint64_t n;
	return take_number(take_word(&args), &n, f) && say_refusal(session_goto(d, n), f);
}

/* ---- breakpoints ---- */

static bool do_break(struct debug *d, char *args, FILE *f)
{
	char why[400], *place = take_word(&args), *word;
	struct breakpoint *b = *place ? place_break(d, place, why, sizeof why) : NULL;
	if (!*place)
		fprintf(f, "break: expected KERNEL, FUNCTION, FILE:LINE, LINE or *ADDRESS\n");
	else if (!b)
		fprintf(f, "%s\n", why);
	for (; b && *(word = take_word(&args));) {
		uint64_t n;
		bool block = !strcmp(word, "block"), warp = !strcmp(word, "warp");
		if (!block && !warp) {
			fprintf(f, "%s: expected block N or warp N\n", word);
			place_remove(d, b->number);
			return false;
		}
		if (!take_number(take_word(&args), &n, f)) {
			place_remove(d, b->number);
			return false;
		}
		b->one_block |= block;
		b->one_warp |= warp;
		if (block)
			b->who.block = n;
		else
			b->who.warp = (uint32_t)n;
	}
	if (b)
		fprintf(f, "breakpoint %u at %s%s%s%s\n", b->number,
			b->kind == BREAK_KERNEL ? "the start of kernel " : "", b->place,
			*why ? ": " : "", why);
	return false;
}

static bool do_delete(struct debug *d, char *args, FILE *f)
{
	uint64_t n;
	if (take_number(take_word(&args), &n, f) && !place_remove(d, (unsigned)n))
		fprintf(f, "there is no breakpoint %llu\n", (unsigned long long)n);
	return false;
}

static bool take_address(struct debug *d, char **args, uint64_t *addr, FILE *f);

static bool do_watch(struct debug *d, char *args, FILE *f)
{
	struct breakpoint b = {.kind = BREAK_WATCH, .size = 4};
	uint64_t bytes = 4;
	if (!take_address(d, &args, &b.addr, f))
		return false;
	char *word = take_word(&args);
	if (*word && !take_number(word, &bytes, f))
		return false;
	uint8_t probe[8];
	if (bytes < 1 || bytes > 8 || !view_read(d, b.addr, probe, bytes)) {
		fprintf(f, "watch: expected the address of 1 to 8 bytes of memory\n");
		return false;
	}
	b.size = (uint32_t)bytes;
	b.number = ++d->numbers;
	vec_push(&d->breaks, b);
	fprintf(f, "watchpoint %u: %u bytes at 0x%llx\n", b.number, b.size,
		(unsigned long long)b.addr);
	return false;
}

/* ---- looking ---- */

static bool do_where(struct debug *d, char *args, FILE *f)
{
	struct lanes_at all[LANES];
	(void)args;
	const struct fwarp *fw = view_chosen(d);
	unsigned n = view_lanes(d, fw, all, LANES);
	for (unsigned i = 0; i < n; i++)
		place_print(f, d, fw, &all[i]);
	fprintf(f, "  instruction %llu of launch %llu\n", (unsigned long long)d->step,
		(unsigned long long)d->launches);
	return false;
}

static const char *state_of(const struct debug *d, const struct fwarp *fw, const struct lanes_at *a)
{
	static const char *const waits[] = {"", "waits at a barrier", "waits for lanes", ""};
	if (a->running)
		return "runs";
	if (*waits[a->state])
		return waits[a->state];
	(void)d;
	return fw->waits_at != NO_PC ? "polls" : "can run";
}

static void print_warp(struct debug *d, const struct fwarp *fw, FILE *f)
{
	struct lanes_at all[LANES];
	char lanes[100], at[PLACE_TEXT];
	unsigned n = view_lanes(d, fw, all, LANES);
	const struct cta *b = fw->ws->w.cta;
	bool chosen = b->index == d->chosen.block && fw->ws->w.id == d->chosen.warp;
	if (!n)
		fprintf(f, "  block %llu warp %u: has ended\n", (unsigned long long)b->index,
			fw->ws->w.id);
	for (unsigned i = 0; i < n; i++) {
		check_where(d->l->img, all[i].pc, at, sizeof at);
		fprintf(f, "%c block %llu warp %u lanes %s: %s, 0x%llx, %s\n",
			chosen && !i ? '*' : ' ', (unsigned long long)b->index, fw->ws->w.id,
			check_lanes(lanes, sizeof lanes, all[i].lanes), state_of(d, fw, &all[i]),
			(unsigned long long)place_address(d, all[i].pc), at);
	}
}

/* The running blocks: the one block, or the blocks of its cluster. */
static struct cta *nth_block(const struct debug *d, uint32_t i)
{
	const struct cluster *c = d->cta->cluster;
	return c ? i < c->n ? c->block[i] : NULL : i ? NULL : d->cta;
}

static void info_warps(struct debug *d, FILE *f)
{
	struct cta *b;
	for (uint32_t i = 0; (b = nth_block(d, i)); i++)
		for (uint32_t w = 0; w < d->l->nwarps; w++)
			print_warp(d, &fblock_of(b)->warp[w], f);
}

static void info_blocks(struct debug *d, FILE *f)
{
	struct cta *b;
	for (uint32_t i = 0; (b = nth_block(d, i)); i++)
		fprintf(f, "%c block %llu (%u,%u,%u): %u of %u threads left\n",
			b == d->cta ? '*' : ' ', (unsigned long long)b->index, b->ctaid[0],
			b->ctaid[1], b->ctaid[2], b->live, d->l->nthreads);
	fprintf(f, "  %llu blocks of %u threads; blocks run one after the other\n",
		(unsigned long long)d->l->nblocks, d->l->nthreads);
}

static void info_barriers(struct debug *d, FILE *f)
{
	struct cta *b;
	unsigned shown = 0;
	for (uint32_t i = 0; (b = nth_block(d, i)); i++)
		for (uint32_t w = 0; w < d->l->nwarps; w++) {
			struct fwarp *fw = &fblock_of(b)->warp[w];
			struct lanes_at a[LANES];
			unsigned n = view_lanes(d, fw, a, LANES);
			bool waits = !(b == d->cta && w == d->warp) && fw->waits_at != NO_PC;
			for (unsigned k = 0; k < n; k++)
				waits |= a[k].state == SPLIT_BARRIER || a[k].state == SPLIT_SYNC;
			struct warp was = fw->ws->w; /* a copy, because the text shows registers of
						      * other frames */
			if (waits)
				warp_describe_waits(f, d->l, fw, UINT32_MAX, &shown);
			fw->ws->w = was;
		}
	if (!shown)
		fprintf(f, "no warp waits\n");
}

static void info_breaks(struct debug *d, FILE *f)
{
	for (size_t i = 0; i < d->breaks.n; i++) {
		const struct breakpoint *b = &d->breaks.v[i];
		if (b->kind == BREAK_WATCH)
			fprintf(f, "%u: watches %u bytes at 0x%llx", b->number, b->size,
				(unsigned long long)b->addr);
		else if (b->place)
			fprintf(f, "%u: %s%s", b->number, b->kind == BREAK_KERNEL ? "kernel " : "",
				b->place);
		else
			fprintf(f, "GDB: 0x%llx", (unsigned long long)b->addr);
		if (b->one_block)
			fprintf(f, " in block %llu", (unsigned long long)b->who.block);
		if (b->one_warp)
			fprintf(f, " in warp %u", b->who.warp);
		fprintf(f, ", hit %llu time%s\n", (unsigned long long)b->hits,
			b->hits == 1 ? "" : "s");
	}
	if (!d->breaks.n)
		fprintf(f, "no breakpoints\n");
}

static void info_kernels(struct debug *d, FILE *f)
{
	for (size_t i = 0; i < d->known.n; i++)
		if (d->known.v[i].img)
			fprintf(f, "%c 0x%llx %s\n", d->known.v[i].img == d->l->img ? '*' : ' ',
				(unsigned long long)d->known.v[i].base,
				plain_name(d->known.v[i].img->kernel->name).text);
}

static void print_one(FILE *f, const uint8_t *v, unsigned bytes, unsigned type)
{
	uint64_t x = 0;
	float s;
	double t;
	memcpy(&x, v, bytes < 8 ? bytes : 8);
	memcpy(&s, v, sizeof s);
	memcpy(&t, v, sizeof t);
	if (type == T_F32)
		fprintf(f, "%.9g", (double)s);
	else if (type == T_F64)
		fprintf(f, "%.17g", t);
	else if (type_is_signed(type))
		fprintf(f, "%" PRId64,
			bytes >= 8 ? (int64_t)x
				   : (int64_t)(x << (64 - 8 * bytes)) >> (64 - 8 * bytes));
	else if (type == T_PRED)
		fprintf(f, "%u", (unsigned)x);
	else if (x < 10)
		fprintf(f, "%" PRIu64, x);
	else
		fprintf(f, "%" PRIu64 " (0x%" PRIx64 ")", x, x);
}

/* Prints a register's values by lane: one value if all are equal; otherwise eight per line. */
static void print_lanes(FILE *f, const char *name, uint32_t lanes, unsigned type, unsigned bytes,
			uint8_t v[LANES][16])
{
	enum { FEW = 4, PER_LINE = 8 };
	uint32_t same[LANES] = {0};
	unsigned n = 0, k = 0;
	char list[100];
	for (uint32_t left = lanes; left; left &= ~same[n++])
		for (uint32_t m = left; m; m &= m - 1)
			if (!memcmp(v[__builtin_ctz(m)], v[__builtin_ctz(left)], bytes))
				same[n] |= m & -m;
	for (unsigned i = 0; i < n && n <= FEW; i++) {
		fprintf(f, "%s, lanes %s: ", name, check_lanes(list, sizeof list, same[i]));
		print_one(f, v[__builtin_ctz(same[i])], bytes, type);
		fputc('\n', f);
	}
	for (uint32_t m = n > FEW ? lanes : 0; m; m &= m - 1, k++) {
		if (k % PER_LINE == 0)
			fprintf(f, "%s%s, from lane %d:", k ? "\n" : "", name, __builtin_ctz(m));
		fputc(' ', f);
		print_one(f, v[__builtin_ctz(m)], bytes, type);
	}
	if (k)
		fputc('\n', f);
}

static bool print_special(struct debug *d, const char *name, uint32_t lanes, FILE *f)
{
	const struct fwarp *fw = view_chosen(d);
	uint8_t v[LANES][16] = {{0}};
	static const char axis[] = "xyz";
	const char *dot = strchr(name, '.'), *at = dot && dot[1] ? strchr(axis, dot[1]) : NULL;
	unsigned k = at ? (unsigned)(at - axis) : 0;
	const struct cta *b = fw->ws->w.cta;
	for (unsigned i = 0; i < LANES; i++) {
		uint32_t x = !strncmp(name, "%tid.", 5)     ? fw->ws->w.tid[k][i]
			     : !strncmp(name, "%ctaid.", 7) ? b->ctaid[k]
			     : !strncmp(name, "%ntid.", 6)  ? d->l->block[k]
			     : !strcmp(name, "%laneid")     ? i
							    : d->l->grid[k];
		memcpy(v[i], &x, 4);
	}
	if (!(at && (!strncmp(name, "%tid.", 5) || !strncmp(name, "%ctaid.", 7) ||
		     !strncmp(name, "%ntid.", 6) || !strncmp(name, "%nctaid.", 8))) &&
	    strcmp(name, "%laneid"))
		return false;
	print_lanes(f, name, lanes, T_U32, 4, v);
	return true;
}

static bool do_print(struct debug *d, char *args, FILE *f)
{
	char *name = take_word(&args), *word = take_word(&args);
	struct lanes_at a;
	const struct fwarp *fw = view_chosen(d);
	uint64_t lane = d->lane;
	if (!*name) {
		fprintf(f, "print: expected a register, such as print %%r1 or print %%r1 LANE\n");
		return false;
	}
	if (*word && (!take_number(word, &lane, f) || lane >= LANES)) {
		fprintf(f, "print: a lane is 0 to %d\n", LANES - 1);
		return false;
	}
	if (!view_lane(d, fw, (unsigned)lane, &a)) {
		fprintf(f, "lane %llu has ended\n", (unsigned long long)lane);
		return false;
	}
	uint32_t lanes = *word ? 1u << lane : a.lanes;
	if (print_special(d, name, lanes, f))
		return false;
	const struct image_func *fn = view_func(d->l->img, a.pc);
	int64_t reg = view_register(fn, name, strlen(name));
	uint8_t v[LANES][16] = {{0}};
	unsigned bytes = 0;
	for (unsigned i = 0; i < LANES && reg >= 0; i++)
		bytes = view_value(fw, fn, &a.frame, (uint32_t)reg, i, v[i]);
	if (reg < 0)
		fprintf(f, "%s has no register %s\n", plain_name(fn->f->name).text, name);
	else if (!bytes)
		fprintf(f, "no instruction names %s\n", name);
	else
		print_lanes(f, name, lanes, fn->f->regs.v[reg].type, bytes, v);
	return false;
}

static void info_registers(struct debug *d, FILE *f)
{
	struct lanes_at a;
	const struct fwarp *fw = view_chosen(d);
	if (!view_lane(d, fw, d->lane, &a))
		return;
	const struct image_func *fn = view_func(d->l->img, a.pc);
	for (size_t i = 0; i < fn->f->regs.n; i++) {
		uint8_t v[16];
		const struct reg *r = &fn->f->regs.v[i];
		char name[40];
		unsigned bytes = view_name(fn, (uint32_t)i, name)
					 ? view_value(fw, fn, &a.frame, (uint32_t)i, d->lane, v)
					 : 0;
		if (!bytes)
			continue;
		fprintf(f, "%s, lane %u: ", name, d->lane);
		print_one(f, v, bytes, r->type);
		fputc('\n', f);
	}
}

static bool do_info(struct debug *d, char *args, FILE *f)
{
	static const struct {
		const char *name;
		void (*fn)(struct debug *d, FILE *f);
	} rows[] = {{"warps", info_warps},         {"barriers", info_barriers},
		    {"blocks", info_blocks},       {"breakpoints", info_breaks},
		    {"registers", info_registers}, {"kernels", info_kernels}};
	char *word = take_word(&args);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (*word && !strncmp(rows[i].name, word, strlen(word))) {
			rows[i].fn(d, f);
			return false;
		}
	fprintf(f, "info %s: expected warps, barriers, blocks, breakpoints, registers or kernels\n",
		word);
	return false;
}

static bool do_barriers(struct debug *d, char *args, FILE *f)
{
	(void)args;
	info_barriers(d, f);
	return false;
}

/* [shared|local|param|global] ADDRESS */
static bool take_address(struct debug *d, char **args, uint64_t *addr, FILE *f)
{
	static const struct {
		const char *name;
		uint64_t base;
	} rows[] = {{"shared", SHARED_BASE},
		    {"local", LOCAL_BASE},
		    {"param", PARAM_BASE},
		    {"global", 0}};
	char *word = take_word(args);
	uint64_t base = 0;
	(void)d;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(word, rows[i].name)) {
			base = rows[i].base;
			word = take_word(args);
			break;
		}
	if (!take_number(word, addr, f))
		return false;
	*addr += base;
	return true;
}

static bool do_examine(struct debug *d, char *args, FILE *f)
{
	uint64_t count = 1, addr;
	unsigned type = T_U32;
	args += strspn(args, " \t");
	if (*args == '/') {
		char *how = take_word(&args) + 1;
		count = isdigit((unsigned char)*how) ? strtoull(how, &how, 10) : 1;
		for (; *how; how++) {
			const char *all = "bhwgdf", *at = strchr(all, *how);
			static const uint8_t types[] = {T_U8, T_U16, T_U32, T_U64, T_S32, T_F32};
			if (*how == 'x')
				continue;
			if (!at || !*at || !count || count > 4096) {
				fprintf(f,
					"x: expected x/COUNT, up to 4096, and b h w g (1, 2, 4, 8 bytes), d or f\n");
				return false;
			}
			type = *how == 'g' && type == T_F32 ? T_F64 : types[at - all];
		}
	}
	if (!take_address(d, &args, &addr, f))
		return false;
	unsigned bytes = type_bytes(type), per_line = bytes == 1 ? 16 : bytes == 8 ? 2 : 4;
	for (uint64_t i = 0; i < count; i++) {
		uint8_t v[16];
		if (!view_read(d, addr + i * bytes, v, bytes)) {
			fprintf(f, "%snothing is at 0x%llx\n", i % per_line ? "\n" : "",
				(unsigned long long)(addr + i * bytes));
			return false;
		}
		if (i % per_line == 0)
			fprintf(f, "%s0x%llx:", i ? "\n" : "",
				(unsigned long long)(addr + i * bytes));
		fputc(' ', f);
		print_one(f, v, bytes, type);
	}
	fputc('\n', f);
	return false;
}

static bool do_list(struct debug *d, char *args, FILE *f)
{
	struct lanes_at a;
	const struct fwarp *fw = view_chosen(d);
	uint64_t around = 5;
	char *word = take_word(&args);
	if ((*word && !take_number(word, &around, f)) || !view_lane(d, fw, d->lane, &a))
		return false;
	const struct image *img = d->l->img;
	const struct image_func *fn = view_func(img, a.pc);
	uint64_t from = a.pc > fn->start + around ? a.pc - around : fn->start;
	for (uint64_t pc = from; pc < fn->end && pc <= a.pc + around; pc++) {
		if (!(img->code[pc].flags & UOP_SHOWN))
			continue;
		fprintf(f, "%s%c0x%llx: ", pc == a.pc ? "=>" : "  ", d->at[pc] ? '*' : ' ',
			(unsigned long long)place_address(d, (uint32_t)pc));
		place_instruction(f, img, (uint32_t)pc);
		fputc('\n', f);
	}
	return false;
}

static bool do_warp(struct debug *d, char *args, FILE *f)
{
	uint64_t warp, block = d->chosen.block;
	char *word = take_word(&args), *second = take_word(&args);
	if (*second) {
		if (!take_number(word, &block, f))
			return false;
		word = second;
	}
	if (*word && !take_number(word, &warp, f))
		return false;
	struct cta *b = view_block(d, block);
	if (*word && (!b || warp >= d->l->nwarps)) {
		fprintf(f, "no such warp runs; expected a number below %u\n", d->l->nwarps);
		return false;
	}
	if (*word && !fblock_of(b)->warp[warp].stack.n) {
		fprintf(f, "warp %llu has ended\n", (unsigned long long)warp);
		return false;
	}
	if (*word)
		d->chosen = (struct who){block, (uint32_t)warp};
	return do_where(d, args, f);
}

static bool do_lane(struct debug *d, char *args, FILE *f)
{
	uint64_t n;
	if (take_number(take_word(&args), &n, f)) {
		if (n < LANES)
			d->lane = (uint32_t)n;
		else
			fprintf(f, "a lane is 0 to %d\n", LANES - 1);
	}
	return false;
}

static bool do_help(struct debug *d, char *args, FILE *f);

/* An abbreviation means the first row that begins with it. */
static const struct command {
	const char *name, *args, *help;
	command_fn *fn;
	bool goes;
} commands[] = {
	{"step", "[N]", "execute N instructions of the chosen warp", do_step, true},
	{"next", "[N]", "as step, but a call counts as one instruction", do_next, true},
	{"line", "", "continue to another source line", do_line, true},
	{"continue", "", "continue to a breakpoint or watchpoint", do_continue, true},
	{"reverse-step", "", "go back by one instruction of the chosen warp", do_reverse_step,
	 true},
	{"reverse-continue", "", "go back to the previous breakpoint or watchpoint",
	 do_reverse_continue, true},
	{"rs", "", "reverse-step", do_reverse_step, true},
	{"rc", "", "reverse-continue", do_reverse_continue, true},
	{"goto", "N", "go to instruction N of the launch, forwards or backwards", do_goto, true},
	{"quit", "", "end the program", do_quit, true},
	{"detach", "", "let the program run without the debugger", do_detach, true},
	{"break", "PLACE [block N] [warp N]",
	 "stop at a KERNEL, FUNCTION, FILE:LINE, LINE of PTX or *ADDRESS", do_break, false},
	{"watch", "[SPACE] ADDRESS [BYTES]", "stop when the bytes have changed (4, at most 8)",
	 do_watch, false},
	{"delete", "N", "remove a breakpoint or watchpoint", do_delete, false},
	{"where", "", "the chosen warp's places", do_where, false},
	{"print", "REGISTER [LANE]", "a register of the chosen warp: %r1, R4, %tid.x", do_print,
	 false},
	{"x", "[/COUNT][bhwgdf] [SPACE] ADDRESS", "memory; SPACE: shared, local, param or global",
	 do_examine, false},
	{"info", "WHAT", "warps, barriers, blocks, breakpoints, registers or kernels", do_info,
	 false},
	{"barriers", "", "info barriers: the threads that wait at each barrier", do_barriers,
	 false},
	{"list", "[N]", "N instructions before and after the chosen lane's", do_list, false},
	{"warp", "[[BLOCK] N]", "choose a warp", do_warp, false},
	{"lane", "N", "choose a lane", do_lane, false},
	{"help", "", "this list", do_help, false},
};

static bool do_help(struct debug *d, char *args, FILE *f)
{
	(void)args;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (!d->gdb || !commands[i].goes || commands[i].fn == do_goto)
			fprintf(f, "%s%s%s: %s\n", commands[i].name, *commands[i].args ? " " : "",
				commands[i].args, commands[i].help);
	return false;
}

bool session_command(struct debug *d, const char *line, FILE *f, bool may_go)
{
	char *copy = xstrdup(line), *rest = copy;
	bool goes = false;
	rest += strspn(rest, " \t");
	const struct command *c = NULL;
	size_t n = strcspn(rest, " \t/");
	for (size_t i = 0; n && i < sizeof commands / sizeof *commands && !c; i++)
		if (!strncmp(commands[i].name, rest, n))
			c = &commands[i];
	if (!c && *rest)
		fprintf(f, "%.*s: no such command; help lists them\n", (int)n, rest);
	else if (c && c->goes && !may_go)
		fprintf(f, "%s: use GDB's own command\n", c->name);
	else if (c)
		goes = c->fn(d, rest + n, f);
	free(copy);
	return goes;
}

void session_say_stop(struct debug *d, FILE *f)
{
	static const char *const text[] = {
		[STOPPED_START] = "the first launch begins",
		[STOPPED_STEP] = NULL,
		[STOPPED_KEY] = "interrupted",
		[STOPPED_BEGIN] = "the launch begins",
	};
	struct lanes_at a;
	const struct fwarp *fw = view_chosen(d);
	if (d->why == STOPPED_FAULT)
		fprintf(f, "the next instruction fails: %s\n", d->trouble);
	else if (d->why == STOPPED_BREAK || d->why == STOPPED_WATCH)
		fprintf(f, "%s %u\n",
			d->why == STOPPED_WATCH ? "after a change of watchpoint" : "breakpoint",
			d->number);
	else if (text[d->why])
		fprintf(f, "%s\n", text[d->why]);
	if (view_lanes(d, fw, &a, 1))
		place_print(f, d, fw, &a);
}
