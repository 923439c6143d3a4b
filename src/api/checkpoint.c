/* Checkpoints: a file with the effects of a program's launches, in order. The program is executed
 * again from its start. A launch in the file changes memory as it did when it was saved, without
 * being executed; after the last one, launches are executed. So the host's part of the program,
 * which no checkpoint of the device could contain, is always right: between launches it reads what
 * it read before. A launch is replayed only if its kernel, its parameters and all of memory equal
 * those in the file, so a program with other inputs is refused.
 *
 * 	header   magic, version, hash of the header
 * 	launch   length, hash; kernel, grid, block, shared memory, hash of the parameters; counts per pc;
 * 	launch   pieces of 4 KB that the launch has changed: device address, length, bytes
 * 	...      (kernel to pieces are compressed together)
 *
 * Each launch is appended when it has ended, so the file of a killed run has all earlier launches.
 * An incomplete launch at the file's end is dropped; any other damage is an error. Kernels that
 * print, allocate device memory or launch kernels are always executed. Numbers have the host's byte
 * order, little-endian. */
#include "api/api.h"
#include "api/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include "base/mangled.h"
#include "func/grid.h"
#include "kernel/image.h"
#include "sm/sm.h"

enum { PIECE = 4096, VERSION = 1, NAME = 256 };
static const char magic[8] = "HDLsaved";

struct header {
	char magic[8];
	uint64_t version, hash; /* hash: of the fields before it */
};

struct saved_launch {   /* header of a launch in the file */
	uint64_t bytes; /* compressed, behind this */
	uint64_t plain; /* uncompressed */
	uint64_t hash;  /* of the compressed bytes and the two preceding fields */
};

struct identity { /* identifies a launch */
	char kernel[NAME];
	uint32_t grid[3], block[3], shared, ncode;
	uint64_t params, code, memory; /* hashes; memory: all of it before the launch */
};

struct piece {
	uint64_t addr, bytes;
};

struct checkpoint {
	const char *from, *to; /* names of the files; NULL: not read, not written */
	FILE *in, *out;        /* in: NULL after its last launch */
	uint64_t replayed;     /* launches taken from the file */
	uint64_t memory;       /* hash of memory before the launch */
	VEC(uint64_t) before;  /* hashes of all pieces of memory before the launch */
};

/* ---- hashes ---- */

static uint64_t hash_bytes(uint64_t h, const void *data, size_t n)
{
	const uint8_t *p = data;
	for (uint64_t w; n >= 8; n -= 8, p += 8) {
		memcpy(&w, p, 8);
		h = (h ^ w) * 0x9fb21c651e98df25u;
		h ^= h >> 32;
	}
	for (; n; n--, p++)
		h = (h ^ *p) * 0x9fb21c651e98df25u;
	return h ^ h >> 29;
}

static uint64_t frame_hash(const struct saved_launch *f, const void *data)
{
	return hash_bytes(hash_bytes(1, f, offsetof(struct saved_launch, hash)), data, f->bytes);
}

/* ---- files ---- */

static enum heddle_status open_input(struct heddle *h, struct checkpoint *c)
{
	struct header head;
	c->in = fopen(c->from, "rbe");
	if (!c->in)
		return api_fail(h, HEDDLE_INVALID, "%s: %s", c->from, strerror(errno));
	bool whole = fread(&head, sizeof head, 1, c->in) == 1;
	if (!whole || memcmp(head.magic, magic, sizeof magic) != 0 ||
	    head.hash != hash_bytes(1, &head, offsetof(struct header, hash)))
		return api_fail(h, HEDDLE_INVALID, "%s: not a checkpoint that --save has written",
				c->from);
	if (head.version != VERSION)
		return api_fail(h, HEDDLE_INVALID,
				"%s: a checkpoint of version %llu; this Heddle reads version %d",
				c->from, (unsigned long long)head.version, VERSION);
	return HEDDLE_OK;
}

