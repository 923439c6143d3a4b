/* Fuzz target: reads the trace of a kernel. Either it becomes a kernel, or a message names the
 * wrong line. */
#include "ir/verify.h"
#include "lift/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {0};
	struct module *m = module_new();
	if (replay_recognise((const char *)data, size) &&
	    replay_module(m, "k.traceg", (const char *)data, size, &d) && module_link(m, &d))
		for (size_t i = 0; i < m->funcs.n; i++)
			(void)func_verify(m->funcs.v[i], &d);
	module_free(m);
	diag_free(&d);
	return 0;
}
