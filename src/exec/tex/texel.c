#include "exec/tex/texel.h"

#include "exec/alu/float.h"
#include "exec/tex/srgb.h"

static uint8_t format_of(const struct heddle_tex *t)
{
	if (t->chan == HEDDLE_CHAN_FLOAT)
		return t->bits == 16 ? TF_F16 : TF_32;
	bool sign = t->chan == HEDDLE_CHAN_SIGNED;
	if (t->bits == 8 && t->normalized_float)
		return sign ? TF_SN8 : t->srgb ? TF_SRGB : TF_UN8;
	if (t->bits == 16 && t->normalized_float)
		return sign ? TF_SN16 : TF_UN16;
	return t->bits == 8    ? (sign ? TF_S8 : TF_U8)
	       : t->bits == 16 ? (sign ? TF_S16 : TF_U16)
			       : TF_32;
}

/* The whole level's bytes, if one allocation has them all. */
static const uint8_t *level_bytes(const struct tex_view *v)
{
	const struct launch *l = v->w->cta->l;
	uint64_t z, y, n;
	if (l->check_race || l->check_init ||
	    __builtin_mul_overflow(v->slice, v->size[2] - 1ull, &z) ||
	    __builtin_mul_overflow(v->pitch, v->size[1] - 1ull, &y) ||
	    __builtin_add_overflow(y, z, &n) ||
	    __builtin_add_overflow(n, (uint64_t)v->size[0] * v->texel, &n))
		return NULL;
	return mem_find(v->w, v->u, v->base, n, ACC_READ);
}

void view_open(struct tex_view *v, struct warp *w, const struct uop *u, const struct heddle_tex *t,
	       unsigned level)
{
	bool stack = t->layered || t->cubemap; /* the number of slices is equal at every level */
	v->w = w;
	v->u = u;
	v->t = t;
	v->level = level;
	v->texel = t->channels * t->bits / 8u;
	v->channels = t->channels;
	v->format = format_of(t);
	v->real = t->chan == HEDDLE_CHAN_FLOAT || v->format >= TF_UN8;
	v->size[0] = level_size(t->width, level);
	v->size[1] = level_size(t->height, level);
	v->size[2] = level_size(t->depth ? t->depth : t->cubemap ? 6 : 1, stack ? 0 : level);
	v->base = t->addr + (t->levels ? t->level_offset[level] : 0);
	v->pitch = level ? t->level_pitch[level] : t->pitch;
	v->slice = level ? t->level_slice[level] : t->slice;
	if (level && !v->pitch)
		v->pitch = (uint64_t)v->size[0] * v->texel;
	if (level && !v->slice)
		v->slice = v->pitch * v->size[1];
	for (int k = 0; k < 3; k++) { /* the repeating modes are for normalised coordinates only */
		bool repeats = t->addr_mode[k] == HEDDLE_WRAP || t->addr_mode[k] == HEDDLE_MIRROR;
		v->mode[k] = repeats && !t->normalized_coords ? HEDDLE_CLAMP : t->addr_mode[k];
	}
	v->host = level_bytes(v);
}

static float snorm(int32_t x, int32_t max) { return x < -max ? -1.0f : (float)x / (float)max; }

uint32_t srgb_decode(uint32_t x, unsigned k)
{
	return f32_bits(k < 3 ? srgb_linear[x & 255] : (float)(x & 255) / 255.0f);
}

void texel_decode(const struct tex_view *v, const uint8_t *p, uint32_t out[4])
{
	unsigned n = v->channels;
	uint16_t h[4] = {0};
	out[0] = out[1] = out[2] = 0;
	out[3] = v->real ? f32_bits(1.0f) : 1;
	if (v->format == TF_32) {
		memcpy(out, p, 4);
		if (n > 1)
			memcpy(out + 1, p + 4, 4);
		if (n > 2)
			memcpy(out + 2, p + 8, 8);
		return;
	}
	if (v->texel == n * 2)
		memcpy(h, p, n == 4 ? 8 : n == 2 ? 4 : 2);
	for (unsigned k = 0; k < n; k++) {
		switch (v->format) {
		case TF_U8: out[k] = p[k]; break;
		case TF_S8: out[k] = (uint32_t)(int8_t)p[k]; break;
		case TF_U16: out[k] = h[k]; break;
		case TF_S16: out[k] = (uint32_t)(int16_t)h[k]; break;
		case TF_F16: out[k] = f32_canon(f16_to_f32(h[k])); break;
		case TF_UN8: out[k] = f32_bits((float)p[k] / 255.0f); break;
		case TF_SN8: out[k] = f32_bits(snorm((int8_t)p[k], 127)); break;
		case TF_UN16: out[k] = f32_bits((float)h[k] / 65535.0f); break;
		case TF_SN16: out[k] = f32_bits(snorm((int16_t)h[k], 32767)); break;
		default: out[k] = srgb_decode(p[k], k); break;
		}
	}
}

