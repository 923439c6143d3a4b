#!/bin/sh
# Builds each program here with `heddle cc` and runs it: it checks itself and ends with "passed".
# "// options: ..." in a source adds to the command line. NAME-2.cu belongs to NAME.cu.
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
for f in "$dir"/*.cu; do
	name=$(basename "$f" .cu)
	case $name in *-2) continue ;; esac
	more=$dir/$name-2.cu
	[ -f "$more" ] || more=
	opts=$(sed -n 's|^// options: ||p' "$f")
	n=$((n + 1))
	# shellcheck disable=SC2086
	if ! "$B/heddle" cc $opts "$f" $more -o "$tmp/app" >"$tmp/log" 2>&1; then
		echo "FAIL $name does not compile"
		head -20 "$tmp/log"
		bad=1
	elif ! (cd "$tmp" && LD_PRELOAD=$preload timeout 120 ./app >log 2>err) || [ "$(tail -n 1 "$tmp/log")" != passed ]; then
		echo "FAIL $name"
		head -20 "$tmp/log" "$tmp/err"
		bad=1
	fi
done
[ $bad = 0 ] && echo "API: $n programs"
exit $bad
