/* libc_time.c: virtual time, and sleeping as a hint to the scheduler (talks to raceproof.explore; see libc.h). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "libc.h"
#include "outside.h"
#include "program_types.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
#define EPOCH (UINT64_C(1577836800) * SECOND)  /* 2020-01-01 */
#define UPTIME (UINT64_C(1000) * SECOND)       /* since the virtual machine's start, at the program's start */
#define YEAR (UINT64_C(86400) * 365 * SECOND)

static void nap(uint64_t ns) {
    rp_sleep_for(ns);
    rp_yield();
}

enum { LAST_CLOCK = 11 }; /* of those that every system has; it is asked about others */

/* What a clock shows when rp_now() is 0. */
static uint64_t origin_of(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME:
#ifdef CLOCK_REALTIME_COARSE
    case CLOCK_REALTIME_COARSE:
#endif
#ifdef CLOCK_TAI
    case CLOCK_TAI:
#endif
        return EPOCH;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return 0;
    default:
        return UPTIME;
    }
}

static struct program_timespec as_timespec(uint64_t ns) {
    struct program_timespec result = {(program_time)(ns / SECOND), (long)(ns % SECOND)};
    return result;
}

static struct program_timeval as_timeval(uint64_t ns) {
    struct program_timeval result = {(program_time)(ns / SECOND), (suseconds_t)(ns % SECOND / 1000)};
    return result;
}

/* 0 if it is none: the callers then fail with EINVAL. */
static int from_timespec(const struct program_timespec *span, uint64_t *ns) {
    if (span->tv_sec < 0 || span->tv_nsec < 0 || (uint64_t)span->tv_nsec >= SECOND) return 0;
    uint64_t seconds = (uint64_t)span->tv_sec;
    *ns = seconds > UINT64_MAX / SECOND / 2 ? UINT64_MAX / 2 : seconds * SECOND + (uint64_t)span->tv_nsec;
    return 1;
}

/* ---- clocks */

RP_LIB program_time rp_lib_time(program_time *result) {
    program_time now = (program_time)((EPOCH + rp_now()) / SECOND);
    if (result != NULL) *result = now;
    return now;
}

RP_LIB clock_t rp_lib_clock(void) { return (clock_t)(rp_now() / (SECOND / CLOCKS_PER_SEC)); }

RP_LIB int rp_lib_gettimeofday(struct program_timeval *result, void *zone) {
    if (zone != NULL) memset(zone, 0, sizeof(struct timezone));
    if (result != NULL) *result = as_timeval(EPOCH + rp_now());
    return 0;
}

RP_LIB int rp_lib_clock_gettime(clockid_t clock, struct program_timespec *result) {
    if ((unsigned)clock > LAST_CLOCK && clock_getres(clock, NULL) != 0) return -1;
    *result = as_timespec(origin_of(clock) + rp_now());
    return 0;
}

RP_LIB int rp_lib_timespec_get(struct program_timespec *result, int base) {
    if (base != 1 /* TIME_UTC */) return 0;
    *result = as_timespec(EPOCH + rp_now());
    return base;
}

RP_LIB int rp_lib_ftime(void *result) {
    struct program_timeb now = {0, 0, 0, 0}; /* the header that has it is gone from some systems */
    uint64_t ns = EPOCH + rp_now();
    now.time = (program_time)(ns / SECOND);
    now.millitm = (unsigned short)(ns % SECOND / 1000000);
    memcpy(result, &now, sizeof now);
    return 0;
}

RP_LIB clock_t rp_lib_times(struct tms *result) {
    clock_t ticks = (clock_t)(rp_now() / (SECOND / 100));
    memset(result, 0, sizeof *result);
    result->tms_utime = ticks;
    return ticks;
}

RP_LIB int rp_lib_getrusage(int who, struct program_rusage *result) {
    (void)who;
    memset(result, 0, sizeof *result);
    result->ru_utime = as_timeval(rp_now());
    return 0;
}

/* ---- sleeping */

RP_LIB unsigned rp_lib_sleep(unsigned seconds) {
    nap(seconds * SECOND);
    return 0;
}

RP_LIB int rp_lib_usleep(useconds_t microseconds) {
    nap((uint64_t)microseconds * 1000);
    return 0;
}

RP_LIB int rp_lib_nanosleep(const struct program_timespec *span, struct program_timespec *rest) {
    uint64_t ns;
    if (!from_timespec(span, &ns)) return errno = EINVAL, -1;
    nap(ns);
    if (rest != NULL) *rest = as_timespec(0);
    return 0;
}

RP_LIB int rp_lib_clock_nanosleep(clockid_t clock, int flags, const struct program_timespec *span,
                                  struct program_timespec *rest) {
    uint64_t ns;
    if (!from_timespec(span, &ns)) return EINVAL;
    if (flags & 1 /* TIMER_ABSTIME */) {
        uint64_t origin = origin_of(clock);
        rp_sleep_until(ns > origin ? ns - origin : 0);
        rp_yield();
        return 0;
    }
    nap(ns);
    if (rest != NULL) *rest = as_timespec(0);
    return 0;
}

