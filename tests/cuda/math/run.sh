#!/bin/sh
# Runs every device math function on the simulator and compares with the host's long double ones.
#   run.sh [COUNT]     arguments of each function (default 512)
heddle=${HEDDLE:-${B:-build}/heddle}
dir=$(dirname "$0") n=${1:-512}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
${CC:-cc} -D_GNU_SOURCE -O1 -w "$dir/check.c" -o "$tmp/check" -lm || exit 1
${HEDDLE_CC:-$heddle cc} -ptx "$dir/kernels.cu" -o "$tmp/k.ptx" || exit 1
bad=0
for f in $("$tmp/check" list); do
	for t in f32 f64; do
		size=4
		[ $t = f64 ] && size=8
		"$tmp/check" gen $f $t "$tmp/in" "$n" || exit 1
		$heddle run "$tmp/k.ptx" --quiet --kernel ${f}_$t --grid $(((n + 127) / 128)) --block 128 \
			--in "$tmp/in" --out $((n * size)) "$tmp/out" --val u32="$n" || { bad=1; continue; }
		"$tmp/check" cmp $f $t "$tmp/in" "$tmp/out" >"$tmp/msg" || bad=1
		[ $bad = 0 ] && [ -z "$VERBOSE" ] || grep -E "FAIL|${VERBOSE:-FAIL}" "$tmp/msg"
	done
done
exit $bad
