/* Interface of all entry points of the CUDA libraries. The header of each folder has details:
 *
 *   process/process.h   the one process: device, errors, messages, locks, all mutable state
 *   stream/work.h       asynchronous work, streams, events
 *   memory/memory.h     allocations, arrays, copies, fills
 *   module/program.h    modules, kernels, variables, launches
 *
 * Asynchronous work of all streams is one list in the order of submission (stream/queue.c). One
 * thread executes the list, oldest entry first. An entry may run when every older entry that it
 * must wait for is done: work of its own stream, the event it waits for, and, across the legacy
 * default stream, work of all streams but non-blocking ones. In timing mode launches of different
 * streams that need not wait for each other run together (stream/batch.c). Which launches run
 * together must not depend on the host's speed, so work is deferred until the program waits for
 * something. Host functions run in a thread of their own: a host function that waits holds up only
 * the work that depends on it.
 *
 * Calls go downwards in this order; where a lower folder must call a higher one, the lower one uses
 * a function pointer that the higher one has set (tests/check-links):
 *
 *   process, device < memory/heap, copy, fill < stream/work, queue, check < module
 *   < entry points, graph < driver < start.c */
#ifndef CUDA_RT_H
#define CUDA_RT_H
#include "cuda/memory/memory.h"
#include "cuda/module/program.h"
#include "cuda/process/process.h"
#include "cuda/stream/work.h"

#endif