/* Opens the output: a new file, or the input, which is continued. */
static enum heddle_status open_output(struct heddle *h, struct checkpoint *c)
{
	struct header head = {.version = VERSION};
	bool same = c->from && !strcmp(c->from, c->to);
	c->out = fopen(c->to, same ? "r+be" : "wbe");
	bool good = c->out != NULL;
	if (good && !same) {
		memcpy(head.magic, magic, sizeof magic);
		head.hash = hash_bytes(1, &head, offsetof(struct header, hash));
		good = fwrite(&head, sizeof head, 1, c->out) == 1 && !fflush(c->out);
	}
	if (!good)
		return api_fail(h, HEDDLE_INVALID, "%s: %s", c->to, strerror(errno));
	return HEDDLE_OK;
}

enum heddle_status api_checkpoint_open(struct heddle *h)
{
	const struct heddle_options *o = &h->opt;
	if (!o->save && !o->restore)
		return HEDDLE_OK;
	if (o->check_race || o->check_init)
		return api_fail(
			h, HEDDLE_INVALID,
			"--save and --restore: launches that are not executed cannot be checked "
			"(--check race, init)");
	struct checkpoint *c = h->checkpoint = xcalloc(1, sizeof *c);
	c->from = o->restore;
	c->to = o->save;
	enum heddle_status st = c->from ? open_input(h, c) : HEDDLE_OK;
	return !st && c->to ? open_output(h, c) : st;
}

void api_checkpoint_free(struct heddle *h)
{
	struct checkpoint *c = h->checkpoint;
	if (!c)
		return;
	if (c->in)
		fclose(c->in);
	if (c->out)
		fclose(c->out);
	vec_free(&c->before);
	free(c);
}

/* ---- launches ---- */

/* True for kernels whose effects are all in memory. */
static bool can_replay(const struct image *img)
{
	for (uint32_t i = 0; i < img->nfuncs; i++)
		for (size_t k = 0; k < img->funcs[i].f->calls.n; k++) {
			const struct func *f = img->funcs[i].f->calls.v[k].func;
			f = f && f->def ? f->def : f;
			if (f && f->builtin != BI_NONE && f->builtin != BI_OUT_OF_BOUNDS &&
			    f->builtin != BI_INDEX_END && f->builtin != BI_ASSERTFAIL)
				return false;
		}
	return true;
}

static bool is_kept(const struct alloc *a) { return !a->freed && a->size; }

static uint64_t hash_code(const struct image *img)
{
	uint64_t h = 1;
	for (uint32_t pc = 0; pc < img->ncode; pc++) {
		const struct uop *u = &img->code[pc];
		const uint64_t what[] = {u->in->op, u->in->type, u->in->space, u->in->mods,
					 u->offset};
		h = hash_bytes(h, what, sizeof what);
	}
	return h;
}

/* Notes the hashes of all pieces of memory, and returns the hash of all. */
static uint64_t note_memory(struct heddle *h)
{
	struct checkpoint *c = h->checkpoint;
	c->before.n = 0;
	for (size_t i = 0; i < h->mem.allocs.n; i++) {
		const struct alloc *a = h->mem.allocs.v[i];
		for (uint64_t at = 0; is_kept(a) && at < a->size; at += PIECE) {
			uint64_t n = a->size - at < PIECE ? a->size - at : PIECE;
			vec_push(&c->before, hash_bytes(a->lo + at, a->host + at, n));
		}
	}
	c->memory = hash_bytes(1, c->before.v, c->before.n * sizeof *c->before.v);
	return c->memory;
}

/* note_memory() was called before the launch. */
static struct identity identify(const struct heddle *h, const struct heddle_launch *hl,
				const struct launch *l)
{
	struct identity id = {.shared = hl->shared_bytes, .ncode = l->img->ncode};
	snprintf(id.kernel, sizeof id.kernel, "%s", l->img->kernel->name);
	memcpy(id.grid, hl->grid, sizeof id.grid);
	memcpy(id.block, hl->block, sizeof id.block);
	id.params = hash_bytes(1, l->param.host, l->param.size);
	id.code = hash_code(l->img);
	id.memory = h->checkpoint->memory;
	return id;
}

