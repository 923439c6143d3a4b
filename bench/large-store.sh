#!/bin/bash
# A store of very many runs: questions take less than a second, its page can be used in less than two.
#   RUNS=100000 FIGURES=60 SECONDS_QUERY=1 SECONDS_PAGE=2 bench/large-store.sh      (seconds of a processor; the page's, of three times the best)
# The runs are four real ones, multiplied with other seeds and figures that vary at random; the page's time is Chromium's own, from
# navigation to a table one can use.
cd "$(dirname "$0")/.." || exit 1
H=$(realpath "${B:-build}/heddle") runs=${RUNS:-100000} figures=${FIGURES:-60} dir=$(mktemp -d) bad=0 top=$PWD
trap 'rm -rf "$dir"' EXIT
skip() { echo "skipped: $*"; echo "0 passed, 0 failed, 1 skipped"; exit 77; }
fail() { bad=$((bad + 1)); echo "FAIL: $*"; }
command -v sqlite3 >/dev/null || skip "no sqlite3"
compgen -c clang++ >/dev/null || skip "no clang++"
export HEDDLE_CACHE=$dir/cache
cd "$dir" || exit 1
cat >app.cu <<'EOF'
__global__ void add(int *p) { for (int i = 0; i < 20; i++) p[threadIdx.x] += i * (threadIdx.x & 3); }
int main() { int *p; cudaMalloc(&p, 1024); add<<<4, 64>>>(p); return cudaDeviceSynchronize() != cudaSuccess; }
EOF
"$H" cc app.cu -o app || exit 1
printf '[sweep]\nmachine = hws\nprogram = ./app\nsm.divergence = pdom, dwf\nsm.scheduler = lrr, gto\nseries = 20\n' >s.ini
"$H" sweep s.ini --store a.db --quiet >/dev/null || exit 1
sqlite3 a.db "
CREATE TEMP TABLE n AS WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < $runs / 4 - 1) SELECT i FROM k;
CREATE TEMP TABLE four AS SELECT id FROM runs;
DELETE FROM figures WHERE name NOT IN (SELECT id FROM names WHERE name = 'cycles' UNION SELECT * FROM (SELECT name FROM figures GROUP BY name HAVING max(value) > 0 LIMIT $figures - 1));
INSERT INTO runs(id, key, study, program, machine, size, seed, repetition, heddle, simulator, wall_seconds, cpu_seconds, host, config)
	SELECT r.id + 4 * i, r.key || i, r.study, 'P' || (i % 35), r.machine, r.size, i, 1, r.heddle, r.simulator, r.wall_seconds, r.cpu_seconds, r.host, r.config FROM n JOIN runs r;
INSERT INTO figures SELECT f.name, f.run + 4 * i, round(f.value * (1 + (random() & 1023) / 1024.0), 3) FROM (SELECT * FROM figures ORDER BY name, run) f JOIN n;
INSERT INTO axes SELECT a.name, a.run + 4 * i, CASE WHEN m.name = 'seed' THEN i WHEN m.name = 'program' THEN 'P' || (i % 35) ELSE a.value END FROM axes a JOIN names m ON m.id = a.name JOIN n;" || exit 1
echo "$(sqlite3 a.db 'SELECT count(*) FROM runs') runs, $(sqlite3 a.db 'SELECT count(*) FROM figures') figures, $(($(stat -c %s a.db) >> 20)) MB"

TIMEFORMAT='%R %U %S'
ask() {
	{ time "$H" results --store a.db "$@" >out 2>err; } 2>times || fail "results $*: $(cat err)"
	read -r wall user system <times
	awk -v n="$(wc -l <out)" -v w="$wall" -v c="$user" -v s="$system" -v a="$*" 'BEGIN { printf "%5.2f s (%.2f of a processor), %6d lines: results %s\n", w, c + s, n, a }'
	awk -v c="$user" -v s="$system" -v most="${SECONDS_QUERY:-1}" 'BEGIN { exit !(c + s > most) }' && fail "results $*: $user + $system s"
}
ask --group program --pivot sm.scheduler
ask --where 'program = P7 and sm.divergence = dwf and cycles < 100000' --order -cycles --limit 20
ask --group sm.divergence,sm.scheduler --values cycles,warp_instructions --with max
ask --columns program,seed,cycles
"$H" explore a.db -o page.html || fail "no page"

cat >watch.js <<'EOF'
<script>new MutationObserver(() => requestAnimationFrame(() => { document.title = '= usable after ' + Math.round(performance.now()) + ' ms, rows ' + document.querySelectorAll('tr[data-run]').length; })).observe(document.body, {attributes: true});</script>
EOF
sed -e '/<header>/r watch.js' page.html >watched.html
best=
for _ in 1 2 3; do # others may use the computer
	title=$("$top/tests/browser" watched.html)
	[ $? != 77 ] || skip "no Chromium"
	ms=${title#usable after }
	ms=${ms%% *}
	[ -z "$ms" ] || [ "${best:-$ms}" -lt "$ms" ] || best=$ms
done
echo "page of $(($(stat -c %s page.html) >> 10)) kB: usable after ${best:-too many} ms, rows ${title##* }"
[ -n "$best" ] && [ "$best" -lt $((${SECONDS_PAGE:-2} * 1000)) ] || fail "the page takes ${best:-too many} ms"
[ "${title##* }" -gt 10 ] 2>/dev/null || fail "no rows: $title"
echo "$((bad == 0)) passed, $bad failed"
[ $bad = 0 ]
