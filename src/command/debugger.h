/* Connects a debugger: waits until GDB connects. */
#ifndef COMMAND_DEBUGGER_H
#define COMMAND_DEBUGGER_H
#include <stdbool.h>

/* address: ":PORT" or "HOST:PORT" of this machine, "unix:FILE", or "-" for standard input and
 * output; with "-", the program's own output goes to standard error. fd receives the descriptors to
 * read from and to write to. False: an error, reported. */
bool debugger_listen(const char *address, bool quiet, int fd[2]);

#endif
