/* Memory that graphs allocate: an address for as long as a graph names it. The ledger counts; the
 * graph frees (graph_mem_release() in graph/graph.c). */
#ifndef CUDA_GRAPH_MEMORY_H
#define CUDA_GRAPH_MEMORY_H
#include <stdbool.h>
#include <stdint.h>

bool graph_mem_owns(uint64_t addr);
uint64_t graph_mem_bytes(bool most); /* in use, or the most there ever was */
void graph_mem_retain(uint64_t addr, uint64_t size);
bool graph_mem_drop(uint64_t addr); /* true: no graph names it any more */

#endif
