#include "conf/find.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The directory of the file (program or shared library) that contains this code. */
static bool own_dir(char *out, size_t n)
{
	Dl_info info;
	char path[PATH_MAX];
	if (!dladdr((void *)(uintptr_t)conf_find, &info) || !info.dli_fname)
		return false;
	/* a program found through PATH is known only by its bare name */
	if (!realpath(strchr(info.dli_fname, '/') ? info.dli_fname : "/proc/self/exe", path))
		return false;
	char *slash = strrchr(path, '/');
	if (!slash)
		return false;
	*slash = 0;
	return (size_t)snprintf(out, n, "%s", path) < n;
}

static bool is_dir_with_machines(const char *dir)
{
	char path[PATH_MAX];
	return (size_t)snprintf(path, sizeof path, "%s/gtx480.ini", dir) < sizeof path &&
	       !access(path, R_OK);
}

static bool conf_dir(char *out, size_t n)
{
	static const char *const beside[] = {"%s/../conf", "%s/../share/heddle/conf",
					     "%s/../../share/heddle/conf", "%s/conf"};
	const char *env = getenv("HEDDLE_CONF");
	char dir[PATH_MAX];
	if (env)
		return (size_t)snprintf(out, n, "%s", env) < n;
	if (!own_dir(dir, sizeof dir))
		return false;
	for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
		if ((size_t)snprintf(out, n, beside[i], dir) < n && is_dir_with_machines(out))
			return true;
	return false;
}

static char *find_file(const char *name, const char *sub, const char *ext)
{
	char dir[PATH_MAX], path[PATH_MAX];
	if ((strchr(name, '/') || strchr(name, '.')) && !access(name, R_OK))
		return xstrdup(name);
	if (!strchr(name, '/') && conf_dir(dir, sizeof dir) &&
	    (size_t)snprintf(path, sizeof path, "%s/%s%s%s", dir, sub, name, ext) < sizeof path &&
	    !access(path, R_OK))
		return xstrdup(path);
	return NULL;
}

char *conf_find(const char *name) { return find_file(name, "", ".ini"); }

char *conf_find_calibration(const char *name) { return find_file(name, "power/", ".cal"); }

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

const char *conf_names(struct arena *a)
{
	char dir[PATH_MAX];
	struct dirent **list;
	const char *all = "";
	int n = conf_dir(dir, sizeof dir) ? scandir(dir, &list, NULL, by_name) : 0;
	for (int i = 0; i < n; i++) {
		char *dot = strrchr(list[i]->d_name, '.');
		if (dot && !strcmp(dot, ".ini"))
			all = arena_printf(a, "%s%s%.*s", all, *all ? ", " : "",
					   (int)(dot - list[i]->d_name), list[i]->d_name);
		free(list[i]);
	}
	if (n > 0)
		free(list);
	return all;
}
