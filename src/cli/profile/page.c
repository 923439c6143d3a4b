/* The profile as one self-contained page for a browser: a launch's speed of light and stalls as
 * bars, the sections as tables, the most expensive lines. The data come from --json and from the
 * statistics. */
#include <stdlib.h>
#include <string.h>
#include "cli/profile/profile.h"
#include "heddle.h"

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>heddle profile</title>\n"
	"<style>body{font:14px sans-serif;margin:1.5em;max-width:70em}table{border-collapse:collapse;margin:.3em 0 1em}"
	"td,th{white-space:nowrap;padding:.15em .8em;text-align:left;border-bottom:1px solid #ddd}td.n{text-align:right;font-variant-numeric:tabular-nums}"
	"h2{margin:1em 0 .2em;font-size:1.1em}.bar{fill:#4878a8}.back{fill:#eee}svg text{font:12px sans-serif}code{font-size:12px}"
	"select{font-size:1em}</style>\n<h1>Profile</h1><p><label>Launch <select id=\"launch\"></select></label></p><div id=\"page\"></div>\n"
	"<script>\n";

static const char script[] =
	"const number = v => v === null || v === undefined ? 'n/a' : Math.abs(v) >= 1e15 ? v.toExponential(3) : "
	"(+v.toPrecision(6)).toLocaleString('en');\n"
	"const make = (parent, name, text, kind) => { const e = document.createElement(name); if (text !== undefined) e.textContent = text; "
	"if (kind) e.className = kind; parent.append(e); return e; };\n"
	"function bars(parent, title, rows, most, unit) {\n"
	" if (!rows.length) return; make(parent, 'h2', title); const ns = 'http://www.w3.org/2000/svg', svg = document.createElementNS(ns, 'svg');\n"
	" svg.setAttribute('width', 720); svg.setAttribute('height', rows.length * 22); svg.setAttribute('role', 'img'); parent.append(svg);\n"
	" const add = (n, at, text) => { const e = document.createElementNS(ns, n); for (const k in at) e.setAttribute(k, at[k]); "
	"if (text) e.textContent = text; svg.append(e); };\n"
	" rows.forEach(([name, v], i) => { add('text', {x: 0, y: i * 22 + 15}, name); add('rect', {x: 250, y: i * 22 + 4, width: 380, height: 14, class: 'back'});\n"
	"  add('rect', {x: 250, y: i * 22 + 4, width: Math.max(0, Math.min(1, v / most)) * 380, height: 14, class: 'bar'}); add('text', {x: 640, y: i * 22 + 15}, number(v) + unit); });\n"
	"}\n"
	"function table(parent, heads, rows) { const t = make(parent, 'table'), h = make(t, 'tr'); heads.forEach(x => make(h, 'th', x));\n"
	" rows.forEach(r => { const tr = make(t, 'tr'); r.forEach(c => make(tr, 'td', typeof c === 'number' ? number(c) : c, typeof c === 'number' || c === 'n/a' ? 'n' : undefined)); }); }\n"
	"function draw() {\n"
	" const l = launches[+document.getElementById('launch').value], page = document.getElementById('page'); page.replaceChildren();\n"
	" make(page, 'p', l.kernel + ', grid ' + l.grid.join(',') + ', block ' + l.block.join(','));\n"
	" if (l.likely_cause) make(page, 'p', 'Likely cause of the difference: ' + l.likely_cause);\n"
	" if (l.roofline) make(page, 'p', 'Roofline: ' + number(l.roofline.flop_per_byte) + ' operations per byte of DRAM, ' + number(l.roofline.flop_per_second / 1e9) + ' G operations/s');\n"
	" const m = l.metrics, other = l.report || null;\n"
	" const light = sections.filter(s => s.id === 'SpeedOfLight').flatMap(s => s.rows).filter(r => r.unit === '%' && m[r.metric] !== undefined && m[r.metric] !== null);\n"
	" bars(page, 'Speed of light', light.map(r => [r.label, m[r.metric]]), 100, ' %');\n"
	" const stalls = Object.entries(m).map(([k, v]) => [(k.match(/issue_stalled_(.*)_per_issue_active/) || [])[1], v]).filter(x => x[0] && x[1] > 0).sort((a, b) => b[1] - a[1]);\n"
	" bars(page, 'Cycles that a warp waits per instruction, by reason', stalls.slice(0, 12), stalls.length ? stalls[0][1] : 1, '');\n"
	" for (const s of sections) { make(page, 'h2', s.title); table(page, ['figure', 'metric', 'unit', 'value'].concat(other ? ['hardware', 'ratio'] : []),\n"
	"   s.rows.map(r => { const v = m[r.metric], o = other ? other[r.metric] : undefined, row = [r.label, r.metric, r.unit, v === undefined || v === null ? 'n/a' : v];\n"
	"    return other ? row.concat([o === undefined || o === null ? 'n/a' : o, o && typeof v === 'number' ? v / o : 'n/a']) : row; })); }\n"
	" const lines = (hot[l.kernel] || []).slice().sort((a, b) => b[1] - a[1]).slice(0, 20);\n"
	" if (lines.length) { make(page, 'h2', 'Hottest places of the kernel, all launches'); table(page, ['place', 'warp instructions', 'lanes in use, %'], "
	"lines.map(([p, n, k]) => [p, n, n ? 100 * k / (32 * n) : 0])); }\n"
	"}\n"
	"const choice = document.getElementById('launch');\n"
	"launches.forEach((l, i) => { const o = make(choice, 'option', l.launch + ': ' + l.kernel); o.value = i; });\n"
	"choice.onchange = draw; draw();\n"
	"</script></html>\n";

