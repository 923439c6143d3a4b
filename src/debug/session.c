/* When a launch stops, and how it is run again: see debug.h. The launch runs in the caller's
 * thread; before each instruction that the user sees, look() is called and executes the user's
 * commands. */
#include "debug/session.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>
#include "check/check.h"
#include "debug/packet.h"
#include "devmem/heap.h"

/* Limit of the device memory that is saved at a launch's start, in bytes; instructions between two
 * checks for a request to stop. */
enum { KEEP_MOST = 1 << 30, LISTEN_EVERY = 4096 };

struct debug *debug_new(bool gdb, int in, int out)
{
	struct debug *d = xcalloc(1, sizeof *d);
	d->in = in;
	d->out = out;
	d->gdb = gdb;
	if (gdb)
		d->packets = packets_new();
	else
		d->lines = fdopen(dup(in), "r");
	d->detached = !gdb && !d->lines;
	d->go = GO_TO;
	d->target = 1;
	return d;
}

static void drop_saved(struct debug *d)
{
	for (size_t i = 0; i < d->saved.n; i++)
		free(d->saved.v[i].copy);
	vec_free(&d->saved);
	free(d->heap_blocks);
	free(d->heap_bits);
	d->heap_blocks = NULL;
	d->heap_bits = NULL;
}

void debug_end(struct debug *d)
{
	if (d && d->gdb && !d->detached)
		gdb_ended(d);
	if (d)
		d->detached = true;
}

void debug_free(struct debug *d)
{
	if (!d)
		return;
	debug_end(d);
	drop_saved(d);
	for (size_t i = 0; i < d->breaks.n; i++)
		place_free(&d->breaks.v[i]);
	vec_free(&d->breaks);
	vec_free(&d->known);
	packets_free(d->packets);
	if (d->lines)
		fclose(d->lines);
	free(d->last_line);
	free(d->trouble);
	free(d->at);
	free(d);
}

bool debug_killed(const struct debug *d) { return d->killed; }

void debug_forget(struct debug *d, const struct image *img)
{
	for (size_t i = 0; d && i < d->known.n; i++)
		if (d->known.v[i].img == img)
			d->known.v[i].img = NULL;
}

bool session_write(struct debug *d, const char *data, size_t n)
{
	while (n && !d->detached) {
		ssize_t k = write(d->out, data, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0) {
			d->detached = true;
			return false;
		}
		data += k;
		n -= (size_t)k;
	}
	return !d->detached;
}

/* ---- the launch's start ---- */

static size_t heap_words(const struct heap *h)
{
	return (h->region->size + HEAP_CHUNK - 1) / HEAP_CHUNK;
}

static void keep_heap(struct debug *d)
{
	struct heap *h = d->gpu->heap;
	if (!h->region)
		return;
	size_t n = heap_words(h);
	d->heap_nblocks = h->blocks.n;
	d->heap_first = h->first_free;
	d->heap_blocks = xmalloc((h->blocks.n + 1) * sizeof *d->heap_blocks);
	memcpy(d->heap_blocks, h->blocks.v, h->blocks.n * sizeof *d->heap_blocks);
	d->heap_bits = xmalloc(2 * n * sizeof *d->heap_bits);
	for (size_t i = 0; i < n; i++) {
		d->heap_bits[i] = atomic_load(&h->used[i]);
		d->heap_bits[n + i] = atomic_load(&h->start[i]);
	}
}

static void restore_heap(struct debug *d)
{
	struct heap *h = d->gpu->heap;
	if (!h->region || !d->heap_bits)
		return;
	size_t n = heap_words(h);
	vec_reserve(&h->blocks, d->heap_nblocks);
	h->blocks.n = d->heap_nblocks;
	memcpy(h->blocks.v, d->heap_blocks, d->heap_nblocks * sizeof *d->heap_blocks);
	h->first_free = d->heap_first;
	for (size_t i = 0; i < n; i++) {
		atomic_store(&h->used[i], d->heap_bits[i]);
		atomic_store(&h->start[i], d->heap_bits[n + i]);
	}
}

static uint64_t bytes_of(const struct alloc *a)
{
	if (a->freed || !a->host)
		return 0;
	return a->kind == ALLOC_DEVICE && a->mapped < a->size ? a->mapped : a->size;
}

static void keep_start(struct debug *d)
{
	const struct devmem *m = d->gpu->mem;
	uint64_t bytes = 0;
	drop_saved(d);
	d->no_way_back = NULL;
	for (size_t i = 0; i < m->allocs.n; i++)
		bytes += bytes_of(m->allocs.v[i]);
	if (bytes > KEEP_MOST) {
		d->no_way_back = "the program uses more than 1 GiB of memory, of which no copy was "
				 "made when the launch began";
		return;
	}
	for (size_t i = 0; i < m->allocs.n; i++) {
		const struct alloc *a = m->allocs.v[i];
		struct saved s = {a->lo, bytes_of(a), NULL};
		if (!s.bytes)
			continue;
		s.copy = xmalloc(s.bytes);
		memcpy(s.copy, a->host, s.bytes);
		vec_push(&d->saved, s);
	}
	keep_heap(d);
}

