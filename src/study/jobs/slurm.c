/* Runs tasks as elements of Slurm's job arrays: a place of tasks.h.
 *
 * Tasks that are started together form a batch: a folder WORK/tasks/NAME with copies of their input
 * files, the file `keys` with a line per element, and the job script `job`. NAME is also the job's
 * name, and the folder exists before the job, so sbatch's answer need not be remembered. A process
 * that comes later (after the submitting computer was lost, or beside a sweep that still runs)
 * reads the folders, asks squeue for jobs with these names, and waits for the living elements
 * instead of submitting them again.
 *
 * A finished task leaves a file in the inbox. squeue is asked only about tasks that have left none,
 * and no more often than needed. An element that Slurm no longer knows, or whose node failed, is
 * lost, and its task is submitted again. While the controller does not answer, jobs continue and
 * results are stored, but no task is given up or submitted again. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/arena.h"
#include "base/vec.h"
#include "command/command.h"
#include "study/jobs/slurm.h"
#include "study/jobs/tasks.h"
#include "study/jobs/work.h"

enum { UNDECIDED = -1, MOST_LOSSES = 10 };
/* In seconds. A shared folder may show a file later than the scheduler reports the job's end. */
enum { GRACE = 20, ASK_SOON = 2, ASK_SELDOM = 30, SUBMIT_SELDOM = 10, STOP_WAIT = 60 };

struct batch {
	const char *name;
	bool ours; /* true: of this sweep; false: of a sweep that has ended */
	bool submitted, unwanted;
	VEC(const char *) keys;
	enum slurm_state *state; /* per element: state that squeue reported */
	bool *ended;             /* per element: its task has ended */
};

struct slurm {
	struct arena arena;
	const struct place_options *o;
	char program[4096]; /* path of this program, for the nodes */
	VEC(struct batch) batches;
	unsigned most, made; /* largest array; number of batches so far */
	double asked, every, submitted;
	bool silent; /* the controller did not answer */
};

/* ---- batches ---- */

static const char *batch_path(struct slurm *s, const struct batch *b, const char *file)
{
	return arena_printf(&s->arena, "%s/tasks/%s%s%s", s->o->work, b->name, *file ? "/" : "",
			    file);
}

static struct batch *batch_new(struct slurm *s, const char *name)
{
	vec_push(&s->batches, (struct batch){.name = arena_strdup(&s->arena, name)});
	return &s->batches.v[s->batches.n - 1];
}

static void batch_read(struct slurm *s, const char *name)
{
	char line[128];
	struct batch *b = batch_new(s, name);
	FILE *f = fopen(batch_path(s, b, "keys"), "r");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		vec_push(&b->keys, arena_strdup(&s->arena, line));
	}
	if (f)
		fclose(f);
	b->state = ARENA_ARRAY(&s->arena, enum slurm_state, b->keys.n + 1);
	b->ended = ARENA_ARRAY(&s->arena, bool, b->keys.n + 1);
	b->ours = work_owner_ended(name + strlen(SLURM_PREFIX));
	b->submitted = true; /* submitted, or never to be submitted */
}

static void batches_read(struct slurm *s)
{
	DIR *in = opendir(arena_printf(&s->arena, "%s/tasks", s->o->work));
	for (struct dirent *e; in && (e = readdir(in));)
		if (!strncmp(e->d_name, SLURM_PREFIX, strlen(SLURM_PREFIX)))
			batch_read(s, e->d_name);
	if (in)
		closedir(in);
}

static bool batch_lives(const struct batch *b)
{
	for (size_t i = 0; i < b->keys.n; i++)
		if (b->state[i] == SLURM_LIVES && !b->ended[i])
			return true;
	return false;
}

static void batch_remove(struct slurm *s, const struct batch *b)
{
	const char *dir = batch_path(s, b, "");
	DIR *in = opendir(dir);
	for (struct dirent *e; in && (e = readdir(in));)
		if (e->d_name[0] != '.')
			unlink(arena_printf(&s->arena, "%s/%s", dir, e->d_name));
	if (in)
		closedir(in);
	rmdir(dir);
}

