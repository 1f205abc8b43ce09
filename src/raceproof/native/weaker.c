/* weaker.c: are the executions of the search all that C11 allows, for raceproof.explore.
 *
 * The search executes sequentially consistent orders; atomics of weaker memory orders allow more. The first step by which
 * an execution leaves them is an access that comes before some write to its object, in the order of that object's writes,
 * although the write is before its thread in the order of all that was executed (`dep`) [LM19]. So each access is asked
 * whether it could: not if the write, or one behind it, or who has read one of these, happens before it (coherence), nor
 * if sequentially consistent accesses or fences order the two (the order `psc` of [LVKHD17], of which a part is enough
 * here). If none could, in any execution, there are no others. One that could is told (`report_bounds`).
 */

#include "weaker.h"

#include <string.h>

#define PLACES (1u << 14)
#define MAX_TOUCHES (1u << 20)
#define MAX_FENCES (1u << 12)

typedef uint32_t clock[RP_MAX_THREADS];

struct touch { /* of an atomic */
    uint32_t earlier; /* touch of the same object, or 0 */
    uint32_t epoch;   /* of its thread: `hb` */
    uint32_t number;  /* of its thread's event: `dep` */
    uint8_t tid, writes, updates, sequential;
};

struct place {
    uintptr_t address;
    uint32_t generation, size;
    uint32_t last;                 /* its last touch, or 0 */
    bool last_is_sequential;       /* of the writes */
    clock written, accessed;       /* what happens before writes, before accesses */
    clock sc_written, sc_accessed; /* what is before those that are sequentially consistent, in their order */
};

struct fence { uint32_t epoch; uint8_t tid; clock known; };

static struct place *places;
static struct touch *touches;
static struct fence *fences; /* sequentially consistent ones */
static uint32_t generation, place_count, touch_count, fence_count;
static clock before[RP_MAX_THREADS]; /* what happens before an access that conflicts with one of the thread's */
static clock fenced[RP_MAX_THREADS]; /* what is before its last fence, through other fences */
static clock sequence[RP_MAX_THREADS]; /* what is before it among sequentially consistent accesses */

void weaker_reset(void) {
    if (!options.weaker) return;
    if (places == NULL) {
        places = reserve(sizeof *places * PLACES);
        touches = reserve(sizeof *touches * MAX_TOUCHES);
        fences = reserve(sizeof *fences * MAX_FENCES);
    }
    generation++;
    place_count = fence_count = 0;
    touch_count = 1; /* 0 ends a list */
    for (uint32_t t = 0; t < G->paths; t++) {
        memset(before[t], 0, sizeof *before);
        memset(fenced[t], 0, sizeof *fenced);
        memset(sequence[t], 0, sizeof *sequence);
    }
}

/* Not `clock_join`: nobody clears the columns of threads that are still to come. */
static void join(uint32_t *into, const uint32_t *from) {
    for (uint32_t i = 0; i < G->paths; i++) into[i] = from[i] > into[i] ? from[i] : into[i];
}

static struct place *place_at(uintptr_t address, bool makes) {
    uint32_t at = (uint32_t)((address * 0x9e3779b97f4a7c15u) >> 40) & (PLACES - 1);
    for (;; at = (at + 1) & (PLACES - 1)) {
        struct place *p = &places[at];
        if (p->generation == generation && p->address == address) return p;
        if (p->generation == generation) continue;
        if (!makes || place_count == PLACES / 2) return NULL;
        place_count++;
        memset(p, 0, sizeof *p);
        p->generation = generation;
        p->address = address;
        return p;
    }
}

/* The touch was of this write or a later one, and is before what the thread does next: it cannot come before the write. */
static bool is_behind(const struct thread *t, const struct touch *touch, bool sequential) {
    uint8_t u = touch->tid;
    if (u == t->tid || touch->epoch <= t->hb[u] || touch->epoch <= fenced[t->tid][u]) return true;
    return sequential && touch->sequential && touch->writes && touch->number <= sequence[t->tid][u];
}

/* Could an access that the thread is about to make come before a write that was executed before? An update comes right
 * behind the write that it reads, and only one does. */
