/* pthread.c: POSIX threads and semaphores for the program under test (raceproof.explore). Covers of sync.h, threads.h. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "heap.h"
#include "libc.h"
#include "outside.h"
#include "program_types.h"
#include "states.h"
#include "sync.h"
#include "threads.h"

/* ---- threads */

RP_LIB int rp_lib_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes != NULL) pthread_attr_getdetachstate(attributes, &state);
    creation_step("pthread_create");
    struct thread *t = thread_create(start, argument, rp_site, state == PTHREAD_CREATE_DETACHED);
    uintptr_t handle = thread_handle(t);
    memcpy(id, &handle, sizeof handle);
    return 0;
}

static struct thread *thread_of(pthread_t id) { return thread_by_handle((uintptr_t)id); }

static int join(pthread_t id, void **result, bool waits) {
    struct thread *t = thread_of(id);
    int error = thread_join(t, waits);
    if (error == 0 && result != NULL) {
        if (symmetry_is_on) symmetry_looks_at_result(t);
        *result = t->result;
    }
    return error;
}

RP_LIB int rp_lib_pthread_join(pthread_t id, void **result) { return join(id, result, true); }

/* Glibc looks at the time before all else, but for mutexes: there only one who has to wait is refused. Clocks that nobody
 * can wait by are refused first. That a time may be over already is not looked at: a wait may always be too short. */
static bool is_clock(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC; }

static int refused(int error, const struct program_timespec *until) {
    return error == ETIMEDOUT && !is_time(until) ? EINVAL : error;
}

/* Whether the thread has ended yet is a matter of the schedule: the search must see it. */
static int try_join(pthread_t id, void **result, int busy) {
    struct thread *t = thread_of(id);
    if (busy == ETIMEDOUT) cancellation_point();
    else if (t == self) return EBUSY;
    if (t != NULL) thread_meddle(t, "pthread_tryjoin_np");
    int error = join(id, result, false);
    if (error != EBUSY || self->poll_count == MAX_POLLS) self->poll_overflow = 1;
    else if (self->polling) self->polls[self->poll_count++] = (struct poll){&t->state, 1, {t->state}};
    return error == EBUSY ? busy : error;
}

RP_LIB int rp_lib_pthread_tryjoin_np(pthread_t id, void **result) { return try_join(id, result, EBUSY); }
RP_LIB int rp_lib_pthread_timedjoin_np(pthread_t id, void **result, const struct program_timespec *until) {
    (void)until;
    return try_join(id, result, ETIMEDOUT);
}
RP_LIB int rp_lib_pthread_clockjoin_np(pthread_t id, void **result, clockid_t clock,
                                        const struct program_timespec *until) {
    (void)clock, (void)until;
    return try_join(id, result, ETIMEDOUT);
}

RP_LIB int rp_lib_pthread_detach(pthread_t id) { return thread_detach(thread_of(id)); }

RP_LIB void rp_lib_pthread_exit(void *result) { thread_exit(result); }
RP_LIB pthread_t rp_lib_pthread_self(void) {
    symmetry_break();
    return (pthread_t)thread_handle(self);
}
RP_LIB int rp_lib_pthread_equal(pthread_t a, pthread_t b) { return a == b; }

RP_LIB int rp_lib_pthread_once(pthread_once_t *control, void (*routine)(void)) {
    once_run(control, routine, "pthread_once");
    return 0;
}

RP_LIB int rp_lib_pthread_cancel(pthread_t id) {
    struct thread *t = thread_of(id);
    return t == NULL ? ESRCH : thread_cancel(t);
}

RP_LIB void rp_lib_pthread_testcancel(void) { cancellation_point(); }

RP_LIB int rp_lib_pthread_setcancelstate(int state, int *old) {
    if (old != NULL) *old = self->cancel_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    self->cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
    return 0;
}

RP_LIB int rp_lib_pthread_setcanceltype(int type, int *old) {
    if (old != NULL) *old = self->cancel_at_once ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    self->cancel_at_once = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    return 0;
}

