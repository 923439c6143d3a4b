/* Surfaces: suld, sust, sured. Coordinates are integers, x in bytes for the .b forms and in texels
 * for the formatted .p ones; y, z and the layer in units of their own. The whole access must lie
 * inside the surface's row; what lies outside traps, is moved to the nearest place inside (.clamp),
 * or reads as zero and is not written (.zero). */
#include "exec/places.h"
#include "exec/tex/texel.h"

struct texel_addr {
	bool outside; /* .zero: nothing to access */
	uint64_t addr;
};

struct surface {
	const uint32_t *handle, *coord[3];
	uint64_t current; /* handle of the view */
	struct tex_view view;
};

static unsigned coordinates(unsigned geom)
{
	return geom == GEOM_1D ? 1 : geom == GEOM_2D || geom == GEOM_A1D ? 2 : 3;
}

static void surface_init(struct surface *s, const struct warp *w, const struct uop *u)
{
	const int32_t *src = u->v + u->in->nd;
	s->handle = row_u32(w, src[0]);
	for (unsigned k = 0; k < coordinates(u->in->geom); k++)
		s->coord[k] = row_u32(w, src[1 + k]);
	s->view.t = NULL;
}

static bool surface_view(struct surface *s, struct warp *w, const struct uop *u, unsigned lane)
{
	uint64_t h = pair_get(s->handle, (int)lane);
	if (!s->view.t || h != s->current) {
		const struct heddle_tex *t = tex_resolve(w, u, lane, h);
		if (!t)
			return false;
		view_open(&s->view, w, u, t, 0);
		s->current = h;
	}
	s->view.lane = lane;
	return true;
}

/* Coordinates of a lane as x, y, slice: the array index comes first. */
static void lane_coords(const struct surface *s, const struct inst *in, unsigned lane, int64_t c[3])
{
	bool array = in->geom == GEOM_A1D || in->geom == GEOM_A2D;
	unsigned n = coordinates(in->geom) - array;
	c[0] = c[1] = c[2] = 0;
	for (unsigned k = 0; k < n; k++)
		c[k] = (int32_t)s->coord[k + array][lane];
	if (array)
		c[2] = (int32_t)s->coord[0][lane];
}

/* Address of `bytes` bytes of a lane; false after a fault. */
static bool surface_addr(const struct surface *s, struct warp *w, const struct uop *u,
			 unsigned lane, unsigned bytes, struct texel_addr *p)
{
	const struct tex_view *v = &s->view;
	bool texels = u->in->mods & M_FORMATTED;
	int64_t c[3], limit[3] = {(int64_t)v->size[0] * v->texel - bytes, v->size[1] - 1ll,
				  v->size[2] - 1ll};
	lane_coords(s, u->in, lane, c);
	int64_t x = c[0];
	c[0] *= texels ? v->texel : 1;
	*p = (struct texel_addr){false, 0};
	for (unsigned k = 0; k < 3; k++) {
		if (c[k] >= 0 && c[k] <= limit[k])
			continue;
		if (u->in->outside == SU_TRAP || limit[k] < 0) {
			exec_fault(w, u, lane, HEDDLE_FAULT_BOUNDS, s->current, bytes,
				   "%s of %u bytes at (%lld%s, %lld, %lld) outside the surface of "
				   "%u x %u x %u "
				   "texels of %u bytes",
				   u->op == OP_SULD   ? "read"
				   : u->op == OP_SUST ? "write"
						      : "reduction",
				   bytes, (long long)x, texels ? "" : " bytes", (long long)c[1],
				   (long long)c[2], v->size[0], v->size[1], v->size[2], v->texel);
			return false;
		}
		p->outside |= u->in->outside == SU_ZERO;
		c[k] = c[k] < 0 ? 0 : k ? limit[k] : limit[k] / bytes * bytes;
	}
	p->addr = v->base + (uint64_t)c[2] * v->slice + (uint64_t)c[1] * v->pitch + (uint64_t)c[0];
	return true;
}

static void put_bytes(struct warp *w, const struct uop *u, unsigned lane, const uint8_t *buf,
		      unsigned es)
{
	for (unsigned k = 0; k < u->in->vec; k++) {
		uint64_t x = 0;
		if (u->v[k] == SINK)
			continue;
		memcpy(&x, buf + k * es, es);
		uint32_t *d = row_u32(w, u->v[k]);
		d[lane] = (uint32_t)x;
		if (type_rows(u->in->opnd[k].type) == 2)
			d[lane + LANES] = (uint32_t)(x >> 32);
	}
}

static void suld_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	bool formatted = u->in->mods & M_FORMATTED;
	struct surface s;
	surface_init(&s, w, u);
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		if (!surface_view(&s, w, u, i))
			return;
		uint8_t buf[32] = {0};
		unsigned es = type_bytes(u->in->type),
			 n = formatted ? s.view.texel : es * u->in->vec;
		struct texel_addr p;
		if (!surface_addr(&s, w, u, i, n, &p))
			return;
		if (!p.outside)
			place_note(w, p.addr, n);
		if (!p.outside && !mem_load(w, u, i, p.addr, buf, n, formatted ? 1 : n) && w->stop)
			return;
		if (formatted) {
			uint32_t t[4] = {0};
			if (!p.outside)
				texel_decode(&s.view, buf, t);
			memcpy(buf, t, sizeof t);
		}
		put_bytes(w, u, i, buf, es);
	}
}
OP_RUN(suld)

