#!/bin/sh
# Errors that a program does not look at: said again when it ends, and in the exit status under heddle run.
. "$(dirname "$0")/lib.sh"
cat >careless.cu <<'END'
#include <cstdio>
#include <cstdlib>
__global__ void good(int *p) { p[threadIdx.x] = 1; }
__global__ void wrong(int *p, int n) { p[threadIdx.x + n] = 1; }
int main(int argc, char **argv)
{
	int *p;
	cudaMalloc(&p, 128);
	good<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	if (argc > 1)
		wrong<<<1, 32>>>(p, argc > 2 && !atoi(argv[2]) ? 1000000 : 100000); /* 4 MB: in no page */
	good<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	good<<<1, 32>>>(p);
	printf("PASS"); /* no newline: it stays in the buffer until the end */
	return argc > 2 ? atoi(argv[2]) : 0;
}
END
$heddle cc careless.cu -o careless >log 2>&1 || fail "it does not build"
run 0 $heddle run ./careless
unsaid FAILED
run 1 $heddle run ./careless fault
[ "$(cat out)" = PASS ] || fail "the program's output is lost: $(cat out)"
said "THIS RUN FAILED: 1 kernel launch ended in an error, 2 later ones did not run"
unsaid "first error" # it is the only one, and stands above
said "wrong.*"
said "The exit status is 1"
said "A GPU checks pages, not allocations, and would have continued, as Heddle does with --check warn"
run 1 $heddle run --quiet ./careless fault
said "THIS RUN FAILED"
run 0 $heddle run --no-fail-on-fault ./careless fault
said "THIS RUN FAILED"
run 7 $heddle run ./careless fault 7
run 0 $heddle run --check warn ./careless fault
unsaid FAILED
run 1 $heddle run ./careless fault far
unsaid "A GPU checks pages"
run 0 ./careless fault
said "HEDDLE_FAIL_ON_FAULT=1 makes the exit status 1"
run 1 env HEDDLE_FAIL_ON_FAULT=1 ./careless fault
# An allocation by code without lines is said by its function, not by the line of the C library that started it.
cat >lines.cu <<'END'
__global__ void beyond(int *p) { p[threadIdx.x + 100] = 1; }
void launch(int *p) { beyond<<<1, 32>>>(p); }
END
cat >nolines.cpp <<'END'
#include <cuda_runtime_api.h>
void launch(int *p);
int main() { int *p; cudaMalloc((void **)&p, 128); launch(p); return cudaDeviceSynchronize() == cudaSuccess; }
END
$heddle cc -c nolines.cpp -o nolines.o >log 2>&1 && objcopy -g nolines.o && $heddle cc lines.cu nolines.o -o nolines >>log 2>&1 || fail "it does not build"
run 1 $heddle run ./nolines
said "allocated by cudaMalloc at main()"
# A long path does not cost the line behind it.
deep=$PWD/$(printf 'a_folder_with_a_long_name_%02d/' 1 2 3 4 5 6 7 8)
mkdir -p "$deep" && cp lines.cu "$deep" && echo 'int main() { int *p; cudaMalloc(&p, 128); launch(p); return cudaDeviceSynchronize() == cudaSuccess; }' >>"$deep/lines.cu"
$heddle cc "$deep/lines.cu" -o deep >log 2>&1 || fail "it does not build"
run 1 $heddle run ./deep
said "allocated by cudaMalloc at .*/lines.cu:3"
said "(.*/lines.cu:1)"

