/* Kernels that run machine code in place of the program's own. HEDDLE_CUBINS names a folder of
 * cubins (or of folders with cubins), or one cubin. A kernel of a loaded program is replaced by the
 * kernel of that name in a cubin; variables and textures of equal names are the program's. */
#include "api/api.h"

#include <glob.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "front/elf/cuelf.h"

static struct {
	struct map file; /* kernel's name -> path */
	struct arena arena;
	pthread_once_t once;
} cubins = {.once = PTHREAD_ONCE_INIT};

static char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	char *data = NULL;
	if (f && !fstat(fileno(f), &st) && S_ISREG(st.st_mode)) {
		data = xmalloc((size_t)st.st_size + 1);
		*n = fread(data, 1, (size_t)st.st_size, f);
	}
	if (f)
		fclose(f);
	return data;
}

static void index_file(const char *path)
{
	struct diag d = {0};
	struct cuelf e;
	size_t n;
	char *data = read_file(path, &n);
	if (!data)
		return;
	if (cuelf_recognise(data, n)) {
		char *own = arena_strdup(&cubins.arena, path);
		if (cuelf_read(&e, path, data, n, &d))
			for (size_t i = 0; i < e.func.n; i++)
				if (e.func.v[i].entry && !map_get(&cubins.file, e.func.v[i].name))
					map_put(&cubins.file,
						arena_strdup(&cubins.arena, e.func.v[i].name), own);
		cuelf_free(&e);
		diag_free(&d);
	}
	free(data);
}

static void index_all(void)
{
	const char *dir = getenv("HEDDLE_CUBINS");
	static const char *const pattern[] = {"%s", "%s/*.cubin", "%s/*/*.cubin"};
	for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++) {
		char *text = arena_printf(&cubins.arena, pattern[i], dir);
		glob_t g;
		if (glob(text, 0, NULL, &g))
			continue;
		for (size_t k = 0; k < g.gl_pathc; k++)
			index_file(g.gl_pathv[k]);
		globfree(&g);
	}
}

/* Loads a file's module beside m, once. NULL: an error; the message is set. */
static struct heddle_module *load_beside(struct heddle *h, struct heddle_module *m,
					 const char *path)
{
	struct heddle_text t = {.name = path};
	struct heddle_module *out = NULL;
	for (size_t i = 0; i < m->beside.n; i++)
		if (!strcmp(m->beside.v[i].path, path))
			return m->beside.v[i].m;
	char *data = read_file(path, &t.size);
	t.data = data;
	if (data && !heddle_load_beside(h, m, &t, 1, &out)) {
		vec_push(&m->beside, (struct cubin_module){path, out});
		for (size_t i = 0; i < out->copies.n; i++)
			vec_push(&m->copies, out->copies.v[i]);
	}
	free(data);
	return out;
}

enum heddle_status api_take_cubins(struct heddle *h, struct heddle_module *m)
{
	const char *dir = getenv("HEDDLE_CUBINS");
	if (!dir || !*dir)
		return HEDDLE_OK;
	pthread_once(&cubins.once, index_all);
	for (unsigned i = 0; i < m->nkernels; i++) {
		struct heddle_kernel *k = &m->kernel[i];
		/* the program's own machine code stays; code that was made of its PTX does not */
		bool stays = k->f->make && !m->compiled.n;
		const char *path = stays ? NULL : map_get(&cubins.file, k->f->name);
		struct heddle_module *other = path ? load_beside(h, m, path) : NULL;
		if (path && !other)
			return HEDDLE_BAD_INPUT;
		struct heddle_kernel *own = other ? heddle_kernel_find(other, k->f->name) : NULL;
		if (own)
			k->f = own->f;
	}
	return HEDDLE_OK;
}
