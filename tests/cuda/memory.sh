#!/bin/sh
# A device has as much memory as gpu.memory_mb says: what programs are told, and what they get.
. "$(dirname "$0")/lib.sh"
cat >memory.cu <<'END'
#include <cstdio>
int main()
{
	size_t left, all;
	void *p;
	cudaMemGetInfo(&left, &all);
	printf("%zu %d %d\n", all >> 20, (int)cudaMalloc(&p, 63 << 20), (int)cudaMalloc(&p, 2 << 20));
}
END
$heddle cc memory.cu -o memory >log 2>&1 || fail "it does not build"
gets() { # TEXT OPTIONS
	text=$1
	shift
	run 0 $heddle run --quiet --no-fail-on-fault "$@" ./memory
	[ "$(cat out)" = "$text" ] || fail "$*: $(cat out), not $text"
}
gets "64 0 2" --mode timing --set gpu.memory_mb=64
gets "1536 0 0" --mode timing --config gtx480
gets "16384 0 0"
exit $bad
