#!/bin/bash
# A sweep of many short runs, killed with everything it started at random times, ends with the same store as an undisturbed
# one, figure by figure; so do two sweeps into one store at once, and one on Slurm that loses a node and later the other.
# What the runner itself costs is measured.
#   RUNS=500 KILLS=5 SEED=1 tests/sweeps.sh [local|slurm]      only these (default both)
cd "$(dirname "$0")/.." || exit 1
H=$(realpath "${B:-build}/heddle") runs=${RUNS:-500} kills=${KILLS:-5} dir=$(mktemp -d) bad=0
RANDOM=${SEED:-1}
cluster=$PWD/tests/slurm/cluster only=${1:-}
trap '"$cluster" stop "$dir/slurm"; rm -rf "$dir"' EXIT
export HEDDLE_CACHE=$dir/cache
skip() { echo "skipped: $*"; echo "0 passed, 0 failed, 1 skipped"; exit 77; }
fail() { bad=$((bad + 1)); echo "FAIL: $*"; }
compgen -c clang++ >/dev/null || skip "no clang++"
cd "$dir" || exit 1
cat >app.cu <<'EOF'
#include <cstdlib>
__global__ void add(int *p, int n) { for (int i = 0; i < n; i++) p[threadIdx.x + blockIdx.x * 256] += i * (threadIdx.x & 3); }
int main(int argc, char **argv)
{
	int *p;
	cudaMalloc(&p, 1 << 20);
	cudaMemset(p, 0, 1 << 20);
	add<<<64, 256>>>(p, atoi(argv[1]));
	return cudaDeviceSynchronize() != cudaSuccess;
}
EOF
"$H" cc app.cu -o app || exit 1
cat >s.ini <<EOF
[sweep]
machine = hws
program = ./app {n}
arg.n = 1..$((runs / 2))
sm.divergence = pdom, dwf
EOF
runs=$((runs / 2 * 2))
# Everything of a store but times, computers and numbers of rows.
all() {
	sqlite3 "$1" "SELECT r.key, r.study, r.program, r.machine, r.size, r.seed, r.repetition, c.text FROM runs r JOIN configs c ON c.id = r.config ORDER BY r.key;
		SELECT r.key, n.name, f.value FROM figures f JOIN names n ON n.id = f.name JOIN runs r ON r.id = f.run ORDER BY r.key, n.name;
		SELECT r.key, n.name, f.value FROM axes f JOIN names n ON n.id = f.name JOIN runs r ON r.id = f.run ORDER BY r.key, n.name;
		SELECT * FROM failures;"
}
command -v sqlite3 >/dev/null || skip "no sqlite3"
count() { [ -f "$1" ] && sqlite3 "$1" 'SELECT count(*) FROM runs' 2>/dev/null || echo 0; }
left() { find "$1.work/inbox" "$1.work/tasks" -type f | wc -l; }

TIMEFORMAT='%U %S'
{ time "$H" sweep s.ini --store a.db --jobs 2 --quiet >out 2>&1; } 2>times || fail "undisturbed: $(tail -n 1 out)"
[ "$(count a.db)" = "$runs" ] || fail "$(count a.db) of $runs runs"
own=$(sqlite3 a.db 'SELECT sum(cpu_seconds) FROM runs')
awk -v own="$own" -v runs="$runs" '{ printf "%d runs of %.3f s: the runner takes %.1f %% more\n", runs, own / runs, ($1 + $2 - own) / own * 100 }' times
all a.db >a.txt

same() { # STORE WHAT: has it what a.db has, and is nothing left beside it?
	all "$1" | cmp - a.txt || fail "the store differs after $2"
	[ "$(left "$1")" = 0 ] || fail "$(left "$1") files are left after $2"
}

killed() {
	for k in $(seq "$kills"); do
		before=$(count b.db)
		setsid "$H" sweep s.ini --store b.db --jobs 2 --quiet >out 2>&1 & pid=$!
		want=$((before + 1 + RANDOM % (runs / kills)))
		while kill -0 $pid 2>/dev/null && [ "$(count b.db)" -lt "$want" ]; do
			sleep "0.0$((RANDOM % 9 + 1))"
		done
		pkill -KILL -s $pid
		wait $pid
	done 2>/dev/null
	[ "$(count b.db)" -lt "$runs" ] || fail "it was over before the last kill"
	"$H" sweep s.ini --store b.db --jobs 2 --quiet >out 2>&1 || fail "after the kills: $(tail -n 1 out)"
	same b.db "$kills kills"
}

two_at_once() {
	"$H" sweep s.ini --store c.db --jobs 1 --quiet >out 2>&1 & pid=$!
	"$H" sweep s.ini --store c.db --jobs 1 --quiet >out2 2>&1 || fail "one of two: $(tail -n 1 out2)"
	wait $pid || fail "the other of two: $(tail -n 1 out)"
	same c.db "two sweeps at once"
}

# A node loses its power with what it runs, comes back, and then the other one does.
lose_node() { # NODE RUNS: when the store has so many runs
	while kill -0 $pid 2>/dev/null && [ "$(count d.db)" -lt "$2" ]; do
		sleep 0.3
	done
	"$cluster" kill "$dir/slurm" "$1"
	echo "$1 is lost after $(count d.db) runs"
	sleep 20
	kill -0 $pid 2>/dev/null || fail "it was over when $1 was lost"
	"$cluster" revive "$dir/slurm" "$1"
}
on_slurm() {
	"$cluster" start "$dir/slurm" >out || { cat out; skipped=1; return; }
	export SLURM_CONF=$dir/slurm/slurm.conf
	"$H" sweep s.ini --store d.db --on slurm --partition batch --memory 300M --jobs 150 --quiet >out 2>&1 & pid=$!
	lose_node n1 $((runs / 10 + RANDOM % (runs / 4)))
	lose_node n2 $((runs / 2 + RANDOM % (runs / 4)))
	wait $pid || fail "on Slurm: $(tail -n 3 out)"
	same d.db "two lost nodes"
}

skipped=0
[ "$only" = slurm ] || { killed; two_at_once; }
[ "$only" = local ] || on_slurm
[ $bad = 0 ] && echo "$runs runs, ${only:-kills, two at once, lost nodes}: the same store"
echo "$((bad == 0 && skipped == 0)) passed, $bad failed, $skipped skipped"
[ $bad = 0 ]
