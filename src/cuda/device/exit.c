/* Replaces _exit() and _Exit(), which bypass the library's destructor, so that the report is
 * printed and the exit status shows errors. A linker does not see these definitions (their version
 * is not a default one); the dynamic linker finds them before those of the C library. */
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "cuda/device/device.h"
#include "cuda/process/failure.h"
#include "cuda/rt.h"

#if defined(__x86_64__)
#define EXIT_VERSION "GLIBC_2.2.5"
#else
#define EXIT_VERSION "GLIBC_2.17"
#endif
__asm__(".symver rt_early_exit,_exit@" EXIT_VERSION);
__asm__(".symver rt_early_Exit,_Exit@" EXIT_VERSION);
_Noreturn void rt_early_exit(int status);
_Noreturn void rt_early_Exit(int status);

_Noreturn void rt_early_exit(int status)
{
	failure_status(status);
	rt_leave();
	for (;;)
		syscall(SYS_exit_group, status);
}

_Noreturn void rt_early_Exit(int status) { rt_early_exit(status); }
