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
# A file that was cut inside a launch, continued in timing mode into another file: the launch is there once, whole.
# Kernels that a kernel waits for are part of it.
cat >ranges.cu <<'END'
#include <cstdio>
__global__ void many(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int k = 0; k < n; k++) p[i] = p[i] * 5 + k; }
__global__ void child(int *p) { p[threadIdx.x] += 3; }
__global__ void parent(int *p) { child<<<1, 32>>>(p); cudaDeviceSynchronize(); p[0] *= 2; }
int main(int argc, char **argv)
{
	int *p, h[4];
	cudaMalloc(&p, 4 * 2000 * 32);
	cudaMemset(p, 1, 4 * 2000 * 32);
	many<<<4, 32>>>(p, 3);
	if (argc == 1)
		parent<<<1, 1>>>(p);
	many<<<2000, 32>>>(p, 4);
	many<<<4, 32>>>(p, 5);
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
	printf("%d %d\n", h[0], h[3]);
}
END
$heddle cc ranges.cu -o ranges >log 2>&1 || fail "it does not build"
run 0 "$heddle" run --quiet --save r.ck --checkpoint-every 20000 ./ranges x
mv out all.out
head -c $(($(wc -c <r.ck) * 3 / 4)) r.ck >cut.ck
few="--quiet --config gtx480 --set gpu.sms=2 --mode timing"
# shellcheck disable=SC2086
run 0 "$heddle" run $few --restore cut.ck --save s.ck ./ranges x
said "cut.ck is truncated after 1 launches"
cmp -s out all.out || fail "a cut range: other results"
# shellcheck disable=SC2086
run 0 "$heddle" run $few --save whole.ck ./ranges x
cmp -s s.ck whole.ck || fail "a cut range leaves its beginning in another file"
run 0 "$heddle" run --quiet --restore s.ck ./ranges x
cmp -s out all.out || fail "a cut range, replayed: other results"
unsaid "damaged"
run 0 "$heddle" run --quiet --save p.ck ./ranges
mv out all.out
run 0 "$heddle" run --quiet --restore p.ck --save q.ck ./ranges
cmp -s out all.out || fail "launches that a kernel waits for: other results"
cmp -s p.ck q.ck || fail "launches that a kernel waits for: another file"

# Damaged lengths are damage, wherever their bits are; a file that a pipe delivers cannot be read in any order.
for at in 24 28 31 32 40 47 48; do
	python3 -c 'import sys
b = bytearray(open("r.ck", "rb").read())
b[int(sys.argv[1])] ^= 64
open("l.ck", "wb").write(b)' $at
	refused "l.ck: launch 0 is damaged" --restore l.ck ./ranges x
done
mkfifo pipe.ck
refused "pipe.ck is not a regular file: expected a checkpoint" --restore pipe.ck ./ranges x
refused "many: a launch that is timed does not report.*--accesses saves: expected --mode functional" --save s.ck --accesses \
	--config gtx480 --mode sampled ./ranges x
run 0 "$heddle" run --restore r.ck --save /dev/null ./ranges x

# Another process appends to the file while it is read.
cat >grow.cu <<'END'
#include <cstdio>
__global__ void add(int *p) { p[threadIdx.x] += 1; }
int main(int argc, char **argv)
{
	static char b[1 << 20];
	int *p;
	cudaMalloc(&p, 128);
	cudaMemset(p, 0, 128);
	for (int i = 0; i < 4; i++) {
		add<<<1, 32>>>(p);
		cudaDeviceSynchronize();
		if (i || argc < 2)
			continue;
		FILE *whole = fopen("g.ck", "rb"), *part = fopen("part.ck", "r+b");
		fwrite(b, 1, fread(b, 1, sizeof b, whole), part);
		fclose(part);
	}
}
END
$heddle cc grow.cu -o grow >log 2>&1 || fail "it does not build"
run 0 "$heddle" run --save g.ck ./grow
head -c $((24 + ($(wc -c <g.ck) - 24) * 3 / 8)) g.ck >part.ck # the first launch and half of the second
run 0 "$heddle" run --restore part.ck ./grow x
unsaid truncated
exit $bad
