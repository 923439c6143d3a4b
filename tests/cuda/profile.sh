#!/bin/sh
# heddle profile: metrics by Nsight Compute's names agree with the statistics they are made of, reports of a real GPU stand
# beside, and wrong input is one message.
here=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/lib.sh"
: >log
cat >k.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry half(.param .u64 a)
{
	.reg .b64 %rd<4>; .reg .b32 %r<5>; .reg .f32 %f<3>; .reg .pred %p;
	ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1;
	and.b32 %r4, %r1, 1; setp.ne.u32 %p, %r4, 0;
	mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; ld.global.f32 %f1, [%rd1];
	@%p bra E;
	fma.rn.f32 %f1, %f1, %f1, %f1; st.global.f32 [%rd1], %f1;
E:	ret;
}
END
args="--config gtx480 k.ptx --grid 30 --block 96 --out 11520 out.bin"
run 0 $heddle run --quiet --stats s.json $args
run 0 $heddle profile --json s.json
cp out metrics.json
value() { sed -n "s/.*\"$1\": \([-0-9.e+]*\),\{0,1\}$/\1/p" metrics.json; }
same() { # METRIC WANTED
	got=$(value "$1")
	[ "$(printf '%.6g' "${got:-0}")" = "$(printf '%.6g' "$2")" ] || fail "$1 is $got, not $2"
}
same launch__grid_size 30
same launch__block_size 96
same launch__thread_count 2880
cycles=$(sed -n 's/^   "cycles": \([0-9]*\),$/\1/p' s.json | head -n 1)
[ -n "$cycles" ] || fail "no cycles in s.json"
same gpc__cycles_elapsed.max "$cycles"
# 13 instructions before the branch and the return by all 90 warps; of the branch's two by half of each warp's threads
warps=90
same smsp__inst_executed.sum $((warps * 14))
same smsp__thread_inst_executed.sum $((warps * (12 * 32 + 2 * 16)))
same smsp__sass_branch_targets_threads_divergent.sum $warps
same launch__occupancy_limit_warps 16
same sm__maximum_warps_per_active_cycle_pct 50
grep -q '"flop": 2880' metrics.json || fail "half of the threads do two operations each"

# The same run as text, CSV and by way of the command line.
run 0 $heddle profile --section LaunchStats $args
grep -q 'Block Size  *96$' out || fail "the details page"
[ "$(grep -c 'Section:' out)" = 1 ] || fail "one section"
run 0 $heddle profile --config gtx480 --section LaunchStats --set gpu.sms=2 --page details k.ptx --grid 30 --block 96 --out 11520 out.bin
[ "$(grep -c 'Section:' out)" = 1 ] || fail "options among those of heddle run"
run 2 $heddle profile --config gtx480 k.ptx --section LaunchStats --grid 30 --block 96 --out 11520 out.bin
said 'unknown option --section'
run 0 $heddle profile s.json
grep -A 1 'Source Hot Spots' out | grep -q '%  k.ptx:[0-9]' || fail "the hottest line"
run 0 $heddle profile --csv s.json
head -n 1 out | grep -q '^"ID","Kernel Name","Block Size","Grid Size","Section Name","Metric Name","Metric Unit","Metric Value"' || fail "CSV's head"
[ "$(awk -F'","' 'NF < 7' out | wc -l)" = 0 ] || fail "CSV's rows"
cp out ours.csv
run 0 $heddle profile --page raw --csv s.json
cp out ourraw.csv
[ "$(wc -l <out)" = 3 ] || fail "the raw page as CSV has heads, units and one launch"
awk -F'","' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "smsp__inst_executed.sum") c = i } NR == 3 { ok = $c == 1260 } END { exit !ok }' out || fail "the raw page as CSV"
# Both pages are read as a report is, and then agree.
for f in ours.csv ourraw.csv; do
	# A report holds what the program has printed, and messages of ncu.
	{ echo 'the screen has 5" of it'; echo '==PROF== Connected'; cat $f; echo; echo '==WARNING== No more'; } >report.csv
	run 0 $heddle profile --import report.csv s.json
	grep -q 'cycles agree within 10 %' out || fail "the own $f as a report"
	[ "$(grep -cE ' 1\.00$' out)" -ge 15 ] || fail "the own $f as a report: ratios"
