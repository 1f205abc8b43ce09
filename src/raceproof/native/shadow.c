/* shadow.c: what was accessed, by whom, and in which order, for raceproof.explore.
 *
 * Memory is looked at in cells of 8 bytes; a record says which bytes of its cell it is about, so that neighbours in
 * one cell are told apart. Each cell has four lists, made anew for each execution:
 *
 *   accesses   last access of each thread at each instruction: races by happens-before (C11 5.1.2.4)
 *   writes, reads   last events that later ones depend on: clocks of the search, and which events could be reversed
 *   releases   per atomic object, the clock that an acquire of its present value brings
 *
 * Synchronisation objects have cells of their own, with the lists of events only.
 */

#include "rt.h"
#include "sampled.h"
#include "weaker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CELLS (1u << 20)
#define MAX_RECORDS (1u << 22)
#define MAX_RELEASES (1u << 16)
#define MAX_UNSEARCHED 32 /* what cannot conflict is not looked through; so much may be named twice, which does no harm */

struct cell {
    uintptr_t key;
    uint32_t generation;
    uint32_t accesses, writes, reads, releases;
    uint8_t access_count, has_plain; /* of `accesses`: how many at most; whether one is not atomic */
    uint8_t read_count;              /* of `reads`: how many, if no more than are looked through */
};

struct access_record {
    uint32_t next, access, epoch, steps;
    uint8_t tid, mask, writes, is_atomic;
    uint8_t unsure; /* those of `mask` that it need not have touched */
    uint32_t site;  /* then */
};

struct order_record {
    uint32_t next, event;
    uint8_t tid, mask, writes, role;
};

/* What an event on a lock does with it. Only the order of taking it can be reversed: it cannot be taken before it is
 * released. A try that fails sees the order of others, it does not make one; nor does who has the lock already. */
enum { ROLE_TAKES, ROLE_RELEASES, ROLE_PROBES };

struct release_record {
    uint32_t next;
    uint8_t offset, head, has_head;
    uint32_t clock[RP_MAX_THREADS];
};

static struct cell *cells;
static struct access_record *access_records;
static struct order_record *order_records;
static struct release_record *release_records;
static uint32_t last_of[RP_MAX_THREADS]; /* the last event of each thread */
static uint32_t last_global;             /* the last event that depends on everything */
static uint32_t generation, cell_count, access_count, order_count, release_count;

static void *private_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) abort();
    return memory;
}

void shadow_reset(void) {
    if (samples) sample_reset();
    if (cells == NULL) {
        cells = private_memory(sizeof *cells * CELLS);
        access_records = private_memory(sizeof *access_records * MAX_RECORDS);
        order_records = private_memory(sizeof *order_records * MAX_RECORDS);
        release_records = private_memory(sizeof *release_records * MAX_RELEASES);
    }
    if (++generation == 0) {
        memset(cells, 0, sizeof *cells * CELLS);
        generation = 1;
    }
    cell_count = 0;
    last_global = NONE;
    for (uint32_t t = 0; t < RP_MAX_THREADS; t++) last_of[t] = NONE;
    access_count = order_count = release_count = 1; /* 0 ends a list */
    weaker_reset();
}

void shadow_grow(uint32_t tid) {
    for (uint32_t i = 1; i < release_count; i++) release_records[i].clock[tid] = 0;
}

static _Noreturn void full(void) {
    limit_reached(RP_LIMIT_LOCATIONS);
    end_execution(CUT_EVENTS);
}

static struct cell *cell_at(uintptr_t key) {
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 44) & (CELLS - 1);
    for (;; at = (at + 1) & (CELLS - 1)) {
        struct cell *c = &cells[at];
        if (c->generation != generation) {
            if (++cell_count > CELLS / 2) full();
            c->generation = generation;
            c->key = key;
            c->accesses = c->writes = c->reads = c->releases = 0;
            c->access_count = c->has_plain = c->read_count = 0;
            return c;
        }
        if (c->key == key) return c;
    }
}

/* Bytes of the 8-byte word at `word` that [address, address + size) covers. */
static inline uint8_t mask_of(uintptr_t word, uintptr_t address, uintptr_t end) {
    unsigned low = address > word ? (unsigned)(address - word) : 0;
    unsigned high = end < word + 8 ? (unsigned)(end - word) : 8;
    return (uint8_t)((0xffu << low) & (0xffu >> (8 - high)));
}

