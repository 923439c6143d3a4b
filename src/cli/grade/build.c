/* Checks and compiles a student's source: see grade.h. */
#include "cli/grade/grade.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command/suite.h"

/* ---- the source ---- */

/* The source without comments and the contents of literals, in place; line ends stay. */
static void blank_comments(char *s)
{
	enum { CODE, LINE, BLOCK, TEXT } at = CODE;
	char quote = 0;
	for (; *s; s++) {
		if (at == CODE && s[0] == '/' && (s[1] == '/' || s[1] == '*')) {
			at = s[1] == '/' ? LINE : BLOCK;
			*s++ = ' ';
			*s = ' ';
		} else if (at == CODE && (*s == '"' || *s == '\'')) {
			at = TEXT;
			quote = *s;
		} else if (at == TEXT && *s == '\\' && s[1]) {
			*s++ = ' ';
			if (*s != '\n')
				*s = ' ';
		} else if (at == TEXT && (*s == quote || *s == '\n')) {
			at = CODE;
		} else if (at == LINE && *s == '\n') {
			at = CODE;
		} else if (at == BLOCK && s[0] == '*' && s[1] == '/') {
			at = CODE;
			*s++ = ' ';
			*s = ' ';
		} else if (at != CODE && *s != '\n') {
			*s = ' ';
		}
	}
}

/* Joins lines that a backslash divides, as the compiler does first. */
static void splice_lines(char *s)
{
	char *to = s;
	for (; *s; s++) {
		if (s[0] == '\\' && s[1] == '\n')
			s++;
		else
			*to++ = *s;
	}
	*to = 0;
}

static unsigned line_of(const char *text, const char *at)
{
	unsigned n = 1;
	for (; text < at; text++)
		n += *text == '\n';
	return n;
}

