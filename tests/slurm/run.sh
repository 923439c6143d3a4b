#!/bin/sh
# Sweeps on a real Slurm: a node is lost, the sweep itself, the controller; each ends with the store that processes of this
# computer make. Status 77 where Slurm is not installed.
cd "$(dirname "$0")/../.." || exit 1
H=$(realpath "${B:-build}/heddle") cluster=$PWD/tests/slurm/cluster dir=$(mktemp -d) good=0 bad=0
trap '"$cluster" stop "$dir/slurm"; [ -n "${KEEP:-}" ] || rm -rf "$dir"' EXIT
ok() { good=$((good + 1)); }
fail() { bad=$((bad + 1)); echo "FAIL: $*"; }
"$cluster" start "$dir/slurm" >"$dir/out" || { cat "$dir/out"; exit 77; }
export SLURM_CONF=$dir/slurm/slurm.conf HEDDLE_CACHE=$dir/cache HEDDLE_WORKLOADS=$dir/suite
cd "$dir" || exit 1

mkdir -p suite/common suite/T && touch suite/common/common.h
printf 'Good\tadds\tT/T.cu\t-\tadd 1x32\ta\tb\tc\thws\tnothing\t-\n' >suite/suite.tsv
cat >suite/T/T.cu <<'EOF'
#include <cstdio>
#include <cstring>
#include <cstdlib>
#include <unistd.h>
__global__ void add(int *p, int n) { for (int i = 0; i < n; i++) if (threadIdx.x < 8) p[threadIdx.x] += i; }
int main(int argc, char **argv)
{
	int *p, n = 3;
	for (int i = 1; i + 1 < argc; i++)
		if (!strcmp(argv[i], "--seed"))
			n = atoi(argv[i + 1]);
	usleep(500000);
	cudaMalloc(&p, 128);
	cudaMemset(p, 0, 128);
	add<<<1, 32>>>(p, n);
	cudaDeviceSynchronize();
	puts("T: PASS, 0 values checked");
}
EOF
cat >s.ini <<'EOF'
[sweep]
machine = hws
workload = Good
sm.divergence = pdom, dwf
sm.max_warps = 8, 16, 32
seed = 1..4
EOF
all() { "$H" results --store "$1" --columns key,sm.divergence,sm.max_warps,seed,cycles,sm.warp_instructions --format csv --order key; }
same() { # STORE: has it what a.db has, and is nothing left beside it?
	all "$1" | cmp -s - a.csv && ok || fail "$1 differs from a.db: $("$H" results --store "$1" --columns key --format csv | wc -l) rows"
	[ -z "$(ls "$1.work/inbox" "$1.work/tasks" | grep -v ':$')" ] && ok || fail "$1.work: $(ls "$1.work"/*)"
}
slurm() { local s=$1; shift; exec "$H" sweep s.ini --store "$s" --on slurm --partition batch --time 10 --memory 300M "$@"; }
some() { # STORE N: waits until the store has N runs
	for _ in $(seq 300); do
		[ -f "$1" ] && [ "$("$H" results --store "$1" --columns key --format csv 2>/dev/null | wc -l)" -gt "$2" ] && return
		sleep 0.2
	done
	fail "no $2 runs in $1"
}
jobs_of() { squeue -h -r -t all -o '%j|%F_%K|%T' | grep -c '^heddle-'; }

"$H" sweep s.ini --store a.db --quiet >out || fail "local: $(cat out)"
all a.db >a.csv
[ "$(wc -l <a.csv)" = 25 ] && ok || fail "a.db has $(wc -l <a.csv) lines"

# A node is lost with what it runs.
slurm b.db --jobs 12 >b.out 2>&1 & pid=$!
some b.db 3
"$cluster" kill "$dir/slurm" n1
wait $pid && ok || fail "status $? with a node lost: $(tail -n 3 b.out)"
same b.db
"$cluster" revive "$dir/slurm" n1

# Samples: the functional passes are jobs too; the runs start from their files.
printf '[sweep]\nmode = sampled\nmachine = hws\nworkload = Good\nsm.max_warps = 8, 16\nseed = 1, 2\n' >p.ini
sampled() { "$H" results --store "$1" --columns key,sm.max_warps,seed,cycles,sample.cycles_low --format csv --order key; }
"$H" sweep p.ini --store p.db --quiet >out || fail "samples, local: $(cat out)"
[ "$(sampled p.db | wc -l)" = 5 ] && ok || fail "p.db has $(sampled p.db | wc -l) lines"
"$H" sweep p.ini --store q.db --on slurm --partition batch --time 10 --memory 300M --quiet >q.out 2>&1 && ok || fail "samples on Slurm: $(tail -n 3 q.out)"
sampled p.db >p.csv
sampled q.db | cmp -s - p.csv && ok || fail "samples on Slurm differ: $(sampled q.db)"
[ -z "$(ls q.db.work/passes q.db.work/inbox q.db.work/tasks | grep -v ':$')" ] && ok || fail "q.db.work: $(ls q.db.work/*)"

