/* libc_exit.c: the ways in which a program ends (talks to raceproof.explore; see libc.h). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"
#include "outside.h"
#include "processes.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS_OF_SIGNAL = 128 }; /* as the shell tells it */

void libc_die(const char *kind, const char *format, ...) {
    if (is_child_process) child_dies(SIGABRT);
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    rp_fail(kind, "%s", message);
    libc.exit_kind = EXIT_AT_ONCE; /* the kind was not fatal for the core: it is for the program */
    rp_exit_program(STATUS_OF_SIGNAL + SIGABRT);
}

void libc_past_limit(enum rp_limit limit) {
    limit_reached(limit);
    end_execution(CUT_STEPS);
}

/* ---- exit */

static int add_handler(struct exit_handler *handlers, int *count, struct exit_handler handler) {
    if (*count == MAX_EXIT_HANDLERS) libc_past_limit(RP_LIMIT_EXIT_HANDLERS);
    handlers[(*count)++] = handler;
    return 0;
}

RP_LIB int rp_lib_atexit(void (*function)(void)) {
    struct exit_handler handler = {PLAIN_HANDLER, {.plain = function}, NULL};
    return add_handler(libc.handlers, &libc.handler_count, handler);
}

RP_LIB int rp_lib_on_exit(void (*function)(int, void *), void *argument) {
    struct exit_handler handler = {STATUS_HANDLER, {.with_status = function}, argument};
    return add_handler(libc.handlers, &libc.handler_count, handler);
}

RP_LIB int rp_lib___cxa_atexit(void (*function)(void *), void *argument, void *object) {
    struct exit_handler handler = {OBJECT_HANDLER, {.of_object = function}, argument};
    (void)object;
    return add_handler(libc.handlers, &libc.handler_count, handler);
}

RP_LIB int rp_lib_at_quick_exit(void (*function)(void)) {
    struct exit_handler handler = {PLAIN_HANDLER, {.plain = function}, NULL};
    return add_handler(libc.quick_handlers, &libc.quick_handler_count, handler);
}

/* A handler is taken off before it runs: it may register others, and it may call exit. */
static void run_handlers(struct exit_handler *handlers, int *count, int status) {
    while (*count > 0) {
        struct exit_handler handler = handlers[--*count];
        switch (handler.type) {
        case PLAIN_HANDLER: handler.call.plain(); break;
        case STATUS_HANDLER: handler.call.with_status(status, handler.argument); break;
        case OBJECT_HANDLER: handler.call.of_object(handler.argument); break;
        }
    }
}

void libc_run_exit_handlers(int status) {
    if (libc.exit_kind == EXIT_NORMAL) run_handlers(libc.handlers, &libc.handler_count, status);
    if (libc.exit_kind == EXIT_QUICK) run_handlers(libc.quick_handlers, &libc.quick_handler_count, status);
}

static _Noreturn void end_program(enum exit_kind kind, int status) {
    libc.exit_kind = kind;
    rp_exit_program(status);
}

RP_LIB _Noreturn void rp_lib_exit(int status) { end_program(EXIT_NORMAL, status); }
RP_LIB _Noreturn void rp_lib_quick_exit(int status) { end_program(EXIT_QUICK, status); }
RP_LIB _Noreturn void rp_lib__exit(int status) { end_program(EXIT_AT_ONCE, status); }
RP_LIB _Noreturn void rp_lib__Exit(int status) { end_program(EXIT_AT_ONCE, status); }
RP_LIB _Noreturn void rp_lib_exit_group(int status) { end_program(EXIT_AT_ONCE, status); }

/* ---- failures */

RP_LIB _Noreturn void rp_lib_abort(void) { libc_die("abort", "abort() was called"); }

static _Noreturn void fail_assertion(const char *condition, const char *file, unsigned line, const char *function) {
    if (function == NULL) function = "?";
    libc_die("assertion", "%s:%u: %s: assertion `%s' failed", file, line, function, condition);
}

