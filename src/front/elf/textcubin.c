/* Reads text cubins of CUDA 1.x and 2.x (sm_1x): nested blocks of `key = value` and `key { ... }`.
 *
 * A variable in global memory is a `reloc` block. It holds the variable's name and size, its first
 * words if it has a `mem` block, and the place in a constant bank (segnum, offset) where kernels
 * read its 32-bit address. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "front/native/module.h"

struct tc {
	struct nmodule *m;
	struct diag *d;
	struct srcloc loc;
	const char *p, *end;
	const char *tok;
	size_t len;
	bool failed;
	VEC(struct nreloc) reloc; /* applied once the banks have their final sizes */
};

__attribute__((format(printf, 2, 3))) static bool bad(struct tc *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (!t->failed)
		diag_vat(t->d, DIAG_ERROR, &t->loc, fmt, ap);
	va_end(ap);
	t->failed = true;
	return false;
}

/* Reads the next token: a brace, an equals sign or a word. False at the end. */
static bool read_token(struct tc *t)
{
	for (; t->p < t->end; t->p++) {
		if (*t->p == '#')
			while (t->p + 1 < t->end && t->p[1] != '\n')
				t->p++;
		else if (*t->p == '\n')
			t->loc.line++;
		else if (!isspace((unsigned char)*t->p))
			break;
	}
	t->tok = t->p;
	t->len = 0;
	if (t->p >= t->end)
		return false;
	if (strchr("{}=[]", *t->p) && *t->p) {
		t->p++;
		t->len = 1;
		return true;
	}
	while (t->p < t->end && !isspace((unsigned char)*t->p) &&
	       (!*t->p || !strchr("{}=[]#", *t->p)))
		t->p++;
	t->len = (size_t)(t->p - t->tok);
	return true;
}

static bool is(const struct tc *t, const char *s)
{
	return t->len == strlen(s) && !memcmp(t->tok, s, t->len);
}

static bool expect_word(struct tc *t, const char *s)
{
	if (read_token(t) && is(t, s))
		return true;
	return bad(t, "'%s' expected", s);
}

static bool number(struct tc *t, uint64_t *v)
{
	char buf[32], *e;
	if (!t->len || t->len >= sizeof(buf) || !isdigit((unsigned char)t->tok[0]))
		return bad(t, "number expected");
	memcpy(buf, t->tok, t->len);
	buf[t->len] = 0;
	*v = strtoull(buf, &e, buf[0] == '0' && (buf[1] | 32) == 'x' ? 16 : 10);
	return *e ? bad(t, "bad number '%s'", buf) : true;
}

/* Reads `{ word word ... }` into bytes. */
static uint8_t *read_words(struct tc *t, size_t *n)
{
	VEC(uint8_t) v = {0};
	uint64_t w;
	uint8_t *out = NULL;
	if (!expect_word(t, "{"))
		return NULL;
	while (!t->failed) {
		if (!read_token(t)) {
			bad(t, "block is not closed");
		} else if (is(t, "}")) {
			break;
		} else if (number(t, &w)) {
			if (w > 0xffffffffu)
				bad(t, "word is wider than 32 bits");
			for (unsigned i = 0; i < 4; i++)
				vec_push(&v, (uint8_t)(w >> (8 * i)));
		}
	}
	if (!t->failed) {
		out = arena_alloc(&t->m->arena, v.n + 1);
		if (v.n)
			memcpy(out, v.v, v.n);
		*n = v.n;
	}
	vec_free(&v);
	return out;
}

static bool skip_block(struct tc *t)
{
	unsigned depth = 1;
	while (depth) {
		if (!read_token(t))
			return bad(t, "block is not closed");
		depth += is(t, "{");
		depth -= is(t, "}");
	}
	return true;
}

struct cblock { /* a `const`, `consts` or `reloc` block */
	char *name;
	uint64_t bank, offset, bytes;
	uint8_t *mem;
	size_t n;
};

static bool const_block(struct tc *t, struct cblock *c)
{
	if (!expect_word(t, "{"))
		return false;
	while (read_token(t) && !is(t, "}")) {
		if (is(t, "[") || is(t, "]"))
			continue;
		if (is(t, "mem")) {
			c->mem = read_words(t, &c->n);
		} else {
			const char *key = t->tok;
			size_t n = t->len;
			uint64_t *where = n == 6 && !memcmp(key, "segnum", 6)   ? &c->bank
					  : n == 6 && !memcmp(key, "offset", 6) ? &c->offset
					  : n == 5 && !memcmp(key, "bytes", 5)  ? &c->bytes
										: NULL;
			bool name = n == 4 && !memcmp(key, "name", 4);
			if (!expect_word(t, "=") || !read_token(t))
				return bad(t, "value expected");
			if (where && !number(t, where))
				return false;
			if (name)
				c->name = arena_strndup(&t->m->arena, t->tok, t->len);
		}
		if (t->failed)
			return false;
	}
	if (!is(t, "}"))
		return bad(t, "block is not closed");
	return true;
}

