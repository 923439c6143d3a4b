#include "command/needs.h"

#include <fcntl.h>
#include <gelf.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command/command.h"

extern char **environ;

/* How names of NVIDIA's libraries begin. Shorter prefixes would match other libraries: libcurl,
 * libnvme. */
static const char *const nvidia[] = {
	"libcudart",     "libcuda.",     "libcudnn",        "libcublas",  "libcufft",
	"libcufile",     "libcuinj",     "libcupti",        "libcurand",  "libcusolver",
	"libcusparse",   "libcutensor",  "libcuvid",        "libnccl",    "libnpp",
	"libnvToolsExt", "libnvJitLink", "libnvblas",       "libnvcuvid", "libnvfatbin",
	"libnvgraph",    "libnvidia-",   "libnvinfer",      "libnvjpeg",  "libnvonnxparser",
	"libnvperf",     "libnvptx",     "libnvrtc",        "libnvvm",    "libcudla",
	"libcudss",      "libcustate",   "libnvcomp",       "libnvshmem", "libnvimgcodec",
	"libnvtiff",     "libnvtx3",     "libcudadebugger",
};

static bool is_nvidia(const char *name)
{
	for (size_t i = 0; i < sizeof nvidia / sizeof *nvidia; i++)
		if (!strncmp(name, nvidia[i], strlen(nvidia[i])))
			return true;
	return false;
}

/* True for a program that starts the dynamic loader; any other program would run instead of listing
 * its libraries. *end: end of its last segment. */
static bool has_loader(const char *path, uint64_t *end)
{
	bool found = false;
	*end = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	size_t n = 0;
	if (elf && !elf_getphdrnum(elf, &n))
		for (size_t i = 0; i < n; i++) {
			GElf_Phdr p;
			if (!gelf_getphdr(elf, (int)i, &p))
				continue;
			found |= p.p_type == PT_INTERP;
			if (p.p_offset + p.p_filesz > *end)
				*end = p.p_offset + p.p_filesz;
		}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return found;
}

/* Starts the program's loader, which prints one line per library, "NAME => PATH (ADDRESS)" or "NAME
 * => not found", and one per function that no library has: "undefined symbol: NAME, version LIBRARY
 * (FILE)". */
static FILE *start_loader(const char *path, pid_t *pid)
{
	int fd[2];
	char *argv[] = {(char *)(uintptr_t)path, NULL};
	if (pipe(fd))
		return NULL;
	posix_spawn_file_actions_t a;
	posix_spawn_file_actions_init(&a);
	posix_spawn_file_actions_adddup2(&a, fd[1], 1);
	posix_spawn_file_actions_addclose(&a, fd[0]);
	posix_spawn_file_actions_adddup2(&a, fd[1], 2);
	static const char *const options[] = {"LD_TRACE_LOADED_OBJECTS", "LD_WARN", "LD_BIND_NOW"};
	char *before[3];
	for (int i = 0; i < 3; i++) {
		const char *value = getenv(options[i]);
		before[i] = value ? strdup(value) : NULL;
		setenv(options[i], "1", 1);
	}
	bool started = !posix_spawn(pid, path, &a, NULL, argv, environ);
	for (int i = 0; i < 3; i++) {
		if (before[i])
			setenv(options[i], before[i], 1);
		else
			unsetenv(options[i]);
		free(before[i]);
	}
	posix_spawn_file_actions_destroy(&a);
	close(fd[1]);
	FILE *f = started ? fdopen(fd[0], "r") : NULL;
	if (!f)
		close(fd[0]);
	return f;
}

/* Reports a problem with a library of NVIDIA's; false: the library is ours. */
static bool report_library(const char *program, const char *name, const char *path,
			   const char *ours)
{
	char *dir = path ? realpath(path, NULL) : NULL;
	if (dir)
		*strrchr(dir, '/') = 0;
	bool is_ours = dir && !strcmp(dir, ours);
	free(dir);
	if (is_ours)
		return false;
	if (path)
		cli_error(
			"run",
			"%s uses NVIDIA's own %s (%s), which Heddle does not simulate: its results are not to be trusted",
			program, name, path);
	else
		cli_error(
			"run",
			"%s needs NVIDIA's library %s, which Heddle does not have (docs/use/cuda-build.md lists those it has)",
			program, name);
	return true;
}

/* Functions that a program calls and a library of ours lacks. */
struct lacking {
	char text[1024]; /* names of the first, separated by commas */
	unsigned count, shown;
	char library[200]; /* library of the first of these functions */
};

static void note_function(struct lacking *l, const char *name, const char *library)
{
	if (!l->count++)
		snprintf(l->library, sizeof l->library, "%s", library);
	if (l->shown < 4 && !strcmp(library, l->library)) {
		strcat(strcat(l->text, l->shown ? ", " : ""), name);
		l->shown++;
	}
}

/* A warning and no error: a program may never get to the call. */
static void report_functions(const char *program, const struct lacking *l)
{
	char more[64] = "";
	if (l->count > l->shown)
		snprintf(more, sizeof more, " and %u more", l->count - l->shown);
	if (l->count)
		cli_error(
			"run",
			"%s calls functions that Heddle does not have: %s of %s%s; it ends if it gets to one",
			program, l->text, l->library, more);
}

bool needs_report(const char *path, const char *library_dir)
{
	char line[8192], name[4096], at[4096], function[200], of[200];
	bool missing = false;
	struct lacking lacking = {0};
	pid_t pid = 0;
	uint64_t end;
	struct stat st;
	bool loader = has_loader(path, &end);
	if (!stat(path, &st) && (uint64_t)st.st_size < end) {
		cli_error("run", "%s is truncated: it has %lld bytes of %llu", path,
			  (long long)st.st_size, (unsigned long long)end);
		return false;
	}
	char *ours = realpath(library_dir, NULL);
	FILE *f = ours && loader ? start_loader(path, &pid) : NULL;
	while (f && fgets(line, sizeof line, f)) {
		if (sscanf(line, "undefined symbol: %199[^, \t\n], version %199s", function, of) ==
		    2) {
			if (is_nvidia(of))
				note_function(&lacking, function, of);
			continue;
		}
		if (sscanf(line, " %4095s => %4095[^\n(]", name, at) != 2)
			continue;
		at[strcspn(at, " ")] = 0;
		bool found = strcmp(at, "not") != 0; /* "not found" */
		if (is_nvidia(name) && report_library(path, name, found ? at : NULL, ours))
			missing |= !found;
	}
	if (f) {
		fclose(f);
		waitpid(pid, NULL, 0);
	}
	if (!missing)
		report_functions(path, &lacking);
	free(ours);
	return !missing;
}
