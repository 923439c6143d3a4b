#!/bin/sh
# Tensor maps and tensor copies of random arguments against what an H200 answered (driver 580.159.04): return codes of the
# encode calls with the map's bytes, and what a copy wrote and counted on its mbarrier, or that it ended in an error. Cases in
# which the driver itself crashed (a rank of 2^32 - 1) are left out.
. "$(dirname "$0")/lib.sh"
here=$OLDPWD/tests
gzip -dc "$here/data/tensor-copies.tsv.gz" >want || exit 1
for p in tensor_maps tensor_copies; do
	$heddle cc -std=c++17 -arch=sm_90a "$here/cuda/$p.cu" -lcuda -o $p 2>log || fail "$p does not build"
done
export HEDDLE_QUIET=1
numbers() { sed -n "s/^$1 \([0-9]*\) .*/\1/p" want; }
all() { # KIND SEED: cases from the first to the last one recorded; a case that fails ends the program
	from=$(numbers "$1" | head -n 1) last=$(($(numbers "$1" | tail -n 1) + 1))
	while [ "$from" -lt $last ]; do
		./tensor_copies "$2" "$from" $last "$1" 2>log >part
		status=$?
		cat part >>got
		[ $status = 3 ] || { [ $status = 0 ] || fail "$1: status $status"; break; }
		[ -s part ] || { fail "$1: no case"; break; }
		from=$(($(tail -n 1 part | cut -d ' ' -f 2) + 1))
	done
}
./tensor_maps 5 0 "$(($(numbers encode | tail -n 1) + 1))" >got 2>log || fail "tensor_maps: status $?"
all plain 3
all fault 2
awk 'NR == FNR { got[$1 " " $2] = $3; next }
	{ n[$1]++; if (got[$1 " " $2] != $3) { bad++; if (bad < 6) print "differs: " $1 " " $2 } }
	END { if (bad) print bad " of " FNR " differ"; exit bad > 0 || !n["encode"] || !n["plain"] || !n["fault"] }' got want >log || fail "cases differ"
exit $bad
