/* NVIDIA's fat binary container, which holds several images of one program, plain or compressed.
 * fatbin_program() chooses the image that is executed. */
#ifndef CUDA_FATBIN_H
#define CUDA_FATBIN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FATBIN_MAGIC = 0xba55ed50u }; /* first word of a container */

enum { FATBIN_PTX = 1, FATBIN_ELF = 2 };
enum fatbin_packing { FATBIN_PLAIN, FATBIN_LZ4, FATBIN_ZSTD };
struct fatbin_entry {
	unsigned kind, arch;
	bool ours;        /* written by `heddle cc` */
	unsigned machine; /* 20 after `heddle cc -code sm_20`; otherwise 0 */
	enum fatbin_packing packing;
	const uint8_t *data;
	size_t size;       /* bytes of data */
	uint64_t unpacked; /* bytes after decompression; 0: not compressed */
};
/* Returns the length in the container's header, header included; 0: not a container. */
size_t fatbin_length(const void *image);
/* Returns the next of the entries in `size` bytes; *at starts as 0. False: no more entries, or
 * damaged. */
bool fatbin_next(const void *image, size_t size, size_t *at, struct fatbin_entry *e);
/* Returns an entry's contents, decompressed and NUL-terminated (malloc'ed). NULL: damaged. */
char *fatbin_unpack(const struct fatbin_entry *e, size_t *size);
/* Returns the length of a bare cubin according to its headers, and sets its architecture; 0: no
 * cubin. */
size_t cubin_length(const void *image, unsigned *arch);
/* True for architectures whose machine code can be executed: sm_1x, sm_2x, sm_75 to sm_90. */
static inline bool cubin_runs(unsigned arch)
{
	return (arch >= 10 && arch < 30) || (arch >= 75 && arch <= 90);
}
/* Returns the PTX for the newest architecture (malloc'ed, *n bytes). NULL: none. */
char *fatbin_ptx(const void *image, size_t size, size_t *n);
/* Returns the newest machine code that can be executed (malloc'ed, *n bytes). NULL: none. *native: the
 * highest architecture of any machine code; 0: none. */
char *fatbin_code(const void *image, size_t size, size_t *n, unsigned *native);
/* True for a cubin whose kernels launch kernels: it calls the driver's function for launches, which only PTX has here. */
bool cubin_launches(const void *image, size_t size);
/* True if machine code comes before PTX (HEDDLE_CODE=native). */
bool fatbin_prefers_code(void);
/* Returns the PTX for the newest architecture (malloc'ed). Without PTX, or with HEDDLE_CODE=native,
 * returns the newest machine code that can be executed. NULL: neither exists. *native: the highest
 * architecture of any machine code; 0: none. */
char *fatbin_program(const void *image, size_t size, size_t *n, unsigned *native);
/* Returns the architecture whose machine code the container's PTX is to be compiled to; 0: none. */
unsigned fatbin_machine(const void *image);
/* True if `heddle cc` made a part of the container. */
bool fatbin_is_ours(const void *image);

#endif