RP_LIB int rp_lib_pthread_kill(pthread_t id, int signal) {
    struct thread *t = thread_of(id);
    if (t == NULL || t->joined) return ESRCH; /* one that has ended lives until it is joined */
    /* A handler runs when that thread does; what is not handled concerns the process, whichever thread gets it. */
    if (t != self && (libc_is_handled(signal) || signal_is_blocked(t, signal))) return signal_leave(t, signal), 0;
    return (t == self ? libc_raise(signal) : libc_act_on(signal)) == 0 ? 0 : EINVAL;
}

RP_LIB int rp_lib_pthread_setaffinity_np(pthread_t id, size_t size, const void *set) {
    return (void)id, (void)size, (void)set, 0;
}
RP_LIB int rp_lib_pthread_setschedparam(pthread_t id, int policy, const struct program_sched_param *param) {
    return (void)id, (void)policy, (void)param, 0;
}
RP_LIB int rp_lib_pthread_getschedparam(pthread_t id, int *policy, struct program_sched_param *param) {
    (void)id;
    *policy = SCHED_OTHER;
    memset(param, 0, sizeof *param);
    return 0;
}
RP_LIB int rp_lib_pthread_setconcurrency(int level) { return (void)level, 0; }
RP_LIB int rp_lib_pthread_getconcurrency(void) { return 0; }
RP_LIB int rp_lib_pthread_atfork(void (*a)(void), void (*b)(void), void (*c)(void)) {
    return (void)a, (void)b, (void)c, 0;
}

RP_LIB int rp_lib_sched_yield(void) {
    yield_step();
    return 0;
}
RP_LIB int rp_lib_pthread_yield(void) {
    yield_step();
    return 0;
}

/* ---- cleanup handlers */

#ifdef PROGRAM_HAS_GLIBC
RP_LIB PROGRAM_CLEANUP void rp_lib___pthread_register_cancel(program_unwind_buffer *buffer) {
    buffer->__pad[0] = self->unwind;
    self->unwind = buffer;
}
RP_LIB PROGRAM_CLEANUP void rp_lib___pthread_unregister_cancel(program_unwind_buffer *buffer) {
    self->unwind = buffer->__pad[0];
}
RP_LIB PROGRAM_CLEANUP void rp_lib___pthread_register_cancel_defer(program_unwind_buffer *buffer) {
    rp_lib___pthread_register_cancel(buffer);
}
RP_LIB PROGRAM_CLEANUP void rp_lib___pthread_unregister_cancel_restore(program_unwind_buffer *buffer) {
    rp_lib___pthread_unregister_cancel(buffer);
}
RP_LIB PROGRAM_CLEANUP void rp_lib___pthread_unwind_next(program_unwind_buffer *buffer) {
    (void)buffer;
    thread_exit(self->result);
}
#endif

RP_LIB void rp_lib__pthread_cleanup_push(struct cleanup *c, void (*routine)(void *), void *argument) {
    *c = (struct cleanup){routine, argument, self->cleanups};
    self->cleanups = c;
}
RP_LIB void rp_lib__pthread_cleanup_pop(struct cleanup *c, int execute) {
    self->cleanups = c->next;
    if (execute) c->routine(c->argument);
}

/* ---- thread-specific data */

RP_LIB int rp_lib_pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    uint32_t number;
    int error = key_create(&number, destructor);
    if (error == 0) *key = number;
    return error;
}
RP_LIB int rp_lib_pthread_key_delete(pthread_key_t key) { return key_delete((uint32_t)key); }
RP_LIB int rp_lib_pthread_setspecific(pthread_key_t key, const void *value) { return key_set((uint32_t)key, value); }
RP_LIB void *rp_lib_pthread_getspecific(pthread_key_t key) { return key_get((uint32_t)key); }

/* ---- mutexes */

static void describe_mutex(const pthread_mutex_t *mutex, int type, int robust) {
    struct object *o = object_made(mutex, O_MUTEX);
    o->mutex_kind = type == PTHREAD_MUTEX_RECURSIVE ? M_RECURSIVE : type == PTHREAD_MUTEX_ERRORCHECK ? M_ERRORCHECK : M_NORMAL;
    o->robust = robust == PTHREAD_MUTEX_ROBUST;
}

