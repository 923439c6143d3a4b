#!/bin/sh
# What build systems find: a CUDA home for makefiles and plain gcc, CMake's CUDA language with separate compilation
# and libraries, and device code that is linked or refused when the program is.
. "$(dirname "$0")/lib.sh"
unset LD_LIBRARY_PATH
export HEDDLE_QUIET=1
expect() { # WHAT WANTED COMMAND...
	what=$1 want=$2
	shift 2
	said=$("$@" 2>log)
	[ "$said" = "$want" ] || fail "$what: '$said', not '$want'"
}

$heddle cuda-home home/cuda >log 2>&1 || fail "cuda-home"
$heddle cuda-home home/cuda >log 2>&1 || fail "cuda-home a second time"
nvcc=$tmp/home/cuda/bin/nvcc
for f in cuda_runtime.h cccl/nv/target cccl/cuda/barrier; do
	[ -f home/cuda/include/$f ] || fail "no include/$f"
done

expect "the architecture that is simulated" 90 home/cuda/bin/__nvcc_device_query

# Programs that gcc links, with each of the names.
cat >plain.c <<'END'
#include <stdio.h>
#include <cuda.h>
#include <cuda_runtime_api.h>
int main(void)
{
	int n = 0, m = 0;
	cudaGetDeviceCount(&n);
#ifdef DRIVER
	cuInit(0);
	cuDeviceGetCount(&m);
#endif
	printf("%d %d\n", n, m);
	return 0;
}
END
# What configure scripts do: cut the libraries out of the link line of nvcc's dry run, and link with another compiler.
libs=$($nvcc -dryrun bogus.cu 2>&1 | tail -n 1 | sed -e 's/^.*-o "a.out"//' -e 's#"[a-zA-Z0-9./_-]*\.o"##g')
# shellcheck disable=SC2086
gcc plain.c -Ihome/cuda/include $libs -o plain >log 2>&1 || fail "libraries of the dry run: $libs"
expect "a program linked with the dry run's libraries" "1 0" ./plain
for libs in -lcudart "-lcudart_static -lcudadevrt -lnvToolsExt" "-DDRIVER -lcudart -lcuda" -lnvidia-ml -lnvptxcompiler_static; do
	# shellcheck disable=SC2086
	gcc plain.c -Ihome/cuda/include -Lhome/cuda/lib64 $libs -o plain >log 2>&1 || fail "gcc $libs"
	case $libs in *DRIVER*) want="1 1" ;; *) want="1 0" ;; esac
	expect "a program linked by gcc with $libs" "$want" ./plain
	[ "$libs" != -lcudart ] || mv plain plain-cudart
done
gcc plain.c -Ihome/cuda/include -Lhome/cuda/lib -Lhome/cuda/lib64/stubs -DDRIVER -lcudart -lcuda -o plain >log 2>&1 ||
	fail "gcc with lib and stubs"

# Libraries that Heddle has not: what needs their functions is told whose they are, what does not is built.
cat >foreign.c <<'END'
void nvjpegCreateSimple(void);
int main(void)
{
#ifdef NEEDS
	nvjpegCreateSimple();
#endif
	return 0;
}
END
for cc in gcc "$nvcc"; do
	said="libnvjpeg.so: warning: NVIDIA's library nvJPEG is not part of Heddle: none of its functions is here"
	$cc foreign.c -Lhome/cuda/lib64 -lnvjpeg -lnppc_static -lcufile -lnvfatbin -o foreign >log 2>&1 && ./foreign ||
		fail "$cc: libraries without functions"
	grep -q "$said" log && grep -q "libnppc_static.a: warning: NVIDIA's library NPP is not" log ||
		fail "$cc: no word of libraries without functions"
	rm foreign
	$cc -DNEEDS foreign.c -Lhome/cuda/lib64 -lnvjpeg -o foreign >log 2>&1 && fail "$cc: a function that nobody has"
	grep -q "$said" log && grep -q "undefined reference to .nvjpegCreateSimple" log || fail "$cc: whose function it is"
done
gcc -shared -fPIC foreign.c -Lhome/cuda/nvvm/lib64 -lnvvm -o libforeign.so >log 2>&1 || fail "a library with libnvvm.so"
# A library of the user's under such a name is taken.
mkdir theirs && echo 'void nvjpegCreateSimple(void) {}' | gcc -shared -fPIC -x c - -o theirs/libnvjpeg.so
$nvcc -DNEEDS foreign.c -Ltheirs -lnvjpeg -Xlinker -rpath=theirs -o foreign >log 2>&1 && ./foreign && [ ! -s log ] ||
	fail "the user's own library"

