#!/bin/bash
# Every workload on every shipped machine, cycle by cycle: right results, figures that agree with each other.
#   B=build tests/machines.sh [WORKLOAD...]
#   SIZE=test|small|paper (default small)   MACHINES="hws gtx480 ..."   TIMEOUT=seconds for each (default 900)
# Prints a line for each run that fails, then `N passed, N failed`; status 1 if any failed. A block that is too large for
# a machine is refused there; such runs are named and count as neither. VERBOSE=1: a line for each run, with its time.
cd "$(dirname "$0")/.." || exit 1
B=${B:-build} heddle=${HEDDLE:-${B:-build}/heddle} size=${SIZE:-small}
machines=${MACHINES:-hws gtx480 gtx480-700 stsimt quadro-fx5800 tesla-c2050}
export HEDDLE_CONF=${HEDDLE_CONF:-conf}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0
[ $# -gt 0 ] || set -- $("$heddle" workloads --names)
for name; do
	for machine in $machines; do
		start=$(date +%s%N)
		timeout "${TIMEOUT:-900}" "$heddle" workload "$name" --size "$size" --config "$machine" --quiet \
			--stats "$tmp/stats" >"$tmp/out" 2>"$tmp/err"
		status=$?
		ms=$((($(date +%s%N) - start) / 1000000))
		if [ $status -eq 0 ] && grep -q ': PASS, ' "$tmp/out" && "$B/tests/test_agreement" "$tmp/stats" 2>>"$tmp/err"; then
			passed=$((passed + 1))
			[ -z "$VERBOSE" ] || echo "$name on $machine: $ms ms"
		elif [ $status -ne 0 ] && grep -qE 'a block (of|needs) .*(takes at most|an SM of)|invalid configuration|too many resources' "$tmp/err" "$tmp/out"; then
			echo "$name does not fit $machine"
		else
			failed=$((failed + 1))
			echo "FAIL $name on $machine (status $status, $ms ms)"
			cat "$tmp/out" "$tmp/err" | tail -n 6 | sed 's/^/    /'
		fi
		rm -f "$tmp/stats"
	done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
