/* Temporary files and folders of the commands, below TMPDIR. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command/command.h"

char *cli_temp_name(const char *what, const char *suffix)
{
	const char *dir = getenv("TMPDIR");
	char *path;
	if (asprintf(&path, "%s/heddle-%s-XXXXXX%s", dir && *dir ? dir : "/tmp", what, suffix) < 0)
		return NULL;
	return path;
}

char *cli_temp(const char *cmd, const char *suffix)
{
	char *path = cli_temp_name(cmd, suffix);
	int fd = path ? mkstemps(path, (int)strlen(suffix)) : -1;
	if (fd < 0) {
		cli_error(cmd, "cannot make a temporary file %s: %s", path ? path : "",
			  strerror(errno));
		free(path);
		return NULL;
	}
	close(fd);
	return path;
}

void cli_temp_end(char *path)
{
	if (path)
		unlink(path);
	free(path);
}
