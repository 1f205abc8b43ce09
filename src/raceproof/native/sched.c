/* sched.c: who runs next, for raceproof.explore.
 *
 * A thread that comes to a scheduling point stands before its operation (`pending`) and dispatches. Before a decision
 * is made every thread stands before such an operation, waits, or has ended: waits that are over and threads that
 * are new run on silently until then. Then the search chooses, the chosen thread's operation becomes an event, and
 * the thread goes on with it.
 */

#define _GNU_SOURCE
#include "sched.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fiber.h"
#include "futures.h"
#include "heap.h"
#include "items.h"
#include "libc.h"
#include "outside.h"
#include "peers.h"
#include "processes.h"
#include "sampled.h"
#include "states.h"
#include "sync.h"
#include "threads.h"
#include "validity.h"

struct thread threads[RP_MAX_THREADS];
struct thread *self;
struct shared *G;
struct event *events;
struct node *nodes;
uint32_t *clocks, *befores, *races;
struct sleeper *sleepers;
struct wake *wakes;
struct segment *segments;
uint8_t *visible_access;
struct fiber host;
tset live;
uint8_t section_owner = NO_THREAD;

static bool orders;                             /* the search wants clocks and races of events */
static uint32_t known;                          /* events below are those of the last execution, and so are their clocks */
static tset silent; /* threads whose pending operation is no event */
static tset ready;  /* those of the others whose pending operation never has to wait */

/* ---- operations */

static inline bool overlap(const struct op *a, const struct op *b) {
    return a->object < b->object + b->size && b->object < a->object + a->size;
}

bool op_conflicting_accesses(const struct op *a, const struct op *b) {
    return is_access(a) && is_access(b) && (a->writes | b->writes) && !(a->kind == OP_ATOMIC && b->kind == OP_ATOMIC) &&
           overlap(a, b);
}

bool op_surely_conflicting(const struct op *a, const struct op *b) {
    struct op sure_a = *a, sure_b = *b;
    sure_a.size -= a->unsure;
    sure_b.size -= b->unsure;
    return sure_a.size > 0 && sure_b.size > 0 && op_conflicting_accesses(&sure_a, &sure_b);
}

void note_unsure(uint32_t site) {
    if (!G->bounded_unsure) G->unsure_site = site;
    G->bounded_unsure = 1;
}

bool op_dependent(const struct op *a, const struct op *b) {
    if (a->global | b->global) return true;
    if (!(a->writes | b->writes) || a->kind == OP_FENCE || b->kind == OP_FENCE) return false;
    if (is_access(a) != is_access(b)) return false;
    return is_access(a) ? overlap(a, b) : a->object == b->object;
}

static inline struct object *object_of(const struct op *op) {
    return object_at((void *)op->object, (enum object_type)op->type);
}

/* A recursive or error-checking mutex answers its owner at once; so does a rwlock the thread that writes. */
static bool lock_is_free(const struct thread *t, const struct object *o, bool shared) {
    if (o->owner == t->tid) return o->type == O_RWLOCK || (o->type == O_MUTEX && o->mutex_kind != M_NORMAL);
    if (o->owner != NO_THREAD) return false;
    return shared || o->readers == 0;
}

static bool polls_changed(const struct thread *t) {
    if (t->poll_overflow) return true;
    for (uint32_t i = 0; i < t->poll_count; i++)
        if (memcmp(t->polls[i].value, t->polls[i].address, t->polls[i].size) != 0) return true;
    return false;
}

static bool has_token(const struct thread *t, const struct object *o) {
    for (uint32_t i = 0; i < o->tokens; i++)
        if (o->token_ticket[i] > t->wait_ticket) return true;
    return false;
}

bool is_woken(const struct thread *t) { return is_cancelled(t) || has_token(t, object_of(&t->pending)); }

uint64_t steps_of_others(const struct thread *t) { return options.max_steps - pulse.steps_left - t->steps; }

/* Without anything that somebody else does, a wait may end without a signal once, or time out some times, not for ever:
 * some threads give up then. */
static bool may_time_out(const struct thread *t) {
    if (follows_states) return t->timed; /* as often as it likes: it comes back to a state that is known */
    if (!t->timed || options.mode != MODE_SEARCH || driving) return t->timed; /* the schedule says when */
    if (t->timeout_seen != steps_of_others(t)) return true;
    uint32_t same = 0;
    for (uint32_t i = 0; i < t->timeout_count; i++) same += t->timeouts[i] == t->pending.site;
    return t->timeout_count < MAX_TIMEOUTS && same < (t->looks_at_time ? TIMEOUTS_OF_ONE : 1);
}

