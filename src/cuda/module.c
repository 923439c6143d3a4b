/* Programs: fat binaries and PTX, loaded when first used. Modules whose texts need each other's
 * symbols (separate compilation) are loaded as one. */
#include <ctype.h>
#include <stdio.h>
#include "cuda/fatbin.h"
#include "cuda/managed.h"
#include "cuda/mem.h"
#include "cuda/native.h"
#include "cuda/own.h"
#include "cuda/rt.h"
#include "cuda/texref.h"

enum { WRAPPER = 0x466243b1 };
struct wrapper {
	int magic, version;
	const void *data;
	const void *more;        /* version 2: NULL-terminated list of fat binaries to link with */
};

static struct module *modules;
static struct ptrmap kernels, symbols;

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

static void module_read(struct module *m)
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

/* Does what is at p, which may be a text of any length and alignment, begin with this word? */
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

/* ---- symbols that texts want from each other ---- */

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

static bool is_builtin(const char *s, size_t n)
{
	static const char *const name[] = {"vprintf", "malloc", "free", "__assertfail"};
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (strlen(name[i]) == n && !memcmp(s, name[i], n))
			return true;
	return false;
}

/* The next .extern function or variable after p: *name, *n. NULL: no more. */
static const char *extern_next(const char *p, const char **name, size_t *n)
{
	while ((p = strstr(p, ".extern"))) {
		const char *s = p += 7;
		while (isspace((unsigned char)*s))
			s++;
		if (!strncmp(s, ".shared", 7))
			continue;
		if (!strncmp(s, ".func", 5)) {
			for (s += 5; isspace((unsigned char)*s); s++)
				;
			if (*s == '(')
				s = strchr(s, ')') ? strchr(s, ')') + 1 : s + strlen(s);
			while (isspace((unsigned char)*s))
				s++;
		} else {
			const char *end = s + strcspn(s, "[;=\n");
			while (end > s && !is_name(end[-1]))
				end--;
			for (s = end; s > p && is_name(s[-1]); s--)
				;
		}
		*name = s;
		for (*n = 0; is_name(s[*n]); (*n)++)
			;
		if (*n && !is_builtin(s, *n))
			return p;
	}
	return NULL;
}

/* Does the text define the name for others? */
static bool defines(const char *text, const char *name, size_t n)
{
	char key[512];
	if (n >= sizeof key)
		return false;
	memcpy(key, name, n);
	key[n] = 0;
	for (const char *p = text; (p = strstr(p, key)); p += n) {
		if ((p > text && is_name(p[-1])) || is_name(p[n]))
			continue;
		const char *line = p;
		while (line > text && line[-1] != '\n')
			line--;
		line += strspn(line, " \t");
		if (memchr(line, '=', (size_t)(p - line))) /* a variable's value */
			continue;
		if (!strncmp(line, ".visible", 8) || !strncmp(line, ".weak", 5) ||
		    !strncmp(line, ".common", 7) || !strncmp(line, ".entry", 6))
			return true;
	}
	return false;
}

static struct module *root_of(struct module *m)
{
	while (m->group != m)
		m = m->group;
	return m;
}

static bool module_defines(const struct module *m, const char *name, size_t n)
{
	for (unsigned i = 0; i < m->ntext; i++)
		if (defines(m->text[i].data, name, n))
			return true;
	return false;
}

static void join(struct module *m, const char *name, size_t n)
{
	for (struct module *o = modules; o; o = o->next)
		if (o != m && !o->user && !o->m && root_of(o) != root_of(m) &&
		    module_defines(o, name, n)) {
			root_of(o)->group = root_of(m);
			return;
		}
}

/* Of the texts of a linked program only those that its kernels and variables need; the others are
 * libraries, such as the device runtime. */
