// options: -rdc=true
/* Unnamed namespaces and types, compiled separately. */
#include "unnamed.cu"