/* True if the block lies within a bank of 64 KB. */
static bool in_bank(struct tc *t, const struct cblock *c)
{
	if (c->bank > 31 || c->offset > 65536 || c->bytes > 65536 - c->offset ||
	    c->n > 65536 - c->offset)
		return bad(t, "constant block outside a 64 KB bank");
	return true;
}

/* Puts a block into its bank, growing the bank's image. */
static void bank_add(struct tc *t, struct nbank *b, const struct cblock *c)
{
	size_t size = c->offset + (c->bytes > c->n ? c->bytes : c->n);
	if (size > b->size) {
		uint8_t *p = arena_alloc(&t->m->arena, size + 1);
		if (b->size)
			memcpy(p, b->data, b->size);
		b->data = p;
		b->size = size;
	}
	if (c->n)
		memcpy((uint8_t *)b->data + c->offset, c->mem, c->n);
}

static struct nbank *module_bank(struct tc *t, uint64_t bank)
{
	for (size_t i = 0; i < t->m->bank.n; i++)
		if (t->m->bank.v[i].bank == bank)
			return &t->m->bank.v[i];
	vec_push(&t->m->bank, (struct nbank){.bank = (unsigned)bank});
	return &t->m->bank.v[t->m->bank.n - 1];
}

/* Allocates a variable in global memory. Returns its section and sets *at to its offset there;
 * NULL: the initial values exceed the limit. */
static const char *place_global(struct nmodule *m, const struct cblock *c, uint64_t *at)
{
	uint64_t room = (c->bytes + 15) & ~15ull;
	if (!c->n) {
		*at = m->global_size;
		m->global_size += room;
		return ".nv.global";
	}
	*at = m->global_init_size;
	uint8_t *p = native_add_values(m, c->bytes);
	if (!p)
		return NULL;
	memcpy(p, c->mem, c->n < c->bytes ? c->n : c->bytes);
	return ".nv.global.init";
}

static bool reloc_block(struct tc *t)
{
	struct cblock c = {0};
	if (!const_block(t, &c))
		return false;
	struct cblock slot = {.bank = c.bank, .offset = c.offset, .bytes = 4};
	if (!c.name || !c.bytes || c.bytes > 1u << 30)
		return bad(t, "a reloc block needs a name and at most 1 GB of bytes");
	if (!in_bank(t, &slot))
		return false;
	struct nsymbol y = {.name = c.name, .kind = NSYM_OBJECT, .size = c.bytes, .slot = ~0u};
	y.section = place_global(t->m, &c, &y.value);
	if (!y.section)
		return bad(t, "%s: variables with initial values take more than 4 MB", c.name);
	vec_push(&t->m->symbol, y);
	bank_add(t, module_bank(t, c.bank), &slot);
	vec_push(&t->reloc, (struct nreloc){.offset = c.offset,
					    .type = NREL_32,
					    .symbol = c.name,
					    .section = arena_printf(&t->m->arena, ".nv.constant%u",
								    (unsigned)c.bank)});
	return true;
}

static bool link_relocs(struct tc *t)
{
	for (size_t i = 0; i < t->reloc.n; i++) {
		struct nreloc *r = &t->reloc.v[i];
		struct nsymbol y = native_symbol_named(t->m, r->symbol);
		struct nplace p;
		char err[256];
		native_place(t->m, r->section, &p);
		if (!native_relocate(t->m, &p, *r, &y, err, sizeof(err)))
			return bad(t, "%s", err);
	}
	return true;
}

