/* Fuzz target: imports a configuration of another simulator. Either the result is a Heddle machine
 * that can be read without an error, or messages state why not. */
#include <stdlib.h>
#include "conf/import.h"
#include "conf/machine.h"
#include "file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_again(const char *text, size_t n)
{
	struct diag d = {0};
	struct input_file in = input_file(text, n);
	struct machine *m = machine_read(in.path, NULL, &d);
	close(in.fd);
	if (!m != !!d.errors)
		abort();
	if (m)
		machine_free(m);
	diag_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {0};
	struct input_file in = input_file(data, size);
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);
	if (!f)
		return 0;
	bool ok = import_config(in.path, f, &d);
	fclose(f);
	close(in.fd);
	if (ok != !d.errors)
		abort();
	if (ok)
		read_again(out, n);
	diag_free(&d);
	free(out);
	return 0;
}
