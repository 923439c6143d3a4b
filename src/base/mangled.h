/* Readable names of C++ symbols, for messages and for choosing kernels by name. Only names that compilers
 * give kernels and variables are decoded; any other name stays as it is. */
#ifndef BASE_MANGLED_H
#define BASE_MANGLED_H
#include <stddef.h>

struct plain_name {
	char text[256];
};
/* The name without parameters and template arguments: _Z6queensPKii is queens, _ZN2ns3runIiEEvv is
 * ns::run, the variable _ZZ6reducePfE4tile of reduce() is tile. */
struct plain_name plain_name(const char *name);

#endif
