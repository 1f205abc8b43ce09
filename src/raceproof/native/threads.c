/* threads.c: threads of the program: creation, end, joining, cancelling, thread-specific data; for raceproof.explore. */

#define _GNU_SOURCE
#include "threads.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <string.h>

#include "libc.h"
#include "program_types.h"
#include "sampled.h"
#include "states.h"
#include "sync.h"

#define MAX_KEYS 1024 /* PTHREAD_KEYS_MAX: a real program gets no more */
#define DESTRUCTOR_ROUNDS 4 /* PTHREAD_DESTRUCTOR_ITERATIONS */

static struct { bool used; void (*destructor)(void *); } keys[MAX_KEYS];
static const void *specific[RP_MAX_THREADS][MAX_KEYS];
static uint32_t keys_used;

void threads_reset(void) {
    if (keys_used == 0) return;
    memset(keys, 0, keys_used * sizeof *keys);
    for (uint32_t t = 0; t < G->paths; t++) memset(specific[t], 0, keys_used * sizeof **specific);
    keys_used = 0;
}

void creation_step(const char *what) {
    struct op op = {.kind = OP_NOTHING, .id = RP_NO_ACCESS, .site = rp_site};
    point(&op, false, what);
}

/* No cancellation point, and every scheduling point lets others go first: a step that does nothing. */
void yield_step(void) {
    struct op op = {.kind = OP_NOTHING, .id = RP_NO_ACCESS, .site = rp_site};
    point(&op, false, "yield");
}

/* ---- end */

static void run_destructors(void) {
    for (int round = 0; round < DESTRUCTOR_ROUNDS; round++) {
        bool again = false;
        for (uint32_t k = 0; k < keys_used; k++) {
            const void *value = specific[self->tid][k];
            if (!keys[k].used || value == NULL || keys[k].destructor == NULL) continue;
            specific[self->tid][k] = NULL;
            keys[k].destructor((void *)(uintptr_t)value);
            again = true;
        }
        if (!again) break;
    }
}

static void leave_locks(struct thread *t) {
    for (uint32_t i = 0; i < t->held_count; i++) {
        if (t->held[i].type != O_MUTEX) continue; /* stays taken */
        struct object *o = object_at((void *)t->held[i].object, O_MUTEX);
        if (o->owner != t->tid || !o->robust) continue;
        clock_copy(o->hb, t->hb, G->paths);
        clock_copy(o->dep, t->dep, G->paths);
        o->owner = NO_THREAD;
        o->owner_died = 1;
    }
}

void run_thread_exit(struct thread *t) {
    t->cancel_disabled = 1;
    if (t->in_once != NULL) {
        note_once_left();
        once_leave(NULL);
    }
    run_destructors();
    leave_locks(t);
    t->hb[t->tid]++;
}

/* Cleanup handlers run first: those that glibc's macros have put on the stack are jumped to, one after the other; each
 * comes back through __pthread_unwind_next. */
_Noreturn void thread_exit(void *result) {
    rp_leave_loop(); /* it may have been cancelled in one that waits */
    self->result = result;
    self->cancel_disabled = 1;
    while (self->cleanups != NULL) {
        struct cleanup *c = self->cleanups;
        once_leave(c);
        self->cleanups = c->next;
        c->routine(c->argument);
    }
#ifdef PROGRAM_HAS_GLIBC
    if (self->unwind != NULL) {
        program_unwind_buffer *buffer = self->unwind;
        once_leave(buffer);
        self->unwind = buffer->__pad[0];
        _longjmp((struct __jmp_buf_tag *)(void *)buffer->__cancel_jmp_buf, 1);
    }
#endif
    once_leave(NULL);
    thread_end();
}

void thread_forget(struct thread *t) { memset(specific[t->tid], 0, keys_used * sizeof **specific); }

_Noreturn void rp_end_thread(void) {
    memset(specific[self->tid], 0, keys_used * sizeof **specific);
    self->result = NULL;
    thread_end();
}

/* ---- cancelling */

bool is_cancelled(const struct thread *t) { return t->cancel_requested && !t->cancel_disabled; }

/* Always a step, so that schedules mean the same to a replay, which learns late that somebody is cancelled. */
void cancellation_point(void) {
    struct op op = {.kind = OP_CANCEL, .id = RP_NO_ACCESS, .site = rp_site, .object = (uintptr_t)self};
    point(&op, G->has_cancel | samples, "cancellation point");
    if (is_cancelled(self)) thread_exit((void *)-1);
}

void thread_meddle(struct thread *t, const char *what) {
    if (!G->has_cancel) {
        G->has_cancel = 1;
        if (options.mode == MODE_SEARCH) {
            G->restart = 1;
            end_execution(CUT_BLOCKED);
        }
    }
    struct op op = {.kind = OP_CANCEL, .writes = 1, .id = RP_NO_ACCESS, .site = rp_site, .object = (uintptr_t)t};
    point(&op, true, what);
}

int thread_cancel(struct thread *t) {
    note_wait();
    thread_meddle(t, "pthread_cancel");
    told(t->tid);
    t->cancel_requested = 1;
    if (t == self && is_cancelled(t) && t->cancel_at_once) thread_exit((void *)-1);
    return 0;
}

