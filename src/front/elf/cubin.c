/* Reads the ELF cubins of sm_1x and sm_2x: code, constants, parameters and sizes become a native
 * module. libelf finds the sections; their contents are read byte by byte, because they may be
 * unaligned and are not trusted. reloc.c reads the relocation sections, front/native/relocate.c
 * applies them. */
#include "front/elf/cubin.h"

#include <stdlib.h>
#include <string.h>

enum { EM_CUDA_ = 190, STO_ENTRY = 0x10, STT_TEXTURE = 10, STT_SURFACE_ = 11, STT_SURFACE_12 = 12 };

bool cubin_bad(struct cubin *c, const char *fmt, ...)
{
	char buf[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	diag_error(c->d, "%s: %s", c->file, buf);
	c->failed = true;
	return false;
}

const char *cubin_suffix(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);
	return strncmp(name, prefix, n) ? NULL : name + n;
}

static bool read_sections(struct cubin *c)
{
	size_t n, strndx;
	if (elf_getshdrnum(c->elf, &n) || elf_getshdrstrndx(c->elf, &strndx))
		return cubin_bad(c, "corrupt ELF section table: %s", elf_errmsg(-1));
	for (size_t i = 0; i < n; i++) {
		struct section s = {.name = ""};
		Elf_Scn *scn = elf_getscn(c->elf, i);
		if (!scn || !gelf_getshdr(scn, &s.h))
			return cubin_bad(c, "corrupt ELF section %zu: %s", i, elf_errmsg(-1));
		const char *name = elf_strptr(c->elf, strndx, s.h.sh_name);
		if (i && !name)
			return cubin_bad(c, "ELF section %zu has no name: %s", i, elf_errmsg(-1));
		s.name = i ? name : "";
		if (i && s.h.sh_type != SHT_NOBITS && s.h.sh_size) {
			Elf_Data *d = elf_rawdata(scn, NULL);
			if (!d || !d->d_buf || d->d_size < s.h.sh_size)
				return cubin_bad(c, "ELF section %s reaches beyond the file",
						 s.name);
			s.data = d->d_buf;
			s.size = s.h.sh_size;
		}
		vec_push(&c->sec, s);
	}
	return true;
}

static const char *string_at(const struct cubin *c, size_t strsec, uint32_t off)
{
	if (strsec >= c->sec.n)
		return "";
	const struct section *s = &c->sec.v[strsec];
	if (off >= s->size || !memchr(s->data + off, 0, s->size - off))
		return "";
	return (const char *)s->data + off;
}

static void read_symbols(struct cubin *c)
{
	for (size_t i = 0; i < c->sec.n; i++) {
		const struct section *s = &c->sec.v[i];
		size_t rec = c->wide ? 24 : 16;
		if (s->h.sh_type != SHT_SYMTAB)
			continue;
		for (size_t o = 0; o + rec <= s->size; o += rec) {
			const uint8_t *p = s->data + o;
			struct sym y = {.name = string_at(c, s->h.sh_link, cubin_u32(p))};
			if (c->wide) {
				y.info = p[4], y.other = p[5], y.shndx = cubin_u16(p + 6);
				y.value = cubin_u64(p + 8), y.size = cubin_u64(p + 16);
			} else {
				y.value = cubin_u32(p + 4), y.size = cubin_u32(p + 8);
				y.info = p[12], y.other = p[13], y.shndx = cubin_u16(p + 14);
			}
			vec_push(&c->sym, y);
		}
		return;
	}
}

char *cubin_keep(struct cubin *c, const char *s) { return arena_strdup(&c->m->arena, s); }

static uint8_t *keep_bytes(struct cubin *c, const struct section *s)
{
	uint8_t *p = arena_alloc(&c->m->arena, s->h.sh_size ? s->h.sh_size : 1);
	if (s->data)
		memcpy(p, s->data, s->size);
	return p;
}

/* Counts the function symbols of one code section, kernels and others separately; section 0 counts
 * all sections. */
static void count_functions(const struct cubin *c, size_t section, unsigned *entries,
			    unsigned *others)
{
	*entries = *others = 0;
	for (size_t i = 0; i < c->sym.n; i++) {
		const struct sym *y = &c->sym.v[i];
		if ((y->info & 15) == STT_FUNC && (section ? y->shndx == section : y->shndx != 0))
			++*(y->other & STO_ENTRY ? entries : others);
	}
}

/* True for a section that holds no kernel, in a file that marks its kernels. */
static bool is_function(const struct cubin *c, size_t section)
{
	unsigned entries, others, all, rest;
	count_functions(c, section, &entries, &others);
	count_functions(c, 0, &all, &rest);
	return others && !entries && all;
}