typedef VEC(uint8_t) bytes;

static void put(bytes *b, const void *data, size_t n)
{
	vec_reserve(b, b->n + n);
	memcpy(b->v + b->n, data, n);
	b->n += n;
}

/* Copies n bytes from *at and advances it; false: fewer bytes are left before `end`. */
static bool take(const uint8_t **at, const uint8_t *end, void *data, size_t n)
{
	if ((size_t)(end - *at) < n)
		return false;
	memcpy(data, *at, n);
	*at += n;
	return true;
}

void api_checkpoint_before(struct heddle *h, const struct launch *l)
{
	struct checkpoint *c = h->checkpoint;
	if (!c || !c->out || !can_replay(l->img))
		return;
	note_memory(h);
}

/* Adds the pieces of memory that have changed. */
static void put_pieces(struct heddle *h, bytes *b)
{
	size_t k = 0;
	for (size_t i = 0; i < h->mem.allocs.n; i++) {
		const struct alloc *a = h->mem.allocs.v[i];
		for (uint64_t at = 0; is_kept(a) && at < a->size; at += PIECE, k++) {
			struct piece p = {a->lo + at, a->size - at < PIECE ? a->size - at : PIECE};
			if (hash_bytes(p.addr, a->host + at, p.bytes) == h->checkpoint->before.v[k])
				continue;
			put(b, &p, sizeof p);
			put(b, a->host + at, p.bytes);
		}
	}
}

enum heddle_status api_checkpoint_after(struct heddle *h, const struct heddle_launch *hl,
					const struct launch *l, const struct prof *counts)
{
	struct checkpoint *c = h->checkpoint;
	if (!c || !c->out || !can_replay(l->img))
		return HEDDLE_OK;
	bytes b = {0};
	struct identity id = identify(h, hl, l);
	put(&b, &id, sizeof id);
	for (uint32_t pc = 0; pc < id.ncode; pc++) {
		const uint64_t n[3] = {counts[pc].issued, counts[pc].lanes, counts[pc].divergent};
		put(&b, n, sizeof n);
	}
	put_pieces(h, &b);
	uLongf size = compressBound(b.n);
	uint8_t *z = xmalloc(size);
	bool good = compress2(z, &size, b.v, b.n, 1) == Z_OK;
	struct saved_launch f = {.bytes = size, .plain = b.n};
	f.hash = frame_hash(&f, z);
	good = good && fwrite(&f, sizeof f, 1, c->out) == 1 && fwrite(z, 1, size, c->out) == size &&
	       !fflush(c->out);
	free(z);
	vec_free(&b);
	return good ? HEDDLE_OK : api_fail(h, HEDDLE_INVALID, "%s: %s", c->to, strerror(errno));
}

/* ---- replay ---- */

/* Ends the input. If the output continues the same file, it begins behind the launches that have
 * been replayed. */
static void end_input(struct checkpoint *c, long at)
{
	if (c->out && !strcmp(c->from, c->to) && !fseek(c->out, at, SEEK_SET)) {
		int unused = ftruncate(fileno(c->out), at);
		(void)unused;
	}
	fclose(c->in);
	c->in = NULL;
}

