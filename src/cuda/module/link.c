/* Separate compilation: modules whose texts need symbols from each other form a group, which is
 * loaded as one module. */
#include "cuda/module/module.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "cuda/process/alloc.h"

bool text_is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

const char *text_extern_next(const char *p, const char **name, size_t *n)
{
	while ((p = strstr(p, ".extern"))) {
		const char *s = p += 7;
		while (isspace((unsigned char)*s))
			s++;
		if (!strncmp(s, ".shared", 7))
			continue;
		if (!strncmp(s, ".func", 5)) {
			for (s += 5; isspace((unsigned char)*s); s++)
				;
			if (*s == '(')
				s = strchr(s, ')') ? strchr(s, ')') + 1 : s + strlen(s);
			while (isspace((unsigned char)*s))
				s++;
		} else {
			const char *end = s + strcspn(s, "[;=\n");
			while (end > s && !text_is_name(end[-1]))
				end--;
			for (s = end; s > p && text_is_name(s[-1]); s--)
				;
		}
		*name = s;
		for (*n = 0; text_is_name(s[*n]); (*n)++)
			;
		if (*n && !heddle_provides(s, *n))
			return p;
	}
	return NULL;
}

/* True if the text defines the name for other texts. */
static bool text_defines(const char *text, const char *name, size_t n)
{
	char key[512];
	if (n >= sizeof key)
		return false;
	memcpy(key, name, n);
	key[n] = 0;
	for (const char *p = text; (p = strstr(p, key)); p += n) {
		if ((p > text && text_is_name(p[-1])) || text_is_name(p[n]))
			continue;
		const char *line = p;
		while (line > text && line[-1] != '\n')
			line--;
		line += strspn(line, " \t");
		if (memchr(line, '=', (size_t)(p - line))) /* an initial value, not a definition */
			continue;
		if (!strncmp(line, ".visible", 8) || !strncmp(line, ".weak", 5) ||
		    !strncmp(line, ".common", 7) || !strncmp(line, ".entry", 6))
			return true;
	}
	return false;
}

struct module *module_root(struct module *m)
{
	while (m->group != m)
		m = m->group;
	return m;
}

static bool module_defines(const struct module *m, const char *name, size_t n)
{
	for (unsigned i = 0; i < m->ntext; i++)
		if (text_defines(m->text[i].data, name, n))
			return true;
	return false;
}

static void join_group(struct module *m, const char *name, size_t n)
{
	for (struct module *o = process.modules.first; o; o = o->next)
		if (o != m && !o->user && !o->m && module_root(o) != module_root(m) &&
		    module_defines(o, name, n)) {
			module_root(o)->group = module_root(m);
			return;
		}
}

/* Keeps only those texts of a linked program that its kernels and variables need. Other texts are
 * libraries, such as the device runtime. */
static void drop_unneeded(struct module *m)
{
	bool *need = rt_alloc(m->ntext + 1);
	for (unsigned i = 0; i < m->ntext; i++) {
		if (strstr(m->text[i].data, "__cuda_syscall_"))
			/* the device runtime registers its own variables, which do not count */
			continue;
		for (const struct kernel *k = m->kernels; k && !need[i]; k = k->next)
			need[i] = text_defines(m->text[i].data, k->name, strlen(k->name));
		for (const struct symbol *s = m->symbols; s && !need[i]; s = s->next)
			need[i] = text_defines(m->text[i].data, s->name, strlen(s->name));
	}
	for (bool more = true; more;) {
		more = false;
		for (unsigned i = 0; i < m->ntext; i++) {
			const char *name;
			size_t n;
			for (const char *p = m->text[i].data;
			     need[i] && (p = text_extern_next(p, &name, &n));)
				for (unsigned k = 0; k < m->ntext; k++)
					if (!need[k] && text_defines(m->text[k].data, name, n))
						need[k] = more = true;
		}
	}
	unsigned n = 0;
	for (unsigned i = 0; i < m->ntext; i++)
		if (need[i])
			m->text[n++] = m->text[i];
		else
			free(m->text[i].data);
	m->ntext = n;
	free(need);
}

void modules_group(void)
{
	for (struct module *m = process.modules.first; m; m = m->next)
		if (!m->user && !m->read) {
			module_read(m);
			if (m->linked && m->ntext > 1)
				drop_unneeded(m);
		}
	for (struct module *m = process.modules.first; m; m = m->next) {
		if (m->grouped || m->user)
			continue;
		m->grouped = true;
		for (unsigned i = 0; i < m->ntext; i++) {
			const char *name;
			size_t n;
			for (const char *p = m->text[i].data; (p = text_extern_next(p, &name, &n));)
				if (!module_defines(m, name, n))
					join_group(m, name, n);
		}
	}
}