/* ---- races by happens-before */

static void add_hit(const struct access_record *earlier, const struct op *op, uintptr_t address) {
    if (!pair_is_new(earlier->access, op->id)) return;
    G->hits[G->hit_count++] = (struct hit){.a = earlier->access,
                                           .b = op->id,
                                           .steps_a = earlier->steps,
                                           .steps_b = self->steps - 1, /* the step counts as done already */
                                           .tid_a = earlier->tid,
                                           .tid_b = self->tid,
                                           .address = address,
                                           .segments = G->segment_count};
}

static void detect_in_cell(const struct op *op, uintptr_t word, uint8_t mask, uint8_t unsure) {
    struct cell *c = cell_at(word >> 3);
    struct access_record *own = NULL;
    bool is_atomic = op->kind == OP_ATOMIC;
    bool is_searched = !is_atomic || c->has_plain || c->access_count > MAX_UNSEARCHED;
    c->has_plain |= !is_atomic;
    for (uint32_t i = c->accesses; i != 0; i = is_searched ? access_records[i].next : 0) {
        struct access_record *r = &access_records[i];
        if (r->tid == self->tid) {
            if (r->access == op->id && r->mask == mask && r->writes == op->writes && r->unsure == unsure) own = r;
        } else if ((r->mask & mask) && (r->writes | op->writes) && !(r->is_atomic & is_atomic) &&
                   r->epoch > self->hb[r->tid]) {
            uint8_t sure = (uint8_t)(r->mask & mask & ~(r->unsure | unsure));
            if (sure) add_hit(r, op, word + (uintptr_t)__builtin_ctz(sure));
            else note_unsure(r->unsure ? r->site : op->site);
        }
    }
    if (own == NULL) {
        if (access_count == MAX_RECORDS) full();
        own = &access_records[access_count];
        *own = (struct access_record){.next = c->accesses, .access = op->id, .tid = self->tid, .mask = mask,
                                      .writes = op->writes, .is_atomic = is_atomic, .unsure = unsure,
                                      .site = op->site};
        c->accesses = access_count++;
        c->access_count += c->access_count <= MAX_UNSEARCHED;
    }
    own->epoch = self->hb[self->tid];
    own->steps = self->steps - 1;
}

static inline uint8_t unsure_of(const struct op *op, uintptr_t word) {
    uintptr_t end = op->object + op->size, from = end - op->unsure;
    return op->unsure != 0 && from < word + 8 ? mask_of(word, from, end) : 0;
}

void detect(const struct op *op) {
    if (__builtin_expect(samples, 0)) {
        sample_detect(op);
        return;
    }
    uintptr_t end = op->object + op->size;
    for (uintptr_t word = op->object & ~(uintptr_t)7; word < end; word += 8)
        detect_in_cell(op, word, mask_of(word, op->object, end), unsure_of(op, word));
}

static void forget(struct cell *c) {
    c->accesses = 0;
    c->access_count = c->has_plain = 0;
}

/* Freed memory that is handed out again: what was there is over. */
void shadow_forget(void *base, size_t size) {
    if (samples) {
        sample_forget(base, size);
        return;
    }
    uintptr_t end = (uintptr_t)base + size;
    for (uintptr_t word = (uintptr_t)base & ~(uintptr_t)7; word < end; word += 8) forget(cell_at(word >> 3));
    weaker_forget(base, size);
}

/* ---- order of dependent events */

#define MAX_CANDIDATES 256
struct candidates { uint32_t count; uint32_t events[MAX_CANDIDATES]; };

/* An access that covers several cells finds the same event in each. */
static void add_candidate(struct candidates *found, uint32_t event) {
    for (uint32_t i = found->count; i-- > 0;)
        if (found->events[i] == event) return;
    if (found->count < MAX_CANDIDATES)
        found->events[found->count++] = event;
    else
        limit_reached(RP_LIMIT_UNTRIED);
}

static uint8_t role_of(const struct op *op) {
    if (op->kind == OP_UNLOCK) return ROLE_RELEASES;
    return op->again || (op->kind == OP_TRY && op->size == 0) ? ROLE_PROBES : ROLE_TAKES;
}

/* The event that is put into its place: which thread's, what it does, the clock that becomes its own, and what is found
 * on the way. `found` is null if its clock is known. */
struct ordering {
    uint32_t event;
    const struct op *op;
    const uint32_t *before; /* its thread's clock before it */
    uint32_t *clock;
    struct candidates *found;
    uint8_t tid, role;
};

