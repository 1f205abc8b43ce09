/* follow.c: executions whose schedule is given, for raceproof.explore.
 *
 * A schedule is a list of (thread, steps): the thread runs until it has done so many steps in all, a step being one
 * hook or one call of the thread library. It does not depend on the search that found it.
 *
 * To drive a race is to follow the schedule of an execution that had it, but to hold the first thread before its
 * access until the other one stands before its own. Whatever waits for the held thread stays behind.
 */

#include "sampled.h"
#include "sched.h"

#include <stdlib.h>
#include <string.h>

bool driving;

static struct segment *plan;
static uint32_t plan_count, plan_at;
static struct segment hold_a, hold_b;
static bool holding; /* two threads are to stand before their accesses in the end */
static uint32_t access_a = RP_NO_ACCESS, access_b = RP_NO_ACCESS; /* which ones, if that is known */

/* Does it stand before the access at which it is to be held? */
static bool is_at(const struct thread *t, const struct segment *hold) {
    return holding && t->tid == hold->tid && t->steps >= hold->steps && is_access(&t->pending);
}

static bool is_held(const struct thread *t) { return is_at(t, &hold_a) || is_at(t, &hold_b); }

static bool can_run(uint32_t tid) {
    if (tid >= G->paths || !(live & BIT(tid))) return false;
    const struct thread *t = &threads[tid];
    return !is_held(t) && is_enabled(t);
}

/* Does it wait for something, or has yet to start? Going on from there is no step. */
static bool is_silent(const struct thread *t) {
    switch (t->pending.kind) {
    case OP_START:
    case OP_COND_WOKEN:
    case OP_BARRIER_LEAVE:
    case OP_ONCE_WAIT:
    case OP_JOIN:
    case OP_OUTSIDE:
    case OP_SPIN: return true;
    default: return false;
    }
}

/* The next thread to run: as planned; behind the plan, when a race is driven, whoever can, the second thread first. */
static int next_thread(void) {
    while (plan_at < plan_count) {
        struct segment *s = &plan[plan_at];
        if (can_run(s->tid) && threads[s->tid].steps < s->steps) return (int)s->tid;
        struct thread *t = &threads[s->tid];
        if (s->tid < G->paths && (live & BIT(s->tid)) && t->pending.kind == OP_OUTSIDE && t->steps < s->steps) {
            t->waits_alone = 1; /* it went on here, so it does again */
            return (int)s->tid;
        }
        plan_at++;
    }
    if (!holding) { /* to where the search left them */
        for (uint32_t t = 0; t < G->paths; t++)
            if (can_run(t) && is_silent(&threads[t])) return (int)t;
        return -1;
    }
    if (can_run(hold_b.tid) && threads[hold_b.tid].steps <= hold_b.steps) return (int)hold_b.tid;
    if (can_run(hold_a.tid) && threads[hold_a.tid].steps <= hold_a.steps) return (int)hold_a.tid;
    if (!driving) return -1;
    for (uint32_t t = 0; t < G->paths; t++)
        if (can_run(t)) return (int)t;
    return -1;
}

/* What a thread reads may be different now, and lead it elsewhere. */
static bool is_expected(const struct thread *t, uint32_t access) {
    return access == RP_NO_ACCESS || t->pending.id == access;
}

static bool both_stand(void) {
    const struct thread *a = &threads[hold_a.tid], *b = &threads[hold_b.tid];
    return holding && (live & BIT(hold_a.tid)) && (live & BIT(hold_b.tid)) && a->steps == hold_a.steps &&
           b->steps == hold_b.steps && is_expected(a, access_a) && is_expected(b, access_b) &&
           op_surely_conflicting(&a->pending, &b->pending);
}

/* Only a wakeup without a signal, which nobody can rely on, would let it go on. */
static bool waits_unasked(const struct thread *t) {
    return t->pending.kind == OP_COND_WAKE && t->timed && !t->looks_at_time && !is_woken(t);
}

/* Nobody can go on, and the program has not ended. */
static bool is_stuck(void) {
    for (tset rest = live; rest != 0; rest &= rest - 1) {
        const struct thread *t = &threads[__builtin_ctzll(rest)];
        bool waits = t->pending.kind != OP_EXIT && t->pending.kind != OP_NEVER;
        if (!waits || (is_enabled(t) && !waits_unasked(t))) return false;
    }
    return live != 0;
}

static _Noreturn void end_of_plan(void) {
    G->driven = both_stand();
    if (G->driven) {
        report_next(&threads[hold_a.tid]);
        report_next(&threads[hold_b.tid]);
    }
    report_flush_step();
    if (!holding && is_stuck()) {
        for (tset rest = live; rest != 0; rest &= rest - 1) report_blocked(&threads[__builtin_ctzll(rest)]);
        report_deadlock(live);
    }
    end_execution(CUT_REPLAYED);
}

