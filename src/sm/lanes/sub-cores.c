/* Sub-cores, as NVIDIA's SMs have since Maxwell: each scheduler has arithmetic units, collectors
 * and its own register file. sm/divided.c has the functions, which other organisations use inside
 * their sub-cores. */
#include "sm/lanes/sub-cores.h"

const struct lane_ops lane_sub_cores = SUB_CORES_OPS;
