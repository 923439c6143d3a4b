#!/bin/sh
# Energies of workloads on machines and mechanisms of every kind, added up by tests/cuda/energy.awk from the printed
# coefficients; and every mechanism pays for its own hardware where it is used. The same on two host threads. Then
# kernels of three streams side by side.
#   B=build sh tests/cuda/energy.sh [NAME...]      on every machine and mechanism of the list
#   B=build sh tests/cuda/energy.sh deal           every workload of the suite on three of them, dealt in turn
#   MACHINES="hws...", lines in place of the list
#   B=build sh tests/cuda/energy.sh all            every workload on all of them, an hour or so of a processor
#   DONE=FILE, a line for each run that passed or was refused; those that it has are not run again
cd "$(dirname "$0")/../.." || exit 1
heddle=${B:-build}/heddle
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0 runs=0

# machine and options; code=: what PTX runs as; !: the component that has to be paid for
list='gtx480
gtx480-700
quadro-fx5800
tesla-c2050
tesla-c2050 code=fermi
quadro-fx5800 code=tesla
h200 gpu.sms=33 mem.partitions=12
h200-sm90 gpu.sms=66 mem.partitions=12
a100 gpu.sms=27 mem.partitions=10
h100 gpu.sms=66 mem.partitions=10
a100-sm80 gpu.sms=54 mem.partitions=10
rtx-3080 gpu.sms=34
rtx-a6000 gpu.sms=42
rtx-4090 gpu.sms=64
qv100 gpu.sms=20 mem.partitions=8
gtx480 power.data=counted
gtx480 gpu.perfect_memory=yes
gtx480 sm.divergence=thread-frontiers
gtx480 sm.allocation=allocated
gtx480 power.gate_sm=yes power.gate_lane=yes power.gate_registers=yes power.gate_cycles=100 power.dram_idle=100
gtx480 icnt.kind=mesh power.idle_sm=1 power.die_mm2=529
gtx480 power.calibration=gtx480-gpuwattch
stsimt
stsimt sm.lanes=tsimt !lanes
stsimt sm.lanes=tsimt-free !lanes
stsimt sm.lanes=stsimt2 sm.allocation=allocated !lanes
stsimt sm.lanes=stsimt4 sm.scalar=all !lanes
stsimt sm.lanes=simt-scalar sm.scalar=all !scalar
hws
hws sm.lanes=hws
hws sm.divergence=mimd
hws sm.divergence=dwf !divergence
hws sm.divergence=en-dwf sm.lanes=hws !divergence
hws sm.divergence=tbc !divergence
warpman
warpman gpu.dispatch=virtual-registers
warpman gpu.dispatch=warp-temporal !dispatch
warpman gpu.dispatch=warp !dispatch
warpman gpu.dispatch=warp-threshold !dispatch
warpman gpu.dispatch=warp-dueling !dispatch'
machines=${MACHINES:-$list}
for c in conf/*.ini; do
	c=${c##*/}
	echo "$list" | grep -q "^${c%.ini}\\( \\|$\\)" || { echo "${c%.ini} is not in the list"; failed=$((failed + 1)); }
done

run() { # workload, host threads, statistics, machine, --set options
	name=$1 threads=$2 stats=$3 machine=$4
	shift 4
	HEDDLE_SAMPLE=3000 HEDDLE_SAMPLE_FILE="$tmp/samples.csv" timeout ${TIMEOUT:-300} "$heddle" workload "$name" --size test \
		--mode timing --config "$machine" --set power.window=3000 "$@" --threads "$threads" --stats "$stats" --quiet >"$tmp/out" 2>&1
}

passed() { # how; of the run that check() is at
	[ -z "$DONE" ] || echo "$what: $1" >>"$DONE"
}

