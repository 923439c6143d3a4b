#!/bin/sh
# nvcc's command line: every option of its manual is taken or refused with a reason, and those that ask for something do it.
. "$(dirname "$0")/lib.sh"
export HEDDLE_QUIET=1
n=0
cat >a.cu <<'END'
#include <cstdio>
__global__ void k(int *p) { *p += 1; }
int main(int argc, char **argv)
{
	int *p;
	cudaMallocManaged(&p, sizeof *p);
	*p = argc;
	k<<<1, 1>>>(p);
	int e = cudaDeviceSynchronize();
	printf("%d %d %s\n", e, *p, argc > 1 ? argv[argc - 1] : "-");
	return argc > 2 ? 7 : 0;
}
END

# The manual's list, short and long, with a value where one is taken.
while read -r short long value; do
	for option in $short $long; do
		[ "$option" != . ] || continue
		n=$((n + 1))
		# shellcheck disable=SC2086
		$heddle cc -dryrun a.cu $option $value </dev/null >log 2>&1
		status=$?
		! grep -q "unknown option" log || fail "$option is unknown"
		[ $status = 0 ] || grep -q -- "$short is not supported: ." log || fail "$option $value: status $status"
	done
done <<'END'
-cuda --cuda
-cubin --cubin
-fatbin --fatbin
-ptx --ptx
-optix-ir --optix-ir
-ltoir --ltoir
-E --preprocess
-M --generate-dependencies
-MM --generate-nonsystem-dependencies
-MD --generate-dependencies-with-compile
-MMD --generate-nonsystem-dependencies-with-compile
-MF --dependency-output a.d
-MP --generate-dependency-targets
-c --compile
-dc --device-c
-dw --device-w
-dlink --device-link
-link --link
-lib --lib
-run --run
-o --output-file x
-include --pre-include x.h
-objtemp --objdir-as-tempdir
-l --library m
-D --define-macro X=1
-U --undefine-macro X
-I --include-path .
-isystem --system-include .
-L --library-path .
-odir --output-directory .
-ccbin --compiler-bindir g++
-allow-unsupported-compiler --allow-unsupported-compiler
-arbin --archiver-binary ar
-cudart --cudart shared
-cudadevrt --cudadevrt none
-ldir --libdevice-directory .
-target-dir --target-directory .
-use-local-env --use-local-env
-force-cl-env-setup --force-cl-env-setup
-pg --profile
-g --debug
-G --device-debug
-lineinfo --generate-line-info
-opt-info --optimization-info inline
-O --optimize 2
-Ofc --Ofast-compile max
-dopt --dopt on
-dlto --dlink-time-opt
-lto --lto
-gen-opt-lto --gen-opt-lto
-ftemplate-backtrace-limit --ftemplate-backtrace-limit 3
-ftemplate-depth --ftemplate-depth 300
-noeh --no-exceptions
-shared --shared
-x --x cu
-std --std c++17
-nohdinitlist --no-host-device-initializer-list
-nohdmoveforward --no-host-device-move-forward
-expt-relaxed-constexpr --expt-relaxed-constexpr
-extended-lambda --extended-lambda
-expt-extended-lambda --expt-extended-lambda
-m --machine 64
-m64 --m64
-Xcompiler --compiler-options -m64
-Xlinker --linker-options -O1
-Xarchive --archive-options x
-Xptxas --ptxas-options -v
-Xnvlink --nvlink-options x
-Xnvlink -nvlink-options x
-Xfatbin --fatbin-options -compress-all
-Xcudafe --cudafe-options --diag_suppress=1
-static-global-template-stub --static-global-template-stub true
-device-entity-has-hidden-visibility --device-entity-has-hidden-visibility true
-forward-unknown-to-host-compiler --forward-unknown-to-host-compiler
-forward-unknown-to-host-linker --forward-unknown-to-host-linker
-forward-unknown-opts --forward-unknown-opts
-noprof --dont-use-profile
-dryrun --dryrun
-v --verbose
-t --threads 2
-split-compile --split-compile 2
-split-compile-extended --split-compile-extended 2
-fdevice-syntax-only --fdevice-syntax-only
-fdevice-time-trace --fdevice-time-trace x
-keep --keep
-keep-dir --keep-dir .
-save-temps --save-temps
-clean --clean-targets
-time --time x
-run-args --run-args x
-idp --input-drive-prefix /
-ddp --dependency-drive-prefix /
-dp --drive-prefix /
-MT --dependency-target-name x
. --no-align-double
-nodlink --no-device-link
-arch --gpu-architecture sm_80
-code --gpu-code sm_80
-gencode --generate-code arch=compute_80,code=sm_80
-rdc --relocatable-device-code true
-e --entries k
-maxrregcount --maxrregcount 32
-use_fast_math --use_fast_math
-ftz --ftz true
-prec-div --prec-div false
-prec-sqrt --prec-sqrt false
-fmad --fmad false
-extra-device-vectorization --extra-device-vectorization
-default-stream --default-stream per-thread
-w --disable-warnings
-keep-device-functions --keep-device-functions
-src-in-ptx --source-in-ptx
-restrict --restrict
-Wreorder --Wreorder
-Wdefault-stream-launch --Wdefault-stream-launch
-Wmissing-launch-bounds --Wmissing-launch-bounds
-Wext-lambda-captures-this --Wext-lambda-captures-this
-Wno-deprecated-declarations --Wno-deprecated-declarations
-Wno-deprecated-gpu-targets --Wno-deprecated-gpu-targets
-Werror --Werror reorder
-res-usage --resource-usage
-ewp --extensible-whole-program
-no-compress --no-compress
-qpp-config --qpp-config x
-astoolspatch --compile-as-tools-patch
-code-ls --list-gpu-code
-arch-ls --list-gpu-arch
-err-no --display-error-number
-no-err-no --no-display-error-number
-diag-error --diag-error 1
-diag-suppress --diag-suppress 1
-diag-warn --diag-warn 1
-hls --host-linker-script gen-lcs
-aug-hls --augment-host-linker-script
-r --relocatable-link
-brief-diag --brief-diagnostics true
-jtd --jump-table-density 50
-reloc-ptx --relocatable-ptx
-device-stack-protector --device-stack-protector true
-compress-mode --compress-mode size
-frandom-seed --frandom-seed x
-sanitize --sanitize memcheck
-fdevice-sanitize --fdevice-sanitize memcheck
-jobserver --jobserver
-h --help
-V --version
END
[ $n -gt 250 ] || fail "only $n options tried"

