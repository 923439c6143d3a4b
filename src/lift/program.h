/* Entry to the lifter: turns a cubin or listing, as read by front/native/module.h, into a module of
 * decoded code. */
#ifndef LIFT_PROGRAM_H
#define LIFT_PROGRAM_H
#include <stdbool.h>
#include <stddef.h>

struct diag;
struct module;

/* True if the file looks like native code (a cubin or listing) and not like PTX. */
bool native_recognise(const void *data, size_t n);
/* Reads a file of native code into a module, as ptx_read() reads PTX. */
bool native_program(struct module *m, const char *file, const void *data, size_t n,
		    const char *dialect, struct diag *d);

#endif
