/* sync.c: locks, conditions, semaphores, barriers, once: deterministic, for raceproof.explore.
 *
 * Each operation is one step. Taking is an event of the search; what only releases is one where its order with
 * others can be seen (unlock_is_point). Two clocks are kept: `hb`, the happens-before of C11, finds races; `dep`, the
 * order of dependent events, is the search's.
 */

#include "sampled.h"
#include "sync.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libc.h"
#include "states.h"

static struct op sync_op(uint8_t kind, const void *object, enum object_type type, bool writes) {
    return (struct op){.kind = kind, .writes = writes, .type = (uint8_t)type, .id = RP_NO_ACCESS, .site = rp_site,
                       .object = (uintptr_t)object};
}

/* Try forms can see whether a lock is held: from now on releases are scheduling points too. The search begins anew
 * if it began without. */
static void note_try(void) {
    if (G->has_try) return;
    G->has_try = 1;
    if (!options.algorithm->releases && options.mode == MODE_SEARCH) {
        G->restart = 1;
        end_execution(CUT_BLOCKED);
    }
}

/* ---- locks */

static void hold(const struct object *o, bool shared) {
    if (self->held_count == self->held_capacity) {
        if (follows_states) libc_past_limit(RP_LIMIT_OBJECTS); /* memory that is kept stays where it is */
        self->held_capacity = self->held_capacity == 0 ? 16 : 2 * self->held_capacity;
        self->held = realloc(self->held, self->held_capacity * sizeof *self->held);
        if (self->held == NULL) abort();
    }
    self->held[self->held_count++] = (struct held){o->address, rp_site, shared, o->type};
}

static void let_go(const struct object *o) {
    for (uint32_t i = self->held_count; i-- > 0;) {
        if (self->held[i].object != o->address) continue;
        memmove(&self->held[i], &self->held[i + 1], (--self->held_count - i) * sizeof *self->held);
        return;
    }
}

static int taken(struct object *o, bool shared) {
    uint32_t n = G->paths;
    if (__builtin_expect(!object_is_made(o), 0)) object_in_making();
    clock_join(self->hb, o->hb, n);
    if (!shared) clock_join(self->hb, o->hb_readers, n);
    hold(o, shared);
    if (shared) {
        o->readers |= BIT(self->tid);
        o->reader_depth++;
    } else {
        o->owner = self->tid;
        o->depth = 1;
    }
    if (!o->owner_died) return 0;
    return o->robust ? EOWNERDEAD : 0;
}

/* Does it say so when its owner takes it again? glibc's rwlocks do. */
static bool refuses_owner(const struct object *o) { return o->type == O_RWLOCK || o->mutex_kind == M_ERRORCHECK; }

/* Does it say so when somebody unlocks it who is not its owner? */
static bool reports_non_owner(const struct object *o) {
    return o->type == O_MUTEX && (o->mutex_kind != M_NORMAL || o->robust);
}

/* What others can neither see nor change is no scheduling point: a mutex that its owner takes once more, or gives back
 * without letting go of it, and one that refuses whoever unlocks it without having it. */
static bool is_taken_again(const struct object *o) {
    return o->type == O_MUTEX && o->mutex_kind != M_NORMAL && o->owner == self->tid;
}

static bool keeps_its_owner(const struct object *o) {
    return reports_non_owner(o) && (o->owner != self->tid || o->depth > 1);
}

/* Nobody else takes it meanwhile, and nobody has it. */
static bool is_monitored(const void *lock, enum object_type type) {
    if (!follows_states || type == O_SECTION || !monitor_holds((uintptr_t)lock)) return false;
    const struct object *o = object_at(lock, type);
    return o->owner == NO_THREAD && o->readers == 0;
}

