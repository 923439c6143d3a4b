/* Prints lines on stderr. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cuda/process/alloc.h"
#include "cuda/process/process.h"

void rt_vsay(const char *fmt, va_list ap)
{
	static const char name[] = "heddle: ";
	char few[2048],
		*line = few; /* short lines use no malloc(), because signal handlers print too */
	size_t at = sizeof name - 1;
	va_list again;
	va_copy(again, ap);
	int k = vsnprintf(few + at, sizeof few - at, fmt, ap);
	size_t n = at + (k > 0 ? (size_t)k : 0);
	if (n >= sizeof few && (line = malloc(n + 1))) {
		vsnprintf(line + at, n + 1 - at, fmt, again);
	} else if (n >= sizeof few) {
		line = few;
		n = sizeof few - 1;
	}
	va_end(again);
	memcpy(line, name, at);
	for (size_t i = 0; i < n; i++) { /* bytes of broken files must not reach a terminal */
		unsigned char c = (unsigned char)line[i];
		if ((c < 32 && c != '\n' && c != '\t') || c == 127)
			line[i] = '?';
	}
	line[n++] = '\n';
	fflush(stdout);
	for (size_t done = 0; done < n;) {
		ssize_t w = write(STDERR_FILENO, line + done, n - done);
		if (w < 0 && errno != EINTR)
			break;
		done += w > 0 ? (size_t)w : 0;
	}
	if (line != few)
		free(line);
}

void rt_say(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	rt_vsay(fmt, ap);
	va_end(ap);
}
