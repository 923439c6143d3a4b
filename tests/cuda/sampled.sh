#!/bin/sh
# A sample of a program's launches: memory is exact, the truth is inside the interval, the figures depend on
# the seed alone, --error 0% is timing mode, and an interrupted run prints what it has.
. "$(dirname "$0")/lib.sh"
cat >app.cu <<'END'
#include <cstdio>
#include <cstdlib>
__global__ void mix(int *p, int n) /* equal launches */
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, x = p[i];
	for (int k = 0; k < n; k++)
		x = x * 3 + k;
	p[i] = x;
}
__global__ void search(int *p, int n) /* work by the data, which every launch changes */
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, x = p[i] & 1023, k = 0;
	while (k < n && x != 1 && x != 0)
		x = x & 1 ? (3 * x + 1) & 1023 : x / 2, k++;
	p[i] += k;
}
int main(int argc, char **argv)
{
	enum { N = 15 * 64 };
	static int h[N];
	int *p, sum = 0, rounds = argc > 1 ? atoi(argv[1]) : 45;
	for (int i = 0; i < N; i++)
		h[i] = i * i;
	cudaMalloc(&p, sizeof h);
	cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
	for (int i = 0; i < rounds; i++) {
		mix<<<15, 64>>>(p, 40);
		search<<<15, 64>>>(p, 60);
	}
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
	for (int i = 0; i < N; i++)
		sum = sum * 31 + h[i];
	printf("%d\n", sum);
	return 0;
}
END
$heddle cc app.cu -o app >log 2>&1 || fail "it does not build"
figure() { # FILE COMPONENT NAME: value low high
	python3 -c 'import json, sys
f = json.load(open(sys.argv[1]))["sampled"]["figures"][sys.argv[2]][sys.argv[3]]
print(f["value"], f["low"], f["high"])' "$@"
}
inside() { awk -v t="$1" '{ exit !($2 * (1 - 1e-9) <= t && t <= $3 * (1 + 1e-9)) }'; }
for machine in gtx480 hws; do
	run 0 "$heddle" run --config $machine --mode timing --stats all.json ./app
	mv out all.out
	eval "$(python3 -c 'import json
a = json.load(open("all.json"))
print("cycles=%d joule=%.17g issued=%d" % (sum(l["cycles"] for l in a["launches"]), a["energy"]["total"], sum(l["timing"]["sm"]["warp_instructions"] for l in a["launches"])))')"
	hold=0
	for seed in 1 2; do
		run 0 "$heddle" run --config $machine --mode sampled --error 3% --seed $seed --stats s.json ./app
		cmp -s out all.out || fail "$machine, seed $seed: other results"
		figure s.json launch cycles | inside "$cycles" && hold=$((hold + 1))
		figure s.json launch joule | inside "$joule" && hold=$((hold + 1))
		figure s.json sm warp_instructions | inside "$issued" && hold=$((hold + 1))
		python3 -c 'import json, sys
s = json.load(open("s.json"))
n = sum(l["timed"] for l in s["launches"])
v = s["sampled"]["figures"]["launch"]["cycles"]["value"] / float(sys.argv[2])
assert s["mode"] == "sampled" and s["sampled"]["timed"] == n and 16 <= n < 60 and s["sampled"]["seed"] == int(sys.argv[1]), n
assert abs(v - 1) < 0.04, v' $seed "$cycles" 2>>log || fail "$machine, seed $seed: figures"
	done
	[ $hold -ge 5 ] || fail "$machine: $hold of 6 intervals hold the truth"
done

# Equal seeds give equal figures, whatever the threads; another seed another sample.
figures() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["sampled"])' "$1"; }
run 0 "$heddle" run --config gtx480 --mode sampled --seed 3 --stats a.json ./app
run 0 "$heddle" run --config gtx480 --mode sampled --seed 3 --threads 2 --stats b.json ./app
run 0 "$heddle" run --config gtx480 --mode sampled --seed 4 --stats c.json ./app
[ "$(figures a.json)" = "$(figures b.json)" ] || fail "two threads: other figures"
[ "$(figures a.json)" != "$(figures c.json)" ] || fail "another seed: no other figures"

