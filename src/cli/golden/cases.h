/* A folder of recorded cases: a kernel, its parameters and input bytes, and the bytes that a GPU
 * returned.
 *
 *   cases.tsv        one case per line: the columns of struct golden_case
 *   FAMILY.in, .out  input and output bytes; pool.bin: bytes that inputs are pieces of
 *   modules/NAME.ptx the kernels
 *   tensormaps.tsv   tensor maps: case, number in the case, arguments, address, 128 bytes in hexadecimal
 *
 * Each plain or compressed. Files that one folder lacks (kernels, pool.bin) are taken from a second
 * one. */
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
	const uint8_t *after; /* recorded bytes; NULL: not recorded */
};

struct golden_case {
	const char *name, *family, *module, *kernel;
	uint32_t grid[3], cluster[3], block[3], shared;
	char *params, *maps; /* as written in the table, separated by `;` */
	const char *expect;
	struct case_buffer buf[CASE_BUFFERS];
	unsigned nbuf;
};

struct case_set {
	const char *dir, *more; /* more: second folder, for files that dir lacks; NULL: none */
	char *text;             /* contents of the table; names point into it */
	struct golden_case *v;
	unsigned n;
	struct case_file {
		char *name;
		uint8_t *data;
		size_t size;
	} * file;
	unsigned nfile;
};

/* True if the folder contains recorded cases. */
bool cases_in(const char *dir);
/* Reads the table of a folder. False: an error, reported. */
bool cases_open(struct case_set *s, const char *dir, const char *more);
void cases_close(struct case_set *s);
/* Returns a module's text, malloc'ed; NULL: an error, reported. */
char *cases_module(const struct case_set *s, const char *name, size_t *size);
/* Reads the arguments of a tensor map, `T,type,rank,buffer+offset,...`. *buffer, *offset: number of
 * the buffer, and byte offset in it. False: the text has another form. */
bool cases_map(const char *text, struct heddle_tensor_map *map, unsigned *buffer, uint64_t *offset);

#endif
