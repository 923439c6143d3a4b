/* One run and two runs: what they are, issue slots by cause, energy by component, the memory system with its traffic, time series,
 * source lines, and what differs most. */
const sums = new Set(['total', 'dynamic', 'static', 'seconds', 'edp', 'ed2p', 'time_share', 'time_share_unclocked', 'mean', 'mean_watts', 'peak', 'least']);
const value = (name, i) => col[name] ? at(col[name], i) : null;
const card = (title, ...inside) => el('section', {}, el('h2', {}, title), ...inside);
const half = () => Math.min(560, room());

/* ---- parts of a whole ---- */
function parts(prefix, i) { /* without sums and what parts are made of, "rf.static" */
	return figures.filter(c => c.name.startsWith(prefix + '.')).map(c => ({n: c.name.slice(prefix.length + 1), v: at(c, i)})).filter(p => p.v > 0 && !p.n.includes('.') && !sums.has(p.n));
}
function stacks(title, prefix, runs, unit) {
	const lists = runs.map(i => parts(prefix, i)), total = new Map();
	for (const l of lists) for (const p of l) total.set(p.n, Math.max(p.v, total.get(p.n) || 0));
	const keys = [...total.keys()].sort((a, b) => total.get(b) - total.get(a)), all = lists.map(l => d3.sum(l, p => p.v));
	if (!keys.length) return null;
	const w = half(), rowH = 34, svg = picture(w, 8 + runs.length * rowH, title), x = d3.scale.linear().domain([0, d3.max(all)]).range([0, w - 70]);
	lists.forEach((l, r) => {
		const by = new Map(l.map(p => [p.n, p.v]));
		let from = 0;
		svg.append('text').attr({x: 0, y: 24 + r * rowH}).text('run ' + runs[r]);
		keys.forEach((k, n) => {
			const v = by.get(k) || 0;
			if (!v) return;
			svg.append('rect').attr({x: 62 + x(from), y: 6 + r * rowH, width: Math.max(0.5, x(v)), height: 26, fill: colour(n), opacity: faint(n)}).append('title').text(k + ': ' + show(v) + ' ' + unit + ', ' + (100 * v / all[r]).toFixed(1) + ' %' + (helpOf(prefix + '.' + k) ? ': ' + helpOf(prefix + '.' + k) : ''));
			from += v;
		});
	});
	const share = (k, r) => { const p = lists[r].find(q => q.n === k); return p ? p.v : 0; };
	const t = el('table', {}, el('tr', {}, el('th', {}, ''), el('th', {}, title.split(' by ')[1] || ''), ...runs.flatMap(i => [el('th', {class: 'n'}, D.row + ' ' + i + ', ' + unit), el('th', {class: 'n'}, '%')]), runs.length > 1 ? el('th', {class: 'n'}, 'change, %') : null, el('th', {}, 'meaning')),
		...keys.filter(k => runs.some((i, r) => share(k, r) >= all[r] * 0.002)).map(k => {
			const n = keys.indexOf(k), d = runs.length > 1 ? 100 * (share(k, 1) - share(k, 0)) / (all[0] || 1) : 0;
			return el('tr', {}, el('td', {}, el('span', {style: 'display:inline-block;width:.8rem;height:.8rem;background:' + colour(n) + ';opacity:' + faint(n)})), el('td', {}, k),
				...runs.flatMap((i, r) => [el('td', {class: 'n'}, show(share(k, r))), el('td', {class: 'n'}, (100 * share(k, r) / (all[r] || 1)).toFixed(1))]),
				runs.length > 1 ? el('td', {class: 'n ' + (d >= 0.05 ? 'up' : d <= -0.05 ? 'down' : '')}, Math.abs(d) < 0.05 ? '0.0' : (d > 0 ? '+' : '') + d.toFixed(1)) : null, el('td', {class: 'soft'}, helpOf(prefix + '.' + k)));
		}));
	return card(title, svg.node(), el('div', {class: 'scroll'}, t), runs.length > 1 ? el('p', {class: 'soft'}, 'Change: of the first run\'s total.') : null);
}
function describe(runs) {
	const list = axes.filter(c => !['host', 'study', 'wall_seconds'].includes(c.name)).map(c => [c.name, runs.map(i => at(c, i))]).concat(figures.filter(c => c.name === 'cycles' || c.name === 'energy.total').map(c => [c.name, runs.map(i => at(c, i))]));
	return el('div', {class: 'scroll'}, el('table', {id: 'described'}, ...(runs.length > 1 ? [el('tr', {}, el('th', {}, ''), ...runs.map(i => el('th', {}, 'run ' + i)))] : []),
		...list.map(([n, v]) => el('tr', {}, el('th', {scope: 'row'}, n), ...v.map(x => el('td', {class: v.length > 1 && v[0] !== v[1] ? 'up' : ''}, show(x)))))));
}

