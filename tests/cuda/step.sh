#!/bin/sh
# Steps: kernels of several files in order on tensors from .npy files, entries of Triton's cache, tensor descriptors, and
# what is wrong with each of them in one message.
top=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/lib.sh"
unset LD_LIBRARY_PATH
step_run="$heddle run --quiet"
: >log
refuse() { # STATUS TEXT COMMAND...: it ends with that status, and its only line has the text
	want=$1 text=$2
	shift 2
	"$@" >log 2>&1
	got=$?
	[ $got -eq "$want" ] || fail "status $got, not $want: $*: $(cat log)"
	grep -qF -- "$text" log || fail "'$text' is not in: $(cat log)"
	[ "$(wc -l <log)" -eq 1 ] || fail "more than one message: $(cat log)"
}

cat >k.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry iota(.param .u64 out, .param .u32 n, .param .f32 first)
{
	.reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<3>; .reg .b64 %rd<3>;
	mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
	ld.param.u32 %r5, [n]; setp.ge.u32 %p, %r4, %r5; @%p ret;
	ld.param.f32 %f1, [first]; cvt.rn.f32.u32 %f2, %r4; add.f32 %f1, %f1, %f2;
	ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2; st.global.f32 [%rd1], %f1;
	ret;
}
END
# The kernel as Triton writes one: a descriptor, its shape and strides, an output, the two scratch pointers. It copies
# the box at column 4, row 2.
mkdir -p cache/one cache/two
cat >cache/one/copy.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry copy_entry(.param .align 64 .b8 map[128], .param .u32 d0, .param .u32 d1, .param .u64 s0, .param .u64 s1,
	.param .u64 out, .param .u64 scratch, .param .u64 profile)
.reqntid 128
{
	.reg .pred %p; .reg .b32 %r<9>; .reg .f32 %f<3>; .reg .b64 %rd<9>;
	.shared .align 128 .b8 tile[256]; .shared .align 8 .b64 bar;
	mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mov.u32 %r3, bar; setp.ne.u32 %p, %r1, 0;
	@%p bra WAIT;
	mbarrier.init.shared.b64 [%r3], 1;
	fence.proxy.async.shared::cta;
	mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r3], 256;
	mov.b64 %rd2, map; cvta.param.u64 %rd2, %rd2; mov.u32 %r4, 4; mov.u32 %r5, 2;
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd2, {%r4, %r5}], [%r3];
WAIT:
	bar.sync 0;
L:	mbarrier.try_wait.parity.shared.b64 %p, [%r3], 0;
	@!%p bra L;
	setp.ge.u32 %p, %r1, 64;
	@%p ret;
	shl.b32 %r6, %r1, 2; add.u32 %r6, %r6, %r2; ld.shared.f32 %f1, [%r6];
	ld.param.u32 %r7, [d1]; cvt.rn.f32.u32 %f2, %r7; add.f32 %f1, %f1, %f2;
	ld.param.u64 %rd3, [s0]; cvt.u32.u64 %r8, %rd3; cvt.rn.f32.u32 %f2, %r8; add.f32 %f1, %f1, %f2;
	ld.param.u64 %rd4, [out]; mul.wide.u32 %rd5, %r1, 4; add.u64 %rd4, %rd4, %rd5; st.global.f32 [%rd4], %f1;
	ld.param.u64 %rd6, [scratch]; st.global.f32 [%rd6+64], %f1;
	ret;
}
END
cat >cache/one/copy.json <<'END'
{"name": "copy_entry", "num_warps": 4, "shared": 0, "cluster_dims": [1, 1, 1], "target": {"backend": "cuda", "arch": 90,
 "warp_size": 32}, "global_scratch_size": 128, "global_scratch_align": 64, "profile_scratch_size": 0,
 "tensordesc_meta": [{"swizzle": 0, "elem_size": 4, "elem_type": 7, "block_size": [4, 16], "fp4_padded": false}]}
END
echo '{"child_paths": {}}' >cache/one/__grp__copy.json

