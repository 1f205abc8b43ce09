/* isolation.c: executions that end badly or not at all, and executions in a process of their own; for
 * raceproof.explore. */

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fiber.h"
#include "isolation.h"
#include "libc.h"

#define TICK_MICROSECONDS 250000
#define LATE_TICKS 12
#define ENDLESS_TICKS 40 /* ten seconds without a hook: the program computes for ever, or waits outside */

int rp_fork_mode;
static volatile int interrupted;
static uint64_t seen_steps;
static int idle_ticks, late_ticks;
static uint64_t deadline; /* 0: none */

/* Whole numbers: this runs on the program's threads, whose floating-point flags are theirs. */
static uint64_t now_nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

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
    if (interrupted) return STOP_INTERRUPTED;
    if (deadline > 0 && now_nanoseconds() >= deadline) return STOP_TIME;
    return STOP_NOT;
}

bool must_stop(void) { return tick_pending && stop_reason() != STOP_NOT; }

void set_deadline(double seconds) {
    deadline = seconds > 0 ? now_nanoseconds() + (uint64_t)(seconds * 1e9) : 0;
}

/* In the dispatcher: nothing is half done here. */
void on_tick(void) {
    tick_pending = 0;
    enum stop stop = stop_reason();
    if (stop == STOP_NOT) return;
    G->stop = (uint8_t)stop;
    end_execution(CUT_BLOCKED);
}

static void ticked(int signal) {
    (void)signal;
    tick_pending = 1;
    late_ticks = stop_reason() != STOP_NOT ? late_ticks + 1 : 0;
    if (late_ticks > LATE_TICKS) _exit(5); /* the search itself does not come to an end */
    if (self == NULL) return;
    bool is_idle = steps_left == seen_steps;
    seen_steps = steps_left;
    idle_ticks = is_idle ? idle_ticks + 1 : 0;
    bool must_stop = stop_reason() != STOP_NOT && idle_ticks >= 2;
    if (idle_ticks < ENDLESS_TICKS && !must_stop) return;
    /* No hook for a long time: we are in the program's own code, nothing of ours is half done. */
    idle_ticks = 0;
    if (must_stop) G->stop = (uint8_t)stop_reason();
    G->bounded_endless = 1;
    end_execution(CUT_ENDLESS);
}

static void on_interrupt(int signal) {
    (void)signal;
    interrupted = 1;
    tick_pending = 1;
}

static const char *signal_text(int signal) {
    switch (signal) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic error (division by zero?)";
    case SIGILL: return "illegal instruction";
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
    bool overflow = signal == SIGSEGV && fiber_in_guard(&self->fiber, (uintptr_t)info->si_addr);
    report_other(overflow ? "stack overflow" : "crash", overflow ? "stack overflow" : signal_text(signal), rp_site);
    stand_still(OP_EXIT);
}

int rp_is_own_handler(void (*handler)(int)) {
    return handler == ticked || handler == on_interrupt || (uintptr_t)handler == (uintptr_t)on_crash;
}

void catch_signals(void) {
    static char stack[64 << 10];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternative, NULL);
    struct sigaction crash = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigaction(SIGSEGV, &crash, NULL);
    sigaction(SIGBUS, &crash, NULL);
    sigaction(SIGFPE, &crash, NULL);
    sigaction(SIGILL, &crash, NULL);
    struct sigaction tick = {.sa_handler = ticked, .sa_flags = SA_RESTART | SA_NODEFER};
    sigaction(SIGALRM, &tick, NULL);
    struct sigaction stop = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void start_ticking(void) {
    struct itimerval every = {{0, TICK_MICROSECONDS}, {0, TICK_MICROSECONDS}};
    setitimer(ITIMER_REAL, &every, NULL);
}

void run_in_child(void (*body)(void)) {
    G->cut = CUT_FATAL; /* unless the child says otherwise */
    G->child_reported = 0;
    pid_t child = fork();
    if (child < 0) {
        perror("raceproof: cannot start a process");
        exit(4);
    }
    if (child == 0) {
        setpgid(0, 0); /* whatever it starts ends with it */
        start_ticking();
        body();
        G->child_reported = 1;
        _exit(0);
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    kill(-child, SIGKILL);
    if (G->child_reported) return;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 4) exit(4);
    /* It ended where the runtime did not see it: what the other threads would have done is not known. */
    bool is_crash = WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL;
    report_other(is_crash ? "crash" : "exit", is_crash ? strsignal(WTERMSIG(status)) : "the process ended where the runtime does not see it", NONE);
}