static int take_lock(const void *lock, enum object_type type, bool shared, const char *what) {
    struct op op = sync_op(type == O_SECTION ? OP_ATOMIC_SECTION : shared ? OP_RDLOCK : OP_LOCK, lock, type, !shared);
    op.shared = shared;
    op.global = type == O_SECTION; /* it stands for all that comes in it */
    point(&op, !is_taken_again(object_at(lock, type)) && !is_monitored(lock, type), what);
    struct object *o = object_at(lock, type);
    if (o->unrecoverable) return ENOTRECOVERABLE;
    if (o->owner == self->tid) {
        if (refuses_owner(o)) return EDEADLK;
        o->depth++; /* recursive: a normal one would not have been enabled */
        return 0;
    }
    return taken(o, shared);
}

int lock_take(const void *lock, enum object_type type, bool shared, const char *what) {
    return told(take_lock(lock, type, shared, what));
}

/* A round of a loop that has taken something is not like the next one: nothing is waited for in between. */
static int took(int result) {
    self->poll_overflow = 1;
    return result;
}

static int try_lock(const void *lock, enum object_type type, bool shared, bool timed, const char *what) {
    note_try();
    struct op op = sync_op(OP_TRY, lock, type, !shared);
    op.shared = shared;
    point(&op, !is_taken_again(object_at(lock, type)), what);
    struct object *o = object_at(lock, type);
    self->pending = op;
    if (!try_succeeds(self)) {
        if (self->poll_count + 2 > MAX_POLLS) self->poll_overflow = 1;
        else if (self->polling) { /* a loop of tries waits for a release */
            self->polls[self->poll_count++] = (struct poll){&o->owner, 1, {o->owner}};
            struct poll *readers = &self->polls[self->poll_count++];
            readers->address = &o->readers;
            readers->size = sizeof o->readers;
            memcpy(readers->value, &o->readers, sizeof o->readers);
        }
        bool says_so = timed || (o->robust && o->mutex_kind == M_ERRORCHECK); /* as glibc */
        if (says_so && o->owner == self->tid && refuses_owner(o)) return EDEADLK;
        return timed ? ETIMEDOUT : EBUSY;
    }
    if (o->unrecoverable) return ENOTRECOVERABLE;
    if (o->owner == self->tid) {
        o->depth++;
        return took(0);
    }
    return took(taken(o, shared));
}

int lock_try(const void *lock, enum object_type type, bool shared, bool timed, const char *what) {
    return told(try_lock(lock, type, shared, timed, what));
}

static int release_lock(const void *lock, enum object_type type, const char *what) {
    struct object *o = object_at(lock, type);
    bool is_reader = (o->readers & BIT(self->tid)) != 0;
    struct op op = sync_op(OP_UNLOCK, lock, type, !is_reader);
    /* A writer waits for several readers: the search must know when each of them goes. */
    point(&op, is_reader || (unlock_is_point() && !keeps_its_owner(o)), what);
    uint32_t n = G->paths;
    if (o->readers & BIT(self->tid)) {
        clock_join(o->hb_readers, self->hb, n);
        clock_join(o->dep_readers, self->dep, n);
        self->hb[self->tid]++;
        o->reader_depth--;
        let_go(o);
        /* a thread may hold the read side more than once */
        uint32_t still = 0;
        for (uint32_t i = 0; i < self->held_count; i++) still += self->held[i].object == o->address;
        if (still == 0) o->readers &= ~BIT(self->tid);
        return 0;
    }
    if (o->owner != self->tid) {
        bool reports = reports_non_owner(o);
        if (!reports) report_other("unlock", o->owner == NO_THREAD ? "unlock of a lock that is not held"
                                                                   : "unlock of a lock that another thread holds", rp_site);
        if (reports) return EPERM;
        G->bounded_unlock = 1;
        if (o->owner == NO_THREAD) return 0;
        self->hb[self->tid]++; /* undefined; as glibc does: it is unlocked all the same */
    } else if (--o->depth > 0) {
        return 0;
    } else {
        let_go(o);
    }
    clock_copy(o->hb, self->hb, n);
    memset(o->hb_readers, 0, n * sizeof *o->hb_readers);
    clock_copy(o->dep, self->dep, n);
    memset(o->dep_readers, 0, n * sizeof *o->dep_readers);
    self->hb[self->tid]++;
    o->owner = NO_THREAD;
    if (o->owner_died) {
        o->unrecoverable = o->robust; /* nobody called pthread_mutex_consistent */
        o->owner_died = 0;
    }
    return 0;
}