# A grid of numbers, and the expected box: rows of 32, from row 2 and column 4, plus 32 (columns) and 32 (stride).
step() { # NAME TENSORS LAUNCHES
	printf '{"format": "heddle step 1", "tensors": {%s}, "launches": [%s]}\n' "$2" "$3" >"$1.json"
}
grid='"x": {"shape": [8, 32], "dtype": "float32", "save": "x.npy"}'
iota='{"file": "k.ptx", "kernel": "iota", "grid": [2], "block": [128], "args": ["x", 256, {"f32": 0}]}'
step first "$grid" "$iota"
$step_run first.json || fail "the first step"
[ "$(od -An -tf4 -j $((128 + 4 * 70)) -N 4 x.npy | tr -d ' ')" = 70 ] || fail "x.npy has no 70"
[ "$(wc -c <x.npy)" = 1152 ] || fail "x.npy has $(wc -c <x.npy) bytes"

box='"y": {"shape": [4, 16], "dtype": "float32", "save": "y.npy"}'
copy='{"triton": "cache/one", "grid": [1], "args": [{"descriptor": "x"}, "y"]}'
step second '"x": {"file": "x.npy"}, '"$box" "$copy"
$step_run second.json || fail "the second step"
[ "$(od -An -tf4 -j 128 -N 4 y.npy | tr -d ' ')" = 132 ] || fail "y.npy begins with $(od -An -tf4 -j 128 -N 4 y.npy)"
[ "$(od -An -tf4 -j $((128 + 4 * 17)) -N 4 y.npy | tr -d ' ')" = 165 ] || fail "y.npy goes on with another row"

