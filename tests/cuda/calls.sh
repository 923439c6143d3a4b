#!/bin/sh
# printf, malloc, free and assertions in sm_90 code: a program's output as PTX and as machine code, in both modes, with spills;
# behind a call no register is read that the driver's function may have changed.
. "$(dirname "$0")/lib.sh"
cat >app.cu <<'END'
#include <cassert>
#include <cstdio>
#include <cstdlib>

struct node { int value; node *next; };

__global__ void run(const int *in, int *out, int n, float scale)
{
	int t = threadIdx.x, sum = 0, a[16];
	for (int i = 0; i < 16; i++)
		a[i] = in[(t * 7 + i * 5) & 255];
	bool odd = in[t] & 1, big = in[t] > 40;
	node *list = nullptr;
	for (int i = 0; i < (t & 3) + 1; i++) {
		node *x = (node *)malloc(sizeof *x);
		x->value = a[i] + i;
		x->next = list;
		list = x;
		if (odd && i == 1)
			printf("%d: %d %g %s\n", t, a[i], a[2] * scale, big ? "big" : "small");
	}
	__syncwarp();
	for (int i = 0; i < 16; i++)
		sum += odd ? a[i] * (i + 1) : a[i] ^ i;
	for (node *x = list; x;) {
		node *next = x->next;
		sum = sum * 31 + x->value;
		free(x);
		x = next;
	}
	sum += __shfl_xor_sync(~0u, sum, 5);
	assert(n > 0 || sum == 12);
	out[t] = sum + (big ? 3 : 5);
	if (t == 33)
		printf("end %d %lld\n", n, (long long)sum << 20);
}

int main(void)
{
	int h[256], r[64], *in, *out;
	for (int i = 0; i < 256; i++)
		h[i] = i * 37 % 101;
	cudaMalloc(&in, sizeof h);
	cudaMalloc(&out, sizeof r);
	cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
	run<<<1, 64>>>(in, out, 1, 0.5f);
	cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost);
	unsigned sum = 0;
	for (int i = 0; i < 64; i++)
		sum = sum * 33 + r[i];
	printf("%08x %s\n", sum, cudaGetErrorString(cudaGetLastError()));
	run<<<1, 32>>>(in, out, 0, 0.5f);
	printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
	return 0;
}
END
run 0 "$heddle" cc -arch=sm_90 app.cu -o app
heddle_run() { timeout 300 "$heddle" run --config h200-sm90 "$@" ./app 2>err | sort >out; }
heddle_run --mode functional --code ptx
cp out ptx.out
grep -q 'Assertion `n > 0 || sum == 12. failed' ptx.out || fail "no assertion fails"
for code in sm90 sm90-order sm90-common-fold; do
	for mode in functional timing; do
		heddle_run --mode $mode --code $code
		cmp -s out ptx.out || fail "$code, $mode: other output"
	done
done

# Values that live across a call, and what the machine code reads behind it.
cat >across.cu <<'END'
#include <cstdio>
extern "C" __global__ void k(const int *in, int *out, double x)
{
	int t = threadIdx.x, a[24];
	for (int i = 0; i < 24; i++)
		a[i] = in[t + i * 32];
	bool p = in[5] > 3, q = in[6] > 7;
	printf("%d %f\n", a[0], x);
	for (int i = 0; i < 24; i++)
		out[t + i * 32] = a[i] + (i & 1 ? p : q) * (i + 3);
}
END
run 0 "$heddle" cc -ptx -arch=sm_90 across.cu -o across.ptx
for n in 255 32 16; do
	run 0 "$heddle" ptxas -arch=sm_90 -maxrregcount $n across.ptx -o across.cubin
	run 0 "$heddle" disasm --check control-bits across.cubin
	"$heddle" disasm across.cubin >across.sass
	python3 - across.sass <<'END' >>log 2>&1 || fail "$n registers: $(tail -n 1 log)"
import re, sys
text = [x.split("*/", 1)[1].split(";")[0] for x in open(sys.argv[1]) if re.match(r"\s*/\*[0-9a-f]{4}\*/ ", x)]
at = [i for i, x in enumerate(text) if "CALL.ABS" in x]
assert len(at) == 1, "%d calls" % len(at)
may = {"R%d" % i for i in list(range(16)) + [20, 21] if i not in (1, 4, 5)} | {"P%d" % i for i in range(7)} | {"UR%d" % i for i in range(36)}
for x in text[at[0] + 1:]:
    guard, rest = re.match(r"\s*(@!?P\d )?\s*(.*)", x).groups()
    name, _, rest = rest.partition(" ")
    if name in ("BRA", "NOP"):
        break
    names = [w for o in rest.split(",") for w in re.findall(r"\bU?[RP]\d+(?:\.64)?", o)]
    store = name[:2] in ("ST", "EX", "BS", "BR")
    first = [w for o in rest.split(",")[:0 if store else 1] for w in re.findall(r"\b[RP]\d+", o)]
    sets = set(first)
    if not store and re.search(r"\.64|WIDE|LDC.64|128", name):
        sets |= {"R%d" % (int(w[1:]) + i) for w in first for i in range(4)}
    if name.startswith("ISETP") or (", P" in rest and name.startswith("IADD3")):
        sets |= set(re.findall(r"\bP\d", ",".join(rest.split(",")[:2])))
    reads = [w.split(".")[0] for w in (names[len(first):] if not store else names)] + re.findall(r"P\d", guard or "")
    for w in reads:
        assert w not in may or w in sets, "%s reads %s behind the call" % (x.strip(), w)
    may -= sets
END
done

# Predicates that live across calls, with registers for few values.
cat >many.cu <<'END'
#include <cstdio>
extern "C" __global__ void k(const int *in, int *out, double x)
{
	int t = threadIdx.x, sum = 0, a[12];
	for (int i = 0; i < 12; i++)
		a[i] = in[t + i * 32];
	for (int n = 0; n < 4; n++) {
		printf("%d\n", a[n]);
#pragma unroll
		for (int i = 0; i < 12; i++)
			if (a[i] > 30 + i)
				sum = sum * 3 + n * i;
		printf("%d\n", sum);
#pragma unroll
		for (int i = 0; i < 12; i++)
			if (!(a[i] > 30 + i))
				sum ^= a[i] + n;
	}
	out[t] = sum;
}
END
run 0 "$heddle" cc -ptx -arch=sm_90 many.cu -o many.ptx
python3 -c 'import struct; open("in.bin", "wb").write(struct.pack("<384i", *(i * 37 % 101 for i in range(384))))'
launch() { run 0 "$heddle" run --mode functional "$1" --kernel k --grid 1 --block 32 --in in.bin --out 128 "$2" --val f64=1; }
launch many.ptx want.bin
for n in 255 32 16; do
	run 0 "$heddle" ptxas -arch=sm_90 -maxrregcount $n many.ptx -o many.cubin
	launch many.cubin got.bin
	cmp -s want.bin got.bin || fail "many.cu, $n registers: other results"
done
exit $bad