/* ---- queries ---- */

static void take_state(void *arg, const char *name, unsigned element, enum slurm_state state)
{
	struct slurm *s = arg;
	for (size_t i = 0; i < s->batches.n; i++) {
		struct batch *b = &s->batches.v[i];
		if (strcmp(b->name, name))
			continue;
		b->submitted = true;
		/* A partly cancelled array has several lines: the line of the live element
		 * counts. */
		if (element < b->keys.n && b->state[element] != SLURM_LIVES)
			b->state[element] = state;
	}
}

static bool query_states(struct slurm *s)
{
	s->asked = tasks_now();
	for (size_t i = 0; i < s->batches.n; i++)
		for (size_t k = 0; k < s->batches.v[i].keys.n; k++)
			s->batches.v[i].state[k] = SLURM_UNKNOWN;
	bool ok = slurm_queue(take_state, s);
	if (!ok)
		for (size_t i = 0; i < s->batches.n; i++)
			for (size_t k = 0; k < s->batches.v[i].keys.n; k++)
				s->batches.v[i].state[k] = SLURM_LIVES;
	if (ok == s->silent)
		cli_note("sweep", ok ? "Slurm's controller answers again"
				     : "Slurm's controller does not answer; jobs that run go on, "
				       "the sweep waits for it");
	s->silent = !ok;
	return ok;
}

/* Cancels elements that Slurm runs again after a node failure although their results exist. */
static void cancel_repeated(struct slurm *s)
{
	for (size_t i = 0; i < s->batches.n; i++) {
		struct batch *b = &s->batches.v[i];
		bool lives = false;
		for (size_t k = 0; k < b->keys.n; k++)
			lives |= b->state[k] == SLURM_LIVES;
		if (b->ours && lives && !batch_lives(b))
			slurm_cancel(b->name);
	}
}

/* Removes batches that are not needed any more: this sweep's, and old ones of other sweeps. */
static void batches_clean(struct slurm *s)
{
	enum { OLD = 3600 };
	struct stat st;
	for (size_t i = 0; i < s->batches.n; i++) {
		struct batch *b = &s->batches.v[i];
		bool old = !stat(batch_path(s, b, ""), &st) && time(NULL) - st.st_mtime > OLD;
		if (!batch_lives(b) && (b->ours || old) && !s->silent)
			batch_remove(s, b);
	}
}

/* ---- submitting ---- */

static bool copy_file(const char *from, const char *to)
{
	size_t n;
	struct cli_output o;
	if (!link(from, to) || errno == EEXIST)
		return true;
	char *data = cli_read("sweep", from, &n);
	bool ok = data && cli_output_write("sweep", &o, to, data, n) &&
		  cli_output_commit("sweep", &o);
	free(data);
	return ok;
}

static bool batch_write(struct slurm *s, struct batch *b, struct task **t)
{
	struct cli_output o;
	struct slurm_element *e = ARENA_ARRAY(&s->arena, struct slurm_element, b->keys.n);
	if (!cli_make_dirs(arena_strdup(&s->arena, batch_path(s, b, ""))))
		return false;
	const char *keys = "";
	for (size_t i = 0; i < b->keys.n; i++) {
		const char *copy = batch_path(s, b, arena_printf(&s->arena, "%s.json", t[i]->key));
		if (!copy_file(t[i]->file, copy))
			return false;
		e[i] = (struct slurm_element){t[i]->argv, t[i]->file, copy, t[i]->log};
	}
	size_t n = 0;
	char *list = ARENA_ARRAY(&s->arena, char, b->keys.n * 64 + 1);
	for (size_t i = 0; i < b->keys.n; i++)
		n += (size_t)snprintf(list + n, 64, "%.60s\n", b->keys.v[i]);
	keys = list;
	char *script = slurm_script(s->program, s->o->env, e, (unsigned)b->keys.n);
	const char *job = batch_path(s, b, "job");
	bool ok = cli_output_write("sweep", &o, job, script, strlen(script)) &&
		  cli_output_commit("sweep", &o) &&
		  cli_output_write("sweep", &o, batch_path(s, b, "keys"), keys, n) &&
		  cli_output_commit("sweep", &o);
	free(script);
	return ok;
}

