/* Checkpoints: a file with the effects of a program's launches, in order. The program is executed
 * again from its start. A launch in the file changes memory as it did when it was saved, without
 * being executed; after the last one, launches are executed. So the host's part of the program,
 * which no checkpoint of the device could contain, is always right: between launches it reads what
 * it read before. A launch is replayed only if its kernel, its parameters and memory equal
 * those in the file, so a program with other inputs is refused.
 *
 * 	header   magic, version, hash of the header
 * 	frame    lengths and hashes, with a hash of their own: a length that was damaged differs from a file that ends
 * 	         what: kernel, grid, block, shared memory, hash of the parameters; range of blocks; counts
 * 	         per pc; warp instructions per block; lines of memory that were accessed (gpu/warm.h)
 * 	         pieces of 4 KB that the range has changed: device address, length, bytes
 * 	frame    ...  (`what` and `pieces` are compressed, each by itself)
 *
 * A frame has a range of a launch's blocks: all of them, or with the option checkpoint_every a part. Each is
 * appended when the range has ended, so the file of a killed run has all earlier ranges. `pieces` are
 * skipped until the effects are applied. Because a frame does not depend on the machine, any number of
 * machines may start from one file.
 *
 * An incomplete frame at the file's end is dropped; any other damage is an error. Kernels that
 * print, allocate device memory or launch kernels are always executed. Numbers have the host's byte
 * order, little-endian. */
#include "api/api.h"
#include "api/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "base/mangled.h"
#include "func/grid.h"
#include "kernel/image.h"
#include "sm/sm.h"

enum { PIECE = 4096, VERSION = 3, NAME = 256 };
static const char magic[8] = "HDLsaved";

struct header {
	char magic[8];
	uint64_t version, hash; /* hash: hash of the fields before it */
};

struct saved_frame { /* header of a frame in the file */
	/* bytes of the compressed data that follow the header; bytes after decompression */
	uint64_t what_bytes, what_size;
	uint64_t pieces_bytes, pieces_size;
	uint64_t what_hash, pieces_hash; /* hash of the compressed bytes */
	uint64_t hash;                   /* hash of the fields before it */
};

struct identity { /* identifies a launch */
	char kernel[NAME];
	uint32_t grid[3], block[3], shared, ncode;
	uint64_t params, code, memory; /* hashes; memory: all of it before the launch */
};

struct range { /* a range of a launch's blocks */
	uint64_t first, next;
	uint64_t counted; /* 1: the numbers of instructions per block follow */
	uint64_t seen;    /* 1: cache lines follow */
	uint64_t lines;
};

struct piece {
	uint64_t addr, bytes;
};

struct checkpoint {
	const char *from, *to; /* names of the files; NULL: not read, not written */
	FILE *in, *out;
	bool same;            /* both names denote one file */
	bool ended;           /* the input's last launch has been read */
	bool cut;             /* the input ends within its header */
	unsigned paused;      /* above 0: nothing is written */
	uint64_t replayed;    /* launches taken from the file */
	uint64_t memory;      /* hash of memory before the launch */
	VEC(uint64_t) before; /* hashes of all pieces of memory before the launch */
};

/* ---- hashes ---- */

static uint64_t hash_word(uint64_t h, uint64_t w)
{
	h = (h ^ w) * 0x9fb21c651e98df25u;
	return h ^ h >> 32;
}

/* Four words are hashed side by side, because each step waits for the one before. */
static uint64_t hash_bytes(uint64_t h, const void *data, size_t n)
{
	const uint8_t *p = data;
	uint64_t w[4], part[4] = {h, h + 1, h + 2, h + 3};
	for (; n >= 32; n -= 32, p += 32) {
		memcpy(w, p, 32);
		for (int i = 0; i < 4; i++)
			part[i] = hash_word(part[i], w[i]);
	}
	for (int i = 1; i < 4; i++)
		part[0] = hash_word(part[0], part[i]);
	for (; n; n--, p++)
		part[0] = hash_word(part[0], *p);
	return part[0];
}

static uint64_t hash_header(const struct saved_frame *f)
{
	return hash_bytes(1, f, offsetof(struct saved_frame, hash));
}

/* ---- files ---- */

static struct header new_header(void)
{
	struct header head = {.version = VERSION};
	memcpy(head.magic, magic, sizeof magic);
	head.hash = hash_bytes(1, &head, offsetof(struct header, hash));
	return head;
}

