#include "check/marks.h"

#include <sys/mman.h>

enum { SHARED_READS = 512 };

struct sector_more {
	struct mark *writes, *reads; /* marks beyond the sector's own */
	struct mark *strong;         /* per word of the sector; block 0: none */
	uint8_t wlog, rlog;          /* log2 of the capacity of writes, of reads */
};

/* Large tables are accessed sparsely: uses large pages if the host has them. */
enum { MAPPED_FROM = 1 << 22 };

struct marks *marks_new(uint64_t nsectors)
{
	struct marks *m = xcalloc(1, sizeof *m);
	m->size = nsectors * sizeof *m->v;
	if (m->size >= MAPPED_FROM) {
		void *p = mmap(NULL, m->size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p != MAP_FAILED) {
#ifdef MADV_HUGEPAGE
			madvise(p, m->size, MADV_HUGEPAGE);
#endif
			m->v = p;
			m->mapped = true;
			return m;
		}
	}
	m->v = xcalloc_lines(nsectors, sizeof *m->v);
	return m;
}

void marks_free(struct marks *m)
{
	if (m->mapped)
		munmap(m->v, m->size);
	else
		free(m->v);
	arena_free(&m->arena);
	free(m);
}

void marks_forget_all(struct marks *m) { m->gen++; }

/* ---- parts of a sector ---- */

static struct sector_more *more_of(struct marks *ms, struct sector *s)
{
	if (!s->more)
		s->more = ARENA_NEW(&ms->arena, struct sector_more);
	return s->more;
}

static inline struct mark *write_at(struct sector *s, unsigned i)
{
	return i ? &s->more->writes[i - 1] : &s->write;
}
static inline struct mark *read_at(struct sector *s, unsigned i)
{
	return i < SECTOR_READS ? &s->read[i] : &s->more->reads[i - SECTOR_READS];
}

/* Doubles the capacity of an array of marks; the first has four. */
static void grow_marks(struct marks *ms, struct mark **v, uint8_t *log)
{
	unsigned now = *v ? *log + 1u : 2;
	struct mark *to = ms->spare[now];
	if (to)
		memcpy((void *)&ms->spare[now], (void *)to,
		       sizeof(void *)); /* a spare array begins with the address of the next
					 * spare array */
	else
		to = ARENA_ARRAY(&ms->arena, struct mark, 1u << now);
	if (*v) {
		memcpy(to, *v, sizeof *to << *log);
		memcpy((void *)*v, (void *)&ms->spare[*log], sizeof(void *));
		ms->spare[*log] = *v;
	}
	*v = to;
	*log = (uint8_t)now;
}

static struct mark *add_write(struct marks *ms, struct sector *s)
{
	unsigned i = s->nwrites++;
	if (!i)
		return &s->write;
	struct sector_more *e = more_of(ms, s);
	if (!e->writes || i > 1u << e->wlog)
		grow_marks(ms, &e->writes, &e->wlog);
	return write_at(s, i);
}

/* ---- reads ---- */

/* True if both marks are of one warp and one kind. */
static inline bool alike(const struct mark *a, const struct mark *b)
{
	const struct mark kind = {.strong = 1, .cta = 1, .is_volatile = 1};
	return a->who == b->who && !((a->what ^ b->what) & kind.what) && a->in_row == b->in_row;
}

/* True if the newer mark covers the older one: each of its lanes touches each of the bytes
 * again. */
static bool covers(const struct mark *newer, const struct mark *older)
{
	if (older->bytes & ~newer->bytes)
		return false;
	if (newer->in_row)
		return newer->off == older->off && newer->shift == older->shift;
	return !(older->lanes & ~newer->lanes);
}

static bool same_line(const struct access_of *x, const struct mark *m)
{
	const struct uop *code = x->w->cta->l->img->code;
	const struct inst *a = code[m->pc].in, *b = code[x->now.pc].in;
	return a == b || (a->src_line && a->src_line == b->src_line && a->src_file == b->src_file);
}

/* Merges two marks, if all lanes touch all bytes and every thread that knows one access knows the
 * other. */
