#!/bin/sh
# Our own programs and kernels as machine code of sm_13 and sm_20.
#   B=build sh tests/cuda/code.sh [all | FILE...]      a few of them, or all: programs of tests/cuda/programs, bench/kinds, every
#   text of tests/kernels; or these files
# A program prints and returns what it does as PTX, or one of its kernels is refused by name. Each word of a cubin disassembles
# to text that assembles to the same word, and the cubin is loaded.
cd "$(dirname "$0")/../.." || exit 1
heddle=${B:-build}/heddle bad=0 same=0 refused=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export HEDDLE_QUIET=1
programs="tests/cuda/programs/atomic_ref.cu" kernels=$(ls tests/kernels/[bh]*.clang14-O2.ptx)
case $1 in
'') ;;
all)
	programs="$(ls tests/cuda/programs/*.cu) bench/kinds/kinds.cu"
	kernels=$(ls tests/kernels/*.ptx)
	;;
*)
	programs=$(printf '%s\n' "$@" | grep -v '\.ptx$')
	kernels=$(printf '%s\n' "$@" | grep '\.ptx$')
	;;
esac

fail() {
	echo "FAIL $*"
	bad=$((bad + 1))
}

refuse() {
	echo "refused $*"
	refused=$((refused + 1))
}

for f in $programs; do
	opts=$(sed -n 's|^// options: ||p' "$f")
	[ "$f" = bench/kinds/kinds.cu ] && opts="-O2 -arch=sm_35"
	"$heddle" cc $opts "$f" -o "$tmp/app" 2>"$tmp/err" || { fail "$f does not compile"; continue; }
	for c in ptx fermi tesla; do
		HEDDLE_CODE=$c timeout "${TIMEOUT:-300}" "$tmp/app" >"$tmp/$c" 2>"$tmp/$c.err"
		echo "status $?" >>"$tmp/$c"
	done
	for c in fermi tesla; do
		if cmp -s "$tmp/ptx" "$tmp/$c"; then
			same=$((same + 1))
		elif grep -q "sm_[12][03] \(has no\|code cannot have\)\|bytes of shared memory with its" "$tmp/$c.err"; then
			refuse "$f as $c: $(grep -m 1 "sm_[12][03] \|bytes of shared" "$tmp/$c.err")"
		else
			fail "$f as $c"
			cat "$tmp/$c" "$tmp/$c.err" | head -n 5
		fi
	done
done

for f in $kernels; do
	for a in sm_13 sm_20; do
		if ! "$heddle" ptxas "$f" --arch $a -o "$tmp/x.cubin" 2>"$tmp/err"; then
			grep -q "$a has no" "$tmp/err" && refuse "$f: $(head -n 1 "$tmp/err")" || fail "$f for $a: $(head -n 1 "$tmp/err")"
		elif "$heddle" disasm "$tmp/x.cubin" >"$tmp/x.sass" 2>"$tmp/err" && "$heddle" asm "$tmp/x.sass" -o "$tmp/y.cubin" 2>"$tmp/err" &&
			"$heddle" disasm "$tmp/y.cubin" | cmp -s - "$tmp/x.sass" && "$heddle" list "$tmp/x.cubin" >/dev/null 2>"$tmp/err"; then
			same=$((same + 1))
		else
			fail "$f for $a: words and text differ, or the cubin is not loaded: $(head -n 1 "$tmp/err")"
		fi
	done
done
echo "$refused refused by name"
echo "$same passed, $bad failed"
[ $bad -eq 0 ]
