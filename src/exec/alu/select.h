/* Selection by a predicate or a sign, and the classes and signs of floats. */
#ifndef EXEC_SELECT_H
#define EXEC_SELECT_H
#include "exec/uop.h"

bind_fn bind_select;

#endif
