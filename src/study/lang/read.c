/* Reads studies/NAME.ini section by section. study.h describes the format. */
#include <ini.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command/suite.h"
#include "study/lang/section.h"

static void begin_section(struct reading *r, const char *line)
{
	struct arena *a = &r->s->arena;
	size_t n = strcspn(line, " ]"), all = strcspn(line, "]");
	const char *rest = line + n + strspn(line + n, " ");
	section_end(r);
	if (line[all] == ']' && line[all + 1 + strspn(line + all + 1, " \t\r\n")] &&
	    line[all + 1 + strspn(line + all + 1, " \t")] != ';') {
		r->current = (struct section){.line = r->line};
		section_complain(r, NULL, "[%.*s]: expected nothing after ]", (int)all, line);
	}
	r->current = (struct section){
		.kind = arena_strndup(a, line, n),
		.line = r->line,
		.name = rest < line + all ? arena_strndup(a, rest, (size_t)(line + all - rest))
					  : ""};
}

/* Returns the next line for the ini library. The library reports neither line numbers nor sections
 * without entries, and cuts long lines, so all three are handled here. */
static char *next_line(char *buf, int n, void *user)
{
	struct reading *r = user;
	char *line = fgets(buf, n, r->f);
	r->line++;
	r->continues = line && (*line == ' ' || *line == '\t');
	if (line && *line == '[')
		begin_section(r, line + 1);
	if (line && !strchr(line, '\n') && !feof(r->f)) {
		r->current.line = r->line;
		section_complain(
			r, NULL,
			"a line has at most %d characters; continue it on the next one, after a "
			"blank",
			n - 2);
		return NULL;
	}
	return line;
}

/* Takes an entry. A continuation line arrives as another entry of that name. */
static int on_entry(void *user, const char *section, const char *name, const char *value)
{
	struct reading *r = user;
	struct arena *a = &r->s->arena;
	struct section *c = &r->current;
	if (!c->kind) {
		r->current.line = r->line;
		section_complain(r, NULL, "%s = ... before the first [section]", name);
	} else if (!strcmp(c->kind, "sweep")) {
		/* sweep_read() checks the keys of [sweep] */
	} else if (r->continues && c->n && !strcmp(c->k[c->n - 1].key, name)) {
		c->k[c->n - 1].value = arena_printf(a, "%s %s", c->k[c->n - 1].value, value);
	} else if (section_get(c, name, NULL)) {
		struct srcloc at = {.file = r->s->path, .line = r->line, .col = 1};
		diag_at(r->d, DIAG_ERROR, &at, "[%s]: %s appears twice (first in line %u)", section,
			name, section_line(c, name));
	} else if (c->n == SECTION_KEYS) {
		section_complain(r, NULL, "[%s]: more than %d keys", section, SECTION_KEYS);
	} else {
		c->k[c->n].line = r->line;
		c->k[c->n].key = arena_strdup(a, name);
		c->k[c->n++].value = arena_strdup(a, value);
	}
	return 1;
}

/* Finds a study: in studies/ of the source tree if the program is in build/, in the installed
 * folder if it is in bin/. */
static char *find_file(struct arena *a, const char *name)
{
	static const char *const places[] = {"../studies", "../share/heddle/studies"};
	const char *env = getenv("HEDDLE_STUDIES");
	if (strchr(name, '/') || strchr(name, '.'))
		return !access(name, R_OK) ? arena_strdup(a, name) : NULL;
	for (size_t i = 0; i < (env ? 1 : 2); i++) {
		char *dir = env ? NULL : suite_beside(places[i]);
		char *path = arena_printf(a, "%s/%s.ini",
					  env   ? env
					  : dir ? dir
						: ".",
					  name),
		     *real = realpath(path, NULL);
		free(dir);
		if (real) {
			path = arena_strdup(a, real);
			free(real);
			return path;
		}
	}
	return NULL;
}

static void check_study(struct reading *r)
{
	struct study *s = r->s;
	r->current = (struct section){.kind = "study", .name = "", .line = 1};
	if (!r->head.kind && r->d->errors)
		return;
	if (!r->head.kind) {
		section_complain(r, NULL, "a study begins with [study]");
		return;
	}
	r->current = r->head;
	section_prose(r, s->text);
	if (!s->swept && (!s->programs.n || !s->runs.n) && !r->d->errors)
		section_complain(r, NULL, "a study needs programs and runs, or a [sweep]");
}

struct study *study_read(const char *name, struct diag *d)
{
	struct study *s = xcalloc(1, sizeof *s);
	struct reading r = {.s = s, .d = d};
	study_world(s);
	s->path = find_file(&s->arena, name);
	if (!s->path || !(r.f = fopen(s->path, "r"))) {
		diag_error(d, "no study %s: neither a readable file nor one that comes with Heddle",
			   name);
		study_free(s);
		return NULL;
	}
	const char *slash = strrchr(s->path, '/'), *base = slash ? slash + 1 : s->path;
	s->name = arena_strndup(&s->arena, base, strcspn(base, "."));
	int bad = ini_parse_stream(next_line, &r, on_entry, &r);
	if (ferror(r.f)) /* a folder can be opened but not read */
		bad = -1;
	fclose(r.f);
	if (bad) {
		r.current.line = bad > 0 ? (unsigned)bad : 0;
		section_complain(&r, NULL, "%s",
				 bad > 0 ? "expected [section], key = value or a comment"
					 : "cannot be read");
	} else {
		section_end(&r);
		check_study(&r);
	}
	if (!d->errors)
		return s;
	study_free(s);
	return NULL;
}
