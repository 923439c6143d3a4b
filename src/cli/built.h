/* Programs of the workload suite, built when needed and kept.
 *
 * A kept program's name ends in a fingerprint of everything that it is made from: the sources in
 * its folder and in common/, Heddle's CUDA headers, the compilers and the device library, and
 * Heddle's compiler driver. So a rebuilt but unchanged heddle finds its programs again, a change of
 * a header leads to new programs, and several versions of Heddle can share one folder. */
#ifndef CLI_BUILT_H
#define CLI_BUILT_H
#include "command/suite.h"

/* Returns the path of the row's program, built first if necessary (malloc'ed). NULL: an error,
 * reported under `workload`. */
char *built_program(const struct suite *s, const struct workload_row *row);

#endif
