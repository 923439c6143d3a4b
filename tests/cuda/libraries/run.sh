#!/bin/sh
# cuBLAS, cuBLASLt, cuFFT, cuRAND, cuSOLVER, cuSPARSE and NVRTC: programs that are linked with them, by heddle cc and
# by gcc from a CUDA home, get right results from simulated kernels, in both modes; and so do those that include CUB's and Thrust's headers.
# With LONG in the environment all of them are built; the quick tests leave out some that compile for long.
heddle=$(realpath "${HEDDLE:-${B:-build}/heddle}")
dir=$(realpath "$(dirname "$0")")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
bad=0
fail() {
	echo "FAIL $1"
	cat out log 2>/dev/null | head -n 20 | cut -c 1-200
	bad=1
}
run() { # NAME LIBRARIES RESULTS
	from=$dir/$1.cu
	[ -f "$from" ] || from=$dir/$1.cpp # without kernels: the host's compiler alone
	$heddle cc -std=c++14 -O1 "$from" $2 -o $1 >log 2>&1 || { fail "$1 does not build"; return; }
	$heddle run --no-fail-on-fault ./$1 >out 2>log || fail "$1" # refusals are among the results
	grep -qx "$3 results" out || fail "$1: not $3 results"
	grep -q 'kernel launches' log || fail "$1: nothing was simulated"
}
run blas -lcublas 120
run blas_symmetric -lcublas 74
run blas_packed -lcublas 252
run blas_batch -lcublas 307
run blas_old -lcublas 45
run blas_xt -lcublas 289
run fft -lcufft_static 103
[ -z "$LONG" ] || run fft_callback -lcufft_static 72
run fft_callback "-lcufft_static -rdc=true" 72
run rand -lcurand 100
run nvrtc "-lnvrtc -lcuda" 53
[ -z "$LONG" ] || run sparse -lcusparse 28
run sparse_more -lcusparse 697
run solver -lcusolver 251
run light -lcublasLt 424

# What a library refuses is an error of the run, though the program does not ask.
cat >refused.cpp <<'END'
#include <curand.h>
int main() { curandGenerator_t g; curandCreateGenerator(&g, CURAND_RNG_PSEUDO_MTGP32); return 0; }
END
$heddle cc refused.cpp -lcurand -o refused >log 2>&1 || fail "a refused generator does not build"
$heddle run ./refused >out 2>log
[ $? = 1 ] && grep -q "^heddle: cuRAND's generator 141 (MTGP32) is not supported" log || fail "a refused generator"

cat >refused.cpp <<'END'
#include <cufftXt.h>
int main() { void *f = 0; return cufftXtSetCallback(1, &f, CUFFT_CB_LD_REAL, 0) != CUFFT_NOT_SUPPORTED; }
END
$heddle cc refused.cpp -lcufft -o refused >log 2>&1 || fail "a callback without device code does not build"
$heddle run ./refused >out 2>log
[ $? = 1 ] && grep -q "^heddle: cufftXtSetCallback is called in a file without device code" log || fail "a callback without device code"

# CUB and Thrust, where the package with their headers is installed.
echo '#include <thrust/version.h>' >there.cu
if $heddle cc -E there.cu >/dev/null 2>&1; then
	run collective "" 10
	[ -z "$LONG" ] || run collective_kernels "" 3
	[ -z "$LONG" ] || run collective_kernels -rdc=true 3
else
	echo "libthrust-dev is not installed: CUB and Thrust are not tested"
fi

