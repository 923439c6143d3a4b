/* The files of a folder of recorded results: plain, or compressed by gzip or xz. */
#ifndef GOLDEN_FILE_H
#define GOLDEN_FILE_H
#include <stddef.h>

/* DIR/NAME, DIR/NAME.gz or DIR/NAME.xz, whichever is there: malloc'ed; NULL: none. */
char *golden_find(const char *dir, const char *name);
/* The bytes of a file that golden_find() gave, with a NUL behind them, malloc'ed; NULL: reported. */
char *golden_unpack(const char *path, size_t *size);
/* Both; NULL: reported. */
char *golden_file(const char *dir, const char *name, size_t *size);

#endif
