#!/bin/sh
# Twelve kernels with tensor cores, tensor copies and clusters, as the vendor's machine code that was measured on an H200
# (studies/h200): each checks its own result. In timing mode six of them take what they took on the chip: products of warp
# groups, tensor copies, barriers of clusters, and launches that begin with an empty L1.
root=$(dirname "$(realpath "$0")")/../..
. "$(dirname "$0")/lib.sh"
mkdir code
gzip -dc "$root/studies/h200/sm_90a/kernels3.cubin.gz" >code/kernels3.cubin || exit 1
run 0 "$heddle" cc -O2 -o kernels3 "$root/studies/h200/kernels3.cu"
run 0 "$heddle" run --quiet --cubins code ./kernels3
[ "$(grep -c ' ok ' out)" = 12 ] || { cat out >>log; fail "not twelve kernels are right"; }
gzip -dc "$root/studies/h200/kernels3_cycles.tsv.gz" >measured.tsv || exit 1
for k in wgmma_gemm_simple tma_transpose cluster_diffuse swiglu hash_probe bitonic_shared; do
	run 0 "$heddle" run --quiet --cubins code --mode timing --config h200-sm90 --stats stats.json ./kernels3 2 $k
	# cycles of the second of two launches: the first follows copies from the host
	got=$(sed -n 's/^   "cycles": *\([0-9]*\).*/\1/p' stats.json | sed -n 2p)
	awk -F '\t' -v k=$k -v got="$got" '$1 == k { e = got / $9 - 1; exit !(e > -0.18 && e < 0.15) }' measured.tsv ||
		fail "$k: $got cycles"
done
# Machine code of a cubin goes before code that Heddle makes of the PTX: the chip executed 25,824 warp instructions.
mkdir mm
gzip -dc "$root/studies/h200/sm_90/workload_MM.cubin.gz" >mm/MM.cubin || exit 1
run 0 "$heddle" cc -O2 -I"$root/workloads" -o MM "$root/workloads/MM/MM.cu"
run 0 "$heddle" run --cubins mm --mode timing --config h200-sm90 --stats stats.json ./MM --size test
said ' 25824 warp instructions'
# 4,367 cycles on the chip, whose L2 has the matrices that the host has copied
got=$(sed -n 's/^   "cycles": *\([0-9]*\).*/\1/p' stats.json)
[ "$got" -ge 3930 ] && [ "$got" -le 4804 ] || fail "MM: $got cycles"
# cp.async.cg of 16 bytes from the L2, then wait_group 0: 308 cycles on the chip (micro3_cpasync); lines differ by up to 72
run 0 "$heddle" asm "$root/tests/data/sm90/lane_copies.sass" -o copies.cubin
head -c 4096 /dev/zero >zeros
for n in 32 96; do
	run 0 "$heddle" run copies.cubin --quiet --mode timing --config h200-sm90 --grid 1 --block 1 --in zeros --val s32=$n --out 4 $n.out
done
slope=$((($(od -An -tu4 96.out) - $(od -An -tu4 32.out)) / 64))
[ $slope -ge 250 ] && [ $slope -le 345 ] || fail "a copy by lanes takes $slope cycles"
exit $bad
