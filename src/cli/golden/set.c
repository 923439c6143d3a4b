/* Reads a folder of golden vectors. set.h lists the files. */
#include "cli/golden/set.h"
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/golden/file.h"
#include "command/command.h"

const char *const exactness_name[] = {"exact", "approx", "emulated", "unspecified"};

/* ---- the index ---- */

/* Columns are found by the names in the header line, so their order does not matter. */
/* clang-format off */
enum column {
	C_FILE, C_OFFSET, C_VECTORS, C_N, C_LANES, C_KINDS, C_RES_BYTES, C_EXACTNESS, C_MODULE,
	C_ENTRY, C_IN_HASH, C_NAME, C_COUNT,
};
/* clang-format on */
static const char *const column_name[C_COUNT] = {
	"file",      "offset",    "vectors", "n",     "lanes",   "kinds",
	"res_bytes", "exactness", "module",  "entry", "in_hash", "name",
};
enum { FIELDS_MAX = 32 };

static unsigned split_line(char *line, char **field)
{
	unsigned n = 0;
	for (char *p = line; p && n < FIELDS_MAX; n++) {
		field[n] = p;
		p = strchr(p, '\t');
		if (p)
			*p++ = 0;
	}
	return n;
}

static bool read_header(char *line, int column[C_COUNT])
{
	char *field[FIELDS_MAX];
	unsigned n = split_line(line + (*line == '#'), field);
	bool ok = true;
	for (unsigned c = 0; c < C_COUNT; c++) {
		column[c] = -1;
		for (unsigned i = 0; i < n; i++)
			if (!strcmp(field[i], column_name[c]))
				column[c] = (int)i;
		if (column[c] < 0) {
			cli_error("golden", "the index has no column %s", column_name[c]);
			ok = false;
		}
	}
	return ok;
}

static unsigned blob_index(struct golden_set *s, const char *name)
{
	for (unsigned i = 0; i < s->blobs; i++)
		if (!strcmp(s->blob[i].name, name))
			return i;
	struct blob *more = realloc(s->blob, (s->blobs + 1) * sizeof *more);
	if (!more)
		return 0;
	s->blob = more;
	s->blob[s->blobs] = (struct blob){.name = strdup(name)};
	return s->blobs++;
}

static bool small_number(const char *s, uint32_t max, uint32_t *out)
{
	uint64_t v;
	if (!cli_u64(s, &v) || v > max)
		return false;
	*out = (uint32_t)v;
	return true;
}

static bool parse_results(const char *s, struct variant *v)
{
	for (; *s && v->results < RESULTS_MAX; v->results++) {
		char *end;
		unsigned long n = strtoul(s, &end, 10);
		if (end == s || n < 1 || n > 8 || (*end && *end != ','))
			return false;
		v->res_bytes[v->results] = (uint8_t)n;
		s = end + (*end == ',');
	}
	return !*s && v->results;
}

static bool parse_exactness(const char *s, struct variant *v)
{
	for (unsigned i = 0; i < EXACTNESS_COUNT; i++)
		if (!strcmp(s, exactness_name[i])) {
			v->exactness = i;
			return true;
		}
	return false;
}

static bool parse_hash(const char *s, uint64_t *out)
{
	char *end;
	*out = strtoull(s, &end, 16);
	return end != s && !*end;
}

/* Returns NULL, or the error in the columns of a line. */
static const char *parse_columns(struct variant *v, char *const *c)
{
	if (!cli_u64(c[C_OFFSET], &v->offset))
		return "offset: expected a number";
	if (!small_number(c[C_VECTORS], 1 << 24, &v->vectors))
		return "vectors: expected a number up to 16777216";
	if (!small_number(c[C_N], 1 << 24, &v->n) || !v->n || v->n % 32)
		return "n: expected a multiple of 32 up to 16777216";
	if (!small_number(c[C_LANES], 32, &v->lanes) || !v->lanes)
		return "lanes: expected 1 to 32";
	if (2ull * v->vectors * v->lanes > v->n)
		return "vectors: twice as many, times the lanes, are more than n elements";
	if (!parse_results(c[C_RES_BYTES], v))
		return "res_bytes: expected up to four sizes of 1 to 8 bytes, separated by commas";
	if (!parse_exactness(c[C_EXACTNESS], v))
		return "exactness: expected exact, approx, emulated or unspecified";
	if (!parse_hash(c[C_IN_HASH], &v->in_hash))
		return "in_hash: expected a hexadecimal number";
	if (!*c[C_FILE] || !*c[C_NAME] || !*c[C_MODULE] || !*c[C_ENTRY])
		return "file, module, entry or name is empty";
	return NULL;
}

