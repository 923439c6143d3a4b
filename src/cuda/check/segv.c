/* Handlers of signals that end a program: they print the reason and the report on its launches. */
#include "cuda/check/segv.h"

#include <signal.h>
#include <ucontext.h>
#include "cuda/device/device.h"
#include "cuda/process/failure.h"
#include "cuda/process/alloc.h"
#include "cuda/rt.h"
#include "cuda/process/site.h"

const void *fault_pc(const void *context)
{
	const ucontext_t *u = context;
#if defined(__x86_64__)
	return (const void *)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (const void *)u->uc_mcontext.pc;
#else
	(void)u;
	return NULL;
#endif
}

/* Prints the reason. The fault was in the program's own code, not in a function of this library, so
 * calling our functions is safe. */
static void on_fault(int sig, siginfo_t *i, void *context)
{
	struct sigaction as_ever = {.sa_handler = SIG_DFL};
	struct heddle_range r;
	uint64_t a = (uint64_t)(uintptr_t)i->si_addr;
	sigaction(sig, &as_ever, NULL); /* on return the access faults again and ends the program */
	if (pthread_mutex_trylock(&process.device.lock))
		return;
	bool device = process.device.h && !heddle_range(process.device.h, a, &r);
	pthread_mutex_unlock(&process.device.lock);
	if (!device) {
		report_crash(sig);
		return;
	}
	struct site s = site_at(fault_pc(context));
	const char *by = site_of(NULL, r.base);
	rt_fail("device memory at 0x%llx (byte %llu of an allocation of %llu%s%s) used by %s: only kernels and copies can use it",
		(unsigned long long)a, (unsigned long long)(a - r.base), (unsigned long long)r.size,
		by ? ", allocated by " : "", by ? by : "", site_text(&s));
	report_crash(sig);
}

static void on_crash(int sig)
{
	signal(sig, SIG_DFL);
	report_crash(sig);
	raise(sig);
}

bool segv_is_own(const struct sigaction *now)
{
	return !(now->sa_flags & SA_SIGINFO) &&
	       (now->sa_handler == SIG_DFL || now->sa_handler == on_crash);
}

void segv_watch(void)
{
	struct sigaction act = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER}, now;
	if (!sigaction(SIGSEGV, NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
	    now.sa_handler == SIG_DFL)
		sigaction(SIGSEGV, &act, NULL);
	static const int crashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGHUP, SIGINT, SIGTERM};
	struct sigaction crash = {.sa_handler = on_crash, .sa_flags = SA_NODEFER};
	for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
		if (!sigaction(crashes[i], NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
		    now.sa_handler == SIG_DFL)
			sigaction(crashes[i], &crash, NULL);
}
