/* First in, first out: stamps stay as allocation left them, and the oldest stamp is replaced. */
#include "mem/repl.h"

const struct repl_ops repl_fifo = {
	.p = {"fifo", "the line that was allocated first", ""},
};
