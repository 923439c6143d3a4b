/* Reads a whole file. */
#include <stdio.h>
#include "cuda/process/alloc.h"
#include "cuda/process/process.h"

char *rt_read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL;
	*n = 0;
	if (!f)
		return NULL;
	for (size_t got = 1; got;) {
		data = rt_grow(data, *n + 65536 + 16);
		got = fread(data + *n, 1, 65536, f);
		*n += got;
	}
	memset(data + *n, 0, 16);
	if (ferror(f)) { /* a folder can be opened but not read */
		free(data);
		data = NULL;
	}
	fclose(f);
	return data;
}
