/* predict.c: races that another order of the same events would show, for raceproof.explore.
 *
 * Follows [MPV21]: a pair of conflicting accesses is a sync-preserving race if the events that must come before the two do
 * not include either of them. What must come before is a closure: who comes before an event in its thread; of a read the
 * write that it reads from; of a lock that is taken twice in it, the release between. Then the trace, with all other events
 * left out, is an execution at whose end both threads stand before their accesses, and it is executed.
 *
 *   Paper -> here   trace: the log of one execution; tr-prefix closed under thread order: how far each thread goes (`upto`);
 *                   SPClosure: `close`; its pairs of critical sections: `latest`.
 *   Differs         what is not a lock keeps the order that it has had, object by object. Accesses that their thread repeats
 *                   before it synchronises again are not in the log: that the execution goes as it should is not certain
 *                   before it has been tried. Candidates are compared with the last accesses to the same word.
 *
 * A log that is full begins anew: what it has forgotten comes first in every order, as it was.
 */

#include <stdlib.h>

#include "report.h"
#include "sampled.h"
#include "sched.h"

#define MAX_LOG (1u << 16)
#define MAX_LOCKS 8   /* held by one thread */
#define NEAR 8         /* earlier accesses to a word that a later one is compared with */
#define BUCKETS (1u << 18)
#define MAX_TRIED (1u << 12)
#define TRIES 2        /* of one pair of accesses */
#define MOST_STEPS 20000000 /* of an execution that is repeated for the sake of a prediction */
#define QUIET_RUNS 20  /* without anything new: then only some are looked at */

struct logged {
    uintptr_t object;
    uint32_t at;       /* when: events that were in the log by then */
    uint32_t steps, id;
    uint32_t before;   /* the thread's event before it, or NONE */
    uint32_t needs;    /* another event that must come before it, or NONE */
    uint8_t tid, kind, mask, late; /* late: told when more had happened */
};

struct log {
    uint32_t clock, began; /* events so far; when this log began */
    bool is_unsorted;
    uint32_t count, base, lost; /* base: segments of the schedule before the log begins */
    struct segment first;       /* how far the thread had come that ran then */
    bool has_first;
    uint32_t created[RP_MAX_THREADS];  /* by which event of the creator's */
    uint32_t joined_at[RP_MAX_THREADS];
    struct logged events[MAX_LOG];
};

bool logging;
static struct log *log_;

void log_init(void) { log_ = reserve(sizeof *log_); }

void log_reset(void) {
    logging = true;
    log_->count = log_->base = log_->lost = log_->clock = log_->began = 0;
    log_->is_unsorted = false;
    log_->has_first = false;
    for (uint32_t t = 0; t < RP_MAX_THREADS; t++) log_->created[t] = NONE;
}

void log_event(enum logged_kind kind, const struct thread *t, uint32_t steps, uintptr_t object, uint32_t id, uint8_t mask) {
    if (log_->count == MAX_LOG) {
        record_switch();
        log_->count = 0;
        log_->began = log_->clock;
        log_->is_unsorted = false;
        log_->lost++;
        log_->base = G->segment_count;
        log_->first = (struct segment){self->tid, self->steps};
        log_->has_first = true;
        for (uint32_t u = 0; u < RP_MAX_THREADS; u++) log_->created[u] = NONE;
    }
    struct logged *e = &log_->events[log_->count];
    *e = (struct logged){.object = object, .at = log_->clock++, .steps = steps, .id = id, .before = NONE, .needs = NONE, .tid = t->tid,
                         .kind = (uint8_t)kind, .mask = mask};
    log_->count++;
}

uint32_t log_now(void) { return logging ? log_->clock : 0; }

void log_access(enum logged_kind kind, uint8_t tid, uint32_t steps, uintptr_t word, uint32_t id, uint8_t mask, uint32_t now) {
    if (log_->count == MAX_LOG || now < log_->began) return; /* it is forgotten, or will be */
    log_event(kind, &threads[tid], steps, word, id, mask);
    log_->events[log_->count - 1].at = now;
    log_->events[log_->count - 1].late = 1;
    log_->is_unsorted = true;
}

static int by_time(const void *a, const void *b) {
    const struct logged *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->late != y->late) return x->late ? -1 : 1;
    if (x->tid != y->tid) return x->tid < y->tid ? -1 : 1;
    return x->steps < y->steps ? -1 : x->steps > y->steps;
}

/* An access that was told late goes before what came behind it. */
static void sort_log(void) {
    if (!log_->is_unsorted) return;
    qsort(log_->events, log_->count, sizeof *log_->events, by_time);
    log_->is_unsorted = false;
    for (uint32_t i = 0; i < log_->count; i++)
        if (log_->events[i].kind == LOG_CREATE) log_->created[log_->events[i].id] = i;
}

