/* The loop that starts tasks and waits for them (tasks.h). Signals are taken one at a time with
 * sigtimedwait(), so none interrupts other code. */
#include "study/jobs/tasks.h"
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct tasks {
	struct task *t;
	unsigned n, next, running, done, failed;
	const struct tasks_options *o;
	const struct place *place;
	double start;
	sigset_t signals, before;
	bool terminal;
};

const struct place *const places[] = {&place_local, &place_slurm, NULL};

double tasks_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- progress ---- */

static double seconds_left(const struct tasks *p)
{
	double done = 0, left = 0;
	for (unsigned i = 0; i < p->n; i++)
		*(p->t[i].state == TASK_REPORTED ? &done : &left) += p->t[i].cost;
	return done > 0 ? (tasks_now() - p->start) * left / done : -1;
}

static void show_line(const struct tasks *p)
{
	char names[160] = "";
	size_t at = 0;
	for (unsigned i = 0; i < p->next && at < sizeof names - 40; i++)
		if (p->t[i].state == TASK_RUNS)
			at += (size_t)snprintf(names + at, sizeof names - at, "%s%.30s",
					       at ? ", " : "", p->t[i].title);
	double left = seconds_left(p);
	fprintf(stderr, "\r\033[K%s: %u of %u, %u running", p->o->title, p->done, p->n, p->running);
	if (p->failed)
		fprintf(stderr, ", %u failed", p->failed);
	if (left >= 0)
		fprintf(stderr, ", about %ld:%02ld min left", (long)left / 60, (long)left % 60);
	fprintf(stderr, " (%s)", names);
	fflush(stderr);
}

static void show_done(const struct tasks *p, const struct task *t)
{
	if (!p->terminal)
		fprintf(stderr, "%s: %u of %u: %s, %.1f s%s\n", p->o->title, p->done, p->n,
			t->title, t->seconds, t->status ? ", failed" : "");
}

/* ---- the loop ---- */

static void show_progress(struct tasks *p)
{
	for (unsigned i = 0; i < p->next; i++) {
		struct task *t = &p->t[i];
		if (t->state != TASK_ENDED)
			continue;
		t->state = TASK_REPORTED;
		p->done++;
		p->running--;
		p->failed += t->status != 0;
		p->o->done(p->o->arg, t);
		if (p->o->title)
			show_done(p, t);
	}
}

bool tasks_run(struct task *t, unsigned n, const struct tasks_options *o)
{
	struct tasks p = {.t = t,
			  .n = n,
			  .o = o,
			  .place = o->place ? o->place : &place_local,
			  .start = tasks_now(),
			  .terminal = isatty(STDERR_FILENO)};
	struct timespec pause = {(time_t)p.place->interval, 0};
	bool interrupted = false, broken = false;
	sigemptyset(&p.signals);
	sigaddset(&p.signals, SIGINT);
	sigaddset(&p.signals, SIGTERM);
	sigaddset(&p.signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &p.signals, &p.before);
	while (p.done < n && !interrupted) {
		while (p.running < o->jobs && p.next < n) {
			t[p.next].start = tasks_now();
			p.running++;
			p.place->start(o->state, &t[p.next++]);
		}
		if (o->title && p.terminal)
			show_line(&p);
		if (!p.place->poll(o->state, t, p.next)) {
			broken = true;
			break;
		}
		show_progress(&p);
		if (p.done == n || p.running < (p.next < n ? o->jobs : 1))
			continue;
		int s = sigtimedwait(&p.signals, NULL, &pause);
		interrupted = s == SIGINT || s == SIGTERM;
	}
	if (interrupted)
		p.place->stop(o->state, t, p.next);
	if (o->title && p.terminal)
		fprintf(stderr, "\r\033[K");
	sigprocmask(SIG_SETMASK, &p.before, NULL);
	return !interrupted && !broken;
}