/* Submits a batch. False: Slurm will never accept it. A batch that Slurm cannot accept now is
 * submitted again later. */
static bool batch_submit(struct slurm *s, struct batch *b)
{
	char why[512];
	switch (slurm_submit(s->o, b->name, batch_path(s, b, "job"), batch_path(s, b, "out-%a"),
			     (unsigned)b->keys.n, why, sizeof why)) {
	case SLURM_TAKEN:
		b->submitted = true;
		for (size_t k = 0; k < b->keys.n; k++)
			b->state[k] = SLURM_LIVES;
		return true;
	case SLURM_LATER: return true;
	case SLURM_REFUSED: break;
	}
	cli_error("sweep", "Slurm refuses the job: %s", why);
	return false;
}

static bool submit_tasks(struct slurm *s, struct task **t, unsigned n)
{
	char name[SLURM_NAME], host[64] = "";
	gethostname(host, sizeof host - 1);
	for (unsigned at = 0; at < n; at += s->most) {
		unsigned some = n - at < s->most ? n - at : s->most;
		snprintf(name, sizeof name, SLURM_PREFIX "%.40s.%ld.%lx-%u", host, (long)getpid(),
			 (long)time(NULL), s->made++);
		struct batch *b = batch_new(s, name);
		b->ours = true;
		b->state = ARENA_ARRAY(&s->arena, enum slurm_state, some);
		b->ended = ARENA_ARRAY(&s->arena, bool, some);
		for (unsigned i = 0; i < some; i++) {
			vec_push(&b->keys, t[at + i]->key);
			t[at + i]->handle = (int64_t)(s->batches.n - 1) << 32 | i;
			t[at + i]->gone = 0;
		}
		if (!batch_write(s, b, t + at) || !batch_submit(s, b))
			return false;
	}
	s->submitted = tasks_now();
	return true;
}

/* ---- the tasks ---- */

/* Returns a live element of any batch that runs the task with this key. */
static int64_t find_element(const struct slurm *s, const char *key)
{
	for (size_t i = 0; i < s->batches.n; i++)
		for (size_t k = 0; k < s->batches.v[i].keys.n; k++)
			if (s->batches.v[i].state[k] == SLURM_LIVES &&
			    !strcmp(s->batches.v[i].keys.v[k], key))
				return (int64_t)i << 32 | (int64_t)k;
	return UNDECIDED;
}

static void end_task(struct slurm *s, struct task *t, int status, const char *why)
{
	if (t->handle != UNDECIDED)
		s->batches.v[t->handle >> 32].ended[t->handle & UINT32_MAX] = true;
	t->state = TASK_ENDED;
	t->seconds = tasks_now() - t->start;
	t->status = status;
	t->why = why;
}

/* Decides about a task whose element has ended or is unknown, and which left nothing in the
 * inbox. */
static void judge_missing(struct slurm *s, struct task *t)
{
	const struct batch *b = &s->batches.v[t->handle >> 32];
	enum slurm_state state = b->state[t->handle & UINT32_MAX];
	double now = tasks_now();
	if (!b->submitted)
		return;
	if (state == SLURM_LIVES) {
		t->gone = 0;
		return;
	}
	if (t->gone == 0)
		t->gone = now;
	if (now - t->gone < GRACE)
		return;
	if (state == SLURM_UNKNOWN)
		state = slurm_history(b->name, (unsigned)(t->handle & UINT32_MAX));
	const char *why = slurm_why(state);
	if (why)
		end_task(s, t, 1, why);
	else if (++t->losses > MOST_LOSSES)
		end_task(s, t, 1, "its nodes failed repeatedly");
	else
		t->handle = UNDECIDED;
}