/* Nothing is lost by that where the thread would only test and wait again. */
static void note_timeouts(tset waiting) {
    for (tset rest = waiting; rest != 0; rest &= rest - 1) {
        const struct thread *t = &threads[__builtin_ctzll(rest)];
        if (t->pending.kind == OP_COND_WAKE && t->timed && !t->looks_again) G->bounded_timeouts = 1;
    }
}

bool is_enabled(const struct thread *t) {
    const struct op *op = &t->pending;
    switch (op->kind) {
    case OP_LOCK:
    case OP_RDLOCK:
    case OP_ATOMIC_SECTION: return lock_is_free(t, object_of(op), op->shared);
    case OP_COND_WAKE: return may_time_out(t) || is_woken(t);
    case OP_SEM_WAIT: return object_of(op)->value > 0 || is_cancelled(t);
    case OP_BARRIER_LEAVE: return object_of(op)->round > t->wait_ticket;
    case OP_ONCE: return object_of(op)->once != 1;
    case OP_ONCE_WAIT: return object_of(op)->once != 1;
    case OP_JOIN:
        if (__builtin_expect(symmetry_is_on, 0)) return symmetry_may_join(&threads[op->id]);
        return threads[op->id].state == T_FINISHED || is_cancelled(t);
    case OP_SPIN: return polls_changed(t);
    case OP_OUTSIDE: return outside_has_changed(t) || is_cancelled(t);
    case OP_EXIT: /* see nobody_can_run */
    case OP_NEVER: return false;
    default: return true;
    }
}

static inline bool never_waits(uint8_t kind) { return kind == OP_MEMORY || kind == OP_ATOMIC; }

bool try_succeeds(const struct thread *t) {
    const struct op *op = &t->pending;
    const struct object *o = object_of(op);
    if (op->type == O_SEM) return o->value > 0;
    if (o->owner == t->tid) return o->mutex_kind == M_RECURSIVE;
    return lock_is_free(t, o, op->shared);
}

void join_object(uint32_t *clock, const struct op *op) {
    uint32_t n = G->paths;
    bool takes = op->kind == OP_ONCE || op->kind == OP_LOCK || op->kind == OP_RDLOCK || op->kind == OP_ATOMIC_SECTION ||
                 (op->kind == OP_TRY && op->size != 0);
    if (!takes || op->type == O_SEM) return;
    const struct object *o = object_of(op);
    clock_join(clock, o->dep, n);
    if (!op->shared) clock_join(clock, o->dep_readers, n);
}

/* ---- switching */

void record_switch(void) {
    uint32_t count = G->segment_count;
    struct segment here = {self->tid, self->steps};
    if (count > 0 && segments[count - 1].tid == here.tid) {
        segments[count - 1] = here;
    } else if (count < MAX_SEGMENTS) {
        segments[count] = here;
        G->segment_count = count + 1;
    } else {
        limit_reached(RP_LIMIT_SWITCHES);
    }
}

/* Always inlined, into dispatch, too: behind a switch of stacks the processor guesses each return wrong, and this is
 * two less. */
static inline __attribute__((always_inline)) void switch_to(struct thread *t) {
    if (t == self) return;
    struct thread *from = self;
    record_switch();
    from->saved_errno = errno;
    from->saved_site = rp_site;
    if (__builtin_expect(follows_states, 0)) from->frame = rp_frame_top;
    self = t;
    if (__builtin_expect(follows_states, 0)) persistent_resumes(t->tid);
    if (rp_fork_mode) thread_state_switch(from, t);
    errno = t->saved_errno;
    fiber_switch(&from->fiber, &t->fiber);
    rp_site = from->saved_site;
    if (__builtin_expect(follows_states, 0)) rp_frame_top = from->frame;
    if (rp_fork_mode) thread_state_arrive();
}

void resume(struct thread *t) { switch_to(t); }

_Noreturn void end_execution(enum cut cut) {
    if (is_child_process) child_ends(cut);
    if (self != NULL) record_switch();
    G->cut = (uint8_t)cut;
    struct fiber *from = self != NULL ? &self->fiber : &host;
    fiber_switch(from, &host);
    abort(); /* nobody comes back here */
}

/* ---- decisions */