/* Steps of a replay that are told: the last ones, if it is long. */
static uint64_t steps_done(void) { return options.max_steps - pulse.steps_left; }

static uint64_t planned;

static void count_planned(void) {
    uint32_t until[RP_MAX_THREADS] = {0};
    planned = 0;
    for (uint32_t i = 0; i < plan_count; i++)
        if (plan[i].tid < RP_MAX_THREADS) until[plan[i].tid] = plan[i].steps;
    for (uint32_t t = 0; t < RP_MAX_THREADS; t++) planned += until[t];
}

static bool is_quiet(void) { return options.last != 0 && steps_done() + options.last < planned; }

/* How many steps the thread that runs may do without coming here again, behind the one that it has come for. */
static int64_t allowed(void) {
    if (plan_at >= plan_count || plan[plan_at].tid != self->tid) return 0;
    if (options.mode == MODE_REPLAY && !is_quiet()) return 0;
    uint64_t until = plan[plan_at].steps;
    const struct segment *holds[] = {&hold_a, &hold_b};
    for (int i = 0; i < 2 && holding; i++)
        if (holds[i]->tid == self->tid && holds[i]->steps < until) until = holds[i]->steps;
    uint64_t after = (uint64_t)self->steps + 1, most = until > after ? until - after : 0;
    uint64_t silent_steps = options.mode == MODE_REPLAY ? planned - options.last - steps_done() : UINT64_MAX;
    return (int64_t)(most < silent_steps ? most : silent_steps);
}

/* Wait for our turn; a thread comes here with its operation pending. */
void follow(const struct op *op, const char *what) {
    if (samples) sample_arm(0);
    report_flush_step();
    self->pending = *op;
    self->what = what;
    if (holding && both_stand()) end_of_plan();
    for (int next; (next = next_thread()) != self->tid;) {
        if (next < 0) end_of_plan();
        resume(&threads[next]);
    }
    if ((op->kind != OP_CANCEL || G->has_cancel) && !is_quiet()) report_step(self, op, what);
    if (op->kind == OP_TRY) self->pending.size = try_succeeds(self);
    if (samples) sample_arm(allowed());
}

/* Waits, silently; and the end of a thread. */
void follow_blocked(void) {
    if (samples) sample_arm(0);
    report_flush_step();
    for (;;) {
        bool is_over = self->state == T_FINISHED;
        if (!is_over && !is_held(self) && is_enabled(self)) return;
        int next = next_thread();
        if (next < 0) end_of_plan();
        resume(&threads[next]);
    }
}

/* Segments up to the hit: what the execution did afterwards may have prolonged the last one. */
static uint32_t plan_until(const struct hit *hit, uint32_t last_steps) {
    uint32_t n = hit->segments;
    if (n == 0 || segments[n - 1].tid != hit->tid_b) n++;
    segments[n - 1] = (struct segment){hit->tid_b, last_steps};
    return n;
}

void drive(struct hit *hit) {
    static struct segment *copy;
    if (copy == NULL) copy = reserve(sizeof *copy * MAX_SEGMENTS);
    if (hit->together) {
        hit->segments = plan_until(hit, hit->steps_b);
        return;
    }
    plan_count = plan_until(hit, hit->steps_b + 1);
    memcpy(copy, segments, sizeof *copy * plan_count);
    plan = copy;
    plan_at = 0;
    hold_a = (struct segment){hit->tid_a, hit->steps_a};
    hold_b = (struct segment){hit->tid_b, hit->steps_b};
    access_a = hit->a;
    access_b = hit->b;
    driving = holding = true;
    count_planned();
    run_execution();
    driving = holding = false;
    hit->together = G->driven;
    hit->segments = G->segment_count;
    if (hit->together) return;
    hit->segments = plan_count;
    memcpy(segments, copy, sizeof *copy * plan_count);
}

void run_replay(void) {
    plan = options.schedule;
    plan_count = options.schedule_count;
    plan_at = 0;
    hold_a = options.drive_a;
    hold_b = options.drive_b;
    holding = options.drive;
    count_planned();
    run_execution();
}

bool follow_to(struct segment *given, uint32_t count, struct hit *hit) {
    plan = given;
    plan_count = count;
    plan_at = 0;
    hold_a = (struct segment){hit->tid_a, hit->steps_a};
    hold_b = (struct segment){hit->tid_b, hit->steps_b};
    access_a = hit->a;
    access_b = hit->b;
    driving = holding = true;
    count_planned();
    run_execution();
    driving = holding = false;
    hit->together = G->driven;
    hit->segments = G->segment_count;
    return hit->together;
}