# The same from the command line, both launches in one step, and in timing mode, where figures are of both.
$step_run --triton cache/one --grid 1 --val hex="$(printf '%0256d' 0)" --out 'float32[4]' /dev/null >log 2>&1 && fail "no descriptor"
step both "\"x\": {\"shape\": [8, 32], \"dtype\": \"float32\"}, \"y\": {\"shape\": [4, 16], \"dtype\": \"float32\", \"expect\": \"y.npy\"}" "$iota, $copy"
$step_run --config h200-sm90 --stats s.json both.json >log 2>&1 || fail "both: $(cat log)"
[ "$(grep -c '"kernel": *"' s.json)" -ge 2 ] || fail "figures of two launches"

# Strides: every second column of a wider tensor; tolerance; what differs is counted.
wide='"x": {"file": "x.npy", "shape": [8, 32], "strides": [128, 2]}, "z": {"shape": [8, 32], "dtype": "float32", "expect": "x.npy", "atol": %s}'
step strided "$(printf "$wide" 0)" '{"triton": "cache/one", "grid": [1], "args": [{"descriptor": "x"}, "z"]}'
step gaps '"x": {"file": "x.npy", "shape": [8, 32], "strides": [64, 1]}, "y": {"shape": [4, 16], "dtype": "float32", "save": "g.npy"}' "$copy"
$step_run gaps.json || fail "rows with gaps"
[ "$(od -An -tf4 -j $((128 + 4 * 17)) -N 4 g.npy | tr -d ' ')" = 197 ] || fail "rows with gaps: 32 is added for the stride of 64"
refuse 2 "elements of the last dimension must be contiguous" $step_run strided.json
step differs '"x": {"shape": [8, 32], "dtype": "float32", "expect": "x.npy", "atol": 0.5}' \
	'{"file": "k.ptx", "grid": [2], "block": [128], "args": ["x", 256, {"f32": 1}]}'
refuse 1 "256 of 256 elements differ from x.npy; the first, element 0, is 1 and not 0; largest difference 1" $step_run differs.json
step near '"x": {"shape": [8, 32], "dtype": "float32", "expect": "x.npy", "atol": 1}' \
	'{"file": "k.ptx", "grid": [2], "block": [128], "args": ["x", 256, {"f32": 1}]}'
$step_run near.json || fail "within the tolerance"

# An entry as Triton 3.6 wrote it for a GPU: the kernel makes both descriptors in its scratch memory, and stores 2 x + 1.
cp -r "$top/tests/data/triton" cache/made
step made '"x": {"shape": [128, 128], "dtype": "float32"}, "y": {"shape": [128, 128], "dtype": "float32", "save": "made.npy"}' \
	'{"file": "k.ptx", "kernel": "iota", "grid": [128], "block": [128], "args": ["x", 16384, {"f32": 0}]},
	{"triton": "cache/made", "grid": [2, 2, 1], "args": [{"tensor": "x", "offset": 0}, {"tensor": "y", "offset": 0}, {"i32": 128}, {"i32": 128}]}'
for how in "" "--config h200-sm90" "--check race,init --config h200-sm90 --mode functional"; do
	# shellcheck disable=SC2086
	$step_run $how made.json >log 2>&1 || fail "Triton's own entry: $(cat log)"
	od -An -v -tf4 -w4 -j 128 made.npy | awk '$1 != 2 * (NR - 1) + 1 { bad++ } END { exit bad || NR != 16384 }' || fail "Triton's own entry: other results ($how)"
	rm -f made.npy
done

# On the command line: a kernel's name, .npy files by --inout and --out.
cat >cache/two/iota.json <<'END'
{"name": "iota", "num_warps": 8, "shared": 0}
END
cp k.ptx cache/two/iota.ptx
$step_run --triton cache/two --grid 1 --out 'float32[16,16]' out.npy --val u32=256 --val f32=0 iota || fail "--triton"
[ "$(od -An -tf4 -j $((128 + 4 * 255)) -N 4 out.npy | tr -d ' ')" = 255 ] || fail "out.npy"
refuse 2 "expected NAME.json beside NAME.ptx or NAME.cubin" $step_run --triton cache/two --grid 1 nothing
refuse 2 "TYPE[SIZES]" $step_run --triton cache/two --grid 1 --out 100 out2.npy --val u32=1 --val f32=0
refuse 2 "--grid is missing" $step_run --triton cache/two
# Memory for scratch is no argument: a forgotten argument is missed, whether or not the kernel takes scratch memory.
refuse 2 "it has 3 parameters, the arguments fill 1" $step_run --triton cache/two --grid 1 --val hex=0000000000000000
step few '"x": {"file": "x.npy"}' '{"triton": "cache/one", "grid": [1], "args": [{"descriptor": "x"}]}'
refuse 2 "it has 6 parameters beside those for scratch memory, the arguments fill 5" $step_run few.json
[ ! -e out2.npy ] || fail "a refused run has written"

# A descriptor of bfloat16, whose type has another number in Triton's metadata than in the driver's maps; kernels of
# Triton 3.2 and 3.3, whose descriptor comes alone; kernels without tensor maps, to which a descriptor is pointer, shape,
# strides and flags.
mkdir -p cache/bf cache/alone cache/pointer
sed -e 's/copy_entry/bf/; s/expect_tx.shared.b64 %rd1, \[%r3\], 256/expect_tx.shared.b64 %rd1, [%r3], 128/' -e 's/setp.ge.u32 %p, %r1, 64/setp.ge.u32 %p, %r1, 32/; s/mov.u32 %r4, 4/mov.u32 %r4, 8/' \
	-e '/ld.param.u32 %r7/d; /ld.param.u64 %rd3/d' cache/one/copy.ptx >cache/bf/bf.ptx
sed 's/copy_entry/bf/; s/"elem_size": 4, "elem_type": 7/"elem_size": 2, "elem_type": 10/' cache/one/copy.json >cache/bf/bf.json
sed -e 's/copy_entry/alone/' -e 's/\.param \.u32 d0, .*/.param .u64 out, .param .u64 scratch)/' -e '/\.param \.u64 out, \.param \.u64 scratch, /d' \
	-e '/ld.param.u32 %r7/d; /ld.param.u64 %rd3/d' cache/one/copy.ptx >cache/alone/alone.ptx
sed 's/copy_entry/alone/; s/, *$/,/; /tensordesc_meta/d; s/"profile_scratch_size": 0,/"profile_scratch_size": 0}/' cache/one/copy.json >cache/alone/alone.json
cat >cache/pointer/pointer.ptx <<'END'
.version 8.0
.target sm_80
.address_size 64
.visible .entry pointer(.param .u64 base, .param .u64 d0, .param .u64 d1, .param .u64 s0, .param .u64 s1, .param .u8 nan, .param .u8 tf32,
	.param .u32 e0, .param .u32 e1, .param .u64 t0, .param .u64 t1, .param .u64 out, .param .u64 scratch, .param .u64 profile)
.reqntid 128
{
	.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>;
	mov.u32 %r1, %tid.x; setp.ne.u32 %p, %r1, 0; @%p ret;
	ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [d1]; st.global.u64 [%rd1], %rd2; ld.param.u64 %rd2, [t0]; st.global.u64 [%rd1+8], %rd2;
	ld.param.u8 %r2, [nan]; st.global.u32 [%rd1+16], %r2; ld.param.u8 %r2, [tf32]; st.global.u32 [%rd1+20], %r2;
	ret;
}
END
sed 's/copy_entry/pointer/; s/"tensordesc_meta": .*/"tensordesc_meta": []}/' cache/one/copy.json >cache/pointer/pointer.json
bf='"x": {"file": "x.npy"}, "v": {"shape": [8, 32], "dtype": "bfloat16", "file": "bits.npy"}, "y": {"shape": [32], "dtype": "uint32", "save": "bf.npy"}'
{ printf '\223NUMPY\001\000\166\000'; printf "%-117s\n" "{'descr': '<u2', 'fortran_order': False, 'shape': (8, 32), }"
	i=0; while [ $i -lt 256 ]; do printf "\\$(printf %03o $i)\\$(printf %03o 63)"; i=$((i + 1)); done; } >bits.npy
step bf "$bf" '{"triton": "cache/bf", "grid": [1], "args": [{"descriptor": "v"}, "y"]}'
$step_run bf.json || fail "a descriptor of bfloat16"
[ "$(od -An -tx4 -j $((128 + 4 * 8)) -N 4 bf.npy | tr -d ' ')" = 3f693f68 ] || fail "the box of bfloat16 has $(od -An -tx4 -j 160 -N 4 bf.npy) in row 3"
step alone '"x": {"file": "x.npy"}, "y": {"shape": [4, 16], "dtype": "float32", "save": "alone.npy"}' \
	'{"triton": "cache/alone", "grid": [1], "args": [{"descriptor": "x", "box": [4, 16]}, "y"]}'
$step_run alone.json || fail "a descriptor alone"
[ "$(od -An -tf4 -j $((128 + 4 * 17)) -N 4 alone.npy | tr -d ' ')" = 101 ] || fail "the box of a descriptor alone"
step pointer '"x": {"file": "x.npy"}, "y": {"shape": [6], "dtype": "uint32", "save": "pointer.npy"}' \
	'{"triton": "cache/pointer", "grid": [1], "args": [{"descriptor": "x", "nan_fill": true, "tf32": true}, "y"]}'
$step_run pointer.json || fail "a descriptor as pointer and sizes"
[ "$(od -An -tu4 -j 128 -w24 pointer.npy | tr -s ' ')" = " 32 0 32 0 1 1" ] || fail "pointer, shape, strides, flags: $(od -An -tu4 -j 128 -w24 pointer.npy)"
step part '"x": {"file": "x.npy"}, "y": {"shape": [4, 16], "dtype": "float32", "save": "part.npy"}' \
	'{"triton": "cache/one", "grid": [1], "args": [{"descriptor": "x", "offset": 128, "shape": [4, 24], "strides": [40, 1]}, "y"]}'
$step_run part.json || fail "a descriptor of a part"
# element 32 + 2 * 40 + 4, plus the shape's 24 and the stride's 40
[ "$(od -An -tf4 -j 128 -N 4 part.npy | tr -d ' ')" = 180 ] || fail "the part begins with $(od -An -tf4 -j 128 -N 4 part.npy)"
sed -i 's/"fp4_padded": false/"fp4_padded": true/' cache/bf/bf.json
refuse 2 "(padded fp4) that is not supported" $step_run bf.json

# What is expected, on the command line.
mm="$step_run --triton cache/two --kernel iota --grid 1 --out float32[16,16] out.npy"
step half '"x": {"shape": [16, 16], "dtype": "float32", "save": "half.npy"}' '{"file": "k.ptx", "grid": [2], "block": [128], "args": ["x", 256, {"f32": 0.5}]}'
$step_run half.json || fail "half.json"
$mm --expect out.npy --val u32=256 --val f32=0 || fail "--expect"
$mm --expect half.npy --tolerance 0.25,0.5 --val u32=256 --val f32=0.25 || fail "--tolerance"
refuse 1 "tensor 0: 256 of 256 elements differ from half.npy" $mm --expect half.npy --tolerance 0.25 --val u32=256 --val f32=0
refuse 2 "expected ABS or ABS,REL" $mm --expect half.npy --tolerance 1e-2, --val u32=256 --val f32=0
refuse 2 "expected after an --expect" $mm --tolerance 1 --val u32=256 --val f32=0
refuse 2 "expected once after an --in, --out or --inout" $mm --val u32=256 --expect half.npy --val f32=0
refuse 2 "expected with --triton alone" $step_run k.ptx --grid 1 --block 32 --in x.npy --expect x.npy --val u32=1 --val f32=0

# Numbers of 16 bits are rounded once, to nearest even: subnormal, overflow, ties, infinity.
cat >bits.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry bits(.param .u64 out, .param .b16 a, .param .b16 b, .param .b16 c, .param .b16 d, .param .b16 e, .param .b16 f, .param .b16 g, .param .b16 h)
{
	.reg .b64 %rd<2>; .reg .b16 %h<2>;
	ld.param.u64 %rd1, [out];
	ld.param.b16 %h1, [a]; st.global.b16 [%rd1], %h1; ld.param.b16 %h1, [b]; st.global.b16 [%rd1+2], %h1;
	ld.param.b16 %h1, [c]; st.global.b16 [%rd1+4], %h1; ld.param.b16 %h1, [d]; st.global.b16 [%rd1+6], %h1;
	ld.param.b16 %h1, [e]; st.global.b16 [%rd1+8], %h1; ld.param.b16 %h1, [f]; st.global.b16 [%rd1+10], %h1;
	ld.param.b16 %h1, [g]; st.global.b16 [%rd1+12], %h1; ld.param.b16 %h1, [h]; st.global.b16 [%rd1+14], %h1;
	ret;
}
END
step sixteen '"o": {"shape": [8], "dtype": "uint16", "save": "sixteen.npy"}' '{"file": "bits.ptx", "grid": [1], "block": [1], "args": ["o",
 {"f16": 1e-7}, {"f16": 65520}, {"f16": "-inf"}, {"f16": 2049}, {"f16": -65519.9}, {"bf16": 1.00390625}, {"bf16": 1.00390626}, {"bf16": 3.4e38}]}'
