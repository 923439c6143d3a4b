/* Finds kernels and variables by the identifiers that programs have: host addresses, handles,
 * names. Loads their modules. table.c has the tables. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/module/managed.h"
#include "cuda/process/failure.h"
#include "cuda/process/alloc.h"
#include "cuda/module/module.h"
#include "cuda/module/native.h"
#include "cuda/memory/texref.h"

struct kernel *module_kernel(struct module *m, const char *name)
{
	for (struct kernel *k = m->kernels; k; k = k->next)
		if (!strcmp(k->name, name))
			return k;
	if (!m->m || !heddle_kernel_find(m->m, name))
		return NULL;
	kernel_add(m, NULL, name);
	return m->kernels;
}

/* Returns a name as the module's text has it (malloc'ed), or NULL. With separate compilation clang
 * makes static names unique by a suffix that the host part does not know. */
static char *unique_name(const struct module *m, const char *name)
{
	static const char *const mark[] = {"__intern__", "__static__"};
	char key[1024];
	for (size_t i = 0; i < 2; i++) {
		if ((size_t)snprintf(key, sizeof key, "%s%s", name, mark[i]) >= sizeof key)
			return NULL;
		for (unsigned t = 0; t < m->ntext; t++) {
			const char *p = m->text[t].data;
			while ((p = strstr(p, key)) && p > m->text[t].data && text_is_name(p[-1]))
				p++;
			if (!p)
				continue;
			size_t n = strlen(key);
			while (isxdigit((unsigned char)p[n]))
				n++;
			char *full = rt_alloc(n + 1);
			return memcpy(full, p, n);
		}
	}
	return NULL;
}

cudaError_t kernel_load(struct kernel *k)
{
	cudaError_t e = module_load(k->m);
	if (e || k->k)
		return e;
	if (k->info.refused) /* refused kernels have been reported already */
		return cudaErrorNoKernelImageForDevice;
	struct heddle *h = device_lock();
	struct heddle_kernel *hk = heddle_kernel_find(k->m->m, k->name);
	char *full = hk ? NULL : unique_name(k->m, k->name);
	if (full)
		hk = heddle_kernel_find(k->m->m, full);
	free(full);
	if (hk) {
		heddle_kernel_info(hk, &k->info);
		k->param = rt_grow(k->param, (k->info.nparam + 1) * sizeof *k->param);
		for (unsigned i = 0; i < k->info.nparam; i++)
			heddle_param_info(hk, i, &k->param[i]);
		k->k = hk;
		e = native_load(h, k);
		if (!e && !k->native && k->info.refused) {
			failure_launch(heddle_message(h), false);
			e = cudaErrorNoKernelImageForDevice;
		} else if (!e && !k->info.registers && !k->info.instructions) {
			rt_fail("%s", heddle_message(h));
		}
		if (e)
			k->k = NULL;
	}
	if (e)
		native_unload(h, k);
	device_unlock();
	return hk ? e : cudaErrorInvalidDeviceFunction;
}

/* Finds a kernel by its PTX name, which is mangled unless it is extern "C". Old programs launch
 * kernels by name. */
cudaError_t kernel_named(const char *name, struct kernel **out)
{
	RETURN_IF_ERROR(rt_open());
	*out = NULL;
	pthread_mutex_lock(&process.lock);
	for (struct module *m = process.modules.first; m && !*out; m = m->next)
		for (struct kernel *k = m->kernels; k && !*out; k = k->next)
			if (!strcmp(k->name, name))
				*out = k;
	pthread_mutex_unlock(&process.lock);
	return *out ? kernel_load(*out) : cudaErrorInvalidDeviceFunction;
}

cudaError_t kernel_of(const void *host, struct kernel **out)
{
	RETURN_IF_ERROR(rt_open());
	*out = kernel_known(host);
	return *out ? kernel_load(*out) : cudaErrorInvalidDeviceFunction;
}

/* Finds a variable by name, as old programs do. */
static struct symbol *symbol_by_name(const char *name)
{
	for (struct module *m = process.modules.first; m; m = m->next)
		for (struct symbol *s = m->symbols; s; s = s->next)
			if (!strcmp(s->name, name))
				return s;
	return NULL;
}

/* True if there is a NUL-terminated name at p. Strings of a program are readable; other addresses
 * belong to variables that were never registered, which are readable too. */
static bool looks_like_name(const char *p)
{
	size_t n = 0;
	while (n < 256 && text_is_name(p[n]))
		n++;
	return n && !p[n];
}

cudaError_t symbol_of(const void *host, struct symbol **out)
{
	RETURN_IF_ERROR(rt_open());
	if (!host)
		return cudaErrorInvalidSymbol;
	pthread_mutex_lock(&process.lock);
	*out = ptrmap_get(&process.modules.symbols, host);
	if (!*out)
		*out = managed_symbol(host);
	if (!*out && looks_like_name(host))
		*out = symbol_by_name(host);
	pthread_mutex_unlock(&process.lock);
	return *out ? symbol_load(*out) : cudaErrorInvalidSymbol;
}

/* Finds the variable of this name, or of the unique name that clang derived from it. */
static bool find_variable(struct heddle *h, const struct module *m, const char *name,
			  uint64_t *addr, uint64_t *size)
{
	bool found = !heddle_symbol(h, m->m, name, addr, size);
	char *full = found ? NULL : unique_name(m, name);
	found = found || (full && !heddle_symbol(h, m->m, full, addr, size));
	free(full);
	return found;
}

bool symbol_find(struct heddle *h, const struct module *m, const char *name, uint64_t *addr,
		 uint64_t *size)
{
	char *local = NULL;
	if (find_variable(h, m, name, addr, size))
		return true;
	bool found = asprintf(&local, "_ZL%zu%s", strlen(name), name) >= 0 &&
		     find_variable(h, m, local, addr, size);
	free(local);
	return found;
}

cudaError_t symbol_load(struct symbol *s)
{
	if (!s->m)
		return cudaSuccess;
	cudaError_t e = module_load(s->m);
	if (e || s->addr || s->kind == SYM_TEXTURE || s->kind == SYM_SURFACE)
		return e;
	struct heddle *h = device_lock();
	uint64_t size = s->size;
	bool found = find_variable(h, s->m, s->name, &s->addr, &size);
	s->size = size;
	if (!found)
		e = cudaErrorInvalidSymbol;
	device_unlock();
	return e;
}
