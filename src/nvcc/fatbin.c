/* The container for device code: NVIDIA's fat binary with uncompressed PTX entries, so that one
 * reader serves programs of both compilers. docs/use/cuda-build.md describes the fields. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nvcc/cc.h"
#include "command/command.h"
#include "command/cubin.h"

struct fatbin_header {
	uint32_t magic;       /* 0xba55ed50 */
	uint16_t version;     /* 1 */
	uint16_t header_size; /* 16 */
	uint64_t size;        /* bytes of all entries that follow */
};

struct fatbin_entry {
	uint16_t kind;        /* 1: PTX */
	uint16_t version;     /* 0x0101 */
	uint32_t header_size; /* 64 */
	uint64_t size;        /* bytes of the payload, padded to a multiple of 8 */
	uint32_t compressed;  /* 0: not compressed */
	uint32_t options;
	uint16_t minor, major; /* PTX version */
	uint32_t arch;         /* architecture, such as 70 */
	uint32_t name_offset, name_size;
	uint64_t flags;
	uint64_t machine;    /* MACHINE; with `heddle cc -code sm_20` plus 20 */
	uint64_t plain_size; /* bytes of the payload before compression; 0: not compressed */
};
_Static_assert(sizeof(struct fatbin_header) == 16, "fixed by the format");
_Static_assert(sizeof(struct fatbin_entry) == 64, "fixed by the format");

enum { FLAG_64BIT = 1, FLAG_LINUX = 0x10 };
/* also known to the runtime's reader (cuda/module/fatbin.c) */
static const uint64_t MACHINE = 0x4848454400000000;

static void ptx_version(const char *ptx, struct fatbin_entry *e)
{
	const char *v = strstr(ptx, ".version ");
	if (v) {
		char *end;
		e->major = (uint16_t)strtoul(v + 9, &end, 10);
		e->minor = *end == '.' ? (uint16_t)strtoul(end + 1, NULL, 10) : 0;
	}
	v = strstr(ptx, ".target sm_");
	if (v)
		e->arch = (uint32_t)strtoul(v + 11, NULL, 10);
}

bool cc_fatbin_write(const struct cc *cc, const char *path, const char *ptx_path)
{
	size_t n;
	char *ptx = cc_slurp(ptx_path, &n);
	if (!ptx) {
		cli_error("cc", "cannot read %s", ptx_path);
		return false;
	}
	size_t padded = (n + 1 + 7) / 8 * 8; /* including the text's NUL */
	struct fatbin_entry e = {.kind = 1,
				 .version = 0x0101,
				 .header_size = sizeof e,
				 .size = padded,
				 .arch = (uint32_t)cc_arch(cc) / 10,
				 .flags = FLAG_64BIT | FLAG_LINUX,
				 .machine = MACHINE | (uint32_t)cc->machine / 10};
	ptx_version(ptx, &e);
	struct fatbin_header h = {0xba55ed50, 1, sizeof h, sizeof e + padded};
	char *all = calloc(1, sizeof h + sizeof e + padded);
	bool ok = false;
	if (all) {
		memcpy(all, &h, sizeof h);
		memcpy(all + sizeof h, &e, sizeof e);
		memcpy(all + sizeof h + sizeof e, ptx, n);
		ok = cc_spill(path, all, sizeof h + sizeof e + padded);
	}
	free(all);
	free(ptx);
	return ok;
}

bool cc_cubin_write(const struct cc *cc, const char *path, const char *ptx_path)
{
	int arch = cc_arch(cc), machine = cc->machine                  ? cc->machine
					  : arch == 130 || arch == 200 ? arch
								       : 0;
	if (!machine) {
		fprintf(stderr,
			"heddle cc: %s has PTX, which programs can load: machine code is made for sm_13 and sm_20\n",
			path);
		return cc_fatbin_write(cc, path, ptx_path);
	}
	size_t n, size;
	char *ptx = cc_slurp(ptx_path, &n);
	if (!ptx) {
		cli_error("cc", "cannot read %s", ptx_path);
		return false;
	}
	void *cubin =
		ptxas_cubin(&(struct heddle_text){ptx_path, ptx, n, NULL},
			    &(struct heddle_compile){.sm = (unsigned)machine / 10}, &size, false);
	bool ok = cubin && cc_spill(path, cubin, size);
	free(cubin);
	free(ptx);
	return ok;
}
