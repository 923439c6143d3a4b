/* Loads and unloads modules. A module is loaded when one of its names is first used. Modules whose
 * texts need each other's symbols (separate compilation) are loaded as one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/module/managed.h"
#include "cuda/process/failure.h"
#include "cuda/process/alloc.h"
#include "cuda/module/module.h"
#include "cuda/module/native.h"
#include "cuda/process/handles.h"

/* ---- loading ---- */

static cudaError_t no_text(const struct module *m)
{
	if (m->native > 1)
		rt_fail("the program has machine code for sm_%u but no PTX; build it with "
			"-gencode arch=compute_%u,code=compute_%u",
			m->native, m->native, m->native);
	else if (m->native)
		rt_fail("a module is machine code (cubin); load PTX instead");
	else
		rt_fail("a fat binary contains neither PTX nor machine code that Heddle can read");
	return cudaErrorNoKernelImageForDevice;
}

/* Functions of the device runtime library that programs of nvcc call; NVIDIA's library has only
 * machine code for them. A condition's handle is an address: see graph/cond.c. */
static const char device_runtime[] =
	".version 6.0\n.target sm_30\n.address_size 64\n"
	".visible .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value)\n{\n"
	"\t.reg .b64 %h;\n\t.reg .b32 %v;\n"
	"\tld.param.b64 %h, [handle];\n\tld.param.b32 %v, [value];\n"
	"\tst.volatile.b32 [%h], %v;\n\tret;\n}\n";

static bool wants_runtime(const struct heddle_text *list, unsigned n)
{
	static const char want[] = "cudaGraphSetConditional";
	for (unsigned i = 0; i < n; i++) {
		const char *name;
		size_t len;
		for (const char *p = list[i].data; (p = text_extern_next(p, &name, &len));)
			if (len == sizeof want - 1 && !memcmp(name, want, len))
				return true;
	}
	return false;
}

/* The name of a text of the program in messages. */
static const char *name_of_text(const char *data, size_t size)
{
	return size > 4 && !memcmp(data, "\177ELF", 4) ? "program.cubin" : "program.ptx";
}

static cudaError_t load_texts(struct module *root)
{
	struct heddle_text *list = NULL;
	unsigned n = 0;
	for (struct module *m = process.modules.first; m; m = m->next) {
		if (module_root(m) != root && m != root)
			continue;
		list = rt_grow(list, (n + m->ntext) * sizeof *list + 1);
		for (unsigned i = 0; i < m->ntext; i++)
			list[n++] =
				(struct heddle_text){name_of_text(m->text[i].data, m->text[i].size),
						     m->text[i].data, m->text[i].size};
	}
	if (n && wants_runtime(list, n)) {
		list = rt_grow(list, (n + 1) * sizeof *list);
		list[n++] = (struct heddle_text){"device runtime", device_runtime,
						 sizeof device_runtime - 1};
	}
	cudaError_t e = n ? cudaSuccess : no_text(root);
	struct heddle *h = device_lock();
	if (n && heddle_load(h, list, n, &root->m)) {
		rt_fail("%s", heddle_message(h));
		e = cudaErrorInvalidPtx;
	} else if (n) {
		managed_map(h, root->m);
	}
	device_unlock();
	free(list);
	return e;
}

/* Sets the host pointers that nvcc makes of __managed__ variables. */
static void managed_pointers(struct module *m, struct heddle_module *hm)
{
	for (struct symbol *s = m->symbols; s; s = s->next) {
		uint64_t size;
		if (s->kind != SYM_MANAGED)
			continue;
		struct heddle *h = device_lock();
		if (!heddle_symbol(h, hm, s->name, &s->addr, &size))
			*(void **)(uintptr_t)s->host = (void *)(uintptr_t)s->addr;
		device_unlock();
	}
}

cudaError_t module_load(struct module *m)
{
	RETURN_IF_ERROR(device_open());
	if (m->m || m->failed)
		return m->failed;
	pthread_mutex_lock(&process.modules.loading);
	if (m->user)
		module_read(m);
	else
		modules_group();
	struct module *root = module_root(m);
	if (!root->m && !root->failed)
		root->failed = load_texts(root);
	if (!m->m) {
		m->failed = root->failed;
		if (!m->failed)
			managed_pointers(m, root->m);
		m->m = root->m;
	} else if (root == m && !m->failed) {
		managed_pointers(m, m->m);
	}
	pthread_mutex_unlock(&process.modules.loading);
	return m->failed;
}

void module_remove(struct module *m)
{
	bool shared = false;
	own_remove(OWN_MODULE, HANDLE(m));
	device_wait();
	for (struct kernel *k = m->kernels; k; k = k->next)
		if (k->native) {
			native_unload(device_lock(), k);
			device_unlock();
		}
	pthread_mutex_lock(&process.lock);
	for (struct module **p = &process.modules.first; *p; p = &(*p)->next)
		if (*p == m) {
			*p = m->next;
			break;
		}
	for (struct module *o = process.modules.first; o; o = o->next)
		shared |= o->m && o->m == m->m;
	module_forget_names(m);
	pthread_mutex_unlock(&process.lock);
	if (m->m && !shared) {
		struct heddle *h = device_lock();
		heddle_unload(h, m->m);
		device_unlock();
	}
	for (unsigned i = 0; i < m->ntext; i++)
		free(m->text[i].data);
	free(m->text);
	free(m->file);
	if (!shared)
		free(m); /* a group's root is kept while other modules may name it */
}

/* True for a module that the program loaded into a context: it stays as long as the context. */
static bool stays_loaded(const struct module *m)
{
	return own_context(OWN_MODULE, HANDLE(m)) != NULL;
}

/* Unloads all modules without a context; each is loaded again, with initial values, at its next
 * use. */
void modules_unload_all(void)
{
	struct heddle *h = device_lock();
	for (struct module *m = process.modules.first; m; m = m->next)
		for (struct kernel *k = m->kernels; k && !stays_loaded(m); k = k->next)
			native_unload(h, k);
	for (struct module *m = process.modules.first; m; m = m->next) {
		struct heddle_module *hm = m->m;
		if (!hm || stays_loaded(m))
			continue;
		for (struct module *o = m; o; o = o->next)
			if (o->m == hm)
				o->m = NULL;
		heddle_unload(h, hm);
	}
	for (struct module *m = process.modules.first; m; m = m->next) {
		if (stays_loaded(m))
			continue;
		m->failed = cudaSuccess;
		for (struct kernel *k = m->kernels; k; k = k->next)
			k->k = NULL;
		for (struct symbol *s = m->symbols; s; s = s->next)
			s->addr = 0;
	}
	managed_reset();
	device_unlock();
}
