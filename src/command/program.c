#include "command/program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command/command.h"
#include "command/needs.h"

bool program_is(const char *path)
{
	/* ELF machine of a cubin, which is an executable too, but not for this host */
	enum { EM_CUDA_CODE = 190 };
	char magic[20] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool elf = read(fd, magic, sizeof magic) == sizeof magic && !memcmp(magic, "\177ELF", 4) &&
		   (magic[16] == ET_EXEC || magic[16] == ET_DYN) &&
		   (unsigned char)magic[18] != EM_CUDA_CODE;
	close(fd);
	return elf;
}

/* ---- how the program is linked ---- */

static bool needs_runtime(Elf *elf, Elf_Scn *dynamic, const GElf_Shdr *sh)
{
	Elf_Data *d = elf_getdata(dynamic, NULL);
	for (size_t i = 0; d && sh->sh_entsize && i < sh->sh_size / sh->sh_entsize; i++) {
		GElf_Dyn dyn;
		const char *s;
		if (!gelf_getdyn(d, (int)i, &dyn) || dyn.d_tag != DT_NEEDED ||
		    !(s = elf_strptr(elf, sh->sh_link, dyn.d_un.d_val)))
			continue;
		/* a program linked with a CUDA home has the library's whole path */
		const char *slash = strrchr(s, '/');
		s = slash ? slash + 1 : s;
		if (!strncmp(s, "libcudart.so", 12) || !strncmp(s, "libcuda.so", 10))
			return true;
	}
	return false;
}

static bool defines_runtime(Elf *elf, Elf_Scn *table, const GElf_Shdr *sh)
{
	Elf_Data *d = elf_getdata(table, NULL);
	for (size_t i = 0; d && sh->sh_entsize && i < sh->sh_size / sh->sh_entsize; i++) {
		GElf_Sym sym;
		const char *s;
		if (gelf_getsym(d, (int)i, &sym) && sym.st_shndx != SHN_UNDEF &&
		    (s = elf_strptr(elf, sh->sh_link, sym.st_name)) &&
		    !strcmp(s, "__cudaRegisterFatBinary"))
			return true;
	}
	return false;
}

/* True if the program is linked with the static runtime: it has a fat binary, but asks for no
 * runtime library. */
static bool is_static(const char *path)
{
	bool fatbin = false, needs = false, defines = false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	size_t names = 0;
	if (elf && !elf_getshdrstrndx(elf, &names))
		for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
			GElf_Shdr sh;
			if (!gelf_getshdr(s, &sh))
				continue;
			const char *name = elf_strptr(elf, names, sh.sh_name);
			fatbin |= name && (!strcmp(name, ".nv_fatbin") ||
					   !strcmp(name, ".nvFatBinSegment"));
			if (sh.sh_type == SHT_DYNAMIC)
				needs |= needs_runtime(elf, s, &sh);
			if (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM)
				defines |= defines_runtime(elf, s, &sh);
		}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return defines || (fatbin && !needs);
}

/* ---- the environment ---- */

/* Returns the folder of libcudart: from the environment, beside this program, or where it is
 * installed. */
static char *library_dir(void)
{
	static const char *const places[] = {"", "/../lib/heddle", "/../lib"};
	char exe[4096], *dir = NULL;
	const char *env = getenv("HEDDLE_CUDA_LIB");
	if (env && *env)
		return strdup(env);
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n < 0)
		return NULL;
	exe[n] = 0;
	*strrchr(exe, '/') = 0;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		char *lib = NULL;
		free(dir);
		if (asprintf(&dir, "%s%s", exe, places[i]) < 0 ||
		    asprintf(&lib, "%s/libcudart.so", dir) < 0)
			return NULL;
		bool there = !access(lib, R_OK);
		free(lib);
		if (there)
			return dir;
	}
	free(dir);
	return NULL;
}

char *program_library(void)
{
	char *dir = library_dir(), *file = NULL;
	if (dir && asprintf(&file, "%s/libcudart.so", dir) < 0)
		file = NULL;
	free(dir);
	return file;
}