check() { # workload, line of the list
	name=$1 paid= options= code=
	set -- $2
	machine=$1
	shift
	for o; do
		case $o in
		!*) paid=${o#!} ;;
		code=*) code="--code ${o#code=}" ;;
		*) options="$options --set $o" ;;
		esac
	done
	what="$name on $machine$options $code"
	[ "$DONE" ] && grep -q "^$what: " "$DONE" 2>/dev/null && { runs=$((runs + 1)); return; }
	if ! run "$name" 1 "$tmp/one.csv" "$machine" $options $code; then
		# too large for the machine, or nothing that its code has (bindless textures), by its own words
		grep -q 'does not fit\|too many\|more than\|needs\|invalid configuration' "$tmp/out" ||
			{ [ "$code" ] && grep -q 'JIT compilation failed' "$tmp/out"; } || { echo "$what"; tail -n 3 "$tmp/out"; failed=$((failed + 1)); return; }
		passed "refused, $(tail -n 1 "$tmp/out")"
		return
	fi
	runs=$((runs + 1))
	before=$failed
	"$heddle" power "$machine" $options >"$tmp/coefficients" &&
		awk -v window=3000 -f tests/cuda/energy.awk "$tmp/coefficients" "$tmp/one.csv" "$tmp/samples.csv" >"$tmp/sums" || {
		echo "$what"
		head -n 5 "$tmp/sums"
		failed=$((failed + 1))
	}
	[ -z "$paid" ] || [ "$many" ] || awk -F, -v c="$paid.dynamic" '$3 == "energy" && $5 == c { j += $7 } END { exit !(j > 0) }' "$tmp/one.csv" || {
		echo "$what: nothing is paid for $paid"
		failed=$((failed + 1))
	}
	[ $failed = $before ] && passed "$(tail -n 1 "$tmp/sums")"
	[ "$both" ] || return
	run "$name" 2 "$tmp/two.csv" "$machine" $options $code
	for f in one two; do grep -v wall_seconds "$tmp/$f.csv" >"$tmp/$f"; done
	cmp -s "$tmp/one" "$tmp/two" || { echo "$what: two threads differ from one"; failed=$((failed + 1)); }
}

# Launches side by side: each has what the GPU took meanwhile, the run has it once.
streams() {
	"$heddle" cc tests/cuda/energy.cu -o "$tmp/streams" || return
	for machine in gtx480 warpman "warpman --set gpu.dispatch=warp" "gtx480 --set sm.pipeline=locked --set sm.divergence=tbc"; do
		for threads in 1 2; do
			for form in csv json; do
				HEDDLE_SAMPLE=3000 HEDDLE_SAMPLE_FILE="$tmp/samples.csv" "$heddle" run --mode timing --config $machine \
					--threads $threads --stats "$tmp/streams.$form" --quiet "$tmp/streams" >"$tmp/out" 2>&1 || { cat "$tmp/out"; return 1; }
			done
			grep -v wall_seconds "$tmp/streams.csv" >"$tmp/streams$threads"
		done
		"$heddle" power $machine >"$tmp/coefficients"
		# "energy" of the outermost object: total and seconds
		awk '/^ "energy"/ { on = 1 } on && /"(total|seconds)":/ { sub(",", "", $2); print $2 }' "$tmp/streams.json" >"$tmp/whole"
		awk -v run="$(head -n 1 "$tmp/whole")" -v time="$(sed -n 2p "$tmp/whole")" -f tests/cuda/energy.awk \
			"$tmp/coefficients" "$tmp/streams.csv" "$tmp/samples.csv" >"$tmp/sums" && cmp "$tmp/streams1" "$tmp/streams2" || {
			echo "streams on $machine"
			head -n 5 "$tmp/sums"
			failed=$((failed + 1))
		}
		grep -q ',launch,-1,shared,0,1,' "$tmp/streams.csv" || { echo "$machine: nothing ran side by side"; failed=$((failed + 1)); }
	done
}

suite=$(awk -F '\t' '!/^#/ && $1 != "name" && NF > 2 { print $1 }' workloads/suite.tsv)
[ "$1" ] || set -- HG
[ "$1" = deal ] && deal=3 && set -- $suite
[ "$1" = all ] && set -- $suite
many=${2:+yes} # some of many programs have no use for a mechanism
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
many= # HG has nothing to squeeze
check BFS.hws "hws sm.lanes=hws !divergence"
streams || { echo "streams do not run"; failed=$((failed + 1)); }
[ $runs -gt 0 ] || { echo "nothing ran"; failed=$((failed + 1)); }
echo "$runs passed, $failed failed"
[ $failed = 0 ]
