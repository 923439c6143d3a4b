/* Data instructions as PTX. */
#include "front/native/gen.h"

bool gen_fermi(struct ngen *g)
{
	(void)g;
	return false;
}
