# Energies by hand: awk [-v run=J -v time=S] [-v window=CYCLES] -f energy.awk COEFFICIENTS STATISTICS.csv SAMPLES.csv
# COEFFICIENTS is what `heddle power MACHINE` prints, the others what --stats and --sample wrote. Nothing of Heddle
# computes here, `run` and `time` are what it says of the run as a whole: each launch's energy is the sum of printed coefficients times counters, and every way to add
# energies up has the same total. `window` is given where samples are as long as the windows of power.peak and power.least.
BEGIN { FS = "," }

function differ(a, b, limit) { d = a - b; if (d < 0) d = -d; m = b < 0 ? -b : b; return d > limit * m + 1e-25 }
function check(what, a, b, limit) {
	checks++
	if (differ(a, b, limit)) {
		printf "launch %s, %s: %.15g and %.15g\n", launch, what, a, b
		bad = 1
	}
}

# component event energy pJ x inst.counter ... or W x seconds
FILENAME == ARGV[1] {
	if (/^#/ || /^component/) next
	split($0, w, /  */)
	n++
	comp[n] = w[1]; event[n] = w[2]; joule[n] = w[3]; unit[n] = w[4]; counter[n] = w[6]
	next
}

# launch,kernel,component,index,statistic,bucket,value,unit
FILENAME == ARGV[2] {
	if (FNR == 1) next
	if ($1 > last) last = $1
	if ($4 == -1) {
		sum[$1, $3, $5] += $7
		slot[$1, $3, $5, $6] = $7
		if ($3 == "energy") energy[$1, $5] = $7
	} else if ($3 ~ /^energy_/) {
		part[$1, $3, $5] += $7
	} else if ($3 == "sm" || $3 == "dram") {
		# What an instance's cycles are made of, less its cycles: nothing is left.
		if ($5 ~ /^(busy|idle|open|closed)_cycles$/) left[$1, $3, $4] += $7
		if ($5 == "cycles") left[$1, $3, $4] -= $7
	}
	next
}

# launch,kernel,from,to,sm,...,w_total: rows of the whole GPU are named, those of SMs numbered. Launches that were
# handed over together are one series: it begins in cycle 0 and has the number of its first launch.
FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
$5 !~ /^[0-9]+$/ {
	if ($3 == 0) s = $1
	rows[s]++
	length_of[s, rows[s]] = $4 - $3
	watts[s, rows[s]] = $column["w_total"]
	if ($3 != span[s] + 0) { print "series " s ": a row from " $3 " on follows one to " span[s] + 0; bad = 1 }
	span[s] = $4
	for (c in column)
		if (c ~ /^w_/) sampled[s, substr(c, 3)] += $(column[c]) * ($4 - $3)
}

# The windows of series s, one launch's: what is left at its end belongs to the last of them.
function windows(s, l,   n, k, w, most, least) {
	n = rows[s]
	if (n > 1 && length_of[s, n] < window) {
		watts[s, n - 1] = (watts[s, n - 1] * length_of[s, n - 1] + watts[s, n] * length_of[s, n]) / (length_of[s, n - 1] + length_of[s, n])
		n--
	}
	for (k = 1; k <= n; k++) {
		w = watts[s, k]
		if (k == 1 || w > most) most = w
		if (k == 1 || w < least) least = w
	}
	check("most of the windows", sum[l, "power", "peak"], most, 1e-9)
	check("least of the windows", sum[l, "power", "least"], least, 1e-9)
}

# Most that the GPU takes between launches, while its SMs rest: what goes with time. By some models (GPUWattch's) an SM that rests takes more than a busy one.
function at_rest(l,   k, w) {
	for (k = 1; k <= n; k++)
		if (unit[k] == "W") w += joule[k]
		else if (counter[k] == "sm.cycles" || counter[k] == "sm.idle_cycles") w += joule[k] * 1e-12 * sum[l, "sm", "cycles"] / energy[l, "seconds"]
		else if (counter[k] ~ /^dram\.(open_|closed_|idle_)?cycles$/) w += joule[k] * 1e-12 * sum[l, "dram", "cycles"] / energy[l, "seconds"]
	return w
}

# Series s has the launches from `first` on that fit into it. One launch: to the last digit; several have some
# cycles between them, which belong to none.
function series(s, first,   l, cycles, total, hz, k, w, gap, most) {
	most = at_rest(first)
	for (l = first; l <= last && cycles + sum[l, "launch", "cycles"] <= span[s]; l++) {
		cycles += sum[l, "launch", "cycles"]
		total += energy[l, "total"]
		if (sum[l, "power", "peak"] > most) most = sum[l, "power", "peak"]
	}
	launch = first
	hz = sum[first, "launch", "cycles"] / energy[first, "seconds"]
	gap = span[s] - cycles
	if (l == first + 1 && !gap) {
		if (window) windows(s, first)
		for (k in sampled) {
			split(k, w, SUBSEP)
			if (w[1] == s) check("samples of " w[2], sampled[k] / hz, energy[first, w[2]], 1e-9)
		}
	} else if (l > first) {
		between = sampled[s, "total"] / hz - total
		check("samples of launches " first " to " l - 1, between >= -1e-9 * total && between <= gap / hz * most + 1e-9 * total, 1, 0)
	} else
		check("a series without a launch", 0, 1, 0)
	return l
}

function count(l, name,   dot, inst, k, s, rest, sign, one, p) {
	if (name == "seconds") return energy[l, "seconds"]
	if (match(name, /\[[0-9]+\]$/)) {
		k = substr(name, RSTART + 1, RLENGTH - 2)
		name = substr(name, 1, RSTART - 1)
	} else k = -1
	dot = index(name, ".")
	inst = substr(name, 1, dot - 1)
	rest = substr(name, dot + 1)
	for (sign = 1; rest != ""; ) {
		p = match(rest, /[-+]/)
		one = p ? substr(rest, 1, p - 1) : rest
		s += sign * (k >= 0 ? slot[l, inst, one, k] : sum[l, inst, one])
		sign = p && substr(rest, p, 1) == "-" ? -1 : 1
		rest = p ? substr(rest, p + 1) : ""
	}
	return s
}

END {
	for (launch = 0; launch <= last; launch++) {
		total = energy[launch, "total"]
		if (!(total > 0)) { print "launch " launch " has no energy"; bad = 1; continue }
		hand = 0
		split("", of)
		for (i = 1; i <= n; i++) {
			e = joule[i] * (unit[i] == "pJ" ? 1e-12 : 1) * count(launch, counter[i])
			hand += e
			of[comp[i]] += e
		}
		check("coefficients x counters", hand, total, 1e-9)
		parts = classes = timed = 0
		for (k in energy) {
			split(k, w, SUBSEP)
			if (w[1] != launch) continue
			if (w[2] ~ /\.(dynamic|static)$/) parts += energy[k]
			if (w[2] ~ /\.static$/) timed += energy[k]
			if (w[2] ~ /^class\./) classes += energy[k]
		}
		for (c in of) check("component " c, of[c], energy[launch, c], 1e-9)
		for (k in part) {
			split(k, w, SUBSEP)
			if (w[1] == launch && w[3] != "total") check("instances of " w[3], part[k], energy[launch, w[3]], 1e-9)
		}
		for (k in left) {
			split(k, w, SUBSEP)
			if (w[1] == launch) check("states of " w[2] "." w[3], left[k], 0, 0)
		}
		check("components", parts, total, 1e-9)
		check("static", timed, energy[launch, "static"], 1e-9)
		check("dynamic", total - timed, energy[launch, "dynamic"], 1e-9)
		check("time's share", energy[launch, "time_share"] * total, timed, 1e-9)
		check("classes", classes, total, 1e-9)
		check("SMs", part[launch, "energy_sm", "total"], sum[launch, "energy_sm", "total"], 1e-9)
		check("instances", part[launch, "energy_sm", "total"] + part[launch, "energy_slice", "total"] + part[launch, "energy_channel", "total"] + \
			energy[launch, "noc"] + energy[launch, "dispatch"] + energy[launch, "other"] + energy[launch, "constant"], total, 1e-9)
		check("P x t", sum[launch, "power", "mean"] * energy[launch, "seconds"], total, 1e-9)
		check("E x t", energy[launch, "edp"], total * energy[launch, "seconds"], 1e-9)
		check("E x t x t", energy[launch, "ed2p"], total * energy[launch, "seconds"] * energy[launch, "seconds"], 1e-9)
		mean = sum[launch, "power", "mean"]
		check("least, mean and peak", 0 < sum[launch, "power", "least"] && sum[launch, "power", "least"] <= mean * (1 + 1e-9) && mean <= sum[launch, "power", "peak"] * (1 + 1e-9), 1, 0)
		check("DRAM states", sum[launch, "dram", "open_cycles"] + sum[launch, "dram", "closed_cycles"] + \
			sum[launch, "dram", "idle_cycles"], sum[launch, "dram", "cycles"], 0)
		check("SM states", sum[launch, "sm", "busy_cycles"] + sum[launch, "sm", "idle_cycles"], sum[launch, "sm", "cycles"], 0)
		check("instructions by class", sum[launch, "sm", "ops"], sum[launch, "sm", "warp_instructions"], 0)
		check("threads by class", sum[launch, "sm", "op_threads"], sum[launch, "sm", "thread_instructions"], 0)
		together += sum[launch, "launch", "shared"]
		launches += total
	}
	# Launches that share the GPU have each other's energy too, and the run has it once: what the samples have, but for
	# the cycles between launches and the rest of a last window.
	launch = "all"
	if (run > 0 && !together) check("launches of the run", launches, run, 1e-9)
	if (run > 0) {
		for (s in span) {
			cycles += span[s]
			joules += sampled[s, "total"] * energy[0, "seconds"] / sum[0, "launch", "cycles"]
		}
		gap = cycles * energy[0, "seconds"] / sum[0, "launch", "cycles"] - time
		check("seconds of the run", time + gap / 2, time, 0.01)
		check("samples of the run", joules, run, 1e-9 + 3 * (gap < 0 ? -gap : gap) / time)
	}
	if (!together) {
		for (at = 0; at in span && (next_at = series(at, at)) > at;) at = next_at
		launch = "all"
		check("launches in series", at, last + 1, 0)
	}
	if (!checks) { print "nothing was checked"; bad = 1 }
	if (!bad) print checks " sums agree"
	exit bad
}
