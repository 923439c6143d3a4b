/* Libraries of NVIDIA's that a program needs and Heddle does not have: `heddle run` names them before the program starts,
 * because with NVIDIA's own file the program would compute nothing, or garbage, without a word. */
#ifndef COMMAND_NEEDS_H
#define COMMAND_NEEDS_H
#include <stdbool.h>

/* Asks the dynamic loader, in the environment that the program will have, and prints a line per library of NVIDIA's that is
 * not in library_dir. False: one of them is not there at all, or the program's file is cut off, so that it cannot start. */
bool needs_report(const char *path, const char *library_dir);

#endif
