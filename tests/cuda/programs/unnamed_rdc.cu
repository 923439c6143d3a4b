// options: -rdc=true
/* The same, compiled separately. */
#include "unnamed.cu"
