/* Surfaces on sm_90: SULD and SUST in bytes (.D.BA) or elements (.P), SURED. Coordinates are in a row of registers, x in bytes
 * but for .P, the layer after them; the handle is a uniform register (texture.c). */
#include "back/sm90/sm90.h"

static const char *shape_name(struct sel *s)
{
	switch (s->in->geom) {
	case GEOM_1D: return ".1D";
	case GEOM_2D: return ".2D";
	case GEOM_3D: return ".3D";
	case GEOM_A1D: return ".1D_ARRAY";
	case GEOM_A2D: return ".2D_ARRAY";
	default: sel_refuse(s, "this geometry"); return "";
	}
}

static struct mo put_place(struct sel *s)
{
	const struct inst *in = s->in;
	bool layered = in->geom == GEOM_A1D || in->geom == GEOM_A2D;
	unsigned n = in->grp[1];
	uint32_t v = sel_temp(s, n > 2 ? 4 : n);
	for (unsigned k = 0; k < n; k++) {
		unsigned from = !layered ? k : k + 1 < n ? k + 1 : 0;
		sm90_mov(s, n > 1 ? mo_word(v, k) : mo_reg(v), sm90_src(s, 1 + from, 0))->fresh =
			!k;
	}
	return (struct mo){.kind = MO_MEM, .v = v, .wide = n > 1};
}

static const char *outside_name(const struct inst *in)
{
	return in->mode == SU_TRAP ? ".TRAP" : in->mode == SU_ZERO ? ".IGN" : "";
}

static const char *size_name(unsigned bytes)
{
	return bytes == 1   ? ".U8"
	       : bytes == 2 ? ".U16"
	       : bytes == 4 ? ""
	       : bytes == 8 ? ".64"
			    : ".128";
}

static unsigned words_of(struct sel *s, unsigned *bytes)
{
	*bytes = s->in->vec * type_bytes(s->in->type);
	if (*bytes > 16)
		sel_refuse(s, "more than 16 bytes at once");
	return *bytes > 8 ? 4 : *bytes > 4 ? 2 : 1;
}

static struct mo word_of(uint32_t v, unsigned words, unsigned w)
{
	return words > 1 ? mo_word(v, w) : mo_reg(v);
}

/* Word `word` of elements of `bits` bits from source `first` on. */
static struct mo pack_word(struct sel *s, unsigned first, unsigned bits, unsigned word)
{
	unsigned n = s->in->vec;
	if (bits == 64)
		return sm90_src(s, first + word / 2, word % 2);
	if (bits == 32)
		return sm90_src(s, first + word, 0);
	struct mo half[2] = {ZERO, ZERO};
	unsigned each = 32 / bits;
	for (unsigned h = 0; h < 2; h++) {
		unsigned at = word * each + h * each / 2;
		if (at >= n)
			break;
		half[h] = sm90_reg(s, first + at, 0);
		if (bits == 8 && at + 1 < n) {
			struct mo t = mo_reg(sel_temp(s, 1));
			OP(s, "PRMT", 1, t, half[h], mo_imm(0x40), sm90_reg(s, first + at + 1, 0));
			half[h] = t;
		}
	}
	if (half[1].kind == MO_ZERO)
		return half[0];
	struct mo t = mo_reg(sel_temp(s, 1));
	OP(s, "PRMT", 1, t, half[0], mo_imm(0x5410), half[1]);
	return t;
}

static void unpack_words(struct sel *s, uint32_t v, unsigned words, unsigned bits)
{
	for (unsigned i = 0; i < s->in->vec; i++) {
		if (inst_dst(s->in, i)->kind == OPND_SINK)
			continue;
		uint32_t d = sel_dst(s, i);
		unsigned at = i * bits;
		if (bits < 32) {
			unsigned byte = at % 32 / 8;
			OP(s, "PRMT", 1, mo_word(d, 0), word_of(v, words, at / 32),
			   mo_imm(bits == 8 ? 0x4440 | byte : 0x4410 | (byte ? 0x22 : 0)), ZERO)
				->fresh = true;
		}
		for (unsigned w = bits < 32; w < s->m.val.v[d].words; w++)
			sm90_mov(s, mo_word(d, w),
				 bits >= 32 && w < bits / 32 ? word_of(v, words, at / 32 + w)
							     : ZERO)
				->fresh = !w;
	}
}

