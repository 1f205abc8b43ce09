/* c11.c: C11 threads for the program under test (raceproof.explore). Covers of sync.h and threads.h.
 *
 * The types are opaque here, so that no threads.h is needed; the results are those of glibc and musl.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "libc.h"
#include "program_types.h"
#include "states.h"
#include "sync.h"
#include "threads.h"

enum { thrd_success = 0, thrd_busy = 1, thrd_error = 2, thrd_nomem = 3, thrd_timedout = 4 };
enum { mtx_plain = 0, mtx_recursive = 1, mtx_timed = 2 };

static int c11_result(int error) {
    switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ETIMEDOUT: return thrd_timedout;
    case ENOMEM: return thrd_nomem;
    default: return thrd_error;
    }
}

RP_LIB int rp_lib_thrd_create(uintptr_t *id, int (*start)(void *), void *argument) {
    creation_step("thrd_create");
    /* The result of an int function is the low half of the register that holds a pointer's. */
    *id = thread_handle(thread_create((void *(*)(void *))(void *)start, argument, rp_site, false));
    return thrd_success;
}
RP_LIB int rp_lib_thrd_join(uintptr_t id, int *result) {
    struct thread *t = thread_by_handle(id);
    int error = thread_join(t, true);
    if (error == 0 && result != NULL) {
        if (symmetry_is_on) symmetry_looks_at_result(t);
        *result = (int)(intptr_t)t->result;
    }
    return c11_result(error);
}
RP_LIB int rp_lib_thrd_detach(uintptr_t id) {
    return thread_detach(thread_by_handle(id)) == 0 ? thrd_success : thrd_error;
}
RP_LIB void rp_lib_thrd_exit(int result) { thread_exit((void *)(intptr_t)result); }
RP_LIB uintptr_t rp_lib_thrd_current(void) {
    symmetry_break();
    return thread_handle(self);
}
RP_LIB int rp_lib_thrd_equal(uintptr_t a, uintptr_t b) { return a == b; }
RP_LIB void rp_lib_thrd_yield(void) { yield_step(); }
RP_LIB int rp_lib_thrd_sleep(const struct program_timespec *time, struct program_timespec *left) {
    if (time->tv_sec < 0 || !is_time(time)) return -2;
    rp_sleep_for((uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec);
    if (left != NULL) memset(left, 0, sizeof *left);
    return 0;
}

RP_LIB int rp_lib_mtx_init(void *m, int type) {
    object_unused(m, O_MUTEX);
    memset(m, 0, 24);
    object_made(m, O_MUTEX)->mutex_kind = type & mtx_recursive ? M_RECURSIVE : M_NORMAL;
    return thrd_success;
}
RP_LIB int rp_lib_mtx_lock(void *m) { return c11_result(lock_take(m, O_MUTEX, false, "mtx_lock")); }
RP_LIB int rp_lib_mtx_trylock(void *m) { return c11_result(lock_try(m, O_MUTEX, false, false, "mtx_trylock")); }
RP_LIB int rp_lib_mtx_timedlock(void *m, const struct program_timespec *until) {
    int error = lock_try(m, O_MUTEX, false, true, "mtx_timedlock");
    return c11_result(error == ETIMEDOUT && !is_time(until) ? EINVAL : error);
}
RP_LIB int rp_lib_mtx_unlock(void *m) { return c11_result(lock_release(m, O_MUTEX, "mtx_unlock")); }
RP_LIB void rp_lib_mtx_destroy(void *m) { (void)m; }

RP_LIB int rp_lib_cnd_init(void *c) {
    object_fresh(c, O_COND);
    return thrd_success;
}
RP_LIB void rp_lib_cnd_destroy(void *c) { (void)c; }
RP_LIB int rp_lib_cnd_wait(void *c, void *m) { return c11_result(cond_wait(c, m, false, "cnd_wait")); }
RP_LIB int rp_lib_cnd_timedwait(void *c, void *m, const struct program_timespec *until) {
    return c11_result(is_time(until) ? cond_wait(c, m, true, "cnd_timedwait") : EINVAL);
}
RP_LIB int rp_lib_cnd_signal(void *c) { return c11_result(cond_signal(c, false, "cnd_signal")); }
RP_LIB int rp_lib_cnd_broadcast(void *c) { return c11_result(cond_signal(c, true, "cnd_broadcast")); }

RP_LIB void rp_lib_call_once(void *control, void (*routine)(void)) { once_run(control, routine, "call_once"); }

RP_LIB int rp_lib_tss_create(uint32_t *key, void (*destructor)(void *)) { return c11_result(key_create(key, destructor)); }
RP_LIB void rp_lib_tss_delete(uint32_t key) { key_delete(key); }
RP_LIB int rp_lib_tss_set(uint32_t key, void *value) { return c11_result(key_set(key, value)); }
RP_LIB void *rp_lib_tss_get(uint32_t key) { return key_get(key); }
