/* persistent.c: which threads must be tried in a state, for the search over states (search_states.c), as
 * docs/algorithms/states.md says.
 *
 * A set of threads is enough if whatever the others do without it is independent of what its threads do next: a persistent
 * set [God96, ch. 4]. It is closed under two rules, at the level of threads: of a thread that can go on, all those belong
 * to the set that may ever do an operation that depends on its next one; of a thread that waits, somebody without whom it
 * waits for ever.
 *
 * What a thread may ever do is not known beforehand. As in [SC03] it is assumed and checked: the *future* of a place in the
 * code (of one thread, or of threads that nobody tells apart) is all that was seen to be done from there on, in any execution
 * of this search. The first operation that no future has is reached by a search that relies on them, too: up to there all is
 * as assumed. Then the search begins anew with what is known now.
 */

#include "states.h"

#include "fiber.h"
#include "heap.h"

#define MAX_THINGS 512
#define MAX_PLACES 512
#define THING_WORDS (MAX_THINGS / 64)
#define PLACE_WORDS (MAX_PLACES / 64)
#define NO_THING UINT16_MAX
#define ALL_THREADS UINT64_MAX
#define MAX_SEARCHES 40

/* What operations are done on: an object, or some bytes. */
static struct thing { uintptr_t from, to; bool is_memory; } things[MAX_THINGS];
static uint64_t meets[MAX_THINGS][THING_WORDS]; /* those that share bytes with it */
static uint32_t thing_count;

struct things { uint64_t read[THING_WORDS], written[THING_WORDS]; };

/* Where threads of one kind stand. Number 0 is no place. */
static struct place {
    uint64_t hash;
    struct things done, future; /* by the step that begins there; by all that come */
    uint64_t signals[THING_WORDS]; /* conditions that this step uses without standing before them */
    uint64_t next[PLACE_WORDS];
} places[MAX_PLACES];
static uint32_t place_count;

/* First it is learnt what each thread does; then, if there are such, what those do that nobody tells apart. */
static enum { BY_THREAD, BY_KIND, IN_USE } phase;
static bool is_off, has_reduced, is_stale, could_reduce, has_grown;
static struct start { uint16_t place; uint8_t gang; } starts[RP_MAX_THREADS];
static uint32_t searches;
static tset moved;   /* threads that went on in this step */
static tset apart;   /* threads that are told apart though they are alike */
static uint64_t reduced_count, begin_anew_at;

void persistent_stop(void) {
    if (!is_off && has_reduced) G->restart = 1;
    is_off = true;
}

/* ---- things */

static void part_of_heap(uintptr_t at, struct thing *thing) {
    thing->from = 0;
    thing->to = UINTPTR_MAX;
    for (uint32_t t = 0; t < G->paths; t++) {
        if (!heap_is_of((int)t, (void *)at)) continue;
        uintptr_t part[2];
        heap_part_of((int)t, part);
        thing->from = part[0]; /* blocks are given out again, in an order that others may decide: one thing */
        thing->to = part[0] + 1;
        return;
    }
}

static uint16_t thing_of(const struct op *op) {
    struct thing thing = {op->object, op->object + 1, is_access(op)};
    if (thing.is_memory) thing.to = op->object + (op->size != 0 ? op->size : 1);
    if (heap_contains((void *)op->object)) part_of_heap(op->object, &thing);
    for (uint32_t i = 0; i < thing_count; i++)
        if (things[i].from == thing.from && things[i].to == thing.to && things[i].is_memory == thing.is_memory) return (uint16_t)i;
    if (thing_count == MAX_THINGS) {
        persistent_stop();
        return NO_THING;
    }
    uint32_t n = thing_count++;
    things[n] = thing;
    memset(meets[n], 0, sizeof meets[n]);
    for (uint32_t i = 0; i <= n; i++) {
        if (things[i].is_memory != thing.is_memory || things[i].from >= thing.to || thing.from >= things[i].to) continue;
        meets[n][i / 64] |= (uint64_t)1 << i % 64;
        meets[i][n / 64] |= (uint64_t)1 << n % 64;
    }
    return (uint16_t)n;
}