RP_LIB int rp_lib_pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    int type = PTHREAD_MUTEX_NORMAL, robust = PTHREAD_MUTEX_STALLED, protocol = PTHREAD_PRIO_NONE;
    if (attributes != NULL) {
        pthread_mutexattr_gettype(attributes, &type);
        pthread_mutexattr_getrobust(attributes, &robust);
    }
    if (attributes != NULL && pthread_mutexattr_getprotocol(attributes, &protocol) == 0 && protocol == PTHREAD_PRIO_PROTECT)
        report_bounded("a mutex with a priority ceiling may refuse a thread, by its priority", rp_site);
    object_unused(mutex, O_MUTEX);
    memset(mutex, 0, sizeof *mutex);
    describe_mutex(mutex, type, robust);
    return 0;
}
static bool is_destroyed_while_held(const void *lock, enum object_type type) {
    const struct object *o = object_at(lock, type);
    if (o->owner == NO_THREAD && o->readers == 0) return false;
    report_other("destroy", "a lock is destroyed while it is held", rp_site);
    return true;
}

RP_LIB int rp_lib_pthread_mutex_destroy(pthread_mutex_t *mutex) {
    return is_destroyed_while_held(mutex, O_MUTEX) ? EBUSY : 0;
}
RP_LIB int rp_lib_pthread_mutex_lock(pthread_mutex_t *m) { return lock_take(m, O_MUTEX, false, "pthread_mutex_lock"); }
RP_LIB int rp_lib_pthread_mutex_trylock(pthread_mutex_t *m) {
    return lock_try(m, O_MUTEX, false, false, "pthread_mutex_trylock");
}
RP_LIB int rp_lib_pthread_mutex_timedlock(pthread_mutex_t *m, const struct program_timespec *until) {
    return refused(lock_try(m, O_MUTEX, false, true, "pthread_mutex_timedlock"), until);
}
RP_LIB int rp_lib_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct program_timespec *until) {
    if (!is_clock(clock)) return EINVAL;
    return refused(lock_try(m, O_MUTEX, false, true, "pthread_mutex_clocklock"), until);
}
RP_LIB int rp_lib_pthread_mutex_unlock(pthread_mutex_t *m) { return lock_release(m, O_MUTEX, "pthread_mutex_unlock"); }
RP_LIB int rp_lib_pthread_mutex_consistent(pthread_mutex_t *m) {
    struct object *o = object_at(m, O_MUTEX);
    if (!o->robust || !o->owner_died) return EINVAL;
    o->owner_died = 0;
    report_event("consistent", (uintptr_t)m, O_MUTEX, 0);
    return 0;
}

/* ---- locks of streams: the real ones belong to the one thread that runs all of the program's */

enum { MAX_STREAMS = 256 };

static const void *lock_of(FILE *stream) {
    static struct {
        FILE *stream;
        char mutex[sizeof(pthread_mutex_t)]; /* an object needs a place of its own */
    } known[MAX_STREAMS];
    static int count;
    int at = 0;
    while (at < count && known[at].stream != stream) at++;
    if (at == MAX_STREAMS) libc_past_limit(RP_LIMIT_STREAMS);
    if (at == count) known[count++].stream = stream;
    object_at(known[at].mutex, O_MUTEX)->mutex_kind = M_RECURSIVE;
    return known[at].mutex;
}

RP_LIB void rp_lib_flockfile(FILE *stream) { (void)lock_take(lock_of(stream), O_MUTEX, false, "flockfile"); }
RP_LIB int rp_lib_ftrylockfile(FILE *stream) {
    return lock_try(lock_of(stream), O_MUTEX, false, false, "ftrylockfile");
}
RP_LIB void rp_lib_funlockfile(FILE *stream) { (void)lock_release(lock_of(stream), O_MUTEX, "funlockfile"); }

/* ---- conditions */

RP_LIB int rp_lib_pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attributes) {
    (void)attributes;
    object_fresh(c, O_COND);
    return 0;
}
RP_LIB int rp_lib_pthread_cond_destroy(pthread_cond_t *c) { return (void)c, 0; }
RP_LIB int rp_lib_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
    return cond_wait(c, m, false, "pthread_cond_wait");
}
RP_LIB int rp_lib_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct program_timespec *until) {
    return is_time(until) ? cond_wait(c, m, true, "pthread_cond_timedwait") : EINVAL;
}
RP_LIB int rp_lib_pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                          const struct program_timespec *until) {
    return is_clock(clock) && is_time(until) ? cond_wait(c, m, true, "pthread_cond_clockwait") : EINVAL;
}
RP_LIB int rp_lib_pthread_cond_signal(pthread_cond_t *c) { return cond_signal(c, false, "pthread_cond_signal"); }
RP_LIB int rp_lib_pthread_cond_broadcast(pthread_cond_t *c) { return cond_signal(c, true, "pthread_cond_broadcast"); }