/* ---- joining */

struct thread *thread_by_handle(uintptr_t handle) {
    if (handle == 0 || handle > G->paths) return NULL;
    struct thread *t = &threads[handle - 1];
    return t->state == T_UNUSED ? NULL : t;
}

int thread_join(struct thread *t, bool waits) {
    if (t == NULL || t->joined || t->detached) {
        report_other("join", t == NULL ? "join of a thread that does not exist" : t->joined ? "thread joined twice"
                                                                              : "join of a detached thread", rp_site);
        return t == NULL ? ESRCH : EINVAL;
    }
    if (t == self) return EDEADLK;
    if (symmetry_is_on) {
        symmetry_joins(t, waits);
        if (states_peeks) states_peek_join(t);
    }
    if (waits && t->state != T_FINISHED && t->pending.kind == OP_JOIN && t->pending.id == self->tid) {
        /* As glibc. Which of the two comes first is no event of the search. */
        report_bounded("two threads join one another: one of them is refused, and not all orders were tried", rp_site);
        return EDEADLK;
    }
    struct op op = {.kind = OP_JOIN, .id = t->tid, .site = rp_site};
    if (waits) {
        cancellation_point();
        block(&op);
        if (t->state != T_FINISHED) cancellation_point();
    } else if (t->state != T_FINISHED) {
        return EBUSY;
    }
    t->joined = 1;
    report_event("join", 0, O_NONE, t->tid);
    if (samples) log_join(t);
    clock_join(self->hb, t->hb, G->paths);
    clock_join(self->dep, t->dep, G->paths);
    return 0;
}

/* Detaching is no event of the search: a thread that somebody joins meanwhile, or has joined, makes that known. */
int thread_detach(struct thread *t) {
    if (t == NULL) return ESRCH;
    if (t->detached) return EINVAL;
    if (follows_states) persistent_stop(); /* which is no operation that others depend on */
    bool is_joined = t->joined;
    for (uint32_t i = 0; i < G->paths; i++) {
        const struct thread *o = &threads[i];
        is_joined |= o->state == T_READY && o->pending.kind == OP_JOIN && o->pending.id == t->tid;
    }
    if (is_joined)
        report_bounded("a thread is detached that another one joins: not all orders of the two were tried", rp_site);
    t->detached = 1;
    return 0;
}

/* ---- thread-specific data */

int key_create(uint32_t *key, void (*destructor)(void *)) {
    for (uint32_t k = 0; k < MAX_KEYS; k++) {
        if (keys[k].used) continue;
        keys[k].used = true;
        keys[k].destructor = destructor;
        if (k >= keys_used) keys_used = k + 1;
        for (uint32_t t = 0; t < RP_MAX_THREADS; t++) specific[t][k] = NULL;
        *key = k;
        return 0;
    }
    return EAGAIN;
}

/* The end of a thread, at which destructors of keys that are there still are called, is no event of the search. */
int key_delete(uint32_t key) {
    if (key >= MAX_KEYS || !keys[key].used) return EINVAL;
    for (uint32_t t = 0; t < RP_MAX_THREADS && keys[key].destructor != NULL; t++)
        if (t != self->tid && threads[t].state != T_UNUSED && !threads[t].joined) G->bounded_keys = 1;
    keys[key].used = false;
    return 0;
}

int key_set(uint32_t key, const void *value) {
    if (key >= MAX_KEYS || !keys[key].used) return EINVAL;
    specific[self->tid][key] = value;
    return 0;
}

void *key_get(uint32_t key) { return key < MAX_KEYS ? (void *)(uintptr_t)specific[self->tid][key] : NULL; }

/* ---- states */

/* Of a thread that waits for the end of the program, which it never sees, nothing runs any more: only variables of its
 * calls may still be used. Between them and its own stack pointer lies what `end_below_main` leaves alone. */
static uintptr_t lowest_used(const struct thread *t) {
    if (t->pending.kind != OP_EXIT && t->pending.kind != OP_NEVER) return (uintptr_t)t->fiber.sp;
    uintptr_t lowest = (uintptr_t)t->fiber.stack + t->fiber.stack_size;
    for (const struct rp_frame *f = t->frame; f != NULL; f = f->below) {
        if ((uintptr_t)f < lowest) lowest = (uintptr_t)f;
        for (uint32_t i = 0; i < f->local_count; i++)
            if ((uintptr_t)f->locals[i].address < lowest) lowest = (uintptr_t)f->locals[i].address;
    }
    return lowest;
}

void threads_keep(void) {
    for (uint32_t tid = 0; tid < G->paths; tid++) {
        struct thread *t = &threads[tid];
        state_keep(t, offsetof(struct thread, frames));
        if (t->state == T_UNUSED) continue;
        state_keep(t->frames, (t->depth < MAX_FRAMES ? t->depth : MAX_FRAMES) * sizeof *t->frames);
        state_keep(&t->depth, offsetof(struct thread, polls) - offsetof(struct thread, depth));
        state_keep(t->held, t->held_count * sizeof *t->held);
        state_keep(t->polls, t->poll_count * sizeof *t->polls);
        state_keep(&t->poll_count, offsetof(struct thread, hb) - offsetof(struct thread, poll_count));
        uintptr_t from = lowest_used(t), top = (uintptr_t)t->fiber.stack + t->fiber.stack_size;
        state_keep((void *)from, top - from);
    }
}

