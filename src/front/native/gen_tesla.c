#include "front/native/gen.h"
void tesla_guard(struct ngen *g) { (void)g; }
bool gen_tesla(struct ngen *g) { (void)g; return false; }
void tesla_tail(struct ngen *g) { (void)g; }