uint32_t forked[RP_MAX_THREADS][RP_MAX_THREADS];

void log_join(const struct thread *t) {
    uint32_t *mine = forked[self->tid];
    for (uint32_t u = 0; u < G->paths; u++)
        if (forked[t->tid][u] > mine[u]) mine[u] = forked[t->tid][u];
    mine[t->tid] = t->hb[t->tid];
    if (logging) log_event(LOG_JOIN, self, self->steps - 1, 0, t->tid, 0);
}

void log_creation(const struct thread *t) {
    memcpy(forked[t->tid], forked[self->tid], G->paths * sizeof *forked[0]);
    forked[t->tid][self->tid] = self->hb[self->tid] - 1;
    if (!logging) return;
    log_event(LOG_CREATE, self, self->steps - 1, 0, t->tid, 0);
    log_->created[t->tid] = log_->count - 1;
}

/* ---- what must come before what */

struct entry { uintptr_t key; uint32_t stamp, last, before; }; /* last: event on it; before: of a lock, the one that took it */
struct near { uintptr_t key; uint32_t stamp, count, last_write, of[NEAR]; };
static struct entry *objects_seen;
static struct near *words;
static uint32_t *release_of; /* by event that takes a lock: the one that gives it back */
static uint32_t stamp;

struct holding_of { uint32_t count; struct { uintptr_t lock; uint32_t taken; } of[MAX_LOCKS]; };
static struct holding_of held[RP_MAX_THREADS];

struct tried { uint32_t a, b; uint8_t times, told; };
static struct tried tried[MAX_TRIED];
static uint32_t tried_count;
static uint32_t quiet_runs;

static uint32_t hash_of(uintptr_t key) { return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 40) & (BUCKETS - 1); }

static struct entry *entry_at(uintptr_t key) {
    for (uint32_t i = hash_of(key);; i = (i + 1) & (BUCKETS - 1)) {
        struct entry *e = &objects_seen[i];
        if (e->stamp != stamp) *e = (struct entry){.key = key, .stamp = stamp, .last = NONE, .before = NONE};
        if (e->key == key) return e;
    }
}

static struct near *word_at(uintptr_t key) {
    for (uint32_t i = hash_of(key), n = 0; n < BUCKETS / 2; i = (i + 1) & (BUCKETS - 1), n++) {
        struct near *w = &words[i];
        if (w->stamp != stamp) {
            w->key = key;
            w->stamp = stamp;
            w->count = 0;
            w->last_write = NONE;
        }
        if (w->key == key) return w;
    }
    return NULL;
}

static void take_lock(uint32_t i, const struct logged *e) {
    struct holding_of *h = &held[e->tid];
    if (h->count < MAX_LOCKS) {
        h->of[h->count].lock = e->object;
        h->of[h->count++].taken = i;
    }
}

static void give_back(uint32_t i, const struct logged *e) {
    struct holding_of *h = &held[e->tid];
    for (uint32_t k = h->count; k-- > 0;)
        if (h->of[k].lock == e->object) {
            release_of[h->of[k].taken] = i;
            h->of[k] = h->of[--h->count];
            return;
        }
}

/* Each event with the ones before it; NONE is filled in for those that the log does not have. */
static void connect(void) {
    uint32_t last[RP_MAX_THREADS];
    uint32_t at_barrier[RP_MAX_THREADS];
    for (uint32_t t = 0; t < RP_MAX_THREADS; t++) last[t] = at_barrier[t] = NONE;
    for (uint32_t i = 0; i < log_->count; i++) {
        struct logged *e = &log_->events[i];
        e->before = last[e->tid];
        e->needs = e->before == NONE ? log_->created[e->tid] : NONE;
        if (at_barrier[e->tid] != NONE && e->kind != LOG_RELEASE) { /* it has left: all of its round had come */
            e->needs = entry_at(log_->events[at_barrier[e->tid]].object)->last;
            at_barrier[e->tid] = NONE;
        }
        last[e->tid] = i;
        release_of[i] = NONE;
        switch ((enum logged_kind)e->kind) {
        case LOG_BARRIER: at_barrier[e->tid] = i; __attribute__((fallthrough));
        case LOG_ORDERED: {
            struct entry *o = entry_at(e->object);
            if (e->needs == NONE || (o->last != NONE && o->last > e->needs)) e->needs = o->last;
            o->last = i;
            break;
        }
        case LOG_JOIN: e->needs = last[e->id]; break;
        case LOG_ACQUIRE: take_lock(i, e); break;
        case LOG_RELEASE: give_back(i, e); break;
        default: break;
        }
    }
}

/* ---- closure */

static uint32_t upto[RP_MAX_THREADS]; /* the last event of each thread that is in it, or NONE */
static uint32_t *work;
static uint32_t *reads_from;          /* by event: the write that it reads from, or NONE */
static uint32_t closures;