void sm90_surface_load(struct sel *s)
{
	unsigned bytes, n = words_of(s, &bytes);
	const char *shape = shape_name(s);
	struct sm90_handle h;
	if (s->in->mods & M_FORMATTED)
		sel_refuse(s, "the machine reads no formatted surfaces");
	if (s->bad)
		return;
	struct mo at = put_place(s);
	uint32_t v = mval_new(&s->m, n);
	const char *name = sel_text(s, "SULD.D.BA%s%s.STRONG.SM%s", shape, size_name(bytes),
				    outside_name(s->in));
	if (!sm90_begin_handle(s, &h))
		return;
	struct mi *load = OP(s, name, 1, n > 1 ? mo_wide(v) : mo_reg(v), at,
			     mo_text(sel_text(s, "UR%u, 0x0", h.ur)));
	/* the load may trap, so it is needed even if its result is not read */
	load->keep = true;
	sm90_end_handle(s, &h, load);
	unpack_words(s, v, n, type_bits(s->in->type));
}

void sm90_surface_store(struct sel *s)
{
	static const char *const elements[] = {"", ".R", ".RG", "", ".RGBA"};
	const struct inst *in = s->in;
	bool formatted = in->mods & M_FORMATTED;
	unsigned bytes, n = words_of(s, &bytes);
	const char *shape = shape_name(s);
	struct sm90_handle h;
	if (s->bad)
		return;
	struct mo at = put_place(s);
	uint32_t v = sel_temp(s, n);
	for (unsigned w = 0; w < n; w++)
		sm90_mov(s, word_of(v, n, w), pack_word(s, 1u + in->grp[1], type_bits(in->type), w))
			->fresh = !w;
	const char *name = formatted ? sel_text(s, "SUST.P%s.STRONG.SM%s%s", shape,
						elements[in->vec % 5], outside_name(in))
				     : sel_text(s, "SUST.D.BA%s%s.STRONG.SM%s", shape,
						size_name(bytes), outside_name(in));
	if (!sm90_begin_handle(s, &h))
		return;
	sm90_end_handle(s, &h,
			OP(s, name, 0, at, n > 1 ? mo_wide(v) : mo_reg(v),
			   mo_text(sel_text(s, "UR%u, 0x0", h.ur))));
}

void sm90_surface_reduce(struct sel *s)
{
	static const char *const name[] = {
		[ATOM_ADD] = ".ADD", [ATOM_MIN] = ".MIN", [ATOM_MAX] = ".MAX", [ATOM_INC] = ".INC",
		[ATOM_DEC] = ".DEC", [ATOM_AND] = ".AND", [ATOM_OR] = ".OR",   [ATOM_XOR] = ".XOR"};
	const struct inst *in = s->in;
	bool formatted = in->mods & M_FORMATTED, wide = type_bits(in->type) == 64,
	     sign = type_is_signed(in->type);
	bool ordered = in->vsel[0] == ATOM_MIN || in->vsel[0] == ATOM_MAX;
	const char *shape = shape_name(s);
	struct sm90_handle h;
	if (in->vsel[0] >= sizeof name / sizeof *name || !name[in->vsel[0]])
		sel_refuse(s, "");
	if (s->bad)
		return;
	const char *type = formatted         ? wide ? ".SD64" : ".SD32"
			   : wide            ? sign && ordered ? ".S64" : ".U64"
			   : sign && ordered ? ".S32"
					     : "";
	struct mo at = put_place(s),
		  x = wide ? sm90_pair(s, 1u + in->grp[1]) : sm90_reg(s, 1u + in->grp[1], 0);
	const char *text = sel_text(s, "SURED.D%s%s%s%s.STRONG.SYS%s", formatted ? "" : ".BA",
				    shape, name[in->vsel[0]], type, outside_name(in));
	if (!sm90_begin_handle(s, &h))
		return;
	sm90_end_handle(s, &h, OP(s, text, 0, at, x, mo_text(sel_text(s, "UR%u, 0x0", h.ur))));
}
