/* Reads the relocation sections (REL and RELA) of cubins for sm_1x and sm_2x.
 * front/native/relocate.c applies the records. */
#include "front/elf/cubin.h"

#include <string.h>

static const char *section_of(const struct cubin *c, const struct sym *y)
{
	return y->shndx && y->shndx < c->sec.n ? c->sec.v[y->shndx].name : "";
}

static bool apply_one(struct cubin *c, const struct nplace *p, struct nreloc r, const struct sym *y)
{
	char err[256];
	const char *in = section_of(c, y);
	r.symbol = cubin_keep(c, y->name[0] ? y->name : in);
	struct nsymbol to = {.name = y->name, .section = *in ? in : NULL, .value = y->value};
	return native_relocate(c->m, p, r, &to, err, sizeof err) || cubin_bad(c, "%s", err);
}

bool cubin_relocs(struct cubin *c, const struct section *s, const char *of)
{
	struct nplace p;
	bool rela = s->h.sh_type == SHT_RELA;
	size_t rec = (c->wide ? 16u : 8u) + (rela ? (c->wide ? 8u : 4u) : 0u);
	const char *wrong = native_place(c->m, of, &p);
	if (wrong)
		return cubin_bad(c, "relocations of %s: %s", of, wrong);
	for (size_t o = 0; p.data && o + rec <= s->size; o += rec) {
		const uint8_t *q = s->data + o;
		struct nreloc r = {.offset = c->wide ? cubin_u64(q) : cubin_u32(q)};
		uint64_t info = c->wide ? cubin_u64(q + 8) : cubin_u32(q + 4),
			 sym = c->wide ? info >> 32 : info >> 8;
		r.type = (uint32_t)(c->wide ? info & 0xffffffffu : info & 0xff);
		if (rela)
			r.addend = c->wide ? (int64_t)cubin_u64(q + 16) : (int32_t)cubin_u32(q + 8);
		if (sym >= c->sym.n)
			return cubin_bad(c, "relocations of %s: the file has no symbol %llu", of,
					 (unsigned long long)sym);
		if (!apply_one(c, &p, r, &c->sym.v[sym]))
			return false;
	}
	return true;
}