static enum cut how_it_is_stuck(void) {
    bool is_over = live == 0, may_wait = false, goes_on = false;
    for (tset rest = live; rest != 0; rest &= rest - 1) {
        const struct thread *t = &threads[__builtin_ctzll(rest)];
        goes_on |= t->pending.kind == OP_SPIN && t->poll_count == 0; /* it waits for nothing: for ever, and touches nothing */
        is_over |= t->pending.kind == OP_EXIT || t->pending.kind == OP_NEVER;
        may_wait |= t->pending.kind == OP_COND_WAKE && t->timed;
        if (t->in_once != NULL && (t->pending.kind == OP_EXIT || (uintptr_t)t->fiber.sp > t->in_once->once_frame))
            note_once_left();
    }
    if (is_over || (goes_on && !options.deadlocks)) return CUT_NOT;
    if (may_wait || goes_on) { /* it waits, times out and waits again, and nothing else happens */
        G->bounded_endless = 1;
        return CUT_ENDLESS;
    }
    report_deadlock(live);
    return CUT_DEADLOCK;
}

static _Noreturn void nobody_can_run(void) { end_execution(how_it_is_stuck()); }

static bool has_it_already(const struct thread *t) {
    const struct op *op = &t->pending;
    if (op->type == O_SEM || (op->kind != OP_LOCK && op->kind != OP_RDLOCK && op->kind != OP_TRY)) return false;
    const struct object *o = object_of(op);
    return o->owner == t->tid || (op->shared && (o->readers & BIT(t->tid)));
}

/* What an operation does shows when it is its turn. */
static void settle(struct thread *t) {
    struct op *op = &t->pending;
    if (op->kind == OP_TRY) op->size = try_succeeds(t);
    if (op->kind == OP_TRY && op->type == O_RWLOCK && !op->shared) /* if a writer has it, nobody else comes or goes */
        op->writes = op->size || object_of(op)->readers != 0;
    if (op->kind == OP_ONCE) op->writes = object_of(op)->once == 0; /* else it only looks */
    if (op->type == O_SEM && op->kind != OP_TRY) op->size = (uint32_t)object_of(op)->value;
    op->again = has_it_already(t);
}

/* After a signal that it takes, or a broadcast, others may not come to their turn any more: not at this event. */
static void note_rivals(struct event *ev, tset enabled) {
    ev->rivals = ev->timed_rivals = 0;
    if (ev->op.type != O_COND || ev->op.kind == OP_COND_WAIT) return;
    for (tset rest = enabled & ~BIT(ev->tid); rest != 0; rest &= rest - 1) {
        const struct thread *t = &threads[__builtin_ctzll(rest)];
        if (t->pending.kind != OP_COND_WAKE || t->pending.object != ev->op.object) continue;
        ev->rivals |= BIT(t->tid);
        if (t->timed) ev->timed_rivals |= BIT(t->tid);
    }
}

static void make_event(struct thread *t) {
    uint32_t e = G->event_count;
    if (e + 2 >= G->event_limit && samples) e = G->event_count = 0; /* nobody goes back to the earlier ones */
    if (e + 2 >= G->event_limit) {
        limit_reached(RP_LIMIT_EVENTS);
        end_execution(CUT_EVENTS);
    }
    struct event *ev = &events[e];
    settle(t);
    ev->op = t->pending;
    ev->tid = t->tid;
    ev->number = ++t->events;
    ev->steps = t->steps;
    if (e >= known) ev->race_count = 0;
    ev->enabler = t->wake_enabler;
    note_rivals(ev, nodes[e].enabled);
    t->wake_enabler = NONE;
    if (orders && !ev->op.undecided) order_event(e, &ev->op, e < known);
    G->event_count = e + 1;
    G->transitions++;
}

void settle_exchange(bool writes) {
    if (!orders) return;
    uint32_t e = G->event_count - 1;
    events[e].op.writes = writes;
    events[e].op.undecided = 0;
    order_event(e, &events[e].op, e < known);
}

/* The system is asked only where it can have changed. */
static pid_t own_process(void) {
    static pid_t known_process;
    if (known_process == 0 || options.fork) known_process = getpid();
    return known_process;
}

/* ---- states (search_states.c): the search is asked on its own stack, and goes on with any thread of any state */

bool follows_states;
struct rp_frame *rp_frame_top;
uint32_t states_choices;
static enum arrival arrived;
static uint32_t answer;

