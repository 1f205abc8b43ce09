/* hunt.c: executions that look for one race each, for raceproof.explore.
 *
 * A thread that comes to one of the two accesses of a pair waits there for another one to come to the other. Those that
 * cannot come to either any more only go on when no other can, if the search wants that: they could do what keeps the
 * others away. If that finds nothing, they go on in the usual order in a second one. That finds what is rare, and proves nothing.
 */

#include "hunt.h"

#include "futures.h"

#define MAX_HUNTS 64

static uint32_t hunted, hunts;
static struct found_race quarry;
static uint8_t seen_before[2]; /* whether the quarry's accesses were scheduling points already */
static bool guides;                   /* the search wants guided ones */
static bool is_guided, has_held_back; /* those that cannot come wait; it has made a difference */

void hunt_fresh(bool wanted, bool guided) {
    guides = guided;
    hunted = 0;
    is_guided = has_held_back = false;
    hunts = wanted ? 0 : MAX_HUNTS;
}

static void set_quarry_visible(bool visible) {
    visible_access[quarry.a] = visible | seen_before[0];
    visible_access[quarry.b] = visible | seen_before[1];
}

bool hunt_next(bool conflicts_only) {
    if (is_guided && has_held_back && pair_is_new(quarry.a, quarry.b) && hunts < MAX_HUNTS) {
        is_guided = false;
        set_quarry_visible(true);
        hunts++;
        return true;
    }
    is_guided = guides;
    has_held_back = false;
    for (; hunted < options.pair_count && hunts < MAX_HUNTS; hunted++) {
        const struct found_race *p = &options.pairs[hunted];
        if (options.pair_is_ordered[hunted] || !pair_is_new(p->a, p->b)) continue;
        if (conflicts_only && !options.pair_conflicts[hunted]) continue;
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

void hunt_over(void) { set_quarry_visible(false); }

static bool lies_in_wait(uint32_t tid) {
    const struct op *op = &threads[tid].pending;
    return is_access(op) && (op->id == quarry.a || op->id == quarry.b);
}

int hunt_choose(const struct node *node) {
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
    tset coming = is_guided && others != 0 ? futures_may_come(others, quarry.a, quarry.b) : others;
    has_held_back |= coming != others;
    if (coming != 0) others = coming;
    return default_choice(others != 0 ? others : waiting);
}