$step_run sixteen.json || fail "numbers of 16 bits"
[ "$(od -An -tx2 -j 128 sixteen.npy | tr -s ' ')" = " 0002 7c00 fc00 6800 fbff 3f80 3f81 7f80" ] || fail "16 bits: $(od -An -tx2 -j 128 sixteen.npy)"

# Wrong files.
wrong() { # TEXT JSON
	printf '%s\n' "$2" >wrong.json
	refuse 2 "$1" $step_run wrong.json
}
launch='{"file": "k.ptx", "kernel": "iota", "grid": [1], "block": [32], "args": [%s]}'
wrong "wrong.json:2:0" '{"format": '
wrong 'an object {...} is expected' '[]'
wrong '"format" is missing' '{"launches": []}'
wrong 'unknown member "tensor"' '{"format": "heddle step 1", "tensor": {}}'
wrong 'at least one launch' '{"format": "heddle step 1", "launches": []}'
for arg in '"x"' '{"i33": 1}' '{"i8": 128}' '{"u8": -1}' '{"bytes": "abc"}' '[1]' '{"descriptor": "x"}' '{"tensor": "x"}'; do
	wrong 'launches[0].args[0]' "{\"format\": \"heddle step 1\", \"launches\": [$(printf "$launch" "$arg")]}"