# Everything timed is timing mode. The words about it.
run 0 "$heddle" run --config gtx480 --mode timing --stats all.json ./app
run 0 "$heddle" run --config gtx480 --mode sampled --error 0% --stats zero.json ./app
python3 -c 'import json
a, z = (json.load(open(f + ".json")) for f in ("all", "zero"))
assert [l["timing"] for l in a["launches"]] == [l["timing"] for l in z["launches"]]
c = z["sampled"]["figures"]["launch"]["cycles"]
assert c["value"] == c["low"] == c["high"] == sum(l["cycles"] for l in a["launches"])' 2>>log || fail "--error 0%"
said "90 of 90 launches timed"
run 0 "$heddle" run --config gtx480 --mode sampled --stats s.txt ./app
said "of 90 launches timed, .*95 % intervals"
said "^  cycles .* +- "
grep -q "^program: .* of 90 launches timed" s.txt && grep -q "^l2.hit_rate .* +- " s.txt || fail "figures as text"
export HEDDLE_CONFIG=gtx480 HEDDLE_MODE=sampled HEDDLE_ERROR=5% HEDDLE_SEED=3
run 0 ./app 3
said "6 of 6 launches timed"
unset HEDDLE_CONFIG HEDDLE_MODE HEDDLE_ERROR HEDDLE_SEED
for wrong in "--mode sample" "--error 2" "--error 100%" "--error x%" "--mode sampled --seed -1"; do
	# shellcheck disable=SC2086
	$heddle run --config gtx480 $wrong ./app >out 2>log && fail "$wrong is taken"
	said expected
done
$heddle run --config gtx480 --mode sampled --kernels step ./app >out 2>log && fail "--kernels with a sample is taken"
said "chooses the launches that are timed itself"

# A timed launch finds the L2 as if the launches before it had been timed: five buffers in turn, of which it
# holds four, so a launch misses although the last timed one of its buffer left it there.
cat >turn.cu <<'END'
__global__ void add(int *p, int n) { p[blockIdx.x * blockDim.x + threadIdx.x] += n; }
int main()
{
	int *p[5];
	for (int i = 0; i < 5; i++) {
		cudaMalloc(&p[i], 3072 * sizeof(int));
		cudaMemset(p[i], i, 3072 * sizeof(int));
	}
	for (int i = 0; i < 60; i++) {
		add<<<12, 256>>>(p[i % 5], i);
		cudaDeviceSynchronize();
	}
	return 0;
}
END
$heddle cc turn.cu -o turn >log 2>&1 || fail "it does not build"
few="--config gtx480 --set l2.sets=16"
# shellcheck disable=SC2086
run 0 "$heddle" run $few --mode timing --stats all.json ./turn
# shellcheck disable=SC2086
run 0 "$heddle" run $few --mode sampled --error 5% --stats s.json ./turn
python3 -c 'import json
a, s = (json.load(open(f + ".json")) for f in ("all", "s"))
late = [(x, y) for x, y in zip(a["launches"], s["launches"]) if y["timed"]][8:]
assert len(late) >= 8, len(late)
for what in "misses", "write_backs", "hits":
	x, y = (sum(l[k]["timing"]["l2"][what] for l in late) for k in (0, 1))
	assert abs(x - y) <= 0.03 * x + 2 * len(late), (what, x, y)' 2>>log || fail "the L2 of timed launches"

# Each warp sweeps the planes of two buffers. One warp after the other they would fill the same sets of the L2, and the
# lines of one buffer would drive out those of the other; side by side they share it.
cat >planes.cu <<'END'
__global__ void move(const int *a, int *b, int planes, int plane)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, last = 0;
	for (int z = 0; z < planes; z++) {
		int x = a[z * plane + i];
		b[z * plane + i] = x + last;
		last = x;
	}
}
int main()
{
	enum { PLANE = 32 * 128, PLANES = 24 };
	int *p[2];
	for (int i = 0; i < 2; i++) {
		cudaMalloc(&p[i], PLANE * PLANES * sizeof(int) + 512);
		cudaMemset(p[i], 0, PLANE * PLANES * sizeof(int));
	}
	for (int i = 0; i < 60; i++) {
		move<<<PLANE / 128, 128>>>(p[i % 2], p[1 - i % 2], PLANES, PLANE);
		cudaDeviceSynchronize();
	}
	return 0;
}
END
$heddle cc planes.cu -o planes >log 2>&1 || fail "it does not build"
run 0 "$heddle" run --config gtx480 --set l2.sets=64 --mode timing --stats all.json ./planes
run 0 "$heddle" run --config gtx480 --set l2.sets=64 --mode sampled --error 5% --stats s.json ./planes
python3 -c 'import json
a, s = (json.load(open(f + ".json")) for f in ("all", "s"))
late = [(x, y) for x, y in zip(a["launches"], s["launches"]) if y["timed"]][8:]
assert len(late) >= 8, len(late)
for pair in late:
	x, y = (l["timing"]["l2"]["write_backs"] for l in pair)
	assert abs(x - y) <= 0.08 * x, (x, y)' 2>>log || fail "the dirty lines of timed launches"

