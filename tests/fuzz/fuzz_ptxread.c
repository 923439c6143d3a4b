/* Fuzz target: a PTX text is read, linked, and every function verified. Nothing is simulated, so
 * many more texts pass through the reader than in fuzz_ptx. A text of odd size is split into two
 * texts that are linked. */
#include <stdint.h>
#include "front/ptx/ptx.h"
#include "ir/verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void broken(const char *promise, const struct diag *d)
{
	fprintf(stderr, "%s\n", promise);
	diag_print(d, stderr);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct diag d;
	struct module *m = module_new();
	const char *text = (const char *)data;
	size_t cut = size & 1 ? size / 2 : size;
	bool ok = ptx_read(m, "a.ptx", text, cut, &d);
	if (cut < size)
		ok = ptx_read(m, "b.ptx", text + cut, size - cut, &d) && ok;
	if (ok && module_link(m, &d))
		for (size_t i = 0; i < m->funcs.n; i++)
			if (!func_verify(m->funcs.v[i], &d))
				broken("a text was accepted that does not verify", &d);
	if (!ok && !d.errors)
		broken("a text was refused without a reason", &d);
	free(diag_string(&d));
	diag_free(&d);
	module_free(m);
	return 0;
}