# The sweep is killed when it has submitted all and nothing has begun, since its partition starts none; what is queued goes on
# without it, and the next one waits for that instead of submitting it again.
before=$(jobs_of)
scontrol update partitionname=batch state=down || fail "the partition does not close"
slurm c.db --jobs 50 >c.out 2>&1 & pid=$!
for _ in $(seq 600); do
	[ $(($(jobs_of) - before)) -lt 24 ] || break
	sleep 0.05
done
kill -KILL $pid; wait $pid 2>/dev/null
[ -z "$(ls c.db.work/inbox)" ] && ok || fail "something has run in a partition that is down"
scontrol update partitionname=batch state=up || fail "the partition does not open"
for _ in $(seq 600); do # a controller that is busy, or has just lost a node, takes its time
	[ -z "$(ls c.db.work/inbox)" ] || break
	sleep 0.2
done
[ -n "$(ls c.db.work/inbox)" ] && ok || fail "nothing arrives without the sweep"
(slurm c.db --jobs 50 >c.out 2>&1) && ok || fail "status $? after a kill: $(tail -n 3 c.out)"
same c.db
[ $(($(jobs_of) - before)) = 24 ] && ok || fail "$(($(jobs_of) - before)) jobs for 24 runs"

# The controller is lost and comes back. It may count jobs from an earlier number on and drain nodes that have one of that number
# still; such nodes wait for their administrator.
administrator() { # PID: while it runs
	while kill -0 "$1" 2>/dev/null; do
		[ -z "$(sinfo -h -t drain -o %n 2>/dev/null)" ] || scontrol update nodename=n1,n2 state=resume 2>/dev/null
		sleep 2
	done
}
slurm d.db --jobs 6 >d.out 2>&1 & pid=$!
some d.db 2
"$cluster" kill "$dir/slurm" slurmctld
sleep 5
"$cluster" revive "$dir/slurm" slurmctld
administrator $pid &
wait $pid && ok || fail "status $? with the controller lost: $(tail -n 3 d.out)"
same d.db

# An interrupt takes its jobs out of the queue. A controller that was lost may queue jobs of sweeps before it again, whose
# end it had not written down: those are no matter of this sweep.
names() { squeue -h -r -o %j | sort -u; }
names >older
slurm e.db --jobs 50 >e.out 2>&1 & pid=$!
some e.db 2
kill -TERM $pid; wait $pid
[ $? = 130 ] && ok || fail "not interrupted: $(cat e.out)"
[ -z "$(names | comm -13 older -)" ] && ok || fail "jobs are left: $(squeue -h)"

# Programs that fail say why, with Slurm as without; wrong options are refused before anything is submitted.
sed 's/^__global__/#define cudaMalloc(p, n) (puts("T: FAIL, no"), exit(1))\n&/' suite/T/T.cu >suite/T/U.cu
printf 'Bad\tadds\tT/U.cu\t-\tadd 1x32\ta\tb\tc\thws\tnothing\t-\n' >>suite/suite.tsv
printf '[sweep]\nmachine = hws\nworkload = Bad\n' >f.ini
"$H" sweep f.ini --store f.db --on slurm --retries 0 >f.out 2>&1
[ $? = 1 ] && grep -q 'status 1: T: FAIL, no' f.out && ok || fail "a failing program: $(cat f.out)"
(slurm x.db --partition nonsense >x.out 2>&1) && fail "a wrong partition" || { grep -q 'partition' x.out && ok || fail "$(cat x.out)"; }
(PATH=/nonexistent slurm x.db >x.out 2>&1) && fail "no sbatch" || { grep -q 'command sbatch was not found' x.out && ok || fail "$(cat x.out)"; }
"$H" sweep s.ini --store x.db --on cloud 2>&1 | grep -q 'expected local or slurm' && ok || fail "--on cloud"
"$H" sweep s.ini --store x.db --time 5 2>&1 | grep -q 'need --on slurm' && ok || fail "--time without a cluster"
echo "$good good, $bad bad"
[ $bad = 0 ]