int lock_release(const void *lock, enum object_type type, const char *what) {
    int result = release_lock(lock, type, what);
    if (__builtin_expect(logging, 0)) log_event(LOG_RELEASE, self, self->steps - 1, (uintptr_t)lock, 0, 0);
    return told(result);
}

/* ---- conditions */

static void take_token(struct object *o) {
    for (uint32_t i = 0; i < o->tokens; i++) {
        if (o->token_ticket[i] <= self->wait_ticket) continue;
        uint32_t event = o->token_event[i];
        if (event != NONE && options.algorithm->orders) clock_join(self->dep, CLOCK(event), G->paths);
        o->tokens--;
        memmove(&o->token_ticket[i], &o->token_ticket[i + 1], (o->tokens - i) * sizeof *o->token_ticket);
        memmove(&o->token_event[i], &o->token_event[i + 1], (o->tokens - i) * sizeof *o->token_event);
        return;
    }
}

static bool token_waits(const struct object *o) {
    for (uint32_t i = 0; i < o->tokens; i++)
        if (o->token_ticket[i] > self->wait_ticket) return true;
    return false;
}

static void note_timeout(uint32_t site) {
    uint64_t steps = steps_of_others(self);
    if (self->timeout_seen != steps) self->timeout_count = 0;
    self->timeout_seen = steps;
    if (self->timeout_count < MAX_TIMEOUTS) self->timeouts[self->timeout_count++] = site;
}

/* Wait for a signal; one may have come since this thread was put among those that wait. True: it timed out. */
static bool sleep_at(const void *cond, struct object *o, bool timed, const char *what) {
    struct op op = sync_op(OP_COND_WAKE, cond, O_COND, true);
    /* A loop that does nothing but look again and wait again does not care why it was woken. */
    bool unasked = options.spurious && !self->polling && options.deadlocks == DEADLOCKS_NOT;
    if (options.deadlocks != DEADLOCKS_NOT && !timed && !self->polling)
        report_bounded("that waits end without a signal was not tried", rp_site);
    self->waited = 1;
    self->timed = op.global = timed || unasked;
    self->looks_at_time = timed;
    self->looks_again = self->polling;
    bool slept = !self->woken;
    if (slept) point(&op, true, what);
    self->timed = 0;
    o->waiting &= ~BIT(self->tid);
    if (self->woken) {
        if (slept) told(0);
        return false;
    }
    bool signalled = token_waits(o);
    if (signalled) take_token(o);
    while (o->tokens > (uint32_t)__builtin_popcountll(o->waiting)) o->tokens--;
    if (!signalled) note_timeout(op.site);
    told(!signalled && timed ? ETIMEDOUT : 0);
    return !signalled && timed;
}

void note_wait(void) {
    if (G->has_waits) return;
    G->has_waits = 1;
    if (options.algorithm->sequences && options.mode == MODE_SEARCH && !options.shares) {
        G->restart = 1;
        end_execution(CUT_BLOCKED);
    }
}

int cond_wait(const void *cond, const void *mutex, bool timed, const char *what) {
    struct object *m = object_at(mutex, O_MUTEX);
    struct op op = sync_op(OP_COND_WAIT, cond, O_COND, true);
    note_wait();
    cancellation_point();
    point(&op, !monitor_holds((uintptr_t)cond), what);
    if (m->owner != self->tid) {
        if (reports_non_owner(m)) return told(EPERM);
        report_other("wait", "wait on a condition without holding its mutex", rp_site);
    }
    uint32_t site = rp_site;
    struct object *o = object_at(cond, O_COND);
    self->woken = 0;
    self->wait_ticket = ++o->tickets;
    o->waiting |= BIT(self->tid);
    self->wait_mutex = (uintptr_t)mutex;
    if (m->owner == self->tid && m->depth > 1) m->depth--; /* as glibc and musl do: it stays locked */
    else if (m->owner == self->tid)
        lock_release(mutex, O_MUTEX, "unlock to wait"); /* others may see that it is free: a step of its own */
    bool timed_out = sleep_at(cond, o, timed, what);
    self->timed_out = timed_out;
    rp_site = site;
    int result = lock_take(mutex, O_MUTEX, false, "lock again");
    self->wait_mutex = 0;
    self->timed_out = 0;
    cancellation_point();
    return result == 0 && timed_out ? ETIMEDOUT : result; /* of a robust mutex: its owner may have died meanwhile */
}

