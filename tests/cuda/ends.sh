#!/bin/sh
# Programs that never end, crash, or are no programs: each is said in a clear line, in every mode.
. "$(dirname "$0")/lib.sh"
# Kernels that never end are ended in timing mode as in functional mode; those that only wait for long are not.
cat >endless.cu <<'END'
#include <cstdio>
#include <cstdlib>
__device__ int lock_a, lock_b, flag;
__device__ volatile int never;
__global__ void loop(int *p) { while (!never) ; p[0] = 1; }
__global__ void locks(int *p)
{
	int *a = blockIdx.x ? &lock_a : &lock_b, *b = blockIdx.x ? &lock_b : &lock_a;
	while (atomicCAS(a, 0, 1)) ;
	for (int i = 0; i < 2000; i++) p[blockIdx.x] += i;
	__threadfence();
	while (atomicCAS(b, 0, 1)) ;
	p[0] = 1;
}
__global__ void mbarrier(int *p)
{
	__shared__ unsigned long long b;
	unsigned long long s;
	unsigned at = (unsigned)__cvta_generic_to_shared(&b), done = 0;
	if (!threadIdx.x) asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(at));
	__syncthreads();
	asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(at));
	while (!done)
		asm volatile("{ .reg .pred q; mbarrier.test_wait.shared.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }" : "=r"(done) : "r"(at), "l"(s));
	p[0] = done;
}
__global__ void waits(int *p) /* for a block that computes for long */
{
	float x = threadIdx.x;
	if (blockIdx.x) {
		while (!atomicAdd(&flag, 0)) ;
		p[1] = 1;
		return;
	}
	for (int i = 0; i < 20000; i++) x = x * 0.5f + 1 / x;
	p[2] = (int)x;
	atomicExch(&flag, 1);
}
__global__ void counts(int *p) /* the same answer again and again, so many times */
{
	int n = 0;
	while (atomicMax(&flag, 0) == 1 && ++n < 12000) ;
	p[3] = n;
}
int main(int, char **v)
{
	int *p, h[4] = {};
	cudaMalloc(&p, 4096);
	switch (atoi(v[1])) {
	case 0: loop<<<1, 32>>>(p); break;
	case 1: locks<<<2, 1>>>(p); break;
	case 2: mbarrier<<<1, 32>>>(p); break;
	case 3: waits<<<2, 1>>>(p); counts<<<1, 1>>>(p); break;
	}
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
	printf("%d\n", h[3]);
}
END
$heddle cc -arch=sm_80 endless.cu -o endless >log 2>&1 || fail "endless kernels do not build"
for mode in functional "timing --config gtx480" "timing --config a100"; do
	n=0
	for kernel in loop locks mbarrier; do
		# shellcheck disable=SC2086
		run 1 timeout 60 $heddle run --mode $mode ./endless $n
		said "$kernel: nothing can go on after [0-9]* "
		said "  block [01], warp 0, lanes [0-9-]*: \(poll\|wait for the mbarrier\) .*, .*endless.cu:"
		n=$((n + 1))
	done
	# shellcheck disable=SC2086
	run 0 timeout 60 $heddle run --mode $mode ./endless 3
	[ "$(cat out)" = 12000 ] || fail "a kernel that only takes long is ended ($mode)"
done

# A program that crashes keeps its figures; one that is cut off, or uses no GPU, is said in a line.
cat >crash.cu <<'END'
#include <csignal>
#include <cstdlib>
__global__ void k(int *p) { p[threadIdx.x] = 1; }
int main(int c, char **)
{
	int *p;
	if (c == 1)
		return 0;
	cudaMalloc(&p, 128);
	k<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	if (c == 2)
		abort();
	if (c == 3)
		raise(SIGTERM);
	*(volatile int *)8 = 1;
}
END
$heddle cc crash.cu -o crash >log 2>&1 || fail "a program that crashes does not build"
run 134 $heddle run --stats crash.json ./crash abort
said "the program was ended by signal 6 (Aborted) after 1 launch"
grep -q '"kernel": "_Z1kPi"' crash.json || fail "the statistics of a program that aborts are lost"
rm crash.json
run 143 $heddle run --stats crash.json ./crash by term
said "the program was ended by signal 15 (Terminated) after 1 launch"
grep -q '"kernel": "_Z1kPi"' crash.json || fail "the statistics of a program that SIGTERM ends are lost"
rm crash.json
run 139 $heddle run --stats crash.json ./crash by a segv
said "the program was ended by signal 11 (Segmentation fault) after 1 launch"
grep -q '"kernel": "_Z1kPi"' crash.json || fail "the statistics of a program that crashes are lost"
run 0 $heddle run ./crash
said "the program never used the device: nothing was simulated"
head -c 3000 crash >short
chmod +x short
run 1 $heddle run ./short
said "./short is truncated: it has 3000 bytes of [0-9]*"
[ "$(wc -l <log)" = 1 ] || fail "a program that is cut off: more than a line"
run 134 $heddle run --stats /dev/full ./crash abort
said "cannot write /dev/full: No space left on device"
# A disk that is full: each file that is not written whole is named with the reason, nothing half-written stays, and a
# study or a sweep stops instead of failing in every run.
if unshare -rm true 2>/dev/null; then
	cat >full.sh <<'END'
mkdir -p disk && mount -t tmpfs -o size=64k tmpfs disk || exit 77
dd if=/dev/zero of=disk/fill bs=1k count=60 2>/dev/null
lines() { grep -c "$1" log; }
heddle=$1
for how in "--stats disk/f.json" "--trace disk/f.json" "--sample 100 --sample-file disk/f.csv"; do
	# shellcheck disable=SC2086
	$heddle run --mode timing $how ./launches >out 2>log && echo "taken: $how"
	grep -q 'disk/f.*: No space left on device' log || echo "$how: $(cat log)"
done
[ "$(ls disk)" = fill ] || echo "left on the disk: $(ls disk)"
$heddle reproduce hws --size test --programs BFS --jobs 1 --out disk/report >out 2>log
[ $? -eq 1 ] || echo "a study on a full disk: not status 1"
grep -q '^heddle reproduce: disk/report: No space left on device; with space, the same command continues' log || echo "a study: $(cat log)"
[ "$(lines ' of 29: ')" -eq 1 ] || echo "a study goes on after the disk is full: $(cat log)"
echo done
END
	cat >launches.cu <<'END'
__global__ void k(int *p) { p[threadIdx.x] = 1; }
int main()
{
	int *p;
	cudaMalloc(&p, 128);
	for (int i = 0; i < 40; i++) k<<<1, 32>>>(p);
	cudaDeviceSynchronize();
}
END
	$heddle cc launches.cu -o launches >log 2>&1 || fail "launches.cu does not build"
	said_full=$(unshare -rm sh full.sh "$heddle" 2>&1) || [ $? -ne 77 ] || said_full=done
	[ "$said_full" = done ] || fail "$said_full"
else
	echo "no mount namespace here: full disks were not tried"
fi
exit $bad
