/* Finds and unpacks files of recorded results, plain or compressed. */
#include "cli/golden/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command/command.h"

char *golden_find(const char *dir, const char *name)
{
	char *path = NULL;
	static const char *const suffix[] = {"", ".gz", ".xz"};
	for (unsigned i = 0; i < sizeof suffix / sizeof *suffix; i++) {
		if (asprintf(&path, "%s/%s%s", dir, name, suffix[i]) < 0)
			return NULL;
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

char *golden_file(const char *dir, const char *name, size_t *size)
{
	char *path = golden_find(dir, name);
	if (!path) {
		cli_error("golden", "%s: found neither %s nor %s.gz nor %s.xz", dir, name, name,
			  name);
		return NULL;
	}
	char *data = cli_unpack("golden", path, size);
	free(path);
	return data;
}