struct latest { uintptr_t key; uint32_t stamp, event; };
static struct latest *latest;

static uint32_t *latest_of(uintptr_t lock) {
    for (uint32_t i = hash_of(lock) & 4095;; i = (i + 1) & 4095) {
        struct latest *l = &latest[i];
        if (l->stamp != closures) *l = (struct latest){lock, closures, NONE};
        if (l->key == lock) return &l->event;
    }
}

static bool is_in(uint32_t i) {
    uint32_t last = upto[log_->events[i].tid];
    return last != NONE && i <= last;
}

/* All that must come before; false if that is one of the two, or a release that never came. */
static bool close_over(uint32_t a, uint32_t b) {
    uint32_t todo = 0;
    closures++;
    for (uint32_t t = 0; t < RP_MAX_THREADS; t++) upto[t] = NONE;
    const uint32_t ends[] = {a, b};
    for (int k = 0; k < 2; k++) {
        if (log_->events[ends[k]].before != NONE) work[todo++] = log_->events[ends[k]].before;
        if (log_->events[ends[k]].needs != NONE) work[todo++] = log_->events[ends[k]].needs;
    }
    uint32_t locks = 0;
    while (todo > 0) {
        uint32_t newest = work[--todo];
        const struct logged *n = &log_->events[newest];
        if (is_in(newest)) continue;
        uint32_t known = upto[n->tid];
        upto[n->tid] = newest;
        if (is_in(a) || is_in(b)) return false;
        for (uint32_t i = newest; i != NONE && (known == NONE || i > known); i = log_->events[i].before) {
            const struct logged *e = &log_->events[i];
            uint32_t more[3] = {e->needs, reads_from[i], NONE};
            if (e->kind == LOG_ACQUIRE) {
                uint32_t *last = latest_of(e->object);
                uint32_t earlier = *last == NONE ? NONE : *last < i ? *last : i;
                if (*last == NONE && ++locks > 3000) return false;
                if (*last == NONE || *last < i) *last = i;
                if (earlier != NONE && earlier != *last) {
                    if (release_of[earlier] == NONE) return false;
                    more[2] = release_of[earlier];
                }
            }
            for (int k = 0; k < 3; k++)
                if (more[k] != NONE && !is_in(more[k])) {
                    if (todo == MAX_LOG) return false;
                    work[todo++] = more[k];
                }
        }
    }
    return true;
}

/* ---- candidates */

static struct tried *tried_at(uint32_t a, uint32_t b) {
    for (uint32_t i = 0; i < tried_count; i++)
        if ((tried[i].a == a && tried[i].b == b) || (tried[i].a == b && tried[i].b == a)) return &tried[i];
    if (tried_count == MAX_TRIED) return NULL;
    tried[tried_count] = (struct tried){.a = a, .b = b};
    return &tried[tried_count++];
}

static bool have_common_lock(const uintptr_t *a, uint32_t n, const uintptr_t *b, uint32_t m) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < m; j++)
            if (a[i] == b[j]) return true;
    return false;
}

/* The trace with all else left out, as turns. */
static uint32_t plan_of(struct segment *plan) {
    uint32_t n = 0;
    if (log_->has_first) {
        n = log_->base;
        memcpy(plan, segments, n * sizeof *plan);
    }
    for (uint32_t i = 0; i < log_->count && n < MAX_SEGMENTS; i++) {
        const struct logged *e = &log_->events[i];
        if (!is_in(i)) continue;
        if (n == 0 || plan[n - 1].tid != e->tid) n++;
        plan[n - 1] = (struct segment){e->tid, e->steps + 1};
    }
    return n;
}

static void execute(uint32_t a, uint32_t b, struct tried *pair) {
    static struct segment *plan, *kept;
    if (plan == NULL) {
        plan = reserve(sizeof *plan * (MAX_SEGMENTS + 1));
        kept = reserve(sizeof *plan * (MAX_SEGMENTS + 1));
    }
    const struct logged *x = &log_->events[a], *y = &log_->events[b];
    uint32_t count = plan_of(plan), kept_count = G->segment_count;
    struct hit hit = {.a = x->id, .b = y->id, .tid_a = x->tid, .tid_b = y->tid, .steps_a = x->steps, .steps_b = y->steps,
                      .address = x->object + (uintptr_t)__builtin_ctz((unsigned)(x->mask & y->mask)), .together = 1};
    memcpy(kept, segments, kept_count * sizeof *kept);
    pair->times++;
    if (follow_to(plan, count, &hit)) {
        G->found[G->pairs_found++] = (struct found_race){hit.a, hit.b};
        G->predicted++;
        if (G->first_race == 0) G->first_race = G->executions;
        report_hit(&hit);
    } else if (!pair->told && pair->times == TRIES) {
        pair->told = 1;
        G->segment_count = count < MAX_SEGMENTS ? count : MAX_SEGMENTS;
        memcpy(segments, plan, G->segment_count * sizeof *plan);
        hit.segments = G->segment_count;
        report_possible(&hit);
    }
    memcpy(segments, kept, kept_count * sizeof *kept);
    G->segment_count = kept_count;
    G->hit_count = 0;
}

