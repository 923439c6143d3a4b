/* Writes the calls into which code is inlined into the PTX, so that messages can name them. clang
 * is asked for debug information of lines and functions, and each .loc gets the attributes that
 * nvcc writes. The debug sections and their labels are removed to keep the PTX short.
 *
 *   .loc 1 4 29                                                       the call of outer
 *   .loc 1 2 56, function_name $L__info_string0, inlined_at 1 4 29    outer, called in k, calls ...
 *   .loc 1 1 66, function_name $L__info_string1, inlined_at 1 2 56    ... inner, whose code follows
 *
 * The range of a call reaches from its first to its last instruction and may contain instructions
 * of other code. So code belongs to a call if it is in the range and its line is one of the called
 * function; if that is true of several calls, the .loc gets no attributes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "nvcc/debug_info.h"
#include "command/command.h"

struct inlined {
	struct debug_info d;
	size_t *end;      /* per call: index of the next call that is not part of it */
	uint32_t *string; /* per function: index + 1 of its name's string; 0: not used */
	uint32_t strings;
	int32_t last; /* call of the previous .loc; -1: none */
	FILE *out;
};

void cc_inlined_flags(struct words *w)
{
	static const char *const flag[] = {"-debug-info-kind=line-tables-only",
					   "-fdebug-info-for-profiling"};
	for (size_t i = 0; i < sizeof flag / sizeof *flag; i++) {
		words_add(w, "-Xclang");
		words_add(w, flag[i]);
	}
}

/* Finds the end of each call's subtree. The calls are in preorder, so that subcalls follow their
 * call. */
static bool find_ends(struct inlined *x)
{
	x->end = malloc((x->d.calls + 1) * sizeof *x->end);
	x->string = calloc(x->d.functions + 1, sizeof *x->string);
	if (!x->end || !x->string)
		return false;
	for (size_t i = 0; i < x->d.calls; i++)
		x->end[i] = i + 1;
	for (size_t i = x->d.calls; i--;)
		if (x->d.call[i].up >= 0 && x->end[x->d.call[i].up] < x->end[i])
			x->end[x->d.call[i].up] = x->end[i];
	return true;
}

static bool same_lines(const struct debug_function *a, const struct debug_function *b)
{
	return a && b && a->file == b->file && a->line == b->line;
}

/* Returns the only call whose code may be at this place of the text; -1: the function's own code,
 * or ambiguous. */
static int32_t call_at(const struct inlined *x, size_t at, const struct debug_place *p)
{
	const struct debug_function *owner = debug_owner(&x->d, p->file, p->line);
	int32_t found = -1;
	for (size_t i = 0; owner && i < x->d.calls;) {
		const struct debug_call *c = &x->d.call[i];
		bool here = at >= c->low && at < c->high;
		if (here && same_lines(owner, debug_function(&x->d, c->of))) {
			if (found >= 0)
				return -1;
			found = (int32_t)i;
		}
		i = here ? i + 1 : x->end[i];
	}
	return found >= 0 && x->d.call[found].up >= 0 ? found : -1;
}

/* Writes the .loc of code at p in call c, and of the calls that contain c. ptxas refuses an inlined_at whose
 * place no .loc before it has. */
static void write_loc(struct inlined *x, const struct debug_place *p, int32_t c)
{
	const struct debug_call *call = &x->d.call[c];
	const struct debug_function *f = debug_function(&x->d, call->of);
	if (x->d.call[call->up].up >= 0 && x->last != c)
		write_loc(x, &call->at, call->up);
	else if (x->last != c)
		fprintf(x->out, "\t.loc\t%u %u %u\n", call->at.file, call->at.line,
			call->at.column);
	uint32_t *string = &x->string[f - x->d.function];
	if (!*string)
		*string = ++x->strings;
	fprintf(x->out, "\t.loc\t%u %u %u, function_name $L__info_string%u, inlined_at %u %u %u\n",
		p->file, p->line, p->column, *string - 1, call->at.file, call->at.line,
		call->at.column);
	x->last = c;
}

static bool is_debug_label(const char *line)
{
	static const char *const name[] = {"tmp", "func_begin", "func_end"};
	const char *p = *line == 'L' ? line + 1 : !strncmp(line, "$L__", 4) ? line + 4 : "";
	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		size_t n = strlen(name[i]);
		if (!strncmp(p, name[i], n)) {
			p += n + strspn(p + n, "0123456789");
			return p[0] == ':' && p[1] == '\n';
		}
	}
	return false;
}

static void write_strings(const struct inlined *x)
{
	if (!x->strings)
		return;
	fputs("\t.section\t.debug_str\n\t{\n", x->out);
	for (size_t i = 0; i < x->d.functions; i++) {
		if (!x->string[i])
			continue;
		fprintf(x->out, "$L__info_string%u:\n.b8 ", x->string[i] - 1);
		for (const char *p = x->d.function[i].name; *p; p++)
			fprintf(x->out, "%u,", (unsigned)(unsigned char)*p);
		fputs("0\n", x->out);
	}
	fputs("\t}\n", x->out);
}

/* Writes `.target sm_70, debug` without `debug`, because the sections for a debugger are
 * removed. */
static bool write_target(const char *line, size_t n, FILE *out)
{
	static const char debug[] = ", debug\n";
	size_t len = sizeof debug - 1;
	if (strncmp(line, ".target ", 8) || n < len || memcmp(line + n - len, debug, len))
		return false;
	fwrite(line, 1, n - len, out);
	fputc('\n', out);
	return true;
}

static bool read_loc(const char *line, struct debug_place *p)
{
	if (strncmp(line, "\t.loc\t", 6))
		return false;
	char *next;
	p->file = (uint32_t)strtoul(line + 6, &next, 10);
	p->line = (uint32_t)strtoul(next, &next, 10);
	p->column = (uint32_t)strtoul(next, &next, 10);
	return *next == '\n';
}

static void rewrite_text(struct inlined *x, const char *text)
{
	bool section = false;
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		n += line[n] == '\n';
		struct debug_place p;
		int32_t c = -1;
		if (!strncmp(line, "\t.section\t.debug", 16))
			section = true;
		if (!section && read_loc(line, &p)) {
			c = call_at(x, (size_t)(line - text), &p);
			if (c >= 0)
				write_loc(x, &p, c);
			x->last = c;
		}
		if (!section && c < 0 && !is_debug_label(line) && !write_target(line, n, x->out))
			fwrite(line, 1, n, x->out);
		if (section && memchr(line, '}', n))
			section = false;
		line += n;
	}
	write_strings(x);
}

bool cc_inlined_calls(const struct cc *cc, const char *ptx)
{
	struct inlined x = {.last = -1};
	size_t n, m = 0;
	char *text = cc->dry_run ? NULL : cc_slurp(ptx, &n), *out = NULL;
	bool ok = true;
	if (text && !strstr(text, "inlined_at") && debug_info_read(&x.d, text) && find_ends(&x) &&
	    (x.out = open_memstream(&out, &m))) {
		rewrite_text(&x, text);
		ok = !fclose(x.out) && cc_spill(ptx, out, m);
	}
	debug_info_free(&x.d);
	free(x.end);
	free(x.string);
	free(out);
	free(text);
	return ok;
}