# What they do.
$heddle cc a.cu -o a -run -run-args one,two >said 2>log
[ $? = 7 ] && [ "$(cat said)" = "0 4 two" ] || fail "-run: $(cat said)"
$heddle cc a.cu -o a -clean >log 2>&1 && [ ! -e a ] || fail "-clean"
$heddle cc -cuda a.cu >log 2>&1 || fail "-cuda"
{ g++ -c a.cu.cpp.ii -o a.o && $heddle cc a.o -o a; } >log 2>&1 || fail "-cuda's output does not compile"
[ "$(./a 2>log)" = "0 2 -" ] || fail "-cuda's output does not run"
mkdir kept
$heddle cc -c -keep -keep-dir kept -frandom-seed 1 a.cu -o one.o >log 2>&1 && [ -s kept/a.ptx ] || fail "-keep-dir"
$heddle cc -c -frandom-seed 1 a.cu -o two.o >log 2>&1
$heddle cc -c -frandom-seed 1 a.cu -o two.o >log 2>&1
cp two.o three.o
$heddle cc -c -frandom-seed 1 a.cu -o two.o >log 2>&1
cmp -s two.o three.o || fail "-frandom-seed: two objects of one source differ"
$heddle cc -fatbin kept/a.ptx -o a.fatbin >log 2>&1 && [ -s a.fatbin ] || fail "a fat binary of PTX"
for wrong in "-cudart dynamic" "-default-stream mine" "-dopt off" "-m 32"; do
	# shellcheck disable=SC2086
	$heddle cc -dryrun a.cu $wrong >log 2>&1 && fail "$wrong is taken"
	grep -q expected log || fail "$wrong: no word of what is expected"
