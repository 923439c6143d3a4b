/* Instructions by address, kernel or source line, and breakpoints at them: see debug.h. */
#include "debug/session.h"

#include <ctype.h>
#include <stdlib.h>
#include "base/mangled.h"
#include "check/check.h"
#include "ir/print.h"

static uint64_t base_of(const struct debug *d, const struct image *img)
{
	for (size_t i = 0; i < d->known.n; i++)
		if (d->known.v[i].img == img)
			return d->known.v[i].base;
	return CODE_BASE;
}

static uint64_t offset_of(const struct image *img, uint32_t pc)
{
	const struct inst *in = img->code[pc].in;
	return in->native ? in->native_pc : pc * 16ull;
}

uint64_t place_address(const struct debug *d, uint32_t pc)
{
	return base_of(d, d->l->img) + offset_of(d->l->img, pc);
}

uint32_t place_pc(const struct debug *d, uint64_t addr)
{
	const struct image *img = d->l->img;
	uint64_t at = addr - base_of(d, img);
	for (uint32_t pc = 0; pc < img->ncode; pc++)
		if ((img->code[pc].flags & UOP_SHOWN) && offset_of(img, pc) == at)
			return pc;
	return NO_PC;
}

void place_line(const struct image *img, uint32_t pc, uint32_t *file, uint32_t *line)
{
	const struct inst *in = img->code[pc].in;
	*file = in->src_file;
	*line = in->src_file ? in->src_line : in->native ? 0 : in->line;
}

void place_instruction(FILE *f, const struct image *img, uint32_t pc)
{
	const struct inst *in = img->code[pc].in;
	if (in->native)
		fprintf(f, "%s", in->native);
	else
		inst_print(f, view_func(img, pc)->f, in);
}

void place_print(FILE *f, const struct debug *d, const struct fwarp *fw, const struct lanes_at *a)
{
	const struct cta *b = fw->ws->w.cta;
	const struct image *img = d->l->img;
	const struct image_func *fn = view_func(img, a->pc);
	char lanes[100], at[PLACE_TEXT];
	check_where(img, a->pc, at, sizeof at);
	fprintf(f, "%s, block (%u,%u,%u), warp %u, lanes %s, at %s", plain_name(fn->f->name).text,
		b->ctaid[0], b->ctaid[1], b->ctaid[2], fw->ws->w.id,
		check_lanes(lanes, sizeof lanes, a->lanes), at);
	if (!img->code[a->pc].in->native && img->code[a->pc].in->src_line)
		fprintf(f, ", PTX line %u", img->code[a->pc].in->line);
	fprintf(f, "\n  0x%llx: ", (unsigned long long)place_address(d, a->pc));
	place_instruction(f, img, a->pc);
	fputc('\n', f);
}

/* ---- breakpoints ---- */

static const char *file_of(const struct image *img, const struct inst *in)
{
	const struct module *m = img->kernel->module;
	return in->src_file && in->src_file <= m->files.n ? m->files.v[in->src_file - 1] : NULL;
}

/* True if `name` is the path, or its end after a slash. */
static bool ends_with_name(const char *path, const char *name, size_t n)
{
	size_t len = path ? strlen(path) : 0;
	return len >= n && n && !memcmp(path + len - n, name, n) &&
	       (len == n || path[len - n - 1] == '/');
}

static bool is_at_line(const struct image *img, uint32_t pc, const char *file, size_t n,
		       uint32_t line)
{
	const struct inst *in = img->code[pc].in;
	const char *path = file_of(img, in);
	if (path && in->src_line == line && ends_with_name(path, file, n))
		return true;
	return !in->native && in->line == line &&
	       (!n || ends_with_name(view_func(img, pc)->f->text_name, file, n));
}

/* Marks the first instructions of runs at the line. */
static bool mark_line(const struct debug *d, const char *text, uint8_t *at)
{
	const struct image *img = d->l->img;
	const char *colon = strrchr(text, ':'), *digits = colon ? colon + 1 : text;
	size_t n = colon ? (size_t)(colon - text) : 0;
	char *end;
	unsigned long line = strtoul(digits, &end, 10);
	bool found = false, before = false;
	if (!isdigit((unsigned char)*digits) || *end)
		return false;
	for (uint32_t pc = 0; pc < img->ncode; pc++) {
		bool here = is_at_line(img, pc, text, n, (uint32_t)line);
		if (here && !before && (img->code[pc].flags & UOP_SHOWN)) {
			at[pc] = 1;
			found = true;
		}
		before = here;
	}
	return found;
}

static bool is_named(const struct func *f, const char *text)
{
	return !strcmp(f->name, text) || !strcmp(plain_name(f->name).text, text);
}

static bool mark_function(const struct debug *d, const char *text, uint8_t *at)
{
	const struct image *img = d->l->img;
	bool found = false;
	for (uint32_t i = 1; i < img->nfuncs; i++)
		if (is_named(img->funcs[i].f, text) && img->funcs[i].start < img->funcs[i].end)
			at[img->funcs[i].start] = found = true;
	return found;
}