/* glibc and musl, SV-COMP's preprocessed programs */
RP_LIB _Noreturn void rp_lib___assert_fail(const char *what, const char *file, unsigned line, const char *function) {
    fail_assertion(what, file, line, function);
}

/* uClibc, old glibc, Android */
RP_LIB _Noreturn void rp_lib___assert(const char *what, const char *file, int line) {
    fail_assertion(what, file, (unsigned)line, NULL);
}

/* Android */
RP_LIB _Noreturn void rp_lib___assert2(const char *file, int line, const char *function, const char *what) {
    fail_assertion(what, file, (unsigned)line, function);
}

/* macOS */
RP_LIB _Noreturn void rp_lib___assert_rtn(const char *function, const char *file, int line, const char *what) {
    fail_assertion(what, file, (unsigned)line, function);
}

/* newlib and Cygwin */
RP_LIB _Noreturn void rp_lib___assert_func(const char *file, int line, const char *function, const char *what) {
    fail_assertion(what, file, (unsigned)line, function);
}

RP_LIB _Noreturn void rp_lib___assert_perror_fail(int error, const char *file, unsigned line, const char *function) {
    fail_assertion(strerror(error), file, line, function);
}

RP_LIB _Noreturn void rp_lib___stack_chk_fail(void) { libc_die("crash", "stack smashing detected"); }
RP_LIB _Noreturn void rp_lib___chk_fail(void) { libc_die("crash", "buffer overflow detected"); }

/* ---- signals to itself */

static int is_ignored_by_default(int number) {
    return number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
}

static bool is_of_program(void (*handler)(int)) {
    bool is_own = rp_is_own_handler != NULL && rp_is_own_handler(handler);
    return handler != SIG_DFL && handler != SIG_IGN && !is_own;
}

int libc_is_handled(int number) {
    struct sigaction now;
    return number != 0 && sigaction(number, NULL, &now) == 0 && is_of_program(now.sa_handler);
}

/* With a handler of the program's own (fork mode) the real signal is sent: it arrives before raise returns. */
int libc_act_on(int number) {
    struct sigaction now;
    if (number == 0) return 0;
    if (sigaction(number, NULL, &now) != 0) return -1;
    if (number == SIGABRT && (now.sa_handler == SIG_DFL || !rp_fork_mode)) rp_lib_abort();
    if (now.sa_handler == SIG_IGN) return 0;
    if (is_of_program(now.sa_handler)) return raise(number);
    if (is_ignored_by_default(number)) return 0;
    if (is_child_process) child_dies(number);
    libc_die("signal", "the program sent itself signal %d (%s)", number, strsignal(number));
}

int libc_raise(int number) {
    if (!signal_is_blocked(self, number)) return libc_act_on(number);
    signal_leave(self, number);
    return 0;
}

/* To the process: a thread that does not block it gets it. */
static int signal_process(int number) {
    if (!signal_is_blocked(self, number)) return libc_act_on(number);
    if (!libc_is_handled(number) && !signal_is_blocked_by_all(number)) return libc_act_on(number);
    signal_leave(NULL, number);
    return 0;
}

RP_LIB int rp_lib_raise(int number) { return libc_raise(number); }
RP_LIB int rp_lib_gsignal(int number) { return libc_raise(number); }

/* Never the group, of which we are part, and never a process that the program cannot know. */
static int send_signal(pid_t pid, int number) {
    if (is_child_process) {
        if (pid == PROGRAM_PID) return kill(libc.real_pid, number);
        if (pid == 0 || pid == getpid()) return signal_process(number);
    }
    if (pid == PROGRAM_PID || pid == 0 || pid == -PROGRAM_PID) return signal_process(number);
    if (rp_fork_mode && pid > 1 && pid != PROGRAM_PARENT_PID) return kill(pid, number);
    errno = pid == -1 ? EPERM : ESRCH;
    return -1;
}

RP_LIB int rp_lib_kill(pid_t pid, int number) { return send_signal(pid, number); }
RP_LIB int rp_lib_killpg(pid_t group, int number) { return send_signal(-group, number); }
