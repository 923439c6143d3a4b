/* Charts: bars, lines, scatter, heat maps, Pareto fronts of two or three figures. Labels are measured before the frame is made, so
 * that none is cut or lies on another. */
const colours = ['#4e79a7', '#f28e2b', '#59a14f', '#b6992d', '#e15759', '#499894', '#af7aa1', '#9c755f'];
const colour = k => colours[k % 8], faint = k => 1 - 0.3 * (Math.floor(k / 8) % 3);
const pen = document.createElement('canvas').getContext('2d');
function long(s) { pen.font = '12px system-ui,sans-serif'; return pen.measureText(s).width; }
const room = () => Math.min(1150, Math.max(300, document.documentElement.clientWidth - 34));

function groupBy(f) { const m = new Map(); for (const i of rows) { const k = f(i); if (!m.has(k)) m.set(k, []); m.get(k).push(i); } return m; }
const mixes = {mean: v => d3.mean(v), 'geometric mean': v => Math.exp(d3.mean(v, Math.log)), min: v => d3.min(v), max: v => d3.max(v), sum: v => d3.sum(v)};
function mixed(list, c) {
	const v = list.map(i => at(c, i)).filter(x => typeof x === 'number');
	return v.length ? (mixes[S.of] || mixes.mean)(v) : null;
}
function sorted(keys) { return keys.sort((a, b) => { const x = Number(a), y = Number(b); return !isNaN(x) && !isNaN(y) ? x - y : a < b ? -1 : a > b ? 1 : 0; }); }
const valuesOf = c => sorted([...new Set(rows.map(i => String(at(c, i))))]);

/* ---- frame, axes, legend ---- */
function picture(w, h, title) {
	const svg = d3.select(document.createElementNS('http://www.w3.org/2000/svg', 'svg')).attr({width: w, height: h, viewBox: '0 0 ' + w + ' ' + h, role: 'img'});
	if (title) svg.append('title').text(title);
	return svg;
}
/* x and y: {label, ticks: texts along it, band: true}. The plot's size is what labels leave. */
function frame(w, plot, x, y, keys) {
	const left = Math.min(170, 14 + d3.max(y.ticks.map(long).concat(20))), step = (w - left - 20) / Math.max(1, x.ticks.length);
	const most = d3.max(x.ticks.map(t => long(cut(t, 24)))) || 0, turned = x.band && most > step - 6, below = turned ? Math.min(140, most * 0.62 + 18) : 22;
	const lines = [[]];
	let used = 0;
	for (const k of keys || []) {
		const n = 26 + long(cut(k, 32));
		if (used && used + n > w - left - 10) { lines.push([]); used = 0; }
		lines[lines.length - 1].push({k: cut(k, 32), x: used});
		used += n;
	}
	const more = keys && keys.length ? lines.length * 18 + 8 : 0, h = 26 + plot + below + 22 + more, svg = picture(w, h, y.label + ' by ' + x.label);
	const f = {svg, g: svg.append('g').attr('transform', 'translate(' + left + ',26)'), w: w - left - 20, h: plot, turned, step};
	svg.append('text').attr({x: 4, y: 14, class: 'head'}).text(y.label);
	svg.append('text').attr({x: left + f.w / 2, y: 26 + plot + below + 14, 'text-anchor': 'middle', class: 'head'}).text(x.label);
	let n = 0;
	lines.forEach((line, r) => line.forEach(e => {
		svg.append('rect').attr({x: left + e.x, y: h - more + 4 + r * 18, width: 12, height: 12, fill: colour(n), opacity: faint(n)});
		svg.append('text').attr({x: left + e.x + 17, y: h - more + 14 + r * 18}).text(e.k);
		n++;
	}));
	return f;
}
/* Of a logarithmic scale 1, 2, 5, 10, ...; all of it where those are few. */
function round(s) {
	const all = s.ticks(), some = all.filter(v => ['1', '2', '5'].includes(v.toExponential()[0]) && +v.toExponential().split('e')[0] % 1 === 0);
	return some.length > 12 ? some.filter(v => v.toExponential()[0] === '1') : some.length > 1 ? some : all.slice(0, 5);
}
function axis(f, x, y) {
	const ordinal = Boolean(x.rangeBand), a = d3.svg.axis().scale(x).orient('bottom');
	if (x.log) a.tickValues(round(x)).tickFormat(brief); else if (!ordinal) a.ticks(Math.max(2, Math.floor(f.w / 90))).tickFormat(brief);
	const every = ordinal ? Math.max(1, Math.ceil((f.turned ? 14 : 1) / x.rangeBand())) : 1;
	if (ordinal) a.tickFormat(t => cut(t, 24)).tickValues(x.domain().filter((t, k) => k % every === 0));
	const t = f.g.append('g').attr('class', 'axis').attr('transform', 'translate(0,' + f.h + ')').call(a).selectAll('text');
	if (f.turned) t.attr({transform: 'rotate(-35)', dx: '-.4em', dy: '.4em'}).style('text-anchor', 'end');
	const b = d3.svg.axis().scale(y).orient('left');
	if (!y.rangeBand) {
		const values = y.log ? round(y) : y.ticks(6);
		b.tickValues(values).tickFormat(brief);
		values.forEach(v => f.g.append('line').attr({class: 'grid', x1: 0, x2: f.w, y1: y(v), y2: y(v), opacity: 0.6}));
	} else {
		const skip = Math.max(1, Math.ceil(14 / y.rangeBand()));
		b.tickFormat(t => cut(t, 24)).tickValues(y.domain().filter((t, k) => k % skip === 0));
	}
	f.g.append('g').attr('class', 'axis').call(b);
}
/* A scale from 0, or logarithmic where that is wanted and can be. */
function scale(values, range, zero) {
	const v = values.filter(x => x !== null), lo = d3.min(v), hi = d3.max(v);
	if (S.log && lo > 0) { const s = d3.scale.log().domain([lo / 1.05, hi * 1.05]).range(range); s.log = true; return s; }
	return d3.scale.linear().domain([zero ? Math.min(0, lo || 0) : lo || 0, hi || 1]).nice().range(range);
}
const ticksOf = s => s.ticks(6).map(brief);

