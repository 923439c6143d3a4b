/* An error that a library prints. Like the runtime's own errors it makes the program's exit status 1 under HEDDLE_FAIL_ON_FAULT. */
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
