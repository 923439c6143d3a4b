/* Names of PTX. Every identifier of the text is interned once; it carries the stack of its
 * declarations, innermost on top:
 *
 * 	hash of "x" --> name --top--> in the block --outer--> in the function --outer--> in the module
 *
 * So a look-up is one hash probe however deep the blocks nest. Leaving a scope pops its
 * declarations.
 *
 * A register of `.reg .b32 %r<100>` is made at its first use: a function has only the registers
 * that it names, whatever N is. */
#include <stdio.h>
#include "front/ptx/parse.h"

struct name *name_intern(struct ptx_parser *p, const char *s, uint32_t len)
{
	struct name *n = map_getn(&p->names, s, len);
	if (!n) {
		n = ARENA_NEW(&p->arena, struct name);
		n->s = s;
		n->len = len;
		map_putn(&p->names, s, len, n);
	}
	return n;
}

static unsigned depth(const struct ptx_parser *p) { return (unsigned)p->scope.n - 1; }

static struct binding *push_binding(struct ptx_parser *p, struct name *n, enum chain c, unsigned at)
{
	struct binding *b = ARENA_NEW(&p->arena, struct binding);
	*b = (struct binding){.outer = n->top[c],
			      .sibling = p->scope.v[at].first,
			      .name = n,
			      .depth = (uint16_t)at,
			      .chain = (uint8_t)c,
			      .vec = 1};
	n->top[c] = p->scope.v[at].first = b;
	p->scope.v[at].n++;
	return b;
}

bool scope_push(struct ptx_parser *p)
{
	if (p->scope.n >= PTX_MAX_DEPTH)
		return parse_error(p, "blocks nest deeper than %d levels", PTX_MAX_DEPTH);
	vec_push(&p->scope, (struct name_scope){.frame = p->frame});
	return true;
}

/* Hands a label that an inner block uses but does not define to the outer block, which may define
 * the label before or after. */
static void hand_to_outer(struct ptx_parser *p, struct binding *b)
{
	struct label *l = &p->labels.v[b->id];
	unsigned outer = depth(p) - 1;
	if (l->defined)
		return;
	if (outer == 0) {
		p->panic = false;
		struct token t = {.line = l->line, .col = l->col};
		parse_error_at(p, &t, "label '%.*s' is not defined", (int)l->name->len, l->name->s);
	} else if (b->outer && b->outer->depth == outer) {
		l->alias = b->outer->id;
		p->labels.v[l->alias].used = true;
	} else {
		uint32_t id = b->id;
		struct name *n = b->name;
		b = push_binding(p, n, CH_LABEL, outer);
		b->kind = BN_LABEL;
		b->id = id;
	}
}

void scope_pop(struct ptx_parser *p)
{
	struct name_scope *s = &p->scope.v[depth(p)];
	for (struct binding *b = s->first; b; b = b->sibling) {
		b->name->top[b->chain] = b->outer;
		if (b->kind == BN_LABEL)
			hand_to_outer(p, b);
	}
	bool keep = s->keep_frame;
	if (!keep)
		p->frame = s->frame;
	p->scope.n--;
	if (keep)
		p->scope.v[p->scope.n - 1].keep_frame = true;
	if (p->deepest_range > depth(p))
		p->deepest_range = depth(p);
}

void scope_free(struct ptx_parser *p)
{
	vec_free(&p->scope);
	map_free(&p->names);
}

static void bind_sreg(struct ptx_parser *p, const char *name, unsigned sreg, unsigned sub)
{
	const char *s = arena_strdup(&p->arena, name);
	struct binding *b = push_binding(p, name_intern(p, s, (uint32_t)strlen(s)), CH_SYM, 0);
	b->kind = BN_SREG;
	b->id = sreg;
	b->type = sreg_info[sreg].type;
	b->vec = sreg_info[sreg].components;
	b->sub = (uint8_t)sub;
}

/* Returns the number of registers that a special register's name denotes, as %envreg0 to %envreg31. */
static unsigned sreg_numbers(unsigned sreg)
{
	return sreg == SREG_ENVREG ? 32 : sreg == SREG_PM || sreg == SREG_PM64 ? 8 : 0;
}

