/* The reader of traces: header, blocks, warps, instructions (trace.h has the format). */
#include "front/trace/trace.h"

#include <stdlib.h>
#include <string.h>

enum {
	VERSION_FIRST = 3, /* older lines begin with block and warp */
	VERSION_LAST = 6,
	CODE_BYTES = 1 << 26, /* largest address of an instruction */
	WARPS_MOST = 1 << 28, /* warps of a grid */
	BLOCK_BYTES = 20,     /* lower bound of the bytes of a thread block in the text */
};

struct reader {
	struct trace *t;
	struct diag *d;
	const char *file;
	const char *start;    /* the line */
	const char *at, *end; /* the rest of the line */
	const char *text, *next, *text_end;
	unsigned line;
	unsigned version;
	bool line_numbers;     /* lines of instructions begin with a source line's number */
	bool in_block;         /* between BEGIN_TB and END_TB */
	int64_t block, warp;   /* current block and warp; -1: none so far */
	uint64_t left;         /* instructions of the warp still to be read */
	uint64_t blocks;       /* blocks read */
	VEC(uint32_t) inst_at; /* [address / 8]: index of the instruction plus 1; 0: none */
	bool bad;
};

static void report_error(struct reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void report_error(struct reader *r, const char *fmt, ...)
{
	va_list ap;
	struct srcloc at = {
		.file = r->file, .line = r->line, .col = (unsigned)(r->at - r->start) + 1};
	if (r->bad)
		return;
	va_start(ap, fmt);
	diag_vat(r->d, DIAG_ERROR, &at, fmt, ap);
	va_end(ap);
	r->bad = true;
}

/* ---- splitting a line into words ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool next_line(struct reader *r)
{
	if (r->next >= r->text_end)
		return false;
	const char *nl = memchr(r->next, '\n', (size_t)(r->text_end - r->next));
	r->start = r->at = r->next;
	r->end = nl ? nl : r->text_end;
	r->next = nl ? nl + 1 : r->text_end;
	r->line++;
	while (r->at < r->end && is_blank(*r->at))
		r->at++;
	while (r->end > r->at && is_blank(r->end[-1]))
		r->end--;
	return true;
}

/* Returns the next word of the line and its length *n; length 0: no more words. */
static const char *next_word(struct reader *r, size_t *n)
{
	while (r->at < r->end && is_blank(*r->at))
		r->at++;
	const char *word = r->at;
	while (r->at < r->end && !is_blank(*r->at))
		r->at++;
	*n = (size_t)(r->at - word);
	return word;
}

/* Parses a number of base 10 or 16, optionally with a sign and 0x. */
static bool parse_number(const char *s, size_t n, int base, int64_t *out)
{
	bool negative = n && *s == '-';
	size_t i = negative;
	uint64_t x = 0;
	if (base == 16 && n - i > 2 && s[i] == '0' && s[i + 1] == 'x')
		i += 2;
	if (i >= n || n - i > 20)
		return false;
	for (; i < n; i++) {
		unsigned digit = s[i] >= '0' && s[i] <= '9'   ? (unsigned)(s[i] - '0')
				 : s[i] >= 'a' && s[i] <= 'f' ? (unsigned)(s[i] - 'a' + 10)
							      : 99;
		if (digit >= (unsigned)base)
			return false;
		x = x * (unsigned)base + digit;
	}
	*out = (int64_t)(negative ? 0 - x : x);
	return true;
}

static int64_t read_number(struct reader *r, int base, int64_t least, int64_t most,
			   const char *what)
{
	size_t n;
	const char *word = next_word(r, &n);
	int64_t x = 0;
	if (!n)
		report_error(r, "the line ends where %s is expected", what);
	else if (!parse_number(word, n, base, &x) || x < least || x > most)
		report_error(r, "'%.*s': expected %s", (int)(n < 40 ? n : 40), word, what);
	return r->bad ? 0 : x;
}

/* `(x,y,z)` or `x,y,z`. */
static void read_triple(struct reader *r, uint32_t out[3], const char *what)
{
	const char *s = r->at;
	for (int i = 0; i < 3; i++) {
		while (s < r->end && (*s == '(' || *s == ',' || is_blank(*s)))
			s++;
		const char *from = s;
		while (s < r->end && *s >= '0' && *s <= '9')
			s++;
		int64_t x;
		if (!parse_number(from, (size_t)(s - from), 10, &x) || x > INT32_MAX) {
			report_error(r, "expected three numbers, %s", what);
			return;
		}
		out[i] = (uint32_t)x;
	}
}

/* ---- header ---- */

/* True, with r->at at the value, if the line is `key = value`. */
static bool has_key(struct reader *r, const char *key)
{
	size_t n = strlen(key);
	const char *s = r->at;
	if ((size_t)(r->end - s) < n || memcmp(s, key, n))
		return false;
	s += n;
	while (s < r->end && is_blank(*s))
		s++;
	if (s == r->end || *s != '=')
		return false;
	s++;
	while (s < r->end && is_blank(*s))
		s++;
	r->at = s;
	return true;
}

static void read_header_line(struct reader *r)
{
	struct trace *t = r->t;
	struct replay *p = &t->replay;
	if (has_key(r, "-kernel name"))
		t->kernel = arena_strndup(&t->arena, r->at, (size_t)(r->end - r->at));
	else if (has_key(r, "-grid dim"))
		read_triple(r, p->grid, "blocks of the grid");
	else if (has_key(r, "-block dim"))
		read_triple(r, p->block, "threads of a block");
	else if (has_key(r, "-shmem base_addr"))
		t->shared = (uint64_t)read_number(r, 16, INT64_MIN, INT64_MAX, "an address");
	else if (has_key(r, "-local mem base_addr"))
		t->local = (uint64_t)read_number(r, 16, INT64_MIN, INT64_MAX, "an address");
	else if (has_key(r, "-shmem"))
		p->shared_bytes =
			(uint32_t)read_number(r, 10, 0, 1 << 20, "bytes of shared memory");
	else if (has_key(r, "-nregs"))
		t->registers = (unsigned)read_number(r, 10, 0, 256, "registers per thread");
	else if (has_key(r, "-binary version"))
		t->target = (unsigned)read_number(r, 10, 20, 200, "a target, as 80 for sm_80");
	else if (has_key(r, "-accelsim tracer version"))
		r->version = (unsigned)read_number(r, 10, VERSION_FIRST, VERSION_LAST,
						   "a version of the tracer from 3 to 6");
	else if (has_key(r, "-enable lineinfo"))
		r->line_numbers = read_number(r, 10, 0, 1, "0 or 1") == 1;
}

/* Checks that the header is complete before the first block, and allocates the list of warps. */
static void finish_header(struct reader *r)
{
	struct replay *p = &r->t->replay;
	uint64_t threads = (uint64_t)p->block[0] * p->block[1] * p->block[2];
	uint64_t blocks = (uint64_t)p->grid[0] * p->grid[1];
	if (!r->t->kernel || !*r->t->kernel)
		report_error(r, "the header has no '-kernel name ='");
	else if (!threads || p->block[0] > 1024 || p->block[1] > 1024 || p->block[2] > 1024 ||
		 threads > 1024)
		report_error(r, "the header's '-block dim =' is missing, or not 1 to 1024 threads");
	else if (!blocks || !p->grid[2] || blocks > WARPS_MOST ||
		 blocks * p->grid[2] > WARPS_MOST / 32)
		report_error(r, "the header's '-grid dim =' is missing, or not 1 to %d blocks",
			     WARPS_MOST / 32);
	else if (blocks * p->grid[2] > (uint64_t)(r->text_end - r->text) / BLOCK_BYTES + 1)
		report_error(r, "the text is too short for %llu thread blocks",
			     (unsigned long long)(blocks * p->grid[2]));
	if (r->bad)
		return;
	p->warps = (uint32_t)((threads + 31) / 32);
	size_t n = (size_t)(blocks * p->grid[2]) * p->warps;
	vec_reserve(&r->t->warp, n);
	memset(r->t->warp.v, 0, n * sizeof *r->t->warp.v);
	r->t->warp.n = n;
}

/* ---- instructions ---- */

static unsigned read_register(struct reader *r)
{
	size_t n;
	const char *word = next_word(r, &n);
	int64_t x = 0;
	if (n < 2 || *word != 'R' || !parse_number(word + 1, n - 1, 10, &x) || x < 0 || x > 255)
		report_error(r, "'%.*s': expected a register, R0 to R255", (int)(n < 40 ? n : 40),
			     word);
	return r->bad ? 0 : (unsigned)x;
}

static unsigned read_registers(struct reader *r, uint8_t *out)
{
	unsigned n = (unsigned)read_number(r, 10, 0, TRACE_OPERANDS, "a number of registers");
	for (unsigned i = 0; i < n && !r->bad; i++)
		out[i] = (uint8_t)read_register(r);
	return r->bad ? 0 : n;
}

static uint32_t read_addresses(struct reader *r, uint32_t mask)
{
	struct trace *t = r->t;
	size_t at = t->address.n;
	unsigned lanes = (unsigned)__builtin_popcount(mask);
	int64_t form = read_number(r, 10, 0, 2, "how addresses are written: 0, 1 or 2");
	if (r->bad || !lanes)
		return REPLAY_NO_ADDRESS;
	if (at + lanes + 2 >= REPLAY_NO_ADDRESS) {
		report_error(r, "the trace has more addresses than fit");
		return REPLAY_NO_ADDRESS;
	}
	if (form == 1) {
		int64_t base = read_number(r, 16, INT64_MIN, INT64_MAX, "an address");
		int64_t stride = read_number(r, 10, INT32_MIN, INT32_MAX, "a stride in bytes");
		vec_push(&t->address, REPLAY_STRIDE);
		vec_push(&t->address, base);
		vec_push(&t->address, stride);
		return (uint32_t)at;
	}
	vec_push(&t->address, REPLAY_LIST);
	int64_t last = 0;
	for (unsigned i = 0; i < lanes && !r->bad; i++) {
		if (form == 0 || !i)
			last = read_number(r, 16, INT64_MIN, INT64_MAX, "an address");
		else
			last = (int64_t)((uint64_t)last +
					 (uint64_t)read_number(r, 10, INT64_MIN, INT64_MAX,
							       "a difference between addresses"));
		vec_push(&t->address, last);
	}
	return (uint32_t)at;
}

static bool is_same(const struct trace_inst *a, const struct trace_inst *b, size_t opcode)
{
	return a->address == b->address && a->nd == b->nd && a->ns == b->ns &&
	       !memcmp(a->d, b->d, a->nd) && !memcmp(a->s, b->s, a->ns) &&
	       strlen(a->opcode) == opcode && !memcmp(a->opcode, b->opcode, opcode);
}

/* Index of the line's instruction, which is added if its address is new; opcode: number of bytes of
 * in->opcode. */
static uint32_t find_inst(struct reader *r, struct trace_inst *in, size_t opcode)
{
	struct trace *t = r->t;
	size_t slot = in->address / 8;
	while (r->inst_at.n <= slot)
		vec_push(&r->inst_at, 0u);
	uint32_t *index = &r->inst_at.v[slot];
	if (!*index) {
		in->opcode = arena_strndup(&t->arena, in->opcode, opcode);
		in->line = r->line;
		vec_push(&t->inst, *in);
		*index = (uint32_t)t->inst.n;
	} else if (!is_same(&t->inst.v[*index - 1], in, opcode)) {
		report_error(r, "address %x has %.*s here and %s with other operands in line %u",
			     in->address, (int)opcode, in->opcode, t->inst.v[*index - 1].opcode,
			     t->inst.v[*index - 1].line);
	}
	return *index - 1;
}

static void read_inst(struct reader *r)
{
	struct trace *t = r->t;
	struct trace_inst in = {0};
	size_t opcode;
	if (!r->left) {
		report_error(r, r->warp < 0 ? "an instruction before the first 'warp ='"
					    : "more instructions than 'insts =' says");
		return;
	}
	if (r->line_numbers)
		read_number(r, 10, 0, INT32_MAX, "a source line's number");
	in.address = (uint32_t)read_number(r, 16, 0, CODE_BYTES, "an instruction's address");
	uint32_t mask = (uint32_t)read_number(r, 16, 0, UINT32_MAX, "a mask of lanes");
	in.nd = (uint8_t)read_registers(r, in.d);
	in.opcode = next_word(r, &opcode);
	if (!r->bad && !opcode)
		report_error(r, "the line ends where an opcode is expected");
	in.ns = (uint8_t)read_registers(r, in.s);
	if (r->bad)
		return;
	bool group = r->version > 5 && memmem(in.opcode, opcode, "GMMA", 4);
	in.width = group ? 0 : (uint8_t)read_number(r, 10, 0, 255, "bytes accessed per lane");
	uint32_t at = in.width ? read_addresses(r, mask) : REPLAY_NO_ADDRESS;
	if (r->bad)
		return;
	uint32_t pc = find_inst(r, &in, opcode);
	vec_push(&t->step, (struct replay_step){pc, mask, at});
	r->left--;
}

/* ---- blocks ---- */

static void read_block(struct reader *r)
{
	const struct replay *p = &r->t->replay;
	uint32_t b[3];
	read_triple(r, b, "the thread block's place in the grid");
	if (r->bad)
		return;
	if (!r->in_block)
		report_error(r, "a thread block without #BEGIN_TB before it");
	else if (b[0] >= p->grid[0] || b[1] >= p->grid[1] || b[2] >= p->grid[2])
		report_error(r, "thread block %u,%u,%u: the grid is %u,%u,%u", b[0], b[1], b[2],
			     p->grid[0], p->grid[1], p->grid[2]);
	r->block = ((int64_t)b[2] * p->grid[1] + b[1]) * p->grid[0] + b[0];
	r->warp = -1;
	r->blocks++;
}

static void read_warp(struct reader *r)
{
	const struct replay *p = &r->t->replay;
	int64_t w = read_number(r, 10, 0, p->warps - 1, "a warp of the block");
	if (r->bad)
		return;
	if (r->left)
		report_error(r, "%llu instructions fewer than 'insts =' says",
			     (unsigned long long)r->left);
	else if (r->block < 0)
		report_error(r, "a warp before the first 'thread block ='");
	else if (r->t->warp.v[r->block * p->warps + w].n)
		report_error(r, "warp %lld of this thread block appears twice", (long long)w);
	r->warp = w;
}

static void read_count(struct reader *r)
{
	int64_t n = read_number(r, 10, 0, UINT32_MAX, "a number of instructions");
	if (!r->bad && r->warp < 0)
		report_error(r, "'insts =' before the first 'warp ='");
	if (r->bad)
		return;
	r->t->warp.v[r->block * r->t->replay.warps + r->warp] =
		(struct replay_warp){r->t->step.n, (uint32_t)n};
	r->left = (uint64_t)n;
}

static void end_block(struct reader *r)
{
	if (r->left)
		report_error(r, "%llu instructions fewer than 'insts =' says",
			     (unsigned long long)r->left);
	r->in_block = false;
	r->block = r->warp = -1;
}

static bool starts_with(const struct reader *r, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(r->end - r->at) >= n && !memcmp(r->at, word, n);
}

static void read_line(struct reader *r)
{
	bool begun = r->t->warp.n > 0;
	if (starts_with(r, "#BEGIN_TB")) {
		if (!begun)
			finish_header(r);
		r->in_block = true;
		r->block = -1;
	} else if (starts_with(r, "#END_TB")) {
		end_block(r);
	} else if (starts_with(r, "#") || r->at == r->end) {
		return;
	} else if (starts_with(r, "-")) {
		read_header_line(r);
	} else if (has_key(r, "thread block")) {
		read_block(r);
	} else if (has_key(r, "warp")) {
		read_warp(r);
	} else if (has_key(r, "insts")) {
		read_count(r);
	} else if (!starts_with(r, "cluster")) {
		read_inst(r);
	}
}

/* ---- the whole trace ---- */

static int compare_addresses(const void *a, const void *b)
{
	uint32_t x = ((const struct trace_inst *)a)->address,
		 y = ((const struct trace_inst *)b)->address;
	return (x > y) - (x < y);
}

/* Sorts the instructions by address and renumbers the steps accordingly. */
static void sort_insts(struct reader *r)
{
	struct trace *t = r->t;
	uint32_t *to = xcalloc(t->inst.n + 1, sizeof *to);
	if (t->inst.n)
		qsort(t->inst.v, t->inst.n, sizeof *t->inst.v, compare_addresses);
	for (size_t i = 0; i < t->inst.n; i++)
		to[r->inst_at.v[t->inst.v[i].address / 8] - 1] = (uint32_t)i;
	for (size_t i = 0; i < t->step.n; i++)
		t->step.v[i].pc = to[t->step.v[i].pc];
	free(to);
}

static void check_whole(struct reader *r)
{
	const struct replay *p = &r->t->replay;
	uint64_t blocks = (uint64_t)p->grid[0] * p->grid[1] * p->grid[2];
	if (!r->t->warp.n)
		report_error(r, "the trace ends before its first thread block");
	else if (r->in_block)
		report_error(r, "the trace ends inside a thread block");
	else if (r->blocks != blocks)
		report_error(r, "the trace has %llu thread blocks, its grid has %llu",
			     (unsigned long long)r->blocks, (unsigned long long)blocks);
}

bool trace_recognise(const char *text, size_t n)
{
	static const char first[] = "-kernel name";
	while (n && (is_blank(*text) || *text == '\n'))
		text++, n--;
	return n > sizeof first && !memcmp(text, first, sizeof first - 1);
}

bool trace_read(struct trace *t, const char *file, const char *text, size_t n, struct diag *d)
{
	struct reader r = {.t = t,
			   .d = d,
			   .file = file,
			   .text = text,
			   .next = text,
			   .text_end = text + n,
			   .version = VERSION_FIRST,
			   .block = -1,
			   .warp = -1};
	*t = (struct trace){0};
	while (!r.bad && next_line(&r))
		read_line(&r);
	check_whole(&r);
	if (!r.bad)
		sort_insts(&r);
	vec_free(&r.inst_at);
	t->replay.warp = t->warp.v;
	t->replay.step = t->step.v;
	t->replay.address = t->address.v;
	return !r.bad;
}

void trace_free(struct trace *t)
{
	vec_free(&t->inst);
	vec_free(&t->step);
	vec_free(&t->address);
	vec_free(&t->warp);
	arena_free(&t->arena);
}
