#include "api/children.h"

#include <stdio.h>
#include <stdlib.h>
#include "kernel/child.h"

static struct heddle_kernel *kernel_of(const struct heddle_module *m, const struct func *f)
{
	for (unsigned i = 0; i < m->nkernels; i++)
		if (m->kernel[i].f == f)
			return &m->kernel[i];
	return NULL;
}

static void keep_launch(struct children *c, const struct child_launch *l, struct heddle_launch hl)
{
	void *params = xmalloc(l->f->param_bytes + 1);
	if (l->f->param_bytes)
		memcpy(params, l->bytes, l->f->param_bytes);
	hl.params = params;
	pthread_mutex_lock(&c->lock);
	vec_push(&c->kept, (struct kept){hl, l->from_block, c->kept.n});
	pthread_mutex_unlock(&c->lock);
}

static int by_block(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Takes a block's launches out of the list and runs them. */
static enum heddle_status run_block(struct children *c, uint64_t block)
{
	struct children mine = {.h = c->h};
	size_t left = 0;
	for (size_t i = 0; i < c->kept.n; i++)
		if (c->kept.v[i].block == block)
			vec_push(&mine.kept, c->kept.v[i]);
		else
			c->kept.v[left++] = c->kept.v[i];
	c->kept.n = left;
	enum heddle_status st = children_run(&mine, api_launch_inside);
	children_free(&mine);
	return st;
}

static bool has_launched(struct children *c, uint64_t block)
{
	bool found = false;
	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < c->kept.n; i++)
		found |= c->kept.v[i].block == block;
	pthread_mutex_unlock(&c->lock);
	return found;
}

static bool wait_for_all(struct children *c, uint64_t block, enum child_wait how, char *why,
			 size_t n)
{
	if (how == CHILD_WAIT_IF_POSSIBLE && !(c->can_wait && children_may_wait(c->m->ir)))
		return true;
	if (how != CHILD_WAIT && !has_launched(c, block))
		return true;
	if (!c->can_wait) {
		snprintf(why, n,
			 "%s in a kernel: in timing mode kernels that it launched run after it; "
			 "functional mode can wait for them",
			 how == CHILD_WAIT ? "cudaDeviceSynchronize()" : "a copy after a launch");
		return false;
	}
	enum heddle_status st = run_block(c, block);
	if (st)
		snprintf(why, n, "a kernel that it launched failed: %s", c->h->message);
	return !st;
}

/* Hook for a kernel that launches kernels or waits for them (struct launch, child). */
static bool handle_request(void *arg, const struct child_launch *l, char *why, size_t n)
{
	struct children *c = arg;
	if (!l->f)
		return wait_for_all(c, l->from_block, l->wait, why, n);
	if (c->h->nested >= MAX_NESTED) {
		snprintf(why, n, "kernels that launch kernels are more than %d deep", MAX_NESTED);
		return false;
	}
	struct heddle_launch hl = {.kernel = kernel_of(c->m, l->f), .shared_bytes = l->shared};
	memcpy(hl.grid, l->grid, sizeof hl.grid);
	memcpy(hl.block, l->block, sizeof hl.block);
	keep_launch(c, l, hl);
	return true;
}

static int64_t answer(void *arg, const struct func *f, const int64_t question[3])
{
	const struct children *c = arg;
	const struct heddle_options *o = &c->h->opt;
	return o->answer ? o->answer(o->arg, f ? kernel_of(c->m, f) : NULL, question) : -1;
}

void children_init(struct children *c, struct heddle *h, struct heddle_module *m, bool can_wait,
		   struct launch *l)
{
	*c = (struct children){.h = h, .m = m, .can_wait = can_wait};
	pthread_mutex_init(&c->lock, NULL);
	l->child = handle_request;
	l->answer = answer;
	l->child_arg = c;
}

bool children_may_wait(const struct module *m)
{
	for (size_t i = 0; i < m->funcs.n; i++)
		if (m->funcs.v[i]->builtin >= BI_WAIT_CHILDREN)
			return true;
	return false;
}

void children_free(struct children *c)
{
	for (size_t i = 0; i < c->kept.n; i++)
		free((void *)(uintptr_t)c->kept.v[i].launch.params);
	vec_free(&c->kept);
	pthread_mutex_destroy(&c->lock);
}

enum heddle_status children_run(struct children *c,
				enum heddle_status (*run)(struct heddle *,
							  const struct heddle_launch *))
{
	enum heddle_status st = HEDDLE_OK;
	if (c->kept.n)
		qsort(c->kept.v, c->kept.n, sizeof *c->kept.v, by_block);
	c->h->nested++;
	for (size_t i = 0; i < c->kept.n && !st; i++)
		st = run(c->h, &c->kept.v[i].launch);
	c->h->nested--;
	return st;
}

void children_forget(struct launch *l)
{
	struct children *c = l->child_arg;
	for (size_t i = 0; c && i < c->kept.n; i++)
		free((void *)(uintptr_t)c->kept.v[i].launch.params);
	if (c)
		c->kept.n = 0;
}
