/* The names of functions that the simulator provides to device code. The linker (ir/link.c) resolves calls
 * to them; kernel/builtin.c executes them. */
#include <string.h>
#include "ir/module.h"

static const char second[] = "__cudaCDP2"; /* prefix from CUDA 12 on, in place of "cuda" */

static const char *const names[] = {[BI_VPRINTF] = "vprintf",
				    [BI_ASSERTFAIL] = "__assertfail",
				    [BI_MALLOC] = "malloc",
				    [BI_FREE] = "free",
				    [BI_OUT_OF_BOUNDS] = "__ubsan_handle_out_of_bounds",
				    [BI_INDEX_END] = "__heddle_index_end",
				    [BI_ASK] = "__heddle_ask",
				    [BI_PARAM_BUFFER] = "cudaGetParameterBuffer",
				    [BI_PARAM_BUFFER_V2] = "cudaGetParameterBufferV2",
				    [BI_LAUNCH] = "cudaLaunchDevice",
				    [BI_LAUNCH_V2] = "cudaLaunchDeviceV2",
				    [BI_WAIT_CHILDREN] = "cudaDeviceSynchronize",
				    [BI_WAIT_IF_ANY] = "__heddle_wait_if_any"};

static bool is_name(const char *s, size_t n, const char *name)
{
	return strlen(name) == n && !memcmp(s, name, n);
}

enum builtin builtin_named(const char *s, size_t n)
{
	size_t skip = strlen(second);
	bool newer = n > skip && !memcmp(s, second, skip);
	for (unsigned i = 1; i < sizeof names / sizeof *names; i++)
		if (newer ? i >= BI_PARAM_BUFFER &&
				    is_name(s + skip, n - skip, names[i] + strlen("cuda"))
			  : is_name(s, n, names[i]))
			return (enum builtin)i;
	return BI_NONE;
}