static bool read_code(struct cubin *c, size_t index, const char *name)
{
	const struct section *s = &c->sec.v[index];
	if (!s->data)
		return cubin_bad(c, "kernel %s has no code", name);
	if (native_code_named(c->m, name))
		return cubin_bad(c, "two sections of code for kernel %s", name);
	struct nkernel *k;
	if (is_function(c, index)) {
		vec_push(&c->m->function, (struct nkernel){.name = cubin_keep(c, name)});
		k = &c->m->function.v[c->m->function.n - 1];
	} else {
		k = native_kernel_new(c->m, cubin_keep(c, name));
	}
	k->code = keep_bytes(c, s);
	k->size = s->size;
	k->regs = (unsigned)(s->h.sh_info >> 24);
	k->regs_known = k->regs != 0;
	k->bars = (unsigned)(s->h.sh_flags >> 20 & 0x1f);
	k->param_base = c->m->isa == NATIVE_FERMI ? 0x20 : 0x10;
	for (size_t i = 0; i < c->sym.n; i++) {
		const struct sym *y = &c->sym.v[i];
		if (y->shndx != index || (y->info & 15) != STT_FUNC)
			continue;
		if (!strcmp(y->name, name))
			k->entry = (uint32_t)y->value;
		else if (!(y->other & STO_ENTRY))
			vec_push(&k->func,
				 (struct nsymbol){cubin_keep(c, y->name), NSYM_FUNC, k->name,
						  y->value, y->size, ~0u, false});
	}
	return true;
}

static bool place_functions(struct cubin *c)
{
	size_t end;
	return native_functions_place(c->m, &end) ||
	       cubin_bad(c, "0x%zx bytes of code are more than a branch reaches", end);
}

/* .nv.constantN, .nv.constantN.kernel */
static bool read_bank(struct cubin *c, const struct section *s, const char *rest)
{
	char *end;
	unsigned long bank = strtoul(rest, &end, 10);
	if (end == rest || bank > 31 || (*end && *end != '.'))
		return true;
	if (s->h.sh_size > 65536)
		return cubin_bad(c, "section %s is larger than a constant bank", s->name);
	struct nbank b = {(unsigned)bank, keep_bytes(c, s), s->h.sh_size};
	if (!*end) {
		vec_push(&c->m->bank, b);
		return true;
	}
	struct nkernel *k = native_code_named(c->m, end + 1);
	if (!k)
		return cubin_bad(c, "section %s: no such kernel", s->name);
	vec_push(&k->bank, b);
	return true;
}

static struct nsymbol *texture_named(struct cubin *c, const char *name)
{
	for (size_t i = 0; i < c->m->symbol.n; i++)
		if (!strcmp(c->m->symbol.v[i].name, name))
			return &c->m->symbol.v[i];
	return NULL;
}

static void param_at(struct cubin *c, struct nkernel *k, unsigned ordinal, uint32_t off,
		     uint32_t size)
{
	if (ordinal >= 1024)
		return;
	if (ordinal >= k->nparam) {
		struct nparam *p = ARENA_ARRAY(&c->m->arena, struct nparam, ordinal + 1);
		if (k->nparam)
			memcpy(p, k->param, k->nparam * sizeof(*p));
		k->param = p;
		k->nparam = ordinal + 1;
	}
	k->param[ordinal] = (struct nparam){off, size};
}

