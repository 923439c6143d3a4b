/* Reads a folder of recorded cases. cases.h describes the files. */
#include "cli/golden/cases.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/command.h"
#include "cli/golden/file.h"

enum { COLUMNS = 12 };

bool cases_in(const char *dir)
{
	char *path = golden_find(dir, "cases.tsv");
	free(path);
	return path != NULL;
}

/* Returns a file of the folder, or of the second folder, which is read once; NULL: an error,
 * reported. */
static const struct case_file *file_of(struct case_set *s, const char *name)
{
	for (unsigned i = 0; i < s->nfile; i++)
		if (!strcmp(s->file[i].name, name))
			return s->file[i].data ? &s->file[i] : NULL;
	struct case_file *v = realloc(s->file, (s->nfile + 1) * sizeof *v);
	if (!v)
		return NULL;
	s->file = v;
	struct case_file *f = &v[s->nfile++];
	*f = (struct case_file){.name = strdup(name)};
	char *here = golden_find(s->dir, name);
	f->data = (uint8_t *)golden_file(here || !s->more ? s->dir : s->more, name, &f->size);
	free(here);
	return f->data ? f : NULL;
}

char *cases_module(const struct case_set *s, const char *name, size_t *size)
{
	char file[256];
	snprintf(file, sizeof file, "modules/%s.ptx", name);
	char *here = golden_find(s->dir, file);
	char *text = golden_file(here || !s->more ? s->dir : s->more, file, size);
	free(here);
	return text;
}

/* ---- one line ---- */

static bool read_shape(const char *text, uint32_t out[3])
{
	return sscanf(text, "%ux%ux%u", &out[0], &out[1], &out[2]) == 3;
}

/* Returns `n` bytes from `offset` of a file; NULL: the file is missing or shorter. */
static const uint8_t *read_piece(struct case_set *s, const char *file, uint64_t offset, size_t n)
{
	const struct case_file *f = file_of(s, file);
	return f && offset <= f->size && n <= f->size - offset ? f->data + offset : NULL;
}

/* Reads SIZE:INIT:OUT. */
static bool read_buffer(struct case_set *s, const char *family, const char *text,
			struct case_buffer *b)
{
	unsigned long long size, init, out = 0;
	char how, kept, in_name[80], out_name[80];
	snprintf(in_name, sizeof in_name, "%s.in", family);
	snprintf(out_name, sizeof out_name, "%s.out", family);
	if (sscanf(text, "%llu:%c%llu:%c%llu", &size, &how, &init, &kept, &out) < 4)
		return false;
	*b = (struct case_buffer){.size = size};
	if (how == 'f')
		b->fill = (uint8_t)init;
	else
		b->before = read_piece(s, how == 'q' ? "pool.bin" : in_name, init, size);
	if (kept == 'o')
		b->after = read_piece(s, out_name, out, size);
	return (how == 'f' || b->before) && (kept != 'o' || b->after);
}

static bool read_case(struct case_set *s, char *line, struct golden_case *c)
{
	char *field[COLUMNS], *save = NULL;
	unsigned n = 0;
	for (char *p = line; p && n < COLUMNS; n++) {
		field[n] = p;
		p = strchr(p, '\t');
		if (p)
			*p++ = 0;
	}
	if (n < COLUMNS)
		return false;
	*c = (struct golden_case){.name = field[0],
				  .family = field[1],
				  .module = field[2],
				  .kernel = field[3],
				  .params = field[8],
				  .maps = field[10],
				  .expect = field[11],
				  .shared = (uint32_t)strtoul(field[7], NULL, 10)};
	if (!read_shape(field[4], c->grid) || !read_shape(field[5], c->cluster) ||
	    !read_shape(field[6], c->block))
		return false;
	for (char *b = strtok_r(field[9], ";", &save); b; b = strtok_r(NULL, ";", &save))
		if (c->nbuf == CASE_BUFFERS || !read_buffer(s, c->family, b, &c->buf[c->nbuf++]))
			return false;
	return true;
}

