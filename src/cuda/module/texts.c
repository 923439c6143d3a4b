/* Modules before they are loaded: their list, and the texts of their images. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/module/fatbin.h"
#include "cuda/module/module.h"
#include "cuda/process/alloc.h"

enum { WRAPPER = 0x466243b1 };
struct wrapper {
	int magic, version;
	const void *data;
	const void *more; /* version 2: NULL-terminated list of fat binaries to link with */
};

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
	m->ours |= fatbin_is_ours(image);
	if (ptx)
		text_add(m, ptx, n);
	else if (native > m->native)
		m->native = native;
}

/* Reads a part of a linked program. Its machine code lacks definitions of the other parts. */
static void part_read(struct module *m, const void *image)
{
	size_t n, size = image ? fatbin_length(image) : 0;
	char *ptx = size ? fatbin_ptx(image, size, &n) : NULL;
	m->ours |= fatbin_is_ours(image);
	if (ptx)
		text_add(m, ptx, n);
}

/* Reads the linked machine code of a program, if it can be executed. */
static void linked_read(struct module *m)
{
	image_read(m, m->image);
	if (!m->ntext || !cubin_launches(m->text[0].data, m->text[0].size))
		return;
	rt_say("the program's kernels launch kernels, which machine code cannot do here: they run as PTX");
	free(m->text[0].data);
	m->ntext = 0;
}

void module_read(struct module *m)
{
	if (m->read)
		return;
	m->read = true;
	/* The image of a linked program has the machine code of all its parts. */
	if (m->linked && fatbin_prefers_code())
		linked_read(m);
	bool parts = !m->ntext;
	for (const void *const *p = m->linked; parts && p && *p; p++)
		part_read(m, *p);
	if (!m->ntext)
		image_read(m, m->image);
}

/* Returns the machine code architecture that a registered program's images request; 0: none. */
static unsigned machine_of(const struct module *m)
{
	unsigned sm = fatbin_machine(m->image), n;
	for (const void *const *p = m->linked; p && *p; p++) {
		n = fatbin_machine(*p);
		sm = n > sm ? n : sm;
	}
	return sm;
}

void module_register(struct module *m)
{
	unsigned sm = machine_of(m);
	if (sm > process.modules.machine)
		process.modules.machine = sm;
	module_add(m);
}

/* True if the bytes at p begin with this word. p is a text of any length and alignment. */
static bool begins_with(const void *p, uint32_t magic)
{
	return !strncmp(p, (const char *)&magic, 4);
}

struct module *module_new(const void *image, size_t n)
{
	struct module *m = rt_alloc(sizeof *m);
	m->group = m;
	if (!n && begins_with(image, WRAPPER)) {
		const struct wrapper *w = image;
		m->image = w->data;
		m->linked = w->version >= 2 ? w->more : NULL;
	} else if (!n && begins_with(image, FATBIN_MAGIC) && fatbin_length(image)) {
		m->image = image;
	} else if (!n && begins_with(image, 0x464c457f)) { /* ELF */
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

/* ---- the list ---- */

void module_add(struct module *m)
{
	pthread_mutex_lock(&process.lock);
	struct module **p = &process.modules.first; /* in the order of registration */
	while (*p)
		p = &(*p)->next;
	*p = m;
	pthread_mutex_unlock(&process.lock);
}

bool module_known(const struct module *m)
{
	pthread_mutex_lock(&process.lock);
	const struct module *o = process.modules.first;
	while (o && o != m)
		o = o->next;
	pthread_mutex_unlock(&process.lock);
	return o != NULL;
}
