#!/bin/sh
# heddle reproduce DEVICE: a folder of two small tables, the report's files and figures, results that are kept, messages for wrong input.
. "$(dirname "$0")/lib.sh"
mkdir -p gpu/sm_90 gpu/ptx
cat >gpu/device.ini <<'EOF'
[device]
title = A GPU of two rows
machine = h200-sm90
energy_machine = h200
peak_dram_bytes = 2424
peak_l2_bytes = 4750
sms = 132
sub_cores = 4
EOF
studies=$(dirname "$heddle")/../studies/h200
cp "$studies"/sm_90/micro_alu.cubin.gz gpu/sm_90/
cp "$studies"/ptx/micro_alu.ptx.gz gpu/ptx/
printf 'entry\tcycles_per_iter_median\ta\tb\tc\nlat_add_s32\t646\t0x1\t0x3\t0x5\nlat_none\t100\t1\t1\t1\n' >gpu/micro_alu_latency.tsv
printf 'file\tentry\tptx_instructions_per_iteration\tchains\nalu\tlat_add_s32\t128\t1\n' >gpu/micro_entries.tsv
for t in cycles counters; do
	printf 'program\tkernel\tlaunch\tregisters\twarp_instr\tsm_cycles_active_max_warm_median\tcaches\tl2_sectors_from_sms\n' >gpu/workloads_small_$t.tsv
	printf 'NONE\tk\t1\t16\t100\t2000\twarm\t10\n' >>gpu/workloads_small_$t.tsv
done
run 0 "$heddle" reproduce ./gpu --size small --quiet --programs alu_latency --out report
grep -q 'Microbenchmarks  *1 pairs' out || { cp out log; fail 'the sum of one row'; }
grep -q '^alu_latency,1,"lat_add_s32",cycles per iteration,646,' report/rows.csv || { cp report/rows.csv log; fail rows.csv; }
grep -q '^alu_latency,2,"lat_none",cycles per iteration,100,,,"the data lack this kernel"' report/rows.csv || { cp report/rows.csv log; fail 'a row without kernel'; }
awk -F, '$1 == "alu_latency" && $2 == 1 { exit !($6 > 550 && $6 < 750) }' report/rows.csv || { cp report/rows.csv log; fail 'the simulated latency'; }
grep -q '"not run"' report/launches.csv || { cp report/launches.csv log; fail launches.csv; }
grep -q '"microbenchmarks"' report/report.json || fail report.json
grep -q 'A GPU of two rows' report/index.html || fail index.html
if command -v gnuplot >/dev/null; then
	grep -q '<svg' report/figures/microbenchmarks.svg || fail 'the scatter plot'
	grep -q '<svg' report/index.html || fail 'the plot in the page'
fi
# a second time nothing is run: the result is there
kept=$(ls report/results/small/table-alu_latency-*.tsv)
sed -i 's/\t646\t[0-9.e+]*/\t646\t777/' "$kept"
run 0 "$heddle" reproduce ./gpu --size small --quiet --programs alu_latency --out report
grep -q ',646,777,' report/rows.csv || { cp report/rows.csv log; fail 'a result that is kept'; }
run 0 "$heddle" reproduce ./gpu --table alu_latency
grep -q '^alu_latency	1	lat_add_s32' out || fail '--table'
run 2 "$heddle" reproduce ./gpu --programs nothing --out report
said 'expected names of programs or tables of gpu'
run 1 "$heddle" reproduce ./gpu --table nothing
said 'no table nothing'
run 2 "$heddle" reproduce hws --table alu_latency
said 'needs a device, and hws is not one'
echo 'frobnicate = 1' >>gpu/device.ini
run 2 "$heddle" reproduce ./gpu
said 'device.ini:9: expected'
exit $bad
