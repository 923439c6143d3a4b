/* tex and tld4: operands, descriptors, levels; sample.c has the rules of a single fetch. */
#include "exec/tex/sample.h"

#include "exec/alu/float.h"

/* Rows of a tex or tld4 (inst.h says where they are among the operands). */
struct operands {
	const uint32_t *handle, *sampler, *index;
	const uint32_t *coord[3], *lod[6], *off[3];
	unsigned nd, nlod, noff;
};

static unsigned dimensions(unsigned geom)
{
	switch (geom) {
	case GEOM_1D:
	case GEOM_A1D: return 1;
	case GEOM_2D:
	case GEOM_A2D: return 2;
	default: return 3; /* cubes: a direction */
	}
}

static bool is_array(unsigned geom)
{
	return geom == GEOM_A1D || geom == GEOM_A2D || geom == GEOM_ACUBE;
}
static bool is_cube(unsigned geom) { return geom == GEOM_CUBE || geom == GEOM_ACUBE; }

static void operands_get(struct operands *o, const struct warp *w, const struct uop *u)
{
	const struct inst *in = u->in;
	const int32_t *s = u->v + in->nd;
	o->handle = row_u32(w, *s++);
	o->sampler = in->grp[0] ? row_u32(w, *s++) : NULL;
	o->index = is_array(in->geom) ? row_u32(w, *s++) : NULL;
	o->nd = dimensions(in->geom);
	for (unsigned k = 0; k < o->nd; k++)
		o->coord[k] = row_u32(w, *s++);
	o->nlod = in->grp[2];
	for (unsigned k = 0; k < o->nlod; k++)
		o->lod[k] = row_u32(w, *s++);
	o->noff = in->grp[3];
	for (unsigned k = 0; k < o->noff; k++)
		o->off[k] = row_u32(w, *s++);
}

/* Replaces the sampling state of a texture by that of a separate sampler. */
static void sampler_apply(struct heddle_tex *t, const struct heddle_tex *s)
{
	memcpy(t->addr_mode, s->addr_mode, sizeof t->addr_mode);
	memcpy(t->border, s->border, sizeof t->border);
	t->linear = s->linear;
	t->normalized_coords = s->normalized_coords;
	t->mip_linear = s->mip_linear;
	t->mip_bias = s->mip_bias;
	t->mip_min = s->mip_min;
	t->mip_max = s->mip_max;
}

/* The levels that lane i reads. */
static struct lod lane_lod(const struct heddle_tex *t, const struct operands *o,
			   const struct inst *in, unsigned i)
{
	if (t->levels < 2 || in->op == OP_TLD4 || in->texmode == TEX_PLAIN ||
	    in->texmode == TEX_BASE)
		return (struct lod){0, 0, 0};
	if (in->texmode == TEX_LEVEL && in->coord_type == T_S32) {
		int32_t l = (int32_t)o->lod[0][i], top = (int32_t)t->levels - 1;
		unsigned n = (unsigned)(l < 0 ? 0 : l > top ? top : l);
		return (struct lod){n, n, 0};
	}
	if (in->texmode == TEX_LEVEL)
		return lod_select(t, as_f32(o->lod[0][i]));
	float g[6], c[2][2], d[3];
	unsigned n = o->nlod / 2;
	for (unsigned k = 0; k < o->nlod; k++)
		g[k] = as_f32(o->lod[k][i]);
	if (!is_cube(in->geom))
		return lod_select(t, lod_gradient(t, n, g, g + n));
	for (unsigned k = 0; k < 3; k++)
		d[k] = as_f32(o->coord[k][i]);
	cube_gradient(d, g, c[0]);
	cube_gradient(d, g + 3, c[1]);
	return lod_select(t, lod_gradient(t, 2, c[0], c[1]));
}

static void lane_position(const struct tex_view *v, const struct operands *o, const struct inst *in,
			  unsigned i, struct texpos *p)
{
	uint32_t layer = o->index ? o->index[i] : 0, layers = v->size[2];
	/* machine code reads one-dimensional textures with a second coordinate, which is ignored */
	p->nd = o->nd == 2 && !v->t->height ? 1 : o->nd;
	for (unsigned k = 0; k < p->nd; k++)
		p->c[k] = as_f32(o->coord[k][i]);
	for (unsigned k = 0; k < 3; k++)
		p->off[k] = k < o->noff ? (int32_t)o->off[k][i] : 0;
	if (is_cube(in->geom)) {
		float st[2];
		unsigned face = cube_face(p->c, st);
		layers = layers / 6 ? layers / 6 : 1;
		layer = (layer < layers ? layer : layers - 1) * 6 + face;
		p->c[0] = st[0];
		p->c[1] = st[1];
		p->nd = 2;
	}
	p->slice = layer < v->size[2] ? layer : v->size[2] - 1;
}

