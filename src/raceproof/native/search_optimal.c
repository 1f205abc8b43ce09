/* search_optimal.c: one execution for each class of equivalent ones, for raceproof.explore.
 *
 * Follows [AAJS14, Alg. 2] (optimal DPOR with wakeup trees).
 * Paper -> here: Explore(E, Sleep, WuT) -> the nodes of the current execution; wut(E') -> node.wut, without the branch
 * that is being explored; sleep(E') -> node.asleep; e ⋖ e' -> `races` of event e' (shadow.c keep_races); notdep(e, E)
 * -> not_after; insert[E'](v, wut) -> insert.
 * Differs:
 *   - Locks: what can be reversed is the order in which a lock is taken; the release is no event (shadow.c roles).
 *   - Threads that still wait at the end take part as if they had come to their turn.
 *   - What wakes a thread cannot be reversed with what the thread does next (`enabler`); a semaphore is only taken
 *     earlier if it had a unit to give.
 *   - What an operation does may depend on what it finds (a compare-exchange, an initialiser, a try): before the event
 *     that it is reversed with, it may find something else (would_write).
 *   - Who wakes up at a condition: a thread that did not, because of a signal that another one took or a broadcast,
 *     takes part as if it had (`rivals`).
 *   - A writer waits for all readers: it comes before those that cannot let go without the one it is reversed with.
 *   - A sequence of a wakeup tree that turns out not to be possible is left where it stops, and the execution goes on
 *     freely: source sets, for which its first step is enough. If not even that is possible, all others are tried.
 *   - A race with a step of an atomic section is reversed in front of the section.
 */

#include "search_optimal.h"

#include "items.h"
#include "sleep.h"

/* ---- wakeup trees: nodes from a pool */

static uint32_t new_wake(uint8_t tid, const struct op *op) {
    uint32_t w = G->wake_free;
    if (w != NONE)
        G->wake_free = wakes[w].sibling;
    else if (G->wake_used < MAX_WAKES)
        w = G->wake_used++;
    else
        return limit_reached(RP_LIMIT_UNTRIED), NONE;
    wakes[w] = (struct wake){.op = *op, .tid = tid, .child = NONE, .sibling = NONE};
    return w;
}

static void free_wakes(uint32_t w) {
    while (w != NONE) {
        uint32_t next = wakes[w].child;
        if (next == NONE) {
            next = wakes[w].sibling;
        } else { /* siblings go behind the children: trees can be deep */
            uint32_t last = next;
            while (wakes[last].sibling != NONE) last = wakes[last].sibling;
            wakes[last].sibling = wakes[w].sibling;
        }
        wakes[w].sibling = G->wake_free;
        G->wake_free = w;
        w = next;
    }
}

static uint32_t pop_wake(struct node *node) {
    uint32_t w = node->wut, child = wakes[w].child;
    node->wut = wakes[w].sibling;
    wakes[w].child = wakes[w].sibling = NONE;
    free_wakes(w);
    return child;
}

/* ---- extending an execution */

void optimal_begin(void) {
    nodes[0].wut = NONE;
    nodes[0].asleep = 0;
}

int optimal_choose(struct node *node, uint32_t depth) {
    if (depth > 0) sleep_pass(depth - 1, &events[depth - 1].op);
    if (node->wut != NONE) {
        if (node->enabled & BIT(wakes[node->wut].tid)) return wakes[node->wut].tid;
        free_wakes(node->wut);
        node->wut = NONE;
    }
    return default_choice(node->enabled & ~node->asleep);
}

void optimal_chosen(struct node *node, uint32_t depth) {
    if (depth + 1 < G->prefix) return;
    node[1].wut = node->wut != NONE && wakes[node->wut].tid == node->chosen ? pop_wake(node) : NONE;
}

/* ---- reversing races */

/* `reversed`: the event that comes last because it is to come before the one that it was behind. */
struct sequence { uint32_t count; uint32_t *events; uint32_t reversed; tset tids; };

static inline bool before(uint32_t e, uint32_t f) { return CLOCK(f)[events[e].tid] >= events[e].number; }

/* Within the sequence: the reversed event is not behind what only the event that it was behind has put before it, such
 * as what the thread that held a lock has seen. */