/* Nearest integer to x * max, ties to even, x clamped to [lo, 1]; NaN is 0. */
static int32_t to_norm(uint32_t bits, float lo, float max)
{
	float x = as_f32(bits);
	x = x != x ? 0.0f : x < lo ? lo : x > 1.0f ? 1.0f : x;
	return (int32_t)(x * max + 0x1.8p23f - 0x1.8p23f);
}

static uint8_t to_srgb(uint32_t bits)
{
	float x = as_f32(bits);
	unsigned lo = 0, hi = 255;
	if (!(x > 0.0f))
		return 0;
	while (lo < hi) { /* the nearest code in linear light */
		unsigned mid = (lo + hi) / 2;
		if (x < (srgb_linear[mid] + srgb_linear[mid + 1]) * 0.5f)
			hi = mid;
		else
			lo = mid + 1;
	}
	return (uint8_t)lo;
}

static uint32_t clamp_u(uint32_t x, uint32_t max) { return x > max ? max : x; }
static uint32_t clamp_s(uint32_t x, int32_t max)
{
	int32_t i = (int32_t)x;
	return (uint32_t)(i > max ? max : i < -max - 1 ? -max - 1 : i);
}

void texel_encode(const struct tex_view *v, const uint32_t in[4], uint8_t *p)
{
	for (unsigned k = 0; k < v->channels; k++) {
		uint32_t x = in[k];
		switch (v->format) {
		case TF_U8: x = clamp_u(x, 255); break;
		case TF_S8: x = clamp_s(x, 127); break;
		case TF_U16: x = clamp_u(x, 65535); break;
		case TF_S16: x = clamp_s(x, 32767); break;
		case TF_F16: x = f32_to_f16(as_f32(x)); break;
		case TF_UN8: x = (uint32_t)to_norm(x, 0.0f, 255.0f); break;
		case TF_SN8: x = (uint32_t)to_norm(x, -1.0f, 127.0f); break;
		case TF_UN16: x = (uint32_t)to_norm(x, 0.0f, 65535.0f); break;
		case TF_SN16: x = (uint32_t)to_norm(x, -1.0f, 32767.0f); break;
		case TF_SRGB: x = k < 3 ? to_srgb(x) : (uint32_t)to_norm(x, 0.0f, 255.0f); break;
		}
		unsigned bytes = v->texel / v->channels;
		for (unsigned b = 0; b < bytes; b++)
			p[k * bytes + b] = (uint8_t)(x >> 8 * b);
	}
}

void texel_read(const struct tex_view *v, int64_t x, int64_t y, int64_t z, uint32_t out[4])
{
	uint64_t at = texel_offset(v, x, y, z);
	uint8_t buf[16];
	place_note(v->w, v->base + at, v->texel);
	if (!v->host)
		mem_load(v->w, v->u, v->lane, v->base + at, buf, v->texel, 1);
	texel_decode(v, v->host ? v->host + at : buf, out);
}

void texel_border(const struct tex_view *v, uint32_t out[4])
{
	for (unsigned k = 0; k < 4; k++)
		out[k] = f32_bits(v->t->border[k]);
	for (unsigned k = v->channels; k < 4; k++)
		out[k] = k < 3 ? 0 : v->real ? f32_bits(1.0f) : 1;
}

const struct heddle_tex *tex_resolve(struct warp *w, const struct uop *u, unsigned lane,
				     uint64_t handle)
{
	const struct heddle_tex *t = textures_get(w->cta->l->tex, handle);
	if (t)
		return t;
	const char *what =
		u->op == OP_TEX || u->op == OP_TLD4 || u->op == OP_TXQ ? "texture" : "surface";
	if (!handle)
		exec_fault(w, u, lane, HEDDLE_FAULT_TEXTURE, 0, 0, "%s: the %s handle is null",
			   u->in->text ? u->in->text : op_info[u->op].name, what);
	else
		exec_fault(w, u, lane, HEDDLE_FAULT_TEXTURE, handle, 0,
			   "%s: nothing is bound to %s 0x%llx",
			   u->in->text ? u->in->text : op_info[u->op].name, what,
			   (unsigned long long)handle);
	return NULL;
}
