#!/bin/sh
# One functional pass serves many machines: a sample that starts from its checkpoints has the figures of a sample
# without them, for launches, thinned launches, machines that form other warps, and generated machine code. A sweep
# makes the pass by itself and continues a killed one.
. "$(dirname "$0")/lib.sh"
cat >app.cu <<'END_OF_APP'
#include <cstdio>
#include <cstdlib>
__global__ void search(int *p, int n) /* work by the data; lanes part */
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, x = p[i] & 1023, k = 0;
	while (k < n && x != 1 && x != 0)
		x = x & 1 ? (3 * x + 1) & 1023 : x / 2, k++;
	p[i] += k;
}
__global__ void turn(int *p, int n) { p[blockIdx.x * blockDim.x + threadIdx.x] += n; }
int main(int argc, char **argv)
{
	enum { N = 15 * 64, WIDE = 600 * 64, BUFFERS = 5 };
	static int h[WIDE];
	int *p[BUFFERS], *wide, sum = 0, rounds = argc > 1 ? atoi(argv[1]) : 30;
	for (int i = 0; i < WIDE; i++)
		h[i] = i * i;
	for (int b = 0; b < BUFFERS; b++) {
		cudaMalloc(&p[b], N * sizeof *h);
		cudaMemcpy(p[b], h, N * sizeof *h, cudaMemcpyHostToDevice);
	}
	cudaMalloc(&wide, sizeof h);
	cudaMemcpy(wide, h, sizeof h, cudaMemcpyHostToDevice);
	for (int i = 0; i < rounds; i++) {
		search<<<15, 64>>>(p[i % BUFFERS], 60);
		turn<<<15, 64>>>(p[i % BUFFERS], i);
	}
	search<<<600, 64>>>(wide, 40); /* many waves, in place: a skipped block must not run twice */
	turn<<<600, 64>>>(wide, 3);
	cudaMemcpy(h, wide, sizeof h, cudaMemcpyDeviceToHost);
	for (int i = 0; i < WIDE; i++)
		sum = sum * 31 + h[i];
	printf("%d\n", sum);
	return 0;
}
END_OF_APP
$heddle cc app.cu -o app >log 2>&1 || fail "it does not build"
pass() { run 0 "$heddle" run "$@" --mode timing --skip 4294967295 --accesses ./app; }
same() { # NAME OPTIONS...
	name=$1
	shift
	run 0 "$heddle" run "$@" --mode sampled --seed 1 --stats a.json ./app
	mv out all.out
	run 0 "$heddle" run "$@" --mode sampled --seed 1 --restore "$name.ck" --stats b.json ./app
	cmp -s out all.out || fail "$*: other results"
	python3 -c 'import json
a, b = (json.load(open(f + ".json")) for f in "ab")
assert a["sampled"] == b["sampled"] and a["sampled"]["timed"] < a["sampled"]["launches"]
for x, y in zip(a["launches"], b["launches"]):
	assert x["timed"] == y["timed"] and x["opcodes"] == y["opcodes"] and x.get("timing") == y.get("timing"), x["kernel"]
print(a["sampled"]["thinned"])' >thinned 2>>log || fail "$*: other figures than without the checkpoint"
}
few="--config gtx480 --set gpu.sms=1 --set l2.sets=16"
# shellcheck disable=SC2086
pass $few --save ptx.ck
# shellcheck disable=SC2086
for more in "" "--set sm.divergence=dwf" "--set sm.divergence=tbc"; do
	same ptx $few $more
	[ "$(cat thinned)" -ge 1 ] || fail "$more: no launch is thinned"
done
same ptx --config hws
pass --config h200-sm90 --save sm90.ck
same sm90 --config h200-sm90
$heddle run --config h200-sm90 --mode sampled --restore ptx.ck ./app >out 2>log && fail "another code's checkpoint: status 0"
said "launch 0 of the checkpoint is search.*another program"
run 0 "$heddle" run --save plain.ck ./app
$heddle run --config gtx480 --mode sampled --restore plain.ck ./app >out 2>log && fail "without --accesses: status 0"
said "plain.ck: launch [0-9]* was saved without the memory that it accesses.*--accesses"

# A pass that is killed and continued, with checkpoints inside launches, serves as well.
run 0 "$heddle" run --save parts.ck --accesses --checkpoint-every 20000 ./app
for n in 9000 60000; do
	head -c $n parts.ck >cut.ck
	run 0 "$heddle" run --restore cut.ck --save cut.ck --accesses --checkpoint-every 20000 ./app
	cmp -s cut.ck parts.ck || fail "cut at $n bytes: another file"
done
mv parts.ck ptx.ck
# shellcheck disable=SC2086
same ptx $few

# Machines that form other warps: the truth is near, although timed launches issue other warps than functional ones.
# shellcheck disable=SC2086
for more in dwf tbc; do
	run 0 "$heddle" run $few --set sm.divergence=$more --mode timing --stats t.json ./app
	run 0 "$heddle" run $few --set sm.divergence=$more --mode sampled --seed 1 --stats s.json ./app
	python3 -c 'import json
t, s = (json.load(open(f + ".json")) for f in "ts")
true = sum(l["cycles"] for l in t["launches"])
assert abs(s["sampled"]["figures"]["launch"]["cycles"]["value"] / true - 1) < 0.03, true' 2>>log || fail "$more: far from the truth"
done

# A sweep: the figures of single runs, with their intervals; the pass is made once and removed.
cat >s.ini <<'END_OF_SWEEP'
[sweep]
mode = sampled
error = 3%
sample = 1
machine = hws
program = ./app {n}
arg.n = 20
sm.max_warps = 24, 32
END_OF_SWEEP
run 0 "$heddle" sweep s.ini --store s.db --jobs 1 --quiet
[ -z "$(ls s.db.work/passes)" ] || fail "the pass is left"
"$heddle" results --store s.db --columns sm.max_warps,cycles,sample.cycles_low,sample.cycles_high --format csv >rows || fail "no results"
for warps in 24 32; do
	run 0 "$heddle" run --config hws --set sm.max_warps=$warps --mode sampled --error 3% --seed 1 --stats a.json ./app 20
	python3 -c 'import json, sys
c = json.load(open("a.json"))["sampled"]["figures"]["launch"]["cycles"]
row = [l.strip().split(",") for l in open("rows") if l.startswith(sys.argv[1] + ",")][0]
assert int(row[1]) == round(c["value"]) and abs(float(row[2]) / c["low"] - 1) < 1e-9 and abs(float(row[3]) / c["high"] - 1) < 1e-9, (row, c)' $warps 2>>log || fail "the sweep's figures with $warps warps"
done
sed 's/^error = 3%/error = 3/' s.ini >bad.ini
"$heddle" sweep bad.ini --store s.db >out 2>log && fail "error = 3 is taken"
said "bad.ini:3.*error = 3: expected a percentage"
sed 's/^mode = sampled/mode = timing/' s.ini >bad.ini
"$heddle" sweep bad.ini --store s.db >out 2>log && fail "error without sampled is taken"
said "error and sample: expected mode = sampled"
exit $bad