static bool before_in(const struct sequence *v, uint32_t e, uint32_t f) {
    if (f != v->reversed) return before(e, f);
    return BEFORE(f)[events[e].tid] >= events[e].number || op_dependent(&events[e].op, &events[f].op);
}

/* Is thread `tid`, whose next operation is `op`, a weak initial of v: could it as well go first? Where it occurs in
 * v, `*at` is the place. */
static inline bool is_weak_initial(const struct sequence *v, uint8_t tid, const struct op *op, uint32_t *at) {
    uint32_t i = 0;
    if (!(v->tids & BIT(tid))) {
        *at = v->count;
        for (uint32_t j = v->count; j-- > 0;) /* the reversed event is the last one: most depend on it */
            if (op_dependent(op, &events[v->events[j]].op)) return false;
        return true;
    }
    while (events[v->events[i]].tid != tid) i++;
    *at = i;
    for (uint32_t j = 0; j < i; j++)
        if (before_in(v, v->events[j], v->events[i])) return false;
    return true;
}

static void append_chain(uint32_t *link, const struct sequence *v) {
    while (*link != NONE) link = &wakes[*link].sibling;
    for (uint32_t i = 0; i < v->count; i++) {
        uint32_t w = new_wake(events[v->events[i]].tid, &events[v->events[i]].op);
        if (w == NONE) return;
        *link = w;
        link = &wakes[w].child;
    }
}

static inline void take_out(struct sequence *v, uint32_t at) {
    uint32_t *list = v->events, last = --v->count, next = at + 1;
    uint8_t tid = events[list[at]].tid;
    while (next <= last && events[list[next]].tid != tid) next++;
    if (next > last) v->tids &= ~BIT(tid);
    memmove(list + at, list + at + 1, (last - at) * sizeof *list);
}

static void insert(struct node *node, struct sequence *v) {
    uint32_t *list = &node->wut;
    while (true) {
        if (must_stop()) return; /* long sequences take long, and nothing is tried any more */
        uint32_t c = *list, at = 0;
        while (c != NONE && !is_weak_initial(v, wakes[c].tid, &wakes[c].op, &at)) c = wakes[c].sibling;
        if (c == NONE) break;
        if (at < v->count) take_out(v, at);
        if (wakes[c].child == NONE || v->count == 0) return; /* led there already */
        list = &wakes[c].child;
    }
    append_chain(list, v);
}

/* Would a semaphore still have a unit for e' if e did not come first? Of its operations only posts are independent of
 * one another: nothing else is in v. */
static bool has_unit(const struct sequence *v, uint32_t e) {
    uint32_t last = v->events[v->count - 1];
    const struct op *wait = &events[last].op;
    int64_t value = (int32_t)events[e].op.size;
    if (events[e].op.object != wait->object) return true;
    for (uint32_t i = 0; i + 1 < v->count; i++) {
        const struct op *op = &events[v->events[i]].op;
        value += op->kind == OP_SEM_POST && op->object == wait->object;
    }
    return value > 0;
}

static bool writes_in(const struct sequence *v) {
    for (uint32_t i = 0; i + 1 < v->count; i++)
        if (events[v->events[i]].op.writes) return true;
    return false;
}

/* Could the thread of f, which wakes up at a condition, have done so at node e? What others do before may let it time
 * out again. */
static bool may_wake(const struct sequence *v, uint32_t e, uint32_t f) {
    uint8_t tid = events[f].tid;
    for (uint32_t i = 0; i + 1 < v->count; i++)
        if (events[v->events[i]].tid == tid) return true; /* it does not stand there yet */
    return (nodes[e].enabled & BIT(tid)) || (events[f].op.global && v->count > 1);
}

static bool is_possible(const struct sequence *v, uint32_t e, uint32_t f) {
    if (events[f].enabler == e) /* unless it may have been woken by somebody else as well */
        return events[f].op.kind != OP_COND_WAKE && events[f].op.kind != OP_LOCK && writes_in(v);
    if (events[f].op.kind == OP_COND_WAKE) return may_wake(v, e, f);
    return events[f].op.kind != OP_SEM_WAIT || has_unit(v, e);
}

