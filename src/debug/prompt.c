/* The prompt: lines of commands from a terminal, a pipe or a file. An empty line repeats the last command. */
#include "debug/session.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void answer_stopped(struct debug *d, void (*fn)(struct debug *d, FILE *f, void *arg),
			   void *arg)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	fn(d, f, arg);
	fclose(f);
	session_write(d, text, n);
	free(text);
}

struct line {
	const char *text;
	bool goes;
};

static void run_line(struct debug *d, FILE *f, void *arg)
{
	struct line *l = arg;
	l->goes = session_command(d, l->text, f, true);
}

static void say_stopped(struct debug *d, FILE *f, void *arg)
{
	(void)arg;
	session_say_stop(d, f);
}

void prompt_serve(struct debug *d)
{
	struct line l = {0};
	char *text = NULL;
	size_t room = 0;
	bool terminal = isatty(d->in) != 0;
	answer_stopped(d, say_stopped, NULL);
	while (!l.goes && !d->detached) {
		if (terminal)
			session_write(d, "(heddle) ", 9);
		ssize_t n = getline(&text, &room, d->lines);
		if (n < 0 && errno == EINTR) { /* Ctrl-C while nothing runs */
			clearerr(d->lines);
			atomic_store(d->gpu->interrupt, false);
			atomic_store(d->gpu->interrupted_at, 0);
			session_write(d, "\n", 1);
			continue;
		}
		if (n < 0) { /* the end of a script, or of the terminal's input */
			l.text = "quit";
			answer_stopped(d, run_line, &l);
			break;
		}
		while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
			text[--n] = 0;
		if (n) {
			free(d->last_line);
			d->last_line = xstrdup(text);
		}
		l.text = d->last_line && terminal ? d->last_line : text;
		answer_stopped(d, run_line, &l);
	}
	free(text);
}
