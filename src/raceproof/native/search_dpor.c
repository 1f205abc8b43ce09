/* search_dpor.c: dynamic partial-order reduction, for raceproof.explore.
 *
 * Follows [FG05, Fig. 3], [PDP, Fig. 2].
 * Paper -> here: S -> nodes; s.backtrack, s.done, s.enabled -> the same; next(s, p) -> `next`.
 * Differs: the latest dependent transition must not happen before the one to be reversed, as in [FG05] ([PDP] leaves that
 * out of its line 19, and so does pdp as printed, which asks for common locks instead); backtrack sets are updated at the end of an execution, for all its states at once (which gives the same
 * sets, and is what [PDP, Fig. 7] needs); and for threads that are not enabled as well, as in [FG05].
 */

#include "search_dpor.h"

#include "futures.h"
#include "items.h"

/* What thread t was about to do from some state on: it stood there since behind its event `since` (NONE: from the
 * start) and did it as event `at` (the number of events: not at all). */
struct next { uint8_t tid; uint32_t since, at; const struct op *op; const uint32_t *clock; };

static bool may_be_co_enabled(const struct op *a, const struct op *b) {
    bool a_takes = a->kind == OP_LOCK || a->kind == OP_RDLOCK || a->kind == OP_ATOMIC_SECTION;
    bool b_takes = b->kind == OP_LOCK || b->kind == OP_RDLOCK || b->kind == OP_ATOMIC_SECTION;
    return !((a_takes && b->kind == OP_UNLOCK) || (b_takes && a->kind == OP_UNLOCK));
}

static tset asleep_at(uint32_t d) { return options.algorithm->sleeps ? nodes[d].asleep : 0; }

/* Threads enabled before event d whose execution there could lead to `next` before it: l.22 of [PDP, Fig. 2]. One that
 * sleeps will not be executed there, so that nobody sees what conflicts with its next step: rather one that `next` has
 * waited for. */
static tset could_lead(uint32_t d, const struct next *next) {
    const struct node *node = &nodes[d];
    tset found = node->enabled & BIT(next->tid), left = node->enabled;
    if (found & ~asleep_at(d)) return found;
    for (uint32_t i = d + 1; i < next->at && left != 0; i++) { /* the first event behind d of each: is it before `next`? */
        uint8_t q = events[i].tid;
        if ((left & BIT(q)) && next->clock[q] >= events[i].number) found |= BIT(q);
        left &= ~BIT(q);
    }
    return found;
}

static void request(uint32_t d, tset found) {
    if (found != 0) {
        items_request(d, found, (uint8_t)__builtin_ctzll(found));
        return;
    }
    for (tset rest = nodes[d].enabled; rest != 0; rest &= rest - 1)
        items_request(d, rest & -rest, (uint8_t)__builtin_ctzll(rest));
}

static void add_backtrack(uint32_t d, const struct next *next) {
    if (nodes[d].section != NONE && nodes[d].section < d) d = nodes[d].section;
    tset found = could_lead(d, next), awake = found & ~asleep_at(d);
    if (awake != 0) found = awake;
    else if (found != 0) return; /* then what begins with it was explored */
    if (d < frozen) {
        request(d, found);
        return;
    }
    if (found & (nodes[d].backtrack | nodes[d].done)) return;
    nodes[d].backtrack |= found != 0 ? found & -found : nodes[d].enabled;
}

static void update_for(const struct next *next, uint32_t limit) {
    bool notes = options.algorithm == &algorithm_dpor || options.pruning == PRUNING_NONE;
    for (uint32_t d = next->at; d-- > 0;) {
        const struct event *e = &events[d];
        bool is_later = next->since == NONE || d > next->since;
        if (e->tid == next->tid || !op_dependent(&e->op, next->op) || !may_be_co_enabled(&e->op, next->op)) continue;
        if (notes && op_conflicting_accesses(&e->op, next->op)) futures_met(e->op.id, next->op->id);
        if (options.pruning == PRUNING_PRINTED) {
            if (futures_excluded(d, next->at, next->tid)) continue;
        } else if (!is_later && next->clock[e->tid] >= e->number) {
            continue; /* it could not have come first */
        }
        if (d >= limit) {
            G->backtracks_skipped++;
            continue;
        }
        add_backtrack(d, next);
        if (!is_later) return; /* the latest one of those that it stood behind from the beginning */
    }
}

/* Others could have woken up at a condition instead: what they would have done is no event of this execution. */
static void add_rivals(uint32_t d) {
    for (tset rest = events[d].rivals & nodes[d].enabled; rest != 0; rest &= rest - 1) {
        if (d < frozen) items_request(d, rest & -rest, (uint8_t)__builtin_ctzll(rest));
        else nodes[d].backtrack |= rest & -rest;
    }
}

/* A leader that sleeps is not run there, so that nobody sees what conflicts with its next step: then all others. */
void dpor_before(uint32_t d, uint8_t leader) {
    tset awake = nodes[d].enabled & ~asleep_at(d);
    tset wanted = leader != NO_THREAD && (awake & BIT(leader)) ? BIT(leader) : awake;
    if (d >= frozen) {
        nodes[d].backtrack |= wanted;
        return;
    }
    for (tset rest = wanted; rest != 0; rest &= rest - 1) items_request(d, rest & -rest, (uint8_t)__builtin_ctzll(rest));
}

void dpor_update(uint32_t limit, uint32_t end) {
    uint32_t n = G->event_count;
    uint32_t last[RP_MAX_THREADS];
    static const uint32_t nothing[RP_MAX_THREADS];
    for (uint32_t t = 0; t < G->paths; t++) last[t] = NONE;
    for (uint32_t i = 0; i < n && i < end && !must_stop(); i++) {
        uint8_t t = events[i].tid;
        struct next next = {t, last[t], i, &events[i].op, last[t] == NONE ? nothing : CLOCK(last[t])};
        update_for(&next, limit);
        if (i < limit) add_rivals(i);
        last[t] = i;
    }
    for (uint32_t t = 0; t < G->paths && end >= n; t++) {
        if (G->final_state[t] != T_READY) continue;
        struct next next = {(uint8_t)t, last[t], n, &G->final_pending[t], G->final_dep[t]};
        if (G->final_pending[t].kind != OP_START) update_for(&next, limit);
    }
}

int dpor_choose(struct node *node, uint32_t depth) {
    (void)depth;
    int chosen = default_choice(node->enabled);
    node->backtrack = BIT(chosen);
    return chosen;
}

bool dpor_backtrack(bool with_sleep) {
    for (uint32_t i = G->event_count; i-- > frozen;) {
        struct node *n = &nodes[i];
        n->done |= BIT(n->chosen);
        if (with_sleep) {
            n->asleep |= BIT(n->chosen);
            SLEEPERS(i)[n->chosen] = (struct sleeper){.op = events[i].op, .tid = n->chosen};
        }
        tset left = n->backtrack & n->enabled & ~n->done & ~(with_sleep ? n->asleep : 0);
        if (left == 0) continue;
        n->chosen = (uint8_t)__builtin_ctzll(left);
        G->prefix = i + 1;
        return true;
    }
    return false;
}

tset dpor_left(struct node *node) {
    return node->backtrack & node->enabled & ~node->done & ~node->asleep & ~BIT(node->chosen);
}

static bool finish(void) {
    dpor_update(G->event_count, G->event_count);
    return dpor_backtrack(false);
}

const struct algorithm algorithm_dpor = {.name = "dpor", .accesses = true, .orders = true, .choose = dpor_choose,
                                         .finish = finish, .left = dpor_left};