/* Marks the breakpoint's instructions in the present launch's image; false: there are none. */
static bool mark_break(const struct debug *d, const struct breakpoint *b, uint8_t *at)
{
	if (b->kind != BREAK_CODE)
		return false;
	uint64_t addr = b->addr;
	if (b->place && *b->place == '*')
		addr = strtoull(b->place + 1, NULL, 0);
	if (addr || (b->place && *b->place == '*')) {
		uint32_t pc = place_pc(d, addr);
		if (pc != NO_PC)
			at[pc] = 1;
		return pc != NO_PC;
	}
	return mark_line(d, b->place, at) || mark_function(d, b->place, at);
}

void place_mark(struct debug *d)
{
	free(d->at);
	d->at = xcalloc(d->l->img->ncode + 1, 1);
	for (size_t i = 0; i < d->breaks.n; i++)
		mark_break(d, &d->breaks.v[i], d->at);
}

void place_free(struct breakpoint *b) { free(b->place); }

bool place_remove(struct debug *d, unsigned number)
{
	for (size_t i = 0; i < d->breaks.n; i++)
		if (d->breaks.v[i].number == number) {
			place_free(&d->breaks.v[i]);
			memmove(&d->breaks.v[i], &d->breaks.v[i + 1],
				(--d->breaks.n - i) * sizeof *d->breaks.v);
			place_mark(d);
			return true;
		}
	return false;
}

static bool is_word(const char *s) { return isalpha((unsigned char)*s) || *s == '_' || *s == '$'; }

struct breakpoint *place_break(struct debug *d, const char *text, char *why, size_t n)
{
	struct breakpoint b = {.kind = BREAK_CODE, .place = xstrdup(text)};
	uint8_t *at = xcalloc(d->l->img->ncode + 1, 1);
	bool here = mark_break(d, &b, at), name = is_word(text) && !strchr(text, ':');
	if (!here && name)
		b.kind = BREAK_KERNEL;
	free(at);
	if (*text == '*' && !here)
		snprintf(why, n, "%s: no instruction of %s has this address", text,
			 plain_name(d->l->img->kernel->name).text);
	else if (!here && !name && !strchr(text, ':') && !isdigit((unsigned char)*text))
		snprintf(why, n, "%s: expected KERNEL, FUNCTION, FILE:LINE, LINE or *ADDRESS",
			 text);
	else {
		b.number = ++d->numbers;
		vec_push(&d->breaks, b);
		place_mark(d);
		bool this_kernel = name && is_named(d->l->img->kernel, text);
		if (!here && !this_kernel)
			snprintf(why, n, "not in this kernel; later launches will be searched");
		else
			*why = 0;
		return &d->breaks.v[d->breaks.n - 1];
	}
	free(b.place);
	return NULL;
}

static uint64_t watched_value(struct debug *d, const struct breakpoint *b)
{
	uint64_t v = 0;
	struct who was = d->chosen;
	d->chosen = (struct who){d->cta->index, d->warp};
	view_read(d, b->addr, &v, b->size);
	d->chosen = was;
	return v;
}

static bool watch_changes(struct debug *d, struct breakpoint *b)
{
	bool shared = b->addr < HEAP_BASE;
	uint64_t v = watched_value(d, b);
	bool changed = b->seen && v != b->old && !(shared && b->old_block != d->cta->index);
	b->old = v;
	b->old_block = d->cta->index;
	b->seen = true;
	return changed;
}

static bool stops_at(const struct debug *d, const struct breakpoint *b)
{
	if ((b->one_block && b->who.block != d->cta->index) ||
	    (b->one_warp && b->who.warp != d->warp))
		return false;
	if (b->kind == BREAK_KERNEL)
		return d->step == 1 && is_named(d->l->img->kernel, b->place);
	uint8_t *at = xcalloc(d->l->img->ncode + 1, 1);
	mark_break(d, b, at);
	bool yes = at[d->pc];
	free(at);
	return yes;
}

struct breakpoint *place_hit(struct debug *d)
{
	struct breakpoint *hit = NULL;
	for (size_t i = 0; i < d->breaks.n; i++) { /* every watchpoint compares its bytes */
		struct breakpoint *b = &d->breaks.v[i];
		if (b->kind == BREAK_WATCH
			    ? watch_changes(d, b)
			    : (b->kind == BREAK_KERNEL ? d->step == 1 : d->at[d->pc]) &&
				      stops_at(d, b))
			hit = hit ? hit : b;
	}
	return hit;
}

void place_look(struct debug *d)
{
	for (size_t i = 0; d->cta && i < d->breaks.n; i++)
		if (d->breaks.v[i].kind == BREAK_WATCH)
			watch_changes(d, &d->breaks.v[i]);
}