static inline void put_behind(const struct ordering *o, uint32_t earlier, bool is_reversible) {
    const struct event *ev = &events[earlier];
    if (is_reversible && ev->number > o->before[ev->tid]) add_candidate(o->found, earlier);
    clock_join(o->clock, CLOCK(earlier), G->paths);
}

/* Could the event come before an earlier one that it depends on? Nobody takes a lock before it is released; nor the last
 * unit of a semaphore before the post that gave it, nor one where somebody else found none. */
static bool is_reversible(const struct op *op, const struct order_record *earlier) {
    bool waits = op->kind == OP_LOCK || op->kind == OP_RDLOCK || op->kind == OP_ATOMIC_SECTION;
    if (op->kind == OP_SEM_WAIT && op->size == 1 && events[earlier->event].op.kind == OP_SEM_POST) return false;
    if (op->kind == OP_RDLOCK && earlier->writes && events[earlier->event].op.kind == OP_TRY) return true;
    return !(waits || op->kind == OP_SEM_WAIT) || earlier->role == ROLE_TAKES;
}

/* Put the event behind those of a list, and take off what it stands for from now on; how many are left. */
static uint32_t order_in_list(const struct ordering *o, uint32_t *link, uint8_t mask) {
    const struct op *op = o->op;
    uint32_t left = 0;
    while (*link != 0) {
        struct order_record *r = &order_records[*link];
        if (o->found != NULL && (r->mask & mask) != 0 && (r->writes | op->writes) && r->tid != o->tid)
            put_behind(o, r->event, is_reversible(op, r));
        bool covered = (r->mask & ~mask) == 0 && (op->writes ? o->role == ROLE_TAKES || r->role == o->role
                                                             : r->tid == o->tid && !r->writes && r->role == o->role);
        if (covered) {
            *link = r->next;
        } else {
            link = &r->next;
            left++;
        }
    }
    return left;
}

static void order_in_cell(const struct ordering *o, struct cell *c, uint8_t mask) {
    bool writes = o->op->writes;
    if (c->writes != 0) order_in_list(o, &c->writes, mask);
    bool is_searched = writes || c->read_count > MAX_UNSEARCHED; /* reads do not depend on reads */
    if (is_searched) {
        uint32_t left = order_in_list(o, &c->reads, mask);
        c->read_count = left <= MAX_UNSEARCHED ? (uint8_t)left : MAX_UNSEARCHED + 1;
    }
    c->read_count += !writes && c->read_count <= MAX_UNSEARCHED;
    if (order_count == MAX_RECORDS) full();
    uint32_t *list = writes ? &c->writes : &c->reads;
    order_records[order_count] = (struct order_record){.next = *list, .event = o->event, .tid = o->tid, .mask = mask,
                                                       .writes = writes, .role = o->role};
    *list = order_count++;
}

/* Sync objects have their own cells: an odd key above every word's number. */
#define SYNC_CELL ((uintptr_t)1 << (sizeof(uintptr_t) * 8 - 1))
static inline uintptr_t sync_key(uintptr_t object) { return ((object >> 3) << 1 | 1) ^ SYNC_CELL; }

/* What depends on everything: on the last event of each thread, and every event on the last such one. */
static void order_globally(const struct ordering *o) {
    bool is_wanted = o->found != NULL;
    if (o->op->global) {
        for (uint32_t t = 0; t < G->paths && is_wanted; t++)
            if (t != o->tid && last_of[t] != NONE) put_behind(o, last_of[t], true);
        last_global = o->event;
    } else if (last_global != NONE && events[last_global].tid != o->tid && is_wanted) {
        put_behind(o, last_global, true);
    }
    last_of[o->tid] = o->event;
}

/* Keep those that e follows immediately: no other one has them before it. */
static void keep_races(uint32_t e, const struct candidates *found) {
    struct event *ev = &events[e];
    uint32_t n = G->paths;
    uint32_t others[RP_MAX_THREADS]; /* what is before any of them */
    clock_copy(others, CLOCK(found->events[0]), n);
    others[events[found->events[0]].tid]--;
    for (uint32_t i = 1; i < found->count; i++) {
        uint32_t f = found->events[i];
        uint8_t tid = events[f].tid;
        uint32_t own = others[tid];
        clock_join(others, CLOCK(f), n);
        others[tid] = own > events[f].number - 1 ? own : events[f].number - 1;
    }
    ev->first_race = G->race_count;
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t f = found->events[i];
        if (others[events[f].tid] >= events[f].number) continue;
        if (G->race_count == MAX_RACES) {
            limit_reached(RP_LIMIT_UNTRIED);
            return;
        }
        races[G->race_count++] = f;
        ev->race_count++;
    }
}