/* ---- the memory system: layers, and the traffic between them ---- */
function map(i, d) {
	const w = Math.min(760, room()), has = n => value(n, i) !== null, v = n => value(n, i) || 0, layers = [], spread = d && d.spread || {};
	const rate = (a, b) => v(b) ? (100 * v(a) / v(b)).toFixed(1) + ' %' : '';
	layers.push({boxes: [['SMs', show(value('warp_instructions', i)) + ' warp instructions', 'sm.warp_instructions', 'warp instructions']]});
	const firsts = [['shared memory', 'sm.shared_accesses', null], ['L1 data', 'l1d.accesses', 'l1d.misses'], ['L1 constant', 'l1c.accesses', 'l1c.misses'], ['L1 texture', 'l1t.accesses', 'l1t.misses']].filter(p => v(p[1]));
	if (firsts.length) layers.push({flow: firsts.map(p => [v(p[1]), '']), boxes: firsts.map(p => [p[0], show(v(p[1])) + (p[2] && has(p[2]) ? ', ' + rate(p[2], p[1]) + ' missed' : ''), p[1] === 'l1d.accesses' ? 'l1d.accesses' : null, 'accesses'])});
	if (v('icnt.request_flits')) layers.push({flow: [[v('icnt.request_flits'), show(v('icnt.request_flits')) + ' flits down'], [v('icnt.reply_flits'), show(v('icnt.reply_flits')) + ' flits up']], boxes: [['interconnect', '', null]]});
	if (v('l2.accesses')) layers.push({flow: [[v('slice.read_bytes') || v('l2.accesses'), has('slice.read_bytes') ? show(v('slice.read_bytes')) + ' B read' : ''], [v('slice.write_bytes'), has('slice.write_bytes') ? show(v('slice.write_bytes')) + ' B written' : '']],
		boxes: [['L2 slices', show(v('l2.accesses')) + ' accesses' + (has('l2.misses') ? ', ' + rate('l2.misses', 'l2.accesses') + ' missed' : ''), 'l2.accesses', 'accesses']]});
	if (v('dram.reads') || v('dram.writes')) layers.push({flow: [[v('dram.reads'), show(v('dram.reads')) + ' reads'], [v('dram.writes'), show(v('dram.writes')) + ' writes']], boxes: [['DRAM channels', has('dram.row_hits') ? rate('dram.row_hits', 'dram.row_hits') && (100 * v('dram.row_hits') / Math.max(1, v('dram.reads') + v('dram.writes'))).toFixed(1) + ' % row hits' : '', 'dram.read_bursts', 'read bursts']]});
	if (layers.length < 2) return card('Memory system', el('p', {class: 'soft'}, 'The page has no figures of it.'));
	const boxH = 52, gap = 34, svg = picture(w, layers.length * boxH + (layers.length - 1) * gap + 8, 'memory system');
	layers.forEach((l, k) => {
		const y = 4 + k * (boxH + gap), n = l.boxes.length, bw = (w - 8 - (n - 1) * 8) / n, most = l.flow && d3.max(l.flow, f => f[0]) || 1;
		(l.flow || []).forEach((f, e) => {
			const x = l.flow.length === n ? 4 + e * (bw + 8) + bw / 2 : w * (e ? 0.62 : 0.22);
			if (f[0]) svg.append('line').attr({class: 'flow', x1: x, x2: x, y1: y - gap, y2: y, 'stroke-width': 1 + 11 * f[0] / most, opacity: 0.7}).append('title').text(f[1] || show(f[0]));
			if (f[1]) svg.append('text').attr({x: x + 10, y: y - gap / 2 + 4, class: 'soft'}).text(f[1]);
		});
		l.boxes.forEach((b, e) => {
			const x = 4 + e * (bw + 8), list = b[2] && spread[b[2]], fit = t => { while (t.length > 3 && long(t) > bw - 16) t = cut(t, t.length - 1); return t; };
			svg.append('rect').attr({class: 'box', x, y, width: bw, height: boxH, rx: 6}).append('title').text(b[0] + ': ' + b[1]);
			svg.append('text').attr({x: x + 8, y: y + 17, class: 'head'}).text(fit(b[0] + (list && n === 1 ? ' (' + list.length + ')' : '')));
			if (n === 1) svg.append('text').attr({x: x + bw - 8, y: y + 17, 'text-anchor': 'end'}).text(b[1]);
			else svg.append('text').attr({x: x + 8, y: y + (list ? 31 : 36)}).text(fit(b[1]));
			if (!list) return;
			const cell = (bw - 16) / list.length, top = d3.max(list) || 1, h = n === 1 ? 22 : 12;
			list.forEach((q, c) => svg.append('rect').attr({x: x + 8 + c * cell, y: y + boxH - h - 6, width: Math.max(1, cell - (cell > 4 ? 1 : 0)), height: h, fill: d3.interpolateLab('#d8e4f0', '#08519c')(q / top)}).append('title').text(b[0] + ' ' + c + ': ' + show(q) + ' ' + b[3]));
		});
	});
	return card('Memory system', svg.node(), Object.keys(spread).length ? el('p', {class: 'soft'}, 'Cells: each SM, slice and channel, the darker the more; lines: the wider the more.') : null);
}

