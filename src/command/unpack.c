/* Reads files that may be compressed by gzip or xz, or be packed traces (tracez.c). */
#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/command.h"

enum { CHUNK = 1 << 20 };

/* Enlarges the buffer for another chunk and a NUL; false: out of memory. */
static bool grow_buffer(char **buf, size_t *room, size_t used)
{
	if (*room - used > CHUNK)
		return true;
	size_t more = 2 * *room + 2 * CHUNK;
	char *p = realloc(*buf, more);
	if (!p)
		return false;
	*buf = p;
	*room = more;
	return true;
}

/* Unpacks f; NULL: damaged, or out of memory. */
static char *unpack_xz(FILE *f, size_t *size)
{
	static uint8_t in[1 << 16];
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret r = lzma_stream_decoder(&s, UINT64_MAX, LZMA_CONCATENATED);
	char *buf = NULL;
	size_t room = 0, used = 0;
	while (r == LZMA_OK && grow_buffer(&buf, &room, used)) {
		if (!s.avail_in) {
			s.next_in = in;
			s.avail_in = fread(in, 1, sizeof in, f);
		}
		s.next_out = (uint8_t *)buf + used;
		s.avail_out = CHUNK;
		r = lzma_code(&s, feof(f) ? LZMA_FINISH : LZMA_RUN);
		used += CHUNK - s.avail_out;
	}
	lzma_end(&s);
	if (r != LZMA_STREAM_END) {
		free(buf);
		return NULL;
	}
	buf[used] = 0;
	*size = used;
	return buf;
}

char *cli_unpack(const char *cmd, const char *path, size_t *size)
{
	size_t n = strlen(path);
	if (n > 7 && !strcmp(path + n - 7, ".tracez"))
		return cli_tracez(cmd, path, size);
	if (n < 3 || strcmp(path + n - 3, ".xz"))
		return cli_read_gz(cmd, path, size);
	FILE *f = fopen(path, "rb");
	if (!f) {
		cli_error(cmd, "%s: %s", cli_shown(path), strerror(errno));
		return NULL;
	}
	char *data = unpack_xz(f, size);
	fclose(f);
	if (!data)
		cli_error(cmd, "%s: damaged or truncated", cli_shown(path));
	return data;
}