int cond_signal(const void *cond, bool all, const char *what) {
    struct op op = sync_op(OP_COND_SIGNAL, cond, O_COND, true);
    point(&op, !monitor_holds((uintptr_t)cond), what);
    struct object *o = object_at(cond, O_COND);
    uint32_t event = G->event_count > 0 ? G->event_count - 1 : NONE;
    uint32_t waiting = (uint32_t)__builtin_popcountll(o->waiting);
    told(0);
    if (waiting == 0) return 0;
    if (all || (waiting == 1 && o->tokens == 0)) {
        for (tset rest = o->waiting; rest != 0; rest &= rest - 1) {
            struct thread *t = &threads[__builtin_ctzll(rest)];
            t->woken = 1;
            clock_join(t->dep, self->dep, G->paths);
            t->wake_enabler = event;
            wake(t);
        }
        o->waiting = 0;
        o->tokens = 0;
    } else if (o->tokens < waiting) {
        o->token_ticket[o->tokens] = ++o->tickets;
        o->token_event[o->tokens++] = event;
    }
    return 0;
}

/* ---- semaphores: posts commute with one another, unless they may be too many, not with waits */

#define MAX_VALUE INT32_MAX /* SEM_VALUE_MAX */

int sem_start(const void *sem, unsigned value) {
    if (value > MAX_VALUE) return EINVAL;
    object_fresh(sem, O_SEM)->value = value;
    report_event("sem_init", (uintptr_t)sem, O_SEM, value);
    return 0;
}

static int sem_taken(struct object *o) {
    if (o->value <= 0) cancellation_point(); /* woken by a request to cancel it; does not come back */
    clock_join(self->hb, o->hb, G->paths);
    o->value--;
    return 0;
}

int sem_take(const void *sem, const char *what) {
    struct op op = sync_op(OP_SEM_WAIT, sem, O_SEM, true);
    cancellation_point();
    point(&op, true, what);
    return told(sem_taken(object_at(sem, O_SEM)));
}

int sem_try(const void *sem, bool timed, const char *what) {
    note_try();
    struct op op = sync_op(OP_TRY, sem, O_SEM, true);
    if (timed) cancellation_point();
    point(&op, true, what);
    struct object *o = object_at(sem, O_SEM);
    if (o->value > 0) return took(told(sem_taken(o)));
    if (self->poll_count == MAX_POLLS) self->poll_overflow = 1;
    else if (self->polling) {
        struct poll *p = &self->polls[self->poll_count++];
        p->address = &o->value;
        p->size = sizeof o->value;
        memcpy(p->value, &o->value, sizeof o->value);
    }
    return told(timed ? ETIMEDOUT : EAGAIN);
}

int64_t sem_value(const void *sem, const char *what) {
    note_try();
    struct op op = sync_op(OP_TRY, sem, O_SEM, true);
    point(&op, true, what);
    return told((int)object_at(sem, O_SEM)->value);
}

int sem_give(const void *sem, const char *what) {
    /* Posts of which one may be too many do not commute. */
    bool may_overflow = object_at(sem, O_SEM)->value > MAX_VALUE - RP_MAX_THREADS;
    struct op op = sync_op(OP_SEM_POST, sem, O_SEM, may_overflow);
    point(&op, true, what);
    struct object *o = object_at(sem, O_SEM);
    if (o->value >= MAX_VALUE) return told(EOVERFLOW);
    clock_join(o->hb, self->hb, G->paths);
    self->hb[self->tid]++;
    o->value++;
    return told(0);
}

