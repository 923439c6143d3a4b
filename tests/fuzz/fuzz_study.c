/* Fuzz target: reads a study and its sweep, if it has one; either may be refused with messages. */
#include <stdlib.h>
#include "file.h"
#include "study/lang/study.h"
#include "study/lang/sweep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {0}, e = {0};
	struct input_file in = input_file(data, size);
	struct study *s = study_read(in.path, &d);
	struct sweep *w = sweep_read(in.path, &e);
	close(in.fd);
	if (!s != !!d.errors || !w != !!e.errors)
		abort();
	if (s)
		study_free(s);
	if (w) {
		sweep_size(w);
		sweep_free(w);
	}
	diag_free(&d);
	diag_free(&e);
	return 0;
}