/* To the search; comes back when this thread is let go on, maybe in a state to which memory was put back. */
static void park(enum arrival why) {
    struct thread *from = self;
    record_switch();
    from->saved_errno = errno;
    from->saved_site = rp_site;
    from->frame = rp_frame_top;
    arrived = why;
    fiber_switch(&from->fiber, &host);
    rp_site = from->saved_site;
    rp_frame_top = from->frame;
}

static enum arrival go_on(struct thread *t) {
    self = t;
    monitors_step();
    persistent_step(t->tid);
    arrived = ARRIVED_END;
    pulse.steps_left = options.max_steps;
    pulse.execution++;
    pulse.running = own_process();
    errno = t->saved_errno;
    fiber_switch(&host, &t->fiber);
    pulse.running = 0;
    return arrived;
}

uint32_t states_choose(uint32_t count) {
    states_choices = count;
    park(ARRIVED_CHOICE);
    return answer;
}

enum arrival states_answer(uint32_t index) {
    answer = index;
    return go_on(self);
}

static tset enabled_now(void) {
    tset enabled = ready & live & ~silent;
    for (tset rest = live & ~silent & ~ready; rest != 0; rest &= rest - 1) {
        struct thread *t = &threads[__builtin_ctzll(rest)];
        if (is_enabled(t)) enabled |= BIT(t->tid);
    }
    return enabled;
}

bool states_peeks;
static uint32_t peeked_joins;
static uint8_t peeked_gang;

_Noreturn void states_peek_fails(void) {
    arrived = ARRIVED_END;
    fiber_switch(&self->fiber, &host);
    abort(); /* it is put back before it goes on */
}

void states_peek_join(struct thread *target) {
    if (target->gang != peeked_gang) states_peek_fails();
    if (peeked_joins == 0) {
        arrived = ARRIVED_JOIN;
        fiber_switch(&self->fiber, &host);
        abort();
    }
    peeked_joins--;
}

bool states_peek(struct thread *t, uint32_t joins) {
    enum arrival before = arrived;
    peeked_joins = joins - 1; /* it stands in the first of them */
    peeked_gang = threads[t->pending.id].gang;
    states_peeks = true;
    bool only_joins = go_on(t) == ARRIVED_JOIN;
    states_peeks = false;
    arrived = before;
    return only_joins;
}

tset states_enabled(void) {
    tset enabled = enabled_now();
    bool in_section = section_owner != NO_THREAD && (enabled & BIT(section_owner));
    return in_section ? BIT(section_owner) : enabled;
}

enum cut states_stuck(void) { return how_it_is_stuck(); }

enum arrival states_step(uint8_t tid) {
    struct thread *t = &threads[tid];
    settle(t);
    t->wake_enabler = NONE;
    G->transitions++;
    return go_on(t);
}

void sched_keep(void) {
    state_keep(&live, sizeof live);
    state_keep(&silent, sizeof silent);
    state_keep(&ready, sizeof ready);
    state_keep(&section_owner, sizeof section_owner);
    state_keep(&self, sizeof self);
    state_keep(&G->segment_count, sizeof G->segment_count);
    if (G->segment_count != 0) state_keep(&segments[G->segment_count - 1], sizeof *segments);
    state_keep(&G->input_count, sizeof G->input_count);
}

/* Called when all else was told. A thread that makes a choice may have let others go who have not gone on yet. */
void sched_tell(void) {
    tset may_go_on = 0;
    for (tset rest = silent & live; rest != 0; rest &= rest - 1) {
        const struct thread *t = &threads[__builtin_ctzll(rest)];
        if (is_enabled(t)) may_go_on |= BIT(t->tid);
    }
    state_tell_number((uint64_t)symmetry_name(section_owner) << 8 |
                      (arrived == ARRIVED_CHOICE ? symmetry_name(self->tid) : NO_THREAD));
    state_tell_number(symmetry_names(may_go_on));
}