void scope_bind_sregs(struct ptx_parser *p)
{
	char s[64];
	for (unsigned i = 0; i < SREG_COUNT; i++) {
		unsigned n = sreg_numbers(i);
		if (i == SREG_NATIVE_CC) /* PTX has no name for the register */
			continue;
		for (unsigned k = 0; k < n; k++) {
			if (i == SREG_PM64)
				snprintf(s, sizeof s, "%%pm%u_64", k);
			else
				snprintf(s, sizeof s, "%%%s%u", sreg_info[i].name, k);
			bind_sreg(p, s, i, k);
		}
		if (!n) {
			snprintf(s, sizeof s, "%%%s", sreg_info[i].name);
			bind_sreg(p, s, i, 0);
		}
	}
}

/* Reads the number after `len` characters of s; false if there is no number or it has a leading
 * 0. */
static bool suffix_number(const char *s, uint32_t len, uint32_t total, uint32_t *out)
{
	if (len >= total || total - len > 8 || (s[len] == '0' && total - len > 1))
		return false;
	uint32_t v = 0;
	for (uint32_t i = len; i < total; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		v = v * 10 + (uint32_t)(s[i] - '0');
	}
	*out = v;
	return true;
}

/* Returns the innermost name<N> that s belongs to, or NULL. With `any`, the number in s may exceed
 * N. */
static struct binding *range_of(struct ptx_parser *p, const char *s, uint32_t len, bool any)
{
	struct binding *best = NULL;
	for (uint32_t cut = len - 1, v; cut > 0 && s[cut] >= '0' && s[cut] <= '9'; cut--) {
		if (len - cut > 8)
			break;
		if (!suffix_number(s, cut, len, &v))
			continue;
		struct name *n = map_getn(&p->names, s, cut);
		for (struct binding *b = n ? n->top[CH_RANGE] : NULL; b; b = b->outer) {
			if (v < b->id || any) {
				if (!best || b->depth > best->depth)
					best = b;
				break;
			}
		}
	}
	return best;
}

uint32_t reg_new(struct ptx_parser *p, const char *name, uint32_t len, enum type type, unsigned vec)
{
	static const char comp[] = "xyzw";
	uint32_t id = (uint32_t)p->f->regs.n;
	for (unsigned i = 0; i < vec; i++) {
		const char *s = vec == 1 ? arena_strndup(&p->m->arena, name, len)
					 : arena_printf(&p->m->arena, "%.*s.%c", (int)len, name,
							comp[i & 3]);
		vec_push(&p->f->regs, (struct reg){.name = s, .type = (uint8_t)type});
	}
	return id;
}

struct binding *name_find(struct ptx_parser *p, const char *s, uint32_t len)
{
	struct name *n = map_getn(&p->names, s, len);
	struct binding *b = n ? n->top[CH_SYM] : NULL;
	if (b && b->depth >= p->deepest_range)
		return b;
	struct binding *r = range_of(p, s, len, false);
	if (!r || (b && b->depth >= r->depth))
		return b;
	b = push_binding(p, name_intern(p, s, len), CH_SYM, r->depth);
	b->kind = r->vec > 1 ? BN_VREG : BN_REG;
	b->type = r->type;
	b->vec = r->vec;
	b->line = r->line;
	b->id = reg_new(p, s, len, (enum type)r->type, r->vec);
	return b;
}

/* Reports an error if the scope already has a name that a declaration of name<N> would cover. */
static bool range_clashes(struct ptx_parser *p, const struct token *t)
{
	const struct name_scope *sc = &p->scope.v[depth(p)];
	if (sc->n > 1000) /* each check walks the scope, so machine-made giants are not checked */
		return false;
	for (struct binding *b = sc->first; b; b = b->sibling) {
		uint32_t v;
		if (b->chain == CH_SYM && b->name->len > t->len &&
		    !memcmp(b->name->s, t->s, t->len) &&
		    suffix_number(b->name->s, t->len, b->name->len, &v) && v < t->u)
			return true;
	}
	return false;
}

