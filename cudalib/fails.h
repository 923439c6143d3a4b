/* An error that a library prints: as the runtime's own it makes the program's status 1 where that is asked for. */
#ifndef LIBRARIES_FAILS_H
#define LIBRARIES_FAILS_H
#include <cstdarg>
#include <cstdio>

extern "C" void __heddleFail(const char *message);

__attribute__((format(printf, 1, 2))) static inline void library_fails(const char *fmt, ...)
{
	char line[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	__heddleFail(line);
}

#endif
