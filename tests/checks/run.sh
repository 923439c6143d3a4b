#!/bin/sh
# Every kernel of the .cu files here with --check race,init: bugs are reported with their lines, correct
# ones with nothing.    B=build tests/checks/run.sh [NAME...]
cd "$(dirname "$0")/../.." || exit 1
heddle=${HEDDLE:-${B:-build}/heddle} kernels=tests/checks/kernels.cu
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
names() { sed -n "s,^// $1 \([a-z_0-9]*\).*,\1,p" $src; }
{
	echo 'static const struct { const char *name; void (*kernel)(int *); } table[] = {'
	for n in $(sed -n 's/^__global__ void \([a-z_0-9]*\)(int \*out)$/\1/p' $kernels); do
		echo "	{\"$n\", $n},"
	done
	echo '};'
} >"$tmp/kernels.h"
files="kernels programs misuse idioms slips members ways hosts objects apart traces correct waits hopper"
for f in $files; do
	case $f in members) debug=-G ;; *) debug= ;; esac
	case $f in hopper) arch=sm_90a ;; *) arch=sm_80 ;; esac
	"$heddle" cc -arch=$arch -lineinfo -extended-lambda $debug -I "$tmp" tests/checks/$f.cu -o "$tmp/$f" &
done
wait
for f in $files; do [ -x "$tmp/$f" ] || { echo "$f.cu does not compile"; exit 1; }; done
bad=0 bugs=0 clean=0
wrong() { echo "$1"; sed 's/^/    /' "$tmp/err" | head -n 8; bad=1; }
mark() { grep -n "// $1 $2\$" $src | cut -d: -f1; }
found() { grep -q "$1.*${src##*/}:$2\([^0-9]\|\$\)" "$tmp/err"; } # what comes before the line, the line
want() { # NAME: all that a bug's report has
	text=$(sed -n "s,^// bug $1: ,,p" $src) here=$(mark here "$1") other=$(mark other "$1")
	grep -qF -- "$text" "$tmp/err" || { wrong "$1: lacks \"$text\""; return; }
	[ -z "$here" ] || found "^  \(at\|block\) .*" "$here" || { wrong "$1: not at line $here"; return; }
	[ -z "$other" ] || found " at " "$other" || wrong "$1: not with line $other"
}
one() { # NAME; `// reverse NAME`: a bug that the last block must come first for
	reverse=$(sed -n "s,^// reverse $1\$,--reverse,p" $src)
	# shellcheck disable=SC2086
	timeout 120 "$heddle" run --quiet --check race,init $reverse ${OPTIONS:-} "$tmp/$f" "$1" >"$tmp/out" 2>"$tmp/err"
	status=$?
	if grep -q "^// bug $1:" $src; then
		bugs=$((bugs + 1))
		if [ $status -eq 0 ]; then wrong "$1: not found"
		elif [ $status -eq 124 ]; then wrong "$1: hangs"
		else want "$1"; fi
	else
		clean=$((clean + 1))
		[ $status -eq 0 ] || wrong "$1: status $status, but it is correct"
	fi
}
for f in $files; do
	src=tests/checks/$f.cu
	for n in $(names bug) $(names clean); do
		case " ${*:-$n} " in *" $n "*) one "$n" ;; esac
	done
done
echo "$bugs bugs, $clean correct kernels"
[ $bad -eq 0 ] && [ $((bugs + clean)) -gt 0 ]
