#!/bin/bash
# Runs the workload suite and its own checks.
#   B=build tests/workloads.sh [NAME...]     SIZE=test|small|paper (default test), THREADS=N (default 4)
# Every workload runs three times: on one host thread, on N (with the same output, to the letter), and
# with the checks for races and uninitialised memory; where the registry explains a race of the
# published algorithm, the race check is left out. Then the kernels must be those of the registry, and at
# size paper their blocks too. Status 1 if anything fails.
cd "$(dirname "$0")/.." || exit 1
heddle=${HEDDLE:-${B:-build}/heddle} size=${SIZE:-test} threads=${THREADS:-4}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

run() { # file for the output, then the command line
	local out=$1
	shift
	timeout "${TIMEOUT:-900}" "$heddle" workload "$@" --size "$size" --quiet >"$out" 2>"$out.err"
}

fail() { # what, file
	failed=$((failed + 1))
	echo "FAIL $1"
	cat "$2" "$2.err" | tail -n 8 | sed 's/^/    /'
}

[ $# -gt 0 ] || set -- $("$heddle" workloads --names)
[ $# -gt 0 ] || { echo "no workloads"; exit 1; }
for name; do
	checks=race,init,scalar
	"$heddle" workloads "$name" | grep -q '^ *races ' && checks=init,scalar
	start=$(date +%s%N)
	if ! run "$tmp/one" "$name" --threads 1 || ! grep -q ': PASS, ' "$tmp/one"; then
		fail "$name" "$tmp/one"
		continue
	fi
	ms=$((($(date +%s%N) - start) / 1000000))
	if ! run "$tmp/many" "$name" --threads "$threads" || ! cmp -s "$tmp/one" "$tmp/many"; then
		fail "$name --threads $threads" "$tmp/many"
	elif ! run "$tmp/check" "$name" --check $checks; then
		fail "$name --check $checks" "$tmp/check"
	else
		passed=$((passed + 1))
		[ -z "$VERBOSE" ] || echo "$name: $ms ms"
	fi
done
if ! "$heddle" workloads --measure --size "$size" "$@" >"$tmp/table" 2>"$tmp/table.err"; then
	fail "launches as in the registry" "$tmp/table"
fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
