/* Files of compiled code. Each has a head, then the report of the compiler, then the code:
 *
 *   struct head     mark, key, size and hash of what follows
 *   struct body     machine, number of kernels, bytes of their names, bytes of code
 *   struct figures  one for each kernel
 *   names           one after the other, each with its NUL
 *   code            the cubin or listing
 *
 * A file is written under another name and then renamed, so that runs at the same time see whole files alone. */
#include "api/code_cache.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "library_sources.h"

/* Bytes that the folder may have; the files that were not used for the longest time go first. */
static const uint64_t MOST_BYTES = 256ull << 20;

static const char MARK[8] = "heddle1";

struct head {
	char mark[sizeof MARK];
	struct code_key key;
	uint64_t size;
	struct code_key hash;
};

struct body {
	uint32_t sm, kernels;
	uint64_t names, code;
};

struct figures {
	uint32_t registers, instructions, spill_stores, spill_loads, shared, constant, local;
};

/* ---- keys ---- */

static void mix_bytes(struct code_key *k, const void *data, size_t n)
{
	const unsigned char *p = data;
	uint64_t a = k->h[0], b = k->h[1];
	for (size_t i = 0; i < n; i++) {
		a = (a ^ p[i]) * 0x100000001b3u; /* FNV-1a */
		b = (b + p[i] + 1) * 0x9e3779b97f4a7c15u;
		b ^= b >> 29;
	}
	*k = (struct code_key){{a, b}};
}

static void mix_number(struct code_key *k, uint64_t x) { mix_bytes(k, &x, sizeof x); }

/* The length goes first, so that a piece cannot end in the next one. */
static void mix_piece(struct code_key *k, const void *data, size_t n)
{
	mix_number(k, n);
	mix_bytes(k, data, n);
}

static void mix_string(struct code_key *k, const char *s)
{
	mix_piece(k, s ? s : "", s ? strlen(s) : 0);
}

static struct code_key first_key(void) { return (struct code_key){{0xcbf29ce484222325u, 1}}; }

struct code_key code_key(const struct heddle_text *text, unsigned n, bool refuse_late,
			 const struct back_opts *o)
{
	struct code_key k = first_key();
	mix_string(&k, LIBRARY_SOURCES);
	mix_string(&k, __VERSION__); /* of the compiler that made this library */
	mix_number(&k, o->sm);
	mix_number(&k, o->max_registers);
	mix_number(&k, o->without);
	mix_number(&k, o->address64);
	mix_number(&k, o->keep_refused);
	mix_number(&k, refuse_late);
	mix_number(&k, n);
	for (unsigned i = 0; i < n; i++) {
		mix_string(&k, text[i].name);
		mix_string(&k, text[i].dialect);
		mix_piece(&k, text[i].data, text[i].size);
	}
	return k;
}

/* ---- the folder ---- */

/* Returns the folder's path, malloc'ed; NULL: no code is kept. */
static char *folder_path(void)
{
	const char *own = getenv("HEDDLE_CACHE"), *xdg = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	char *path = NULL;
	int n = -1;
	if (own)
		n = *own ? asprintf(&path, "%s/code", own) : -1;
	else if (xdg && *xdg)
		n = asprintf(&path, "%s/heddle/code", xdg);
	else if (home && *home)
		n = asprintf(&path, "%s/.cache/heddle/code", home);
	return n < 0 ? NULL : path;
}

static bool make_folders(char *path)
{
	for (char *s = path + 1; *s; s++) {
		if (*s != '/')
			continue;
		*s = 0;
		bool ok = !mkdir(path, 0777) || errno == EEXIST;
		*s = '/';
		if (!ok)
			return false;
	}
	return !mkdir(path, 0777) || errno == EEXIST;
}

enum { KEY_DIGITS = 32 };

/* Returns the file's path, malloc'ed; NULL: no code is kept. */
static char *file_path(const char *folder, const struct code_key *k)
{
	char *path = NULL;
	if (!folder ||
	    asprintf(&path, "%s/%016" PRIx64 "%016" PRIx64, folder, k->h[0], k->h[1]) < 0)
		return NULL;
	return path;
}

/* A file of this cache: finished, or of a run that was killed while it wrote. */
static bool is_ours(const char *name)
{
	size_t n = strspn(name, "0123456789abcdef");
	return n == KEY_DIGITS && (!name[n] || name[n] == '.');
}

struct kept {
	char *name;
	uint64_t size;
	struct timespec used;
};

static int by_use(const void *x, const void *y)
{
	const struct kept *a = x, *b = y;
	if (a->used.tv_sec != b->used.tv_sec)
		return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
	if (a->used.tv_nsec != b->used.tv_nsec)
		return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Removes files, the least recently used first, until the rest is no more than MOST_BYTES. */
static void limit_folder(const char *folder)
{
	VEC(struct kept) file = {0};
	uint64_t sum = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct stat st;
		if (!is_ours(e->d_name) ||
		    fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		sum += (uint64_t)st.st_size;
		vec_push(&file,
			 (struct kept){xstrdup(e->d_name), (uint64_t)st.st_size, st.st_mtim});
	}
	if (sum > MOST_BYTES)
		qsort(file.v, file.n, sizeof *file.v, by_use);
	for (size_t i = 0; i < file.n; i++) {
		if (sum > MOST_BYTES && !unlinkat(dirfd(dir), file.v[i].name, 0))
			sum -= file.v[i].size;
		free(file.v[i].name);
	}
	vec_free(&file);
	if (dir)
		closedir(dir);
}

/* ---- reading ---- */

/* Returns what follows the head of a sound file, malloc'ed, *n bytes. */
static char *read_payload(int fd, const struct code_key *k, uint64_t *n)
{
	struct head head;
	struct stat st;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > MOST_BYTES ||
	    read(fd, &head, sizeof head) != (ssize_t)sizeof head ||
	    memcmp(head.mark, MARK, sizeof MARK) || memcmp(&head.key, k, sizeof *k) ||
	    head.size != (uint64_t)st.st_size - sizeof head)
		return NULL;
	char *data = xmalloc(head.size + 1);
	uint64_t have = 0;
	for (ssize_t got; have < head.size; have += (uint64_t)got) {
		got = read(fd, data + have, head.size - have);
		if (got <= 0)
			break;
	}
	struct code_key hash = first_key();
	mix_bytes(&hash, data, have);
	if (have != head.size || memcmp(&hash, &head.hash, sizeof hash)) {
		free(data);
		return NULL;
	}
	*n = have;
	return data;
}