/* ---- read-write locks */

RP_LIB int rp_lib_pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attributes) {
    (void)attributes;
    object_unused(l, O_RWLOCK);
    object_made(l, O_RWLOCK);
    return 0;
}
RP_LIB int rp_lib_pthread_rwlock_destroy(pthread_rwlock_t *l) {
    is_destroyed_while_held(l, O_RWLOCK);
    return 0;
}
RP_LIB int rp_lib_pthread_rwlock_rdlock(pthread_rwlock_t *l) {
    return lock_take(l, O_RWLOCK, true, "pthread_rwlock_rdlock");
}
RP_LIB int rp_lib_pthread_rwlock_wrlock(pthread_rwlock_t *l) {
    return lock_take(l, O_RWLOCK, false, "pthread_rwlock_wrlock");
}
RP_LIB int rp_lib_pthread_rwlock_tryrdlock(pthread_rwlock_t *l) {
    return lock_try(l, O_RWLOCK, true, false, "pthread_rwlock_tryrdlock");
}
RP_LIB int rp_lib_pthread_rwlock_trywrlock(pthread_rwlock_t *l) {
    return lock_try(l, O_RWLOCK, false, false, "pthread_rwlock_trywrlock");
}
RP_LIB int rp_lib_pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct program_timespec *until) {
    return is_time(until) ? lock_try(l, O_RWLOCK, true, true, "pthread_rwlock_timedrdlock") : EINVAL;
}
RP_LIB int rp_lib_pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct program_timespec *until) {
    return is_time(until) ? lock_try(l, O_RWLOCK, false, true, "pthread_rwlock_timedwrlock") : EINVAL;
}
RP_LIB int rp_lib_pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
                                             const struct program_timespec *until) {
    if (!is_clock(clock) || !is_time(until)) return EINVAL;
    return lock_try(l, O_RWLOCK, true, true, "pthread_rwlock_clockrdlock");
}
RP_LIB int rp_lib_pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
                                             const struct program_timespec *until) {
    if (!is_clock(clock) || !is_time(until)) return EINVAL;
    return lock_try(l, O_RWLOCK, false, true, "pthread_rwlock_clockwrlock");
}
RP_LIB int rp_lib_pthread_rwlock_unlock(pthread_rwlock_t *l) {
    return lock_release(l, O_RWLOCK, "pthread_rwlock_unlock");
}

/* ---- spin locks, barriers */

RP_LIB int rp_lib_pthread_spin_init(pthread_spinlock_t *l, int shared) {
    (void)shared;
    object_unused((void *)l, O_SPIN);
    object_made((void *)l, O_SPIN);
    return 0;
}
RP_LIB int rp_lib_pthread_spin_destroy(pthread_spinlock_t *l) {
    is_destroyed_while_held((void *)l, O_SPIN);
    return 0;
}
RP_LIB int rp_lib_pthread_spin_lock(pthread_spinlock_t *l) {
    return lock_take((void *)l, O_SPIN, false, "pthread_spin_lock");
}
RP_LIB int rp_lib_pthread_spin_trylock(pthread_spinlock_t *l) {
    return lock_try((void *)l, O_SPIN, false, false, "pthread_spin_trylock");
}
RP_LIB int rp_lib_pthread_spin_unlock(pthread_spinlock_t *l) {
    return lock_release((void *)l, O_SPIN, "pthread_spin_unlock");
}

