/* Pieces of pages, and the table of runs: only rows in sight are in the page. */
function el(tag, attrs, ...inside) {
	const e = document.createElement(tag);
	for (const k of Object.keys(attrs || {})) if (k.slice(0, 2) === 'on') e[k] = attrs[k]; else e.setAttribute(k, attrs[k]);
	e.append(...inside.filter(x => x !== null && x !== undefined));
	return e;
}
function choose(label, key, list, none) {
	const s = el('select', {'data-key': key, onchange: () => set(key, s.value)});
	for (const o of (none !== undefined ? [['', none]] : []).concat(list.map(x => Array.isArray(x) ? x : [x, x]))) {
		const e = el('option', {value: o[0]}, o[1]);
		e.selected = S[key] === o[0];
		s.append(e);
	}
	return el('label', {}, label, s);
}
function save(name, type, text) {
	const a = el('a', {download: name, href: URL.createObjectURL(new Blob([text], {type}))});
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}
function csv(table) {
	const cell = v => { v = v === null || v === undefined ? '' : String(v); return /[",\n]/.test(v) ? '"' + v.replace(/"/g, '""') + '"' : v; };
	return table.map(r => r.map(cell).join(',')).join('\n') + '\n';
}
/* A picture by itself: its colours do not come from the page. */
function svgText(node) {
	const s = node.cloneNode(true), css = document.createElementNS('http://www.w3.org/2000/svg', 'style');
	css.textContent = 'svg{background:#fff}text{font:12px sans-serif;fill:#1f2328}text.soft{fill:#59636e}text.head{font-weight:600}.axis path,.axis line,.grid{fill:none;stroke:#d1d9e0}.flow{stroke:#59636e}.box{fill:#f6f8fa;stroke:#d1d9e0}';
	s.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
	s.insertBefore(css, s.firstChild);
	return new XMLSerializer().serializeToString(s);
}
/* table: a function, also asynchronous */
function exports(svg, table) {
	return el('span', {class: 'exports'}, svg ? el('button', {onclick: () => save('heddle.svg', 'image/svg+xml', svgText(svg()))}, 'SVG') : null,
		el('button', {onclick: async () => save('heddle.csv', 'text/csv', csv(await table()))}, 'CSV'));
}

/* ---- the table ---- */
const varies = c => !c.words || c.words.length > 1;
const asked = ['cycles', 'energy.total', 'energy.mean_watts', 'warp_instructions']; /* before other figures */
function columnsShown() {
	const chosen = S.cols ? S.cols.split(',').filter(n => col[n]) : [];
	if (chosen.length) return chosen;
	const rest = figures.filter(c => !c.same && !asked.includes(c.name)).map(c => c.name);
	return axes.filter(c => c.name === 'program' || varies(c) && !c.same && c.name !== 'wall_seconds').map(c => c.name).concat(asked.filter(n => col[n]), rest.slice(0, 8));
}
function ordered(order) {
	const c = col[S.s.replace(/^-/, '')], way = S.s[0] === '-' ? -1 : 1;
	if (!c || c === RUN) return way < 0 ? order.reverse() : order;
	const place = c.words && new Map([...c.words].sort().map((w, k) => [w, k])), rank = c.words && [NaN, ...c.words.map(w => place.get(w))];
	const v = i => rank ? rank[c.values[i]] : c.values[i];
	return order.sort((p, q) => { const a = v(p), b = v(q); return a !== a ? b !== b ? p - q : 1 : b !== b ? -1 : (a - b) * way || p - q; });
}
const byRun = el('span', {class: 'soft', role: 'status', id: 'chosen'});
function hint() {
	byRun.textContent = S.a === '' ? 'Choose a run to look at; a second one to compare.' : S.b === '' ? 'Run ' + S.a + ' is chosen; a second one to compare.' : 'Runs ' + S.a + ' and ' + S.b + ' are chosen.';
}
function pick(i) {
	if (S.a === '' || S.b !== '') { S.a = String(i); S.b = ''; } else if (S.a === String(i)) S.a = ''; else S.b = String(i);
	write();
	hint();
}
async function table(view) {
	const H = 28, list = columnsShown();
	await need(list.concat(S.s.replace(/^-/, '')));
	const order = ordered(rows.slice()), box = el('div', {id: 'rows', tabindex: 0, 'aria-label': 'runs'}), body = el('tbody');
	let focus = -1;
	const sort = n => set('s', S.s === n ? '-' + n : S.s === '-' + n ? '' : n);
	const head = el('tr', {}, ...['run', ...list].map(n => el('th', {class: isNumber(col[n]) ? 'n' : '', tabindex: 0, scope: 'col', title: 'sort by ' + n + (helpOf(n) ? ': ' + helpOf(n) : ''), 'aria-sort': S.s === n ? 'ascending' : S.s === '-' + n ? 'descending' : 'none',
		onclick: () => sort(n), onkeydown: e => { if (e.key === 'Enter') sort(n); }}, n + (S.s === n ? ' ▲' : S.s === '-' + n ? ' ▼' : ''), unitOf(n) ? el('small', {}, unitOf(n)) : null)));
	const row = k => {
		const i = order[k], tr = el('tr', {tabindex: 0, 'data-run': i, 'data-at': k, class: String(i) === S.a || String(i) === S.b ? 'on' : ''});
		tr.append(el('td', {class: 'n soft'}, i), ...list.map(n => el('td', {class: isNumber(col[n]) ? 'n' : ''}, show(at(col[n], i)))));
		return tr;
	};
	function fill() {
		const first = Math.max(0, Math.floor(box.scrollTop / H) - 8), last = Math.min(order.length, first + Math.ceil((box.clientHeight || 600) / H) + 18), list = [];
		for (let k = first; k < last; k++) list.push(row(k));
		body.replaceChildren(el('tr', {style: 'height:' + first * H + 'px', 'aria-hidden': 'true'}), ...list, el('tr', {style: 'height:' + (order.length - last) * H + 'px', 'aria-hidden': 'true'}));
		if (focus >= first && focus < last) body.children[focus - first + 1].focus({preventScroll: true});
	}
	function go(k) {
		focus = Math.max(0, Math.min(order.length - 1, k));
		const top = focus * H, room = box.clientHeight - 2 * H;
		if (top < box.scrollTop) box.scrollTop = top; else if (top > box.scrollTop + room) box.scrollTop = top - room;
		fill();
	}
	body.onclick = e => { const tr = e.target.closest('tr[data-run]'); if (tr) { focus = Number(tr.dataset.at); pick(Number(tr.dataset.run)); fill(); } };
	box.onkeydown = e => {
		const tr = e.target.closest && e.target.closest('tr[data-run]'), k = tr ? Number(tr.dataset.at) : -1, page = Math.floor(box.clientHeight / H) - 1;
		const to = {ArrowDown: k + 1, ArrowUp: k - 1, PageDown: k + page, PageUp: k - page, Home: 0, End: order.length - 1}[e.key];
		if (to !== undefined && (tr || e.target === box)) { e.preventDefault(); go(to); }
		if (tr && (e.key === 'Enter' || e.key === ' ')) { e.preventDefault(); focus = k; pick(Number(tr.dataset.run)); fill(); }
	};
	let asked = false;
	box.onscroll = () => { if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; fill(); }); } };
	const more = el('select', {'aria-label': 'add or remove a column', id: 'columns', onchange: () => {
		const n = more.value;
		set('cols', (list.includes(n) ? list.filter(x => x !== n) : list.concat(n)).join(','));
	}}, el('option', {value: ''}, 'Columns…'), ...axes.concat(figures).map(c => el('option', {value: c.name}, (list.includes(c.name) ? '✓ ' : '') + c.name)));
	box.append(el('table', {}, el('thead', {}, head), body));
	hint();
	view.replaceChildren(el('div', {class: 'bar'}, byRun, more, S.cols ? el('button', {onclick: () => set('cols', '')}, 'Usual columns') : null,
		exports(null, () => [['run', ...list]].concat(order.map(i => [i, ...list.map(n => at(col[n], i))])))), box);
	fill();
}