void order_event(uint32_t e, const struct op *op, bool is_known) {
    struct thread *t = &threads[events[e].tid];
    uint32_t n = G->paths;
    struct candidates found;
    found.count = 0;
    struct ordering o = {.event = e, .op = op, .before = t->dep, .clock = CLOCK(e), .found = is_known ? NULL : &found,
                         .tid = t->tid, .role = role_of(op)};
    if (options.weaker && op->kind == OP_ATOMIC) weaker_access(t, op, events[e].number);
    if (!is_known) {
        clock_copy(o.clock, t->dep, n);
        o.clock[t->tid] = events[e].number;
    }
    if (is_access(op)) {
        uintptr_t end = op->object + op->size;
        for (uintptr_t word = op->object & ~(uintptr_t)7; word < end; word += 8)
            order_in_cell(&o, cell_at(word >> 3), mask_of(word, op->object, end));
    } else if (op->kind != OP_FENCE) {
        order_in_cell(&o, cell_at(sync_key(op->object)), (uint8_t)(1u << (op->object & 7)));
        if (!is_known) join_object(o.clock, op);
    }
    order_globally(&o);
    if (found.count != 0) {
        clock_copy(BEFORE(e), t->dep, n);
        keep_races(e, &found);
    }
    clock_copy(t->dep, o.clock, n);
}

/* ---- atomics: happens-before as strong as the memory order */

static struct release_record *release_at(uintptr_t address) {
    struct cell *c = cell_at(address >> 3);
    uint8_t offset = (uint8_t)(address & 7);
    for (uint32_t i = c->releases; i != 0; i = release_records[i].next)
        if (release_records[i].offset == offset) return &release_records[i];
    if (release_count == MAX_RELEASES) full();
    struct release_record *r = &release_records[release_count];
    r->next = c->releases;
    r->offset = offset;
    r->has_head = 0;
    memset(r->clock, 0, G->paths * sizeof *r->clock);
    c->releases = release_count++;
    return r;
}

static bool acquires(uint8_t order) { return order == RP_ACQUIRE || order == RP_ACQ_REL || order == RP_SEQ_CST; }
static bool releases(uint8_t order) { return order == RP_RELEASE || order == RP_ACQ_REL || order == RP_SEQ_CST; }

void atomic_acquire(const struct op *op) {
    if (options.algorithm->search != NULL) return; /* it does not ask what happens before what */
    struct release_record *r = release_at(op->object);
    if (acquires(op->order)) {
        clock_join(self->hb, r->clock, G->paths);
    } else {
        if (!self->has_acquire_fence) memset(self->acquire_fence, 0, G->paths * sizeof *self->acquire_fence);
        self->has_acquire_fence = 1;
        clock_join(self->acquire_fence, r->clock, G->paths);
    }
}

void atomic_release(const struct op *op, bool reads) {
    if (options.algorithm->search != NULL) return;
    struct release_record *r = release_at(op->object);
    uint32_t n = G->paths;
    bool is_release = releases(op->order);
    const uint32_t *own = is_release ? self->hb : self->has_release_fence ? self->release_fence : NULL;
    /* A read-modify-write continues the release sequence it reads from; so does a later store by the thread that
     * heads it (C11 5.1.2.4p10). Any other store ends it. */
    bool continues = reads || (r->has_head && r->head == self->tid);
    if (!continues) {
        memset(r->clock, 0, n * sizeof *r->clock);
        r->has_head = 0;
    }
    if (own != NULL) {
        clock_join(r->clock, own, n);
        if (!r->has_head || !reads) r->head = self->tid, r->has_head = 1;
    }
    if (is_release) self->hb[self->tid]++;
}

void fence_synchronise(uint8_t order) {
    uint32_t n = G->paths;
    if (acquires(order) && self->has_acquire_fence) clock_join(self->hb, self->acquire_fence, n);
    if (releases(order)) {
        clock_copy(self->release_fence, self->hb, n);
        self->has_release_fence = 1;
        self->hb[self->tid]++;
    }
}
