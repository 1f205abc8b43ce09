/* search_sample.c: executions by schedules that are drawn, each from a seed of its own, for raceproof.explore.
 *
 * Every operation of synchronisation is a point at which threads may change, and every so many accesses one of them is: how
 * many is drawn anew for each execution, between 8 and a quarter of a million. Who goes on is decided by
 *
 *   walk   anybody who can, all alike
 *   stay   mostly who runs already; but where memory is touched that another thread has used, anybody: that is where a
 *          switch can make a difference
 *   pct    who has the highest priority; every so often the one that runs gets the lowest [BKMN10]
 *   pos    the operation with the highest priority; when it is done, those that depend on it get new ones [YYG18]
 *   mixed  walk every other time, else pct or pos, by the seed
 *
 * What an execution does depends on its seed alone, not on those before it: the same seed is the same execution.
 */

#include <stdlib.h>

#include "isolation.h"
#include "items.h"
#include "sampled.h"
#include "sched.h"

static enum sampling strategy;
static uint64_t state;
static uint32_t mean;             /* of accesses between two points */
static uint32_t priority[RP_MAX_THREADS], lowest;
static uint32_t stands[RP_MAX_THREADS]; /* pos: steps of the thread when it was given its priority; NONE: it has none */
static uint32_t next_change;      /* pct: points until the next one */
static bool is_forced;            /* this point is an access */
static uint64_t trace;

/* splitmix64 */
uint64_t sample_random(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t below(uint32_t n) { return (uint32_t)(((sample_random() >> 32) * n) >> 32); }

int64_t sample_interval(void) { return 1 + (int64_t)below(2 * mean); }

void sample_run_begins(void) {
    state = (options.seed + G->executions) * 0xd1342543de82ef95u;
    static const enum sampling mixed[] = {SAMPLE_WALK, SAMPLE_POS, SAMPLE_WALK, SAMPLE_PCT};
    uint32_t drawn = below(4);
    strategy = options.sampling == SAMPLE_MIXED ? mixed[drawn] : options.sampling;
    mean = 8u << below(16);
    next_change = 1 + below(strategy == SAMPLE_PCT ? 2u << below(8) : 1);
    lowest = 1u << 20;
    for (uint32_t t = 0; t < RP_MAX_THREADS; t++) {
        priority[t] = lowest + below(1u << 20);
        stands[t] = NONE;
    }
    is_forced = false;
    log_reset();
    trace = 1469598103934665603u;
    sample_arm(sample_interval());
}

/* What comes next is done with by somebody else, perhaps: the one that has just been reached is not the last word. */
void sample_met(void) {
    if (options.mode == MODE_SEARCH && !driving && strategy != SAMPLE_WALK && (sample_random() & 15) == 0) sample_arm(0);
}

/* It has nothing to do at present. */
void sample_yield(void) {
    if (options.mode != MODE_SEARCH || driving) return;
    priority[self->tid] = --lowest;
    sample_arm(0);
}

/* Without those that would only give up waiting, mostly. */
static tset willing(tset enabled) {
    tset impatient = 0;
    for (tset rest = enabled; rest != 0; rest &= rest - 1) {
        const struct thread *t = &threads[__builtin_ctzll(rest)];
        if (t->pending.kind == OP_COND_WAKE && !is_woken(t)) impatient |= BIT(t->tid);
    }
    return impatient != 0 && impatient != enabled && below(16) != 0 ? enabled & ~impatient : enabled;
}

static int any_of(tset threads_of) {
    uint32_t n = below((uint32_t)__builtin_popcountll(threads_of));
    while (n-- > 0) threads_of &= threads_of - 1;
    return __builtin_ctzll(threads_of);
}

static int highest(tset enabled) {
    int best = __builtin_ctzll(enabled);
    for (tset rest = enabled; rest != 0; rest &= rest - 1) {
        int t = __builtin_ctzll(rest);
        if (priority[t] > priority[best]) best = t;
    }
    return best;
}

static int by_priority(tset enabled) {
    if (is_forced || --next_change == 0) {
        priority[self->tid] = --lowest;
        if (next_change == 0) next_change = 1 + below(2u << below(8));
    }
    return highest(enabled);
}

static int by_operation(tset enabled) {
    for (tset rest = enabled; rest != 0; rest &= rest - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(rest);
        if (stands[t] == threads[t].steps) continue;
        stands[t] = threads[t].steps;
        priority[t] = below(1u << 30);
    }
    int t = highest(enabled);
    for (tset rest = enabled & ~BIT(t); rest != 0; rest &= rest - 1) {
        uint32_t u = (uint32_t)__builtin_ctzll(rest);
        if (op_dependent(&threads[u].pending, &threads[t].pending)) stands[u] = NONE;
    }
    return t;
}

static int choose(struct node *node, uint32_t depth) {
    (void)depth;
    tset enabled = willing(node->enabled);
    is_forced = (enabled & BIT(self->tid)) && self->pending.kind == OP_MEMORY;
    if ((enabled & (enabled - 1)) == 0) return __builtin_ctzll(enabled);
    switch (strategy) {
    case SAMPLE_PCT: return by_priority(enabled);
    case SAMPLE_POS: return by_operation(enabled);
    case SAMPLE_STAY:
        if ((enabled & BIT(self->tid)) && !is_forced && below(8) != 0) return self->tid;
        return any_of(enabled);
    default: return any_of(enabled);
    }
}

static enum logged_kind kind_of(const struct op *op) {
    switch (op->kind) {
    case OP_LOCK:
    case OP_RDLOCK:
    case OP_ATOMIC_SECTION: return LOG_ACQUIRE;
    case OP_COND_WAIT: /* it is woken by what was done to the condition before it goes on */
    case OP_BARRIER: return LOG_BARRIER;
    default: return LOG_ORDERED;
    }
}

static void chosen(struct node *node, uint32_t depth) {
    (void)depth;
    const struct thread *t = &threads[node->chosen];
    const struct op *op = &t->pending;
    trace = (trace ^ ((uint64_t)t->tid << 56 | (uint64_t)op->kind << 48 | t->steps)) * 1099511628211u;
    trace = (trace ^ op->site) * 1099511628211u;
    G->trace = trace >> 12; /* as exact as a number of JSON is */
    if (!logging || op->kind == OP_MEMORY || op->kind == OP_UNLOCK) return;
    enum logged_kind kind = kind_of(op);
    if (op->kind == OP_TRY) kind = try_succeeds(t) && op->type != O_SEM ? LOG_ACQUIRE : LOG_ORDERED;
    log_event(kind, t, t->steps, op->object, op->site, 0);
}

static bool finish(void) { return true; }

const struct algorithm algorithm_sample = {.name = "sample", .hb = true, 
                                           .choose = choose, .chosen = chosen, .finish = finish, .between = predict};
