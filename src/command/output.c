/* Output files appear whole or not at all: the data go to a temporary file in the folder of the
 * final name, and the temporary file is renamed when the command commits. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "command/command.h"

static bool is_special(const char *path)
{
	struct stat st;
	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

bool cli_output_write(const char *cmd, struct cli_output *o, const char *path, const void *data,
		      size_t n)
{
	*o = (struct cli_output){.path = strdup(path)};
	/* A device or a pipe cannot be replaced by renaming, so it is written in place. */
	bool special = is_special(path);
	int fd = -1;
	if (special) {
		fd = -2;
	} else if (asprintf(&o->temp, "%s.XXXXXX", path) < 0) {
		o->temp = NULL;
	} else if ((fd = mkstemp(o->temp)) >= 0) {
		mode_t mask = umask(0);
		umask(mask);
		fchmod(fd, 0666 & ~mask);
	}
	FILE *f = fd == -2 ? fopen(path, "wb") : fd >= 0 ? fdopen(fd, "wb") : NULL;
	bool ok = f && fwrite(data, 1, n, f) == n;
	if (f)
		ok &= !fclose(f);
	if (!ok) {
		cli_error(cmd, "%s: cannot write: %s", cli_shown(path), strerror(errno));
		if (fd < 0) {
			free(o->temp);
			o->temp = NULL;
		}
		cli_output_drop(o);
	}
	return ok;
}

bool cli_output_try(const char *cmd, const char *path)
{
	bool was = !access(path, F_OK);
	if (*path && is_special(path) && !access(path, W_OK)) {
		struct stat st;
		if (!stat(path, &st) && !S_ISDIR(st.st_mode))
			return true; /* opening a pipe could wait for its reader */
		errno = EISDIR;
	} else {
		int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (fd >= 0) {
			close(fd);
			if (!was)
				unlink(path);
			return true;
		}
	}
	cli_error(cmd, "%s: cannot write: %s", cli_shown(path), strerror(errno));
	return false;
}

bool cli_output_commit(const char *cmd, struct cli_output *o)
{
	bool ok = !o->temp || !rename(o->temp, o->path);
	if (!ok)
		cli_error(cmd, "%s: cannot write: %s", o->path, strerror(errno));
	else
		free(o->temp), o->temp = NULL;
	cli_output_drop(o);
	return ok;
}

void cli_output_drop(struct cli_output *o)
{
	if (o->temp)
		unlink(o->temp);
	free(o->temp);
	free(o->path);
	*o = (struct cli_output){0};
}
