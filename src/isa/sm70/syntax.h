/* Reader of the texts in the table of forms. */
#ifndef ISA_SM70_SYNTAX_H
#define ISA_SM70_SYNTAX_H
#include "isa/sm70/table.h"

/* A text being read; `row` names it in a message. Only the first message is kept. */
struct reader {
	const char *p, *row;
	const struct sm70_list *lists; /* the lists that have been compiled */
	unsigned nlists;
	char *error;
	size_t nerror;
};

void syntax_report(const struct reader *r, const char *what);
/* returns the number of a slot's name; SM70_MOD_COUNT: none */
unsigned syntax_slot(const char *s, size_t n);
/* returns the number of a word; SM70_NWORDS: none */
unsigned syntax_word(const char *s, size_t n);
void syntax_item(struct reader *r, struct sm70_item *it);

#endif