static void drop_unneeded(struct module *m)
{
	bool *need = rt_alloc(m->ntext + 1);
	for (unsigned i = 0; i < m->ntext; i++) {
		if (strstr(m->text[i].data, "__cuda_syscall_"))
			continue; /* the device runtime registers variables of its own */
		for (const struct kernel *k = m->kernels; k && !need[i]; k = k->next)
			need[i] = defines(m->text[i].data, k->name, strlen(k->name));
		for (const struct symbol *s = m->symbols; s && !need[i]; s = s->next)
			need[i] = defines(m->text[i].data, s->name, strlen(s->name));
	}
	for (bool more = true; more;) {
		more = false;
		for (unsigned i = 0; i < m->ntext; i++) {
			const char *name;
			size_t n;
			for (const char *p = m->text[i].data;
			     need[i] && (p = extern_next(p, &name, &n));)
				for (unsigned k = 0; k < m->ntext; k++)
					if (!need[k] && defines(m->text[k].data, name, n))
						need[k] = more = true;
		}
	}
	unsigned n = 0;
	for (unsigned i = 0; i < m->ntext; i++)
		if (need[i])
			m->text[n++] = m->text[i];
		else
			free(m->text[i].data);
	m->ntext = n;
	free(need);
}

/* Finds out which registered modules belong together. */
static void group_all(void)
{
	for (struct module *m = modules; m; m = m->next)
		if (!m->user && !m->read) {
			module_read(m);
			if (m->linked && m->ntext > 1)
				drop_unneeded(m);
		}
	for (struct module *m = modules; m; m = m->next) {
		if (m->grouped || m->user)
			continue;
		m->grouped = true;
		for (unsigned i = 0; i < m->ntext; i++) {
			const char *name;
			size_t n;
			for (const char *p = m->text[i].data; (p = extern_next(p, &name, &n));)
				if (!module_defines(m, name, n))
					join(m, name, n);
		}
	}
}

/* ---- loading ---- */

static cudaError_t no_text(const struct module *m)
{
	if (m->native > 1)
		rt_say("the program has machine code for sm_%u but no PTX; build it with "
		       "-gencode arch=compute_%u,code=compute_%u", m->native, m->native, m->native);
	else if (m->native)
		rt_say("a module is machine code (cubin); load PTX instead");
	else
		rt_say("a fat binary holds no program that can be read");
	return cudaErrorNoKernelImageForDevice;
}

/* What programs of nvcc call in the device runtime library, whose own text is for machines alone. A
 * condition's handle is an address: see graph_cond.c. */
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
		for (const char *p = list[i].data; (p = extern_next(p, &name, &len));)
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
		if (root_of(m) != root && m != root)
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
		rt_say("%s", heddle_message(h));
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
		group_all();
	struct module *root = root_of(m);
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