done
run 0 $heddle profile --page raw s.json
grep -q '^    smsp__inst_executed.sum  *inst  *1260$' out || fail "the raw page"

# Reports: both pages of ncu, with its prefixes and separators.
cat >raw.csv <<'END'
==PROF== Connected to process 1
"ID","Process ID","Kernel Name","Block Size","dram__bytes_read.sum","gpc__cycles_elapsed.max","smsp__inst_executed.sum"
"","","","","Kbyte","cycle","inst"
"0","1","half(float *)","(96, 1, 1)","11.52","1,000","2,520"
END
run 0 $heddle profile --import raw.csv s.json
grep -q 'Executed Instructions  *inst  *1260  *2520  *0.50$' out || fail "instructions beside the report's"
grep -q 'other code: 1260 and 2520 instructions' out || fail "the cause"
cat >details.csv <<'END'
"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"
"0","1","half","GPU Speed Of Light Throughput","Elapsed Cycles","cycle","100,000"
"0","1","half","Instruction Statistics","Executed Instructions","inst","1,260"
"0","1","half","Occupancy","Achieved Occupancy","%","99.5"
"0","1","half","Launch Statistics","Function Cache Configuration","","CachePreferNone"
END
run 0 $heddle profile --import details.csv --json s.json
grep -q '"likely_cause": "other occupancy' out || fail "occupancy is the cause"

# Labels that two sections have, older titles, means of a kernel's launches, and C++ names as ncu writes them.
cat >details.csv <<'END'
"ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"
"0","1","half","GPU Speed Of Light","Memory Throughput","%","61.5"
"0","1","half","Memory Workload Analysis","Memory Throughput","Gbyte/second","2.5"
END
run 0 $heddle profile --import details.csv --csv s.json
grep 'gpu__compute_memory_throughput' out | grep -q '"61.5"$' || fail "the speed of light's memory throughput"
grep 'dram__bytes.sum.per_second' out | grep -q '"2500000000"$' || fail "the bytes per second"
cat >means.csv <<'END'
"Process ID","Kernel Name","Invocations","Section Name","Metric Name","Metric Unit","Minimum","Maximum","Average"
"1","half(float *)","3","Instruction Statistics","Executed Instructions","inst","1,260","1,300","1,280"
END
run 0 $heddle profile --import means.csv s.json
grep -q 'Executed Instructions  *inst  *1260  *1280  *0.98$' out || fail "means of launches"
sed 's/half/_ZN2ns4halfILi4ELb1EEEvPf/' k.ptx >t.ptx
run 0 $heddle run --quiet --config gtx480 --stats t.json t.ptx --grid 30 --block 96 --out 11520 out.bin
for name in 'void ns::half<(int)4, (bool)1>(float *)' 'half<4, true>' 'void <unnamed>::half<(int)4>(T1 *)' '(anonymous namespace)::half(float *)'; do
	printf '"ID","Kernel Name","gpc__cycles_elapsed.max"\n"","","cycle"\n"0","%s","1"\n' "$name" >names.csv
	run 0 $heddle profile --import names.csv t.json
	grep -q 'report lacks' out && fail "$name is ns::half<4, true>"
done
for name in 'void ns::halves<(int)4>(float *)' 'half2'; do
	printf '"ID","Kernel Name","gpc__cycles_elapsed.max"\n"","","cycle"\n"0","%s","1"\n' "$name" >names.csv
	run 0 $heddle profile --import names.csv t.json
	grep -q 'report lacks' out || fail "$name is another kernel"
done

