/* search_dhtc.c: DPOR with sleep sets, thread states and conservative locksets, for raceproof.explore.
 *
 * Follows [DHTC, Fig. 6 to 9].
 * Paper -> here: s.sleep -> node.asleep; UpdateBackTraceSet -> dpor_update; LocksetDetectDatarace -> pruning_limit, in
 * which a thread that has ended takes no part and pairs that the thread-state analysis of the static facts has
 * excluded (owned, read-shared, ordered by the end of threads) are not looked for.
 * Differs: Fig. 5 l.9 unites the lock with the lockset, l.7 pushes; Fig. 8 l.8 keeps the locksets of different paths
 * apart and asks whether *some* two of them are disjoint; what was not executed counts as in search_pdp.c.
 */

#include "search_dpor.h"
#include "search_pdp.h"
#include "sleep.h"

static void begin(void) { nodes[0].asleep = 0; }

static int choose(struct node *node, uint32_t depth) {
    if (depth > 0) sleep_pass(depth - 1, &events[depth - 1].op); /* l.13 */
    int chosen = default_choice(node->enabled & ~node->asleep); /* l.14 */
    if (chosen >= 0) node->backtrack = BIT(chosen);
    return chosen;
}

static bool finish(void) {
    dpor_update(pruning_limit());
    return dpor_backtrack(true);
}

const struct algorithm algorithm_dhtc = {.name = "dhtc", .accesses = true, .orders = true, .sleeps = true, .begin = begin,
                                         .choose = choose, .finish = finish, .left = dpor_left};