# Code of inlined calls is given with them, whichever of two it is of; what the compiler moved between two stays without.
cat >calls.h <<'END'
__device__ inline void inner(int *p, int i)
{
	p[i / 2] = i;
}
__device__ inline void outer(int *p, int i)
{
	inner(p, i);
}
END
cat >calls.cu <<'END'
#include "calls.h"
template <int N> __device__ int sum(const int *p) { return p[threadIdx.x] + p[threadIdx.x + N]; }
__global__ void k(int *p, int n)
{
	outer(p, threadIdx.x);
	__syncthreads();
	if (n)
		outer(p + 64, threadIdx.x);
	__syncthreads();
	inner(p + 128, threadIdx.x);
	p[512 + threadIdx.x] = sum<100000>(p + 256);
}
int main()
{
	int *p;
	cudaMalloc(&p, 4096);
	k<<<1, 64>>>(p, 1);
	return cudaDeviceSynchronize() != cudaSuccess;
}
END
$heddle cc calls.cu -o calls >log 2>&1 || fail "calls does not build"
run 1 $heddle run --check race ./calls
said "(.*calls.h:3, inlined at .*calls.h:7, inlined at .*calls.cu:5)"
said "(.*calls.h:3, inlined at .*calls.h:7, inlined at .*calls.cu:8)"
said "(.*calls.h:3, inlined at .*calls.cu:10)"
said "(.*calls.cu:2, inlined at .*calls.cu:11)"
unsaid "near /"
$heddle cc -ptx calls.cu -o calls.ptx >log 2>&1 || fail "no PTX"
! grep -q 'Ltmp\|debug_info\|debug_abbrev' calls.ptx || fail "debug information stays"
# ptxas wants every place of a call in a .loc before it.
awk '$1 == ".loc" { sub(/,$/, "", $4); if ($5 == "function_name" && !(($8 " " $9 " " $10) in seen)) exit 1; seen[$2 " " $3 " " $4] }' calls.ptx ||
	fail "a call without a .loc before it: $(grep -F .loc calls.ptx)"

# Every place of a launch is said, however many there are, and once: a loop that the compiler unrolls is one place.
cat >places.cu <<'END'
template <int N> __global__ void races(int *p)
{
#pragma unroll
	for (int i = 0; i < 16; i++)
		p[i] = threadIdx.x + i;
	__syncthreads();
	p[20] = threadIdx.x;
	p[21] = threadIdx.x, p[22] = blockIdx.x; // of the second lanes agree
	__syncthreads();
	if (threadIdx.x < 32)
		p[64 + threadIdx.x] += p[65 + threadIdx.x];
	p[200] = p[201] = threadIdx.x;
}
__global__ void outside(int *p, int *q)
{
	int sum = 0;
#pragma unroll
	for (int i = 0; i < 16; i++)
		sum += p[threadIdx.x * 16 + i + 100000] + q[threadIdx.x * 16 + i + 100000];
	p[threadIdx.x] = sum;
}
int main(int argc, char **)
{
	int *p;
	cudaMalloc(&p, 4096);
	cudaMemset(p, 0, 4096);
	for (int i = 0; i < 2; i++)
		if (argc > 1)
			outside<<<1, 32>>>(p, p + 32);
		else
			races<1><<<1, 64>>>(p);
	return cudaDeviceSynchronize() != cudaSuccess;
}
END
$heddle cc places.cu -o places >log 2>&1 || fail "places does not build"
run 1 $heddle run --check race,init ./places
for line in 5 7 8 11 12; do said "^  at .*places.cu:$line)"; done
said "^  at st.*places.cu:5)"
[ "$(grep -c '^  at .*places.cu:5)' log)" = 2 ] || fail "an unrolled loop is several places: $(cat log)"
said "first error: .*places.cu:5) [0-9]* times\$"
run 0 $heddle run --check warn ./places outside
[ "$(grep -c 'warning: .*outside any allocation' log)" = 2 ] || fail "two arrays of a line are not two places: $(cat log)"
said "512 times in this launch"

# Launches and copies that did not take place; a grid of no blocks leaves nothing undone.
cat >refused.cu <<'END'
#include <cstdio>
__global__ void k(int *p) { *p = 1; }
int main(int argc, char **argv)
{
	int *p, h[64] = {0}; void *args[] = {&p};
	cudaMalloc(&p, sizeof *p);
	switch (argv[1][0]) {
	case 'x': k<<<1, 2048>>>(p); break;
	case 'y': k<<<dim3(1, 65536), 1>>>(p); break;
	case 'z': k<<<1, dim3(1, 2, 65)>>>(p); break;
	case 't': k<<<1, dim3(32, 33)>>>(p); break;
	case '0': k<<<0, 32>>>(p); break;
	case 'b': k<<<2, dim3(4, 0)>>>(p); break;
	case 'c': cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice); break;
	case 'f': cudaFree(h); break;
	case 'o': cudaLaunchCooperativeKernel((void *)k, dim3(100000), dim3(1024), args, 0, 0); break;
	case 's': k<<<1, 1, 0, (cudaStream_t)h>>>(p); break;
	}
	return cudaDeviceSynchronize();
}
END
$heddle cc refused.cu -o refused >log 2>&1 || fail "refused launches do not build"
run 1 $heddle run ./refused x
said "k: a block of (2048, 1, 1); its x may be 1024 at most"
run 1 $heddle run ./refused y
said "k: a grid of (1, 65536, 1); its y may be 65535 at most"
run 1 $heddle run ./refused z
said "k: a block of (1, 2, 65); its z may be 64 at most"
run 1 $heddle run ./refused t
said "k: a block of (32, 33, 1) has 1056 threads; it may have 1024"
run 1 $heddle run ./refused b
said "k: a block of (4, 0, 1) has no threads"
run 0 $heddle run ./refused 0
said "cudaLaunchKernel at .*refused.cu:12: invalid configuration"
run 1 $heddle run ./refused c
said "cudaMemcpy at .*refused.cu:14: invalid argument"
run 0 ./refused c
run 1 $heddle run ./refused o
said "cudaLaunchCooperativeKernel at .*refused.cu:16: too many blocks"
run 1 $heddle run ./refused s
said "cudaLaunchKernel at .*refused.cu:17: invalid resource handle"
run 0 $heddle run ./refused f
said "cudaFree at .*refused.cu:15"