/* What thread `tid`, enabled at node e, stood before there: its next event, or what it still stands before. */
static const struct op *next_op(uint32_t e, uint8_t tid) {
    for (uint32_t i = e; i < G->event_count; i++)
        if (events[i].tid == tid) return &events[i].op;
    return &G->final_pending[tid];
}

/* ---- without wakeup sequences
 *
 * A search that is shared does not hand them on to other processes, one that leaves subspaces out does not know them,
 * and who wakes up at a condition is not a matter of their order alone. Then source sets [AAJS14, Alg. 1], for which
 * the first steps are enough. What makes the optimal search drop a sequence, a thread asleep that is no part of it, is
 * not sound for them: it counts on all orders behind that thread to be explored as they are. */

static bool has_first_steps_only(void) { return options.shares || !options.algorithm->sequences || G->has_waits; }

/* Threads that could begin v, of which only the events before `limit` and the last one count. */
static tset initials(const struct sequence *v, uint32_t limit) {
    tset seen = 0, found = 0;
    uint32_t last = v->events[v->count - 1], count = 0;
    while (count + 1 < v->count && v->events[count] < limit) count++;
    for (uint32_t i = 0; i <= count; i++) {
        uint32_t event = i < count ? v->events[i] : last;
        uint8_t tid = events[event].tid;
        if (seen & BIT(tid)) continue;
        seen |= BIT(tid);
        uint32_t j = 0;
        while (j < i && !before_in(v, v->events[j], event)) j++;
        if (j == i) found |= BIT(tid);
    }
    return found;
}

/* Threads that were tried at node e, or will be. */
static tset tried_at(uint32_t e) {
    const struct node *node = &nodes[e];
    tset tried = node->asleep | node->done | BIT(node->chosen);
    for (uint32_t w = e < frozen ? NONE : node->wut; w != NONE; w = wakes[w].sibling) tried |= BIT(wakes[w].tid);
    return tried;
}

/* One of `tids` will be tried at node e. */
static void try_one(uint32_t e, tset tids) {
    uint8_t tid = (uint8_t)__builtin_ctzll(tids);
    uint32_t *link = &nodes[e].wut;
    if (tids & tried_at(e)) return;
    if (e < frozen) {
        items_request(e, tids, tid);
        return;
    }
    while (*link != NONE) link = &wakes[*link].sibling;
    *link = new_wake(tid, next_op(e, tid));
}

static void try_others(uint32_t e) {
    for (tset rest = nodes[e].enabled & ~BIT(nodes[e].chosen); rest != 0; rest &= rest - 1) try_one(e, rest & -rest);
}

static void try_first_step(uint32_t e, uint32_t f, const struct sequence *v) {
    tset tids = initials(v, f) & nodes[e].enabled;
    if (tids == 0) tids = initials(v, NONE) & nodes[e].enabled; /* f needs more than what came before it */
    if (tids != 0) try_one(e, tids);
    else try_others(e);
}

/* The state that is cut at, and of each event before it: whether something before the cut does not need it; whether
 * it was asked for. */
static uint32_t cut_at;
static uint8_t *needlessness;
enum { NEEDLESS = 1, ASKED = 2 };

void optimal_cut(uint32_t k) {
    uint32_t low[RP_MAX_THREADS]; /* by thread: how much of it every later event of others has before it, at least */
    if (needlessness == NULL) needlessness = reserve(MAX_EVENTS);
    for (uint32_t t = 0; t < G->paths; t++) low[t] = NONE;
    for (uint32_t e = k; e-- > 0;) {
        uint8_t tid = events[e].tid;
        needlessness[e] = low[tid] < events[e].number ? NEEDLESS : 0;
        for (uint32_t t = 0; t < G->paths; t++)
            if (t != tid && CLOCK(e)[t] < low[t]) low[t] = CLOCK(e)[t];
    }
    cut_at = k;
}

/* Threads with an event between e and the cut that comes neither behind e nor behind another such event. One of
 * `enough`, if there is one. */