static bool may_be_early(const struct thread *t, const struct place *p, bool sequential, bool updates) {
    bool is_before = false; /* one of the writes, so that all earlier ones are, too */
    for (uint32_t i = p->last; i != 0; i = touches[i].earlier) {
        const struct touch *touch = &touches[i];
        if (is_behind(t, touch, sequential)) return false;
        if (!touch->writes) continue;
        is_before |= touch->number <= t->dep[touch->tid];
        if (is_before && !(updates && touch->updates)) return true;
    }
    return false;
}

static void note(uint32_t site) {
    if (!G->bounded_weaker) G->weaker_site = site;
    G->bounded_weaker = 1;
}

static void keep(const struct thread *t, struct place *p, const struct op *op, uint32_t number, bool sequential) {
    struct touch *last = &touches[p->last];
    uint32_t epoch = t->hb[t->tid];
    if (!op->writes && p->last != 0 && last->tid == t->tid && last->epoch == epoch) return; /* says as much */
    touches[touch_count] = (struct touch){.earlier = p->last, .epoch = epoch, .number = number, .tid = t->tid,
                                          .writes = op->writes, .updates = op->updates, .sequential = sequential};
    p->last = touch_count++;
}

static void order_sequentially(const struct thread *t, struct place *p, const struct op *op, uint32_t number) {
    uint32_t *own = sequence[t->tid];
    if (op->writes) join(own, p->sc_accessed);
    else if (p->last_is_sequential) join(own, p->sc_written);
    own[t->tid] = number;
    join(p->sc_accessed, own);
    if (op->writes) join(p->sc_written, own);
}

void weaker_access(const struct thread *t, const struct op *op, uint32_t number) {
    struct place *p = place_at(op->object, true);
    if (p != NULL && p->size == 0) p->size = op->size;
    if (p == NULL || p->size != op->size || touch_count == MAX_TOUCHES) {
        note(op->site);
        return;
    }
    bool always = op->order == RP_SEQ_CST && (!op->exchange || t->failure_order == RP_SEQ_CST);
    bool sequential = always || (op->order == RP_SEQ_CST && op->writes);
    /* An exchange that found another value might fail, and only read. */
    if (may_be_early(t, p, always, op->updates && !op->exchange)) note(op->site);
    keep(t, p, op, number, sequential);
    join(before[t->tid], op->writes ? p->accessed : p->written);
    clock now;
    memcpy(now, t->hb, sizeof now);
    join(now, fenced[t->tid]);
    join(p->accessed, now);
    if (op->writes) join(p->written, now);
    if (sequential) order_sequentially(t, p, op, number);
    if (op->writes) p->last_is_sequential = sequential;
}

/* What the loop of a thread that waits would read again. */
void weaker_wait(const struct thread *t) {
    if (!options.weaker) return;
    for (uint32_t i = 0; i < t->poll_count; i++) {
        const struct place *p = place_at((uintptr_t)t->polls[i].address, false);
        if (p != NULL && may_be_early(t, p, false, false)) note(rp_site);
    }
}

/* A fence is behind another one if that is before an access which conflicts with an earlier one of its thread. */
void weaker_fence(const struct thread *t, uint8_t order) {
    if (!options.weaker || order != RP_SEQ_CST || fence_count == MAX_FENCES) return;
    uint32_t *known = fenced[t->tid];
    for (uint32_t i = 0; i < fence_count; i++) {
        const struct fence *f = &fences[i];
        if (f->epoch < before[t->tid][f->tid] || f->epoch < t->hb[f->tid]) join(known, f->known);
    }
    struct fence *own = &fences[fence_count++];
    own->epoch = t->hb[t->tid];
    own->tid = t->tid;
    memcpy(own->known, known, sizeof own->known);
    join(own->known, t->hb);
}

/* Memory that is handed out again: what was there is over. */
void weaker_forget(const void *base, size_t size) {
    if (!options.weaker) return;
    for (uint32_t i = 0; i < PLACES && place_count != 0; i++) {
        struct place *p = &places[i];
        if (p->generation == generation && p->address - (uintptr_t)base < size) p->last = p->size = 0;
    }
}