# Members of class templates are other kernels than their classes' other members; arguments are not compared.
sed 's/half/_ZN2ns4poolIiLj4EE4fillIfEEvPT_/' k.ptx >t.ptx
run 0 $heddle run --quiet --config gtx480 --stats t.json t.ptx --grid 30 --block 96 --out 11520 out.bin
report() { printf '"ID","Kernel Name","gpc__cycles_elapsed.max"\n"","","cycle"\n"0","%s","1"\n' "$1" >names.csv; }
for name in 'void ns::pool<int, (unsigned int)4>::fill<float>(float *)' 'ns::pool<int, 4>::fill' 'fill' 'pool<(a > b), f(int)>::fill(T1 *)' \
	'std::enable_if<(bool)1, void>::type ns::pool<int, 4>::fill<float>(float *)'; do
	report "$name"
	run 0 $heddle profile --import names.csv t.json
	grep -q 'report lacks' out && fail "$name is ns::pool<int, 4>::fill"
done
# Each launch of the report has one counterpart, even where a short name stands for several kernels.
sed 's/half/_ZN1a3runEPf/' k.ptx >a.ptx
run 0 $heddle run --quiet --config gtx480 --stats a.json a.ptx --grid 30 --block 96 --out 11520 out.bin
python3 -c 'import json
a = json.load(open("a.json"))
b = json.loads(json.dumps(a["launches"][0]).replace("_ZN1a3runEPf", "_ZN1b3runEPf"))
a["launches"].append(b)
json.dump(a, open("ab.json", "w"))'
printf '"ID","Kernel Name","gpc__cycles_elapsed.max"\n"","","cycle"\n"0","run","111"\n"1","run","222"\n' >runs.csv
run 0 $heddle profile --import runs.csv --json ab.json
[ "$(grep -c '"gpc__cycles_elapsed.max": 111' out) $(grep -c '"gpc__cycles_elapsed.max": 222' out)" = "1 1" ] ||
	{ cp out log; fail "two kernels have one counterpart"; }
sed 's/half/_Z14operatorKernelIiEvPT_/' k.ptx >op.ptx
run 0 $heddle run --quiet --config gtx480 --stats op.json op.ptx --grid 30 --block 96 --out 11520 out.bin
report 'void operatorKernel<int>(int *)'
run 0 $heddle profile --import names.csv op.json
grep -q 'report lacks' out && fail "a kernel whose name only begins with operator"
for name in 'void ns::pool<int, (unsigned int)4>::drain(float *)' 'ns::pool<int, 4>' 'ns::tank<int>::fill(float *)' 'void other::pool<int>::fill()'; do
	report "$name"
	run 0 $heddle profile --import names.csv t.json
	grep -q 'report lacks' out || fail "$name is another kernel"
done

# The page, in a browser: bars, a row of a section, the report beside it.
top=${TOP:-$here}
run 0 $heddle profile --html --output page.html s.json
grep -q '<script>' page.html || fail "no page"
cat page.html - >test.html <<'END'
<script>document.title = '= ' + document.querySelectorAll('h2').length + ' ' + document.querySelectorAll('rect.bar').length + ' ' +
	[...document.querySelectorAll('td')].filter(t => t.textContent === 'gpc__cycles_elapsed.max').length + ' ' + document.querySelectorAll('tr').length;</script>
END
seen=$("$top/tests/browser" test.html 2>/dev/null)
case $? in
77) echo "no Chromium: the page was not looked at" ;;
*) echo "$seen" | awk '$1 >= 8 && $2 >= 2 && $3 == 1 && $4 > 30 { ok = 1 } END { exit !ok }' || fail "the page shows: $seen" ;;
esac

# Wrong input.
run 2 $heddle profile
run 2 $heddle profile --page nothing s.json
run 2 $heddle profile --section Nothing s.json
run 1 $heddle profile nothing.json
run 1 $heddle profile --kernel-name nothing s.json
said "no timed launch of a kernel with nothing in its name"
printf '{"launches": []}' >empty.json
run 1 $heddle profile empty.json
run 1 $heddle profile k.ptx --grid 1 --block 32 --out 128 out.bin
said "expected timing mode"
for text in '' 'a,b,c' '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","half"'; do
	printf '%s' "$text" >bad.csv
	run 1 $heddle profile --import bad.csv s.json
	said "ncu --csv"
done
exit $bad