static tset first_without(uint32_t e, tset enough) {
    uint32_t first[RP_MAX_THREADS]; /* by thread: the number of its first event that is not behind e */
    tset seen = 0, found = 0;
    if (needlessness[e] == 0) return 0;
    for (uint32_t i = e + 1; i < cut_at && !(found & enough); i++) {
        uint8_t tid = events[i].tid;
        if ((seen & BIT(tid)) || before(e, i)) continue;
        bool is_first = true;
        for (tset rest = seen; rest != 0 && is_first; rest &= rest - 1) {
            uint32_t t = (uint32_t)__builtin_ctzll(rest);
            is_first = CLOCK(i)[t] < first[t];
        }
        seen |= BIT(tid);
        first[tid] = events[i].number;
        if (is_first) found |= BIT(tid);
    }
    return found;
}

/* Which events would lead to what comes before e is not known, but those before the cut that do not need e are among
 * them or independent of them: one of these goes first. If there are none it may be anybody. */
void optimal_before(uint32_t e) {
    if (nodes[e].section != NONE && nodes[e].section < e) e = nodes[e].section;
    if (needlessness[e] & ASKED) return;
    tset tids = first_without(e, tried_at(e)) & nodes[e].enabled;
    needlessness[e] |= ASKED;
    if (tids != 0) try_one(e, tids);
    else try_others(e);
}

static uint32_t *sequence_buffer(void) {
    static uint32_t *buffer;
    if (buffer == NULL) buffer = reserve(sizeof *buffer * MAX_EVENTS);
    return buffer;
}

/* v will be executed at node e, unless what was explored there has it already. */
static void try_sequence(uint32_t e, struct sequence *v) {
    if (has_first_steps_only()) {
        try_first_step(e, v->reversed, v);
        return;
    }
    struct node *node = &nodes[e];
    for (tset rest = node->asleep; rest != 0; rest &= rest - 1) {
        uint8_t tid = (uint8_t)__builtin_ctzll(rest);
        uint32_t at;
        if (is_weak_initial(v, tid, &SLEEPERS(e)[tid].op, &at)) return;
    }
    insert(node, v);
}

/* Whether it writes depends on what it finds. */
static bool may_write(const struct op *op) {
    return op->writes || op->exchange || op->kind == OP_ONCE || (op->kind == OP_TRY && op->type == O_RWLOCK && !op->shared);
}

/* Does f write if it comes before e? What it would find there is not what it has found behind e. To say so where it
 * does not costs executions; the other way round some would be lost. */
static bool would_write(uint32_t e, uint32_t f) {
    const struct op *op = &events[f].op, *earlier = &events[e].op;
    if (is_access(op) ? !is_access(earlier) : op->object != earlier->object) return op->writes;
    bool is_let_go = op->kind == OP_TRY && earlier->kind == OP_UNLOCK && earlier->writes && nodes[e].section == NONE;
    return is_let_go && op->type == O_RWLOCK ? false : may_write(op);
}

/* e and f are dependent and could come the other way round: make sure that they will. `limit`: events from here on
 * are not looked at, except f. */
static void reverse(uint32_t e, uint32_t f, uint32_t limit) {
    if (nodes[e].section != NONE && nodes[e].section < e) e = nodes[e].section;
    if (before(e, f) && events[e].tid == events[f].tid) return;
    struct sequence v = {0, sequence_buffer(), f, BIT(events[f].tid)};
    const uint32_t *clock = CLOCK(e) + events[e].tid; /* the column of e's thread: who has e before them */
    uint32_t number = events[e].number;
    for (uint32_t i = e + 1; i < limit; i++) {
        clock += RP_MAX_THREADS;
        if (*clock >= number || i == f) continue;
        v.events[v.count++] = i;
        v.tids |= BIT(events[i].tid);
    }
    v.events[v.count++] = f;
    if (is_possible(&v, e, f)) try_sequence(e, &v);
}

static bool waits_for_readers(const struct op *op) { return op->kind == OP_LOCK && op->type == O_RWLOCK; }

