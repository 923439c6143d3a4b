#!/bin/sh
# Twelve kernels with tensor cores, tensor copies and clusters, as the vendor's machine code that was measured on an H200
# (studies/h200): each checks its own result. In timing mode the tensor products wait for their time.
root=$(dirname "$(realpath "$0")")/../..
. "$(dirname "$0")/lib.sh"
mkdir code
gzip -dc "$root/studies/h200/sm_90a/kernels3.cubin.gz" >code/kernels3.cubin || exit 1
run 0 "$heddle" cc -O2 -o kernels3 "$root/studies/h200/kernels3.cu"
run 0 "$heddle" run --quiet --cubins code ./kernels3
[ "$(grep -c ' ok ' out)" = 12 ] || { cat out >>log; fail "not twelve kernels are right"; }
run 0 "$heddle" run --quiet --cubins code --mode timing --config h200-sm90 ./kernels3 1 wgmma_gemm_simple
grep -q ' ok ' out || fail "wgmma_gemm_simple in timing mode"
exit $bad