static struct thread *decide(void) {
    if (G->event_count > 0 && events[G->event_count - 1].op.undecided) settle_exchange(true); /* it has crashed */
    tset enabled = enabled_now();
    if (enabled == 0) {
        struct thread *waiter = outside_waiter();
        if (waiter == NULL) nobody_can_run();
        silent &= ~BIT(waiter->tid);
        return waiter;
    }
    note_timeouts(live & ~silent & ~enabled);
    uint32_t depth = G->event_count;
    struct node *node = &nodes[depth];
    const struct algorithm *a = options.algorithm;
    bool in_section = section_owner != NO_THREAD && (enabled & BIT(section_owner));
    if (in_section) enabled = BIT(section_owner); /* nothing comes between the steps of an atomic section */
    uint32_t section = in_section ? threads[section_owner].section_event : NONE;
    if (depth < G->prefix) {
        if (!(enabled & BIT(node->chosen))) {
            G->nondeterministic = 1;
            end_execution(CUT_ENDLESS);
        }
        if (depth < frozen && G->executions == 0) items_visit(depth, enabled, section, &threads[node->chosen].pending);
    } else {
        node->enabled = enabled;
        node->backtrack = node->done = 0;
        node->section = section;
        int chosen = a->choose(node, depth);
        if (chosen < 0) end_execution(CUT_BLOCKED);
        node->chosen = (uint8_t)chosen;
    }
    struct thread *t = &threads[node->chosen];
    if (a->chosen != NULL) a->chosen(node, depth);
    make_event(t);
    return t;
}

/* Find who runs next and let them; comes back when it is this thread's turn. */
static inline __attribute__((always_inline)) void dispatch(void) {
    if (pulse.tick) on_tick();
    for (tset rest = silent & live; rest != 0; rest &= rest - 1) {
        struct thread *t = &threads[__builtin_ctzll(rest)];
        if (!is_enabled(t)) continue;
        if (t->pending.kind == OP_SPIN && G->event_count > 0) t->wake_enabler = G->event_count - 1;
        silent &= ~BIT(t->tid);
        switch_to(t);
        return;
    }
    if (__builtin_expect(follows_states, 0)) {
        park(ARRIVED_STATE);
        return;
    }
    switch_to(decide());
}

/* Two threads that stand before conflicting accesses: [PDP, Fig. 2] DETECTRACE, [DHTC, Fig. 9]. */
static void detect_together(void) {
    for (tset rest = live & ~BIT(self->tid); rest != 0; rest &= rest - 1) {
        const struct thread *u = &threads[__builtin_ctzll(rest)];
        if (!op_conflicting_accesses(&self->pending, &u->pending)) continue;
        if (!op_surely_conflicting(&self->pending, &u->pending)) {
            note_unsure(self->pending.unsure ? self->pending.site : u->pending.site);
            continue;
        }
        if (!pair_is_new(u->pending.id, self->pending.id)) continue;
        record_switch();
        uintptr_t mine = self->pending.object, theirs = u->pending.object;
        G->hits[G->hit_count++] = (struct hit){.a = u->pending.id, .b = self->pending.id, .steps_a = u->steps,
                                               .steps_b = self->steps, .tid_a = u->tid, .tid_b = self->tid,
                                               .together = 1, .address = mine > theirs ? mine : theirs,
                                               .segments = G->segment_count};
    }
}

bool unlock_is_point(void) { return options.algorithm->releases || G->has_try; }

void point(const struct op *op, bool is_point, const char *what) {
    if (__builtin_expect(states_peeks, 0) && (is_point || op->kind != OP_CANCEL)) states_peek_fails();
    if (__builtin_expect(follows_states, 0) && !is_point) persistent_passes(op);
    if (options.mode != MODE_SEARCH || driving) {
        follow(op, what);
    } else if (is_point) {
        self->pending = *op;
        if (never_waits(op->kind)) ready |= BIT(self->tid);
        if (!options.algorithm->hb && is_access(op)) detect_together();
        futures_stand(self);
        dispatch();
        self->pending.kind = OP_NOTHING;
        ready &= ~BIT(self->tid);
    }
    self->steps++;
    if (--pulse.steps_left == 0) {
        limit_reached(RP_LIMIT_STEPS);
        end_execution(CUT_STEPS);
    }
}

void block(const struct op *op) {
    if (__builtin_expect(states_peeks, 0)) {
        if (op->kind == OP_JOIN) return; /* one that has ended, whichever it is */
        states_peek_fails();
    }
    self->pending = *op;
    if (__builtin_expect(follows_states, 0)) persistent_passes(op);
    if (is_enabled(self)) return;
    if (options.mode != MODE_SEARCH || driving) {
        follow_blocked();
        return;
    }
    silent |= BIT(self->tid);
    futures_stand(self);
    dispatch();
    self->pending.kind = OP_NOTHING;
}

