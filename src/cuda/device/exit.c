/* _exit() and _Exit() bypass the library's destructor. These versions stand before the C library's,
 * so that the report is printed and the exit status tells what went wrong. A linker does not see
 * them (the version is not a default one); the dynamic linker finds them first. */
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
