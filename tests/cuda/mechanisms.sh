#!/bin/sh
# Workloads under every divergence mechanism of the build, alone and with hybrid warp size: each checks its own
# results, and all figures are the same on one host thread and on two.
#   B=build sh tests/cuda/mechanisms.sh [NAME...]     two workloads; with LONG in the environment five
cd "$(dirname "$0")/../.." || exit 1
heddle=${B:-build}/heddle
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

run() { # file for the figures, workload, threads, options of the machine
	stats=$1 name=$2 threads=$3
	shift 3
	timeout 120 "$heddle" workload "$name" --size test --mode timing --config hws --set gpu.sms=3 "$@" \
		--threads "$threads" --stats "$stats" --quiet >"$tmp/out" 2>&1 && grep -q ': PASS, ' "$tmp/out" &&
		sed -i '/"wall_seconds"/d' "$stats"
}

check() { # workload, options of the machine
	if ! run "$tmp/one" "$1" 1 $2; then
		echo "$1 $2"
		tail -n 3 "$tmp/out"
		failed=1
	elif [ "$3" ] && { ! run "$tmp/two" "$1" 2 $2 || ! cmp -s "$tmp/one" "$tmp/two"; }; then
		echo "$1 $2: two threads differ from one"
		failed=1
	fi
}

mechanisms=$("$heddle" config explain sm.divergence | sed -n 's/^ *one of //p' | tr '|' ' ')
[ "$mechanisms" ] || { echo "no mechanisms"; exit 1; }
[ $# -gt 0 ] || set -- HG NQU ${LONG:+LPS RAY BFS}
for name; do
	for m in $mechanisms; do
		[ "$m" = token ] && continue # machine code's: below
		[ "$m" = replay ] && continue # traces': traces.sh
		check "$name" "--set sm.divergence=$m" "$([ "$name" = HG ] && echo yes)"
		[ "$m" = mimd ] || check "$name" "--set sm.divergence=$m --set sm.lanes=hws" "$([ "$name" = NQU ] && echo yes)"
	done
	for m in dwf en-dwf; do
		check "$name" "--set sm.divergence=$m --set sm.lanes=hws --set squeeze.when=after-merge --set scale.scope=gpu" yes
	done
done
# Programs are PTX: the token stack of machine code refuses them, and says why.
if run "$tmp/one" "$1" 1 --set sm.divergence=token || ! grep -q 'the kernel is PTX, which has no tokens' "$tmp/out"; then
	echo "$1 under token: not refused, or without a reason"
	failed=1
fi
exit $failed
