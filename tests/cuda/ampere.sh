#!/bin/sh
# Machine code of sm_80, 86, 89 and 90 on the machine files of these chips: latency of shared memory and rate of f64 sums as the
# files' published numbers say.
. "$(dirname "$0")/lib.sh"
data=$(dirname "$heddle")/../tests/data/native/sm90
# MACHINE SM least and most cycles of a chain's load (its address takes an instruction more), least and most of an f64 sum
while read -r machine sm load_least load_most sum_least sum_most; do
	xz -dc "$data/machines.sm_$sm.cubin.xz" >code.cubin
	run 0 "$heddle" run --quiet --mode timing --config "$machine" code.cubin --grid 1 --block 32 --out 12 result.bin --val u32=0
	set -- $(od -An -tu4 result.bin)
	[ "$1" -ge "$load_least" ] && [ "$1" -le "$load_most" ] || { echo "$*" >log; fail "$machine: a chain of shared loads takes $1 cycles a load"; }
	[ "$2" -ge "$sum_least" ] && [ "$2" -le "$sum_most" ] || { echo "$*" >log; fail "$machine: sums of f64 take $2 cycles each"; }
	[ "$3" = 2137053 ] || { echo "$*" >log; fail "$machine: the sum is $3"; }
done <<'EOF'
rtx-a6000 86 28 36 60 80
rtx-3080 86 28 36 60 80
a100-sm80 80 33 41 6 14
rtx-4090 89 34 42 60 80
h100 90 31 39 4 12
h200-sm90 90 31 39 4 12
EOF
exit $bad