/* Reads one record of .nv.info or .nv.info.KERNEL; k is NULL for the module's section. */
static void info_record(struct cubin *c, struct nkernel *k, unsigned attr, const uint8_t *p,
			size_t n, unsigned val)
{
	struct nsymbol *t;
	uint32_t sym;
	switch (attr) {
	case 0x02: /* IMAGE_SLOT */
		sym = n >= 8 ? cubin_u32(p) : ~0u;
		if (sym < c->sym.n && (t = texture_named(c, c->sym.v[sym].name)))
			t->slot = cubin_u32(p + 4);
		return;
	case 0x05:
	case 0x10: /* MAX_THREADS, REQNTID */
		for (unsigned i = 0; k && i < 3 && n >= 12; i++)
			(attr == 5 ? k->max_threads : k->reqntid)[i] = cubin_u32(p + 4 * i);
		return;
	case 0x0a: /* PARAM_CBANK */
		if (k && n >= 8) {
			k->param_base = cubin_u16(p + 4);
			k->param_size = cubin_u16(p + 6);
		}
		return;
	case 0x0b:
	case 0x0c: /* SMEM_, CBANK_PARAM_OFFSETS */
		for (size_t i = 0; k && i + 4 <= n; i += 4)
			if (i / 4 >= k->nparam || !k->param[i / 4].size)
				param_at(c, k, (unsigned)(i / 4), cubin_u32(p + i), 0);
		return;
	case 0x11:
	case 0x12: /* FRAME_SIZE, MIN_STACK_SIZE */
		sym = n >= 8 ? cubin_u32(p) : ~0u;
		if (sym >= c->sym.n)
			return;
		unsigned sh = c->sym.v[sym].shndx;
		const char *in = sh < c->sec.n ? cubin_suffix(c->sec.v[sh].name, ".text.") : NULL;
		struct nkernel *q = in ? native_code_named(c->m, in) : NULL;
		if (q && cubin_u32(p + 4) > q->stack && cubin_u32(p + 4) < 1u << 24)
			q->stack = cubin_u32(p + 4);
		return;
	case 0x17: /* KPARAM_INFO */
		if (k && n >= 12)
			param_at(c, k, cubin_u16(p + 4), cubin_u16(p + 6), cubin_u32(p + 8) >> 18);
		return;
	case 0x18:
	case 0x19: /* SMEM_, CBANK_PARAM_SIZE */
		if (k)
			k->param_size = n >= 2 ? cubin_u16(p) : val;
		return;
	}
}

static bool read_info(struct cubin *c, const struct section *s, const char *kernel)
{
	struct nkernel *k = kernel ? native_code_named(c->m, kernel) : NULL;
	if (kernel && !k)
		return cubin_bad(c, "section %s: no such kernel", s->name);
	for (size_t o = 0; o + 4 <= s->size;) {
		unsigned fmt = s->data[o], attr = s->data[o + 1], val = cubin_u16(s->data + o + 2);
		o += 4;
		size_t len = fmt == 4 ? val : 0;
		if (len > s->size - o)
			return cubin_bad(c, "section %s: attribute 0x%02x reaches beyond its end",
					 s->name, attr);
		if (fmt < 1 || fmt > 4)
			return cubin_bad(c, "section %s: unknown attribute format %u", s->name,
					 fmt);
		info_record(c, k, attr, s->data + o, len, val);
		o += len;
	}
	return true;
}

/* Sets sizes of parameters whose offset alone is known: each extends to the next parameter. */
static void settle_params(struct nkernel *k)
{
	for (unsigned i = 0; i < k->nparam; i++) {
		if (k->param[i].size)
			continue;
		uint32_t end = k->param_size;
		for (unsigned j = 0; j < k->nparam; j++)
			if (k->param[j].offset > k->param[i].offset && k->param[j].offset < end)
				end = k->param[j].offset;
		k->param[i].size = end > k->param[i].offset ? end - k->param[i].offset : 0;
	}
}

static void read_objects(struct cubin *c)
{
	for (size_t i = 0; i < c->sym.n; i++) {
		const struct sym *y = &c->sym.v[i];
		unsigned type = y->info & 15;
		if (!y->name[0] || (type != STT_OBJECT && type != STT_TEXTURE &&
				    type != STT_SURFACE_ && type != STT_SURFACE_12))
			continue;
		bool local = y->info >> 4 == STB_LOCAL;
		vec_push(&c->m->symbol,
			 (struct nsymbol){cubin_keep(c, y->name),
					  type == STT_OBJECT    ? NSYM_OBJECT
					  : type == STT_TEXTURE ? NSYM_TEXTURE
								: NSYM_SURFACE,
					  y->shndx && y->shndx < c->sec.n
						  ? cubin_keep(c, c->sec.v[y->shndx].name)
						  : NULL,
					  y->value, y->size, ~0u, local});
	}
}

static bool read_data(struct cubin *c, const struct section *s)
{
	const char *rest;
	struct nkernel *k;
	if ((rest = cubin_suffix(s->name, ".nv.constant")))
		return read_bank(c, s, rest);
	if ((rest = cubin_suffix(s->name, ".nv.info.")))
		return read_info(c, s, rest);
	if (!strcmp(s->name, ".nv.info"))
		return read_info(c, s, NULL);
	bool shared = (rest = cubin_suffix(s->name, ".nv.shared.")) != NULL;
	if (shared || (rest = cubin_suffix(s->name, ".nv.local."))) {
		if (!(k = native_code_named(c->m, rest)))
			return cubin_bad(c, "section %s: no such kernel", s->name);
		if (s->h.sh_size > 1u << 24)
			return cubin_bad(c, "section %s is too large", s->name);
		*(shared ? &k->shared : &k->local) = (uint32_t)s->h.sh_size;
		return true;
	}
	if (!strcmp(s->name, ".nv.global.init")) {
		c->m->global_init = s->data ? keep_bytes(c, s) : NULL;
		c->m->global_init_size = s->size;
	} else if (!strcmp(s->name, ".nv.global")) {
		c->m->global_size = s->h.sh_size;
	}
	return true;
}

