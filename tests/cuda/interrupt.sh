#!/bin/sh
# Ctrl-C or SIGTERM in a CUDA program: the launch under way ends, the figures so far are shown and written, the program ends
# as one that Ctrl-C killed. A program that catches Ctrl-C itself keeps it.
[ -n "$BASH_VERSION" ] || exec bash "$0" "$@"
set -m # background jobs hear Ctrl-C
B=${B:-build}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
preload=
if nm -D "$B/libcudart.so" | grep -q __asan_init; then
	preload=$(gcc -print-file-name=libasan.so)
fi
cat >"$tmp/endless.cu" <<'END'
#include <cstdio>
#include <csignal>
#include <cstdlib>
__global__ void quick(int *p) { *p = 1; }
__global__ void endless(volatile int *p) { for (int i = 0; *p != i * 2 + 3; i++) *p = i; }
static void mine(int) { _Exit(7); }
int main(int argc, char **)
{
	int *p;
	if (argc > 1)
		signal(SIGINT, mine);
	cudaMalloc(&p, sizeof *p);
	quick<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	puts("begun");
	fflush(stdout);
	endless<<<1, 32>>>(p);
	printf("the end: %d\n", (int)cudaDeviceSynchronize());
	return 0;
}
END
"$B/heddle" cc "$tmp/endless.cu" -o "$tmp/app" || exit 1
bad=0
interrupted() { # what to expect, then the command: until it has run for a while, then Ctrl-C
	want=$1
	shift
	# what started the tests may ignore Ctrl-C, and programs inherit that
	LD_PRELOAD=$preload env --default-signal=INT,TERM "$@" >"$tmp/out" 2>"$tmp/err" &
	for _ in $(seq 600); do
		[ "$(cut -d' ' -f14 /proc/$!/stat 2>/dev/null || echo 99)" -ge 30 ] && break
		sleep 0.1
	done
	pid=$!
	kill -"${signal:-INT}" $pid
	for _ in $(seq 600); do # it ends soon
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL $pid 2>/dev/null
	wait $pid
	got=$?
	[ $got = "$want" ] && [ "$(cat "$tmp/out")" = begun ] && return
	echo "FAIL $*: status $got, not $want"
	cat "$tmp/out" "$tmp/err"
	bad=1
}
says() { # text, file
	grep -q "$1" "$2" && return
	echo "FAIL: no \"$1\" in"
	cat "$2"
	bad=1
}
export HEDDLE_STATS=$tmp/stats.json
for mode in functional timing; do
	export HEDDLE_MODE=$mode
	rm -f "$HEDDLE_STATS"
	interrupted 130 "$tmp/app"
	says interrupted "$tmp/err"
	says '2 kernel launches' "$tmp/err"
	says '"status": "interrupted"' "$HEDDLE_STATS"
	says '"kernel": "_Z5quickPi"' "$HEDDLE_STATS"
done
export HEDDLE_MODE=functional
signal=TERM
rm -f "$HEDDLE_STATS"
interrupted 143 "$tmp/app"
says '"status": "interrupted"' "$HEDDLE_STATS"
signal=INT
interrupted 7 "$tmp/app" own # the program's own handler
[ $bad = 0 ] && echo "Ctrl-C and SIGTERM: 4 runs"
exit $bad
