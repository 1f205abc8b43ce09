/* outside.c: threads that wait for, or tell, one another through the system; for raceproof.explore.
 *
 * All threads of the program are one thread to the system: a call that waits would stop all of them. So each is tried
 * without waiting first, and while it would wait the other threads run. When all of them wait, time passes outside: for
 * the clients of the program and its children until they have nothing left to do, for the clocks of the program as far as
 * the next time limit. What comes from outside comes in one order, of many: such a search is bounded.
 */

#define _GNU_SOURCE
#include "outside.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolation.h"
#include "libc.h"
#include "peers.h"
#include "report.h"
#include "sched.h"
#include "sync.h"
#include "watchdog.h"

#define MAX_FILES 4096
#define LOOK UINT64_C(5000000)              /* nanoseconds between two looks at what is outside */
#define QUIET UINT64_C(300000000)           /* nothing can come any more, as far as we know */
#define PATIENCE UINT64_C(6000000000)       /* with those who are there, but do nothing: less than the watchdog has */
#define BUSY UINT64_C(60000000000)          /* with those who compute */
#define LONGEST_LIMIT UINT64_C(1000000000)  /* of a time limit, so much is waited for those who are there */

static uint64_t changes; /* so many times something was done outside */
static struct outside_wait *waits[RP_MAX_THREADS];
static bool has_ended; /* the user has ended the program */

void outside_reset(void) {
    changes = 0;
    has_ended = false;
    memset(waits, 0, sizeof waits);
}

void outside_gives(void) {
    struct object *o = object_at(NULL, O_OUTSIDE);
    clock_join(o->hb, self->hb, G->paths);
    self->hb[self->tid]++;
    changes++;
}

void outside_takes(void) { clock_join(self->hb, object_at(NULL, O_OUTSIDE)->hb, G->paths); }

RP_HOOK void rp_outside(uint32_t how) {
    if (how & RP_GIVES) outside_gives();
    if (how & RP_TAKES) outside_takes();
}

bool outside_has_changed(const struct thread *t) { return t->wait_ticket != changes || t->waits_alone; }

/* ---- all threads wait */

static bool has_children(void) {
    siginfo_t info;
    info.si_pid = 0;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

static bool child_has_ended(void) {
    siginfo_t info;
    info.si_pid = 0;
    return waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) == 0 && info.si_pid != 0;
}

static bool is_listening(int file) {
    int listens = 0;
    socklen_t size = sizeof listens;
    return getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens;
}

static bool waits_for_client(const struct outside_wait *wait) {
    for (nfds_t i = 0; i < wait->count; i++)
        if (is_listening(wait->files[i].fd)) return true;
    return false;
}

/* Marks those of `waiting` that can go on: they look again. Waits so many milliseconds for descriptors. */
static bool look(tset waiting, int milliseconds) {
    static struct pollfd files[MAX_FILES];
    nfds_t count = 0;
    bool any = false, has_child = child_has_ended();
    for (tset rest = waiting; rest != 0; rest &= rest - 1) {
        const struct outside_wait *wait = waits[__builtin_ctzll(rest)];
        for (nfds_t i = 0; i < wait->count && count < MAX_FILES; i++)
            files[count++] = (struct pollfd){.fd = wait->files[i].fd, .events = wait->files[i].events};
    }
    (void)poll(files, count, milliseconds);
    count = 0;
    for (tset rest = waiting; rest != 0; rest &= rest - 1) {
        struct thread *t = &threads[__builtin_ctzll(rest)];
        struct outside_wait *wait = waits[t->tid];
        for (nfds_t i = 0; i < wait->count && count < MAX_FILES; i++) wait->is_ready |= files[count++].revents != 0;
        wait->is_ready |= (wait->for_children && has_child) || signal_is_pending(t, wait->signals);
        if (wait->is_ready) any = t->waits_alone = 1;
    }
    return any;
}

/* It may have become possible, and nobody tells. */
static bool look_again(tset waiting) {
    bool any = false;
    for (tset rest = waiting; rest != 0; rest &= rest - 1) {
        struct thread *t = &threads[__builtin_ctzll(rest)];
        if (waits[t->tid]->looks_again) any = waits[t->tid]->is_ready = t->waits_alone = 1;
    }
    return any;
}

static struct thread *first_limited(tset waiting) {
    struct thread *first = NULL;
    for (tset rest = waiting; rest != 0; rest &= rest - 1) {
        struct thread *t = &threads[__builtin_ctzll(rest)];
        uint64_t until = waits[t->tid]->until;
        if (until == FOREVER || (first != NULL && until - t->virtual_time >= waits[first->tid]->until - first->virtual_time))
            continue;
        first = t;
    }
    return first;
}

static bool time_out(struct thread *t) {
    struct outside_wait *wait = waits[t->tid];
    if (t->virtual_time < wait->until) t->virtual_time = wait->until;
    return wait->timed_out = t->waits_alone = 1;
}