static const char *parse_variant(struct golden_set *s, char **field, unsigned n, const int *column)
{
	char *c[C_COUNT];
	for (unsigned i = 0; i < C_COUNT; i++) {
		if ((unsigned)column[i] >= n)
			return "the line has fewer columns than the first one";
		c[i] = field[column[i]];
	}
	struct variant v = {
		.name = c[C_NAME], .kinds = c[C_KINDS], .module = c[C_MODULE], .entry = c[C_ENTRY]};
	const char *why = parse_columns(&v, c);
	if (why)
		return why;
	v.file = blob_index(s, c[C_FILE]);
	char *dot = strrchr(c[C_FILE], '.'); /* the family is the file's name without .bin */
	if (dot)
		*dot = 0;
	v.family = c[C_FILE];
	s->variant[s->variants++] = v;
	return NULL;
}

static bool read_index(struct golden_set *s)
{
	size_t size, lines = 0;
	if (!(s->index = golden_file(s->dir, "index.tsv", &size)))
		return false;
	for (size_t i = 0; i < size; i++)
		lines += s->index[i] == '\n';
	s->variant = calloc(lines + 1, sizeof *s->variant);
	int column[C_COUNT];
	bool header = false;
	unsigned number = 0;
	for (char *line = s->index, *next; s->variant && line; line = next) {
		number++;
		char *field[FIELDS_MAX];
		const char *why = NULL;
		if ((next = strchr(line, '\n')))
			*next++ = 0;
		line[strcspn(line, "\r")] = 0;
		if (!*line)
			continue;
		if (!header) {
			if (!read_header(line, column))
				return false;
			header = true;
		} else if (*line != '#' &&
			   (why = parse_variant(s, field, split_line(line, field), column))) {
			cli_error("golden", "index.tsv:%u: %s", number, why);
			return false;
		}
	}
	if (!s->variants)
		cli_error("golden", "the index is empty");
	return s->variants > 0;
}

bool golden_open(struct golden_set *s, const char *dir)
{
	*s = (struct golden_set){.dir = dir};
	if (!read_index(s)) {
		golden_close(s);
		return false;
	}
	char *path = golden_find(dir, "ptx.tar");
	if (path)
		s->tar = cli_unpack("golden", path, &s->tar_size);
	free(path);
	return true;
}

void golden_close(struct golden_set *s)
{
	for (unsigned i = 0; i < s->blobs; i++) {
		free(s->blob[i].name);
		free(s->blob[i].own);
	}
	free(s->blob);
	free(s->variant);
	free(s->index);
	free(s->tar);
	free(s->cubin_tar);
	*s = (struct golden_set){0};
}

/* ---- results and modules ---- */

/* Returns the bytes of one element's results in the file. */
static unsigned variant_stride(const struct variant *v)
{
	unsigned n = 0;
	for (unsigned r = 0; r < v->results; r++)
		n += v->res_bytes[r];
	return n;
}

const uint8_t *golden_results(struct golden_set *s, const struct variant *v)
{
	struct blob *b = &s->blob[v->file];
	if (!b->tried) { /* reported once, not for each variant */
		b->tried = true;
		b->data = b->own = golden_file(s->dir, b->name, &b->size);
	}
	if (!b->data)
		return NULL;
	uint64_t need = (uint64_t)v->vectors * v->lanes * variant_stride(v);
	if (v->offset > b->size || need > b->size - v->offset)
		return NULL;
	return (const uint8_t *)b->data + v->offset;
}

/* True if the path ends with `name`, which may have several parts. */
static bool ends_path(const char *path, const char *name)
{
	size_t n = strlen(path), k = strlen(name);
	return n >= k && !strcmp(path + n - k, name) && (n == k || path[n - k - 1] == '/');
}

