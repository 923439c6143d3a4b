#!/bin/sh
# Traces of Accel-Sim's tracer: each recorded instruction is issued once, with its lanes, in its warp's order; accesses
# have the recorded addresses; and what is no trace gets one line that says where and why.
. "$(dirname "$0")/lib.sh"
expect() { [ "$1" = "$2" ] || fail "$3: $1, not $2"; }
mkdir list

header() { # VERSION: a kernel of two blocks of 48 threads
	cat <<END
-kernel name = _Z3addPfS_i
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (48,1,1)
-shmem = 256
-nregs = 20
-binary version = 80
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f1000000000
-accelsim tracer version = $1
-enable lineinfo = 0

#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate
END
}
# A block's second warp has 16 threads. Its LDG names every address, the first warp's a stride; the store to shared
# memory differences; 0040 is executed by no lane; the sum has three sources and issues once.
block() { # NUMBER
	cat <<END
#BEGIN_TB
thread block = $1,0,0
warp = 0
insts = 9
0000 ffffffff 1 R4 S2R 0 0 0
0010 ffffffff 1 R6 LDG.E 1 R2 4 1 0x7f2000000000 4 0
0020 ffffffff 1 R7 IADD3 3 R6 R4 R5 0 0
0030 0000ffff 0 STS 2 R8 R7 4 2 0x7f0000000000 4 4 4 4 4 4 4 4 4 4 4 4 4 4 4 0
0040 00000000 1 R9 LDS 1 R8 4 1 0x0 0 0
0050 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0
0060 00ff00ff 0 STG.E 2 R2 R7 4 1 0x7f2000001000 128 0
0070 ffffff00 0 EXIT 0 0
0080 000000ff 0 EXIT 0 0
warp = 1
insts = 4
0000 0000ffff 1 R4 S2R 0 0 0
0010 0000ffff 1 R6 LDG.E 1 R2 4 0 0x7f2000000080 0x7f2000000084 0x7f2000000088 0x7f200000008c 0x7f2000000090 0x7f2000000094 0x7f2000000098 0x7f200000009c 0x7f20000000a0 0x7f20000000a4 0x7f20000000a8 0x7f20000000ac 0x7f20000000b0 0x7f20000000b4 0x7f20000000b8 0x7f20000000bc 0
0050 0000ffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0
0060 00000000 0 STG.E 2 R2 R7 4 1 0x0 0 0
#END_TB
END
}
trace() { header "${1:-5}"; block 0; block 1; }
trace >list/kernel-1.traceg
trace 6 | xz >list/kernel-2.traceg.xz
printf 'MemcpyHtoD,0x00007f2000000000,512\nkernel-1.traceg\nkernel-2.traceg\n' >list/kernelslist.g
figure() { # NAME FILE
	sed -n "s/^ *\"$1\": \([0-9.]*\),*$/\1/p" "$2" | head -n 1
}

$heddle run --config qv100 --stats one.json list/kernel-1.traceg >out 2>log || fail "a trace"
# Of each block 13 instructions, and the exit of the second warp, which its path does not have.
expect "$(figure warp_instructions one.json)" 28 "instructions issued"
expect "$(figure thread_instructions one.json)" $((2 * (32 * 4 + 16 + 16 + 24 + 8 + 4 * 16))) "instructions of threads"
expect "$(figure cycles one.json | grep -c '^[1-9]')" 1 "it takes time"
grep -q '"IADD3"' one.json || fail "instructions are not counted by opcode"
grep -q '^kernel-1.traceg add: 28 warp instructions' log || fail "no line of the kernel: $(cat log)"
# In each block two loads of one line of 128 bytes, and 16 stores 128 bytes apart.
expect "$(figure transactions one.json)" $((2 * (1 + 1 + 16))) "accesses"
# Generic accesses: the first warp's are in shared memory by the header's address of it, the second warp's are not.
trace | sed 's/LDG.E 1 R2 4 1 0x7f2000000000 4/LD.E 1 R2 4 1 0x7f0000000010 4/; s/LDG.E/LD.E/' >generic.traceg
$heddle run --quiet --config qv100 --stats generic.json generic.traceg 2>log || fail "generic accesses: $(cat log)"
expect "$(figure transactions generic.json)" $((2 * (1 + 16))) "accesses beside shared memory's"
$heddle run --config qv100 --stats list.json list >out 2>log || fail "a folder"
expect "$(grep -c '"kernel": "_Z3addPfS_i",' list.json)" 4 "kernels of the list, and their profiles"
for threads in 1 2; do
	$heddle run --threads $threads --quiet --config qv100 --stats $threads.csv list/kernelslist.g || fail "a list"
