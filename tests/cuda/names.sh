#!/bin/sh
# Programs of nvcc 10 to 13: each asks for libraries by the names of its CUDA and for functions by those names as versions
# (cublasGetProperty@libcublas.so.12). A file with one such function stands in for NVIDIA's where the program is linked;
# `heddle run` gives it Heddle's. A library that Heddle does not have is named before the program starts.
heddle=$(realpath "${HEDDLE:-${B:-build}/heddle}")
ours=$(dirname "$heddle")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
bad=0
fail() {
	echo "FAIL $1"
	head -n 10 out log 2>/dev/null | cut -c 1-300
	bad=1
}
[ -e "$ours/libcublas.so.11" ] || { echo "skipped: the mathematical libraries are not built"; exit 77; }

# A file of this name with this function, in place of NVIDIA's.
stand_in() { # NAME FUNCTION FOLDER
	mkdir -p "$3"
	echo "int $2(void) { return 99; }" >stand_in.c
	echo "$1 { global: $2; local: *; };" >map
	gcc -shared -fPIC -Wl,-soname,"$1" -Wl,--version-script=map stand_in.c -o "$3/$1"
}
# CALL prints what the function says, which is never what the file that stands in would say.
library() { # FUNCTION ARGUMENTS NAME...
	function=$1 arguments=$2
	shift 2
	for name in "$@"; do
		stand_in "$name" "$function" nvidia
		cat >app.c <<END
#include <stdio.h>
int $function();
int value;
int main(void) { int status = (int)$function($arguments); printf("%d\n", status | value); return status == 99 || !(status | value); }
END
		gcc app.c -Lnvidia -l:"$name" -o app || { fail "$name: the program is not linked"; continue; }
		readelf -V app | grep -q "$name" || fail "$name: the program asks for no version"
		$heddle run --quiet ./app >out 2>log || fail "$name"
		[ ! -s log ] || fail "$name: something is said"
	done
}
library cudaRuntimeGetVersion "&value" libcudart.so.10.0 libcudart.so.10.1 libcudart.so.10.2 libcudart.so.11.0 libcudart.so.12 libcudart.so.13
library cublasGetProperty "0, &value" libcublas.so.10.0 libcublas.so.10 libcublas.so.11 libcublas.so.12 libcublas.so.13
library cublasLtGetVersion "" libcublasLt.so.10 libcublasLt.so.11 libcublasLt.so.12 libcublasLt.so.13
library cublasLtGetCudartVersion "" libcublasLt.so.12
library cufftGetVersion "&value" libcufft.so.10.0 libcufft.so.10 libcufft.so.11 libcufft.so.12
library curandGetVersion "&value" libcurand.so.10.0 libcurand.so.10
library cusparseGetProperty "0, &value" libcusparse.so.10.0 libcusparse.so.10 libcusparse.so.11 libcusparse.so.12
library cusolverGetVersion "&value" libcusolver.so.10.0 libcusolver.so.10 libcusolver.so.11 libcusolver.so.12
library nvrtcVersion "&value, &value" libnvrtc.so.10.0 libnvrtc.so.10.1 libnvrtc.so.10.2 libnvrtc.so.11.0 libnvrtc.so.11.1 libnvrtc.so.11.2 \
	libnvrtc.so.12 libnvrtc.so.13

library nvJitLinkCreate "0, 0, 0" libnvJitLink.so.12 libnvJitLink.so.13

# nvJitLink: two texts become one program; what is missing is in the log.
cat >jit.cpp <<'END'
#include <cuda.h>
#include <nvJitLink.h>
#include <cstdio>
#include <cstring>
#include <vector>
int main() {
	const char *a = ".version 7.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) f(.param .b32 x);\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 %a; .reg .b32 %r;\nld.param.u64 %a,[p];\n{ .param .b32 x; .param .b32 r; st.param.b32 [x], 20; call (r), f, (x); ld.param.b32 %r, [r]; }\nst.global.b32 [%a], %r; ret;\n}\n";
	const char *b = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .func (.param .b32 r) f(.param .b32 x)\n{ .reg .b32 %v; ld.param.b32 %v,[x]; add.s32 %v, %v, 22; st.param.b32 [r], %v; ret; }\n";
	nvJitLinkHandle h; const char *o[] = {"-arch=sm_80"}; size_t n; CUmodule m; CUfunction f; CUdevice d; CUcontext c; CUdeviceptr p; int x = 0;
	cuInit(0); cuDeviceGet(&d, 0); cuDevicePrimaryCtxRetain(&c, d); cuCtxSetCurrent(c);
	int e = nvJitLinkCreate(&h, 1, o) | nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, a, strlen(a) + 1, "a") | nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, b, strlen(b) + 1, "b") | nvJitLinkComplete(h) | nvJitLinkGetLinkedCubinSize(h, &n);
	std::vector<char> cubin(n); e |= nvJitLinkGetLinkedCubin(h, cubin.data()) | nvJitLinkDestroy(&h);
	e |= cuModuleLoadData(&m, cubin.data()) | cuModuleGetFunction(&f, m, "k") | cuMemAlloc(&p, 4);
	void *args[] = {&p};
	e |= cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0) | cuMemcpyDtoH(&x, p, 4);
	nvJitLinkHandle g; int r = nvJitLinkCreate(&g, 0, 0), q = nvJitLinkCreate(&g, 1, o); q |= nvJitLinkAddData(g, NVJITLINK_INPUT_PTX, a, strlen(a) + 1, "a"); int w = nvJitLinkComplete(g);
	size_t l = 0; nvJitLinkGetErrorLogSize(g, &l);
	printf("%d %d %d %d %d %d\n", e, x, r, q, w, l > 20);
}
END
$heddle cc jit.cpp -lnvJitLink -lcuda -o jit >log 2>&1 || fail "a program with nvJitLink is not built"
$heddle run --quiet --no-fail-on-fault ./jit >out 2>log
grep -qx "0 42 2 0 4 1" out || fail "nvJitLink"