static bool submit_undecided(struct slurm *s, struct task *t, unsigned n)
{
	VEC(struct task *) list = {0};
	unsigned running = 0;
	for (unsigned i = 0; i < n; i++) {
		if (t[i].state != TASK_RUNS)
			continue;
		if (t[i].handle == UNDECIDED && (t[i].handle = find_element(s, t[i].key)) < 0)
			vec_push(&list, &t[i]);
		else
			running++;
	}
	bool due =
		list.n * 4 >= s->o->jobs || !running || tasks_now() - s->submitted > SUBMIT_SELDOM;
	bool ok = !list.n || !due || submit_tasks(s, list.v, (unsigned)list.n);
	vec_free(&list);
	return ok;
}

/* Submits batches again that Slurm could not accept earlier. */
static bool submit_again(struct slurm *s)
{
	for (size_t i = 0; i < s->batches.n; i++)
		if (s->batches.v[i].ours && !s->batches.v[i].submitted &&
		    !batch_submit(s, &s->batches.v[i]))
			return false;
	return true;
}

static void start_task(void *state, struct task *t)
{
	struct slurm *s = state;
	t->state = TASK_RUNS;
	t->handle = UNDECIDED;
	t->gone = 0;
	s->every = ASK_SOON;
}

static bool poll(void *state, struct task *t, unsigned n)
{
	struct slurm *s = state;
	bool news = false;
	int status;
	for (unsigned i = 0; i < n; i++)
		if (t[i].state == TASK_RUNS && s->o->arrived(s->o->arg, &t[i], &status)) {
			end_task(s, &t[i], status, NULL);
			news = true;
		}
	if (tasks_now() - s->asked < s->every)
		return true;
	s->every = news ? ASK_SOON : s->every * 1.5 < ASK_SELDOM ? s->every * 1.5 : ASK_SELDOM;
	if (!query_states(s))
		return true;
	for (unsigned i = 0; i < n; i++)
		if (t[i].state == TASK_RUNS && t[i].handle != UNDECIDED)
			judge_missing(s, &t[i]);
	return submit_again(s) && submit_undecided(s, t, n);
}

static void stop_all(void *state, struct task *t, unsigned n)
{
	struct slurm *s = state;
	double until = tasks_now() + STOP_WAIT;
	for (unsigned i = 0; i < n; i++)
		if (t[i].state == TASK_RUNS && t[i].handle != UNDECIDED)
			s->batches.v[t[i].handle >> 32].unwanted = true;
	for (size_t i = 0; i < s->batches.n; i++)
		if (s->batches.v[i].unwanted && s->batches.v[i].ours)
			slurm_cancel(s->batches.v[i].name);
	for (bool lives = true; lives && tasks_now() < until;) {
		lives = !query_states(s);
		for (size_t i = 0; i < s->batches.n; i++)
			lives |= s->batches.v[i].unwanted && s->batches.v[i].ours &&
				 batch_lives(&s->batches.v[i]);
		if (lives)
			sleep(1);
	}
}

/* ---- the table of functions ---- */

static void close_(void *state)
{
	struct slurm *s = state;
	if (s->batches.n && query_states(s))
		cancel_repeated(s);
	batches_clean(s);
	for (size_t i = 0; i < s->batches.n; i++)
		vec_free(&s->batches.v[i].keys);
	vec_free(&s->batches);
	arena_free(&s->arena);
	free(s);
}

static void *open_(const struct place_options *o)
{
	char why[512];
	struct slurm *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->o = o;
	s->every = ASK_SOON;
	if (readlink("/proc/self/exe", s->program, sizeof s->program - 1) < 0) {
		cli_error("sweep", "--on slurm: /proc/self/exe: %s", strerror(errno));
		free(s);
		return NULL;
	}
	if (!slurm_check(o, why, sizeof why)) {
		cli_error("sweep", "--on slurm: %s", why);
		free(s);
		return NULL;
	}
	s->most = slurm_most();
	batches_read(s);
	return s;
}

const struct place place_slurm = {"slurm", 1, 200, open_, close_, start_task, poll, stop_all};