static void sample_level(const struct tex_view *v, const struct operands *o, const struct inst *in,
			 unsigned i, uint32_t out[4])
{
	struct texpos p;
	lane_position(v, o, in, i, &p);
	if (in->coord_type == T_S32) {
		int32_t c[3];
		for (unsigned k = 0; k < o->nd; k++)
			c[k] = (int32_t)o->coord[k][i];
		sample_fetch(v, c, &p, out);
	} else if (in->op == OP_TLD4) {
		sample_gather(v, &p, in->component, out);
	} else if (v->t->linear && v->real) {
		sample_linear(v, &p, out);
	} else {
		sample_point(v, &p, out);
	}
}

static void put_texel(struct warp *w, const struct uop *u, unsigned i, const uint32_t out[4],
		      bool real)
{
	if (u->type == T_F16X2) {
		for (unsigned k = 0; k < 2; k++) {
			uint32_t lo = out[2 * k], hi = out[2 * k + 1];
			if (real) {
				lo = f32_to_f16(as_f32(lo));
				hi = f32_to_f16(as_f32(hi));
			}
			if (u->v[k] != SINK)
				row_u32(w, u->v[k])[i] = (lo & 0xffff) | hi << 16;
		}
		return;
	}
	for (unsigned k = 0; k < u->in->vec; k++)
		if (u->v[k] != SINK)
			row_u32(w, u->v[k])[i] = out[k];
}

static void tex_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	const struct inst *in = u->in;
	struct operands o;
	struct tex_view view[2] = {{.t = NULL}, {.t = NULL}};
	const struct heddle_tex *t = NULL;
	struct heddle_tex merged;
	uint64_t handle = 0, sampler = 0;
	operands_get(&o, w, u);
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint64_t h = pair_get(o.handle, (int)i),
			 s = o.sampler ? pair_get(o.sampler, (int)i) : 0;
		if (!t || h != handle || s != sampler) {
			t = tex_resolve(w, u, i, h);
			if (!t)
				return;
			const struct heddle_tex *sd =
				o.sampler ? textures_get(w->cta->l->tex, s) : NULL;
			if (sd) {
				merged = *t;
				sampler_apply(&merged, sd);
				t = &merged;
			}
			view[0].t = view[1].t = NULL;
			handle = h;
			sampler = s;
		}
		struct lod lod = lane_lod(t, &o, in, i);
		if (!view[0].t || view[0].level != lod.l0)
			view_open(&view[0], w, u, t, lod.l0);
		view[0].lane = i;
		uint32_t out[4], next[4];
		sample_level(&view[0], &o, in, i, out);
		if (lod.a && view[0].real && lod.l1 != lod.l0) {
			if (!view[1].t || view[1].level != lod.l1)
				view_open(&view[1], w, u, t, lod.l1);
			view[1].lane = i;
			sample_level(&view[1], &o, in, i, next);
			float b = (float)lod.a * 0x1p-8f, a = 1.0f - b;
			for (unsigned k = 0; k < 4; k++)
				out[k] = f32_canon(a * as_f32(out[k]) + b * as_f32(next[k]));
		}
		if (w->stop)
			return;
		put_texel(w, u, i, out, view[0].real);
	}
	if (in->tex_flags & TEX_RESIDENT)
		pred_write(w, u->v[in->vec], mask, mask);
}
OP_RUN(tex)

static void tex_plain_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	if (!tex_fast(w, u, mask))
		tex_run(w, u, mask);
}
OP_RUN(tex_plain)

const char *tex_refusal(const struct inst *in)
{
	if (in->op != OP_TEX && in->op != OP_TLD4)
		return NULL;
	if (in->tex_flags & TEX_DREF)
		return "depth comparison";
	if (in->geom == GEOM_2DMS || in->geom == GEOM_A2DMS)
		return "multisample textures";
	if (in->coord_type != T_F32 && in->coord_type != T_S32)
		return "coordinates of this type";
	if (in->coord_type == T_S32 && is_cube(in->geom))
		return "integer coordinates of a cubemap";
	if (in->geom == GEOM_NONE || (in->op == OP_TLD4 && dimensions(in->geom) == 1) ||
	    (in->op == OP_TLD4 && in->geom == GEOM_3D))
		return "this geometry";
	return NULL;
}

bool bind_tex(const struct inst *in, struct uop *u)
{
	if (in->op != OP_TEX && in->op != OP_TLD4)
		return bind_surface(in, u) || bind_texquery(in, u);
	if (tex_refusal(in))
		return false;
	u->flags |= UOP_FAULTS;
	u->aux = SP_GLOBAL; /* texels are read like global memory */
	return bind_pair(u, tex_is_plain(in) ? FN(tex_plain) : FN(tex));
}
