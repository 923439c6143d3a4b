/* A fuzz input as a file in memory, for readers that take a path. */
#ifndef FUZZ_FILE_H
#define FUZZ_FILE_H
#include <stdio.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

struct input_file {
	int fd;
	char path[32];
};

static inline struct input_file input_file(const void *data, size_t size)
{
	struct input_file f = {.fd = memfd_create("input", 0)};
	for (size_t at = 0; f.fd >= 0 && at < size;) {
		ssize_t n = write(f.fd, (const uint8_t *)data + at, size - at);
		if (n <= 0)
			break;
		at += (size_t)n;
	}
	snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
	return f;
}

#endif