/* The first word in the code that a policy may not use; NULL: none. */
static const char *find_forbidden(const char *code, const char **word)
{
	static const char *const words[] = {
		"asm",     "__asm",          "__asm__",     "__attribute__", "__attribute",
		"_Pragma", "__builtin_trap", "constructor", "destructor"};
	for (const char *s = code; *s;) {
		if (!isalpha((unsigned char)*s) && *s != '_') {
			static const char *const signs[] = {"##", "%:", "??", "\\"};
			for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
				if (!strncmp(s, signs[i], strlen(signs[i]))) {
					*word = signs[i];
					return s;
				}
			s++;
			continue;
		}
		size_t n = strspn(
			s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (strlen(words[i]) == n && !memcmp(words[i], s, n)) {
				*word = words[i];
				return s;
			}
		s += n;
	}
	return NULL;
}

/* A line of the source that includes anything but a header of the simulator or one without functions. */
static const char *find_include(const char *source, char *name, size_t n)
{
	static const char *const plain[] = {"stdbool.h", "stddef.h", "stdint.h", "string.h",
					    "limits.h"};
	static const char *const rooms[] = {"sm/",   "gpu/",    "mem/", "conf/",
					    "stat/", "policy/", "base/"};
	for (const char *s = source; s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL) {
		const char *p = s + strspn(s, " \t");
		if (*p != '#')
			continue;
		p++;
		p += strspn(p, " \t");
		bool pragma = !strncmp(p, "pragma", 6);
		if (strncmp(p, "include", 7) && !pragma)
			continue;
		p += 7;
		p += strspn(p, " \t_next");
		snprintf(name, n, "%.*s", (int)strcspn(p, "\n"), pragma ? "#pragma" : p);
		char *end = name + strlen(name);
		while (end > name && isspace((unsigned char)end[-1]))
			*--end = 0;
		bool ok = false;
		for (size_t i = 0; !pragma && i < sizeof plain / sizeof *plain; i++)
			ok |= name[0] == '<' && !strncmp(name + 1, plain[i], strlen(plain[i])) &&
			      !strcmp(name + 1 + strlen(plain[i]), ">");
		for (size_t i = 0; !pragma && i < sizeof rooms / sizeof *rooms; i++)
			ok |= name[0] == '"' && !strncmp(name + 1, rooms[i], strlen(rooms[i])) &&
			      !strstr(name, "..");
		if (!ok)
			return s;
	}
	return NULL;
}

/* Finds the name after "const struct FAMILY_ops FAMILY_" at the beginning of a line; false: there
 * is not exactly one such line. */
static bool find_table(const char *code, const char *family, char name[BUILD_TABLE], char *why,
		       size_t n)
{
	char head[64];
	unsigned found = 0;
	snprintf(head, sizeof head, "const struct %s_ops %s_", family, family);
	for (const char *s = code; s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL) {
		if (strncmp(s, head, strlen(head)))
			continue;
		const char *at = s + strlen(head);
		size_t k = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
		if (!k || k >= BUILD_TABLE || strncmp(at + k, " = ", 3))
			continue;
		memcpy(name, at, k);
		name[k] = 0;
		found++;
	}
	if (found != 1)
		snprintf(why, n, "%s: expected one line that begins with `%sNAME = `, found %u",
			 "the policy's table", head, found);
	return found == 1;
}

static bool check_source(const char *file, char *source, const char *family,
			 char table[BUILD_TABLE], char *why, size_t n)
{
	char name[200];
	splice_lines(source);
	const char *word, *at = find_include(source, name, sizeof name);
	if (at) {
		snprintf(
			why, n,
			"%s:%u: a policy may not use %s; expected headers of sm/, gpu/, mem/ and <stdint.h>",
			file, line_of(source, at), name);
		return false;
	}
	char *code = strdup(source);
	if (!code)
		return false;
	blank_comments(code);
	at = find_forbidden(code, &word);
	if (at)
		snprintf(why, n, "%s:%u: a policy may not use %s", file, line_of(code, at), word);
	bool ok = !at && find_table(code, family, table, why, n);
	free(code);
	return ok;
}

/* ---- the compiler ---- */

/* Runs a command within `seconds` of processor time, with its output in `log`; returns its exit
 * status, or -1. */
static int run_tool(char *const argv[], const char *log, unsigned seconds)
{
	int status;
	pid_t pid = fork();
	if (!pid) {
		int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600),
		    null = open("/dev/null", O_RDONLY);
		struct rlimit cpu = {seconds, seconds};
		dup2(null, STDIN_FILENO);
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
		setrlimit(RLIMIT_CPU, &cpu);
		execvp(argv[0], argv);
		dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Copies the first of a tool's messages, without the names of temporary folders. */
static void quote_log(const char *log, const char *folder, char *why, size_t n)
{
	FILE *f = fopen(log, "r");
	size_t k = f ? fread(why, 1, n - 1, f) : 0;
	why[k] = 0;
	if (f)
		fclose(f);
	for (char *at; folder && (at = strstr(why, folder));)
		memmove(at, at + strlen(folder), strlen(at + strlen(folder)) + 1);
	if (!k)
		snprintf(why, n, "the compiler failed without a message");
}

static char *join_path(const char *folder, const char *name)
{
	char *path;
	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static bool write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	bool ok = f && fputs(text, f) >= 0;
	return f && !fclose(f) && ok;
}

/* The folder of headers: src/ of the source tree, or the installed copy. */
static char *headers(void)
{
	static const char *const places[] = {"../share/heddle/src", "../src"};
	for (unsigned i = 0; i < 2; i++) {
		char *dir = suite_beside(places[i]), *real = dir ? realpath(dir, NULL) : NULL;
		char *probe = real ? join_path(real, "policy/registry.h") : NULL;
		bool there = probe && !access(probe, R_OK);
		free(dir);
		free(probe);
		if (there)
			return real;
		free(real);
	}
	return NULL;
}

/* The folder of the public header, beside the others. */
static char *public_header(const char *src)
{
	static const char *const places[] = {"../include", "../../../include"};
	for (unsigned i = 0; i < 2; i++) {
		char *dir = join_path(src, places[i]),
		     *probe = dir ? join_path(dir, "heddle.h") : NULL;
		bool there = probe && !access(probe, R_OK);
		free(probe);
		if (there)
			return dir;
		free(dir);
	}
	return NULL;
}

/* ---- the object ---- */

static bool is_allowed(const char *name)
{
	static const char *const whole[] = {"memset",
					    "memcpy",
					    "memmove",
					    "memcmp",
					    "__stack_chk_fail",
					    "machine_own",
					    "abs",
					    "_GLOBAL_OFFSET_TABLE_",
					    "__gmon_start__",
					    "__cxa_finalize",
					    "_ITM_deregisterTMCloneTable",
					    "_ITM_registerTMCloneTable"};
	static const char *const begin[] = {"pick_", "disp_", "block_"};
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (!strcmp(name, whole[i]))
			return true;
	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
		if (!strncmp(name, begin[i], strlen(begin[i])))
			return true;
	return false;
}

/* Refuses objects that call functions a policy may not call, or that contain code that runs at load
 * time. */
static bool check_object(const char *path, char *why, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	Elf *e = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	bool ok = e != NULL;
	size_t names = 0;
	if (!ok || elf_getshdrstrndx(e, &names))
		snprintf(why, n, "the compiler made no object");
	for (Elf_Scn *s = NULL; ok && (s = elf_nextscn(e, s));) {
		GElf_Shdr h;
		gelf_getshdr(s, &h);
		const char *name = elf_strptr(e, names, h.sh_name);
		if (h.sh_type == SHT_INIT_ARRAY || h.sh_type == SHT_PREINIT_ARRAY ||
		    h.sh_type == SHT_FINI_ARRAY ||
		    (name && (!strcmp(name, ".ctors") || !strcmp(name, ".init")))) {
			snprintf(why, n, "a policy may not have code that runs when it is loaded");
			ok = false;
		}
		Elf_Data *d = h.sh_type == SHT_DYNSYM ? elf_getdata(s, NULL) : NULL;
		for (size_t i = 1; ok && d && i < h.sh_size / h.sh_entsize; i++) {
			GElf_Sym y;
			gelf_getsym(d, (int)i, &y);
			const char *symbol = elf_strptr(e, h.sh_link, y.st_name);
			if (y.st_shndx == SHN_UNDEF && symbol && *symbol && !is_allowed(symbol)) {
				snprintf(why, n, "a policy may not call %s", symbol);
				ok = false;
			}
		}
	}
	if (e)
		elf_end(e);
	if (fd >= 0)
		close(fd);
	return ok;
}

/* ---- policies ---- */

void build_free(struct policy_build *b)
{
	static const char *const files[] = {"policy.c", "list.c", "policy.so", "log"};
	for (size_t i = 0; b->folder && i < sizeof files / sizeof *files; i++) {
		char *path = join_path(b->folder, files[i]);
		if (path)
			unlink(path);
		free(path);
	}
	if (b->folder)
		rmdir(b->folder);
	free(b->folder);
	free(b->object);
	*b = (struct policy_build){0};
}

static bool compile_policy(struct policy_build *b, const char *source, const char *file,
			   const char *family, char *why, size_t n)
{
	char *src = headers(), *include = src ? public_header(src) : NULL,
	     *list = join_path(b->folder, "list.c"), *log = join_path(b->folder, "log"),
	     *copy = join_path(b->folder, "policy.c"), *slash = join_path(b->folder, ""), *text;
	const char *cc = getenv("CC"), *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	char in[2][4200];
	bool ok = false;
	b->object = join_path(b->folder, "policy.so");
	if (!src || !include) {
		snprintf(why, n, "the simulator's headers are not installed beside heddle");
	} else if (
		asprintf(
			&text,
			"#include \"policy.c\"\n"
			"#include \"heddle.h\"\n#include \"policy/registry.h\"\n"
			"const char heddle_policies_version[] = HEDDLE_VERSION;\n"
			"const struct policy_entry heddle_policies[] = {{FAMILY_%s, &%s_%s}, {0}};\n",
			family, family, b->table) >= 0) {
		char *numbered;
		if (asprintf(&numbered, "#line 1 \"%s\"\n%s", base, source) < 0)
			numbered = NULL;
		snprintf(in[0], sizeof in[0], "-I%s", src);
		snprintf(in[1], sizeof in[1], "-I%s", include);
		char *argv[] = {(char *)(uintptr_t)(cc && *cc && !strchr(cc, ' ') ? cc : "cc"),
				"-std=gnu17",
				"-O2",
				"-fPIC",
				"-shared",
				"-nostartfiles",
				"-D_GNU_SOURCE",
				"-Wall",
				in[0],
				in[1],
				"-o",
				b->object,
				list,
				NULL};
		if (numbered && write_text(copy, numbered) && write_text(list, text)) {
			ok = run_tool(argv, log, 30) == 0;
			if (!ok)
				quote_log(log, slash, why, n);
		}
		free(numbered);
		free(text);
	}
	free(src);
	free(include);
	free(list);
	free(log);
	free(copy);
	free(slash);
	return ok;
}

bool build_policy(struct policy_build *b, const char *file, const char *family, char *why, size_t n)
{
	size_t size;
	char *source = cli_read("grade", file, &size);
	*b = (struct policy_build){0};
	snprintf(why, n, "the file cannot be read");
	if (!source)
		return false;
	bool ok = !memchr(source, 0, size) && size < 1 << 20;
	if (!ok)
		snprintf(why, n, "%s: no C source of at most 1 MiB", file);
	char *folder = ok ? cli_temp_name("grade", "") : NULL;
	ok = ok && check_source(file, source, family, b->table, why, n) && folder &&
	     mkdtemp(folder);
	if (ok) {
		b->folder = folder;
		ok = compile_policy(b, source, file, family, why, n) &&
		     check_object(b->object, why, n);
	} else {
		free(folder);
	}
	for (char *c = b->table; *c; c++)
		*c = *c == '_' ? '-' : *c;
	free(source);
	return ok;
}

/* ---- kernels ---- */

char *build_kernel(const char *file, char *why, size_t n)
{
	size_t len = strlen(file), size;
	if (len > 4 && !strcmp(file + len - 4, ".ptx"))
		return cli_read("grade", file, &size);
	char *ptx = cli_temp("grade", ".ptx"), *log = cli_temp("grade", ".log"), *text = NULL;
	char *argv[] = {"/proc/self/exe",        "cc", "-ptx", "-lineinfo", "-O2", "-arch=sm_90a",
			(char *)(uintptr_t)file, "-o", ptx,    NULL};
	if (ptx && log && !run_tool(argv, log, 60))
		text = cli_read("grade", ptx, &size);
	else if (log)
		quote_log(log, NULL, why, n);
	cli_temp_end(ptx);
	cli_temp_end(log);
	return text;
}
