#!/bin/sh
# Builds each program of this folder with `heddle cc` and runs it on the simulator; a program checks
# itself against the CPU and says what differs. CLANGS="14 22" builds with each of these clangs.
#   run.sh [PATTERN]     only programs whose name contains it
# A line "// long" in a source: its compilation takes seconds, and it runs only by name or with LONG in the environment.
# A line "// options: ..." in a source adds to the command line. With HEDDLE_MODE=timing HEDDLE_CONFIG=MACHINE in
# the environment the programs run on that machine.
heddle=${HEDDLE:-${B:-build}/heddle}
dir=$(dirname "$0") bad=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# The library of a sanitizer build needs the sanitizer in programs that lack it.
preload=
if nm -D "$(dirname "$heddle")/libcudart.so" | grep -q __asan_init; then
	preload=$(gcc -print-file-name=libasan.so)
fi
for f in "$dir"/*"$1"*.cu; do
	[ -n "$LONG$1" ] || ! grep -q '^// long$' "$f" || continue
	opts=$(sed -n 's|^// options: ||p' "$f")
	for l in $(printf '%s\n' $opts | sed -n 's/^-l//p'); do
		[ -z "$preload" ] || [ -e "$(dirname "$heddle")/lib$l.so" ] || { echo "$f is left out: a sanitizer build has no lib$l"; continue 2; }
	done
	for v in ${CLANGS:-default}; do
		[ $v = default ] || export HEDDLE_CLANG=clang++-$v
		if ! $heddle cc $opts "$f" -o "$tmp/app" 2>"$tmp/err"; then
			echo "FAIL $f: clang $v does not compile it"
			head -20 "$tmp/err"
			bad=1
		elif ! LD_PRELOAD=$preload timeout 120 "$tmp/app" >"$tmp/out" 2>&1; then
			echo "FAIL $f: clang $v"
			head -20 "$tmp/out"
			bad=1
		fi
	done
done
exit $bad