static bool has_thing(const struct op *op) {
    switch (op->kind) {
    case OP_MEMORY:
    case OP_ATOMIC:
    case OP_LOCK:
    case OP_RDLOCK:
    case OP_UNLOCK:
    case OP_COND_WAIT:
    case OP_COND_WAKE:
    case OP_COND_SIGNAL:
    case OP_SEM_WAIT:
    case OP_SEM_POST:
    case OP_BARRIER:
    case OP_BARRIER_LEAVE: return true;
    default: return false;
    }
}

/* Two that only read commute: reads of memory, and what readers do to a read-write lock. */
static bool only_reads(const struct op *op) {
    return (is_access(op) || op->kind == OP_RDLOCK || op->kind == OP_UNLOCK) && !op->writes;
}

/* ---- places and futures */

static bool add(uint64_t *to, const uint64_t *more, uint32_t words) {
    uint64_t new = 0;
    for (uint32_t i = 0; i < words; i++) {
        new |= more[i] & ~to[i];
        to[i] |= more[i];
    }
    return new != 0;
}

static bool add_things(struct things *to, const struct things *more) {
    bool grows = add(to->read, more->read, THING_WORDS);
    return add(to->written, more->written, THING_WORDS) || grows;
}

static bool add_futures(struct place *p) {
    bool grows = add_things(&p->future, &p->done);
    for (uint32_t w = 0; w < PLACE_WORDS; w++)
        for (uint64_t rest = p->next[w]; rest != 0; rest &= rest - 1)
            grows |= add_things(&p->future, &places[64 * w + (uint32_t)__builtin_ctzll(rest)].future);
    return grows;
}

/* Futures that grow were relied on too early. */
static void work_out_futures(void) {
    bool grew = false;
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t i = 1; i < place_count; i++) grows |= add_futures(&places[i]);
        grew |= grows;
    }
    if (grew && has_reduced) is_stale = true;
    has_grown = false;
}

static uint8_t kind_of(const struct thread *t) {
    return !symmetry_is_on || phase == BY_THREAD || (apart & BIT(t->tid)) ? t->tid : t->gang;
}

tset persistent_apart(void) { return is_off ? 0 : apart; }