# Static variables of separately compiled files that have one name.
for f in one two; do
	cat >$f.cu <<END
static __constant__ int table[4];
static __device__ int count;
static __device__ int never_copied[2] = {5, 6};
__global__ void ${f}_kernel(int *p, int i) { *p = table[i & 3] + count + never_copied[i & 1]; }
int $f(int x)
{
	int h[4] = {x, x, x, x}, c = 100, r = 0, *p;
	cudaMallocManaged(&p, sizeof *p);
	if (cudaMemcpyToSymbol(table, h, sizeof h) || cudaMemcpyToSymbol(count, &c, sizeof c))
		return -1;
	${f}_kernel<<<1, 1>>>(p, 1);
	return cudaDeviceSynchronize() ? -2 : *p;
}
END
done
cat >statics.cu <<'END'
#include <cstdio>
int one(int), two(int);
int main() { printf("%d %d\n", one(1), two(2)); }
END
$heddle cc -rdc=true one.cu two.cu statics.cu -o statics >log 2>&1 || fail "statics do not build"
expect "static variables of separate files" "107 108" ./statics

# A toolkit's folder on the command line does not hide our libraries, neither when linking nor at the start.
mkdir other && echo 'int unrelated;' | gcc -shared -x c - -o other/libcudart.so && cp other/libcudart.so other/libcudart.so.11.0
$nvcc -rdc=true -Lother -Xlinker -rpath=other -lcudart one.cu two.cu statics.cu -o statics >log 2>&1 ||
	fail "-L of another toolkit"
expect "a program linked with -L and -rpath of another toolkit" "107 108" ./statics

# A link that cannot work fails when it is made and leaves no program.
cat >lost.cu <<'END'
extern __device__ int nowhere(int);
__global__ void k(int *p) { *p = nowhere(*p); }
int main() { k<<<1, 1>>>(0); }
END
for how in "-rdc=true lost.cu -o lost" "-dc lost.cu -o lost.o" "-dlink lost.o -o lost_link.o" "lost.o -o lost"; do
	# shellcheck disable=SC2086
	$heddle cc $how >log 2>&1
	status=$?
	case $how in -dc*) [ $status = 0 ] || fail "$how" ;;
	*)
		[ $status != 0 ] && grep -q _Z7nowherei log || fail "$how: no word of the missing function"
		[ ! -e lost ] && [ ! -e lost_link.o ] || fail "$how left its output" ;;
	esac
done
# The object of -dlink has the device code of all objects, whatever of them the host's linker takes.
cat >caller.cu <<'END'
extern __device__ int threefold(int);
__global__ void k(int *p) { *p = threefold(*p); }
int call(int x)
{
	int *p;
	cudaMallocManaged(&p, sizeof *p);
	*p = x;
	k<<<1, 1>>>(p);
	return cudaDeviceSynchronize() ? -1 : *p;
}
END
echo '__device__ int threefold(int x) { return 3 * x; }' >callee.cu
printf '#include <stdio.h>\nint call(int);\nint main() { printf("%%d\\n", call(5)); }\n' >calls.cpp
{ $heddle cc -dc caller.cu callee.cu && $heddle cc -dlink caller.o callee.o -o both.o && g++ -c calls.cpp &&
	ar rc libboth.a caller.o callee.o both.o; } >log 2>&1 || fail "-dlink"
for objects in "caller.o both.o" "caller.o callee.o both.o" libboth.a; do
	# shellcheck disable=SC2086
	g++ calls.o $objects -Lhome/cuda/lib64 -lcudart -o calls >log 2>&1 || fail "g++ calls.o $objects"
	expect "a program of $objects" 15 ./calls
	[ "$objects" != "caller.o both.o" ] || continue # it would link the device's code again
	# shellcheck disable=SC2086
	$heddle cc calls.o $objects -o calls >log 2>&1 || fail "heddle cc calls.o $objects"
	expect "heddle cc's program of $objects" 15 ./calls
done
# What nobody asks an archive for need not be complete.
cat >useful.cu <<'END'
__device__ int nowhere(int x) { return 3 * x; }
END
cat >useless.cu <<'END'
extern __device__ int missing(int);
__device__ int useless(int x) { return missing(x); }
END
{ $heddle cc -dc useful.cu useless.cu && $heddle cc -lib useful.o useless.o -o libuse.a; } >log 2>&1 || fail "archive"
$heddle cc lost.o libuse.a -o lost >log 2>&1 || fail "archive with a member that nobody wants"
rm -f lost
$heddle cc lost.o -L. -luse -o lost >log 2>&1 || fail "the same by -luse"