done
$heddle cc -c a.cu -time x.csv -o a.o 2>log || fail "-time"
grep -q "no effect" log || fail "-time: no word that it has no effect"
$heddle cc -code-ls | grep -qx sm_80 || fail "-code-ls"
$heddle cc kept/a.ptx -o b >log 2>&1 && fail "PTX is taken for an object"

# What the environment adds: before and after the command line's, in a shell's words; the last of a kind counts.
cat >env.cu <<'END'
#include <cstdio>
__global__ void k() {}
int main() { printf("%s %d\n", TEXT, __cplusplus >= 202002L ? 20 : 17); }
END
NVCC_PREPEND_FLAGS="-DTEXT='\"a b\"' -std=c++20" $heddle cc env.cu -o env >log 2>&1 || fail "NVCC_PREPEND_FLAGS"
[ "$(./env)" = "a b 20" ] || fail "NVCC_PREPEND_FLAGS: $(./env)"
NVCC_PREPEND_FLAGS="-std=c++20" NVCC_APPEND_FLAGS='-DTEXT=\"c\"' $heddle cc env.cu -std=c++17 -o env >log 2>&1 || fail "NVCC_APPEND_FLAGS"
[ "$(./env)" = "c 17" ] || fail "NVCC_APPEND_FLAGS: $(./env)"
run 2 env NVCC_APPEND_FLAGS=--no-such-option $heddle cc env.cu -o env
said "NVCC_APPEND_FLAGS=--no-such-option"

# The host's compiler: a command, a folder that has it, or none, which is said.
mkdir hosts
printf '#!/bin/sh\necho "host compiler" >&2\nexec gcc "$@"\n' >hosts/gcc
printf '#!/bin/sh\necho "host compiler" >&2\nexec g++ "$@"\n' >hosts/g++
chmod +x hosts/gcc hosts/g++
echo "int three() { return 3; }" >three.cpp
for bin in hosts hosts/g++; do
	run 0 $heddle cc -c -ccbin $bin three.cpp -o three.o
	said "host compiler"
	run 0 env NVCC_CCBIN=$bin $heddle cc -c three.cpp -o three.o
	said "host compiler"
