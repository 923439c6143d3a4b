#!/bin/sh
# Checkpoints: a restored program gives the results and counts of the first run, without executing; a file that is cut
# off is continued to the same bytes; other inputs, damage and foreign files are refused.
. "$(dirname "$0")/lib.sh"
cat >app.cu <<'END'
#include <cstdio>
#include <cstdlib>
__global__ void step(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; p[i] = p[i] * 5 + (p[i] >> 3) + n; }
__global__ void flag(const int *p, int *f) { if (!threadIdx.x && p[blockIdx.x * blockDim.x] & 64) *f = 1; }
__global__ void say(int n) { if (!threadIdx.x) printf("step %d\n", n); }
int main(int argc, char **argv)
{
	enum { N = 4096 };
	static int h[N];
	int *p, *f, found, sum = 0, rounds = 0, seed = argc > 1 ? atoi(argv[1]) : 1;
	for (int i = 0; i < N; i++)
		h[i] = seed;
	cudaMalloc(&p, sizeof h);
	cudaMalloc(&f, 4);
	cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
	do { /* the host reads what the kernels found */
		cudaMemset(f, 0, 4);
		step<<<N / 128, 128>>>(p, rounds);
		flag<<<N / 128, 128>>>(p, f);
		if (rounds % 8 == 7)
			say<<<1, 32>>>(rounds);
		cudaMemcpy(&found, f, 4, cudaMemcpyDeviceToHost);
	} while (++rounds < 20 || (!found && rounds < 40));
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
	for (int i = 0; i < N; i++)
		sum = sum * 31 + h[i];
	printf("%d after %d\n", sum, rounds);
	return 0;
}
END
$heddle cc app.cu -o app >log 2>&1 || fail "it does not build"
counts() { python3 -c 'import json, sys; print([(l["kernel"], l["warp_instructions"], l["opcodes"]) for l in json.load(open(sys.argv[1]))["launches"]])' "$1"; }
run 0 "$heddle" run --save a.ck --stats a.json ./app
mv out all.out
run 0 "$heddle" run ./app
cmp -s out all.out || fail "--save: other results"
run 0 "$heddle" run --restore a.ck --stats b.json ./app
cmp -s out all.out || fail "--restore: other results"
[ "$(counts a.json)" = "$(counts b.json)" ] || fail "--restore: other counts"
unsaid "cut off"

# Replayed launches are not executed: in timing mode they have no cycles; those behind the file's end have.
head -c $(($(wc -c <a.ck) / 2)) a.ck >half.ck
run 0 "$heddle" run --config gtx480 --restore half.ck --stats t.json ./app
cmp -s out all.out || fail "half a file, timing: other results"
said "half.ck is truncated after [0-9]* launches; the run continues from there"
python3 -c 'import json
t = [l["timed"] for l in json.load(open("t.json"))["launches"] if "say" not in l["kernel"]]
k = t.index(1)
assert 4 < k < len(t) - 4 and not any(t[:k]) and all(t[k:]), t' 2>>log || fail "which launches are timed"

# A killed run's file is continued to the bytes of the whole one, from any mode.
for n in 30 1000 3000; do
	head -c $n a.ck >c.ck
	run 0 "$heddle" run --restore c.ck --save c.ck ./app
	cmp -s out all.out || fail "$n bytes: other results"
	cmp -s c.ck a.ck || fail "$n bytes: another file"
done
run 0 "$heddle" run --config gtx480 --mode timing --save d.ck ./app
cmp -s d.ck a.ck || fail "a file written in timing mode differs"

# Refused: other inputs, damage, foreign files.
refused() { # WORDS OPTIONS...
	words=$1
	shift
	"$heddle" run "$@" >out 2>log
	[ $? != 0 ] || fail "$*: status 0"
	said "$words"
}
refused "launch 0 of the checkpoint is step.*other arguments or inputs" --restore a.ck ./app 7
{ head -c 2000 a.ck; printf XXXX; tail -c +2005 a.ck; } >e.ck
refused "e.ck: launch [0-9]* is damaged" --restore e.ck ./app
echo "something else that is long enough to be read as a header" >f.ck
refused "f.ck: not a checkpoint that --save has written" --restore f.ck ./app
refused "none.ck: No such file" --restore none.ck ./app
refused "cannot be checked" --check race --restore a.ck ./app
# Functions that are called through pointers are compared too, and so are numbers in the code; a file under two names is one file.
for n in 7 9; do
	cat >calls$n.cu <<END
#include <cstdio>
__device__ __noinline__ int g(int a) { return a * $n; }
__global__ void k(int *p, int w) { int (*fp)(int) = w ? g : nullptr; p[threadIdx.x] += fp ? fp(threadIdx.x) : 0; }
int main()
{
	int *p, h[32];
	cudaMalloc(&p, 128);
	cudaMemset(p, 0, 128);
	for (int i = 0; i < 3; i++)
		k<<<1, 32>>>(p, 1);
	cudaMemcpy(h, p, 128, cudaMemcpyDeviceToHost);
	printf("%d\n", h[1]);
}
END
	"$heddle" cc calls$n.cu -o calls$n 2>log || fail "heddle cc"
done
"$heddle" run --quiet --save calls.ck ./calls7 >out 2>log && "$heddle" run --quiet --restore calls.ck ./calls7 >out 2>log
[ "$(cat out)" = 21 ] || fail "calls: $(cat out log)"
refused "launch 0 of the checkpoint is k.*another program" --restore calls.ck ./calls9
before=$(wc -c <calls.ck)
"$heddle" run --quiet --restore calls.ck --save ./calls.ck ./calls7 >out 2>log || fail "one file under two names: $(cat log)"
[ "$(wc -c <calls.ck)" = "$before" ] || fail "one file under two names has other bytes"
exit $bad
