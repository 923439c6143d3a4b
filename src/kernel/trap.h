/* trap and brkpt: makes the fault, with the reason where the program's code shows one. */
#ifndef KERNEL_TRAP_H
#define KERNEL_TRAP_H
#include "exec/memory/access.h"

void trap_executed(struct warp *w, const struct uop *u, unsigned lane);

#endif