/* ---- over time ---- */
function column(s, name) { const k = s.columns.indexOf(name); return k < 0 ? null : s.rows.map(r => r[k]); }
/* Lines of several lists, or areas one on the other; lists: [{n, v, end}] */
function course(title, unit, lists, stacked) {
	lists = lists.filter(l => l.v && l.v.some(x => x));
	if (!lists.length) return null;
	const end = d3.max(lists, l => l.end[l.end.length - 1]), tops = stacked ? lists[0].v.map((_, k) => d3.sum(lists, l => l.v[k])) : lists.flatMap(l => l.v), y = d3.scale.linear().domain([0, stacked === 'share' ? 100 : d3.max(tops)]).range([150, 0]);
	const f = frame(half(), 150, {label: 'cycles', ticks: []}, {label: title + (unit ? ', ' + unit : ''), ticks: ticksOf(y)}, lists.map(l => l.n)), x = d3.scale.linear().domain([0, end]).range([0, f.w]);
	axis(f, x, y);
	const base = lists[0].v.map(() => 0);
	lists.forEach((l, n) => {
		const from = k => k ? l.end[k - 1] : 0, pts = [];
		l.v.forEach((v, k) => { const of = stacked === 'share' ? 100 / (tops[k] || 1) : 1, lo = stacked ? base[k] : 0, hi = lo + v * of; pts.push({x: from(k), lo, hi}, {x: l.end[k], lo, hi}); if (stacked) base[k] = hi; });
		const shape = stacked ? d3.svg.area().x(p => x(p.x)).y0(p => y(p.lo)).y1(p => y(p.hi)) : d3.svg.line().x(p => x(p.x)).y(p => y(p.hi));
		f.g.append('path').attr(stacked ? {d: shape(pts), fill: colour(n), opacity: faint(n)} : {d: shape(pts), fill: 'none', stroke: colour(n), opacity: faint(n), 'stroke-width': 1.6}).append('title').text(l.n);
	});
	return el('section', {class: 'course'}, f.svg.node());
}
function largest(lists, n) {
	const s = lists.map(l => ({l, t: d3.sum(l.v)})).filter(p => p.t > 0).sort((a, b) => b.t - a.t);
	const rest = s.slice(n);
	return s.slice(0, n).map(p => p.l).concat(rest.length ? [{n: 'others', end: rest[0].l.end, v: rest[0].l.v.map((_, k) => d3.sum(rest, p => p.l.v[k]))}] : []);
}
function timeline(d) {
	const s = d && d.series;
	if (D.row === 'kernel') return null; /* a time series is of a whole run */
	if (!s || !s.end.length) return card('Over time', el('p', {class: 'soft'}, 'No time series was kept: series = 200 in [sweep] keeps one with each run.'));
	const list = (n, as) => ({n: as || n, v: column(s, n), end: s.end}), issue = s.columns.slice(s.columns.indexOf('ready_warps') + 1, s.columns.indexOf('l1d_accesses'));
	const cards = el('div', {class: 'cards', id: 'time'}), add = c => c && cards.append(c);
	add(course('Warps', 'of all SMs', [list('resident_warps', 'resident'), list('ready_warps', 'ready to issue')]));
	add(course('Issue slots by cause', '%', largest(issue.map(n => list(n)), 11), 'share'));
	add(course('Power by component', 'W', largest(s.columns.filter(n => n.startsWith('w_')).map(n => list(n, n.slice(2))), 11), 'sum'));
	add(course('Thread instructions', 'a cycle', [list('ipc', 'all SMs')]));
	add(course('DRAM', 'GB/s', [list('dram_gb_s', 'read and written')]));
	const miss = c => ({n: c, end: s.end, v: (column(s, c + '_misses') || []).map((m, k) => { const a = column(s, c + '_accesses')[k]; return a ? 100 * m / a : 0; })});
	add(course('Misses', '% of accesses', ['l1d', 'l2'].map(miss).filter(l => l.v.length)));
	return el('section', {}, el('h2', {}, 'Over time'), cards);
}
function timelines(a, b, runs) {
	if (!a || !b || !a.series || !b.series) return null;
	const pair = n => [a, b].map((d, k) => ({n: 'run ' + runs[k], v: column(d.series, n), end: d.series.end})), watts = d => d.series.rows.map(r => d3.sum(r.filter((_, k) => d.series.columns[k].startsWith('w_'))));
	const cards = el('div', {class: 'cards', id: 'time'}), add = c => c && cards.append(c);
	add(course('Resident warps', 'of all SMs', pair('resident_warps')));
	add(course('Thread instructions', 'a cycle', pair('ipc')));
	add(course('Power', 'W', [a, b].map((d, k) => ({n: 'run ' + runs[k], v: watts(d), end: d.series.end}))));
	add(course('DRAM', 'GB/s', pair('dram_gb_s')));
	return el('section', {}, el('h2', {}, 'Over time'), cards);
}

