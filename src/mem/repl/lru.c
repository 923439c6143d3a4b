/* Least recently used: a hit makes a line's stamp the newest, and the oldest stamp is replaced. */
#include "mem/repl.h"

const struct repl_ops repl_lru = {
	.p = {"lru", "the line whose last use is longest ago", ""},
	.renews = true,
};
