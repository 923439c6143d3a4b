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
sed 's/^sample = 1/sample = 18446744073709551616/' s.ini >bad.ini
"$heddle" sweep bad.ini --store s.db >out 2>log && fail "a sample beyond 64 bits is taken"
said "bad.ini:4.*sample = 18446744073709551616: expected a number up to 18446744073709551615"

# What the program asks the machine: gpu.sms has a pass per value; programs that ask for something else run without.
cat >asks.cu <<'END_OF_ASKS'
#include <cstdlib>
#include <cstring>
#include <unistd.h>
__global__ void add(int *p) { p[blockIdx.x * 64 + threadIdx.x] += 1; }
int main(int argc, char **argv)
{
	cudaDeviceProp d;
	int *p;
	cudaGetDeviceProperties(&d, 0);
	int blocks = !strcmp(argv[1], "sms") ? d.multiProcessorCount : d.maxThreadsPerMultiProcessor / 128;
	cudaMalloc(&p, blocks * 256);
	for (int i = 0; i < 24; i++)
		add<<<blocks, 64>>>(p);
	cudaDeviceSynchronize();
	if (argc > 2)
		sleep(atoi(argv[2]));
	return !strcmp(argv[1], "fails") ? 7 : 0;
}
END_OF_ASKS
$heddle cc asks.cu -o asks >log 2>&1 || fail "it does not build"
ask() { # NAME AXIS PROGRAM...
	printf '[sweep]\nmode = sampled\nmachine = %s\nprogram = ./asks %s\n%s\n' "${machine:-hws}" "$3" "$2" >"$1.ini"
}
ask sms "gpu.sms = 2, 5" sms
ask threads "sm.max_threads = 512, 1024" threads
for axis in sms threads; do
	run 0 "$heddle" sweep $axis.ini --store ask.db --jobs 1 --quiet
	[ "$(grep -c "2 runs, 0 failed" out)" = 1 ] || fail "$axis: $(cat out)"
done

await_pass() { # STORE
	for _ in $(seq 600); do
		ls "$1.work"/passes/*.ck >/dev/null 2>&1 && return
		sleep 0.1
	done
	fail "$1: no pass after 60 s"
}

# The machine file's contents are part of the pass: what a killed sweep has left does not serve another machine of the name.
sed 's/^sms = .*/sms = 3/' "$(dirname "$heddle")/../conf/hws.ini" >my.ini
machine=./my.ini ask own "sm.max_warps = 24, 32" "sms 1"
"$heddle" sweep own.ini --store own.db --jobs 1 --quiet >out 2>log &
pid=$!
await_pass own.db
kill -KILL $pid
wait $pid 2>/dev/null
sed 's/^sms = .*/sms = 4/' my.ini >my2.ini && mv my2.ini my.ini
run 0 "$heddle" sweep own.ini --store own.db --jobs 1 --quiet
grep -q "2 runs, 0 failed" out || fail "another machine file: $(cat out)"
[ "$(ls own.db.work/passes/*.ck | wc -l)" = 1 ] || fail "another machine file has used the pass of the first"

# A sweep that ends leaves the pass to another one that needs it.
ask long "sm.max_warps = 8, 16, 24, 32" "sms 1"
ask short "sm.max_warps = 8" "sms 1"
"$heddle" sweep long.ini --store two.db --jobs 1 --quiet >long.out 2>long.log &
pid=$!
await_pass two.db
run 0 "$heddle" sweep short.ini --store two.db --jobs 1 --quiet
kill -0 $pid 2>/dev/null || fail "the long sweep has ended before the short one"
ls two.db.work/passes/*.ck >/dev/null 2>&1 || fail "the short sweep removed the long one's pass"
wait $pid || fail "the long sweep: $(cat long.log)"
[ -z "$(ls two.db.work/passes)" ] || fail "files of two sweeps are left: $(ls two.db.work/passes)"

# A killed pass that has written less than a header begins anew. The reason of a failed run is Heddle's message, not the
# last line.
ask cut "sm.max_warps = 8" "sms"
run 0 "$heddle" sweep cut.ini --store cut.db --jobs 1 --quiet
: >empty.ck
head -c 10 ptx.ck >head.ck
for file in empty head; do
	run 0 "$heddle" run --restore $file.ck --save $file.ck --accesses ./app 20
	said "$file.ck is truncated after 0 launches"
	run 0 "$heddle" run --restore $file.ck ./app 20
	unsaid truncated
done
cat >bad.cu <<'END_OF_BAD'
#include <cstdio>
__global__ void wrong(int *p) { p[1 << 28] = 1; }
int main()
{
	int *p;
	cudaMalloc(&p, 256);
	wrong<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	puts("good bye");
	return 1;
}
END_OF_BAD
$heddle cc bad.cu -o bad >log 2>&1 || fail "it does not build"
printf '[sweep]\nmode = sampled\nmachine = hws\nprogram = ./bad\n' >bad.ini
"$heddle" sweep bad.ini --store bad.db --jobs 1 --quiet --retries 0 >out 2>log && fail "a sweep that fails: status 0"
said "kernel wrong, block"
"$heddle" results --store bad.db --failed >out 2>log
grep -q "kernel wrong, block" out || { cp out log; fail "a failed pass leaves no failure in the store"; }
exit $bad
