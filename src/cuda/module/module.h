/* What the files of modules share: module.c loads them, link.c finds those that belong together,
 * names.c has their kernels and variables. Everybody else sees program.h. */
#ifndef CUDA_MODULE_H
#define CUDA_MODULE_H
#include "cuda/rt.h"

void module_read(struct module *m);           /* the texts of its image, once */
struct module *module_root(struct module *m); /* the module it is loaded with */
/* finds out which registered ones belong together */
void modules_group(void);
/* frees its kernels and variables; under process.lock */
void module_forget_names(struct module *m);

bool text_is_name(char c);
/* The next .extern function or variable of a text after p: *name, *n. NULL: no more. */
const char *text_extern_next(const char *p, const char **name, size_t *n);

#endif
