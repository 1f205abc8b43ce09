/* search_race.c: the default search, for raceproof.explore: as few executions as races need.
 *
 * Races are found by happens-before in each execution, so accesses are no scheduling points: without a race, what a
 * thread reads is decided by the order of synchronisation alone. Three things follow one another:
 *
 *   look     one execution. If no race is possible from its first state on, that was all.
 *   hunt     for each open pair, an execution that looks for its race (hunt.c).
 *   sweep    all orders of synchronisation, by source sets [AAJS14, Alg. 1] that do not go back to states from which
 *            no race is possible [PDP]. Where something may come behind such a state, seen or not, that depends on an
 *            event before it, who could lead to it is tried before that event (docs/soundness.md).
 *
 * When all races are wanted, the accesses of a race become scheduling points, because what they read now depends on
 * the schedule, and the sweep begins anew.
 */

#include "futures.h"
#include "hunt.h"
#include "search_optimal.h"

static enum { LOOK, HUNT, SWEEP } phase;

static void fresh(void) {
    phase = LOOK;
    hunt_fresh(true, false);
}

static void fresh_sweep(void) {
    phase = LOOK;
    hunt_fresh(false, false);
}

/* ---- sweeping */

static int choose(struct node *node, uint32_t depth) {
    return phase == HUNT ? hunt_choose(node) : optimal_choose(node, depth);
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
    uint32_t n = G->event_count, k = options.pruning == PRUNING_NONE ? n + 1 : first_race_free(0);
    if (k == 0) return false;
    if (k > n) {
        optimal_races(n);
    } else {
        G->backtracks_skipped += n - k;
        optimal_races(k);
        optimal_cut(k);
        future_conflicts(k, try_before);
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
    if (phase == HUNT) hunt_over();
    if (found && options.all) {
        for (uint32_t i = 0; i < G->hit_count; i++)
            visible_access[G->hits[i].a] = visible_access[G->hits[i].b] = 1;
        if (phase == SWEEP) return enter_sweep(), true;
    }
    /* With a race, what was read before the first event may be different next time. */
    if (phase == LOOK && !found && options.pruning != PRUNING_NONE && first_race_free(0) == 0) return false;
    if (phase != SWEEP) {
        phase = HUNT;
        G->prefix = 0;
        if (!hunt_next(false)) enter_sweep();
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