# Instruction caches: a launch finds the code of the launch before it, timed or not, and misses its own only if other code
# has driven it out.
cat >code.cu <<'END'
template <int K> __global__ void step(int *p)
{
	int x = p[threadIdx.x];
#pragma unroll
	for (int k = 0; k < 100; k++)
		x = x * (K + k) + (x >> (k & 7));
	p[threadIdx.x] = x;
}
int main()
{
	int *p;
	cudaMalloc(&p, 4096);
	cudaMemset(p, 1, 4096);
	for (int i = 0; i < 60; i++) {
		step<1><<<15, 64>>>(p);
		cudaDeviceSynchronize();
		step<1><<<60, 64>>>(p);
		cudaDeviceSynchronize();
		step<2><<<15, 64>>>(p);
		cudaDeviceSynchronize();
		step<3><<<15, 64>>>(p);
		cudaDeviceSynchronize();
	}
	return 0;
}
END
$heddle cc code.cu -o code >log 2>&1 || fail "it does not build"
run 0 "$heddle" run --config gtx480 --mode timing --stats all.json ./code
run 0 "$heddle" run --config gtx480 --mode sampled --error 5% --stats s.json ./code
python3 -c 'import json
a, s = (json.load(open(f + ".json")) for f in ("all", "s"))
late = [(x, y) for x, y in zip(a["launches"], s["launches"]) if y["timed"]][32:]
assert len(late) >= 16, len(late)
for x, y in late:
	assert x["timing"]["l1i"]["misses"] == y["timing"]["l1i"]["misses"] and abs(x["cycles"] - y["cycles"]) <= 0.01 * x["cycles"], x["kernel"]' 2>>log || fail "the instruction caches of timed launches"

# An L2 of two halves: each keeps copies of the other's lines, which a functional launch leaves and drops as a timed one does.
cat >halves.cu <<'END'
__global__ void put(int *p, int n) { p[threadIdx.x * 32] = n; }
__global__ void get(const int *p, int *q)
{
	int sum = 0;
	for (int k = 0; k < 4; k++)
		sum += p[(k * 64 + (threadIdx.x & 63)) * 32];
	q[blockIdx.x * blockDim.x + threadIdx.x] += sum;
}
int main()
{
	int *p, *q;
	cudaMalloc(&p, 256 * 128);
	cudaMalloc(&q, 132 * 128 * 4);
	cudaMemset(p, 0, 256 * 128);
	cudaMemset(q, 0, 132 * 128 * 4);
	for (int i = 0; i < 40; i++) {
		for (int k = 0; k < 3; k++) { /* so that most launches of get follow one that is not timed */
			put<<<1, 256>>>(p, i + k);
			cudaDeviceSynchronize();
		}
		get<<<132, 128>>>(p, q);
		cudaDeviceSynchronize();
	}
	return 0;
}
END
$heddle cc halves.cu -o halves >log 2>&1 || fail "it does not build"
run 0 "$heddle" run --config h200-sm90 --mode timing --stats all.json ./halves
run 0 "$heddle" run --config h200-sm90 --mode sampled --error 5% --stats s.json ./halves
python3 -c 'import json
a, s = (json.load(open(f + ".json")) for f in ("all", "s"))
late = [(x, y) for x, y in zip(a["launches"], s["launches"]) if y["timed"]][16:]
assert len(late) >= 8, len(late)
for x, y in late:
	assert abs(x["cycles"] - y["cycles"]) <= 0.01 * x["cycles"], (x["kernel"], x["cycles"], y["cycles"])' 2>>log || fail "the halves of the L2 of timed launches"

