/* Arrays of NumPy: element types by name, and .npy files of format 1 to 3.
 *
 * The file's size is checked against its header before anything is read from it; errors are
 * reported by cli_error(). tensors.c uses this for the tensors of a step. */
#ifndef CLI_STEP_NPY_H
#define CLI_STEP_NPY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NPY_DIMS = 8 };

struct npy_type {
	const char *name;  /* PyTorch's name: "float16" */
	const char *descr; /* name in a .npy file: "<f2"; bfloat16 and float8 are raw bytes there */
	unsigned size;     /* bytes of an element */
	double (*value)(const uint8_t *bits); /* returns an element as a number */
};
/* Returns the type with a name or with a file's descr; NULL: unknown. */
const struct npy_type *npy_type(const char *name);
/* Names of all types, separated by blanks, for messages. */
const char *npy_type_names(void);

struct npy {
	const struct npy_type *type;
	unsigned ndim;
	uint64_t shape[NPY_DIMS];
	bool fortran;   /* Fortran order: the first index varies fastest */
	uint64_t count; /* number of elements */
	uint8_t *data;  /* the elements, inside `file` */
	char *file;     /* the whole file, malloc'ed */
};
/* Reads a file. False: an error, reported. npy_free() frees the result of a successful npy_read(). */
bool npy_read(const char *path, struct npy *out);
void npy_free(struct npy *n);
/* Returns the bytes of a file with `data` in C order, malloc'ed; NULL: out of memory. */
char *npy_write(const struct npy_type *t, unsigned ndim, const uint64_t *shape, const void *data,
		size_t *size);

#endif