static bool code_block(struct tc *t)
{
	struct nkernel *k = native_kernel_new(t->m, "");
	size_t at = t->m->kernel.n - 1;
	k->param_base = 0x10;
	if (!expect_word(t, "{"))
		return false;
	while (read_token(t) && !is(t, "}")) {
		k = &t->m->kernel.v[at];
		if (is(t, "bincode")) {
			k->code = read_words(t, &k->size);
		} else if (is(t, "const")) {
			struct cblock c = {0};
			size_t i;
			if (!const_block(t, &c) || !in_bank(t, &c))
				return false;
			for (i = 0; i < k->bank.n && k->bank.v[i].bank != c.bank; i++)
				;
			if (i == k->bank.n)
				vec_push(&k->bank, (struct nbank){.bank = (unsigned)c.bank});
			bank_add(t, &k->bank.v[i], &c);
		} else {
			char key[16];
			uint64_t v = 0;
			snprintf(key, sizeof(key), "%.*s", (int)(t->len > 15 ? 15 : t->len),
				 t->tok);
			if (!read_token(t))
				return bad(t, "code block is not closed");
			if (is(t, "{")) {
				if (!skip_block(t))
					return false;
				continue;
			}
			if (!is(t, "=") || !read_token(t))
				return bad(t, "'%s = value' expected", key);
			if (!strcmp(key, "name")) {
				k->name = arena_strndup(&t->m->arena, t->tok, t->len);
				for (size_t i = 0; i < at; i++)
					if (!strcmp(t->m->kernel.v[i].name, k->name))
						return bad(t, "kernel %s is here twice", k->name);
				continue;
			}
			if (strcmp(key, "lmem") && strcmp(key, "smem") && strcmp(key, "reg") &&
			    strcmp(key, "bar"))
				continue;
			if (!number(t, &v) || v > 1u << 24)
				return bad(t, "bad value of %s", key);
			k->regs_known |= !strcmp(key, "reg");
			*(!strcmp(key, "lmem")   ? &k->local
			  : !strcmp(key, "smem") ? &k->shared
			  : !strcmp(key, "reg")  ? &k->regs
						 : &k->bars) = (uint32_t)v;
		}
		if (t->failed)
			return false;
	}
	k = &t->m->kernel.v[at];
	if (!is(t, "}") || !k->name[0] || !k->size)
		return bad(t, "code block without name, bincode or end");
	return native_kernel_decode(t->m, k, t->loc.file, t->d);
}

/* sampler { name = ref2 texunit = 1 } */
static bool sampler_block(struct tc *t)
{
	struct nsymbol y = {.kind = NSYM_TEXTURE};
	uint64_t slot = 0;
	if (!expect_word(t, "{"))
		return false;
	while (read_token(t) && !is(t, "}")) {
		bool name = is(t, "name"), unit = is(t, "texunit");
		if (!expect_word(t, "=") || !read_token(t))
			return bad(t, "value expected");
		if (name)
			y.name = arena_strndup(&t->m->arena, t->tok, t->len);
		if (unit && !number(t, &slot))
			return false;
	}
	if (!is(t, "}"))
		return bad(t, "block is not closed");
	y.slot = (unsigned)slot;
	if (y.name && slot < 256)
		vec_push(&t->m->symbol, y);
	return true;
}

static bool module_block(struct tc *t)
{
	if (is(t, "architecture")) {
		unsigned sm = 0;
		if (!expect_word(t, "{"))
			return false;
		if (!read_token(t))
			return bad(t, "block is not closed");
		if (t->len > 3 && t->len < 8 && !memcmp(t->tok, "sm_", 3))
			for (size_t i = 3; i < t->len; i++)
				sm = sm * 10 + (unsigned)(t->tok[i] - '0');
		if (sm < 10 || sm > 13 || !native_arch(t->m, sm))
			return bad(t, "text cubins are for sm_10 to sm_13");
		return expect_word(t, "}");
	}
	if (is(t, "code"))
		return code_block(t);
	if (is(t, "consts")) {
		struct cblock c = {0};
		if (!const_block(t, &c) || !in_bank(t, &c))
			return false;
		bank_add(t, module_bank(t, c.bank), &c);
		if (c.name)
			vec_push(&t->m->symbol,
				 (struct nsymbol){c.name, NSYM_OBJECT,
						  arena_printf(&t->m->arena, ".nv.constant%u",
							       (unsigned)c.bank),
						  c.offset, c.bytes, ~0u, false});
		return true;
	}
	if (is(t, "reloc"))
		return reloc_block(t);
	if (is(t, "sampler"))
		return sampler_block(t);
	/* unknown and uninteresting blocks: abiversion, modname, mem ... */
	return expect_word(t, "{") && skip_block(t);
}

bool native_read_textcubin(struct nmodule *m, const char *file, const char *s, size_t n,
			   struct diag *d)
{
	struct tc t = {.m = m,
		       .d = d,
		       .loc = {.file = file, .text = s, .end = s + n, .line = 1, .col = 1},
		       .p = s,
		       .end = s + n};
	native_arch(m, 10);
	bool ok = true;
	while (ok && read_token(&t))
		ok = module_block(&t);
	if (ok && !m->kernel.n)
		ok = bad(&t, "cubin has no code");
	native_guess_width(m);
	ok = ok && link_relocs(&t);
	vec_free(&t.reloc);
	return ok;
}
