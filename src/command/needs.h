/* Names the NVIDIA libraries that a program needs and Heddle lacks. `heddle run` prints them before
 * the program starts, because with NVIDIA's own file the program would silently compute nothing, or
 * garbage. */
#ifndef COMMAND_NEEDS_H
#define COMMAND_NEEDS_H
#include <stdbool.h>

/* Runs the dynamic loader in the environment that the program will have, and prints one line per
 * NVIDIA library that is not in library_dir. False: a library is missing, or the program's file is
 * truncated, so the program cannot start. */
bool needs_report(const char *path, const char *library_dir);

#endif
