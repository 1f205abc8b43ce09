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
    uint8_t read_count;              /* since the last write */
};

struct access_record {
    uint32_t next, access, epoch, steps;
    uint8_t tid, mask, writes, is_atomic;
};

struct order_record {
    uint32_t next, event;
    uint8_t tid, mask, writes, role;
};

/* What an event on a lock does with it. Only the order of taking it can be reversed: it cannot be taken before it is
 * released. A try that fails sees the order of others, it does not make one. */
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
}

void shadow_grow(uint32_t tid) {
    for (uint32_t i = 1; i < release_count; i++) release_records[i].clock[tid] = 0;
}

static _Noreturn void full(void) {
    report_other("limit", "too many different memory locations in one execution", rp_site);
    G->bounded_events = 1;
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

static void detect_in_cell(const struct op *op, uintptr_t word, uint8_t mask) {
    struct cell *c = cell_at(word >> 3);
    struct access_record *own = NULL;
    bool is_atomic = op->kind == OP_ATOMIC;
    bool is_searched = !is_atomic || c->has_plain || c->access_count > MAX_UNSEARCHED;
    c->has_plain |= !is_atomic;
    for (uint32_t i = c->accesses; i != 0; i = is_searched ? access_records[i].next : 0) {
        struct access_record *r = &access_records[i];
        if (r->tid == self->tid) {
            if (r->access == op->id && r->mask == mask && r->writes == op->writes) own = r;
        } else if ((r->mask & mask) && (r->writes | op->writes) && !(r->is_atomic & is_atomic) &&
                   r->epoch > self->hb[r->tid]) {
            add_hit(r, op, word + (uintptr_t)__builtin_ctz(r->mask & mask));
        }
    }
    if (own == NULL) {
        if (access_count == MAX_RECORDS) full();
        own = &access_records[access_count];
        *own = (struct access_record){.next = c->accesses, .access = op->id, .tid = self->tid, .mask = mask,
                                      .writes = op->writes, .is_atomic = is_atomic};
        c->accesses = access_count++;
        c->access_count += c->access_count <= MAX_UNSEARCHED;
    }
    own->epoch = self->hb[self->tid];
    own->steps = self->steps - 1;
}

void detect(const struct op *op) {
    uintptr_t end = op->object + op->size;
    for (uintptr_t word = op->object & ~(uintptr_t)7; word < end; word += 8)
        detect_in_cell(op, word, mask_of(word, op->object, end));
}

static void forget(struct cell *c) {
    c->accesses = 0;
    c->access_count = c->has_plain = 0;
}

/* Freed memory that is handed out again: what was there is over. */
void shadow_forget(void *base, size_t size) {
    uintptr_t end = (uintptr_t)base + size;
    for (uintptr_t word = (uintptr_t)base & ~(uintptr_t)7; word < end; word += 8) forget(cell_at(word >> 3));
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
        G->bounded_memory = 1;
}

static uint8_t role_of(const struct op *op) {
    if (op->kind == OP_UNLOCK) return ROLE_RELEASES;
    return op->kind == OP_TRY && op->size == 0 ? ROLE_PROBES : ROLE_TAKES;
}

/* Put event e behind those of a list, and take off what it stands for from now on. */
static void order_in_list(uint32_t e, const struct op *op, uint32_t *link, uint8_t mask, struct candidates *found,
                          const uint32_t *before) {
    uint8_t tid = events[e].tid, role = role_of(op);
    bool waits = op->kind == OP_LOCK || op->kind == OP_RDLOCK || op->kind == OP_ATOMIC_SECTION;
    while (*link != 0) {
        struct order_record *r = &order_records[*link];
        if ((r->mask & mask) != 0 && (r->writes | op->writes) && r->tid != tid) {
            if (!(waits && r->role != ROLE_TAKES) && events[r->event].number > before[r->tid])
                add_candidate(found, r->event);
            clock_join(threads[tid].dep, CLOCK(r->event), G->paths);
        }
        bool covered = (r->mask & ~mask) == 0 && (op->writes ? role == ROLE_TAKES || r->role == role
                                                             : r->tid == tid && !r->writes && r->role == role);
        if (covered)
            *link = r->next;
        else
            link = &r->next;
    }
}

static void order_in_cell(uint32_t e, const struct op *op, struct cell *c, uint8_t mask, struct candidates *found,
                          const uint32_t *before) {
    uint8_t tid = events[e].tid, role = role_of(op);
    order_in_list(e, op, &c->writes, mask, found, before);
    bool is_searched = op->writes || c->read_count > MAX_UNSEARCHED; /* reads do not depend on reads */
    if (is_searched) order_in_list(e, op, &c->reads, mask, found, before);
    c->read_count = op->writes ? 0 : c->read_count + !is_searched;
    if (order_count == MAX_RECORDS) full();
    uint32_t *list = op->writes ? &c->writes : &c->reads;
    order_records[order_count] = (struct order_record){.next = *list, .event = e, .tid = tid, .mask = mask,
                                                       .writes = op->writes, .role = role};
    *list = order_count++;
}

/* Sync objects have their own cells: an odd key above every word's number. */
static inline uintptr_t sync_key(uintptr_t object) { return ((object >> 3) << 1 | 1) ^ ((uintptr_t)1 << 63); }

/* What depends on everything: on the last event of each thread, and every event on the last such one. */
static void order_behind(uint32_t e, uint32_t earlier, struct candidates *found, const uint32_t *before) {
    uint8_t tid = events[e].tid, other = events[earlier].tid;
    if (other == tid) return;
    if (events[earlier].number > before[other]) add_candidate(found, earlier);
    clock_join(threads[tid].dep, CLOCK(earlier), G->paths);
}

static void order_globally(uint32_t e, const struct op *op, struct candidates *found, const uint32_t *before) {
    if (op->global) {
        for (uint32_t t = 0; t < G->paths; t++)
            if (last_of[t] != NONE) order_behind(e, last_of[t], found, before);
        last_global = e;
    } else if (last_global != NONE) {
        order_behind(e, last_global, found, before);
    }
    last_of[events[e].tid] = e;
}

static void keep_races(uint32_t e, struct candidates *found) {
    struct event *ev = &events[e];
    ev->first_race = G->race_count;
    ev->race_count = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t f = found->events[i];
        bool immediate = true;
        for (uint32_t j = 0; j < found->count && immediate; j++)
            immediate = j == i || CLOCK(found->events[j])[events[f].tid] < events[f].number;
        if (!immediate) continue;
        if (G->race_count == MAX_RACES) {
            G->bounded_memory = 1;
            return;
        }
        races[G->race_count++] = f;
        ev->race_count++;
    }
}