done
wrong 'the argument 4' "{\"format\": \"heddle step 1\", \"launches\": [$(printf "$launch" '{"i32": 1}, 2, 3')]}"
wrong 'the arguments fill 1' "{\"format\": \"heddle step 1\", \"launches\": [$(printf "$launch" '{"i64": 1}')]}"
wrong 'does not fit' "{\"format\": \"heddle step 1\", \"launches\": [$(printf "$launch" '{"i64": 1}, 4294967296')]}"
args='{"descriptor": "x", "shape": [8, 32], "strides": [32, 1], "offset": 16}, "x"'
wrong 'go past the end of the tensor' "{\"format\": \"heddle step 1\", \"tensors\": {$grid}, \"launches\": [{\"triton\": \"cache/one\", \"grid\": [1], \"args\": [$args]}]}"
wrong 'must be given together' "{\"format\": \"heddle step 1\", \"tensors\": {$grid}, \"launches\": [{\"triton\": \"cache/one\", \"grid\": [1], \"args\": [{\"descriptor\": \"x\", \"shape\": [8]}]}]}"
# Numbers in a cache entry's metadata, and grids, sizes and strides whose products are beyond any number.
mkdir -p cache/bad
cp cache/one/copy.ptx cache/bad
bad() { # TEXT GRID, a change of the metadata
	sed "$3" cache/one/copy.json >cache/bad/copy.json
	wrong "$1" "{\"format\": \"heddle step 1\", \"tensors\": {$grid, $box}, \"launches\": [{\"triton\": \"cache/bad\", \"grid\": [$2], \"args\": [{\"descriptor\": \"x\"}, \"y\"]}]}"
}
for n in '"4"' 4294967300 -1 1.5; do
	bad 'copy.json: "num_warps": expected an integer from 0 to 1024' 1 "s/\"num_warps\": 4/\"num_warps\": $n/"
	bad 'copy.json: "target.warp_size": expected an integer from 0 to 1024' 1 "s/\"warp_size\": 32/\"warp_size\": $n/"
done
bad '"cluster_dims": expected integers' 1 's/\[1, 1, 1\]/[2, "a", 1]/'
bad 'the grid counts clusters' 2147483648 's/\[1, 1, 1\]/[4, 1, 1]/'
bad 'scratch memory for all blocks is larger than any memory' '4096, 4096, 4096' 's/_scratch_size": 128/_scratch_size": 1099511627776/'
for member in save expect; do
	step huge "\"x\": {\"shape\": [549755813888], \"strides\": [0], \"dtype\": \"uint8\", \"$member\": \"huge.npy\"}" "$iota"
	refuse 1 'tensor x: 549755813888 elements are too many for a file' timeout 20 $step_run huge.json
done
head -c 200 x.npy >cut.npy
head -c 60 x.npy >header.npy
sed 's/<f4/<c8/' x.npy >complex.npy
for f in cut header complex; do
	step $f "\"x\": {\"file\": \"$f.npy\"}" "$iota"
	refuse 1 "$f.npy" $step_run $f.json
done
step shape '"x": {"file": "x.npy", "shape": [32, 8]}' "$iota"
refuse 1 "has 8 x 32 of float32, expected 32 x 8" $step_run shape.json
exit $bad
