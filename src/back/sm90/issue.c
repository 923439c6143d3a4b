/* The facts about an instruction that the issue logic needs: its registers, its pipe, and when its
 * result can be read. Latencies are in SM cycles, at least those of isa/sm70/issue.def; if nvcc's
 * code leaves more time, as for guards, that time is used. */
#include <stdlib.h>
#include <string.h>
#include "back/sm90/code.h"
#include "back/sm90/sm90.h"

enum pipe {
	ALU,
	FMA,
	WIDE,
	HIGH,
	HALF,
	DOUBLE,
	CLOCK,
	VOTES,
	MATRIX, /* latencies are matrix_latency()'s */
	GROUP,  /* products of warp groups: WARPGROUP.DEPBAR waits for them */
	UNIFORM,
	BRANCH,
	TO_UNIFORM,
	ASYNC, /* like COUNTED; must also keep its order with other memory accesses */
	COUNTED,
	WALL
};

static const struct {
	const char *name; /* up to a dot or the end */
	uint8_t pipe;
} rows[] = {
	{"MOV", ALU},           {"IADD3", ALU},     {"LOP3", ALU},           {"SHF", ALU},
	{"ISETP", ALU},         {"SEL", ALU},       {"FSEL", ALU},           {"PRMT", ALU},
	{"LEA", ALU},           {"VIMNMX", ALU},    {"VIADDMNMX", ALU},      {"IABS", ALU},
	{"FSETP", ALU},         {"FMNMX", ALU},     {"PLOP3", ALU},          {"SGXT", ALU},
	{"BMSK", ALU},          {"VABSDIFF", HALF}, {"IDP", HALF},           {"F2FP", HALF},
	{"I2FP", HALF},         {"I2IP", HALF},     {"HMNMX2", HALF},        {"HSET2", HALF},
	{"HSETP2", HALF},       {"FFMA", FMA},      {"FMUL", FMA},           {"FADD", FMA},
	{"HADD2", HALF},        {"HMUL2", HALF},    {"HFMA2", HALF},         {"DADD", DOUBLE},
	{"DMUL", DOUBLE},       {"DFMA", DOUBLE},   {"DSETP", DOUBLE},       {"CS2R", CLOCK},
	{"VOTE", VOTES},        {"HMMA", MATRIX},   {"IMMA", MATRIX},        {"BMMA", MATRIX},
	{"ULDC", UNIFORM},      {"NOP", ALU},       {"BRA", BRANCH},         {"EXIT", BRANCH},
	{"BSSY", BRANCH},       {"BSYNC", BRANCH},  {"WARPSYNC", BRANCH},    {"BAR", BRANCH},
	{"BPT", BRANCH},        {"YIELD", BRANCH},  {"NANOSLEEP", BRANCH},   {"MEMBAR", WALL},
	{"ERRBAR", WALL},       {"CCTL", WALL},     {"CGAERRBAR", WALL},     {"UCGABAR_ARV", WALL},
	{"UCGABAR_WAIT", WALL}, {"PREEXIT", WALL},  {"ACQBULK", WALL},       {"DEPBAR", BRANCH},
	{"R2UR", TO_UNIFORM},   {"ELECT", VOTES},   {"SYNCS", ASYNC},        {"ARRIVES", ASYNC},
	{"UBLKCP", ASYNC},      {"UBLKRED", ASYNC}, {"UTMALDG", ASYNC},      {"UTMASTG", ASYNC},
	{"UTMAREDG", ASYNC},    {"UTMAPF", ASYNC},  {"UTMACMDFLUSH", ASYNC}, {"FENCE", ASYNC},
	{"STAS", ASYNC},        {"REDAS", ASYNC},   {"LDGDEPBAR", ASYNC},    {"HGMMA", GROUP},
	{"QGMMA", GROUP},       {"IGMMA", GROUP},   {"BGMMA", GROUP},        {"WARPGROUP", BRANCH},
	{"UISETP", UNIFORM},    {"UMOV", UNIFORM},  {"SUST", ASYNC},         {"SULD", ASYNC},
	{"SURED", ASYNC},       {"USE", ALU},       {"LEPC", ALU},           {"CALL", WALL},
};