void threads_settle(uint32_t kept) {
    for (uint32_t t = kept; t < G->paths; t++) threads[t].state = T_UNUSED;
}

static void tell_operation(const struct op *op) {
    state_tell_number((uint64_t)op->kind << 56 | (uint64_t)op->type << 48 | (uint64_t)op->writes << 40 |
                      (uint64_t)op->order << 32 | (uint64_t)op->shared << 24 | (uint64_t)op->unsure);
    state_tell_number((uint64_t)op->id << 32 | op->site);
    state_tell_number(op->object);
    if (is_access(op)) state_tell_number(op->size);
}

static void tell_frames(const struct thread *t) {
    for (const struct rp_frame *f = t->frame; f != NULL; f = f->below) {
        state_tell_number((uint64_t)f->site << 32 | f->local_count);
        state_tell((const char *)f + f->value_at, f->size);
        for (uint32_t i = 0; i < f->local_count; i++) {
            state_tell_number((uintptr_t)t->fiber.stack + t->fiber.stack_size - (uintptr_t)f->locals[i].address);
            state_tell(f->locals[i].address, f->locals[i].size);
        }
    }
}

/* What a loop that only waits has read, and has brought into this round: it waits if the next one begins alike. Behind a
 * wait at a condition it does not. */
static void tell_polls(const struct thread *t) {
    state_tell_number((uint64_t)t->poll_overflow << 32 | t->carried);
    state_tell(t->carries, t->carried * sizeof *t->carries);
    for (uint32_t i = 0; i < t->poll_count; i++) {
        state_tell_number((uintptr_t)t->polls[i].address);
        state_tell(t->polls[i].value, t->polls[i].size);
    }
}

static void tell_running(const struct thread *t) {
    /* What a wait at a condition has noted is over with it; so is, behind a wait, what the round of its loop has read. */
    bool waits = t->wait_mutex != 0;
    const uint8_t flags[] = {waits && t->timed,         waits && t->woken,        waits && t->timed_out,
                             waits && t->looks_at_time, waits && t->looks_again,  t->polling && t->waited,
                             t->in_exit,                t->result_unseen,         t->polling,
                             t->cancel_requested,       t->cancel_disabled,       t->cancel_at_once};
    state_tell(flags, sizeof flags);
    tell_operation(&t->pending);
    if (t->pending.kind == OP_START) {
        state_tell_number((uintptr_t)t->start);
        state_tell_number((uintptr_t)t->argument);
    }
    const uint64_t numbers[] = {(uint32_t)t->saved_errno, t->children, t->wait_mutex, (uintptr_t)t->in_once,
                                (uintptr_t)t->cleanups, (uintptr_t)t->unwind, t->held_count};
    state_tell(numbers, sizeof numbers);
    for (uint32_t i = 0; i < t->held_count; i++)
        state_tell_number(t->held[i].object << 8 | (uint64_t)t->held[i].type << 1 | t->held[i].shared);
    if (t->pending.kind == OP_SPIN || (t->polling && !t->waited)) tell_polls(t);
    tell_frames(t);
}

static void tell_thread(const struct thread *t) {
    state_tell_number(t->state);
    if (t->state == T_FINISHED && !t->joined && !t->detached) state_tell_number((uintptr_t)t->result);
    if (t->state == T_READY) {
        tell_running(t);
        program_tell_local(t);
    }
    if (t->state == T_FINISHED) tell_frames(t); /* of functions that it has not left: others may use their variables */
    heap_tell_of(t->tid);
}

/* What belongs to a handle, then a record of each thread. Gives where these begin. */
char *threads_tell(void) {
    for (uint32_t tid = 0; tid < G->paths; tid++) {
        const struct thread *t = &threads[tid];
        if (t->state == T_UNUSED) continue;
        state_tell_number((uint64_t)tid << 24 | (uint64_t)t->gang << 16 | (uint64_t)t->joined << 8 | t->detached);
    }
    state_tell_number(UINT64_MAX);
    char *first = state_told();
    for (uint32_t tid = 0; tid < G->paths; tid++) {
        if (threads[tid].state == T_UNUSED) continue;
        const char *from = state_told();
        tell_thread(&threads[tid]);
        symmetry_record((uint8_t)tid, from, state_told());
    }
    return first;
}

/* What of their memory others may look at. */
void threads_tell_memory(void) {
    for (uint32_t tid = 0; tid < G->paths; tid++) {
        if (threads[tid].state == T_UNUSED) continue;
        for (const struct rp_frame *f = threads[tid].frame; f != NULL; f = f->below)
            for (uint32_t i = 0; i < f->local_count; i++) state_tell(f->locals[i].address, f->locals[i].size);
        if (threads[tid].state == T_READY) program_tell_local(&threads[tid]);
        heap_tell_of((int)tid);
    }
}
