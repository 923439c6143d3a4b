/* The state of blocks that only poll, as a hash; see still.h. The state is compared with that of
 * one earlier round by Brent's method; that round is renewed after four times as many rounds.
 * EQUAL: number of repetitions required, because a scheduler may prefer one path of a warp for some
 * rounds, and each path must have run before the state counts as repeating. */
#include "func/still.h"

enum { EQUAL = 32, RENEWED = 4 };

static uint64_t hash_bytes(uint64_t h, const void *p, size_t n)
{
	const uint8_t *c = p;
	uint64_t a = h, b = ~h, x, y;
	for (; n >= 16; n -= 16, c += 16) {
		memcpy(&x, c, 8);
		memcpy(&y, c + 8, 8);
		a = (a ^ x) * 0x9e3779b97f4a7c15u;
		b = (b ^ y) * 0xc2b2ae3d27d4eb4fu;
		a ^= a >> 29;
		b ^= b >> 31;
	}
	for (; n; n--)
		a = (a ^ *c++) * 0x100000001b3u;
	return (a ^ (b << 23 | b >> 41)) * 0xd6e8feb86659fd93u;
}

#define HASH(h, x) hash_bytes(h, &(x), sizeof(x))

static uint64_t hash_paths(uint64_t h, const struct reconv *s)
{
	h = HASH(h, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct split *p = &s->path[i];
		uint64_t state = (uint64_t)p->state << 8 | p->bar;
		h = HASH(h, p->pc);
		h = HASH(h, p->rpc);
		h = HASH(h, p->mask);
		h = HASH(h, p->frame.rows);
		h = HASH(h, p->frame.depth);
		h = HASH(h, p->at);
		h = HASH(h, p->need);
		h = HASH(h, state);
	}
	return h;
}

static uint64_t hash_tokens(uint64_t h, const struct wstate *ws)
{
	for (uint32_t i = 0; i < ws->ntokens; i++) {
		h = HASH(h, ws->token[i].type);
		h = HASH(h, ws->token[i].mask);
		h = HASH(h, ws->token[i].pc);
	}
	return HASH(h, ws->off);
}

static uint64_t hash_warp(uint64_t h, const struct fwarp *fw)
{
	const struct wstate *ws = fw->ws;
	const struct warp *w = &ws->w;
	const struct launch *l = w->cta->l;
	uint32_t local = l->img->recursive ? w->local_used : l->stack_bytes;
	h = HASH(h, w->live);
	h = HASH(h, w->at_cluster);
	h = HASH(h, w->cc);
	h = HASH(h, ws->dyn);
	h = hash_paths(h, &fw->stack);
	h = hash_tokens(h, ws);
	h = hash_bytes(h, ws->rows, (size_t)l->frame_rows * ROW);
	h = hash_bytes(h, ws->preds, (size_t)l->frame_preds * 4);
	return hash_bytes(h, w->local, (size_t)local * LANES);
}

uint64_t still_hash(uint64_t h, const struct fblock *b)
{
	h = HASH(h, b->cluster);
	for (; b; b = b->next) {
		const struct cta *c = b->cta;
		h = HASH(h, c->index);
		h = HASH(h, c->bar);
		h = HASH(h, c->live);
		h = hash_bytes(h, c->shared, c->l->shared_bytes);
		for (uint32_t i = 0; i < c->l->nwarps; i++)
			if (b->warp[i].stack.n)
				h = hash_warp(h, &b->warp[i]);
	}
	return h;
}

/* True if the instruction may change something that still_hash() does not cover. Calls do: they may
 * enter the simulator's own functions (device malloc, launches). */
static bool escapes_hash(const struct inst *in)
{
	if (inst_is(in, OF_CALL))
		return true;
	return inst_is(in, OF_WRITES) && in->space != SP_SHARED && in->space != SP_LOCAL;
}

uint64_t still_writes(const struct worker *k, const struct image *img)
{
	int64_t issued = 0;
	uint64_t sum = 0;
	for (uint32_t pc = 0; pc < img->ncode; pc++) {
		issued += k->issued[pc];
		if (issued && escapes_hash(img->code[pc].in))
			sum += (uint64_t)issued;
	}
	return sum;
}

bool still_repeats(struct still *s, uint32_t idle, uint64_t state, uint64_t writes)
{
	if (idle <= s->since) /* the program made progress since then, and idle rounds are
			       * counted anew */
		*s = (struct still){0};
	if (!s->since || idle >= RENEWED * s->since || writes != s->writes) {
		*s = (struct still){.state = state, .writes = writes, .since = idle};
		return false;
	}
	s->equal += state == s->state;
	return s->equal >= EQUAL;
}
