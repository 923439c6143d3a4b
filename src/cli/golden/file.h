/* The files of a folder of recorded results: plain, or compressed by gzip or xz. */
#ifndef GOLDEN_FILE_H
#define GOLDEN_FILE_H
#include <stddef.h>

/* Returns the path of DIR/NAME, DIR/NAME.gz or DIR/NAME.xz (malloc'ed); NULL: no such file. */
char *golden_find(const char *dir, const char *name);
/* Reads such a file and unpacks it; NULL: an error, reported. */
char *golden_file(const char *dir, const char *name, size_t *size);

#endif