static void restore_start(struct debug *d)
{
	for (size_t i = 0; i < d->saved.n; i++) {
		struct alloc *a = devmem_find(d->gpu->mem, d->saved.v[i].lo);
		/* the kernel may not have touched these pages: a system call would fault on them,
		 * and equal pages are left alone */
		if (a && memcmp(a->host, d->saved.v[i].copy, d->saved.v[i].bytes))
			memcpy(a->host, d->saved.v[i].copy, d->saved.v[i].bytes);
	}
	restore_heap(d);
}

/* ---- printf of a launch that is run again ---- */

static void pass_output(void *arg, const char *text, size_t n)
{
	struct debug *d = arg;
	uint64_t from = d->said, to = d->said += n;
	if (to <= d->passed)
		return;
	size_t skip = from < d->passed ? (size_t)(d->passed - from) : 0;
	d->passed = to;
	if (d->output) {
		d->output(d->output_arg, text + skip, n - skip);
	} else {
		fwrite(text + skip, 1, n - skip, stdout);
		fflush(stdout);
	}
}

/* ---- stops ---- */

static bool is_who(const struct debug *d)
{
	return d->cta->index == d->who.block && d->warp == d->who.warp;
}

static uint16_t depth_of(const struct cta *b, uint32_t warp)
{
	return reconv_top(&fblock_of(b)->warp[warp].stack)->frame.depth;
}

static bool warp_has_ended(const struct debug *d)
{
	const struct cta *b = view_block(d, d->who.block);
	return !b || !fblock_of(b)->warp[d->who.warp].stack.n;
}

/* True if the requested step is complete before this instruction. */
static bool step_ends(struct debug *d)
{
	uint32_t file, line;
	if (!is_who(d))
		return warp_has_ended(d);
	if (!d->began) {
		d->began = true;
		return false;
	}
	switch (d->go) {
	case GO_STEP: return --d->count == 0;
	case GO_NEXT: return depth_of(d->cta, d->warp) <= d->depth && --d->count == 0;
	case GO_LINE:
		place_line(d->l->img, d->pc, &file, &line);
		return line && (line != d->line || file != d->line_file);
	default: return false;
	}
}

static bool open_session(struct debug *d)
{
	if (atomic_load(d->gpu->interrupt)) {
		atomic_store(d->gpu->interrupt, false);
		atomic_store(d->gpu->interrupted_at, 0);
		return true;
	}
	return d->gdb && d->step % LISTEN_EVERY == 0 && gdb_interrupts(d);
}

static void serve_client(struct debug *d, enum stop_why why)
{
	d->why = why;
	d->chosen = (struct who){d->cta->index, d->warp};
	d->told_of = d->chosen;
	struct lanes_at a;
	struct fwarp *fw = view_chosen(d);
	if (view_lanes(d, fw, &a, 1) && !(a.lanes >> d->lane & 1))
		d->lane = (uint32_t)__builtin_ctz(a.lanes);
	d->go = GO_FREE;
	if (d->gdb)
		gdb_serve(d);
	else
		prompt_serve(d);
	if (d->detached &&
	    !d->killed) /* after GDB has disconnected, nobody could resume the launch */
		d->go = d->again ? d->go : GO_FREE;
	place_look(d);
}

/* The silent part of a run: up to instruction `target`. */
static void look_silently(struct debug *d)
{
	bool arrived = d->step >= d->target;
	if (d->go == GO_SCAN && !arrived) {
		const struct breakpoint *hit = d->scan_steps ? NULL : place_hit(d);
		if (d->scan_steps ? is_who(d) : hit != NULL)
			d->found = d->step;
		if (hit) {
			d->number = hit->number;
			d->found_why = hit->kind == BREAK_WATCH ? STOPPED_WATCH : STOPPED_BREAK;
		}
	} else if (d->go == GO_SCAN) {
		d->go = GO_TO;
		d->target = d->found ? d->found : 1;
		d->again = true;
	} else if (arrived) {
		enum stop_why why = d->trouble       ? STOPPED_FAULT
				    : !d->started    ? STOPPED_START
				    : d->found       ? d->found_why
				    : d->target == 1 ? STOPPED_BEGIN
						     : STOPPED_STEP;
		d->started = true;
		d->found = 0;
		serve_client(d, why);
		free(d->trouble);
		d->trouble = NULL;
	}
}

static bool look(void *arg, struct cta *b, uint32_t warp, uint32_t pc)
{
	struct debug *d = arg;
	if (d->again || d->killed)
		return true;
	d->step++;
	d->cta = b;
	d->warp = warp;
	d->pc = pc;
	if (d->detached)
		return false;
	if (d->go == GO_TO || d->go == GO_SCAN) {
		look_silently(d);
	} else {
		struct breakpoint *hit = place_hit(d);
		bool key = open_session(d), stepped = d->go != GO_FREE && step_ends(d);
		if (hit) {
			hit->hits++;
			d->number = hit->number;
		}
		if (hit || key || stepped)
			serve_client(d,
				     hit ? hit->kind == BREAK_WATCH ? STOPPED_WATCH : STOPPED_BREAK
				     : key ? STOPPED_KEY
					   : STOPPED_STEP);
	}
	if (d->again || d->killed)
		atomic_store(d->gpu->interrupt, true);
	return d->again || d->killed;
}

