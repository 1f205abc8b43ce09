/* isolation.c: executions that end badly or not at all, and executions in a process of their own; for
 * raceproof.explore. */

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fiber.h"
#include "isolation.h"
#include "libc.h"
#include "processes.h"

#define KERNEL_SIGSET 8 /* bytes */

int rp_fork_mode;

double now_seconds(void) { return (double)now_nanoseconds() / 1e9; }

uint64_t cpu_microseconds(void) {
    struct timespec own;
    struct rusage children;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    uint64_t seconds = (uint64_t)(own.tv_sec + children.ru_utime.tv_sec + children.ru_stime.tv_sec);
    return seconds * 1000000 + (uint64_t)(own.tv_nsec / 1000 + children.ru_utime.tv_usec + children.ru_stime.tv_usec);
}

enum stop stop_reason(void) {
    if (pulse.interrupted) return STOP_INTERRUPTED;
    /* Whole numbers: this runs on the program's threads, whose floating-point flags are theirs. */
    if (pulse.deadline > 0 && now_nanoseconds() >= pulse.deadline) return STOP_TIME;
    return STOP_NOT;
}

bool must_stop(void) { return pulse.tick && stop_reason() != STOP_NOT; }

void set_deadline(double seconds) {
    pulse.deadline = seconds > 0 ? now_nanoseconds() + (uint64_t)(seconds * 1e9) : 0;
}

/* In the dispatcher: nothing is half done here. */
void on_tick(void) {
    pulse.tick = 0;
    enum stop stop = stop_reason();
    if (stop == STOP_NOT) return;
    G->stop = (uint8_t)stop;
    end_execution(CUT_BLOCKED);
}

/* The execution does not go on: we are in the program's own code, nothing of ours is half done. */
static void on_cut(int signal) {
    (void)signal;
    if (self == NULL || pulse.steps_left != pulse.cut_at) return;
    enum stop stop = stop_reason();
    if (stop != STOP_NOT) G->stop = (uint8_t)stop;
    G->bounded_endless = 1;
    end_execution(CUT_ENDLESS);
}

static const char *signal_text(int signal) {
    switch (signal) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic error (division by zero?)";
    case SIGILL: return "illegal instruction";
    case SIGPIPE: return "write to a pipe that nobody reads";
    default: return "fatal signal";
    }
}

static void on_crash(int signal, siginfo_t *info, void *context) {
    (void)context;
    if (self == NULL || self->state != T_READY) { /* a fault of the runtime itself */
        static const char text[] = "raceproof: the explorer's runtime crashed\n";
        (void)!write(2, text, sizeof text - 1);
        _exit(4);
    }
    if (is_child_process) child_dies(signal);
    bool overflow = signal == SIGSEGV && fiber_in_guard(&self->fiber, (uintptr_t)info->si_addr);
    report_other(overflow ? "stack overflow" : signal == SIGPIPE ? "signal" : "crash", overflow ? "stack overflow" : signal_text(signal), rp_site);
    stand_still(OP_EXIT);
}

int rp_is_own_handler(void (*handler)(int)) {
    return (uintptr_t)handler == (uintptr_t)on_crash;
}

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPIPE};
#define CRASH_SIGNALS (sizeof crash_signals / sizeof *crash_signals)

bool is_crash_signal(int signal) {
    for (size_t i = 0; i < CRASH_SIGNALS; i++)
        if (crash_signals[i] == signal) return true;
    return false;
}

void catch_crash(int signal) {
    struct sigaction crash = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigaction(signal, &crash, NULL);
}

void set_alternate_stack(const stack_t *stack) {
    static char memory[64 << 10];
    stack_t ours = {.ss_sp = memory, .ss_size = sizeof memory};
    sigaltstack(stack == NULL || (stack->ss_flags & SS_DISABLE) ? &ours : stack, NULL);
}

void catch_signals(void) {
    set_alternate_stack(NULL);
    for (size_t i = 0; i < CRASH_SIGNALS; i++) catch_crash(crash_signals[i]);
    /* The library does not let anybody handle CUT_SIGNAL: the system is told, all else as for the others. */
    struct { void *handler; long others[15]; } cut;
    (void)syscall(SYS_rt_sigaction, SIGSEGV, NULL, &cut, KERNEL_SIGSET);
    cut.handler = (void *)on_cut;
    (void)syscall(SYS_rt_sigaction, CUT_SIGNAL, &cut, NULL, KERNEL_SIGSET);
}

void run_in_child(void (*body)(void)) {
    G->cut = CUT_FATAL; /* unless the child says otherwise */
    G->child_reported = 0;
    pid_t parent = getpid(), child = fork();
    if (child < 0) {
        perror("raceproof: cannot start a process");
        exit(4);
    }
    if (child == 0) {
        end_with_parent(parent);
        setpgid(0, 0); /* whatever it starts ends with it */
        body();
        G->child_reported = 1;
        _exit(0);
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    pulse.running = 0;
    kill(-child, SIGKILL);
    end_children(); /* what was in another group, too */
    if (processes_take_unfollowed()) limit_reached(RP_LIMIT_PROCESSES);
    if (G->child_reported) return;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 4) exit(4);
    /* It ended where the runtime did not see it: what the other threads would have done is not known. */
    bool is_crash = WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL;
    report_other(is_crash ? "crash" : "exit", is_crash ? strsignal(WTERMSIG(status)) : "the process ended where the runtime does not see it", NONE);
}