# The old interface, in C, linked by gcc; cycle by cycle.
cat >old.c <<'END'
#include <stdio.h>
#include <cublas.h>
int main(void)
{
	float a[4] = {1, 2, 3, 4}, c[4] = {0}, *da, *dc;
	cublasInit();
	cublasAlloc(4, sizeof *a, (void **)&da);
	cublasAlloc(4, sizeof *a, (void **)&dc);
	cublasSetMatrix(2, 2, sizeof *a, a, 2, da, 2);
	cublasSgemm('n', 't', 2, 2, 2, 1, da, 2, da, 2, 0, dc, 2);
	cublasGetMatrix(2, 2, sizeof *a, dc, 2, c, 2);
	printf("%g %g %g %g, %g, %d\n", c[0], c[1], c[2], c[3], cublasSdot(4, da, 1, da, 1), (int)cublasGetError());
	cublasShutdown();
	return 0;
}
END
$heddle cuda-home home >log 2>&1 || fail "cuda-home"
gcc old.c -Ihome/include -Lhome/lib64 -lcublas -lcudart -o old >log 2>&1 || fail "gcc -lcublas"
HEDDLE_CONFIG=gtx480 ./old >out 2>log
[ "$(cat out)" = "10 14 14 20, 30, 0" ] || fail "the old interface"
grep -q 'ms simulated' log || fail "no cycles"

# Block sizes by the formula of the header, in C: with 40 registers 48 warps fit, as two blocks of 768 threads.
cat >occupancy.c <<'END'
#include <stdio.h>
#include <cuda_occupancy.h>
static size_t by(int n) { return (size_t)n * 128; }
int main(void)
{
	cudaOccDeviceProp p = {8, 0, 1024, 2048, 65536, 65536, 32, 48 << 10, 164 << 10, 108, 163 << 10, 1024};
	cudaOccFuncAttributes a = {1024, 40, 0, PARTITIONED_GC_OFF, FUNC_SHMEM_LIMIT_OPTIN, 0, 0};
	cudaOccDeviceState s = {CACHE_PREFER_NONE, SHAREDMEM_CARVEOUT_DEFAULT};
	int grid, block;
	size_t bytes;
	int e = cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &p, &a, &s, 0, 0);
	printf("%d %d %d, ", e, grid, block);
	e = cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &p, &a, &s, by, 0);
	printf("%d %d %d, ", e, grid, block);
	e = cudaOccAvailableDynamicSMemPerBlock(&bytes, &p, &a, &s, 4, 256);
	printf("%d %zu, ", e, bytes);
	printf("%d\n", cudaOccAvailableDynamicSMemPerBlock(&bytes, &p, &a, &s, 7, 256));
	e = cudaOccSMemAllocationGranularity(&block, &p);
	printf("%d %d\n", e, block);
	return 0;
}
END
gcc -Wall -Werror occupancy.c -Ihome/include -o occupancy >log 2>&1 && ./occupancy >out
[ "$(cat out)" = "0 216 768, 0 216 640, 0 40960, 1
0 128" ] || fail "block sizes: $(cat out)"
cat >occupancy.cpp <<'END'
#include <stdio.h>
#include <cuda_runtime_api.h>
#include <cuda_occupancy.h>
int main()
{
	cudaDeviceProp props;
	cudaGetDeviceProperties(&props, 0);
	cudaOccDeviceProp p(props);
	cudaOccFuncAttributes a;
	cudaOccDeviceState s;
	a.maxThreadsPerBlock = 1024;
	a.numRegs = 16;
	int grid[2], block[2];
	int e = cudaOccMaxPotentialOccupancyBlockSize(&grid[0], &block[0], &p, &a, &s) |
		cudaOccMaxPotentialOccupancyBlockSize(&grid[1], &block[1], &p, &a, &s, 0, 0);
	printf("%d %d %d %d\n", e, block[0], grid[0] == grid[1], block[0] == block[1]);
}
END
g++ -Wall -Werror occupancy.cpp -Ihome/include -Lhome/lib64 -lcudart -Wl,-rpath,"$PWD/home/lib64" -o occupancy >log 2>&1 && ./occupancy >out
[ "$(cat out)" = "0 1024 1 1" ] || fail "block sizes in C++: $(cat out)"
exit $bad