/* For CH_RANGE, the token's u is N. */
struct binding *name_bind(struct ptx_parser *p, const struct token *t, enum chain c,
			  enum bind_kind k)
{
	struct name *n = name_intern(p, t->s, t->len);
	struct binding *old = n->top[c];
	if (c == CH_SYM && (!old || old->depth < depth(p)) && p->deepest_range == depth(p)) {
		struct binding *r = range_of(p, t->s, t->len, false);
		old = r && r->depth == depth(p) ? r : old;
	}
	if (old && old->kind == BN_SREG) {
		parse_error_at(p, t, "'%.*s' is a special register", (int)t->len, t->s);
		return NULL;
	}
	if ((old && old->depth == depth(p)) || (c == CH_RANGE && range_clashes(p, t))) {
		if (old && old->line)
			parse_error_at(p, t,
				       "'%.*s' is declared twice in this scope (first in line %u)",
				       (int)t->len, t->s, old->line);
		else
			parse_error_at(p, t, "'%.*s' is declared twice in this scope", (int)t->len,
				       t->s);
		return NULL;
	}
	if (c == CH_RANGE && p->deepest_range < depth(p))
		p->deepest_range = depth(p);
	struct binding *b = push_binding(p, n, c, depth(p));
	b->kind = (uint8_t)k;
	b->line = t->line;
	return b;
}

bool name_undefined(struct ptx_parser *p, const struct token *t)
{
	enum { MAX = 4096 };
	struct binding *r = t->len > 1 ? range_of(p, t->s, t->len, true) : NULL;
	if (r)
		return parse_error_at(p, t, "'%.*s' is not among the registers %.*s<%u>",
				      (int)t->len, t->s, (int)r->name->len, r->name->s, r->id);
	const char **cand = NULL;
	size_t n = 0;
	struct arena a = {0};
	if (!p->panic && t->len > 3 && t->len < 64 && p->d->n < DIAG_MAX) {
		cand = ARENA_ARRAY(&a, const char *, MAX);
		for (size_t i = 0; i < p->names.cap && n < MAX; i++) {
			struct name *nm = p->names.slot[i].key ? p->names.slot[i].val.ptr : NULL;
			struct binding *b = nm ? nm->top[CH_SYM] : NULL;
			if (b && nm->len < 64 && (b->kind != BN_SREG || t->len > 4))
				cand[n++] = arena_strndup(&a, nm->s, nm->len);
		}
	}
	char word[64];
	snprintf(word, sizeof word, "%.*s", (int)(t->len < 63 ? t->len : 63), t->s);
	const char *near = n ? nearest_name(word, cand, n) : NULL;
	if (near)
		parse_error_at(p, t, "'%.*s' is not declared; did you mean '%s'?", (int)t->len,
			       t->s, near);
	else
		parse_error_at(p, t, "'%.*s' is not declared", (int)t->len, t->s);
	arena_free(&a);
	return false;
}

static uint32_t label_new(struct ptx_parser *p, const struct token *t)
{
	struct name *n = name_intern(p, t->s, t->len);
	struct binding *b = push_binding(p, n, CH_LABEL, depth(p));
	b->kind = BN_LABEL;
	b->id = (uint32_t)p->labels.n;
	b->line = t->line;
	vec_push(&p->labels,
		 (struct label){.name = n, .alias = NO_LABEL, .line = t->line, .col = t->col});
	return b->id;
}

/* Refers to a label. The use is bound in its own block, because the block may define the label
 * further down; when the block ends without a definition, the label moves to the enclosing block.
 * Target lists and prototypes must stand before their use. */
uint32_t label_ref(struct ptx_parser *p, const struct token *t)
{
	struct binding *b = name_intern(p, t->s, t->len)->top[CH_LABEL];
	bool known = b && (b->depth == depth(p) || p->labels.v[b->id].list);
	uint32_t id = known ? b->id : label_new(p, t);
	p->labels.v[id].used = true;
	return id;
}

bool label_define(struct ptx_parser *p, const struct token *t, uint32_t *id)
{
	struct binding *b = name_intern(p, t->s, t->len)->top[CH_LABEL];
	if (!b || b->depth != depth(p)) {
		*id = label_new(p, t);
	} else if (p->labels.v[b->id].defined) {
		return parse_error_at(p, t, "label '%.*s' is defined twice (first in line %u)",
				      (int)t->len, t->s, b->line);
	} else {
		*id = b->id;
		b->line = t->line;
	}
	struct label *l = &p->labels.v[*id];
	l->defined = true;
	l->pc = (uint32_t)p->f->code.n;
	return true;
}

uint32_t label_pc(const struct ptx_parser *p, uint32_t id)
{
	if (id >= p->labels.n)
		return NO_PC;
	while (p->labels.v[id].alias != NO_LABEL)
		id = p->labels.v[id].alias;
	return p->labels.v[id].pc;
}

const struct ptx_list *ptx_list_find(struct ptx_parser *p, uint32_t label)
{
	return label < p->labels.n ? p->labels.v[label].list : NULL;
}
