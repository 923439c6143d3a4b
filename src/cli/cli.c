/* The option walker, messages and whole files: see cli.h. */
#include "cli/cli.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Bytes of the UTF-8 character at s; 0: not a character. */
static size_t utf8_length(const unsigned char *s)
{
	size_t n = s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
	if (s[0] >= 0xf5)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n == 2 && s[0] == 0xc2 && s[1] < 0xa0 ? 0 : n; /* control characters of Latin-1 */
}

void cli_print(FILE *f, const char *text)
{
	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		size_t n = *s < 0x80 ? *s == '\n' || *s == '\t' || (*s >= 32 && *s != 127)
				     : utf8_length(s);
		if (n)
			fwrite(s, 1, n, f);
		else
			fprintf(f, "\\x%02x", *s);
		s += n ? n : 1;
	}
}

/* A command that runs another one reports errors under its own name (heddle explain). */
static const char *speaker(const char *cmd)
{
	const char *name = getenv("HEDDLE_SPEAKER");
	return name && *name ? name : cmd;
}

static void say(const char *cmd, const char *kind, const char *fmt, va_list ap)
{
	char *text = NULL;
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	fprintf(stderr, cmd ? "heddle %s: %s" : "heddle: %s%s", cmd ? speaker(cmd) : kind,
		cmd ? kind : "");
	cli_print(stderr, text ? text : "out of memory");
	fputc('\n', stderr);
	free(text);
}

void cli_error(const char *cmd, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(cmd, "", fmt, ap);
	va_end(ap);
}

void cli_note(const char *cmd, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say(cmd, "note: ", fmt, ap);
	va_end(ap);
}

/* A name that is empty can be seen. */
static const char *named(const char *path) { return *path ? path : "''"; }

/* ---- options ---- */

void cli_walk_start(struct cli_walk *w, const struct cli_page *page, int argc, char **argv)
{
	*w = (struct cli_walk){.page = page, .argc = argc, .next = 1, .argv = argv};
}

static const char *option_at(const void *opts, unsigned i)
{
	return ((const struct cli_option *)opts)[i].name;
}