static bool is_access_event(const struct logged *e) { return e->kind <= LOG_ATOMIC_WRITE; }
static bool is_write(const struct logged *e) { return e->kind == LOG_WRITE || e->kind == LOG_ATOMIC_WRITE; }
static bool is_atomic(const struct logged *e) { return e->kind == LOG_ATOMIC_READ || e->kind == LOG_ATOMIC_WRITE; }

static bool is_conflict(const struct logged *e, const struct logged *f) {
    return (e->mask & f->mask) && (is_write(e) || is_write(f)) && !(is_atomic(e) && is_atomic(f));
}

struct locks_at { uint8_t count; uintptr_t of[MAX_LOCKS]; };
static struct locks_at *locks_of; /* by place in `near` of a word: kept beside */

static void note_locks(struct locks_at *into, uint8_t tid) {
    into->count = (uint8_t)held[tid].count;
    for (uint32_t k = 0; k < held[tid].count; k++) into->of[k] = held[tid].of[k].lock;
}

struct candidate { uint32_t a, b; };
static struct candidate *found_now;
static uint32_t found_count;
#define MAX_FOUND (1u << 12)

/* One pass: who writes what is read, and which accesses conflict without a lock in common. */
static void find_candidates(void) {
    static struct locks_at near_locks_now;
    found_count = 0;
    memset(held, 0, sizeof held);
    for (uint32_t i = 0; i < log_->count; i++) {
        const struct logged *e = &log_->events[i];
        reads_from[i] = NONE;
        if (e->kind == LOG_ACQUIRE) take_lock(i, e);
        if (e->kind == LOG_RELEASE) give_back(i, e);
        if (!is_access_event(e)) continue;
        struct near *w = word_at(e->object >> 3);
        if (w == NULL) continue;
        if (!is_write(e)) reads_from[i] = w->last_write;
        note_locks(&near_locks_now, e->tid);
        struct locks_at *kept = &locks_of[(size_t)(w - words) * NEAR];
        uint32_t place = NEAR;
        for (uint32_t k = 0; k < w->count; k++) {
            const struct logged *f = &log_->events[w->of[k]];
            if (f->tid == e->tid) {
                if (f->id == e->id) place = k;
                continue;
            }
            if (!is_conflict(e, f) || f->id == RP_NO_ACCESS || e->id == RP_NO_ACCESS || found_count == MAX_FOUND) continue;
            if (have_common_lock(kept[k].of, kept[k].count, near_locks_now.of, near_locks_now.count)) continue;
            found_now[found_count++] = (struct candidate){w->of[k], i};
        }
        if (place == NEAR) place = w->count < NEAR ? w->count++ : i % NEAR;
        w->of[place] = i;
        kept[place] = near_locks_now;
        if (is_write(e)) w->last_write = i;
    }
}

static void prepare(void) {
    if (work != NULL) return;
    objects_seen = reserve(sizeof *objects_seen * BUCKETS);
    words = reserve(sizeof *words * BUCKETS);
    locks_of = reserve(sizeof *locks_of * BUCKETS * NEAR);
    release_of = reserve(sizeof *release_of * MAX_LOG);
    reads_from = reserve(sizeof *reads_from * MAX_LOG);
    work = reserve(sizeof *work * (MAX_LOG + 1));
    latest = reserve(sizeof *latest * 4096);
    found_now = reserve(sizeof *found_now * MAX_FOUND);
}

void predict(void) {
    if (log_ == NULL || log_->count == 0 || G->stop != 0) return;
    if (quiet_runs >= QUIET_RUNS && (G->executions & 15) != 0) return;
    prepare();
    sort_log();
    stamp++;
    memset(held, 0, sizeof held);
    connect();
    stamp++;
    find_candidates();
    bool is_new = false;
    uint64_t steps = options.max_steps - pulse.steps_left;
    for (uint32_t i = 0; i < found_count; i++) {
        uint32_t a = found_now[i].a, b = found_now[i].b;
        uint32_t x = log_->events[a].id, y = log_->events[b].id;
        if (!pair_is_new(x, y)) continue;
        struct tried *pair = tried_at(x, y);
        if (pair == NULL || pair->times >= TRIES) continue;
        if (must_stop()) return;
        if (!close_over(a, b)) continue;
        is_new = true;
        if (steps > MOST_STEPS && pair->times > 0) continue;
        execute(a, b, pair);
    }
    quiet_runs = is_new ? 0 : quiet_runs + 1;
}
