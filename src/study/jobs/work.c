/* Stores results from the inbox, and removes files that killed processes left. work.h describes the
 * folder. */
#include "study/jobs/work.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "command/command.h"

enum { KEY_LENGTH = KEY_CHARS - 1 };

static void host_name(char host[256])
{
	memset(host, 0, 256);
	if (gethostname(host, 255))
		strcpy(host, "?");
}

bool work_open(struct work *w, struct db *db, const char *store)
{
	static const char *const folders[] = {"tasks", "inbox", "log", "passes"};
	*w = (struct work){.db = db};
	w->dir = arena_printf(&w->arena, "%s.work", store);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (!cli_make_dirs(arena_printf(&w->arena, "%s/%s", w->dir, folders[i])))
			return false;
	return true;
}

void work_close(struct work *w) { arena_free(&w->arena); }

char *work_path(struct arena *a, const char *dir, const char *folder, const char *key,
		const char *what)
{
	char host[256];
	host_name(host);
	return arena_printf(a, "%s/%s/%s.%s.%ld%s", dir, folder, key, host, (long)getpid(), what);
}

/* ---- passes ---- */

char *work_pass(struct arena *a, const char *dir, const char *key)
{
	return arena_printf(a, "%s/passes/%s.ck", dir, key);
}

/* Returns HOST.PID... of a file KEY.HOST.PID.ENDING; NULL: it is another file. */
static const char *owner_in(const char *name, const char *key, const char *ending)
{
	size_t n = strlen(key), all = strlen(name), m = strlen(ending);
	bool is = !strncmp(name, key, n) && name[n] == '.' && all > n + 1 + m &&
		  !strcmp(name + all - m, ending);
	return is ? name + n + 1 : NULL;
}

void work_use_pass(struct arena *a, const char *dir, const char *key)
{
	FILE *f = fopen(work_path(a, dir, "passes", key, ".use"), "we");
	if (f)
		fclose(f);
}

void work_leave_pass(struct arena *a, const char *dir, const char *key)
{
	const char *folder = arena_printf(a, "%s/passes", dir), *owner;
	bool used = false;
	unlink(work_path(a, dir, "passes", key, ".use"));
	DIR *in = opendir(folder);
	for (struct dirent *e; in && (e = readdir(in));) {
		if (!(owner = owner_in(e->d_name, key, ".use")))
			continue;
		if (work_owner_ended(owner))
			unlink(arena_printf(a, "%s/%s", folder, e->d_name));
		else
			used = true;
	}
	if (in)
		closedir(in);
	if (!used)
		unlink(work_pass(a, dir, key));
}

bool work_take_pass(struct arena *a, const char *dir, const char *key, const char *path)
{
	const char *folder = arena_printf(a, "%s/passes", dir), *owner;
	DIR *in = opendir(folder);
	bool taken = false;
	for (struct dirent *e; in && !taken && (e = readdir(in));)
		taken = (owner = owner_in(e->d_name, key, ".part")) && work_owner_ended(owner) &&
			!rename(arena_printf(a, "%s/%s", folder, e->d_name), path);
	if (in)
		closedir(in);
	return taken;
}

/* ---- results ---- */

static void take_result(struct work *w, const char *path)
{
	json_t *run = json_load_file(path, 0, NULL);
	if (run && db_add(w->db, run)) {
		w->added++;
		unlink(path);
	} else if (run) {
		cli_error("sweep", "%s", w->db->why);
	} /* otherwise another sweep has taken it; files are never half written */
	json_decref(run);
}

void work_take(struct work *w)
{
	const char *dir = arena_printf(&w->arena, "%s/inbox", w->dir);
	DIR *in = opendir(dir);
	for (struct dirent *e; in && (e = readdir(in));) {
		size_t n = strlen(e->d_name);
		if (n == KEY_LENGTH + 5 && !strcmp(e->d_name + n - 5, ".json"))
			take_result(w, arena_printf(&w->arena, "%s/%s", dir, e->d_name));
	}
	if (in)
		closedir(in);
}

static bool inbox_has(struct work *w, const char *key, const char *ending)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/inbox/%s.%s", w->dir, key, ending);
	return !access(path, F_OK);
}

bool work_arrived(struct work *w, const char *key, int *status)
{
	bool good = inbox_has(w, key, "json") || db_has(w->db, key);
	*status = !good;
	return good || inbox_has(w, key, "failed");
}

const char *work_why(struct work *w, const char *key)
{
	const char *path = arena_printf(&w->arena, "%s/inbox/%s.failed", w->dir, key);
	json_t *o = json_load_file(path, 0, NULL);
	const char *why = json_string_value(json_object_get(o, "why"));
	why = why ? arena_strdup(&w->arena, why) : NULL;
	json_decref(o);
	unlink(path);
	return why;
}

/* ---- leftovers ---- */

/* True if the process has ended. A killed process stays in the process table until its parent waits
 * for it. */
static bool has_ended(pid_t pid)
{
	char path[32], state = 0;
	if (kill(pid, 0))
		return errno == ESRCH;
	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	FILE *f = fopen(path, "r");
	bool known = f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1;
	if (f)
		fclose(f);
	return known && state == 'Z';
}

bool work_owner_ended(const char *name)
{
	char host[256], *end;
	host_name(host);
	size_t n = strlen(host);
	if (strncmp(name, host, n) || name[n] != '.')
		return false;
	long pid = strtol(name + n + 1, &end, 10);
	return pid > 0 && (*end == '.' || !*end) && has_ended((pid_t)pid);
}

/* True for a file, older than a minute, of a run that is stored. */
static bool is_outdated(struct work *w, const char *name, const char *path)
{
	enum { MINUTE = 60 };
	char key[KEY_CHARS] = "";
	struct stat st;
	memcpy(key, name, KEY_LENGTH);
	return !stat(path, &st) && S_ISREG(st.st_mode) && time(NULL) - st.st_mtime > MINUTE &&
	       db_has(w->db, key);
}

static void clean_folder(struct work *w, const char *folder, bool if_ended)
{
	const char *dir = arena_printf(&w->arena, "%s/%s", w->dir, folder);
	DIR *in = opendir(dir);
	for (struct dirent *e; in && (e = readdir(in));) {
		if (strspn(e->d_name, "0123456789abcdef") != KEY_LENGTH ||
		    e->d_name[KEY_LENGTH] != '.')
			continue;
		const char *path = arena_printf(&w->arena, "%s/%s", dir, e->d_name);
		/* KEY.json is left to work_take() */
		bool result = strlen(e->d_name) == KEY_LENGTH + 5;
		if (!result && ((if_ended && work_owner_ended(e->d_name + KEY_LENGTH + 1)) ||
				is_outdated(w, e->d_name, path)))
			unlink(path);
	}
	if (in)
		closedir(in);
}

void work_clean(struct work *w)
{
	clean_folder(w, "inbox", true);
	clean_folder(w, "tasks", true);
	clean_folder(w, "log", false); /* logs of failed runs are kept for the user */
}
