#!/bin/sh
# nanosleep on conf/h200-sm90.ini takes the next power of two of nanoseconds, as an H200 measured: 253 cycles for 100 ns, 2,020 for 1,000.
. "$(dirname "$0")/lib.sh"
cat >k.ptx <<'EOF'
.version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .u64 %t<4>, %a;
	ld.param.u64 %a, [p];
	mov.u64 %t0, %clock64;
	nanosleep.u32 100;
	mov.u64 %t1, %clock64;
	nanosleep.u32 1000;
	mov.u64 %t2, %clock64;
	nanosleep.u32 20;
	mov.u64 %t3, %clock64;
	sub.u64 %t3, %t3, %t2;
	sub.u64 %t2, %t2, %t1;
	sub.u64 %t1, %t1, %t0;
	st.global.u64 [%a], %t1;
	st.global.u64 [%a+8], %t2;
	st.global.u64 [%a+16], %t3;
	ret;
}
EOF
run 0 "$heddle" run --quiet --mode timing --config h200-sm90 k.ptx --grid 1 --block 1 --out 24 o.bin
set -- $(od -An -tu8 -w24 o.bin)
[ "$1" -ge 245 ] && [ "$1" -le 262 ] || { echo "$*" >log; fail '100 ns'; }
[ "$2" -ge 2000 ] && [ "$2" -le 2060 ] || { echo "$*" >log; fail '1,000 ns'; }
[ "$3" -ge 70 ] && [ "$3" -le 90 ] || { echo "$*" >log; fail '20 ns'; }
exit $bad
