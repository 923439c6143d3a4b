#include "conf/floorplan.h"

#include <string.h>
#include "conf/machine.h"

/* Divides SMs for gpu.gpcs = none: as many GPCs as the L2 has halves, in blocks of SMs. */
static void divide_evenly(struct floorplan *f, unsigned halves)
{
	f->gpcs = halves;
	f->sms_per_tpc = 1;
	for (unsigned i = 0; i < f->sms; i++)
		f->gpc[i] = f->half[i] = (uint8_t)(i * halves / f->sms);
}

static bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

static void place_tpcs(struct floorplan *f, const char *letters)
{
	uint8_t number[128];
	memset(number, 0xff, sizeof number);
	for (unsigned i = 0; i < f->sms; i++) {
		char c = letters[i / f->sms_per_tpc];
		uint8_t *gpc = &number[(unsigned char)c];
		if (*gpc == 0xff)
			*gpc = (uint8_t)f->gpcs++;
		f->gpc[i] = *gpc;
		f->half[i] = c >= 'a';
	}
}

bool floorplan_init(struct floorplan *f, const struct machine *m, struct arena *a, struct diag *d)
{
	const char *letters = m->gpcs;
	size_t tpcs = strcmp(letters, "none") ? strlen(letters) : 0;
	*f = (struct floorplan){.sms = m->sms,
				.gpc = ARENA_ARRAY(a, uint8_t, m->sms),
				.half = ARENA_ARRAY(a, uint8_t, m->sms)};
	if (!tpcs) {
		divide_evenly(f, m->l2_halves);
		return true;
	}
	if (tpcs > m->sms || m->sms % tpcs) {
		diag_error(d, "gpu.gpcs has %zu TPCs: they must divide gpu.sms = %u", tpcs, m->sms);
		return false;
	}
	for (const char *c = letters; *c; c++)
		if (!is_letter(*c) || (*c >= 'a' && m->l2_halves < 2)) {
			diag_error(d, "gpu.gpcs = %s: \"%c\" is not a %s", letters, *c,
				   is_letter(*c) ? "GPC of an L2 with one half (l2.halves)"
						 : "letter");
			return false;
		}
	f->sms_per_tpc = (unsigned)(m->sms / tpcs);
	place_tpcs(f, letters);
	return true;
}