/* Every other thread may still do what it does before the process is gone: the end could come as late as one likes. */
_Noreturn void stand_still(uint8_t kind) {
    struct op op = {.kind = kind, .id = RP_NO_ACCESS, .site = rp_site};
    self->in_exit = 1;
    block(&op);
    abort(); /* never enabled */
}

void wake(struct thread *t) {
    if (t->pending.kind != OP_COND_WAKE) return; /* it has not come to wait yet, and will not */
    t->pending.kind = OP_COND_WOKEN;
    silent |= BIT(t->tid);
}

void stay_alone(void) {
    live = BIT(self->tid);
    silent &= live;
    ready &= live;
    known = 0;
    orders = false;
    if (section_owner != self->tid) section_owner = NO_THREAD;
}

int default_choice(tset candidates) {
    if (candidates == 0) return -1;
    if (candidates & BIT(self->tid)) return self->tid;
    return __builtin_ctzll(candidates);
}

/* ---- threads */

/* Of a run that has made more threads than there are ids: that of one which has ended. What it did is ordered before what
 * the new one does, if there is such a one; else what the two do is not compared. */
static int former_thread(void) {
    int found = -1;
    for (int t = 0; t < RP_MAX_THREADS; t++) {
        const struct thread *o = &threads[t];
        if (o->state != T_FINISHED || !(o->joined || o->detached) || t == 0) continue;
        if (self->hb[t] >= o->hb[t]) return t;
        if (found < 0) found = t;
    }
    if (found >= 0) limit_reached(RP_LIMIT_OLD_THREADS);
    return found;
}

/* Threads have the same id in every execution: who made it, and the how-many-th it is of theirs. */
static int thread_id(uint8_t parent, uint32_t number) {
    static uint32_t last; /* one that is created next to another mostly has the next id */
    for (uint32_t i = 0; i < G->paths; i++) {
        uint32_t id = last + 1 + i < G->paths ? last + 1 + i : last + 1 + i - G->paths;
        if (id < G->paths && G->path_parent[id] == parent && G->path_number[id] == number) return (int)(last = id);
    }
    if (G->paths == RP_MAX_THREADS) return samples ? former_thread() : -1;
    uint32_t tid = G->paths;
    G->path_parent[tid] = parent;
    G->path_number[tid] = number;
    uint32_t rows = G->event_count > known ? G->event_count : known;
    for (uint32_t e = 0; e < rows; e++) CLOCK(e)[tid] = BEFORE(e)[tid] = 0;
    for (uint32_t t = 0; t < tid; t++) {
        threads[t].hb[tid] = threads[t].dep[tid] = 0;
        threads[t].acquire_fence[tid] = threads[t].release_fence[tid] = 0;
    }
    objects_grow(tid);
    shadow_grow(tid);
    G->paths = tid + 1;
    return (int)tid;
}

static void thread_entry(void) {
    rp_frame_top = NULL;
    self->result = self->start(self->argument);
    thread_end();
}

static void thread_clear(struct thread *t, uint8_t tid) {
    struct fiber fiber = t->fiber;
    memset(t, 0, offsetof(struct thread, frames));
    t->fiber = fiber;
    t->tid = tid;
    t->depth = t->held_count = t->poll_count = 0;
    t->polling = t->poll_overflow = t->returning = t->waited = t->has_acquire_fence = t->has_release_fence = 0;
    t->wake_enabler = NONE;
    t->section_event = NONE;
    t->timeout_seen = UINT64_MAX;
}

/* What its creator knows, the new thread knows. */
static void inherit_clocks(struct thread *t) {
    uint32_t n = G->paths;
    if (self != NULL) {
        clock_copy(t->hb, self->hb, n);
        clock_copy(t->dep, self->dep, n);
        self->hb[self->tid]++;
    } else {
        for (uint32_t i = 0; i < n; i++) t->hb[i] = t->dep[i] = 0;
    }
    t->hb[t->tid] = 1;
}