done
grep -v wall 1.csv >a
grep -v wall 2.csv >b
cmp -s a b || fail "other figures with two threads"
$heddle run --config gtx480 --set sm.lanes=tsimt list >out 2>log || fail "temporal lanes: $(cat log)"

# The same trace packed, with and without a dictionary, in parts of a few lines.
cat >pack.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
static char dictionary[] = "ffffffff 1 R4 S2R 0 0 0 LDG.E IADD3 STS BAR.SYNC.DEFER_BLOCKING STG.E EXIT";
static void u32(FILE *f, uint32_t v) { fwrite(&v, 4, 1, f); }
/* A frame that does not say how long its text is, as a writer makes one that does not know it yet. */
static size_t stream(ZSTD_CCtx *c, void *packed, size_t room, void *text, size_t n)
{
	ZSTD_outBuffer to = {packed, room, 0};
	ZSTD_inBuffer part = {text, n / 2, 0}, whole = {text, n, n / 2};
	ZSTD_compressStream2(c, &to, &part, ZSTD_e_flush);
	ZSTD_compressStream2(c, &to, &whole, ZSTD_e_end);
	return to.pos;
}
int main(int argc, char **argv) /* LINES DICTIONARY SIZES */
{
	unsigned lines = atoi(argv[1]), bytes = atoi(argv[2]) ? sizeof dictionary - 1 : 0, blocks = 0;
	char line[4096], text[1 << 16], packed[1 << 17];
	static uint32_t index[1 << 16];
	size_t n = 0, warps_at = 0;
	uint64_t first = 0; /* with a fourth argument: the first warp is every warp */
	FILE *out = stdout;
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_CDict *d = ZSTD_createCDict(dictionary, bytes, 3);
	while (fgets(line, sizeof line, stdin) && strncmp(line, "#BEGIN_TB", 9))
		fputs(line, out);
	fputc(0, out);
	u32(out, bytes);
	u32(out, lines);
	fwrite(dictionary, 1, bytes, out);
	while (fgets(line, sizeof line, stdin)) {
		unsigned count, x, y, z;
		if (sscanf(line, "thread block = %u,%u,%u", &x, &y, &z) == 3) {
			uint32_t ids[] = {x, y, z, x, y, z, 0, 0, 0, 0, 0};
			memcpy(index + n, ids, sizeof ids);
			warps_at = (n += 11) - 1;
			blocks++;
		}
		if (sscanf(line, "insts = %u", &count) != 1)
			continue;
		uint64_t place = ftell(out);
		unsigned parts = (count + lines - 1) / lines;
		index[warps_at]++;
		index[n++] = count;
		index[n++] = parts;
		uint64_t at = place;
		if (argc > 4)
			place = first = first ? first : place;
		memcpy(index + n, &place, 8);
		n += 2;
		u32(out, count);
		u32(out, parts);
		for (unsigned i = 0; i < parts; i++) {
			unsigned here = count - i * lines < lines ? count - i * lines : lines;
			*text = 0;
			for (unsigned k = 0; k < here; k++)
				strcat(text, fgets(line, sizeof line, stdin));
			text[strlen(text) - 1] = 0; /* the last line has no end */
			size_t size = !atoi(argv[3]) ? stream(c, packed, sizeof packed, text, strlen(text)) : bytes ? ZSTD_compress_usingCDict(c, packed, sizeof packed, text, strlen(text), d)
					    : ZSTD_compressCCtx(c, packed, sizeof packed, text, strlen(text), 3);
			u32(out, size);
			fwrite(packed, 1, size, out);
			index[n++] = here;
		}
		if (at != place)
			fseek(out, at, SEEK_SET);
	}
	uint64_t end = ftell(out);
	u32(out, blocks);
	fwrite(index, 4, n, out);
	fwrite(&end, 8, 1, out);
	return 0;
}
END
cc pack.c -o pack -lzstd 2>log || fail "pack.c: $(cat log)"
mkdir packed
for how in "4 0 1" "2 1 1" "100 1 1" "4 0 0"; do
	./pack $how <list/kernel-1.traceg >packed/kernel-1.tracez
	$heddle run --config qv100 --stats packed.csv packed/kernel-1.tracez >out 2>log || fail "packed: $(cat log)"
	$heddle run --quiet --config qv100 --stats plain.csv list/kernel-1.traceg || fail "plain"
	grep -v wall packed.csv >a
	grep -v wall plain.csv >b
	cmp -s a b || fail "other figures of the packed trace ($how)"
done
for name in kernel-1.tracez kernel-1.traceg; do
	echo $name >packed/kernelslist.g
	$heddle run --quiet --config qv100 packed || fail "a folder of packed traces: $name"
