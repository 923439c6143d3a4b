/* Sites: the program's calls, for messages. A site is a list of return addresses; source lines are
 * looked up when a message needs them. */
#include "cuda/process/site.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cuda/process/alloc.h"
#include "cuda/process/process.h"

extern char **environ;

/* Finds this library's code once, because dladdr() takes microseconds per address. */
static int find_code(struct dl_phdr_info *i, size_t size, void *arg)
{
	uintptr_t here = (uintptr_t) __extension__(const void *) site_here;
	(void)size, (void)arg;
	for (int k = 0; k < i->dlpi_phnum; k++) {
		const ElfW(Phdr) *p = &i->dlpi_phdr[k];
		uintptr_t from = i->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_LOAD || here < from || here >= from + p->p_memsz)
			continue;
		process.sites.code_from = from;
		process.sites.code_to = from + p->p_memsz;
		return 1;
	}
	return 0;
}

static void find_own_code(void) { dl_iterate_phdr(find_code, NULL); }

static bool is_ours(const void *pc)
{
	uintptr_t a = (uintptr_t)pc;
	return a >= process.sites.code_from && a < process.sites.code_to;
}

struct site site_here(void)
{
	void *pc[32];
	struct site s = {0};
	pthread_once(&process.sites.once, find_own_code);
	int n = backtrace(pc, 32), k = 0;
	for (int i = 0; i < n && k < SITE_FRAMES; i++) {
		bool ours = is_ours(pc[i]);
		if (!k && ours)
			s.entry = pc[i];
		else if (ours)
			break;
		else
			s.pc[k++] = pc[i];
	}
	return s;
}

struct site site_at(const void *pc)
{
	/* one byte on, like the return address of a call */
	return (struct site){.pc = {(const char *)pc + 1}};
}

/* ---- lines ---- */

/* Asks addr2line about an address of a file, which prints two lines: the function and the place. */
static bool ask_addr2line(const char *file, uintptr_t at, char *func, char *place, size_t n)
{
	char addr[32];
	int fd[2], status = 0;
	pid_t pid;
	snprintf(addr, sizeof addr, "0x%lx", (unsigned long)at);
	char *argv[] = {"addr2line", "-f", "-C", "-e", (char *)(uintptr_t)file, addr, NULL};
	if (pipe(fd))
		return false;
	posix_spawn_file_actions_t a;
	posix_spawn_file_actions_init(&a);
	posix_spawn_file_actions_adddup2(&a, fd[1], 1);
	posix_spawn_file_actions_addclose(&a, fd[0]);
	posix_spawn_file_actions_addopen(&a, 2, "/dev/null", 1, 0);
	bool started = !posix_spawnp(&pid, argv[0], &a, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&a);
	close(fd[1]);
	FILE *f = fdopen(fd[0], "r");
	bool ok = started && f && fgets(func, (int)n, f) && fgets(place, (int)n, f);
	if (f)
		fclose(f);
	else
		close(fd[0]);
	if (started)
		waitpid(pid, &status, 0);
	if (ok) {
		func[strcspn(func, "\n")] = 0;
		place[strcspn(place, " \n")] = 0;
	}
	return ok;
}

/* True for a place in the program's own sources; templates in CUDA's headers also call this
 * library. */
static bool is_own(const char *place)
{
	return *place != '?' && !strstr(place, ":?") && !strstr(place, ":0") &&
	       !strstr(place, "include/cuda") && !strstr(place, "/usr/include/");
}

static const char *program(void)
{
	char *path = process.sites.program;
	ssize_t n = *path ? 0 : readlink("/proc/self/exe", path, sizeof process.sites.program - 1);
	return n < 0 ? "" : path;
}

/* True for the C library, whose lines say nothing about the program that it starts. */
static bool is_libc(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	return !strncmp(name, "libc.", 5) || !strncmp(name, "libc-", 5) || !strncmp(name, "ld-", 3);
}

/* True for the host function that compilers generate for a kernel: launches come from there, with
 * the line of the kernel. */
static bool is_stub(const char *func) { return !strncmp(func, "__device_stub__", 15); }

/* Returns the first place in the program's own sources, or else the innermost function that has a
 * name. */
