/* A folder of recorded cases: a kernel, its parameters and input bytes, and the bytes a GPU returned.
 *
 *   cases.tsv        a case a line: the columns of struct golden_case
 *   FAMILY.in, .out  input and output bytes; pool.bin: bytes that inputs are pieces of
 *   modules/NAME.ptx the kernels
 *   tensormaps.tsv   tensor maps: case, number in the case, arguments, address, 128 bytes in hexadecimal
 *
 * Each plain or compressed. What one folder lacks (kernels, pool.bin) is taken from a second one. */
#ifndef GOLDEN_CASES_H
#define GOLDEN_CASES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "heddle.h"

enum { CASE_BUFFERS = 8, CASE_MAPS = 4 };

struct case_buffer {
	size_t size;
	const uint8_t *before; /* NULL: every byte is `fill` */
	uint8_t fill;
	const uint8_t *after; /* NULL: not kept */
};

struct golden_case {
	const char *name, *family, *module, *kernel;
	uint32_t grid[3], cluster[3], block[3], shared;
	char *params, *maps; /* as written, `;` between */
	const char *expect;
	struct case_buffer buf[CASE_BUFFERS];
	unsigned nbuf;
};

struct case_set {
	const char *dir, *more; /* more: of what dir lacks, or NULL */
	char *text;             /* that names point into */
	struct golden_case *v;
	unsigned n;
	struct case_file {
		char *name;
		uint8_t *data;
		size_t size;
	} * file;
	unsigned nfile;
};

/* Does the folder hold cases? */
bool cases_in(const char *dir);
/* False: reported. */
bool cases_open(struct case_set *s, const char *dir, const char *more);
void cases_close(struct case_set *s);
/* A module's text, malloc'ed; NULL: reported. */
char *cases_module(const struct case_set *s, const char *name, size_t *size);
/* The arguments of a tensor map as written, `T,type,rank,buffer+offset,...`; which buffer, and where in it.
 * False: not of that form. */
bool cases_map(const char *text, struct heddle_tensor_map *map, unsigned *buffer, uint64_t *offset);

#endif
