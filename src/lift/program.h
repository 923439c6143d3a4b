/* Entry to the lifter: a cubin or listing, as front/native/module.h has it, becomes a module of decoded code. */
#ifndef LIFT_PROGRAM_H
#define LIFT_PROGRAM_H
#include <stdbool.h>
#include <stddef.h>

struct diag;
struct module;

/* Does the file look like native code (cubin or listing) rather than PTX? */
bool native_recognise(const void *data, size_t n);
/* Reads a file into a module, like ptx_read. */
bool native_program(struct module *m, const char *file, const void *data, size_t n,
		    const char *dialect, struct diag *d);

#endif
