/* Reads pieces of an instruction's text, one after the other. If the text does not continue with
 * the requested piece, the function leaves the cursor where it was. */
#ifndef ISA_SM70_SCAN_H
#define ISA_SM70_SCAN_H
#include "isa/sm70/table.h"

struct scan {
	const char *p, *end;
	unsigned sm;
	uint64_t pc;
	const struct sm70_label *labels;
	size_t nlabels;
	const char *part, *part_end; /* the part within bars, |UR4.H0_H0|, of the last register */
};

void scan_blanks(struct scan *s);
bool scan_char(struct scan *s, char c); /* skips blanks before the character */
bool scan_text(struct scan *s, const char *text);
bool scan_integer(struct scan *s, int64_t *v); /* with a sign; hexadecimal after 0x */
bool scan_gpr(struct scan *s, uint16_t *r);
bool scan_ureg(struct scan *s, uint16_t *r);
bool scan_predicate(struct scan *s, bool uniform, uint16_t *r);
/* Reads an operand that the item describes; the caller has read the modifiers of its parts. */
bool scan_operand(struct scan *s, const struct sm70_item *it, enum flex fx, const uint16_t *mod,
		  struct sm70_operand *o);
/* Reads a word of the list after a point; false: the text does not continue with a word of the
 * list. */
bool scan_word(struct scan *s, const struct sm70_list *l, unsigned width, unsigned *code);
#endif
