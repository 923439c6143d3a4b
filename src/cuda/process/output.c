/* What kernels print: kept until the program waits, as CUDA does. */
#include <stdio.h>
#include <string.h>
#include "cuda/process/alloc.h"
#include "cuda/rt.h"

static struct {
	char *text;
	size_t n, cap;
} output;
static pthread_mutex_t output_lock = PTHREAD_MUTEX_INITIALIZER;

void output_flush(void)
{
	pthread_mutex_lock(&output_lock);
	char *text = output.text;
	size_t n = output.n;
	output.text = NULL;
	output.n = output.cap = 0;
	pthread_mutex_unlock(&output_lock);
	if (n)
		fwrite(text, 1, n, stdout);
	free(text);
}

void device_output(void *arg, const char *text, size_t n)
{
	enum { MUCH = 1 << 20 };
	(void)arg;
	pthread_mutex_lock(&output_lock);
	if (output.n + n > output.cap) {
		output.cap = 2 * (output.n + n);
		output.text = rt_grow(output.text, output.cap);
	}
	memcpy(output.text + output.n, text, n);
	output.n += n;
	bool much = output.n > MUCH;
	pthread_mutex_unlock(&output_lock);
	if (much)
		output_flush();
}
