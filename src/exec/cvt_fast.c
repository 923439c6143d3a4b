#include "exec/cvt.h"
#include "exec/float.h"
bool cvt_bind_fast(const struct inst *in, struct uop *u) { (void)in; (void)u; return false; }
