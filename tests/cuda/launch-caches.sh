#!/bin/sh
# A launch finds the same first-level caches and the same first SM whether the host waits for the launch before it
# or not: without data of that launch.
. "$(dirname "$0")/lib.sh"
cat >app.cu <<'END_OF_APP'
__global__ void add(int *p, int n) { p[blockIdx.x * blockDim.x + threadIdx.x] += n; }
int main(int argc, char **)
{
	int *p;
	cudaMalloc(&p, 15 * 64 * sizeof(int));
	for (int i = 0; i < 6; i++) {
		add<<<15, 64>>>(p, i);
		if (argc > 1)
			cudaDeviceSynchronize();
	}
	return cudaDeviceSynchronize() != cudaSuccess;
}
END_OF_APP
$heddle cc app.cu -o app >log 2>&1 || fail "it does not build"
# qv100 has an L1D that keeps what is written; h200-sm90 hands blocks out from the first GPC on
for machine in qv100 h200-sm90; do
	run 0 "$heddle" run --config $machine --stats queued.json ./app
	run 0 "$heddle" run --config $machine --stats waited.json ./app wait
	python3 -c 'import json
q, w = ([l["timing"] for l in json.load(open(f + ".json"))["launches"]] for f in ("queued", "waited"))
for x, y in zip(q, w):
	assert x["l1d"] == y["l1d"], (x["l1d"], y["l1d"])
	assert [x["sm.%d" % i]["warp_instructions"] for i in range(40)] == [y["sm.%d" % i]["warp_instructions"] for i in range(40)]
assert q[1]["l1d"]["read_misses"] > 0' 2>>log || fail "$machine: a queued launch finds other caches"
done
exit $bad
