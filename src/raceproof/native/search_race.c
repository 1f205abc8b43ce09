/* search_race.c: the default search, for raceproof.explore: as few executions as races need.
 *
 * Races are found by happens-before in each execution, so accesses are no scheduling points: without a race, what a
 * thread reads is decided by the order of synchronisation alone. Three things follow one another:
 *
 *   look     one execution. If no race is possible from its first state on, that was all.
 *   hunt     for each open pair, an execution in which a thread that comes to one of the two accesses waits for
 *            another one to come to the other. Finds what is rare; proves nothing.
 *   sweep    all orders of synchronisation, by source sets [AAJS14, Alg. 1] that do not go back to states from which
 *            no race is possible [PDP]. Where something may come behind such a state, seen or not, that depends on an
 *            event before it, who could lead to it is tried before that event (docs/soundness.md).
 *
 * When all races are wanted, the accesses of a race become scheduling points, because what they read now depends on
 * the schedule, and the sweep begins anew.
 */

#include <string.h>

#include "futures.h"
#include "search_optimal.h"

#define MAX_HUNTS 64

static enum { LOOK, HUNT, SWEEP } phase;
static uint32_t hunted, hunts;
static struct found_race quarry;
static uint8_t seen_before[2]; /* whether the quarry's accesses were scheduling points already */

static void fresh(void) {
    phase = LOOK;
    hunted = hunts = 0;
}

static void fresh_sweep(void) {
    fresh();
    hunts = MAX_HUNTS;
}

/* ---- hunting */

static void set_quarry_visible(bool visible) {
    visible_access[quarry.a] = visible | seen_before[0];
    visible_access[quarry.b] = visible | seen_before[1];
}

static bool next_quarry(void) {
    for (; hunted < options.pair_count && hunts < MAX_HUNTS; hunted++) {
        const struct found_race *p = &options.pairs[hunted];
        if (options.pair_is_ordered[hunted] || !pair_is_new(p->a, p->b)) continue;
        quarry = *p;
        seen_before[0] = visible_access[p->a];
        seen_before[1] = visible_access[p->b];
        set_quarry_visible(true);
        hunted++;
        hunts++;
        return true;
    }
    return false;
}

static bool lies_in_wait(uint32_t tid) {
    const struct op *op = &threads[tid].pending;
    return is_access(op) && (op->id == quarry.a || op->id == quarry.b);
}

static int choose_in_hunt(const struct node *node) {
    tset waiting = 0;
    for (tset rest = node->enabled; rest != 0; rest &= rest - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(rest);
        if (lies_in_wait(t)) waiting |= BIT(t);
    }
    for (tset i = waiting; i != 0; i &= i - 1)
        for (tset j = i & (i - 1); j != 0; j &= j - 1) {
            uint32_t a = (uint32_t)__builtin_ctzll(i), b = (uint32_t)__builtin_ctzll(j);
            if (op_conflicting_accesses(&threads[a].pending, &threads[b].pending)) return (int)a;
        }
    tset others = node->enabled & ~waiting;
    return default_choice(others != 0 ? others : waiting);
}

/* ---- sweeping */

static int choose(struct node *node, uint32_t depth) {
    return phase == HUNT ? choose_in_hunt(node) : optimal_choose(node, depth);
}

static void chosen(struct node *node, uint32_t depth) {
    if (phase != HUNT) optimal_chosen(node, depth);
}

static bool try_before(uint32_t e, uint8_t tid) {
    (void)tid;
    optimal_before(e);
    return true;
}

static bool sweep(void) {
    uint32_t k = first_race_free(0), n = G->event_count;
    if (k == 0) return false;
    if (k > n) {
        optimal_races(n);
    } else {
        G->backtracks_skipped += n - k;
        optimal_races(k);
        optimal_cut(k);
        future_conflicts(k, true, try_before);
    }
    return optimal_backtrack();
}

static void enter_sweep(void) {
    phase = SWEEP;
    G->restart = 1; /* from the beginning: the hunts have left nothing to go on from */
}

static bool finish(void) {
    bool found = G->hit_count > 0;
    for (uint32_t i = 0; i < G->hit_count; i++) futures_leave_out(G->hits[i].a, G->hits[i].b);
    if (phase == HUNT) set_quarry_visible(false);
    if (found && options.all) {
        for (uint32_t i = 0; i < G->hit_count; i++)
            visible_access[G->hits[i].a] = visible_access[G->hits[i].b] = 1;
        if (phase == SWEEP) return enter_sweep(), true;
    }
    /* With a race, what was read before the first event may be different next time. */
    if (phase == LOOK && !found && first_race_free(0) == 0) return false;
    if (phase != SWEEP) {
        phase = HUNT;
        G->prefix = 0;
        if (!next_quarry()) enter_sweep();
        return true;
    }
    return sweep();
}

/* ---- parts of the sweep */

static bool divides(void) { return phase == SWEEP; }

static void resume_sweep(void) {
    phase = SWEEP;
    for (uint32_t i = 0; i < G->pairs_found; i++) futures_leave_out(G->found[i].a, G->found[i].b);
}

#define RACE(called, begins)                                                                                         \
    {.name = (called), .hb = true, .orders = true, .sleeps = true, .fresh = (begins),                                  \
     .begin = optimal_begin, .choose = choose, .chosen = chosen, .finish = finish, .left = optimal_left,               \
     .divides = divides, .resume = resume_sweep}

const struct algorithm algorithm_race = RACE("race", fresh);
const struct algorithm algorithm_sweep = RACE("sweep", fresh_sweep); /* without hunts, which hide what it misses: for tests */
