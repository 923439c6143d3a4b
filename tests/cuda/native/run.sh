#!/bin/sh
# CUDA programs with native code in place of PTX: listings and cubins of both generations by --native and
# HEDDLE_NATIVE, a cubin loaded by the driver API, one in a fat binary without PTX, and choices that cannot be.
B=${B:-build}
dir=$(dirname "$0") heddle=$B/heddle bad=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
preload=
if nm -D "$B/libcudart.so" | grep -q __asan_init; then
	preload=$(gcc -print-file-name=libasan.so)
fi
fail() {
	echo "FAIL $1"
	head -20 "$tmp/log"
	bad=1
}
passes() { # what, then the command
	what=$1
	shift
	if ! "$@" >"$tmp/log" 2>&1 || ! grep -q '^passed$' "$tmp/log"; then fail "$what"; fi
}
refuses() { # what it must say, then the command
	says=$1
	shift
	if "$@" >"$tmp/log" 2>&1; then fail "exit status 0: $says"; fi
	if ! grep -q "$says" "$tmp/log"; then fail "no message: $says"; fi
}
"$heddle" cc "$dir/saxpy.cu" -o "$tmp/app" >"$tmp/log" 2>&1 || fail "saxpy.cu does not compile"
"$heddle" cc "$dir/driver.cpp" -lcuda -o "$tmp/driver" >"$tmp/log" 2>&1 || fail "driver.cpp does not compile"
"$heddle" cc "$dir/fatbin.cpp" -o "$tmp/fatbin" >"$tmp/log" 2>&1 || fail "fatbin.cpp does not compile"
for isa in fermi tesla; do
	"$heddle" asm "$dir/$isa.sass" -o "$tmp/$isa.cubin" >"$tmp/log" 2>&1 || fail "$isa.sass does not assemble"
	for file in "$dir/$isa.sass" "$tmp/$isa.cubin"; do
		passes "$file" env LD_PRELOAD="$preload" HEDDLE_NATIVE=saxpy="$file" "$tmp/app"
	done
done
[ -n "$preload" ] && exit $bad # the command's own process has the library of the sanitizer
passes "run --native" "$heddle" run --native saxpy="$dir/fermi.sass" --stats "$tmp/stats" "$tmp/app"
grep -q '"IMAD"' "$tmp/stats" || { bad=1; echo "FAIL run --native: no IMAD in the statistics"; }
for rule in token while pdom; do
	passes "--native-stack $rule" "$heddle" run --native-stack $rule --native saxpy="$dir/fermi.sass" "$tmp/app"
done
passes "timing" "$heddle" run --config gtx480 --native saxpy="$dir/fermi.sass" "$tmp/app"
refuses "expected token, while or pdom" env HEDDLE_FAIL_ON_FAULT=1 HEDDLE_NATIVE_STACK=piles HEDDLE_NATIVE=saxpy="$dir/fermi.sass" "$tmp/app"
passes "mangled name" "$heddle" run --native _Z5saxpyPKfPfi="$dir/fermi.sass" "$tmp/app"
passes "fat binary without PTX" "$heddle" run "$tmp/fatbin" "$tmp/fermi.cubin"
passes "driver API" "$heddle" run "$tmp/driver" "$tmp/fermi.cubin"
refuses "launched no kernel saxpi" "$heddle" run --native saxpi="$dir/fermi.sass" "$tmp/app"
refuses "nowhere.sass: No such file" "$heddle" run --native saxpy=nowhere.sass "$tmp/app"
refuses "expected NAME=FILE" "$heddle" run --native saxpy "$tmp/app"
refuses "for CUDA programs" "$heddle" run --native saxpy="$dir/fermi.sass" "$dir/fermi.sass"
sed '/^.params/d' "$dir/fermi.sass" >"$tmp/untyped.sass"
passes "no parameter list" "$heddle" run --native saxpy="$tmp/untyped.sass" "$tmp/app"
sed 's/^.params.*/.params 8 8 4 4/' "$dir/fermi.sass" >"$tmp/four.sass"
refuses "has 4 parameters, the program's has 3" "$heddle" run --native saxpy="$tmp/four.sass" "$tmp/app"
sed 's/(hits)/(misses)/' "$dir/fermi.sass" >"$tmp/other.sass"
refuses "no text defines the extern variable 'misses'" "$heddle" run --native saxpy="$tmp/other.sass" "$tmp/app"
exit $bad
