#!/bin/sh
# Builds each program here with `heddle cc` and runs it: it checks itself and ends with "passed".
# "// options: ..." in a source adds to the command line. NAME-2.cu belongs to NAME.cu.
# Where NVIDIA's nvcc is installed and LONG is in the environment, the programs are built with it too and run by `heddle run`.
# Some of them ask for errors, so their own exit status counts.
#   MACHINES="gtx480 stsimt" sh tests/cuda/api/run.sh [PATTERN]     in timing mode on these machines instead
B=${B:-build}
dir=$(dirname "$0")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# The library of a sanitizer build needs the sanitizer in programs that lack it.
preload=
if nm -D "$B/libcudart.so" | grep -q __asan_init; then
	preload=$(gcc -print-file-name=libasan.so)
fi
bad=0 n=0
heddle=$(realpath "$B/heddle")
# Separate compilation differs most between versions of clang: it is tried with the newest too.
newest=$(ls /usr/bin/clang++-* 2>/dev/null | sort -t- -k2n | tail -n 1)
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
build() { # options and files
	"$B/heddle" cc "$@" -o "$tmp/app" >"$tmp/log" 2>&1
}
works() {
	(cd "$tmp" && LD_PRELOAD=$preload timeout 120 ./app >log 2>err) && [ "$(tail -n 1 "$tmp/log")" = passed ]
}
on_machines() {
	for m in $MACHINES; do
		(export HEDDLE_MODE=timing HEDDLE_CONFIG="$m"; works) && continue
		echo "FAIL $name on $m"
		head -20 "$tmp/log" "$tmp/err"
		return 1
	done
}
for f in "$dir"/*"$1"*.cu; do
	name=$(basename "$f" .cu)
	case $name in *-2) continue ;; esac
	more=$dir/$name-2.cu
	[ -f "$more" ] || more=
	opts=$(sed -n 's|^// options: ||p' "$f")
	n=$((n + 1))
	for clang in default ${more:+$newest}; do
		[ "$clang" = default ] || export HEDDLE_CLANG="$clang"
		# shellcheck disable=SC2086
		if ! build $opts "$f" $more; then
			echo "FAIL $name does not compile ($clang clang)"
			head -20 "$tmp/log"
			bad=1
		elif [ -n "$MACHINES" ]; then
			on_machines || bad=1
		elif ! works; then
			echo "FAIL $name ($clang clang)"
			head -20 "$tmp/log" "$tmp/err"
			bad=1
		fi
		[ "$clang" = default ] || unset HEDDLE_CLANG
	done
	[ -n "$nvcc" ] && [ -n "$LONG" ] && [ -z "$preload$MACHINES" ] || continue
	# shellcheck disable=SC2086
	if ! "$nvcc" -w -cudart shared -arch=compute_80 $opts "$f" $more -o "$tmp/app" -lcuda >"$tmp/log" 2>&1; then
		echo "FAIL $name does not compile (nvcc)"
		head -20 "$tmp/log"
		bad=1
	elif ! (cd "$tmp" && timeout 120 "$heddle" run --quiet --no-fail-on-fault ./app >log 2>err) ||
	     [ "$(tail -n 1 "$tmp/log")" != passed ]; then
		echo "FAIL $name (nvcc)"
		head -20 "$tmp/log" "$tmp/err"
		bad=1
	fi
done
[ $bad = 0 ] && echo "API: $n programs"
exit $bad
