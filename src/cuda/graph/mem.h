/* Memory that graphs allocate: an address for as long as the graph lives. */
#ifndef CUDA_GRAPH_MEM_H
#define CUDA_GRAPH_MEM_H
#include <stdbool.h>
#include <stdint.h>

bool graph_mem_owns(uint64_t addr);
uint64_t graph_mem_bytes(bool most); /* now, or the most there ever was */

#endif
