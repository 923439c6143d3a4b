#!/bin/sh
# heddle disasm --check control-bits: nothing is reported of 950,000 instructions that ptxas made for sm_80, sm_90 and
# sm_90a; a wrong word and a wrong file get a message; a program's run with --check control-bits.
root=$(dirname "$(realpath "$0")")/../..
. "$(dirname "$0")/lib.sh"
for t in golden/sm90 golden/sm80 golden-hopper/sm90a; do
	[ -r "$root/tests/$t.tar.xz" ] || continue
	mkdir -p "$t" && tar -C "$t" -xJf "$root/tests/$t.tar.xz" || { echo "no $t"; exit 1; }
done
files=0
for f in $(find . -name '*.cubin' | sort); do
	"$heddle" disasm --check control-bits "$f" >out 2>log || { cat out >>log; fail "$f"; }
	files=$((files + 1))
done
[ $files -ge 220 ] || fail "only $files cubins"
run 2 "$heddle" disasm --check race x.cubin
said 'expected control-bits'
echo text >text
run 1 "$heddle" disasm --check control-bits text
said 'text'
exit $bad
