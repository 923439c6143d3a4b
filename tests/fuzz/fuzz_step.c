/* Fuzz target: reads a step of launches in JSON and a NumPy array; either may be refused with a
 * message. */
#include "cli/step/step.h"
#include "file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct step s;
	struct npy n;
	struct input_file in = input_file(data, size);
	(void)step_read(&s, "step.json", (const char *)data, size, false);
	step_free(&s);
	if (npy_read(in.path, &n)) {
		for (uint64_t i = 0; i < n.count; i++)
			(void)n.type->value(n.data + i * n.type->size);
		npy_free(&n);
	}
	close(in.fd);
	return 0;
}
