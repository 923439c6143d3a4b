/* Fuzz target: imports a file of GPUWattch or AccelWattch. Either it becomes a calibration, or one
 * message states why not and nothing else is printed. */
#include <stdint.h>
#include <stdlib.h>
#include "power/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {0};
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);
	if (!f)
		return 0;
	bool ok = power_import_text("x.xml", (const char *)data, size, f, &d);
	fclose(f);
	if (ok ? d.errors || !n : d.errors != 1 || n)
		abort();
	diag_free(&d);
	free(out);
	return 0;
}
