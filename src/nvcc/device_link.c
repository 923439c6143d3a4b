/* Linking of separately compiled device code. The runtime links the PTX of all objects when the
 * program starts; this file chooses the units and checks them:
 *
 *   units    every object, and every member of an archive, that has such code
 *   wanted   the objects, and the members that define names which a wanted unit declares extern
 *   check    the wanted units load as one module, or the build ends with the loader's messages
 *
 * A unit's host code calls a registration function of its own name that the link step defines
 * (link.c), and its fat binary has a name by which the linker can be asked for it. */
#include <ctype.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "nvcc/cc.h"
#include "command/command.h"
#include "heddle.h"

static const char section[] = "__nv_relfatbin";

/* Reads the PTX texts of a section of fat binaries. */
static void read_texts(struct device_unit *u, const uint8_t *p, size_t n)
{
	for (size_t at = 0; at + 16 <= n;) {
		uint32_t magic;
		uint64_t size;
		memcpy(&magic, p + at, 4);
		memcpy(&size, p + at + 8, 8);
		if (magic != 0xba55ed50 || size > n - at - 16) {
			at += 8;
			continue;
		}
		for (uint64_t e = at + 16, end = e + size; e + 64 <= end;) {
			uint16_t kind;
			uint32_t header, packed;
			uint64_t length;
			memcpy(&kind, p + e, 2);
			memcpy(&header, p + e + 4, 4);
			memcpy(&length, p + e + 8, 8);
			memcpy(&packed, p + e + 16, 4);
			if (header < 64 || header > end - e || length > end - e - header)
				break;
			if (kind == 1 && !packed)
				words_addf(&u->texts, "%.*s", (int)length,
					   (const char *)p + e + header);
			else if (kind == 1)
				u->opaque = true;
			e += header + length;
		}
		at += 16 + (size + 7) / 8 * 8;
	}
}

static void read_symbols(struct device_unit *u, Elf *elf, Elf_Scn *s, const GElf_Shdr *sh)
{
	Elf_Data *d = elf_getdata(s, NULL);
	GElf_Sym sym;
	for (int i = 1; d && gelf_getsym(d, i, &sym); i++) {
		const char *name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (name && sym.st_shndx == SHN_UNDEF &&
		    !strncmp(name, DEVICE_REGISTER, strlen(DEVICE_REGISTER)))
			words_add(&u->registers, name);
	}
}

static void read_object(struct device_units *list, Elf *elf, const char *path, const char *member)
{
	size_t names;
	struct device_unit u = {.archive = member != NULL};
	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
		return;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		GElf_Shdr sh;
		const char *name = gelf_getshdr(s, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		if (name && !strcmp(name, section)) {
			Elf_Data *d = elf_getdata(s, NULL);
			if (d && d->d_buf)
				read_texts(&u, d->d_buf, d->d_size);
		} else if (name && sh.sh_type == SHT_SYMTAB) {
			read_symbols(&u, elf, s, &sh);
		}
	}
	struct device_unit *more =
		u.registers.n ? realloc(list->v, (list->n + 1) * sizeof *list->v) : NULL;
	if (!more) {
		words_free(&u.texts);
		words_free(&u.registers);
		return;
	}
	u.name = member ? cc_format("%s(%s)", path, member) : strdup(path);
	list->v = more;
	list->v[list->n++] = u;
}

static bool same(const struct words *a, const struct words *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->v[i], b->v[i]))
			return false;
	return a->n == b->n;
}

static void free_unit(struct device_unit *u)
{
	free(u->name);
	words_free(&u->texts);
	words_free(&u->registers);
}

static void read_file(struct device_units *list, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	Elf *file = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	if (file && elf_kind(file) == ELF_K_AR) {
		Elf_Cmd cmd = ELF_C_READ;
		for (Elf *e; (e = elf_begin(fd, cmd, file));) {
			Elf_Arhdr *h = elf_getarhdr(e);
			read_object(list, e, path, h && h->ar_name ? h->ar_name : "?");
			cmd = elf_next(e);
			elf_end(e);
		}
	} else if (file) {
		read_object(list, file, path, NULL);
	}
	elf_end(file);
	if (fd >= 0)
		close(fd);
}

/* Finds libNAME.a in the folders of -L; NULL: none. */
static char *static_library(const struct words *options, const char *name)
{
	for (size_t i = 0; i < options->n; i++) {
		if (strncmp(options->v[i], "-L", 2))
			continue;
		char *shared = cc_format("%s/lib%s.so", options->v[i] + 2, name);
		char *path = cc_format("%s/lib%s.a", options->v[i] + 2, name);
		bool found = access(path, R_OK) == 0 && access(shared, R_OK);
		free(shared);
		if (found)
			return path;
		free(path);
	}
	return NULL;
}

