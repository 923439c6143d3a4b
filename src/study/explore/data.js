/* Data, state and filter. The element `data` has columns as study/report/column.h packs them: each is unpacked when it is first needed. The
 * address behind # is the whole state of the view, so that a link leads back to it. */
const D = JSON.parse(document.getElementById('data').textContent), N = D.runs, col = {};
document.getElementById('data').remove();
const S = {view: 'table', x: '', y: 'cycles', z: '', c: '', k: 'bars', of: 'mean', log: '', a: '', b: '', f: '', s: '', cols: ''};
const RUN = {name: 'run', kind: 'run', values: null};
let rows = [];
D.columns.forEach((c, k) => { c.at = 'c' + k; });
D.columns.unshift(RUN);
for (const c of D.columns) col[c.name] = c;
const axes = D.columns.filter(c => c.kind !== 'figure' && c !== RUN), figures = D.columns.filter(c => c.kind === 'figure');
const $ = id => document.getElementById(id);
const isNumber = c => !c.words;
const unitOf = n => col[n] && col[n].unit ? col[n].unit : '', helpOf = n => col[n] && col[n].help ? col[n].help : '';
/* Of axes of charts: the figure's name and unit. */
const named = n => unitOf(n) ? n + ', ' + unitOf(n) : n;

/* ---- columns ---- */
async function unpack(text) {
	const r = await fetch('data:application/octet-stream;base64,' + text);
	return new Response(r.body.pipeThrough(new DecompressionStream('deflate'))).arrayBuffer();
}
/* Bytes in planes, little-endian, become values. */
function fromPlanes(bytes, type) {
	const size = {u8: 1, u16: 2, u32: 4, i32: 4, f64: 8}[type], out = new Uint8Array(bytes.length);
	if (size === 1) return bytes;
	for (let b = 0; b < size; b++)
		for (let i = 0, from = b * N, to = b; i < N; i++, to += size) out[to] = bytes[from + i];
	return new {u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array}[type](out.buffer);
}
/* Columns that are not shown first come after this program: the page can be used before they are read. */
const whole = new Promise(r => { if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', r); else r(); });
async function text(id) {
	if (!$(id)) await whole;
	const e = $(id), t = e.textContent;
	e.remove();
	return t;
}
function load(c) {
	if (c.values || c === RUN) return c;
	c.loading = c.loading || text(c.at).then(unpack).then(b => { c.values = fromPlanes(new Uint8Array(b), c.type); });
	return c.loading;
}
const need = names => Promise.all(names.filter(n => col[n]).map(n => load(col[n])));
/* A value of a loaded column; null: none. */
function at(c, i) {
	if (c === RUN) return i;
	const v = c.values[i];
	return c.words ? v ? c.words[v - 1] : null : v !== v ? null : v;
}
const details = {};
let packed = null;
async function detail(i) {
	packed = packed || text('details').then(JSON.parse);
	const d = await packed, k = typeof d[i] === 'number' ? d[i] : i; /* a row of a kernel has its run's */
	if (!(k in details)) details[k] = d[k] ? JSON.parse(new TextDecoder().decode(await unpack(d[k]))) : null;
	if (!details[k] || D.row !== 'kernel') return details[k];
	await need(['kernel']);
	return {lines: details[k].lines.filter(l => l.plain === at(col.kernel, i))};
}

/* ---- numbers as text ---- */
const significant = (v, n) => +v.toPrecision(n);
function show(v) {
	if (v === null || v === undefined) return '–';
	if (typeof v !== 'number') return v;
	if (Number.isInteger(v)) return v.toLocaleString('en');
	if (Math.abs(v) < 1e-3) return v.toExponential(3);
	return Math.abs(v) >= 1e4 ? Math.round(v).toLocaleString('en') : String(significant(v, Math.abs(v) < 1 ? 4 : 6));
}
/* Of axes: short. */
function brief(v) {
	const a = Math.abs(v);
	return a >= 1e4 ? d3.format('.3s')(v).replace('G', 'B').replace(/\.0+(?=\D)|(?<=\.\d*[1-9])0+(?=\D)/, '') : a && a < 1e-3 ? v.toExponential(1) : String(significant(v, 4));
}
const cut = (s, n) => s.length > n ? s.slice(0, n - 1) + '…' : s;

/* ---- state and address ---- */
function read() {
	for (const kv of location.hash.slice(1).split('&')) {
		const i = kv.indexOf('=');
		if (i > 0 && kv.slice(0, i) in S) S[kv.slice(0, i)] = decodeURIComponent(kv.slice(i + 1));
	}
	if (!col[S.x]) S.x = (axes.find(c => c.kind === 'axis') || axes.find(c => c.words && c.words.length > 1) || axes[0]).name;
	if (!col[S.y]) S.y = (figures[0] || axes[0]).name;
}
function write() {
	history.replaceState(null, '', '#' + Object.keys(S).filter(k => S[k] !== '').map(k => k + '=' + encodeURIComponent(S[k])).join('&'));
}
function set(k, v) { S[k] = v; write(); draw(); }

/* ---- filter: FIELD OP VALUE and ... ---- */
const SIGN = /^\s*([^<>=!~]+?)\s*(<=|>=|!=|=|<|>|~)\s*(.*?)\s*$/;
function parse() {
	const tests = [];
	for (const t of S.f.split(/\s+and\s+/)) {
		if (!t.trim()) continue;
		const m = SIGN.exec(t);
		if (!m) return {bad: 'expected FIELD = VALUE (or != < <= > >= ~), joined by and'};
		if (!col[m[1]]) return {bad: 'no field ' + m[1]};
		tests.push({c: col[m[1]], op: m[2], v: m[3]});
	}
	return {tests};
}
function holds(t, x) {
	if (x === null) return false;
	if (t.op === '~') return String(x).toLowerCase().includes(t.v.toLowerCase());
	const n = Number(t.v), c = t.v !== '' && !isNaN(n) && !isNaN(Number(x)) ? Number(x) - n : x === t.v ? 0 : x < t.v ? -1 : 1;
	return {'=': c === 0, '!=': c !== 0, '<': c < 0, '<=': c <= 0, '>': c > 0, '>=': c >= 0}[t.op];
}
async function filter() {
	const p = parse();
	let on = null;
	if (p.tests) await need(p.tests.map(t => t.c.name));
	for (const t of p.tests || []) {
		/* a text column has few words: each is tested once */
		const words = t.c.words && [false, ...t.c.words.map(w => holds(t, w))], good = i => words ? words[t.c.values[i]] : holds(t, at(t.c, i)), left = [];
		if (on) { for (const i of on) if (good(i)) left.push(i); } else for (let i = 0; i < N; i++) if (good(i)) left.push(i);
		on = left;
	}
	rows = on || Array.from({length: N}, (_, i) => i);
	$('said').textContent = p.bad || rows.length.toLocaleString('en') + ' of ' + N.toLocaleString('en') + (D.row === 'kernel' ? ' kernels' : ' runs');
	$('filter').setAttribute('aria-invalid', Boolean(p.bad));
}