static unsigned pipe_of(const struct mi *in)
{
	if (mi_is(in, "IMAD")) {
		if (!strncmp(in->name + 4, ".WIDE", 5))
			return WIDE;
		return !strncmp(in->name + 4, ".HI", 3) ? HIGH : FMA;
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (mi_is(in, rows[i].name))
			return rows[i].pipe;
	return COUNTED;
}

static void note_access(struct access *to, uint8_t *n, unsigned most, unsigned first,
			unsigned count, bool guard)
{
	if (*n < most)
		to[(*n)++] = (struct access){(uint16_t)first, (uint16_t)count, guard};
}

bool issue_is_uniform(const struct mo *o)
{
	static const char *const name[] = {"UR", "[UR", "gdesc[UR", "UP0"};
	for (size_t i = 0; o->kind == MO_TEXT && i < sizeof name / sizeof *name; i++)
		if (!strncmp(o->text, name[i], strlen(name[i])))
			return strcmp(o->text, "URZ") != 0;
	return false;
}

/* True for uniform registers that only the kernel's first instructions write: the descriptor of
 * memory, and the handles of textures that are parameters. */
bool issue_is_kept_uniform(const struct mo *o)
{
	if (o->kind != MO_TEXT || strncmp(o->text, "UR", 2) != 0)
		return false;
	long n = strtol(o->text + 2, NULL, 10);
	return n == 4 || n >= SM90_HANDLES;
}

/* The registers that an operand names; 0: none. */
static unsigned resources_of(const struct mfunc *m, const struct mi *in, const struct mo *o,
			     unsigned *first)
{
	switch (o->kind) {
	case MO_REG:
		*first = m->val.v[o->v].color + (o->wide ? 0 : o->word);
		return o->wide ? m->val.v[o->v].words : 1;
	case MO_MEM:
		if (o->v == V_NONE) {
			*first = 1; /* the stack */
			return mi_is(in, "LDL") || mi_is(in, "STL");
		}
		*first = m->val.v[o->v].color + o->word;
		return o->wide ? m->val.v[o->v].words : 1;
	case MO_CONST:
		if (o->v == V_NONE)
			return 0;
		*first = m->val.v[o->v].color + o->word;
		return 1;
	case MO_PRED:
		*first = RES_PRED + (o->v == V_TRUE ? 7 : m->val.v[o->v].color);
		return o->v != V_TRUE;
	case MO_TEXT:
		*first = !strcmp(o->text, "R1")     ? 1
			 : issue_is_kept_uniform(o) ? RES_UNIFORM
						    : RES_UNIFORM2;
		return !strcmp(o->text, "R1") || issue_is_uniform(o);
	default: return 0;
	}
}

static bool uses_descriptor(const struct mi *in)
{
	for (unsigned i = 0; i < in->n; i++)
		if (in->o[i].kind == MO_MEM && in->o[i].bank)
			return true;
	return false;
}

static unsigned consumer_of(unsigned pipe)
{
	switch (pipe) {
	case ALU: return BY_ALU;
	case FMA:
	case WIDE:
	case HIGH: return BY_FMA;
	case DOUBLE: return BY_FP64;
	case MATRIX:
	case GROUP: return BY_MATRIX;
	default: return BY_OTHER;
	}
}

/* Cycles until a product of matrices can be read. */
static unsigned matrix_latency(const struct mi *in)
{
	static const struct {
		const char *part;
		uint8_t cycles;
	} row[] = {{"IMMA.8816", 13},  {"IMMA.16816", 17},  {"IMMA.16832", 25},
		   {"BMMA.88128", 13}, {"HMMA.16816.", 25}, {"HMMA.1688.F", 18}};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (!strncmp(in->name, row[i].part, strlen(row[i].part)) &&
		    !strstr(in->name, "TF32"))
			return row[i].cycles;
	return 36;
}

/* True for instructions of the uniform datapath without a uniform result. */
static bool issue_keeps_text(const struct mi *in)
{
	return !strncmp(in->name, "UBLK", 4) || !strncmp(in->name, "UTMA", 4) ||
	       mi_is(in, "SYNCS") || mi_is(in, "ARRIVES");
}

/* True if the instruction changes asynchronous state without a register result: the next barrier or
 * copy waits for it. */
static bool changes_async(const struct mi *in)
{
	return mi_is(in, "FENCE") || !strncmp(in->name, "SYNCS.EXCH", 10);
}

static bool waits_async(const struct mi *in)
{
	return issue_keeps_text(in) || mi_is(in, "BAR") || mi_is(in, "FENCE") || mi_is(in, "EXIT");
}

int issue_own_counter(const struct mi *in)
{
	return mi_is(in, "LDGDEPBAR") ? 0 : mi_is(in, "UTMACMDFLUSH") ? 1 : -1;
}

/* True for a result in the place of a source: the uniform register that REDUX or ULDC writes, or
 * the stack pointer. */
static bool writes_text(const struct mi *in, unsigned i)
{
	if (mi_is(in, "R2UR"))
		return in->o[i].kind == MO_TEXT;
	if (mi_is(in, "DEPBAR") || issue_keeps_text(in))
		return false;
	return i == 0 && in->o[0].kind == MO_TEXT &&
	       (mi_is(in, "ULDC") || mi_is(in, "REDUX") || mi_is(in, "LDC") || in->nd == 0) &&
	       !mi_is(in, "BSSY") && !mi_is(in, "BSYNC");
}

/* WARPGROUP.ARRIVE waits until the registers are written that products may read. */
static void read_operands_of_groups(struct issue *x, const struct mfunc *m, const struct mi *in)
{
	unsigned first = 0, end = 0;
	if (strcmp(in->name, "WARPGROUP.ARRIVE"))
		return;
	for (size_t v = 0; v < m->val.n; v++) {
		const struct mval *o = &m->val.v[v];
		if (!o->group || o->color == 255)
			continue;
		first = end && first < o->color ? first : o->color;
		end = end > o->color + (unsigned)o->words ? end : o->color + (unsigned)o->words;
	}
	end = end < RES_PRED - 1 ? end : RES_PRED - 1;
	if (end > first)
		note_access(x->read, &x->nread, MOST_READS, first, end - first, false);
}

void issue_find(struct issue *x, const struct mfunc *m, const struct mi *in)
{
	*x = (struct issue){.stall = 1};
	if (!in->name)
		return;
	x->pipe = (uint8_t)pipe_of(in);
	x->counted = x->pipe == COUNTED || x->pipe == ASYNC;
	x->wall = x->pipe == WALL;
	x->consumer = (uint8_t)consumer_of(x->pipe);
	if (x->pipe == MATRIX)
		x->matrix = (uint8_t)matrix_latency(in);
	/* the unit of doubles reads a predicate as late as a guard is needed early */
	bool control = x->pipe == BRANCH || x->pipe == VOTES || x->pipe == DOUBLE || x->counted;
	for (unsigned i = 0; i < in->n; i++) {
		unsigned first, n = resources_of(m, in, &in->o[i], &first);
		if (!n)
			continue;
		if (i < in->nd || writes_text(in, i))
			note_access(x->write, &x->nwrite, MOST_WRITES, first, n, false);
		else
			note_access(x->read, &x->nread, MOST_READS, first, n,
				    control && in->o[i].kind == MO_PRED);
	}
	if (in->guard != V_TRUE)
		note_access(x->read, &x->nread, MOST_READS, RES_PRED + m->val.v[in->guard].color, 1,
			    true);
	if (uses_descriptor(in))
		note_access(x->read, &x->nread, MOST_READS, RES_UNIFORM, 1, false);
	if (waits_async(in) && !changes_async(in))
		note_access(x->read, &x->nread, MOST_READS, RES_ASYNC, 1, false);
	if (changes_async(in))
		note_access(x->write, &x->nwrite, MOST_WRITES, RES_ASYNC, 1, false);
	if (mi_is(in, "BAR") && strstr(in->name, ".RED"))
		note_access(x->write, &x->nwrite, MOST_WRITES, RES_BARRIER, 1, false);
	if (mi_is(in, "B2R"))
		note_access(x->read, &x->nread, MOST_READS, RES_BARRIER, 1, false);
	if (x->pipe == BRANCH)
		x->stall = mi_is(in, "BSSY") ? 1 : mi_is(in, "BAR") ? 6 : 5;
	if (x->pipe == GROUP)
		x->stall = 3;
	if (mi_is(in, "WARPGROUP")) {
		x->stall = 6;
		read_operands_of_groups(x, m, in);
	}
	if (x->wall)
		x->stall = 6;
	if (x->counted)
		x->stall = 2;
}

unsigned issue_latency(const struct issue *p, unsigned res, unsigned consumer)
{
	if (res >= RES_PRED && res < RES_UNIFORM) {
		if (consumer == BY_GUARD)
			return p->pipe == DOUBLE ? 14 : 13;
		return p->pipe == HIGH || p->pipe == WIDE     ? 9
		       : p->pipe == DOUBLE                    ? 6
		       : p->pipe == ALU && consumer == BY_ALU ? 4
							      : 5;
	}
	if (p->pipe == GROUP) /* flight.c waits for it */
		return 0;
	if (consumer == BY_MATRIX &&
	    p->pipe != MATRIX) /* reads its operands two cycles earlier than other units */
		return issue_latency(p, res, BY_OTHER) + 2;
	switch (p->pipe) {
	case ALU: return consumer == BY_ALU ? 4 : consumer == BY_FP64 ? 6 : 5;
	case FMA: return consumer == BY_FMA ? 4 : consumer == BY_FP64 ? 6 : 5;
	case WIDE:
	case HIGH: return consumer == BY_FP64 ? 6 : 5;
	case HALF:
	case VOTES: return consumer == BY_FP64 ? 6 : 5;
	case DOUBLE: return consumer == BY_FP64 ? 8 : 10;
	case CLOCK: return 10;
	case MATRIX: return p->matrix + (consumer == BY_MATRIX ? 3 : 0);
	case UNIFORM: return 12;
	case TO_UNIFORM: return 13;
	case BRANCH: return 6;
	default: return 6;
	}
}

bool issue_is_fence(const struct issue *x)
{
	return x->pipe == BRANCH || x->pipe == WALL || x->pipe == CLOCK || x->pipe == UNIFORM ||
	       x->pipe == ASYNC;
}
