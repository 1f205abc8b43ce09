/* libc_system.c: what the program can ask of the process and the machine (talks to raceproof.explore; see libc.h). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"
#include "threads.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <getopt.h>

enum { PROCESSORS = 4 };

/* ---- string.h */

RP_LIB char *rp_lib_strtok(char *text, const char *delimiters) {
    if (text == NULL && libc.strtok_next == NULL) return NULL;
    return strtok_r(text, delimiters, &libc.strtok_next);
}

/* ---- identity: the same in every execution, except in processes that the program has made itself (fork mode) */

static int is_the_program(void) { return !rp_fork_mode || getpid() == libc.real_pid; }

static pid_t process_id(void) { return is_the_program() ? PROGRAM_PID : getpid(); }

RP_LIB pid_t rp_lib_getpid(void) { return process_id(); }
RP_LIB pid_t rp_lib_gettid(void) { return process_id() + rp_tid(); }

RP_LIB pid_t rp_lib_getppid(void) {
    if (is_the_program()) return PROGRAM_PARENT_PID;
    return getppid() == libc.real_pid ? PROGRAM_PID : getppid();
}

/* A terminal or not: the answer must not depend on where raceproof runs. */
RP_LIB int rp_lib_isatty(int fd) {
    if (fd > 2 && rp_fork_mode) return isatty(fd);
    errno = fd >= 0 && fd <= 2 ? ENOTTY : EBADF;
    return 0;
}

/* ---- the machine */

RP_LIB long rp_lib_sysconf(int name) {
    if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) return PROCESSORS;
    return sysconf(name);
}

RP_LIB int rp_lib_get_nprocs(void) { return PROCESSORS; }
RP_LIB int rp_lib_get_nprocs_conf(void) { return PROCESSORS; }

RP_LIB int rp_lib_getcpu(unsigned *cpu, unsigned *node) {
    if (cpu != NULL) *cpu = (unsigned)(rp_tid() % PROCESSORS);
    if (node != NULL) *node = 0;
    return 0;
}

RP_LIB int rp_lib_sched_getcpu(void) { return rp_tid() % PROCESSORS; }

/* ---- getopt: the real one keeps its place in hidden variables, and writes to the real stderr */

static void complain_about_option(const char *program, const char *options, int shown) {
    char letter[2] = {(char)optopt, '\0'};
    if (!shown || *options == ':') return;
    libc_emit(program, strlen(program));
    libc_emit(": invalid option", 16);
    if (optopt != 0) {
        libc_emit(" -- ", 4);
        libc_emit(letter, 1);
    }
    libc_emit("\n", 1);
}

RP_LIB int rp_lib_getopt(int count, char *const arguments[], const char *options) {
    int shown = opterr;
    libc.getopt_used = 1;
    opterr = 0;
    int option = getopt(count, arguments, options);
    opterr = shown;
    if (option == '?') complain_about_option(arguments[0], options, shown);
    return option;
}

typedef int getopt_function(int, char *const[], const char *, const struct option *, int *);

static int long_option(getopt_function *real, int count, char *const arguments[], const char *options,
                       const struct option *names, int *index) {
    int shown = opterr;
    libc.getopt_used = 1;
    opterr = 0;
    int option = real(count, arguments, options, names, index);
    opterr = shown;
    if (option == '?') complain_about_option(arguments[0], options, shown);
    return option;
}

RP_LIB int rp_lib_getopt_long(int count, char *const arguments[], const char *options, const struct option *names,
                              int *index) {
    return long_option(getopt_long, count, arguments, options, names, index);
}

RP_LIB int rp_lib_getopt_long_only(int count, char *const arguments[], const char *options, const struct option *names,
                                   int *index) {
    return long_option(getopt_long_only, count, arguments, options, names, index);
}

/* ---- system calls by number */

#ifdef __linux__
enum { SYSCALL_ARGUMENTS = 6 };

_Noreturn void rp_lib__exit(int status);
ssize_t rp_lib_getrandom(void *data, size_t length, unsigned flags);
ssize_t rp_lib_write(int fd, const void *data, size_t length);

/* Fork mode only (explore/outside.py), because of the ones that are not handled here. */
RP_LIB long rp_lib_syscall(long number, ...) {
    long a[SYSCALL_ARGUMENTS];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < SYSCALL_ARGUMENTS; i++) a[i] = va_arg(arguments, long);
    va_end(arguments);
    switch (number) {
    case SYS_gettid: return rp_lib_gettid();
    case SYS_getpid: return rp_lib_getpid();
    case SYS_getppid: return rp_lib_getppid();
    case SYS_sched_yield: yield_step(); return 0;
    case SYS_getrandom: return rp_lib_getrandom((void *)a[0], (size_t)a[1], (unsigned)a[2]);
    case SYS_write: return rp_lib_write((int)a[0], (const void *)a[1], (size_t)a[2]);
    case SYS_exit: rp_end_thread();
    case SYS_exit_group: rp_lib__exit((int)a[0]);
    case SYS_futex: libc_die("unsupported", "the program calls futex itself: it would block all its threads");
    default: return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
}
#endif