void device_units_read(struct device_units *list, const struct words *objects,
		       const struct words *options)
{
	*list = (struct device_units){0};
	for (size_t i = 0; i < objects->n; i++)
		read_file(list, objects->v[i]);
	for (size_t i = 0; i < options->n; i++) {
		char *path = strncmp(options->v[i], "-l", 2)
				     ? NULL
				     : static_library(options, options->v[i] + 2);
		if (path)
			read_file(list, path);
		free(path);
	}
	/* a library may be named twice */
	size_t k = 0;
	for (size_t i = 0; i < list->n; i++) {
		bool known = false;
		for (size_t j = 0; j < k; j++)
			known |= same(&list->v[i].registers, &list->v[j].registers);
		if (known)
			free_unit(&list->v[i]);
		else
			list->v[k++] = list->v[i];
	}
	list->n = k;
}

/* ---- choosing archive members ---- */

static bool is_name(char c) { return c && (isalnum((unsigned char)c) || strchr("_$.%", c)); }

/* True if a line defines the name. */
static bool line_defines(const char *text, const char *name, size_t len)
{
	for (const char *p = text; (p = memmem(p, strlen(p), name, len)); p += len) {
		const char *line = p;
		if (is_name(p[len]) || (p > text && is_name(p[-1])))
			continue;
		while (line > text && line[-1] != '\n')
			line--;
		if (!strncmp(line, ".visible", 8) || !strncmp(line, ".weak", 5) ||
		    !strncmp(line, ".common", 7))
			return true;
	}
	return false;
}

static bool unit_defines(const struct device_unit *u, const char *name, size_t len)
{
	for (size_t i = 0; i < u->texts.n; i++)
		if (line_defines(u->texts.v[i], name, len))
			return true;
	return false;
}

/* Returns the name that a declaration after ".extern" declares: the last word before '[', '(' or
 * ';', without a function's return value. */
static const char *declared_name(const char *p, size_t *len)
{
	const char *name = NULL;
	while (*p && *p != '[' && *p != ';' && (*p != '(' || !name)) {
		if (*p == '(') {
			p += strcspn(p, ")") + (strchr(p, ')') != NULL);
		} else if (isalpha((unsigned char)*p) || *p == '_' || *p == '$') {
			name = p;
			while (is_name(*p))
				p++;
			*len = (size_t)(p - name);
		} else if (*p == '.') {
			while (is_name(*p)) /* .func, .align: not a name */
				p++;
		} else {
			p++;
		}
	}
	return name;
}

/* Marks the member that defines a name as wanted; false: it was marked already, or no member
 * defines the name. */
static bool want_definition(struct device_units *list, const char *name, size_t len)
{
	struct device_unit *found = NULL;
	for (size_t i = 0; i < list->n; i++) {
		if (!unit_defines(&list->v[i], name, len))
			continue;
		if (list->v[i].wanted)
			return false;
		found = found ? found : &list->v[i];
	}
	return found && (found->wanted = true);
}

void device_units_choose(struct device_units *list)
{
	for (size_t i = 0; i < list->n; i++)
		list->v[i].wanted = !list->v[i].archive;
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < list->n; i++)
			for (size_t k = 0; list->v[i].wanted && k < list->v[i].texts.n; k++)
				for (const char *p = list->v[i].texts.v[k];
				     (p = strstr(p, ".extern"));) {
					size_t len = 0;
					p += strlen(".extern");
					const char *name = declared_name(p, &len);
					more |= name && want_definition(list, name, len);
				}
	}
}

/* ---- the check ---- */

bool device_units_check(const struct device_units *list)
{
	struct heddle *h = NULL;
	struct heddle_module *m;
	struct heddle_text *t = NULL;
	unsigned n = 0;
	for (size_t i = 0; i < list->n; i++) {
		const struct device_unit *u = &list->v[i];
		if (u->wanted && u->opaque)
			n = 0, i = list->n; /* code of another compiler: its definitions are
					     * unknown, so undefined names are left to the loader */
		for (size_t k = 0; u->wanted && !u->opaque && k < u->texts.n; k++) {
			struct heddle_text *more = realloc(t, (n + 1) * sizeof *t);
			if (!more)
				break;
			t = more;
			t[n++] =
				(struct heddle_text){u->name, u->texts.v[k], strlen(u->texts.v[k])};
		}
	}
	bool ok = true;
	if (n && !heddle_open(&h, &(struct heddle_options){0}) && heddle_load(h, t, n, &m)) {
		cli_error("cc", "device code does not link:\n%s", heddle_message(h));
		ok = false;
	}
	if (h)
		heddle_close(h);
	free(t);
	return ok;
}

void device_units_free(struct device_units *list)
{
	for (size_t i = 0; i < list->n; i++)
		free_unit(&list->v[i]);
	free(list->v);
	*list = (struct device_units){0};
}
