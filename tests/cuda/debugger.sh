#!/bin/sh
# GDB on kernels: machine code of two machines and PTX by the same commands, a CUDA program, forwards and backwards, Ctrl-C,
# and an end in the middle. Wrong packets get an answer, or none, and never end the simulator.
. "$(dirname "$0")/lib.sh"
cat >k.ptx <<'END'
.version 7.8
.target sm_80
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 n)
{
	.reg .pred %p<3>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<6>;
	.shared .align 4 .b8 buf[256];
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %ctaid.x;
	mad.lo.s32 %r4, %r3, 64, %r2;
	mul.wide.u32 %rd2, %r4, 4;
	add.s64 %rd3, %rd1, %rd2;
	shl.b32 %r5, %r2, 2;
	mov.u32 %r6, buf;
	add.s32 %r6, %r6, %r5;
	st.shared.u32 [%r6], %r4;
	bar.sync 0;
	setp.lt.u32 %p1, %r2, 7;
	@%p1 bra SKIP;
	ld.shared.u32 %r7, [%r6];
	add.s32 %r7, %r7, %r1;
	st.global.u32 [%rd3], %r7;
SKIP:
	ret;
}
END
export HEDDLE="$heddle"
kernel="k.ptx --grid 2 --block 64 --out 512 out.bin --val u32=5"
# What a stub answers to raw bytes: no GDB needed.
ask() { # TEXT...: packets without frame and sum
	for p in "$@"; do
		printf '$%s#%02x' "$p" "$(printf %s "$p" | od -An -v -tu1 | awk '{ for (i = 1; i <= NF; i++) s += $i } END { print s % 256 }')"
	done
}
{
	printf 'garbage\n$g#00$m10,'
	ask '?' 'qSupported:xmlRegisters=i386' 'm1000000,4' 'mzz' 'm1000000' 'M1000000,2:0' 'p9999' 'Z0,' 'Z9,1,1' 'vCont;x' \
		'qXfer:features:read:target.xml:zz' 'qXfer:features:read:target.xml:0,40' 'qRcmd,7' 'qRcmd,zz' 'T99' 'Hgffff' \
		'qRcmd,7768657265' bs 'vCont;s:1' 'qC' k
} >bytes
timeout 60 "$heddle" run --quiet --gdb - $kernel <bytes >answers 2>log
[ $? = 1 ] || fail "raw packets: status $?"
for want in 'T05' 'PacketSize=' 'E16' '00000000#80' 'swbreak' 'm<?xml' 'QC1'; do
	grep -aq -- "$want" answers || fail "raw packets: no $want in $(tr -d '\0' <answers | cut -c 1-600)"
done
grep -q 'ended in the debugger' log || fail "raw packets"
if ! command -v gdb >/dev/null; then
	[ $bad = 0 ] && echo "packets; GDB is not installed"
	exit $bad
fi
gdb_on() { # COMMANDS, then what heddle runs: its output in `log`
	commands=$1
	shift
	{ echo "set pagination off"; echo "set confirm off"; echo "target remote | $heddle run --quiet --gdb - $*"; cat "$commands"; } >script
	timeout 120 gdb -nx -batch -x script >log 2>&1 || fail "gdb: status $?"
}
cat >cmds <<'END'
info threads
stepi
stepi
monitor where
break *($pc + 0x20)
continue
p $lanes
p/x $R0[9]
reverse-stepi
reverse-continue
thread 2
monitor info warps
monitor nonsense
monitor step
delete
continue
END
for code in sm90 fermi; do
	gdb_on cmds --code $code $kernel
	said 'Thread 2 (block (0,0,0) warp 1, lanes 0xffffffff)'
	said 'hit Breakpoint 1'
	said ' = 4294967295'
	said 'No more reverse-execution history'
	said 'block 0 warp 1 lanes 0-31'
	said 'nonsense: no such command'
	said "step: use GDB's own command"
	said 'exited normally'
done
# The launch's result is that of a run without a debugger, and the stepped instruction's register is the lane's thread.
"$heddle" run --quiet $kernel && mv out.bin plain.bin
cat >cmds <<'END'
monitor break 21
continue
p $ptx_r2[9]
p $ptx_r2
x/2xw 0x01000000
monitor print %r4
watch *(int *)0x01000004
monitor barriers
monitor delete 1
delete
continue
END
gdb_on cmds $kernel
said ' = 9$'
said '{0, 1, 2, 3, 4'
said '0x1000000:'
said 'exited normally'
cmp plain.bin out.bin || fail "another result under GDB"
cat >app.cu <<'END'
#include <cstdio>
__device__ int twice(int x) { return x * 2; }
__global__ void first(int *p) { p[threadIdx.x] = twice(threadIdx.x); }
__global__ void second(volatile int *p)
{
	for (int i = 0; p[0] >= 0; i++)
		p[1] = i;
}
int main(int argc, char **)
{
	int *p, h[32];
	cudaMalloc(&p, sizeof h);
	first<<<1, 32>>>(p);
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
	printf("%d\n", h[9]);
	if (argc > 1)
		second<<<1, 32>>>(p);
	printf("end %d\n", (int)cudaDeviceSynchronize());
}
END
"$heddle" cc -g app.cu -o app 2>log || fail "heddle cc"
cat >cmds <<'END'
monitor break app.cu:3
continue
monitor where
monitor delete 1
continue
END
gdb_on cmds ./app
said 'app.cu:3'
said '^18$'
said '^end 0$'
printf 'break second\nbreak app.cu:3\nc\ninfo kernels\nc\nline\nwhere\ninfo registers\nquit\n' >cmds
run 130 "$heddle" run --quiet --no-fail-on-fault --debug ./app more <cmds
grep -q '^second, block (0,0,0)' out || fail "the prompt of a program: $(cat out)"
# Ctrl-C: GDB's SIGINT becomes a stop in the endless kernel.
cat >cmds <<'END'
monitor break second
continue
END
mkfifo in
"$heddle" run --quiet --gdb - ./app more <in >answers 2>log &
pid=$!
{ ask '?' 'qRcmd,627265616b207365636f6e64' 'vCont;c'; sleep 1; ask 'vCont;c'; sleep 1; printf '\003'; sleep 1; ask 'qC' 'k'; sleep 1; } >in
wait $pid
grep -aq T02 answers || fail "Ctrl-C: $(cat answers)"
# Sockets.
for address in unix:socket :0; do
	"$heddle" run --gdb $address $kernel >out 2>port &
	pid=$!
	for _ in $(seq 100); do
		grep -q waiting port && break
		sleep 0.1
	done
	where=$(sed -n 's/.*target remote //p' port)
	timeout 60 gdb -nx -batch -ex "target remote $where" -ex stepi -ex kill >log 2>&1
	wait $pid
	[ $? = 1 ] || fail "GDB at $address: status $?"
done
run 1 "$heddle" run --gdb unix:/no/such/folder/s $kernel
said 'unix:/no/such/folder/s: No such file'
[ $bad = 0 ] && echo "GDB: machine code, PTX, programs, sockets, wrong packets"
exit $bad