/* The event by which a thread has begun to read what f is to write, and reads still behind node e and v; or NONE. */
static uint32_t reader_left(const struct sequence *v, uint32_t e) {
    uint32_t depth[RP_MAX_THREADS] = {0}, began[RP_MAX_THREADS];
    uintptr_t object = events[v->reversed].op.object;
    for (uint32_t k = 0; k < e + v->count - 1; k++) {
        uint32_t i = k < e ? k : v->events[k - e];
        const struct op *op = &events[i].op;
        if (op->object != object || op->type != O_RWLOCK) continue;
        uint32_t *held = &depth[events[i].tid];
        bool takes = op->kind == OP_RDLOCK || (op->kind == OP_TRY && op->shared && op->size);
        if (takes && *held == 0) began[events[i].tid] = i;
        if (takes && (*held > 0 || !op->again)) ++*held; /* who writes gets nothing more */
        if (op->kind == OP_UNLOCK && !op->writes) --*held;
    }
    for (uint32_t t = 0; t < G->paths; t++)
        if (depth[t] != 0) return began[t];
    return NONE;
}

/* f waits to write, e reads: f comes before e, and before all others that could not let go without e. */
static void reverse_readers(uint32_t e, uint32_t f, uint32_t limit) {
    uint32_t late[RP_MAX_THREADS]; /* by thread: events from this number on come behind f */
    for (uint32_t t = 0; t < G->paths; t++) late[t] = NONE;
    for (uint32_t g = e; g != NONE;) {
        if (nodes[g].section != NONE && nodes[g].section < g) g = nodes[g].section;
        if (BEFORE(f)[events[g].tid] >= events[g].number || events[g].tid == events[f].tid) return;
        late[events[g].tid] = events[g].number;
        if (g < e) e = g;
        struct sequence v = {0, sequence_buffer(), f, BIT(events[f].tid)};
        for (uint32_t i = e + 1; i < limit; i++) {
            uint32_t t = 0;
            while (t < G->paths && CLOCK(i)[t] < late[t]) t++;
            if (t < G->paths || i == f) continue;
            v.events[v.count++] = i;
            v.tids |= BIT(events[i].tid);
        }
        v.events[v.count++] = f;
        g = reader_left(&v, e);
        if (g == NONE) try_sequence(e, &v);
    }
}

void optimal_reverse(uint32_t e, uint32_t f, uint32_t limit) {
    bool writes = events[f].op.writes;
    events[f].op.writes = would_write(e, f);
    if (waits_for_readers(&events[f].op) && events[e].op.shared)
        reverse_readers(e, f, limit);
    else
        reverse(e, f, limit);
    events[f].op.writes = writes;
}

/* A thread that waits at the end, as one more event: which one it was too late for. */
static void reverse_waiting(uint32_t limit) {
    uint32_t n = G->event_count;
    for (uint32_t t = 0; t < G->paths; t++) {
        const struct op *op = &G->final_pending[t];
        bool waits = op->kind == OP_LOCK || op->kind == OP_RDLOCK || op->kind == OP_ATOMIC_SECTION ||
                     op->kind == OP_SEM_WAIT;
        if (G->final_state[t] != T_READY || !waits) continue;
        events[n] = (struct event){.op = *op, .tid = (uint8_t)t, .number = G->final_dep[t][t] + 1, .enabler = NONE};
        clock_copy(CLOCK(n), G->final_dep[t], G->paths);
        clock_copy(BEFORE(n), G->final_dep[t], G->paths);
        CLOCK(n)[t] = events[n].number;
        uint32_t left[RP_MAX_THREADS] = {0}; /* how often readers have let it go since */
        for (uint32_t e = n; e-- > 0;) {
            const struct event *ev = &events[e];
            bool takes = ev->op.kind == op->kind || ev->op.kind == OP_LOCK || ev->op.kind == OP_RDLOCK ||
                         (ev->op.kind == OP_TRY && ev->op.size);
            if (ev->op.object == op->object && ev->op.kind == OP_UNLOCK && !ev->op.writes) left[ev->tid]++;
            if (!takes || !op_dependent(&ev->op, op)) continue;
            if (ev->op.shared && left[ev->tid] > 0) {
                left[ev->tid]--;
                continue;
            }
            if (ev->tid == t || ev->op.again) continue;
            if (G->final_dep[t][ev->tid] < ev->number && e < limit) optimal_reverse(e, n, limit);
            break;
        }
    }
}