/* As its user would: by a signal that it handles, else for good. */
static bool user_ends(tset waiting) {
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; !has_ended && i < sizeof numbers / sizeof *numbers; i++) {
        uint64_t set = UINT64_C(1) << (numbers[i] - 1);
        for (tset rest = waiting; rest != 0; rest &= rest - 1) {
            struct thread *t = &threads[__builtin_ctzll(rest)];
            bool takes = (waits[t->tid]->signals & set) ||
                         (libc_is_handled(numbers[i]) && !signal_is_blocked(t, numbers[i]));
            if (!takes) continue;
            has_ended = true;
            signal_from_user(numbers[i]);
            return waits[t->tid]->is_ready = t->waits_alone = 1;
        }
    }
    end_execution(CUT_STEPS);
}

static _Noreturn void nothing_comes(tset waiting, bool is_anybody_there) {
    for (tset rest = waiting; rest != 0; rest &= rest - 1) {
        const struct thread *t = &threads[__builtin_ctzll(rest)];
        if (is_anybody_there || !waits_for_client(waits[t->tid])) continue;
        report_bounded("it waits in accept() for a client that never came: give --client COMMAND", t->pending.site);
        end_execution(CUT_STEPS);
    }
    report_bounded(is_anybody_there ? "all threads wait for other processes, which do nothing"
                                    : "all threads wait for something from outside that never came",
                   threads[__builtin_ctzll(waiting)].pending.site);
    end_execution(CUT_STEPS);
}

/* Until one of them can go on, or the execution ends here. */
static void await_outside(tset waiting) {
    uint64_t begin = now_nanoseconds(), busy_until = begin + BUSY;
    peers_start();
    for (;;) {
        if (!peers_settle() && now_nanoseconds() < busy_until) begin = now_nanoseconds();
        if (look(waiting, 0)) return;
        if (peers_are_done()) {
            if (user_ends(waiting)) return;
        }
        bool is_anybody_there = peers_are_there() || has_children();
        struct thread *limited = first_limited(waiting);
        /* What a child does is always the same, but not when, as seen by other threads and clocks. */
        bool is_alone = live == waiting && (live & (live - 1)) == 0 && limited == NULL;
        if (is_anybody_there && (!is_alone || peers_are_there())) limit_reached(RP_LIMIT_OTHERS);
        uint64_t waited = now_nanoseconds() - begin;
        uint64_t limit = limited != NULL ? waits[limited->tid]->until - limited->virtual_time : FOREVER;
        if (limited != NULL && waits[limited->tid]->until <= limited->virtual_time) limit = 0;
        if (limit > LONGEST_LIMIT && limited != NULL) limit = LONGEST_LIMIT;
        if (limited != NULL && (!is_anybody_there || waited >= limit) && time_out(limited)) return;
        if (waited > (is_anybody_there ? PATIENCE : QUIET)) nothing_comes(waiting, is_anybody_there);
        if (look(waiting, (int)(LOOK / 1000000)) || look_again(waiting)) return;
    }
}

struct thread *outside_waiter(void) {
    tset waiting = 0;
    for (tset rest = rp_fork_mode ? live : 0; rest != 0; rest &= rest - 1)
        if (threads[__builtin_ctzll(rest)].pending.kind == OP_OUTSIDE) waiting |= rest & -rest;
    if (waiting == 0) return NULL;
    await_outside(waiting);
    for (tset rest = waiting; rest != 0; rest &= rest - 1)
        if (threads[__builtin_ctzll(rest)].waits_alone) return &threads[__builtin_ctzll(rest)];
    abort(); /* await_outside returns when there is one */
}

/* ---- one thread waits */

/* A step whether it waits or not: a schedule counts steps, and is repeated where what it waits for may be there at once. */
void outside_begin(void) { cancellation_point(); }

bool outside_wait(struct outside_wait *wait) {
    struct op op = {.kind = OP_OUTSIDE, .id = RP_NO_ACCESS, .site = rp_site};
    bool restarts;
    uint32_t before = handlers_run(self, &restarts);
    wait->is_ready = wait->timed_out = false;
    waits[self->tid] = wait;
    self->waits_alone = 0;
    self->wait_ticket = changes;
    block(&op);
    if (is_cancelled(self)) cancellation_point();
    /* Of a given schedule: it went on here, so the outside will let it do so again. */
    if (self->waits_alone && !wait->is_ready && !wait->timed_out) await_outside(BIT(self->tid));
    self->waits_alone = 0;
    waits[self->tid] = NULL;
    thread_state_arrive();
    if (handlers_run(self, &restarts) == before || restarts) return true;
    errno = EINTR;
    return false;
}

int outside_ready(struct pollfd *files, nfds_t count, uint64_t ns) {
    outside_begin();
    uint64_t now = rp_now();
    struct outside_wait wait = {.files = files, .count = count,
                                .until = ns == FOREVER || ns > FOREVER - now ? FOREVER : now + ns};
    for (;;) {
        peers_settle();
        int ready = poll(files, count, 0);
        if (ready != 0 || ns == 0 || wait.timed_out) return ready;
        if (!outside_wait(&wait)) return -1;
    }
}
