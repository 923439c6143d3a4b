/* A kernel's words: the frame, control bits, addresses, the assembler of isa/sm70. */
#include <stdlib.h>
#include <string.h>
#include "back/sm90/code.h"
#include "base/mangled.h"

static struct line line_of(struct mi in)
{
	return (struct line){.in = in, .control = {.write = 7, .read = 7}};
}

/* Allocates the frame: the stack grows down from the address in bank 0. */
static void put_frame(struct code *c)
{
	const struct mfunc *m = c->m;
	if (!m->local && !m->calls)
		return;
	struct mi end = {.name = "MOV",
			 .guard = V_TRUE,
			 .n = 2,
			 .o = {mo_text("R1"), mo_const(0, SM90_STACK)}},
		  frame = {.name = "IADD3",
			   .guard = V_TRUE,
			   .n = 4,
			   .o = {mo_text("R1"), mo_text("R1"),
				 mo_imm((int64_t)(uint32_t)(0u - ((m->local + 15) & ~15u))), ZERO}};
	vec_push(&c->line, line_of(end));
	if (m->local)
		vec_push(&c->line, line_of(frame));
}

/* True for a copy of a register to itself, which needs no instruction. */
static bool is_nothing(const struct mfunc *m, const struct mi *in)
{
	return in->name && !strcmp(in->name, "MOV") && in->nd == 1 && in->o[1].kind == MO_REG &&
	       m->val.v[in->o[0].v].color + in->o[0].word ==
		       m->val.v[in->o[1].v].color + in->o[1].word &&
	       !in->o[1].neg && !in->o[1].inv && !in->o[1].abs;
}

/* True for a branch to the next instruction. */
static bool goes_on(const struct mfunc *m, size_t i)
{
	const struct mi *in = &m->code.v[i];
	if (!in->name || strcmp(in->name, "BRA") || !in->label)
		return false;
	for (i++; i < m->code.n && !m->code.v[i].name; i++)
		if (m->code.v[i].label == in->label - 1)
			return true;
	return false;
}

static void take_code(struct code *c, const struct mfunc *m)
{
	put_frame(c);
	for (size_t i = 0; i < m->code.n; i++)
		if (!is_nothing(m, &m->code.v[i]) && !goes_on(m, i))
			vec_push(&c->line, line_of(m->code.v[i]));
}

enum { WORD_BYTES = 16 };

static uint32_t *find_labels(const struct code *c)
{
	uint32_t *at = xcalloc(c->m->labels + 1, sizeof *at), pc = 0;
	for (size_t i = 0; i < c->line.n; i++)
		if (c->line.v[i].in.name)
			pc += WORD_BYTES;
		else
			at[c->line.v[i].in.label] = pc;
	return at;
}

static void put_word(struct words *w, const struct sm70_inst *in, const struct sm70_control *c)
{
	uint64_t bits = (uint64_t)(c->stall & 15) | (uint64_t)!c->yield << 4 |
			(uint64_t)c->write << 5 | (uint64_t)c->read << 8 | (uint64_t)c->wait << 11 |
			(uint64_t)c->reuse << 17;
	vec_push(&w->word, in->word[0]);
	vec_push(&w->word, (in->word[1] & ((1ull << 41) - 1)) | bits << 41);
}

static bool assemble_line(struct words *w, const char *text, uint32_t pc,
			  const struct sm70_control *c, const char *kernel, struct diag *d)
{
	static const struct sm70_label none = {"", 0, 0};
	struct sm70_inst in;
	char why[256];
	if (!sm70_assemble(90, text, strlen(text), pc, &none, 1, &in, why, sizeof why)) {
		diag_error(d, "kernel %s: the assembler refuses '%s': %s", plain_name(kernel).text,
			   text, why);
		return false;
	}
	put_word(w, &in, c);
	return true;
}

/* The barriers of the block that an instruction may name. */
static unsigned barriers_of(const struct mi *in)
{
	if (!mi_is(in, "BAR"))
		return 0;
	return in->o[0].kind == MO_IMM ? (unsigned)in->o[0].imm + 1 : 16;
}

static bool is_together(const struct mi *in)
{
	return mi_is(in, "SHFL") || mi_is(in, "VOTE") || mi_is(in, "MATCH") || mi_is(in, "REDUX") ||
	       mi_is(in, "WARPSYNC");
}

/* Ends the code with a branch to itself, because the machine fetches beyond the last instruction. */
static bool put_end(struct words *w, const char *kernel, struct diag *d)
{
	static const struct sm70_control idle = {.write = 7, .read = 7, .yield = true};
	char text[SM90_TEXT];
	uint32_t pc = (uint32_t)w->word.n / 2 * WORD_BYTES;
	snprintf(text, sizeof text, "BRA 0x%x", pc);
	bool ok = assemble_line(w, text, pc, &idle, kernel, d);
	while (ok && w->word.n % 16)
		ok = assemble_line(w, "NOP", 0, &idle, kernel, d);
	return ok;
}

void code_words_free(struct words *w)
{
	vec_free(&w->word);
	vec_free(&w->exits);
	vec_free(&w->meets);
	vec_free(&w->calls);
}

bool code_words(const struct mfunc *m, const char *kernel, struct words *w, struct diag *d)
{
	struct code c = {.m = m};
	bool ok = true;
	*w = (struct words){0};
	take_code(&c, m);
	code_control(&c);
	uint32_t *labels = find_labels(&c), pc = 0;
	for (size_t i = 0; i < c.line.n && ok; i++) {
		const struct line *l = &c.line.v[i];
		char text[SM90_TEXT];
		if (!l->in.name)
			continue;
		sm90_text(m, &l->in, labels, text, sizeof text);
		ok = assemble_line(w, text, pc, &l->control, kernel, d);
		if (mi_is(&l->in, "EXIT"))
			vec_push(&w->exits, pc);
		if (mi_is(&l->in, "CALL"))
			vec_push(&w->calls, pc);
		if (is_together(&l->in))
			vec_push(&w->meets, pc);
		w->barriers = barriers_of(&l->in) > w->barriers ? barriers_of(&l->in) : w->barriers;
		pc += WORD_BYTES;
	}
	ok = ok && put_end(w, kernel, d);
	free(labels);
	vec_free(&c.line);
	return ok;
}