/* ---- kinds ---- */
const MOST = 80;
function bars(out) {
	const cx = col[S.x], cy = col[S.y], cc = col[S.c], all = valuesOf(cx), xs = all.slice(0, MOST), cs = cc ? valuesOf(cc).slice(0, 24) : [''], v = [];
	const g = groupBy(i => String(at(cx, i)) + '\u0000' + (cc ? String(at(cc, i)) : ''));
	xs.forEach(x => cs.forEach((c, k) => { const m = g.get(x + '\u0000' + c), y = m ? mixed(m, cy) : null; if (y !== null) v.push({x, c, k, v: y, n: m.length}); }));
	out.push([S.x, S.c || '-', S.of + ' of ' + named(S.y), 'runs'], ...v.map(d => [d.x, d.c, d.v, d.n]));
	const y = scale(v.map(d => d.v), [380, 0], S.k === 'bars'), f = frame(room(), 380, {label: named(S.x) + (all.length > MOST ? ' (the first ' + MOST + ' of ' + all.length + ')' : ''), ticks: xs, band: true}, {label: S.of + ' of ' + named(S.y), ticks: ticksOf(y)}, cc ? cs : []);
	const x = d3.scale.ordinal().domain(xs).rangeBands([0, f.w], 0.2), base = y.log ? f.h : y(0);
	axis(f, x, y);
	const text = d => S.x + ' ' + d.x + (cc ? ', ' + S.c + ' ' + d.c : '') + ': ' + show(d.v) + ' (' + d.n + (d.n === 1 ? ' run)' : ' runs)');
	if (S.k === 'bars') {
		const inner = d3.scale.ordinal().domain(cs).rangeBands([0, x.rangeBand()]);
		f.g.selectAll('.b').data(v).enter().append('rect').attr('class', 'b').attr({x: d => x(d.x) + inner(d.c), y: d => Math.min(base, y(d.v)), width: Math.max(1, inner.rangeBand() - 1), height: d => Math.abs(base - y(d.v)),
			fill: d => colour(d.k), opacity: d => faint(d.k)}).append('title').text(text);
		return f;
	}
	const px = d => x(d.x) + x.rangeBand() / 2;
	cs.forEach((c, k) => {
		const line = v.filter(d => d.c === c);
		f.g.append('path').attr({d: d3.svg.line().x(px).y(d => y(d.v))(line), fill: 'none', stroke: colour(k), opacity: faint(k), 'stroke-width': 2});
		f.g.selectAll('.p' + k).data(line).enter().append('circle').attr({cx: px, cy: d => y(d.v), r: 3.5, fill: colour(k)}).append('title').text(text);
	});
	return f;
}
const cold = ['#2166ac', '#f0ead8', '#b2182b'];
function shades(values) {
	const [a, b] = d3.extent(values);
	return d3.scale.linear().domain([a, (a + b) / 2, b]).range(cold).interpolate(d3.interpolateLab).clamp(true);
}
function heat(out) {
	const cx = col[S.x], cy = col[S.c] || axes.find(c => c !== cx && varies(c)) || cx, cv = col[S.y], xs = valuesOf(cx).slice(0, MOST), ys = valuesOf(cy).slice(0, 60), v = [];
	const known = [new Set(xs), new Set(ys)];
	groupBy(i => String(at(cx, i)) + '\u0000' + String(at(cy, i))).forEach((m, k) => { const [x, y] = k.split('\u0000'), z = mixed(m, cv); if (z !== null && known[0].has(x) && known[1].has(y)) v.push({x, y, v: z}); });
	out.push([S.x, cy.name, S.of + ' of ' + S.y], ...v.map(d => [d.x, d.y, d.v]));
	const high = Math.max(120, Math.min(520, ys.length * 30)), f = frame(room() - 80, high, {label: named(S.x), ticks: xs, band: true}, {label: cy.name + ' (colour: ' + S.of + ' of ' + named(S.y) + ')', ticks: ys.map(t => cut(t, 24))}, []);
	const x = d3.scale.ordinal().domain(xs).rangeBands([0, f.w]), y = d3.scale.ordinal().domain(ys).rangeBands([high, 0]), shade = shades(v.map(d => d.v)), e = d3.extent(v, d => d.v);
	axis(f, x, y);
	f.g.selectAll('.c').data(v).enter().append('rect').attr('class', 'c').attr({x: d => x(d.x), y: d => y(d.y), width: x.rangeBand(), height: y.rangeBand(), fill: d => shade(d.v)}).append('title').text(d => d.x + ', ' + d.y + ': ' + show(d.v));
	if (d3.max(v, d => long(brief(d.v))) + 8 < x.rangeBand() && y.rangeBand() >= 16)
		f.g.selectAll('.t').data(v).enter().append('text').attr({x: d => x(d.x) + x.rangeBand() / 2, y: d => y(d.y) + y.rangeBand() / 2 + 4, 'text-anchor': 'middle'}).style('fill', d => Math.abs((d.v - e[0]) / (e[1] - e[0] || 1) - 0.5) > 0.33 ? '#fff' : '#1f2328').text(d => brief(d.v));
	const wide = Number(f.svg.attr('width'));
	f.svg.attr({width: wide + 80, viewBox: '0 0 ' + (wide + 80) + ' ' + f.svg.attr('height')});
	[1, 0.75, 0.5, 0.25, 0].forEach((t, i) => {
		f.svg.append('rect').attr({x: wide, y: 26 + i * 20, width: 14, height: 20, fill: shade(e[0] + t * (e[1] - e[0]))});
		f.svg.append('text').attr({x: wide + 19, y: 40 + i * 20}).text(brief(e[0] + t * (e[1] - e[0])));
	});
	return f;
}
/* A run is on the front if no other is better or equal in all and better in one; smaller is better. By the first figure rising, a
 * run is beaten by one before it or by none: those on the front so far are enough to look at. */