static uint64_t source(const struct warp *w, const struct uop *u, unsigned k, unsigned lane,
		       unsigned bytes)
{
	const uint32_t *r = row_u32(w, u->v[u->in->nd + 1 + coordinates(u->in->geom) + k]);
	return bytes == 8 ? pair_get(r, (int)lane) : r[lane];
}

static void sust_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	bool formatted = u->in->mods & M_FORMATTED;
	struct surface s;
	surface_init(&s, w, u);
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		if (!surface_view(&s, w, u, i))
			return;
		uint8_t buf[32] = {0};
		uint32_t texel[4] = {0};
		unsigned es = type_bytes(u->in->type),
			 n = formatted ? s.view.texel : es * u->in->vec;
		struct texel_addr p;
		if (!surface_addr(&s, w, u, i, n, &p))
			return;
		if (p.outside)
			continue;
		for (unsigned k = 0; k < u->in->vec; k++) {
			uint64_t x = source(w, u, k, i, es);
			if (formatted)
				texel[k] = (uint32_t)x;
			else
				memcpy(buf + k * es, &x, es);
		}
		if (formatted)
			texel_encode(&s.view, texel, buf);
		place_note(w, p.addr, n);
		if (!mem_store(w, u, i, p.addr, buf, n, formatted ? 1 : n) && w->stop)
			return;
	}
}
OP_RUN(sust)

/* INC and DEC: native code's, of 32 bits. */
static uint64_t reduce_texel(unsigned op, bool sign, unsigned bytes, uint64_t a, uint64_t b)
{
	bool less = sign && bytes == 4 ? (int32_t)b < (int32_t)a
		    : sign             ? (int64_t)b < (int64_t)a
				       : b < a;
	switch (op) {
	case ATOM_ADD: return a + b;
	case ATOM_MIN: return less ? b : a;
	case ATOM_MAX: return less ? a : b;
	case ATOM_AND: return a & b;
	case ATOM_XOR: return a ^ b;
	case ATOM_INC: return a >= b ? 0 : a + 1;
	case ATOM_DEC: return !a || a > b ? b : a - 1;
	default: return a | b;
	}
}

uint32_t surface_addresses(struct warp *w, const struct uop *u, uint32_t mask, uint64_t *addr)
{
	struct surface s;
	uint32_t lanes = 0;
	surface_init(&s, w, u);
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		struct texel_addr p;
		if (!surface_view(&s, w, u, i) ||
		    !surface_addr(&s, w, u, i, type_bytes(u->in->type), &p))
			return lanes;
		addr[i] = p.addr;
		lanes |= p.outside ? 0 : m & -m;
	}
	return lanes;
}

static void sured_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	unsigned es = type_bytes(u->in->type), op = u->in->vsel[0];
	bool formatted = u->in->mods & M_FORMATTED;
	struct surface s;
	surface_init(&s, w, u);
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint32_t *local;
		struct texel_addr p;
		if (!surface_view(&s, w, u, i) || !surface_addr(&s, w, u, i, es, &p))
			return;
		if (p.outside)
			continue;
		uint8_t *at = mem_lane(w, u, i, p.addr, es, es, ACC_ATOMIC, &local);
		if (!at && w->stop)
			return;
		if (!at)
			continue;
		bool sign = formatted ? s.view.t->chan == HEDDLE_CHAN_SIGNED
				      : type_is_signed(u->in->type);
		uint64_t b = source(w, u, 0, i, es);
		if (es == 4) {
			uint32_t *q = (uint32_t *)at, old = __atomic_load_n(q, __ATOMIC_RELAXED),
				 next;
			do
				next = (uint32_t)reduce_texel(op, sign, 4, old, b);
			while (!__atomic_compare_exchange_n(q, &old, next, true, __ATOMIC_ACQ_REL,
							    __ATOMIC_RELAXED));
		} else {
			uint64_t *q = (uint64_t *)at, old = __atomic_load_n(q, __ATOMIC_RELAXED),
				 next;
			do
				next = reduce_texel(op, sign, 8, old, b);
			while (!__atomic_compare_exchange_n(q, &old, next, true, __ATOMIC_ACQ_REL,
							    __ATOMIC_RELAXED));
		}
	}
}
OP_RUN(sured)

bool bind_surface(const struct inst *in, struct uop *u)
{
	if (in->op != OP_SULD && in->op != OP_SUST && in->op != OP_SURED)
		return false;
	u->flags |= UOP_FAULTS;
	u->aux = SP_GLOBAL;
	return bind_pair(u, in->op == OP_SULD   ? FN(suld)
			    : in->op == OP_SUST ? FN(sust)
						: FN(sured));
}
