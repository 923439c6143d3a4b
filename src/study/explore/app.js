/* The explorer. The element `data` has columns: {columns: [{name, kind, values}], runs: N}; texts are indices into a column's `words`. The
 * address behind # is the whole state of the view, so that a link leads back to it. */
(function () {
'use strict';
var D = JSON.parse(document.getElementById('data').textContent), N = D.runs, col = {}, rows = [], S = {view: 'table', x: '', y: 'cycles', c: '', k: 'bars', a: '', b: '', f: '', s: '', d: '1', p: '0'};
D.columns.forEach(function (c) { col[c.name] = c; });
var $ = function (id) { return document.getElementById(id); };
var number = function (c) { return !c.words; };
function at(c, i) { var v = c.values[i]; return v === null ? null : c.words ? c.words[v] : v; }
var axes = D.columns.filter(function (c) { return c.kind !== 'figure'; }), figures = D.columns.filter(function (c) { return c.kind === 'figure'; });
function show(v) { return v === null || v === undefined ? '–' : typeof v === 'number' ? (Number.isInteger(v) ? v.toLocaleString('en') : (+v.toPrecision(6)).toString()) : v; }

/* ---- state and address ---- */
function read() {
	location.hash.slice(1).split('&').forEach(function (kv) {
		var i = kv.indexOf('=');
		if (i > 0 && kv.slice(0, i) in S) S[kv.slice(0, i)] = decodeURIComponent(kv.slice(i + 1));
	});
	if (!S.x || !col[S.x]) S.x = (axes.filter(function (c) { return c.name !== 'run'; })[0] || D.columns[0]).name;
	if (!col[S.y]) S.y = (figures[0] || D.columns[0]).name;
}
function write() {
	var h = Object.keys(S).filter(function (k) { return S[k] !== ''; }).map(function (k) { return k + '=' + encodeURIComponent(S[k]); }).join('&');
	history.replaceState(null, '', '#' + h);
}
function set(k, v) { S[k] = v; write(); draw(); }

/* ---- filter: FIELD OP VALUE and ... ---- */
function filter() {
	var tests = [], bad = '';
	S.f.split(/\s+and\s+/).forEach(function (t) {
		if (!t.trim()) return;
		var m = /^\s*([^<>=!]+?)\s*(<=|>=|!=|=|<|>)\s*(.*?)\s*$/.exec(t);
		if (!m || !col[m[1]]) { bad = m ? 'no field ' + m[1] : 'expected FIELD = VALUE'; return; }
		var v = m[3], n = Number(v), numeric = v !== '' && !isNaN(n);
		tests.push(function (i) {
			var x = at(col[m[1]], i);
			if (x === null) return false;
			var c = numeric && !isNaN(Number(x)) ? Number(x) - n : x === v ? 0 : x < v ? -1 : 1;
			return m[2] === '=' ? c === 0 : m[2] === '!=' ? c !== 0 : m[2] === '<' ? c < 0 : m[2] === '<=' ? c <= 0 : m[2] === '>' ? c > 0 : c >= 0;
		});
	});
	rows = [];
	for (var i = 0; i < N; i++)
		if (bad || tests.every(function (t) { return t(i); })) rows.push(i);
	$('said').textContent = bad || rows.length.toLocaleString('en') + ' of ' + N.toLocaleString('en') + ' runs';
}

/* ---- pieces ---- */
function el(tag, attrs, text) {
	var e = document.createElement(tag);
	Object.keys(attrs || {}).forEach(function (k) { if (k.slice(0, 2) === 'on') e[k] = attrs[k]; else e.setAttribute(k, attrs[k]); });
	if (text !== undefined) e.textContent = text;
	return e;
}
function choose(label, key, list, none) {
	var l = el('label', {}, label + ' '), s = el('select', {'data-key': key, onchange: function () { set(key, s.value); }});
	(none !== undefined ? [['', none]] : []).concat(list.map(function (x) { return Array.isArray(x) ? x : [x, x]; })).forEach(function (o) {
		var e = el('option', {value: o[0]}, o[1]);
		e.selected = S[key] === o[0];
		s.appendChild(e);
	});
	l.appendChild(s);
	return l;
}
function save(name, type, text) {
	var a = el('a', {download: name, href: URL.createObjectURL(new Blob([text], {type: type}))});
	a.click();
	setTimeout(function () { URL.revokeObjectURL(a.href); }, 1000);
}
function exports(bar, svg, table) {
	if (svg) bar.appendChild(el('button', {onclick: function () {
		var s = svg().cloneNode(true), css = el('style', {}, 'text{font:12px sans-serif}.axis path,.axis line{fill:none;stroke:#bbb}');
		s.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
		s.insertBefore(css, s.firstChild);
		save('heddle.svg', 'image/svg+xml', new XMLSerializer().serializeToString(s));
	}}, 'SVG'));
	bar.appendChild(el('button', {onclick: function () {
		save('heddle.csv', 'text/csv', table().map(function (r) {
			return r.map(function (v) { v = v === null || v === undefined ? '' : String(v); return /[",\n]/.test(v) ? '"' + v.replace(/"/g, '""') + '"' : v; }).join(',');
		}).join('\n') + '\n');
	}}, 'CSV'));
}

/* ---- the table: only what is in sight is in the page ---- */
function names() {
	return axes.filter(function (c) { return c.name !== 'run' && (!c.words || c.words.length > 1) || c.name === 'program'; }).map(function (c) { return c.name; })
		.concat(figures.slice(0, 12).map(function (c) { return c.name; }));
}
function table(view) {
	var list = names(), H = 27, box = el('div', {id: 'rows', tabindex: 0, 'aria-label': 'runs'}), bar = el('div', {class: 'bar'});
	var order = rows.slice(), key = S.s.replace(/^-/, ''), c = col[key];
	if (c) order.sort(function (p, q) { var a = at(c, p), b = at(c, q); return (a < b ? -1 : a > b ? 1 : p - q) * (S.s[0] === '-' ? -1 : 1); });
	var t = el('table'), head = el('tr'), body = el('tbody');
	head.appendChild(el('th', {}, '#'));
	list.forEach(function (n) {
		head.appendChild(el('th', {class: number(col[n]) ? 'n' : '', tabindex: 0, onclick: function () { set('s', S.s === n ? '-' + n : n); },
			onkeydown: function (e) { if (e.key === 'Enter') set('s', S.s === n ? '-' + n : n); }}, n + (S.s === n ? ' ▲' : S.s === '-' + n ? ' ▼' : '')));
	});
	var th = el('thead');
	th.appendChild(head);
	t.appendChild(th);
	t.appendChild(body);
	box.appendChild(t);
	function fill() {
		var first = Math.max(0, Math.floor(box.scrollTop / H) - 5), last = Math.min(order.length, first + Math.ceil(box.clientHeight / H) + 12);
		body.textContent = '';
		body.appendChild(el('tr', {style: 'height:' + first * H + 'px', 'aria-hidden': 'true'}));
		for (var k = first; k < last; k++) (function (i) {
			var tr = el('tr', {tabindex: 0, 'data-run': i, class: String(i) === S.a || String(i) === S.b ? 'on' : '',
				onclick: function () { pick(i); }, onkeydown: function (e) {
					if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); pick(i); }
					var s = e.key === 'ArrowDown' ? tr.nextSibling : e.key === 'ArrowUp' ? tr.previousSibling : null;
					if (s && s.focus) { e.preventDefault(); s.focus(); }
				}});
			tr.appendChild(el('td', {class: 'soft'}, i));
			list.forEach(function (n) { tr.appendChild(el('td', {class: number(col[n]) ? 'n' : ''}, show(at(col[n], i)))); });
			body.appendChild(tr);
		})(order[k]);
		body.appendChild(el('tr', {style: 'height:' + (order.length - last) * H + 'px', 'aria-hidden': 'true'}));
	}
	function pick(i) { if (S.a === '' || S.b !== '') { S.a = String(i); S.b = ''; } else S.b = String(i); write(); fill(); hint(); }
	function hint() {
		note.textContent = S.a === '' ? 'Choose one run to look at, two to compare.' : S.b === '' ? 'Run ' + S.a + ' is chosen.' : 'Runs ' + S.a + ' and ' + S.b + ' are chosen.';
	}
	var note = el('span', {class: 'soft', role: 'status'});
	bar.appendChild(note);
	exports(bar, null, function () { return [list].concat(order.map(function (i) { return list.map(function (n) { return at(col[n], i); }); })); });
	box.onscroll = fill;
	view.appendChild(bar);
	view.appendChild(box);
	hint();
	fill();
}

/* ---- charts ---- */
var colours = ['#4e79a7', '#f28e2b', '#59a14f', '#b6992d', '#e15759', '#499894', '#af7aa1', '#9c755f'];
function groupBy(f) { var m = new Map(); rows.forEach(function (i) { var k = f(i); if (!m.has(k)) m.set(k, []); m.get(k).push(i); }); return m; }
function mean(list, c) { var s = 0, n = 0; list.forEach(function (i) { var v = at(c, i); if (typeof v === 'number') { s += v; n++; } }); return n ? s / n : null; }
function sorted(keys) { return keys.sort(function (a, b) { var x = Number(a), y = Number(b); return !isNaN(x) && !isNaN(y) ? x - y : a < b ? -1 : a > b ? 1 : 0; }); }
function frame(w, h) {
	var svg = d3.select(document.createElementNS('http://www.w3.org/2000/svg', 'svg')).attr({width: w, height: h, viewBox: '0 0 ' + w + ' ' + h, role: 'img'});
	return {svg: svg, g: svg.append('g').attr('transform', 'translate(80,20)'), w: w - 230, h: h - 90};
}
function axis(f, x, y, nx, ny, ticks) {
	f.g.append('g').attr('class', 'axis').attr('transform', 'translate(0,' + f.h + ')').call(d3.svg.axis().scale(x).ticks(ticks || 8).orient('bottom'))
		.selectAll('text').attr('transform', x.rangeBand && x.domain().length > 8 ? 'rotate(-35)' : null).style('text-anchor', x.rangeBand && x.domain().length > 8 ? 'end' : 'middle');
	f.g.append('g').attr('class', 'axis').call(d3.svg.axis().scale(y).ticks(6).orient('left'));
	f.svg.append('text').attr({x: 80 + f.w / 2, y: f.h + 85, 'text-anchor': 'middle'}).text(nx);
	f.svg.append('text').attr({x: 6, y: 12}).text(ny);
}
function legend(f, keys) {
	keys.slice(0, 22).forEach(function (k, i) {
		f.svg.append('rect').attr({x: f.w + 90, y: 20 + i * 18, width: 12, height: 12, fill: colours[i % 8]});
		f.svg.append('text').attr({x: f.w + 108, y: 31 + i * 18}).text(k);
	});
}
function bars(f, out) {
	var cx = col[S.x], cy = col[S.y], cc = col[S.c], g = groupBy(function (i) { return String(at(cx, i)) + '\u0000' + (cc ? String(at(cc, i)) : ''); });
	var xs = sorted(Array.from(new Set(rows.map(function (i) { return String(at(cx, i)); })))).slice(0, 60);
	var cs = cc ? sorted(Array.from(new Set(rows.map(function (i) { return String(at(cc, i)); })))).slice(0, 22) : [''];
	var v = [];
	xs.forEach(function (x) { cs.forEach(function (c, k) { var m = g.get(x + '\u0000' + c); if (m) v.push({x: x, c: c, k: k, v: mean(m, cy), n: m.length}); }); });
	v = v.filter(function (d) { return d.v !== null; });
	out.push([S.x, S.c || '-', S.y, 'runs']);
	v.forEach(function (d) { out.push([d.x, d.c, d.v, d.n]); });
	var x = d3.scale.ordinal().domain(xs).rangeRoundBands([0, f.w], 0.2), y = d3.scale.linear().domain([0, d3.max(v, function (d) { return d.v; }) || 1]).nice().range([f.h, 0]);
	axis(f, x, y, S.x, 'mean of ' + S.y);
	if (S.k === 'bars') {
		var inner = d3.scale.ordinal().domain(cs).rangeBands([0, x.rangeBand()]);
		f.g.selectAll('.b').data(v).enter().append('rect').attr('class', 'b').attr({x: function (d) { return x(d.x) + inner(d.c); }, y: function (d) { return y(d.v); },
			width: Math.max(1, inner.rangeBand() - 1), height: function (d) { return f.h - y(d.v); }, fill: function (d) { return colours[d.k % 8]; }})
			.append('title').text(function (d) { return d.x + ' ' + d.c + ': ' + show(d.v) + ' (' + d.n + ' runs)'; });
	} else {
		cs.forEach(function (c, k) {
			var line = v.filter(function (d) { return d.c === c; }), px = function (d) { return x(d.x) + x.rangeBand() / 2; };
			f.g.append('path').attr({d: d3.svg.line().x(px).y(function (d) { return y(d.v); })(line), fill: 'none', stroke: colours[k % 8], 'stroke-width': 2});
			f.g.selectAll('.p' + k).data(line).enter().append('circle').attr({cx: px, cy: function (d) { return y(d.v); }, r: 3.5, fill: colours[k % 8]}).append('title').text(function (d) { return d.x + ' ' + c + ': ' + show(d.v); });
		});
	}
	if (cc) legend(f, cs);
}
function heat(f, out) {
	var cx = col[S.x], cy = col[S.c] || col[S.x], cv = col[S.y];
	var xs = sorted(Array.from(new Set(rows.map(function (i) { return String(at(cx, i)); })))).slice(0, 60), ys = sorted(Array.from(new Set(rows.map(function (i) { return String(at(cy, i)); })))).slice(0, 60);
	var g = groupBy(function (i) { return String(at(cx, i)) + '\u0000' + String(at(cy, i)); }), v = [];
	g.forEach(function (m, k) { var p = k.split('\u0000'); v.push({x: p[0], y: p[1], v: mean(m, cv)}); });
	v = v.filter(function (d) { return d.v !== null && xs.indexOf(d.x) >= 0 && ys.indexOf(d.y) >= 0; });
	out.push([S.x, S.c, S.y]);
	v.forEach(function (d) { out.push([d.x, d.y, d.v]); });
	var x = d3.scale.ordinal().domain(xs).rangeBands([0, f.w]), y = d3.scale.ordinal().domain(ys).rangeBands([f.h, 0]), e = d3.extent(v, function (d) { return d.v; });
	var shade = d3.scale.linear().domain([e[0], (e[0] + e[1]) / 2, e[1]]).range(['#2166ac', '#f0ead8', '#b2182b']).interpolate(d3.interpolateLab);
	axis(f, x, y, S.x, S.c + ' (colour: ' + S.y + ')');
	f.g.selectAll('.c').data(v).enter().append('rect').attr('class', 'c').attr({x: function (d) { return x(d.x); }, y: function (d) { return y(d.y); }, width: x.rangeBand(), height: y.rangeBand(), fill: function (d) { return shade(d.v); }})
		.append('title').text(function (d) { return d.x + ', ' + d.y + ': ' + show(d.v); });
	[0, 0.25, 0.5, 0.75, 1].forEach(function (t, i) {
		var n = e[0] + t * (e[1] - e[0]);
		f.svg.append('rect').attr({x: f.w + 90, y: 20 + i * 18, width: 14, height: 18, fill: shade(n)});
		f.svg.append('text').attr({x: f.w + 110, y: 33 + i * 18}).text(show(n));
	});
}
/* A run is on the front if no other is better or equal in all and better in one; smaller is better. */
function front(pts) {
	var s = pts.slice().sort(function (a, b) { return a.x - b.x || a.y - b.y; }), best = Infinity, on = [];
	s.forEach(function (p) { if (p.y < best) { best = p.y; on.push(p); } });
	return on;
}
function scatter(f, out) {
	var cx = col[S.x], cy = col[S.y], cc = col[S.c], colour = {}, keys = [], pts = [];
	rows.forEach(function (i) { var x = Number(at(cx, i)), y = Number(at(cy, i)); if (at(cx, i) !== null && at(cy, i) !== null && !isNaN(x) && !isNaN(y)) pts.push({x: x, y: y, i: i}); });
	if (cc) { keys = sorted(Array.from(new Set(pts.map(function (p) { return String(at(cc, p.i)); })))); keys.forEach(function (k, n) { colour[k] = colours[n % 8]; }); }
	out.push(['run', S.x, S.y, S.c || '-']);
	pts.forEach(function (p) { out.push([p.i, p.x, p.y, cc ? at(cc, p.i) : '']); });
	var x = d3.scale.linear().domain(d3.extent(pts, function (p) { return p.x; })).nice().range([0, f.w]), y = d3.scale.linear().domain(d3.extent(pts, function (p) { return p.y; })).nice().range([f.h, 0]);
	axis(f, x, y, S.x, S.y);
	var shown = pts.length > 4000 ? pts.filter(function (p, k) { return k % Math.ceil(pts.length / 4000) === 0; }) : pts, on = S.k === 'pareto' ? front(pts) : [];
	f.g.selectAll('.d').data(shown).enter().append('circle').attr('class', 'd').attr({cx: function (p) { return x(p.x); }, cy: function (p) { return y(p.y); }, r: 3.2, opacity: on.length ? 0.35 : 0.75,
		fill: function (p) { return cc ? colour[String(at(cc, p.i))] : colours[0]; }}).on('click', function (p) { S.a = String(p.i); set('view', 'run'); })
		.append('title').text(function (p) { return 'run ' + p.i + ': ' + axes.map(function (c) { return show(at(c, p.i)); }).slice(0, 6).join(', ') + ': ' + show(p.x) + ', ' + show(p.y); });
	if (on.length) {
		f.g.append('path').attr({d: d3.svg.line().x(function (p) { return x(p.x); }).y(function (p) { return y(p.y); }).interpolate('step-after')(on), fill: 'none', stroke: '#e15759', 'stroke-width': 2});
		f.g.selectAll('.f').data(on).enter().append('circle').attr('class', 'f').attr({cx: function (p) { return x(p.x); }, cy: function (p) { return y(p.y); }, r: 5, fill: '#e15759'}).append('title').text(function (p) { return 'run ' + p.i; });
	}
	if (cc) legend(f, keys);
}
function chart(view) {
	var all = D.columns.map(function (c) { return c.name; }), bar = el('div', {class: 'bar'}), out = [], f;
	bar.appendChild(choose('Kind', 'k', [['bars', 'bars'], ['lines', 'lines'], ['scatter', 'scatter'], ['heat', 'heat map'], ['pareto', 'Pareto front (smaller is better)']]));
	bar.appendChild(choose('x', 'x', all));
	bar.appendChild(choose('y', 'y', figures.map(function (c) { return c.name; }).concat(axes.filter(number).map(function (c) { return c.name; }))));
	bar.appendChild(choose(S.k === 'heat' ? 'rows' : 'colour', 'c', all, 'none'));
	exports(bar, function () { return f.svg.node(); }, function () { return out; });
	view.appendChild(bar);
	f = frame(Math.min(1150, Math.max(360, document.documentElement.clientWidth - 40)), 480);
	if (!rows.length) { view.appendChild(el('p', {}, 'No run is left by the filter.')); return; }
	(S.k === 'heat' ? heat : S.k === 'scatter' || S.k === 'pareto' ? scatter : bars)(f, out);
	view.appendChild(f.svg.node());
}

/* ---- one run, two runs ---- */
var sums = ['total', 'dynamic', 'static', 'seconds', 'edp', 'ed2p', 'time_share', 'time_share_unclocked', 'mean', 'peak', 'least'];
function parts(prefix, i) { /* without sums and what parts are made of, "rf.static" */
	return figures.filter(function (c) {
		var n = c.name.slice(prefix.length + 1);
		return c.name.indexOf(prefix + '.') === 0 && at(c, i) > 0 && n.indexOf('.') < 0 && sums.indexOf(n) < 0;
	}).map(function (c) { return {n: c.name.slice(prefix.length + 1), v: at(c, i)}; })
		.sort(function (a, b) { return b.v - a.v; });
}
function stacks(title, prefix, runs) {
	var lists = runs.map(function (i) { return parts(prefix, i); }), all = {};
	lists.forEach(function (l) { l.forEach(function (p) { all[p.n] = 1; }); });
	var keys = Object.keys(all), card = el('section');
	if (!keys.length) return null;
	card.appendChild(el('h2', {}, title));
	var most = d3.max(lists, function (l) { return d3.sum(l, function (p) { return p.v; }); }), f = frame(560, 60 + 46 * runs.length + keys.length * 16), x = d3.scale.linear().domain([0, most]).range([0, 330]);
	lists.forEach(function (l, r) {
		var from = 0;
		f.svg.append('text').attr({x: 4, y: 30 + r * 46}).text('run ' + runs[r]);
		l.forEach(function (p) {
			f.svg.append('rect').attr({x: 80 + x(from), y: 14 + r * 46, width: Math.max(0.5, x(p.v)), height: 30, fill: colours[keys.indexOf(p.n) % 8], opacity: 1 - 0.25 * (Math.floor(keys.indexOf(p.n) / 8) % 3)}).append('title').text(p.n + ': ' + show(p.v));
			from += p.v;
		});
	});
	keys.forEach(function (k, i) {
		f.svg.append('rect').attr({x: 80, y: 30 + 46 * runs.length + i * 16, width: 11, height: 11, fill: colours[i % 8], opacity: 1 - 0.25 * (Math.floor(i / 8) % 3)});
		f.svg.append('text').attr({x: 98, y: 40 + 46 * runs.length + i * 16}).text(k + ': ' + lists.map(function (l) { var p = l.filter(function (q) { return q.n === k; })[0]; return show(p ? p.v : 0); }).join(' / '));
	});
	card.appendChild(f.svg.node());
	return card;
}
function describe(runs) {
	var t = el('table');
	axes.filter(function (c) { return c.kind !== 'run' || ['host', 'study', 'wall_seconds'].indexOf(c.name) < 0; }).forEach(function (c) {
		var tr = el('tr'), vs = runs.map(function (i) { return at(c, i); });
		tr.appendChild(el('th', {}, c.name));
		vs.forEach(function (v) { tr.appendChild(el('td', {class: vs.length > 1 && vs[0] !== vs[1] ? 'up' : ''}, show(v))); });
		t.appendChild(tr);
	});
	var box = el('div', {class: 'scroll'});
	box.appendChild(t);
	return box;
}
/* The memory system as a map: what each part was asked for. */
function map(i) {
	var v = function (n) { return col[n] ? at(col[n], i) : null; }, w = Math.min(900, document.documentElement.clientWidth - 40), f = frame(Math.max(360, w), 190), places = [
		['SMs', 'sm.mem_instructions', 'instructions'], ['L1D', 'l1d.accesses', 'accesses'], ['interconnect', 'icnt.packets', 'packets'], ['L2', 'l2.accesses', 'accesses'], ['DRAM', 'dram.reads', 'reads']];
	var step = (Math.max(360, w) - 20) / places.length, most = d3.max(places, function (p) { return v(p[1]) || 0; }) || 1;
	places.forEach(function (p, k) {
		var n = v(p[1]), miss = v(p[1].split('.')[0] + '.misses');
		if (k) f.svg.append('line').attr({x1: k * step - step * 0.25 + 10, y1: 70, x2: k * step + 10, y2: 70, stroke: colours[4], 'stroke-width': 1 + 14 * (n || 0) / most});
		f.svg.append('rect').attr({x: k * step + 10, y: 30, width: step * 0.75, height: 80, rx: 6, fill: colours[k], opacity: n ? 0.85 : 0.25});
		f.svg.append('text').attr({x: k * step + 16, y: 50, style: 'fill:#fff;font-weight:600'}).text(p[0]);
		f.svg.append('text').attr({x: k * step + 10, y: 130}).text(n === null ? 'not simulated' : show(n) + ' ' + p[2]);
		if (miss !== null && n) f.svg.append('text').attr({x: k * step + 10, y: 148}).text((100 * miss / n).toFixed(1) + ' % misses');
	});
	var card = el('section');
	card.appendChild(el('h2', {}, 'Memory system'));
	card.appendChild(f.svg.node());
	return card;
}
function chosen(view, n) {
	var l = [S.a, S.b].slice(0, n).filter(function (x) { return x !== '' && Number(x) < N; }).map(Number);
	if (l.length < n) view.appendChild(el('p', {}, n === 1 ? 'Choose a run in the table: click it, or Enter on it.' : 'Choose two runs in the table, one after the other.'));
	return l.length === n ? l : null;
}
function run(view) {
	var l = chosen(view, 1), t = el('table');
	if (!l) return;
	view.appendChild(describe(l));
	var cards = el('div', {class: 'cards'});
	[map(l[0]), stacks('Issue slots by cause', 'issue', l), stacks('Energy by component', 'energy', l)].forEach(function (c) { if (c) cards.appendChild(c); });
	view.appendChild(cards);
	view.appendChild(el('h2', {}, 'All figures'));
	figures.forEach(function (c) {
		var tr = el('tr');
		tr.appendChild(el('td', {}, c.name));
		tr.appendChild(el('td', {class: 'n'}, show(at(c, l[0]))));
		t.appendChild(tr);
	});
	view.appendChild(t);
}
function compare(view) {
	var l = chosen(view, 2), bar = el('div', {class: 'bar'}), t = el('table', {id: 'changed'}), list = [];
	if (!l) return;
	figures.forEach(function (c) {
		var a = at(c, l[0]), b = at(c, l[1]);
		if (typeof a === 'number' && typeof b === 'number' && a !== b) list.push({n: c.name, a: a, b: b, r: a ? b / a - 1 : Infinity});
	});
	list.sort(function (p, q) { return Math.abs(Math.log(q.b + 1) - Math.log(q.a + 1)) - Math.abs(Math.log(p.b + 1) - Math.log(p.a + 1)); });
	exports(bar, null, function () { return [['figure', 'run ' + l[0], 'run ' + l[1]]].concat(list.map(function (d) { return [d.n, d.a, d.b]; })); });
	view.appendChild(bar);
	view.appendChild(describe(l));
	var cards = el('div', {class: 'cards'});
	[stacks('Issue slots by cause', 'issue', l), stacks('Energy by component', 'energy', l)].forEach(function (c) { if (c) cards.appendChild(c); });
	view.appendChild(cards);
	view.appendChild(el('h2', {}, 'What changed most'));
	list.slice(0, 60).forEach(function (d) {
		var tr = el('tr');
		tr.appendChild(el('td', {}, d.n));
		[d.a, d.b].forEach(function (v) { tr.appendChild(el('td', {class: 'n'}, show(v))); });
		tr.appendChild(el('td', {class: 'n ' + (d.r > 0 ? 'up' : 'down')}, isFinite(d.r) ? (d.r > 0 ? '+' : '') + (100 * d.r).toFixed(1) + ' %' : 'new'));
		t.appendChild(tr);
	});
	view.appendChild(t);
}

/* ---- the page ---- */
var views = {table: ['Runs', table], chart: ['Chart', chart], compare: ['Compare', compare], run: ['One run', run]};
function draw() {
	var v = $('view');
	filter();
	v.textContent = '';
	Array.from($('tabs').children).forEach(function (b) { b.setAttribute('aria-selected', b.dataset.view === S.view); });
	(views[S.view] || views.table)[1](v);
}
Object.keys(views).forEach(function (k) {
	$('tabs').appendChild(el('button', {role: 'tab', 'data-view': k, onclick: function () { set('view', k); }}, views[k][0]));
});
$('about').textContent = D.store + ', ' + N.toLocaleString('en') + ' runs, ' + figures.length + ' figures' + (D.dropped ? ' (' + D.dropped + ' more are in the store)' : '');
read();
$('filter').value = S.f;
$('filter').oninput = function () { set('f', $('filter').value); };
window.onhashchange = function () { read(); $('filter').value = S.f; draw(); };
draw();
})();
