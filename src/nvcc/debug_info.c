#include "nvcc/debug_info.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- the bytes of a section ---- */

struct label {
	const char *name;
	size_t len, at;
};
struct bytes {
	uint8_t *v;
	size_t n, at;
	bool bad;
};

static int compare_labels(const void *a, const void *b)
{
	const struct label *x = a, *y = b;
	size_t n = x->len < y->len ? x->len : y->len;
	int c = memcmp(x->name, y->name, n);
	return c ? c : (x->len > y->len) - (x->len < y->len);
}

static size_t name_length(const char *p)
{
	size_t n = 0;
	while (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '$' || p[n] == '.')
		n++;
	return n;
}

/* Finds the labels, which have lines of their own. */
static struct label *find_labels(const char *text, size_t *n)
{
	size_t cap = 0;
	struct label *v = NULL;
	*n = 0;
	for (const char *p = text; p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
		size_t len = name_length(p);
		if (!len || p[len] != ':')
			continue;
		if (*n == cap && !(v = realloc(v, (cap = cap ? cap * 2 : 256) * sizeof *v)))
			return NULL;
		v[(*n)++] = (struct label){p, len, (size_t)(p - text)};
	}
	if (v)
		qsort(v, *n, sizeof *v, compare_labels);
	return v;
}

static void put_value(struct bytes *b, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		b->v[b->n++] = (uint8_t)(value >> 8 * i);
}

/* Reads the values of `.b8 1, 2`, `.b32 7`, `.b64 label`. The value of a label is its offset in the
 * text; the value of a section's name is the section's start, 0. */
static bool read_values(struct bytes *b, const char *p, const char *end, const struct label *label,
			size_t labels)
{
	unsigned size = (unsigned)strtoul(p + 2, (char **)&p, 10) / 8;
	while (p < end) {
		p += strspn(p, " \t,");
		if (isdigit((unsigned char)*p) || *p == '-') {
			put_value(b, (uint64_t)strtoll(p, (char **)&p, 0), size);
		} else {
			struct label key = {p, name_length(p), 0};
			const struct label *l =
				label ? bsearch(&key, label, labels, sizeof *label, compare_labels)
				      : NULL;
			if (!key.len || (!l && *p != '.'))
				return false;
			put_value(b, l ? l->at : 0, size);
			p += key.len;
		}
		p += strspn(p, " \t");
	}
	return true;
}

/* Reads the bytes of a section of the text. No line gives more bytes than it has letters. */
static bool read_section(const char *text, const char *name, const struct label *label,
			 size_t labels, struct bytes *b)
{
	const char *p = text;
	size_t len = strlen(name);
	while ((p = strstr(p, "\t.section\t")) && strncmp(p + 10, name, len))
		p++;
	p = p ? strchr(p, '{') : NULL;
	const char *end = p ? strchr(p, '}') : NULL;
	if (!end || !(b->v = malloc((size_t)(end - p) * 8 + 8)))
		return false;
	for (const char *line = p + 1; line < end;) {
		size_t n = strcspn(line, "\n");
		const char *stop = line + n < end ? line + n : end,
			   *from = line + strspn(line, " \t\r\n");
		if (from < stop &&
		    (strncmp(from, ".b", 2) || !read_values(b, from, stop, label, labels)))
			return false;
		line = stop + 1;
	}
	return true;
}

static uint64_t take_value(struct bytes *b, unsigned size)
{
	uint64_t v = 0;
	if (b->n - b->at < size) {
		b->bad = true;
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)b->v[b->at++] << 8 * i;
	return v;
}

static uint64_t take_leb(struct bytes *b)
{
	uint64_t v = 0, byte = 0x80;
	for (unsigned shift = 0; byte & 0x80 && !b->bad; shift += 7) {
		byte = take_value(b, 1);
		v |= shift < 64 ? (byte & 0x7f) << shift : 0;
	}
	return v;
}

static void skip_bytes(struct bytes *b, uint64_t n)
{
	b->bad |= n > b->n - b->at;
	b->at += b->bad ? 0 : (size_t)n;
}

