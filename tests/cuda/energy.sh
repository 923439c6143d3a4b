#!/bin/sh
# Energies of workloads on machines and mechanisms of every kind, added up by tests/cuda/energy.awk from the printed
# coefficients; and every mechanism pays for its own hardware where it is used. The same on two host threads.
#   B=build sh tests/cuda/energy.sh [NAME...]      on every machine and mechanism of the list
#   B=build sh tests/cuda/energy.sh deal           every workload of the suite on three of them, dealt in turn
cd "$(dirname "$0")/../.." || exit 1
heddle=${B:-build}/heddle
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0 runs=0

# machine and options; the component that has to be paid for, if any
machines='gtx480
gtx480-700
quadro-fx5800
tesla-c2050
h200 gpu.sms=33 mem.partitions=12
gtx480 power.gate_sm=yes power.gate_lane=yes power.gate_registers=yes power.gate_cycles=100 power.dram_idle=100
gtx480 icnt.kind=mesh power.idle_sm=1 power.die_mm2=529
gtx480 power.calibration=gtx480-gpuwattch
stsimt
stsimt sm.lanes=tsimt !lanes
stsimt sm.lanes=stsimt4 sm.scalar=all !lanes
stsimt sm.lanes=simt-scalar sm.scalar=all !scalar
hws sm.divergence=dwf !divergence
hws sm.divergence=en-dwf sm.lanes=hws !divergence
hws sm.divergence=tbc !divergence
warpman gpu.dispatch=warp-temporal !dispatch
warpman gpu.dispatch=warp-dueling !dispatch'

run() { # workload, host threads, statistics, machine, --set options
	name=$1 threads=$2 stats=$3 machine=$4
	shift 4
	HEDDLE_SAMPLE=3000 HEDDLE_SAMPLE_FILE="$tmp/samples.csv" timeout 300 "$heddle" workload "$name" --size test \
		--mode timing --config "$machine" "$@" --threads "$threads" --stats "$stats" --quiet >"$tmp/out" 2>&1
}

check() { # workload, line of the list
	name=$1 paid= options=
	set -- $2
	machine=$1
	shift
	for o; do
		case $o in
		!*) paid=${o#!} ;;
		*) options="$options --set $o" ;;
		esac
	done
	what="$name on $machine$options"
	if ! run "$name" 1 "$tmp/one.csv" "$machine" $options; then
		# too large for the machine, by its own words
		grep -q 'does not fit\|too many\|more than\|needs' "$tmp/out" || { echo "$what"; tail -n 3 "$tmp/out"; failed=1; }
		return
	fi
	runs=$((runs + 1))
	"$heddle" power "$machine" $options >"$tmp/coefficients" &&
		awk -f tests/cuda/energy.awk "$tmp/coefficients" "$tmp/one.csv" "$tmp/samples.csv" >"$tmp/sums" || {
		echo "$what"
		head -n 5 "$tmp/sums"
		failed=1
	}
	[ -z "$paid" ] || awk -F, -v c="$paid.dynamic" '$3 == "energy" && $5 == c { j += $7 } END { exit !(j > 0) }' "$tmp/one.csv" || {
		echo "$what: nothing is paid for $paid"
		failed=1
	}
	[ "$both" ] || return
	run "$name" 2 "$tmp/two.csv" "$machine" $options
	for f in one two; do grep -v wall_seconds "$tmp/$f.csv" >"$tmp/$f"; done
	cmp -s "$tmp/one" "$tmp/two" || { echo "$what: two threads differ from one"; failed=1; }
}

suite=$(awk -F '\t' '!/^#/ && $1 != "name" && NF > 2 { print $1 }' workloads/suite.tsv)
[ "$1" ] || set -- HG
[ "$1" = deal ] && deal=3 && set -- $suite
turn=0 count=$(echo "$machines" | wc -l)
for name; do
	both=$([ "$name" = HG ] && echo yes)
	k=0
	while read -r line; do
		k=$((k + 1))
		[ "$deal" ] && [ $(((k + count - turn % count) % count)) -ge $deal ] || check "$name" "$line"
	done <<EOF
$machines
EOF
	turn=$((turn + deal))
done
[ $runs -gt 0 ] || { echo "nothing ran"; failed=1; }
[ $failed = 0 ] && echo "$runs runs add up"
exit $failed