static void forget(struct module *m)
{
	for (struct kernel *k = m->kernels, *next; k; k = next) {
		next = k->next;
		if (k->host)
			ptrmap_put(&kernels, k->host, NULL);
		ptrmap_put(&kernels, k, NULL);
		free(k->param);
		free(k->name);
		free(k);
	}
	for (struct symbol *s = m->symbols, *next; s; s = next) {
		next = s->next;
		ptrmap_put(&symbols, s->host, NULL);
		texref_free(s->ref);
		free(s->name);
		free(s);
	}
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
	forget(m);
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

/* ---- kernels and variables ---- */

void kernel_add(struct module *m, const void *host, const char *name)
{
	struct kernel *k = rt_alloc(sizeof *k);
	k->m = m;
	k->name = rt_string(name);
	k->host = host;
	k->carveout = -1;
	pthread_mutex_lock(&rt.lock);
	k->next = m->kernels;
	m->kernels = k;
	if (host)
		ptrmap_put(&kernels, host, k);
	ptrmap_put(&kernels, k, k); /* cudaKernel_t, CUfunction */
	pthread_mutex_unlock(&rt.lock);
}

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

/* With separate compilation clang makes static names unique by a suffix that the host part does not
 * know. The name as the module's own text has it (malloc'ed), or NULL. */
static char *unique_name(const struct module *m, const char *name)
{
	static const char *const mark[] = {"__intern__", "__static__"};
	char key[1024];
	for (size_t i = 0; i < 2; i++) {
		if ((size_t)snprintf(key, sizeof key, "%s%s", name, mark[i]) >= sizeof key)
			return NULL;
		for (unsigned t = 0; t < m->ntext; t++) {
			const char *p = m->text[t].data;
			while ((p = strstr(p, key)) && p > m->text[t].data && is_name(p[-1]))
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
		if (e)
			k->k = NULL;
		else if (!k->info.registers && !k->info.instructions)
			rt_say("%s", heddle_message(h));
	}
	if (e)
		native_unload(h, k);
	device_unlock();
	return hk ? e : cudaErrorInvalidDeviceFunction;
}

struct kernel *kernel_known(const void *host)
{
	pthread_mutex_lock(&rt.lock);
	struct kernel *k = host ? ptrmap_get(&kernels, host) : NULL;
	pthread_mutex_unlock(&rt.lock);
	return k;
}

/* Old programs launch kernels by strings: the name that PTX has, which is mangled but for extern
 * "C". */
cudaError_t kernel_named(const char *name, struct kernel **out)
{
	TRY(rt_open());
	*out = NULL;
	pthread_mutex_lock(&rt.lock);
	for (struct module *m = modules; m && !*out; m = m->next)
		for (struct kernel *k = m->kernels; k && !*out; k = k->next)
			if (!strcmp(k->name, name))
				*out = k;
	pthread_mutex_unlock(&rt.lock);
	return *out ? kernel_load(*out) : cudaErrorInvalidDeviceFunction;
}

cudaError_t kernel_of(const void *host, struct kernel **out)
{
	TRY(rt_open());
	*out = kernel_known(host);
	return *out ? kernel_load(*out) : cudaErrorInvalidDeviceFunction;
}

void symbol_add(struct module *m, const struct symbol *from)
{
	struct symbol *s = rt_copy(from, sizeof *from);
	s->m = m;
	s->name = rt_string(from->name);
	pthread_mutex_lock(&rt.lock);
	s->next = m->symbols;
	m->symbols = s;
	ptrmap_put(&symbols, s->host, s);
	pthread_mutex_unlock(&rt.lock);
}

/* Old programs name variables by strings. */
static struct symbol *symbol_by_name(const char *name)
{
	for (struct module *m = modules; m; m = m->next)
		for (struct symbol *s = m->symbols; s; s = s->next)
			if (!strcmp(s->name, name))
				return s;
	return NULL;
}

/* Is there a NUL-terminated name at p? Strings of a program are readable; other addresses are of
 * variables that were never registered, which are readable too. */
static bool looks_like_name(const char *p)
{
	size_t n = 0;
	while (n < 256 && is_name(p[n]))
		n++;
	return n && !p[n];
}

cudaError_t symbol_of(const void *host, struct symbol **out)
{
	TRY(rt_open());
	if (!host)
		return cudaErrorInvalidSymbol;
	pthread_mutex_lock(&rt.lock);
	*out = ptrmap_get(&symbols, host);
	if (!*out)
		*out = managed_symbol(host);
	if (!*out && looks_like_name(host))
		*out = symbol_by_name(host);
	pthread_mutex_unlock(&rt.lock);
	return *out ? symbol_load(*out) : cudaErrorInvalidSymbol;
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
	bool found = !heddle_symbol(h, s->m->m, s->name, &s->addr, &size);
	char *full = found ? NULL : unique_name(s->m, s->name);
	found = found || (full && !heddle_symbol(h, s->m->m, full, &s->addr, &size));
	free(full);
	s->size = size;
	if (!found)
		e = cudaErrorInvalidSymbol;
	device_unlock();
	return e;
}
