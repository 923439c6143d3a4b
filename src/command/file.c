/* Reads whole files, plain or compressed, and makes folders. output.c writes files. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "command/command.h"

/* Makes an empty name visible. */
const char *cli_shown(const char *path) { return *path ? path : "''"; }

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
		cli_error(cmd, "%s: %s", cli_shown(path), strerror(errno ? errno : ENOMEM));
		return NULL;
	}
	gzbuffer(f, 1 << 17);
	errno = 0;
	char *buf = read_all(f, size);
	if (!buf)
		cli_error(cmd, "%s: %s", cli_shown(path),
			  errno ? strerror(errno) : "damaged or truncated");
	gzclose(f);
	return buf;
}

char *cli_read(const char *cmd, const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	if (!f || fstat(fileno(f), &st) || (S_ISDIR(st.st_mode) && (errno = EISDIR))) {
		cli_error(cmd, "%s: %s", cli_shown(path), strerror(errno));
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
		cli_error(cmd, "%s: %s", cli_shown(path), buf ? strerror(errno) : "out of memory");
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
