/* Textures by reference: TEX with float, TLD with integer coordinates, both in consecutive registers. */
#include "back/sel.h"

static const char *geometry_name(unsigned geom)
{
	switch (geom) {
	case GEOM_1D: return "1D";
	case GEOM_2D: return "2D";
	case GEOM_3D: return "3D";
	case GEOM_A1D: return "ARRAY_1D";
	case GEOM_A2D: return "ARRAY_2D";
	default: return NULL;
	}
}

int layout_texture(const struct layout *l, const struct var *v)
{
	for (size_t i = 0; i < l->texture.n; i++)
		if (l->texture.v[i] == v)
			return (int)i;
	return -1;
}

bool sel_tex(struct sel *s)
{
	const struct inst *in = s->in;
	if (in->op != OP_TEX)
		return false;
	const struct opnd *h = inst_src(in, 0);
	const struct var *v = h->kind == OPND_SYM ? h->sym : NULL;
	const char *geom = geometry_name(in->geom);
	int slot = v ? layout_texture(s->lay, v->def ? v->def : v) : -1;
	if (!v)
		sel_refuse(s, "with a texture object; textures of this machine are references");
	else if (!geom || in->mode != TEX_PLAIN || in->vec != 4 || in->grp[0] || in->grp[3] ||
		 in->imm || slot < 0 || type_bits(in->type) != 32)
		sel_refuse(s, "");
	if (s->bad)
		return true;
	unsigned n = in->grp[1];
	uint32_t c = sel_temp(s, n > 2 ? 4 : n), d = sel_temp(s, 4);
	for (unsigned i = 0; i < n; i++) {
		sel_mov(s, mo_word(c, i), sel_src(s, 1 + i, 0));
		s->m.code.v[s->m.code.n - 1].fresh = !i;
	}
	if (in->stype == T_F32)
		OP(s, "TEX", 1, mo_wide(d), mo_wide(c), mo_imm(slot), mo_imm(0), mo_text(geom),
		   mo_imm(15));
	else
		OP(s, "TLD.LZ", 1, mo_wide(d), mo_wide(c), mo_imm(slot), mo_text(geom), mo_imm(15));
	for (unsigned i = 0; i < 4; i++)
		if (inst_dst(in, i)->kind != OPND_SINK)
			OP(s, "MOV", 1, mo_reg(sel_dst(s, i)), mo_word(d, i));
	return true;
}
