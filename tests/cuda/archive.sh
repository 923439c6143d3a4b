#!/bin/sh
# Device functions in an archive: the member that only kernels of another file need is linked, for the oldest and
# the newest clang that is installed.
. "$(dirname "$0")/lib.sh"
cat >library.cu <<'END'
extern "C" __device__ int twice(int x) { return 2 * x; }
END
cat >unused.cu <<'END'
extern "C" __device__ int unused(int x) { return x; }
END
cat >main.cu <<'END'
#include <cstdio>
extern "C" __device__ int twice(int x);
__global__ void use(int *p) { *p = twice(*p); }
int main()
{
	int *p;
	cudaMallocManaged(&p, sizeof *p);
	*p = 21;
	use<<<1, 1>>>(p);
	int e = cudaDeviceSynchronize();
	printf("%d %d\n", e, *p);
	return 0;
}
END
preload=
if nm -D "$(dirname "$heddle")/libcudart.so" | grep -q __asan_init; then
	preload=$(gcc -print-file-name=libasan.so)
fi
n=0
for clang in $(ls /usr/bin/clang++-[0-9]* 2>/dev/null | sort -t- -k2n | sed -n '1p;$p'); do
	n=$((n + 1))
	export HEDDLE_CLANG="$clang"
	rm -f ./*.o ./*.a app
	if ! { $heddle cc -dc library.cu -o library.o && $heddle cc -dc unused.cu -o unused.o &&
		$heddle cc -lib library.o unused.o -o lib.a && $heddle cc -dc main.cu -o main.o &&
		$heddle cc main.o lib.a -o app; } >log 2>&1; then
		echo "FAIL $clang: it does not build"
		head -20 log
		bad=1
	elif [ "$(LD_PRELOAD=$preload ./app 2>err)" != "0 42" ]; then
		echo "FAIL $clang"
		head -20 err
		bad=1
	fi
done
[ $n -gt 0 ] || { echo "skipped: no clang++-N in /usr/bin"; exit 77; }
exit $bad
