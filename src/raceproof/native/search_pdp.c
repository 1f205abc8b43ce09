/* search_pdp.c: DPOR with property-driven pruning, for raceproof.explore.
 *
 * Follows [PDP, Fig. 7], with SubspaceRaceFree of [PDP, Fig. 4 and 5] (futures.c).
 * Paper -> here: SubspaceRaceFree(s_d) -> d >= k, the first state from which no race is possible: the check is monotone
 * along an execution, because what a thread may still do only shrinks; PdpUpdateBacktrackSets l.25-34 -> dpor_update, for
 * the whole execution at its end (l.4-8); its E (l.29) -> could_lead in search_dpor.c.
 * As printed (`--as-printed`): the latest dependent event before k is gone back to, and nothing else. This misses races,
 * and so proves nothing: what the execution does not show behind k may depend on an event before it, or come before it by
 * an order that was made behind k (docs/soundness.md; tests/unit/explore/test_as_printed.py).
 * Repaired: each operation that may come behind k, seen or not, and each event e before k that it depends on and that is
 * not ordered before it at k: the thread of the operation is tried at e as l.29 does it for what was seen; where it is not
 * enabled, whom it waits for, or who creates it; nothing, if it needs the thread of e to go on first; anybody, if it is
 * not known whom it needs. So the threads tried at a state are a persistent set for all executions, through a cut or not.
 * A pair that has raced is not looked for any more.
 */

#include "search_pdp.h"

#include "search_dpor.h"

static bool try_before(uint32_t e, uint8_t leader) {
    dpor_before(e, leader);
    return true;
}

/* Points to go back to that lie behind state k: pairs of events, both of them there, that could come the other way round. */
static uint32_t points_behind(uint32_t k) {
    uint32_t count = 0;
    for (uint32_t f = k; f < G->event_count; f++)
        for (uint32_t i = 0; i < events[f].race_count; i++) count += races[events[f].first_race + i] >= k;
    return count;
}

void pdp_leave_out_found(void) {
    for (uint32_t i = 0; i < G->hit_count; i++) futures_leave_out(G->hits[i].a, G->hits[i].b);
}

void pdp_update(void) {
    uint32_t n = G->event_count;
    pdp_leave_out_found();
    uint32_t k = options.pruning == PRUNING_NONE ? n + 1 : first_race_free(0);
    uint32_t skipped = k <= n ? points_behind(k) : 0;
    if (skipped == 0) {
        dpor_update(n, n);
    } else if (options.pruning == PRUNING_PRINTED) {
        dpor_update(k, n);
    } else {
        G->backtracks_skipped += skipped;
        dpor_update(k, k);
        future_conflicts(k, try_before);
    }
}

static bool finish(void) {
    pdp_update();
    return dpor_backtrack(false);
}

const struct algorithm algorithm_pdp = {.name = "pdp", .accesses = true, .orders = true, .choose = dpor_choose,
                                        .finish = finish, .left = dpor_left};
