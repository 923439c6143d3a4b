/* Reads the names of the functions that a shared library exports, for messages about missing
 * functions. */
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>
#include "nvcc/cc.h"

void cc_exports(const char *library, struct words *names)
{
	int fd = open(library, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	for (Elf_Scn *s = NULL; elf && (s = elf_nextscn(elf, s));) {
		GElf_Shdr sh;
		GElf_Sym sym;
		if (!gelf_getshdr(s, &sh) || sh.sh_type != SHT_DYNSYM)
			continue;
		Elf_Data *d = elf_getdata(s, NULL);
		for (int i = 1; d && gelf_getsym(d, i, &sym); i++) {
			const char *name = elf_strptr(elf, sh.sh_link, sym.st_name);
			if (name && sym.st_shndx != SHN_UNDEF &&
			    GELF_ST_TYPE(sym.st_info) == STT_FUNC)
				words_add(names, name);
		}
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}