/* ---- barriers */

int barrier_start(const void *barrier, unsigned count) {
    if (count == 0 || count > INT32_MAX) return EINVAL; /* as glibc */
    object_fresh(barrier, O_BARRIER)->value = count;
    report_event("barrier_init", (uintptr_t)barrier, O_BARRIER, count);
    return 0;
}

int barrier_arrive(const void *barrier, bool asks_who, const char *what) {
    struct op op = sync_op(OP_BARRIER, barrier, O_BARRIER, asks_who || G->barrier_ordered);
    struct object *o = object_at(barrier, O_BARRIER);
    point(&op, true, what);
    uint32_t n = G->paths;
    o->users |= BIT(self->tid);
    if (__builtin_popcountll(o->users) > o->value && !G->barrier_ordered) {
        /* more threads than places: the order of arrival decides who meets whom */
        G->barrier_ordered = 1;
        if (options.mode == MODE_SEARCH && !driving) {
            G->restart = 1;
            end_execution(CUT_BLOCKED);
        }
    }
    if (o->arrived == 0) {
        memset(o->hb, 0, n * sizeof *o->hb);
        memset(o->dep, 0, n * sizeof *o->dep);
    }
    clock_join(o->hb, self->hb, n);
    clock_join(o->dep, self->dep, n);
    self->hb[self->tid]++;
    self->wait_ticket = o->round;
    o->arrivals |= BIT(self->tid);
    bool is_last = ++o->arrived >= o->value;
    told(is_last ? -1 : 0);
    if (is_last) {
        for (tset rest = o->arrivals; rest != 0; rest &= rest - 1) {
            struct thread *t = &threads[__builtin_ctzll(rest)];
            clock_join(t->hb, o->hb, n);
            clock_join(t->dep, o->dep, n);
        }
        o->round++;
        o->arrived = 0;
        o->arrivals = 0;
    } else {
        struct op leave = sync_op(OP_BARRIER_LEAVE, barrier, O_BARRIER, false);
        block(&leave);
    }
    return is_last;
}

/* ---- once */

/* With glibc, who jumps out of the routine has not run it, and others do; here that shows too late for some orders. */
void note_once_left(void) { report_bounded("a routine that is run once was left by longjmp", rp_site); }

void once_run(const void *control, void (*routine)(void), const char *what) {
    struct op op = sync_op(OP_ONCE, control, O_ONCE, true);
    if (self->in_once != NULL && self->in_once->once_frame <= (uintptr_t)&op) {
        note_once_left();
        once_leave(&op + 1);
    }
    struct object *o = object_at(control, O_ONCE);
    point(&op, true, what);
    uint32_t n = G->paths;
    told(o->once == 0);
    if (o->once == 0) {
        o->once = 1;
        o->once_frame = (uintptr_t)&op;
        o->outer_once = self->in_once;
        self->in_once = o;
        routine();
        self->in_once = o->outer_once;
        o->once = 2;
        report_event("once done", (uintptr_t)control, O_ONCE, 0);
        clock_copy(o->hb, self->hb, n);
        clock_copy(o->dep, self->dep, n);
        self->hb[self->tid]++;
        return;
    }
    clock_join(self->hb, o->hb, n);
}

/* Who ends in the routine has not run it, as POSIX says of cancellation and as glibc does it: the next one to come does,
 * which is not ordered behind. The stack grows downwards. */
void once_leave(const void *outer) {
    while (self->in_once != NULL && (outer == NULL || self->in_once->once_frame < (uintptr_t)outer)) {
        struct object *o = self->in_once;
        self->in_once = o->outer_once;
        o->once = 0;
        report_event("once left", o->address, O_ONCE, 0);
        clock_copy(o->dep, self->dep, G->paths);
    }
}