/* ---- DWARF ---- */

enum { TAG_INLINED = 0x1d, TAG_SUBPROGRAM = 0x2e };
enum {
	AT_NAME = 0x03,
	AT_LOW = 0x11,
	AT_HIGH = 0x12,
	AT_ORIGIN = 0x31,
	AT_FILE = 0x3a,
	AT_LINE = 0x3b,
	AT_CALL_COLUMN = 0x57,
	AT_CALL_FILE = 0x58,
	AT_CALL_LINE = 0x59,
	AT_LINKAGE = 0x2007,
	ATTRIBUTES = 0x60,
};

/* Reads the value of an attribute; for a string, its position. */
static uint64_t take_form(struct bytes *b, uint64_t form)
{
	uint64_t v = b->at;
	switch (form) {
	case 0x08: /* string */
		while (!b->bad && take_value(b, 1))
			;
		return v;
	case 0x0b: /* data1 */
	case 0x0c: /* flag */
	case 0x11: return take_value(b, 1);
	case 0x05: /* data2 */
	case 0x12: return take_value(b, 2);
	case 0x06: /* data4 */
	case 0x0e: /* strp */
	case 0x13: /* ref4 */
	case 0x17: return take_value(b, 4);
	case 0x01: /* addr */
	case 0x07: /* data8 */
	case 0x14: return take_value(b, 8);
	case 0x0d: /* sdata */
	case 0x0f: /* udata */
	case 0x15: return take_leb(b);
	case 0x19: return 1; /* flag_present */
	case 0x0a: skip_bytes(b, take_value(b, 1)); return v;
	case 0x03: skip_bytes(b, take_value(b, 2)); return v;
	case 0x04: skip_bytes(b, take_value(b, 4)); return v;
	case 0x09:
	case 0x18: skip_bytes(b, take_leb(b)); return v;
	default: b->bad = true; return 0;
	}
}

struct die {
	uint64_t tag, has[ATTRIBUTES]; /* value of each attribute; 0: absent */
	bool children;
};

/* Moves to the declaration of a code in the abbreviation table. */
static bool find_code(struct bytes *abbrev, uint64_t code)
{
	abbrev->at = 0;
	for (uint64_t c; (c = take_leb(abbrev)) && !abbrev->bad;) {
		if (c == code)
			return true;
		take_leb(abbrev);
		take_value(abbrev, 1);
		uint64_t name, form;
		do {
			name = take_leb(abbrev);
			form = take_leb(abbrev);
		} while ((name || form) && !abbrev->bad);
	}
	return false;
}

static bool take_die(struct bytes *info, struct bytes *abbrev, uint64_t code, struct die *d)
{
	memset(d, 0, sizeof *d);
	if (!find_code(abbrev, code))
		return false;
	d->tag = take_leb(abbrev);
	d->children = take_value(abbrev, 1);
	for (uint64_t name, form; (name = take_leb(abbrev)) | (form = take_leb(abbrev));) {
		uint64_t v = take_form(info, form);
		if (info->bad || abbrev->bad)
			return false;
		if (name == AT_NAME ||
		    name == AT_LINKAGE) /* a linkage name comes first, if there is one */
			d->has[AT_NAME] = d->has[AT_NAME] || form != 0x08 ? d->has[AT_NAME] : v;
		else if (name < ATTRIBUTES)
			d->has[name] = v;
	}
	return true;
}

static int compare_dies(const void *a, const void *b)
{
	const struct debug_function *x = a, *y = b;
	return (x->die > y->die) - (x->die < y->die);
}

static int compare_lines(const void *a, const void *b)
{
	const struct debug_function *x = a, *y = b;
	return x->file != y->file ? (x->file > y->file) - (x->file < y->file)
				  : (x->line > y->line) - (x->line < y->line);
}

/* Reads one compilation unit. Only DIEs of functions and inlined calls are kept; a DIE inside
 * another kind of DIE, such as a block, belongs to that DIE's parent. */
