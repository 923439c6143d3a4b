/* Entry to the lifter: turns a cubin or listing, as read by front/native/module.h, into a module of
 * decoded code. */
#ifndef LIFT_PROGRAM_H
#define LIFT_PROGRAM_H
#include <stdbool.h>
#include <stddef.h>

struct diag;
struct module;

/* True if the file looks like native code (cubin or listing) rather than PTX. */
bool native_recognise(const void *data, size_t n);
/* Reads a file into a module; the counterpart of ptx_read(). */
bool native_program(struct module *m, const char *file, const void *data, size_t n,
		    const char *dialect, struct diag *d);

#endif
