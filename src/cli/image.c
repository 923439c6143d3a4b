/* --texture and --surface: NAME=FILE,SIZE,FORMAT[,WORD...]. SIZE is W, WxH or WxHxD. FORMAT is a
 * type, followed by x2 or x4 for texels of several components. The words say how a texture is
 * sampled. */
#include "cli/image.h"

#include <stdlib.h>
#include <string.h>

static bool bad(const char *option, const char *spec, const char *what, const char *expected)
{
	cli_error("run", "%s %s: '%s' is not a %s", option, spec, what, expected);
	return false;
}

static bool parse_size(const char *s, struct heddle_tex *t)
{
	uint32_t *dim[3] = {&t->width, &t->height, &t->depth};
	for (unsigned i = 0; i < 3; i++) {
		char *end;
		unsigned long v = strtoul(s, &end, 10);
		if (end == s || !v || v > 1u << 20)
			return false;
		*dim[i] = (uint32_t)v;
		if (!*end)
			return true;
		if (*end != 'x')
			return false;
		s = end + 1;
	}
	return false;
}

static bool parse_format(const char *s, struct heddle_tex *t)
{
	static const struct {
		const char *name;
		uint8_t bits, chan;
	} types[] = {
		{"u8", 8, HEDDLE_CHAN_UNSIGNED},   {"s8", 8, HEDDLE_CHAN_SIGNED},
		{"u16", 16, HEDDLE_CHAN_UNSIGNED}, {"s16", 16, HEDDLE_CHAN_SIGNED},
		{"u32", 32, HEDDLE_CHAN_UNSIGNED}, {"s32", 32, HEDDLE_CHAN_SIGNED},
		{"f16", 16, HEDDLE_CHAN_FLOAT},    {"f32", 32, HEDDLE_CHAN_FLOAT},
	};
	size_t n = strcspn(s, "x");
	const char *count = s[n] ? s + n + 1 : "1";
	for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
		if (strlen(types[i].name) == n && !memcmp(types[i].name, s, n)) {
			t->bits = types[i].bits;
			t->chan = types[i].chan;
			t->channels = (uint8_t)(count[0] - '0');
			return !count[1] && strchr("124", count[0]);
		}
	return false;
}

static bool parse_word(const char *s, struct heddle_tex *t)
{
	static const char *const modes[] = {[HEDDLE_WRAP] = "wrap",
					    [HEDDLE_CLAMP] = "clamp",
					    [HEDDLE_MIRROR] = "mirror",
					    [HEDDLE_BORDER] = "border"};
	for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(s, modes[i])) {
			memset(t->addr_mode, (int)i, sizeof t->addr_mode);
			return true;
		}
	bool *flag = !strcmp(s, "linear")       ? &t->linear
		     : !strcmp(s, "normalized") ? &t->normalized_coords
		     : !strcmp(s, "float")      ? &t->normalized_float
		     : !strcmp(s, "layered")    ? &t->layered
		     : !strcmp(s, "cube")       ? &t->cubemap
						: NULL;
	if (flag)
		*flag = true;
	return flag != NULL;
}

/* Reads the comma-separated words after the file; modifies the text. */
static bool parse_words(struct image *m, const char *option, char *words)
{
	struct heddle_tex *t = &m->t;
	char *save, *w = strtok_r(words, ",", &save);
	memset(t->addr_mode, HEDDLE_CLAMP, sizeof t->addr_mode);
	if (!w || !parse_size(w, t))
		return bad(option, m->spec, w ? w : "", "size; expected W, WxH or WxHxD");
	w = strtok_r(NULL, ",", &save);
	if (!w || !parse_format(w, t))
		return bad(option, m->spec, w ? w : "",
			   "format; expected u8 s8 u16 s16 u32 s32 f16 or f32, with x2 or x4");
	while ((w = strtok_r(NULL, ",", &save)))
		if (!parse_word(w, t))
			return bad(option, m->spec, w,
				   "word; expected wrap clamp mirror border linear normalized "
				   "float layered cube");
	t->pitch = (uint64_t)t->width * t->channels * t->bits / 8;
	t->slice = t->pitch * (t->height ? t->height : 1);
	m->bytes = t->slice * (t->depth ? t->depth : 1);
	return true;
}

bool images_add(struct images *l, const char *option, const char *spec, const char *out)
{
	struct image *v = realloc(l->v, (l->n + 1) * sizeof *v);
	if (!v)
		return false;
	l->v = v;
	struct image *m = &v[l->n++];
	*m = (struct image){.name = strdup(spec), .spec = spec, .out = out};
	char *file = m->name ? strchr(m->name, '=') : NULL,
	     *words = file ? strchr(file, ',') : NULL;
	if (!words || file == m->name) {
		cli_error("run", "%s %s: expected NAME=FILE,SIZE,FORMAT", option, spec);
		return false;
	}
	*file++ = *words++ = 0;
	m->file = file;
	return parse_words(m, option, words);
}

static bool bind_one(struct image *m, struct heddle *h, struct heddle_module *mod)
{
	size_t n;
	char *data = cli_read("run", m->file, &n);
	if (!data)
		return false;
	bool ok = n == m->bytes;
	if (!ok)
		cli_error("run", "%s has %zu bytes; %s needs %zu", m->file, n, m->spec, m->bytes);
	else if (heddle_malloc(h, n, &m->t.addr) || heddle_write(h, m->t.addr, data, n) ||
		 heddle_tex_bind(h, mod, m->name, &m->t))
		ok = (cli_error("run", "%s: %s", m->name, heddle_message(h)), false);
	free(data);
	return ok;
}

bool images_bind(struct images *l, struct heddle *h, struct heddle_module *m)
{
	bool ok = true;
	for (unsigned i = 0; i < l->n && ok; i++)
		ok = bind_one(&l->v[i], h, m);
	return ok;
}

bool images_save(struct images *l, struct heddle *h)
{
	bool ok = true;
	for (unsigned i = 0; i < l->n && ok; i++) {
		struct image *m = &l->v[i];
		char *data = m->out ? malloc(m->bytes) : NULL;
		if (m->out)
			ok = data && !heddle_read(h, data, m->t.addr, m->bytes) &&
			     cli_output_write("run", &m->save, m->out, data, m->bytes);
		free(data);
	}
	return ok;
}

bool images_commit(struct images *l)
{
	bool ok = true;
	for (unsigned i = 0; i < l->n; i++)
		ok &= !l->v[i].out || cli_output_commit("run", &l->v[i].save);
	return ok;
}

void images_free(struct images *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		cli_output_drop(&l->v[i].save);
		free(l->v[i].name);
	}
	free(l->v);
}