bool cases_open(struct case_set *s, const char *dir, const char *more)
{
	size_t size;
	char *save = NULL;
	unsigned room = 0, number = 0;
	*s = (struct case_set){.dir = dir, .more = more};
	if (!(s->text = golden_file(dir, "cases.tsv", &size)))
		return false;
	for (char *l = strtok_r(s->text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		if (!number++)
			continue;
		if (s->n == room) {
			room = room ? 2 * room : 256;
			struct golden_case *v = realloc(s->v, room * sizeof *v);
			if (!v)
				return false;
			s->v = v;
		}
		if (!read_case(s, l, &s->v[s->n])) {
			cli_error(
				"golden",
				"cases.tsv:%u: case %s: a column is missing, or the bytes it names",
				number, l);
			return false;
		}
		s->n++;
	}
	return true;
}

void cases_close(struct case_set *s)
{
	for (unsigned i = 0; i < s->nfile; i++) {
		free(s->file[i].name);
		free(s->file[i].data);
	}
	free(s->file);
	free(s->v);
	free(s->text);
}

/* ---- tensor maps ---- */

enum { MAP_FIELDS = 15 };

/* Reads numbers separated by `x`; `-`: none. */
static void read_list(const char *text, int64_t out[5])
{
	char *p = (char *)(uintptr_t)text;
	for (unsigned i = 0; i < 5 && *p && *p != '-'; i++) {
		out[i] = strtoll(p, &p, 10);
		p += *p == 'x';
	}
}

/* Reads a list of numbers in which `-` is a sign. */
static void read_signed(const char *text, int32_t out[3])
{
	char *p = (char *)(uintptr_t)text;
	for (unsigned i = 0; i < 3 && *p; i++) {
		out[i] = (int32_t)strtol(p, &p, 10);
		p += *p == 'x';
	}
}

bool cases_map(const char *text, struct heddle_tensor_map *map, unsigned *buffer, uint64_t *offset)
{
	char copy[400], *field[MAP_FIELDS], *save = NULL;
	unsigned n = 0;
	int64_t dim[5] = {0}, stride[5] = {0}, box[5] = {0}, es[5] = {0};
	snprintf(copy, sizeof copy, "%s", text);
	for (char *p = strtok_r(copy, ",", &save); p && n < MAP_FIELDS;
	     p = strtok_r(NULL, ",", &save))
		field[n++] = p;
	bool im2col = n && *field[0] == 'I';
	if (n != (im2col ? 15u : 12u))
		return false;
	*map = (struct heddle_tensor_map){.im2col = im2col,
					  .type = (unsigned)atoi(field[1]),
					  .rank = (unsigned)atoi(field[2])};
	char *plus = field[3];
	*buffer = (unsigned)strtoul(plus, &plus, 0);
	*offset = *plus == '+' ? strtoull(plus + 1, NULL, 0) : 0;
	read_list(field[4], dim);
	read_list(field[5], stride);
	unsigned at = 8;
	if (im2col) {
		read_signed(field[6], map->lower);
		read_signed(field[7], map->upper);
		map->channels = (uint32_t)strtoul(field[8], NULL, 10);
		map->pixels = (uint32_t)strtoul(field[9], NULL, 10);
		read_list(field[10], es);
		at = 11;
	} else {
		read_list(field[6], box);
		read_list(field[7], es);
	}
	for (unsigned i = 0; i < 5; i++) {
		map->dim[i] = (uint64_t)dim[i];
		if (i < 4)
			map->stride[i] = (uint64_t)stride[i];
		map->box[i] = (uint32_t)box[i];
		map->element_stride[i] = (uint32_t)es[i];
	}
	map->interleave = (unsigned)atoi(field[at]);
	map->swizzle = (unsigned)atoi(field[at + 1]);
	map->l2 = (unsigned)atoi(field[at + 2]);
	map->fill = (unsigned)atoi(field[at + 3]);
	return true;
}