/* Finds the member of a tar archive whose path ends with `name`; NULL: none. */
static const char *tar_find(const char *tar, size_t size, const char *name, size_t *found)
{
	for (size_t at = 0; at + 512 <= size && tar[at];) {
		char member[101] = {0}, octal[13] = {0};
		memcpy(member, tar + at, 100);
		memcpy(octal, tar + at + 124, 12);
		size_t n = strtoull(octal, NULL, 8);
		if (n > size - at - 512)
			return NULL;
		if ((tar[at + 156] == '0' || !tar[at + 156]) && ends_path(member, name)) {
			*found = n;
			return tar + at + 512;
		}
		at += 512 + (n + 511) / 512 * 512;
	}
	return NULL;
}

char *golden_module(struct golden_set *s, const char *name, size_t *size)
{
	const char *member = s->tar ? tar_find(s->tar, s->tar_size, name, size) : NULL;
	if (member) {
		char *copy = malloc(*size + 1);
		if (copy) {
			memcpy(copy, member, *size);
			copy[*size] = 0;
		}
		return copy;
	}
	char *sub;
	if (asprintf(&sub, "ptx/%s", name) < 0)
		return NULL;
	char *data = golden_file(s->dir, sub, size);
	free(sub);
	return data;
}

/* ---- machine code ---- */

/* Unpacks a file with the host's xz; NULL: an error, reported. */
static char *read_xz(const char *path, size_t *size)
{
	int end[2];
	char *data = NULL;
	size_t room = 0;
	*size = 0;
	if (pipe(end))
		return NULL;
	pid_t pid = fork();
	if (!pid) {
		dup2(end[1], 1);
		close(end[0]);
		close(end[1]);
		execlp("xz", "xz", "-dc", "--", path, (char *)NULL);
		_exit(127);
	}
	close(end[1]);
	for (ssize_t n = 1; pid > 0 && n > 0;) {
		if (room - *size < 65536) {
			char *more = realloc(data, room = room ? 2 * room : 1 << 20);
			if (!more)
				break;
			data = more;
		}
		n = read(end[0], data + *size, room - *size);
		*size += n > 0 ? (size_t)n : 0;
	}
	close(end[0]);
	int status = 1;
	if (pid > 0)
		waitpid(pid, &status, 0);
	if (!status)
		return data;
	cli_error("golden", "%s: xz cannot unpack it", path);
	free(data);
	return NULL;
}

bool golden_cubins(struct golden_set *s, const char *path)
{
	struct stat st;
	size_t n = strlen(path);
	if (stat(path, &st)) {
		cli_error("golden", "%s: %s", path, strerror(errno));
		return false;
	}
	if (S_ISDIR(st.st_mode)) {
		s->cubins = path;
		return true;
	}
	s->cubin_tar = n > 3 && !strcmp(path + n - 3, ".xz")
			       ? read_xz(path, &s->cubin_tar_size)
			       : cli_read_gz("golden", path, &s->cubin_tar_size);
	return s->cubin_tar != NULL;
}

/* Finds a file of that name in the folder or in one of its folders; malloc'ed. */
static char *find_below(const char *dir, const char *name)
{
	char *path;
	glob_t g;
	for (unsigned depth = 0; depth < 2; depth++) {
		if (asprintf(&path, "%s/%s%s", dir, depth ? "*/" : "", name) < 0)
			return NULL;
		int none = glob(path, 0, NULL, &g);
		free(path);
		if (none)
			continue;
		path = strdup(g.gl_pathv[0]);
		globfree(&g);
		return path;
	}
	return NULL;
}

char *golden_cubin(struct golden_set *s, const char *module, size_t *size)
{
	char *name, *data = NULL;
	const char *dot = strrchr(module, '.');
	if (asprintf(&name, "%.*s.cubin", (int)(dot ? dot - module : (long)strlen(module)),
		     module) < 0)
		return NULL;
	if (s->cubin_tar) {
		const char *member = tar_find(s->cubin_tar, s->cubin_tar_size, name, size);
		if (member && (data = malloc(*size + 1)))
			memcpy(data, member, *size);
	} else {
		char *path = find_below(s->cubins, name);
		data = path ? cli_read_gz("golden", path, size) : NULL;
		free(path);
	}
	free(name);
	return data;
}
