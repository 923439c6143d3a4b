/* NVIDIA's fat binary container: several images of one program, plain or compressed. */
#ifndef CUDA_FATBIN_H
#define CUDA_FATBIN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FATBIN_MAGIC = 0xba55ed50u }; /* its first word */

enum { FATBIN_PTX = 1, FATBIN_ELF = 2 };
enum fatbin_packing { FATBIN_PLAIN, FATBIN_LZ4, FATBIN_ZSTD };
struct fatbin_entry {
	unsigned kind, arch;
	bool ours;        /* `heddle cc` wrote it */
	unsigned machine; /* of `heddle cc -code sm_20`: 20; else 0 */
	enum fatbin_packing packing;
	const uint8_t *data;
	size_t size;       /* of data */
	uint64_t unpacked; /* size, if packed */
};
/* The length in the container's header, header included; 0: not a container. */
size_t fatbin_length(const void *image);
/* Walks the entries of size bytes; *at starts as 0. False: no more, or damaged. */
bool fatbin_next(const void *image, size_t size, size_t *at, struct fatbin_entry *e);
/* An entry's contents, unpacked, with a NUL behind (malloc'ed). NULL: damaged. */
char *fatbin_unpack(const struct fatbin_entry *e, size_t *size);
/* The length of a bare cubin by its headers, which also say for which architecture it is; 0: no
 * cubin. */
size_t cubin_length(const void *image, unsigned *arch);
/* Machine code of this architecture can be executed: sm_1x, sm_2x, sm_75 to sm_90. */
static inline bool cubin_runs(unsigned arch)
{
	return (arch >= 10 && arch < 30) || (arch >= 75 && arch <= 90);
}
/* The PTX for the newest architecture (malloc'ed), or without PTX machine code that can be
 * executed, the newest; with HEDDLE_CODE=native machine code comes before PTX. NULL: neither.
 * *native: highest architecture of machine code that was seen, 0: none. */
char *fatbin_program(const void *image, size_t size, size_t *n, unsigned *native);
/* The architecture whose machine code the container's PTX is to run as; 0: none. */
unsigned fatbin_machine(const void *image);
/* Whether `heddle cc` made a part of the container. */
bool fatbin_is_ours(const void *image);

#endif