static unsigned option_arity(const struct cli_option *o)
{
	unsigned n = o->args != NULL;
	for (const char *p = o->args; p && *p; p++)
		n += *p == ' ';
	return n;
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* Edit distance for short words: wrong, missing, extra and swapped letters; case does not
 * matter. */
static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][64], *before = rows[0], *above = rows[1], *row = rows[2];
	size_t n = strlen(b);
	if (n >= 64)
		return 99;
	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 1; a[i - 1]; i++) {
		unsigned *free_row = before;
		before = above, above = row, row = free_row;
		row[0] = i;
		for (unsigned j = 1; j <= n; j++) {
			int x = tolower((unsigned char)a[i - 1]),
			    y = tolower((unsigned char)b[j - 1]);
			row[j] = least(above[j - 1] + (x != y), least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return row[n];
}

static size_t letters(const char *word) { return strlen(word + strspn(word, "-")); }

/* A word with more than half of its letters wrong is another word. */
const char *cli_nearest(const char *word, const char *(*at)(const void *, unsigned),
			const void *arg)
{
	const char *best = NULL, *s;
	unsigned limit = 3, nearest = limit + 1;
	for (unsigned i = 0; (s = at(arg, i)); i++) {
		unsigned d = distance(word, s);
		if (d < nearest && 2 * d <= letters(word) && 2 * d <= letters(s))
			nearest = d, best = s;
	}
	return best;
}

int cli_walk_next(struct cli_walk *w)
{
	const char *cmd = w->argv[0];
	if (w->next >= w->argc)
		return CLI_END;
	char *word = w->argv[w->next++];
	if (word[0] != '-' || !word[1]) {
		w->arg[0] = word;
		return CLI_WORD;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return CLI_HELP;
	const struct cli_option *opts = w->page->opts;
	size_t len = strcspn(word, "=");
	for (int i = 0; opts && opts[i].name; i++) {
		if (strlen(opts[i].name) != len || strncmp(word, opts[i].name, len))
			continue;
		unsigned arity = option_arity(&opts[i]), have = 0;
		if (word[len]) {
			if (arity != 1) {
				cli_error(cmd, "%s takes %s", opts[i].name,
					  arity ? opts[i].args : "no argument");
				return CLI_BAD;
			}
			w->arg[have++] = word + len + 1;
		}
		for (; have < arity; have++) {
			if (w->next >= w->argc) {
				cli_error(cmd, "%s needs %s", opts[i].name, opts[i].args);
				return CLI_BAD;
			}
			w->arg[have] = w->argv[w->next++];
		}
		return i;
	}
	const char *near = opts ? cli_nearest(word, option_at, opts) : NULL;
	cli_error(cmd, near ? "unknown option %s; did you mean %s?" : "unknown option %s", word,
		  near);
	return CLI_BAD;
}

bool cli_u64(const char *s, uint64_t *out)
{
	int base = 0;
	if (s[0] == '0' && (s[1] == 'b' || s[1] == 'B'))
		s += 2, base = 2;
	if (!(*s >= '0' && *s <= '9'))
		return false;
	char *end;
	errno = 0;
	*out = strtoull(s, &end, base);
	return !errno && !*end;
}

/* ---- files ---- */

static char *read_all(gzFile f, size_t *size)
{
	size_t n = 0, cap = 1 << 16;
	char *buf = malloc(cap + 1);
	int got = 0;
	while (buf && (got = gzread(f, buf + n,
				    cap - n < 1u << 30 ? (unsigned)(cap - n) : 1u << 30)) > 0) {
		n += (size_t)got;
		if (n == cap) {
			char *more = realloc(buf, (cap *= 2) + 1);
			if (!more)
				free(buf);
			buf = more;
		}
	}
	int err = Z_OK;
	if (buf)
		gzerror(f, &err);
	if (!buf || got < 0 || (err != Z_OK && err != Z_STREAM_END)) {
		free(buf);
		return NULL;
	}
	buf[n] = 0;
	*size = n;
	return buf;
}

char *cli_read_gz(const char *cmd, const char *path, size_t *size)
{
	struct stat st;
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		cli_error(cmd, "%s: is a folder, not a file", path);
		return NULL;
	}
	errno = 0;
	gzFile f = gzopen(path, "rb");
	if (!f) {
		cli_error(cmd, "%s: %s", named(path), strerror(errno ? errno : ENOMEM));
		return NULL;
	}
	gzbuffer(f, 1 << 17);
	errno = 0;
	char *buf = read_all(f, size);
	if (!buf)
		cli_error(cmd, "%s: %s", named(path),
			  errno ? strerror(errno) : "damaged or cut short");
	gzclose(f);
	return buf;
}

char *cli_read(const char *cmd, const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	if (!f || fstat(fileno(f), &st) || (S_ISDIR(st.st_mode) && (errno = EISDIR))) {
		cli_error(cmd, "%s: %s", named(path), strerror(errno));
		if (f)
			fclose(f);
		return NULL;
	}
	size_t n = 0, cap = st.st_size > 0 ? (size_t)st.st_size + 1 : 1 << 16, got;
	char *buf = malloc(cap + 1);
	while (buf && (got = fread(buf + n, 1, cap - n, f)) > 0) {
		n += got;
		if (n == cap) {
			char *more = realloc(buf, (cap *= 2) + 1);
			if (!more)
				free(buf);
			buf = more;
		}
	}
	if (!buf || ferror(f)) {
		cli_error(cmd, "%s: %s", named(path), buf ? strerror(errno) : "out of memory");
		free(buf);
		fclose(f);
		return NULL;
	}
	fclose(f);
	buf[n] = 0;
	*size = n;
	return buf;
}

bool cli_has_text(const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (data[i] && !isspace((unsigned char)data[i]))
			return true;
	return false;
}

bool cli_make_dirs(char *path)
{
	for (char *s = path + 1;; s++) {
		if (*s && *s != '/')
			continue;
		char was = *s;
		*s = 0;
		int rc = mkdir(path, 0777);
		*s = was;
		if (rc && errno != EEXIST && (errno != EACCES && errno != EROFS))
			return false;
		if (!was)
			return access(path, W_OK) == 0;
	}
}

static bool is_special(const char *path)
{
	struct stat st;
	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

bool cli_output_write(const char *cmd, struct cli_output *o, const char *path, const void *data,
		      size_t n)
{
	*o = (struct cli_output){.path = strdup(path)};
	/* A device or a pipe cannot be replaced by rename: it is written in place. */
	bool special = is_special(path);
	int fd = -1;
	if (special) {
		fd = -2;
	} else if (asprintf(&o->temp, "%s.XXXXXX", path) < 0) {
		o->temp = NULL;
	} else if ((fd = mkstemp(o->temp)) >= 0) {
		mode_t mask = umask(0);
		umask(mask);
		fchmod(fd, 0666 & ~mask);
	}
	FILE *f = fd == -2 ? fopen(path, "wb") : fd >= 0 ? fdopen(fd, "wb") : NULL;
	bool ok = f && fwrite(data, 1, n, f) == n;
	if (f)
		ok &= !fclose(f);
	if (!ok) {
		cli_error(cmd, "%s: cannot write: %s", named(path), strerror(errno));
		if (fd < 0) {
			free(o->temp);
			o->temp = NULL;
		}
		cli_output_drop(o);
	}
	return ok;
}

bool cli_output_try(const char *cmd, const char *path)
{
	bool was = !access(path, F_OK);
	if (*path && is_special(path) && !access(path, W_OK)) {
		struct stat st;
		if (!stat(path, &st) && !S_ISDIR(st.st_mode))
			return true; /* opening a pipe may wait for its reader */
		errno = EISDIR;
	} else {
		int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (fd >= 0) {
			close(fd);
			if (!was)
				unlink(path);
			return true;
		}
	}
	cli_error(cmd, "%s: cannot write: %s", named(path), strerror(errno));
	return false;
}

bool cli_output_commit(const char *cmd, struct cli_output *o)
{
	bool ok = !o->temp || !rename(o->temp, o->path);
	if (!ok)
		cli_error(cmd, "%s: cannot write: %s", o->path, strerror(errno));
	else
		free(o->temp), o->temp = NULL;
	cli_output_drop(o);
	return ok;
}

void cli_output_drop(struct cli_output *o)
{
	if (o->temp)
		unlink(o->temp);
	free(o->temp);
	free(o->path);
	*o = (struct cli_output){0};
}
