/* Counts the memory that graphs allocate. graph_memory.h explains. */
#include "cuda/memory/graph_memory.h"

#include "cuda/process/alloc.h"
#include "cuda/process/process.h"

struct graph_memory {
	uint64_t addr, size;
	unsigned refs;
	struct graph_memory *next;
};

bool graph_mem_owns(uint64_t addr)
{
	pthread_mutex_lock(&process.memory.graph_lock);
	const struct graph_memory *m = process.memory.graph;
	while (m && m->addr != addr)
		m = m->next;
	pthread_mutex_unlock(&process.memory.graph_lock);
	return m != NULL;
}

uint64_t graph_mem_bytes(bool most)
{
	pthread_mutex_lock(&process.memory.graph_lock);
	uint64_t n = most ? process.memory.graph_most : process.memory.graph_now;
	pthread_mutex_unlock(&process.memory.graph_lock);
	return n;
}

void graph_mem_retain(uint64_t addr, uint64_t size)
{
	pthread_mutex_lock(&process.memory.graph_lock);
	struct graph_memory *m = process.memory.graph;
	while (m && m->addr != addr)
		m = m->next;
	if (!m) {
		m = rt_alloc(sizeof *m);
		*m = (struct graph_memory){addr, size, 0, process.memory.graph};
		process.memory.graph = m;
		process.memory.graph_now += size;
		process.memory.graph_most = process.memory.graph_now > process.memory.graph_most
						    ? process.memory.graph_now
						    : process.memory.graph_most;
	}
	m->refs++;
	pthread_mutex_unlock(&process.memory.graph_lock);
}

bool graph_mem_drop(uint64_t addr)
{
	bool last = false;
	pthread_mutex_lock(&process.memory.graph_lock);
	for (struct graph_memory **p = &process.memory.graph; *p; p = &(*p)->next)
		if ((*p)->addr == addr) {
			struct graph_memory *m = *p;
			if ((last = !--m->refs)) {
				*p = m->next;
				process.memory.graph_now -= m->size;
				free(m);
			}
			break;
		}
	pthread_mutex_unlock(&process.memory.graph_lock);
	return last;
}