struct thread *thread_create(void *(*start)(void *), void *argument, uint32_t site, bool detached) {
    if (states_peeks) states_peek_fails();
    int tid = thread_id(self != NULL ? self->tid : NO_THREAD, self != NULL ? self->children++ : 0);
    if (tid < 0) {
        limit_reached(RP_LIMIT_THREADS);
        end_execution(CUT_THREADS);
    }
    if (is_child_process) child_creates_thread();
    struct thread *t = &threads[tid];
    uint32_t steps = t->state == T_FINISHED ? t->steps : 0, clock = t->state == T_FINISHED ? t->hb[tid] : 0;
    if (t->state == T_FINISHED) thread_forget(t);
    thread_clear(t, (uint8_t)tid);
    inherit_clocks(t);
    t->steps = steps; /* they go on counting: steps and clocks name what happened */
    t->hb[tid] = clock + 1;
    thread_state_start(t);
    t->state = T_READY;
    t->parent = self != NULL ? self->tid : NO_THREAD;
    t->created_at = site;
    t->start = start;
    t->argument = argument;
    t->detached = detached;
    if (symmetry_is_on) symmetry_created(t);
    t->pending = (struct op){.kind = OP_START, .id = RP_NO_ACCESS, .site = site};
    if (follows_states) persistent_created(t);
    G->thread_parent[tid] = t->parent;
    G->thread_site[tid] = site;
    if (samples && self != NULL) log_creation(t);
    fiber_stack(&t->fiber);
    fiber_make(&t->fiber, thread_entry, self == NULL);
    thread_locals(t);
    live |= BIT(tid);
    silent |= BIT(tid);
    futures_stand(t);
    told(tid);
    return t;
}

_Noreturn void thread_end(void) {
    run_thread_exit(self);
    struct op end = {.kind = G->has_cancel ? OP_CANCEL : OP_NOTHING, .writes = 1, .id = RP_NO_ACCESS, .site = rp_site,
                     .object = (uintptr_t)self};
    point(&end, G->has_cancel, "end of thread"); /* a step: others wait for it */
    self->state = T_FINISHED;
    live &= ~BIT(self->tid);
    silent &= ~BIT(self->tid);
    self->pending = (struct op){.kind = OP_EXIT, .id = RP_NO_ACCESS};
    futures_stand(self);
    if (self->tid == 0 && live == 0) end_execution(CUT_NOT);
    if (options.mode != MODE_SEARCH || driving)
        follow_blocked();
    else
        dispatch();
    abort(); /* a thread that has ended is not resumed */
}

/* ---- one execution */

static void *main_entry(void *unused) {
    (void)unused;
    run_program(); /* does not come back: it ends as exit does */
    return NULL;
}

static struct thread *start_program(void) {
    reset_program();
    heap_reset();
    validity_reset();
    libc_reset();
    objects_reset();
    outside_reset();
    shadow_reset();
    self = NULL;
    live = silent = ready = 0;
    section_owner = NO_THREAD;
    for (uint32_t t = 0; t < G->paths; t++) threads[t].state = T_UNUSED;
    self = NULL;
    if (samples) G->paths = 0; /* what an execution does depends on its seed alone */
    struct thread *main_thread = thread_create(main_entry, NULL, 0, false);
    silent &= ~BIT(0);
    self = main_thread;
    return main_thread;
}

enum arrival states_begin(void) {
    G->event_count = G->segment_count = G->hit_count = G->input_count = 0;
    G->is_lock_lost = false;
    G->cut = CUT_NOT;
    return go_on(start_program());
}

static void run_here(void) {
    if (rp_fork_mode) surroundings_begin();
    struct thread *main_thread = start_program();
    pulse.execution++;
    pulse.running = own_process();
    fiber_switch(&host, &main_thread->fiber);
    pulse.running = 0;
    self = NULL; /* the search runs: a signal must not take it for the program */
    for (uint32_t t = 0; t < G->paths; t++) {
        G->final_state[t] = threads[t].state;
        if (threads[t].state != T_READY) continue;
        G->final_pending[t] = threads[t].pending;
        if (orders) clock_copy(G->final_dep[t], threads[t].dep, G->paths);
    }
}

void run_execution(void) {
    G->event_count = G->segment_count = 0;
    G->hit_count = 0;
    G->is_lock_lost = false;
    futures_reset();
    G->input_count = 0;
    G->cut = CUT_NOT;
    pulse.steps_left = options.max_steps;
    orders = options.algorithm != NULL && (options.algorithm->orders || options.weaker) && !driving &&
             options.mode == MODE_SEARCH;
    known = G->prefix > frozen ? G->prefix - 1 : 0; /* its last event is new; a part that was given has had no execution */
    G->race_count = 0;
    for (uint32_t e = known; e-- > 0 && G->race_count == 0;)
        if (events[e].race_count != 0) G->race_count = events[e].first_race + events[e].race_count;
    if (options.fork)
        run_in_child(run_here);
    else
        run_here();
}
