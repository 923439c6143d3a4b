/* Kernels that run native code instead of their PTX: HEDDLE_NATIVE=NAME=FILE,NAME=FILE...
 *
 * A NAME is a kernel's name as the program registers it, or the plain name that a C++ compiler
 * mangled. The file (cubin or listing) is loaded beside the program's module, so that variables and
 * textures of one name are shared. Arguments arrive in the layout of the program's own kernel and
 * are moved to the layout of the native code: the file's parameter list, or the parameters in
 * order, each at its natural alignment, addresses of four bytes where the code has 32-bit
 * addresses. */
#include "cuda/module/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/process/failure.h"
#include "cuda/process/alloc.h"

struct choice {
	char *name, *file;
	bool used;
	struct choice *next;
};

static void read_choices(void)
{
	const char *env = getenv("HEDDLE_NATIVE");
	char *save, *s = env ? rt_string(env) : NULL;
	struct choice **end = &process.modules.native;
	for (char *w = s ? strtok_r(s, ",", &save) : NULL; w; w = strtok_r(NULL, ",", &save)) {
		char *eq = strchr(w, '=');
		if (!eq || eq == w || !eq[1]) {
			rt_fail("HEDDLE_NATIVE: %s: expected NAME=FILE; it is ignored", w);
			continue;
		}
		struct choice *c = rt_alloc(sizeof *c);
		*eq = 0;
		c->name = rt_string(w);
		c->file = rt_string(eq + 1);
		*end = c;
		end = &c->next;
	}
	free(s);
}

/* True if the kernel's plain or mangled name is `name`: _Z6vecaddPf is vecadd. */
static bool is_named(const char *kernel, const char *name)
{
	char plain[256];
	return !strcmp(kernel, name) ||
	       !strcmp(heddle_plain_name(kernel, plain, sizeof plain), name);
}

/* ---- parameters ---- */

static unsigned align_up(unsigned at, unsigned size)
{
	unsigned a = size >= 8 ? 8 : size >= 4 ? 4 : size >= 2 ? 2 : 1;
	return (at + a - 1) & ~(a - 1);
}

/* Computes the native position of each of the program's parameters. */
static bool map_params(const struct kernel *k, struct native *n,
		       const struct heddle_kernel_info *info, const char *file)
{
	unsigned at = 0;
	n->move = rt_alloc((k->info.nparam + 1) * sizeof *n->move);
	n->bytes = info->param_bytes;
	if (!info->untyped_params && info->nparam != k->info.nparam) {
		rt_fail("%s: kernel %s has %u parameters, the program's has %u", file, info->name,
			info->nparam, k->info.nparam);
		return false;
	}
	for (unsigned i = 0; i < k->info.nparam; i++) {
		const struct heddle_param_info *p = &k->param[i];
		struct heddle_param_info q;
		if (info->untyped_params) {
			q.size = p->size == 8 && info->pointer_bytes == 4 ? 4 : p->size;
			q.offset =
				align_up(at, p->align < 8 && p->align > q.size ? p->align : q.size);
		} else {
			heddle_param_info(n->k, i, &q);
		}
		at = q.offset + q.size;
		n->bytes = at > n->bytes ? at : n->bytes;
		n->move[i] = (struct param_move){p->offset, q.offset,
						 q.size < p->size ? q.size : p->size};
	}
	return true;
}

struct heddle_launch native_launch(const struct native *n, const struct kernel *k,
				   const struct heddle_launch *l)
{
	struct heddle_launch out = *l;
	uint8_t *block = rt_alloc(n->bytes + 16);
	for (unsigned i = 0; i < k->info.nparam; i++)
		memcpy(block + n->move[i].to, (const uint8_t *)l->params + n->move[i].from,
		       n->move[i].size);
	out.kernel = n->k;
	out.params = block;
	return out;
}

/* ---- loading ---- */

static struct heddle_kernel *pick_kernel(struct heddle_module *m, const struct kernel *k,
					 const struct choice *c)
{
	struct heddle_kernel *hk = heddle_kernel_find(m, k->name);
	for (unsigned i = 0; !hk && i < heddle_kernel_count(m); i++) {
		struct heddle_kernel_info info;
		heddle_kernel_info(heddle_kernel_at(m, i), &info);
		if (is_named(info.name, c->name))
			hk = heddle_kernel_at(m, i);
	}
	if (!hk && heddle_kernel_count(m) == 1)
		hk = heddle_kernel_at(m, 0);
	if (!hk)
		rt_fail("%s has no kernel %s", c->file, c->name);
	return hk;
}

static cudaError_t load_native(struct heddle *h, struct kernel *k, struct choice *c)
{
	struct heddle_text t = {.name = c->file};
	char *data = rt_read_file(c->file, &t.size);
	struct native *n = rt_alloc(sizeof *n);
	cudaError_t e = cudaErrorInvalidKernelImage;
	t.data = data;
	c->used = true;
	k->native = n;
	if (!data) {
		rt_fail("HEDDLE_NATIVE: cannot read %s", c->file);
		e = cudaErrorFileNotFound;
	} else if (heddle_load_beside(h, k->m->m, &t, 1, &n->m)) {
		rt_fail("%s", heddle_message(h));
	} else if ((n->k = pick_kernel(n->m, k, c))) {
		struct heddle_kernel_info info, own = k->info;
		heddle_kernel_info(n->k, &info);
		if (map_params(k, n, &info, c->file)) {
			/* registers and memory of the native code, parameters as the program
			 * passes them */
			k->info = info;
			k->info.nparam = own.nparam;
			k->info.param_bytes = own.param_bytes;
			e = cudaSuccess;
		}
	}
	free(data);
	return e;
}

cudaError_t native_load(struct heddle *h, struct kernel *k)
{
	pthread_once(&process.modules.native_once, read_choices);
	for (struct choice *c = process.modules.native; c; c = c->next)
		if (is_named(k->name, c->name))
			return load_native(h, k, c);
	return cudaSuccess;
}

void native_unload(struct heddle *h, struct kernel *k)
{
	if (!k->native)
		return;
	if (k->native->m)
		heddle_unload(h, k->native->m);
	free(k->native->move);
	free(k->native);
	k->native = NULL;
}

void native_report(void)
{
	for (const struct choice *c = process.modules.native; c; c = c->next)
		if (!c->used)
			rt_fail("HEDDLE_NATIVE: the program launched no kernel %s", c->name);
}
