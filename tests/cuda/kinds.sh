#!/bin/sh
# Cycles side by side: the kernels of bench/kinds on gtx480-700 and, recorded in bench/kinds/gpgpu-sim.csv, on
# GPGPU-Sim with its file for the same card. Most have to be within 15 % of it, none may be far away.
#   B=build sh tests/cuda/kinds.sh       VERBOSE=1: a line for each kernel
# The recorded code is clang 14's: a kernel that another compiler makes other instructions of is not compared.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build} tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
"$B/heddle" cc -O2 -arch=sm_35 bench/kinds/kinds.cu -o "$tmp/kinds" || exit 1
# registers.: what both had when the cycles were recorded; the estimate says fewer today
"$B/heddle" run --mode timing --config gtx480-700 --set registers._Z7bitonicPj=24 --threads 2 --quiet --stats "$tmp/stats.csv" "$tmp/kinds" || exit 1
awk -F, -v verbose="${VERBOSE:-}" -v n=0 '
	FNR == 1 { file++; next }
	file == 1 { wi[n] = $2; theirs[n++] = $3; next }
	$3 == "launch" && $5 == "warp_instructions" { ours[$1] = $7 }
	$3 == "launch" && $5 == "cycles" {
		if (ours[$1] != wi[$1])
			next
		ratio = $7 / theirs[$1]
		compared++
		far = ratio < 1 / 1.15 || ratio > 1.15
		outside += far
		away += ratio < 0.65 || ratio > 1.5
		if (verbose || far)
			printf "%-28s %9d %9d %.2f\n", $2, theirs[$1], $7, ratio
	}
	END {
		printf "%d kernels compared, %d outside 15 %%\n", compared, outside
		if (!compared)
			exit 77
		exit away || outside > compared / 10
	}' bench/kinds/gpgpu-sim.csv "$tmp/stats.csv"
status=$?
[ $status -eq 77 ] || exit $status
"$B/heddle" cc --version 2>&1 | grep -q 'clang.* 14\.' && { echo "clang 14, but no kernel is as recorded"; exit 1; }
echo "skipped: no clang 14, whose code the recorded cycles are of"
exit 77