# cudaDeviceProp has 712 bytes in CUDA 10 and 728 in CUDA 11.
for of in 10.2:712 11.0:728; do
	name=libcudart.so.${of%:*} size=${of#*:}
	stand_in "$name" cudaGetDeviceProperties nvidia
	cat >app.c <<END
#include <string.h>
int cudaGetDeviceProperties();
int main(void)
{
	unsigned char p[1024];
	memset(p, 0x5a, sizeof p);
	if (cudaGetDeviceProperties(p, 0))
		return 2;
	for (int i = $size; i < 1024; i++)
		if (p[i] != 0x5a)
			return 1;
	return p[$size - 1] == 0x5a;
}
END
	gcc app.c -Lnvidia -l:"$name" -o app && $heddle run --quiet ./app >out 2>log || fail "$name: cudaDeviceProp is not of $size bytes"
done

# A product by the 64-bit form, in a program of CUDA 12; a result of 64 bits; a number that is too large.
stand_in libcudart.so.12 cudaFree nvidia
echo 'int cublasCreate_v2(void) { return 99; } int cublasIsamax_v2_64(void) { return 99; } int cublasSasum_v2_64(void) { return 99; }' >stand_in.c
echo 'libcublas.so.12 { global: cublas*; local: *; };' >map.cublas
cp map.cublas map
gcc -shared -fPIC -Wl,-soname,libcublas.so.12 -Wl,--version-script=map stand_in.c -o nvidia/libcublas.so.12
echo 'int cudaMalloc(void) { return 99; } int cudaMemcpy(void) { return 99; }' >stand_in.c
echo 'libcudart.so.12 { global: cuda*; local: *; };' >map
gcc -shared -fPIC -Wl,-soname,libcudart.so.12 -Wl,--version-script=map stand_in.c -o nvidia/libcudart.so.12
cat >app.c <<'END'
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
int cublasCreate_v2(void **), cublasIsamax_v2_64(void *, int64_t, const float *, int64_t, int64_t *);
int cublasSasum_v2_64(void *, int64_t, const float *, int64_t, float *);
int cudaMalloc(void **, size_t), cudaMemcpy(void *, const void *, size_t, int);
int main(void)
{
	float x[100], sum = 0;
	void *h, *d;
	int64_t at = -1;
	for (int i = 0; i < 100; i++)
		x[i] = i == 41 ? -7 : 1;
	if (cublasCreate_v2(&h) || cudaMalloc(&d, sizeof x) || cudaMemcpy(d, x, sizeof x, 1))
		return 1;
	if (cublasIsamax_v2_64(h, 100, d, 1, &at) || cublasSasum_v2_64(h, 100, d, 1, &sum))
		return 2;
	printf("%lld %g %d\n", (long long)at, sum, cublasSasum_v2_64(h, 1ll << 32, d, 1, &sum));
	return 0;
}
END
gcc app.c -Lnvidia -l:libcublas.so.12 -l:libcudart.so.12 -o app || fail "a program with 64-bit forms is not linked"
$heddle run --no-fail-on-fault ./app >out 2>log
grep -qx "42 106 15" out || fail "64-bit forms"
grep -q "^heddle: cublasSasum_v2_64: a number does not fit into 32 bits" log || fail "a number of more than 32 bits"

# Functions that our library lacks are named before the program starts; it runs as long as it calls none.
echo 'int cublasFooBar(void) { return 0; } int cublasBarFoo(void) { return 0; } int cublasCreate_v2(void) { return 0; }' >stand_in.c
gcc -shared -fPIC -Wl,-soname,libcublas.so.12 -Wl,--version-script=map.cublas stand_in.c -o nvidia/libcublas.so.12
echo 'int cublasFooBar(void), cublasBarFoo(void), cublasCreate_v2(void **); int main(int n, char **v) { void *h; return n > 1 ? cublasFooBar() + cublasBarFoo() : cublasCreate_v2(&h); }' >app.c
gcc app.c -Wl,-z,lazy -Lnvidia -l:libcublas.so.12 -o app || fail "a program with unknown functions is not linked"
$heddle run ./app >out 2>log || fail "a program that calls no unknown function"
grep -q "^heddle run: ./app calls functions that Heddle does not have: cublas.*, cublas.* of libcublas.so.12; it ends" log || fail "lacking functions: $(cat log)"
grep -q cublasFooBar log && grep -q cublasBarFoo log || fail "both are named"
$heddle run ./app now >out 2>log && fail "a call of an unknown function"

# Libraries that are not ours: NVIDIA's file, and none.
stand_in libcudnn.so.7 cudnnGetVersion nvidia
echo 'int cudnnGetVersion(void); int main(void) { return cudnnGetVersion() != 99; }' >app.c
gcc app.c -Lnvidia -l:libcudnn.so.7 -o app
LD_LIBRARY_PATH=nvidia $heddle run ./app >out 2>log || fail "a program with NVIDIA's library starts"
grep -q "^heddle run: ./app uses NVIDIA's own libcudnn.so.7 (nvidia/libcudnn.so.7), which Heddle does not simulate" log || fail "NVIDIA's library is named"
$heddle run ./app >out 2>log && fail "a program without its library starts"
grep -q "^heddle run: ./app needs NVIDIA's library libcudnn.so.7, which Heddle does not have" log || fail "a missing library is named"
[ "$(wc -l <log)" = 1 ] || fail "a missing library is named once"
exit $bad