/* Fills in the report; returns the place of the code, NULL: the sizes do not fit. */
static const char *read_report(const char *data, uint64_t n, struct arena *a, struct back_report *r,
			       size_t *size)
{
	struct body b;
	if (n < sizeof b)
		return NULL;
	memcpy(&b, data, sizeof b);
	uint64_t left = n - sizeof b, rows = (uint64_t)b.kernels * sizeof(struct figures);
	if (rows > left || b.names > left - rows || b.code != left - rows - b.names)
		return NULL;
	const char *row = data + sizeof b, *name = row + rows, *code = name + b.names;
	*r = (struct back_report){.sm = b.sm, .kernel = xcalloc(b.kernels + 1, sizeof *r->kernel)};
	for (; r->n < b.kernels; r->n++, row += sizeof(struct figures)) {
		struct figures f;
		size_t length = strnlen(name, (size_t)(code - name));
		if (name + length == code)
			break;
		memcpy(&f, row, sizeof f);
		r->kernel[r->n] = (struct back_kernel){.name = arena_strndup(a, name, length),
						       .registers = f.registers,
						       .instructions = f.instructions,
						       .spill_stores = f.spill_stores,
						       .spill_loads = f.spill_loads,
						       .shared = f.shared,
						       .constant = f.constant,
						       .local = f.local};
		name += length + 1;
	}
	if (r->n != b.kernels || name != code) {
		back_report_free(r);
		*r = (struct back_report){0};
		return NULL;
	}
	*size = b.code;
	return code;
}

char *code_find(const struct code_key *k, struct arena *a, struct back_report *r, size_t *size)
{
	char *folder = folder_path(), *path = file_path(folder, k), *data = NULL;
	const char *code = NULL;
	uint64_t n = 0;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd >= 0)
		data = read_payload(fd, k, &n);
	if (data)
		code = read_report(data, n, a, r, size);
	if (code) {
		futimens(fd, NULL); /* the file is in use: limit_folder() removes others first */
		memmove(data, code, *size);
	}
	if (fd >= 0)
		close(fd);
	free(path);
	free(folder);
	if (!code) {
		free(data);
		data = NULL;
	}
	return data;
}

/* ---- writing ---- */

static char *make_payload(const struct back_report *r, const char *code, size_t size, size_t *n)
{
	char *data = NULL;
	struct body b = {.sm = r->sm, .kernels = r->n, .code = size};
	FILE *f = open_memstream(&data, n);
	if (!f)
		return NULL;
	for (unsigned i = 0; i < r->n; i++)
		b.names += strlen(r->kernel[i].name) + 1;
	fwrite(&b, sizeof b, 1, f);
	for (unsigned i = 0; i < r->n; i++) {
		const struct back_kernel *k = &r->kernel[i];
		struct figures row = {k->registers,   k->instructions, k->spill_stores,
				      k->spill_loads, k->shared,       k->constant,
				      k->local};
		fwrite(&row, sizeof row, 1, f);
	}
	for (unsigned i = 0; i < r->n; i++)
		fwrite(r->kernel[i].name, strlen(r->kernel[i].name) + 1, 1, f);
	fwrite(code, 1, size, f);
	if (fclose(f)) {
		free(data);
		return NULL;
	}
	return data;
}

static bool write_all(int fd, const void *data, size_t n)
{
	const char *p = data;
	while (n) {
		ssize_t done = write(fd, p, n);
		if (done < 0 && errno != EINTR)
			return false;
		if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
	return true;
}

void code_keep(const struct code_key *k, const struct back_report *r, const char *code, size_t size)
{
	char *folder = folder_path(), *path = file_path(folder, k), *temp = NULL;
	struct head head = {.key = *k, .hash = first_key()};
	size_t n = 0;
	char *data = path && make_folders(folder) ? make_payload(r, code, size, &n) : NULL;
	if (data && n < MOST_BYTES - sizeof head && asprintf(&temp, "%s.XXXXXX", path) >= 0) {
		memcpy(head.mark, MARK, sizeof MARK);
		head.size = n;
		mix_bytes(&head.hash, data, n);
		int fd = mkostemp(temp, O_CLOEXEC);
		bool ok = fd >= 0 && write_all(fd, &head, sizeof head) && write_all(fd, data, n);
		if (fd >= 0 && (close(fd) || !ok || rename(temp, path)))
			unlink(temp);
		else if (fd >= 0)
			limit_folder(folder);
		free(temp);
	}
	free(data);
	free(path);
	free(folder);
}
