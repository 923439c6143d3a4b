#!/bin/sh
# Timing chosen launches of a program: memory is the same, only they have cycles, the figures say so; with --warm
# their cycles are those of a run that times everything. And the words about a launch that asks for too much.
. "$(dirname "$0")/lib.sh"
cat >steps.cu <<'END'
#include <cstdio>
__global__ void fill(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void step(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	p[i % n] = p[i % n] * 3 + i % 7;
}
__global__ void __launch_bounds__(64) bounded(int *p) { *p = 1; }
__global__ void big(int *p)
{
	extern __shared__ int s[];
	s[threadIdx.x] = *p;
	*p = s[0];
}
int main(int argc, char **)
{
	enum { N = 4096 };
	int *p, h[N], sum = 0;
	cudaMalloc(&p, sizeof h);
	fill<<<N / 128, 128>>>(p);
	for (int i = 0; i < 6; i++)
		step<<<N / 128, 128>>>(p, N);
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
	for (int i = 0; i < N; i++)
		sum = sum * 31 + h[i];
	printf("%d\n", sum);
	if (argc > 1) {
		bounded<<<1, 128>>>(p);
		printf("%s\n", cudaGetErrorString(cudaGetLastError()));
		big<<<1, 32, 40000>>>(p);
		printf("%s\n", cudaGetErrorString(cudaGetLastError()));
		step<<<1, 1024>>>(p, N);
		printf("%s\n", cudaGetErrorString(cudaGetLastError()));
	}
	return 0;
}
END
$heddle cc steps.cu -o steps >log 2>&1 || fail "it does not build"
run() { # NAME OPTIONS...: the launches that have cycles, in `timed`
	name=$1
	shift
	$heddle run --config gtx480 --stats $name.csv "$@" ./steps >$name.out 2>log || fail "$*: status"
	cmp -s $name.out all.out || fail "$*: other results"
	timed=$(awk -F, '$3 == "launch" && $5 == "cycles" && $7 > 0 { printf "%s ", $1 }' $name.csv)
	for f in timed joule; do # the others have no energy either
		[ "$(awk -F, -v f=$f '$3 == "launch" && $5 == f && $7 > 0 { printf "%s ", $1 }' $name.csv)" = "$timed" ] || fail "$*: $f"
	done
}
cycles() { awk -F, -v n="$2" '$1 == n && $3 == "launch" && $5 == "cycles" { print $7 }' "$1.csv"; }
expect() { [ "$1" = "$2" ] || fail "$3: $1, not $2"; }
$heddle run --config gtx480 --stats all.csv ./steps >all.out 2>log || fail "all"
run few --launches 2,4-5
expect "$timed" "2 4 5 " "--launches 2,4-5"
grep -q "3 of the launches are timed: launches 2,4-5; the others run functionally" log || fail "no word of it"
expect "$(awk '$NF == "step" { print $2, $3 }' log)" "3 $(($(cycles few 2) + $(cycles few 4) + $(cycles few 5)))" "launches and cycles of step in the table by kernel"
run none --kernels fil
grep -q "^heddle: the kernels of the launches are fill, step$" log || fail "a mistyped kernel: no names"
run half --kernels fill,stp,sep
grep -q "1 of the launches is timed: kernels fill,stp,sep (no launch is of stp, sep); the others run functionally" log || fail "mistyped kernels beside a right one"
run kernel --kernels fill
expect "$timed" "0 " "--kernels fill"
run mangled --kernels _Z4stepPii --skip 5
expect "$timed" "5 6 " "--kernels --skip"
run pattern --kernels '2-3@s.*p,5@step,4@fil.*,fi'
expect "$timed" "2 3 5 " "--kernels with patterns and numbers of launches"
run either --kernels 'fill|nothing'
expect "$timed" "0 " "--kernels with an alternative"
run warm --launches 5 --warm
expect "$timed" "5 " "--warm"
expect "$(cycles warm 5)" "$(cycles all 5)" "cycles of a launch behind warm caches"
run cold --launches 5
[ "$(cycles cold 5)" -gt "$(cycles warm 5)" ] || fail "cold caches are not slower: $(cycles cold 5), $(cycles warm 5)"
HEDDLE_CONFIG=gtx480 HEDDLE_LAUNCHES=3 HEDDLE_STATS=env.json ./steps >env.out 2>log
cmp -s env.out all.out || fail "HEDDLE_LAUNCHES: other results"
grep -q '"timed": "launches 3; the others run functionally"' env.json || fail "HEDDLE_LAUNCHES: no word in the figures"
for wrong in "--launches 3-" "--launches 5-2" "--launches x" "--mode functional --launches 1"; do
	# shellcheck disable=SC2086
	$heddle run --config gtx480 $wrong ./steps >out 2>log && fail "$wrong is taken"
	grep -q launches log || fail "$wrong: no word of it"
done

# What is too little, needed and available, and the option that limits it.
$heddle run --config gtx480 --set sm.shared_bytes=32768 --set registers._Z4stepPii=60 ./steps x >out 2>log &&
	fail "launches that cannot be leave status 0"
grep -q "bounded.*128 threads.*at most 64 (__launch_bounds__" log || fail "launch bounds"
grep -q "big.*needs 40000 bytes of shared memory.*32768 (sm.shared_bytes" log || fail "shared memory"
grep -q "step.*needs 61440 registers, 1920 a warp; an SM of gtx480 has 32768 (sm.registers" log || fail "registers"
exit $bad