/* ---- source lines ---- */
const lineKey = l => l.kernel + '\u0000' + l.file + '\u0000' + l.line;
const short = f => f.split('/').pop();
function lineTable(d) {
	if (!d || !d.lines || !d.lines.length) return null;
	const all = d3.sum(d.lines, l => l.stall), key = all ? 'stall' : 'issued', total = all || d3.sum(d.lines, l => l.issued) || 1;
	return card('Source lines by ' + (all ? 'cycles that warps waited' : 'warp instructions'), el('div', {class: 'scroll'}, el('table', {id: 'lines'}, el('tr', {}, ...['line', 'text'].map(t => el('th', {}, t)), ...[all ? 'waited, %' : '%', 'warp instructions', 'threads of a warp', 'transactions', 'J'].map(t => el('th', {class: 'n'}, t))),
		...d.lines.slice().sort((p, q) => q[key] - p[key] || q.issued - p.issued).slice(0, 25).map(l => el('tr', {}, el('td', {title: l.file + ', ' + l.kernel}, short(l.file) + ':' + l.line), el('td', {class: 'code', title: l.text}, l.text),
			el('td', {class: 'n part', style: '--part:' + (100 * l[key] / total).toFixed(0) + '%'}, (100 * l[key] / total).toFixed(1)), el('td', {class: 'n'}, show(l.issued)), el('td', {class: 'n'}, l.issued ? (l.lanes / l.issued).toFixed(1) : '–'), el('td', {class: 'n'}, show(l.transactions)), el('td', {class: 'n'}, l.joule.toExponential(2)))))));
}
function lineChanges(a, b, runs) {
	if (!a || !b || !a.lines || !b.lines) return null;
	const other = new Map(b.lines.map(l => [lineKey(l), l])), first = new Set(a.lines.map(lineKey)), zero = l => ({...l, issued: 0, lanes: 0, stall: 0, transactions: 0, joule: 0});
	const pairs = a.lines.map(l => [l, other.get(lineKey(l)) || zero(l)]).concat(b.lines.filter(l => !first.has(lineKey(l))).map(l => [zero(l), l]));
	const timed = pairs.some(([p, q]) => p.stall || q.stall), key = timed ? 'stall' : 'issued', list = pairs.filter(([p, q]) => p[key] !== q[key] || p.issued !== q.issued || p.transactions !== q.transactions);
	list.sort((p, q) => Math.abs(q[1][key] - q[0][key]) - Math.abs(p[1][key] - p[0][key]) || Math.abs(q[1].issued - q[0].issued) - Math.abs(p[1].issued - p[0].issued));
	const delta = (p, q, k) => { const d = q[k] - p[k]; return el('td', {class: 'n ' + (d > 0 ? 'up' : d < 0 ? 'down' : '')}, (d > 0 ? '+' : '') + (k === 'joule' ? d.toExponential(2) : show(d))); };
	return card('Source lines that changed most', list.length ? el('div', {class: 'scroll'}, el('table', {id: 'changed-lines'}, el('tr', {}, ...['line', 'text'].map(t => el('th', {}, t)), ...[timed ? 'waited, run ' + runs[0] : 'issued, run ' + runs[0], 'run ' + runs[1], 'change', 'warp instructions', 'transactions', 'J'].map(t => el('th', {class: 'n'}, t))),
		...list.slice(0, 25).map(([p, q]) => el('tr', {}, el('td', {title: p.file + ', ' + p.kernel}, short(p.file) + ':' + p.line), el('td', {class: 'code', title: p.text || q.text}, p.text || q.text), el('td', {class: 'n'}, show(p[key])), el('td', {class: 'n'}, show(q[key])), delta(p, q, key), delta(p, q, 'issued'), delta(p, q, 'transactions'), delta(p, q, 'joule'))))) : el('p', {class: 'soft'}, 'None changed.'));
}

