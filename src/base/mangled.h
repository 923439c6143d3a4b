/* Names of C++ as people write them. */
#ifndef BASE_MANGLED_H
#define BASE_MANGLED_H
#include <stddef.h>

struct plain_name {
	char text[256];
};
/* Without parameters and template arguments: _Z6queensPKii is queens, _ZN2ns3runIiEEvv is ns::run,
 * the variable _ZZ6reducePfE4tile of reduce() is tile. A name that is not mangled stays as it
 * is. */
struct plain_name plain_name(const char *name);

#endif