/* Timers are set and can be asked, but no signal comes of them: nothing arrives from outside at a time of its own. */

static struct libc_timer *timer_of(int which) {
    return which >= 0 && which < TIMERS ? &libc.timers[which] : NULL;
}

/* What is left until it goes off next, 0 if it is not set. One that repeats does so for ever. */
static uint64_t left_of(const struct libc_timer *timer) {
    uint64_t now = rp_now();
    if (timer->at > now) return timer->at - now;
    return timer->at == 0 || timer->every == 0 ? 0 : timer->every - (now - timer->at) % timer->every;
}

static void set_timer(struct libc_timer *timer, uint64_t after, uint64_t every) {
    timer->at = after == 0 ? 0 : rp_now() + after;
    timer->every = every;
}

RP_LIB unsigned rp_lib_alarm(unsigned seconds) {
    struct libc_timer *timer = timer_of(ITIMER_REAL);
    uint64_t left = left_of(timer);
    set_timer(timer, seconds * SECOND, 0);
    return (unsigned)((left + SECOND / 2) / SECOND) + (left > 0 && left < SECOND / 2); /* as glibc rounds */
}

RP_LIB useconds_t rp_lib_ualarm(useconds_t after, useconds_t every) {
    struct libc_timer *timer = timer_of(ITIMER_REAL);
    uint64_t left = left_of(timer);
    set_timer(timer, (uint64_t)after * 1000, (uint64_t)every * 1000);
    return (useconds_t)(left / 1000);
}

static void tell_timer(const struct libc_timer *timer, struct program_itimerval *result) {
    result->it_value = as_timeval(left_of(timer));
    result->it_interval = as_timeval(timer->every);
}

static uint64_t from_timeval(const struct program_timeval *span) {
    return (uint64_t)span->tv_sec * SECOND + (uint64_t)span->tv_usec * 1000;
}

RP_LIB int rp_lib_setitimer(int which, const struct program_itimerval *value, struct program_itimerval *old) {
    struct libc_timer *timer = timer_of(which);
    if (timer == NULL) return errno = EINVAL, -1;
    if (old != NULL) tell_timer(timer, old);
    if (value != NULL) set_timer(timer, from_timeval(&value->it_value), from_timeval(&value->it_interval));
    return 0;
}

RP_LIB int rp_lib_getitimer(int which, struct program_itimerval *value) {
    struct libc_timer *timer = timer_of(which);
    if (timer == NULL) return errno = EINVAL, -1;
    tell_timer(timer, value);
    return 0;
}

/* ---- waiting for descriptors: in memory mode there are only the standard ones, always ready */

static int count_standard(int count, fd_set *set) {
    int ready = 0;
    for (int fd = 0; set != NULL && fd < 3 && fd < count; fd++) ready += FD_ISSET(fd, set) != 0;
    return ready;
}

static int select_in_memory(int count, fd_set *reads, fd_set *writes, fd_set *errors, uint64_t ns) {
    int ready = count_standard(count, reads) + count_standard(count, writes);
    if (errors != NULL) FD_ZERO(errors);
    if (ready == 0) nap(ns);
    return ready;
}

RP_LIB int rp_lib_select(int count, fd_set *reads, fd_set *writes, fd_set *errors, struct program_timeval *limit) {
    uint64_t ns = limit == NULL ? YEAR : from_timeval(limit);
    if (!rp_fork_mode || count == 0) return select_in_memory(count, reads, writes, errors, ns);
    int ready = outside_select(count, reads, writes, errors, limit == NULL ? FOREVER : ns);
    if (ready == 0 && limit != NULL) *limit = as_timeval(0); /* what is left of it */
    return ready;
}

RP_LIB int rp_lib_pselect(int count, fd_set *reads, fd_set *writes, fd_set *errors,
                          const struct program_timespec *limit, const sigset_t *mask) {
    uint64_t ns = YEAR;
    if (limit != NULL && !from_timespec(limit, &ns)) return errno = EINVAL, -1;
    if (!rp_fork_mode || count == 0) return select_in_memory(count, reads, writes, errors, ns);
    thread_mask_begin(mask);
    int ready = outside_select(count, reads, writes, errors, limit == NULL ? FOREVER : ns);
    thread_mask_end(mask);
    return ready;
}

RP_LIB int rp_lib_poll(struct pollfd *waiters, nfds_t count, int milliseconds) {
    int ready = 0;
    if (rp_fork_mode && count > 0) return outside_poll(waiters, count, milliseconds);
    for (nfds_t i = 0; i < count; i++) {
        int fd = waiters[i].fd;
        waiters[i].revents = fd < 0 ? 0 : fd > 2 ? POLLNVAL : waiters[i].events & (POLLIN | POLLOUT);
        ready += waiters[i].revents != 0;
    }
    if (ready == 0) nap(milliseconds < 0 ? YEAR : (uint64_t)milliseconds * 1000000);
    return ready;
}