/* Reads the next launch; NULL: the end, or *st is an error. */
static uint8_t *read_launch(struct heddle *h, struct checkpoint *c, struct saved_launch *f,
			    enum heddle_status *st)
{
	long at = ftell(c->in);
	uint8_t *z = NULL, *plain = NULL;
	enum { MOST = 1 << 30 }; /* bytes of a launch's frame that are taken for damage beyond */
	bool whole = fread(f, sizeof *f, 1, c->in) == 1;
	bool sane = whole && f->bytes <= (uint64_t)MOST * 16 && f->plain <= (uint64_t)MOST * 64;
	if (sane) {
		z = malloc(f->bytes + 1);
		whole = z && fread(z, 1, f->bytes, c->in) == f->bytes;
	}
	if (!whole) {
		if (ftell(c->in) > at) {
			char text[300];
			snprintf(
				text, sizeof text,
				"%s is truncated after %llu launches; the run continues from there",
				c->from, (unsigned long long)c->replayed);
			api_warn(h, text);
		}
		end_input(c, at);
	} else if (!sane || frame_hash(f, z) != f->hash) {
		*st = api_fail(h, HEDDLE_INVALID, "%s: launch %llu is damaged", c->from,
			       (unsigned long long)c->replayed);
	} else {
		uLongf n = f->plain;
		plain = malloc(f->plain + 1);
		if (!plain || uncompress(plain, &n, z, f->bytes) != Z_OK || n != f->plain) {
			*st = api_fail(h, HEDDLE_INVALID, "%s: launch %llu is damaged", c->from,
				       (unsigned long long)c->replayed);
			free(plain);
			plain = NULL;
		}
	}
	free(z);
	return plain;
}

static bool take_counts(const uint8_t **at, const uint8_t *end, uint32_t ncode,
			struct grid_result *r)
{
	r->issued = xcalloc(ncode + 1, sizeof *r->issued);
	r->lanes = xcalloc(ncode + 1, sizeof *r->lanes);
	r->divergent = xcalloc(ncode + 1, sizeof *r->divergent);
	for (uint32_t pc = 0; pc < ncode; pc++) {
		uint64_t n[3];
		if (!take(at, end, n, sizeof n))
			return false;
		r->issued[pc] = n[0];
		r->lanes[pc] = n[1];
		r->divergent[pc] = n[2];
		r->warp_instructions += n[0];
		r->thread_instructions += n[1];
	}
	return true;
}

/* Writes the pieces to memory; false: one is not in an allocation. */
static bool take_pieces(struct heddle *h, const uint8_t *at, const uint8_t *end)
{
	struct piece p;
	while (take(&at, end, &p, sizeof p)) {
		struct alloc *a = devmem_find(&h->mem, p.addr);
		if (!a || a->freed || p.bytes > PIECE || a->size - (p.addr - a->lo) < p.bytes ||
		    !take(&at, end, a->host + (p.addr - a->lo), p.bytes))
			return false;
	}
	return at == end;
}

static enum heddle_status is_other(struct heddle *h, const struct identity *id)
{
	const struct checkpoint *c = h->checkpoint;
	struct plain_name plain = plain_name(id->kernel);
	return api_fail(
		h, HEDDLE_INVALID,
		"%s: launch %llu of the checkpoint is %s, grid %u,%u,%u, block %u,%u,%u; the "
		"program's differs: it is another program, or has other arguments or inputs",
		c->from, (unsigned long long)c->replayed, plain.text, id->grid[0], id->grid[1],
		id->grid[2], id->block[0], id->block[1], id->block[2]);
}

bool api_checkpoint_replay(struct heddle *h, const struct heddle_launch *hl, const struct launch *l,
			   struct grid_result *r, enum heddle_status *st)
{
	struct checkpoint *c = h->checkpoint;
	if (!c || !c->in || !can_replay(l->img))
		return false;
	struct saved_launch f;
	uint8_t *plain = read_launch(h, c, &f, st);
	if (!plain)
		return *st != HEDDLE_OK;
	const uint8_t *at = plain, *end = plain + f.plain;
	note_memory(h);
	struct identity id, own = identify(h, hl, l);
	*r = (struct grid_result){.stop = STOP_DONE};
	if (!take(&at, end, &id, sizeof id) || id.kernel[NAME - 1])
		*st = api_fail(h, HEDDLE_INVALID, "%s: launch %llu is damaged", c->from,
			       (unsigned long long)c->replayed);
	else if (memcmp(&id, &own, sizeof id) != 0)
		*st = is_other(h, &id);
	else if (!take_counts(&at, end, id.ncode, r) || !take_pieces(h, at, end))
		*st = is_other(h, &id);
	c->replayed++;
	free(plain);
	return true;
}