static void warn_truncated(const struct heddle *h)
{
	const struct checkpoint *c = h->checkpoint;
	char text[300];
	snprintf(text, sizeof text,
		 "%s is truncated after %llu launches; the run continues from there", c->from,
		 (unsigned long long)c->replayed);
	api_warn(h, text);
}

static enum heddle_status open_input(struct heddle *h, struct checkpoint *c)
{
	struct header head, own = new_header();
	struct stat st;
	/* without waiting for the writer of a pipe */
	int fd = open(c->from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	c->in = fd < 0 ? NULL : fdopen(fd, "rb");
	if (!c->in || fstat(fd, &st))
		return api_fail(h, HEDDLE_INVALID, "%s: %s", c->from, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return api_fail(
			h, HEDDLE_INVALID,
			"%s is not a regular file: expected a checkpoint, whose parts are read "
			"in any order",
			c->from);
	size_t n = fread(&head, 1, sizeof head, c->in);
	if (n < sizeof head && !memcmp(&head, &own, n)) {
		c->cut = c->ended = true;
		warn_truncated(h);
		return HEDDLE_OK;
	}
	if (n < sizeof head || memcmp(head.magic, magic, sizeof magic) != 0 ||
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
	const struct header head = new_header();
	struct stat in, out;
	c->same = c->from && !fstat(fileno(c->in), &in) && !stat(c->to, &out) &&
		  in.st_dev == out.st_dev && in.st_ino == out.st_ino;
	c->out = fopen(c->to, c->same ? "r+be" : "wbe");
	bool good = c->out != NULL;
	if (good && (!c->same || c->cut))
		good = fwrite(&head, sizeof head, 1, c->out) == 1 && !fflush(c->out);
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

static uint64_t hash_operand(uint64_t h, const struct opnd *o)
{
	const uint64_t what[] = {o->kind, o->type, o->mod, o->sub, o->reg, (uint64_t)o->imm};
	return hash_bytes(h, what, sizeof what);
}

/* The code as it was read: addresses of the host, which an operation may have, are not in it. */
static uint64_t hash_code(const struct image *img)
{
	uint64_t h = 1;
	for (uint32_t pc = 0; pc < img->ncode; pc++) {
		const struct inst *in = img->code[pc].in;
		const uint64_t what[] = {in->op,        in->type,
					 in->stype,     in->mode,
					 in->rnd,       in->cmp,
					 in->bop,       in->space,
					 in->scope,     in->sem,
					 in->nd,        in->ns,
					 in->mods,      in->guard,
					 in->guard_neg, in->imm,
					 in->vec,       in->atype,
					 in->btype,     inst_is(in, OF_BRANCH) ? in->target : 0};
		h = hash_bytes(h, what, sizeof what);
		for (unsigned k = 0; k < (unsigned)in->nd + in->ns; k++)
			h = hash_operand(h, &in->opnd[k]);
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
	return hash_bytes(1, c->before.v, c->before.n * sizeof *c->before.v);
}

static struct identity identity_of(const struct heddle *h, const struct heddle_launch *hl,
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

bool api_checkpoint_writes(const struct heddle *h)
{
	return h->checkpoint && h->checkpoint->out && !h->checkpoint->paused;
}

void api_checkpoint_pause(struct heddle *h)
{
	if (h->checkpoint)
		h->checkpoint->paused++;
}

void api_checkpoint_resume(struct heddle *h)
{
	if (h->checkpoint)
		h->checkpoint->paused--;
}

bool api_checkpoint_covers(const struct launch *l) { return can_replay(l->img); }

uint64_t api_checkpoint_next(const struct heddle *h) { return h->checkpoint->replayed; }

void api_checkpoint_before(struct heddle *h, const struct launch *l, bool after)
{
	if (!api_checkpoint_writes(h) || !can_replay(l->img))
		return;
	uint64_t memory = note_memory(h);
	if (!after)
		h->checkpoint->memory = memory;
}

/* ---- encoding ---- */

typedef VEC(uint8_t) byte_list;

static void append_bytes(byte_list *b, const void *data, size_t n)
{
	vec_reserve(b, b->n + n);
	memcpy(b->v + b->n, data, n);
	b->n += n;
}

/* Appends a number in groups of seven bits, the lowest first. */
static void put_number(byte_list *b, uint64_t x)
{
	for (; x > 127; x >>= 7)
		vec_push(b, (uint8_t)(x | 128));
	vec_push(b, (uint8_t)x);
}

/* Appends the distance from `last`, of either sign. */
static void put_distance(byte_list *b, uint64_t last, uint64_t x)
{
	uint64_t d = x - last;
	put_number(b, (d << 1) ^ (d >> 63 ? ~0ull : 0));
}

struct reader {
	const uint8_t *at, *end;
	bool good; /* false: something was missing */
};

static void take_bytes(struct reader *r, void *data, size_t n)
{
	r->good = r->good && (size_t)(r->end - r->at) >= n;
	if (!r->good) {
		memset(data, 0, n);
		return;
	}
	memcpy(data, r->at, n);
	r->at += n;
}

static uint64_t take_number(struct reader *r)
{
	uint64_t x = 0;
	uint8_t byte = 128;
	for (unsigned i = 0; byte & 128 && r->good; i += 7) {
		take_bytes(r, &byte, 1);
		r->good &= i < 64;
		x |= r->good ? (uint64_t)(byte & 127) << i : 0;
	}
	return x;
}

static uint64_t take_distance(struct reader *r, uint64_t last)
{
	uint64_t x = take_number(r);
	return last + ((x >> 1) ^ (x & 1 ? ~0ull : 0));
}

static void put_what(byte_list *b, const struct identity *id, const struct saved_range *s)
{
	struct range r = {s->first, s->next, s->block_instructions != NULL, s->lines != NULL,
			  s->lines ? s->lines->n : 0};
	append_bytes(b, id, sizeof *id);
	append_bytes(b, &r, sizeof r);
	for (uint32_t pc = 0; pc < id->ncode; pc++) {
		put_number(b, s->prof[pc].issued);
		put_number(b, s->prof[pc].lanes);
		put_number(b, s->prof[pc].divergent);
	}
	uint64_t last = 0;
	for (uint64_t i = 0; r.counted && i < s->next - s->first; i++) {
		put_distance(b, last, s->block_instructions[i]);
		last = s->block_instructions[i];
	}
	struct warm_line none = {0};
	const struct warm_line *before = &none;
	for (uint64_t i = 0; i < r.lines; i++) {
		const struct warm_line *l = &s->lines->v[i];
		put_distance(b, before->line, l->line);
		put_distance(b, before->block, l->block);
		put_distance(b, before->progress, l->progress);
		put_distance(b, l->block, l->first);
		vec_push(b, (uint8_t)(l->read | l->written << 4));
		vec_push(b, (uint8_t)(l->whole | l->several << 4));
		before = l;
	}
}

/* Adds a range to the launch's effects; false: it cannot be what was written. */
static bool take_what(struct reader *r, const struct identity *id, struct effects *e)
{
	struct range n;
	uint64_t blocks = (uint64_t)id->grid[0] * id->grid[1] * id->grid[2];
	take_bytes(r, &n, sizeof n);
	if (!r->good || n.first != e->next || n.next <= n.first || n.next > blocks ||
	    n.lines > (uint64_t)(r->end - r->at))
		return false;
	for (uint32_t pc = 0; pc < id->ncode; pc++) {
		uint64_t issued = take_number(r);
		e->prof[pc].issued += issued;
		e->prof[pc].lanes += take_number(r);
		e->prof[pc].divergent += take_number(r);
		e->instructions += issued;
	}
	uint64_t last = 0;
	if (n.counted && !n.first)
		e->block_instructions = xcalloc(blocks, sizeof *e->block_instructions);
	for (uint64_t i = n.first; n.counted && e->block_instructions && i < n.next; i++)
		e->block_instructions[i] = last = take_distance(r, last);
	e->has_lines = n.seen && (!n.first || e->has_lines);
	struct warm_line l = {0};
	for (uint64_t i = 0; i < n.lines; i++) {
		uint8_t masks[2];
		l.line = take_distance(r, l.line);
		l.block = (uint32_t)take_distance(r, l.block);
		l.progress = (uint32_t)take_distance(r, l.progress);
		l.first = (uint32_t)take_distance(r, l.block);
		take_bytes(r, masks, 2);
		l.read = masks[0] & 15;
		l.written = masks[0] >> 4;
		l.whole = masks[1] & 15;
		l.several = masks[1] >> 4 & 1;
		vec_push(&e->lines, l);
	}
	e->next = n.next;
	return r->good && r->at == r->end;
}

/* Bytes that are compressed as they come, so that no copy of a program's memory is made. */
struct packer {
	z_stream z;
	byte_list out;
	uint64_t size; /* bytes so far */
	bool good;     /* false: zlib failed */
};

static void pack_bytes(struct packer *p, const void *data, size_t n, int flush)
{
	enum { ROOM = 1 << 16 };
	p->z.next_in = (Bytef *)(uintptr_t)data;
	p->z.avail_in = (uInt)n;
	p->size += n;
	int st = Z_OK;
	do {
		vec_reserve(&p->out, p->out.n + ROOM);
		p->z.next_out = p->out.v + p->out.n;
		p->z.avail_out = ROOM;
		st = p->good ? deflate(&p->z, flush) : Z_STREAM_ERROR;
		p->out.n += p->good ? ROOM - p->z.avail_out : 0;
		p->good &= st == Z_OK || st == Z_STREAM_END || st == Z_BUF_ERROR;
	} while (p->good && !p->z.avail_out);
	p->good &= flush != Z_FINISH || st == Z_STREAM_END;
}

/* Packs the pieces of memory that have changed, and notes the changes. */
static void put_pieces(struct heddle *h, struct packer *b)
{
	size_t k = 0;
	for (size_t i = 0; i < h->mem.allocs.n; i++) {
		const struct alloc *a = h->mem.allocs.v[i];
		for (uint64_t at = 0; is_kept(a) && at < a->size; at += PIECE, k++) {
			struct piece p = {a->lo + at, a->size - at < PIECE ? a->size - at : PIECE};
			uint64_t hash = hash_bytes(p.addr, a->host + at, p.bytes);
			if (hash == h->checkpoint->before.v[k])
				continue;
			h->checkpoint->before.v[k] = hash;
			pack_bytes(b, &p, sizeof p, Z_NO_FLUSH);
			pack_bytes(b, a->host + at, p.bytes, Z_NO_FLUSH);
		}
	}
	pack_bytes(b, NULL, 0, Z_FINISH);
}

struct unpacker {
	z_stream z;
	uint64_t left; /* compressed bytes that have not been passed to z yet */
};

/* Uncompresses the next n bytes; false: there are fewer. */
static bool unpack_bytes(struct unpacker *u, void *to, size_t n)
{
	enum { MOST = 1 << 30 }; /* zlib counts them in 32 bits */
	int st = Z_OK;
	u->z.next_out = to;
	u->z.avail_out = (uInt)n;
	while (u->z.avail_out && st == Z_OK) {
		if (!u->z.avail_in) {
			u->z.avail_in = u->left < MOST ? (uInt)u->left : MOST;
			u->left -= u->z.avail_in;
		}
		st = inflate(&u->z, Z_SYNC_FLUSH);
	}
	return !u->z.avail_out;
}

/* Writes pieces of `size` bytes in all to memory; false: one is not in an allocation, or they end early. */
static bool take_pieces(struct heddle *h, const uint8_t *packed, uint64_t bytes, uint64_t size)
{
	struct unpacker u = {.z.next_in = (Bytef *)(uintptr_t)packed, .left = bytes};
	bool good = inflateInit(&u.z) == Z_OK;
	while (good && size) {
		struct piece p;
		good = size > sizeof p && unpack_bytes(&u, &p, sizeof p);
		struct alloc *a = good ? devmem_find(&h->mem, p.addr) : NULL;
		good = a && !a->freed && p.bytes <= PIECE && p.bytes <= size - sizeof p &&
		       a->size - (p.addr - a->lo) >= p.bytes &&
		       unpack_bytes(&u, a->host + (p.addr - a->lo), p.bytes);
		size -= good ? sizeof p + p.bytes : 0;
	}
	inflateEnd(&u.z);
	return good;
}

/* ---- writing ---- */

/* Compresses; the caller frees the result. NULL: it failed. */
static uint8_t *compress_bytes(const byte_list *b, uint64_t *size)
{
	uLongf n = compressBound(b->n);
	uint8_t *z = xmalloc(n);
	bool good = compress2(z, &n, b->n ? b->v : (const uint8_t *)"", b->n, 1) == Z_OK;
	*size = n;
	if (!good)
		free(z);
	return good ? z : NULL;
}

enum heddle_status api_checkpoint_save(struct heddle *h, const struct heddle_launch *hl,
				       const struct launch *l, const struct saved_range *r)
{
	struct checkpoint *c = h->checkpoint;
	if (!api_checkpoint_writes(h) || !can_replay(l->img))
		return HEDDLE_OK;
	byte_list what = {0};
	struct packer pieces = {0};
	struct identity id = identity_of(h, hl, l);
	put_what(&what, &id, r);
	pieces.good = deflateInit(&pieces.z, 1) == Z_OK;
	put_pieces(h, &pieces);
	struct saved_frame f = {
		.what_size = what.n, .pieces_size = pieces.size, .pieces_bytes = pieces.out.n};
	uint8_t *w = compress_bytes(&what, &f.what_bytes), *p = pieces.out.v;
	bool good = w && pieces.good;
	if (good) {
		f.what_hash = hash_bytes(1, w, f.what_bytes);
		f.pieces_hash = hash_bytes(1, p, f.pieces_bytes);
		f.hash = hash_header(&f);
		good = fwrite(&f, sizeof f, 1, c->out) == 1 &&
		       fwrite(w, 1, f.what_bytes, c->out) == f.what_bytes &&
		       fwrite(p, 1, f.pieces_bytes, c->out) == f.pieces_bytes && !fflush(c->out);
	}
	free(w);
	deflateEnd(&pieces.z);
	vec_free(&what);
	vec_free(&pieces.out);
	return good ? HEDDLE_OK : api_fail(h, HEDDLE_INVALID, "%s: %s", c->to, strerror(errno));
}

/* ---- reading ---- */

static enum heddle_status is_damaged(struct heddle *h)
{
	const struct checkpoint *c = h->checkpoint;
	return api_fail(h, HEDDLE_INVALID, "%s: launch %llu is damaged", c->from,
			(unsigned long long)c->replayed);
}

/* Ends the input. The output is continued at `at`. */
static enum heddle_status end_input(struct heddle *h, long at)
{
	struct checkpoint *c = h->checkpoint;
	c->ended = true;
	if (c->out && ftell(c->out) != at &&
	    (fflush(c->out) || fseek(c->out, at, SEEK_SET) || ftruncate(fileno(c->out), at)))
		return api_fail(h, HEDDLE_INVALID, "%s: %s", c->to, strerror(errno));
	return HEDDLE_OK;
}

/* Place at which the output is continued if the input ends at `at`. */
static long output_place(const struct checkpoint *c, long at)
{
	return !c->out ? 0 : c->same ? at : ftell(c->out);
}

/* Uncompresses; the caller frees the result. NULL: it is not what was compressed. */
static uint8_t *expand_bytes(const uint8_t *z, uint64_t bytes, uint64_t size)
{
	enum { RATIO = 1100 }; /* zlib compresses no better */
	uint8_t *plain = size / RATIO <= bytes ? malloc(size + 1) : NULL;
	uLongf n = size;
	bool good = plain && uncompress(plain, &n, z, bytes) == Z_OK && n == size;
	if (!good)
		free(plain);
	return good ? plain : NULL;
}

/* Reads bytes of the file from its present place; the caller frees them. NULL: there are fewer. */
static uint8_t *read_bytes(struct checkpoint *c, uint64_t n)
{
	uint8_t *z = malloc(n + 1);
	bool good = z && fread(z, 1, n, c->in) == n;
	if (!good)
		free(z);
	return good ? z : NULL;
}

/* Bytes of the input from `at` on; another process may be appending to it. */
static uint64_t bytes_from(const struct checkpoint *c, long at)
{
	struct stat st;
	return fstat(fileno(c->in), &st) || st.st_size < at ? 0 : (uint64_t)(st.st_size - at);
}

static bool fits_file(const struct saved_frame *f, uint64_t left)
{
	left -= sizeof *f;
	return f->what_bytes <= left && f->pieces_bytes <= left - f->what_bytes;
}

/* Reads the `what` of the frame at `at`, and goes to the next frame. NULL: the file ends, or *st is an
 * error. */
static uint8_t *read_frame(struct heddle *h, struct saved_frame *f, long at, enum heddle_status *st)
{
	struct checkpoint *c = h->checkpoint;
	uint64_t left = bytes_from(c, at);
	bool header = left >= sizeof *f && fread(f, sizeof *f, 1, c->in) == 1;
	if (header && hash_header(f) != f->hash) {
		*st = is_damaged(h);
		return NULL;
	}
	if (!header || !fits_file(f, left)) {
		if (left)
			warn_truncated(h);
		*st = end_input(h, output_place(c, at));
		return NULL;
	}
	uint8_t *z = read_bytes(c, f->what_bytes), *plain = NULL;
	if (z && hash_bytes(1, z, f->what_bytes) == f->what_hash)
		plain = expand_bytes(z, f->what_bytes, f->what_size);
	free(z);
	if (!plain || fseek(c->in, (long)f->pieces_bytes, SEEK_CUR)) {
		*st = is_damaged(h);
		free(plain);
		return NULL;
	}
	return plain;
}

/* Appends a frame of the input to the output, if that is another file. */
static enum heddle_status copy_frame(struct heddle *h, long at)
{
	struct checkpoint *c = h->checkpoint;
	long end = ftell(c->in);
	if (!c->out || c->same)
		return HEDDLE_OK;
	uint8_t *z = fseek(c->in, at, SEEK_SET) ? NULL : read_bytes(c, (uint64_t)(end - at));
	bool good = z && fwrite(z, 1, (size_t)(end - at), c->out) == (size_t)(end - at) &&
		    !fflush(c->out);
	free(z);
	return good ? HEDDLE_OK : api_fail(h, HEDDLE_INVALID, "%s: %s", c->to, strerror(errno));
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

/* Adds the next frame, which must continue this launch, to its effects; false: there is none. */
static bool read_range(struct heddle *h, const struct identity *own, bool compare,
		       struct effects *e, enum heddle_status *st)
{
	struct saved_frame f;
	struct identity id;
	long at = ftell(h->checkpoint->in);
	uint8_t *plain = read_frame(h, &f, at, st);
	if (!plain)
		return false;
	struct reader r = {plain, plain + f.what_size, true};
	take_bytes(&r, &id, sizeof id);
	uint64_t memory = id.memory;
	id.memory = compare ? memory : own->memory;
	if (!r.good || id.kernel[NAME - 1])
		*st = is_damaged(h);
	else if (memcmp(&id, own, sizeof id) != 0)
		*st = is_other(h, &id);
	else if (!take_what(&r, own, e))
		*st = is_damaged(h);
	free(plain);
	h->checkpoint->memory = memory;
	struct saved_pieces pieces = {at + (long)(sizeof f + f.what_bytes), f.pieces_bytes,
				      f.pieces_size, f.pieces_hash};
	vec_push(&e->pieces, pieces);
	if (!*st)
		*st = copy_frame(h, at);
	return !*st;
}

struct effects *api_checkpoint_find(struct heddle *h, const struct heddle_launch *hl,
				    const struct launch *l, bool compare, enum heddle_status *st)
{
	struct checkpoint *c = h->checkpoint;
	if (!c || !c->in || c->ended || !can_replay(l->img))
		return NULL;
	c->memory = compare ? note_memory(h) : 0;
	struct identity own = identity_of(h, hl, l);
	struct effects *e = xcalloc(1, sizeof *e);
	e->prof = xcalloc(l->img->ncode + 1, sizeof *e->prof);
	e->out = output_place(c, ftell(c->in));
	while (e->next < l->nblocks && read_range(h, &own, compare, e, st))
		;
	if (*st || !e->next) {
		api_effects_free(e);
		return NULL;
	}
	c->replayed += e->next == l->nblocks;
	return e;
}

void api_effects_free(struct effects *e)
{
	if (!e)
		return;
	free(e->prof);
	free(e->block_instructions);
	vec_free(&e->lines);
	vec_free(&e->pieces);
	free(e);
}

enum heddle_status api_checkpoint_drop(struct heddle *h, const struct effects *e)
{
	return end_input(h, e->out);
}

enum heddle_status api_checkpoint_apply(struct heddle *h, const struct effects *e)
{
	struct checkpoint *c = h->checkpoint;
	long here = ftell(c->in);
	bool good = true;
	for (size_t i = 0; i < e->pieces.n && good; i++) {
		const struct saved_pieces *p = &e->pieces.v[i];
		uint8_t *z = fseek(c->in, p->at, SEEK_SET) ? NULL : read_bytes(c, p->bytes);
		good = z && hash_bytes(1, z, p->bytes) == p->hash &&
		       take_pieces(h, z, p->bytes, p->size);
		free(z);
	}
	good = good && !fseek(c->in, here, SEEK_SET);
	return good ? HEDDLE_OK : is_damaged(h);
}