# Options from a file, quoted.
cat >quoted.cu <<'END'
#include <cstdio>
int main() { puts(TEXT); }
END
printf '%s\n' '-DTEXT="\"two words\""' '-o' "'quo ted'" >options.txt
$heddle cc -optf options.txt quoted.cu >log 2>&1 || fail "-optf"
expect "quoted options" "two words" "./quo ted"

if ! command -v cmake >/dev/null; then
	echo "cmake is missing: CMake's part is not tested"
	exit $bad
fi
mkdir cm cm/old
cat >cm/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(x LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_library(st STATIC st.cu)
set_target_properties(st PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON)
add_library(sh SHARED sh.cu)
add_executable(app main.cu host.cpp)
set_target_properties(app PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_compile_definitions(app PRIVATE "WORDS=\"two words\"")
target_link_libraries(app st sh CUDA::cudart)
add_executable(drv drv.cpp)
target_link_libraries(drv CUDA::cuda_driver CUDA::cudart_static)
add_executable(static math.cpp)
add_executable(shared math.cpp)
add_executable(absent math.cpp)
foreach(lib nvjpeg nppc nppial nppicc nppicom nppidei nppif nppig nppim nppist nppisu nppitc npps nvgraph cufftw)
	target_link_libraries(absent CUDA::${lib} CUDA::${lib}_static)
endforeach()
foreach(lib nvJitLink nvfatbin cufile)
	find_library(${lib}_LIB ${lib} PATHS ${CUDAToolkit_LIBRARY_DIR})
	target_link_libraries(absent ${${lib}_LIB})
endforeach()
find_library(NVVM_LIB nvvm PATHS ${CUDAToolkit_LIBRARY_ROOT}/nvvm/lib64)
target_link_libraries(absent ${NVVM_LIB})
foreach(lib cublas cufft curand cusparse cusolver)
	target_link_libraries(static CUDA::${lib}_static)
	target_link_libraries(shared CUDA::${lib} CUDA::cublasLt CUDA::nvrtc)
endforeach()
END
echo "int main() { return 0; }" >cm/math.cpp
cat >cm/st.cu <<'END'
__device__ int twice(int x) { return 2 * x; }
END
cat >cm/sh.cu <<'END'
__global__ void k(int *p) { *p += 1; }
int bump(int *p)
{
	k<<<1, 1>>>(p);
	return cudaDeviceSynchronize();
}
END
cat >cm/main.cu <<'END'
#include <cstdio>
extern __device__ int twice(int);
int bump(int *), host();
__global__ void use(int *p) { *p = twice(*p); }
int main()
{
	int *p;
	cudaMallocManaged(&p, sizeof *p);
	*p = 20;
	use<<<1, 1>>>(p);
	int e = cudaDeviceSynchronize();
	e |= bump(p);
	printf("%d %d %d %s\n", e, *p, host(), WORDS);
}
END
cat >cm/host.cpp <<'END'
#include <cuda_runtime.h>
int host()
{
	int n = 0;
	cudaGetDeviceCount(&n);
	return n;
}
END
cat >cm/drv.cpp <<'END'
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime_api.h>
int main()
{
	int n = 0;
	void *p;
	cuInit(0);
	cuDeviceGetCount(&n);
	printf("%d %d\n", n, cudaMalloc(&p, 4));
}
END
cmake -S cm -B cm/out "-DCMAKE_CUDA_COMPILER=$nvcc" >log 2>&1 || fail "CMake does not configure"
cmake --build cm/out >log 2>&1 || fail "CMake does not build"
expect "CMake's program with separate compilation and libraries" "0 41 1 two words" cm/out/app
expect "CMake's program on the driver" "1 0" cm/out/drv
expect "CMake's program under heddle run" "0 41 1 two words" "$heddle" run cm/out/app
# The way of CMake before it knew the language.
cat >cm/old/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.5)
project(y LANGUAGES CXX)
find_package(CUDA REQUIRED)
cuda_add_executable(old ../sh.cu old.cpp)
END
cat >cm/old/old.cpp <<'END'
#include <cstdio>
#include <cuda_runtime.h>
int bump(int *);
int main()
{
	int *p;
	cudaMallocManaged(&p, sizeof *p);
	*p = 6;
	int e = bump(p);
	printf("%d %d\n", e, *p);
}
END
cmake -Wno-dev -S cm/old -B cm/old/out "-DCUDA_TOOLKIT_ROOT_DIR=$tmp/home/cuda" >log 2>&1 ||
	fail "CMake's FindCUDA does not configure"
cmake --build cm/old/out >log 2>&1 || fail "CMake's FindCUDA does not build"
expect "FindCUDA's program" "0 7" cm/old/out/old
exit $bad
