/* Memory instructions as PTX. */
#include "front/native/gen.h"

bool gen_memory(struct ngen *g)
{
	(void)g;
	return false;
}
