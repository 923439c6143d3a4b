#!/bin/sh
# Compiles the header tests to device PTX and host objects, no link, with the oldest and the newest
# clang that is installed; CLANGS="14 19 22" names others.
# A line "// options: ..." in a source adds to the command line. PTX must leave no function undefined
# but the device system calls.
heddle=${HEDDLE:-${B:-build}/heddle}
dir=$(dirname "$0")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0
if [ -z "$CLANGS" ]; then
	for v in 14 15 16 17 18 19 20 21 22 23 24 25 26; do
		command -v "clang++-$v" >/dev/null || continue
		[ -n "$oldest" ] || oldest=$v
		newest=$v
	done
	CLANGS="$oldest $newest"
	[ "$oldest" != "$newest" ] || CLANGS=$oldest
fi
mkdir "$tmp/kept"
for v in $CLANGS; do
	for f in "$dir"/headers/*.cu; do
		opts=$(sed -n 's|^// options: ||p' "$f")
		n=$((n + 1))
		if ! HEDDLE_CLANG=clang++-$v $heddle cc $opts -c -keep -keep-dir "$tmp/kept" "$f" -o "$tmp/o.o" 2>"$tmp/err" ||
		   ! mv "$tmp/kept/"*.ptx "$tmp/o.ptx" 2>>"$tmp/err"; then
			echo "FAIL clang $v: $f"
			head -20 "$tmp/err"
			bad=1
			continue
		fi
		if [ -s "$tmp/err" ]; then
			echo "FAIL clang $v: $f: messages"
			head -20 "$tmp/err"
			bad=1
		fi
		left=$(awk '/^\.extern \.func/ { if (match($0, /[A-Za-z_$][A-Za-z0-9_$]*[ \t]*$/)) print substr($0, RSTART, RLENGTH)
			else { getline; gsub(/[ \t(,;]/, ""); print } }' "$tmp/o.ptx" |
			grep -v -x -E ' *(vprintf|malloc|free|__assertfail) *')
		if [ -n "$left" ]; then
			echo "FAIL clang $v: $f: undefined" $left
			bad=1
		fi
	done
done
# The host's compiler reads every header that a .cpp file may include, also as strict C++11, without a warning.
for f in "$dir"/../../include/cuda/*.h "$dir"/../../include/cuda/cooperative_groups/*.h; do
	echo "#include <${f##*include/cuda/}>"
done >"$tmp/all.cpp"
cat >>"$tmp/all.cpp" <<-'END'
	CUctxCreateParams none = {};
	cudaEmulationMantissaControl control = CUDA_EMULATION_MANTISSA_CONTROL_FIXED;
	int main(void) { CUcontext c; curandState s; curand_init(1, 0, 0, &s); return cuCtxCreate(&c, &none, 0, 0) || curand_normal_double(&s) > 9; }
END
if ! g++ -std=c++11 -Wall -Werror -fsyntax-only -I"$dir/../../include/cuda" "$tmp/all.cpp" 2>"$tmp/err"; then
	echo "FAIL g++: our headers in a .cpp file"
	head -20 "$tmp/err"
	bad=1
fi
# A makefile's -I for the toolkit does not put the toolkit's headers before ours; what only it has is found.
mkdir "$tmp/toolkit"
echo '#define CUDART_VERSION 1' >"$tmp/toolkit/cuda_runtime_api.h"
echo '#define ONLY_THERE 2' >"$tmp/toolkit/only_there.h"
for x in c cpp cu; do
	printf '#include <cuda_runtime_api.h>\n#include <only_there.h>\nCUDART_VERSION ONLY_THERE\n' >"$tmp/t.$x"
	said=$($heddle cc "-I$tmp/toolkit" -E "$tmp/t.$x" 2>&1 | tail -n 1 | tr -d ' ')
	[ "$said" = 110802 ] || { echo "FAIL -I of a toolkit, .$x: $said"; bad=1; }
done
[ "$n" -gt 0 ] || { echo "no clang found: headers not checked"; exit 77; }
[ $bad = 0 ] && echo "headers: $n compilations"
exit $bad