RP_LIB int rp_lib_pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attributes, unsigned count) {
    (void)attributes;
    return barrier_start(b, count);
}
RP_LIB int rp_lib_pthread_barrier_destroy(pthread_barrier_t *b) { return (void)b, 0; }
RP_LIB int rp_lib_pthread_barrier_wait(pthread_barrier_t *b) {
    bool asks_who = !self->result_unseen;
    self->result_unseen = 0;
    return barrier_arrive(b, asks_who, "pthread_barrier_wait") ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* ---- semaphores */

RP_LIB int rp_lib_sem_init(sem_t *s, int shared, unsigned value) {
    (void)shared;
    int error = sem_start(s, value);
    if (error == 0) return 0;
    errno = error;
    return -1;
}
RP_LIB int rp_lib_sem_destroy(sem_t *s) { return (void)s, 0; }

static int with_errno(int error) {
    if (error == 0) return 0;
    errno = error;
    return -1;
}

RP_LIB int rp_lib_sem_wait(sem_t *s) { return with_errno(sem_take(s, "sem_wait")); }
RP_LIB int rp_lib_sem_trywait(sem_t *s) { return with_errno(sem_try(s, false, "sem_trywait")); }
RP_LIB int rp_lib_sem_timedwait(sem_t *s, const struct program_timespec *until) {
    return with_errno(is_time(until) ? sem_try(s, true, "sem_timedwait") : EINVAL);
}
RP_LIB int rp_lib_sem_clockwait(sem_t *s, clockid_t clock, const struct program_timespec *until) {
    return with_errno(is_clock(clock) && is_time(until) ? sem_try(s, true, "sem_clockwait") : EINVAL);
}
RP_LIB int rp_lib_sem_post(sem_t *s) { return with_errno(sem_give(s, "sem_post")); }
RP_LIB int rp_lib_sem_getvalue(sem_t *s, int *value) {
    *value = (int)sem_value(s, "sem_getvalue");
    return 0;
}

/* Named semaphores: of this program only, and gone with the execution. */
enum { MAX_NAMED = 64, NAME_LENGTH = 252 };
static struct { char name[NAME_LENGTH]; sem_t *sem; } named[MAX_NAMED];
static int named_count;

void semaphores_reset(void) { named_count = 0; }

RP_LIB sem_t *rp_lib_sem_open(const char *name, int flags, ...) {
    for (int i = 0; i < named_count; i++)
        if (strcmp(named[i].name, name) == 0) {
            if ((flags & O_CREAT) && (flags & O_EXCL)) return errno = EEXIST, SEM_FAILED;
            return named[i].sem;
        }
    if (!(flags & O_CREAT)) return errno = ENOENT, SEM_FAILED;
    if (strlen(name) >= NAME_LENGTH) return errno = ENAMETOOLONG, SEM_FAILED;
    if (named_count == MAX_NAMED) libc_past_limit(RP_LIMIT_NAMED_SEMAPHORES);
    va_list arguments;
    va_start(arguments, flags);
    (void)va_arg(arguments, unsigned);
    unsigned value = va_arg(arguments, unsigned);
    va_end(arguments);
    sem_t *sem = heap_alloc(rp_tid(), sizeof *sem, 16);
    if (sem == NULL) return errno = ENOMEM, SEM_FAILED;
    int error = sem_start(sem, value);
    if (error != 0) return errno = error, SEM_FAILED;
    strcpy(named[named_count].name, name);
    named[named_count++].sem = sem;
    return sem;
}
RP_LIB int rp_lib_sem_close(sem_t *s) { return (void)s, 0; }
RP_LIB int rp_lib_sem_unlink(const char *name) {
    for (int i = 0; i < named_count; i++)
        if (strcmp(named[i].name, name) == 0) {
            named[i] = named[--named_count];
            return 0;
        }
    return with_errno(ENOENT);
}

/* ---- SV-COMP's atomic sections: one lock, and nobody else runs meanwhile */

RP_LIB void rp_lib___VERIFIER_atomic_begin(void) {
    if (section_owner == self->tid) {
        object_at(NULL, O_SECTION)->depth++;
        return;
    }
    lock_take(NULL, O_SECTION, false, "atomic begin");
    section_owner = self->tid;
    self->section_event = G->event_count > 0 ? G->event_count - 1 : NONE;
}
RP_LIB void rp_lib___VERIFIER_atomic_end(void) {
    struct object *o = object_at(NULL, O_SECTION);
    if (section_owner == self->tid && o->depth > 1) {
        o->depth--;
        return;
    }
    section_owner = NO_THREAD;
    self->section_event = NONE;
    lock_release(NULL, O_SECTION, "atomic end");
}
