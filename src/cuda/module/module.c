/* Programs: fat binaries and PTX, loaded when first used. Modules whose texts need each other's
 * symbols (separate compilation) are loaded as one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/module/fatbin.h"
#include "cuda/module/managed.h"
#include "cuda/process/failure.h"
#include "cuda/process/alloc.h"
#include "cuda/module/module.h"
#include "cuda/module/native.h"
#include "cuda/process/handles.h"

enum { WRAPPER = 0x466243b1 };
struct wrapper {
	int magic, version;
	const void *data;
	const void *more; /* version 2: NULL-terminated list of fat binaries to link with */
};

struct module *modules;

/* ---- texts ---- */

char *rt_read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL;
	*n = 0;
	if (!f)
		return NULL;
	for (size_t got = 1; got;) {
		data = rt_grow(data, *n + 65536 + 16);
		got = fread(data + *n, 1, 65536, f);
		*n += got;
	}
	memset(data + *n, 0, 16);
	if (ferror(f)) { /* a folder opens and does not read */
		free(data);
		data = NULL;
	}
	fclose(f);
	return data;
}

static void text_add(struct module *m, char *data, size_t n)
{
	m->text = rt_grow(m->text, (m->ntext + 1) * sizeof *m->text);
	m->text[m->ntext++] = (struct text){data, n};
}

static void image_read(struct module *m, const void *image)
{
	size_t n, size = image ? fatbin_length(image) : 0;
	unsigned native = 0;
	char *ptx = size ? fatbin_program(image, size, &n, &native) : NULL;
	if (ptx)
		text_add(m, ptx, n);
	else if (native > m->native)
		m->native = native;
}

void module_read(struct module *m)
{
	if (m->read)
		return;
	m->read = true;
	if (m->linked) /* the parts of a linked program; the image itself would hold them linked */
		for (const void *const *p = m->linked; *p; p++)
			image_read(m, *p);
	if (!m->ntext)
		image_read(m, m->image);
}

unsigned modules_machine(void)
{
	unsigned sm = 0, n;
	for (const struct module *m = modules; m; m = m->next) {
		if (m->user)
			continue;
		n = fatbin_machine(m->image);
		sm = n > sm ? n : sm;
		for (const void *const *p = m->linked; p && *p; p++) {
			n = fatbin_machine(*p);
			sm = n > sm ? n : sm;
		}
	}
	return sm;
}

/* True if the bytes at p, a text of any length and alignment, begin with this word. */
static bool begins(const void *p, uint32_t magic) { return !strncmp(p, (const char *)&magic, 4); }

struct module *module_new(const void *image, size_t n)
{
	struct module *m = rt_alloc(sizeof *m);
	m->group = m;
	if (!n && begins(image, WRAPPER)) {
		const struct wrapper *w = image;
		m->image = w->data;
		m->linked = w->version >= 2 ? w->more : NULL;
	} else if (!n && begins(image, FATBIN_MAGIC) && fatbin_length(image)) {
		m->image = image;
	} else if (!n && begins(image, 0x464c457f)) { /* ELF */
		unsigned arch = 1;
		size_t size = cubin_length(image, &arch);
		if (size && cubin_runs(arch))
			text_add(m, memcpy(rt_alloc(size + 1), image, size), size);
		m->native = arch;
		m->read = true;
	} else {
		n = n ? n : strlen(image);
		char *text = rt_alloc(n + 1);
		text_add(m, memcpy(text, image, n), n);
		m->read = true;
	}
	return m;
}

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
		rt_fail("a fat binary holds no program that can be read");
	return cudaErrorNoKernelImageForDevice;
}

/* Functions of the device runtime library that programs of nvcc call; the library's own text is for
 * machines alone. A condition's handle is an address: see graph/cond.c. */
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

static cudaError_t load_texts(struct module *root)
{
	struct heddle_text *list = NULL;
	unsigned n = 0;
	for (struct module *m = modules; m; m = m->next) {
		if (module_root(m) != root && m != root)
			continue;
		list = rt_grow(list, (n + m->ntext) * sizeof *list + 1);
		for (unsigned i = 0; i < m->ntext; i++)
			list[n++] = (struct heddle_text){"program.ptx", m->text[i].data,
							 m->text[i].size};
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

/* Variables of nvcc's __managed__ are pointers on the host. */
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
	static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
	TRY(device_open());
	if (m->m || m->failed)
		return m->failed;
	pthread_mutex_lock(&loading);
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
	pthread_mutex_unlock(&loading);
	return m->failed;
}

void module_add(struct module *m)
{
	pthread_mutex_lock(&rt.lock);
	struct module **p = &modules; /* in the order of registration */
	while (*p)
		p = &(*p)->next;
	*p = m;
	pthread_mutex_unlock(&rt.lock);
}

bool module_known(const struct module *m)
{
	pthread_mutex_lock(&rt.lock);
	const struct module *o = modules;
	while (o && o != m)
		o = o->next;
	pthread_mutex_unlock(&rt.lock);
	return o != NULL;
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
	pthread_mutex_lock(&rt.lock);
	for (struct module **p = &modules; *p; p = &(*p)->next)
		if (*p == m) {
			*p = m->next;
			break;
		}
	for (struct module *o = modules; o; o = o->next)
		shared |= o->m && o->m == m->m;
	module_forget_names(m);
	pthread_mutex_unlock(&rt.lock);
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
		free(m); /* else others may name it as their group */
}

/* Loaded by the program into a context: it stays as long as that. */
static bool stays(const struct module *m) { return own_context(OWN_MODULE, HANDLE(m)) != NULL; }

/* Unloads what was loaded; it is loaded again, with initial values, when used again. */
void modules_unload_all(void)
{
	struct heddle *h = device_lock();
	for (struct module *m = modules; m; m = m->next)
		for (struct kernel *k = m->kernels; k && !stays(m); k = k->next)
			native_unload(h, k);
	for (struct module *m = modules; m; m = m->next) {
		struct heddle_module *hm = m->m;
		if (!hm || stays(m))
			continue;
		for (struct module *o = m; o; o = o->next)
			if (o->m == hm)
				o->m = NULL;
		heddle_unload(h, hm);
	}
	for (struct module *m = modules; m; m = m->next) {
		if (stays(m))
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
