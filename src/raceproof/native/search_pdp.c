/* search_pdp.c: DPOR with property-driven pruning, for raceproof.explore.
 *
 * Follows [PDP, Fig. 7].
 * Paper -> here: SubspaceRaceFree(s_d) -> d >= `limit`, the first state from which no race is possible: the check is
 * monotone along an execution, because what a thread may still do only shrinks.
 * Differs: the paper prunes on what the execution shows; here, a state is only pruned if nothing that was not executed
 * behind it could depend on what came before (`future_conflicts`), which the paper overlooks.
 */

#include "search_pdp.h"

#include "search_dpor.h"

static bool refuse(uint32_t e, uint8_t tid) { return (void)e, (void)tid, false; }

uint32_t pruning_limit(void) {
    uint32_t n = G->event_count;
    uint32_t k = first_race_free(0);
    while (k <= n && !future_conflicts(k, false, refuse)) k = first_race_free(k + 1 + (n - k) / 8);
    return k;
}

static bool finish(void) {
    dpor_update(pruning_limit());
    return dpor_backtrack(false);
}

const struct algorithm algorithm_pdp = {.name = "pdp", .accesses = true, .orders = true, .choose = dpor_choose,
                                        .finish = finish, .left = dpor_left};
