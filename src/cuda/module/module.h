/* Interface between the files about modules: module.c loads them, link.c groups those that need
 * each other, names.c finds kernels and variables. All other files use program.h. */
#ifndef CUDA_MODULE_H
#define CUDA_MODULE_H
#include "cuda/rt.h"

void module_read(struct module *m); /* reads the texts of the module's image, once */
/* Returns the module whose heddle_module contains m: the first of its group. */
struct module *module_root(struct module *m);
/* Groups registered modules that need each other's symbols. */
void modules_group(void);
/* Frees a module's kernels and variables. Call with process.lock. */
void module_forget_names(struct module *m);

bool text_is_name(char c);
/* Finds the next .extern function or variable of a text after p and sets *name, *n. NULL: no
 * more. */
const char *text_extern_next(const char *p, const char **name, size_t *n);

#endif
