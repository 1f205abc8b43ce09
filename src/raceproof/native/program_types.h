/* program_types.h: types of the C library as the program under test has them, which was compiled for glibc.
 *
 * The host of 64-bit programs is compiled for it too. That of 32-bit programs and those of targets (RP_STATIC) have
 * musl's, which agrees with it about everything that passes between the two but for these: on 32-bit machines, times and
 * offsets in files have 64 bits in musl, 32 in glibc. A function of a 32-bit program that says it wants 64
 * (`__clock_gettime64`) is not replaced by one of ours.
 */
#ifndef PROGRAM_TYPES_H
#define PROGRAM_TYPES_H

#include <stddef.h>

#ifdef RP_STATIC

#include <stdint.h>

#define PROGRAM_HAS_GLIBC 1
#if UINTPTR_MAX > UINT32_MAX
#define PROGRAM_MUTEX_KIND 16 /* where its type is in a pthread_mutex_t */
#else
#define PROGRAM_MUTEX_KIND 12
#endif
#ifdef __i386__
#define PROGRAM_CLEANUP __attribute__((regparm(1))) /* how functions that its cleanup macros call are called */
#else
#define PROGRAM_CLEANUP
#endif

/* What setjmp keeps; both libraries agree. */
#if defined(__i386__)
typedef int32_t program_registers[6];
#elif defined(__x86_64__)
typedef int64_t program_registers[8];
#elif defined(__aarch64__)
typedef int64_t program_registers[22];
#elif defined(__arm__)
typedef int32_t program_registers[64] __attribute__((aligned(8)));
#elif defined(__riscv)
typedef int64_t program_registers[26];
#endif

typedef intptr_t program_time;
typedef intptr_t program_offset;
struct program_timespec { intptr_t tv_sec, tv_nsec; };
struct program_timeval { intptr_t tv_sec, tv_usec; };
struct program_timeb { intptr_t time; unsigned short millitm; short timezone, dstflag; };
struct program_itimerval { struct program_timeval it_interval, it_value; };
struct program_rusage { struct program_timeval ru_utime, ru_stime; intptr_t others[14]; };
struct program_sched_param { int sched_priority; };
typedef struct { struct { program_registers registers; int has_mask; } __cancel_jmp_buf[1]; void *__pad[4]; } program_unwind_buffer;

#else

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>

#ifdef __GLIBC__
#define PROGRAM_HAS_GLIBC 1
#ifdef __LP64__
#define PROGRAM_MUTEX_KIND 16
#else
#define PROGRAM_MUTEX_KIND 12
#endif
#define PROGRAM_CLEANUP
#define program_unwind_buffer __pthread_unwind_buf_t
#else
#define PROGRAM_MUTEX_KIND 0
#endif

typedef time_t program_time;
typedef off_t program_offset;
struct program_timeb { time_t time; unsigned short millitm; short timezone, dstflag; };
#define program_timespec timespec
#define program_timeval timeval
#define program_itimerval itimerval
#define program_rusage rusage
#define program_sched_param sched_param

#endif

#if defined(PROGRAM_HAS_GLIBC) && !defined(RP_STATIC)
#include <pthread.h>
_Static_assert(offsetof(pthread_mutex_t, __data.__kind) == PROGRAM_MUTEX_KIND, "where glibc keeps a mutex's type");
#endif
_Static_assert(sizeof(struct program_timespec) == 2 * sizeof(void *), "as the program has it");
_Static_assert(sizeof(struct program_timeval) == 2 * sizeof(void *), "as the program has it");

/* Whether it is a time at all; a null pointer stands for no limit. */
static inline int is_time(const struct program_timespec *until) {
    return until == NULL || (until->tv_nsec >= 0 && until->tv_nsec < 1000000000);
}

#endif