static uint64_t mixed(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* A new one has the future of that before it, until it is known better. */
static uint16_t place_at(uint64_t hash, uint16_t before) {
    for (uint32_t i = 1; i < place_count; i++)
        if (places[i].hash == hash) return (uint16_t)i;
    if (place_count == MAX_PLACES) {
        persistent_stop();
        return 0;
    }
    struct place *p = &places[place_count];
    memset(p, 0, sizeof *p);
    p->hash = hash;
    p->future = places[before].future;
    return (uint16_t)place_count++;
}

static uint16_t place_of(const struct thread *t, uint16_t before) {
    const struct op *op = &t->pending;
    uint64_t hash = mixed(kind_of(t), (uint64_t)op->kind << 32 | op->site);
    if (op->kind == OP_START) hash = mixed(hash, (uintptr_t)t->start);
    else hash = mixed(hash, (uint64_t)op->id << 1 | (t->wait_mutex != 0));
    if (op->kind != OP_START)
        for (const struct rp_frame *f = t->frame; f != NULL; f = f->below) hash = mixed(hash, f->site);
    return place_at(hash, before);
}

static void go(uint16_t from, uint16_t to) {
    uint64_t bit = (uint64_t)1 << to % 64;
    if (from == to || (places[from].next[to / 64] & bit)) return;
    places[from].next[to / 64] |= bit;
    has_grown = true;
}

static void note(uint16_t place, const struct op *op, bool is_passed) {
    uint16_t thing = has_thing(op) ? thing_of(op) : NO_THING;
    if (thing == NO_THING || place == 0) return;
    uint64_t bit = (uint64_t)1 << thing % 64;
    struct place *p = &places[place];
    uint64_t *word = only_reads(op) ? &p->done.read[thing / 64] : &p->done.written[thing / 64];
    if (is_passed && op->type == O_COND && !(p->signals[thing / 64] & bit)) {
        p->signals[thing / 64] |= bit;
        if (has_reduced) is_stale = true;
    }
    if (*word & bit) return;
    *word |= bit;
    has_grown = true;
}

/* ---- the search's steps */

void persistent_step(uint8_t tid) { moved = BIT(tid); }

void persistent_resumes(uint8_t tid) { moved |= BIT(tid); }

/* An operation that is no scheduling point. */
void persistent_passes(const struct op *op) {
    if (!is_off && !states_peeks) note(self->place, op, true);
}

void persistent_created(struct thread *t) {
    if (is_off) return;
    t->place = place_of(t, self != NULL ? self->place : 0);
    if (self != NULL && self->place != 0) go(self->place, t->place);
    starts[t->tid] = (struct start){t->place, t->gang};
    moved |= BIT(t->tid);
}

/* All stand before something again. */
void persistent_settle(void) {
    if (is_off) return;
    for (tset rest = moved; rest != 0; rest &= rest - 1) {
        struct thread *t = &threads[__builtin_ctzll(rest)];
        if (t->state != T_READY) continue;
        uint16_t before = t->place;
        t->place = place_of(t, before);
        if (before != 0) go(before, t->place);
        note(t->place, &t->pending, false);
    }
    moved = 0;
    if (has_grown) work_out_futures();
}

/* ---- sets */

static bool share(const uint64_t *a, const uint64_t *b) {
    uint64_t common = 0;
    for (uint32_t i = 0; i < THING_WORDS; i++) common |= a[i] & b[i];
    return common != 0;
}

/* Of `among`, those that may ever do something to it that depends on this operation. */
static tset users(uint16_t thing, bool writes, tset among) {
    tset found = 0;
    for (tset rest = among; rest != 0; rest &= rest - 1) {
        const struct things *future = &places[threads[__builtin_ctzll(rest)].place].future;
        if (share(meets[thing], future->written) || (writes && share(meets[thing], future->read))) found |= rest & -rest;
    }
    return found;
}

static tset dependent(const struct thread *t, tset others) {
    const struct op *op = &t->pending;
    uint16_t thing = has_thing(op) ? thing_of(op) : NO_THING;
    if (thing == NO_THING || t->place == 0) return ALL_THREADS;
    tset found = users(thing, !only_reads(op), others);
    const struct place *p = &places[t->place];
    for (uint32_t w = 0; w < THING_WORDS; w++)
        for (uint64_t rest = p->signals[w]; rest != 0; rest &= rest - 1)
            found |= users((uint16_t)(64 * w + (uint32_t)__builtin_ctzll(rest)), true, others & ~found);
    return found;
}

/* Threads of which one must go on before this one can; ALL_THREADS: not known. */
static tset awaited(const struct thread *t, tset others) {
    const struct op *op = &t->pending;
    switch (op->kind) {
    case OP_EXIT:
    case OP_NEVER: return 0;
    case OP_LOCK:
    case OP_RDLOCK: {
        const struct object *o = object_at((void *)op->object, (enum object_type)op->type);
        tset holders = o->readers & ~BIT(t->tid);
        if (o->owner != NO_THREAD) holders = BIT(o->owner);
        bool is_known = holders != 0 && (holders & ~others) == 0;
        return is_known ? holders : ALL_THREADS;
    }
    case OP_JOIN: {
        tset found = 0;
        for (tset rest = others; rest != 0; rest &= rest - 1) {
            const struct thread *u = &threads[__builtin_ctzll(rest)];
            if (u->tid == op->id || (symmetry_is_on && u->gang == threads[op->id].gang)) found |= BIT(u->tid);
        }
        return found != 0 ? found : ALL_THREADS;
    }
    case OP_COND_WAKE:
    case OP_SEM_WAIT:
    case OP_BARRIER_LEAVE: {
        uint16_t thing = thing_of(op);
        return thing == NO_THING ? ALL_THREADS : users(thing, true, others);
    }
    default: return ALL_THREADS;
    }
}

/* Closed under both rules; ALL_THREADS if some rule is not known to hold. */
static tset closed(uint8_t first, tset enabled, tset alive) {
    tset set = BIT(first), work = set;
    while (work != 0) {
        uint8_t tid = (uint8_t)__builtin_ctzll(work);
        work &= work - 1;
        const struct thread *t = &threads[tid];
        tset others = alive & ~BIT(tid);
        tset more = enabled & BIT(tid) ? dependent(t, others & ~set) : awaited(t, others);
        if (more == ALL_THREADS) return ALL_THREADS;
        work |= more & ~set;
        set |= more;
    }
    return set;
}

tset persistent_set(tset enabled) {
    if (is_off || (enabled & (enabled - 1)) == 0) return enabled;
    tset alive = 0, best = enabled;
    for (uint32_t t = 0; t < G->paths; t++)
        if (threads[t].state == T_READY) alive |= BIT(t);
    for (tset rest = enabled; rest != 0; rest &= rest - 1) {
        tset set = closed((uint8_t)__builtin_ctzll(rest), enabled, alive) & enabled;
        if (__builtin_popcountll(set) < __builtin_popcountll(best)) best = set;
    }
    if (best == enabled || is_off) return enabled;
    could_reduce = true;
    if (phase != IN_USE) return enabled;
    has_reduced = true;
    reduced_count++;
    return best;
}

/* ---- searches */

void persistent_begin(void) {
    is_off = options.persistent == 0;
    phase = BY_THREAD;
    memset(starts, 0, sizeof starts);
    thing_count = 0;
    place_count = 1;
    searches = 0;
    apart = 0;
    has_reduced = is_stale = could_reduce = has_grown = false;
    reduced_count = 0;
    begin_anew_at = options.persistent;
}

/* With what was learnt, and nothing that was only assumed. */
void persistent_begin_anew(void) {
    moved = 0;
    if (++searches > MAX_SEARCHES) is_off = true;
    has_reduced = is_stale = false;
    reduced_count = 0;
    for (uint32_t i = 1; i < place_count; i++) places[i].future = places[i].done;
    if (!is_off) work_out_futures();
}

bool persistent_is_on(void) { return !is_off && phase == IN_USE; }

uint64_t persistent_count(void) { return reduced_count; }

static bool depend(const struct things *a, const struct things *b) {
    for (uint32_t i = 0; i < thing_count; i++) {
        bool reads = a->read[i / 64] >> i % 64 & 1, writes = a->written[i / 64] >> i % 64 & 1;
        if ((reads || writes) && share(meets[i], b->written)) return true;
        if (writes && share(meets[i], b->read)) return true;
    }
    return false;
}

/* Threads that are alike, but of which two use other things, and have nothing to do with one another: it is better to tell
 * them apart. True if others are left that are alike. */
static bool choose_apart(void) {
    bool are_alike = false;
    for (uint32_t a = 1; a < G->paths; a++)
        for (uint32_t b = a + 1; b < G->paths; b++) {
            if (starts[a].place == 0 || starts[b].place == 0 || starts[a].gang != starts[b].gang) continue;
            const struct things *of_a = &places[starts[a].place].future, *of_b = &places[starts[b].place].future;
            if (memcmp(of_a, of_b, sizeof *of_a) != 0 && !depend(of_a, of_b)) apart |= BIT(a) | BIT(b);
            else are_alike = true;
        }
    return symmetry_is_on && are_alike;
}

static bool ends_learning(uint64_t states) {
    if (states < options.persistent) return false;
    if (!could_reduce) {
        is_off = true;
        apart = 0;
        return false;
    }
    if (phase == BY_THREAD && choose_apart()) {
        phase = BY_KIND;
        place_count = 1;
        could_reduce = false;
    } else {
        phase = IN_USE;
    }
    return true;
}

/* Must the search begin anew? Not at once if something was relied on too early: what it finds meanwhile is learnt, too. */
bool persistent_must_begin_anew(uint64_t states, bool is_over) {
    if (is_off) return false;
    if (phase != IN_USE) return !is_over && ends_learning(states);
    if (!is_stale || (!is_over && states < begin_anew_at)) return false;
    begin_anew_at = 2 * states + options.persistent;
    return true;
}
