/* Lists in which a user chooses launches: numbers with ranges ("3,7-9") and names ("add,ns::scale").
 * The functions only parse; the caller decides what a number means. */
#ifndef BASE_CHOICE_H
#define BASE_CHOICE_H
#include <stdbool.h>
#include <stdint.h>

/* Reads the next number or range and the comma behind it. False, with *s unchanged: the end of the list, or
 * text that is no range from a lower to a higher number. */
bool choice_range(const char **s, uint32_t *from, uint32_t *to);

/* True if the list is not empty and consists of valid ranges. */
bool choice_is_ranges(const char *s);
bool choice_is_names(const char *s);

#endif
