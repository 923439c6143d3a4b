/* What a warp's lanes wait for: polls that bring nothing new, and lanes that an operation names. */
#ifndef KERNEL_POLL_H
#define KERNEL_POLL_H
#include "kernel/wstate.h"

/* What the poll u of lanes m asked and was answered, by its first lane. */
uint64_t poll_key(const struct wstate *ws, const struct uop *u, uint32_t m);
/* The poll u of lanes m brought the same answer again and again: somebody else must run. */
bool warp_polls(struct wstate *ws, const struct uop *u, uint32_t pc, uint32_t m);
/* Lanes that a .sync operation of lanes m names. */
uint32_t warp_members(const struct warp *w, const struct uop *u, uint32_t m);

#endif