/* ---- the views ---- */
/* Those of the address; where it names none, the first that the filter leaves. */
function chosen(view, n) {
	const l = [];
	for (const k of ['a', 'b'].slice(0, n)) {
		const x = S[k] !== '' && Number(S[k]) >= 0 && Number(S[k]) < N ? Number(S[k]) : rows.find(i => !l.includes(i));
		if (x !== undefined) l.push(x);
	}
	if (l.length === n) return l;
	view.replaceChildren(el('p', {}, 'The filter leaves ' + (n === 1 ? 'no run.' : 'no two runs.')));
	return null;
}
/* Others, by their numbers in the table. */
function numbers(l) {
	return l.map((i, k) => {
		const box = el('input', {type: 'number', min: 0, max: N - 1, value: i, 'data-run-of': k ? 'b' : 'a', onchange: () => { [S.a, S.b] = l.map(String).concat('').slice(0, 2); set(k ? 'b' : 'a', box.value); }});
		return el('label', {}, k ? 'and' : l.length > 1 ? 'Runs' : 'Run', box);
	});
}
const everything = () => need(D.columns.map(c => c.name));
async function run(view) {
	const l = chosen(view, 1);
	if (!l) return;
	await everything();
	const d = await detail(l[0]), find = el('input', {placeholder: 'part of a name', 'aria-label': 'find a figure'}), t = el('table', {id: 'figures'});
	const fill = () => t.replaceChildren(...figures.filter(c => c.name.includes(find.value)).map(c => el('tr', {}, el('td', {}, c.name), el('td', {class: 'n'}, show(at(c, l[0]))), el('td', {}, c.unit || ''), el('td', {class: 'soft'}, c.help || ''))));
	find.oninput = fill;
	fill();
	const cards = el('div', {class: 'cards'}, map(l[0], d), ...[stacks('Issue slots by cause', 'issue', l, 'slots'), stacks('Energy by component', 'energy', l, 'J')].filter(Boolean));
	view.replaceChildren(el('div', {class: 'bar'}, ...numbers(l), exports(() => joined(view), () => [['figure', 'run ' + l[0]]].concat(figures.map(c => [c.name, at(c, l[0])])))), describe(l), cards, ...[timeline(d), lineTable(d)].filter(Boolean),
		el('h2', {}, 'All figures'), el('div', {class: 'bar'}, el('label', {}, 'Find', find)), el('div', {class: 'scroll'}, t));
}
async function compare(view) {
	const l = chosen(view, 2);
	if (!l) return;
	await everything();
	const [a, b] = [await detail(l[0]), await detail(l[1])], list = [];
	for (const c of figures) {
		const p = at(c, l[0]), q = at(c, l[1]);
		if (p !== null && q !== null && p !== q) list.push({n: c.name, a: p, b: q, r: p ? q / p - 1 : Infinity, far: Math.abs(q - p) / Math.max(Math.abs(p), Math.abs(q)) * Math.log(2 + Math.max(Math.abs(p), Math.abs(q)))});
	}
	list.sort((p, q) => q.far - p.far);
	const t = el('table', {id: 'changed'}, el('tr', {}, el('th', {}, 'figure'), ...l.map(i => el('th', {class: 'n'}, 'run ' + i)), el('th', {class: 'n'}, 'change')), ...list.slice(0, 60).map(d => el('tr', {}, el('td', {title: helpOf(d.n)}, named(d.n)), el('td', {class: 'n'}, show(d.a)), el('td', {class: 'n'}, show(d.b)),
		el('td', {class: 'n ' + (d.r > 0 ? 'up' : 'down')}, isFinite(d.r) ? (d.r > 0 ? '+' : '') + (100 * d.r).toFixed(1) + ' %' : 'from 0'))));
	const cards = el('div', {class: 'cards'}, ...[stacks('Issue slots by cause', 'issue', l, 'slots'), stacks('Energy by component', 'energy', l, 'J')].filter(Boolean));
	view.replaceChildren(el('div', {class: 'bar'}, ...numbers(l), el('button', {onclick: () => { [S.b, S.a] = l.map(String); write(); draw(); }}, 'Swap'), exports(() => joined(view), () => [['figure', 'run ' + l[0], 'run ' + l[1]]].concat(list.map(d => [d.n, d.a, d.b])))),
		describe(l), cards, ...[timelines(a, b, l), lineChanges(a, b, l)].filter(Boolean), card('Figures that changed most', el('div', {class: 'scroll'}, t)));
}
/* All pictures of a view, one under the other, as one. */
function joined(view) {
	const list = [...view.querySelectorAll('svg')], w = d3.max(list, s => Number(s.getAttribute('width'))), h = d3.sum(list, s => Number(s.getAttribute('height')) + 34), all = picture(w, h, 'Heddle');
	let y = 0;
	for (const s of list) {
		const title = s.querySelector('title');
		all.append('text').attr({x: 4, y: y + 18, class: 'head'}).text(title ? title.textContent : '');
		const copy = s.cloneNode(true);
		copy.setAttribute('y', y + 26);
		all.node().append(copy);
		y += Number(s.getAttribute('height')) + 34;
	}
	return all.node();
}