static bool read_unit(struct debug_info *d, struct bytes *info, struct bytes *abbrev)
{
	enum { DEPTH = 1024 };
	int32_t level[DEPTH] = {-1}; /* per nesting level: the call that the DIE belongs to */
	size_t unit = info->at, depth = 0;
	uint64_t length = take_value(info, 4), version = take_value(info, 2);
	take_value(info, 4);
	if (info->bad || version > 4 || take_value(info, 1) != 8 || length > info->n - unit - 4)
		return false;
	for (size_t end = unit + 4 + length; info->at < end && !info->bad;) {
		uint32_t at = (uint32_t)info->at;
		uint64_t number = take_leb(info);
		struct die x;
		if (!number) {
			if (!depth--)
				return false;
			if (!depth) /* attributes of the unit itself */
				info->at = end;
			continue;
		}
		if (!take_die(info, abbrev, number, &x))
			return false;
		int32_t up = level[depth], here = up;
		bool code = x.has[AT_HIGH] != 0, function = x.tag == TAG_SUBPROGRAM;
		if (function)
			d->function[d->functions++] = (struct debug_function){
				at, (uint32_t)x.has[AT_FILE], (uint32_t)x.has[AT_LINE],
				x.has[AT_NAME] ? (const char *)info->v + x.has[AT_NAME] : ""};
		if (code && (function || (x.tag == TAG_INLINED && up >= 0))) {
			d->call[d->calls] = (struct debug_call){
				.low = x.has[AT_LOW],
				.high = x.has[AT_HIGH],
				.of = function ? at : (uint32_t)(unit + x.has[AT_ORIGIN]),
				.at = {(uint32_t)x.has[AT_CALL_FILE], (uint32_t)x.has[AT_CALL_LINE],
				       (uint32_t)x.has[AT_CALL_COLUMN]},
				.up = function ? -1 : up};
			here = (int32_t)d->calls++;
		}
		if (x.children && ++depth == DEPTH)
			return false;
		level[depth] = x.children ? here : level[depth];
	}
	return !info->bad;
}

bool debug_info_read(struct debug_info *d, const char *text)
{
	size_t labels = 0;
	struct label *label = find_labels(text, &labels);
	struct bytes info = {0}, abbrev = {0};
	*d = (struct debug_info){0};
	bool ok = read_section(text, ".debug_abbrev", label, labels, &abbrev) &&
		  read_section(text, ".debug_info", label, labels, &info);
	free(label);
	d->bytes = info.v;
	if (ok) { /* each kept DIE has at least four bytes */
		d->function = calloc(info.n / 4 + 1, sizeof *d->function);
		d->call = calloc(info.n / 4 + 1, sizeof *d->call);
	}
	ok = ok && d->function && d->call;
	while (ok && info.at < info.n)
		ok = read_unit(d, &info, &abbrev);
	if (ok && (d->by_line = malloc((d->functions + 1) * sizeof *d->by_line))) {
		memcpy(d->by_line, d->function, d->functions * sizeof *d->function);
		qsort(d->by_line, d->functions, sizeof *d->by_line, compare_lines);
	}
	free(abbrev.v);
	if (ok && d->by_line)
		return true;
	debug_info_free(d);
	return false;
}

void debug_info_free(struct debug_info *d)
{
	free(d->function);
	free(d->by_line);
	free(d->call);
	free(d->bytes);
	*d = (struct debug_info){0};
}

const struct debug_function *debug_owner(const struct debug_info *d, uint32_t file, uint32_t line)
{
	const struct debug_function key = {0, file, line, ""};
	/* [from, to): search range for the first function that begins after the line */
	size_t from = 0, to = d->functions;
	while (from < to) {
		size_t mid = (from + to) / 2;
		if (compare_lines(&d->by_line[mid], &key) <= 0)
			from = mid + 1;
		else
			to = mid;
	}
	return line && from && d->by_line[from - 1].file == file ? &d->by_line[from - 1] : NULL;
}

const struct debug_function *debug_function(const struct debug_info *d, uint32_t die)
{
	const struct debug_function key = {.die = die};
	return bsearch(&key, d->function, d->functions, sizeof key, compare_dies);
}