/* True for a file without code: a file of variables, or the empty result of linking files that need
 * no device linking. */
static bool is_data(const struct cubin *c)
{
	bool symbols = false;
	for (size_t i = 0; i < c->sec.n; i++) {
		symbols |= c->sec.v[i].h.sh_type == SHT_SYMTAB;
		if (c->sec.v[i].h.sh_flags & SHF_EXECINSTR)
			return false;
	}
	return symbols;
}

static bool read_all(struct cubin *c)
{
	GElf_Ehdr h;
	const char *name;
	if (!gelf_getehdr(c->elf, &h))
		return cubin_bad(c, "corrupt ELF header: %s", elf_errmsg(-1));
	if (h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_machine != EM_CUDA_)
		return cubin_bad(c, "ELF file is not a cubin (machine %u)", h.e_machine);
	size_t end;
	elf_rawfile(c->elf, &end);
	if (h.e_shoff > end || (uint64_t)h.e_shnum * h.e_shentsize > end - h.e_shoff)
		return cubin_bad(
			c,
			"its sections are listed at 0x%llx, beyond the end of the file at 0x%zx: it is truncated or corrupt",
			(unsigned long long)h.e_shoff, end);
	if (h.e_phnum && (h.e_phoff > end || (uint64_t)h.e_phnum * h.e_phentsize > end - h.e_phoff))
		return cubin_bad(
			c,
			"its segments are listed at 0x%llx, beyond the end of the file at 0x%zx: it is truncated or corrupt",
			(unsigned long long)h.e_phoff, end);
	c->wide = h.e_ident[EI_CLASS] == ELFCLASS64;
	c->m->addr64 = c->wide;
	c->m->addr_known = true;
	if (!native_arch(c->m, h.e_flags & 0xff))
		return cubin_bad(c, "cubin is for sm_%u; only sm_1x and sm_2x are supported",
				 (unsigned)(h.e_flags & 0xff));
	if (!read_sections(c))
		return false;
	read_symbols(c);
	read_objects(c);
	for (size_t i = 0; i < c->sec.n; i++)
		if ((name = cubin_suffix(c->sec.v[i].name, ".text.")) && !read_code(c, i, name))
			return false;
	if (!place_functions(c))
		return false;
	for (size_t i = 0; i < c->sec.n; i++)
		if (!read_data(c, &c->sec.v[i]))
			return false;
	for (size_t i = 0; i < c->sec.n; i++)
		if (((name = cubin_suffix(c->sec.v[i].name, ".rel")) && name[0] == '.' &&
		     !cubin_relocs(c, &c->sec.v[i], name)) ||
		    ((name = cubin_suffix(c->sec.v[i].name, ".rela")) &&
		     !cubin_relocs(c, &c->sec.v[i], name)))
			return false;
	for (size_t i = 0; i < c->m->function.n; i++)
		if (!native_kernel_decode(c->m, &c->m->function.v[i], c->file, c->d))
			return false;
	for (size_t i = 0; i < c->m->kernel.n; i++) {
		settle_params(&c->m->kernel.v[i]);
		if (!native_kernel_decode(c->m, &c->m->kernel.v[i], c->file, c->d))
			return false;
	}
	return c->m->kernel.n || is_data(c) || cubin_bad(c, "cubin has no kernels");
}

bool native_read_elf(struct nmodule *m, const char *file, const void *data, size_t n,
		     struct diag *d)
{
	struct cubin c = {.m = m, .file = file, .d = d};
	elf_version(EV_CURRENT);
	/* libelf takes ownership, because it may convert the bytes in place */
	char *copy = xmalloc(n + 1);
	memcpy(copy, data, n);
	c.elf = elf_memory(copy, n);
	bool ok = c.elf && elf_kind(c.elf) == ELF_K_ELF ? read_all(&c)
							: cubin_bad(&c, "corrupt ELF file");
	if (c.elf)
		elf_end(c.elf);
	free(copy);
	vec_free(&c.sec);
	vec_free(&c.sym);
	return ok;
}