done
run 0 env NVCC_CCBIN=hosts $heddle cc -c -ccbin g++ three.cpp -o three.o
unsaid "host compiler"
run 0 $heddle cc -c -ccbin /nonexistent/g++-9 three.cpp -o three.o
said "host compiler /nonexistent/g++-9 not found; using g++"
echo "#include <vector>
int main(int argc, char **) { return (int)std::vector<int>(argc, 1).size() - 1; }" >vector.cu
run 0 $heddle cc -ccbin gcc vector.cu -o vector -run
run 0 $heddle cc -ccbin g++ -rdc=true vector.cu -o vector -run
# A standard of C is for C sources; a library of which nothing is used need not be there.
run 0 $heddle cc -Xcompiler "-Wall -std=c99" -march=native vector.cu -lnvidia-ml -o vector -run
# Warnings that the host compiler does not have are no errors; options that only it has are left out, aloud.
echo "struct base { virtual void f() = 0; virtual void g() {} };
struct derived : base { void f() override {} void g() {} };
class unused { int x; };
int main() { derived d; d.g(); return 0; }" >warns.cu
run 0 $heddle cc -Xcompiler -Wall,-Wextra,-Werror warns.cu -o warns -run
run 0 $heddle cc -Werror all-warnings warns.cu -o warns -run
run 0 $heddle cc -Xcompiler -fno-gnu-unique,-fipa-pta vector.cu -o vector -run
said "heddle cc: -fipa-pta is unknown to clang"
run 1 $heddle cc -Xcompiler -fno-such-option vector.cu -o vector
said "-fno-such-option"
# A source of standard input needs its language; messages name it.
run 0 $heddle cc -x cu - -o vector -run <vector.cu
run 0 $heddle cc -x cu -c - <vector.cu
[ -f ./-.o ] || fail "no object of standard input"
echo "int main() { return wrong; }" >wrong.cu
run 1 $heddle cc -x cu - -o vector <wrong.cu
said "<stdin>:1:21: error:"
run 1 $heddle cc - -o vector <vector.cu
said "needs its language"
# -mcpu=native is this very machine, whose system may not allow all that such processors have: a sum that vectors could make.
echo "#include <vector>
static double sum(const double *a, long n) { double s = 0; for (long i = 0; i < n; i++) s += a[i]; return s; }
int main(int argc, char **) { std::vector<double> v(argc * 1000, 1); return sum(v.data(), (long)v.size()) != argc * 1000; }" >native.cu
run 0 $heddle cc -O3 -march=native -Xcompiler -ffast-math native.cu -o native -run
[ "$(uname -m)" != aarch64 ] || run 0 $heddle cc -O3 -mcpu=native -Xcompiler -ffast-math native.cu -o native -run
# Host code that prints what nothing has written, as exercises do before they are done, goes on as with gcc.
echo "#include <cstdio>
#include <cstdlib>
int main() { int *p = (int *)malloc(400); for (int i = 0; i < 100; i++) printf(\"%d \", p[i]); free(p); puts(\"end\"); return 0; }" >unwritten.cu
run 0 $heddle cc -O3 unwritten.cu -o unwritten -run
grep -q 'end$' out || fail "a program that prints what nothing has written"
# Lists: commas separate values, but not where they are escaped, in a string or among a macro's arguments.
cat >list.cu <<'END'
#include <cstdio>
#define TEXT_(...) #__VA_ARGS__
#define TEXT(x) TEXT_(x)
int main() { puts(S " " TEXT(F(1,2)) " " TEXT((A,B)) " " TEXT((L))); }
END
run 0 $heddle cc '-DS="1,2"' '-DF(a,b)=a-b' -DA=7,B=8 '-DL=1\,2\,3' list.cu -Llib1,lib2 -o list -run
grep -qx '1,2 1-2 (7,8) (1,2,3)' out || fail "lists of macros: $(cat out)"
echo 'int main() { int a[] = {L}; return sizeof a != 12; }' >list.cpp
run 0 $heddle cc -Xcompiler '-DL=1\,2\,3,-O1' list.cpp -o list -run
# The GPU that is simulated, by name and as one of all; the newest that clang knows up to it.
for arch in native all all-major; do
	$heddle cc -arch=$arch -dryrun a.cu 2>&1 | grep -oE 'cuda-gpu-arch=[^ "]*|-arch[= ][^ "]*' | sort -u >$arch.arch
	$heddle cc -arch=sm_90 -dryrun a.cu 2>&1 | grep -oE 'cuda-gpu-arch=[^ "]*|-arch[= ][^ "]*' | sort -u >own.arch
	[ -s own.arch ] && cmp -s $arch.arch own.arch || fail "-arch=$arch"
done
# OpenMP's header is among what a source depends on, under its own name.
if echo '#include <omp.h>' >omp.cu && $heddle cc -E -Xcompiler -fopenmp omp.cu >log 2>&1; then
	echo 'int main() { return 0; }' >>omp.cu
	run 0 $heddle cc -M -Xcompiler -fopenmp omp.cu
	cp out omp.m
	run 0 $heddle cc -MD -Xcompiler -fopenmp -c omp.cu -o omp.o
	for list in omp.m omp.d; do
		header=$(grep -o '[^ ]*/omp\.h' $list) && [ -f "$header" ] || fail "$list: omp.h is '$header'"
	done
fi
# A header that the command line includes may be CUDA itself.
echo "static __constant__ int unit = 1; static __device__ int one() { return unit; }" >pre.cuh
sed 's/+= 1/+= one()/' a.cu >pre.cu
for how in "-include pre.cuh" "--pre-include=pre.cuh" "-include pre.cuh -rdc=true"; do
	# shellcheck disable=SC2086
	$heddle cc $how pre.cu -o pre >log 2>&1 && [ "$(./pre)" = "0 2 -" ] || fail "$how"
done

# Files whose lines end in two ways: messages and __LINE__ count every line, of the source, of what it includes and behind that.
mkdir -p "odd \\dir"
printf '// one\n// two\r\n#pragma once\nstatic int in_header() { return __LINE__; }\n' >"odd \\dir/mixed.h"
printf '// one\r\n// two\n#include "mixed.h"\n#if 1\r\n__global__ void k(int *p) { *p = __LINE__; }\n#endif\nint main() { return __LINE__ * 10 + in_header() != 74; }\n' >"odd \\dir/mixed.cu"
run 0 $heddle cc "odd \\dir/mixed.cu" -o mixed -run
(cd "odd \\dir" && $heddle cc mixed.cu -ptx -o ../mixed.ptx) >log 2>&1 && grep -q '[[:space:]]5;$' mixed.ptx || fail "__LINE__ in the kernel"
echo "wrong;" >>"odd \\dir/mixed.cu"
run 1 $heddle cc "odd \\dir/mixed.cu" -o mixed
said 'mixed.cu:8:1: error'
# -cubin: machine code of both GPUs that have it, for others PTX, which is said. A program loads either.
cat >load.cu <<'END'
#include <cstdio>
#include <cuda.h>
int main(int, char **argv)
{
	CUdevice d;
	CUcontext c;
	CUmodule m;
	CUfunction f;
	CUdeviceptr p;
	int x = 41;
	void *args[] = {&p};
	cuInit(0);
	cuDeviceGet(&d, 0);
	cuCtxCreate(&c, 0, d);
	if (cuModuleLoad(&m, argv[1]) || cuModuleGetFunction(&f, m, "_Z1kPi") || cuMemAlloc(&p, 4))
		return 1;
	cuMemcpyHtoD(p, &x, 4);
	if (cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0) || cuMemcpyDtoH(&x, p, 4))
		return 2;
	printf("%d\n", x);
	return x != 42;
}
END
$heddle cc load.cu -o load -lcuda >log 2>&1 || fail "load.cu does not build"
for arch in "-arch sm_13" "-arch sm_20" "-arch compute_20 -code sm_20" "-arch sm_70"; do
	rm -f a.cubin
	# shellcheck disable=SC2086
	$heddle cc -cubin $arch a.cu >log 2>&1 || fail "-cubin $arch: $(head -n 1 log)"
	if [ "$arch" = "-arch sm_70" ]; then
		grep -q "a.cubin has PTX" log || fail "-cubin $arch: not said that it is PTX"
	else
		[ ! -s log ] || fail "-cubin $arch: $(head -n 1 log)"
		$heddle disasm a.cubin | grep -q "Function : _Z1kPi" || fail "-cubin $arch: no machine code"
	fi
	./load a.cubin >log 2>&1 || fail "-cubin $arch: the file is not loaded: $(head -n 1 log)"
done
$heddle cc -cubin -arch sm_20 kept/a.ptx -o b.cubin >log 2>&1 && ./load b.cubin >log 2>&1 || fail "-cubin of PTX"

# No command overwrites its input.
cp a.cu same.cu
$heddle cc -c a.cu -o same.o >log 2>&1
cp same.o same2.o
for command in "-c same.cu -o same.cu" "-ptx same.cu -o ./same.cu" "-E same.cu -o same.cu" "same.cu -o same.cu" "same.o -o same.o" "-clean same.cu -o same.cu"; do
	# shellcheck disable=SC2086
	$heddle cc $command >log 2>&1 && fail "$command is done"
	grep -q "is one of the inputs" log || fail "$command: $(head -n 1 log)"
done
cmp -s same.cu a.cu && cmp -s same.o same2.o || fail "an input was overwritten"
[ $bad = 0 ] && echo "$n options"
exit $bad
