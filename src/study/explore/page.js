/* The page: views, keys, the address. */
const views = {table: ['Runs', table], chart: ['Chart', chart], run: ['One run', run], compare: ['Compare', compare]};
let turn = 0;
/* A view that is asked for while another is made replaces it. */
async function draw() {
	const mine = ++turn, v = el('div'), name = views[S.view] ? S.view : 'table';
	for (const b of $('tabs').children) b.setAttribute('aria-selected', b.dataset.view === name);
	await filter();
	if (mine !== turn) return;
	await views[name][1](v);
	if (mine !== turn) return;
	$('view').replaceChildren(v);
	if (name === 'table') $('rows').onscroll();
	document.body.dataset.drawn = String(mine);
}
for (const k of Object.keys(views))
	$('tabs').append(el('button', {role: 'tab', 'data-view': k, onclick: () => set('view', k)}, views[k][0]));
for (const c of axes.concat(figures)) $('fields').append(el('option', {value: c.name}));
$('about').textContent = D.store + ': ' + N.toLocaleString('en') + (D.row === 'kernel' ? ' kernels of runs, ' : ' runs, ') + figures.length + ' figures' + (D.dropped ? ' (' + D.dropped + ' more are in the store)' : '');
$('filter').oninput = () => set('f', $('filter').value);
/* The next condition from lists, for those who do not type. */
$('field').append(el('option', {value: ''}, 'Add a condition…'), ...axes.filter(c => c.words && c.words.length > 1).flatMap(c => [...c.words].sort().slice(0, 60).map(w => el('option', {value: c.name + ' = ' + w}, c.name + ' = ' + w))));
$('field').onchange = () => {
	const t = $('field').value;
	$('field').value = '';
	if (t) { $('filter').value = S.f.trim() ? S.f + ' and ' + t : t; set('f', $('filter').value); }
};
document.onkeydown = e => {
	if (e.ctrlKey || e.metaKey || e.altKey) return;
	if (e.key === 'Escape' && document.activeElement === $('filter')) $('filter').blur();
	if (/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
	const name = Object.keys(views)[Number(e.key) - 1];
	if (name) set('view', name);
	if (e.key === '/') { e.preventDefault(); $('filter').focus(); }
};
window.onhashchange = () => { read(); $('filter').value = S.f; draw(); };
let wide = innerWidth;
window.onresize = () => { if (innerWidth !== wide) { wide = innerWidth; draw(); } };
read();
$('filter').value = S.f;
draw();
