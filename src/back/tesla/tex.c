/* Textures of sm_13. TEX takes its coordinates, and a level after them, from the first of the four
 * registers that its result goes to. It names its slot: a texture object can be used if its handle
 * is a parameter of the kernel, which the launch binds. */
#include "back/select/operations.h"
#include "back/tesla/tesla.h"

enum { SLOTS = 256, OFFSET_MASK = 15 };

/* The slot of the object whose handle is the parameter at a byte. */
static int object_slot(struct sel *s, uint32_t at)
{
	struct layout *l = s->lay;
	size_t i = 0;
	while (i < l->object.n && l->object.v[i] != at)
		i++;
	if (i == l->object.n)
		vec_push(&l->object, at);
	if (l->texture.n + i >= SLOTS)
		sel_refuse(s, "a kernel has 256 textures");
	return (int)(l->texture.n + i);
}

static int slot_of(struct sel *s)
{
	const struct opnd *h = inst_src(s->in, 0);
	const struct var *v = h->kind == OPND_SYM ? h->sym : NULL;
	uint32_t at;
	int slot = v ? layout_texture(s->lay, v->def ? v->def : v) : -1;
	if (!v && handle_param(s->f, h, &at))
		return object_slot(s, at);
	if (slot < 0)
		sel_refuse(s,
			   v ? "of such a variable"
			     : "its texture is neither a reference nor a parameter of the kernel: "
			       "the machine's instruction names its texture");
	return slot;
}

/* Packs texel offsets: numbers of four bits, x highest. */
static unsigned pack_offsets(struct sel *s, unsigned at, unsigned n)
{
	unsigned packed = 0;
	int64_t k;
	for (unsigned i = 0; i < n; i++)
		if (sel_is_imm(s, at + i, &k))
			packed |= ((unsigned)k & OFFSET_MASK) << (8 - 4 * i);
		else
			sel_refuse(s, "texel offsets that are not constants");
	return packed;
}

static unsigned put_coordinates(unsigned geom)
{
	return geom == GEOM_1D                        ? 1
	       : geom == GEOM_2D                      ? 2
	       : geom == GEOM_3D || geom == GEOM_CUBE ? 3
						      : 0;
}

static bool check_texture(struct sel *s)
{
	const struct inst *in = s->in;
	const char *why = !put_coordinates(in->geom) ? "layers and samples of textures"
			  : in->mode == TEX_GRAD     ? "gradients"
			  : in->grp[0]               ? "a sampler of its own"
			  : in->imm                  ? "a comparison of depths, a predicate"
			  : in->vec != 4             ? "half precision"
						     : NULL;
	if (why)
		sel_refuse(s, why);
	return !why;
}

/* TEX: one value is both its result and its first source, which is not printed. */
static void emit_access(struct sel *s, const char *name, uint32_t v, int slot, unsigned n,
			unsigned packed)
{
	T(s, name, 1, mo_wide(v), mo_wide(v),
	  mo_text(sel_text(s, "0x%x, 0x0, 0x%x, 0x3, 0x3, 0x%x", (unsigned)slot, n - 1, packed)));
}

void tesla_tex(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned n = put_coordinates(in->geom);
	if (!check_texture(s))
		return;
	int slot = slot_of(s);
	bool fetch = in->stype == T_S32, level = in->mode == TEX_LEVEL;
	unsigned packed = in->grp[3] ? pack_offsets(s, 1 + n + in->grp[2], n) : 0;
	if (s->bad)
		return;
	uint32_t v = sel_temp(s, 4);
	for (unsigned i = 0; i < n + level; i++) {
		t_mov(s, mo_word(v, i), sel_src(s, 1 + i, 0));
		s->m.code.v[s->m.code.n - 1].fresh = !i;
	}
	emit_access(s,
		    sel_text(s, "TEX%s%s%s", level ? ".LL" : "", fetch ? ".FETCH" : "",
			     in->geom == GEOM_CUBE ? ".CUBE" : ""),
		    v, slot, n, packed);
	for (unsigned i = 0; i < 4; i++)
		if (inst_dst(in, i)->kind != OPND_SINK)
			T(s, "MOV", 1, mo_reg(sel_dst(s, i)), mo_word(v, i));
}

/* TXQ: width, height, depth of a level, or the number of levels. */
void tesla_txq(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned part = in->mode <= Q_DEPTH ? in->mode : 3;
	if (in->mode > Q_DEPTH && in->mode != Q_NUM_MIPMAP)
		sel_refuse(s, "only sizes and the number of levels can be asked");
	int slot = slot_of(s);
	if (s->bad)
		return;
	uint32_t v = sel_temp(s, 4);
	t_mov(s, mo_word(v, 0), in->ns > 1 ? sel_src(s, 1, 0) : mo_zero());
	s->m.code.v[s->m.code.n - 1].fresh = true;
	emit_access(s, "TXQ", v, slot, 1, 0);
	T(s, "MOV", 1, mo_reg(sel_dst(s, 0)), mo_word(v, part));
}