static bool merge_marks(const struct access_of *x, struct mark *m)
{
	if (m->in_row || m->stamp <= x->told ||
	    (m->lanes != x->now.lanes && m->bytes != x->now.bytes) ||
	    (m->strong && marks_sizes_differ(x, m)))
		return false;
	m->lanes |= x->now.lanes;
	m->bytes |= x->now.bytes;
	return true;
}

static void keep_reads(struct sector *s, unsigned from, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		*read_at(s, i) = *read_at(s, from + i);
	s->nreads = (uint16_t)n;
}

/* Drops marks that are covered by others. */
static void drop_covered(struct sector *s)
{
	unsigned n = 0;
	for (unsigned i = 0; i < s->nreads; i++) {
		bool again = false;
		for (unsigned k = i + 1; k < s->nreads && !again; k++)
			again = alike(read_at(s, k), read_at(s, i)) &&
				covers(read_at(s, k), read_at(s, i));
		if (!again)
			*read_at(s, n++) = *read_at(s, i);
	}
	s->nreads = (uint16_t)n;
}

/* Ensures capacity for one more read in addition to those in the sector itself. */
static void make_room(struct marks *ms, struct sector *s)
{
	struct sector_more *e = more_of(ms, s);
	if (e->reads && s->nreads < SECTOR_READS + (1u << e->rlog))
		return;
	drop_covered(s);
	if (s->nreads < SECTOR_READS)
		return;
	if (!e->reads || (s->nreads > 1u << e->rlog >> 1 && 1u << e->rlog < SHARED_READS))
		grow_marks(ms, &e->reads, &e->rlog);
	else if (s->nreads > SHARED_READS * 3 / 4)
		keep_reads(s, s->nreads - SHARED_READS / 2, SHARED_READS / 2);
}

/* In global memory a new read replaces an old one. First it is merged with a read of its own warp,
 * if possible, even if a report may then name the wrong line: that way no read is forgotten. */
static void replace_read(const struct access_of *x, struct sector *s)
{
	for (unsigned i = 0; i < SECTOR_READS; i++)
		if (alike(&s->read[i], &x->now) && merge_marks(x, &s->read[i]))
			return;
	s->read[s->turn++ % SECTOR_READS] = x->now;
}

static void put_read(const struct access_of *x, struct marks *ms, struct sector *s)
{
	if (s->nreads) {
		struct mark *last = read_at(s, s->nreads - 1u);
		if (alike(last, &x->now)) {
			if (covers(&x->now, last)) {
				*last = x->now;
				return;
			}
			if (same_line(x, last) && merge_marks(x, last))
				return;
		}
		if (!(last->bytes & ~x->now.bytes) && last->strong >= x->now.strong && !x->differ &&
		    mark_before(x, x->k, last)) {
			*last = x->now;
			return;
		}
		if (s->nreads >= SECTOR_READS && x->sp != SP_SHARED) {
			replace_read(x, s);
			return;
		}
		if (s->nreads >= SECTOR_READS)
			make_room(ms, s);
	}
	*read_at(s, s->nreads++) = x->now;
}

/* ---- the access ---- */

static void check_strong_marks(const struct access_of *x, const struct sector *s)
{
	if (!s->more || !s->more->strong)
		return;
	for (uint64_t b = x->now.bytes; b;) {
		unsigned i = (unsigned)__builtin_ctzll(b) / 4;
		const struct mark *m = &s->more->strong[i];
		if (m->block && mark_check(x, m, true) == RACE)
			return;
		b &= ~(15ull << 4 * i);
	}
}

/* A write: reads that happen before a plain write are dropped. */
static void check_reads(const struct access_of *x, struct sector *s)
{
	bool raced = false;
	unsigned n = 0;
	for (unsigned i = 0; i < s->nreads; i++) {
		struct mark *m = read_at(s, i);
		enum verdict v = raced ? APART : mark_check(x, m, false);
		raced |= v == RACE;
		if (v == BEFORE && !x->now.strong && !(m->bytes &= ~x->now.bytes))
			continue;
		if (n != i)
			*read_at(s, n) = *m;
		n++;
	}
	s->nreads = (uint16_t)n;
}

