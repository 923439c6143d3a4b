#!/bin/sh
# The labs of the course: every solution gets all points and every starter few; files that do not build, crash, hang, cheat or
# compute something else get a message and no points for it. LONG=1: every lab's starter and all solutions.
top=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/lib.sh"
labs=$top/docs/teaching
points() { # LAB FILE LEAST MOST: all points together
	"$heddle" grade "$1" "$2" --json result.json >out 2>log || { cat log out; fail "grade $1 $2"; return; }
	sum=$(sed -n 's/^ "points": \([0-9.]*\),$/\1/p' result.json)
	awk -v s="${sum:-none}" -v a="$3" -v b="$4" 'BEGIN { exit !(s != "none" && s >= a && s <= b) }' ||
		{ cat out; fail "grade $1 ${2##*/}: $sum points, expected $3 to $4"; }
}
says() { grep -q -- "$1" out || { cat out; fail "no word of: $1"; }; }
policy() { # what pick() does, and what is before it
	cat <<-END
	#include "sm/sched/pick.h"
	$2
	static int pick(struct sched *s, const uint64_t *ready)
	{
		$1
	}
	const struct sched_ops sched_mine = {.p = {"mine", "mine", ""}, .pick = pick};
	END
}
for lab in scheduler ${LONG:+dispatch cache}; do
	points $lab "$labs/$lab/starter.c" 20 45
	points $lab "$labs/$lab/solution/$lab.c" 100 100
done
"$heddle" grade scheduler "$labs/scheduler/solution/scheduler.c" --seed 3 >out
says '100.0 of 100'
# Broken policies.
broken() { # WORDS OF THE MESSAGE, pick(), what is before it
	policy "$2" "${3:-}" >broken.c
	points scheduler broken.c 0 15
	says "$1"
}
broken 'expected .;.' 'return 0'
broken 'may not call exit' 'exit(0); return 0;' 'void exit(int);'
broken 'may not call write' 'write(1, "100", 3); return 0;' 'long write(int, const void *, unsigned long);'
broken 'broken.c:2: a policy may not use <unistd.h>' 'return 0;' '#include <unistd.h>'
broken 'may not use asm' 'asm("ud2"); return 0;'
broken 'may not use asm' 'as\
m("ud2"); return 0;'
broken 'may not use __attribute__' 'return 0;' '__attribute__((constructor)) static void run(void) {}'
broken 'may not use ##' 'return 0;' '#define J(a, b) a##b'
broken 'expected one line that begins with' 'return 0;' 'const struct sched_ops sched_other = {.p = {"other", "", ""}};'
broken 'crashes: signal' 'return *(volatile int *)(s->n * 0);'
broken 'does not end: stopped after 10 s' 'for (;;) { *(volatile unsigned *)&s->n; } return 0;'
broken 'conformance .*launch' 'return -1;'
policy 'return pick_oldest(s, ready);' | sed 's/"mine"/"gto"/' >broken.c
points scheduler broken.c 0 15
says 'name gto is taken'
policy 'return pick_oldest(s, ready);' | sed 's/sched_/disp_/' >broken.c
points scheduler broken.c 0 15
head -c 3000 /dev/urandom >broken.c
points scheduler broken.c 0 15
: >broken.c
points cache broken.c 0 0
run 2 "$heddle" grade nothing broken.c
said 'expected divergence, scheduler, dispatch, cache, gemm'
run 2 "$heddle" grade cashe broken.c
said 'did you mean cache'
run 1 "$heddle" grade cache /no/such/file
run 2 "$heddle" grade cache
run 2 "$heddle" grade cache broken.c --seed x
"$heddle" grade cache "$labs/cache/starter.c" --json - | python3 -c 'import json, sys; r = json.load(sys.stdin); assert r["lab"] == "cache" and len(r["parts"]) == 6' ||
	fail "JSON on standard output"
# An installed tree: headers beside the program.
mkdir -p tree/bin tree/share/heddle/src
cp "$heddle" tree/bin/heddle
(cd "$top/src" && find . \( -name '*.h' -o -name '*.def' \) -exec cp --parents '{}' "$tmp/tree/share/heddle/src" ';')
mkdir tree/include && cp "$top/include/heddle.h" tree/include
cp -R "$top/conf" tree/share/heddle/
heddle=$tmp/tree/bin/heddle
points cache "$labs/cache/solution/cache.c" 100 100
heddle=$(realpath "${HEDDLE:-$top/${B:-build}/heddle}")
# Kernels.
points divergence "$labs/divergence/starter.cu" 20 35
points divergence "$labs/divergence/solution/divergence.cu" 100 100
if [ -n "$LONG" ]; then
	points gemm "$labs/gemm/starter.cu" 20 35
	points gemm "$labs/gemm/solution/1-tiles.cu" 50 60
	points gemm "$labs/gemm/solution/2-mma.cu" 70 82
fi
points gemm "$labs/gemm/solution/3-wgmma.cu" 100 100
kernel() { echo "extern \"C\" __global__ void classify(const unsigned *in, unsigned *out, int n) { $1 }" >broken.cu; }
kernel 'out[threadIdx.x] = 1;'
points divergence broken.cu 10 10
says 'a wrong result: element 0'
kernel 'out[1 << 20] = 1;'
points divergence broken.cu 10 10
says 'outside any allocation'
kernel 'for (volatile int i = 0; i < 1; i *= 2) ;'
points divergence broken.cu 10 10
says 'it does not end within'
kernel 'for (;;) ((volatile unsigned *)out)[threadIdx.x] += 1;'
points divergence broken.cu 10 10
says 'it does not end within [0-9]* cycles, 20 times'
[ "$(wc -l <out)" = 6 ] || fail "a kernel without end gets one line for its results: $(cat out)"
echo 'this is no kernel' >broken.cu
points divergence broken.cu 0 0
says 'error'
echo '// launch: block 9999 tile 1 1' >broken.cu
points gemm broken.cu 0 0
says 'expected a comment'
[ $bad = 0 ] && echo "5 labs: starters, solutions, broken files"
exit $bad