/* Others could have woken up at a condition before event f, which has kept them from it: what they would have done is
 * no event of this execution. */
static void reverse_rivals(uint32_t f) {
    uint32_t n = G->event_count;
    for (tset rest = events[f].rivals; rest != 0; rest &= rest - 1) {
        uint8_t t = (uint8_t)__builtin_ctzll(rest);
        uint32_t last = f;
        while (events[last].tid != t) last--; /* it has begun to wait */
        struct op op = {.kind = OP_COND_WAKE, .writes = 1, .global = (events[f].timed_rivals & BIT(t)) != 0,
                        .type = O_COND, .id = RP_NO_ACCESS, .object = events[f].op.object};
        events[n] = (struct event){.op = op, .tid = t, .number = events[last].number + 1, .enabler = NONE};
        clock_copy(CLOCK(n), CLOCK(last), G->paths);
        clock_copy(BEFORE(n), CLOCK(last), G->paths);
        CLOCK(n)[t] = events[n].number;
        reverse(f, n, n);
    }
}

void optimal_races(uint32_t limit) {
    uint32_t n = G->event_count;
    /* For first steps, races within the prefix were seen to when its last event was new. For wakeup sequences what
     * comes later counts as well, and that is new. */
    uint32_t first = has_first_steps_only() && G->prefix > 0 ? G->prefix - 1 : 0;
    for (uint32_t f = first; f < n && f < limit && !must_stop(); f++)
        for (uint32_t i = 0; i < events[f].race_count && !must_stop(); i++)
            optimal_reverse(races[events[f].first_race + i], f, n);
    for (uint32_t f = 0; f < n && f < limit && !must_stop(); f++)
        if (events[f].rivals != 0) reverse_rivals(f); /* also in the prefix: what could come first may be new */
    if ((G->cut != CUT_BLOCKED || has_first_steps_only()) && limit >= n) reverse_waiting(n);
}

/* What was to be tried at node e cannot begin there, and other sequences may have been left out for it: instead,
 * everybody who can go. */
static void try_all(uint32_t e) {
    struct node *node = &nodes[e];
    uint32_t *link = &node->wut;
    tset left = node->enabled & ~node->asleep & ~node->done;
    for (; *link != NONE; link = &wakes[*link].sibling) left &= ~BIT(wakes[*link].tid);
    for (; left != 0; left &= left - 1) {
        uint8_t tid = (uint8_t)__builtin_ctzll(left);
        struct op op = *next_op(e, tid);
        op.global = 1; /* stands for nothing else */
        uint32_t w = new_wake(tid, &op);
        if (w == NONE) return;
        *link = w;
        link = &wakes[w].sibling;
    }
}

bool optimal_backtrack(void) {
    for (uint32_t i = G->event_count; i-- > frozen;) {
        struct node *n = &nodes[i];
        n->done |= BIT(n->chosen);
        sleep_add(i, n->chosen, &events[i].op);
        while (n->wut != NONE && !(n->enabled & BIT(wakes[n->wut].tid))) {
            free_wakes(pop_wake(n));
            try_all(i);
        }
        if (n->wut == NONE) continue;
        n->chosen = wakes[n->wut].tid;
        G->prefix = i + 1;
        return true;
    }
    return false;
}

tset optimal_left(struct node *node) {
    uint32_t next, kept = NONE;
    tset left = 0;
    for (uint32_t w = node->wut; w != NONE; w = next) {
        next = wakes[w].sibling;
        wakes[w].sibling = NONE;
        if (wakes[w].tid == node->chosen) {
            kept = w;
        } else {
            left |= BIT(wakes[w].tid);
            free_wakes(w);
        }
    }
    node->wut = kept;
    return left & node->enabled & ~node->asleep;
}

static bool finish(void) {
    optimal_races(G->event_count);
    return optimal_backtrack();
}

const struct algorithm algorithm_optimal = {.name = "optimal", .accesses = true, .hb = true, .orders = true,
                                            .sleeps = true, .sequences = true, .left = optimal_left,
                                            .begin = optimal_begin, .choose = optimal_choose,
                                            .chosen = optimal_chosen, .finish = finish};