static bool check_writes(const struct access_of *x, struct sector *s)
{
	bool raced = false;
	unsigned n = 0;
	for (unsigned i = 0; i < s->nwrites; i++) {
		struct mark *m = write_at(s, i);
		raced |= mark_check(x, m, true) == RACE;
		if (x->acc != ACC_READ && m->strong == x->now.strong &&
		    !(m->bytes &= ~x->now.bytes))
			continue;
		if (n != i)
			*write_at(s, n) = *m;
		n++;
	}
	s->nwrites = (uint8_t)n;
	return raced;
}

static void put_strong(const struct access_of *x, struct marks *ms, struct sector *s)
{
	struct sector_more *e = more_of(ms, s);
	if (!e->strong)
		e->strong = ARENA_ARRAY(&ms->arena, struct mark, SECTOR_WORDS);
	for (uint64_t b = x->now.bytes; b;) {
		unsigned i = (unsigned)__builtin_ctzll(b) / 4;
		e->strong[i] = x->now;
		e->strong[i].shift = (uint8_t)__builtin_ctz(x->n);
		e->strong[i].bytes &= 15ull << 4 * i;
		b &= ~(15ull << 4 * i);
	}
}

/* Clears the sector for a new block or era. */
static void clear_sector(struct marks *ms, struct sector *s)
{
	s->nwrites = s->nreads = 0;
	if (s->more && s->more->strong)
		memset(s->more->strong, 0, SECTOR_WORDS * sizeof *s->more->strong);
	s->gen = ms->gen;
}

void marks_forget(struct marks *ms, uint64_t sector, uint64_t bytes)
{
	struct sector *s = &ms->v[sector];
	if (s->gen != ms->gen)
		return;
	for (unsigned i = 0; i < s->nwrites; i++)
		write_at(s, i)->bytes &= ~bytes;
	for (unsigned i = 0; i < s->nreads; i++)
		read_at(s, i)->bytes &= ~bytes;
	for (unsigned i = 0; s->more && s->more->strong && i < SECTOR_WORDS; i++)
		s->more->strong[i].bytes &= ~bytes;
}

static inline uint32_t tag_of(uint64_t who) { return (uint32_t)(who ^ who >> 32); }

static void put_tags(struct sector *s)
{
	for (unsigned i = 0; i < SECTOR_READS; i++)
		s->tag[i] = tag_of(s->read[i].who);
}

static __attribute__((noinline)) void access_slowly(struct access_of *x, struct marks *ms,
						    struct sector *s)
{
	if (!check_writes(x, s))
		check_strong_marks(x, s);
	if (x->acc == ACC_READ) {
		put_read(x, ms, s);
		put_tags(s);
		return;
	}
	check_reads(x, s);
	put_tags(s);
	if (x->now.strong && x->n >= 4)
		put_strong(x, ms, s);
	else
		*add_write(ms, s) = x->now;
}

/* ---- the common cases ---- */

/* True if m touches other bytes or happens before the access, as far as a quick test shows. */
static inline bool plainly_before(const struct access_of *x, const struct mark *m, uint64_t bytes,
				  uint64_t where)
{
	if (!(m->bytes & bytes))
		return true;
	if (m->launch != x->now.launch)
		return x->alone;
	if (m->block != x->now.block)
		return false;
	return m->stamp <= x->base ||
	       (m->first == x->now.first && m->in_row && m->where >> 32 == where >> 32);
}

/* Writes a mark from registers, because loading x->now right after its store would stall the
 * host. */
static inline void put_mark(struct mark *m, const struct access_of *x, uint64_t bytes,
			    uint64_t where)
{
	m->bytes = bytes;
	m->where = where;
	m->who = x->now.who;
	m->what = x->now.what;
	m->stamp = x->now.stamp;
}

static inline bool has_strong(const struct sector *s) { return s->more && s->more->strong; }

static inline void put_own(struct sector *s, unsigned i, const struct access_of *x, uint64_t bytes,
			   uint64_t where)
{
	s->tag[i] = tag_of(x->now.who);
	put_mark(&s->read[i], x, bytes, where);
}