done
# Parts that the index names again and again: a small file is not unpacked without end.
{ header 5; for i in $(seq 0 199); do block "$i" | sed '/^warp = 1/,/^0060 00000000/d'; done; } | ./pack 100 0 1 again >again.tracez
$heddle run --quiet --config qv100 again.tracez >out 2>log && fail "taken: parts that are named again"
grep -q 'the index names parts more than once' log || fail "parts that are named again: $(cat log)"
size=$(wc -c <packed/kernel-1.tracez)
for n in 0 1 $((size / 4)) $((size / 2)) $((size - 200)) $((size - 9)) $((size - 1)); do
	head -c "$n" packed/kernel-1.tracez >cut.tracez
	$heddle run --quiet --config qv100 cut.tracez >out 2>log && fail "taken: $n bytes of $size"
	[ "$(wc -l <log)" -eq 1 ] && grep -q 'cut.tracez: ' log || fail "of $n bytes: $(cat log)"
done
{ head -c $((size / 2)) packed/kernel-1.tracez; printf 'XXXX'; tail -c +$((size / 2 + 5)) packed/kernel-1.tracez; } >cut.tracez
$heddle run --quiet --config qv100 cut.tracez >out 2>log && fail "taken: damaged"
grep -q 'cut.tracez: at byte' log || fail "damaged: $(cat log)"

wrong() { # TEXT, then the trace from standard input
	cat >bad.traceg
	$heddle run --config qv100 bad.traceg >out 2>log && fail "taken: $1"
	grep -q "$1" log || fail "no '$1' but: $(cat log)"
	[ "$(grep -c . log)" -le 2 ] || fail "more than one message: $(cat log)"
}
trace | sed 's/insts = 9/insts = 8/' | wrong 'bad.traceg:27:1: error: more instructions'
trace | sed 's/insts = 9/insts = 10/' | wrong '1 instructions fewer'
trace | head -n 30 | wrong 'ends inside a thread block'
header 5 | wrong 'ends before its first thread block'
{ header 5; block 0; } | wrong 'has 1 thread blocks, its grid has 2'
{ header 5; block 0; block 0; } | wrong 'appears twice'
{ header 5; block 2; } | wrong 'thread block 2,0,0: the grid is 2,1,1'
header 2 | wrong "'2': expected a version of the tracer from 3 to 6"
trace | sed 's/0010 ffffffff 1 R6/0010 fffffffff 1 R6/' | wrong 'expected a mask of lanes'
trace | sed 's/IADD3 3 R6 R4 R5/IADD3 3 R6 R4 Q5/' | wrong "'Q5': expected a register"
trace | sed 's/IADD3/FROB/' | wrong 'FROB is an opcode'
trace | sed '0,/IADD3/s/IADD3/IADD/' | wrong 'address 20 has IADD3 here and IADD with other operands in line'
trace | sed 's/R2 4 1 0x7f2000000000 4/R2 4 3 0x7f2000000000 4/' | wrong 'how addresses are written'
trace | sed 's/(2,1,1)/(8000000,1,1)/' | wrong 'too short for 8000000 thread blocks'
trace | sed 's/(48,1,1)/(4800,1,1)/' | wrong 'not 1 to 1024 threads'
trace | sed 's/BAR.SYNC.DEFER_BLOCKING/BAR.ARV/' | wrong 'BAR.ARV arrives at a barrier'
echo kernel-3.traceg >list/kernelslist.g
$heddle run --config qv100 list >out 2>log && fail "a kernel that is not there"
grep -q 'list/kernelslist.g:1: kernel-3.traceg does not exist' log || fail "no word of it: $(cat log)"
$heddle run --mode functional --config qv100 list/kernel-1.traceg >out 2>log && fail "functional mode"
grep -q 'a trace has no data' log || fail "no word of functional mode: $(cat log)"
# Control bits are not recorded: the machine that issues by them uses its scoreboard.
$heddle run --config h200-sm90 list/kernel-1.traceg >out 2>log || fail "h200-sm90: $(cat log)"
cat >p.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry k() { ret; }
END
$heddle run --config qv100 --set sm.divergence=replay p.ptx --grid 1 --block 32 >out 2>log && fail "a program on replay"
grep -q 'follows traces' log || fail "no word of programs: $(cat log)"
for bytes in 0 30; do
	head -c $bytes /dev/zero >empty.traceg
	$heddle run --config qv100 empty.traceg >out 2>log && fail "$bytes bytes of nothing"
	grep -q 'empty.traceg is not a trace' log || fail "no word of an empty trace: $(cat log)"
done
exit $bad