static char *look_up(const struct site *s)
{
	char func[512], place[512], named[520] = "";
	char *text = NULL;
	for (int i = 0; i < SITE_FRAMES && s->pc[i] && !text; i++) {
		const char *pc = (const char *)s->pc[i] - 1;
		struct link_map *map;
		Dl_info at;
		if (!dladdr1(pc, &at, (void **)&map, RTLD_DL_LINKMAP) || is_libc(map->l_name))
			continue;
		if (!ask_addr2line(*map->l_name ? map->l_name : program(),
				   (uintptr_t)pc - map->l_addr, func, place, sizeof func))
			continue;
		if (is_stub(func))
			continue;
		if (is_own(place))
			text = rt_string(place);
		else if (!*named && *func != '?')
			snprintf(named, sizeof named, "%s()", func);
	}
	return text ? text : rt_string(*named ? named : "?");
}

/* Returns a key of all return addresses, because the innermost may be in a template of a header. */
static const void *key_of(const struct site *s)
{
	uintptr_t k = (uintptr_t)s->entry;
	for (int i = 0; i < SITE_FRAMES; i++)
		k = (k << 7 | k >> (8 * sizeof k - 7)) ^ (uintptr_t)s->pc[i];
	return (const void *)(k | 1);
}

const char *site_text(const struct site *s)
{
	pthread_mutex_lock(&process.sites.lock);
	char *text = ptrmap_get(&process.sites.texts, key_of(s));
	if (!text && s->pc[0]) {
		Dl_info i;
		char *place = look_up(s), line[600];
		bool named = s->entry && dladdr(s->entry, &i) && i.dli_sname;
		snprintf(line, sizeof line, "%s at %s", named ? i.dli_sname : "the host", place);
		free(place);
		text = rt_string(line);
		ptrmap_put(&process.sites.texts, key_of(s), text);
	}
	pthread_mutex_unlock(&process.sites.lock);
	return text ? text : "?";
}

/* ---- allocations ---- */

struct kept {
	struct site of, by; /* call that allocated the memory, call that freed it */
	uint64_t addr;
	const char *text; /* text of the sites; NULL until a message needs it */
};
/* Number of freed allocations that are remembered, for messages about their use. */
enum { FREED = 1024 };

void site_keep(uint64_t addr)
{
	struct kept k = {.of = site_here(), .addr = addr};
	if (!k.of.pc[0])
		return;
	pthread_mutex_lock(&process.sites.lock);
	ptrmap_put(&process.sites.allocated, (void *)(uintptr_t)addr, rt_copy(&k, sizeof k));
	pthread_mutex_unlock(&process.sites.lock);
}

void site_freeing(uint64_t addr)
{
	struct site here = site_here();
	pthread_mutex_lock(&process.sites.lock);
	struct kept *k = ptrmap_get(&process.sites.allocated, (void *)(uintptr_t)addr);
	if (k && !k->by.pc[0])
		k->by = here;
	pthread_mutex_unlock(&process.sites.lock);
}

void site_forget(uint64_t addr)
{
	site_freeing(addr);
	pthread_mutex_lock(&process.sites.lock);
	struct kept *k = ptrmap_get(&process.sites.allocated, (void *)(uintptr_t)addr);
	if (k) {
		ptrmap_put(&process.sites.allocated, (void *)(uintptr_t)addr, NULL);
		if (!process.sites.freed)
			process.sites.freed = rt_alloc(FREED * sizeof *process.sites.freed);
		process.sites.freed[process.sites.nfreed++ % FREED] = *k;
	}
	free(k);
	pthread_mutex_unlock(&process.sites.lock);
}

static struct kept *freed_at(uint64_t addr)
{
	for (unsigned i = 0; i < FREED && i < process.sites.nfreed; i++)
		if (process.sites.freed[(process.sites.nfreed - 1 - i) % FREED].addr == addr)
			return &process.sites.freed[(process.sites.nfreed - 1 - i) % FREED];
	return NULL;
}

const char *site_of(void *arg, uint64_t addr)
{
	(void)arg;
	pthread_mutex_lock(&process.sites.lock);
	struct kept *k = ptrmap_get(&process.sites.allocated, (void *)(uintptr_t)addr);
	struct kept *gone = k ? NULL : freed_at(addr);
	struct kept copy = k ? *k : gone ? *gone : (struct kept){0};
	pthread_mutex_unlock(&process.sites.lock);
	if (!gone || !copy.by.pc[0])
		return copy.of.pc[0] ? site_text(&copy.of) : NULL;
	if (!copy.text) {
		char text[1300];
		snprintf(text, sizeof text, "%s, freed by %s", site_text(&copy.of),
			 site_text(&copy.by));
		pthread_mutex_lock(&process.sites.lock);
		gone->text = copy.text = rt_string(text); /* kept forever, like all such texts */
		pthread_mutex_unlock(&process.sites.lock);
	}
	return copy.text;
}
