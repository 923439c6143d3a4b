/* Lists in which a user chooses launches: numbers with ranges ("3,7-9") and kernels ("add,5-8@gemm.*").
 * The functions only parse and compare; the caller decides what a number means. */
#ifndef BASE_CHOICE_H
#define BASE_CHOICE_H
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/vec.h"

/* Reads the next number or range and the comma after it. False, with *s unchanged: the end of the list, or
 * text that is not a range from a lower to a higher number. */
bool choice_range(const char **s, uint32_t *from, uint32_t *to);

/* True if the list is not empty and consists of valid ranges. */
bool choice_is_ranges(const char *s);

/* One item of a list of kernels: a name or an extended regular expression for the whole name, and before an
 * @ the numbers of the launches it applies to. */
struct choice_kernel {
	char *text;        /* the item as written */
	const char *name;  /* the part of `text` after the @ */
	uint32_t from, to; /* numbers of launches; 0 and UINT32_MAX where the item has none */
	regex_t pattern;   /* compiled form of `name` */
};
typedef VEC(struct choice_kernel) choice_kernels;

/* Parses a list. False, with *list empty: the list or an item is empty, or an item has an invalid
 * range or regular expression. */
bool choice_kernels_parse(choice_kernels *list, const char *s);
void choice_kernels_free(choice_kernels *list);

/* True if the item's name stands for this kernel: the name in the program (_ZN2ns3addEPf) or a tail of the
 * name as C++ spells it (ns::add, add) equals the item's name or matches its pattern. Numbers are not compared. */
bool choice_kernel_is(const struct choice_kernel *item, const char *kernel);

/* True if an item of the list stands for this kernel and contains the launch's number. */
bool choice_kernels_have(const choice_kernels *list, const char *kernel, uint64_t number);

#endif
