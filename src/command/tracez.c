/* Reads .tracez, the form in which Accel-Sim's tracer 2.0 packs a kernel's trace, as the text of a
 * .traceg file:
 *
 *   text of the head, NUL; u32 bytes of the dictionary; u32; the zstd dictionary
 *   per warp: u32 instructions, u32 parts; per part: u32 bytes, a zstd frame of lines
 *   index: u32 blocks; per block: 10 x u32 (block, cluster and place in it, each x y z, and rank),
 *          u32 warps; per warp: u32 instructions, u32 parts, u64 place of the warp, parts x u32
 *   u64 place of the index */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "command/command.h"

/* An index that is larger than any real one is damaged. */
enum { MOST_PARTS = 1 << 24 };
static const unsigned long long LONGEST_PART = 1ull << 30;

struct input {
	const char *cmd, *path;
	const uint8_t *data;
	size_t size, at;
	size_t unpacked; /* bytes of the parts that are unpacked so far, packed; at most the file's */
	bool failed;
	ZSTD_DCtx *context;
	ZSTD_DDict *dictionary; /* NULL: frames need none */
	FILE *out;
	uint8_t text[1 << 16];
};

__attribute__((format(printf, 2, 3))) static void report_damage(struct input *in, const char *fmt,
								...)
{
	char text[160];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (!in->failed)
		cli_error(in->cmd, "%s: at byte %zu: %s", cli_shown(in->path), in->at, text);
	in->failed = true;
}

static uint64_t read_number(struct input *in, unsigned bytes)
{
	uint64_t v = 0;
	if (in->failed || in->size - in->at < bytes) {
		report_damage(in, "the file ends here, expected %u more bytes", bytes);
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)in->data[in->at++] << (8 * i);
	return v;
}

static void move_to(struct input *in, uint64_t place, const char *what)
{
	if (place > in->size)
		report_damage(in, "the place of %s, byte %llu, is after the file's end", what,
			      (unsigned long long)place);
	else if (!in->failed)
		in->at = (size_t)place;
}

/* A frame of lines; the last one has no line's end. Frames need not state their size: text is written
 * as it is unpacked. */
static void unpack_part(struct input *in)
{
	size_t packed = read_number(in, 4);
	if (in->failed || packed > in->size - in->at) {
		report_damage(in, "a part of %zu bytes is longer than the file", packed);
		return;
	}
	in->unpacked += packed;
	if (in->unpacked > in->size) {
		report_damage(
			in,
			"the index names parts more than once: all of them are longer than the file");
		return;
	}
	ZSTD_inBuffer from = {in->data + in->at, packed, 0};
	size_t more = 1, total = 0;
	ZSTD_DCtx_reset(in->context, ZSTD_reset_session_only);
	while (more) {
		ZSTD_outBuffer to = {in->text, sizeof in->text, 0};
		size_t before = from.pos;
		more = ZSTD_decompressStream(in->context, &to, &from);
		if (ZSTD_isError(more) || (more && from.pos == before && !to.pos)) {
			report_damage(in,
				      "not a whole frame of zstd, or one of another dictionary");
			return;
		}
		if (total + to.pos > LONGEST_PART) {
			report_damage(in, "a part has more than %llu bytes of text", LONGEST_PART);
			return;
		}
		fwrite(in->text, 1, to.pos, in->out);
		total += to.pos;
	}
	if (total)
		fputc('\n', in->out);
	in->at += packed;
}

/* The parts of one warp, whose entry in the index is read; the place in the index stays. */
static void unpack_warp(struct input *in, unsigned warp)
{
	uint64_t count = read_number(in, 4), parts = read_number(in, 4), place = read_number(in, 8);
	if (!in->failed && (parts > MOST_PARTS || parts * 4 > in->size - in->at))
		report_damage(in, "%llu parts of a warp do not fit the file",
			      (unsigned long long)parts);
	size_t next = in->at + (size_t)parts * 4;
	fprintf(in->out, "warp = %u\ninsts = %llu\n", warp, (unsigned long long)count);
	move_to(in, place, "a warp");
	if (!in->failed && (read_number(in, 4) != count || read_number(in, 4) != parts))
		report_damage(in,
			      "a warp has other numbers of instructions and parts than the index");
	for (uint64_t i = 0; i < parts && !in->failed; i++)
		unpack_part(in);
	fputc('\n', in->out);
	move_to(in, next, "the index");
}

static void unpack_block(struct input *in)
{
	unsigned id[10];
	for (unsigned i = 0; i < 10; i++)
		id[i] = (unsigned)read_number(in, 4);
	uint64_t warps = read_number(in, 4);
	fprintf(in->out,
		"#BEGIN_TB\n\nthread block = %u,%u,%u\ncluster id = %u,%u,%u\n"
		"cluster cta = %u,%u,%u\ncluster rank = %u\n\n",
		id[0], id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9]);
	for (unsigned i = 0; i < warps && !in->failed; i++)
		unpack_warp(in, i);
	fputs("#END_TB\n\n", in->out);
}

static void unpack_all(struct input *in)
{
	const uint8_t *end = memchr(in->data, 0, in->size);
	if (!end || in->size < 20) {
		report_damage(in, "expected a .tracez file: a head of text that ends with a NUL");
		return;
	}
	fwrite(in->data, 1, (size_t)(end - in->data), in->out);
	in->at = (size_t)(end - in->data) + 1;
	size_t bytes = read_number(in, 4);
	read_number(in, 4);
	if (!in->failed && bytes > in->size - in->at)
		report_damage(in, "a dictionary of %zu bytes is longer than the file", bytes);
	if (!in->failed && bytes)
		in->dictionary = ZSTD_createDDict(in->data + in->at, bytes);
	if (in->dictionary)
		ZSTD_DCtx_refDDict(in->context, in->dictionary);
	move_to(in, in->size - 8, "the index");
	move_to(in, read_number(in, 8), "the index");
	uint64_t blocks = read_number(in, 4);
	for (uint64_t i = 0; i < blocks && !in->failed; i++)
		unpack_block(in);
}

char *cli_tracez(const char *cmd, const char *path, size_t *size)
{
	char *file = cli_read(cmd, path, size), *text = NULL;
	struct input in = {
		.cmd = cmd, .path = path, .data = (uint8_t *)file, .size = file ? *size : 0};
	if (!file)
		return NULL;
	in.context = ZSTD_createDCtx();
	in.out = open_memstream(&text, size);
	if (in.context && in.out)
		unpack_all(&in);
	else
		report_damage(&in, "out of memory");
	if (in.out && fclose(in.out))
		report_damage(&in, "out of memory");
	ZSTD_freeDDict(in.dictionary);
	ZSTD_freeDCtx(in.context);
	free(file);
	if (!in.failed)
		return text;
	free(text);
	return NULL;
}
