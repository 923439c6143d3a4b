/* Output of kernels: kept until the program waits, as CUDA does. */
#include <stdio.h>
#include <string.h>
#include "cuda/process/alloc.h"
#include "cuda/process/process.h"

void output_flush(void)
{
	pthread_mutex_lock(&process.output.lock);
	char *text = process.output.text;
	size_t n = process.output.n;
	process.output.text = NULL;
	process.output.n = process.output.cap = 0;
	pthread_mutex_unlock(&process.output.lock);
	if (n)
		fwrite(text, 1, n, stdout);
	free(text);
}

void device_output(void *arg, const char *text, size_t n)
{
	enum { MUCH = 1 << 20 };
	(void)arg;
	pthread_mutex_lock(&process.output.lock);
	if (process.output.n + n > process.output.cap) {
		process.output.cap = 2 * (process.output.n + n);
		process.output.text = rt_grow(process.output.text, process.output.cap);
	}
	memcpy(process.output.text + process.output.n, text, n);
	process.output.n += n;
	bool much = process.output.n > MUCH;
	pthread_mutex_unlock(&process.output.lock);
	if (much)
		output_flush();
}
