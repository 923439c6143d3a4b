#!/bin/bash
# A sweep of many short runs, killed with everything it started at random times, ends with the same store as an undisturbed
# one, figure by figure; so do two sweeps into one store at once. What the runner itself costs is measured.
#   RUNS=500 KILLS=5 SEED=1 tests/sweeps.sh
cd "$(dirname "$0")/.." || exit 1
H=$(realpath "${B:-build}/heddle") runs=${RUNS:-500} kills=${KILLS:-5} dir=$(mktemp -d) bad=0
RANDOM=${SEED:-1}
trap 'rm -rf "$dir"' EXIT
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
left() { find "$1.work/inbox" "$1.work/tasks" -type f | wc -l; }

TIMEFORMAT='%U %S'
{ time "$H" sweep s.ini --store a.db --jobs 2 --quiet >out 2>&1; } 2>times || fail "undisturbed: $(tail -n 1 out)"
n=$(sqlite3 a.db 'SELECT count(*) FROM runs')
[ "$n" = "$runs" ] || fail "$n of $runs runs"
own=$(sqlite3 a.db 'SELECT sum(cpu_seconds) FROM runs')
awk -v own="$own" -v runs="$runs" '{ printf "%d runs of %.3f s: the runner takes %.1f %% more\n", runs, own / runs, ($1 + $2 - own) / own * 100 }' times
all a.db >a.txt

for k in $(seq "$kills"); do
	before=$( [ -f b.db ] && sqlite3 b.db 'SELECT count(*) FROM runs' || echo 0)
	setsid "$H" sweep s.ini --store b.db --jobs 2 --quiet >out 2>&1 & pid=$!
	want=$((before + 1 + RANDOM % (runs / kills)))
	while kill -0 $pid 2>/dev/null && [ "$(sqlite3 b.db 'SELECT count(*) FROM runs' 2>/dev/null || echo 0)" -lt "$want" ]; do
		sleep "0.0$((RANDOM % 9 + 1))"
	done
	pkill -KILL -s $pid
	wait $pid
done 2>/dev/null
[ "$(sqlite3 b.db 'SELECT count(*) FROM runs')" -lt "$runs" ] || fail "it was over before the last kill"
"$H" sweep s.ini --store b.db --jobs 2 --quiet >out 2>&1 || fail "after the kills: $(tail -n 1 out)"
all b.db | cmp - a.txt || fail "the store differs after $kills kills"
[ "$(left b.db)" = 0 ] || fail "$(left b.db) files are left"

"$H" sweep s.ini --store c.db --jobs 1 --quiet >out 2>&1 & pid=$!
"$H" sweep s.ini --store c.db --jobs 1 --quiet >out2 2>&1 || fail "one of two: $(tail -n 1 out2)"
wait $pid || fail "the other of two: $(tail -n 1 out)"
all c.db | cmp - a.txt || fail "the store differs after two sweeps at once"
[ $bad = 0 ] && echo "$runs runs, $kills kills, two at once: the same store"
echo "$((bad == 0)) passed, $bad failed"
[ $bad = 0 ]
