#!/bin/sh
# Rows of the tables micro3_* on conf/h200-sm90.ini: each is within 5 % of what an H200 measured. What a row is about stands beside it.
. "$(dirname "$0")/lib.sh"
studies=$(dirname "$heddle")/../studies/h200
mkdir -p gpu/sm_90a gpu/ptx
sed 's/^title.*/title = A few rows/' "$studies/device.ini" >gpu/device.ini
cp "$studies"/micro_alu_latency.tsv.gz "$studies"/micro_entries.tsv.gz gpu/
cp "$studies"/sm_90a/micro3_*.cubin.gz gpu/sm_90a/

# rows TABLE 'entry<TAB>...' PATTERN...: the rows of the table that match
rows() {
	table=$1 name=$2
	shift 2
	gzip -dc "$studies/$table.tsv.gz" >all.tsv
	head -1 all.tsv >"gpu/$table.tsv"
	for row; do grep -- "^$row" all.tsv >>"gpu/$table.tsv" || fail "$table has no row $row"; done
	run 0 "$heddle" reproduce ./gpu --table "$name" --size small
	awk -F'\t' -v t="$table" 'NR > 1 { n++; e = $6 / $5 - 1; if (!(e < 0.05 && e > -0.05)) { print t ": " $0 > "/dev/stderr"; bad = 1 } } END { exit bad || !n }' out ||
		{ cp out log; fail "$table"; }
}
tab=$(printf '\t')
# chains of five and six warps of a sub-core share the tensor unit; instructions without registers pass its long reads
rows micro3_mma mma "mma_f16_f32_k16_c1${tab}1${tab}20" "mma_f16_f32_k16_c1${tab}1${tab}12" "mma_f16_f32_k8_c1${tab}1${tab}24"
# a small product alone; two warp groups that leave no gap
rows micro3_wgmma wgmma "wgmma_f16_n8_s_K1${tab}1" "wgmma_f16_n64_s_K8${tab}2" "wgmma_f16_n64_r_K1${tab}1" \
	"wgmma_bf16_n8_s_K1${tab}1" "wgmma_tf32_n8_s_K1${tab}1"
# conflicts of one sub-core; all lanes at the same 8 and 16 bytes
rows micro3_lds lds "lds4${tab}1${tab}one sub-core${tab}128" "lds8${tab}8${tab}all${tab}0" "lds16${tab}8${tab}all${tab}0" "lds16${tab}4${tab}all${tab}64"
# rows of matrices are wide, what a lane gets is not
rows micro3_ldmatrix ldmatrix "ldsm_x1_lat${tab}1${tab}16" "ldsm_x4_lat${tab}1${tab}16" "ldsm_x1_thr${tab}32${tab}16"
# a line of constants that an instruction reads at issue
rows micro3_constant_operands constant_operands "cop_n512_s64${tab}512${tab}64${tab}32768${tab}1"
# atomic operations in another block's shared memory
rows micro3_dsmem_latency dsmem_latency "dsmem_atom_lat${tab}8${tab}0${tab}4"
# cp.async.bulk.wait_group waits until the stores before it have read their sources, or have been performed
rows micro3_tma tma "tma2d_str_S1${tab}L2${tab}1${tab}128${tab}64${tab}0" "tma2d_stw_S1${tab}L2${tab}1${tab}128${tab}64${tab}0" "bulk_stw_S4${tab}L2${tab}1${tab}1024${tab}1"
# sizes of 0 in a table: the row is refused
zero() { # TABLE NAME COLUMN WORDS: the first row, with a 0 in the column
	gzip -dc "$studies/$1.tsv.gz" | awk -F'\t' -v OFS='\t' -v c="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) k = i; print; next }
		{ $k = 0; print; exit !k }' >"gpu/$1.tsv" || fail "$1 has no column $3"
	"$heddle" reproduce ./gpu --table "$2" --size small >out 2>log
	[ $? -lt 128 ] || fail "$1: a 0 of $3 ends the process"
	grep -q "$4" out || { cp out log; fail "$1: a 0 of $3"; }
}
zero micro3_l1_bandwidth l1_bandwidth warps "no warp"
zero micro3_cpasync cpasync warps "no warp"
zero micro3_tma tma inner_bytes "a copy of 0 bytes"
zero micro3_tma tma rows "a copy of 0 bytes"
# what BAR.RED has found
rows micro3_barriers barriers "bar_red${tab}0${tab}32"
exit $bad