/* JSON inside a script: no "</" may end the script. */
static void write_json(FILE *out, const char *name, const char *text)
{
	fprintf(out, "const %s = ", name);
	for (; *text; text++) {
		if (text[0] == '<' && (text[1] == '/' || text[1] == '!'))
			fputs("\\u003c", out);
		else
			fputc(*text, out);
	}
	fputs(";\n", out);
}

static json_t *list_sections(void)
{
	json_t *all = json_array();
	for (unsigned i = 0; i < section_count(); i++) {
		const struct section *s = section_at(i);
		json_t *rows = json_array();
		for (unsigned k = 0; k < s->rows; k++) {
			const struct metric *m = metric_find(s->row[k].metric);
			json_array_append_new(rows,
					      json_pack("{s:s, s:s, s:s}", "label", s->row[k].label,
							"metric", s->row[k].metric, "unit",
							m ? m->unit : ""));
		}
		json_array_append_new(all, json_pack("{s:s, s:s, s:o}", "id", s->identifier,
						     "title", s->title, "rows", rows));
	}
	return all;
}

/* The places of each kernel, [place, warp instructions, lanes], summed over the instructions of a
 * line. */
static json_t *list_places(const json_t *stats)
{
	json_t *all = json_object(), *profile, *pc, *v;
	size_t i, k;
	const char *place;
	json_array_foreach (json_object_get(stats, "profile"), i, profile) {
		json_t *sums = json_object(), *list = json_array();
		json_array_foreach (json_object_get(profile, "instructions"), k, pc) {
			char where[256];
			profile_place(pc, where, sizeof where);
			json_t *old = json_object_get(sums, where);
			json_object_set_new(
				sums, where,
				json_pack(
					"[I, I]",
					json_integer_value(json_array_get(old, 0)) +
						json_integer_value(json_object_get(pc, "issued")),
					json_integer_value(json_array_get(old, 1)) +
						json_integer_value(json_object_get(pc, "lanes"))));
		}
		json_object_foreach (sums, place, v)
			json_array_append_new(list,
					      json_pack("[s, O, O]", place, json_array_get(v, 0),
							json_array_get(v, 1)));
		json_decref(sums);
		const char *kernel = json_string_value(json_object_get(profile, "kernel"));
		char plain[1024];
		if (kernel)
			json_object_set_new(all, heddle_plain_name(kernel, plain, sizeof plain),
					    list);
		else
			json_decref(list);
	}
	return all;
}

bool profile_page(const struct profile_view *v, const json_t *stats, FILE *out)
{
	struct profile_view json = *v;
	char *text = NULL;
	size_t n = 0;
	json.format = PROFILE_JSON;
	FILE *f = open_memstream(&text, &n);
	bool ok = f && profile_print(&json, stats, f);
	if (f)
		fclose(f);
	if (ok) {
		json_t *sections = list_sections(), *places = list_places(stats);
		char *s = json_dumps(sections, JSON_COMPACT), *p = json_dumps(places, JSON_COMPACT);
		fputs(head, out);
		write_json(out, "launches", text);
		write_json(out, "sections", s ? s : "[]");
		write_json(out, "hot", p ? p : "{}");
		fputs(script, out);
		free(s);
		free(p);
		json_decref(sections);
		json_decref(places);
	}
	free(text);
	return ok;
}
