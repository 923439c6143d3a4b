#!/bin/sh
# heddle calibrate: an H200's rows give back the values of conf/h200-sm90.ini; other rows other values, by their formulas; the file is a machine that
# Heddle reads; the error report; wrong input gets a message with file and line.
. "$(dirname "$0")/lib.sh"
root=$(dirname "$heddle")/..
rows=$root/bench/h200/recipe.tsv
base=$root/conf/h200-sm90.ini
shown() { "$heddle" config show "$1" | awk '/^\[/ { s = substr($1, 2, length($1) - 2) } $2 == "=" { print s "." $1, $3 }'; }

run 0 "$heddle" calibrate "$rows" --out my.ini
unsaid .
shown my.ini | sort >mine
shown "$base" | sort >theirs
options=$(sed -n 's/^FROM(\([a-z0-9]*\), \([a-z0-9_]*\),.*/\1.\2/p' "$root/src/study/device/calibrate.def")
[ "$(echo "$options" | wc -l)" -ge 20 ] || fail 'too few formulas'
for o in $options; do
	grep "^$o " theirs >log || fail "the machine has no $o"
	[ $o = gpu.memory_mb ] || grep -qxF "$(cat log)" mine || { grep "^$o " mine >>log; fail "$o does not come back"; }
done
diff mine theirs | grep '^[<>]' | grep -v gpu.memory_mb >log && fail 'an option without a row has changed'
[ "$(grep -c '; (m) ' my.ini)" -ge 20 ] || { cp my.ini log; fail 'options do not name their rows'; }

# another GPU: each option by its formula
printf 'sms\t108\tSMs\ncapability\t80\t-\nshared_latency\t29.4\tcycles\nl1_latency\t36.6\tcycles\nl1_size\t163840\tbytes\nl2\t41943040\tbytes\n' >other.tsv
printf 'straight_code\t73\tcycles per 512 bytes\nl2_rate_one_sm\t60\tbytes per cycle\nl2_latency\t201.4\tcycles\n' >>other.tsv
run 0 "$heddle" calibrate other.tsv --out other.ini
said 'no row core_clock: gpu.core_mhz is h200-sm90'
shown other.ini | sort >got
for o in 'gpu.sms 108' 'gpu.capability 80' 'shared.latency 20' 'l1d.latency 27' 'l1d.sets 320' 'l2.sets 192' 'volta.line_delay 19' 'icnt.sm_flits 2' \
	'mem.rop_latency 21' 'l1c.latency 28' 'gpu.core_mhz 1980'; do
	grep -qxF "$o" got || { grep "^${o% *} " got >log; fail "$o"; }
done

# the error report
sed 's/^l1_latency\t[0-9.]*/l1_latency\t33.6133/; s/^fma_latency\t[0-9.]*/fma_latency\t4.07800293/' "$rows" >sim.tsv
run 0 "$heddle" calibrate "$rows" --simulated sim.tsv
grep -qx "l1_latency	cycles	32.0127	33.6133	+5.0 %" out || { cp out log; fail 'the error of l1_latency'; }
grep -qx "# latencies and rates: 12 rows, mean error 0.4 %" out || { cp out log; fail 'the mean error'; }

# wrong input
printf 'sms\t132\tSMs\nsms\t132\tSMs\n' >twice.tsv
run 1 "$heddle" calibrate twice.tsv --out x.ini
said 'twice.tsv:2: expected a new row'
printf 'row\tvalue\tunit\nsms\tmany\tSMs\n' >word.tsv
run 1 "$heddle" calibrate word.tsv --out x.ini
said 'word.tsv:2: expected'
: >none.tsv
run 1 "$heddle" calibrate none.tsv --out x.ini
said 'there are no rows'
run 1 "$heddle" calibrate "$rows" --base gtx480 --out x.ini
said 'gtx480: expected a machine file'
run 2 "$heddle" calibrate "$rows"
said 'expected --out FILE.ini or --simulated'
[ ! -e x.ini ] || fail 'a file in spite of an error'
# a machine that the simulator refuses is said at once
printf "core_clock\t9000000\tMHz\n" >many.tsv
run 1 "$heddle" calibrate many.tsv --out many.ini
said "core_mhz"
exit $bad
