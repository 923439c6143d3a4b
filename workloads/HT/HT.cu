/*
 * HT: keys are put into a hash table of chains, each bucket behind a lock.
 *
 * Used by: the studies of locks on GPUs (forward progress, spin loops, warp scheduling around them).
 * Geometry: blocks of 128 threads, one thread four keys.
 * Memory: a lock and a head of a chain per bucket, a link per key, in global memory. Threads of a warp want the same
 *   lock now and then: the critical section is inside the loop that waits, so that the lane with the lock goes on.
 * Input: synthetic. Random keys, two to a bucket in the mean.
 * Check: each key is in the chain of its bucket, once, and no other is.
 */
#include "../common/workload.h"

enum { THREADS = 128, EACH = 4, NONE = -1 };

static __host__ __device__ uint32_t bucket_of(uint32_t key, uint32_t buckets)
{
	return (key * 2654435761u >> 7) % buckets;
}

__global__ void insert(const uint32_t *key, int *lock, int *head, int *next, int keys, int buckets)
{
	int t = blockIdx.x * THREADS + threadIdx.x;
	for (int i = t * EACH; i < (t + 1) * EACH && i < keys; i++) {
		uint32_t b = bucket_of(key[i], (uint32_t)buckets);
		for (bool done = false; !done;) {
			if (atomicCAS(&lock[b], 0, 1))
				continue;
			__threadfence();
			next[i] = *(volatile int *)&head[b];
			*(volatile int *)&head[b] = i;
			__threadfence();
			atomicExch(&lock[b], 0);
			done = true;
		}
	}
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("HT", argc, argv);
	int keys = (int)workload_number(&w, "--keys", workload_pick(&w, 4000, 40000, 400000), 1, 1 << 24);
	workload_options_end(&w);
	int buckets = keys / 2 + 1, threads = (keys + EACH - 1) / EACH;
	std::vector<uint32_t> key(keys);
	for (uint32_t &k : key)
		k = rng_u32(&w.rng);
	std::vector<int> head(buckets, NONE), next(keys, NONE), found(keys, 0);
	uint32_t *dkey = to_device(key);
	int *dlock = zeroed_on_device<int>(buckets), *dhead = to_device(head), *dnext = to_device(next);
	insert<<<(threads + THREADS - 1) / THREADS, THREADS>>>(dkey, dlock, dhead, dnext, keys, buckets);
	CUDA_LAUNCHED();
	from_device(head, dhead);
	from_device(next, dnext);
	for (int b = 0; b < buckets; b++) {
		int n = 0;
		for (int i = head[b]; i != NONE && n <= keys; i = next[i], n++) {
			if (i < 0 || i >= keys) {
				check_true(&w, "a link names a key", false);
				break;
			}
			check_true(&w, "a key is in its own bucket", bucket_of(key[i], (uint32_t)buckets) == (uint32_t)b);
			found[i]++;
		}
		check_true(&w, "a chain ends", n <= keys);
	}
	check_equal(&w, "times a key is in the table", found, std::vector<int>(keys, 1));
	return workload_finish(&w);
}
