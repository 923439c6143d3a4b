/* Lists in which a user chooses launches: numbers with ranges ("3,7-9") and names ("add,ns::scale"). */
#ifndef BASE_CHOICE_H
#define BASE_CHOICE_H
#include <stdbool.h>
#include <stdint.h>

/* Takes the next number or range and the comma behind it. False, with *s where it was: the end, or
 * what is no range from a lower to a higher number. */
bool choice_range(const char **s, uint32_t *from, uint32_t *to);

/* True if the list has something and all of it is right. */
bool choice_is_ranges(const char *s);
bool choice_is_names(const char *s);

#endif
