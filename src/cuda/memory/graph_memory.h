/* Memory that graphs allocate: an address lives as long as some graph names it. The functions here
 * only count; graph_mem_release() in graph/graph.c frees. */
#ifndef CUDA_GRAPH_MEMORY_H
#define CUDA_GRAPH_MEMORY_H
#include <stdbool.h>
#include <stdint.h>

bool graph_mem_owns(uint64_t addr);
/* bytes in use; most: highest number of bytes ever in use */
uint64_t graph_mem_bytes(bool most);
void graph_mem_retain(uint64_t addr, uint64_t size);
bool graph_mem_drop(uint64_t addr); /* true: no graph names the address any more */

#endif
