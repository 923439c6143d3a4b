/* Runs a kernel of this folder as C++: prints its 1024 output words as bytes. A block is a set of
 * threads that meet at barriers. Built by ./make with -include KERNEL.cu and -DNAME=kernel. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "dev.h"

enum { GRID = 8, BLOCK = 128, WORDS = 1024 };
thread_local u32 tid_x, ctaid_x;
u32 ntid_x = BLOCK, nctaid_x = GRID;
extern "C" void NAME(const u32 *in, u32 *out, u32 n);

static pthread_barrier_t block_barrier, warp_barrier[BLOCK / 32];
static u32 lane_value[BLOCK], input[WORDS], output[WORDS];

void block_sync(void) { pthread_barrier_wait(&block_barrier); }

u32 warp_exchange(u32 v, u32 from)
{
	pthread_barrier_t *b = &warp_barrier[tid_x / 32];
	lane_value[tid_x] = v;
	pthread_barrier_wait(b);
	u32 r = lane_value[(tid_x & ~31u) + (from & 31)];
	pthread_barrier_wait(b);
	return r;
}

u32 warp_ballot(int p)
{
	u32 mask = 0;
	for (u32 l = 0; l < 32; l++)
		mask |= (u32)(warp_exchange(p != 0, l) != 0) << l;
	return mask;
}

struct where {
	u32 tid, ctaid;
};

static void *thread_main(void *arg)
{
	struct where *w = (struct where *)arg;
	tid_x = w->tid;
	ctaid_x = w->ctaid;
	NAME(input, output, WORDS);
	return NULL;
}

int main(void)
{
	if (fread(input, 4, WORDS, stdin) != WORDS)
		return 1;
	pthread_barrier_init(&block_barrier, NULL, BLOCK);
	for (unsigned w = 0; w < BLOCK / 32; w++)
		pthread_barrier_init(&warp_barrier[w], NULL, 32);
	for (u32 b = 0; b < GRID; b++) {
		pthread_t t[BLOCK];
		struct where w[BLOCK];
		for (u32 i = 0; i < BLOCK; i++) {
			w[i] = (struct where){i, b};
			pthread_create(&t[i], NULL, thread_main, &w[i]);
		}
		for (u32 i = 0; i < BLOCK; i++)
			pthread_join(t[i], NULL);
	}
	return fwrite(output, 4, WORDS, stdout) != WORDS;
}
