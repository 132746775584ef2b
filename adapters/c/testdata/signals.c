// signals loads the library into a program with handlers of its own and checks that they still work: a SIGSEGV of the program, with and
// without the library on the stack before; SIGINT, SIGTERM, SIGPIPE, SIGUSR1, SIGPROF; masks; and the answer in a child of fork.
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "oxide.h"

static sigjmp_buf back;
static volatile sig_atomic_t seen[65];
static void *volatile fault_address;

static void on_fault(int sig, siginfo_t *info, void *context) {
	(void)context;
	seen[sig]++;
	fault_address = info->si_addr;
	siglongjmp(back, 1);
}

static void on_signal(int sig) { seen[sig]++; }

static void check(int ok, const char *what) {
	if (!ok) fprintf(stderr, "failed: %s\n", what), exit(1);
}

static const int plain[] = {SIGINT, SIGTERM, SIGPIPE, SIGUSR1, SIGHUP, SIGCHLD, SIGPROF, SIGALRM};
enum { PLAIN = sizeof plain / sizeof *plain };

static void fault(void) {
	int before = seen[SIGSEGV];
	if (sigsetjmp(back, 1) == 0) *(volatile int *)0x40 = 1;
	check(seen[SIGSEGV] == before + 1 && fault_address == (void *)0x40, "the program's SIGSEGV handler");
}

static void all(void) {
	fault();
	for (int i = 0; i < PLAIN; i++) {
		int before = seen[plain[i]];
		raise(plain[i]);
		check(seen[plain[i]] == before + 1, strsignal(plain[i]));
	}
}

int main(int argc, char **argv) {
	check(argc == 2, "usage: signals LIBRARY");
	struct sigaction fault_action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, action = {.sa_handler = on_signal}, now;
	sigaction(SIGSEGV, &fault_action, NULL);
	for (int i = 0; i < PLAIN; i++) sigaction(plain[i], &action, NULL);
	sigset_t before, after;
	sigprocmask(SIG_SETMASK, NULL, &before);
	all();

	void *lib = dlopen(argv[1], RTLD_NOW);
	check(lib != NULL, "dlopen");
	oxide_status (*open)(int32_t, int32_t, oxide_device *) = (oxide_status(*)(int32_t, int32_t, oxide_device *))dlsym(lib, "oxide_device_open");
	oxide_status (*shut)(oxide_device) = (oxide_status(*)(oxide_device))dlsym(lib, "oxide_device_close");
	const char *(*text)(void) = (const char *(*)(void))dlsym(lib, "oxide_last_error");
	oxide_device device;
	check(open(OXIDE_EMULATED, 0, &device) == OXIDE_OK, "device_open");
	all();
	for (int i = 0; i < PLAIN; i++) {
		sigaction(plain[i], NULL, &now);
		if (plain[i] != SIGPIPE) check(now.sa_handler == on_signal, "the handler is still installed");
	}
	sigprocmask(SIG_SETMASK, NULL, &after);
	for (int i = 1; i < 65; i++) check(sigismember(&before, i) == sigismember(&after, i), "the signal mask");
	check(open(OXIDE_EMULATED, 0, NULL) == OXIDE_ERROR_ARGUMENT, "a wrong call after the signals");
	all();

	// A handler that is installed later, as the library's introduction asks: with SA_ONSTACK.
	fault_action.sa_flags |= SA_ONSTACK;
	sigaction(SIGSEGV, &fault_action, NULL);
	fault();

	pid_t child = fork();
	if (child == 0) {
		int ok = open(OXIDE_EMULATED, 0, &device) == OXIDE_ERROR_FORKED && strstr(text(), "forked") != NULL && shut(device) == OXIDE_ERROR_FORKED;
		_exit(ok ? 0 : 1);
	}
	int status;
	check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the answer in a child of fork");
	check(shut(device) == OXIDE_OK, "device_close in the parent");
	return 0;
}