/* Replaces a read in global memory with many readers. */
static inline bool replace_quickly(const struct access_of *x, struct sector *s, uint64_t bytes,
				   uint64_t where)
{
	uint32_t tag = tag_of(x->now.who);
	if (s->tag[0] != tag && s->tag[1] != tag && s->tag[2] != tag && s->tag[3] != tag) {
		put_own(s, s->turn++ % SECTOR_READS, x, bytes, where);
		return true;
	}
	for (unsigned i = 0; i < SECTOR_READS; i++) {
		struct mark *m = &s->read[i];
		if (m->who == x->now.who && m->what == x->now.what && m->where == where &&
		    !m->in_row && m->stamp > x->told) {
			m->bytes |= bytes; /* every thread that knows one access knows the other */
			return true;
		}
	}
	return false;
}

static inline bool put_shared_read(const struct access_of *x, struct sector *s, uint64_t bytes,
				   uint64_t where)
{
	struct sector_more *e = s->more;
	if (!e || !e->reads || s->nreads >= SECTOR_READS + (1u << e->rlog))
		return false;
	put_mark(&e->reads[s->nreads++ - SECTOR_READS], x, bytes, where);
	return true;
}

static inline bool read_quickly(const struct access_of *x, struct sector *s, uint64_t bytes,
				uint64_t where)
{
	if (s->nwrites > 1 || has_strong(s) || x->now.strong || (s->nwrites && x->read_only) ||
	    (s->nwrites && !plainly_before(x, &s->write, bytes, where)))
		return false;
	if (s->nreads == SECTOR_READS && x->sp != SP_SHARED)
		return replace_quickly(x, s, bytes, where);
	if (s->nreads) {
		struct mark *last = read_at(s, s->nreads - 1u);
		if (last->who == x->now.who && last->what == x->now.what && last->where == where &&
		    !last->in_row && last->stamp > x->told) {
			last->bytes |= bytes;
			return true;
		}
		if (!(last->bytes & ~bytes) && !last->strong &&
		    plainly_before(x, last, bytes, where)) {
			put_mark(last, x, bytes, where);
			s->tag[(s->nreads - 1u) % SECTOR_READS] = tag_of(x->now.who);
			return true;
		}
	}
	if (s->nreads >= SECTOR_READS)
		return put_shared_read(x, s, bytes, where);
	put_own(s, s->nreads++, x, bytes, where);
	return true;
}

/* Records a plain write that replaces all other marks. */
static inline bool write_quickly(const struct access_of *x, struct sector *s, uint64_t bytes,
				 uint64_t where)
{
	if (s->nwrites > 1 || has_strong(s))
		return false;
	if (s->nwrites && (s->write.strong || s->write.bytes & ~bytes ||
			   !plainly_before(x, &s->write, bytes, where)))
		return false;
	for (unsigned i = 0; i < s->nreads; i++)
		if (read_at(s, i)->bytes & ~bytes ||
		    !plainly_before(x, read_at(s, i), bytes, where))
			return false;
	s->nreads = 0;
	s->nwrites = 1;
	put_mark(&s->write, x, bytes, where);
	return true;
}

/* Records an atomic of GPU scope in a word that had only atomics of its kind and size. */
static inline bool add_quickly(const struct access_of *x, struct sector *s, uint64_t bytes,
			       uint64_t where)
{
	if (s->nreads || s->nwrites > 1 || !has_strong(s) || x->n != 4 || x->acc != ACC_ATOMIC ||
	    x->now.cta || (s->nwrites && !plainly_before(x, &s->write, bytes, where)))
		return false;
	struct mark *m = &s->more->strong[__builtin_ctzll(bytes) / 4];
	if (m->cta || (m->block && m->shift != 2))
		return false;
	put_mark(m, x, bytes, where);
	m->shift = 2;
	return true;
}

void marks_access(struct access_of *x, struct marks *ms, uint64_t sector, uint64_t bytes,
		  uint64_t where)
{
	struct sector *s = &ms->v[sector];
	if (s->gen != ms->gen)
		clear_sector(ms, s);
	if (x->acc == ACC_READ ? read_quickly(x, s, bytes, where)
	    : x->now.strong    ? add_quickly(x, s, bytes, where)
			       : write_quickly(x, s, bytes, where))
		return;
	x->now.bytes = bytes;
	x->now.where = where;
	access_slowly(x, ms, s);
}