# Long launches are thinned: blocks are skipped, memory is exact, the truth is inside the interval. A fault
# in a skipped block is found. Kernels whose blocks wait for each other are not thinned.
cat >thin.cu <<'END'
#include <cstdio>
__global__ void work(int *p, int n) /* work by the block */
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, x = i;
	int rounds = n + (blockIdx.x * 7919 >> 4) % n;
	for (int k = 0; k < rounds; k++)
		x = x * 3 + k;
	p[i] = x;
}
__global__ void stream(const int *p, int *q, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	q[i] = p[i] + p[i ^ 64] * n;
}
__global__ void ticket(int *count, int *q)
{
	if (!threadIdx.x)
		q[atomicAdd(count, 1)] += 1;
}
__global__ void wrong(int *p, unsigned at) { p[blockIdx.x == at ? 1 << 28 : threadIdx.x] = 1; }
int main(int argc, char **)
{
	enum { BLOCKS = 1600, N = BLOCKS * 128 };
	static int h[N];
	int *p, *q, sum = 0;
	cudaMalloc(&p, sizeof h);
	cudaMalloc(&q, sizeof h);
	work<<<BLOCKS, 128>>>(p, 8);
	stream<<<BLOCKS, 128>>>(p, q, 3);
	cudaMemset(p, 0, 4);
	ticket<<<BLOCKS, 32>>>(p, q);
	cudaMemcpy(h, q, sizeof h, cudaMemcpyDeviceToHost);
	for (int i = 0; i < N; i++)
		sum = sum * 31 + h[i];
	printf("%d\n", sum);
	if (argc > 1) {
		wrong<<<BLOCKS, 128>>>(p, 300);
		cudaDeviceSynchronize();
	}
	return 0;
}
END
$heddle cc thin.cu -o thin >log 2>&1 || fail "it does not build"
for machine in "gtx480 --set l2.sets=8" hws; do
	few="--config $machine --set gpu.sms=2"
	# shellcheck disable=SC2086
	run 0 "$heddle" run $few --mode timing --stats all.json ./thin
	mv out all.out
	# shellcheck disable=SC2086
	run 0 "$heddle" run $few --mode sampled --error 3% --stats s.json ./thin
	cmp -s out all.out || fail "$machine, thinned: other results"
	python3 -c 'import json
a, s = (json.load(open(f + ".json")) for f in ("all", "s"))
assert s["sampled"]["thinned"] == 2 and s["sampled"]["timed_instructions"] < 0.75, s["sampled"]
for x, y in zip(a["launches"], s["launches"]):
	assert x["warp_instructions"] == y["warp_instructions"] and x["opcodes"] == y["opcodes"]
	assert ("ticket" in x["kernel"]) == ("thinned" not in y), y
	assert abs(y["cycles"] / x["cycles"] - 1) < 0.03, (x["cycles"], y["cycles"])
	assert abs(y["joule"] / x["joule"] - 1) < 0.03, (x["joule"], y["joule"])
c = s["sampled"]["figures"]["launch"]["cycles"]
assert c["low"] <= sum(x["cycles"] for x in a["launches"]) <= c["high"] < 1.06 * c["value"], c' 2>>log || fail "$machine: thinned launches"
done
$heddle run --config gtx480 --set gpu.sms=2 --mode sampled ./thin x >out 2>log && fail "a fault in a skipped block: status 0"
said "kernel wrong, block (300,0,0)"

# Interrupted: the figures of what has run.
$heddle run --config gtx480 --mode sampled --error 0.1% --stats i.json ./app 100000 >out 2>log &
pid=$!
while [ "$(cut -d' ' -f14 "/proc/$pid/stat" 2>/dev/null || echo 1000)" -lt 200 ]; do # two seconds of processor time: some launches
	sleep 0.2
done
kill -TERM $pid # once: a second signal would end the report
wait $pid && fail "an interrupted run has status 0"
said "launches timed, .*95 % intervals"
[ -s i.json ] && figure i.json launch cycles >/dev/null || fail "an interrupted run has no figures"
exit $bad