# Places that cannot be written are found before the program starts.
for option in --stats --trace; do
	run 1 $heddle run --config gtx480 $option nowhere/x ./careless
	said "nowhere/x: cannot write: No such file"
	[ ! -s out ] || fail "$option: the program ran"
done
run 1 $heddle run --config gtx480 --sample 100 --sample-file nowhere/x ./careless
run 1 $heddle run --stats . ./careless
run 1 env HEDDLE_STATS=nowhere/x HEDDLE_FAIL_ON_FAULT=1 ./careless
said "cannot write nowhere/x: No such file"
run 1 $heddle run --native good=nowhere.cubin ./careless
said "nowhere.cubin: No such file"
[ ! -s out ] || fail "--native: the program ran"
run 1 env HEDDLE_NATIVE=_Z4goodPi=nowhere.cubin HEDDLE_FAIL_ON_FAULT=1 ./careless
run 1 env HEDDLE_THREADS=many HEDDLE_FAIL_ON_FAULT=1 ./careless
said "HEDDLE_THREADS=many"

# Settings without effect.
run 0 $heddle run --max-cycles 5 ./careless
said "note: --max-cycles has no effect in functional mode"
run 0 $heddle run --config gtx480 --set registers.nosuch=20 --set registers._Z4goodPi=20 ./careless
said "note: registers.nosuch: the program launched no such kernel"
unsaid "registers._Z4goodPi"

# A module that does not load.
cat >module.cpp <<'END'
#include <cstdio>
#include <cuda.h>
int main()
{
	CUdevice d;
	CUcontext c;
	CUmodule m;
	cuInit(0);
	cuDeviceGet(&d, 0);
	cuCtxCreate(&c, 0, d);
	cuModuleLoadData(&m, ".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { no\033such; }\n");
	puts("PASS");
}
END
$heddle cc module.cpp -lcuda -o module >log 2>&1 || fail "module does not build"
run 1 $heddle run ./module
! grep -q "$(printf '\033')" log || fail "raw bytes in a message"

# A function that is not supported, in a program that does nothing else.
cat >refused.cpp <<'END'
#include <cuda_runtime.h>
int main() { cudaIpcMemHandle_t h; cudaIpcGetMemHandle(&h, &h); return 0; }
END
$heddle cc refused.cpp -o refused >log 2>&1 || fail "refused does not build"
run 1 $heddle run ./refused
said "cudaIpcGetMemHandle is not supported"

# A function of the host in code of both sides is a warning, and a fault of the thread that comes to it.
cat >sides.cu <<'END'
static int ask(int x)
{
	return x;
}
__host__ __device__ int both(int x) { return ask(x); }
__global__ void k(int *p) { *p = both(*p); }
int main()
{
	int *p;
	cudaMalloc(&p, 4);
	k<<<1, 1>>>(p);
	cudaDeviceSynchronize();
}
END
run 0 $heddle cc sides.cu -o sides
said "sides.cu:5: warning: a __host__ __device__ function calls the __host__ function ask"
run 1 $heddle run ./sides
said "assertion failed: a function of the host is called in device code"
grep -q "sides.cu:2: ask: block" out || fail "the assertion does not name the function"
# Where something else is wrong too, clang's own messages are shown.
sed 's/ask(x);/ask(x) + undeclared;/' sides.cu >wrong.cu
run 1 $heddle cc -c wrong.cu -o wrong.o
said "wrong.cu:5:46: error: reference to __host__ function 'ask' in __host__ __device__ function"
unsaid "__hd_host_function"
exit $bad
