/* Assertions state what must always be true in the code; no input may make an assertion fail.
 * Errors in input go to base/diag.h.
 *
 * assert() is on in every build except those with -DNDEBUG. assert_hot() is for code that every
 * instruction executes: there assert() costs 1 to 2 % of timing mode, so only sanitizer builds and
 * those with -DASSERT_HOT check it. */
#ifndef BASE_ASSERT_H
#define BASE_ASSERT_H
#include <assert.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ || defined ASSERT_HOT
#define assert_hot(x) assert(x)
#else
#define assert_hot(x) ((void)sizeof(x))
#endif

#endif