static void set_variable(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
}

static bool put_library(void)
{
	char *dir = library_dir(), *path = NULL;
	const char *old = getenv("LD_LIBRARY_PATH");
	if (!dir)
		return false;
	bool ok =
		asprintf(&path, "%s%s%s", dir, old && *old ? ":" : "", old && *old ? old : "") >= 0;
	if (ok)
		set_variable("LD_LIBRARY_PATH", path);
	free(dir);
	free(path);
	return ok;
}

int program_exec(const struct program_options *o, char **argv)
{
	if (is_static(argv[0])) {
		cli_error(
			"run",
			"%s is linked with CUDA's static runtime, which cannot be replaced; link it with "
			"`nvcc -cudart shared`, or build it with `heddle cc`",
			argv[0]);
		return CLI_FAILED;
	}
	if (!put_library()) {
		cli_error("run", "libcudart.so is not beside the program; HEDDLE_CUDA_LIB names "
				 "its directory");
		return CLI_FAILED;
	}
	set_variable("HEDDLE_MODE", o->mode);
	set_variable("HEDDLE_CONFIG", o->config);
	set_variable("HEDDLE_SET", o->set);
	set_variable("HEDDLE_NATIVE", o->native);
	set_variable("HEDDLE_NATIVE_STACK", o->native_stack);
	set_variable("HEDDLE_CODE", o->code);
	set_variable("HEDDLE_STATS", o->stats);
	set_variable("HEDDLE_THREADS", o->threads);
	set_variable("HEDDLE_CHECK", o->check);
	set_variable("HEDDLE_CHECK_REPORT", o->check_report);
	set_variable("HEDDLE_RECORD", o->record);
	set_variable("HEDDLE_MAX_INSTRUCTIONS", o->max_instructions);
	set_variable("HEDDLE_MAX_CYCLES", o->max_cycles);
	set_variable("HEDDLE_REVERSE", o->reverse);
	set_variable("HEDDLE_SAMPLE", o->sample);
	set_variable("HEDDLE_SAMPLE_FILE", o->sample_file);
	set_variable("HEDDLE_SERIES", o->series);
	set_variable("HEDDLE_STATS_SUMS", o->sums);
	set_variable("HEDDLE_TRACE", o->trace);
	set_variable("HEDDLE_TRACE_FROM", o->trace_from);
	set_variable("HEDDLE_TRACE_TO", o->trace_to);
	set_variable("HEDDLE_TRACE_SM", o->trace_sm);
	set_variable("HEDDLE_LAUNCHES", o->launches);
	set_variable("HEDDLE_KERNELS", o->kernels);
	set_variable("HEDDLE_SKIP", o->skip);
	set_variable("HEDDLE_WARM", o->warm);
	set_variable("HEDDLE_ERROR", o->error);
	set_variable("HEDDLE_SEED", o->seed);
	set_variable("HEDDLE_SAVE", o->save);
	set_variable("HEDDLE_RESTORE", o->restore);
	set_variable("HEDDLE_ACCESSES", o->accesses);
	set_variable("HEDDLE_CHECKPOINT_EVERY", o->checkpoint_every);
	set_variable("HEDDLE_FAIL_ON_FAULT", o->own_status ? "0" : "1");
	set_variable("HEDDLE_DEBUG", o->debug);
	set_variable("HEDDLE_QUIET", o->quiet ? "1" : NULL);
	/* execv() without PATH: the name is that of a file */
	char *file = NULL, *dir = library_dir();
	if (!strchr(argv[0], '/') && asprintf(&file, "./%s", argv[0]) < 0)
		file = NULL;
	bool ready = needs_report(file ? file : argv[0], dir ? dir : "");
	free(dir);
	if (!ready) {
		free(file);
		return CLI_FAILED;
	}
	execv(file ? file : argv[0], argv);
	cli_error("run", "%s: %s", *argv[0] ? argv[0] : "''", strerror(errno));
	free(file);
	return CLI_FAILED;
}