void order_event(uint32_t e, const struct op *op) {
    struct thread *t = &threads[events[e].tid];
    uint32_t n = G->paths;
    uint32_t before[RP_MAX_THREADS];
    clock_copy(before, t->dep, n);
    struct candidates found;
    found.count = 0;
    t->dep[t->tid] = events[e].number;
    if (is_access(op)) {
        uintptr_t end = op->object + op->size;
        for (uintptr_t word = op->object & ~(uintptr_t)7; word < end; word += 8)
            order_in_cell(e, op, cell_at(word >> 3), mask_of(word, op->object, end), &found, before);
    } else if (op->kind != OP_FENCE) {
        order_in_cell(e, op, cell_at(sync_key(op->object)), (uint8_t)(1u << (op->object & 7)), &found, before);
        join_object(t, op);
    }
    order_globally(e, op, &found, before);
    clock_copy(CLOCK(e), t->dep, n);
    if (found.count == 0) {
        events[e].race_count = 0;
        return;
    }
    clock_copy(BEFORE(e), before, n);
    keep_races(e, &found);
}

void order_as_read(uint32_t e) {
    const struct op *op = &events[e].op;
    uintptr_t end = op->object + op->size;
    for (uintptr_t word = op->object & ~(uintptr_t)7; word < end; word += 8) {
        struct cell *c = cell_at(word >> 3);
        if (c->writes != 0 && order_records[c->writes].event == e) order_records[c->writes].writes = 0;
    }
    events[e].op.writes = 0;
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
