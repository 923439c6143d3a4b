/* Fuzz target: reads a machine's configuration. Either it can be printed again, or messages state
 * why not. */
#include <stdlib.h>
#include "base/diag.h"
#include "conf/machine.h"
#include "file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {0};
	struct input_file in = input_file(data, size);
	static FILE *null;
	if (!null && !(null = fopen("/dev/null", "w")))
		return 0;
	struct machine *m = machine_read(in.path, NULL, &d);
	close(in.fd);
	if (!m != !!d.errors)
		abort();
	if (m) {
		machine_unused(m, &d);
		machine_print(m, null);
		machine_free(m);
	}
	diag_free(&d);
	return 0;
}