function front(pts, deep) {
	const s = pts.slice().sort((a, b) => a.x - b.x || a.y - b.y || (deep ? a.z - b.z : 0)), on = [];
	for (const p of s)
		if (!on.some(q => q.y <= p.y && (!deep || q.z <= p.z) && (q.x < p.x || q.y < p.y || deep && q.z < p.z))) on.push(p);
	return on;
}
function scatter(out, under) {
	const cx = col[S.x], cy = col[S.y], cc = col[S.c], cz = S.k === 'pareto' ? col[S.z] : null, ok = c => !c || isNumber(c);
	if (!ok(cx)) { under.push(el('p', {}, S.x + ' is no number: choose another x.')); return null; }
	let pts = rows.map(i => ({i, x: at(cx, i), y: at(cy, i), z: cz ? at(cz, i) : 0})).filter(p => p.x !== null && p.y !== null && p.z !== null);
	const keys = cc ? sorted([...new Set(pts.map(p => String(at(cc, p.i))))]).slice(0, 24) : [], index = new Map(keys.map((k, n) => [k, n])), on = S.k === 'pareto' ? front(pts, Boolean(cz)) : [];
	out.push(['run', S.x, S.y, ...(cz ? [S.z] : []), S.c || '-', ...(on.length ? ['front'] : [])]);
	const onFront = new Set(on.map(p => p.i));
	for (const p of pts) out.push([p.i, p.x, p.y, ...(cz ? [p.z] : []), cc ? at(cc, p.i) : '', ...(on.length ? [onFront.has(p.i) ? 1 : 0] : [])]);
	const all = pts.length;
	if (pts.length > 4000) pts = pts.filter((p, k) => k % Math.ceil(all / 4000) === 0);
	const y = scale(pts.concat(on).map(p => p.y), [400, 0]), f = frame(room(), 400, {label: named(S.x), ticks: []}, {label: named(S.y) + (cz ? ' (size: ' + named(S.z) + ')' : ''), ticks: ticksOf(y)}, keys), x = scale(pts.concat(on).map(p => p.x), [0, f.w]);
	const size = cz ? d3.scale.sqrt().domain(d3.extent(pts, p => p.z)).range([2.5, 11]) : () => 3.4, fill = p => cc ? colour(index.get(String(at(cc, p.i)))) : colour(0);
	const text = p => 'run ' + p.i + ': ' + axes.filter(c => c.kind === 'axis' || c.name === 'program').filter(c => c.values).map(c => show(at(c, p.i))).join(', ') + '; ' + show(p.x) + ', ' + show(p.y) + (cz ? ', ' + show(p.z) : '');
	const look = p => { S.a = String(p.i); S.b = ''; set('view', 'run'); };
	axis(f, x, y);
	if (on.length && !cz) f.g.append('path').attr({d: d3.svg.line().x(p => x(p.x)).y(p => y(p.y)).interpolate('step-after')(on), fill: 'none', stroke: '#e15759', 'stroke-width': 2});
	f.g.selectAll('.d').data(pts).enter().append('circle').attr('class', 'd').attr({cx: p => x(p.x), cy: p => y(p.y), r: p => size(p.z), opacity: on.length ? 0.3 : 0.75, fill}).on('click', look).append('title').text(text);
	f.g.selectAll('.f').data(on).enter().append('circle').attr('class', 'd f').attr({cx: p => x(p.x), cy: p => y(p.y), r: p => size(p.z) + 1, fill, stroke: '#e15759', 'stroke-width': 2}).on('click', look).append('title').text(text);
	if (on.length) {
		const names = ['run', ...axes.filter(c => (c.kind === 'axis' || c.name === 'program') && varies(c)).map(c => c.name), S.x, S.y].concat(cz ? S.z : []);
		under.push(el('h2', {}, on.length + ' of ' + all.toLocaleString('en') + (on.length === 1 ? ' runs is' : ' runs are') + ' on the front: no other is as good in ' + (cz ? 'all three' : 'both') + ' and better in one'),
			el('div', {class: 'scroll'}, el('table', {id: 'front'}, el('tr', {}, ...names.map(n => el('th', {class: isNumber(col[n]) ? 'n' : ''}, n))), ...on.slice(0, 100).map(p => el('tr', {tabindex: 0, onclick: () => look(p), onkeydown: e => { if (e.key === 'Enter') look(p); }},
				...names.map(n => el('td', {class: isNumber(col[n]) ? 'n' : ''}, show(at(col[n], p.i)))))))));
	}
	if (all > pts.length) under.unshift(el('p', {class: 'soft'}, pts.length.toLocaleString('en') + ' of ' + all.toLocaleString('en') + ' points are drawn; the front is of all.'));
	return f;
}
async function chart(view) {
	const all = axes.concat(figures.filter(c => !c.same)).map(c => c.name), numbers = figures.filter(c => !c.same).concat(axes.filter(isNumber)).map(c => c.name), grouped = ['bars', 'lines', 'heat'].includes(S.k), out = [], under = [];
	if (!grouped && !isNumber(col[S.x])) S.x = numbers.find(n => n !== S.y && /energy\.total|joule/.test(n)) || numbers.find(n => n !== S.y) || S.x;
	await need([S.x, S.y, S.c, S.z].concat(S.k === 'pareto' || S.k === 'scatter' || S.k === 'heat' ? axes.map(c => c.name) : []));
	const log = el('input', {type: 'checkbox', onchange: () => set('log', log.checked ? '1' : '')});
	log.checked = S.log === '1';
	let f = null;
	const bar = el('div', {class: 'bar'}, choose('Kind', 'k', [['bars', 'bars'], ['lines', 'lines'], ['scatter', 'scatter'], ['heat', 'heat map'], ['pareto', 'Pareto front (less is better)']]),
		choose('x', 'x', grouped ? all : numbers), choose('y', 'y', numbers), S.k === 'pareto' ? choose('third', 'z', numbers, 'none') : null,
		choose(S.k === 'heat' ? 'rows' : 'colour', 'c', all, S.k === 'heat' ? 'first axis' : 'none'), grouped ? choose('runs of a group', 'of', Object.keys(mixes)) : null,
		S.k === 'heat' ? null : el('label', {}, 'logarithmic', log), exports(() => f.svg.node(), () => out));
	if (rows.length) f = (S.k === 'heat' ? heat : grouped ? bars : scatter)(out, under);
	view.replaceChildren(bar, ...(rows.length ? [] : [el('p', {}, 'No run is left by the filter.')]), ...(f ? [f.svg.node()] : []), ...under);
}
