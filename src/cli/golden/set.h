/* A folder of golden vectors: index.tsv, FAMILY.bin, ptx.tar or ptx/; each plain or with .gz. */
#ifndef GOLDEN_SET_H
#define GOLDEN_SET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RESULTS_MAX = 4 };
enum exactness { EXACT, APPROX, EMULATED, UNSPECIFIED, EXACTNESS_COUNT };
extern const char *const exactness_name[EXACTNESS_COUNT];

struct variant {
	const char *name, *family, *kinds, *module, *entry;
	unsigned file; /* index of the result file in golden_set.blob */
	uint64_t offset, in_hash;
	uint32_t vectors, n, lanes;
	uint8_t res_bytes[RESULTS_MAX];
	unsigned results;
	enum exactness exactness;
};

struct blob { /* a file of the folder or a member of its archive */
	char *name;
	const char *data; /* NULL: not read yet */
	size_t size;
	char *own;  /* allocated memory, to be freed; NULL: none */
	bool tried; /* reading has been tried, perhaps in vain */
};

struct golden_set {
	const char *dir;
	char *index; /* contents of index.tsv; names point into it */
	struct variant *variant;
	unsigned variants;
	struct blob *blob; /* result files */
	unsigned blobs;
	char *tar;
	size_t tar_size;
	const char *cubins; /* folder of machine code that replaces the PTX; NULL: none */
	char *cubin_tar;    /* archive that the machine code is in; NULL: a folder */
	size_t cubin_tar_size;
};

/* Opens a folder. False: an error, reported. */
bool golden_open(struct golden_set *s, const char *dir);
void golden_close(struct golden_set *s);
/* Reads the modules' machine code: a folder of MODULE.cubin (or of folders with such files), or a
 * tar archive, plain or compressed. False: an error, reported. */
bool golden_cubins(struct golden_set *s, const char *path);
/* Returns a module's cubin, malloc'ed; NULL: none. */
char *golden_cubin(struct golden_set *s, const char *module, size_t *size);
/* Returns the recorded bytes of one half of a variant; NULL: none, or too few. */
const uint8_t *golden_results(struct golden_set *s, const struct variant *v);
/* Returns a PTX module's text, malloc'ed; NULL: an error, reported. */
char *golden_module(struct golden_set *s, const char *name, size_t *size);

#endif
