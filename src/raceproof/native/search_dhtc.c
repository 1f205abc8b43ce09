/* search_dhtc.c: DPOR with sleep sets, thread states and conservative locksets, for raceproof.explore.
 *
 * Follows [DHTC, Fig. 2 and 5 to 9].
 * Paper -> here: s.sleep -> node.asleep; UpdateBackTraceSet -> dpor_update; GetThreadState -> ownership.c;
 * LocksetDetectDatarace -> pdp_update, whose check of a state asks for thread states first and for locks then (futures.c);
 * DetectDatarace -> detect_together in sched.c.
 * As printed: sleep sets (Fig. 6 l.13, 14), backtrack sets at the end of an execution (l.17, 18), the order of the two
 * questions (Fig. 8 l.3-5).
 * Repaired:
 *   Fig. 2   see ownership.c.
 *   Fig. 5   l.7 pushes, l.9 unites the lock with the lockset.
 *   Fig. 6   l.10 adds to what l.13 has passed on, which the print replaces; l.5 and 26-27 would repeat l.17-18.
 *   Fig. 7   l.8 gives up at the latest dependent transition; here earlier ones are tried. l.9 means t_tau, not t_d.
 *   Fig. 8   l.8 keeps the locksets of different paths apart and asks whether *some* two of them are disjoint; l.9 stands
 *            behind the loop; "true" is race-free, which is when Fig. 7 l.8 may go on.
 *   Fig. 9   l.3 and 5 are exchanged.
 *   and what was not executed counts as in search_pdp.c.
 * Ours: "gets the potential data race state, and finally uses Happens-Before to detect data race" (section 4): where the
 * first execution, which is the first one of the search as well, leaves something to go back to, what the two analyses
 * have not excluded in it is hunted for (hunt.c) before everything is gone through. The search goes on after a race, as
 * Fig. 6 l.16 does (Table 3 counts races; [PDP, Fig. 7] l.11 ends): a pair that has raced keeps no subspace open, so that
 * a search whose hunts find all races ends with them.
 */

#include "hunt.h"
#include "search_dpor.h"
#include "search_pdp.h"
#include "sleep.h"

static enum { LOOK, HUNT, SEARCH } phase;

static void fresh(void) {
    phase = LOOK;
    hunt_fresh(options.pruning != PRUNING_NONE, true);
}

static void fresh_search(void) {
    phase = LOOK;
    hunt_fresh(false, false);
}

static void begin(void) { nodes[0].asleep = 0; }

static int choose(struct node *node, uint32_t depth) {
    if (phase == HUNT) return hunt_choose(node);
    if (depth > 0) sleep_pass(depth - 1, &events[depth - 1].op); /* l.13 */
    int chosen = default_choice(node->enabled & ~node->asleep); /* l.14 */
    if (chosen >= 0) node->backtrack = BIT(chosen);
    return chosen;
}

static bool finish(void) {
    if (phase == SEARCH || options.pruning == PRUNING_NONE) {
        pdp_update();
        return dpor_backtrack(true);
    }
    if (phase == LOOK) { /* it is the first execution of the search, too */
        pdp_update();
        if (!dpor_backtrack(true)) return false;
        futures_note_conflicts();
    } else {
        pdp_leave_out_found();
        hunt_over();
    }
    phase = hunt_next(futures_usable) ? HUNT : SEARCH;
    G->prefix = 0;
    G->restart = phase == SEARCH; /* from the beginning: the hunts have left nothing to go on from */
    return true;
}

static bool divides(void) { return phase == SEARCH; }

static void resume(void) {
    phase = SEARCH;
    for (uint32_t i = 0; i < G->pairs_found; i++) futures_leave_out(G->found[i].a, G->found[i].b);
}

#define DHTC(called, begins)                                                                                         \
    {.name = (called), .accesses = true, .orders = true, .sleeps = true, .owns = true, .fresh = (begins), .begin = begin,            \
     .choose = choose, .finish = finish, .left = dpor_left, .divides = divides, .resume = resume}

const struct algorithm algorithm_dhtc = DHTC("dhtc", fresh);
const struct algorithm algorithm_unhunted = DHTC("unhunted", fresh_search); /* hunts hide what it misses: for tests */
