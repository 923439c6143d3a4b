/* power.data = counted: how many bits change where operands enter the units and results leave them.
 *
 * 	lane 3 of a unit    operand port 0 [ 0x0000ffff ]      the word of thread 3, then of thread 19, ...
 * 	                    operand port 1 [ 0x3f800000 ]      a new word costs a transition for each bit
 * 	                    result         [ 0x00000001 ]      that differs from the one before it
 *
 * Each lane of each unit keeps the last word of each port. Threads come in the order in which the
 * lane takes them: one part after the other. Words of threads that do not execute never reach a port,
 * and a scalar instruction moves one word. Constants have separate ports and are not counted, nor are
 * results that arrive only at the window's end (atomics). Counting changes no cycle. */
#ifndef SM_TOGGLES_H
#define SM_TOGGLES_H
#include "sm/sm.h"

struct toggles *toggles_new(void);
void toggles_free(struct toggles *c);
void toggles_forget(struct toggles *c); /* all ports hold zeros */
/* Called before group g executes t for lanes m (toggles_operands), and after it
 * (toggles_results). */
void toggles_operands(struct sm *sm, int g, const struct tinst *t, lanemask m);
void toggles_results(struct sm *sm, const struct tinst *t);

#endif