/* ---- requests ---- */

const char *session_go(struct debug *d, enum go go, uint64_t count)
{
	d->go = go;
	d->killed = go == GO_KILL;
	d->who = d->chosen;
	d->count = count;
	const struct cta *b = view_block(d, d->who.block);
	d->depth = b && fblock_of(b)->warp[d->who.warp].stack.n ? depth_of(b, d->who.warp) : 0;
	struct lanes_at a;
	d->line = d->line_file = 0;
	if (b && view_lanes(d, &fblock_of(b)->warp[d->who.warp], &a, 1))
		place_line(d->l->img, a.pc, &d->line_file, &d->line);
	/* for the running warp, the next look() is after its instruction; for another warp, before
	 * one */
	d->began = is_who(d);
	return NULL;
}

const char *session_goto(struct debug *d, uint64_t step)
{
	if (step <= d->step && d->no_way_back)
		return d->no_way_back;
	if (!step)
		return "the launch's first instruction is number 1";
	d->go = GO_TO;
	d->target = step;
	if (step <= d->step) {
		d->again = true;
		d->told = false;
	}
	return NULL;
}

const char *session_back(struct debug *d, bool one_step)
{
	if (d->no_way_back)
		return d->no_way_back;
	d->who = d->chosen;
	d->go = GO_SCAN;
	d->target = d->step;
	d->found = 0;
	d->found_why = STOPPED_STEP;
	d->scan_steps = one_step;
	d->told = false;
	d->again = true;
	return NULL;
}

/* ---- a launch ---- */

static void know_image(struct debug *d, const struct image *img)
{
	uint64_t at = CODE_BASE;
	for (size_t i = 0; i < d->known.n; i++) {
		if (d->known.v[i].img == img)
			return;
		at = d->known.v[i].base + d->known.v[i].bytes;
	}
	uint64_t bytes = (uint64_t)img->ncode * 16;
	for (uint32_t pc = 0; pc < img->ncode; pc++)
		if (img->code[pc].in->native && img->code[pc].in->native_pc + 16ull > bytes)
			bytes = img->code[pc].in->native_pc + 16ull;
	vec_push(&d->known, ((struct known){img, at, (bytes + 0xffff) & ~0xffffull}));
}

static void begin_run(struct debug *d)
{
	d->step = d->said = 0;
	d->again = false;
	d->cta = NULL;
	for (size_t i = 0; i < d->breaks.n; i++)
		d->breaks.v[i].seen = false;
}

static void result_free(struct grid_result *r)
{
	free(r->issued);
	free(r->lanes);
	free(r->divergent);
	free(r->why);
}

/* True if the debugger stops at the failure: a failed launch stops there if that point can be
 * reached again. */
static bool shows_trouble(struct debug *d, const struct grid_result *r)
{
	const char *text = r->stop == STOP_FAULT ? r->fault.text : r->why;
	if (!text || d->told || d->detached || d->killed || d->no_way_back || !d->step)
		return false;
	free(d->trouble);
	d->trouble = xstrdup(text);
	d->told = true;
	d->go = GO_TO;
	d->target = d->step;
	return true;
}

void debug_run(struct debug *d, const struct debug_gpu *gpu, struct launch *l,
	       const struct grid_opts *o, struct grid_result *r)
{
	if (d->l) { /* a launch inside another one, which waits for it */
		grid_run(l, o, r);
		return;
	}
	d->gpu = gpu;
	d->l = l;
	d->launches++;
	d->output = l->output;
	d->output_arg = l->output_arg;
	d->passed = 0;
	d->told = false;
	l->output = pass_output;
	l->output_arg = d;
	l->debug = look;
	l->debug_arg = d;
	if (d->go == GO_STEP || d->go == GO_NEXT ||
	    d->go == GO_LINE) { /* the launch of the stepped warp has ended */
		d->go = GO_TO;
		d->target = 1;
	}
	know_image(d, l->img);
	if (!d->detached)
		keep_start(d);
	place_mark(d);
	for (bool more = !d->killed; more;) {
		begin_run(d);
		grid_run(l, o, r);
		more = d->again || shows_trouble(d, r);
		if (!more)
			break;
		atomic_store(gpu->interrupt, false);
		atomic_store(gpu->interrupted_at, 0);
		result_free(r);
		restore_start(d);
		gpu->restart(l);
	}
	if (d->go == GO_TO && d->target > 1) /* beyond the launch's end */
		d->go = GO_FREE;
	l->output = d->output;
	l->output_arg = d->output_arg;
	l->debug = NULL;
	d->l = NULL;
	d->cta = NULL;
	drop_saved(d);
}
